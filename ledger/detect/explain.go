package detect

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"agentrecon/ledger"
	"agentrecon/ledger/csvprofile"
	"agentrecon/ledger/jsonprofile"
	"agentrecon/ledger/profile"
	"agentrecon/ledger/sheet"
	"agentrecon/ledger/tabular"
)

// Explanation says what a file was taken for and how it is read, for a person who has to believe it or to write a
// profile.
type Explanation struct {
	Name    string
	Format  Format               // zero: none fits
	Table   *profile.Explanation // of tables only
	Members []Explanation        // of archives only: the first ten files in it, their names, formats and tables
	More    int                  // files of an archive beyond those
	Entries []ledger.Entry       // the first three
	Source  ledger.SourceFile    // of the whole file, if it could be read
	Refusal string               // why it cannot be read, and what to do
}

// What is shown of a file, however long it is.
const (
	shownEntries = 3
	shownRows    = 3 // of a table
	shownMembers = 10
)

// Explain reads a file as [Reader] does with a person's own profiles, if there are any, and says what it found. An
// error is one of reading; a file that cannot be understood is explained by its Refusal.
func Explain(name string, r io.Reader, own []*profile.Profile, options ledger.ReadOptions) (Explanation, error) {
	c := newChooser(own)
	file, err := profile.Rewindable(name, r)
	if err != nil {
		return Explanation{}, err
	}
	head, _, err := peek(file)
	if err != nil {
		return Explanation{}, fmt.Errorf("%s: read: %w", name, err)
	}
	start, err := file.Seek(0, io.SeekCurrent)
	if err != nil {
		return Explanation{}, fmt.Errorf("%s: read: %w", name, err)
	}
	e := Explanation{Name: name}
	format, ok := c.choose(head)
	e.Format = format
	if err := c.explainLayout(&e, ok, file, start, head, options); err != nil {
		e.Refusal = err.Error()
	}
	if _, err := file.Seek(start, io.SeekStart); err != nil {
		return Explanation{}, fmt.Errorf("%s: read: %w", name, err)
	}
	e.Source, err = Reader(own)(name, file, options, func(entry *ledger.Entry) error {
		if len(e.Entries) < shownEntries {
			e.Entries = append(e.Entries, *entry)
		}
		return nil
	})
	var (
		refused *tabular.FileError
		bad     *ledger.BadRows
	)
	switch {
	case err == nil:
		return e, nil
	case errors.As(err, &refused), errors.As(err, &bad):
		e.Refusal = err.Error()
		return e, nil
	}
	return e, err
}

// explainLayout explains a file as a table, or the files of an archive as tables; known says that the format is.
func (c chooser) explainLayout(e *Explanation, known bool, file io.ReadSeeker, start int64, head []byte, options ledger.ReadOptions) (err error) {
	var members []*unpacked
	switch {
	case !known || e.Format.Name == "csv" || e.Format.Name == "xlsx":
		e.Table, err = explainTable(e.Name, e.Format, file, head, c.profiles(), options)
		return err
	case e.Format.Name == "json":
		table, err := jsonprofile.Explain(c.profiles(), e.Name, file, options)
		if err != nil {
			return err
		}
		e.Table = &table
		return nil
	case e.Format.Name == "generic":
		e.Table = explainGeneric(e.Name, file, options)
	case e.Format.Name == "gzip":
		members = []*unpacked{gzipMember(e.Name, file, start)}
	case e.Format.Name == "zip":
		if members, err = zipMembers(e.Name, file, start); err != nil {
			return err
		}
	}
	if e.More = len(members) - shownMembers; e.More > 0 {
		members = members[:shownMembers]
	}
	e.More = max(e.More, 0)
	for _, member := range members {
		inner, err := c.explainMember(member, options)
		member.Close()
		if err != nil {
			return err
		}
		e.Members = append(e.Members, inner)
	}
	return nil
}

// explainMember explains a file of an archive, whose entries are those of the whole.
func (c chooser) explainMember(member *unpacked, options ledger.ReadOptions) (Explanation, error) {
	head, _, err := peek(member)
	if err != nil {
		return Explanation{}, err
	}
	if _, err := member.Seek(0, io.SeekStart); err != nil {
		return Explanation{}, err
	}
	e := Explanation{Name: member.name}
	format, known := c.choose(head)
	if e.Format = format; format.Name == "zip" || format.Name == "gzip" {
		return e, nil // reading refuses an archive in an archive
	}
	return e, c.explainLayout(&e, known, member, 0, head, options)
}

// explainTable explains text and workbooks as tables. Text that is none of a known format is explained too, with
// a profile to begin with.
func explainTable(name string, format Format, file io.ReadSeeker, head []byte, set *profile.Set, options ledger.ReadOptions) (*profile.Explanation, error) {
	var tables []*profile.Table
	switch {
	case format.Name == "xlsx":
		var err error
		if tables, err = sheet.Tables(name, file); err != nil {
			return nil, err
		}
	case tabular.NotText(head) == "":
		tables = profile.CSV(name, file, options.Charset)
	default:
		return nil, nil // no table, and nothing wrong with that
	}
	e, err := set.Explain(tables, options)
	if err != nil {
		return nil, err
	}
	return &e, nil
}

