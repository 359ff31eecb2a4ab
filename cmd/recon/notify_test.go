package main

import (
	"bytes"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"agentrecon/recon"
)

func TestNotifier(t *testing.T) {
	var got []string
	status := http.StatusOK
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if rid := r.URL.Query().Get("rid"); r.URL.Path != "/hook" && len(rid) != 36 {
			t.Errorf("rid %q is no UUID", rid)
		}
		got = append(got, r.URL.Path+" "+string(body))
		w.WriteHeader(status)
	}))
	defer server.Close()
	var log bytes.Buffer
	metrics := filepath.Join(t.TempDir(), "recon.prom")
	n := &notifier{
		heartbeat: server.URL + "/canary-secret/", webhook: server.URL + "/hook", metrics: metrics,
		log: slog.New(slog.NewTextHandler(&log, nil)), client: server.Client(),
	}
	at := slot{key: "2025-04-07T02:30"}
	n.started(t.Context(), at)
	r := &recon.Report{Run: recon.RunInfo{ID: 7, RecordedAt: time.Unix(1700000000, 0)}}
	n.succeeded(t.Context(), at, r, "13 items\n", 1500*time.Millisecond)
	n.fail(t.Context(), at, usagef("no such day\nsecond line"))
	n.fail(t.Context(), at, errors.New("the retry of the same slot"))
	want := []string{
		"/canary-secret/start ", "/canary-secret 13 items\n", `/hook {"text":"13 items\n"}`,
		"/canary-secret/64 recon: slot 2025-04-07T02:30 failed (exit code 64): no such day second line\n",
		`/hook {"text":"recon: slot 2025-04-07T02:30 failed (exit code 64): no such day second line\n"}`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
	data, err := os.ReadFile(metrics)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"recon_last_success_timestamp_seconds 1700000000\n", "recon_last_run_duration_seconds 2\n", "recon_chain_length 7\n", "recon_unresolved_attempts 0\n"} {
		if !strings.Contains(string(data), line) {
			t.Errorf("metrics:\n%s\nwant %q in them", data, line)
		}
	}
	// Refused and unreachable: tried twice, logged without the address.
	got, status = nil, http.StatusInternalServerError
	n.started(t.Context(), at)
	if len(got) != 2 {
		t.Errorf("a refused notice was sent %d times, want 2", len(got))
	}
	server.Close()
	n.started(t.Context(), at)
	if text := log.String(); strings.Count(text, "not told") != 2 || strings.Contains(text, "canary-secret") {
		t.Errorf("log:\n%s\nwant two warnings without the address", text)
	}
}

func TestHookAddresses(t *testing.T) {
	for _, address := range []string{"ftp://x/canary-secret", "canary-secret", "http://", "https://[canary-secret", "http:///canary-secret"} {
		if err := parseHook(flagHeartbeat, address); err == nil || strings.Contains(err.Error(), "canary-secret") || exitCode(err) != exitConfig {
			t.Errorf("%s: got %v, want an error of configuration without the address", address, err)
		}
	}
	for _, address := range []string{"", "https://hc.example/ping/1", "http://127.0.0.1:1/x"} {
		if err := parseHook(flagHeartbeat, address); err != nil {
			t.Errorf("%q: %v", address, err)
		}
	}
}
