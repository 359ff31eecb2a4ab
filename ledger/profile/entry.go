package profile

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"agentrecon/ledger"
	"agentrecon/ledger/tabular"
)

// markOf is the decimal mark of a cell: numbers of workbooks have a point whatever the texts around them have.
func (x *reader) markOf(c Cell) byte {
	if c.Kind == Number {
		return '.'
	}
	return x.rules.mark
}

// currency finds the currency of a row: in the name of the column that its amount stands in, in its own column,
// beside the amount, in the names of the columns, above the header; then what the person says, the profile, the country
// of an account number.
func (x *reader) currency(row Row, e *ledger.Entry) *ledger.RowError {
	if e.Currency = x.named(row); e.Currency != "" {
		return nil
	}
	if text := x.text(row, RoleCurrency); text != "" {
		c, fault := x.parseCurrency(row, RoleCurrency, text, e)
		e.Currency = c
		return fault
	}
	for _, role := range [4]Role{RoleAmount, RoleNet, RoleCredit, RoleDebit} {
		if n, ok, err := parseNumber(x.text(row, role)); err == nil && ok && n.currency != "" {
			e.Currency = n.currency
			return nil
		}
	}
	if e.Currency = cmp.Or(x.binding.currency, x.preamble); e.Currency != "" {
		return nil
	}
	e.Currency = cmp.Or(x.options.DefaultCurrency, x.binding.profile.Currency, x.ofCountry(row))
	if e.Currency == "" {
		x.refusal = &tabular.FileError{File: x.table.Name, Line: row.Line, Reason: "the file names no currency; give one, as in --currency EUR"}
		return nil
	}
	x.assumed = e.Currency
	e.Warnings = append(e.Warnings, ledger.WarnCurrencyAssumed)
	return nil
}

// named is the currency that the name of the column says in which the row's amount stands.
func (x *reader) named(row Row) ledger.Currency {
	for _, role := range [4]Role{RoleCredit, RoleDebit, RoleAmount, RoleNet} {
		for _, i := range x.binding.at[role] {
			if i < len(row.Cells) && row.Cells[i].Text != "" && i < len(x.binding.money) {
				return x.binding.money[i]
			}
		}
	}
	return ""
}

// parseCurrency reads a code, a sign, or three letters that are no currency: exports hold codes of crypto
// assets and of test data, and the entry is as well kept, and visible.
func (x *reader) parseCurrency(row Row, role Role, text string, e *ledger.Entry) (ledger.Currency, *ledger.RowError) {
	if c, err := ledger.ParseCurrency(text); err == nil {
		return c, nil
	}
	if c := symbols[text]; c != "" {
		return c, nil
	}
	upper := strings.ToUpper(text)
	if len(upper) != 3 || strings.Trim(upper, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" {
		return "", x.fault(row, role, text, "not an ISO 4217 currency code such as EUR")
	}
	if x.foreign == nil {
		x.foreign = make(map[string]bool)
	}
	x.foreign[upper] = true
	e.Warnings = append(e.Warnings, WarnCurrencyUnknown)
	return ledger.Currency(upper), nil
}

// countries of account numbers (IBAN) that have a currency of their own; the others of these have the euro.
var countries = map[string]ledger.Currency{
	"AT": "EUR", "BE": "EUR", "CY": "EUR", "DE": "EUR", "EE": "EUR", "ES": "EUR", "FI": "EUR", "FR": "EUR", "GR": "EUR", "HR": "EUR", "IE": "EUR", "IT": "EUR",
	"LT": "EUR", "LU": "EUR", "LV": "EUR", "MC": "EUR", "MT": "EUR", "NL": "EUR", "PT": "EUR", "SI": "EUR", "SK": "EUR", "SM": "EUR",
	"CH": "CHF", "LI": "CHF", "GB": "GBP", "DK": "DKK", "SE": "SEK", "NO": "NOK", "PL": "PLN", "CZ": "CZK", "HU": "HUF", "RO": "RON", "BG": "BGN", "IS": "ISK",
}

