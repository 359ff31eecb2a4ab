package report

import (
	"fmt"
	"slices"
	"strings"

	"agentrecon/ledger"
	"agentrecon/recon"
)

// checks is the Checks sheet: every tie-out with both sides and where each comes from, and every class on its sheet.
type checks struct {
	*grid
	book    *book
	sources *sources
	base    int     // first row of the tallies
	tallies []tally // by population, currency and class
	made    int
	differ  int
}

// tally is the row of one class in one currency.
type tally struct {
	population recon.Population
	info       recon.ClassInfo
	place      Placement
	currency   ledger.Currency // empty for outcomes
	row        int             // counted from the first tally
	first      bool            // first of its population and currency: the class that is not listed
	last       int             // row of the last of its population and currency
	count      int64           // per run
	minor      int64
	sheetCount figure // on the sheet
	sheetMinor figure
}

// isNil reports whether neither the run nor its sheet has an item of the class.
func (t *tally) isNil() bool {
	return t.count == 0 && t.minor == 0 && t.sheetCount.n == 0 && t.sheetMinor.n == 0
}

// Columns of the tallies.
const (
	tallyClass = iota + 1
	tallyRun
	tallySheet
	tallyOnSheet
	tallyPopulation
	tallyDifference
	tallyCurrency
	tallyKind
	tallyCheck
	tallyRunMinor
	tallySheetMinor
	tallyDifferenceMinor
	tallyCheckMinor
)

// tie is one tie-out of the sheet.
type tie struct {
	assertion           string
	left, right         figure
	leftFrom, rightFrom string
	unit                string
	typed               bool // both sides are stated by the run
	independent         bool
}

// newChecks lays the tallies out first, for the tie-outs above them name their cells; the rows in which they stand are known
// only when the tie-outs are counted. That is why the tie-outs are made twice.
func newChecks(b *book, s *sources) *checks {
	c := &checks{book: b, sources: s, grid: &grid{
		sheet: SheetChecks, widths: []float64{36, 14, 27, 14, 27, 10, 13, 11, 9, 13, 13, 10, 9}, heads: 4,
	}}
	c.title("Checks", "Two figures that must be equal, each from its own place. Independent: yes where the two sides come from different sources.", b.runLine())
	c.gap()
	c.layTallies()
	run, own := c.runTies(), c.ownTies()
	// Result line, two section bands, two headers, two gaps and the ties stand above the tallies.
	c.base = c.next() + 2 + (2 + len(run) + 1) + (2 + len(own) + 1) + 2
	c.fillTallies()
	own = c.ownTies()
	c.resultLine()
	c.writeTies("1. Tie-outs of the run, as recorded with it", run)
	c.writeTies("2. Tie-outs of this workbook, live", own)
	c.writeTallies()
	return c
}

// resultLine counts the checks that differ, live.
func (c *checks) resultLine() {
	row := c.next()
	first := row + 2
	last := c.base + len(c.tallies)
	c.add(words("Checks that differ", labelLook), blank(lined), words("of all CHECK cells below", lined))
	c.gap()
	span := func(column int) string {
		return fmt.Sprintf("$%s$%d:$%s$%d", columnName(column), first, columnName(column), last)
	}
	c.rows[row-1][1] = cell{
		formula: fmt.Sprintf(`COUNTIF(%s,"%s")+COUNTIF(%s,"%s")`, span(tallyCheck), checkDiffers, span(tallyCheckMinor), checkDiffers),
		style:   labelLook.as(formatCount),
	}
}

// differing is the live number of checks that differ, for other sheets.
func (c *checks) differing() figure { return typed(on(c.sheet, 2, 5), int64(c.differ)) }

// runTies are the tie-outs that the run recorded.
func (c *checks) runTies() []tie {
	var ties []tie
	for _, check := range c.book.report.Checks {
		ties = append(ties, tie{
			assertion: check.Assertion, left: figure{n: check.Left}, right: figure{n: check.Right}, leftFrom: check.LeftFrom, rightFrom: check.RightFrom,
			unit: unitWords(check.Unit), typed: true, independent: check.Independent,
		})
	}
	return ties
}

// unitWords says of a currency that its minor units are meant.
func unitWords(unit string) string {
	if strings.HasPrefix(unit, "count") {
		return unit
	}
	return unit + ", minor"
}

