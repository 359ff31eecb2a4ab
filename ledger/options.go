package ledger

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// ReadOptions are what a person says about a ledger file beside what the file itself says.
type ReadOptions struct {
	Account         string         // fills an empty account
	DefaultCurrency Currency       // fills an empty currency; none: an empty currency is an error
	Zone            *time.Location // the account's zone, for the date of an instant; nil means UTC
	Covers          Period         // days the file is complete for; zero: inferred from the entries
	Expect          Expect         // control totals from outside the file

	// CountReports takes the booked entries of intraday reports and notifications (camt.052, camt.054, MT942)
	// for money moved. Without it they are information, for the statement that follows shows the same money.
	CountReports bool
	// ReversalsInverted says that this bank prints beside a reversal flag the direction of the entry taken
	// back, not that of the reversal. The balances of a statement show whether it does.
	ReversalsInverted bool
	// Charset is the encoding of a file whose format does not declare one, as in "cp852"; empty: UTF-8 if it
	// is that, else Windows-1252.
	Charset string
	// DateOrder is the order of day, month and year in a table whose dates and profile do not tell: "dmy", "mdy" or
	// "ymd"; empty: such a table is refused.
	DateOrder string
	// DecimalMark is that of a table whose amounts and profile do not tell, '.' or ','; 0: such a table is refused.
	DecimalMark byte
}

// Expect holds control totals that a person has from elsewhere, such as the bank's own screen. The zero
// value expects nothing.
type Expect struct {
	Count    int64 // entries
	HasCount bool
	Sum      string // signed, in major units of the file's one currency: "-1234.50"; empty: not given
}

// ReadFunc reads the entries of one file. The name is for messages and for [SourceFile.Name]. Entries come
// one at a time, in file order; the pointer is good during the call only, its strings stay good. A file
// with bad rows gives a [*BadRows] after its good entries were handed on, so each must be able to take
// them back; an error of each itself stops the reading and is returned as it is.
type ReadFunc func(name string, r io.Reader, options ReadOptions, each func(*Entry) error) (SourceFile, error)

// ParseCovers reads a range of days as people type it, "2025-01-01..2025-03-31", both days included, and
// returns it half-open, in UTC.
func ParseCovers(s string) (Period, error) {
	from, to, ok := strings.Cut(s, "..")
	first, errFirst := ParseDate(from)
	last, errLast := ParseDate(to)
	if !ok || errFirst != nil || errLast != nil {
		return Period{}, fmt.Errorf("not a range of days such as 2025-01-01..2025-03-31 (both included): %q", s)
	}
	if last < first {
		return Period{}, fmt.Errorf("the range of days ends before it starts: %q", s)
	}
	return Period{From: first, To: last.AddDays(1)}, nil
}
