package jsonprofile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"agentrecon/ledger/tabular"
)

// Limits of a document.
const (
	maxDepth = 64
	maxItem  = 4 << 20 // bytes
	maxKeys  = 2000    // values of one item
)

// item is one object with the place it stands at.
type item struct {
	path string // of the list or of the object itself, without numbers of elements
	list bool   // it stands in a list
	line int
	// values by path, in order of appearance
	names []string
	texts []string
	kinds []byte // 's' text, 'n' number, 'b' true or false
}

// add keeps a value. No store can keep a NUL, so it becomes the sign for a lost character.
func (it *item) add(name, text string, kind byte) {
	if len(it.names) < maxKeys {
		text = strings.ReplaceAll(text, "\x00", "\ufffd")
		it.names, it.texts, it.kinds = append(it.names, name), append(it.texts, text), append(it.kinds, kind)
	}
}

// stop ends a walk without an error.
var errStop = errors.New("enough")

// walker goes through the documents of a file and hands over every object of every list, and every object that
// stands in no list with the values directly in it and below it.
type walker struct {
	name  string
	in    *counter
	d     *json.Decoder
	visit visitor
}

// visitor takes an item and reports whether it was an entry. What is inside an entry is not looked at.
type visitor func(*item) (taken bool, err error)

func newWalker(name string, r io.Reader, visit visitor) *walker {
	in := &counter{r: r}
	d := json.NewDecoder(in)
	d.UseNumber()
	return &walker{name: name, in: in, d: d, visit: visit}
}

// walk goes through the file to its end, or until the visitor has enough.
func (w *walker) walk() error {
	for {
		t, err := w.d.Token()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			_, err = w.value(t, "", 0)
		}
		if errors.Is(err, errStop) {
			return nil
		}
		if err != nil {
			return w.explain(err)
		}
	}
}

// explain says where a document is no JSON.
func (w *walker) explain(err error) error {
	var syntax *json.SyntaxError
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF):
		return &tabular.FileError{File: w.name, Line: w.line(), Reason: "the document ends in its midst; was the file cut?"}
	case errors.As(err, &syntax):
		return &tabular.FileError{File: w.name, Line: w.line(), Reason: "no valid JSON: " + syntax.Error()}
	}
	return err
}

func (w *walker) line() int { return w.in.lineAt(w.d.InputOffset()) }

// value goes through the value that a token begins. It returns what it held if that was an object.
func (w *walker) value(t json.Token, path string, depth int) (*item, error) {
	if depth > maxDepth {
		return nil, &tabular.FileError{File: w.name, Line: w.line(), Reason: fmt.Sprintf("lists and objects nested more than %d deep; is this the right file?", maxDepth)}
	}
	switch t {
	case json.Delim('{'):
		return w.object(path, depth)
	case json.Delim('['):
		return nil, w.list(path, depth)
	}
	return nil, nil
}

// object goes through an object that is no element of a list, key by key, since it may hold all there is.
func (w *walker) object(path string, depth int) (*item, error) {
	it := &item{path: path, line: w.line()}
	for w.d.More() {
		t, err := w.d.Token()
		if err != nil {
			return nil, err
		}
		key, _ := t.(string)
		if t, err = w.d.Token(); err != nil {
			return nil, err
		}
		if _, ok := t.(json.Delim); !ok {
			it.scalar(strings.ToLower(key), t)
			continue
		}
		inner, err := w.value(t, join(path, key), depth+1)
		if err != nil {
			return nil, err
		}
		if inner != nil {
			for i, name := range inner.names {
				it.add(strings.ToLower(key)+"."+name, inner.texts[i], inner.kinds[i])
			}
		}
	}
	if _, err := w.d.Token(); err != nil {
		return nil, err
	}
	_, err := w.visit(it)
	return it, err
}

// list goes through a list. Its objects are read one at a time.
func (w *walker) list(path string, depth int) error {
	for w.d.More() {
		before := w.line()
		w.in.left = maxItem + w.d.InputOffset()
		var raw json.RawMessage
		if err := w.d.Decode(&raw); err != nil {
			if errors.Is(err, errItem) {
				return &tabular.FileError{File: w.name, Line: before, Reason: fmt.Sprintf("an item of more than %d bytes; is this the right file?", maxItem)}
			}
			return err
		}
		w.in.left = 0
		line := w.in.lineAt(w.d.InputOffset() - int64(len(raw)) + 1)
		if err := w.element(raw, path, line, depth); err != nil {
			return err
		}
	}
	_, err := w.d.Token()
	return err
}

// element takes an element of a list: an object, or a list in it. An object whose one value is an object, as the
// nodes of GraphQL, is that one.
func (w *walker) element(raw json.RawMessage, path string, line, depth int) error {
	var inside []*item
	inner := newWalker(w.name, bytes.NewReader(raw), func(it *item) (bool, error) {
		if it.list {
			inside = append(inside, it)
		}
		return true, nil
	})
	t, err := inner.d.Token()
	if err != nil {
		return err
	}
	it, err := inner.value(t, "", depth+1)
	if err != nil {
		return err
	}
	taken := false
	if it != nil {
		it.unwrap()
		it.list, it.path, it.line = true, path, line
		if taken, err = w.visit(it); err != nil {
			return err
		}
	}
	for _, deeper := range inside {
		if taken {
			break
		}
		deeper.path, deeper.line = join(path, deeper.path), deeper.line+line-1
		if _, err := w.visit(deeper); err != nil {
			return err
		}
	}
	return nil
}

// unwrap takes the values of a node for those of the item, if it has nothing else.
func (it *item) unwrap() {
	const node = "node."
	for _, name := range it.names {
		if !strings.HasPrefix(name, node) && name != "cursor" {
			return
		}
	}
	for i, name := range it.names {
		it.names[i] = strings.TrimPrefix(name, node)
	}
}

// scalar keeps a value that is neither list nor object; null is none.
func (it *item) scalar(name string, t json.Token) {
	switch v := t.(type) {
	case string:
		it.add(name, v, 's')
	case json.Number:
		it.add(name, v.String(), 'n')
	case bool:
		it.add(name, fmt.Sprint(v), 'b')
	}
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

var errItem = errors.New("item too large")

// counter counts lines, and refuses to read further than an item may reach.
type counter struct {
	r     io.Reader
	at    int64
	left  int64   // where reading must stop, 0 for nowhere
	ends  []int64 // offsets of line ends that were not passed yet
	lines int     // line ends that were
}

func (c *counter) Read(p []byte) (int, error) {
	const ahead = 64 << 10 // what a decoder reads beyond what it was asked for
	if c.left > 0 && c.at > c.left+ahead {
		return 0, errItem
	}
	n, err := c.r.Read(p[:min(len(p), ahead)])
	for i, b := range p[:n] {
		if b == '\n' {
			c.ends = append(c.ends, c.at+int64(i))
		}
	}
	c.at += int64(n)
	return n, err
}

// lineAt is the line of an offset, from 1. Offsets must not go back.
func (c *counter) lineAt(offset int64) int {
	n := 0
	for n < len(c.ends) && c.ends[n] < offset {
		n++
	}
	c.lines += n
	c.ends = c.ends[n:]
	return c.lines + 1
}
