package report

import (
	"archive/zip"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/xuri/excelize/v2"

	"agentrecon/recon"
)

// Errors of reading a workbook back.
var (
	// ErrNotOurs means that a file is no workbook of this program.
	ErrNotOurs = errors.New("no workbook of this program")
	// ErrAltered means that a workbook does not say what the run says.
	ErrAltered = errors.New("the workbook does not say what the run says")
)

// Limits of reading: a small file can unpack to anything.
const (
	maxUnpacked     = 4 << 30
	maxUnpackedPart = 64 << 20 // larger parts are spilled to a temporary file
)

func openWorkbook(path, tempDir string) (*excelize.File, error) {
	f, err := excelize.OpenFile(path, excelize.Options{
		RawCellValue: true, TmpDir: tempDir, UnzipSizeLimit: maxUnpacked, UnzipXMLSizeLimit: maxUnpackedPart,
	})
	if err != nil {
		if other := otherFormat(path); other != "" {
			return nil, fmt.Errorf("%s: %s; save it as an Excel workbook (.xlsx): %w", path, other, ErrNotOurs)
		}
		return nil, fmt.Errorf("%s: %v: %w", path, reason(err), ErrNotOurs)
	}
	return f, nil
}

// otherFormat names what a spreadsheet was saved as that cannot be read here.
func otherFormat(path string) string {
	head, err := readHead(path)
	switch {
	case err != nil:
		return ""
	case bytes.HasPrefix(head, []byte{0xD0, 0xCF, 0x11, 0xE0}):
		return "it is encrypted, or saved in the format of old Excel (.xls)"
	}
	r, err := zip.OpenReader(path)
	if err != nil {
		return ""
	}
	defer func() { _ = r.Close() }()
	for _, f := range r.File {
		switch f.Name {
		case "mimetype":
			return "it is saved as OpenDocument (.ods)"
		case "xl/workbook.bin":
			return "it is saved as a binary workbook (.xlsb)"
		}
	}
	return ""
}

// readHead reads the bytes by which a format is known.
func readHead(path string) (head []byte, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	head = make([]byte, 8)
	n, err := io.ReadFull(f, head)
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		err = nil
	}
	return head[:n], err
}

