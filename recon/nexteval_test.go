package recon_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"agentrecon/ledger"
	"agentrecon/recon/recontest"
)

// Time changes nothing before NextEval says so: one microsecond before the first such moment of a world everything is
// concluded as it was.
func TestNothingChangesBeforeNextEval(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, request := recontest.Draw(t), drawRequest(t)
		request.Period = ledger.Period{}
		request.AsOf = recontest.Start.Add(time.Duration(rapid.IntRange(0, 20*24*60).Draw(t, "minute")) * time.Minute)
		result := mustRun(t, w, request)
		var next time.Time
		for _, item := range result.OpenItems() {
			if at := item.NextEval; !at.IsZero() && (next.IsZero() || at.Before(next)) {
				next = at
			}
		}
		later := request
		if later.AsOf = next.Add(-time.Microsecond); next.IsZero() {
			later.AsOf = request.AsOf.AddDate(10, 0, 0)
		}
		if later.AsOf.Before(request.AsOf) {
			t.Fatalf("next_eval %s is not after %s", next, request.AsOf)
		}
		// A mark is a consequence, which the run records; without it the next one would set it again.
		for _, m := range result.Marks {
			m.RunID = 1
			w.Marks = append(w.Marks, m)
		}
		if diff := cmp.Diff(listed(mustRun(t, w, request)), listed(mustRun(t, w, later))); diff != "" {
			t.Errorf("as of %s and as of %s, just before next_eval:\n%s", request.AsOf, later.AsOf, diff)
		}
	})
}
