package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"agentrecon/ledger"
	"agentrecon/recon"
)

func explainCommand(p *program) *cli.Command {
	return &cli.Command{
		Name: "explain", ArgsUsage: "ID",
		Usage: "print everything known of an attempt, outcome or entry, in time order, with the rule that decided",
		Flags: concat(
			[]cli.Flag{&cli.StringFlag{Name: flagAsOf, DefaultText: "now", Usage: "judge as of this instant"}}, policyFlags(),
		),
		Action: func(c *cli.Context) error { return explainItem(c, p) },
	}
}

func explainItem(c *cli.Context, p *program) error {
	id := c.Args().First()
	if id == "" || c.NArg() > 1 {
		return usagef("explain needs one ID: of an attempt, of an entry, or a provider's reference")
	}
	policy, err := policyOf(c)
	if err != nil {
		return err
	}
	asOf, err := asOfOf(c)
	if err != nil {
		return err
	}
	if asOf.IsZero() {
		asOf = p.now()
	}
	db, closeDB, err := openDatabase(c, p)
	if err != nil {
		return err
	}
	defer closeDB()
	view, err := db.View(c.Context)
	if err != nil {
		return err
	}
	defer view.Close(context.WithoutCancel(c.Context))
	result, err := recon.Run(c.Context, view, recon.Request{AsOf: asOf, Policy: policy})
	if err != nil {
		return err
	}
	account, err := accountOf(c.Context, view, result, id)
	if err != nil {
		return err
	}
	if c.Bool(flagJSON) {
		return printJSON(p.stdout, account.json())
	}
	_, err = fmt.Fprint(p.stdout, account.text())
	return err
}

// account is everything known of one item.
type account struct {
	id       string
	lines    []accountLine // in time order
	attempts []recon.AttemptFinding
	entries  []recon.EntryFinding
	orphan   *recon.OutcomeFinding
	implied  bool
}

type accountLine struct {
	at   time.Time
	text string
}

// accountOf collects what is known of an id.
func accountOf(ctx context.Context, books recon.Books, result *recon.Result, id string) (*account, error) {
	a := &account{id: id}
	if err := a.find(ctx, books, result); err != nil {
		return nil, err
	}
	if len(a.attempts) == 0 && len(a.entries) == 0 && a.orphan == nil {
		return nil, fmt.Errorf("nothing recorded has the id %q: neither an attempt nor an entry nor an outcome", id)
	}
	repeats, err := books.Repeats(ctx, result.Period)
	if err != nil {
		return nil, err
	}
	for n := range a.attempts {
		if err := a.chronicle(ctx, books, &a.attempts[n], repeats); err != nil {
			return nil, err
		}
	}
	for n := range a.entries {
		a.entryLine(&a.entries[n].Entry)
	}
	slices.SortStableFunc(a.lines, func(x, y accountLine) int { return cmp.Or(x.at.Compare(y.at), cmp.Compare(x.text, y.text)) })
	a.lines = slices.Compact(a.lines)
	return a, nil
}

// find looks the id up among findings first, then among the clean pairs.
func (a *account) find(ctx context.Context, books recon.Books, result *recon.Result) error {
	for _, f := range result.Entries {
		if f.Entry.ID == a.id || f.Entry.ProviderID == a.id {
			a.entries = append(a.entries, f)
		}
	}
	for _, f := range result.Attempts {
		linked := slices.ContainsFunc(f.Links, func(l recon.Link) bool { return l.Entry.ID == a.id || l.Entry.ProviderID == a.id })
		if f.Attempt.ID == a.id || linked {
			a.attempts = append(a.attempts, f)
		}
	}
	for n := range result.Outcomes {
		if result.Outcomes[n].Outcome.AttemptID == a.id {
			a.orphan = &result.Outcomes[n]
		}
	}
	if len(a.attempts) > 0 || len(a.entries) > 0 {
		return nil
	}
	for pair, err := range result.ImpliedPairs(ctx) {
		if err != nil {
			return err
		}
		if pair.AttemptID == a.id || pair.EntryID == a.id {
			return a.addImplied(ctx, books, pair)
		}
	}
	return nil
}

// addImplied spells out what a clean pair implies.
func (a *account) addImplied(ctx context.Context, books recon.Books, pair recon.ImpliedPair) error {
	cases, err := books.AttemptsByID(ctx, []string{pair.AttemptID})
	if err != nil || len(cases) == 0 {
		return err
	}
	entries, err := books.EntriesByNo(ctx, []int64{pair.EntryNo})
	if err != nil || len(entries) == 0 {
		return err
	}
	a.implied = true
	evidence := recon.Evidence{Outcome: recon.SaysSucceeded, Settlement: recon.Settled}
	class, rule := recon.Classify(evidence)
	a.attempts = []recon.AttemptFinding{{
		Attempt: cases[0].Attempt, Outcomes: cases[0].Outcomes, Class: class, Evidence: evidence, Rule: rule,
		Links: []recon.Link{{Entry: &entries[0], Tier: pair.Tier, Role: recon.RoleSettles}},
	}}
	return nil
}

