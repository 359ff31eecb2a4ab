package sql

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"agentrecon/recon"
)

// Problem is something that verification found wrong.
type Problem struct {
	RunID int64 // 0: no run in particular
	What  string
}

// Verification is the result of [DB.Verify].
type Verification struct {
	Runs     int64  // runs checked
	Head     string // digest of the newest run: compare it with a copy kept elsewhere, for a cut tail leaves no other trace
	HeadID   int64
	Problems []Problem
}

// Verify recomputes the chain of runs from the rows they covered: every digest, the numbering, and what must hold of
// marks and outcomes. It reads everything that was ever recorded. An edited, added or removed row of evidence, finding,
// link, mark or run shows as a problem; an edit of the newest run's own tail shows only against a copy of the head.
func (db *DB) Verify(ctx context.Context) (Verification, error) {
	var v Verification
	err := db.inTx(ctx, readOnly, func(conn *pgx.Conn) error {
		b := &Books{conn: conn}
		if err := b.verifyChain(ctx, &v); err != nil {
			return err
		}
		return b.verifyInvariants(ctx, &v)
	})
	return v, err
}

func (b *Books) verifyChain(ctx context.Context, v *Verification) error {
	runs, err := collectRuns(ctx, b.conn, query("runs"), nil, nil, int64(1)<<62)
	if err != nil {
		return err
	}
	slices.Reverse(runs)
	var before runRow
	for n := range runs {
		run := &runs[n]
		if run.ID != before.ID+1 {
			v.add(run.ID, "the run before it is run %d: runs are missing between them", before.ID)
		}
		if run.Previous != before.Digest {
			v.add(run.ID, "it follows a run with digest %s, but the run before it has %s", orNone(run.Previous), orNone(before.Digest))
		}
		if err := b.verifyRun(ctx, v, before, run); err != nil {
			return fmt.Errorf("run %d: %w", run.ID, err)
		}
		before = *run
	}
	v.Runs, v.Head, v.HeadID = int64(len(runs)), before.Digest, before.ID
	return nil
}

func (b *Books) verifyRun(ctx context.Context, v *Verification, before runRow, run *runRow) error {
	rows, err := b.rowsDigest(ctx, before, run)
	if err != nil {
		return err
	}
	if rows != run.rows {
		v.add(run.ID, "the recorded evidence it was made of has changed since (rows digest %s, recorded %s)", rows, run.rows)
	}
	dispositions, err := b.dispositionsDigest(ctx, before, run)
	if err != nil {
		return err
	}
	events, err := b.findingsOfRun(ctx, run.ID)
	if err != nil {
		return err
	}
	marks, err := b.marksOfRun(ctx, run.ID)
	if err != nil {
		return err
	}
	if sum := run.digest(events, marks, dispositions); sum != run.Digest {
		v.add(run.ID, "its header, findings, links, marks or dispositions have changed since (digest %s, recorded %s)", sum, run.Digest)
	}
	return nil
}

func (v *Verification) add(run int64, format string, args ...any) {
	v.Problems = append(v.Problems, Problem{RunID: run, What: fmt.Sprintf(format, args...)})
}

func orNone(digest string) string {
	if digest == "" {
		return "(none)"
	}
	return digest
}

// findingsOfRun are the events of a run with their links, in the order in which the run hashed them.
func (b *Books) findingsOfRun(ctx context.Context, run int64) ([]findingRow, error) {
	rows, err := b.conn.Query(ctx, query("findings_of_run"), run)
	if err != nil {
		return nil, err
	}
	events, err := pgx.CollectRows(rows, scanFinding)
	if err != nil {
		return nil, err
	}
	links, err := collect(ctx, b, "links_of_run", decodeLink, run)
	if err != nil {
		return nil, err
	}
	return withLinks(events, links), nil
}

func decodeLink(r *rowReader, l *linkRow) error {
	*l = linkRow{attempt: r.text(), position: int(r.int4()), entryNo: r.int8(), tier: int(r.int2()), role: r.word()}
	return r.err
}

// withLinks puts links with their findings. Findings are sorted by population and item, links by attempt; attempts come
// first of the populations.
func withLinks(events []findingRow, links []linkRow) []findingRow {
	at := 0
	for _, l := range links {
		for at < len(events) && events[at].item < l.attempt && events[at].population == string(recon.Attempts) {
			at++
		}
		if at < len(events) && events[at].item == l.attempt {
			events[at].links = append(events[at].links, l)
		} else {
			// A link without its finding: keep it where the digest shows it.
			events = append(events, findingRow{item: l.attempt, links: []linkRow{l}})
		}
	}
	return events
}

func scanFinding(row pgx.CollectableRow) (findingRow, error) {
	var f findingRow
	var class, outcome, settlement, variance, rule, reason, cause *string
	var flags, differences []byte
	err := row.Scan(&f.population, &f.item, &f.event, &class, &outcome, &settlement, &variance, &rule, &f.tier, &reason, &cause, &f.stale,
		&f.related, &flags, &differences, &f.content)
	f.class, f.outcome, f.settlement, f.variance = deref(class), deref(outcome), deref(settlement), deref(variance)
	f.rule, f.reason, f.cause, f.flags, f.differences = deref(rule), deref(reason), deref(cause), string(flags), string(differences)
	return f, err
}

// marksOfRun are the marks a run set, in the order in which the run hashed them.
func (b *Books) marksOfRun(ctx context.Context, run int64) ([]markRow, error) {
	return collect(ctx, b, "marks_of_run", func(r *rowReader, m *markRow) error {
		*m = markRow{mark: r.word()}
		m.AttemptID = r.text()
		m.MarkedAt = r.time()
		m.Age = time.Duration(r.int8()) * time.Microsecond
		m.Threshold = time.Duration(r.int8()) * time.Microsecond
		m.seen = recon.Outcome{Status: recon.OutcomeStatus(r.word()), ObservedAt: r.time()}
		return r.err
	}, run)
}

// invariants are statements that must find nothing; each returns an id.
var invariants = []struct{ query, what string }{
	{"check_superseded_without_outcome", "attempt %s: its mark was superseded by an outcome that the history does not have"},
	{"check_outcome_not_in_history", "attempt %s: its current outcome is not the latest version in the history"},
	{"check_mark_without_attempt", "attempt %s: marked, but no such attempt is recorded"},
}

func (b *Books) verifyInvariants(ctx context.Context, v *Verification) error {
	for _, check := range invariants {
		rows, err := b.conn.Query(ctx, query(check.query))
		if err != nil {
			return err
		}
		ids, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			return err
		}
		for _, id := range ids {
			v.add(0, check.what, id)
		}
	}
	return nil
}
