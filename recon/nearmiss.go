package recon

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"agentrecon/ledger"
)

// NearMiss is an entry that resembles an attempt and is not linked to it.
type NearMiss struct {
	Entry *ledger.Entry
	Why   []string // every reason, each enough by itself; never empty
}

// NearMisses says of entries that resemble an attempt why no link joins them, the fewest reasons first, then by entry
// id. Entries in linked are the attempt's own and left out. owners names, by entry number, the attempts that entries
// belong to. It explains what [Run] concluded and decides nothing.
func NearMisses(policy Policy, c Case, linked []Link, entries []ledger.Entry, owners map[int64][]string) []NearMiss {
	d := newDocket(policy, c.Attempt.ProposedAt, coverageMap{}, time.Time{}, []Case{c}, entries)
	var misses []NearMiss
	for _, i := range d.items {
		if slices.ContainsFunc(linked, func(l Link) bool { return l.Entry.No == i.No }) {
			continue
		}
		misses = append(misses, NearMiss{i.Entry, d.whyNot(d.cases[0], i, owners[i.No])})
	}
	slices.SortStableFunc(misses, func(a, b NearMiss) int {
		return cmp.Or(cmp.Compare(len(a.Why), len(b.Why)), cmp.Compare(a.Entry.ID, b.Entry.ID))
	})
	return misses
}

// whyNot asks in the order in which the engine does: what the entry is, whose it is, and what tiers 3 and 4 compare.
func (d *docket) whyNot(c *openCase, i *openItem, owners []string) []string {
	var why []string
	because := func(is bool, format string, args ...any) {
		if is {
			why = append(why, fmt.Sprintf(format, args...))
		}
	}
	because(i.scope != "", "out of scope: %s", i.scope)
	because(i.Amount >= 0, "money came in")
	because(!i.Moved(), "it is %s: no money moved by it", i.Status)
	because(len(owners) > 0, "it belongs to attempt %s", strings.Join(owners, ", "))
	because(i.Currency != c.Attempt.Currency, "its currency is %s, not %s", i.Currency, c.Attempt.Currency)
	because(i.Amount < 0 && i.Currency == c.Attempt.Currency && i.compared() != c.Attempt.Minor, "its amount is %s, not %s, and neither a key nor a reference ties them",
		ledger.FormatMoney(i.compared(), i.Currency), ledger.FormatMoney(c.Attempt.Minor, c.Attempt.Currency))
	because(d.early(c, i), "it lies before the attempt's window, which began %s", d.policy.windowStart(c.Attempt.ProposedAt).UTC().Format(time.RFC3339))
	because(d.late(c, i), "it lies after the attempt's window, which ended %s", d.policy.windowEnd(c.Attempt.ProposedAt).UTC().Format(time.RFC3339))
	because(c.payee == "" || i.payee == "", "no payee on both sides: an amount alone is no key")
	because(!samePayee(c, i), "its payee is %s, not %s", i.CounterpartyAccount, c.Attempt.DestAccount)
	because(!sameSource(c, i), "its account is %s, not %s", i.AccountID, c.Attempt.SourceAccount)
	both := differing(c, i)
	because(both&namespaceKey != 0, "its key is %s, not %s", cmp.Or(cleanKey(i.IdempotencyKey), cleanKey(i.EndToEndID)), c.Attempt.IdempotencyKey)
	because(both&namespaceProvider != 0, "its provider id is %s, not %s", i.ProviderID, strings.Join(c.providerRefs(), ", "))
	because(both&namespaceReference != 0 && !sameReference(c, i), "its reference is %s, not %s", i.MerchantReference, c.Attempt.Reference)
	if why == nil {
		why = []string{"nothing forbids it, and other pairings were as good: a person has to decide"}
	}
	return why
}

func sameReference(c *openCase, i *openItem) bool {
	return slices.ContainsFunc(c.forms, func(form string) bool { return slices.Contains(i.forms, form) })
}
