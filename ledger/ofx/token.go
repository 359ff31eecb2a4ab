package ofx

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"agentrecon/ledger/lines"
	"agentrecon/ledger/tabular"
)

// Limits of tokens, in bytes. Values of OFX have at most 255 characters, which some banks don't know.
const (
	mostName  = 64
	mostValue = 64 << 10
	mostSkip  = 1 << 20 // of a tag, and of the comments and declarations before one
)

// token is a tag and the text behind it, up to the next one.
type token struct {
	name  string // upper case, without prefix; empty for the text before the first tag
	close bool
	value string
	line  int
}

// tokenizer cuts a file into tags and values. What looks like a tag and has no name is text.
type tokenizer struct {
	name    string
	in      *bufio.Reader
	decoder *lines.Decoder
	line    int
	last    byte
	text    []byte // reused, for tags
	buf     []byte // reused, for values
	begun   bool
	encoded string // encoding that an XML declaration names
	skipped int    // bytes of comments and declarations since the last tag
}

func newTokenizer(name string, r io.Reader, d *lines.Decoder) *tokenizer {
	return &tokenizer{name: name, in: bufio.NewReaderSize(lines.Unmark(r), 64<<10), decoder: d, line: 1}
}

// next returns the next token, or io.EOF.
func (t *tokenizer) next() (token, error) {
	if !t.begun {
		t.begun = true
		value, err := t.value()
		return token{value: value, line: 1}, err
	}
	b, err := t.read()
	if err != nil {
		return token{}, err
	}
	tok := token{line: t.line}
	if next, _ := t.in.Peek(1); b == '<' && len(next) == 1 && next[0] == '/' {
		_, _ = t.read()
		tok.close = true
	}
	selfClosed := false
	if tok.name, selfClosed, err = t.tag(); err != nil {
		return token{}, err
	}
	tok.value, err = t.value()
	if selfClosed {
		tok.value = ""
	}
	return tok, err
}

// read returns the next byte and counts lines.
func (t *tokenizer) read() (byte, error) {
	b, err := t.in.ReadByte()
	if err != nil {
		if errors.Is(err, io.EOF) {
			return 0, io.EOF
		}
		return 0, fmt.Errorf("%s:%d: read: %w", t.name, t.line, err)
	}
	if b == '\n' && t.last != '\r' || b == '\r' {
		t.line++
	}
	t.last = b
	if b == 0 {
		return 0, t.refuse("a NUL byte; this is no text file, or a damaged one")
	}
	return b, nil
}

// tag reads a name and whatever follows it up to the closing bracket.
func (t *tokenizer) tag() (name string, selfClosed bool, err error) {
	t.text = t.text[:0]
	for {
		b, err := t.read()
		if errors.Is(err, io.EOF) {
			return "", false, t.refuse("the file ends inside a tag; was it cut?")
		}
		if err != nil {
			return "", false, err
		}
		if b == '>' {
			break
		}
		if t.text = append(t.text, b); len(t.text) > mostSkip {
			return "", false, t.refuse(fmt.Sprintf("a tag of more than %d bytes; is this the right file?", mostSkip))
		}
	}
	text, selfClosed := bytes.CutSuffix(t.text, []byte("/"))
	if i := bytes.IndexAny(text, " \t\r\n"); i >= 0 {
		text = text[:i]
	}
	if i := bytes.LastIndexByte(text, ':'); i >= 0 {
		text = text[i+1:]
	}
	return strings.ToUpper(string(text)), selfClosed, nil
}

// value reads the text up to the next tag, decoded, with its blanks made single.
func (t *tokenizer) value() (string, error) {
	t.skipped = 0
	value := t.buf[:0]
	defer func() { t.buf = value[:0] }()
	for {
		next, err := t.in.Peek(2)
		if len(next) == 0 {
			if errors.Is(err, io.EOF) {
				break
			}
			return "", fmt.Errorf("%s:%d: read: %w", t.name, t.line, err)
		}
		if next[0] == '<' && len(next) == 2 {
			if next[1] == '!' || next[1] == '?' {
				if value, err = t.declaration(value); err != nil {
					return "", err
				}
				continue
			}
			if t.atTag() {
				break
			}
		}
		b, err := t.read()
		if err != nil {
			return "", err
		}
		if value = append(value, b); len(value) > mostValue {
			return "", t.refuse(fmt.Sprintf("a value of more than %d bytes; is this the right file?", mostValue))
		}
	}
	return unescape(singleBlanks(t.decoder.String(value))), nil
}

