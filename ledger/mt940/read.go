package mt940

import (
	"cmp"
	"errors"
	"io"
	"regexp"
	"strconv"
	"strings"

	"agentrecon/ledger"
	"agentrecon/ledger/bankcode"
	"agentrecon/ledger/lines"
	"agentrecon/ledger/witness"
)

// maxHeld is how many entries of one statement are held until its closing balance; beyond it they are
// handed on, and their value dates tell the year.
const maxHeld = 25_000

// Read reads an MT940 or MT942 file; it is a [ledger.ReadFunc]. The booked entries of an MT942 report that
// have no reference of the bank are pending unless the options say otherwise, for the statement shows them.
//
// Faults are a [*ledger.BadRows], a [*tabular.FileError], or an error of reading or of each. A failed proof
// is no error.
func Read(name string, r io.Reader, options ledger.ReadOptions, each func(*ledger.Entry) error) (ledger.SourceFile, error) {
	file := witness.New(name, options, each)
	in, err := lines.New(name, file.Digest(r), options.Charset)
	if err != nil {
		return ledger.SourceFile{}, err
	}
	p := &parser{name: name, file: file, options: options, in: fields{name: name, in: in}}
	err = p.walk()
	p.unread.Settle(file)
	if err != nil {
		return ledger.SourceFile{}, file.WithBad(err)
	}
	if !p.in.found {
		return ledger.SourceFile{}, file.Refusal(0, "no field of MT940 in it, such as :20:, :60F: or :61:; was the export complete?")
	}
	for _, warning := range in.Decoder.Warnings() {
		file.Warn(warning)
	}
	if p.everIntraday && !p.everStatement {
		return file.Source("mt942")
	}
	return file.Source("mt940")
}

// parser walks one file.
type parser struct {
	name    string
	file    *witness.File
	options ledger.ReadOptions
	in      fields

	began    bool // a statement is begun
	opened   bool // and handed to the witness
	closed   bool // its closing balance was met
	goesOn   bool // and it was an intermediate one
	intraday bool
	asOf     ledger.Date // of an intraday report
	s        ledger.Statement
	first    string // currency by the account or the floor limit
	totals   totals
	held     []*transaction
	last     *transaction // the one that field 86 belongs to
	number   int          // of the entry within the statement
	unread   witness.Unread

	everIntraday, everStatement bool
}

func (p *parser) walk() error {
	for {
		f, err := p.in.read()
		if errors.Is(err, io.EOF) {
			return p.finish()
		}
		if err != nil {
			return err
		}
		if err := p.field(&f); err != nil {
			return err
		}
	}
}

// field takes one field. A statement ends where a reference or a second opening balance begins another.
func (p *parser) field(f *field) error {
	if f.tag == "940" || f.tag == "942" {
		return p.end()
	}
	if p.began && (f.tag == "20" || (p.closed && strings.HasPrefix(f.tag, "60"))) {
		id, account := p.s.ID, p.s.AccountID
		if err := p.end(); err != nil {
			return err
		}
		if f.tag != "20" {
			p.s.ID, p.s.AccountID = id, account
		}
	}
	if !p.began {
		p.began, p.s.Line = true, f.line
	}
	switch f.tag {
	case "20":
		p.s.ID = strings.TrimSpace(f.text())
	case "25", "25P":
		p.account(strings.TrimSpace(f.lines[0]))
	case "28", "28C":
		p.s.Sequence, p.s.Page, _ = strings.Cut(strings.TrimSpace(f.lines[0]), "/")
	case "60F", "60M":
		return p.balance(f, &p.s.Opening)
	case "62F", "62M":
		p.closed, p.goesOn, p.last = true, f.tag == "62M", nil
		return p.balance(f, &p.s.Closing)
	case "64": // 65, what will be available later, proves nothing and is not kept
		p.available(f)
	case "34F":
		p.intraday = true
		p.floor(f.text())
	case "13", "13D":
		p.intraday = true
		if text := f.text(); len(text) >= 6 {
			p.asOf, _, _ = dateOf(text[:6])
		}
	case "90C", "90D":
		p.last = nil
		return p.declared(f)
	case "61":
		return p.transaction(f)
	case "86":
		// One behind a balance is about the statement; several behind an entry are one text.
		if p.last != nil {
			p.last.info = append(p.last.info, f.lines...)
		} else if p.closed {
			p.summed(f)
		}
	}
	return nil
}

