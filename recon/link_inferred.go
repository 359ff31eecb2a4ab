package recon

import (
	"cmp"
	"slices"

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
		{func(i *openItem) bool { return i.Moved() }, func(c *openCase) bool { return len(c.linkedTo(isPayment)) == 0 }},
		{isPendingItem, func(c *openCase) bool { return len(c.links) == 0 }},
		{func(i *openItem) bool { return i.Status == ledger.StatusRejected }, func(c *openCase) bool { return len(c.links) == 0 }},
	} {
		free := func(i *openItem) bool {
			return i.outflow() && len(i.links) == 0 && i.class == "" && stage.takes(i)
		}
		open := func(c *openCase) bool { return !c.tied && stage.open(c) }
		d.linkByReference(free, open)
		d.linkByAttributes(free, open)
	}
}

func isPendingItem(i *openItem) bool { return !i.Moved() && i.Status != ledger.StatusRejected }

// refBucket is what has one reference in one currency.
type refBucket struct {
	cases  []*openCase // open ones
	linked []*openCase // linked already: what is left over may be their excess
	items  []*openItem
}

// linkByReference is tier 3. Within a reference, exact amounts are matched first; then one attempt that several
// entries add up to; then what is left, as a variance; then the surplus, as excess.
func (d *docket) linkByReference(free func(*openItem) bool, open func(*openCase) bool) {
	buckets := map[string]*refBucket{}
	var order []string
	bucketOf := func(key string, c ledger.Currency) *refBucket {
		key = string(c) + " " + key
		b := buckets[key]
		if b == nil {
			b = &refBucket{}
			buckets[key] = b
			order = append(order, key)
		}
		return b
	}
	for _, i := range d.items {
		if !free(i) {
			continue
		}
		for _, form := range itemReferences(i) {
			b := bucketOf(form, i.Currency)
			b.items = append(b.items, i)
		}
	}
	for _, c := range d.cases {
		for _, form := range forms(c.Attempt.Reference) {
			b := buckets[string(c.Attempt.Currency)+" "+form]
			if b == nil {
				continue
			}
			if open(c) {
				b.cases = append(b.cases, c)
			} else if !c.tied {
				b.linked = append(b.linked, c)
			}
		}
	}
	slices.Sort(order)
	for _, key := range order {
		d.judgeReference(buckets[key], free, open)
	}
}

// forms are the comparable spellings of a reference: one, or two where letters are folded in two ways.
func forms(reference string) []string {
	folded, plain := foldReference(reference), foldReferencePlain(reference)
	switch {
	case folded == "":
		return nil
	case folded == plain:
		return []string{folded}
	default:
		return []string{folded, plain}
	}
}

// itemReferences are the comparable spellings of every text of an entry that may be a reference as a whole.
func itemReferences(i *openItem) []string {
	var all []string
	for _, text := range [...]string{i.MerchantReference, i.EndToEndID, i.RemittanceText} {
		for _, form := range forms(text) {
			if !slices.Contains(all, form) {
				all = append(all, form)
			}
		}
	}
	return all
}

func (d *docket) judgeReference(b *refBucket, free func(*openItem) bool, open func(*openCase) bool) {
	b.items = slices.DeleteFunc(b.items, func(i *openItem) bool { return !free(i) })
	b.cases = slices.DeleteFunc(b.cases, func(c *openCase) bool { return !open(c) })
	if len(b.items) == 0 {
		return
	}
	exact := d.referenceAssigner(func(c *openCase, i *openItem) bool { return c.Attempt.Minor == i.compared() })
	var left []*openItem
	if len(b.cases) > 0 {
		result := exact.assign(b.cases, b.items)
		d.accept(result, ByReference)
		left = result.surplus
	} else {
		left = slices.Clone(b.items)
		slices.SortFunc(left, bookingOrder)
	}
	cases := slices.DeleteFunc(slices.Clone(b.cases), func(c *openCase) bool { return c.tied || len(c.links) > 0 })
	if left = d.linkParts(cases, left); len(left) == 0 {
		return
	}
	cases = slices.DeleteFunc(cases, func(c *openCase) bool { return c.tied || len(c.links) > 0 })
	left = d.linkExcess(slices.Concat(b.cases, b.linked), left)
	if len(cases) == 0 || len(left) == 0 {
		return
	}
	variance := d.referenceAssigner(func(*openCase, *openItem) bool { return true })
	d.accept(variance.assign(cases, left), ByReference)
}

