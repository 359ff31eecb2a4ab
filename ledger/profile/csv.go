package profile

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"

	"agentrecon/ledger/lines"
	"agentrecon/ledger/tabular"
)

// CSV returns a text file as the tables it may be, one for each delimiter.
func CSV(name string, file io.ReadSeeker, charset string) []*Table {
	start, err := file.Seek(0, io.SeekCurrent)
	var tables []*Table
	for i := range len(delimiters) {
		tables = append(tables, csvTable(name, file, start, err, charset, delimiters[i]))
	}
	return tables
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
