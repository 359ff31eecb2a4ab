package sql

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/jackc/pgx/v5"

	"agentrecon/ledger"
	"agentrecon/recon"
)

// Run is a recorded run with what it was decided by.
type Run struct {
	recon.RunInfo
	Policy   recon.Policy
	Snapshot string // what the run could see: a pg_snapshot of its epoch
	Epoch    int
	Totals   []byte // JSON: what the run counted over everything recorded
}

// Runs returns the last n recorded runs, newest first. n below 1 means all.
func (db *DB) Runs(ctx context.Context, n int) ([]Run, error) {
	limit := int64(math.MaxInt64)
	if n > 0 {
		limit = int64(n)
	}
	return db.runs(ctx, nil, nil, limit)
}

// RunByID returns a recorded run, or [ErrNotFound].
func (db *DB) RunByID(ctx context.Context, id int64) (Run, error) {
	runs, err := db.runs(ctx, &id, &id, 1)
	if err != nil {
		return Run{}, err
	}
	if len(runs) == 0 {
		return Run{}, fmt.Errorf("run %d: %w", id, ErrNotFound)
	}
	return runs[0], nil
}

func (db *DB) runs(ctx context.Context, first, last *int64, limit int64) (runs []Run, err error) {
	err = db.inTx(ctx, readOnly, func(conn *pgx.Conn) error {
		runs, err = readRuns(ctx, conn, first, last, limit)
		return err
	})
	return runs, err
}

// Runs returns the last n runs that were recorded before, newest first.
func (t *RunTx) Runs(ctx context.Context, n int) ([]Run, error) {
	runs, err := readRuns(ctx, t.conn, nil, nil, int64(n))
	return runs, explain(t.conn, err)
}

func readRuns(ctx context.Context, conn *pgx.Conn, first, last *int64, limit int64) ([]Run, error) {
	rows, err := collectRuns(ctx, conn, query("runs"), first, last, limit)
	if err != nil {
		return nil, err
	}
	var runs []Run
	for _, row := range rows {
		run, err := row.run()
		if err != nil {
			return nil, fmt.Errorf("run %d: %w", row.ID, err)
		}
		runs = append(runs, run)
	}
	return runs, nil
}

func (r *runRow) run() (Run, error) {
	policy, err := decodePolicy(r.policy)
	return Run{RunInfo: r.RunInfo, Policy: policy, Snapshot: r.snapshot, Epoch: r.epoch, Totals: r.totals}, err
}

func collectRuns(ctx context.Context, conn *pgx.Conn, statement string, args ...any) ([]runRow, error) {
	rows, err := conn.Query(ctx, statement, args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (runRow, error) {
		var r runRow
		var slot, entity *string
		err := row.Scan(&r.ID, &r.Kind, &slot, &r.AsOf, &r.RecordedAt, &r.RecordedBy, &r.Program, &r.RuleSet, &r.snapshot, &r.epoch, &r.system,
			&r.policy, &r.totals, &r.rows, &r.EvidenceDigest, &r.Previous, &r.Digest, &entity, &r.standing)
		r.Slot, r.Entity, r.AsOf, r.RecordedAt = deref(slot), deref(entity), r.AsOf.UTC(), r.RecordedAt.UTC()
		return r, err
	})
}

// Export is a workbook made of a recorded run.
type Export struct {
	RunID    int64
	Path     string
	SHA256   string // of the file, lower-case hex
	Parts    string // digest of the workbook's parts, whatever compressed them; empty = not known
	Digest   string // the run's
	Period   ledger.Period
	Issued   bool // the baseline of the next roll-forward
	IssuedBy string
	IssuedAt time.Time
}

// RecordExport writes an export down.
func (db *DB) RecordExport(ctx context.Context, e Export) error {
	var from, to any
	if !e.Period.IsZero() {
		from, to = e.Period.From.Time(), e.Period.To.Time()
	}
	return db.inTx(ctx, readWrite, func(conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, query("export_insert"), e.RunID, e.Path, e.SHA256, e.Digest, from, to, e.Issued, e.IssuedBy, e.IssuedAt, null(e.Parts))
		return err
	})
}

// Exports returns the exports with this file digest, or all if it is empty, newest first. The zone of their periods is
// UTC.
func (db *DB) Exports(ctx context.Context, sha256 string) ([]Export, error) {
	var exports []Export
	err := db.inTx(ctx, readOnly, func(conn *pgx.Conn) error {
		rows, err := conn.Query(ctx, query("exports"), null(sha256))
		if err != nil {
			return err
		}
		exports, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (Export, error) {
			var e Export
			var from, to *time.Time
			var parts *string
			err := row.Scan(&e.RunID, &e.Path, &e.SHA256, &e.Digest, &from, &to, &e.Issued, &e.IssuedBy, &e.IssuedAt, &parts)
			e.Parts = deref(parts)
			if from != nil && to != nil {
				e.Period = ledger.Period{From: ledger.DateOf(*from, time.UTC), To: ledger.DateOf(*to, time.UTC)}
			}
			e.IssuedAt = e.IssuedAt.UTC()
			return e, err
		})
		return err
	})
	return exports, err
}
