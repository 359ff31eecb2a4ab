package reporttest

import (
	"strings"
	"time"

	"agentrecon/ledger"
	"agentrecon/recon"
)

// Nil is the report of a run that found nothing recorded.
func Nil() *recon.Report {
	m := newMaker("Example Payments Ltd")
	m.coverAll()
	m.r.RecordingSince = time.Time{}
	return m.report()
}

// Quarter is a report like that of the quarter that started it: the counts balance, and two breaks hide in them.
func Quarter() *recon.Report {
	m := newMaker("Example Payments Ltd")
	m.coverAll()
	m.clean(8095-303, 31_250, "EUR", recon.ByKey)
	for range 12 {
		f := m.finding(m.attempt(178_406, "EUR"), recon.UnknownSettled, recon.Settled, recon.NoneStale)
		m.link(f, m.entry(&f.Attempt), recon.RoleSettles)
		f.Attempt.MarkRun, f.Attempt.MarkedAt = 6, asOf.AddDate(0, 0, -1)
		m.list(f)
	}
	refused := m.attempt(781_200, "EUR")
	refused.ProposedAt = time.Date(2025, time.February, 19, 11, 4, 7, 0, time.UTC)
	f := m.finding(refused, recon.UnknownNotSettled, recon.Rejected, recon.NoneStale)
	e := m.entry(&f.Attempt)
	e.Status = ledger.StatusRejected
	m.link(f, e, recon.RoleRejected)
	f.Cause, f.CauseDetail = recon.CauseRejected, "validation: creditor account closed"
	m.list(f)
	twice := m.finding(m.attempt(234_640, "EUR"), recon.DuplicateSettlement, recon.Duplicate, recon.SaysSucceeded)
	m.link(twice, m.entry(&twice.Attempt), recon.RoleSettles)
	m.link(twice, m.entry(&twice.Attempt), recon.RoleExcess)
	twice.OffsetIn = refused.ID
	m.list(twice)
	// The repeats belong to clean attempts, which are not listed themselves.
	for range 303 {
		a := m.attempt(31_250, "EUR")
		a.ProposedAt = firstCall.Add(time.Duration(m.next) * 6 * time.Hour)
		a.Deliveries = 2
		m.countAttempt(recon.Matched, 1, a.Minor, 2, a.Currency)
		m.outcomes[recon.Joined]++
		m.r.Totals.LinksByTier[recon.ByKey]++
		m.countEntry(recon.Matched, 1, a.Minor, a.Currency, true)
		m.r.Repeats = append(m.r.Repeats, recon.Repeat{Attempt: a, ReceivedAt: a.ProposedAt.Add(1400 * time.Millisecond), Nth: 2, After: 1400 * time.Millisecond})
	}
	return m.report()
}

// Sample is a report that holds every class, three currencies with 2, 0 and 3 decimals, every flag and cause, both sides
// of the period's edge, earlier runs, decisions, and the hostile texts of [Hostile].
func Sample() *recon.Report {
	m := newMaker(`Beispiel & Söhne <GmbH>`)
	m.coverAll()
	m.clean(1_200, 12_345, "EUR", recon.ByKey)
	m.clean(310, 980_000, "JPY", recon.ByProviderRef)
	m.clean(25, 1_234_567, "KWD", recon.ByReference)
	m.sampleUnresolved()
	m.sampleMismatches()
	m.sampleVariances()
	m.sampleRest()
	m.sampleEntries()
	m.sampleHostile()
	m.edge(77_000, "EUR", true)
	m.edge(5_500, "JPY", false)
	m.earlier()
	m.r.Totals.DegradedIDs = 4
	r := m.report()
	addHistory(r)
	return r
}

