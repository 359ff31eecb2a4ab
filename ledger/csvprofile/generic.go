package csvprofile

import (
	"cmp"
	"io"
	"strings"
	"time"

	"agentrecon/ledger"
	"agentrecon/ledger/tabular"
)

// GenericProfile names the generic profile and its version.
const GenericProfile = "generic/1"

// Options are those of every ledger reader.
type Options = ledger.ReadOptions

// The columns of the generic profile, in the order of the documentation.
const (
	colEntryID = iota
	colProviderID
	colAccountID
	colBookedOn
	colValueOn
	colOccurredAt
	colAmount
	colCurrency
	colGross
	colFee
	colNet
	colKind
	colStatus
	colCounterpartyName
	colCounterpartyAccount
	colEndToEndID
	colIdempotencyKey
	colMerchantReference
	colRemittanceText
	colOriginalProviderID
	colGroupID
	colOrigAmount
	colOrigCurrency
)

var genericColumns = []tabular.Column{
	colEntryID:             {Name: "entry_id"},
	colProviderID:          {Name: "provider_id"},
	colAccountID:           {Name: "account_id"},
	colBookedOn:            {Name: "booked_on"},
	colValueOn:             {Name: "value_on"},
	colOccurredAt:          {Name: "occurred_at"},
	colAmount:              {Name: "amount", Required: true},
	colCurrency:            {Name: "currency", Required: true},
	colGross:               {Name: "gross"},
	colFee:                 {Name: "fee"},
	colNet:                 {Name: "net"},
	colKind:                {Name: "kind"},
	colStatus:              {Name: "status"},
	colCounterpartyName:    {Name: "counterparty_name"},
	colCounterpartyAccount: {Name: "counterparty_account"},
	colEndToEndID:          {Name: "end_to_end_id"},
	colIdempotencyKey:      {Name: "idempotency_key"},
	colMerchantReference:   {Name: "merchant_reference"},
	colRemittanceText:      {Name: "remittance_text"},
	colOriginalProviderID:  {Name: "original_provider_id"},
	colGroupID:             {Name: "group_id"},
	colOrigAmount:          {Name: "orig_amount"},
	colOrigCurrency:        {Name: "orig_currency"},
}

// GenericColumns returns the names of the generic profile's columns.
func GenericColumns() []string {
	names := make([]string, len(genericColumns))
	for i, c := range genericColumns {
		names[i] = c.Name
	}
	return names
}

// Read reads a file of the generic profile, CSV or JSON Lines; it is a [ledger.ReadFunc]. An entry whose
// entry_id was there before in the file with the same content is the same row again: it counts as a row
// of the file but is not handed on, so SourceFile.Rows less the counts of SourceFile.Totals is how many.
// Other content under the same entry_id refuses both lines.
//
// Faults are a [*ledger.BadRows], a [*tabular.FileError], or an error of reading or of each.
func Read(name string, r io.Reader, options Options, each func(*ledger.Entry) error) (ledger.SourceFile, error) {
	g := &generic{options: options, account: newTally()}
	table := tabular.Options{Columns: g.columns()}
	start := tabular.Start(r)
	reader, err := tabular.NewReader(name, r, table)
	if err != nil {
		return ledger.SourceFile{}, err
	}
	if !reader.Has(colBookedOn) && !reader.Has(colOccurredAt) {
		return ledger.SourceFile{}, reader.HeaderError("one of the columns booked_on and occurred_at is required")
	}
	end, err := reader.Scan(func(row *tabular.Row) error { return g.row(row, each) })
	if err != nil {
		return ledger.SourceFile{}, g.once.Explain(err, start, r, table, func(row *tabular.Row) tabular.Content {
			g.decode(row)
			return g.content()
		})
	}
	return g.account.source(name, end, options)
}

// generic reads rows of the generic profile.
type generic struct {
	options Options
	entry   ledger.Entry // reused
	ids     ledger.Identities
	once    tabular.Once
	buf     tabular.Content // reused
	key     []byte          // reused
	account *tally
}

// columns are the generic ones; a default currency makes that column optional.
func (g *generic) columns() []tabular.Column {
	if g.options.DefaultCurrency == "" {
		return genericColumns
	}
	columns := append([]tabular.Column(nil), genericColumns...)
	columns[colCurrency].Required = false
	return columns
}

