package sql

import (
	"context"

	"github.com/jackc/pgx/v5"

	"agentrecon/ledger"
)

// StageEntries is the first step of [DB.ImportEntries] alone: the file is read and copied into a table without indexes.
func StageEntries(ctx context.Context, conn *pgx.Conn, source EntrySource) error {
	if err := simple(ctx, conn, "BEGIN"); err != nil {
		return err
	}
	defer func() { _ = simple(ctx, conn, "ROLLBACK") }()
	if err := simple(ctx, conn, query("entries_stage")); err != nil {
		return err
	}
	var staged int64
	return copyIn(ctx, conn, "stage_entries", entryColumns, func(w *rowWriter) error {
		_, err := source(func(e *ledger.Entry) error {
			staged++
			return writeEntry(w, staged, e)
		})
		return err
	})
}