// ReadKey reads which run a workbook shows. Errors wrap [ErrNotOurs].
func ReadKey(path, tempDir string) (key Key, err error) {
	f, err := openWorkbook(path, tempDir)
	if err != nil {
		return Key{}, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	rows, err := f.GetRows(string(SheetCover))
	if err != nil {
		return Key{}, fmt.Errorf("%s: no sheet %s: %w", path, SheetCover, ErrNotOurs)
	}
	found := false
	population := ""
	for _, row := range rows {
		if len(row) < 2 {
			continue
		}
		switch row[0] {
		case labelKey:
			if key, err = parseKey(row[1]); err != nil {
				return Key{}, fmt.Errorf("%s: %w", path, err)
			}
			found = true
		case labelPopulation:
			population, _, _ = strings.Cut(strings.TrimPrefix(row[1], "In file "), ", sha256 ")
			if !strings.HasPrefix(row[1], "In file ") {
				population = ""
			}
		}
	}
	if !found {
		return Key{}, fmt.Errorf("%s: the Cover has no line %q: %w", path, labelKey, ErrNotOurs)
	}
	key.PopulationFile = population
	key.Population = slices.Contains(f.GetSheetList(), string(SheetAgreed))
	return key, nil
}

// Altered is the first cell of a workbook that does not say what the run says.
type Altered struct {
	Sheet, Cell string
	Item        string // of a row of a list
	Column      string // its header
	Got, Want   string
	Extra       bool // a sheet that somebody added, and nothing else
}

// Place names the cell, with the item that it belongs to.
func (a *Altered) Place() string {
	place := fmt.Sprintf("%s!%s", a.Sheet, a.Cell)
	if a.Cell == "" {
		place = a.Sheet
	}
	if a.Column != "" {
		place += fmt.Sprintf(" (%s of %s)", a.Column, cut(a.Item))
	}
	return place
}

// Error names the cell with both values.
func (a *Altered) Error() string {
	if a.Extra {
		return fmt.Sprintf("sheet %q: it is none of the run's, somebody added it: %v", a.Sheet, ErrAltered)
	}
	got, want := cutAlike(a.Got, a.Want)
	return fmt.Sprintf("%s: it says %q, the run says %q: %v", a.Place(), got, want, ErrAltered)
}

// Unwrap makes it an [ErrAltered].
func (a *Altered) Unwrap() error { return ErrAltered }

// cut keeps a message readable where a cell holds a page of text.
func cut(s string) string {
	if runes := []rune(s); len(runes) > 80 {
		return string(runes[:79]) + "…"
	}
	return s
}

// cutAlike keeps two long texts readable where they differ.
func cutAlike(a, b string) (string, string) {
	x, y := []rune(a), []rune(b)
	same := 0
	for same < min(len(x), len(y)) && x[same] == y[same] {
		same++
	}
	const before = 20
	if from := same - before; from > 0 && max(len(x), len(y)) > 80 {
		return cut("…" + string(x[from:])), cut("…" + string(y[from:]))
	}
	return cut(a), cut(b)
}

// Compare compares the evidence of a workbook, which somebody may have edited, sorted and saved with another program,
// with the workbook made anew of the same run: what cells hold, and the formulas that work it out. Rows of lists are found by
// what they say and not by where they stand; reviewers' cells are theirs, and how a cell looks is not compared. The first
// cell that differs is returned as [*Altered]. Sheets that somebody added hold no evidence: they are named after everything
// else was found as it should be, as an Altered that is Extra.
func Compare(ctx context.Context, path, want, tempDir string) (err error) {
	c := comparison{}
	for _, side := range []struct {
		path  string
		file  **excelize.File
		parts **parts
	}{{path, &c.got, &c.gotParts}, {want, &c.want, &c.wantParts}} {
		if *side.file, err = openWorkbook(side.path, tempDir); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, (*side.file).Close()) }()
		if *side.parts, err = openParts(side.path); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, (*side.parts).Close()) }()
	}
	if err := c.tabs(); err != nil {
		return err
	}
	// Whoever alters a row alters what Checks and the Cover come to, so the lists are first and what rests on them is last.
	sheets := slices.Clone(c.want.GetSheetList())
	slices.SortStableFunc(sheets, func(a, b string) int { return cmp.Compare(restsOnOthers(a), restsOnOthers(b)) })
	for _, sheet := range sheets {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := c.sheet(sheet); err != nil {
			return err
		}
	}
	var added []string
	for _, sheet := range c.got.GetSheetList() {
		if c.wantParts.sheet[sheet] == nil {
			added = append(added, sheet)
		}
	}
	if len(added) > 0 {
		return &Altered{Sheet: strings.Join(added, ", "), Got: "a sheet of this name", Want: "none", Extra: true}
	}
	return nil
}

// restsOnOthers orders sheets: those whose formulas read others come after them.
func restsOnOthers(sheet string) int {
	return 1 + slices.Index([]Sheet{SheetSources, SheetSummary, SheetChecks, SheetCover}, Sheet(sheet))
}

type comparison struct {
	got, want           *excelize.File
	gotParts, wantParts *parts
}

// tabs compares which sheets there are and that a reader sees them. Their order says nothing.
func (c *comparison) tabs() error {
	for _, sheet := range c.want.GetSheetList() {
		if c.gotParts.sheet[sheet] == nil {
			return &Altered{Sheet: sheet, Got: "no such sheet", Want: "a sheet of this name"}
		}
		visible, err := c.got.GetSheetVisible(sheet)
		if err != nil {
			return err
		}
		if !visible {
			return &Altered{Sheet: sheet, Got: "a hidden sheet", Want: "a sheet that everybody sees"}
		}
	}
	return nil
}

