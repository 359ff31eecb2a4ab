package sql_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"agentrecon/recon"
	"agentrecon/sql"
	"agentrecon/sql/sqltest"
)

// hookStatements are the two statements of existing hooks, word for word but for their values.
var hookStatements = []string{
	`INSERT INTO transfer_attempts (attempt_id, session_id, amount_cents, dest_account, ref, proposed_at)
		VALUES ('h1', 's1', 781200, 'DE89', 'INV-1', '2025-03-01T10:00:00Z') ON CONFLICT (attempt_id) DO NOTHING`,
	`INSERT INTO transfer_outcomes (attempt_id, status, provider_ref, observed_at)
		VALUES ('h1', 'succeeded', 'pay_1', '2025-03-01T10:00:05Z')
		ON CONFLICT (attempt_id) DO UPDATE SET status = EXCLUDED.status, provider_ref = EXCLUDED.provider_ref`,
}

// TestHookStatements plays what hooks send, as the role they log in with, and reads back what a run reads.
func TestHookStatements(t *testing.T) {
	insertAttempt := func(id, at string) string {
		return `INSERT INTO transfer_attempts (attempt_id, session_id, amount_cents, dest_account, ref, proposed_at)
			VALUES ('` + id + `', 's1', 100, 'DE89', NULL, '` + at + `') ON CONFLICT (attempt_id) DO NOTHING`
	}
	insertOutcome := func(status, ref, at string) string {
		return `INSERT INTO transfer_outcomes (attempt_id, status, provider_ref, observed_at) VALUES ('a1', '` + status + `', ` + ref + `, '` + at + `')
			ON CONFLICT (attempt_id) DO UPDATE SET status = EXCLUDED.status, provider_ref = EXCLUDED.provider_ref`
	}
	at := func(s string) time.Time {
		m, err := time.Parse(time.RFC3339Nano, s)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	tests := []struct {
		name       string
		statements []string
		want       []recon.Outcome // every version, oldest first
	}{
		{"once", []string{insertOutcome("succeeded", "'p'", "2025-03-01T10:00:00.123456Z")}, []recon.Outcome{
			{AttemptID: "a1", Status: recon.Succeeded, ProviderRef: "p", ObservedAt: at("2025-03-01T10:00:00.123456Z")},
		}},
		{"delivered again: nothing new", []string{
			insertOutcome("succeeded", "'p'", "2025-03-01T10:00:00Z"), insertOutcome("succeeded", "'p'", "2025-03-01T11:00:00Z"),
		}, []recon.Outcome{{AttemptID: "a1", Status: recon.Succeeded, ProviderRef: "p", ObservedAt: at("2025-03-01T10:00:00Z")}}},
		{"overwritten: every version stays, each with its own moment", []string{
			insertOutcome("interrupted", "NULL", "2025-03-01T10:00:00Z"), insertOutcome("failed", "NULL", "2025-03-01T11:00:00.5Z"),
			insertOutcome("succeeded", "'p'", "2025-03-01T12:00:00Z"),
		}, []recon.Outcome{
			{AttemptID: "a1", Status: recon.Interrupted, ObservedAt: at("2025-03-01T10:00:00Z")},
			{AttemptID: "a1", Status: recon.Failed, ObservedAt: at("2025-03-01T11:00:00.5Z")},
			{AttemptID: "a1", Status: recon.Succeeded, ProviderRef: "p", ObservedAt: at("2025-03-01T12:00:00Z")},
		}},
		{"a clock that is behind: what came last is current", []string{
			insertOutcome("interrupted", "NULL", "2025-03-01T10:00:00Z"), insertOutcome("failed", "NULL", "2025-03-01T09:00:00Z"),
		}, []recon.Outcome{
			{AttemptID: "a1", Status: recon.Interrupted, ObservedAt: at("2025-03-01T10:00:00Z")},
			{AttemptID: "a1", Status: recon.Failed, ObservedAt: at("2025-03-01T10:00:00Z")},
		}},
		{"two in one transaction", []string{
			"BEGIN", insertOutcome("timeout", "NULL", "2025-03-01T10:00:00Z"), insertOutcome("succeeded", "'p'", "2025-03-01T10:30:00Z"), "COMMIT",
		}, []recon.Outcome{
			{AttemptID: "a1", Status: recon.TimedOut, ObservedAt: at("2025-03-01T10:00:00Z")},
			{AttemptID: "a1", Status: recon.Succeeded, ProviderRef: "p", ObservedAt: at("2025-03-01T10:30:00Z")},
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			url := sqltest.NewURL(t)
			hook := sqltest.Connect(t, url)
			statements := append([]string{
				"SET ROLE recon_recorder", insertAttempt("a1", "2025-03-01T09:00:00Z"), insertAttempt("a1", "2025-03-01T09:30:00Z"),
			}, test.statements...)
			for _, statement := range statements {
				if _, err := hook.Exec(t.Context(), statement); err != nil {
					t.Fatalf("%s: %v", statement, err)
				}
			}
			got := readCase(t, sqltest.Open(t, url), "a1")
			want := recon.Case{Outcomes: test.want, Attempt: recon.Attempt{
				ID: "a1", SessionID: "s1", Minor: 100, Currency: "EUR", DestAccount: "DE89", IDSource: recon.IDUnspecified,
				ProposedAt: at("2025-03-01T09:00:00Z"), Deliveries: 1,
			}}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("what a run reads (-want +got):\n%s", diff)
			}
			if v := verify(t, sqltest.Open(t, url)); len(v.Problems) != 0 {
				t.Errorf("problems: %v", v.Problems)
			}
		})
	}
}

func readCase(t *testing.T, db *sql.DB, id string) recon.Case {
	t.Helper()
	view, err := db.View(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer view.Close(t.Context())
	cases, err := view.AttemptsByID(t.Context(), []string{id})
	if err != nil || len(cases) != 1 {
		t.Fatalf("attempt %s: got %v, %v, want one", id, cases, err)
	}
	return cases[0]
}

func TestDatabaseCurrency(t *testing.T) {
	url := sqltest.NewURL(t)
	conn := sqltest.Connect(t, url)
	if _, err := conn.Exec(t.Context(), "SET recon.currency = 'CHF'; "+hookStatements[0]); err != nil {
		t.Fatal(err)
	}
	if got := readCase(t, sqltest.Open(t, url), "h1").Attempt.Currency; got != "CHF" {
		t.Errorf("currency: got %s, want the database's own, CHF", got)
	}
}
