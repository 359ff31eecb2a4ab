package recontest

import (
	"fmt"
	"time"

	"pgregory.net/rapid"

	"agentrecon/ledger"
	"agentrecon/recon"
)

// drawTold draws what happened to a few attempts, and what the files say of it: chance alone seldom comes to a payment
// that was booked twice and taken back once, or to a call that two hooks fired for.
func (w *World) drawTold(t *rapid.T) {
	told := rapid.IntRange(1, 3).Draw(t, "told")
	for range told {
		a := w.tellAttempt(t)
		w.tellOutcome(t, a)
		w.tellMovement(t, a)
	}
	for n := range 3 {
		w.tellSession(t, fmt.Sprint("s", n))
	}
	w.tellBeside(t)
	w.tellCoverage(t)
}

func (w *World) tellAttempt(t *rapid.T) recon.Attempt {
	n := len(w.Attempts)
	a := recon.Attempt{
		ID: fmt.Sprint("a", n), SessionID: pick(t, "session", "s0", "s0", "s1", "s2"), Minor: pick(t, "amount", int64(10_000), 20_000, 7_031),
		Currency:      pick(t, "currency", ledger.Currency("EUR"), "EUR", "EUR", "JPY", "KWD", "USD"),
		SourceAccount: pick(t, "source", "", "S1", "s 1", "S2"), DestAccount: pick(t, "payee", "D1", "D1", "D2", ""),
		Reference:      pick(t, "reference", "", "R1", "R2", "Müller 7", "Muller 7", "Ægir Å/ß Øre é", "Aegir AA SS Oere e", "AEGIR A SS ORE E", "Lieferung Nordwerk 2025-03/01", "Lieferung Nordwerk 2025-03/02"),
		IdempotencyKey: pick(t, "key", "", "", "key", "KEY") + pick(t, "of", fmt.Sprint(n), "0"),
		IDSource:       pick(t, "id source", recon.IDSources...), Host: pick(t, "host", "", "", "host-1"),
		Harness:    pick(t, "harness", "claude-code/2.1", "codex", "Windsurf/1.0", "opencode", ""),
		ArgsSHA256: pick(t, "args", "", fmt.Sprint("h", n)), ProposedAt: drawInstant(t).Add(pick(t, "seconds", 0, time.Second, 59*time.Minute)),
	}
	if len(a.IdempotencyKey) == 1 {
		a.IdempotencyKey = ""
	}
	w.Attempts = append(w.Attempts, a)
	for range pick(t, "deliveries", 0, 0, 1, 2) {
		w.Deliveries = append(w.Deliveries, recon.Delivery{AttemptID: a.ID, ReceivedAt: a.ProposedAt, ArgsSHA256: pick(t, "args", "", a.ArgsSHA256, "h9")})
	}
	if pick(t, "marked", false, false, true) {
		w.Marks = append(w.Marks, recon.Mark{AttemptID: a.ID, RunID: 1, MarkedAt: a.ProposedAt.Add(30 * time.Hour)})
	}
	again := a
	again.ID = fmt.Sprint("a", n+1)
	switch pick(t, "again", "", "", "", "", "hook", "retry", "asked", "asked long after") {
	case "hook": // another hook fired for the same call, and knows no id of it
		again.ProposedAt = again.ProposedAt.Add(pick(t, "seconds", time.Second, 10*time.Second, 11*time.Second))
		again.IDSource, again.IdempotencyKey = pick(t, "id source", recon.IDFallbackHash, recon.IDToolUse, recon.IDWeakToolUse), ""
	case "retry":
		again.ProposedAt = again.ProposedAt.Add(time.Minute)
	case "asked":
		again.ProposedAt = again.ProposedAt.Add(pick(t, "minutes", 15*time.Minute, 15*time.Minute+time.Microsecond))
		again.IdempotencyKey = pick(t, "key", "", "key-again")
	case "asked long after":
		again.ProposedAt = again.ProposedAt.Add(26 * time.Hour)
	default:
		return a
	}
	w.Attempts = append(w.Attempts, again)
	w.tellOutcome(t, again)
	return a
}

