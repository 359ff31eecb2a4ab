package profile

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"unicode/utf8"

	"agentrecon/ledger/lines"
	"agentrecon/ledger/tabular"
)

// charsets are tried on text that is not UTF-8: the names of the columns tell which is right. The first that fits
// best is taken.
var charsets = []string{"", "windows-1250", "windows-1257", "cp852", "cp850", "shift_jis", "windows-1251", "gbk"}

// CSV returns a text file as the tables it may be: one for each delimiter, and for each encoding unless the person
// names one or the text is UTF-8.
func CSV(name string, file io.ReadSeeker, charset string) []*Table {
	start, err := file.Seek(0, io.SeekCurrent)
	tries := []string{charset}
	if charset == "" && err == nil && !isUTF8(file, start) {
		tries = charsets
	}
	var tables []*Table
	for _, try := range tries {
		for i := range len(delimiters) {
			tables = append(tables, csvTable(name, file, start, err, try, delimiters[i]))
		}
		if try != charset {
			for _, t := range tables[len(tables)-len(delimiters):] {
				own := t.Warnings
				t.Warnings = func() []string {
					return append(own(), "the text is not UTF-8; the names of its columns are such in "+try)
				}
			}
		}
	}
	return tables
}

// isUTF8 looks at the beginning of a file.
func isUTF8(file io.ReadSeeker, start int64) bool {
	const enough = 64 << 10
	if _, err := file.Seek(start, io.SeekStart); err != nil {
		return true
	}
	head, err := io.ReadAll(io.LimitReader(file, enough))
	if err != nil {
		return true
	}
	for range utf8.UTFMax - 1 { // the last character may be cut
		if utf8.Valid(head) || len(head) == 0 {
			return true
		}
		head = head[:len(head)-1]
	}
	return utf8.Valid(head) || bytes.IndexByte(head, 0) >= 0
}

func csvTable(name string, file io.ReadSeeker, start int64, failed error, charset string, delimiter byte) *Table {
	sum := sha256.New()
	var in *lines.Reader
	return &Table{
		Name: name, Format: "csv",
		Open: func(width int) (Rows, error) {
			if failed != nil {
				return nil, fmt.Errorf("%s: read: %w", name, failed)
			}
			if _, err := file.Seek(start, io.SeekStart); err != nil {
				return nil, fmt.Errorf("%s: read: %w", name, err)
			}
			sum.Reset()
			var err error
			if in, err = lines.New(name, io.TeeReader(file, sum), charset); err != nil {
				return nil, err
			}
			return &splitter{name: name, lines: in, delimiter: delimiter, width: width}, nil
		},
		Digest:   func() string { return hex.EncodeToString(sum.Sum(nil)) },
		Warnings: func() []string { return in.Decoder.Warnings() },
	}
}

// mostInMemory is how much of a file that cannot be set back, such as a pipe, is kept to be read twice.
const mostInMemory = 256 << 20

// Rewindable returns a file that can be set back: itself, or its content where that is small enough.
func Rewindable(name string, r io.Reader) (io.ReadSeeker, error) {
	if s, ok := r.(io.ReadSeeker); ok && tabular.Start(r) >= 0 {
		return s, nil
	}
	data, err := io.ReadAll(io.LimitReader(r, mostInMemory+1))
	if err != nil {
		return nil, fmt.Errorf("%s: read: %w", name, err)
	}
	if len(data) > mostInMemory {
		return nil, &tabular.FileError{File: name, Reason: fmt.Sprintf("more than %d MiB from a pipe; such a table is read twice, so save it and give the file", mostInMemory>>20)}
	}
	return bytes.NewReader(data), nil
}
