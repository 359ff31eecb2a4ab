package tabular

import (
	"errors"
	"io"
	"strings"

	"agentrecon/ledger"
)

// record turns a line, and those that its quotes reach into, into a row.
func (r *Reader) record(text string) (*Row, error) {
	fields, err := r.split(text)
	if err != nil {
		return nil, err
	}
	if len(fields) != len(r.header) {
		return nil, r.wrongCount(len(fields))
	}
	if text == r.headLine {
		return nil, r.bad("the header again; if files were joined here, remove this line")
	}
	r.row.bind(fields, r.at)
	return &r.row, nil
}

func (r *Reader) wrongCount(got int) error {
	switch want := len(r.header); {
	case got < want:
		return r.bad("%d fields, the header has %d; is the row cut off?", got, want)
	default:
		return r.bad("%d fields, the header has %d; put a field that holds the delimiter into quotes", got, want)
	}
}

// split cuts a record into fields. Almost no row has a quote, and then fields are pieces of the one string.
// The fields are good until the next call.
func (r *Reader) split(text string) ([]string, error) {
	if strings.IndexByte(text, '"') >= 0 {
		return r.splitQuoted(text)
	}
	fields := r.row.fields[:0]
	for {
		i := strings.IndexByte(text, r.delimiter)
		if i < 0 {
			break
		}
		fields = append(fields, text[:i])
		text = text[i+1:]
	}
	r.row.fields = append(fields, text)
	return r.row.fields, nil
}

// splitQuoted is split by RFC 4180: a field that starts with a quote ends at the next single quote, and
// may hold delimiters and line ends, which it gives back as line feeds.
func (r *Reader) splitQuoted(text string) ([]string, error) {
	fields := r.row.fields[:0]
	var broken error // text of a later line that is no text; the record is read to its end first
	for {
		if !strings.HasPrefix(text, `"`) {
			i := strings.IndexByte(text, r.delimiter)
			field, last := text, i < 0
			if !last {
				field, text = text[:i], text[i+1:]
			}
			if strings.IndexByte(field, '"') >= 0 {
				return nil, r.quoteError(field, "a quote inside a field that does not start with one; put the field into quotes and double those inside")
			}
			fields = append(fields, field)
			if last {
				break
			}
			continue
		}
		field, rest, err := r.quotedField(text[1:], &broken)
		if err != nil {
			return nil, err
		}
		fields = append(fields, field)
		if rest == "" {
			break
		}
		if rest[0] != r.delimiter {
			return nil, r.quoteError(rest, "text after a closing quote; double the quotes inside a field")
		}
		text = rest[1:]
	}
	r.row.fields = fields
	return fields, broken
}

// quotedField reads a field from behind its opening quote and returns what follows the closing one.
func (r *Reader) quotedField(text string, broken *error) (field, rest string, err error) {
	opened := r.lines.no
	var b strings.Builder
	for {
		i := strings.IndexByte(text, '"')
		switch {
		case i >= 0 && strings.HasPrefix(text[i+1:], `"`):
			b.WriteString(text[:i+1])
			text = text[i+2:]
		case i >= 0 && b.Len() == 0:
			return text[:i], text[i+1:], nil
		case i >= 0:
			b.WriteString(text[:i])
			return b.String(), text[i+1:], nil
		default:
			b.WriteString(text)
			b.WriteByte('\n')
			line, err := r.lines.next()
			if err != nil && !errors.Is(err, io.EOF) {
				return "", "", r.ended(err)
			}
			if err != nil || b.Len()+len(line) > MaxLine {
				return "", "", &FileError{File: r.name, Line: opened, Reason: "a quote that opens here is never closed"}
			}
			text = string(line)
			if err := r.checkText(text); err != nil {
				if !isRowError(err) {
					return "", "", err
				}
				*broken = err
			}
		}
	}
}

// quoteError blames the row, on the line last read.
func (r *Reader) quoteError(value, want string) error {
	return &ledger.RowError{File: r.name, Line: r.lines.no, Value: value, Want: want}
}
