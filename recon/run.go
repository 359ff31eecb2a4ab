package recon

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"time"

	"agentrecon/ledger"
)

// Request says what a run is to do.
type Request struct {
	AsOf   time.Time // everything is judged as of this instant
	Policy Policy
	Period ledger.Period // filters totals and report; linking and state span everything
	// MaxMemory is how many bytes the run may take; what needs more is refused with a [*MemoryError], before it is read.
	// 0 is no bound.
	MaxMemory int64
}

// ErrNoAsOf refuses a run without a moment to judge by.
var ErrNoAsOf = errors.New("as_of: none given")

// Run reads the books once, concludes, and proves its conclusions against the control totals; it stores nothing.
// The result depends on the books, the policy and as_of alone.
func Run(ctx context.Context, books Books, request Request) (*Result, error) {
	return runSieved(ctx, books, request, true)
}

// runSieved is Run with the sieve or, for the test that proves the sieve to change nothing, without it.
func runSieved(ctx context.Context, books Books, request Request, sieved bool) (*Result, error) {
	if request.AsOf.IsZero() {
		return nil, ErrNoAsOf
	}
	if err := request.Policy.Validate(); err != nil {
		return nil, fmt.Errorf("policy: %w", err)
	}
	r := &runner{ctx: ctx, books: books, request: request, sieve: newSieve(request.Policy), sieved: sieved}
	for _, step := range []func() error{r.survey, r.stream, r.gather, r.judge, r.count} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return r.result, nil
}

// runner carries a run from step to step.
type runner struct {
	ctx      context.Context
	books    Books
	request  Request
	sieve    *sieve
	sieved   bool
	attempts int64          // recorded
	relation map[int32]Flag // relational flags, by slot
	ranges   []ledger.Coverage
	orphans  []Outcome
	cases    []Case
	entries  []ledger.Entry // of the docket, in full
	fetched  int            // how many of the sieve's residue they are
	joined   []joinedOutcome
	byHash   map[string]bool // attempts that an outcome was joined to by hash
	controls Controls        // of everything recorded
	result   *Result
}

// survey asks how much there is.
func (r *runner) survey() (err error) {
	if r.attempts, err = r.books.Size(r.ctx); err != nil {
		return fmt.Errorf("count attempts: %w", err)
	}
	if err := r.afford(); err != nil {
		return err
	}
	r.sieve.expect(int(r.attempts))
	return nil
}

// stream lets attempts, what is said of them, and then entries through the sieve.
func (r *runner) stream() (err error) {
	r.relation, err = r.sieve.read(r.ctx, r.books, !r.sieved)
	return err
}

// gather opens what the rest of the docket may concern, and fetches it.
func (r *runner) gather() error {
	if err := r.joinOrphans(); err != nil {
		return err
	}
	if err := r.fetchEntries(); err != nil {
		return err
	}
	r.sieve.openLike(r.entries)
	if err := r.openOriginals(); err != nil {
		return err
	}
	if err := r.fetchCases(); err != nil {
		return err
	}
	// What was opened since had taken entries.
	if err := r.fetchEntries(); err != nil {
		return err
	}
	var err error
	r.ranges, err = readCoverage(r.ctx, r.books)
	return err
}

// fetchEntries fetches the entries that have come to the docket since the last time.
func (r *runner) fetchEntries() error {
	if err := r.afford(); err != nil {
		return err
	}
	entries, err := r.books.EntriesByNo(r.ctx, r.sieve.residue[r.fetched:])
	if err != nil {
		return fmt.Errorf("read ledger entries: %w", err)
	}
	r.fetched = len(r.sieve.residue)
	if r.entries == nil {
		r.entries = entries
	} else {
		r.entries = append(r.entries, entries...)
	}
	return nil
}

// fetchCases fetches the attempts of the docket in full. Their earlier outcomes may name further provider references.
func (r *runner) fetchCases() error {
	for more := true; more; {
		err := r.afford()
		if err != nil {
			return err
		}
		if r.cases, err = r.books.AttemptsByID(r.ctx, r.sieve.openIDs()); err != nil {
			return fmt.Errorf("read attempts: %w", err)
		}
		r.attachJoined()
		more = r.sieve.openByRefs(r.cases)
	}
	return nil
}

