package profile

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"agentrecon/ledger"
	"agentrecon/ledger/tabular"
)

// survey is what all rows of a file say of how to read each of them.
type survey struct {
	mark, order   decision
	debitNegative int // debits printed with a minus, and without
	debitPositive int
	pairs         int // dated rows with a credit or a debit, and with an amount only
	amounts       int
	ambiguousMark example
	ambiguousDay  example
	sequence      sequence
	dated         int // rows with a date, and those of them with more fields than the header
	wide          int
}

// decision counts the evidence for each of two readings.
type decision struct {
	a, b      int // point and comma; day first and month first
	firstA    example
	firstB    example
	yearFirst int
}

type example struct {
	line int
	text string
}

// rules are what was decided.
type rules struct {
	mark       byte
	markWhy    string
	order      Order
	orderWhy   string
	concluded  bool // no date tells the order by itself
	debitMinus bool // debits are printed negative
	pairsOnly  bool // an amount beside empty credit and debit columns is a total, not an entry
	unnamed    bool // texts go on in columns without a name, right of the header
}

// settled reports whether the profile alone decides, so that the file need not be read twice.
func (b *binding) settled() bool {
	return (b.profile.Mark != 0 || b.profile.Minor) && b.profile.Order != "" && !b.has(RoleDebit) && !b.has(RoleCredit)
}

// whole is the currency that all amounts are in, as far as that is known before they are read, if it has no decimals.
func whole(b *binding, options ledger.ReadOptions) ledger.Currency {
	c := b.currency
	if c == "" && !b.has(RoleCurrency) {
		c = cmp.Or(options.DefaultCurrency, b.profile.Currency)
	}
	if c == "" || c.Exponent() != 0 {
		return ""
	}
	return c
}

// decide reads a table to its end, if it must, and decides how to read it.
func decide(t *Table, b *binding, options ledger.ReadOptions) (rules, error) {
	p := b.profile
	if b.settled() {
		return rules{mark: cmp.Or(p.Mark, '.'), markWhy: "the profile says so", order: p.Order, orderWhy: "the profile says so"}, nil
	}
	rows, err := t.Open(len(b.header))
	if err != nil {
		return rules{}, err
	}
	defer closeRows(rows)
	var s survey
	for {
		row, err := rows.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		var bad *ledger.RowError
		if errors.As(err, &bad) {
			continue // the second reading says so
		}
		if err != nil {
			return rules{}, err
		}
		if row.Line > b.line {
			s.take(b, row)
		} else {
			s.sequence.preamble(row)
		}
	}
	return s.decide(t.Name, b, options)
}

// take weighs one row. Rows without a date are no entries, and what their cells hold says nothing.
func (s *survey) take(b *binding, row Row) {
	dated := false
	for _, role := range [2]Role{RoleBookedOn, RoleValueOn} {
		for _, i := range b.at[role] {
			if i >= len(row.Cells) || row.Cells[i].Text == "" {
				continue
			}
			if row.Cells[i].Kind == Date {
				dated = true
				continue
			}
			d, err := dayOf(row.Cells[i])
			if err != nil {
				continue
			}
			dated = true
			s.day(&d, example{row.Line, row.Cells[i].Text})
		}
	}
	if !dated {
		return
	}
	if s.dated++; filled(row) > len(b.header) {
		s.wide++
	}
	s.sequence.take(b, row)
	s.pair(b, row)
	for role := range roleCount {
		if !role.isMoney() {
			continue
		}
		for _, i := range b.at[role] {
			if i < len(row.Cells) && row.Cells[i].Kind == Text && row.Cells[i].Text != "" {
				s.number(row.Cells[i].Text, row.Line)
			}
		}
	}
	for _, i := range b.at[RoleDebit] {
		if i >= len(row.Cells) {
			continue
		}
		if n, ok, err := parseNumber(row.Cells[i].Text); err == nil && ok && n.digits != "" && !isZero(n.digits) {
			if n.negative {
				s.debitNegative++
			} else {
				s.debitPositive++
			}
		}
	}
}

// pair counts by which columns the rows say what moved, where there are columns for either way.
func (s *survey) pair(b *binding, row Row) {
	filled := func(roles ...Role) bool {
		for _, role := range roles {
			for _, i := range b.at[role] {
				if i < len(row.Cells) && row.Cells[i].Text != "" {
					return true
				}
			}
		}
		return false
	}
	switch {
	case filled(RoleCredit, RoleDebit):
		s.pairs++
	case filled(RoleAmount, RoleNet):
		s.amounts++
	}
}

func isZero(digits string) bool {
	for i := range len(digits) {
		if b := digits[i]; b != '0' && b != '.' && b != ',' {
			return false
		}
	}
	return true
}

func (s *survey) number(text string, line int) {
	n, ok, err := parseNumber(text)
	if err != nil || !ok {
		return
	}
	mark, ambiguous := n.evidence()
	switch {
	case ambiguous && s.ambiguousMark.line == 0:
		s.ambiguousMark = example{line, text}
	case mark == '.':
		s.mark.vote(true, example{line, text})
	case mark == ',':
		s.mark.vote(false, example{line, text})
	}
}

