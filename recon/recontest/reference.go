package recontest

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"agentrecon/ledger"
	"agentrecon/recon"
)

// Reference classifies a small world a second time, slowly and simply, from the text of the classification and with
// nothing of the engine but its decision table and its policy: own normalisation, own linking, and matchings found by
// listing them all. It returns the classes of attempts and of entries by id, which must be unique. Worlds of more than
// some ten attempts take too long.
func Reference(w World, policy recon.Policy, asOf time.Time) (attempts, entries map[string]recon.Class) {
	m := &model{policy: policy, asOf: asOf, world: w.stored()}
	m.open()
	m.linkKeys(m.entries)
	m.linkKeys(m.split())
	m.judgeGroups()
	for _, status := range []func(*refEntry) bool{isBooked, isAnnounced, isRefused} {
		for _, link := range []func(func(*refEntry) bool){m.linkReferences, m.linkAttributes} {
			m.look(false)
			link(status)
			m.look(true)
			link(status)
		}
	}
	m.linkReversals()
	attempts, entries = map[string]recon.Class{}, map[string]recon.Class{}
	for _, a := range m.attempts {
		attempts[a.ID] = m.classify(a)
	}
	for _, e := range m.entries {
		if e.batch == nil {
			entries[e.ID] = m.classOf(e)
		}
	}
	return attempts, entries
}

type model struct {
	policy   recon.Policy
	asOf     time.Time
	world    World
	attempts []*refAttempt // in proposal order
	entries  []*refEntry   // in booking order
	named    map[*refEntry][]*refAttempt
}

type refAttempt struct {
	recon.Attempt
	outcome    recon.OutcomeAxis
	rank       int // 0 succeeded, 1 open, 2 failed
	refs       []string
	entries    []*refEntry
	shared     bool
	ambiguous  bool
	batch      bool
	start, end time.Time // window
}

type refEntry struct {
	ledger.Entry
	start, end time.Time
	outside    bool // by scope rule
	// What is compared where no key links: what was booked or, in its turn, what was instructed.
	minor     int64
	currency  ledger.Currency
	hidden    bool // it has nothing to compare in this turn
	batch     *refEntry
	parts     []*refEntry
	refers    []*refAttempt
	attempts  []*refAttempt
	ambiguous bool
	reversal  bool
	excess    bool
}

func isBooked(e *refEntry) bool    { return e.Status == ledger.StatusBooked }
func isRefused(e *refEntry) bool   { return e.Status == ledger.StatusRejected }
func isAnnounced(e *refEntry) bool { return !isBooked(e) && !isRefused(e) }
func isPaid(e *refEntry) bool      { return isBooked(e) && e.Amount < 0 }

func (e *refEntry) worth() int64 {
	if e.Gross.Given {
		return -e.Gross.Minor
	}
	return -e.Amount
}

// worthTo is what an entry is worth to an attempt: in its currency, if the entry says so.
func (e *refEntry) worthTo(a *refAttempt) (int64, bool) {
	switch {
	case e.Currency == a.Currency:
		return e.worth(), true
	case e.OrigAmount.Given && e.OrigCurrency == a.Currency:
		return -e.OrigAmount.Minor, true
	}
	return e.worth(), false
}

// equals reports whether an entry is exactly what an attempt asked for.
func (e *refEntry) equals(a *refAttempt) bool {
	minor, comparable := e.worthTo(a)
	return comparable && minor == a.Minor
}

// look turns what is booked, or what was instructed, towards the attempts.
func (m *model) look(instructed bool) {
	for _, e := range m.entries {
		e.minor, e.currency, e.hidden = e.worth(), e.Currency, false
		if instructed {
			e.minor, e.currency = -e.OrigAmount.Minor, e.OrigCurrency
			e.hidden = !e.OrigAmount.Given || e.OrigCurrency == "" || e.OrigCurrency == e.Currency
		}
	}
}

