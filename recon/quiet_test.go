package recon_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"agentrecon/ledger"
	"agentrecon/recon"
	"agentrecon/recon/recontest"
)

// TestQuietSpells draws calendars of ten weeks of office hours, 12 attempts an hour on weekdays from 8 to 18, and takes hours out.
func TestQuietSpells(t *testing.T) {
	monday := time.Date(2025, 1, 6, 0, 0, 0, 0, time.UTC)
	hour := func(week, day, hour int) time.Time {
		return monday.AddDate(0, 0, 7*week+day).Add(time.Duration(hour) * time.Hour)
	}
	out := func(spells ...[2]time.Time) func(time.Time) bool {
		return func(at time.Time) bool {
			for _, s := range spells {
				if !at.Before(s[0]) && at.Before(s[1]) {
					return true
				}
			}
			return false
		}
	}
	tests := []struct {
		name   string
		weeks  int
		rate   int
		out    func(time.Time) bool
		period string
		want   []recon.QuietSpell
	}{
		{"nothing missing: nights and weekends are quiet every week", 10, 12, out(), "", nil},
		{"four hours of a Wednesday", 10, 12, out([2]time.Time{hour(4, 2, 10), hour(4, 2, 14)}), "", []recon.QuietSpell{{From: hour(4, 2, 10), To: hour(4, 2, 14), Usual: 48}}},
		{"three hours are too little to tell", 10, 12, out([2]time.Time{hour(4, 2, 10), hour(4, 2, 13)}), "", nil},
		{"a whole day, with the nights around it", 10, 12, out([2]time.Time{hour(4, 2, 0), hour(4, 3, 0)}), "", []recon.QuietSpell{{From: hour(4, 1, 18), To: hour(4, 3, 8), Usual: 120}}},
		{"two weeks", 14, 12, out([2]time.Time{hour(5, 0, 0), hour(7, 0, 0)}), "", []recon.QuietSpell{{From: hour(4, 4, 18), To: hour(7, 0, 8), Usual: 1200}}},
		{"the first week: the weeks after it tell", 10, 12, out([2]time.Time{hour(0, 2, 10), hour(0, 2, 14)}), "", []recon.QuietSpell{{From: hour(0, 2, 10), To: hour(0, 2, 14), Usual: 48}}},
		{"too few weeks around", 3, 12, out([2]time.Time{hour(1, 2, 10), hour(1, 2, 14)}), "", nil},
		{"few attempts a day: nothing can be said", 10, 1, out([2]time.Time{hour(4, 2, 0), hour(4, 3, 0)}), "", nil},
		{"outside the period", 10, 12, out([2]time.Time{hour(4, 2, 10), hour(4, 2, 14)}), "2025-01-06..2025-01-31", nil},
		{"reaching into the period", 10, 12, out([2]time.Time{hour(4, 2, 0), hour(4, 3, 0)}), "2025-02-05..2025-02-28", []recon.QuietSpell{{From: hour(4, 1, 18), To: hour(4, 3, 8), Usual: 120}}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var w recontest.World
			for at := monday; at.Before(hour(test.weeks, 0, 0)); at = at.Add(time.Hour) {
				if weekend := at.Weekday() == time.Saturday || at.Weekday() == time.Sunday; weekend || at.Hour() < 8 || at.Hour() >= 18 || test.out(at) {
					continue
				}
				for n := range test.rate {
					proposed := at.Add(time.Duration(n) * time.Minute)
					w.Attempts = append(w.Attempts, recon.Attempt{ID: proposed.String(), SessionID: "s", Minor: 1, Currency: "EUR", DestAccount: proposed.String(), IDSource: recon.IDToolUse, ProposedAt: proposed})
				}
			}
			var period ledger.Period
			if test.period != "" {
				var err error
				if period, err = ledger.ParseCovers(test.period); err != nil {
					t.Fatal(err)
				}
			}
			result := mustRun(t, w, recon.Request{AsOf: hour(test.weeks, 0, 0), Policy: recon.DefaultPolicy(), Period: period})
			if diff := cmp.Diff(test.want, result.Quiet); diff != "" {
				t.Errorf("quiet spells (-want +got):\n%s", diff)
			}
		})
	}
}
