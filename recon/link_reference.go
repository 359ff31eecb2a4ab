package recon

import (
	"cmp"
	"slices"
	"strings"

	"agentrecon/ledger"
)

// refBucket is what one reference, or a chain of references that items have in common, connects in one currency.
type refBucket struct {
	cases  []*openCase // open ones
	linked []*openCase // linked already: what is left over may be their excess, or their missing part
	items  []*openItem
	open   func(*openCase) bool
}

// linkByReference is tier 3. Within a reference, exact amounts are matched first; then one attempt that several
// entries are parts of; then the surplus, as excess; then what is left, as a variance.
func (d *docket) linkByReference(free func(*openItem) bool, open func(*openCase) bool) {
	for _, b := range d.refBuckets(free, open) {
		left := d.linkExact(b)
		left = d.linkParts(b, left)
		left = d.linkExcess(b, left)
		d.linkVariances(b, left)
	}
}

// refBuckets sorts free items and the cases that share a reference with them into buckets.
func (d *docket) refBuckets(free func(*openItem) bool, open func(*openCase) bool) []*refBucket {
	refs := references{numbers: map[spelling]int{}, spelled: map[spelling][]int{}}
	for _, c := range d.cases {
		if !c.tied && len(c.forms) > 0 {
			c.reference = refs.enter(c.forms, c.Attempt.Currency)
		}
	}
	var items []*openItem
	for _, i := range d.items {
		if free(i) {
			if i.references = refs.join(i); len(i.references) > 0 {
				items = append(items, i)
			}
		}
	}
	var buckets []*refBucket
	place := map[int]*refBucket{}
	for _, i := range items {
		n := refs.top(i.references[0])
		if place[n] == nil {
			place[n] = &refBucket{open: open}
			buckets = append(buckets, place[n])
		}
		place[n].items = append(place[n].items, i)
	}
	for _, c := range d.cases {
		if c.tied || len(c.forms) == 0 {
			continue
		}
		b := place[refs.top(c.reference)]
		switch {
		case b == nil:
		case open(c):
			b.cases = append(b.cases, c)
		default:
			b.linked = append(b.linked, c)
		}
	}
	return buckets
}

// references numbers what cases refer to, and joins what one item refers to (union-find). A text that no case has, such
// as one that a bank prints on every line, joins nothing.
type references struct {
	numbers map[spelling]int   // by all forms of a reference
	spelled map[spelling][]int // the references that a form spells
	root    []int
	sorted  []spelling // the forms, sorted once a cut reference asks for them
}

// spelling is one form of a reference, or all of them, in a currency.
type spelling struct {
	text     string
	currency ledger.Currency
}

// enter returns the number of a case's reference.
func (r *references) enter(forms []string, currency ledger.Currency) int {
	all := spelling{strings.Join(forms, " "), currency}
	n, known := r.numbers[all]
	if !known {
		n = len(r.root)
		r.numbers[all] = n
		r.root = append(r.root, n)
		for _, form := range forms {
			r.spelled[spelling{form, currency}] = append(r.spelled[spelling{form, currency}], n)
		}
	}
	return n
}

// join returns the references that any of an item's forms spells, else those that begin with what its bank left of one,
// ascending, and joins them.
func (r *references) join(i *openItem) []int {
	var all []int
	for _, form := range i.forms {
		all = append(all, r.spelled[spelling{form, i.currency}]...)
	}
	for n := 0; n < len(i.cuts) && len(all) == 0; n++ {
		all = r.begun(spelling{i.cuts[n], i.currency})
	}
	slices.Sort(all)
	all = slices.Compact(all)
	for _, n := range all {
		if first, n := r.top(all[0]), r.top(n); n != first {
			r.root[n] = first
		}
	}
	return all
}

// maxBegun bounds the spellings that may begin with a cut reference. What begins more than that is no reference but a
// word that all of them begin with, and names nothing.
const maxBegun = 100

