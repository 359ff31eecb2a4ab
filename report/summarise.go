package report

import (
	"context"

	"agentrecon/recon"
)

// Summarise says of a report what the Cover of its workbook would say, without making one: State, Sentence and Rows. What
// has more rows than a sheet is summarised too.
func Summarise(ctx context.Context, r *recon.Report, opts Options) (Summary, error) {
	if err := ctx.Err(); err != nil {
		return Summary{}, err
	}
	b := &book{ctx: ctx, report: r, opts: opts, index: newIndex(r)}
	b.lists = b.makeLists()
	var sum Summary
	for _, l := range b.lists {
		sum.Rows = append(sum.Rows, SheetRows{l.sheet, l.rows})
	}
	verdict := judge(b, newChecks(b, newSources(b)))
	sum.State, sum.Sentence = verdict.state, verdict.sentence
	return sum, nil
}
