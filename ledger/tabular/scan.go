package tabular

import (
	"errors"
	"io"

	"agentrecon/ledger"
)

// mostBadRows is how many bad rows are counted before reading stops.
const mostBadRows = 10_000

// End is what is known of a file once it was read to its end.
type End struct {
	Format string // CSV or JSONL
	SHA256 string // lower-case hex, of all its bytes
	Rows   int64  // data rows
}

// Scan reads a file to its end and hands every readable row to each, which may blame the row by returning
// its [Row.Err] or another [*ledger.RowError]; any other error stops the reading and is returned as it is.
//
// If any row was bad, Scan returns a [*ledger.BadRows] of the first [ledger.MaxBadRows]. Rows after a bad
// one were handed on nevertheless, so the caller must be able to take all of them back.
func Scan(name string, r io.Reader, options Options, each func(*Row) error) (End, error) {
	reader, err := NewReader(name, r, options)
	if err != nil {
		return End{}, err
	}
	return reader.Scan(each)
}

// Scan reads the rest of the file; see the function [Scan].
func (r *Reader) Scan(each func(*Row) error) (End, error) {
	bad := &ledger.BadRows{File: r.name}
	for bad.Total < mostBadRows {
		row, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil {
			if err = each(row); err == nil {
				continue
			}
		}
		var fault *ledger.RowError
		if !errors.As(err, &fault) {
			return End{}, withBad(err, bad)
		}
		if bad.Total++; len(bad.Rows) < ledger.MaxBadRows {
			bad.Rows = append(bad.Rows, fault)
		}
	}
	if bad.Total > 0 {
		return End{}, bad
	}
	return End{Format: r.format, SHA256: r.SHA256(), Rows: r.rows}, nil
}

// withBad adds the bad rows met before a file broke off, which are often its cause.
func withBad(err error, bad *ledger.BadRows) error {
	var file *FileError
	if bad.Total == 0 || !errors.As(err, &file) {
		return err
	}
	return errors.Join(err, bad)
}
