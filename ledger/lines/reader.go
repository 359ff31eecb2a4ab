package lines

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"agentrecon/ledger/tabular"
)

// MaxLine bounds a line in bytes.
const MaxLine = 1 << 20

const bufferSize = 64 << 10

// Reader reads the lines of one file.
type Reader struct {
	Decoder *Decoder

	name string
	in   *bufio.Reader
	buf  []byte
	no   int
}

// New reads a file. The name is for messages, charset what a person says of its encoding, or empty.
func New(name string, r io.Reader, charset string) (*Reader, error) {
	d, err := NewDecoder(charset)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return &Reader{Decoder: d, name: name, in: bufio.NewReaderSize(Unmark(r), bufferSize)}, nil
}

// No is the number of the line returned last, from 1.
func (r *Reader) No() int { return r.no }

// Next returns the next line without its end, or io.EOF. Line feed, carriage return, and any run of carriage
// returns before a line feed end a line.
func (r *Reader) Next() (string, error) {
	line, err := r.raw()
	if err != nil {
		return "", err
	}
	line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf")) // joined files have one before each part
	if bytes.IndexByte(line, 0) >= 0 {
		return "", &tabular.FileError{File: r.name, Line: r.no, Reason: "a NUL byte; this is no text file, or a damaged one"}
	}
	return r.Decoder.String(line), nil
}

func (r *Reader) raw() ([]byte, error) {
	r.buf = r.buf[:0]
	r.no++
	for {
		_, err := r.in.Peek(1)
		chunk, _ := r.in.Peek(r.in.Buffered())
		if len(chunk) == 0 {
			if errors.Is(err, io.EOF) {
				if len(r.buf) > 0 {
					return r.buf, nil
				}
				r.no--
				return nil, io.EOF
			}
			return nil, fmt.Errorf("%s:%d: read: %w", r.name, r.no, err)
		}
		i := bytes.IndexAny(chunk, "\r\n")
		end := i
		if i < 0 {
			end = len(chunk)
		}
		if len(r.buf)+end > MaxLine {
			return nil, &tabular.FileError{File: r.name, Line: r.no, Reason: fmt.Sprintf("a line longer than %d bytes; is this the right file?", MaxLine)}
		}
		r.buf = append(r.buf, chunk[:end]...)
		if i < 0 {
			_, _ = r.in.Discard(end)
			continue
		}
		carriage := chunk[i] == '\r'
		_, _ = r.in.Discard(end + 1)
		if carriage {
			r.dropLineFeed()
		}
		return r.buf, nil
	}
}

// dropLineFeed takes the rest of a line end that began with a carriage return.
func (r *Reader) dropLineFeed() {
	const mostReturns = 4
	rest, _ := r.in.Peek(mostReturns)
	for i, b := range rest {
		if b == '\n' {
			_, _ = r.in.Discard(i + 1)
			return
		}
		if b != '\r' {
			return
		}
	}
}
