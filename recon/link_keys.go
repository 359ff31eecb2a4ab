package recon

import (
	"cmp"
	"slices"

	"agentrecon/ledger"
)

// keyIndex finds cases by a key: exactly, else folded where the fold is unique on both sides.
type keyIndex struct {
	exact  map[string][]*openCase
	folded map[string][]*openCase
	// asked holds, by fold, the distinct keys of entries that found nothing exactly: two spellings there make the
	// fold ambiguous.
	asked map[string][]string
}

func newKeyIndex() *keyIndex {
	return &keyIndex{map[string][]*openCase{}, map[string][]*openCase{}, map[string][]string{}}
}

func (x *keyIndex) add(key string, c *openCase) {
	if key = cleanKey(key); key == "" {
		return
	}
	if !slices.Contains(x.exact[key], c) {
		x.exact[key] = append(x.exact[key], c)
	}
	if fold := foldKey(key); !slices.Contains(x.folded[fold], c) {
		x.folded[fold] = append(x.folded[fold], c)
	}
}

func (x *keyIndex) ask(key string) {
	if key = cleanKey(key); key == "" {
		return
	}
	if fold := foldKey(key); !slices.Contains(x.asked[fold], key) {
		x.asked[fold] = append(x.asked[fold], key)
	}
}

func (x *keyIndex) findExact(key string) []*openCase { return x.exact[cleanKey(key)] }

func (x *keyIndex) findFolded(key string) []*openCase {
	fold := foldKey(key)
	if found := x.folded[fold]; fold != "" && len(found) == 1 && len(x.asked[fold]) == 1 {
		return found
	}
	return nil
}

// linkByKeys ties items to the cases that their keys name (tiers 1 and 2), whatever the amount, so that variances
// show as variances and not as two one-sided items. A reversal is tied to what it refers to.
func (d *docket) linkByKeys() {
	keys, refs := newKeyIndex(), newKeyIndex()
	for _, c := range d.cases {
		keys.add(c.Attempt.IdempotencyKey, c)
		keys.add(c.Attempt.ID, c)
		for _, ref := range c.providerRefs() {
			refs.add(ref, c)
		}
	}
	var unfound []*openItem
	for _, i := range d.items {
		if i.scope != "" {
			continue
		}
		tier, named := ByKey, union(keys.findExact(i.IdempotencyKey), keys.findExact(i.EndToEndID))
		if len(named) == 0 {
			tier, named = ByProviderRef, refs.findExact(i.ProviderID)
		}
		if len(named) == 0 {
			unfound = append(unfound, i)
		}
		d.tieAll(named, i, tier)
	}
	for _, i := range unfound {
		keys.ask(i.IdempotencyKey)
		keys.ask(i.EndToEndID)
		refs.ask(i.ProviderID)
	}
	for _, i := range unfound {
		tier, named := ByKey, union(keys.findFolded(i.IdempotencyKey), keys.findFolded(i.EndToEndID))
		if len(named) == 0 {
			tier, named = ByProviderRef, refs.findFolded(i.ProviderID)
		}
		d.tieAll(named, i, tier)
	}
	d.linkReversals()
}

func (d *docket) tieAll(cases []*openCase, i *openItem, tier Tier) {
	for _, c := range cases {
		d.tie(c, i, tier, roleOf(&i.Entry))
	}
}

// linkReversals ties money that came back and names an original entry to that entry's case.
func (d *docket) linkReversals() {
	originals := map[string][]*openItem{}
	for _, i := range d.items {
		if i.outflow() && i.Moved() && i.ProviderID != "" {
			originals[i.ProviderID] = append(originals[i.ProviderID], i)
		}
	}
	for _, i := range d.items {
		if i.scope != "" || !i.Moved() || i.Amount < 0 || i.OriginalProviderID == "" || len(i.links) > 0 {
			continue
		}
		found := originals[i.OriginalProviderID]
		if len(found) == 0 {
			continue
		}
		i.class = Reversal
		for _, l := range found[0].links {
			d.tie(l.c, i, l.tier, RoleReversal)
		}
	}
}

func roleOf(e *ledger.Entry) Role {
	switch {
	case e.Status == ledger.StatusRejected:
		return RoleRejected
	case !e.Moved():
		return RolePending
	case e.Amount >= 0:
		return RoleReversal
	default:
		return RoleSettles
	}
}

func union(a, b []*openCase) []*openCase {
	all := slices.Clone(a)
	for _, c := range b {
		if !slices.Contains(all, c) {
			all = append(all, c)
		}
	}
	slices.SortFunc(all, func(x, y *openCase) int { return cmp.Compare(x.Attempt.ID, y.Attempt.ID) })
	return all
}

// judgeGroups decides the cases that share an entry: a batch, a replay, or an ambiguous set.
func (d *docket) judgeGroups() {
	seen := map[*openCase]bool{}
	for _, c := range d.cases {
		if seen[c] || !sharesItem(c) {
			continue
		}
		group := connected(c, seen)
		slices.SortFunc(group, proposalOrder)
		d.judgeGroup(group)
	}
}

