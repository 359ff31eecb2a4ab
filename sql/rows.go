package sql

import (
	"encoding/binary"
	"fmt"
	"time"

	"agentrecon/ledger"
)

// rowReader decodes one row of binary columns, in order. It makes one string of all its bytes, of which the texts are
// parts; short words that come again and again are kept and shared. The first mistake is kept as an error: a column of
// another width means that a statement and its decoder have come apart.
type rowReader struct {
	fields [][]byte
	next   int
	joined string // every field's bytes
	at     int    // of the next field in joined
	buf    []byte
	words  map[string]string
	recent [32]string // the last word of each column: most often the next one too
	err    error
}

// maxWords bounds the words kept; a column that holds more different ones gets a string each.
const maxWords = 4096

func (r *rowReader) reset(fields [][]byte) {
	r.fields, r.next, r.at, r.buf = fields, 0, 0, r.buf[:0]
	for _, f := range fields {
		r.buf = append(r.buf, f...)
	}
	r.joined = string(r.buf)
}

// raw returns the next field, nil if it is NULL. It is good until the next row.
func (r *rowReader) raw() []byte {
	if r.next >= len(r.fields) {
		r.fail("a column too few")
		return nil
	}
	f := r.fields[r.next]
	r.next++
	r.at += len(f)
	return f
}

func (r *rowReader) fail(what string) {
	if r.err == nil {
		r.err = fmt.Errorf("column %d: %s", r.next, what)
	}
}

// text returns a text, empty for NULL.
func (r *rowReader) text() string {
	start := r.at
	if r.raw() == nil {
		return ""
	}
	return r.joined[start:r.at]
}

// word returns a text of which there are few.
func (r *rowReader) word() string {
	column := r.next % len(r.recent)
	f := r.raw()
	if len(f) == 0 {
		return ""
	}
	if r.recent[column] != string(f) {
		r.recent[column] = r.kept(f)
	}
	return r.recent[column]
}

func (r *rowReader) kept(f []byte) string {
	if s, ok := r.words[string(f)]; ok {
		return s
	}
	if r.words == nil {
		r.words = make(map[string]string)
	}
	s := string(f)
	if len(r.words) < maxWords {
		r.words[s] = s
	}
	return s
}

// fixed returns a field of a fixed width, nil for NULL.
func (r *rowReader) fixed(width int) []byte {
	f := r.raw()
	if f != nil && len(f) != width {
		r.fail(fmt.Sprintf("%d bytes, want %d", len(f), width))
		return nil
	}
	return f
}

func (r *rowReader) int8() int64 {
	f := r.fixed(8)
	if f == nil {
		return 0
	}
	return int64(binary.BigEndian.Uint64(f))
}

func (r *rowReader) int4() int32 {
	f := r.fixed(4)
	if f == nil {
		return 0
	}
	return int32(binary.BigEndian.Uint32(f))
}

func (r *rowReader) int2() int16 {
	f := r.fixed(2)
	if f == nil {
		return 0
	}
	return int16(binary.BigEndian.Uint16(f))
}

func (r *rowReader) bool() bool {
	f := r.fixed(1)
	return f != nil && f[0] == 1
}

func (r *rowReader) optional() ledger.Optional {
	f := r.fixed(8)
	if f == nil {
		return ledger.Optional{}
	}
	return ledger.Some(int64(binary.BigEndian.Uint64(f)))
}

// time returns a moment in UTC, zero for NULL.
func (r *rowReader) time() time.Time {
	f := r.fixed(8)
	if f == nil {
		return time.Time{}
	}
	return time.UnixMicro(int64(binary.BigEndian.Uint64(f)) + pgEpoch.UnixMicro()).UTC()
}

func (r *rowReader) date() ledger.Date {
	f := r.fixed(4)
	if f == nil {
		return 0
	}
	return pgEpochDate + ledger.Date(int32(binary.BigEndian.Uint32(f)))
}
