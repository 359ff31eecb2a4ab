// Package witness is what the readers of statement formats have in common: camt, MT940, BAI2, OFX. A
// statement is its own witness, so a [File] counts every entry under the statement it stands on, proves each
// statement when it ends, and describes the file from them.
//
// A reader opens a statement, adds its entries, and closes it, as often as the file has statements; then it
// asks for the [File.Source]. What the reader does not know of an entry the File fills in: account,
// currency, statement id, kind, identity, the ids of children.
package witness

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"

	"agentrecon/ledger"
	"agentrecon/ledger/tabular"
)

// Limits of a file of statements.
const (
	MaxStatements = 100_000
	MaxEntries    = 100_000_000
	mostBadRows   = 10_000 // beyond them reading stops
	mostWarnings  = 1000
)

// File collects one file.
type File struct {
	name    string
	options ledger.ReadOptions
	each    func(*ledger.Entry) error

	sum  hash.Hash
	rows int64
	ids  ledger.Identities
	bad  ledger.BadRows

	totals     map[ledger.Currency]*ledger.ControlTotal
	accounts   map[string]bool
	statements []ledger.Statement
	coverage   []ledger.Coverage
	covered    map[ledger.Coverage]bool

	warnings []string
	warned   map[string]bool
	silent   int // warnings beyond those kept

	originals map[original]bool

	open        bool
	role        Role
	repeats     bool // the statement repeats an earlier one of this file
	firstBooked ledger.Date
	lastBooked  ledger.Date
}

// New begins a file. The parameters are those of a [ledger.ReadFunc].
func New(name string, options ledger.ReadOptions, each func(*ledger.Entry) error) *File {
	return &File{
		name: name, options: options, each: each, sum: sha256.New(),
		bad:    ledger.BadRows{File: name},
		totals: make(map[ledger.Currency]*ledger.ControlTotal), accounts: make(map[string]bool),
		covered: make(map[ledger.Coverage]bool), warned: make(map[string]bool), originals: make(map[original]bool),
	}
}

// Digest passes the file's bytes through, for its SHA-256.
func (f *File) Digest(r io.Reader) io.Reader { return io.TeeReader(r, f.sum) }

// Role is what a message is to the account: the same money is shown by all three.
type Role int

// The roles. Only a statement covers its days: what is not on it did not happen.
const (
	Statement    Role = iota // the record of booked entries: camt.053, MT940
	Intraday                 // entries of a day that is not over, which the statement will show again: camt.052, MT942
	Notification             // single entries or their details, which the statement shows too: camt.054
)

// Open begins a statement; one that is open still ends.
func (f *File) Open(s ledger.Statement, role Role) error {
	f.Close()
	if len(f.statements) == MaxStatements {
		return f.Refusal(s.Line, fmt.Sprintf("more than %d statements; split the file", MaxStatements))
	}
	f.statements = append(f.statements, s)
	f.open, f.role, f.repeats, f.firstBooked, f.lastBooked = true, role, false, 0, 0
	return nil
}

// Warn takes note of something odd about the file as a whole, in words. Of very many the first are kept, and the
// number of the rest.
func (f *File) Warn(warning string) {
	switch {
	case f.warned[warning]:
	case len(f.warnings) == mostWarnings:
		f.silent++
	default:
		f.warned[warning] = true
		f.warnings = append(f.warnings, warning)
	}
}

// original is what a copy of a statement has in common with it.
type original struct {
	id, account, page string
	currency          ledger.Currency
}

// SkipCopy says that the header of the open statement is complete. If the bank marks it as a copy, and this
// file holds the original before it, its entries are counted for its own proof but not handed on: they
// would be taken for further payments.
func (f *File) SkipCopy() {
	s := f.Statement()
	key := original{id: s.ID, account: s.AccountID, page: s.Page, currency: s.Currency}
	f.repeats = s.Copy != "" && s.ID != "" && f.originals[key]
	f.originals[key] = true
}

// Statement is the open statement, to be completed as its balances and totals come by, or nil.
func (f *File) Statement() *ledger.Statement {
	if !f.open {
		return nil
	}
	return &f.statements[len(f.statements)-1]
}

