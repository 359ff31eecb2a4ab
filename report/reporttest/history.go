package reporttest

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"time"

	"agentrecon/ledger"
	"agentrecon/recon"
)

// edge adds an agreed attempt on one side of the period's edge and its payment on the other.
func (m *maker) edge(minor int64, c ledger.Currency, inside bool) {
	a := m.attempt(minor, c)
	e := m.entry(&a)
	if inside {
		a.ProposedAt = m.r.Period.End().Add(-3 * time.Hour)
		e.BookedOn = m.r.Period.To.AddDays(1)
		m.countAttempt(recon.Matched, 1, minor, 1, c)
		m.outcomes[recon.Joined]++
		m.r.Totals.LinksByTier[recon.ByKey]++
		m.addBridge(c, ownAccount, recon.LineBookedOutside, -1, -minor)
	} else {
		a.ProposedAt = m.r.Period.Start().Add(-5 * time.Hour)
		e.BookedOn = m.r.Period.From
		m.countEntry(recon.Matched, 1, minor, c, true)
		m.addBridge(c, ownAccount, recon.LineOtherPeriod, 1, minor)
	}
	m.r.Edges = append(m.r.Edges, recon.Edge{Attempt: a, Entry: *e, Tier: recon.ByKey, Class: recon.Matched, Inside: inside})
}

// earlier adds items that are open from the time before the period: an attempt, an entry and an outcome.
func (m *maker) earlier() {
	a := m.attempt(66_600, "EUR")
	a.ProposedAt = m.r.Period.Start().Add(-40 * 24 * time.Hour)
	f := m.finding(a, recon.UnknownNotSettled, recon.NotSettled, recon.NoneStale)
	f.Attempt.MarkRun, f.Attempt.MarkedAt = 2, asOf.AddDate(0, 0, -60)
	b := m.attempt(71_000, "JPY")
	b.ProposedAt = m.r.Period.Start().Add(-12 * 24 * time.Hour)
	e := m.entry(&b)
	m.r.Earlier = recon.Open{
		Attempts: []recon.AttemptFinding{*f},
		Entries:  []recon.EntryFinding{{Entry: *e, Class: recon.UnattemptedMovement}},
		Outcomes: []recon.OutcomeFinding{{
			Outcome: recon.Outcome{AttemptID: "toolu_01_long_ago", Status: recon.Succeeded, ObservedAt: b.ProposedAt}, Class: recon.OrphanOutcome,
		}},
	}
}

// States is what a report lists, as runs keep it.
func States(r *recon.Report) []recon.ItemState {
	var states []recon.ItemState
	for i := range r.Earlier.Attempts {
		states = append(states, recon.ItemState{
			Population: recon.Attempts, Item: r.Earlier.Attempts[i].Attempt.ID, Class: r.Earlier.Attempts[i].Class, Content: "1",
			Outcome: r.Earlier.Attempts[i].Evidence.Outcome, Settlement: r.Earlier.Attempts[i].Evidence.Settlement,
			Minor: r.Earlier.Attempts[i].Attempt.Minor, Currency: r.Earlier.Attempts[i].Attempt.Currency, At: r.Earlier.Attempts[i].Attempt.ProposedAt,
		})
	}
	for i := range r.Earlier.Entries {
		e := &r.Earlier.Entries[i]
		states = append(states, recon.ItemState{
			Population: recon.Entries, Item: e.Entry.ID, Class: e.Class, Content: "1", Minor: e.Entry.Outflow(), Currency: e.Entry.Currency, On: e.Entry.BookedOn,
		})
	}
	for i := range r.Earlier.Outcomes {
		o := &r.Earlier.Outcomes[i]
		states = append(states, recon.ItemState{Population: recon.Outcomes, Item: o.Outcome.AttemptID, Class: o.Class, Content: "1", At: o.Outcome.ObservedAt})
	}
	for i := range r.Attempts {
		f := &r.Attempts[i]
		states = append(states, recon.ItemState{
			Population: recon.Attempts, Item: f.Attempt.ID, Class: f.Class, Content: "1", Outcome: f.Evidence.Outcome, Settlement: f.Evidence.Settlement,
			Minor: f.Attempt.Minor, Currency: f.Attempt.Currency, At: f.Attempt.ProposedAt,
		})
	}
	for i := range r.Entries {
		f := &r.Entries[i]
		states = append(states, recon.ItemState{
			Population: recon.Entries, Item: f.Entry.ID + fmt.Sprint(i), Class: f.Class, Content: "1", Minor: f.Entry.Outflow(), Currency: f.Entry.Currency, On: f.Entry.BookedOn,
		})
	}
	for i := range r.Outcomes {
		f := &r.Outcomes[i]
		states = append(states, recon.ItemState{Population: recon.Outcomes, Item: f.Outcome.AttemptID, Class: f.Class, Content: "1", At: f.Outcome.ObservedAt})
	}
	return states
}

