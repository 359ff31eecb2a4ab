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
func (r *runner) impliedPairs(ctx context.Context, books Books) iter.Seq2[ImpliedPair, error] {
	return r.pairs(ctx, books, func(order []int32) {
		slices.SortFunc(order, func(a, b int32) int {
			x, y := &r.sieve.slots[a], &r.sieve.slots[b]
			return cmp.Or(cmp.Compare(x.proposed, y.proposed), bytes.Compare(r.sieve.idOf(x), r.sieve.idOf(y)))
		})
	})
}

// cleanPairs yields the clean pairs in no particular order.
func (r *runner) cleanPairs(ctx context.Context, books Books) iter.Seq2[ImpliedPair, error] {
	return r.pairs(ctx, books, func([]int32) {})
}

// pairs yields the clean pairs in the order that sort brings their slots into: four bytes an attempt, so that any number
// of pairs comes out in one order.
func (r *runner) pairs(ctx context.Context, books Books, sort func([]int32)) iter.Seq2[ImpliedPair, error] {
	return func(yield func(ImpliedPair, error) bool) {
		var order []int32
		for i := range r.sieve.slots {
			if !r.sieve.slots[i].open {
				order = append(order, int32(i))
			}
		}
		ids, err := r.entryIDs(ctx, books, order)
		if err != nil {
			yield(ImpliedPair{}, err)
			return
		}
		sort(order)
		for _, i := range order {
			at := &r.sieve.slots[i]
			if !yield(r.pairOf(at, string(ids.of(i))), nil) {
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
func (r *runner) entryIDs(ctx context.Context, books Books, slots []int32) (*entryIDs, error) {
	ids := &entryIDs{places: make([]uint32, len(r.sieve.slots))}
	number := func(i int32) int64 { return r.sieve.slots[i].entryNo }
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
