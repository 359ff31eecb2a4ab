package report

import (
	"bufio"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/xuri/excelize/v2"

	"agentrecon/ledger"
	"agentrecon/recon"
)

// maxAgreedRows is how many agreed attempts a sheet takes; the next ones go on a further sheet.
const maxAgreedRows = 1_000_000

// Columns of the agreed attempts, from 1. The cumulative columns, one a currency, come after them.
const (
	agreedNumber = iota + 1
	agreedItem
	agreedAmount
	agreedCurrency
	agreedProposed
	agreedBooked
	agreedEntry
	agreedTier
	agreedQuality
	agreedNotes
	agreedTick
	agreedNote
	agreedMinor
	agreedCumulative
)

// agreedColumns describes them for the header and the Fields sheet.
var agreedColumns = []column{
	{"No.", 9, evidence, holdsCount, "Place in the population of agreed attempts, by time proposed and id: what a sample selects by."},
	{headItem, 30, evidence, holdsID, "The attempt's id: what to give to `recon explain`, and what dispositions refer to."},
	{"Amount", 14, evidence, holdsAmount, "Amount of the attempt in major units; money out is positive."},
	{headCurrency, 9, evidence, holdsWord, "Currency of the attempt, ISO 4217."},
	{"Proposed (UTC)", 18, evidence, holdsTime, "When the call was proposed; the population of a period is by this time."},
	{"Booked on", 11, evidence, holdsDate, "Booking date of the entry as printed, without a zone."},
	{"Entry", 30, evidence, holdsID, "The booked entry that agrees with it; all of them where several do."},
	{"Agreed by", 16, evidence, holdsWord, "Tier of the link (see Method)."},
	{"Id quality", 12, evidence, holdsText, "Whether the id names one call for certain."},
	{"Notes", 16, evidence, holdsText, "Flags of attempts that were judged in full; clean pairs have none."},
	{"Auditor tick", 9, auditor, holdsText, "The auditor's own; never imported."},
	{"Auditor note", 24, auditor, holdsText, "The auditor's own; never imported."},
	{headMinor, 13, technical, holdsInteger, "The attempt's amount as integer minor units: what sums add."},
}

// agreed is the full population of agreed attempts, on as many sheets as it needs. It is streamed: only sums are kept.
type agreed struct {
	book       *book
	sheets     []Sheet
	rows       []int // by sheet
	currencies []ledger.Currency
	columns    []column
	counts     map[ledger.Currency]int64
	minors     map[ledger.Currency]int64
	running    []int64 // cumulative, by currency
	booked     []int64 // by sheet, rows whose entry was booked in the period
	further    int64   // entries of the period beyond one a row: of payments that were split
}

// newAgreed plans the sheets by what the run says it counted; the stream must keep to it.
func newAgreed(b *book) *agreed {
	a := &agreed{book: b, counts: map[ledger.Currency]int64{}, minors: map[ledger.Currency]int64{}, columns: agreedColumns}
	left := b.report.Totals.Attempts.ClassCount(recon.Matched)
	for n := 1; n == 1 || left > 0; n++ {
		sheet := SheetAgreed
		if n > 1 {
			sheet = Sheet(fmt.Sprintf("%s %d", SheetAgreed, n))
		}
		a.sheets = append(a.sheets, sheet)
		a.rows, a.booked = append(a.rows, int(min(left, maxAgreedRows))), append(a.booked, 0)
		left -= min(left, maxAgreedRows)
	}
	for _, t := range b.report.Totals.Attempts.Classes {
		if t.Class == recon.Matched {
			for _, s := range t.Minor {
				a.currencies = append(a.currencies, s.Currency)
			}
		}
	}
	for _, c := range a.currencies {
		a.columns = append(a.columns[:len(a.columns):len(a.columns)], column{
			"Cumulative " + currencyWord(c), 15, technical, holdsInteger, "Minor units of the currency up to and with this row, over all sheets of agreed attempts: what a sample by value selects by.",
		})
	}
	a.running = make([]int64, len(a.currencies))
	return a
}

// write streams the population.
func (a *agreed) write() error {
	w := agreedWriter{agreed: a}
	if err := w.open(); err != nil {
		return err
	}
	n := int64(0)
	for pair, err := range a.book.opts.Agreed(a.book.ctx) {
		if err != nil {
			return fmt.Errorf("read agreed attempts: %w", err)
		}
		n++
		if err := w.row(n, &pair); err != nil {
			return err
		}
	}
	if want := a.book.report.Totals.Attempts.ClassCount(recon.Matched); n != want {
		return fmt.Errorf("sheet %s: the run counts %d agreed attempts and lists %d: %w", SheetAgreed, want, n, ErrInvalid)
	}
	return w.close()
}

