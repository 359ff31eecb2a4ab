package recon

import (
	"agentrecon/ledger"
)

// pairCounter adds up the clean pairs of a period in numbers alone, for they may be millions: by currency and account, as the
// sieve numbers them.
type pairCounter struct {
	whole      bool
	start, end int64 // of the period, in Unix microseconds
	from, to   ledger.Date

	cells map[pairCell]*pairSums
	last  *pairSums // of lastAt: neighbours in a stream often share theirs
	at    pairCell
	links [len(TierNames)]int64
	weak  int64 // attempts whose id may stand for two calls
}

type pairCell struct{ currency, account uint16 }

// pairSums are sums of clean pairs; entries are money out positive.
type pairSums struct {
	attempts, attempted, deliveries int64 // attempts of the period, their minor units and their firings
	entries, booked                 int64 // entries of the period, and their minor units
	outside, outsideMinor           int64 // attempts of the period whose entry is not of it
	other, otherMinor               int64 // attempts of other periods whose entry is of this one
	value                           int64 // what the entries of the period moved beyond the amounts attempted
	elsewhere                       int64 // attempts of the period that another account paid than they name
}

func newPairCounter(period ledger.Period) *pairCounter {
	p := &pairCounter{whole: period.IsZero(), cells: map[pairCell]*pairSums{}}
	if !p.whole {
		p.start, p.end, p.from, p.to = period.Start().UnixMicro(), period.End().UnixMicro(), period.From, period.To
	}
	return p
}

func (p *pairCounter) add(at *slot) {
	attempt := p.whole || p.start <= at.proposed && at.proposed < p.end
	entry := p.whole || p.from <= at.bookedOn && at.bookedOn < p.to
	if !attempt && !entry {
		return
	}
	sums := p.sums(pairCell{at.currency, at.account})
	if attempt {
		sums.attempts++
		sums.attempted += at.minor
		sums.deliveries += int64(at.deliveries)
		p.links[at.tier()]++
		if at.source().Degraded() {
			p.weak++
		}
		if at.elsewhere() {
			sums.elsewhere++
		}
	}
	if entry {
		sums.entries++
		sums.booked += at.minor + at.fee
		sums.value += at.fee
	}
	switch {
	case !entry:
		sums.outside++
		sums.outsideMinor += at.minor
	case !attempt:
		sums.other++
		sums.otherMinor += at.minor
	}
}

func (p *pairCounter) sums(at pairCell) *pairSums {
	if p.last == nil || p.at != at {
		if p.last = p.cells[at]; p.last == nil {
			p.last = &pairSums{}
			p.cells[at] = p.last
		}
		p.at = at
	}
	return p.last
}
