package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"agentrecon/sql"
)

// screen is what a terminal of one line shows, each state once.
type screen struct {
	states []string
	line   string
}

func (s *screen) Write(b []byte) (int, error) {
	for part := range strings.SplitSeq(string(b), "\r") {
		if part == "" {
			continue
		}
		if s.line = part + s.line[min(len(part), len(s.line)):]; len(s.states) == 0 || s.states[len(s.states)-1] != strings.TrimSpace(s.line) {
			s.states = append(s.states, strings.TrimSpace(s.line))
		}
	}
	return len(b), nil
}

func TestProgress(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ledger.csv")
	if err := os.WriteFile(path, make([]byte, 4000), 0o600); err != nil {
		t.Fatal(err)
	}
	// open opens the file for a program whose clock stands at now.
	open := func(p program, now *time.Time, progress bool) (read func(bytes int), m *meter) {
		p.now = func() time.Time { return *now }
		file, err := openFile(t.Context(), &p, path, progress)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = file.Close() })
		return func(bytes int) {
			if _, err := file.Read(make([]byte, bytes)); err != nil {
				t.Fatal(err)
			}
		}, file.meter
	}
	now := time.Date(2025, 4, 1, 9, 0, 0, 0, time.UTC)
	var shown screen
	read, m := open(program{terminal: true, stderr: &shown}, &now, true)
	for range 4 {
		now = now.Add(10 * time.Second)
		read(1000)
		m.report(sql.ImportProgress{Rows: 100 * int64(now.Second()/10)}) // too soon after the last line to be shown
		now = now.Add(progressEvery)
		m.report(sql.ImportProgress{Rows: 100 * int64(now.Second()/10)})
	}
	m.report(sql.ImportProgress{Step: sql.StepStore, Rows: 400})
	m.report(sql.ImportProgress{Step: sql.StepCommit, Rows: 400})
	m.end()
	want := []string{
		"ledger.csv: 25%, 0 rows, 0 rows/s, 0:30 left",
		"ledger.csv: 25%, 100 rows, 9 rows/s, 0:31 left",
		"ledger.csv: 50%, 100 rows, 4 rows/s, 0:20 left",
		"ledger.csv: 50%, 200 rows, 9 rows/s, 0:20 left",
		"ledger.csv: 75%, 200 rows, 6 rows/s, 0:10 left",
		"ledger.csv: 75%, 300 rows, 9 rows/s, 0:10 left",
		"ledger.csv: 100%, 300 rows, 7 rows/s, 0:00 left",
		"ledger.csv: 100%, 400 rows, 9 rows/s, 0:00 left",
		"ledger.csv: 400 rows read in 0:41; comparing with what is recorded and storing",
		"ledger.csv: 400 rows read in 0:41; committing",
		"",
	}
	if diff := cmp.Diff(want, shown.states); diff != "" {
		t.Errorf("states of the line (-want +got):\n%s", diff)
	}

	for name, p := range map[string]program{"no terminal": {stderr: &shown}, "--no-progress": {terminal: true, stderr: &shown}} {
		shown = screen{}
		read, m := open(p, &now, name != "--no-progress")
		read(1000)
		m.report(sql.ImportProgress{Step: sql.StepCommit})
		m.end()
		if shown.states != nil {
			t.Errorf("%s: shown %q, want nothing", name, shown.states)
		}
	}
}
