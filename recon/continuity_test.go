package recon

import (
	"strings"
	"testing"
	"time"

	"agentrecon/ledger"
)

// Each case is the statements of one account, "from-to opening closing number", days of March both included, and what is
// covered of them. A file of its own holds each statement; "?" is a balance that the statement does not give.
func TestCoverageIsHeldToBalances(t *testing.T) {
	for name, c := range map[string]struct {
		statements []string
		want       string
	}{
		"one follows on the other":           {[]string{"1-10 0 50 1", "11-20 50 70 2"}, "1-20"},
		"the balance jumps":                  {[]string{"1-10 0 50 1", "11-20 51 70 2"}, "1-9 12-20"},
		"in the order of the days":           {[]string{"11-20 51 70 2", "1-10 0 50 1"}, "1-9 12-20"},
		"a number is missing":                {[]string{"1-10 0 50 1", "11-20 51 70 3"}, "1-9 12-20"},
		"a number is missing, not a balance": {[]string{"1-10 0 50 1", "11-20 50 70 3"}, "1-20"},
		"no balances, a number is missing":   {[]string{"1-10 ? ? 1", "11-20 ? ? 3"}, "1-9 12-20"},
		"no balances":                        {[]string{"1-10 ? ? 1", "11-20 ? ? 2"}, "1-20"},
		"nothing to go by":                   {[]string{"1-10 ? ? x", "11-20 ? ? y"}, "1-20"},
		"numbers start over":                 {[]string{"1-10 ? ? 260", "11-20 ? ? 1"}, "1-20"},
		"a weekend without a statement":      {[]string{"1-7 0 50 1", "10-20 50 70 2"}, "1-20 inferred"},
		"days missing, and a number":         {[]string{"1-7 0 50 1", "10-20 50 70 3"}, "1-7 10-20"},
		"days missing, and a balance":        {[]string{"1-7 0 50 1", "10-20 51 70 2"}, "1-6 11-20"},
		"the month has the days as well":     {[]string{"1-10 0 50 1", "11-20 51 70 2", "1-20 0 70 3"}, "1-20"},
		"days within a month":                {[]string{"1-31 0 90 1", "1-1 0 5 11", "2-2 5 7 12", "4-4 9 9 14"}, "1-31"},
		"two statements a day":               {[]string{"1-1 0 5 1", "2-2 8 9 3", "2-2 5 8 2", "3-3 9 9 4"}, "1-3"},
		"the first of a day is missing":      {[]string{"1-1 0 5 1", "2-2 8 9 3", "3-3 9 9 4"}, "3-3"},
		"imported twice":                     {[]string{"1-10 0 50 1", "1-10 0 50 1", "11-20 50 70 2", "11-20 50 70 2"}, "1-20"},
		"pages":                              {[]string{"1-10 0 50 1 paged", "11-20 51 70 2"}, "1-20"},
		"a copy":                             {[]string{"1-10 0 50 1", "5-10 7 7 9 copy", "11-20 50 70 2"}, "1-20"},
	} {
		var sources []ledger.SourceFile
		var ranges []ledger.Coverage
		for n, text := range c.statements {
			s := statementOf(t, text)
			file := string(rune('a' + n))
			cover := ledger.Coverage{AccountID: s.AccountID, From: s.From, To: s.To, File: file}
			sources = append(sources, ledger.SourceFile{Name: file, Statements: []ledger.Statement{s}, Coverage: []ledger.Coverage{cover}})
			ranges = append(ranges, cover)
		}
		var got []string
		for _, r := range heldToBalances(ranges, sources) {
			text := strings.TrimPrefix(r.From.String(), "2025-03-") + "-" + strings.TrimPrefix(r.To.AddDays(-1).String(), "2025-03-")
			text = strings.ReplaceAll("-"+text, "-0", "-")[1:]
			if r.Inferred {
				text += " inferred"
			}
			got = append(got, text)
		}
		if got := strings.Join(got, " "); got != c.want {
			t.Errorf("%s: got %s, want %s", name, got, c.want)
		}
	}
}

