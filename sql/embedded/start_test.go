package embedded

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestThrowawayServesOneProgramAndLeavesNothing(t *testing.T) {
	t.Setenv("PGOPTIONS", "-c canary=secret")
	tmp := newDir(t)
	began := time.Now()
	s := mustStart(t, options(t, Options{Throwaway: true, TempDir: tmp}))
	t.Logf("cold start: %v", time.Since(began).Round(time.Millisecond))
	os.Unsetenv("PGOPTIONS") // for psql

	got := query(t, s, "SHOW fsync; SHOW listen_addresses; SHOW jit; SHOW timezone; SELECT datcollate FROM pg_database WHERE datname = current_database(); SHOW server_encoding; SHOW data_checksums")
	if diff := cmp.Diff("off\n\noff\nUTC\nC\nUTF8\noff", got); diff != "" {
		t.Errorf("settings (-want +got):\n%s", diff)
	}
	checkAccount(t, serverPID(t, s))
	if environ, err := os.ReadFile("/proc/" + strconv.Itoa(serverPID(t, s)) + "/environ"); err == nil && strings.Contains(string(environ), "canary") {
		t.Error("the server got our environment")
	}
	if !exists(s.LogFile()) || filepath.Dir(s.LogFile()) == s.DataDir() {
		t.Errorf("log file %s: want it beside the data directory", s.LogFile())
	}

	mustStop(t, s)
	mustStop(t, s) // does nothing
	left, err := os.ReadDir(tmp)
	if err != nil {
		t.Fatal(err)
	}
	if len(left) != 0 || exists(s.cluster.socket) {
		t.Errorf("left in %s: %v, socket directory: %v", tmp, left, exists(s.cluster.socket))
	}
}

// checkAccount: never root, and ours unless we are root.
func checkAccount(t *testing.T, pid int) {
	t.Helper()
	got := uidOf(t, pid)
	if os.Geteuid() != 0 && got != os.Geteuid() {
		t.Errorf("server runs as uid %d, want ours, %d", got, os.Geteuid())
	}
	if got == 0 {
		t.Error("server runs as root")
	}
}

// The server must be tied to the program, not to the thread that happened to
// start it.
func TestThrowawayOutlivesTheStartingThread(t *testing.T) {
	t.Parallel()
	started := make(chan *Server)
	o := options(t, Options{Throwaway: true, TempDir: newDir(t)})
	go func() {
		runtime.LockOSThread() // and never unlock: the thread ends with the goroutine
		s, err := Start(context.Background(), o)
		if err != nil {
			t.Error(err)
		}
		started <- s
	}()
	s := <-started
	if s == nil {
		return
	}
	time.Sleep(300 * time.Millisecond)
	if got := query(t, s, "SELECT 1"); got != "1" {
		t.Errorf("got %q, want 1", got)
	}
	mustStop(t, s)
}

func TestDurableKeepsDataAndIsSharedUntilTheLastOneLeaves(t *testing.T) {
	t.Parallel()
	o := options(t, Options{Dir: filepath.Join(newDir(t), "made", "on demand")})
	began := time.Now()
	first := mustStart(t, o)
	t.Logf("cold start: %v", time.Since(began).Round(time.Millisecond))
	got := query(t, first, "SHOW fsync; SHOW synchronous_commit; SHOW full_page_writes; SHOW data_checksums; SHOW listen_addresses")
	if diff := cmp.Diff("on\non\non\non\n", got+"\n"); diff != "" {
		t.Errorf("settings (-want +got):\n%s", diff)
	}
	checkAccount(t, serverPID(t, first))
	query(t, first, "CREATE TABLE t AS SELECT 42 AS n")

	began = time.Now()
	second := mustStart(t, o)
	t.Logf("attach: %v", time.Since(began).Round(time.Millisecond))
	if first.ConnString() != second.ConnString() {
		t.Errorf("two ways in: %q and %q", first.ConnString(), second.ConnString())
	}
	mustStop(t, first)
	if got := query(t, second, "SELECT n FROM t"); got != "42" {
		t.Errorf("after one of two left: got %q, want 42", got)
	}
	began = time.Now()
	mustStop(t, second)
	t.Logf("stop: %v", time.Since(began).Round(time.Millisecond))
	if !idle(t, first.DataDir()) || exists(first.cluster.socket) {
		t.Error("the last one left, and the server or its socket is still there")
	}

	began = time.Now()
	again := mustStart(t, o)
	t.Logf("start of an existing cluster: %v", time.Since(began).Round(time.Millisecond))
	if got := query(t, again, "SELECT n FROM t"); got != "42" {
		t.Errorf("after a restart: got %q, want 42", got)
	}
}

