package sql_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
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

// A cutter stands between the program and the server and cuts the connection where it is told.
type cutter struct {
	dir, server string
	after       int64  // bytes in both directions, 0 = no limit
	word        string // cut when the program has sent this and the server has had time to do it
	mu          sync.Mutex
	bytes       int64
	cut         bool
}

// cutting returns a URL of the database that leads through a cutter.
func cutting(t *testing.T, url string, c *cutter) string {
	t.Helper()
	config, err := pgx.ParseConfig(url)
	if err != nil {
		t.Fatal(err)
	}
	c.server = filepath.Join(config.Host, fmt.Sprintf(".s.PGSQL.%d", config.Port))
	// Not the test's own directory: a socket's path must be short.
	if c.dir, err = os.MkdirTemp("/tmp", "cut"); err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("unix", filepath.Join(c.dir, ".s.PGSQL.5432"))
	if err != nil {
		t.Fatal(err)
	}
	var open sync.WaitGroup
	open.Go(func() {
		for {
			program, err := listener.Accept()
			if err != nil {
				return
			}
			open.Go(func() { c.relay(program) })
		}
	})
	t.Cleanup(func() {
		listener.Close()
		open.Wait()
		os.RemoveAll(c.dir)
	})
	return fmt.Sprintf("host=%s port=5432 user=%s dbname=%s sslmode=disable", c.dir, config.User, config.Database)
}

func (c *cutter) relay(program net.Conn) {
	server, err := net.Dial("unix", c.server)
	if err != nil {
		program.Close()
		return
	}
	hangUp := func() {
		program.Close()
		server.Close()
	}
	var both sync.WaitGroup
	both.Go(func() { c.copy(server, program, true); hangUp() })
	both.Go(func() { c.copy(program, server, false); hangUp() })
	both.Wait()
}

func (c *cutter) copy(to io.Writer, from io.Reader, sent bool) {
	buf := make([]byte, 512)
	for {
		n, err := from.Read(buf)
		if n > 0 && !c.pass(to, buf[:n], sent) || err != nil {
			return
		}
	}
}

// pass hands bytes on, unless the connection is cut within them.
func (c *cutter) pass(to io.Writer, b []byte, sent bool) bool {
	c.mu.Lock()
	if c.cut && (c.word != "" || c.after > 0) {
		c.mu.Unlock()
		return false
	}
	if c.after > 0 && c.bytes+int64(len(b)) > c.after {
		b, c.cut = b[:c.after-c.bytes], true
	}
	c.bytes += int64(len(b))
	if c.word != "" && sent && bytes.Contains(b, []byte(c.word)) {
		c.cut = true
	}
	ended := c.cut && c.word == "" // a word's answer is cut when it comes
	c.mu.Unlock()
	_, err := to.Write(b)
	return err == nil && !ended
}

// TestTheAnswerToCommitIsLost leaves the program in doubt; its next try finds the slot done.
func TestTheAnswerToCommitIsLost(t *testing.T) {
	url := sqltest.NewURL(t)
	db := sqltest.Open(t, url)
	load(t, db)
	asOf := after(30 * 24 * time.Hour)
	through := sqltest.Open(t, cutting(t, url, &cutter{word: "COMMIT"}))
	// The program's first COMMIT is that of its check of the schema.
	if _, _, err := tryRun(t, through, asOf, "slot"); !errors.Is(err, sql.ErrUnavailable) {
		t.Errorf("got %v, want ErrUnavailable", err)
	}
	word := &cutter{word: "unknown_marks"} // the last thing that Record sends; then the run is rolled back
	if _, _, err := tryRun(t, sqltest.Open(t, cutting(t, url, word)), asOf, "slot"); !errors.Is(err, sql.ErrUnavailable) {
		t.Errorf("got %v, want ErrUnavailable", err)
	}
	if runs, err := db.Runs(t.Context(), 0); err != nil || len(runs) != 0 {
		t.Fatalf("runs: got %d, %v, want none", len(runs), err)
	}
	waitUnlocked(t, db)
	lost := &cutter{}
	tx, err := sqltest.Open(t, cutting(t, url, lost)).BeginRun(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback(t.Context())
	recordOn(t, tx, asOf, "slot")
	lost.mu.Lock()
	lost.word = "COMMIT"
	lost.mu.Unlock()
	if err := tx.Commit(t.Context()); !errors.Is(err, sql.ErrUnavailable) {
		t.Errorf("commit: got %v, want ErrUnavailable", err)
	}
	waitUnlocked(t, db)
	if _, _, err := tryRun(t, db, asOf, "slot"); !errors.Is(err, sql.ErrSlotDone) {
		t.Errorf("next try: got %v, want ErrSlotDone", err)
	}
}

// TestCutsAnywhere cuts the connection of a run at many places. Whatever was in doubt, trying again ends with exactly
// one run for each slot, and the chain holds.
func TestCutsAnywhere(t *testing.T) {
	url := sqltest.NewURL(t)
	db := sqltest.Open(t, url)
	load(t, db)
	asOf := after(30 * 24 * time.Hour)
	whole := &cutter{}
	if _, _, err := tryRun(t, sqltest.Open(t, cutting(t, url, whole)), asOf, "whole"); err != nil {
		t.Fatal(err)
	}
	const cuts = 24
	failed := 0
	for n := range cuts {
		slot := fmt.Sprint("slot-", n)
		// Connecting takes some 400 bytes; cuts within it are cuts of Open.
		c := &cutter{after: 500 + (whole.bytes-500)*int64(n)/(cuts-1)}
		through, err := sql.Open(t.Context(), sql.Config{URL: cutting(t, url, c)})
		if err == nil {
			_, _, err = tryRun(t, through, asOf, slot)
			through.Close()
		}
		if err != nil {
			failed++
			if !errors.Is(err, sql.ErrUnavailable) {
				t.Errorf("cut after %d bytes: got %v, want ErrUnavailable", c.after, err)
			}
			waitUnlocked(t, db)
		}
		if _, _, err := tryRun(t, db, asOf, slot); err != nil && !errors.Is(err, sql.ErrSlotDone) {
			t.Errorf("trying again after a cut at %d bytes: %v", c.after, err)
		}
	}
	if failed < cuts/2 {
		t.Errorf("%d of %d cuts made a run fail: the cuts miss the run", failed, cuts)
	}
	v := verify(t, db)
	if len(v.Problems) != 0 || v.Runs != cuts+1 {
		t.Errorf("verification: got %d runs, problems %v, want %d and none", v.Runs, v.Problems, cuts+1)
	}
}

// waitUnlocked waits until the server has noticed that a run's connection is gone.
func waitUnlocked(t *testing.T, db *sql.DB) {
	t.Helper()
	for {
		tx, err := db.BeginRun(t.Context())
		if err == nil {
			tx.Rollback(t.Context())
			return
		}
		if !errors.Is(err, sql.ErrLocked) {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Millisecond)
	}
}
