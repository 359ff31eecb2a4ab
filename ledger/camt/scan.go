package camt

import (
	"bytes"
	"errors"
	"io"
	"strconv"
	"unicode/utf8"
)

// scanner cuts XML into tags and text. It takes what encoding/xml takes of statements, which the tests
// compare, in a fifth of the time: it makes no token that nobody asks for. There are no entities but the
// five of XML and numbers, and no document types.
type scanner struct {
	r          io.Reader
	buf        []byte
	pos, end   int // of what is read and not yet looked at
	err        error
	line       int // from 1
	afterCR    bool
	textLength int // of the text between two tags
}

// What the scanner found.
type token int

const (
	startTag token = iota
	emptyTag
	endTag
	someText // part of a text; more may follow
)

// errEnd is the end of the file, wherever it comes.
var errEnd = errors.New("end of file")

const scanBuffer = 16 << 10

func newScanner(r io.Reader) *scanner {
	return &scanner{r: r, buf: make([]byte, scanBuffer), line: 1}
}

// fill reads more behind what is there, making room first. It reports false at the end of the file and on
// an error, which err is then.
func (s *scanner) fill() bool {
	if s.err != nil {
		return false
	}
	if s.pos > 0 {
		s.end = copy(s.buf, s.buf[s.pos:s.end])
		s.pos = 0
	}
	// The buffer grows only for a single tag or comment, and more refuses those that are too long.
	if s.end == len(s.buf) {
		s.buf = append(s.buf, make([]byte, len(s.buf))...)
	}
	for range 100 { // as bufio does, against readers that return nothing for ever
		n, err := s.r.Read(s.buf[s.end:])
		s.end += n
		if err != nil {
			s.err = err
			if err == io.EOF {
				s.err = errEnd
			}
		}
		if n > 0 || err != nil {
			return n > 0
		}
	}
	s.err = io.ErrNoProgress
	return false
}

// next returns the next token: for a tag the bytes between its brackets, for text a piece of it with
// entities resolved. The bytes are good until the next call.
func (s *scanner) next() (token, []byte, error) {
	for {
		if s.pos == s.end && !s.fill() {
			return 0, nil, s.err
		}
		if s.buf[s.pos] != '<' {
			text, err := s.text()
			return someText, text, err
		}
		kind, body, err := s.markup()
		if err != nil || body != nil {
			return kind, body, err
		}
	}
}

// markup takes what begins with a bracket. No body and no error: something that is no part of the content.
func (s *scanner) markup() (token, []byte, error) {
	s.afterCR = false
	for s.end-s.pos < len("<![CDATA[") && s.fill() {
	}
	rest := s.buf[s.pos:s.end]
	switch {
	case len(rest) < 2:
		return 0, nil, s.err
	case bytes.HasPrefix(rest, []byte("<!--")):
		_, err := s.until("<!--", "-->")
		return 0, nil, err
	case bytes.HasPrefix(rest, []byte("<![CDATA[")):
		body, err := s.until("<![CDATA[", "]]>")
		if err != nil {
			return 0, nil, err
		}
		body, err = s.plain(body, false)
		s.afterCR = false
		return someText, body, err
	case rest[1] == '?':
		_, err := s.until("<?", "?>")
		return 0, nil, err
	case rest[1] == '!':
		if len(rest) > 2 && (rest[2] == 'D' || rest[2] == 'd') {
			return 0, nil, refusal("a document type definition, which no bank sends; remove it if you trust the file")
		}
		return 0, nil, refusal("not well-formed XML: <! begins no comment; was the file edited by hand?")
	}
	body, err := s.tag()
	if err != nil {
		return 0, nil, err
	}
	s.textLength = 0
	switch {
	case body[0] == '/':
		return endTag, body[1:], nil
	case body[len(body)-1] == '/':
		return emptyTag, body[:len(body)-1], nil
	default:
		return startTag, body, nil
	}
}

