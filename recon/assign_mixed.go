package recon

import "slices"

// maxMeetings bounds how many meetings of cases and items are looked at in one bucket.
const maxMeetings = 100 * maxEdges

// assignMixed matches a bucket whose members differ, component by component.
func (as assigner) assignMixed(w windows, result *assignment) {
	meetings := 0
	for _, r := range w.ranges {
		meetings += max(0, r.to-r.from)
	}
	if meetings > maxMeetings {
		as.giveUp(w, result)
		return
	}
	g := as.graph(w)
	for _, part := range g.components() {
		if part.edges > maxEdges {
			g.conclude(part, func(int) bool { return true }, result)
			continue
		}
		g.match(part)
		g.pairByTime(part)
		loose := g.loose(part)
		g.conclude(part, func(c int) bool { return loose[c] }, result)
	}
	for i, item := range g.items {
		if len(g.fitting[i]) == 0 {
			result.surplus = append(result.surplus, item)
		}
	}
}

// giveUp calls whatever meets ambiguous: members differ, and there are more meetings than can be looked at.
func (as assigner) giveUp(w windows, result *assignment) {
	met := w.met()
	low := 0
	var doubted []int
	for c := range w.cases {
		for low < len(w.items) && w.ranges[low].to <= c {
			low++
		}
		if met[c] {
			doubted = append(doubted, c)
			result.ambiguous = append(result.ambiguous, candidacy{w.cases[c], w.meeting(c, low)})
		}
	}
	for i, item := range w.items {
		if w.ranges[i].from < w.ranges[i].to {
			result.doubtful = append(result.doubtful, doubt{item, w.metBy(i, doubted)})
		} else {
			result.surplus = append(result.surplus, item)
		}
	}
}

// bipartite holds what fits what in one bucket, by index.
type bipartite struct {
	as      assigner
	cases   []*openCase
	items   []*openItem
	fits    [][]int // items that fit a case, in booking order
	fitting [][]int // cases that an item fits
	partner []int   // item of a case, -1 = none
	holder  []int   // case of an item, -1 = none
	tried   []int   // the walk that last visited an item
	walk    int
}

func (as assigner) graph(w windows) *bipartite {
	g := &bipartite{
		as: as, cases: w.cases, items: w.items, fits: make([][]int, len(w.cases)), fitting: make([][]int, len(w.items)),
		partner: noneOf(len(w.cases)), holder: noneOf(len(w.items)), tried: make([]int, len(w.items)),
	}
	for i, r := range w.ranges {
		for c := r.from; c < r.to; c++ {
			if as.fits(w.cases[c], w.items[i]) {
				g.fits[c] = append(g.fits[c], i)
				g.fitting[i] = append(g.fitting[i], c)
			}
		}
	}
	return g
}

// component is a connected part of the graph that has an edge.
type component struct {
	cases, items []int
	edges        int
}

// components are in the order of their first case.
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
		g.walk++
		g.augment(c)
	}
}

func (g *bipartite) augment(c int) bool {
	for _, i := range g.fits[c] {
		if g.tried[i] == g.walk {
			continue
		}
		g.tried[i] = g.walk
		if g.holder[i] < 0 || g.augment(g.holder[i]) {
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
			if i := g.earlier(c); i >= 0 {
				g.take(c, i)
				changed = true
			}
		}
	}
}

// earlier returns an earlier item that a matched case should have instead of its own, or -1.
func (g *bipartite) earlier(c int) int {
	own := g.partner[c]
	for _, i := range g.fits[c] {
		if i >= own {
			break
		}
		other := g.holder[i]
		if other < 0 && g.as.likeItems(g.items[i], g.items[own]) {
			return i
		}
		if other > c && slices.Contains(g.fits[other], own) && g.alikePair(c, other, own, i) {
			return i
		}
	}
	return -1
}

// take gives a case an item; who held that gets the case's own.
func (g *bipartite) take(c, i int) {
	own, other := g.partner[c], g.holder[i]
	g.partner[c], g.holder[i] = i, c
	g.holder[own] = other
	if other >= 0 {
		g.partner[other] = own
	}
}

// alikePair reports whether it makes no difference which of two cases has which of two items.
func (g *bipartite) alikePair(c, other, own, i int) bool {
	return g.as.likeItems(g.items[i], g.items[own]) || g.as.equalCases(g.cases[c], g.cases[other])
}

// conclude sorts a component into forced pairs, ambiguous cases, doubtful and surplus items.
func (g *bipartite) conclude(part component, loose func(int) bool, result *assignment) {
	forced := map[int]bool{} // items
	for _, c := range part.cases {
		i := g.partner[c]
		switch {
		case loose(c):
			var items []*openItem
			for _, i := range g.fits[c][:min(maxCandidates, len(g.fits[c]))] {
				items = append(items, g.items[i])
			}
			result.ambiguous = append(result.ambiguous, candidacy{g.cases[c], items})
		case i >= 0:
			forced[i] = true
			result.pairs = append(result.pairs, pair{g.cases[c], g.items[i], g.tradable(c, loose)})
		}
	}
	for _, i := range part.items {
		if forced[i] {
			continue
		}
		var cases []*openCase
		for _, c := range g.fitting[i] {
			if loose(c) && len(cases) < maxCandidates {
				cases = append(cases, g.cases[c])
			}
		}
		if len(cases) > 0 {
			result.doubtful = append(result.doubtful, doubt{g.items[i], cases})
		} else {
			result.surplus = append(result.surplus, g.items[i])
		}
	}
}

// tradable reports whether a forced case could trade its item with another forced case. What may be had by a case that is
// not forced is no even trade.
func (g *bipartite) tradable(c int, loose func(int) bool) bool {
	own := g.partner[c]
	return slices.ContainsFunc(g.fits[c], func(i int) bool {
		h := g.holder[i]
		return i != own && h >= 0 && !loose(h) && slices.Contains(g.fits[h], own)
	})
}
