package report

import (
	"bytes"
	"cmp"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/xuri/excelize/v2"

	"agentrecon/recon"
)

// book is one workbook while it is written.
type book struct {
	texts
	ctx    context.Context
	report *recon.Report
	opts   Options
	file   *excelize.File
	styles *styles
	index  *index
	lists  []*list
	agreed *agreed // nil = not asked for

	spliced map[string]spool // rows of sheets that are encoded here, by part
	drawn   map[string]bool  // sheets with a chart, by part
}

// writeWorkbook lays the workbook out and writes it: first the lists, for what they had to alter is counted on the
// Cover, then the block sheets from the last to the first that name each other's cells.
func writeWorkbook(ctx context.Context, w io.Writer, r *recon.Report, opts Options) (sum Summary, err error) {
	if err := ctx.Err(); err != nil {
		return Summary{}, err
	}
	b := &book{ctx: ctx, report: r, opts: opts, index: newIndex(r), spliced: map[string]spool{}, drawn: map[string]bool{}, file: excelize.NewFile(excelize.Options{TmpDir: opts.TempDir})}
	defer func() {
		for _, rows := range b.spliced {
			if closeErr := rows.Discard(); closeErr != nil && err == nil {
				err = fmt.Errorf("temporary files: %v: %w", closeErr, ErrCannotWrite)
			}
		}
		if closeErr := b.file.Close(); closeErr != nil && err == nil {
			err = fmt.Errorf("temporary files: %v: %w", closeErr, ErrCannotWrite)
		}
	}()
	if err := b.prepare(); err != nil {
		return Summary{}, err
	}
	for _, l := range b.lists {
		if err := b.writeList(l); err != nil {
			return Summary{}, err
		}
		sum.Rows = append(sum.Rows, SheetRows{l.sheet, l.rows})
	}
	if b.agreed != nil {
		if err := b.agreed.write(); err != nil {
			return Summary{}, err
		}
		for i, sheet := range b.agreed.sheets {
			sum.Rows = append(sum.Rows, SheetRows{sheet, b.agreed.rows[i]})
		}
	}
	sources := newSources(b)
	checks := newChecks(b, sources)
	summary := newSummary(b, sources, checks)
	verdict := judge(b, checks)
	cover := newCover(b, checks, verdict)
	grids := []*grid{cover, summary.grid, checks.grid, newRuns(b), newOverrides(b), sources.grid, newMethod(b), newFields(b)}
	if b.agreed != nil {
		grids = append(grids, newSample(b))
	}
	for _, g := range grids {
		if err := b.writeGrid(g); err != nil {
			return Summary{}, err
		}
	}
	sum.Altered, sum.State, sum.Sentence = b.altered, verdict.state, verdict.sentence
	sum.PartsDigest, err = b.save(w)
	return sum, err
}

// prepare does everything that concerns several sheets at once: after a sheet is flushed such calls would get lost.
func (b *book) prepare() (err error) {
	if b.styles, err = newStyles(b.file); err != nil {
		return err
	}
	if err := b.file.SetDefaultFont("Arial"); err != nil {
		return err
	}
	if b.opts.Agreed != nil {
		b.agreed = newAgreed(b)
	}
	if err := b.file.SetSheetName("Sheet1", string(Sheets[0])); err != nil {
		return err
	}
	for _, sheet := range b.sheets()[1:] {
		if _, err := b.file.NewSheet(string(sheet)); err != nil {
			return err
		}
	}
	b.file.SetActiveSheet(0)
	if err := b.file.SetAppProps(&excelize.AppProperties{Application: "recon"}); err != nil {
		return err
	}
	b.lists = b.makeLists()
	if b.agreed != nil {
		b.lists = append(b.lists, linkedList(b))
	}
	altered := b.altered
	for _, l := range b.lists {
		l.widen()
	}
	b.altered = altered // texts are counted when they are written
	for _, l := range b.lists {
		if l.rows > maxListRows {
			return fmt.Errorf("sheet %s: %d rows, at most %d fit: report a shorter period: %w", l.sheet, l.rows, maxListRows, ErrTooLarge)
		}
	}
	return nil
}

