package ledger

import (
	"cmp"
	"slices"
)

// Several is the format or profile of a file whose parts do not have the same one.
const Several = "several"

// Join adds a part, such as a file of an archive or a sheet of a workbook, to what is said of the whole. Its warnings
// name the part. The whole's proof is the worst of its parts, and the first part's where they are alike. Name and
// digest stay those of the whole.
func (s *SourceFile) Join(part *SourceFile) {
	first := s.Format == ""
	if first {
		s.Format, s.Profile, s.Proof = part.Format, part.Profile, part.Proof
	}
	for _, word := range [][2]*string{{&s.Format, &part.Format}, {&s.Profile, &part.Profile}} {
		if *word[0] != *word[1] {
			*word[0] = Several
		}
	}
	s.Rows += part.Rows
	s.Statements = append(s.Statements, part.Statements...)
	s.Coverage = append(s.Coverage, part.Coverage...)
	for _, w := range part.Warnings {
		s.Warnings = append(s.Warnings, part.Name+": "+w)
	}
	for _, account := range part.Accounts {
		if !slices.Contains(s.Accounts, account) {
			s.Accounts = append(s.Accounts, account)
		}
	}
	slices.Sort(s.Accounts)
	for _, total := range part.Totals {
		i := slices.IndexFunc(s.Totals, func(t ControlTotal) bool { return t.Currency == total.Currency })
		if i < 0 {
			s.Totals = append(s.Totals, total)
			continue
		}
		s.Totals[i].Count += total.Count
		s.Totals[i].Minor += total.Minor
	}
	slices.SortFunc(s.Totals, func(a, b ControlTotal) int { return cmp.Compare(a.Currency, b.Currency) })
	if !first {
		s.Proof = worse(s.Proof, part.Proof)
	}
}

// worse is the proof of two files together: failed before none before ok.
func worse(a, b Proof) Proof {
	rank := map[ProofState]int{ProofFailed: 2, ProofNone: 1}
	if rank[b.State] > rank[a.State] {
		return b
	}
	return a
}