// sampleUnresolved has every unresolved class and every cause.
func (m *maker) sampleUnresolved() {
	for i, c := range []ledger.Currency{"EUR", "JPY", "KWD", "EUR", "EUR", "EUR", "EUR", "EUR"} {
		f := m.finding(m.attempt(int64(10_000+i*1_111), c), recon.UnknownSettled, recon.Settled, recon.NoneStale)
		m.link(f, m.entry(&f.Attempt), recon.RoleSettles)
		f.Cause, f.CauseDetail = recon.Causes[i], "from the session's events"
		m.list(f)
	}
	f := m.finding(m.attempt(55_500, "EUR"), recon.UnknownReversed, recon.ReversedInFull, recon.Indefinite)
	m.payAndReverse(f)
	m.list(f)

	f = m.finding(m.attempt(781_200, "EUR"), recon.UnknownNotSettled, recon.NotSettled, recon.NoneStale)
	f.Attempt.MarkRun, f.Attempt.MarkedAt = 5, asOf.AddDate(0, 0, -2)
	m.list(f)

	first := m.attempt(64_000, "JPY")
	f = m.finding(first, recon.UnknownNotSettled, recon.Rejected, recon.NoneStale)
	e := m.entry(&f.Attempt)
	e.Status = ledger.StatusRejected
	m.link(f, e, recon.RoleRejected)
	m.list(f)

	f = m.finding(m.attempt(64_000, "JPY"), recon.UnknownOpen, recon.NotCovered, recon.NoneStale)
	f.Flags = []recon.Flag{{Name: recon.FlagSuspectedReask, Of: first.ID}, {Name: recon.FlagSystemic}}
	m.list(f)

	f = m.finding(m.attempt(7_700, "EUR"), recon.Ambiguous, recon.AmbiguousLink, recon.NoneStale)
	for range 2 {
		candidate := m.entry(&f.Attempt)
		f.Candidates = append(f.Candidates, candidate)
		m.listEntry(*candidate, recon.Ambiguous, "", f.Attempt.ID)
	}
	m.list(f)
}

func (m *maker) payAndReverse(f *recon.AttemptFinding) {
	paid := m.entry(&f.Attempt)
	m.link(f, paid, recon.RoleSettles)
	back := m.entry(&f.Attempt)
	back.Amount, back.Kind, back.OriginalProviderID = -paid.Amount, ledger.KindReversal, paid.ProviderID
	m.link(f, back, recon.RoleReversal)
}

// sampleMismatches has every mismatch but the variances.
func (m *maker) sampleMismatches() {
	f := m.finding(m.attempt(1_250_000, "EUR"), recon.FailedButSettled, recon.Settled, recon.SaysFailed)
	m.link(f, m.entry(&f.Attempt), recon.RoleSettles)
	m.list(f)

	f = m.finding(m.attempt(234_640, "EUR"), recon.DuplicateSettlement, recon.Duplicate, recon.SaysSucceeded)
	f.Attempt.IDSource = recon.IDFallbackHash
	f.Flags = []recon.Flag{{Name: recon.FlagDegradedID}, {Name: recon.FlagRedelivered}}
	f.Attempt.Deliveries = 3
	m.link(f, m.entry(&f.Attempt), recon.RoleSettles)
	m.link(f, m.entry(&f.Attempt), recon.RoleExcess)
	m.list(f)

	f = m.finding(m.attempt(99_001, "KWD"), recon.MissingInLedger, recon.NotSettled, recon.SaysSucceeded)
	m.list(f)
	f = m.finding(m.attempt(410_000, "JPY"), recon.Reversed, recon.ReversedInFull, recon.SaysSucceeded)
	m.payAndReverse(f)
	m.list(f)
	f = m.finding(m.attempt(88_000, "EUR"), recon.FailedAndReversed, recon.ReversedInFull, recon.SaysDenied)
	m.payAndReverse(f)
	m.list(f)
	f = m.finding(m.attempt(12_100, "EUR"), recon.ContradictoryOutcome, recon.Settled, recon.Contradictory)
	m.link(f, m.entry(&f.Attempt), recon.RoleSettles)
	m.list(f)
	for _, late := range []struct {
		class      recon.Class
		settlement recon.SettlementAxis
		days       int
	}{{recon.LateSettlement, recon.Late, 11}, {recon.EarlySettlement, recon.Early, -2}} {
		f = m.finding(m.attempt(33_300, "EUR"), late.class, late.settlement, recon.SaysSucceeded)
		e := m.entry(&f.Attempt)
		e.BookedOn = e.BookedOn.AddDays(late.days)
		f.Differences = []recon.Difference{{Field: "date", Attempt: f.Attempt.ProposedAt.Format(time.DateOnly), Ledger: e.BookedOn.String()}}
		m.link(f, e, recon.RoleSettles)
		m.list(f)
	}
}

