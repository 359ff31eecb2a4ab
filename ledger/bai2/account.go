package bai2

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"agentrecon/ledger"
	"agentrecon/ledger/witness"
)

// group is what a group header (02) says: whose accounts, of which day.
type group struct {
	asOf     ledger.Date
	currency ledger.Currency
	status   ledger.Status // of its entries
	role     witness.Role
}

// account is the account that is open.
type account struct {
	entries  int
	currency ledger.Currency // as its record or its group's names it
}

// defaultCurrency is that of a group that names none (BAI2, record 02).
const defaultCurrency ledger.Currency = "USD"

// fileHeader: sender, receiver, date, time, id, record length, block size, version.
func (b *reader) fileHeader(r *record, f *fields) error {
	b.open(inFile, r)
	var values [8]string
	for i := range values {
		values[i], _ = f.next()
	}
	if version := values[7]; version != "" && version != "2" {
		b.file.Warn("the file says that it is version " + version + " of BAI, not 2")
	}
	return nil
}

// groupHeader: receiver, originator, status, as-of date, time, currency, modifier.
func (b *reader) groupHeader(r *record, f *fields) error {
	b.open(inGroup, r)
	var values [7]string
	for i := range values {
		values[i], _ = f.next()
	}
	b.group = group{status: ledger.StatusBooked}
	switch values[2] {
	case "2":
		b.group.status = ledger.StatusInfo
		b.file.Warn("a group takes back an earlier one (status 2, deletion); its entries are kept as information only")
	case "4":
		b.group.status = ledger.StatusInfo
		b.file.Warn("a group is marked as test data (status 4); its entries are kept as information only")
	}
	switch {
	case b.group.status != ledger.StatusBooked:
		b.group.role = witness.Notification // such a group covers no days
	case values[6] == "3":
		b.group.role = witness.Intraday
	}
	var err error
	if b.group.asOf, err = date(values[3]); err != nil {
		return b.bad(r, "as-of date", values[3], err.Error())
	}
	b.group.currency, err = b.currency(r, values[5])
	return err
}

func (b *reader) currency(r *record, code string) (ledger.Currency, error) {
	if code == "" {
		return "", nil
	}
	c, err := ledger.ParseCurrency(code)
	if err != nil {
		return "", b.bad(r, "currency", code, "not an ISO 4217 currency code such as USD")
	}
	return c, nil
}

// accountHeader: account, currency, then summaries of type, amount, count, funds.
func (b *reader) accountHeader(r *record, f *fields) error {
	b.open(inAccount, r)
	b.account = account{}
	id, _ := f.next()
	code, _ := f.next()
	own, fault := b.currency(r, code)
	b.account.currency = cmp.Or(own, b.group.currency)
	s := ledger.Statement{
		AccountID: id, Line: r.line,
		Currency: cmp.Or(b.account.currency, b.options.DefaultCurrency, defaultCurrency),
	}
	if asOf := b.group.asOf; !asOf.IsZero() {
		s.From, s.To = asOf, asOf.AddDays(1)
	}
	// A bad record opens the account all the same, so that its entries are looked at too.
	if err := b.file.Open(s, b.group.role); err != nil {
		return err
	}
	if fault != nil {
		return fault
	}
	if id == "" {
		return b.bad(r, "account", "", "empty, but every 03 record needs it")
	}
	return b.summaries(r, f)
}

// summaries reads the balances and totals of an account. Fields may be missing at the end, and some banks
// put more commas than there are fields, so empty fields before a type are passed over.
func (b *reader) summaries(r *record, f *fields) error {
	for {
		code, ok := f.next()
		if !ok {
			return nil
		}
		if code == "" {
			continue
		}
		if len(code) != 3 || strings.Trim(code, "0123456789") != "" {
			return b.bad(r, "summary type", code, "want a type code of three digits such as 015")
		}
		text, _ := f.next()
		minor, given, err := amount(text)
		if err != nil {
			return b.bad(r, "amount of type "+code, text, err.Error())
		}
		if err := b.add(r, minor); err != nil {
			return err
		}
		text, _ = f.next()
		count, counted, err := amount(text)
		if err != nil || count < 0 {
			return b.bad(r, "count of type "+code, text, "want a whole number")
		}
		if _, err := b.funds(r, f); err != nil {
			return err
		}
		if given {
			b.summary(code, minor, ledger.Optional{Minor: count, Given: counted})
		}
	}
}

func (b *reader) summary(code string, minor int64, count ledger.Optional) {
	s := b.file.Statement()
	balance := ledger.Balance{Amount: ledger.Some(minor), On: b.group.asOf}
	switch code {
	case typeOpening:
		s.Opening = balance
	case typeClosing:
		s.Closing = balance
	case typeAvailable:
		s.Available = balance
	case typeCredits:
		s.Declared.Credits = ledger.Figure{Count: count, Sum: ledger.Some(minor)}
	case typeDebits:
		s.Declared.Debits = ledger.Figure{Count: count, Sum: ledger.Some(max(minor, -minor))}
	}
}

// mostFunds bounds the days over which an amount becomes available.
const mostFunds = 1000

// funds passes over the fields that say when money is available, and returns the value date of type V.
func (b *reader) funds(r *record, f *fields) (ledger.Date, error) {
	kind, _ := f.next()
	skip := 0
	switch kind {
	case "", "0", "1", "2", "Z":
	case "S":
		skip = 3
	case "D":
		text, _ := f.next()
		n, err := strconv.Atoi(text)
		if err != nil || n < 0 || n > mostFunds {
			return 0, b.bad(r, "number of availabilities", text, "want a whole number behind funds type D")
		}
		skip = 2 * n
	case "V":
		text, _ := f.next()
		_, _ = f.next() // time of day
		on, err := date(text)
		if err != nil {
			return 0, b.bad(r, "value date", text, err.Error())
		}
		return on, nil
	default:
		return 0, b.bad(r, "funds type", kind, "want 0, 1, 2, D, S, V, Z or nothing")
	}
	for range skip {
		_, _ = f.next()
	}
	return 0, nil
}

// amount reads a signed number of minor units; nothing and blanks are not given.
func amount(s string) (minor int64, given bool, err error) {
	if s == "" {
		return 0, false, nil
	}
	minor, err = ledger.ParseMinor(strings.TrimPrefix(s, "+"))
	if errors.Is(err, ledger.ErrTooLarge) {
		return 0, false, fmt.Errorf("too large, at most %d minor units", int64(ledger.MaxMinor))
	}
	if err != nil || strings.HasPrefix(s, "+-") {
		return 0, false, errors.New("want a whole number of minor units, without point or comma")
	}
	return minor, true, nil
}

// date reads YYMMDD, or YYYYMMDD of banks that write the century. Years from 70 are of the last century.
func date(s string) (ledger.Date, error) {
	const pivot = "70"
	switch len(s) {
	case 0:
		return 0, nil
	case len("YYMMDD"):
		century := "20"
		if s >= pivot {
			century = "19"
		}
		s = century + s
	}
	t, err := time.Parse("20060102", s)
	if err != nil || t.Year() == 0 {
		return 0, errors.New("want a date as YYMMDD")
	}
	return ledger.DateOf(t, time.UTC), nil
}
