package report

import (
	"fmt"
	"strings"

	"agentrecon/ledger"
	"agentrecon/recon"
)

// sheetLines are the lines of the bridge that can be counted on the sheets, and where.
var sheetLines = []struct {
	line   string
	sheets []Sheet
}{
	{recon.LineTiming, []Sheet{SheetTiming}},
	{recon.LineFailed, []Sheet{SheetClean}},
	{recon.LineUnknown, []Sheet{SheetUnresolved, SheetMismatches}},
	{recon.LineSucceeded, []Sheet{SheetMismatches}},
	{recon.LineOpen, []Sheet{SheetUnresolved, SheetNotConcluded, SheetMismatches}},
	{recon.LineShared, []Sheet{SheetClean, SheetMismatches}},
}

// entryLines are the lines of the bridge that are classes of entries.
var entryLines = []struct {
	line   string
	class  recon.Class
	status string // "" = any, "booked", or "<>booked"
}{
	{recon.LineExcess, recon.ExcessSettlement, ""},
	{recon.LineReversals, recon.Reversal, ""},
	{recon.LineUnattempted, recon.UnattemptedMovement, ""},
	{recon.LineAmbiguous, recon.Ambiguous, ""},
	{recon.LineBookedOut, recon.OutOfScope, "booked"},
	{recon.LineNotBooked, recon.NotBooked, ""},
	{recon.LineNotBooked, recon.OutOfScope, "<>booked"},
}

// lineOnSheets is a line of the bridge as the sheets have it; ok is false for the lines that only the run can know.
func (b *book) lineOnSheets(line string, c ledger.Currency) (count, minor figure, from string, ok bool) {
	cur := currencyIs(literal(currencyWord(c)), c)
	if line == recon.LineRepeats {
		return b.list(SheetRepeats).countIf(cur).negated(), figure{}, "rows on Repeats", true
	}
	if line == recon.LineOtherPeriod || line == recon.LineBookedOutside {
		list := b.list(SheetEdge)
		count, minor = list.countIf(lineIs(line), cur), list.sumIf(headMinor, minorOf, lineIs(line), cur)
		if line == recon.LineBookedOutside {
			count, minor = count.negated(), minor.negated()
		}
		return count, minor, "rows on Period edge", true
	}
	for _, l := range sheetLines {
		if l.line != line {
			continue
		}
		var names []string
		for _, sheet := range l.sheets {
			list := b.list(sheet)
			count = count.plus(list.countIf(lineIs(line), cur))
			minor = minor.plus(list.sumIf(headMinor, minorOf, lineIs(line), cur))
			names = append(names, string(sheet))
		}
		return count.negated(), minor.negated(), "rows on " + strings.Join(names, ", ") + ", by bridge line", true
	}
	for _, l := range entryLines {
		if l.line != line {
			continue
		}
		list := b.list(placeOf(recon.Entries, l.class).Sheet)
		criteria := []criterion{classIs(literal(string(l.class)), l.class), cur}
		switch l.status {
		case "booked":
			criteria = append(criteria, statusIs(`"booked"`, "booked"))
		case "<>booked":
			criteria = append(criteria, criterion{headStatus, `"<>booked"`, func(f *fact) bool { return f.status != "booked" }})
		}
		count = count.plus(list.countIf(criteria...))
		minor = minor.plus(list.sumIf(headMinor, minorOf, criteria...))
		from, ok = "rows on "+string(list.sheet)+", by class", true
	}
	return count, minor, from, ok
}

// bridgeTies compare the bridge of the run with the rows on the sheets, line by line.
func (c *checks) bridgeTies() []tie {
	var ties []tie
	for _, bridge := range c.book.report.Bridge {
		cur := bridge.Currency
		for _, line := range bridge.Lines {
			count, minor, from, ok := c.book.lineOnSheets(line.ID, cur)
			if line.ID == recon.LineDeliveries {
				ties = append(ties, tie{"Bridge, deliveries recorded", figure{n: line.Count}, c.sources.deliveriesOf[cur], "bridge per run", "Sources, deliveries", "count " + string(cur), false, true})
			}
			if !ok {
				continue
			}
			name := "Bridge, " + strings.TrimLeft(line.Label, "−+±= ")
			ties = append(ties, tie{name, figure{n: line.Count}, count, "bridge per run", from, "count " + string(cur), false, false})
			if !line.NoValue {
				ties = append(ties, tie{name, figure{n: line.Minor}, minor.fixed(!c.book.exact(cur)), "bridge per run", from, unitWords(string(cur)), false, false})
			}
		}
	}
	return ties
}

