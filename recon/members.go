package recon

import (
	"slices"

	"agentrecon/ledger"
)

// A batch is booked as one entry, and its details say whom it pays. Each detail is a member: it names attempts by its own
// keys, and an attempt is compared with its member and not with the sum. What members without an attempt moved shows in
// the bridge as a value difference.

// member is a detail of a batch that names a case.
type member struct {
	openItem
	place int // among the details
}

// tieMembers ties an item to the cases that its details name by their keys.
func (d *docket) tieMembers(i *openItem, keys, refs *keyIndex) {
	for n := range i.Children {
		child := &i.Children[n]
		tier, named := ByKey, keys.find(child.IdempotencyKey, child.EndToEndID)
		if len(named) == 0 {
			tier, named = ByProviderRef, refs.find(child.ProviderID)
		}
		for _, c := range named {
			d.tieMember(c, i, member{*newOpenItem(d.policy, child), n}, tier)
		}
	}
}

func (d *docket) tieMember(c *openCase, i *openItem, m member, tier Tier) {
	at := slices.IndexFunc(c.links, func(l *link) bool { return l.item == i })
	if at < 0 {
		d.tie(c, i, tier, roleOf(&i.Entry))
		c.links[len(c.links)-1].members = []member{m}
		return
	}
	// A link by the batch's own key is of all of it.
	if l := c.links[at]; l.members != nil {
		l.members = append(l.members, m)
		l.tier = min(l.tier, tier)
	}
}

// paid is what a link pays its case with: the item, or the members of it that name the case, together.
func (l *link) paid() *openItem {
	switch len(l.members) {
	case 0:
		return l.item
	case 1:
		return &l.members[0].openItem
	}
	sum := l.members[0].openItem
	for _, m := range l.members[1:] {
		sum.Amount += m.Amount
	}
	sum.Gross, sum.OrigAmount = ledger.Optional{}, ledger.Optional{}
	return &sum
}

// twicePaid reports whether more than one member pays a case what it asked for.
func (l *link) twicePaid() bool {
	exact := 0
	for n := range l.members {
		if asks(l.c, &l.members[n].openItem) {
			exact++
		}
	}
	return exact > 1
}

// byMembers reports whether the payments of a group are batches whose details say, with an amount each, which case they
// pay, and none pays two.
func byMembers(group []*openCase) bool {
	type detail struct {
		item  *openItem
		place int
	}
	taken := map[detail]bool{}
	if amountless(group) {
		return false
	}
	for _, c := range group {
		for _, l := range c.links {
			if l.members == nil && len(l.item.links) > 1 {
				return false
			}
			for _, m := range l.members {
				at := detail{l.item, m.place}
				if taken[at] {
					return false
				}
				taken[at] = true
			}
		}
	}
	return true
}

// amountless reports whether a detail that names one of the cases gives no amount, so that nothing says what it paid.
func amountless(group []*openCase) bool {
	return slices.ContainsFunc(group, func(c *openCase) bool {
		return slices.ContainsFunc(c.links, func(l *link) bool {
			return slices.ContainsFunc(l.members, func(m member) bool { return slices.Contains(m.Warnings, ledger.WarnChildAmount) })
		})
	})
}
