package recon

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"
)

// impliedPairs yields the clean pairs by the attempt's time and id.
func (s *sieve) impliedPairs(ctx context.Context, books Books) iter.Seq2[ImpliedPair, error] {
	return s.pairs(ctx, books, func(order []int32) {
		slices.SortFunc(order, func(a, b int32) int {
			x, y := &s.slots[a], &s.slots[b]
			return cmp.Or(cmp.Compare(x.proposed, y.proposed), bytes.Compare(s.idOf(x), s.idOf(y)))
		})
	})
}

// cleanPairs yields the clean pairs in no particular order.
func (s *sieve) cleanPairs(ctx context.Context, books Books) iter.Seq2[ImpliedPair, error] {
	return s.pairs(ctx, books, func([]int32) {})
}

// pairs yields the clean pairs in the order that sort brings their slots into: four bytes an attempt, so that any number
// of pairs comes out in one order.
func (s *sieve) pairs(ctx context.Context, books Books, sort func([]int32)) iter.Seq2[ImpliedPair, error] {
	return func(yield func(ImpliedPair, error) bool) {
		var order []int32
		for i := range s.slots {
			if !s.slots[i].open {
				order = append(order, int32(i))
			}
		}
		ids, err := s.entryIDs(ctx, books, order)
		if err != nil {
			yield(ImpliedPair{}, err)
			return
		}
		sort(order)
		for _, i := range order {
			at := &s.slots[i]
			if !yield(s.pairOf(at, string(ids.of(i))), nil) {
				return
			}
		}
	}
}

// entryIDs are the ids of the entries of clean pairs, by slot.
type entryIDs struct {
	texts  arena
	places []uint32
}

func (ids *entryIDs) of(slot int32) []byte {
	id, _ := ids.texts.text(ids.places[slot])
	return id
}

// entryIDs reads the ids of the entries that the slots have taken. The books know them by number.
func (s *sieve) entryIDs(ctx context.Context, books Books, slots []int32) (*entryIDs, error) {
	ids := &entryIDs{places: make([]uint32, len(s.slots))}
	number := func(i int32) int64 { return s.slots[i].entryNo }
	rest := slices.Clone(slots)
	slices.SortFunc(rest, func(a, b int32) int { return cmp.Compare(number(a), number(b)) })
	if len(rest) == 0 {
		return ids, nil
	}
	for entry, err := range books.EntryIDs(ctx) {
		if err != nil {
			return nil, fmt.Errorf("read ledger entries: %w", err)
		}
		if len(rest) > 0 && number(rest[0]) == entry.No {
			ids.places[rest[0]] = ids.texts.add(entry.ID)
			rest = rest[1:]
		}
	}
	return ids, nil
}