// ownTies are worked out by formulas over the other sheets.
func (c *checks) ownTies() []tie {
	const source, classes = "Sources, control totals", "this sheet, tallies per run"
	var ties []tie
	for _, cur := range c.book.currencies() {
		attempts, entries := c.sources.attempts[cur], c.sources.entries[cur]
		for _, p := range []struct {
			what       string
			population recon.Population
			control    control
		}{{"attempt", recon.Attempts, attempts}, {"ledger entry", recon.Entries, entries}} {
			ties = append(ties,
				tie{"Every " + p.what + " has exactly one class", p.control.count, c.sumTallies(p.population, cur, tallyRun), source, classes, "count " + string(cur), false, true},
				tie{"The classes of every " + p.what + " sum to its amount", p.control.minor, c.sumTallies(p.population, cur, tallyRunMinor), source, classes, unitWords(string(cur)), false, true},
			)
		}
	}
	ties = append(ties, tie{"Every outcome has exactly one class", c.sources.outcomes, c.sumTallies(recon.Outcomes, "", tallyRun), source, classes, "count", false, true})
	repeats := c.book.list(SheetRepeats)
	for _, cur := range c.book.currencies() {
		ties = append(ties, tie{
			"Deliveries less repeats are the attempts", c.sources.deliveriesOf[cur].minus(repeats.countIf(currencyIs(literal(currencyWord(cur)), cur))), c.sources.attempts[cur].count,
			"Sources, deliveries, less rows on Repeats", "Sources, attempts", "count " + string(cur), false, true,
		})
	}
	ties = append(ties, c.accountTies()...)
	ties = append(ties, c.markTie(), c.causeTie())
	if c.book.agreed != nil {
		ties = append(ties, c.entriesTie())
	}
	return slices.Concat(ties, c.bridgeTies(), c.bridgesTies(), c.rollTies())
}

// accountTies compare the accounts with all entries of their currency.
func (c *checks) accountTies() []tie {
	var ties []tie
	for _, cur := range c.book.currencies() {
		accounts := figure{}
		for _, a := range c.book.report.Controls.Accounts {
			if a.Currency == cur {
				accounts = accounts.plus(c.sources.accounts[accountKey{cur, a.AccountID}].booked.minor)
			}
		}
		if accounts.expr == "" {
			accounts = figure{expr: "0"}
		}
		ties = append(ties, tie{
			"Booked entries of all accounts are the booked entries", c.sources.booked[cur].minor, accounts.fixed(!c.book.exact(cur)),
			"Sources, control totals", "Sources, by account", unitWords(string(cur)), false, false,
		})
	}
	return ties
}

// entriesTie compares the sheets that an auditor samples entries from with the source.
func (c *checks) entriesTie() tie {
	sheets := c.book.agreed.entriesOfAgreed(c.book.report).plus(c.book.list(SheetLinked).size())
	for _, sheet := range ledgerLists {
		sheets = sheets.plus(c.book.list(sheet).countIf(populationIs(literal(string(recon.Entries)), recon.Entries)))
	}
	source := figure{}
	for _, cur := range c.book.currencies() {
		source = source.plus(c.sources.entries[cur].count)
	}
	return tie{
		"Every ledger entry is in the population to sample from", source, sheets, "Sources, control totals",
		"Agreed to ledger (booked in the period, with further parts), Linked entries, Excess entries, Ledger only, Excluded", "count", false, true,
	}
}

// attemptLists are the sheets on which attempts are listed.
var attemptLists = []Sheet{SheetUnresolved, SheetMismatches, SheetTiming, SheetNotConcluded, SheetClean}

// markTie compares the marks that the run counts with the rows that carry one, wherever they are listed.
func (c *checks) markTie() tie {
	rows := figure{}
	for _, sheet := range attemptLists {
		rows = rows.plus(c.book.list(sheet).countIf(isMarked()))
	}
	return tie{
		"Standing unknown marks are the rows that carry one",
		figure{n: c.book.report.Totals.UnknownMarked},
		rows,
		"marks per run", "rows marked, all sheets of attempts", "count", false, false,
	}
}

// causeTie: an unresolved attempt of which nothing is said would be hidden from the summary of causes.
func (c *checks) causeTie() tie {
	var stated int64
	for _, cause := range c.book.report.Totals.Causes {
		stated += cause.Count
	}
	return tie{
		"What the evidence points to is said of every unresolved attempt",
		figure{n: stated},
		c.book.list(SheetUnresolved).size(),
		"causes per run", "rows on Unresolved", "count", false, false,
	}
}

