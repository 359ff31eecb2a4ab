package recon

import (
	"cmp"
	"fmt"
	"iter"
	"slices"

	"agentrecon/ledger"
)

// takeApart puts the payments that a batch lists in the place of the batch, where no key of its own ties it to a case:
// each is then linked, compared and judged as an entry is, and the batch is what its parts come to. It returns them.
func (d *docket) takeApart(keys, refs *keyIndex) []*openItem {
	var parts []*openItem
	for _, i := range d.items {
		if !i.outflow() || len(i.links) > 0 || i.class != "" {
			continue
		}
		if slices.ContainsFunc(i.Children, amountless) {
			d.tieWhole(i, keys, refs)
			continue
		}
		for n := range i.Children {
			part := newOpenItem(d.policy, partOf(i.Entry, n))
			part.parent = i
			i.parts = append(i.parts, part)
		}
		parts = append(parts, i.parts...)
	}
	d.items = append(d.items, parts...)
	slices.SortFunc(d.items, func(a, b *openItem) int { return cmp.Or(cmp.Compare(a.ID, b.ID), cmp.Compare(a.No, b.No)) })
	return parts
}

// amountless reports whether a payment of a batch gives no amount that could be read.
func amountless(part ledger.Entry) bool {
	return slices.Contains(part.Warnings, ledger.WarnChildAmount)
}

// tieWhole ties a batch that does not say what it paid to whom to every case that its payments name. It is the exact sum
// of them, or ambiguous.
func (d *docket) tieWhole(i *openItem, keys, refs *keyIndex) {
	tiers := map[*openCase]Tier{}
	var named []*openCase
	for n := range i.Children {
		part := &i.Children[n]
		tier, found := ByKey, keys.find(part.IdempotencyKey, part.EndToEndID)
		if len(found) == 0 {
			tier, found = ByProviderRef, refs.find(part.ProviderID)
		}
		if len(found) == 0 {
			found = refs.find(part.TransactionID)
		}
		for _, c := range found {
			if tiers[c] == NoTier || tier < tiers[c] {
				tiers[c] = tier
			}
		}
		named = union(named, found)
	}
	for _, c := range named {
		d.tie(c, i, tiers[c], roleOf(i.Entry))
	}
	if len(named) == 1 {
		d.leaveAmbiguous(named[0], []*openItem{i})
	}
}

// partOf is the n-th payment of a batch, with what it has from the batch.
func partOf(e *ledger.Entry, n int) *ledger.Entry {
	part := e.Children[n]
	part.No, part.Status, part.Kind = e.No, e.Status, e.Kind
	part.ID = cmp.Or(part.ID, fmt.Sprintf("%s/%d", e.ID, n+1))
	part.AccountID = e.AccountID
	part.BookedOn, part.OccurredAt = e.BookedOn, e.OccurredAt
	part.Currency = cmp.Or(part.Currency, e.Currency)
	part.File, part.Line = e.File, cmp.Or(part.Line, e.Line)
	return &part
}

// withParts yields an entry and the payments it lists.
func (i *openItem) withParts() iter.Seq[*ledger.Entry] { return entryWithParts(i.Entry) }

func entryWithParts(e *ledger.Entry) iter.Seq[*ledger.Entry] {
	return func(yield func(*ledger.Entry) bool) {
		for n := -1; n < len(e.Children); n++ {
			of := e
			if n >= 0 {
				of = &e.Children[n]
			}
			if !yield(of) {
				return
			}
		}
	}
}

// whole is the item of the ledger that an item is, or is part of.
func (i *openItem) whole() *openItem {
	if i.parent != nil {
		return i.parent
	}
	return i
}

// linkOf is a link as findings show it: to the entry of the ledger, with the part of it that is meant.
func linkOf(l *link) Link {
	shown := Link{Entry: l.item.whole().Entry, Tier: l.tier, Role: l.role}
	if l.item.parent != nil {
		shown.Part = l.item.Entry
	}
	return shown
}

// classOfParts says what a batch comes to: the most pressing of what its parts are, and how many of them.
func (d *docket) classOfParts(i *openItem) (Class, string) {
	counts := map[Class]int{}
	for _, part := range i.parts {
		d.classifyItem(part)
		counts[part.class]++
	}
	if counts[OutOfScope] < len(i.parts) {
		// What was recorded of the batch shows that recording had begun.
		for _, part := range i.parts {
			if part.reason == ReasonBeforeRecording {
				counts[OutOfScope]--
				counts[UnattemptedMovement]++
			}
		}
	}
	of := func(class Class, say string) (Class, string) {
		return class, fmt.Sprintf("%d of %d payments in it %s", counts[class], len(i.parts), say)
	}
	switch {
	case counts[UnattemptedMovement] == len(i.parts):
		return UnattemptedMovement, ""
	case counts[UnattemptedMovement] > 0:
		return of(UnattemptedMovement, "without an attempt")
	case counts[ExcessSettlement] > 0:
		return of(ExcessSettlement, "in excess")
	case counts[Ambiguous] > 0:
		return of(Ambiguous, "ambiguous")
	case counts[OutOfScope] == len(i.parts):
		return OutOfScope, i.parts[0].reason
	default:
		return Matched, ""
	}
}
