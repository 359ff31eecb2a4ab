package profile

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"

	"agentrecon/ledger"
	"agentrecon/ledger/tabular"
	"agentrecon/ledger/witness"
)

// Codes of [ledger.Entry.Warnings] that only tables give.
const (
	WarnRounded         = "amount_rounded"         // more decimals than the currency has, as the profile allows
	WarnCurrencyUnknown = "currency_unknown"       // three letters that are no ISO 4217 code; two decimals were assumed
	WarnLossyID         = "lossy_id"               // a workbook kept an identifier as a number and lost its last digits
	WarnUnquoted        = "unescaped_quotes"       // quotes in a field were not doubled
	WarnGrossFee        = "gross_less_fee_differs" // gross, fee and net are printed and do not add up
)

// mostBadRows is how many bad rows are counted before reading stops.
const mostBadRows = 10_000

var shippedSet = sync.OnceValue(func() *Set { return NewSet(Shipped()) })

// ShippedSet is the set of the embedded profiles.
func ShippedSet() *Set { return shippedSet() }

// Read reads a text table by the shipped profiles; it is a [ledger.ReadFunc].
func Read(name string, r io.Reader, options ledger.ReadOptions, each func(*ledger.Entry) error) (ledger.SourceFile, error) {
	return ShippedSet().Read(name, r, options, each)
}

// Read reads a text table; it is a [ledger.ReadFunc].
func (s *Set) Read(name string, r io.Reader, options ledger.ReadOptions, each func(*ledger.Entry) error) (ledger.SourceFile, error) {
	file, err := Rewindable(name, r)
	if err != nil {
		return ledger.SourceFile{}, err
	}
	return s.ReadTables(name, CSV(name, file, options.Charset), options, each)
}

// ReadTables reads the one of several readings of a file, or sheets of a workbook, that fits best. Sheets with the same
// columns, such as one for each month, are read one after another as if they were one; a hidden one is not, where
// others are shown.
func (s *Set) ReadTables(name string, tables []*Table, options ledger.ReadOptions, each func(*ledger.Entry) error) (ledger.SourceFile, error) {
	best, all, err := s.matches(tables)
	if err != nil {
		return ledger.SourceFile{}, err
	}
	parts, passed := []match{best}, []string(nil)
	if best.table.Sheet != "" && best.entries() {
		parts, passed = sheetsLike(best, all)
	}
	if len(parts) == 1 {
		source, err := s.readMatch(name, parts[0], options, each)
		source.Warnings = append(source.Warnings, passed...)
		return source, err
	}
	whole := ledger.SourceFile{Name: name, Warnings: passed}
	own := options
	own.Expect = ledger.Expect{}
	for _, m := range parts {
		sheet := *m.table
		sheet.Name = name + "/" + sheet.Sheet
		m.table = &sheet
		part, err := s.readMatch(sheet.Name, m, own, each)
		if err != nil {
			return ledger.SourceFile{}, err
		}
		whole.SHA256, whole.Population = part.SHA256, part.Population
		whole.Join(&part)
	}
	return whole, witness.HoldAgainst(&whole, options.Expect)
}

// sheetsLike returns the sheets with the columns of the best one in the order of their tabs, and a warning for each
// other one that looks like a ledger.
func sheetsLike(best match, all []match) (parts []match, passed []string) {
	for _, m := range all {
		same := best.binding.again(m.sample)
		switch {
		case m.table == best.table:
			parts = append(parts, m)
		case same == nil && !m.entries():
		case m.table.Hidden && !best.table.Hidden:
			passed = append(passed, fmt.Sprintf("the sheet %q is hidden and was not read", m.table.Sheet))
		case same != nil:
			m.binding = same
			parts = append(parts, m)
		default:
			passed = append(passed, fmt.Sprintf("the sheet %q looks like a ledger of other columns and was not read; save it as a file of its own if its entries count", m.table.Sheet))
		}
	}
	return parts, passed
}

