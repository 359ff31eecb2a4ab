package sql_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"agentrecon/ledger"
	"agentrecon/recon"
	"agentrecon/sql"
	"agentrecon/sql/sqltest"
)

var start = time.Date(2025, 3, 1, 9, 0, 0, 0, time.UTC)

// after is a moment of the tests' day.
func after(d time.Duration) time.Time { return start.Add(d) }

// described is the description of a file whose bytes are named by a word.
func described(name string, rows int) ledger.SourceFile {
	sum := sha256.Sum256([]byte(name))
	return ledger.SourceFile{
		Name: name, SHA256: hex.EncodeToString(sum[:]), Format: "csv", Rows: int64(rows), ImportedAt: start, ImportedBy: "tester",
		Totals: []ledger.ControlTotal{{Currency: "EUR", Count: int64(rows), Minor: -7}}, Proof: ledger.Proof{State: ledger.ProofNone, Detail: "no balances"},
	}
}

// Rows of each kind become a file: lines count from 2, after a header.
func attemptFile(name string, rows ...recon.Attempt) sql.AttemptSource {
	return func(each func(*recon.Attempt, int) error) (ledger.SourceFile, error) {
		for n := range rows {
			if err := each(&rows[n], n+2); err != nil {
				return ledger.SourceFile{}, err
			}
		}
		return described(name, len(rows)), nil
	}
}

func outcomeFile(name string, rows ...recon.Outcome) sql.OutcomeSource {
	return func(each func(recon.Outcome, int) error) (ledger.SourceFile, error) {
		for n, row := range rows {
			if err := each(row, n+2); err != nil {
				return ledger.SourceFile{}, err
			}
		}
		return described(name, len(rows)), nil
	}
}

func entryFile(name string, rows ...ledger.Entry) sql.EntrySource {
	return func(each func(*ledger.Entry) error) (ledger.SourceFile, error) {
		for n := range rows {
			rows[n].Line = n + 2
			if err := each(&rows[n]); err != nil {
				return ledger.SourceFile{}, err
			}
		}
		file := described(name, len(rows))
		file.Coverage = []ledger.Coverage{{AccountID: "ACC", From: ledger.NewDate(2025, 3, 1), To: ledger.NewDate(2025, 4, 1)}}
		return file, nil
	}
}

func auditFile(name string, calls ...sql.AuditCall) sql.AuditSource {
	return func(each func(*sql.AuditCall) error) (ledger.SourceFile, error) {
		for n := range calls {
			calls[n].Line = n + 2
			if err := each(&calls[n]); err != nil {
				return ledger.SourceFile{}, err
			}
		}
		return described(name, len(calls)), nil
	}
}

func attempt(id string, at time.Duration) recon.Attempt {
	return recon.Attempt{
		ID: id, SessionID: "s1", Minor: 781200, Currency: "EUR", DestAccount: "DE89", Reference: "INV-1",
		IDSource: recon.IDToolUse, ProposedAt: after(at),
	}
}

func entry(id string, minor int64) ledger.Entry {
	return ledger.Entry{
		ID: id, AccountID: "ACC", BookedOn: ledger.NewDate(2025, 3, 2), Amount: minor, Currency: "EUR", Kind: ledger.KindPayment,
		Status: ledger.StatusBooked,
	}
}

