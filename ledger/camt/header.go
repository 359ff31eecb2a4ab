package camt

import (
	"cmp"
	"errors"
	"io"
	"strconv"
	"strings"

	"agentrecon/ledger"
	"agentrecon/ledger/witness"
)

// maxBalances bounds the balances of one statement.
const maxBalances = 10_000

// amount is an amount as printed.
type amount struct {
	text, currency string
	line           int
}

// balance is a Bal element.
type balance struct {
	code      string
	amount    amount
	direction string
	date      string
}

// header collects what stands in a statement before its entries, to be understood when the first comes.
type header struct {
	statement ledger.Statement // what needs no understanding
	currency  string           // of the account
	created   string
	balances  []balance
	fromText  string
	toText    string
	summary   summary
	begun     bool
	resolved  int // balances seen by resolve
}

// summary is TxsSummry as printed.
type summary struct {
	entries, credits, debits struct{ count, sum string }
	net                      amount
	netDirection             string
}

// statement reads one statement; the reader stands behind its start tag.
func (p *parser) statement() error {
	outer := p.t.base
	p.items++
	p.entries = 0
	p.place = p.t.location(p.items)
	p.head = header{statement: ledger.Statement{Line: p.t.line()}}
	p.t.rebase(len(p.t.stack))
	for {
		step, err := p.t.next()
		switch {
		case errors.Is(err, io.EOF):
			return p.fatal(io.ErrUnexpectedEOF)
		case err != nil:
			return p.fatal(err)
		case step == opened && string(p.t.path) == "ntry":
			if err := p.begin(); err != nil {
				return err
			}
			if err := p.entry(); err != nil {
				return err
			}
			p.t.drop()
		case step == opened && string(p.t.path) == "bal":
			if len(p.head.balances) == maxBalances {
				return p.fatal(refusal("more than %d balances in one statement", maxBalances))
			}
			p.head.balances = append(p.head.balances, balance{})
		case step == closed && len(p.t.stack) == p.t.base:
			p.t.drop()
			p.t.rebase(outer)
			return p.end()
		case step == closed:
			if p.t.leaf {
				p.field(p.t.value())
			}
			p.t.drop()
		}
	}
}

// field takes a value of the statement's header.
func (p *parser) field(v string) {
	h := &p.head
	s := &h.statement
	switch path := string(p.t.path); path {
	case "id":
		s.ID = v
	case "credttm":
		h.created = v
	case "elctrncseqnb":
		s.Sequence = v
	case "lglseqnb":
		s.LegalSequence = v
	case "cpydplctind":
		s.Copy = v
	case "stmtpgntn/pgnb", "rptpgntn/pgnb", "ntfctnpgntn/pgnb":
		s.Page = v
		s.Paged = s.Paged || v != "1"
	case "stmtpgntn/lastpgind", "rptpgntn/lastpgind", "ntfctnpgntn/lastpgind":
		s.Paged = s.Paged || strings.EqualFold(v, "false")
	case "frtodt/frdttm", "frtodt/frdt":
		h.fromText = v
	case "frtodt/todttm", "frtodt/todt":
		h.toText = v
	case "acct/id/iban", "acct/id/othr/id", "acct/id/prtryacct/id", "acct/id/bban", "acct/id/upic":
		s.AccountID = cmp.Or(s.AccountID, account(v))
	case "acct/ccy":
		h.currency = v
	default:
		if rest, ok := strings.CutPrefix(path, "bal/"); ok && len(h.balances) > 0 {
			h.balances[len(h.balances)-1].field(rest, v, p.t)
		} else if rest, ok := strings.CutPrefix(path, "txssummry/"); ok {
			h.summary.field(rest, v, p.t)
		}
	}
}

func (b *balance) field(path, v string, t *tokens) {
	switch path {
	case "tp/cdorprtry/cd", "tp/cdorprtry/prtry", "tp/cd":
		b.code = strings.ToUpper(v)
	case "amt":
		b.amount = amount{text: v, currency: t.attr("ccy"), line: t.line()}
	case "cdtdbtind":
		b.direction = v
	case "dt/dt", "dt/dttm", "dt":
		b.date = v
	}
}

func (y *summary) field(path, v string, t *tokens) {
	switch path {
	case "ttlntries/nbofntries":
		y.entries.count = v
	case "ttlntries/sum":
		y.entries.sum = v
	case "ttlcdtntries/nbofntries":
		y.credits.count = v
	case "ttlcdtntries/sum":
		y.credits.sum = v
	case "ttldbtntries/nbofntries":
		y.debits.count = v
	case "ttldbtntries/sum":
		y.debits.sum = v
	case "ttlntries/ttlnetntryamt", "ttlntries/ttlnetntry/amt":
		y.net = amount{text: v, currency: t.attr("ccy"), line: t.line()}
	case "ttlntries/cdtdbtind", "ttlntries/ttlnetntry/cdtdbtind":
		y.netDirection = v
	}
}

// begin opens the statement when its first entry comes or when it ends.
func (p *parser) begin() error {
	if p.head.begun {
		return nil
	}
	p.head.begun = true
	if err := p.resolve(); err != nil {
		return err
	}
	if err := p.file.Open(p.head.statement, p.message.role); err != nil {
		return err
	}
	p.file.SkipCopy()
	return nil
}

// end closes the statement. Balances may stand behind the entries, if only in files that break the schema.
func (p *parser) end() error {
	if err := p.begin(); err != nil {
		return err
	}
	if s := p.file.Statement(); len(p.head.balances) > p.head.resolved {
		read := s.Read
		p.head.statement.Currency = s.Currency
		if err := p.resolve(); err != nil {
			return err
		}
		*s = p.head.statement
		s.Read = read
	}
	p.file.Close()
	return nil
}

