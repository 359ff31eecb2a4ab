package report

import (
	"cmp"
	"fmt"
	"slices"

	"agentrecon/ledger"
	"agentrecon/recon"
)

// summary is the Summary sheet: every figure a live formula over the other sheets.
type summary struct {
	*grid
	book    *book
	sources *sources
	checks  *checks
	booked  map[ledger.Currency]figure // value of booked entries, minor units, for the GL tie-out
	bridges map[ledger.Currency]bridgeRows
}

// newSummary writes the blocks in the order in which a reader asks: does it tie, what differs, how it gets from deliveries to
// the ledger, what every item is.
func newSummary(b *book, s *sources, c *checks) *summary {
	y := &summary{book: b, sources: s, checks: c, booked: map[ledger.Currency]figure{}, bridges: map[ledger.Currency]bridgeRows{}, grid: &grid{
		sheet: SheetSummary, widths: []float64{44, 13, 19, 19, 19, 11, 58}, heads: 4,
	}}
	y.title("Summary", "Every figure is a live formula over the lists, Sources and Checks, unless it says \"per run\". Money out is positive.", b.runLine())
	y.gap()
	y.result()
	y.breaks()
	for _, bridge := range b.report.Bridge {
		y.bridge(bridge)
	}
	y.accounts()
	for _, p := range []recon.Population{recon.Attempts, recon.Entries, recon.Outcomes} {
		y.classes(p)
	}
	y.tiers()
	y.causes()
	y.ageing()
	y.marks()
	number := 11
	baselines := b.report.Baselines
	if len(baselines) == 0 {
		baselines = []recon.Baseline{{Against: recon.BaselineIssued, None: "this program kept no earlier run"}}
	}
	for i := range baselines {
		y.rollForward(number, &baselines[i])
		number++
	}
	y.generalLedger(number)
	return y
}

// result leads with the checks: figures that do not tie are not worth reading on.
func (y *summary) result() {
	y.section("1. Do the figures tie")
	y.add(words("Checks that differ", labelLook), y.checks.differing().count(labelLook),
		words(fmt.Sprintf("of %s; each is on Checks with both sides", grouped(int64(y.checks.made))), lined), blank(lined), blank(lined), blank(lined), blank(lined))
	row := y.next()
	value := checkOK
	if y.checks.differ > 0 {
		value = checkDiffers
	}
	y.add(words("CHECK", labelLook), cell{formula: fmt.Sprintf(`IF(%s=0,"%s","%s")`, at(2, row-1), checkOK, checkDiffers), value: value, style: checkLook},
		blank(lined), blank(lined), blank(lined), blank(lined), blank(lined))
	y.check(row)
	y.gap()
}

func (y *summary) check(row int) { y.grid.checks = append(y.grid.checks, at(2, row)) }

// breakSheets are the sheets whose items make ledger and attempts differ where that is concluded.
var breakSheets = []Sheet{SheetMismatches, SheetUnresolved}

// breaks shows net count, net value and gross beside each other.
func (y *summary) breaks() {
	y.section("2. Net and gross: where the ledger has more or less than the attempts")
	y.head("Currency", ">Net count", ">Net value", ">Gross value", ">Ledger has more", ">Items", "Where it comes from")
	for _, c := range y.book.currencies() {
		row := y.next()
		cur := currencyIs("$A"+fmt.Sprint(row), c)
		count, more, less, items := figure{}, figure{}, figure{}, figure{}
		for _, sheet := range breakSheets {
			l := y.book.list(sheet)
			count = count.plus(l.sumIf(headEffect, effectOf, cur))
			more = more.plus(l.sumIf(headDifference, differenceOf, cur, differenceAbove()))
			less = less.plus(l.sumIf(headDifference, differenceOf, cur, differenceBelow()))
			items = items.plus(l.countIf(cur, differenceAbove())).plus(l.countIf(cur, differenceBelow()))
		}
		only := y.book.list(SheetLedgerOnly)
		unattempted := classIs(literal(string(recon.UnattemptedMovement)), recon.UnattemptedMovement)
		count = count.plus(only.countIf(cur, unattempted))
		more = more.plus(only.sumIf(headMinor, minorOf, cur, unattempted))
		items = items.plus(only.countIf(cur, unattempted))
		fixed := !y.book.exact(c)
		more, less = more.fixed(fixed), less.fixed(fixed)
		// Ledger has more stands in a cell of its own; ledger has less is net minus that.
		net, moreCell := more.plus(less), typed(at(5, row), more.n).fixed(fixed)
		gross := figure{expr: "2*" + moreCell.expr + "-" + at(3, row), n: 2*more.n - net.n, static: fixed}
		y.add(y.book.currency(c, labelLook), count.count(lined), net.amount(c, lined), y.majorCell(gross, c), more.amount(c, lined), items.count(lined),
			words("Mismatches, Unresolved (difference); Ledger only (unattempted)", lined))
	}
	y.add(words("Net lets a shortfall and an excess cancel out; gross adds their sizes. A count that happens to balance proves nothing. What is ambiguous, not concluded or in two currencies is not in it.", italicLook))
	y.gap()
}

