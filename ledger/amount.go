package ledger

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// MaxMinor bounds every single amount, in minor units: ten quadrillion minus one. It leaves room for
// sums of a thousand such amounts in an int64 and is far beyond any transfer.
const MaxMinor = 9_999_999_999_999_999

// Reasons a decimal is refused. ParseDecimal wraps them with the text it read.
var (
	ErrNotDecimal = errors.New("not a plain decimal")
	ErrTooPrecise = errors.New("more decimals than the currency has")
	ErrTooLarge   = errors.New("too large")
)

// ParseDecimal reads a signed decimal in major units with a point as decimal mark ("-12.50") and returns
// minor units with the given number of decimals. It takes digits, one optional leading sign and one
// optional point with digits on both sides; no exponent, no thousands separator, no blanks, no currency
// sign. Decimals beyond the exponent must be zeros. The text is never rounded.
func ParseDecimal(s string, exponent int) (int64, error) {
	digits, negative := s, false
	if digits != "" && (digits[0] == '-' || digits[0] == '+') {
		negative, digits = digits[0] == '-', digits[1:]
	}
	whole, frac, hasPoint := strings.Cut(digits, ".")
	if whole == "" || (hasPoint && frac == "") || !allDigits(whole) || !allDigits(frac) {
		return 0, fmt.Errorf("%w such as -1234.50 (digits, a point, no thousands separator): %q", ErrNotDecimal, s)
	}
	if len(frac) > exponent {
		if strings.Trim(frac[exponent:], "0") != "" {
			return 0, fmt.Errorf("%w (%d): %q", ErrTooPrecise, exponent, s)
		}
		frac = frac[:exponent]
	}
	var minor int64
	for _, part := range [2]string{whole, frac} {
		for i := range len(part) {
			minor = minor*10 + int64(part[i]-'0')
			if minor > MaxMinor {
				return 0, fmt.Errorf("%w (at most %d minor units): %q", ErrTooLarge, int64(MaxMinor), s)
			}
		}
	}
	for range exponent - len(frac) {
		if minor *= 10; minor > MaxMinor {
			return 0, fmt.Errorf("%w (at most %d minor units): %q", ErrTooLarge, int64(MaxMinor), s)
		}
	}
	if negative {
		minor = -minor
	}
	return minor, nil
}

// ParseMinor reads a whole number of minor units ("781200"): digits with an optional leading minus.
func ParseMinor(s string) (int64, error) {
	if s == "" || strings.Contains(s, ".") || s[0] == '+' {
		return 0, fmt.Errorf("%w of minor units such as 781200: %q", errNotWhole, s)
	}
	minor, err := ParseDecimal(s, 0)
	if errors.Is(err, ErrNotDecimal) {
		return 0, fmt.Errorf("%w of minor units such as 781200: %q", errNotWhole, s)
	}
	return minor, err
}

var errNotWhole = fmt.Errorf("%w: not a whole number", ErrNotDecimal)

// FormatDecimal prints minor units as a plain decimal in major units, the inverse of [ParseDecimal].
func FormatDecimal(minor int64, exponent int) string {
	sign := ""
	magnitude := uint64(minor)
	if minor < 0 {
		sign, magnitude = "-", -magnitude
	}
	s := strconv.FormatUint(magnitude, 10)
	if exponent == 0 {
		return sign + s
	}
	if len(s) <= exponent {
		s = strings.Repeat("0", exponent+1-len(s)) + s
	}
	return sign + s[:len(s)-exponent] + "." + s[len(s)-exponent:]
}

// FormatMoney prints minor units for a person: "EUR 7,812.00", with thousands separators.
func FormatMoney(minor int64, c Currency) string {
	s := FormatDecimal(minor, c.Exponent())
	sign := ""
	if s[0] == '-' {
		sign, s = "-", s[1:]
	}
	whole, frac, hasPoint := strings.Cut(s, ".")
	var b strings.Builder
	for i := range len(whole) {
		if i > 0 && (len(whole)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteByte(whole[i])
	}
	if hasPoint {
		b.WriteString("." + frac)
	}
	return string(c) + " " + sign + b.String()
}

func allDigits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return true
}
