package recontest

import (
	"fmt"
	"slices"

	"agentrecon/ledger"
	"agentrecon/recon"
)

// split gives the payments inside a batch that no key of its own links a life of their own.
func (m *model) split() []*refEntry {
	var parts []*refEntry
	for _, e := range m.entries {
		if e.outside() || e.Amount >= 0 || len(e.attempts) > 0 {
			continue
		}
		if slices.ContainsFunc(e.Children, func(child ledger.Entry) bool { return slices.Contains(child.Warnings, ledger.WarnChildAmount) }) {
			m.linkWhole(e)
			continue
		}
		for n, child := range e.Children {
			p := &refEntry{Entry: child, batch: e, start: e.start, end: e.end}
			p.Status, p.Kind, p.AccountID, p.BookedOn, p.OccurredAt = e.Status, e.Kind, e.AccountID, e.BookedOn, e.OccurredAt
			if p.ID == "" {
				p.ID = fmt.Sprint(e.ID, "/", n+1)
			}
			p.scope = m.outOfScope(p)
			e.parts = append(e.parts, p)
			parts = append(parts, p)
		}
	}
	m.entries = append(m.entries, parts...)
	slices.SortFunc(m.entries, byBooking)
	return parts
}

// linkWhole links a batch whose payments do not say how much each was to every attempt that they name exactly: the sum may
// say that it is theirs. Of one attempt alone it says nothing.
func (m *model) linkWhole(e *refEntry) {
	for _, child := range e.Children {
		named, tier := m.namedBy(&refEntry{Entry: child})
		for _, a := range named {
			if !slices.Contains(e.attempts, a) {
				join(a, e, tier)
			} else {
				a.tiers[e][0] = min(a.tiers[e][0], tier)
			}
		}
	}
	if len(e.attempts) == 1 {
		m.give(e.attempts[0], []*refEntry{e})
	}
}

// What names an attempt, on both sides, as a key or as the provider's reference.
func namesOf(e *refEntry) []string {
	return []string{plainKey(e.IdempotencyKey), plainKey(e.EndToEndID)}
}
func refsOf(e *refEntry) []string    { return []string{plainKey(e.ProviderID)} }
func (a *refAttempt) keys() []string { return []string{plainKey(a.IdempotencyKey), plainKey(a.ID)} }
func (a *refAttempt) ids() []string  { return a.refs }

// naming are the attempts that one of some names names, read in some way.
func (m *model) naming(names []string, by func(*refAttempt) []string, read func(string) string) []*refAttempt {
	var found []*refAttempt
	for _, a := range m.attempts {
		if slices.ContainsFunc(names, func(x string) bool {
			return x != "" && slices.ContainsFunc(by(a), func(y string) bool { return read(x) == read(y) })
		}) {
			found = append(found, a)
		}
	}
	return found
}

// namedBy are the attempts that an entry names exactly, by key or else by the provider's reference: of the entry, or else of
// what the entry is of.
func (m *model) namedBy(e *refEntry) ([]*refAttempt, recon.Tier) {
	exactly := func(s string) string { return s }
	if found := m.naming(namesOf(e), (*refAttempt).keys, exactly); len(found) > 0 {
		return found, recon.ByKey
	}
	if found := m.naming(refsOf(e), (*refAttempt).ids, exactly); len(found) > 0 {
		return found, recon.ByProviderRef
	}
	return m.naming([]string{plainKey(e.TransactionID)}, (*refAttempt).ids, exactly), recon.ByProviderRef
}

// linkKeys links entries by tiers 1 and 2.
func (m *model) linkKeys(list []*refEntry) {
	if m.named == nil {
		m.named = map[*refEntry][]*refAttempt{}
	}
	named, tiers := m.named, map[*refEntry]recon.Tier{}
	for _, e := range list {
		if !e.outside() {
			named[e], tiers[e] = m.namedBy(e)
		}
	}
	// A fold names an attempt if it names one only, and only one spelling of it is left without an equal.
	folded := func(e *refEntry, of func(*refEntry) []string, by func(*refAttempt) []string) []*refAttempt {
		var found []*refAttempt
		for _, x := range of(e) {
			if x == "" {
				continue
			}
			like := m.naming([]string{x}, by, looseKey)
			spelled := map[string]bool{}
			for _, other := range m.entries {
				for _, y := range of(other) {
					if !other.outside() && len(named[other]) == 0 && y != "" && looseKey(y) == looseKey(x) {
						spelled[y] = true
					}
				}
			}
			if len(like) == 1 && len(spelled) == 1 && !slices.Contains(found, like[0]) {
				found = append(found, like[0])
			}
		}
		return found
	}
	late := map[*refEntry][]*refAttempt{}
	for _, e := range list {
		if !e.outside() && len(named[e]) == 0 {
			if late[e], tiers[e] = folded(e, namesOf, (*refAttempt).keys), recon.ByKey; len(late[e]) == 0 {
				late[e], tiers[e] = folded(e, refsOf, (*refAttempt).ids), recon.ByProviderRef
			}
		}
	}
	for _, e := range list {
		for _, a := range slices.Concat(named[e], late[e]) {
			join(a, e, tiers[e])
		}
	}
}