// makeLists makes the lists in the order of their tabs.
func (b *book) makeLists() []*list {
	return []*list{
		accountList(b), unresolvedList(b), mismatchList(b), excessList(b), ledgerOnlyList(b), timingList(b), notConcludedList(b), earlierList(b), excludedList(b),
		repeatList(b), edgeList(b), cleanList(b), notedList(b), changeList(b),
	}
}

// sheets lists the sheets of this workbook in the order of their tabs.
func (b *book) sheets() []Sheet {
	if b.agreed == nil {
		return Sheets
	}
	at := slices.Index(Sheets, SheetNoted) + 1
	return slices.Concat(Sheets[:at], b.agreed.sheets, []Sheet{SheetLinked, SheetSample}, Sheets[at:])
}

// list returns the list that is on a sheet.
func (b *book) list(sheet Sheet) *list {
	for _, l := range b.lists {
		if l.sheet == sheet {
			return l
		}
	}
	panic("report: no list on sheet " + string(sheet))
}

// begin prepares a sheet and opens its stream. What is not set before the stream opens is lost in part.
func (b *book) begin(sheet Sheet, columns, rows int, p printing) (*excelize.StreamWriter, error) {
	if err := b.ctx.Err(); err != nil {
		return nil, err
	}
	name := string(sheet)
	fit, below, tab := true, false, tabColour(sheet)
	scaled := false // headers and footers are of one size on every sheet
	grid, zoom := false, 90.0
	size, orientation, wide, high := 9, "landscape", p.wide, 0
	if b.opts.Paper == Letter {
		size = 1
	}
	page := &excelize.PageLayoutOptions{Size: &size, Orientation: &orientation, FitToWidth: &wide, FitToHeight: &high}
	if p.scale > 0 {
		fit = false
		page.FitToWidth, page.FitToHeight, page.AdjustTo = nil, nil, &p.scale
	}
	margin, top, edge := sideMargin/72, topMargin/72, 0.3
	err := cmp.Or(
		b.file.SetSheetProps(name, &excelize.SheetPropsOptions{FitToPage: &fit, TabColorRGB: &tab, OutlineSummaryRight: &below}),
		b.file.SetSheetDimension(name, "A1:"+at(columns, max(rows, 1))),
		b.file.SetSheetView(name, 0, &excelize.ViewOptions{ShowGridLines: &grid, ZoomScale: &zoom}),
		b.file.SetPageLayout(name, page),
		b.file.SetPageMargins(name, &excelize.PageLayoutMarginsOptions{
			Left: &margin, Right: &margin, Top: &top, Bottom: &top, Header: &edge, Footer: &edge,
		}),
		b.file.SetHeaderFooter(name, &excelize.HeaderFooterOptions{OddHeader: b.pageHeader(), OddFooter: pageFooter, ScaleWithDoc: &scaled}),
		b.file.ProtectSheet(name, &excelize.SheetProtectionOptions{
			AutoFilter: true, Sort: true, FormatColumns: true, FormatRows: true, SelectLockedCells: true, SelectUnlockedCells: true,
		}),
	)
	if err != nil {
		return nil, err
	}
	return b.file.NewStreamWriter(name)
}

// tabColour tells the sheets that ask for action from the others; the names of the tabs say the same.
func tabColour(sheet Sheet) string {
	switch sheet {
	case SheetUnresolved, SheetMismatches, SheetExcess, SheetLedgerOnly, SheetEarlier:
		return "FF9C0006"
	case SheetCover, SheetSummary, SheetChecks:
		return "FF" + navy
	default:
		return "FF8497B0"
	}
}

const pageFooter = `&L&8Confidential: contains payment data&C&8Page &P of &N&R&8&A`

