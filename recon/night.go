package recon

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"
	"time"

	"agentrecon/ledger"
)

// Archive is what a run over what changed reads: the books, the same books as an earlier run saw them, and what leads
// from one item to another.
type Archive interface {
	Books
	// Before is what the earlier run read.
	Before() Books
	// AttemptsBoth returns what [Books.AttemptsByID] does, of now and of the earlier run, in any order; named are the attempts
	// that flags of theirs named in the earlier run.
	AttemptsBoth(ctx context.Context, ids []string) (now, before []Case, named []string, err error)
	// EntriesBoth returns what [Books.EntriesByNo] does, of now and of the earlier run, in any order.
	EntriesBoth(ctx context.Context, nos []int64) (now, before []ledger.Entry, err error)
	// News is what the earlier run could not see, and which of the items it listed time alone may have changed by asOf.
	News(ctx context.Context, asOf time.Time) (News, error)
	// Touching finds what the probes ask for, in any order; more than that does no harm.
	Touching(ctx context.Context, probes Probes) (Items, error)
	// ControlsSince is what [Books.Controls] says of everything recorded, given what it said to the earlier run.
	ControlsSince(ctx context.Context, earlier Controls) (Controls, error)
}

// News is what an earlier run could not see.
type News struct {
	Attempts []string // ids of attempts that were recorded since
	Other    []string // ids of attempts, recorded or not, of which something else was recorded since, or that are due
	Entries  []int64  // numbers of entries that were recorded since
	Moved    []int64  // numbers of earlier entries that are another stage now, or that list other parts ([Stages.Parts])
	Sessions []string // ids of sessions with events recorded since
	Ways     Ways     // those by which the earlier run listed anything
	Coverage bool     // coverage, or a file whose balances may break it, was recorded since
}

// Items are attempts, ledger entries and outcomes that no attempt is recorded for.
type Items struct {
	Attempts []string // where none is recorded, an outcome that names it may be
	Entries  []int64
	Outcomes []string // by the attempt id they name
}

// Standing is what an earlier run left to carry on from.
type Standing struct {
	AsOf           time.Time
	Policy         Policy
	RecordingSince time.Time
	RecordingUntil time.Time // the latest attempt; zero: nobody knows
	Totals         Totals
	Controls       Controls
	Bridge         []BridgeCurrency
}

// FullNeeded says why a run cannot be made from what changed alone.
type FullNeeded struct {
	Why string
	// Doubt: what was worked out from what changed does not agree with the record. A run over everything mends it.
	Doubt bool
}

func (e *FullNeeded) Error() string { return "everything must be looked at: " + e.Why }

// Limits of what is looked at from what changed: beyond a share of everything recorded, a run over everything is cheaper.
const (
	nightShare = 25 // one in so many, what is touched counted with what is new
	nightLeast = 10_000
)

// RunSince concludes what [Run] would of everything recorded, by looking only at what changed since an earlier run and at
// what that touches. The result lists and judges those items alone; its totals, controls and proof are of everything. The
// request has no period and the policy of the earlier run. A [*FullNeeded] says that only [Run] will do.
func RunSince(ctx context.Context, archive Archive, last Standing, request Request) (*Result, error) {
	n := newNight(ctx, archive, last, request)
	if err := n.gather(); err != nil {
		return nil, err
	}
	return n.conclude()
}

// LookSince concludes of some items what [Run] would, by looking only at what they touch and at what changed since an earlier
// run. The result judges all of that in full, clean pairs too, and counts nothing. A [*FullNeeded] says that only [Run] will
// do.
func LookSince(ctx context.Context, archive Archive, last Standing, request Request, items Items) (*Result, error) {
	n := newNight(ctx, archive, last, request)
	n.next = items
	if err := n.gather(); err != nil {
		return nil, err
	}
	return n.judge(&n.now, Request{AsOf: request.AsOf, Policy: request.Policy}, false)
}

func newNight(ctx context.Context, archive Archive, last Standing, request Request) *night {
	return &night{
		ctx: ctx, archive: archive, last: last, request: request, fresh: map[string]bool{}, loaded: map[string]bool{},
		now: newSet(), before: newSet(), outcomes: map[string]bool{}, asked: newAsked(), free: map[int64]bool{},
		limit: max(nightLeast, int((last.Totals.Attempts.Count+last.Totals.Entries.Count)/nightShare)),
	}
}

