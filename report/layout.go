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
				used += 0.28 * em
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

// textWidth estimates the width of a text in Arial.
func textWidth(s string, em float64) float64 {
	var w float64
	for _, r := range s {
		switch {
		case r >= 0x1100 && (unicode.Is(unicode.Han, r) || r > 0xFFFF):
			w++
		case strings.ContainsRune("iljtfrI.,:;|!'()[]/- ", r):
			w += 0.30
		case unicode.IsUpper(r), r == 'm', r == 'w', r == '…', r == '—':
			w += 0.70
		default:
			w += 0.55
		}
	}
	return w * em
}
