package recon

// OutcomeAxis is what the platform's observations come to, reduced to one of seven values.
type OutcomeAxis string

// The outcome axis.
const (
	NoneFresh     OutcomeAxis = "none_fresh"    // no outcome yet, younger than stale_after
	NoneStale     OutcomeAxis = "none_stale"    // no outcome, and none is to be expected any more
	Indefinite    OutcomeAxis = "indefinite"    // interrupted, timeout, server error, unparseable
	SaysSucceeded OutcomeAxis = "succeeded"     //
	SaysFailed    OutcomeAxis = "failed"        // a reported failure is no proof that no money moved
	SaysDenied    OutcomeAxis = "denied"        //
	Contradictory OutcomeAxis = "contradictory" // history holds success and failure, or two provider references
)

// OutcomeAxes lists the outcome axis in the order of the documentation.
var OutcomeAxes = []OutcomeAxis{NoneFresh, NoneStale, Indefinite, SaysSucceeded, SaysFailed, SaysDenied, Contradictory}

// SettlementAxis is what the ledger says of an attempt, reduced to one of fourteen values.
type SettlementAxis string

// The settlement axis.
const (
	Settled         SettlementAxis = "settled"          // one booked entry, a split or a batch: equal amount, currency, payee, in the window
	WithinTolerance SettlementAxis = "within_tolerance" // the same but for a difference that the policy permits
	Late            SettlementAxis = "late"             // equal, booked after the window
	Early           SettlementAxis = "early"            // equal, booked before the attempt
	Shared          SettlementAxis = "shared"           // a replay: the entry belongs to an earlier attempt with the same key
	Variance        SettlementAxis = "variance"         // linked by key or reference, and a field differs
	Duplicate       SettlementAxis = "duplicate"        // the exact amount more than once
	ReversedInFull  SettlementAxis = "reversed"         // booked and reversed in full
	PendingEntry    SettlementAxis = "pending_entry"    // the only linked entry is not booked yet
	Rejected        SettlementAxis = "rejected"         // the provider lists it as refused
	NotSettled      SettlementAxis = "not_settled"      // the window is over and the ledger's coverage proves absence
	NotYet          SettlementAxis = "not_yet"          // the window is still open
	NotCovered      SettlementAxis = "not_covered"      // no imported statement covers the window
	AmbiguousLink   SettlementAxis = "ambiguous"        // several candidates fit and nothing decides between them
)

// SettlementAxes lists the settlement axis in the order of the documentation.
var SettlementAxes = []SettlementAxis{
	Settled, WithinTolerance, Late, Early, Shared, Variance, Duplicate, ReversedInFull, PendingEntry, Rejected, NotSettled,
	NotYet, NotCovered, AmbiguousLink,
}

// VarianceKind names the field that a variance is named after. Payee goes before currency before amount.
type VarianceKind string

// The kinds of variance. NoVariance goes with every settlement but [Variance].
const (
	NoVariance      VarianceKind = ""
	PayeeDiffers    VarianceKind = "payee"
	CurrencyDiffers VarianceKind = "currency"
	AmountDiffers   VarianceKind = "amount"
)

// Evidence is all that the decision table looks at.
type Evidence struct {
	Outcome    OutcomeAxis
	Settlement SettlementAxis
	Variance   VarianceKind
}
