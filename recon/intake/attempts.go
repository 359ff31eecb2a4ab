package intake

import (
	"io"
	"time"

	"agentrecon/ledger/tabular"
	"agentrecon/recon"
)

const (
	attemptID = iota
	attemptSession
	attemptAmount
	attemptCurrency
	attemptSource
	attemptDest
	attemptRef
	attemptKey
	attemptIDSource
	attemptProposed
	attemptTool
	attemptHarness
	attemptAgent
	attemptTurn
	attemptHost
	attemptArgs
	attemptKeySource
)

var attemptColumns = []tabular.Column{
	attemptID:        {Name: "attempt_id", Required: true},
	attemptSession:   {Name: "session_id", Required: true},
	attemptAmount:    {Name: "amount_cents", Required: true},
	attemptCurrency:  {Name: "currency"},
	attemptSource:    {Name: "source_account"},
	attemptDest:      {Name: "dest_account", Required: true},
	attemptRef:       {Name: "ref"},
	attemptKey:       {Name: "idempotency_key"},
	attemptIDSource:  {Name: "id_source"},
	attemptProposed:  {Name: "proposed_at", Required: true},
	attemptTool:      {Name: "tool"},
	attemptHarness:   {Name: "harness"},
	attemptAgent:     {Name: "agent_id"},
	attemptTurn:      {Name: "turn_id"},
	attemptHost:      {Name: "host"},
	attemptArgs:      {Name: "args_sha256"},
	attemptKeySource: {Name: "key_source"},
}

// keySources are who made an idempotency key.
var keySources = []string{"caller", "hook"}

// AttemptRow is a row of an attempts file.
type AttemptRow struct {
	recon.Attempt
	Line int // in its file, from 1

	// Delivery marks another firing of the call of a row before it: the same attempt in everything but
	// ProposedAt. The attempt was proposed at the earliest of these times, which may be this one.
	Delivery bool
}

// Attempts reads a file of attempts. The row handed to each is good during the call only; its strings stay
// good. Another firing of the same call is handed on once for each time; the same firing again is a repeat.
func Attempts(name string, r io.Reader, options Options, each func(*AttemptRow) error) (Summary, error) {
	a := &attempts{file: file{name: name, population: "attempts", options: options, columns: attemptColumns}}
	return a.scan(r, func(row *tabular.Row) error { return a.read(row, each) }, a.content)
}

type attempts struct {
	file
	row     AttemptRow   // reused
	firings tabular.Once // the later firings handed on
}

func (a *attempts) read(row *tabular.Row, each func(*AttemptRow) error) error {
	content := a.content(row)
	if err := row.Err(); err != nil {
		return err
	}
	a.key = append(a.key[:0], a.row.ID...)
	seen, first, err := a.once.SeeAt(row, attemptID, a.key, content, a.row.ProposedAt.UnixMicro())
	if err != nil {
		return err
	}
	if seen {
		return a.again(row, first, each)
	}
	if err := a.count(row, a.row.Minor, a.row.Currency, attemptCurrency); err != nil {
		return err
	}
	return each(&a.row)
}

// again takes a row of an attempt that was there before: another firing, or one that was there too.
func (a *attempts) again(row *tabular.Row, first int64, each func(*AttemptRow) error) error {
	repeat := a.row.ProposedAt.UnixMicro() == first
	if !repeat {
		var err error
		repeat, err = a.firings.See(row, attemptID, appendTime(a.key, a.row.ProposedAt), nil)
		if err != nil {
			return err
		}
	}
	if repeat {
		a.summary.Repeats++
		return nil
	}
	a.summary.Deliveries++
	a.row.Delivery = true
	return each(&a.row)
}

// content decodes a row into the reused one and returns what it says of the attempt: everything but the time.
func (a *attempts) content(row *tabular.Row) tabular.Content {
	minor, currency := a.money(row, attemptAmount, attemptCurrency)
	a.row = AttemptRow{Line: row.Line(), Attempt: recon.Attempt{
		ID:             row.Need(attemptID, row.ID(attemptID)),
		SessionID:      row.Need(attemptSession, row.ID(attemptSession)),
		Minor:          minor,
		Currency:       currency,
		SourceAccount:  row.ID(attemptSource),
		DestAccount:    row.ID(attemptDest),
		Reference:      row.Text(attemptRef),
		IdempotencyKey: row.ID(attemptKey),
		KeySource:      tabular.OneOf(row, attemptKeySource, keySources),
		IDSource:       tabular.OneOf(row, attemptIDSource, recon.IDSources),
		ArgsSHA256:     digest(row, attemptArgs),
		Tool:           row.ID(attemptTool),
		Harness:        row.ID(attemptHarness),
		AgentID:        row.ID(attemptAgent),
		TurnID:         row.ID(attemptTurn),
		Host:           row.ID(attemptHost),
		ProposedAt:     row.Instant(attemptProposed),
	}}
	row.Need(attemptProposed, row.Field(attemptProposed))
	if a.row.IDSource == "" {
		a.row.IDSource = recon.IDUnspecified
	}
	x := &a.row
	a.buf = a.buf[:0].
		Text(attemptID, x.ID).Text(attemptSession, x.SessionID).
		Int(attemptAmount, x.Minor).Text(attemptCurrency, string(x.Currency)).
		Text(attemptSource, x.SourceAccount).Text(attemptDest, x.DestAccount).
		Text(attemptRef, x.Reference).Text(attemptKey, x.IdempotencyKey).Text(attemptIDSource, string(x.IDSource)).
		Text(attemptTool, x.Tool).Text(attemptHarness, x.Harness).Text(attemptAgent, x.AgentID).Text(attemptTurn, x.TurnID).
		Text(attemptArgs, x.ArgsSHA256).Text(attemptKeySource, x.KeySource)
	return a.buf
}

// appendTime appends an instant to a key.
func appendTime(b []byte, t time.Time) []byte {
	return t.AppendFormat(append(b, 0), time.RFC3339Nano)
}
