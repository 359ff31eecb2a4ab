package recon_test

import (
	"slices"
	"testing"
	"time"

	"agentrecon/fixtures/quarter"
	"agentrecon/ledger"
	"agentrecon/recon"
	"agentrecon/recon/recontest"
)

// In the quarter the counts balance because two breaks hide in each other: each must name the other.
func TestBreaksThatHideInTheCountNameEachOther(t *testing.T) {
	var w recontest.World
	for _, f := range quarter.Generate(1) {
		if !slices.Contains([]string{"attempts.csv", "outcomes.csv", "sessions.csv", "ledger.csv"}, f.Name) {
			continue
		}
		if err := w.ReadFile(f.Name, f.Data, ledger.ReadOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	books := recontest.NewBooks(w)
	request := recon.Request{
		AsOf: time.Date(2025, 4, 7, 0, 0, 0, 0, time.UTC), Policy: recon.DefaultPolicy(), Period: ledger.Quarter(2025, 1, time.UTC),
	}
	result, err := recon.Run(t.Context(), books, request)
	if err != nil {
		t.Fatal(err)
	}
	r, err := recon.NewReport(t.Context(), books, result, recon.RunInfo{ID: 1, AsOf: request.AsOf}, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	var short, twice *recon.AttemptFinding
	for n := range r.Attempts {
		switch r.Attempts[n].Class {
		case recon.UnknownNotSettled:
			short = &r.Attempts[n]
		case recon.DuplicateSettlement:
			twice = &r.Attempts[n]
		}
	}
	var excess *recon.EntryFinding
	for n := range r.Entries {
		if r.Entries[n].Class == recon.ExcessSettlement {
			excess = &r.Entries[n]
		}
	}
	if short == nil || twice == nil || excess == nil {
		t.Fatal("the quarter lost one of its breaks")
	}
	if got, want := short.OffsetIn, excess.Entry.ID; got != want {
		t.Errorf("the attempt without an entry: got offset in %q, want the excess entry %q", got, want)
	}
	if got, want := excess.OffsetIn, short.Attempt.ID; got != want {
		t.Errorf("the excess entry: got offset in %q, want the attempt %q", got, want)
	}
	if got, want := twice.OffsetIn, short.Attempt.ID; got != want {
		t.Errorf("the attempt paid twice: got offset in %q, want the attempt %q", got, want)
	}
	if len(r.Edges) != 0 || r.Totals.DegradedIDs != 0 {
		t.Errorf("got %d at the edge and %d degraded ids, want none of either", len(r.Edges), r.Totals.DegradedIDs)
	}
}

// What the report lists at the period's edge is what the bridge counts there.
func TestEdgesAreTheLinesOfTheBridge(t *testing.T) {
	var w recontest.World
	day := ledger.DateOf(recontest.Start, time.UTC)
	for n, booked := range []int{-1, 0, 1, 2} {
		a := recon.Attempt{
			ID: string(rune('a' + n)), Minor: int64(100 + n), Currency: "EUR", IdempotencyKey: string(rune('k' + n)), IDSource: recon.IDFallbackHash,
			ProposedAt: recontest.Start.AddDate(0, 0, n/2), Deliveries: 1 + n%2,
		}
		w.Attempts = append(w.Attempts, a)
		w.Outcomes = append(w.Outcomes, recon.Outcome{AttemptID: a.ID, Status: recon.Succeeded, ObservedAt: a.ProposedAt})
		w.Entries = append(w.Entries, ledger.Entry{
			ID: "e" + a.ID, Amount: -a.Minor, Currency: "EUR", IdempotencyKey: a.IdempotencyKey, Kind: ledger.KindPayment, Status: ledger.StatusBooked,
			BookedOn: day.AddDays(booked),
		})
	}
	books := recontest.NewBooks(w)
	period := ledger.Period{From: day, To: day.AddDays(1)}
	result, err := recon.Run(t.Context(), books, recon.Request{AsOf: recontest.Start.AddDate(0, 0, 20), Policy: recon.DefaultPolicy(), Period: period})
	if err != nil {
		t.Fatal(err)
	}
	r, err := recon.NewReport(t.Context(), books, result, recon.RunInfo{}, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	var in, out, inMinor, outMinor int64
	for _, e := range r.Edges {
		if e.Inside {
			out++
			outMinor += e.Attempt.Minor
		} else {
			in++
			inMinor += e.Attempt.Minor
		}
	}
	if in+out == 0 {
		t.Fatal("nothing crosses the edge: the test proves nothing")
	}
	bridge := r.Bridge[0]
	if line := bridge.Line(recon.LineBookedOutside); line.Count != -out || line.Minor != -outMinor {
		t.Errorf("booked outside: the bridge has %d and %d, the list %d and %d", line.Count, line.Minor, -out, -outMinor)
	}
	if line := bridge.Line(recon.LineOtherPeriod); line.Count != in || line.Minor != inMinor {
		t.Errorf("of other periods: the bridge has %d and %d, the list %d and %d", line.Count, line.Minor, in, inMinor)
	}
	if got, want := r.Totals.DegradedIDs, int64(2); got != want {
		t.Errorf("got %d degraded ids, want the %d of the period", got, want)
	}
}
