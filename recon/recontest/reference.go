package recontest

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"agentrecon/ledger"
	"agentrecon/recon"
)

// Conclusions are what is concluded of every item of a world, by its id.
type Conclusions struct {
	Attempts map[string]AttemptConclusion
	Entries  map[string]EntryConclusion
	Outcomes map[string]OutcomeConclusion // by the id that the outcome came with
	// Marks are the attempts to be marked as unknown now, Superseded the definite outcomes that came after a mark.
	Marks      map[string]bool
	Superseded map[string]recon.OutcomeStatus
}

// AttemptConclusion is what is concluded of an attempt.
type AttemptConclusion struct {
	Class       recon.Class
	Evidence    recon.Evidence
	Rule        string
	Links       []LinkConclusion // sorted by entry, then role
	Candidates  []string         // entries, sorted
	Differences []recon.Difference
	Flags       []recon.Flag // in the order of [recon.FlagNames]
	Cause       recon.Cause
	Age         time.Duration
	Stale       bool
	Marked      bool // by an earlier run
}

// LinkConclusion is a link as the attempt has it. The entry of a payment within a batch is the batch.
type LinkConclusion struct {
	Entry string
	Role  recon.Role
	Tier  recon.Tier
}

// EntryConclusion is what is concluded of an entry.
type EntryConclusion struct {
	Class    recon.Class
	Reason   string
	Attempts []string // linked to it, or candidates; sorted
	Tier     recon.Tier
	Flags    []recon.Flag
}

// OutcomeConclusion is what is concluded of an outcome.
type OutcomeConclusion struct {
	Class  recon.Class
	Joined string // the attempt it belongs to, by id or by argument hash
	Flags  []recon.Flag
}

// Reference judges a small world a second time, slowly and simply, from the text of the classification and with nothing
// of the engine but its decision table, its policy and the types of what it says: own normalisation, own linking, own
// flags and causes, and matchings found by listing them all. Ids must be unique. Worlds of more than some ten attempts
// take too long.
func Reference(w World, policy recon.Policy, asOf time.Time) Conclusions {
	m := &model{policy: policy, asOf: asOf, world: w.recorded()}
	m.supersede()
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
	for _, a := range m.attempts {
		m.settle(a)
	}
	m.flag()
	return m.conclude()
}

// conclude says what was found.
func (m *model) conclude() Conclusions {
	all := Conclusions{
		Attempts: map[string]AttemptConclusion{}, Entries: map[string]EntryConclusion{}, Outcomes: m.outcomes,
		Marks: map[string]bool{}, Superseded: map[string]recon.OutcomeStatus{},
	}
	for _, a := range m.attempts {
		all.Attempts[a.ID] = m.concludeAttempt(a)
		if a.stale && a.MarkedAt.IsZero() {
			all.Marks[a.ID] = true
		}
		for _, o := range a.outcomes { // the first of them
			if o.Status.Definite() && !a.MarkedAt.IsZero() && all.Superseded[a.ID] == "" {
				all.Superseded[a.ID] = o.Status
			}
		}
	}
	for _, e := range m.entries {
		if e.batch == nil {
			all.Entries[e.ID] = m.concludeEntry(e)
		}
	}
	return all
}

func (m *model) concludeAttempt(a *refAttempt) AttemptConclusion {
	c := AttemptConclusion{
		Class: a.class, Evidence: a.evidence, Rule: a.rule, Differences: a.differences, Cause: m.cause(a),
		Age: m.asOf.Sub(a.ProposedAt), Stale: a.stale, Marked: !a.MarkedAt.IsZero(), Flags: inOrder(a.flags),
	}
	whole := func(e *refEntry) string {
		if e.batch != nil {
			return e.batch.ID
		}
		return e.ID
	}
	times := map[*refEntry]int{} // what takes back two payments of a batch is linked for each
	for _, e := range a.entries {
		c.Links = append(c.Links, LinkConclusion{whole(e), a.roleOf(e), a.tiers[e][times[e]]})
		times[e]++
	}
	for _, e := range a.sharing {
		c.Links = append(c.Links, LinkConclusion{whole(e), recon.RoleShared, a.tier(e)})
	}
	slices.SortFunc(c.Links, func(x, y LinkConclusion) int {
		return cmp.Or(cmp.Compare(x.Entry, y.Entry), cmp.Compare(x.Role, y.Role), cmp.Compare(x.Tier, y.Tier))
	})
	for _, e := range a.candidates {
		c.Candidates = append(c.Candidates, whole(e))
	}
	slices.Sort(c.Candidates)
	c.Candidates = slices.Compact(c.Candidates)
	return c
}

type model struct {
	policy   recon.Policy
	asOf     time.Time
	world    World
	attempts []*refAttempt // in proposal order
	entries  []*refEntry   // in booking order
	named    map[*refEntry][]*refAttempt
	outcomes map[string]OutcomeConclusion
}