func (m *model) judgeGroups() {
	seen := map[*refAttempt]bool{}
	for _, a := range m.attempts {
		if seen[a] {
			continue
		}
		group := []*refAttempt{a}
		for n := 0; n < len(group); n++ {
			for _, e := range group[n].entries {
				for _, other := range e.attempts {
					if !slices.Contains(group, other) {
						group = append(group, other)
					}
				}
			}
		}
		for _, member := range group {
			seen[member] = true
		}
		if len(group) > 1 {
			slices.SortFunc(group, func(a, b *refAttempt) int { return slices.Index(m.attempts, a) - slices.Index(m.attempts, b) })
			m.judgeGroup(group)
		}
	}
}

func (m *model) judgeGroup(group []*refAttempt) {
	var paid []*refEntry
	oneKey := plainKey(group[0].IdempotencyKey) != ""
	for _, a := range group {
		oneKey = oneKey && plainKey(a.IdempotencyKey) == plainKey(group[0].IdempotencyKey)
		for _, e := range a.with(isPaid) {
			if !slices.Contains(paid, e) {
				paid = append(paid, e)
			}
		}
	}
	if m.batch(group, paid, oneKey) {
		return
	}
	if !oneKey {
		for _, a := range group {
			m.give(a, a.with(isPaid))
		}
		return
	}
	// Payees tell calls apart if everybody names one and nobody was paid that no call names.
	asked := map[string]bool{}
	for _, a := range group {
		asked[account(a.DestAccount)] = true
	}
	byPayee := len(paid) > 0 && !asked[""]
	for _, e := range paid {
		byPayee = byPayee && asked[account(e.CounterpartyAccount)]
	}
	type amount struct {
		minor    int64
		currency ledger.Currency
		payee    string
	}
	call := func(minor int64, currency ledger.Currency, payee string) amount {
		if !byPayee {
			payee = ""
		}
		return amount{minor, currency, account(payee)}
	}
	calls := map[amount][]*refAttempt{}
	for _, a := range group {
		of := call(a.Minor, a.Currency, a.DestAccount)
		calls[of] = append(calls[of], a)
	}
	if len(calls) == 1 {
		m.replay(group)
		return
	}
	var strange []*refEntry
	for _, e := range paid {
		of := call(e.worth(), e.Currency, e.CounterpartyAccount)
		if calls[of] == nil && e.OrigAmount.Given && e.OrigCurrency != e.Currency {
			of = call(-e.OrigAmount.Minor, e.OrigCurrency, e.CounterpartyAccount)
		}
		if calls[of] == nil {
			strange = append(strange, e)
			e.ambiguous = true
		}
		for _, a := range slices.Clone(e.attempts) {
			if call(a.Minor, a.Currency, a.DestAccount) != of {
				part(a, e)
			}
		}
	}
	for _, call := range calls {
		if slices.ContainsFunc(call, func(a *refAttempt) bool { return len(a.with(isPaid)) > 0 }) {
			m.replay(call)
		} else {
			for _, a := range call {
				m.give(a, strange)
			}
		}
	}
	for _, e := range strange { // everybody has his own: it may be anybody's
		if len(e.candidates) == 0 {
			e.candidates = group
		}
	}
}

// batch pays a group by one payment of its sum, or several that are each of it; of one key it may be the sum without those
// that failed, or the sum of those alone that succeeded.
func (m *model) batch(group []*refAttempt, paid []*refEntry, oneKey bool) bool {
	for _, e := range paid {
		if len(e.attempts) != len(group) {
			return false
		}
	}
	for _, worst := range []int{2, 1, 0} {
		var in []*refAttempt
		var sum int64
		fits := len(paid) > 0 && (oneKey || worst == 2)
		for _, a := range group {
			if a.rank <= worst {
				in = append(in, a)
				sum += a.Minor
				fits = fits && a.Currency == in[0].Currency
			}
		}
		if !fits || len(in) < 2 || sum == in[0].Minor {
			continue
		}
		for _, e := range paid {
			minor, comparable := e.worthTo(in[0])
			fits = fits && comparable && minor == sum
		}
		if !fits {
			continue
		}
		for _, a := range group {
			if a.rank <= worst {
				a.batch = true
				continue
			}
			for _, e := range a.with(isBooked) {
				part(a, e)
			}
		}
		return true
	}
	return false
}

// give makes an attempt ambiguous among entries, if there are any.
func (m *model) give(a *refAttempt, among []*refEntry) {
	for _, e := range among {
		a.ambiguous, e.ambiguous = true, true
		part(a, e)
		doubt(a, e)
	}
}

// doubt lists attempt and entry as candidates of each other.
func doubt(a *refAttempt, e *refEntry) {
	a.candidates, e.candidates = append(a.candidates, e), append(e.candidates, a)
}

// replay gives what moved to the first of the attempts; the others share the first payment of it.
func (m *model) replay(call []*refAttempt) {
	owner := call[0]
	for _, a := range call[1:] {
		for _, e := range a.with(isBooked) {
			part(a, e)
			if len(e.attempts) == 0 {
				join(owner, e, a.tier(e))
			}
		}
	}
	if paid := owner.with(isPaid); len(paid) > 0 {
		for _, a := range call[1:] {
			a.shared, a.sharing = true, paid[:1]
			a.tiers[paid[0]] = append(a.tiers[paid[0]], owner.tier(paid[0]))
		}
	}
}