func (c *comparison) sheet(sheet string) error {
	if strings.HasPrefix(sheet, string(SheetAgreed)) {
		return cmp.Or(c.stream(sheet), c.listFormulas(sheet, headsOf(agreedColumns), nil))
	}
	got, err := c.got.GetRows(sheet)
	if err != nil {
		return err
	}
	want, err := c.want.GetRows(sheet)
	if err != nil {
		return err
	}
	if isList(want) {
		return cmp.Or(compareList(sheet, got, want), c.listFormulas(sheet, want[listHeadRow-1], got))
	}
	live, differs := c.gridFormulas(sheet)
	if differs != nil && !errors.Is(differs, ErrAltered) {
		return differs
	}
	return cmp.Or(c.grid(sheet, got, want, live), differs) // a value that differs says more than how it is worked out
}

// listFormulas finds formulas among the rows of a list, where the program writes none: what such a cell shows can be another
// thing tomorrow. Those of reviewers are theirs.
func (c *comparison) listFormulas(sheet string, head []string, rows [][]string) (err error) {
	item := slices.Index(head, headItem)
	readErr := c.gotParts.formulas(sheet, func(cell, formula string) bool {
		column, row, convertErr := excelize.CellNameToCoordinates(cell)
		if convertErr != nil || row < listFirstRow || reviewerHeads[cellAt(head, column-1)] {
			return true
		}
		err = &Altered{Sheet: sheet, Cell: cell, Item: cellAt(rowAt(rows, row-1), item), Column: cellAt(head, column-1), Got: "the formula =" + formula, Want: "a value"}
		return false
	})
	return cmp.Or(err, readErr)
}

func headsOf(columns []column) []string {
	heads := make([]string, len(columns))
	for i, c := range columns {
		heads[i] = c.head
	}
	return heads
}

// gridFormulas returns the cells of a sheet of blocks that hold a formula, and the first one that is another as an error.
func (c *comparison) gridFormulas(sheet string) (live map[string]bool, err error) {
	want, got := map[string]string{}, map[string]string{}
	var order []string // of the sheet that was asked about, then what it lacks
	note := func(into map[string]string) func(cell, formula string) bool {
		return func(cell, formula string) bool {
			into[cell] = formula
			order = append(order, cell)
			return true
		}
	}
	if err := cmp.Or(c.gotParts.formulas(sheet, note(got)), c.wantParts.formulas(sheet, note(want))); err != nil {
		return nil, err
	}
	live = map[string]bool{}
	for cell := range want {
		live[cell] = true
	}
	for _, cell := range order {
		g, found := got[cell]
		w, asked := want[cell]
		if found && g == sharedFormula {
			if g, err = c.got.GetCellFormula(sheet, cell); err != nil {
				return nil, err
			}
		}
		open := false
		if !asked {
			if open, err = c.open(sheet, cell); err != nil {
				return nil, err
			}
		}
		if !open && (found != asked || !sameFormula(g, w)) {
			return live, &Altered{Sheet: sheet, Cell: cell, Got: formulaWords(g, found), Want: formulaWords(w, asked)}
		}
	}
	return live, nil
}

func formulaWords(formula string, found bool) string {
	if !found {
		return "no formula"
	}
	return "the formula =" + formula
}

// sameFormula compares formulas as programs save them: some put blanks after commas.
func sameFormula(a, b string) bool {
	squeeze := func(s string) string { return strings.ReplaceAll(s, " ", "") }
	return a == b || squeeze(a) == squeeze(b)
}

// isList tells a list by the last header of its table.
func isList(rows [][]string) bool {
	return len(rows) >= listHeadRow && len(rows[listHeadRow-1]) > 0 && slices.Contains(rows[listHeadRow-1], headDigest)
}

// reviewerHeads are the headers of the columns that people fill in.
var reviewerHeads = func() map[string]bool {
	heads := map[string]bool{}
	for _, c := range slices.Concat(owned, reviewed) {
		heads[c.head] = true
	}
	return heads
}()