// Add completes an entry of the open statement and hands it on. A [*ledger.RowError] it returns belongs to
// the entry; reading can go on after [File.Bad].
func (f *File) Add(e *ledger.Entry) error {
	if f.rows++; f.rows > MaxEntries {
		return f.Refusal(e.Line, fmt.Sprintf("more than %d entries; split the file", MaxEntries))
	}
	s := f.Statement()
	f.complete(e, s)
	if e.Currency == "" {
		return f.BadField(e.Line, "currency", "", "missing; the statement has none either, so give a default currency")
	}
	if e.BookedOn.IsZero() {
		return f.BadField(e.Line, "booking date", "", "missing, and there is no value date to take its place")
	}
	if s.Currency == "" {
		s.Currency = e.Currency
	}
	if !s.Add(e) {
		return f.Refusal(e.Line, tooLarge)
	}
	if f.repeats {
		return nil
	}
	if !f.total(e) {
		return f.Refusal(e.Line, tooLarge)
	}
	f.demote(e)
	if e.Moved() {
		if f.firstBooked.IsZero() || e.BookedOn < f.firstBooked {
			f.firstBooked = e.BookedOn
		}
		f.lastBooked = max(f.lastBooked, e.BookedOn)
	}
	f.accounts[e.AccountID] = true
	f.ids.Identify(e)
	for i := range e.Children {
		child := &e.Children[i]
		child.Status = e.Status
		child.ParentID, child.ID = e.ID, e.ID+"/"+strconv.Itoa(i+1)
	}
	return f.each(e)
}

const tooLarge = "the sum of the amounts is too large to be money; is this the right file?"

// demote takes what is only reported for no movement of money, unless a person says that no statement will
// follow. An intraday entry with an id stays booked until a statement shows it; recon.Supersede pairs the two.
func (f *File) demote(e *ledger.Entry) {
	if !e.Moved() {
		return
	}
	switch f.role {
	case Intraday:
		e.Report = ledger.ReportIntraday
	case Notification:
		e.Report = ledger.ReportNotification
	case Statement:
	}
	switch {
	case f.options.CountReports:
	case f.role == Notification:
		e.Status = ledger.StatusInfo
		e.Warnings = append(e.Warnings, ledger.WarnNotificationOnly)
	case f.role == Intraday && e.ProviderID == "":
		e.Status = ledger.StatusPending
		e.Warnings = append(e.Warnings, ledger.WarnIntradayOnly)
	}
}

// complete fills in what an entry has from its statement, and its children from it.
func (f *File) complete(e *ledger.Entry, s *ledger.Statement) {
	e.File = f.name
	e.AccountID = cmp.Or(e.AccountID, s.AccountID, f.options.Account)
	e.StatementID = cmp.Or(e.StatementID, s.ID)
	e.Kind = cmp.Or(e.Kind, ledger.KindPayment)
	e.Status = cmp.Or(e.Status, ledger.StatusBooked)
	if e.Currency == "" {
		if e.Currency = cmp.Or(s.Currency, f.options.DefaultCurrency); e.Currency != "" {
			e.Warnings = append(e.Warnings, ledger.WarnCurrencyAssumed)
		}
	}
	if e.BookedOn.IsZero() {
		e.BookedOn = e.ValueOn
	}
	for i := range e.Children {
		child := &e.Children[i]
		child.File, child.AccountID, child.StatementID = e.File, e.AccountID, e.StatementID
		child.BookedOn, child.ValueOn = e.BookedOn, e.ValueOn
		child.Kind = cmp.Or(child.Kind, e.Kind)
		child.Currency = cmp.Or(child.Currency, e.Currency)
	}
}

func (f *File) total(e *ledger.Entry) bool {
	total := f.totals[e.Currency]
	if total == nil {
		total = &ledger.ControlTotal{Currency: e.Currency}
		f.totals[e.Currency] = total
	}
	if (e.Amount > 0 && total.Minor > math.MaxInt64-e.Amount) || (e.Amount < 0 && total.Minor < math.MinInt64-e.Amount) {
		return false
	}
	total.Count++
	total.Minor += e.Amount
	return true
}