// dump is every row of the tables that imports fill, without what differs by the moment of the import.
func dump(t *testing.T, url string) string {
	t.Helper()
	conn := sqltest.Connect(t, url)
	var b strings.Builder
	for _, q := range []string{
		"SELECT to_jsonb(x) - '{recorded_at,recorded_xid}'::text[] FROM transfer_attempts x ORDER BY attempt_id",
		"SELECT to_jsonb(x) FROM transfer_outcomes x ORDER BY attempt_id",
		"SELECT to_jsonb(x) - '{recorded_at,recorded_xid,version_no}'::text[] FROM transfer_outcome_history x ORDER BY attempt_id, observed_at, version_no",
		"SELECT to_jsonb(x) - '{recorded_at,recorded_xid,delivery_no}'::text[] FROM hook_deliveries x ORDER BY attempt_id, received_at",
		"SELECT to_jsonb(x) - '{recorded_at,recorded_xid}'::text[] FROM session_events x ORDER BY event_no",
		"SELECT to_jsonb(x) - '{recorded_xid,file_no}'::text[] FROM ledger_entries x ORDER BY entry_no",
	} {
		rows, err := conn.Query(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		for rows.Next() {
			fmt.Fprintf(&b, "%s\n", rows.RawValues()[0])
		}
		if rows.Err() != nil {
			t.Fatal(rows.Err())
		}
	}
	return b.String()
}

// importer imports one file and checks that the counts are as wanted: new rows, deliveries, attached.
type imported func(t *testing.T, db *sql.DB) (sql.ImportResult, error)

func attempts(name string, rows ...recon.Attempt) imported {
	return func(t *testing.T, db *sql.DB) (sql.ImportResult, error) {
		return db.ImportAttempts(t.Context(), attemptFile(name, rows...), sql.ImportOptions{})
	}
}

func outcomes(name string, rows ...recon.Outcome) imported {
	return func(t *testing.T, db *sql.DB) (sql.ImportResult, error) {
		return db.ImportOutcomes(t.Context(), outcomeFile(name, rows...), sql.ImportOptions{})
	}
}

func entries(name string, rows ...ledger.Entry) imported {
	return func(t *testing.T, db *sql.DB) (sql.ImportResult, error) {
		return db.ImportEntries(t.Context(), entryFile(name, rows...), sql.ImportOptions{})
	}
}

func audit(name string, calls ...sql.AuditCall) imported {
	return func(t *testing.T, db *sql.DB) (sql.ImportResult, error) {
		return db.ImportAudit(t.Context(), auditFile(name, calls...), sql.ImportOptions{})
	}
}

func call(id string, seconds ...int) sql.AuditCall {
	c := sql.AuditCall{Attempt: attempt(id, time.Duration(seconds[0])*time.Second)}
	c.Attempt.IDSource = recon.IDLegacyWindow
	for _, s := range seconds {
		c.Firings = append(c.Firings, after(time.Duration(s)*time.Second))
	}
	return c
}

func outcome(id string, status recon.OutcomeStatus, ref string, at time.Duration) recon.Outcome {
	return recon.Outcome{AttemptID: id, Status: status, ProviderRef: ref, ObservedAt: after(at)}
}

// TestImport imports files one after the other. What each leaves behind is counted; then every file is imported again
// under another name, which must change nothing.
func TestImport(t *testing.T) {
	type counts struct{ New, Deliveries, Attached int64 }
	tests := []struct {
		name  string
		files []imported
		want  []counts
		rows  map[string]int // afterwards, by table
	}{
		{
			name:  "attempts without repeats have no delivery rows",
			files: []imported{attempts("a", attempt("a1", 0), attempt("a2", 0))},
			want:  []counts{{New: 2}},
			rows:  map[string]int{"transfer_attempts": 2, "hook_deliveries": 0},
		},
		{
			name:  "a second firing in the same file gives the first a row too",
			files: []imported{attempts("a", attempt("a1", 0), attempt("a1", 5*time.Second), attempt("a2", 0))},
			want:  []counts{{New: 2, Deliveries: 2}},
			rows:  map[string]int{"transfer_attempts": 2, "hook_deliveries": 2},
		},
		{
			name:  "a second firing in a later file",
			files: []imported{attempts("a", attempt("a1", 0)), attempts("b", attempt("a1", time.Second)), attempts("c", attempt("a1", 2*time.Second))},
			want:  []counts{{New: 1}, {Deliveries: 2}, {Deliveries: 1}},
			rows:  map[string]int{"transfer_attempts": 1, "hook_deliveries": 3},
		},
		{
			name:  "two firings at one moment are two",
			files: []imported{attempts("a", attempt("a1", 0), attempt("a1", 0))},
			want:  []counts{{New: 1, Deliveries: 2}},
			rows:  map[string]int{"hook_deliveries": 2},
		},
		{
			name: "outcomes: the latest is current, each moment is a version",
			files: []imported{
				outcomes("a", outcome("a1", recon.Succeeded, "p1", 2*time.Hour), outcome("a1", recon.Interrupted, "", time.Hour)),
				outcomes("b", outcome("a1", recon.Failed, "", 3*time.Hour), outcome("a1", recon.TimedOut, "", 0), outcome("a2", recon.Failed, "", 0)),
				outcomes("c", outcome("a1", recon.Unknown, "", 90*time.Minute)),
			},
			want: []counts{{New: 2}, {New: 3}, {New: 1}},
			rows: map[string]int{"transfer_outcomes": 2, "transfer_outcome_history": 6, "transfer_outcomes WHERE status = 'failed'": 2, "transfer_outcomes WHERE versions = 5": 1},
		},
		{
			name:  "ledger entries by id",
			files: []imported{entries("a", entry("e1", -781200), entry("e2", -1)), entries("b", entry("e2", -1), entry("e3", -2))},
			want:  []counts{{New: 2}, {New: 1}},
			rows:  map[string]int{"ledger_entries": 3, "ledger_coverage": 4, "ledger_files": 4},
		},
		{
			name:  "an entry twice in one file",
			files: []imported{entries("a", entry("e1", -1), entry("e1", -1))},
			want:  []counts{{New: 1}},
			rows:  map[string]int{"ledger_entries": 1},
		},
		{
			name:  "audit calls become attempts, later firings deliveries",
			files: []imported{audit("a", call("legacy-1", 0, 5, 9), call("legacy-2", 500))},
			want:  []counts{{New: 2, Deliveries: 3}},
			rows:  map[string]int{"transfer_attempts": 2, "hook_deliveries": 3},
		},
		{
			name:  "an audit call is a recorded attempt's",
			files: []imported{attempts("a", attempt("a1", 0)), audit("b", call("legacy-1", 1, 31))},
			want:  []counts{{New: 1}, {Deliveries: 2, Attached: 1}},
			rows:  map[string]int{"transfer_attempts": 1, "hook_deliveries": 2},
		},
		{
			name:  "an audit call too far from the attempt is another call",
			files: []imported{attempts("a", attempt("a1", 0)), audit("b", call("legacy-1", 61))},
			want:  []counts{{New: 1}, {New: 1}},
			rows:  map[string]int{"transfer_attempts": 2},
		},
		{
			name:  "two attempts fit an audit call: neither is it",
			files: []imported{attempts("a", attempt("a1", 0), attempt("a2", 10*time.Second)), audit("b", call("legacy-1", 5))},
			want:  []counts{{New: 2}, {New: 1}},
			rows:  map[string]int{"transfer_attempts": 3},
		},
		{
			name:  "two audit calls fit an attempt: it is neither",
			files: []imported{attempts("a", attempt("a1", 0)), audit("b", call("legacy-1", -40), call("legacy-2", 40))},
			want:  []counts{{New: 1}, {New: 2}},
			rows:  map[string]int{"transfer_attempts": 3},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			url := sqltest.NewURL(t)
			db := sqltest.Open(t, url)
			var got []counts
			for _, file := range test.files {
				result, err := file(t, db)
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, counts{result.File.New, result.Deliveries, result.Attached})
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("counts (-want +got):\n%s", diff)
			}
			once := dump(t, url)
			for _, file := range test.files {
				result, err := file(t, db)
				if err != nil {
					t.Fatal(err)
				}
				if !result.Known || result.File.New != 0 {
					t.Errorf("the same file again: got %+v, want known and nothing new", result)
				}
			}
			renamed := sqltest.Connect(t, url)
			for _, statement := range []string{
				"ALTER TABLE ledger_files DISABLE TRIGGER append_only",
				"UPDATE ledger_files SET sha256 = md5(sha256) || md5(name)",
			} {
				if _, err := renamed.Exec(t.Context(), statement); err != nil {
					t.Fatal(err)
				}
			}
			for _, file := range test.files {
				result, err := file(t, db)
				if err != nil {
					t.Fatal(err)
				}
				if result.Known || result.File.New != 0 || result.Deliveries != 0 {
					t.Errorf("the same rows in another file: got %d new, %d deliveries, want none", result.File.New, result.Deliveries)
				}
			}
			if diff := cmp.Diff(once, dump(t, url)); diff != "" {
				t.Errorf("importing the same rows again changed (-once +again):\n%s", diff)
			}
			for table, want := range test.rows {
				var n int
				if err := renamed.QueryRow(t.Context(), "SELECT count(*) FROM "+table).Scan(&n); err != nil || n != want {
					t.Errorf("rows of %s: got %d, %v, want %d", table, n, err, want)
				}
			}
		})
	}
}

