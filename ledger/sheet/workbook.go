package sheet

import (
	"archive/zip"
	"bytes"
	"cmp"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"

	"agentrecon/ledger/tabular"
)

// Limits of a workbook.
const (
	maxUnzipped = 2 << 30   // bytes of one part
	maxShared   = 256 << 20 // bytes of the texts that cells share
	maxParts    = 10_000
	maxSheets   = 200
	maxStyles   = 100_000
)

// workbook is what all sheets of a file have in common.
type workbook struct {
	name     string
	parts    map[string]*zip.File
	sheets   []sheetPart
	shared   []string
	dates    []bool // by style: does it show dates
	from1904 bool
}

type sheetPart struct {
	title  string
	path   string
	hidden bool
}

// open reads all of a workbook but its sheets.
func open(name string, file io.ReaderAt, size int64) (*workbook, error) {
	archive, err := zip.NewReader(file, size)
	if err != nil {
		return nil, &tabular.FileError{File: name, Reason: fmt.Sprintf("a damaged workbook (%v); was the download complete?", err)}
	}
	if len(archive.File) > maxParts {
		return nil, &tabular.FileError{File: name, Reason: fmt.Sprintf("a workbook of more than %d parts; save the sheet as CSV", maxParts)}
	}
	w := &workbook{name: name, parts: map[string]*zip.File{}}
	for _, f := range archive.File {
		w.parts[strings.ToLower(strings.TrimPrefix(strings.ReplaceAll(f.Name, `\`, "/"), "/"))] = f
	}
	for _, step := range []func() error{w.readSheets, w.readStyles, w.readShared} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return w, nil
}

var errTooLarge = errors.New("unpacks to more than it may")

// part opens one part of the archive, with a limit on what it unpacks to. It returns nil if there is no such part.
func (w *workbook) part(name string, most int64) (io.ReadCloser, error) {
	f, ok := w.parts[strings.ToLower(name)]
	if !ok {
		return nil, nil // many parts are optional
	}
	r, err := f.Open()
	if err != nil {
		return nil, w.damaged(name, err)
	}
	return struct {
		io.Reader
		io.Closer
	}{&limited{r: r, left: most}, r}, nil
}

// limited fails, rather than ends, behind its limit, and in a text or tag that is longer than any can be: the
// decoder would keep all of it.
type limited struct {
	r    io.Reader
	left int64
	run  int // bytes since the last tag began
}

func (l *limited) Read(p []byte) (int, error) {
	const longestRun = 4 << 20
	if l.left <= 0 || l.run > longestRun {
		return 0, errTooLarge
	}
	n, err := l.r.Read(p[:min(int64(len(p)), l.left)])
	l.left -= int64(n)
	if i := bytes.LastIndexByte(p[:n], '<'); i >= 0 {
		l.run = n - i
	} else {
		l.run += n
	}
	return n, err
}

func (w *workbook) damaged(part string, err error) error {
	reason := fmt.Sprintf("a damaged workbook, in %s (%v); was the download complete?", part, err)
	if errors.Is(err, errTooLarge) {
		reason = fmt.Sprintf("%s unpacks to more than a ledger can have; save the sheet as CSV", part)
	}
	return &tabular.FileError{File: w.name, Reason: reason}
}

// each calls with every element of a part, by its local name.
func (w *workbook) each(part string, most int64, with func(*xml.Decoder, xml.StartElement) error) error {
	r, err := w.part(part, most)
	if err != nil || r == nil {
		return err
	}
	defer r.Close()
	d := xml.NewDecoder(r)
	for {
		t, err := d.Token()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if start, ok := t.(xml.StartElement); ok && err == nil {
			err = with(d, start)
		}
		if err != nil {
			var refused *tabular.FileError
			if errors.As(err, &refused) {
				return err
			}
			return w.damaged(part, err)
		}
	}
}

func attribute(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// readSheets finds the worksheets in the order of their tabs.
func (w *workbook) readSheets() error {
	const smallPart = 16 << 20
	targets := map[string]string{}
	err := w.each("xl/_rels/workbook.xml.rels", smallPart, func(_ *xml.Decoder, e xml.StartElement) error {
		if e.Name.Local == "Relationship" {
			target := attribute(e, "Target")
			if !strings.HasPrefix(target, "/") {
				target = path.Join("xl", target)
			}
			targets[attribute(e, "Id")] = strings.TrimPrefix(target, "/")
		}
		return nil
	})
	if err != nil {
		return err
	}
	err = w.each("xl/workbook.xml", smallPart, func(_ *xml.Decoder, e xml.StartElement) error {
		switch e.Name.Local {
		case "workbookPr":
			v := attribute(e, "date1904")
			w.from1904 = v == "1" || v == "true"
		case "sheet":
			if len(w.sheets) == maxSheets {
				return &tabular.FileError{File: w.name, Reason: fmt.Sprintf("more than %d sheets; save the one with the entries as CSV", maxSheets)}
			}
			if target, ok := targets[attribute(e, "id")]; ok {
				w.sheets = append(w.sheets, sheetPart{title: cmp.Or(attribute(e, "name"), target), path: target, hidden: strings.HasSuffix(strings.ToLower(attribute(e, "state")), "hidden")})
			}
		}
		return nil
	})
	if err == nil && len(w.sheets) == 0 {
		err = &tabular.FileError{File: w.name, Reason: "a zip archive without worksheets; if it is an OpenDocument or binary workbook, save it as XLSX or CSV"}
	}
	return err
}

// readStyles finds out which styles of cells show dates.
func (w *workbook) readStyles() error {
	const smallPart = 64 << 20
	codes := map[string]string{}
	inCells := false
	return w.each("xl/styles.xml", smallPart, func(_ *xml.Decoder, e xml.StartElement) error {
		switch e.Name.Local {
		case "numFmt":
			codes[attribute(e, "numFmtId")] = attribute(e, "formatCode")
		case "cellXfs":
			inCells = true
		case "cellStyles", "dxfs":
			inCells = false
		case "xf":
			if !inCells || len(w.dates) == maxStyles {
				return nil
			}
			id := attribute(e, "numFmtId")
			var n int
			_, _ = fmt.Sscan(id, &n)
			w.dates = append(w.dates, isDateFormat(n, codes[id]))
		}
		return nil
	})
}

// readShared reads the texts that cells refer to by number. Phonetic hints beside them are no part of them.
func (w *workbook) readShared() error {
	return w.each("xl/sharedStrings.xml", maxShared, func(d *xml.Decoder, e xml.StartElement) error {
		if e.Name.Local != "si" {
			return nil
		}
		text, err := richText(d)
		w.shared = append(w.shared, text)
		return err
	})
}

// richText joins the texts of an element up to its end.
func richText(d *xml.Decoder) (string, error) {
	var b strings.Builder
	depth, inText, phonetic := 1, false, 0
	for depth > 0 {
		t, err := d.Token()
		if err != nil {
			if errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			return "", err
		}
		switch t := t.(type) {
		case xml.StartElement:
			depth++
			inText = t.Name.Local == "t"
			if t.Name.Local == "rPh" {
				phonetic = depth
			}
		case xml.EndElement:
			if depth == phonetic {
				phonetic = 0
			}
			depth--
			inText = false
		case xml.CharData:
			if inText && phonetic == 0 {
				b.Write(t)
			}
		}
	}
	return b.String(), nil
}
