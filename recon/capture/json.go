package capture

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strconv"
	"unicode/utf8"
)

// ErrNotJSON is wrapped by every error of [Decode].
var ErrNotJSON = errors.New("not the JSON that Python reads")

const (
	// maxDepth is how deep values may nest: as deep as any Python goes. Most give up below 1000, version 3.13 below 10000.
	maxDepth = 10_000
	// maxValues bounds the memory and the time that a payload may cost: 16 MiB hold eight million values, which would be
	// gigabytes here.
	maxValues = 250_000
)

// Kind is the type of a [Value].
type Kind uint8

// The kinds of JSON values. Python tells whole numbers from others by their spelling, and so does this package.
const (
	Null Kind = iota
	Bool
	Integer
	Float
	String
	List
	Object
)

// A Value is a JSON value as Python's json module sees it, together with the bytes it was read from.
type Value struct {
	Kind Kind
	Raw  []byte // the literal, a part of the decoded input

	// Text is the content of a String in WTF-8: UTF-8 in which lone surrogates are kept as three bytes, so
	// that two of them stay two different strings, and byte order is the order of code points.
	Text    string
	True    bool     // of a Bool
	Items   []Value  // of a List
	Members []Member // of an Object, each name once
}

// A Member is one name and value of an object.
type Member struct {
	Name  string // WTF-8
	Value Value
	Raw   []byte // from the name's quote to the value's end
}

// Get returns the member of that name. ok is false if v is no object or has none.
func (v Value) Get(name string) (member Value, ok bool) {
	for i := range v.Members {
		if v.Members[i].Name == name {
			return v.Members[i].Value, true
		}
	}
	return Value{}, false
}

// Truthy is Python's bool(v).
func (v Value) Truthy() bool {
	switch v.Kind {
	case Bool:
		return v.True
	case Integer:
		return !bytes.Equal(bytes.TrimPrefix(v.Raw, []byte("-")), []byte("0"))
	case Float:
		return v.float() != 0
	case String:
		return v.Text != ""
	case List:
		return len(v.Items) > 0
	case Object:
		return len(v.Members) > 0
	default:
		return false
	}
}

// float is the nearest double of a Float: an infinity beyond the largest, as in Python.
func (v Value) float() float64 {
	f, err := strconv.ParseFloat(string(v.Raw), 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return math.NaN() // the literal NaN: every other one is a number by the grammar
	}
	return f
}

// Decode reads one JSON document as Python's json.loads does in a UTF-8 locale: NaN and the infinities are
// numbers, whole numbers have any length, the last of several members of one name wins, escaped lone surrogates
// stay, raw control characters and trailing data are refused. Unlike Python it ignores a byte order mark.
func Decode(data []byte) (Value, error) {
	d := decoder{data: bytes.TrimPrefix(data, []byte("\ufeff"))}
	if !utf8.Valid(d.data) {
		return Value{}, fmt.Errorf("%w: invalid UTF-8", ErrNotJSON)
	}
	d.space()
	v, err := d.value(0)
	if err != nil {
		return Value{}, err
	}
	if d.space(); d.at < len(d.data) {
		return Value{}, d.fail("more data after the end")
	}
	return v, nil
}

type decoder struct {
	data   []byte
	at     int
	values int // how many were read
}

func (d *decoder) fail(what string) error {
	return fmt.Errorf("%w: byte %d: %s", ErrNotJSON, d.at, what)
}

func (d *decoder) space() {
	for d.at < len(d.data) {
		switch d.data[d.at] {
		case ' ', '\t', '\n', '\r':
			d.at++
		default:
			return
		}
	}
}

// next consumes c if it comes next.
func (d *decoder) next(c byte) bool {
	if d.at < len(d.data) && d.data[d.at] == c {
		d.at++
		return true
	}
	return false
}

var literals = []struct {
	text string
	v    Value
}{
	{"null", Value{Kind: Null}},
	{"true", Value{Kind: Bool, True: true}},
	{"false", Value{Kind: Bool}},
	{"NaN", Value{Kind: Float}},
	{"Infinity", Value{Kind: Float}},
	{"-Infinity", Value{Kind: Float}},
}

func (d *decoder) value(depth int) (v Value, err error) {
	if depth > maxDepth {
		return Value{}, d.fail("nested too deep")
	}
	if d.values++; d.values > maxValues {
		return Value{}, d.fail("more values than a payload has")
	}
	start := d.at
	switch {
	case d.next('"'):
		v.Kind = String
		v.Text, err = d.text()
	case d.next('{'):
		v, err = d.object(depth)
	case d.next('['):
		v, err = d.list(depth)
	default:
		return d.scalar()
	}
	v.Raw = d.data[start:d.at]
	return v, err
}

func (d *decoder) scalar() (Value, error) {
	rest := d.data[d.at:]
	for _, l := range literals {
		if bytes.HasPrefix(rest, []byte(l.text)) {
			l.v.Raw = rest[:len(l.text)]
			d.at += len(l.text)
			return l.v, nil
		}
	}
	n, kind := number(rest)
	if n == 0 {
		return Value{}, d.fail("expected a value")
	}
	d.at += n
	return Value{Kind: kind, Raw: rest[:n]}, nil
}

