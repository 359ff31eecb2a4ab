package recon

import (
	"slices"
	"time"
)

// NextEval is the first moment after asOf at which time alone may change what was concluded of an attempt as of asOf; the
// zero time means that none will. What else may change it is evidence, and evidence is recorded.
//
// Two rules look at the clock: an outcome is missing once the attempt is stale_after old, and an entry is missing once
// the settlement window is over.
func NextEval(policy Policy, f *AttemptFinding, asOf time.Time) time.Time {
	var next time.Time
	at := func(moment time.Time) {
		if moment.After(asOf) && (next.IsZero() || moment.Before(next)) {
			next = moment
		}
	}
	if !slices.ContainsFunc(f.Outcomes, func(o Outcome) bool { return o.Status.Definite() }) {
		at(f.Attempt.ProposedAt.Add(policy.StaleAfter))
	}
	if f.Evidence.Settlement == NotYet {
		at(policy.windowEnd(f.Attempt.ProposedAt))
	}
	return next
}
