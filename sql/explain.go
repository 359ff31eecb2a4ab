package sql

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"time"

	"agentrecon/ledger"
	"agentrecon/recon"
)

// Fact is one thing known of an item, at the moment it happened. Exactly one of the pointers is set.
type Fact struct {
	At time.Time

	Attempt  *recon.Attempt      // proposed
	Delivery *recon.Delivery     // a hook fired
	Outcome  *recon.Outcome      // observed: one version
	Session  *recon.SessionEvent // of the attempt's session
	Entry    *ledger.Entry       // booked or announced; the start of its day if it gives no instant
	Finding  *FindingEvent       // said by a run
	Mark     *MarkEvent          // set by a run
}

// FindingEvent is what a run said of an item: from then on, until its next event, the item is so.
type FindingEvent struct {
	RunID       int64
	AsOf        time.Time // of the run
	Population  recon.Population
	Item        string
	Event       string // opened, changed or cleared
	Class       recon.Class
	Evidence    recon.Evidence
	Rule        string
	Reason      string
	Cause       recon.Cause
	Related     []string
	Flags       []recon.Flag
	Differences []recon.Difference
}

// MarkEvent is a mark of an attempt, or an outcome that superseded it.
type MarkEvent struct {
	recon.Mark
	Superseded bool
	Status     recon.OutcomeStatus // superseded: by this outcome
	ObservedAt time.Time
}

// Explain returns everything known of an id, in time order: of an attempt with this id, of an entry with this id or
// key, and of what either leads to by key. It returns [ErrNotFound] if nothing is. It looks through all entries.
func (b *Books) Explain(ctx context.Context, id string) ([]Fact, error) {
	e := explanation{books: b, keys: []string{id}, items: []string{id}}
	for _, step := range []func(context.Context) error{e.attempt, e.entries, e.deliveries, e.findings, e.marks} {
		if err := step(ctx); err != nil {
			return nil, explain(b.conn, err)
		}
	}
	if len(e.facts) == 0 {
		return nil, notFoundError(id)
	}
	slices.SortStableFunc(e.facts, func(x, y Fact) int { return x.At.Compare(y.At) })
	return e.facts, nil
}

// Named returns what an id names: attempts and outcomes of that id, and entries whose id, source's id ([ledger.Entry.SourceID])
// or provider id it is.
func (b *Books) Named(ctx context.Context, id string) (items recon.Items, err error) {
	ids := []string{id}
	for _, status := range ledger.Statuses {
		ids = append(ids, id+ledger.StageMark+string(status))
	}
	_, err = collect(ctx, b, "explain_named", func(r *rowReader, _ *struct{}) error {
		population, item, no := recon.Population(r.word()), r.text(), r.int8()
		switch population {
		case recon.Attempts:
			items.Attempts = append(items.Attempts, item)
		case recon.Entries:
			items.Entries = append(items.Entries, no)
		default:
			items.Outcomes = append(items.Outcomes, item)
		}
		return r.err
	}, id, ids)
	return items, explain(b.conn, err)
}

// EntriesLike returns up to twenty entries that resemble an attempt, the nearest in time first: those of its amount in
// its currency, or of its reference, around its day. It looks through all entries.
func (b *Books) EntriesLike(ctx context.Context, a recon.Attempt) ([]ledger.Entry, error) {
	entries, err := b.entries(ctx, "explain_near", a.Currency, a.Minor, a.Reference, a.ProposedAt)
	return entries, explain(b.conn, err)
}

// explanation gathers facts; keys and items grow as steps find more.
type explanation struct {
	books *Books
	keys  []string // by which an entry may name the attempt
	items []string // attempts and entries
	facts []Fact
}

