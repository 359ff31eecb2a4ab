package ledger_test

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"agentrecon/ledger"
)

// statement is one of opening 1000.00 with the given booked amounts, closing where it should.
func statement(amounts ...int64) *ledger.Statement {
	s := &ledger.Statement{ID: "S1", AccountID: "A", Currency: "EUR", Opening: ledger.Balance{Amount: ledger.Some(100_000), On: ledger.NewDate(2025, 1, 30)}}
	closing := int64(100_000)
	for _, amount := range amounts {
		s.Add(&ledger.Entry{Amount: amount, Currency: "EUR", Status: ledger.StatusBooked})
		closing += amount
	}
	s.Closing = ledger.Balance{Amount: ledger.Some(closing), On: ledger.NewDate(2025, 1, 31)}
	return s
}

func TestProve(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*ledger.Statement)
		state  ledger.ProofState
		detail string
	}{
		"as it is":           {func(*ledger.Statement) {}, ledger.ProofOK, "opening + entries = closing"},
		"a cent more":        {func(s *ledger.Statement) { s.Closing.Amount.Minor++ }, ledger.ProofFailed, "difference EUR 0.01"},
		"a cent less":        {func(s *ledger.Statement) { s.Closing.Amount.Minor-- }, ledger.ProofFailed, "difference EUR -0.01"},
		"no opening balance": {func(s *ledger.Statement) { s.Opening.Amount.Given = false }, ledger.ProofNone, "no opening and closing balance"},
		"no closing balance": {func(s *ledger.Statement) { s.Closing.Amount.Given = false }, ledger.ProofNone, "no opening and closing balance"},
		"count of debits": {
			func(s *ledger.Statement) { s.Declared.Debits.Count = ledger.Some(3) }, ledger.ProofFailed,
			"statement S1: it declares 3 debits and holds 2: difference 1",
		},
		"sum of credits": {func(s *ledger.Statement) { s.Declared.Credits.Sum = ledger.Some(1) }, ledger.ProofFailed, "it declares EUR 0.01 of credits and holds EUR 10.00: difference EUR -9.99"},
		"right totals": {func(s *ledger.Statement) {
			s.Declared.Entries = ledger.Figure{Count: ledger.Some(3), Sum: ledger.Some(4000)}
			s.Declared.Net = ledger.Some(-2000)
		}, ledger.ProofOK, "opening + entries = closing; declared counts and sums agree"},
		"net": {func(s *ledger.Statement) { s.Declared.Net = ledger.Some(2000) }, ledger.ProofFailed, "declares a net of EUR 20.00 and holds EUR -20.00: difference EUR 40.00"},
		"control total": {func(s *ledger.Statement) {
			s.Checks = []ledger.Check{{Name: "group total", Declared: 5, Found: 7, Money: true}}
		}, ledger.ProofFailed, "group total: it declares EUR 0.05 and holds EUR 0.07: difference EUR -0.02"},
		"control count": {func(s *ledger.Statement) { s.Checks = []ledger.Check{{Name: "records", Declared: 5, Found: 7}} }, ledger.ProofFailed, "records: it declares 5 and holds 7: difference -2"},
		"control right": {func(s *ledger.Statement) { s.Checks = []ledger.Check{{Name: "records", Declared: 7, Found: 7}} }, ledger.ProofOK, "control totals agree"},
		"a page":        {func(s *ledger.Statement) { s.Paged = true; s.Closing.Amount.Minor++ }, ledger.ProofNone, "several pages"},
		"valued later":  {func(s *ledger.Statement) { s.Read.ValuedLater = 7; s.Closing.Amount.Minor -= 7 }, ledger.ProofOK, "by value date"},
	} {
		s := statement(1000, -1000, -2000)
		test.change(s)
		if got := s.Prove(); got.State != test.state || !strings.Contains(got.Detail, test.detail) {
			t.Errorf("%s: got %v, want %s: … %s …", name, got, test.state, test.detail)
		}
	}
}

// Whatever the amounts, a whole statement proves itself and no other closing balance does.
func TestOnlyTheRightClosingBalanceProves(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := statement(rapid.SliceOf(rapid.Int64Range(-ledger.MaxMinor, ledger.MaxMinor)).Draw(t, "amounts")...)
		if got := s.Prove(); got.State != ledger.ProofOK {
			t.Fatalf("got %v", got)
		}
		off := rapid.Int64Range(-1000, 1000).Filter(func(n int64) bool { return n != 0 }).Draw(t, "off")
		s.Closing.Amount.Minor += off
		if got := s.Prove(); got.State != ledger.ProofFailed || !strings.HasSuffix(got.Detail, "difference "+ledger.FormatMoney(off, "EUR")) {
			t.Fatalf("off by %d: got %v", off, got)
		}
	})
}