// writeTies writes a block of tie-outs. What the run states is typed; what can be worked out is live.
func (c *checks) writeTies(name string, ties []tie) {
	c.section(name)
	c.head("Assertion", ">Left", "Left comes from", ">Right", "Right comes from", ">Difference", "Unit", "Independent", "CHECK")
	first := c.next()
	for _, t := range ties {
		row := c.next()
		left, right := typed(at(2, row), t.left.n).fixed(t.left.static), typed(at(4, row), t.right.n).fixed(t.right.static)
		c.add(words(t.assertion, lined.wrapped()), t.side(t.left), words(t.leftFrom, lined.wrapped()), t.side(t.right),
			words(t.rightFrom, lined.wrapped()), right.minus(left).count(lined), words(t.unit, lined.wrapped()), words(yesNo(t.independent), lined), c.check(left, right))
	}
	c.checks = append(c.checks, fmt.Sprintf("I%d:I%d", first, max(c.next()-1, first)))
	c.gap()
}

// side is a live cell, or an input cell where the run states the figure.
func (t tie) side(f figure) cell {
	if f.expr == "" {
		return number(f.n, lined)
	}
	return f.count(lined)
}

// check is a CHECK cell; it keeps count of those that differ.
func (c *checks) check(left, right figure) cell {
	c.made++
	if left.n != right.n {
		c.differ++
	}
	if first := c.rows[4]; len(first) > 1 {
		first[1].value = int64(c.differ)
	}
	return agree(left, right)
}

// layTallies lists every class of every population in every currency, nil ones included.
func (c *checks) layTallies() {
	for _, p := range []recon.Population{recon.Attempts, recon.Entries, recon.Outcomes} {
		currencies := c.book.currencies()
		if p == recon.Outcomes {
			currencies = []ledger.Currency{""}
		}
		for _, cur := range currencies {
			infos := recon.ClassesOf(p)
			last := len(c.tallies) + len(infos) - 1
			for i, info := range infos {
				count, minor := c.stated(p, info.Class, cur)
				c.tallies = append(c.tallies, tally{
					population: p, info: info, place: placeOf(p, info.Class), currency: cur, row: len(c.tallies), first: i == 0, last: last,
					count: count, minor: minor,
				})
			}
		}
	}
}

// stated is what the run says of a class.
func (c *checks) stated(p recon.Population, class recon.Class, cur ledger.Currency) (count, minor int64) {
	totals := c.book.report.Totals
	population := map[recon.Population]recon.PopulationTotals{
		recon.Attempts: totals.Attempts, recon.Entries: totals.Entries, recon.Outcomes: totals.Outcomes,
	}[p]
	for _, t := range population.Classes {
		if t.Class == class {
			if p == recon.Outcomes {
				return t.Count, 0
			}
			sum := t.Minor.Of(cur)
			return sum.Count, sum.Minor
		}
	}
	return 0, 0
}

// fillTallies works out what the sheets have, once it is known in which rows the tallies stand. The class that is not
// listed comes to what the sources say less everything else.
func (c *checks) fillTallies() {
	for i := range c.tallies {
		t := &c.tallies[i]
		if c.onAgreed(t) {
			t.sheetCount, t.sheetMinor = c.book.agreed.tally(t.currency, c.book.exact(t.currency))
			continue
		}
		if !t.place.Listed {
			continue
		}
		l := c.book.list(t.place.Sheet)
		criteria := []criterion{classIs(c.ref(tallyClass, t.row), t.info.Class)}
		if t.population != recon.Outcomes {
			criteria = append(criteria, currencyIs(c.ref(tallyCurrency, t.row), t.currency))
		}
		if l.has(headPopulation) {
			criteria = append(criteria, populationIs(c.ref(tallyPopulation, t.row), t.population))
		}
		t.sheetCount = l.countIf(criteria...)
		if t.population != recon.Outcomes {
			t.sheetMinor = l.sumIf(headMinor, minorOf, criteria...).fixed(!c.book.exact(t.currency))
		}
	}
	for i := range c.tallies {
		if t := &c.tallies[i]; t.first && !c.onAgreed(t) {
			c.fillRest(t)
		}
	}
}

// onAgreed reports whether a class is listed in full on the sheets of agreed attempts.
func (c *checks) onAgreed(t *tally) bool {
	return c.book.agreed != nil && t.population == recon.Attempts && t.info.Class == recon.Matched
}