func (e *explanation) attempt(ctx context.Context) error {
	outcomes, err := collect(ctx, e.books, "outcomes_by_attempt", decodeOutcome, e.items)
	if err != nil {
		return err
	}
	for n := range outcomes {
		e.facts = append(e.facts, Fact{At: outcomes[n].ObservedAt, Outcome: &outcomes[n]})
		e.keys = append(e.keys, outcomes[n].ProviderRef)
	}
	cases, err := e.books.AttemptsByID(ctx, e.items)
	if err != nil || len(cases) == 0 {
		return err
	}
	a := &cases[0].Attempt
	e.facts = append(e.facts, Fact{At: a.ProposedAt, Attempt: a})
	e.keys = append(e.keys, a.IdempotencyKey, a.Reference)
	events, err := collect(ctx, e.books, "session_events_by_id", decodeSessionEvent, []string{a.SessionID})
	for n := range events {
		e.facts = append(e.facts, Fact{At: events[n].At, Session: &events[n]})
	}
	return err
}

func (e *explanation) entries(ctx context.Context) error {
	e.keys = slices.DeleteFunc(distinct(e.keys), func(key string) bool { return key == "" })
	entries, err := e.books.entries(ctx, "explain_entries", e.keys)
	for n := range entries {
		entry := &entries[n]
		at := entry.OccurredAt
		if at.IsZero() {
			at = entry.BookedOn.Start(time.UTC)
		}
		e.facts = append(e.facts, Fact{At: at, Entry: entry})
		e.items = append(e.items, entry.ID)
	}
	return err
}

func (e *explanation) deliveries(ctx context.Context) error {
	deliveries, err := collect(ctx, e.books, "explain_deliveries", func(r *rowReader, d *recon.Delivery) error {
		*d = recon.Delivery{AttemptID: r.text(), ReceivedAt: r.time(), ArgsSHA256: r.text()}
		return r.err
	}, e.items)
	for n := range deliveries {
		e.facts = append(e.facts, Fact{At: deliveries[n].ReceivedAt, Delivery: &deliveries[n]})
	}
	return err
}

func (e *explanation) findings(ctx context.Context) error {
	events, err := collect(ctx, e.books, "explain_findings", decodeFindingEvent, e.items)
	for n := range events {
		e.facts = append(e.facts, Fact{At: events[n].AsOf, Finding: &events[n]})
	}
	return err
}

func decodeFindingEvent(r *rowReader, f *FindingEvent) error {
	*f = FindingEvent{RunID: r.int8(), AsOf: r.time(), Population: recon.Population(r.word()), Item: r.text(), Event: r.word()}
	f.Class = recon.Class(r.word())
	f.Evidence = recon.Evidence{
		Outcome: recon.OutcomeAxis(r.word()), Settlement: recon.SettlementAxis(r.word()), Variance: recon.VarianceKind(r.word()),
	}
	f.Rule, f.Reason, f.Cause = r.text(), r.text(), recon.Cause(r.text())
	related, flags, differences := r.raw(), r.raw(), r.raw()
	if r.err != nil {
		return r.err
	}
	var storedFlags []flagJSON
	var storedDifferences []differenceJSON
	err := cmp.Or(json.Unmarshal(related, &f.Related), json.Unmarshal(flags, &storedFlags), json.Unmarshal(differences, &storedDifferences))
	for _, flag := range storedFlags {
		f.Flags = append(f.Flags, recon.Flag(flag))
	}
	for _, difference := range storedDifferences {
		f.Differences = append(f.Differences, recon.Difference(difference))
	}
	return err
}

func (e *explanation) marks(ctx context.Context) error {
	marks, err := collect(ctx, e.books, "explain_marks", func(r *rowReader, m *MarkEvent) error {
		*m = MarkEvent{Superseded: r.bool()}
		m.AttemptID, m.RunID, m.MarkedAt = r.text(), r.int8(), r.time()
		m.Age, m.Threshold = time.Duration(r.int8())*time.Microsecond, time.Duration(r.int8())*time.Microsecond
		m.Status, m.ObservedAt = recon.OutcomeStatus(r.word()), r.time()
		return r.err
	}, e.items)
	for n := range marks {
		e.facts = append(e.facts, Fact{At: marks[n].MarkedAt, Mark: &marks[n]})
	}
	return err
}
