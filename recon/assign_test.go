package recon

import (
	"cmp"
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"agentrecon/ledger"
)

// A toy is a case or an item of a small bucket: a day, a standing (cases), a whole day or an instant (items), and a
// signature. Signature 0 fits every other.
type toy struct {
	day       int
	signature int
	standing  standing
	wholeDay  bool
}

func toyBucket(cases, items []toy) (assigner, []*openCase, []*openItem) {
	day := func(n int) time.Time { return time.Date(2025, 3, 1+n, 12, 0, 0, 0, time.UTC) }
	policy := DefaultPolicy()
	var cs []*openCase
	for n, c := range cases {
		o := &openCase{Attempt: &Attempt{ID: fmt.Sprintf("a%d", n), ProposedAt: day(c.day)}, standing: c.standing, payee: fmt.Sprint(c.signature)}
		cs = append(cs, o)
	}
	var is []*openItem
	for n, i := range items {
		o := &openItem{Entry: &ledger.Entry{ID: fmt.Sprintf("e%d", n)}, payee: fmt.Sprint(i.signature), start: day(i.day), end: day(i.day)}
		if i.wholeDay {
			o.start, o.end = day(i.day).Add(-12*time.Hour), day(i.day).Add(12*time.Hour)
		}
		is = append(is, o)
	}
	return assigner{
		d:         &docket{policy: policy},
		fits:      func(c *openCase, i *openItem) bool { return c.payee == "0" || i.payee == "0" || c.payee == i.payee },
		likeCases: func(a, b *openCase) bool { return a.payee == b.payee },
		likeItems: func(a, b *openItem) bool { return a.payee == b.payee },
	}, cs, is
}

const nothing = "-" // the partner of a case that is left out

// optima enumerates every maximum matching of the best standing, as the item of each case.
func optima(as assigner, cases []*openCase, items []*openItem) [][]int {
	var best [][]int
	var bestScore [standings + 1]int
	partner, used := noneOf(len(cases)), make([]bool, len(items))
	var walk func(c int)
	walk = func(c int) {
		if c == len(cases) {
			var score [standings + 1]int
			for n, i := range partner {
				if i >= 0 {
					score[0]++
					score[1+cases[n].standing]++
				}
			}
			switch slices.Compare(score[:], bestScore[:]) {
			case 1:
				best, bestScore = nil, score
				fallthrough
			case 0:
				best = append(best, slices.Clone(partner))
			}
			return
		}
		partner[c] = -1
		walk(c + 1)
		for i := range items {
			if !used[i] && as.d.inWindow(cases[c], items[i]) && as.fits(cases[c], items[i]) {
				partner[c], used[i] = i, true
				walk(c + 1)
				used[i] = false
			}
		}
		partner[c] = -1
	}
	walk(0)
	return best
}

// verdict is what enumeration says of a case.
type verdict struct {
	partners []string // the signatures that it is ever matched to, sorted
	traded   bool     // it only ever trades with equals: some of them always have the same signatures among them
}

func verdicts(as assigner, cases []*openCase, items []*openItem) []verdict {
	best := optima(as, cases, items)
	signature := func(i int) string {
		if i < 0 {
			return nothing
		}
		return items[i].payee
	}
	all := make([]verdict, len(cases))
	for c := range cases {
		for _, partner := range best {
			if s := signature(partner[c]); !slices.Contains(all[c].partners, s) {
				all[c].partners = append(all[c].partners, s)
			}
		}
		slices.Sort(all[c].partners)
		for set := range 1 << len(cases) {
			all[c].traded = all[c].traded || set&(1<<c) != 0 && steady(as, cases, set, c, best, signature)
		}
	}
	return all
}

// steady reports whether a set of cases equal to c, as bits, has the same signatures in every matching, and none goes
// without.
func steady(as assigner, cases []*openCase, set, c int, best [][]int, signature func(int) string) bool {
	first := ""
	for n, partner := range best {
		var has []string
		for other := range cases {
			if set&(1<<other) == 0 {
				continue
			}
			if !as.equalCases(cases[c], cases[other]) || partner[other] < 0 {
				return false
			}
			has = append(has, signature(partner[other]))
		}
		slices.Sort(has)
		if key := fmt.Sprint(has); n == 0 {
			first = key
		} else if key != first {
			return false
		}
	}
	return true
}

