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
		column{headWhen, 9, evidence, holdsWord, "yes: the item belongs to the period; no: to the time before it."},
		func(b *book, c *changeItem) cell { return words(periodWord(c.Earlier), listText) },
	},
	{
		column{headLate, 9, technical, holdsWord, "yes: a resolved attempt whose outcome came after all."},
		func(b *book, c *changeItem) cell { return words(yesNo(c.Late), techText) },
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

// periodWord says whether an item belongs to the period or to the time before it.
func periodWord(earlier bool) string { return yesNo(!earlier) }

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
	return "Open items of the period, and of the time before it, that changed " + strings.Join(since, "; ") + "."
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
	closing, closingMinor               figure // rows of its sheet, and those open from earlier
	tally                               *tally
}

func (r *rollRow) isNil() bool {
	return r.opening == 0 && r.arrived.n == 0 && r.moved.n == 0 && r.resolved.n == 0 && r.closing.n == 0
}

// movement counts and sums live the changes of a baseline in one currency.
type movement struct {
	list  *list
	base  []criterion
	exact bool
}

func (c *checks) movement(base *recon.Baseline, cur ledger.Currency) movement {
	return movement{c.book.list(SheetChanges), []criterion{againstIs(literal(base.Against), base.Against), currencyIs(literal(currencyWord(cur)), cur)}, c.book.exact(cur)}
}

func (m movement) count(more ...criterion) figure { return m.list.countIf(append(more, m.base...)...) }

func (m movement) sum(more ...criterion) figure {
	return m.list.sumIf(headMinor, minorOf, append(more, m.base...)...).fixed(!m.exact)
}

// rollRows are the classes that are rolled forward, in the order of the tallies.
func (c *checks) rollRows(base *recon.Baseline) []rollRow {
	var rows []rollRow
	for i := range c.tallies {
		t := &c.tallies[i]
		if !recon.RollsForward(t.info.Kind) {
			continue
		}
		class := t.info.Class
		row := rollRow{population: t.population, class: class, currency: t.currency, tally: t}
		for _, o := range base.Opening {
			if o.Population == t.population && o.Class == class && o.Currency == t.currency {
				row.opening, row.openingMinor = row.opening+o.Count, row.openingMinor+o.Minor
			}
		}
		m := c.movement(base, t.currency)
		m.base = append(m.base, populationIs(literal(string(t.population)), t.population))
		to, from := toIs(literal(string(class)), class), fromIs(literal(string(class)), class)
		again := changeIs(recon.ChangeReclassified)
		row.arrived = m.count(changeIs(recon.ChangeNew), to).plus(m.count(changeIs(recon.ChangeReopened), to))
		row.moved = m.count(again, to).minus(m.count(again, from))
		row.resolved = m.count(changeIs(recon.ChangeResolved), from)
		row.arrivedMinor = m.sum(changeIs(recon.ChangeNew), to).plus(m.sum(changeIs(recon.ChangeReopened), to))
		row.movedMinor = m.sum(again, to).minus(m.sum(again, from))
		row.goneMinor = m.sum(changeIs(recon.ChangeResolved), from)
		row.closing, row.closingMinor = c.openNow(t)
		rows = append(rows, row)
	}
	return rows
}

// openNow is what a class has on its sheet and among the items that are open from earlier.
func (c *checks) openNow(t *tally) (count, minor figure) {
	earlier := c.book.list(SheetEarlier)
	criteria := []criterion{
		classIs(literal(string(t.info.Class)), t.info.Class), populationIs(literal(string(t.population)), t.population), currencyCell(t.currency),
	}
	count = figure{expr: on(c.sheet, tallyOnSheet, c.base+t.row), n: t.sheetCount.n}.plus(earlier.countIf(criteria...))
	if t.population == recon.Outcomes {
		return count, figure{}
	}
	fixed := !c.book.exact(t.currency)
	minor = figure{expr: on(c.sheet, tallySheetMinor, c.base+t.row), n: t.sheetMinor.n}.plus(earlier.sumIf(headMinor, minorOf, criteria...)).fixed(fixed)
	return count, minor
}

