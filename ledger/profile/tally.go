package profile

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"agentrecon/ledger"
	"agentrecon/ledger/tabular"
)

// maxAccounts bounds the accounts of one file.
const maxAccounts = 100_000

// tally adds up what a file says as a whole.
type tally struct {
	totals   map[ledger.Currency]*ledger.ControlTotal
	accounts map[string]*span
}

// span is the range of booked days of one account.
type span struct{ first, last ledger.Date }

func (t *tally) add(e *ledger.Entry) error {
	if t.totals == nil {
		t.totals, t.accounts = make(map[ledger.Currency]*ledger.ControlTotal), make(map[string]*span)
	}
	total := t.totals[e.Currency]
	if total == nil {
		total = &ledger.ControlTotal{Currency: e.Currency}
		t.totals[e.Currency] = total
	}
	if (e.Amount > 0 && total.Minor > math.MaxInt64-e.Amount) || (e.Amount < 0 && total.Minor < math.MinInt64-e.Amount) {
		return &tabular.FileError{File: e.File, Line: e.Line, Reason: "the sum of the amounts is too large to be money; is the column right?"}
	}
	total.Count++
	total.Minor += e.Amount
	s := t.accounts[e.AccountID]
	if s == nil {
		if len(t.accounts) == maxAccounts {
			return &tabular.FileError{File: e.File, Line: e.Line, Reason: fmt.Sprintf("more than %d accounts; is that the column of the own account?", maxAccounts)}
		}
		s = new(span)
		t.accounts[e.AccountID] = s
	}
	if e.Moved() {
		if s.first.IsZero() || e.BookedOn < s.first {
			s.first = e.BookedOn
		}
		s.last = max(s.last, e.BookedOn)
	}
	return nil
}

// coverage is what was declared, else inferred from the booked days, by account. No account stands for all of
// them, so entries without one give a coverage only where no entry has one.
func (t *tally) coverage(name string, declared ledger.Period) []ledger.Coverage {
	var list []ledger.Coverage
	for _, account := range slices.Sorted(maps.Keys(t.accounts)) {
		s := t.accounts[account]
		switch {
		case account == "" && len(t.accounts) > 1:
		case !declared.IsZero():
			list = append(list, ledger.Coverage{AccountID: account, From: declared.From, To: declared.To, File: name})
		case !s.first.IsZero():
			list = append(list, ledger.Coverage{AccountID: account, From: s.first, To: s.last.AddDays(1), Inferred: true, File: name})
		}
	}
	return list
}

// describe fills in what the tally knows of a file.
func (t *tally) describe(s *ledger.SourceFile, options ledger.ReadOptions) {
	s.Population = "ledger"
	for _, c := range slices.Sorted(maps.Keys(t.totals)) {
		s.Totals = append(s.Totals, *t.totals[c])
		s.Rows += t.totals[c].Count
	}
	for _, account := range slices.Sorted(maps.Keys(t.accounts)) {
		if account != "" {
			s.Accounts = append(s.Accounts, account)
		}
	}
	s.Coverage = t.coverage(s.Name, options.Covers)
}

// chain follows the running balance of one account and currency in both directions: files have the oldest row
// first or the newest.
type chain struct {
	started  bool
	balance  int64
	amount   int64
	between  int64 // of the rows without a balance since
	steps    int
	down, up int // steps that agree reading with the oldest first, and with the newest first
	badDown  gap
	badUp    gap
}

// gap is where a balance does not follow.
type gap struct {
	line       int
	difference int64
}

// pass takes a row without a balance: some banks print it with the last row of a day only.
func (c *chain) pass(amount int64) { c.between += amount }

func (c *chain) step(line int, amount, balance int64) {
	if c.started {
		c.steps++
		if d := balance - c.balance - c.between - amount; d == 0 {
			c.down++
		} else if c.badDown.line == 0 {
			c.badDown = gap{line, d}
		}
		if d := c.balance - balance - c.amount - c.between; d == 0 {
			c.up++
		} else if c.badUp.line == 0 {
			c.badUp = gap{line, d}
		}
	}
	c.started, c.balance, c.amount, c.between = true, balance, amount, 0
}

