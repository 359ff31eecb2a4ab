package sql

import "github.com/jackc/pgx/v5"

// BooksOn are books over a transaction that a test fills itself.
func BooksOn(conn *pgx.Conn) *Books { return &Books{conn: conn} }
