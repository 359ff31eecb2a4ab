package reporttest

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"agentrecon/ledger"
	"agentrecon/recon"
)

// maker builds a report item by item and keeps its totals, controls and bridge in step, the way a run would.
type maker struct {
	r        *recon.Report
	attempts map[tallyKey]recon.CurrencySum
	entries  map[tallyKey]recon.CurrencySum
	outcomes map[recon.Class]int64
	booked   map[ledger.Currency]recon.CurrencySum
	bridge   map[bridgeKey]recon.BridgeLine
	causes   map[recon.Cause]int64
	reasons  map[string]map[ledger.Currency]recon.CurrencySum
	next     int
	line     int
}

type tallyKey struct {
	class    recon.Class
	currency ledger.Currency
}

type bridgeKey struct {
	currency ledger.Currency
	account  string
	line     string
}

// The story all samples share: Q1 2025, judged a week after its end.
var (
	asOf       = time.Date(2025, time.April, 7, 0, 0, 0, 0, time.UTC)
	recordedAt = time.Date(2025, time.April, 7, 2, 30, 11, 0, time.UTC)
	firstCall  = time.Date(2025, time.January, 2, 8, 15, 3, 417_000_000, time.UTC)
)

const (
	ledgerFile  = "ledger.csv"
	ownAccount  = "DE02120300000000202051"
	startOfFile = 1 // line of the header
)

func newMaker(entity string) *maker {
	digest := func(s string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(s))) }
	run := recon.RunInfo{
		ID: 7, Kind: "full", AsOf: asOf, RecordedAt: recordedAt, RecordedBy: "recon_runner", Program: "recon 1.0.0",
		RuleSet: recon.RuleSet, Digest: digest("run 7"), Previous: digest("run 6"), EvidenceDigest: digest("evidence of run 7"),
	}
	before := run
	before.ID, before.AsOf, before.RecordedAt = 6, asOf.AddDate(0, 0, -1), recordedAt.AddDate(0, 0, -1)
	before.Kind, before.Slot, before.Digest, before.Previous = "incremental", "2025-04-06T02:30:00Z", digest("run 6"), digest("run 5")
	return &maker{
		r: &recon.Report{
			Run: run, Period: ledger.Quarter(2025, 1, time.UTC), Entity: entity, Policy: recon.DefaultPolicy(),
			Runs: []recon.RunInfo{run, before}, RecordingSince: firstCall,
		},
		attempts: map[tallyKey]recon.CurrencySum{}, entries: map[tallyKey]recon.CurrencySum{}, outcomes: map[recon.Class]int64{},
		booked: map[ledger.Currency]recon.CurrencySum{}, bridge: map[bridgeKey]recon.BridgeLine{}, causes: map[recon.Cause]int64{},
		reasons: map[string]map[ledger.Currency]recon.CurrencySum{}, line: startOfFile,
	}
}

// coverAll says that the ledger covers the whole period.
func (m *maker) coverAll() {
	m.r.Coverage = []ledger.Coverage{{
		AccountID: ownAccount, From: m.r.Period.From, To: m.r.Period.To.AddDays(6), File: ledgerFile,
	}}
}

func plus(s recon.CurrencySum, c ledger.Currency, count, minor int64) recon.CurrencySum {
	return recon.CurrencySum{Currency: c, Count: s.Count + count, Minor: s.Minor + minor}
}

func (m *maker) addBridge(c ledger.Currency, account, line string, count, minor int64) {
	key := bridgeKey{c, account, line}
	l := m.bridge[key]
	l.Count += count
	l.Minor += minor
	m.bridge[key] = l
}

// clean adds attempts that are clean by implication: counted and not listed.
func (m *maker) clean(n int64, minor int64, c ledger.Currency, tier recon.Tier) {
	m.countAttempt(recon.Matched, n, n*minor, n, c)
	m.outcomes[recon.Joined] += n
	m.r.Totals.LinksByTier[tier] += n
	m.countEntry(recon.Matched, n, n*minor, c, true)
}

// countAttempt counts attempts with their deliveries and starts their way over the bridge.
func (m *maker) countAttempt(class recon.Class, n, minor, deliveries int64, c ledger.Currency) {
	key := tallyKey{class, c}
	m.attempts[key] = plus(m.attempts[key], c, n, minor)
	m.r.Totals.Deliveries += deliveries
	m.addBridge(c, ownAccount, recon.LineDeliveries, deliveries, 0)
	m.addBridge(c, ownAccount, recon.LineRepeats, n-deliveries, 0)
	m.addBridge(c, ownAccount, recon.LineAttempts, 0, minor)
}

