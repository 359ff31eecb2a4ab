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
		Bridge: result.Bridge, Accounts: result.Accounts, Outcomes: outcomesIn(result), Coverage: result.Coverage,
		Checks:         slices.Concat(result.Checks, accountChecks(result.Accounts, result.Controls)),
		RecordingSince: result.RecordingSince, Runs: runs,
	}
	for _, f := range result.Attempts {
		switch {
		case result.Period.HasInstant(f.Attempt.ProposedAt) && !impliedMatch(f):
			flagDerived(&f, result.Period)
			r.Attempts = append(r.Attempts, f)
		case startsBefore(result.Period, f.Attempt.ProposedAt) && RollsForward(InfoOf(Attempts, f.Class).Kind):
			r.Earlier.Attempts = append(r.Earlier.Attempts, f)
		}
	}
	for _, f := range result.Entries {
		switch {
		case result.Period.HasDate(f.Entry.BookedOn) && f.Class != Matched:
			r.Entries = append(r.Entries, f)
		case !result.Period.IsZero() && f.Entry.BookedOn < result.Period.From && RollsForward(InfoOf(Entries, f.Class).Kind):
			r.Earlier.Entries = append(r.Earlier.Entries, f)
		}
	}
	for _, f := range result.Outcomes {
		if startsBefore(result.Period, f.Outcome.ObservedAt) && RollsForward(InfoOf(Outcomes, f.Class).Kind) {
			r.Earlier.Outcomes = append(r.Earlier.Outcomes, f)
		}
	}
	for _, attempts := range [][]AttemptFinding{r.Attempts, r.Earlier.Attempts} {
		slices.SortFunc(attempts, compareAttempts)
	}
	for _, entries := range [][]EntryFinding{r.Entries, r.Earlier.Entries} {
		slices.SortFunc(entries, compareEntries)
	}
	pairOffsets(r.Attempts, r.Entries)
	var err error
	if r.Edges, err = edgesOf(ctx, books, result); err != nil {
		return nil, err
	}
	r.Linked = linkedEntries(result, r.Edges)
	if r.Repeats, err = books.Repeats(ctx, result.Period); err != nil {
		return nil, fmt.Errorf("read repeats: %w", err)
	}
	if r.Recording, err = books.Recording(ctx, result.Period); err != nil {
		return nil, fmt.Errorf("read how attempts were recorded: %w", err)
	}
	r.Recording.Quiet = result.Quiet
	if r.Sources, err = books.Sources(ctx); err != nil {
		return nil, fmt.Errorf("read sources: %w", err)
	}
	return r, nil
}

func compareAttempts(a, b AttemptFinding) int {
	return cmp.Or(comparePriority(Attempts, a.Class, b.Class), a.Attempt.ProposedAt.Compare(b.Attempt.ProposedAt), cmp.Compare(a.Attempt.ID, b.Attempt.ID))
}

func compareEntries(a, b EntryFinding) int {
	return cmp.Or(
		comparePriority(Entries, a.Class, b.Class), cmp.Compare(a.Reason, b.Reason), cmp.Compare(a.Entry.BookedOn, b.Entry.BookedOn),
		a.Entry.OccurredAt.Compare(b.Entry.OccurredAt), cmp.Compare(a.Entry.ID, b.Entry.ID), cmp.Compare(a.Entry.No, b.Entry.No),
	)
}

// linkedEntries are the entries of the period that are matched and not listed with an agreed attempt of it: their attempts
// are on other sheets, or belong to another period.
func linkedEntries(result *Result, edges []Edge) []EntryFinding {
	known := map[int64]bool{}
	for n := range result.Attempts {
		if f := &result.Attempts[n]; f.Class == Matched && result.Period.HasInstant(f.Attempt.ProposedAt) {
			for _, l := range f.Links {
				known[l.Entry.No] = known[l.Entry.No] || l.Role == RoleSettles
			}
		}
	}
	var linked []EntryFinding
	for _, f := range result.Entries {
		if !known[f.Entry.No] && f.Class == Matched && result.Period.HasDate(f.Entry.BookedOn) {
			linked = append(linked, f)
		}
		known[f.Entry.No] = true
	}
	for n := range edges {
		if e := &edges[n]; !e.Inside && !known[e.Entry.No] {
			linked = append(linked, EntryFinding{Entry: e.Entry, Class: Matched, Tier: e.Tier, Attempts: []string{e.Attempt.ID}})
		}
	}
	slices.SortFunc(linked, compareEntries)
	return linked
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
