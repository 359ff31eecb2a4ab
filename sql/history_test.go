package sql_test

import (
	"bytes"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"agentrecon/ledger"
	"agentrecon/recon"
	"agentrecon/sql"
	"agentrecon/sql/sqltest"
)

// historyOf repeats a recorded run and reads what its report shows beside the evidence.
func historyOf(t *testing.T, db *sql.DB, id, baseline int64) (sql.History, error) {
	t.Helper()
	run, err := db.RunByID(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	view, err := db.ViewAsOf(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	defer view.Close(t.Context())
	result, err := recon.Run(t.Context(), view, recon.Request{AsOf: run.AsOf, Policy: run.Policy})
	if err != nil {
		t.Fatal(err)
	}
	return view.History(t.Context(), run.RunInfo, result, baseline)
}

func mustHistory(t *testing.T, db *sql.DB, id, baseline int64) sql.History {
	t.Helper()
	h, err := historyOf(t, db, id, baseline)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// The history of a run says what changed since the last and the last issued run, and never changes afterwards.
func TestHistoryOfARun(t *testing.T) {
	db := sqltest.Open(t, sqltest.NewURL(t))
	load(t, db)
	asOf := after(30 * 24 * time.Hour)
	first, _ := runAt(t, db, asOf)
	h := mustHistory(t, db, 1, 0)
	if len(h.Baselines) != 2 || h.Baselines[0].None == "" || h.Baselines[1].None == "" {
		t.Errorf("first run: got baselines %+v, want none, and why", h.Baselines)
	}
	issue := func(id int64, at time.Time) {
		t.Helper()
		sum := "0000000000000000000000000000000000000000000000000000000000000000"
		if err := db.RecordExport(t.Context(), sql.Export{RunID: id, Path: "q1.xlsx", SHA256: sum, Digest: sum, Issued: true, IssuedBy: "maria", IssuedAt: at}); err != nil {
			t.Fatal(err)
		}
	}
	issue(first.ID, start)
	if _, err := outcomes("late", outcome("a3", recon.Succeeded, "p3", 6*time.Hour))(t, db); err != nil {
		t.Fatal(err)
	}
	runAt(t, db, asOf)
	runAt(t, db, asOf)
	h = mustHistory(t, db, 3, 0)
	if got := h.Baselines[0]; got.Run.ID != 2 || len(got.Changes) != 0 {
		t.Errorf("against the last run: got run %d with changes %+v, want run 2 with none", got.Run.ID, got.Changes)
	}
	issued := h.Baselines[1]
	want := []recon.Change{{
		Kind: recon.ChangeReclassified, Population: recon.Attempts, Item: "a3", From: recon.UnknownNotSettled, To: recon.MissingInLedger,
		Minor: 781200, Currency: "EUR", Cause: "late outcome: succeeded",
	}}
	if diff := cmp.Diff(want, issued.Changes); diff != "" || issued.Run.ID != 1 || issued.IssuedBy != "maria" {
		t.Errorf("against the issued run %d of %q (-want +got):\n%s", issued.Run.ID, issued.IssuedBy, diff)
	}

	// What was open run by run, and what decided otherwise since.
	if len(h.Trend) != 3 || h.Trend[0].RunID != 1 || len(h.RuleChanges) != 0 {
		t.Errorf("got trend %+v and rule changes %+v, want three runs, the oldest first, and no change", h.Trend, h.RuleChanges)
	}
	open := func(n int, kind recon.Kind) int64 {
		for _, k := range h.Trend[n].Open {
			if k.Kind == kind {
				return k.Count
			}
		}
		return -1
	}
	if open(0, recon.Unresolved)-open(2, recon.Unresolved) != 1 || open(2, recon.Mismatch)-open(0, recon.Mismatch) != 1 {
		t.Errorf("got trend %+v, want one item moved from unresolved to mismatch", h.Trend)
	}

	// What is issued or decided later is not part of an earlier run's report.
	issue(2, after(1000*24*time.Hour))
	if diff := cmp.Diff(h, mustHistory(t, db, 3, 0)); diff != "" {
		t.Errorf("the history of a past run changed (-before +after):\n%s", diff)
	}
	if got := mustHistory(t, db, 3, 2).Baselines[1]; got.Run.ID != 2 || got.Against != "run 2, as asked" {
		t.Errorf("asked for run 2: got %+v", got)
	}
	if _, err := historyOf(t, db, 3, 3); !errors.Is(err, sql.ErrNotFound) {
		t.Errorf("asked for the run itself: got %v, want ErrNotFound", err)
	}
}

// Decisions are kept, shown by the runs after them, and reopened when the evidence changes; never is one changed.
func TestDispositionsStandUntilTheEvidenceChanges(t *testing.T) {
	db := sqltest.Open(t, sqltest.NewURL(t))
	load(t, db)
	asOf := after(30 * 24 * time.Hour)
	runAt(t, db, asOf)
	decision := recon.Disposition{
		Population: recon.Attempts, Item: "a3", Decision: recon.WrittenOff, Note: "too old", PreparedBy: "maria", ApprovedBy: "tom",
		DecidedAt: start, EvidenceRef: "mail 7",
	}
	for n, want := range []int{1, 0} {
		if added, err := db.AddDispositions(t.Context(), 1, []recon.Disposition{decision}); err != nil || added != want {
			t.Fatalf("recorded %d times before: got %d new, %v, want %d", n, added, err, want)
		}
	}
	if got := mustHistory(t, db, 1, 0).Dispositions; len(got) != 0 {
		t.Errorf("the run before the decision: got %+v, want none of it", got)
	}
	runAt(t, db, asOf)
	got := mustHistory(t, db, 2, 0).Dispositions
	if len(got) != 1 || got[0].Reopened || !got[0].Approved() || got[0].Class == "" || got[0].Note != "too old" {
		t.Fatalf("the run after it: got %+v, want it standing and approved", got)
	}
	if _, err := outcomes("late", outcome("a3", recon.Succeeded, "p3", 6*time.Hour))(t, db); err != nil {
		t.Fatal(err)
	}
	runAt(t, db, asOf)
	if got := mustHistory(t, db, 3, 0).Dispositions; len(got) != 1 || !got[0].Reopened || got[0].Approved() {
		t.Errorf("after a late outcome: got %+v, want it reopened", got)
	}
	if v := verify(t, db); len(v.Problems) > 0 {
		t.Errorf("got problems %v, want a chain that verifies", v.Problems)
	}
	unknown, self := decision, decision
	unknown.Item, self.ApprovedBy = "nobody", self.PreparedBy
	if _, err := db.AddDispositions(t.Context(), 3, []recon.Disposition{unknown}); !errors.Is(err, sql.ErrUnknownItem) {
		t.Errorf("an unknown item: got %v, want ErrUnknownItem", err)
	}
	if _, err := db.AddDispositions(t.Context(), 3, []recon.Disposition{self}); err == nil {
		t.Error("a write-off approved by its preparer was recorded")
	}
	if all, err := db.Dispositions(t.Context()); err != nil || len(all) != 1 {
		t.Errorf("got %d decisions, %v, want the one", len(all), err)
	}
}

// A decision that closes its item waits for its approver, with an owner and a due date; each is shown by the runs after it and
// by the state, and none stands once the evidence is another.
func TestDispositionsAwaitApproval(t *testing.T) {
	db := sqltest.Open(t, sqltest.NewURL(t))
	load(t, db)
	asOf := after(30 * 24 * time.Hour)
	runAt(t, db, asOf)
	day := ledger.DateOf(start, time.UTC)
	decision := recon.Disposition{
		Population: recon.Attempts, Item: "a3", Decision: recon.WrittenOff, Note: "too old", PreparedBy: "maria", DecidedAt: start, Owner: "olga", Due: day.AddDays(7),
	}
	approved := decision
	approved.ApprovedBy, approved.ApprovedOn = "tom", day.AddDays(8)
	type state struct {
		Stands                      int
		Awaits, Approved, Overdue   bool
		Owner, Due, By, ApprovedDay string
	}
	stateOf := func(all []recon.Disposition) (s state) {
		if s.Stands = len(all); len(all) != 1 || all[0].Reopened {
			return state{}
		}
		d := &all[0]
		return state{
			1, d.AwaitsApproval(), d.Approved(), d.Overdue(ledger.DateOf(asOf, time.UTC)), d.Owner, d.Due.String(), d.ApprovedBy, d.ApprovedOn.String(),
		}
	}
	for n, step := range []struct {
		decision recon.Disposition
		want     state
	}{
		{decision, state{1, true, false, true, "olga", "2025-03-08", "", ""}},
		{approved, state{1, false, true, false, "olga", "2025-03-08", "tom", "2025-03-09"}},
	} {
		if added, err := db.AddDispositions(t.Context(), 1, []recon.Disposition{step.decision}); err != nil || added != 1 {
			t.Fatalf("step %d: got %d new, %v, want 1", n, added, err)
		}
		status, err := db.Status(t.Context(), 1)
		if err != nil {
			t.Fatal(err)
		}
		if got := stateOf(status.Dispositions); got != step.want {
			t.Errorf("step %d: status says %+v, want %+v", n, got, step.want)
		}
		info, _ := runAt(t, db, asOf)
		if got := stateOf(mustHistory(t, db, info.ID, 0).Dispositions); got != step.want {
			t.Errorf("step %d: the run after it says %+v, want %+v", n, got, step.want)
		}
	}
	if _, err := outcomes("late", outcome("a3", recon.Succeeded, "p3", 6*time.Hour))(t, db); err != nil {
		t.Fatal(err)
	}
	runAt(t, db, asOf)
	if status, err := db.Status(t.Context(), 1); err != nil || len(status.Dispositions) != 0 {
		t.Errorf("after a late outcome: got %+v, %v, want none that stands", status.Dispositions, err)
	}
	if v := verify(t, db); len(v.Problems) > 0 {
		t.Errorf("got problems %v, want a chain that verifies", v.Problems)
	}
}

// Rows without what migration 0010 added read, byte for byte, as they did when runs before it digested them.
func TestDispositionsReadAsBeforeTheirOwners(t *testing.T) {
	conn := sqltest.Connect(t, sqltest.NewURL(t))
	const insert = `INSERT INTO dispositions (population, item, decision, note, class, content, prepared_by, approved_by, decided_at, owner, due_on, approved_on)
		VALUES ('attempts', $1, 'written_off', 'n', 'c', 'c', 'maria', $2, '2025-03-01', $3, $4, $5)`
	before := `SELECT t.disposition_no, t.population, t.item, t.decision, t.note, t.evidence_ref, t.class, t.content, t.prepared_by, t.approved_by,
		t.decided_at, t.recorded_at FROM dispositions t ORDER BY t.disposition_no`
	read := func(text string) string {
		var b bytes.Buffer
		if _, err := conn.PgConn().CopyTo(t.Context(), &b, "COPY ("+text+") TO STDOUT (FORMAT binary)"); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	add := func(item string, values ...any) {
		if _, err := conn.Exec(t.Context(), insert, append([]any{item}, values...)...); err != nil {
			t.Fatal(err)
		}
	}
	add("a1", "tom", nil, nil, nil)
	add("a2", "[tom]", nil, nil, nil)
	add("a3", nil, nil, nil, nil)
	if read(before) != read(sql.Query("rows_dispositions")) {
		t.Error("rows without owner, due date and approval date read otherwise than before there were any")
	}
	seen := map[string]bool{}
	for _, values := range [][]any{
		{"tom", "olga", nil, nil},
		{"tom", nil, "2025-03-08", nil},
		{"tom", nil, nil, "2025-03-08"},
		{nil, "tom", nil, nil},
		{"\x01[\"tom\", \"olga\", null, null]", nil, nil, nil},
	} {
		if _, err := conn.Exec(t.Context(), "ALTER TABLE dispositions DISABLE TRIGGER ALL; DELETE FROM dispositions; ALTER TABLE dispositions ALTER disposition_no RESTART"); err != nil {
			t.Fatal(err)
		}
		add("a1", values...)
		got := read("SELECT approved_by FROM (" + sql.Query("rows_dispositions") + ") t")
		if seen[got] {
			t.Errorf("%v reads like another row", values)
		}
		seen[got] = true
	}
}

// What decided otherwise than in the run before is named with both values, with who ran it and how many items it moved.
func TestRuleChangesAreNamed(t *testing.T) {
	db := sqltest.Open(t, sqltest.NewURL(t))
	load(t, db)
	asOf := after(30 * 24 * time.Hour)
	runAt(t, db, asOf)
	policy := recon.DefaultPolicy()
	policy.StaleAfter = 1000 * 24 * time.Hour
	tx, err := db.BeginRun(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback(t.Context())
	result, err := recon.Run(t.Context(), tx, recon.Request{AsOf: asOf, Policy: policy})
	if err != nil {
		t.Fatal(err)
	}
	info := header("")
	info.Program = "another"
	if info, err = tx.Record(t.Context(), info, result); err != nil {
		t.Fatal(err)
	}
	if err := tx.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	var moved int64
	for _, base := range mustHistory(t, db, 2, 1).Baselines {
		if base.Against == recon.BaselineLast {
			for _, c := range base.Changes {
				if c.Kind == recon.ChangeReclassified {
					moved++
				}
			}
		}
	}
	if moved == 0 {
		t.Fatal("nothing was reclassified by another threshold: the test would prove nothing")
	}
	at := info.RecordedAt
	want := []recon.RuleChange{
		{Run: 2, Before: 1, What: "program", Old: header("").Program, New: "another", By: info.RecordedBy, At: at, Reclassified: moved},
		{Run: 2, Before: 1, What: "stale after", Old: "24h0m0s", New: "24000h0m0s", By: info.RecordedBy, At: at, Reclassified: moved},
	}
	if diff := cmp.Diff(want, mustHistory(t, db, 2, 0).RuleChanges); diff != "" {
		t.Errorf("rule changes (-want +got):\n%s", diff)
	}
}

// What lay in a spool is told by when it was written down; imports, which have no ids of firings, say nothing.
func TestRecordingTellsWhatLayInASpool(t *testing.T) {
	url := sqltest.NewURL(t)
	db := sqltest.Open(t, url)
	conn := sqltest.Connect(t, url)
	if _, err := conn.Exec(t.Context(), `
		INSERT INTO transfer_attempts (attempt_id, session_id, amount_cents, dest_account, proposed_at, harness, host)
			SELECT 'a' || n, 's', 100, 'DE89', $1::timestamptz + n * interval '1 hour', CASE WHEN n > 1 THEN 'codex' END, CASE WHEN n > 2 THEN 'host-' || n END
			FROM generate_series(1, 4) n;
		INSERT INTO hook_deliveries (attempt_id, received_at, recorded_at, delivery_id, payload_sha256) VALUES
			('a1', $1, $1::timestamptz + interval '1 second', gen_random_uuid(), ''),
			('a2', $1, $1::timestamptz + interval '60 seconds', gen_random_uuid(), ''),
			('a3', $1, $1::timestamptz + interval '3 hours 2 seconds', gen_random_uuid(), ''),
			('lost:1', $1, $1::timestamptz + interval '61 seconds', gen_random_uuid(), ''),
			('a4', $1, $1::timestamptz + interval '30 days', NULL, ''),
			('a4', $1::timestamptz - interval '30 days', $1, gen_random_uuid(), '')`, pgx.QueryExecModeSimpleProtocol, start); err != nil {
		t.Fatal(err)
	}
	view, err := db.View(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer view.Close(t.Context())
	got, err := view.Recording(t.Context(), ledger.Period{From: ledger.DateOf(start, time.UTC), To: ledger.DateOf(start, time.UTC) + 1})
	if err != nil {
		t.Fatal(err)
	}
	want := recon.Recording{
		Last: after(4 * time.Hour), Harnesses: []recon.HarnessCount{{Attempts: 1}, {Harness: "codex", Attempts: 3}}, Hosts: 2,
		Firings: 4, Late: 2, Longest: 3*time.Hour + 2*time.Second, Lost: 1,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("recording (-want +got):\n%s", diff)
	}
}