func (b *book) pageHeader() string {
	entity := b.report.Entity
	if entity == "" {
		entity = entityNotNamed
	}
	return `&L&"Arial,Bold"&8 ` + headerText(entity, 40) + `&C&8 Payment reconciliation, ` + headerText(b.report.Period.String(), 60) +
		`&R&8 ` + headerText(b.runName(), 30)
}

// headerText makes text safe for a page header, in which & begins a command and a header has room for 255 characters. A
// blank goes before it, for a leading digit would join the size of the font.
func headerText(s string, most int) string {
	s = escape(s, false)
	if runes := []rune(s); len(runes) > most {
		s = string(runes[:most-1]) + "…"
	}
	return strings.ReplaceAll(s, "&", "&&")
}

// recorded reports whether there is a record of the run: one that judged by an earlier moment than the last has none.
func recorded(r *recon.Report) bool { return r.Run.ID > 0 }

// runName names the run as people do.
func (b *book) runName() string {
	if !recorded(b.report) {
		return "Run not recorded"
	}
	return fmt.Sprintf("Run %d", b.report.Run.ID)
}

// runLine is the line under each title that says what the sheet belongs to.
func (b *book) runLine() string {
	if b.report.FilesOnly {
		return fmt.Sprintf("Over files   |   %s   |   As of %s", b.periodWords(), clock(b.report.Run.AsOf))
	}
	made := "Recorded"
	if !recorded(b.report) {
		made = "Made"
	}
	return fmt.Sprintf("%s   |   %s   |   As of %s   |   %s %s", b.runName(), b.periodWords(),
		clock(b.report.Run.AsOf), made, clock(b.report.Run.RecordedAt))
}

// row writes one row of cells.
func (b *book) row(sw *excelize.StreamWriter, n int, height float64, cells []cell) error {
	out := make([]any, len(cells))
	for i, c := range cells {
		if c.value == nil && c.formula == "" && c.style == (style{}) {
			continue
		}
		if s, ok := c.value.(string); ok && units16(s) > maxCellUnits {
			return fmt.Errorf("sheet %s, cell %s: text of %d characters, at most %d fit a cell: %w", sw.Sheet, at(i+1, n), units16(s), maxCellUnits, ErrInvalid)
		}
		id, err := b.styles.id(c.style)
		if err != nil {
			return err
		}
		out[i] = excelize.Cell{StyleID: id, Formula: c.formula, Value: c.value}
	}
	return sw.SetRow(at(1, n), out, excelize.RowOpts{Height: height})
}

// writeGrid streams a block sheet. Links, conditional formats and all else go in before the flush.
func (b *book) writeGrid(g *grid) error {
	g.widen()
	heights := make([]float64, len(g.rows))
	for i, cells := range g.rows {
		if heights[i] = g.heights[i]; heights[i] == 0 {
			heights[i] = max(lineHeight, rowHeight(cells, func(i int) float64 { return g.widths[i] }))
		}
	}
	pages := paginate(g, heights, b.opts.Paper)
	sw, err := b.begin(g.sheet, len(g.widths), len(g.rows), printing{scale: pages.scale})
	if err != nil {
		return err
	}
	for i := len(g.widths) - 1; i >= 0; i-- {
		if err := sw.SetColWidth(i+1, i+1, g.widths[i]); err != nil {
			return err
		}
	}
	if g.heads > 0 {
		if err := sw.SetPanes(frozen(0, g.heads)); err != nil {
			return err
		}
	}
	for i, cells := range g.rows {
		row := cells
		if heights[i] == lineHeight {
			row = onOneLine(cells)
		}
		if err := b.row(sw, i+1, heights[i], row); err != nil {
			return err
		}
		for k, c := range cells {
			if c.link == "" {
				continue
			}
			if err := b.file.SetCellHyperLink(string(g.sheet), at(k+1, i+1), c.link, "Location"); err != nil {
				return err
			}
		}
	}
	for _, r := range g.checks {
		if err := b.file.SetConditionalFormat(string(g.sheet), r, b.styles.checks()); err != nil {
			return err
		}
	}
	for _, row := range pages.breaks {
		if err := b.file.InsertPageBreak(string(g.sheet), at(1, row)); err != nil {
			return err
		}
	}
	for i := range g.charts {
		if err := g.charts[i].add(b.file, i); err != nil {
			return err
		}
		b.drawn[partOf(b.sheets(), g.sheet)] = true
	}
	if err := sw.Flush(); err != nil {
		return err
	}
	return b.printTitles(g.sheet, "", g.heads)
}

