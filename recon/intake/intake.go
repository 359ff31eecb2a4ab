package intake

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"agentrecon/ledger"
	"agentrecon/ledger/tabular"
)

// Options are what a person says beside the file.
type Options struct {
	DefaultCurrency ledger.Currency // of rows without one; none: such rows are bad
	AllowEmpty      bool            // take a header without rows
}

// Summary says what a file held.
type Summary struct {
	File            ledger.SourceFile // Rows counts every data row; Totals what was handed on, deliveries not
	AssumedCurrency int64             // rows whose currency was empty and became the default
	Repeats         int64             // rows that said again what a row before them said
	Deliveries      int64             // rows that are another firing of an attempt before them
}

// file is what the readers of this package have in common.
type file struct {
	name       string
	population string
	options    Options
	columns    []tabular.Column
	once       tabular.Once
	buf        tabular.Content // reused
	key        []byte          // reused
	summary    Summary
	totals     map[ledger.Currency]*ledger.ControlTotal
}

// scan reads a file. row judges a row and hands it on; content says what a row says, to explain contradictions.
func (f *file) scan(r io.Reader, row func(*tabular.Row) error, content func(*tabular.Row) tabular.Content) (Summary, error) {
	start := tabular.Start(r)
	table := tabular.Options{Columns: f.columns, AllowEmpty: f.options.AllowEmpty}
	end, err := tabular.Scan(f.name, r, table, row)
	if err != nil {
		return Summary{}, f.once.Explain(err, start, r, table, content)
	}
	f.summary.File = ledger.SourceFile{
		Name: f.name, SHA256: end.SHA256, Population: f.population, Format: end.Format, Rows: end.Rows,
		Proof: ledger.Proof{State: ledger.ProofNone, Detail: "no balances in this file"},
	}
	for _, total := range f.totals {
		f.summary.File.Totals = append(f.summary.File.Totals, *total)
	}
	slices.SortFunc(f.summary.File.Totals, func(a, b ledger.ControlTotal) int { return cmp.Compare(a.Currency, b.Currency) })
	return f.summary, nil
}

// money reads an amount and its currency.
func (f *file) money(row *tabular.Row, amount, currency int) (int64, ledger.Currency) {
	row.Need(amount, row.Field(amount))
	minor := row.Minor(amount)
	if minor < 0 {
		row.Refuse(amount, "want zero or more; money out is positive here")
	}
	c := row.Currency(currency)
	if c == "" {
		if f.options.DefaultCurrency == "" {
			row.Refuse(currency, "empty, and no default currency was given (--currency)")
		}
		return minor, f.options.DefaultCurrency
	}
	return minor, c
}

// count adds a row handed on to the totals.
func (f *file) count(row *tabular.Row, minor int64, c ledger.Currency, currency int) error {
	if f.totals == nil {
		f.totals = make(map[ledger.Currency]*ledger.ControlTotal)
	}
	total := f.totals[c]
	if total == nil {
		total = &ledger.ControlTotal{Currency: c}
		f.totals[c] = total
	}
	if total.Minor > math.MaxInt64-minor {
		return &tabular.FileError{File: f.name, Line: row.Line(), Reason: "the sum of the amounts is too large to be money; is the column right?"}
	}
	total.Count++
	total.Minor += minor
	if row.Field(currency) == "" {
		f.summary.AssumedCurrency++
	}
	return nil
}

const digestLetters = 64

// digest returns a SHA-256 in lower-case hex.
func digest(row *tabular.Row, column int) string {
	s := strings.ToLower(row.Field(column))
	if s != "" && (len(s) != digestLetters || strings.Trim(s, "0123456789abcdef") != "") {
		row.Refuse(column, fmt.Sprintf("want a SHA-256 digest of %d hex digits", digestLetters))
	}
	return s
}
