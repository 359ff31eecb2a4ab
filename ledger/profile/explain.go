package profile

import (
	"fmt"
	"slices"
	"strings"

	"agentrecon/ledger"
)

// Explanation says how a table is read, or what is missing to read it.
type Explanation struct {
	Table   *Table
	Profile *Profile // nil: nothing fits
	Line    int      // of the header
	Columns []Column
	Sign    string // how money in and money out are told apart
	Mark    string // the decimal mark, and what decided it
	Order   string // the order of dates, and what decided it
	Money   string // where the currency comes from
	Refusal string // why the file cannot be read although a profile fits, or that none does
	Draft   string // a profile to begin with, where none fits
}

// Column is one column of a table.
type Column struct {
	Name    string // as printed
	Role    string // empty: it is not used
	Samples []string
}

// sampleRows is how many rows an explanation shows.
const sampleRows = 3

// Explain says how the best of several readings of a file would be read.
func (s *Set) Explain(tables []*Table, options ledger.ReadOptions) (Explanation, error) {
	t, b, sample, err := s.best(tables)
	if err != nil {
		return Explanation{}, err
	}
	if b == nil {
		if b = inferred(sample, s.words); b == nil {
			return s.unexplained(t, sample), nil
		}
	}
	return explainBound(t, b, sample, s.words.Carries, options)
}

// ExplainItems says how [Profile.ReadItems] reads a table. Columns that the first rows leave empty are left out: the
// names are all that the profile knows.
func (p *Profile) ExplainItems(t *Table, names []string, options ledger.ReadOptions) (Explanation, error) {
	var header Row
	for _, name := range names {
		header.Cells = append(header.Cells, Cell{Text: name})
	}
	rows, err := t.Open(len(names))
	if err != nil {
		return Explanation{}, err
	}
	defer closeRows(rows)
	var sample []Row
	for len(sample) < sampleRows {
		row, err := rows.Next()
		if err != nil {
			break // reading says what is wrong
		}
		row.Cells = slices.Clone(row.Cells)
		sample = append(sample, row)
	}
	e, err := explainBound(t, p.bind(newHeader(header)), sample, nil, options)
	e.Columns = slices.DeleteFunc(e.Columns, func(c Column) bool {
		return !slices.ContainsFunc(c.Samples, func(text string) bool { return text != "" })
	})
	return e, err
}

// explainBound explains a table whose columns are known.
func explainBound(t *Table, b *binding, sample []Row, carries map[string]string, options ledger.ReadOptions) (Explanation, error) {
	e := Explanation{Table: t, Profile: b.profile, Line: b.line}
	e.Columns = columnsOf(b, sample)
	if p := b.profile; p.Refuse != "" {
		e.Refusal = fmt.Sprintf("this is %s, which is no ledger: %s", p.Title, p.Refuse)
		return e, nil
	}
	e.Sign, e.Money = signOf(b), moneyOf(b, sample, carries, options)
	how, err := decide(t, b, options)
	if err != nil {
		e.Refusal, e.Draft = err.Error(), draftOf(e.Columns)
		return e, nil
	}
	e.Mark = fmt.Sprintf("the decimal mark is %q: %s", string(how.mark), how.markWhy)
	if b.profile.Minor {
		e.Mark = "none: amounts are in the smallest unit of their currency, as the profile says"
	}
	e.Order = fmt.Sprintf("dates have the %s: %s", orderWords[how.order], how.orderWhy)
	if b.has(RoleDebit) {
		if how.debitMinus {
			e.Sign += "; most debits have a minus, so it is not turned round again"
		} else {
			e.Sign += "; most debits have no minus"
		}
	}
	return e, nil
}

var orderWords = map[Order]string{YearFirst: "year first", DayFirst: "day first", MonthFirst: "month first"}

// columnsOf lists the columns with their roles and the first values below them.
func columnsOf(b *binding, sample []Row) []Column {
	roles := make([][]string, len(b.header))
	for role := range roleCount {
		for _, i := range b.at[role] {
			if i < len(roles) {
				roles[i] = append(roles[i], role.String())
			}
		}
	}
	list := make([]Column, len(b.header))
	for i, name := range b.header {
		list[i] = Column{Name: name, Role: strings.Join(roles[i], ", "), Samples: samplesOf(i, b.line, sample)}
	}
	return list
}

