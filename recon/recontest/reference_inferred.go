package recontest

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"agentrecon/ledger"
	"agentrecon/recon"
)

// refer notes which attempts an entry refers to: those with one of its texts, else those whose reference begins with
// the longest of its texts that the bank may have cut.
func (m *model) refer(e *refEntry) {
	e.refers = nil
	var cuts []string
	for _, raw := range []string{e.MerchantReference, e.EndToEndID, e.RemittanceText} {
		if slices.Contains(m.policy.ReferenceCuts, len([]rune(raw))) {
			cuts = append(cuts, spellings(raw)...)
		}
	}
	slices.SortFunc(cuts, func(a, b string) int { return cmp.Or(len(b)-len(a), cmp.Compare(a, b)) })
	begins := func(cut string) func([]string) bool {
		return func(texts []string) bool {
			return len(cut) >= 12 && slices.ContainsFunc(texts, func(s string) bool { return strings.HasPrefix(s, cut) })
		}
	}
	ways := []func([]string) bool{func(texts []string) bool { return shareText(texts, e.texts()) }}
	for _, cut := range cuts {
		ways = append(ways, begins(cut))
	}
	for _, way := range ways {
		for _, a := range m.attempts {
			if !a.closed() && a.Currency == e.currency && way(a.texts()) {
				e.refers = append(e.refers, a)
			}
		}
		if len(e.refers) > 0 {
			return
		}
	}
}

func (a *refAttempt) meets(e *refEntry) bool {
	if !e.start.Before(a.end) {
		return false
	}
	if e.start.Equal(e.end) {
		return !e.start.Before(a.start)
	}
	return e.end.After(a.start)
}

func (m *model) free(status func(*refEntry) bool) []*refEntry {
	var free []*refEntry
	for _, e := range m.entries {
		if status(e) && !e.outside() && !e.hidden && e.parts == nil && e.Amount < 0 && len(e.attempts) == 0 && !e.ambiguous {
			free = append(free, e)
		}
	}
	return free
}

// wants reports whether an attempt looks for an entry of this status.
func (a *refAttempt) wants(e *refEntry) bool {
	if a.closed() {
		return false
	}
	if isBooked(e) {
		return len(a.with(isPaid)) == 0
	}
	return len(a.entries) == 0
}

func (m *model) linkReferences(status func(*refEntry) bool) {
	for _, bucket := range m.buckets(status) {
		left := m.matchBucket(bucket, bucket.entries, true)
		left = m.linkParts(bucket, left)
		left = m.linkExcess(bucket, left)
		m.matchBucket(bucket, left, false)
	}
}

type bucket struct {
	attempts []*refAttempt
	entries  []*refEntry
}

// buckets are the entries and attempts that references connect, however indirectly.
func (m *model) buckets(status func(*refEntry) bool) []bucket {
	var all []bucket
	free := m.free(status)
	for _, e := range free {
		m.refer(e)
	}
	done := map[*refEntry]bool{}
	for _, first := range free {
		if done[first] {
			continue
		}
		done[first] = true
		b := bucket{entries: []*refEntry{first}}
		for grown := true; grown; {
			grown = false
			for _, a := range m.attempts {
				touches := func(e *refEntry) bool { return slices.Contains(e.refers, a) }
				if !a.closed() && !slices.Contains(b.attempts, a) && slices.ContainsFunc(b.entries, touches) {
					b.attempts, grown = append(b.attempts, a), true
				}
			}
			for _, e := range free {
				if !done[e] && slices.ContainsFunc(b.attempts, func(a *refAttempt) bool { return slices.Contains(e.refers, a) }) {
					b.entries, done[e], grown = append(b.entries, e), true, true
				}
			}
		}
		slices.SortFunc(b.entries, byBooking)
		slices.SortFunc(b.attempts, func(x, y *refAttempt) int { return slices.Index(m.attempts, x) - slices.Index(m.attempts, y) })
		all = append(all, b)
	}
	return all
}

func refersTo(a *refAttempt, e *refEntry) bool {
	return slices.Contains(e.refers, a) && agree(a.DestAccount, e.CounterpartyAccount) && a.meets(e)
}

// matchBucket matches what looks for an entry with entries of one reference, exact amounts or any, and returns what is
// left of the entries.
func (m *model) matchBucket(b bucket, entries []*refEntry, exact bool) []*refEntry {
	var attempts []*refAttempt
	allPayees := true
	for _, a := range b.attempts {
		if len(entries) > 0 && a.wants(entries[0]) {
			attempts = append(attempts, a)
			allPayees = allPayees && a.DestAccount != ""
		}
	}
	for _, e := range entries {
		allPayees = allPayees && e.CounterpartyAccount != ""
	}
	type part struct {
		minor int64
		payee string
	}
	partOf := func(minor int64, payee string) part {
		p := part{minor, account(payee)}
		if !exact {
			p.minor = 0
		}
		if !allPayees {
			p.payee = ""
		}
		return p
	}
	parts := map[part]*matching{}
	at := func(p part) *matching {
		if parts[p] == nil {
			parts[p] = &matching{fits: refersTo}
		}
		return parts[p]
	}
	for _, a := range attempts {
		x := at(partOf(a.Minor, a.DestAccount))
		x.attempts = append(x.attempts, a)
	}
	for _, e := range entries {
		x := at(partOf(e.minor, e.CounterpartyAccount))
		x.entries = append(x.entries, e)
	}
	known := func(e *refEntry) string { // only what an attempt refers to counts
		var all []string
		for _, a := range e.refers {
			all = append(all, fmt.Sprint(a.texts()))
		}
		slices.Sort(all)
		return fmt.Sprint(slices.Compact(all))
	}
	for _, x := range parts {
		payees := map[string]bool{}
		for _, a := range x.attempts {
			payees[account(a.DestAccount)] = true
		}
		for _, e := range x.entries {
			payees[account(e.CounterpartyAccount)] = true
		}
		delete(payees, "")
		payee := func(s string) string {
			if len(payees) < 2 {
				return ""
			}
			return account(s)
		}
		x.kindOfAttempt = func(a *refAttempt) string { return fmt.Sprint(a.Minor, payee(a.DestAccount), a.texts(), a.rank) }
		x.kindOfEntry = func(e *refEntry) string { return fmt.Sprint(e.minor, payee(e.CounterpartyAccount), known(e)) }
		x.settle(recon.ByReference)
	}
	return slices.DeleteFunc(slices.Clone(entries), func(e *refEntry) bool { return len(e.attempts) > 0 || e.ambiguous })
}

