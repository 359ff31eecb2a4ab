package recon

import (
	"slices"
	"time"
)

// maxEdges bounds a component whose members differ: beyond it the component is ambiguous as a whole.
const maxEdges = 10_000

// assignment is the outcome of matching the cases and items of one bucket.
type assignment struct {
	pairs     []pair
	ambiguous []candidacy // cases that are not forced, with everything that fits them
	surplus   []*openItem // items that were left over and are not ambiguous, in booking order
}

type pair struct {
	c               *openCase
	item            *openItem
	interchangeable bool // another equal pairing exists
}

type candidacy struct {
	c     *openCase
	items []*openItem
}

// assigner matches cases to items one to one where fits allows it.
type assigner struct {
	d         *docket
	fits      func(*openCase, *openItem) bool // beside the window, which is always asked
	likeCases func(a, b *openCase) bool
	likeItems func(a, b *openItem) bool
}

// assign matches the cases of a bucket to its items. Per connected component of candidates it takes a maximum
// matching, augmented in order of standing; what is the same in every such matching is forced, the rest is
// ambiguous. Equal cases and equal items pair by time.
func (as assigner) assign(cases []*openCase, items []*openItem) assignment {
	cases, items = slices.Clone(cases), slices.Clone(items)
	slices.SortFunc(cases, proposalOrder)
	slices.SortFunc(items, bookingOrder)
	var result assignment
	if as.uniform(cases, items) && fitsAll(as, cases, items) {
		for _, run := range as.overlaps(cases, items) {
			as.assignUniform(run.cases, run.items, &result)
		}
	} else {
		for _, run := range as.overlaps(cases, items) {
			as.assignMixed(run.cases, run.items, &result)
		}
	}
	slices.SortFunc(result.surplus, bookingOrder)
	return result
}

// uniform reports whether all cases are alike, all items are alike, and both are ordered in time at either end, so
// that what fits a case is a range of items and ranges move forward.
func (as assigner) uniform(cases []*openCase, items []*openItem) bool {
	for i := 1; i < len(cases); i++ {
		if !as.likeCases(cases[0], cases[i]) || cases[0].standing != cases[i].standing {
			return false
		}
	}
	for i := 1; i < len(items); i++ {
		if !as.likeItems(items[0], items[i]) || items[i].end.Before(items[i-1].end) {
			return false
		}
	}
	return true
}

// fitsAll asks once for all: alike cases and items fit alike.
func fitsAll(as assigner, cases []*openCase, items []*openItem) bool {
	return len(cases) > 0 && len(items) > 0 && as.fits(cases[0], items[0])
}

// overlap is a run of cases and items that are connected through time.
type overlap struct {
	cases []*openCase
	items []*openItem
}

// overlaps cuts sorted cases and items where no window reaches across.
func (as assigner) overlaps(cases []*openCase, items []*openItem) []overlap {
	var runs []overlap
	i := 0
	for c := 0; c < len(cases); {
		var run overlap
		reach := as.d.policy.windowEnd(cases[c].Attempt.ProposedAt)
		for i < len(items) && items[i].before(as.d.policy.windowStart(cases[c].Attempt.ProposedAt)) {
			run.items = append(run.items, items[i])
			i++
		}
		for c < len(cases) && as.d.policy.windowStart(cases[c].Attempt.ProposedAt).Before(reach) {
			run.cases = append(run.cases, cases[c])
			reach = as.d.policy.windowEnd(cases[c].Attempt.ProposedAt)
			c++
		}
		for i < len(items) && items[i].start.Before(reach) {
			run.items = append(run.items, items[i])
			i++
		}
		runs = append(runs, run)
	}
	if n := len(runs); n > 0 {
		runs[n-1].items = append(runs[n-1].items, items[i:]...)
	}
	return runs
}

// assignUniform pairs alike cases and items in the order of time. The earliest free item goes to the earliest case,
// which is a maximum matching where ranges move forward.
func (as assigner) assignUniform(cases []*openCase, items []*openItem, result *assignment) {
	partner := make([]int, len(cases)) // item of a case, -1 = none
	holder := make([]int, len(items))  // case of an item, -1 = none
	for i := range holder {
		holder[i] = -1
	}
	next := 0
	for c := range cases {
		partner[c] = -1
		for next < len(items) && items[next].before(as.d.policy.windowStart(cases[c].Attempt.ProposedAt)) {
			next++
		}
		if next < len(items) && as.d.inWindow(cases[c], items[next]) {
			partner[c], holder[next] = next, c
			next++
		}
	}
	ranges := as.ranges(cases, items)
	loose, looseItems := looseFrom(partner, holder, ranges)
	for c := range cases {
		switch {
		case loose[c]:
			result.ambiguous = append(result.ambiguous, candidacy{cases[c], items[ranges[c][0]:ranges[c][1]]})
		case partner[c] >= 0:
			result.pairs = append(result.pairs, pair{cases[c], items[partner[c]], swaps(c, partner, holder, ranges)})
		}
	}
	for i := range items {
		if holder[i] < 0 && !looseItems[i] {
			result.surplus = append(result.surplus, items[i])
		}
	}
}

