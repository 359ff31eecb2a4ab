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
	pairs, err := cleanPairs(ctx, result, books)
	if err != nil {
		return err
	}
	out := &itemWriter{w: bufio.NewWriterSize(w, 1<<16)}
	// The populations come in the order of their names; each merges what was judged with what is clean.
	byAttempt := pairs.sorted(pairs.attempt)
	merge(out, judgedAttempts(result), byAttempt, pairs.attempt, pairs.attemptLine)
	merge(out, judgedEntries(result), pairs.sorted(pairs.entry), pairs.entry, pairs.entryLine)
	merge(out, judgedOutcomes(result), byAttempt, pairs.attempt, pairs.outcomeLine)
	if out.err == nil {
		out.err = out.w.Flush()
	}
	if out.err != nil {
		return fmt.Errorf("%w: %w", out.err, report.ErrCannotWrite)
	}
	return nil
}

// itemWriter writes lines until one cannot be written.
type itemWriter struct {
	w    *bufio.Writer
	line []byte // reused
	err  error
}

func (out *itemWriter) write(line []byte) {
	out.line = line
	if out.err == nil {
		_, out.err = out.w.Write(line)
	}
}

// judged is what was judged of one population: the ids, sorted, and the item of each, which is made when it is written.
type judged struct {
	ids  []string
	item func(n int) item
}

// merge writes what was judged and what is clean in the order of their ids.
func merge(out *itemWriter, judged judged, clean []uint32, id func(uint32) []byte, line func([]byte, uint32) []byte) {
	encoder := json.NewEncoder(out.w)
	encoder.SetEscapeHTML(false)
	for n := range judged.ids {
		for len(clean) > 0 && string(id(clean[0])) < judged.ids[n] {
			out.write(line(out.line[:0], clean[0]))
			clean = clean[1:]
		}
		if i := judged.item(n); out.err == nil {
			out.err = encoder.Encode(&i)
		}
	}
	for _, n := range clean {
		out.write(line(out.line[:0], n))
	}
}

// judgedAttempts are in the order of their ids already.
func judgedAttempts(result *recon.Result) judged {
	ids := make([]string, len(result.Attempts))
	for n := range result.Attempts {
		ids[n] = result.Attempts[n].Attempt.ID
	}
	return judged{ids, func(n int) item { return attemptItem(&result.Attempts[n]) }}
}

// judgedEntries go by the ids that their sources print.
func judgedEntries(result *recon.Result) judged {
	sorted := make([]*recon.EntryFinding, len(result.Entries))
	for n := range result.Entries {
		sorted[n] = &result.Entries[n]
	}
	slices.SortStableFunc(sorted, func(a, b *recon.EntryFinding) int { return cmp.Compare(a.Entry.SourceID(), b.Entry.SourceID()) })
	ids := make([]string, len(sorted))
	for n, f := range sorted {
		ids[n] = f.Entry.SourceID()
	}
	return judged{ids, func(n int) item { return entryItem(sorted[n]) }}
}

// judgedOutcomes are those of judged attempts, and those that are not joined by their own id.
func judgedOutcomes(result *recon.Result) judged {
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
	ids := make([]string, len(items))
	for n := range items {
		ids[n] = items[n].ID
	}
	return judged{ids, func(n int) item { return items[n] }}
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
