package paypal

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"agentrecon/ledger"
	"agentrecon/ledger/profile"
	"agentrecon/ledger/tabular"
	"agentrecon/ledger/witness"
)

// Format is what [ledger.SourceFile.Format] says of these files.
const Format = "paypal"

// Read reads a report; it is a [ledger.ReadFunc].
func Read(name string, r io.Reader, options ledger.ReadOptions, each func(*ledger.Entry) error) (ledger.SourceFile, error) {
	in, err := profile.Rewindable(name, r)
	if err != nil {
		return ledger.SourceFile{}, err
	}
	file := witness.New(name, options, each)
	rows, err := records(name, in, options.Charset)
	if err != nil {
		return ledger.SourceFile{}, err
	}
	p := &reader{name: name, file: file, section: sums{}, report: sums{}}
	if err := p.read(rows); err != nil {
		return ledger.SourceFile{}, err
	}
	source, err := file.Source(Format)
	if err != nil {
		return source, err
	}
	source.SHA256 = rows.table.Digest()
	return p.proved(source), nil
}

// table is a report as rows.
type table struct {
	profile.Rows
	table *profile.Table
}

// records opens a report with the delimiter of its first record.
func records(name string, in io.ReadSeeker, charset string) (table, error) {
	for _, t := range profile.CSV(name, in, charset) {
		rows, err := t.Open(0)
		if err != nil {
			return table{}, err
		}
		if row, err := rows.Next(); err == nil && len(row.Cells) > 1 && slices.Contains(begins, row.Cells[0].Text) {
			if rows, err = t.Open(0); err != nil {
				return table{}, err
			}
			return table{Rows: rows, table: t}, nil
		}
	}
	return table{}, &tabular.FileError{File: name, Line: 1, Reason: "want a report of PayPal, whose first record is RH, or SH or CH where it was cut out of one"}
}

// begins are the types of records that a report, or a section cut out of one, begins with.
var begins = []string{"RH", "FH", "SH", "CH"}

// total is what one currency adds up to, in the report's hundredths.
type total struct {
	credits, debits, feeCredits, feeDebits int64
}

// sums are totals by currency, of every entry and of those that moved money: reports count pending ones in or not.
type sums map[string]*[2]total

func (s sums) add(currency string, moved bool, t total) {
	if s[currency] == nil {
		s[currency] = new([2]total)
	}
	for i, counts := range [2]bool{true, moved} {
		if counts {
			sum := &s[currency][i]
			sum.credits, sum.debits = sum.credits+t.credits, sum.debits+t.debits
			sum.feeCredits, sum.feeDebits = sum.feeCredits+t.feeCredits, sum.feeDebits+t.feeDebits
		}
	}
}

// reader is the state of one report.
type reader struct {
	name    string
	file    *witness.File
	columns map[string]int
	section sums
	report  sums
	entries [2]int64 // of the section and of the report
	agreed  int      // control totals that agree
	failed  string   // the first that does not
	ended   bool     // the report's own end was met
}

func (p *reader) read(rows profile.Rows) error {
	for {
		row, err := rows.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = p.record(row)
		}
		var fault *ledger.RowError
		if errors.As(err, &fault) {
			err = p.file.Bad(fault)
		}
		if err != nil {
			return err
		}
	}
}

// record takes one record by its type.
func (p *reader) record(row profile.Row) error {
	switch kind := cell(row, 0); kind {
	case "RH", "FH":
	case "SH":
		return p.open(row)
	case "CH":
		if p.file.Statement() == nil {
			// A section without its head has no account and no period.
			if err := p.file.Open(ledger.Statement{Line: row.Line}, witness.Statement); err != nil {
				return err
			}
		}
		p.columns = make(map[string]int, len(row.Cells))
		for i, c := range row.Cells {
			p.columns[strings.ToLower(strings.Join(strings.Fields(c.Text), " "))] = i
		}
	case "SB":
		return p.entry(row)
	case "SF":
		return p.control(row, p.section, "section")
	case "RF":
		return p.control(row, p.report, "report")
	case "SC":
		p.count(row, p.entries[0], "section")
	case "RC":
		p.ended = true
		p.count(row, p.entries[1], "report")
	case "FF":
		p.ended = true
	default:
		return &tabular.FileError{File: p.name, Line: row.Line, Reason: fmt.Sprintf("a record of type %q; want RH, FH, SH, CH, SB, SF, SC, RF, RC or FF", kind)}
	}
	return nil
}

func cell(row profile.Row, i int) string {
	if i < len(row.Cells) {
		return row.Cells[i].Text
	}
	return ""
}

// open begins a section: its first and last moment, the account.
func (p *reader) open(row profile.Row) error {
	p.section, p.entries[0] = sums{}, 0
	from, err1 := moment(cell(row, 1))
	to, err2 := moment(cell(row, 2))
	if err1 != nil || err2 != nil {
		return p.file.BadField(row.Line, "section", cell(row, 1), "want the first and the last moment, such as 2026/01/06 00:00:00 -0800")
	}
	s := ledger.Statement{AccountID: cell(row, 3), Line: row.Line, From: day(from), To: day(to).AddDays(1)}
	return p.file.Open(s, witness.Statement)
}

// moment reads 2026/01/06 00:00:30 -0800.
func moment(s string) (time.Time, error) { return time.Parse("2006/01/02 15:04:05 -0700", s) }

