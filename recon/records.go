package recon

import (
	"time"

	"agentrecon/ledger"
)

// IDSource says where an attempt's id came from, and so how far it can be trusted to name one call.
type IDSource string

// The sources of attempt ids (architecture, Attempt identity).
const (
	IDToolUse      IDSource = "tool_use_id"
	IDWeakToolUse  IDSource = "weak_tool_use_id"
	IDFallbackHash IDSource = "fallback_hash"
	IDLegacyWindow IDSource = "legacy_window"
	IDUnspecified  IDSource = "unspecified"
)

// IDSources lists every id source.
var IDSources = []IDSource{IDToolUse, IDWeakToolUse, IDFallbackHash, IDLegacyWindow, IDUnspecified}

// Degraded reports whether two calls may have collapsed into one id.
func (s IDSource) Degraded() bool {
	return s == IDWeakToolUse || s == IDFallbackHash || s == IDLegacyWindow
}

// Attempt says that at a moment a call was proposed with these arguments, and nothing more.
type Attempt struct {
	ID             string
	SessionID      string
	Minor          int64 // amount in minor units of Currency, positive = money out
	Currency       ledger.Currency
	SourceAccount  string // empty = not recorded
	DestAccount    string // empty = not recorded
	Reference      string
	IdempotencyKey string
	KeySource      string // "caller" or "hook" where known
	IDSource       IDSource
	ArgsSHA256     string // lower-case hex; empty = not recorded
	Tool           string
	Harness        string
	AgentID        string
	TurnID         string
	Host           string // machine whose recorder wrote it; empty = not recorded
	ProposedAt     time.Time

	Deliveries int       // firings recorded for it; an attempt without delivery rows counts one
	IDReused   bool      // deliveries with the same id and other arguments exist
	MarkedAt   time.Time // when an earlier run marked it unknown; zero = unmarked
	MarkRun    int64     // the run that did
}

// OutcomeStatus is what the platform observed after the call.
type OutcomeStatus string

// The statuses of outcomes. Interrupted, timeout and unknown are not definite: the money may have moved or not.
const (
	Succeeded   OutcomeStatus = "succeeded"
	Failed      OutcomeStatus = "failed"
	Denied      OutcomeStatus = "denied"
	Interrupted OutcomeStatus = "interrupted"
	TimedOut    OutcomeStatus = "timeout"
	Unknown     OutcomeStatus = "unknown"
)

// OutcomeStatuses lists every status.
var OutcomeStatuses = []OutcomeStatus{Succeeded, Failed, Denied, Interrupted, TimedOut, Unknown}

// Definite reports whether the status settles what the platform believes.
func (s OutcomeStatus) Definite() bool { return s == Succeeded || s == Failed || s == Denied }

// HookKilled is the error of an outcome with status unknown that a recorder writes when its spool shows that the hook
// was killed before the call was sent.
const HookKilled = "hook killed before the call was sent"

// Outcome is one observation; an attempt's current outcome is the latest, its history is every version it ever had.
type Outcome struct {
	AttemptID   string
	Status      OutcomeStatus
	ProviderRef string
	Error       string
	ArgsSHA256  string
	ObservedAt  time.Time
}

// SessionEventKind is something that happened to an agent session.
type SessionEventKind string

// The session events.
const (
	SessionStarted     SessionEventKind = "started"
	SessionResumed     SessionEventKind = "resumed"
	SessionInterrupted SessionEventKind = "interrupted"
	SessionCrashed     SessionEventKind = "crashed"
	SessionEnded       SessionEventKind = "ended"
)

// SessionEventKinds lists every session event.
var SessionEventKinds = []SessionEventKind{SessionStarted, SessionResumed, SessionInterrupted, SessionCrashed, SessionEnded}

// SessionEvent is one event of one session.
type SessionEvent struct {
	SessionID string
	Event     SessionEventKind
	At        time.Time
}

// Delivery is one firing of the hook before a call.
type Delivery struct {
	AttemptID  string
	ReceivedAt time.Time
	ArgsSHA256 string
}

// AuditRow is one row of an old audit table: one per firing, without a usable id.
type AuditRow struct {
	RecordedAt    time.Time
	SessionID     string
	Minor         int64
	Currency      ledger.Currency
	SourceAccount string
	DestAccount   string
	Reference     string
	Line          int // in its file, from 1
}
