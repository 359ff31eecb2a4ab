package recontest

import (
	"fmt"
	"time"

	"pgregory.net/rapid"

	"agentrecon/ledger"
	"agentrecon/recon"
)

// Start is the first day of the worlds that [Draw] makes: a Sunday before Europe's clocks change, so that windows
// cross the change.
var Start = time.Date(2025, 3, 23, 0, 0, 0, 0, time.UTC)

// Draw makes a small world in which few keys, references, amounts and payees meet often: replays, batches, splits,
// duplicates, reversals, variances, contradictions and missing values all come up.
//
// A quarter of the worlds are bare: hardly a key, few amounts, payees and references, so that much competes for little.
// Another half is told: what happened to each attempt is drawn, and the files say it.
func Draw(t *rapid.T) World {
	var w World
	switch pick(t, "world", "bare", "told", "told", "free") {
	case "bare":
		w.drawBare(t)
		return w
	case "told":
		w.drawTold(t)
		return w
	}
	for n := range rapid.IntRange(0, 6).Draw(t, "attempts") {
		w.addAttempt(t, n)
	}
	for n := range rapid.IntRange(0, 7).Draw(t, "entries") {
		w.addEntry(t, n)
	}
	for range rapid.IntRange(0, 2).Draw(t, "orphans") {
		w.Outcomes = append(w.Outcomes, drawOutcome(t, pick(t, "orphan", "x1", "x2")))
	}
	for range rapid.IntRange(0, 3).Draw(t, "events") {
		w.Sessions = append(w.Sessions, recon.SessionEvent{
			SessionID: pick(t, "session", "s1", "s2"), Event: pick(t, "event", recon.SessionEventKinds...), At: drawInstant(t),
		})
	}
	for range rapid.IntRange(0, 2).Draw(t, "coverage") {
		from := ledger.DateOf(Start, time.UTC).AddDays(rapid.IntRange(-3, 6).Draw(t, "from"))
		w.Coverage = append(w.Coverage, ledger.Coverage{
			AccountID: pick(t, "covers", "", "S1", "S2"), From: from, To: from.AddDays(rapid.IntRange(1, 25).Draw(t, "days")),
			Inferred: rapid.Bool().Draw(t, "inferred"), File: "f",
		})
	}
	return w
}

// drawBare draws attempts and entries with little to go by.
func (w *World) drawBare(t *rapid.T) {
	payee := func() string { return pick(t, "payee", "", "D1", "D1", "D1", "D2") }
	reference := func() string { return pick(t, "reference", "", "", "R1", "R2", "Müller", "Muller", drawLong(t)) }
	amount := func() int64 { return pick(t, "amount", int64(100), 100, 100, 200) }
	for n := range rapid.IntRange(1, 5).Draw(t, "attempts") {
		a := recon.Attempt{
			ID: fmt.Sprintf("a%d", n), Minor: amount(), Currency: "EUR", DestAccount: payee(), Reference: reference(),
			IdempotencyKey: pick(t, "key", "", "", "", "", "k1"), SourceAccount: pick(t, "source", "", "", "S1"),
			IDSource: recon.IDToolUse, ProposedAt: drawInstant(t),
		}
		w.Attempts = append(w.Attempts, a)
		if status := pick(t, "status", recon.Succeeded, recon.Succeeded, recon.Failed, ""); status != "" {
			w.Outcomes = append(w.Outcomes, recon.Outcome{AttemptID: a.ID, Status: status, ObservedAt: a.ProposedAt})
		}
	}
	for n := range rapid.IntRange(1, 6).Draw(t, "entries") {
		e := ledger.Entry{
			ID: fmt.Sprintf("e%d", n), Kind: ledger.KindPayment, Amount: -amount(), Currency: "EUR", CounterpartyAccount: payee(),
			Status:         pick(t, "status", ledger.StatusBooked, ledger.StatusBooked, ledger.StatusBooked, ledger.StatusPending, ledger.StatusRejected),
			IdempotencyKey: pick(t, "key", "", "", "", "", "k1", "k2"), AccountID: pick(t, "account", "", "", "S1", "S2"),
			MerchantReference: reference(), RemittanceText: pick(t, "text", "", "", "R1", "R2"), File: "f", Line: n + 2,
		}
		at := drawInstant(t)
		if e.BookedOn = ledger.DateOf(at, time.UTC); rapid.Bool().Draw(t, "instant") {
			e.OccurredAt = at
		}
		w.Entries = append(w.Entries, e)
	}
}

