package recon_test

import (
	"context"
	"errors"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
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
	n.standing = standingOf(result, request)
}

func standingOf(result *recon.Result, request recon.Request) recon.Standing {
	return recon.Standing{
		AsOf: request.AsOf, Policy: request.Policy, RecordingSince: result.RecordingSince, RecordingUntil: result.RecordingUntil, Totals: result.WholeTotals, Controls: result.WholeControls, Bridge: result.Bridge,
	}
}

// run makes the next run over a world that grew.
func (n *nights) run(t rapid.TB, w recontest.World, request recon.Request, everything bool) {
	t.Helper()
	n.runs++
	full := mustRun(t, w, request)
	want := listed(full)
	// Nobody carries on from a run of another policy.
	if n.runs > 1 && !everything && reflect.DeepEqual(request.Policy, n.standing.Policy) {
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
	if n.runs > 1 && reflect.DeepEqual(request.Policy, n.standing.Policy) {
		look(t, recontest.NewArchive(n.world, w, n.last), n.standing, w, request, full)
	}
	n.keep(full, want, request)
	for _, m := range full.Marks {
		m.RunID = n.runs
		w.Marks = append(slices.Clone(w.Marks), m)
	}
	n.world = w
}

// look concludes of one item after the other what it touches alone, and holds that against a run over everything.
func look(t rapid.TB, archive recon.Archive, standing recon.Standing, w recontest.World, request recon.Request, full *recon.Result) {
	t.Helper()
	want := listed(full)
	same := func(what, item string, items recon.Items) {
		t.Helper()
		result, err := recon.LookSince(context.Background(), archive, standing, request, items)
		var refused *recon.FullNeeded
		switch {
		case errors.As(err, &refused):
		case err != nil:
			t.Fatalf("look at %s %s: %v", what, item, err)
		default:
			if diff := cmp.Diff(want[what+" "+item], listed(result)[what+" "+item]); diff != "" {
				t.Errorf("%s %s (-a run over everything +a look at it):\n%s", what, item, diff)
			}
		}
	}
	for _, a := range w.Attempts {
		same("attempt", a.ID, recon.Items{Attempts: []string{a.ID}})
	}
	for n := range w.Entries {
		same("entry", w.Entries[n].ID, recon.Items{Entries: []int64{int64(n + 1)}})
	}
	for _, o := range full.Outcomes {
		same("outcome", o.Outcome.AttemptID, recon.Items{Attempts: []string{o.Outcome.AttemptID}})
	}
}

// TestLooksEqualFullRuns looks at every item of every scenario.
func TestLooksEqualFullRuns(t *testing.T) {
	for _, path := range scenarioPaths(t) {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			s := openScenario(t, path)
			s.request.Period = ledger.Period{}
			full := mustRun(t, s.world, s.request)
			look(t, recontest.NewArchive(s.world, s.world, full), standingOf(full, s.request), s.world, s.request, full)
		})
	}
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

// TestNightsEqualFullRuns lets worlds come to light in any order and in any number of nights. After each, what was
// carried on from what changed must be what a run over everything concludes: to the row, to the cent.
func TestNightsEqualFullRuns(t *testing.T) {
	var runs, since int
	rapid.Check(t, func(t *rapid.T) {
		var n nights
		for _, night := range recontest.DrawNights(t) {
			n.run(t, n.world.Grown(night.World), night.Request, night.Full)
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
		{
			// e was taken by b, by attributes; its key names the attempt that comes late, and b is left without.
			name: "an entry that was free is of a key now",
			first: recontest.World{
				Attempts: []recon.Attempt{attempt("b", "", "D", "", 100)}, Outcomes: []recon.Outcome{succeeded("b", "")},
				Entries: []ledger.Entry{entry("e", "k", "", "D", "", 100)},
			},
			later: recontest.World{
				Attempts: []recon.Attempt{{ID: "c", IdempotencyKey: "k", DestAccount: "D", Minor: 100, Currency: "EUR", IDSource: recon.IDToolUse, ProposedAt: at.Add(-time.Hour)}},
				Outcomes: []recon.Outcome{succeeded("c", "")},
			},
			want: map[string]recon.Class{"b": recon.InTransit}, // c is clean
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			request := recon.Request{AsOf: at.AddDate(0, 0, 2), Policy: recon.DefaultPolicy()}
			var n nights
			n.run(t, old.Grown(test.first), request, false)
			both := n.world.Grown(test.later)
			n.run(t, both, request, false)
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
