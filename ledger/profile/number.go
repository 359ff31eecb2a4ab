package profile

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"agentrecon/ledger"
)

// number is an amount as printed: its sign, its digits with the marks between them, the currency beside it.
type number struct {
	negative bool
	digits   string // digits, points and commas only
	currency ledger.Currency
}

var errNumber = errors.New("want an amount such as -1234.50")

// symbols are signs of currencies and a word that are no codes. A dollar sign says nothing of which dollar. In Japanese
// encodings the yen sign has the place of the backslash.
var symbols = map[string]ledger.Currency{"€": "EUR", "£": "GBP", "¥": "", "$": "", "₹": "INR", "₩": "KRW", "₽": "RUB", "zł": "PLN", "kr": "", "Fr": "CHF", "US$": "USD", "R$": "BRL", "EURO": "EUR", "円": "JPY", "元": "CNY", `\`: "JPY"}

// parseNumber takes an amount apart. It knows signs before and behind, doubled signs (which cancel out), brackets
// for negative amounts, CR and DR, currencies before and behind, and every kind of blank and apostrophe between
// thousands. An empty cell is no number and no error: ok is false.
func parseNumber(s string) (n number, ok bool, err error) {
	s = strings.TrimSpace(s)
	if s == "" || s == "-" || s == "–" {
		return n, false, nil
	}
	if strings.HasPrefix(s, "(") && strings.HasSuffix(s, ")") {
		s, n.negative = s[1:len(s)-1], true
	}
	first := strings.IndexFunc(s, isDigit)
	last := strings.LastIndexFunc(s, isDigit)
	if first < 0 {
		return n, false, errNumber
	}
	if first > 0 && (s[first-1] == '.' || s[first-1] == ',') {
		first-- // .5
	}
	before, middle, after := s[:first], s[first:last+1], s[last+1:]
	if cut := strings.TrimLeft(after, ".,"); len(cut) < len(after) { // 1000, and 5.- which is five francs, not minus five
		after = strings.TrimLeft(cut, "-–")
	}
	for _, part := range [2]string{before, after} {
		if err := n.around(part); err != nil {
			return n, false, err
		}
	}
	n.digits, err = digitsOf(middle)
	return n, err == nil, err
}

func isDigit(r rune) bool { return '0' <= r && r <= '9' }

// around reads what stands beside the digits.
func (n *number) around(part string) error {
	word := strings.Map(func(r rune) rune {
		switch r {
		case '-', '−', '–':
			n.negative = !n.negative
			return -1
		case '+', '\'', '*':
			return -1
		}
		if unicode.IsSpace(r) || r == '\u00a0' || r == '\u202f' {
			return -1
		}
		return r
	}, part)
	word = strings.TrimSuffix(word, ".")
	switch strings.ToUpper(word) {
	case "", "CR":
		return nil
	case "DR":
		n.negative = !n.negative
		return nil
	}
	if c, ok := symbols[word]; ok {
		n.currency = c
		return nil
	}
	if c, err := ledger.ParseCurrency(word); err == nil {
		n.currency = c
		return nil
	}
	return errNumber
}

// digitsOf removes what separates thousands and is never a decimal mark.
func digitsOf(s string) (string, error) {
	plain := true
	for i := range len(s) {
		if b := s[i]; (b < '0' || b > '9') && b != '.' && b != ',' {
			plain = false
			break
		}
	}
	if plain {
		return s, nil
	}
	var b strings.Builder
	for i, r := range s {
		switch {
		case isDigit(r) || r == '.' || r == ',':
			b.WriteRune(r)
		case r == '\'' || r == '’' || r == '`' || r == ' ' || r == '\u00a0' || r == '\u202f' || r == '\u2009' || r == utf8.RuneError:
			rest := s[i+utf8.RuneLen(r):]
			if len(rest) < 3 || !isDigit(rune(rest[0])) || !isDigit(rune(rest[1])) || !isDigit(rune(rest[2])) {
				return "", errNumber
			}
		default:
			return "", errNumber
		}
	}
	return b.String(), nil
}

