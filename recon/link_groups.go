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
	if batch := batchOf(group, payments); len(batch) > 0 {
		settleBatch(group, batch)
		return
	}
	switch {
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

// batchOf returns the cases of a group that its payments are for, each of the exact sum of them all: one payment, or the
// same one again. Of cases with one key those that are said to have failed, then those that nobody knows of, may have
// been left out of it. Without such a sum there is no batch.
func batchOf(group []*openCase, payments []*openItem) []*openCase {
	if len(payments) == 0 || slices.ContainsFunc(payments, func(i *openItem) bool { return len(i.links) != len(group) }) {
		return nil
	}
	batch := group
	for worst := standsFailed; ; worst-- {
		if len(batch) > 1 && paysAll(payments, batch) {
			return batch
		}
		if worst == standsSucceeded || !oneKey(group) {
			return nil
		}
		batch = slices.DeleteFunc(slices.Clone(batch), func(c *openCase) bool { return c.standing == worst })
	}
}

// paysAll reports whether each payment is the exact sum of all cases, and not what one of them asked for.
func paysAll(payments []*openItem, cases []*openCase) bool {
	first := cases[0].Attempt
	var sum int64
	for _, c := range cases {
		if c.Attempt.Currency != first.Currency {
			return false
		}
		sum += c.Attempt.Minor
	}
	return sum != first.Minor && !slices.ContainsFunc(payments, func(i *openItem) bool {
		minor, currency := i.worth(cases[0])
		return minor != sum || currency != first.Currency
	})
}

// settleBatch leaves what moved to those of a group's cases that it is for.
func settleBatch(group, batch []*openCase) {
	for _, c := range batch {
		c.tied, c.batch = true, true
	}
	for _, c := range group {
		for _, l := range slices.Clone(c.links) {
			if !c.batch && l.item.Moved() {
				c.release(l)
			}
		}
	}
}

// settleByKey decides the cases of one key. Cases of one amount and payee are replays of one call. Where a key was used
// for several calls, a payment goes to the call that it fits; one that fits none makes those without a payment
// ambiguous.
func (d *docket) settleByKey(group []*openCase, payments []*openItem) {
	byPayee := payeesTell(group, payments)
	calls := callsOf(group, byPayee)
	if len(calls) == 1 {
		d.settleReplays(group)
		return
	}
	var left []*openItem
	for _, i := range payments {
		call := callOf(calls, i, byPayee)
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
func callOf(calls [][]*openCase, i *openItem, byPayee bool) []*openCase {
	var found []*openCase
	for _, call := range calls {
		own := !byPayee || call[0].payee == i.payee
		if own && asks(call[0], i) && (found == nil || call[0].Attempt.Currency == i.Currency) {
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

// payeesTell reports whether payees tell the calls of a key apart: all cases name one, and so does every payment, of one
// that was asked for.
func payeesTell(group []*openCase, payments []*openItem) bool {
	return len(payments) > 0 && !slices.ContainsFunc(group, func(c *openCase) bool { return c.payee == "" }) &&
		!slices.ContainsFunc(payments, func(i *openItem) bool {
			return !slices.ContainsFunc(group, func(c *openCase) bool { return c.payee == i.payee })
		})
}

// callsOf splits the cases of a key by amount and currency, and by payee where payees tell; each call keeps the order of
// the group.
func callsOf(group []*openCase, byPayee bool) [][]*openCase {
	type content struct {
		minor    int64
		currency ledger.Currency
		payee    string
	}
	place := map[content]int{}
	var calls [][]*openCase
	for _, c := range group {
		of := content{c.Attempt.Minor, c.Attempt.Currency, c.payee}
		if !byPayee {
			of.payee = ""
		}
		at, known := place[of]
		if !known {
			at = len(calls)
			place[of] = at
			calls = append(calls, nil)
		}
		calls[at] = append(calls[at], c)
	}
	return calls
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
		c.finding.Candidates = append(c.finding.Candidates, i.whole().Entry)
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
