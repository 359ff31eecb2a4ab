package recon

import (
	"slices"
)

// maxEdges bounds a component whose members differ: beyond it the component is ambiguous as a whole.
const maxEdges = 10_000

// assignment is the outcome of matching the cases and items of one bucket.
type assignment struct {
	pairs     []pair
	ambiguous []candidacy // cases that are not forced
	doubtful  []doubt     // items that one of them may have
	surplus   []*openItem // items that were left over and are not doubtful, in booking order
}

type pair struct {
	c               *openCase
	item            *openItem
	interchangeable bool // another equal pairing exists
}

// candidacy is a case with items that fit it, at most maxCandidates.
type candidacy struct {
	c     *openCase
	items []*openItem
}

// doubt is an item with cases that it fits, at most maxCandidates.
type doubt struct {
	item  *openItem
	cases []*openCase
}

// assigner matches cases to items one to one where fits allows it.
type assigner struct {
	d         *docket
	fits      func(*openCase, *openItem) bool // beside the window, which is always asked
	likeCases func(a, b *openCase) bool       // of one signature: which of them has an item is all the same
	likeItems func(a, b *openItem) bool
	// What is alike may still not fit the same, as entries of two accounts that one attempt names and another doesn't.
	// Where that can be, these tell what fits the same; nil: whatever is alike.
	sameCases func(a, b *openCase) bool
	sameItems func(a, b *openItem) bool
}

// assign matches the cases of a bucket to its items. Per connected component of candidates it takes a maximum
// matching, augmented in order of standing; what is the same in every such matching is forced, the rest is
// ambiguous. Equal cases and equal items pair by time.
func (as assigner) assign(cases []*openCase, items []*openItem) assignment {
	cases, items = slices.Clone(cases), slices.Clone(items)
	slices.SortFunc(cases, proposalOrder)
	slices.SortFunc(items, bookingOrder)
	var result assignment
	switch w := as.windows(cases, items); {
	case !as.uniform(cases, items):
		as.assignMixed(w, &result)
	case len(cases) > 0 && len(items) > 0 && as.fits(cases[0], items[0]):
		w.assign(&result)
	default:
		result.surplus = items
	}
	slices.SortFunc(result.surplus, bookingOrder)
	return result
}

// uniform reports whether all cases are alike and all items are alike, so that only time keeps them apart.
func (as assigner) uniform(cases []*openCase, items []*openItem) bool {
	return !slices.ContainsFunc(cases, func(c *openCase) bool {
		return !as.equalCases(cases[0], c) || (as.sameCases != nil && !as.sameCases(cases[0], c))
	}) && !slices.ContainsFunc(items, func(i *openItem) bool {
		return !as.likeItems(items[0], i) || (as.sameItems != nil && !as.sameItems(items[0], i))
	})
}

func (as assigner) equalCases(a, b *openCase) bool {
	return a.standing == b.standing && as.likeCases(a, b)
}
