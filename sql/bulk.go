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
	rows, err := tx.Query(ctx, query("bulk_indexes"), table)
	if err != nil {
		return err
	}
	type index struct{ Name, Definition string }
	indexes, err := pgx.CollectRows(rows, pgx.RowToStructByPos[index])
	if err != nil {
		return err
	}
	for _, x := range indexes {
		if err := simple(ctx, tx, "DROP INDEX "+x.Name); err != nil {
			return err
		}
	}
	if err := load(); err != nil {
		return err
	}
	for _, x := range indexes {
		if err := simple(ctx, tx, x.Definition); err != nil {
			return err
		}
	}
	return nil
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
