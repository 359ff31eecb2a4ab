package report

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"agentrecon/recon"
)

// newRuns shows the chain of runs and what became of every scheduled slot: a night without a run is part of the record.
func newRuns(b *book) *grid {
	g := &grid{sheet: SheetRuns, widths: []float64{20, 14, 14, 20, 20, 18, 24, 20, 22}, heads: 4}
	g.title("Runs", "Which runs were made, and which were due: a missed night hides nothing from the next run, but it is said.", b.runLine())
	g.gap()
	runsMade(b, g)
	slotsDue(b, g)
	g.gap()
	trend(b, g)
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
	g := &grid{sheet: SheetOverrides, widths: []float64{24, 34, 50, 26, 20, 20, 18}, heads: 4}
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
	g.head("File", "SHA-256 (first 16)", "What differs", "Imported by", ">Imported (UTC)")
	failed := b.report.AcceptedProofs()
	for _, f := range failed {
		g.add(b.id(f.Name, lined.wrapped()), words(short(f.SHA256), lined), b.text(f.Proof.Detail, lined.wrapped()), b.id(f.ImportedBy, lined), instant(f.ImportedAt, lined))
	}
	if len(failed) == 0 {
		g.add(words("Nil: every file that has a proof agrees with it", italicLook))
	}
	g.gap()
}

// ruleChanges lists what decided otherwise than in the run before, with both values.
func ruleChanges(b *book, g *grid) {
	g.section("3. Changes of rule set, program and parameters between the last runs, newest first")
	g.head("Run", "What", "Before", "After", "By", ">Recorded (UTC)", ">Items reclassified")
	look := lined.wrapped()
	for _, c := range b.report.RuleChanges {
		g.add(words(fmt.Sprintf("run %d, after run %d", c.Run, c.Before), lined), b.text(c.What, look), b.text(parameterWords(c.Old), look), b.text(parameterWords(c.New), look), b.id(c.By, lined),
			instant(c.At, lined), number(c.Reclassified, lined))
	}
	if len(b.report.RuleChanges) == 0 {
		g.add(words("Nil: one rule set, one program and the same parameters made the last runs", italicLook))
	} else {
		g.add(words("Items reclassified: those that changed their class in that run, whatever moved them; each change since the last run is on Changes with its cause.", italicLook))
	}
}

// parameterWords is a stored parameter as a person reads it: durations without the noise of zero parts, lists and objects
// without the marks of JSON, and a word where there is nothing.
func parameterWords(s string) string {
	if d, err := time.ParseDuration(s); err == nil {
		return spanWords(d)
	}
	if s == "" {
		return "none"
	}
	if !strings.HasPrefix(s, "[") && !strings.HasPrefix(s, "{") {
		return s
	}
	decoder := json.NewDecoder(strings.NewReader(s))
	decoder.UseNumber()
	var v any
	if decoder.Decode(&v) != nil {
		return s
	}
	return valueWords(v)
}

// valueWords is a decoded value of JSON in words.
func valueWords(v any) string {
	var parts []string
	separator := "; "
	switch v := v.(type) {
	case []any:
		for _, element := range v {
			parts = append(parts, valueWords(element))
		}
	case map[string]any:
		separator = ", "
		for _, name := range slices.Sorted(maps.Keys(v)) {
			parts = append(parts, name+": "+valueWords(v[name]))
		}
	case nil:
	default:
		return fmt.Sprint(v)
	}
	if len(parts) == 0 {
		return "none"
	}
	return strings.Join(parts, separator)
}

// trend shows how much was open run by run. A chart helps only once there is a course of time.
func trend(b *book, g *grid) {
	g.section("3. Open items run by run, over everything recorded and not only the period")
	if len(b.report.Trend) == 0 {
		g.add(words("Nil: no run is kept", italicLook))
		return
	}
	names := []string{"Run and as-of date"}
	for _, kind := range recon.TrendKinds {
		names = append(names, ">"+kindName(kind))
	}
	head := g.head(names...)
	for _, t := range b.report.Trend {
		row := []cell{words(fmt.Sprintf("%d, %s", t.RunID, t.AsOf.UTC().Format(time.DateOnly)), lined)}
		for _, k := range t.Open {
			row = append(row, number(k.Count, lined))
		}
		g.add(row...)
	}
	last := g.next() - 1
	g.add(words("Excess entries are counted with their attempts, as mismatches.", italicLook))
	if len(b.report.Trend) < leastTrend {
		return
	}
	c := chart{
		row: head, column: len(names) + 1, width: 470, height: 220, sheet: g.sheet, head: head, first: head + 1, last: last, title: "Open items run by run",
		alt: fmt.Sprintf("Line chart of the table beside it: open items by kind over the last %d runs, a line for each kind.", len(b.report.Trend)),
	}
	for i := range recon.TrendKinds {
		c.columns = append(c.columns, i+2)
	}
	g.charts = append(g.charts, c)
	g.clearCharts()
}

// leastTrend is how many runs make a course of time.
const leastTrend = 3
