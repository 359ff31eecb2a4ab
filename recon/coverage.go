package recon

import (
	"cmp"
	"slices"

	"agentrecon/ledger"
)

// coverageMap answers whether the ledger is complete for an account over some days.
type coverageMap struct {
	byAccount map[string][]ledger.Coverage // folded account → merged ranges, by from
	inScope   []string                     // folded accounts that an attempt without an account may have used
	scoped    bool                         // the policy names them, so that no other account is looked at
}

// newCoverageMap merges the ranges. The accounts in scope are the policy's, else every account that is covered.
func newCoverageMap(ranges []ledger.Coverage, accounts []string) coverageMap {
	m := coverageMap{byAccount: map[string][]ledger.Coverage{}, scoped: len(accounts) > 0}
	for _, c := range mergeCoverage(ranges) {
		account := foldAccount(c.AccountID)
		m.byAccount[account] = append(m.byAccount[account], c)
	}
	for _, account := range accounts {
		m.inScope = append(m.inScope, foldAccount(account))
	}
	if len(accounts) == 0 {
		for account := range m.byAccount {
			m.inScope = append(m.inScope, account)
		}
	}
	slices.Sort(m.inScope)
	return m
}

// covers reports whether every day from from up to, excluding, to is covered for the account; an empty account asks
// for every account in scope. An account out of scope is not covered, whatever its statements: its entries are set
// aside, so that none is left proves nothing.
func (m coverageMap) covers(account string, from, to ledger.Date) bool {
	if account != "" {
		account = foldAccount(account)
		return (!m.scoped || slices.Contains(m.inScope, account)) && m.coversOne(account, from, to)
	}
	for _, each := range m.inScope {
		if !m.coversOne(each, from, to) {
			return false
		}
	}
	return len(m.inScope) > 0
}

// coversOne joins the account's own ranges with those of files that name no account.
func (m coverageMap) coversOne(account string, from, to ledger.Date) bool {
	own, general := m.byAccount[account], m.byAccount[""]
	for reached := true; from < to && reached; {
		reached = false
		for _, ranges := range [2][]ledger.Coverage{own, general} {
			for _, c := range ranges {
				if c.From <= from && from < c.To {
					from, reached = c.To, true
				}
			}
		}
	}
	return from >= to
}

// mergeCoverage joins ranges of one account that touch or overlap, sorted by account and from. A joined range is
// inferred if any part of it is.
func mergeCoverage(ranges []ledger.Coverage) []ledger.Coverage {
	sorted := slices.Clone(ranges)
	slices.SortFunc(sorted, func(a, b ledger.Coverage) int {
		return cmp.Or(cmp.Compare(a.AccountID, b.AccountID), cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To), cmp.Compare(a.File, b.File))
	})
	var merged []ledger.Coverage
	for _, c := range sorted {
		if n := len(merged); n > 0 && merged[n-1].AccountID == c.AccountID && c.From <= merged[n-1].To {
			last := &merged[n-1]
			last.To = max(last.To, c.To)
			last.Inferred = last.Inferred || c.Inferred
			if last.File != c.File {
				last.File = ""
			}
			continue
		}
		merged = append(merged, c)
	}
	return merged
}