// again is the same binding for another table with the same header, or nil if there is none with rows below it.
func (b *binding) again(sample []Row) *binding {
	for _, row := range sample[:max(len(sample)-1, 0)] {
		if slices.Equal(newHeader(row).names, b.header) {
			same := *b
			same.line = row.Line
			return &same
		}
	}
	return nil
}

// readMatch reads a table as what it was found to be.
func (s *Set) readMatch(name string, m match, options ledger.ReadOptions, each func(*ledger.Entry) error) (ledger.SourceFile, error) {
	b := m.binding
	if b == nil {
		if b = inferred(m.sample, s.words); b == nil {
			return ledger.SourceFile{}, &tabular.FileError{File: name, Reason: s.unknownTable(m.sample)}
		}
	}
	if b.profile.Refuse != "" {
		return ledger.SourceFile{}, &tabular.FileError{File: name, Line: b.line, Reason: fmt.Sprintf("this is %s, which is no ledger: %s", b.profile.Title, b.profile.Refuse)}
	}
	header := b.line
	if b.headless {
		header++
	}
	return read(m.table, b, preamble{currency: preambleCurrency(m.sample, header, s.words.Carries), rows: m.sample, words: s.words.Carries}, options, each)
}

// preamble is what the rows above the header may say, and the words by which they say it.
type preamble struct {
	currency ledger.Currency
	rows     []Row
	words    map[string]string
}

// read reads a table by a binding.
func read(t *Table, b *binding, before preamble, options ledger.ReadOptions, each func(*ledger.Entry) error) (ledger.SourceFile, error) {
	how, err := decide(t, b, options)
	if err != nil {
		return ledger.SourceFile{}, err
	}
	x := &reader{table: t, binding: b, rules: how, options: options, each: each, preamble: before.currency, labels: before.words, bad: ledger.BadRows{File: t.Name}}
	x.preambleBalances(before.rows)
	x.readAbove(before.rows)
	return x.read()
}

// JSON lists the profiles of items of JSON.
func (s *Set) JSON() []*Profile {
	var list []*Profile
	for _, p := range s.profiles {
		if p.JSON {
			list = append(list, p)
		}
	}
	return list
}

// ReadItems reads a table whose profile and names are known. Its rows are entries from the first on.
func (p *Profile) ReadItems(t *Table, names []string, options ledger.ReadOptions, each func(*ledger.Entry) error) (ledger.SourceFile, error) {
	var row Row
	for _, name := range names {
		row.Cells = append(row.Cells, Cell{Text: name})
	}
	return read(t, p.bind(newHeader(row)), preamble{}, options, each)
}

// Describe says what the beginning of a text is that the set does not know, and what to do, if it is a table; otherwise
// it says nothing.
func (s *Set) Describe(head []byte) string {
	_, _, sample, err := s.best(CSV("", bytes.NewReader(head), ""))
	const enough = 3 // columns; sentences have commas too
	if err != nil || widest(sample) < enough {
		return ""
	}
	return s.unknownTable(sample)
}

// unknownTable describes a table that nothing fits.
func (s *Set) unknownTable(sample []Row) string {
	const most = 12
	at := likelyHeader(sample)
	if at < 0 {
		at = 0
		for i, r := range sample {
			if filled(r) > filled(sample[at]) {
				at = i
			}
		}
	}
	var row Row
	if len(sample) > 0 {
		row = sample[at]
	}
	if reason := s.unfit(newHeader(row), sample[min(at+1, len(sample)):]); reason != "" {
		return reason
	}
	var cells []string
	for _, c := range row.Cells[:min(filled(row), most)] {
		cells = append(cells, fmt.Sprintf("%q", c.Text))
	}
	if filled(row) > most {
		cells = append(cells, "…")
	}
	return fmt.Sprintf("a table whose columns nobody has described yet (line %d has %s); recon import ledger --explain drafts a profile, and --profile takes it; or name the columns as generic CSV does, "+
		"at least amount, currency and one of booked_on and occurred_at", row.Line, strings.Join(cells, ", "))
}

