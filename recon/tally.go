package recon

import (
	"cmp"
	"slices"
	"time"

	"agentrecon/ledger"
)

// counter adds up what a run concluded over one period.
type counter struct {
	period     ledger.Period
	attempts   populationCounter
	entries    populationCounter
	booked     sumCounter
	outcomes   populationCounter
	deliveries int64
	links      [len(TierNames)]int64
	marked     int64
	newly      int64
	weak       int64 // degraded ids
	causes     map[Cause]int64
	reasons    map[string]*sumCounter
	bridge     bridgeCounter
	spelled    map[string]string // see spellings
}

// sumCounter is a tally under construction.
type sumCounter struct {
	count      int64
	byCurrency map[ledger.Currency]*CurrencySum
}

type populationCounter struct {
	all     sumCounter
	classes map[Class]*sumCounter
}

func newCounter(period ledger.Period, ledgers []AccountSums) *counter {
	return &counter{period: period, causes: map[Cause]int64{}, reasons: map[string]*sumCounter{}, bridge: bridgeCounter{}, spelled: spellings(ledgers)}
}

func (s *sumCounter) add(count, minor int64, c ledger.Currency) {
	s.count += count
	if s.byCurrency == nil {
		s.byCurrency = map[ledger.Currency]*CurrencySum{}
	}
	sum := s.byCurrency[c]
	if sum == nil {
		sum = &CurrencySum{Currency: c}
		s.byCurrency[c] = sum
	}
	sum.Count += count
	sum.Minor += minor
}

func (s *sumCounter) tally() Tally {
	t := Tally{Count: s.count}
	for _, sum := range s.byCurrency {
		t.Minor = append(t.Minor, *sum)
	}
	slices.SortFunc(t.Minor, func(a, b CurrencySum) int { return cmp.Compare(a.Currency, b.Currency) })
	return t
}

func (p *populationCounter) add(class Class, minor int64, c ledger.Currency) {
	p.sum(class, 1, minor, c)
}

// sum adds items.
func (p *populationCounter) sum(class Class, count, minor int64, c ledger.Currency) {
	p.all.add(count, minor, c)
	p.class(class).add(count, minor, c)
}

// count adds items that have no amount.
func (p *populationCounter) count(class Class, count int64) {
	p.all.count += count
	p.class(class).count += count
}

func (p *populationCounter) class(class Class) *sumCounter {
	if p.classes == nil {
		p.classes = map[Class]*sumCounter{}
	}
	if p.classes[class] == nil {
		p.classes[class] = &sumCounter{}
	}
	return p.classes[class]
}

func (p *populationCounter) totals(population Population) PopulationTotals {
	t := PopulationTotals{Tally: p.all.tally()}
	for _, info := range ClassesOf(population) {
		if sums := p.classes[info.Class]; sums != nil {
			t.Classes = append(t.Classes, ClassTally{info.Class, sums.tally()})
		}
	}
	return t
}

// pairs counts clean pairs.
func (n *counter) pairs(p *pairCounter, s *sieve) {
	for cell, sums := range p.cells {
		c := s.currencies[cell.currency]
		if sums.attempts > 0 {
			n.attempts.sum(Matched, sums.attempts, sums.attempted, c)
			n.outcomes.count(Joined, sums.attempts)
			n.deliveries += sums.deliveries
		}
		if sums.entries > 0 {
			n.entries.sum(Matched, sums.entries, sums.booked, c)
			n.booked.add(sums.entries, sums.booked, c)
		}
		n.bridge.pairs(accountKey{c, s.accounts.name(cell.account)}, sums)
	}
	for tier, count := range p.links {
		n.links[tier] += count
	}
	n.weak += p.weak
}

// degraded counts an attempt of the period whose id may stand for two calls.
func (n *counter) degraded(source IDSource, proposed time.Time) {
	if source.Degraded() && n.period.HasInstant(proposed) {
		n.weak++
	}
}

// finding counts a judged attempt.
func (n *counter) finding(f *AttemptFinding, shares map[*ledger.Entry]share, joined, newlyMarked bool) {
	inPeriod := n.period.HasInstant(f.Attempt.ProposedAt)
	n.bridge.finding(n.period, f, shares, accountOf(f, n.spelled), inPeriod)
	if !inPeriod {
		return
	}
	n.attempts.add(f.Class, f.Attempt.Minor, f.Attempt.Currency)
	n.degraded(f.Attempt.IDSource, f.Attempt.ProposedAt)
	n.deliveries += int64(f.Attempt.Deliveries)
	if joined {
		n.outcomes.count(Joined, 1)
	}
	for _, l := range f.Links {
		if l.Entry.Moved() && l.Role != RoleShared {
			n.links[l.Tier]++
		}
	}
	if f.Stale {
		n.marked++
	}
	if newlyMarked {
		n.newly++
	}
	if f.Cause != NoCause {
		n.causes[f.Cause]++
	}
}

// entry counts a judged entry.
func (n *counter) entry(f *EntryFinding) {
	if !n.period.HasDate(f.Entry.BookedOn) {
		return
	}
	e := &f.Entry
	n.entries.add(f.Class, e.Outflow(), e.Currency)
	if e.Moved() {
		n.booked.add(1, e.Outflow(), e.Currency)
	}
	if f.Class == OutOfScope {
		if n.reasons[f.Reason] == nil {
			n.reasons[f.Reason] = &sumCounter{}
		}
		n.reasons[f.Reason].add(1, e.Outflow(), e.Currency)
	}
	n.bridge.entry(f)
}

func (n *counter) outcome(f *OutcomeFinding, proposed time.Time) {
	at := f.Outcome.ObservedAt
	if f.Class == Joined {
		at = proposed
	}
	if n.period.HasInstant(at) {
		n.outcomes.count(f.Class, 1)
	}
}

func (n *counter) totals() Totals {
	t := Totals{
		Attempts: n.attempts.totals(Attempts), Entries: n.entries.totals(Entries), Booked: n.booked.tally(),
		Outcomes: n.outcomes.totals(Outcomes), Deliveries: n.deliveries, LinksByTier: n.links,
		UnknownMarked: n.marked, NewlyMarked: n.newly, DegradedIDs: n.weak,
	}
	for _, cause := range Causes {
		if n.causes[cause] > 0 {
			t.Causes = append(t.Causes, CauseCount{cause, n.causes[cause]})
		}
	}
	for reason, sums := range n.reasons {
		t.OutOfScope = append(t.OutOfScope, ReasonTally{reason, sums.tally()})
	}
	slices.SortFunc(t.OutOfScope, func(a, b ReasonTally) int { return cmp.Compare(a.Reason, b.Reason) })
	return t
}
