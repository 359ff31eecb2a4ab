package camt

import (
	"cmp"
	"errors"
	"io"
	"strconv"
	"strings"

	"agentrecon/ledger"
)

// rawEntry is an Ntry as printed. It is collected first and understood when it is complete, for the meaning
// of a part may hang on one that comes later: a detail's direction, the currency of a charge.
type rawEntry struct {
	line        int // of the start tag
	amount      amount
	direction   string // CRDT or DBIT
	reversal    string
	status      string // code, whatever element it stands in
	booked      string
	valued      string
	servicerRef string // the bank's own id: the only one that is one
	ref         string
	domain      string // ISO bank transaction code, in three parts
	family      string
	subFamily   string
	proprietary string // the bank's own code
	info        string
	batchID     string // PmtInfId of the order the batch was
	batchMsg    string // MsgId of the file it came in
	charges     charges
	details     []*detail
}

// charges are the charges of an entry or a detail. Up to version 02 each is a Chrgs, from 03 on a Chrgs/Rcrd;
// begin is called for either, and one that stays empty counts nothing.
type charges struct {
	list  []charge
	total amount // TtlChrgsAndTaxAmt, which counts only if there is no list
}

type charge struct {
	amount    amount
	direction string
	included  bool // the entry's amount is after the charge
}

// maxCharges bounds the charges of one entry or detail.
const maxCharges = 1000

// entry reads one Ntry; the reader stands behind its start tag, and behind its end when it returns, with the
// element still on the stack.
func (p *parser) entry() error {
	// From here on paths begin below Ntry, so that they are the same in a report and in a notification.
	outer := p.t.base
	p.t.rebase(len(p.t.stack))
	p.entries++
	raw := rawEntry{line: p.t.line()}
	for {
		step, err := p.t.next()
		switch {
		case errors.Is(err, io.EOF):
			return p.fatal(io.ErrUnexpectedEOF)
		case err != nil:
			return p.fatal(err)
		// Wherever it stands: version 01 has it in Ntry itself, later ones in NtryDtls.
		case step == opened && p.t.innermost() == "txdtls":
			if len(raw.details) == maxChildren {
				return p.fatal(refusal("more than %d details in one entry", maxChildren))
			}
			d := &detail{line: p.t.line()}
			raw.details = append(raw.details, d)
			if err := p.detail(d); err != nil {
				return err
			}
			p.t.drop()
		case step == opened:
			if path := string(p.t.path); path == "chrgs/rcrd" || path == "chrgs" {
				raw.charges.begin()
			}
		case len(p.t.stack) == p.t.base:
			p.t.rebase(outer)
			return p.finish(&raw)
		default:
			if p.t.leaf {
				raw.field(p.t)
			}
			p.t.drop()
		}
	}
}

// field takes a value of the entry itself.
func (e *rawEntry) field(t *tokens) {
	v := t.value()
	switch path := string(t.path); path {
	case "amt":
		e.amount = amount{text: v, currency: t.attr("ccy"), line: t.line()}
	case "cdtdbtind":
		e.direction = v
	case "rvslind":
		e.reversal = v
	// Up to version 06 the status is the text itself.
	case "sts", "sts/cd", "sts/prtry":
		e.status = cmp.Or(v, e.status)
	case "bookgdt/dt", "bookgdt/dttm", "bookgdt":
		e.booked = cmp.Or(e.booked, v)
	case "valdt/dt", "valdt/dttm", "valdt":
		e.valued = cmp.Or(e.valued, v)
	case "acctsvcrref":
		e.servicerRef = v
	case "ntryref":
		e.ref = v
	case "bktxcd/domn/cd":
		e.domain = v
	case "bktxcd/domn/fmly/cd":
		e.family = v
	case "bktxcd/domn/fmly/subfmlycd":
		e.subFamily = v
	case "bktxcd/prtry/cd":
		e.proprietary = v
	case "addtlntryinf":
		e.info = v
	case "ntrydtls/btch/pmtinfid", "btch/pmtinfid":
		e.batchID = cmp.Or(e.batchID, v)
	case "ntrydtls/btch/msgid", "btch/msgid":
		e.batchMsg = cmp.Or(e.batchMsg, v)
	default:
		if rest, ok := strings.CutPrefix(path, "chrgs/"); ok {
			e.charges.field(rest, v, t)
		}
	}
}

func (c *charges) begin() {
	if len(c.list) < maxCharges {
		c.list = append(c.list, charge{})
	}
}

func (c *charges) field(path, v string, t *tokens) {
	if path == "ttlchrgsandtaxamt" {
		c.total = amount{text: v, currency: t.attr("ccy"), line: t.line()}
		return
	}
	if len(c.list) == 0 {
		return
	}
	last := &c.list[len(c.list)-1]
	switch strings.TrimPrefix(path, "rcrd/") {
	case "amt":
		last.amount = amount{text: v, currency: t.attr("ccy"), line: t.line()}
	case "cdtdbtind":
		last.direction = v
	case "chrginclind":
		last.included = isTrue(v)
	}
}