// ranges are the items that each case's window meets, as [from, to).
func (as assigner) ranges(cases []*openCase, items []*openItem) [][2]int {
	ranges := make([][2]int, len(cases))
	from, to := 0, 0
	for c := range cases {
		start, end := as.d.policy.windowStart(cases[c].Attempt.ProposedAt), as.d.policy.windowEnd(cases[c].Attempt.ProposedAt)
		for from < len(items) && items[from].before(start) {
			from++
		}
		to = max(to, from)
		for to < len(items) && items[to].start.Before(end) {
			to++
		}
		ranges[c] = [2]int{from, to}
	}
	return ranges
}

// looseFrom marks the cases that some other maximum matching leaves out, and the items on the way: from every case
// without a partner, along what fits it to the holders of that, and on. Each item is visited once.
func looseFrom(partner, holder []int, ranges [][2]int) (loose, looseItems []bool) {
	loose, looseItems = make([]bool, len(partner)), make([]bool, len(holder))
	skip := make([]int, len(holder)+1) // next unvisited item at or after, with path halving
	for i := range skip {
		skip[i] = i
	}
	find := func(i int) int {
		for skip[i] != i {
			skip[i] = skip[skip[i]]
			i = skip[i]
		}
		return i
	}
	for c := range partner {
		if partner[c] >= 0 || ranges[c][0] == ranges[c][1] {
			continue
		}
		queue := []int{c}
		loose[c] = true
		for len(queue) > 0 {
			at := queue[0]
			queue = queue[1:]
			for i := find(ranges[at][0]); i < ranges[at][1]; i = find(i) {
				skip[i] = i + 1
				looseItems[i] = true
				if h := holder[i]; h >= 0 && !loose[h] {
					loose[h] = true
					queue = append(queue, h)
				}
			}
		}
	}
	return loose, looseItems
}

// swaps reports whether a paired case could trade its item with a neighbour.
func swaps(c int, partner, holder []int, ranges [][2]int) bool {
	own := partner[c]
	inRange := func(c, i int) bool { return ranges[c][0] <= i && i < ranges[c][1] }
	for _, step := range [2]int{-1, 1} {
		for i := own + step; i >= 0 && i < len(holder) && inRange(c, i); i += step {
			if holder[i] < 0 {
				continue
			}
			return inRange(holder[i], own)
		}
	}
	return false
}

// assignMixed matches a bucket whose members differ, component by component.
func (as assigner) assignMixed(cases []*openCase, items []*openItem, result *assignment) {
	if as.tooMany(cases, items) {
		ranges := as.ranges(cases, items)
		for c := range cases {
			if from, to := ranges[c][0], ranges[c][1]; from < to {
				result.ambiguous = append(result.ambiguous, candidacy{cases[c], items[from:to]})
			}
		}
		return
	}
	g := as.graph(cases, items)
	for _, component := range g.components() {
		if component.edges > maxEdges {
			for _, c := range component.cases {
				result.ambiguous = append(result.ambiguous, candidacy{cases[c], g.itemsOf(c)})
			}
			continue
		}
		g.match(component)
		g.pairByTime(component)
		as.conclude(g, component, result)
	}
	for i, item := range items {
		if len(g.fitting[i]) == 0 {
			result.surplus = append(result.surplus, item)
		}
	}
}

// tooMany reports whether a run has so many pairs within reach of each other that looking at each would cost more
// than it could decide: with unequal members such a run is ambiguous as a whole anyway.
func (as assigner) tooMany(cases []*openCase, items []*openItem) bool {
	const most = 100 * maxEdges
	n := 0
	for _, r := range as.ranges(cases, items) {
		if n += r[1] - r[0]; n > most {
			return true
		}
	}
	return false
}

// bipartite holds what fits what in one bucket, by index.
type bipartite struct {
	as      assigner
	cases   []*openCase
	items   []*openItem
	fits    [][]int // items that fit a case, in booking order
	fitting [][]int // cases that an item fits
	partner []int   // item of a case
	holder  []int   // case of an item
}

