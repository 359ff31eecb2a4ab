package sql_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"agentrecon/ledger"
	"agentrecon/ledger/csvprofile"
	"agentrecon/recon"
	"agentrecon/sql"
	"agentrecon/sql/sqltest"
)

// samples is how often each figure is measured; the median counts. A thing and its limit take turns, so that both meet
// the same machine.
const samples = 3

// beside reports a figure and, under its name with "-reach", what it is to be at most.
func beside(b *testing.B, figure float64, unit string, reach float64) {
	b.ReportMetric(figure, unit)
	b.ReportMetric(reach, unit+"-reach")
}

func median(seconds []float64) float64 {
	return slices.Sorted(slices.Values(seconds))[len(seconds)/2]
}

// timed measures by turns: each of the functions, then each again.
func timed(b *testing.B, measured ...func() error) []float64 {
	b.Helper()
	seconds := make([][]float64, len(measured))
	for range samples {
		for n, do := range measured {
			runtime.GC()
			began := time.Now()
			if err := do(); err != nil {
				b.Fatal(err)
			}
			seconds[n] = append(seconds[n], time.Since(began).Seconds())
		}
	}
	medians := make([]float64, len(measured))
	for n := range seconds {
		medians[n] = median(seconds[n])
	}
	return medians
}

// rawJoin is the least that a reconciliation in the database does: it reads the three tables once and pairs them by key,
// and keeps nothing.
const rawJoin = `SELECT count(*) FROM transfer_attempts a LEFT JOIN transfer_outcomes o USING (attempt_id)
	FULL JOIN ledger_entries l ON l.idempotency_key = a.idempotency_key`

// BenchmarkFullRun sets a full run over a quarter beside the raw join of the same tables.
func BenchmarkFullRun(b *testing.B) {
	url := sqltest.NewURL(b)
	db, conn := sqltest.Open(b, url), sqltest.Connect(b, url)
	_, err1 := db.ImportAttempts(b.Context(), quarterAttempts(*rows), sql.ImportOptions{})
	_, err2 := db.ImportOutcomes(b.Context(), quarterOutcomes(*rows), sql.ImportOptions{})
	_, err3 := db.ImportEntries(b.Context(), quarterEntries(*rows), sql.ImportOptions{})
	for _, err := range []error{err1, err2, err3} {
		if err != nil {
			b.Fatal(err)
		}
	}
	// The join has the memory that a run gives its statements.
	for _, statement := range []string{"VACUUM ANALYZE", "SET work_mem = '128MB'", "SET jit = off"} {
		if _, err := conn.Exec(b.Context(), statement); err != nil {
			b.Fatal(err)
		}
	}
	b.Run("time", func(b *testing.B) {
		for range b.N {
			benchFullRun(b, db, conn)
		}
	})
	b.Run("memory", func(b *testing.B) {
		for range b.N {
			benchMemory(b, db)
		}
	})
}

// hardShapes are what a sieve or a join stumbles over.
var hardShapes = []struct {
	name  string
	shape shape
}{
	{"keyless", func(_, _ int, t *transfer) { // a bank's file: neither keys nor references, so that everything is judged
		for n := range t.entries {
			e := &t.entries[n]
			e.IdempotencyKey, e.ProviderID, e.MerchantReference = "", "", ""
		}
	}},
	{"null-keys", func(n, _ int, t *transfer) { // callers that send no keys, and entries that are named by the provider's alone
		if n%10 > 0 {
			t.attempt.IdempotencyKey = ""
			for n := range t.entries {
				t.entries[n].IdempotencyKey = ""
			}
		}
	}},
	{"alike", func(n, attempts int, t *transfer) { // one group of a tenth of all that nothing tells apart
		if n < attempts/10 {
			t.attempt.Minor, t.attempt.Currency, t.attempt.DestAccount, t.attempt.Reference, t.attempt.IdempotencyKey = 5000, "EUR", "DE02120300000000202051", "", ""
			t.outcome.ProviderRef = ""
			for n := range t.entries {
				e := &t.entries[n]
				e.Amount, e.Currency, e.CounterpartyAccount, e.IdempotencyKey, e.ProviderID, e.MerchantReference = -5000, "EUR", "DE02120300000000202051", "", "", ""
			}
		}
	}},
}