// countEntry counts entries; only those that moved are booked.
func (m *maker) countEntry(class recon.Class, n, minor int64, c ledger.Currency, moved bool) {
	key := tallyKey{class, c}
	m.entries[key] = plus(m.entries[key], c, n, minor)
	if moved {
		m.booked[c] = plus(m.booked[c], c, n, minor)
	}
}

// attempt makes an attempt's facts; the index moves its time and ids on.
func (m *maker) attempt(minor int64, c ledger.Currency) recon.Attempt {
	m.next++
	n := m.next
	return recon.Attempt{
		ID: fmt.Sprintf("toolu_01%018d", n), SessionID: fmt.Sprintf("sess-%04d", n/3), Minor: minor, Currency: c,
		SourceAccount: ownAccount, DestAccount: fmt.Sprintf("NL%02dBANK%010d", 10+n%80, 417_000+n), Reference: fmt.Sprintf("INV-%05d", 20_000+n),
		IdempotencyKey: fmt.Sprintf("key-%05d", n), IDSource: recon.IDToolUse, ArgsSHA256: fmt.Sprintf("%x", sha256.Sum256([]byte{byte(n)})),
		Tool: "pay_supplier", Harness: "claude-code 2.1.0", Host: "runner-7", AgentID: "ap-agent", TurnID: fmt.Sprint(n % 9),
		ProposedAt: firstCall.Add(time.Duration(n) * 37 * time.Hour), Deliveries: 1,
	}
}

// entry makes a booked entry that pays an attempt.
func (m *maker) entry(a *recon.Attempt) *ledger.Entry {
	m.line++
	return &ledger.Entry{
		No: int64(m.line), ID: fmt.Sprintf("entry-%05d", m.line), ProviderID: fmt.Sprintf("po_%05d", m.line), AccountID: ownAccount,
		BookedOn: ledger.DateOf(a.ProposedAt, time.UTC).AddDays(1), ValueOn: ledger.DateOf(a.ProposedAt, time.UTC).AddDays(1),
		OccurredAt: a.ProposedAt.Add(9 * time.Hour), Amount: -a.Minor, Currency: a.Currency, Kind: ledger.KindPayment, Status: ledger.StatusBooked,
		CounterpartyName: "Noordzee Kantoor B.V.", CounterpartyAccount: a.DestAccount, EndToEndID: a.IdempotencyKey,
		MerchantReference: a.Reference, RemittanceText: "Invoice " + a.Reference, File: ledgerFile, Line: m.line,
	}
}

// finding starts a finding of an attempt.
func (m *maker) finding(a recon.Attempt, class recon.Class, s recon.SettlementAxis, o recon.OutcomeAxis) *recon.AttemptFinding {
	f := &recon.AttemptFinding{
		Attempt: a, Class: class, Evidence: recon.Evidence{Outcome: o, Settlement: s}, Rule: string(s) + " × " + string(o),
		Age: asOf.Sub(a.ProposedAt), Stale: o == recon.NoneStale || o == recon.Indefinite,
	}
	status, definite := map[recon.OutcomeAxis]recon.OutcomeStatus{
		recon.SaysSucceeded: recon.Succeeded, recon.SaysFailed: recon.Failed, recon.SaysDenied: recon.Denied, recon.Indefinite: recon.TimedOut,
	}[o]
	if definite {
		f.Outcomes = []recon.Outcome{{AttemptID: a.ID, Status: status, ProviderRef: "po_of_" + a.ID, ObservedAt: a.ProposedAt.Add(4 * time.Second)}}
	}
	if o == recon.Contradictory {
		f.Outcomes = []recon.Outcome{
			{AttemptID: a.ID, Status: recon.Succeeded, ObservedAt: a.ProposedAt.Add(4 * time.Second)},
			{AttemptID: a.ID, Status: recon.Failed, Error: "409 conflict", ObservedAt: a.ProposedAt.Add(9 * time.Second)},
		}
	}
	if recon.InfoOf(recon.Attempts, class).Kind == recon.Unresolved {
		f.Cause, f.CauseDetail = recon.CauseInterrupted, "session "+a.SessionID+" was interrupted 2 s after the call"
	}
	return f
}

