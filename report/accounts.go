package report

import (
	"fmt"
	"strings"

	"agentrecon/ledger"
	"agentrecon/recon"
)

// accountRule says under which account an attempt counts.
const accountRule = "An attempt counts under the account that paid it; one without an entry under the source account that it names, else under \"no account recorded\". Entries count under their own account. What several accounts paid of one attempt moves between them in the line of splits."

// accountRuleShort is the same in a line.
const accountRuleShort = "Attempts count under the account that paid them, else under the one that they name; entries under their own."

// noAccountWord stands for the account of entries that name none and of attempts that name none either.
const noAccountWord = "no account recorded"

const (
	// mostBridges is how many bridges by account the sheet takes: more would not fit, and nobody would read them.
	mostBridges = 40_000
	// mostOnSummary is how many of them Summary repeats, for each is worked out live over the whole sheet.
	mostOnSummary = 500
)

// ledgerLists are the sheets whose rows are entries that no attempt has, or not alone.
var ledgerLists = []Sheet{SheetExcess, SheetLedgerOnly, SheetExcluded}

// accountKey names an account in a currency.
type accountKey struct {
	currency ledger.Currency
	account  string
}

// accountControl is what the source has of an account: booked entries, and rows of every status.
type accountControl struct {
	booked control
	rows   figure
}

// accountWord names an account; where there is none, that is said.
func accountWord(account string) string {
	if account == "" {
		return noAccountWord
	}
	return show(account, false)
}

// accountLine is one line of the bridge of one account.
type accountLine struct {
	number int64 // of the account and currency, from 1
	bridge *recon.BridgeAccount
	line   *recon.BridgeLine
}

type accountCol = col[accountLine]

const (
	headNumber     = "No."
	headCount      = "Count"
	headBridgeLine = "Line"
)

var accountColumns = []accountCol{
	{
		column{headNumber, 7, evidence, holdsCount, "Number of the account and currency on this sheet: what formulas ask for."},
		func(b *book, i *accountLine) cell { return number(i.number, lined) },
	},
	{
		column{"Entity", 20, evidence, holdsText, "Whose books these are."},
		func(b *book, _ *accountLine) cell { return b.text(orUnnamed(b.report.Entity), listText) },
	},
	{
		column{headAccount, 28, evidence, holdsID, "The account, as the ledger names it, under which attempts and entries count; the rule is on Summary, 3a."},
		func(b *book, i *accountLine) cell { return b.account(i.bridge.AccountID, listID) },
	},
	{
		column{headCurrency, 9, evidence, holdsWord, "Currency of the line, ISO 4217."},
		func(b *book, i *accountLine) cell { return b.currency(i.bridge.Currency, lined) },
	},
	{
		column{headBridgeLine, 44, evidence, holdsText, "Line of the bridge, signed as it is added; = begins a total of the lines above it."},
		func(_ *book, i *accountLine) cell {
			if i.line.ID == recon.LineGroups {
				return words("± splits and batches (value: between accounts)", listText)
			}
			return words(i.line.Label, accountLook(i))
		},
	},
	{
		column{headCount, 12, evidence, holdsCount, "Attempts or entries in the line, per run."},
		func(_ *book, i *accountLine) cell { return number(i.line.Count, accountLook(i)) },
	},
	{
		column{"Value", 18, evidence, holdsAmount, "Value of the line in major units; money out is positive."},
		func(_ *book, i *accountLine) cell {
			if i.line.NoValue {
				return blank(lined)
			}
			return money(i.line.Minor, i.bridge.Currency, accountLook(i))
		},
	},
	{
		column{headLine, 20, technical, holdsWord, "The line's name for machines and formulas."},
		func(_ *book, i *accountLine) cell { return words(i.line.ID, techText) },
	},
	{
		column{headMinor, 16, technical, holdsInteger, "The value as integer minor units: what sums add."},
		func(_ *book, i *accountLine) cell { return minorUnits(i.line.Minor, techText) },
	},
	{column{headDigest, 17, technical, holdsID, "Identifies what the locked cells of the row say."}, nil},
}

// accountLook sets totals off.
func accountLook(i *accountLine) style {
	if i.line.Total {
		return lined.strong()
	}
	return lined
}

// account is a cell that names an account.
func (b *book) account(account string, look style) cell {
	if account == "" {
		return words(noAccountWord, look)
	}
	return b.id(account, look)
}