type component struct {
	cases, items []int
	edges        int
}

func (as assigner) graph(cases []*openCase, items []*openItem) *bipartite {
	g := &bipartite{
		as: as, cases: cases, items: items, fits: make([][]int, len(cases)), fitting: make([][]int, len(items)),
		partner: make([]int, len(cases)), holder: make([]int, len(items)),
	}
	for i := range g.holder {
		g.holder[i] = -1
	}
	// A day may end after items that start later, so the lower bound looks back over the longest item.
	longest := time.Duration(0)
	for _, item := range items {
		longest = max(longest, item.end.Sub(item.start))
	}
	from := 0
	for c := range cases {
		g.partner[c] = -1
		start := as.d.policy.windowStart(cases[c].Attempt.ProposedAt)
		for from < len(items) && items[from].start.Add(longest).Before(start) {
			from++
		}
		end := as.d.policy.windowEnd(cases[c].Attempt.ProposedAt)
		for i := from; i < len(items) && items[i].start.Before(end); i++ {
			if as.d.inWindow(cases[c], items[i]) && as.fits(cases[c], items[i]) {
				g.fits[c] = append(g.fits[c], i)
				g.fitting[i] = append(g.fitting[i], c)
			}
		}
	}
	return g
}

func (g *bipartite) itemsOf(c int) []*openItem {
	fits := make([]*openItem, len(g.fits[c]))
	for n, i := range g.fits[c] {
		fits[n] = g.items[i]
	}
	return fits
}

// components are the connected parts of the graph that have an edge, by their first case.
func (g *bipartite) components() []component {
	var all []component
	seenCase, seenItem := make([]bool, len(g.cases)), make([]bool, len(g.items))
	for first := range g.cases {
		if seenCase[first] || len(g.fits[first]) == 0 {
			continue
		}
		seenCase[first] = true
		part := component{cases: []int{first}}
		for n := 0; n < len(part.cases); n++ {
			c := part.cases[n]
			part.edges += len(g.fits[c])
			for _, i := range g.fits[c] {
				if seenItem[i] {
					continue
				}
				seenItem[i] = true
				part.items = append(part.items, i)
				for _, other := range g.fitting[i] {
					if !seenCase[other] {
						seenCase[other] = true
						part.cases = append(part.cases, other)
					}
				}
			}
		}
		slices.Sort(part.cases)
		slices.Sort(part.items)
		all = append(all, part)
	}
	return all
}

// match takes a maximum matching: cases look for an item in order of standing, then time, and those already matched
// move over where they can (Kuhn). Serving the better standing first never lowers the size.
func (g *bipartite) match(part component) {
	order := slices.Clone(part.cases)
	slices.SortStableFunc(order, func(a, b int) int { return int(g.cases[a].standing) - int(g.cases[b].standing) })
	for _, c := range order {
		g.augment(c, map[int]bool{})
	}
}

func (g *bipartite) augment(c int, tried map[int]bool) bool {
	for _, i := range g.fits[c] {
		if tried[i] {
			continue
		}
		tried[i] = true
		if g.holder[i] < 0 || g.augment(g.holder[i], tried) {
			g.partner[c], g.holder[i] = i, c
			return true
		}
	}
	return false
}

// pairByTime trades partners among alike cases or alike items until earlier goes with earlier, and moves a case to an
// earlier alike item that is free.
func (g *bipartite) pairByTime(part component) {
	for changed := true; changed; {
		changed = false
		for _, c := range part.cases {
			own := g.partner[c]
			if own < 0 {
				continue
			}
			for _, i := range g.fits[c] {
				if i >= own {
					break
				}
				other := g.holder[i]
				switch {
				case other < 0 && g.as.likeItems(g.items[i], g.items[own]):
					g.partner[c], g.holder[i], g.holder[own] = i, c, -1
				case other > c && slices.Contains(g.fits[other], own) && g.alikePair(c, other, own, i):
					g.partner[c], g.holder[i] = i, c
					g.partner[other], g.holder[own] = own, other
				default:
					continue
				}
				changed = true
				break
			}
		}
	}
}

func (g *bipartite) alikePair(c, other, own, i int) bool {
	return g.as.likeItems(g.items[i], g.items[own]) ||
		(g.as.likeCases(g.cases[c], g.cases[other]) && g.cases[c].standing == g.cases[other].standing)
}