// BenchmarkHardShapes runs over quarters that are hard for a sieve. The cost of an attempt is set beside that of an attempt
// among a quarter as many, which it must not exceed by much, and the most that the heap held beside what a run asks for.
func BenchmarkHardShapes(b *testing.B) {
	for _, hard := range hardShapes {
		b.Run(hard.name, func(b *testing.B) {
			for range b.N {
				few, _ := runShaped(b, *rows/4, hard.shape)
				many, held := runShaped(b, *rows, hard.shape)
				b.ReportMetric(0, "ns/op")
				b.ReportMetric(many*1e6, "cpu-us/attempt")
				beside(b, many/few, "x-cost-of-fewer", 1.5)
				beside(b, held, "x-memory-asked", 1.0)
			}
		})
	}
}

// runShaped tells the processor seconds, program's and server's, that a run takes for an attempt, and the most that the heap
// held as a share of [recon.MemoryNeed].
func runShaped(b *testing.B, attempts int, s shape) (seconds, held float64) {
	url := sqltest.NewURL(b)
	db, conn := sqltest.Open(b, url), sqltest.Connect(b, url)
	_, err1 := db.ImportAttempts(b.Context(), shapedAttempts(attempts, s), sql.ImportOptions{})
	_, err2 := db.ImportOutcomes(b.Context(), shapedOutcomes(attempts, s), sql.ImportOptions{})
	_, err3 := db.ImportEntries(b.Context(), shapedEntries(attempts, s), sql.ImportOptions{})
	if err := errors.Join(err1, err2, err3); err != nil {
		b.Fatal(err)
	}
	if _, err := conn.Exec(b.Context(), "VACUUM ANALYZE"); err != nil {
		b.Fatal(err)
	}
	view, err := db.View(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	defer view.Close(b.Context())
	defer debug.SetGCPercent(debug.SetGCPercent(recon.GCPercent)) // as the program does
	before := liveHeap()
	ended, peak := make(chan struct{}), make(chan uint64)
	go func() { peak <- highestHeap(ended) }()
	used := processorTime(b) + serverTime(b, conn.PgConn().PID())
	result, err := view.Run(b.Context(), quarterRequest())
	if err != nil {
		b.Fatal(err)
	}
	seconds = (processorTime(b) + serverTime(b, conn.PgConn().PID()) - used).Seconds()
	close(ended)
	need := recon.MemoryNeed(int64(attempts), int64(len(result.Attempts)+len(result.Entries)))
	return seconds / float64(attempts), float64(<-peak-before) / float64(need)
}

func benchFullRun(b *testing.B, db *sql.DB, conn *pgx.Conn) {
	var judged, recorded []float64
	var client, server, join time.Duration // processor time of this program, of the server for it, and of the join
	findings := 0
	rawly := func() error {
		used := serverTime(b, conn.PgConn().PID())
		defer func() { join += serverTime(b, conn.PgConn().PID()) - used }()
		_, err := conn.Exec(b.Context(), rawJoin)
		return err
	}
	fully := func() error {
		tx, err := db.BeginRun(b.Context())
		if err != nil {
			return err
		}
		defer tx.Rollback(b.Context())
		process := sql.ServerProcess(tx)
		began, used, served := time.Now(), processorTime(b), serverTime(b, process)
		defer func() {
			client += processorTime(b) - used
			server += serverTime(b, process) - served
		}()
		result, err := tx.Run(b.Context(), quarterRequest())
		if err != nil {
			return err
		}
		judged = append(judged, time.Since(began).Seconds())
		findings = len(result.Attempts) + len(result.Entries)
		began = time.Now()
		if _, err := tx.Record(b.Context(), header(""), result); err != nil {
			return err
		}
		recorded = append(recorded, time.Since(began).Seconds())
		// Once committed there would be nothing left to record for the next sample.
		if len(recorded)%samples == 0 {
			return tx.Commit(b.Context())
		}
		return nil
	}
	medians := timed(b, rawly, fully)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(medians[0], "join-s")
	b.ReportMetric(medians[1], "full-run-s")
	for unit, used := range map[string]time.Duration{"join-cpu-s": join, "full-run-client-cpu-s": client, "full-run-server-cpu-s": server} {
		b.ReportMetric(used.Seconds()/float64(len(recorded)), unit)
	}
	b.ReportMetric(median(judged), "of-it-judge-s")
	b.ReportMetric(median(recorded), "of-it-record-s")
	b.ReportMetric(float64(findings), "findings")
	beside(b, medians[1]/medians[0], "x-join", 1.5)
	b.ReportMetric((client+server).Seconds()/join.Seconds(), "x-join-cpu")
	// The first run digests every row and writes every finding. Now that it is committed, the next full run has neither.
	again := timed(b, rawly, fully)
	b.ReportMetric(again[1]/again[0], "x-join-again")
}

func processorTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// serverTime is the processor time of all of the server's processes that there are or were, where the system tells it, found by
// one of them.
func serverTime(b *testing.B, process uint32) time.Duration {
	parent, _ := processTimes(b, fmt.Sprint(process))
	stats, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		b.Fatal(err)
	}
	_, used := processTimes(b, parent)
	for _, dir := range stats {
		if of, own := processTimes(b, filepath.Base(dir)); of == parent {
			used += own
		}
	}
	return used
}