// begun returns the references that begin with what a bank left of one and go on.
func (r *references) begun(cut spelling) []int {
	if r.sorted == nil {
		for form := range r.spelled {
			r.sorted = append(r.sorted, form)
		}
		slices.SortFunc(r.sorted, compareSpellings)
	}
	at, _ := slices.BinarySearchFunc(r.sorted, cut, compareSpellings)
	var all []int
	for n := at; n < len(r.sorted) && r.sorted[n].currency == cut.currency && strings.HasPrefix(r.sorted[n].text, cut.text); n++ {
		if n-at == maxBegun {
			return nil
		}
		all = append(all, r.spelled[r.sorted[n]]...)
	}
	return all
}

func compareSpellings(a, b spelling) int {
	return cmp.Or(cmp.Compare(a.currency, b.currency), cmp.Compare(a.text, b.text))
}

func (r *references) top(n int) int {
	for r.root[n] != n {
		r.root[n] = r.root[r.root[n]]
		n = r.root[n]
	}
	return n
}

// fits reports whether a case and an item of a bucket may belong together, window aside.
func (b *refBucket) fits(c *openCase, i *openItem) bool {
	return slices.Contains(i.references, c.reference) && samePayee(c, i)
}

// linkExact matches equal amounts and returns the items that are left.
func (d *docket) linkExact(b *refBucket) []*openItem {
	return d.matchReference(b, b.items, func(minor int64) int64 { return minor })
}

// linkVariances matches what is left, whatever the amount.
func (d *docket) linkVariances(b *refBucket, items []*openItem) {
	d.matchReference(b, items, func(int64) int64 { return 0 })
}

// matchReference matches the open cases of a bucket to items that agree with them in what amount makes of the amounts,
// and returns the surplus in booking order. Payees keep cases and items apart where all of them are given.
func (d *docket) matchReference(b *refBucket, items []*openItem, amount func(int64) int64) []*openItem {
	type part struct {
		minor int64
		payee string
	}
	cases := slices.DeleteFunc(slices.Clone(b.cases), func(c *openCase) bool { return !b.open(c) })
	payeeOf := func(payee string) string { return payee }
	if slices.ContainsFunc(cases, func(c *openCase) bool { return c.payee == "" }) ||
		slices.ContainsFunc(items, func(i *openItem) bool { return i.payee == "" }) {
		payeeOf = func(string) string { return "" }
	}
	var parts groups[part]
	for _, i := range items {
		parts.addItem(part{amount(i.minor), payeeOf(i.payee)}, i)
	}
	for _, c := range cases {
		parts.addCase(part{amount(c.Attempt.Minor), payeeOf(c.payee)}, c)
	}
	var surplus []*openItem
	for _, p := range parts.all {
		if len(p.cases) == 0 {
			surplus = append(surplus, p.items...)
			continue
		}
		result := d.referenceAssigner(b, p).assign(p.cases, p.items)
		d.accept(result, ByReference)
		surplus = append(surplus, result.surplus...)
	}
	slices.SortFunc(surplus, bookingOrder)
	return surplus
}

// referenceAssigner matches within a part of a bucket. Where only one payee is named there, who names it and who does
// not are alike.
func (d *docket) referenceAssigner(b *refBucket, p *group) assigner {
	payees := map[string]bool{}
	for _, c := range p.cases {
		payees[c.payee] = true
	}
	for _, i := range p.items {
		payees[i.payee] = true
	}
	delete(payees, "")
	onePayee := len(payees) < 2
	return assigner{
		d:    d,
		fits: b.fits,
		likeCases: func(x, y *openCase) bool {
			return x.Attempt.Minor == y.Attempt.Minor && (onePayee || x.payee == y.payee) && x.reference == y.reference
		},
		likeItems: func(x, y *openItem) bool {
			return x.minor == y.minor && (onePayee || x.payee == y.payee) && slices.Equal(x.references, y.references)
		},
	}
}

