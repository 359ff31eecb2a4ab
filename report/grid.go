package report

import (
	"fmt"
	"strings"

	"github.com/xuri/excelize/v2"

	"agentrecon/ledger"
)

// grid is a sheet made of blocks: Cover, Summary, Checks, Sources, Method, Fields. It is laid out in memory first, so that
// formulas of other sheets can name its cells.
type grid struct {
	sheet   Sheet
	widths  []float64
	rows    [][]cell
	heights []float64 // by row; 0 = as the text needs
	heads   int       // rows that stay on the screen
	blocks  []int     // rows with which blocks begin, for page breaks
	checks  []string  // ranges that hold OK or DIFFERS
	charts  []chart
}

// add appends a row and returns its number.
func (g *grid) add(cells ...cell) int {
	g.rows = append(g.rows, cells)
	g.heights = append(g.heights, 0)
	return len(g.rows)
}

// height fixes the height of the last row, in points.
func (g *grid) height(points float64) { g.heights[len(g.heights)-1] = points }

// next is the number that the next row will have.
func (g *grid) next() int { return len(g.rows) + 1 }

func (g *grid) gap() { g.add() }

// title puts the sheet's title into A1 and what it holds below it.
func (g *grid) title(title string, lines ...string) {
	g.add(words(title, titleLook))
	g.height(22)
	for _, line := range lines {
		g.add(words(line, noteLook))
	}
}

// section begins a block under a band across the sheet.
func (g *grid) section(name string) int {
	g.clearCharts()
	row := make([]cell, len(g.widths))
	row[0] = words(name, section)
	for i := 1; i < len(row); i++ {
		row[i] = blank(section)
	}
	n := g.add(row...)
	g.height(16)
	g.blocks = append(g.blocks, n)
	return n
}

// block says that the next row begins a block, which a page break may stand before.
func (g *grid) block() {
	g.clearCharts()
	g.blocks = append(g.blocks, g.next())
}

// clearCharts adds empty rows until no chart reaches the next one: a chart may be longer than the table beside it, and a
// page break before the next block would cut it.
func (g *grid) clearCharts() {
	for i := range g.charts {
		for g.next() <= g.charts[i].lastRow() {
			g.gap()
		}
	}
}

// head adds the header of a block. A name that begins with ">" heads a column of numbers.
func (g *grid) head(names ...string) int {
	row := make([]cell, len(names))
	for i, name := range names {
		if text, ok := strings.CutPrefix(name, ">"); ok {
			row[i] = words(text, headRight)
		} else {
			row[i] = words(name, headLook)
		}
	}
	return g.add(row...)
}

// at names a cell of the grid for formulas on the same sheet.
func at(column, row int) string {
	name, err := excelize.CoordinatesToCellName(column, row)
	if err != nil {
		panic("report: cell outside a sheet: " + err.Error())
	}
	return name
}

// on names a cell for formulas on any sheet.
func on(sheet Sheet, column, row int) string {
	return quoted(sheet) + "!$" + columnName(column) + fmt.Sprintf("$%d", row)
}

// quoted is a sheet's name as formulas want it.
func quoted(sheet Sheet) string {
	if strings.ContainsAny(string(sheet), " ,") {
		return "'" + string(sheet) + "'"
	}
	return string(sheet)
}

func columnName(column int) string {
	name, err := excelize.ColumnNumberToName(column)
	if err != nil {
		panic("report: column outside a sheet: " + err.Error())
	}
	return name
}

// figure is an integer with the expression that yields it: what live formulas are made of.
//
// A static figure is beyond the 15 digits that a spreadsheet keeps: it is worked out by the program alone and shown as
// text, without a formula that would round it.
type figure struct {
	expr   string
	n      int64
	static bool
	sum    bool // the expression has a plus or minus outside brackets
}

// typed is a figure that stands in a cell.
func typed(ref string, n int64) figure {
	return figure{expr: ref, n: n, static: n >= maxExact || n <= -maxExact}
}

// plus adds figures; the zero figure adds nothing.
func (f figure) plus(o figure) figure {
	if f.expr == "" {
		return o
	}
	return figure{f.expr + "+" + o.expr, f.n + o.n, f.static || o.static, true}
}

// minus subtracts a figure as one operand, brackets included.
func (f figure) minus(o figure) figure {
	return figure{f.expr + "-" + o.bracketed(), f.n - o.n, f.static || o.static, true}
}

func (f figure) negated() figure { return figure{"-" + f.bracketed(), -f.n, f.static, true} }

// fixed makes a figure static where a currency's amounts are beyond what a spreadsheet keeps.
func (f figure) fixed(yes bool) figure { f.static = f.static || yes; return f }

// bracketed is the expression as one operand.
func (f figure) bracketed() string {
	if f.sum {
		return "(" + f.expr + ")"
	}
	return f.expr
}

// count is a live cell with an integer.
func (f figure) count(look style) cell {
	if f.static {
		return number(f.n, look)
	}
	return cell{formula: f.expr, value: f.n, style: look.as(formatCount)}
}

// integer is a live cell with minor units.
func (f figure) integer(look style) cell {
	if f.static {
		return minorUnits(f.n, look)
	}
	return cell{formula: f.expr, value: f.n, style: look.as(formatInteger)}
}

// amount is a live cell in major units over an expression in minor units.
func (f figure) amount(c ledger.Currency, look style) cell {
	if f.static {
		return money(f.n, c, look)
	}
	expr := f.expr
	if scale(c) > 1 {
		expr = fmt.Sprintf("%s/%d", f.bracketed(), scale(c))
	}
	return cell{formula: expr, value: major(f.n, c), style: look.as(moneyFormat(c))}
}

// Results of a check, as its cell shows them.
const (
	checkOK      = "OK"
	checkDiffers = "DIFFERS"
)

// agree is a live cell that compares two cells.
func agree(left, right figure) cell {
	value := checkDiffers
	if left.n == right.n {
		value = checkOK
	}
	if left.static || right.static {
		return words(value, checkLook)
	}
	return cell{formula: fmt.Sprintf(`IF(%s=%s,"%s","%s")`, left.expr, right.expr, checkOK, checkDiffers), value: value, style: checkLook}
}
