package report

import (
	"fmt"
	"strings"

	"agentrecon/ledger"
	"agentrecon/recon"
)

// sampleLines is how many items a sample can have.
const sampleLines = 60

// notSelected stands where nothing is selected yet.
const notSelected = "–"

// stratum is a sheet that a sample selects from.
type stratum struct {
	sheet    Sheet
	size     figure
	item     string // cells of its columns, without the sheet's first rows
	amount   string
	currency string
	class    string // cells, or a literal
	tier     string
}

// newSample lets the auditor draw: the start, the interval or the value is theirs, the rows come by formula. A sample
// that the program drew would be the program's and not the auditor's.
func newSample(b *book) *grid {
	g := &grid{sheet: SheetSample, widths: []float64{20, 17, 17, 11, 31, 16, 10, 21, 19, 8, 26}, heads: 4}
	g.title("Sample", "Type a random start and an interval into the green cells; the rows below come by formula. Clean, open and excluded items are in the populations.", b.runLine())
	g.gap()
	samplePopulation(b, g, "1. Attempts, by interval", attemptStrata(b))
	samplePopulation(b, g, "2. Ledger entries, by interval", entryStrata(b))
	g.add(words("A row of Agreed to ledger stands for the entries that settle it. If its booking date lies outside the period, take the next row, for that entry is in the population of another period; the same for an outcome drawn on Ledger only, which is no entry.", italicLook))
	g.gap()
	for i, c := range b.agreed.currencies {
		sampleValue(b, g, i, c)
	}
	return g
}

// attemptStrata are the sheets that hold every attempt of the period once.
func attemptStrata(b *book) []stratum {
	strata := agreedStrata(b, agreedItem)
	for _, sheet := range attemptLists {
		l := b.list(sheet)
		amount := "Amount"
		if !l.has(amount) {
			amount = "Attempt amount"
		}
		strata = append(strata, stratum{sheet, l.size(), l.span(headItem), l.span(amount), l.span(headCurrency), l.span(headClass), literal("see its row")})
	}
	return strata
}

// entryStrata are the entries of agreed attempts, those of other attempts, and those that are listed: every entry of the
// period.
func entryStrata(b *book) []stratum {
	strata := agreedStrata(b, agreedEntry)
	for _, sheet := range append([]Sheet{SheetLinked}, ledgerLists...) {
		l := b.list(sheet)
		strata = append(strata, stratum{sheet, l.size(), l.span(headItem), l.span("Amount"), l.span(headCurrency), l.span(headClass), l.span(headTier)})
	}
	return strata
}

func agreedStrata(b *book, item int) []stratum {
	var strata []stratum
	for part, sheet := range b.agreed.sheets {
		a := b.agreed
		strata = append(strata, stratum{sheet, a.size(part), a.span(part, item), a.span(part, agreedAmount), a.span(part, agreedCurrency), literal(string(recon.Matched)), a.span(part, agreedTier)})
	}
	return strata
}

// samplePopulation writes the strata, the two inputs and the lines of one population.
func samplePopulation(b *book, g *grid, name string, strata []stratum) {
	g.section(name)
	g.head("Stratum (sheet)", ">Rows", ">First number", ">Last number")
	first := g.next()
	sum := int64(0)
	for i, s := range strata {
		row := g.next()
		begin := figure{expr: "1", n: 1}
		if i > 0 {
			begin = figure{expr: at(4, row-1) + "+1", n: sum + 1}
		}
		sum += s.size.n
		g.add(words(string(s.sheet), lined), s.size.count(lined), begin.count(lined), figure{expr: fmt.Sprintf("%s+%s-1", at(3, row), at(2, row)), n: sum}.count(lined))
	}
	last := g.next() - 1
	d := draw{strata: strata, first: first, last: last}
	start := g.add(words("Random start", labelLook), blank(auditLook.as(formatCount)), words("from 1 up to the interval; say in your papers where the number comes from", besideLook))
	g.add(words("Interval", labelLook), blank(auditLook.as(formatCount)), words("population divided by the size of the sample", besideLook))
	g.gap()
	for k := range sampleLines {
		sampleHead(g, k, ">Number")
		number := fmt.Sprintf("$B$%d+%d*$B$%d", start, k, start+1)
		formula := fmt.Sprintf(`IF(OR($B$%d="",$B$%d=""),"%s",IF(%s>$D$%d,"%s",%s))`, start, start+1, notSelected, number, last, notSelected, number)
		d.line(g, k, formula)
	}
	g.gap()
}

// linesAPage is how many lines of a sample stand below one header: no page begins without it.
const linesAPage = 30

// sampleHead adds the header before the first line of a page.
func sampleHead(g *grid, line int, by string) {
	switch {
	case line%linesAPage != 0:
		return
	case line > 0:
		g.block()
	}
	g.head(">Line", by, "Sheet", ">Row", "Item", ">Amount", "Currency", "Class", "Linked by", "Tick", "Note")
}

// draw is what the lines of a sample look up.
type draw struct {
	strata      []stratum
	first, last int // rows of the strata
}