// compareList compares head and rows of a list. A row is found by its digest.
func compareList(sheet string, got, want [][]string) error {
	for n := range listHeadRow {
		g, w := rowAt(got, n), rowAt(want, n)
		if n == listCountRow-1 && len(g) > 1 && len(w) > 1 {
			g = slices.Clone(g)
			g[1] = w[1] // the live count: rows that are too many or missing are named below
		}
		if err := compareRow(sheet, n+1, "", g, w, nil); err != nil {
			return err
		}
	}
	head := want[listHeadRow-1]
	digest, item := slices.Index(head, headDigest), slices.Index(head, headItem)
	left := map[string][]int{}
	for n := listFirstRow - 1; n < len(want); n++ {
		d := cellAt(want[n], digest)
		left[d] = append(left[d], n)
	}
	for n := listFirstRow - 1; n < len(got); n++ {
		if blankRow(got[n]) {
			continue
		}
		d := cellAt(got[n], digest)
		at := left[d]
		if len(at) == 0 {
			return unknownRow(sheet, n, head, got[n], want, digest, item)
		}
		left[d] = at[1:]
		if err := compareRow(sheet, n+1, cellAt(got[n], item), got[n], want[at[0]], head); err != nil {
			return err
		}
	}
	for n := listFirstRow - 1; n < len(want); n++ {
		if d := cellAt(want[n], digest); len(left[d]) > 0 && left[d][0] == n {
			return &Altered{Sheet: sheet, Item: cellAt(want[n], item), Column: "row", Got: "no such row", Want: cellAt(want[n], item)}
		}
	}
	return nil
}

// unknownRow names the cell that makes a row another than any of the run: by its item if the run has that, else the row.
func unknownRow(sheet string, n int, head, got []string, want [][]string, digest, item int) error {
	for k := listFirstRow - 1; k < len(want); k++ {
		if cellAt(want[k], item) == cellAt(got, item) {
			if err := compareRow(sheet, n+1, cellAt(got, item), got, want[k], head); err != nil {
				return err
			}
		}
	}
	differs := &Altered{Sheet: sheet, Cell: at(max(digest, 0)+1, n+1), Item: cellAt(got, item), Column: headDigest, Got: cellAt(got, digest), Want: "no row of the run"}
	if slices.ContainsFunc(want[listFirstRow-1:], func(row []string) bool { return cellAt(row, digest) == cellAt(got, digest) }) {
		differs.Got, differs.Want = "the same row a second time", "the row once"
	}
	return differs
}

// compareRow compares the cells that are not reviewers'.
func compareRow(sheet string, row int, item string, got, want, head []string) error {
	for i := range max(len(got), len(want)) {
		column := cellAt(head, i)
		if head != nil && reviewerHeads[column] {
			continue
		}
		g, w := cellAt(got, i), cellAt(want, i)
		if !sameText(g, w) && !(numericHeads[column] && sameNumber(g, w)) {
			return &Altered{Sheet: sheet, Cell: at(i+1, row), Item: item, Column: column, Got: g, Want: w}
		}
	}
	return nil
}

// sameText compares texts. LibreOffice does not escape a text that looks like an escape (_x0041_) when it saves, so such
// a text comes back one level decoded.
func sameText(got, want string) bool {
	return got == want || (strings.Contains(want, "_x") && got == escapes.ReplaceAllStringFunc(want, func(m string) string {
		n, err := strconv.ParseUint(m[2:6], 16, 16)
		if err != nil {
			return m
		}
		return string(rune(n))
	}))
}

var escapes = regexp.MustCompile(`_x[0-9A-Fa-f]{4}_`)

// numericHeads are the headers of columns of numbers; other programs write numbers in other ways. Ids that look like
// numbers are text, and are compared as text.
var numericHeads = func() map[string]bool {
	heads := map[string]bool{}
	for _, l := range (&book{report: &recon.Report{}, index: newIndex(&recon.Report{})}).makeLists() {
		for _, c := range l.columns {
			switch c.holds {
			case holdsAmount, holdsInteger, holdsCount, holdsDate, holdsTime, holdsDays:
				heads[c.head] = true
			}
		}
	}
	return heads
}()