func (w *World) tellOutcome(t *rapid.T, a recon.Attempt) {
	at := a.ProposedAt
	say := func(id string, status recon.OutcomeStatus, ref, said string) {
		at = at.Add(pick(t, "later", time.Second, time.Second, 40*time.Hour))
		w.Outcomes = append(w.Outcomes, recon.Outcome{AttemptID: id, Status: status, ProviderRef: ref, Error: said, ArgsSHA256: a.ArgsSHA256, ObservedAt: at})
	}
	ref := "pi-" + a.ID
	switch pick(t, "outcome", "paid", "paid", "paid", "paid", "nothing", "nothing", "nothing", "failed", "failed", "denied", "denied", "interrupted", "timeout", "killed", "in the end", "denied once", "contradiction", "two refs", "other id") {
	case "paid":
		say(a.ID, recon.Succeeded, pick(t, "ref", ref, ""), "")
	case "failed":
		say(a.ID, recon.Failed, "", "card declined")
	case "denied":
		say(a.ID, recon.Denied, "", "")
	case "interrupted":
		say(a.ID, recon.Interrupted, "", "")
	case "timeout":
		say(a.ID, pick(t, "status", recon.TimedOut, recon.Unknown), pick(t, "ref", ref, ""), "")
	case "killed":
		say(a.ID, recon.Unknown, "", recon.HookKilled)
	case "in the end":
		say(a.ID, recon.Interrupted, "", "")
		say(a.ID, recon.Succeeded, ref, "")
	case "denied once":
		say(a.ID, recon.Denied, "", "")
		say(a.ID, recon.Failed, "", "")
	case "contradiction":
		say(a.ID, recon.Succeeded, ref, "")
		say(a.ID, recon.Failed, ref, "")
	case "two refs":
		say(a.ID, recon.Succeeded, ref, "")
		say(a.ID, recon.Succeeded, "pi-other", "")
	case "other id":
		say("x"+a.ID, recon.Succeeded, ref, "")
	}
}

