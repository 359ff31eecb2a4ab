package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"agentrecon/recon"
	"agentrecon/sql/recorder"
	"agentrecon/sql/sqltest"
)

// silent is s with a database that takes connections and never answers: a hook hangs there until its deadline.
func (s surroundings) silent(t *testing.T) surroundings {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	s.url = fmt.Sprintf("postgres://u@%s/d?sslmode=disable", listener.Addr())
	return s
}

// hanging starts a hook before a call and returns when it is at work.
func (s surroundings) hanging(t *testing.T, call string) *exec.Cmd {
	t.Helper()
	c := s.silent(t).command(t.Context(), before(call), "pre")
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	for begun := time.Now(); s.markers(t) == 0; time.Sleep(time.Millisecond) {
		if time.Since(begun) > 10*time.Second {
			t.Fatal("the hook leaves no sign of being at work")
		}
	}
	return c
}

func (s surroundings) markers(t *testing.T) int {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(s.spool, "*.begun"))
	if err != nil {
		t.Fatal(err)
	}
	return len(names)
}

const killedOutcome = `SELECT (SELECT count(*) FROM transfer_attempts), (SELECT count(*) FROM hook_deliveries),
	(SELECT count(*) FROM transfer_outcomes WHERE status = 'unknown' AND error = '` + recon.HookKilled + `'), (SELECT count(*) FROM transfer_outcomes)`

// A hook that is killed before it answers leaves evidence, and a run names the kill as the cause.
func TestKilledBeforeItAnswered(t *testing.T) {
	s := newSurroundings(t)
	c := s.hanging(t, first)
	for _, want := range []int{0, 1} {
		if status, err := (recorder.Spool{Dir: s.spool}).Status(); err != nil || status.Killed != want || status.Waiting != 0 {
			t.Errorf("got %+v, %v, want %d killed", status, err, want)
		}
		if err := c.Process.Kill(); err != nil && want == 0 {
			t.Fatal(err)
		}
		_ = c.Wait()
	}
	s.run(t, "", "drain")
	s.run(t, "", "drain")
	if got := s.ask(t, killedOutcome); got != "1 1 1 1" {
		t.Error("got", got)
	}
	if s.markers(t) != 0 {
		t.Error("the marker is still there")
	}
	if got := s.causeOf(t, first); got != recon.CauseHookKilled {
		t.Errorf("got %q", got)
	}
	// The same call comes again, and this time it may be sent: the kill is no explanation any more.
	s.run(t, before(first), "pre")
	if got := s.causeOf(t, first); got == recon.CauseHookKilled {
		t.Errorf("got %q", got)
	}
	// What the call says counts for more.
	s.run(t, afterwards(first, `{"ok":true}`), "post")
	if got := s.ask(t, "SELECT status FROM transfer_outcomes"); got != "succeeded" {
		t.Error("got", got)
	}
}

// causeOf is what a run of next week says of an attempt.
func (s surroundings) causeOf(t *testing.T, attempt string) recon.Cause {
	t.Helper()
	tx, err := sqltest.Open(t, s.url).BeginRun(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback(context.Background())
	result, err := recon.Run(t.Context(), tx, recon.Request{AsOf: time.Now().Add(7 * 24 * time.Hour), Policy: recon.DefaultPolicy()})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range result.Attempts {
		if f.Attempt.ID == attempt {
			return f.Cause
		}
	}
	t.Fatalf("the run has no finding for %s", attempt)
	return ""
}

// A marker says nothing of a hook that lives, stopped or not, of one that has answered, and of another boot.
func TestNoKillIsInvented(t *testing.T) {
	s := newSurroundings(t)
	c := s.hanging(t, first)
	if a := s.run(t, "", "drain"); !strings.HasPrefix(a.stdout, "0 written") {
		t.Errorf("a hook at work: got %+v", a)
	}
	if err := c.Wait(); err != nil {
		t.Fatal(err)
	}
	if s.markers(t) != 0 {
		t.Error("a hook that has answered leaves its marker")
	}
	s.drainAll(t)
	if got := s.ask(t, killedOutcome); got != "1 1 0 0" {
		t.Error("after a hook's normal end: got", got)
	}

	c = s.hanging(t, "toolu_01OfAnotherBoot")
	if err := c.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = c.Wait()
	names, _ := filepath.Glob(filepath.Join(s.spool, "*.begun"))
	content, err := os.ReadFile(names[0])
	if err != nil {
		t.Fatal(err)
	}
	record, _, _ := strings.Cut(string(content), "\n")
	for _, other := range []string{"", record, record + "\n", record + "\n9e2a5f00-0000-4000-8000-000000000000", "x" + string(content)} {
		if err := os.WriteFile(names[0], []byte(other), 0o600); err != nil {
			t.Fatal(err)
		}
		s.run(t, "", "drain")
		if got := s.ask(t, killedOutcome); got != "1 1 0 0" {
			t.Errorf("a marker of %d bytes: got %s", len(other), got)
		}
	}
	// A copy says nothing either, although its process is dead and its boot is this one.
	copied := filepath.Join(s.spool, "20250101T000000.000000-copy.begun")
	if err := os.WriteFile(copied, content, 0o600); err != nil {
		t.Fatal(err)
	}
	s.run(t, "", "drain")
	if got := s.ask(t, killedOutcome); got != "1 1 0 0" {
		t.Error("a copied marker: got", got)
	}
	hours := time.Now().Add(-2 * time.Hour)
	for _, name := range []string{names[0], copied} {
		if err := os.Chtimes(name, hours, hours); err != nil {
			t.Fatal(err)
		}
	}
	s.run(t, "", "drain")
	if s.markers(t) != 0 {
		t.Error("an old marker that says nothing stays for ever")
	}
}

// Killed at every moment: a kill is on record only for hooks that did not answer, and each delivery is there once.
func TestKillsAreOnRecordOnlyWithoutAnAnswer(t *testing.T) {
	s := newSurroundings(t)
	answered := map[string]bool{}
	const rounds = 60
	for i := range rounds {
		call := fmt.Sprintf("toolu_01EveryMoment%06d", i)
		answered[call] = strings.HasPrefix(kill(t, s, 5*time.Millisecond+time.Duration(i)*800*time.Microsecond, before(call), "pre"), "{}")
	}
	s.run(t, "", "drain")
	rows, err := sqltest.Connect(t, s.url).Query(context.Background(), `SELECT attempt_id, count(*), coalesce(max(o.error), '')
		FROM transfer_attempts JOIN hook_deliveries USING (attempt_id) LEFT JOIN transfer_outcomes o USING (attempt_id) GROUP BY 1`)
	if err != nil {
		t.Fatal(err)
	}
	var id, reason string
	var deliveries, kills int
	for rows.Next() {
		if err := rows.Scan(&id, &deliveries, &reason); err != nil {
			t.Fatal(err)
		}
		if deliveries != 1 || reason != "" && answered[id] {
			t.Errorf("%s: %d deliveries, %q, answered %v", id, deliveries, reason, answered[id])
		}
		if reason == recon.HookKilled {
			kills++
		}
		delete(answered, id)
	}
	for call, did := range answered {
		if did {
			t.Errorf("%s was answered and is not on record", call)
		}
	}
	if rows.Err() != nil {
		t.Error(rows.Err())
	}
	t.Logf("%d of %d kills left evidence", kills, rounds)
}
