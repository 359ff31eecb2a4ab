package tabular

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"slices"

	"agentrecon/ledger"
)

// Content collects the values of a row that say something, whatever way they were written. A value is
// kept under its column, empty ones are left out.
type Content []byte

// Text adds a text.
func (c Content) Text(column int, s string) Content {
	if s == "" {
		return c
	}
	c = binary.AppendUvarint(c, uint64(column))
	c = binary.AppendUvarint(c, uint64(len(s)))
	return append(c, s...)
}

// Int adds a number; zero is a value like any other.
func (c Content) Int(column int, n int64) Content {
	var b [binary.MaxVarintLen64]byte
	return c.bytes(column, b[:binary.PutVarint(b[:], n)])
}

func (c Content) bytes(column int, b []byte) Content {
	c = binary.AppendUvarint(c, uint64(column))
	c = binary.AppendUvarint(c, uint64(len(b)))
	return append(c, b...)
}

// values takes the content apart again.
func (c Content) values() map[int]string {
	values := make(map[int]string)
	for len(c) > 0 {
		column, n := binary.Uvarint(c)
		size, m := binary.Uvarint(c[n:])
		start := n + m
		values[int(column)] = string(c[start : start+int(size)])
		c = c[start+int(size):]
	}
	return values
}

// firstDifference returns the lowest column in which two contents differ.
func (c Content) firstDifference(other Content) (column int, differ bool) {
	a, b := c.values(), other.values()
	var columns []int
	for column, value := range a {
		if w, ok := b[column]; !ok || value != w {
			columns = append(columns, column)
		}
	}
	for column := range b {
		if _, ok := a[column]; !ok {
			columns = append(columns, column)
		}
	}
	if columns == nil {
		return 0, false
	}
	return slices.Min(columns), true
}

// Once finds the rows of a file that name the same thing. It remembers 40 bytes for each thing ([seenRows]), not the
// rows; what a contradicting pair of rows says is read again, and only if there is one ([Once.Explain]).
// The zero value is ready.
type Once struct {
	Key string // names the key in messages; empty: the name of the column it is seen under

	seen      seenRows
	conflicts []conflict
}

// keyHash stands for a key: two keyed hashes of it. An accident among 100 million keys has a chance of 1 in
// 10^22, and since the seeds differ from process to process no file can be made to have one. The hashes are
// compared, never shown. (SHA-256 of so short a text costs a tenth of reading the row.)
type keyHash [2]uint64

var seeds = [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}

type conflict struct {
	first int
	fault *ledger.RowError
}

// See shows Once a row under a key. It returns repeat for a row that says the same as the first one of its
// key, and an error for one that says something else, naming the key's column and both lines.
func (o *Once) See(row *Row, column int, key []byte, content Content) (repeat bool, err error) {
	repeat, _, err = o.SeeAt(row, column, key, content, 0)
	return repeat, err
}

// SeeAt is See for rows that may differ in one number, such as a time, without contradicting each other.
// For a repeat it returns the number of the first row.
func (o *Once) SeeAt(row *Row, column int, key []byte, content Content, stamp int64) (repeat bool, first int64, err error) {
	k, c := keyHash{maphash.Bytes(seeds[0], key), maphash.Bytes(seeds[1], key)}, maphash.Bytes(seeds[0], content)
	earlier := o.seen.enter(firstRow{key: k, line: int64(row.line), content: c, stamp: stamp})
	if earlier == nil {
		return false, 0, nil
	}
	if earlier.content == c {
		return true, earlier.stamp, nil
	}
	fault := &ledger.RowError{
		File: row.file, Line: row.line, Field: row.names[column], Value: row.Field(column),
		Want: fmt.Sprintf("line %d says something else under the same %s", earlier.line, o.keyName(row.names[column])),
	}
	if len(o.conflicts) < ledger.MaxBadRows {
		o.conflicts = append(o.conflicts, conflict{first: int(earlier.line), fault: fault})
	}
	return false, 0, fault
}

func (o *Once) keyName(column string) string { return cmp.Or(o.Key, column) }

// Explain adds to the contradictions in err, as [Scan] returned it, which field differs and both values. It
// reads the file again up to the last of them, so r has to be an io.Seeker that stands where the file
// began; of anything else, such as a pipe, the lines must do. It returns err.
func (o *Once) Explain(err error, start int64, r io.Reader, options Options, content func(*Row) Content) error {
	var bad *ledger.BadRows
	seeker, ok := r.(io.Seeker)
	if !ok || start < 0 || len(o.conflicts) == 0 || !errors.As(err, &bad) {
		return err
	}
	if _, e := seeker.Seek(start, io.SeekStart); e != nil {
		return err
	}
	rows := o.reread(bad.File, r, options, content)
	for _, c := range o.conflicts {
		first, ok1 := rows[c.first]
		second, ok2 := rows[c.fault.Line]
		if !ok1 || !ok2 {
			continue
		}
		if column, differ := first.content.firstDifference(second.content); differ {
			c.fault.Want = fmt.Sprintf("%s %q here, %q in line %d under the same %s",
				options.Columns[column].Name, second.fields[column], first.fields[column], c.first, o.keyName(c.fault.Field))
		}
	}
	return err
}

type copiedRow struct {
	content Content
	fields  []string
}

// reread returns the rows that contradict each other, by line.
func (o *Once) reread(name string, r io.Reader, options Options, content func(*Row) Content) map[int]copiedRow {
	rows := make(map[int]copiedRow)
	last := 0
	for _, c := range o.conflicts {
		rows[c.first], rows[c.fault.Line] = copiedRow{}, copiedRow{}
		last = max(last, c.fault.Line)
	}
	reader, err := NewReader(name, r, options)
	if err != nil {
		return nil // the file is another one by now
	}
	for {
		row, err := reader.Next()
		if row == nil {
			var bad *ledger.RowError
			if errors.As(err, &bad) {
				continue
			}
			return rows
		}
		if row.line > last {
			return rows
		}
		if _, ok := rows[row.line]; !ok {
			continue
		}
		fields := make([]string, len(row.names))
		for i := range fields {
			fields[i] = row.Field(i)
		}
		rows[row.line] = copiedRow{content: slices.Clone(content(row)), fields: fields}
	}
}

// Start returns where a reader stands, for [Once.Explain], or -1 if it cannot be set back.
func Start(r io.Reader) int64 {
	seeker, ok := r.(io.Seeker)
	if !ok {
		return -1
	}
	at, err := seeker.Seek(0, io.SeekCurrent)
	if err != nil {
		return -1
	}
	return at
}
