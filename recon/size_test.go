package recon_test

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"agentrecon/ledger"
	"agentrecon/recon"
	"agentrecon/recon/recontest"
)

// sized makes a world of n attempts a minute apart, each paid an hour later, and lets change make it hard.
func sized(n int, change func(n int, a *recon.Attempt, o *recon.Outcome, e *ledger.Entry)) recontest.World {
	var w recontest.World
	start := time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)
	for i := range n {
		at := start.Add(time.Duration(i) * time.Minute)
		a := recon.Attempt{
			ID: fmt.Sprintf("toolu_%08d", i), SessionID: fmt.Sprintf("s%d", i/8), Minor: int64(1000 + i%5000), Currency: "EUR",
			DestAccount: fmt.Sprintf("DE%020d", i%90), Reference: fmt.Sprintf("INV-%08d", i), IdempotencyKey: fmt.Sprintf("key-%08d", i),
			IDSource: recon.IDToolUse, ProposedAt: at,
		}
		o := recon.Outcome{AttemptID: a.ID, Status: recon.Succeeded, ProviderRef: fmt.Sprintf("pi_%08d", i), ObservedAt: at.Add(time.Second)}
		e := ledger.Entry{
			ID: fmt.Sprintf("e%08d", i), ProviderID: o.ProviderRef, BookedOn: ledger.DateOf(at.Add(time.Hour), time.UTC), OccurredAt: at.Add(time.Hour),
			Amount: -a.Minor, Currency: "EUR", Kind: ledger.KindPayment, Status: ledger.StatusBooked, CounterpartyAccount: a.DestAccount,
			IdempotencyKey: a.IdempotencyKey, MerchantReference: a.Reference,
		}
		change(i, &a, &o, &e)
		w.Attempts = append(w.Attempts, a)
		if o.Status != "" {
			w.Outcomes = append(w.Outcomes, o)
		}
		if e.Status != "" {
			w.Entries = append(w.Entries, e)
		}
	}
	from := ledger.DateOf(start, time.UTC)
	w.Coverage = []ledger.Coverage{{From: from, To: from.AddDays(n/1440 + 10)}}
	return w
}

// Worlds that a careless matcher takes hours for, each with what must come out of it.
var hardWorlds = []struct {
	name   string
	change func(n int, a *recon.Attempt, o *recon.Outcome, e *ledger.Entry)
	want   map[recon.Class]int // shares of the attempts, in per cent
}{
	{"keyed", func(n int, _ *recon.Attempt, o *recon.Outcome, _ *ledger.Entry) {
		if n%100 == 0 {
			o.Status = ""
		}
	}, map[recon.Class]int{recon.Matched: 99, recon.UnknownSettled: 1}},
	{"by reference", func(_ int, a *recon.Attempt, o *recon.Outcome, e *ledger.Entry) {
		a.IdempotencyKey, o.ProviderRef = "", ""
		e.IdempotencyKey, e.ProviderID, e.MerchantReference, e.RemittanceText = "", "", "", e.MerchantReference
	}, map[recon.Class]int{recon.Matched: 100}},
	{"by attributes", func(_ int, a *recon.Attempt, o *recon.Outcome, e *ledger.Entry) { bare(a, o, e) }, map[recon.Class]int{recon.Matched: 100}},
	{"all alike", func(n int, a *recon.Attempt, o *recon.Outcome, e *ledger.Entry) {
		bare(a, o, e)
		alike(a, e)
		if n%3 == 0 {
			e.OccurredAt = time.Time{}
		}
	}, map[recon.Class]int{recon.Matched: 100}},
	{"all alike, half of them paid", func(n int, a *recon.Attempt, o *recon.Outcome, e *ledger.Entry) {
		bare(a, o, e)
		alike(a, e)
		if n%2 == 0 {
			e.Status = ""
		}
	}, map[recon.Class]int{recon.Ambiguous: 100}},
	{"all alike, at one moment", func(_ int, a *recon.Attempt, o *recon.Outcome, e *ledger.Entry) {
		bare(a, o, e)
		alike(a, e)
		a.ProposedAt = time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)
		e.BookedOn, e.OccurredAt = ledger.DateOf(a.ProposedAt, time.UTC), time.Time{}
	}, map[recon.Class]int{recon.Matched: 100}},
	{"all alike but for standing", func(n int, a *recon.Attempt, o *recon.Outcome, e *ledger.Entry) {
		bare(a, o, e)
		alike(a, e)
		if n%2 == 0 {
			o.Status = recon.Failed
		}
	}, map[recon.Class]int{recon.Ambiguous: 100}},
	{"nearly all to one payee", func(n int, a *recon.Attempt, o *recon.Outcome, e *ledger.Entry) {
		bare(a, o, e)
		if n%10 != 0 {
			a.DestAccount, e.CounterpartyAccount = "DE02120300000000202051", "DE02120300000000202051"
		}
	}, map[recon.Class]int{recon.Matched: 100}},
	{"few keys", func(n int, a *recon.Attempt, o *recon.Outcome, e *ledger.Entry) {
		if n%10 != 0 {
			bare(a, o, e)
		}
	}, map[recon.Class]int{recon.Matched: 100}},
	{"a bank's file that names no payee", func(n int, a *recon.Attempt, o *recon.Outcome, e *ledger.Entry) {
		bare(a, o, e)
		e.OccurredAt, e.CounterpartyAccount, e.RemittanceText = time.Time{}, "", fmt.Sprintf("SEPA-UEBERWEISUNG %d Lieferant", n)
	}, map[recon.Class]int{recon.MissingInLedger: 100}},
	{"one reference", func(_ int, a *recon.Attempt, o *recon.Outcome, e *ledger.Entry) {
		bare(a, o, e)
		a.Reference, e.MerchantReference = "SALARY", "salary"
	}, map[recon.Class]int{recon.Matched: 100}},
	{"one reference, other amounts", func(_ int, a *recon.Attempt, o *recon.Outcome, e *ledger.Entry) {
		bare(a, o, e)
		a.Reference, e.MerchantReference = "SALARY", "salary"
		e.Amount -= 10_000
	}, map[recon.Class]int{recon.Ambiguous: 100}},
	{"one key", func(_ int, a *recon.Attempt, o *recon.Outcome, e *ledger.Entry) {
		bare(a, o, e)
		a.IdempotencyKey, e.IdempotencyKey = "default", "default"
		a.Reference, e.MerchantReference = fmt.Sprint("INV", a.ID), fmt.Sprint("INV", a.ID)
	}, map[recon.Class]int{recon.Matched: 100}},
	{"one text on every line", func(_ int, _ *recon.Attempt, o *recon.Outcome, e *ledger.Entry) {
		o.ProviderRef, e.IdempotencyKey, e.RemittanceText = "", "", "SUPPLIER PAYMENT"
	}, map[recon.Class]int{recon.Matched: 100}},
	{"outcomes lost their ids", func(_ int, a *recon.Attempt, o *recon.Outcome, _ *ledger.Entry) {
		o.ArgsSHA256, o.AttemptID = a.ID, "x"+o.AttemptID
		a.ArgsSHA256 = a.ID
	}, map[recon.Class]int{recon.Matched: 100}},
}

