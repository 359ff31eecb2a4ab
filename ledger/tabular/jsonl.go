package tabular

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"agentrecon/ledger"
)

// isObject reports whether the first thing in a file is a JSON object.
func isObject(head []byte) bool {
	head = bytes.TrimLeft(head, " \t\r\n\xef\xbb\xbf")
	return len(head) > 0 && head[0] == '{'
}

// openObjects prepares for JSON Lines: the fields of a row are the wanted columns in their order.
func (r *Reader) openObjects() {
	r.format = JSONL
	if r.options.Columns == nil {
		return // the first object names them
	}
	r.setKeys(columnNames(r.options.Columns))
}

func (r *Reader) setKeys(names []string) {
	r.row.names = names
	r.keys = make(map[string]int, len(names))
	r.at = make([]int, len(names))
	for i, name := range names {
		r.keys[name], r.at[i] = i, i
	}
}

// Reasons a line is not a flat object.
var (
	errCutOff = errors.New("the object does not end on its line; write one object a line: jq -c . FILE")
	errSyntax = errors.New("not a JSON object")
	errNested = errors.New("want a string, a number or null")
	errEscape = errors.New("a broken escape in a string")
)

// object turns a line of JSON into a row. Numbers stay the text they were, so that no digit is lost; null
// and a missing key are empty. A row of no keys but known ones, each once, is what keeps a misspelt key
// from being read as an empty field.
func (r *Reader) object(text string) (*Row, error) {
	if r.keys == nil {
		if err := r.learnKeys(text); err != nil {
			return nil, err
		}
	}
	fields := r.row.fields[:0]
	for range r.at {
		fields = append(fields, "")
	}
	seen := make([]bool, len(fields))
	err := scanObject(text, func(key, value string) error {
		i, ok := r.keys[key]
		if !ok {
			key = foldName(key)
			if i, ok = r.keys[key]; !ok {
				return r.bad("unknown key %s; known: %s", unknownColumn(key, r.row.names), strings.Join(r.row.names, ", "))
			}
		}
		if seen[i] {
			return r.bad("key %q stands twice", key)
		}
		seen[i] = true
		fields[i] = value
		return nil
	})
	if err != nil {
		return nil, r.objectError(err)
	}
	r.row.bind(fields, r.at)
	return &r.row, nil
}

// learnKeys takes the keys of the first object as the columns.
func (r *Reader) learnKeys(text string) error {
	var names []string
	err := scanObject(text, func(key, _ string) error {
		names = append(names, foldName(key))
		return nil
	})
	if err != nil {
		return r.objectError(err)
	}
	if len(names) > MaxColumns {
		return r.refuse("%d keys, more than %d", len(names), MaxColumns)
	}
	r.header = names
	r.setKeys(names)
	return nil
}

// objectError gives a fault its place. A first line that is half an object is a file of another shape.
func (r *Reader) objectError(err error) error {
	var row *ledger.RowError
	if errors.As(err, &row) {
		return row
	}
	if errors.Is(err, errCutOff) && r.rows == 1 {
		return r.refuse("%s", err)
	}
	var field *fieldError
	if errors.As(err, &field) {
		return &ledger.RowError{File: r.name, Line: r.row.line, Field: field.key, Want: field.err.Error()}
	}
	return r.bad("%s", err)
}

type fieldError struct {
	key string
	err error
}

func (e *fieldError) Error() string { return e.key + ": " + e.err.Error() }

// scanObject hands on the members of a flat JSON object in order, strings unescaped, numbers as written,
// null as an empty string. It accepts exactly the objects that encoding/json accepts with no values but
// those, except strings that would not survive it: lone surrogates and NUL.
func scanObject(text string, member func(key, value string) error) error {
	s := scanner{rest: text}
	if !s.take('{') {
		return errSyntax
	}
	for more := !s.take('}'); more; {
		if s.skip(); s.rest == "" {
			return errCutOff
		}
		key, err := s.str()
		if err != nil {
			return err
		}
		if !s.take(':') {
			return s.unexpected()
		}
		value, err := s.value()
		if err != nil {
			return &fieldError{key: key, err: err}
		}
		if err := member(key, value); err != nil {
			return err
		}
		if s.take('}') {
			break
		}
		if more = s.take(','); !more {
			return s.unexpected()
		}
	}
	if s.skip(); s.rest != "" {
		return errors.New("text after the object; one object a line is expected")
	}
	return nil
}

// scanner reads JSON from the front of rest.
type scanner struct{ rest string }

func (s *scanner) skip() {
	for s.rest != "" && (s.rest[0] == ' ' || s.rest[0] == '\t') {
		s.rest = s.rest[1:]
	}
}

func (s *scanner) take(b byte) bool {
	s.skip()
	if s.rest == "" || s.rest[0] != b {
		return false
	}
	s.rest = s.rest[1:]
	return true
}

func (s *scanner) unexpected() error {
	if s.skip(); s.rest == "" {
		return errCutOff
	}
	return errSyntax
}

func (s *scanner) value() (string, error) {
	s.skip()
	switch {
	case s.rest == "":
		return "", errCutOff
	case s.rest[0] == '"':
		return s.str()
	case s.rest[0] == '{' || s.rest[0] == '[':
		return "", errNested
	}
	end := strings.IndexAny(s.rest, ",} \t")
	if end < 0 {
		return "", errCutOff
	}
	word := s.rest[:end]
	s.rest = s.rest[end:]
	switch {
	case word == "null":
		return "", nil
	case word != "true" && word != "false" && json.Valid([]byte(word)):
		return word, nil
	default:
		return "", errNested
	}
}

// str reads a string. Without an escape it is a piece of the line.
func (s *scanner) str() (string, error) {
	if s.rest[0] != '"' {
		return "", errSyntax
	}
	escaped := false
	for i := 1; i < len(s.rest); i++ {
		switch b := s.rest[i]; {
		case b == '\\':
			escaped = true
			i++
		case b < ' ':
			return "", errors.New("a control character in a string; escape it")
		case b == '"':
			text := s.rest[:i+1]
			s.rest = s.rest[i+1:]
			if !escaped {
				return text[1:i], nil
			}
			return unescape(text)
		}
	}
	return "", errCutOff
}

// unescape decodes a string with escapes. What encoding/json would replace silently is refused.
func unescape(text string) (string, error) {
	var plain string
	if err := json.Unmarshal([]byte(text), &plain); err != nil || hasLoneSurrogate(text) {
		return "", errEscape
	}
	if strings.IndexByte(plain, 0) >= 0 {
		return "", errors.New("a NUL character, which no store can keep")
	}
	return plain, nil
}

// hasLoneSurrogate looks for a \u escape that is half of a UTF-16 pair without its other half.
func hasLoneSurrogate(text string) bool {
	for {
		i := strings.IndexByte(text, '\\')
		if i < 0 {
			return false
		}
		r, ok := escapedUnit(text[i:])
		switch {
		case !ok:
			text = text[i+2:]
		case !utf16.IsSurrogate(r):
			text = text[i+unitLength:]
		default:
			low, _ := escapedUnit(text[i+unitLength:])
			if utf16.DecodeRune(r, low) == utf8.RuneError {
				return true
			}
			text = text[i+2*unitLength:]
		}
	}
}

const unitLength = len(`\u0000`)

// escapedUnit reads a \u escape from the front of text.
func escapedUnit(text string) (rune, bool) {
	if len(text) < unitLength || text[:2] != `\u` {
		return 0, false
	}
	n, err := strconv.ParseUint(text[2:unitLength], 16, 16)
	return rune(n), err == nil
}