// agreedWriter writes one sheet after the other: excelize the head, the table and all else, the encoder the rows, which
// are put between them when the workbook is saved.
type agreedWriter struct {
	*agreed
	part    int // sheet being written, from 0
	sw      *excelize.StreamWriter
	encoder *rowEncoder
	rows    spool
	out     *bufio.Writer
	money   map[ledger.Currency]int // style of amounts
}

// open begins the next sheet.
func (w *agreedWriter) open() (err error) {
	b, sheet := w.book, w.sheets[w.part]
	last := listFirstRow + max(w.agreed.rows[w.part], 1) - 1
	if w.sw, err = b.begin(sheet, len(w.columns), last, printing{wide: 1}); err != nil {
		return err
	}
	if err := w.sw.SetPanes(frozen(agreedItem, listHeadRow)); err != nil {
		return err
	}
	for i := len(w.columns) - 1; i >= 0; i-- {
		if err := w.sw.SetColWidth(i+1, i+1, w.columns[i].width); err != nil {
			return err
		}
	}
	l := &list{sheet: sheet, title: "Agreed to ledger", columns: w.columns, rows: w.agreed.rows[w.part], about: "Every attempt of the period that is agreed to ledger: a booked entry of equal amount, currency and payee is linked, and no more than that. Not printed in full; sample from it."}
	if err := b.writeListHead(w.sw, l); err != nil {
		return err
	}
	if w.rows, err = newSpool(b.opts.TempDir); err != nil {
		return &temporaryError{folder: b.opts.TempDir, err: err}
	}
	w.out = bufio.NewWriterSize(w.rows, 1<<16)
	b.spliced[partOf(b.sheets(), sheet)] = w.rows
	return w.looks()
}

// looks numbers the styles of the columns.
func (w *agreedWriter) looks() error {
	w.encoder, w.money = newRowEncoder(len(w.columns)), map[ledger.Currency]int{}
	for i := range w.columns {
		look := techLook.as(formatInteger) // of minor units and cumulative values
		switch i + 1 {
		case agreedNumber:
			look = lined.as(formatCount)
		case agreedItem, agreedCurrency, agreedEntry:
			look = lined.as(formatText)
		case agreedProposed:
			look = lined.as(formatInstant)
		case agreedBooked:
			look = lined.as(formatDate)
		case agreedAmount, agreedTier, agreedQuality, agreedNotes:
			look = lined
		case agreedTick, agreedNote:
			look = auditLook
		}
		id, err := w.book.styles.id(look)
		if err != nil {
			return err
		}
		w.encoder.style(i, id)
	}
	for _, c := range w.currencies {
		id, err := w.book.styles.id(lined.as(moneyFormat(c)))
		if err != nil {
			return err
		}
		w.money[c] = id
	}
	return nil
}

// row writes a pair, on the next sheet where this one is full.
func (w *agreedWriter) row(n int64, pair *recon.AgreedPair) error {
	at := int(n-1) - w.part*maxAgreedRows
	if at == maxAgreedRows && w.part+1 < len(w.sheets) {
		if err := w.close(); err != nil {
			return err
		}
		w.part++
		if err := w.open(); err != nil {
			return err
		}
		at = 0
	}
	if at >= w.agreed.rows[w.part] {
		return fmt.Errorf("sheet %s: more agreed attempts are listed than the run counts: %w", w.sheets[w.part], ErrInvalid)
	}
	if at%1000 == 0 {
		if err := w.book.ctx.Err(); err != nil {
			return err
		}
	}
	w.counts[pair.Currency]++
	w.minors[pair.Currency] += pair.Minor
	if w.book.report.Period.HasDate(pair.BookedOn) && !pair.BookedOn.IsZero() {
		w.booked[w.part]++
		w.further += int64(pair.Entries) - 1
	} else {
		w.further += int64(pair.Entries)
	}
	w.encoder.begin(listFirstRow + at)
	w.fill(n, pair)
	if _, err := w.out.Write(w.encoder.end()); err != nil {
		return &temporaryError{folder: w.book.opts.TempDir, err: err}
	}
	return nil
}

// fill encodes the cells of a pair, in the order of the columns.
func (w *agreedWriter) fill(n int64, pair *recon.AgreedPair) {
	b, e := w.book, w.encoder
	shown := func(s string) string {
		text := show(s, false)
		if text != s {
			b.altered++
		}
		return text
	}
	e.integer(n)
	e.text(shown(pair.AttemptID))
	e.style(agreedAmount-1, w.money[pair.Currency])
	e.amount(pair.Minor, pair.Currency)
	e.text(currencyWord(pair.Currency))
	e.serial(pair.ProposedAt.UTC().Truncate(time.Second))
	if pair.BookedOn.IsZero() {
		e.blank()
	} else {
		e.serial(pair.BookedOn.Time())
	}
	e.text(shown(pair.EntryID))
	e.text(pair.Tier.String())
	e.text(idQuality(pair.IDSource))
	e.text(shown(flagList(pair.Flags, ", ")))
	e.blank()
	e.blank()
	e.minor(pair.Minor)
	for i, c := range w.currencies {
		if c == pair.Currency {
			w.running[i] += pair.Minor
		}
		e.minor(w.running[i])
	}
}

