package recon

import (
	"context"
	"iter"
	"time"

	"agentrecon/ledger"
)

// Books is what a run reads: one consistent view of everything recorded, taken at one moment. Every method
// returns the same facts however often it is called. Streams are in no particular order; slices are sorted
// as said. An error of a stream is its last element.
type Books interface {
	// Size returns how many attempts are recorded.
	Size(ctx context.Context) (int64, error)
	// AttemptRows yields every attempt in the fields that keyed agreement needs. A row of this and the other streams is
	// valid until the next one; its texts stay.
	AttemptRows(ctx context.Context) iter.Seq2[*AttemptRow, error]
	// OutcomeRows yields the current outcome of every attempt id that has one, whether such an attempt is recorded or not.
	OutcomeRows(ctx context.Context) iter.Seq2[*OutcomeRow, error]
	// RemarkRows yields what else is to be known of attempts, of those alone of which it is not as usual.
	RemarkRows(ctx context.Context) iter.Seq2[*RemarkRow, error]
	// EntryRows yields every ledger entry in the fields that keyed agreement needs: those of [StreamedEntry].
	EntryRows(ctx context.Context) iter.Seq2[*ledger.Entry, error]

	// EntryIDs yields every ledger entry by its number, with its number and its id alone. The entry is valid until the next
	// one.
	EntryIDs(ctx context.Context) iter.Seq2[*EntryID, error]

	// AttemptsByID returns the attempts with these ids in full, with every outcome version, sorted by id.
	AttemptsByID(ctx context.Context, ids []string) ([]Case, error)
	// EntriesByNo returns the entries with these numbers, sorted by number.
	EntriesByNo(ctx context.Context, nos []int64) ([]ledger.Entry, error)
	// EntriesByProviderID returns the entries that have one of these provider ids, sorted by number.
	EntriesByProviderID(ctx context.Context, ids []string) ([]ledger.Entry, error)
	// AttemptIDsByArgs returns the ids of attempts that have one of these argument hashes, sorted.
	AttemptIDsByArgs(ctx context.Context, hashes []string) ([]string, error)

	// OrphansByID returns the current outcomes of these attempt ids where no such attempt is recorded, sorted by attempt id.
	OrphansByID(ctx context.Context, ids []string) ([]Outcome, error)
	// Sessions returns what is known of these sessions, sorted by id; unknown ones are left out.
	Sessions(ctx context.Context, ids []string) ([]Session, error)
	// Coverage returns the ranges over which the ledger is complete, sorted by account, from and to.
	Coverage(ctx context.Context) ([]ledger.Coverage, error)
	// Repeats returns the deliveries beyond the first of attempts proposed in the period, sorted by the
	// attempt's time, its id and the delivery's time.
	Repeats(ctx context.Context, period ledger.Period) ([]Repeat, error)
	// Recording says how the attempts proposed in a period, and the firings received in it, came to be recorded.
	Recording(ctx context.Context, period ledger.Period) (Recording, error)
	// Sources returns the imported files in import order.
	Sources(ctx context.Context) ([]ledger.SourceFile, error)
	// Controls counts and sums the populations of a period by statements of their own: attempts by proposed_at,
	// entries by booked_on, outcomes by their attempt (orphans by observed_at).
	Controls(ctx context.Context, period ledger.Period) (Controls, error)
}

// AttemptRow is an attempt as the stream of a run carries it.
type AttemptRow struct {
	ID             string
	Minor          int64
	Currency       ledger.Currency
	SourceAccount  string
	DestAccount    string
	Reference      string
	IdempotencyKey string
	IDSource       IDSource
	ProposedAt     time.Time
}

// OutcomeRow is the current outcome of an attempt id as the stream of a run carries it.
type OutcomeRow struct {
	AttemptID   string
	Status      OutcomeStatus
	ProviderRef string
	Versions    int // how many outcome versions there are
}

// RemarkRow is what the stream of a run says of an attempt beside content and outcome. An attempt may have several, each of
// which says a part.
type RemarkRow struct {
	AttemptID  string
	Deliveries int       // firings recorded for it, where they are more than one; else 0
	IDReused   bool      // see [Attempt]
	MarkedAt   time.Time // see [Attempt]
}

// EntryID says which entry has which number.
type EntryID struct {
	No int64
	ID string
}

// StreamedEntry is an entry as the stream of a run carries it. What is not clean by these fields is fetched in full.
func StreamedEntry(e *ledger.Entry) ledger.Entry {
	return ledger.Entry{
		No: e.No, ProviderID: e.ProviderID, AccountID: e.AccountID, BookedOn: e.BookedOn, OccurredAt: e.OccurredAt, Amount: e.Amount,
		Currency: e.Currency, Gross: e.Gross, Kind: e.Kind, Status: e.Status, CounterpartyAccount: e.CounterpartyAccount,
		EndToEndID: e.EndToEndID, IdempotencyKey: e.IdempotencyKey, RemittanceText: e.RemittanceText,
		Report: e.Report, Superseded: e.Superseded, SupersededBy: e.SupersededBy,
	}
}

// Case is an attempt with every outcome version ever observed for it, oldest first.
type Case struct {
	Attempt  Attempt
	Outcomes []Outcome
}

// Session is what is known of an agent session.
type Session struct {
	ID          string
	Events      []SessionEvent // by time, then event
	LastAttempt time.Time      // when its last attempt was proposed
}

// Journal records what a run concluded, in the transaction that the run reads in.
type Journal interface {
	// Record stores the run with its findings, links and marks, or nothing at all, and returns its header
	// with number and digests.
	Record(ctx context.Context, header RunInfo, result *Result) (RunInfo, error)
}
