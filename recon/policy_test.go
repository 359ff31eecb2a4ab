package recon

import (
	"math"
	"testing"
	"time"

	"agentrecon/ledger"
)

func TestTolerance(t *testing.T) {
	for _, c := range []struct {
		text                string
		difference, of      int64
		permitted, rejected bool
	}{
		{text: "0", difference: 0, of: 100, permitted: true},
		{text: "0", difference: 1, of: 100},
		{text: "2", difference: -2, of: 100, permitted: true},
		{text: "2", difference: 3, of: 1_000_000},
		{text: "1%", difference: 1, of: 100, permitted: true},
		{text: "1%", difference: -2, of: 199},
		{text: "0.0001%", difference: 1, of: 1_000_000, permitted: true},
		{text: "0.0001%", difference: 1, of: 999_999},
		{text: "100%", difference: ledger.MaxMinor, of: ledger.MaxMinor, permitted: true},
		{text: "50%", difference: ledger.MaxMinor/2 + 1, of: ledger.MaxMinor},
		{text: "-1", rejected: true},
		{text: "101%", rejected: true},
		{text: "0.00001%", rejected: true},
		{text: "", rejected: true},
		{text: "1.5", rejected: true},
	} {
		tolerance, err := ParseTolerance(c.text)
		if (err != nil) != c.rejected {
			t.Errorf("ParseTolerance(%q): got error %v, want one: %v", c.text, err, c.rejected)
		}
		if err != nil {
			continue
		}
		if got := tolerance.String(); got != c.text {
			t.Errorf("ParseTolerance(%q): prints %q", c.text, got)
		}
		if got := tolerance.permits(c.difference, c.of); got != c.permitted {
			t.Errorf("%s of %d, difference %d: got %v, want %v", c.text, c.of, c.difference, got, c.permitted)
		}
	}
	if abs(math.MinInt64+1) != math.MaxInt64 {
		t.Error("abs is wrong at the bound")
	}
}

// Windows are days of the accounts' zone, whatever its clocks do.
func TestWindow(t *testing.T) {
	for _, c := range []struct{ zone, proposed, start, end string }{
		{"UTC", "2025-03-10T00:00:00Z", "2025-03-09T23:50:00Z", "2025-03-16T00:00:00Z"},
		{"UTC", "2025-03-10T23:59:59Z", "2025-03-10T23:49:59Z", "2025-03-16T00:00:00Z"},
		{"Europe/Berlin", "2025-03-27T22:59:59Z", "2025-03-27T22:49:59Z", "2025-04-01T22:00:00Z"},     // the 27th there, summer time from the 30th
		{"Europe/Berlin", "2025-03-27T23:00:00Z", "2025-03-27T22:50:00Z", "2025-04-02T22:00:00Z"},     // the 28th there
		{"Europe/Berlin", "2025-10-24T22:30:00Z", "2025-10-24T22:20:00Z", "2025-10-30T23:00:00Z"},     // back to winter time on the 26th
		{"America/Sao_Paulo", "2018-10-29T12:00:00Z", "2018-10-29T11:50:00Z", "2018-11-04T03:00:00Z"}, // the 4th began at one o'clock
	} {
		zone, err := time.LoadLocation(c.zone)
		if err != nil {
			t.Fatal(err)
		}
		policy := DefaultPolicy()
		policy.Zone = zone
		proposed, _ := time.Parse(time.RFC3339, c.proposed)
		if got := stamp(policy.windowStart(proposed)); got != c.start {
			t.Errorf("%s, %s: window starts %s, want %s", c.proposed, c.zone, got, c.start)
		}
		if got := stamp(policy.windowEnd(proposed)); got != c.end {
			t.Errorf("%s, %s: window ends %s, want %s", c.proposed, c.zone, got, c.end)
		}
	}
}

func TestCoverage(t *testing.T) {
	day := func(d int) ledger.Date { return ledger.NewDate(2025, time.March, d) }
	ranges := []ledger.Coverage{
		{AccountID: "ACC 1", From: day(1), To: day(10), File: "a"},
		{AccountID: "ACC 1", From: day(10), To: day(15), Inferred: true, File: "b"},
		{AccountID: "ACC 1", From: day(16), To: day(20), File: "c"},
		{AccountID: "ACC2", From: day(1), To: day(12), File: "d"},
		{From: day(11), To: day(14), File: "e"},
	}
	for _, c := range []struct {
		account  string
		accounts []string
		from, to int
		want     bool
	}{
		{account: "acc1", from: 1, to: 15, want: true},  // two statements that touch
		{account: "ACC1", from: 14, to: 17},             // the 15th is missing
		{account: "ACC2", from: 10, to: 14, want: true}, // the rest by a file that names no account
		{account: "ACC3", from: 11, to: 14, want: true}, // by that file alone
		{account: "ACC3", from: 10, to: 14},             //
		{accounts: []string{"ACC1"}, from: 1, to: 15, want: true},
		{accounts: []string{"ACC1", "ACC2"}, from: 1, to: 14, want: true},
		{accounts: []string{"ACC1", "ACC2"}, from: 1, to: 15},
		{account: "acc-1", accounts: []string{"ACC 1"}, from: 1, to: 15, want: true}, // one account, printed in three ways
		{account: "ACC1", accounts: []string{"ACC2"}, from: 1, to: 15},               // covered, but its entries are out of scope
		{from: 11, to: 14, want: true},                                               // every account that any file covers
		{from: 5, to: 9},                                                             // the file without an account does not cover these
	} {
		m := newCoverageMap(ranges, c.accounts)
		if got := m.covers(c.account, day(c.from), day(c.to)); got != c.want {
			t.Errorf("%q of %v, %d to %d March: got %v, want %v", c.account, c.accounts, c.from, c.to, got, c.want)
		}
	}
	merged := mergeCoverage(ranges)
	if len(merged) != 4 {
		t.Fatalf("got %d merged ranges, want 4: %v", len(merged), merged)
	}
	if m := merged[1]; !m.Inferred || m.File != "" || m.From != day(1) || m.To != day(15) {
		t.Errorf("got %+v, want one inferred range of two files from the 1st to the 15th", m)
	}
	if newCoverageMap(nil, nil).covers("", day(1), day(2)) {
		t.Error("nothing covers nothing")
	}
}

func TestAccountsInScopeHoweverPrinted(t *testing.T) {
	policy := DefaultPolicy()
	policy.Accounts = []string{"nl45 qagb 0417 1825 32"}
	policy.Scope = []ScopeRule{{Name: "sweep", Account: "NL45-QAGB-0417-1825-32", Text: "sweep"}}
	for account, want := range map[string]string{"NL45QAGB0417182532": "", "NL45QAGB0417182533": ReasonAccount, "": ""} {
		if got := policy.scopeReason(&ledger.Entry{AccountID: account, Kind: ledger.KindPayment}); got != want {
			t.Errorf("%q: got %q, want %q", account, got, want)
		}
	}
	if got := policy.scopeReason(&ledger.Entry{AccountID: "NL45QAGB0417182532", Kind: ledger.KindPayment, RemittanceText: "Sweep 12"}); got != "sweep" {
		t.Errorf("got %q, want the rule of the account", got)
	}
}