type refAttempt struct {
	recon.Attempt
	outcomes    []recon.Outcome // every version, oldest first
	outcome     recon.OutcomeAxis
	rank        int // 0 succeeded, 1 open, 2 failed
	refs        []string
	definite    bool // some version says what became of it
	stale       bool
	start, end  time.Time // window
	entries     []*refEntry
	tiers       map[*refEntry][]recon.Tier
	sharing     []*refEntry // they belong to an earlier attempt
	candidates  []*refEntry
	shared      bool
	ambiguous   bool
	batch       bool
	evidence    recon.Evidence
	class       recon.Class
	rule        string
	differences []recon.Difference
	flags       []recon.Flag
}

type refEntry struct {
	ledger.Entry
	start, end time.Time
	scope      string // why it is out of scope by rule
	// What is compared where no key links: what was booked or, in its turn, what was instructed.
	minor      int64
	currency   ledger.Currency
	hidden     bool // it has nothing to compare in this turn
	batch      *refEntry
	parts      []*refEntry
	refers     []*refAttempt
	attempts   []*refAttempt
	candidates []*refAttempt
	ambiguous  bool
	reversal   bool
	excess     bool
	flags      []recon.Flag
}

func isBooked(e *refEntry) bool    { return e.Status == ledger.StatusBooked }
func isRefused(e *refEntry) bool   { return e.Status == ledger.StatusRejected }
func isAnnounced(e *refEntry) bool { return !isBooked(e) && !isRefused(e) }
func isPaid(e *refEntry) bool      { return isBooked(e) && e.Amount < 0 }
func isCredit(e *refEntry) bool    { return isBooked(e) && e.Amount >= 0 }

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

// outOfScope says why an entry is out of scope: its kind, its account, or the first rule of the policy that fits.
func (m *model) outOfScope(e *refEntry) string {
	if slices.Contains([]ledger.Kind{
		ledger.KindFee, ledger.KindFX, ledger.KindPayout, ledger.KindPayoutReturn, ledger.KindTopUp, ledger.KindInterest,
		ledger.KindTax, ledger.KindReserveHold, ledger.KindReserveRelease, ledger.KindBalanceCarry,
	}, e.Kind) {
		return "kind: " + string(e.Kind)
	}
	if e.AccountID != "" && !m.reconciles(e.AccountID) {
		return "account not in scope"
	}
	text := strings.Join(spellings(e.RemittanceText), " ")
	n := slices.IndexFunc(m.policy.Scope, func(r recon.ScopeRule) bool {
		return (r.Account == "" || account(r.Account) == account(e.AccountID)) &&
			(r.Counterparty == "" || account(r.Counterparty) == account(e.CounterpartyAccount)) &&
			(r.Text == "" || strings.Contains(text, spellings(r.Text)[0])) &&
			(len(r.Kinds) == 0 || slices.Contains(r.Kinds, e.Kind))
	})
	if n < 0 {
		return ""
	}
	return m.policy.Scope[n].Name
}

// reconciles reports whether an own account is among those in scope.
func (m *model) reconciles(own string) bool {
	return len(m.policy.Accounts) == 0 || slices.ContainsFunc(m.policy.Accounts, func(in string) bool { return account(in) == account(own) })
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

func (e *refEntry) outside() bool { return e.scope != "" || e.Superseded }

func join(a *refAttempt, e *refEntry, tier recon.Tier) {
	a.entries, e.attempts = append(a.entries, e), append(e.attempts, a)
	a.tiers[e] = append(a.tiers[e], tier)
}

// tier is the strongest of those that link an attempt to an entry.
func (a *refAttempt) tier(e *refEntry) recon.Tier { return slices.Min(a.tiers[e]) }

func part(a *refAttempt, e *refEntry) {
	a.entries = slices.DeleteFunc(a.entries, func(x *refEntry) bool { return x == e })
	e.attempts = slices.DeleteFunc(e.attempts, func(x *refAttempt) bool { return x == a })
}

func byBooking(a, b *refEntry) int {
	return cmp.Or(a.start.Compare(b.start), cmp.Compare(a.BookedOn, b.BookedOn), a.end.Compare(b.end), cmp.Compare(a.ID, b.ID))
}

// open reads the world: windows, days, outcomes, scope.
func (m *model) open() {
	versions := m.joinOutcomes()
	zone := m.policy.Zone
	for _, a := range m.world.Attempts {
		y, mo, d := a.ProposedAt.In(zone).Date()
		y, mo, d = m.lastDay(ledger.NewDate(y, mo, d)).Time().Date()
		x := &refAttempt{Attempt: a, outcomes: versions[a.ID], tiers: map[*refEntry][]recon.Tier{}, start: a.ProposedAt.Add(-m.policy.ClockSkew), end: time.Date(y, mo, d+1, 0, 0, 0, 0, zone)}
		x.outcome, x.rank = m.observe(a, versions[a.ID])
		x.definite = slices.ContainsFunc(versions[a.ID], func(o recon.Outcome) bool { return o.Status.Definite() })
		x.stale = !x.definite && m.asOf.Sub(a.ProposedAt) >= m.policy.StaleAfter
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
		x.scope = m.outOfScope(x)
		m.entries = append(m.entries, x)
	}
	slices.SortFunc(m.attempts, func(a, b *refAttempt) int { return cmp.Or(a.ProposedAt.Compare(b.ProposedAt), cmp.Compare(a.ID, b.ID)) })
	slices.SortFunc(m.entries, byBooking)
}