// evidence is what one amount says of the file's decimal mark: '.' or ',', or 0 for nothing. A mark before
// three digits may be either.
func (n *number) evidence() (mark byte, ambiguous bool) {
	d := n.digits
	point, comma := strings.LastIndexByte(d, '.'), strings.LastIndexByte(d, ',')
	switch {
	case point < 0 && comma < 0:
		return 0, false
	case point >= 0 && comma >= 0:
		return d[max(point, comma)], false
	}
	at := max(point, comma)
	m := d[at]
	if strings.IndexByte(d, m) != at {
		return other(m), false // it stands twice, so it is between thousands
	}
	const group = 3
	if len(d)-at-1 != group || at == 0 || at > group || d[0] == '0' {
		return m, false
	}
	return 0, true
}

func other(mark byte) byte {
	if mark == '.' {
		return ','
	}
	return '.'
}

// minor returns the amount in minor units. With round, decimals beyond the currency's are rounded half to even.
func (n *number) minor(mark byte, c ledger.Currency, round bool) (minor int64, rounded bool, err error) {
	d := n.digits
	if at := strings.IndexByte(d, mark); at >= 0 {
		if strings.IndexByte(d[at+1:], mark) >= 0 || strings.IndexByte(d[at+1:], other(mark)) >= 0 {
			return 0, false, fmt.Errorf("%w; the file's decimal mark is %q", errNumber, string(mark))
		}
		whole, err := ungroup(d[:at], other(mark), mark)
		if err != nil {
			return 0, false, err
		}
		d = whole + "." + d[at+1:]
	} else if d, err = ungroup(d, other(mark), mark); err != nil {
		return 0, false, err
	}
	if strings.HasPrefix(d, ".") {
		d = "0" + d
	}
	minor, err = ledger.ParseDecimal(d, c.Exponent())
	if errors.Is(err, ledger.ErrTooPrecise) {
		if !round {
			return 0, false, fmt.Errorf("more decimals than %s has (%d)", c, c.Exponent())
		}
		minor, err = roundHalfEven(d, c.Exponent())
		rounded = true
	}
	switch {
	case errors.Is(err, ledger.ErrTooLarge):
		return 0, false, fmt.Errorf("too large, at most %d minor units", int64(ledger.MaxMinor))
	case err != nil:
		return 0, false, errNumber
	}
	if n.negative {
		minor = -minor
	}
	return minor, rounded, nil
}

// ungroup removes the mark between thousands, which must stand before three digits, or two as in India.
func ungroup(whole string, separator, mark byte) (string, error) {
	if strings.IndexByte(whole, separator) < 0 {
		return whole, nil
	}
	groups := strings.Split(whole, string(separator))
	for i, g := range groups {
		wrong := i == 0 && (g == "" || len(g) > 3) || i == len(groups)-1 && len(g) != 3 || i > 0 && len(g) != 3 && len(g) != 2
		if wrong {
			return "", fmt.Errorf("%w; the file's decimal mark is %q", errNumber, string(mark))
		}
	}
	return strings.Join(groups, ""), nil
}

// roundHalfEven rounds a plain unsigned decimal that has more decimals than the exponent.
func roundHalfEven(digits string, exponent int) (int64, error) {
	cut := strings.IndexByte(digits, '.') + 1 + exponent
	kept, rest := digits[:cut], digits[cut:]
	minor, err := ledger.ParseDecimal(strings.TrimSuffix(kept, "."), exponent)
	if err != nil {
		return 0, err
	}
	half := "5" + strings.Repeat("0", len(rest)-1)
	if rest > half || rest == half && minor%2 != 0 {
		minor++
	}
	return minor, nil
}

// millionths returns the amount as it is printed, in millionths of the currency's unit.
func (n *number) millionths(mark byte) (int64, error) {
	whole := *n
	if strings.IndexByte(whole.digits, mark) < 0 {
		whole.digits += string(mark) + "0"
	}
	at := strings.IndexByte(whole.digits, mark)
	before, err := ungroup(whole.digits[:at], other(mark), mark)
	if err != nil {
		return 0, err
	}
	minor, err := ledger.ParseDecimal(before+"."+whole.digits[at+1:], exactDecimals)
	if n.negative {
		minor = -minor
	}
	return minor, err
}
