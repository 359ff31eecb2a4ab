package sql

import (
	"context"
	"io/fs"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"agentrecon/recon"
)

// BooksOn are books over a transaction that a test fills itself.
func BooksOn(conn *pgx.Conn) *Books { return &Books{conn: conn} }

// ServerProcess is the number of the server's process that a run's transaction is in.
func ServerProcess(t *RunTx) uint32 { return t.conn.PgConn().PID() }

// BeginBeside starts a run's second session before the run, and waits until it is at work or has failed: on a busy machine a
// run would be over before, and not wait for it.
func BeginBeside(ctx context.Context, t *RunTx) error {
	if err := t.startBeside(ctx, t.db, true); err != nil {
		return err
	}
	select {
	case <-t.beside.begun:
	case <-t.beside.ended:
	}
	return nil
}

// DoneBeside reports what a run's second session has done.
func DoneBeside(t *RunTx) (rows, controls bool) {
	done := func(part <-chan struct{}) bool {
		select {
		case <-part:
			return true
		default:
			return false
		}
	}
	return done(t.beside.digested), done(t.beside.counted)
}

// NewRowsDigest is the digest of the rows that are new to the run that is being made.
func NewRowsDigest(ctx context.Context, t *RunTx) (string, error) {
	return t.newRowsDigest(ctx, runRow{})
}

// QueryNames lists the statements in queries/.
func QueryNames() []string {
	files, err := fs.Glob(queryFiles, "queries/*.sql")
	if err != nil {
		panic(err)
	}
	names := make([]string, len(files))
	for n, file := range files {
		names[n] = strings.TrimSuffix(strings.TrimPrefix(file, "queries/"), ".sql")
	}
	return names
}

// Query is a statement as it stands.
func Query(name string) string { return query(name) }

// QueryAsOf is a statement as a view of a past run reads it, cut to the run's new rows where it is cut.
func QueryAsOf(name string) string {
	past := &Books{past: &pastView{run: 3, epoch: 2, snapshot: "10:20:10,14,15"}}
	before, at := runRow{epoch: 1, snapshot: "1:1:"}, runRow{epoch: 2, snapshot: "10:20:10"}
	before.ID, at.ID = 1, 2
	return newRows(past.statement(name), before, &at, 0)
}

// SettingOf reads a setting of the session that the database keeps.
func SettingOf(t *testing.T, db *DB, name string) (value string) {
	t.Helper()
	conn, err := db.take(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer db.give(conn)
	if err := conn.QueryRow(t.Context(), "SELECT current_setting($1)", name).Scan(&value); err != nil {
		t.Fatal(err)
	}
	return value
}

// Stopped is stopped, for the race that a test of cancelling can win or lose.
var Stopped = stopped

// OpenItemsOf are the listed items as the transaction has kept them, by population and item.
func OpenItemsOf(ctx context.Context, t *RunTx) ([]recon.OpenItem, error) {
	return collect(ctx, &t.Books, "open_rows", decodeListedItem)
}

// SinceRun is a statement cut to what a run could not see, as the next one reads it.
func SinceRun(name string) string {
	return sinceRun(query(name), &runRow{epoch: 1, snapshot: "10:20:10,14,15"})
}

// StoredKeys and StoredReferences are what the indexes are asked for.
var (
	StoredKeys       = storedKeys
	StoredReferences = storedReferences
)
