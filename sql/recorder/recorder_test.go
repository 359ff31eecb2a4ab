package recorder_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"agentrecon/recon/capture"
	"agentrecon/sql/recorder"
	"agentrecon/sql/sqltest"
)

var noon = time.Date(2025, 3, 3, 12, 0, 0, 0, time.UTC)

// delivery makes the record of a payload's delivery, n seconds after noon.
func delivery(t *testing.T, n int, phase capture.Phase, payload string) recorder.Record {
	t.Helper()
	at := noon.Add(time.Duration(n) * time.Second)
	e, err := capture.DefaultRules().Read([]byte(payload), capture.Options{Hint: phase, At: at})
	if err != nil {
		t.Fatal(err)
	}
	return recorder.NewRecord(fmt.Sprintf("00000000-0000-4000-8000-%012d", n), at, e, []byte(payload))
}

func proposal(id string) string {
	return `{"session_id":"s-1","tool_name":"transfer_funds","tool_use_id":"` + id + `","tool_input":{"amount_cents":781200,"dest_account":"D1"}}`
}

func result(id, response string) string {
	return `{"session_id":"s-1","tool_name":"transfer_funds","tool_use_id":"` + id + `","tool_input":{"amount_cents":781200,"dest_account":"D1"},"tool_response":` + response + `}`
}

func open(t *testing.T, url string) *recorder.DB {
	t.Helper()
	db, err := recorder.Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close(context.Background()) })
	return db
}

func write(t *testing.T, db *recorder.DB, records ...recorder.Record) {
	t.Helper()
	if err := db.Write(t.Context(), records); err != nil {
		t.Fatal(err)
	}
}

// ask returns the rows of a query, each as its columns joined by blanks.
func ask(t *testing.T, url, query string) []string {
	t.Helper()
	rows, err := sqltest.Connect(t, url).Query(context.Background(), query)
	if err != nil {
		t.Fatal(err)
	}
	lines, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (string, error) {
		values, err := row.Values()
		return strings.TrimSpace(fmt.Sprintln(values...)), err
	})
	if err != nil {
		t.Fatal(err)
	}
	return lines
}

func TestWriteKeepsTheFirstAttemptAndEveryDelivery(t *testing.T) {
	url := sqltest.NewURL(t)
	db := open(t, url)
	again := strings.Replace(proposal("toolu_0000000001"), "781200", "999900", 1)
	write(t, db, delivery(t, 1, capture.Pre, proposal("toolu_0000000001")))
	write(t, db, delivery(t, 2, capture.Pre, proposal("toolu_0000000001")), delivery(t, 3, capture.Pre, again))
	got := ask(t, url, `SELECT a.attempt_id, a.amount_cents, a.currency, a.id_source, a.proposed_at = timestamptz '2025-03-03 12:00:01Z',
		count(*), count(DISTINCT d.args_sha256), bool_and(d.payload_sha256 = encode(sha256(convert_to(d.payload, 'UTF8')), 'hex'))
		FROM transfer_attempts a JOIN hook_deliveries d USING (attempt_id) GROUP BY a.attempt_id`)
	if diff := cmp.Diff(got, []string{"toolu_0000000001 781200 EUR tool_use_id true 3 2 true"}); diff != "" {
		t.Error("-got +want:\n", diff)
	}
}

// Whatever became of a transaction, its records may be sent again: the id of each delivery keeps it single.
func TestReplaysAddNothing(t *testing.T) {
	url := sqltest.NewURL(t)
	db := open(t, url)
	before, after := delivery(t, 1, capture.Pre, proposal("toolu_0000000001")), delivery(t, 2, capture.Post, result("toolu_0000000001", `{"ok":true}`))
	lost := delivery(t, 3, capture.Post, proposal("toolu_0000000002"))
	lost.Lost = "empty stdin"
	for range 3 {
		write(t, db, before, after, lost)
	}
	got := ask(t, url, `SELECT (SELECT string_agg(phase, ' ' ORDER BY received_at) FROM hook_deliveries), (SELECT count(*) FROM transfer_outcome_history)`)
	if diff := cmp.Diff(got, []string{"pre post post 1"}); diff != "" {
		t.Error("-got +want:\n", diff)
	}
}

