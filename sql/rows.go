package sql

import (
	"encoding/binary"
	"fmt"
	"strings"
	"time"

	"agentrecon/ledger"
)

// rowReader decodes rows of binary columns, in order, from text in which each field stands behind its length, as COPY
// sends them. The texts it returns are parts of that text, so that a million of them are no million allocations; short
// words that come again and again are kept and shared. The first mistake is kept as an error: a column of another width
// means that a statement and its decoder have come apart.
type rowReader struct {
	data   string
	start  int // of the row
	at     int // of the next field
	left   int // columns of the row
	column int
	buf    []byte
	words  map[string]string
	recent [32]string // the last word of each column: most often the next one too
	cut    bool       // the text ends within the row
	err    error
}

// maxWords bounds the words kept; a column that holds more different ones gets a string each.
const maxWords = 4096

// reset begins a row of fields as the driver has them.
func (r *rowReader) reset(fields [][]byte) {
	r.buf = r.buf[:0]
	for _, f := range fields {
		size := uint32(len(f))
		if f == nil {
			size = nullField
		}
		r.buf = append(binary.BigEndian.AppendUint32(r.buf, size), f...)
	}
	r.data, r.at, r.left, r.column = string(r.buf), 0, len(fields), 0
}

// begin begins the next row of text that COPY sent, and reports whether there is one.
func (r *rowReader) begin() bool {
	r.start = r.at
	if len(r.data)-r.at < 2 {
		r.cut = true
		return false
	}
	columns := int16(number(r.data[r.at : r.at+2]))
	r.at, r.left, r.column = r.at+2, int(max(0, columns)), 0
	return columns >= 0
}

// field returns the next field, and whether it is there and not NULL.
func (r *rowReader) field() (f string, given bool) {
	if r.left == 0 {
		r.fail("a column too few")
		return "", false
	}
	r.left--
	r.column++
	if len(r.data)-r.at < 4 {
		r.cut = true
		return "", false
	}
	size := sizeAt(r.data[r.at : r.at+4])
	r.at += 4
	if size == nullField {
		return "", false
	}
	if uint64(len(r.data)-r.at) < uint64(size) {
		r.cut = true
		return "", false
	}
	f = r.data[r.at : r.at+int(size)]
	r.at += int(size)
	return f, true
}

// raw returns the next field, nil if it is NULL.
func (r *rowReader) raw() []byte {
	f, given := r.field()
	if !given {
		return nil
	}
	return []byte(f)
}

// number reads bytes as a number, the highest first.
func number(s string) (n uint64) {
	if len(s) == 8 { // in one instruction
		return uint64(s[7]) | uint64(s[6])<<8 | uint64(s[5])<<16 | uint64(s[4])<<24 | uint64(s[3])<<32 | uint64(s[2])<<40 | uint64(s[1])<<48 | uint64(s[0])<<56
	}
	for i := range len(s) {
		n = n<<8 | uint64(s[i])
	}
	return n
}

// sizeAt reads the length that stands before a field.
func sizeAt(s string) uint32 {
	return uint32(s[3]) | uint32(s[2])<<8 | uint32(s[1])<<16 | uint32(s[0])<<24
}

func (r *rowReader) fail(what string) {
	if r.err == nil {
		r.err = fmt.Errorf("column %d: %s", r.column, what)
	}
}

// text returns a text, empty for NULL.
func (r *rowReader) text() string {
	f, _ := r.field()
	return f
}

// word returns a text of which there are few.
func (r *rowReader) word() string {
	f, _ := r.field()
	if f == "" {
		return ""
	}
	column := r.column % len(r.recent)
	if r.recent[column] != f {
		r.recent[column] = r.kept(f)
	}
	return r.recent[column]
}

func (r *rowReader) kept(f string) string {
	if s, ok := r.words[f]; ok {
		return s
	}
	if r.words == nil {
		r.words = make(map[string]string)
	}
	s := strings.Clone(f)
	if len(r.words) < maxWords {
		r.words[s] = s
	}
	return s
}

// fixed returns a number of a fixed width in bytes.
func (r *rowReader) fixed(width int) (n uint64, given bool) {
	f, given := r.field()
	if !given {
		return 0, false
	}
	if len(f) != width {
		r.fail(fmt.Sprintf("%d bytes, want %d", len(f), width))
		return 0, false
	}
	return number(f), true
}

func (r *rowReader) int8() int64 {
	n, _ := r.fixed(8)
	return int64(n)
}

func (r *rowReader) int4() int32 {
	n, _ := r.fixed(4)
	return int32(n)
}

func (r *rowReader) int2() int16 {
	n, _ := r.fixed(2)
	return int16(n)
}

func (r *rowReader) bool() bool {
	n, _ := r.fixed(1)
	return n == 1
}

func (r *rowReader) optional() ledger.Optional {
	n, given := r.fixed(8)
	return ledger.Optional{Minor: int64(n), Given: given}
}

// time returns a moment in UTC, zero for NULL.
func (r *rowReader) time() time.Time {
	n, given := r.fixed(8)
	if !given {
		return time.Time{}
	}
	return time.UnixMicro(int64(n) + pgEpoch.UnixMicro()).UTC()
}

func (r *rowReader) date() ledger.Date {
	n, given := r.fixed(4)
	if !given {
		return 0
	}
	return pgEpochDate + ledger.Date(int32(n))
}
