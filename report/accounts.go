package report

import (
	"fmt"
	"strings"

	"agentrecon/ledger"
	"agentrecon/recon"
)

// ledgerLists are the sheets whose rows are entries that no attempt has, or not alone.
var ledgerLists = []Sheet{SheetExcess, SheetLedgerOnly, SheetExcluded}

// accounts shows the ledger's side of the bridge account by account. Attempts seldom say which account was to pay, so that
// the attempts' side has no accounts.
func (y *summary) accounts() {
	r := y.book.report
	y.section("3a. Booked entries by account (attempts need not name the account that pays, so only the ledger's side has accounts)")
	y.head("Account", ">Booked", ">Booked value", ">Listed apart", ">Linked to attempts", "Currency", "Where it comes from")
	first := y.next()
	for i := range r.Controls.Accounts {
		y.account(&r.Controls.Accounts[i])
	}
	if y.next() == first {
		y.add(words("Nil: no entry was read", italicLook))
	} else {
		y.add(words("Listed apart: booked rows of the account on Excess entries, Ledger only and Excluded. Linked: booked less those.", italicLook))
	}
	y.gap()
}

// account writes a line: what the source says, what the lists have of it, and the rest.
func (y *summary) account(a *recon.AccountSums) {
	row, c := y.next(), a.Currency
	fixed := !y.book.exact(c)
	name := cell{value: accountWord(a.AccountID), style: lined}
	if a.AccountID != "" {
		name = y.book.id(a.AccountID, lined)
	}
	apart := figure{}
	for _, sheet := range ledgerLists {
		apart = apart.plus(y.book.list(sheet).sumOfAccount(at(1, row), a))
	}
	apart = apart.fixed(fixed)
	booked := y.sources.accounts[accountKey{c, a.AccountID}].fixed(fixed)
	linked := figure{n: booked.n - apart.n, expr: at(3, row) + "-" + at(4, row), static: fixed}
	y.add(name, number(a.Booked, lined), booked.amount(c, lined), apart.amount(c, lined), y.majorCell(linked, c), y.book.currency(c, lined),
		words(fmt.Sprintf("Sources, %s rows read; rows by account", grouped(a.Count)), lined))
}

// accountWord names an account; entries without one say so.
func accountWord(account string) string {
	if account == "" {
		return "no account named"
	}
	return show(account, false)
}

// accountKey names an account in a currency.
type accountKey struct {
	currency ledger.Currency
	account  string
}

// sumOfAccount is the live sum of the booked entries of an account on a list. The account is compared as text: COUNTIFS would
// take 007 for 7, and an asterisk for anything.
func (l *list) sumOfAccount(ref string, a *recon.AccountSums) figure {
	var n int64
	for i := range l.facts {
		if f := &l.facts[i]; f.population == recon.Entries && f.account == a.AccountID && f.currency == a.Currency && f.status == string(ledger.StatusBooked) {
			n += f.minor
		}
	}
	account := fmt.Sprintf("EXACT(%s,%s)", l.span(headAccount), ref)
	if a.AccountID == "" {
		account = l.span(headAccount) + `=""`
	}
	parts := []string{
		"(" + account + ")", "(" + l.span(headCurrency) + "=" + literal(currencyWord(a.Currency)) + ")",
		"(" + l.span(headStatus) + `="booked")`,
	}
	return figure{expr: "SUMPRODUCT(" + strings.Join(parts, "*") + "," + l.span(headMinor) + ")", n: n}
}
