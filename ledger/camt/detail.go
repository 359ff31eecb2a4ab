package camt

import (
	"cmp"
	"errors"
	"io"
	"strconv"
	"strings"

	"agentrecon/ledger"
	"agentrecon/ledger/bankcode"
)

// detail is a TxDtls as printed.
type detail struct {
	line       int
	amount     amount // Amt, from version 03 on: what moved on the account
	txAmount   amount // AmtDtls/TxAmt: the same before version 03
	instructed amount // AmtDtls/InstdAmt: what the payer ordered, in whatever currency
	direction  string // its own; missing means that of the entry
	rate       string

	endToEnd    string // given by the payer, meant for the payee
	instruction string // given by the payer, meant for his bank
	tx          string // given by the first bank
	uetr        string // version 08 on
	mandate     string
	clearing    string // given by the clearing system
	payment     string // PmtInfId of the order
	servicerRef string // the account's bank, for this part

	debtor, creditor                 party
	ultimateDebtor, ultimateCreditor party

	remittance      []string // Ustrd and the free text of Strd, in order
	remittanceBytes int
	creditorRef     string
	document        string // number of an invoice
	info            string
	reason          string // of a return: AC01, AM04, MD06
	relatedDate     string

	domain, family, subFamily string
	proprietary               string
	charges                   charges
}

// party is one side of a payment.
type party struct {
	name         string
	agentAsParty string // from version 07 on a party may be a bank
	account      string // IBAN, or whatever number there is
	proxy        string // a telephone number or an address that stands for the account
	agent        string // BIC
	agentName    string // or the clearing number
}

// detail reads one TxDtls; the reader stands behind its start tag, and behind its end when it returns.
func (p *parser) detail(d *detail) error {
	outer := p.t.base
	p.t.rebase(len(p.t.stack))
	for {
		step, err := p.t.next()
		switch {
		case errors.Is(err, io.EOF):
			return p.fatal(io.ErrUnexpectedEOF)
		case err != nil:
			return p.fatal(err)
		case step == opened:
			if path := string(p.t.path); path == "chrgs/rcrd" || path == "chrgs" {
				d.charges.begin()
			}
		case len(p.t.stack) == p.t.base:
			p.t.rebase(outer)
			return nil
		default:
			if p.t.leaf {
				if err := d.field(p.t); err != nil {
					return p.fatal(err)
				}
			}
			p.t.drop()
		}
	}
}

// field takes a value of the detail. The paths are those of all versions: BIC became BICFI in 03, Nm moved
// into Pty in 07, UETR came in 08.
func (d *detail) field(t *tokens) error {
	v := t.value()
	// Elements may repeat (several structured remittances); the first is the one that is kept.
	first := func(to *string) { *to = cmp.Or(*to, v) }
	money := func(to *amount) {
		if to.text == "" {
			*to = amount{text: v, currency: t.attr("ccy"), line: t.line()}
		}
	}
	switch path := string(t.path); path {
	case "amt":
		money(&d.amount)
	case "amtdtls/txamt/amt":
		money(&d.txAmount)
	case "amtdtls/instdamt/amt":
		money(&d.instructed)
	case "amtdtls/txamt/ccyxchg/xchgrate", "amtdtls/instdamt/ccyxchg/xchgrate", "amtdtls/cntrvalamt/ccyxchg/xchgrate":
		first(&d.rate)
	case "cdtdbtind":
		d.direction = v
	case "refs/endtoendid":
		first(&d.endToEnd)
	case "refs/instrid":
		first(&d.instruction)
	case "refs/txid":
		first(&d.tx)
	case "refs/uetr":
		first(&d.uetr)
	case "refs/mndtid":
		first(&d.mandate)
	case "refs/clrsysref":
		first(&d.clearing)
	case "refs/pmtinfid":
		first(&d.payment)
	case "refs/acctsvcrref":
		first(&d.servicerRef)
	case "rmtinf/ustrd", "rmtinf/strd/addtlrmtinf":
		return d.remit(v)
	case "rmtinf/strd/cdtrrefinf/ref", "rmtinf/strd/cdtrrefinf/cdtrref":
		first(&d.creditorRef)
	case "rmtinf/strd/rfrddocinf/nb", "rmtinf/strd/rfrddocinf/rfrddocnb":
		first(&d.document)
	case "addtltxinf":
		first(&d.info)
	case "rtrinf/rsn/cd", "rtrinf/rsn/prtry":
		first(&d.reason)
	case "rltddts/intrbksttlmdt", "rltddts/accptncdttm", "rltddts/txdttm":
		first(&d.relatedDate)
	case "bktxcd/domn/cd":
		d.domain = v
	case "bktxcd/domn/fmly/cd":
		d.family = v
	case "bktxcd/domn/fmly/subfmlycd":
		d.subFamily = v
	case "bktxcd/prtry/cd":
		d.proprietary = v
	default:
		d.fieldOfParty(path, v)
		if rest, ok := strings.CutPrefix(path, "chrgs/"); ok {
			d.charges.field(rest, v, t)
		}
	}
	return nil
}