// tellMovement adds what the ledger has of an attempt.
func (w *World) tellMovement(t *rapid.T, a recon.Attempt) {
	whole := w.entryOf(t, a)
	then := func(e ledger.Entry, days int) ledger.Entry {
		e.BookedOn = e.BookedOn.AddDays(days)
		if !e.OccurredAt.IsZero() {
			e.OccurredAt = e.OccurredAt.AddDate(0, 0, days)
		}
		return e
	}
	back := func(e ledger.Entry, amount int64) ledger.Entry {
		e.Kind, e.OriginalProviderID, e.ProviderID, e.Amount = ledger.KindReturn, e.ProviderID, "", amount
		if pick(t, "by key", true, false) && e.OriginalProviderID != "" {
			e.IdempotencyKey, e.EndToEndID = "", ""
		}
		return then(e, pick(t, "back", 0, 1, 2))
	}
	other := func(e ledger.Entry, amount int64) ledger.Entry {
		e.Amount = amount
		if e.ProviderID != "" {
			e.ProviderID += "-2"
		}
		return e
	}
	switch pick(t, "movement", "once", "once", "once", "late", "early", "early", "differs", "differs", "payee", "currency", "currency", "fee", "gross", "twice", "twice, one back", "back", "refund",
		"split", "split short", "part back", "announced", "announced, then booked", "refused", "refused, then paid", "batch", "reported", "reported and booked", "listed beside", "notified one by one", "not at all") {
	case "once":
		w.book(whole)
	case "late":
		w.book(then(whole, pick(t, "days", 2, 7, 12)))
	case "early":
		w.book(then(whole, pick(t, "days", -1, -2, -9)))
	case "differs":
		whole.Amount += pick(t, "by", int64(1), -1, 100, -100, -26, 3_000)
		w.book(whole)
	case "payee":
		whole.CounterpartyAccount = "D9"
		w.book(whole)
	case "currency":
		whole.OrigAmount, whole.OrigCurrency = ledger.Some(whole.Amount), whole.Currency
		if pick(t, "instructed", true, false) {
			whole.OrigAmount, whole.OrigCurrency = ledger.Optional{}, ""
		}
		whole.Amount, whole.Currency = whole.Amount/2, "CHF"
		w.book(whole)
	case "fee":
		whole.Amount -= pick(t, "fee", int64(1), 25, 51)
		w.book(whole)
	case "gross":
		whole.Gross, whole.Fee = ledger.Some(whole.Amount), ledger.Some(-30)
		whole.Amount -= 30
		w.book(whole)
	case "twice":
		w.book(whole)
		w.book(then(other(whole, whole.Amount), pick(t, "days", 0, 1)))
	case "twice, one back":
		w.book(whole)
		second := then(other(whole, whole.Amount), 1)
		w.book(second)
		w.book(back(second, -second.Amount))
	case "back":
		w.book(whole)
		w.book(back(whole, -whole.Amount))
	case "refund":
		w.book(whole)
		w.book(back(whole, 1_000))
	case "split":
		w.book(other(whole, whole.Amount+3_000))
		w.book(then(other(whole, -3_000), 1))
	case "split short":
		w.book(other(whole, whole.Amount+3_000))
		w.book(other(whole, -2_999))
	case "part back":
		w.book(other(whole, whole.Amount+3_000))
		part := other(whole, -3_000)
		w.book(part)
		w.book(back(part, 3_000))
	case "announced":
		whole.Status = pick(t, "status", ledger.StatusPending, ledger.StatusExpected, ledger.StatusInfo, ledger.StatusUnknown)
		w.book(whole)
	case "announced, then booked":
		pending := whole
		pending.Status = ledger.StatusPending
		w.book(pending)
		if pick(t, "by id", true, false) {
			last := &w.Entries[len(w.Entries)-1]
			last.ID = fmt.Sprint("e", len(w.Entries), ledger.StageMark, last.Status)
		}
		w.book(then(whole, pick(t, "days", 0, 1, 2)))
	case "refused":
		whole.Status = ledger.StatusRejected
		w.book(whole)
	case "refused, then paid":
		refused := whole
		refused.Status = ledger.StatusRejected
		w.book(refused)
		w.book(then(whole, 1))
	case "reported": // by a bank, during the day or apart from the statement
		whole.Report = pick(t, "report", ledger.ReportIntraday, ledger.ReportNotification)
		w.book(whole)
	case "reported and booked":
		for _, report := range pick(t, "reports", []ledger.Report{ledger.ReportIntraday}, []ledger.Report{ledger.ReportNotification, ledger.ReportIntraday}, []ledger.Report{ledger.ReportNotification, ledger.ReportNotification}) {
			reported := whole
			reported.Report = report
			w.book(reported)
		}
		w.book(then(whole, pick(t, "days", 0, 1, 31, 32, -5, -6)))
	case "listed beside": // the statement shows the sum, and a notification what it is made of
		sum := whole
		sum.Amount, sum.CounterpartyAccount, sum.IdempotencyKey, sum.EndToEndID, sum.MerchantReference = whole.Amount-500, "", "", "", ""
		sum.GroupID, sum.ProviderID = pick(t, "group", "G1", ""), pick(t, "provider", sum.ProviderID, "")
		list := sum
		list.Report, list.Children = ledger.ReportNotification, []ledger.Entry{
			{Amount: whole.Amount, Currency: whole.Currency, CounterpartyAccount: whole.CounterpartyAccount, EndToEndID: whole.IdempotencyKey},
			{Amount: -500, Currency: whole.Currency, CounterpartyAccount: "D2"},
		}
		w.book(list)
		w.book(sum)
	case "notified one by one":
		sum, other := whole, whole
		sum.GroupID, sum.Amount, sum.CounterpartyAccount, sum.IdempotencyKey, sum.EndToEndID = "G2", whole.Amount-500, "", "", ""
		other.Amount, other.CounterpartyAccount, other.IdempotencyKey, other.EndToEndID, other.ProviderID = -500, "D2", "", "", ""
		for _, one := range []ledger.Entry{whole, other} {
			one.Report, one.GroupID = ledger.ReportNotification, "G2"
			w.book(one)
		}
		sum.Amount += pick(t, "beyond", int64(0), 0, -1)
		sum.ProviderID = ""
		w.book(sum)
	case "batch":
		stranger := ledger.Entry{Amount: -500, Currency: whole.Currency, CounterpartyAccount: "D2", EndToEndID: pick(t, "stranger", "", "x1", "key0", "key1")}
		batch := ledger.Entry{Amount: whole.Amount + stranger.Amount, Currency: whole.Currency, Kind: whole.Kind, Status: whole.Status, BookedOn: whole.BookedOn, OccurredAt: whole.OccurredAt, AccountID: whole.AccountID}
		part := ledger.Entry{Amount: whole.Amount, Currency: whole.Currency, CounterpartyAccount: whole.CounterpartyAccount, EndToEndID: whole.IdempotencyKey, RemittanceText: whole.MerchantReference}
		if pick(t, "amounts", true, true, false) {
			batch.Children = []ledger.Entry{part, stranger}
		} else {
			part.Amount, part.Warnings = 0, []string{ledger.WarnChildAmount}
			stranger.Amount, stranger.Warnings = 0, part.Warnings
			batch.Children = []ledger.Entry{part, stranger}
		}
		batch.ProviderID = pick(t, "bank's", "", fmt.Sprint("batch-", len(w.Entries)))
		w.book(batch)
		if batch.Children = nil; pick(t, "all back", false, true) {
			w.book(back(batch, -batch.Amount))
		}
	}
}

