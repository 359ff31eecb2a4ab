package sql

import (
	"context"

	"github.com/jackc/pgx/v5"

	"agentrecon/ledger"
	"agentrecon/recon"
)

// SessionSource reads a file of session events; see [AttemptSource].
type SessionSource func(each func(e recon.SessionEvent, line int) error) (ledger.SourceFile, error)

// ImportSessions imports a file of session events, all of it or nothing. All of a row is its identity, so a row is
// new or known and never contradicts another.
func (db *DB) ImportSessions(ctx context.Context, source SessionSource, options ImportOptions) (ImportResult, error) {
	return db.run(ctx, options, importer{
		population: "sessions", stage: "sessions_stage", table: "stage_sessions", columns: []string{"session_id", "event", "at"}, keys: "session_id",
		into: []string{"session_events"},
		read: func(w *rowWriter) (ledger.SourceFile, error) {
			return source(func(e recon.SessionEvent, line int) error {
				if err := w.row(); err != nil {
					return err
				}
				w.text(e.SessionID)
				w.text(string(e.Event))
				w.time(e.At)
				return w.badText(line)
			})
		},
		merge: func(ctx context.Context, tx *pgx.Conn, _, _ int64, result *ImportResult) error {
			tag, err := tx.Exec(ctx, query("sessions_insert"))
			result.File.New = tag.RowsAffected()
			return err
		},
	})
}
