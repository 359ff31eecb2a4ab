package embedded

import (
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
	"time"
)

func TestPostmasterKilled(t *testing.T) {
	t.Parallel()
	o := options(t, Options{Dir: newDir(t)})
	first := mustStart(t, o)
	query(t, first, "CREATE TABLE t AS SELECT 42 AS n")
	old := serverPID(t, first)
	// A backend that computes does not notice that its postmaster has gone, and
	// the cluster must not be opened beside it.
	busy := psql(t, first, "SELECT count(*) FROM generate_series(1, 4000000)")
	if err := busy.Start(); err != nil {
		t.Fatal(err)
	}
	defer busy.Wait()
	eventually(t, "the backend is busy", 5*time.Second, func() bool {
		return query(t, first, "SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%generate_series(1,%' AND state = 'active' AND pid <> pg_backend_pid()") == "1"
	})
	if err := syscall.Kill(old, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}

	began := time.Now()
	second := mustStart(t, o)
	t.Logf("start after kill -9 of the postmaster: %v", time.Since(began).Round(time.Millisecond))
	if serverPID(t, second) == old {
		t.Error("same server")
	}
	// The first program still holds the cluster, and finds its data too.
	for _, s := range []*Server{first, second} {
		if got := query(t, s, "SELECT n FROM t"); got != "42" {
			t.Errorf("got %q, want 42", got)
		}
	}
}

func TestThrowawayOwnerKilled(t *testing.T) {
	t.Parallel()
	o := options(t, Options{Throwaway: true, TempDir: newDir(t)})
	p := startProgram(t, o)
	data, pid := p.ready()
	p.kill()
	if runtime.GOOS == "linux" { // elsewhere the sweep below stops it
		eventually(t, "the server is gone", 10*time.Second, func() bool { return !runsOn(pid, data) && idle(t, data) })
	}
	root := filepath.Dir(data)

	// A young directory may be one that somebody is just making.
	sweep(t.Context(), o, o.TempDir)
	if !exists(root) {
		t.Fatal("a directory of this minute was swept")
	}
	past := time.Now().Add(-2 * sweepAge)
	if err := os.Chtimes(root, past, past); err != nil {
		t.Fatal(err)
	}
	s := mustStart(t, o)
	if exists(root) || exists(socketDir(data, s.cluster.account)) {
		t.Error("the next start did not sweep the dead owner's cluster")
	}
	// One that is in use stays, however old.
	if err := os.Chtimes(s.cluster.root, past, past); err != nil {
		t.Fatal(err)
	}
	sweep(t.Context(), o, o.TempDir)
	if got := query(t, s, "SELECT 1"); got != "1" {
		t.Errorf("got %q, want 1", got)
	}
}

func TestDurableOwnerKilled(t *testing.T) {
	t.Parallel()
	o := options(t, Options{Dir: newDir(t)})
	p := startProgram(t, o)
	data, pid := p.ready()
	s := mustStart(t, o)
	query(t, s, "CREATE TABLE t AS SELECT 42 AS n")
	mustStop(t, s)
	p.kill()
	time.Sleep(100 * time.Millisecond)

	again := mustStart(t, o)
	if got := serverPID(t, again); got != pid {
		t.Errorf("server %d, want the one that was left, %d", got, pid)
	}
	if got := query(t, again, "SELECT n FROM t"); got != "42" {
		t.Errorf("got %q, want 42", got)
	}
	mustStop(t, again)
	if !idle(t, data) {
		t.Error("the left-over server was not stopped by the last one out")
	}
}

// Killed within initdb, a program leaves nothing that looks like a cluster, and
// the next one cleans up and starts.
func TestOwnerKilledWhileTheClusterIsMade(t *testing.T) {
	t.Parallel()
	o := options(t, Options{Dir: newDir(t)})
	p := startProgram(t, o)
	data := filepath.Join(o.Dir, "pgdata")
	eventually(t, "initdb works", 5*time.Second, func() bool {
		found, _ := filepath.Glob(data + ".init-*/PG_VERSION")
		return len(found) > 0
	})
	p.kill()
	if exists(data) {
		t.Fatal("a half-made cluster is in place")
	}
	s := mustStart(t, o)
	if got := query(t, s, "SELECT 1"); got != "1" {
		t.Errorf("got %q, want 1", got)
	}
	if left, _ := filepath.Glob(data + ".init-*"); len(left) > 0 {
		t.Errorf("left over: %v", left)
	}
}
