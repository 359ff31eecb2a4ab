package sql

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"agentrecon/recon"
)

// maxTrend bounds the runs that a report looks back over.
const maxTrend = 40

// lastRuns reads the last runs up to one: how much was open in each, oldest first, and what changed of rules, parameters
// and program between them, newest first.
func (b *Books) lastRuns(ctx context.Context, run int64) ([]recon.Trend, []recon.RuleChange, error) {
	rows, err := collectRuns(ctx, b.conn, query("runs"), nil, &run, maxTrend)
	if err != nil {
		return nil, nil, err
	}
	trend := make([]recon.Trend, len(rows))
	var changes []recon.RuleChange
	for n := range rows {
		if trend[len(rows)-1-n], err = rows[n].trend(); err != nil {
			return nil, nil, err
		}
		if n+1 == len(rows) {
			break
		}
		found, err := ruleChanges(&rows[n+1], &rows[n])
		if err != nil {
			return nil, nil, err
		}
		if len(found) > 0 {
			var items int64
			if err := b.conn.QueryRow(ctx, query("history_reclassified"), rows[n].ID).Scan(&items); err != nil {
				return nil, nil, err
			}
			for k := range found {
				found[k].Reclassified = items
			}
		}
		changes = append(changes, found...)
	}
	return trend, changes, nil
}

// trend is how much was open in a run, from the totals that are stored with it.
func (r *runRow) trend() (recon.Trend, error) {
	var stored runTotalsJSON
	if err := json.Unmarshal(r.totals, &stored); err != nil {
		return recon.Trend{}, fmt.Errorf("run %d: stored totals: %w", r.ID, err)
	}
	classes := func(p populationJSON) []recon.ClassTally {
		tallies := make([]recon.ClassTally, len(p.Classes))
		for n, c := range p.Classes {
			tallies[n] = recon.ClassTally{Class: c.Class, Tally: recon.Tally{Count: c.Count}}
		}
		return tallies
	}
	return recon.TrendOf(r.ID, r.AsOf, classes(stored.Attempts), classes(stored.Entries), classes(stored.Outcomes)), nil
}

// ruleChanges lists what decided otherwise in a run than in the one before it: rule set, program, then parameters by name.
func ruleChanges(before, after *runRow) ([]recon.RuleChange, error) {
	var changes []recon.RuleChange
	add := func(what, old, now string) {
		if old != now {
			changes = append(changes, recon.RuleChange{Run: after.ID, Before: before.ID, What: what, Old: old, New: now, By: after.RecordedBy, At: after.RecordedAt})
		}
	}
	add("rule set", before.RuleSet, after.RuleSet)
	add("program", before.Program, after.Program)
	var parameters [2]map[string]json.RawMessage
	for n, row := range []*runRow{before, after} {
		if err := json.Unmarshal(row.policy, &parameters[n]); err != nil {
			return nil, fmt.Errorf("run %d: stored policy: %w", row.ID, err)
		}
	}
	names := slices.Collect(maps.Keys(parameters[1]))
	names = slices.AppendSeq(names, maps.Keys(parameters[0]))
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		add(strings.ReplaceAll(name, "_", " "), parameterText(parameters[0][name]), parameterText(parameters[1][name]))
	}
	return changes, nil
}

// parameterText is a stored parameter as a person reads it.
func parameterText(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	return string(raw)
}