// onOneLine stands the cells of a row without wrapped text in the middle, clear of the lines above and below.
func onOneLine(cells []cell) []cell {
	out := slices.Clone(cells)
	for i := range out {
		if out[i].style.top {
			out[i].style.top, out[i].style.middle = false, true
		}
	}
	return out
}

func frozen(columns, rows int) *excelize.Panes {
	panes := &excelize.Panes{Freeze: true, XSplit: columns, YSplit: rows, TopLeftCell: at(columns+1, rows+1), ActivePane: "bottomLeft"}
	if columns > 0 {
		panes.ActivePane = "bottomRight"
	}
	panes.Selection = []excelize.Selection{{SQRef: panes.TopLeftCell, ActiveCell: panes.TopLeftCell, Pane: panes.ActivePane}}
	return panes
}

// checks are the conditional formats of cells that hold OK or DIFFERS: the word says it, the colour helps to find it.
func (s *styles) checks() []excelize.ConditionalFormatOptions {
	return []excelize.ConditionalFormatOptions{
		{Type: "cell", Criteria: "==", Value: `"` + checkOK + `"`, Format: &s.ok},
		{Type: "cell", Criteria: "==", Value: `"` + checkDiffers + `"`, Format: &s.differ},
	}
}

// printTitles makes header rows and first column repeat on every printed page.
func (b *book) printTitles(sheet Sheet, columns string, rows int) error {
	if rows == 0 {
		return nil
	}
	refers := fmt.Sprintf("%s!$1:$%d", quoted(sheet), rows)
	if columns != "" {
		refers = fmt.Sprintf("%s!%s,%s!$%d:$%d", quoted(sheet), columns, quoted(sheet), rows, rows)
	}
	return b.file.SetDefinedName(&excelize.DefinedName{Name: "_xlnm.Print_Titles", RefersTo: refers, Scope: string(sheet)})
}

// writeList streams a list sheet row by row, so that memory does not grow with it.
func (b *book) writeList(l *list) error {
	sw, err := b.begin(l.sheet, len(l.columns), l.lastRow(), printing{wide: l.pagesWide()})
	if err != nil {
		return err
	}
	if err := sw.SetPanes(frozen(l.frozen, listHeadRow)); err != nil {
		return err
	}
	for i := len(l.columns) - 1; i >= 0; i-- {
		if err := sw.SetColWidth(i+1, i+1, l.columns[i].width); err != nil {
			return err
		}
		if l.columns[i].group == technical {
			if err := sw.SetColOutlineLevel(i+1, 1); err != nil {
				return err
			}
		}
	}
	if err := b.writeListHead(sw, l); err != nil {
		return err
	}
	for i := range l.rows {
		if i%1000 == 0 {
			if err := b.ctx.Err(); err != nil {
				return err
			}
		}
		cells := l.row(i)
		if err := b.row(sw, listFirstRow+i, rowHeight(cells, l.width), cells); err != nil {
			return err
		}
	}
	if err := b.finishList(sw, l); err != nil {
		return err
	}
	if err := sw.Flush(); err != nil {
		return err
	}
	return b.printList(l)
}