func (s *survey) day(d *day, where example) {
	order, known := d.evidence()
	switch {
	case !known:
		if s.ambiguousDay.line == 0 {
			s.ambiguousDay = where
		}
	case order == YearFirst:
		s.order.yearFirst++
	case d.month != 0: // a named month needs no order and says nothing of other dates
	default:
		s.order.vote(order == DayFirst, where)
	}
}

func (d *decision) vote(a bool, where example) {
	switch {
	case a:
		if d.a++; d.firstA.line == 0 {
			d.firstA = where
		}
	default:
		if d.b++; d.firstB.line == 0 {
			d.firstB = where
		}
	}
}

// dayFirstLanguages are those whose people never write the month first.
var dayFirstLanguages = map[string]bool{"de": true, "fr": true, "it": true, "es": true, "nl": true, "pt": true, "pl": true, "cs": true, "da": true, "no": true, "fi": true}

// decide draws the conclusions.
// unnamed reports whether every row goes on behind the header, whose last column is a text: its name stands for those too.
// In some rows only, a text may hold the delimiter, and the fields behind it are not where they should be.
func (s *survey) unnamed(b *binding) bool {
	return s.dated > 1 && s.wide == s.dated && slices.Contains(b.at[RoleText], len(b.header)-1)
}

func (s *survey) decide(name string, b *binding, options ledger.ReadOptions) (rules, error) {
	r := rules{debitMinus: s.debitNegative > s.debitPositive, pairsOnly: s.pairs > s.amounts, unnamed: s.unnamed(b)}
	refuse := func(line int, reason string) (rules, error) {
		return rules{}, &tabular.FileError{File: name, Line: line, Reason: reason}
	}
	switch p := b.profile; {
	case p.Mark != 0:
		r.mark, r.markWhy = p.Mark, "the profile says so"
	case s.mark.a > 0 && s.mark.b > 0:
		return refuse(max(s.mark.firstA.line, s.mark.firstB.line), fmt.Sprintf(
			"%q (line %d) has a point for decimal mark, %q (line %d) a comma; one file has one, so mend the rows or say which in a profile (decimal .)",
			s.mark.firstA.text, s.mark.firstA.line, s.mark.firstB.text, s.mark.firstB.line))
	case s.mark.a > 0:
		r.mark, r.markWhy = '.', fmt.Sprintf("%q in line %d", s.mark.firstA.text, s.mark.firstA.line)
	case s.mark.b > 0:
		r.mark, r.markWhy = ',', fmt.Sprintf("%q in line %d", s.mark.firstB.text, s.mark.firstB.line)
	case s.ambiguousMark.line > 0 && options.DecimalMark != 0:
		r.mark, r.markWhy = options.DecimalMark, "it was given"
	case s.ambiguousMark.line > 0 && whole(b, options) != "":
		r.mark, r.markWhy = '.', fmt.Sprintf("%s has no decimals, so %q has thousands", whole(b, options), s.ambiguousMark.text)
		if strings.Contains(s.ambiguousMark.text, ".") {
			r.mark = ','
		}
	case s.ambiguousMark.line > 0:
		return refuse(s.ambiguousMark.line, fmt.Sprintf(
			"%q may be thousands or have three decimals, and no other amount of the file tells; say which mark is the decimal one, as in --decimal . or --decimal , (or decimal . in a profile)",
			s.ambiguousMark.text))
	default:
		r.mark, r.markWhy = '.', "no amount has a mark"
	}
	together, why := s.sequence.order()
	switch p := b.profile; {
	case p.Order != "":
		r.order, r.orderWhy = p.Order, "the profile says so"
	case s.order.a > 0 && s.order.b > 0:
		return refuse(max(s.order.firstA.line, s.order.firstB.line), fmt.Sprintf(
			"%q (line %d) has the day first, %q (line %d) the month; one file has one order, so mend the rows or name it in a profile (dates dmy)",
			s.order.firstA.text, s.order.firstA.line, s.order.firstB.text, s.order.firstB.line))
	case s.order.a > 0:
		r.order, r.orderWhy = DayFirst, fmt.Sprintf("%q in line %d", s.order.firstA.text, s.order.firstA.line)
	case s.order.b > 0:
		r.order, r.orderWhy = MonthFirst, fmt.Sprintf("%q in line %d", s.order.firstB.text, s.order.firstB.line)
	case s.ambiguousDay.line > 0 && options.DateOrder != "":
		r.order, r.orderWhy = Order(options.DateOrder), "it was given"
	case s.ambiguousDay.line > 0 && together != "":
		r.order, r.orderWhy, r.concluded = together, why, true
	case s.ambiguousDay.line > 0 && dayFirstLanguages[b.lang]:
		r.order, r.orderWhy, r.concluded = DayFirst, "the names of the columns are in a language that writes the day first", true
	case s.ambiguousDay.line > 0:
		return refuse(s.ambiguousDay.line, fmt.Sprintf(
			"%q may have the day or the month first, and no other date of the file tells; say which, as in --dates dmy or --dates mdy (or dates dmy in a profile)", s.ambiguousDay.text))
	default:
		r.order, r.orderWhy = YearFirst, "every date has the year first or names the month"
	}
	return r, nil
}
