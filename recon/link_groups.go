package recon

import (
	"slices"

	"agentrecon/ledger"
)

// judgeGroups decides the cases that share an entry by key: a batch, replays of one call, or an ambiguous set.
func (d *docket) judgeGroups() {
	seenCase, seenItem := map[*openCase]bool{}, map[*openItem]bool{}
	for _, c := range d.cases {
		if !seenCase[c] && sharesItem(c) {
			group := connected(c, seenCase, seenItem)
			slices.SortFunc(group, proposalOrder)
			d.judgeGroup(group)
		}
	}
}

func sharesItem(c *openCase) bool {
	return slices.ContainsFunc(c.links, func(l *link) bool { return len(l.item.links) > 1 })
}

// connected collects the cases that reach each other through shared items.
func connected(from *openCase, seenCase map[*openCase]bool, seenItem map[*openItem]bool) []*openCase {
	group := []*openCase{from}
	seenCase[from] = true
	for n := 0; n < len(group); n++ {
		for _, l := range group[n].links {
			if seenItem[l.item] {
				continue
			}
			seenItem[l.item] = true
			for _, other := range l.item.links {
				if !seenCase[other.c] {
					seenCase[other.c] = true
					group = append(group, other.c)
				}
			}
		}
	}
	return group
}

// judgeGroup decides a group, in proposal order. Pending and refused entries never compete; each case shows what it
// reaches of them.
func (d *docket) judgeGroup(group []*openCase) {
	payments := paymentsOf(group...)
	switch {
	case isBatch(group, payments):
		for _, c := range group {
			c.tied, c.batch = true, true
		}
	case !oneKey(group):
		for _, c := range group {
			d.leaveAmbiguous(c, paymentsOf(c))
		}
	default:
		d.settleByKey(group, payments)
	}
}

// paymentsOf are the booked payments linked to cases, in booking order.
func paymentsOf(cases ...*openCase) []*openItem {
	seen := map[*openItem]bool{}
	var items []*openItem
	for _, c := range cases {
		for _, l := range c.links {
			if isPayment(l) && !seen[l.item] {
				seen[l.item] = true
				items = append(items, l.item)
			}
		}
	}
	slices.SortFunc(items, bookingOrder)
	return items
}

// oneKey reports whether all cases of a group have the same idempotency key.
func oneKey(group []*openCase) bool {
	key := cleanKey(group[0].Attempt.IdempotencyKey)
	return key != "" && !slices.ContainsFunc(group, func(c *openCase) bool { return cleanKey(c.Attempt.IdempotencyKey) != key })
}

// isBatch reports whether the one payment of a group is the exact sum of its cases.
func isBatch(group []*openCase, payments []*openItem) bool {
	if len(group) < 2 || len(payments) != 1 || len(payments[0].links) != len(group) {
		return false
	}
	var sum int64
	for _, c := range group {
		if c.Attempt.Currency != group[0].Attempt.Currency {
			return false
		}
		sum += c.Attempt.Minor
	}
	minor, currency := payments[0].worth(group[0])
	return sum == minor && group[0].Attempt.Currency == currency && group[0].Attempt.Minor != sum
}

// settleByKey decides the cases of one key. Cases of one amount are replays of one call. Where a key was used with
// several amounts, a payment goes to the cases of its amount; one that fits none makes those without a payment
// ambiguous.
func (d *docket) settleByKey(group []*openCase, payments []*openItem) {
	calls := byAmount(group)
	if len(calls) == 1 {
		d.settleReplays(group)
		return
	}
	var left []*openItem
	for _, i := range payments {
		call := callOf(calls, i)
		if call == nil {
			left = append(left, i)
		}
		for _, l := range slices.Clone(i.links) {
			if !slices.Contains(call, l.c) {
				l.c.release(l)
			}
		}
	}
	for _, call := range calls {
		if len(paymentsOf(call...)) > 0 {
			d.settleReplays(call)
			continue
		}
		for _, c := range call {
			d.leaveAmbiguous(c, left)
		}
	}
	for _, i := range left {
		i.class = Ambiguous
		if len(i.candidates) == 0 {
			i.candidates = group
		}
	}
}

// callOf returns the cases that asked for exactly what an item is worth, first in the currency it is booked in.
func callOf(calls [][]*openCase, i *openItem) []*openCase {
	var found []*openCase
	for _, call := range calls {
		if asks(call[0], i) && (found == nil || call[0].Attempt.Currency == i.Currency) {
			found = call
		}
	}
	return found
}

// asks reports whether an item has exactly the amount that a case asked for.
func asks(c *openCase, i *openItem) bool {
	minor, currency := i.worth(c)
	return c.Attempt.Minor == minor && c.Attempt.Currency == currency
}

// byAmount splits a group by amount and currency; each part keeps the group's order.
func byAmount(group []*openCase) [][]*openCase {
	type amount struct {
		minor    int64
		currency ledger.Currency
	}
	place := map[amount]int{}
	var parts [][]*openCase
	for _, c := range group {
		key := amount{c.Attempt.Minor, c.Attempt.Currency}
		at, known := place[key]
		if !known {
			at = len(parts)
			place[key] = at
			parts = append(parts, nil)
		}
		parts[at] = append(parts[at], c)
	}
	return parts
}

// settleReplays gives what moved to the earliest of the cases; the others are replays of it.
func (d *docket) settleReplays(cases []*openCase) {
	owner := cases[0]
	for _, c := range cases[1:] {
		var kept []*link
		for _, l := range c.links {
			if !l.item.Moved() {
				kept = append(kept, l)
				continue
			}
			l.item.links = slices.DeleteFunc(l.item.links, func(own *link) bool { return own == l })
			if len(l.item.links) == 0 {
				d.tie(owner, l.item, l.tier, l.role)
			}
		}
		c.links = kept
	}
	payments := paymentsOf(owner)
	if len(payments) == 0 || len(cases) == 1 {
		return
	}
	tier := owner.linkedTo(isPayment)[0].tier
	for _, c := range cases[1:] {
		c.tied = true
		c.finding.Evidence.Settlement = Shared
		c.links = append(c.links, &link{c, payments[0], tier, RoleShared})
	}
}

// leaveAmbiguous replaces a case's links to the items by candidacies.
func (d *docket) leaveAmbiguous(c *openCase, items []*openItem) {
	if len(items) == 0 {
		return
	}
	c.tied = true
	c.finding.Evidence.Settlement = AmbiguousLink
	for _, i := range items {
		for _, l := range slices.Clone(c.links) {
			if l.item == i {
				c.release(l)
			}
		}
		i.class = Ambiguous
		c.candidate(i)
	}
}

// candidate notes on both sides that an item fits a case; beyond a bound the lists stop.
func (c *openCase) candidate(i *openItem) {
	if len(i.candidates) < maxCandidates {
		i.candidates = append(i.candidates, c)
	}
	if len(c.finding.Candidates) < maxCandidates {
		c.finding.Candidates = append(c.finding.Candidates, &i.whole().Entry)
	}
}

// release unties a link on both sides.
func (c *openCase) release(l *link) {
	c.links = slices.DeleteFunc(c.links, func(own *link) bool { return own == l })
	l.item.links = slices.DeleteFunc(l.item.links, func(own *link) bool { return own == l })
}

func (c *openCase) flag(name FlagName, of string) {
	if !slices.ContainsFunc(c.finding.Flags, func(f Flag) bool { return f.Name == name && f.Of == of }) {
		c.finding.Flags = append(c.finding.Flags, Flag{name, of})
	}
}