// writeListHead writes title, purpose, count and run, whose the columns are, and the header.
func (b *book) writeListHead(sw *excelize.StreamWriter, l *list) error {
	band, head := make([]cell, len(l.columns)), make([]cell, len(l.columns))
	for i, c := range l.columns {
		band[i] = blank(groupBand(c.group))
		if i == 0 || l.columns[i-1].group != c.group {
			band[i] = words(groupNames[c.group], groupBand(c.group))
		}
		head[i] = words(c.head, groupHead(c))
	}
	count := l.size().count(noteLook.strong())
	count.style.toRight = false
	count.style.indent = 1
	about, rows := make([]cell, len(l.columns)), make([]cell, len(l.columns))
	aboutAt, runAt := l.noteColumns()
	about[aboutAt] = words(l.about, noteLook)
	rows[0], rows[1], rows[runAt] = words("Rows", noteLook.strong()), count, words(b.runLine(), noteLook)
	heights := [...]float64{22, 0, 0, 13, rowHeight(head, l.width)}
	for i, cells := range [][]cell{{words(l.title, titleLook)}, about, rows, band, head} {
		if err := b.row(sw, i+1, heights[i], cells); err != nil {
			return err
		}
	}
	if l.rows == 0 {
		return b.row(sw, listFirstRow, 0, []cell{words(nilNote, italicLook)})
	}
	return nil
}

// groupBand colours the band that says in words whose the columns are.
func groupBand(g group) style {
	look := style{size: 8, bold: true, ink: navy, fill: band}
	switch g {
	case management:
		look.ink, look.fill = ochre, "FBEFD0"
	case auditor:
		look.ink, look.fill = green, "DDEBD8"
	case technical:
		look.ink, look.fill = grey, "ECECEC"
	case evidence:
	}
	return look
}

func groupHead(c column) style {
	look := headLook
	switch c.group {
	case management:
		look.fill = ochre
	case auditor:
		look.fill = green
	case technical:
		look.fill, look.size = grey, 8
	case evidence:
	}
	switch c.holds {
	case holdsAmount, holdsInteger, holdsCount, holdsDays:
		look = look.right()
	}
	return look
}

// finishList adds what must come after the rows and before the flush.
func (b *book) finishList(sw *excelize.StreamWriter, l *list) error {
	if l.rows == 0 {
		return nil
	}
	stripes := false
	if err := sw.AddTable(&excelize.Table{
		Range: at(1, listHeadRow) + ":" + at(len(l.columns), l.lastRow()), Name: tableName(l.sheet),
		StyleName: "TableStyleLight1", ShowRowStripes: &stripes,
	}); err != nil {
		return err
	}
	everything := at(1, listFirstRow) + ":" + at(len(l.columns), l.lastRow())
	// Ids of digits are meant to be text: no green corners.
	if err := b.file.AddIgnoredErrors(string(l.sheet), everything, excelize.IgnoredErrorsNumberStoredAsText); err != nil {
		return err
	}
	for i, c := range l.columns {
		cells := at(i+1, listFirstRow) + ":" + at(i+1, l.lastRow())
		switch c.head {
		case headPriority:
			if err := b.file.SetConditionalFormat(string(l.sheet), cells, []excelize.ConditionalFormatOptions{
				{Type: "cell", Criteria: "==", Value: `"critical"`, Format: &b.styles.urgent},
			}); err != nil {
				return err
			}
		case headDisposition:
			choice := excelize.NewDataValidation(true)
			choice.Sqref = cells
			if err := choice.SetDropList(dispositions); err != nil {
				return err
			}
			choice.SetError(excelize.DataValidationErrorStyleStop, "Disposition", "Choose one of the list.")
			if err := b.file.AddDataValidation(string(l.sheet), choice); err != nil {
				return err
			}
		}
	}
	return nil
}

// tableName is a name that formulas may use: no blanks, no commas.
func tableName(sheet Sheet) string {
	return "t" + strings.Map(func(r rune) rune {
		if r == ' ' || r == ',' {
			return -1
		}
		return r
	}, string(sheet))
}

