package sql

import (
	"context"

	"github.com/jackc/pgx/v5"

	"agentrecon/ledger"
	"agentrecon/recon"
)

// OutcomeSource reads a file of outcomes; see [AttemptSource].
type OutcomeSource func(each func(o recon.Outcome, line int) error) (ledger.SourceFile, error)

var stagedOutcome = []string{"line", "attempt_id", "status", "provider_ref", "observed_at", "args_sha256", "error"}

// ImportOutcomes imports a file of outcomes, all of it or nothing.
//
// Each moment at which an attempt was observed is a version of its outcome; the latest is the current one. A row whose
// moment is recorded with another content (both give a field, and differ) refuses the file with a [*ledger.BadRows].
func (db *DB) ImportOutcomes(ctx context.Context, source OutcomeSource, options ImportOptions) (ImportResult, error) {
	return db.run(ctx, options, importer{
		population: "outcomes", stage: "outcomes_stage", table: "stage_outcomes", columns: stagedOutcome, keys: "attempt_id, observed_at",
		into: []string{"transfer_outcomes", "transfer_outcome_history"},
		read: func(w *rowWriter) (ledger.SourceFile, error) {
			return source(func(o recon.Outcome, line int) error { return stageOutcome(w, &o, line) })
		},
		merge:    mergeOutcomes,
		straight: db.straightOutcomes(source),
	})
}

// straightOutcomes is how a first file of outcomes goes straight into a throw-away database; elsewhere only the trigger
// writes the history, row for row.
func (db *DB) straightOutcomes(source OutcomeSource) *straight {
	if !db.config.Throwaway {
		return nil
	}
	return &straight{
		table: "transfer_outcomes", columns: stagedOutcome[1:],
		before: "ALTER TABLE transfer_outcomes DISABLE TRIGGER history_of_insert",
		after:  "ALTER TABLE transfer_outcomes ENABLE ALWAYS TRIGGER history_of_insert;" + query("outcomes_versions"),
		read: func(w *rowWriter, held *heldRows, _ int64) (ledger.SourceFile, error) {
			return source(func(o recon.Outcome, line int) error {
				again, err := held.again(o.AttemptID)
				switch {
				case err != nil:
					return err
				case again != nil:
					return stageOutcome(again, &o, line)
				default:
					return writeOutcome(w, &o, line)
				}
			})
		},
	}
}

func stageOutcome(w *rowWriter, o *recon.Outcome, line int) error {
	if err := w.row(); err != nil {
		return err
	}
	w.int4(line)
	return outcomeFields(w, o, line)
}

// writeOutcome writes an outcome as the table of outcomes has it, without its line.
func writeOutcome(w *rowWriter, o *recon.Outcome, line int) error {
	if err := w.row(); err != nil {
		return err
	}
	return outcomeFields(w, o, line)
}

func outcomeFields(w *rowWriter, o *recon.Outcome, line int) error {
	w.text(o.AttemptID)
	w.text(string(o.Status))
	w.text(o.ProviderRef)
	w.time(o.ObservedAt)
	w.text(o.ArgsSHA256)
	w.text(o.Error)
	return w.badText(line)
}

// mergeOutcomes first drops what is recorded already, then inserts the outcomes of attempts that had none, which is
// all there is to do for most files; then older versions go to the history, and newer ones become current.
func mergeOutcomes(ctx context.Context, tx *pgx.Conn, _, _ int64, result *ImportResult) error {
	if _, err := tx.Exec(ctx, query("outcomes_repeats")); err != nil {
		return err
	}
	if err := contradictions(ctx, tx, result.File.Name, "outcome of attempt", query("outcomes_contradictions")); err != nil {
		return err
	}
	for _, drop := range []string{"outcomes_drop_recorded", "outcomes_drop_repeats"} {
		if _, err := tx.Exec(ctx, query(drop)); err != nil {
			return err
		}
	}
	if err := tx.QueryRow(ctx, "SELECT count(*) FROM stage_outcomes").Scan(&result.File.New); err != nil {
		return err
	}
	var inserted int64
	insert := func() error {
		tag, err := tx.Exec(ctx, query("outcomes_insert"))
		inserted = tag.RowsAffected()
		return err
	}
	err := withoutIndexes(ctx, tx, "transfer_outcomes", result.File.New, true, func() error {
		return withoutIndexes(ctx, tx, "transfer_outcome_history", result.File.New, true, insert)
	})
	if err != nil || inserted == result.File.New {
		return err
	}
	for _, step := range []string{"outcomes_insert_older", "outcomes_count_older", "outcomes_update_newer"} {
		if _, err := tx.Exec(ctx, query(step)); err != nil {
			return err
		}
	}
	return nil
}
