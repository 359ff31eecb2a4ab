package recon_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"agentrecon/recon"
	"agentrecon/recon/recontest"
)

// Two programs that share nothing but the decision table, and were written from the same text, agree on every item.
func TestEngineAgreesWithTheReference(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, request := recontest.Draw(t), drawRequest(t)
		checkReference(t, w, request)
	})
}

func TestEngineAgreesWithTheReferenceOnScenarios(t *testing.T) {
	for _, path := range scenarioPaths(t) {
		s := openScenario(t, path)
		if !strings.Contains(s.section("camt.053.xml"), "<Btch>") { // the reference knows nothing of what batches are made of
			t.Run(path, func(t *testing.T) { checkReference(t, s.world, s.request) })
		}
	}
}

func checkReference(t rapid.TB, w recontest.World, request recon.Request) {
	t.Helper()
	result := mustRun(t, w, request)
	gotAttempts, gotEntries := classesOf(t, result)
	wantAttempts, wantEntries := recontest.Reference(w, request.Policy, request.AsOf)
	diff := cmp.Diff(wantAttempts, gotAttempts) + cmp.Diff(amongEquals(w, wantEntries), amongEquals(w, gotEntries))
	if diff != "" {
		t.Errorf("(-reference +engine):\n%s\n%s", diff, sketch(w))
	}
}

// amongEquals are the classes of entries, sorted among those that differ in nothing but id and time where one of them is
// ambiguous: an attempt that is forced to have one of several equal entries has the same class whichever it is, and the
// rest is what an attempt that is not forced may have.
func amongEquals(w recontest.World, classes map[string]recon.Class) map[string]recon.Class {
	equal := map[string][]string{}
	for n := range w.Entries {
		e := w.Entries[n]
		id := e.ID
		e.ID, e.No, e.File, e.Line = "", 0, "", 0
		e.BookedOn, e.ValueOn, e.OccurredAt = 0, 0, time.Time{}
		content := fmt.Sprintf("%+v", e)
		equal[content] = append(equal[content], id)
	}
	sorted := maps.Clone(classes)
	for _, ids := range equal {
		var own []recon.Class
		for _, id := range ids {
			own = append(own, classes[id])
		}
		if !slices.Contains(own, recon.Ambiguous) {
			continue
		}
		slices.Sort(own)
		slices.Sort(ids)
		for n, id := range ids {
			sorted[id] = own[n]
		}
	}
	return sorted
}

func classesOf(t rapid.TB, result *recon.Result) (attempts, entries map[string]recon.Class) {
	t.Helper()
	attempts, entries = map[string]recon.Class{}, map[string]recon.Class{}
	for n := range result.Attempts {
		attempts[result.Attempts[n].Attempt.ID] = result.Attempts[n].Class
	}
	for n := range result.Entries {
		entries[result.Entries[n].Entry.ID] = result.Entries[n].Class
	}
	for pair, err := range result.ImpliedPairs(context.Background()) {
		if err != nil {
			t.Fatal(err)
		}
		attempts[pair.AttemptID], entries[pair.EntryID] = recon.Matched, recon.Matched
	}
	return attempts, entries
}
