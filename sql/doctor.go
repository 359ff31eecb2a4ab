package sql

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"agentrecon/ledger"
	"agentrecon/recon"
)

// Health is what a check-up finds in the database.
type Health struct {
	ServerVersion int       // such as 150018
	ServerTime    time.Time // the server's clock
	User          string    // the role of the connection
	MayRecord     bool      // write attempts
	MayRun        bool      // record runs
	MayRead       bool      // read runs
	Recorders     []RecorderDay
	Orphans       int64 // outcomes without an attempt
	Lost          int64 // firings of which nothing could be read
	NoAmount      int64 // attempts that a hook recorded with the amount 0, for want of an exact one
	Killed        int64 // attempts whose hook was killed before it answered, as far as nothing else is known of them
}

// RecorderDay is how one harness's recorder did on one day (UTC).
type RecorderDay struct {
	Harness        string // empty = not recorded
	Day            ledger.Date
	Attempts       int64
	Weak, Fallback int64 // ids that do not name one call
	Due            int64 // old enough to have an outcome
	WithoutOutcome int64 // of those
	Deliveries     int64
}

// Health looks at what was recorded since an instant; attempts proposed before due should have an outcome.
func (db *DB) Health(ctx context.Context, since, due time.Time) (Health, error) {
	var h Health
	err := db.inTx(ctx, readOnly, func(conn *pgx.Conn) error {
		err := conn.QueryRow(ctx, query("doctor_server")).Scan(&h.ServerVersion, &h.ServerTime, &h.User, &h.MayRecord, &h.MayRun, &h.MayRead)
		if err != nil {
			return err
		}
		if err := conn.QueryRow(ctx, query("doctor_counts"), since, recon.HookKilled).Scan(&h.Orphans, &h.Lost, &h.NoAmount, &h.Killed); err != nil {
			return err
		}
		rows, err := conn.Query(ctx, query("doctor_recorders"), since, due)
		if err != nil {
			return err
		}
		h.Recorders, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (RecorderDay, error) {
			var r RecorderDay
			var day time.Time
			err := row.Scan(&r.Harness, &day, &r.Attempts, &r.Weak, &r.Fallback, &r.Due, &r.WithoutOutcome, &r.Deliveries)
			r.Day = ledger.DateOf(day, time.UTC)
			return r, err
		})
		return err
	})
	return h, err
}
