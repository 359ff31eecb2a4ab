package ledger

import (
	"fmt"
	"strings"
)

// Currency is an ISO 4217 alphabetic code in upper case, such as "EUR". The zero value is no currency.
type Currency string

// exponents holds every currency of ISO 4217 (list one) under its code: those written here, whose minor
// unit is not the hundredth, and the hundredths.
var exponents = withHundredths(map[Currency]int{
	"BIF": 0, "CLP": 0, "DJF": 0, "GNF": 0, "ISK": 0, "JPY": 0, "KMF": 0, "KRW": 0, "PYG": 0,
	"RWF": 0, "UGX": 0, "UYI": 0, "VND": 0, "VUV": 0, "XAF": 0, "XOF": 0, "XPF": 0,
	"BHD": 3, "IQD": 3, "JOD": 3, "KWD": 3, "LYD": 3, "OMR": 3, "TND": 3,
	"CLF": 4, "UYW": 4,
})

// hundredths lists the currencies of ISO 4217 (list one) with two decimals, funds codes included, and in the
// last line those that the euro replaced (list three): old statements are in them, and some test files.
const hundredths = `AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BMD BND BOB BOV BRL BSD BTN BWP BYN
 BZD CAD CDF CHE CHF CHW CNY COP COU CRC CUC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL
 GHS GIP GMD GTQ GYD HKD HNL HRK HTG HUF IDR ILS INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD
 LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK
 PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SLL SOS SRD SSP STN SVC SYP SZL THB TJS
 TMT TOP TRY TTD TWD TZS UAH USD USN UYU UZS VED VES WST XCD XCG YER ZAR ZMW ZWG ZWL
 ATS CYP DEM EEK FIM FRF IEP LTL LVL MTL NLG SIT SKK`

func withHundredths(m map[Currency]int) map[Currency]int {
	for code := range strings.FieldsSeq(hundredths) {
		m[Currency(code)] = 2
	}
	return m
}

// ParseCurrency returns the currency of an ISO 4217 code in any case.
func ParseCurrency(s string) (Currency, error) {
	c := Currency(s)
	if _, ok := exponents[c]; ok {
		return c, nil
	}
	c = Currency(strings.ToUpper(s))
	if _, ok := exponents[c]; !ok || len(s) != len(c) { // some other letters have capitals in ASCII
		return "", fmt.Errorf("%q is not an ISO 4217 currency code such as EUR", s)
	}
	return c, nil
}

// Exponent is the number of decimals of the currency's minor unit: 2 for EUR, 0 for JPY, 3 for KWD.
// An unknown code has 2.
func (c Currency) Exponent() int {
	if e, ok := exponents[c]; ok {
		return e
	}
	return 2
}