func TestAddCountsByStatusAndRefusesWhatIsNoMoney(t *testing.T) {
	s := &ledger.Statement{Currency: "EUR"}
	for _, e := range []ledger.Entry{
		{Amount: 5, Currency: "EUR", Status: ledger.StatusBooked},
		{Amount: -3, Currency: "EUR", Status: ledger.StatusPending},
		{Amount: 9, Currency: "USD", Status: ledger.StatusBooked},
	} {
		if !s.Add(&e) {
			t.Fatalf("%+v was refused", e)
		}
	}
	want := ledger.Read{
		Credits: ledger.Tally{Count: 2, Minor: 5}, Debits: ledger.Tally{Count: 1, Minor: 3},
		BookedCredits: ledger.Tally{Count: 2, Minor: 5}, Foreign: 1,
	}
	if s.Read != want {
		t.Errorf("got %+v, want %+v", s.Read, want)
	}
	if s.Add(&ledger.Entry{Amount: math.MinInt64, Currency: "EUR"}) || s.Add(&ledger.Entry{Amount: math.MaxInt64, Currency: "EUR"}) || s.Read != want {
		t.Errorf("sums beyond money were taken: %+v", s.Read)
	}
}

func TestProveContinuity(t *testing.T) {
	for name, test := range map[string]struct {
		change func(before, next *ledger.Statement)
		state  ledger.ProofState
		detail string
	}{
		"neighbours":      {func(_, _ *ledger.Statement) {}, ledger.ProofOK, ""},
		"another balance": {func(_, next *ledger.Statement) { next.Opening.Amount.Minor += 100 }, ledger.ProofFailed, "opening EUR 1,011.00, the statement before it closed at EUR 1,010.00: difference EUR 1.00"},
		"numbers missing": {func(_, next *ledger.Statement) { next.Opening.Amount.Minor++; next.Sequence = "4" }, ledger.ProofNone, "statements are missing between numbers 1 and 4: 2"},
		"days missing":    {func(_, next *ledger.Statement) { next.Opening.Amount.Minor++; next.Opening.On += 30 }, ledger.ProofNone, "days do not follow"},
		"no balance":      {func(before, _ *ledger.Statement) { before.Closing.Amount.Given = false }, ledger.ProofNone, "no balances"},
		"numbers start over": {func(before, next *ledger.Statement) {
			before.Sequence, next.Sequence = "260", "1"
			next.Opening.Amount.Minor++
		}, ledger.ProofFailed, "difference EUR 0.01"},
	} {
		before, next := statement(1000), statement(-1000)
		next.Opening, next.Closing.On = before.Closing, before.Closing.On.AddDays(1)
		before.Sequence, next.Sequence = "1", "2"
		test.change(before, next)
		if got := ledger.ProveContinuity(before, next); got.State != test.state || !strings.Contains(got.Detail, test.detail) {
			t.Errorf("%s: got %v, want %s: … %s …", name, got, test.state, test.detail)
		}
	}
}

func TestProveStatements(t *testing.T) {
	proved := func(state ledger.ProofState, detail string) ledger.Statement {
		return ledger.Statement{Proof: ledger.Proof{State: state, Detail: detail}}
	}
	for name, test := range map[string]struct {
		statements []ledger.Statement
		want       ledger.Proof
	}{
		"nothing":          {nil, ledger.Proof{State: ledger.ProofNone, Detail: "no statements in this file"}},
		"one":              {[]ledger.Statement{proved("ok", "a")}, ledger.Proof{State: "ok", Detail: "a"}},
		"the first failed": {[]ledger.Statement{proved("ok", "a"), proved("none", "b"), proved("failed", "c"), proved("failed", "d")}, ledger.Proof{State: "failed", Detail: "c"}},
		"one has none":     {[]ledger.Statement{proved("ok", "a"), proved("none", "b"), proved("none", "c")}, ledger.Proof{State: "none", Detail: "b"}},
	} {
		if got := ledger.ProveStatements(test.statements); got != test.want {
			t.Errorf("%s: got %v, want %v", name, got, test.want)
		}
	}
}

// Neighbours are found by date, whatever the order of the file; another account or currency is none.
func TestContinuityIsByAccountAndDate(t *testing.T) {
	first, second := statement(1000), statement(-1000)
	second.Opening, second.Closing = first.Closing, ledger.Balance{Amount: ledger.Some(100_000), On: first.Closing.On.AddDays(1)}
	other := statement(5)
	other.AccountID = "B"
	list := []ledger.Statement{*second, *other, *first}
	for i := range list {
		list[i].Proof = list[i].Prove()
	}
	if got := ledger.ProveStatements(list); got.State != ledger.ProofOK {
		t.Errorf("newest first: got %v", got)
	}
	list[0].Opening.Amount.Minor++
	list[0].Closing.Amount.Minor++
	if got := ledger.ProveStatements(list); got.State != ledger.ProofFailed {
		t.Errorf("a gap of a cent: got %v", got)
	}
}

func TestPeriodOfBalances(t *testing.T) {
	day := func(d int) ledger.Date { return ledger.NewDate(2025, 1, d) }
	for name, test := range map[string]struct{ opening, closing, first, from, to ledger.Date }{
		"opened the day before": {day(30), day(31), day(31), day(31), day(31) + 1},
		"opened on the day":     {day(30), day(31), day(30), day(30), day(31) + 1},
		"one day":               {day(31), day(31), 0, day(31), day(31) + 1},
		"nothing booked":        {day(1), day(31), 0, day(2), day(31) + 1},
		"no opening":            {0, day(31), day(31), 0, 0},
		"backwards":             {day(31), day(1), 0, 0, 0},
	} {
		if from, to := ledger.PeriodOfBalances(test.opening, test.closing, test.first); from != test.from || to != test.to {
			t.Errorf("%s: got %s to %s, want %s to %s", name, from, to, test.from, test.to)
		}
	}
}
