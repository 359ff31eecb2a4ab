package sql

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// RunTx is the one transaction of a run: it reads one snapshot ([Books]) and records what was concluded from it
// ([RunTx.Record]). It holds the lock that keeps every other run out, until Commit or Rollback.
type RunTx struct {
	Books
	db   *DB
	done bool
}

// BeginRun takes the lock, then the snapshot. If another run holds the lock it returns [ErrLocked] at once. Hooks and
// imports go on meanwhile; what they commit is for the next run.
func (db *DB) BeginRun(ctx context.Context) (*RunTx, error) {
	// The schema is checked outside: its query would take the snapshot, and the lock must come first.
	if err := db.inTx(ctx, readOnly, func(*pgx.Conn) error { return nil }); err != nil {
		return nil, err
	}
	conn, err := db.begin(ctx, "ISOLATION LEVEL REPEATABLE READ READ WRITE", "LOCK TABLE public.recon_lock IN EXCLUSIVE MODE NOWAIT; ", db.config.RunIdleTimeout)
	if err != nil {
		if code(err) == codeLockNotAvailable {
			return nil, fmt.Errorf("%w: try again when it has ended", ErrLocked)
		}
		return nil, explain(nil, err)
	}
	tx := &RunTx{Books: Books{conn: conn}, db: db}
	if err := simple(ctx, conn, snapshotSettings); err != nil {
		err = explain(conn, err)
		tx.Rollback(ctx)
		return nil, err
	}
	return tx, nil
}

// snapshotSettings are for the statements of a run: few large scans, and thousands of look-ups by index, which are made in
// memory or on flash where the default takes the server to have a disk that seeks. The last statement takes the snapshot.
const snapshotSettings = "SET LOCAL work_mem = '128MB'; SET LOCAL jit = off; SET LOCAL random_page_cost = 1.1; SELECT 1"

// Commit makes what was recorded permanent and frees the lock.
func (t *RunTx) Commit(ctx context.Context) error {
	if t.done {
		return nil
	}
	t.done = true
	t.beside.stop()
	return t.db.commit(ctx, t.conn)
}

// Rollback takes everything back and frees the lock. After Commit it does nothing, so that it can be deferred.
func (t *RunTx) Rollback(ctx context.Context) {
	if t.done {
		return
	}
	t.done = true
	t.beside.stop()
	t.db.rollback(ctx, t.conn)
}

// ReadTx reads one snapshot and writes nothing. It holds no lock.
type ReadTx struct {
	Books
	db   *DB
	done bool
}

// View takes a snapshot of the present.
func (db *DB) View(ctx context.Context) (*ReadTx, error) {
	if err := db.inTx(ctx, readOnly, func(*pgx.Conn) error { return nil }); err != nil {
		return nil, err
	}
	conn, err := db.begin(ctx, readOnly, "", db.config.RunIdleTimeout)
	if err != nil {
		return nil, explain(nil, err)
	}
	tx := &ReadTx{Books: Books{conn: conn}, db: db}
	if err := simple(ctx, conn, snapshotSettings); err != nil {
		err = explain(conn, err)
		tx.Close(ctx)
		return nil, err
	}
	return tx, nil
}

// ViewAsOf shows what a past run read: the evidence that its snapshot showed, and the marks of the runs before it. So
// the run can be made again and must come to the same conclusions.
func (db *DB) ViewAsOf(ctx context.Context, run int64) (*ReadTx, error) {
	tx, err := db.View(ctx)
	if err != nil {
		return nil, err
	}
	past := &pastView{run: run}
	err = tx.conn.QueryRow(ctx, query("run_snapshot"), run).Scan(&past.epoch, &past.snapshot)
	if err != nil {
		err = notFound(tx.conn, err, fmt.Sprintf("run %d", run))
		tx.Close(ctx)
		return nil, err
	}
	tx.past = past
	return tx, nil
}

// Close ends the view.
func (t *ReadTx) Close(ctx context.Context) {
	if t.done {
		return
	}
	t.done = true
	t.beside.stop()
	t.db.rollback(ctx, t.conn)
}