// A cluster without fsync never touches the durable data in the same directory.
func TestCacheIsApartFromTheDurableCluster(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	s := mustStart(t, options(t, Options{Dir: dir, NoSync: true}))
	if got, want := query(t, s, "SHOW fsync; SHOW max_connections"), "off\n200"; got != want {
		t.Errorf("settings %q, want %q", got, want)
	}
	if got, want := s.DataDir(), filepath.Join(dir, "pgdata-nosync"); got != want {
		t.Errorf("data directory %s, want %s", got, want)
	}
	if exists(filepath.Join(dir, "pgdata")) {
		t.Error("made a durable cluster as well")
	}
}

func TestManyProgramsAtOnceShareOneServer(t *testing.T) {
	t.Parallel()
	o := options(t, Options{Dir: newDir(t)})
	var programs []*program
	for range 6 {
		programs = append(programs, startProgram(t, o))
	}
	pids := map[int]int{}
	var data string
	for _, p := range programs {
		d, pid := p.ready()
		pids[pid]++
		data = d
	}
	if len(pids) != 1 {
		t.Errorf("programs per server: %v, want one server for all", pids)
	}
	for i, p := range programs {
		if idle(t, data) {
			t.Errorf("server stopped with %d programs left", len(programs)-i)
		}
		p.end()
	}
	if !idle(t, data) {
		t.Error("the last program ended, and the server runs on")
	}
	raw, err := os.ReadFile(data + ".log")
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(raw), "ready to accept connections"); n != 1 {
		t.Errorf("%d server starts, want 1", n)
	}
}

// killedWithin is how long the kernel may take over processes that were killed.
const killedWithin = 10 * time.Second

// Cutting a start short at any moment leaves nothing half-made.
func TestCancelledStartLeavesNothingHalfMade(t *testing.T) {
	t.Parallel()
	o := options(t, Options{Dir: newDir(t)})
	data := filepath.Join(o.Dir, "pgdata")
	reason := errors.New("operator changed her mind")
	for _, after := range []time.Duration{0, 30 * time.Millisecond, 250 * time.Millisecond} {
		ctx, cancel := context.WithTimeoutCause(t.Context(), after, reason)
		s, err := Start(ctx, o)
		cancel()
		if err == nil {
			mustStop(t, s)
			t.Fatalf("started within %v: the test needs a shorter time", after)
		}
		if !errors.Is(err, reason) {
			t.Errorf("after %v: %v, want %v", after, err, reason)
		}
		left, _ := filepath.Glob(data + ".init-*")
		if len(left) > 0 || exists(data) {
			t.Errorf("after %v: left %v, data %v", after, left, exists(data))
		}
		eventually(t, "the killed processes are gone", killedWithin, func() bool { return idle(t, data) })
	}
	s := mustStart(t, o)
	pid := serverPID(t, s)
	mustStop(t, s)
	// And the start of a cluster that exists.
	ctx, cancel := context.WithTimeoutCause(t.Context(), 12*time.Millisecond, reason)
	defer cancel()
	if s, err := Start(ctx, o); err == nil {
		mustStop(t, s)
	} else if !errors.Is(err, reason) {
		t.Errorf("got %v, want %v", err, reason)
	}
	eventually(t, "no server runs after a cancelled start", killedWithin, func() bool { return idle(t, data) })
	if s := mustStart(t, o); serverPID(t, s) == pid {
		t.Error("the old server was still there")
	}
}