// bare leaves nothing to go by but amount, payee and time.
func bare(a *recon.Attempt, o *recon.Outcome, e *ledger.Entry) {
	a.IdempotencyKey, a.Reference, o.ProviderRef = "", "", ""
	e.IdempotencyKey, e.MerchantReference, e.ProviderID = "", "", ""
}

// alike leaves nothing to go by but time.
func alike(a *recon.Attempt, e *ledger.Entry) {
	a.Minor, e.Amount = 5000, -5000
	a.DestAccount, e.CounterpartyAccount = "DE02120300000000202051", "DE02120300000000202051"
}

// TestHardWorlds: what makes worlds hard to judge changes no class. What it costs is BenchmarkHardWorlds's to tell.
func TestHardWorlds(t *testing.T) {
	const attempts = 20_000
	for _, hard := range hardWorlds {
		t.Run(hard.name, func(t *testing.T) {
			result, err := recon.Run(t.Context(), recontest.NewBooks(sized(attempts, hard.change)), hardRequest())
			if err != nil {
				t.Fatal(err)
			}
			for class, share := range hard.want {
				got, want := int(result.Totals.Attempts.ClassCount(class)), attempts*share/100
				if got < want-attempts/1000 || got > want+attempts/1000 {
					t.Errorf("got %d %s, want about %d; all: %v", got, class, want, result.Totals.Attempts.Classes)
				}
			}
		})
	}
}

func hardRequest() recon.Request {
	return recon.Request{AsOf: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), Policy: recon.DefaultPolicy()}
}

// BenchmarkHardWorlds sets the cost of an attempt among 80,000 beside its cost among 20,000. Costs are to grow with the
// number of rows, whatever the rows are: what grows with the square shows as 4.
func BenchmarkHardWorlds(b *testing.B) {
	const few, many = 20_000, 80_000
	for _, hard := range hardWorlds {
		b.Run(hard.name, func(b *testing.B) {
			perAttempt := func(attempts int) float64 {
				books := recontest.NewBooks(sized(attempts, hard.change))
				runtime.GC()
				began := time.Now()
				if _, err := recon.Run(b.Context(), books, hardRequest()); err != nil {
					b.Fatal(err)
				}
				return float64(time.Since(began).Nanoseconds()) / float64(attempts)
			}
			for range b.N {
				among, alone := perAttempt(many), perAttempt(few)
				b.ReportMetric(0, "ns/op")
				b.ReportMetric(among, "ns/attempt")
				b.ReportMetric(among/alone, "x-cost-of-fewer")
				b.ReportMetric(1.5, "x-cost-of-fewer-reach")
			}
		})
	}
}
