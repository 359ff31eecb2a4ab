package recorder

import (
	"context"
	_ "embed" // the statements
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"

	"agentrecon/recon"
	"agentrecon/recon/capture"
	"agentrecon/sql/dsn"
)

// What callers branch on.
var (
	// ErrSettings: the settings of the database cannot be read. They are never quoted, for they may hold a password.
	ErrSettings = errors.New("the settings of the database cannot be read")
	// ErrRefused: the database is there and refuses this very record, now and later.
	ErrRefused = errors.New("the database refuses the record")
)

// The statements, each with its parameters explained in its file.
var (
	//go:embed queries/attempt.sql
	attemptQuery string
	//go:embed queries/attempt_default_currency.sql
	attemptDefaultCurrencyQuery string
	//go:embed queries/delivery.sql
	deliveryQuery string
	//go:embed queries/outcome_first.sql
	outcomeFirstQuery string
	//go:embed queries/outcome_insert.sql
	outcomeInsertQuery string
	//go:embed queries/outcome_current.sql
	outcomeCurrentQuery string
	//go:embed queries/outcome_update.sql
	outcomeUpdateQuery string
	//go:embed queries/session.sql
	sessionQuery string
)

// serverPatience bounds a statement at the server, should the hook be gone by then.
const serverPatience = 5 * time.Second

// Each transaction begins with these. What its statements say of each other's rows holds for READ COMMITTED, whatever the
// database's default. The limits are set in the transaction and not at connection start: poolers refuse settings there.
// The last ends a transaction whose hook is gone between two messages.
var (
	beginStatement = "BEGIN ISOLATION LEVEL READ COMMITTED"
	limitStatement = "SET LOCAL statement_timeout = " + strconv.FormatInt(serverPatience.Milliseconds(), 10)
	idleStatement  = "SET LOCAL idle_in_transaction_session_timeout = " + strconv.FormatInt(serverPatience.Milliseconds(), 10)
)

// DB is one connection.
type DB struct{ conn *pgconn.PgConn }

// Open connects. An empty url means the PG* variables of libpq. A server that is not this machine must prove who it
// is unless the settings name an sslmode.
func Open(ctx context.Context, url string) (*DB, error) {
	url, err := dsn.Secured(url)
	if err != nil {
		return nil, ErrSettings // the driver's words may quote them
	}
	config, err := pgconn.ParseConfig(url)
	if err != nil {
		return nil, ErrSettings
	}
	config.RuntimeParams["application_name"] = "recon-hook"
	conn, err := pgconn.ConnectConfig(ctx, config)
	if err != nil {
		// Cut the chain: its links print the settings.
		reason := err.Error()
		if config.Password != "" {
			reason = strings.ReplaceAll(reason, config.Password, "xxxxx")
		}
		return nil, errors.New(reason)
	}
	return &DB{conn}, nil
}

// Close says goodbye to the server and waits until it has ended the session.
func (db *DB) Close(ctx context.Context) { _ = db.conn.Close(ctx) }

// Leave says goodbye without waiting: a hook's process has nothing left to do but to end.
func (db *DB) Leave() {
	if db.conn.IsClosed() {
		return
	}
	db.conn.Frontend().Send(&pgproto3.Terminate{})
	_ = db.conn.Frontend().Flush()
	_ = db.conn.Conn().Close()
}

// Write records deliveries in one transaction. What the database has already adds nothing when it comes again, for each
// delivery has an id: after an error, and so where it is not known what became of the transaction, the records are to be
// sent again, by whoever and however often. Errors wrap [ErrRefused] where that will not help.
func (db *DB) Write(ctx context.Context, records []Record) (err error) {
	defer func() {
		if err != nil && !db.conn.IsClosed() {
			// The goodbye to a transaction must not wait for a context that has ended.
			rollback, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
			defer cancel()
			_, _ = db.conn.Exec(rollback, "ROLLBACK").ReadAll()
		}
	}()
	if len(records) == 1 {
		if done, err := db.writeAtOnce(ctx, &records[0]); done || err != nil {
			return refusal(err)
		}
	}
	var batch pgconn.Batch
	add(&batch, beginStatement)
	add(&batch, limitStatement)
	add(&batch, idleStatement)
	for i := range records {
		if err := db.write(ctx, &batch, &records[i]); err != nil {
			return fmt.Errorf("delivery %s: %w", records[i].ID, refusal(err))
		}
		batch = pgconn.Batch{}
	}
	add(&batch, "COMMIT")
	return refusal(committed(db.conn.ExecBatch(ctx, &batch).ReadAll()))
}

// writeAtOnce records one delivery with one message and one answer, for an agent waits. done is false for an outcome that
// is not its attempt's first: nothing is written then.
func (db *DB) writeAtOnce(ctx context.Context, r *Record) (done bool, err error) {
	var batch pgconn.Batch
	add(&batch, beginStatement)
	add(&batch, limitStatement)
	addFirst(&batch, r)
	add(&batch, "COMMIT")
	results, err := db.conn.ExecBatch(ctx, &batch).ReadAll()
	if err := committed(results, err); err != nil {
		return false, err
	}
	return !r.hasOutcome() || wrote(results[len(results)-2]), nil
}

// committed reads the answers of which the last is that to COMMIT.
func committed(results []*pgconn.Result, err error) error {
	if err != nil {
		return err
	}
	if tag := results[len(results)-1].CommandTag.String(); tag != "COMMIT" {
		return fmt.Errorf("the transaction ended with %s", tag)
	}
	return nil
}

