package recorder

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"

	"agentrecon/recon"
	"agentrecon/recon/capture"
)

// What callers branch on.
var (
	// ErrSettings: the settings of the database cannot be read. They are never quoted, for they may hold a password.
	ErrSettings = errors.New("the settings of the database cannot be read")
	// ErrRefused: the database is there and refuses this very record, now and later.
	ErrRefused = errors.New("the database refuses the record")
	// ErrUncertain: COMMIT was sent and its answer did not come. The transaction's id says later what became of it.
	ErrUncertain = errors.New("it is not known whether the record was committed")
)

//go:embed queries/*.sql
var queryFiles embed.FS

var queries = struct {
	attempt, attemptDefaultCurrency, delivery, outcomeCurrent, outcomeInsert, outcomeUpdate, session, transaction, transactionFate string
}{
	attempt: query("attempt"), attemptDefaultCurrency: query("attempt_default_currency"), delivery: query("delivery"),
	outcomeCurrent: query("outcome_current"), outcomeInsert: query("outcome_insert"), outcomeUpdate: query("outcome_update"),
	session: query("session"), transaction: query("transaction"), transactionFate: query("transaction_fate"),
}

func query(name string) string {
	text, err := queryFiles.ReadFile("queries/" + name + ".sql")
	if err != nil {
		panic("recorder: query " + name + " is not in the program: " + err.Error())
	}
	return string(text)
}

// serverPatience bounds a statement at the server, should the hook be gone by then.
const serverPatience = 5 * time.Second

// limitStatement bounds the statements of a transaction at the server. In the transaction and not at connection start:
// poolers refuse settings there.
var limitStatement = "SET LOCAL statement_timeout = " + strconv.FormatInt(serverPatience.Milliseconds(), 10)

// idleStatement ends a transaction whose hook is gone.
var idleStatement = "SET LOCAL idle_in_transaction_session_timeout = " + strconv.FormatInt(serverPatience.Milliseconds(), 10)

// DB is one connection.
type DB struct{ conn *pgconn.PgConn }

