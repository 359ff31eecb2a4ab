package recon

import (
	"cmp"
	"container/heap"
	"slices"
	"sort"
	"time"
)

// windows holds cases and items by time, and which of them meet: as windows move forward with their cases, the cases
// whose window an item meets are a range.
type windows struct {
	cases  []*openCase // in proposal order
	items  []*openItem // in booking order
	ranges []caseRange // of cases, by item
}

// caseRange is a half-open range of indexes.
type caseRange struct{ from, to int }

func (s caseRange) has(n int) bool { return s.from <= n && n < s.to }

// windows finds for each item the cases whose window it meets.
func (as assigner) windows(cases []*openCase, items []*openItem) windows {
	starts, ends := make([]time.Time, len(cases)), make([]time.Time, len(cases))
	for n, c := range cases {
		starts[n], ends[n] = as.d.policy.windowStart(c.Attempt.ProposedAt), as.d.policy.windowEnd(c.Attempt.ProposedAt)
	}
	w := windows{cases, items, make([]caseRange, len(items))}
	for n, i := range items {
		w.ranges[n] = caseRange{
			from: sort.Search(len(cases), func(c int) bool { return i.start.Before(ends[c]) }),
			to:   sort.Search(len(cases), func(c int) bool { return i.before(starts[c]) }),
		}
	}
	return w
}

// assign matches alike cases to alike items, where only time keeps them apart. Case by case, of the items that meet its
// window the one is taken that the fewest later cases could take, and of those the earliest booked: that is a maximum
// matching (Glover 1967), in the order of time.
func (w windows) assign(result *assignment) {
	partner, holder := w.match()
	loose, looseItem := w.loose(partner, holder)
	low := 0
	var doubted []int // the loose cases, ascending
	for c := range w.cases {
		for low < len(w.items) && w.ranges[low].to <= c {
			low++
		}
		switch i := partner[c]; {
		case loose[c]:
			doubted = append(doubted, c)
			result.ambiguous = append(result.ambiguous, candidacy{w.cases[c], w.meeting(c, low)})
		case i >= 0:
			result.pairs = append(result.pairs, pair{w.cases[c], w.items[i], w.trades(c, partner)})
		}
	}
	for i, item := range w.items {
		switch {
		case looseItem[i]:
			result.doubtful = append(result.doubtful, doubt{item, w.metBy(i, doubted)})
		case holder[i] < 0:
			result.surplus = append(result.surplus, item)
		}
	}
}

// meeting lists the items from an index on that meet a case's window. Items are in the order of the
// first case of their range, so that the list ends with the first one that starts too late.
func (w windows) meeting(c, from int) []*openItem {
	var items []*openItem
	for i := from; i < len(w.items) && w.ranges[i].from <= c && len(items) < maxCandidates; i++ {
		if w.ranges[i].has(c) {
			items = append(items, w.items[i])
		}
	}
	return items
}

// metBy lists those of some cases, ascending, whose window an item meets.
func (w windows) metBy(i int, of []int) []*openCase {
	var cases []*openCase
	first, _ := slices.BinarySearch(of, w.ranges[i].from)
	for _, c := range of[first:] {
		if c >= w.ranges[i].to || len(cases) == maxCandidates {
			break
		}
		cases = append(cases, w.cases[c])
	}
	return cases
}

// match returns the item of each case and the case of each item, -1 for none.
func (w windows) match() (partner, holder []int) {
	partner, holder = noneOf(len(w.cases)), noneOf(len(w.items))
	waiting := &deadlines{ranges: w.ranges}
	next := 0
	for c := range w.cases {
		for ; next < len(w.items) && w.ranges[next].from <= c; next++ {
			heap.Push(waiting, next)
		}
		for waiting.Len() > 0 && partner[c] < 0 {
			if i := heap.Pop(waiting).(int); w.ranges[i].has(c) {
				partner[c], holder[i] = i, c
			}
		}
	}
	return partner, holder
}

func noneOf(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = -1
	}
	return all
}

