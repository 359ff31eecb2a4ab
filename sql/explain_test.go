package sql_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"agentrecon/ledger"
	"agentrecon/recon"
	"agentrecon/sql"
	"agentrecon/sql/sqltest"
)

// TestExplain tells the story of an attempt that was marked, was paid all the same, and got its outcome at last.
func TestExplain(t *testing.T) {
	db := sqltest.NewDB(t)
	paid := entry("e1", -781200)
	paid.CounterpartyAccount, paid.IdempotencyKey = "DE89", "a1"
	if _, err := db.ImportSessions(t.Context(), func(each func(recon.SessionEvent, int) error) (ledger.SourceFile, error) {
		return described("sessions", 1), each(recon.SessionEvent{SessionID: "s1", Event: recon.SessionInterrupted, At: after(time.Minute)}, 2)
	}, sql.ImportOptions{}); err != nil {
		t.Fatal(err)
	}
	for _, file := range []imported{attempts("a", attempt("a1", 0), attempt("a1", time.Second)), entries("e", paid)} {
		if _, err := file(t, db); err != nil {
			t.Fatal(err)
		}
	}
	runAt(t, db, after(30*24*time.Hour))
	if _, err := outcomes("o", outcome("a1", recon.Succeeded, "p1", 40*24*time.Hour))(t, db); err != nil {
		t.Fatal(err)
	}
	runAt(t, db, after(50*24*time.Hour))
	want := `03-01 09:00:00 attempt a1
03-01 09:00:00 delivery a1
03-01 09:00:01 delivery a1
03-01 09:01:00 session s1 interrupted
03-02 00:00:00 entry e1
03-31 09:00:00 finding 1 attempts a1 opened unknown_settled session interrupted
03-31 09:00:00 finding 1 entries e1 opened matched 
03-31 09:00:00 mark 1 a1 720h0m0s 24h0m0s
04-10 09:00:00 outcome a1 succeeded
`
	for _, id := range []string{"a1", "e1"} {
		view, err := db.View(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		facts, err := view.Explain(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := view.Explain(t.Context(), "nothing"); !errors.Is(err, sql.ErrNotFound) {
			t.Errorf("unknown id: got %v, want ErrNotFound", err)
		}
		view.Close(t.Context())
		got := story(facts)
		if id == "e1" {
			if !strings.Contains(got, "entry e1") {
				t.Errorf("story of the entry:\n%s\nwant the entry in it", got)
			}
			continue
		}
		if diff := cmp.Diff(want, strings.Join(strings.SplitAfter(got, "\n")[:9], "")); diff != "" {
			t.Errorf("story (-want +got):\n%s", diff)
		}
		for _, later := range []string{"04-20 09:00:00 finding 2 attempts a1", "04-20 09:00:00 superseded 2 a1 succeeded"} {
			if !strings.Contains(got, later) {
				t.Errorf("story:\n%s\nwant %q in it", got, later)
			}
		}
	}
}

func story(facts []sql.Fact) string {
	var b strings.Builder
	for _, f := range facts {
		fmt.Fprint(&b, f.At.Format("01-02 15:04:05 "))
		switch {
		case f.Attempt != nil:
			fmt.Fprintln(&b, "attempt", f.Attempt.ID)
		case f.Delivery != nil:
			fmt.Fprintln(&b, "delivery", f.Delivery.AttemptID)
		case f.Outcome != nil:
			fmt.Fprintln(&b, "outcome", f.Outcome.AttemptID, f.Outcome.Status)
		case f.Session != nil:
			fmt.Fprintln(&b, "session", f.Session.SessionID, f.Session.Event)
		case f.Entry != nil:
			fmt.Fprintln(&b, "entry", f.Entry.ID)
		case f.Finding != nil:
			fmt.Fprintln(&b, "finding", f.Finding.RunID, f.Finding.Population, f.Finding.Item, f.Finding.Event, f.Finding.Class, f.Finding.Cause)
		case f.Mark.Superseded:
			fmt.Fprintln(&b, "superseded", f.Mark.RunID, f.Mark.AttemptID, f.Mark.Status)
		default:
			fmt.Fprintln(&b, "mark", f.Mark.RunID, f.Mark.AttemptID, f.Mark.Age, f.Mark.Threshold)
		}
	}
	return b.String()
}