// amount is a money cell, text beyond 15 digits as everywhere.
func (e *rowEncoder) amount(minor int64, c ledger.Currency) {
	if minor >= maxExact || minor <= -maxExact {
		e.text(ledger.FormatDecimal(minor, c.Exponent()))
		return
	}
	e.float(major(minor, c))
}

// minor is an integer cell, text beyond 15 digits as everywhere.
func (e *rowEncoder) minor(n int64) {
	if n >= maxExact || n <= -maxExact {
		e.text(strconv.FormatInt(n, 10))
		return
	}
	e.integer(n)
}

// partOf is the part of the zip file that holds a sheet: they are numbered in the order in which they were made.
func partOf(sheets []Sheet, sheet Sheet) string {
	return fmt.Sprintf("xl/worksheets/sheet%d.xml", slices.Index(sheets, sheet)+1)
}

// close ends a sheet.
func (w *agreedWriter) close() error {
	b, sheet := w.book, w.sheets[w.part]
	last := listFirstRow + max(w.agreed.rows[w.part], 1) - 1
	if err := w.out.Flush(); err != nil {
		return &temporaryError{folder: b.opts.TempDir, err: err}
	}
	if w.agreed.rows[w.part] > 0 {
		stripes := false
		if err := w.sw.AddTable(&excelize.Table{
			Range: at(1, listHeadRow) + ":" + at(len(w.columns), last), Name: tableName(sheet), StyleName: "TableStyleLight1", ShowRowStripes: &stripes,
		}); err != nil {
			return err
		}
		if err := b.file.AddIgnoredErrors(string(sheet), at(1, listFirstRow)+":"+at(len(w.columns), last), excelize.IgnoredErrorsNumberStoredAsText); err != nil {
			return err
		}
	}
	if err := w.sw.Flush(); err != nil {
		return err
	}
	// A population of any size prints as one page: the head and its first rows.
	if err := b.file.SetDefinedName(&excelize.DefinedName{
		Name: "_xlnm.Print_Area", RefersTo: fmt.Sprintf("%s!$A$1:$%s$%d", quoted(sheet), columnName(agreedNotes), min(last, listHeadRow+agreedPrinted)), Scope: string(sheet),
	}); err != nil {
		return err
	}
	return b.printTitles(sheet, "$A:$B", listHeadRow)
}

// agreedPrinted is how many rows of the population are printed.
const agreedPrinted = 36

// span names the cells of a column on one of the sheets.
func (a *agreed) span(part, column int) string {
	name := columnName(column)
	return fmt.Sprintf("%s!$%s$%d:$%s$%d", quoted(a.sheets[part]), name, listFirstRow, name, listFirstRow+max(a.rows[part], 1)-1)
}

// size is the live number of rows of one sheet.
func (a *agreed) size(part int) figure {
	return figure{expr: "COUNTA(" + a.span(part, agreedItem) + ")", n: int64(a.rows[part])}
}

// tally is the live count and value of a currency over all sheets.
func (a *agreed) tally(c ledger.Currency, exact bool) (count, minor figure) {
	for part := range a.sheets {
		condition := fmt.Sprintf("%s,%s", a.span(part, agreedCurrency), literal(currencyWord(c)))
		count = count.plus(figure{expr: "COUNTIFS(" + condition + ")"})
		minor = minor.plus(figure{expr: "SUMIFS(" + a.span(part, agreedMinor) + "," + condition + ")"})
	}
	count.n, minor.n = a.counts[c], a.minors[c]
	return count, minor.fixed(!exact || a.huge())
}

// huge reports whether a sum is beyond what a spreadsheet keeps.
func (a *agreed) huge() bool {
	for _, n := range a.minors {
		if size(n) >= maxExact {
			return true
		}
	}
	return false
}

// names lists the sheets for a reader.
func (a *agreed) names() string {
	names := make([]string, len(a.sheets))
	for i, s := range a.sheets {
		names[i] = string(s)
	}
	return strings.Join(names, ", ")
}

// total is how many agreed attempts there are.
func (a *agreed) total() (n int64) {
	for _, rows := range a.rows {
		n += int64(rows)
	}
	return n
}
