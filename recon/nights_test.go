package recon_test

import (
	"context"
	"errors"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"agentrecon/ledger"
	"agentrecon/recon"
	"agentrecon/recon/recontest"
)

// nights carries a state from run to run by what changed alone, and holds it against a run over everything.
type nights struct {
	world    recontest.World // of the last run
	lines    map[string]string
	last     *recon.Result
	standing recon.Standing
	runs     int64
	since    int // runs that looked only at what changed
}

func (n *nights) keep(result *recon.Result, lines map[string]string, request recon.Request) {
	n.lines, n.last = lines, result
	n.standing = recon.Standing{
		AsOf: request.AsOf, Policy: request.Policy, RecordingSince: result.RecordingSince, RecordingUntil: result.RecordingUntil, Totals: result.WholeTotals, Controls: result.WholeControls, Bridge: result.Bridge,
	}
}

// run makes the next run over a world that grew.
func (n *nights) run(t rapid.TB, w recontest.World, request recon.Request) {
	t.Helper()
	n.runs++
	full := mustRun(t, w, request)
	want := listed(full)
	if n.runs > 1 {
		result, err := recon.RunSince(context.Background(), recontest.NewArchive(n.world, w, n.last), n.standing, request)
		var refused *recon.FullNeeded
		switch {
		case errors.As(err, &refused):
		case err != nil:
			t.Fatalf("run %d: %v", n.runs, err)
		default:
			n.since++
			n.compare(t, result, full)
		}
	}
	n.keep(full, want, request)
	for _, m := range full.Marks {
		m.RunID = n.runs
		w.Marks = append(slices.Clone(w.Marks), m)
	}
	n.world = w
}

func (n *nights) compare(t rapid.TB, result, full *recon.Result) {
	t.Helper()
	before := listed(result.Since.Before)
	got := maps.Clone(n.lines)
	for item, line := range before {
		if got[item] != line {
			t.Errorf("run %d: %s was, worked out again:\n%s\nand was:\n%s", n.runs, item, line, got[item])
		}
		delete(got, item)
	}
	affected := result.Since.Affected
	for item := range got {
		if slices.Contains(affected.Attempts, item[min(len(item), len("attempt ")):]) && item[:2] == "at" {
			t.Errorf("run %d: %s was listed, and is not when it is worked out again", n.runs, item)
		}
	}
	maps.Copy(got, listed(result))
	if diff := cmp.Diff(listed(full), got); diff != "" {
		t.Errorf("run %d (-everything +what changed):\n%s\naffected: %v", n.runs, diff, affected)
	}
	type figures struct {
		Totals   recon.Totals
		Controls recon.Controls
		Bridge   []recon.BridgeCurrency
		Checks   []recon.Check
		Until    time.Time
	}
	of := func(r *recon.Result) figures {
		return figures{r.Totals, r.Controls, r.Bridge, r.Checks, r.RecordingUntil}
	}
	if diff := cmp.Diff(of(full), of(result), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("run %d: figures (-everything +what changed):\n%s", n.runs, diff)
	}
	if diff := cmp.Diff(full.Marks, result.Marks, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("run %d: marks (-everything +what changed):\n%s", n.runs, diff)
	}
}

// drawNights draws a world and lets it come to light in parts, in any order.
func drawNights(t *rapid.T) (parts []recontest.World, request recon.Request) {
	w, request := recontest.Draw(t), drawRequest(t)
	if rapid.Bool().Draw(t, "two worlds") {
		other := recontest.Draw(t)
		for n := range other.Attempts {
			other.Attempts[n].ID = "b" + other.Attempts[n].ID
		}
		for n := range other.Entries {
			other.Entries[n].ID = "b" + other.Entries[n].ID
		}
		for n := range other.Outcomes {
			if n%2 == 0 {
				other.Outcomes[n].AttemptID = "b" + other.Outcomes[n].AttemptID
			}
		}
		w.Attempts, w.Entries, w.Outcomes = slices.Concat(w.Attempts, other.Attempts), slices.Concat(w.Entries, other.Entries), slices.Concat(w.Outcomes, other.Outcomes)
		w.Sessions, w.Deliveries, w.Coverage = slices.Concat(w.Sessions, other.Sessions), slices.Concat(w.Deliveries, other.Deliveries), slices.Concat(w.Coverage, other.Coverage)
	}
	request.Period = ledger.Period{}
	if rapid.IntRange(0, 9).Draw(t, "cuts") > 0 {
		request.Policy.ReferenceCuts = nil // with them every run looks at everything
	}
	request.Policy.SystemicThreshold = rapid.IntRange(1, 3).Draw(t, "systemic")
	count := rapid.IntRange(2, 5).Draw(t, "nights")
	parts = make([]recontest.World, count)
	random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "order"), 0))
	// Often most is there from the start, so that the first recorded attempt stays the first.
	early := rapid.IntRange(0, 2).Draw(t, "early")
	part := func() *recontest.World {
		if early > 0 && random.IntN(early+1) > 0 {
			return &parts[0]
		}
		return &parts[random.IntN(count)]
	}
	slices.SortFunc(w.Attempts, func(a, b recon.Attempt) int { return a.ProposedAt.Compare(b.ProposedAt) })
	for n, a := range w.Attempts {
		to := part()
		if n == 0 {
			to = &parts[0]
		}
		to.Attempts = append(to.Attempts, a)
	}
	for _, o := range w.Outcomes {
		to := part()
		to.Outcomes = append(to.Outcomes, o)
	}
	for _, e := range shuffled(random, w.Entries) {
		to := part()
		to.Entries = append(to.Entries, e)
	}
	for _, s := range w.Sessions {
		to := part()
		to.Sessions = append(to.Sessions, s)
	}
	for _, d := range w.Deliveries {
		to := part()
		to.Deliveries = append(to.Deliveries, d)
	}
	for _, c := range w.Coverage {
		to := part()
		to.Coverage = append(to.Coverage, c)
	}
	return parts, request
}