// chronicle adds what happened to an attempt.
func (a *account) chronicle(ctx context.Context, books recon.Books, f *recon.AttemptFinding, repeats []recon.Repeat) error {
	at := &f.Attempt
	a.add(at.ProposedAt, "attempt %s: %s to %s, reference %q, session %s, id by %s", oneLine(at.ID), ledger.FormatMoney(at.Minor, at.Currency),
		orNone(at.DestAccount), at.Reference, orNone(oneLine(at.SessionID)), at.IDSource)
	for _, r := range repeats {
		if r.Attempt.ID == at.ID {
			a.add(r.ReceivedAt, "delivery %d of the same call, %s after the first", r.Nth, r.After)
		}
	}
	for _, o := range f.Outcomes {
		text := fmt.Sprintf("outcome %s", o.Status)
		if o.ProviderRef != "" {
			text += ", provider reference " + oneLine(o.ProviderRef)
		}
		if o.Error != "" {
			text += ", error " + oneLine(o.Error)
		}
		a.add(o.ObservedAt, "%s", text)
	}
	if !at.MarkedAt.IsZero() {
		a.add(at.MarkedAt, "marked unknown by run %d", at.MarkRun)
	}
	for _, l := range f.Links {
		a.entryLine(l.Entry)
	}
	sessions, err := books.Sessions(ctx, []string{at.SessionID})
	if err != nil {
		return err
	}
	for _, s := range sessions {
		for _, e := range s.Events {
			a.add(e.At, "session %s %s", oneLine(e.SessionID), e.Event)
		}
	}
	return nil
}

func (a *account) entryLine(e *ledger.Entry) {
	at := e.OccurredAt
	if at.IsZero() {
		at = e.BookedOn.Time()
	}
	a.add(at, "entry %s, %s: %s of %s, booked on %s, to %s, at %s:%d", oneLine(e.ID), e.Status, e.Kind,
		ledger.FormatMoney(e.Outflow(), e.Currency), e.BookedOn, orNone(e.CounterpartyAccount), e.File, e.Line)
}

func (a *account) add(at time.Time, format string, args ...any) {
	a.lines = append(a.lines, accountLine{at, fmt.Sprintf(format, args...)})
}

func orNone(s string) string {
	if s == "" {
		return "(none)"
	}
	return s
}

// text is the account for a person.
func (a *account) text() string {
	var b strings.Builder
	for _, line := range a.lines {
		fmt.Fprintf(&b, "%s  %s\n", line.at.UTC().Format("2006-01-02T15:04:05.000Z"), line.text)
	}
	for n := range a.attempts {
		writeDecision(&b, &a.attempts[n])
	}
	for _, f := range a.entries {
		fmt.Fprintf(&b, "\nentry %s is %s", oneLine(f.Entry.ID), f.Class)
		if f.Reason != "" {
			fmt.Fprintf(&b, " (%s)", f.Reason)
		}
		fmt.Fprintf(&b, ": %s\n", recon.InfoOf(recon.Entries, f.Class).Meaning)
	}
	if a.orphan != nil {
		fmt.Fprintf(&b, "\noutcome of %s (%s) is %s: %s\n", oneLine(a.orphan.Outcome.AttemptID), a.orphan.Outcome.Status, a.orphan.Class,
			recon.InfoOf(recon.Outcomes, a.orphan.Class).Meaning)
	}
	if a.implied {
		b.WriteString("\nclean: nothing of it is stored; being recorded and in no finding is its record\n")
	}
	return b.String()
}

// writeDecision says what was concluded of an attempt, and from what.
func writeDecision(b *strings.Builder, f *recon.AttemptFinding) {
	info := recon.InfoOf(recon.Attempts, f.Class)
	fmt.Fprintf(b, "\nattempt %s is %s: %s\n", oneLine(f.Attempt.ID), f.Class, info.Meaning)
	fmt.Fprintf(b, "  rule         %s (rule set %s)\n", f.Rule, recon.RuleSet)
	for _, l := range f.Links {
		fmt.Fprintf(b, "  link         %s %s, by %s\n", oneLine(l.Entry.ID), l.Role, l.Tier)
	}
	for _, d := range f.Differences {
		fmt.Fprintf(b, "  differs      %s: attempt %s, ledger %s\n", d.Field, d.Attempt, d.Ledger)
	}
	for _, e := range f.Candidates {
		fmt.Fprintf(b, "  candidate    %s, %s\n", oneLine(e.ID), ledger.FormatMoney(e.Outflow(), e.Currency))
	}
	for _, flag := range f.Flags {
		fmt.Fprintf(b, "  flag         %s %s\n", flag.Name, oneLine(flag.Of))
	}
	if f.Cause != recon.NoCause {
		fmt.Fprintf(b, "  points to    %s (%s)\n", f.Cause, f.CauseDetail)
	}
	fmt.Fprintf(b, "  do next      %s\n", info.DoNext)
}

// json is the account for machines.
func (a *account) json() ordered {
	events := []ordered{}
	for _, line := range a.lines {
		events = append(events, ordered{{"at", line.at.UTC().Format(time.RFC3339Nano)}, {"what", line.text}})
	}
	items := []item{}
	for n := range a.attempts {
		items = append(items, attemptItem(&a.attempts[n]))
	}
	for n := range a.entries {
		items = append(items, entryItem(&a.entries[n]))
	}
	if a.orphan != nil {
		items = append(items, outcomeItem(a.orphan.Outcome.AttemptID, a.orphan.Class, a.orphan.Joined, a.orphan.Flags))
	}
	rules := []string{}
	for n := range a.attempts {
		rules = append(rules, a.attempts[n].Rule)
	}
	return ordered{{"id", a.id}, {"events", events}, {"items", items}, {"rules", rules}, {"implied", a.implied}}
}
