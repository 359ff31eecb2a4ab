package sheet

import (
	"strconv"
	"strings"
	"time"
)

// digitsKept is how many digits of a binary fraction mean something; spreadsheets show no more.
const digitsKept = 15

// plain turns the number of a cell, which may have an exponent, into a plain decimal of at most 15 significant
// digits. It returns false for what is no number, and lossy if the number had more digits before its point than
// can be told: identifiers that were taken for numbers.
func plain(s string) (decimal string, lossy, ok bool) {
	mantissa, exponent := s, 0
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		n, err := strconv.Atoi(strings.TrimPrefix(s[i+1:], "+"))
		const most = 400
		if err != nil || n > most || n < -most {
			return "", false, false
		}
		mantissa, exponent = s[:i], n
	}
	mantissa, negative := strings.CutPrefix(strings.TrimPrefix(mantissa, "+"), "-")
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits := whole + fraction
	if digits == "" || strings.Trim(digits, "0123456789") != "" {
		return "", false, false
	}
	point := len(whole) + exponent // digits before the decimal point
	trimmed := strings.TrimLeft(digits, "0")
	point -= len(digits) - len(trimmed)
	digits = trimmed
	if digits == "" {
		return "0", false, true
	}
	lossy = point > digitsKept
	if len(digits) > digitsKept {
		var carried bool
		if digits, carried = round(digits); carried {
			point++
		}
	}
	decimal = place(digits, point)
	if negative && decimal != "0" {
		decimal = "-" + decimal
	}
	return decimal, lossy, true
}

// round keeps 15 digits, half up. It reports whether a digit came in front.
func round(digits string) (string, bool) {
	kept := []byte(digits[:digitsKept])
	if digits[digitsKept] < '5' {
		return string(kept), false
	}
	for i := len(kept) - 1; i >= 0; i-- {
		if kept[i] < '9' {
			kept[i]++
			return string(kept), false
		}
		kept[i] = '0'
	}
	return "1" + string(kept[:len(kept)-1]), true
}

// place puts the decimal point, and drops zeros that say nothing.
func place(digits string, point int) string {
	switch {
	case point <= 0:
		digits, point = strings.Repeat("0", 1-point)+digits, 1
	case point > len(digits):
		digits += strings.Repeat("0", point-len(digits))
	}
	whole, fraction := digits[:point], strings.TrimRight(digits[point:], "0")
	if fraction == "" {
		return whole
	}
	return whole + "." + fraction
}

// moment turns a serial number into a date, and a time of day if it has one. Day 60 of 1900 is a February 29 that
// was none; nobody has entries there.
func moment(serial string, from1904 bool) (string, bool) {
	whole, fraction, _ := strings.Cut(serial, ".")
	days, err := strconv.Atoi(whole)
	const last = 2_958_465 // 9999-12-31
	if err != nil || days < 1 || days > last {
		return "", false
	}
	origin := time.Date(1899, time.December, 30, 0, 0, 0, 0, time.UTC)
	if from1904 {
		origin = time.Date(1904, time.January, 1, 0, 0, 0, 0, time.UTC)
	}
	const secondsPerDay, scale = 24 * 60 * 60, 1_000_000_000
	for len(fraction) < 9 {
		fraction += "0"
	}
	part, err := strconv.Atoi(fraction[:9])
	if err != nil {
		return "", false
	}
	seconds := (part*secondsPerDay + scale/2) / scale
	t := origin.AddDate(0, 0, days).Add(time.Duration(seconds) * time.Second)
	if seconds == 0 {
		return t.Format(time.DateOnly), true
	}
	return t.Format(time.DateTime), true
}

// isDateFormat reports whether a number format shows dates: one of the built-in ones, or one with letters of dates
// outside quotes, brackets and escapes.
func isDateFormat(id int, code string) bool {
	switch {
	case id >= 14 && id <= 22, id >= 27 && id <= 36, id >= 45 && id <= 47, id >= 50 && id <= 58:
		return true
	case code == "":
		return false
	}
	quoted, bracketed := false, false
	for i := 0; i < len(code); i++ {
		switch c := code[i]; {
		case c == '\\' || c == '_' || c == '*':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '[':
			bracketed = true
		case c == ']':
			bracketed = false
		case bracketed:
		case c == 'y' || c == 'Y' || c == 'd' || c == 'D' || c == 'm' || c == 'h' || c == 'H':
			return true
		}
	}
	return false
}
