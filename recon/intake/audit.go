package intake

import (
	"io"

	"agentrecon/ledger/tabular"
	"agentrecon/recon"
)

const (
	auditRecorded = iota
	auditSession
	auditAmount
	auditCurrency
	auditSource
	auditDest
	auditRef
)

var auditColumns = []tabular.Column{
	auditRecorded: {Name: "recorded_at", Required: true},
	auditSession:  {Name: "session_id", Required: true},
	auditAmount:   {Name: "amount_cents", Required: true},
	auditCurrency: {Name: "currency"},
	auditSource:   {Name: "source_account"},
	auditDest:     {Name: "dest_account"},
	auditRef:      {Name: "ref"},
}

// Audit reads a file of audit rows. They have no identity, so none is ever a repeat; [Collapse] makes
// attempts of them.
func Audit(name string, r io.Reader, options Options, each func(recon.AuditRow) error) (Summary, error) {
	a := &file{name: name, population: "audit", options: options, columns: auditColumns}
	return a.scan(r, func(row *tabular.Row) error {
		minor, currency := a.money(row, auditAmount, auditCurrency)
		audit := recon.AuditRow{
			RecordedAt:    row.Instant(auditRecorded),
			SessionID:     row.Need(auditSession, row.ID(auditSession)),
			Minor:         minor,
			Currency:      currency,
			SourceAccount: row.ID(auditSource),
			DestAccount:   row.ID(auditDest),
			Reference:     row.Text(auditRef),
			Line:          row.Line(),
		}
		row.Need(auditRecorded, row.Field(auditRecorded))
		if err := row.Err(); err != nil {
			return err
		}
		if err := a.count(row, minor, currency, auditCurrency); err != nil {
			return err
		}
		return each(audit)
	}, nil)
}