var accountCurrency = regexp.MustCompile(`^(.*[0-9 /])([A-Z]{3})$`)

// account reads field 25: IBAN, or bank code and account, with the currency behind it in some banks.
func (p *parser) account(text string) {
	if m := accountCurrency.FindStringSubmatch(text); m != nil {
		if c, err := ledger.ParseCurrency(m[2]); err == nil {
			text, p.first = strings.TrimRight(m[1], " /"), string(c)
		}
	}
	p.s.AccountID = strings.ReplaceAll(text, " ", "")
}

// balancePattern is a balance. Old exports leave the currency out where the opening balance has told it.
var balancePattern = regexp.MustCompile(`^(C|D|RC|RD)(\d{6})([A-Z]{3})?(-?)([\d.,]+)`)

// currencyOfBalance finds the currency of a balance that cannot be read otherwise.
var currencyOfBalance = regexp.MustCompile(`^[A-Z]{1,2}\d{6}([A-Z]{3})`)

// noDate stands in the opening balance of an account that had no statement before.
const noDate = "000000"

// balance reads fields 60 and 62. One that cannot be read leaves the entries as they are and fails the
// statement's proof, so that nothing is imported before a person has looked.
func (p *parser) balance(f *field, to *ledger.Balance) error {
	text := strings.TrimSpace(f.lines[0])
	compact := strings.ToUpper(strings.ReplaceAll(text, " ", ""))
	unread := func(want string) error {
		if m := currencyOfBalance.FindStringSubmatch(compact); m != nil && p.first == "" {
			p.first = m[1]
		}
		fault := p.file.BadField(f.line, ":"+f.tag+":", text, want)
		return p.unread.Note(p.file, fault, &p.s.Unread)
	}
	m := balancePattern.FindStringSubmatch(compact)
	if m == nil {
		return unread("want C or D, a date YYMMDD, a currency and an amount, as in C250131EUR1234,50")
	}
	c, err := ledger.ParseCurrency(cmp.Or(m[3], string(p.s.Currency), p.first, string(p.options.DefaultCurrency)))
	if err != nil && m[3] == "" {
		return unread("want a currency behind the date, as in C250131EUR1234,50; nothing before it tells one")
	}
	if err != nil {
		return unread("the currency " + m[3] + " is no ISO 4217 code such as EUR")
	}
	on, _, err := dateOf(m[2])
	if err != nil && m[2] != noDate {
		return unread("the date " + m[2] + " is no date of the form YYMMDD")
	}
	plain, ok := plainDecimal(m[5])
	minor, err := ledger.ParseDecimal(plain, c.Exponent())
	if !ok || err != nil {
		return unread("the amount " + m[5] + " is none such as 1234,50 in " + string(c))
	}
	if (m[1] == "D" || m[1] == "RC") != (m[4] == "-") {
		minor = -minor
	}
	if p.s.Currency != "" && p.s.Currency != c {
		return p.file.Bad(p.file.BadField(f.line, ":"+f.tag+":", text, "the currency is not that of the statement's other balance, "+string(p.s.Currency)))
	}
	p.s.Currency = c
	*to = ledger.Balance{Amount: ledger.Some(minor), On: on}
	return nil
}

// totals are the counts and sums that Dutch banks print behind the closing balance.
type totals struct {
	line            int
	credits, debits ledger.Figure
}

// sumPattern is field 86 behind the closing balance, as D000002C000001D10,00C2,50 or as /SUM/2/1/10,00/2,50/,
// which some put behind the bank's name.
var sumPattern = regexp.MustCompile(`^(?:D(\d{6})C(\d{6})D([\d.,]+)C([\d.,]+)|(?:/NAME/.*)?/ ?SUM/(\d{1,9})/(\d{1,9})/([\d.,]+)/([\d.,]+)/)`)