// referenceAssigner matches within one reference: destination equal where both give it, amounts as asked.
func (d *docket) referenceAssigner(amounts func(*openCase, *openItem) bool) assigner {
	return assigner{
		d:    d,
		fits: func(c *openCase, i *openItem) bool { return samePayee(c, i) && amounts(c, i) },
		likeCases: func(a, b *openCase) bool {
			return a.Attempt.Minor == b.Attempt.Minor && foldAccount(a.Attempt.DestAccount) == foldAccount(b.Attempt.DestAccount)
		},
		likeItems: func(a, b *openItem) bool {
			return a.compared() == b.compared() && likeOrAbsent(foldAccount(a.CounterpartyAccount), foldAccount(b.CounterpartyAccount))
		},
	}
}

func samePayee(c *openCase, i *openItem) bool {
	return likeOrAbsent(foldAccount(c.Attempt.DestAccount), foldAccount(i.CounterpartyAccount))
}

func sameSource(c *openCase, i *openItem) bool {
	return likeOrAbsent(foldAccount(c.Attempt.SourceAccount), foldAccount(i.AccountID))
}

func likeOrAbsent(a, b string) bool { return a == "" || b == "" || a == b }

// linkParts ties two or more entries of one reference to the one attempt of it that they may be parts of, and returns
// what is left. They need not add up: parts that do not are a variance of the attempt.
func (d *docket) linkParts(cases []*openCase, items []*openItem) []*openItem {
	if len(cases) != 1 || len(items) < 2 {
		return items
	}
	c := cases[0]
	var parts, left []*openItem
	for _, i := range items {
		if d.inWindow(c, i) && samePayee(c, i) && i.compared() < c.Attempt.Minor {
			parts = append(parts, i)
		} else {
			left = append(left, i)
		}
	}
	if len(parts) < 2 {
		return items
	}
	for _, i := range parts {
		d.tie(c, i, ByReference, roleOf(&i.Entry))
	}
	return left
}

// linkExcess ties entries of the exact amount that are left over to the attempt that has been paid already, the
// latest one before them, and returns what is left.
func (d *docket) linkExcess(cases []*openCase, items []*openItem) []*openItem {
	var left []*openItem
	for _, i := range items {
		var owner *openCase
		for _, c := range cases {
			paid := !c.tied && len(c.linkedTo(isPayment)) > 0
			fits := paid && i.Moved() && c.Attempt.Minor == i.compared() && samePayee(c, i) && d.inWindow(c, i)
			if fits && (owner == nil || proposalOrder(owner, c) < 0) {
				owner = c
			}
		}
		if owner == nil {
			left = append(left, i)
			continue
		}
		d.tie(owner, i, ByReference, RoleSettles)
	}
	return left
}

