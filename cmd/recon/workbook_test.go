package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/xuri/excelize/v2"
)

// workbook changes a workbook in place, as its readers do:
//
//	workbook set FILE SHEET CELL TEXT     types a text
//	workbook review FILE SHEET ITEM HEADER TEXT …  types into the row of an item, under headers
//	workbook replace FILE SHEET OLD NEW   changes a part of the first text that holds it
//	workbook add FILE SHEET               adds a sheet
//	workbook block FILE SHEET TEXT OUT    writes the rows below the first one that begins with a text, up to an empty one
func workbook(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 {
		ts.Fatalf("usage: workbook set|review|replace|add|block FILE SHEET …")
	}
	path, sheet, rest := ts.MkAbs(args[1]), args[2], args[3:]
	f, err := excelize.OpenFile(path)
	ts.Check(err)
	switch {
	case args[0] == "set" && len(rest) == 2:
		ts.Check(f.SetCellStr(sheet, rest[0], rest[1]))
	case args[0] == "replace" && len(rest) == 2:
		rows, err := f.GetRows(sheet)
		ts.Check(err)
		found := false
		for n, row := range rows {
			for k, text := range row {
				if strings.Contains(text, rest[0]) && !found {
					found = true
					cell, err := excelize.CoordinatesToCellName(k+1, n+1)
					ts.Check(err)
					ts.Check(f.SetCellStr(sheet, cell, strings.Replace(text, rest[0], rest[1], 1)))
				}
			}
		}
		if !found {
			ts.Fatalf("%s does not say %q", sheet, rest[0])
		}
	case args[0] == "review" && len(rest)%2 == 1:
		rows, err := f.GetRows(sheet)
		ts.Check(err)
		row := slices.IndexFunc(rows, func(row []string) bool { return slices.Contains(row, rest[0]) })
		for n := 1; n < len(rest); n += 2 {
			column := slices.Index(rows[4], rest[n])
			if row < 0 || column < 0 {
				ts.Fatalf("%s has no row of %s with a cell under %q", sheet, rest[0], rest[n])
			}
			cell, err := excelize.CoordinatesToCellName(column+1, row+1)
			ts.Check(err)
			ts.Check(f.SetCellStr(sheet, cell, rest[n+1]))
		}
	case args[0] == "block" && len(rest) == 2:
		rows, err := f.GetRows(sheet)
		ts.Check(err)
		ts.Check(f.Close())
		first := slices.IndexFunc(rows, func(row []string) bool { return len(row) > 0 && strings.HasPrefix(row[0], rest[0]) })
		if first < 0 {
			ts.Fatalf("%s has no row that begins with %q", sheet, rest[0])
		}
		var block strings.Builder
		for _, row := range rows[first+1:] {
			if strings.Join(row, "") == "" {
				break
			}
			var cells []string
			for _, cell := range row[:min(len(row), 6)] {
				cells = append(cells, strings.TrimSpace(cell))
			}
			fmt.Fprintln(&block, strings.TrimRight(strings.Join(cells, " | "), " |"))
		}
		ts.Check(os.WriteFile(filepath.Clean(ts.MkAbs(rest[1])), []byte(block.String()), 0o644))
		return
	case args[0] == "add" && len(rest) == 0:
		_, err := f.NewSheet(sheet)
		ts.Check(err)
	default:
		ts.Fatalf("workbook %s: unknown, or it needs other arguments", args[0])
	}
	ts.Check(f.Save())
	ts.Check(f.Close())
}