// unfit says which values keep a table from being read whose header names the columns of a ledger.
func (s *Set) unfit(h *header, below []Row) string {
	b := s.lexicon.bind(h, nil, s.words)
	if b == nil {
		return ""
	}
	for _, role := range []Role{RoleBookedOn, RoleAmount, RoleCredit, RoleDebit} {
		want := "amounts"
		if role.isDate() {
			want = "dates"
		}
		for _, i := range b.at[role] {
			if allowed(role, i, below, s.words) {
				continue
			}
			for _, row := range below {
				if i < len(row.Cells) && !allowed(role, i, []Row{row}, s.words) {
					return fmt.Sprintf("line %d names the columns of a ledger, but most values below %q are no %s: line %d has %q; correct them, or say in a profile which column has the %[3]s "+
						"(recon import ledger --explain drafts one, and --profile takes it)", h.line, h.names[i], want, row.Line, row.Cells[i].Text)
				}
			}
		}
	}
	return ""
}

// reader reads the rows of one table by one binding.
type reader struct {
	table    *Table
	binding  *binding
	rules    rules
	options  ledger.ReadOptions
	each     func(*ledger.Entry) error
	preamble ledger.Currency

	ids     ledger.Identities
	tally   tally
	proofs  proofs
	refusal error // of the file as a whole, found in a row
	bad     ledger.BadRows

	held     *ledger.Entry // the entry before, to which a row without amount may belong
	heldFee  *ledger.Entry
	heldRows int
	labels   map[string]string // texts that name balances
	balances map[string]number // opening and closing, from rows of their own
	folded   map[string]string // words met so far

	above    [roleCount]string // values of roles that stand above the header
	last     ledger.Date       // booked day of the entry before
	entries  int64
	fewest   int // fields of the entries so far
	short    *ledger.RowError
	footer   *ledger.RowError // a row without a date, which is well only if no entry follows or it is a detail of the last
	details  undated
	passed   int             // rows that are no entries
	passedAt int             // the first of them
	unknown  map[string]bool // words of statuses that no profile knows
	foreign  map[string]bool // currencies that are none
	outgoing bool            // money went out in any entry
	assumed  ledger.Currency
	unquoted int
	printed  number // what moved by the row, as printed
}

func (x *reader) read() (ledger.SourceFile, error) {
	rows, err := x.table.Open(len(x.binding.header))
	if err != nil {
		return ledger.SourceFile{}, err
	}
	defer closeRows(rows)
	for {
		row, err := rows.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil && row.Line > x.binding.line {
			err = x.row(row)
		}
		var fault *ledger.RowError
		if errors.As(err, &fault) {
			err = x.blame(fault)
		}
		if err != nil {
			return ledger.SourceFile{}, err
		}
	}
	if err := x.release(); err != nil {
		return ledger.SourceFile{}, err
	}
	return x.source()
}

// blame takes note of a bad row. It returns an error when there were so many that reading should stop.
func (x *reader) blame(fault *ledger.RowError) error {
	if x.bad.Total++; len(x.bad.Rows) < ledger.MaxBadRows {
		x.bad.Rows = append(x.bad.Rows, fault)
	}
	if x.bad.Total >= mostBadRows {
		return &x.bad
	}
	return nil
}

// source describes the file that was read.
func (x *reader) source() (ledger.SourceFile, error) {
	if x.short != nil {
		if err := x.blame(x.short); err != nil {
			return ledger.SourceFile{}, err
		}
	}
	if x.entries == 0 && x.footer != nil && x.bad.Total == 0 {
		if err := x.blame(x.footer); err != nil {
			return ledger.SourceFile{}, err
		}
	}
	if x.bad.Total > 0 {
		return ledger.SourceFile{}, &x.bad
	}
	if x.entries == 0 {
		return ledger.SourceFile{}, &tabular.FileError{File: x.table.Name, Line: x.binding.line, Reason: "no entries below this header; if there really are none, leave the file out"}
	}
	x.checkBalances()
	x.proofs.entries = x.entries
	p := x.binding.profile
	s := ledger.SourceFile{Name: x.table.Name, SHA256: x.table.Digest(), Format: x.table.Format, Profile: p.ID(), Proof: x.proofs.proof()}
	x.tally.describe(&s, x.options)
	s.Warnings = append(x.notes(), x.table.Warnings()...)
	return s, witness.HoldAgainst(&s, x.options.Expect)
}

