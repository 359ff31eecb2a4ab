package tabular

import (
	"bytes"
	"errors"
	"io"
)

// MaxLine bounds a record in bytes, line ends inside quotes included.
const MaxLine = 1 << 20

const bufferSize = 256 << 10

var errLineTooLong = errors.New("line too long")

// lines cuts a stream into physical lines without copying them.
type lines struct {
	r    io.Reader
	buf  []byte
	from int // first unread byte in buf
	to   int // end of what was read into buf
	err  error

	// lf is the next line feed at or after from, or the place up to which there is none. It keeps a file
	// of bare carriage returns from being searched again for every line.
	lf    int
	hasLF bool

	no int // number of the line next returned last, from 1
}

// next returns the next line without its end. The bytes are good until the call after. A run of carriage
// returns before a line feed is part of one line end; any other carriage return is a line end.
func (l *lines) next() ([]byte, error) {
	for {
		l.seek()
		if line, ok := l.cut(); ok {
			l.no++
			if len(line) > MaxLine {
				return nil, errLineTooLong
			}
			return line, nil
		}
		if l.err != nil {
			// What was read of a line before a reading error is not a line.
			if l.from == l.to || !errors.Is(l.err, io.EOF) {
				return nil, l.err
			}
			line := bytes.TrimRight(l.buf[l.from:l.to], "\r")
			l.from = l.to
			l.no++
			return line, nil
		}
		if l.to-l.from > MaxLine {
			l.no++
			return nil, errLineTooLong
		}
		l.fill()
	}
}

// seek finds the next line feed in what was read.
func (l *lines) seek() {
	if l.lf < l.from {
		l.lf, l.hasLF = l.from, false
	}
	if l.hasLF {
		return
	}
	if i := bytes.IndexByte(l.buf[l.lf:l.to], '\n'); i >= 0 {
		l.lf, l.hasLF = l.lf+i, true
		return
	}
	l.lf = l.to
}

// cut takes one line off the front if its end was read.
func (l *lines) cut() ([]byte, bool) {
	line := l.buf[l.from:l.lf]
	if l.hasLF {
		for len(line) > 0 && line[len(line)-1] == '\r' {
			line = line[:len(line)-1]
		}
	}
	cr := bytes.IndexByte(line, '\r')
	if cr < 0 {
		if !l.hasLF {
			return nil, false
		}
		l.from = l.lf + 1
		return line, true
	}
	// Without a line feed in sight, a run of carriage returns may still turn out to end in one.
	after := l.from + cr
	for after < l.lf && l.buf[after] == '\r' {
		after++
	}
	if !l.hasLF && after == l.to && l.err == nil {
		return nil, false
	}
	l.from += cr + 1
	return line[:cr], true
}

// fill reads more, moving the rest to the front or growing the buffer as needed.
func (l *lines) fill() {
	if l.from > 0 {
		copy(l.buf, l.buf[l.from:l.to])
		l.to -= l.from
		l.lf -= l.from
		l.from = 0
	}
	if l.to == len(l.buf) {
		l.buf = append(l.buf, make([]byte, max(bufferSize, len(l.buf)))...)
	}
	const mostEmptyReads = 100
	for range mostEmptyReads {
		n, err := l.r.Read(l.buf[l.to:])
		l.to += n
		if err != nil {
			l.err = err
			return
		}
		if n > 0 {
			return
		}
	}
	l.err = io.ErrNoProgress
}

// peek returns up to n bytes from the front of the stream without taking them.
func (l *lines) peek(n int) []byte {
	for l.to-l.from < n && l.err == nil {
		l.fill()
	}
	return l.buf[l.from:min(l.to, l.from+n)]
}
