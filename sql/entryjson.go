package sql

import (
	"encoding/json"
	"time"

	"agentrecon/ledger"
)

// detailsJSON is what only some formats know of an entry: one column, for it is seldom given and never selected by.
type detailsJSON struct {
	Locator           string          `json:"locator,omitempty"`
	StatementID       string          `json:"statement_id,omitempty"`
	KindRaw           string          `json:"kind_raw,omitempty"`
	StatusRaw         string          `json:"status_raw,omitempty"`
	Reversal          bool            `json:"reversal,omitempty"`
	OrigAmount        *int64          `json:"orig_amount,omitempty"`
	OrigCurrency      ledger.Currency `json:"orig_currency,omitempty"`
	FXRate            string          `json:"fx_rate,omitempty"`
	UETR              string          `json:"uetr,omitempty"`
	TransactionID     string          `json:"transaction_id,omitempty"`
	BankID            bool            `json:"bank_id,omitempty"`
	InstructionID     string          `json:"instruction_id,omitempty"`
	MandateID         string          `json:"mandate_id,omitempty"`
	CreditorReference string          `json:"creditor_reference,omitempty"`
	EntryReference    string          `json:"entry_reference,omitempty"`
	CounterpartyAgent string          `json:"counterparty_agent,omitempty"`
	ReturnReason      string          `json:"return_reason,omitempty"`
	ParentID          string          `json:"parent_id,omitempty"`
	Warnings          []string        `json:"warnings,omitempty"`
	Children          []childJSON     `json:"children,omitempty"`
}

// childJSON is a payment inside a batch entry. It is no row of its own, for it never counts in a balance or a sum.
type childJSON struct {
	ID                  string          `json:"entry_id,omitempty"`
	ProviderID          string          `json:"provider_id,omitempty"`
	AccountID           string          `json:"account_id,omitempty"`
	BookedOn            string          `json:"booked_on,omitempty"`
	ValueOn             string          `json:"value_on,omitempty"`
	OccurredAt          *time.Time      `json:"occurred_at,omitempty"`
	Amount              int64           `json:"amount"`
	Currency            ledger.Currency `json:"currency"`
	Gross               *int64          `json:"gross,omitempty"`
	Fee                 *int64          `json:"fee,omitempty"`
	Net                 *int64          `json:"net,omitempty"`
	Kind                ledger.Kind     `json:"kind,omitempty"`
	Status              ledger.Status   `json:"status,omitempty"`
	CounterpartyName    string          `json:"counterparty_name,omitempty"`
	CounterpartyAccount string          `json:"counterparty_account,omitempty"`
	EndToEndID          string          `json:"end_to_end_id,omitempty"`
	IdempotencyKey      string          `json:"idempotency_key,omitempty"`
	MerchantReference   string          `json:"merchant_reference,omitempty"`
	RemittanceText      string          `json:"remittance_text,omitempty"`
	OriginalProviderID  string          `json:"original_provider_id,omitempty"`
	GroupID             string          `json:"group_id,omitempty"`
	Line                int             `json:"line,omitempty"`
	Details             *detailsJSON    `json:"details,omitempty"`
}

// hasDetails reports whether an entry has anything for the details column.
func hasDetails(e *ledger.Entry) bool {
	return e.Locator != "" || e.StatementID != "" || e.KindRaw != "" || e.StatusRaw != "" || e.Reversal || e.OrigAmount.Given ||
		e.OrigCurrency != "" || e.FXRate != "" || e.UETR != "" || e.TransactionID != "" || e.BankID || e.InstructionID != "" || e.MandateID != "" ||
		e.CreditorReference != "" || e.EntryReference != "" || e.CounterpartyAgent != "" || e.ReturnReason != "" || e.ParentID != "" ||
		len(e.Warnings) > 0 || len(e.Children) > 0
}

func encodeDetails(e *ledger.Entry) ([]byte, error) { return json.Marshal(detailsOf(e)) }

