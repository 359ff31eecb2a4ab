package sql_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"agentrecon/sql"
	"agentrecon/sql/sqltest"
)

// TestALateOutcomeRacesTheMark lets a hook's outcome and a run's mark of the same attempt meet in every order of their
// steps. Neither waits for the other, both facts are kept, and the first run that can see both says so, once.
func TestALateOutcomeRacesTheMark(t *testing.T) {
	url := sqltest.NewURL(t)
	db := sqltest.Open(t, url)
	orders := interleavings("rrr", "hhh")
	asOf := after(30 * 24 * time.Hour)
	for n := range orders {
		if _, err := attempts(fmt.Sprint("attempts", n), attempt(raced(n), time.Duration(n)*time.Second))(t, db); err != nil {
			t.Fatal(err)
		}
		race(t, db, sqltest.Connect(t, url), orders[n], raced(n), asOf)
	}
	runAt(t, db, asOf)
	runAt(t, db, asOf)
	conn := sqltest.Connect(t, url)
	for n, order := range orders {
		var status, history string
		var unknown, superseded int
		if err := conn.QueryRow(t.Context(), `SELECT
			(SELECT status FROM transfer_status WHERE attempt_id = $1),
			(SELECT string_agg(status, ',' ORDER BY version_no) FROM transfer_outcome_history WHERE attempt_id = $1),
			(SELECT count(*) FROM unknown_marks WHERE attempt_id = $1 AND mark = 'unknown'),
			(SELECT count(*) FROM unknown_marks WHERE attempt_id = $1 AND mark = 'superseded')`, raced(n)).
			Scan(&status, &history, &unknown, &superseded); err != nil {
			t.Fatal(err)
		}
		if status != "succeeded" || history != "succeeded" {
			t.Errorf("%s: status %s, history %s; the outcome is a fact", order, status, history)
		}
		if unknown != superseded {
			t.Errorf("%s: %d marks, %d superseded", order, unknown, superseded)
		}
		// The run marks unless its snapshot, taken when it begins, shows the outcome.
		if seen := indexOf(order, 'h', 3) < indexOf(order, 'r', 1); seen != (unknown == 0) {
			t.Errorf("%s: the run saw the outcome: %v, marks: %d", order, seen, unknown)
		}
	}
	if v := verify(t, db); len(v.Problems) != 0 {
		t.Errorf("problems: %v", v.Problems)
	}
}

func raced(n int) string { return fmt.Sprintf("a%02d", n) }

// race takes the steps of a run (begin, conclude and record, commit) and of a hook (begin, write, commit) in an order.
func race(t *testing.T, db *sql.DB, conn *pgx.Conn, order, attempt string, asOf time.Time) {
	t.Helper()
	var run *sql.RunTx
	var hook pgx.Tx
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatalf("%s: %v", order, err)
		}
	}
	steps := map[rune][]func(){
		'r': {
			func() {
				var err error
				run, err = db.BeginRun(t.Context())
				must(err)
			},
			func() { recordOn(t, run, asOf, "") },
			func() { must(run.Commit(t.Context())) },
		},
		'h': {
			func() {
				var err error
				hook, err = conn.Begin(t.Context())
				must(err)
				_, err = hook.Exec(t.Context(), "SET LOCAL lock_timeout = '1s'") // a wait would be an error
				must(err)
			},
			func() {
				_, err := hook.Exec(t.Context(), `INSERT INTO transfer_outcomes (attempt_id, status, provider_ref, observed_at)
					VALUES ($1, 'succeeded', 'p-' || $1, $2) ON CONFLICT (attempt_id) DO UPDATE
					SET status = EXCLUDED.status, provider_ref = EXCLUDED.provider_ref`, attempt, after(time.Minute))
				must(err)
			},
			func() { must(hook.Commit(t.Context())) },
		},
	}
	for _, who := range order {
		steps[who][0]()
		steps[who] = steps[who][1:]
	}
}

// interleavings are all ways to shuffle two sequences into one, each in its own order.
func interleavings(a, b string) []string {
	if a == "" || b == "" {
		return []string{a + b}
	}
	var all []string
	for _, rest := range interleavings(a[1:], b) {
		all = append(all, a[:1]+rest)
	}
	for _, rest := range interleavings(a, b[1:]) {
		all = append(all, b[:1]+rest)
	}
	return all
}

// indexOf is the place of the nth occurrence of a letter.
func indexOf(s string, letter byte, nth int) int {
	for i := range len(s) {
		if s[i] == letter {
			if nth--; nth == 0 {
				return i
			}
		}
	}
	return -1
}