// addHistory gives a sample two earlier runs to compare with, decisions, an override and a schedule with a missed night.
func addHistory(r *recon.Report) {
	now := States(r)
	issued := append([]recon.ItemState(nil), now...)
	kept := issued[:0]
	changed := 0
	for _, s := range issued {
		switch s.Class {
		case recon.MissingInLedger: // new since
			continue
		case recon.UnknownNotSettled: // reclassified since
			s.Class, s.Settlement = recon.UnknownOpen, recon.NotYet
		case recon.PayeeVariance: // restated since
			s.Content = "0"
		case recon.DuplicateSettlement: // agreed then
			s.Class, s.WasOpen = "", true
		case recon.UnattemptedMovement:
			if changed++; changed > 2 {
				continue
			}
		}
		kept = append(kept, s)
	}
	kept = append(kept, recon.ItemState{
		Population: recon.Attempts, Item: "toolu_resolved", Class: recon.UnknownSettled, Content: "1", Outcome: recon.NoneStale, Settlement: recon.Settled,
		Minor: 4_200, Currency: "EUR", At: firstCall.Add(time.Hour),
	}, recon.ItemState{ // of the time before the period, resolved since by the ledger alone
		Population: recon.Attempts, Item: "toolu_resolved_earlier", Class: recon.MissingInLedger, Content: "1", Outcome: recon.SaysSucceeded, Settlement: recon.NotSettled,
		Minor: 9_900, Currency: "JPY", At: r.Period.Start().Add(-time.Hour),
	})
	last := recon.Baseline{Against: recon.BaselineLast, Run: r.Runs[1]}
	last.Opening, last.Changes = recon.Compare(now, now, r.Period, false)
	base := recon.Baseline{Against: recon.BaselineIssued, Run: r.Runs[1], IssuedAt: recordedAt.Add(-20 * time.Hour), IssuedBy: "maria"}
	base.Run.ID = 3
	base.Opening, base.Changes = recon.Compare(kept, now, r.Period, false)
	r.Baselines = []recon.Baseline{last, base}

	decide := func(f *recon.AttemptFinding, d recon.Decision, approver string, reopened bool) *recon.Disposition {
		r.Dispositions = append(r.Dispositions, recon.Disposition{
			Population: recon.Attempts, Item: f.Attempt.ID, Decision: d, Note: "=seen with the bank", EvidenceRef: "mail of 3 April", Class: f.Class,
			PreparedBy: "maria", ApprovedBy: approver, DecidedAt: recordedAt.Add(-10 * time.Hour), Reopened: reopened,
		})
		return &r.Dispositions[len(r.Dispositions)-1]
	}
	seen := map[recon.Class]bool{}
	for i := range r.Attempts {
		f := &r.Attempts[i]
		if seen[f.Class] {
			continue
		}
		seen[f.Class] = true
		switch f.Class {
		case recon.UnknownSettled:
			decide(f, recon.EvidenceSeenSettled, "tom", false).ApprovedOn = r.Period.To.AddDays(3)
		case recon.UnknownNotSettled:
			decide(f, recon.WrittenOff, "tom", true)
		case recon.FailedButSettled:
			d := decide(f, recon.UnderInvestigation, "", false)
			d.Owner, d.Due = "olga", r.Period.To.AddDays(2)
		case recon.LateSettlement:
			d := decide(f, recon.AcceptedByManagement, "", false)
			d.Owner, d.Due = "=olga", r.Period.To.AddDays(60)
		}
	}
	r.Overrides = []recon.Override{{
		Kind: "scope", Subject: "rule payroll", Reason: "+paid by another system", DecidedBy: "maria", DecidedAt: recordedAt.Add(-30 * time.Hour),
	}}
	oldest := r.Runs[len(r.Runs)-1]
	oldest.ID, oldest.AsOf = oldest.ID-1, oldest.AsOf.AddDate(0, 0, -1)
	for n, run := range append(slices.Clone(r.Runs), oldest) {
		t := recon.Trend{RunID: run.ID, AsOf: run.AsOf}
		for k, kind := range recon.TrendKinds {
			t.Open = append(t.Open, recon.KindCount{Kind: kind, Count: int64(3*k + 2*n)})
		}
		r.Trend = append([]recon.Trend{t}, r.Trend...)
	}
	r.RuleChanges = []recon.RuleChange{{
		Run: r.Runs[0].ID, Before: r.Runs[1].ID, What: "stale after", Old: "24h0m0s", New: "48h0m0s", By: "maria", At: recordedAt, Reclassified: 2,
	}}
	for i, state := range []string{"claimed", "ran", "missed", "failed", "ran"} {
		s := recon.SlotState{Slot: fmt.Sprintf("2025-04-0%dT02:30", 7-i), DueAt: asOf.AddDate(0, 0, -i).Add(150 * time.Minute), State: state, Tries: 1}
		switch state {
		case "ran":
			s.RunID = int64(7 - i)
		case "missed":
			s.Detail = "the machine was off"
		case "failed":
			s.Detail, s.Tries = "database away", 3
		}
		r.Slots = append(r.Slots, s)
	}
}

