package camt

import (
	"bufio"
	"errors"
	"io"
	"regexp"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"

	"agentrecon/ledger/lines"
)

var encodingDeclaration = regexp.MustCompile(`^\s*<\?xml\b[^>]*\bencoding\s*=\s*["']([^"']*)["']`)

// decode returns the file in UTF-8, whatever a byte order mark, the person or the XML declaration say that
// it is. The fixer, if there is one, tells how far a file that claims UTF-8 is none.
func decode(r io.Reader, override string) (io.Reader, *fixer, error) {
	const enoughToTell = 1024
	buffered := bufio.NewReader(lines.Unmark(r))
	head, err := buffered.Peek(enoughToTell)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, nil, err
	}
	label := override
	if m := encodingDeclaration.FindSubmatch(head); m != nil && label == "" {
		label = string(m[1])
	}
	if strings.HasPrefix(strings.ToLower(label), "utf-16") {
		label = "" // it was decoded by its byte order, or the declaration could not have been read
	}
	encoding, err := lines.Encoding(label)
	if err != nil {
		return nil, nil, refusal("%v", err)
	}
	if encoding != nil {
		return encoding.NewDecoder().Reader(buffered), nil, nil
	}
	fix := &fixer{r: buffered}
	return fix, fix, nil
}

// fixer reads UTF-8, and what is none of it as Windows-1252.
type fixer struct {
	r       io.Reader
	in      []byte // read and not yet looked at: at most a cut-off rune
	out     []byte // ready
	err     error
	foreign int64
	buf     [16 << 10]byte
}

func (f *fixer) Read(p []byte) (int, error) {
	for len(f.out) == 0 {
		if f.err != nil {
			return 0, f.err
		}
		n := copy(f.buf[:], f.in)
		var m int
		m, f.err = f.r.Read(f.buf[n:])
		f.settle(f.buf[:n+m])
	}
	n := copy(p, f.out)
	f.out = f.out[n:]
	return n, nil
}

// settle makes chunk readable, except for a rune cut off at its end, which the next read completes.
func (f *fixer) settle(chunk []byte) {
	end := len(chunk)
	if f.err == nil {
		end = wholeRunes(chunk)
	}
	f.in = append(f.in[:0], chunk[end:]...)
	if chunk = chunk[:end]; utf8.Valid(chunk) {
		f.out = chunk
		return
	}
	fixed := make([]byte, 0, len(chunk)+len(chunk)/2)
	for len(chunk) > 0 {
		r, size := utf8.DecodeRune(chunk)
		if r == utf8.RuneError && size == 1 {
			f.foreign++
			r = charmap.Windows1252.DecodeByte(chunk[0])
		}
		fixed = utf8.AppendRune(fixed, r)
		chunk = chunk[size:]
	}
	f.out = fixed
}

// wholeRunes is the length of chunk without a rune that is cut off at its end.
func wholeRunes(chunk []byte) int {
	for i := 1; i <= utf8.UTFMax-1 && i <= len(chunk); i++ {
		at := len(chunk) - i
		if utf8.RuneStart(chunk[at]) {
			if !utf8.FullRune(chunk[at:]) {
				return at
			}
			break
		}
	}
	return len(chunk)
}