// sameNumber compares numbers to the precision that files keep. Beyond it texts must be equal.
func sameNumber(a, b string) bool {
	if len(a) > 24 || len(b) > 24 {
		return false
	}
	x, errX := strconv.ParseFloat(a, 64)
	y, errY := strconv.ParseFloat(b, 64)
	return errX == nil && errY == nil && math.Abs(x) < float64(maxExact) && math.Abs(x-y) <= 1e-12*max(1, math.Abs(x))
}

// grid compares a sheet of blocks cell by cell. Cells that are open for input are skipped, and so is what follows from
// them.
func (c *comparison) grid(sheet string, got, want [][]string, live map[string]bool) error {
	for n := range max(len(got), len(want)) {
		g, w := rowAt(got, n), rowAt(want, n)
		if Sheet(sheet) == SheetCover && n == 1 && strings.HasPrefix(cellAt(w, 0), entityNotNamed) {
			continue // the run does not say whose books these are
		}
		if followsInput(w) {
			continue
		}
		for i := range max(len(g), len(w)) {
			a, b := cellAt(g, i), cellAt(w, i)
			if sameText(a, b) || b == notEntered {
				continue
			}
			name := at(i+1, n+1)
			if live[name] && (Sheet(sheet) == SheetSample || a == "") {
				continue // it follows the auditor's start and interval; or the program that saved it works no formulas out
			}
			same, err := c.sameCell(sheet, name, a, b)
			if err != nil {
				return err
			}
			if !same {
				return &Altered{Sheet: sheet, Cell: name, Got: a, Want: b}
			}
		}
	}
	return nil
}

func (c *comparison) sameCell(sheet, name, got, want string) (bool, error) {
	if want == "" {
		return c.open(sheet, name)
	}
	kind, err := c.want.GetCellType(sheet, name)
	if err != nil || kind == excelize.CellTypeInlineString || kind == excelize.CellTypeSharedString {
		return false, err
	}
	return sameNumber(got, want), nil
}

// open reports whether a cell is open for input.
func (c *comparison) open(sheet, name string) (bool, error) {
	id, err := c.want.GetCellStyle(sheet, name)
	if err != nil {
		return false, err
	}
	look, err := c.want.GetStyle(id)
	return err == nil && look.Protection != nil && !look.Protection.Locked, err
}

// followsInput tells the lines that count what reviewers type.
func followsInput(row []string) bool {
	label := cellAt(row, 0)
	return strings.HasPrefix(label, labelApproved) || strings.HasPrefix(label, labelForAction)
}

// stream compares the sheets of agreed attempts row by row, for they may be of any size.
func (c *comparison) stream(sheet string) error {
	got, err := c.got.Rows(sheet)
	if err != nil {
		return err
	}
	want, err := c.want.Rows(sheet)
	if err != nil {
		return err
	}
	var head []string
	for n := 1; ; n++ {
		more, wanted := got.Next(), want.Next()
		if !more && !wanted {
			break
		}
		var g, w []string
		if more {
			if g, err = got.Columns(); err != nil {
				return err
			}
		}
		if wanted {
			if w, err = want.Columns(); err != nil {
				return err
			}
		}
		if n == listHeadRow {
			head = w
		}
		columns := head
		if n <= listHeadRow {
			columns = nil
		}
		if err := compareRow(sheet, n, cellAt(w, agreedItem-1), g, w, numbersOf(columns)); err != nil {
			return err
		}
	}
	return errors.Join(got.Error(), want.Error(), got.Close(), want.Close())
}

// numbersOf names the columns of agreed attempts so that the cumulative ones count as numbers.
func numbersOf(head []string) []string {
	named := slices.Clone(head)
	for i, name := range named {
		if strings.HasPrefix(name, "Cumulative ") || name == agreedColumns[agreedNumber-1].head {
			named[i] = headMinor
		}
	}
	return named
}

func rowAt(rows [][]string, n int) []string {
	if n < len(rows) {
		return rows[n]
	}
	return nil
}

func cellAt(row []string, i int) string {
	if i >= 0 && i < len(row) {
		return row[i]
	}
	return ""
}

func blankRow(row []string) bool {
	return !slices.ContainsFunc(row, func(s string) bool { return s != "" })
}