// notes are what was odd about the file as a whole.
func (x *reader) notes() []string {
	var list []string
	if x.passed > 0 {
		list = append(list, fmt.Sprintf("%d rows have no date or no amount and were passed over, the first in line %d", x.passed, x.passedAt))
	}
	if x.unknown != nil {
		list = append(list, "these states of entries are unknown, and the entries count as not booked: "+strings.Join(slices.Sorted(maps.Keys(x.unknown)), ", "))
	}
	if x.foreign != nil {
		list = append(list, "these are no currencies of ISO 4217, and two decimals were assumed: "+strings.Join(slices.Sorted(maps.Keys(x.foreign)), ", "))
	}
	if x.assumed != "" {
		list = append(list, fmt.Sprintf("the file names no currency; %s was assumed", x.assumed))
	}
	if x.unquoted > 0 {
		list = append(list, fmt.Sprintf("%d rows have quotes inside fields that are not doubled", x.unquoted))
	}
	if b := x.binding; b.profile.Lexicon && !x.outgoing && !b.has(RoleDirection) && !b.has(RoleCredit) && !b.has(RoleDebit) && x.proofs.proof().State != ledger.ProofOK {
		list = append(list, "no amount has a minus and no column says which way the money went; all of it was taken for money that came in (a profile with amounts inverted turns it round)")
	}
	if x.rules.concluded {
		list = append(list, fmt.Sprintf("no date of the file tells day and month apart; the %s was taken: %s", orderWords[x.rules.order], x.rules.orderWhy))
	}
	return list
}

// text returns the first non-empty cell of a role.
func (x *reader) text(row Row, role Role) string {
	return x.cell(row, role).Text
}

func (x *reader) cell(row Row, role Role) Cell {
	for _, i := range x.binding.at[role] {
		if i < len(row.Cells) && row.Cells[i].Text != "" {
			return row.Cells[i]
		}
	}
	return Cell{Text: x.above[role]}
}

// column names the column of a role for messages.
func (x *reader) column(role Role) string {
	if at := x.binding.at[role]; len(at) > 0 && at[0] < len(x.binding.header) && x.binding.header[at[0]] != "" {
		return x.binding.header[at[0]]
	}
	return role.String()
}

func (x *reader) fault(row Row, role Role, value, want string) *ledger.RowError {
	return rowError(x.table.Name, row.Line, x.column(role), value, want)
}

// matches reports whether a row meets a condition.
func (x *reader) matches(c *condition, row Row) bool {
	i, ok := x.binding.columns[c.column]
	if !ok {
		return false
	}
	value := ""
	if i < len(row.Cells) {
		value = x.fold(row.Cells[i].Text)
	}
	for _, v := range c.values {
		if v == value || v == "(empty)" && value == "" || v == "(any)" && value != "" {
			return true
		}
	}
	return false
}

// row takes one row: an entry, a check, or something to pass over.
func (x *reader) row(row Row) error {
	if blank(row) || x.isHeader(row) {
		return nil
	}
	p := x.binding.profile
	for i := range p.Checks {
		if x.matches(&p.Checks[i].condition, row) {
			return x.check(row, p.Checks[i].what)
		}
	}
	for i := range p.Skips {
		if x.matches(&p.Skips[i], row) {
			return nil
		}
	}
	if n := filled(row); n > len(x.binding.header) && x.rules.unnamed {
		row.Cells = joined(row.Cells[:n], len(x.binding.header))
	} else if n > len(x.binding.header) {
		return rowError(x.table.Name, row.Line, "", "", fmt.Sprintf("%d fields, the header has %d; put a field that holds the delimiter into quotes", n, len(x.binding.header)))
	}
	dated := x.dated(row)
	worth := x.worth(row) && !x.carries(row)
	switch {
	case dated && worth:
	case !dated && worth:
		// The total below the entries is no entry; the same in their midst is a bad one, and so is one whose date is
		// just not one that can be read.
		text := x.text(row, RoleBookedOn)
		fault := x.fault(row, RoleBookedOn, text, "want a date such as 31.03.2025")
		if meantAsDate(text) {
			return fault
		}
		if x.footer == nil {
			x.footer = fault
		}
		x.detail(row)
		x.labelled(row)
		x.pass(row)
		return nil
	default:
		if fault := x.elsewhere(row, dated); fault != nil {
			return fault
		}
		x.pass(row)
		if !x.labelled(row) {
			x.append(row, dated)
		}
		return nil
	}
	if fault := x.footer; fault != nil {
		details := x.details
		x.footer, x.details = nil, undated{}
		if !details.of(x.held) {
			if err := x.blame(fault); err != nil {
				return err
			}
		}
	}
	return x.entry(row)
}

