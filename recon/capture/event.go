package capture

import (
	"bytes"
	"errors"
	"fmt"
	"time"

	"agentrecon/recon"
)

// Limits of what is stored of a payload. A real value is far below its limit.
const (
	maxNameBytes = 256
	maxTextBytes = 2000
)

// Options say what the payload itself may not.
type Options struct {
	Harness Harness // empty: the payload shows it
	Hint    Phase   // what the recorder was called for: [Pre], [Post] or [Session]
	At      time.Time

	// FillKey gives every payment without an idempotency key one, as [Tool.FillKey] does for some.
	FillKey bool
	// ApprovedElsewhere says that somebody approves calls outside the harness, so that "allow" next to changed
	// arguments skips nobody. Codex changes no arguments without that word.
	ApprovedElsewhere bool
}

// An Event is what a payload says.
type Event struct {
	Harness Harness
	Name    string // the harness's name of the event; empty if it gives none
	Phase   Phase
	// Ignored says why the event is not recorded; empty if it is.
	Ignored string

	// Attempt is of every event of a call; after the call only its ids, tool and session count.
	Attempt  recon.Attempt
	Delivery recon.Delivery     // of Pre
	Outcome  recon.Outcome      // of Post, Failure and Denied
	Session  recon.SessionEvent // of Session

	// Notes say in a few words what could not be taken as it came.
	Notes []string
	// Filled are the arguments with the recorder's idempotency key added, if it is to be added. Everything else is
	// as it came, to the byte.
	Filled []byte
}

// ErrNotEvent is wrapped where a payload is JSON, but no event of a harness.
var ErrNotEvent = errors.New("not an event of a harness")

// Read says what a payload means. The error wraps [ErrNotJSON] or [ErrNotEvent]: a delivery that is lost but for
// its bytes.
func (r Rules) Read(payload []byte, o Options) (Event, error) {
	v, err := Decode(payload)
	if err != nil {
		return Event{}, err
	}
	if v.Kind != Object {
		return Event{}, fmt.Errorf("%w: expected a JSON object", ErrNotEvent)
	}
	e := Event{Harness: o.Harness}
	if e.Harness == "" {
		e.Harness = Detect(v)
	}
	l := layouts[e.Harness]
	e.Name, e.Phase = l.phase(v, o.Hint)
	e.Name = storable(e.Name, maxNameBytes)
	session, _, _ := v.first(l.session)
	e.Attempt = recon.Attempt{
		SessionID: storableID(session.plain()),
		Harness:   string(e.Harness),
		AgentID:   storable(v.firstText(l.agent), maxNameBytes),
		TurnID:    storable(v.firstText(l.turn), maxNameBytes),
	}
	switch e.Phase {
	case Session:
		e.session(v, o.At)
	case Other:
		e.Ignored = "an event that says nothing about a payment"
	default:
		return e, e.call(r, l, v, session, o)
	}
	return e, nil
}

// call reads an event of a call.
func (e *Event) call(r Rules, l layout, v, session Value, o Options) error {
	name, _, ok := v.first(l.tool)
	if !ok || name.Kind != String || name.Text == "" {
		return fmt.Errorf("%w: %s: no tool name at %q", ErrNotEvent, e.Harness, l.tool[0])
	}
	args, at, ok := v.first(l.args)
	if !ok {
		e.note("no arguments")
	}
	for _, p := range l.textArgs {
		if p == at {
			args = args.embedded()
		}
	}
	tool, payment := r.find(l.namesOf(v, name.Text))
	switch {
	case !payment:
		e.Ignored = "not a tool for payments"
	case l.twins[e.Name]:
		e.Ignored = "another event of the same call carries its id"
	}
	id, _, _ := v.first(l.id)
	if id.Truthy() && id.Kind != String {
		e.note("the call's id is not a text and was not used")
	}
	c := call{session: session, tool: name, id: id, args: args, idGiven: id.Kind == String && id.Text != ""}
	who, key := c.known(tool)
	e.Attempt.ID, e.Attempt.IDSource, e.Attempt.ArgsSHA256 = who.attemptID, who.source, who.argsSHA256
	e.Attempt.Tool = storable(name.Text, maxNameBytes)
	if e.Phase == Pre {
		e.propose(tool, args, o.At)
		e.idempotency(tool, args, who, key, l, o)
	} else {
		e.observe(l, tool, v, o.At)
	}
	return nil
}

func (l layout) namesOf(v Value, name string) []string {
	names := bareNames(name, l.separator)
	for _, p := range l.names {
		if further := v.firstText([]Path{p}); further != "" {
			names = append(names, further)
		}
	}
	return names
}

// storableID keeps an id that fits into an index, and replaces one that does not by its hash.
func storableID(id string) string {
	if len(id) > maxIDBytes {
		return "sha256:" + digest([]byte(id))
	}
	return storable(id, len(id)*6)
}

func (e *Event) note(what string) { e.Notes = append(e.Notes, what) }

// propose reads what is to be paid.
func (e *Event) propose(tool Tool, args Value, at time.Time) {
	fields := args.embedded()
	a := &e.Attempt
	a.ProposedAt = at
	a.SourceAccount = storable(fields.firstText(tool.Source), maxTextBytes)
	a.DestAccount = storable(fields.firstText(tool.Dest), maxTextBytes)
	a.Reference = storable(fields.firstText(tool.Reference), maxTextBytes)
	e.Delivery = recon.Delivery{AttemptID: a.ID, ReceivedAt: at, ArgsSHA256: a.ArgsSHA256}
	e.money(tool, fields)
}

