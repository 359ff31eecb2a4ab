package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"agentrecon/fixtures/quarter"
	"agentrecon/sql/sqltest"
)

// TestTheReportOfARunIsTheSameOnAnyDay exports one run days, months and years later: neither the clock nor who exports
// leaves a trace in the workbook.
func TestTheReportOfARunIsTheSameOnAnyDay(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("DATABASE_URL", sqltest.NewURL(t))
	made := time.Date(2025, 4, 7, 1, 30, 0, 0, time.UTC)
	recon := func(now time.Time, user string, args ...string) {
		t.Helper()
		variables := map[string]string{
			"HOME": folder, "USER": user, "LOGNAME": user, "RECON_SPOOL_DIR": filepath.Join(folder, "spool"), "TMPDIR": folder,
		}
		var stderr bytes.Buffer
		if code := run(program{
			args: append([]string{"recon"}, args...), stdin: strings.NewReader(""), stdout: io.Discard, stderr: &stderr,
			getenv: func(name string) string { return variables[name] }, now: func() time.Time { return now },
		}); code != 0 {
			t.Fatalf("recon %s: exit code %d: %s", strings.Join(args, " "), code, stderr.String())
		}
	}
	for _, f := range quarter.Generate(quarter.StorySeed) {
		if err := os.WriteFile(filepath.Join(folder, f.Name), f.Data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, population := range []string{"attempts", "outcomes", "sessions", "ledger"} {
		recon(made, "loader", "import", population, filepath.Join(folder, population+".csv"))
	}
	recon(made, "nightly", "run", "--as-of", "2025-04-07T00:00:00Z")
	first := filepath.Join(folder, "first.xlsx")
	recon(made, "nightly", "export", "--run", "1", "--quarter", "2025Q1", "--out", first)
	want, err := os.ReadFile(first)
	if err != nil {
		t.Fatal(err)
	}
	for _, now := range []time.Time{made.AddDate(0, 0, 1), made.AddDate(0, 5, 3), made.AddDate(9, 0, 0).In(time.FixedZone("", -5*3600))} {
		later := filepath.Join(folder, "later.xlsx")
		recon(now, "auditor", "export", "--run", "1", "--quarter", "2025Q1", "--out", later)
		if got, err := os.ReadFile(later); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: another workbook than when the run was made (%v)", now, err)
		}
	}
}
