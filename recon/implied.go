package recon

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"
)

// impliedPairs yields the clean pairs by the attempt's time and id, fetching entry ids from the books in batches.
func (r *runner) impliedPairs(ctx context.Context, books Books) iter.Seq2[ImpliedPair, error] {
	const batch = 20_000
	return func(yield func(ImpliedPair, error) bool) {
		order := r.impliedOrder()
		for batch := range slices.Chunk(order, batch) {
			if !r.yieldPairs(ctx, books, batch, yield) {
				return
			}
		}
	}
}

// impliedOrder sorts the numbers of the clean slots: four bytes an attempt, so that any number of pairs comes out in
// one order.
func (r *runner) impliedOrder() []int32 {
	var order []int32
	for i := range r.sieve.slots {
		if !r.sieve.slots[i].open {
			order = append(order, int32(i))
		}
	}
	slices.SortFunc(order, func(a, b int32) int {
		x, y := &r.sieve.slots[a], &r.sieve.slots[b]
		return cmp.Or(cmp.Compare(x.proposed, y.proposed), bytes.Compare(r.sieve.idOf(x), r.sieve.idOf(y)))
	})
	return order
}

func (r *runner) yieldPairs(ctx context.Context, books Books, slots []int32, yield func(ImpliedPair, error) bool) bool {
	nos := make([]int64, len(slots))
	for n, i := range slots {
		nos[n] = r.sieve.slots[i].entryNo
	}
	entries, err := books.EntriesByNo(ctx, nos)
	if err != nil {
		yield(ImpliedPair{}, fmt.Errorf("read ledger entries: %w", err))
		return false
	}
	ids := make(map[int64]string, len(entries))
	for n := range entries {
		ids[entries[n].No] = entries[n].ID
	}
	for _, i := range slots {
		at := &r.sieve.slots[i]
		if !yield(r.pairOf(at, ids[at.entryNo]), nil) {
			return false
		}
	}
	return true
}
