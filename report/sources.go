package report

import (
	"fmt"
	"slices"
	"strings"

	"agentrecon/ledger"
	"agentrecon/recon"
)

// sources is the Sources sheet: what was read, from where, and the control totals that everything else ties to.
type sources struct {
	*grid
	attempts, entries, booked map[ledger.Currency]control
	outcomes, deliveries      figure
	deliveriesOf              map[ledger.Currency]figure
	accounts                  map[accountKey]accountControl
	accountRows               map[ledger.Currency]accountRows
}

// control is a control total in its cells.
type control struct{ count, minor figure }

const fromSource = "counted and summed in the source by a statement of its own, not by the run"

// newSources writes what an auditor needs to test that information produced by the entity is complete and accurate.
func newSources(b *book) *sources {
	s := &sources{
		grid: &grid{
			sheet: SheetSources, widths: []float64{29, 12, 13, 18, 21, 12, 13, 26, 24, 22, 10}, heads: 4,
		},
		attempts: map[ledger.Currency]control{}, entries: map[ledger.Currency]control{}, booked: map[ledger.Currency]control{},
		deliveriesOf: map[ledger.Currency]figure{}, accounts: map[accountKey]accountControl{}, accountRows: map[ledger.Currency]accountRows{},
	}
	s.title("Sources", "What was read, from whom it came, and the control totals that every other sheet ties to.", b.runLine())
	s.gap()
	s.controls(b)
	s.files(b)
	s.statements(b)
	s.accountBalances(b)
	s.coverage(b)
	return s
}

// controls are input cells: the base of every live formula.
func (s *sources) controls(b *book) {
	r := b.report
	s.section("1. Control totals of the report's population")
	s.head("Population", "Currency", ">Count", ">Minor units", ">Amount", "Comes from", "", "", "")
	for _, p := range []struct {
		name string
		sums recon.Sums
		into map[ledger.Currency]control
	}{
		{"Attempts", r.Controls.Attempts, s.attempts},
		{"Ledger entries, every status", r.Controls.Entries, s.entries},
		{"Ledger entries, booked", r.Controls.Booked, s.booked},
	} {
		for _, c := range b.currencies() {
			sum := p.sums.Of(c)
			n := s.next()
			at := control{typed(on(s.sheet, 3, n), sum.Count), typed(on(s.sheet, 4, n), sum.Minor).fixed(!b.exact(c))}
			p.into[c] = at
			s.add(words(p.name, lined), b.currency(c, lined), number(sum.Count, lined), minorUnits(sum.Minor, lined),
				at.minor.amount(c, lined), words(fromSource, lined), blank(lined), blank(lined), blank(lined))
		}
	}
	s.outcomes = s.plainControl("Outcomes (current)", r.Controls.Outcomes, words("–", lined))
	for _, c := range b.currencies() {
		n := r.Controls.DeliveriesOf.Of(c).Count
		s.deliveriesOf[c] = s.plainControl("Deliveries of attempts", n, b.currency(c, lined))
		s.deliveries = s.deliveries.plus(s.deliveriesOf[c])
	}
	s.gap()
	s.byAccount(b)
}

// Columns of the control totals by account.
const (
	sourcesBooked = 3
	sourcesMinor  = 4
	sourcesRows   = 6
	sourcesNumber = 8
)

// accountRows are the rows in which the accounts of a currency stand, and how many of them have a bridge that arrives at them.
type accountRows struct{ first, last, arrive int }

// byAccount are the control totals of the ledger, account by account.
func (s *sources) byAccount(b *book) {
	s.section("1a. Ledger entries of the report's population by account")
	s.head("Account", "Currency", ">Booked", ">Booked, minor units", ">Booked, amount", ">Rows read", "Comes from", ">No. on Bridge by account", "")
	numbers := accountNumbers(b.report)
	for i := range b.report.Controls.Accounts {
		a := &b.report.Controls.Accounts[i]
		row := s.next()
		name := words(accountWord(a.AccountID), lined)
		if a.AccountID != "" {
			name = b.id(a.AccountID, lined)
		}
		minor := typed(on(s.sheet, 4, row), a.BookedMinor).fixed(!b.exact(a.Currency))
		at := accountKey{a.Currency, a.AccountID}
		s.accounts[at] = accountControl{control{typed(on(s.sheet, sourcesBooked, row), a.Booked), minor}, typed(on(s.sheet, sourcesRows, row), a.Count)}
		span := s.accountRows[a.Currency]
		if span.last = row; span.first == 0 {
			span.first = row
		}
		no := blank(lined)
		if n := numbers[at]; n > 0 && b.hasAccounts() {
			no = number(int64(n), lined)
			if arrives(&b.report.Accounts[n-1], a) {
				span.arrive++
			}
		}
		s.accountRows[a.Currency] = span
		s.add(name, b.currency(a.Currency, lined), number(a.Booked, lined), minorUnits(a.BookedMinor, lined), minor.amount(a.Currency, lined),
			number(a.Count, lined), words("as in 1", lined), no, blank(lined))
	}
	if len(b.report.Controls.Accounts) == 0 {
		s.add(words(nilNote, italicLook))
	}
	s.gap()
}

