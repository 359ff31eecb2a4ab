package recon_test

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"pgregory.net/rapid"

	"agentrecon/ledger"
	"agentrecon/recon"
)

// items prints a result, one line an item, clean pairs included, sorted by population and id. The format is that of
// the scenarios (fixtures/scenarios/README.md).
func items(t rapid.TB, result *recon.Result) []string {
	t.Helper()
	var attempts, entries []string
	for n := range result.Attempts {
		attempts = append(attempts, attemptLine(&result.Attempts[n]))
	}
	for n := range result.Entries {
		entries = append(entries, entryLine(&result.Entries[n]))
	}
	for pair, err := range result.ImpliedPairs(context.Background()) {
		if err != nil {
			t.Fatal(err)
		}
		f := recon.AttemptFinding{
			Attempt: recon.Attempt{ID: pair.AttemptID}, Class: recon.Matched, Rule: "settled × succeeded",
			Links: []recon.Link{{Entry: &ledger.Entry{ID: pair.EntryID}, Tier: pair.Tier, Role: recon.RoleSettles}},
		}
		if pair.IDSource.Degraded() {
			f.Flags = []recon.Flag{{Name: recon.FlagDegradedID}}
		}
		attempts = append(attempts, attemptLine(&f))
		entries = append(entries, entryLine(&recon.EntryFinding{
			Entry: ledger.Entry{ID: pair.EntryID}, Class: recon.Matched, Attempts: []string{pair.AttemptID}, Tier: pair.Tier,
		}))
	}
	slices.SortFunc(attempts, byID)
	slices.SortFunc(entries, byID)
	lines := slices.Concat(attempts, entries)
	for _, f := range result.Outcomes {
		line := fmt.Sprintf("outcome %s: %s", f.Outcome.AttemptID, f.Class)
		if f.Joined != "" {
			line += " to " + f.Joined
		}
		lines = append(lines, line+flagsText(f.Flags))
	}
	for _, m := range result.Marks {
		lines = append(lines, "mark    "+m.AttemptID)
	}
	for _, o := range result.Superseded {
		lines = append(lines, fmt.Sprintf("superseded %s: %s", o.AttemptID, o.Status))
	}
	return lines
}

// byID orders lines by the id in them, and equal ids by the rest.
func byID(a, b string) int {
	id := func(line string) string { return strings.TrimSuffix(strings.Fields(line)[1], ":") }
	return cmp.Or(strings.Compare(id(a), id(b)), strings.Compare(a, b))
}

func attemptLine(f *recon.AttemptFinding) string {
	var b strings.Builder
	fmt.Fprintf(&b, "attempt %s: %s (%s)", f.Attempt.ID, f.Class, f.Rule)
	for _, l := range f.Links {
		fmt.Fprintf(&b, ", %s %s by %s", l.Role, l.Entry.ID, l.Tier)
	}
	if len(f.Candidates) > 0 {
		b.WriteString(", candidates")
		for _, e := range f.Candidates {
			b.WriteString(" " + e.ID)
		}
	}
	for _, d := range f.Differences {
		fmt.Fprintf(&b, ", %s %q ≠ %q", d.Field, d.Attempt, d.Ledger)
		if d.Delta != 0 {
			fmt.Fprintf(&b, " Δ%+d", d.Delta)
		}
	}
	b.WriteString(flagsText(f.Flags))
	if f.Cause != recon.NoCause {
		fmt.Fprintf(&b, ", because %s", f.Cause)
	}
	return b.String()
}

func entryLine(f *recon.EntryFinding) string {
	line := fmt.Sprintf("entry   %s: %s", f.Entry.ID, f.Class)
	if f.Reason != "" {
		line += " (" + f.Reason + ")"
	}
	if len(f.Attempts) > 0 {
		line += ", of " + strings.Join(f.Attempts, " ")
	}
	if f.Tier != recon.NoTier {
		line += " by " + f.Tier.String()
	}
	return line + flagsText(f.Flags)
}

func flagsText(flags []recon.Flag) string {
	var b strings.Builder
	for _, flag := range flags {
		b.WriteString(" [" + string(flag.Name))
		if flag.Of != "" {
			b.WriteString(" of " + flag.Of)
		}
		b.WriteString("]")
	}
	return b.String()
}
