package witness_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"agentrecon/ledger"
	"agentrecon/ledger/tabular"
	"agentrecon/ledger/witness"
)

var day = ledger.NewDate(2025, 1, 31)

func entry(amount int64) *ledger.Entry {
	return &ledger.Entry{Amount: amount, Currency: "EUR", BookedOn: day, Status: ledger.StatusBooked, Line: 1}
}

// read gives a file of one statement of the entries, in a role.
func read(t *testing.T, options ledger.ReadOptions, role witness.Role, s ledger.Statement, entries ...*ledger.Entry) (ledger.SourceFile, []ledger.Entry, error) {
	t.Helper()
	var got []ledger.Entry
	f := witness.New("f", options, func(e *ledger.Entry) error { got = append(got, *e); return nil })
	if err := f.Open(s, role); err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if err := f.Add(e); err != nil {
			return ledger.SourceFile{}, got, err
		}
	}
	source, err := f.Source("x")
	return source, got, err
}

func TestEntriesAreCompletedFromTheirStatement(t *testing.T) {
	e := &ledger.Entry{Amount: -1, ValueOn: day, Line: 1, Children: []ledger.Entry{{Amount: -1}, {Amount: 0, Currency: "USD"}}}
	_, got, err := read(t, ledger.ReadOptions{Account: "told"}, witness.Statement, ledger.Statement{ID: "S", Currency: "EUR"}, e)
	if err != nil {
		t.Fatal(err)
	}
	g := got[0]
	if g.AccountID != "told" || g.StatementID != "S" || g.Currency != "EUR" || g.BookedOn != day || g.Kind != ledger.KindPayment || g.Status != ledger.StatusBooked || g.File != "f" {
		t.Errorf("got %+v", g)
	}
	if !slices.Equal(g.Warnings, []string{ledger.WarnCurrencyAssumed}) {
		t.Errorf("warnings %q", g.Warnings)
	}
	for i, c := range g.Children {
		if c.ParentID != g.ID || c.ID == g.ID || c.AccountID != "told" || c.BookedOn != day || c.Status != g.Status || c.Kind != g.Kind {
			t.Errorf("child %d: %+v", i, c)
		}
	}
	if g.Children[0].Currency != "EUR" || g.Children[1].Currency != "USD" {
		t.Errorf("currencies of the children: %s, %s", g.Children[0].Currency, g.Children[1].Currency)
	}
}

// The same money is on an intraday report, a notification and a statement; it moves once.
func TestRoles(t *testing.T) {
	withID := func() *ledger.Entry { e := entry(-5); e.ProviderID = "P"; return e }
	for _, test := range []struct {
		name    string
		role    witness.Role
		entry   *ledger.Entry
		counted bool
		want    ledger.Status
		covers  int
	}{
		{"statement", witness.Statement, entry(-5), false, ledger.StatusBooked, 1},
		{"intraday with an id", witness.Intraday, withID(), false, ledger.StatusBooked, 0},
		{"intraday without", witness.Intraday, entry(-5), false, ledger.StatusPending, 0},
		{"notification", witness.Notification, withID(), false, ledger.StatusInfo, 0},
		{"intraday, counted", witness.Intraday, entry(-5), true, ledger.StatusBooked, 1},
		{"notification, counted", witness.Notification, entry(-5), true, ledger.StatusBooked, 1},
	} {
		s := ledger.Statement{From: day, To: day + 1}
		options := ledger.ReadOptions{CountReports: test.counted, Covers: ledger.Period{From: day, To: day + 1}}
		source, got, err := read(t, options, test.role, s, test.entry)
		if err != nil || got[0].Status != test.want || len(source.Coverage) != test.covers {
			t.Errorf("%s: got %s, coverage %v, %v", test.name, got[0].Status, source.Coverage, err)
		}
	}
}

func TestCoverage(t *testing.T) {
	balances := ledger.Statement{AccountID: "A", Opening: ledger.Balance{Amount: ledger.Some(0), On: day - 10}, Closing: ledger.Balance{Amount: ledger.Some(-5), On: day}}
	for _, test := range []struct {
		name      string
		statement ledger.Statement
		options   ledger.ReadOptions
		want      ledger.Coverage
	}{
		{"its period", ledger.Statement{AccountID: "A", From: day - 3, To: day + 1}, ledger.ReadOptions{}, ledger.Coverage{AccountID: "A", From: day - 3, To: day + 1, File: "f"}},
		{"its balances", balances, ledger.ReadOptions{}, ledger.Coverage{AccountID: "A", From: day - 9, To: day + 1, File: "f"}},
		{"its entries", ledger.Statement{AccountID: "A"}, ledger.ReadOptions{}, ledger.Coverage{AccountID: "A", From: day, To: day + 1, Inferred: true, File: "f"}},
		{"as told", balances, ledger.ReadOptions{Covers: ledger.Period{From: day - 30, To: day}}, ledger.Coverage{AccountID: "A", From: day - 30, To: day, File: "f"}},
	} {
		source, _, err := read(t, test.options, witness.Statement, test.statement, entry(-5))
		if err != nil || len(source.Coverage) != 1 || source.Coverage[0] != test.want {
			t.Errorf("%s: got %+v, %v", test.name, source.Coverage, err)
		}
	}
}

