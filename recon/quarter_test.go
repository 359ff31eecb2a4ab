package recon_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"agentrecon/fixtures/quarter"
	"agentrecon/ledger"
	"agentrecon/recon"
	"agentrecon/recon/recontest"
)

// quarterWorld reads files of the quarter of a seed.
func quarterWorld(t testing.TB, seed uint64, names ...string) recontest.World {
	t.Helper()
	files := map[string][]byte{}
	for _, f := range quarter.Generate(seed) {
		files[f.Name] = f.Data
	}
	var w recontest.World
	for _, name := range names {
		if err := w.ReadFile(name, files[name], ledger.ReadOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

var quarterAsOf = time.Date(2025, 4, 7, 0, 0, 0, 0, time.UTC)

// counts is what a run comes to, in numbers.
type counts struct {
	Attempts, Entries, Outcomes map[recon.Class]int64
	Causes                      map[recon.Cause]int64
	Marked                      int64
	Tiers                       map[string]int64
}

func countsOf(totals recon.Totals) counts {
	byClass := func(p recon.PopulationTotals) map[recon.Class]int64 {
		m := map[recon.Class]int64{}
		for _, c := range p.Classes {
			m[c.Class] = c.Count
		}
		return m
	}
	c := counts{
		Attempts: byClass(totals.Attempts), Entries: byClass(totals.Entries), Outcomes: byClass(totals.Outcomes),
		Causes: map[recon.Cause]int64{}, Tiers: map[string]int64{}, Marked: totals.UnknownMarked,
	}
	for _, cause := range totals.Causes {
		c.Causes[cause.Cause] = cause.Count
	}
	for tier, n := range totals.LinksByTier {
		if n > 0 {
			c.Tiers[recon.Tier(tier).String()] = n
		}
	}
	return c
}

func TestQuarterWithEverythingRecorded(t *testing.T) {
	w := quarterWorld(t, 1, "attempts.csv", "outcomes.csv", "sessions.csv", "ledger.csv")
	q1 := ledger.Quarter(2025, 1, time.UTC)
	request := recon.Request{AsOf: quarterAsOf, Policy: recon.DefaultPolicy(), Period: q1}
	result, err := recon.Run(t.Context(), recontest.NewBooks(w), request)
	if err != nil {
		t.Fatal(err)
	}
	got := countsOf(result.Totals)
	got.Tiers = nil
	want := counts{
		Attempts: map[recon.Class]int64{"matched": 8095, "duplicate_settlement": 1, "unknown_settled": 12, "unknown_not_settled": 1},
		Entries:  map[recon.Class]int64{"matched": 8108, "excess_settlement": 1, "not_booked": 1},
		Outcomes: map[recon.Class]int64{"joined": 8096},
		Causes:   map[recon.Cause]int64{"session interrupted": 11, "harness crash": 1, "rejected by the provider": 1},
		Marked:   13,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("quarter (-want +got):\n%s", diff)
	}
	for _, tier := range []recon.Tier{recon.ByReference, recon.ByAttributes} {
		if n := result.Totals.LinksByTier[tier]; n != 0 {
			t.Errorf("got %d links by %s, want 0: every entry carries a key or the provider's id", n, tier)
		}
	}
}

func TestQuarterFromTheAuditTableAlone(t *testing.T) {
	w := quarterWorld(t, 1, "audit.csv", "ledger.csv")
	request := recon.Request{AsOf: quarterAsOf, Policy: recon.DefaultPolicy(), Period: ledger.Quarter(2025, 1, time.UTC)}
	result, err := recon.Run(t.Context(), recontest.NewBooks(w), request)
	if err != nil {
		t.Fatal(err)
	}
	want := counts{
		Attempts: map[recon.Class]int64{"unknown_settled": 8107, "duplicate_settlement": 1, "unknown_not_settled": 1},
		Entries:  map[recon.Class]int64{"matched": 8108, "excess_settlement": 1, "not_booked": 1},
		Outcomes: map[recon.Class]int64{},
		Causes:   map[recon.Cause]int64{"rejected by the provider": 1, "no evidence": 8107},
		Tiers:    map[string]int64{"reference": 8109},
		Marked:   8109,
	}
	if diff := cmp.Diff(want, countsOf(result.Totals)); diff != "" {
		t.Errorf("quarter from the audit table (-want +got):\n%s", diff)
	}
	if got, want := result.Totals.Deliveries, int64(8412); got != want {
		t.Errorf("got %d deliveries, want %d", got, want)
	}
}