// summed keeps such totals; other texts about a statement mean nothing to its entries.
func (p *parser) summed(f *field) {
	m := sumPattern.FindStringSubmatch(strings.TrimSpace(f.text()))
	if m == nil {
		return
	}
	if m[1] == "" {
		m = m[4:]
	}
	figure := func(count, sum string) (ledger.Figure, bool) {
		plain, ok := plainDecimal(sum)
		minor, err := ledger.ParseDecimal(plain, p.s.Currency.Exponent())
		return ledger.Figure{Count: ledger.Some(int64(digits(count))), Sum: ledger.Some(minor)}, ok && err == nil
	}
	debits, okDebits := figure(m[1], m[3])
	credits, okCredits := figure(m[2], m[4])
	if okDebits && okCredits {
		p.totals = totals{line: f.line, credits: credits, debits: debits}
	}
}

// holdTotals holds the statement against totals behind its closing balance. Balances prove more, so beside
// them a difference is only told: some banks count a batch as its parts.
func (p *parser) holdTotals(s *ledger.Statement) {
	t := &p.totals
	if t.line == 0 {
		return
	}
	if !s.Opening.Amount.Given || !s.Closing.Amount.Given {
		s.Declared.Credits, s.Declared.Debits = t.credits, t.debits
		return
	}
	differs := func(f ledger.Figure, read ledger.Tally) bool {
		return f.Count.Minor != read.Count || f.Sum.Minor != read.Minor
	}
	if differs(t.debits, s.Read.Debits) || differs(t.credits, s.Read.Credits) {
		p.file.Warn("line " + strconv.Itoa(t.line) + ": the bank counts other entries than the statement holds (field 86 behind the closing balance)")
	}
}

// available reads field 64, by which nothing is proved; one that cannot be read is left out.
func (p *parser) available(f *field) {
	m := balancePattern.FindStringSubmatch(strings.TrimSpace(f.lines[0]))
	if m == nil || m[3] == "" || m[3] != string(p.s.Currency) {
		return
	}
	plain, ok := plainDecimal(m[5])
	minor, err := ledger.ParseDecimal(plain, p.s.Currency.Exponent())
	on, _, errDate := dateOf(m[2])
	if !ok || err != nil || errDate != nil {
		return
	}
	if m[1] == "D" {
		minor = -minor
	}
	p.s.Available = ledger.Balance{Amount: ledger.Some(minor), On: on}
}

// floor takes the currency from field 34F, a floor limit.
func (p *parser) floor(text string) {
	if len(text) >= 3 {
		if c, err := ledger.ParseCurrency(text[:3]); err == nil {
			p.first = string(c)
		}
	}
}

var declaredPattern = regexp.MustCompile(`^(\d{1,5})([A-Z]{3})(\d[\d.,]*|,\d+)`)

// declared reads fields 90C and 90D, the number and sum of entries.
func (p *parser) declared(f *field) error {
	text := strings.TrimSpace(f.lines[0])
	m := declaredPattern.FindStringSubmatch(strings.ToUpper(text))
	if m == nil {
		if strings.HasPrefix(text, "0") || text == "" || strings.Trim(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ,0") == "" {
			return nil // :90C:EUR,00 declares nothing
		}
		return p.file.Bad(p.file.BadField(f.line, ":"+f.tag+":", text, "want a count, a currency and a sum, as in 2EUR1234,50"))
	}
	c, err := ledger.ParseCurrency(m[2])
	plain, ok := plainDecimal(m[3])
	minor, errAmount := ledger.ParseDecimal(plain, c.Exponent())
	if err != nil || !ok || errAmount != nil {
		return p.file.Bad(p.file.BadField(f.line, ":"+f.tag+":", text, "want a count, a currency and a sum, as in 2EUR1234,50"))
	}
	if p.s.Currency == "" && p.first == "" {
		p.first = string(c)
	}
	figure := ledger.Figure{Count: ledger.Some(int64(digits(m[1]))), Sum: ledger.Some(minor)}
	if f.tag == "90C" {
		p.s.Declared.Credits = figure
	} else {
		p.s.Declared.Debits = figure
	}
	return nil
}

