package sql

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"agentrecon/ledger"
	"agentrecon/recon"
)

// History is what a report shows beside the evidence: earlier runs to compare with, decisions, overrides and slots. All
// of it is cut to what was known when the run was made, so that a past run gives the same report on any later day.
type History struct {
	Baselines    []recon.Baseline
	Dispositions []recon.Disposition
	Overrides    []recon.Override
	Slots        []recon.SlotState
	Trend        []recon.Trend
	RuleChanges  []recon.RuleChange
}

// maxSlots bounds the slots of a report: a year of nights.
const maxSlots = 400

// History reads the history of a recorded run. The result is the run's own; baseline is the run to compare with instead
// of the last issued one, 0 for none in particular.
func (b *Books) History(ctx context.Context, run recon.RunInfo, result *recon.Result, baseline int64) (History, error) {
	h, err := b.history(ctx, run, result, baseline)
	return h, explain(b.conn, err)
}

func (b *Books) history(ctx context.Context, run recon.RunInfo, result *recon.Result, baseline int64) (h History, err error) {
	rows, err := collectRuns(ctx, b.conn, query("runs"), &run.ID, &run.ID, 1)
	if err != nil {
		return h, err
	}
	if len(rows) == 0 {
		return h, fmt.Errorf("run %d: %w", run.ID, ErrNotFound)
	}
	current, err := statesOf(result)
	if err != nil {
		return h, err
	}
	if h.Dispositions, err = b.dispositionsOf(ctx, &rows[0], current); err != nil {
		return h, err
	}
	if h.Overrides, err = b.overridesOf(ctx, &rows[0]); err != nil {
		return h, err
	}
	if h.Slots, err = b.slotsOf(ctx, &rows[0]); err != nil {
		return h, err
	}
	if h.Trend, h.RuleChanges, err = b.lastRuns(ctx, run.ID); err != nil {
		return h, err
	}
	c := comparison{books: b, run: &rows[0], result: result, current: current, states: map[int64][]recon.ItemState{}}
	last, err := c.last(ctx)
	if err != nil {
		return h, err
	}
	issued, err := c.issued(ctx, baseline)
	h.Baselines = []recon.Baseline{last, issued}
	return h, err
}

// comparison compares a run with earlier ones. The last run and the last issued one are often the same, and its states are
// read once.
type comparison struct {
	books   *Books
	run     *runRow
	result  *recon.Result
	current []recon.ItemState
	states  map[int64][]recon.ItemState
}

// last compares with the run before.
func (c *comparison) last(ctx context.Context) (recon.Baseline, error) {
	base := recon.Baseline{Against: recon.BaselineLast, None: "this is the first recorded run"}
	if c.run.ID == 1 {
		return base, nil
	}
	return c.with(ctx, base, c.run.ID-1)
}

// issued compares with the last issued run, or with one that was asked for.
func (c *comparison) issued(ctx context.Context, asked int64) (recon.Baseline, error) {
	base := recon.Baseline{Against: recon.BaselineIssued, None: "no report was issued before this run"}
	if asked != 0 {
		if asked >= c.run.ID {
			return base, fmt.Errorf("baseline run %d: expected a run before run %d: %w", asked, c.run.ID, ErrNotFound)
		}
		base.Against = fmt.Sprintf("run %d, as asked", asked)
		return c.with(ctx, base, asked)
	}
	var id int64
	err := c.books.conn.QueryRow(ctx, query("history_issued"), c.run.ID, c.run.RecordedAt).Scan(&id, &base.IssuedBy, &base.IssuedAt)
	if errors.Is(err, pgx.ErrNoRows) {
		return base, nil
	}
	if err != nil {
		return base, err
	}
	base.IssuedAt = base.IssuedAt.UTC()
	return c.with(ctx, base, id)
}

// with compares with one run.
func (c *comparison) with(ctx context.Context, base recon.Baseline, id int64) (recon.Baseline, error) {
	rows, err := collectRuns(ctx, c.books.conn, query("runs"), &id, &id, 1)
	if err != nil {
		return base, err
	}
	if len(rows) == 0 {
		return base, fmt.Errorf("baseline run %d: %w", id, ErrNotFound)
	}
	before, known := c.states[id]
	if !known {
		if before, err = c.books.statesAsOf(ctx, id); err != nil {
			return base, err
		}
		c.states[id] = before
	}
	newRules := rows[0].RuleSet != c.run.RuleSet || string(rows[0].policy) != string(c.run.policy)
	base.Run, base.None = rows[0].RunInfo, ""
	base.Opening, base.Changes = recon.Compare(before, c.current, c.result.Period, newRules)
	return base, nil
}

