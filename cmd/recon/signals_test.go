package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"agentrecon/fixtures/quarter"
	"agentrecon/sql/sqltest"
)

// TestStoppedInTheMiddle stops the program at many moments: it ends with the signal's code or had finished, no file is
// left half-written, and no run half-recorded.
func TestStoppedInTheMiddle(t *testing.T) {
	in := t.TempDir()
	for _, f := range quarter.Generate(quarter.StorySeed) {
		if err := os.WriteFile(filepath.Join(in, f.Name), f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	url := sqltest.NewURL(t)
	program := func(dir string, args ...string) *exec.Cmd {
		cmd := exec.Command("recon", args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "DATABASE_URL="+url, "RECON_SPOOL_DIR="+filepath.Join(in, "spool"))
		return cmd
	}
	for _, args := range [][]string{
		{"import", "attempts", filepath.Join(in, "attempts.csv")},
		{"import", "ledger", filepath.Join(in, "ledger.csv")},
	} {
		if out, err := program(in, args...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
	}
	db := sqltest.Open(t, url)
	for n, delay := range []time.Duration{20, 60, 120, 200, 300, 450, 700, 1100} {
		signal, want := syscall.SIGINT, exitInterrupted
		if n%2 == 1 {
			signal, want = syscall.SIGTERM, exitTerminated
		}
		dir := t.TempDir()
		var output bytes.Buffer
		cmd := program(dir, "run", "--as-of", "2025-04-07T00:00:00Z", "--report", "night.xlsx", "--items", "items.jsonl")
		cmd.Stdout, cmd.Stderr = &output, &output
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(delay * time.Millisecond)
		_ = cmd.Process.Signal(signal)
		code := 0
		var exit *exec.ExitError
		if err := cmd.Wait(); errors.As(err, &exit) {
			code = exit.ExitCode()
		}
		// A signal before the program listens ends it the operating system's way, and the server may then hold the lock
		// a moment longer than the next try waits.
		if code != 0 && code != want && code != -1 && code != exitTemporary {
			t.Errorf("after %d ms: exit code %d, want 0 or %d\n%s", delay, code, want, output.String())
		}
		files, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			if name := f.Name(); name != "night.xlsx" && name != "items.jsonl" {
				t.Errorf("after %d ms: %s is left behind", delay, name)
			}
		}
		if code != 0 {
			continue
		}
		if _, err := os.Stat(filepath.Join(dir, "night.xlsx")); err != nil {
			t.Errorf("after %d ms: ended well without its workbook", delay)
		}
	}
	verified, err := db.Verify(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(verified.Problems) > 0 {
		t.Errorf("the chain of runs is broken: %v", verified.Problems)
	}
}

// TestImportStopped stops an import of several files in the middle of one. What was imported before stays, whole; of the
// others nothing is kept, and that is said.
func TestImportStopped(t *testing.T) {
	dir, url := t.TempDir(), sqltest.NewURL(t)
	const row = "amount,currency,booked_on\n-%d.00,EUR,2025-01-01\n"
	for n, name := range []string{"a.csv", "b.csv"} {
		if err := os.WriteFile(filepath.Join(dir, name), fmt.Appendf(nil, row, n+1), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("recon", "import", "ledger", "a.csv", "-", "b.csv")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "DATABASE_URL="+url)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	stdin, err1 := cmd.StdinPipe()
	stdout, err2 := cmd.StdoutPipe()
	if err := errors.Join(err1, err2, cmd.Start()); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(stdout)
	if !lines.Scan() || !strings.HasPrefix(lines.Text(), "imported a.csv: 1 of 1 rows new") {
		t.Errorf("got %q, want a.csv imported", lines.Text())
	}
	if _, err := fmt.Fprintf(stdin, row, 7); err != nil { // and nothing more: the program waits for the rest
		t.Fatal(err)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if lines.Scan() {
		t.Errorf("then it said %q, want nothing", lines.Text())
	}
	_ = cmd.Wait() // its code is what counts
	if code := cmd.ProcessState.ExitCode(); code != exitInterrupted {
		t.Errorf("exit code %d, want %d", code, exitInterrupted)
	}
	if got, want := stderr.String(), "recon: nothing is kept of -, b.csv\nrecon: stopped by interrupt\n"; got != want {
		t.Errorf("it says %q, want %q", got, want)
	}
	var files, entries int
	err := sqltest.Connect(t, url).QueryRow(t.Context(), "SELECT (SELECT count(*) FROM ledger_files), (SELECT count(*) FROM ledger_entries)").Scan(&files, &entries)
	if err != nil || files != 1 || entries != 1 {
		t.Errorf("%d files and %d entries are recorded, %v; want one of each", files, entries, err)
	}
}

// TestNoSecretIsPrinted greps the output of failing commands for a password.
func TestNoSecretIsPrinted(t *testing.T) {
	const canary = "c4n4ry-p4ss"
	url := strings.Replace(fmt.Sprintf("postgres://someone:%s@127.0.0.1:1/none", canary), "someone", "some%20one", 1)
	for _, args := range [][]string{
		{"run"},
		{"run", "--nope"},
		{"--help"},
		{"status"},
		{"migrate"},
		{"--database-url", url, "run"},
		{"frobnicate"},
		{"--database-url", "host=127.0.0.1 port=1 password = " + canary + " sslmode", "run"},
		{"--database-url", "postgres://u:" + canary + "@[::1", "run"},
		{"--log-level", "debug", "run"},
	} {
		cmd := exec.Command("recon", args...)
		cmd.Env = append(os.Environ(), "DATABASE_URL="+url)
		out, _ := cmd.CombinedOutput()
		if bytes.Contains(out, []byte(canary)) {
			t.Errorf("%v prints the password:\n%s", args[len(args)-1:], out)
		}
	}
}
