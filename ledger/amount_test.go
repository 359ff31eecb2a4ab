package ledger_test

import (
	"errors"
	"fmt"
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"agentrecon/ledger"
)

func TestParseDecimal(t *testing.T) {
	for _, test := range []struct {
		text     string
		exponent int
		want     int64
		err      error
	}{
		{"0", 2, 0, nil},
		{"-0.00", 2, 0, nil},
		{"7812", 2, 781200, nil},
		{"7812.0", 2, 781200, nil},
		{"-7812.05", 2, -781205, nil},
		{"+0.05", 2, 5, nil},
		{"000012.50", 2, 1250, nil},
		{"12.500000", 2, 1250, nil},
		{"12", 0, 12, nil},
		{"12.000", 0, 12, nil},
		{"0.001", 3, 1, nil},
		{"99999999999999.99", 2, ledger.MaxMinor, nil},
		{"-9999999999999999", 0, -ledger.MaxMinor, nil},
		{"100000000000000.00", 2, 0, ledger.ErrTooLarge},
		{"100000000000000", 2, 0, ledger.ErrTooLarge},
		{"10000000000000000", 0, 0, ledger.ErrTooLarge},
		{"99999999999999999999", 2, 0, ledger.ErrTooLarge},
		{strings.Repeat("9", 1000), 2, 0, ledger.ErrTooLarge},
		{"12.345", 2, 0, ledger.ErrTooPrecise},
		{"12.001", 2, 0, ledger.ErrTooPrecise},
		{"0.5", 0, 0, ledger.ErrTooPrecise},
		{"", 2, 0, ledger.ErrNotDecimal},
		{"-", 2, 0, ledger.ErrNotDecimal},
		{".", 2, 0, ledger.ErrNotDecimal},
		{"12,5", 2, 0, ledger.ErrNotDecimal},
		{"1,234.50", 2, 0, ledger.ErrNotDecimal},
		{"1'234.50", 2, 0, ledger.ErrNotDecimal},
		{"1e3", 2, 0, ledger.ErrNotDecimal},
		{"1_000", 2, 0, ledger.ErrNotDecimal},
		{"NaN", 2, 0, ledger.ErrNotDecimal},
		{"Inf", 2, 0, ledger.ErrNotDecimal},
		{"0x10", 2, 0, ledger.ErrNotDecimal},
		{".5", 2, 0, ledger.ErrNotDecimal},
		{"5.", 2, 0, ledger.ErrNotDecimal},
		{"--5", 2, 0, ledger.ErrNotDecimal},
		{"+-5", 2, 0, ledger.ErrNotDecimal},
		{"5-", 2, 0, ledger.ErrNotDecimal},
		{"1.2.3", 2, 0, ledger.ErrNotDecimal},
		{" 5", 2, 0, ledger.ErrNotDecimal},
		{"5 ", 2, 0, ledger.ErrNotDecimal},
		{"٥", 2, 0, ledger.ErrNotDecimal},
		{"€5", 2, 0, ledger.ErrNotDecimal},
	} {
		got, err := ledger.ParseDecimal(test.text, test.exponent)
		if got != test.want || !errors.Is(err, test.err) {
			t.Errorf("ParseDecimal(%.30q, %d): got %d, %v; want %d, %v", test.text, test.exponent, got, err, test.want, test.err)
		}
		if err != nil && !strings.Contains(err.Error(), fmt.Sprintf("%q", test.text)) {
			t.Errorf("%v does not show %.30q", err, test.text)
		}
	}
}