// statesAsOf is what was concluded of every item up to a run.
func (b *Books) statesAsOf(ctx context.Context, run int64) ([]recon.ItemState, error) {
	rows, err := b.conn.Query(ctx, query("history_states"), run)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (recon.ItemState, error) {
		var s recon.ItemState
		var class, outcome, settlement, currency *string
		var at, on *time.Time
		var classes []*string // NULL where the item was cleared
		err := row.Scan(&s.Population, &s.Item, &class, &s.Content, &outcome, &settlement, &s.Minor, &currency, &at, &on, &classes)
		s.WasOpen = slices.ContainsFunc(classes, func(c *string) bool {
			return c != nil && recon.RollsForward(recon.InfoOf(s.Population, recon.Class(*c)).Kind)
		})
		s.Class, s.Outcome = recon.Class(deref(class)), recon.OutcomeAxis(deref(outcome))
		s.Settlement, s.Currency = recon.SettlementAxis(deref(settlement)), ledger.Currency(deref(currency))
		if s.Population == recon.Outcomes {
			s.Outcome = ""
		}
		if at != nil {
			s.At = at.UTC()
		}
		s.On = dayOf(on)
		return s, err
	})
}

// statesOf is the same of a result that is at hand.
func statesOf(result *recon.Result) ([]recon.ItemState, error) {
	found, err := findingsOf(result)
	if err != nil {
		return nil, err
	}
	content := make(map[itemKey]string, len(found))
	for n := range found {
		content[itemKey{recon.Population(found[n].population), found[n].item}] = found[n].content
	}
	states := make([]recon.ItemState, 0, len(found))
	add := func(s recon.ItemState) {
		s.Content = content[itemKey{s.Population, s.Item}]
		states = append(states, s)
	}
	listed := result.Listed()
	for _, f := range listed.Attempts {
		add(recon.ItemState{
			Population: recon.Attempts, Item: f.Attempt.ID, Class: f.Class, Outcome: f.Evidence.Outcome, Settlement: f.Evidence.Settlement,
			Minor: f.Attempt.Minor, Currency: f.Attempt.Currency, At: f.Attempt.ProposedAt,
		})
	}
	for _, f := range listed.Entries {
		add(recon.ItemState{
			Population: recon.Entries, Item: f.Entry.ID, Class: f.Class, Minor: f.Entry.Outflow(), Currency: f.Entry.Currency, On: f.Entry.BookedOn,
		})
	}
	for _, f := range listed.Outcomes {
		add(recon.ItemState{Population: recon.Outcomes, Item: f.Outcome.AttemptID, Class: f.Class, At: f.Outcome.ObservedAt})
	}
	return states, nil
}

// itemKey names an item across populations.
type itemKey struct {
	population recon.Population
	item       string
}

func stateIndex(states []recon.ItemState) map[itemKey]*recon.ItemState {
	index := make(map[itemKey]*recon.ItemState, len(states))
	for n := range states {
		index[itemKey{states[n].Population, states[n].Item}] = &states[n]
	}
	return index
}

// dispositionsOf are the decisions that a run could see, each marked if its item is another now.
func (b *Books) dispositionsOf(ctx context.Context, run *runRow, current []recon.ItemState) ([]recon.Disposition, error) {
	all, err := b.dispositions(ctx, newRows(query("history_dispositions"), runRow{}, run, 0))
	if err != nil {
		return nil, err
	}
	now := stateIndex(current)
	for n := range all {
		s := now[itemKey{all[n].Population, all[n].Item}]
		all[n].Reopened = s == nil || s.Class != all[n].Class || s.Content != all[n].Content
	}
	return all, nil
}

