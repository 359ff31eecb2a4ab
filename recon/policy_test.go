package recon

import (
	"math"
	"strings"
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

func TestTolerancesByCurrency(t *testing.T) {
	general, of, err := ParseTolerances("2, KWD=5‰,JPY=1")
	if err != nil {
		t.Fatal(err)
	}
	policy := DefaultPolicy()
	policy.Tolerance, policy.Tolerances = general, of
	for currency, want := range map[ledger.Currency]string{"EUR": "2", "JPY": "1", "KWD": "0.5%"} {
		if got := policy.tolerance(currency).String(); got != want {
			t.Errorf("%s: got %s, want %s", currency, got, want)
		}
	}
	if got := of[0].String() + "," + of[1].String(); got != "JPY=1,KWD=0.5%" {
		t.Errorf("prints %s", got)
	}
	for _, text := range []string{"", "1,2", "EUR=", "EUR=1,EUR=2", "=1", "euros=1", "EUR=-1", "EUR=0.0001‰", "EUR=1001‰"} {
		if _, _, err := ParseTolerances(text); err == nil {
			t.Errorf("%q was taken", text)
		}
	}
}

func TestFeeRules(t *testing.T) {
	policy := DefaultPolicy()
	var err error
	if policy.FeeRules, err = ParseFeeRules("USD=30+2.9%, EUR=25,JPY=1%"); err != nil {
		t.Fatal(err)
	}
	printed := ""
	for _, r := range policy.FeeRules {
		printed += r.String() + " "
	}
	if printed != "EUR=25 JPY=1% USD=30+2.9% " {
		t.Errorf("prints %s", printed)
	}
	for _, c := range []struct {
		beyond, of int64
		currency   ledger.Currency
		want       bool
	}{
		{25, 100, "EUR", true},
		{26, 1_000_000, "EUR", false},
		{0, 100, "EUR", false},
		{-1, 100, "EUR", false},                               // less than ordered is no fee on top
		{1, 1, "JPY", true},                                   // a share is rounded up to the minor unit
		{2, 100, "JPY", false},                                //
		{30 + 29, 1000, "USD", true},                          // both
		{30 + 30, 1001, "USD", true},                          // 29.029, rounded up
		{30 + 30, 1000, "USD", false},                         //
		{1, 100, "GBP", false},                                // no rule
		{ledger.MaxMinor / 100, ledger.MaxMinor, "JPY", true}, // beyond 64 bits in between
		{ledger.MaxMinor / 50, ledger.MaxMinor, "JPY", false}, //
	} {
		if got := policy.isFee(c.beyond, c.of, c.currency); got != c.want {
			t.Errorf("%d beyond %d %s: got %v, want %v", c.beyond, c.of, c.currency, got, c.want)
		}
	}
	for _, text := range []string{"25", "EUR", "EUR=", "EUR=1+2", "EUR=1%+2%", "EUR=1,EUR=2", "EUR=-1", "EUR=1%+"} {
		if _, err := ParseFeeRules(text); err == nil {
			t.Errorf("%q was taken", text)
		}
	}
}

// Business days are counted from the attempt's day, which need not be one.
func TestWindowInBusinessDays(t *testing.T) {
	policy := DefaultPolicy()
	policy.BusinessDays, policy.Holidays = true, []ledger.Date{ledger.NewDate(2025, 4, 18), ledger.NewDate(2025, 4, 21)}
	for _, c := range []struct {
		proposed string
		days     int
		want     string
	}{
		{"2025-04-15", 5, "2025-04-25"}, // over Easter
		{"2025-04-15", 0, "2025-04-16"},
		{"2025-04-12", 0, "2025-04-13"}, // a Saturday stays one
		{"2025-04-12", 1, "2025-04-15"},
		{"2025-04-11", 1, "2025-04-15"},
		{"2025-04-17", 1, "2025-04-23"}, // Maundy Thursday to Tuesday
		{"2025-04-18", 1, "2025-04-23"},
	} {
		policy.SettlementWindowDays = c.days
		day, err := ledger.ParseDate(c.proposed)
		if err != nil {
			t.Fatal(err)
		}
		if got := policy.WindowAfter(day).String(); got != c.want {
			t.Errorf("%s and %d business days: got %s, want %s", c.proposed, c.days, got, c.want)
		}
	}
}

func TestCutForms(t *testing.T) {
	for _, c := range []struct {
		text string
		want string
	}{
		{"INVOICE-2025-000", "INVOICE2025000"},
		{"INVOICE-2025-00", ""},   // shorter than the cut: the bank cut nothing off
		{"INVOICE-2025-0001", ""}, // longer
		{"- - - - - 123456", ""},  // too little is left to be compared
		{"RECHNUNG-FÜR-ÖLE", "RECHNUNGFUEROELE RECHNUNGFUROLE"},
	} {
		if got := strings.Join(cutForms([]int{16}, c.text), " "); got != c.want {
			t.Errorf("%q: got %q, want %q", c.text, got, c.want)
		}
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
