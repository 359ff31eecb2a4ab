package recontest

import (
	"slices"
	"time"

	"agentrecon/ledger"
	"agentrecon/recon"
)

func (m *model) linkReversals() {
	for _, r := range m.entries {
		if r.outside() || !isBooked(r) || r.Amount < 0 {
			continue
		}
		if len(r.attempts) > 0 {
			r.reversal = true
			continue
		}
		var original *refEntry
		for _, e := range m.entries {
			of := isPaid(e) && !e.outside() && r.OriginalProviderID != "" && e.ProviderID == r.OriginalProviderID
			if of && (original == nil || e.ID < original.ID) {
				original = e
			}
		}
		if original != nil {
			r.reversal = true
			for _, of := range append([]*refEntry{original}, original.parts...) {
				for _, a := range slices.Clone(of.attempts) {
					join(a, r, a.tier(of)) // it is as sure as the link of what it takes back
				}
			}
		}
	}
}

// settle says what the ledger has of an attempt, and looks up what that means.
func (m *model) settle(a *refAttempt) {
	a.evidence.Outcome = a.outcome
	paid := a.with(isPaid)
	stay, partly := left(paid, a.with(isCredit))
	switch {
	case a.ambiguous:
		a.evidence.Settlement = recon.AmbiguousLink
	case a.shared:
		a.evidence.Settlement = recon.Shared
	case len(stay) > 0:
		m.weigh(a, stay)
		if partly {
			a.flag(recon.FlagPartlyRefunded, "")
		}
		again := func(e *refEntry) bool {
			return e != stay[0] && e.worth() == stay[0].worth() && e.Currency == stay[0].Currency
		}
		if len(stay) == 1 && len(paid) > 1 && (a.evidence.Settlement != recon.Variance || slices.ContainsFunc(paid, again)) {
			a.flag(recon.FlagCorrectedDup, "")
		}
	case len(paid) > 0:
		a.evidence.Settlement = recon.ReversedInFull
	case len(a.with(isAnnounced)) > 0:
		a.evidence.Settlement = recon.PendingEntry
	case len(a.with(isRefused)) > 0:
		a.evidence.Settlement = recon.Rejected
	case m.asOf.Before(a.end):
		a.evidence.Settlement = recon.NotYet
	case m.covered(a):
		a.evidence.Settlement = recon.NotSettled
	default:
		a.evidence.Settlement = recon.NotCovered
	}
	a.class, a.rule = recon.Classify(a.evidence)
}

// left is what stays of payments when credits have taken back what they can, and whether some credit is left over: a
// refund of a part. A credit takes the payment that it names, else the last before it that is as large.
func left(paid, credits []*refEntry) (stay []*refEntry, partly bool) {
	stay = slices.Clone(paid)
	for _, r := range credits {
		taken := -1
		for n, e := range stay {
			after := !r.start.Before(e.start)
			if r.start.Before(r.end) {
				after = r.end.After(e.start)
			}
			back, named := e.Currency == r.Currency && -e.Amount == r.Amount, e.ProviderID == r.OriginalProviderID
			if e.batch != nil {
				back = back || (e.batch.Currency == r.Currency && -e.batch.Amount == r.Amount)
				named = named || e.batch.ProviderID == r.OriginalProviderID
			}
			named = named && r.OriginalProviderID != ""
			if back && (after || named) {
				taken = n
				if named {
					break
				}
			}
		}
		if taken < 0 {
			partly = true
			continue
		}
		stay = slices.Delete(stay, taken, taken+1)
	}
	return stay, partly
}

// exact are the entries that are an attempt's whole amount each, a permitted fee on top included.
func (m *model) exact(a *refAttempt, of []*refEntry) []*refEntry {
	var exact []*refEntry
	for _, e := range of {
		if a.batch || e.equals(a) || (e.Currency == a.Currency && !e.Gross.Given && m.fee(a, e.worth()-a.Minor)) {
			exact = append(exact, e)
		}
	}
	return exact
}

