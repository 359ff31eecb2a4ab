package report

import (
	"fmt"
	"slices"
	"strings"

	"agentrecon/ledger"
	"agentrecon/recon"
)

// changeItem is a change with what it is a change against.
type changeItem struct {
	*recon.Change
	against string
}

type changeCol = col[changeItem]

// changeColumns are the columns of Changes; decisions are taken where the items are listed.
var changeColumns = []changeCol{
	{
		column{headAgainst, 17, evidence, holdsWord, "The earlier run that this one is compared with: the last run, or the last one issued."},
		func(b *book, c *changeItem) cell { return b.text(c.against, listText) },
	},
	{
		column{headChange, 13, evidence, holdsWord, "new, reopened, reclassified, restated (the same class on other evidence) or resolved."},
		func(b *book, c *changeItem) cell { return words(string(c.Kind), lined.strong()) },
	},
	{
		column{headItem, 30, evidence, holdsID, "The item's id, as where it is listed."},
		func(b *book, c *changeItem) cell { return b.id(c.Item, listID) },
	},
	{
		column{"Amount", 14, evidence, holdsAmount, "Amount of the item in major units; money out is positive."},
		func(b *book, c *changeItem) cell { return money(c.Minor, c.Currency, lined) },
	},
	{
		column{headCurrency, 9, evidence, holdsWord, "Currency of the item, ISO 4217; none for outcomes."},
		func(b *book, c *changeItem) cell { return b.currency(c.Currency, lined) },
	},
	{
		column{headFrom, 22, evidence, holdsWord, "Class in the earlier run; none if it was not listed."},
		func(b *book, c *changeItem) cell { return words(classWord(c.From), listText) },
	},
	{
		column{headTo, 22, evidence, holdsWord, "Class in this run; none if it is agreed to ledger now."},
		func(b *book, c *changeItem) cell { return words(classWord(c.To), listText) },
	},
	{
		column{"Cause", 40, evidence, holdsText, "What moved in the evidence between the two runs."},
		func(b *book, c *changeItem) cell { return words(c.Cause, listText) },
	},
	{
		column{headPopulation, 10, technical, holdsWord, "attempts, entries or outcomes."},
		func(b *book, c *changeItem) cell { return words(string(c.Population), techText) },
	},
	{
		column{headMinor, 13, technical, holdsInteger, "The item's amount as integer minor units: what sums add."},
		func(b *book, c *changeItem) cell { return minorUnits(c.Minor, techText) },
	},
	{column{headDigest, 17, technical, holdsID, "Identifies what the locked cells of the row say."}, nil},
}

func classWord(c recon.Class) string {
	if c == "" {
		return "none"
	}
	return string(c)
}

func changeList(b *book) *list {
	var items []*changeItem
	for i := range b.report.Baselines {
		base := &b.report.Baselines[i]
		for k := range base.Changes {
			items = append(items, &changeItem{&base.Changes[k], base.Against})
		}
	}
	l := newList(b, SheetChanges, "Changes", changesAbout(b.report), changeColumns, items, func(c *changeItem) fact {
		return fact{population: c.Population, currency: c.Currency, minor: c.Minor, change: *c.Change, against: c.against}
	})
	return l
}

// changesAbout says what is compared with what; that there is nothing to compare with is said too.
func changesAbout(r *recon.Report) string {
	if len(r.Baselines) == 0 {
		return "Open items that changed since an earlier run. Nothing to compare with: this program kept no earlier run."
	}
	since := make([]string, len(r.Baselines))
	for i := range r.Baselines {
		since[i] = baselineWords(&r.Baselines[i])
	}
	return "Open items of the period that changed " + strings.Join(since, "; ") + "."
}

// baselineWords names an earlier run, or says why there is none.
func baselineWords(base *recon.Baseline) string {
	against := show(base.Against, false)
	switch {
	case base.None != "":
		return fmt.Sprintf("since the %s: none, %s", against, base.None)
	case !base.IssuedAt.IsZero():
		return fmt.Sprintf("since the %s (run %d, as of %s, issued %s by %s)", against, base.Run.ID, clock(base.Run.AsOf), clock(base.IssuedAt), show(base.IssuedBy, false))
	default:
		return fmt.Sprintf("since the %s (run %d, as of %s)", against, base.Run.ID, clock(base.Run.AsOf))
	}
}

// rollRow is one class of one currency, rolled forward.
type rollRow struct {
	population                          recon.Population
	class                               recon.Class
	currency                            ledger.Currency
	opening, openingMinor               int64
	arrived, moved, resolved            figure // counts: new and reopened, net of reclassified, resolved
	arrivedMinor, movedMinor, goneMinor figure
	tally                               *tally
}

func (r *rollRow) isNil() bool {
	return r.opening == 0 && r.arrived.n == 0 && r.moved.n == 0 && r.resolved.n == 0 && r.tally.sheetCount.n == 0
}

