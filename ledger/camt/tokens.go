package camt

import (
	"cmp"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Limits of what a file may make the reader hold. Real statements stay far below them.
const (
	maxDepth = 64      // camt itself needs 15
	maxToken = 1 << 20 // bytes of one tag, text or comment
	maxText  = 64 << 10
	maxNames = 10_000 // different element names
)

// tokens walks the elements of a document. It does not resolve namespaces: only local names count. A DTD is
// refused, so that there are no entities to expand.
type tokens struct {
	decoder *xml.Decoder
	budget  *budget
	names   map[string]string // local name as written → lower case
	written map[string]string // lower case → as written, for messages
	stack   []string          // open elements, lower case
	path    []byte            // the stack below base, joined by slashes
	base    int               // how many elements of the stack are not in path

	text  []byte // of the element that is open, until it has a child
	leaf  bool   // the element that is open has no child
	attrs []xml.Attr
}

// What a step of the walk came to.
type step int

const (
	opened step = iota // an element begins: its name is the last of the stack
	closed             // an element ends and is still the last of the stack; drop removes it
)

var errTooLong = errors.New("too long")

func newTokens(r io.Reader) *tokens {
	b := &budget{r: r, left: maxToken}
	d := xml.NewDecoder(b)
	// The bytes were decoded before; the declaration is about what they were.
	d.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil }
	return &tokens{decoder: d, budget: b, names: make(map[string]string), written: make(map[string]string)}
}

// budget ends the reading when a single token asks for too much.
type budget struct {
	r    io.Reader
	left int
}

func (b *budget) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errTooLong
	}
	n, err := b.r.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}

// next walks to where the next element begins or ends. It returns io.EOF at the end of a whole document.
func (t *tokens) next() (step, error) {
	for {
		t.budget.left = maxToken
		token, err := t.decoder.RawToken()
		if err != nil {
			return 0, t.explain(err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			return opened, t.push(token)
		case xml.EndElement:
			name := t.local(token.Name.Local)
			if len(t.stack) == 0 || t.stack[len(t.stack)-1] != name {
				return 0, refusal("the element %s is closed but %s is open; the file is damaged", token.Name.Local, t.shown(t.innermost()))
			}
			return closed, nil
		case xml.CharData:
			if t.leaf {
				if len(t.text)+len(token) > maxText {
					return 0, refusal("a text longer than %d bytes; is this a bank statement?", maxText)
				}
				t.text = append(t.text, token...)
			}
		case xml.Directive:
			if len(token) >= 7 && strings.EqualFold(string(token[:7]), "DOCTYPE") {
				return 0, refusal("a document type definition, which no bank sends; remove it if you trust the file")
			}
		}
	}
}

func (t *tokens) push(e xml.StartElement) error {
	if len(t.stack) == maxDepth {
		return refusal("elements nested deeper than %d; is this a bank statement?", maxDepth)
	}
	if len(t.names) > maxNames {
		return refusal("more than %d different elements; is this a bank statement?", maxNames)
	}
	name := t.local(e.Name.Local)
	if len(t.stack) >= t.base {
		if len(t.path) > 0 {
			t.path = append(t.path, '/')
		}
		t.path = append(t.path, name...)
	}
	t.stack = append(t.stack, name)
	t.text, t.leaf, t.attrs = t.text[:0], true, e.Attr
	return nil
}

// drop removes the element that ended.
func (t *tokens) drop() {
	name := t.stack[len(t.stack)-1]
	t.stack = t.stack[:len(t.stack)-1]
	if len(t.stack) >= t.base {
		t.path = t.path[:max(0, len(t.path)-len(name)-1)]
	}
	t.leaf = false
}

// rebase lets paths begin below the first n elements of the stack.
func (t *tokens) rebase(n int) {
	t.base = n
	t.path = append(t.path[:0], strings.Join(t.stack[min(n, len(t.stack)):], "/")...)
}

// value is the text of the element that ended, without blanks around it.
func (t *tokens) value() string { return strings.TrimSpace(string(t.text)) }

// attr is an attribute of the element that began last.
func (t *tokens) attr(name string) string {
	for _, a := range t.attrs {
		if strings.EqualFold(a.Name.Local, name) {
			return strings.TrimSpace(a.Value)
		}
	}
	return ""
}

// line is where the reader stands, from 1.
func (t *tokens) line() int {
	line, _ := t.decoder.InputPos()
	return line
}

func (t *tokens) local(name string) string {
	lower, ok := t.names[name]
	if !ok {
		lower = strings.ToLower(name)
		t.names[name], t.written[lower] = lower, name
	}
	return lower
}

func (t *tokens) innermost() string {
	if len(t.stack) == 0 {
		return "none"
	}
	return t.stack[len(t.stack)-1]
}

// shown is a name as the file writes it.
func (t *tokens) shown(name string) string { return cmp.Or(t.written[name], name) }

// refused is what ends a file that cannot be read, as opposed to a fault of the disk or the network.
type refused string

func (r refused) Error() string { return string(r) }

func refusal(format string, args ...any) error { return refused(fmt.Sprintf(format, args...)) }

// explain turns what encoding/xml says into what a person can act on.
func (t *tokens) explain(err error) error {
	var syntax *xml.SyntaxError
	switch {
	case errors.Is(err, errTooLong):
		return refusal("a single tag, text or comment longer than %d bytes; is this a bank statement?", maxToken)
	case err == io.EOF && len(t.stack) == 0:
		return io.EOF
	case err == io.EOF, errors.Is(err, io.ErrUnexpectedEOF), errors.As(err, &syntax) && syntax.Msg == "unexpected EOF":
		return refusal("the file ends inside the element %s: it was cut off; download it again", t.shown(t.innermost()))
	case errors.As(err, &syntax):
		return refusal("not well-formed XML: %s; was the file edited by hand?", syntax.Msg)
	default:
		return err
	}
}

// location is the path of the statement that began, as a person would look for it.
func (t *tokens) location(n int) string {
	var b strings.Builder
	for _, name := range t.stack {
		b.WriteString("/" + t.shown(name))
	}
	fmt.Fprintf(&b, "[%d]", n)
	return b.String()
}