// proofs collects what a table proves of itself.
type proofs struct {
	chains  map[chainKey]*chain
	groups  map[string]*group
	checks  map[string]int64 // opening, closing, credits, debits as the file prints them
	checkOf ledger.Currency
	credits int64
	debits  int64
	partly  bool // the entries of a group may be in earlier files

	declared []declaration // above the header
	entries  int64
	sum      int64 // of the amounts as printed, in millionths
	inexact  bool  // an amount has more decimals than that, or the sum is too large
}

// declaration is what a line above the header says of the entries.
type declaration struct {
	what, name, value string
}

// declare keeps what a line above the header says; an empty value says nothing.
func (p *proofs) declare(what, name, value string) {
	if value != "" {
		p.declared = append(p.declared, declaration{what, name, value})
	}
}

// exactDecimals is how many decimals a sum above the header is held to: reports that print more decimals than the
// currency has add them up before they round.
const exactDecimals = 6

// exactly adds an amount as it was printed, with the sign that it was read with.
func (p *proofs) exactly(printed number, mark byte, amount int64) {
	if p.declared == nil || p.inexact {
		return
	}
	n, err := printed.millionths(mark)
	if err != nil {
		p.inexact = true
		return
	}
	if n < 0 != (amount < 0) && amount != 0 {
		n = -n
	}
	p.sum += n
	p.inexact = p.sum > ledger.MaxMinor || p.sum < -ledger.MaxMinor
}

// stated proves what stands above the header.
func (p *proofs) stated() ledger.Proof {
	rounded := p.credits - p.debits
	for _, d := range p.declared {
		n, _, err := parseNumber(d.value)
		mark, _ := n.evidence()
		declared, err2 := n.millionths(cmp.Or(mark, '.'))
		if err != nil || err2 != nil {
			return ledger.Proof{State: ledger.ProofFailed, Detail: fmt.Sprintf("%s above the header is %q, which is no number", d.name, d.value)}
		}
		found := p.sum
		if d.what == aboveCount {
			found = p.entries * millionth
		} else if p.inexact {
			return ledger.Proof{State: ledger.ProofNone, Detail: fmt.Sprintf("the entries have more decimals than %d, so %s proves nothing", exactDecimals, d.name)}
		}
		if declared != found {
			return ledger.Proof{State: ledger.ProofFailed, Detail: fmt.Sprintf("%s above the header is %s and the entries make %s: difference %s",
				d.name, shortDecimal(declared), shortDecimal(found), shortDecimal(declared-found))}
		}
	}
	if p.declared == nil {
		return ledger.Proof{State: ledger.ProofNone}
	}
	return ledger.Proof{State: ledger.ProofOK, Detail: fmt.Sprintf("the totals above the header agree; rounded, the entries make %s", ledger.FormatMoney(rounded, p.checkOf))}
}

// millionth is one in the unit of [number.millionths].
const millionth = 1_000_000

// shortDecimal prints millionths without zeros at the end.
func shortDecimal(n int64) string {
	return strings.TrimSuffix(strings.TrimRight(ledger.FormatDecimal(n, exactDecimals), "0"), ".")
}

type chainKey struct {
	account  string
	currency ledger.Currency
}

// group is what the entries of one payout or batch add up to.
type group struct {
	id   string
	sum  int64
	paid bool        // a payout is among them
	on   ledger.Date // when it was paid out
	c    ledger.Currency
}

// maxGroups bounds the groups of one file.
const maxGroups = 1_000_000

// chained proves the running balances. A chain of which more than half agrees was meant to be one, and what
// does not agree is a failure; otherwise the rows are in no order.
func (p *proofs) chained() ledger.Proof {
	steps, agreed, rows := 0, 0, ledger.Proof{State: ledger.ProofNone}
	for _, key := range slices.SortedFunc(maps.Keys(p.chains), func(a, b chainKey) int {
		return cmp.Or(cmp.Compare(a.account, b.account), cmp.Compare(a.currency, b.currency))
	}) {
		c := p.chains[key]
		best, bad := c.down, c.badDown
		if c.up > c.down {
			best, bad = c.up, c.badUp
		}
		steps, agreed = steps+c.steps, agreed+best
		if best < c.steps && best*2 > c.steps && rows.State == ledger.ProofNone {
			rows = ledger.Proof{State: ledger.ProofFailed, Detail: fmt.Sprintf(
				"the running balance of line %d does not follow from its neighbour: difference %s", bad.line, ledger.FormatMoney(bad.difference, key.currency))}
		}
	}
	switch {
	case steps == 0:
		return ledger.Proof{State: ledger.ProofNone}
	case rows.State == ledger.ProofFailed:
		return rows
	case agreed == steps:
		return ledger.Proof{State: ledger.ProofOK, Detail: fmt.Sprintf("the running balance follows in all %d rows that have one before them", steps)}
	default:
		return ledger.Proof{State: ledger.ProofNone, Detail: "the running balances follow no order of the rows"}
	}
}

