package sql_test

import (
	"flag"
	"fmt"
	"testing"
	"time"

	"agentrecon/ledger"
	"agentrecon/recon"
	"agentrecon/sql"
	"agentrecon/sql/sqltest"
)

var rows = flag.Int("rows", 100_000, "attempts of the benchmarks")

// benchID scatters ids as tool-use ids are scattered.
func benchID(prefix string, n int) string {
	return fmt.Sprintf("%s%016x%08x", prefix, uint64(n+1)*0x9e3779b97f4a7c15, n)
}

func benchAttempts(n int) sql.AttemptSource {
	return func(each func(*recon.Attempt, int) error) (ledger.SourceFile, error) {
		var a recon.Attempt
		for i := range n {
			a = recon.Attempt{
				ID: benchID("toolu_", i), SessionID: fmt.Sprint("s", i/20), Minor: int64(i%100_000 + 1), Currency: "EUR",
				DestAccount: fmt.Sprint("DE893704004405320", i%1000), Reference: fmt.Sprint("INV-", i), IDSource: recon.IDToolUse,
				IdempotencyKey: benchID("key_", i), ProposedAt: start.Add(time.Duration(i) * time.Second),
			}
			if err := each(&a, i+2); err != nil {
				return ledger.SourceFile{}, err
			}
		}
		return described("attempts", n), nil
	}
}

func benchOutcomes(n int) sql.OutcomeSource {
	return func(each func(recon.Outcome, int) error) (ledger.SourceFile, error) {
		for i := range n {
			o := recon.Outcome{AttemptID: benchID("toolu_", i), Status: recon.Succeeded, ProviderRef: benchID("pay_", i), ObservedAt: start.Add(time.Duration(i+5) * time.Second)}
			if err := each(o, i+2); err != nil {
				return ledger.SourceFile{}, err
			}
		}
		return described("outcomes", n), nil
	}
}

func benchEntries(n int) sql.EntrySource {
	return func(each func(*ledger.Entry) error) (ledger.SourceFile, error) {
		day := ledger.DateOf(start, time.UTC)
		for i := range n {
			e := ledger.Entry{
				ID: benchID("e", i), ProviderID: benchID("pay_", i), AccountID: "ACC", BookedOn: day.AddDays((i + 60) / 86_400),
				Amount: -int64(i%100_000 + 1), Currency: "EUR", Kind: ledger.KindPayment, Status: ledger.StatusBooked, Line: i + 2,
				CounterpartyAccount: fmt.Sprint("DE893704004405320", i%1000), IdempotencyKey: benchID("key_", i),
				MerchantReference: fmt.Sprint("INV-", i), RemittanceText: fmt.Sprint("payment of INV-", i),
				OccurredAt: start.Add(time.Duration(i+60) * time.Second),
			}
			if err := each(&e); err != nil {
				return ledger.SourceFile{}, err
			}
		}
		return described("ledger", n), nil
	}
}

// BenchmarkFirstLoad imports attempts, outcomes and ledger into an empty database, then reads and runs over them. Each
// step reports its seconds.
func BenchmarkFirstLoad(b *testing.B) {
	for range b.N {
		db := sqltest.NewDB(b)
		step := func(name string, do func() error) {
			began := time.Now()
			if err := do(); err != nil {
				b.Fatal(name, ": ", err)
			}
			b.ReportMetric(time.Since(began).Seconds(), name+"-s")
		}
		step("attempts", func() error {
			_, err := db.ImportAttempts(b.Context(), benchAttempts(*rows), sql.ImportOptions{})
			return err
		})
		step("outcomes", func() error {
			_, err := db.ImportOutcomes(b.Context(), benchOutcomes(*rows), sql.ImportOptions{})
			return err
		})
		step("ledger", func() error {
			_, err := db.ImportEntries(b.Context(), benchEntries(*rows), sql.ImportOptions{})
			return err
		})
		tx, err := db.BeginRun(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		step("read-attempts", func() error {
			for _, err := range tx.AttemptRows(b.Context()) {
				if err != nil {
					return err
				}
			}
			return nil
		})
		step("read-ledger", func() error {
			for _, err := range tx.EntryRows(b.Context()) {
				if err != nil {
					return err
				}
			}
			return nil
		})
		var result *recon.Result
		step("run", func() (err error) {
			result, err = recon.Run(b.Context(), tx, recon.Request{AsOf: start.AddDate(1, 0, 0), Policy: recon.DefaultPolicy()})
			return err
		})
		step("record", func() error {
			if _, err := tx.Record(b.Context(), header(""), result); err != nil {
				return err
			}
			return tx.Commit(b.Context())
		})
	}
}