// majorCell is a live cell over cells that are in major units already.
func (y *summary) majorCell(f figure, c ledger.Currency) cell {
	if f.static {
		return money(f.n, c, lined)
	}
	return cell{formula: f.expr, value: major(f.n, c), style: lined.as(moneyFormat(c))}
}

var populationTitles = map[recon.Population]string{
	recon.Attempts: "4. Attempts by class", recon.Entries: "5. Ledger entries by class", recon.Outcomes: "6. Outcomes by class",
}

// classes shows every class with its count on its sheet. Of several currencies the classes that one has none of are counted
// below it.
func (y *summary) classes(p recon.Population) {
	y.section(populationTitles[p])
	several := p != recon.Outcomes && len(y.book.currencies()) > 1
	start, none := 0, 0
	for i := range y.checks.tallies {
		t := &y.checks.tallies[i]
		if t.population != p {
			continue
		}
		if t.first && start > 0 {
			y.gap()
			y.block()
		}
		if t.first {
			start, none = y.head("Class", ">Count", ">Value", "Kind", "Priority", "Currency", "Sheet and meaning")+1, 0
		}
		if several && !t.first && t.isNil() {
			none++
		} else {
			y.class(t)
		}
		if t.row == t.last {
			y.classTotal(t, start)
			if none > 0 {
				y.add(words(fmt.Sprintf("Nil: the other %d classes; each is on Checks", none), italicLook))
			}
		}
	}
	y.gap()
}

// class writes the line of one class.
func (y *summary) class(t *tally) {
	count, minor := y.checks.onSheet(t)
	where := string(t.place.Sheet) + ": "
	switch {
	case y.checks.onAgreed(t):
		where = y.book.agreed.names() + ": "
	case !t.place.Listed:
		where = "Not listed: "
	}
	value, currency := blank(lined), words("–", lined)
	if t.population != recon.Outcomes {
		value, currency = minor.amount(t.currency, lined), y.book.currency(t.currency, lined)
	}
	y.add(words(string(t.info.Class), lined), count.count(lined), value, words(kindName(t.info.Kind), lined),
		words(priorityWord(t.info.Priority), lined), currency, words(where+t.info.Meaning, lined.wrapped()))
}

// classTotal closes the classes of one currency.
func (y *summary) classTotal(t *tally, start int) {
	look := plain.final()
	var count, minor int64
	for i := range y.checks.tallies {
		if other := &y.checks.tallies[i]; other.population == t.population && other.currency == t.currency {
			count += other.sheetCount.n
			minor += other.sheetMinor.n
		}
	}
	end := y.next() - 1
	value, currency := blank(look), blank(look)
	if t.population != recon.Outcomes {
		f := figure{expr: fmt.Sprintf("SUM(%s:%s)", at(3, start), at(3, end)), n: minor, static: !y.book.exact(t.currency)}
		value = y.majorCell(f, t.currency)
		value.style = look.as(moneyFormat(t.currency))
		currency = y.book.currency(t.currency, look)
	}
	y.add(words("Total", look), figure{expr: fmt.Sprintf("SUM(%s:%s)", at(2, start), at(2, end)), n: count}.count(look), value, blank(look), blank(look), currency, blank(look))
}

