package recon

import (
	"context"
	"errors"
	"iter"
	"slices"
	"strings"

	"agentrecon/ledger"
)

// AgreedPair is an attempt that is agreed to ledger, with what it is agreed to.
type AgreedPair struct {
	ImpliedPair
	Flags []Flag // of an attempt that was judged and found agreed; clean pairs have none
	// Entries is how many entries of the period it stands for: none where it was booked outside, where another attempt of the
	// same batch stands for it, or where the entry is listed for a part without an attempt; several where it was split.
	Entries int
}

// ErrNoPairs means that a result was made without a way to list its clean pairs.
var ErrNoPairs = errors.New("the clean pairs of this result cannot be listed")

// AgreedPairs yields every attempt of the result's period that is agreed to ledger, clean by implication or judged, by
// the attempt's time and id: the full population of the class. The books are the run's, or another view of the same.
// The entry id of an attempt that several entries settle names them all.
func AgreedPairs(ctx context.Context, result *Result, books Books) iter.Seq2[AgreedPair, error] {
	return func(yield func(AgreedPair, error) bool) {
		if result.ImpliedPairsFrom == nil {
			yield(AgreedPair{}, ErrNoPairs)
			return
		}
		judged := judgedPairs(result)
		for pair, err := range result.ImpliedPairsFrom(ctx, books) {
			if err != nil {
				yield(AgreedPair{}, err)
				return
			}
			if !result.Period.HasInstant(pair.ProposedAt) {
				continue
			}
			for len(judged) > 0 && comparePairs(judged[0].ImpliedPair, pair) < 0 {
				if !yield(judged[0], nil) {
					return
				}
				judged = judged[1:]
			}
			if !yield(AgreedPair{ImpliedPair: pair, Entries: within(result.Period, pair.BookedOn)}, nil) {
				return
			}
		}
		for _, pair := range judged {
			if !yield(pair, nil) {
				return
			}
		}
	}
}

// within is 1 for a booking in the period, else 0.
func within(p ledger.Period, booked ledger.Date) int {
	if p.HasDate(booked) {
		return 1
	}
	return 0
}

// judgedPairs are the attempts of the period that were judged in full and are agreed.
func judgedPairs(result *Result) []AgreedPair {
	counted := map[int64]bool{} // entries that are listed, or that stand with another attempt
	for n := range result.Entries {
		counted[result.Entries[n].Entry.No] = result.Entries[n].Class != Matched
	}
	var pairs []AgreedPair
	for n := range result.Attempts {
		f := &result.Attempts[n]
		if f.Class != Matched || !result.Period.HasInstant(f.Attempt.ProposedAt) {
			continue
		}
		pair := AgreedPair{Flags: f.Flags, ImpliedPair: ImpliedPair{
			AttemptID: f.Attempt.ID, IDSource: f.Attempt.IDSource, ProposedAt: f.Attempt.ProposedAt, Minor: f.Attempt.Minor, Currency: f.Attempt.Currency,
		}}
		var ids []string
		for _, l := range f.Links {
			if l.Role != RoleSettles {
				continue
			}
			if !counted[l.Entry.No] {
				counted[l.Entry.No] = true
				pair.Entries += within(result.Period, l.Entry.BookedOn)
			}
			if ids = append(ids, l.Entry.ID); len(ids) == 1 {
				pair.EntryNo, pair.Tier, pair.BookedOn = l.Entry.No, l.Tier, l.Entry.BookedOn
			}
		}
		pair.EntryID = strings.Join(ids, ", ")
		pairs = append(pairs, pair)
	}
	slices.SortFunc(pairs, func(a, b AgreedPair) int { return comparePairs(a.ImpliedPair, b.ImpliedPair) })
	return pairs
}