// processTimes tells a process's parent and how long it and its ended children have used the processor.
func processTimes(b *testing.B, process string) (parent string, used time.Duration) {
	stat, err := os.ReadFile("/proc/" + process + "/stat")
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ESRCH) {
		return "", 0
	}
	if err != nil {
		b.Fatal(err)
	}
	// Behind the name in brackets: state, parent, 9 numbers, then user and system time in hundredths of a second, of the process
	// and of its children.
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	var ticks int64
	for _, field := range fields[11:15] {
		n, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			b.Fatal(err)
		}
		ticks += n
	}
	return fields[1], time.Duration(ticks) * 10 * time.Millisecond
}

func quarterRequest() recon.Request {
	return recon.Request{AsOf: start.AddDate(0, 0, quarterDays+30), Policy: recon.DefaultPolicy()}
}

// benchMemory tells what the attempts of a run take when all are read, garbage not counted, and the most that the heap
// held at any moment of the run, garbage counted.
func benchMemory(b *testing.B, db *sql.DB) {
	view, err := db.View(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	defer view.Close(b.Context())
	defer debug.SetGCPercent(debug.SetGCPercent(recon.GCPercent)) // as the program does
	before := liveHeap()
	books := &weighedBooks{Books: view}
	ended, peak := make(chan struct{}), make(chan uint64)
	go func() { peak <- highestHeap(ended) }()
	if _, err := recon.Run(b.Context(), books, quarterRequest()); err != nil {
		b.Fatal(err)
	}
	close(ended)
	b.ReportMetric(0, "ns/op")
	beside(b, float64(books.live-before)/float64(*rows), "B/attempt", 200)
	b.ReportMetric(float64(<-peak-before)/float64(*rows), "peak-heap-B/attempt")
}

// weighedBooks weighs the heap when the attempts are read and the ledger comes.
type weighedBooks struct {
	recon.Books
	live uint64
}

func (w *weighedBooks) EntryRows(ctx context.Context) iter.Seq2[*ledger.Entry, error] {
	w.live = liveHeap()
	return w.Books.EntryRows(ctx)
}

func liveHeap() uint64 {
	runtime.GC()
	return heap()
}

func heap() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

func highestHeap(ended <-chan struct{}) (highest uint64) {
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-ended:
			return highest
		case <-tick.C:
			highest = max(highest, heap())
		}
	}
}