// linkByAttributes is tier 4: the same exact amount, currency and destination, both given, and no key or reference of
// one namespace that differs.
func (d *docket) linkByAttributes(free func(*openItem) bool, open func(*openCase) bool) {
	type attributes struct {
		minor    int64
		currency ledger.Currency
		payee    string
	}
	type bucket struct {
		cases []*openCase
		items []*openItem
	}
	buckets := map[attributes]*bucket{}
	var order []attributes
	for _, i := range d.items {
		payee := foldAccount(i.CounterpartyAccount)
		if payee == "" || !free(i) {
			continue
		}
		key := attributes{i.compared(), i.Currency, payee}
		if buckets[key] == nil {
			buckets[key] = &bucket{}
			order = append(order, key)
		}
		buckets[key].items = append(buckets[key].items, i)
	}
	for _, c := range d.cases {
		if b := buckets[attributes{c.Attempt.Minor, c.Attempt.Currency, foldAccount(c.Attempt.DestAccount)}]; b != nil && open(c) {
			b.cases = append(b.cases, c)
		}
	}
	slices.SortFunc(order, func(a, b attributes) int {
		return cmp.Or(cmp.Compare(a.payee, b.payee), cmp.Compare(a.currency, b.currency), cmp.Compare(a.minor, b.minor))
	})
	as := assigner{d: d, fits: compatible, likeCases: likeInAttributes, likeItems: likeInNamespaces}
	for _, key := range order {
		if b := buckets[key]; len(b.cases) > 0 {
			d.accept(as.assign(b.cases, b.items), ByAttributes)
		}
	}
}

// compatible reports whether nothing forbids an attempt and an entry of like attributes: no key, provider id or
// reference that both give. Where both give one and it were equal, a stronger tier would have linked them.
func compatible(c *openCase, i *openItem) bool {
	has, gives := namespacesOfCase(c), namespacesOfItem(i)
	refusedAlready := slices.ContainsFunc(c.links, isRejected)
	return has&gives == 0 && sameSource(c, i) && !(refusedAlready && i.Moved())
}

// The namespaces of keys, as bits.
const (
	namespaceKey = 1 << iota
	namespaceProvider
	namespaceReference
)

func namespacesOfCase(c *openCase) int {
	return namespaces(c.Attempt.IdempotencyKey, "", cleanKey(lastRef(c)), c.Attempt.Reference)
}

func namespacesOfItem(i *openItem) int {
	return namespaces(i.IdempotencyKey, i.EndToEndID, cleanKey(i.ProviderID), i.MerchantReference)
}

func namespaces(key, endToEnd, provider, reference string) int {
	n := 0
	if cleanKey(key) != "" || cleanKey(endToEnd) != "" {
		n |= namespaceKey
	}
	if provider != "" {
		n |= namespaceProvider
	}
	if foldReference(reference) != "" {
		n |= namespaceReference
	}
	return n
}

func lastRef(c *openCase) string {
	if refs := c.providerRefs(); len(refs) > 0 {
		return refs[len(refs)-1]
	}
	return ""
}

func likeInAttributes(a, b *openCase) bool {
	return foldReference(a.Attempt.Reference) == foldReference(b.Attempt.Reference) &&
		foldAccount(a.Attempt.SourceAccount) == foldAccount(b.Attempt.SourceAccount) &&
		namespacesOfCase(a) == namespacesOfCase(b) && slices.ContainsFunc(a.links, isRejected) == slices.ContainsFunc(b.links, isRejected)
}

func likeInNamespaces(a, b *openItem) bool {
	return foldReference(a.MerchantReference) == foldReference(b.MerchantReference) &&
		foldAccount(a.AccountID) == foldAccount(b.AccountID) && namespacesOfItem(a) == namespacesOfItem(b)
}

// accept turns an assignment into links and candidacies.
func (d *docket) accept(result assignment, tier Tier) {
	for _, p := range result.pairs {
		d.tie(p.c, p.item, tier, roleOf(&p.item.Entry))
		if p.interchangeable {
			p.c.flag(FlagInterchangeable, "")
			p.item.flags = append(p.item.flags, Flag{Name: FlagInterchangeable})
		}
	}
	for _, a := range result.ambiguous {
		a.c.tied = true
		a.c.finding.Evidence.Settlement = AmbiguousLink
		for _, i := range a.items {
			if len(i.links) > 0 {
				continue
			}
			i.class = Ambiguous
			if len(i.candidates) < maxCandidates {
				i.candidates = append(i.candidates, a.c)
			}
			if len(a.c.finding.Candidates) < maxCandidates {
				a.c.finding.Candidates = append(a.c.finding.Candidates, &i.Entry)
			}
		}
	}
}