// transaction reads a field 61 and holds it.
func (p *parser) transaction(f *field) error {
	p.number++
	p.last = nil
	t, fault := parseEntry(f)
	if fault != nil {
		fault.File = p.name
		return p.file.Bad(fault)
	}
	t.number = p.number
	if len(p.held) == maxHeld {
		if err := p.release(); err != nil {
			return err
		}
	}
	p.held, p.last = append(p.held, t), t
	return nil
}

// release hands the held entries on, and the statement before them.
func (p *parser) release() error {
	if !p.opened {
		p.opened = true
		role := witness.Statement
		// MT942 has a floor limit and a time, and never an opening balance.
		if p.intraday && !p.s.Opening.Amount.Given {
			role, p.everIntraday = witness.Intraday, true
		} else {
			p.everStatement = true
		}
		if c, err := ledger.ParseCurrency(p.first); err == nil && p.s.Currency == "" {
			p.s.Currency = c
		}
		if err := p.file.Open(p.s, role); err != nil {
			return err
		}
	}
	// The day the statement was made, as well as it is known.
	near := cmp.Or(p.s.Closing.On, p.asOf)
	for _, t := range p.held {
		if err := p.hand(t, near); err != nil {
			return err
		}
	}
	clear(p.held)
	p.held = p.held[:0]
	return nil
}

// finish ends the file. The last statement fails its proof if it stops in its heading or before its closing
// balance, or if another begins behind it: what was cut off would otherwise be missed by nobody.
func (p *parser) finish() error {
	if p.began && p.goesOn {
		p.file.Warn("the last balance is an intermediate one (62M), so another page of the statement should follow")
	}
	switch {
	case !p.began || p.s.Unread != "":
	case p.in.cut():
		p.s.Unread = "the file ends where something else begins; was it cut off?"
	case p.s.Closing.Amount.Given:
	case p.s.Opening.Amount.Given:
		p.s.Unread = "the file ends before its closing balance; was it cut off?"
	case p.number == 0 && p.s.Declared == ledger.Declared{}:
		p.s.Unread = "the file ends in its heading; was it cut off?"
	}
	return p.end()
}

// end ends the statement.
func (p *parser) end() error {
	if p.began && p.worthOpening() {
		if err := p.release(); err != nil {
			return err
		}
		s := p.file.Statement()
		read, currency := s.Read, s.Currency
		*s = p.s
		s.Read = read
		s.Currency = cmp.Or(s.Currency, currency)
		p.holdTotals(s)
		p.file.Close()
	}
	// Nothing of a statement may be taken for the next one's (wolph/mt940 84).
	p.began, p.opened, p.closed, p.goesOn, p.intraday, p.asOf, p.s, p.first, p.last, p.number = false, false, false, false, false, 0, ledger.Statement{}, "", nil, 0
	p.totals = totals{}
	return nil
}

// worthOpening reports whether a message said anything of an account.
func (p *parser) worthOpening() bool {
	return p.opened || p.number > 0 || p.s.Unread != "" || p.s.AccountID != "" || p.s.Opening.Amount.Given || p.s.Closing.Amount.Given
}