// BenchmarkImportCSV sets the import of a generic CSV ledger beside COPY of the same rows: into a table with the same
// indexes, and, for its first step alone, into one without any.
func BenchmarkImportCSV(b *testing.B) {
	file, plain := ledgerCSV(b, *rows)
	conn := sqltest.Connect(b, sqltest.NewURL(b))
	for _, statement := range []string{
		"CREATE TABLE indexed (LIKE ledger_entries INCLUDING ALL)",
		"CREATE TEMPORARY TABLE bare AS TABLE ledger_entries WITH NO DATA",
	} {
		if _, err := conn.Exec(b.Context(), statement); err != nil {
			b.Fatal(err)
		}
	}
	copyTo := func(table string) error {
		if _, err := conn.Exec(b.Context(), "TRUNCATE "+table); err != nil {
			return err
		}
		_, err := conn.PgConn().CopyFrom(b.Context(), bytes.NewReader(plain), "COPY "+table+" ("+plainColumns+") FROM STDIN (FORMAT csv)")
		return err
	}
	read := func(each func(*ledger.Entry) error) (ledger.SourceFile, error) {
		source, err := csvprofile.Read("ledger.csv", bytes.NewReader(file), ledger.ReadOptions{}, each)
		source.ImportedAt, source.ImportedBy = start, "tester"
		return source, err
	}
	for range b.N {
		var fresh []*sql.DB // the same file is imported once into a database
		for range samples {
			fresh = append(fresh, sqltest.NewDB(b))
		}
		next := 0
		s := timed(b, func() error { return copyTo("indexed") }, func() error {
			next++
			result, err := fresh[next-1].ImportEntries(b.Context(), read, sql.ImportOptions{Bytes: int64(len(file))})
			if err == nil && result.File.New != result.File.Rows {
				err = fmt.Errorf("%d of %d rows were new", result.File.New, result.File.Rows)
			}
			return err
		}, func() error { return copyTo("bare") }, func() error { return sql.StageEntries(b.Context(), conn, read) }, func() error {
			_, err := read(func(*ledger.Entry) error { return nil })
			return err
		})
		b.ReportMetric(0, "ns/op")
		b.ReportMetric(s[0], "copy-indexed-s")
		b.ReportMetric(s[1], "import-s")
		b.ReportMetric(s[2], "copy-bare-s")
		b.ReportMetric(s[3], "stage-s")
		b.ReportMetric(s[4], "parse-s")
		b.ReportMetric(float64(len(file))/1e6/s[4], "parse-MB/s")
		beside(b, s[1]/s[0], "x-import/copy-indexed", 1.5)
		beside(b, s[3]/s[2], "x-stage/copy-bare", 1.0)
	}
}

const plainColumns = "entry_id, provider_id, account_id, booked_on, occurred_at, amount, currency, kind, status, counterparty_account, idempotency_key, " +
	"merchant_reference, remittance_text, file_no, line"

// ledgerCSV is the quarter's ledger as a generic CSV file, and as PostgreSQL reads it without being told more.
func ledgerCSV(b *testing.B, attempts int) (file, plain []byte) {
	var generic, rows bytes.Buffer
	generic.WriteString(strings.ReplaceAll(strings.TrimSuffix(plainColumns, ", file_no, line"), ", ", ",") + "\n")
	_, err := quarterEntries(attempts)(func(e *ledger.Entry) error {
		at := e.OccurredAt.Format(time.RFC3339)
		fmt.Fprintf(&generic, "%s,%s,%s,%s,%s,%s,%s,%s,%s,%s,%s,%s,%s\n", e.ID, e.ProviderID, e.AccountID, e.BookedOn, at,
			ledger.FormatDecimal(e.Amount, 2), e.Currency, e.Kind, e.Status, e.CounterpartyAccount, e.IdempotencyKey, e.MerchantReference, e.RemittanceText)
		fmt.Fprintf(&rows, "%s,%s,%s,%s,%s,%d,%s,%s,%s,%s,%s,%s,%s,1,%d\n", e.ID, e.ProviderID, e.AccountID, e.BookedOn, at,
			e.Amount, e.Currency, e.Kind, e.Status, e.CounterpartyAccount, e.IdempotencyKey, e.MerchantReference, e.RemittanceText, e.Line)
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	return generic.Bytes(), rows.Bytes()
}