func (w *World) addAttempt(t *rapid.T, n int) {
	a := recon.Attempt{
		ID: fmt.Sprintf("a%d", n), SessionID: pick(t, "session", "", "s1", "s2"), Minor: drawAmount(t), Currency: drawCurrency(t),
		SourceAccount: pick(t, "source", "", "", "S1", "S2"), DestAccount: drawPayee(t), Reference: drawReference(t),
		IdempotencyKey: drawKey(t), IDSource: pick(t, "id source", recon.IDSources...), Host: pick(t, "host", "", "", "", "runner-1", "runner-2"), Harness: pick(t, "harness", "claude-code", "codex", "codex/0.42", "claude-code/2.1"),
		ArgsSHA256: pick(t, "args", "", "h1", "h2"), ProposedAt: drawInstant(t),
	}
	w.Attempts = append(w.Attempts, a)
	for range pick(t, "outcomes", 0, 1, 1, 1, 1, 2, 3) {
		w.Outcomes = append(w.Outcomes, drawOutcome(t, a.ID))
	}
	for range pick(t, "deliveries", 0, 0, 1, 2) {
		w.Deliveries = append(w.Deliveries, recon.Delivery{AttemptID: a.ID, ReceivedAt: drawInstant(t), ArgsSHA256: pick(t, "args", "", "h1", "h1", "h2")})
	}
	if pick(t, "marked", false, false, false, true) {
		w.Marks = append(w.Marks, recon.Mark{AttemptID: a.ID, RunID: 1, MarkedAt: a.ProposedAt.Add(30 * time.Hour)})
	}
}

func drawOutcome(t *rapid.T, id string) recon.Outcome {
	return recon.Outcome{
		AttemptID: id, Status: pick(t, "status", recon.Succeeded, recon.Succeeded, recon.Succeeded, recon.Failed, recon.Denied, recon.Interrupted, recon.Unknown),
		ProviderRef: pick(t, "ref", "", "p1", "p2", "p3", "P 3"), ArgsSHA256: pick(t, "args", "", "h1", "h2"), ObservedAt: drawInstant(t),
	}
}

// addEntry adds an entry: one that agrees with an attempt but for what fate changes, or one drawn freely.
func (w *World) addEntry(t *rapid.T, n int) {
	e := ledger.Entry{
		ID: fmt.Sprintf("e%d", n), Kind: ledger.KindPayment, Status: pick(t, "status", ledger.StatusBooked, ledger.StatusBooked, ledger.StatusBooked, ledger.StatusBooked, ledger.StatusPending, ledger.StatusRejected),
		File: "f", Line: n + 2,
	}
	at := drawInstant(t)
	e.ProviderID, e.AccountID, e.CounterpartyAccount = pick(t, "provider", "", "p1", "p2", "p3"), pick(t, "account", "", "S1", "S2"), drawPayee(t)
	e.IdempotencyKey, e.EndToEndID, e.MerchantReference = drawKey(t), pick(t, "e2e", "", "", "", "k1", "R1"), drawReference(t)
	e.RemittanceText, e.Amount, e.Currency = drawReference(t), -drawAmount(t), drawCurrency(t)
	e.TransactionID, e.BankID = pick(t, "transaction", "", "", "", "p1", "p2"), rapid.Bool().Draw(t, "bank's id")
	if len(w.Attempts) > 0 && rapid.IntRange(0, 3).Draw(t, "agrees") > 0 {
		w.copyAttempt(t, &e, &at)
	}
	switch pick(t, "turn", 0, 0, 0, 0, 0, 1, 2) {
	case 1:
		e.Amount, e.Kind = -e.Amount, ledger.KindReversal
		e.OriginalProviderID = pick(t, "original", "", "p1", "p2", "p3")
	case 2:
		e.Fee, e.Gross = ledger.Some(-1), ledger.Some(e.Amount)
		e.Amount--
	}
	if rapid.IntRange(0, 5).Draw(t, "instructed") == 0 {
		e.OrigAmount, e.OrigCurrency = ledger.Some(-drawAmount(t)), drawCurrency(t)
	}
	if rapid.IntRange(0, 11).Draw(t, "kind") == 0 {
		e.Kind = pick(t, "kind", ledger.KindFee, ledger.KindTopUp, ledger.KindRefund)
	}
	if rapid.IntRange(0, 7).Draw(t, "reported") == 0 {
		e.Report = pick(t, "report", ledger.ReportIntraday, ledger.ReportNotification)
	}
	e.BookedOn = ledger.DateOf(at, time.UTC)
	if rapid.Bool().Draw(t, "instant") {
		e.OccurredAt = at
	}
	if rapid.IntRange(0, 5).Draw(t, "batch") == 0 {
		w.makeBatch(t, &e)
	}
	w.Entries = append(w.Entries, e)
}

