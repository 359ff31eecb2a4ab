package profile

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"agentrecon/ledger"
	"agentrecon/ledger/lines"
	"agentrecon/ledger/tabular"
)

// Limits of a table.
const (
	MaxColumns = 1024
	MaxRows    = 100_000_000
	MaxRecord  = 1 << 20 // bytes, line ends inside quotes included
)

// CellKind says how surely a cell is what its text looks like.
type CellKind uint8

// The kinds of cells. Workbooks know numbers and dates; everything else has texts only.
const (
	Text   CellKind = iota
	Number          // a plain decimal with a point, whatever the profile says of decimal marks
	Date            // YYYY-MM-DD, with hh:mm:ss behind a blank if there is a time
)

// Cell is one value of a table.
type Cell struct {
	Text  string
	Kind  CellKind
	Lossy bool // a number with more digits than a workbook can keep
}

// Row is one row of a table. The cells are good until the next one is asked for, their texts stay good.
type Row struct {
	Line  int // from 1; the number of the row in a workbook
	Cells []Cell
	// Unquoted says that quotes inside a field were not doubled, and the row was cut at the quotes and
	// delimiters between fields instead.
	Unquoted bool
}

// Rows are the rows of a table, top to bottom. Next returns io.EOF behind the last, a [*ledger.RowError] for a
// row that cannot be cut into cells, and any other error if reading must stop. Rows that are an [io.Closer] are closed.
type Rows interface {
	Next() (Row, error)
}

// closeRows ends a reading that may not have come to its end.
func closeRows(rows Rows) {
	if c, ok := rows.(io.Closer); ok {
		_ = c.Close()
	}
}

// Table is a file as a table. It is read several times.
type Table struct {
	Name   string
	Format string // for [ledger.SourceFile.Format]
	Sheet  string // the title of a sheet of a workbook
	Hidden bool   // the workbook does not show the sheet
	// Open begins at the first row. The width is that of the header, once it is known, or 0: rows are mended
	// by it.
	Open func(width int) (Rows, error)
	// Digest is the SHA-256 of the file's bytes, in lower-case hex, once it was read to its end.
	Digest func() string
	// Warnings says what was odd about the file's text, once it was read to its end.
	Warnings func() []string
}

// delimiters lists what may separate fields.
const delimiters = ",;\t|"

// splitter cuts lines into cells.
type splitter struct {
	name      string
	lines     *lines.Reader
	delimiter byte
	width     int
	cells     []Cell
}

func (s *splitter) Next() (Row, error) {
	for {
		line, err := s.lines.Next()
		if err != nil {
			return Row{}, err
		}
		if strings.TrimSpace(line) == "" {
			continue
		}
		row := Row{Line: s.lines.No()}
		if strings.IndexByte(line, '"') < 0 {
			s.cells = s.cells[:0]
			for {
				field, rest, more := strings.Cut(line, string(s.delimiter))
				s.cells = append(s.cells, Cell{Text: Trim(field)})
				if !more {
					break
				}
				line = rest
			}
		} else if row.Unquoted, err = s.quoted(line); err != nil {
			return Row{}, err
		}
		if len(s.cells) > MaxColumns {
			return Row{}, &tabular.FileError{File: s.name, Line: row.Line, Reason: fmt.Sprintf("more than %d columns; is this the right file?", MaxColumns)}
		}
		row.Cells = s.cells
		return row, nil
	}
}