// rollTies prove that what was open, with what changed, is what the sheets list: for every earlier run, in count and
// value by currency.
func (c *checks) rollTies() []tie {
	var ties []tie
	const sheets = "tallies on the sheets, and Open from earlier"
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
				right, rightMinor = right.plus(r.closing), rightMinor.plus(r.closingMinor)
			}
			if right.expr == "" {
				continue
			}
			m := c.movement(base, cur)
			left = m.count(changeIs(recon.ChangeNew)).plus(m.count(changeIs(recon.ChangeReopened))).minus(m.count(changeIs(recon.ChangeResolved)))
			leftMinor = m.sum(changeIs(recon.ChangeNew)).plus(m.sum(changeIs(recon.ChangeReopened))).minus(m.sum(changeIs(recon.ChangeResolved)))
			name := fmt.Sprintf("Roll-forward from the %s closes on the sheets", show(base.Against, false))
			unit := "count " + currencyWord(cur)
			ties = append(ties, tie{name, figure{expr: fmt.Sprint(opening), n: opening}.plus(left), right, from, sheets, unit, false, true})
			if cur != "" {
				ties = append(ties, tie{name, figure{expr: fmt.Sprint(openingMinor), n: openingMinor, static: !c.book.exact(cur)}.plus(leftMinor), rightMinor, from, sheets, unitWords(string(cur)), false, true})
			}
		}
	}
	return ties
}

// rollForward leads from what was open in an earlier run to what is open now, and to what is open for action: line by line
// in count and value, then class by class.
func (y *summary) rollForward(number int, base *recon.Baseline) {
	y.section(fmt.Sprintf("%d. Roll-forward %s", number, baselineWords(base)))
	if base.None != "" {
		y.add(words("Nil: "+base.None+"; there is nothing to roll forward from", italicLook))
		y.gap()
		return
	}
	for i, cur := range y.book.currenciesAndNone() {
		y.rollCurrency(base, cur, i > 0)
	}
	y.add(words("Items of the period and of the time before it that are open, excess entries beside their attempts. Each class ties to its sheet and to Open from earlier.", italicLook))
	y.gap()
}

// rollCurrency writes the lines of one currency, and the classes below them.
func (y *summary) rollCurrency(base *recon.Baseline, cur ledger.Currency, further bool) {
	var rows []rollRow
	for _, r := range y.checks.rollRows(base) {
		if r.currency == cur && !r.isNil() {
			rows = append(rows, r)
		}
	}
	if len(rows) == 0 {
		return
	}
	if further {
		y.block()
	}
	closing := y.rollLines(base, cur, rows)
	y.gap()
	if base.Against == recon.BaselineLast {
		return // from night to night the lines say enough; each item is on Changes
	}
	y.block()
	y.rollClasses(cur, rows, closing)
}

