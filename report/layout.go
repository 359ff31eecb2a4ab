package report

import (
	"math"
	"strconv"
	"strings"
	"unicode"
)

// Rows get their height here: Excel grows a row to its wrapped text when it opens a file, LibreOffice does not.
const (
	pixelsPerWidth = 8.0  // a unit of column width: the widest digit of Arial 11
	cellPadding    = 8.0  // left and right of the text, in pixels
	indentPixels   = 9.0  // an indent step
	maxLines       = 12.0 // a taller row would push everything else off the screen; the cell holds the whole text
	maxIDLines     = 24.0 // an identifier is shown whole: 255 characters in the narrowest column of identifiers
)

// rowHeight is the height in points that the wrapped cells of a row need; 0 means that one line is enough.
func rowHeight(cells []cell, widths func(i int) float64) float64 {
	most, points := 1.0, 0.0
	for i, c := range cells {
		text, ok := c.value.(string)
		if !ok || !c.style.wrap {
			continue
		}
		limit := maxLines
		if c.style.format == formatText {
			limit = maxIDLines
		}
		if n := wrappedLines(text, widths(i)*pixelsPerWidth-cellPadding-float64(c.style.indent)*indentPixels, c.style); n > most {
			most = max(most, min(n, limit))
		}
		points = max(points, c.style.size*1.28)
	}
	if most == 1 {
		return 0
	}
	return float64(int(most*points)) + 4
}

// textUnits is the column width that a text needs on one line, rounded up to halves.
func textUnits(text string, look style) float64 {
	pixels := textWidth(text, look.em()) + cellPadding + float64(look.indent)*indentPixels
	return math.Ceil(2*pixels/pixelsPerWidth) / 2
}

// Excel draws the digits of 9 points 7 pixels wide on a screen, which is more than the outline says, and shows ##### for a
// number that does not fit.
const (
	digitPixels = 7.0
	markPixels  = 4.0 // of commas, points and brackets
	mostUnits   = 26  // a number of 15 digits in brackets
)

// numberUnits is the column width that a number needs: so many digits before the decimals of its format.
func numberUnits(digits int, look style) float64 {
	_, decimals, _ := strings.Cut(strings.TrimSuffix(strings.SplitN(look.format, ";", 2)[0], "_)"), ".")
	pixels := float64(digits+len(decimals))*digitPixels + 3*markPixels // brackets or a sign, and the decimal point
	if strings.Contains(look.format, ",") {
		pixels += float64((digits-1)/3) * markPixels
	}
	pixels *= look.em() / (9 * 96.0 / 72)
	return math.Ceil(2*(pixels+cellPadding)/pixelsPerWidth) / 2
}

// digitsOf is how many digits a number has before its decimals.
func digitsOf(n float64) int { return len(strconv.FormatFloat(math.Trunc(math.Abs(n)), 'f', 0, 64)) }

// unitsOf is the column width that a cell needs so that its number shows; 0 for all else.
func (c cell) unitsOf() float64 {
	switch n := c.value.(type) {
	case int64:
		return numberUnits(digitsOf(float64(n)), c.style)
	case float64:
		return numberUnits(digitsOf(n), c.style)
	default:
		return 0
	}
}

// widen gives every column room for its largest number.
func (g *grid) widen() {
	for _, cells := range g.rows {
		for i, c := range cells {
			if need := min(c.unitsOf(), mostUnits); need > g.widths[i] {
				g.widths[i] = need
			}
		}
	}
}

// em is the size of a look's letters in pixels; bold ones are wider.
func (s style) em() float64 {
	em := s.size * 96 / 72
	if s.bold {
		em *= 1.08
	}
	return em
}

// wrappedLines is how many lines a text takes in so many pixels. Excel breaks at blanks, and within a word only where it is
// too long; LibreOffice breaks at other marks too, which can take a line more.
func wrappedLines(text string, width float64, look style) float64 {
	em := look.em()
	lines, marked := 0.0, 0.0
	for paragraph := range strings.SplitSeq(text, "\n") {
		lines += brokenLines(paragraph, width, em, nil)
		if strings.ContainsAny(paragraph, breakMarks) {
			marked += brokenLines(paragraph, width, em, pieces)
		} else {
			marked += brokenLines(paragraph, width, em, nil)
		}
		if lines = min(lines, maxIDLines); lines == maxIDLines {
			break
		}
	}
	return min(max(lines, marked), maxIDLines)
}

// breakMarks are the marks at which LibreOffice breaks a word, behind or before it.
const breakMarks = `-/\?|!([{`

// pieces cuts a word at its marks; a mark counts to the piece before it, or to the one after it if it opens something.
func pieces(word string) (cut []string) {
	from := 0
	for i, r := range word {
		switch {
		case i > from && strings.ContainsRune(`\([{`, r):
			cut, from = append(cut, word[from:i]), i
		case i+1 < len(word) && strings.ContainsRune(`-/?|!`, r):
			cut, from = append(cut, word[from:i+1]), i+1
		}
	}
	return append(cut, word[from:])
}

// brokenLines is how many lines a paragraph takes if it may be broken at blanks, and between the pieces of a word.
func brokenLines(paragraph string, width, em float64, pieces func(string) []string) float64 {
	lines, used := 1.0, 0.0
	blank := float64(arial[0]) / 1000 * em
	place := func(need float64) {
		if used > 0 && used+need > width {
			lines++
			used = 0
		}
		for need > width && lines < maxIDLines {
			lines++
			need -= width
		}
		used += need
	}
	for i, word := range strings.Split(paragraph, " ") {
		if i > 0 {
			used += blank
		}
		if pieces == nil {
			place(textWidth(word, em))
			continue
		}
		for _, piece := range pieces(word) {
			place(textWidth(piece, em))
		}
	}
	return lines
}

// arial are the widths of the printable ASCII characters in Arial, in thousandths of its size.
var arial = [...]uint16{
	278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, // blank to slash
	556, 556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, // digits to question mark
	1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778, // at sign to O
	667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556, // P to underscore
	333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556, // grave to o
	556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584, // p to tilde
}

// textWidth is the width of a text in Arial. Letters of other scripts are taken to be wide, for a row that is too high hides
// nothing.
func textWidth(s string, em float64) float64 {
	thousandths := 0.0
	for _, r := range s {
		switch {
		case r >= ' ' && int(r-' ') < len(arial):
			thousandths += float64(arial[r-' '])
		case r >= 0x1100 && (unicode.Is(unicode.Han, r) || r > 0xFFFF):
			thousandths += 1000
		default:
			thousandths += 620
		}
	}
	return thousandths / 1000 * em
}