// report 33 (actualbudget/actual#608): TestImportRefusesContradictions.
func TestImportRefusesContradictions(t *testing.T) {
	other := attempt("a1", 0)
	other.Minor = 781300
	elsewhere := entry("e1", -781200)
	elsewhere.CounterpartyAccount = "FR76"
	there := entry("e1", -781250)
	there.CounterpartyAccount = "FR14"
	tests := []struct {
		name   string
		before []imported
		file   imported
		want   string
	}{
		{
			"attempt",
			[]imported{attempts("a", attempt("a1", 0))},
			attempts("b.csv", attempt("a2", 0), other),
			"b.csv: 1 bad row, nothing imported\n" + `  b.csv:3: amount_cents "781300": attempt a1 has "781200" recorded before; nothing that was recorded is changed`,
		},
		{
			"attempt in one file", nil, attempts("b.csv", attempt("a1", 0), attempt("a2", 0), func() recon.Attempt {
				a := attempt("a1", time.Second)
				a.DestAccount = "FR76"
				return a
			}()),
			"b.csv: 1 bad row, nothing imported\n" + `  b.csv:4: dest_account "FR76": attempt a1 has "DE89" in line 2; nothing that was recorded is changed`,
		},
		{
			"outcome",
			[]imported{outcomes("a", outcome("a1", recon.Succeeded, "p1", 0))},
			outcomes("b.csv", outcome("a1", recon.Succeeded, "p2", 0), outcome("a1", recon.Failed, "", 0)),
			"b.csv: 3 bad rows, nothing imported\n" + `  b.csv:2: provider_ref "p2": outcome of attempt a1 has "p1" recorded before; nothing that was recorded is changed`,
		},
		{
			"entry",
			[]imported{entries("a", elsewhere)},
			entries("b.csv", there),
			"b.csv: 1 bad row, nothing imported\n" + `  b.csv:2: amount "-7812.50": entry e1 has "-7812.00" recorded before; nothing that was recorded is changed`,
		},
		{
			"entry in one file", nil, entries("b.csv", entry("e1", -1), entry("e1", -2)),
			"b.csv: 1 bad row, nothing imported\n" + `  b.csv:3: amount "-0.02": entry e1 has "-0.01" in line 2; nothing that was recorded is changed`,
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			url := sqltest.NewURL(t)
			db := sqltest.Open(t, url)
			for _, file := range test.before {
				if _, err := file(t, db); err != nil {
					t.Fatal(err)
				}
			}
			before := dump(t, url)
			_, err := test.file(t, db)
			var bad *ledger.BadRows
			if !errors.As(err, &bad) {
				t.Fatalf("got %v, want BadRows", err)
			}
			if got := bad.Error(); !strings.HasPrefix(got, test.want) {
				t.Errorf("got:\n%s\nwant:\n%s", got, test.want)
			}
			if diff := cmp.Diff(before, dump(t, url)); diff != "" {
				t.Errorf("the refused file changed (-before +after):\n%s", diff)
			}
		})
	}
}