// lastDay is the last day of the window of an attempt proposed on a day.
func (m *model) lastDay(day ledger.Date) ledger.Date {
	for left := m.policy.SettlementWindowDays; left > 0; left-- {
		day = day.AddDays(1)
		for m.policy.BusinessDays && (day.Weekday() == time.Saturday || day.Weekday() == time.Sunday || slices.Contains(m.policy.Holidays, day)) {
			day = day.AddDays(1)
		}
	}
	return day
}

// ruledOut reports whether a rule of the policy puts an entry out of scope.
func (m *model) ruledOut(e *refEntry) bool {
	return slices.ContainsFunc(m.policy.Scope, func(r recon.ScopeRule) bool {
		text := strings.Join(spellings(e.RemittanceText), " ")
		return (r.Account == "" || account(r.Account) == account(e.AccountID)) &&
			(r.Counterparty == "" || account(r.Counterparty) == account(e.CounterpartyAccount)) &&
			(r.Text == "" || strings.Contains(text, spellings(r.Text)[0])) &&
			(len(r.Kinds) == 0 || slices.Contains(r.Kinds, e.Kind))
	})
}

func (a *refAttempt) with(keep func(*refEntry) bool) []*refEntry {
	var kept []*refEntry
	for _, e := range a.entries {
		if keep(e) {
			kept = append(kept, e)
		}
	}
	slices.SortFunc(kept, byBooking)
	return kept
}

func (a *refAttempt) closed() bool { return a.shared || a.ambiguous || a.batch }

func join(a *refAttempt, e *refEntry) {
	a.entries, e.attempts = append(a.entries, e), append(e.attempts, a)
}

func part(a *refAttempt, e *refEntry) {
	a.entries = slices.DeleteFunc(a.entries, func(x *refEntry) bool { return x == e })
	e.attempts = slices.DeleteFunc(e.attempts, func(x *refAttempt) bool { return x == a })
}

func byBooking(a, b *refEntry) int {
	return cmp.Or(a.start.Compare(b.start), cmp.Compare(a.BookedOn, b.BookedOn), a.end.Compare(b.end), cmp.Compare(a.ID, b.ID))
}

// open reads the world: windows, days, outcomes, scope.
func (m *model) open() {
	versions := m.world.versions()
	for _, orphan := range m.hashJoined(versions) {
		versions[orphan.to] = append(slices.Clone(versions[orphan.to]), orphan.outcome)
		slices.SortStableFunc(versions[orphan.to], func(a, b recon.Outcome) int { return a.ObservedAt.Compare(b.ObservedAt) })
	}
	zone := m.policy.Zone
	for _, a := range m.world.Attempts {
		y, mo, d := a.ProposedAt.In(zone).Date()
		y, mo, d = m.lastDay(ledger.NewDate(y, mo, d)).Time().Date()
		x := &refAttempt{Attempt: a, start: a.ProposedAt.Add(-m.policy.ClockSkew), end: time.Date(y, mo, d+1, 0, 0, 0, 0, zone)}
		x.outcome, x.rank = m.observe(a, versions[a.ID])
		for _, o := range versions[a.ID] {
			if ref := plainKey(o.ProviderRef); ref != "" && !slices.Contains(x.refs, ref) {
				x.refs = append(x.refs, ref)
			}
		}
		m.attempts = append(m.attempts, x)
	}
	for _, e := range m.world.Entries {
		x := &refEntry{Entry: e, start: e.OccurredAt, end: e.OccurredAt}
		if e.OccurredAt.IsZero() {
			x.start, x.end = e.BookedOn.Start(zone), e.BookedOn.AddDays(1).Start(zone)
		}
		x.outside = e.Superseded || slices.Contains([]ledger.Kind{
			ledger.KindFee, ledger.KindFX, ledger.KindPayout, ledger.KindPayoutReturn, ledger.KindTopUp, ledger.KindInterest,
			ledger.KindTax, ledger.KindReserveHold, ledger.KindReserveRelease, ledger.KindBalanceCarry,
		}, e.Kind) || (len(m.policy.Accounts) > 0 && e.AccountID != "" && !slices.Contains(m.policy.Accounts, e.AccountID))
		x.outside = x.outside || m.ruledOut(x)
		m.entries = append(m.entries, x)
	}
	slices.SortFunc(m.attempts, func(a, b *refAttempt) int { return cmp.Or(a.ProposedAt.Compare(b.ProposedAt), cmp.Compare(a.ID, b.ID)) })
	slices.SortFunc(m.entries, byBooking)
}