// quoted cuts a line with quotes, and the lines that its quotes reach into. A quote inside a quoted field that
// is not doubled is text unless a delimiter follows it; where that gives another number of fields than the
// header has, the row is cut at the sequences quote, delimiter, quote.
func (s *splitter) quoted(line string) (unquoted bool, err error) {
	first := line
	start := s.lines.No()
	s.cells = s.cells[:0]
	odd := false
	for {
		rest := strings.TrimLeft(line, " ")
		if !strings.HasPrefix(rest, `"`) {
			field, after, more := strings.Cut(line, string(s.delimiter))
			s.cells = append(s.cells, Cell{Text: Trim(field)})
			if !more {
				break
			}
			line = after
			continue
		}
		if _, closed := endOfQuote(rest[1:], s.delimiter); closed < 0 && s.cutBluntly(first) {
			return true, nil // better a doubtful line than one that swallows those below it
		}
		field, after, inner, err := s.quotedField(rest[1:], start)
		if err != nil {
			return false, err
		}
		odd = odd || inner
		s.cells = append(s.cells, Cell{Text: Trim(field)})
		if after == "" {
			break
		}
		line = after[1:]
	}
	if odd && len(s.cells) != s.width && s.cutBluntly(first) {
		return true, nil
	}
	return odd, nil
}

// quotedField reads a field from behind its opening quote, and the lines that it reaches into. The rest begins
// with the delimiter or is empty.
func (s *splitter) quotedField(text string, start int) (field, rest string, inner bool, err error) {
	var b strings.Builder
	for {
		odd, end := endOfQuote(text, s.delimiter)
		inner = inner || odd
		if end >= 0 {
			b.WriteString(strings.ReplaceAll(text[:end], `""`, `"`))
			return b.String(), strings.TrimLeft(text[end+1:], " "), inner, nil
		}
		b.WriteString(strings.ReplaceAll(text, `""`, `"`))
		b.WriteByte('\n')
		text, err = s.lines.Next()
		if errors.Is(err, io.EOF) || err == nil && b.Len()+len(text) > MaxRecord {
			return "", "", false, &tabular.FileError{File: s.name, Line: start, Reason: "a quote that opens here is never closed"}
		}
		if err != nil {
			return "", "", false, err
		}
	}
}

// endOfQuote finds the quote that ends a field: one that is not doubled, with the delimiter or the end of the line
// behind it. It returns -1 if there is none, and whether another single quote stands before.
func endOfQuote(text string, delimiter byte) (inner bool, end int) {
	for from := 0; ; {
		i := strings.IndexByte(text[from:], '"')
		if i < 0 {
			return inner, -1
		}
		i += from
		after := text[i+1:]
		if strings.HasPrefix(after, `"`) {
			from = i + 2
			continue
		}
		if next := strings.TrimLeft(after, " "); next == "" || next[0] == delimiter {
			return inner, i
		}
		inner, from = true, i+1
	}
}

// cutBluntly cuts a line at quote, delimiter, quote. It reports whether that gives as many fields as the header
// has.
func (s *splitter) cutBluntly(line string) bool {
	line = strings.TrimSpace(line)
	if s.width == 0 || !strings.HasPrefix(line, `"`) {
		return false
	}
	trailing := strings.HasSuffix(line, `"`+string(s.delimiter))
	line = strings.TrimSuffix(strings.TrimSuffix(line, string(s.delimiter)), `"`)
	fields := strings.Split(strings.TrimPrefix(line, `"`), `"`+string(s.delimiter)+`"`)
	if trailing {
		fields = append(fields, "")
	}
	if len(fields) != s.width {
		return false
	}
	s.cells = s.cells[:0]
	for _, f := range fields {
		s.cells = append(s.cells, Cell{Text: Trim(f)})
	}
	return true
}

// Trim removes blanks of every width around a value, and the guard ="…" by which spreadsheets are told that
// something is text.
func Trim(s string) string {
	if s == "" {
		return s
	}
	s = strings.TrimSpace(strings.Trim(s, "\u00a0\u202f\u2007\ufeff \t"))
	if strings.HasPrefix(s, `="`) && strings.HasSuffix(s, `"`) && len(s) > len(`=""`) {
		return strings.TrimSpace(s[2 : len(s)-1])
	}
	return s
}

// rowError blames a row or a cell of it.
func rowError(name string, line int, field, value, want string) *ledger.RowError {
	return &ledger.RowError{File: name, Line: line, Field: field, Value: value, Want: want}
}