func (e *Event) session(v Value, at time.Time) {
	e.Session = recon.SessionEvent{SessionID: e.Attempt.SessionID, At: at, Event: sessionEvent(smallFirst(e.Name), v)}
	if e.Session.SessionID == "" {
		e.Ignored = "a session without id"
	}
}

func sessionEvent(name string, v Value) recon.SessionEventKind {
	reason := wordOf(v.firstText([]Path{"reason", "source", "properties.reason"}))
	switch {
	case name == "sessionStart" || name == "session.start":
		if reason == "resume" {
			return recon.SessionResumed
		}
		return recon.SessionStarted
	case name == "interrupt" || reason == "abort" || reason == "aborted" || reason == "interrupted":
		return recon.SessionInterrupted
	case reason == "error" || reason == "crash":
		return recon.SessionCrashed
	default:
		return recon.SessionEnded
	}
}

// observe reads what came of the call.
func (e *Event) observe(l layout, tool Tool, v Value, at time.Time) {
	o := observation{refs: tool.ProviderRef}
	interrupted := false
	switch e.Phase {
	case Denied:
		o.said = denied
		o.message = v.firstText(l.failure)
	case Failure:
		interrupted = o.failure(l, v)
	default:
		if result, _, ok := v.first(l.result); ok {
			o.response(result, 0)
		}
		if failed, _, ok := v.first(l.failure); ok && failed.Truthy() {
			o.failed(failed)
		}
	}
	e.Outcome = recon.Outcome{AttemptID: e.Attempt.ID, ArgsSHA256: e.Attempt.ArgsSHA256, Status: o.status(), ObservedAt: at}
	if interrupted && e.Outcome.Status != recon.Denied {
		e.Outcome.Status = recon.Interrupted
	}
	if len(o.ref) <= maxIDBytes {
		e.Outcome.ProviderRef = storable(o.ref, maxIDBytes)
	} else {
		e.note("the provider's reference is too long to be one")
	}
	if e.Outcome.Status != recon.Succeeded {
		e.Outcome.Error = storable(o.message, maxTextBytes)
	}
}

// failure reads the event of a call that did not come back well.
func (o *observation) failure(l layout, v Value) (interrupted bool) {
	failed, _, _ := v.first(l.failure)
	if inner := failed.embedded(); inner.Kind == Object {
		o.response(inner, 0)
	}
	o.failed(failed)
	switch v.firstText([]Path{"failure_type"}) {
	case "permission_denied":
		o.said |= denied
	case "timeout":
		o.said |= late
	}
	flag, _ := v.Get("is_interrupt")
	return flag.Kind == Bool && flag.True
}

// idempotency says which key the call carries, and fills it if nobody else did and somebody wants it.
func (e *Event) idempotency(tool Tool, args Value, who identity, given string, l layout, o Options) {
	a := &e.Attempt
	switch {
	case given == who.key:
		a.IdempotencyKey, a.KeySource = given, "hook"
	case given != "" && len(given) <= maxIDBytes:
		a.IdempotencyKey, a.KeySource = storable(given, maxIDBytes), "caller"
	case given != "":
		e.note("the idempotency key is too long to be one")
	case !o.FillKey && !tool.FillKey || e.Ignored != "":
	case l.rewrite == nil || args.Kind != Object || len(tool.IdempotencyKey) == 0 || len(tool.IdempotencyKey[0].steps()) != 1:
		e.note("no idempotency key could be filled in")
	case l.needsAllow && !o.ApprovedElsewhere:
		e.note("no idempotency key filled in: the harness takes one only together with an approval")
	default:
		name := tool.IdempotencyKey[0].steps()[0]
		e.Filled = fill(args, name, who.key)
		a.IdempotencyKey, a.KeySource = who.key, "hook"
	}
}

// known tells under which ids a call is known, and the idempotency key in its arguments. A key that the recorder
// filled in before is left out of what is hashed, so that the event after the call, which shows it, has the ids of
// the event before, which did not.
func (c call) known(tool Tool) (who identity, key string) {
	fields := c.args.embedded()
	value, at, ok := fields.first(tool.IdempotencyKey)
	key = value.plain()
	if !ok || key == "" || len(at.steps()) != 1 || c.args.Kind != Object {
		return c.identify(), key
	}
	// Where the key stood empty before, it was filled all the same: an absent one, a null and an empty text are
	// what it may have been.
	for _, before := range []*Value{nil, {Kind: Null, Raw: nullLiteral}, {Kind: String}} {
		stripped := c
		stripped.args = replace(c.args, at.steps()[0], before)
		if who := stripped.identify(); who.key == key {
			return who, key
		}
	}
	return c.identify(), key
}

// replace returns an object with another value for a member, or without the member.
func replace(object Value, name string, with *Value) Value {
	members := make([]Member, 0, len(object.Members))
	for _, m := range object.Members {
		if m.Name != name {
			members = append(members, m)
		} else if with != nil {
			members = append(members, Member{Name: name, Value: *with})
		}
	}
	object.Members = members
	return object
}

// fill writes an object again with a member added at its end, every other member in its own bytes.
func fill(object Value, name, text string) []byte {
	var b bytes.Buffer
	b.WriteByte('{')
	for _, m := range object.Members {
		if m.Name != name {
			b.Write(m.Raw)
			b.WriteByte(',')
		}
	}
	b.Write(appendString(nil, name))
	b.WriteByte(':')
	b.Write(appendString(nil, text))
	b.WriteByte('}')
	return b.Bytes()
}