func TestTotalsFromOutside(t *testing.T) {
	for _, test := range []struct {
		name   string
		expect ledger.Expect
		state  ledger.ProofState
		detail string
	}{
		{"right", ledger.Expect{HasCount: true, Count: 2, Sum: "-0.15"}, ledger.ProofNone, "the totals given from outside agree"},
		{"count", ledger.Expect{HasCount: true, Count: 3}, ledger.ProofFailed, "expected 3 entries; the file has 2 entries"},
		{"sum", ledger.Expect{Sum: "-0.16"}, ledger.ProofFailed, "expected EUR -0.16; the file has EUR -0.15"},
	} {
		source, _, err := read(t, ledger.ReadOptions{Expect: test.expect}, witness.Statement, ledger.Statement{}, entry(-5), entry(-10))
		if err != nil || source.Proof.State != test.state || !strings.Contains(source.Proof.Detail, test.detail) {
			t.Errorf("%s: got %v, %v", test.name, source.Proof, err)
		}
	}
	if _, _, err := read(t, ledger.ReadOptions{Expect: ledger.Expect{Sum: "x"}}, witness.Statement, ledger.Statement{}, entry(-5)); err == nil {
		t.Error("a sum that is no number was taken")
	}
}

func TestRefusals(t *testing.T) {
	var file *tabular.FileError
	if _, _, err := read(t, ledger.ReadOptions{}, witness.Statement, ledger.Statement{}); !errors.As(err, &file) {
		t.Errorf("no entries and nothing that says so: got %v", err)
	}
	zero := ledger.Statement{Opening: ledger.Balance{Amount: ledger.Some(7)}, Closing: ledger.Balance{Amount: ledger.Some(7)}}
	if source, _, err := read(t, ledger.ReadOptions{}, witness.Statement, zero); err != nil || source.Proof.State != ledger.ProofOK {
		t.Errorf("no entries, as the balances say: got %v, %v", source.Proof, err)
	}
	if _, _, err := read(t, ledger.ReadOptions{}, witness.Statement, ledger.Statement{}, entry(math.MaxInt64)); !errors.As(err, &file) {
		t.Errorf("more than money: got %v", err)
	}
	var bad *ledger.RowError
	if _, _, err := read(t, ledger.ReadOptions{}, witness.Statement, ledger.Statement{}, &ledger.Entry{Amount: 1, Line: 4, BookedOn: day}); !errors.As(err, &bad) || bad.Line != 4 {
		t.Errorf("no currency: got %v", err)
	}
}

// Bad rows come in the order of the file, and reading ends when there are far too many.
func TestBadRows(t *testing.T) {
	f := witness.New("f", ledger.ReadOptions{}, func(*ledger.Entry) error { return nil })
	for _, line := range []int{3, 1, 2} {
		if err := f.Bad(f.BadField(line, "x", "", "wrong")); err != nil {
			t.Fatal(err)
		}
	}
	_, err := f.Source("x")
	if want := "f: 3 bad rows, nothing imported\n  f:1: x: wrong\n  f:2: x: wrong\n  f:3: x: wrong"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	n := 0
	for err = nil; err == nil && n < 1_000_000; n++ {
		err = f.Bad(f.BadField(1, "x", "", "wrong"))
	}
	if err == nil || n > 20_000 {
		t.Errorf("%d bad rows were taken, %v", n, err)
	}
}

// Notes that differ in a line number only must not fill the memory.
func TestWarningsAreBounded(t *testing.T) {
	f := witness.New("f", ledger.ReadOptions{}, func(*ledger.Entry) error { return nil })
	if err := f.Open(ledger.Statement{AccountID: "A"}, witness.Statement); err != nil {
		t.Fatal(err)
	}
	for i := range 5000 {
		f.Warn(fmt.Sprintf("line %d is odd", i))
		f.Warn("line 1 is odd")
	}
	if err := f.Add(entry(-5)); err != nil {
		t.Fatal(err)
	}
	source, err := f.Source("x")
	if n := len(source.Warnings); err != nil || n != 1001 || source.Warnings[n-1] != "and 4000 more of such notes" {
		t.Errorf("%d warnings, %v", n, err)
	}
}
