package sql_test

import (
	"flag"
	"fmt"
	"runtime/debug"
	"testing"
	"time"

	"agentrecon/ledger"
	"agentrecon/recon"
	"agentrecon/sql"
	"agentrecon/sql/sqltest"
)

// nightRows is how many attempts come in the night that BenchmarkNight measures.
var nightRows = flag.Int("night-rows", 20_000, "new attempts of the benchmark's night")

// half is what is recorded of a quarter before or after a moment.
type half struct {
	attempts int
	cut      time.Time
	after    bool
}

// quarterEnd is the end of the quarter: what happens later belongs to later nights.
var quarterEnd = start.AddDate(0, 0, quarterDays)

func (h half) has(at time.Time) bool { return at.Before(h.cut) != h.after && at.Before(quarterEnd) }

func (h half) file(population string) ledger.SourceFile {
	return described(fmt.Sprint(population, " ", h.after), h.attempts)
}

func (h half) load(b *testing.B, db *sql.DB) {
	b.Helper()
	attempts := func(each func(*recon.Attempt, int) error) (ledger.SourceFile, error) {
		return h.file("attempts"), newQuarter(h.attempts).each(func(n int, t *transfer) error {
			if !h.has(t.attempt.ProposedAt) {
				return nil
			}
			return each(&t.attempt, n+2)
		})
	}
	outcomes := func(each func(recon.Outcome, int) error) (ledger.SourceFile, error) {
		return h.file("outcomes"), newQuarter(h.attempts).each(func(n int, t *transfer) error {
			if t.outcome.Status == "" || !h.has(t.outcome.ObservedAt) {
				return nil
			}
			return each(t.outcome, n+2)
		})
	}
	entries := func(each func(*ledger.Entry) error) (ledger.SourceFile, error) {
		file := h.file("ledger")
		from, cut := ledger.DateOf(start, time.UTC), ledger.DateOf(h.cut, time.UTC)
		file.Coverage = []ledger.Coverage{{From: from, To: cut, File: file.Name}}
		if h.after {
			file.Coverage[0].From, file.Coverage[0].To = cut, cut.AddDays(2)
		}
		return file, newQuarter(h.attempts).each(func(_ int, t *transfer) error {
			for n := range t.entries {
				if !h.has(t.entries[n].OccurredAt) {
					continue
				}
				if err := each(&t.entries[n]); err != nil {
					return err
				}
			}
			return nil
		})
	}
	_, err1 := db.ImportAttempts(b.Context(), attempts, sql.ImportOptions{})
	_, err2 := db.ImportOutcomes(b.Context(), outcomes, sql.ImportOptions{})
	_, err3 := db.ImportEntries(b.Context(), entries, sql.ImportOptions{})
	for _, err := range []error{err1, err2, err3} {
		if err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkNight sets a night over what is new beside a run over everything, and measures a night in which nothing is.
// Seconds are of the processor, program and server together, but for those of the idle night.
func BenchmarkNight(b *testing.B) {
	defer debug.SetGCPercent(debug.SetGCPercent(200)) // as the program does
	for range b.N {
		url := sqltest.NewURL(b)
		db, conn := sqltest.Open(b, url), sqltest.Connect(b, url)
		total := *rows + *nightRows
		cut := start.Add(time.Duration(*rows) * (quarterDays * 24 * time.Hour / time.Duration(total)))
		request := recon.Request{AsOf: cut, Policy: recon.DefaultPolicy()}
		half{total, cut, false}.load(b, db)
		if _, err := conn.Exec(b.Context(), "VACUUM ANALYZE"); err != nil {
			b.Fatal(err)
		}
		benchRun(b, db, request, false)
		half{total, cut, true}.load(b, db)
		request.AsOf = quarterEnd
		full := benchFull(b, db, request)
		night := benchRun(b, db, request, true)
		request.AsOf = request.AsOf.Add(time.Minute)
		idle := benchRun(b, db, request, true)
		b.ReportMetric(0, "ns/op")
		b.ReportMetric(full.processor.Seconds(), "full-cpu-s")
		beside(b, night.processor.Seconds(), "night-cpu-s", 2)
		b.ReportMetric(night.program.Seconds(), "of-it-program-s")
		b.ReportMetric(float64(night.looked), "night-items")
		b.ReportMetric(idle.processor.Seconds(), "idle-cpu-s")
		beside(b, idle.wall.Seconds(), "idle-s", 0.1)
	}
}

// cost is what a run took.
type cost struct {
	processor, program, wall time.Duration
	looked                   int
}

// benchFull runs over everything and keeps nothing.
func benchFull(b *testing.B, db *sql.DB, request recon.Request) cost {
	b.Helper()
	tx, err := db.BeginRun(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	defer tx.Rollback(b.Context())
	return costOf(b, tx, func() (*recon.Result, error) {
		result, err := recon.Run(b.Context(), tx, request)
		if err == nil {
			_, err = tx.Record(b.Context(), header(""), result)
		}
		return result, err
	})
}

// benchRun makes a run and commits it.
func benchRun(b *testing.B, db *sql.DB, request recon.Request, since bool) cost {
	b.Helper()
	tx, err := db.BeginRun(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	defer tx.Rollback(b.Context())
	return costOf(b, tx, func() (result *recon.Result, err error) {
		if since {
			result, err = tx.RunSince(b.Context(), header(""), request)
		} else {
			result, err = recon.Run(b.Context(), tx, request)
		}
		if err == nil {
			_, err = tx.Record(b.Context(), header(""), result)
		}
		if err == nil {
			err = tx.Commit(b.Context())
		}
		return result, err
	})
}

func costOf(b *testing.B, tx *sql.RunTx, do func() (*recon.Result, error)) cost {
	b.Helper()
	process := sql.ServerProcess(tx)
	began, used, served := time.Now(), processorTime(b), serverTime(b, process)
	result, err := do()
	if err != nil {
		b.Fatal(err)
	}
	c := cost{program: processorTime(b) - used, wall: time.Since(began)}
	c.processor = c.program + serverTime(b, process) - served
	if result.Since != nil {
		c.looked = len(result.Since.Affected.Attempts) + len(result.Since.Affected.Entries)
	}
	return c
}