// plainControl is a control total without value.
func (s *sources) plainControl(name string, n int64, currency cell) figure {
	row := s.add(words(name, lined), currency, number(n, lined), blank(lined), blank(lined), words(fromSource, lined), blank(lined), blank(lined), blank(lined))
	return typed(on(s.sheet, 3, row), n)
}

func (s *sources) files(b *book) {
	s.section("2. Files imported, in import order")
	s.head("File", "Population", "Format", "Profile", "Accounts", ">Rows read", ">New rows", "Proof", ">Imported (UTC)", "Imported by")
	look := lined.wrapped()
	for i := range b.report.Sources {
		f := &b.report.Sources[i]
		s.add(b.id(f.Name, look), b.id(f.Population, look), b.id(f.Format, look), b.text(f.Profile, look), b.id(accountsOf(f), look),
			number(f.Rows, lined), number(f.New, lined), b.text(proofWords(f.Proof), look), instant(f.ImportedAt, lined), b.id(f.ImportedBy, look))
	}
	if len(b.report.Sources) == 0 {
		s.add(words(nilNote, italicLook))
		s.gap()
		return
	}
	s.gap()
	s.section("2a. SHA-256 of each file: compare it with the hash of the file that you were given")
	s.head("File", "SHA-256", "", "", "")
	for i := range b.report.Sources {
		f := &b.report.Sources[i]
		s.add(b.id(f.Name, look), b.id(f.SHA256, lined), blank(lined), blank(lined), blank(lined))
	}
	s.gap()
	s.fileTotals(b)
}

// mostAccounts is how many accounts stand beside a file; where there are more, Coverage has a line for each.
const mostAccounts = 3

func accountsOf(f *ledger.SourceFile) string {
	if n := len(f.Accounts); n > mostAccounts {
		return fmt.Sprintf("%d accounts: see 4", n)
	}
	return strings.Join(f.Accounts, ", ")
}

// fileTotals are what the rows of each file come to, as numbers that can be added again, and what was known from elsewhere.
func (s *sources) fileTotals(b *book) {
	s.section("2b. Totals of each file by currency, as read from it (of ledger files money in is positive, as printed)")
	s.head("File", "Currency", ">Rows", ">Minor units", ">Amount", "Given from elsewhere", "")
	first := s.next()
	for i := range b.report.Sources {
		f := &b.report.Sources[i]
		for k, t := range f.Totals {
			given := ""
			if k == 0 {
				given = expectedWords(f.Expected)
			}
			row := s.next()
			s.add(b.id(f.Name, lined.wrapped()), b.currency(t.Currency, lined), number(t.Count, lined), minorUnits(t.Minor, lined),
				typed(at(4, row), t.Minor).fixed(size(t.Minor) >= maxExact).amount(t.Currency, lined), words(given, lined), blank(lined))
		}
	}
	if s.next() == first {
		s.add(words("Nil: no file has amounts", italicLook))
	}
	s.gap()
}

// expectedWords are the control totals that somebody gave beside a file, independent of it.
func expectedWords(totals []ledger.ControlTotal) string {
	if len(totals) == 0 {
		return "none"
	}
	lines := make([]string, len(totals))
	for i, t := range totals {
		lines[i] = items(int(t.Count), "row")
		if t.Currency != "" {
			lines[i] += ", " + moneyWords(t.Minor, t.Currency)
		}
	}
	return strings.Join(lines, "; ")
}

// proofWords says whether a file agrees with itself; a file that cannot tell says so.
func proofWords(p ledger.Proof) string {
	switch p.State {
	case ledger.ProofOK:
		return "agrees with its own balances"
	case ledger.ProofFailed:
		return "FAILED and accepted: " + p.Detail
	default:
		if p.Detail != "" {
			return "none: " + p.Detail
		}
		return "none"
	}
}

// statements prove each statement by its own balances: opening and booked movement come to closing. Money in is
// positive, as statements print it.
func (s *sources) statements(b *book) {
	s.section("3. Statements: opening balance plus booked movement is the closing balance (money in positive, as printed)")
	s.head("Statement", "Currency", ">From", ">Up to, excl.", ">Opening, minor", ">Movement", ">Closing", ">Difference, minor", "Account", "File", "CHECK")
	first := s.next()
	for i := range b.report.Sources {
		f := &b.report.Sources[i]
		for k := range f.Statements {
			s.statement(b, f, &f.Statements[k])
		}
	}
	if s.next() == first {
		s.add(words("Nil: no imported file has statements with balances", italicLook))
	} else {
		s.grid.checks = append(s.grid.checks, fmt.Sprintf("K%d:K%d", first, s.next()-1))
	}
	s.gap()
}