type hashJoined struct {
	outcome recon.Outcome
	to      string
}

// hashJoined finds the outcomes whose id no attempt has and whose argument hash exactly one has, by id.
func (m *model) hashJoined(versions map[string][]recon.Outcome) []hashJoined {
	var all []hashJoined
	for id, of := range versions {
		var like []string
		known := false
		for _, a := range m.world.Attempts {
			known = known || a.ID == id
			if hash := of[len(of)-1].ArgsSHA256; hash != "" && a.ArgsSHA256 == hash {
				like = append(like, a.ID)
			}
		}
		if !known && len(like) == 1 {
			all = append(all, hashJoined{of[len(of)-1], like[0]})
		}
	}
	slices.SortFunc(all, func(a, b hashJoined) int { return cmp.Compare(a.outcome.AttemptID, b.outcome.AttemptID) })
	return all
}

func (m *model) observe(a recon.Attempt, versions []recon.Outcome) (recon.OutcomeAxis, int) {
	var yes, no, denied bool
	refs := map[string]bool{}
	for _, o := range versions {
		yes = yes || o.Status == recon.Succeeded
		if o.Status == recon.Failed || o.Status == recon.Denied {
			no, denied = true, o.Status == recon.Denied // the last one counts
		}
		if ref := plainKey(o.ProviderRef); ref != "" {
			refs[ref] = true
		}
	}
	switch {
	case len(versions) == 0 && m.asOf.Sub(a.ProposedAt) < m.policy.StaleAfter:
		return recon.NoneFresh, 1
	case len(versions) == 0:
		return recon.NoneStale, 1
	case yes && no || len(refs) > 1:
		return recon.Contradictory, 1
	case yes:
		return recon.SaysSucceeded, 0
	case denied:
		return recon.SaysDenied, 2
	case no:
		return recon.SaysFailed, 2
	}
	return recon.Indefinite, 1
}

// Normalisation.

func plainKey(s string) string {
	s = strings.TrimSpace(s)
	if up := strings.ToUpper(s); up == "NOTPROVIDED" || up == "NONREF" {
		return ""
	}
	return s
}

func looseKey(s string) string {
	return strings.ToLower(strings.ReplaceAll(plainKey(s), " ", ""))
}

func account(s string) string {
	return strings.NewReplacer(" ", "", "-", "").Replace(strings.ToUpper(s))
}

// spellings are the ways to write a reference in plain letters and digits. The worlds drawn have no letters beyond ü.
func spellings(texts ...string) []string {
	var all []string
	for _, text := range texts {
		for _, u := range []string{"UE", "U"} {
			up := strings.ReplaceAll(strings.ToUpper(plainKey(text)), "Ü", u)
			up = strings.Map(func(r rune) rune {
				if strings.ContainsRune("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", r) {
					return r
				}
				return -1
			}, up)
			if up != "" && !slices.Contains(all, up) {
				all = append(all, up)
			}
		}
	}
	return all
}

func (a *refAttempt) texts() []string { return spellings(a.Reference) }
func (e *refEntry) texts() []string {
	return spellings(e.MerchantReference, e.EndToEndID, e.RemittanceText)
}

func shareText(a, b []string) bool {
	return slices.ContainsFunc(a, func(s string) bool { return slices.Contains(b, s) })
}

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

func agree(a, b string) bool { return a == "" || b == "" || account(a) == account(b) }

func (a *refAttempt) meets(e *refEntry) bool {
	if !e.start.Before(a.end) {
		return false
	}
	if e.start.Equal(e.end) {
		return !e.start.Before(a.start)
	}
	return e.end.After(a.start)
}