// grown is a world with more rows in each population.
func grown(w, more recontest.World) recontest.World {
	return recontest.World{
		Attempts: slices.Concat(w.Attempts, more.Attempts), Outcomes: slices.Concat(w.Outcomes, more.Outcomes), Sessions: slices.Concat(w.Sessions, more.Sessions),
		Deliveries: slices.Concat(w.Deliveries, more.Deliveries), Entries: slices.Concat(w.Entries, more.Entries), Coverage: slices.Concat(w.Coverage, more.Coverage),
		Marks: slices.Concat(w.Marks, more.Marks), Sources: slices.Concat(w.Sources, more.Sources),
	}
}

// TestNightsEqualFullRuns lets worlds come to light in any order and in any number of nights. After each, what was
// carried on from what changed must be what a run over everything concludes: to the row, to the cent.
func TestNightsEqualFullRuns(t *testing.T) {
	var runs, since int
	rapid.Check(t, func(t *rapid.T) {
		parts, request := drawNights(t)
		var n nights
		request.AsOf = recontest.Start.AddDate(0, 0, rapid.IntRange(-1, 12).Draw(t, "first night"))
		for _, part := range parts {
			n.run(t, grown(n.world, part), request)
			request.AsOf = request.AsOf.Add(time.Duration(rapid.IntRange(0, 6*24*60).Draw(t, "minutes")) * time.Minute)
		}
		runs, since = runs+int(n.runs)-1, since+n.since
	})
	t.Logf("%d of %d runs looked only at what changed", since, runs)
	if since*2 < runs {
		t.Errorf("only %d of %d runs could be made from what changed", since, runs)
	}
}

// The two worlds of architecture.md that a closure of one round gets wrong.
func TestNightsFollowWhatIsTouched(t *testing.T) {
	at := recontest.Start.Add(10 * time.Hour)
	day := ledger.DateOf(at, time.UTC)
	attempt := func(id, key, dest, ref string, minor int64) recon.Attempt {
		return recon.Attempt{ID: id, IdempotencyKey: key, DestAccount: dest, Reference: ref, Minor: minor, Currency: "EUR", IDSource: recon.IDToolUse, ProposedAt: at}
	}
	succeeded := func(id, ref string) recon.Outcome {
		return recon.Outcome{AttemptID: id, Status: recon.Succeeded, ProviderRef: ref, ObservedAt: at.Add(time.Minute)}
	}
	entry := func(id, key, provider, dest, ref string, minor int64) ledger.Entry {
		return ledger.Entry{
			ID: id, IdempotencyKey: key, ProviderID: provider, CounterpartyAccount: dest, MerchantReference: ref, Amount: -minor, Currency: "EUR",
			Kind: ledger.KindPayment, Status: ledger.StatusBooked, BookedOn: day, File: "f",
		}
	}
	// What was recorded long before keeps the moment of the first attempt where it is.
	old := recontest.World{Attempts: []recon.Attempt{{ID: "old", Minor: 1, Currency: "EUR", IDSource: recon.IDToolUse, ProposedAt: at.AddDate(0, -1, 0)}}}
	for _, test := range []struct {
		name         string
		first, later recontest.World
		want         map[string]recon.Class
	}{
		{
			name: "a clean pair by provider reference becomes a duplicate by key",
			first: recontest.World{
				Attempts: []recon.Attempt{attempt("a", "k", "D", "", 100)}, Outcomes: []recon.Outcome{succeeded("a", "p")},
				Entries: []ledger.Entry{entry("e1", "", "p", "D", "", 100)},
			},
			later: recontest.World{Entries: []ledger.Entry{entry("e2", "k", "", "D", "", 100)}},
			want:  map[string]recon.Class{"a": recon.DuplicateSettlement},
		},
		{
			// e1 was taken by b, by attributes; the new entry has b's reference, takes b, and leaves e1 for c.
			name: "an entry by reference releases one that another attempt waits for by attributes",
			first: recontest.World{
				Attempts: []recon.Attempt{attempt("b", "", "D", "R1", 100), {
					ID: "c", DestAccount: "D", Minor: 100, Currency: "EUR", IDSource: recon.IDToolUse, ProposedAt: at.Add(time.Hour),
				}},
				Outcomes: []recon.Outcome{succeeded("b", "")}, Entries: []ledger.Entry{entry("e1", "", "", "D", "", 100)},
			},
			later: recontest.World{Entries: []ledger.Entry{entry("e2", "", "", "D", "R1", 100)}},
			want:  map[string]recon.Class{"b": recon.Matched, "c": recon.UnknownSettled},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			request := recon.Request{AsOf: at.AddDate(0, 0, 2), Policy: recon.DefaultPolicy()}
			var n nights
			n.run(t, grown(old, test.first), request)
			both := grown(n.world, test.later)
			n.run(t, both, request)
			if n.since != 1 {
				t.Error("the second run looked at everything")
			}
			got := map[string]recon.Class{}
			for _, f := range mustRun(t, both, request).Attempts {
				got[f.Attempt.ID] = f.Class
			}
			for id, class := range test.want {
				if got[id] != class {
					t.Errorf("%s: got %s, want %s", id, got[id], class)
				}
			}
		})
	}
}
