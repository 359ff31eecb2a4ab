package report

import "strings"

// newFields is the data dictionary: the words of the workbook, and every column of every list, worked out from the columns
// themselves. It is one table, whose header is printed on every page.
func newFields(b *book) *grid {
	g := &grid{sheet: SheetFields, widths: []float64{26, 22, 26, 42, 84}}
	g.title("Fields", "The words used in this workbook, then the meaning of every column of the lists. Under the names of sheets, a column means this on each of them.", b.runLine())
	g.gap()
	g.heads = g.head("Word or column", "Holds", "Whose", "On", "Meaning")
	look := lined.wrapped()
	for _, w := range glossary {
		g.add(words(w.term, labelLook), words("word", lined), blank(lined), words("every sheet", lined), words(w.means, look))
	}
	for _, f := range fieldsOf(b) {
		g.add(words(f.head, labelLook), words(f.holds, lined), words(groupNames[f.group], lined), words(strings.Join(f.sheets, ", "), look), words(f.meaning, look))
	}
	return g
}

// field is a column with the sheets on which it means the same.
type field struct {
	column
	sheets []string
}

// fieldsOf are the columns of all lists, each where it first appears.
func fieldsOf(b *book) []*field {
	type key struct{ head, meaning string }
	var fields []*field
	seen := map[key]*field{}
	add := func(sheet Sheet, columns []column) {
		for _, c := range columns {
			k := key{c.head, c.meaning}
			if seen[k] == nil {
				seen[k] = &field{column: c}
				fields = append(fields, seen[k])
			}
			seen[k].sheets = append(seen[k].sheets, string(sheet))
		}
	}
	for _, l := range b.lists {
		add(l.sheet, l.columns)
	}
	if b.agreed != nil {
		add(SheetAgreed, b.agreed.columns)
	}
	return fields
}