// checkAssignment compares an assignment with the enumeration, and returns what differs. Where equal cases trade and
// others near them are ambiguous, the assignment may call more ambiguous than need be; exact forbids that too.
func checkAssignment(toyCases, toyItems []toy, exact bool) string {
	as, cases, items := toyBucket(toyCases, toyItems)
	result := as.assign(cases, items)
	slices.SortFunc(cases, proposalOrder)
	slices.SortFunc(items, bookingOrder)
	got := map[*openCase]string{}
	held := map[*openItem]*openCase{}
	for _, p := range result.pairs {
		if held[p.item] != nil || got[p.c] != "" || !as.fits(p.c, p.item) || !as.d.inWindow(p.c, p.item) {
			return fmt.Sprintf("%s is paired with %s, which cannot be", p.c.Attempt.ID, p.item.ID)
		}
		got[p.c], held[p.item] = p.item.payee, p.c
	}
	for _, a := range result.ambiguous {
		got[a.c] = "ambiguous"
	}
	for n, v := range verdicts(as, cases, items) {
		c := cases[n]
		is := got[c]
		if is == "" {
			is = nothing
		}
		switch {
		case len(v.partners) == 1 && is != v.partners[0]:
			return fmt.Sprintf("%s: got %s, want %s in every matching", c.Attempt.ID, is, v.partners[0])
		case len(v.partners) > 1 && !v.traded && is != "ambiguous":
			return fmt.Sprintf("%s: got %s, want ambiguous: it may have any of %v", c.Attempt.ID, is, v.partners)
		case exact && len(v.partners) > 1 && v.traded && is == "ambiguous":
			return fmt.Sprintf("%s: got ambiguous, want one of %v, for its equals have the others", c.Attempt.ID, v.partners)
		}
	}
	if wrong := checkLists(as, cases, items, result); wrong != "" {
		return wrong
	}
	return checkTimes(as, result)
}

// checkLists reports items that are in no list or in two, and candidates that are none: each ambiguous case and each
// doubtful item lists what it fits of the other side and is not taken, all of it.
func checkLists(as assigner, cases []*openCase, items []*openItem, result assignment) string {
	could := func(c *openCase, i *openItem) bool { return as.fits(c, i) && as.d.inWindow(c, i) }
	lists := map[*openItem]int{}
	taken := map[*openItem]bool{}
	for _, p := range result.pairs {
		lists[p.item]++
		taken[p.item] = true
	}
	for _, i := range result.surplus {
		lists[i]++
	}
	doubted := map[*openCase]bool{}
	for _, a := range result.ambiguous {
		doubted[a.c] = true
	}
	for _, d := range result.doubtful {
		lists[d.item]++
		for _, c := range cases {
			if listed := slices.Contains(d.cases, c); listed != (doubted[c] && could(c, d.item)) {
				return fmt.Sprintf("%s lists %s as a candidate: %v", d.item.ID, c.Attempt.ID, listed)
			}
		}
	}
	for _, i := range items {
		if lists[i] != 1 {
			return fmt.Sprintf("%s is in %d lists", i.ID, lists[i])
		}
		for _, a := range result.ambiguous {
			if listed := slices.Contains(a.items, i); !taken[i] && listed != could(a.c, i) {
				return fmt.Sprintf("%s lists %s as a candidate: %v", a.c.Attempt.ID, i.ID, listed)
			}
		}
	}
	return ""
}

// checkTimes reports equal pairs that cross in time although they need not.
func checkTimes(as assigner, result assignment) string {
	for _, p := range result.pairs {
		for _, q := range result.pairs {
			equal := as.equalCases(p.c, q.c) && as.likeItems(p.item, q.item)
			crossed := proposalOrder(p.c, q.c) < 0 && bookingOrder(p.item, q.item) > 0
			if equal && crossed && p.item.start.Equal(p.item.end) == q.item.start.Equal(q.item.end) &&
				as.d.inWindow(p.c, q.item) && as.d.inWindow(q.c, p.item) {
				return fmt.Sprintf("%s and %s cross in time", p.c.Attempt.ID, q.c.Attempt.ID)
			}
		}
	}
	return ""
}

