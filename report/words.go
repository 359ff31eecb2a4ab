package report

import (
	"agentrecon/recon"
)

// settlementWords says in a person's words what the ledger says of an attempt.
type settlementWords struct {
	settlement recon.SettlementAxis
	moved      string // answer to "money moved?"
	means      string // for the Method sheet
}

// ledgerWords covers every value of the settlement axis, in its order.
var ledgerWords = []settlementWords{
	{recon.Settled, "yes: agreed to ledger", "One booked entry, a split or a batch; equal amount, currency and payee, inside the window."},
	{recon.WithinTolerance, "yes: within tolerance", "The same, but for a difference that the policy permits."},
	{recon.Late, "yes: booked late", "Equal, booked after the window."},
	{recon.Early, "yes: booked before the attempt", "Equal, booked before the attempt was recorded."},
	{recon.Shared, "yes: once, with an earlier attempt", "A replay: the entry belongs to an earlier attempt with the same key."},
	{recon.Variance, "yes: but differs", "Linked by key or reference, and a field differs."},
	{recon.Duplicate, "yes: more than once", "The exact amount more than once."},
	{recon.ReversedInFull, "no: booked and reversed", "Booked and reversed in full."},
	{recon.PendingEntry, "not yet: entry pending", "The only linked entry is not booked yet."},
	{recon.Rejected, "no: refused", "The provider lists it as refused."},
	{recon.NotSettled, "no: no entry, coverage proven", "The window is over, and a statement that covers the account and the whole window has no entry."},
	{recon.NotYet, "not known: window open", "No entry yet, and the window is still open."},
	{recon.NotCovered, "not known: ledger not covered", "No imported statement covers the account and the window."},
	{recon.AmbiguousLink, "not known: several fit", "Several candidates fit and nothing decides between them."},
}

func ledgerWordsOf(s recon.SettlementAxis) settlementWords {
	for _, w := range ledgerWords {
		if w.settlement == s {
			return w
		}
	}
	panic("report: no words for settlement " + string(s))
}

// outcomeWords says in a person's words what the platform reported, by value of the outcome axis in its order.
var outcomeWords = []struct {
	outcome  recon.OutcomeAxis
	reported string
	means    string
}{
	{recon.NoneFresh, "nothing yet", "No outcome yet, and the attempt is younger than the time an outcome may take."},
	{recon.NoneStale, "nothing", "No outcome, and none is to be expected any more."},
	{recon.Indefinite, "nothing definite", "Interrupted, timed out, a server error, or unreadable."},
	{recon.SaysSucceeded, "succeeded", "The platform reported success."},
	{recon.SaysFailed, "failed", "The platform reported a failure; that is no proof that no money moved."},
	{recon.SaysDenied, "denied", "The platform reported that the call was denied."},
	{recon.Contradictory, "contradicts itself", "The history holds success and failure, or two provider references."},
}

func reportedOf(o recon.OutcomeAxis) string {
	for _, w := range outcomeWords {
		if w.outcome == o {
			return w.reported
		}
	}
	panic("report: no words for outcome " + string(o))
}

// tierWords explains the tiers of links, strongest first.
var tierWords = []struct {
	tier    recon.Tier
	name    string
	rule    string
	between string // what it rests on
}{
	{recon.ByKey, "by idempotency key", "The entry's idempotency key, end-to-end id or metadata key equals the attempt's key or its id.", "key"},
	{recon.ByProviderRef, "by provider reference", "The entry's provider id equals the provider reference of the outcome.", "key"},
	{recon.ByReference, "by reference (inferred)", "Normalised reference equal, same currency, destination equal where both give it, inside the window.", "likeness"},
	{recon.ByAttributes, "by attributes (inferred)", "Same exact amount, currency and destination, both given, inside the window.", "likeness"},
}

// flagWords explains the flags, in the order in which items show them.
var flagWords = []struct {
	flag  recon.FlagName
	means string
}{
	{recon.FlagInferred, "Linked by reference or attributes, not by a key."},
	{recon.FlagInterchangeable, "Equal attempts and equal entries in equal number, paired by time."},
	{recon.FlagDegradedID, "The id is weak, a hash or a time window: two calls may have collapsed into one."},
	{recon.FlagIDReused, "Deliveries with the same id and other arguments exist."},
	{recon.FlagLateOutcome, "The outcome came after the attempt was marked unknown."},
	{recon.FlagCorrectedDup, "Paid twice, and one of the two was reversed in full."},
	{recon.FlagPartlyRefunded, "A part of it was paid back."},
	{recon.FlagJoinedByHash, "The outcome was joined by argument hash, for the ids differ."},
	{recon.FlagSuspectedReask, "A like attempt came shortly before; the earlier one is named."},
	{recon.FlagDualEvent, "One call seen under two event names; the earlier one is named."},
	{recon.FlagSystemic, "One of many unknowns of one session, host or version."},
	{recon.FlagRedelivered, "Delivered more than once."},
	{recon.FlagPeriodEdge, "Proposed and booked on two sides of the period's edge."},
}

// kindWords names the kinds of classes as the sheets do.
var kindWords = []struct {
	kind recon.Kind
	name string
}{
	{recon.Clean, "clean"},
	{recon.Timing, "timing"},
	{recon.Unresolved, "unresolved"},
	{recon.Mismatch, "mismatch"},
	{recon.NotConcluded, "not concluded"},
	{recon.LedgerOnly, "ledger only"},
	{recon.Excluded, "excluded"},
}

func kindName(k recon.Kind) string {
	for _, w := range kindWords {
		if w.kind == k {
			return w.name
		}
	}
	panic("report: no name for kind " + string(k))
}

// priorityWord is the priority as shown; it is always a word and never a colour alone.
func priorityWord(p recon.Priority) string {
	if p == recon.NoPriority {
		return "none"
	}
	return string(p)
}

// dispositions are the decisions a reviewer can choose from.
var dispositions = func() (names []string) {
	for _, d := range recon.Decisions {
		names = append(names, string(d))
	}
	return names
}()

// notTested says what a reader must not take from the workbook.
const notTested = "It did NOT test whether a payment was authorised, whether the payee is valid or was meant, whether goods or services were received, or whether anything was posted to the general ledger."

// glossary fixes the words of the workbook.
var glossary = []struct{ term, means string }{
	{"agreed to ledger", "A booked entry of equal amount, currency and payee is linked to the attempt. It says no more than that."},
	{"attempt", "At this moment this call was proposed with these arguments. Nothing more."},
	{"outcome", "What the agent platform observed after the call. It may be missing, late, repeated, or contradict itself."},
	{"entry", "A line of the payments ledger: money moved (booked), may move (pending) or was refused (rejected)."},
	{"evidence points to", "What the records suggest as the reason. It is no finding of cause."},
	{"no entry, coverage proven", "A statement covers the account and the whole window, and has no entry for the attempt."},
	{"excess entry", "The second or a further entry of the exact amount of one attempt."},
	{"repeat", "A further delivery of an attempt that is already recorded. It is no further attempt."},
	{"priority", "How soon a person should look. It is no measure of loss."},
	{"difference", "Ledger less attempt, money out positive."},
	{"net and gross", "Net lets a shortfall and an excess cancel out; gross adds their sizes. A count that happens to balance proves nothing."},
	{"independent", "The two sides of a check come from different places, so that one fault cannot make both wrong alike."},
	{"per run", "Stated by the run that this workbook shows; typed in, not worked out here."},
}