// tiers disclose the quality of agreement: links by key beside links by likeness.
func (y *summary) tiers() {
	y.section("7. Agreement by tier: what the links of attempts to booked entries rest on (per run)")
	y.head("Tier", ">Links", "Rests on", "", "", "", "Rule")
	first := y.next()
	var sum int64
	for _, t := range tierWords {
		n := y.book.report.Totals.LinksByTier[t.tier]
		sum += n
		y.add(words(t.name, lined), number(n, lined), words(t.between, lined), blank(lined), blank(lined), blank(lined), words(t.rule, lined.wrapped()))
	}
	look := plain.final()
	y.add(words("Total", look), figure{expr: fmt.Sprintf("SUM(%s:%s)", at(2, first), at(2, y.next()-1)), n: sum}.count(look),
		blank(look), blank(look), blank(look), blank(look), blank(look))
	y.add(words("Attempts with a degraded id", lined), number(y.book.report.Totals.DegradedIDs, lined), words("per run", lined), blank(lined), blank(lined), blank(lined),
		words("Two calls may have collapsed into one recorded attempt.", lined))
	y.gap()
}

// causes count live what the evidence points to.
func (y *summary) causes() {
	y.section("8. Unresolved attempts by what the evidence points to")
	y.head("Evidence points to", ">Count")
	first := y.next()
	l := y.book.list(SheetUnresolved)
	var sum int64
	for _, cause := range recon.Causes {
		f := l.countIf(causeIs(at(1, y.next()), cause))
		sum += f.n
		y.add(words(string(cause), lined), f.count(lined))
	}
	look := plain.final()
	y.add(words("Total", look), figure{expr: fmt.Sprintf("SUM(%s:%s)", at(2, first), at(2, y.next()-1)), n: sum}.count(look))
	y.gap()
}

// ageBuckets are the ageing of open items in days, as credit controllers cut it.
var ageBuckets = []struct {
	name     string
	from, to float64 // to 0 = open
}{
	{"under 1 day", 0, 1}, {"1 to under 7 days", 1, 7}, {"7 to under 31 days", 7, 31}, {"31 to under 91 days", 31, 91}, {"91 days and more", 91, 0},
}

// agedSheets are the sheets whose attempts are sorted by age.
var agedSheets = []Sheet{SheetUnresolved, SheetMismatches, SheetTiming, SheetNotConcluded, SheetEarlier}

// ageing counts open attempts by the days shown on their sheets: at the as-of time, and as old as they were at the cut-off.
func (y *summary) ageing() {
	y.section("9. Ageing of open attempts, by days since the proposal (count)")
	first := y.next()
	all := y.ages("Age at the as-of time, "+clock(y.book.report.Run.AsOf), ageFrom, ageBelow)
	last := y.next() - 1
	if all > 0 {
		y.grid.charts = append(y.grid.charts, chart{
			row: first, column: 7, width: 430, height: 234, sheet: y.sheet, head: first, first: first + 1, last: last, columns: []int{2, 3, 4, 5, 6}, stacked: true,
			title: "Open attempts by age at the as-of time",
			alt:   fmt.Sprintf("Column chart of the table beside it: open attempts by age at the as-of time, a stack for each age, a part for each sheet. %s in all.", items(int(all), "attempt")),
		})
	}
	if end, over := cutOff(y.book.report); over {
		y.ages("Age at the cut-off, "+clock(end), cutOffAgeFrom, cutOffAgeBelow)
		y.add(words("At the cut-off: the same items, which are open at the as-of time, by how old they were when the period ended.", italicLook))
	} else {
		y.add(words("At the cut-off: not shown, for no period is over at the as-of time.", italicLook))
	}
	y.gap()
}