func TestParseMinor(t *testing.T) {
	for text, want := range map[string]int64{"0": 0, "781200": 781200, "-5": -5, "007": 7, "9999999999999999": ledger.MaxMinor} {
		if got, err := ledger.ParseMinor(text); got != want || err != nil {
			t.Errorf("ParseMinor(%q): got %d, %v; want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "+5", "5.0", "5.", "1e3", "-", "12,5", " 5", "0x1", "NaN"} {
		if got, err := ledger.ParseMinor(text); !errors.Is(err, ledger.ErrNotDecimal) || !strings.Contains(err.Error(), "whole number of minor units") {
			t.Errorf("ParseMinor(%q): got %d, %v", text, got, err)
		}
	}
	if _, err := ledger.ParseMinor("10000000000000000"); !errors.Is(err, ledger.ErrTooLarge) {
		t.Errorf("got %v", err)
	}
}

func TestWhatIsFormattedParsesBack(t *testing.T) {
	check := func(t interface{ Fatalf(string, ...any) }, minor int64, exponent int) {
		text := ledger.FormatDecimal(minor, exponent)
		if got, err := ledger.ParseDecimal(text, exponent); got != minor || err != nil {
			t.Fatalf("%d with %d decimals: %q parsed as %d, %v", minor, exponent, text, got, err)
		}
		if _, frac, _ := strings.Cut(text, "."); len(frac) != exponent {
			t.Fatalf("%d with %d decimals: %q", minor, exponent, text)
		}
	}
	for exponent := range 5 {
		for minor := int64(-11_000); minor <= 11_000; minor++ {
			check(t, minor, exponent)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		check(t, rapid.Int64Range(-ledger.MaxMinor, ledger.MaxMinor).Draw(t, "minor"), rapid.IntRange(0, 4).Draw(t, "exponent"))
	})
}

func TestParseDecimalAgreesWithRationals(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`[-+]?[0-9]{0,18}(\.[0-9]{0,5})?`).Draw(t, "text")
		exponent := rapid.IntRange(0, 4).Draw(t, "exponent")
		got, err := ledger.ParseDecimal(text, exponent)
		if err != nil {
			return
		}
		exact, ok := new(big.Rat).SetString(text)
		if !ok {
			t.Fatalf("accepted %q", text)
		}
		exact.Mul(exact, new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(exponent)), nil)))
		if exact.Cmp(new(big.Rat).SetInt64(got)) != 0 {
			t.Fatalf("ParseDecimal(%q, %d) = %d, exactly %s", text, exponent, got, exact)
		}
	})
}

func TestFormatDecimalOfAnyNumber(t *testing.T) {
	for _, test := range []struct {
		minor    int64
		exponent int
		want     string
	}{
		{-1 << 63, 2, "-92233720368547758.08"}, {1<<63 - 1, 0, "9223372036854775807"}, {-5, 2, "-0.05"}, {5, 3, "0.005"}, {0, 0, "0"}, {-100, 2, "-1.00"},
	} {
		if got := ledger.FormatDecimal(test.minor, test.exponent); got != test.want {
			t.Errorf("FormatDecimal(%d, %d): got %s, want %s", test.minor, test.exponent, got, test.want)
		}
	}
}

func TestFormatMoney(t *testing.T) {
	for _, test := range []struct {
		minor    int64
		currency ledger.Currency
		want     string
	}{
		{781200, "EUR", "EUR 7,812.00"},
		{-781200, "EUR", "EUR -7,812.00"},
		{0, "EUR", "EUR 0.00"},
		{99999, "JPY", "JPY 99,999"},
		{100, "JPY", "JPY 100"},
		{1234567, "KWD", "KWD 1,234.567"},
		{-100000000, "EUR", "EUR -1,000,000.00"},
		{99, "USD", "USD 0.99"},
	} {
		if got := ledger.FormatMoney(test.minor, test.currency); got != test.want {
			t.Errorf("FormatMoney(%d, %s): got %s, want %s", test.minor, test.currency, got, test.want)
		}
	}
}

func FuzzParseDecimal(f *testing.F) {
	for _, seed := range []string{"12.50", "-0", "1e3", "99999999999999999999", "+.5", "12,5", ""} {
		f.Add(seed, 2)
	}
	f.Fuzz(func(t *testing.T, text string, exponent int) {
		if exponent < 0 || exponent > 4 {
			return
		}
		minor, err := ledger.ParseDecimal(text, exponent)
		if err != nil {
			if minor != 0 {
				t.Fatalf("%d beside %v", minor, err)
			}
			return
		}
		if minor > ledger.MaxMinor || minor < -ledger.MaxMinor {
			t.Fatalf("%q gave %d", text, minor)
		}
		if again, err := ledger.ParseDecimal(ledger.FormatDecimal(minor, exponent), exponent); again != minor || err != nil {
			t.Fatalf("%q gave %d, then %d, %v", text, minor, again, err)
		}
	})
}