// Operators move the data to a larger disk and leave a link.
func TestDataDirectoryMovedAndLinked(t *testing.T) {
	t.Parallel()
	o := options(t, Options{Dir: newDir(t), NoSync: true})
	s := mustStart(t, o)
	data, elsewhere := s.DataDir(), filepath.Join(newDir(t), "disk2")
	mustStop(t, s)
	if err := os.Rename(data, elsewhere); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(elsewhere, data); err != nil {
		t.Fatal(err)
	}
	s = mustStart(t, o)
	if got := s.DataDir(); got != elsewhere {
		t.Errorf("data directory %s, want %s", got, elsewhere)
	}
	serverPID(t, s)
	mustStop(t, s)
	if !idle(t, data) {
		t.Error("server still runs")
	}
}

// A cleaner of /tmp may take the socket; waiting does not bring it back.
func TestSocketRemovedUnderARunningServer(t *testing.T) {
	t.Parallel()
	s := mustStart(t, options(t, Options{Dir: newDir(t), NoSync: true}))
	if err := os.Remove(filepath.Join(s.cluster.socket, ".s.PGSQL."+port)); err != nil {
		t.Fatal(err)
	}
	err := ping(t.Context(), s.cluster.socket)
	if err == nil {
		t.Fatal("ping without a socket")
	}
	mentions(t, s.cluster.stuck(err), s.DataDir(), "kill -INT "+strconv.Itoa(serverPID(t, s)))
}

// A waiting program gives up when it is told to.
func TestCancelledWhileAnotherProgramStarts(t *testing.T) {
	t.Parallel()
	o := options(t, Options{Dir: newDir(t)})
	c, err := locate(o, o.Dir)
	if err != nil {
		t.Fatal(err)
	}
	held, err := c.account.try(c.startLock(), syscall.LOCK_EX)
	if err != nil || held == nil {
		t.Fatal(held, err)
	}
	defer held.release()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err = Start(ctx, o)
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v, want %v", err, context.DeadlineExceeded)
	}
	mentions(t, err, "another program", c.startLock())
}

func TestNoBinaries(t *testing.T) {
	t.Parallel()
	empty := newDir(t)
	for name, o := range map[string]Options{
		"nothing on PATH nor elsewhere":  {Dir: newDir(t), Path: empty, globs: []string{}},
		"RECON_PG_BIN names a wrong one": {Dir: newDir(t), Bin: empty, Path: os.Getenv("PATH")},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Start(t.Context(), o)
			if !errors.Is(err, ErrNoBinaries) {
				t.Errorf("got %v, want ErrNoBinaries", err)
			}
			mentions(t, err, "apt-get install postgresql", "brew install postgresql@17", "RECON_PG_BIN", "DATABASE_URL")
		})
	}
}

// Another major version is refused, whatever way the binaries are found, and
// the data stays.
func TestWrongMajorIsAnErrorAndNeverAWipe(t *testing.T) {
	t.Parallel()
	found, err := Find(FindOptions{Bin: os.Getenv("RECON_PG_BIN"), Path: os.Getenv("PATH")})
	if err != nil {
		t.Fatal(err)
	}
	for name, bin := range map[string]string{"found": os.Getenv("RECON_PG_BIN"), "named": found.Dir} {
		for _, noSync := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				o := options(t, Options{Dir: newDir(t), NoSync: noSync})
				o.Bin = bin
				data := filepath.Join(o.Dir, o.kind().dataDir())
				write(t, filepath.Join(data, "PG_VERSION"), "12\n")
				write(t, filepath.Join(data, "base", "ledger"), "precious")
				_, err := Start(t.Context(), o)
				if !errors.Is(err, ErrWrongMajor) {
					t.Errorf("got %v, want ErrWrongMajor", err)
				}
				mentions(t, err, data, "needs PostgreSQL 12", "install version 12", "RECON_PG_BIN")
				raw, err := os.ReadFile(filepath.Join(data, "base", "ledger"))
				if err != nil || string(raw) != "precious" {
					t.Errorf("data: %q, %v", raw, err)
				}
			})
		}
	}
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