// rollLines writes the roll-forward of all classes together, and returns what is open now.
func (y *summary) rollLines(base *recon.Baseline, cur ledger.Currency, rows []rollRow) (closing figure) {
	y.head("Roll-forward, "+rolledWord(cur), ">Count", ">Value", ">Minor units", "CHECK", ">Items", "Where it comes from")
	m, fixed := y.checks.movement(base, cur), !y.book.exact(cur)
	var opening, openingMinor int64
	var onSheets, onSheetsMinor figure
	for i := range rows {
		opening, openingMinor = opening+rows[i].opening, openingMinor+rows[i].openingMinor
		onSheets, onSheetsMinor = onSheets.plus(rows[i].closing), onSheetsMinor.plus(rows[i].closingMinor)
	}
	first := y.next()
	y.rollLine(cur, "Open in "+show(base.Against, false), figure{n: opening}, figure{n: openingMinor}.fixed(fixed), figure{}, fmt.Sprintf("run %d as recorded", base.Run.ID))
	fresh, reopened, gone := changeIs(recon.ChangeNew), changeIs(recon.ChangeReopened), changeIs(recon.ChangeResolved)
	total, totalMinor := opening, openingMinor
	for _, l := range []struct {
		label    string
		criteria []criterion
		off      bool
	}{
		{"+ new, of the period", []criterion{fresh, ofPeriod(false)}, false},
		{"+ new, from earlier", []criterion{fresh, ofPeriod(true)}, false},
		{"+ reopened", []criterion{reopened}, false},
		{"− resolved by a late outcome", []criterion{gone, isLate(true)}, true},
		{"− resolved otherwise", []criterion{gone, isLate(false)}, true},
	} {
		count, minor := m.count(l.criteria...), m.sum(l.criteria...)
		if l.off {
			count, minor = count.negated(), minor.negated()
		}
		total, totalMinor = total+count.n, totalMinor+minor.n
		y.rollLine(cur, l.label, count, minor, figure{}, "rows on Changes")
	}
	for _, l := range []struct {
		label string
		kind  recon.ChangeKind
		says  string
	}{
		{"± reclassified", recon.ChangeReclassified, "rows on Changes: another class, so neither count nor value of all classes together"},
		{"± restated", recon.ChangeRestated, "rows on Changes: the same class on other evidence"},
	} {
		y.rollLine(cur, l.label, figure{n: 0}, figure{n: 0}.fixed(fixed), m.count(changeIs(l.kind)), l.says)
	}
	last, row := y.next()-1, y.next()
	look := plain.total()
	closing = typed(at(2, row), total)
	cells := []cell{
		words("= open now", look), figure{expr: fmt.Sprintf("SUM(%s:%s)", at(2, first), at(2, last)), n: total}.count(look), blank(look), blank(look),
		y.closes(row, closing, onSheets, typed(at(4, row), totalMinor), onSheetsMinor, cur), blank(look), words("CHECK: rows on the sheets of each class, and Open from earlier", look.light()),
	}
	if cur != "" {
		minor := figure{expr: fmt.Sprintf("SUM(%s:%s)", at(4, first), at(4, last)), n: totalMinor, static: fixed}
		cells[2], cells[3] = typed(at(4, row), totalMinor).fixed(fixed).amount(cur, look), minor.integer(look)
	}
	y.add(cells...)
	y.grid.checks = append(y.grid.checks, at(5, row))
	decided, decidedMinor := y.approvedOf(cur)
	decided, decidedMinor = decided.negated(), decidedMinor.negated().fixed(fixed)
	end := plain.final()
	approved := []cell{
		words(labelApproved+", "+rolledWord(cur), lined), decided.count(lined), blank(lined), blank(lined), blank(lined), blank(lined),
		words("decisions of the first four kinds with an approver, on the sheets", lined),
	}
	open := figure{expr: fmt.Sprintf("%s+%s", at(2, row), at(2, row+1)), n: total + decided.n}
	forAction := []cell{words(labelForAction+", "+rolledWord(cur), end), open.count(end), blank(end), blank(end), blank(end), blank(end), blank(end)}
	if cur != "" {
		openMinor := figure{expr: fmt.Sprintf("%s+%s", at(4, row), at(4, row+1)), n: totalMinor + decidedMinor.n, static: fixed}
		approved[2], approved[3] = typed(at(4, row+1), decidedMinor.n).fixed(fixed).amount(cur, lined), decidedMinor.integer(lined)
		forAction[2], forAction[3] = typed(at(4, row+2), openMinor.n).fixed(fixed).amount(cur, end), openMinor.integer(end)
	}
	y.add(approved...)
	y.add(forAction...)
	return closing
}

// rollLine writes a line of the roll-forward. A figure without an expression is the run's and typed.
func (y *summary) rollLine(cur ledger.Currency, label string, count, minor, moved figure, from string) {
	row := y.next()
	cells := []cell{words(label, lined), number(count.n, lined), blank(lined), blank(lined), blank(lined), blank(lined), words(from, lined)}
	if count.expr != "" {
		cells[1] = count.count(lined)
	}
	if moved.expr != "" {
		cells[5] = moved.count(lined)
	}
	if cur != "" {
		cells[3] = minorUnits(minor.n, lined)
		if minor.expr != "" {
			cells[3] = minor.integer(lined)
		}
		value := typed(at(4, row), minor.n)
		value.static = value.static || minor.static
		cells[2] = value.amount(cur, lined)
	}
	y.add(cells...)
}

