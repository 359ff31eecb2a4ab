package intake

import (
	"io"

	"agentrecon/ledger/tabular"
	"agentrecon/recon"
)

const (
	sessionID = iota
	sessionEvent
	sessionAt
)

var sessionColumns = []tabular.Column{
	sessionID:    {Name: "session_id", Required: true},
	sessionEvent: {Name: "event", Required: true},
	sessionAt:    {Name: "at", Required: true},
}

// Sessions reads a file of session events.
func Sessions(name string, r io.Reader, options Options, each func(e recon.SessionEvent, line int) error) (Summary, error) {
	s := &sessions{file: file{name: name, population: "sessions", options: options, columns: sessionColumns}}
	return s.scan(r, func(row *tabular.Row) error { return s.read(row, each) }, nil)
}

type sessions struct{ file }

func (s *sessions) read(row *tabular.Row, each func(e recon.SessionEvent, line int) error) error {
	event := recon.SessionEvent{
		SessionID: row.Need(sessionID, row.ID(sessionID)),
		Event:     tabular.OneOf(row, sessionEvent, recon.SessionEventKinds),
		At:        row.Instant(sessionAt),
	}
	row.Need(sessionEvent, row.Field(sessionEvent))
	row.Need(sessionAt, row.Field(sessionAt))
	if err := row.Err(); err != nil {
		return err
	}
	// All of a row is its key, so a row is new or a repeat, never a contradiction.
	s.key = append(append(s.key[:0], event.SessionID...), 0)
	s.key = appendTime(append(s.key, event.Event...), event.At)
	repeat, err := s.once.See(row, sessionID, s.key, nil)
	if err != nil {
		return err
	}
	if repeat {
		s.summary.Repeats++
		return nil
	}
	return each(event, row.Line())
}
