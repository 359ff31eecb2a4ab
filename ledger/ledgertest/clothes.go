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