// link ties an entry to a finding and counts it.
func (m *maker) link(f *recon.AttemptFinding, e *ledger.Entry, role recon.Role) {
	f.Links = append(f.Links, recon.Link{Entry: e, Tier: recon.ByKey, Role: role})
	class := recon.Matched
	switch role {
	case recon.RoleShared:
		return // counted with the attempt it belongs to
	case recon.RoleExcess:
		class = recon.ExcessSettlement
	case recon.RoleReversal:
		class = recon.Reversal
	case recon.RolePending, recon.RoleRejected:
		class = recon.NotBooked
	}
	if e.Moved() {
		m.r.Totals.LinksByTier[recon.ByKey]++
	}
	if class == recon.Matched {
		m.countEntry(class, 1, e.Outflow(), e.Currency, true)
		return
	}
	m.listEntry(*e, class, string(e.Status), f.Attempt.ID)
}

// listEntry lists an entry and counts it.
func (m *maker) listEntry(e ledger.Entry, class recon.Class, reason string, attempts ...string) {
	f := recon.EntryFinding{Entry: e, Class: class, Reason: reason, Attempts: attempts}
	if len(attempts) == 1 {
		f.Tier = recon.ByKey
	}
	if e.Moved() && class != recon.OutOfScope {
		f.Reason = ""
	}
	m.r.Entries = append(m.r.Entries, f)
	m.countEntry(class, 1, e.Outflow(), e.Currency, e.Moved())
	line := map[recon.Class]string{
		recon.ExcessSettlement: recon.LineExcess, recon.Reversal: recon.LineReversals, recon.UnattemptedMovement: recon.LineUnattempted,
		recon.Ambiguous: recon.LineAmbiguous, recon.NotBooked: recon.LineNotBooked, recon.OutOfScope: recon.LineBookedOut,
	}[class]
	if class == recon.OutOfScope {
		if !e.Moved() {
			line = recon.LineNotBooked
		}
		if m.reasons[reason] == nil {
			m.reasons[reason] = map[ledger.Currency]recon.CurrencySum{}
		}
		m.reasons[reason][e.Currency] = plus(m.reasons[reason][e.Currency], e.Currency, 1, e.Outflow())
	}
	m.addBridge(e.Currency, e.AccountID, line, 1, e.Outflow())
}

// list counts a finding that has all its links, walks the bridge for it and lists it.
func (m *maker) list(f *recon.AttemptFinding) {
	a := &f.Attempt
	m.countAttempt(f.Class, 1, a.Minor, int64(a.Deliveries), a.Currency)
	if len(f.Outcomes) > 0 {
		m.outcomes[recon.Joined]++
	}
	if f.Stale {
		m.r.Totals.UnknownMarked++
		if a.MarkRun == 0 {
			m.r.Totals.NewlyMarked++
		}
	}
	if f.Cause != recon.NoCause {
		m.causes[f.Cause]++
	}
	m.walk(f)
	for n := 2; n <= a.Deliveries; n++ {
		after := time.Duration(n*n) * 1300 * time.Millisecond
		m.r.Repeats = append(m.r.Repeats, recon.Repeat{Attempt: *a, ReceivedAt: a.ProposedAt.Add(after), Nth: n, After: after})
	}
	m.r.Attempts = append(m.r.Attempts, *f)
}

// walk adds to the bridge what an attempt and its payments differ by.
func (m *maker) walk(f *recon.AttemptFinding) {
	a := &f.Attempt
	var count, value int64
	foreign := false
	for _, l := range f.Links {
		if l.Role != recon.RoleSettles {
			continue
		}
		if l.Entry.Currency != a.Currency {
			foreign = true
			m.addBridge(l.Entry.Currency, l.Entry.AccountID, recon.LineCurrency, 1, l.Entry.Outflow())
			continue
		}
		count++
		value += l.Entry.Outflow()
	}
	switch {
	case foreign:
		m.addBridge(a.Currency, ownAccount, recon.LineCurrency, -1, -a.Minor)
	case count > 0:
		m.addBridge(a.Currency, ownAccount, recon.LineGroups, count-1, 0)
		m.addBridge(a.Currency, ownAccount, recon.LineValue, 0, value-a.Minor)
	default:
		m.addBridge(a.Currency, ownAccount, recon.BridgeLineOf(f), -1, -a.Minor)
	}
}

