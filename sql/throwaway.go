package sql

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
)

// Lighten makes an empty database that ends with the program ([Config].Throwaway) cheap to fill and to read once. What it
// takes away only serves later runs, past runs, hooks, other users and crashes; imports and a run conclude the same without it.
func (db *DB) Lighten(ctx context.Context) error {
	if !db.config.Throwaway {
		return errors.New("only a throw-away database may be lightened")
	}
	return db.inTx(ctx, readWrite, func(tx *pgx.Conn) error { return simple(ctx, tx, query("throwaway_lighten")) })
}
