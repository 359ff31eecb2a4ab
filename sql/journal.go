package sql

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"agentrecon/recon"
)

// Why a run is not recorded although nothing is broken.
var (
	// ErrEarlierAsOf refuses to record a run that judges by an earlier moment than the last one: its conclusions may
	// be reported, but the recorded state would go back.
	ErrEarlierAsOf = errors.New("the last recorded run judged by a later moment")
	// ErrSlotDone says that the scheduled slot has its run already.
	ErrSlotDone = errors.New("the slot has its run already")
)

var _ recon.Journal = (*RunTx)(nil)

// Record implements [recon.Journal]. Of the header it takes Slot, AsOf, RecordedAt, RecordedBy,
// Program, RuleSet (default [recon.RuleSet]) and Entity; it returns it with Kind, ID, Previous, EvidenceDigest and Digest, of a run that is
// not recorded with Kind. Nothing is
// permanent before [RunTx.Commit].
func (t *RunTx) Record(ctx context.Context, header recon.RunInfo, result *recon.Result) (recon.RunInfo, error) {
	info, err := t.record(ctx, header, result)
	return info, explain(t.conn, err)
}

func (t *RunTx) record(ctx context.Context, header recon.RunInfo, result *recon.Result) (recon.RunInfo, error) {
	run, last, err := t.newRun(ctx, header, result)
	if err != nil {
		header.Kind = run.Kind
		return header, err
	}
	rows, err := findingsOf(result)
	if err != nil {
		return header, err
	}
	listed, open, err := t.standingOf(ctx, &last, result, rows)
	if err != nil {
		return header, err
	}
	if run.standing, err = encodeStanding(result, listed); err != nil {
		return header, err
	}
	run.EvidenceDigest = evidenceDigest(result, run.RuleSet, run.policy, listed)
	if run.rows, err = t.newRowsDigest(ctx, last); err != nil {
		return header, err
	}
	events := eventsOf(rows, open)
	marks, err := t.marksOf(ctx, run, result)
	if err != nil {
		return header, err
	}
	dispositions, err := t.dispositionsDigest(ctx, last, nil)
	if err != nil {
		return header, err
	}
	run.Digest = run.digest(events, marks, dispositions)
	if err := t.insertRun(ctx, run); err != nil {
		return header, err
	}
	if err := t.copyFindings(ctx, run.ID, events); err != nil {
		return header, err
	}
	if err := t.keepOpen(ctx, result); err != nil {
		return header, err
	}
	if err := t.copyMarks(ctx, run.ID, marks); err != nil {
		return header, err
	}
	if result.Since == nil && len(events) >= analyseRows {
		// A run may come before autovacuum does; one that carries on asks by index whatever the planner knows. Who does not own the tables gets a warning, which nobody sees.
		err = simple(ctx, t.conn, "ANALYZE recon_findings, recon_links, recon_open, recon_open_keys, unknown_marks")
	}
	return run.RunInfo, err
}

// standingOf is the sum of everything that is listed as of the run, and what was listed before of the items that it looked
// at, sorted by population and item.
func (t *RunTx) standingOf(ctx context.Context, last *runRow, result *recon.Result, rows []findingRow) (contentSum, []openItem, error) {
	if result.Since == nil {
		open, err := t.openItems(ctx)
		return newContentSum(rows), open, err
	}
	stored, err := decodeStanding(last.standing)
	if err != nil {
		return contentSum{}, nil, err
	}
	sum, err := stored.Listed.sum()
	if err != nil {
		return sum, nil, err
	}
	before, err := findingsOf(result.Since.Before)
	if err != nil {
		return sum, nil, err
	}
	open := make([]openItem, len(before))
	for n := range before {
		open[n] = openItem{before[n].population, before[n].item, before[n].content}
	}
	return sum.carried(before, rows), open, nil
}

// runRow is a row of recon_runs.
type runRow struct {
	recon.RunInfo
	snapshot string
	epoch    int
	system   string
	policy   []byte
	totals   []byte
	standing []byte // what the next run may carry on from; nil: nothing
	rows     string // digest of the rows first visible in the run
}

