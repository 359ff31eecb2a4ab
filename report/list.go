package report

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/xuri/excelize/v2"

	"agentrecon/ledger"
	"agentrecon/recon"
)

// group says whose a column is.
type group int

const (
	evidence   group = iota // locked: what the run says, for people
	management              // unlocked: the entity's decisions
	auditor                 // unlocked, never imported
	technical               // locked: for machines and for tracing
)

var groupNames = [...]string{"Evidence", "Management (unlocked)", "Auditor (unlocked, never imported)", "Technical"}

// column is one column of a list sheet.
type column struct {
	head    string
	width   float64
	group   group
	holds   string // "text", "id", "amount", "integer", "count", "date", "time", "days", "word"
	meaning string // for the Fields sheet
}

// col is a column with the way to fill it from an item.
type col[T any] struct {
	column
	get func(b *book, item *T) cell
}

// fact is what formulas need to know of a row; it is kept while the row itself is streamed out.
type fact struct {
	population recon.Population
	class      recon.Class
	currency   ledger.Currency
	outcome    string
	settlement string
	cause      string
	status     string
	marked     bool
	approved   bool   // a decision that closes it stands and is approved
	line       string // of the bridge; attempts without a booked entry and the edge of the period only
	change     recon.Change
	against    string // of a change
	minor      int64
	effect     int64 // entries less attempts
	difference int64 // ledger less attempt, minor units
	age        time.Duration
	cutOffAge  time.Duration
	aged       bool   // it has an age: attempts do
	cutOff     bool   // it has an age at the cut-off
	account    string // of an entry, the own account

	number, lineCount, lineMinor int64 // of a line of the bridge by account
}

// list is a sheet with one table of items.
type list struct {
	sheet   Sheet
	title   string
	about   string
	columns []column
	key     string // header of a column that is never empty; empty = headItem
	frozen  int    // columns that stay on the screen
	rows    int
	row     func(i int) []cell
	facts   []fact
	printed int // rows that are printed; 0 = all
}

// Rows of a list sheet.
const (
	listCountRow = 3
	listHeadRow  = 5
	listFirstRow = 6
	maxListRows  = excelize.TotalRows - listFirstRow
)

// nilNote stands on a list sheet that has no items.
const nilNote = "Nil: no items in this run"

// newList makes a list of items.
func newList[T any](b *book, sheet Sheet, title, about string, cols []col[T], items []*T, factOf func(*T) fact) *list {
	l := &list{sheet: sheet, title: title, about: about, rows: len(items), frozen: 3}
	for i, c := range cols {
		l.columns = append(l.columns, c.column)
		if c.head == headItem {
			l.frozen = i + 1
		}
	}
	l.facts = make([]fact, len(items))
	for i, item := range items {
		l.facts[i] = factOf(item)
	}
	l.row = func(i int) []cell {
		cells := make([]cell, len(cols))
		for k, c := range cols {
			switch c.group {
			case management:
				cells[k] = blank(inputLook)
				if c.get != nil {
					cells[k] = c.get(b, items[i])
				}
			case auditor:
				cells[k] = blank(auditLook)
			default:
				if c.get != nil {
					cells[k] = c.get(b, items[i])
				}
			}
		}
		if last := len(cols) - 1; cols[last].head == headDigest {
			cells[last] = words(rowDigest(l.columns, cells), techLook)
		}
		return cells
	}
	return l
}

// column is the number of the column with a header, from 1.
func (l *list) column(head string) int {
	for i, c := range l.columns {
		if c.head == head {
			return i + 1
		}
	}
	panic("report: sheet " + string(l.sheet) + " has no column " + head)
}

// width is the width of a column, from 0.
func (l *list) width(i int) float64 { return l.columns[i].width }

func (l *list) has(head string) bool {
	for _, c := range l.columns {
		if c.head == head {
			return true
		}
	}
	return false
}

// lastRow is the last row of the table; a nil list has one empty row.
func (l *list) lastRow() int { return listFirstRow + max(l.rows, 1) - 1 }

// span names the cells of a column for formulas.
func (l *list) span(head string) string {
	name := columnName(l.column(head))
	return fmt.Sprintf("%s!$%s$%d:$%s$%d", quoted(l.sheet), name, listFirstRow, name, l.lastRow())
}

// size is the live number of rows.
func (l *list) size() figure {
	return figure{expr: "COUNTA(" + l.span(cmp.Or(l.key, headItem)) + ")", n: int64(l.rows)}
}

// criterion is one condition of COUNTIFS and SUMIFS.
type criterion struct {
	head  string
	ref   string // a cell, or a quoted literal
	holds func(*fact) bool
}

// classIs and its like are conditions that a formula and the program read alike.
func classIs(ref string, c recon.Class) criterion {
	return criterion{headClass, ref, func(f *fact) bool { return f.class == c }}
}

func currencyIs(ref string, c ledger.Currency) criterion {
	return criterion{headCurrency, ref, func(f *fact) bool { return f.currency == c }}
}

func populationIs(ref string, p recon.Population) criterion {
	return criterion{headPopulation, ref, func(f *fact) bool { return f.population == p }}
}

func causeIs(ref string, c recon.Cause) criterion {
	return criterion{headPointsTo, ref, func(f *fact) bool { return f.cause == string(c) }}
}

