package reporttest

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/xuri/excelize/v2"
)

// Dump turns a workbook into text that a person can review: of every sheet its frame (frozen rows, widths, table, print
// titles, protection, choices), then every cell that holds something, one a line:
//
//	A6 s "critical"          a string
//	D6 n 12.5 [0.00]         a number with its format
//	B3 f COUNTA(C6:C9) = 4   a formula with its cached value
func Dump(r io.ReaderAt, size int64) (text string, err error) {
	f, err := excelize.OpenReader(io.NewSectionReader(r, 0, size), excelize.Options{RawCellValue: true})
	if err != nil {
		return "", fmt.Errorf("open workbook: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	var b strings.Builder
	for _, sheet := range f.GetSheetList() {
		fmt.Fprintf(&b, "== %s\n", sheet)
		if err := dumpFrame(&b, f, sheet); err != nil {
			return "", err
		}
		if err := dumpCells(&b, f, sheet); err != nil {
			return "", err
		}
	}
	for _, name := range f.GetDefinedName() {
		fmt.Fprintf(&b, "name %s of %s = %s\n", name.Name, name.Scope, name.RefersTo)
	}
	return b.String(), nil
}

// dumpFrame prints what holds for a whole sheet.
func dumpFrame(b *strings.Builder, f *excelize.File, sheet string) error {
	panes, err := f.GetPanes(sheet)
	if err != nil {
		return err
	}
	fmt.Fprintf(b, "frozen %d columns, %d rows\n", panes.XSplit, panes.YSplit)
	tables, err := f.GetTables(sheet)
	if err != nil {
		return err
	}
	for _, t := range tables {
		fmt.Fprintf(b, "table %s %s\n", t.Name, t.Range)
	}
	choices, err := f.GetDataValidations(sheet)
	if err != nil {
		return err
	}
	for _, c := range choices {
		fmt.Fprintf(b, "choice %s %s\n", c.Sqref, c.Formula1)
	}
	merged, err := f.GetMergeCells(sheet)
	if err != nil {
		return err
	}
	for _, m := range merged {
		fmt.Fprintf(b, "merged %s\n", m[0])
	}
	return nil
}

// dumpCells prints widths, then cells by row and column.
func dumpCells(b *strings.Builder, f *excelize.File, sheet string) error {
	rows, err := f.GetRows(sheet)
	if err != nil {
		return err
	}
	columns := 0
	for _, row := range rows {
		columns = max(columns, len(row))
	}
	var widths []string
	for c := 1; c <= columns; c++ {
		name, err := excelize.ColumnNumberToName(c)
		if err != nil {
			return err
		}
		w, err := f.GetColWidth(sheet, name)
		if err != nil {
			return err
		}
		widths = append(widths, strconv.FormatFloat(w, 'g', -1, 64))
	}
	fmt.Fprintf(b, "widths %s\n", strings.Join(widths, " "))
	for r, row := range rows {
		for c := range row {
			name, err := excelize.CoordinatesToCellName(c+1, r+1)
			if err != nil {
				return err
			}
			if err := dumpCell(b, f, sheet, name, row[c]); err != nil {
				return err
			}
		}
	}
	return nil
}

func dumpCell(b *strings.Builder, f *excelize.File, sheet, name, value string) error {
	formula, err := f.GetCellFormula(sheet, name)
	if err != nil {
		return err
	}
	kind, err := f.GetCellType(sheet, name)
	if err != nil {
		return err
	}
	if formula == "" && value == "" {
		return nil
	}
	text := slices.Contains([]excelize.CellType{excelize.CellTypeInlineString, excelize.CellTypeSharedString}, kind)
	switch {
	case formula != "":
		fmt.Fprintf(b, "%s f %s = %s\n", name, formula, value)
	case text:
		fmt.Fprintf(b, "%s s %q\n", name, value)
	default:
		format, err := numberFormat(f, sheet, name)
		if err != nil {
			return err
		}
		fmt.Fprintf(b, "%s n %s [%s]\n", name, value, format)
	}
	return nil
}

// numberFormat is the format that a number is shown in.
func numberFormat(f *excelize.File, sheet, name string) (string, error) {
	id, err := f.GetCellStyle(sheet, name)
	if err != nil {
		return "", err
	}
	style, err := f.GetStyle(id)
	if err != nil || style.CustomNumFmt == nil {
		return "", err
	}
	return *style.CustomNumFmt, nil
}
