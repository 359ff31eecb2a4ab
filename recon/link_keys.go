package recon

import (
	"cmp"
	"slices"

	"agentrecon/ledger"
)

// maxKeyLinks bounds the links that one key may make, attempts times entries. A key beyond it names nothing: a caller
// that sends one constant key would else tie everything to everything.
const maxKeyLinks = 100_000

// keyIndex finds cases by a key: exactly, else folded where the fold is unique on both sides.
type keyIndex struct {
	exact  map[string][]*openCase
	folded map[string][]*openCase
	asked  map[string]int      // how many entries carry a key
	unmet  map[string][]string // by fold, the distinct keys of entries that found nothing exactly
}

func newKeyIndex() *keyIndex {
	return &keyIndex{map[string][]*openCase{}, map[string][]*openCase{}, map[string]int{}, map[string][]string{}}
}

// add enters a case under a key. All keys of a case are added before those of the next.
func (x *keyIndex) add(key string, c *openCase) {
	if key = cleanKey(key); key == "" {
		return
	}
	addOnce := func(m map[string][]*openCase, key string) {
		if n := len(m[key]); n == 0 || m[key][n-1] != c {
			m[key] = append(m[key], c)
		}
	}
	addOnce(x.exact, key)
	addOnce(x.folded, foldKey(key))
}

// find returns the cases of the first of an entry's keys that has any, exactly.
func (x *keyIndex) find(keys ...string) []*openCase {
	var found []*openCase
	for _, key := range keys {
		key = cleanKey(key)
		if cases := x.exact[key]; len(cases)*x.asked[key] <= maxKeyLinks {
			found = union(found, cases)
		}
	}
	return found
}

// miss notes keys that found nothing exactly: two spellings of one fold make the fold ambiguous.
func (x *keyIndex) miss(keys ...string) {
	for _, key := range keys {
		if key = cleanKey(key); key == "" || len(x.exact[key]) > 0 {
			continue
		}
		if fold := foldKey(key); !slices.Contains(x.unmet[fold], key) {
			x.unmet[fold] = append(x.unmet[fold], key)
		}
	}
}

// findFolded returns the one case that a fold of the keys names, on both sides alone.
func (x *keyIndex) findFolded(keys ...string) []*openCase {
	var found []*openCase
	for _, key := range keys {
		fold := foldKey(key)
		if cases := x.folded[fold]; fold != "" && len(cases) == 1 && len(x.unmet[fold]) == 1 {
			found = union(found, cases)
		}
	}
	return found
}

// union joins two lists of cases, each sorted by id without repeats.
func union(a, b []*openCase) []*openCase {
	if len(a) == 0 || len(b) == 0 {
		return slices.Concat(a, b)
	}
	all := slices.Concat(a, b)
	slices.SortFunc(all, func(x, y *openCase) int { return cmp.Compare(x.Attempt.ID, y.Attempt.ID) })
	return slices.Compact(all)
}

// linkByKeys ties items to the cases that their keys name (tiers 1 and 2), whatever the amount, so that variances
// show as variances and not as two one-sided items.
func (d *docket) linkByKeys() {
	keys, refs := d.indexKeys()
	d.linkNamed(keys, refs, d.items)
	d.linkNamed(keys, refs, d.takeApart(keys, refs))
}

// linkNamed ties items to the cases that their keys name, exactly or else folded. Providers that number what an entry is of
// apart from the entry, as Stripe does, report the former: it counts where the entry's own id names nothing.
func (d *docket) linkNamed(keys, refs *keyIndex, items []*openItem) {
	var unmet []*openItem
	for _, i := range items {
		if i.scope != "" {
			continue
		}
		tier, named := ByKey, keys.find(i.IdempotencyKey, i.EndToEndID)
		if len(named) == 0 {
			tier, named = ByProviderRef, refs.find(i.ProviderID)
		}
		if len(named) == 0 {
			named = refs.find(i.TransactionID)
		}
		if len(named) == 0 {
			unmet = append(unmet, i)
			keys.miss(i.IdempotencyKey, i.EndToEndID)
			refs.miss(i.ProviderID)
		}
		d.tieAll(named, i, tier)
	}
	for _, i := range unmet {
		tier, named := ByKey, keys.findFolded(i.IdempotencyKey, i.EndToEndID)
		if len(named) == 0 {
			tier, named = ByProviderRef, refs.findFolded(i.ProviderID)
		}
		d.tieAll(named, i, tier)
	}
}

// indexKeys enters the cases under what names them, and counts how many items carry each name.
func (d *docket) indexKeys() (keys, refs *keyIndex) {
	keys, refs = newKeyIndex(), newKeyIndex()
	for _, c := range d.cases {
		keys.add(c.Attempt.IdempotencyKey, c)
		keys.add(c.Attempt.ID, c)
		for _, ref := range c.providerRefs() {
			refs.add(ref, c)
		}
	}
	for _, i := range d.items {
		if i.scope != "" {
			continue
		}
		for e := range i.withParts() {
			keys.asked[cleanKey(e.IdempotencyKey)]++
			keys.asked[cleanKey(e.EndToEndID)]++
			refs.asked[cleanKey(e.ProviderID)]++
			refs.asked[cleanKey(e.TransactionID)]++
		}
	}
	return keys, refs
}

func (d *docket) tieAll(cases []*openCase, i *openItem, tier Tier) {
	for _, c := range cases {
		d.tie(c, i, tier, roleOf(i.Entry))
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

// linkReversals ties money that came back and names an original entry to that entry's cases, whatever linked them.
func (d *docket) linkReversals() {
	originals := map[string]*openItem{}
	for _, i := range d.items {
		if _, known := originals[i.ProviderID]; !known && i.outflow() && i.Moved() && i.ProviderID != "" {
			originals[i.ProviderID] = i
		}
	}
	for _, i := range d.items {
		original := originals[i.OriginalProviderID]
		if original == nil || i.scope != "" || !isRefund(i) || len(i.links) > 0 {
			continue
		}
		i.class = Reversal
		for _, of := range append([]*openItem{original}, original.parts...) {
			for _, l := range of.links {
				d.tie(l.c, i, l.tier, RoleReversal)
			}
		}
	}
}

// isRefund reports whether an item says that money came back.
func isRefund(i *openItem) bool { return i.Moved() && i.Amount >= 0 }