// accountList is the bridge of every account as one flat table, to filter by account, currency or line.
func accountList(b *book) *list {
	accounts := b.report.Accounts
	about := accountRuleShort
	switch {
	case len(accounts) > mostBridges:
		about, accounts = fmt.Sprintf("Not shown: there are %s accounts. The run proved the bridge of each (Checks, 1).", grouped(int64(len(accounts)))), nil
	case len(accounts) == 0 && len(b.report.Bridge) > 0:
		about = "Not made: attempts and ledger name more accounts than can be told apart."
	}
	var items []*accountLine
	for n := range accounts {
		bridge := &accounts[n]
		for k := range bridge.Lines {
			items = append(items, &accountLine{int64(n + 1), bridge, &bridge.Lines[k]})
		}
	}
	l := newList(b, SheetAccounts, "Bridge by account", about, accountColumns, items, func(i *accountLine) fact {
		return fact{currency: i.bridge.Currency, line: i.line.ID, number: i.number, lineCount: i.line.Count, lineMinor: i.line.Minor}
	})
	l.key = headBridgeLine // a list without rows says so in its first column
	l.frozen = 0
	return l
}

func numberIs(n int64) criterion {
	return criterion{headNumber, fmt.Sprint(n), func(f *fact) bool { return f.number == n }}
}

func lineCountOf(f *fact) int64 { return f.lineCount }
func lineMinorOf(f *fact) int64 { return f.lineMinor }

// onAccounts is what the accounts have of a line: of all that meet the criteria, in count and minor units.
func (b *book) onAccounts(line string, c ledger.Currency, criteria ...criterion) control {
	l := b.list(SheetAccounts)
	criteria = append(criteria, lineIs(line))
	return control{l.sumIf(headCount, lineCountOf, criteria...), l.sumIf(headMinor, lineMinorOf, criteria...).fixed(!b.exact(c))}
}

// hasAccounts reports whether the bridge by account is shown.
func (b *book) hasAccounts() bool { return b.list(SheetAccounts).rows > 0 }

// accounts shows for each account whether its bridge arrives at what the source has of it, and that all of them are the
// bridge of their currency.
func (y *summary) accounts() {
	y.section("3a. Bridge by account: each closes by itself, and together they are the bridges above (line by line on Bridge by account)")
	if !y.book.hasAccounts() {
		why := y.book.list(SheetAccounts).about
		if why == accountRuleShort {
			why = "Nil: no account has attempts or entries"
		}
		y.add(words(why, italicLook))
		y.gap()
		return
	}
	y.add(words(accountRule, italicLook))
	accounts := y.book.report.Accounts
	for n := 0; n < len(accounts); {
		end := n
		for end < len(accounts) && accounts[end].Currency == accounts[n].Currency {
			end++
		}
		if n > 0 {
			y.gap()
			y.block()
		}
		y.accountsOf(accounts[n].Currency, accounts[n:end], n+1)
		n = end
	}
	y.gap()
}

// accountsOf shows the accounts of one currency, numbered from first.
func (y *summary) accountsOf(c ledger.Currency, accounts []recon.BridgeAccount, first int) {
	y.head("Account, "+currencyWord(c), ">Booked", ">Value attempted", ">Value booked", ">Proof (count / value)", "CHECK", "From attempts to booked entries, per run; proof: booked less Sources")
	shown := accounts[:min(len(accounts), mostOnSummary)]
	from := y.next()
	for i := range shown {
		y.account(&shown[i], int64(first+i))
	}
	if more := len(accounts) - len(shown); more > 0 {
		y.add(words(fmt.Sprintf("and %s more: see Bridge by account", items(more, "account")), italicLook))
	}
	y.grid.checks = append(y.grid.checks, fmt.Sprintf("F%d:F%d", from, y.next()))
	y.accountsTotal(c)
}

// account writes the line of one account.
func (y *summary) account(a *recon.BridgeAccount, no int64) {
	b, c := y.book, a.Currency
	source, listed := y.sources.accounts[accountKey{c, a.AccountID}]
	if !listed { // no entry is of it
		nothing := figure{expr: "0"}
		source = accountControl{control{nothing, nothing}, nothing}
	}
	rows := b.onAccounts(recon.LineRowsRead, c, numberIs(no)).count.minus(source.rows)
	cells := y.arrival(c, source.booked, []figure{rows}, lined, numberIs(no))
	y.add(append(append([]cell{b.account(a.AccountID, lined)}, cells...), words(accountChain(a), lined.wrapped()))...)
}