// statementOf reads "from-to opening closing number [paged|copy]".
func statementOf(t *testing.T, text string) ledger.Statement {
	t.Helper()
	fields := strings.Fields(text)
	from, to, _ := strings.Cut(fields[0], "-")
	s := ledger.Statement{AccountID: "DE 1", Currency: "EUR", Sequence: fields[3], From: dayOf(t, from), To: dayOf(t, to).AddDays(1)}
	for n, balance := range []*ledger.Balance{&s.Opening, &s.Closing} {
		if fields[1+n] != "?" {
			minor, err := ledger.ParseMinor(fields[1+n])
			if err != nil {
				t.Fatal(err)
			}
			balance.Amount = ledger.Some(minor)
		}
	}
	if len(fields) > 4 {
		s.Paged = fields[4] == "paged"
		s.Copy = strings.TrimPrefix(fields[4], "paged")
	}
	return s
}

func dayOf(t *testing.T, text string) ledger.Date {
	t.Helper()
	n, err := ledger.ParseMinor(text)
	if err != nil {
		t.Fatal(err)
	}
	return ledger.NewDate(2025, time.March, int(n))
}

// A break concerns the files that it lies between, and the account they are of.
func TestBreakTakesNothingFromOthers(t *testing.T) {
	first, second := statementOf(t, "1-10 0 50 1"), statementOf(t, "11-20 51 70 2")
	sources := []ledger.SourceFile{
		{Name: "a", Statements: []ledger.Statement{first}, Coverage: []ledger.Coverage{{AccountID: "DE 1", From: first.From, To: first.To}}},
		{Name: "b", Statements: []ledger.Statement{second}, Coverage: []ledger.Coverage{{AccountID: "DE 1", From: second.From, To: second.To}}},
		{Name: "intraday", Statements: []ledger.Statement{statementOf(t, "5-5 7 8 1")}},
	}
	day := func(n int) ledger.Date { return ledger.NewDate(2025, time.March, n) }
	ranges := []ledger.Coverage{
		{AccountID: "DE 1", From: day(1), To: day(11), File: "a"},
		{AccountID: "DE 1", From: day(11), To: day(21), File: "b"},
		{AccountID: "DE 2", From: day(1), To: day(21), File: "b"},
		{AccountID: "DE 1", From: day(10), To: day(12), File: "declared by hand"},
	}
	m := newCoverageMap(heldToBalances(ranges, sources), nil)
	if !m.covers("DE1", day(1), day(21)) || !m.covers("DE2", day(1), day(21)) {
		t.Error("what others cover is gone")
	}
	m = newCoverageMap(heldToBalances(ranges[:3], sources), nil)
	if m.covers("DE1", day(9), day(13)) || !m.covers("DE2", day(1), day(21)) {
		t.Error("the break is not where it should be")
	}
}

// A statement that shows a gap before it changes what was concluded of the days that it takes away.
func TestCoverageThatIsLostIsAskedAgain(t *testing.T) {
	day := func(n int) ledger.Date { return ledger.NewDate(2025, time.March, n) }
	before := []ledger.Coverage{{AccountID: "A", From: day(1), To: day(11)}}
	now := []ledger.Coverage{{AccountID: "A", From: day(1), To: day(10)}, {AccountID: "A", From: day(12), To: day(21)}}
	ranges := absencesOf(DefaultPolicy(), before, now)
	for n, want := range map[int]bool{5: false, 10: true, 11: false, 15: true} {
		absence := Absence{Given: true, Account: "A", From: day(n), To: day(n + 1)}
		got := false
		for _, r := range ranges {
			got = got || r.Meets(absence)
		}
		if got != want {
			t.Errorf("%s: got %v, want %v", day(n), got, want)
		}
	}
}
