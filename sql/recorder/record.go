package recorder

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"agentrecon/ledger"
	"agentrecon/recon"
	"agentrecon/recon/capture"
)

// MaxPayload bounds what is kept of a payload's bytes. Of a longer one only the hash is.
const MaxPayload = 256 << 10

// maxNotes bounds what is kept of the notes, in bytes.
const maxNotes = 500

// A Record is one delivery of a hook, ready to be written.
type Record struct {
	ID string // made by the recorder for this delivery: a UUID
	At time.Time

	Event capture.Event // without what only the harness's answer needs
	// Lost says why the delivery holds nothing but its bytes: empty, cut off, too large. Event is then empty but for
	// Harness and Phase.
	Lost string

	Payload       string // empty if it is too long or not a text that PostgreSQL takes
	PayloadSHA256 string

	// Notes say what could not be taken as it came, such as an amount that is not exact. Empty if all could.
	Notes string
	// Killed: the hook of this record, before a call, was killed before it answered.
	Killed bool
}

// NewRecord makes the record of a delivery.
func NewRecord(id string, at time.Time, e capture.Event, payload []byte) Record {
	sum := sha256.Sum256(payload)
	r := Record{ID: id, At: at, Event: e, PayloadSHA256: hex.EncodeToString(sum[:])}
	if len(payload) <= MaxPayload && utf8.Valid(payload) && !strings.ContainsRune(string(payload), 0) {
		r.Payload = string(payload)
	}
	r.Notes = strings.Join(e.Notes, "; ")
	r.Notes = strings.ToValidUTF8(r.Notes[:min(len(r.Notes), maxNotes)], "")
	r.Event.Filled, r.Event.Notes = nil, nil
	return r
}

// line is a record as it is written to disk. Its names outlive the fields of this program: an upgrade may find
// records of the version before.
type line struct {
	ID            string       `json:"id"`
	At            time.Time    `json:"at"`
	Phase         string       `json:"phase"`
	Harness       string       `json:"harness,omitempty"`
	Name          string       `json:"event,omitempty"`
	Lost          string       `json:"lost,omitempty"`
	Attempt       *lineAttempt `json:"attempt,omitempty"`
	Outcome       *lineOutcome `json:"outcome,omitempty"`
	Session       *lineSession `json:"session,omitempty"`
	Payload       string       `json:"payload,omitempty"`
	PayloadSHA256 string       `json:"payload_sha256"`
	Notes         string       `json:"notes,omitempty"`
	Killed        bool         `json:"killed,omitempty"`
}

type lineAttempt struct {
	ID             string `json:"attempt_id"`
	SessionID      string `json:"session_id"`
	Minor          int64  `json:"amount_cents"`
	Currency       string `json:"currency,omitempty"`
	SourceAccount  string `json:"source_account,omitempty"`
	DestAccount    string `json:"dest_account,omitempty"`
	Reference      string `json:"ref,omitempty"`
	IdempotencyKey string `json:"idempotency_key,omitempty"`
	KeySource      string `json:"key_source,omitempty"`
	IDSource       string `json:"id_source"`
	ArgsSHA256     string `json:"args_sha256"`
	Tool           string `json:"tool,omitempty"`
	AgentID        string `json:"agent_id,omitempty"`
	TurnID         string `json:"turn_id,omitempty"`
	Host           string `json:"host,omitempty"`
}

type lineOutcome struct {
	AttemptID   string `json:"attempt_id"`
	Status      string `json:"status"`
	ProviderRef string `json:"provider_ref,omitempty"`
	Error       string `json:"error,omitempty"`
	ArgsSHA256  string `json:"args_sha256"`
}

type lineSession struct {
	SessionID string `json:"session_id"`
	Event     string `json:"event"`
}

// errDamaged says that a file of the spool does not hold what was written to it.
var errDamaged = errors.New("damaged")

const lineVersion = "recon-hook/1"

