package profile

// inferred binds a table without a known header, if its numbers prove which column is what: there is one column
// of dates, and two of amounts of which one is the running balance of the other in every row. Anything less
// would be a guess.
func inferred(sample []Row) *binding {
	const enough = 4 // rows that must agree
	rows := regular(sample)
	if len(rows) < enough {
		return nil
	}
	width := len(rows[0].Cells)
	dates, amounts := []int{}, []int{}
	for i := range width {
		switch {
		case all(rows, i, func(s string) bool { _, err := parseDay(s); return err == nil && s != "" }):
			dates = append(dates, i)
		case all(rows, i, func(s string) bool { _, ok, err := parseNumber(s); return ok && err == nil }):
			amounts = append(amounts, i)
		}
	}
	if len(dates) == 0 || len(dates) > 2 {
		return nil
	}
	var found *binding
	for _, a := range amounts {
		for _, b := range amounts {
			if a == b || !balances(rows, a, b) {
				continue
			}
			if found != nil {
				return nil
			}
			found = &binding{
				profile: &Profile{Name: "inferred", Version: 1, Title: "a table without a known header, whose running balance proves its columns", Lexicon: true},
				columns: map[string]int{}, header: make([]string, width), line: rows[0].Line - 1,
			}
			found.at[RoleBookedOn], found.at[RoleAmount], found.at[RoleBalance] = dates[:1], []int{a}, []int{b}
			if len(dates) == 2 {
				found.at[RoleValueOn] = dates[1:]
			}
			for i := range width {
				if i != a && i != b && i != dates[0] {
					found.at[RoleText] = append(found.at[RoleText], i)
				}
			}
		}
	}
	return found
}

// regular returns the longest run of rows of one width.
func regular(sample []Row) []Row {
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
	// A header of unknown names may stand on top of them.
	if len(best) > 0 {
		named := true
		for _, c := range best[0].Cells {
			if digitsIn(c.Text) > 0 {
				named = false
			}
		}
		if named {
			best = best[1:]
		}
	}
	return best
}

func all(rows []Row, i int, is func(string) bool) bool {
	for _, r := range rows {
		if !is(r.Cells[i].Text) {
			return false
		}
	}
	return true
}

// balances reports whether column b is the running balance of column a in all rows, in either direction.
func balances(rows []Row, a, b int) bool {
	var c chain
	for _, r := range rows {
		n, _, err1 := parseNumber(r.Cells[a].Text)
		m, _, err2 := parseNumber(r.Cells[b].Text)
		if err1 != nil || err2 != nil {
			return false
		}
		mark := byte('.')
		for _, x := range []number{n, m} {
			if found, _ := x.evidence(); found != 0 {
				mark = found
			}
		}
		amount, _, err1 := n.minor(mark, "", false)
		balance, _, err2 := m.minor(mark, "", false)
		if err1 != nil || err2 != nil {
			return false
		}
		c.step(r.Line, amount, balance)
	}
	return c.steps > 0 && (c.down == c.steps || c.up == c.steps)
}
