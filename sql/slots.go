package sql

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// Slot is a due run of a schedule, known to every program that uses the database.
type Slot struct {
	Key string    // the minute on the wall clock, such as 2026-03-29T02:30
	Due time.Time // when it was due
}

// LastSlot is when the newest slot was due that has its run or was written down as missed; zero means none ever.
func (db *DB) LastSlot(ctx context.Context) (time.Time, error) {
	var due *time.Time
	err := db.inTx(ctx, readOnly, func(conn *pgx.Conn) error {
		return conn.QueryRow(ctx, query("slot_last")).Scan(&due)
	})
	if err != nil || due == nil {
		return time.Time{}, err
	}
	return due.UTC(), nil
}

// RecordMissed writes a slot down that will not be run. A slot that is known already is left as it is.
func (db *DB) RecordMissed(ctx context.Context, slot Slot) error {
	return db.inTx(ctx, readWrite, func(conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, query("slot_missed"), slot.Key, slot.Due)
		return err
	})
}

// FinishSlot writes down how a try at a slot ended: with its run, or with a failure and its reason. Run 0 means that
// the run is another program's. A slot that ran stays so.
func (db *DB) FinishSlot(ctx context.Context, slot Slot, run int64, by string, at time.Time, failure error) error {
	state, detail := "ran", any(nil)
	if failure != nil {
		state, detail = "failed", fmt.Sprint(failure)
	}
	var runID any
	if run > 0 {
		runID = run
	}
	return db.inTx(ctx, readWrite, func(conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, query("slot_finished"), slot.Key, slot.Due, state, by, at, runID, detail)
		return err
	})
}
