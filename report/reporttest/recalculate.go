package reporttest

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/xuri/excelize/v2"
)

// recalcAlways makes LibreOffice recalculate on load. Without it LibreOffice shows the cached values and proves nothing.
const recalcAlways = `<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry" xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
<item oor:path="/org.openoffice.Office.Calc/Formula/Load"><prop oor:name="OOXMLRecalcMode" oor:op="fuse"><value>0</value></prop></item>
</oor:items>
`

// Recalculated poisons every cached value of a workbook, lets LibreOffice work the formulas out, and returns the cells
// that did not come back to their cached value, one a line, with the number of formulas compared. soffice is the
// program, folder one to work in.
func Recalculated(ctx context.Context, soffice, folder string, workbook []byte) (differences []string, compared int, err error) {
	poisoned, err := poison(workbook)
	if err != nil {
		return nil, 0, err
	}
	got, err := Resaved(ctx, soffice, folder, poisoned)
	if err != nil {
		return nil, 0, err
	}
	return compare(workbook, got)
}

// Resaved lets LibreOffice open a workbook, work every formula out, and save it: what a reviewer's copy looks like.
func Resaved(ctx context.Context, soffice, folder string, workbook []byte) ([]byte, error) {
	profile := filepath.Join(folder, "profile")
	if err := os.MkdirAll(filepath.Join(profile, "user"), 0o700); err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(profile, "user", "registrymodifications.xcu"), []byte(recalcAlways), 0o600); err != nil {
		return nil, err
	}
	in, out := filepath.Join(folder, "workbook.xlsx"), filepath.Join(folder, "out")
	if err := os.WriteFile(in, workbook, 0o600); err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, soffice, "-env:UserInstallation=file://"+profile, "--headless", "--convert-to", "xlsx", "--outdir", out, in)
	if said, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("libreoffice: %w: %s", err, said)
	}
	return os.ReadFile(filepath.Join(out, "workbook.xlsx"))
}

var (
	cachedNumber = regexp.MustCompile(`(<c [^>]*>)(<f>[^<]*</f>)<v>[^<]*</v>`)
	isText       = regexp.MustCompile(` t="str"`)
)

// poison replaces the cached value of every formula by one that no formula comes to.
func poison(workbook []byte) ([]byte, error) {
	zr, err := zip.NewReader(bytes.NewReader(workbook), int64(len(workbook)))
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	zw := zip.NewWriter(&out)
	for _, part := range zr.File {
		r, err := part.Open()
		if err != nil {
			return nil, err
		}
		data, err := io.ReadAll(r)
		if err != nil {
			return nil, err
		}
		if strings.HasPrefix(part.Name, "xl/worksheets/") {
			data = cachedNumber.ReplaceAllFunc(data, func(m []byte) []byte {
				value := "-987654321"
				if isText.Match(m[:bytes.IndexByte(m, '>')]) {
					value = "POISON"
				}
				return cachedNumber.ReplaceAll(m, []byte("${1}${2}<v>"+value+"</v>"))
			})
		}
		w, err := zw.Create(part.Name)
		if err != nil {
			return nil, err
		}
		if _, err := w.Write(data); err != nil {
			return nil, err
		}
	}
	if err := zw.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// compare looks at every formula of want in got.
func compare(want, got []byte) (differences []string, compared int, err error) {
	w, err := excelize.OpenReader(bytes.NewReader(want), excelize.Options{RawCellValue: true})
	if err != nil {
		return nil, 0, err
	}
	defer func() { _ = w.Close() }()
	g, err := excelize.OpenReader(bytes.NewReader(got), excelize.Options{RawCellValue: true})
	if err != nil {
		return nil, 0, err
	}
	defer func() { _ = g.Close() }()
	for _, sheet := range w.GetSheetList() {
		rows, err := w.GetRows(sheet)
		if err != nil {
			return nil, 0, err
		}
		for r, row := range rows {
			for c := range row {
				name, err := excelize.CoordinatesToCellName(c+1, r+1)
				if err != nil {
					return nil, 0, err
				}
				formula, err := w.GetCellFormula(sheet, name)
				if err != nil {
					return nil, 0, err
				}
				if formula == "" {
					continue
				}
				compared++
				value, err := g.GetCellValue(sheet, name)
				if err != nil {
					return nil, 0, err
				}
				if !sameValue(row[c], value) {
					differences = append(differences, fmt.Sprintf("%s!%s =%s: cached %q, recalculated %q", sheet, name, formula, row[c], value))
				}
			}
		}
	}
	return differences, compared, nil
}

// sameValue compares texts as they are and numbers to the precision that files keep.
func sameValue(a, b string) bool {
	x, errX := strconv.ParseFloat(a, 64)
	y, errY := strconv.ParseFloat(b, 64)
	if errX != nil || errY != nil {
		return a == b
	}
	return math.Abs(x-y) <= 1e-9*max(1, math.Abs(x))
}
