package sheet

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"agentrecon/ledger"
	"agentrecon/ledger/profile"
	"agentrecon/ledger/tabular"
)

// Format is what [ledger.SourceFile.Format] says of these files.
const Format = "xlsx"

// Read reads a workbook by the shipped profiles; it is a [ledger.ReadFunc].
func Read(name string, r io.Reader, options ledger.ReadOptions, each func(*ledger.Entry) error) (ledger.SourceFile, error) {
	return Reader(profile.ShippedSet())(name, r, options, each)
}

// Reader returns a reader of workbooks by a set of profiles.
func Reader(set *profile.Set) ledger.ReadFunc {
	return func(name string, r io.Reader, options ledger.ReadOptions, each func(*ledger.Entry) error) (ledger.SourceFile, error) {
		tables, err := Tables(name, r)
		if err != nil {
			return ledger.SourceFile{}, err
		}
		return set.ReadTables(name, tables, options, each)
	}
}

// Tables returns the worksheets of a workbook.
func Tables(name string, r io.Reader) ([]*profile.Table, error) {
	file, err := profile.Rewindable(name, r)
	if err != nil {
		return nil, err
	}
	start, err := file.Seek(0, io.SeekCurrent)
	if err != nil {
		return nil, fmt.Errorf("%s: read: %w", name, err)
	}
	sum := sha256.New()
	size, err := io.Copy(sum, file)
	if err != nil {
		return nil, fmt.Errorf("%s: read: %w", name, err)
	}
	digest := hex.EncodeToString(sum.Sum(nil))
	w, err := open(name, &readerAt{file: file, start: start}, size)
	if err != nil {
		return nil, err
	}
	var tables []*profile.Table
	for _, s := range w.sheets {
		tables = append(tables, &profile.Table{
			Name: name, Format: Format, Sheet: s.title, Hidden: s.hidden,
			Open:     func(int) (profile.Rows, error) { return w.rows(s) },
			Digest:   func() string { return digest },
			Warnings: func() []string { return nil },
		})
	}
	return tables, nil
}

// readerAt reads anywhere in a file that can be set to places.
type readerAt struct {
	file  io.ReadSeeker
	start int64
}

func (r *readerAt) ReadAt(p []byte, at int64) (int, error) {
	if _, err := r.file.Seek(r.start+at, io.SeekStart); err != nil {
		return 0, err
	}
	n, err := io.ReadFull(r.file, p)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = io.EOF
	}
	return n, err
}

// rows reads one worksheet.
type rows struct {
	w     *workbook
	part  string
	in    io.Closer
	d     *xml.Decoder
	line  int
	cells []profile.Cell
}

func (w *workbook) rows(s sheetPart) (profile.Rows, error) {
	r, err := w.part(s.path, maxUnzipped)
	if err != nil {
		return nil, err
	}
	if r == nil {
		return nil, &tabular.FileError{File: w.name, Reason: fmt.Sprintf("the sheet %q is missing in the workbook; was the download complete?", s.title)}
	}
	return &rows{w: w, part: s.path, in: r, d: xml.NewDecoder(r)}, nil
}

// Close lets go of the sheet.
func (r *rows) Close() error { return r.in.Close() }

// Next returns the next row that holds anything.
func (r *rows) Next() (profile.Row, error) {
	for {
		t, err := r.d.Token()
		if errors.Is(err, io.EOF) {
			return profile.Row{}, io.EOF
		}
		if err != nil {
			return profile.Row{}, r.w.damaged(r.part, err)
		}
		start, ok := t.(xml.StartElement)
		if !ok || start.Name.Local != "row" {
			continue
		}
		r.line++
		if n, err := strconv.Atoi(attribute(start, "r")); err == nil && n > r.line {
			r.line = n
		}
		if err := r.row(); err != nil {
			var refused *tabular.FileError
			if errors.As(err, &refused) {
				return profile.Row{}, err
			}
			return profile.Row{}, r.w.damaged(r.part, err)
		}
		if len(r.cells) > 0 {
			return profile.Row{Line: r.line, Cells: r.cells}, nil
		}
	}
}