// newRun is the run's row without its digests, and the run before it.
func (t *RunTx) newRun(ctx context.Context, header recon.RunInfo, result *recon.Result) (run, last runRow, err error) {
	run.RunInfo = header
	if run.Kind = "full"; result.Since != nil {
		run.Kind = "incremental"
	}
	if run.RuleSet == "" {
		run.RuleSet = recon.RuleSet
	}
	run.AsOf = result.AsOf.UTC().Truncate(time.Microsecond)
	run.RecordedAt = run.RecordedAt.UTC().Truncate(time.Microsecond)
	if run.RecordedAt.IsZero() || run.RecordedBy == "" || run.Program == "" {
		return run, last, errors.New("record a run: when, by whom and by which program must be said")
	}
	if last, err = t.lastRun(ctx); err != nil {
		return run, last, err
	}
	if run.AsOf.Before(last.AsOf) {
		return run, last, fmt.Errorf("as of %s: %w (run %d, as of %s): its conclusions can be reported, not recorded",
			run.AsOf.Format(time.RFC3339), ErrEarlierAsOf, last.ID, last.AsOf.Format(time.RFC3339))
	}
	run.ID, run.Previous = last.ID+1, last.Digest
	if run.policy, err = encodePolicy(result.Policy); err != nil {
		return run, last, err
	}
	if run.totals, err = encodeTotals(result.WholeTotals); err != nil {
		return run, last, err
	}
	var moved, slotDone bool
	err = t.conn.QueryRow(ctx, query("run_place"), run.Slot).Scan(&run.epoch, &run.system, &run.snapshot, &moved, &slotDone)
	switch {
	case err != nil:
		return run, last, err
	case moved:
		return run, last, fmt.Errorf("%w: the database has moved to another cluster since: run \"recon migrate\"", ErrSchemaMissing)
	case slotDone:
		return run, last, fmt.Errorf("slot %s: %w", run.Slot, ErrSlotDone)
	}
	t.present = run.epoch
	return run, last, nil
}

// lastRun is the newest recorded run, the zero row if there is none.
func (b *Books) lastRun(ctx context.Context) (runRow, error) {
	rows, err := collectRuns(ctx, b.conn, query("runs"), nil, nil, 1)
	if err != nil || len(rows) == 0 {
		return runRow{}, err
	}
	return rows[0], nil
}

// digest chains a run to the one before it.
func (r *runRow) digest(events []findingRow, marks []markRow, dispositions string) string {
	d := newDigest("recon run 1")
	d.text(r.Previous)
	d.int(r.ID)
	for _, s := range []string{r.Kind, r.Slot, r.RecordedBy, r.Program, r.RuleSet, r.snapshot, r.system} {
		d.text(s)
	}
	d.time(r.AsOf)
	d.time(r.RecordedAt)
	d.int(int64(r.epoch))
	d.field(r.policy)
	d.field(r.totals)
	if r.standing != nil {
		d.field(r.standing)
	}
	d.text(r.EvidenceDigest)
	d.text(r.rows)
	d.int(int64(len(events)))
	for n := range events {
		e := &events[n]
		d.text(e.event)
		d.text(e.content)
		d.field(e.digest().h.Sum(nil))
		d.int(int64(len(e.links)))
		for _, l := range e.links {
			d.int(int64(l.position))
			d.int(l.entryNo)
			d.int(int64(l.tier))
			d.text(l.role)
		}
	}
	d.int(int64(len(marks)))
	for n := range marks {
		m := &marks[n]
		d.text(m.mark)
		d.text(m.AttemptID)
		d.time(m.MarkedAt)
		d.int(m.Age.Microseconds())
		d.int(m.Threshold.Microseconds())
		d.text(string(m.seen.Status))
		d.time(m.seen.ObservedAt)
	}
	d.text(dispositions)
	// Runs recorded before the entity was have the digest that they had.
	if r.Entity != "" {
		d.text(r.Entity)
	}
	return d.sum()
}

// openItems are the items whose last event is not cleared, sorted by population and item.
func (b *Books) openItems(ctx context.Context) ([]openItem, error) {
	return collect(ctx, b, "open_items", decodeOpenItem)
}

func decodeOpenItem(r *rowReader, o *openItem) error {
	*o = openItem{population: r.word(), item: r.text(), content: r.text()}
	return r.err
}

