package ledger

import (
	"fmt"
	"strconv"
	"strings"
)

// MaxBadRows is how many bad rows a refused file lists.
const MaxBadRows = 100

// RowError says what is wrong with one field of one row, so that a person can find and mend it.
type RowError struct {
	File  string
	Line  int    // from 1; 0 if the whole file is meant
	Field string // column or key; empty if the whole row is meant
	Value string // as read; empty if there is none to show
	Want  string // what was expected, or what is wrong
}

// Error prints file:line: field "value": what was expected.
func (e *RowError) Error() string {
	var b strings.Builder
	b.WriteString(e.File)
	if e.Line > 0 {
		fmt.Fprintf(&b, ":%d", e.Line)
	}
	b.WriteString(": ")
	var subject []string
	if e.Field != "" {
		subject = append(subject, e.Field)
	}
	if e.Value != "" {
		subject = append(subject, strconv.Quote(shorten(e.Value)))
	}
	if subject != nil {
		b.WriteString(strings.Join(subject, " ") + ": ")
	}
	b.WriteString(e.Want)
	return b.String()
}

// BadRows refuses a file: nothing of it is imported. It lists up to [MaxBadRows] rows in file order.
type BadRows struct {
	File  string
	Rows  []*RowError
	Total int // bad rows met in all; reading stops some way beyond MaxBadRows
}

// Error prints one row a line.
func (e *BadRows) Error() string {
	var b strings.Builder
	if e.Total == 1 {
		fmt.Fprintf(&b, "%s: 1 bad row, nothing imported", e.File)
	} else {
		fmt.Fprintf(&b, "%s: %d bad rows, nothing imported", e.File, e.Total)
	}
	for _, row := range e.Rows {
		b.WriteString("\n  " + row.Error())
	}
	if more := e.Total - len(e.Rows); more > 0 {
		fmt.Fprintf(&b, "\n  … and %d more", more)
	}
	return b.String()
}

// shorten cuts a value for display; the file has the whole of it.
func shorten(s string) string {
	const most = 80
	runes := []rune(s)
	if len(runes) <= most {
		return s
	}
	return string(runes[:most]) + "…"
}
