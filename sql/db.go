package sql

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"

	"agentrecon/sql/dsn"
)

// Config says how to reach the database. Times that are zero mean the defaults beside them.
type Config struct {
	URL              string        // postgres://… or keyword=value …; empty: the PG* variables of libpq
	ApplicationName  string        // shown in pg_stat_activity; default recon
	ConnectTimeout   time.Duration // 10s
	StatementTimeout time.Duration // 30min, for one statement
	LockTimeout      time.Duration // 10s
	IdleTimeout      time.Duration // 60s idle in a transaction: the server then frees its locks
	RunIdleTimeout   time.Duration // 10min, for the transaction of a run, which thinks between its statements
	Throwaway        bool          // the database ends with the program, and no run is recorded in it: files are imported without what only later ones read
}

func (c Config) withDefaults() Config {
	if c.ApplicationName == "" {
		c.ApplicationName = "recon"
	}
	for _, d := range []struct {
		value    *time.Duration
		fallback time.Duration
	}{
		{&c.ConnectTimeout, 10 * time.Second},
		{&c.StatementTimeout, 30 * time.Minute},
		{&c.LockTimeout, 10 * time.Second},
		{&c.IdleTimeout, time.Minute},
		{&c.RunIdleTimeout, 10 * time.Minute},
	} {
		if *d.value == 0 {
			*d.value = d.fallback
		}
	}
	return c
}

// keepAlive finds a peer that is gone within minutes and not hours.
var keepAlive = net.KeepAliveConfig{Enable: true, Idle: 30 * time.Second, Interval: 10 * time.Second, Count: 3}

// DB is one database. Its methods may be called by several goroutines; each takes a connection of its own, and one
// that is free is kept for the next.
type DB struct {
	config   Config
	connect  *pgx.ConnConfig
	password string

	mu      sync.Mutex
	free    *pgx.Conn
	checked bool // the schema is the program's
}

// Open reads the settings and connects once, so that a wrong one is found at once. It does not look at the schema:
// every method but Migrate and SchemaStatus does, at its first use. Errors wrap [ErrConfig], [ErrAuth] or
// [ErrUnavailable] and never hold the password.
func Open(ctx context.Context, c Config) (*DB, error) {
	c = c.withDefaults()
	connect, err := parse(c)
	if err != nil {
		return nil, err
	}
	db := &DB{config: c, connect: connect, password: connect.Password}
	conn, err := db.take(ctx)
	if err != nil {
		return nil, err
	}
	db.give(conn)
	return db, nil
}

// Close ends the connection that is kept.
func (db *DB) Close() {
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.free != nil {
		closeQuietly(db.free)
		db.free = nil
	}
}

// parse turns the settings into the driver's, with encryption that checks whom it talks to unless the settings say
// otherwise or the server is this machine.
func parse(c Config) (*pgx.ConnConfig, error) {
	url, err := dsn.Secured(c.URL)
	if err != nil {
		return nil, settingsError(c.URL, err)
	}
	// Behind a pooler per transaction a statement that stays prepared meets another connection.
	config, err := pgx.ParseConfig(dsn.UnlessNamed(url, "default_query_exec_mode=cache_describe"))
	if err != nil {
		return nil, settingsError(c.URL, err)
	}
	config.RuntimeParams["application_name"] = c.ApplicationName
	config.ConnectTimeout = c.ConnectTimeout
	dialer := &net.Dialer{KeepAliveConfig: keepAlive}
	config.DialFunc = dialer.DialContext
	config.BuildFrontend = func(r io.Reader, w io.Writer) *pgproto3.Frontend {
		return pgproto3.NewFrontend(bufio.NewReaderSize(r, readAhead), w)
	}
	return config, nil
}

// readAhead is how much is read at once. The server sends 8 KiB at a time; where this program is the slower one, it takes all
// that has come.
const readAhead = 64 << 10

// settingsError describes settings that the driver cannot read without quoting them: they may hold a password.
func settingsError(url string, err error) error {
	form := "keyword=value settings"
	if strings.Contains(url, "://") {
		form = "URL"
	}
	reason := "expected postgres://user@host:5432/database, with special characters of the password percent-encoded"
	if strings.Contains(err.Error(), "sslmode is invalid") {
		reason = "sslmode must be disable, allow, prefer, require, verify-ca or verify-full"
	}
	return fmt.Errorf("%w: the database %s cannot be read: %s (it is not shown, for it may hold a password)", ErrConfig, form, reason)
}

// take returns the free connection, or a new one.
func (db *DB) take(ctx context.Context) (*pgx.Conn, error) {
	db.mu.Lock()
	conn := db.free
	db.free = nil
	db.mu.Unlock()
	if conn != nil && !conn.IsClosed() {
		// The server may have gone since; a round trip tells.
		if conn.Ping(ctx) == nil {
			return conn, nil
		}
		closeQuietly(conn)
	}
	conn, err := pgx.ConnectConfig(ctx, db.connect)
	if err != nil {
		return nil, db.connectError(ctx, err)
	}
	return conn, nil
}

func (db *DB) give(conn *pgx.Conn) {
	if conn.IsClosed() {
		return
	}
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.free != nil || conn.PgConn().TxStatus() != 'I' {
		closeQuietly(conn)
		return
	}
	db.free = conn
}

