package sql

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// bulkRows is from how many rows on an import builds indexes anew instead of keeping them up row by row. Measured at a
// million entries the indexes take two thirds of the server's time when kept up, and an eighth when built afterwards.
const bulkRows = 50_000

// withoutIndexes runs load while the secondary indexes of a table are away, if that pays: when load brings at least
// bulkRows rows and no fewer than the table holds, or for tables that hooks write, when the table is empty. It needs
// the table to itself until the end of the transaction, and to be the owner's member; otherwise load runs as it is.
func withoutIndexes(ctx context.Context, tx *pgx.Conn, table string, staged int64, emptyOnly bool, load func() error) error {
	if staged < bulkRows {
		return load()
	}
	most := staged
	if emptyOnly {
		most = 1
	}
	var pays bool
	if err := tx.QueryRow(ctx, query("bulk_pays"), table).Scan(&pays); err != nil || !pays {
		return orLoad(err, load)
	}
	var held int64
	statement := "SELECT count(*) FROM (SELECT FROM " + table + " LIMIT $1) held"
	if err := tx.QueryRow(ctx, statement, most).Scan(&held); err != nil || held >= most {
		return orLoad(err, load)
	}
	if alone, err := lockAlone(ctx, tx, table); err != nil || !alone {
		return orLoad(err, load)
	}
	indexes, err := dropIndexes(ctx, tx, table)
	if err != nil {
		return err
	}
	if err := load(); err != nil {
		return err
	}
	return makeIndexes(ctx, tx, indexes)
}

// index is an index of a table, with the statement that makes it.
type index struct{ Name, Definition string }

// dropIndexes takes the indexes of a table away that are no constraint's, and returns them.
func dropIndexes(ctx context.Context, tx *pgx.Conn, table string) ([]index, error) {
	rows, err := tx.Query(ctx, query("bulk_indexes"), table)
	if err != nil {
		return nil, err
	}
	indexes, err := pgx.CollectRows(rows, pgx.RowToStructByPos[index])
	if err != nil {
		return nil, err
	}
	for _, x := range indexes {
		if err := simple(ctx, tx, "DROP INDEX "+x.Name); err != nil {
			return nil, err
		}
	}
	return indexes, nil
}

func makeIndexes(ctx context.Context, tx *pgx.Conn, indexes []index) error {
	for _, x := range indexes {
		if err := simple(ctx, tx, x.Definition); err != nil {
			return err
		}
	}
	return nil
}

// emptyAlone takes a table for itself if it holds nothing, nobody uses it, and its indexes may be made anew.
func emptyAlone(ctx context.Context, tx *pgx.Conn, table string) (bool, error) {
	var pays bool
	if err := tx.QueryRow(ctx, query("bulk_pays"), table).Scan(&pays); err != nil || !pays {
		return false, err
	}
	empty := func() (empty bool, err error) {
		err = tx.QueryRow(ctx, "SELECT NOT EXISTS (SELECT FROM "+table+")").Scan(&empty)
		return empty, err
	}
	if is, err := empty(); err != nil || !is {
		return false, err
	}
	if alone, err := lockAlone(ctx, tx, table); err != nil || !alone {
		return false, err
	}
	return empty() // for somebody may have been quicker
}

func orLoad(err error, load func() error) error {
	if err != nil {
		return err
	}
	return load()
}

// lockAlone takes the table for itself, unless somebody uses it at this moment.
func lockAlone(ctx context.Context, tx *pgx.Conn, table string) (bool, error) {
	err := simple(ctx, tx, "SAVEPOINT alone; LOCK TABLE "+table+" IN ACCESS EXCLUSIVE MODE NOWAIT; RELEASE SAVEPOINT alone")
	switch code(err) {
	case "":
		return err == nil, err
	case codeLockNotAvailable, codeDenied:
		return false, simple(ctx, tx, "ROLLBACK TO SAVEPOINT alone; RELEASE SAVEPOINT alone")
	}
	return false, err
}