// undated are the rows with an amount and no date since the last entry.
type undated struct {
	rows  int
	sum   int64
	other bool // one of them has a balance, or an amount that cannot be read
}

// of reports whether the rows say of what the entry above them consists: there are several, and they sum up to it. Banks
// list collective orders and charges that way.
func (u undated) of(e *ledger.Entry) bool {
	return e != nil && u.rows > 1 && !u.other && u.sum != 0 && (u.sum == e.Amount || u.sum == -e.Amount)
}

// detail takes a row with an amount and no date.
func (x *reader) detail(row Row) {
	var e ledger.Entry
	x.details.rows++
	if x.held == nil || x.text(row, RoleBalance) != "" {
		x.details.other = true
		return
	}
	e.Currency = x.held.Currency
	amount, given, fault := x.moved(row, &e)
	x.details.sum += amount
	x.details.other = x.details.other || !given || fault != nil
}

// joined is a row of so many cells, the last of which has the texts of those behind it too.
func joined(cells []Cell, width int) []Cell {
	last := &cells[width-1]
	for _, c := range cells[width:] {
		last.Text = strings.TrimSpace(last.Text + " " + c.Text)
	}
	return cells[:width]
}

// elsewhere finds the amount of a dated row that stands in a column which nobody knows, where the header names one
// direction of money only. To pass such a row over would drop the other direction.
func (x *reader) elsewhere(row Row, dated bool) *ledger.RowError {
	if !dated || !x.binding.oneSided {
		return nil
	}
	used := x.binding.used()
	for i, c := range row.Cells {
		if used[i] || i >= len(x.binding.header) || x.binding.header[i] == "" {
			continue
		}
		if n, ok, err := parseNumber(c.Text); err == nil && ok && strings.ContainsAny(n.digits, ".,") {
			return rowError(x.table.Name, row.Line, x.binding.header[i], c.Text, "the row has no amount but this one, in a column that nobody knows; say in a profile what it is (column credit, column debit)")
		}
	}
	return nil
}

// meantAsDate reports whether a text that is no date was meant as one: it begins with a digit, or names a month beside
// one.
func meantAsDate(text string) bool {
	if text == "" {
		return false
	}
	month, length := monthName(text)
	return isDigit(rune(text[0])) || month > 0 && length < len(text) && strings.IndexFunc(text[length:], isDigit) >= 0
}

func (x *reader) pass(row Row) {
	if x.passed++; x.passedAt == 0 {
		x.passedAt = row.Line
	}
}

func blank(row Row) bool { return filled(row) == 0 }

// filled is the number of the last field that is not empty.
func filled(row Row) int {
	n := len(row.Cells)
	for n > 0 && row.Cells[n-1].Text == "" {
		n--
	}
	return n
}

// isHeader tells the header again, which joined files have in their midst.
func (x *reader) isHeader(row Row) bool {
	h := x.binding.header
	for i, c := range row.Cells {
		if i >= len(h) || c.Text != h[i] {
			return false
		}
	}
	return len(row.Cells) > 1
}

// pendingWords stand where the date of an entry will be.
var pendingWords = map[string]bool{
	"pending": true, "processing": true, "unposted": true, "reserverat": true, "reserveret": true, "reservert": true, "väntande": true,
	"vorgemerkt": true, "in bearbeitung": true, "en attente": true, "in attesa": true, "in corso": true, "prenotata": true, "prenotato": true,
	"non contabilizzato": true, "da contabilizzare": true, "pendiente": true, "pendente": true, "in behandeling": true, "oczekująca": true, "oczekujące": true,
}

