package sql

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"agentrecon/recon"
)

// RowDifference is an item of which a run that is made again says something else than is recorded.
type RowDifference struct {
	Population recon.Population
	Item       string
	Recorded   string // what is recorded, in words; "not listed"
	Again      string // what it comes to now
}

// notListed is said of an item that is clean by implication, or unknown.
const notListed = "not listed"

// Compare compares a run that was made again over everything, from what it saw, with what had been recorded up to it, row by
// row: class, axes, rule, tier, links, flags, differences, cause, and the marks that it set. The view is the run's own
// ([DB.ViewAsOf]). So a run that looked at what changed alone is held against one that looks at everything.
func (b *Books) Compare(ctx context.Context, run int64, result *recon.Result) ([]RowDifference, error) {
	differences, err := b.compareRows(ctx, run, result)
	return differences, explain(b.conn, err)
}

func (b *Books) compareRows(ctx context.Context, run int64, result *recon.Result) ([]RowDifference, error) {
	again, err := findingsOf(result)
	if err != nil {
		return nil, err
	}
	recorded, err := b.findingsAsOf(ctx, run)
	if err != nil {
		return nil, err
	}
	var differences []RowDifference
	for len(recorded) > 0 || len(again) > 0 {
		order := -1
		switch {
		case len(again) == 0:
		case len(recorded) == 0:
			order = 1
		default:
			order = compareItems(recorded[0].population, recorded[0].item, again[0].population, again[0].item)
		}
		d := RowDifference{Recorded: notListed, Again: notListed}
		if order <= 0 {
			d.Population, d.Item, d.Recorded = recon.Population(recorded[0].population), recorded[0].item, recorded[0].words()
			recorded = recorded[1:]
		}
		if order >= 0 {
			d.Population, d.Item, d.Again = recon.Population(again[0].population), again[0].item, again[0].words()
			again = again[1:]
		}
		if d.Recorded != d.Again {
			differences = append(differences, d)
		}
	}
	marks, err := b.compareMarks(ctx, run, result)
	return append(differences, marks...), err
}

// words are everything that a row says.
func (r *findingRow) words() string {
	var w strings.Builder
	w.WriteString(r.class)
	for _, part := range []struct{ name, value string }{
		{"outcome", r.outcome},
		{"settlement", r.settlement},
		{"variance", r.variance},
		{"rule", r.rule},
		{"tier", tierName(r.tier)},
		{"reason", r.reason},
		{"cause", r.cause},
		{"related", strings.Join(r.related, " ")},
		{"flags", orNothing(r.flags)},
		{"differences", orNothing(r.differences)},
	} {
		if part.value != "" {
			fmt.Fprintf(&w, ", %s %s", part.name, part.value)
		}
	}
	if r.stale {
		w.WriteString(", stale")
	}
	for _, l := range r.links {
		fmt.Fprintf(&w, ", %s entry no %d by %s", l.role, l.entryNo, tierName(l.tier))
	}
	fmt.Fprintf(&w, ", content %s", r.content[:min(12, len(r.content))])
	return w.String()
}

func tierName(tier int) string {
	if tier < 0 || tier >= len(recon.TierNames) {
		return fmt.Sprint(tier)
	}
	return recon.TierNames[tier]
}

func orNothing(list string) string {
	if list == "[]" {
		return ""
	}
	return list
}

// findingsAsOf are the rows that were listed as of a run, with their links.
func (b *Books) findingsAsOf(ctx context.Context, run int64) ([]findingRow, error) {
	rows, err := b.conn.Query(ctx, query("findings_as_of"), run)
	if err != nil {
		return nil, err
	}
	listed, err := pgx.CollectRows(rows, scanFinding)
	if err != nil {
		return nil, err
	}
	links, err := collect(ctx, b, "links_as_of", decodeLink, run)
	if err != nil {
		return nil, err
	}
	return withLinks(listed, links), nil
}

// compareMarks compares the marks of unknown attempts that the run set.
func (b *Books) compareMarks(ctx context.Context, run int64, result *recon.Result) ([]RowDifference, error) {
	marks, err := b.marksOfRun(ctx, run)
	if err != nil {
		return nil, err
	}
	var recorded, again []string
	for n := range marks {
		if marks[n].mark == markUnknown {
			recorded = append(recorded, marks[n].AttemptID)
		}
	}
	for _, m := range result.Marks {
		again = append(again, m.AttemptID)
	}
	slices.Sort(recorded)
	slices.Sort(again)
	var differences []RowDifference
	for _, id := range distinct(append(slices.Clone(recorded), again...)) {
		_, was := slices.BinarySearch(recorded, id)
		_, is := slices.BinarySearch(again, id)
		if was != is {
			differences = append(differences, RowDifference{Population: recon.Attempts, Item: id, Recorded: markedWord(was), Again: markedWord(is)})
		}
	}
	return differences, nil
}

func markedWord(marked bool) string {
	if marked {
		return "marked unknown by this run"
	}
	return "not marked by this run"
}
