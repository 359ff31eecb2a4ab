package report

// newFields is the data dictionary: every column of every list, worked out from the columns themselves.
func newFields(b *book) *grid {
	g := &grid{sheet: SheetFields, widths: []float64{26, 22, 30, 110}, heads: 4}
	g.title("Fields", "The meaning of every column of the lists, and the words used in this workbook.", b.runLine())
	g.gap()
	g.section("1. Words")
	for _, w := range glossary {
		g.add(words(w.term, labelLook), words(w.means, lined), blank(lined), blank(lined))
	}
	g.gap()
	g.section("2. Columns, each where it first appears; a column of the same name means the same everywhere")
	g.head("Column", "Holds", "Whose", "Meaning")
	type key struct{ head, meaning string }
	seen := map[key]bool{}
	add := func(columns []column) {
		for _, c := range columns {
			if k := (key{c.head, c.meaning}); !seen[k] {
				seen[k] = true
				g.add(words(c.head, labelLook), words(c.holds, lined), words(groupNames[c.group], lined), words(c.meaning, lined))
			}
		}
	}
	for _, l := range b.lists {
		add(l.columns)
	}
	if b.agreed != nil {
		add(b.agreed.columns)
	}
	return g
}
