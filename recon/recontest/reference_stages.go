package recontest

import (
	"cmp"
	"slices"

	"agentrecon/ledger"
)

// supersede sets aside what is an earlier stage of another entry, so that no movement counts twice: pending and then booked,
// on a report and then on a statement. A statement that lists nothing has its payments from the notifications of them.
func (m *model) supersede() {
	final := func(e *ledger.Entry) bool {
		return e.Report == "" && (e.Status == ledger.StatusBooked || e.Status == ledger.StatusRejected)
	}
	rank := func(e *ledger.Entry) int { // how near it is to the truth of the account
		switch {
		case final(e):
			return 3
		case e.Status != ledger.StatusBooked:
			return 0
		case e.Report == ledger.ReportNotification:
			return 1
		}
		return 2
	}
	var all []*ledger.Entry
	for n := range m.world.Entries {
		all = append(all, &m.world.Entries[n])
	}
	slices.SortFunc(all, func(a, b *ledger.Entry) int {
		return cmp.Or(rank(b)-rank(a), cmp.Compare(a.BookedOn, b.BookedOn), cmp.Compare(a.ID, b.ID))
	})
	details := map[*ledger.Entry][]*ledger.Entry{}
	set := func(e *ledger.Entry, by string) { e.Superseded, e.SupersededBy = true, by }

	// The source's own id says it.
	for _, e := range all {
		for _, f := range all {
			if !final(e) && (final(f) || f.Status == ledger.StatusBooked) && e.ID == f.ID+ledger.StageMark+string(e.Status) {
				set(e, f.ID)
			}
		}
	}

	// So does a reference, the strongest first, with account, currency and amount. A later stage takes the place of one
	// announcement of each kind; but by the provider's id, it is booked days after it at most, and not refused.
	type place struct {
		of     *ledger.Entry
		status ledger.Status
		report ledger.Report
	}
	taken := map[place]bool{}
	for n, reference := range []func(*ledger.Entry) string{
		func(e *ledger.Entry) string { return e.ProviderID },
		func(e *ledger.Entry) string { return e.UETR },
		func(e *ledger.Entry) string { return e.EndToEndID },
		func(e *ledger.Entry) string { return e.IdempotencyKey },
		func(e *ledger.Entry) string { return e.TransactionID },
		func(e *ledger.Entry) string { return e.GroupID },
	} {
		for _, e := range all {
			if final(e) || e.Superseded || plainKey(reference(e)) == "" {
				continue
			}
			later := slices.IndexFunc(all, func(f *ledger.Entry) bool {
				like := plainKey(reference(f)) == plainKey(reference(e)) && account(f.AccountID) == account(e.AccountID) && f.Currency == e.Currency && f.Amount == e.Amount
				near := f.Status == ledger.StatusBooked && e.BookedOn.AddDays(-5) <= f.BookedOn && f.BookedOn <= e.BookedOn.AddDays(31)
				return rank(f) > rank(e) && like && (n == 0 || near) && !taken[place{f, e.Status, e.Report}]
			})
			if later < 0 {
				continue
			}
			f := all[later]
			taken[place{f, e.Status, e.Report}] = true
			set(e, f.ID)
			if e.Report == ledger.ReportNotification && len(e.Children) > 0 && final(f) && len(f.Children) == 0 {
				details[f] = append(details[f], e)
			}
		}
	}

	// A statement is the whole truth of its days.
	for _, e := range all {
		shown := slices.ContainsFunc(m.world.Coverage, func(c ledger.Coverage) bool {
			return !c.Report && account(c.AccountID) == account(e.AccountID) && c.From <= e.BookedOn && e.BookedOn < c.To
		})
		if !final(e) && !e.Superseded && e.Report != "" && shown {
			set(e, "")
		}
	}
	m.explain(all, final, details)
}

// explain gives final entries without payments those of the notifications of them: of the whole, or of payments that add up to
// the one entry of their batch.
func (m *model) explain(all []*ledger.Entry, final func(*ledger.Entry) bool, details map[*ledger.Entry][]*ledger.Entry) {
	for _, f := range all {
		var members []*ledger.Entry
		var sum int64
		only := f.GroupID != "" && final(f) && f.Status == ledger.StatusBooked && len(f.Children) == 0 && details[f] == nil
		for _, e := range all {
			if plainKey(e.GroupID) != plainKey(f.GroupID) || account(e.AccountID) != account(f.AccountID) || e.Currency != f.Currency {
				continue
			}
			switch {
			case e.Report == ledger.ReportNotification && len(e.Children) == 0:
				members = append(members, e)
				sum += e.Amount
			case e != f && final(e) && e.Status == ledger.StatusBooked:
				only = false
			}
		}
		if !only || len(members) < 2 || sum != f.Amount {
			continue
		}
		for _, e := range members {
			e.Superseded, e.SupersededBy = true, f.ID
		}
		details[f] = members
	}
	for f, of := range details {
		f.Children = nil
		for _, e := range of {
			if len(e.Children) > 0 {
				f.Children = append(f.Children, e.Children...)
			} else {
				f.Children = append(f.Children, *e)
			}
		}
		for n := range f.Children {
			f.Children[n].Children, f.Children[n].Superseded, f.Children[n].SupersededBy = nil, false, ""
		}
	}
}