// accountsTotal holds the accounts of a currency against its bridge.
func (y *summary) accountsTotal(c ledger.Currency) {
	look := plain.final()
	cells := y.arrival(c, y.sources.booked[c], nil, look, currencyIs(literal(currencyWord(c)), c))
	cells[len(cells)-1] = y.linesAgree(c)
	y.add(append(append([]cell{words("All accounts", look)}, cells...), words("CHECK: every line of the bridge above is the sum of its accounts", look.light()))...)
}

// arrival are the cells of what accounts come to: booked entries, value attempted, value booked, proof and CHECK against the
// source; more are further figures that must be 0.
func (y *summary) arrival(c ledger.Currency, source control, more []figure, look style, of criterion) []cell {
	b, row := y.book, y.next()
	attempts, in, out := b.onAccounts(recon.LineAttempts, c, of), b.onAccounts(recon.LineBookedInScope, c, of), b.onAccounts(recon.LineBookedOut, c, of)
	count, minor := in.count.plus(out.count), in.minor.plus(out.minor)
	left := typed(at(2, row), count.n).minus(source.count)
	// The value is compared in major units, as it stands in its cell: the same integer over the same power of ten.
	rest := figure{expr: fmt.Sprintf("%s-%s", at(4, row), sourceMajor(source.minor, c)), n: minor.n - source.minor.n, static: minor.static || source.minor.static}
	return []cell{
		count.count(look), attempts.minor.amount(c, look), minor.amount(c, look), proofCell(left, rest, c, look),
		zeroCell(append([]figure{left, rest}, more...)...),
	}
}

// sourceMajor is a control total in major units.
func sourceMajor(f figure, c ledger.Currency) string {
	if scale(c) > 1 {
		return fmt.Sprintf("%s/%d", f.bracketed(), scale(c))
	}
	return f.expr
}

// linesAgree compares every line of the bridge of a currency with what its accounts add up to, which stands beside it.
func (y *summary) linesAgree(c ledger.Currency) cell {
	lines := y.bridges[c]
	value := checkOK
	if lines.differ > 0 {
		value = checkDiffers
	}
	if !y.book.exact(c) || lines.first == 0 {
		return words(value, checkLook)
	}
	span := func(column string) string {
		return fmt.Sprintf("%[1]s%[2]d:%[1]s%[3]d", column, lines.first, lines.last)
	}
	return cell{
		formula: fmt.Sprintf(`IF(SUMPRODUCT((%s=%s)*(%s=%s))=ROWS(%s),"%s","%s")`, span("B"), span("F"), span("D"), span("E"), span("B"), checkOK, checkDiffers),
		value:   value, style: checkLook,
	}
}

// bridgeRows are the rows in which a bridge stands, and how many of its lines its accounts do not add up to.
type bridgeRows struct{ first, last, differ int }

// byAccount are the cells beside a line of the bridge: what the accounts add up to, in minor units and in count.
func (y *summary) byAccount(line *recon.BridgeLine, c ledger.Currency, look style) (minor, count cell) {
	if !y.book.hasAccounts() {
		return blank(look), blank(look)
	}
	sum := y.book.onAccounts(line.ID, c, currencyIs(literal(currencyWord(c)), c))
	rows := y.bridges[c]
	if sum.count.n != line.Count || sum.minor.n != line.Minor {
		rows.differ++
	}
	y.bridges[c] = rows
	minor = blank(look)
	if !line.NoValue {
		minor = sum.minor.integer(look)
	}
	return minor, sum.count.count(look)
}

// accountChain is the way of one account in counts: attempts, what has no entry or is booked in another period, what is
// booked without an attempt.
func accountChain(a *recon.BridgeAccount) string {
	attempts, linked, booked, out := a.Line(recon.LineAttempts).Count, a.Line(recon.LineLinked).Count, a.Line(recon.LineBookedInScope).Count, a.Line(recon.LineBookedOut).Count
	text := fmt.Sprintf("%s%s = %s linked%s = %s booked in scope", items(int(attempts), "attempt"), stepWords(linked-attempts), grouped(linked), stepWords(booked-linked), grouped(booked))
	if out != 0 {
		text += fmt.Sprintf(" + %s out of scope", grouped(out))
	}
	if a.Elsewhere > 0 {
		text += fmt.Sprintf("; %s of the attempts %s another account to pay from", grouped(a.Elsewhere), nameWord(a.Elsewhere))
	}
	return text
}

