package ledger_test

import (
	"strings"
	"testing"

	"agentrecon/ledger"
)

func TestEveryCodeOfThreeLetters(t *testing.T) {
	decimals := map[int]int{}
	for a := 'A'; a <= 'Z'; a++ {
		for b := 'A'; b <= 'Z'; b++ {
			for c := 'A'; c <= 'Z'; c++ {
				code := string([]rune{a, b, c})
				currency, err := ledger.ParseCurrency(strings.ToLower(code))
				if err != nil {
					if exponent := ledger.Currency(code).Exponent(); exponent != 2 {
						t.Errorf("unknown %s has %d decimals", code, exponent)
					}
					continue
				}
				if string(currency) != code {
					t.Errorf("%s became %s", code, currency)
				}
				decimals[currency.Exponent()]++
			}
		}
	}
	// ISO 4217 list one: those without decimals, with three and with four are few enough to count by hand.
	if decimals[0] != 17 || decimals[3] != 7 || decimals[4] != 2 || decimals[2] < 140 {
		t.Errorf("currencies by number of decimals: %v", decimals)
	}
}

func TestExponents(t *testing.T) {
	for code, want := range map[ledger.Currency]int{
		"EUR": 2, "USD": 2, "CHF": 2, "AED": 2, "ZWL": 2, "JPY": 0, "KRW": 0, "UGX": 0, "ISK": 0, "KWD": 3, "TND": 3, "CLF": 4, "UYW": 4, "XXX": 2, "": 2,
	} {
		if got := code.Exponent(); got != want {
			t.Errorf("%s: got %d, want %d", code, got, want)
		}
	}
}

func TestWhatIsNoCurrency(t *testing.T) {
	for _, s := range []string{"", "E", "EU", "EURO", "€", "EUR ", " EUR", "E R", "ED\n", "AED AFN", "XXX", "ſEK"} {
		if c, err := ledger.ParseCurrency(s); err == nil {
			t.Errorf("%q was taken for %s", s, c)
		}
	}
}
