package sql_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"time"

	"agentrecon/ledger"
	"agentrecon/recon"
	"agentrecon/sql"
)

// quarter draws the benchmarks' world, the same for the same number of attempts: ninety days in which 97 % of the ids
// name one call, and few transfers need words.
type quarter struct {
	attempts int
	shape    shape
	rand     *rand.Rand
	zipf     *rand.Zipf
	entries  int
}

// transfer is an attempt with what became of it.
type transfer struct {
	attempt recon.Attempt
	outcome recon.Outcome  // without status: none
	entries []ledger.Entry // what moved
}

const quarterDays = 90

// shape makes the quarter harder; the n-th transfer of so many attempts.
type shape func(n, attempts int, t *transfer)

// asDrawn leaves the quarter as it is.
func asDrawn(int, int, *transfer) {}

func newQuarter(attempts int) *quarter { return shapedQuarter(attempts, asDrawn) }

func shapedQuarter(attempts int, s shape) *quarter {
	r := rand.New(rand.NewPCG(2025, 1))
	return &quarter{attempts: attempts, shape: s, rand: r, zipf: rand.NewZipf(r, 1.2, 8, 2999)}
}

// of10k reports an event that happens to so many of 10,000.
func (q *quarter) of10k(share int) bool { return q.rand.IntN(10_000) < share }

func (q *quarter) each(yield func(n int, t *transfer) error) error {
	for n := range q.attempts {
		t := q.draw(n)
		q.shape(n, q.attempts, &t)
		if err := yield(n, &t); err != nil {
			return err
		}
	}
	return nil
}

func (q *quarter) draw(n int) transfer {
	at := start.Add(time.Duration(n) * (quarterDays * 24 * time.Hour / time.Duration(q.attempts)))
	a := recon.Attempt{
		ID: fmt.Sprintf("toolu_01%022x", uint64(n+1)*0x9e3779b97f4a7c15), SessionID: fmt.Sprint("s", n/20), Minor: 1 + q.rand.Int64N(500_000),
		Currency: "EUR", DestAccount: fmt.Sprintf("DE%020d", q.zipf.Uint64()), Reference: fmt.Sprintf("INV-%08d", n), IDSource: recon.IDToolUse,
		IdempotencyKey: fmt.Sprintf("key_%020x", uint64(n+1)*0x9e3779b97f4a7c15), ProposedAt: at,
	}
	if q.of10k(300) {
		sum := sha256.Sum256([]byte(a.ID))
		a.ID, a.IDSource = hex.EncodeToString(sum[:]), recon.IDFallbackHash
	}
	if q.of10k(2500) {
		a.Minor = 1000 * (1 + q.rand.Int64N(50))
	}
	if q.of10k(1000) {
		a.Currency = "USD"
	}
	t := transfer{attempt: a}
	t.outcome = recon.Outcome{AttemptID: a.ID, Status: recon.Succeeded, ProviderRef: fmt.Sprintf("pi_%024x", uint64(n+1)*0xd1342543de82ef95), ObservedAt: at.Add(4 * time.Second)}
	settled := !q.of10k(5)
	switch {
	case q.rand.IntN(100_000) < 150:
		t.outcome.Status, settled = "", q.of10k(3000)
	case q.of10k(60):
		t.outcome.Status, settled = recon.Failed, q.of10k(500)
	}
	if settled {
		t.entries = append(t.entries, q.entry(t))
		if q.of10k(3) {
			t.entries = append(t.entries, q.entry(t))
		}
	}
	if q.of10k(5) {
		stranger := transfer{attempt: recon.Attempt{Minor: 1 + q.rand.Int64N(500_000), Currency: "EUR", DestAccount: "FR7630006000011234567890189", ProposedAt: at}}
		t.entries = append(t.entries, q.entry(stranger))
	}
	return t
}

// entry draws an entry of a transfer: settled within three days, and naming it by what its provider passes on.
func (q *quarter) entry(t transfer) ledger.Entry {
	a := t.attempt
	at := a.ProposedAt.Add(time.Minute + time.Duration(q.rand.Int64N(int64(3*24*time.Hour)))).Truncate(time.Second)
	e := ledger.Entry{
		ID: fmt.Sprintf("txn_%024d", q.entries), AccountID: "DE89370400440532013000", BookedOn: ledger.DateOf(at, time.UTC), OccurredAt: at,
		Amount: -a.Minor, Currency: a.Currency, Kind: ledger.KindPayment, Status: ledger.StatusBooked, CounterpartyAccount: a.DestAccount,
		RemittanceText: fmt.Sprintf("Transfer %d", q.entries), Line: q.entries + 2,
	}
	q.entries++
	if q.of10k(10) {
		e.Amount -= 50
	}
	if q.of10k(2) {
		e.Currency = "GBP"
	}
	switch share := q.rand.IntN(1000); {
	case share < 850:
		e.IdempotencyKey, e.ProviderID, e.MerchantReference = a.IdempotencyKey, t.outcome.ProviderRef, a.Reference
	case share < 980:
		e.ProviderID = t.outcome.ProviderRef
	case share < 992:
		e.MerchantReference = a.Reference
	}
	return e
}

func quarterAttempts(n int) sql.AttemptSource { return shapedAttempts(n, asDrawn) }

func shapedAttempts(n int, s shape) sql.AttemptSource {
	return func(each func(*recon.Attempt, int) error) (ledger.SourceFile, error) {
		return described("attempts", n), shapedQuarter(n, s).each(func(at int, t *transfer) error { return each(&t.attempt, at+2) })
	}
}

func quarterOutcomes(n int) sql.OutcomeSource { return shapedOutcomes(n, asDrawn) }

func shapedOutcomes(n int, s shape) sql.OutcomeSource {
	return func(each func(recon.Outcome, int) error) (ledger.SourceFile, error) {
		return described("outcomes", n), shapedQuarter(n, s).each(func(at int, t *transfer) error {
			if t.outcome.Status == "" {
				return nil
			}
			return each(t.outcome, at+2)
		})
	}
}

func quarterEntries(n int) sql.EntrySource { return shapedEntries(n, asDrawn) }

func shapedEntries(n int, s shape) sql.EntrySource {
	return func(each func(*ledger.Entry) error) (ledger.SourceFile, error) {
		file := described("ledger", n)
		from := ledger.DateOf(start, time.UTC)
		file.Coverage = []ledger.Coverage{{From: from, To: from.AddDays(quarterDays + 10), File: file.Name}}
		return file, shapedQuarter(n, s).each(func(_ int, t *transfer) error {
			for i := range t.entries {
				if err := each(&t.entries[i]); err != nil {
					return err
				}
			}
			return nil
		})
	}
}
