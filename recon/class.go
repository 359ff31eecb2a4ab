package recon

// Class is what a run concludes of one attempt, entry or outcome. Every item in scope has exactly one class
// of its own population.
type Class string

// Classes of attempts.
const (
	Matched                Class = "matched"
	MatchedWithinTolerance Class = "matched_within_tolerance"
	Deduplicated           Class = "deduplicated"
	FailedConfirmed        Class = "failed_confirmed"
	InTransit              Class = "in_transit"
	FailedUnconfirmed      Class = "failed_unconfirmed"
	AwaitingOutcome        Class = "awaiting_outcome"
	UnknownSettled         Class = "unknown_settled"
	UnknownReversed        Class = "unknown_reversed"
	UnknownNotSettled      Class = "unknown_not_settled"
	UnknownOpen            Class = "unknown_open"
	Ambiguous              Class = "ambiguous" // also a class of entries
	FailedButSettled       Class = "failed_but_settled"
	DuplicateSettlement    Class = "duplicate_settlement"
	PayeeVariance          Class = "payee_variance"
	MissingInLedger        Class = "missing_in_ledger"
	CurrencyVariance       Class = "currency_variance"
	AmountVariance         Class = "amount_variance"
	Reversed               Class = "reversed"
	ContradictoryOutcome   Class = "contradictory_outcome"
	FailedAndReversed      Class = "failed_and_reversed"
	LateSettlement         Class = "late_settlement"
	EarlySettlement        Class = "early_settlement"
	NotCoverable           Class = "not_coverable"
)

// Classes of ledger entries, beside [Matched] and [Ambiguous].
const (
	ExcessSettlement    Class = "excess_settlement"
	UnattemptedMovement Class = "unattempted_movement"
	Reversal            Class = "reversal"
	NotBooked           Class = "not_booked"
	OutOfScope          Class = "out_of_scope"
)

// Classes of outcomes.
const (
	Joined        Class = "joined"
	OrphanOutcome Class = "orphan_outcome"
)

// Kind groups classes by what a person has to do about them. Every count of a report counts kinds.
type Kind string

// The kinds.
const (
	Clean        Kind = "clean"         // nothing to do
	Timing       Kind = "timing"        // one-sided, but the window is still open
	Unresolved   Kind = "unresolved"    // the platform does not know what happened
	Mismatch     Kind = "mismatch"      // attempt, outcome and ledger contradict each other
	NotConcluded Kind = "not_concluded" // the ledger does not cover it
	LedgerOnly   Kind = "ledger_only"   // an entry or outcome without an attempt
	Excluded     Kind = "excluded"      // outside what is reconciled, with its reason
)

// Priority is how soon a person should look.
type Priority string

// The priorities, most pressing first.
const (
	Critical   Priority = "critical"
	High       Priority = "high"
	Medium     Priority = "medium"
	Info       Priority = "info"
	NoPriority Priority = ""
)

// Priorities lists the priorities, most pressing first.
var Priorities = []Priority{Critical, High, Medium, Info, NoPriority}

// Population is one of the three lists that a run classifies.
type Population string

// The populations.
const (
	Attempts Population = "attempts"
	Entries  Population = "entries"
	Outcomes Population = "outcomes"
)

// ClassInfo says what a class means and what to do about it.
type ClassInfo struct {
	Class    Class
	Kind     Kind
	Priority Priority
	Listed   bool   // clean classes that a report lists all the same
	Meaning  string // one sentence for an auditor
	DoNext   string // one sentence for whoever acts on it
}

