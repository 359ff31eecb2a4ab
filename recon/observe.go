package recon

import (
	"slices"
	"time"
)

// observeOutcome reduces an attempt's outcome history to the outcome axis.
func observeOutcome(policy Policy, asOf time.Time, c Case) OutcomeAxis {
	if len(c.Outcomes) == 0 {
		if asOf.Sub(c.Attempt.ProposedAt) < policy.StaleAfter {
			return NoneFresh
		}
		return NoneStale
	}
	if contradictory(c.Outcomes) {
		return Contradictory
	}
	// Success is sticky: what came after it without contradicting it does not unsay it.
	said := c.Outcomes[len(c.Outcomes)-1].Status
	for _, o := range c.Outcomes {
		if o.Status.Definite() {
			said = o.Status
		}
	}
	switch said {
	case Succeeded:
		return SaysSucceeded
	case Failed:
		return SaysFailed
	case Denied:
		return SaysDenied
	default:
		return Indefinite
	}
}

// contradictory reports whether the history holds success and failure, or two provider references.
func contradictory(versions []Outcome) bool {
	var succeeded, failed bool
	ref := ""
	for _, o := range versions {
		succeeded = succeeded || o.Status == Succeeded
		failed = failed || o.Status == Failed || o.Status == Denied
		if r := cleanKey(o.ProviderRef); r != "" {
			if ref != "" && ref != r {
				return true
			}
			ref = r
		}
	}
	return succeeded && failed
}

// providerRefs are the distinct provider references that the platform ever reported, in order of observation.
func (c *openCase) providerRefs() []string {
	var refs []string
	for _, o := range c.Outcomes {
		ref := cleanKey(o.ProviderRef)
		if ref != "" && (len(refs) == 0 || refs[len(refs)-1] != ref) {
			refs = append(refs, ref)
		}
	}
	return refs
}

// observe reduces a case and its links to the evidence that the decision table looks at. Groups of attempts and
// ambiguous sets have been decided before.
func (d *docket) observe(c *openCase) {
	if c.finding.Evidence.Settlement == "" {
		d.settle(c)
	}
	c.finding.Evidence.Outcome = c.outcome
	c.finding.Class, c.finding.Rule = Classify(c.finding.Evidence)
}

// settle decides the settlement of a case from its own links.
func (d *docket) settle(c *openCase) {
	payments := c.linkedTo(isPayment)
	payments = d.pairReversals(c, payments)
	switch {
	case len(payments) == 1:
		d.settleOne(c, payments[0])
		if c.finding.Evidence.Settlement != Variance && len(c.linkedTo(isPayment)) > 1 {
			c.flag(FlagCorrectedDup, "")
		}
	case len(payments) > 1:
		d.settleSeveral(c, payments)
	case c.has(isPayment):
		c.finding.Evidence.Settlement = ReversedInFull
	case c.has(isPending):
		c.finding.Evidence.Settlement = PendingEntry
	case c.has(isRejected):
		c.finding.Evidence.Settlement = Rejected
	default:
		c.finding.Evidence.Settlement = d.absence(c)
	}
}

// absence says what the absence of an entry means.
func (d *docket) absence(c *openCase) SettlementAxis {
	end := d.policy.windowEnd(c.Attempt.ProposedAt)
	from := dateOf(d.policy.windowStart(c.Attempt.ProposedAt), d.policy.Zone)
	to := dateOf(end, d.policy.Zone)
	switch {
	case d.asOf.Before(end):
		return NotYet
	case d.coverage.covers(c.Attempt.SourceAccount, from, to):
		return NotSettled
	default:
		return NotCovered
	}
}

// pairReversals pairs every reversal of a case with the payment it takes back in full, sets the roles, and returns
// the payments that stay. What takes back less than a payment is a partial refund. The later payment is the one
// taken back, unless the reversal names another.
func (d *docket) pairReversals(c *openCase, payments []*link) []*link {
	for _, l := range payments {
		l.role = RoleSettles
	}
	stay := payments
	partly := false
	for _, reversal := range c.linkedTo(isReversal) {
		reversal.role = RoleReversal
		taken := -1
		for i, payment := range stay {
			original := reversal.item.OriginalProviderID
			named := original != "" && (original == payment.item.ProviderID || original == payment.item.whole().ProviderID)
			// What names the payment may be booked before it, for banks book as it suits them.
			if !reversal.item.takesBack(payment.item) || (!named && reversal.item.before(payment.item.start)) {
				continue
			}
			if taken = i; named {
				break
			}
		}
		if taken < 0 {
			partly = true
			continue
		}
		stay = append(append([]*link{}, stay[:taken]...), stay[taken+1:]...)
	}
	if len(stay) == 1 && slices.ContainsFunc(payments, func(l *link) bool { return l != stay[0] && sameAmount(l.item, stay[0].item) }) {
		c.flag(FlagCorrectedDup, "")
	}
	if partly && len(stay) > 0 { // of what was taken back in full nothing was refunded in part
		c.flag(FlagPartlyRefunded, "")
	}
	return stay
}

// takesBack reports whether a reversal is of the amount of a payment, or of the batch that the payment is part of.
func (i *openItem) takesBack(payment *openItem) bool {
	equal := func(of *openItem) bool { return i.Currency == of.Currency && i.Amount == -of.Amount }
	return equal(payment) || equal(payment.whole())
}

func sameAmount(a, b *openItem) bool { return a.compared() == b.compared() && a.Currency == b.Currency }

