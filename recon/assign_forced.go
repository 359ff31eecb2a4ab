package recon

// What another matching could change.
//
// Two maximum matchings of equal standing differ by changes that go round in a circle: a case takes the item of the
// next, that one of the next again, and the last one
//
//   - takes the item that the first gave up, or
//   - takes a free item, whereupon the item that the first gave up is free, or
//   - goes without, and the first was a case of the same standing that had gone without.
//
// So let a graph lead from every case to those whose item it fits, to "free" where it fits a free item, and to
// "without", one for each standing; from "free" to every case with an item, and from "without" to the cases without
// one. Every circle in it is a change that costs neither size nor standing.

// circles is that graph for one component. Nodes are cases by their place in it, then free, then without by standing.
type circles struct {
	changes [][]change
	number  []int // by node: nodes of one number reach each other
}

// change is a step of a circle.
type change struct {
	to int
	// effect is what the step does to the sum, over all cases, of a number for what they are and what they have. Cases
	// that are alike count as one, and so do items; to go without is every case's own. Steps that make no difference have
	// no effect, and neither has a circle in which alike cases only trade among themselves.
	effect uint64
}

// loose marks the cases of a component that another matching of the same size and standing would leave out or give an
// item that is not alike, unless all that can happen is that alike cases trade among themselves.
func (g *bipartite) loose(part component) map[int]bool {
	x := g.circles(part)
	matters := x.matters()
	loose := map[int]bool{}
	for n, c := range part.cases {
		for _, step := range x.changes[n] {
			if step.effect != 0 && x.number[n] == x.number[step.to] && matters[x.number[n]] {
				loose[c] = true
			}
		}
	}
	return loose
}

// matters tells, by number, whether any circle has an effect. If none has, effects lead to a height of each node.
func (x *circles) matters() []bool {
	matters := make([]bool, len(x.changes))
	height, known := make([]uint64, len(x.changes)), make([]bool, len(x.changes))
	for first := range x.changes {
		if known[first] {
			continue
		}
		known[first] = true
		for queue := []int{first}; len(queue) > 0; queue = queue[1:] {
			n := queue[0]
			for _, step := range x.changes[n] {
				switch {
				case x.number[step.to] != x.number[n]:
				case !known[step.to]:
					known[step.to] = true
					height[step.to] = height[n] + step.effect
					queue = append(queue, step.to)
				case height[step.to] != height[n]+step.effect:
					matters[x.number[n]] = true
				}
			}
		}
	}
	return matters
}

func (g *bipartite) circles(part component) *circles {
	x := &circles{}
	free, without := len(part.cases), len(part.cases)+1
	x.changes = make([][]change, without+int(standings))
	place := make(map[int]int, len(part.cases))
	for n, c := range part.cases {
		place[c] = n
	}
	caseKinds := kinds(part.cases, func(a, b int) bool { return g.as.equalCases(g.cases[a], g.cases[b]) })
	itemKinds := kinds(part.items, func(a, b int) bool { return g.as.likeItems(g.items[a], g.items[b]) })
	mark := func(c, i int) uint64 {
		if i < 0 {
			return mix(uint64(c)<<32 | 1<<31)
		}
		return mix(uint64(caseKinds[c])<<32 | uint64(itemKinds[i]) + 1)
	}
	for n, c := range part.cases {
		own := g.partner[c]
		add := func(to, i int) { x.changes[n] = append(x.changes[n], change{to, mark(c, i) - mark(c, own)}) }
		for _, i := range g.fits[c] {
			if h := g.holder[i]; h < 0 {
				add(free, i)
			} else if h != c {
				add(place[h], i)
			}
		}
		if out := without + int(g.cases[c].standing); own >= 0 {
			add(out, -1)
			x.changes[free] = append(x.changes[free], change{to: n})
		} else {
			x.changes[out] = append(x.changes[out], change{to: n})
		}
	}
	x.find()
	return x
}

// kinds numbers what is alike.
func kinds(all []int, alike func(a, b int) bool) map[int]int {
	var firsts []int
	kind := make(map[int]int, len(all))
	for _, n := range all {
		k := 0
		for k < len(firsts) && !alike(firsts[k], n) {
			k++
		}
		if k == len(firsts) {
			firsts = append(firsts, n)
		}
		kind[n] = k
	}
	return kind
}

// find numbers the nodes (Tarjan: strongly connected components).
func (x *circles) find() {
	const unseen = 0
	order, low := make([]int, len(x.changes)), make([]int, len(x.changes))
	onStack := make([]bool, len(x.changes))
	x.number = make([]int, len(x.changes))
	var stack []int
	seen := 0
	var visit func(int)
	visit = func(n int) {
		seen++
		order[n], low[n] = seen, seen
		stack, onStack[n] = append(stack, n), true
		for _, step := range x.changes[n] {
			if order[step.to] == unseen {
				visit(step.to)
				low[n] = min(low[n], low[step.to])
			} else if onStack[step.to] {
				low[n] = min(low[n], order[step.to])
			}
		}
		for low[n] == order[n] && onStack[n] {
			last := stack[len(stack)-1]
			stack, onStack[last] = stack[:len(stack)-1], false
			x.number[last] = n
		}
	}
	for n := range x.changes {
		if order[n] == unseen {
			visit(n)
		}
	}
}
