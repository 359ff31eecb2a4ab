package camt

import (
	"bytes"
	"cmp"
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
	scan    *scanner
	names   map[string]string // local name as written → lower case
	written map[string]string // lower case → as written, for messages
	stack   []string          // open elements, lower case
	path    []byte            // the stack below base, joined by slashes
	base    int               // how many elements of the stack are not in path

	text  []byte // of the element that is open, until it has a child
	leaf  bool   // the element that is open has no child
	attrs []byte // of the element that began last, as written
	empty bool   // it ends where it began

	values map[string]string // of attributes, which repeat themselves
}

// What a step of the walk came to.
type step int

const (
	opened step = iota // an element begins: its name is the last of the stack
	closed             // an element ends and is still the last of the stack; drop removes it
)

var errTooLong = errors.New("too long")

func newTokens(r io.Reader) *tokens {
	return &tokens{
		scan: newScanner(r), names: make(map[string]string), written: make(map[string]string), values: make(map[string]string),
	}
}

// next walks to where the next element begins or ends. It returns io.EOF at the end of a whole document.
func (t *tokens) next() (step, error) {
	// <a/> is an element that begins and ends.
	if t.empty {
		t.empty = false
		return closed, nil
	}
	for {
		kind, body, err := t.scan.next()
		if err != nil {
			return 0, t.explain(err)
		}
		switch kind {
		case startTag, emptyTag:
			t.empty = kind == emptyTag
			return opened, t.push(body)
		case endTag:
			return closed, t.pop(body)
		case someText:
			if !t.leaf {
				continue // blanks between elements, or text that no statement has there
			}
			if len(t.text)+len(body) > maxText {
				return 0, refusal("a text longer than %d bytes; is this a bank statement?", maxText)
			}
			t.text = append(t.text, body...)
		}
	}
}

// pop checks that the element that ends is the one that is open.
func (t *tokens) pop(body []byte) error {
	name, rest, err := tagName(body)
	if err != nil {
		return err
	}
	if len(t.stack) == 0 || t.stack[len(t.stack)-1] != t.local(name) || len(bytes.TrimSpace(rest)) > 0 {
		return refusal("the element %s is closed but %s is open; the file is damaged", name, t.shown(t.innermost()))
	}
	return nil
}

func (t *tokens) push(body []byte) error {
	if len(t.stack) == maxDepth {
		return refusal("elements nested deeper than %d; is this a bank statement?", maxDepth)
	}
	if len(t.names) > maxNames {
		return refusal("more than %d different elements; is this a bank statement?", maxNames)
	}
	local, attributes, err := tagName(body)
	if err != nil {
		return err
	}
	if err := eachAttribute(attributes, func(_, _ []byte) {}); err != nil {
		return err
	}
	name := t.local(local)
	if len(t.stack) >= t.base {
		if len(t.path) > 0 {
			t.path = append(t.path, '/')
		}
		t.path = append(t.path, name...)
	}
	t.stack = append(t.stack, name)
	t.text, t.leaf, t.attrs = t.text[:0], true, append(t.attrs[:0], attributes...)
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
	found := ""
	_ = eachAttribute(t.attrs, func(n, v []byte) { // checked by push
		if strings.EqualFold(string(n), name) {
			found = t.kept(bytes.TrimSpace(attributeValue(v)))
		}
	})
	return found
}

// kept is a string that is the same one for the same bytes, so that a million currencies are a few.
func (t *tokens) kept(b []byte) string {
	if s, ok := t.values[string(b)]; ok {
		return s
	}
	s := string(b)
	if len(s) <= 64 && len(t.values) < maxNames {
		t.values[s] = s
	}
	return s
}

// line is where the reader stands, from 1.
func (t *tokens) line() int { return t.scan.line }

func (t *tokens) local(name []byte) string {
	lower, ok := t.names[string(name)]
	if !ok {
		lower = strings.ToLower(string(name))
		t.names[string(name)], t.written[lower] = lower, string(name)
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

// explain turns what the scanner says into what a person can act on.
func (t *tokens) explain(err error) error {
	switch {
	case errors.Is(err, errTooLong):
		return refusal("a single tag, text or comment longer than %d bytes; is this a bank statement?", maxToken)
	case errors.Is(err, errEnd) && len(t.stack) == 0 && t.scan.pos == t.scan.end:
		return io.EOF
	case errors.Is(err, errEnd), errors.Is(err, io.ErrUnexpectedEOF):
		return refusal("the file ends inside the element %s: it was cut off; download it again", t.shown(t.innermost()))
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
