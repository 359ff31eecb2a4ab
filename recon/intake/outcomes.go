package intake

import (
	"io"

	"agentrecon/ledger/tabular"
	"agentrecon/recon"
)

const (
	outcomeID = iota
	outcomeStatus
	outcomeRef
	outcomeError
	outcomeObserved
	outcomeArgs
)

var outcomeColumns = []tabular.Column{
	outcomeID:       {Name: "attempt_id", Required: true},
	outcomeStatus:   {Name: "status", Required: true},
	outcomeRef:      {Name: "provider_ref"},
	outcomeError:    {Name: "error"},
	outcomeObserved: {Name: "observed_at", Required: true},
	outcomeArgs:     {Name: "args_sha256"},
}

// Outcomes reads a file of outcomes. An attempt may have several, observed at different times: each is a
// version, and the latest is current. Two that differ at one time contradict each other.
func Outcomes(name string, r io.Reader, options Options, each func(o recon.Outcome, line int) error) (Summary, error) {
	o := &outcomes{file: file{name: name, population: "outcomes", options: options, columns: outcomeColumns}}
	o.once.Key = "attempt_id and observed_at"
	return o.scan(r, func(row *tabular.Row) error { return o.read(row, each) }, o.content)
}

type outcomes struct {
	file
	outcome recon.Outcome
}

func (o *outcomes) read(row *tabular.Row, each func(o recon.Outcome, line int) error) error {
	content := o.content(row)
	if err := row.Err(); err != nil {
		return err
	}
	o.key = appendTime(append(o.key[:0], o.outcome.AttemptID...), o.outcome.ObservedAt)
	repeat, err := o.once.See(row, outcomeID, o.key, content)
	if err != nil {
		return err
	}
	if repeat {
		o.summary.Repeats++
		return nil
	}
	return each(o.outcome, row.Line())
}

func (o *outcomes) content(row *tabular.Row) tabular.Content {
	o.outcome = recon.Outcome{
		AttemptID:   row.Need(outcomeID, row.ID(outcomeID)),
		Status:      tabular.OneOf(row, outcomeStatus, recon.OutcomeStatuses),
		ProviderRef: row.ID(outcomeRef),
		Error:       row.Text(outcomeError),
		ArgsSHA256:  digest(row, outcomeArgs),
		ObservedAt:  row.Instant(outcomeObserved),
	}
	row.Need(outcomeStatus, row.Field(outcomeStatus))
	row.Need(outcomeObserved, row.Field(outcomeObserved))
	x := &o.outcome
	o.buf = o.buf[:0].
		Text(outcomeStatus, string(x.Status)).Text(outcomeRef, x.ProviderRef).
		Text(outcomeError, x.Error).Text(outcomeArgs, x.ArgsSHA256)
	return o.buf
}
