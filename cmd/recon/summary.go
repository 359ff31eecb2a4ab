package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"agentrecon/ledger"
	"agentrecon/recon"
	"agentrecon/report"
)

// minors prints as an object of minor units by currency, sorted by currency, outflow positive.
type minors recon.Sums

// MarshalJSON keeps the order of currencies.
func (m minors) MarshalJSON() ([]byte, error) {
	var b strings.Builder
	b.WriteByte('{')
	for n, sum := range m {
		if n > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "%q:%d", string(sum.Currency), sum.Minor)
	}
	b.WriteByte('}')
	return []byte(b.String()), nil
}

// ordered is a JSON object whose members keep their order.
type ordered []member

type member struct {
	name  string
	value any
}

// MarshalJSON writes the members in their order.
func (o ordered) MarshalJSON() ([]byte, error) {
	var b strings.Builder
	b.WriteByte('{')
	for n, m := range o {
		value, err := json.Marshal(m.value)
		if err != nil {
			return nil, err
		}
		if n > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "%q:%s", m.name, value)
	}
	b.WriteByte('}')
	return []byte(b.String()), nil
}

// made is a run with what was written of it.
type made struct {
	report *recon.Report
	path   string // of the workbook; empty = none
	sha256 string
	// sentence is the result in one sentence, as on the Cover.
	sentence string
	why      string // why everything was looked at, where less was asked for; empty = it was asked for, or was not
	// notRecorded is why a run is shown and not recorded; nil = it is.
	notRecorded error
	looked      int64     // items that a run over what changed looked at
	inbox       *received // what was imported just before; nil = no inbox
	summary     report.Summary
}

// message is the nightly message.
func (m made) message() string {
	file := ""
	if m.path != "" {
		file = fmt.Sprintf("%s, sha256 %.12s", m.path, m.sha256)
	}
	return report.Message(m.report, m.summary, file)
}

// writeJSON prints the object of the contract (docs/cli.md).
func writeJSON(w io.Writer, m made) error {
	totals := m.report.Totals
	object := ordered{
		{"run_id", m.report.Run.ID},
		{"kind", m.report.Run.Kind},
		{"period", jsonPeriod(m.report.Period)},
		{"as_of", m.report.Run.AsOf.UTC().Format(time.RFC3339)},
		{"rule_set", m.report.Run.RuleSet},
		{"report", m.path},
		{"report_sha256", m.sha256},
		{"digest", m.report.Run.Digest},
		{"attempts", ordered{
			{"count", totals.Attempts.Count},
			{"minor", minors(totals.Attempts.Minor)},
			{"classes", jsonClasses(totals.Attempts, true)},
		}},
		{"outcomes", ordered{{"count", totals.Outcomes.Count}, {"classes", jsonClasses(totals.Outcomes, false)}}},
		{"ledger", ordered{
			{"count", totals.Entries.Count},
			{"booked", totals.Booked.Count},
			{"minor", minors(totals.Entries.Minor)},
			{"booked_minor", minors(totals.Booked.Minor)},
			{"classes", jsonClasses(totals.Entries, true)},
		}},
		{"deliveries", totals.Deliveries},
		{"links_by_tier", jsonTiers(totals)},
		{"unknown_marked", totals.UnknownMarked},
		{"newly_marked", totals.NewlyMarked},
		{"unresolved", totals.CountKind(recon.Attempts, recon.Unresolved)},
		{"mismatches", totals.CountKind(recon.Attempts, recon.Mismatch)},
		{"unattempted_movements", totals.Entries.ClassCount(recon.UnattemptedMovement)},
		{"orphan_outcomes", totals.Outcomes.ClassCount(recon.OrphanOutcome)},
		{"unexplained", totals.Unexplained()},
		{"causes", jsonCauses(totals)},
	}
	if m.notRecorded != nil {
		object = append(object, member{"not_recorded_because", m.notRecorded.Error()})
	}
	if m.why != "" {
		object = append(object, member{"full_because", m.why})
	}
	if m.inbox != nil {
		object = append(object, member{"inbox", ordered{{"imported", append([]string{}, m.inbox.imported...)}, {"refused", append([]string{}, m.inbox.refused...)}}})
	}
	return printJSON(w, object)
}

