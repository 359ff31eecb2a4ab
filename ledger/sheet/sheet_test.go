package sheet_test

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/xuri/excelize/v2"
	"golang.org/x/tools/txtar"

	"agentrecon/ledger"
	"agentrecon/ledger/ledgertest"
	"agentrecon/ledger/sheet"
)

var _ ledger.ReadFunc = sheet.Read

// build makes a workbook of a txtar archive's parts: the name of each file is a sheet, its lines are rows, its
// columns are separated by bars. A cell "=date 45687.5" is a number with a date style, "=n 1.50" a number, "=s x" and
// everything else a text.
func build(t testing.TB, data []byte) []byte {
	t.Helper()
	f := excelize.NewFile()
	defer f.Close()
	style, err := f.NewStyle(&excelize.Style{NumFmt: 22})
	check(t, err)
	for i, part := range txtar.Parse(data).Files {
		if i == 0 {
			check(t, f.SetSheetName("Sheet1", part.Name))
		} else {
			_, err := f.NewSheet(part.Name)
			check(t, err)
		}
		for row, line := range strings.Split(strings.TrimSuffix(string(part.Data), "\n"), "\n") {
			for column, cell := range strings.Split(line, "|") {
				name, err := excelize.CoordinatesToCellName(column+1, row+1)
				check(t, err)
				cell = strings.TrimSpace(cell)
				kind, value, typed := strings.Cut(cell, " ")
				switch {
				case typed && kind == "=n":
					check(t, f.SetCellDefault(part.Name, name, value))
				case typed && kind == "=date":
					check(t, f.SetCellDefault(part.Name, name, value))
					check(t, f.SetCellStyle(part.Name, name, name, style))
				case cell != "":
					check(t, f.SetCellStr(part.Name, name, cell))
				}
			}
		}
	}
	var b bytes.Buffer
	check(t, f.Write(&b))
	return b.Bytes()
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Inputs are archives inside archives, whose marks are indented there.
func TestArchives(t *testing.T) {
	ledgertest.Run(t, "testdata/*.txtar", func(t *testing.T, in ledgertest.Input) string {
		in.Data = build(t, []byte(strings.ReplaceAll(string(in.Data), "> --", "--")))
		return ledgertest.Dump(t, sheet.Read, in)
	})
}

const small = "-- Sheet1 --\nDate|Description|Amount|Currency\n=date 45687|Rent|=n -12.5|EUR\n"

func TestAWorkbookFromAPipe(t *testing.T) {
	data := build(t, []byte(small))
	n := 0
	source, err := sheet.Read("f", iotest.HalfReader(io.MultiReader(bytes.NewReader(data))), ledger.ReadOptions{}, func(*ledger.Entry) error { n++; return nil })
	if err != nil || n != 1 || len(source.SHA256) != 64 || source.Format != "xlsx" {
		t.Errorf("%d entries, %+v, %v", n, source, err)
	}
}

func TestTheCallersErrorStops(t *testing.T) {
	_, err := sheet.Read("f", bytes.NewReader(build(t, []byte(small))), ledger.ReadOptions{}, func(*ledger.Entry) error { return ledgertest.ErrStop })
	if !errors.Is(err, ledgertest.ErrStop) {
		t.Errorf("got %v", err)
	}
}

// pack makes a zip archive.
func pack(t testing.TB, files map[string]io.Reader) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for name, r := range files {
		part, err := w.Create(name)
		check(t, err)
		_, err = io.Copy(part, r)
		check(t, err)
	}
	check(t, w.Close())
	return b.Bytes()
}

const (
	workbookXML = `<workbook><sheets><sheet name="a" id="r1"/></sheets></workbook>`
	relsXML     = `<Relationships><Relationship Id="r1" Target="worksheets/sheet1.xml"/></Relationships>`
)

func TestHostileWorkbooksAreRefused(t *testing.T) {
	rels, book := strings.NewReader, strings.NewReader
	for name, data := range map[string][]byte{
		"cut":           build(t, []byte(small))[:500],
		"no zip":        []byte("PK\x03\x04 and nothing else"),
		"another zip":   pack(t, map[string]io.Reader{"letter.txt": strings.NewReader("hello")}),
		"missing sheet": pack(t, map[string]io.Reader{"xl/workbook.xml": book(workbookXML), "xl/_rels/workbook.xml.rels": rels(relsXML)}),
		"bomb of shared texts": pack(t, map[string]io.Reader{
			"xl/workbook.xml": book(workbookXML), "xl/_rels/workbook.xml.rels": rels(relsXML),
			"xl/sharedStrings.xml": io.MultiReader(strings.NewReader("<sst>"), io.LimitReader(blanks{}, 8<<20)),
		}),
		"entities": pack(t, map[string]io.Reader{
			"xl/workbook.xml": book(workbookXML), "xl/_rels/workbook.xml.rels": rels(relsXML),
			"xl/worksheets/sheet1.xml": strings.NewReader(`<!DOCTYPE x [<!ENTITY a "aaaa">]><worksheet><row><c><v>&a;</v></c></row></worksheet>`),
		}),
		"columns": pack(t, map[string]io.Reader{
			"xl/workbook.xml": book(workbookXML), "xl/_rels/workbook.xml.rels": rels(relsXML),
			"xl/worksheets/sheet1.xml": strings.NewReader(`<worksheet><row><c r="XFD1"><v>1</v></c></row></worksheet>`),
		}),
		"texts that are not there": pack(t, map[string]io.Reader{
			"xl/workbook.xml": book(workbookXML), "xl/_rels/workbook.xml.rels": rels(relsXML),
			"xl/worksheets/sheet1.xml": strings.NewReader(`<worksheet><row><c r="A1" t="s"><v>7</v></c></row></worksheet>`),
		}),
	} {
		_, err := sheet.Read("f", bytes.NewReader(data), ledger.ReadOptions{}, func(*ledger.Entry) error { return nil })
		if err == nil || !strings.HasPrefix(err.Error(), "f:") {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

type blanks struct{}

func (blanks) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}

func TestLargeWorkbooksAreStreamed(t *testing.T) {
	const n = 20_000
	var b strings.Builder
	b.WriteString(`<worksheet><sheetData><row r="1"><c t="inlineStr"><is><t>Date</t></is></c><c t="inlineStr"><is><t>Amount</t></is></c><c t="inlineStr"><is><t>Currency</t></is></c></row>`)
	for i := range n {
		fmt.Fprintf(&b, `<row r="%d"><c><v>45687</v></c><c><v>-1.10</v></c><c t="str"><v>EUR</v></c></row>`, i+2)
	}
	b.WriteString("</sheetData></worksheet>")
	data := pack(t, map[string]io.Reader{
		"xl/workbook.xml": strings.NewReader(workbookXML), "xl/_rels/workbook.xml.rels": strings.NewReader(relsXML),
		"xl/worksheets/sheet1.xml": strings.NewReader(b.String()),
	})
	source, err := sheet.Read("f", bytes.NewReader(data), ledger.ReadOptions{}, func(*ledger.Entry) error { return nil })
	if err != nil || source.Rows != n || source.Totals[0].Minor != -110*n {
		t.Errorf("%+v, %v", source, err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add(build(f, []byte(small)))
	f.Fuzz(func(t *testing.T, data []byte) { ledgertest.Fuzz(t, sheet.Read, data) })
}
