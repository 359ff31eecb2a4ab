package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// A killed demo cannot tidy up; a later one does, and leaves alone what may be in use.
func TestTemporaryInputsOfKilledDemosAreRemoved(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	now := time.Now()
	made, err := temporaryInputs(now)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := temporaryInputs(now); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(made); err != nil {
		t.Errorf("a fresh folder was removed: %v", err)
	}
	if err := os.WriteFile(filepath.Join(made, "ledger.csv"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := temporaryInputs(now.Add(2 * abandonedAfter)); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(made); !os.IsNotExist(err) {
		t.Errorf("an abandoned folder is still there: %v", err)
	}
}