// remit adds a line of remittance information.
func (d *detail) remit(v string) error {
	if d.remittanceBytes += len(v); d.remittanceBytes > maxText {
		return refusal("remittance information longer than %d bytes in one detail", maxText)
	}
	if v != "" {
		d.remittance = append(d.remittance, v)
	}
	return nil
}

// fieldOfParty takes a value of one of the two sides.
func (d *detail) fieldOfParty(path, v string) {
	if rest, ok := strings.CutPrefix(path, "rltdpties/"); ok {
		for _, side := range []struct {
			element string
			to      *party
		}{{"dbtr", &d.debtor}, {"cdtr", &d.creditor}, {"ultmtdbtr", &d.ultimateDebtor}, {"ultmtcdtr", &d.ultimateCreditor}} {
			if inner, ok := strings.CutPrefix(rest, side.element); ok {
				side.to.field(inner, v)
			}
		}
		return
	}
	for _, side := range []struct {
		element string
		to      *party
	}{{"rltdagts/dbtragt/", &d.debtor}, {"rltdagts/cdtragt/", &d.creditor}} {
		inner, ok := strings.CutPrefix(path, side.element)
		if !ok {
			continue
		}
		switch inner {
		case "fininstnid/bicfi", "fininstnid/bic":
			side.to.agent = cmp.Or(side.to.agent, v)
		case "fininstnid/nm", "fininstnid/clrsysmmbid/mmbid", "fininstnid/nmandadr/nm", "fininstnid/cmbndid/nm":
			side.to.agentName = cmp.Or(side.to.agentName, v)
		}
	}
}

func (y *party) field(path, v string) {
	switch path {
	case "/nm", "/pty/nm":
		y.name = cmp.Or(y.name, v)
	case "/agt/fininstnid/nm":
		y.agentAsParty = cmp.Or(y.agentAsParty, v)
	case "acct/id/iban", "acct/id/othr/id", "acct/id/prtryacct/id", "acct/id/bban":
		y.account = cmp.Or(y.account, account(v))
	case "acct/prxy/id":
		y.proxy = cmp.Or(y.proxy, v)
	}
}

// details puts the details into the entry: one belongs to it, several are its children.
func (p *parser) details(raw *rawEntry, e *ledger.Entry) {
	switch len(raw.details) {
	case 0: // the entry says all there is
	case 1:
		d := raw.details[0]
		p.explain(d, e)
		e.ProviderID = cmp.Or(e.ProviderID, given(d.servicerRef))
		if d.direction != "" && isDebit(d.direction) != isDebit(raw.direction) {
			e.Warnings = append(e.Warnings, ledger.WarnChildDirection)
		}
		p.original(d, e)
	default:
		p.children(raw, e)
	}
	p.charge(raw, e)
}