// maxShort bounds the attempts of one reference among which an entry looks for the one that it may be a part of.
const maxShort = 100

// linkParts ties entries to the one attempt of their reference that they may be parts of, and returns what is left:
// two or more entries to an attempt without any, which need not add up (parts that do not are a variance of the
// attempt), or the entries that complete, to the minor unit, an attempt of which a part is linked already.
func (d *docket) linkParts(b *refBucket, items []*openItem) []*openItem {
	var short []*openCase
	for _, c := range slices.Concat(b.cases, b.linked) {
		if b.open(c) || (c.has(isPayment) && paid(c) < c.Attempt.Minor) {
			short = append(short, c)
		}
	}
	if len(short) == 0 || len(short) > maxShort {
		return items
	}
	parts := map[*openCase][]*openItem{}
	for _, i := range items {
		if c := d.onlyShort(b, short, i); c != nil {
			parts[c] = append(parts[c], i)
		}
	}
	for _, c := range short {
		whole := b.open(c) && len(parts[c]) > 1
		rest := c.has(isPayment) && len(parts[c]) > 0 && sumOf(parts[c]) == c.Attempt.Minor-paid(c)
		if whole || rest {
			for _, i := range parts[c] {
				d.tie(c, i, ByReference, roleOf(i.Entry))
			}
		}
	}
	return slices.DeleteFunc(slices.Clone(items), func(i *openItem) bool { return len(i.links) > 0 })
}

// onlyShort returns the one case that an item may be a part of, if there is exactly one.
func (d *docket) onlyShort(b *refBucket, short []*openCase, i *openItem) *openCase {
	var only *openCase
	for _, c := range short {
		if i.minor < c.Attempt.Minor && d.inWindow(c, i) && b.fits(c, i) {
			if only != nil {
				return nil
			}
			only = c
		}
	}
	return only
}

func sumOf(items []*openItem) int64 {
	var sum int64
	for _, i := range items {
		sum += i.minor
	}
	return sum
}

// paid is what the payments linked to a case come to; one in another currency makes that incomparable, and so nothing
// is missing.
func paid(c *openCase) int64 {
	var sum int64
	for _, l := range c.links {
		if !isPayment(l) {
			continue
		}
		minor, currency := l.item.worth(c)
		if currency != c.Attempt.Currency {
			return c.Attempt.Minor
		}
		sum += minor
	}
	return sum
}

// linkExcess ties booked entries of the exact amount that are left over to the attempt that has been paid already,
// the latest proposed that fits, and returns what is left.
func (d *docket) linkExcess(b *refBucket, items []*openItem) []*openItem {
	byAmount := map[int64][]*openCase{}
	for _, c := range slices.Concat(b.cases, b.linked) {
		if !c.tied && c.has(isPayment) {
			byAmount[c.Attempt.Minor] = append(byAmount[c.Attempt.Minor], c)
		}
	}
	for _, cases := range byAmount {
		slices.SortFunc(cases, proposalOrder)
	}
	var left []*openItem
	for _, i := range items {
		owner := d.latest(b, byAmount[i.minor], i)
		if owner == nil || !i.Moved() {
			left = append(left, i)
			continue
		}
		d.tie(owner, i, ByReference, RoleSettles)
	}
	return left
}

// latest returns the last of sorted cases that an item fits.
func (d *docket) latest(b *refBucket, cases []*openCase, i *openItem) *openCase {
	after, _ := slices.BinarySearchFunc(cases, i, func(c *openCase, i *openItem) int {
		if i.before(d.policy.windowStart(c.Attempt.ProposedAt)) {
			return 1
		}
		return -1
	})
	for n := after - 1; n >= 0; n-- {
		if !i.start.Before(d.policy.windowEnd(cases[n].Attempt.ProposedAt)) {
			return nil
		}
		if b.fits(cases[n], i) {
			return cases[n]
		}
	}
	return nil
}