// Each row: outcomes in the order in which they arrive, then the one that stands and all that the history holds.
func TestOutcomes(t *testing.T) {
	const ok, no, timedOut, text = `{"ok":true,"provider_ref":"p1"}`, `{"ok":false}`, `"connection timed out"`, `"sent"`
	tests := []struct {
		name    string
		arrive  []string
		stands  string
		history string
	}{
		{"a success", []string{ok}, "succeeded", "succeeded"},
		{"a success twice", []string{ok, ok}, "succeeded", "succeeded"},
		{"unknown, then a success", []string{text, ok}, "succeeded", "unknown,succeeded"},
		{"a success, then unknown", []string{ok, timedOut}, "succeeded", "succeeded"},
		{"a failure, then a success", []string{no, ok}, "succeeded", "failed,succeeded"},
		{"a success, then a failure", []string{ok, no}, "succeeded", "succeeded,failed,succeeded"},
		{"two references", []string{ok, `{"ok":true,"provider_ref":"p2"}`}, "succeeded", "succeeded,succeeded"},
		{"a success without reference after one with", []string{ok, `{"ok":true}`}, "succeeded", "succeeded"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			url := sqltest.NewURL(t)
			db := open(t, url)
			for i, response := range tt.arrive {
				write(t, db, delivery(t, i, capture.Post, result("toolu_0000000001", response)))
			}
			got := ask(t, url, `SELECT o.status, string_agg(h.status, ',' ORDER BY h.version_no)
				FROM transfer_outcomes o JOIN transfer_outcome_history h USING (attempt_id) GROUP BY o.status`)
			if diff := cmp.Diff(got, []string{tt.stands + " " + tt.history}); diff != "" {
				t.Error("-got +want:\n", diff)
			}
			latest := ask(t, url, `SELECT status FROM transfer_outcome_history ORDER BY observed_at DESC, version_no DESC LIMIT 1`)
			if latest[0] != tt.stands {
				t.Errorf("the latest version by time is %s, and %s stands", latest[0], tt.stands)
			}
		})
	}
}

// The role of recorders needs no more rights than it has.
func TestRightsOfTheRecorderSuffice(t *testing.T) {
	url := sqltest.NewURL(t)
	db := open(t, url+" options='-c role=recon_recorder'")
	write(t, db, delivery(t, 1, capture.Pre, proposal("toolu_0000000001")))
	write(t, db, delivery(t, 2, capture.Post, result("toolu_0000000001", `{"ok":true}`)), delivery(t, 3, capture.Post, result("toolu_0000000001", `{"ok":false}`)))
	end := delivery(t, 4, capture.Session, `{"session_id":"s-1","hook_event_name":"SessionEnd"}`)
	lost := delivery(t, 5, capture.Pre, proposal("toolu_0000000001"))
	lost.Lost = "empty stdin"
	write(t, db, end, end, lost)
	got := ask(t, url, `SELECT (SELECT count(*) FROM session_events), (SELECT event FROM hook_deliveries WHERE attempt_id LIKE 'lost:%')`)
	if diff := cmp.Diff(got, []string{"1 lost: empty stdin"}); diff != "" {
		t.Error("-got +want:\n", diff)
	}
}

func TestSpoolDrainsOnceAndInOrder(t *testing.T) {
	url := sqltest.NewURL(t)
	db := open(t, url)
	spool := recorder.Spool{Dir: filepath.Join(t.TempDir(), "spool")}
	// The outcome was spooled first, and its attempt twice.
	for n, payload := range []string{result("toolu_0000000001", `{"ok":true}`), proposal("toolu_0000000001"), proposal("toolu_0000000001")} {
		phase := capture.Pre
		if n == 0 {
			phase = capture.Post
		}
		if err := spool.Add(delivery(t, n, phase, payload)); err != nil {
			t.Fatal(err)
		}
	}
	status, err := spool.Status()
	if want := (recorder.Status{Waiting: 3, Oldest: noon}); err != nil || status != want {
		t.Errorf("got %+v, %v, want %+v", status, err, want)
	}
	for _, want := range []int{3, 0} {
		done, err := spool.Drain(t.Context(), db)
		if err != nil || done.Written != want || done.Left != 0 {
			t.Errorf("got %+v, %v, want %d written", done, err, want)
		}
	}
	got := ask(t, url, `SELECT (SELECT count(*) FROM transfer_attempts), (SELECT count(*) FROM hook_deliveries WHERE phase IS DISTINCT FROM 'post'), (SELECT count(*) FROM transfer_outcomes)`)
	if diff := cmp.Diff(got, []string{"1 2 1"}); diff != "" {
		t.Error("-got +want:\n", diff)
	}
}

