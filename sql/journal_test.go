package sql_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"agentrecon/ledger"
	"agentrecon/recon"
	"agentrecon/sql"
	"agentrecon/sql/sqltest"
)

// runAt makes and records one run.
func runAt(t *testing.T, db *sql.DB, asOf time.Time) (recon.RunInfo, *recon.Result) {
	t.Helper()
	info, result, err := tryRun(t, db, asOf, "")
	if err != nil {
		t.Fatal(err)
	}
	return info, result
}

func tryRun(t *testing.T, db *sql.DB, asOf time.Time, slot string) (recon.RunInfo, *recon.Result, error) {
	t.Helper()
	tx, err := db.BeginRun(t.Context())
	if err != nil {
		return recon.RunInfo{}, nil, err
	}
	defer tx.Rollback(t.Context())
	result, err := recon.Run(t.Context(), tx, recon.Request{AsOf: asOf, Policy: recon.DefaultPolicy()})
	if err != nil {
		return recon.RunInfo{}, nil, err
	}
	info, err := tx.Record(t.Context(), header(slot), result)
	if err != nil {
		return info, nil, err
	}
	return info, result, tx.Commit(t.Context())
}

// recordOn makes a run and records it, without committing.
func recordOn(t *testing.T, tx *sql.RunTx, asOf time.Time, slot string) {
	t.Helper()
	result, err := recon.Run(t.Context(), tx, recon.Request{AsOf: asOf, Policy: recon.DefaultPolicy()})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Record(t.Context(), header(slot), result); err != nil {
		t.Fatal(err)
	}
}

func header(slot string) recon.RunInfo {
	return recon.RunInfo{Slot: slot, RecordedAt: start.Add(48 * time.Hour), RecordedBy: "tester", Program: "test 1"}
}

// load imports a small world in which something of each kind is wrong.
func load(t *testing.T, db *sql.DB) {
	t.Helper()
	paid := entry("e1", -781200)
	paid.CounterpartyAccount, paid.MerchantReference, paid.IdempotencyKey = "DE89", "INV-1", "a1"
	stray := entry("e9", -5)
	stray.CounterpartyAccount = "XX"
	for _, file := range []imported{
		attempts("attempts", attempt("a1", 0), attempt("a2", time.Hour), attempt("a3", 2*time.Hour)),
		outcomes("outcomes", outcome("a1", recon.Succeeded, "p1", time.Minute), outcome("a3", recon.Interrupted, "", 3*time.Hour), outcome("x1", recon.Failed, "", 0)),
		entries("ledger", paid, stray),
	} {
		if _, err := file(t, db); err != nil {
			t.Fatal(err)
		}
	}
}

