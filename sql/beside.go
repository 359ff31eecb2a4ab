package sql

import (
	"context"
	"errors"

	"agentrecon/ledger"
	"agentrecon/recon"
)

// besideFrom is how many attempts there are for a run to be worth a second session.
const besideFrom = 5_000

// beside is what a second session does for a run over everything while the run reads: it counts control totals and digests
// the rows that are new to the run, in the run's own snapshot. Where no session is to be had, or it is lost, the run does the
// same itself, later.
type beside struct {
	cancel context.CancelFunc
	begun  chan struct{} // the session has the snapshot
	ended  chan struct{}

	counted  chan struct{} // controls are there
	controls recon.Controls
	digested chan struct{} // rows is there
	rows     string
}

// Run is [recon.Run] over what the transaction sees. What nothing waits for before the end is done beside it, by a second
// session that sees the same: control totals, and the digest that [RunTx.Record] needs.
func (t *RunTx) Run(ctx context.Context, request recon.Request) (*recon.Result, error) {
	if err := t.startBeside(ctx, t.db, true); err != nil {
		return nil, err
	}
	return recon.Run(ctx, t, request)
}

// Run is [recon.Run] over what the view shows. Control totals are counted beside it, as for [RunTx.Run].
func (t *ReadTx) Run(ctx context.Context, request recon.Request) (*recon.Result, error) {
	if err := t.startBeside(ctx, t.db, false); err != nil {
		return nil, err
	}
	return recon.Run(ctx, t, request)
}

// errOtherSnapshot ends a session that does not see what the run sees, as one of another server would.
var errOtherSnapshot = errors.New("the second session has another snapshot")

// startBeside starts the work, if it is worth it. It must be stopped.
func (b *Books) startBeside(ctx context.Context, db *DB, digest bool) error {
	size, err := b.Size(ctx)
	if err != nil || size < besideFrom || b.beside != nil {
		return err
	}
	var id, seen string
	if err := b.conn.QueryRow(ctx, query("snapshot_export")).Scan(&id, &seen); err != nil {
		return explain(b.conn, err)
	}
	ctx, cancel := context.WithCancel(ctx)
	s := &beside{
		cancel: cancel, begun: make(chan struct{}), ended: make(chan struct{}), counted: make(chan struct{}), digested: make(chan struct{}),
	}
	b.beside = s
	past := b.past
	go func() {
		defer close(s.ended)
		_ = s.session(ctx, db, id, seen, func(other *Books) error { // what is missing the run does itself, and meets an error of its own
			other.past = past
			return s.work(ctx, other, digest)
		})
	}()
	return nil
}

// session calls do in a session that sees the snapshot.
func (s *beside) session(ctx context.Context, db *DB, snapshot, seen string, do func(*Books) error) error {
	conn, err := db.begin(ctx, readOnly, "SET TRANSACTION SNAPSHOT '"+snapshot+"'; ", db.config.RunIdleTimeout)
	if err != nil {
		return err
	}
	defer func() {
		db.rollback(ctx, conn)
		if conn.IsClosed() {
			<-conn.PgConn().CleanupDone()
		}
	}()
	if err := simple(ctx, conn, snapshotSettings); err != nil {
		return err
	}
	var sees string
	if err := conn.QueryRow(ctx, query("snapshot_seen")).Scan(&sees); err != nil {
		return err
	}
	if sees != seen {
		return errOtherSnapshot
	}
	close(s.begun)
	return do(&Books{conn: conn})
}

func (s *beside) work(ctx context.Context, b *Books, digest bool) (err error) {
	if s.controls, err = b.Controls(ctx, ledger.Period{}); err != nil {
		return err
	}
	close(s.counted)
	if !digest {
		return nil
	}
	last, err := b.lastRun(ctx)
	if err != nil {
		return err
	}
	if err := b.conn.QueryRow(ctx, query("epoch_current")).Scan(&b.present, nil); err != nil {
		return err
	}
	if s.rows, err = b.rowsDigest(ctx, last, nil); err != nil {
		return err
	}
	close(s.digested)
	return nil
}

// wait waits until a part is done, and reports whether it is. A session that has not even begun is no longer waited for.
func (s *beside) wait(part <-chan struct{}) bool {
	select {
	case <-s.begun:
	default:
		s.stop()
	}
	select {
	case <-part:
	case <-s.ended:
	}
	select {
	case <-part:
		return true
	default:
		return false
	}
}

// stop ends the session, whatever it is at.
func (s *beside) stop() {
	if s != nil {
		s.cancel()
		<-s.ended
	}
}