// What a killed drain or a lost answer to COMMIT leaves behind: files whose records the database has, or has not. Other
// outcomes may have come in the meantime.
func TestDrainAfterADrainThatWasKilled(t *testing.T) {
	const id = "toolu_0000000001"
	records := []recorder.Record{
		delivery(t, 1, capture.Pre, proposal(id)), delivery(t, 2, capture.Post, result(id, `{"ok":false}`)),
		delivery(t, 3, capture.Post, result(id, `{"ok":true,"provider_ref":"p1"}`)), delivery(t, 4, capture.Post, result(id, `{"ok":false}`)),
		delivery(t, 5, capture.Session, `{"session_id":"s-1","hook_event_name":"SessionEnd"}`),
	}
	for committed := range len(records) + 1 {
		for _, together := range []bool{true, false} {
			t.Run(fmt.Sprintf("%d committed, together %v", committed, together), func(t *testing.T) {
				url := sqltest.NewURL(t)
				db := open(t, url)
				if together {
					write(t, db, records[:committed]...)
				}
				spool := recorder.Spool{Dir: filepath.Join(t.TempDir(), "spool")}
				for i, r := range records {
					if !together && i < committed {
						write(t, db, r)
					}
					if err := spool.Add(r); err != nil {
						t.Fatal(err)
					}
				}
				if done, err := spool.Drain(t.Context(), db); err != nil || done.Written != len(records) {
					t.Errorf("got %+v, %v", done, err)
				}
				got := ask(t, url, `SELECT (SELECT count(*) FROM transfer_attempts), (SELECT count(*) FROM hook_deliveries), (SELECT count(*) FROM session_events),
					o.status, o.provider_ref, string_agg(h.status, ',' ORDER BY h.version_no)
					FROM transfer_outcomes o JOIN transfer_outcome_history h USING (attempt_id) GROUP BY o.status, o.provider_ref`)
				if diff := cmp.Diff(got, []string{"1 4 1 succeeded p1 failed,succeeded,failed,succeeded"}); diff != "" {
					t.Error("-got +want:\n", diff)
				}
				if left, _ := filepath.Glob(filepath.Join(spool.Dir, "*")); len(left) != 1 { // the lock
					t.Errorf("left in the spool: %q", left)
				}
			})
		}
	}
}

// While the transaction of a killed hook is still at work at the server, the same record may be sent again: it waits, and
// adds nothing whatever becomes of the other.
func TestReplayBesideATransactionAtWork(t *testing.T) {
	for _, end := range []string{"COMMIT", "ROLLBACK"} {
		url := sqltest.NewURL(t)
		r := delivery(t, 1, capture.Post, result("toolu_0000000001", `{"ok":true}`))
		other := sqltest.Connect(t, url)
		for _, statement := range []string{
			"BEGIN", "INSERT INTO transfer_outcomes (attempt_id, status, args_sha256) VALUES ('toolu_0000000001', 'succeeded', 'x')",
			"INSERT INTO hook_deliveries (attempt_id, received_at, delivery_id, phase) VALUES ('toolu_0000000001', now(), '" + r.ID + "', 'post')",
		} {
			if _, err := other.Exec(t.Context(), statement); err != nil {
				t.Fatal(err)
			}
		}
		db, done := open(t, url), make(chan error)
		go func() { done <- db.Write(context.Background(), []recorder.Record{r}) }()
		for waits := "0"; waits == "0"; {
			waits = ask(t, url, "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'")[0]
		}
		if _, err := other.Exec(t.Context(), end); err != nil {
			t.Fatal(err)
		}
		if err := <-done; err != nil {
			t.Error(end, err)
		}
		got := ask(t, url, "SELECT (SELECT count(*) FROM hook_deliveries), (SELECT count(*) FROM transfer_outcome_history)")
		if diff := cmp.Diff(got, []string{"1 1"}); diff != "" {
			t.Error(end, "-got +want:\n", diff)
		}
	}
}

// What a person has to do is said where a record can only wait for it.
func TestDatabaseThatIsNotReady(t *testing.T) {
	r := delivery(t, 1, capture.Pre, proposal("toolu_0000000001"))
	err := open(t, sqltest.NewEmptyURL(t)).Write(t.Context(), []recorder.Record{r})
	if err == nil || errors.Is(err, recorder.ErrRefused) || !strings.Contains(err.Error(), "recon migrate") {
		t.Errorf("no tables: got %v", err)
	}
	db := open(t, sqltest.NewURL(t)+" options='-c role=pg_monitor'")
	if err = db.Write(t.Context(), []recorder.Record{r}); err == nil || errors.Is(err, recorder.ErrRefused) || !strings.Contains(err.Error(), "recon_recorder") {
		t.Errorf("no rights: got %v", err)
	}
}

// Whatever the database's default, a transaction sees what others have committed.
func TestOtherIsolationByDefault(t *testing.T) {
	url := sqltest.NewURL(t)
	db := open(t, url+" options='-c default_transaction_isolation=serializable'")
	write(t, db, delivery(t, 1, capture.Post, result("toolu_0000000001", `"sent"`)))
	write(t, db, delivery(t, 2, capture.Post, result("toolu_0000000001", `{"ok":true}`)), delivery(t, 3, capture.Post, result("toolu_0000000001", `{"ok":false}`)))
	got := ask(t, url, "SELECT status, versions, (SELECT count(*) FROM hook_deliveries) FROM transfer_outcomes")
	if diff := cmp.Diff(got, []string{"succeeded 4 3"}); diff != "" {
		t.Error("-got +want:\n", diff)
	}
}