func isPending(text string) bool {
	return text != "" && !isDigit(rune(text[0])) && pendingWords[fold(text)]
}

// dated reports whether a row has a date, or a word that says that it will have one.
func (x *reader) dated(row Row) bool {
	c := x.cell(row, RoleBookedOn)
	if c.Text == "" {
		c = x.cell(row, RoleValueOn)
	}
	if c.Text == "" {
		return false
	}
	if c.Kind == Date || isPending(c.Text) {
		return true
	}
	_, err := dayOf(c)
	return err == nil
}

// worth reports whether any amount stands in a row.
func (x *reader) worth(row Row) bool {
	roles := []Role{RoleCredit, RoleDebit, RoleAmount, RoleNet}
	if x.rules.pairsOnly {
		roles = roles[:2]
	}
	for _, role := range roles {
		if c := x.cell(row, role); c.Text != "" && c.Text != "-" {
			return true
		}
	}
	return false
}

// entry makes an entry of a row, and another of a fee that comes on top of it.
func (x *reader) entry(row Row) error {
	if x.entries++; x.entries > MaxRows {
		return &tabular.FileError{File: x.table.Name, Line: row.Line, Reason: fmt.Sprintf("more than %d rows; split the file", int64(MaxRows))}
	}
	x.measure(row)
	e := ledger.Entry{File: x.table.Name, Line: row.Line, Kind: ledger.KindPayment, Status: ledger.StatusBooked, AccountID: cmp.Or(x.text(row, RoleAccount), x.options.Account)}
	if row.Unquoted {
		x.unquoted++
		e.Warnings = append(e.Warnings, WarnUnquoted)
	}
	for _, step := range []func(Row, *ledger.Entry) *ledger.RowError{x.twins, x.currency, x.money, x.words, x.days, x.references} {
		if fault := step(row, &e); fault != nil {
			return fault
		}
		if x.refusal != nil {
			return x.refusal
		}
	}
	fee, fault := x.feeOnTop(row, &e)
	if fault != nil {
		return fault
	}
	x.outgoing = x.outgoing || e.Amount < 0
	moved := e.Amount
	if fee != nil && fee.Currency == e.Currency {
		moved += fee.Amount
	}
	if err := x.prove(row, &e, moved); err != nil {
		return err
	}
	if err := x.release(); err != nil {
		return err
	}
	x.held, x.heldFee, x.heldRows = &e, fee, 0
	return nil
}

// twins refuses a row with two amounts in columns of one name, for only a profile can say which of them moved.
func (x *reader) twins(row Row, _ *ledger.Entry) *ledger.RowError {
	for _, twin := range x.binding.twins {
		if twin[1] >= len(row.Cells) {
			continue
		}
		taken, other := row.Cells[twin[0]].Text, row.Cells[twin[1]].Text
		if taken != other && taken != "" && other != "" {
			return rowError(x.table.Name, row.Line, x.binding.header[twin[1]], other,
				fmt.Sprintf("two columns have this name, and the other has %q: name them apart, or say in a profile what each is", taken))
		}
	}
	return nil
}

// release hands on the entry that was held back, and its fee.
func (x *reader) release() error {
	e, fee := x.held, x.heldFee
	x.held, x.heldFee = nil, nil
	if e == nil {
		return nil
	}
	if err := x.hand(e); err != nil || fee == nil {
		return err
	}
	return x.hand(fee)
}

// append adds the text of a row without amount to the entry above it: banks continue texts that way. A dated one
// belongs to it if it repeats its id.
func (x *reader) append(row Row, dated bool) {
	const most = 20
	e := x.held
	if e == nil || x.heldRows >= most || dated && (e.ProviderID == "" || x.text(row, RoleProviderID) != e.ProviderID) {
		return
	}
	if text := x.texts(row); text != "" && len(e.RemittanceText)+len(text) < tabular.MaxText {
		x.heldRows++
		e.RemittanceText = strings.TrimSpace(e.RemittanceText + " " + text)
	}
}