// ofCountry takes the currency from the country of the own account, or else of the other party's.
func (x *reader) ofCountry(row Row) ledger.Currency {
	for _, role := range [2]Role{RoleAccount, RoleAccountTo} {
		if s := strings.ToUpper(strings.ReplaceAll(x.text(row, role), " ", "")); isIBAN(s) {
			return countries[s[:2]]
		}
	}
	return ""
}

func isIBAN(s string) bool {
	return len(s) >= 15 && len(s) <= 34 && s[0] >= 'A' && s[0] <= 'Z' && s[1] >= 'A' && s[1] <= 'Z' && digitsIn(s[2:]) >= 2
}

// preambleCurrency is the one currency that is named above the header, or by the names of balances below it, if there is
// just one.
func preambleCurrency(sample []Row, header int, carries map[string]string) ledger.Currency {
	var found ledger.Currency
	for _, row := range sample {
		for _, c := range row.Cells {
			if row.Line >= header && carried(carries, c.Text) == "" {
				continue
			}
			currency := ledger.Currency("")
			_, behind, _ := strings.Cut(c.Text, ":") // "Balance: CHF 1.00"
			if n, ok, err := parseNumber(c.Text); err == nil && ok {
				currency = n.currency
			} else if n, ok, err := parseNumber(behind); err == nil && ok {
				currency = n.currency
			} else if parsed, err := ledger.ParseCurrency(strings.TrimSpace(behind)); err == nil {
				currency = parsed
			} else if parsed, err := ledger.ParseCurrency(c.Text); err == nil && parsed == ledger.Currency(c.Text) {
				currency = parsed
			} else if _, named := bare(fold(c.Text)); named != "" {
				currency = named
			}
			switch {
			case currency == "" || currency == found:
			case found == "":
				found = currency
			default:
				return ""
			}
		}
	}
	return found
}

// amount reads the amount of a role; a cell that is empty or missing has none.
func (x *reader) amount(row Row, role Role, e *ledger.Entry) (minor int64, given bool, fault *ledger.RowError) {
	c := x.cell(row, role)
	n, ok, err := parseNumber(c.Text)
	if err != nil {
		return 0, false, x.fault(row, role, c.Text, err.Error())
	}
	if !ok {
		return 0, false, nil
	}
	if x.binding.profile.Minor {
		if minor, err = x.wholeMinor(n.digits, e.Currency); n.negative {
			minor = -minor
		}
	} else {
		var rounded bool
		minor, rounded, err = n.minor(x.markOf(c), e.Currency, x.binding.profile.Round)
		if rounded && role != RoleBalance && !slices.Contains(e.Warnings, WarnRounded) {
			e.Warnings = append(e.Warnings, WarnRounded)
		}
	}
	if err != nil {
		return 0, false, x.fault(row, role, c.Text, err.Error())
	}
	return minor, true, nil
}

// wholeMinor reads a number of minor units, in the decimals that the provider counts the currency in.
func (x *reader) wholeMinor(digits string, c ledger.Currency) (int64, error) {
	minor, err := ledger.ParseMinor(strings.TrimSuffix(strings.TrimRight(digits, "0"), ".") + trailingZeros(digits))
	if err != nil {
		return 0, errors.New("want a whole number of minor units such as 781200 (for 7,812.00)")
	}
	decimals, ok := x.binding.profile.Decimals[c]
	if !ok {
		decimals, ok = x.binding.profile.Decimals[""]
	}
	if !ok {
		return minor, nil
	}
	for ; decimals < c.Exponent(); decimals++ {
		if minor *= 10; minor > ledger.MaxMinor {
			return 0, fmt.Errorf("too large, at most %d minor units", int64(ledger.MaxMinor))
		}
	}
	for ; decimals > c.Exponent(); decimals-- {
		if minor%10 != 0 {
			return 0, fmt.Errorf("more decimals than %s has (%d)", c, c.Exponent())
		}
		minor /= 10
	}
	return minor, nil
}

