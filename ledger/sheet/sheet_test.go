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
// columns are separated by bars. A cell "=date 45687.5" is a number with a date style, "=n 1.50" a number, and
// everything else a text. A sheet whose name has "(hidden)" in it is hidden, and "(1904)" makes the workbook count days
// from 1904.
func build(t testing.TB, data []byte) []byte {
	t.Helper()
	f := excelize.NewFile()
	defer f.Close()
	style, err := f.NewStyle(&excelize.Style{NumFmt: 22})
	check(t, err)
	for i, part := range txtar.Parse(data).Files {
		if strings.Contains(part.Name, "(1904)") {
			from1904 := true
			check(t, f.SetWorkbookProps(&excelize.WorkbookPropsOptions{Date1904: &from1904}))
		}
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
		if strings.Contains(part.Name, "(hidden)") {
			check(t, f.SetSheetVisible(part.Name, false))
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

// TestCellsAsProgramsWriteThem reads sheets that no office program wrote: every way to write a text, a number, a date,
// and what stands beside them.
func TestCellsAsProgramsWriteThem(t *testing.T) {
	const (
		header = `<row><c t="inlineStr"><is><t>Date</t></is></c><c t="s"><v>0</v></c><c t="str"><v>Amount</v></c><c t="inlineStr"><is><r><t>Curr</t></r><r><t>ency</t></r></is></c></row>`
		styles = `<styleSheet><numFmts><numFmt numFmtId="164" formatCode="dd\.mm\.yyyy"/></numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="164"/><xf numFmtId="14"/></cellXfs></styleSheet>`
		shared = `<sst><si><t>Description</t><rPh sb="0" eb="1"><t>デ</t></rPh></si></sst>`
	)
	for name, c := range map[string]struct{ row, want string }{
		"dates by a style of its own": {`<row><c s="1"><v>45687</v></c><c/><c><v>1.5</v></c><c t="str"><v>EUR</v></c></row>`, `2: amount=1.50 currency=EUR booked=2025-01-30`},
		"dates by a built-in style":   {`<row><c s="2"><v>45687</v></c><c/><c><v>1.5</v></c><c t="str"><v>EUR</v></c></row>`, `2: amount=1.50 currency=EUR booked=2025-01-30`},
		"ISO dates":                   {`<row><c t="d"><v>2025-01-30T00:00:00</v></c><c/><c><v>1.5</v></c><c t="str"><v>EUR</v></c></row>`, `2: amount=1.50 currency=EUR booked=2025-01-30`},
		"exponents":                   {`<row><c s="1"><v>4.5687E4</v></c><c/><c><v>-1.2E-1</v></c><c t="str"><v>EUR</v></c></row>`, `2: amount=-0.12 currency=EUR booked=2025-01-30`},
		"places out of order":         {`<row r="9"><c r="D9" t="str"><v>EUR</v></c><c r="C9"><v>3</v></c><c r="A9" s="1"><v>45687</v></c></row>`, `9: amount=3.00 currency=EUR booked=2025-01-30`},
		"formulas with their values":  {`<row><c s="1"><f>TODAY()</f><v>45687</v></c><c/><c><f>SUM(A1)</f><v>3</v></c><c t="str"><f>X</f><v>EUR</v></c></row>`, `2: amount=3.00 currency=EUR booked=2025-01-30`},
		"numbers as texts":            {`<row><c t="inlineStr"><is><t>30.01.2025</t></is></c><c/><c t="inlineStr"><is><t>1'234,50-</t></is></c><c t="str"><v>EUR</v></c></row>`, `2: amount=-1234.50 currency=EUR booked=2025-01-30`},
		"rows that hold nothing":      {`<row/><row><c s="1"/></row><row><c s="1"><v>45687</v></c><c/><c><v>3</v></c><c t="str"><v>EUR</v></c></row>`, `4: amount=3.00 currency=EUR booked=2025-01-30`},
		"an amount that is an error":  {`<row><c s="1"><v>45687</v></c><c/><c t="e"><v>#REF!</v></c><c t="str"><v>EUR</v></c></row>`, `error f: line 1 names the columns of a ledger, but most values below "Amount" are no amounts: line 2 has "#REF!"`},
		"a date that is none":         {`<row><c s="1"><v>99999999</v></c><c/><c><v>3</v></c><c t="str"><v>EUR</v></c></row>`, `error f: line 1 names the columns of a ledger, but most values below "Date" are no dates: line 2 has "99999999"`},
	} {
		t.Run(name, func(t *testing.T) {
			data := parts{book: workbookXML, styles: styles, shared: shared, sheet: `<worksheet><cols/><sheetData>` + header + c.row + `</sheetData><mergeCells><mergeCell ref="A1:B1"/></mergeCells></worksheet>`}.zip(t)
			got := ""
			_, err := sheet.Read("f", bytes.NewReader(data), ledger.ReadOptions{}, func(e *ledger.Entry) error { got += ledgertest.DumpEntry(e); return nil })
			if err != nil {
				got = "error " + err.Error()
			}
			if !strings.HasPrefix(got, c.want) {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// parts are the parts of a workbook that are read.
type parts struct{ book, styles, shared, sheet string }

// zip packs them without compression, which says nothing about the reader and takes most of a fuzzer's time.
func (p parts) zip(t testing.TB) []byte {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, f := range [][2]string{
		{"xl/_rels/workbook.xml.rels", relsXML},
		{"xl/workbook.xml", p.book},
		{"xl/styles.xml", p.styles},
		{"xl/sharedStrings.xml", p.shared},
		{"xl/worksheets/sheet1.xml", p.sheet},
	} {
		part, err := w.CreateHeader(&zip.FileHeader{Name: f[0], Method: zip.Store})
		check(t, err)
		_, err = io.WriteString(part, f[1])
		check(t, err)
	}
	check(t, w.Close())
	return b.Bytes()
}

const (
	fuzzStyles = `<styleSheet><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs></styleSheet>`
	fuzzShared = `<sst><si><t>Date</t></si><si><t>Amount</t></si></sst>`
	fuzzSheet  = `<worksheet><row><c t="s"><v>0</v></c><c t="s"><v>1</v></c></row><row r="2"><c r="A2" s="1"><v>45687</v></c><c r="B2"><v>-1.5</v></c></row></worksheet>`
)

// FuzzRead takes bytes for a workbook. Its seeds are small, for every one that shows something new is cut down first.
func FuzzRead(f *testing.F) {
	f.Add(parts{book: workbookXML, sheet: fuzzSheet}.zip(f))
	f.Add([]byte("PK\x03\x04"))
	f.Fuzz(func(t *testing.T, data []byte) { ledgertest.Fuzz(t, sheet.Read, data) })
}

// FuzzParts takes bytes for the parts of a workbook, which the bytes of an archive seldom reach.
func FuzzParts(f *testing.F) {
	f.Add(workbookXML, fuzzStyles, fuzzShared, fuzzSheet)
	f.Add(`<workbook><workbookPr date1904="1"/><sheets><sheet name="a" state="hidden" id="r1"/><sheet name="b" id="r1"/></sheets></workbook>`, fuzzStyles, fuzzShared, fuzzSheet)
	f.Fuzz(func(t *testing.T, book, styles, shared, cells string) {
		ledgertest.Fuzz(t, sheet.Read, parts{book: book, styles: styles, shared: shared, sheet: cells}.zip(t))
	})
}
