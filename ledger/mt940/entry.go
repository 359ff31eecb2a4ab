package mt940

import (
	"errors"
	"regexp"
	"strings"
	"time"

	"agentrecon/ledger"
)

// transaction is a field 61 as printed, with the field 86 behind it. It is held until the statement's
// closing balance tells the year of its entry date.
type transaction struct {
	line       int
	number     int    // within the statement, from 1
	value      string // YYMMDD
	entry      string // MMDD, or nothing
	mark       string // C, D, RC, RD, EC, ED
	minus      bool   // before the amount
	amount     string // as ledger.ParseDecimal takes it
	kind       string // NTRF, N166
	reference  string // the customer's
	bankRef    string // the bank's
	supplement string // what goes on below, or behind the references
	info       []string
	valueOn    ledger.Date
	clamped    bool // the value date does not exist
}

const wantEntry = "want YYMMDD[MMDD], a mark (C, D, RC, RD, EC, ED), an amount with a comma, a type and a reference, as in 2501310131D12,50NTRFNONREF"

// entryPattern is field 61 up to the amount. The mark is tried with R and E before it first; the letter
// behind it belongs to the currency (RCR is RC in EUR, DD is D in USD). The entry date may be blanks.
var entryPattern = regexp.MustCompile(`^(\d{6})(\d{6}|\d{4}|[ ]{1,4})?[ ]?(RC|RD|EC|ED|C|D)([A-Z])?[ ]?(-)?(\d[\d.,]*|,\d+)[ ]?(.*)$`)

// typePattern is the transaction type: a letter and three characters, the last of which may be a blank.
var typePattern = regexp.MustCompile(`^[A-Z][A-Z0-9]{2}[A-Z0-9 ]`)

// maxReference is the length of the customer reference and of the bank's; what stands behind is a remark.
const maxReference = 16

// parseEntry reads a field 61.
func parseEntry(f *field) (*transaction, *ledger.RowError) {
	first := strings.TrimSpace(f.lines[0])
	bad := func(want string) *ledger.RowError {
		return &ledger.RowError{Line: f.line, Field: ":61:", Value: first, Want: want}
	}
	m := entryPattern.FindStringSubmatch(upper(first))
	if m == nil {
		return nil, bad(wantEntry)
	}
	t := &transaction{
		line: f.line, value: m[1], entry: strings.TrimSpace(m[2]), mark: m[3], minus: m[5] != "",
		supplement: strings.Join(f.lines[1:], " "),
	}
	var ok bool
	if t.amount, ok = plainDecimal(m[6]); !ok {
		return nil, bad("the amount " + m[6] + " has more than one decimal mark; want one as in 1234,50")
	}
	var err error
	if t.valueOn, t.clamped, err = dateOf(t.value); err != nil {
		return nil, bad("the value date " + t.value + " is no date of the form YYMMDD")
	}
	t.references(first[len(first)-len(m[7]):]) // as printed: references may have small letters
	return t, nil
}

// upper is a text with its Latin letters in upper case, byte for byte: other letters change their length.
func upper(s string) string {
	b := []byte(s)
	for i, c := range b {
		if 'a' <= c && c <= 'z' {
			b[i] = c - ('a' - 'A')
		}
	}
	return string(b)
}

// references reads what stands behind the amount: type, customer reference, bank reference.
func (t *transaction) references(rest string) {
	// Penta leaves the type out; the word that says so is no type NONR.
	if m := typePattern.FindString(upper(rest)); m != "" && !strings.HasPrefix(upper(rest), "NONREF") {
		t.kind, rest = strings.TrimSpace(rest[:len(m)]), rest[len(m):]
	}
	reference, bank, _ := strings.Cut(rest, "//")
	if letters := []rune(reference); strings.Contains(reference, "  ") && len(letters) > maxReference {
		// Rabobank of old: sixteen characters of reference, then the counterparty.
		t.supplement = strings.TrimSpace(string(letters[maxReference:]) + " " + t.supplement)
		reference = string(letters[:maxReference])
	}
	t.reference, t.bankRef = strings.TrimSpace(reference), strings.TrimSpace(bank)
}

// plainDecimal turns an amount as printed into one of [ledger.ParseDecimal]. The mark is a comma; Rabobank
// prints a point. Digits behind it may be missing, digits before it in one bank as well.
func plainDecimal(s string) (string, bool) {
	if strings.Count(s, ",")+strings.Count(s, ".") > 1 {
		return "", false
	}
	s = strings.Replace(s, ",", ".", 1)
	if strings.HasPrefix(s, ".") {
		s = "0" + s
	}
	return strings.TrimSuffix(s, "."), true
}

// centuryTurns is the two-digit year from which on the century is the last one (SWIFT: 80 to 99 are 19xx).
const centuryTurns = 80

var errNoDate = errors.New("not a date of the form YYMMDD")

// dateOf reads YYMMDD. Some banks count thirty days in every month, so a day up to 31 that the month does
// not have becomes its last, and is reported as clamped.
func dateOf(s string) (on ledger.Date, clamped bool, err error) {
	if len(s) != 6 || strings.Trim(s, "0123456789") != "" {
		return 0, false, errNoDate
	}
	year := 2000 + digits(s[:2])
	if year >= 2000+centuryTurns {
		year -= 100
	}
	return day(year, s[2:])
}

// day reads MMDD of a year.
func day(year int, mmdd string) (on ledger.Date, clamped bool, err error) {
	month, d := digits(mmdd[:2]), digits(mmdd[2:])
	if month < 1 || month > 12 || d < 1 || d > 31 {
		return 0, false, errNoDate
	}
	on = ledger.NewDate(year, time.Month(month), d)
	if last := ledger.NewDate(year, time.Month(month)+1, 1).AddDays(-1); on > last {
		return last, true, nil
	}
	return on, false, nil
}

func digits(s string) int {
	n := 0
	for i := range len(s) {
		n = n*10 + int(s[i]-'0')
	}
	return n
}

// entryDate gives an entry date its year: of the value date's year and those beside it, the one that brings
// it nearest to the statement's date (wolph/mt940 17 and 121, cmxl 28, mt940js 89). A statement that has no
// date, or one more than a year away, has the value date for it.
func (t *transaction) entryDate(statement ledger.Date) (on ledger.Date, clamped bool, err error) {
	const mostDays = 366
	if t.entry == "" {
		return 0, false, nil
	}
	if len(t.entry) == len(t.value) {
		return dateOf(t.entry) // not by the standard, but beyond doubt
	}
	if len(t.entry) != len("MMDD") {
		return 0, false, errNoDate
	}
	near := statement
	if near.IsZero() || apart(near, t.valueOn) > mostDays {
		near = t.valueOn
	}
	year := t.valueOn.Time().Year()
	for _, y := range []int{year, year - 1, year + 1} {
		candidate, cut, e := day(y, t.entry)
		if e != nil {
			return 0, false, e
		}
		if on.IsZero() || apart(candidate, near) < apart(on, near) {
			on, clamped = candidate, cut
		}
	}
	return on, clamped, nil
}

func apart(a, b ledger.Date) ledger.Date { return max(a-b, b-a) }

// noReference are words that stand where there is no reference, or that say where it is.
var noReference = map[string]bool{
	"": true, "NONREF": true, "NOREF": true, "NOTPROVIDED": true, "EREF": true, "EREF+": true, "KREF": true, "KREF+": true,
	"MARF": true, "PREF": true, "NSTAT": true,
}

func given(s string) string {
	s = strings.TrimSpace(s)
	if noReference[strings.ToUpper(s)] {
		return ""
	}
	return s
}
