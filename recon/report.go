package recon

import (
	"time"

	"agentrecon/ledger"
)

// RunInfo is the header of a recorded run.
type RunInfo struct {
	ID             int64     // 1, 2, 3 … without gaps
	Kind           string    // "full" or "incremental"
	Slot           string    // the scheduled slot, if any
	AsOf           time.Time // everything is judged as of this instant
	RecordedAt     time.Time // when the run was made: the time a report shows and carries
	RecordedBy     string
	Entity         string // whose books the run was made of; may be empty
	Program        string // program version
	RuleSet        string
	Digest         string // hex; chains to Previous
	Previous       string
	EvidenceDigest string // over everything the run concluded, independent of the chain
}

// Report is everything a workbook shows: one run, filtered by a period. It holds no behaviour that could
// change what is shown; the same report gives the same bytes.
type Report struct {
	Run    RunInfo
	Period ledger.Period
	Entity string // whose books these are; may be empty
	// FilesOnly: the run was made over files and nothing of it is kept anywhere. Its clock is the moment it judges by, so
	// that the same files give the same report on any day.
	FilesOnly bool
	Policy    Policy

	Totals   Totals
	Controls Controls         // what the sources say, read independently of the engine
	Bridge   []BridgeCurrency // by currency
	Accounts []BridgeAccount  // the same by currency and account; see [Result]
	Checks   []Check

	Attempts []AttemptFinding // in the period and not clean by implication; by priority, class, proposed time, id
	Entries  []EntryFinding   // likewise; by priority, class, date, id
	Outcomes []OutcomeFinding // orphans and those joined by hash, by attempt id
	Repeats  []Repeat         // deliveries beyond the first, by attempt's time, id, delivery time
	Edges    []Edge           // on two sides of the period's edge, by attempt's time and id

	Sources        []ledger.SourceFile
	Coverage       []ledger.Coverage // merged, by account and from
	RecordingSince time.Time         // first recorded attempt; zero = none
	Recording      Recording
	Runs           []RunInfo // the last runs, newest first, this one included

	// What is known only where runs are kept; all of it as of the run, so that the same run gives the same report.
	Baselines    []Baseline    // what the report is compared with: the last run, the last issued run
	Dispositions []Disposition // the latest of each item, by population and item
	Overrides    []Override    // by time
	Slots        []SlotState   // newest first
	Trend        []Trend       // of the last runs and this one, oldest first
	RuleChanges  []RuleChange  // between the last runs, newest first

	// Earlier are the items of the time before the period that are still open: they are rolled forward with the period's own.
	Earlier Open
	// Linked are the entries of the period that belong to attempts and are not those of an attempt that is agreed in it:
	// they complete the population of entries. By booking date and id.
	Linked []EntryFinding
}

// Open are open items of the three populations, sorted as in a [Report].
type Open struct {
	Attempts []AttemptFinding
	Entries  []EntryFinding
	Outcomes []OutcomeFinding
}

// AcceptedProofs are the files that fail their own proof and were imported all the same, in import order.
func (r *Report) AcceptedProofs() []*ledger.SourceFile {
	var failed []*ledger.SourceFile
	for n := range r.Sources {
		if r.Sources[n].Proof.State == ledger.ProofFailed {
			failed = append(failed, &r.Sources[n])
		}
	}
	return failed
}

// Recording says how the attempts of a period came to be recorded, as far as the records tell.
type Recording struct {
	Last      time.Time      // when the last attempt was proposed; zero = none
	Harnesses []HarnessCount // by harness
	Hosts     int64          // hosts that attempts name
	Firings   int64          // firings that a recorder wrote under an id of its own; imports have none
	Late      int64          // of these, written down more than [LateAfter] after they were received: they lay in a spool
	Longest   time.Duration  // the longest of these delays
	Lost      int64          // firings of which nothing could be read
	Quiet     []QuietSpell   // inferred
}

// HarnessCount counts the attempts of one harness, as its recorder names it; empty = not recorded.
type HarnessCount struct {
	Harness  string
	Attempts int64
}

// LateAfter is how long after it was received a firing may be written down without having lain in a spool.
const LateAfter = time.Minute

// Repeat is one delivery of an attempt beyond its first.
type Repeat struct {
	Attempt    Attempt
	ReceivedAt time.Time
	Nth        int           // 2 for the first repeat
	After      time.Duration // since the first delivery
}

// Controls are control totals read from the sources by statements of their own, in the report's population.
type Controls struct {
	Attempts   Sums
	Entries    Sums // every status
	Booked     Sums // status booked
	Outcomes   int64
	Deliveries int64
	// DeliveriesOf are the deliveries by currency of their attempts: counts only.
	DeliveriesOf Sums
	// Accounts are the entries of each account, sorted by currency and account; entries that name none come first.
	Accounts []AccountSums
}

// Nothing reports whether the sources have neither attempts nor entries nor outcomes.
func (c Controls) Nothing() bool {
	return len(c.Attempts) == 0 && len(c.Entries) == 0 && c.Outcomes == 0
}

// AccountSums are control totals of the entries of one account in one currency.
type AccountSums struct {
	AccountID   string
	Currency    ledger.Currency
	Count       int64 // every status
	Minor       int64 // money out positive
	Booked      int64 // status booked
	BookedMinor int64
}

// SumAccounts adds up the accounts of each currency: entries of every status, and the booked ones. The accounts are sorted
// by currency.
func SumAccounts(accounts []AccountSums) (entries, booked Sums) {
	add := func(sums Sums, c ledger.Currency, count, minor int64) Sums {
		if n := len(sums); n > 0 && sums[n-1].Currency == c {
			sums[n-1].Count += count
			sums[n-1].Minor += minor
			return sums
		}
		return append(sums, CurrencySum{c, count, minor})
	}
	for _, a := range accounts {
		entries = add(entries, a.Currency, a.Count, a.Minor)
		if a.Booked > 0 {
			booked = add(booked, a.Currency, a.Booked, a.BookedMinor)
		}
	}
	return entries, booked
}

// BridgeCurrency leads from deliveries to booked entries in one currency.
type BridgeCurrency struct {
	Currency ledger.Currency
	Lines    []BridgeLine // every line of [BridgeLines], nil lines included
}

// BridgeAccount is the bridge of one account in one currency. The bridges of a currency's accounts add up to the currency's,
// line by line.
//
// An attempt counts under the account that paid it: that of the first entry that settles it, else that of another entry
// linked to it, else the source account that it names. Entries count under their own. Where several accounts paid one
// attempt, [LineGroups] moves the value between them.
type BridgeAccount struct {
	BridgeCurrency
	AccountID string // as the ledger names it; empty = no account recorded
	Elsewhere int64  // attempts that count here and name another account as the one to pay from
}

// BridgeLine is a line of the bridge, signed as it is added. Totals (Total true) are the sum of the lines above
// them since the start.
type BridgeLine struct {
	ID      string
	Label   string
	Total   bool
	Count   int64
	Minor   int64 // 0 for lines that count only
	NoValue bool  // deliveries and repeats have no value of their own
}

// Check is one tie-out: two figures that must be equal, each from its own place.
type Check struct {
	Assertion   string // what is asserted, in words
	Left, Right int64
	LeftFrom    string // where the figure comes from
	RightFrom   string
	Unit        string // "count" or a currency code (minor units)
	Independent bool   // the two sides come from different sources
}

// OK reports whether the two sides agree.
func (c Check) OK() bool { return c.Left == c.Right }