// Tiers 1 and 2.

// split gives the payments inside a batch that no key of its own links a life of their own.
func (m *model) split() []*refEntry {
	var parts []*refEntry
	for _, e := range m.entries {
		if e.outside || e.Amount >= 0 || len(e.attempts) > 0 {
			continue
		}
		for n, child := range e.Children {
			p := &refEntry{Entry: child, batch: e, start: e.start, end: e.end}
			p.Status, p.Kind, p.AccountID, p.BookedOn, p.OccurredAt = e.Status, e.Kind, e.AccountID, e.BookedOn, e.OccurredAt
			if p.ID == "" {
				p.ID = fmt.Sprint(e.ID, "/", n+1)
			}
			p.outside = m.ruledOut(p)
			e.parts = append(e.parts, p)
			parts = append(parts, p)
		}
	}
	m.entries = append(m.entries, parts...)
	slices.SortFunc(m.entries, byBooking)
	return parts
}

func (m *model) linkKeys(list []*refEntry) {
	names := func(e *refEntry) []string { return []string{plainKey(e.IdempotencyKey), plainKey(e.EndToEndID)} }
	keys := func(a *refAttempt) []string { return []string{plainKey(a.IdempotencyKey), plainKey(a.ID)} }
	ids := func(e *refEntry) []string { return []string{plainKey(e.ProviderID)} }
	refs := func(a *refAttempt) []string { return a.refs }
	equal := func(e *refEntry, of func(*refEntry) []string, by func(*refAttempt) []string, how func(string) string) []*refAttempt {
		var found []*refAttempt
		for _, a := range m.attempts {
			if slices.ContainsFunc(of(e), func(x string) bool {
				return x != "" && slices.ContainsFunc(by(a), func(y string) bool { return how(x) == how(y) })
			}) {
				found = append(found, a)
			}
		}
		return found
	}
	exactly := func(s string) string { return s }
	if m.named == nil {
		m.named = map[*refEntry][]*refAttempt{}
	}
	named := m.named
	for _, e := range list {
		if e.outside {
			continue
		}
		if named[e] = equal(e, names, keys, exactly); len(named[e]) == 0 {
			named[e] = equal(e, ids, refs, exactly)
		}
	}
	// A fold names an attempt if it names one only, and only one spelling of it is left without an equal.
	folded := func(e *refEntry, of func(*refEntry) []string, by func(*refAttempt) []string) []*refAttempt {
		var found []*refAttempt
		for _, x := range of(e) {
			if x == "" {
				continue
			}
			one := func(*refEntry) []string { return []string{x} }
			like := equal(e, one, by, looseKey)
			spelled := map[string]bool{}
			for _, other := range m.entries {
				for _, y := range of(other) {
					if !other.outside && len(named[other]) == 0 && y != "" && looseKey(y) == looseKey(x) {
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
		if !e.outside && len(named[e]) == 0 {
			if late[e] = folded(e, names, keys); len(late[e]) == 0 {
				late[e] = folded(e, ids, refs)
			}
		}
	}
	for _, e := range list {
		for _, a := range slices.Concat(named[e], late[e]) {
			join(a, e)
		}
	}
}

// Groups.

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
	}
}

// replay gives what moved to the first of the attempts.
func (m *model) replay(call []*refAttempt) {
	for _, a := range call[1:] {
		for _, e := range a.with(isBooked) {
			part(a, e)
			if len(e.attempts) == 0 {
				join(call[0], e)
			}
		}
	}
	if len(call[0].with(isPaid)) > 0 {
		for _, a := range call[1:] {
			a.shared = true
		}
	}
}

// Tiers 3 and 4.

func (m *model) free(status func(*refEntry) bool) []*refEntry {
	var free []*refEntry
	for _, e := range m.entries {
		if status(e) && !e.outside && !e.hidden && e.parts == nil && e.Amount < 0 && len(e.attempts) == 0 && !e.ambiguous {
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
		x.settle()
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
				join(a, e)
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
			join(owner, e)
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
		forbidden := (names(a.IdempotencyKey) && names(e.IdempotencyKey, e.EndToEndID)) || (len(a.refs) > 0 && names(e.ProviderID)) ||
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
		x.settle()
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

// Matchings.

type matching struct {
	attempts      []*refAttempt // in proposal order
	entries       []*refEntry   // in booking order
	fits          func(*refAttempt, *refEntry) bool
	kindOfAttempt func(*refAttempt) string
	kindOfEntry   func(*refEntry) string
}

// best lists every matching of the greatest size and, among those, the best standing; the first listed pairs the
// earliest with the earliest.
func (x *matching) best() [][]int {
	var best [][]int
	var bestScore []int
	partner := make([]int, len(x.attempts))
	used := make([]bool, len(x.entries))
	var walk func(int)
	walk = func(n int) {
		if n == len(partner) {
			score := make([]int, 4)
			for a, e := range partner {
				if e >= 0 {
					score[0]++
					score[1+x.attempts[a].rank]++
				}
			}
			c := 1
			if bestScore != nil {
				c = slices.Compare(score, bestScore)
			}
			if c > 0 {
				best, bestScore = nil, score
			}
			if c >= 0 {
				best = append(best, slices.Clone(partner))
			}
			return
		}
		for e := range x.entries {
			if !used[e] && x.fits(x.attempts[n], x.entries[e]) {
				partner[n], used[e] = e, true
				walk(n + 1)
				used[e] = false
			}
		}
		partner[n] = -1
		walk(n + 1)
	}
	walk(0)
	return best
}

// settle links what every best matching agrees on, makes the rest ambiguous, and leaves the surplus.
func (x *matching) settle() {
	if len(x.attempts) == 0 || len(x.entries) == 0 {
		return
	}
	best := x.best()
	var loose []*refAttempt
	for n, a := range x.attempts {
		if !x.forced(best, n) {
			loose = append(loose, a)
		}
	}
	for n, e := range best[0] {
		if e >= 0 && !slices.Contains(loose, x.attempts[n]) {
			join(x.attempts[n], x.entries[e])
		}
	}
	for _, a := range loose {
		a.ambiguous = true
		for _, e := range x.entries {
			e.ambiguous = e.ambiguous || (len(e.attempts) == 0 && x.fits(a, e))
		}
	}
}

// forced reports whether an attempt has a like entry, or none, in every best matching, or trades with its equals only.
func (x *matching) forced(best [][]int, n int) bool {
	has := func(m []int, a int) string {
		if m[a] < 0 {
			return "-"
		}
		return x.kindOfEntry(x.entries[m[a]])
	}
	if !slices.ContainsFunc(best, func(m []int) bool { return has(m, n) != has(best[0], n) }) {
		return true
	}
	for set := range 1 << len(x.attempts) {
		if set&(1<<n) == 0 {
			continue
		}
		among := func(m []int) string {
			var all []string
			for a := range x.attempts {
				if set&(1<<a) != 0 {
					if m[a] < 0 || x.kindOfAttempt(x.attempts[a]) != x.kindOfAttempt(x.attempts[n]) {
						return ""
					}
					all = append(all, has(m, a))
				}
			}
			slices.Sort(all)
			return fmt.Sprintf("%q", all)
		}
		first := among(best[0])
		if first != "" && !slices.ContainsFunc(best, func(m []int) bool { return among(m) != first }) {
			return true
		}
	}
	return false
}

// Reversals and classes.

func (m *model) linkReversals() {
	for _, r := range m.entries {
		if r.outside || !isBooked(r) || r.Amount < 0 {
			continue
		}
		if len(r.attempts) > 0 {
			r.reversal = true
			continue
		}
		var original *refEntry
		for _, e := range m.entries {
			of := isPaid(e) && !e.outside && r.OriginalProviderID != "" && e.ProviderID == r.OriginalProviderID
			if of && (original == nil || e.ID < original.ID) {
				original = e
			}
		}
		if original != nil {
			r.reversal = true
			for _, of := range append([]*refEntry{original}, original.parts...) {
				for _, a := range slices.Clone(of.attempts) {
					join(a, r)
				}
			}
		}
	}
}

func (m *model) classify(a *refAttempt) recon.Class {
	evidence := recon.Evidence{Outcome: a.outcome}
	paid := a.with(isPaid)
	stay := slices.Clone(paid)
	for _, r := range a.with(func(e *refEntry) bool { return isBooked(e) && e.Amount >= 0 }) {
		taken := -1
		for n, e := range stay {
			after := !r.start.Before(e.start)
			if r.start.Before(r.end) {
				after = r.end.After(e.start)
			}
			back, named := e.Currency == r.Currency && -e.Amount == r.Amount, e.ProviderID == r.OriginalProviderID
			if e.batch != nil {
				back = back || (e.batch.Currency == r.Currency && -e.batch.Amount == r.Amount)
				named = named || e.batch.ProviderID == r.OriginalProviderID
			}
			named = named && r.OriginalProviderID != ""
			if back && (after || named) {
				taken = n
				if named {
					break
				}
			}
		}
		if taken >= 0 {
			stay = slices.Delete(stay, taken, taken+1)
		}
	}
	switch {
	case a.ambiguous:
		evidence.Settlement = recon.AmbiguousLink
	case a.shared:
		evidence.Settlement = recon.Shared
	case len(stay) > 0:
		evidence.Settlement, evidence.Variance = m.weigh(a, stay)
	case len(paid) > 0:
		evidence.Settlement = recon.ReversedInFull
	case len(a.with(isAnnounced)) > 0:
		evidence.Settlement = recon.PendingEntry
	case len(a.with(isRefused)) > 0:
		evidence.Settlement = recon.Rejected
	case m.asOf.Before(a.end):
		evidence.Settlement = recon.NotYet
	case m.covered(a):
		evidence.Settlement = recon.NotSettled
	default:
		evidence.Settlement = recon.NotCovered
	}
	class, _ := recon.Classify(evidence)
	return class
}

func (m *model) weigh(a *refAttempt, stay []*refEntry) (recon.SettlementAxis, recon.VarianceKind) {
	var exact []*refEntry
	var sum int64
	var payee, currency, late, early, gross bool
	for _, e := range stay {
		minor, comparable := e.worthTo(a)
		sum += minor
		gross = gross || e.Gross.Given || e.Currency != a.Currency
		payee = payee || !agree(a.DestAccount, e.CounterpartyAccount)
		currency = currency || !comparable
		late = late || !e.start.Before(a.end)
		early = early || (e.start.Before(a.end) && !a.meets(e))
		if a.batch || e.equals(a) || (e.Currency == a.Currency && !e.Gross.Given && m.fee(a, minor-a.Minor)) {
			exact = append(exact, e)
		}
	}
	if a.batch {
		sum = a.Minor
	}
	if len(exact) > 1 {
		for _, e := range stay {
			e.excess = e != exact[0]
		}
		return recon.Duplicate, ""
	}
	off := sum - a.Minor
	tolerance := m.policy.Tolerance
	for _, t := range m.policy.Tolerances {
		if t.Currency == a.Currency {
			tolerance = t.Tolerance
		}
	}
	tolerated := max(off, -off) <= tolerance.Minor || max(off, -off)*1_000_000 <= a.Minor*tolerance.PerMillion ||
		(!gross && m.fee(a, off))
	switch {
	case payee:
		return recon.Variance, recon.PayeeDiffers
	case currency:
		return recon.Variance, recon.CurrencyDiffers
	case off != 0 && !tolerated:
		return recon.Variance, recon.AmountDiffers
	case late:
		return recon.Late, ""
	case early:
		return recon.Early, ""
	case off != 0:
		return recon.WithinTolerance, ""
	}
	return recon.Settled, ""
}

// fee reports whether a rule lets a provider take so much on top of an attempt's amount, the share rounded up.
func (m *model) fee(a *refAttempt, beyond int64) bool {
	return slices.ContainsFunc(m.policy.FeeRules, func(r recon.FeeRule) bool {
		return r.Currency == a.Currency && beyond > 0 && beyond <= r.Fixed+(a.Minor*r.PerMillion+999_999)/1_000_000
	})
}

// torn reports whether a day is where two statements of an account meet whose balances do not follow on each other.
// Numbers, and statements that leave days out, are beyond the reference.
func (m *model) torn(account string, d ledger.Date) bool {
	var all []ledger.Statement
	for _, source := range m.world.Sources {
		all = append(all, source.Statements...)
	}
	return slices.ContainsFunc(all, func(s ledger.Statement) bool {
		return s.AccountID == account && slices.ContainsFunc(all, func(next ledger.Statement) bool {
			meet := next.AccountID == account && next.From == s.To && s.From < s.To
			return meet && s.Closing.Amount != next.Opening.Amount && (d == s.To.AddDays(-1) || d == next.From)
		})
	})
}

// covered asks for every day of the window whether a statement covers it.
func (m *model) covered(a *refAttempt) bool {
	dayCovered := func(account string, d ledger.Date) bool {
		return slices.ContainsFunc(m.world.Coverage, func(c ledger.Coverage) bool {
			return (c.AccountID == "" || c.AccountID == account) && c.From <= d && d < c.To && !m.torn(c.AccountID, d)
		})
	}
	if a.SourceAccount != "" && len(m.policy.Accounts) > 0 && !slices.Contains(m.policy.Accounts, a.SourceAccount) {
		return false // entries of that account are set aside, so that none is left proves nothing
	}
	accounts := []string{a.SourceAccount}
	if a.SourceAccount == "" {
		if accounts = slices.Clone(m.policy.Accounts); len(accounts) == 0 {
			for _, c := range m.world.Coverage {
				accounts = append(accounts, c.AccountID)
			}
		}
		if len(accounts) == 0 {
			return false
		}
	}
	for _, of := range accounts {
		for d := ledger.DateOf(a.start, m.policy.Zone); d < ledger.DateOf(a.end, m.policy.Zone); d++ {
			if !dayCovered(of, d) {
				return false
			}
		}
	}
	return true
}

func (m *model) classOf(e *refEntry) recon.Class {
	switch {
	case e.Superseded:
		return recon.NotBooked
	case e.outside:
		return recon.OutOfScope
	case !isBooked(e):
		return recon.NotBooked
	case e.parts != nil:
		return m.classOfParts(e)
	case e.ambiguous:
		return recon.Ambiguous
	case e.reversal:
		return recon.Reversal
	case e.excess:
		return recon.ExcessSettlement
	case len(e.attempts) > 0:
		return recon.Matched
	case e.Amount >= 0:
		return recon.OutOfScope
	case len(m.attempts) > 0 && m.beforeRecording(e):
		return recon.OutOfScope
	}
	return recon.UnattemptedMovement
}

// classOfParts is the class of a batch: of the worst that is in it, and out of scope only if all of it is.
func (m *model) classOfParts(e *refEntry) recon.Class {
	seen := map[recon.Class]bool{}
	for _, p := range e.parts {
		seen[m.classOf(p)] = true
	}
	for _, p := range e.parts { // recording had begun when another part was recorded
		if early := !p.outside && p.Amount < 0 && m.classOf(p) == recon.OutOfScope; early && len(seen) > 1 {
			seen[recon.UnattemptedMovement] = true
		}
	}
	for _, class := range []recon.Class{recon.UnattemptedMovement, recon.ExcessSettlement, recon.Ambiguous} {
		if seen[class] {
			return class
		}
	}
	if len(seen) == 1 && seen[recon.OutOfScope] {
		return recon.OutOfScope
	}
	return recon.Matched
}

func (m *model) beforeRecording(e *refEntry) bool {
	if e.start.Equal(e.end) {
		return e.start.Before(m.attempts[0].end)
	}
	return !e.end.After(m.attempts[0].end)
}