// closes is the CHECK cell of a closing line.
func (y *summary) closes(row int, count, sheets, minor, sheetsMinor figure, cur ledger.Currency) cell {
	look := checkLook
	look.rule, look.line = true, false
	value := checkDiffers
	if count.n == sheets.n && (cur == "" || minor.n == sheetsMinor.n) {
		value = checkOK
	}
	if sheetsMinor.static {
		return words(value, look)
	}
	same := fmt.Sprintf("%s=%s", at(2, row), sheets.expr)
	if cur != "" {
		same = fmt.Sprintf("AND(%s,%s=%s)", same, at(4, row), sheetsMinor.expr)
	}
	return cell{formula: fmt.Sprintf(`IF(%s,"%s","%s")`, same, checkOK, checkDiffers), value: value, style: look}
}

// rollClasses writes the same class by class, in counts.
func (y *summary) rollClasses(cur ledger.Currency, rows []rollRow, closing figure) {
	y.head("Class, "+rolledWord(cur), ">Open then", ">New, reopened", ">Reclassified, net", ">Resolved", ">Open now", "On its sheet and Open from earlier")
	first := y.next()
	var opening, arrived, moved, resolved int64
	for _, r := range rows {
		row := y.next()
		now := figure{expr: fmt.Sprintf("%s+%s+%s-%s", at(2, row), at(3, row), at(4, row), at(5, row)), n: r.opening + r.arrived.n + r.moved.n - r.resolved.n}
		y.add(words(string(r.class), lined), number(r.opening, lined), r.arrived.count(lined), r.moved.count(lined), r.resolved.count(lined),
			now.count(lined), y.listed(r.tally.place.Sheet, figure{expr: at(6, row), n: now.n}, r.closing))
		opening, arrived, moved, resolved = opening+r.opening, arrived+r.arrived.n, moved+r.moved.n, resolved+r.resolved.n
	}
	look, last := plain.final(), y.next()-1
	row := []cell{words("Total, "+rolledWord(cur), look)}
	for i, n := range []int64{opening, arrived, moved, resolved, opening + arrived + moved - resolved} {
		row = append(row, figure{expr: fmt.Sprintf("SUM(%s:%s)", at(i+2, first), at(i+2, last)), n: n}.count(look))
	}
	y.add(append(row, y.listed("all classes", figure{expr: at(6, last+1), n: opening + arrived + moved - resolved}, closing).withStyle(look.light()))...)
	y.gap()
}

// rolledWord names a block of the roll-forward; outcomes have no currency.
func rolledWord(cur ledger.Currency) string {
	if cur == "" {
		return "outcomes"
	}
	return currencyWord(cur)
}

// listed says live whether a class closes on its sheet.
func (y *summary) listed(name Sheet, left, right figure) cell {
	value, formula := string(name)+": ", fmt.Sprintf(`IF(%s=%s,"%s: %s","%s: %s")`, left.expr, right.expr, name, checkOK, name, checkDiffers)
	if left.n == right.n {
		value += checkOK
	} else {
		value += checkDiffers
	}
	return cell{formula: formula, value: value, style: lined}
}

// Labels of the lines that count what reviewers decide, in the workbook itself too.
const (
	labelApproved  = "− approved decisions"
	labelForAction = "= open for action"
)

// rolledSheets are the sheets whose items are rolled forward.
var rolledSheets = []Sheet{SheetUnresolved, SheetMismatches, SheetTiming, SheetNotConcluded, SheetExcess, SheetLedgerOnly, SheetEarlier}

// approvedOf counts and sums live the items that an approved decision closes; it grows while reviewers type.
func (y *summary) approvedOf(cur ledger.Currency) (count, minor figure) {
	var closing []string
	for _, d := range recon.Decisions {
		if d.Closes() {
			closing = append(closing, literal(string(d)))
		}
	}
	criteria := []criterion{
		{headDisposition, "{" + strings.Join(closing, ";") + "}", func(f *fact) bool { return f.approved }},
		{headApprover, `"<>"`, func(f *fact) bool { return f.approved }},
		currencyCell(cur),
	}
	// One look-up for each of the decisions in braces, added up.
	each := func(f figure) figure { f.expr = "SUMPRODUCT(" + f.expr + ")"; return f }
	for _, sheet := range rolledSheets {
		l := y.book.list(sheet)
		count, minor = count.plus(each(l.countIf(criteria...))), minor.plus(each(l.sumIf(headMinor, minorOf, criteria...)))
	}
	return count, minor
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
