package recontest

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"agentrecon/ledger"
	"agentrecon/recon"
)

// Archive is [recon.Archive] in memory: a world that grew since a run.
type Archive struct {
	*Books
	before *Books
	open   []recon.OpenItem
	named  map[string][]string // by attempt, those that flags of it name
}

var _ recon.Archive = (*Archive)(nil)

// NewArchive opens an archive on two states of a world, of which the later has the rows of the earlier first in every
// population, and on what a run over the earlier one concluded.
func NewArchive(before, now World, earlier *recon.Result) *Archive {
	a := &Archive{Books: NewBooks(now), before: NewBooks(before), open: earlier.OpenItems(), named: map[string][]string{}}
	for _, f := range earlier.Listed().Attempts {
		a.named[f.Attempt.ID] = f.Likes()
	}
	return a
}

// Before is the earlier state.
func (a *Archive) Before() recon.Books { return a.before }

// AttemptsBoth looks attempts up in both states.
func (a *Archive) AttemptsBoth(ctx context.Context, ids []string) (now, before []recon.Case, named []string, err error) {
	now, err1 := a.AttemptsByID(ctx, ids)
	before, err2 := a.before.AttemptsByID(ctx, ids)
	for _, id := range ids {
		named = append(named, a.named[id]...)
	}
	return now, before, named, errors.Join(err1, err2)
}

// EntriesBoth looks entries up in both states.
func (a *Archive) EntriesBoth(ctx context.Context, nos []int64) (now, before []ledger.Entry, err error) {
	now, err1 := a.EntriesByNo(ctx, nos)
	before, err2 := a.before.EntriesByNo(ctx, nos)
	return now, before, errors.Join(err1, err2)
}

// ControlsSince counts everything.
func (a *Archive) ControlsSince(ctx context.Context, _ recon.Controls) (recon.Controls, error) {
	return a.Controls(ctx, ledger.Period{})
}

// News compares the two states.
func (a *Archive) News(_ context.Context, asOf time.Time) (recon.News, error) {
	var news recon.News
	was, is := a.before.world, a.world
	for _, attempt := range is.Attempts[len(was.Attempts):] {
		news.Attempts = append(news.Attempts, attempt.ID)
	}
	for _, o := range is.Outcomes[len(was.Outcomes):] {
		news.Other = append(news.Other, o.AttemptID)
	}
	for _, d := range is.Deliveries[len(was.Deliveries):] {
		news.Other = append(news.Other, d.AttemptID)
	}
	for _, e := range is.Sessions[len(was.Sessions):] {
		news.Sessions = append(news.Sessions, e.SessionID)
	}
	for n := range is.Entries {
		switch {
		case n >= len(was.Entries):
			news.Entries = append(news.Entries, is.Entries[n].No)
		case is.Entries[n].Superseded != was.Entries[n].Superseded || is.Entries[n].SupersededBy != was.Entries[n].SupersededBy,
			len(is.Entries[n].Children) != len(was.Entries[n].Children):
			news.Moved = append(news.Moved, is.Entries[n].No)
		}
	}
	news.Ways = recon.AllWays
	news.Coverage = len(is.Coverage) > len(was.Coverage)
	for _, item := range a.open {
		if !item.NextEval.IsZero() && !item.NextEval.After(asOf) {
			news.Other = append(news.Other, item.Item)
		}
	}
	return news, nil
}

// Touching looks at everything for each probe.
func (a *Archive) Touching(_ context.Context, p recon.Probes) (recon.Items, error) {
	var found recon.Items
	for _, attempt := range a.world.Attempts {
		if touches(&attempt, p) {
			found.Attempts = append(found.Attempts, attempt.ID)
		}
	}
	for id, versions := range a.versions {
		if slices.Contains(p.OutcomeRefs, recon.FoldKey(versions[len(versions)-1].ProviderRef)) {
			found.Attempts = append(found.Attempts, id)
		}
	}
	for _, e := range a.world.Entries {
		if slices.Contains(p.EntryKeys, recon.FoldKey(e.IdempotencyKey)) || slices.Contains(p.EntryKeys, recon.FoldKey(e.EndToEndID)) ||
			slices.Contains(p.EntryRefs, recon.FoldKey(e.ProviderID)) || slices.Contains(p.ProviderIDs, e.ProviderID) {
			found.Entries = append(found.Entries, e.No)
		}
	}
	for _, item := range a.open {
		asked := slices.ContainsFunc(item.Keys, func(key int64) bool { return slices.Contains(p.Open, key) })
		if asked || slices.ContainsFunc(p.Absences, func(r recon.AbsenceRange) bool { return r.Meets(item.Absence) }) {
			switch item.Population {
			case recon.Attempts:
				found.Attempts = append(found.Attempts, item.Item)
			case recon.Entries:
				found.Entries = append(found.Entries, item.EntryNo)
			default:
				found.Outcomes = append(found.Outcomes, item.Item)
			}
		}
	}
	return found, nil
}

func touches(a *recon.Attempt, p recon.Probes) bool {
	return slices.Contains(p.AttemptKeys, recon.FoldKey(a.ID)) || slices.Contains(p.AttemptKeys, recon.FoldKey(a.IdempotencyKey)) ||
		slices.Contains(p.Arguments, a.ArgsSHA256) ||
		slices.ContainsFunc(recon.ReferenceForms(a.Reference), func(form string) bool {
			return slices.Contains(p.References, form) || slices.ContainsFunc(p.Prefixes, func(cut string) bool { return strings.HasPrefix(form, cut) })
		}) ||
		slices.ContainsFunc(p.Likes, func(l recon.Likeness) bool { return l.Fits(a) })
}
