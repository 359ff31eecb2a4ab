package sql

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"

	"agentrecon/ledger"
)

// errCopyEnded is what a source sees when the server has ended the COPY; the reason is the COPY's own error.
var errCopyEnded = errors.New("copy ended")

// errSourceFailed is what the server hears when a source fails; the reason is the source's own error.
var errSourceFailed = errors.New("the source failed")

// copyIn streams rows into a table by binary COPY. read writes them, one [rowWriter.row] after the other.
func copyIn(ctx context.Context, conn *pgx.Conn, table string, columns []string, read func(*rowWriter) error) error {
	return copyAs(ctx, conn, copyStatement(table, columns, ""), len(columns), read)
}

// copyInFrozen is copyIn into a table that the transaction has emptied, whose rows become visible to everybody with it.
func copyInFrozen(ctx context.Context, conn *pgx.Conn, table string, columns []string, read func(*rowWriter) error) error {
	return copyAs(ctx, conn, copyStatement(table, columns, ", FREEZE"), len(columns), read)
}

func copyAs(ctx context.Context, conn *pgx.Conn, statement string, columns int, read func(*rowWriter) error) error {
	pr, pw := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		_, err := conn.PgConn().CopyFrom(ctx, pr, statement)
		_ = pr.CloseWithError(errCopyEnded) // never fails
		ended <- err
	}()
	w := newRowWriter(pw, columns)
	err := read(w)
	if err == nil {
		err = w.finish()
	}
	if err != nil {
		// The driver sends the text of an error to the server, which drops a connection that sends more than 10,000 bytes
		// of it; a list of bad rows is longer.
		_ = pw.CloseWithError(errSourceFailed) // never fails
	} else {
		_ = pw.Close() // never fails
	}
	copyErr := <-ended
	if err != nil && !errors.Is(err, errCopyEnded) {
		return err
	}
	return copyErr
}

func copyStatement(table string, columns []string, further string) string {
	return "COPY " + table + " (" + strings.Join(columns, ", ") + ") FROM STDIN (FORMAT binary" + further + ")"
}

// PostgreSQL's binary COPY: a signature, two words of flags, then rows; a row is its number of fields, a field its
// length and bytes. Moments are microseconds since 2000, dates days since 2000.
const (
	copySignature = "PGCOPY\n\xff\r\n\x00"
	copyTrailer   = 0xffff
	copyChunk     = 64 << 10
	nullField     = 0xffffffff
)

var pgEpoch = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

var pgEpochDate = ledger.NewDate(2000, 1, 1)

// rowWriter encodes rows for COPY. Empty strings, zero times and zero dates become NULL. The first text that
// PostgreSQL cannot hold is kept as an error.
type rowWriter struct {
	w      io.Writer
	buf    []byte
	fields int
	rows   int64
	// flushed, if there is one, is told the number of rows so far, whenever some have been sent.
	flushed func(rows int64)
	bad     string // the text that cannot be stored
}

func newRowWriter(w io.Writer, fields int) *rowWriter {
	r := &rowWriter{w: w, fields: fields, buf: make([]byte, 0, copyChunk+copyChunk/4)}
	r.buf = append(r.buf, copySignature...)
	r.buf = append(r.buf, make([]byte, 8)...)
	return r
}

// row begins a row. The fields follow in the order of the columns.
func (r *rowWriter) row() error {
	if len(r.buf) >= copyChunk {
		if err := r.flush(); err != nil {
			return err
		}
	}
	r.buf = binary.BigEndian.AppendUint16(r.buf, uint16(r.fields))
	r.rows++
	return nil
}

func (r *rowWriter) flush() error {
	_, err := r.w.Write(r.buf)
	r.buf = r.buf[:0]
	if r.flushed != nil {
		r.flushed(r.rows)
	}
	return err
}

func (r *rowWriter) finish() error {
	r.buf = binary.BigEndian.AppendUint16(r.buf, copyTrailer)
	return r.flush()
}

func (r *rowWriter) null() { r.buf = binary.BigEndian.AppendUint32(r.buf, nullField) }

