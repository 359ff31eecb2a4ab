package report_test

import (
	"encoding/xml"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/xuri/excelize/v2"

	"agentrecon/recon"
	"agentrecon/report"
	"agentrecon/report/reporttest"
)

// What Excel is strict about and other programs are not: a workbook that breaks one of these rules is "repaired" when it is
// opened, which throws things away, or is not opened at all. The schema validator of make workbook-check knows few of them.

// sheetOrder is the order in which the parts of a sheet must stand (ECMA-376, CT_Worksheet).
var sheetOrder = []string{
	"sheetPr", "dimension", "sheetViews", "sheetFormatPr", "cols", "sheetData", "sheetProtection", "autoFilter", "conditionalFormatting",
	"dataValidations", "hyperlinks", "printOptions", "pageMargins", "pageSetup", "headerFooter", "rowBreaks", "colBreaks", "ignoredErrors",
	"drawing", "tableParts",
}

// knownFunctions need no prefix in a file, are in every Excel since 2007, and give the same in LibreOffice.
var knownFunctions = []string{
	"ABS", "AND", "CHOOSE", "COUNT", "COUNTA", "COUNTIF", "COUNTIFS", "DATE", "FIXED", "IF", "IFERROR", "INDEX", "MATCH", "OR", "ROWS", "SUM",
	"SUMIF", "SUMIFS", "SUMPRODUCT", "TEXT",
}

// Limits of Excel.
const (
	maxRowHeight  = 409.5
	maxListText   = 255
	maxHeaderText = 255
	maxFormula    = 8192
	maxNesting    = 64
	maxText       = 32_767
	maxBreaks     = 1023
	maxStyles     = 65_490
)

type sheetXML struct {
	Rows []struct {
		N      int     `xml:"r,attr"`
		Height float64 `xml:"ht,attr"`
		Cells  []struct {
			Ref     string `xml:"r,attr"`
			Style   int    `xml:"s,attr"`
			Type    string `xml:"t,attr"`
			Formula string `xml:"f"`
			Value   string `xml:"v"`
			Text    struct {
				Space string `xml:"space,attr"`
				Value string `xml:",chardata"`
			} `xml:"is>t"`
		} `xml:"c"`
	} `xml:"sheetData>row"`
	Widths []struct {
		Min   int     `xml:"min,attr"`
		Max   int     `xml:"max,attr"`
		Width float64 `xml:"width,attr"`
	} `xml:"cols>col"`
	Conditions []struct {
		Rules []struct {
			Priority int `xml:"priority,attr"`
			Format   int `xml:"dxfId,attr"`
		} `xml:"cfRule"`
	} `xml:"conditionalFormatting"`
	Choices []struct {
		List string `xml:"formula1"`
	} `xml:"dataValidations>dataValidation"`
	Links []struct {
		Location string `xml:"location,attr"`
	} `xml:"hyperlinks>hyperlink"`
	Header string `xml:"headerFooter>oddHeader"`
	Footer string `xml:"headerFooter>oddFooter"`
	Breaks []struct {
		Row int `xml:"id,attr"`
	} `xml:"rowBreaks>brk"`
}

func TestTheFileKeepsTheRulesOfExcel(t *testing.T) {
	for _, test := range []struct {
		name string
		r    *recon.Report
		opts report.Options
	}{
		{"sample", reporttest.Sample(), report.Options{Agreed: reporttest.Agreed(reporttest.Sample())}},
		{"many currencies", reporttest.Currencies(), report.Options{Paper: report.Letter}},
		{"nil", reporttest.Nil(), report.Options{}},
	} {
		t.Run(test.name, func(t *testing.T) {
			workbook, _ := write(t, test.r, test.opts)
			all := parts(t, workbook)
			checkContentTypes(t, all)
			sheets := checkBook(t, all)
			styles := strings.Count(between(all["xl/styles.xml"], "<cellXfs", "</cellXfs>"), "<xf ")
			if styles == 0 || styles > maxStyles {
				t.Errorf("got %d styles, want some, at most %d", styles, maxStyles)
			}
			formats := strings.Count(between(all["xl/styles.xml"], "<dxfs", "</dxfs>"), "<dxf>")
			for n, name := range sheets {
				text := all[fmt.Sprintf("xl/worksheets/sheet%d.xml", n+1)]
				checkOrder(t, name, text)
				var sheet sheetXML
				if err := xml.Unmarshal([]byte(text), &sheet); err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				checkCells(t, name, &sheet, styles)
				checkRest(t, name, &sheet, sheets, formats)
			}
			checkTables(t, all, sheets, open(t, workbook))
		})
	}
}