// openOriginals opens the clean pairs that a reversal on the docket refers to by provider id.
func (r *runner) openOriginals() error {
	var ids []string
	for n := range r.entries {
		if id := r.entries[n].OriginalProviderID; id != "" {
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	slices.Sort(ids)
	originals, err := r.books.EntriesByProviderID(r.ctx, slices.Compact(ids))
	if err != nil {
		return fmt.Errorf("read reversed entries: %w", err)
	}
	nos := make([]int64, len(originals))
	for n := range originals {
		nos[n] = originals[n].No
	}
	r.sieve.openByEntry(nos)
	return nil
}

// judge classifies the docket and names causes, marks and flags.
func (r *runner) judge() error {
	coverage := newCoverageMap(r.ranges, r.request.Policy.Accounts)
	d := newDocket(r.request.Policy, r.request.AsOf, coverage, r.sieve.since, r.cases, r.entries)
	r.cases, r.entries = nil, nil
	d.judge()
	for _, c := range d.cases {
		if n := r.sieve.ids.findString(c.Attempt.ID); n >= 0 {
			if flag, ok := r.relation[n]; ok {
				c.flag(flag.Name, flag.Of)
			}
		}
		if r.byHash[c.Attempt.ID] {
			c.flag(FlagJoinedByHash, "")
		}
	}
	r.result = &Result{
		AsOf: r.request.AsOf, Policy: r.request.Policy, Period: r.request.Period,
		Coverage: mergeCoverage(r.ranges), RecordingSince: r.sieve.since, RecordingUntil: r.sieve.until,
	}
	r.result.Attempts, r.result.Entries = d.findings()
	flagSystemic(r.request.Policy, r.result.Attempts)
	sessions, err := r.books.Sessions(r.ctx, unresolvedSessions(r.result.Attempts))
	if err != nil {
		return fmt.Errorf("read sessions: %w", err)
	}
	explain(r.request.Policy, r.result.Attempts, sessions)
	r.concludeOutcomes()
	r.mark()
	return nil
}

func unresolvedSessions(findings []AttemptFinding) []string {
	var ids []string
	for n := range findings {
		if InfoOf(Attempts, findings[n].Class).Kind == Unresolved && findings[n].Attempt.SessionID != "" {
			ids = append(ids, findings[n].Attempt.SessionID)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// mark marks stale attempts without a definite outcome, once each, and notes definite outcomes that came after a mark.
func (r *runner) mark() {
	for n := range r.result.Attempts {
		f := &r.result.Attempts[n]
		marked := !f.Attempt.MarkedAt.IsZero()
		if f.Stale && !marked {
			r.result.Marks = append(r.result.Marks, Mark{
				AttemptID: f.Attempt.ID, MarkedAt: r.request.AsOf, Age: f.Age, Threshold: r.request.Policy.StaleAfter,
			})
		}
		if at := slices.IndexFunc(f.Outcomes, func(o Outcome) bool { return o.Status.Definite() }); at >= 0 && marked {
			o := f.Outcomes[at]
			o.AttemptID = f.Attempt.ID // one that was joined by its argument hash names another
			r.result.Superseded = append(r.result.Superseded, o)
		}
	}
}

// count adds everything up, for the period and for everything recorded, and proves both.
func (r *runner) count() error {
	var err error
	if r.controls, err = r.books.Controls(r.ctx, ledger.Period{}); err != nil {
		return fmt.Errorf("read control totals: %w", err)
	}
	whole := r.add(ledger.Period{})
	r.result.WholeTotals, r.result.WholeBridge, r.result.WholeControls = whole.totals(), whole.bridge.lines(), r.controls
	if err := proven(tieOut(r.result.WholeTotals, r.result.WholeControls, r.result.WholeBridge, markedRows(r.result.Attempts, ledger.Period{}))); err != nil {
		return err
	}
	inPeriod := whole
	r.result.Controls = r.result.WholeControls
	if !r.request.Period.IsZero() {
		inPeriod = r.add(r.request.Period)
		r.result.EdgePairs = r.edgePairs(r.request.Period)
		if r.result.Controls, err = r.books.Controls(r.ctx, r.request.Period); err != nil {
			return fmt.Errorf("read control totals: %w", err)
		}
	}
	r.result.Totals = inPeriod.totals()
	r.result.Bridge = inPeriod.bridge.lines()
	r.result.Checks = tieOut(r.result.Totals, r.result.Controls, r.result.Bridge, markedRows(r.result.Attempts, r.request.Period))
	if !r.sieve.accounts.full {
		r.result.Accounts = inPeriod.bridge.accounts()
	}
	// The result keeps the sieve, and nothing else of the run.
	clean, books := r.sieve, r.books
	r.result.ImpliedPairs = func(ctx context.Context) iter.Seq2[ImpliedPair, error] { return clean.impliedPairs(ctx, books) }
	r.result.ImpliedPairsFrom, r.result.CleanPairs = clean.impliedPairs, clean.cleanPairs
	r.result.Quiet = r.sieve.hours().quiet(r.request.Period)
	return proven(slices.Concat(r.result.Checks, accountChecks(r.result.Accounts, r.result.Controls)))
}

// add counts the clean pairs and the findings over a period.
func (r *runner) add(period ledger.Period) *counter {
	n := newCounter(period, r.controls.Accounts)
	pairs := newPairCounter(period)
	for i := range r.sieve.slots {
		if at := &r.sieve.slots[i]; !at.open {
			pairs.add(at)
		}
	}
	n.pairs(pairs, r.sieve)
	newly := map[string]bool{}
	for _, m := range r.result.Marks {
		newly[m.AttemptID] = true
	}
	proposed := map[string]time.Time{}
	shares := sharesOf(r.result.Attempts, r.result.Entries)
	for i := range r.result.Attempts {
		f := &r.result.Attempts[i]
		proposed[f.Attempt.ID] = f.Attempt.ProposedAt
		own := slices.ContainsFunc(f.Outcomes, func(o Outcome) bool { return o.AttemptID == f.Attempt.ID })
		n.finding(f, shares, own, newly[f.Attempt.ID])
	}
	for i := range r.result.Entries {
		n.entry(&r.result.Entries[i])
	}
	for i := range r.result.Outcomes {
		n.outcome(&r.result.Outcomes[i], proposed[r.result.Outcomes[i].Joined])
	}
	return n
}
