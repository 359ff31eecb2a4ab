package report

import (
	"strings"
	"unicode"
)

// Rows get their height here: Excel grows a row to its wrapped text when it opens a file, LibreOffice does not.
const (
	pixelsPerWidth = 8.0  // a unit of column width: the widest digit of Arial 11
	cellPadding    = 8.0  // left and right of the text, in pixels
	indentPixels   = 9.0  // an indent step
	maxLines       = 12.0 // a taller row would push everything else off the screen; the cell holds the whole text
)

// rowHeight is the height in points that the wrapped cells of a row need; 0 means that one line is enough.
func rowHeight(cells []cell, widths func(i int) float64) float64 {
	most, points := 1.0, 0.0
	for i, c := range cells {
		text, ok := c.value.(string)
		if !ok || !c.style.wrap {
			continue
		}
		if n := wrappedLines(text, widths(i)*pixelsPerWidth-cellPadding-float64(c.style.indent)*indentPixels, c.style); n > most {
			most = n
		}
		points = max(points, c.style.size*1.28)
	}
	if most == 1 {
		return 0
	}
	return float64(int(min(most, maxLines)*points)) + 4
}

// wrappedLines is how many lines a text takes in so many pixels, broken at blanks and, where a word is too long, within.
func wrappedLines(text string, width float64, look style) float64 {
	em := look.size * 96 / 72
	if look.bold {
		em *= 1.08
	}
	lines := 0.0
	for paragraph := range strings.SplitSeq(text, "\n") {
		lines++
		used := 0.0
		for i, word := range strings.Split(paragraph, " ") {
			need := textWidth(word, em)
			if i > 0 {
				used += float64(arial[0]) / 1000 * em
			}
			if used > 0 && used+need > width {
				lines++
				used = 0
			}
			for need > width {
				lines++
				need -= width
			}
			used += need
		}
		if lines > maxLines {
			return maxLines
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
