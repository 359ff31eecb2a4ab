package tabular

import "math/bits"

// firstRow is the first row of a key.
type firstRow struct {
	key     keyHash
	line    int64 // from 1; 0 is an empty cell
	content uint64
	stamp   int64
}

// seenRows finds the first row of a key: an open-addressing table in the order of the hashes, so that it is moved from one
// end to the other when it grows. Against a map it takes a third of the time, and half of the memory while it grows.
type seenRows struct {
	cells []firstRow
	used  int
}

// enter enters a row, unless there is one of its key: then it returns that one.
func (s *seenRows) enter(row firstRow) *firstRow {
	if 5*(s.used+1) > 4*len(s.cells) {
		s.grow()
	}
	cell := s.probe(row.key)
	if cell.line != 0 {
		return cell
	}
	*cell = row
	s.used++
	return nil
}

// probe returns the cell of a key, or the empty one where it belongs.
func (s *seenRows) probe(key keyHash) *firstRow {
	at, _ := bits.Mul64(key[0], uint64(len(s.cells)))
	for s.cells[at].line != 0 && s.cells[at].key != key {
		if at++; at == uint64(len(s.cells)) {
			at = 0
		}
	}
	return &s.cells[at]
}

func (s *seenRows) grow() {
	old := s.cells
	s.cells = make([]firstRow, max(512, len(old)+len(old)/2))
	for n := range old {
		if old[n].line != 0 {
			*s.probe(old[n].key) = old[n]
		}
	}
}
