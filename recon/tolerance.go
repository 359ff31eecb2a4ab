package recon

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"agentrecon/ledger"
)

// Tolerance is the difference between attempt and ledger that still counts as agreement, and is labelled so:
// a number of minor units, or a share of the attempt's amount.
type Tolerance struct {
	Minor      int64
	PerMillion int64 // parts per million of the attempt's amount
}

// CurrencyTolerance is the tolerance of one currency, in place of the general one.
type CurrencyTolerance struct {
	Currency ledger.Currency
	Tolerance
}

// FeeRule is the most that a provider may take on top of an amount of one currency, for ledgers that give what moved
// and not the gross amount: Fixed and the share together. A difference that it explains is labelled as a fee.
type FeeRule struct {
	Currency   ledger.Currency
	Fixed      int64 // minor units
	PerMillion int64 // parts per million of the attempt's amount
}

// ParseTolerance reads minor units ("5"), a percentage ("0.5%", at most four decimals) or a share per mille ("5‰", at
// most three).
func ParseTolerance(s string) (Tolerance, error) {
	if ppm, ok, err := parseShare(s); ok {
		if err != nil {
			return Tolerance{}, fmt.Errorf("tolerance %q: expected 0%% to 100%% with at most four decimals, such as 0.5%%", s)
		}
		return Tolerance{PerMillion: ppm}, nil
	}
	minor, err := ledger.ParseMinor(s)
	if err != nil || minor < 0 {
		return Tolerance{}, fmt.Errorf("tolerance %q: expected minor units such as 5, or a percentage such as 0.5%%", s)
	}
	return Tolerance{Minor: minor}, nil
}

// parseShare reads a percentage or a share per mille as parts per million; ok reports whether the text is meant as one.
func parseShare(s string) (ppm int64, ok bool, err error) {
	for _, unit := range []struct {
		sign     string
		decimals int
	}{{"%", 4}, {"‰", 3}} {
		number, found := strings.CutSuffix(s, unit.sign)
		if !found {
			continue
		}
		if ppm, err = ledger.ParseDecimal(number, unit.decimals); err == nil && (ppm < 0 || ppm > 1_000_000) {
			err = strconv.ErrRange
		}
		return ppm, true, err
	}
	return 0, false, nil
}

// ParseTolerances reads the general tolerance and those of currencies, separated by commas: "0", "5,JPY=1,USD=0.5%".
func ParseTolerances(s string) (general Tolerance, of []CurrencyTolerance, err error) {
	seen := false
	for part := range strings.SplitSeq(s, ",") {
		currency, value, named, err := cutCurrency(part)
		if err != nil {
			return Tolerance{}, nil, fmt.Errorf("tolerance %q: %w", s, err)
		}
		tolerance, err := ParseTolerance(value)
		switch {
		case err != nil:
			return Tolerance{}, nil, err
		case named:
			of = append(of, CurrencyTolerance{currency, tolerance})
		case seen:
			return Tolerance{}, nil, fmt.Errorf("tolerance %q: two general values; name the currency of one, such as JPY=1", s)
		default:
			general, seen = tolerance, true
		}
	}
	slices.SortFunc(of, func(a, b CurrencyTolerance) int { return cmp.Compare(a.Currency, b.Currency) })
	for n := 1; n < len(of); n++ {
		if of[n-1].Currency == of[n].Currency {
			return Tolerance{}, nil, fmt.Errorf("tolerance %q: two values for %s", s, of[n].Currency)
		}
	}
	return general, of, nil
}

// cutCurrency takes the currency off the front of "EUR=5".
func cutCurrency(s string) (c ledger.Currency, value string, named bool, err error) {
	code, value, named := strings.Cut(strings.TrimSpace(s), "=")
	if !named {
		return "", code, false, nil
	}
	c, err = ledger.ParseCurrency(strings.TrimSpace(code))
	return c, strings.TrimSpace(value), true, err
}

