package sql

import (
	"context"
	"fmt"
	"strings"
)

// evidenceTables are the tables whose new rows a run's digest covers, each read by queries/rows_<table>.sql in every
// column that says something. Transaction ids are left out: they say where a row was written, not what it says.
var evidenceTables = []string{
	"transfer_attempts", "transfer_outcome_history", "hook_deliveries", "session_events", "ledger_files", "ledger_entries",
	"ledger_coverage", "overrides",
}

// rowsDigest is the digest of the rows first visible in a run: those that the run before it could not see. at is nil
// for the run that is being made, which sees what its transaction sees.
func (b *Books) rowsDigest(ctx context.Context, before runRow, at *runRow) (string, error) {
	d := newDigest("recon rows 2")
	for _, table := range evidenceTables {
		d.text(table)
		if err := b.hashRows(ctx, "rows_"+table, before, at, d); err != nil {
			return "", err
		}
	}
	return d.sum(), nil
}

// newRowsDigest is [Books.rowsDigest] of the run that is being made, by whoever has worked it out.
func (t *RunTx) newRowsDigest(ctx context.Context, last runRow) (string, error) {
	if s := t.beside; s != nil && s.wait(s.digested) {
		return s.rows, nil
	}
	return t.rowsDigest(ctx, last, nil)
}

// dispositionsDigest is the digest of the reviewers' decisions first visible in a run.
func (b *Books) dispositionsDigest(ctx context.Context, before runRow, at *runRow) (string, error) {
	d := newDigest("recon dispositions 2")
	err := b.hashRows(ctx, "rows_dispositions", before, at, d)
	return d.sum(), err
}

// hashRows hashes the rows of a statement as COPY sends them in binary form, which anybody can do again: psql prints
// the same bytes. They come by primary key, so that nothing has to be kept to bring them into an order.
func (b *Books) hashRows(ctx context.Context, name string, before runRow, at *runRow, d *digest) error {
	rows := newStreamHash()
	text := newRows(query(name), before, at, b.present)
	if before.ID > 0 {
		// Few rows are new: they are to be found by the index on recorded_xid and sorted then, and not to be looked for among
		// all in the order of the primary key.
		found, order, _ := strings.Cut(text, "\nORDER BY ")
		text = "SELECT * FROM (" + found + " OFFSET 0) t ORDER BY " + order
	}
	_, err := b.conn.PgConn().CopyTo(ctx, rows, "COPY ("+text+") TO STDOUT (FORMAT binary)")
	d.field(rows.sum())
	return err
}

// markNew stands in statements where rows are cut to those new to a run.
const markNew = "/*new*/"

// newRows cuts a statement to the rows of t that a run sees and the run before it did not. The comparisons of
// recorded_xid alone let its index find them; present is the epoch of the present where it is known, for no row is of a
// later one.
func newRows(text string, before runRow, at *runRow, present int) string {
	var conditions []string
	if before.ID > 0 {
		fresh := fmt.Sprintf("t.epoch = %d AND t.recorded_xid >= pg_snapshot_xmin('%[2]s') AND NOT pg_visible_in_snapshot(t.recorded_xid, '%[2]s')",
			before.epoch, before.snapshot)
		if at == nil && present != before.epoch || at != nil && at.epoch > before.epoch {
			fresh = fmt.Sprintf("(%s OR t.epoch > %d)", fresh, before.epoch)
		}
		conditions = append(conditions, fresh)
	}
	if at != nil {
		seen := fmt.Sprintf("t.epoch = %d AND t.recorded_xid < pg_snapshot_xmax('%[2]s') AND pg_visible_in_snapshot(t.recorded_xid, '%[2]s')",
			at.epoch, at.snapshot)
		if at.epoch > before.epoch {
			seen = fmt.Sprintf("(%s OR t.epoch < %d)", seen, at.epoch)
		}
		conditions = append(conditions, seen)
	}
	if conditions == nil {
		return text
	}
	return strings.ReplaceAll(text, markNew, "WHERE "+strings.Join(conditions, " AND "))
}
