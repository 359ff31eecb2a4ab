package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"agentrecon/sql/sqltest"
)

func TestMain(m *testing.M) {
	testscript.Main(held{m}, map[string]func(){"recon": main})
}

// held runs the tests with the shared test cluster up until the last one has ended.
type held struct{ m *testing.M }

func (h held) Run() int { return sqltest.Main(h.m) }

// TestScripts runs the real program, end to end, on real PostgreSQL.
func TestScripts(t *testing.T) {
	// The recorder is a program of its own; the scripts that use it use the real one.
	bin := t.TempDir()
	if out, err := exec.Command("go", "build", "-o", bin, "agentrecon/cmd/recon-hook").CombinedOutput(); err != nil {
		t.Fatalf("build recon-hook: %v\n%s", err, out)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":    exits,
			"figure":   figure,
			"database": func(ts *testscript.TestScript, _ bool, args []string) { database(t, ts, args) },
			"edit":     edit,
			"old":      old,
			"workbook": workbook,
		},
		Setup: func(env *testscript.Env) error {
			env.Setenv("HOME", env.WorkDir)
			env.Setenv("RECON_SPOOL_DIR", filepath.Join(env.WorkDir, "spool"))
			env.Setenv("TMPDIR", os.TempDir()) // the unprivileged account of a private server must reach it
			env.Setenv("PATH", env.Getenv("PATH")+string(os.PathListSeparator)+bin)
			env.Setenv("RECON_PG_BIN", os.Getenv("RECON_PG_BIN"))
			return nil
		},
	})
}

// exits CODE program args… checks the exact exit code, and keeps stdout and stderr for the commands that compare them.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE program args…")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		got = exit.ExitCode()
		if status, ok := exit.Sys().(syscall.WaitStatus); ok && status.Signaled() {
			got = 128 + int(status.Signal())
		}
	case err != nil:
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// figure FILE PATH VALUE compares a value of a JSON file, "stdout" being the last output. The path is members joined by
// dots; a member that holds dots or blanks is written with blanks as it is.
func figure(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: figure FILE PATH VALUE")
	}
	var value any
	decoder := json.NewDecoder(strings.NewReader(ts.ReadFile(args[0])))
	decoder.UseNumber()
	ts.Check(decoder.Decode(&value))
	for _, name := range strings.Split(args[1], ".") {
		object, ok := value.(map[string]any)
		if !ok {
			ts.Fatalf("%s: %q is not in an object", args[1], name)
		}
		value = object[name]
	}
	if got := fmt.Sprint(value); got != args[2] {
		ts.Fatalf("%s is %s, want %s", args[1], got, args[2])
	}
}

// database [empty] gives the script a database of its own, migrated unless empty, in DATABASE_URL.
func database(t *testing.T, ts *testscript.TestScript, args []string) {
	url := ""
	if len(args) == 1 && args[0] == "empty" {
		url = sqltest.NewEmptyURL(t)
	} else {
		url = sqltest.NewURL(t)
	}
	ts.Setenv("DATABASE_URL", url)
}

// old FILE… makes files an hour older, as if nobody had touched them since.
func old(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: old FILE…")
	}
	for _, name := range args {
		at := time.Now().Add(-time.Hour)
		ts.Check(os.Chtimes(ts.MkAbs(name), at, at))
	}
}

// edit changes a CSV file in place, so that the script can see what one row is worth:
//
//	edit drop FILE COLUMN VALUE           removes the row whose column has the value
//	edit copy FILE COLUMN VALUE NEW       appends a copy of that row with another value in the column
func edit(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 4 {
		ts.Fatalf("usage: edit drop|copy FILE COLUMN VALUE [NEW]")
	}
	path := ts.MkAbs(args[1])
	data, err := os.ReadFile(path)
	ts.Check(err)
	lines := strings.SplitAfter(string(data), "\n")
	column := -1
	for n, name := range strings.Split(strings.TrimSpace(lines[0]), ",") {
		if name == args[2] {
			column = n
		}
	}
	found := -1
	for n, line := range lines[1:] {
		if fields := strings.Split(line, ","); column >= 0 && column < len(fields) && fields[column] == args[3] {
			found = n + 1
		}
	}
	if found < 0 {
		ts.Fatalf("%s has no row with %s = %s", args[1], args[2], args[3])
	}
	switch {
	case args[0] == "drop":
		lines = append(lines[:found:found], lines[found+1:]...)
	case args[0] == "copy" && len(args) == 5:
		lines = append(lines[:len(lines)-1], strings.Replace(lines[found], args[3], args[4], 1), "")
	default:
		ts.Fatalf("edit %s: unknown, or NEW is missing", args[0])
	}
	ts.Check(os.WriteFile(filepath.Clean(path), []byte(strings.Join(lines, "")), 0o644))
}
