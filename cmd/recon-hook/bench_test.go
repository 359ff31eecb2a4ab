package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"agentrecon/sql"
	"agentrecon/sql/embedded"
	"agentrecon/sql/recorder"
)

// Limits of a hook, in milliseconds from the start of its process to its end, with the database on this machine.
const (
	limitHook         = 15.0
	limitAboveConnect = 5.0 // above a process that opens a connection, closes it and ends
)

// The time of a hook, on a server that syncs each commit to disk and on one that does not, beside its limits and beside
// what it is measured by: a connection opened and closed, by a process of its own and within a running one. Where
// python3 has psycopg, the original hook in Python takes its turn as well.
func BenchmarkHook(b *testing.B) {
	folder := b.TempDir()
	hook, connect := build(b, folder, "recon-hook", "."), build(b, folder, "connect", "./testdata/connect")
	python := pythonHook(b, folder)
	for _, server := range []string{"synced", "unsynced"} {
		b.Run(server, func(b *testing.B) {
			url := startServer(b, server == "synced")
			record := []string{"DATABASE_URL=" + url, "RECON_SPOOL_DIR=" + filepath.Join(b.TempDir(), "spool"), "PATH=" + os.Getenv("PATH")}
			call := 0
			process := func(env []string, payload func(call string) string, name string, args ...string) func() {
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
			within := func() {
				db, err := recorder.Open(context.Background(), url)
				if err != nil {
					b.Fatal(err)
				}
				db.Leave()
			}
			subjects := []func(){
				process(record, before, "true"), within, process(record, before, connect),
				process(record, before, hook, "pre"), process(record, succeeded, hook, "post"),
			}
			if python != "" { // it may find its driver by the caller's environment
				subjects = append(subjects, process(append(os.Environ(), record[0]), before, "python3", python))
			}
			const firings = 200
			for range b.N {
				took := medians(firings, subjects...)
				b.ReportMetric(took[0], "ms-empty-process")
				b.ReportMetric(took[1], "ms-connect-within")
				b.ReportMetric(took[2], "ms-connect")
				b.ReportMetric(took[3], "ms-pre")
				b.ReportMetric(took[4], "ms-post")
				b.ReportMetric(limitHook, "ms-limit")
				b.ReportMetric(took[3]-took[2], "ms-pre-above-connect")
				b.ReportMetric(took[4]-took[2], "ms-post-above-connect")
				b.ReportMetric(limitAboveConnect, "ms-limit-above-connect")
				if python != "" {
					b.ReportMetric(took[5], "ms-python")
				}
			}
			b.ReportMetric(0, "ns/op")
		})
	}
}

func build(b *testing.B, folder, name, pkg string) string {
	b.Helper()
	binary := filepath.Join(folder, name)
	c := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w -buildid=", "-o", binary, pkg)
	c.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := c.CombinedOutput(); err != nil {
		b.Fatal(err, string(out))
	}
	return binary
}

// startServer starts a private PostgreSQL with the schema in it: one that syncs to disk, or one that is thrown away.
func startServer(b *testing.B, synced bool) (url string) {
	b.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	options := embedded.Options{Bin: os.Getenv("RECON_PG_BIN"), User: os.Getenv("RECON_PG_USER"), Path: os.Getenv("PATH"), Throwaway: true}
	if synced {
		// Not in a test's folder, which only its owner may enter: the server may run as another account.
		folder, err := os.MkdirTemp("", "recon-hook-bench-")
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { _ = os.RemoveAll(folder) })
		options.Throwaway, options.Dir = false, filepath.Join(folder, "state")
		if err := os.Chmod(folder, 0o755); err != nil {
			b.Fatal(err)
		}
	}
	server, err := embedded.Start(ctx, options)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := server.Stop(ctx); err != nil {
			b.Error(err)
		}
	})
	db, err := sql.Open(ctx, sql.Config{URL: server.ConnString()})
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Migrate(ctx); err != nil {
		b.Fatal(err)
	}
	return server.ConnString()
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

// pythonHook writes the hook before a call as it was in Python, if there is a Python that can run it.
func pythonHook(b *testing.B, folder string) string {
	b.Helper()
	const driver = `
try:
    import psycopg
except ImportError:
    import psycopg2 as psycopg
`
	if exec.Command("python3", "-c", driver).Run() != nil {
		fmt.Println("BenchmarkHook: not compared with the hook in Python, for there is no python3 that has psycopg or psycopg2")
		return ""
	}
	script := filepath.Join(folder, "hook.py")
	content := []byte(driver + `
import hashlib, json, os, sys
event = json.load(sys.stdin)
args = event["tool_input"]
identity = event.get("tool_use_id") or hashlib.sha256(json.dumps(
    [event["session_id"], event["tool_name"], args], sort_keys=True, separators=(",", ":")).encode()).hexdigest()
with psycopg.connect(os.environ["DATABASE_URL"]) as connection:
    connection.cursor().execute(
        "INSERT INTO transfer_attempts (attempt_id, session_id, amount_cents, dest_account, ref, proposed_at)"
        " VALUES (%s, %s, %s, %s, %s, now()) ON CONFLICT (attempt_id) DO NOTHING",
        (identity, event["session_id"], args["amount_cents"], args["dest_account"], args.get("reference")))
`)
	if err := os.WriteFile(script, content, 0o600); err != nil {
		b.Fatal(err)
	}
	return script
}
