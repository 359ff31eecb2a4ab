package main

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"agentrecon/sql"
)

func TestInbox(t *testing.T) {
	folder := t.TempDir()
	if err := openInbox(folder); err != nil {
		t.Fatal(err)
	}
	now := time.Now().Add(time.Hour)
	put := func(name string, age time.Duration) {
		t.Helper()
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(name), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, now.Add(-age), now.Add(-age)); err != nil {
			t.Fatal(err)
		}
	}
	away := errors.New("the database is away")
	var read []string
	box := &inbox{folder: folder, now: func() time.Time { return now }, log: slog.New(slog.DiscardHandler)}
	box.load = func(_ context.Context, path string) (sql.ImportResult, error) {
		name := filepath.Base(path)
		read = append(read, name)
		switch name {
		case "bad.csv":
			return sql.ImportResult{}, inputError{errors.New("bad.csv:2: amount: \"x\"\nand more")}
		case "later.csv":
			return sql.ImportResult{}, away
		}
		return sql.ImportResult{}, nil
	}
	for _, name := range []string{"b.csv", "a.csv", "bad.csv", ".hidden", "c.csv.part", "d~"} {
		put(name, time.Minute)
	}
	put("fresh.csv", time.Second)
	put(filepath.Join(inboxImported, "a.csv"), time.Hour)
	got, err := box.empty(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"a.csv", "b.csv", "bad.csv"}, read); diff != "" {
		t.Errorf("read (-want +got):\n%s", diff)
	}
	if want := "inbox: 2 files imported, 1 refused: bad.csv:2: amount: \"x\" and more\n"; got.String() != want {
		t.Errorf("message: got %q, want %q", got.String(), want)
	}
	// Nothing is overwritten, and the reason lies beside the refused file.
	for name, want := range map[string]string{
		"imported/a.csv": "imported/a.csv", "imported/a-2.csv": "a.csv", "imported/b.csv": "b.csv", "refused/bad.csv": "bad.csv",
		"refused/bad.csv.error.txt": "bad.csv:2: amount: \"x\"\nand more\n", "fresh.csv": "fresh.csv", "c.csv.part": "c.csv.part",
	} {
		if data, err := os.ReadFile(filepath.Join(folder, name)); err != nil || string(data) != want {
			t.Errorf("%s: got %q, %v, want %q", name, data, err, want)
		}
	}
	// What is nobody's fault leaves the file where it is, to be tried again.
	put("later.csv", time.Minute)
	if _, err := box.empty(t.Context()); !errors.Is(err, away) {
		t.Errorf("got %v, want the database's absence", err)
	}
	if _, err := os.Stat(filepath.Join(folder, "later.csv")); err != nil {
		t.Error(err)
	}
	if (received{}).String() != "" {
		t.Error("an empty inbox has something to say")
	}
}