// carries reports whether the text of a row says that it carries a balance: the word alone, or before a date. The
// balance is kept for the proof.
func (x *reader) carries(row Row) bool {
	what := carried(x.binding.profile.Carries, x.texts(row))
	if what == "" {
		return false
	}
	x.keepBalance(row, what)
	return true
}

// carried is which balance a text names, or nothing.
func carried(words map[string]string, text string) string {
	const longest = 80 // of a word that carries a balance, with a date behind it
	if len(words) == 0 || text == "" || len(text) > longest {
		return ""
	}
	text = fold(text)
	if what, ok := words[text]; ok {
		return what
	}
	for end := len(text); end > 0; end = strings.LastIndexByte(text[:end], ' ') {
		if what, ok := words[strings.TrimRight(text[:end], ":")]; ok && isDateOnly(text[end:]) {
			return what
		}
	}
	return ""
}

// keepBalance keeps the one amount of a row that carries a balance. The first opening balance counts, and the last
// closing one. One in the column of debits may be an overdraft or not, and says nothing.
func (x *reader) keepBalance(row Row, what string) {
	if row.Line > x.binding.line && x.binding.has(RoleCredit) && x.text(row, RoleDebit) != "" {
		return
	}
	var found []number
	for _, c := range row.Cells {
		if _, err := parseDay(c.Text); err == nil {
			continue
		}
		if n, ok, err := parseNumber(c.Text); err == nil && ok && (len(found) == 0 || n.digits != found[0].digits) {
			if c.Kind == Number {
				n.digits = strings.ReplaceAll(n.digits, ".", string(x.rules.mark))
			}
			found = append(found, n)
		}
	}
	if len(found) != 1 || what == "available" || what == "opening" && x.balances[what].digits != "" {
		return
	}
	if x.balances == nil {
		x.balances = make(map[string]number)
	}
	x.balances[what] = found[0]
}

// preambleBalances keeps the balances that stand above the header.
func (x *reader) preambleBalances(sample []Row) {
	for _, row := range sample {
		if row.Line >= x.binding.line {
			return
		}
		x.labelled(row)
	}
}

// readAbove keeps the values that stand below names above the header.
func (x *reader) readAbove(sample []Row) {
	for i := range x.binding.profile.Above {
		a := &x.binding.profile.Above[i]
		for n, row := range sample {
			if row.Line >= x.binding.line || n+1 == len(sample) {
				break
			}
			for at, c := range row.Cells {
				if at >= len(sample[n+1].Cells) || x.fold(c.Text) != a.name {
					continue
				}
				if value := sample[n+1].Cells[at].Text; a.what == "" {
					x.above[a.role] = value
				} else {
					x.proofs.declare(a.what, a.name, value)
				}
			}
		}
	}
}

// labelled keeps the balance of a row whose first cell names it.
func (x *reader) labelled(row Row) bool {
	for _, c := range row.Cells {
		if c.Text == "" {
			continue
		}
		what := carried(x.labels, c.Text)
		if what != "" {
			x.keepBalance(row, what)
		}
		return what != ""
	}
	return false
}

// checkBalances hands the balances over for the proof, if there are both and one currency.
func (x *reader) checkBalances() {
	opening, ok1 := x.balances["opening"]
	closing, ok2 := x.balances["closing"]
	if !ok1 || !ok2 || len(x.tally.totals) != 1 || len(x.tally.accounts) != 1 || x.proofs.checks != nil {
		return
	}
	first, _, err1 := opening.minor(x.rules.mark, x.proofs.checkOf, true)
	last, _, err2 := closing.minor(x.rules.mark, x.proofs.checkOf, true)
	if err1 == nil && err2 == nil && x.proofs.checkOf != "" {
		x.proofs.checks = map[string]int64{"opening": first, "closing": last}
	}
}