// weigh compares what stays of the entries with the attempt, field by field.
func (m *model) weigh(a *refAttempt, stay []*refEntry) {
	var sum int64
	var payee, currency, late, early, gross bool
	differ := func(field, attempt, ledger string, delta int64) {
		a.differences = append(a.differences, recon.Difference{Field: field, Attempt: attempt, Ledger: ledger, Delta: delta})
	}
	for _, e := range stay {
		if !agree(a.DestAccount, e.CounterpartyAccount) {
			payee = true
			differ("payee", a.DestAccount, e.CounterpartyAccount, 0)
		}
	}
	if exact := m.exact(a, stay); len(exact) > 1 {
		for _, e := range stay {
			e.excess = e != exact[0]
		}
		a.evidence.Settlement = recon.Duplicate
		return
	}
	for _, e := range stay {
		minor, comparable := e.worthTo(a)
		sum += minor
		gross = gross || e.Gross.Given || e.Currency != a.Currency
		if !comparable {
			currency = true
			differ("currency", ledger.FormatMoney(a.Minor, a.Currency), ledger.FormatMoney(minor, e.Currency), 0)
		}
	}
	if a.batch {
		sum = a.Minor
	}
	off := sum - a.Minor
	fee := !gross && m.fee(a, off)
	field := "amount"
	switch {
	case fee:
		field = "fee"
	case len(stay) > 1:
		field = "split_incomplete"
	}
	if off != 0 && !currency {
		differ(field, ledger.FormatMoney(a.Minor, a.Currency), ledger.FormatMoney(sum, a.Currency), off)
	}
	for _, e := range stay {
		tooLate, tooEarly := !e.start.Before(a.end), e.start.Before(a.end) && !a.meets(e)
		if late, early = late || tooLate, early || tooEarly; tooLate || tooEarly {
			differ("date", a.start.UTC().Format(time.RFC3339)+" to "+a.end.UTC().Format(time.RFC3339), e.shownDate(), 0)
		}
	}
	s := &a.evidence.Settlement
	switch {
	case payee:
		*s, a.evidence.Variance = recon.Variance, recon.PayeeDiffers
	case currency:
		*s, a.evidence.Variance = recon.Variance, recon.CurrencyDiffers
	case off != 0 && !fee && !m.tolerates(a, off):
		*s, a.evidence.Variance = recon.Variance, recon.AmountDiffers
	case late:
		*s = recon.Late
	case early:
		*s = recon.Early
	case off != 0:
		*s = recon.WithinTolerance
	default:
		*s = recon.Settled
	}
}

func (e *refEntry) shownDate() string {
	if e.OccurredAt.IsZero() {
		return e.BookedOn.String()
	}
	return e.OccurredAt.UTC().Format(time.RFC3339)
}

// tolerates reports whether the policy permits a difference from an attempt's amount.
func (m *model) tolerates(a *refAttempt, off int64) bool {
	tolerance := m.policy.Tolerance
	for _, t := range m.policy.Tolerances {
		if t.Currency == a.Currency {
			tolerance = t.Tolerance
		}
	}
	off = max(off, -off)
	return off <= tolerance.Minor || off*1_000_000 <= a.Minor*tolerance.PerMillion
}

// roleOf says what a linked entry is to its attempt.
func (a *refAttempt) roleOf(e *refEntry) recon.Role {
	switch {
	case isAnnounced(e):
		return recon.RolePending
	case isRefused(e):
		return recon.RoleRejected
	case isCredit(e):
		return recon.RoleReversal
	case e.excess:
		return recon.RoleExcess
	}
	return recon.RoleSettles
}

// fee reports whether a rule lets a provider take so much on top of an attempt's amount, the share rounded up.
func (m *model) fee(a *refAttempt, beyond int64) bool {
	return slices.ContainsFunc(m.policy.FeeRules, func(r recon.FeeRule) bool {
		return r.Currency == a.Currency && beyond > 0 && beyond <= r.Fixed+(a.Minor*r.PerMillion+999_999)/1_000_000
	})
}
