package profile

import (
	"regexp"

	"agentrecon/ledger"
)

// sequence is what the dates of a file tell together of their order, where none tells by itself: read with the day first
// or with the month first, the rows follow in time, or the dates of one row are near each other, or not.
type sequence struct {
	readings [2]reading // of [tried]
	changes  int        // rows with another date than the one above
	above    decision   // dates above the header
}

type reading struct {
	last     ledger.Date
	up, down bool // a date is later, or earlier, than the one above
	apart    int  // most days between the booked and the value date of a row
}

var tried = [2]Order{DayFirst, MonthFirst}

// Limits of what counts as evidence.
const (
	fewestChanges = 3  // fewer dates may be sorted by chance
	nearest       = 5  // days between the dates of one row at most, read rightly
	farthest      = 25 // and at least in one row, read wrongly
)

// take looks at the booked and the value date of a row. Dates that tell by themselves are of no interest here.
func (s *sequence) take(b *binding, row Row) {
	booked, ok := ambiguous(b, row, RoleBookedOn)
	if !ok {
		return
	}
	value, both := ambiguous(b, row, RoleValueOn)
	for k := range tried {
		r := &s.readings[k]
		if r.last != 0 && booked[k] != r.last {
			r.up, r.down = r.up || booked[k] > r.last, r.down || booked[k] < r.last
			if k == 0 {
				s.changes++
			}
		}
		r.last = booked[k]
		if both {
			r.apart = max(r.apart, int(max(booked[k]-value[k], value[k]-booked[k])))
		}
	}
}

// ambiguous is the date of a role by each order.
func ambiguous(b *binding, row Row, role Role) (days [2]ledger.Date, ok bool) {
	for _, i := range b.at[role] {
		if i >= len(row.Cells) || row.Cells[i].Text == "" {
			continue
		}
		d, err := dayOf(row.Cells[i])
		if err != nil {
			return days, false
		}
		if _, known := d.evidence(); known {
			return days, false
		}
		for k, order := range tried {
			if days[k], err = d.in(order); err != nil {
				return days, false
			}
		}
		return days, true
	}
	return days, false
}

var dateAbove = regexp.MustCompile(`\b\d{1,2}[/-]\d{1,2}[/-](\d{2}|\d{4})\b`)

// preamble looks at the dates of a row above the header: the period of a statement, or the day of the export.
func (s *sequence) preamble(row Row) {
	for _, c := range row.Cells {
		for _, text := range dateAbove.FindAllString(c.Text, -1) {
			d, err := parseDay(text)
			if err != nil {
				continue
			}
			if order, known := d.evidence(); known && order != YearFirst {
				s.above.vote(order == DayFirst, example{row.Line, text})
			}
		}
	}
}

// order is the one order that the dates allow, and why. It is empty if they allow both or none.
func (s *sequence) order() (Order, string) {
	switch {
	case s.above.a > 0 && s.above.b == 0:
		return DayFirst, s.above.firstA.text + " above the header has the day first"
	case s.above.b > 0 && s.above.a == 0:
		return MonthFirst, s.above.firstB.text + " above the header has the month first"
	}
	for k, order := range tried {
		this, other := s.readings[k], s.readings[1-k]
		if this.apart <= nearest && other.apart >= farthest {
			return order, "only so are the booked and the value dates of a row near each other"
		}
		if s.changes >= fewestChanges && !(this.up && this.down) && other.up && other.down {
			return order, "only so do the rows follow in time"
		}
	}
	return "", ""
}