// explain gives an entry, or a child, the references and the counterparty of a detail.
func (p *parser) explain(d *detail, e *ledger.Entry) {
	e.EndToEndID, e.InstructionID = given(d.endToEnd), given(d.instruction)
	e.TransactionID = cmp.Or(given(d.tx), given(d.clearing))
	// A UUID is the same in either case; a key to join by has to be one.
	e.UETR, e.MandateID = strings.ToLower(given(d.uetr)), given(d.mandate)
	e.CreditorReference, e.MerchantReference = given(d.creditorRef), given(d.document)
	e.GroupID = cmp.Or(e.GroupID, given(d.payment))
	e.ReturnReason = d.reason
	e.RemittanceText = cmp.Or(strings.Join(d.remittance, " "), d.info)
	e.FXRate = d.rate
	other, ultimate := p.counterparty(d, e)
	e.CounterpartyName = cmp.Or(other.name, ultimate.name, other.agentAsParty)
	e.CounterpartyAccount = cmp.Or(other.account, other.proxy)
	e.CounterpartyAgent = cmp.Or(other.agent, other.agentName)
}

// counterparty is the side that is not the account's holder. A reversal and a return keep the sides of the
// payment they take back, so an account number decides before the direction does.
func (p *parser) counterparty(d *detail, e *ledger.Entry) (other, ultimate *party) {
	own := p.file.Statement().AccountID
	payer := e.Amount >= 0 // of money that came in, the other side is the debtor
	switch {
	case own != "" && d.creditor.account == own && d.debtor.account != own:
		payer = true
	case own != "" && d.debtor.account == own && d.creditor.account != own:
		payer = false
	case e.Reversal || d.reason != "":
		payer = !payer
	}
	if payer {
		other, ultimate = &d.debtor, &d.ultimateDebtor
	} else {
		other, ultimate = &d.creditor, &d.ultimateCreditor
	}
	return other, ultimate
}

// moved is the detail's amount on this account: Amt from version 03 on, TxAmt before.
func (d *detail) moved() amount {
	for _, a := range []amount{d.amount, d.txAmount, d.instructed} {
		if a.text != "" {
			return a
		}
	}
	return amount{}
}

// original keeps what the payer or payee saw, if that was another currency.
func (p *parser) original(d *detail, e *ledger.Entry) {
	for _, a := range []amount{d.instructed, d.txAmount, d.amount} {
		if a.text == "" || a.currency == string(e.Currency) {
			continue
		}
		c, err := ledger.ParseCurrency(a.currency)
		if err != nil || c == e.Currency {
			continue
		}
		minor, err := ledger.ParseDecimal(padded(a.text), c.Exponent())
		if err != nil {
			continue // banks print nonsense here, and nothing rests on it
		}
		if e.Amount < 0 {
			minor = -minor
		}
		e.OrigAmount, e.OrigCurrency = ledger.Some(minor), c
		return
	}
}

// children makes the details of a batch entry its children and compares their sum with it.
func (p *parser) children(raw *rawEntry, e *ledger.Entry) {
	e.Children = make([]ledger.Entry, len(raw.details))
	var sum int64
	whole, turned := true, false
	for i, d := range raw.details {
		child := &e.Children[i]
		child.Line, child.Locator = d.line, e.Locator+"/"+p.t.shown("ntrydtls")+"/"+p.t.shown("txdtls")+"["+strconv.Itoa(i+1)+"]"
		child.Reversal, child.StatusRaw = e.Reversal, e.StatusRaw
		child.Currency, child.GroupID = e.Currency, e.GroupID
		direction := cmp.Or(d.direction, raw.direction)
		turned = turned || isDebit(direction) != isDebit(raw.direction)
		// A child in another currency, or without an amount, leaves nothing to compare.
		same := p.childAmount(d, child, direction)
		whole = whole && same
		if same {
			sum += child.Amount
		}
		p.explain(d, child)
		child.ProviderID, child.BankID = given(d.servicerRef), true
		child.KindRaw = (&rawEntry{domain: d.domain, family: d.family, subFamily: d.subFamily, proprietary: d.proprietary}).code()
		child.Kind = kindOf(child, d.domain, d.family, d.subFamily, d.proprietary)
		p.original(d, child)
	}
	if whole && sum != e.Amount {
		e.Warnings = append(e.Warnings, ledger.WarnChildSum)
	}
	if turned {
		e.Warnings = append(e.Warnings, ledger.WarnChildDirection)
	}
}