// samplesOf returns the first values of a column below a line; empty cells stand for rows that have none there.
func samplesOf(column, line int, sample []Row) []string {
	var list []string
	for _, row := range sample {
		if row.Line <= line || blank(row) || len(list) == sampleRows {
			continue
		}
		text := ""
		if column < len(row.Cells) {
			text = row.Cells[column].Text
		}
		list = append(list, text)
	}
	return list
}

// signOf says how a binding tells money in from money out.
func signOf(b *binding) string {
	p := b.profile
	name := func(r Role) string {
		if i := b.at[r][0]; b.header[i] != "" {
			return fmt.Sprintf("%q", b.header[i])
		}
		return fmt.Sprintf("column %d", b.at[r][0]+1)
	}
	var rule string
	switch {
	case b.has(RoleDirection):
		rule = fmt.Sprintf("the word in %s tells money in from money out, whatever the sign of the amount", name(RoleDirection))
	case b.has(RoleCredit) && b.has(RoleDebit):
		rule = fmt.Sprintf("%s is money in, %s money out", name(RoleCredit), name(RoleDebit))
	case b.has(RoleCredit) || b.has(RoleDebit):
		rule = "there is a column for one direction only"
	case p.Inverted:
		rule = "money out is positive, as on card statements"
	default:
		rule = "the sign of the amount: money in is positive"
	}
	for _, f := range p.Flips {
		rule += fmt.Sprintf("; where %q is %s, the sign is turned", f.column, strings.Join(f.values, " or "))
	}
	switch p.Fee {
	case "within":
		rule += "; the amount is what is left after the fee"
	case "on_top":
		rule += "; the fee is paid beside the amount and becomes an entry of its own"
	case "on_top_out":
		rule += "; the fee of money out is paid beside the amount and becomes an entry of its own"
	}
	return rule
}

// named is the currency that the names of the columns of what moved say.
func (b *binding) named() ledger.Currency {
	for _, role := range [4]Role{RoleCredit, RoleDebit, RoleAmount, RoleNet} {
		for _, i := range b.at[role] {
			if i < len(b.money) && b.money[i] != "" {
				return b.money[i]
			}
		}
	}
	return ""
}

// moneyOf says where the currency comes from.
func moneyOf(b *binding, sample []Row, carries map[string]string, options ledger.ReadOptions) string {
	preamble := preambleCurrency(sample, b.line, carries)
	switch {
	case b.named() != "" && b.has(RoleCurrency):
		return fmt.Sprintf("the currency is %s, as the name of the amount's column says, else that of column %q", b.named(), b.header[b.at[RoleCurrency][0]])
	case b.has(RoleCurrency):
		return fmt.Sprintf("the currency is that of column %q", b.header[b.at[RoleCurrency][0]])
	case b.currency != "":
		return fmt.Sprintf("the currency is %s, as the name of a column says", b.currency)
	case preamble != "":
		return fmt.Sprintf("the currency is %s, as the lines above the header say", preamble)
	case options.DefaultCurrency != "":
		return fmt.Sprintf("the file names no currency; %s was given", options.DefaultCurrency)
	case b.profile.Currency != "":
		return fmt.Sprintf("the file names no currency; the profile says %s", b.profile.Currency)
	default:
		return "the file names no currency in a column, the header or above it; where neither an amount nor an account number does, give one, as in --currency EUR"
	}
}

// unexplained describes a table that nothing fits, and drafts a profile for it.
func (s *Set) unexplained(t *Table, sample []Row) Explanation {
	e := Explanation{Table: t, Refusal: s.unknownTable(sample)}
	header := likelyHeader(sample)
	if header < 0 {
		return e
	}
	h := newHeader(sample[header])
	e.Line = h.line
	e.Columns, e.Draft = s.drafted(h, sample[header+1:], "profile my.bank\ntitle an export of my bank\n", stillOpen)
	return e
}