// lines is the bridge from top to bottom.
var lines = []recon.BridgeLine{
	{ID: recon.LineDeliveries, Label: "Deliveries recorded", NoValue: true},
	{ID: recon.LineRepeats, Label: "− repeats of a call", NoValue: true},
	{ID: recon.LineAttempts, Label: "= attempts", Total: true},
	{ID: recon.LineOtherPeriod, Label: "+ attempts of other periods booked in this one"},
	{ID: recon.LineBookedOutside, Label: "− booked outside this period"},
	{ID: recon.LineTiming, Label: "− no entry: timing"},
	{ID: recon.LineFailed, Label: "− no entry: failed or denied"},
	{ID: recon.LineUnknown, Label: "− no entry: unknown or contradictory"},
	{ID: recon.LineSucceeded, Label: "− no entry: reported as succeeded"},
	{ID: recon.LineOpen, Label: "− ambiguous or not coverable"},
	{ID: recon.LineShared, Label: "− replays served by another attempt's entry"},
	{ID: recon.LineLinked, Label: "= linked attempts", Total: true},
	{ID: recon.LineValue, Label: "± value differences"},
	{ID: recon.LineCurrency, Label: "± currency differences"},
	{ID: recon.LineGroups, Label: "± splits and batches (count only)"},
	{ID: recon.LineExcess, Label: "+ excess entries"},
	{ID: recon.LineReversals, Label: "+ reversals"},
	{ID: recon.LineUnattempted, Label: "+ entries without an attempt"},
	{ID: recon.LineAmbiguous, Label: "+ ambiguous entries"},
	{ID: recon.LineBookedInScope, Label: "= booked entries in scope", Total: true},
	{ID: recon.LineBookedOut, Label: "+ booked entries out of scope"},
	{ID: recon.LineNotBooked, Label: "+ entries not booked"},
	{ID: recon.LineRowsRead, Label: "= ledger rows read", Total: true},
}

// report closes the books and returns the report, sorted as a run would.
func (m *maker) report() *recon.Report {
	r := m.r
	r.Totals.Attempts = populationTotals(recon.Attempts, m.attempts)
	r.Totals.Entries = populationTotals(recon.Entries, m.entries)
	r.Totals.Booked = tallyOf(m.booked)
	for _, info := range recon.OutcomeClasses {
		if n := m.outcomes[info.Class]; n > 0 {
			r.Totals.Outcomes.Classes = append(r.Totals.Outcomes.Classes, recon.ClassTally{Class: info.Class, Tally: recon.Tally{Count: n}})
			r.Totals.Outcomes.Count += n
		}
	}
	for _, cause := range recon.Causes {
		if n := m.causes[cause]; n > 0 {
			r.Totals.Causes = append(r.Totals.Causes, recon.CauseCount{Cause: cause, Count: n})
		}
	}
	for reason, sums := range m.reasons {
		r.Totals.OutOfScope = append(r.Totals.OutOfScope, recon.ReasonTally{Reason: reason, Tally: tallyOf(sums)})
	}
	slices.SortFunc(r.Totals.OutOfScope, func(a, b recon.ReasonTally) int { return strings.Compare(a.Reason, b.Reason) })
	r.Controls = recon.Controls{
		Attempts: r.Totals.Attempts.Minor, Entries: r.Totals.Entries.Minor, Booked: r.Totals.Booked.Minor,
		Outcomes: r.Totals.Outcomes.Count, Deliveries: r.Totals.Deliveries,
	}
	m.accounts()
	for _, s := range r.Controls.Attempts {
		r.Controls.DeliveriesOf = append(r.Controls.DeliveriesOf, recon.CurrencySum{
			Currency: s.Currency, Count: m.bridge[bridgeKey{s.Currency, ownAccount, recon.LineDeliveries}].Count,
		})
	}
	m.linked()
	if n := r.Totals.Attempts.Count; n > 0 {
		r.Recording = recon.Recording{
			Last: r.Period.End().Add(-9 * time.Hour), Harnesses: []recon.HarnessCount{{Harness: "claude-code", Attempts: n}}, Hosts: 1, Firings: r.Totals.Deliveries,
		}
	}
	m.walkBridge()
	m.tieOut()
	m.sort()
	m.sources()
	return r
}

