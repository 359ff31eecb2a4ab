package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"agentrecon/recon"
	"agentrecon/report"
)

// item is one line of the items file: an attempt, an outcome or an entry, with what the run concluded of it.
type item struct {
	Population  string           `json:"population"`
	ID          string           `json:"id"`
	Class       recon.Class      `json:"class"`
	Flags       []recon.FlagName `json:"flags"`
	Links       []itemLink       `json:"links"`
	Differences []itemDifference `json:"differences"`
	Cause       recon.Cause      `json:"cause"`
	Candidates  []string         `json:"candidates,omitempty"` // of an ambiguous item
	Reason      string           `json:"reason,omitempty"`     // of an entry that is not reconciled
}

type itemLink struct {
	EntryID   string `json:"entry_id,omitempty"`
	AttemptID string `json:"attempt_id,omitempty"`
	Tier      string `json:"tier,omitempty"`
}

type itemDifference struct {
	Field   string `json:"field"`
	Attempt string `json:"attempt"`
	Ledger  string `json:"ledger"`
	Delta   int64  `json:"delta"` // ledger − attempt in minor units, outflow positive
}

// Names of the populations in the items file, as in the JSON summary.
const (
	itemAttempts = "attempts"
	itemLedger   = "ledger"
	itemOutcomes = "outcomes"
)

// writeItems writes one line for every attempt, entry and outcome, sorted by population and id, so that any run can
// be compared with any other, or with an answer key, by diff.
func writeItems(ctx context.Context, w io.Writer, result *recon.Result, books recon.Books) error {
	pairs, err := impliedPairs(ctx, result, books)
	if err != nil {
		return err
	}
	out := bufio.NewWriterSize(w, 1<<16)
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	var failed error
	write := func(i item) {
		if failed == nil {
			failed = encoder.Encode(&i)
		}
	}
	// The populations come in the order of their names; each merges what was judged with what is implied.
	slices.SortFunc(pairs, func(a, b recon.ImpliedPair) int { return cmp.Compare(a.AttemptID, b.AttemptID) })
	merge(result.Attempts, pairs,
		func(f *recon.AttemptFinding) string { return f.Attempt.ID }, func(p *recon.ImpliedPair) string { return p.AttemptID },
		func(f *recon.AttemptFinding) { write(attemptItem(f)) }, func(p *recon.ImpliedPair) { write(impliedAttempt(p)) })
	merge(bySourceID(result.Entries), byEntryID(pairs),
		func(f **recon.EntryFinding) string { return (*f).Entry.SourceID() }, func(p **recon.ImpliedPair) string { return (*p).EntryID },
		func(f **recon.EntryFinding) { write(entryItem(*f)) }, func(p **recon.ImpliedPair) { write(impliedEntry(*p)) })
	merge(judgedOutcomes(result), pairs,
		func(i *item) string { return i.ID }, func(p *recon.ImpliedPair) string { return p.AttemptID },
		func(i *item) { write(*i) }, func(p *recon.ImpliedPair) { write(outcomeItem(p.AttemptID, recon.Joined, p.AttemptID, nil)) })
	if failed != nil {
		return fmt.Errorf("items: %w", failed)
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("%w: %w", err, report.ErrCannotWrite)
	}
	return nil
}

// bySourceID sorts findings by the ids that their sources print.
func bySourceID(findings []recon.EntryFinding) []*recon.EntryFinding {
	sorted := make([]*recon.EntryFinding, len(findings))
	for n := range findings {
		sorted[n] = &findings[n]
	}
	slices.SortStableFunc(sorted, func(a, b *recon.EntryFinding) int { return cmp.Compare(a.Entry.SourceID(), b.Entry.SourceID()) })
	return sorted
}

// byEntryID sorts clean pairs by the ids of their entries.
func byEntryID(pairs []recon.ImpliedPair) []*recon.ImpliedPair {
	sorted := make([]*recon.ImpliedPair, len(pairs))
	for n := range pairs {
		sorted[n] = &pairs[n]
	}
	slices.SortFunc(sorted, func(a, b *recon.ImpliedPair) int { return cmp.Compare(a.EntryID, b.EntryID) })
	return sorted
}

