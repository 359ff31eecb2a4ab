package embedded

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// asOwner is set, to Options in JSON, when a test runs this binary again as
// another program that uses a cluster.
const asOwner = "RECON_EMBEDDED_TEST_OWNER"

func TestMain(m *testing.M) {
	if raw := os.Getenv(asOwner); raw != "" {
		if err := own([]byte(raw)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// own starts the cluster, says so, and stops it when standard input ends.
func own(raw []byte) error {
	var o Options
	if err := json.Unmarshal(raw, &o); err != nil {
		return err
	}
	s, err := Start(context.Background(), o)
	if err != nil {
		return err
	}
	fmt.Println(s.DataDir(), postmaster(s.DataDir()))
	if _, err := io.Copy(io.Discard, os.Stdin); err != nil {
		return err
	}
	return s.Stop(context.Background())
}

// A program is another process that owns or shares a cluster.
type program struct {
	t     *testing.T
	cmd   *exec.Cmd
	stdin io.Closer
	out   *bufio.Reader
}

func startProgram(t *testing.T, o Options) *program {
	t.Helper()
	o.Log = nil // does not go through JSON
	raw, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), asOwner+"="+string(raw))
	cmd.Stderr = t.Output()
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p := &program{t, cmd, stdin, bufio.NewReader(out)}
	t.Cleanup(p.kill)
	return p
}

// ready waits until the program has its server, and returns which.
func (p *program) ready() (data string, pid int) {
	p.t.Helper()
	line, err := p.out.ReadString('\n')
	if err != nil {
		p.t.Fatalf("program did not start: %v", err)
	}
	if _, err := fmt.Sscan(line, &data, &pid); err != nil {
		p.t.Fatalf("program said %q: %v", line, err)
	}
	return data, pid
}

// end lets the program stop in order.
func (p *program) end() {
	p.t.Helper()
	p.stdin.Close()
	if err := p.cmd.Wait(); err != nil {
		p.t.Errorf("program ended with %v", err)
	}
}

// kill is kill -9.
func (p *program) kill() {
	_ = p.cmd.Process.Kill() // it may have ended
	_ = p.cmd.Wait()
}

// newDir returns a directory that the server's account can enter, unlike
// t.TempDir when the test runs as root.
func newDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "recon-embedded-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { removeAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	// macOS: /tmp is a link.
	dir, err = filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func options(t *testing.T, o Options) Options {
	o.Path = os.Getenv("PATH")
	o.Bin = os.Getenv("RECON_PG_BIN")
	o.Log = slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelDebug}))
	return o
}

// mustStart starts a server that is stopped at the latest when the test ends.
func mustStart(t *testing.T, o Options) *Server {
	t.Helper()
	s, err := Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Stop(context.Background()); err != nil {
			t.Errorf("stop: %v", err)
		}
	})
	return s
}

func mustStop(t *testing.T, s *Server) {
	t.Helper()
	if err := s.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// query runs SQL with the psql that lies beside the server, or on PATH.
func query(t *testing.T, s *Server, sql string) string {
	t.Helper()
	out, err := psql(t, s, sql).Output()
	if err != nil {
		if e := (*exec.ExitError)(nil); errors.As(err, &e) {
			t.Fatalf("%s: %s", sql, e.Stderr)
		}
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

func psql(t *testing.T, s *Server, sql string) *exec.Cmd {
	t.Helper()
	o := options(t, Options{})
	b, err := Find(FindOptions{Bin: o.Bin, Path: o.Path})
	if err != nil {
		t.Fatal(err)
	}
	program := b.Path("psql")
	if !executable(program) {
		program = "psql"
	}
	return exec.Command(program, "-XAtq", "-v", "ON_ERROR_STOP=1", "-d", s.ConnString(), "-c", sql)
}

func serverPID(t *testing.T, s *Server) int {
	t.Helper()
	pid := postmaster(s.DataDir())
	if pid == 0 {
		t.Fatal("no server runs")
	}
	return pid
}

// uidOf asks ps rather than /proc, so that it works everywhere.
func uidOf(t *testing.T, pid int) int {
	t.Helper()
	out, err := exec.Command("ps", "-o", "uid=", "-p", strconv.Itoa(pid)).Output()
	if err != nil {
		t.Fatal(err)
	}
	uid, err := strconv.Atoi(strings.TrimSpace(string(out)))
	if err != nil {
		t.Fatal(err)
	}
	return uid
}

// eventually waits for what is to come true by itself.
func eventually(t *testing.T, what string, within time.Duration, cond func() bool) {
	t.Helper()
	began := time.Now()
	for !cond() {
		if time.Since(began) > within {
			t.Fatalf("not within %v: %s", within, what)
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Logf("%s after %v", what, time.Since(began).Round(time.Millisecond))
}

// idle tells whether no process of the cluster's server is left.
func idle(t *testing.T, data string) bool {
	t.Helper()
	// A process that a parallel test forks has copies of that test's locks, and
	// of ours, until it executes its program.
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	f, err := os.OpenFile(data+".server", os.O_RDWR, 0)
	if errors.Is(err, os.ErrNotExist) {
		return true
	}
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// mentions reports an error whose text lacks one of the words.
func mentions(t *testing.T, err error, words ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, want one with %q", words)
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("error %q, want %q in it", err, w)
		}
	}
}