// A directory that cannot serve is refused with the reason.
func TestUnusableDirectory(t *testing.T) {
	t.Parallel()
	closed := newDir(t)
	if err := os.Chmod(closed, 0o700); err != nil {
		t.Fatal(err)
	}
	who := "account postgres cannot enter " + closed
	if os.Geteuid() == 0 {
		// Like root's home: ours, and closed to the server's account.
		if _, err := lookupAccount("postgres"); err != nil {
			who = "account nobody cannot enter " + closed
		}
	} else {
		if err := os.Chmod(closed, 0o500); err != nil {
			t.Fatal(err)
		}
		who = closed
	}
	open := newDir(t)
	if err := os.Chmod(open, 0o777); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(newDir(t), "file")
	write(t, file, "")
	foreign := newDir(t)
	write(t, filepath.Join(foreign, "pgdata", "holiday.jpg"), "")

	for _, tt := range []struct {
		name, dir string
		want      []string
	}{
		{"closed to the server's account", filepath.Join(closed, "state"), []string{who, "--state-dir"}},
		{"open to everybody", open, []string{open, "mode 0777", "--state-dir"}},
		{"a file", file, []string{file, "--state-dir"}},
		{"not a cluster", foreign, []string{"no PG_VERSION", "--state-dir"}},
		{"none", "", []string{"--state-dir", "DATABASE_URL"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Start(t.Context(), options(t, Options{Dir: tt.dir}))
			mentions(t, err, tt.want...)
		})
	}
}

// The pid in a stale postmaster.pid may belong to anybody by now.
func TestStalePidFileWithRecycledPid(t *testing.T) {
	t.Parallel()
	o := options(t, Options{Dir: newDir(t)})
	s := mustStart(t, o)
	query(t, s, "CREATE TABLE t AS SELECT 42 AS n")
	c := s.cluster
	mustStop(t, s)

	sleep := exec.Command("sleep", "60")
	sleep.Dir = "/"
	sleep.SysProcAttr = c.account.procAttr() // of the same account: PostgreSQL itself would refuse
	if err := sleep.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		sleep.Process.Kill()
		sleep.Wait()
	}()
	write(t, c.pidFile(), strconv.Itoa(sleep.Process.Pid)+"\n"+c.data+"\n1700000000\n5432\n"+c.socket+"\n\n  5432001   1\nready\n")
	if err := c.account.give(c.pidFile()); err != nil {
		t.Fatal(err)
	}

	again := mustStart(t, o)
	if got := query(t, again, "SELECT n FROM t"); got != "42" {
		t.Errorf("got %q, want 42", got)
	}
	mustStop(t, again)
	if err := sleep.Process.Signal(syscall.Signal(0)); err != nil {
		t.Errorf("the process with the recycled pid was stopped: %v", err)
	}
}

// A server that somebody started on our directory by hand is left alone.
func TestForeignServerOnTheDirectory(t *testing.T) {
	t.Parallel()
	o := options(t, Options{Dir: newDir(t)})
	s := mustStart(t, o)
	c := s.cluster
	mustStop(t, s)
	b, err := c.binaries(o, 0)
	if err != nil {
		t.Fatal(err)
	}
	byHand := exec.Command(b.Path("postgres"), "-D", c.data, "-c", "listen_addresses=", "-c", "unix_socket_directories="+c.data)
	byHand.Dir = "/"
	byHand.SysProcAttr = c.account.procAttr()
	byHand.SysProcAttr.Setsid = true
	if err := byHand.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		byHand.Process.Signal(syscall.SIGQUIT)
		byHand.Wait()
	}()
	eventually(t, "the foreign server runs", 5*time.Second, func() bool { return exists(filepath.Join(c.data, ".s.PGSQL."+port)) })
	_, err = Start(t.Context(), o)
	mentions(t, err, "did not start", strconv.Itoa(byHand.Process.Pid), "stop it first")
	if postmaster(c.data) != byHand.Process.Pid {
		t.Error("the foreign server is gone")
	}
}