// trailingZeros gives back the zeros of a whole number that has no decimals.
func trailingZeros(digits string) string {
	if strings.ContainsAny(digits, ".,") {
		return ""
	}
	return digits[len(strings.TrimRight(digits, "0")):]
}

// money reads what moved, and how it came about.
func (x *reader) money(row Row, e *ledger.Entry) *ledger.RowError {
	p := x.binding.profile
	amount, given, fault := x.moved(row, e)
	if fault != nil {
		return fault
	}
	if !given {
		return x.fault(row, RoleAmount, "", "no amount in the row")
	}
	signed := false
	if word := x.fold(x.text(row, RoleDirection)); word != "" {
		sign, known := p.Directions[word]
		if !known {
			return x.fault(row, RoleDirection, word, "want a word that says whether money came in or went out; a profile can name it (direction "+word+" = in)")
		}
		amount, signed = int64(sign)*max(amount, -amount), true
	}
	if p.Inverted && !signed {
		amount = -amount
	}
	for i := range p.Flips {
		if x.matches(&p.Flips[i], row) {
			amount = -amount
		}
	}
	e.Amount = amount
	if fault := x.original(row, e); fault != nil {
		return fault
	}
	return x.parts(row, e)
}

// moved is the amount before rules of sign: credit less debit if either is there, else the amount, else the net.
func (x *reader) moved(row Row, e *ledger.Entry) (int64, bool, *ledger.RowError) {
	credit, hasCredit, fault := x.amount(row, RoleCredit, e)
	if fault != nil {
		return 0, false, fault
	}
	debit, hasDebit, fault := x.amount(row, RoleDebit, e)
	if fault != nil {
		return 0, false, fault
	}
	if x.rules.debitMinus {
		debit = -debit
	}
	if (hasCredit || hasDebit) && (credit != 0 || debit != 0 || !x.binding.has(RoleAmount) && !x.binding.has(RoleNet)) {
		return credit - debit, true, nil
	}
	for _, role := range [2]Role{RoleAmount, RoleNet} {
		if amount, given, fault := x.amount(row, role, e); fault != nil || given {
			if fault == nil && x.proofs.declared != nil {
				x.printed, _, _ = parseNumber(x.text(row, role))
			}
			return amount, given, fault
		}
	}
	return 0, hasCredit || hasDebit, nil
}

// original reads the amount that the other party saw. It is for matching and proves nothing, so one that cannot
// be read is left out. In the account's own currency it is the gross amount, if the profile says so and the fee is none
// below zero: a sale that its fees exceed is money out, of another sign than the sale.
func (x *reader) original(row Row, e *ledger.Entry) *ledger.RowError {
	e.FXRate = x.text(row, RoleRate)
	text := x.text(row, RoleOrigCurrency)
	c, err := ledger.ParseCurrency(text)
	gross := c == e.Currency && x.binding.profile.Fee == "original"
	if err != nil || (c == e.Currency && !gross) {
		return nil // see above
	}
	cell := x.cell(row, RoleOrigAmount)
	n, ok, err := parseNumber(cell.Text)
	if err != nil || !ok {
		return nil // see above
	}
	minor, _, err := n.minor(x.markOf(cell), c, true)
	if err != nil {
		return nil // see above
	}
	minor = max(minor, -minor)
	if e.Amount < 0 {
		minor = -minor
	}
	switch {
	case !gross:
		e.OrigAmount, e.OrigCurrency = ledger.Some(minor), c
	case minor >= e.Amount:
		e.Gross, e.Net, e.Fee = ledger.Some(minor), ledger.Some(e.Amount), ledger.Some(minor-e.Amount)
	}
	return nil
}

