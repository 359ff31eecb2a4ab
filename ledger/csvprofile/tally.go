package csvprofile

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"agentrecon/ledger"
	"agentrecon/ledger/tabular"
	"agentrecon/ledger/witness"
)

// maxAccounts bounds the accounts of one file; beyond it the column is hardly the own account.
const maxAccounts = 100_000

// tally adds up what a file says as a whole.
type tally struct {
	totals   map[ledger.Currency]*ledger.ControlTotal
	accounts map[string]*days
	lastName string // of the account met last, which most often comes again
	last     *days
}

// days is the span of booked days of one account; the zero value has none.
type days struct{ first, last ledger.Date }

func newTally() *tally {
	return &tally{totals: make(map[ledger.Currency]*ledger.ControlTotal), accounts: make(map[string]*days)}
}

func (t *tally) add(e *ledger.Entry) error {
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
	return t.addDay(e)
}

func (t *tally) addDay(e *ledger.Entry) error {
	if t.last == nil || t.lastName != e.AccountID {
		t.lastName, t.last = e.AccountID, t.accounts[e.AccountID]
		if t.last == nil {
			if len(t.accounts) == maxAccounts {
				return &tabular.FileError{File: e.File, Line: e.Line, Reason: fmt.Sprintf("more than %d accounts; account_id is the own account", maxAccounts)}
			}
			t.last = new(days)
			t.accounts[e.AccountID] = t.last
		}
	}
	if !e.Moved() {
		return nil
	}
	if t.last.first.IsZero() || e.BookedOn < t.last.first {
		t.last.first = e.BookedOn
	}
	t.last.last = max(t.last.last, e.BookedOn)
	return nil
}

// source describes the file that was read.
func (t *tally) source(name string, end tabular.End, options Options) (ledger.SourceFile, error) {
	source := ledger.SourceFile{
		Name:       name,
		SHA256:     end.SHA256,
		Population: "ledger",
		Format:     end.Format,
		Profile:    GenericProfile,
		Rows:       end.Rows,
		Proof:      ledger.Proof{State: ledger.ProofNone, Detail: "no balances in this file"},
		Coverage:   t.coverage(name, options.Covers),
	}
	for _, account := range slices.Sorted(maps.Keys(t.accounts)) {
		if account != "" {
			source.Accounts = append(source.Accounts, account)
		}
	}
	for _, total := range t.totals {
		source.Totals = append(source.Totals, *total)
	}
	slices.SortFunc(source.Totals, func(a, b ledger.ControlTotal) int { return cmp.Compare(a.Currency, b.Currency) })
	return source, witness.HoldAgainst(&source, options.Expect)
}

// coverage is what was declared, else inferred from the booked days, by account. No account stands for all
// of them, so entries without one give a coverage only where no entry of the file has one.
func (t *tally) coverage(name string, declared ledger.Period) []ledger.Coverage {
	var list []ledger.Coverage
	for _, account := range slices.Sorted(maps.Keys(t.accounts)) {
		span := t.accounts[account]
		if account == "" && len(t.accounts) > 1 {
			continue
		}
		switch {
		case !declared.IsZero():
			list = append(list, ledger.Coverage{AccountID: account, From: declared.From, To: declared.To, File: name})
		case !span.first.IsZero():
			list = append(list, ledger.Coverage{AccountID: account, From: span.first, To: span.last.AddDays(1), Inferred: true, File: name})
		}
	}
	return list
}
