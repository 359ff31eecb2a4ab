package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"agentrecon/fixtures/worlds"
	"agentrecon/sql/embedded"
)

// BenchmarkReconcile sets the program, from the files of a world of -world attempts to the items file, beside psql with the
// SQL of testdata/peer.sql over the same files. Both start and stop a server of their own, which is counted. Processor time
// is compared: of this process and of those that it has waited for.
func BenchmarkReconcile(b *testing.B) {
	w := worlds.Make(1, *worldAttempts)
	dir := b.TempDir()
	args := append([]string{"recon", "reconcile", "--items", filepath.Join(dir, "items.jsonl")}, w.Policy...)
	for _, f := range w.Files {
		path := filepath.Join(dir, f.Name)
		if err := os.WriteFile(path, f.Data, 0o600); err != nil {
			b.Fatal(err)
		}
		args = append(args, "--"+f.Kind, path)
	}
	for b.Loop() {
		began, used := time.Now(), processorTime(b)
		runProgram(b, args)
		ours, seconds := processorTime(b)-used, time.Since(began)
		used = processorTime(b)
		runPeer(b, dir)
		theirs := processorTime(b) - used
		b.ReportMetric(0, "ns/op")
		b.ReportMetric(seconds.Seconds(), "s")
		b.ReportMetric(ours.Seconds(), "cpu-s")
		b.ReportMetric(theirs.Seconds(), "psql-cpu-s")
		b.ReportMetric(ours.Seconds()/theirs.Seconds(), "x-psql-cpu")
	}
}

// runPeer runs testdata/peer.sql in the folder of the files.
func runPeer(b *testing.B, dir string) {
	script, err := filepath.Abs(filepath.Join("testdata", "peer.sql"))
	if err != nil {
		b.Fatal(err)
	}
	options := embedded.Options{Bin: os.Getenv("RECON_PG_BIN"), User: os.Getenv("RECON_PG_USER"), Path: os.Getenv("PATH"), Throwaway: true}
	server, err := embedded.Start(b.Context(), options)
	if err != nil {
		b.Fatal(err)
	}
	psql := exec.CommandContext(b.Context(), "psql", "--no-psqlrc", "--quiet", "--file", script, server.ConnString())
	psql.Dir = dir
	said, err := psql.CombinedOutput()
	if stopErr := server.Stop(b.Context()); err == nil {
		err = stopErr
	}
	if err != nil {
		b.Fatalf("psql: %v\n%s", err, said)
	}
}

// processorTime is what this process and the children that it has waited for have used so far.
func processorTime(b *testing.B) time.Duration {
	var used time.Duration
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var u syscall.Rusage
		if err := syscall.Getrusage(who, &u); err != nil {
			b.Fatal(err)
		}
		used += time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	return used
}