// Open connects. An empty url means the PG* variables of libpq. A server that is not this machine must prove who it
// is unless the settings name an sslmode.
func Open(ctx context.Context, url string) (*DB, error) {
	config, err := pgconn.ParseConfig(url)
	if err == nil && !strings.Contains(url, "sslmode") && os.Getenv("PGSSLMODE") == "" && !local(config) {
		config, err = pgconn.ParseConfig(withVerification(url))
	}
	if err != nil {
		return nil, ErrSettings // the driver's words may quote them
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

func withVerification(url string) string {
	switch {
	case !strings.Contains(url, "://"):
		return url + " sslmode=verify-full"
	case strings.Contains(url, "?"):
		return url + "&sslmode=verify-full"
	default:
		return url + "?sslmode=verify-full"
	}
}

func local(c *pgconn.Config) bool {
	hosts := []string{c.Host}
	for _, f := range c.Fallbacks {
		hosts = append(hosts, f.Host)
	}
	for _, host := range hosts {
		addr, err := netip.ParseAddr(host)
		if host != "localhost" && !strings.HasPrefix(host, "/") && !strings.HasPrefix(host, "@") && (err != nil || !addr.IsLoopback()) {
			return false
		}
	}
	return true
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

// Write records deliveries in one transaction. beforeCommit, if not nil, gets the transaction's id when everything
// but COMMIT is done; its error calls the transaction off. Errors wrap [ErrRefused] or [ErrUncertain] where that is
// what they mean; the id is returned with the latter, unless the record may be sent again without it.
func (db *DB) Write(ctx context.Context, records []Record, beforeCommit func(transaction string) error) (transaction string, err error) {
	defer func() {
		if err != nil && !errors.Is(err, ErrUncertain) && !db.conn.IsClosed() {
			// The goodbye to a transaction must not wait for a context that has ended.
			rollback, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
			defer cancel()
			_, _ = db.conn.Exec(rollback, "ROLLBACK").ReadAll()
		}
	}()
	if len(records) == 1 && beforeCommit == nil && records[0].Lost == "" && records[0].Event.Phase == capture.Pre {
		return "", db.writeAtOnce(ctx, &records[0])
	}
	if transaction, err = db.begin(ctx, records); err != nil {
		return "", refusal(err)
	}
	if beforeCommit != nil {
		if err := beforeCommit(transaction); err != nil {
			return "", err
		}
	}
	if err = committed(db.conn.Exec(ctx, "COMMIT").ReadAll()); err != nil && !errors.Is(err, ErrUncertain) {
		transaction = "" // nothing was committed
	}
	return transaction, err
}

// committed reads the answers of which the last is that to COMMIT.
func committed(results []*pgconn.Result, err error) error {
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		return refusal(err) // the server answered: nothing was committed
	}
	if err != nil {
		return fmt.Errorf("%w: %w", ErrUncertain, err)
	}
	if tag := results[len(results)-1].CommandTag.String(); tag != "COMMIT" {
		return fmt.Errorf("the transaction ended with %s", tag)
	}
	return nil
}

// writeAtOnce records a firing before a call with one message and one answer, for an agent waits. It asks for no
// transaction's id: both statements add nothing when they come again.
func (db *DB) writeAtOnce(ctx context.Context, r *Record) error {
	var batch pgconn.Batch
	batch.ExecParams("BEGIN", nil, nil, nil, nil)
	batch.ExecParams(limitStatement, nil, nil, nil, nil)
	addFiring(&batch, r)
	batch.ExecParams("COMMIT", nil, nil, nil, nil)
	return committed(db.conn.ExecBatch(ctx, &batch).ReadAll())
}

// addFiring adds the attempt and the delivery of a firing before a call.
func addFiring(batch *pgconn.Batch, r *Record) {
	a := r.Event.Attempt
	statement, args := attemptStatement(a)
	batch.ExecParams(statement, args, nil, nil, nil)
	batch.ExecParams(queries.delivery, deliveryArgs(r, a.ID, a.ArgsSHA256, r.Event.Name), nil, nil, nil)
}

// refusal marks errors that lie in the record itself: data that a column or a constraint does not take.
func refusal(err error) error {
	var pg *pgconn.PgError
	if errors.As(err, &pg) && (strings.HasPrefix(pg.Code, "22") || strings.HasPrefix(pg.Code, "23")) {
		return fmt.Errorf("%w: %w", ErrRefused, err)
	}
	return err
}

// begin begins the transaction, asks for its id and writes the records. Round trips are dear while an agent waits: what
// need not wait for an answer goes along with what was to be sent anyway.
func (db *DB) begin(ctx context.Context, records []Record) (transaction string, err error) {
	var batch pgconn.Batch
	statements := []string{"BEGIN", limitStatement, idleStatement, queries.transaction}
	for _, statement := range statements {
		batch.ExecParams(statement, nil, nil, nil, nil)
	}
	for i := range max(1, len(records)) {
		if i < len(records) {
			addFirst(&batch, &records[i])
		}
		results, err := db.conn.ExecBatch(ctx, &batch).ReadAll()
		if err == nil && i == 0 {
			transaction = string(results[len(statements)-1].Rows[0][0])
		}
		if err == nil && i < len(records) {
			err = db.finish(ctx, &records[i], results[len(results)-1])
		}
		if err != nil && i < len(records) {
			err = fmt.Errorf("delivery %s: %w", records[i].ID, err)
		}
		if err != nil {
			return "", err
		}
		batch = pgconn.Batch{}
	}
	return transaction, nil
}

// addFirst adds the statements of a record that can be sent before anything is known. Its own outcome is the last.
func addFirst(batch *pgconn.Batch, r *Record) {
	e := r.Event
	switch {
	case r.Lost != "":
		lost := strings.TrimSpace("lost: " + r.Lost + " " + e.Name)
		batch.ExecParams(queries.delivery, deliveryArgs(r, "lost:"+r.ID, "", lost), nil, nil, nil)
	case e.Phase == capture.Pre:
		addFiring(batch, r)
		if r.Killed {
			// Whatever else is known of the attempt says as much or more.
			outcome := recon.Outcome{AttemptID: e.Attempt.ID, Status: recon.Unknown, Error: recon.HookKilled, ObservedAt: r.At, ArgsSHA256: e.Attempt.ArgsSHA256}
			batch.ExecParams(queries.outcomeInsert, outcomeArgs(outcome), nil, nil, nil)
		}
	case e.Phase == capture.Session:
		batch.ExecParams(queries.session, [][]byte{text(e.Session.SessionID), text(string(e.Session.Event)), moment(e.Session.At)}, nil, nil, nil)
	default:
		batch.ExecParams(queries.delivery, deliveryArgs(r, e.Outcome.AttemptID, e.Outcome.ArgsSHA256, e.Name), nil, nil, nil)
		batch.ExecParams(queries.outcomeInsert, outcomeArgs(e.Outcome), nil, nil, nil)
	}
}

// finish does what hangs on the answer to a record's last statement: an outcome that is not the attempt's first.
func (db *DB) finish(ctx context.Context, r *Record, last *pgconn.Result) error {
	switch r.Event.Phase {
	case capture.Pre, capture.Session:
		return nil
	}
	if r.Lost != "" || last.CommandTag.RowsAffected() == 1 {
		return nil
	}
	return db.furtherOutcome(ctx, r.Event.Outcome)
}

func attemptStatement(a recon.Attempt) (statement string, args [][]byte) {
	args = [][]byte{
		text(a.ID), text(a.SessionID), text(strconv.FormatInt(a.Minor, 10)), text(a.DestAccount), text(a.Reference), moment(a.ProposedAt),
		text(a.SourceAccount), text(a.IdempotencyKey), text(a.KeySource), text(string(a.IDSource)), text(a.ArgsSHA256), text(a.Tool),
		text(a.Harness), text(a.AgentID), text(a.TurnID),
	}
	if a.Currency == "" {
		return queries.attemptDefaultCurrency, args
	}
	return queries.attempt, append(args, text(string(a.Currency)))
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

// Fate is what became of a transaction.
type Fate string

// The fates. Forgotten: too long ago for the server to say, or of another cluster.
const (
	Committed  Fate = "committed"
	Aborted    Fate = "aborted"
	InProgress Fate = "in progress"
	Forgotten  Fate = "forgotten"
)

// Fate asks what became of a transaction.
func (db *DB) Fate(ctx context.Context, transaction string) (Fate, error) {
	result, err := db.run(ctx, queries.transactionFate, text(transaction))
	var pg *pgconn.PgError
	switch {
	case errors.As(err, &pg) && strings.HasPrefix(pg.Code, "22"): // an id that this server has not reached
		return Forgotten, nil
	case err != nil:
		return "", err
	case result.Rows[0][0] == nil:
		return Forgotten, nil
	}
	return Fate(result.Rows[0][0]), nil
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