// parts reads gross, fee and net of a provider, signed like what moved.
func (x *reader) parts(row Row, e *ledger.Entry) *ledger.RowError {
	if strings.HasPrefix(x.binding.profile.Fee, "on_top") {
		return nil
	}
	fee, hasFee, fault := x.amount(row, RoleFee, e)
	if fault != nil {
		return fault
	}
	gross, hasGross, fault := x.amount(row, RoleGross, e)
	if fault != nil {
		return fault
	}
	switch {
	case hasGross:
		e.Gross, e.Net, e.Fee = ledger.Some(gross), ledger.Some(e.Amount), ledger.Some(gross-e.Amount)
		if d := gross - e.Amount; hasFee && max(d, -d) != max(fee, -fee) {
			e.Warnings = append(e.Warnings, WarnGrossFee)
		}
	case hasFee && e.Amount > 0:
		fee = max(fee, -fee)
		e.Gross, e.Net, e.Fee = ledger.Some(e.Amount+fee), ledger.Some(e.Amount), ledger.Some(fee)
	}
	return nil
}

// feeOnTop is the entry of a fee that the account paid beside the amount.
func (x *reader) feeOnTop(row Row, e *ledger.Entry) (*ledger.Entry, *ledger.RowError) {
	if rule := x.binding.profile.Fee; rule != "on_top" && (rule != "on_top_out" || e.Amount >= 0) {
		return nil, nil // most rows have none
	}
	own := *e
	own.Warnings = nil
	if text := x.text(row, RoleFeeCurrency); text != "" {
		c, fault := x.parseCurrency(row, RoleFeeCurrency, text, &own)
		if fault != nil {
			return nil, fault
		}
		own.Currency = c
	}
	fee, given, fault := x.amount(row, RoleFee, &own)
	if fault != nil || !given || fee == 0 {
		return nil, fault
	}
	return &ledger.Entry{
		File: e.File, Line: e.Line, AccountID: e.AccountID, BookedOn: e.BookedOn, ValueOn: e.ValueOn, OccurredAt: e.OccurredAt,
		Amount: -max(fee, -fee), Currency: own.Currency, Kind: ledger.KindFee, KindRaw: e.KindRaw, Status: e.Status, StatusRaw: e.StatusRaw,
		ProviderID: e.ProviderID, OriginalProviderID: e.ProviderID, GroupID: e.GroupID, RemittanceText: strings.TrimSuffix("fee: "+e.RemittanceText, ": "), Warnings: own.Warnings,
	}, nil
}

// words reads kind and status.
func (x *reader) words(row Row, e *ledger.Entry) *ledger.RowError {
	p := x.binding.profile
	e.KindRaw, e.StatusRaw = x.text(row, RoleKind), x.text(row, RoleStatus)
	e.Kind = cmp.Or(p.kindOf(x.fold(e.KindRaw)), e.Kind)
	if len(p.Statuses) == 0 || !x.binding.has(RoleStatus) {
		return nil
	}
	word := x.fold(e.StatusRaw)
	s, ok := p.Statuses[word]
	for _, end := range p.statusEnds {
		if !ok && strings.HasSuffix(word, end.end) {
			s, ok = end.status, true
		}
	}
	switch {
	case ok:
		e.Status = s
	case p.OtherStatus != "":
		e.Status = p.OtherStatus
	case word == "":
	default:
		if x.unknown == nil {
			x.unknown = make(map[string]bool)
		}
		const most = 20
		if len(x.unknown) < most {
			x.unknown[e.StatusRaw] = true
		}
		e.Status = ledger.StatusUnknown
	}
	return nil
}

// kindOf is what a folded word says an entry is for, or nothing.
func (p *Profile) kindOf(word string) ledger.Kind {
	if k, ok := p.Kinds[word]; ok || word == "" {
		return k
	}
	for _, c := range p.kindPatterns {
		if same(c.word, word) {
			return c.kind
		}
	}
	return ""
}