func (r *rowWriter) text(s string) {
	if s == "" {
		r.null()
		return
	}
	r.given(s)
}

// given writes a text that is not NULL when empty.
func (r *rowWriter) given(s string) {
	if r.bad == "" && (!utf8.ValidString(s) || strings.IndexByte(s, 0) >= 0) {
		r.bad = s
	}
	r.buf = binary.BigEndian.AppendUint32(r.buf, uint32(len(s)))
	r.buf = append(r.buf, s...)
}

func (r *rowWriter) int8(n int64) {
	r.buf = binary.BigEndian.AppendUint32(r.buf, 8)
	r.buf = binary.BigEndian.AppendUint64(r.buf, uint64(n))
}

func (r *rowWriter) int4(n int) {
	r.buf = binary.BigEndian.AppendUint32(r.buf, 4)
	r.buf = binary.BigEndian.AppendUint32(r.buf, uint32(int32(n)))
}

func (r *rowWriter) int2(n int) {
	r.buf = binary.BigEndian.AppendUint32(r.buf, 2)
	r.buf = binary.BigEndian.AppendUint16(r.buf, uint16(int16(n)))
}

func (r *rowWriter) bool(b bool) {
	r.buf = binary.BigEndian.AppendUint32(r.buf, 1)
	if b {
		r.buf = append(r.buf, 1)
	} else {
		r.buf = append(r.buf, 0)
	}
}

func (r *rowWriter) optional(o ledger.Optional) {
	if !o.Given {
		r.null()
		return
	}
	r.int8(o.Minor)
}

func (r *rowWriter) time(t time.Time) {
	if t.IsZero() {
		r.null()
		return
	}
	r.int8(t.UnixMicro() - pgEpoch.UnixMicro())
}

func (r *rowWriter) date(d ledger.Date) {
	if d.IsZero() {
		r.null()
		return
	}
	r.int4(int(d - pgEpochDate))
}

// interval writes a duration as microseconds, so that 24h stays 24 hours and no day.
func (r *rowWriter) interval(d time.Duration) {
	r.buf = binary.BigEndian.AppendUint32(r.buf, 16)
	r.buf = binary.BigEndian.AppendUint64(r.buf, uint64(d.Microseconds()))
	r.buf = append(r.buf, make([]byte, 8)...) // days and months
}

// textOID is the type of the elements of a text array.
const textOID = 25

func (r *rowWriter) texts(list []string) {
	size := 12
	if len(list) > 0 {
		size = 20
	}
	for _, s := range list {
		size += 4 + len(s)
	}
	r.buf = binary.BigEndian.AppendUint32(r.buf, uint32(size))
	dimensions := uint32(min(1, len(list)))
	r.buf = binary.BigEndian.AppendUint32(r.buf, dimensions)
	r.buf = binary.BigEndian.AppendUint32(r.buf, 0) // no NULLs
	r.buf = binary.BigEndian.AppendUint32(r.buf, textOID)
	if len(list) > 0 {
		r.buf = binary.BigEndian.AppendUint32(r.buf, uint32(len(list)))
		r.buf = binary.BigEndian.AppendUint32(r.buf, 1) // lower bound
	}
	for _, s := range list {
		r.given(s)
	}
}

// int8OID is the type of the elements of an array of bigint.
const int8OID = 20

func (r *rowWriter) int8s(list []int64) {
	size := 12
	if len(list) > 0 {
		size = 20 + 12*len(list)
	}
	r.buf = binary.BigEndian.AppendUint32(r.buf, uint32(size))
	r.buf = binary.BigEndian.AppendUint32(r.buf, uint32(min(1, len(list)))) // dimensions
	r.buf = binary.BigEndian.AppendUint32(r.buf, 0)                         // no NULLs
	r.buf = binary.BigEndian.AppendUint32(r.buf, int8OID)
	if len(list) > 0 {
		r.buf = binary.BigEndian.AppendUint32(r.buf, uint32(len(list)))
		r.buf = binary.BigEndian.AppendUint32(r.buf, 1) // lower bound
	}
	for _, n := range list {
		r.int8(n)
	}
}