// UnknownItems describes items that nothing fits by the names and values of one of them, and drafts a profile for them.
func (s *Set) UnknownItems(names, values []string) Explanation {
	header, row := Row{}, Row{Line: 1}
	for i, name := range names {
		header.Cells = append(header.Cells, Cell{Text: name})
		row.Cells = append(row.Cells, Cell{Text: values[i]})
	}
	const open = stillOpen + "# amounts minor, if they are whole numbers of the smallest unit\n"
	var e Explanation
	e.Columns, e.Draft = s.drafted(newHeader(header), []Row{row}, "profile my.api\ntitle an answer of my API\nformat json\n", open)
	return e
}

// drafted guesses the roles of columns by their names and values, and writes them down as a profile with a beginning
// and an end.
func (s *Set) drafted(h *header, below []Row, begin, end string) ([]Column, string) {
	var (
		columns []Column
		draft   strings.Builder
	)
	draft.WriteString(begin)
	given := map[Role]bool{}
	for i, name := range h.names {
		role, certain := s.guess(h, i, below, given)
		c := Column{Name: name, Samples: samplesOf(i, h.line, below)}
		switch {
		case name == "":
		case certain:
			c.Role = role.String()
			given[role] = true
			fmt.Fprintf(&draft, "needs %s\ncolumn %s %s\n", name, role, name)
		default:
			fmt.Fprintf(&draft, "# column text %s\n", name)
		}
		columns = append(columns, c)
	}
	draft.WriteString(end)
	return columns, draft.String()
}

// draftOf writes the columns of a table down as a profile, for a person to add what the file does not tell.
func draftOf(columns []Column) string {
	var draft strings.Builder
	draft.WriteString("profile my.bank\ntitle an export of my bank\n")
	for _, c := range columns {
		if c.Role == "" || c.Name == "" {
			continue
		}
		fmt.Fprintf(&draft, "needs %s\n", c.Name)
		for role := range strings.SplitSeq(c.Role, ", ") {
			fmt.Fprintf(&draft, "column %s %s\n", role, c.Name)
		}
	}
	draft.WriteString(stillOpen)
	return draft.String()
}

// stillOpen are the lines of a draft that only a person can decide.
const stillOpen = "# decimal . or ,\n# dates dmy, mdy or ymd\n# currency EUR, if no column has it\n"

// likelyHeader is the first row that is as wide as any, has a name in most of its cells, and no digits.
func likelyHeader(sample []Row) int {
	width := 0
	for _, r := range sample {
		width = max(width, filled(r))
	}
	for i, r := range sample {
		named, digits := 0, false
		for _, c := range r.Cells {
			if c.Text != "" {
				named++
			}
			digits = digits || digitsIn(c.Text) > 0
		}
		if named*2 > width && named > 1 && !digits {
			return i
		}
	}
	return -1
}

// guess says what a column probably is: what a lexicon says, or the only kind of value that it holds.
func (s *Set) guess(h *header, i int, below []Row, given map[Role]bool) (Role, bool) {
	for _, m := range s.lexicon.look(h, i) {
		if allowed(m.role, i, below, s.words) && (m.role == RoleText || !given[m.role]) {
			return m.role, true
		}
	}
	hold := func(is func(string) bool) bool {
		n := 0
		for _, r := range below {
			if i < len(r.Cells) && r.Cells[i].Text != "" {
				if !is(r.Cells[i].Text) {
					return false
				}
				n++
			}
		}
		return n > 0
	}
	switch {
	case hold(func(s string) bool { _, err := parseDay(s); return err == nil }) && !given[RoleBookedOn]:
		return RoleBookedOn, true
	case hold(func(s string) bool { _, err := ledger.ParseCurrency(s); return err == nil }) && !given[RoleCurrency]:
		return RoleCurrency, true
	case hold(func(s string) bool {
		n, ok, err := parseNumber(s)
		return ok && err == nil && strings.ContainsAny(n.digits, ".,")
	}) && !given[RoleAmount]:
		return RoleAmount, true
	}
	return 0, false
}
