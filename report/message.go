package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"agentrecon/ledger"
	"agentrecon/recon"
)

// acting is a class on which somebody has to act.
type acting struct {
	population recon.Population
	info       recon.ClassInfo
	tally      recon.Tally
	first      string // its first item as shown
}

// actingClasses lists the classes to act on, most pressing first. Excess entries are shown with their attempts.
func actingClasses(r *recon.Report) []acting {
	var all []acting
	for _, p := range []struct {
		population recon.Population
		totals     recon.PopulationTotals
	}{{recon.Attempts, r.Totals.Attempts}, {recon.Entries, r.Totals.Entries}, {recon.Outcomes, r.Totals.Outcomes}} {
		for _, t := range p.totals.Classes {
			info := recon.InfoOf(p.population, t.Class)
			if slices.Contains(recon.Priorities[:3], info.Priority) && t.Class != recon.ExcessSettlement && t.Count > 0 {
				all = append(all, acting{p.population, info, t.Tally, firstOf(r, p.population, t.Class)})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b acting) int {
		return cmp.Compare(slices.Index(recon.Priorities, a.info.Priority), slices.Index(recon.Priorities, b.info.Priority))
	})
	return all
}

// firstOf is the first item of a class, as listed.
func firstOf(r *recon.Report, p recon.Population, class recon.Class) string {
	switch p {
	case recon.Attempts:
		for i := range r.Attempts {
			if r.Attempts[i].Class == class {
				return show(r.Attempts[i].Attempt.ID, false)
			}
		}
	case recon.Entries:
		for i := range r.Entries {
			if r.Entries[i].Class == class {
				return show(r.Entries[i].Entry.ID, false)
			}
		}
	case recon.Outcomes:
		for i := range r.Outcomes {
			if r.Outcomes[i].Class == class {
				return show(r.Outcomes[i].Outcome.AttemptID, false)
			}
		}
	}
	return "none"
}

// breakLines adds up net and gross by currency.
func breakLines(b *book) (net, gross string, items int) {
	var nets, grosses []string
	for _, c := range b.currencies() {
		s := b.breaksOf(c)
		items += s.items
		if s.count == 0 && s.net == 0 && s.gross == 0 {
			continue
		}
		nets = append(nets, fmt.Sprintf("%s and %s", signedEntries(s.count), moneyWords(s.net, c)))
		grosses = append(grosses, moneyWords(s.gross, c))
	}
	if items == 0 {
		return "no difference", "0", 0
	}
	return strings.Join(nets, "; ") + " (not agreement: an excess and a shortfall cancel out)", strings.Join(grosses, ", "), items
}

// signedEntries counts entries that are too many or too few.
func signedEntries(n int64) string {
	if n == 1 || n == -1 {
		return signedCount(n) + " entry"
	}
	return signedCount(n) + " entries"
}

// sumWords prints sums by currency within a line.
func sumWords(sums recon.Sums) string {
	if len(sums) == 0 {
		return "no value"
	}
	parts := make([]string, len(sums))
	for i, s := range sums {
		parts[i] = moneyWords(s.Minor, s.Currency)
	}
	return strings.Join(parts, ", ")
}

// maxActing is how many classes the message names; the rest is counted.
const maxActing = 3

// Message is the nightly message as text: at most twelve lines for a console or an e-mail, without account numbers or
// payees. file is the workbook's path and hash, empty if none was written.
func Message(r *recon.Report, sum Summary, file string) string {
	b := &book{report: r, index: newIndex(r)}
	b.lists = b.makeLists()
	net, gross, breaks := breakLines(b)
	classes := actingClasses(r)
	var toAct int64
	for _, c := range classes {
		toAct += c.tally.Count
	}
	lines := []string{
		fmt.Sprintf("%s to act on; %s between attempts and ledger, gross %s", items(int(toAct), "item"), items(breaks, "difference"), gross),
		fmt.Sprintf("%s, %s, as of %s; %s; %s", stateShort(r, sum.State), r.Period, clock(r.Run.AsOf), tiesShort(r), coverageShort(r)),
	}
	for _, c := range classes[:min(len(classes), maxActing)] {
		lines = append(lines, fmt.Sprintf("%s: %s %s, %s; first %s. %s", priorityWord(c.info.Priority), grouped(c.tally.Count), c.info.Class,
			sumWords(c.tally.Minor), cut(c.first), c.info.DoNext))
	}
	if more := len(classes) - maxActing; more > 0 {
		var rest int64
		for _, c := range classes[maxActing:] {
			rest += c.tally.Count
		}
		lines[len(lines)-1] += fmt.Sprintf(" (and %s more with %s)", classCount(more), items(int(rest), "item"))
	}
	lines = append(lines,
		causesShort(r),
		zeroLine(r),
		"net: "+net,
		sinceLast(r),
		decisionsShort(r),
		overridesShort(r),
	)
	if file == "" {
		file = "no workbook"
	}
	return strings.Join(append(lines, file+"; "+chainShort(r)), "\n") + "\n"
}

// chainShort says what binds the report: the evidence, and the head of the chain of runs where the run is in it.
func chainShort(r *recon.Report) string {
	switch {
	case !recorded(r):
		return "the run is not recorded, for the last one judged by a later moment"
	case r.FilesOnly:
		return fmt.Sprintf("evidence %s; nothing is kept", short(r.Run.EvidenceDigest))
	default:
		return fmt.Sprintf("evidence %s; head of the chain: run %d, %s", short(r.Run.EvidenceDigest), r.Run.ID, short(r.Run.Digest))
	}
}

func classCount(n int) string {
	if n == 1 {
		return "1 class"
	}
	return fmt.Sprintf("%d classes", n)
}

// stateShort is the state, with what no later clause of its line would say.
func stateShort(r *recon.Report, s State) string {
	if failed := failedWords(r); s == DoNotRely && failed != "" {
		return fmt.Sprintf("%s (%s)", s, failed)
	}
	return string(s)
}

// tiesShort says whether the tie-outs of the run agree.
func tiesShort(r *recon.Report) string {
	differ := 0
	for _, c := range r.Checks {
		if !c.OK() {
			differ++
		}
	}
	if differ > 0 {
		return fmt.Sprintf("%d of %d tie-outs %s", differ, len(r.Checks), strings.ToUpper(differWord(differ)))
	}
	return fmt.Sprintf("all %d tie-outs agree", len(r.Checks))
}

// coverageShort says whether statements cover everything, and what they lack: days, or attempts whose days or account no
// statement covers although its own days have no gap.
func coverageShort(r *recon.Report) string {
	gaps, missed := coverageGaps(r), settledAs(r, recon.NotCovered)
	var lacks []string
	switch {
	case len(r.Coverage) == 0:
		lacks = append(lacks, "no statement says which days it covers")
	case len(gaps) > 0:
		lacks = append(lacks, "coverage has "+items(len(gaps), "gap"))
	}
	switch {
	case missed > 0:
		lacks = append(lacks, "no statement covers "+items(missed, "attempt"))
	case len(lacks) == 0 && slices.ContainsFunc(r.Coverage, func(c ledger.Coverage) bool { return c.Inferred }):
		return "coverage complete (inferred)" // no statement says so; the first and last booked day do
	case len(lacks) == 0:
		return "coverage complete"
	}
	return strings.Join(lacks, " and ")
}

func causesShort(r *recon.Report) string {
	var parts []string
	for _, c := range r.Totals.Causes {
		parts = append(parts, fmt.Sprintf("%s %s", c.Cause, grouped(c.Count)))
	}
	if len(parts) == 0 {
		return "no attempt is unresolved"
	}
	return "evidence points to: " + strings.Join(parts, ", ")
}

// zeroLine says of what matters most that there is none, or how much there is.
func zeroLine(r *recon.Report) string {
	return fmt.Sprintf("entries without an attempt %s, outcomes without an attempt %s, timing %s, not concluded %s, open from earlier periods %s",
		grouped(r.Totals.Entries.ClassCount(recon.UnattemptedMovement)), grouped(r.Totals.Outcomes.ClassCount(recon.OrphanOutcome)),
		grouped(r.Totals.CountKind(recon.Attempts, recon.Timing)), grouped(r.Totals.CountKind(recon.Attempts, recon.NotConcluded)),
		grouped(int64(len(openEarlier(r)))))
}

func sinceLast(r *recon.Report) string {
	for i := range r.Baselines {
		base := &r.Baselines[i]
		if base.Against != recon.BaselineLast {
			continue
		}
		if base.None != "" {
			return "since last night: " + base.None
		}
		var parts []string
		for _, k := range recon.ChangeKinds {
			n := 0
			for _, c := range base.Changes {
				if c.Kind == k {
					n++
				}
			}
			parts = append(parts, fmt.Sprintf("%s %d", k, n))
		}
		return fmt.Sprintf("since run %d: %s", base.Run.ID, strings.Join(parts, ", "))
	}
	switch {
	case r.FilesOnly:
		return "since last night: nothing to compare with, for nothing is kept of a run over files"
	case !recorded(r):
		return "since last night: not compared, for the run is not recorded"
	default:
		return "since last night: no earlier run is kept"
	}
}

// decisionsShort leads with what waits for somebody: decisions past their due date whose item is still open for action, and
// those that nobody has approved yet.
func decisionsShort(r *recon.Report) string {
	overdue, awaiting, approved, underWay, reopened := 0, 0, 0, 0, 0
	for i := range r.Dispositions {
		d := &r.Dispositions[i]
		if d.Overdue(ledger.DateOf(r.Run.AsOf, zoneOf(r))) {
			overdue++
		}
		switch {
		case d.Reopened:
			reopened++
		case d.Approved():
			approved++
		case d.AwaitsApproval():
			awaiting++
		default:
			underWay++
		}
	}
	return fmt.Sprintf("decisions: overdue %d, awaiting approval %d; approved %d, under way %d, reopened %d", overdue, awaiting, approved, underWay, reopened)
}

func overridesShort(r *recon.Report) string {
	states := map[string]int{}
	for _, s := range r.Slots {
		states[s.State]++
	}
	return fmt.Sprintf("rule set %s; overrides %d, failed proofs accepted %d; nights missed %d, failed %d",
		show(r.Run.RuleSet, false), len(r.Overrides), len(r.AcceptedProofs()), states["missed"], states["failed"])
}
