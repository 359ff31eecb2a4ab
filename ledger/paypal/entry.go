package paypal

import (
	"cmp"
	"fmt"
	"strings"

	"agentrecon/ledger"
	"agentrecon/ledger/profile"
	"agentrecon/ledger/tabular"
)

// kinds of the event codes, longest prefix first.
var kinds = []struct {
	prefix string
	kind   ledger.Kind
}{
	{"T1107", ledger.KindRefund},
	{"T1106", ledger.KindReversal},
	{"T1201", ledger.KindChargeback},
	{"T1202", ledger.KindChargebackReversal},
	{"T1110", ledger.KindReserveHold},
	{"T1111", ledger.KindReserveRelease},
	{"T00", ledger.KindPayment},
	{"T01", ledger.KindFee},
	{"T02", ledger.KindFX},
	{"T03", ledger.KindTopUp},
	{"T04", ledger.KindPayout},
	{"T08", ledger.KindAdjustment},
	{"T11", ledger.KindReversal},
	{"T12", ledger.KindAdjustment},
	{"T15", ledger.KindReserveHold},
	{"T20", ledger.KindTransfer},
	{"T21", ledger.KindReserveHold},
}

// statuses of the letters in a detail report; a settlement report has none, for all of it is settled. A payment
// that was reversed later (V) or refunded in part (F) did move, and what took it back is an entry of its own.
var statuses = map[string]ledger.Status{
	"": ledger.StatusBooked, "S": ledger.StatusBooked, "V": ledger.StatusBooked, "F": ledger.StatusBooked,
	"P": ledger.StatusPending, "D": ledger.StatusRejected,
}

// entry hands on one entry.
func (p *reader) entry(row profile.Row) error {
	if p.columns == nil || p.file.Statement() == nil {
		return &tabular.FileError{File: p.name, Line: row.Line, Reason: "an entry (SB) before its section (SH) and columns (CH); was the file cut?"}
	}
	p.entries[0]++
	p.entries[1]++
	e := ledger.Entry{
		Line: row.Line, ProviderID: p.field(row, "transaction id"), MerchantReference: p.field(row, "invoice id"),
		IdempotencyKey: p.field(row, "custom field"), KindRaw: p.field(row, "transaction event code"),
		StatusRaw: p.field(row, "transactional status"), RemittanceText: strings.TrimSpace(p.field(row, "transaction subject") + " " + p.field(row, "transaction note")),
		CounterpartyAccount: cmp.Or(p.field(row, "payer's account id"), p.field(row, "consumer id")), TransactionID: p.field(row, "payment tracking id"),
		GroupID: p.field(row, "bank reference id"), Kind: ledger.KindOther,
	}
	for _, k := range kinds {
		if strings.HasPrefix(e.KindRaw, k.prefix) {
			e.Kind = k.kind
			break
		}
	}
	if e.Kind != ledger.KindPayment {
		e.OriginalProviderID = p.field(row, "paypal reference id")
	}
	status, ok := statuses[e.StatusRaw]
	if !ok {
		return p.file.BadField(row.Line, "transactional status", e.StatusRaw, "want S, P, D, V or F")
	}
	if e.Status = status; strings.HasPrefix(e.KindRaw, "T13") {
		e.Status = ledger.StatusInfo // an authorisation moves nothing
	}
	if err := p.days(row, &e); err != nil {
		return err
	}
	return p.money(row, &e)
}

// days reads the dates as printed, and the instants that they name.
func (p *reader) days(row profile.Row, e *ledger.Entry) error {
	for _, column := range []string{"transaction completion date", "transaction initiation date"} {
		text := p.field(row, column)
		if text == "" {
			continue
		}
		t, err := moment(text)
		if err != nil {
			return p.file.BadField(row.Line, column, text, "want a time such as 2026/01/06 00:00:30 -0800")
		}
		e.BookedOn, e.OccurredAt = day(t), t.UTC()
		return nil
	}
	return p.file.BadField(row.Line, "transaction completion date", "", "empty, and the initiation date too")
}

// money reads gross and fee. A fee in another currency is an entry of its own.
func (p *reader) money(row profile.Row, e *ledger.Entry) error {
	code := p.field(row, "gross transaction currency")
	currency, err := ledger.ParseCurrency(code)
	if err != nil {
		return p.file.BadField(row.Line, "gross transaction currency", code, "not an ISO 4217 currency code such as EUR")
	}
	gross, err := p.signed(row, "gross transaction amount", "transaction debit or credit")
	if err != nil {
		return err
	}
	fee, err := p.signed(row, "fee amount", "fee debit or credit")
	if err != nil {
		return err
	}
	moved := e.Status == ledger.StatusBooked
	for _, s := range []sums{p.section, p.report} {
		s.add(code, moved, total{credits: max(gross, 0), debits: max(-gross, 0)})
		if fee != 0 {
			s.add(cmp.Or(p.field(row, "fee currency"), code), moved, total{feeCredits: max(fee, 0), feeDebits: max(-fee, 0)})
		}
	}
	e.Currency = currency
	own, ok1 := minor(gross, currency)
	cost, ok2 := minor(fee, currency)
	if feeCode := p.field(row, "fee currency"); fee != 0 && feeCode != "" && feeCode != code {
		return p.apart(row, e, own, fee, feeCode)
	}
	if !ok1 || !ok2 {
		return p.file.BadField(row.Line, "gross transaction amount", p.field(row, "gross transaction amount"), fmt.Sprintf("more decimals than %s has (%d)", currency, currency.Exponent()))
	}
	e.Amount = own + cost
	e.Gross, e.Fee, e.Net = ledger.Some(own), ledger.Some(-cost), ledger.Some(e.Amount)
	return p.file.Add(e)
}

// apart hands on an entry and its fee in another currency.
func (p *reader) apart(row profile.Row, e *ledger.Entry, gross, fee int64, code string) error {
	currency, err := ledger.ParseCurrency(code)
	if err != nil {
		return p.file.BadField(row.Line, "fee currency", code, "not an ISO 4217 currency code such as EUR")
	}
	cost, ok := minor(fee, currency)
	if !ok {
		return p.file.BadField(row.Line, "fee amount", p.field(row, "fee amount"), fmt.Sprintf("more decimals than %s has (%d)", currency, currency.Exponent()))
	}
	second := *e
	e.Amount = gross
	if err := p.file.Add(e); err != nil {
		return err
	}
	second.Amount, second.Currency, second.Kind, second.OriginalProviderID = cost, currency, ledger.KindFee, e.ProviderID
	return p.file.Add(&second)
}