// ages writes one table of ages and returns how many attempts are in it.
func (y *summary) ages(name string, from, below func(float64) criterion) (all int64) {
	y.head(name, ">Unresolved", ">Mismatches", ">Timing", ">Not concluded", ">Earlier")
	for _, bucket := range ageBuckets {
		criteria := []criterion{from(bucket.from)}
		if bucket.to > 0 {
			criteria = append(criteria, below(bucket.to))
		}
		row := []cell{words(bucket.name, lined)}
		for _, sheet := range agedSheets {
			f := y.book.list(sheet).countIf(criteria...)
			all += f.n
			row = append(row, f.count(lined))
		}
		y.add(row...)
	}
	return all
}

// marks show that the standing marks are rows that a reader can find.
func (y *summary) marks() {
	y.section("10. Standing unknown marks")
	y.head("Where the marked attempts are listed", ">Count")
	first := y.next()
	var sum int64
	for _, sheet := range attemptLists {
		f := y.book.list(sheet).countIf(isMarked())
		sum += f.n
		y.add(words(string(sheet), lined), f.count(lined))
	}
	look := plain.total()
	y.add(words("Standing marks", look), figure{expr: fmt.Sprintf("SUM(%s:%s)", at(2, first), at(2, y.next()-1)), n: sum}.count(look))
	y.add(words("of these new in this run (per run)", lined), number(y.book.report.Totals.NewlyMarked, lined))
	y.gap()
}

// notEntered stands where a difference waits for its input.
const notEntered = "not entered"

// generalLedger takes the controller's balance and shows the difference.
func (y *summary) generalLedger(number int) {
	y.section(fmt.Sprintf("%d. ", number) + "Tie-out to the general ledger (the controller types the movement; nothing here was tested against it)")
	y.head("Currency", "", ">Booked in scope", ">Movement per GL", ">Difference", "", "")
	for _, c := range y.book.currencies() {
		booked, ok := y.booked[c]
		if !ok {
			continue
		}
		row := y.next()
		difference := cell{formula: fmt.Sprintf(`IF(%s="","%s",%s-%s)`, at(4, row), notEntered, at(4, row), at(3, row)), value: notEntered, style: lined.as(moneyFormat(c))}
		y.add(y.book.currency(c, lined), blank(lined), booked.amount(c, lined), blank(inputLook.as(moneyFormat(c))), difference, blank(lined),
			words("GL movement less booked in scope; the input cell is unlocked", lined))
	}
	y.gap()
	y.balances()
}

// balances takes the balance of the ledger account for each bank account whose statements print one.
func (y *summary) balances() {
	y.head("Account", "Currency", ">Closing balance", ">Balance per GL", ">Difference", ">On", "Statement (money in the account is positive)")
	closings := closingBalances(y.book.report)
	for _, s := range closings {
		row := y.next()
		difference := cell{formula: fmt.Sprintf(`IF(%s="","%s",%s-%s)`, at(4, row), notEntered, at(4, row), at(3, row)), value: notEntered, style: lined.as(moneyFormat(s.Currency))}
		name := s.ID
		if name == "" {
			name = s.Sequence
		}
		y.add(y.book.id(cmp.Or(s.AccountID, "account not named"), lined), y.book.currency(s.Currency, lined), money(s.Closing.Amount.Minor, s.Currency, lined),
			blank(inputLook.as(moneyFormat(s.Currency))), difference, day(s.Closing.On, lined), y.book.id(name, lined))
	}
	if len(closings) == 0 {
		y.add(words("Nil: no imported statement prints a closing balance", italicLook))
	}
}

// closingBalances are the last statements of each account and currency that print a closing balance up to the end of the
// period, in the order in which the accounts first appear.
func closingBalances(r *recon.Report) []*ledger.Statement {
	var last []*ledger.Statement
	for i := range r.Sources {
		for k := range r.Sources[i].Statements {
			s := &r.Sources[i].Statements[k]
			if !s.Closing.Amount.Given || !r.Period.IsZero() && s.Closing.On >= r.Period.To {
				continue
			}
			at := slices.IndexFunc(last, func(o *ledger.Statement) bool { return o.AccountID == s.AccountID && o.Currency == s.Currency })
			switch {
			case at < 0:
				last = append(last, s)
			case s.Closing.On >= last[at].Closing.On:
				last[at] = s
			}
		}
	}
	return last
}
