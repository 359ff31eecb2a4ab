package report

// Sheets of blocks are scaled to the width of the paper and broken before blocks, so that no block is cut that fits a page.
// Lists are fitted to the width by the program that prints them, for nobody knows their length.

// Sizes in points.
const (
	pointsPerWidth = pixelsPerWidth * 0.75 // a unit of column width
	lineHeight     = 14.0                  // a row of one line
	sideMargin     = 0.4 * 72              // left and right of the page, in inches
	topMargin      = 0.75 * 72             // above and below, with header and footer in it
	safety         = 0.97                  // printers and fonts differ a little
)

// pageSize is the paper in landscape, in points.
func pageSize(p Paper) (width, height float64) {
	if p == Letter {
		return 792, 612
	}
	return 842, 595
}

// printing is how large a sheet is printed: at a scale in percent, or fitted to so many pages side by side.
type printing struct {
	scale uint
	wide  int
}

// A list wider than this, in units of column width, is printed on two pages side by side: on one, nobody could read it.
// A list without rows shows its first columns, enough for its title.
const (
	widestPage = 213 // 9 points come out as 5.5
	nilWidth   = 140
)

// Columns of identifiers grow to what they hold where the page has room: an identifier in one piece is read faster.
const (
	roomyPage  = 170 // 9 points come out as 6.9
	widestID   = 36
	widthsFrom = 200 // rows that are looked at
)

// widen gives columns of identifiers the width of the longest among the first rows, from left to right, as long as the list
// stays on a page that is easy to read. The widths are those of the report alone, so that they are the same every time.
func (l *list) widen() {
	l.widenAmounts()
	last, width := l.printedColumns()
	if l.rows == 0 || width >= roomyPage {
		return
	}
	needs := make([]float64, last)
	for n := range min(l.rows, widthsFrom) {
		for i, c := range l.row(n)[:last] {
			if text, ok := c.value.(string); ok && l.columns[i].holds == holdsID {
				needs[i] = max(needs[i], textUnits(text, c.style))
			}
		}
	}
	for i, need := range needs {
		if more := min(need, widestID, l.columns[i].width+roomyPage-width) - l.columns[i].width; more > 0 {
			l.columns[i].width += more
			width += more
		}
	}
}

// printedColumns are the columns of a list that are printed, by the last one, and their width.
func (l *list) printedColumns() (last int, width float64) {
	for i, c := range l.columns {
		if c.group != evidence {
			continue
		}
		if l.rows == 0 && last >= l.frozen && width+c.width > nilWidth {
			break
		}
		last = i + 1
		width += c.width
	}
	return last, width
}

// pagesWide is how many pages a list takes side by side.
func (l *list) pagesWide() int {
	if _, width := l.printedColumns(); width > widestPage {
		return 2
	}
	return 1
}

// noteColumns are the columns, from 0, in which the lines below the title begin: what the list holds, and the run. A line runs
// on over empty cells to its right; on the right-hand page of a wide list it would be cut behind the columns that are
// printed again, so there it begins after those.
func (l *list) noteColumns() (about, run int) {
	if l.pagesWide() > 1 {
		return l.frozen, l.frozen
	}
	return 0, 2
}

// widenAmounts gives amounts room for the largest of the list, in brackets, and twice that: what the ledger has of an
// attempt may be more.
func (l *list) widenAmounts() {
	amount, minor := 0.0, 0.0
	for i := range l.facts {
		most := float64(max(2*size(l.facts[i].minor), 2*size(l.facts[i].difference), size(l.facts[i].lineMinor)))
		c := l.facts[i].currency
		amount = max(amount, numberUnits(digitsOf(most/float64(scale(c))), lined.strong().as(moneyFormat(c))))
		minor = max(minor, numberUnits(digitsOf(most), techLook.as(formatInteger)))
	}
	for i, c := range l.columns {
		switch c.holds {
		case holdsAmount:
			l.columns[i].width = max(c.width, min(amount, mostUnits))
		case holdsInteger:
			l.columns[i].width = max(c.width, min(minor, mostUnits))
		}
	}
}

// layout is how a sheet of blocks is printed.
type layout struct {
	scale  uint  // percent
	breaks []int // rows that begin a page
}

// paginate scales a sheet to the paper and finds its page breaks. Heights are those of the rows.
func paginate(g *grid, heights []float64, paper Paper) layout {
	width, height := pageSize(paper)
	total := 0.0
	for _, w := range g.widths {
		total += w * pointsPerWidth
	}
	scale := min(1, safety*(width-2*sideMargin)/total)
	l := layout{scale: uint(max(10, 100*scale))}
	room := safety * (height - 2*topMargin) * 100 / float64(l.scale)
	head := 0.0
	for _, h := range heights[:g.heads] {
		head += h
	}
	used := 0.0
	blocks := append(append([]int{}, g.blocks...), len(heights)+1)
	for _, h := range heights[:blocks[0]-1] {
		used += h
	}
	for i, first := range blocks[:len(blocks)-1] {
		need := 0.0
		for _, h := range heights[first-1 : blocks[i+1]-1] {
			need += h
		}
		if used > head && used+need > room && (head+need <= room || used > room/2) {
			l.breaks = append(l.breaks, first)
			used = head
		}
		for used += need; used > room; used += head { // the block runs over to further pages
			used -= room
		}
	}
	return l
}