// Close ends the open statement and proves it.
func (f *File) Close() {
	s := f.Statement()
	if s == nil {
		return
	}
	f.open = false
	s.AccountID = cmp.Or(s.AccountID, f.options.Account)
	if s.From.IsZero() || s.To.IsZero() {
		s.From, s.To = ledger.PeriodOfBalances(s.Opening.On, s.Closing.On, f.firstBooked)
	}
	s.Proof = s.Prove()
	if s.AccountID != "" {
		f.accounts[s.AccountID] = true
	}
	if f.role != Statement && !f.options.CountReports {
		return
	}
	switch {
	case !f.options.Covers.IsZero():
		f.cover(ledger.Coverage{AccountID: s.AccountID, From: f.options.Covers.From, To: f.options.Covers.To, Report: f.role != Statement, File: f.name})
	case f.role != Statement:
	case !s.From.IsZero() && s.From < s.To:
		f.cover(ledger.Coverage{AccountID: s.AccountID, From: s.From, To: s.To, File: f.name})
	case !f.firstBooked.IsZero():
		f.cover(ledger.Coverage{AccountID: s.AccountID, From: f.firstBooked, To: f.lastBooked.AddDays(1), Inferred: true, File: f.name})
	}
}

func (f *File) cover(c ledger.Coverage) {
	if !f.covered[c] {
		f.covered[c] = true
		f.coverage = append(f.coverage, c)
	}
}

// Bad takes note of a bad row. It returns an error only when there were so many that reading should stop.
func (f *File) Bad(fault *ledger.RowError) error {
	if f.bad.Total++; len(f.bad.Rows) < ledger.MaxBadRows {
		f.bad.Rows = append(f.bad.Rows, fault)
	}
	if f.bad.Total >= mostBadRows {
		return &f.bad
	}
	return nil
}

// BadField blames a field of the entry in a line.
func (f *File) BadField(line int, field, value, want string) *ledger.RowError {
	return &ledger.RowError{File: f.name, Line: line, Field: field, Value: value, Want: want}
}

// Refusal refuses the file as a whole.
func (f *File) Refusal(line int, reason string) error {
	return &tabular.FileError{File: f.name, Line: line, Reason: reason}
}

// WithBad adds the bad rows met before a file broke off, which are often its cause.
func (f *File) WithBad(err error) error {
	if f.bad.Total == 0 {
		return err
	}
	return errors.Join(err, &f.bad)
}

// Source ends the file and describes it. It refuses a file with bad rows by a [*ledger.BadRows], and one
// without entries unless one of its statements says that there were none: an export that found nothing
// looks just like one that went wrong.
func (f *File) Source(format string) (ledger.SourceFile, error) {
	f.Close()
	if f.bad.Total > 0 {
		// Some readers hold entries back and find out late what is wrong with them.
		slices.SortStableFunc(f.bad.Rows, func(a, b *ledger.RowError) int { return cmp.Compare(a.Line, b.Line) })
		return ledger.SourceFile{}, &f.bad
	}
	if len(f.statements) == 0 {
		return ledger.SourceFile{}, f.Refusal(0, "no statement in it; was the export complete?")
	}
	if f.rows == 0 && !slices.ContainsFunc(f.statements, saysZero) {
		return ledger.SourceFile{}, f.Refusal(0, "no entries, and no statement that says so by equal balances or a count of 0; was the export complete?")
	}
	for _, gap := range ledger.MissingStatements(f.statements) {
		f.Warn(gap)
	}
	if f.silent > 0 {
		f.warnings = append(f.warnings, fmt.Sprintf("and %d more of such notes", f.silent))
	}
	source := ledger.SourceFile{
		Name: f.name, SHA256: hex.EncodeToString(f.sum.Sum(nil)), Population: "ledger", Format: format,
		Rows: f.rows, Statements: f.statements, Proof: ledger.ProveStatements(f.statements), Coverage: f.coverage,
		Warnings: f.warnings,
	}
	for _, account := range slices.Sorted(maps.Keys(f.accounts)) {
		if account != "" {
			source.Accounts = append(source.Accounts, account)
		}
	}
	for _, c := range slices.Sorted(maps.Keys(f.totals)) {
		source.Totals = append(source.Totals, *f.totals[c])
	}
	return source, HoldAgainst(&source, f.options.Expect)
}

// saysZero reports whether a statement says that nothing happened.
func saysZero(s ledger.Statement) bool {
	if n := s.Declared.Entries.Count; n.Given {
		return n.Minor == 0
	}
	if c, d := s.Declared.Credits.Count, s.Declared.Debits.Count; c.Given && d.Given {
		return c.Minor == 0 && d.Minor == 0
	}
	return s.Opening.Amount.Given && s.Closing.Amount.Given && s.Opening.Amount.Minor == s.Closing.Amount.Minor
}
