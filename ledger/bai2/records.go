package bai2

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"agentrecon/ledger/lines"
	"agentrecon/ledger/tabular"
)

// mostSegments bounds the continuations of one record, mostText the text of one, mostBlanks the empty lines in a row.
const (
	mostSegments = 10_000
	mostText     = 1 << 20
	mostBlanks   = 10_000
)

// record is a record with its continuations. Each segment is one physical record's part of it, without
// record code and final slash.
type record struct {
	code     string
	segments []string
	line     int      // where it begins
	size     int      // of the segments
	physical int      // how many records of the file it is, for the counts of the trailers
	broken   []string // lines that go on with the last segment
	lines    int      // of them in all
}

// settle joins the last segment with the lines that go on with it.
func (r *record) settle() *record {
	if r.broken != nil {
		last := len(r.segments) - 1
		r.segments[last] += " " + strings.Join(r.broken, " ")
		r.broken = nil
	}
	return r
}

// records cuts a file into records.
type records struct {
	name  string
	lines *lines.Reader
	rest  string // of the line, behind the records taken from it
	ahead *record
}

// next returns the next record with all its continuations, or io.EOF.
func (r *records) next() (*record, error) {
	whole := r.ahead
	r.ahead = nil
	for {
		code, body, err := r.physical()
		switch {
		case errors.Is(err, io.EOF) && whole != nil:
			return whole.settle(), nil
		case err != nil:
			return nil, err
		case code == "" || code == "88":
			if whole == nil || !continues(whole.code) {
				return nil, r.refuse("want a record that begins with 01, 02, 03, 16, 49, 98 or 99 and a comma; is the file damaged, or no BAI2?")
			}
			if err := r.extend(whole, code, body); err != nil {
				return nil, err
			}
		default:
			next := &record{code: code, segments: []string{body}, line: r.lines.No(), size: len(body), physical: 1}
			if whole != nil {
				r.ahead = next
				return whole.settle(), nil
			}
			whole = next
		}
	}
}

// continues reports whether a record may have continuations.
func continues(code string) bool { return code != "49" && code != "98" && code != "99" }

// extend adds a continuation, or a line without record code: banks break text where a line is full.
func (r *records) extend(whole *record, code, body string) error {
	if whole.size += len(body); whole.size > mostText || len(whole.segments)+whole.lines == mostSegments {
		return r.refuse(fmt.Sprintf("a record with more than %d continuations or %d bytes; is the file damaged?", mostSegments, mostText))
	}
	if code == "" {
		whole.broken = append(whole.broken, strings.TrimSpace(body))
		whole.lines++
		return nil
	}
	whole.settle().segments = append(whole.segments, body)
	whole.physical++
	return nil
}

// physical returns the next physical record, and an empty code for a line that has none.
func (r *records) physical() (code, body string, err error) {
	for blanks := 0; strings.TrimSpace(r.rest) == ""; blanks++ {
		if blanks > mostBlanks {
			return "", "", r.refuse(fmt.Sprintf("more than %d empty lines; is the file damaged?", mostBlanks))
		}
		if r.rest, err = r.lines.Next(); err != nil {
			return "", "", err
		}
	}
	text := strings.TrimLeft(r.rest, " \t")
	if code = codeOf(text); code != "" {
		text = text[len(code)+1:]
	}
	body, r.rest = cutRecord(text)
	return code, unslash(body), nil
}

// codeOf returns the record code that a text begins with, or nothing.
func codeOf(text string) string {
	if len(text) < 3 || text[2] != ',' {
		return ""
	}
	switch code := text[:2]; code {
	case "01", "02", "03", "16", "49", "88", "98", "99":
		return code
	}
	return ""
}

// cutRecord cuts a line behind a slash that blanks and the code of another record follow. Any other slash
// is text.
func cutRecord(text string) (body, rest string) {
	for from := 0; ; {
		i := strings.IndexByte(text[from:], '/')
		if i < 0 {
			return text, ""
		}
		after := text[from+i+1:]
		next := strings.TrimLeft(after, " \t")
		if len(next) < len(after) && codeOf(next) != "" {
			return text[:from+i+1], next
		}
		from += i + 1
	}
}

// unslash removes the slash that ends a record, and the blanks around it.
func unslash(body string) string {
	body = strings.TrimRight(body, " \t")
	return strings.TrimRight(strings.TrimSuffix(body, "/"), " \t")
}

func (r *records) refuse(reason string) error {
	return &tabular.FileError{File: r.name, Line: r.lines.No(), Reason: reason}
}

// fields walks through the fields of a record. The end of a segment is the end of a field.
type fields struct {
	segments []string
}

// next returns the next field, trimmed, and false behind the last.
func (f *fields) next() (string, bool) {
	if len(f.segments) == 0 {
		return "", false
	}
	field, rest, more := strings.Cut(f.segments[0], ",")
	if more {
		f.segments[0] = rest
	} else {
		f.segments = f.segments[1:]
	}
	return strings.TrimSpace(field), true
}

// texts returns what is left as printed, without empty continuations.
func (f *fields) texts() []string {
	var list []string
	for _, s := range f.segments {
		if s = strings.TrimSpace(s); s != "" {
			list = append(list, s)
		}
	}
	return list
}
