package report

import (
	"fmt"

	"agentrecon/ledger"
	"agentrecon/recon"
)

// newRuns shows the chain of runs and what became of every scheduled slot: a night without a run is part of the record.
func newRuns(b *book) *grid {
	g := &grid{sheet: SheetRuns, widths: []float64{20, 14, 14, 20, 20, 18, 24, 20, 22}, heads: 4}
	g.title("Runs", "Which runs were made, and which were due: a missed night hides nothing from the next run, but it is said.", b.runLine())
	g.gap()
	runsMade(b, g)
	slotsDue(b, g)
	return g
}

func runsMade(b *book, g *grid) {
	g.section("1. Last runs, newest first; each digest chains to the one before")
	g.head(">Run", "Kind", ">Rule set", ">As of (UTC)", ">Recorded (UTC)", "By", "Program", "Slot", "Digest (first 16)")
	for i := range b.report.Runs {
		r := &b.report.Runs[i]
		g.add(cell{value: r.ID, style: lined.as(formatInteger)}, words(r.Kind, lined), b.id(r.RuleSet, lined.right()), instant(r.AsOf, lined),
			instant(r.RecordedAt, lined), b.id(r.RecordedBy, lined), b.id(r.Program, lined), b.id(r.Slot, lined), words(short(r.Digest), lined))
	}
	if len(b.report.Runs) == 0 {
		g.add(words("Nil: no earlier run", italicLook))
	}
	g.gap()
}

// slotStates are the states of slots in the order in which they are counted.
var slotStates = []string{"ran", "missed", "failed", "claimed"}

func slotsDue(b *book, g *grid) {
	slots := b.report.Slots
	g.section("2. Scheduled slots due when this run was recorded, newest first")
	if len(slots) == 0 {
		g.add(words("Nil: no schedule, or nothing was due", italicLook))
		return
	}
	countRow := g.next()
	for range slotStates {
		g.add()
	}
	g.gap()
	g.head("Slot", "State", ">Tries", ">Due (UTC)", ">Run", "Detail")
	first := g.next()
	for i := range slots {
		s := &slots[i]
		run := blank(lined)
		if s.RunID > 0 {
			run = number(s.RunID, lined)
		}
		g.add(b.id(s.Slot, lined), words(s.State, lined), number(int64(s.Tries), lined), instant(s.DueAt, lined), run, b.text(s.Detail, lined.wrapped()))
	}
	for i, state := range slotStates {
		n := int64(0)
		for k := range slots {
			if slots[k].State == state {
				n++
			}
		}
		f := figure{expr: fmt.Sprintf("COUNTIF($B$%d:$B$%d,%s)", first, g.next()-1, literal(state)), n: n}
		g.rows[countRow-1+i] = []cell{words(state, labelLook), f.count(lined)}
	}
}

// newOverrides shows what was accepted against the rules, and every change of the rules themselves.
func newOverrides(b *book) *grid {
	g := &grid{sheet: SheetOverrides, widths: []float64{24, 40, 60, 20, 20, 20}, heads: 4}
	g.title("Overrides", "What somebody accepted against the rules, and every change of rules or program between runs.", b.runLine())
	g.gap()
	g.section("1. Accepted against the rules, oldest first")
	g.head("Kind", "Subject", "Reason", "Decided by", ">Decided (UTC)")
	for _, o := range b.report.Overrides {
		g.add(b.id(o.Kind, lined), b.id(o.Subject, lined.wrapped()), b.text(o.Reason, lined.wrapped()), b.id(o.DecidedBy, lined), instant(o.DecidedAt, lined))
	}
	if len(b.report.Overrides) == 0 {
		g.add(words("Nil: nothing was accepted against the rules", italicLook))
	}
	g.gap()
	failedProofs(b, g)
	ruleChanges(b, g)
	return g
}

// failedProofs name the files that contradict themselves and were imported all the same.
func failedProofs(b *book, g *grid) {
	g.section("2. Files imported although their own proof fails")
	g.head("File", "SHA-256", "What differs", "Imported by", ">Imported (UTC)")
	found := false
	for i := range b.report.Sources {
		f := &b.report.Sources[i]
		if f.Proof.State != ledger.ProofFailed {
			continue
		}
		found = true
		g.add(b.id(f.Name, lined.wrapped()), b.id(f.SHA256, hashLook), b.text(f.Proof.Detail, lined.wrapped()), b.id(f.ImportedBy, lined), instant(f.ImportedAt, lined))
	}
	if !found {
		g.add(words("Nil: every file that has a proof agrees with it", italicLook))
	}
	g.gap()
}

// ruleChanges compare each listed run with the one before it.
func ruleChanges(b *book, g *grid) {
	g.section("3. Rule changes between the runs listed on Runs")
	g.head("Between", "Before", "After", "Recorded by", ">Recorded (UTC)")
	found := false
	for i := 0; i+1 < len(b.report.Runs); i++ {
		after, before := &b.report.Runs[i], &b.report.Runs[i+1]
		if after.RuleSet == before.RuleSet && after.Program == before.Program {
			continue
		}
		found = true
		says := func(r *recon.RunInfo) string {
			return fmt.Sprintf("rule set %s, program %s", show(r.RuleSet, false), show(r.Program, false))
		}
		g.add(words(fmt.Sprintf("runs %d and %d", before.ID, after.ID), lined), words(says(before), lined.wrapped()), words(says(after), lined.wrapped()),
			b.id(after.RecordedBy, lined), instant(after.RecordedAt, lined))
	}
	if !found {
		g.add(words("Nil: one rule set and one program made every listed run", italicLook))
	}
	g.gap()
	moved := 0
	for _, base := range b.report.Baselines {
		for _, c := range base.Changes {
			if base.Against == recon.BaselineLast && c.Cause == "rules or policy changed" {
				moved++
			}
		}
	}
	g.add(words("Items reclassified", labelLook), number(int64(moved), lined), words("by rules or policy alone since the last run; each is on Changes", lined))
}