func TestImportTakesNothingOfAFileThatFails(t *testing.T) {
	broken := fmt.Errorf("line 4 is torn: %w", syscall.EIO) // no error of the database's, though it looks like one of a network
	long := errors.New(strings.Repeat("a bad row; ", 10_000))
	cancelled, cancel := context.WithCancel(t.Context())
	nul := attempt("a2", 0)
	nul.Reference = "a\x00b"
	tests := []struct {
		name   string
		ctx    context.Context
		source sql.AttemptSource
		want   error
	}{
		{"the reader fails", t.Context(), func(each func(*recon.Attempt, int) error) (ledger.SourceFile, error) {
			a := attempt("a1", 0)
			return ledger.SourceFile{}, errors.Join(each(&a, 2), broken)
		}, broken},
		{"the reader fails at great length", t.Context(), func(each func(*recon.Attempt, int) error) (ledger.SourceFile, error) {
			a := attempt("a1", 0)
			return ledger.SourceFile{}, errors.Join(each(&a, 2), long)
		}, long},
		{"the caller gives up", cancelled, func(each func(*recon.Attempt, int) error) (ledger.SourceFile, error) {
			a := attempt("a1", 0)
			err := each(&a, 2)
			cancel()
			for err == nil {
				err = each(&a, 3)
			}
			return ledger.SourceFile{}, err
		}, context.Canceled},
		{"a text cannot be stored", t.Context(), attemptFile("x", attempt("a1", 0), nul), nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			url := sqltest.NewURL(t)
			db := sqltest.Open(t, url)
			_, err := db.ImportAttempts(test.ctx, test.source, sql.ImportOptions{})
			if err == nil || (test.want != nil && !errors.Is(err, test.want)) {
				t.Errorf("got %v, want %v", err, test.want)
			}
			if errors.Is(err, sql.ErrUnavailable) {
				t.Errorf("got %v, which blames the database", err)
			}
			if got := dump(t, url); got != "" {
				t.Errorf("left behind:\n%s", got)
			}
			// The database is as good as before.
			if result, err := db.ImportAttempts(t.Context(), attemptFile("y", attempt("a1", 0)), sql.ImportOptions{}); err != nil || result.File.New != 1 {
				t.Errorf("next import: got %+v, %v, want one new row", result, err)
			}
		})
	}
}