// days reads the dates, and the instant where a zone is known.
func (x *reader) days(row Row, e *ledger.Entry) *ledger.RowError {
	on, clock, fault := x.day(row, RoleBookedOn)
	if fault != nil {
		return fault
	}
	if e.ValueOn, _, fault = x.day(row, RoleValueOn); fault != nil {
		return fault
	}
	if isPending(x.text(row, RoleBookedOn)) || isPending(x.text(row, RoleValueOn)) {
		e.Status = ledger.StatusPending
	}
	if on.IsZero() {
		if on = cmp.Or(e.ValueOn, x.last); on.IsZero() {
			return x.fault(row, RoleBookedOn, x.text(row, RoleBookedOn), "no date in the row, nor in one above it")
		}
		if e.ValueOn.IsZero() {
			e.Warnings = append(e.Warnings, ledger.WarnDateAssumed)
		}
	}
	e.BookedOn, x.last = on, on
	zone := cmp.Or(x.text(row, RoleZone), x.binding.profile.Zone)
	if t, ok := instant(on, cmp.Or(x.text(row, RoleTime), clock), zone); ok {
		e.OccurredAt = t
	}
	return nil
}

func (x *reader) day(row Row, role Role) (ledger.Date, string, *ledger.RowError) {
	c := x.cell(row, role)
	if c.Text == "" || isPending(c.Text) {
		return 0, "", nil
	}
	d, err := dayOf(c)
	if err != nil {
		return 0, "", x.fault(row, role, c.Text, err.Error())
	}
	on, err := d.in(x.rules.order)
	if err != nil {
		return 0, "", x.fault(row, role, c.Text, err.Error()+orderHint(x.rules.order))
	}
	return on, d.clock, nil
}

func orderHint(o Order) string {
	switch o {
	case DayFirst:
		return ", the day first as in the rest of the file"
	case MonthFirst:
		return ", the month first as in the rest of the file"
	}
	return ""
}

// references reads who the other party is and every key that an attempt may be found by.
func (x *reader) references(row Row, e *ledger.Entry) *ledger.RowError {
	e.ProviderID = key(x.text(row, RoleProviderID))
	e.BankID = e.ProviderID != "" && (x.binding.profile.BankIDs || x.binding.profile.Lexicon)
	for _, role := range [4]Role{RoleProviderID, RoleTransaction, RoleReference, RoleOriginal} {
		if x.cell(row, role).Lossy {
			e.Warnings = append(e.Warnings, WarnLossyID)
			break
		}
	}
	e.EndToEndID, e.MerchantReference = key(x.text(row, RoleEndToEnd)), key(x.text(row, RoleReference))
	e.IdempotencyKey, e.MandateID = key(x.text(row, RoleIdempotencyKey)), key(x.text(row, RoleMandate))
	e.CreditorReference, e.InstructionID = key(x.text(row, RoleCreditorReference)), key(x.text(row, RoleInstruction))
	e.TransactionID, e.UETR = key(x.text(row, RoleTransaction)), key(x.text(row, RoleUETR))
	e.GroupID = key(x.text(row, RoleGroup))
	if e.Kind != ledger.KindPayment { // a payment refers to nothing but itself
		e.OriginalProviderID = key(x.text(row, RoleOriginal))
	}
	e.CounterpartyAccount, e.CounterpartyAgent = x.text(row, RoleAccountTo), x.text(row, RoleAgent)
	e.ReturnReason = x.text(row, RoleReturn)
	party := RolePayer
	if e.Amount < 0 {
		party = RolePayee
	}
	e.CounterpartyName = cmp.Or(x.text(row, RoleName), x.text(row, party))
	e.RemittanceText = x.texts(row)
	return nil
}

// texts joins the texts of a row, without repetitions.
func (x *reader) texts(row Row) string {
	at := x.binding.at[RoleText]
	if len(at) == 1 && at[0] < len(row.Cells) {
		return row.Cells[at[0]].Text
	}
	var texts []string
	for _, i := range at {
		if i < len(row.Cells) && row.Cells[i].Text != "" {
			if text := row.Cells[i].Text; len(texts) == 0 || texts[len(texts)-1] != text {
				texts = append(texts, text)
			}
		}
	}
	return strings.Join(texts, " ")
}

// key drops the words that banks write where there is no reference.
func key(s string) string {
	if s == "" || strings.EqualFold(s, "NOTPROVIDED") || strings.EqualFold(s, "NONREF") || s == "-" {
		return ""
	}
	return s
}