// singleBlanks makes runs of blanks single. Most values have none.
func singleBlanks(s string) string {
	s = strings.TrimSpace(s)
	if strings.Contains(s, "  ") || strings.ContainsAny(s, "\t\r\n\u00a0") {
		return strings.Join(strings.Fields(s), " ")
	}
	return s
}

// atTag reports whether what comes next is a tag: a bracket, a slash perhaps, and a name up to a bracket. Banks
// put addresses and comparisons into their texts, so only the root may have attributes.
func (t *tokenizer) atTag() bool {
	head, _ := t.in.Peek(mostName)
	head = bytes.TrimPrefix(head[1:], []byte("/"))
	for i, b := range head {
		switch {
		case 'A' <= b && b <= 'Z', 'a' <= b && b <= 'z':
		case i > 0 && ('0' <= b && b <= '9' || b == '.' || b == '_' || b == '-' || b == ':' && i < len("xmlns")):
		default:
			return i > 0 && (b == '>' || b == '/' || strings.EqualFold(string(head[:i]), "OFX") && (b <= ' ' || b == ':'))
		}
	}
	return false
}

// declaration skips a comment, a declaration or an instruction, and appends what a CDATA section holds.
// Entities are never declared by it, so there are none to expand.
func (t *tokenizer) declaration(value []byte) ([]byte, error) {
	const cdata = "<![CDATA["
	start, end := 1, ">"
	head, _ := t.in.Peek(len(cdata))
	switch {
	case string(head) == cdata:
		start, end = len(cdata), "]]>"
	case bytes.HasPrefix(head, []byte("<!--")):
		end = "-->"
	case bytes.HasPrefix(head, []byte("<?")):
		end = "?>"
	}
	for range start {
		_, _ = t.read()
	}
	t.text = t.text[:0]
	for !bytes.HasSuffix(t.text, []byte(end)) {
		b, err := t.read()
		if errors.Is(err, io.EOF) {
			return nil, t.refuse("the file ends inside a comment or declaration; was it cut?")
		}
		if err != nil {
			return nil, err
		}
		if t.skipped++; t.skipped > mostSkip {
			return nil, t.refuse(fmt.Sprintf("comments or declarations of more than %d bytes; is this the right file?", mostSkip))
		}
		t.text = append(t.text, b)
	}
	body := t.text[:len(t.text)-len(end)]
	if end == "]]>" {
		if len(value)+len(body) > mostValue {
			return nil, t.refuse(fmt.Sprintf("a value of more than %d bytes; is this the right file?", mostValue))
		}
		return append(value, body...), nil
	}
	if i := bytes.Index(body, []byte("encoding=")); i >= 0 && bytes.HasPrefix(body, []byte("?xml")) {
		name, _, _ := bytes.Cut(bytes.TrimLeft(body[i+len("encoding="):], `"'`), body[i+len("encoding="):][:1])
		t.encoded = string(name)
	}
	return value, nil
}

func (t *tokenizer) refuse(reason string) error {
	return &tabular.FileError{File: t.name, Line: t.line, Reason: reason}
}

// entities are those of XML and the one that banks use beside them.
var entities = map[string]string{"amp": "&", "lt": "<", "gt": ">", "quot": `"`, "apos": "'", "nbsp": " "}

// unescape replaces entities. An ampersand that begins none stays one.
func unescape(s string) string {
	if !strings.Contains(s, "&") {
		return s
	}
	const longest = 10
	var b strings.Builder
	for {
		i := strings.IndexByte(s, '&')
		if i < 0 {
			b.WriteString(s)
			return b.String()
		}
		b.WriteString(s[:i])
		s = s[i+1:]
		end := strings.IndexByte(s[:min(len(s), longest)], ';')
		if end < 0 {
			b.WriteByte('&')
			continue
		}
		if text, ok := entity(s[:end]); ok {
			b.WriteString(text)
			s = s[end+1:]
			continue
		}
		b.WriteByte('&')
	}
}

func entity(name string) (string, bool) {
	if text, ok := entities[strings.ToLower(name)]; ok {
		return text, true
	}
	digits, numeric := strings.CutPrefix(name, "#")
	if !numeric {
		return "", false
	}
	base := 10
	if hex, ok := strings.CutPrefix(strings.ToLower(digits), "x"); ok {
		digits, base = hex, 16
	}
	n, err := strconv.ParseUint(digits, base, 21)
	if err != nil || n < ' ' {
		return "", false
	}
	return string(rune(n)), true
}
