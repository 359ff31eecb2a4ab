package recon

import (
	"context"
	"iter"
	"time"

	"agentrecon/ledger"
)

// Result is everything a run concluded. What is clean is implied: an attempt that is in none of the slices
// was reported as succeeded and agreed by key to exactly one booked entry.
type Result struct {
	AsOf   time.Time
	Policy Policy
	Period ledger.Period // of Totals, Controls and Bridge

	Attempts   []AttemptFinding // sorted by id
	Entries    []EntryFinding   // sorted by entry id, then number
	Outcomes   []OutcomeFinding // sorted by attempt id
	Marks      []Mark           // new marks, sorted by attempt id; RunID is not set yet
	Superseded []Outcome        // definite outcomes that came after a mark, sorted by attempt id

	Totals   Totals // of the period
	Controls Controls
	Bridge   []BridgeCurrency
	// Accounts is the bridge by account, for reports: nil where only what changed was looked at, and where there are more
	// accounts than can be told apart.
	Accounts       []BridgeAccount
	Checks         []Check
	WholeTotals    Totals // of everything recorded
	WholeControls  Controls
	WholeBridge    []BridgeCurrency
	Coverage       []ledger.Coverage // merged
	RecordingSince time.Time
	RecordingUntil time.Time // the latest attempt; zero: none, or nobody knows

	// Quiet are the stretches of the period in which nothing was recorded although the weeks around had many attempts: inferred,
	// by time; made only where everything was looked at.
	Quiet []QuietSpell

	// ImpliedPairs yields the clean pairs by the attempt's time and id, for a listing of everything. It reads the books
	// of the run, whose view must still be open.
	ImpliedPairs func(ctx context.Context) iter.Seq2[ImpliedPair, error]
	// ImpliedPairsFrom does the same with another view of the same books, for a run whose own has ended.
	ImpliedPairsFrom func(ctx context.Context, books Books) iter.Seq2[ImpliedPair, error]
	// CleanPairs does so too, in no particular order, for a listing in an order of its own.
	CleanPairs func(ctx context.Context, books Books) iter.Seq2[ImpliedPair, error]
	// Since is set where only what changed since an earlier run was looked at, see [RunSince]: the findings are then those
	// of the affected items, and totals, controls, bridge and checks are of everything.
	Since *Since
	// EdgePairs are the clean pairs on two sides of the period's edge, by the attempt's time and id, without entry ids.
	EdgePairs []ImpliedPair
}

// ImpliedPair is an attempt and the one entry that agrees with it by key.
type ImpliedPair struct {
	AttemptID  string
	IDSource   IDSource
	EntryID    string
	EntryNo    int64
	Tier       Tier
	ProposedAt time.Time
	BookedOn   ledger.Date
	Minor      int64
	Currency   ledger.Currency
}

// Since says what a run over what changed looked at.
type Since struct {
	// Before is what the earlier run had concluded of the affected items, worked out again.
	Before   *Result
	Affected Items
}
