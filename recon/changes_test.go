package recon_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"agentrecon/ledger"
	"agentrecon/recon"
)

// Between two runs an item is new, reopened, reclassified, restated or resolved, or it did not change; and opening plus
// changes is closing, by class.
func TestCompare(t *testing.T) {
	at := time.Date(2025, 2, 3, 10, 0, 0, 0, time.UTC)
	state := func(item string, class recon.Class, content string, outcome recon.OutcomeAxis, settlement recon.SettlementAxis) recon.ItemState {
		return recon.ItemState{
			Population: recon.Attempts, Item: item, Class: class, Content: content, Outcome: outcome, Settlement: settlement,
			Minor: 100, Currency: "EUR", At: at,
		}
	}
	wasOpen := func(s recon.ItemState) recon.ItemState {
		s.WasOpen = true
		return s
	}
	outside := state("outside", recon.UnknownSettled, "1", recon.NoneStale, recon.Settled)
	outside.At = at.AddDate(1, 0, 0)
	old := state("old", recon.MissingInLedger, "1", recon.SaysSucceeded, recon.NotSettled)
	old.At = at.AddDate(0, -3, 0)
	before := []recon.ItemState{
		old,
		state("same", recon.UnknownSettled, "1", recon.NoneStale, recon.Settled),
		state("restated", recon.UnknownSettled, "1", recon.NoneStale, recon.Settled),
		state("late", recon.UnknownSettled, "1", recon.NoneStale, recon.Settled),
		state("moved", recon.UnknownOpen, "1", recon.NoneStale, recon.NotYet),
		wasOpen(state("cleared", "", "1", "", "")),
		state("noted", "", "1", "", ""),
		wasOpen(state("confirmed", recon.FailedConfirmed, "1", recon.SaysFailed, recon.NotSettled)),
		state("clean", recon.FailedConfirmed, "1", recon.SaysFailed, recon.NotSettled),
		outside,
	}
	after := []recon.ItemState{
		state("same", recon.UnknownSettled, "1", recon.NoneStale, recon.Settled),
		state("restated", recon.UnknownSettled, "2", recon.NoneStale, recon.Settled),
		state("late", "", "2", "", ""),
		state("moved", recon.UnknownNotSettled, "2", recon.NoneStale, recon.NotSettled),
		state("cleared", recon.DuplicateSettlement, "2", recon.SaysSucceeded, recon.Duplicate),
		state("noted", recon.DuplicateSettlement, "2", recon.SaysSucceeded, recon.Duplicate),
		state("confirmed", recon.ContradictoryOutcome, "2", recon.Contradictory, recon.NotSettled),
		state("clean", recon.FailedConfirmed, "2", recon.SaysFailed, recon.NotSettled),
		state("fresh", recon.MissingInLedger, "1", recon.SaysSucceeded, recon.NotSettled),
		outside,
	}
	opening, changes := recon.Compare(before, after, ledger.Quarter(2025, 1, time.UTC), false)
	want := []recon.Change{
		{Kind: recon.ChangeNew, Population: recon.Attempts, Item: "noted", To: recon.DuplicateSettlement, Minor: 100, Currency: "EUR", Cause: "was agreed to ledger"},
		{Kind: recon.ChangeNew, Population: recon.Attempts, Item: "fresh", To: recon.MissingInLedger, Minor: 100, Currency: "EUR", Cause: "not listed before"},
		{Kind: recon.ChangeReopened, Population: recon.Attempts, Item: "cleared", To: recon.DuplicateSettlement, Minor: 100, Currency: "EUR", Cause: "was agreed to ledger"},
		{
			Kind: recon.ChangeReopened, Population: recon.Attempts, Item: "confirmed", From: recon.FailedConfirmed, To: recon.ContradictoryOutcome, Minor: 100, Currency: "EUR",
			Cause: "outcome: failed to contradictory",
		},
		{Kind: recon.ChangeReclassified, Population: recon.Attempts, Item: "moved", From: recon.UnknownOpen, To: recon.UnknownNotSettled, Minor: 100, Currency: "EUR", Cause: "ledger: not_yet to not_settled"},
		{Kind: recon.ChangeRestated, Population: recon.Attempts, Item: "restated", From: recon.UnknownSettled, To: recon.UnknownSettled, Minor: 100, Currency: "EUR", Cause: "other evidence, same axes"},
		{Kind: recon.ChangeResolved, Population: recon.Attempts, Item: "late", From: recon.UnknownSettled, Minor: 100, Currency: "EUR", Cause: "late outcome; agreed to ledger", Late: true},
		{Kind: recon.ChangeResolved, Population: recon.Attempts, Item: "old", From: recon.MissingInLedger, Minor: 100, Currency: "EUR", Cause: "agreed to ledger", Earlier: true},
	}
	if diff := cmp.Diff(want, changes); diff != "" {
		t.Errorf("changes (-want +got):\n%s", diff)
	}
	closing := map[recon.Class]int64{}
	for _, o := range opening {
		closing[o.Class] += o.Count
	}
	for _, c := range changes {
		if c.Kind == recon.ChangeResolved || c.Kind == recon.ChangeReclassified {
			closing[c.From]--
		}
		if c.Kind != recon.ChangeResolved && c.Kind != recon.ChangeRestated {
			closing[c.To]++
		}
	}
	wantClosing := map[recon.Class]int64{
		recon.UnknownSettled: 2, recon.UnknownOpen: 0, recon.UnknownNotSettled: 1, recon.DuplicateSettlement: 2, recon.MissingInLedger: 1,
		recon.ContradictoryOutcome: 1,
	}
	if diff := cmp.Diff(wantClosing, closing); diff != "" {
		t.Errorf("opening and changes (-want closing +got):\n%s", diff)
	}
}
