package bai2

import (
	"fmt"
	"strings"

	"agentrecon/ledger"
)

// detail: type, amount, funds, bank reference, customer reference, text.
func (b *reader) detail(r *record, f *fields) error {
	b.account.entries++
	code, _ := f.next()
	direction, ok := DirectionOf(code)
	if !ok {
		return b.bad(r, "type", code, "want a type code of three digits such as 475")
	}
	text, _ := f.next()
	minor, given, err := amount(text)
	if err != nil {
		return b.bad(r, "amount", text, err.Error())
	}
	if !given && direction != Information {
		return b.bad(r, "amount", "", "empty, but an entry of type "+code+" needs one")
	}
	if err := b.add(r, minor); err != nil {
		return err
	}
	e := ledger.Entry{
		Line: r.line, Locator: fmt.Sprintf("record %d", b.number-r.physical+1), BookedOn: b.group.asOf,
		Amount: minor * int64(direction), Currency: b.account.currency, Status: b.group.status, KindRaw: code, Kind: kinds[code],
	}
	if direction == Information {
		e.Status, e.Amount = ledger.StatusInfo, minor
	}
	if minor < 0 {
		e.Warnings = append(e.Warnings, ledger.WarnNegativeAmount)
	}
	if e.ValueOn, err = b.funds(r, f); err != nil {
		return err
	}
	bank, _ := f.next()
	customer, _ := f.next()
	e.ProviderID, e.BankID, e.MerchantReference = reference(bank), true, reference(customer)
	describe(&e, f.texts())
	return b.file.Add(&e)
}

// reference drops what banks write where there is none.
func reference(s string) string {
	if strings.Trim(s, "0") == "" || strings.EqualFold(s, "NONREF") || strings.EqualFold(s, "NOTPROVIDED") {
		return ""
	}
	return s
}

// describe keeps the text, and takes from it what banks with ISO 20022 behind them put on lines of their
// own: EREF the end-to-end id, CRNM and DBNM the creditor's and debtor's names, CACT and DACT their accounts.
func describe(e *ledger.Entry, texts []string) {
	e.RemittanceText = strings.Join(texts, " ")
	name, account := "DBNM", "DACT" // money in comes from the debtor
	if e.Amount < 0 {
		name, account = "CRNM", "CACT"
	}
	for _, line := range texts {
		tag, value, ok := strings.Cut(line, ": ")
		if !ok {
			continue
		}
		switch value = strings.TrimSpace(value); tag {
		case "EREF":
			e.EndToEndID = reference(value)
		case name:
			e.CounterpartyName = value
		case account:
			e.CounterpartyAccount = value
		}
	}
}