func (g *generic) row(row *tabular.Row, each func(*ledger.Entry) error) error {
	g.decode(row)
	if err := row.Err(); err != nil {
		return err
	}
	given := g.entry.ID != ""
	g.ids.Identify(&g.entry) // the stages of a movement are entries of their own
	if given {
		g.key = append(g.key[:0], g.entry.ID...)
		repeat, err := g.once.See(row, colEntryID, g.key, g.content())
		if err != nil || repeat {
			return err
		}
	}
	if err := g.account.add(&g.entry); err != nil {
		return err
	}
	return each(&g.entry)
}

// decode reads a row into the reused entry. Faults stay with the row.
func (g *generic) decode(row *tabular.Row) {
	e := &g.entry
	*e = ledger.Entry{} // and in place, for an entry is large
	e.ID = key(row, colEntryID)
	e.ProviderID = key(row, colProviderID)
	e.AccountID = row.ID(colAccountID)
	e.BookedOn = row.Date(colBookedOn)
	e.ValueOn = row.Date(colValueOn)
	e.OccurredAt = row.Instant(colOccurredAt)
	e.Currency = row.Currency(colCurrency)
	e.Kind = cmp.Or(tabular.OneOf(row, colKind, ledger.Kinds), ledger.KindPayment)
	e.Status = cmp.Or(tabular.OneOf(row, colStatus, ledger.Statuses), ledger.StatusBooked)
	e.CounterpartyName = row.Text(colCounterpartyName)
	e.CounterpartyAccount = row.ID(colCounterpartyAccount)
	e.EndToEndID = key(row, colEndToEndID)
	e.IdempotencyKey = key(row, colIdempotencyKey)
	e.MerchantReference = key(row, colMerchantReference)
	e.RemittanceText = row.Text(colRemittanceText)
	e.OriginalProviderID = key(row, colOriginalProviderID)
	e.GroupID = key(row, colGroupID)
	e.OrigCurrency = row.Currency(colOrigCurrency)
	e.File = row.File()
	e.Line = row.Line()
	if e.AccountID == "" {
		e.AccountID = g.options.Account
	}
	if e.Currency == "" {
		e.Currency, e.Warnings = g.options.DefaultCurrency, currencyAssumed
		row.Need(colCurrency, string(e.Currency))
	}
	if e.BookedOn.IsZero() {
		e.BookedOn = g.dateOf(row, e.OccurredAt)
	}
	amounts(row, e)
}

var currencyAssumed = []string{ledger.WarnCurrencyAssumed}

// dateOf is the day an instant fell on where the account is kept.
func (g *generic) dateOf(row *tabular.Row, t time.Time) ledger.Date {
	if t.IsZero() {
		row.RefuseRow("booked_on and occurred_at are both empty, every row needs one of them")
		return 0
	}
	zone := g.options.Zone
	if zone == nil {
		zone = time.UTC
	}
	return ledger.DateOf(t, zone)
}

// key returns a join key. The words that banks write where there is none are none.
func key(row *tabular.Row, column int) string {
	s := row.ID(column)
	if len(s) == len("NOTPROVIDED") && strings.EqualFold(s, "NOTPROVIDED") ||
		len(s) == len("NONREF") && strings.EqualFold(s, "NONREF") {
		return ""
	}
	return s
}

// content is what the entry says, whatever way it was written.
func (g *generic) content() tabular.Content {
	e := &g.entry
	c := g.buf[:0].
		Text(colEntryID, e.ID).Text(colProviderID, e.ProviderID).Text(colAccountID, e.AccountID).
		Int(colBookedOn, int64(e.BookedOn)).Int(colValueOn, int64(e.ValueOn)).
		Int(colAmount, e.Amount).Text(colCurrency, string(e.Currency)).
		Text(colKind, string(e.Kind)).Text(colStatus, string(e.Status)).
		Text(colCounterpartyName, e.CounterpartyName).Text(colCounterpartyAccount, e.CounterpartyAccount).
		Text(colEndToEndID, e.EndToEndID).Text(colIdempotencyKey, e.IdempotencyKey).
		Text(colMerchantReference, e.MerchantReference).Text(colRemittanceText, e.RemittanceText).
		Text(colOriginalProviderID, e.OriginalProviderID).Text(colGroupID, e.GroupID).
		Text(colOrigCurrency, string(e.OrigCurrency))
	if !e.OccurredAt.IsZero() {
		c = c.Int(colOccurredAt, e.OccurredAt.UnixMicro())
	}
	for i, amount := range [...]ledger.Optional{e.Gross, e.Fee, e.Net} {
		if amount.Given {
			c = c.Int(colGross+i, amount.Minor)
		}
	}
	if e.OrigAmount.Given {
		c = c.Int(colOrigAmount, e.OrigAmount.Minor)
	}
	g.buf = c
	return c
}
