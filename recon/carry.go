package recon

import (
	"cmp"
	"slices"

	"agentrecon/ledger"
)

// What a run counted is carried forward: less what the items that a later run looks at had counted for, plus what they
// count for now. Every figure is a sum over items, so that this gives what counting everything would.

// carried returns whole − before + now. What comes to nothing is left out, as in a count of everything.
func (t Totals) carried(before, now Totals) Totals {
	sum := Totals{
		Attempts: t.Attempts.carried(Attempts, before.Attempts, now.Attempts), Entries: t.Entries.carried(Entries, before.Entries, now.Entries),
		Booked: t.Booked.carried(before.Booked, now.Booked), Outcomes: t.Outcomes.carried(Outcomes, before.Outcomes, now.Outcomes),
		Deliveries:    t.Deliveries - before.Deliveries + now.Deliveries,
		UnknownMarked: t.UnknownMarked - before.UnknownMarked + now.UnknownMarked,
		NewlyMarked:   now.NewlyMarked,
		DegradedIDs:   t.DegradedIDs - before.DegradedIDs + now.DegradedIDs,
	}
	for tier := range t.LinksByTier {
		sum.LinksByTier[tier] = t.LinksByTier[tier] - before.LinksByTier[tier] + now.LinksByTier[tier]
	}
	for _, cause := range Causes {
		if n := t.causeCount(cause) - before.causeCount(cause) + now.causeCount(cause); n != 0 {
			sum.Causes = append(sum.Causes, CauseCount{cause, n})
		}
	}
	for _, reason := range union3(t.OutOfScope, before.OutOfScope, now.OutOfScope, func(r ReasonTally) string { return r.Reason }) {
		if tally := t.outOfScope(reason).carried(before.outOfScope(reason), now.outOfScope(reason)); tally.Count != 0 {
			sum.OutOfScope = append(sum.OutOfScope, ReasonTally{reason, tally})
		}
	}
	return sum
}

func (t Totals) causeCount(cause Cause) int64 {
	for _, c := range t.Causes {
		if c.Cause == cause {
			return c.Count
		}
	}
	return 0
}

func (t Totals) outOfScope(reason string) Tally {
	for _, r := range t.OutOfScope {
		if r.Reason == reason {
			return r.Tally
		}
	}
	return Tally{}
}

func (p PopulationTotals) carried(population Population, before, now PopulationTotals) PopulationTotals {
	sum := PopulationTotals{Tally: p.Tally.carried(before.Tally, now.Tally)}
	for _, info := range ClassesOf(population) {
		if tally := p.class(info.Class).carried(before.class(info.Class), now.class(info.Class)); tally.Count != 0 {
			sum.Classes = append(sum.Classes, ClassTally{info.Class, tally})
		}
	}
	return sum
}

func (p PopulationTotals) class(c Class) Tally {
	for _, tally := range p.Classes {
		if tally.Class == c {
			return tally.Tally
		}
	}
	return Tally{}
}

func (t Tally) carried(before, now Tally) Tally {
	return Tally{Count: t.Count - before.Count + now.Count, Minor: t.Minor.carried(before.Minor, now.Minor)}
}

func (s Sums) carried(before, now Sums) Sums {
	var sums Sums
	for _, c := range union3(s, before, now, func(sum CurrencySum) ledger.Currency { return sum.Currency }) {
		a, b, d := s.Of(c), before.Of(c), now.Of(c)
		if sum := (CurrencySum{c, a.Count - b.Count + d.Count, a.Minor - b.Minor + d.Minor}); sum.Count != 0 {
			sums = append(sums, sum)
		}
	}
	return sums
}

// carriedBridge does the same line by line: totals of lines are sums of lines, and so carried with them.
func carriedBridge(whole, before, now []BridgeCurrency) []BridgeCurrency {
	of := func(bridge []BridgeCurrency, c ledger.Currency) BridgeCurrency {
		for _, b := range bridge {
			if b.Currency == c {
				return b
			}
		}
		return BridgeCurrency{Currency: c}
	}
	var sum []BridgeCurrency
	for _, c := range union3(whole, before, now, func(b BridgeCurrency) ledger.Currency { return b.Currency }) {
		bridge := BridgeCurrency{Currency: c}
		any := false
		a, b, d := of(whole, c), of(before, c), of(now, c)
		for _, line := range bridgeLines {
			x, y, z := a.Line(line.ID), b.Line(line.ID), d.Line(line.ID)
			line.Count, line.Minor = x.Count-y.Count+z.Count, x.Minor-y.Minor+z.Minor
			any = any || line.Count != 0 || line.Minor != 0
			bridge.Lines = append(bridge.Lines, line)
		}
		if any {
			sum = append(sum, bridge)
		}
	}
	return sum
}

// union3 returns the names of three lists, each once, sorted.
func union3[T any, K cmp.Ordered](a, b, c []T, name func(T) K) []K {
	var names []K
	for _, list := range [3][]T{a, b, c} {
		for _, item := range list {
			names = append(names, name(item))
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Plus adds sums up; what comes to no items is left out.
func (s Sums) Plus(more Sums) Sums { return s.carried(nil, more) }

// PlusAccounts adds sums of accounts up, sorted by currency and account; an account that comes to no items is left out.
func PlusAccounts(lists ...[]AccountSums) []AccountSums {
	type account struct {
		currency ledger.Currency
		id       string
	}
	sums := map[account]*AccountSums{}
	for _, list := range lists {
		for _, a := range list {
			at := account{a.Currency, a.AccountID}
			if sums[at] == nil {
				sums[at] = &AccountSums{AccountID: a.AccountID, Currency: a.Currency}
			}
			sum := sums[at]
			sum.Count, sum.Minor, sum.Booked, sum.BookedMinor = sum.Count+a.Count, sum.Minor+a.Minor, sum.Booked+a.Booked, sum.BookedMinor+a.BookedMinor
		}
	}
	var all []AccountSums
	for _, sum := range sums {
		if sum.Count != 0 {
			all = append(all, *sum)
		}
	}
	slices.SortFunc(all, func(a, b AccountSums) int {
		return cmp.Or(cmp.Compare(a.Currency, b.Currency), cmp.Compare(a.AccountID, b.AccountID))
	})
	return all
}
