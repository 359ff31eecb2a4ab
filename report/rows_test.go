package report

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"
	"pgregory.net/rapid"
)

// What the encoder writes is what excelize's stream writer writes of the same values, and what excelize reads back. Times
// are those of 1906 to 2179: later ones excelize adds up in two steps, which can differ in the last bit.
func TestRowsAreAsExcelizeWritesThem(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := show(rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{
			"", " blanks ", "=1+1", "<b>&amp;\"'</b>", "_x0041_", "_x0041_x0042_", "_x005F_", "emoji \U0001F4B8", "00012", strings.Repeat("y", 2000),
		})).Draw(t, "text"), false)
		n := rapid.Int64Range(-maxExact+1, maxExact-1).Draw(t, "integer")
		amount := major(rapid.Int64Range(-maxExact+1, maxExact-1).Draw(t, "minor"), "KWD")
		at := time.Unix(rapid.Int64Range(-2_000_000_000, 6_600_000_000).Draw(t, "time"), 0).UTC()

		e := newRowEncoder(5)
		e.begin(3)
		e.text(text)
		e.integer(n)
		e.float(amount)
		e.serial(at)
		e.blank()
		ours := string(e.end())

		theirs, read := excelizeRow(t, ours, []any{text, n, amount, at, excelize.Cell{}})
		// Of texts that look like escapes excelize escapes less than readers undo; ours must come back as they were.
		theirs = strings.Replace(theirs, `<c r="D3" s="1">`, `<c r="D3">`, 1) // excelize gives times a style of its own
		if text != "" && !strings.Contains(text, "_x") && ours != theirs {
			t.Fatalf("got\n%s\nwant what excelize writes\n%s", ours, theirs)
		}
		if read != text {
			t.Fatalf("read back %q, want %q", read, text)
		}
	})
}

// excelizeRow is what excelize writes of the values in row 3, and the first cell of ours as excelize reads it.
func excelizeRow(t *rapid.T, ours string, values []any) (theirs, read string) {
	f := excelize.NewFile()
	sw, err := f.NewStreamWriter("Sheet1")
	if err != nil {
		t.Fatal(err)
	}
	if err := sw.SetRow("A3", values); err != nil {
		t.Fatal(err)
	}
	if err := sw.Flush(); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := f.Write(&b); err != nil {
		t.Fatal(err)
	}
	sheet := sheetText(t, b.Bytes())
	from, to := strings.Index(sheet, "<row "), strings.Index(sheet, "</sheetData>")

	g := excelize.NewFile()
	g.Pkg.Store("xl/worksheets/sheet1.xml", []byte(strings.Replace(sheet, sheet[from:to], ours, 1)))
	g.Sheet.Delete("xl/worksheets/sheet1.xml")
	read, err = g.GetCellValue("Sheet1", "A3")
	if err != nil {
		t.Fatal(err)
	}
	return sheet[from:to], read
}

func sheetText(t *rapid.T, workbook []byte) string {
	f, err := excelize.OpenReader(bytes.NewReader(workbook))
	if err != nil {
		t.Fatal(err)
	}
	data, ok := f.Pkg.Load("xl/worksheets/sheet1.xml")
	if !ok {
		t.Fatal("no sheet")
	}
	return string(data.([]byte))
}

// However a sheet is cut into writes, what is put in stands before its mark, or instead of it, once.
func TestRowsAreSplicedOnce(t *testing.T) {
	const sheet = `<worksheet><sheetData><row r="1"></row></sheetData><x>&lt;/sheetData&gt;</x></worksheet>`
	for _, instead := range []bool{false, true} {
		want := strings.Replace(sheet, "</sheetData>", `<row r="2"></row></sheetData>`, 1)
		if instead {
			want = strings.Replace(sheet, "</sheetData>", `<row r="2"></row>`, 1)
		}
		for size := 1; size <= len(sheet); size++ {
			var out bytes.Buffer
			s := &splicer{to: &out, mark: endOfRows, before: strings.NewReader(`<row r="2"></row>`), instead: instead}
			for from := 0; from < len(sheet); from += size {
				if _, err := io.WriteString(s, sheet[from:min(from+size, len(sheet))]); err != nil {
					t.Fatal(err)
				}
			}
			if out.String() != want {
				t.Fatalf("in pieces of %d: got %s, want %s", size, out.String(), want)
			}
		}
	}
}