// grouped proves that batches add up to zero once they were paid out. Where entries of the first payouts may be in an
// earlier file, those before the first that agrees say nothing.
func (p *proofs) grouped() ledger.Proof {
	var paid []*group
	for _, g := range p.groups {
		if g.paid {
			paid = append(paid, g)
		}
	}
	slices.SortFunc(paid, func(a, b *group) int { return cmp.Or(cmp.Compare(a.on, b.on), cmp.Compare(a.id, b.id)) })
	skipped := 0
	if p.partly {
		for skipped < len(paid) && paid[skipped].sum != 0 {
			skipped++
		}
	}
	for _, g := range paid[skipped:] {
		if g.sum != 0 {
			return ledger.Proof{State: ledger.ProofFailed, Detail: fmt.Sprintf("batch %s does not add up to zero: difference %s", g.id, ledger.FormatMoney(g.sum, g.c))}
		}
	}
	switch {
	case len(paid) == 0:
		return ledger.Proof{State: ledger.ProofNone}
	case len(paid) == skipped:
		return ledger.Proof{State: ledger.ProofNone, Detail: fmt.Sprintf("no payout is the sum of its entries in this file; the first, %s, differs by %s", paid[0].id, ledger.FormatMoney(paid[0].sum, paid[0].c))}
	case skipped > 0:
		return ledger.Proof{State: ledger.ProofOK, Detail: fmt.Sprintf("%d batches that were paid out add up to zero; %d before them have entries in earlier files", len(paid)-skipped, skipped)}
	}
	return ledger.Proof{State: ledger.ProofOK, Detail: fmt.Sprintf("%d batches that were paid out add up to zero", len(paid))}
}

// checked proves opening and closing balances and totals that stand on rows of their own.
func (p *proofs) checked() ledger.Proof {
	money := func(minor int64) string { return ledger.FormatMoney(minor, p.checkOf) }
	opening, hasOpening := p.checks["opening"]
	closing, hasClosing := p.checks["closing"]
	if d := closing - opening - p.credits + p.debits; hasOpening && hasClosing && d != 0 {
		return ledger.Proof{State: ledger.ProofFailed, Detail: fmt.Sprintf("opening %s + entries %s, closing says %s: difference %s", money(opening), money(p.credits-p.debits), money(closing), money(d))}
	}
	for _, c := range []struct {
		what  string
		found int64
	}{{"credits", p.credits}, {"debits", p.debits}} {
		if declared, ok := p.checks[c.what]; ok && max(declared, -declared) != c.found {
			return ledger.Proof{State: ledger.ProofFailed, Detail: fmt.Sprintf("it declares %s of %s and holds %s", money(declared), c.what, money(c.found))}
		}
	}
	if len(p.checks) == 0 || !(hasOpening && hasClosing) && len(p.checks) == 1 && (hasOpening || hasClosing) {
		return ledger.Proof{State: ledger.ProofNone}
	}
	return ledger.Proof{State: ledger.ProofOK, Detail: "the file's own balances and totals agree"}
}

// proof combines them: failed at the first that failed, ok if any could be tried.
func (p *proofs) proof() ledger.Proof {
	var tried []string
	reason := "no balances in this file"
	for _, one := range []ledger.Proof{p.stated(), p.checked(), p.chained(), p.grouped()} {
		switch {
		case one.State == ledger.ProofFailed:
			return one
		case one.State == ledger.ProofOK:
			tried = append(tried, one.Detail)
		case one.Detail != "":
			reason = one.Detail
		}
	}
	if tried != nil {
		return ledger.Proof{State: ledger.ProofOK, Detail: strings.Join(tried, "; ")}
	}
	return ledger.Proof{State: ledger.ProofNone, Detail: reason}
}
