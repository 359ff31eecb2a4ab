package recontest

import (
	"cmp"
	"slices"
	"strconv"

	"agentrecon/ledger"
)

// A seam is where two statements of an account meet.
type seam struct {
	account  string
	from, to ledger.Date
	bridged  bool     // nothing was booked on these days, for the statements follow on each other
	files    []string // else something may be missing on these days of these files
}

// seams finds where statements of an account meet that no other lies between. If one does not open at what the one before
// closed at, or if balances do not tell and a number is missing, its first day and the last day of the other are open. If
// balances and numbers follow on each other, nothing was booked on the days between.
func (m *model) seams() []seam {
	type filed struct {
		ledger.Statement
		file string
	}
	var all []filed
	for _, source := range m.world.Sources {
		for _, s := range source.Statements {
			if s.From < s.To {
				all = append(all, filed{s, source.Name})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b filed) int { return cmp.Compare(a.From, b.From) })
	var seams []seam
	last := map[string]filed{} // by account and currency
	for _, s := range all {
		chain := account(s.AccountID) + " " + string(s.Currency)
		before, known := last[chain]
		last[chain] = s
		if !known || s.From < before.To {
			continue
		}
		apart := 0
		if a, err := strconv.Atoi(before.Sequence); err == nil {
			if b, err := strconv.Atoi(s.Sequence); err == nil {
				apart = b - a
			}
		}
		balances := before.Closing.Amount.Given && s.Opening.Amount.Given
		follows := balances && before.Closing.Amount.Minor == s.Opening.Amount.Minor
		switch {
		case follows && apart == 1:
			seams = append(seams, seam{account: account(s.AccountID), from: before.To, to: s.From, bridged: true})
		case balances && !follows, !balances && apart > 1:
			seams = append(seams, seam{account: account(s.AccountID), from: before.To.AddDays(-1), to: s.From.AddDays(1), files: []string{before.file, s.file}})
		}
	}
	return seams
}

// covered asks for every day of the window whether a statement covers it.
func (m *model) covered(a *refAttempt) bool {
	seams := m.seams()
	dayCovered := func(of string, d ledger.Date) bool {
		at := func(s seam, in string) bool { return s.account == account(in) && s.from <= d && d < s.to }
		return slices.ContainsFunc(seams, func(s seam) bool { return s.bridged && at(s, of) }) ||
			slices.ContainsFunc(m.world.Coverage, func(c ledger.Coverage) bool {
				open := func(s seam) bool { return at(s, c.AccountID) && slices.Contains(s.files, c.File) }
				return (c.AccountID == "" || account(c.AccountID) == account(of)) && c.From <= d && d < c.To && !slices.ContainsFunc(seams, open)
			})
	}
	if a.SourceAccount != "" && !m.reconciles(a.SourceAccount) {
		return false // entries of that account are set aside, so that none is left proves nothing
	}
	accounts := []string{a.SourceAccount}
	if a.SourceAccount == "" {
		if accounts = slices.Clone(m.policy.Accounts); len(accounts) == 0 {
			for _, c := range m.world.Coverage {
				accounts = append(accounts, c.AccountID)
			}
		}
		if len(accounts) == 0 {
			return false
		}
	}
	for _, of := range accounts {
		for d := ledger.DateOf(a.start, m.policy.Zone); d < ledger.DateOf(a.end, m.policy.Zone); d++ {
			if !dayCovered(of, d) {
				return false
			}
		}
	}
	return true
}