func TestDryRunChangesNothing(t *testing.T) {
	url := sqltest.NewURL(t)
	db := sqltest.Open(t, url)
	result, err := db.ImportEntries(t.Context(), entryFile("a", entry("e1", -1)), sql.ImportOptions{DryRun: true})
	if err != nil || result.File.New != 1 {
		t.Errorf("got %+v, %v, want one new row", result, err)
	}
	if got := dump(t, url); got != "" {
		t.Errorf("left behind:\n%s", got)
	}
}

func TestFilesAreKeptAsDescribed(t *testing.T) {
	db := sqltest.NewDB(t)
	want := described("stmt.xml", 1)
	want.Population, want.Format, want.Profile, want.Accounts, want.New = "ledger", "camt.053", "iso20022/8", []string{"ACC"}, 1
	want.Expected = []ledger.ControlTotal{{Currency: "EUR", Count: 1, Minor: -100}}
	want.Proof = ledger.Proof{State: ledger.ProofFailed, Detail: "difference 1"}
	want.Statements = []ledger.Statement{{AccountID: "ACC", ID: "S1", Currency: "EUR", Opening: ledger.Balance{Amount: ledger.Some(5), On: 9}, Proof: want.Proof}}
	want.Coverage = []ledger.Coverage{
		{From: ledger.NewDate(2025, 3, 1), To: ledger.NewDate(2025, 3, 2), Inferred: true, File: "stmt.xml"},
		{AccountID: "ACC", From: ledger.NewDate(2025, 1, 1), To: ledger.NewDate(2025, 4, 1), File: "stmt.xml"},
	}
	source := func(each func(*ledger.Entry) error) (ledger.SourceFile, error) {
		e := entry("e1", -100)
		return want, each(&e)
	}
	if _, err := db.ImportEntries(t.Context(), source, sql.ImportOptions{AcceptFailedProof: "bank confirmed by phone"}); err != nil {
		t.Fatal(err)
	}
	view, err := db.View(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer view.Close(t.Context())
	files, err := view.Sources(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]ledger.SourceFile{want}, files); diff != "" {
		t.Errorf("sources (-want +got):\n%s", diff)
	}
	coverage, err := view.Coverage(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want.Coverage, coverage); diff != "" {
		t.Errorf("coverage (-want +got):\n%s", diff)
	}
}

