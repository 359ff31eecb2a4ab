package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"agentrecon/recon/capture"
	"agentrecon/sql/recorder"
)

// The deadline of a hook, all in all. It must stay well below what harnesses give (10 s in the settings that install
// prints): where inner times add up to more than the outer one, the harness kills the hook and the record is gone.
const (
	deadline       = 2 * time.Second
	stdinPatience  = 1500 * time.Millisecond
	reservedOnDisk = 300 * time.Millisecond // for the spool, out of the deadline
	drainPatience  = 300 * time.Millisecond // for older records, after a success
)

// maxReason bounds why a delivery is lost, in bytes.
const maxReason = 200

// hook is one firing.
type hook struct {
	*process
	settings settings
	phase    capture.Phase
	begun    time.Time
	harness  capture.Harness // who called, as far as it is known
	payload  payload
	marking  chan struct{}    // closed when marker is set; nil if no marker is to be
	marker   *recorder.Marker // says that the hook has not answered; nil if there is none
}

// newHook starts a firing: the clock runs from here. A hook ends by itself within its deadline, so that it does not
// listen to who wants it to end: a Ctrl-C that is meant for the agent reaches it too, and would cost the record.
func newHook(p *process, phase capture.Phase) *hook {
	signal.Ignore(syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	// UTC: the machine's zone is read from disk at its first use.
	return &hook{process: p, phase: phase, begun: p.now().UTC()}
}

// read drains stdin, whatever else is wrong, and says what came. An event that cannot be read is a lost delivery: err
// says why, and its record holds the bytes.
func (h *hook) read(set func(*settings) error) (capture.Event, error) {
	flagErr := set(&h.settings)
	h.payload = readPayload(h.stdin, stdinPatience)
	harness, err := capture.ParseHarness(h.settings.harness)
	h.harness = harness
	if err := errors.Join(flagErr, err); err != nil {
		return h.lostEvent(), fmt.Errorf("flags: %w", err)
	}
	if h.payload.lost != "" {
		return h.lostEvent(), errors.New(h.payload.lost)
	}
	rules, err := h.settings.rules(h.process)
	if err != nil {
		return h.lostEvent(), fmt.Errorf("rules: %w", err)
	}
	event, err := rules.Read(h.payload.bytes, capture.Options{
		Harness: harness, Hint: h.phase, At: h.begun.Round(time.Microsecond), FillKey: h.settings.fillKey,
		ApprovedElsewhere: h.settings.approvedElsewhere,
	})
	if event.Harness != "" {
		h.harness = event.Harness
	}
	if err != nil {
		return h.lostEvent(), err
	}
	return event, nil
}

func (h *hook) lostEvent() capture.Event {
	return capture.Event{Harness: h.harness, Phase: h.phase}
}

// begin marks on disk that the hook is at work, so that its being killed leaves evidence. It does so while the connection
// is made; marked says when it is done. It is no more than evidence: a payment is not blocked for want of a marker.
func (h *hook) begin(r recorder.Record) {
	h.marking = make(chan struct{})
	go func() {
		defer close(h.marking)
		defer func() { _ = recover() }() // uncaught, a panic here would end the hook with the status that blocks
		if spool, err := h.settings.spool(h.process); err == nil {
			h.marker, _ = spool.Begin(r)
		}
	}()
}

func (h *hook) marked() {
	if h.marking != nil {
		<-h.marking
	}
}

// end takes the marker away. It comes before every answer.
func (h *hook) end() {
	h.marked()
	if err := h.marker.End(); err != nil {
		h.complain(err)
	}
	h.marker = nil
}

// record makes the record of an event, or of a lost delivery if lost is not nil.
func (h *hook) record(event capture.Event, lost error) recorder.Record {
	if lost == nil && event.Phase == capture.Pre {
		event.Attempt.Host = h.settings.hostName(h.process)
	}
	r := recorder.NewRecord(newID(), h.begun.Round(time.Microsecond), event, h.payload.bytes)
	if lost != nil {
		r.Lost = lost.Error()
		r.Lost = strings.ToValidUTF8(r.Lost[:min(len(r.Lost), maxReason)], "")
	}
	return r
}

// newID makes the id of a delivery: a random UUID.
func newID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails: the program ends instead
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// keep stores a record: in the database, else on disk. after, to be called when the harness has its answer, uses what is
// left of the deadline for records of earlier firings.
func (h *hook) keep(r recorder.Record) (after func(), err error) {
	after = func() {}
	spool, spoolErr := h.settings.spool(h.process)
	ctx, cancel := context.WithDeadline(context.Background(), h.begun.Add(deadline-reservedOnDisk))
	defer cancel()
	db, dbErr := h.open(ctx)
	h.marked() // before anything is written, for a hook may be killed while it writes
	if dbErr == nil {
		dbErr = write(ctx, db, r)
	}
	if dbErr == nil {
		if spoolErr != nil {
			return db.Leave, nil
		}
		return func() { h.drainSome(spool, db) }, nil
	}
	if spoolErr == nil {
		if spoolErr = spool.Add(r); spoolErr == nil {
			return after, nil
		}
	}
	return after, fmt.Errorf("the payment could not be recorded: database: %w; disk: %w", dbErr, spoolErr)
}

var errNoDatabase = errors.New("none is set")

func (h *hook) open(ctx context.Context) (*recorder.DB, error) {
	url, ok := h.settings.url(h.process)
	if !ok {
		return nil, errNoDatabase
	}
	return recorder.Open(ctx, url)
}

func write(ctx context.Context, db *recorder.DB, r recorder.Record) error {
	err := db.Write(ctx, []recorder.Record{r})
	if err != nil {
		// Not waited for: the record must reach the disk.
		go db.Close(context.WithoutCancel(ctx))
	}
	return err
}

func (h *hook) drainSome(spool recorder.Spool, db *recorder.DB) {
	until := h.begun.Add(deadline)
	if soon := h.now().Add(drainPatience); soon.Before(until) {
		until = soon
	}
	ctx, cancel := context.WithDeadline(context.Background(), until)
	defer cancel()
	_, _ = spool.Drain(ctx, db) // what fails here waits for the next firing
	db.Leave()
}

// print writes an answer. It is not an error that nobody reads it.
func (h *hook) print(a capture.Answer) int {
	h.end()
	_, _ = io.WriteString(h.stdout, a.Stdout)
	if a.Stderr != "" {
		_, _ = io.WriteString(h.stderr, a.Stderr)
	}
	return a.Status
}