// gather brings the set together.
func (n *night) gather() error {
	for _, step := range []func() error{n.allowed, n.seed, n.close, n.sinceWhen} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// night gathers the affected set.
type night struct {
	ctx     context.Context
	archive Archive
	last    Standing
	request Request
	limit   int

	ways     Ways            // by which anything is listed
	fresh    map[string]bool // attempts that are new
	loaded   map[string]bool // ids of attempts that were read, or looked for in vain
	now      set             // as it is
	before   set             // as the earlier run saw it
	outcomes map[string]bool // ids asked for among outcomes without an attempt
	next     Items           // to be loaded
	probes   Probes          // to be asked
	asked    asked           // what was asked already
	free     map[int64]bool  // entries whose references and attributes were followed
}

// set is the affected set in one state. What is the same in both states is shared and not to be changed.
type set struct {
	cases   map[string]*Case
	entries map[int64]*ledger.Entry
	ids     []string // of the cases, in the order in which they came
	nos     []int64  // of the entries, likewise
	// What the sieve made of it, see [night.sift].
	books    *setBooks
	sieve    *sieve
	relation map[int32]Flag
}

func newSet() set { return set{cases: map[string]*Case{}, entries: map[int64]*ledger.Entry{}} }

func (s *set) add(cases []Case, entries []ledger.Entry) {
	for n := range cases {
		s.cases[cases[n].Attempt.ID] = &cases[n]
		s.ids = append(s.ids, cases[n].Attempt.ID)
	}
	for n := range entries {
		s.entries[entries[n].No] = &entries[n]
		s.nos = append(s.nos, entries[n].No)
	}
}

// asked are the questions that were asked, by what is asked for.
type asked struct {
	texts [textProbes]map[string]bool
	open  map[int64]bool
}

// textProbes is how many kinds of [Probes] are texts.
const textProbes = 8

func newAsked() asked {
	a := asked{open: map[int64]bool{}}
	for kind := range a.texts {
		a.texts[kind] = map[string]bool{}
	}
	return a
}

func (n *night) allowed() error {
	switch {
	case !n.request.Period.IsZero():
		return &FullNeeded{Why: "a period is asked for"}
	case n.request.AsOf.Before(n.last.AsOf):
		return &FullNeeded{Why: "the last run judged by a later moment"}
	case n.last.RecordingSince.IsZero():
		return &FullNeeded{Why: "no attempt was recorded before"}
	}
	return n.request.Policy.Validate()
}

// seed takes what changed.
func (n *night) seed() error {
	news, err := n.archive.News(n.ctx, n.request.AsOf)
	if err != nil {
		return fmt.Errorf("read what is new: %w", err)
	}
	for _, id := range news.Attempts {
		n.fresh[id] = true
	}
	n.next.Attempts = slices.Concat(n.next.Attempts, news.Attempts, news.Other)
	n.next.Entries = slices.Concat(n.next.Entries, news.Entries, news.Moved)
	n.ways = news.Ways
	for _, id := range news.Sessions {
		n.ask(Probes{Open: []int64{touchKey(waySession, id)}})
	}
	if !news.Coverage {
		return nil
	}
	before, err := readCoverage(n.ctx, n.archive.Before())
	if err != nil {
		return err
	}
	now, err := readCoverage(n.ctx, n.archive)
	if err != nil {
		return err
	}
	n.probes.Absences = absencesOf(n.request.Policy, before, now)
	return nil
}

// close follows every way until nothing is added.
func (n *night) close() error {
	for {
		if err := n.load(); err != nil {
			return err
		}
		if n.settled() {
			if err := n.followFree(); err != nil {
				return err
			}
		}
		if n.settled() {
			return nil
		}
		items, err := n.archive.Touching(n.ctx, n.probes)
		if err != nil {
			return fmt.Errorf("read what is touched: %w", err)
		}
		items.Attempts = append(items.Attempts, n.next.Attempts...)
		n.probes, n.next = Probes{}, items
	}
}

// settled reports whether nothing is left to be read or asked.
func (n *night) settled() bool {
	p := &n.probes
	return len(n.next.Attempts)+len(p.AttemptKeys)+len(p.EntryKeys)+len(p.OutcomeRefs)+len(p.EntryRefs)+len(p.ProviderIDs)+len(p.References)+len(p.Prefixes)+len(p.Arguments)+
		len(p.Likes)+len(p.Open)+len(p.Absences) == 0
}

// load reads the items that are new to the set, as they are and as they were, and asks for what they touch.
func (n *night) load() error {
	ids := slices.DeleteFunc(distinctOf(n.next.Attempts), func(id string) bool { return n.loaded[id] })
	nos := slices.DeleteFunc(distinctOf(n.next.Entries), func(no int64) bool { return n.now.entries[no] != nil })
	outcomes := n.next.Outcomes
	if size := len(n.now.cases) + len(n.now.entries) + len(ids) + len(nos); size > n.limit {
		return &FullNeeded{Why: fmt.Sprintf("what changed touches more than %d of the items recorded", n.limit)}
	}
	cases, earlier, named, err := n.archive.AttemptsBoth(n.ctx, ids)
	if err != nil {
		return fmt.Errorf("read attempts: %w", err)
	}
	entries, earlierEntries, err := n.archive.EntriesBoth(n.ctx, nos)
	if err != nil {
		return fmt.Errorf("read ledger entries: %w", err)
	}
	n.now.add(cases, entries)
	n.before.add(earlier, earlierEntries)
	for at := range cases {
		c := &cases[at]
		n.ask(probesOfAttempt(n.request.Policy, c))
		if n.fresh[c.Attempt.ID] {
			n.ask(probesOfNewAttempt(n.request.Policy, &c.Attempt, n.last.RecordingUntil))
		}
		if len(c.Outcomes) == 0 {
			n.ask(probesOfUnheard(&c.Attempt))
		}
	}
	for at := range earlier {
		if c := &earlier[at]; len(c.Outcomes) == 0 {
			n.ask(probesOfUnheard(&c.Attempt))
		}
	}
	for at := range entries {
		n.ask(probesOfEntry(&entries[at]))
	}
	for _, id := range ids {
		n.loaded[id] = true
		if n.now.cases[id] == nil {
			outcomes = append(outcomes, id)
		}
	}
	n.next = Items{Attempts: slices.DeleteFunc(named, func(id string) bool { return n.loaded[id] })}
	return n.loadOutcomes(slices.DeleteFunc(distinctOf(outcomes), func(id string) bool { return n.outcomes[id] }))
}

// loadOutcomes reads outcomes without an attempt as they are and as they were: what they said before may have touched
// another attempt.
func (n *night) loadOutcomes(ids []string) error {
	if len(ids) == 0 {
		return nil
	}
	for _, id := range ids {
		n.outcomes[id] = true
	}
	now, err := n.archive.OrphansByID(n.ctx, ids)
	if err != nil {
		return fmt.Errorf("read orphan outcomes: %w", err)
	}
	before, err := n.archive.Before().OrphansByID(n.ctx, ids)
	if err != nil {
		return fmt.Errorf("read orphan outcomes: %w", err)
	}
	for _, o := range slices.Concat(now, before) {
		n.ask(probesOfOutcome(&o))
	}
	return nil
}

// ask adds the questions that were not asked before.
func (n *night) ask(p Probes) {
	p.eachTexts(&n.probes, func(kind int, from []string, into *[]string) {
		for _, text := range from {
			if !n.asked.texts[kind][text] {
				n.asked.texts[kind][text] = true
				*into = append(*into, text)
			}
		}
	})
	for _, key := range p.Open {
		if n.ways.Has(key) && !n.asked.open[key] {
			n.asked.open[key] = true
			n.probes.Open = append(n.probes.Open, key)
		}
	}
	n.probes.Likes = append(n.probes.Likes, p.Likes...)
}

// eachTexts goes through the kinds of probes that are texts, each beside its like in other probes.
func (p *Probes) eachTexts(other *Probes, do func(kind int, own []string, others *[]string)) {
	do(0, p.AttemptKeys, &other.AttemptKeys)
	do(1, p.EntryKeys, &other.EntryKeys)
	do(2, p.OutcomeRefs, &other.OutcomeRefs)
	do(3, p.EntryRefs, &other.EntryRefs)
	do(4, p.ProviderIDs, &other.ProviderIDs)
	do(5, p.References, &other.References)
	do(6, p.Arguments, &other.Arguments)
	do(7, p.Prefixes, &other.Prefixes)
}

// followFree sends the set through the sieve, in both states, and follows references and attributes of the entries that
// stay in it: no key may link those, or none did before. It stops where that leads to something.
func (n *night) followFree() error {
	for _, state := range [2]*set{&n.now, &n.before} {
		whole := Books(n.archive)
		if state == &n.before {
			whole = n.archive.Before()
		}
		if err := n.sift(state, whole); err != nil {
			return err
		}
		for _, no := range state.sieve.residue {
			e := state.entries[no]
			if !n.free[no] && n.request.Policy.scopeReason(e) == "" && e.Amount < 0 {
				n.free[no] = true
				n.ask(probesOfFreeEntry(n.request.Policy, e))
			}
		}
		if !n.settled() {
			return nil
		}
	}
	return nil
}

// sift sends the set through the sieve in one state.
func (n *night) sift(state *set, whole Books) error {
	orphans, err := whole.OrphansByID(n.ctx, slices.Sorted(maps.Keys(n.outcomes)))
	if err != nil {
		return fmt.Errorf("read orphan outcomes: %w", err)
	}
	state.books, state.sieve = state.booksOf(whole, orphans), newSieve(n.request.Policy)
	if state.relation, err = state.sieve.read(n.ctx, state.books, false); err != nil {
		return err
	}
	residue := make([]ledger.Entry, len(state.sieve.residue))
	for at, no := range state.sieve.residue {
		residue[at] = *state.entries[no]
	}
	state.sieve.openLike(residue)
	return nil
}

// sinceWhen refuses to go on where an attempt was recorded that is earlier than all before.
func (n *night) sinceWhen() error {
	for id := range n.fresh {
		if c, known := n.now.cases[id]; known && c.Attempt.ProposedAt.Before(n.last.RecordingSince) {
			return &FullNeeded{Why: "an attempt was recorded that is earlier than all before"}
		}
	}
	return nil
}

// conclude judges the set as the earlier run saw it and as it is now.
func (n *night) conclude() (*Result, error) {
	before, err := n.judge(&n.before, Request{AsOf: n.last.AsOf, Policy: n.last.Policy}, true)
	if err != nil {
		return nil, err
	}
	result, err := n.judge(&n.now, Request{AsOf: n.request.AsOf, Policy: n.request.Policy}, true)
	if err != nil {
		return nil, err
	}
	result.Since = &Since{Before: before, Affected: n.affected()}
	if until := n.last.RecordingUntil; until.IsZero() || until.After(result.RecordingUntil) {
		result.RecordingUntil = until
	}
	result.WholeTotals = n.last.Totals.carried(before.WholeTotals, result.WholeTotals)
	if result.WholeControls, err = n.archive.ControlsSince(n.ctx, n.last.Controls); err != nil {
		return nil, fmt.Errorf("read control totals: %w", err)
	}
	result.Totals, result.Controls = result.WholeTotals, result.WholeControls
	result.WholeBridge = carriedBridge(n.last.Bridge, before.WholeBridge, result.WholeBridge)
	result.Bridge = result.WholeBridge
	marked := n.last.Totals.UnknownMarked - markedRows(before.Attempts, ledger.Period{}) + markedRows(result.Attempts, ledger.Period{})
	result.Checks = tieOut(result.Totals, result.Controls, result.Bridge, marked)
	return result, proven(result.Checks)
}

// judge runs the engine over the set in one state, as [night.followFree] left it, and counts it. All is judged in full if
// nothing is to be implied.
func (n *night) judge(state *set, request Request, implied bool) (*Result, error) {
	r := &runner{ctx: n.ctx, books: state.books, request: request, sieve: state.sieve, relation: state.relation}
	r.sieve.since = n.last.RecordingSince
	if !implied {
		for slot := range r.sieve.slots {
			r.sieve.open(int32(slot))
		}
	}
	for _, step := range []func() error{r.gather, r.judge} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	counted := r.add(ledger.Period{})
	r.result.WholeTotals, r.result.WholeBridge = counted.totals(), counted.bridge.lines()
	return r.result, nil
}

func (n *night) affected() Items {
	return Items{
		Attempts: slices.Sorted(maps.Keys(n.now.cases)), Entries: slices.Sorted(maps.Keys(n.now.entries)), Outcomes: slices.Sorted(maps.Keys(n.outcomes)),
	}
}

func (s *set) booksOf(whole Books, orphans []Outcome) *setBooks {
	return &setBooks{Books: whole, cases: s.cases, entries: s.entries, ids: s.ids, nos: s.nos, orphans: orphans}
}

// setBooks are books cut to a set of items, which are at hand. Sessions and coverage are facts about everything.
type setBooks struct {
	Books
	cases   map[string]*Case
	entries map[int64]*ledger.Entry
	ids     []string // of the cases
	nos     []int64  // of the entries
	orphans []Outcome
}

// Size counts the attempts of the set.
func (b *setBooks) Size(context.Context) (int64, error) { return int64(len(b.ids)), nil }

// AttemptRows yields the attempts of the set.
func (b *setBooks) AttemptRows(context.Context) iter.Seq2[*AttemptRow, error] {
	return rowsOf(b.ids, func(id string) (AttemptRow, bool) { return attemptRowOf(b.cases[id]), true })
}

func attemptRowOf(c *Case) AttemptRow {
	a := &c.Attempt
	return AttemptRow{
		ID: a.ID, Minor: a.Minor, Currency: a.Currency, SourceAccount: a.SourceAccount, DestAccount: a.DestAccount, Reference: a.Reference,
		IdempotencyKey: a.IdempotencyKey, IDSource: a.IDSource, ProposedAt: a.ProposedAt,
	}
}

// OutcomeRows yields the outcomes of the set.
func (b *setBooks) OutcomeRows(context.Context) iter.Seq2[*OutcomeRow, error] {
	return func(yield func(*OutcomeRow, error) bool) {
		for row, err := range rowsOf(b.ids, func(id string) (OutcomeRow, bool) { return outcomeRowOf(b.cases[id]) }) {
			if !yield(row, err) {
				return
			}
		}
		for row, err := range rowsOf(b.orphans, func(o Outcome) (OutcomeRow, bool) { return outcomeRowOf(&Case{Outcomes: []Outcome{o}}) }) {
			if !yield(row, err) {
				return
			}
		}
	}
}

// outcomeRowOf is the current outcome as a stream carries it: the latest.
func outcomeRowOf(c *Case) (row OutcomeRow, has bool) {
	n := len(c.Outcomes)
	if n == 0 {
		return row, false
	}
	o := &c.Outcomes[n-1]
	return OutcomeRow{AttemptID: o.AttemptID, Status: o.Status, ProviderRef: o.ProviderRef, Versions: n}, true
}

// RemarkRows yields what else is to be known of attempts of the set.
func (b *setBooks) RemarkRows(context.Context) iter.Seq2[*RemarkRow, error] {
	return rowsOf(b.ids, func(id string) (RemarkRow, bool) { return remarkRowOf(b.cases[id]) })
}

func remarkRowOf(c *Case) (row RemarkRow, has bool) {
	a := &c.Attempt
	return RemarkRow{AttemptID: a.ID, Deliveries: a.Deliveries, IDReused: a.IDReused, MarkedAt: a.MarkedAt},
		a.Deliveries > 1 || a.IDReused || !a.MarkedAt.IsZero()
}

// EntryRows yields the entries of the set.
func (b *setBooks) EntryRows(context.Context) iter.Seq2[*ledger.Entry, error] {
	return func(yield func(*ledger.Entry, error) bool) {
		for _, no := range b.nos {
			if !yield(b.entries[no], nil) {
				return
			}
		}
	}
}

// rowsOf yields the rows of items that have one.
func rowsOf[K, T any](items []K, row func(K) (T, bool)) iter.Seq2[*T, error] {
	return func(yield func(*T, error) bool) {
		for _, item := range items {
			if r, has := row(item); has && !yield(&r, nil) {
				return
			}
		}
	}
}

// AttemptsByID returns attempts of the set.
func (b *setBooks) AttemptsByID(_ context.Context, ids []string) ([]Case, error) {
	var cases []Case
	for _, id := range distinctOf(ids) {
		if c, known := b.cases[id]; known {
			cases = append(cases, Case{Attempt: c.Attempt, Outcomes: slices.Clone(c.Outcomes)})
		}
	}
	return cases, nil
}

// EntriesByNo returns entries of the set.
func (b *setBooks) EntriesByNo(_ context.Context, nos []int64) ([]ledger.Entry, error) {
	var entries []ledger.Entry
	for _, no := range distinctOf(nos) {
		if e, known := b.entries[no]; known {
			entries = append(entries, *e)
		}
	}
	return entries, nil
}

// EntriesByProviderID returns entries of the set.
func (b *setBooks) EntriesByProviderID(ctx context.Context, ids []string) ([]ledger.Entry, error) {
	asked := distinctOf(ids)
	return b.EntriesByNo(ctx, slices.DeleteFunc(slices.Clone(b.nos), func(no int64) bool {
		_, found := slices.BinarySearch(asked, b.entries[no].ProviderID)
		return !found
	}))
}

// AttemptIDsByArgs returns attempts of the set.
func (b *setBooks) AttemptIDsByArgs(_ context.Context, hashes []string) ([]string, error) {
	asked := distinctOf(hashes)
	ids := slices.DeleteFunc(slices.Clone(b.ids), func(id string) bool {
		_, found := slices.BinarySearch(asked, b.cases[id].Attempt.ArgsSHA256)
		return !found
	})
	slices.Sort(ids)
	return ids, nil
}

// OrphansByID returns outcomes of the set.
func (b *setBooks) OrphansByID(_ context.Context, ids []string) ([]Outcome, error) {
	asked := distinctOf(ids)
	return slices.DeleteFunc(slices.Clone(b.orphans), func(o Outcome) bool {
		_, found := slices.BinarySearch(asked, o.AttemptID)
		return !found
	}), nil
}

func distinctOf[T cmp.Ordered](values []T) []T {
	return slices.Compact(slices.Sorted(slices.Values(values)))
}