func verify(t *testing.T, db *sql.DB) sql.Verification {
	t.Helper()
	v, err := db.Verify(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestRunsAreRecordedAndChained(t *testing.T) {
	url := sqltest.NewURL(t)
	db := sqltest.Open(t, url)
	conn := sqltest.Connect(t, url)
	count := func(what string, want int) {
		t.Helper()
		var n int
		if err := conn.QueryRow(t.Context(), "SELECT count(*) FROM "+what).Scan(&n); err != nil || n != want {
			t.Errorf("%s: got %d, %v, want %d", what, n, err, want)
		}
	}
	load(t, db)
	asOf := after(30 * 24 * time.Hour)
	first, result := runAt(t, db, asOf)
	if first.ID != 1 || first.Previous != "" || first.Digest == "" {
		t.Errorf("first run: got %+v, want run 1 without a run before it", first)
	}
	count("unknown_marks WHERE mark = 'unknown'", 2)
	count("recon_findings WHERE event = 'opened'", len(result.Attempts)+len(result.Entries)+len(result.Outcomes))
	if len(result.Marks) != 2 || len(result.Outcomes) != 1 || len(result.Entries) == 0 {
		t.Fatalf("the world does not hold what this test is about: %d marks, %d outcomes, %d entries", len(result.Marks), len(result.Outcomes), len(result.Entries))
	}

	second, again := runAt(t, db, asOf)
	if second.Previous != first.Digest || second.EvidenceDigest != first.EvidenceDigest {
		t.Errorf("second run: got %+v, want it to follow the first with the same evidence", second)
	}
	count("recon_findings WHERE run_id = 2", 0)
	count("unknown_marks WHERE run_id = 2", 0)
	if len(again.Marks) != 0 {
		t.Errorf("marks of an unchanged second run: got %v, want none", again.Marks)
	}

	// The outcome comes at last, and the money has moved: the mark stays and is superseded, once.
	if _, err := outcomes("late", outcome("a2", recon.Failed, "", 5*time.Hour), outcome("a3", recon.Succeeded, "p3", 6*time.Hour))(t, db); err != nil {
		t.Fatal(err)
	}
	third, _ := runAt(t, db, asOf)
	count("unknown_marks WHERE run_id = 3 AND mark = 'superseded'", 2)
	count("recon_findings WHERE run_id = 3 AND event = 'changed'", 2)
	fourth, _ := runAt(t, db, asOf.Add(time.Hour))
	count("unknown_marks WHERE run_id = 4", 0)
	if third.EvidenceDigest == second.EvidenceDigest || fourth.ID != 4 {
		t.Errorf("third and fourth run: got %+v, %+v", third, fourth)
	}

	v := verify(t, db)
	if len(v.Problems) != 0 || v.Runs != 4 || v.Head != fourth.Digest {
		t.Errorf("verification: got %+v, want four runs without problems", v)
	}
	runs, err := db.Runs(t.Context(), 2)
	if err != nil || len(runs) != 2 {
		t.Fatalf("runs: got %d, %v, want 2", len(runs), err)
	}
	if diff := cmp.Diff(fourth, runs[0].RunInfo); diff != "" {
		t.Errorf("the last run as stored (-returned +stored):\n%s", diff)
	}
	if diff := cmp.Diff(recon.DefaultPolicy(), runs[0].Policy, cmp.Comparer(func(a, b *time.Location) bool { return a.String() == b.String() })); diff != "" {
		t.Errorf("policy as stored (-used +stored):\n%s", diff)
	}
	if _, err := db.RunByID(t.Context(), 9); !errors.Is(err, sql.ErrNotFound) {
		t.Errorf("run 9: got %v, want ErrNotFound", err)
	}
}

// TestClearedFindings lets a finding go away: what explains it is recorded, and so is that it is clean.
func TestClearedFindings(t *testing.T) {
	url := sqltest.NewURL(t)
	db := sqltest.Open(t, url)
	load(t, db)
	asOf := after(2 * time.Hour)
	runAt(t, db, asOf)
	paid := entry("e2", -781200)
	paid.CounterpartyAccount, paid.IdempotencyKey = "DE89", "a2"
	for _, file := range []imported{entries("more", paid), outcomes("more", outcome("a2", recon.Succeeded, "", 90*time.Minute))} {
		if _, err := file(t, db); err != nil {
			t.Fatal(err)
		}
	}
	runAt(t, db, asOf)
	var event string
	err := sqltest.Connect(t, url).QueryRow(t.Context(), "SELECT event FROM recon_findings WHERE run_id = 2 AND population = 'attempts' AND item = 'a2'").Scan(&event)
	if err != nil || event != "cleared" {
		t.Errorf("event of a2: got %q, %v, want cleared", event, err)
	}
	if v := verify(t, db); len(v.Problems) != 0 {
		t.Errorf("problems: %v", v.Problems)
	}
}

// TestAPastRunCanBeMadeAgain reads what an earlier run read, after everything has changed.
func TestAPastRunCanBeMadeAgain(t *testing.T) {
	db := sqltest.NewDB(t)
	load(t, db)
	asOf := after(30 * 24 * time.Hour)
	first, want := runAt(t, db, asOf)
	more := entry("e5", -781200)
	more.CounterpartyAccount, more.IdempotencyKey = "DE89", "a2"
	for _, file := range []imported{
		attempts("more", attempt("a4", 0), attempt("a1", time.Second)),
		outcomes("more", outcome("a2", recon.Succeeded, "p2", 4*time.Hour), outcome("a1", recon.Failed, "", 9*time.Hour)),
		entries("more", more),
	} {
		if _, err := file(t, db); err != nil {
			t.Fatal(err)
		}
	}
	runAt(t, db, asOf.Add(time.Hour))
	view, err := db.ViewAsOf(t.Context(), first.ID)
	if err != nil {
		t.Fatal(err)
	}
	defer view.Close(t.Context())
	got, err := recon.Run(t.Context(), view, recon.Request{AsOf: asOf, Policy: recon.DefaultPolicy()})
	if err != nil {
		t.Fatal(err)
	}
	functions := cmp.FilterPath(func(p cmp.Path) bool { return p.Last().Type().Kind() == reflect.Func }, cmp.Ignore())
	if diff := cmp.Diff(want, got, functions, cmp.Comparer(func(a, b *time.Location) bool { return a.String() == b.String() })); diff != "" {
		t.Errorf("the first run made again (-then +now):\n%s", diff)
	}
	if _, err := db.ViewAsOf(t.Context(), 77); !errors.Is(err, sql.ErrNotFound) {
		t.Errorf("view as of run 77: got %v, want ErrNotFound", err)
	}
}

func TestOneRunAtATime(t *testing.T) {
	url := sqltest.NewURL(t)
	db := sqltest.Open(t, url)
	load(t, db)
	tx, err := db.BeginRun(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.BeginRun(t.Context()); !errors.Is(err, sql.ErrLocked) {
		t.Errorf("second run: got %v, want ErrLocked", err)
	}
	// Hooks, imports and readers are not kept waiting, and the run does not see what they do.
	conn := sqltest.Connect(t, url)
	for _, statement := range hookStatements {
		if _, err := conn.Exec(t.Context(), "SET lock_timeout = '1s'; "+statement); err != nil {
			t.Errorf("hook during a run: %v", err)
		}
	}
	if _, err := attempts("during", attempt("a8", 0))(t, db); err != nil {
		t.Errorf("import during a run: %v", err)
	}
	rows := 0
	for _, err := range tx.AttemptRows(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		rows++
	}
	if rows != 3 {
		t.Errorf("attempts seen by the run: got %d, want the 3 of its snapshot", rows)
	}
	tx.Rollback(t.Context())
	next, err := db.BeginRun(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	next.Rollback(t.Context())
}

// TestALateCommitIsNewToTheNextRun has a hook whose transaction began before a run and committed after it.
func TestALateCommitIsNewToTheNextRun(t *testing.T) {
	url := sqltest.NewURL(t)
	db := sqltest.Open(t, url)
	load(t, db)
	slow, err := sqltest.Connect(t, url).Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := slow.Exec(t.Context(), hookStatements[0]); err != nil {
		t.Fatal(err)
	}
	asOf := after(30 * 24 * time.Hour)
	runAt(t, db, asOf)
	if err := slow.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	_, result := runAt(t, db, asOf)
	if result.Totals.Attempts.Count != 4 {
		t.Errorf("attempts of the second run: got %d, want 4", result.Totals.Attempts.Count)
	}
	if v := verify(t, db); len(v.Problems) != 0 {
		t.Errorf("problems: %v", v.Problems)
	}
}

func TestARunThatFailsLeavesNothing(t *testing.T) {
	url := sqltest.NewURL(t)
	db := sqltest.Open(t, url)
	load(t, db)
	tx, err := db.BeginRun(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	recordOn(t, tx, after(30*24*time.Hour), "")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := tx.Commit(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("commit with an ended context: got %v, want context.Canceled", err)
	}
	if runs, err := db.Runs(t.Context(), 0); err != nil || len(runs) != 0 {
		t.Errorf("runs: got %v, %v, want none", runs, err)
	}
	if info, _ := runAt(t, db, after(30*24*time.Hour)); info.ID != 1 {
		t.Errorf("id of the next run: got %d, want 1, without a gap", info.ID)
	}
}

func TestRunsThatAreNotRecorded(t *testing.T) {
	db := sqltest.NewDB(t)
	load(t, db)
	asOf := after(30 * 24 * time.Hour)
	if _, _, err := tryRun(t, db, asOf, "2025-04-01T02:30"); err != nil {
		t.Fatal(err)
	}
	if _, _, err := tryRun(t, db, asOf.Add(-time.Second), ""); !errors.Is(err, sql.ErrEarlierAsOf) {
		t.Errorf("an earlier as_of: got %v, want ErrEarlierAsOf", err)
	}
	if _, _, err := tryRun(t, db, asOf, "2025-04-01T02:30"); !errors.Is(err, sql.ErrSlotDone) {
		t.Errorf("the same slot: got %v, want ErrSlotDone", err)
	}
}

// TestVerifyFindsEveryEdit edits what only an owner can edit, by switching the triggers off.
func TestVerifyFindsEveryEdit(t *testing.T) {
	edits := []struct{ name, statement string }{
		{"attempt", "UPDATE transfer_attempts SET amount_cents = amount_cents + 1 WHERE attempt_id = 'a1'"},
		{"attempt removed", "DELETE FROM transfer_attempts WHERE attempt_id = 'a2'"},
		{"outcome version", "UPDATE transfer_outcome_history SET status = 'succeeded' WHERE attempt_id = 'a3'"},
		{"current outcome", "UPDATE transfer_outcomes SET versions = 9 WHERE attempt_id = 'a3'"},
		{"entry", "UPDATE ledger_entries SET counterparty_account = 'ZZ' WHERE entry_id = 'e1'"},
		{"entry slipped in", `INSERT INTO ledger_entries (entry_id, booked_on, amount, currency, kind, status, file_no, line, recorded_xid)
			SELECT 'e77', booked_on, amount, currency, kind, status, file_no, 99, recorded_xid FROM ledger_entries WHERE entry_id = 'e1'`},
		{"coverage", "UPDATE ledger_coverage SET covers_to = covers_to + 30"},
		{"finding", "UPDATE recon_findings SET class = 'matched' WHERE run_id = 1 AND item = 'a2' AND population = 'attempts'"},
		{"finding removed", "DELETE FROM recon_findings WHERE item = 'e9'"},
		{"mark", "UPDATE unknown_marks SET marked_at = marked_at - interval '1 day' WHERE attempt_id = 'a2'"},
		{"mark removed", "DELETE FROM unknown_marks WHERE attempt_id = 'a2'"},
		{"totals", "UPDATE recon_runs SET totals = '{}' WHERE run_id = 1"},
		{"policy", "UPDATE recon_runs SET policy = replace(policy::text, '24h', '48h')::json WHERE run_id = 2"},
		{"as_of", "UPDATE recon_runs SET as_of = as_of + interval '1 second' WHERE run_id = 2"},
		{"digest", "UPDATE recon_runs SET digest = previous WHERE run_id = 2"},
		{"first run removed", "DELETE FROM recon_runs WHERE run_id = 1"},
		{"decision", "UPDATE dispositions SET decision = 'under_investigation'"},
		{"owner of a decision", "UPDATE dispositions SET owner = 'nobody'"},
		{"due date of a decision", "UPDATE dispositions SET due_on = '2025-12-31'"},
		{"approval of a decision", "UPDATE dispositions SET approved_by = 'tom', approved_on = '2025-12-31'"},
	}
	for _, edit := range edits {
		t.Run(edit.name, func(t *testing.T) {
			url := sqltest.NewURL(t)
			db := sqltest.Open(t, url)
			load(t, db)
			runAt(t, db, after(30*24*time.Hour))
			decision := recon.Disposition{Population: recon.Attempts, Item: "a3", Decision: recon.Escalated, PreparedBy: "maria", DecidedAt: start}
			if _, err := db.AddDispositions(t.Context(), 1, []recon.Disposition{decision}); err != nil {
				t.Fatal(err)
			}
			runAt(t, db, after(31*24*time.Hour))
			if v := verify(t, db); len(v.Problems) != 0 {
				t.Fatalf("before the edit: %v", v.Problems)
			}
			conn := sqltest.Connect(t, url)
			var statements strings.Builder
			for _, table := range []string{
				"transfer_attempts", "transfer_outcomes", "transfer_outcome_history", "ledger_entries", "ledger_coverage", "recon_runs", "recon_findings", "recon_links", "unknown_marks",
				"dispositions",
			} {
				fmt.Fprintf(&statements, "ALTER TABLE %s DISABLE TRIGGER ALL; ", table)
			}
			if _, err := conn.Exec(t.Context(), statements.String()+edit.statement); err != nil {
				t.Fatal(err)
			}
			if v := verify(t, db); len(v.Problems) == 0 {
				t.Error("the edit was not found")
			}
		})
	}
}

func TestExportsAreKept(t *testing.T) {
	db := sqltest.NewDB(t)
	load(t, db)
	info, _ := runAt(t, db, after(30*24*time.Hour))
	want := sql.Export{
		RunID: info.ID, Path: "q1.xlsx", SHA256: strings.Repeat("ab", 32), Digest: info.Digest, Period: ledger.Quarter(2025, 1, nil),
		Issued: true, IssuedBy: "finance", IssuedAt: start,
	}
	if err := db.RecordExport(t.Context(), want); err != nil {
		t.Fatal(err)
	}
	got, err := db.Exports(t.Context(), want.SHA256)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]sql.Export{want}, got); diff != "" {
		t.Errorf("exports (-want +got):\n%s", diff)
	}
}
