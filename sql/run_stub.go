package sql

import "context"

func (db *DB) BeginRun(ctx context.Context) (*DB, error) {
	conn, err := db.begin(ctx, "ISOLATION LEVEL REPEATABLE READ", "", db.config.RunIdleTimeout)
	if err != nil {
		return nil, err
	}
	defer db.rollback(ctx, conn)
	return nil, db.checkSchema(ctx, conn)
}
