package capture

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"

	"agentrecon/ledger"
)

// ErrNotExact is wrapped where an amount is not a number of minor units, exactly.
var ErrNotExact = errors.New("no exact amount")

// Unit is what an amount field counts.
type Unit string

// The units of amounts: cents or euros.
const (
	Minor Unit = "minor"
	Major Unit = "major"
)

// exactMinor reads an amount from its digits, never through a float. 7812.00 and 7.812e3 euros are 781200 cents;
// 78.125 euros and 0.5 cents are no amount. decimals is how many digits the unit is away from minor units.
func exactMinor(v Value, decimals int) (int64, error) {
	literal := v.Raw
	switch v.Kind {
	case Integer, Float:
	case String:
		literal = []byte(v.Text)
	default:
		return 0, fmt.Errorf("%w: neither a number nor a text", ErrNotExact)
	}
	if n, _ := number(literal); n == 0 || n != len(literal) {
		return 0, fmt.Errorf("%w: %.40q is no plain number", ErrNotExact, literal)
	}
	mantissa, exponent := literal, 0
	if i := bytes.IndexAny(literal, "eE"); i >= 0 {
		var err error
		if exponent, err = strconv.Atoi(string(literal[i+1:])); err != nil || exponent > 99 || exponent < -99 {
			return 0, fmt.Errorf("%w: %.40q is out of range", ErrNotExact, literal)
		}
		mantissa = literal[:i]
	}
	whole, fraction, _ := bytes.Cut(bytes.TrimPrefix(mantissa, []byte("-")), []byte("."))
	digits := append(append([]byte(nil), whole...), fraction...)
	minor, err := shift(digits, exponent+decimals-len(fraction))
	if err != nil {
		return 0, fmt.Errorf("%w: %.40q %w", ErrNotExact, literal, err)
	}
	if literal[0] == '-' {
		minor = -minor
	}
	return minor, nil
}

// shift is the digits times ten to the power of places.
func shift(digits []byte, places int) (int64, error) {
	if places < 0 {
		cut := max(0, len(digits)+places)
		if len(bytes.Trim(digits[cut:], "0")) > 0 {
			return 0, errors.New("has a fraction of a minor unit")
		}
		digits, places = digits[:cut], 0
	}
	digits = bytes.TrimLeft(digits, "0")
	if len(digits) == 0 {
		return 0, nil
	}
	var minor int64
	for i := range len(digits) + places {
		digit := byte('0')
		if i < len(digits) {
			digit = digits[i]
		}
		if minor = minor*10 + int64(digit-'0'); minor > ledger.MaxMinor {
			return 0, errors.New("is too large")
		}
	}
	return minor, nil
}

// money reads amount and currency. An amount that is not exact is recorded as zero, which agrees with no ledger
// entry: the call stays in sight, and nobody guessed.
func (e *Event) money(tool Tool, fields Value) {
	a := &e.Attempt
	a.Currency = tool.DefaultCurrency
	if code := fields.firstText(tool.Currency); code != "" {
		currency, err := ledger.ParseCurrency(code)
		if err != nil {
			e.note("currency " + strconv.Quote(storable(code, 16)) + " is unknown")
			return
		}
		a.Currency = currency
	}
	amount, _, ok := fields.first(tool.Amount)
	decimals := 0
	if tool.Unit == Major {
		if a.Currency == "" {
			e.note("the amount's currency is unknown")
			return
		}
		decimals = a.Currency.Exponent()
	}
	if !ok {
		e.note("no amount")
		return
	}
	minor, err := exactMinor(amount, decimals)
	if err != nil {
		e.note(err.Error())
		return
	}
	a.Minor = minor
}
