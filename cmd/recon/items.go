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
func writeItems(ctx context.Context, w io.Writer, result *recon.Result) error {
	items, err := collectItems(ctx, result)
	if err != nil {
		return err
	}
	slices.SortStableFunc(items, func(a, b item) int {
		return cmp.Or(cmp.Compare(a.Population, b.Population), cmp.Compare(a.ID, b.ID))
	})
	out := bufio.NewWriter(w)
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	for n := range items {
		if err := encoder.Encode(&items[n]); err != nil {
			return fmt.Errorf("items: %w", err)
		}
	}
	return out.Flush()
}

func collectItems(ctx context.Context, result *recon.Result) ([]item, error) {
	var items []item
	for n := range result.Attempts {
		f := &result.Attempts[n]
		items = append(items, attemptItem(f))
		if slices.ContainsFunc(f.Outcomes, func(o recon.Outcome) bool { return o.AttemptID == f.Attempt.ID }) {
			items = append(items, outcomeItem(f.Attempt.ID, recon.Joined, f.Attempt.ID, nil))
		}
	}
	for n := range result.Entries {
		items = append(items, entryItem(&result.Entries[n]))
	}
	for n := range result.Outcomes {
		f := &result.Outcomes[n]
		items = append(items, outcomeItem(f.Outcome.AttemptID, f.Class, f.Joined, f.Flags))
	}
	for pair, err := range result.ImpliedPairs(ctx) {
		if err != nil {
			return nil, err
		}
		items = append(items, impliedItems(pair)...)
	}
	return items, nil
}

// impliedItems are the three lines of a clean pair.
func impliedItems(p recon.ImpliedPair) []item {
	flags := []recon.FlagName{}
	if p.IDSource.Degraded() {
		flags = append(flags, recon.FlagDegradedID)
	}
	tier := p.Tier.String()
	return []item{
		newItem(itemAttempts, p.AttemptID, recon.Matched, flags, []itemLink{{EntryID: p.EntryID, Tier: tier}}),
		newItem(itemLedger, p.EntryID, recon.Matched, nil, []itemLink{{AttemptID: p.AttemptID, Tier: tier}}),
		outcomeItem(p.AttemptID, recon.Joined, p.AttemptID, nil),
	}
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
		i.Links = append(i.Links, itemLink{EntryID: l.Entry.ID, Tier: l.Tier.String()})
	}
	for _, e := range f.Candidates {
		i.Candidates = append(i.Candidates, e.ID)
	}
	for _, d := range f.Differences {
		i.Differences = append(i.Differences, itemDifference(d))
	}
	return i
}

func entryItem(f *recon.EntryFinding) item {
	i := newItem(itemLedger, f.Entry.ID, f.Class, flagNamesOf(f.Flags), nil)
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
