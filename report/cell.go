package report

import (
	"crypto/sha256"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"agentrecon/ledger"
)

const (
	// maxCellUnits is how many UTF-16 units a cell takes; excelize would cut the rest in silence.
	maxCellUnits = 32_767
	// shownRunes is how much of a longer text is shown, with its length and hash beside it.
	shownRunes = 1_000
	// maxExact bounds the integers that a spreadsheet shows in full: 15 digits.
	maxExact = int64(1_000_000_000_000_000)
)

// cell is what one cell of the workbook holds. A cell without a formula holds its value as typed: a string stays a
// string whatever it begins with.
type cell struct {
	value   any    // string, int64, float64, time.Time; nil = empty
	formula string // live; value is then what it comes to
	style   style
	link    string // sheet that a click leads to
}

// withStyle is the cell with another style.
func (c cell) withStyle(s style) cell { c.style = s; return c }

// blank is an empty cell with a style.
func blank(s style) cell { return cell{style: s} }

// words is a text of the program itself: it needs no care.
func words(s string, look style) cell { return cell{value: s, style: look} }

// number is a count or another integer.
func number(n int64, look style) cell {
	if n >= maxExact || n <= -maxExact {
		return cell{value: strconv.FormatInt(n, 10), style: look.right()}
	}
	return cell{value: n, style: look.as(formatCount)}
}

// minorUnits is an integer sum of minor units, as text where a spreadsheet would round it.
func minorUnits(n int64, look style) cell {
	if n >= maxExact || n <= -maxExact {
		return cell{value: strconv.FormatInt(n, 10), style: look.right()}
	}
	return cell{value: n, style: look.as(formatInteger)}
}

// money is an amount in major units for people; tie-outs never add it. Amounts beyond 15 digits are shown as text, for
// a spreadsheet would round them.
func money(minor int64, c ledger.Currency, look style) cell {
	if minor >= maxExact || minor <= -maxExact {
		return cell{value: ledger.FormatDecimal(minor, c.Exponent()), style: look.right()}
	}
	return cell{value: major(minor, c), style: look.as(moneyFormat(c))}
}

// major is the one place where minor units become a float, and for display only.
func major(minor int64, c ledger.Currency) float64 {
	return float64(minor) / float64(scale(c))
}

// scale is how many minor units make a major one.
func scale(c ledger.Currency) int64 {
	n := int64(1)
	for range c.Exponent() {
		n *= 10
	}
	return n
}

// instant is a moment in UTC, to the second. It goes in as a time.Time: a serial number computed here would show the
// wrong second in LibreOffice.
func instant(t time.Time, look style) cell {
	if t.IsZero() {
		return blank(look)
	}
	return cell{value: t.UTC().Truncate(time.Second), style: look.as(formatInstant)}
}

// day is a calendar date without a zone.
func day(d ledger.Date, look style) cell {
	if d.IsZero() {
		return blank(look)
	}
	return cell{value: d.Time(), style: look.as(formatDate)}
}

// days is a duration in days with one decimal.
func days(d time.Duration, look style) cell {
	return cell{value: shownDays(d), style: look.as(formatDays)}
}

// shownDays cuts to one decimal, so that ageing compares what a reader sees.
func shownDays(d time.Duration) float64 { return float64(d/(time.Hour*24/10)) / 10 }

// texts turns text from outside into cells, and counts what it could not show as it is.
type texts struct {
	altered int
}

// text is free text from outside. Line feeds and tabs stay.
func (t *texts) text(s string, look style) cell { return t.cell(s, look, true) }

// id is text that identifies something: a line feed in it is shown escaped, for two ids must never look alike.
func (t *texts) id(s string, look style) cell { return t.cell(s, look, false) }

// cell formats text as text: a spreadsheet would turn 00012 or 3.05E+15 into numbers.
func (t *texts) cell(s string, look style, free bool) cell {
	if s == "" {
		return blank(look)
	}
	shown := show(s, free)
	if shown != s {
		t.altered++
	}
	return cell{value: shown, style: look.as(formatText)}
}

// show is s as a cell can hold it. What it cannot hold is shown escaped (\u0000, \xff); in such a text a backslash of
// its own is doubled, so that the original can be read back. A text longer than a cell is shown by its beginning with
// its length and hash, never cut in silence.
func show(s string, free bool) string {
	if units16(s) > maxCellUnits {
		return shorten(s, free)
	}
	if !needsEscape(s, free) {
		return s
	}
	if shown := escape(s, free); units16(shown) <= maxCellUnits {
		return shown
	}
	return shorten(s, free)
}

// shorten shows the beginning of a text that no cell holds, and enough to tell it from others like it.
func shorten(s string, free bool) string {
	head := s
	for i, n := 0, 0; i < len(s); n++ {
		if n == shownRunes {
			head = s[:i]
			break
		}
		_, size := utf8.DecodeRuneInString(s[i:])
		i += size
	}
	if needsEscape(head, free) {
		head = escape(head, free)
	}
	sum := sha256.Sum256([]byte(s))
	return fmt.Sprintf("%s… [shortened: %d bytes in all, sha256 %x]", head, len(s), sum[:8])
}

func needsEscape(s string, free bool) bool {
	for i, r := range s {
		if unshowable(r, free) || (r == utf8.RuneError && isBadByte(s[i:])) {
			return true
		}
	}
	return false
}

// isBadByte tells a broken byte from a replacement character that is really there.
func isBadByte(s string) bool {
	_, size := utf8.DecodeRuneInString(s)
	return size == 1
}

// unshowable reports whether a character is forbidden in XML, invisible, or able to turn the text around. Free text
// keeps line feeds, tabs, soft hyphens and the joiners that some scripts need.
func unshowable(r rune, free bool) bool {
	switch r {
	case '\n', '\t', '\u00AD', '\u200C', '\u200D':
		return !free
	case '\uFFFE', '\uFFFF', '\u2028', '\u2029':
		return true
	default:
		return unicode.IsControl(r) || unicode.Is(unicode.Cf, r)
	}
}

// escape writes what cannot be shown as Go would, and doubles backslashes so that the text can be read back.
func escape(s string, free bool) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case r == '\\':
			b.WriteString(`\\`)
		case unshowable(r, free) && r > 0xFFFF:
			fmt.Fprintf(&b, `\U%08x`, r)
		case unshowable(r, free):
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
		i += size
	}
	return b.String()
}

// units16 is the length of s as a spreadsheet counts it.
func units16(s string) int {
	n := 0
	for _, r := range s {
		if n++; r > 0xFFFF {
			n++
		}
	}
	return n
}
