package recontest

import (
	"slices"

	"agentrecon/ledger"
)

// torn reports whether a day is where two statements of an account meet whose balances do not follow on each other.
// Numbers, and statements that leave days out, are beyond the reference.
func (m *model) torn(of string, d ledger.Date) bool {
	var all []ledger.Statement
	for _, source := range m.world.Sources {
		all = append(all, source.Statements...)
	}
	return slices.ContainsFunc(all, func(s ledger.Statement) bool {
		return account(s.AccountID) == account(of) && slices.ContainsFunc(all, func(next ledger.Statement) bool {
			meet := account(next.AccountID) == account(of) && next.From == s.To && s.From < s.To
			return meet && s.Closing.Amount != next.Opening.Amount && (d == s.To.AddDays(-1) || d == next.From)
		})
	})
}

// covered asks for every day of the window whether a statement covers it.
func (m *model) covered(a *refAttempt) bool {
	dayCovered := func(of string, d ledger.Date) bool {
		return slices.ContainsFunc(m.world.Coverage, func(c ledger.Coverage) bool {
			return (c.AccountID == "" || account(c.AccountID) == account(of)) && c.From <= d && d < c.To && !m.torn(c.AccountID, d)
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
