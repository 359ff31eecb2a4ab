package sql_test

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"agentrecon/sql"
	"agentrecon/sql/sqltest"
)

// besideAttempts is for how many attempts a run takes a second session.
const besideAttempts = 5_000

// What becomes of a run's second session.
const (
	secondServed  = "served"
	secondRefused = "refused" // as where a role may have one connection
	secondWaits   = "waits"   // as behind a pooler without another connection to the server
	secondLost    = "lost"    // while it digests
	secondStalls  = "stalls"  // the same, and nobody says so
)

// TestRunBeside has a run over everything come to the same whatever becomes of its second session, of which nothing is left.
func TestRunBeside(t *testing.T) {
	url := sqltest.NewURL(t)
	db, conn := sqltest.Open(t, url), sqltest.Connect(t, url)
	_, err1 := db.ImportAttempts(t.Context(), quarterAttempts(besideAttempts), sql.ImportOptions{})
	_, err2 := db.ImportOutcomes(t.Context(), quarterOutcomes(besideAttempts), sql.ImportOptions{})
	_, err3 := db.ImportEntries(t.Context(), quarterEntries(besideAttempts), sql.ImportOptions{})
	if err1 != nil || err2 != nil || err3 != nil {
		t.Fatal(err1, err2, err3)
	}
	var want string
	for _, second := range []string{secondServed, secondRefused, secondWaits, secondLost, secondServed} {
		through, err := sql.Open(t.Context(), sql.Config{URL: gated(t, url, second), ApplicationName: "gated"})
		if err != nil {
			t.Fatal(err)
		}
		tx, err := through.BeginRun(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if second == secondServed || second == secondLost {
			if err := sql.BeginBeside(t.Context(), tx); err != nil {
				t.Fatal(err)
			}
		}
		result, err := tx.Run(t.Context(), quarterRequest())
		if err != nil {
			t.Fatalf("%s: %v", second, err)
		}
		info, err := tx.Record(t.Context(), header(""), result)
		if err != nil {
			t.Fatalf("%s: %v", second, err)
		}
		rows, controls := sql.DoneBeside(tx)
		if served := second == secondServed; rows != served || controls != (served || second == secondLost) {
			t.Errorf("%s: controls were counted beside: %t, rows digested beside: %t", second, controls, rows)
		}
		digest, err := sql.NewRowsDigest(t.Context(), tx)
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(info.EvidenceDigest, result.WholeControls, digest); want == "" {
			want = got
		} else if got != want {
			t.Errorf("%s: got %s, want %s", second, got, want)
		}
		tx.Rollback(t.Context())
		through.Close()
		noneIsLeft(t, conn)
	}
	tx, err := db.BeginRun(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback(t.Context())
	result, err := tx.Run(t.Context(), quarterRequest())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Record(t.Context(), header(""), result); err != nil {
		t.Fatal(err)
	}
	if err := tx.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if v := verify(t, db); len(v.Problems) != 0 {
		t.Errorf("verification: %v", v.Problems)
	}
	view, err := db.ViewAsOf(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	defer view.Close(t.Context())
	again, err := view.Run(t.Context(), quarterRequest())
	if err != nil {
		t.Fatal(err)
	}
	if differences, err := view.Compare(t.Context(), 1, again); err != nil || len(differences) > 0 {
		t.Errorf("made again: %v, %v", differences, err)
	}
}

// TestAStoppedRunLeavesNoSession stops a run whose second session is at work.
func TestAStoppedRunLeavesNoSession(t *testing.T) {
	url := sqltest.NewURL(t)
	db, conn := sqltest.Open(t, url), sqltest.Connect(t, url)
	if _, err := db.ImportAttempts(t.Context(), quarterAttempts(besideAttempts), sql.ImportOptions{}); err != nil {
		t.Fatal(err)
	}
	through, err := sql.Open(t.Context(), sql.Config{URL: gated(t, url, secondStalls), ApplicationName: "gated"})
	if err != nil {
		t.Fatal(err)
	}
	defer through.Close()
	tx, err := through.BeginRun(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := sql.BeginBeside(t.Context(), tx); err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Run(t.Context(), quarterRequest()); err != nil {
		t.Fatal(err)
	}
	tx.Rollback(t.Context())
	through.Close()
	noneIsLeft(t, conn)
}

// noneIsLeft waits until the server has no session of the program; one that stays fails the test by its timeout.
func noneIsLeft(t *testing.T, conn *pgx.Conn) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	for left := 1; left > 0; {
		err := conn.QueryRow(ctx, "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'gated' AND datname = current_database()").Scan(&left)
		if err != nil {
			t.Fatalf("%d sessions are left: %v", left, err)
		}
	}
}

// gated returns a URL of the database that leads through a relay, which serves the first connection and does with the second
// what it is told.
func gated(t *testing.T, url, second string) string {
	t.Helper()
	config, err := pgx.ParseConfig(url)
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("/tmp", "gate") // a socket's path must be short
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("unix", filepath.Join(dir, ".s.PGSQL.5432"))
	if err != nil {
		t.Fatal(err)
	}
	var open sync.WaitGroup
	stop := make(chan struct{})
	open.Go(func() {
		for n := 1; ; n++ {
			program, err := listener.Accept()
			if err != nil {
				return
			}
			open.Go(func() {
				defer program.Close()
				switch {
				case n != 2 || second == secondServed:
					relayed(program, filepath.Join(config.Host, fmt.Sprintf(".s.PGSQL.%d", config.Port)), stop, nil)
				case second == secondWaits:
					_, _ = program.Read(make([]byte, 1)) // its first byte; the end is waited for
					<-stop
				case second == secondLost || second == secondStalls:
					relayed(program, filepath.Join(config.Host, fmt.Sprintf(".s.PGSQL.%d", config.Port)), stop, func() bool { return second == secondStalls })
				}
			})
		}
	})
	t.Cleanup(func() {
		close(stop)
		listener.Close()
		open.Wait()
		os.RemoveAll(dir)
	})
	return fmt.Sprintf("host=%s port=5432 user=%s dbname=%s sslmode=disable", dir, config.User, config.Database)
}

// relayed hands bytes on in both directions. When the program has begun to digest, and atDigest is given, it hangs up or, if
// that says so, hands on no answer any more.
func relayed(program net.Conn, server string, stop <-chan struct{}, atDigest func() (stalls bool)) {
	to, err := net.Dial("unix", server)
	if err != nil {
		return
	}
	var both sync.WaitGroup
	hangUp := sync.OnceFunc(func() {
		program.Close()
		to.Close()
	})
	ended := make(chan struct{})
	both.Go(func() {
		select {
		case <-stop:
			hangUp()
		case <-ended:
		}
	})
	var stalled sync.Mutex
	silent := false
	pass := func(to, from net.Conn, sent bool) {
		defer hangUp()
		buf := make([]byte, 64<<10)
		for {
			n, err := from.Read(buf)
			if err != nil {
				return
			}
			if sent && atDigest != nil && bytes.Contains(buf[:n], []byte("COPY (")) {
				if !atDigest() {
					return
				}
				stalled.Lock()
				silent = true
				stalled.Unlock()
			}
			stalled.Lock()
			drop := silent && !sent
			stalled.Unlock()
			if drop {
				continue
			}
			if _, err := to.Write(buf[:n]); err != nil {
				return
			}
		}
	}
	var directions sync.WaitGroup
	directions.Go(func() { pass(to, program, true) })
	directions.Go(func() { pass(program, to, false) })
	directions.Wait()
	close(ended)
	both.Wait()
}
