package ledgertest

import (
	"runtime"
	"strings"
	"testing"
	"unicode/utf16"

	"agentrecon/ledger"
)

// UTF16 is a text in UTF-16, little endian, with its mark.
func UTF16(text string) string {
	b := []byte{0xff, 0xfe}
	for _, u := range utf16.Encode([]rune(text)) {
		b = append(b, byte(u), byte(u>>8))
	}
	return string(b)
}

// Latin1 is a text of the first 256 characters in ISO 8859-1.
func Latin1(text string) string {
	b := make([]byte, 0, len(text))
	for _, r := range text {
		b = append(b, byte(r))
	}
	return string(b)
}

// Endless is a file that begins with a head and goes on with one piece without end.
type Endless struct {
	Head, Piece string

	rest  string
	begun bool
	given int64
}

// Read gives as much as is asked for.
func (r *Endless) Read(p []byte) (int, error) {
	if !r.begun {
		r.begun, r.rest = true, r.Head
	}
	n := 0
	for n < len(p) {
		if r.rest == "" {
			r.rest = strings.Repeat(r.Piece, 1+4096/len(r.Piece))
		}
		m := copy(p[n:], r.rest)
		r.rest, n = r.rest[m:], n+m
	}
	r.given += int64(n)
	return n, nil
}

// MustBeRefused fails the test unless a reader refuses the file before it has read or allocated much. The race
// detector takes most of what is allocated.
func (r *Endless) MustBeRefused(t *testing.T, read ledger.ReadFunc) {
	t.Helper()
	const mostRead, mostAllocated = 12 << 20, 640 << 20
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := read("f", r, ledger.ReadOptions{}, func(*ledger.Entry) error { return nil })
	runtime.ReadMemStats(&after)
	if err == nil || !strings.HasPrefix(err.Error(), "f") || strings.Contains(err.Error(), "read:") {
		t.Errorf("got %v, want a refusal", err)
	}
	if allocated := after.TotalAlloc - before.TotalAlloc; r.given > mostRead || allocated > mostAllocated {
		t.Errorf("%d bytes read, %d allocated before: %v", r.given, allocated, err)
	}
}

// hostile are pieces that have upset readers: letters whose capitals have another length, halves of letters, NULs,
// marks that formats cut texts at, and numbers beyond any amount.
var hostile = []string{
	strings.Repeat("\u0250", 20), "\u0130", "\u212a\u017f", "\x00", "\xff", "\xc3", "\ufeff", "\r", "\n\n", " ", "\t", "\U0001F600",
	"99999999999999999999", "-", "+", ",", ".", "/", "//", ":", "<", ">", "&", "&#0;", ";", "]]>", "<!--", "\"", "'", "=", "{", "}", "@@", "XXX", "JPY", "?", "%",
}

// Insert puts hostile pieces into a text, beside what stands there and in its place, each piece at every seventh
// place and another at the next, and holds the reader to what [Fuzz] asks of it.
func Insert(t *testing.T, read ledger.ReadFunc, text string) {
	t.Helper()
	const places = 7
	for at := range len(text) + 1 {
		for i := at % places; i < len(hostile); i += places {
			piece := hostile[i]
			for _, drop := range []int{0, len(piece)} {
				changed := text[:at] + piece + text[min(len(text), at+drop):]
				Fuzz(t, read, []byte(changed))
				if t.Failed() {
					t.Fatalf("the file was %q", changed)
				}
			}
		}
	}
}
