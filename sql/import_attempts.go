package sql

import (
	"cmp"
	"context"

	"github.com/jackc/pgx/v5"

	"agentrecon/ledger"
	"agentrecon/recon"
)

// AttemptSource reads a file of attempts and hands on each row with its line; it stops at the first error of each
// and returns it. The attempt is read during the call only.
type AttemptSource func(each func(a *recon.Attempt, line int) error) (ledger.SourceFile, error)

var stagedAttempt = []string{
	"line", "attempt_id", "session_id", "amount_cents", "dest_account", "ref", "proposed_at", "currency", "source_account",
	"idempotency_key", "key_source", "id_source", "args_sha256", "tool", "harness", "agent_id", "turn_id", "host",
}

// ImportAttempts imports a file of attempts, all of it or nothing.
//
// An attempt that is there keeps its time. A row of it with another time is another firing of the hook and becomes a
// delivery; then the first firing gets a delivery row too. A row that says something else of it (both give a field,
// and differ) refuses the file with a [*ledger.BadRows].
func (db *DB) ImportAttempts(ctx context.Context, source AttemptSource, options ImportOptions) (ImportResult, error) {
	return db.run(ctx, options, importer{
		population: "attempts", stage: "attempts_stage", table: "stage_attempts", columns: stagedAttempt, keys: "attempt_id",
		into: []string{"transfer_attempts", "hook_deliveries"},
		read: func(w *rowWriter) (ledger.SourceFile, error) {
			return source(func(a *recon.Attempt, line int) error { return stageAttempt(w, a, line) })
		},
		merge:    mergeAttempts,
		straight: db.straightAttempts(source),
	})
}

// straightAttempts is how a first file of attempts goes straight into a throw-away database. A later row may show an
// earlier firing, which changes the attempt's time; elsewhere that is known before anything is recorded.
func (db *DB) straightAttempts(source AttemptSource) *straight {
	if !db.config.Throwaway {
		return nil
	}
	return &straight{
		table: "transfer_attempts", columns: stagedAttempt[1:],
		rejoin: func(ctx context.Context, tx *pgx.Conn) (int64, error) {
			tag, err := tx.Exec(ctx, query("attempts_unload"))
			return tag.RowsAffected(), err
		},
		read: func(w *rowWriter, held *heldRows, _ int64) (ledger.SourceFile, error) {
			return source(func(a *recon.Attempt, line int) error {
				again, err := held.again(a.ID)
				switch {
				case err != nil:
					return err
				case again != nil:
					return stageAttempt(again, a, line)
				default:
					return writeAttempt(w, a, line)
				}
			})
		},
	}
}

func stageAttempt(w *rowWriter, a *recon.Attempt, line int) error {
	if err := w.row(); err != nil {
		return err
	}
	w.int4(line)
	return attemptFields(w, a, a.IDSource, line)
}

// writeAttempt writes an attempt as the table of attempts has it, without its line.
func writeAttempt(w *rowWriter, a *recon.Attempt, line int) error {
	if err := w.row(); err != nil {
		return err
	}
	return attemptFields(w, a, cmp.Or(a.IDSource, recon.IDUnspecified), line)
}

func attemptFields(w *rowWriter, a *recon.Attempt, source recon.IDSource, line int) error {
	w.text(a.ID)
	w.text(a.SessionID)
	w.int8(a.Minor)
	w.text(a.DestAccount)
	w.text(a.Reference)
	w.time(a.ProposedAt)
	w.text(string(a.Currency))
	w.text(a.SourceAccount)
	w.text(a.IdempotencyKey)
	w.text(a.KeySource)
	w.text(string(source))
	w.text(a.ArgsSHA256)
	w.text(a.Tool)
	w.text(a.Harness)
	w.text(a.AgentID)
	w.text(a.TurnID)
	w.text(a.Host)
	return w.badText(line)
}

func mergeAttempts(ctx context.Context, tx *pgx.Conn, _, staged int64, result *ImportResult) error {
	err := withoutIndexes(ctx, tx, "transfer_attempts", staged, true, func() error {
		tag, err := tx.Exec(ctx, query("attempts_insert"))
		result.File.New = tag.RowsAffected()
		return err
	})
	if err != nil {
		return err
	}
	if result.File.New == staged {
		return nil // every row is an attempt that was not there: nothing to compare, no further firings
	}
	if err := contradictions(ctx, tx, result.File.Name, "attempt", query("attempts_contradictions")); err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, query("attempts_firings")); err != nil {
		return err
	}
	result.Deliveries, err = mergeDeliveries(ctx, tx)
	return err
}

// mergeDeliveries adds the firings in stage_deliveries that are not recorded yet.
func mergeDeliveries(ctx context.Context, tx *pgx.Conn) (int64, error) {
	if err := simple(ctx, tx, "ANALYZE stage_deliveries"); err != nil {
		return 0, err
	}
	tag, err := tx.Exec(ctx, query("deliveries_insert"))
	return tag.RowsAffected(), err
}