// connectError says in one line why no connection came about. The driver's own error is cut off: it is long, and
// whoever prints it with %+v would print the settings.
func (db *DB) connectError(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("connect to the database: %w", context.Cause(ctx))
	}
	where := fmt.Sprintf("database %q at %s as %q", db.connect.Database, db.connect.Host, db.connect.User)
	var pg *pgconn.PgError
	switch {
	case errors.As(err, &pg):
		explained := explainServer(pg, errors.New(db.mask(pg.Message)))
		if !isOurs(explained) {
			explained = fmt.Errorf("%w: %s", ErrUnavailable, db.mask(pg.Message))
		}
		return fmt.Errorf("%s: %w", where, explained)
	case notTrusted(err):
		return fmt.Errorf("%s: %w: %s: a server elsewhere must prove who it is (sslmode=verify-full) unless the URL says otherwise",
			where, ErrConfig, db.mask(lastReason(err)))
	default:
		return fmt.Errorf("%s: %w: %s", where, ErrUnavailable, db.mask(lastReason(err)))
	}
}

// notTrusted reports whether encryption or the server's certificate is what failed.
func notTrusted(err error) bool {
	var certificate *tls.CertificateVerificationError
	return errors.As(err, &certificate) || strings.Contains(err.Error(), "server refused TLS connection")
}

// lastReason is the innermost error of a chain: the operating system's word.
func lastReason(err error) string {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			lines := strings.Split(strings.TrimSpace(err.Error()), "\n")
			return strings.TrimSpace(lines[len(lines)-1])
		}
		err = inner
	}
}

// mask is the last line of defence against a password in a message.
func (db *DB) mask(s string) string {
	if db.password == "" {
		return s
	}
	return strings.ReplaceAll(s, db.password, "xxxxx")
}

// rollbackTimeout bounds the goodbye to a transaction whose context has ended.
const rollbackTimeout = 5 * time.Second

// begin opens a transaction: first the mode, then the statements of head, then the time limits, in one message. head
// comes before the limits because the lock of a run must come first of all.
func (db *DB) begin(ctx context.Context, mode, head string, idle time.Duration) (*pgx.Conn, error) {
	conn, err := db.take(ctx)
	if err != nil {
		return nil, err
	}
	limits := fmt.Sprintf("SET LOCAL statement_timeout = %d; SET LOCAL lock_timeout = %d; "+
		"SET LOCAL idle_in_transaction_session_timeout = %d; SET LOCAL tcp_keepalives_idle = 30; "+
		"SET LOCAL search_path = public, pg_temp; SET LOCAL timezone = 'UTC'; SET LOCAL datestyle = 'ISO';",
		db.config.StatementTimeout.Milliseconds(), db.config.LockTimeout.Milliseconds(), idle.Milliseconds())
	if err := simple(ctx, conn, "BEGIN "+mode+"; "+head+limits); err != nil {
		if code(err) != codeLockNotAvailable { // the caller knows which lock it asked for
			err = explain(conn, err)
		}
		db.rollback(ctx, conn)
		return nil, err
	}
	return conn, nil
}

// simple runs statements without parameters in one message.
func simple(ctx context.Context, conn *pgx.Conn, statements string) error {
	_, err := conn.PgConn().Exec(ctx, statements).ReadAll()
	return err
}

func (db *DB) rollback(ctx context.Context, conn *pgx.Conn) {
	if !conn.IsClosed() && conn.PgConn().TxStatus() != 'I' {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), rollbackTimeout)
		defer cancel()
		if simple(ctx, conn, "ROLLBACK") != nil {
			closeQuietly(conn)
		}
	}
	db.give(conn)
}

func (db *DB) commit(ctx context.Context, conn *pgx.Conn) error {
	result, err := conn.PgConn().Exec(ctx, "COMMIT").ReadAll()
	defer db.rollback(ctx, conn)
	if err != nil && conn.IsClosed() && ctx.Err() == nil {
		return fmt.Errorf("%w: the connection was lost while committing: whether it was done shows \"recon status\": %w", ErrUnavailable, err)
	}
	if err == nil && (len(result) != 1 || result[0].CommandTag.String() != "COMMIT") {
		err = errors.New("the transaction had failed and was rolled back")
	}
	return explain(conn, err)
}

// inTx runs fn in a transaction over the program's schema. An error rolls everything back.
func (db *DB) inTx(ctx context.Context, mode string, fn func(*pgx.Conn) error) error {
	conn, err := db.begin(ctx, mode, "", db.config.IdleTimeout)
	if err != nil {
		return explain(nil, err)
	}
	if err = db.checkSchema(ctx, conn); err == nil {
		err = fn(conn)
	}
	if err != nil {
		err = stopped(ctx, explain(conn, err))
		db.rollback(ctx, conn)
		return err
	}
	return db.commit(ctx, conn)
}

// stopped names the caller's own stop as the reason of an error that it caused: a context that ends closes the
// connection, and whichever side notices first reports that as a lost one.
func stopped(ctx context.Context, err error) error {
	if ctx.Err() != nil && errors.Is(err, ErrUnavailable) {
		return fmt.Errorf("stopped: %w", context.Cause(ctx))
	}
	return err
}

const (
	readWrite = "ISOLATION LEVEL READ COMMITTED READ WRITE"
	readOnly  = "ISOLATION LEVEL REPEATABLE READ READ ONLY"
)

func closeQuietly(conn *pgx.Conn) {
	ctx, cancel := context.WithTimeout(context.Background(), rollbackTimeout)
	defer cancel()
	_ = conn.Close(ctx) // it is given up either way
}
