package ledger

import "time"

// ControlTotal is a count and a sum of one currency, carried from the source to the report.
type ControlTotal struct {
	Currency Currency
	Count    int64
	Minor    int64 // signed sum in minor units, as printed in the source (money in positive)
}

// ProofState is the result of a statement proving itself.
type ProofState string

// The states of a proof. A file without balances or declared totals has none, and says why.
const (
	ProofOK     ProofState = "ok"
	ProofFailed ProofState = "failed"
	ProofNone   ProofState = "none"
)

// Proof says whether a file agrees with its own balances, counts and sums.
type Proof struct {
	State  ProofState
	Detail string // the difference of a failed proof, the reason of none
}

// Coverage says that the ledger is complete for an account over a range of days.
type Coverage struct {
	AccountID string // empty: every account in scope
	From, To  Date   // half-open
	Inferred  bool   // first to last booked day of a file that does not say what it covers
	Report    bool   // said by a person of reports, where there are no statements
	File      string // the file that says so
}

// SourceFile describes one imported file: what the workbook's Sources sheet shows of it.
type SourceFile struct {
	Name       string
	SHA256     string // lower-case hex
	Population string // "attempts", "outcomes", "sessions", "audit" or "ledger"
	Format     string // "csv", "jsonl", "camt.053" …
	Profile    string // profile and version, for ledger files
	Accounts   []string
	Rows       int64          // data rows read
	New        int64          // rows that were not there before
	Totals     []ControlTotal // by currency
	Expected   []ControlTotal // control totals from outside, independent of the file; may be empty
	Statements []Statement    // in file order; none for files that are plain lists
	Proof      Proof          // of Statements: see [ProveStatements]
	Coverage   []Coverage
	Warnings   []string // what was odd about the file as a whole, in words, and did not prevent reading it
	ImportedAt time.Time
	ImportedBy string
}