// bridge leads from deliveries to the rows read. Totals are sums of the lines above them.
func (y *summary) bridge(bridge recon.BridgeCurrency) {
	c := bridge.Currency
	y.section(fmt.Sprintf("3. Bridge from deliveries to ledger rows, %s (by settlement, never by class; nil lines stay)", c))
	chainRow := y.next()
	y.add()
	y.head("Line", ">Count", ">Value", ">Minor units", ">By account, minor", ">By account", "Where it comes from")
	first := y.next()
	walk := bridgeWalk{summary: y, currency: c, first: first, fixed: !y.book.exact(c)}
	for _, line := range bridge.Lines {
		walk.line(line)
	}
	rows := y.bridges[c]
	rows.first, rows.last = first, y.next()-1
	y.bridges[c] = rows
	y.rows[chainRow-1] = []cell{walk.chain()}
	y.proof(bridge, &walk)
	y.gap()
}

// bridgeWalk writes the lines of one bridge and remembers what the totals add.
type bridgeWalk struct {
	*summary
	currency  ledger.Currency
	first     int
	fixed     bool
	lastTotal int // row of the last total; 0 = none yet
	count     int64
	minor     int64
	steps     []bridgeStep
	rows      map[string]int
}

// bridgeStep is a stretch of the bridge from one total to the next, for the chain above it.
type bridgeStep struct {
	from, to int // rows of the lines between
	total    int // row of the total
	n        int64
}

// line writes a line: live over the sheets where they can count it, typed where only the run can know.
func (w *bridgeWalk) line(line recon.BridgeLine) {
	if w.rows == nil {
		w.rows = map[string]int{}
	}
	row := w.next()
	w.rows[line.ID] = row
	if line.Total {
		w.total(line, row)
		return
	}
	w.count += line.Count
	w.minor += line.Minor
	count, minor, from, live := w.book.lineOnSheets(line.ID, w.currency)
	cells := []cell{words(line.Label, lined), number(line.Count, lined), blank(lined), blank(lined), blank(lined), blank(lined), words("per run", lined)}
	cells[4], cells[5] = w.byAccount(&line, w.currency, lined)
	value := typed(at(4, row), line.Minor).fixed(w.fixed)
	if live {
		cells[1], cells[6] = count.count(lined), words(from, lined)
	}
	if line.ID == recon.LineDeliveries {
		cells[1], cells[6] = w.sources.deliveriesOf[w.currency].count(lined), words("Sources, deliveries of attempts", lined)
	}
	if !line.NoValue {
		cells[3] = minorUnits(line.Minor, lined)
		if live {
			cells[3] = minor.fixed(w.fixed).integer(lined)
			value.n = minor.n
		}
		cells[2] = value.amount(w.currency, lined)
	}
	w.add(cells...)
}

// total writes a total as a live sum of what stands above it.
func (w *bridgeWalk) total(line recon.BridgeLine, row int) {
	look := plain.total()
	if line.ID == recon.LineRowsRead {
		look = plain.final()
	}
	from := w.first
	count := figure{expr: fmt.Sprintf("SUM(%s:%s)", at(2, from), at(2, row-1)), n: w.count}
	minor := figure{expr: fmt.Sprintf("SUM(%s:%s)", at(4, from), at(4, row-1)), n: w.minor, static: w.fixed}
	source := "sum of the lines above"
	switch {
	case line.ID == recon.LineAttempts:
		// Deliveries have no value of their own: the value begins with the attempts.
		w.minor = line.Minor
		minor = w.sources.attempts[w.currency].minor
		source = "count: sum of the lines above; value: Sources, attempts"
	case w.lastTotal > 0:
		from = w.lastTotal + 1
		count.expr = fmt.Sprintf("%s+SUM(%s:%s)", at(2, w.lastTotal), at(2, from), at(2, row-1))
		minor.expr = fmt.Sprintf("%s+SUM(%s:%s)", at(4, w.lastTotal), at(4, from), at(4, row-1))
		source = "total above plus the lines since"
	}
	w.steps = append(w.steps, bridgeStep{from: from, to: row - 1, total: row, n: w.count})
	value := typed(at(4, row), minor.n).fixed(w.fixed)
	accountsMinor, accountsCount := w.byAccount(&line, w.currency, look)
	w.add(words(line.Label, look), count.count(look), value.amount(w.currency, look), minor.integer(look), accountsMinor, accountsCount, words(source, look.light()))
	w.lastTotal = row
}

