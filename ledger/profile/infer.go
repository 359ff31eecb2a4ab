package profile

import (
	"slices"
	"strings"

	"agentrecon/ledger"
)

// inferred binds a table without a known header, if its values leave no choice which column is what: there are one
// to three columns of dates, and two of amounts of which one is the running balance of the other, after the row or
// before it, in every row; or, without any header, one column of amounts only, with signs or beside a column of
// words that say the direction. Anything less would be a guess.
func inferred(sample []Row, words *Profile) *binding {
	const enough = 3 // rows that must agree
	rows, headless := regular(sample)
	if len(rows) < enough {
		return nil
	}
	width := len(rows[0].Cells)
	var dates, amounts, currencies, directions []int
	for i := range width {
		switch {
		case all(rows, i, func(s string) bool { _, err := parseDay(s); return err == nil }):
			dates = append(dates, i)
		case all(rows, i, func(s string) bool { _, ok, err := parseNumber(s); return ok && err == nil }):
			amounts = append(amounts, i)
		case all(rows, i, func(s string) bool { _, err := ledger.ParseCurrency(s); return err == nil }):
			currencies = append(currencies, i)
		case all(rows, i, func(s string) bool { return words.Directions[fold(s)] != 0 }):
			directions = append(directions, i)
		}
	}
	if len(dates) == 0 || len(dates) > 3 || len(directions) > 1 {
		return nil
	}
	direction := -1
	if len(directions) == 1 {
		direction = directions[0]
	}
	title := "a table without a known header, whose running balance proves its columns"
	amount, balance, after := proven(rows, amounts, direction, words)
	if amount < 0 && headless {
		amount, balance = only(rows, amounts, direction), -1
		amounts = []int{amount} // the others are numbers without a mark, such as references
		title = "a table without a header, in which one column only can be the amount"
	}
	if amount < 0 {
		return nil
	}
	b := &binding{
		profile: &Profile{Name: "inferred", Version: 1, Title: title, Lexicon: true, Directions: words.Directions, NoBalance: !after},
		columns: map[string]int{}, header: make([]string, width), line: rows[0].Line - 1, headless: headless,
	}
	b.at[RoleBookedOn], b.at[RoleAmount], b.at[RoleDirection] = dates[:1], []int{amount}, directions
	if balance >= 0 {
		b.at[RoleBalance] = []int{balance}
	}
	if len(dates) > 1 {
		b.at[RoleValueOn] = dates[1:2]
	}
	if len(currencies) > 0 {
		b.at[RoleCurrency] = currencies[:1]
	}
	for i := range width {
		switch first := rows[0].Cells[i].Text; {
		case slices.Contains(dates, i) || slices.Contains(amounts, i) || slices.Contains(currencies, i) || i == direction:
		case isIBAN(first) && !b.has(RoleAccount) && all(rows, i, func(s string) bool { return s == first }):
			b.at[RoleAccount] = []int{i}
		default:
			b.at[RoleText] = append(b.at[RoleText], i)
		}
	}
	return b
}

// only returns the one column of amounts, if it is the only one and its sign is told: by minus in some of its rows or
// by words beside it. Whole numbers may be references, so one row at least must have a decimal mark. It returns -1
// otherwise.
func only(rows []Row, amounts []int, direction int) int {
	found := -1
	for _, i := range amounts {
		marked, signed := false, direction >= 0
		for _, r := range rows {
			n, _, _ := parseNumber(r.Cells[i].Text)
			marked = marked || strings.ContainsAny(n.digits, ".,")
			signed = signed || n.negative
		}
		switch {
		case !marked:
		case found >= 0 || !signed:
			return -1
		default:
			found = i
		}
	}
	return found
}

// proven finds the one pair of columns of which one is the running balance of the other. It returns -1 if there
// is none, or more than one.
func proven(rows []Row, amounts []int, direction int, words *Profile) (amount, balance int, after bool) {
	amount = -1
	for _, a := range amounts {
		for _, b := range amounts {
			if a == b {
				continue
			}
			behind, before := balances(rows, a, b, direction, words)
			switch {
			case !behind && !before:
			case amount >= 0 && amount != a:
				return -1, -1, false
			case amount < 0 || behind: // a table may have the balance before the row and behind it
				amount, balance, after = a, b, behind
			}
		}
	}
	return amount, balance, after
}

// regular returns the longest run of rows of one width, without a header of unknown names on top, and whether there
// was none.
func regular(sample []Row) (rows []Row, headless bool) {
	var best []Row
	for from := 0; from < len(sample); {
		to := from
		for to < len(sample) && len(sample[to].Cells) == len(sample[from].Cells) {
			to++
		}
		if run := sample[from:to]; len(run) > len(best) && len(run[0].Cells) > 2 {
			best = run
		}
		from = to
	}
	if len(best) > 0 {
		for _, c := range best[0].Cells {
			if digitsIn(c.Text) > 0 {
				return best, true
			}
		}
		return best[1:], false
	}
	return best, true
}

func all(rows []Row, i int, is func(string) bool) bool {
	for _, r := range rows {
		if r.Cells[i].Text == "" || !is(r.Cells[i].Text) {
			return false
		}
	}
	return true
}

// balances reports whether column b is the running balance of column a in all rows, behind each row or before
// it. Rows of zero prove nothing.
func balances(rows []Row, a, b, direction int, words *Profile) (behind, before bool) {
	var c chain
	ahead, moved := true, 0
	for i, r := range rows {
		amount, ok1 := plain(r.Cells[a].Text)
		balance, ok2 := plain(r.Cells[b].Text)
		if !ok1 || !ok2 {
			return false, false
		}
		if direction >= 0 {
			amount = int64(words.Directions[fold(r.Cells[direction].Text)]) * max(amount, -amount)
		}
		if amount != 0 {
			moved++
		}
		if i > 0 && balance != c.balance+c.amount {
			ahead = false
		}
		c.step(r.Line, amount, balance)
	}
	if moved < 2 || c.steps < 2 {
		return false, false
	}
	return c.down == c.steps || c.up == c.steps, ahead
}

// plain reads an amount by its own mark, in hundredths.
func plain(s string) (int64, bool) {
	n, ok, err := parseNumber(s)
	if err != nil || !ok {
		return 0, false
	}
	mark, _ := n.evidence()
	if mark == 0 {
		mark = '.'
	}
	minor, _, err := n.minor(mark, "", false)
	return minor, err == nil
}