func (s *sources) statement(b *book, f *ledger.SourceFile, st *ledger.Statement) {
	row := s.next()
	name := st.ID
	if name == "" {
		name = st.Sequence
	}
	movement := st.Read.BookedCredits.Minor - st.Read.BookedDebits.Minor
	cells := []cell{
		b.id(name, lined.wrapped()), b.currency(st.Currency, lined), day(st.From, lined), day(st.To, lined), words("not stated", lined.right()),
		minorUnits(movement, lined), words("not stated", lined.right()), blank(lined), b.id(st.AccountID, lined.wrapped()), b.id(f.Name, lined.wrapped()), words("–", checkLook),
	}
	open, closing := st.Opening.Amount, st.Closing.Amount
	if open.Given {
		cells[4] = minorUnits(open.Minor, lined)
	}
	if closing.Given {
		cells[6] = minorUnits(closing.Minor, lined)
	}
	if open.Given && closing.Given && st.Proof.State != ledger.ProofNone {
		rest := typed(at(5, row), open.Minor).plus(typed(at(6, row), movement)).minus(typed(at(7, row), closing.Minor))
		// A statement whose balances count otherwise, by value date or with reversals the other way round, proves itself in
		// its own way; only the plain sum is repeated here.
		if rest.n == 0 || st.Proof.State == ledger.ProofFailed {
			cells[7] = rest.integer(lined)
			cells[10] = agree(typed(at(8, row), rest.n), figure{expr: "0"})
		} else {
			cells[10] = words("own way", checkLook)
		}
	}
	s.add(cells...)
}

func (s *sources) coverage(b *book) {
	s.section("4. Coverage of the ledger: what a conclusion of absence rests on")
	s.head("Account", ">From", ">Up to, excl.", "Basis", "File", "", "", "")
	for _, c := range b.report.Coverage {
		account := cell{value: "every account in scope", style: lined}
		if c.AccountID != "" {
			account = b.id(c.AccountID, lined)
		}
		basis, file := "stated", words("several files, see 2", lined)
		if c.File != "" {
			file = b.id(c.File, lined)
		}
		if c.Inferred {
			basis = "inferred"
		}
		s.add(account, day(c.From, lined), day(c.To, lined), words(basis, lined), file, blank(lined), blank(lined), blank(lined))
	}
	if len(b.report.Coverage) == 0 {
		s.add(words("Nil: no statement says what it covers; no absence is concluded", italicLook))
	}
	s.add(words("Inferred: first to last booked day of a file that does not say what it covers. Bank dates are calendar dates of the account's zone.", italicLook))
	s.gap()
}

// short is the part of a hash that people compare by eye.
func short(digest string) string {
	if len(digest) <= 16 {
		return digest
	}
	return digest[:16]
}

// currencies lists every currency that the report speaks of, sorted.
func (b *book) currencies() []ledger.Currency {
	r := b.report
	var all []ledger.Currency
	for _, sums := range []recon.Sums{r.Controls.Attempts, r.Controls.Entries, r.Controls.Booked, r.Totals.Attempts.Minor, r.Totals.Entries.Minor} {
		for _, s := range sums {
			all = append(all, s.Currency)
		}
	}
	for _, bridge := range r.Bridge {
		all = append(all, bridge.Currency)
	}
	for _, l := range b.lists {
		for i := range l.facts {
			if l.facts[i].population != "" && l.facts[i].population != recon.Outcomes {
				all = append(all, l.facts[i].currency)
			}
		}
	}
	if len(all) == 0 {
		all = append(all, r.Policy.Currency)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// exact reports whether every sum of a currency stays within the 15 digits that a spreadsheet keeps.
func (b *book) exact(c ledger.Currency) bool {
	r := b.report
	for _, sums := range []recon.Sums{r.Controls.Attempts, r.Controls.Entries, r.Controls.Booked} {
		if n := sums.Of(c).Minor; n >= maxExact || n <= -maxExact {
			return false
		}
	}
	for _, l := range b.lists {
		gross := int64(0)
		for i := range l.facts {
			if f := &l.facts[i]; f.currency == c {
				if gross += size(f.minor) + size(f.difference); gross >= maxExact {
					return false
				}
			}
		}
	}
	return true
}

// size is the magnitude of an amount.
func size(n int64) int64 {
	if n < 0 {
		return -n
	}
	return n
}

// currency is a currency's code. An item without one shows a word, so that a criterion can name it.
func (b *book) currency(c ledger.Currency, look style) cell { return b.id(currencyWord(c), look) }

func currencyWord(c ledger.Currency) string {
	if c == "" {
		return "none"
	}
	return show(string(c), false)
}
