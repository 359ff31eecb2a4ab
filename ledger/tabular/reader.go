package tabular

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"strings"
	"unicode/utf8"

	"agentrecon/ledger"
)

// Limits of a file.
const (
	MaxColumns = 512
	MaxRows    = 100_000_000 // data rows, bad ones included
)

// The formats a Reader tells apart.
const (
	CSV   = "csv" // delimited text, whatever the delimiter
	JSONL = "jsonl"
)

// Column is a column the caller knows. Names are lower case with underscores.
type Column struct {
	Name     string
	Required bool // the header must have it; whether a cell may be empty is the caller's rule
}

// Options say what is expected of a file.
type Options struct {
	// Columns are the columns wanted; [Row] numbers them in this order, whatever the file's order. A file
	// with a column that is not among them, or without a required one, is refused. No columns means: take
	// the names as they come and number them as in the file.
	Columns []Column
	// AllowEmpty takes a header without rows. Without it such a file is refused: an export that found
	// nothing looks just like an export that went wrong.
	AllowEmpty bool
}

// Reader reads the rows of one file. It is not safe for concurrent use.
type Reader struct {
	name    string
	options Options
	lines   lines
	sum     hash.Hash

	format    string
	delimiter byte
	header    []string
	headLine  string // the header as read, to know it again
	at        []int  // field of each wanted column, -1 if the file lacks it
	keys      map[string]int

	row  Row
	rows int64
	end  error // sticky: io.EOF or what refuses the file
}

// NewReader reads the header of a file. The name is for messages only. It returns a [*FileError] if the
// file is no text, is empty, or its header does not fit the options.
func NewReader(name string, r io.Reader, options Options) (*Reader, error) {
	sum := sha256.New()
	reader := &Reader{
		name: name, options: options, sum: sum,
		lines: lines{r: io.TeeReader(r, sum)},
	}
	reader.row.file = name
	head := reader.lines.peek(enoughToTell)
	if err := reader.lines.err; err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: read: %w", name, err)
	}
	if reason := NotText(head); reason != "" {
		return nil, &FileError{File: name, Reason: reason}
	}
	if err := reader.open(); err != nil {
		return nil, err
	}
	return reader, nil
}

// Format is [CSV] or [JSONL].
func (r *Reader) Format() string { return r.format }

// Header returns the names of the file's columns in its order, lower case and without blanks around them.
// JSON Lines has none; if no columns were asked for, the keys of the first object are it once that was read.
func (r *Reader) Header() []string { return r.header }

// Has reports whether the file has the wanted column of this number. In JSON Lines any row may have it.
func (r *Reader) Has(column int) bool { return r.format == JSONL || r.at[column] >= 0 }

// Rows is the number of data rows met so far, bad ones included.
func (r *Reader) Rows() int64 { return r.rows }

// SHA256 is the lower-case hex digest of what was read so far: of the whole file once Next has returned io.EOF.
func (r *Reader) SHA256() string { return hex.EncodeToString(r.sum.Sum(nil)) }

// Next returns the next row, which is good until the call after; its strings stay good. It returns io.EOF
// at the end, a [*ledger.RowError] for a bad row, after which reading can go on, and any other error,
// mostly a [*FileError], when it cannot.
func (r *Reader) Next() (*Row, error) {
	if r.end != nil {
		return nil, r.end
	}
	row, err := r.next()
	if err == nil {
		return row, nil
	}
	if !isRowError(err) {
		r.end = err
	}
	return nil, err
}

func (r *Reader) next() (*Row, error) {
	for {
		line, err := r.lines.next()
		if err != nil {
			return nil, r.ended(err)
		}
		line = dropMark(line)
		if r.isBlank(line) {
			continue
		}
		if r.rows++; r.rows > MaxRows {
			return nil, r.refuse("more than %d rows; split the file", int64(MaxRows))
		}
		r.row.line, r.row.fault = r.lines.no, nil
		text := string(line)
		if err := r.checkText(text); err != nil {
			return nil, err
		}
		if r.format == JSONL {
			return r.object(text)
		}
		return r.record(text)
	}
}

// ended turns the end of the lines into the end of the rows.
func (r *Reader) ended(err error) error {
	switch {
	case errors.Is(err, io.EOF) && r.rows == 0 && !r.options.AllowEmpty:
		return &FileError{File: r.name, Reason: "no rows below the header; if there really are none, leave the file out"}
	case errors.Is(err, io.EOF):
		return io.EOF
	case errors.Is(err, errLineTooLong):
		return r.refuse("line longer than %d bytes; are these rows of text?", MaxLine)
	default:
		return fmt.Errorf("%s:%d: read: %w", r.name, r.lines.no+1, err)
	}
}

// refuse ends the file at the line last read.
func (r *Reader) refuse(format string, args ...any) error {
	return &FileError{File: r.name, Line: r.lines.no, Reason: fmt.Sprintf(format, args...)}
}

// bad blames the row at hand.
func (r *Reader) bad(format string, args ...any) error {
	return &ledger.RowError{File: r.name, Line: r.row.line, Want: fmt.Sprintf(format, args...)}
}

// isRowError tells a fault of one row from one that ends the file.
func isRowError(err error) bool {
	var row *ledger.RowError
	return errors.As(err, &row)
}

// checkText refuses bytes that are no text: NUL ends the file, broken UTF-8 costs the row.
func (r *Reader) checkText(line string) error {
	if strings.IndexByte(line, 0) >= 0 {
		return r.refuse("%s", nulReason)
	}
	if !utf8.ValidString(line) {
		return &ledger.RowError{
			File: r.name, Line: r.lines.no, Value: strings.ToValidUTF8(line, "\uFFFD"),
			Want: "not UTF-8; convert the file: iconv -f WINDOWS-1252 -t UTF-8 FILE",
		}
	}
	return nil
}

// isBlank reports whether a line holds nothing but blanks and delimiters.
func (r *Reader) isBlank(line []byte) bool {
	for _, b := range line {
		if b != ' ' && b != '\t' && (b != r.delimiter || r.format == JSONL) {
			return false
		}
	}
	return true
}

var byteOrderMark = []byte("\xef\xbb\xbf")

// dropMark removes byte order marks from the start of a line, where joined files leave them.
func dropMark(line []byte) []byte {
	for len(line) > 2 && line[0] == byteOrderMark[0] && bytes.HasPrefix(line, byteOrderMark) {
		line = line[len(byteOrderMark):]
	}
	return line
}
