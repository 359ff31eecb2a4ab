package sql

import (
	"encoding/json"
	"errors"
	"slices"

	"agentrecon/recon"
)

// Events of findings.
const (
	eventOpened  = "opened"
	eventChanged = "changed"
	eventCleared = "cleared"
)

// findingRow is a row of recon_findings.
type findingRow struct {
	population, item, event    string
	class, outcome, settlement string
	variance, rule             string
	tier                       int
	reason, cause              string
	stale                      bool
	related                    []string
	flags, differences         string // JSON
	content                    string
	links                      []linkRow // of an attempt's opened or changed finding
}

// linkRow is a row of recon_links.
type linkRow struct {
	attempt  string
	position int
	entryNo  int64
	tier     int
	role     string
}

// markRow is a row of unknown_marks.
type markRow struct {
	recon.Mark
	mark string        // "unknown" or "superseded"
	seen recon.Outcome // superseded: Status and ObservedAt of the outcome that did it
}

// findingsOf returns everything a run lists as rows, sorted by population and item.
func findingsOf(result *recon.Result) ([]findingRow, error) {
	listed := result.Listed()
	rows := make([]findingRow, 0, len(listed.Attempts)+len(listed.Entries)+len(listed.Outcomes))
	for _, f := range listed.Attempts {
		row, err := attemptFinding(f)
		if err != nil {
			return nil, err
		}
		rows = append(rows, row)
	}
	for _, f := range listed.Entries {
		row, err := entryFinding(f)
		if err != nil {
			return nil, err
		}
		rows = append(rows, row)
	}
	for _, f := range listed.Outcomes {
		row, err := outcomeFinding(f)
		if err != nil {
			return nil, err
		}
		rows = append(rows, row)
	}
	sortFindings(rows)
	return rows, nil
}

func attemptFinding(f *recon.AttemptFinding) (findingRow, error) {
	row := findingRow{
		population: string(recon.Attempts), item: f.Attempt.ID, class: string(f.Class), outcome: string(f.Evidence.Outcome),
		settlement: string(f.Evidence.Settlement), variance: string(f.Evidence.Variance), rule: f.Rule, reason: f.CauseDetail,
		cause: string(f.Cause), stale: f.Stale,
	}
	for _, e := range f.Candidates {
		row.related = append(row.related, e.ID)
	}
	differences := make([]differenceJSON, len(f.Differences))
	for n, d := range f.Differences {
		differences[n] = differenceJSON(d)
	}
	if err := row.encode(f.Flags, differences); err != nil {
		return row, err
	}
	d := row.digest()
	d.int(int64(len(f.Links)))
	for n, l := range f.Links {
		row.links = append(row.links, linkRow{f.Attempt.ID, n + 1, l.Entry.No, int(l.Tier), string(l.Role)})
		d.text(l.Entry.ID)
		d.int(int64(l.Tier))
		d.text(string(l.Role))
	}
	for n := range f.Outcomes {
		d.outcome(&f.Outcomes[n])
	}
	row.content = d.sum()
	return row, nil
}

func entryFinding(f *recon.EntryFinding) (findingRow, error) {
	row := findingRow{
		population: string(recon.Entries), item: f.Entry.ID, class: string(f.Class), reason: f.Reason, tier: int(f.Tier), related: f.Attempts,
	}
	err := row.encode(f.Flags, []differenceJSON{})
	row.content = row.digest().sum()
	return row, err
}

func outcomeFinding(f *recon.OutcomeFinding) (findingRow, error) {
	row := findingRow{population: string(recon.Outcomes), item: f.Outcome.AttemptID, class: string(f.Class), outcome: string(f.Outcome.Status)}
	if f.Joined != "" {
		row.related = []string{f.Joined}
	}
	err := row.encode(f.Flags, []differenceJSON{})
	d := row.digest()
	d.outcome(&f.Outcome)
	row.content = d.sum()
	return row, err
}

// encode sets the JSON columns. Flags that are derived when a report is made are not stored.
func (r *findingRow) encode(flags []recon.Flag, differences []differenceJSON) error {
	stored := []flagJSON{}
	for _, f := range flags {
		if f.Name != recon.FlagRedelivered && f.Name != recon.FlagPeriodEdge {
			stored = append(stored, flagJSON(f))
		}
	}
	flagText, err1 := json.Marshal(stored)
	differenceText, err2 := json.Marshal(differences)
	r.flags, r.differences = string(flagText), string(differenceText)
	return errors.Join(err1, err2)
}

// digest starts the digest of what a finding says. Ages are not part of it: they change with every run.
func (r *findingRow) digest() *digest {
	d := newDigest("recon finding 1")
	for _, s := range []string{
		r.population, r.item, r.class, r.outcome, r.settlement, r.variance, r.rule, r.reason, r.cause, r.flags, r.differences,
	} {
		d.text(s)
	}
	d.int(int64(r.tier))
	d.bool(r.stale)
	d.texts(r.related)
	return d
}

func (d *digest) outcome(o *recon.Outcome) {
	for _, s := range []string{o.AttemptID, string(o.Status), o.ProviderRef, o.Error, o.ArgsSHA256} {
		d.text(s)
	}
	d.time(o.ObservedAt)
}

func sortFindings(rows []findingRow) {
	slices.SortFunc(rows, func(a, b findingRow) int { return compareItems(a.population, a.item, b.population, b.item) })
}

func compareItems(population, item, otherPopulation, otherItem string) int {
	switch {
	case population != otherPopulation:
		if population < otherPopulation {
			return -1
		}
		return 1
	case item < otherItem:
		return -1
	case item > otherItem:
		return 1
	}
	return 0
}

// openItem is an item that is not clean as of the last run.
type openItem struct{ population, item, content string }

// eventsOf compares what a run concluded with what was open before, both sorted by population and item.
func eventsOf(rows []findingRow, open []openItem) []findingRow {
	var events []findingRow
	for len(rows) > 0 || len(open) > 0 {
		order := 0
		switch {
		case len(open) == 0:
			order = -1
		case len(rows) == 0:
			order = 1
		default:
			order = compareItems(rows[0].population, rows[0].item, open[0].population, open[0].item)
		}
		switch {
		case order < 0:
			rows[0].event = eventOpened
			events = append(events, rows[0])
			rows = rows[1:]
		case order > 0:
			events = append(events, cleared(open[0]))
			open = open[1:]
		default:
			if rows[0].content != open[0].content {
				rows[0].event = eventChanged
				events = append(events, rows[0])
			}
			rows, open = rows[1:], open[1:]
		}
	}
	return events
}

func cleared(open openItem) findingRow {
	row := findingRow{population: open.population, item: open.item, event: eventCleared, flags: "[]", differences: "[]"}
	row.content = row.digest().sum()
	return row
}

// evidenceDigest is over everything a run concluded and by what, and over nothing else: not the chain, not the numbers
// that a database gave, not which marks were new. Two runs that conclude the same have the same.
func evidenceDigest(result *recon.Result, ruleSet string, policy []byte, listed contentSum) string {
	d := newDigest("recon evidence 2")
	d.time(result.AsOf)
	d.text(ruleSet)
	d.field(policy)
	for _, sums := range []recon.Sums{result.WholeControls.Attempts, result.WholeControls.Entries, result.WholeControls.Booked} {
		d.int(int64(len(sums)))
		for _, s := range sums {
			d.text(string(s.Currency))
			d.int(s.Count)
			d.int(s.Minor)
		}
	}
	d.int(result.WholeControls.Outcomes)
	d.int(result.WholeControls.Deliveries)
	d.int(listed.count)
	d.text(listed.String())
	return d.sum()
}
