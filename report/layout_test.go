package report

import (
	"strings"
	"testing"

	"agentrecon/recon"
)

// The lines that a text takes are those of the program that needs more: Excel breaks at blanks, LibreOffice at marks too.
func TestWrappedLines(t *testing.T) {
	look := lined.wrapped()
	for _, test := range []struct {
		name, text string
		units      float64
		want       float64
	}{
		{"a word", "EUR", 9, 1},
		{"two words that fit", "Supplier 43", 15, 1},
		{"two words that do not", "Supplier number 43 of many", 15, 2},
		{"an identifier longer than its column", "toolu_01dinRU1pkKxhrU8xPC5kuL5", 17, 2},
		{"an identifier broken at its marks, as LibreOffice does", `bell\u0007escape\u001b[31m`, 13, 3},
		{"a path", "ledger-2026-03/statements/jan.csv:951", 20, 2},
		{"lines of its own", "one\ntwo\nthree", 20, 3},
		{"an identifier of 255 characters in the narrowest column", strings.Repeat("x", 255), 12, 20},
		{"a page of text", strings.Repeat("word ", 2000), 20, maxIDLines},
		{"letters of other scripts are wide", "漢字漢字漢字漢字", 8, 3},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := wrappedLines(test.text, test.units*pixelsPerWidth-cellPadding-indentPixels, look); got != test.want {
				t.Errorf("got %g lines of %q, want %g", got, test.text, test.want)
			}
		})
	}
}

// Whatever the sheets hold, nine points come out of the printer as five and a half at least.
func TestNothingIsPrintedUnreadablySmall(t *testing.T) {
	const least = 5.5 / 9
	b := &book{report: &recon.Report{}, index: newIndex(&recon.Report{})}
	for _, l := range append(b.makeLists(), linkedList(b)) {
		l.rows = 1
		_, width := l.printedColumns()
		wide := l.pagesWide()
		for _, c := range l.columns[:l.frozen] {
			width += float64(wide-1) * c.width // they are printed again
		}
		paper, _ := pageSize(A4)
		if scale := (paper - 2*sideMargin) * float64(wide) / (width * pointsPerWidth); scale < least {
			t.Errorf("%s is printed at %.0f %%, want at least %.0f", l.sheet, 100*scale, 100*least)
		}
	}
}

// A number that does not fit its column shows as #####.
func TestColumnsHaveRoomForTheirNumbers(t *testing.T) {
	g := &grid{widths: []float64{9, 9, 9}}
	g.add(cell{value: 1234567.89, style: lined.as(moneyFormat("EUR"))}, cell{value: int64(-999_999_999_999_999), style: lined.as(formatInteger)}, number(12, lined))
	g.widen()
	if g.widths[0] < 11 || g.widths[1] < 16 || g.widths[2] != 9 {
		t.Errorf("got widths %v, want room for the first two and the third as it was", g.widths)
	}
	b := &book{report: &recon.Report{}, index: newIndex(&recon.Report{})}
	l := unresolvedList(b)
	before := l.columns[l.column("Amount")-1].width
	l.rows, l.facts = 1, []fact{{minor: 5_000_000_000, currency: "EUR"}}
	l.row = func(int) []cell { return make([]cell, len(l.columns)) }
	l.widen()
	if after := l.columns[l.column("Amount")-1].width; after <= before {
		t.Errorf("got width %g for 50,000,000.00 and what the ledger may have beyond it, want more than %g", after, before)
	}
}
