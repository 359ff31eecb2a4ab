package lines

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// Decoder turns bytes of one file into text.
type Decoder struct {
	Guessed bool // some text was not UTF-8 and nobody had said what it is
	Lossy   bool // some text holds U+FFFD: the characters were lost before the file came here

	named encoding.Encoding // nil: UTF-8 or Windows-1252
}

// oldPages are encodings that browsers do not know and banks use.
var oldPages = map[string]encoding.Encoding{
	"cp437": charmap.CodePage437, "cp850": charmap.CodePage850, "cp852": charmap.CodePage852,
	"cp858": charmap.CodePage858, "cp865": charmap.CodePage865,
	"ibm437": charmap.CodePage437, "ibm850": charmap.CodePage850, "ibm852": charmap.CodePage852,
}

// Encoding returns the encoding of a name such as "cp852", "ISO-8859-1" or "windows-1250", in any case. UTF-8
// and the empty name have none.
func Encoding(name string) (encoding.Encoding, error) {
	folded := strings.ToLower(strings.TrimSpace(name))
	switch folded {
	case "", "utf-8", "utf8":
		return nil, nil // no encoding is needed, and nothing is wrong
	}
	if e, ok := oldPages[folded]; ok {
		return e, nil
	}
	e, err := htmlindex.Get(folded)
	if err != nil {
		return nil, fmt.Errorf("unknown encoding %q; known are utf-8, utf-16, windows-1252, iso-8859-1, cp850, cp852 and the like", name)
	}
	return e, nil
}

// NewDecoder returns a decoder for the encoding a person names; an empty name leaves it to the bytes.
func NewDecoder(name string) (*Decoder, error) {
	e, err := Encoding(name)
	return &Decoder{named: e}, err
}

// String decodes one line or value.
func (d *Decoder) String(b []byte) string {
	switch {
	case isASCII(b):
		return string(b)
	case utf8.Valid(b):
		// Text in one of the old encodings is next to never valid UTF-8, so a wrong name does no harm.
		s := string(b)
		d.Lossy = d.Lossy || strings.ContainsRune(s, utf8.RuneError)
		return s
	}
	e := d.named
	if e == nil {
		e, d.Guessed = charmap.Windows1252, true
	}
	decoded, err := e.NewDecoder().Bytes(b)
	if err != nil {
		decoded = bytes.ToValidUTF8(b, []byte("\uFFFD"))
	}
	d.Lossy = d.Lossy || bytes.ContainsRune(decoded, utf8.RuneError)
	return string(decoded)
}

// WarnLost says that a text holds U+FFFD.
const WarnLost = "some characters of the text were lost before (U+FFFD)"

// Warnings says what was odd about the file's text.
func (d *Decoder) Warnings() []string {
	var list []string
	if d.Guessed {
		list = append(list, "the text is not UTF-8 and the file does not say what it is; it was taken for Windows-1252")
	}
	if d.Lossy {
		list = append(list, WarnLost)
	}
	return list
}

func isASCII(b []byte) bool {
	for _, c := range b {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// enoughToTell is how much of a file its width of characters is told from.
const enoughToTell = 512

// Unmark returns the stream in an encoding whose characters are bytes: it removes a byte order mark of
// UTF-8, and turns UTF-16, with a mark or without, into UTF-8.
func Unmark(r io.Reader) io.Reader {
	b := bufio.NewReaderSize(r, bufferSize)
	head, _ := b.Peek(enoughToTell)
	endian := unicode.LittleEndian
	switch {
	case bytes.HasPrefix(head, []byte("\xef\xbb\xbf")):
		_, _ = b.Discard(len("\xef\xbb\xbf"))
		return b
	case bytes.HasPrefix(head, []byte("\xff\xfe")):
	case bytes.HasPrefix(head, []byte("\xfe\xff")):
		endian = unicode.BigEndian
	case len(head) >= 4 && head[0] != 0 && head[1] == 0 && head[2] != 0 && head[3] == 0:
	case len(head) >= 4 && head[0] == 0 && head[1] != 0 && head[2] == 0 && head[3] != 0:
		endian = unicode.BigEndian
	default:
		return b
	}
	return transform.NewReader(b, unicode.UTF16(endian, unicode.UseBOM).NewDecoder())
}

// Name takes over the encoding of another decoder, for files that name theirs after they were begun.
func (d *Decoder) Name(other *Decoder) { d.named = other.named }