// chain is the arithmetic of the counts in one line: 8,412 − 303 = 8,109 − 1 = 8,108 + 1 = 8,109.
func (w *bridgeWalk) chain() cell {
	var text, formula strings.Builder
	previous := int64(0)
	for i, s := range w.steps {
		if w.rows[recon.LineBookedInScope] > 0 && s.total > w.rows[recon.LineBookedInScope] {
			break
		}
		between := fmt.Sprintf("SUM(%s:%s)", at(2, s.from), at(2, s.to))
		if i == 0 {
			// The first line is the start and the rest of the stretch is what comes off it.
			start := w.grid.rows[s.from-1][1].value
			n, _ := start.(int64)
			fmt.Fprintf(&text, "Counts: %s", grouped(n))
			fmt.Fprintf(&formula, `"Counts: "&FIXED(%s,0)`, at(2, s.from))
			between = fmt.Sprintf("SUM(%s:%s)", at(2, s.from+1), at(2, s.to))
			previous = n
		}
		step := s.n - previous
		sign := "+"
		if step < 0 {
			sign = "−"
		}
		fmt.Fprintf(&text, " %s %s = %s", sign, grouped(size(step)), grouped(s.n))
		fmt.Fprintf(&formula, `&IF(%s<0," − "," + ")&FIXED(ABS(%s),0)&" = "&FIXED(%s,0)`, between, between, at(2, s.total))
		previous = s.n
	}
	return cell{formula: formula.String(), value: text.String(), style: style{size: 10, bold: true, ink: navy}}
}

// proof compares the end of the bridge with the sources.
func (y *summary) proof(bridge recon.BridgeCurrency, w *bridgeWalk) {
	c := bridge.Currency
	for _, p := range []struct {
		label   string
		id      string
		outside string // a line to add first
		says    string
		control control
	}{
		{"Proof: booked entries less Sources", recon.LineBookedInScope, recon.LineBookedOut, "booked in scope and out of scope, less booked per Sources: must be 0 and 0", y.sources.booked[c]},
		{"Proof: rows read less Sources", recon.LineRowsRead, "", "less ledger entries per Sources: must be 0 and 0", y.sources.entries[c]},
	} {
		row, ok := w.rows[p.id]
		if !ok {
			continue
		}
		count, minor := typed(at(2, row), bridge.Line(p.id).Count), typed(at(4, row), bridge.Line(p.id).Minor)
		if other, ok := w.rows[p.outside]; ok {
			count = count.plus(typed(at(2, other), bridge.Line(p.outside).Count))
			minor = minor.plus(typed(at(4, other), bridge.Line(p.outside).Minor))
		}
		count, minor = count.minus(p.control.count), minor.minus(p.control.minor).fixed(w.fixed)
		n := y.next()
		y.add(words(p.label, labelLook), count.count(labelLook), typed(at(4, n), minor.n).fixed(w.fixed).amount(c, labelLook), minor.integer(labelLook),
			y.zero(n, count, minor), blank(lined), words(p.says, lined))
		y.grid.checks = append(y.grid.checks, at(5, n))
		if p.id == recon.LineBookedInScope {
			y.booked[c] = typed(at(4, row), bridge.Line(p.id).Minor).fixed(w.fixed)
		}
	}
}

// zero is the CHECK cell of a proof.
func (y *summary) zero(row int, count, minor figure) cell {
	value := checkDiffers
	if count.n == 0 && minor.n == 0 {
		value = checkOK
	}
	if minor.static {
		return words(value, checkLook)
	}
	return cell{formula: fmt.Sprintf(`IF(AND(%s=0,%s=0),"%s","%s")`, at(2, row), at(4, row), checkOK, checkDiffers), value: value, style: checkLook}
}
