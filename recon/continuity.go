package recon

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"

	"agentrecon/ledger"
)

// readCoverage returns the ranges over which the ledger is complete, as its files say and as their statements bear out.
func readCoverage(ctx context.Context, books Books) ([]ledger.Coverage, error) {
	ranges, err := books.Coverage(ctx)
	if err != nil {
		return nil, fmt.Errorf("read coverage: %w", err)
	}
	sources, err := books.Sources(ctx)
	if err != nil {
		return nil, fmt.Errorf("read sources: %w", err)
	}
	return heldToBalances(ranges, sources), nil
}

// statement is one that covers its days, with the file it stands in.
type statement struct {
	*ledger.Statement
	file string
}

// heldToBalances holds the statements of an account and currency against each other, across files. Where no statement
// closes at what the next opens at, or numbers are missing and balances cannot tell, entries may be missing on either
// side: the days where the two meet are covered by neither file. Where balances and numbers do follow on each other and
// days lie between, nothing was booked in them, and they are covered too, labelled as inferred.
func heldToBalances(ranges []ledger.Coverage, sources []ledger.SourceFile) []ledger.Coverage {
	type chain struct {
		account  string
		currency ledger.Currency
	}
	chains := map[chain][]statement{}
	for n := range sources {
		for i := range sources[n].Statements {
			s := &sources[n].Statements[i]
			if s.Copy == "" && s.From < s.To && covering(sources[n].Coverage, s) {
				at := chain{foldAccount(s.AccountID), s.Currency}
				chains[at] = append(chains[at], statement{s, sources[n].Name})
			}
		}
	}
	held := slices.Clone(ranges)
	var bridges []ledger.Coverage
	for at, list := range chains {
		for _, m := range meetings(list) {
			switch {
			case m.follows() && m.gap() && m.consecutive():
				last := m.before[0]
				bridges = append(bridges, ledger.Coverage{AccountID: m.next.AccountID, From: last.To, To: m.next.From, Inferred: true, File: m.next.file})
			case !m.follows() && m.broken():
				held = m.takeOut(held, at.account)
			}
		}
	}
	return mergeCoverage(append(held, bridges...))
}

// covering reports whether a file's coverage includes a statement: a report of a day that is not over covers nothing.
func covering(ranges []ledger.Coverage, s *ledger.Statement) bool {
	return slices.ContainsFunc(ranges, func(c ledger.Coverage) bool {
		return (c.AccountID == "" || c.AccountID == s.AccountID) && c.From <= s.From && s.To <= c.To
	})
}

// meeting is a statement and those that it may follow on.
type meeting struct {
	before []statement // that end last before it begins
	beside []statement // others of its very days
	next   statement
}

// meetings pairs the statements of an account and currency with those before them. A statement that begins within
// another one has none: that one proves the days.
func meetings(list []statement) []meeting {
	slices.SortFunc(list, func(a, b statement) int {
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To), cmp.Compare(a.file, b.file), cmp.Compare(a.ID, b.ID), cmp.Compare(a.Line, b.Line))
	})
	var all []meeting
	var last []statement // those that end last of what began earlier
	for from := 0; from < len(list); {
		to := from
		for to < len(list) && list[to].From == list[from].From {
			to++
		}
		group := list[from:to]
		for _, s := range group {
			if len(last) > 0 && last[0].To <= s.From {
				all = append(all, meeting{before: last, beside: besides(group, s), next: s})
			}
		}
		longest := slices.MaxFunc(group, func(a, b statement) int { return cmp.Compare(a.To, b.To) }).To
		for _, s := range group {
			if s.To < longest {
				continue
			}
			if len(last) == 0 || last[0].To < longest {
				last = nil
			}
			if len(last) == 0 || last[0].To == longest {
				last = append(slices.Clip(last), s)
			}
		}
		from = to
	}
	return all
}

// besides are the statements of a group that have the very days of one and are not the same, imported twice.
func besides(group []statement, s statement) []statement {
	var others []statement
	for _, b := range group {
		if b.To == s.To && (b.Opening != s.Opening || b.Closing != s.Closing || b.Sequence != s.Sequence) {
			others = append(others, b)
		}
	}
	return others
}

// follows reports whether the statement opens at what one of the others closed at.
func (m meeting) follows() bool {
	closes := func(b statement) bool {
		return known(b, m.next) && b.Closing.Amount.Minor == m.next.Opening.Amount.Minor
	}
	return slices.ContainsFunc(m.before, closes) || slices.ContainsFunc(m.beside, closes)
}

// gap reports whether days lie between.
func (m meeting) gap() bool { return m.before[0].To < m.next.From }

func (m meeting) consecutive() bool {
	return slices.ContainsFunc(m.before, func(b statement) bool { return numbersApart(b.Sequence, m.next.Sequence) == 1 })
}

// broken reports whether balances or, where there are none, numbers say that something is missing. The balances of pages
// may be those of all of them, and so say nothing.
func (m meeting) broken() bool {
	if m.next.Paged || slices.ContainsFunc(m.before, func(b statement) bool { return b.Paged }) {
		return false
	}
	return !slices.ContainsFunc(m.before, func(b statement) bool { return !known(b, m.next) && numbersApart(b.Sequence, m.next.Sequence) <= 1 })
}

// takeOut takes the last day before and the first day after from what the files of the statements cover.
func (m meeting) takeOut(ranges []ledger.Coverage, account string) []ledger.Coverage {
	from, to := m.before[0].To.AddDays(-1), m.next.From.AddDays(1)
	var kept []ledger.Coverage
	for _, c := range ranges {
		theirs := c.File == m.next.file || slices.ContainsFunc(m.before, func(b statement) bool { return b.file == c.File })
		if !theirs || foldAccount(c.AccountID) != account || c.To <= from || to <= c.From {
			kept = append(kept, c)
			continue
		}
		before, after := c, c
		before.To, after.From = from, to
		for _, part := range []ledger.Coverage{before, after} {
			if part.From < part.To {
				kept = append(kept, part)
			}
		}
	}
	return kept
}

// known reports whether balances tell if one statement follows on another.
func known(before, next statement) bool {
	return before.Closing.Amount.Given && next.Opening.Amount.Given
}

// numbersApart is how far the numbers of two statements lie apart; 0 where that cannot be told. Numbers that start over
// give something negative, which tells nothing either.
func numbersApart(before, next string) int64 {
	a, err1 := strconv.ParseInt(before, 10, 64)
	b, err2 := strconv.ParseInt(next, 10, 64)
	if err1 != nil || err2 != nil {
		return 0
	}
	return b - a
}
