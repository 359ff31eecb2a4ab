package recon

import (
	"time"

	"agentrecon/ledger"
)

// Tier says how an attempt and an entry were linked, strongest first.
type Tier int

// The tiers.
const (
	NoTier        Tier = iota
	ByKey              // idempotency key, end-to-end id or metadata key
	ByProviderRef      // the provider's id
	ByReference        // normalised reference; inferred
	ByAttributes       // amount, currency, destination; inferred
)

// TierNames are the names of the tiers in files and JSON, by tier.
var TierNames = [...]string{"", "idempotency_key", "provider_ref", "reference", "attributes"}

// String is the name of the tier.
func (t Tier) String() string { return TierNames[t] }

// Inferred reports whether the link rests on like attributes and not on a key.
func (t Tier) Inferred() bool { return t == ByReference || t == ByAttributes }

// Role says what a linked entry is to its attempt.
type Role string

// The roles of linked entries.
const (
	RoleSettles  Role = "settles"  // the entry, or one of the entries, that paid the attempt
	RoleExcess   Role = "excess"   // a further entry of the exact amount
	RoleReversal Role = "reversal" // takes back a settling entry, in full or in part
	RolePending  Role = "pending"  // announced, not booked
	RoleRejected Role = "rejected" // refused by the provider
	RoleShared   Role = "shared"   // belongs to an earlier attempt with the same key
)

// Link ties an attempt to a ledger entry.
type Link struct {
	Entry *ledger.Entry
	Tier  Tier
	Role  Role
	Part  *ledger.Entry // the payment within a batch entry that is meant; nil = the whole entry
}

// Payment is what is linked: the part that is meant, else the whole entry.
func (l Link) Payment() *ledger.Entry {
	if l.Part != nil {
		return l.Part
	}
	return l.Entry
}

// Difference is one field in which an attempt and the ledger differ.
type Difference struct {
	Field   string // "payee", "currency", "amount", "split_incomplete", "fee", "date"
	Attempt string // value of the attempt, as shown; of a date, the window
	Ledger  string // value of the ledger, as shown
	Delta   int64  // ledger − attempt in minor units, outflow positive; amounts only
}

// Flag is an annotation: it never changes a class.
type Flag struct {
	Name FlagName
	Of   string // for relational flags: the earlier item
}

// FlagName is the name of a flag.
type FlagName string

// The flags.
const (
	FlagInferred        FlagName = "inferred"
	FlagInterchangeable FlagName = "interchangeable"
	FlagDegradedID      FlagName = "degraded_id"
	FlagIDReused        FlagName = "id_reused"
	FlagLateOutcome     FlagName = "late_outcome"
	FlagCorrectedDup    FlagName = "corrected_duplicate"
	FlagPartlyRefunded  FlagName = "partly_refunded"
	FlagJoinedByHash    FlagName = "joined_by_hash"
	FlagSuspectedReask  FlagName = "suspected_reask"
	FlagDualEvent       FlagName = "dual_event"
	FlagSystemic        FlagName = "systemic"
	FlagRedelivered     FlagName = "redelivered"
	FlagPeriodEdge      FlagName = "period_edge"
)

// FlagNames lists the flags in the order in which an item shows them.
var FlagNames = []FlagName{
	FlagInferred, FlagInterchangeable, FlagDegradedID, FlagIDReused, FlagLateOutcome, FlagCorrectedDup, FlagPartlyRefunded,
	FlagJoinedByHash, FlagSuspectedReask, FlagDualEvent, FlagSystemic, FlagRedelivered, FlagPeriodEdge,
}

// Cause is what the evidence points to for an unresolved attempt.
type Cause string

// The causes, in order of precedence. The report calls them "evidence points to".
const (
	CauseRejected       Cause = "rejected by the provider"
	CauseDenied         Cause = "denied"
	CauseInterrupted    Cause = "session interrupted"
	CauseCrash          Cause = "harness crash"
	CauseHookKilled     Cause = "hook killed before the call was sent"
	CauseHookOutage     Cause = "hook outage"
	CauseNoFailureEvent Cause = "platform has no failure event"
	CauseNoEvidence     Cause = "no evidence"
	NoCause             Cause = "" // of attempts that are not unresolved
)

// Causes lists the causes in order of precedence.
var Causes = []Cause{
	CauseRejected, CauseDenied, CauseInterrupted, CauseCrash, CauseHookKilled, CauseHookOutage, CauseNoFailureEvent, CauseNoEvidence,
}

// AttemptFinding is what a run concludes of an attempt that is not clean by implication.
type AttemptFinding struct {
	Attempt     Attempt
	Outcomes    []Outcome // every version, oldest first; the last is current
	Class       Class
	Evidence    Evidence
	Rule        string          // the cell of the decision table
	Links       []Link          // by role, then booking order
	Candidates  []*ledger.Entry // entries that fit an ambiguous attempt, by id
	Differences []Difference
	Flags       []Flag // in the order of FlagNames
	Cause       Cause
	CauseDetail string        // what the cause rests on, for a person
	Age         time.Duration // at as_of
	Stale       bool          // no definite outcome, and older than stale_after: marked unknown
	OffsetIn    string        // an item of the other side that cancels it out in the count, if a report found one
}

// EntryFinding is what a run concludes of an entry that is not clean by implication.
type EntryFinding struct {
	Entry    ledger.Entry
	Class    Class
	Reason   string   // why it is out of scope, or the status of one not booked
	Attempts []string // the attempts it is linked to, or the candidates of an ambiguous entry; sorted
	Tier     Tier
	Flags    []Flag
	OffsetIn string // an attempt without an entry that cancels this one out in the count, if a report found one
}

// OutcomeFinding is an outcome that was not joined by id.
type OutcomeFinding struct {
	Outcome Outcome
	Class   Class
	Joined  string // the attempt it was joined to by argument hash
	Flags   []Flag
}

// Mark is the standing record that an attempt had no definite outcome when it should have had one.
type Mark struct {
	AttemptID string
	RunID     int64
	MarkedAt  time.Time // the run's as_of
	Age       time.Duration
	Threshold time.Duration
}