// marksOf are the marks that a run sets, sorted by mark and attempt. An outcome supersedes a mark once.
func (t *RunTx) marksOf(ctx context.Context, run runRow, result *recon.Result) ([]markRow, error) {
	ids := make([]string, len(result.Superseded))
	for n, o := range result.Superseded {
		ids[n] = o.AttemptID
	}
	rows, err := t.conn.Query(ctx, query("marks_superseded"), ids)
	if err != nil {
		return nil, err
	}
	known, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, err
	}
	done := make(map[string]bool, len(known))
	for _, id := range known {
		done[id] = true
	}
	var marks []markRow
	for _, o := range result.Superseded {
		if !done[o.AttemptID] {
			marks = append(marks, markRow{Mark: recon.Mark{AttemptID: o.AttemptID, MarkedAt: run.AsOf}, mark: markSuperseded, seen: recon.Outcome{
				Status: o.Status, ObservedAt: o.ObservedAt.Truncate(time.Microsecond),
			}})
		}
	}
	for _, m := range result.Marks {
		m.MarkedAt, m.Age = run.AsOf, m.Age.Truncate(time.Microsecond)
		marks = append(marks, markRow{Mark: m, mark: markUnknown})
	}
	return marks, nil
}

// What a row of unknown_marks says.
const (
	markUnknown    = "unknown"
	markSuperseded = "superseded"
)

func (t *RunTx) insertRun(ctx context.Context, r runRow) error {
	_, err := t.conn.Exec(ctx, query("run_insert"), r.ID, r.Kind, null(r.Slot), r.AsOf, r.RecordedAt, r.RecordedBy, r.Program, r.RuleSet,
		r.snapshot, r.epoch, r.system, r.policy, r.totals, r.rows, r.EvidenceDigest, r.Previous, r.Digest, null(r.Entity), r.standing)
	return err
}

var findingColumns = []string{
	"run_id", "population", "item", "event", "class", "outcome", "settlement", "variance", "rule", "tier", "reason", "cause", "stale",
	"related", "flags", "differences", "content",
}

func (t *RunTx) copyFindings(ctx context.Context, run int64, events []findingRow) error {
	if len(events) == 0 {
		return nil
	}
	err := copyIn(ctx, t.conn, "recon_findings", findingColumns, func(w *rowWriter) error {
		for n := range events {
			if err := writeFinding(w, run, &events[n]); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return copyIn(ctx, t.conn, "recon_links", []string{"run_id", "attempt_id", "position", "entry_no", "tier", "role"}, func(w *rowWriter) error {
		for n := range events {
			for _, l := range events[n].links {
				if err := w.row(); err != nil {
					return err
				}
				w.int8(run)
				w.text(l.attempt)
				w.int4(l.position)
				w.int8(l.entryNo)
				w.int2(l.tier)
				w.text(l.role)
			}
		}
		return nil
	})
}

func writeFinding(w *rowWriter, run int64, f *findingRow) error {
	if err := w.row(); err != nil {
		return err
	}
	w.int8(run)
	w.text(f.population)
	w.given(f.item)
	w.text(f.event)
	for _, s := range []string{f.class, f.outcome, f.settlement, f.variance, f.rule} {
		w.text(s)
	}
	w.int2(f.tier)
	w.text(f.reason)
	w.text(f.cause)
	w.bool(f.stale)
	w.texts(f.related)
	w.given(f.flags)
	w.given(f.differences)
	w.text(f.content)
	return w.badText(0)
}

func (t *RunTx) copyMarks(ctx context.Context, run int64, marks []markRow) error {
	if len(marks) == 0 {
		return nil
	}
	columns := []string{"attempt_id", "run_id", "mark", "marked_at", "age", "threshold", "status", "observed_at"}
	return copyIn(ctx, t.conn, "unknown_marks", columns, func(w *rowWriter) error {
		for n := range marks {
			m := &marks[n]
			if err := w.row(); err != nil {
				return err
			}
			w.text(m.AttemptID)
			w.int8(run)
			w.text(m.mark)
			w.time(m.MarkedAt)
			if m.mark == markUnknown {
				w.interval(m.Age)
				w.interval(m.Threshold)
			} else {
				w.null()
				w.null()
			}
			w.text(string(m.seen.Status))
			w.time(m.seen.ObservedAt)
		}
		return nil
	})
}
