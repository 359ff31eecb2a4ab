package profile

import (
	"bytes"
	"errors"
	"io"
	"maps"

	"agentrecon/ledger"
	"agentrecon/ledger/tabular"
)

// headRows is among how many rows the header is looked for, and how many rows below it are looked at to tell
// what columns hold.
const headRows = 80

// head reads the first rows of a table. Their cells are copied, so that they stay good.
func head(t *Table) ([]Row, error) {
	rows, err := t.Open(0)
	if err != nil {
		return nil, err
	}
	defer closeRows(rows)
	var list []Row
	for len(list) < headRows {
		row, err := rows.Next()
		if err != nil {
			if errors.Is(err, io.EOF) || len(list) > 0 {
				return list, nil // what is wrong further down is for the reader to say
			}
			return nil, err
		}
		row.Cells = append([]Cell(nil), row.Cells...)
		list = append(list, row)
	}
	return list, nil
}

// Set is a set of profiles, ready to be matched.
type Set struct {
	profiles []*Profile
	lexicon  lexicon
	words    *Profile // what words in cells mean where no profile says so
}

// NewSet prepares profiles. Earlier ones win over later ones that fit as well.
func NewSet(profiles []*Profile) *Set {
	s := &Set{profiles: profiles, lexicon: newLexicon(profiles), words: &Profile{
		Name: "bank", Version: 1, Title: "a bank's CSV", Lexicon: true, Directions: map[string]int{},
	}}
	for _, p := range profiles {
		if p.Lexicon {
			s.words.adopt(p)
		}
	}
	return s
}

// adopt takes over what a lexicon says of words.
func (p *Profile) adopt(from *Profile) {
	if p.Kinds == nil {
		p.Kinds, p.Statuses = map[string]ledger.Kind{}, map[string]ledger.Status{}
	}
	maps.Copy(p.Kinds, from.Kinds)
	maps.Copy(p.Statuses, from.Statuses)
	maps.Copy(p.Directions, from.Directions)
	if p.Carries == nil {
		p.Carries = map[string]string{}
	}
	maps.Copy(p.Carries, from.Carries)
}

// recognise finds the header of a table and what its columns are. It returns nil if nothing fits.
func (s *Set) recognise(t *Table) (*binding, []Row, error) {
	rows, err := head(t)
	if err != nil {
		return nil, nil, err
	}
	var best *binding
	for _, row := range rows {
		if len(row.Cells) < 2 {
			continue
		}
		h := newHeader(row)
		if b := choose(h, s.profiles); b != nil && (best == nil || b.score > best.score) {
			b.lang = s.lexicon.language(h)
			best = b
		}
	}
	if best != nil {
		return best, rows, nil
	}
	for i, row := range rows {
		if len(row.Cells) < 2 {
			continue
		}
		if b := s.lexicon.bind(newHeader(row), rows[i+1:], s.words); b != nil && (best == nil || b.score > best.score) {
			best = b
		}
	}
	return best, rows, nil
}

// match is a table with what it was found to be.
type match struct {
	table   *Table
	binding *binding // nil: nothing fits
	sample  []Row    // its first rows
}

// entries reports whether it is a ledger with rows below its header, as far as its first rows show.
func (m match) entries() bool {
	return m.binding != nil && m.binding.profile.Refuse == "" && len(m.sample) > 0 && m.sample[len(m.sample)-1].Line > m.binding.line
}

// best chooses among the tables that a file may be, such as one for each delimiter.
func (s *Set) best(tables []*Table) (*Table, *binding, []Row, error) {
	m, _, err := s.matches(tables)
	return m.table, m.binding, m.sample, err
}

// matches finds out what each of some tables is, and which fits best: a sheet that is shown before a hidden one.
func (s *Set) matches(tables []*Table) (best match, all []match, err error) {
	var failed error
	for _, t := range tables {
		b, rows, err := s.recognise(t)
		if err != nil {
			var refused *tabular.FileError
			if !errors.As(err, &refused) {
				return match{}, nil, err
			}
			failed = err
			continue
		}
		m := match{table: t, binding: b, sample: rows}
		switch {
		case b == nil:
			if best.binding == nil && (best.table == nil || widest(rows) > widest(best.sample)) {
				best = m
			}
		case best.binding == nil, t.Hidden == best.table.Hidden && better(b, best.binding), best.table.Hidden && !t.Hidden:
			best = m
		}
		all = append(all, m)
	}
	if best.table == nil {
		return match{}, nil, failed
	}
	return best, all, nil
}

func better(a, b *binding) bool {
	if a.profile.Lexicon != b.profile.Lexicon {
		return b.profile.Lexicon
	}
	return a.score > b.score
}

func widest(rows []Row) int {
	n := 0
	for _, r := range rows {
		n = max(n, len(r.Cells))
	}
	return n
}

// Sniff reports whether the beginning of a text file is a table that the set can read or refuses by name.
func (s *Set) Sniff(data []byte) bool {
	_, b, sample, err := s.best(CSV("", bytes.NewReader(data), ""))
	return err == nil && (b != nil || len(s.lexicon.sorted) > 0 && inferred(sample, s.words) != nil)
}