// rollRows are the classes that are rolled forward, in the order of the tallies.
func (c *checks) rollRows(base *recon.Baseline) []rollRow {
	l := c.book.list(SheetChanges)
	against := againstIs(literal(base.Against), base.Against)
	var rows []rollRow
	for i := range c.tallies {
		t := &c.tallies[i]
		if !recon.RollsForward(t.info.Kind) {
			continue
		}
		class := t.info.Class
		common := []criterion{against, currencyIs(literal(currencyWord(t.currency)), t.currency), populationIs(literal(string(t.population)), t.population)}
		count := func(more ...criterion) figure { return l.countIf(append(more, common...)...) }
		sum := func(more ...criterion) figure {
			return l.sumIf(headMinor, minorOf, append(more, common...)...).fixed(!c.book.exact(t.currency))
		}
		to, from := toIs(literal(string(class)), class), fromIs(literal(string(class)), class)
		row := rollRow{population: t.population, class: class, currency: t.currency, tally: t}
		for _, o := range base.Opening {
			if o.Population == t.population && o.Class == class && o.Currency == t.currency {
				row.opening, row.openingMinor = row.opening+o.Count, row.openingMinor+o.Minor
			}
		}
		again := changeIs(recon.ChangeReclassified)
		row.arrived = count(changeIs(recon.ChangeNew), to).plus(count(changeIs(recon.ChangeReopened), to))
		row.moved = count(again, to).minus(count(again, from))
		row.resolved = count(changeIs(recon.ChangeResolved), from)
		row.arrivedMinor = sum(changeIs(recon.ChangeNew), to).plus(sum(changeIs(recon.ChangeReopened), to))
		row.movedMinor = sum(again, to).minus(sum(again, from))
		row.goneMinor = sum(changeIs(recon.ChangeResolved), from)
		rows = append(rows, row)
	}
	return rows
}

// rollTies prove that what was open, with what changed, is what the sheets list: for every earlier run, in count and
// value by currency.
func (c *checks) rollTies() []tie {
	var ties []tie
	for i := range c.book.report.Baselines {
		base := &c.book.report.Baselines[i]
		if base.None != "" {
			continue
		}
		rows := c.rollRows(base)
		from := fmt.Sprintf("open in run %d plus Changes", base.Run.ID)
		for _, cur := range c.book.currenciesAndNone() {
			var left, leftMinor, right, rightMinor figure
			var opening, openingMinor int64
			for k := range rows {
				r := &rows[k]
				if r.currency != cur {
					continue
				}
				opening, openingMinor = opening+r.opening, openingMinor+r.openingMinor
				left = left.plus(r.arrived.plus(r.moved).minus(r.resolved))
				leftMinor = leftMinor.plus(r.arrivedMinor.plus(r.movedMinor).minus(r.goneMinor))
				right = right.plus(figure{expr: c.ref(tallyOnSheet, r.tally.row), n: r.tally.sheetCount.n})
				rightMinor = rightMinor.plus(figure{expr: c.ref(tallySheetMinor, r.tally.row), n: r.tally.sheetMinor.n, static: r.tally.sheetMinor.static})
			}
			if right.expr == "" {
				continue
			}
			name := fmt.Sprintf("Roll-forward from the %s closes on the sheets", show(base.Against, false))
			unit := "count " + currencyWord(cur)
			ties = append(ties, tie{name, figure{expr: fmt.Sprint(opening), n: opening}.plus(left), right, from, "this sheet, tallies on the sheets", unit, false, true})
			if cur != "" {
				ties = append(ties, tie{name, figure{expr: fmt.Sprint(openingMinor), n: openingMinor, static: !c.book.exact(cur)}.plus(leftMinor), rightMinor, from, "this sheet, tallies on the sheets", unitWords(string(cur)), false, true})
			}
		}
	}
	return ties
}

// rollForward leads from what was open in an earlier run to what is open now, and to what is open for action.
func (y *summary) rollForward(number int, base *recon.Baseline) {
	y.section(fmt.Sprintf("%d. Roll-forward %s", number, baselineWords(base)))
	if base.None != "" {
		y.add(words("Nil: "+base.None+"; there is nothing to roll forward from", italicLook))
		y.gap()
		return
	}
	y.head("Class", ">Open then", ">New, reopened", ">Reclassified, net", ">Resolved", ">Open now", "On its sheet")
	for _, cur := range y.book.currenciesAndNone() {
		y.rollCurrency(base, cur)
	}
	y.add(words("Counts, then minor units by currency. Restated items stay in their class. An item is counted in the period of its attempt or booking, as everywhere here.", italicLook))
	y.gap()
}