// isDateOnly reports whether a text holds nothing but a date and the words that stand before one, and a currency.
func isDateOnly(text string) bool {
	for word := range strings.FieldsSeq(text) {
		switch word {
		case "as", "of", "per", "am", "vom", "zum", "al", "del", "au", "du", "le", "op", "den", "from", "at", "on", ":", "-":
		case "in", "en", "euro", "eur", "chf", "usd", "gbp":
		default:
			if strings.Trim(word, "0123456789./-:,") != "" {
				return false
			}
		}
	}
	return true
}

// fold is [fold] with a memory: columns of words have few.
func (x *reader) fold(s string) string {
	if folded, ok := x.folded[s]; ok {
		return folded
	}
	folded := fold(s)
	const mostWords, longest = 1000, 40
	if len(x.folded) < mostWords && len(s) <= longest {
		if x.folded == nil {
			x.folded = make(map[string]string)
		}
		x.folded[s] = folded
	}
	return folded
}

func (x *reader) hand(e *ledger.Entry) error {
	x.ids.Identify(e)
	if err := x.tally.add(e); err != nil {
		return err
	}
	return x.each(e)
}

// measure finds a last row that is shorter than all before it, as in a file that was cut.
func (x *reader) measure(row Row) {
	n := len(row.Cells)
	x.short = nil
	const enough = 3
	if x.entries > enough && n < x.fewest {
		x.short = rowError(x.table.Name, row.Line, "", "", fmt.Sprintf("%d fields, every row above has at least %d; was the file cut?", n, x.fewest))
	}
	if x.fewest == 0 || n < x.fewest {
		x.fewest = n
	}
}

// prove adds an entry to what the table proves of itself.
func (x *reader) prove(row Row, e *ledger.Entry, moved int64) error {
	p := x.binding.profile
	if !e.Moved() {
		return nil
	}
	if e.Amount > 0 {
		x.proofs.credits += e.Amount
	} else {
		x.proofs.debits -= e.Amount
	}
	x.proofs.checkOf = e.Currency
	x.proofs.exactly(x.printed, x.rules.mark, e.Amount)
	if (p.GroupZero || p.GroupPaid) && e.GroupID != "" {
		if x.proofs.groups == nil {
			x.proofs.groups = make(map[string]*group)
		}
		g := x.proofs.groups[e.GroupID]
		if g == nil {
			if len(x.proofs.groups) == maxGroups {
				return &tabular.FileError{File: x.table.Name, Line: row.Line, Reason: fmt.Sprintf("more than %d batches; split the file", maxGroups)}
			}
			g = &group{id: e.GroupID, c: e.Currency}
			x.proofs.partly = p.GroupPaid
			x.proofs.groups[e.GroupID] = g
		}
		g.sum += e.Amount
		if e.Kind == ledger.KindPayout {
			g.paid, g.on = true, e.BookedOn
		}
	}
	if p.NoBalance || !x.binding.has(RoleBalance) {
		return nil
	}
	key := chainKey{e.AccountID, e.Currency}
	if x.proofs.chains == nil {
		x.proofs.chains = make(map[chainKey]*chain)
	}
	if x.proofs.chains[key] == nil {
		x.proofs.chains[key] = new(chain)
	}
	c := x.cell(row, RoleBalance)
	n, ok, err := parseNumber(c.Text)
	if err != nil || !ok {
		x.proofs.chains[key].pass(moved)
		return nil
	}
	balance, _, err := n.minor(x.markOf(c), e.Currency, p.Round)
	if err != nil { // a balance only proves; one that cannot be read proves nothing
		x.proofs.chains[key].pass(moved)
		return nil
	}
	x.proofs.chains[key].step(row.Line, moved, balance)
	return nil
}

// check takes a balance or a total from a row of its own.
func (x *reader) check(row Row, what string) error {
	var e ledger.Entry
	if fault := x.currency(row, &e); fault != nil {
		return fault
	}
	if x.refusal != nil {
		return x.refusal
	}
	if fault := x.money(row, &e); fault != nil {
		return fault
	}
	if x.proofs.checks == nil {
		x.proofs.checks = make(map[string]int64)
	}
	if _, ok := x.proofs.checks[what]; !ok || what != "opening" {
		x.proofs.checks[what] = e.Amount
	}
	return nil
}