func jsonPeriod(p ledger.Period) any {
	if p.IsZero() {
		return nil
	}
	return ordered{{"from", p.Start().UTC().Format(time.RFC3339)}, {"to", p.End().UTC().Format(time.RFC3339)}}
}

func jsonClasses(p recon.PopulationTotals, withMinor bool) ordered {
	classes := ordered{}
	for _, c := range p.Classes {
		tally := ordered{{"count", c.Count}}
		if withMinor {
			tally = append(tally, member{"minor", minors(c.Minor)})
		}
		classes = append(classes, member{string(c.Class), tally})
	}
	return classes
}

func jsonTiers(t recon.Totals) ordered {
	tiers := ordered{}
	for tier := recon.ByKey; tier <= recon.ByAttributes; tier++ {
		tiers = append(tiers, member{tier.String(), t.LinksByTier[tier]})
	}
	return tiers
}

func jsonCauses(t recon.Totals) ordered {
	causes := ordered{}
	for _, c := range t.Causes {
		causes = append(causes, member{string(c.Cause), c.Count})
	}
	return causes
}

// writeSummary prints what a person can read in ten seconds: the sentence, what to act on, where the rest is.
func writeSummary(w io.Writer, m made) error {
	r := m.report
	totals := r.Totals
	var b strings.Builder
	if m.sentence != "" {
		fmt.Fprintf(&b, "%s\n\n", m.sentence)
	}
	table := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintf(table, "deliveries\t%s\tless %s repeats of a call\n", grouped(totals.Deliveries), grouped(totals.Deliveries-totals.Attempts.Count))
	fmt.Fprintf(table, "attempts\t%s\t%s\n", grouped(totals.Attempts.Count), classList(totals.Attempts))
	fmt.Fprintf(table, "outcomes\t%s\t%s\n", grouped(totals.Outcomes.Count), classList(totals.Outcomes))
	fmt.Fprintf(table, "ledger\t%s\t%s booked: %s\n", grouped(totals.Entries.Count), grouped(totals.Booked.Count), classList(totals.Entries))
	fmt.Fprintf(table, "marked unknown\t%s\t%s of them by this run\n", grouped(totals.UnknownMarked), grouped(totals.NewlyMarked))
	if err := table.Flush(); err != nil {
		return err
	}
	writeActions(&b, r)
	if len(totals.Causes) > 0 {
		parts := make([]string, len(totals.Causes))
		for n, c := range totals.Causes {
			parts[n] = fmt.Sprintf("%s %s", c.Cause, grouped(c.Count))
		}
		fmt.Fprintf(&b, "\nevidence points to: %s\n", strings.Join(parts, " · "))
	}
	if m.notRecorded != nil {
		fmt.Fprintf(&b, "\nnot recorded: %v\n", m.notRecorded)
	} else {
		fmt.Fprintf(&b, "\nrun %d (%s) as of %s, rule set %s, digest %s\n", r.Run.ID, r.Run.Kind, r.Run.AsOf.UTC().Format(time.RFC3339), r.Run.RuleSet, short(r.Run.Digest))
	}
	switch {
	case m.why != "":
		fmt.Fprintf(&b, "looked at everything: %s\n", m.why)
	case m.sentence == "":
		fmt.Fprintf(&b, "looked at %s of %s items: what changed since the last run, and what that touches\n",
			grouped(m.looked), grouped(totals.Attempts.Count+totals.Entries.Count))
	}
	if m.path != "" {
		fmt.Fprintf(&b, "workbook %s, sha256 %s\n", m.path, short(m.sha256))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// writeActions prints a line for each class that somebody has to act on, most pressing first.
func writeActions(b *strings.Builder, r *recon.Report) {
	actions := actionsOf(r)
	if len(actions) == 0 {
		b.WriteString("\nnothing to act on\n")
		return
	}
	b.WriteString("\nto act on\n")
	table := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	for _, a := range actions {
		fmt.Fprintf(table, "  %s\t%s\t%s\t%s\t%s\n", a.info.Priority, a.info.Class, grouped(a.tally.Count), amounts(a.tally.Minor), a.info.DoNext)
		if a.first != "" {
			fmt.Fprintf(table, "  \t  first\t\t%s\t%s\n", a.firstAmount, a.first)
		}
	}
	_ = table.Flush() // a strings.Builder does not fail
}

// action is one class that somebody has to act on.
type action struct {
	info        recon.ClassInfo
	tally       recon.Tally
	first       string // its first item
	firstAmount string
}

func actionsOf(r *recon.Report) []action {
	var actions []action
	for _, priority := range recon.Priorities[:3] {
		for _, c := range r.Totals.Attempts.Classes {
			if info := recon.InfoOf(recon.Attempts, c.Class); info.Priority == priority {
				actions = append(actions, attemptAction(r, info, c.Tally))
			}
		}
		for _, c := range r.Totals.Entries.Classes {
			info := recon.InfoOf(recon.Entries, c.Class)
			if info.Priority == priority && c.Class != recon.ExcessSettlement { // shown with its attempt
				actions = append(actions, entryAction(r, info, c.Tally))
			}
		}
		for _, c := range r.Totals.Outcomes.Classes {
			if info := recon.InfoOf(recon.Outcomes, c.Class); info.Priority == priority {
				actions = append(actions, outcomeAction(r, info, c.Tally))
			}
		}
	}
	return actions
}

func attemptAction(r *recon.Report, info recon.ClassInfo, tally recon.Tally) action {
	a := action{info: info, tally: tally}
	for n := range r.Attempts {
		if f := &r.Attempts[n]; f.Class == info.Class {
			a.first = f.Attempt.ProposedAt.UTC().Format(time.RFC3339) + "  " + oneLine(f.Attempt.ID)
			a.firstAmount = ledger.FormatMoney(f.Attempt.Minor, f.Attempt.Currency)
			break
		}
	}
	return a
}

func entryAction(r *recon.Report, info recon.ClassInfo, tally recon.Tally) action {
	a := action{info: info, tally: tally}
	for n := range r.Entries {
		if f := &r.Entries[n]; f.Class == info.Class {
			a.first = f.Entry.BookedOn.String() + "  " + oneLine(f.Entry.ID)
			a.firstAmount = ledger.FormatMoney(f.Entry.Outflow(), f.Entry.Currency)
			break
		}
	}
	return a
}

func outcomeAction(r *recon.Report, info recon.ClassInfo, tally recon.Tally) action {
	a := action{info: info, tally: tally}
	for n := range r.Outcomes {
		if f := &r.Outcomes[n]; f.Class == info.Class {
			a.first = f.Outcome.ObservedAt.UTC().Format(time.RFC3339) + "  " + oneLine(f.Outcome.AttemptID)
			break
		}
	}
	return a
}

func classList(p recon.PopulationTotals) string {
	if len(p.Classes) == 0 {
		return "none"
	}
	parts := make([]string, len(p.Classes))
	for n, c := range p.Classes {
		parts[n] = fmt.Sprintf("%s %s", c.Class, grouped(c.Count))
	}
	return strings.Join(parts, " · ")
}

func amounts(sums recon.Sums) string {
	parts := make([]string, len(sums))
	for n, s := range sums {
		parts[n] = ledger.FormatMoney(s.Minor, s.Currency)
	}
	return strings.Join(parts, " + ")
}

// grouped prints a count with thousands separators.
func grouped(n int64) string {
	s := strconv.FormatInt(n, 10)
	for at := len(s) - 3; at > 0 && s[at-1] != '-'; at -= 3 {
		s = s[:at] + "," + s[at:]
	}
	return s
}

// short is the start of a digest, enough to tell two apart by eye.
func short(digest string) string { return digest[:min(12, len(digest))] }

// oneLine shows an id that may hold line feeds on one line of a terminal.
func oneLine(s string) string {
	quoted := strconv.Quote(s)
	return quoted[1 : len(quoted)-1]
}

// findings reports whether the run concluded anything that a person has to act on.
func (m made) findings() bool { return len(actionsOf(m.report)) > 0 }

// printJSON prints one indented object.
func printJSON(w io.Writer, v any) error {
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	return encoder.Encode(v)
}
