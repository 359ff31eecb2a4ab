package sql

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"agentrecon/ledger"
	"agentrecon/recon"
)

// AuditCall is a call made of the rows of an old audit table, one row a firing.
type AuditCall struct {
	Attempt recon.Attempt // as it is recorded if nothing else recorded the call
	Firings []time.Time   // every row's time, ascending
	Line    int           // of the first firing, from 1
}

// AuditSource reads an audit file; see [AttemptSource].
type AuditSource func(each func(call *AuditCall) error) (ledger.SourceFile, error)

// auditSlack is how far apart in time an audit call and the same call recorded otherwise may be.
const auditSlack = 60 * time.Second

var stagedFiring = []string{
	"line", "attempt_id", "session_id", "amount_cents", "dest_account", "ref", "proposed_at", "currency", "source_account",
	"id_source", "fired_at", "last_fired_at",
}

// ImportAudit imports the calls of an old audit table, all of them or nothing.
//
// A call is another recorder's view of a recorded attempt if the two agree in everything but time, are within a
// minute of each other, and nothing else fits either of them: then its firings are that attempt's deliveries. Every
// other call becomes an attempt of its own. The same rows again change nothing.
func (db *DB) ImportAudit(ctx context.Context, source AuditSource, options ImportOptions) (ImportResult, error) {
	return db.run(ctx, options, importer{
		population: "audit", stage: "audit_stage", table: "stage_audit", columns: stagedFiring, keys: "attempt_id, session_id, amount_cents, dest_account, ref",
		into: []string{"transfer_attempts", "hook_deliveries"},
		read: func(w *rowWriter) (ledger.SourceFile, error) {
			return source(func(call *AuditCall) error { return stageCall(w, call) })
		},
		merge: mergeAudit,
	})
}

func stageCall(w *rowWriter, call *AuditCall) error {
	a := &call.Attempt
	for _, fired := range call.Firings {
		if err := w.row(); err != nil {
			return err
		}
		w.int4(call.Line)
		w.text(a.ID)
		w.text(a.SessionID)
		w.int8(a.Minor)
		w.text(a.DestAccount)
		w.text(a.Reference)
		w.time(a.ProposedAt)
		w.text(string(a.Currency))
		w.text(a.SourceAccount)
		w.text(string(a.IDSource))
		w.time(fired)
		w.time(call.Firings[len(call.Firings)-1])
	}
	return w.badText(call.Line)
}

func mergeAudit(ctx context.Context, tx *pgx.Conn, _, _ int64, result *ImportResult) error {
	if _, err := tx.Exec(ctx, query("audit_match"), auditSlack); err != nil {
		return err
	}
	if err := simple(ctx, tx, "ANALYZE audit_matches"); err != nil {
		return err
	}
	attached := "SELECT count(*) FROM audit_matches WHERE NOT same_id"
	if err := tx.QueryRow(ctx, attached).Scan(&result.Attached); err != nil {
		return err
	}
	tag, err := tx.Exec(ctx, query("audit_insert"))
	if err != nil {
		return err
	}
	result.File.New = tag.RowsAffected()
	if _, err := tx.Exec(ctx, query("audit_firings")); err != nil {
		return err
	}
	result.Deliveries, err = mergeDeliveries(ctx, tx)
	return err
}
