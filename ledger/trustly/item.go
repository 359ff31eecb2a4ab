package trustly

import (
	"cmp"
	"strings"
	"time"

	"agentrecon/ledger"
	"agentrecon/ledger/profile"
)

// fields are the places of values in a record; -1 where it has none.
type fields struct {
	id, created, original, reference, kind, status, processed, currency, amount int
	updated, trace, reason, batch, side, originalReference, provider, fee       int
	width                                                                       int
	settles                                                                     bool // what it shows is money, not only what was asked for
}

// The records of the two reports.
var (
	itemFields = fields{
		id: 1, created: 2, original: 3, reference: 9, kind: 10, status: 11, updated: 12, processed: 13, currency: 14, amount: 15,
		trace: 16, reason: 17, batch: 18, side: 19, originalReference: 20, provider: 21, fee: 22, width: 18, settles: true,
	}
	transactionFields = fields{
		id: 1, created: 2, original: 3, reference: 9, kind: 10, status: 11, processed: 12, currency: 13, amount: 14,
		updated: -1, trace: -1, reason: -1, batch: -1, side: -1, originalReference: -1, provider: 22, fee: -1, width: 15,
	}
)

// item hands on an item or a transaction.
func (t *reader) item(row profile.Row, f fields) error {
	if len(row.Cells) < f.width {
		return t.file.BadField(row.Line, "record", "", "too few fields; was the file cut?")
	}
	e := ledger.Entry{
		Line: row.Line, ProviderID: cell(row, f.id), GroupID: cell(row, f.trace), TransactionID: cell(row, f.provider),
		MerchantReference: cmp.Or(cell(row, f.originalReference), cell(row, f.reference)), RemittanceText: cell(row, f.reference),
		KindRaw:   strings.TrimSpace(cell(row, f.kind) + " " + cell(row, f.side)),
		StatusRaw: strings.TrimSpace(cell(row, f.status) + " " + cell(row, f.reason)),
	}
	t.classify(row, f, &e)
	if err := t.money(row, &e, f.currency, f.amount); err != nil {
		return err
	}
	gross := e.Amount
	if text := cell(row, f.fee); text != "" {
		fee, err := ledger.ParseDecimal(text, e.Currency.Exponent())
		if err != nil {
			return t.file.BadField(row.Line, "fee", text, "want an amount such as -1.63")
		}
		e.Amount += fee
		e.Gross, e.Fee, e.Net = ledger.Some(gross), ledger.Some(-fee), ledger.Some(e.Amount)
	}
	if err := t.when(row, &e, f.processed, f.updated, f.created); err != nil {
		return err
	}
	t.items++
	t.gross += gross
	if e.Status == ledger.StatusBooked {
		b := t.batch(e.GroupID)
		b.items++
		b.net += e.Amount
	}
	return t.file.Add(&e)
}

// classify tells what an item is for, and whether it is settled.
func (t *reader) classify(row profile.Row, f fields, e *ledger.Entry) {
	reason, side := cell(row, f.reason), cell(row, f.side)
	kind := cell(row, f.kind)
	e.Kind = ledger.KindPayment
	switch {
	case side == "Return" && (reason == "R07" || reason == "R08" || reason == "R10" || reason == "R29"): // the payer objects
		e.Kind = ledger.KindChargeback
	case side == "Return":
		e.Kind = ledger.KindReturn
	case side == "Refund" || kind == "Refund":
		e.Kind = ledger.KindRefund
	}
	if strings.HasPrefix(reason, "R") {
		e.ReturnReason = reason
	}
	switch e.Kind {
	case ledger.KindChargeback, ledger.KindReturn:
		e.OriginalProviderID = e.ProviderID // a return repeats the id of the sale
	case ledger.KindRefund:
		e.OriginalProviderID = cell(row, f.original)
	}
	switch {
	case !f.settles:
		e.Status = ledger.StatusInfo
	case e.GroupID == "":
		e.Status = ledger.StatusPending
	default:
		e.Status = ledger.StatusBooked
	}
}

// money reads a signed decimal and its currency.
func (t *reader) money(row profile.Row, e *ledger.Entry, currency, amount int) error {
	c, err := ledger.ParseCurrency(cell(row, currency))
	if err != nil {
		return t.file.BadField(row.Line, "currency", cell(row, currency), "not an ISO 4217 currency code such as EUR")
	}
	e.Currency = c
	if e.Amount, err = ledger.ParseDecimal(cell(row, amount), c.Exponent()); err != nil {
		return t.file.BadField(row.Line, "amount", cell(row, amount), "want an amount such as -3.10")
	}
	return nil
}

// when reads the first moment that is given.
func (t *reader) when(row profile.Row, e *ledger.Entry, places ...int) error {
	for _, i := range places {
		text := cell(row, i)
		if text == "" {
			continue
		}
		at, err := time.Parse(time.RFC3339Nano, text)
		if err != nil {
			return t.file.BadField(row.Line, "date", text, "want a moment such as 2026-02-02T05:21:11.237Z")
		}
		at = at.UTC().Truncate(time.Microsecond)
		e.OccurredAt, e.BookedOn = at, ledger.NewDate(at.Year(), at.Month(), at.Day())
		return nil
	}
	return t.file.BadField(row.Line, "date", "", "no date in the record")
}
