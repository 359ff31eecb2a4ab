package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"agentrecon/sql/recorder"
	"agentrecon/sql/sqltest"
)

// The time of a hook from the start of its process to its end, with the database on this machine. Limits: the median
// under 15 ms, and under 5 ms above a bare connection that is opened and closed. Where python3 has psycopg, the same
// in the Python of the original hooks is shown beside it.
func BenchmarkHook(b *testing.B) {
	const firings = 60
	url := sqltest.NewURL(b)
	binary := filepath.Join(b.TempDir(), "recon-hook")
	build := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", binary, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		b.Fatal(err, string(out))
	}
	env := []string{"DATABASE_URL=" + url, "RECON_SPOOL_DIR=" + filepath.Join(b.TempDir(), "spool"), "PATH=" + os.Getenv("PATH")}
	call := 0
	process := func(payload func(call string) string, name string, args ...string) func() {
		return func() {
			call++ // a call of its own each time: one that comes again writes less
			c := exec.Command(name, args...)
			c.Env, c.Stdin = env, strings.NewReader(payload(fmt.Sprintf("toolu_01Benchmark%06d", call)))
			if out, err := c.CombinedOutput(); err != nil {
				b.Fatal(name, err, string(out))
			}
		}
	}
	succeeded := func(call string) string { return afterwards(call, `{"ok":true,"provider_ref":"tr_1"}`) }
	connect := func() {
		db, err := recorder.Open(context.Background(), url)
		if err != nil {
			b.Fatal(err)
		}
		db.Close(context.Background())
	}
	for range b.N {
		took := medians(firings, connect, process(before, "true"), process(before, binary, "id"),
			process(before, binary, "pre"), process(succeeded, binary, "post"))
		b.ReportMetric(took[0], "ms-connect")
		b.ReportMetric(took[1], "ms-empty-process")
		b.ReportMetric(took[2], "ms-id")
		b.ReportMetric(took[3], "ms-pre")
		b.ReportMetric(took[3]-took[0], "ms-pre-above-connect")
		b.ReportMetric(took[4], "ms-post")
		if python := pythonHook(b); python != "" {
			b.ReportMetric(medians(10, process(before, "python3", python))[0], "ms-python")
		}
	}
	b.ReportMetric(0, "ns/op")
}

// medians are those of n calls each, in milliseconds. The calls take turns, so that what else the machine does falls on
// all of them alike.
func medians(n int, calls ...func()) []float64 {
	took := make([][]float64, len(calls))
	for range n {
		for i, call := range calls {
			begun := time.Now()
			call()
			took[i] = append(took[i], float64(time.Since(begun).Microseconds())/1000)
		}
	}
	var middle []float64
	for _, times := range took {
		slices.Sort(times)
		middle = append(middle, times[n/2])
	}
	return middle
}

// pythonHook writes the recorder as it was in Python, if there is a Python that can run it.
func pythonHook(b *testing.B) string {
	if exec.Command("python3", "-c", "import psycopg").Run() != nil {
		return ""
	}
	script := filepath.Join(b.TempDir(), "hook.py")
	content := bytes.TrimSpace([]byte(`
import hashlib, json, os, sys
import psycopg
event = json.load(sys.stdin)
args = event["tool_input"]
identity = event.get("tool_use_id") or hashlib.sha256(json.dumps(
    [event["session_id"], event["tool_name"], args], sort_keys=True, separators=(",", ":")).encode()).hexdigest()
with psycopg.connect(os.environ["DATABASE_URL"]) as connection:
    connection.execute(
        "INSERT INTO transfer_attempts (attempt_id, session_id, amount_cents, dest_account, ref, proposed_at)"
        " VALUES (%s, %s, %s, %s, %s, now()) ON CONFLICT (attempt_id) DO NOTHING",
        (identity, event["session_id"], args["amount_cents"], args["dest_account"], args.get("reference")))
`))
	if err := os.WriteFile(script, content, 0o600); err != nil {
		b.Fatal(err)
	}
	return script
}