// line writes a line of the sample: the number selects the stratum, the stratum the row.
func (d *draw) line(g *grid, k int, number string) {
	row := g.next()
	b := at(2, row)
	which := fmt.Sprintf("MATCH(%s,$C$%d:$C$%d,1)", b, d.first, d.last)
	within := fmt.Sprintf("%s-INDEX($C$%d:$C$%d,%s)+1", b, d.first, d.last, which)
	look := func(of func(*stratum) string) string {
		parts := make([]string, len(d.strata))
		for i := range d.strata {
			parts[i] = of(&d.strata[i])
			if !strings.HasPrefix(parts[i], `"`) {
				parts[i] = fmt.Sprintf("INDEX(%s,%s)", parts[i], within)
			}
		}
		return fmt.Sprintf("CHOOSE(%s,%s)", which, strings.Join(parts, ","))
	}
	sampleLine(g, k, number,
		fmt.Sprintf("INDEX($A$%d:$A$%d,%s)", d.first, d.last, which),
		fmt.Sprintf("%s+%d", within, listFirstRow-1),
		look(func(s *stratum) string { return s.item }),
		look(func(s *stratum) string { return s.amount }),
		look(func(s *stratum) string { return s.currency }),
		look(func(s *stratum) string { return s.class }),
		look(func(s *stratum) string { return s.tier }))
}

// sampleLine adds a line; every formula is idle until its number is there. A tick and a note are the auditor's.
func sampleLine(g *grid, k int, number string, formulas ...string) {
	row := g.next()
	cells := []cell{{value: int64(k + 1), style: lined.as(formatCount)}, {formula: number, value: notSelected, style: lined.as(formatCount)}}
	looks := []style{lined, lined.as(formatCount), lined, lined.as("#,##0.00##"), lined, lined, lined}
	for i, f := range formulas {
		cells = append(cells, cell{formula: fmt.Sprintf(`IF(%s="%s","%s",%s)`, at(2, row), notSelected, notSelected, f), value: notSelected, style: looks[i]})
	}
	g.add(append(cells, blank(auditLook), blank(auditLook))...)
}

// sampleValue selects agreed attempts of one currency by value: each monetary unit has the same chance.
func sampleValue(b *book, g *grid, i int, c ledger.Currency) {
	a := b.agreed
	g.section(fmt.Sprintf("3.%d. Agreed attempts by value, %s: every minor unit has the same chance", i+1, currencyWord(c)))
	g.add(words("Total, minor units", labelLook), minorUnits(a.running[i], lined))
	total := g.next() - 1
	start := g.add(words("Random start", labelLook), blank(auditLook.as(formatInteger)), words("minor units, from 1 up to the interval", besideLook))
	g.add(words("Interval", labelLook), blank(auditLook.as(formatInteger)), words("minor units: the value that one selected item stands for", besideLook))
	g.gap()
	for k := range sampleLines {
		sampleHead(g, k, ">Minor unit")
		row := g.next()
		number := fmt.Sprintf("$B$%d+%d*$B$%d", start, k, start+1)
		idle := fmt.Sprintf(`IF(OR($B$%d="",$B$%d=""),"%s",IF(%s>$B$%d,"%s",%s))`, start, start+1, notSelected, number, total, notSelected, number)
		unit := at(2, row)
		part, within := a.locate(unit, agreedCumulative+i)
		pick := func(column int) string {
			parts := make([]string, len(a.sheets))
			for p := range a.sheets {
				parts[p] = fmt.Sprintf("INDEX(%s,%s)", a.span(p, column), within)
			}
			return fmt.Sprintf("CHOOSE(%s,%s)", part, strings.Join(parts, ","))
		}
		names := make([]string, len(a.sheets))
		for p, sheet := range a.sheets {
			names[p] = literal(string(sheet))
		}
		sampleLine(g, k, idle, fmt.Sprintf("CHOOSE(%s,%s)", part, strings.Join(names, ",")), fmt.Sprintf("%s+%d", within, listFirstRow-1),
			pick(agreedItem), pick(agreedAmount), pick(agreedCurrency), literal(string(recon.Matched)), pick(agreedTier))
	}
	g.gap()
}

// locate finds the sheet and the row that hold a minor unit: the first row whose cumulative value reaches it.
func (a *agreed) locate(unit string, column int) (part, within string) {
	// The sheets before the one that holds the unit end below it.
	var before []string
	for p := range a.sheets[:len(a.sheets)-1] {
		cell := fmt.Sprintf("%s!$%s$%d", quoted(a.sheets[p]), columnName(column), listFirstRow+a.rows[p]-1)
		before = append(before, fmt.Sprintf("IF(%s>%s,1,0)", unit, cell))
	}
	part = "1"
	if len(before) > 0 {
		part = "1+" + strings.Join(before, "+")
	}
	rows := make([]string, len(a.sheets))
	for p := range a.sheets {
		rows[p] = fmt.Sprintf("IFERROR(MATCH(%s-1,%s,1),0)+1", unit, a.span(p, column))
	}
	return part, fmt.Sprintf("CHOOSE(%s,%s)", part, strings.Join(rows, ","))
}