func TestDrainPutsAsideWhatCannotBeWritten(t *testing.T) {
	url := sqltest.NewURL(t)
	db := open(t, url)
	spool := recorder.Spool{Dir: filepath.Join(t.TempDir(), "spool")}
	good := delivery(t, 1, capture.Pre, proposal("toolu_0000000001"))
	bad := delivery(t, 2, capture.Pre, proposal("toolu_0000000002"))
	bad.Event.Attempt.IDSource = "invented"
	torn := delivery(t, 3, capture.Pre, proposal("toolu_0000000003"))
	for _, r := range []recorder.Record{bad, good, torn} {
		if err := spool.Add(r); err != nil {
			t.Fatal(err)
		}
	}
	names, _ := filepath.Glob(filepath.Join(spool.Dir, "*.record"))
	if err := os.Truncate(names[2], 200); err != nil {
		t.Fatal(err)
	}
	done, err := spool.Drain(t.Context(), db)
	if want := (recorder.Drained{Written: 1, Refused: 2}); err != nil || done != want {
		t.Errorf("got %+v, %v, want %+v", done, err, want)
	}
	if got := ask(t, url, "SELECT attempt_id FROM transfer_attempts"); !cmp.Equal(got, []string{"toolu_0000000001"}) {
		t.Errorf("got %q", got)
	}
	if status, err := spool.Status(); err != nil || status.Refused != 2 || status.Waiting != 0 {
		t.Errorf("got %+v, %v", status, err)
	}
	reasons, _ := filepath.Glob(filepath.Join(spool.Dir, "refused", "*.reason"))
	if len(reasons) != 2 {
		t.Errorf("got %d reasons", len(reasons))
	}
}

func TestSpoolIsPrivateAndBounded(t *testing.T) {
	state := filepath.Join(t.TempDir(), "state")
	spool := recorder.Spool{Dir: filepath.Join(state, "spool")}
	if err := spool.Add(delivery(t, 1, capture.Pre, proposal("toolu_0000000001"))); err != nil {
		t.Fatal(err)
	}
	// The private PostgreSQL of another account lives beside the spool and must be able to enter.
	for folder, want := range map[string]os.FileMode{state: 0o755, spool.Dir: 0o700} {
		if info, err := os.Stat(folder); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: got %v, %v, want mode %v", folder, info.Mode(), err, want)
		}
	}
	names, _ := filepath.Glob(filepath.Join(spool.Dir, "*"))
	info, err := os.Stat(names[0])
	if err != nil || info.Mode().Perm() != 0o600 || len(names) != 1 {
		t.Errorf("got %v, %v, %q", info.Mode(), err, names)
	}
	if err := os.Truncate(names[0], recorder.MaxSpoolBytes); err != nil { // a file with a hole
		t.Fatal(err)
	}
	if err := spool.Add(delivery(t, 2, capture.Pre, proposal("toolu_0000000002"))); !errors.Is(err, recorder.ErrFull) {
		t.Errorf("got %v, want ErrFull", err)
	}
}

// Whoever writes, drains and adds at the same time: every delivery is there once.
func TestConcurrentWritersAndDrains(t *testing.T) {
	url := sqltest.NewURL(t)
	spool := recorder.Spool{Dir: filepath.Join(t.TempDir(), "spool")}
	const workers, each = 6, 10
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			db, err := recorder.Open(context.Background(), url)
			if err != nil {
				t.Error(err)
				return
			}
			defer db.Close(context.Background())
			for i := range each {
				r := delivery(t, w*each+i, capture.Pre, proposal(fmt.Sprintf("toolu_00000000%02d", i)))
				if i%2 == 0 {
					err = db.Write(context.Background(), []recorder.Record{r})
				} else if err = spool.Add(r); err == nil {
					_, err = spool.Drain(context.Background(), db)
				}
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if _, err := spool.Drain(t.Context(), open(t, url)); err != nil {
		t.Error(err)
	}
	got := ask(t, url, `SELECT (SELECT count(*) FROM transfer_attempts), count(*), count(DISTINCT received_at) FROM hook_deliveries`)
	if diff := cmp.Diff(got, []string{fmt.Sprintf("%d %d %d", each, workers*each, workers*each)}); diff != "" {
		t.Error("-got +want:\n", diff)
	}
}

func TestOpenNeverShowsThePassword(t *testing.T) {
	for _, url := range []string{
		"postgres://u:canary@127.0.0.1:1/d", "postgres://u:can%ary@h/d", "password = canary host=/nowhere", "host=/nowhere password=canary port=x",
	} {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		_, err := recorder.Open(ctx, url)
		cancel()
		if err == nil || strings.Contains(fmt.Sprintf("%v %+v", err, err), "ary") {
			t.Errorf("%s: got %v", url, err)
		}
	}
}