func (y *summary) rollCurrency(base *recon.Baseline, cur ledger.Currency) {
	first := y.next()
	var total rollRow
	total.tally = &tally{}
	for _, r := range y.checks.rollRows(base) {
		if r.currency != cur || r.isNil() {
			continue
		}
		row := y.next()
		closing := figure{expr: fmt.Sprintf("%s+%s+%s-%s", at(2, row), at(3, row), at(4, row), at(5, row)), n: r.opening + r.arrived.n + r.moved.n - r.resolved.n}
		sheet := figure{expr: on(y.checks.sheet, tallyOnSheet, y.checks.base+r.tally.row), n: r.tally.sheetCount.n}
		y.add(words(string(r.class), lined), number(r.opening, lined), r.arrived.count(lined), r.moved.count(lined), r.resolved.count(lined),
			closing.count(lined), y.listed(r.tally.place.Sheet, figure{expr: at(6, row), n: closing.n}, sheet))
		total.opening += r.opening
		total.openingMinor += r.openingMinor
		total.arrived, total.moved, total.resolved = total.arrived.plus(r.arrived), total.moved.plus(r.moved), total.resolved.plus(r.resolved)
		total.arrivedMinor, total.movedMinor, total.goneMinor = total.arrivedMinor.plus(r.arrivedMinor), total.movedMinor.plus(r.movedMinor), total.goneMinor.plus(r.goneMinor)
	}
	if y.next() == first {
		return
	}
	y.rollTotals(first, cur, &total)
}

// rolledWord names a block of the roll-forward; outcomes have no currency.
func rolledWord(cur ledger.Currency) string {
	if cur == "" {
		return "outcomes"
	}
	return currencyWord(cur)
}

// listed says live whether a class closes on its sheet.
func (y *summary) listed(sheet Sheet, left, right figure) cell {
	value, formula := string(sheet)+": ", fmt.Sprintf(`IF(%s=%s,"%s: %s","%s: %s")`, left.expr, right.expr, sheet, checkOK, sheet, checkDiffers)
	if left.n == right.n {
		value += checkOK
	} else {
		value += checkDiffers
	}
	return cell{formula: formula, value: value, style: lined}
}

func (y *summary) rollTotals(first int, cur ledger.Currency, total *rollRow) {
	look, last := plain.total(), y.next()-1
	span := func(column int) string { return fmt.Sprintf("SUM(%s:%s)", at(column, first), at(column, last)) }
	closing := total.opening + total.arrived.n + total.moved.n - total.resolved.n
	row := []cell{words("Total, count, "+rolledWord(cur), look)}
	for i, n := range []int64{total.opening, total.arrived.n, total.moved.n, total.resolved.n, closing} {
		row = append(row, figure{expr: span(i + 2), n: n}.count(look))
	}
	y.add(append(row, blank(look))...)
	totalRow := y.next() - 1
	if cur != "" {
		n := y.next()
		closingMinor := total.openingMinor + total.arrivedMinor.n + total.movedMinor.n - total.goneMinor.n
		fixed := !y.book.exact(cur)
		y.add(words("Total, minor units, "+currencyWord(cur), lined), minorUnits(total.openingMinor, lined), total.arrivedMinor.integer(lined),
			total.movedMinor.integer(lined), total.goneMinor.integer(lined),
			figure{expr: fmt.Sprintf("%s+%s+%s-%s", at(2, n), at(3, n), at(4, n), at(5, n)), n: closingMinor, static: fixed}.integer(lined), words("minor units", lined))
	}
	decided := y.approvedOf(cur)
	y.add(words(labelApproved+", "+rolledWord(cur), lined), blank(lined), blank(lined), blank(lined), blank(lined), decided.negated().count(lined),
		words("decisions of the first four kinds with an approver, on the sheets", lined))
	open := figure{expr: fmt.Sprintf("%s+%s", at(6, totalRow), at(6, y.next()-1)), n: closing - decided.n}
	y.add(words(labelForAction+", "+rolledWord(cur), plain.final()), blank(plain.final()), blank(plain.final()), blank(plain.final()), blank(plain.final()),
		open.count(plain.final()), blank(plain.final()))
}

// Labels of the lines that count what reviewers decide, in the workbook itself too.
const (
	labelApproved  = "− approved decisions"
	labelForAction = "= open for action"
)

// rolledSheets are the sheets whose items are rolled forward.
var rolledSheets = []Sheet{SheetUnresolved, SheetMismatches, SheetTiming, SheetNotConcluded, SheetExcess, SheetLedgerOnly}

// approvedOf counts live the items that an approved decision closes; it grows while reviewers type.
func (y *summary) approvedOf(cur ledger.Currency) figure {
	var all figure
	for _, sheet := range rolledSheets {
		l := y.book.list(sheet)
		for _, d := range recon.Decisions {
			if !d.Closes() {
				continue
			}
			f := l.countIf(
				criterion{headDisposition, literal(string(d)), func(f *fact) bool { return f.approved && f.decision == d }},
				criterion{headApprover, `"<>"`, func(f *fact) bool { return f.approved }},
				currencyCell(cur),
			)
			all = all.plus(f)
		}
	}
	return all
}

// currencyCell is the criterion of a currency as the lists show it; rows of outcomes leave the cell empty.
func currencyCell(cur ledger.Currency) criterion {
	ref := literal(currencyWord(cur))
	if cur == "" {
		ref = `""`
	}
	return criterion{headCurrency, ref, func(f *fact) bool { return f.currency == cur }}
}

// currenciesAndNone lists the currencies, and at last none: that of outcomes.
func (b *book) currenciesAndNone() []ledger.Currency {
	return append(slices.DeleteFunc(b.currencies(), func(c ledger.Currency) bool { return c == "" }), "")
}