// resolve turns what the header printed into the statement's balances, period and totals.
func (p *parser) resolve() error {
	h := &p.head
	s := &h.statement
	h.resolved = len(h.balances)
	if c, err := ledger.ParseCurrency(p.currencyOf(h)); err == nil {
		s.Currency = c
	}
	s.From, s.To = p.period(h.fromText, h.toText)
	if err := p.balances(); err != nil {
		return err
	}
	p.totals()
	return nil
}

// currencyOf is the currency of a statement: that of the account if a balance is in it, else that of the
// first balance, else the account's.
func (p *parser) currencyOf(h *header) string {
	for _, b := range h.balances {
		if strings.EqualFold(b.amount.currency, h.currency) {
			return h.currency
		}
	}
	for _, b := range h.balances {
		if !b.amount.noCurrency() {
			return b.amount.currency
		}
	}
	return cmp.Or(h.currency, string(h.statement.Currency))
}

// The codes of balances (ISO 20022, BalanceType), best first. ITBD stands for both ends of a page.
var (
	openingCodes = []string{"OPBD", "PRCD"}
	closingCodes = []string{"CLBD"}
)

func (p *parser) balances() error {
	h := &p.head
	s := &h.statement
	opening, closing := p.pick(openingCodes), p.pick(closingCodes)
	// On a page in the middle interim balances are both ends. On an intraday report they are the balance of
	// the hour, which says nothing about the entries since the last report.
	if p.message.role == witness.Statement {
		if first, last := p.interim(); first >= 0 {
			if closing < 0 && (last > first || opening >= 0) {
				closing = last
			}
			if opening < 0 && first != closing {
				opening = first
			}
		}
	}
	for _, b := range []struct {
		at int
		to *ledger.Balance
	}{{opening, &s.Opening}, {closing, &s.Closing}, {p.pick([]string{"CLAV"}), &s.Available}} {
		if b.at < 0 {
			continue
		}
		if err := p.balance(&h.balances[b.at], b.to); err != nil {
			return err
		}
	}
	return nil
}

// pick returns the first balance of the best code in the statement's currency, or -1.
func (p *parser) pick(codes []string) int {
	for _, code := range codes {
		for i, b := range p.head.balances {
			if b.code == code && (b.amount.noCurrency() || strings.EqualFold(b.amount.currency, string(p.head.statement.Currency))) {
				return i
			}
		}
	}
	return -1
}

// interim returns the first and the last interim balance, or -1.
func (p *parser) interim() (first, last int) {
	first, last = -1, -1
	for i, b := range p.head.balances {
		if b.code != "ITBD" {
			continue
		}
		if first < 0 {
			first = i
		}
		last = i
	}
	return first, last
}

// balance understands a balance. One that cannot be read fails the proof of its statement.
func (p *parser) balance(b *balance, to *ledger.Balance) error {
	// Lithuanian files print balances without a direction: they are what they look like.
	minor, fault := p.signed(b.amount, cmp.Or(b.direction, "CRDT"), p.head.statement.Currency, "balance "+b.code)
	if fault != nil {
		return p.unread.Note(p.file, fault, &p.head.statement.Unread)
	}
	on, fault := p.date(b.date, b.amount.line, "date of balance "+b.code)
	if fault != nil {
		return p.unread.Note(p.file, fault, &p.head.statement.Unread)
	}
	*to = ledger.Balance{Amount: ledger.Some(minor), On: on}
	return nil
}

func (p *parser) totals() {
	y, d := &p.head.summary, &p.head.statement.Declared
	c := p.head.statement.Currency
	for _, f := range []struct {
		count, sum string
		to         *ledger.Figure
	}{{y.entries.count, y.entries.sum, &d.Entries}, {y.credits.count, y.credits.sum, &d.Credits}, {y.debits.count, y.debits.sum, &d.Debits}} {
		f.to.Count = p.optional(f.count, 0)
		f.to.Sum = p.optional(f.sum, c.Exponent())
	}
	d.Net = p.optional(y.net.text, c.Exponent())
	if d.Net.Given && strings.EqualFold(y.netDirection, "DBIT") {
		d.Net.Minor = -d.Net.Minor
	}
}

// optional reads a declared figure. One that is no number declares nothing, and the file is told so.
func (p *parser) optional(text string, exponent int) ledger.Optional {
	if text == "" {
		return ledger.Optional{}
	}
	minor, err := ledger.ParseDecimal(padded(text), exponent)
	if err != nil {
		p.file.Warn("a total of TxsSummry is no number and was not compared: " + strconv.Quote(text))
		return ledger.Optional{}
	}
	return ledger.Some(minor)
}

// period is the range of days of FrToDt. An end at midnight is the end of the day before.
func (p *parser) period(from, to string) (ledger.Date, ledger.Date) {
	first, _, errFirst := dateOf(from)
	last, _, errLast := dateOf(to)
	if errFirst != nil || errLast != nil || last < first {
		return 0, 0
	}
	if len(to) > len("2006-01-02") && strings.HasPrefix(to[len("2006-01-02"):], "T00:00:00") && last > first {
		return first, last
	}
	// A report that ends during its last day says nothing about the rest of it.
	if p.message.role != witness.Statement && !strings.Contains(to, "T23:59") {
		if last == first {
			return 0, 0
		}
		return first, last
	}
	return first, last.AddDays(1)
}