// until takes what stands between two marks.
func (s *scanner) until(first, last string) ([]byte, error) {
	from := len(first)
	for {
		if i := bytes.Index(s.buf[s.pos+from:s.end], []byte(last)); i >= 0 {
			body := s.buf[s.pos+len(first) : s.pos+from+i]
			s.take(from + i + len(last))
			return body, nil
		}
		// The mark may be cut in two by the end of what is read.
		from = max(len(first), s.end-s.pos-len(last))
		if err := s.more(); err != nil {
			return nil, err
		}
	}
}

// tag takes what stands between brackets; a bracket within quotes is none.
func (s *scanner) tag() ([]byte, error) {
	quote := byte(0)
	for i := 1; ; i++ {
		for s.pos+i == s.end {
			if err := s.more(); err != nil {
				return nil, err
			}
		}
		switch c := s.buf[s.pos+i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '<':
			return nil, refusal("not well-formed XML: a < within a tag; was the file edited by hand?")
		case c == '>':
			body := s.buf[s.pos+1 : s.pos+i]
			s.take(i + 1)
			if len(body) == 0 || body[0] == '/' && len(body) == 1 {
				return nil, refusal("not well-formed XML: a tag without a name; was the file edited by hand?")
			}
			return body, nil
		}
	}
}

// more reads on within a token, which has an end somewhere.
func (s *scanner) more() error {
	if s.end-s.pos > maxToken {
		return errTooLong
	}
	if !s.fill() {
		return s.err
	}
	return nil
}

// take moves on over n bytes.
func (s *scanner) take(n int) {
	s.line += bytes.Count(s.buf[s.pos:s.pos+n], []byte{'\n'})
	s.pos += n
}

// text takes text up to the next tag, or to the end of what is read.
func (s *scanner) text() ([]byte, error) {
	window := s.buf[s.pos:s.end]
	n := bytes.IndexByte(window, '<')
	if n < 0 {
		n = len(window)
		// An entity may be cut off.
		if i := bytes.LastIndexByte(window, '&'); i >= 0 && len(window)-i < longestEntity && bytes.IndexByte(window[i:], ';') < 0 {
			n = i
			if i == 0 {
				if !s.fill() && !errors.Is(s.err, errEnd) {
					return nil, s.err
				} else if errors.Is(s.err, errEnd) && bytes.IndexByte(s.buf[s.pos:s.end], ';') < 0 {
					return nil, s.err
				}
				return nil, nil
			}
		}
	}
	if s.textLength += n; s.textLength > maxToken {
		return nil, errTooLong
	}
	text := window[:n]
	s.take(n)
	return s.plain(text, true)
}

// longestEntity bounds an entity, which may have zeros before its number.
const longestEntity = 64

// plain resolves the entities of a text, if it has any, makes its line ends line feeds, and refuses what no XML text holds.
func (s *scanner) plain(text []byte, entities bool) ([]byte, error) {
	simple := !s.afterCR
	for _, c := range text {
		if c < ' ' && c != '\n' && c != '\t' || c == '&' {
			simple = false
			break
		}
	}
	if simple {
		return text, nil
	}
	out := text[:0] // entities are longer than what they stand for
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case c == '\n' && s.afterCR:
			s.afterCR = false
			continue
		case c == '\r':
			s.afterCR = true
			out = append(out, '\n')
			continue
		case c == '&' && entities:
			end := bytes.IndexByte(text[i:], ';')
			if end < 0 || end > longestEntity {
				return nil, refusal("not well-formed XML: an & that begins no entity (write &amp;); was the file edited by hand?")
			}
			r, ok := entity(text[i+1 : i+end])
			if !ok {
				return nil, refusal("not well-formed XML: unknown entity %.40q; was the file edited by hand?", text[i:i+end+1])
			}
			out = utf8.AppendRune(out, r)
			i += end
		case c < ' ' && c != '\n' && c != '\t':
			return nil, refusal("not well-formed XML: the control character %#02x; was the file edited by hand?", c)
		default:
			out = append(out, c)
		}
		s.afterCR = false
	}
	return out, nil
}