// finish turns what was printed into an entry and hands it on.
func (p *parser) finish(raw *rawEntry) error {
	e := &ledger.Entry{
		Line: raw.line, Locator: p.place + "/" + p.t.shown("ntry") + "[" + strconv.Itoa(p.entries) + "]",
		// NtryRef is no id: some banks count from 1 in every statement, PostFinance prints the agreement.
		ProviderID: given(raw.servicerRef), BankID: true, EntryReference: given(raw.ref),
		StatusRaw: raw.status, Reversal: isTrue(raw.reversal),
		KindRaw: raw.code(),
		GroupID: cmp.Or(given(raw.batchID), given(raw.batchMsg)),
	}
	raw.directionOfDetails()
	if fault := p.money(raw, e); fault != nil {
		return p.file.Bad(fault)
	}
	if fault := p.dates(raw, e); fault != nil {
		return p.file.Bad(fault)
	}
	p.status(raw, e)
	p.details(raw, e)
	e.RemittanceText = cmp.Or(e.RemittanceText, raw.info)
	e.Kind = raw.kind(e)
	return p.hand(e)
}

// directionOfDetails gives an entry without a direction that of its details, if they agree.
func (e *rawEntry) directionOfDetails() {
	if e.direction != "" || len(e.details) == 0 {
		return
	}
	first := e.details[0].direction
	for _, d := range e.details {
		if d.direction != first {
			return
		}
	}
	e.direction = first
}

// hand gives an entry away; what is wrong with it alone goes on the list.
func (p *parser) hand(e *ledger.Entry) error {
	err := p.file.Add(e)
	if fault, ok := err.(*ledger.RowError); ok { //nolint:errorlint // Add returns it bare
		return p.file.Bad(fault)
	}
	return err
}

// money reads amount, currency and direction.
func (p *parser) money(raw *rawEntry, e *ledger.Entry) *ledger.RowError {
	currency, fault := p.currency(raw.amount, raw.line, "Amt Ccy")
	if fault != nil {
		return fault
	}
	e.Currency = currency
	a := raw.amount
	a.line = raw.line
	minor, fault := p.signed(a, raw.direction, cmp.Or(currency, p.file.Statement().Currency, p.options.DefaultCurrency), "Amt")
	if fault != nil {
		return fault
	}
	// By the standard an amount has no sign; whoever prints one means it.
	if strings.HasPrefix(raw.amount.text, "-") {
		e.Warnings = append(e.Warnings, ledger.WarnNegativeAmount)
	}
	if e.Reversal && p.options.ReversalsInverted {
		minor = -minor
	}
	e.Amount = minor
	return nil
}

// dates reads the dates of an entry, which are calendar dates as printed: an offset beside them converts
// nothing. A pending entry often has none.
func (p *parser) dates(raw *rawEntry, e *ledger.Entry) *ledger.RowError {
	var fault *ledger.RowError
	if e.BookedOn, fault = p.date(raw.booked, raw.line, "BookgDt"); fault != nil {
		return fault
	}
	if e.ValueOn, fault = p.date(raw.valued, raw.line, "ValDt"); fault != nil {
		return fault
	}
	if len(raw.booked) > len("2006-01-02") {
		if t, err := ledger.ParseInstant(raw.booked); err == nil { // without an offset it is none
			e.OccurredAt = t
		}
	}
	if !e.BookedOn.IsZero() || !e.ValueOn.IsZero() {
		return nil
	}
	// Nothing at the entry: the details may know, and else the statement has a day.
	for _, d := range raw.details {
		if on, _, err := dateOf(d.relatedDate); err == nil && !on.IsZero() {
			e.BookedOn = on
			break
		}
	}
	if e.BookedOn.IsZero() {
		created, _, _ := dateOf(p.head.created) // one that cannot be read is none
		if e.BookedOn = cmp.Or(p.file.Statement().Closing.On, created); !e.BookedOn.IsZero() {
			e.Warnings = append(e.Warnings, ledger.WarnDateAssumed)
		}
	}
	return nil
}

// status maps the status codes, which are text up to version 06 and a choice from 07 on.
func (p *parser) status(raw *rawEntry, e *ledger.Entry) {
	switch strings.ToUpper(raw.status) {
	case "BOOK":
		e.Status = ledger.StatusBooked
	case "PDNG":
		e.Status = ledger.StatusPending
	case "INFO":
		e.Status = ledger.StatusInfo
	case "FUTR":
		e.Status = ledger.StatusExpected
	case "": // Lithuanian files have none, and foot only if such entries count
		e.Status = ledger.StatusBooked
		e.Warnings = append(e.Warnings, ledger.WarnStatusAssumed)
	default:
		e.Status = ledger.StatusUnknown
	}
}

// code is the bank's own word for what the entry is.
func (e *rawEntry) code() string {
	var code strings.Builder
	code.WriteString(e.domain)
	for _, part := range []string{e.family, e.subFamily} {
		if part != "" {
			code.WriteString("-" + part)
		}
	}
	if e.proprietary != "" && code.String() != "" {
		return code.String() + " " + e.proprietary
	}
	return code.String() + e.proprietary
}
