// Package recontest tests reconciliations: books kept in memory ([Books]), a suite that every implementation of
// [recon.Books] must pass ([TestBooks]), and a slow second opinion of the classification ([Reference]).
package recontest

import (
	"cmp"
	"slices"
	"time"

	"agentrecon/ledger"
	"agentrecon/recon"
)

// World is everything that was ever recorded, in the order in which it was recorded.
type World struct {
	Attempts   []recon.Attempt // Deliveries, IDReused, MarkedAt and MarkRun follow from the rows below
	Outcomes   []recon.Outcome // every version
	Sessions   []recon.SessionEvent
	Deliveries []recon.Delivery
	Entries    []ledger.Entry // numbered from 1 in this order
	Coverage   []ledger.Coverage
	Marks      []recon.Mark
	Sources    []ledger.SourceFile
}

// stored returns the world as a store gives it back: as recorded, and entries know their later stages.
func (w World) stored() World {
	w = w.recorded()
	all := make([]recon.Stage, len(w.Entries))
	for n := range w.Entries {
		all[n] = recon.StageOf(&w.Entries[n])
	}
	stages := recon.Supersede(all, w.Coverage)
	for n := range w.Entries {
		e := &w.Entries[n]
		stages.Apply(e)
		var parts []ledger.Entry
		for _, no := range stages.Parts(e.No) {
			parts = append(parts, w.Entries[no-1])
		}
		if parts != nil {
			e.Children = recon.Details(parts, e)
		}
	}
	return w
}

// recorded returns the world with times to the microsecond, entries numbered, and every attempt with what follows from
// deliveries and marks.
func (w World) recorded() World {
	w.Attempts, w.Outcomes, w.Sessions = slices.Clone(w.Attempts), slices.Clone(w.Outcomes), slices.Clone(w.Sessions)
	w.Deliveries, w.Entries = slices.Clone(w.Deliveries), slices.Clone(w.Entries)
	micro := func(t *time.Time) { *t = t.UTC().Truncate(time.Microsecond) }
	for n := range w.Outcomes {
		micro(&w.Outcomes[n].ObservedAt)
	}
	for n := range w.Sessions {
		micro(&w.Sessions[n].At)
	}
	for n := range w.Deliveries {
		micro(&w.Deliveries[n].ReceivedAt)
	}
	for n := range w.Entries {
		w.Entries[n].No = int64(n + 1)
		micro(&w.Entries[n].OccurredAt)
		w.Entries[n].Children = slices.Clone(w.Entries[n].Children)
		for at := range w.Entries[n].Children {
			w.Entries[n].Children[at].File = w.Entries[n].File
		}
	}
	deliveries := map[string][]recon.Delivery{}
	for _, d := range w.Deliveries {
		deliveries[d.AttemptID] = append(deliveries[d.AttemptID], d)
	}
	marks := map[string]recon.Mark{}
	for _, m := range w.Marks {
		marks[m.AttemptID] = m
	}
	for n := range w.Attempts {
		a := &w.Attempts[n]
		micro(&a.ProposedAt)
		a.Deliveries = max(1, len(deliveries[a.ID]))
		a.IDReused = slices.ContainsFunc(deliveries[a.ID], func(d recon.Delivery) bool {
			return d.ArgsSHA256 != "" && a.ArgsSHA256 != "" && d.ArgsSHA256 != a.ArgsSHA256
		})
		a.MarkedAt, a.MarkRun = marks[a.ID].MarkedAt, marks[a.ID].RunID
	}
	return w
}

// versions returns the outcomes by attempt id, each attempt's oldest first.
func (w World) versions() map[string][]recon.Outcome {
	all := map[string][]recon.Outcome{}
	for _, o := range w.Outcomes {
		all[o.AttemptID] = append(all[o.AttemptID], o)
	}
	for _, versions := range all {
		slices.SortStableFunc(versions, func(a, b recon.Outcome) int { return a.ObservedAt.Compare(b.ObservedAt) })
	}
	return all
}

// sums adds amounts up by currency.
type sums map[ledger.Currency]*recon.CurrencySum

func (s sums) add(c ledger.Currency, minor int64) {
	if s[c] == nil {
		s[c] = &recon.CurrencySum{Currency: c}
	}
	s[c].Count++
	s[c].Minor += minor
}

func (s sums) sorted() recon.Sums {
	var all recon.Sums
	for _, sum := range s {
		all = append(all, *sum)
	}
	slices.SortFunc(all, func(a, b recon.CurrencySum) int { return cmp.Compare(a.Currency, b.Currency) })
	return all
}
