package capture_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"agentrecon/recon/capture"
)

var update = flag.Bool("update", false, "rewrite golden files")

var at = time.Date(2025, 3, 3, 9, 0, 0, 123456000, time.UTC)

// hint is what the recorder of a payload would have been called for, by the payload's name.
func hint(name string) capture.Phase {
	switch {
	case strings.Contains(name, "-session"), strings.Contains(name, "-interrupt.json"):
		return capture.Session
	case strings.Contains(name, "-post"), strings.Contains(name, "-failure"), strings.Contains(name, "-denied"):
		return capture.Post
	default:
		return capture.Pre
	}
}

// Every payload of testdata, and in words what is read from it.
func TestRead(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "payloads", "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	var b strings.Builder
	for _, file := range files {
		payload, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Base(file)
		e, err := capture.DefaultRules().Read(payload, capture.Options{Hint: hint(name), At: at, FillKey: true})
		fmt.Fprintf(&b, "%s\n%s\n", name, describe(e, err))
	}
	golden(t, filepath.Join("testdata", "events.golden"), b.String())
}

func describe(e capture.Event, err error) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, "  "+format+"\n", args...) }
	if err != nil {
		line("error: %v", err)
		return b.String()
	}
	line("%s %s %q", e.Harness, e.Phase, e.Name)
	if e.Ignored != "" {
		line("ignored: %s", e.Ignored)
	}
	a := e.Attempt
	if a.ID != "" {
		line("id %s %q", a.IDSource, a.ID)
		line("args %s session %q agent %q turn %q tool %q", a.ArgsSHA256[:12], a.SessionID, a.AgentID, a.TurnID, a.Tool)
	}
	switch e.Phase {
	case capture.Pre:
		line("%d %s from %q to %q for %q, key %s %q", a.Minor, a.Currency, a.SourceAccount, a.DestAccount, a.Reference, a.KeySource, a.IdempotencyKey)
	case capture.Session:
		line("session %q %s", e.Session.SessionID, e.Session.Event)
	case capture.Other:
	default:
		line("outcome %s %q %q", e.Outcome.Status, e.Outcome.ProviderRef, e.Outcome.Error)
	}
	for _, n := range e.Notes {
		line("note: %s", n)
	}
	if e.Phase == capture.Pre && e.Ignored == "" {
		line("answer: %s", strings.TrimSpace(e.Proceed(false).Stdout))
	}
	return b.String()
}

func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(got, string(want)); diff != "" {
		t.Errorf("%s differs (-got +want); -update rewrites it:\n%s", file, diff)
	}
}
