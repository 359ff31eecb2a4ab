package profile

import (
	"errors"
	"strconv"
	"strings"
	"time"
	"unicode"

	"agentrecon/ledger"
)

// Order is the order of day, month and year in the dates of a file.
type Order string

// The orders. Dates that begin with a year of four digits, or name the month, need none.
const (
	YearFirst  Order = "ymd"
	DayFirst   Order = "dmy"
	MonthFirst Order = "mdy"
)

// day is a date as printed, not yet in order.
type day struct {
	parts [3]int // as they stand
	width [3]int // in digits
	month int    // which of the parts is known to be the month, by its name: 1 to 3; 0 none
	sep   byte
	clock string // what stands behind: time of day, offset
}

var errDay = errors.New("want a date such as 31.03.2025")

// parseDay takes a date apart.
func parseDay(s string) (d day, err error) {
	rest, _, _ := strings.Cut(strings.TrimSpace(s), " as of ") // the day it was booked, and the day it was for
	if len(rest) >= 8 && digitsIn(rest) == 8 && (len(rest) == 8 || rest[8] == ' ' || rest[8] == 'T') {
		return compact(rest)
	}
	for i := range d.parts {
		rest = strings.TrimLeft(rest, " .,-/:")
		n := digitsIn(rest)
		if n == 0 {
			month, length := monthName(rest)
			if month == 0 || i == 2 || d.month != 0 {
				return d, errDay
			}
			d.parts[i], d.month, rest = month, i+1, strings.TrimLeft(rest[length:], ".")
			continue
		}
		if n > 4 || n == 3 {
			return d, errDay
		}
		d.parts[i], _ = strconv.Atoi(rest[:n])
		d.width[i] = n
		rest = rest[n:]
		if i < 2 {
			if rest == "" {
				return d, errDay
			}
			if d.sep == 0 {
				d.sep = rest[0]
			}
			if len(rest) > 2 && (rest[:2] == "st" || rest[:2] == "nd" || rest[:2] == "rd" || rest[:2] == "th") {
				rest = rest[2:]
			}
		}
	}
	d.clock = strings.TrimLeft(rest, " .,T")
	if d.clock != "" && !isDigit(rune(d.clock[0])) {
		return d, errDay
	}
	return d, nil
}

// dayOf takes the date of a cell apart. A number where a date belongs is a serial number of a workbook whose style
// does not say so, counted from 1900, or a date without separators.
func dayOf(c Cell) (day, error) {
	if c.Kind == Date && len(c.Text) >= len("2006-01-02") {
		return parseDay(c.Text)
	}
	const first, last = 20_000, 80_000 // 1954 to 2119
	if c.Kind == Number {
		whole, _, _ := strings.Cut(c.Text, ".")
		if n, err := strconv.Atoi(whole); err == nil && n >= first && n <= last {
			t := time.Date(1899, time.December, 30+n, 0, 0, 0, 0, time.UTC)
			return day{parts: [3]int{t.Year(), int(t.Month()), t.Day()}, width: [3]int{4, 2, 2}}, nil
		}
	}
	return parseDay(c.Text)
}

// compact reads YYYYMMDD, or DDMMYYYY where that is no date.
func compact(s string) (d day, err error) {
	number := func(from, to int) int { n, _ := strconv.Atoi(s[from:to]); return n }
	d.clock = strings.TrimLeft(s[8:], " T")
	if y := number(0, 4); y >= 1900 && y < 2200 {
		d.parts, d.width = [3]int{y, number(4, 6), number(6, 8)}, [3]int{4, 2, 2}
	} else {
		d.parts, d.width, d.sep = [3]int{number(0, 2), number(2, 4), number(4, 8)}, [3]int{2, 2, 4}, 'x'
	}
	order, _ := d.evidence()
	if on, err := d.in(order); err != nil || on.Time().Year() < earliestYear || on.Time().Year() > latestYear {
		return d, errDay // a number of eight digits, such as a reference
	}
	return d, nil
}

// The years that dates without separators are of; numbers of other digits are references.
const earliestYear, latestYear = 1970, 2199

func digitsIn(s string) int {
	n := 0
	for n < len(s) && isDigit(rune(s[n])) {
		n++
	}
	return n
}

// months begin so in the languages of the lexicons; four letters where three are not enough.
var months = [12][]string{
	{"jan", "ene", "gen", "oca", "sty"},
	{"feb", "fév", "fev", "lut"},
	{"mar", "mär", "maa", "mrt"},
	{"apr", "avr", "abr", "kwi"},
	{"may", "mai", "mag", "mei", "maj"},
	{"jun", "giu", "juin", "cze"},
	{"jul", "lug", "juil", "lip"},
	{"aug", "aoû", "aou", "ago", "sie"},
	{"sep", "set", "wrz"},
	{"oct", "okt", "ott", "out", "paź"},
	{"nov", "lis"},
	{"dec", "déc", "dez", "dic", "des", "gru"},
}

