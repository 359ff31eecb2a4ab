package recon

// RuleSet names the version of the decision table. It changes when a cell changes.
const RuleSet = "1"

// byVariance stands in a cell whose class is named after the field that differs.
const byVariance Class = "…_variance"

// OutcomeColumn is a column of the decision table: outcomes that are judged alike.
type OutcomeColumn struct {
	Name     string
	Outcomes []OutcomeAxis
}

// OutcomeColumns are the columns of [Rules], in their order.
var OutcomeColumns = [...]OutcomeColumn{
	{"none, fresh", []OutcomeAxis{NoneFresh}},
	{"none, stale or indefinite", []OutcomeAxis{NoneStale, Indefinite}},
	{"succeeded", []OutcomeAxis{SaysSucceeded}},
	{"failed or denied", []OutcomeAxis{SaysFailed, SaysDenied}},
	{"contradictory", []OutcomeAxis{Contradictory}},
}

// Rule is a row of the decision table: the classes of one settlement, by [OutcomeColumns].
type Rule struct {
	Settlement SettlementAxis
	Classes    [len(OutcomeColumns)]Class
}

// Rules is the whole decision of what an attempt's evidence means. There is no other place.
var Rules = []Rule{
	{Settled, [...]Class{AwaitingOutcome, UnknownSettled, Matched, FailedButSettled, ContradictoryOutcome}},
	{WithinTolerance, [...]Class{AwaitingOutcome, UnknownSettled, MatchedWithinTolerance, FailedButSettled, ContradictoryOutcome}},
	{Late, [...]Class{AwaitingOutcome, UnknownSettled, LateSettlement, FailedButSettled, ContradictoryOutcome}},
	{Early, [...]Class{EarlySettlement, EarlySettlement, EarlySettlement, FailedButSettled, ContradictoryOutcome}},
	{Shared, [...]Class{Deduplicated, Deduplicated, Deduplicated, Deduplicated, ContradictoryOutcome}},
	{Variance, [...]Class{byVariance, byVariance, byVariance, FailedButSettled, byVariance}},
	{Duplicate, [...]Class{DuplicateSettlement, DuplicateSettlement, DuplicateSettlement, DuplicateSettlement, DuplicateSettlement}},
	{ReversedInFull, [...]Class{Reversed, UnknownReversed, Reversed, FailedAndReversed, ContradictoryOutcome}},
	{PendingEntry, [...]Class{AwaitingOutcome, UnknownOpen, InTransit, FailedUnconfirmed, ContradictoryOutcome}},
	{Rejected, [...]Class{AwaitingOutcome, UnknownNotSettled, MissingInLedger, FailedConfirmed, ContradictoryOutcome}},
	{NotSettled, [...]Class{AwaitingOutcome, UnknownNotSettled, MissingInLedger, FailedConfirmed, ContradictoryOutcome}},
	{NotYet, [...]Class{AwaitingOutcome, UnknownOpen, InTransit, FailedUnconfirmed, ContradictoryOutcome}},
	{NotCovered, [...]Class{AwaitingOutcome, UnknownOpen, NotCoverable, NotCoverable, ContradictoryOutcome}},
	{AmbiguousLink, [...]Class{Ambiguous, Ambiguous, Ambiguous, Ambiguous, ContradictoryOutcome}},
}

// varianceClasses names the class of a variance after the field that differs.
var varianceClasses = map[VarianceKind]Class{
	PayeeDiffers:    PayeeVariance,
	CurrencyDiffers: CurrencyVariance,
	AmountDiffers:   AmountVariance,
}