// entity is the character of an entity, given without & and ;.
func entity(name []byte) (rune, bool) {
	switch string(name) {
	case "lt":
		return '<', true
	case "gt":
		return '>', true
	case "amp":
		return '&', true
	case "apos":
		return '\'', true
	case "quot":
		return '"', true
	}
	if len(name) < 2 || name[0] != '#' {
		return 0, false
	}
	digits, base := string(name[1:]), 10
	if digits[0] == 'x' {
		digits, base = digits[1:], 16
	}
	n, err := strconv.ParseUint(digits, base, 32)
	r := rune(n)
	ok := r == '\t' || r == '\n' || r == '\r' || r >= ' ' && r <= 0xD7FF || r >= 0xE000 && r <= 0xFFFD || r >= 0x10000 && r <= 0x10FFFF
	return r, err == nil && ok
}

// tagName splits a tag into its local name and its attributes.
func tagName(body []byte) (name, attributes []byte, err error) {
	n, ok := 0, true
	for ; n < len(body) && !isBlank(body[n]); n++ {
		ok = ok && isName(body[n])
	}
	if !ok || n == 0 || !isNameStart(body[0]) {
		return nil, nil, refusal("not well-formed XML: %.40q is no name of an element; was the file edited by hand?", body[:n])
	}
	return localName(body[:n]), body[n:], nil
}

// localName strips the prefix of a name. A colon with nothing on one side of it sets no prefix off: it is part of the
// name, as encoding/xml has it.
func localName(name []byte) []byte {
	if i := bytes.LastIndexByte(name, ':'); i > 0 && i < len(name)-1 {
		return name[i+1:]
	}
	return name
}

func isBlank(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }

func isName(c byte) bool { return isNameStart(c) || c >= '0' && c <= '9' || c == '-' || c == '.' }

func isNameStart(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c == ':' || c >= utf8.RuneSelf
}

// attributeValue is what stands between the quotes, with entities resolved and line ends made line feeds. What looks
// like an entity and is none stays as it is: no value that matters has one.
func attributeValue(written []byte) []byte {
	if !bytes.ContainsAny(written, "&\r") {
		return written
	}
	value := make([]byte, 0, len(written))
	for i := 0; i < len(written); i++ {
		switch c := written[i]; {
		case c == '&':
			if end := bytes.IndexByte(written[i:], ';'); end > 0 {
				if r, ok := entity(written[i+1 : i+end]); ok {
					value = utf8.AppendRune(value, r)
					i += end
					continue
				}
			}
			value = append(value, c)
		case c == '\r':
			value = append(value, '\n')
			if i+1 < len(written) && written[i+1] == '\n' {
				i++
			}
		default:
			value = append(value, c)
		}
	}
	return value
}

// eachAttribute walks the attributes of a tag; names come without prefix, values as written.
func eachAttribute(attributes []byte, each func(name, value []byte)) error {
	const bad = refused("not well-formed XML: an attribute without a quoted value; was the file edited by hand?")
	for {
		attributes = bytes.TrimLeft(attributes, " \t\r\n")
		if len(attributes) == 0 {
			return nil
		}
		name, rest, ok := bytes.Cut(attributes, []byte{'='})
		rest = bytes.TrimLeft(rest, " \t\r\n")
		if !ok || len(rest) < 2 || rest[0] != '"' && rest[0] != '\'' {
			return bad
		}
		end := bytes.IndexByte(rest[1:], rest[0])
		if end < 0 {
			return bad
		}
		name = bytes.TrimRight(name, " \t\r\n")
		if len(name) == 0 || !isNameStart(name[0]) || bytes.ContainsAny(name, " \t\r\n\"'") {
			return bad
		}
		each(localName(name), rest[1:1+end])
		attributes = rest[end+2:]
	}
}