// number measures the number at the start of s: an optional minus, digits without a leading zero, an optional
// fraction, an optional exponent. What is no part of it is left for the caller to refuse.
func number(s []byte) (length int, kind Kind) {
	i := 0
	if i < len(s) && s[i] == '-' {
		i++
	}
	switch digits := countDigits(s[i:]); {
	case digits == 0:
		return 0, Integer
	case s[i] == '0':
		i++
	default:
		i += digits
	}
	kind = Integer
	if i < len(s) && s[i] == '.' {
		if n := countDigits(s[i+1:]); n > 0 {
			i, kind = i+1+n, Float
		}
	}
	if i < len(s) && (s[i] == 'e' || s[i] == 'E') {
		j := i + 1
		if j < len(s) && (s[j] == '+' || s[j] == '-') {
			j++
		}
		if n := countDigits(s[j:]); n > 0 {
			i, kind = j+n, Float
		}
	}
	return i, kind
}

func countDigits(s []byte) int {
	for i, c := range s {
		if c < '0' || c > '9' {
			return i
		}
	}
	return len(s)
}

func (d *decoder) list(depth int) (Value, error) {
	v := Value{Kind: List}
	d.space()
	if d.next(']') {
		return v, nil
	}
	for {
		d.space()
		item, err := d.value(depth + 1)
		if err != nil {
			return v, err
		}
		v.Items = append(v.Items, item)
		d.space()
		if d.next(']') {
			return v, nil
		}
		if !d.next(',') {
			return v, d.fail("expected a comma or the end of the list")
		}
	}
}

func (d *decoder) object(depth int) (Value, error) {
	v := Value{Kind: Object}
	d.space()
	if d.next('}') {
		return v, nil
	}
	places := map[string]int{}
	for {
		m, err := d.member(depth)
		if err != nil {
			return v, err
		}
		if i, seen := places[m.Name]; seen {
			v.Members[i] = m // the last one wins, and does not merge with the first
		} else {
			places[m.Name] = len(v.Members)
			v.Members = append(v.Members, m)
		}
		d.space()
		if d.next('}') {
			return v, nil
		}
		if !d.next(',') {
			return v, d.fail("expected a comma or the end of the object")
		}
	}
}

func (d *decoder) member(depth int) (m Member, err error) {
	d.space()
	start := d.at
	if !d.next('"') {
		return m, d.fail("expected a name in double quotes")
	}
	if m.Name, err = d.text(); err != nil {
		return m, err
	}
	d.space()
	if !d.next(':') {
		return m, d.fail("expected a colon")
	}
	d.space()
	m.Value, err = d.value(depth + 1)
	m.Raw = d.data[start:d.at]
	return m, err
}

// text reads a string after its opening quote.
func (d *decoder) text() (string, error) {
	start := d.at
	for d.at < len(d.data) {
		switch c := d.data[d.at]; {
		case c == '"':
			d.at++
			return string(d.data[start : d.at-1]), nil
		case c == '\\':
			return d.escapedText(append([]byte(nil), d.data[start:d.at]...))
		case c < ' ':
			return "", d.fail("raw control character in a string")
		}
		d.at++
	}
	return "", d.fail("string without an end")
}

func (d *decoder) escapedText(b []byte) (string, error) {
	for d.at < len(d.data) {
		c := d.data[d.at]
		switch {
		case c == '"':
			d.at++
			return string(b), nil
		case c < ' ':
			return "", d.fail("raw control character in a string")
		case c != '\\':
			b = append(b, c)
			d.at++
			continue
		}
		var err error
		if b, err = d.escape(b); err != nil {
			return "", err
		}
	}
	return "", d.fail("string without an end")
}

var shortEscapes = map[byte]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// escape reads one escape at a backslash, or two if they are the halves of one character.
func (d *decoder) escape(b []byte) ([]byte, error) {
	if d.at+1 >= len(d.data) {
		return b, d.fail("string without an end")
	}
	if c, ok := shortEscapes[d.data[d.at+1]]; ok {
		d.at += 2
		return append(b, c), nil
	}
	unit, ok := d.unit(d.at)
	if !ok {
		return b, d.fail("invalid escape")
	}
	d.at += 6
	if unit >= 0xd800 && unit < 0xdc00 {
		if low, ok := d.unit(d.at); ok && low >= 0xdc00 && low < 0xe000 {
			d.at += 6
			return utf8.AppendRune(b, (unit-0xd800)<<10|(low-0xdc00)+0x10000), nil
		}
	}
	return appendWTF8(b, unit), nil
}

// unit reads the UTF-16 unit of a \uXXXX escape at a place, without moving.
func (d *decoder) unit(at int) (rune, bool) {
	if at+6 > len(d.data) || d.data[at] != '\\' || d.data[at+1] != 'u' {
		return 0, false
	}
	var unit rune
	for _, c := range d.data[at+2 : at+6] {
		switch {
		case c >= '0' && c <= '9':
			unit = unit<<4 | rune(c-'0')
		case c >= 'a' && c <= 'f':
			unit = unit<<4 | rune(c-'a'+10)
		case c >= 'A' && c <= 'F':
			unit = unit<<4 | rune(c-'A'+10)
		default:
			return 0, false
		}
	}
	return unit, true
}

// appendWTF8 appends a code point below U+10000, surrogates included, in the three-byte form that UTF-8 has for
// its neighbours.
func appendWTF8(b []byte, unit rune) []byte {
	if isSurrogate(unit) {
		return append(b, 0xe0|byte(unit>>12), 0x80|byte(unit>>6)&0x3f, 0x80|byte(unit)&0x3f)
	}
	return utf8.AppendRune(b, unit)
}

func isSurrogate(r rune) bool { return r >= 0xd800 && r < 0xe000 }