func between(text, from, to string) string {
	_, text, _ = strings.Cut(text, from)
	text, _, _ = strings.Cut(text, to)
	return text
}

// checkContentTypes: every part has a type, and every type a part.
func checkContentTypes(t *testing.T, all map[string]string) {
	t.Helper()
	types := all["[Content_Types].xml"]
	for name := range all {
		extension := strings.TrimPrefix(path.Ext(name), ".")
		if name != "[Content_Types].xml" && !strings.Contains(types, `PartName="/`+name+`"`) && !strings.Contains(types, `Extension="`+extension+`"`) {
			t.Errorf("%s has no content type", name)
		}
	}
	for _, m := range regexp.MustCompile(`PartName="/([^"]+)"`).FindAllStringSubmatch(types, -1) {
		if _, ok := all[m[1]]; !ok {
			t.Errorf("there is a content type of %s, which is not there", m[1])
		}
	}
}

// checkBook checks names of sheets and defined names, and returns the sheets in their order.
func checkBook(t *testing.T, all map[string]string) (sheets []string) {
	t.Helper()
	var book struct {
		Sheets []struct {
			Name string `xml:"name,attr"`
		} `xml:"sheets>sheet"`
		Names []struct {
			Name  string `xml:"name,attr"`
			Sheet string `xml:"localSheetId,attr"`
		} `xml:"definedNames>definedName"`
	}
	if err := xml.Unmarshal([]byte(all["xl/workbook.xml"]), &book); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, s := range book.Sheets {
		if len(utf16.Encode([]rune(s.Name))) > 31 || strings.ContainsAny(s.Name, `[]:*?/\'`) || seen[strings.ToLower(s.Name)] {
			t.Errorf("sheet %q: want at most 31 characters, none of them special, and a name of its own", s.Name)
		}
		seen[strings.ToLower(s.Name)] = true
		sheets = append(sheets, s.Name)
	}
	for _, n := range book.Names {
		if key := "name " + strings.ToLower(n.Name) + n.Sheet; seen[key] {
			t.Errorf("%s of sheet %s is defined twice", n.Name, n.Sheet)
		} else {
			seen[key] = true
		}
	}
	return sheets
}

// checkOrder: the parts of a sheet stand in the order of the schema, each once but conditional formats.
func checkOrder(t *testing.T, sheet, text string) {
	t.Helper()
	last, depth := -1, 0
	d := xml.NewDecoder(strings.NewReader(text))
	for {
		token, err := d.Token()
		if err != nil {
			return
		}
		switch e := token.(type) {
		case xml.StartElement:
			if depth++; depth != 2 {
				continue
			}
			at := slices.Index(sheetOrder, e.Name.Local)
			if at < last || at < 0 || at == last && e.Name.Local != "conditionalFormatting" {
				t.Errorf("%s: %s stands in the wrong place", sheet, e.Name.Local)
			}
			last = at
		case xml.EndElement:
			depth--
		}
	}
}

var functionCalls = regexp.MustCompile(`([A-Z][A-Z0-9.]*)\(`)

func checkCells(t *testing.T, name string, sheet *sheetXML, styles int) {
	t.Helper()
	lastRow := 0
	for _, row := range sheet.Rows {
		if row.N <= lastRow || row.Height > maxRowHeight {
			t.Errorf("%s: row %d of %g points stands behind row %d", name, row.N, row.Height, lastRow)
		}
		lastRow = row.N
		lastColumn := 0
		for _, c := range row.Cells {
			column, n, err := excelize.CellNameToCoordinates(c.Ref)
			if err != nil || n != row.N || column <= lastColumn {
				t.Errorf("%s!%s stands in the wrong place", name, c.Ref)
			}
			lastColumn = column
			if c.Style >= styles {
				t.Errorf("%s!%s has style %d, of %d", name, c.Ref, c.Style, styles)
			}
			checkFormula(t, name+"!"+c.Ref, c.Formula)
			text := c.Text.Value
			if len(utf16.Encode([]rune(text))) > maxText {
				t.Errorf("%s!%s: got a text of %d bytes, more than a cell takes", name, c.Ref, len(text))
			}
			if strings.TrimSpace(text) != text && c.Text.Space != "preserve" {
				t.Errorf("%s!%s: got %q without xml:space", name, c.Ref, text)
			}
			if c.Type == "" || c.Type == "n" {
				if _, err := strconv.ParseFloat(c.Value, 64); c.Value != "" && err != nil {
					t.Errorf("%s!%s: got number %q", name, c.Ref, c.Value)
				}
			}
		}
	}
}