func nameWord(n int64) string {
	if n == 1 {
		return "names"
	}
	return "name"
}

// stepWords is a step with its sign: " + 1", " − 3", nothing where there is none.
func stepWords(n int64) string {
	switch {
	case n < 0:
		return " − " + grouped(-n)
	case n > 0:
		return " + " + grouped(n)
	default:
		return ""
	}
}

// proofCell shows two differences that must be nothing: 0 / 0.00. The value is in major units already.
func proofCell(count, value figure, c ledger.Currency, look style) cell {
	text := fixedWords(count.n, 0) + " / " + fixedWords(value.n, c.Exponent())
	look = look.right()
	if count.static || value.static {
		return words(text, look)
	}
	return cell{formula: fmt.Sprintf(`FIXED(%s,0)&" / "&FIXED(%s,%d)`, count.expr, value.expr, c.Exponent()), value: text, style: look}
}

// fixedWords is a number as FIXED prints it: grouped, with a plain minus.
func fixedWords(minor int64, exponent int) string {
	text := ledger.FormatDecimal(size(minor), exponent)
	whole, rest, _ := strings.Cut(text, ".")
	var n int64
	for _, digit := range whole {
		n = 10*n + int64(digit-'0')
	}
	text = grouped(n)
	if rest != "" {
		text += "." + rest
	}
	if minor < 0 {
		text = "-" + text
	}
	return text
}

// zeroCell is the CHECK cell of figures that must all be 0.
func zeroCell(figures ...figure) cell {
	value, fixed := checkOK, false
	conditions := make([]string, len(figures))
	for i, f := range figures {
		conditions[i] = f.expr + "=0"
		fixed = fixed || f.static
		if f.n != 0 {
			value = checkDiffers
		}
	}
	if fixed {
		return words(value, checkLook)
	}
	return cell{formula: fmt.Sprintf(`IF(AND(%s),"%s","%s")`, strings.Join(conditions, ","), checkOK, checkDiffers), value: value, style: checkLook}
}

// bridgesTies hold the bridges by account against the bridge of each currency, and each against what the source has of its
// account.
func (c *checks) bridgesTies() []tie {
	if !c.book.hasAccounts() {
		return nil
	}
	var ties []tie
	for i := range c.book.report.Bridge {
		bridge := &c.book.report.Bridge[i]
		cur := bridge.Currency
		ours := currencyIs(literal(currencyWord(cur)), cur)
		for _, id := range []string{recon.LineAttempts, recon.LineLinked, recon.LineBookedInScope, recon.LineRowsRead} {
			line := bridge.Line(id)
			sum := c.book.onAccounts(id, cur, ours)
			name := "Bridges by account add up: " + strings.TrimLeft(line.Label, "−+±= ")
			ties = append(
				ties,
				tie{name, figure{n: line.Count}, sum.count, "bridge per run", "Bridge by account", "count " + string(cur), false, false},
				tie{name, figure{n: line.Minor}, sum.minor, "bridge per run", "Bridge by account", unitWords(string(cur)), false, false},
			)
		}
		ties = append(ties, c.arrivals(cur)...)
	}
	return ties
}

// arrivals counts the accounts of a currency whose bridge arrives at what Sources has of them, live: by their numbers, which
// stand beside them there.
func (c *checks) arrivals(cur ledger.Currency) []tie {
	s := c.sources
	span, ok := s.accountRows[cur]
	if !ok || !c.book.exact(cur) {
		return nil
	}
	l := c.book.list(SheetAccounts)
	cells := func(column int) string {
		return fmt.Sprintf("%s!$%[2]s$%[3]d:$%[2]s$%[4]d", quoted(s.sheet), columnName(column), span.first, span.last)
	}
	sums := func(head string, lines ...string) string {
		parts := make([]string, len(lines))
		for i, line := range lines {
			parts[i] = fmt.Sprintf("SUMIFS(%s,%s,%s,%s,%s)", l.span(head), l.span(headNumber), cells(sourcesNumber), l.span(headLine), literal(line))
		}
		return strings.Join(parts, "+")
	}
	agree := fmt.Sprintf("SUMPRODUCT((%s=%s)*(%s=%s)*(%s=%s))",
		sums(headCount, recon.LineBookedInScope, recon.LineBookedOut), cells(sourcesBooked),
		sums(headMinor, recon.LineBookedInScope, recon.LineBookedOut), cells(sourcesMinor),
		sums(headCount, recon.LineRowsRead), cells(sourcesRows))
	return []tie{{
		"Every account's bridge arrives at its booked entries and rows read",
		figure{expr: "ROWS(" + cells(sourcesNumber) + ")", n: int64(span.last - span.first + 1)},
		figure{expr: agree, n: int64(span.arrive)},
		"Sources, accounts", "accounts whose bridge equals Sources", "count " + string(cur), false, true,
	}}
}

