package recon

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"agentrecon/ledger"
)

// Edge is an attempt on the other side of the period's edge than its payment: proposed in the period and booked
// outside it, or the reverse. It has its class as everything else; the edge only says why the populations of attempts
// and entries differ by it.
type Edge struct {
	Attempt Attempt
	Entry   ledger.Entry // the payment; of several, the first in booking order on its side of the edge
	Tier    Tier
	Class   Class
	Inside  bool // the attempt is in the period, its payment is not
}

// edgePairs are the clean pairs on two sides of the period's edge, by the attempt's time and id. Their entry ids are
// left out: a report fetches the entries in full.
func (r *runner) edgePairs(period ledger.Period) []ImpliedPair {
	var pairs []ImpliedPair
	for i := range r.sieve.slots {
		at := &r.sieve.slots[i]
		if at.open || period.HasInstant(time.UnixMicro(at.proposed)) == period.HasDate(at.bookedOn) {
			continue
		}
		pairs = append(pairs, r.sieve.pairOf(at, ""))
	}
	slices.SortFunc(pairs, comparePairs)
	return pairs
}

func comparePairs(a, b ImpliedPair) int {
	return cmp.Or(a.ProposedAt.Compare(b.ProposedAt), cmp.Compare(a.AttemptID, b.AttemptID))
}

// pairOf is a clean pair for readers outside the engine.
func (s *sieve) pairOf(at *slot, entryID string) ImpliedPair {
	return ImpliedPair{
		AttemptID: string(s.idOf(at)), IDSource: at.source(), EntryID: entryID, EntryNo: at.entryNo, Tier: at.tier(),
		ProposedAt: time.UnixMicro(at.proposed).UTC(), BookedOn: at.bookedOn, Minor: at.minor, Currency: s.currencies[at.currency],
	}
}

// edgesOf are the edges of a result's period, by the attempt's time and id.
func edgesOf(ctx context.Context, books Books, result *Result) ([]Edge, error) {
	edges, err := impliedEdges(ctx, books, result)
	if err != nil {
		return nil, err
	}
	for n := range result.Attempts {
		if edge, crosses := edgeOf(&result.Attempts[n], result.Period); crosses {
			edges = append(edges, edge)
		}
	}
	slices.SortFunc(edges, func(a, b Edge) int {
		return cmp.Or(a.Attempt.ProposedAt.Compare(b.Attempt.ProposedAt), cmp.Compare(a.Attempt.ID, b.Attempt.ID))
	})
	return edges, nil
}

// impliedEdges fetches attempt and entry of the clean pairs that cross.
func impliedEdges(ctx context.Context, books Books, result *Result) ([]Edge, error) {
	if len(result.EdgePairs) == 0 {
		return nil, nil
	}
	byID, byNo := map[string]*ImpliedPair{}, map[int64]ledger.Entry{}
	var ids []string
	var nos []int64
	for n := range result.EdgePairs {
		pair := &result.EdgePairs[n]
		byID[pair.AttemptID] = pair
		ids, nos = append(ids, pair.AttemptID), append(nos, pair.EntryNo)
	}
	entries, err := books.EntriesByNo(ctx, nos)
	if err != nil {
		return nil, fmt.Errorf("read entries at the period's edge: %w", err)
	}
	for n := range entries {
		byNo[entries[n].No] = entries[n]
	}
	cases, err := books.AttemptsByID(ctx, ids)
	if err != nil {
		return nil, fmt.Errorf("read attempts at the period's edge: %w", err)
	}
	edges := make([]Edge, 0, len(cases))
	for n := range cases {
		a := cases[n].Attempt
		pair := byID[a.ID]
		edges = append(edges, Edge{Attempt: a, Entry: byNo[pair.EntryNo], Tier: pair.Tier, Class: Matched, Inside: result.Period.HasInstant(a.ProposedAt)})
	}
	return edges, nil
}

// edgeOf tells whether a finding crosses the edge as the bridge sees it: by the payments that settle it.
func edgeOf(f *AttemptFinding, period ledger.Period) (edge Edge, crosses bool) {
	inside := period.HasInstant(f.Attempt.ProposedAt)
	var outside, booked *Link
	for n := range f.Links {
		switch l := &f.Links[n]; {
		case l.Role != RoleSettles:
		case !period.HasDate(l.Entry.BookedOn):
			outside = cmp.Or(outside, l)
		default:
			booked = cmp.Or(booked, l)
		}
	}
	at := booked
	if inside {
		at = outside
	}
	if at == nil || inside == (booked != nil) {
		return Edge{}, false
	}
	return Edge{Attempt: f.Attempt, Entry: *at.Entry, Tier: at.Tier, Class: f.Class, Inside: inside}, true
}

// flagDerived adds the flags that are worked out for a report and never stored.
func flagDerived(f *AttemptFinding, period ledger.Period) {
	_, crosses := edgeOf(f, period)
	for _, d := range []struct {
		name FlagName
		on   bool
	}{{FlagRedelivered, f.Attempt.Deliveries > 1}, {FlagPeriodEdge, crosses}} {
		has := slices.ContainsFunc(f.Flags, func(flag Flag) bool { return flag.Name == d.name })
		if d.on && !has {
			f.Flags = append(slices.Clone(f.Flags), Flag{Name: d.name})
		}
	}
}