// sampleVariances has a difference in each field, and one that is tolerated.
func (m *maker) sampleVariances() {
	f := m.finding(m.attempt(450_000, "EUR"), recon.PayeeVariance, recon.Variance, recon.SaysSucceeded)
	f.Evidence.Variance = recon.PayeeDiffers
	e := m.entry(&f.Attempt)
	e.CounterpartyAccount = "GB33BUKB20201555555555"
	f.Differences = []recon.Difference{{Field: "payee", Attempt: f.Attempt.DestAccount, Ledger: e.CounterpartyAccount}}
	m.link(f, e, recon.RoleSettles)
	m.list(f)

	f = m.finding(m.attempt(70_000, "EUR"), recon.AmountVariance, recon.Variance, recon.SaysSucceeded)
	f.Evidence.Variance = recon.AmountDiffers
	e = m.entry(&f.Attempt)
	e.Amount = -69_850
	f.Differences = []recon.Difference{{Field: "amount", Attempt: "700.00", Ledger: "698.50", Delta: -150}}
	m.link(f, e, recon.RoleSettles)
	m.list(f)

	f = m.finding(m.attempt(70_000, "EUR"), recon.CurrencyVariance, recon.Variance, recon.SaysSucceeded)
	f.Evidence.Variance = recon.CurrencyDiffers
	e = m.entry(&f.Attempt)
	e.Currency, e.Amount = "JPY", -112_400
	f.Differences = []recon.Difference{{Field: "currency", Attempt: "EUR 700.00", Ledger: "JPY 112,400"}}
	m.link(f, e, recon.RoleSettles)
	m.list(f)

	f = m.finding(m.attempt(70_000, "EUR"), recon.MatchedWithinTolerance, recon.WithinTolerance, recon.SaysSucceeded)
	e = m.entry(&f.Attempt)
	e.Amount = -69_999
	f.Differences = []recon.Difference{{Field: "amount", Attempt: "700.00", Ledger: "699.99", Delta: -1}}
	m.link(f, e, recon.RoleSettles)
	m.list(f)
}

// sampleRest has the clean, timing and uncovered classes, and agreed attempts with and without a note.
func (m *maker) sampleRest() {
	original := m.attempt(9_900, "EUR")
	f := m.finding(m.attempt(9_900, "EUR"), recon.Deduplicated, recon.Shared, recon.SaysSucceeded)
	f.Links = []recon.Link{{Entry: m.entry(&original), Tier: recon.ByKey, Role: recon.RoleShared}}
	m.countAttempt(recon.Matched, 1, original.Minor, 1, "EUR")
	m.outcomes[recon.Joined]++
	m.countEntry(recon.Matched, 1, original.Minor, "EUR", true)
	m.list(f)

	m.list(m.finding(m.attempt(5_000, "EUR"), recon.FailedConfirmed, recon.NotSettled, recon.SaysDenied))
	f = m.finding(m.attempt(6_000, "EUR"), recon.InTransit, recon.PendingEntry, recon.SaysSucceeded)
	e := m.entry(&f.Attempt)
	e.Status = ledger.StatusPending
	m.link(f, e, recon.RolePending)
	m.list(f)
	m.list(m.finding(m.attempt(6_100, "EUR"), recon.FailedUnconfirmed, recon.NotYet, recon.SaysFailed))
	m.list(m.finding(m.attempt(6_200, "KWD"), recon.AwaitingOutcome, recon.NotYet, recon.NoneFresh))
	m.list(m.finding(m.attempt(6_300, "EUR"), recon.NotCoverable, recon.NotCovered, recon.SaysSucceeded))

	f = m.finding(m.attempt(43_210, "EUR"), recon.Matched, recon.Settled, recon.SaysSucceeded)
	for _, name := range recon.FlagNames {
		f.Flags = append(f.Flags, recon.Flag{Name: name})
	}
	m.link(f, m.entry(&f.Attempt), recon.RoleSettles)
	m.list(f)
	// Agreed and without a note: counted, listed nowhere.
	f = m.finding(m.attempt(43_211, "EUR"), recon.Matched, recon.Settled, recon.SaysSucceeded)
	f.Flags = []recon.Flag{{Name: recon.FlagInferred}}
	m.link(f, m.entry(&f.Attempt), recon.RoleSettles)
	m.list(f)
}

