package tabular

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"agentrecon/ledger"
)

// enoughToTell is how much of a file is looked at before it is read.
const enoughToTell = 4096

// delimiters lists what may separate fields; of equally frequent ones in the header the first is taken.
const delimiters = ",\t;|"

// open reads up to and including the header, and binds the wanted columns to it.
func (r *Reader) open() error {
	if isObject(r.lines.peek(enoughToTell)) {
		r.openObjects()
		return nil
	}
	line, err := r.firstLine()
	if err != nil {
		return err
	}
	if bytes.HasPrefix(line, []byte("[")) {
		return r.refuse("a JSON array; write one object a line (JSON Lines): jq -c '.[]' FILE")
	}
	r.format = CSV
	if d, ok := separatorLine(line); ok {
		r.delimiter = d
		if line, err = r.lines.next(); err != nil {
			return r.refuse("no header below the line that names the separator")
		}
		line = dropMark(line)
	} else {
		r.delimiter = chooseDelimiter(line)
	}
	text := string(line)
	if err := r.checkText(text); err != nil {
		return r.refuse("header: not UTF-8; convert the file: iconv -f WINDOWS-1252 -t UTF-8 FILE")
	}
	r.headLine = text
	r.row.line = r.lines.no
	names, err := r.split(text)
	if err != nil {
		return asFileError(err)
	}
	return r.bind(names)
}

// firstLine returns the first line that is not blank.
func (r *Reader) firstLine() ([]byte, error) {
	for {
		line, err := r.lines.next()
		switch {
		case errors.Is(err, io.EOF):
			return nil, &FileError{File: r.name, Reason: "empty file; a header with the names of the columns is expected"}
		case err != nil:
			return nil, r.ended(err)
		}
		if line = dropMark(line); len(bytes.TrimSpace(line)) > 0 {
			return line, nil
		}
	}
}

// separatorLine reads the line "sep=;" that spreadsheets put before the header.
func separatorLine(line []byte) (byte, bool) {
	const prefix = "sep="
	if len(line) != len(prefix)+1 || !strings.EqualFold(string(line[:len(prefix)]), prefix) {
		return 0, false
	}
	d := line[len(prefix)]
	return d, strings.IndexByte(delimiters, d) >= 0
}

// chooseDelimiter takes the one that the header has most of outside quotes.
func chooseDelimiter(header []byte) byte {
	var count [len(delimiters)]int
	quoted := false
	for _, b := range header {
		if b == '"' {
			quoted = !quoted
		}
		if i := strings.IndexByte(delimiters, b); i >= 0 && !quoted {
			count[i]++
		}
	}
	best := 0
	for i, n := range count {
		if n > count[best] {
			best = i
		}
	}
	return delimiters[best]
}

// bind checks the header's names and finds the wanted columns among them.
func (r *Reader) bind(names []string) error {
	if len(names) > MaxColumns {
		return r.headerError("%d columns, more than %d", len(names), MaxColumns)
	}
	r.header = make([]string, len(names))
	first := make(map[string]int, len(names))
	for i, name := range names {
		name = foldName(name)
		if name == "" {
			return r.headerError("column %d has no name; name it or remove it", i+1)
		}
		if j, ok := first[name]; ok {
			return r.headerError("column %q stands twice, as columns %d and %d; rename or remove one", name, j+1, i+1)
		}
		first[name], r.header[i] = i, name
	}
	if r.options.Columns == nil {
		r.at = make([]int, len(names))
		for i := range r.at {
			r.at[i] = i
		}
		r.row.names = r.header
		return nil
	}
	return r.bindWanted(first)
}

func (r *Reader) bindWanted(first map[string]int) error {
	known := columnNames(r.options.Columns)
	r.row.names = known
	var unknown []string
	for _, name := range r.header {
		if !slices.Contains(known, name) {
			unknown = append(unknown, unknownColumn(name, known))
		}
	}
	if unknown != nil {
		return r.headerError("unknown column %s; known: %s", strings.Join(unknown, ", "), strings.Join(known, ", "))
	}
	var missing []string
	for _, c := range r.options.Columns {
		i, ok := first[c.Name]
		if !ok {
			i = -1
			if c.Required {
				missing = append(missing, fmt.Sprintf("%q", c.Name))
			}
		}
		r.at = append(r.at, i)
	}
	if missing != nil {
		return r.headerError("required column %s is missing; the header has %s", strings.Join(missing, ", "), strings.Join(r.header, ", "))
	}
	return nil
}

// HeaderError refuses the file for its header. It is meant for what only the caller can judge, such as one
// of two columns being required, and to be used before the first Next.
func (r *Reader) HeaderError(reason string) error { return r.headerError("%s", reason) }

func (r *Reader) headerError(format string, args ...any) error {
	return &FileError{File: r.name, Line: r.row.line, Reason: "header: " + fmt.Sprintf(format, args...)}
}

// unknownColumn names a column and the known one nearest to it.
func unknownColumn(name string, known []string) string {
	if near := Nearest(name, known); near != "" {
		return fmt.Sprintf("%q (did you mean %q?)", name, near)
	}
	return fmt.Sprintf("%q", name)
}

func columnNames(columns []Column) []string {
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = c.Name
	}
	return names
}

// foldName makes names of one column equal: case and the blanks around them do not count.
func foldName(s string) string { return strings.ToLower(strings.TrimSpace(s)) }

// HeaderOf returns the names in the header of a file of which head is the beginning, folded as [Reader.Header]
// does, or nil if head does not begin with a readable header. It is for telling formats apart.
func HeaderOf(head []byte) []string {
	r, err := NewReader("", bytes.NewReader(head), Options{})
	if err != nil {
		return nil
	}
	if r.Format() == JSONL {
		_, _ = r.Next() // for the keys of the first object; a bad one leaves no header
	}
	return r.Header()
}

// asFileError makes a fault of the header one of the file.
func asFileError(err error) error {
	var row *ledger.RowError
	if !errors.As(err, &row) {
		return err
	}
	return &FileError{File: row.File, Line: row.Line, Reason: "header: " + row.Want}
}