func TestAssignmentIsWhatEveryBestMatchingAgreesOn(t *testing.T) {
	var cases, items []toy
	for _, day := range []int{0, 2, 4} {
		for signature := range 2 {
			for _, s := range []standing{standsSucceeded, standsOpen} {
				cases = append(cases, toy{day: day, signature: signature, standing: s})
			}
		}
	}
	for _, day := range []int{1, 4, 6, 8} {
		for signature := range 2 {
			items = append(items, toy{day: day, signature: signature})
		}
	}
	failed := 0
	MultisetsOf(cases, 3, func(cs []toy) {
		MultisetsOf(items, 3, func(is []toy) {
			if wrong := checkAssignment(cs, is, true); wrong != "" && failed < 5 {
				failed++
				t.Errorf("%+v\n%+v\n%s", cs, is, wrong)
			}
		})
	})
}

func TestAssignmentOfDrawnBuckets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		signatures := rapid.IntRange(1, 3).Draw(t, "signatures")
		draw := rapid.Custom(func(t *rapid.T) toy {
			return toy{
				day: rapid.IntRange(0, 9).Draw(t, "day"), signature: rapid.IntRange(0, signatures-1).Draw(t, "signature"),
				standing: standing(rapid.IntRange(0, int(standings)-1).Draw(t, "standing")), wholeDay: rapid.Bool().Draw(t, "whole day"),
			}
		})
		cases, items := rapid.SliceOfN(draw, 1, 5).Draw(t, "cases"), rapid.SliceOfN(draw, 1, 5).Draw(t, "items")
		if wrong := checkAssignment(cases, items, false); wrong != "" {
			t.Error(wrong)
		}
	})
}

// What a matching that takes the first that fits gets wrong, by name.
func TestAssignmentsThatFirstFitLoses(t *testing.T) {
	for _, test := range []struct {
		name         string
		cases, items []toy
		want         []string // the item of each case, or "ambiguous"
	}{
		// The first case fits both items and the second the first item only.
		{"two by two", []toy{{day: 0}, {day: 0, signature: 1}}, []toy{{day: 1, signature: 1}, {day: 1, signature: 2}}, []string{"e1", "e0"}},
		// Serving the better standing first with the first entry would strand the other.
		{"stranded", []toy{{day: 0, standing: standsOpen}, {day: 2}}, []toy{{day: 3}, {day: 6}}, []string{"e0", "e1"}},
		// Only standing decides, and it does.
		{"standing", []toy{{day: 0, standing: standsFailed}, {day: 0}}, []toy{{day: 1}}, []string{nothing, "e0"}},
		// A chain: each takes what the one before it leaves.
		{"chain", []toy{{day: 0}, {day: 2}, {day: 4}}, []toy{{day: 4}, {day: 6}, {day: 9}}, []string{"e0", "e1", "e2"}},
		{"one too few", []toy{{day: 0}, {day: 1}}, []toy{{day: 2}}, []string{"ambiguous", "ambiguous"}},
		{"one too many", []toy{{day: 0}}, []toy{{day: 1}, {day: 2}}, []string{"e0"}},
	} {
		as, cases, items := toyBucket(test.cases, test.items)
		inOrder := slices.Clone(cases)
		result := as.assign(cases, items)
		got := map[*openCase]string{}
		for _, p := range result.pairs {
			got[p.c] = p.item.ID
		}
		for _, a := range result.ambiguous {
			got[a.c] = "ambiguous"
		}
		for n, c := range inOrder {
			if is := cmp.Or(got[c], nothing); is != test.want[n] {
				t.Errorf("%s: %s: got %s, want %s", test.name, c.Attempt.ID, is, test.want[n])
			}
		}
		if wrong := checkAssignment(test.cases, test.items, true); wrong != "" {
			t.Errorf("%s: %s", test.name, wrong)
		}
	}
}