// makeBatch makes an entry one of several payments, whose sum need not be what was booked.
func (w *World) makeBatch(t *rapid.T, e *ledger.Entry) {
	if rapid.IntRange(0, 3).Draw(t, "keeps keys") > 0 {
		e.IdempotencyKey, e.EndToEndID, e.ProviderID = "", "", ""
	}
	var sum int64
	for range rapid.IntRange(1, 3).Draw(t, "parts") {
		part := ledger.Entry{
			Amount: -drawAmount(t), Currency: e.Currency, ProviderID: pick(t, "provider", "", "", "p1", "p2"), EndToEndID: drawKey(t),
			CounterpartyAccount: drawPayee(t), RemittanceText: drawReference(t), TransactionID: pick(t, "transaction", "", "", "", "p2"),
		}
		if len(w.Attempts) > 0 && rapid.IntRange(0, 3).Draw(t, "agrees") > 0 {
			var at time.Time
			w.copyAttempt(t, &part, &at)
		}
		sum += part.Amount
		e.Children = append(e.Children, part)
	}
	if rapid.IntRange(0, 3).Draw(t, "adds up") > 0 && e.Amount < 0 {
		e.Amount = sum
	}
}

func (w *World) copyAttempt(t *rapid.T, e *ledger.Entry, at *time.Time) {
	a := w.Attempts[rapid.IntRange(0, len(w.Attempts)-1).Draw(t, "of")]
	keep := func(what string) bool { return rapid.IntRange(0, 7).Draw(t, what) > 0 }
	if keep("amount") {
		e.Amount, e.Currency = -a.Minor, a.Currency
	} else if rapid.Bool().Draw(t, "converted") {
		e.OrigAmount, e.OrigCurrency = ledger.Some(-a.Minor), a.Currency
	}
	if keep("payee") {
		e.CounterpartyAccount = a.DestAccount
	}
	if keep("key") {
		e.IdempotencyKey = a.IdempotencyKey
	}
	if keep("reference") {
		e.MerchantReference = a.Reference
	}
	if keep("time") {
		*at = a.ProposedAt.Add(time.Duration(rapid.IntRange(0, 130).Draw(t, "hours")) * time.Hour)
	}
}

func drawInstant(t *rapid.T) time.Time {
	return Start.Add(time.Duration(rapid.IntRange(0, 14*24*6).Draw(t, "ten minutes")) * 10 * time.Minute)
}

func drawAmount(t *rapid.T) int64 { return pick(t, "amount", int64(100), 100, 100, 200, 300, 101) }

func drawCurrency(t *rapid.T) ledger.Currency {
	return pick(t, "currency", ledger.Currency("EUR"), "EUR", "EUR", "EUR", "USD")
}

func drawPayee(t *rapid.T) string { return pick(t, "payee", "", "D1", "D1", "D1", "d 1", "D2") }

func drawKey(t *rapid.T) string {
	return pick(t, "key", "", "", "", "k1", "k1", "k2", "K1", "k 2", "NOTPROVIDED", "a0")
}

func drawReference(t *rapid.T) string {
	return pick(t, "reference", "", "", "", "R1", "r-1", "R2", "Müller", "MUELLER", "Muller", "--", drawLong(t))
}

// drawLong draws references that begin alike, and what is left of them where a bank cuts after 16 or 17 characters.
func drawLong(t *rapid.T) string {
	return pick(t, "long", "INVOICE-2025-0001", "INVOICE-2025-0002", "invoice 2025 0001 A", "INVOICE-2025-000", "INVOICE-2025-000", "Rechnung-für-Öle", "RECHNUNG-FÜR-ÖLE-2")
}

func pick[T any](t *rapid.T, what string, values ...T) T {
	return values[rapid.IntRange(0, len(values)-1).Draw(t, what)]
}
