package sql_test

import (
	"errors"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"agentrecon/sql/sqltest"
)

const (
	denied     = "42501" // insufficient_privilege
	restricted = "23001" // restrict_violation: an append-only trigger
)

// TestForbiddenStatements tries what nobody may do, by role. Without a role it is the superuser, who may everything and meets the triggers.
func TestForbiddenStatements(t *testing.T) {
	evidence := []string{
		"transfer_attempts", "transfer_outcome_history", "hook_deliveries", "session_events", "ledger_files", "ledger_entries",
		"ledger_coverage", "recon_runs", "recon_findings", "recon_links", "unknown_marks", "exports", "dispositions", "overrides", "recon_epochs",
	}
	var always []string
	for _, table := range evidence {
		column := map[string]string{"recon_runs": "kind = kind", "recon_findings": "rule = rule", "recon_links": "role = role", "exports": "path = path"}[table]
		if column == "" {
			column = "epoch = epoch"
		}
		always = append(always, "UPDATE "+table+" SET "+column, "DELETE FROM "+table, "TRUNCATE "+table+" CASCADE")
	}
	always = append(
		always,
		"DELETE FROM transfer_outcomes", "TRUNCATE transfer_outcomes", "UPDATE transfer_outcomes SET attempt_id = attempt_id || 'x'",
		"INSERT INTO transfer_attempts SELECT * FROM transfer_attempts ON CONFLICT (attempt_id) DO UPDATE SET amount_cents = 1",
		"SET LOCAL session_replication_role = replica; UPDATE transfer_attempts SET amount_cents = 0",
	)
	roles := []struct {
		name, code string
		statements []string
	}{
		{"none", restricted, always},
		{"recon_recorder", denied, append([]string{
			"SELECT amount_cents FROM transfer_attempts", "SELECT * FROM transfer_outcome_history", "SELECT * FROM recon_runs",
			"SELECT * FROM ledger_entries", "SELECT * FROM unknown_marks", "SELECT payload FROM hook_deliveries", "SELECT * FROM session_events",
			"INSERT INTO transfer_attempts (attempt_id, amount_cents, proposed_at, recorded_xid) VALUES ('z', 1, now(), '1')",
			"INSERT INTO transfer_attempts (attempt_id, amount_cents, proposed_at, epoch) VALUES ('z', 1, now(), 9)",
			"INSERT INTO transfer_outcomes (attempt_id, status, versions) VALUES ('z', 'failed', 9)",
			"INSERT INTO transfer_outcome_history (attempt_id, status, observed_at) VALUES ('z', 'failed', now())",
			"INSERT INTO unknown_marks (attempt_id, run_id, mark, marked_at) VALUES ('z', 1, 'unknown', now())",
			"INSERT INTO ledger_entries (entry_id, amount, currency, kind, status, file_no, line) VALUES ('z', 1, 'EUR', 'payment', 'booked', 1, 1)",
			"UPDATE transfer_outcomes SET versions = 1", "LOCK TABLE recon_lock IN EXCLUSIVE MODE", "ALTER TABLE transfer_attempts DISABLE TRIGGER ALL",
			"DROP TABLE transfer_attempts", "SELECT recon_outcome_inserted()",
		}, always...)},
		{"recon_runner", denied, append([]string{
			"INSERT INTO transfer_attempts (attempt_id, amount_cents, proposed_at, recorded_xid) VALUES ('z', 1, now(), '1')",
			"INSERT INTO ledger_entries (entry_id, amount, currency, kind, status, file_no, line, recorded_xid) VALUES ('z', 1, 'EUR', 'payment', 'booked', 1, 1, '1')",
			"INSERT INTO unknown_marks (attempt_id, run_id, mark, marked_at, epoch) VALUES ('z', 1, 'unknown', now(), 9)",
			"UPDATE run_slots SET slot_key = 'x'", "INSERT INTO run_slot_events (slot_key, due_at, state, tries) VALUES ('x', now(), 'ran', 1)", "DELETE FROM run_slots", "INSERT INTO recon_epochs (epoch, system_identifier) VALUES (9, '9')",
			"INSERT INTO schema_migrations (version, name, sha256) VALUES (99, 'x', 'x')", "ALTER TABLE transfer_attempts DISABLE TRIGGER ALL",
		}, always...)},
		{"recon_auditor", denied, append([]string{
			"INSERT INTO dispositions (population, item, decision, note, class, content, prepared_by, decided_at) VALUES ('attempts', 'a', 'escalated', 'n', 'c', 'c', 'x', now())",
			"INSERT INTO transfer_attempts (attempt_id, amount_cents, proposed_at) VALUES ('z', 1, now())",
			"INSERT INTO recon_lock VALUES (true)", "LOCK TABLE recon_lock IN EXCLUSIVE MODE", "UPDATE run_slots SET state = 'ran'",
		}, always...)},
	}
	url := sqltest.NewURL(t)
	fillEvidence(t, url)
	conn := sqltest.Connect(t, url)
	for _, role := range roles {
		t.Run(role.name, func(t *testing.T) {
			for _, statement := range role.statements {
				_, err := conn.Exec(t.Context(), "BEGIN; SET LOCAL ROLE "+role.name+"; "+statement)
				var pg *pgconn.PgError
				if !errors.As(err, &pg) || (pg.Code != role.code && pg.Code != denied) || (role.name == "none" && pg.Code != restricted) {
					t.Errorf("%s: got %v, want refused with %s", statement, err, role.code)
				}
				if _, err := conn.Exec(t.Context(), "ROLLBACK"); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// fillEvidence puts a row into each table, for a trigger for each row needs one.
func fillEvidence(t *testing.T, url string) {
	t.Helper()
	db := sqltest.Open(t, url)
	load(t, db)
	if _, err := attempts("again", attempt("a1", hour))(t, db); err != nil {
		t.Fatal(err)
	}
	runAt(t, db, after(30*24*hour))
	conn := sqltest.Connect(t, url)
	for _, statement := range []string{
		"INSERT INTO session_events (session_id, event, at) VALUES ('s1', 'ended', now())",
		"INSERT INTO exports (run_id, path, sha256, digest, issued_by, issued_at) VALUES (1, 'x', repeat('a', 64), 'x', 'x', now())",
		"INSERT INTO dispositions (population, item, decision, note, class, content, prepared_by, decided_at) VALUES ('attempts', 'a2', 'escalated', 'n', 'c', 'c', 'x', now())",
		"INSERT INTO overrides (kind, subject, reason, decided_by, decided_at) VALUES ('policy', 'x', 'x', 'x', now())",
		"INSERT INTO recon_links (run_id, attempt_id, position, entry_no, tier, role) VALUES (1, 'a1', 9, 1, 1, 'settles')",
	} {
		if _, err := conn.Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
}

// TestRolesCanWork has each role do its work: import and run as runner, read as auditor.
func TestRolesCanWork(t *testing.T) {
	url := sqltest.NewURL(t)
	admin := sqltest.Connect(t, url)
	if _, err := admin.Exec(t.Context(), `DO $$ BEGIN
		CREATE ROLE test_runner LOGIN IN ROLE recon_runner; CREATE ROLE test_auditor LOGIN IN ROLE recon_auditor;
		EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$`); err != nil {
		t.Fatal(err)
	}
	runner := sqltest.Open(t, url+" user=test_runner")
	load(t, runner)
	if _, err := audit("calls", call("legacy-1", 5000, 5001))(t, runner); err != nil {
		t.Error(err)
	}
	if _, err := outcomes("later", outcome("a1", "failed", "", 9*hour), outcome("a1", "timeout", "", 0))(t, runner); err != nil {
		t.Error(err)
	}
	runAt(t, runner, after(30*24*hour))
	auditor := sqltest.Open(t, url+" user=test_auditor")
	if v := verify(t, auditor); len(v.Problems) != 0 || v.Runs != 1 {
		t.Errorf("verification as auditor: got %+v, want one run without problems", v)
	}
	if _, err := attempts("b", attempt("a9", 0))(t, auditor); err == nil {
		t.Error("an import as auditor worked")
	}
	if _, err := auditor.Migrate(t.Context()); err != nil {
		t.Errorf("migrate as auditor, with nothing to do: %v", err)
	}
}