// merge visits two lists, each sorted by id, in the order of their ids.
func merge[A, B any](as []A, bs []B, idA func(*A) string, idB func(*B) string, visitA func(*A), visitB func(*B)) {
	a, b := 0, 0
	for a < len(as) || b < len(bs) {
		if b == len(bs) || (a < len(as) && idA(&as[a]) <= idB(&bs[b])) {
			visitA(&as[a])
			a++
		} else {
			visitB(&bs[b])
			b++
		}
	}
}

func impliedPairs(ctx context.Context, result *recon.Result, books recon.Books) ([]recon.ImpliedPair, error) {
	// No more pairs are clean than attempts agree, and the list may be millions long.
	pairs := make([]recon.ImpliedPair, 0, result.WholeTotals.Attempts.ClassCount(recon.Matched))
	for pair, err := range result.ImpliedPairsFrom(ctx, books) {
		if err != nil {
			return nil, err
		}
		pairs = append(pairs, pair)
	}
	return pairs, nil
}

// judgedOutcomes are the items of outcomes that are not implied, by id.
func judgedOutcomes(result *recon.Result) []item {
	var items []item
	for n := range result.Attempts {
		f := &result.Attempts[n]
		if slices.ContainsFunc(f.Outcomes, func(o recon.Outcome) bool { return o.AttemptID == f.Attempt.ID }) {
			items = append(items, outcomeItem(f.Attempt.ID, recon.Joined, f.Attempt.ID, nil))
		}
	}
	for n := range result.Outcomes {
		f := &result.Outcomes[n]
		items = append(items, outcomeItem(f.Outcome.AttemptID, f.Class, f.Joined, f.Flags))
	}
	slices.SortStableFunc(items, func(a, b item) int { return cmp.Compare(a.ID, b.ID) })
	return items
}

// impliedAttempt and impliedEntry are the two sides of a clean pair.
func impliedAttempt(p *recon.ImpliedPair) item {
	var flags []recon.FlagName
	if p.IDSource.Degraded() {
		flags = append(flags, recon.FlagDegradedID)
	}
	return newItem(itemAttempts, p.AttemptID, recon.Matched, flags, []itemLink{{EntryID: p.EntryID, Tier: p.Tier.String()}})
}

func impliedEntry(p *recon.ImpliedPair) item {
	return newItem(itemLedger, p.EntryID, recon.Matched, nil, []itemLink{{AttemptID: p.AttemptID, Tier: p.Tier.String()}})
}

// newItem is an item whose lists are never null.
func newItem(population, id string, class recon.Class, flags []recon.FlagName, links []itemLink) item {
	return item{
		Population: population, ID: id, Class: class, Differences: []itemDifference{},
		Flags: append([]recon.FlagName{}, flags...), Links: append([]itemLink{}, links...),
	}
}

func attemptItem(f *recon.AttemptFinding) item {
	i := newItem(itemAttempts, f.Attempt.ID, f.Class, flagNamesOf(f.Flags), nil)
	i.Cause = f.Cause
	for _, l := range f.Links {
		i.Links = append(i.Links, itemLink{EntryID: l.Entry.SourceID(), Tier: l.Tier.String()})
	}
	for _, e := range f.Candidates {
		i.Candidates = append(i.Candidates, e.SourceID())
	}
	for _, d := range f.Differences {
		i.Differences = append(i.Differences, itemDifference(d))
	}
	return i
}

func entryItem(f *recon.EntryFinding) item {
	i := newItem(itemLedger, f.Entry.SourceID(), f.Class, flagNamesOf(f.Flags), nil)
	i.Reason = f.Reason
	if f.Class == recon.Ambiguous {
		i.Candidates = f.Attempts
		return i
	}
	for _, id := range f.Attempts {
		i.Links = append(i.Links, itemLink{AttemptID: id, Tier: f.Tier.String()})
	}
	return i
}

func outcomeItem(id string, class recon.Class, attempt string, flags []recon.Flag) item {
	var links []itemLink
	if attempt != "" {
		links = append(links, itemLink{AttemptID: attempt})
	}
	return newItem(itemOutcomes, id, class, flagNamesOf(flags), links)
}

func flagNamesOf(flags []recon.Flag) []recon.FlagName {
	names := make([]recon.FlagName, len(flags))
	for n, f := range flags {
		names[n] = f.Name
	}
	return slices.Compact(names)
}