// accountBalances lead from the opening balance of the first statement of each account to the closing balance of the last, by
// what the bridge has booked: statements and bridge then say the same of the whole period. Money in is positive, as statements
// print it. Where something else was booked, or balances count otherwise, the rest is for a person to explain.
func (s *sources) accountBalances(b *book) {
	s.section("3a. Accounts: opening balance less booked entries is the closing balance (money in positive; booked per Bridge by account)")
	s.head("Account", "Currency", ">From", ">Up to, incl.", ">Opening, minor", "", ">No.", ">Booked in scope, minor", ">Out of scope, minor", ">Closing, minor", "CHECK")
	first, numbers := s.next(), accountNumbers(b.report)
	for _, closing := range closingBalances(b.report) {
		opening := openingBalance(b.report, closing)
		at := accountKey{closing.Currency, closing.AccountID}
		if n := numbers[at]; n > 0 && opening != nil && b.hasAccounts() {
			s.accountBalance(b, opening, closing, int64(n))
		}
	}
	if s.next() == first {
		s.add(words("Nil: no account has statements with an opening and a closing balance in the period", italicLook))
	} else {
		s.grid.checks = append(s.grid.checks, fmt.Sprintf("K%d:K%d", first, s.next()-1))
		s.add(words("explain: entries were booked outside the days of the statements or by another source, or the balances count otherwise (3 says how each statement proves itself)", italicLook))
	}
	s.gap()
}

func (s *sources) accountBalance(b *book, opening, closing *ledger.Statement, no int64) {
	row, c := s.next(), closing.Currency
	of := func(line string) figure {
		f := b.list(SheetAccounts).sumIf(headMinor, lineMinorOf, numberIs(no), lineIs(line)).negated()
		f.static = !b.exact(c)
		return f
	}
	in, out := of(recon.LineBookedInScope), of(recon.LineBookedOut)
	rest := opening.Opening.Amount.Minor + in.n + out.n - closing.Closing.Amount.Minor
	value := "explain"
	if rest == 0 {
		value = checkOK
	}
	check := cell{formula: fmt.Sprintf(`IF(%s+%s+%s=%s,"%s","explain")`, at(5, row), at(8, row), at(9, row), at(10, row), checkOK), value: value, style: checkLook}
	if in.static {
		check = words(value, checkLook)
	}
	s.add(b.account(closing.AccountID, lined.wrapped()), b.currency(c, lined), day(opening.From, lined), day(closing.Closing.On, lined), minorUnits(opening.Opening.Amount.Minor, lined),
		blank(lined), number(no, lined), in.integer(lined), out.integer(lined), minorUnits(closing.Closing.Amount.Minor, lined), check)
}

// openingBalance is the first statement of the period that prints an opening balance, of the account and currency of another.
func openingBalance(r *recon.Report, of *ledger.Statement) *ledger.Statement {
	var first *ledger.Statement
	for i := range r.Sources {
		for k := range r.Sources[i].Statements {
			s := &r.Sources[i].Statements[k]
			if s.AccountID != of.AccountID || s.Currency != of.Currency || !s.Opening.Amount.Given || s.From.IsZero() || !r.Period.HasDate(s.From) {
				continue
			}
			if first == nil || s.From < first.From {
				first = s
			}
		}
	}
	return first
}

// accountNumbers are the numbers of the accounts on Bridge by account, and the bridges themselves.
func accountNumbers(r *recon.Report) map[accountKey]int {
	numbers := make(map[accountKey]int, len(r.Accounts))
	for i := range r.Accounts {
		numbers[accountKey{r.Accounts[i].Currency, r.Accounts[i].AccountID}] = i + 1
	}
	return numbers
}

// arrives reports whether the bridge of an account arrives at what the source has of it.
func arrives(b *recon.BridgeAccount, a *recon.AccountSums) bool {
	in, out := b.Line(recon.LineBookedInScope), b.Line(recon.LineBookedOut)
	return in.Count+out.Count == a.Booked && in.Minor+out.Minor == a.BookedMinor && b.Line(recon.LineRowsRead).Count == a.Count
}