// fillRest works out the class that is not listed: what the source says less every other class of the same currency.
func (c *checks) fillRest(t *tally) {
	rest := func(column int, of func(*tally) figure) figure {
		f := figure{expr: fmt.Sprintf("SUM(%s:%s)", c.ref(column, t.row+1), c.ref(column, t.last))}
		for i := t.row + 1; i <= t.last; i++ {
			f.n += of(&c.tallies[i]).n
			f.static = f.static || of(&c.tallies[i]).static
		}
		return f
	}
	source := c.sources.outcomes
	switch t.population {
	case recon.Attempts:
		source = c.sources.attempts[t.currency].count
		t.sheetMinor = c.sources.attempts[t.currency].minor.minus(rest(tallySheetMinor, func(t *tally) figure { return t.sheetMinor }))
	case recon.Entries:
		source = c.sources.entries[t.currency].count
		t.sheetMinor = c.sources.entries[t.currency].minor.minus(rest(tallySheetMinor, func(t *tally) figure { return t.sheetMinor }))
	}
	t.sheetCount = source.minus(rest(tallyOnSheet, func(t *tally) figure { return t.sheetCount }))
}

// ref names a cell of a tally for formulas on this sheet.
func (c *checks) ref(column, row int) string {
	return fmt.Sprintf("$%s$%d", columnName(column), c.base+row)
}

// sumTallies is the live sum of a column of the tallies of a population in a currency.
func (c *checks) sumTallies(p recon.Population, cur ledger.Currency, column int) figure {
	f := figure{}
	first, last := -1, -1
	for i := range c.tallies {
		t := &c.tallies[i]
		if t.population != p || t.currency != cur {
			continue
		}
		if first < 0 {
			first = i
		}
		last = i
		if column == tallyRun {
			f.n += t.count
		} else {
			f.n += t.minor
		}
	}
	f.expr = fmt.Sprintf("SUM(%s:%s)", c.ref(column, first), c.ref(column, last))
	return f.fixed(column == tallyRunMinor && !c.book.exact(cur))
}

// writeTallies writes the proof of "one class, one sheet, one count".
func (c *checks) writeTallies() {
	c.section("3. One class, one sheet, one count: every class per run and on its sheet")
	c.head("Class", ">Per run", "Listed on", ">On the sheet", "Population", ">Difference", "Currency", "Kind", "CHECK", ">Per run, minor",
		">On sheet, minor", ">Difference", "CHECK")
	if c.next() != c.base {
		panic(fmt.Sprintf("report: tallies begin in row %d, formulas say %d", c.next(), c.base))
	}
	for i := range c.tallies {
		c.writeTally(&c.tallies[i])
	}
	last := c.next() - 1
	c.checks = append(c.checks, fmt.Sprintf("I%d:I%d", c.base, last), fmt.Sprintf("M%d:M%d", c.base, last))
}

func (c *checks) writeTally(t *tally) {
	row := c.next()
	where := cell{value: string(t.place.Sheet), style: lined}
	switch {
	case c.onAgreed(t):
		where.value = c.book.agreed.names()
	case !t.place.Listed:
		where.value = "not listed: sources less the rest"
	}
	run, sheet := typed(at(tallyRun, row), t.count), typed(at(tallyOnSheet, row), t.sheetCount.n)
	cells := []cell{
		words(string(t.info.Class), lined), number(t.count, lined), where, t.sheetCount.count(lined), words(string(t.population), lined),
		sheet.minus(run).count(lined), c.book.currency(t.currency, lined), words(kindName(t.info.Kind), lined), c.check(run, sheet),
	}
	if t.population == recon.Outcomes {
		cells[tallyCurrency-1] = words("–", lined)
		c.add(cells...)
		return
	}
	fixed := !c.book.exact(t.currency)
	runMinor, sheetMinor := typed(at(tallyRunMinor, row), t.minor).fixed(fixed), typed(at(tallySheetMinor, row), t.sheetMinor.n).fixed(fixed)
	cells = append(cells, minorUnits(t.minor, lined), t.sheetMinor.integer(lined), sheetMinor.minus(runMinor).integer(lined), c.check(runMinor, sheetMinor))
	c.add(cells...)
}

// on is a cell of a tally for formulas on other sheets.
func (c *checks) onSheet(t *tally) (count, minor figure) {
	fixed := t.population == recon.Outcomes || !c.book.exact(t.currency)
	return typed(on(c.sheet, tallyOnSheet, c.base+t.row), t.sheetCount.n), typed(on(c.sheet, tallySheetMinor, c.base+t.row), t.sheetMinor.n).fixed(fixed)
}