// entryOf is the entry that settles an attempt, tied to it in one of the ways there are.
func (w *World) entryOf(t *rapid.T, a recon.Attempt) ledger.Entry {
	e := ledger.Entry{
		Kind: ledger.KindPayment, Status: ledger.StatusBooked, Amount: -a.Minor, Currency: a.Currency, CounterpartyAccount: pick(t, "payee", a.DestAccount, a.DestAccount, ""),
		AccountID: pick(t, "account", a.SourceAccount, "S1"),
	}
	switch pick(t, "tied", "key", "key", "key", "end to end", "attempt", "folded", "provider", "reference", "spelt", "cut", "likeness") {
	case "key":
		e.IdempotencyKey, e.MerchantReference = a.IdempotencyKey, pick(t, "also", "", a.Reference)
	case "end to end":
		e.EndToEndID = a.IdempotencyKey
	case "attempt":
		e.IdempotencyKey = a.ID
	case "folded":
		e.IdempotencyKey = "K EY0"
	case "provider":
		e.ProviderID = "pi-" + a.ID
	case "reference":
		e.MerchantReference, e.IdempotencyKey = a.Reference, ""
	case "spelt":
		e.RemittanceText = pick(t, "spelling", append(spellings(a.Reference), "")...)
	case "cut":
		e.RemittanceText = a.Reference
		if runes := []rune(a.Reference); len(runes) > 27 {
			e.RemittanceText = string(runes[:27])
		}
	case "likeness":
		e.CounterpartyAccount = a.DestAccount
	}
	if e.ProviderID == "" && pick(t, "provider", true, false) {
		e.ProviderID = fmt.Sprint("bank-", len(w.Entries))
	}
	at := a.ProposedAt.Add(pick(t, "booked", 0, 2*time.Hour, 25*time.Hour, 49*time.Hour))
	if e.BookedOn = ledger.DateOf(at, time.UTC); pick(t, "instant", true, false) {
		e.OccurredAt = at
	}
	return e
}

func (w *World) book(e ledger.Entry) {
	e.ID, e.File, e.Line = fmt.Sprint("e", len(w.Entries)), "f", len(w.Entries)+2
	w.Entries = append(w.Entries, e)
}

func (w *World) tellSession(t *rapid.T, id string) {
	kinds := pick(t, "session", []recon.SessionEventKind{}, []recon.SessionEventKind{recon.SessionStarted}, []recon.SessionEventKind{recon.SessionStarted, recon.SessionEnded},
		[]recon.SessionEventKind{recon.SessionInterrupted}, []recon.SessionEventKind{recon.SessionCrashed}, []recon.SessionEventKind{recon.SessionInterrupted, recon.SessionResumed, recon.SessionEnded})
	for n, kind := range kinds {
		at := drawInstant(t)
		for _, a := range w.Attempts {
			if a.SessionID == id && pick(t, "about", true, false) {
				at = a.ProposedAt.Add(pick(t, "event", -15*time.Minute, -5*time.Minute, time.Minute))
			}
		}
		w.Sessions = append(w.Sessions, recon.SessionEvent{SessionID: id, Event: kind, At: at.Add(time.Duration(n) * time.Second)})
	}
}

