package recon

import (
	"slices"
	"strings"

	"agentrecon/ledger"
)

// maxCandidates bounds how many candidates an ambiguous item lists.
const maxCandidates = 100

// linkInferred links what no key linked: by reference (tier 3), then by attributes (tier 4). Booked entries go first;
// pending and rejected ones never compete with them.
func (d *docket) linkInferred() {
	for _, stage := range []struct {
		takes func(*openItem) bool
		open  func(*openCase) bool
	}{
		{func(i *openItem) bool { return i.Moved() }, func(c *openCase) bool { return !c.has(isPayment) }},
		{isPendingItem, func(c *openCase) bool { return len(c.links) == 0 }},
		{func(i *openItem) bool { return i.Status == ledger.StatusRejected }, func(c *openCase) bool { return len(c.links) == 0 }},
	} {
		free := func(i *openItem) bool {
			return i.outflow() && len(i.links) == 0 && len(i.parts) == 0 && i.class == "" && stage.takes(i)
		}
		open := func(c *openCase) bool { return !c.tied && stage.open(c) }
		instructed := func(i *openItem) bool { return i.instructed() && free(i) }
		for _, link := range []func(func(*openItem) bool, func(*openCase) bool){d.linkByReference, d.linkByAttributes} {
			d.turn(false)
			link(free, open)
			d.turn(true)
			link(instructed, open)
		}
	}
}

// turn has tiers 3 and 4 compare items by what was booked, or by what was instructed in another currency.
func (d *docket) turn(instructed bool) {
	for _, i := range d.items {
		if i.minor, i.currency = i.compared(), i.Currency; instructed && i.instructed() {
			i.minor, i.currency = -i.OrigAmount.Minor, i.OrigCurrency
		}
	}
}

func isPendingItem(i *openItem) bool { return !i.Moved() && i.Status != ledger.StatusRejected }

func samePayee(c *openCase, i *openItem) bool { return likeOrAbsent(c.payee, i.payee) }

func sameSource(c *openCase, i *openItem) bool {
	return likeOrAbsent(foldAccount(c.Attempt.SourceAccount), foldAccount(i.AccountID))
}

func likeOrAbsent(a, b string) bool { return a == "" || b == "" || a == b }

// attributes are what items and attempts of tier 4 agree in.
type attributes struct {
	minor    int64
	currency ledger.Currency
	payee    string
}

// linkByAttributes is tier 4: the same exact amount, currency and destination, both given, and no key or reference of
// one namespace that differs.
func (d *docket) linkByAttributes(free func(*openItem) bool, open func(*openCase) bool) {
	var buckets groups[attributes]
	for _, i := range d.items {
		if i.payee != "" && free(i) {
			buckets.addItem(attributes{i.minor, i.currency, i.payee}, i)
		}
	}
	for _, c := range d.cases {
		if open(c) {
			buckets.addCase(attributes{c.Attempt.Minor, c.Attempt.Currency, c.payee}, c)
		}
	}
	as := assigner{
		d: d, fits: compatible, sameCases: fitTheSame, sameItems: fittedTheSame,
		likeCases: func(a, b *openCase) bool {
			return foldReference(a.Attempt.Reference) == foldReference(b.Attempt.Reference)
		},
		likeItems: func(a, b *openItem) bool {
			return foldReference(a.MerchantReference) == foldReference(b.MerchantReference)
		},
	}
	for _, b := range buckets.all {
		if len(b.cases) > 0 {
			d.accept(as.assign(b.cases, b.items), ByAttributes)
		}
	}
}

// compatible reports whether nothing forbids an attempt and an entry of like attributes: no key, provider id or
// reference that both give. Where both give one and it were equal, a stronger tier would have linked them.
func compatible(c *openCase, i *openItem) bool {
	refusedAlready := c.has(isRejected)
	return differing(c, i) == 0 && sameSource(c, i) && !(refusedAlready && i.Moved())
}