// deadlines is a heap of items, by the end of their range, then as booked.
type deadlines struct {
	ranges []caseRange
	items  []int
}

func (d *deadlines) Len() int { return len(d.items) }

func (d *deadlines) Less(a, b int) bool {
	x, y := d.items[a], d.items[b]
	return cmp.Or(cmp.Compare(d.ranges[x].to, d.ranges[y].to), cmp.Compare(x, y)) < 0
}

func (d *deadlines) Swap(a, b int) { d.items[a], d.items[b] = d.items[b], d.items[a] }

func (d *deadlines) Push(i any) { d.items = append(d.items, i.(int)) }

func (d *deadlines) Pop() any {
	last := len(d.items) - 1
	i := d.items[last]
	d.items = d.items[:last]
	return i
}

// loose marks the cases that some other maximum matching leaves out, and the items on the way: from every case
// without a partner, along what meets it to the holders of that, and on. Each item is visited once.
func (w windows) loose(partner, holder []int) (loose, looseItem []bool) {
	loose, looseItem = make([]bool, len(w.cases)), make([]bool, len(w.items))
	var queue []int
	for c := range w.cases {
		if partner[c] < 0 {
			queue = append(queue, c)
		}
	}
	met := w.met()
	unvisited := newReach(w.ranges)
	for n := 0; n < len(queue); n++ {
		c := queue[n]
		loose[c] = met[c]
		for i := unvisited.take(c); i >= 0; i = unvisited.take(c) {
			looseItem[i] = true
			// The matching is maximum, so that whatever a loose case could take is held.
			if h := holder[i]; !loose[h] {
				loose[h] = true
				queue = append(queue, h)
			}
		}
	}
	return loose, looseItem
}

// met reports by case whether any item meets its window.
func (w windows) met() []bool {
	opens := make([]int, len(w.cases)+1)
	for _, r := range w.ranges {
		if r.from < r.to {
			opens[r.from]++
			opens[r.to]--
		}
	}
	met, n := make([]bool, len(w.cases)), 0
	for c := range met {
		n += opens[c]
		met[c] = n > 0
	}
	return met
}

// maxTrades bounds how many neighbours are asked whether they could trade.
const maxTrades = 1000

// trades reports whether a paired case could trade its item with a neighbour in time.
func (w windows) trades(c int, partner []int) bool {
	own := w.ranges[partner[c]]
	for _, step := range [2]int{-1, 1} {
		for h := c + step; own.has(h) && (h-c)*step <= maxTrades; h += step {
			if partner[h] >= 0 && w.ranges[partner[h]].has(c) {
				return true
			}
		}
	}
	return false
}

// reach finds items by a case in their range: a tree over the items that holds the furthest end below each node.
type reach struct {
	ranges   []caseRange
	furthest []int
	leaves   int
}

func newReach(ranges []caseRange) *reach {
	r := &reach{ranges: ranges, leaves: 1}
	for r.leaves < len(ranges) {
		r.leaves *= 2
	}
	r.furthest = make([]int, 2*r.leaves)
	for i, own := range ranges {
		if own.from < own.to {
			r.furthest[r.leaves+i] = own.to
		}
	}
	for n := r.leaves - 1; n > 0; n-- {
		r.furthest[n] = max(r.furthest[2*n], r.furthest[2*n+1])
	}
	return r
}

// take returns an item that has a case in its range and forgets it; -1 if there is none. The first item whose range
// ends after the case decides: those after it start no earlier.
func (r *reach) take(c int) int {
	if r.furthest[1] <= c {
		return -1
	}
	n := 1
	for n < r.leaves {
		if n *= 2; r.furthest[n] <= c {
			n++
		}
	}
	i := n - r.leaves
	if !r.ranges[i].has(c) {
		return -1
	}
	r.furthest[n] = 0
	for n /= 2; n > 0; n /= 2 {
		r.furthest[n] = max(r.furthest[2*n], r.furthest[2*n+1])
	}
	return i
}