// sampleEntries has what the ledger alone knows, and outcomes without an attempt.
func (m *maker) sampleEntries() {
	paidPast := m.attempt(321_000, "EUR")
	m.listEntry(*m.entry(&paidPast), recon.UnattemptedMovement, "")
	fee := m.entry(&paidPast)
	fee.Amount, fee.Kind, fee.AccountID = -250, ledger.KindFee, "007"
	m.listEntry(*fee, recon.OutOfScope, "kind: fee")
	inflow := m.entry(&paidPast)
	inflow.Amount, inflow.AccountID = 900_000, "7" // which a criterion would take for 007
	m.listEntry(*inflow, recon.OutOfScope, "inflow")
	info := m.entry(&paidPast)
	info.Status, info.Kind = ledger.StatusInfo, ledger.KindBalanceCarry
	m.listEntry(*info, recon.OutOfScope, "kind: balance_carry")
	for i, account := range []string{"*", "", "=1+1"} { // anything, nothing, and what is no formula
		other := m.entry(&paidPast)
		other.Amount, other.Kind, other.AccountID = int64(-300-i), ledger.KindFee, account
		m.listEntry(*other, recon.OutOfScope, "kind: fee")
	}

	orphan := recon.Outcome{AttemptID: "toolu_01_without_attempt", Status: recon.Succeeded, ProviderRef: "po_999", ObservedAt: firstCall.Add(48 * time.Hour)}
	hashed := recon.Outcome{AttemptID: "toolu_01_other_id", Status: recon.Succeeded, ObservedAt: firstCall.Add(50 * time.Hour)}
	m.r.Outcomes = []recon.OutcomeFinding{
		{Outcome: hashed, Class: recon.Joined, Joined: "toolu_01000000000000000001", Flags: []recon.Flag{{Name: recon.FlagJoinedByHash}}},
		{Outcome: orphan, Class: recon.OrphanOutcome},
	}
	m.outcomes[recon.Joined]++
	m.outcomes[recon.OrphanOutcome]++
}

// Hostile are texts that people and machines have put into ids, references and payees to break what reads them.
var Hostile = []string{
	`=HYPERLINK("http://evil.example","pay here")`,
	`+1+cmd|'/c calc'!A0`,
	`-2+3`,
	`@SUM(A1:A9)`,
	"two\nlines\tand a tab",
	"bell\x07 and escape\x1b[31m",
	"nul\x00inside",
	"broken \xff\xfe bytes",
	"_x0041_ is not A",
	"_x005F_x0041_",
	`back\slash\u0000 as typed`,
	"right to left \u202eevil",
	"<b>&amp;</b>",
	"00012345678901234567",
	"3.05E+15",
	" blanks around ",
	strings.Repeat("x", 33_000),
	"emoji \U0001F4B8 and 漢字",
}

// sampleHostile puts each hostile text into every text field of an attempt and its entry.
func (m *maker) sampleHostile() {
	for i, text := range Hostile {
		a := m.attempt(int64(100+i), "EUR")
		a.ID, a.Reference, a.DestAccount, a.SessionID = text, text, text, text
		f := m.finding(a, recon.UnknownSettled, recon.Settled, recon.NoneStale)
		f.CauseDetail = text
		e := m.entry(&a)
		e.ID, e.CounterpartyName, e.RemittanceText = text, text, text
		m.link(f, e, recon.RoleSettles)
		m.list(f)
		other := m.entry(&a)
		other.ID, other.CounterpartyName, other.MerchantReference = text, text, text
		m.listEntry(*other, recon.UnattemptedMovement, "")
	}
}

// Currencies is a report of more currencies than a sentence takes one by one: in two of them an attempt is paid twice, in two
// there is no entry.
func Currencies() *recon.Report {
	m := newMaker("Example Payments Ltd")
	m.coverAll()
	for i, c := range []ledger.Currency{"CHF", "EUR", "GBP", "JPY", "USD"} {
		m.clean(int64(10+i), 12_345, c, recon.ByKey)
		if i < 2 {
			f := m.finding(m.attempt(20_000, c), recon.DuplicateSettlement, recon.Duplicate, recon.SaysSucceeded)
			m.link(f, m.entry(&f.Attempt), recon.RoleSettles)
			m.link(f, m.entry(&f.Attempt), recon.RoleExcess)
			m.list(f)
		}
		if i > 2 {
			m.list(m.finding(m.attempt(30_000, c), recon.MissingInLedger, recon.NotSettled, recon.SaysSucceeded))
		}
	}
	f := m.finding(m.attempt(1_000, "GBP"), recon.FailedButSettled, recon.Settled, recon.SaysFailed)
	m.link(f, m.entry(&f.Attempt), recon.RoleSettles)
	m.list(f)
	return m.report()
}

// Small is a report of a few agreed attempts in two currencies and one open item, for workbooks that list them all.
func Small() *recon.Report {
	m := newMaker("Example Payments Ltd")
	m.coverAll()
	m.clean(7, 12_345, "EUR", recon.ByKey)
	m.clean(3, 980_000, "JPY", recon.ByProviderRef)
	f := m.finding(m.attempt(781_200, "EUR"), recon.UnknownNotSettled, recon.NotSettled, recon.NoneStale)
	m.list(f)
	return m.report()
}