// printList prints the evidence columns; the others would make them unreadably small.
func (b *book) printList(l *list) error {
	last, _ := l.printedColumns()
	name := columnName(last)
	lastPrinted := l.lastRow()
	if l.printed > 0 {
		lastPrinted = min(lastPrinted, listHeadRow+l.printed)
	}
	if err := b.file.SetDefinedName(&excelize.DefinedName{
		Name: "_xlnm.Print_Area", RefersTo: fmt.Sprintf("%s!$A$1:$%s$%d", quoted(l.sheet), name, lastPrinted), Scope: string(l.sheet),
	}); err != nil {
		return err
	}
	titles := "$A:$A"
	if l.pagesWide() > 1 {
		titles = "$A:$" + columnName(l.column(headItem))
	}
	return b.printTitles(l.sheet, titles, listHeadRow)
}

// partCore holds who made the workbook and when.
const partCore = "docProps/core.xml"

// core is the part that excelize writes with a default namespace, which some readers do not take.
func (b *book) core() []byte {
	made := b.report.Run.RecordedAt.UTC().Format(time.RFC3339)
	var out bytes.Buffer
	out.WriteString(xml.Header + `<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties" ` +
		`xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/" xmlns:dcmitype="http://purl.org/dc/dcmitype/" ` +
		`xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">`)
	for _, p := range []struct{ name, value string }{
		{"dc:title", "Reconciliation of agent payments, " + b.report.Period.String()},
		{"dc:subject", b.runName()},
		{"dc:creator", "recon"},
		{"cp:lastModifiedBy", "recon"},
		{"cp:revision", "1"},
	} {
		fmt.Fprintf(&out, "<%s>", p.name)
		_ = xml.EscapeText(&out, []byte(p.value)) // a buffer takes everything
		fmt.Fprintf(&out, "</%s>", p.name)
	}
	for _, name := range []string{"created", "modified"} {
		fmt.Fprintf(&out, `<dcterms:%[1]s xsi:type="dcterms:W3CDTF">%[2]s</dcterms:%[1]s>`, name, made)
	}
	out.WriteString(`</cp:coreProperties>`)
	return out.Bytes()
}

// save writes the zip file and returns the digest of its parts.
func (b *book) save(w io.Writer) (digest string, err error) {
	zip, err := newArchive(b.ctx, w, b.opts.TempDir)
	if err != nil {
		return "", &temporaryError{folder: b.opts.TempDir, err: err}
	}
	defer func() {
		if discardErr := zip.discard(); discardErr != nil && !errors.Is(discardErr, os.ErrNotExist) && err == nil {
			err = &temporaryError{folder: b.opts.TempDir, err: discardErr}
		}
	}()
	// excelize appends to the list of parts in the order of its maps.
	types := b.file.ContentTypes
	sort.Slice(types.Overrides, func(i, j int) bool { return types.Overrides[i].PartName < types.Overrides[j].PartName })
	sort.Slice(types.Defaults, func(i, j int) bool { return types.Defaults[i].Extension < types.Defaults[j].Extension })
	zip.spliced, zip.drawn, zip.replaced = b.spliced, b.drawn, map[string][]byte{partCore: b.core()}
	b.file.SetZipWriter(func(io.Writer) excelize.ZipWriter { return zip })
	err = cmp.Or(b.file.Write(io.Discard), zip.Close())
	if ctxErr := b.ctx.Err(); ctxErr != nil {
		return "", ctxErr
	}
	switch {
	case err == nil:
		return zip.digest, nil
	case zip.out.err == nil && b.opts.TempDir != "":
		return "", &temporaryError{folder: b.opts.TempDir, err: err}
	default:
		return "", fmt.Errorf("%w: %w", reason(cmp.Or(zip.out.err, err)), ErrCannotWrite)
	}
}