// ParseFeeRules reads the fees of currencies, separated by commas: "EUR=25+1.5%,JPY=1%". Nothing is no rule.
func ParseFeeRules(s string) ([]FeeRule, error) {
	var rules []FeeRule
	if strings.TrimSpace(s) == "" {
		return nil, nil
	}
	for part := range strings.SplitSeq(s, ",") {
		currency, value, named, err := cutCurrency(part)
		if err != nil || !named {
			return nil, fmt.Errorf("fee rule %q: expected a currency and its fee, such as EUR=25+1.5%%", part)
		}
		rule := FeeRule{Currency: currency}
		for term := range strings.SplitSeq(value, "+") {
			most, err := ParseTolerance(strings.TrimSpace(term))
			if err != nil || (rule.Fixed > 0 && most.Minor > 0) || (rule.PerMillion > 0 && most.PerMillion > 0) {
				return nil, fmt.Errorf("fee rule %q: expected minor units, a percentage or both, such as EUR=25+1.5%%", part)
			}
			rule.Fixed += most.Minor
			rule.PerMillion += most.PerMillion
		}
		rules = append(rules, rule)
	}
	slices.SortFunc(rules, func(a, b FeeRule) int { return cmp.Compare(a.Currency, b.Currency) })
	for n := 1; n < len(rules); n++ {
		if rules[n-1].Currency == rules[n].Currency {
			return nil, fmt.Errorf("fee rule %q: two rules for %s", s, rules[n].Currency)
		}
	}
	return rules, nil
}

// String is the tolerance as it is typed.
func (t Tolerance) String() string {
	if t.PerMillion == 0 {
		return strconv.FormatInt(t.Minor, 10)
	}
	return percent(t.PerMillion)
}

// String is the tolerance of a currency as it is typed.
func (t CurrencyTolerance) String() string { return string(t.Currency) + "=" + t.Tolerance.String() }

// String is the rule as it is typed.
func (r FeeRule) String() string {
	parts := []string{}
	if r.Fixed > 0 || r.PerMillion == 0 {
		parts = append(parts, strconv.FormatInt(r.Fixed, 10))
	}
	if r.PerMillion > 0 {
		parts = append(parts, percent(r.PerMillion))
	}
	return string(r.Currency) + "=" + strings.Join(parts, "+")
}

func percent(perMillion int64) string {
	s := ledger.FormatDecimal(perMillion, 4)
	return strings.TrimRight(strings.TrimRight(s, "0"), ".") + "%"
}

// validateAllowances refuses tolerances and fee rules that are no policy.
func (p Policy) validateAllowances() error {
	for n, t := range p.Tolerances {
		if n > 0 && p.Tolerances[n-1].Currency >= t.Currency {
			return fmt.Errorf("tolerance: must be by currency, each once, got %s", t)
		}
	}
	for n, r := range p.FeeRules {
		switch {
		case n > 0 && p.FeeRules[n-1].Currency >= r.Currency:
			return fmt.Errorf("fee_rule: must be by currency, each once, got %s", r)
		case r.Fixed < 0 || r.PerMillion < 0 || r.PerMillion > 1_000_000 || r.Fixed+r.PerMillion == 0:
			return fmt.Errorf("fee_rule: must permit something, at most 100%%, got %s", r)
		}
	}
	return nil
}

// tolerance is that of a currency: its own, else the general one.
func (p Policy) tolerance(c ledger.Currency) Tolerance {
	at, found := slices.BinarySearchFunc(p.Tolerances, c, func(t CurrencyTolerance, c ledger.Currency) int { return cmp.Compare(t.Currency, c) })
	if found {
		return p.Tolerances[at].Tolerance
	}
	return p.Tolerance
}

// isFee reports whether a fee rule explains what moved beyond an attempt's amount.
func (p Policy) isFee(beyond, attempted int64, c ledger.Currency) bool {
	at, found := slices.BinarySearchFunc(p.FeeRules, c, func(r FeeRule, c ledger.Currency) int { return cmp.Compare(r.Currency, c) })
	if !found || beyond <= 0 {
		return false
	}
	rule := p.FeeRules[at]
	// Providers round a share up to the minor unit at most.
	return beyond <= rule.Fixed || shareOf(beyond-rule.Fixed-1, attempted, rule.PerMillion) < 0
}

// permits reports whether a difference from an attempt's amount is within the tolerance.
func (t Tolerance) permits(difference, attempted int64) bool {
	difference = abs(difference)
	return difference <= t.Minor || shareOf(difference, abs(attempted), t.PerMillion) <= 0
}

// shareOf compares a part with a share of a whole. The products pass 64 bits for large amounts.
func shareOf(part, whole, perMillion int64) int {
	left := new(big.Int).Mul(big.NewInt(part), big.NewInt(1_000_000))
	return left.Cmp(new(big.Int).Mul(big.NewInt(whole), big.NewInt(perMillion)))
}

func abs(n int64) int64 {
	if n < 0 {
		return -n
	}
	return n
}