func (b *Books) dispositions(ctx context.Context, statement string) ([]recon.Disposition, error) {
	rows, err := b.conn.Query(ctx, statement)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (recon.Disposition, error) {
		var d recon.Disposition
		var evidence, approver, owner *string
		var due, approved *time.Time
		err := row.Scan(&d.Population, &d.Item, &d.Decision, &d.Note, &evidence, &d.Class, &d.Content, &d.PreparedBy, &approver, &d.DecidedAt, &owner, &due, &approved)
		d.EvidenceRef, d.ApprovedBy, d.DecidedAt, d.Owner = deref(evidence), deref(approver), d.DecidedAt.UTC(), deref(owner)
		d.Due, d.ApprovedOn = dayOf(due), dayOf(approved)
		return d, err
	})
}

// dayOf is a date as the database gives it; nil is none.
func dayOf(t *time.Time) ledger.Date {
	if t == nil {
		return 0
	}
	return ledger.DateOf(*t, time.UTC)
}

// nullDay is a date as the database takes it; none is NULL.
func nullDay(d ledger.Date) *time.Time {
	if d.IsZero() {
		return nil
	}
	t := d.Time()
	return &t
}

func (b *Books) overridesOf(ctx context.Context, run *runRow) ([]recon.Override, error) {
	rows, err := b.conn.Query(ctx, newRows(query("history_overrides"), runRow{}, run, 0))
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (recon.Override, error) {
		var o recon.Override
		err := row.Scan(&o.Kind, &o.Subject, &o.Reason, &o.DecidedBy, &o.DecidedAt)
		o.DecidedAt = o.DecidedAt.UTC()
		return o, err
	})
}

func (b *Books) slotsOf(ctx context.Context, run *runRow) ([]recon.SlotState, error) {
	rows, err := b.conn.Query(ctx, newRows(query("history_slots"), runRow{}, run, 0), maxSlots)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (recon.SlotState, error) {
		var s recon.SlotState
		var run *int64
		var detail *string
		err := row.Scan(&s.Slot, &s.DueAt, &s.State, &s.Tries, &run, &detail)
		if run != nil {
			s.RunID = *run
		}
		s.DueAt, s.Detail = s.DueAt.UTC(), deref(detail)
		return s, err
	})
}

// Dispositions returns every decision ever recorded, oldest first.
func (db *DB) Dispositions(ctx context.Context) ([]recon.Disposition, error) {
	var all []recon.Disposition
	err := db.inTx(ctx, readOnly, func(conn *pgx.Conn) (err error) {
		all, err = (&Books{conn: conn}).dispositions(ctx, query("dispositions_list"))
		return err
	})
	return all, err
}

// ErrUnknownItem refuses a decision on an item that no run lists.
var ErrUnknownItem = errors.New("no such item is listed")

// AddDispositions records decisions on items as a run had concluded them, all or none. Class and content are taken from
// the run, and a decision that stands already, word for word, is not recorded again. It returns how many were new.
func (db *DB) AddDispositions(ctx context.Context, run int64, decisions []recon.Disposition) (added int, err error) {
	err = db.inTx(ctx, readWrite, func(conn *pgx.Conn) error {
		b := &Books{conn: conn}
		states, err := b.statesAsOf(ctx, run)
		if err != nil {
			return err
		}
		recorded, err := b.dispositions(ctx, query("dispositions_list"))
		if err != nil {
			return err
		}
		known, latest := stateIndex(states), map[itemKey]recon.Disposition{}
		for _, d := range recorded {
			latest[itemKey{d.Population, d.Item}] = d
		}
		for _, d := range decisions {
			at := known[itemKey{d.Population, d.Item}]
			if at == nil || at.Class == "" {
				return fmt.Errorf("%s %q: run %d: %w", d.Population, d.Item, run, ErrUnknownItem)
			}
			d.Class, d.Content = at.Class, at.Content
			// The same decision on another day is no other decision.
			before := latest[itemKey{d.Population, d.Item}]
			before.DecidedAt = d.DecidedAt
			if before == d {
				continue
			}
			latest[itemKey{d.Population, d.Item}] = d
			if _, err := conn.Exec(ctx, query("disposition_insert"), d.Population, d.Item, d.Decision, d.Note, null(d.EvidenceRef), d.Class, d.Content,
				d.PreparedBy, null(d.ApprovedBy), d.DecidedAt, null(d.Owner), nullDay(d.Due), nullDay(d.ApprovedOn)); err != nil {
				return fmt.Errorf("%s %q: %w", d.Population, d.Item, err)
			}
			added++
		}
		return nil
	})
	return added, err
}