func (m *model) linkParts(b bucket, left []*refEntry) []*refEntry {
	paid := func(a *refAttempt) (sum int64, comparable bool) {
		for _, e := range a.with(isPaid) {
			minor, comparable := e.worthTo(a)
			if !comparable {
				return 0, false
			}
			sum += minor
		}
		return sum, true
	}
	of := map[*refAttempt][]*refEntry{}
	for _, e := range left {
		var may []*refAttempt
		for _, a := range b.attempts {
			sum, ok := paid(a)
			looks := a.wants(e) || (!a.closed() && len(a.with(isPaid)) > 0 && ok && sum < a.Minor)
			if looks && e.minor < a.Minor && refersTo(a, e) {
				may = append(may, a)
			}
		}
		if len(may) == 1 {
			of[may[0]] = append(of[may[0]], e)
		}
	}
	var linked []*refEntry
	for _, a := range b.attempts {
		var sum int64
		for _, e := range of[a] {
			sum += e.minor
		}
		before, _ := paid(a)
		hasPaid := len(a.with(isPaid)) > 0
		if (!hasPaid && len(of[a]) > 1) || (hasPaid && len(of[a]) > 0 && before+sum == a.Minor) {
			linked = append(linked, of[a]...)
			for _, e := range of[a] {
				join(a, e, recon.ByReference)
			}
		}
	}
	return slices.DeleteFunc(left, func(e *refEntry) bool { return slices.Contains(linked, e) })
}

func (m *model) linkExcess(b bucket, left []*refEntry) []*refEntry {
	paid := map[*refAttempt]bool{}
	for _, a := range b.attempts {
		paid[a] = !a.closed() && len(a.with(isPaid)) > 0
	}
	var still []*refEntry
	for _, e := range left {
		var owner *refAttempt
		for _, a := range b.attempts {
			if isBooked(e) && paid[a] && a.Minor == e.minor && refersTo(a, e) {
				owner = a
			}
		}
		if owner == nil {
			still = append(still, e)
		} else {
			join(owner, e, recon.ByReference)
		}
	}
	return still
}

func (m *model) linkAttributes(status func(*refEntry) bool) {
	names := func(texts ...string) bool {
		return slices.ContainsFunc(texts, func(s string) bool { return plainKey(s) != "" })
	}
	type part struct {
		minor    int64
		currency ledger.Currency
		payee    string
	}
	parts := map[part]*matching{}
	fits := func(a *refAttempt, e *refEntry) bool {
		forbidden := (names(a.IdempotencyKey) && names(e.IdempotencyKey, e.EndToEndID)) || (len(a.refs) > 0 && !e.BankID && names(e.ProviderID, e.TransactionID)) ||
			(len(a.texts()) > 0 && len(spellings(e.MerchantReference)) > 0 && !leftOf(a, e))
		refused := len(a.with(isRefused)) > 0 && isBooked(e)
		return a.meets(e) && agree(a.SourceAccount, e.AccountID) && !forbidden && !refused
	}
	for _, e := range m.free(status) {
		if e.CounterpartyAccount == "" {
			continue
		}
		p := part{e.minor, e.currency, account(e.CounterpartyAccount)}
		if parts[p] == nil {
			parts[p] = &matching{
				fits: fits,
				kindOfAttempt: func(a *refAttempt) string {
					return fmt.Sprint(a.texts(), a.rank)
				},
				kindOfEntry: func(e *refEntry) string {
					return fmt.Sprint(spellings(e.MerchantReference))
				},
			}
		}
		parts[p].entries = append(parts[p].entries, e)
	}
	for p, x := range parts {
		for _, a := range m.attempts {
			if a.wants(x.entries[0]) && a.Minor == p.minor && a.Currency == p.currency && account(a.DestAccount) == p.payee {
				x.attempts = append(x.attempts, a)
			}
		}
		x.settle(recon.ByAttributes)
	}
}

// leftOf tells whether an entry's reference is what a bank leaves of an attempt's.
func leftOf(a *refAttempt, e *refEntry) bool {
	n := len([]rune(e.MerchantReference))
	if n != 16 && n != 27 && n != 35 {
		return false
	}
	for _, whole := range a.texts() {
		for _, left := range spellings(e.MerchantReference) {
			if len(left) >= 12 && strings.HasPrefix(whole, left) {
				return true
			}
		}
	}
	return false
}