// settleOne compares the one payment of a case field by field.
func (d *docket) settleOne(c *openCase, l *link) {
	if c.batch {
		c.finding.Differences = payeeDifferences(c, []*link{l})
	} else {
		c.finding.Differences = d.compare(c, l)
	}
	c.finding.Evidence.Settlement, c.finding.Evidence.Variance = d.weigh(c, c.finding.Differences, []*link{l})
	c.finding.Differences = append(c.finding.Differences, d.dateDifferences(c, []*link{l})...)
}

// settleSeveral decides between a duplicate, a split and a variance.
func (d *docket) settleSeveral(c *openCase, payments []*link) {
	differences := payeeDifferences(c, payments)
	whole := func(l *link) bool { return c.batch || asks(c, l.item) || d.isFee(c, l.item) }
	exact := slices.IndexFunc(payments, whole)
	if exact >= 0 && slices.ContainsFunc(payments[exact+1:], whole) {
		// One of the exact amount is enough: whatever else was paid is in excess, parts included.
		for n, l := range payments {
			if n != exact {
				l.role = RoleExcess
			}
		}
		c.finding.Evidence.Settlement, c.finding.Differences = Duplicate, differences
		return
	}
	var sum int64
	foreign, net := false, true
	for _, l := range payments {
		minor, currency := l.item.worth(c)
		sum += minor
		net = net && l.item.net(c)
		if currency != c.Attempt.Currency {
			foreign = true
			differences = append(differences, currencyDifference(c, l.item))
		}
	}
	if !foreign && sum != c.Attempt.Minor {
		field := "split_incomplete"
		if net && d.policy.isFee(sum-c.Attempt.Minor, c.Attempt.Minor, c.Attempt.Currency) {
			field = "fee"
		}
		differences = append(differences, amountDifference(field, *c.Attempt, sum, c.Attempt.Currency))
	}
	c.finding.Differences = append(differences, d.dateDifferences(c, payments)...)
	c.finding.Evidence.Settlement, c.finding.Evidence.Variance = d.weigh(c, differences, payments)
}

// compare lists every field in which an entry differs from the attempt, payee before currency before amount.
func (d *docket) compare(c *openCase, l *link) []Difference {
	differences := payeeDifferences(c, []*link{l})
	minor, currency := l.item.worth(c)
	switch {
	case currency != c.Attempt.Currency:
		return append(differences, currencyDifference(c, l.item))
	case d.isFee(c, l.item):
		return append(differences, amountDifference("fee", *c.Attempt, minor, currency))
	case minor != c.Attempt.Minor:
		return append(differences, amountDifference("amount", *c.Attempt, minor, currency))
	}
	return differences
}

// isFee reports whether a fee rule explains what an item moved beyond the amount that a case asked for.
func (d *docket) isFee(c *openCase, i *openItem) bool {
	return i.net(c) && d.policy.isFee(i.compared()-c.Attempt.Minor, c.Attempt.Minor, i.Currency)
}

// net reports whether an item says only what moved, so that a fee may be in it: neither gross nor instructed amount.
func (i *openItem) net(c *openCase) bool { return !i.Gross.Given && i.Currency == c.Attempt.Currency }

func currencyDifference(c *openCase, i *openItem) Difference {
	return Difference{Field: "currency", Attempt: money(c.Attempt.Minor, c.Attempt.Currency), Ledger: money(i.compared(), i.Currency)}
}

func payeeDifferences(c *openCase, links []*link) []Difference {
	var differences []Difference
	for _, l := range links {
		if !likeOrAbsent(c.payee, l.item.payee) {
			differences = append(differences, Difference{Field: "payee", Attempt: c.Attempt.DestAccount, Ledger: l.item.CounterpartyAccount})
		}
	}
	return differences
}

// dateDifferences lists the payments outside the window.
func (d *docket) dateDifferences(c *openCase, payments []*link) []Difference {
	var differences []Difference
	start, end := d.policy.windowStart(c.Attempt.ProposedAt), d.policy.windowEnd(c.Attempt.ProposedAt)
	for _, l := range payments {
		if d.inWindow(c, l.item) {
			continue
		}
		difference := Difference{Field: "date", Attempt: stamp(start) + " to " + stamp(end), Ledger: l.item.BookedOn.String()}
		if !l.item.OccurredAt.IsZero() {
			difference.Ledger = stamp(l.item.OccurredAt)
		}
		differences = append(differences, difference)
	}
	return differences
}

// weigh names the settlement of a case that is booked, from its differences and dates.
func (d *docket) weigh(c *openCase, differences []Difference, payments []*link) (SettlementAxis, VarianceKind) {
	tolerated := false
	kind := NoVariance
	for _, difference := range differences {
		switch {
		case difference.Field == "payee":
			kind = PayeeDiffers
		case difference.Field == "currency" && kind != PayeeDiffers:
			kind = CurrencyDiffers
		case difference.Field == "currency":
		case difference.Field == "fee":
			tolerated = true
		case d.policy.tolerance(c.Attempt.Currency).permits(difference.Delta, c.Attempt.Minor):
			tolerated = true
		case kind == NoVariance:
			kind = AmountDiffers
		}
	}
	if kind != NoVariance {
		return Variance, kind
	}
	switch {
	case slices.ContainsFunc(payments, func(l *link) bool { return d.late(c, l.item) }):
		return Late, NoVariance
	case slices.ContainsFunc(payments, func(l *link) bool { return d.early(c, l.item) }):
		return Early, NoVariance
	case tolerated:
		return WithinTolerance, NoVariance
	default:
		return Settled, NoVariance
	}
}
