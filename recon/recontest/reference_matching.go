package recontest

import (
	"fmt"
	"slices"

	"agentrecon/recon"
)

type matching struct {
	attempts      []*refAttempt // in proposal order
	entries       []*refEntry   // in booking order
	fits          func(*refAttempt, *refEntry) bool
	kindOfAttempt func(*refAttempt) string
	kindOfEntry   func(*refEntry) string
}

// best lists every matching of the greatest size and, among those, the best standing; the first listed pairs the
// earliest with the earliest.
func (x *matching) best() [][]int {
	var best [][]int
	var bestScore []int
	partner := make([]int, len(x.attempts))
	used := make([]bool, len(x.entries))
	var walk func(int)
	walk = func(n int) {
		if n == len(partner) {
			score := make([]int, 4)
			for a, e := range partner {
				if e >= 0 {
					score[0]++
					score[1+x.attempts[a].rank]++
				}
			}
			c := 1
			if bestScore != nil {
				c = slices.Compare(score, bestScore)
			}
			if c > 0 {
				best, bestScore = nil, score
			}
			if c >= 0 {
				best = append(best, slices.Clone(partner))
			}
			return
		}
		for e := range x.entries {
			if !used[e] && x.fits(x.attempts[n], x.entries[e]) {
				partner[n], used[e] = e, true
				walk(n + 1)
				used[e] = false
			}
		}
		partner[n] = -1
		walk(n + 1)
	}
	walk(0)
	return best
}

// settle links what every best matching agrees on, makes the rest ambiguous, and leaves the surplus.
func (x *matching) settle(tier recon.Tier) {
	if len(x.attempts) == 0 || len(x.entries) == 0 {
		return
	}
	best := x.best()
	var loose []int
	for n := range x.attempts {
		if !x.forced(best, n) {
			loose = append(loose, n)
		}
	}
	for n, e := range best[0] {
		if e < 0 || slices.Contains(loose, n) {
			continue
		}
		join(x.attempts[n], x.entries[e], tier)
		trades := func(m []int) bool { // the same entries go to the same attempts, and this one to another
			return m[n] != e && !slices.ContainsFunc(m, func(i int) bool { return i >= 0 && !slices.Contains(best[0], i) }) &&
				m[n] >= 0 && !slices.Contains(loose, slices.Index(m, e))
		}
		if slices.ContainsFunc(best, trades) {
			x.attempts[n].flag(recon.FlagInterchangeable, "")
			x.entries[e].flags = append(x.entries[e].flags, recon.Flag{Name: recon.FlagInterchangeable})
		}
	}
	for _, n := range loose {
		a := x.attempts[n]
		a.ambiguous = true
		for _, e := range x.entries {
			if len(e.attempts) == 0 && x.fits(a, e) {
				e.ambiguous = true
				doubt(a, e)
			}
		}
	}
}

// forced reports whether an attempt has a like entry, or none, in every best matching, or trades with its equals only.
func (x *matching) forced(best [][]int, n int) bool {
	has := func(m []int, a int) string {
		if m[a] < 0 {
			return "-"
		}
		return x.kindOfEntry(x.entries[m[a]])
	}
	if !slices.ContainsFunc(best, func(m []int) bool { return has(m, n) != has(best[0], n) }) {
		return true
	}
	for set := range 1 << len(x.attempts) {
		if set&(1<<n) == 0 {
			continue
		}
		among := func(m []int) string {
			var all []string
			for a := range x.attempts {
				if set&(1<<a) != 0 {
					if m[a] < 0 || x.kindOfAttempt(x.attempts[a]) != x.kindOfAttempt(x.attempts[n]) {
						return ""
					}
					all = append(all, has(m, a))
				}
			}
			slices.Sort(all)
			return fmt.Sprintf("%q", all)
		}
		first := among(best[0])
		if first != "" && !slices.ContainsFunc(best, func(m []int) bool { return among(m) != first }) {
			return true
		}
	}
	return false
}