// encode writes a record as one line: version, SHA-256 of the rest, JSON.
func (r Record) encode() ([]byte, error) {
	e := r.Event
	l := line{
		ID: r.ID, At: r.At, Phase: string(e.Phase), Harness: string(e.Harness), Name: e.Name, Lost: r.Lost,
		Payload: r.Payload, PayloadSHA256: r.PayloadSHA256, Notes: r.Notes, Killed: r.Killed,
	}
	switch a, o := e.Attempt, e.Outcome; {
	case r.Lost != "":
	case e.Phase == capture.Pre:
		l.Attempt = &lineAttempt{
			ID: a.ID, SessionID: a.SessionID, Minor: a.Minor, Currency: string(a.Currency), SourceAccount: a.SourceAccount,
			DestAccount: a.DestAccount, Reference: a.Reference, IdempotencyKey: a.IdempotencyKey, KeySource: a.KeySource,
			IDSource: string(a.IDSource), ArgsSHA256: a.ArgsSHA256, Tool: a.Tool, AgentID: a.AgentID, TurnID: a.TurnID, Host: a.Host,
		}
	case e.Phase == capture.Session:
		l.Session = &lineSession{SessionID: e.Session.SessionID, Event: string(e.Session.Event)}
	default:
		l.Outcome = &lineOutcome{
			AttemptID: o.AttemptID, Status: string(o.Status), ProviderRef: o.ProviderRef, Error: o.Error, ArgsSHA256: o.ArgsSHA256,
		}
	}
	content, err := json.Marshal(l)
	if err != nil {
		return nil, fmt.Errorf("record %s: %w", r.ID, err)
	}
	sum := sha256.Sum256(content)
	return fmt.Appendf(nil, "%s %x %s\n", lineVersion, sum, content), nil
}

// decode reads what encode wrote.
func decode(text []byte) (Record, error) {
	content, err := verified(text)
	if err != nil {
		return Record{}, err
	}
	var l line
	if err := json.Unmarshal(content, &l); err != nil {
		return Record{}, fmt.Errorf("%w: %w", errDamaged, err)
	}
	r := Record{
		ID: l.ID, At: l.At, Lost: l.Lost, Payload: l.Payload, PayloadSHA256: l.PayloadSHA256, Notes: l.Notes, Killed: l.Killed,
		Event: capture.Event{Harness: capture.Harness(l.Harness), Name: l.Name, Phase: capture.Phase(l.Phase)},
	}
	if a := l.Attempt; a != nil {
		r.Event.Attempt = recon.Attempt{
			ID: a.ID, SessionID: a.SessionID, Minor: a.Minor, Currency: ledger.Currency(a.Currency), SourceAccount: a.SourceAccount,
			DestAccount: a.DestAccount, Reference: a.Reference, IdempotencyKey: a.IdempotencyKey, KeySource: a.KeySource,
			IDSource: recon.IDSource(a.IDSource), ArgsSHA256: a.ArgsSHA256, Tool: a.Tool, Harness: l.Harness, AgentID: a.AgentID,
			TurnID: a.TurnID, Host: a.Host, ProposedAt: l.At,
		}
	}
	if o := l.Outcome; o != nil {
		r.Event.Outcome = recon.Outcome{
			AttemptID: o.AttemptID, Status: recon.OutcomeStatus(o.Status), ProviderRef: o.ProviderRef, Error: o.Error,
			ArgsSHA256: o.ArgsSHA256, ObservedAt: l.At,
		}
	}
	if s := l.Session; s != nil {
		r.Event.Session = recon.SessionEvent{SessionID: s.SessionID, Event: recon.SessionEventKind(s.Event), At: l.At}
	}
	return r, nil
}

// verified returns the content of a line whose checksum holds.
func verified(text []byte) ([]byte, error) {
	version, rest, _ := strings.Cut(string(text), " ")
	sum, content, _ := strings.Cut(rest, " ")
	if version != lineVersion || !strings.HasSuffix(content, "\n") {
		return nil, fmt.Errorf("%w: not a whole line of %s", errDamaged, lineVersion)
	}
	content = strings.TrimSuffix(content, "\n")
	if actual := sha256.Sum256([]byte(content)); hex.EncodeToString(actual[:]) != sum {
		return nil, fmt.Errorf("%w: the checksum differs", errDamaged)
	}
	return []byte(content), nil
}
