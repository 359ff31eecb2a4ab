package sql_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"agentrecon/recon"
	"agentrecon/sql"
	"agentrecon/sql/sqltest"
)

// openThrowaway opens a database of the test's own as one that ends with the program.
func openThrowaway(t *testing.T, url string) *sql.DB {
	t.Helper()
	db, err := sql.Open(t.Context(), sql.Config{URL: url, ApplicationName: "sqltest", Throwaway: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	if err := db.Lighten(t.Context()); err != nil {
		t.Fatal(err)
	}
	return db
}

// TestThrowawayImportsAlike imports files into a database that is kept, row by row, and into one that ends with the
// program, straight. Both leave the same rows and say the same.
func TestThrowawayImportsAlike(t *testing.T) {
	full := attempt("a9", 0)
	full.SourceAccount, full.IdempotencyKey, full.KeySource, full.ArgsSHA256 = "ACC", "k9", "caller", fmt.Sprintf("%064d", 9)
	full.Tool, full.Harness, full.AgentID, full.TurnID, full.Host = "pay", "codex", "agent", "turn", "runner"
	earlier := full
	earlier.ProposedAt = after(-time.Minute)
	unspecified := attempt("a0", 0)
	unspecified.IDSource = ""
	many := make([]recon.Attempt, 0, 3000)
	for n := range cap(many) {
		many = append(many, attempt(fmt.Sprint("m", n%2900), time.Duration(n/2900-n%3)*time.Second))
	}
	tests := []struct {
		name  string
		files []func(*sql.DB, sql.ImportOptions) (sql.ImportResult, error)
	}{
		{"attempts, each once", files(attemptFile("f", attempt("a1", 0), full, unspecified))},
		{"attempts, fired again later", files(attemptFile("f", attempt("a1", 0), full, attempt("a1", time.Second), attempt("a1", 2*time.Second)))},
		{"attempts, fired earlier", files(attemptFile("f", full, attempt("a1", 0), earlier, attempt("a1", -time.Second), attempt("a2", 0)))},
		{"attempts, the same again", files(attemptFile("f", full, full, attempt("a1", 0), full))},
		{"attempts, many", files(attemptFile("f", many...))},
		{"attempts, none", files(attemptFile("f"))},
		{"attempts, another file", files(attemptFile("f", attempt("a1", 0), full), attemptFile("g", earlier, attempt("a2", 0)))},
		{"attempts, then an audit table", files(attemptFile("f", attempt("a1", 0), full), auditFile("g", call("c1", 0, 1), call("c2", 900)))},
		{"attempts, a text that cannot be stored", files(attemptFile("f", attempt("a1", 0), attempt("a\x00", 0)))},
		{"outcomes, each once", files(outcomeFile("f", outcome("a1", recon.Succeeded, "p1", 0), outcome("a2", recon.Failed, "", 1)))},
		{"outcomes, versions", files(outcomeFile("f",
			outcome("a1", recon.Succeeded, "p1", time.Second), outcome("a2", recon.Failed, "", 0), outcome("a1", recon.TimedOut, "", 0),
			outcome("a2", recon.Succeeded, "p2", time.Hour), outcome("a1", recon.Succeeded, "p1", time.Second)))},
		{"outcomes, another file", files(
			outcomeFile("f", outcome("a1", recon.Succeeded, "p1", time.Second), outcome("a2", recon.Failed, "", 0)),
			outcomeFile("g", outcome("a1", recon.TimedOut, "", 0), outcome("a2", recon.Succeeded, "p2", time.Hour), outcome("a3", recon.Denied, "", 0)))},
		{"outcomes, a contradiction with another file", files(
			outcomeFile("f", outcome("a1", recon.Succeeded, "p1", 0)), outcomeFile("g", outcome("a1", recon.Succeeded, "p2", 0)))},
		{"entries", files(entryFile("f", entry("e1", -1), entry("e2", -2), entry("e1", -1)), entryFile("g", entry("e2", -2), entry("e3", -3)))},
		{"entries, a contradiction", files(entryFile("f", entry("e1", -1), entry("e2", -2), entry("e1", -7)))},
		{"the very same file", files(entryFile("f", entry("e1", -1)), entryFile("f", entry("e1", -1)))},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var dumps, said []string
			for _, way := range []struct {
				bytes int64
				open  func(*testing.T, string) *sql.DB
			}{
				{0, func(t *testing.T, url string) *sql.DB { return sqltest.Open(t, url) }},
				{1 << 30, openThrowaway},
			} {
				url := sqltest.NewURL(t)
				db := way.open(t, url)
				for _, file := range test.files {
					r, err := file(db, sql.ImportOptions{Bytes: way.bytes})
					said = append(said, fmt.Sprint(r.File.New, r.Known, r.Deliveries, r.Attached, err))
				}
				dumps = append(dumps, dump(t, url))
			}
			half := len(said) / 2
			if diff := cmp.Diff(said[:half], said[half:]); diff != "" {
				t.Errorf("result (-kept +throw-away):\n%s", diff)
			}
			if diff := cmp.Diff(dumps[0], dumps[1]); diff != "" {
				t.Errorf("rows (-kept +throw-away):\n%s", diff)
			}
		})
	}
}

// files are imports of sources, one after the other.
func files(sources ...any) (list []func(*sql.DB, sql.ImportOptions) (sql.ImportResult, error)) {
	for _, source := range sources {
		list = append(list, func(db *sql.DB, o sql.ImportOptions) (sql.ImportResult, error) {
			ctx := context.Background()
			switch source := source.(type) {
			case sql.AttemptSource:
				return db.ImportAttempts(ctx, source, o)
			case sql.OutcomeSource:
				return db.ImportOutcomes(ctx, source, o)
			case sql.AuditSource:
				return db.ImportAudit(ctx, source, o)
			default:
				return db.ImportEntries(ctx, source.(sql.EntrySource), o)
			}
		})
	}
	return list
}

// What stays of the indexes is what imports and a run look single rows up by; a new one must say that it is needed.
func TestThrowawayIndexes(t *testing.T) {
	url := sqltest.NewURL(t)
	openThrowaway(t, url)
	var got string
	err := sqltest.Connect(t, url).QueryRow(t.Context(), `SELECT string_agg(indexname, ' ' ORDER BY indexname) FROM pg_indexes
		WHERE tablename IN ('transfer_attempts', 'transfer_outcomes', 'transfer_outcome_history', 'ledger_entries')`).Scan(&got)
	want := "ledger_entries_announced ledger_entries_entry_id ledger_entries_pkey transfer_attempts_args transfer_attempts_session"
	if err != nil || got != want {
		t.Errorf("got %s, %v, want %s", got, err, want)
	}
}

func TestOnlyThrowawayIsLightened(t *testing.T) {
	url := sqltest.NewURL(t)
	before := indexes(t, url)
	if err := sqltest.Open(t, url).Lighten(t.Context()); err == nil {
		t.Error("a database that is kept was lightened")
	}
	if diff := cmp.Diff(before, indexes(t, url)); diff != "" {
		t.Errorf("indexes (-before +after):\n%s", diff)
	}
}
