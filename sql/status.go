package sql

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"agentrecon/ledger"
	"agentrecon/recon"
)

// Status is how things stand after the last recorded run.
type Status struct {
	Runs     []Run       // the last runs, newest first
	Open     []OpenClass // items that a finding is open for, by population and class
	Coverage []ledger.Coverage

	Attempts, Outcomes, Entries int64               // recorded
	StandingMarks               int64               // unknown marks that no outcome superseded
	Dispositions                []recon.Disposition // those that stand, by population and item
	NewAttempts, NewEntries     int64               // recorded since the last run
}

// OpenClass counts the open items of one class.
type OpenClass struct {
	Population recon.Population
	Class      recon.Class
	Count      int64
	Oldest     time.Time // since when the oldest is open: proposed, observed or booked
	First      string    // the oldest item
}

// Status reads how things stand, with the last n runs.
func (db *DB) Status(ctx context.Context, n int) (Status, error) {
	var s Status
	var err error
	if s.Runs, err = db.Runs(ctx, max(1, n)); err != nil {
		return s, err
	}
	err = db.inTx(ctx, readOnly, func(conn *pgx.Conn) error {
		if s.Open, err = openClasses(ctx, conn); err != nil {
			return err
		}
		err := conn.QueryRow(ctx, query("status_counts")).Scan(&s.Attempts, &s.Outcomes, &s.Entries, &s.StandingMarks, &s.NewAttempts, &s.NewEntries)
		if err != nil {
			return err
		}
		b := &Books{conn: conn}
		if s.Dispositions, err = b.dispositions(ctx, query("status_dispositions")); err != nil {
			return err
		}
		s.Coverage, err = b.Coverage(ctx)
		return err
	})
	return s, err
}

func openClasses(ctx context.Context, conn *pgx.Conn) ([]OpenClass, error) {
	rows, err := conn.Query(ctx, query("status_open"))
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (OpenClass, error) {
		var o OpenClass
		var oldest *time.Time
		err := row.Scan(&o.Population, &o.Class, &o.Count, &oldest, &o.First)
		if oldest != nil {
			o.Oldest = oldest.UTC()
		}
		return o, err
	})
}
