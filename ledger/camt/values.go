package camt

import (
	"fmt"
	"strings"

	"agentrecon/ledger"
)

// padded turns the decimals that XML Schema allows and ledger does not (".5", "5.") into plain ones.
func padded(s string) string {
	sign := ""
	if s != "" && (s[0] == '-' || s[0] == '+') {
		sign, s = s[:1], s[1:]
	}
	if strings.HasPrefix(s, ".") {
		s = "0" + s
	}
	if strings.HasSuffix(s, ".") {
		s += "0"
	}
	return sign + s
}

// signed reads an amount and its direction. The amount is not negative by the standard; where a bank prints
// a minus nevertheless, it turns the direction round.
func (p *parser) signed(a amount, direction string, c ledger.Currency, field string) (int64, *ledger.RowError) {
	minor, err := ledger.ParseDecimal(padded(a.text), c.Exponent())
	if err != nil {
		if a.text == "" {
			return 0, p.file.BadField(a.line, field, "", "missing; every entry and balance has an amount")
		}
		return 0, p.file.BadField(a.line, field, a.text, "want an amount such as 1234.50: "+reason(err))
	}
	switch strings.ToUpper(direction) {
	case "CRDT":
		return minor, nil
	case "DBIT":
		return -minor, nil
	case "":
		return 0, p.file.BadField(a.line, "CdtDbtInd of "+field, "", "missing; want CRDT or DBIT, without it the sign is not known")
	default:
		return 0, p.file.BadField(a.line, "CdtDbtInd of "+field, direction, "want CRDT or DBIT")
	}
}

// reason is the innermost message of an error of [ledger.ParseDecimal], which repeats the value.
func reason(err error) string {
	text, _, _ := strings.Cut(err.Error(), ": \"")
	return text
}

// noCurrency reports whether the amount is in none, as XXX means too.
func (a amount) noCurrency() bool { return a.currency == "" || strings.EqualFold(a.currency, "XXX") }

// currency reads a currency; one that is none is the statement's.
func (p *parser) currency(a amount, line int, field string) (ledger.Currency, *ledger.RowError) {
	if a.noCurrency() {
		if a.currency != "" && p.file.Statement().Currency == "" && p.options.DefaultCurrency == "" {
			return "XXX", nil
		}
		return "", nil
	}
	c, err := ledger.ParseCurrency(a.currency)
	if err != nil {
		return "", p.file.BadField(line, field, a.currency, "want an ISO 4217 currency code such as EUR")
	}
	return c, nil
}

// dateOf reads the date of an ISO 8601 date or time, with whatever zone behind it.
func dateOf(s string) (on ledger.Date, given bool, err error) {
	const length = len("2006-01-02")
	if s == "" {
		return 0, false, nil
	}
	if len(s) > length && !strings.ContainsRune("T +-Z", rune(s[length])) {
		return 0, true, fmt.Errorf("not a date: %q", s)
	}
	on, err = ledger.ParseDate(s[:min(len(s), length)])
	return on, true, err
}

func (p *parser) date(s string, line int, field string) (ledger.Date, *ledger.RowError) {
	on, _, err := dateOf(s)
	if err != nil {
		return 0, p.file.BadField(line, field, s, "want a date such as 2025-03-31")
	}
	return on, nil
}

// noReference are words that stand where there is no reference.
var noReference = map[string]bool{"NOTPROVIDED": true, "NOT PROVIDED": true, "NONREF": true, "NOREF": true, "N/A": true}

// given is a reference, unless it says that there is none.
func given(s string) string {
	if noReference[strings.ToUpper(s)] {
		return ""
	}
	return s
}

// account is an account number without the blanks people group it by.
func account(s string) string { return strings.ReplaceAll(s, " ", "") }

func isTrue(s string) bool { return s == "1" || strings.EqualFold(s, "true") }

func isDebit(direction string) bool { return strings.EqualFold(direction, "DBIT") }
