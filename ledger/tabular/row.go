package tabular

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"agentrecon/ledger"
)

// Limits of values, in bytes.
const (
	MaxID   = 512
	MaxText = 4096
)

// Row is one row of a file. Its methods take the number of a column as in [Options.Columns] and return the
// value with the blanks and tabs around it removed; a column that the file lacks is empty.
//
// Those that judge a value (ID, Text, Instant …) remember the first fault and go on, so that a row is read
// in one go and judged once, by [Row.Err].
type Row struct {
	file   string
	line   int
	names  []string
	fields []string
	at     []int
	fault  *ledger.RowError
}

func (r *Row) bind(fields []string, at []int) { r.fields, r.at = fields, at }

// Line is where the row starts in its file, from 1.
func (r *Row) Line() int { return r.line }

// Err returns the first fault found in the row, a [*ledger.RowError], or nil.
func (r *Row) Err() error {
	if r.fault == nil {
		return nil
	}
	return r.fault
}

// Field returns a value.
func (r *Row) Field(column int) string {
	i := r.at[column]
	if i < 0 {
		return ""
	}
	return trim(r.fields[i])
}

// Values returns every value under the name of its column.
func (r *Row) Values() map[string]string {
	values := make(map[string]string, len(r.names))
	for i, name := range r.names {
		values[name] = r.Field(i)
	}
	return values
}

// Refuse blames a value; want says what was expected. Later faults of the row are not kept.
func (r *Row) Refuse(column int, want string) {
	if r.fault == nil {
		r.fault = &ledger.RowError{File: r.file, Line: r.line, Field: r.names[column], Value: r.Field(column), Want: want}
	}
}

// RefuseRow blames the row as a whole.
func (r *Row) RefuseRow(want string) {
	if r.fault == nil {
		r.fault = &ledger.RowError{File: r.file, Line: r.line, Want: want}
	}
}

// File is the name of the row's file.
func (r *Row) File() string { return r.file }

// Need returns a value that may not be empty.
func (r *Row) Need(column int, value string) string {
	if value == "" {
		r.Refuse(column, "empty, but every row needs it")
	}
	return value
}

// ID returns an identifier: at most [MaxID] bytes without control characters. Line feeds are allowed, for
// some agents' tool-use ids hold one.
func (r *Row) ID(column int) string {
	s := r.Field(column)
	if len(s) > MaxID {
		r.Refuse(column, fmt.Sprintf("%d bytes, an identifier has at most %d", len(s), MaxID))
		return ""
	}
	for i := range len(s) {
		if b := s[i]; b < ' ' && b != '\n' || b == 0x7f {
			r.Refuse(column, "a control character; identifiers are plain text")
			return ""
		}
	}
	return s
}

// Text returns free text of at most [MaxText] bytes.
func (r *Row) Text(column int) string {
	s := r.Field(column)
	if len(s) > MaxText {
		r.Refuse(column, fmt.Sprintf("%d bytes, a text has at most %d", len(s), MaxText))
		return ""
	}
	return s
}

// Instant returns a time with offset, see [ledger.ParseInstant], or the zero time of an empty value.
func (r *Row) Instant(column int) time.Time {
	s := r.Field(column)
	if s == "" {
		return time.Time{}
	}
	t, err := ledger.ParseInstant(s)
	if err != nil {
		r.Refuse(column, reason(err))
	}
	return t
}

// Date returns a calendar date, or none of an empty value.
func (r *Row) Date(column int) ledger.Date {
	s := r.Field(column)
	if s == "" {
		return 0
	}
	d, err := ledger.ParseDate(s)
	if err != nil {
		r.Refuse(column, "want a date such as 2025-03-31, without a time")
	}
	return d
}

// Currency returns an ISO 4217 currency in upper case, or none of an empty value.
func (r *Row) Currency(column int) ledger.Currency {
	s := r.Field(column)
	if s == "" {
		return ""
	}
	c, err := ledger.ParseCurrency(s)
	if err != nil {
		r.Refuse(column, "not an ISO 4217 currency code such as EUR")
	}
	return c
}

// Minor returns a whole number of minor units.
func (r *Row) Minor(column int) int64 {
	minor, err := ledger.ParseMinor(r.Field(column))
	switch {
	case errors.Is(err, ledger.ErrTooLarge):
		r.Refuse(column, tooLarge)
	case err != nil:
		r.Refuse(column, "want a whole number of minor units such as 781200 (for 7,812.00)")
	}
	return minor
}

// Decimal returns a signed decimal in major units of a currency as minor units.
func (r *Row) Decimal(column int, c ledger.Currency) int64 {
	minor, err := ledger.ParseDecimal(r.Field(column), c.Exponent())
	switch {
	case err == nil:
	case errors.Is(err, ledger.ErrTooPrecise):
		r.Refuse(column, fmt.Sprintf("more decimals than %s has (%d)", c, c.Exponent()))
	case errors.Is(err, ledger.ErrTooLarge):
		r.Refuse(column, tooLarge)
	default:
		r.Refuse(column, "want a plain decimal such as -1234.50: digits, a point, no thousands separator, no exponent")
	}
	return minor
}

var tooLarge = fmt.Sprintf("too large, at most %d minor units", int64(ledger.MaxMinor))

// OneOf returns the word of a closed list, read in any case, or none of an empty value.
func OneOf[W ~string](r *Row, column int, words []W) W {
	s := r.Field(column)
	if s == "" {
		return ""
	}
	for _, w := range words {
		if string(w) == s || strings.EqualFold(string(w), s) {
			return w
		}
	}
	names := make([]string, len(words))
	for i, w := range words {
		names[i] = string(w)
	}
	r.Refuse(column, "want one of "+strings.Join(names, ", "))
	return ""
}

// reason is what a parser says of a value, without the value, which a RowError shows itself.
func reason(err error) string {
	s := err.Error()
	if i := strings.LastIndex(s, `: "`); i >= 0 {
		return s[:i]
	}
	return s
}

// trim removes blanks and tabs. Line feeds stay: they can be part of an identifier.
func trim(s string) string {
	for s != "" && (s[0] == ' ' || s[0] == '\t') {
		s = s[1:]
	}
	for s != "" && (s[len(s)-1] == ' ' || s[len(s)-1] == '\t') {
		s = s[:len(s)-1]
	}
	return s
}