// accounts splits the entries by account: those of other accounts are all listed, the rest is of the own one.
func (m *maker) accounts() {
	r := m.r
	for _, s := range r.Controls.Entries {
		booked := r.Controls.Booked.Of(s.Currency)
		own := recon.AccountSums{AccountID: ownAccount, Currency: s.Currency, Count: s.Count, Minor: s.Minor, Booked: booked.Count, BookedMinor: booked.Minor}
		others := map[string]*recon.AccountSums{}
		for i := range r.Entries {
			e := &r.Entries[i].Entry
			if e.AccountID == ownAccount || e.Currency != s.Currency {
				continue
			}
			if others[e.AccountID] == nil {
				others[e.AccountID] = &recon.AccountSums{AccountID: e.AccountID, Currency: s.Currency}
			}
			other := others[e.AccountID]
			other.Count, other.Minor, own.Count, own.Minor = other.Count+1, other.Minor+e.Outflow(), own.Count-1, own.Minor-e.Outflow()
			if e.Moved() {
				other.Booked, other.BookedMinor, own.Booked, own.BookedMinor = other.Booked+1, other.BookedMinor+e.Outflow(), own.Booked-1, own.BookedMinor-e.Outflow()
			}
		}
		all := []recon.AccountSums{own}
		for _, other := range others {
			all = append(all, *other)
		}
		slices.SortFunc(all, func(a, b recon.AccountSums) int { return cmp.Compare(a.AccountID, b.AccountID) })
		r.Controls.Accounts = append(r.Controls.Accounts, all...)
	}
}

// linked collects the entries that belong to attempts which are not agreed, or not of the period.
func (m *maker) linked() {
	add := func(e *ledger.Entry, tier recon.Tier, attempt string) {
		m.r.Linked = append(m.r.Linked, recon.EntryFinding{Entry: *e, Class: recon.Matched, Tier: tier, Attempts: []string{attempt}})
	}
	for i := range m.r.Attempts {
		f := &m.r.Attempts[i]
		for _, l := range f.Links {
			if l.Role == recon.RoleSettles && f.Class != recon.Matched {
				add(l.Entry, l.Tier, f.Attempt.ID)
			}
		}
	}
	for i := range m.r.Edges {
		if e := &m.r.Edges[i]; !e.Inside {
			add(&e.Entry, e.Tier, e.Attempt.ID)
		}
	}
}

func (m *maker) walkBridge() {
	accounts, currencies := map[bridgeKey]bool{}, map[ledger.Currency]bool{}
	for key := range m.bridge {
		accounts[bridgeKey{currency: key.currency, account: key.account}] = true
		currencies[key.currency] = true
	}
	for _, c := range slices.Sorted(maps.Keys(currencies)) {
		m.r.Bridge = append(m.r.Bridge, m.walked(c, func(key bridgeKey) bool { return key.currency == c }))
	}
	keys := slices.SortedFunc(maps.Keys(accounts), func(a, b bridgeKey) int {
		return cmp.Or(cmp.Compare(a.currency, b.currency), cmp.Compare(a.account, b.account))
	})
	for _, at := range keys {
		bridge := m.walked(at.currency, func(key bridgeKey) bool { return key.currency == at.currency && key.account == at.account })
		m.r.Accounts = append(m.r.Accounts, recon.BridgeAccount{BridgeCurrency: bridge, AccountID: at.account})
	}
}

// walked is the bridge over what some accounts have.
func (m *maker) walked(c ledger.Currency, of func(bridgeKey) bool) recon.BridgeCurrency {
	bridge := recon.BridgeCurrency{Currency: c}
	var count, minor int64
	for _, line := range lines {
		line.Count, line.Minor = 0, 0
		for key, got := range m.bridge {
			if key.line == line.ID && of(key) {
				line.Count += got.Count
				line.Minor += got.Minor
			}
		}
		count += line.Count
		minor += line.Minor
		if line.Total {
			line.Count, line.Minor = count, minor
		}
		bridge.Lines = append(bridge.Lines, line)
	}
	return bridge
}