// explainGeneric explains a table whose columns have the names of the canonical row, which leave nothing to decide.
// What is wrong with the file is said by reading it.
func explainGeneric(name string, file io.Reader, options ledger.ReadOptions) *profile.Explanation {
	r, err := tabular.NewReader(name, file, tabular.Options{AllowEmpty: true})
	if err != nil {
		return nil
	}
	e := &profile.Explanation{
		Sign: "the sign of the amount: money in is positive", Mark: "a point, in every such file",
		Order: "the year first, as in 2025-01-31, in every such file",
	}
	if options.DefaultCurrency != "" {
		e.Money = fmt.Sprintf("the currency is %s where no column has it", options.DefaultCurrency)
	}
	var samples [][]string
	for range shownRows {
		row, err := r.Next()
		if err != nil {
			break
		}
		values := make([]string, len(r.Header()))
		for i := range values {
			values[i] = row.Field(i)
		}
		samples = append(samples, values)
	}
	known := csvprofile.GenericColumns()
	for i, column := range r.Header() {
		c := profile.Column{Name: column}
		if slices.Contains(known, column) {
			c.Role = column
		}
		if column == "currency" {
			e.Money = "the currency is that of column \"currency\""
		}
		for _, values := range samples {
			if i < len(values) { // an object of JSON Lines may have more keys than those before it
				c.Samples = append(c.Samples, values[i])
			}
		}
		e.Columns = append(e.Columns, c)
	}
	return e
}

// String prints the explanation for a terminal.
func (e Explanation) String() string {
	var b strings.Builder
	e.writeLayout(&b)
	for i := range e.Members {
		b.WriteString("\n")
		e.Members[i].writeLayout(&b)
	}
	if e.More > 0 {
		fmt.Fprintf(&b, "\n%d more files are in it\n", e.More)
	}
	if e.Source.Format != "" {
		e.writeEntries(&b)
	}
	if e.Refusal != "" {
		fmt.Fprintf(&b, "\nIt cannot be read: %s\n", e.Refusal)
	}
	e.writeDraft(&b)
	for i := range e.Members {
		e.Members[i].writeDraft(&b)
	}
	return b.String()
}

// writeLayout prints what the file is, and of a table its columns and rules.
func (e Explanation) writeLayout(b *strings.Builder) {
	title := "in no known format"
	if e.Format.Name != "" {
		title = e.Format.Title
	}
	fmt.Fprintf(b, "%s is %s\n", e.Name, title)
	if e.Table != nil {
		e.writeTable(b)
	}
}

// writeDraft prints the profile that a table without one needs.
func (e Explanation) writeDraft(b *strings.Builder) {
	if e.Table != nil && e.Table.Draft != "" {
		fmt.Fprintf(b, "\nA profile to begin with, to be completed and saved as a text file:\n\n%s", indent(e.Table.Draft))
	}
}

// writeTable prints columns and rules.
func (e Explanation) writeTable(b *strings.Builder) {
	t := e.Table
	if t.Profile != nil {
		fmt.Fprintf(b, "It is taken for %s, profile %s", t.Profile.Title, t.Profile.ID())
		if t.Line > 0 { // items of JSON have no header
			fmt.Fprintf(b, "; its header is line %d", t.Line)
		}
		b.WriteString("\n")
	}
	if len(t.Columns) > 0 {
		b.WriteString("\nColumns:\n")
	}
	width := 0
	const widest = 36
	for _, c := range t.Columns {
		width = min(max(width, len([]rune(c.Name))), widest)
	}
	for i, c := range t.Columns {
		role := c.Role
		if role == "" {
			role = "(not used)"
		}
		fmt.Fprintf(b, "  %3d  %s  %-22s  %s\n", i+1, pad(c.Name, width), role, samples(c.Samples))
	}
	for _, rule := range [][2]string{{"Sign", t.Sign}, {"Decimal mark", t.Mark}, {"Dates", t.Order}, {"Currency", t.Money}} {
		if rule[1] != "" {
			fmt.Fprintf(b, "%-13s %s\n", rule[0]+":", rule[1])
		}
	}
}

// writeEntries prints the first entries and what the whole proves.
func (e Explanation) writeEntries(b *strings.Builder) {
	b.WriteString("\nThe first entries:\n")
	for i := range e.Entries {
		x := &e.Entries[i]
		fmt.Fprintf(b, "  line %d: %s, %s, %s, %s, %s\n", x.Line, x.BookedOn, ledger.FormatMoney(x.Amount, x.Currency), x.Kind, x.Status,
			shortened(strings.Join(strings.Fields(x.CounterpartyName+" "+x.RemittanceText), " ")))
	}
	for _, total := range e.Source.Totals {
		fmt.Fprintf(b, "%d entries, %s in all\n", total.Count, ledger.FormatMoney(total.Minor, total.Currency))
	}
	fmt.Fprintf(b, "Proof: %s, %s\n", e.Source.Proof.State, e.Source.Proof.Detail)
	for _, w := range e.Source.Warnings {
		fmt.Fprintf(b, "Note: %s\n", w)
	}
}

func pad(s string, width int) string {
	runes := []rune(s)
	if len(runes) > width {
		return string(runes[:width-1]) + "…"
	}
	return s + strings.Repeat(" ", width-len(runes))
}

func samples(list []string) string {
	quoted := make([]string, len(list))
	for i, s := range list {
		quoted[i] = fmt.Sprintf("%q", shortened(s))
	}
	return strings.Join(quoted, "  ")
}

func shortened(s string) string {
	const most = 40
	if runes := []rune(s); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return s
}

func indent(s string) string {
	return "  " + strings.ReplaceAll(strings.TrimSuffix(s, "\n"), "\n", "\n  ") + "\n"
}
