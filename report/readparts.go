package report

import (
	"archive/zip"
	"bufio"
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"html"
	"io"
	"path"
	"strings"
)

// parts reads of a workbook what excelize does not give at the size of a population: the formulas of a sheet, cell by cell.
type parts struct {
	zip   *zip.ReadCloser
	sheet map[string]*zip.File // by name of the sheet
}

// relations is a part that says which part an id stands for.
type relations struct {
	Relationship []struct {
		ID     string `xml:"Id,attr"`
		Target string `xml:"Target,attr"`
	}
}

// openParts opens a workbook that excelize has opened already.
func openParts(name string) (*parts, error) {
	r, err := zip.OpenReader(name)
	if err != nil {
		return nil, fmt.Errorf("%s: %v: %w", name, reason(err), ErrNotOurs)
	}
	p := &parts{zip: r, sheet: map[string]*zip.File{}}
	if err := p.find(); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %v: %w", name, err, ErrNotOurs), r.Close())
	}
	return p, nil
}

func (p *parts) Close() error { return p.zip.Close() }

// find learns which part holds which sheet.
func (p *parts) find() error {
	var book struct {
		Sheets struct {
			Sheet []struct {
				Name string `xml:"name,attr"`
				ID   string `xml:"id,attr"`
			} `xml:"sheet"`
		} `xml:"sheets"`
	}
	var related relations
	files := map[string]*zip.File{}
	for _, f := range p.zip.File {
		files[strings.ToLower(strings.TrimPrefix(f.Name, "/"))] = f
	}
	if err := errors.Join(decodePart(files["xl/workbook.xml"], &book), decodePart(files["xl/_rels/workbook.xml.rels"], &related)); err != nil {
		return err
	}
	targets := map[string]string{}
	for _, r := range related.Relationship {
		target, absolute := strings.CutPrefix(r.Target, "/")
		if !absolute {
			target = path.Join("xl", target)
		}
		targets[r.ID] = strings.ToLower(target)
	}
	for _, s := range book.Sheets.Sheet {
		if f := files[targets[s.ID]]; f != nil {
			p.sheet[s.Name] = f
		}
	}
	return nil
}

// maxIndexPart bounds the parts that say where everything is.
const maxIndexPart = 16 << 20

func decodePart(f *zip.File, into any) (err error) {
	if f == nil {
		return errors.New("a part is missing")
	}
	r, err := f.Open()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	return xml.NewDecoder(io.LimitReader(r, maxIndexPart)).Decode(into)
}

// sharedFormula stands for a formula that another cell's is copied from; excelize works it out.
const sharedFormula = ""

// formulas yields the cells of a sheet that hold a formula, in the order of the part, until it is told to stop. Only tags
// are looked at, so that a sheet of a million rows takes seconds and no memory.
func (p *parts) formulas(sheet string, yield func(cell, formula string) bool) (err error) {
	f := p.sheet[sheet]
	if f == nil {
		return fmt.Errorf("sheet %s: its part is missing: %w", sheet, ErrNotOurs)
	}
	r, err := f.Open()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	in := bufio.NewReaderSize(io.LimitReader(r, maxUnpacked), 1<<16)
	cell := ""
	for {
		if err := skipTo(in, '<'); err != nil {
			return nilAtEnd(err)
		}
		tag, err := in.ReadBytes('>')
		if err != nil {
			return nilAtEnd(err)
		}
		switch localName(tag) {
		case "c":
			cell = attribute(tag, "r")
		case "f":
			text := []byte(sharedFormula)
			if !bytes.HasSuffix(tag, []byte("/>")) {
				if text, err = in.ReadBytes('<'); err != nil {
					return nilAtEnd(err)
				}
				if err := in.UnreadByte(); err != nil {
					return err
				}
				text = text[:len(text)-1]
			}
			if !yield(cell, html.UnescapeString(string(text))) {
				return nil
			}
		}
	}
}

// skipTo reads up to and with a byte, however far that is.
func skipTo(in *bufio.Reader, end byte) error {
	for {
		_, err := in.ReadSlice(end)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return err
		}
	}
}

func nilAtEnd(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// localName is the name of a start tag without its prefix; end tags have none that is asked for.
func localName(tag []byte) string {
	name := tag
	if i := bytes.IndexAny(tag, " \t\r\n/>"); i >= 0 {
		name = tag[:i]
	}
	if i := bytes.IndexByte(name, ':'); i >= 0 {
		name = name[i+1:]
	}
	return string(name)
}

// attribute is the value of an attribute of a start tag; those asked for hold no escapes.
func attribute(tag []byte, name string) string {
	for _, quote := range []string{`"`, `'`} {
		_, rest, found := bytes.Cut(tag, []byte(" "+name+"="+quote))
		if value, _, ended := bytes.Cut(rest, []byte(quote)); found && ended {
			return string(value)
		}
	}
	return ""
}