// tellBeside adds what has nothing to do with the attempts.
func (w *World) tellBeside(t *rapid.T) {
	at := drawInstant(t)
	e := ledger.Entry{Kind: ledger.KindPayment, Status: ledger.StatusBooked, Amount: -4_400, Currency: "EUR", CounterpartyAccount: "D8", AccountID: pick(t, "account", "", "S1", "S3"), BookedOn: ledger.DateOf(at, time.UTC)}
	switch pick(t, "beside", "nothing", "nothing", "stranger", "inflow", "fee", "rule", "orphan") {
	case "stranger":
		w.book(e)
	case "inflow":
		e.Amount = 4_400
		w.book(e)
	case "fee":
		e.Kind = pick(t, "kind", ledger.KindFee, ledger.KindPayout, ledger.KindTopUp)
		w.book(e)
	case "rule":
		e.RemittanceText = "r2"
		w.book(e)
	case "orphan":
		w.Outcomes = append(w.Outcomes, recon.Outcome{AttemptID: "nobody", Status: recon.Succeeded, ArgsSHA256: pick(t, "args", "", "h0"), ObservedAt: at})
	}
}

// tellCoverage says what the ledger is complete for: everything, everything but some days, one account, or nothing.
func (w *World) tellCoverage(t *rapid.T) {
	from := ledger.DateOf(Start, time.UTC).AddDays(-2)
	say := func(account string, from, to ledger.Date) {
		w.Coverage = append(w.Coverage, ledger.Coverage{AccountID: account, From: from, To: to, File: "f"})
	}
	switch pick(t, "coverage", "all", "all", "all", "gap", "account", "nothing") {
	case "all":
		say("", from, from.AddDays(60))
	case "gap":
		gap := from.AddDays(rapid.IntRange(1, 20).Draw(t, "gap"))
		say("", from, gap)
		say("", gap.AddDays(1), from.AddDays(60))
	case "account":
		say("S1", from, from.AddDays(60))
		say("S2", from, from.AddDays(5))
	}
}

// DrawStatements puts statements of an account, a file each, in the place of what a drawn world says of coverage. Days, an
// amount or a number may be missing between two. [Draw] has none, for stores take files in ways of their own.
func (w *World) DrawStatements(t *rapid.T) {
	w.Coverage = nil
	from := ledger.DateOf(Start, time.UTC).AddDays(-2)
	balance, number := int64(100_000), 7
	for n := range rapid.IntRange(2, 4).Draw(t, "statements") {
		s := ledger.Statement{
			AccountID: pick(t, "account", "S1", "S1", "s 1"), Currency: "EUR", ID: fmt.Sprint("S", n), From: from, To: from.AddDays(pick(t, "days", 1, 4, 9)),
			Sequence: pick(t, "number", fmt.Sprint(number), ""),
		}
		if pick(t, "balances", true, true, false) {
			s.Opening.Amount = ledger.Some(balance)
			balance += pick(t, "moved", int64(0), -10_000)
			s.Closing.Amount = ledger.Some(balance)
		}
		file := fmt.Sprint("s", n, ".sta")
		covers := ledger.Coverage{AccountID: s.AccountID, From: s.From, To: s.To, File: file}
		w.Coverage = append(w.Coverage, covers)
		w.Sources = append(w.Sources, ledger.SourceFile{Name: file, Population: "ledger", Statements: []ledger.Statement{s}, Coverage: []ledger.Coverage{covers}})
		from = s.To.AddDays(pick(t, "between", 0, 0, 2))
		balance += pick(t, "missing", int64(0), 0, 0, -500)
		number += pick(t, "numbers", 1, 1, 2)
	}
	if pick(t, "list", true, false) {
		w.Coverage = append(w.Coverage, ledger.Coverage{AccountID: "S1", From: from.AddDays(-1), To: from.AddDays(40), File: "f"})
	}
}
