package recon

import (
	"cmp"
	"context"
	"fmt"
	"slices"
)

// NewReport compiles what a workbook shows of a recorded run: the findings of the result's period, in the order in
// which a person should look at them. The books are those the run read.
func NewReport(ctx context.Context, books Books, result *Result, run RunInfo, entity string, runs []RunInfo) (*Report, error) {
	r := &Report{
		Run: run, Period: result.Period, Entity: entity, Policy: result.Policy, Totals: result.Totals, Controls: result.Controls,
		Bridge: result.Bridge, Checks: result.Checks, Outcomes: outcomesIn(result), Coverage: result.Coverage,
		RecordingSince: result.RecordingSince, Runs: runs,
	}
	for _, f := range result.Attempts {
		if result.Period.HasInstant(f.Attempt.ProposedAt) && !impliedMatch(f) {
			flagDerived(&f, result.Period)
			r.Attempts = append(r.Attempts, f)
		}
	}
	for _, f := range result.Entries {
		if result.Period.HasDate(f.Entry.BookedOn) && f.Class != Matched {
			r.Entries = append(r.Entries, f)
		}
	}
	slices.SortFunc(r.Attempts, func(a, b AttemptFinding) int {
		return cmp.Or(comparePriority(Attempts, a.Class, b.Class), a.Attempt.ProposedAt.Compare(b.Attempt.ProposedAt), cmp.Compare(a.Attempt.ID, b.Attempt.ID))
	})
	slices.SortFunc(r.Entries, func(a, b EntryFinding) int {
		return cmp.Or(
			comparePriority(Entries, a.Class, b.Class), cmp.Compare(a.Reason, b.Reason), cmp.Compare(a.Entry.BookedOn, b.Entry.BookedOn),
			a.Entry.OccurredAt.Compare(b.Entry.OccurredAt), cmp.Compare(a.Entry.ID, b.Entry.ID), cmp.Compare(a.Entry.No, b.Entry.No),
		)
	})
	pairOffsets(r.Attempts, r.Entries)
	var err error
	if r.Edges, err = edgesOf(ctx, books, result); err != nil {
		return nil, err
	}
	if r.Repeats, err = books.Repeats(ctx, result.Period); err != nil {
		return nil, fmt.Errorf("read repeats: %w", err)
	}
	if r.Sources, err = books.Sources(ctx); err != nil {
		return nil, fmt.Errorf("read sources: %w", err)
	}
	return r, nil
}

// impliedMatch reports whether a finding says no more than that the attempt is agreed: it was judged for what it
// touches, and the lists of a report leave it out.
func impliedMatch(f AttemptFinding) bool {
	return f.Class == Matched && !slices.ContainsFunc(f.Flags, func(flag Flag) bool { return flag.Name != FlagDegradedID })
}

func outcomesIn(result *Result) []OutcomeFinding {
	var kept []OutcomeFinding
	for _, f := range result.Outcomes {
		if f.Class == Joined || result.Period.HasInstant(f.Outcome.ObservedAt) {
			kept = append(kept, f)
		}
	}
	return kept
}

// comparePriority orders classes by priority, then as they are documented.
func comparePriority(p Population, a, b Class) int {
	place := func(c Class) int {
		return slices.IndexFunc(ClassesOf(p), func(info ClassInfo) bool { return info.Class == c })
	}
	urgency := func(c Class) int { return slices.Index(Priorities, InfoOf(p, c).Priority) }
	return cmp.Or(cmp.Compare(urgency(a), urgency(b)), cmp.Compare(place(a), place(b)))
}