// A file of which some entries are known keeps its own balances, totals and proof: they are those of the file, not of
// what was new in it.
//
// report 29 (OCA/bank-statement-import#59): TestAFileProvesItselfWhateverIsKnownOfIt.
func TestAFileProvesItselfWhateverIsKnownOfIt(t *testing.T) {
	db := sqltest.NewDB(t)
	proven := ledger.Proof{State: ledger.ProofOK, Detail: "opening + entries = closing"}
	statement := func(name string, opening, closing int64, rows ...ledger.Entry) (ledger.SourceFile, sql.EntrySource) {
		want := described(name, len(rows))
		want.Population, want.Proof = "ledger", proven
		want.Statements = []ledger.Statement{{
			AccountID: "ACC", ID: name, Currency: "EUR", Proof: proven,
			Opening: ledger.Balance{Amount: ledger.Some(opening), On: 9}, Closing: ledger.Balance{Amount: ledger.Some(closing), On: 10},
		}}
		return want, func(each func(*ledger.Entry) error) (ledger.SourceFile, error) {
			for n := range rows {
				if err := each(&rows[n]); err != nil {
					return ledger.SourceFile{}, err
				}
			}
			return want, nil
		}
	}
	first, early := statement("early.xml", 1000, 970, entry("e1", -10), entry("e2", -20))
	second, late := statement("late.xml", 990, 940, entry("e2", -20), entry("e3", -30))
	first.New, second.New = 2, 1
	for _, source := range []sql.EntrySource{early, late} {
		if _, err := db.ImportEntries(t.Context(), source, sql.ImportOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	view, err := db.View(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer view.Close(t.Context())
	files, err := view.Sources(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]ledger.SourceFile{first, second}, files); diff != "" {
		t.Errorf("sources (-want +got):\n%s", diff)
	}
}

func TestSessionsImport(t *testing.T) {
	db := sqltest.NewDB(t)
	events := []recon.SessionEvent{
		{SessionID: "s2", Event: recon.SessionEnded, At: after(time.Minute)},
		{SessionID: "s1", Event: recon.SessionStarted, At: start},
		{SessionID: "s1", Event: recon.SessionInterrupted, At: after(time.Hour)},
	}
	for n, name := range []string{"a", "b"} {
		result, err := db.ImportSessions(t.Context(), func(each func(recon.SessionEvent, int) error) (ledger.SourceFile, error) {
			for line, e := range events {
				if err := each(e, line+2); err != nil {
					return ledger.SourceFile{}, err
				}
			}
			return described(name, len(events)), nil
		}, sql.ImportOptions{})
		if want := int64(3 - 3*n); err != nil || result.File.New != want {
			t.Fatalf("file %s: got %+v, %v, want %d new", name, result, err, want)
		}
	}
	view, err := db.View(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer view.Close(t.Context())
	got, err := view.Sessions(t.Context(), []string{"s2", "s1", "s0"})
	if err != nil {
		t.Fatal(err)
	}
	want := []recon.Session{{ID: "s1", Events: slices.Clone(events[1:])}, {ID: "s2", Events: events[:1]}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("sessions (-want +got):\n%s", diff)
	}
}

// TestLargeImport is large enough to build indexes afterwards; they must all be there again.
func TestLargeImport(t *testing.T) {
	const many = 60_000
	url := sqltest.NewURL(t)
	db := sqltest.Open(t, url)
	conn := sqltest.Connect(t, url)
	indexes := func() (list string) {
		t.Helper()
		err := conn.QueryRow(t.Context(), "SELECT string_agg(indexdef, E'\n' ORDER BY indexname) FROM pg_indexes WHERE schemaname = 'public'").Scan(&list)
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	before := indexes()
	if result, err := db.ImportAttempts(t.Context(), benchAttempts(many), sql.ImportOptions{}); err != nil || result.File.New != many {
		t.Fatalf("attempts: got %d new, %v, want %d", result.File.New, err, many)
	}
	if result, err := db.ImportOutcomes(t.Context(), benchOutcomes(many), sql.ImportOptions{}); err != nil || result.File.New != many {
		t.Fatalf("outcomes: got %d new, %v, want %d", result.File.New, err, many)
	}
	if result, err := db.ImportEntries(t.Context(), benchEntries(many), sql.ImportOptions{}); err != nil || result.File.New != many {
		t.Fatalf("entries: got %d new, %v, want %d", result.File.New, err, many)
	}
	if diff := cmp.Diff(before, indexes()); diff != "" {
		t.Errorf("indexes (-before +after):\n%s", diff)
	}
	if v := verify(t, db); len(v.Problems) != 0 {
		t.Errorf("problems: %v", v.Problems)
	}
}

// TestImportStraight imports files into an empty ledger by either way: staged, and straight into the table. Both leave the
// same rows and say the same.
func TestImportStraight(t *testing.T) {
	// A text that is given in one row and left open in the other contradicts nothing.
	texted := entry("e2", -2)
	texted.RemittanceText = "rent"
	many := make([]ledger.Entry, 0, 3000)
	for n := range cap(many) {
		many = append(many, entry(fmt.Sprint("m", n%2900), -int64(n%2900)-1))
	}
	tests := []struct {
		name string
		rows []ledger.Entry
	}{
		{"each id once", []ledger.Entry{entry("e1", -1), entry("e2", -2)}},
		{"ids again", []ledger.Entry{entry("e1", -1), entry("e2", -2), entry("e1", -1), texted, entry("e1", -1), entry("e3", -3)}},
		{"many", many},
		{"nothing", nil},
		{"a contradiction", []ledger.Entry{entry("e1", -1), entry("e2", -2), entry("e1", -7)}},
		{"a text that cannot be stored", []ledger.Entry{entry("e1", -1), entry("e\x00", -2)}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var dumps, said []string
			for _, bytes := range []int64{0, 1 << 30} {
				url := sqltest.NewURL(t)
				db := sqltest.Open(t, url)
				dry, dryErr := db.ImportEntries(t.Context(), entryFile("f", test.rows...), sql.ImportOptions{Bytes: bytes, DryRun: true})
				if left := dump(t, url); left != "" {
					t.Errorf("a dry run leaves:\n%s", left)
				}
				result, err := db.ImportEntries(t.Context(), entryFile("f", test.rows...), sql.ImportOptions{Bytes: bytes})
				if fmt.Sprint(dry.File.New, dryErr) != fmt.Sprint(result.File.New, err) {
					t.Errorf("dry: %d new, %v; then %d new, %v", dry.File.New, dryErr, result.File.New, err)
				}
				again, _ := db.ImportEntries(t.Context(), entryFile("g", test.rows...), sql.ImportOptions{Bytes: bytes})
				said = append(said, fmt.Sprint(result.File.New, again.File.New, err, indexes(t, url)))
				dumps = append(dumps, dump(t, url))
			}
			if diff := cmp.Diff(said[0], said[1]); diff != "" {
				t.Errorf("result (-staged +straight):\n%s", diff)
			}
			if diff := cmp.Diff(dumps[0], dumps[1]); diff != "" {
				t.Errorf("rows (-staged +straight):\n%s", diff)
			}
		})
	}
}

// A ledger that somebody else reads at this moment is not taken for the import alone.
func TestImportStraightWaitsForNobody(t *testing.T) {
	url := sqltest.NewURL(t)
	db, other := sqltest.Open(t, url), sqltest.Connect(t, url)
	tx, err := other.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback(t.Context()) }()
	if _, err := tx.Exec(t.Context(), "SELECT count(*) FROM ledger_entries"); err != nil {
		t.Fatal(err)
	}
	result, err := db.ImportEntries(t.Context(), entryFile("f", entry("e1", -1)), sql.ImportOptions{Bytes: 1 << 30})
	if err != nil || result.File.New != 1 {
		t.Errorf("got %d new, %v", result.File.New, err)
	}
}

// indexes are the definitions of the ledger's indexes.
func indexes(t *testing.T, url string) (list string) {
	t.Helper()
	err := sqltest.Connect(t, url).QueryRow(t.Context(), "SELECT string_agg(indexdef, E'\n' ORDER BY indexdef) FROM pg_indexes WHERE tablename = 'ledger_entries'").Scan(&list)
	if err != nil {
		t.Fatal(err)
	}
	return list
}