// row reads the cells of a row up to its end.
func (r *rows) row() error {
	r.cells = r.cells[:0]
	for {
		t, err := r.d.Token()
		if err != nil {
			return err
		}
		switch t := t.(type) {
		case xml.EndElement:
			if t.Name.Local == "row" {
				return nil
			}
		case xml.StartElement:
			if t.Name.Local != "c" {
				continue
			}
			at := len(r.cells)
			if column := columnOf(attribute(t, "r")); column >= 0 {
				at = column
			}
			if at >= profile.MaxColumns {
				return &tabular.FileError{File: r.w.name, Line: r.line, Reason: fmt.Sprintf("more than %d columns; is this the right file?", profile.MaxColumns)}
			}
			cell, err := r.cell(t)
			if err != nil {
				return err
			}
			for len(r.cells) <= at {
				r.cells = append(r.cells, profile.Cell{})
			}
			r.cells[at] = cell
		}
	}
}

// columnOf is the number of a column from the name of a cell: 0 for A7. It is -1 where there is none.
func columnOf(name string) int {
	n := 0
	for i := range len(name) {
		c := name[i] | 0x20
		if c < 'a' || c > 'z' {
			break
		}
		if n = n*26 + int(c-'a') + 1; n > profile.MaxColumns {
			break
		}
	}
	return n - 1
}

// cell reads one cell up to its end.
func (r *rows) cell(start xml.StartElement) (profile.Cell, error) {
	kind, value, inline := attribute(start, "t"), "", ""
	for {
		t, err := r.d.Token()
		if err != nil {
			return profile.Cell{}, err
		}
		switch t := t.(type) {
		case xml.EndElement:
			if t.Name.Local == "c" {
				return r.value(kind, value, inline, attribute(start, "s"))
			}
		case xml.StartElement:
			switch t.Name.Local {
			case "v":
				if value, err = content(r.d); err != nil {
					return profile.Cell{}, err
				}
			case "is":
				if inline, err = richText(r.d); err != nil {
					return profile.Cell{}, err
				}
			}
		}
	}
}

// content is the text of an element up to its end.
func content(d *xml.Decoder) (string, error) {
	var b strings.Builder
	for depth := 1; depth > 0; {
		t, err := d.Token()
		if err != nil {
			return "", err
		}
		switch t := t.(type) {
		case xml.CharData:
			b.Write(t)
		case xml.StartElement:
			depth++
		case xml.EndElement:
			depth--
		}
	}
	return b.String(), nil
}

// value makes a cell of what was read.
func (r *rows) value(kind, value, inline, style string) (profile.Cell, error) {
	switch kind {
	case "s":
		i, err := strconv.Atoi(strings.TrimSpace(value))
		if value == "" {
			return profile.Cell{}, nil
		}
		if err != nil || i < 0 || i >= len(r.w.shared) {
			return profile.Cell{}, fmt.Errorf("cell refers to the shared text %q, of which there are %d", value, len(r.w.shared))
		}
		return profile.Cell{Text: profile.Trim(r.w.shared[i])}, nil
	case "inlineStr":
		return profile.Cell{Text: profile.Trim(inline)}, nil
	case "b":
		if value == "1" {
			return profile.Cell{Text: "true"}, nil
		}
		return profile.Cell{Text: "false"}, nil
	case "str", "e":
		return profile.Cell{Text: profile.Trim(value)}, nil
	case "d":
		return profile.Cell{Text: strings.Replace(value, "T", " ", 1), Kind: profile.Date}, nil
	}
	decimal, lossy, ok := plain(strings.TrimSpace(value))
	if !ok {
		return profile.Cell{Text: profile.Trim(value)}, nil
	}
	if i, err := strconv.Atoi(style); err == nil && i >= 0 && i < len(r.w.dates) && r.w.dates[i] {
		if text, ok := moment(decimal, r.w.from1904); ok {
			return profile.Cell{Text: text, Kind: profile.Date}, nil
		}
	}
	return profile.Cell{Text: decimal, Kind: profile.Number, Lossy: lossy}, nil
}