// AttemptClasses is every class of attempts, in the order in which reports show them.
var AttemptClasses = []ClassInfo{
	{Matched, Clean, NoPriority, false, "Reported as succeeded and agreed to the ledger.", "Nothing."},
	{MatchedWithinTolerance, Clean, NoPriority, true, "Agreed to the ledger but for a difference that the policy permits.", "Nothing; read the differences together."},
	{Deduplicated, Clean, NoPriority, true, "A replay with the key of an earlier attempt: one entry serves both.", "Nothing; the provider refused to pay twice."},
	{FailedConfirmed, Clean, NoPriority, true, "Reported as failed or denied, and the ledger has no entry.", "Nothing."},
	{InTransit, Timing, Info, true, "Reported as succeeded; no booked entry yet: the window is open, or an entry is pending.", "Wait for the window to close; ask the provider about an entry that stays pending."},
	{FailedUnconfirmed, Timing, Info, true, "Reported as failed or denied; the ledger may still show it.", "Wait for the window to close."},
	{AwaitingOutcome, Timing, Info, true, "Too young to expect an outcome.", "Wait for the outcome."},
	{UnknownSettled, Unresolved, High, true, "No definite outcome, and the ledger has its entry: the money moved.", "Record it as paid; do not re-send."},
	{UnknownReversed, Unresolved, High, true, "No definite outcome; the ledger booked it and reversed it.", "Ask if it is still owed; do not re-send before the answer."},
	{UnknownNotSettled, Unresolved, Medium, true, "No definite outcome, and the ledger has no booked entry: the money did not move.", "Ask if it is still owed; do not re-send before the answer."},
	{UnknownOpen, Unresolved, Medium, true, "No definite outcome, and the ledger cannot say yet.", "Wait for the ledger; do not re-send."},
	{Ambiguous, Unresolved, Medium, true, "Several entries or attempts fit and nothing decides between them.", "Decide by hand from the candidates listed."},
	{FailedButSettled, Mismatch, Critical, true, "Reported as failed or denied, and the ledger has an entry: the money moved.", "Treat as paid; stop any retry; ask the provider."},
	{DuplicateSettlement, Mismatch, Critical, true, "The ledger has the amount more than once for this attempt.", "Recover the excess from the payee or the provider."},
	{PayeeVariance, Mismatch, Critical, true, "Paid to another account than the attempt named.", "Stop and investigate the payee."},
	{MissingInLedger, Mismatch, High, true, "Reported as succeeded; no entry, coverage proven.", "Ask the provider; do not re-send before the answer."},
	{CurrencyVariance, Mismatch, High, true, "Booked in another currency than attempted.", "Check the conversion with the provider."},
	{AmountVariance, Mismatch, High, true, "Booked with another amount than attempted.", "Explain the difference: fee, partial payment or error."},
	{Reversed, Mismatch, High, true, "Booked and reversed in full: in the end no money moved.", "Ask if it is still owed."},
	{ContradictoryOutcome, Mismatch, High, true, "The platform reported success and failure, or two provider references.", "Find out which report is true; the ledger side is beside it."},
	{FailedAndReversed, Mismatch, Medium, true, "Reported as failed, booked all the same and reversed.", "Confirm the reversal is complete."},
	{LateSettlement, Mismatch, Medium, true, "Agreed to the ledger, booked after the window.", "Ask why it took so long."},
	{EarlySettlement, Mismatch, Medium, true, "Agreed to the ledger, booked before the attempt was recorded.", "Check clocks, and whether the payment came from elsewhere."},
	{NotCoverable, NotConcluded, NoPriority, true, "No imported statement covers it: nothing can be concluded.", "Import the statement of that account and time."},
}

// EntryClasses is every class of ledger entries, in the order in which reports show them.
var EntryClasses = []ClassInfo{
	{Matched, Clean, NoPriority, false, "Belongs to a recorded attempt.", "Nothing."},
	{ExcessSettlement, Mismatch, Critical, true, "The second or a further entry of the same attempt.", "Recover it."},
	{UnattemptedMovement, LedgerOnly, Critical, true, "Money left an account in scope and no recorded attempt explains it.", "Find who ordered it; check that the recorder is installed there."},
	{Ambiguous, LedgerOnly, Medium, true, "Fits several attempts and nothing decides between them.", "Decide by hand with the attempts listed."},
	{Reversal, Excluded, NoPriority, true, "Takes back an entry in scope, in full or in part.", "Nothing; see the entry it refers to."},
	{NotBooked, Excluded, NoPriority, true, "Pending, informational, expected or rejected: no money moved.", "Nothing."},
	{OutOfScope, Excluded, NoPriority, true, "Outside what is reconciled, for the reason beside it.", "Nothing; check that the scope rule is right."},
}

// OutcomeClasses is every class of outcomes, in the order in which reports show them.
var OutcomeClasses = []ClassInfo{
	{Joined, Clean, NoPriority, false, "Belongs to a recorded attempt.", "Nothing."},
	{OrphanOutcome, LedgerOnly, High, true, "An outcome for which no attempt was recorded.", "Check that the recorder before the call is installed."},
}

// ClassesOf lists the classes of a population in the order in which reports show them.
func ClassesOf(p Population) []ClassInfo {
	switch p {
	case Attempts:
		return AttemptClasses
	case Entries:
		return EntryClasses
	default:
		return OutcomeClasses
	}
}

// InfoOf looks a class up in its population. An unknown class panics: TestEveryClassHasInfo proves there is none.
func InfoOf(p Population, c Class) ClassInfo {
	for _, info := range ClassesOf(p) {
		if info.Class == c {
			return info
		}
	}
	panic("recon: no class " + string(c) + " of " + string(p))
}
