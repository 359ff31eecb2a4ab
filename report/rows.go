package report

import (
	"bytes"
	"encoding/xml"
	"math"
	"strconv"
	"time"
)

// rowEncoder writes rows of a sheet as XML, cell by cell, the way excelize's stream writer does, without building a
// value for each cell. It is for sheets of millions of rows, whose cells are few kinds of numbers and texts; all else
// is excelize's.
type rowEncoder struct {
	buf     []byte
	columns [][]byte // names of the columns: A, B …
	styles  [][]byte // of each column: ` s="12"`
	row     []byte   // number of the current row
	column  int      // of the next cell
}

func newRowEncoder(columns int) *rowEncoder {
	e := &rowEncoder{columns: make([][]byte, columns), styles: make([][]byte, columns)}
	for i := range columns {
		e.columns[i] = []byte(columnName(i + 1))
	}
	return e
}

// style sets the style of a column, from 0.
func (e *rowEncoder) style(column, id int) {
	e.styles[column] = append(strconv.AppendInt([]byte(` s="`), int64(id), 10), '"')
}

// begin starts a row; what was encoded before is gone.
func (e *rowEncoder) begin(n int) {
	e.row = strconv.AppendInt(e.row[:0], int64(n), 10)
	e.buf = append(append(append(e.buf[:0], `<row r="`...), e.row...), `">`...)
	e.column = 0
}

// end closes the row and returns it, valid until the next one begins.
func (e *rowEncoder) end() []byte {
	e.buf = append(e.buf, `</row>`...)
	return e.buf
}

// cell opens the next cell up to its style.
func (e *rowEncoder) cell() {
	e.buf = append(append(append(append(append(e.buf, `<c r="`...), e.columns[e.column]...), e.row...), '"'), e.styles[e.column]...)
	e.column++
}

func (e *rowEncoder) blank() {
	e.cell()
	e.buf = append(e.buf, `></c>`...)
}

func (e *rowEncoder) integer(n int64) {
	e.cell()
	e.buf = append(strconv.AppendInt(append(e.buf, `><v>`...), n, 10), `</v></c>`...)
}

func (e *rowEncoder) float(f float64) {
	e.cell()
	e.buf = append(strconv.AppendFloat(append(e.buf, `><v>`...), f, 'f', -1, 64), `</v></c>`...)
}

// serial is a moment as spreadsheets count days. It is worked out as excelize does: whole days and the rest apart, for
// another way of rounding shows the wrong second.
func (e *rowEncoder) serial(t time.Time) {
	if t.IsZero() {
		e.blank()
		return
	}
	const dayNanoseconds = int64(24 * time.Hour)
	seconds := t.Unix() - serialZero.Unix()
	days := math.Floor(float64(seconds) / 86_400)
	rest := t.Sub(serialZero.AddDate(0, 0, int(days)))
	e.float(days + float64(rest)/float64(dayNanoseconds))
}

// serialZero is day 0 of spreadsheets as every date after February 1900 counts from it.
var serialZero = time.Date(1899, time.December, 30, 0, 0, 0, 0, time.UTC)

// text is an inline string.
func (e *rowEncoder) text(s string) {
	if s == "" {
		e.blank()
		return
	}
	e.cell()
	e.buf = append(e.buf, ` t="inlineStr"><is><t`...)
	if first, last := s[0], s[len(s)-1]; isBlank(first) || isBlank(last) {
		e.buf = append(e.buf, ` xml:space="preserve"`...)
	}
	e.buf = append(e.buf, '>')
	if plainText(s) {
		e.buf = append(e.buf, s...)
	} else {
		e.buf = append(e.buf, escapedText(s)...)
	}
	e.buf = append(e.buf, `</t></is></c>`...)
}

func isBlank(b byte) bool { return b == ' ' || b == '\n' || b == '\t' || b == '\r' }

// plainText reports whether a text needs no escape.
func plainText(s string) bool {
	for i := range len(s) {
		if b := s[i]; b < ' ' || b > '~' || b == '&' || b == '<' || b == '>' || b == '"' || b == '\'' || (b == '_' && i+1 < len(s) && s[i+1] == 'x') {
			return false
		}
	}
	return true
}

// escapedText escapes what XML does not take and what a spreadsheet would take for an escape of its own (_x0041_).
func escapedText(s string) []byte {
	var b bytes.Buffer
	_ = xml.EscapeText(&b, []byte(s)) // a buffer takes everything
	out := bytes.ReplaceAll(b.Bytes(), []byte("&#xA;"), []byte("\n"))
	var kept []byte
	for i := range out {
		if out[i] == '_' && len(out)-i >= 7 && escapes.Match(out[i:i+7]) {
			kept = append(kept, "_x005F"...)
		}
		kept = append(kept, out[i])
	}
	return kept
}
