package recon

import (
	"agentrecon/ledger"
)

// Tally is a count with its sums by currency. Sums are minor units, money out positive.
type Tally struct {
	Count int64
	Minor Sums
}

// Sums holds one sum a currency, sorted by currency.
type Sums []CurrencySum

// CurrencySum is the sum of one currency.
type CurrencySum struct {
	Currency ledger.Currency
	Count    int64 // items of that currency
	Minor    int64
}

// Of returns the sum of a currency, and zero where there is none.
func (s Sums) Of(c ledger.Currency) CurrencySum {
	for _, sum := range s {
		if sum.Currency == c {
			return sum
		}
	}
	return CurrencySum{Currency: c}
}

// ClassTally is the tally of one class.
type ClassTally struct {
	Class Class
	Tally
}

// PopulationTotals are the totals of one population, and of each class of it. Classes that have no item are left out;
// the others come in the order of [ClassesOf].
type PopulationTotals struct {
	Tally
	Classes []ClassTally
}

// ClassCount is the number of items of a class.
func (p PopulationTotals) ClassCount(c Class) int64 {
	for _, tally := range p.Classes {
		if tally.Class == c {
			return tally.Count
		}
	}
	return 0
}

// Totals is what a report counts, all of it over the report's population.
type Totals struct {
	Attempts PopulationTotals
	Entries  PopulationTotals
	Booked   Tally // entries with status booked, whatever their class
	Outcomes PopulationTotals

	Deliveries    int64                 // firings; an attempt without delivery rows counts one
	LinksByTier   [len(TierNames)]int64 // links of attempts to booked entries, by tier
	UnknownMarked int64                 // standing marks
	NewlyMarked   int64                 // marks of this run
	DegradedIDs   int64                 // attempts whose id may stand for two calls, agreed ones included
	Causes        []CauseCount
	OutOfScope    []ReasonTally // out-of-scope entries by reason
}

// CauseCount counts the unresolved attempts whose evidence points to one cause, in the order of [Causes].
type CauseCount struct {
	Cause Cause
	Count int64
}

// ReasonTally counts the entries excluded for one reason, sorted by reason.
type ReasonTally struct {
	Reason string
	Tally
}

// CountKind is the number of items of a population whose class is of a kind.
func (t Totals) CountKind(p Population, k Kind) int64 {
	var n int64
	for _, tally := range t.population(p).Classes {
		if InfoOf(p, tally.Class).Kind == k {
			n += tally.Count
		}
	}
	return n
}

func (t Totals) population(p Population) PopulationTotals {
	switch p {
	case Attempts:
		return t.Attempts
	case Entries:
		return t.Entries
	default:
		return t.Outcomes
	}
}

// Unexplained is the number of unresolved attempts for which nothing points to a cause.
func (t Totals) Unexplained() int64 {
	for _, c := range t.Causes {
		if c.Cause == CauseNoEvidence {
			return c.Count
		}
	}
	return 0
}