func sharesItem(c *openCase) bool {
	return slices.ContainsFunc(c.links, func(l *link) bool { return len(l.item.links) > 1 })
}

// connected collects the cases that reach each other through shared items.
func connected(from *openCase, seen map[*openCase]bool) []*openCase {
	group := []*openCase{from}
	seen[from] = true
	for n := 0; n < len(group); n++ {
		for _, l := range group[n].links {
			for _, other := range l.item.links {
				if !seen[other.c] {
					seen[other.c] = true
					group = append(group, other.c)
				}
			}
		}
	}
	return group
}

func (d *docket) judgeGroup(group []*openCase) {
	payments := groupPayments(group)
	switch {
	case d.isBatch(group, payments):
		d.settleBatch(group, payments[0])
	case !oneKey(group):
		// Pending and refused entries never compete; what they reach is shown on each case.
		for _, c := range group {
			d.leaveAmbiguous(c, groupPayments([]*openCase{c}))
		}
	case oneAmount(group):
		d.settleReplay(group)
	default:
		d.settleByAmount(group, payments)
	}
}

// groupPayments are the booked payments of a group, in booking order.
func groupPayments(group []*openCase) []*openItem {
	var items []*openItem
	for _, c := range group {
		for _, l := range c.links {
			if isPayment(l) && !slices.Contains(items, l.item) {
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

func oneAmount(group []*openCase) bool {
	first := group[0].Attempt
	return !slices.ContainsFunc(group, func(c *openCase) bool {
		return c.Attempt.Minor != first.Minor || c.Attempt.Currency != first.Currency
	})
}

// isBatch reports whether the one payment of a group is the exact sum of its cases.
func (d *docket) isBatch(group []*openCase, payments []*openItem) bool {
	if len(payments) != 1 || len(payments[0].links) != len(group) {
		return false
	}
	var sum int64
	for _, c := range group {
		if c.Attempt.Currency != payments[0].Currency {
			return false
		}
		sum += c.Attempt.Minor
	}
	return sum == payments[0].compared() && len(group) > 1 && group[0].Attempt.Minor != sum
}

func (d *docket) settleBatch(group []*openCase, payment *openItem) {
	for _, c := range group {
		c.tied = true
		c.finding.Differences = d.payeeDifferences(c, []*link{{item: payment}})
		payments := c.linkedTo(isPayment)
		c.finding.Evidence.Settlement, c.finding.Evidence.Variance = d.weigh(c, c.finding.Differences, payments)
	}
}

// settleReplay gives everything to the earliest case; the others are replays of it.
func (d *docket) settleReplay(group []*openCase) {
	owner := group[0]
	for _, c := range group[1:] {
		for _, l := range slices.Clone(c.links) {
			if l.item.Moved() {
				c.release(l)
				if !slices.ContainsFunc(owner.links, func(own *link) bool { return own.item == l.item }) {
					d.tie(owner, l.item, l.tier, l.role)
				}
			}
		}
	}
	payments := owner.linkedTo(isPayment)
	if len(payments) == 0 {
		return
	}
	for _, c := range group[1:] {
		c.tied = true
		c.finding.Evidence.Settlement = Shared
		c.links = append(c.links, &link{c, payments[0].item, payments[0].tier, RoleShared})
	}
}

// settleByAmount pairs the payments of one key with the cases of their exact amount, first proposed first. What fits
// none, and the cases that are left while such a payment is there, stay ambiguous.
func (d *docket) settleByAmount(group []*openCase, payments []*openItem) {
	taken := map[*openCase]*openItem{}
	var left []*openItem
	for _, i := range payments {
		fits := func(c *openCase) bool {
			return c.Attempt.Minor == i.compared() && c.Attempt.Currency == i.Currency
		}
		at := slices.IndexFunc(group, func(c *openCase) bool { return taken[c] == nil && fits(c) })
		if at < 0 {
			at = slices.IndexFunc(group, fits)
		}
		if at < 0 {
			left = append(left, i)
			continue
		}
		if taken[group[at]] == nil {
			taken[group[at]] = i
		}
		for _, l := range slices.Clone(i.links) {
			if l.c != group[at] {
				l.c.release(l)
			}
		}
	}
	if len(left) == 0 {
		return
	}
	for _, c := range group {
		if taken[c] == nil {
			d.leaveAmbiguous(c, left)
		}
	}
	for _, i := range left {
		for _, l := range slices.Clone(i.links) {
			if taken[l.c] != nil {
				l.c.release(l)
			}
		}
		if len(i.links) == 0 && i.class == "" {
			i.class = Ambiguous
			i.candidates = group
		}
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
		d.candidate(c, i)
	}
}

func (d *docket) candidate(c *openCase, i *openItem) {
	i.class = Ambiguous
	if !slices.Contains(i.candidates, c) {
		i.candidates = append(i.candidates, c)
	}
	if !slices.ContainsFunc(c.finding.Candidates, func(e *ledger.Entry) bool { return e == &i.Entry }) {
		c.finding.Candidates = append(c.finding.Candidates, &i.Entry)
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