// conclude sorts a matched component into forced pairs, ambiguous cases and surplus items.
func (as assigner) conclude(g *bipartite, part component, result *assignment) {
	loose := g.loose(part)
	ambiguousItem := map[int]bool{}
	for _, c := range part.cases {
		if loose[c] {
			result.ambiguous = append(result.ambiguous, candidacy{g.cases[c], g.itemsOf(c)})
			for _, i := range g.fits[c] {
				ambiguousItem[i] = true
			}
		}
	}
	for _, c := range part.cases {
		if i := g.partner[c]; i >= 0 && !loose[c] {
			delete(ambiguousItem, i)
			result.pairs = append(result.pairs, pair{g.cases[c], g.items[i], g.tradable(c)})
		}
	}
	for _, i := range part.items {
		if h := g.holder[i]; h < 0 && !ambiguousItem[i] {
			result.surplus = append(result.surplus, g.items[i])
		}
	}
}

// loose marks the cases whose fate or partner differs between maximum matchings of the same standing.
func (g *bipartite) loose(part component) map[int]bool {
	loose := map[int]bool{}
	for _, c := range part.cases {
		if g.partner[c] < 0 {
			g.looseFromCase(c, loose)
		}
	}
	for _, i := range part.items {
		if g.holder[i] < 0 {
			g.looseFromItem(i, loose)
		}
	}
	g.looseByCycle(part, loose)
	return loose
}

// looseFromCase follows alternating paths from an unmatched case: whoever of the same standing they reach could be
// left out in its place, and all on the way would change partners.
func (g *bipartite) looseFromCase(from int, loose map[int]bool) {
	came := map[int]int{} // case → the case before it on the path
	queue := []int{from}
	came[from] = -1
	for n := 0; n < len(queue); n++ {
		for _, i := range g.fits[queue[n]] {
			h := g.holder[i]
			if _, seen := came[h]; h < 0 || seen {
				continue
			}
			came[h] = queue[n]
			queue = append(queue, h)
		}
	}
	for _, c := range queue[1:] {
		if g.cases[c].standing != g.cases[from].standing {
			continue
		}
		loose[c], loose[from] = true, true
		for at := came[c]; at >= 0 && at != from; at = came[at] {
			// It keeps an item either way; what matters is whether that item is another one.
			if !g.as.likeItems(g.items[g.partner[at]], g.items[g.partner[g.nextOn(came, c, at)]]) {
				loose[at] = true
			}
		}
	}
}

// nextOn is the case after at on the path to c.
func (g *bipartite) nextOn(came map[int]int, c, at int) int {
	for came[c] != at {
		c = came[c]
	}
	return c
}

// looseFromItem follows alternating paths from an unmatched item: a case on the way could take it instead.
func (g *bipartite) looseFromItem(from int, loose map[int]bool) {
	seen := map[int]bool{from: true}
	queue := []int{from}
	for n := 0; n < len(queue); n++ {
		for _, c := range g.fitting[queue[n]] {
			own := g.partner[c]
			if own < 0 {
				continue // the matching would not be maximum
			}
			if !g.as.likeItems(g.items[own], g.items[queue[n]]) {
				loose[c] = true
			}
			if !seen[own] {
				seen[own] = true
				queue = append(queue, own)
			}
		}
	}
}

// looseByCycle marks cases that can trade along a cycle for an item that is not alike, with a case that is not alike.
func (g *bipartite) looseByCycle(part component, loose map[int]bool) {
	for _, c := range part.cases {
		own := g.partner[c]
		if own < 0 {
			continue
		}
		for _, i := range g.fits[c] {
			h := g.holder[i]
			if i == own || h < 0 || g.alikePair(c, h, own, i) {
				continue
			}
			if g.reaches(h, c) {
				loose[c], loose[h] = true, true
			}
		}
	}
}

// reaches reports whether a case could, along an alternating path, end up with the item of another.
func (g *bipartite) reaches(from, to int) bool {
	seen := map[int]bool{from: true}
	queue := []int{from}
	for n := 0; n < len(queue); n++ {
		if queue[n] == to {
			return true
		}
		for _, i := range g.fits[queue[n]] {
			if h := g.holder[i]; h >= 0 && !seen[h] {
				seen[h] = true
				queue = append(queue, h)
			}
		}
	}
	return false
}

// tradable reports whether a forced case could trade its item for an alike one of another case, or with an alike case.
func (g *bipartite) tradable(c int) bool {
	own := g.partner[c]
	for _, i := range g.fits[c] {
		if h := g.holder[i]; i != own && h >= 0 && slices.Contains(g.fits[h], own) {
			return true
		}
	}
	return false
}