// Agreed makes agreed attempts to the totals of a report, in the order in which a run lists them.
func Agreed(r *recon.Report) func(context.Context) iter.Seq2[recon.AgreedPair, error] {
	var matched recon.Sums
	for _, t := range r.Totals.Attempts.Classes {
		if t.Class == recon.Matched {
			matched = t.Minor
		}
	}
	return func(context.Context) iter.Seq2[recon.AgreedPair, error] {
		return func(yield func(recon.AgreedPair, error) bool) {
			n := int64(0)
			var outside []recon.Edge // agreed, and booked outside the period
			for _, e := range r.Edges {
				if e.Inside && e.Class == recon.Matched {
					outside = append(outside, e)
				}
			}
			for _, s := range matched {
				rest := s.Minor
				for k := range s.Count {
					each := s.Minor / s.Count
					if k == s.Count-1 {
						each = rest
					}
					rest -= each
					n++
					pair := recon.AgreedPair{ImpliedPair: recon.ImpliedPair{
						AttemptID: fmt.Sprintf("toolu_agreed_%08d", n), IDSource: recon.IDToolUse, EntryID: fmt.Sprintf("entry-agreed-%08d", n), EntryNo: n,
						Tier: recon.ByKey, ProposedAt: firstCall.Add(time.Duration(n) * time.Minute), BookedOn: ledger.DateOf(firstCall, time.UTC).AddDays(int(n / 1440)),
						Minor: each, Currency: s.Currency,
					}, Entries: 1}
					if at := slices.IndexFunc(outside, func(e recon.Edge) bool { return e.Attempt.Currency == s.Currency }); at >= 0 {
						pair.BookedOn, pair.Entries = outside[at].Entry.BookedOn, 0
						outside = slices.Delete(outside, at, at+1)
					}
					if n%500 == 0 {
						pair.Flags = []recon.Flag{{Name: recon.FlagInferred}}
					}
					if !yield(pair, nil) {
						return
					}
				}
			}
		}
	}
}