func statusIs(ref, status string) criterion {
	return criterion{headStatus, ref, func(f *fact) bool { return f.status == status }}
}

func lineIs(line string) criterion {
	return criterion{headLine, literal(line), func(f *fact) bool { return f.line == line }}
}

// differenceAbove and differenceBelow pick the items in which the ledger has more, or less, than the attempts.
func differenceAbove() criterion {
	return criterion{headDifference, `">0"`, func(f *fact) bool { return f.difference > 0 }}
}

func differenceBelow() criterion {
	return criterion{headDifference, `"<0"`, func(f *fact) bool { return f.difference < 0 }}
}

// ageFrom and ageBelow compare with the days shown, not with the exact age.
func ageFrom(days float64) criterion {
	return criterion{headAge, fmt.Sprintf(`">=%g"`, days), func(f *fact) bool { return f.aged && shownDays(f.age) >= days }}
}

func ageBelow(days float64) criterion {
	return criterion{headAge, fmt.Sprintf(`"<%g"`, days), func(f *fact) bool { return f.aged && shownDays(f.age) < days }}
}

func cutOffAgeFrom(days float64) criterion {
	return criterion{headAgeCutOff, fmt.Sprintf(`">=%g"`, days), func(f *fact) bool { return f.cutOff && shownDays(f.cutOffAge) >= days }}
}

func cutOffAgeBelow(days float64) criterion {
	return criterion{headAgeCutOff, fmt.Sprintf(`"<%g"`, days), func(f *fact) bool { return f.cutOff && shownDays(f.cutOffAge) < days }}
}

func againstIs(ref, against string) criterion {
	return criterion{headAgainst, ref, func(f *fact) bool { return f.against == against }}
}

func changeIs(k recon.ChangeKind) criterion {
	return criterion{headChange, literal(string(k)), func(f *fact) bool { return f.change.Kind == k }}
}

func fromIs(ref string, c recon.Class) criterion {
	return criterion{headFrom, ref, func(f *fact) bool { return f.change.From == c }}
}

func toIs(ref string, c recon.Class) criterion {
	return criterion{headTo, ref, func(f *fact) bool { return f.change.To == c }}
}

// ofPeriod picks the changes of items of the period itself, or of those from before it.
func ofPeriod(earlier bool) criterion {
	return criterion{headWhen, literal(periodWord(earlier)), func(f *fact) bool { return f.change.Earlier == earlier }}
}

func isLate(late bool) criterion {
	return criterion{headLate, literal(yesNo(late)), func(f *fact) bool { return f.change.Late == late }}
}

func isMarked() criterion {
	return criterion{headMarked, `"yes"`, func(f *fact) bool { return f.marked }}
}

// literal quotes a text as a criterion that means the text itself.
func literal(s string) string {
	s = strings.NewReplacer(`"`, `""`, "~", "~~", "*", "~*", "?", "~?").Replace(s)
	return `"` + s + `"`
}

// countIf is the live number of rows that meet every criterion.
func (l *list) countIf(criteria ...criterion) figure {
	var n int64
	for i := range l.facts {
		if meets(&l.facts[i], criteria) {
			n++
		}
	}
	return figure{expr: "COUNTIFS(" + l.conditions(criteria) + ")", n: n}
}

// sumIf is the live sum of an integer column over the rows that meet every criterion.
func (l *list) sumIf(head string, of func(*fact) int64, criteria ...criterion) figure {
	var n int64
	for i := range l.facts {
		if meets(&l.facts[i], criteria) {
			n += of(&l.facts[i])
		}
	}
	return figure{expr: "SUMIFS(" + l.span(head) + "," + l.conditions(criteria) + ")", n: n}
}

// conditions writes criteria as COUNTIFS and SUMIFS take them: range, criterion, range, criterion.
func (l *list) conditions(criteria []criterion) string {
	parts := make([]string, 0, 2*len(criteria))
	for _, c := range criteria {
		parts = append(parts, l.span(c.head), c.ref)
	}
	return strings.Join(parts, ",")
}

func meets(f *fact, criteria []criterion) bool {
	for _, c := range criteria {
		if !c.holds(f) {
			return false
		}
	}
	return true
}

func minorOf(f *fact) int64      { return f.minor }
func effectOf(f *fact) int64     { return f.effect }
func differenceOf(f *fact) int64 { return f.difference }

// rowDigest identifies what the locked cells of a row say: sha256 over header and value of each, length-prefixed, cut
// to 16 hex digits. Reviewers' columns are left out, so that it survives a review.
func rowDigest(columns []column, cells []cell) string {
	h := sha256.New()
	for i, c := range columns {
		if c.group == management || c.group == auditor || c.head == headDigest {
			continue
		}
		prefixed(h, c.head)
		prefixed(h, plainValue(cells[i].value))
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// prefixed hashes a text with its length before it, so that no two rows of cells run together.
func prefixed(h hash.Hash, s string) {
	var length [8]byte
	binary.BigEndian.PutUint64(length[:], uint64(len(s)))
	h.Write(length[:])
	io.WriteString(h, s)
}

// plainValue is a cell's value in one unambiguous text form.
func plainValue(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	case int64:
		return strconv.FormatInt(v, 10)
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	case time.Time:
		return v.Format(time.RFC3339)
	default:
		panic(fmt.Sprintf("report: cell value of type %T", v))
	}
}