// differing are the namespaces in which both give a name, and so, for tiers 1 to 3 come first, not the same. What a bank
// left of the attempt's reference is no other reference.
func differing(c *openCase, i *openItem) int {
	both := namespacesOfCase(c) & namespacesOfItem(i)
	if both&namespaceReference != 0 && cutOf(c, i) {
		both &^= namespaceReference
	}
	return both
}

// cutOf reports whether an entry's reference is the beginning of a case's, and as long as banks leave of one. Where the
// policy names no length this is all that a cut reference is good for: it forbids nothing. Alone it links nothing then.
func cutOf(c *openCase, i *openItem) bool {
	return slices.ContainsFunc(cutForms(usualCuts, i.MerchantReference), func(cut string) bool {
		return slices.ContainsFunc(c.forms, func(form string) bool { return strings.HasPrefix(form, cut) })
	})
}

// The namespaces of keys, as bits.
const (
	namespaceKey = 1 << iota
	namespaceProvider
	namespaceReference
)

func namespacesOfCase(c *openCase) int {
	return namespaces(cleanKey(c.Attempt.IdempotencyKey) != "", len(c.providerRefs()) > 0, len(c.forms) > 0)
}

func namespacesOfItem(i *openItem) int {
	key := cleanKey(i.IdempotencyKey) != "" || cleanKey(i.EndToEndID) != ""
	provider := !i.BankID && (cleanKey(i.ProviderID) != "" || cleanKey(i.TransactionID) != "")
	return namespaces(key, provider, foldReference(i.MerchantReference) != "")
}

func namespaces(key, provider, reference bool) int {
	n := 0
	if key {
		n |= namespaceKey
	}
	if provider {
		n |= namespaceProvider
	}
	if reference {
		n |= namespaceReference
	}
	return n
}

// fitTheSame reports whether entries of like attributes fit two attempts of one reference alike.
func fitTheSame(a, b *openCase) bool {
	return foldAccount(a.Attempt.SourceAccount) == foldAccount(b.Attempt.SourceAccount) &&
		namespacesOfCase(a) == namespacesOfCase(b) && a.has(isRejected) == b.has(isRejected)
}

// fittedTheSame reports whether attempts of like attributes fit two entries of one reference alike.
func fittedTheSame(a, b *openItem) bool {
	return foldAccount(a.AccountID) == foldAccount(b.AccountID) && namespacesOfItem(a) == namespacesOfItem(b)
}

// accept turns an assignment into links and candidacies.
func (d *docket) accept(result assignment, tier Tier) {
	for _, p := range result.pairs {
		d.tie(p.c, p.item, tier, roleOf(p.item.Entry))
		if p.interchangeable {
			p.c.flag(FlagInterchangeable, "")
			p.item.flags = append(p.item.flags, Flag{Name: FlagInterchangeable})
		}
	}
	for _, a := range result.ambiguous {
		a.c.tied = true
		a.c.finding.Evidence.Settlement = AmbiguousLink
		for _, i := range a.items {
			if len(i.links) == 0 {
				a.c.finding.Candidates = append(a.c.finding.Candidates, i.whole().Entry)
			}
		}
	}
	for _, doubt := range result.doubtful {
		doubt.item.class, doubt.item.candidates = Ambiguous, doubt.cases
	}
}

// group is what agrees in some key.
type group struct {
	cases []*openCase
	items []*openItem
}

// groups sorts cases and items by a key, in the order in which the keys first came up.
type groups[K comparable] struct {
	all   []*group
	place map[K]*group
}

func (g *groups[K]) addItem(key K, i *openItem) {
	if g.place[key] == nil {
		if g.place == nil {
			g.place = map[K]*group{}
		}
		g.place[key] = &group{}
		g.all = append(g.all, g.place[key])
	}
	g.place[key].items = append(g.place[key].items, i)
}

// addCase adds a case to a group that has items; a case without any needs no group. It reports whether there is one.
func (g *groups[K]) addCase(key K, c *openCase) bool {
	at := g.place[key]
	if at != nil {
		at.cases = append(at.cases, c)
	}
	return at != nil
}
