package sql

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// What can keep the database from being used, for callers that choose an exit code by it. Errors of this package wrap
// one of these where it applies, and context errors where the context ended.
var (
	ErrUnavailable   = errors.New("database unavailable")         // temporary: not reached, shutting down, full, out of connections
	ErrAuth          = errors.New("database access refused")      // wrong password, or rights that the role lacks
	ErrConfig        = errors.New("database settings not usable") // a URL that cannot be read, a database that does not exist
	ErrLocked        = errors.New("another run is in progress")
	ErrSchemaMissing = errors.New("database schema is missing or old")
	ErrSchemaNewer   = errors.New("database schema is newer than this program")
	ErrSchemaChanged = errors.New("a migration that was applied differs from this program's")
	ErrNotFound      = errors.New("not found")
)

// SchemaError says which schema version the database has and which one the program needs. It wraps
// [ErrSchemaMissing] or [ErrSchemaNewer].
type SchemaError struct {
	Have, Want int // 0 = no schema at all
}

// Error names both versions and the remedy.
func (e *SchemaError) Error() string {
	switch {
	case e.Have > e.Want:
		return fmt.Sprintf("%v: it has version %d, this program knows %d: use a newer program", ErrSchemaNewer, e.Have, e.Want)
	case e.Have == 0:
		return fmt.Sprintf("%v: the database holds none: run \"recon migrate\"", ErrSchemaMissing)
	default:
		return fmt.Sprintf("%v: it has version %d, this program needs %d: run \"recon migrate\"", ErrSchemaMissing, e.Have, e.Want)
	}
}

// Unwrap returns the sentinel.
func (e *SchemaError) Unwrap() error {
	if e.Have > e.Want {
		return ErrSchemaNewer
	}
	return ErrSchemaMissing
}

// SQLSTATE codes that are told apart.
const (
	codeUndefinedTable    = "42P01"
	codeDuplicateTable    = "42P07"
	codeDenied            = "42501"
	codeLockNotAvailable  = "55P03"
	codeUniqueViolation   = "23505"
	codeNoDatabase        = "3D000"
	codeDuplicateObject   = "42710"
	codeStatementTimeout  = "57014"
	classConnection       = "08"
	classResources        = "53"
	classShutdown         = "57"
	classAuthorization    = "28"
	classTransactionRetry = "40"
)

// explain gives an error of the driver the sentinel that callers branch on. conn is where it came up, or nil: an error
// that left the connection closed is a lost connection, whatever the driver calls it.
func explain(conn *pgx.Conn, err error) error {
	if err == nil || isOurs(err) {
		return err
	}
	var pg *pgconn.PgError
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case errors.As(err, &pg):
		return explainServer(pg, err)
	case conn != nil && conn.IsClosed():
		return fmt.Errorf("%w: the connection was lost: %w", ErrUnavailable, err)
	default:
		return err
	}
}

func explainServer(pg *pgconn.PgError, err error) error {
	switch {
	case pg.Code == codeDenied:
		return fmt.Errorf("%w: %w: use a role with the rights, or ask the owner of the schema to run \"recon migrate\"", ErrAuth, err)
	case strings.HasPrefix(pg.Code, classAuthorization):
		return fmt.Errorf("%w: %w", ErrAuth, err)
	case pg.Code == codeNoDatabase:
		return fmt.Errorf("%w: %w: create it first", ErrConfig, err)
	case pg.Code == codeUndefinedTable:
		return fmt.Errorf("%w: %w: run \"recon migrate\"", ErrSchemaMissing, err)
	case pg.Code == codeDuplicateTable:
		return fmt.Errorf("%w: %w: the database holds a table of that name already, which is not touched: give recon a database of its own", ErrConfig, err)
	case pg.Code == codeUniqueViolation:
		return fmt.Errorf("%w: somebody else recorded the same at this moment: try again: %w", ErrUnavailable, err)
	case pg.Code == codeStatementTimeout:
		return fmt.Errorf("a statement took longer than statement_timeout: %w", err)
	case pg.Code == codeLockNotAvailable:
		return fmt.Errorf("%w: a lock was not granted in time: %w", ErrUnavailable, err)
	}
	switch pg.Code[:min(2, len(pg.Code))] {
	case classConnection, classResources, classShutdown, classTransactionRetry:
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	return err
}

func isOurs(err error) bool {
	for _, sentinel := range []error{
		ErrUnavailable, ErrAuth, ErrConfig, ErrLocked, ErrSchemaMissing, ErrSchemaNewer, ErrSchemaChanged, ErrNotFound,
	} {
		if errors.Is(err, sentinel) {
			return true
		}
	}
	return false
}

func code(err error) string {
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		return pg.Code
	}
	return ""
}

// notFound turns the absence of a row into [ErrNotFound].
func notFound(conn *pgx.Conn, err error, what string) error {
	if errors.Is(err, pgx.ErrNoRows) {
		return notFoundError(what)
	}
	return explain(conn, err)
}

func notFoundError(what string) error { return fmt.Errorf("%s: %w", what, ErrNotFound) }