func checkFormula(t *testing.T, cell, formula string) {
	t.Helper()
	if len(formula) > maxFormula {
		t.Errorf("%s: got a formula of %d characters, at most %d are taken", cell, len(formula), maxFormula)
	}
	bare := regexp.MustCompile(`"[^"]*"|'[^']*'`).ReplaceAllString(formula, "")
	depth, deepest := 0, 0
	for _, r := range bare {
		switch r {
		case '(':
			depth++
			deepest = max(deepest, depth)
		case ')':
			depth--
		}
	}
	if depth != 0 || deepest > maxNesting {
		t.Errorf("%s: got %d levels of brackets, %d of them open", cell, deepest, depth)
	}
	for _, m := range functionCalls.FindAllStringSubmatch(bare, -1) {
		if !slices.Contains(knownFunctions, m[1]) {
			t.Errorf("%s: got function %s, which is not known to need no prefix", cell, m[1])
		}
	}
}

func checkRest(t *testing.T, name string, sheet *sheetXML, sheets []string, formats int) {
	t.Helper()
	last := 0
	for _, c := range sheet.Widths {
		if c.Min <= last || c.Max < c.Min || c.Width > 255 {
			t.Errorf("%s: got width %g of columns %d to %d behind column %d", name, c.Width, c.Min, c.Max, last)
		}
		last = c.Max
	}
	seen := map[int]bool{}
	for _, c := range sheet.Conditions {
		for _, rule := range c.Rules {
			if rule.Priority < 1 || seen[rule.Priority] || rule.Format >= formats {
				t.Errorf("%s: got a conditional format of priority %d and style %d of %d; priorities are unique", name, rule.Priority, rule.Format, formats)
			}
			seen[rule.Priority] = true
		}
	}
	for _, c := range sheet.Choices {
		if len(c.List) > maxListText {
			t.Errorf("%s: got a list of choices of %d characters, at most %d are taken", name, len(c.List), maxListText)
		}
	}
	for _, l := range sheet.Links {
		target, _, _ := strings.Cut(l.Location, "!")
		if !slices.Contains(sheets, strings.Trim(target, "'")) {
			t.Errorf("%s: got a link to %q, which is no sheet", name, l.Location)
		}
	}
	for _, text := range []string{sheet.Header, sheet.Footer} {
		if text == "" || len(utf16.Encode([]rune(text))) > maxHeaderText {
			t.Errorf("%s: got a header or footer of %d bytes", name, len(text))
		}
	}
	if len(sheet.Breaks) > maxBreaks {
		t.Errorf("%s: got %d page breaks, at most %d are taken", name, len(sheet.Breaks), maxBreaks)
	}
}

// checkTables: the names of tables are unique and may stand in formulas, and their headers are the texts of the cells.
func checkTables(t *testing.T, all map[string]string, sheets []string, f *excelize.File) {
	t.Helper()
	seen := map[string]bool{}
	found := 0
	for n, sheet := range sheets {
		for _, m := range regexp.MustCompile(`tables/(table\d+\.xml)`).FindAllStringSubmatch(all[fmt.Sprintf("xl/worksheets/_rels/sheet%d.xml.rels", n+1)], -1) {
			var table struct {
				ID      string `xml:"id,attr"`
				Name    string `xml:"displayName,attr"`
				Ref     string `xml:"ref,attr"`
				Columns []struct {
					Name string `xml:"name,attr"`
				} `xml:"tableColumns>tableColumn"`
			}
			if err := xml.Unmarshal([]byte(all["xl/tables/"+m[1]]), &table); err != nil {
				t.Fatal(err)
			}
			found++
			if !regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_.]*$`).MatchString(table.Name) || seen[strings.ToLower(table.Name)] || seen["id "+table.ID] {
				t.Errorf("%s: table %q (%s): want a name and number of its own, fit for formulas", sheet, table.Name, table.ID)
			}
			seen[strings.ToLower(table.Name)], seen["id "+table.ID] = true, true
			first, _, _ := strings.Cut(table.Ref, ":")
			_, row, err := excelize.CellNameToCoordinates(first)
			if err != nil {
				t.Fatal(err)
			}
			heads := map[string]bool{}
			for k, c := range table.Columns {
				cell, _ := excelize.CoordinatesToCellName(k+1, row)
				text, err := f.GetCellValue(sheet, cell)
				if err != nil || text != c.Name || heads[strings.ToLower(text)] {
					t.Errorf("%s!%s: the table says %q, the cell %q (%v); want the same, and no header twice", sheet, cell, c.Name, text, err)
				}
				heads[strings.ToLower(text)] = true
			}
		}
	}
	if len(sheets) > 0 && found == 0 && strings.Contains(strings.Join(sheets, " "), string(report.SheetAgreed)) {
		t.Error("got no table")
	}
}