// write records one of several deliveries, after the statements that batch holds already. Round trips are dear: what need
// not wait for an answer goes along with what was to be sent anyway.
func (db *DB) write(ctx context.Context, batch *pgconn.Batch, r *Record) error {
	addFirst(batch, r)
	results, err := db.conn.ExecBatch(ctx, batch).ReadAll()
	if err != nil || !r.hasOutcome() || wrote(results[len(results)-1]) {
		return err
	}
	// The attempt has an outcome. If it has this one, the delivery is there too, for they come together.
	o := r.Event.Outcome
	result, err := db.run(ctx, deliveryQuery, deliveryArgs(r, o.AttemptID, o.ArgsSHA256, r.Event.Name)...)
	if err != nil || !wrote(result) {
		return err
	}
	return db.furtherOutcome(ctx, o)
}

func add(batch *pgconn.Batch, statement string, args ...[]byte) {
	batch.ExecParams(statement, args, nil, nil, nil)
}

// wrote says that a statement inserted its row: that there was none of its key.
func wrote(r *pgconn.Result) bool { return r.CommandTag.RowsAffected() == 1 }

// refusal marks errors that lie in the record itself: data that a column or a constraint does not take. Where somebody
// has to do something about the database, it says what.
func refusal(err error) error {
	var pg *pgconn.PgError
	if !errors.As(err, &pg) {
		return err
	}
	switch {
	case strings.HasPrefix(pg.Code, "22"), strings.HasPrefix(pg.Code, "23"):
		return fmt.Errorf("%w: %w", ErrRefused, err)
	case pg.Code == "42P01", pg.Code == "42703": // no such table, no such column
		return fmt.Errorf("recon's tables are not there, or are older than this program; recon migrate makes them: %w", err)
	case pg.Code == "42501":
		return fmt.Errorf("this account may not record; GRANT recon_recorder lets it: %w", err)
	default:
		return err
	}
}

// addFirst adds the statements of a record that can be sent before anything is known. Of an outcome, the last one tells
// whether it was its attempt's first; else it wrote nothing.
func addFirst(batch *pgconn.Batch, r *Record) {
	e := r.Event
	switch {
	case r.Lost != "":
		lost := strings.TrimSpace("lost: " + r.Lost + " " + e.Name)
		add(batch, deliveryQuery, deliveryArgs(r, "lost:"+r.ID, "", lost)...)
	case e.Phase == capture.Pre:
		a := e.Attempt
		statement, args := attemptStatement(a)
		add(batch, statement, args...)
		add(batch, deliveryQuery, deliveryArgs(r, a.ID, a.ArgsSHA256, e.Name)...)
		if r.Killed {
			// Whatever else is known of the attempt says as much or more.
			outcome := recon.Outcome{AttemptID: a.ID, Status: recon.Unknown, Error: recon.HookKilled, ObservedAt: r.At, ArgsSHA256: a.ArgsSHA256}
			add(batch, outcomeInsertQuery, outcomeArgs(outcome)...)
		}
	case e.Phase == capture.Session:
		add(batch, sessionQuery, text(e.Session.SessionID), text(string(e.Session.Event)), moment(e.Session.At))
	default:
		o := e.Outcome
		args := deliveryArgs(r, o.AttemptID, o.ArgsSHA256, e.Name)
		add(batch, outcomeFirstQuery, append(args, text(string(o.Status)), text(o.ProviderRef), moment(o.ObservedAt), text(o.Error))...)
	}
}

// hasOutcome says that the record is of what came after a call.
func (r *Record) hasOutcome() bool {
	return r.Lost == "" && r.Event.Phase != capture.Pre && r.Event.Phase != capture.Session
}

func attemptStatement(a recon.Attempt) (statement string, args [][]byte) {
	args = [][]byte{
		text(a.ID), text(a.SessionID), text(strconv.FormatInt(a.Minor, 10)), text(a.DestAccount), text(a.Reference), moment(a.ProposedAt),
		text(a.SourceAccount), text(a.IdempotencyKey), text(a.KeySource), text(string(a.IDSource)), text(a.ArgsSHA256), text(a.Tool),
		text(a.Harness), text(a.AgentID), text(a.TurnID), text(a.Host),
	}
	if a.Currency == "" {
		return attemptDefaultCurrencyQuery, args
	}
	return attemptQuery, append(args, text(string(a.Currency)))
}

func deliveryArgs(r *Record, attemptID, argsSHA256, event string) [][]byte {
	return [][]byte{
		text(attemptID), moment(r.At), text(argsSHA256), text(event), text(string(r.Event.Harness)), text(r.Payload), text(r.PayloadSHA256), text(r.ID),
		text(phase(r.Event.Phase)), text(r.Notes),
	}
}

// phase is how a firing's phase is stored: whether it counts as a delivery of the attempt is all that matters.
func phase(p capture.Phase) string {
	switch p {
	case capture.Pre, capture.Session:
		return string(p)
	default:
		return string(capture.Post)
	}
}

func (db *DB) run(ctx context.Context, statement string, args ...[]byte) (*pgconn.Result, error) {
	result := db.conn.ExecParams(ctx, statement, args, nil, nil, nil).Read()
	return result, result.Err
}

// text is a parameter; an empty one is NULL.
func text(s string) []byte {
	if s == "" {
		return nil
	}
	return []byte(s)
}

func moment(t time.Time) []byte { return []byte(t.UTC().Format("2006-01-02T15:04:05.999999Z")) }