func detailsOf(e *ledger.Entry) *detailsJSON {
	if !hasDetails(e) {
		return nil
	}
	d := &detailsJSON{
		Locator: e.Locator, StatementID: e.StatementID, KindRaw: e.KindRaw, StatusRaw: e.StatusRaw, Reversal: e.Reversal,
		OrigAmount: given(e.OrigAmount), OrigCurrency: e.OrigCurrency, FXRate: e.FXRate, UETR: e.UETR, TransactionID: e.TransactionID, BankID: e.BankID,
		InstructionID: e.InstructionID, MandateID: e.MandateID, CreditorReference: e.CreditorReference, EntryReference: e.EntryReference,
		CounterpartyAgent: e.CounterpartyAgent, ReturnReason: e.ReturnReason, ParentID: e.ParentID, Warnings: e.Warnings,
	}
	for n := range e.Children {
		d.Children = append(d.Children, childOf(&e.Children[n]))
	}
	return d
}

func childOf(e *ledger.Entry) childJSON {
	c := childJSON{
		ID: e.ID, ProviderID: e.ProviderID, AccountID: e.AccountID, BookedOn: e.BookedOn.String(), ValueOn: e.ValueOn.String(),
		Amount: e.Amount, Currency: e.Currency, Gross: given(e.Gross), Fee: given(e.Fee), Net: given(e.Net), Kind: e.Kind, Status: e.Status,
		CounterpartyName: e.CounterpartyName, CounterpartyAccount: e.CounterpartyAccount, EndToEndID: e.EndToEndID,
		IdempotencyKey: e.IdempotencyKey, MerchantReference: e.MerchantReference, RemittanceText: e.RemittanceText,
		OriginalProviderID: e.OriginalProviderID, GroupID: e.GroupID, Line: e.Line, Details: detailsOf(e),
	}
	if !e.OccurredAt.IsZero() {
		at := e.OccurredAt.UTC()
		c.OccurredAt = &at
	}
	return c
}

// decodeDetails adds the details column to an entry.
func decodeDetails(raw []byte, e *ledger.Entry) error {
	var d detailsJSON
	if err := json.Unmarshal(raw, &d); err != nil {
		return err
	}
	return d.into(e)
}

func (d *detailsJSON) into(e *ledger.Entry) error {
	e.Locator, e.StatementID, e.KindRaw, e.StatusRaw, e.Reversal = d.Locator, d.StatementID, d.KindRaw, d.StatusRaw, d.Reversal
	e.OrigAmount, e.OrigCurrency, e.FXRate, e.UETR = optional(d.OrigAmount), d.OrigCurrency, d.FXRate, d.UETR
	e.TransactionID, e.BankID, e.InstructionID, e.MandateID = d.TransactionID, d.BankID, d.InstructionID, d.MandateID
	e.CreditorReference, e.EntryReference, e.CounterpartyAgent, e.ReturnReason = d.CreditorReference, d.EntryReference, d.CounterpartyAgent, d.ReturnReason
	e.ParentID, e.Warnings = d.ParentID, d.Warnings
	for n := range d.Children {
		child, err := d.Children[n].entry()
		if err != nil {
			return err
		}
		child.File = e.File
		e.Children = append(e.Children, child)
	}
	return nil
}

func (c *childJSON) entry() (ledger.Entry, error) {
	e := ledger.Entry{
		ID: c.ID, ProviderID: c.ProviderID, AccountID: c.AccountID, Amount: c.Amount, Currency: c.Currency, Gross: optional(c.Gross),
		Fee: optional(c.Fee), Net: optional(c.Net), Kind: c.Kind, Status: c.Status, CounterpartyName: c.CounterpartyName,
		CounterpartyAccount: c.CounterpartyAccount, EndToEndID: c.EndToEndID, IdempotencyKey: c.IdempotencyKey,
		MerchantReference: c.MerchantReference, RemittanceText: c.RemittanceText, OriginalProviderID: c.OriginalProviderID,
		GroupID: c.GroupID, Line: c.Line,
	}
	if c.OccurredAt != nil {
		e.OccurredAt = *c.OccurredAt
	}
	for _, date := range []struct {
		text string
		into *ledger.Date
	}{{c.BookedOn, &e.BookedOn}, {c.ValueOn, &e.ValueOn}} {
		if date.text == "" {
			continue
		}
		d, err := ledger.ParseDate(date.text)
		if err != nil {
			return e, err
		}
		*date.into = d
	}
	if c.Details == nil {
		return e, nil
	}
	return e, c.Details.into(&e)
}

func given(o ledger.Optional) *int64 {
	if !o.Given {
		return nil
	}
	return &o.Minor
}

func optional(n *int64) ledger.Optional {
	if n == nil {
		return ledger.Optional{}
	}
	return ledger.Some(*n)
}