// hand turns a transaction into an entry and hands it on.
func (p *parser) hand(t *transaction, near ledger.Date) error {
	bad := func(field, value, want string) error {
		return p.file.Bad(p.file.BadField(t.line, field, value, want))
	}
	e := &ledger.Entry{
		Line: t.line, Locator: ":61:[" + strconv.Itoa(t.number) + "]", ValueOn: t.valueOn,
		ProviderID: given(t.bankRef), BankID: true, MerchantReference: given(t.reference), StatusRaw: t.mark,
	}
	booked, clamped, err := t.entryDate(near)
	if err != nil {
		return bad("entry date of :61:", t.entry, "want MMDD, or nothing")
	}
	if e.BookedOn = booked; booked.IsZero() {
		e.BookedOn = t.valueOn
	} else if booked.Time().Year() != t.valueOn.Time().Year() {
		e.Warnings = append(e.Warnings, ledger.WarnYearChosen)
	}
	if clamped || t.clamped {
		e.Warnings = append(e.Warnings, ledger.WarnDateClamped)
	}
	c := cmp.Or(p.file.Statement().Currency, p.options.DefaultCurrency)
	minor, err := ledger.ParseDecimal(t.amount, c.Exponent())
	if err != nil {
		reason, _, _ := strings.Cut(err.Error(), ": \"")
		return bad("amount of :61:", strings.Replace(t.amount, ".", ",", 1), "want an amount such as 1234,50: "+reason)
	}
	e.Currency = c
	p.sign(t, e, minor)
	t.describe(e)
	err = p.file.Add(e)
	if fault, ok := err.(*ledger.RowError); ok { //nolint:errorlint // Add returns it bare
		return p.file.Bad(fault)
	}
	return err
}

// sign gives the amount its sign by the mark, and the entry its status.
func (p *parser) sign(t *transaction, e *ledger.Entry, minor int64) {
	e.Amount, e.Status = minor, ledger.StatusBooked
	switch t.mark {
	case "D", "RC":
		e.Amount = -minor
	case "ED":
		e.Amount, e.Status = -minor, ledger.StatusExpected
	case "EC":
		e.Status = ledger.StatusExpected
	}
	if e.Reversal = t.mark == "RC" || t.mark == "RD"; e.Reversal && p.options.ReversalsInverted {
		e.Amount = -e.Amount
	}
	if t.minus {
		e.Amount = -e.Amount
		e.Warnings = append(e.Warnings, ledger.WarnNegativeAmount)
	}
}

var (
	ibanPattern     = regexp.MustCompile(`^[A-Z]{2}\d{2}[A-Z0-9]{8,30}$`)
	originalPattern = regexp.MustCompile(`/OCMT/([A-Z]{3})([\d.,]+)`)
)

// describe gives an entry its kind, references and counterparty.
func (t *transaction) describe(e *ledger.Entry) {
	x := parseInfo(t.info)
	e.KindRaw = strings.TrimSpace(t.kind + " " + x.code)
	e.EndToEndID, e.MandateID, e.CreditorReference = x.endToEnd, x.mandate, x.creditorRef
	e.MerchantReference = cmp.Or(e.MerchantReference, x.customerRef)
	e.CounterpartyName, e.CounterpartyAccount, e.CounterpartyAgent = x.name, x.account, x.agent
	e.OriginalProviderID = x.original
	e.RemittanceText = x.text
	switch {
	case ibanPattern.MatchString(t.supplement):
		e.CounterpartyAccount = cmp.Or(e.CounterpartyAccount, t.supplement)
	case x.text == "":
		e.RemittanceText = t.supplement
	}
	e.Kind = cmp.Or(bankcode.GVC(x.code), bankcode.SWIFT(upper(t.kind)))
	if x.reason != "" && (x.code == "" || e.Kind == ledger.KindReturn) {
		e.ReturnReason, e.Kind = x.reason, ledger.KindReturn
	}
	if e.Reversal {
		e.Kind = ledger.KindReversal
	}
	if m := originalPattern.FindStringSubmatch(t.supplement); m != nil {
		t.original(m[1], m[2], e)
	}
	if strings.ContainsRune(e.RemittanceText, '\uFFFD') {
		e.Warnings = append(e.Warnings, ledger.WarnLossyText)
	}
}

// original keeps the amount in the payer's or payee's currency.
func (t *transaction) original(currency, amount string, e *ledger.Entry) {
	c, err := ledger.ParseCurrency(currency)
	plain, ok := plainDecimal(amount)
	if err != nil || !ok {
		return
	}
	minor, err := ledger.ParseDecimal(plain, c.Exponent())
	if err != nil {
		return
	}
	if e.Amount < 0 {
		minor = -minor
	}
	e.OrigAmount, e.OrigCurrency = ledger.Some(minor), c
}