// tieOut records the checks that a run would have made.
func (m *maker) tieOut() {
	const classes, source = "classes of this run", "counted in the source by a statement of its own"
	r := m.r
	var attempts, entries int64
	for _, s := range r.Controls.Attempts {
		attempts += s.Count
	}
	for _, s := range r.Controls.Entries {
		entries += s.Count
	}
	r.Checks = []recon.Check{
		{Assertion: "Every attempt has exactly one class", Left: attempts, Right: r.Totals.Attempts.Count, LeftFrom: source, RightFrom: classes, Unit: "count", Independent: true},
		{Assertion: "Every ledger entry has exactly one class", Left: entries, Right: r.Totals.Entries.Count, LeftFrom: source, RightFrom: classes, Unit: "count", Independent: true},
		{Assertion: "Standing marks are the rows that carry one", Left: r.Totals.UnknownMarked, Right: r.Totals.UnknownMarked, LeftFrom: "marks counted", RightFrom: "rows with a mark", Unit: "count"},
	}
	for _, s := range r.Controls.Attempts {
		r.Checks = append(r.Checks, recon.Check{
			Assertion: "Attempts by class sum to the amounts attempted", Left: s.Minor, Right: r.Totals.Attempts.Minor.Of(s.Currency).Minor,
			LeftFrom: source, RightFrom: classes, Unit: string(s.Currency), Independent: true,
		})
	}
}

func (m *maker) sort() {
	rank := func(p recon.Population, c recon.Class) int {
		return slices.Index(recon.Priorities, recon.InfoOf(p, c).Priority)
	}
	slices.SortStableFunc(m.r.Attempts, func(a, b recon.AttemptFinding) int {
		return cmp.Or(rank(recon.Attempts, a.Class)-rank(recon.Attempts, b.Class), cmp.Compare(a.Class, b.Class),
			a.Attempt.ProposedAt.Compare(b.Attempt.ProposedAt), cmp.Compare(a.Attempt.ID, b.Attempt.ID))
	})
	slices.SortStableFunc(m.r.Entries, func(a, b recon.EntryFinding) int {
		return cmp.Or(rank(recon.Entries, a.Class)-rank(recon.Entries, b.Class), cmp.Compare(a.Class, b.Class),
			cmp.Compare(a.Entry.BookedOn, b.Entry.BookedOn), cmp.Compare(a.Entry.ID, b.Entry.ID))
	})
}

// sources describes the files that the story came from; only the ledger has independent totals.
func (m *maker) sources() {
	sum := func(name string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(name))) }
	file := func(name, population, format string, rows int64) ledger.SourceFile {
		return ledger.SourceFile{
			Name: name, SHA256: sum(name), Population: population, Format: format, Rows: rows, New: rows,
			Proof: ledger.Proof{State: ledger.ProofNone, Detail: "the format has no balances"}, ImportedAt: recordedAt.Add(-time.Hour), ImportedBy: "maria",
		}
	}
	l := file(ledgerFile, "ledger", "csv", m.r.Totals.Entries.Count)
	l.Profile, l.Accounts = "generic 1", []string{ownAccount}
	for _, s := range m.r.Controls.Entries {
		total := ledger.ControlTotal{Currency: s.Currency, Count: s.Count, Minor: -s.Minor}
		l.Totals = append(l.Totals, total)
		l.Expected = append(l.Expected, total)
	}
	l.Proof = ledger.Proof{State: ledger.ProofOK}
	l.Coverage = m.r.Coverage
	m.r.Sources = []ledger.SourceFile{
		file("attempts.csv", "attempts", "csv", m.r.Totals.Attempts.Count), file("outcomes.csv", "outcomes", "csv", m.r.Totals.Outcomes.Count), l,
	}
}

func populationTotals(p recon.Population, by map[tallyKey]recon.CurrencySum) recon.PopulationTotals {
	var t recon.PopulationTotals
	all := map[ledger.Currency]recon.CurrencySum{}
	for _, info := range recon.ClassesOf(p) {
		sums := map[ledger.Currency]recon.CurrencySum{}
		for key, s := range by {
			if key.class == info.Class {
				sums[key.currency] = s
				all[key.currency] = plus(all[key.currency], key.currency, s.Count, s.Minor)
			}
		}
		if len(sums) > 0 {
			t.Classes = append(t.Classes, recon.ClassTally{Class: info.Class, Tally: tallyOf(sums)})
		}
	}
	t.Tally = tallyOf(all)
	return t
}

func tallyOf(by map[ledger.Currency]recon.CurrencySum) recon.Tally {
	var t recon.Tally
	for _, s := range by {
		t.Minor = append(t.Minor, s)
		t.Count += s.Count
	}
	slices.SortFunc(t.Minor, func(a, b recon.CurrencySum) int { return cmp.Compare(a.Currency, b.Currency) })
	return t
}