// day is the date as printed.
func day(t time.Time) ledger.Date {
	year, month, d := t.Date()
	return ledger.NewDate(year, month, d)
}

// field is a value of an entry by the name of its column.
func (p *reader) field(row profile.Row, name string) string {
	if i, ok := p.columns[name]; ok {
		return cell(row, i)
	}
	return ""
}

// signed reads an amount and its direction, in hundredths.
func (p *reader) signed(row profile.Row, amountColumn, directionColumn string) (hundredths int64, err error) {
	text := p.field(row, amountColumn)
	if text == "" {
		return 0, nil
	}
	n, err := ledger.ParseMinor(text)
	if err != nil || n < 0 {
		return 0, p.file.BadField(row.Line, amountColumn, text, "want an unsigned whole number with two implied decimals, such as 10000 for 100.00")
	}
	switch direction := p.field(row, directionColumn); {
	case direction == "CR":
		return n, nil
	case direction == "DR":
		return -n, nil
	case direction == "" && n == 0:
		return 0, nil
	default:
		return 0, p.file.BadField(row.Line, directionColumn, direction, "want CR or DR")
	}
}

// minor turns hundredths into the currency's own minor units.
func minor(hundredths int64, c ledger.Currency) (int64, bool) {
	for e := c.Exponent(); e < 2; e++ {
		if hundredths%10 != 0 {
			return 0, false
		}
		hundredths /= 10
	}
	for e := c.Exponent(); e > 2; e-- {
		hundredths *= 10
	}
	return hundredths, true
}

// count holds the entries against a count of the report.
func (p *reader) count(row profile.Row, found int64, of string) {
	declared, err := strconv.ParseInt(cell(row, 1), 10, 64)
	switch {
	case err != nil:
	case declared == found:
		p.agreed++
	case p.failed == "":
		p.failed = fmt.Sprintf("line %d: the %s declares %d entries and holds %d", row.Line, of, declared, found)
	}
}

// control holds the entries of a currency against its control totals: gross and fee, credits and debits, opening
// and closing balance.
func (p *reader) control(row profile.Row, s sums, of string) error {
	currency := cell(row, 1)
	var declared [4]int64
	for i := range declared {
		text := cell(row, i+2)
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil && text != "" {
			return p.file.BadField(row.Line, "control total of "+currency, text, "want a whole number with two implied decimals")
		}
		declared[i] = n
	}
	opening, closing := balances(row)
	found := s[currency]
	if found == nil {
		found = new([2]total)
	}
	want := total{declared[0], declared[1], declared[2], declared[3]}
	net := want.credits - want.debits + want.feeCredits - want.feeDebits
	switch {
	case want != found[0] && want != found[1]:
		p.disagree(row, fmt.Sprintf("the %s declares gross %d in and %d out, fees %d in and %d out of %s, in hundredths, and holds %d, %d, %d and %d",
			of, want.credits, want.debits, want.feeCredits, want.feeDebits, currency, found[0].credits, found[0].debits, found[0].feeCredits, found[0].feeDebits))
	case (opening != 0 || closing != 0) && opening+net != closing:
		p.disagree(row, fmt.Sprintf("the %s opens at %d and closes at %d of %s, in hundredths; its entries make %d", of, opening, closing, currency, net))
	default:
		p.agreed++
	}
	return nil
}

// balances are the opening and the closing balance behind the four sums: each a number, or an unsigned number behind
// its direction. What is no number says nothing.
func balances(row profile.Row) (opening, closing int64) {
	at := 6
	next := func() int64 {
		direction := cell(row, at)
		if direction == "CR" || direction == "DR" {
			at++
		}
		n, err := strconv.ParseInt(cell(row, at), 10, 64)
		at++
		switch {
		case err != nil:
			return 0
		case direction == "DR":
			return -n
		}
		return n
	}
	opening = next()
	return opening, next()
}

func (p *reader) disagree(row profile.Row, what string) {
	if p.failed == "" {
		p.failed = fmt.Sprintf("line %d: %s", row.Line, what)
	}
}

// proved adds what the control totals prove.
func (p *reader) proved(source ledger.SourceFile) ledger.SourceFile {
	proof := ledger.Proof{State: ledger.ProofOK, Detail: fmt.Sprintf("%d control totals and counts agree", p.agreed)}
	switch {
	case p.failed != "":
		proof = ledger.Proof{State: ledger.ProofFailed, Detail: p.failed}
	case !p.ended:
		proof = ledger.Proof{State: ledger.ProofFailed, Detail: "the record that ends the report (RC or FF) is missing; the file was cut"}
	case p.agreed == 0:
		proof = ledger.Proof{State: ledger.ProofNone, Detail: "the report has no control totals"}
	}
	for i := range source.Statements {
		source.Statements[i].Proof = proof
	}
	expected := source.Expected != nil
	switch {
	case expected && source.Proof.State == ledger.ProofFailed && proof.State == ledger.ProofFailed:
		source.Proof.Detail = proof.Detail + "; " + source.Proof.Detail
	case expected && source.Proof.State == ledger.ProofFailed:
	case expected:
		proof.Detail += "; the totals given from outside agree"
		source.Proof = proof
	default:
		source.Proof = proof
	}
	return source
}
