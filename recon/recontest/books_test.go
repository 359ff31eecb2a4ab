package recontest

import (
	"context"
	"errors"
	"testing"

	"agentrecon/recon"
)

// The books in memory are what TestBooks compares with, so that here it can only find that a run over the sample holds.
// What the sample must come to is laid down by hand below.
func TestBooksInMemory(t *testing.T) {
	TestBooks(t, func(_ *testing.T, w World) recon.Books { return NewBooks(w) })
}

func TestSampleByHand(t *testing.T) {
	books := NewBooks(Sample())
	march := samplePeriods(t)["March"]
	controls, err := books.Controls(t.Context(), march)
	if err != nil {
		t.Fatal(err)
	}
	// toolu_01 from the first instant, a2 to the last microsecond, a5; A2 and a4 lie a microsecond outside.
	// Outcomes: of those three, x1 observed in March, and x2, which the hash joins to a2.
	same(t, "control totals of March", recon.Controls{
		Attempts:     recon.Sums{{Currency: "EUR", Count: 2, Minor: 781700}, {Currency: "USD", Count: 1, Minor: 1}},
		Entries:      recon.Sums{{Currency: "EUR", Count: 2, Minor: 781735}, {Currency: "USD", Count: 1, Minor: 1}},
		Booked:       recon.Sums{{Currency: "EUR", Count: 2, Minor: 781735}},
		Outcomes:     5,
		Deliveries:   5,
		DeliveriesOf: recon.Sums{{Currency: "EUR", Count: 4}, {Currency: "USD", Count: 1}},
		Accounts: []recon.AccountSums{
			{Currency: "EUR", Count: 1, Minor: 500, Booked: 1, BookedMinor: 500},
			{Currency: "EUR", AccountID: "DE75512108001245126199", Count: 1, Minor: 781235, Booked: 1, BookedMinor: 781235},
			{Currency: "USD", Count: 1, Minor: 1},
		},
	}, controls)
	repeats, err := books.Repeats(t.Context(), march)
	if err != nil {
		t.Fatal(err)
	}
	var after []string
	for _, r := range repeats {
		after = append(after, r.Attempt.ID+" "+r.After.String())
	}
	same(t, "repeats of March", []string{"toolu_01 1.6s", "toolu_01 30.6s"}, after)
	cases, err := books.AttemptsByID(t.Context(), []string{"A2", "a4"})
	if err != nil {
		t.Fatal(err)
	}
	if a := cases[0].Attempt; !a.IDReused || a.Deliveries != 2 {
		t.Errorf("A2: got reused %v and %d deliveries, want true and 2", a.IDReused, a.Deliveries)
	}
	if a := cases[1].Attempt; a.MarkedAt.IsZero() || a.MarkRun != 1 || a.Deliveries != 1 {
		t.Errorf("a4: got marked %v by run %d and %d deliveries, want a mark of run 1 and 1", a.MarkedAt, a.MarkRun, a.Deliveries)
	}
}

func TestStreamsEndWithTheirContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, err := range NewBooks(Sample()).AttemptRows(ctx) {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want the context's error", err)
		}
	}
}
