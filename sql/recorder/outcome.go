package recorder

import (
	"context"
	"errors"
	"fmt"

	"agentrecon/recon"
)

// weight orders outcomes: a lighter one never takes the place of a heavier one. A success stays, whatever is said
// after it.
var weight = map[recon.OutcomeStatus]int{
	recon.Succeeded: 5, recon.Failed: 4, recon.Denied: 3, recon.Interrupted: 2, recon.TimedOut: 2, recon.Unknown: 1,
}

// merge says what a further outcome does to the current one.
type merge uint8

const (
	addsNothing merge = iota // it says less, or the same
	replaces                 // it says more
	contradicts              // it says otherwise, and less: it goes to the history and the current one comes back
)

func merged(current, further recon.Outcome) merge {
	if current.Status == further.Status {
		sameRef := current.ProviderRef == further.ProviderRef
		if sameRef || further.ProviderRef == "" {
			return addsNothing
		}
		return replaces
	}
	switch {
	case weight[further.Status] >= weight[current.Status]:
		return replaces
	case further.Status.Definite():
		return contradicts
	default:
		return addsNothing
	}
}

// furtherOutcome records what was observed of an attempt that has an outcome, if it adds something.
func (db *DB) furtherOutcome(ctx context.Context, o recon.Outcome) error {
	current, at, err := db.currentOutcome(ctx, o.AttemptID)
	if err != nil {
		return err
	}
	if at == "" {
		return errors.New("the outcome's row came and went") // they are never removed
	}
	return db.mergeOutcome(ctx, current, o)
}

func (db *DB) mergeOutcome(ctx context.Context, current, o recon.Outcome) error {
	const here, after = "0", "1 microsecond"
	switch merged(current, o) {
	case replaces:
		_, err := db.run(ctx, outcomeUpdateQuery, append(outcomeArgs(o), []byte(here))...)
		return err
	case contradicts:
		// The history is written by the table's trigger alone. So the row says it for a moment.
		if _, err := db.run(ctx, outcomeUpdateQuery, append(outcomeArgs(o), []byte(here))...); err != nil {
			return err
		}
		current.ObservedAt = o.ObservedAt
		_, err := db.run(ctx, outcomeUpdateQuery, append(outcomeArgs(current), []byte(after))...)
		return err
	default:
		return nil
	}
}

func outcomeArgs(o recon.Outcome) [][]byte {
	return [][]byte{
		text(o.AttemptID), text(string(o.Status)), text(o.ProviderRef), moment(o.ObservedAt), text(o.ArgsSHA256), text(o.Error),
	}
}

// currentOutcome reads and locks the outcome that stands; at is empty if there is none.
func (db *DB) currentOutcome(ctx context.Context, attemptID string) (o recon.Outcome, at string, err error) {
	result, err := db.run(ctx, outcomeCurrentQuery, text(attemptID))
	if err != nil || len(result.Rows) == 0 {
		return o, "", err
	}
	row := result.Rows[0]
	if len(row) != 5 {
		return o, "", fmt.Errorf("outcome_current gave %d columns", len(row))
	}
	o = recon.Outcome{
		AttemptID: attemptID, Status: recon.OutcomeStatus(row[0]), ProviderRef: string(row[1]), Error: string(row[2]), ArgsSHA256: string(row[3]),
	}
	return o, string(row[4]), nil
}