// monthName returns the month that a text begins with, and the length of the word.
func monthName(s string) (month, length int) {
	for length < len(s) {
		r := []rune(s[length:min(len(s), length+4)])[0]
		if !unicode.IsLetter(r) {
			break
		}
		length += len(string(r))
	}
	word := strings.ToLower(s[:length])
	best := 0
	for i, names := range months {
		for _, name := range names {
			if len(name) > best && strings.HasPrefix(word, name) {
				month, best = i+1, len(name)
			}
		}
	}
	return month, length
}

// evidence is what one date says of the file's order: an order, or nothing.
func (d *day) evidence() (order Order, known bool) {
	switch {
	case d.width[0] == 4 || d.parts[0] > 31:
		return YearFirst, true
	case d.month == 1:
		return MonthFirst, true
	case d.month == 2:
		return DayFirst, true
	case d.parts[0] > 12:
		return DayFirst, true
	case d.parts[1] > 12:
		return MonthFirst, true
	case d.sep == '.' || d.sep == 'x':
		return DayFirst, true // nobody writes the month first with points
	}
	return "", false
}

// in returns the date, read in an order.
func (d *day) in(order Order) (ledger.Date, error) {
	if own, known := d.evidence(); known && (own == YearFirst || d.month != 0) {
		order = own
	}
	var year, month, dayOfMonth int
	switch order {
	case YearFirst:
		year, month, dayOfMonth = d.parts[0], d.parts[1], d.parts[2]
	case DayFirst:
		dayOfMonth, month, year = d.parts[0], d.parts[1], d.parts[2]
	case MonthFirst:
		month, dayOfMonth, year = d.parts[0], d.parts[1], d.parts[2]
	default:
		return 0, errDay
	}
	if year < 100 {
		const pivot = 70
		if year += 2000; year >= 2000+pivot {
			year -= 100
		}
	}
	if month < 1 || month > 12 || dayOfMonth < 1 || dayOfMonth > 31 || year > 9999 {
		return 0, errDay
	}
	on := ledger.NewDate(year, time.Month(month), dayOfMonth)
	if y, m, n := on.Time().Date(); y != year || int(m) != month || n != dayOfMonth {
		return 0, errors.New("no such day")
	}
	return on, nil
}

// zones are abbreviations that exports print. Only those with one meaning in payments are here.
var zones = map[string]time.Duration{
	"UTC": 0, "GMT": 0, "Z": 0, "WET": 0, "WEST": time.Hour, "BST": time.Hour, "CET": time.Hour, "CEST": 2 * time.Hour, "EET": 2 * time.Hour, "EEST": 3 * time.Hour,
	"EST": -5 * time.Hour, "EDT": -4 * time.Hour, "CST": -6 * time.Hour, "CDT": -5 * time.Hour, "MST": -7 * time.Hour, "MDT": -6 * time.Hour,
	"PST": -8 * time.Hour, "PDT": -7 * time.Hour, "HKT": 8 * time.Hour, "SGT": 8 * time.Hour, "JST": 9 * time.Hour, "AEST": 10 * time.Hour, "AEDT": 11 * time.Hour,
}

// instant joins a printed date, a time of day and a zone. It returns false where the zone is not known: a time
// without one names no instant.
func instant(on ledger.Date, clock, zone string) (time.Time, bool) {
	clock = strings.TrimSpace(clock)
	if clock == "" || on.IsZero() {
		return time.Time{}, false
	}
	end := strings.IndexFunc(clock, func(r rune) bool { return !isDigit(r) && r != ':' && r != '.' })
	own := ""
	if end >= 0 {
		clock, own = clock[:end], strings.TrimSpace(clock[end:])
	}
	if own != "" {
		zone = own
	}
	offset, ok := zoneOffset(strings.TrimSpace(zone))
	if !ok {
		return time.Time{}, false
	}
	for _, layout := range []string{"15:04:05", "15:04"} {
		if t, err := time.Parse(layout, clock); err == nil {
			day := on.Time()
			return day.Add(time.Duration(t.Hour())*time.Hour + time.Duration(t.Minute())*time.Minute + time.Duration(t.Second())*time.Second +
				time.Duration(t.Nanosecond()) - offset).Truncate(time.Microsecond), true
		}
	}
	return time.Time{}, false
}

// zoneOffset reads an abbreviation or an offset such as +0200 or -03:00.
func zoneOffset(s string) (time.Duration, bool) {
	if d, ok := zones[strings.ToUpper(s)]; ok {
		return d, true
	}
	digits := strings.ReplaceAll(strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(s, "GMT"), "UTC"), " "), ":", "")
	if len(digits) == 3 {
		digits += "00"
	}
	if len(digits) != 5 || digits[0] != '+' && digits[0] != '-' || digitsIn(digits[1:]) != 4 {
		return 0, false
	}
	hours, _ := strconv.Atoi(digits[1:3])
	minutes, _ := strconv.Atoi(digits[3:])
	offset := time.Duration(hours)*time.Hour + time.Duration(minutes)*time.Minute
	if hours > 14 || minutes > 59 {
		return 0, false
	}
	if digits[0] == '-' {
		offset = -offset
	}
	return offset, true
}