// childAmount reads the amount of a child. It reports whether it is one in the entry's currency.
func (p *parser) childAmount(d *detail, child *ledger.Entry, direction string) bool {
	a := d.moved()
	c := child.Currency
	if parsed, err := ledger.ParseCurrency(a.currency); err == nil {
		c = parsed
	}
	minor, err := ledger.ParseDecimal(padded(a.text), c.Exponent())
	if err != nil {
		child.Warnings = append(child.Warnings, ledger.WarnChildAmount)
		return false
	}
	if isDebit(direction) {
		minor = -minor
	}
	same := c == child.Currency
	child.Amount, child.Currency = minor, c
	if child.Reversal && p.options.ReversalsInverted {
		child.Amount = -minor
	}
	return same
}

// charge derives gross and fee where the charges lead from one to the other: the entry is what moved, so it
// is the net (OCA bank-statement-import 976).
func (p *parser) charge(raw *rawEntry, e *ledger.Entry) {
	list, total := raw.charges.list, raw.charges.total
	var single *detail
	if len(raw.details) == 1 {
		single = raw.details[0]
		list = append(list, single.charges.list...)
		total = cmp.Or(total, single.charges.total)
	}
	// What moved is after charges, so they lead from the gross to it; if they do not, they were booked apart.
	fee, included, ok := sumCharges(list, total, e.Currency)
	if !ok || fee == 0 {
		return
	}
	gross := e.Amount + fee
	explained := false
	if single != nil {
		a := single.moved()
		minor, err := ledger.ParseDecimal(padded(a.text), e.Currency.Exponent())
		explained = err == nil && strings.EqualFold(a.currency, string(e.Currency)) && minor == max(gross, -gross)
	}
	if !explained && !included {
		e.Warnings = append(e.Warnings, ledger.WarnCharges)
		return
	}
	e.Gross, e.Fee, e.Net = ledger.Some(gross), ledger.Some(fee), ledger.Some(e.Amount)
}

// sumCharges adds charges up; what the holder pays is positive. It reports false if one is in another currency.
func sumCharges(list []charge, total amount, c ledger.Currency) (fee int64, included, ok bool) {
	counted := 0
	for _, one := range list {
		if one.amount.text == "" {
			continue
		}
		minor, err := ledger.ParseDecimal(padded(one.amount.text), c.Exponent())
		if err != nil || (one.amount.currency != "" && !strings.EqualFold(one.amount.currency, string(c))) {
			return 0, false, false
		}
		if strings.EqualFold(one.direction, "CRDT") {
			minor = -minor
		}
		fee += minor
		included = included || one.included
		counted++
	}
	if counted == 0 && total.text != "" && strings.EqualFold(total.currency, string(c)) {
		minor, err := ledger.ParseDecimal(padded(total.text), c.Exponent())
		return minor, false, err == nil
	}
	return fee, included, counted > 0
}

// kind is what an entry is for, by its own code and by that of its only detail.
func (e *rawEntry) kind(entry *ledger.Entry) ledger.Kind {
	kind := kindOf(entry, e.domain, e.family, e.subFamily, e.proprietary)
	if kind == "" && len(e.details) == 1 {
		d := e.details[0]
		kind = kindOf(entry, d.domain, d.family, d.subFamily, d.proprietary)
	}
	return kind
}

// kindOf settles a kind by the signs of a return and a reversal, then by the codes; empty: none of them.
func kindOf(e *ledger.Entry, domain, family, sub, proprietary string) ledger.Kind {
	switch {
	case e.ReturnReason != "":
		return ledger.KindReturn
	case e.Reversal:
		return ledger.KindReversal
	default:
		return cmp.Or(bankcode.ISO(domain, family, sub), bankcode.DK(proprietary))
	}
}
