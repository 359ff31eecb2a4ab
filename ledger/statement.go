package ledger

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Statement is what one statement of one account says beside its entries: who it is, what it covers, and
// the balances, counts and sums by which it can be held to its own word. A file holds one or many.
//
// A zero date, an empty string and an [Optional] that is not given mean that the statement does not say.
type Statement struct {
	AccountID     string
	ID            string // as the bank names it: camt Id, MT940 :20:
	Sequence      string // electronic sequence number, or the statement number of MT940 :28C:
	LegalSequence string // the sequence a bank is bound to by law; camt LglSeqNb
	Page          string // page within the sequence number
	Paged         bool   // it is one of several pages, so its balances and totals may be those of all of them
	Copy          string // COPY, CODU or DUPL if the bank says that this repeats an earlier statement
	Currency      Currency
	From, To      Date // days covered, half-open; zero: the statement says nothing
	Opening       Balance
	Closing       Balance
	Available     Balance // closing available
	Declared      Declared
	Checks        []Check // control totals peculiar to the format, such as those of BAI2 trailers
	Unread        string  // what cannot be read of its balances, or that they are cut off; it fails the proof
	Read          Read    // what was read
	Line          int     // where it begins, from 1
	Proof         Proof   // as [Statement.Prove] found
}

// Balance is what stands on an account at the end of a day, or at its beginning for an opening balance.
type Balance struct {
	Amount Optional // signed: an overdraft is negative
	On     Date
}

// Declared are the counts and sums that a statement prints of its own entries.
type Declared struct {
	Entries, Credits, Debits Figure   // sums are of absolute amounts
	Net                      Optional // signed: credits less debits
}

// Figure is a declared count and a declared sum, either of which may be missing.
type Figure struct {
	Count Optional // a number, not an amount
	Sum   Optional
}

// Check is a control total that a format has beside those of [Declared].
type Check struct {
	Name            string // "account control total", for messages
	Declared, Found int64
	Money           bool // minor units of the statement's currency rather than a count
}

// Tally is a number of entries and the sum of their absolute amounts.
type Tally struct {
	Count int64
	Minor int64 // never negative
}

// Read adds up the entries of one statement, by what they say of themselves.
type Read struct {
	Credits, Debits             Tally // every entry, whatever its status
	BookedCredits, BookedDebits Tally // those that moved money
	// Reversals is the signed sum of the booked entries that are flagged as reversals. Banks disagree on
	// whether the direction printed beside the flag is the entry's own or that of the entry taken back.
	Reversals    int64
	AllReversals int64 // the same of all entries
	// ValuedLater is the signed sum of the booked entries whose value date lies behind the closing
	// balance's date: some banks' balances count by value date.
	ValuedLater int64
	// Foreign is how many entries are in another currency than the statement's. They count, and no sum
	// holds them.
	Foreign int64
}

// Add counts an entry as one of the statement's, with the status that the statement itself gives it. A
// closing balance that stands before the entries should be set by then: its date tells which entries are
// valued later. It reports false, and counts nothing, if a sum would leave the range of money.
func (s *Statement) Add(e *Entry) bool {
	all, booked := &s.Read.Credits, &s.Read.BookedCredits
	if e.Amount < 0 {
		all, booked = &s.Read.Debits, &s.Read.BookedDebits
	}
	minor := max(e.Amount, -e.Amount)
	if s.Currency != "" && e.Currency != s.Currency {
		s.Read.Foreign++
		minor = 0
	}
	if minor < 0 || all.Minor > math.MaxInt64/4-minor {
		return false
	}
	all.Count++
	all.Minor += minor
	if e.Reversal && minor != 0 {
		s.Read.AllReversals += e.Amount
	}
	if !e.Moved() {
		return true
	}
	booked.Count++
	booked.Minor += minor
	if e.Reversal && minor != 0 {
		s.Read.Reversals += e.Amount
	}
	if !s.Closing.On.IsZero() && e.ValueOn > s.Closing.On && minor != 0 {
		s.Read.ValuedLater += e.Amount
	}
	return true
}

// Net is the signed sum of the booked entries.
func (r *Read) Net() int64 { return r.BookedCredits.Minor - r.BookedDebits.Minor }

// PeriodOfBalances is the range of days, half-open, that two balances enclose. Banks date the opening
// balance either by the day before the first or by the first day; it is taken for the first day only if an
// entry was booked then, so that no day is called covered that may not be.
func PeriodOfBalances(opening, closing, firstBooked Date) (from, to Date) {
	if opening.IsZero() || closing.IsZero() || closing < opening {
		return 0, 0
	}
	if opening == closing || (!firstBooked.IsZero() && firstBooked <= opening) {
		return opening, closing.AddDays(1)
	}
	return opening.AddDays(1), closing.AddDays(1)
}

// Prove holds a statement against its own balances, counts, sums and checks. The state is failed if a balance
// cannot be read or was cut off, and at the first that disagrees, with the exact difference; ok if at least one could be tried; none otherwise.
func (s *Statement) Prove() Proof {
	if s.Unread != "" {
		return Proof{State: ProofFailed, Detail: s.name() + s.Unread}
	}
	var tried []string
	for _, prove := range []func() Proof{s.proveBalances, s.proveDeclared, s.proveChecks} {
		switch p := prove(); p.State {
		case ProofFailed:
			return s.excused(p)
		case ProofOK:
			tried = append(tried, p.Detail)
		case ProofNone:
		}
	}
	if tried == nil {
		return Proof{State: ProofNone, Detail: s.name() + "it prints no opening and closing balance and no totals"}
	}
	return Proof{State: ProofOK, Detail: strings.Join(tried, "; ")}
}

// excused turns a failed proof into none where the statement itself says why it cannot hold.
func (s *Statement) excused(p Proof) Proof {
	switch {
	case s.Paged:
		return Proof{State: ProofNone, Detail: s.name() + "it is one of several pages, and its balances or totals are not those of the page"}
	case s.Read.Foreign > 0:
		return Proof{State: ProofNone, Detail: s.name() + fmt.Sprintf("%d of its entries are in another currency than its balances", s.Read.Foreign)}
	default:
		return Proof{State: ProofFailed, Detail: s.name() + p.Detail}
	}
}

// proveBalances tries opening + entries = closing, by booking date and then by value date.
func (s *Statement) proveBalances() Proof {
	if !s.Opening.Amount.Given || !s.Closing.Amount.Given {
		return Proof{State: ProofNone}
	}
	opening, closing, net := s.Opening.Amount.Minor, s.Closing.Amount.Minor, s.Read.Net()
	difference := closing - opening - net
	if difference == 0 {
		return Proof{State: ProofOK, Detail: "opening + entries = closing"}
	}
	if s.Read.ValuedLater != 0 && difference == -s.Read.ValuedLater {
		return Proof{State: ProofOK, Detail: "opening + entries = closing, by value date"}
	}
	detail := fmt.Sprintf("opening %s + entries %s = %s, closing says %s: difference %s",
		s.money(opening), s.money(net), s.money(opening+net), s.money(closing), s.money(difference))
	if s.Read.Reversals != 0 && difference == -2*s.Read.Reversals {
		detail += turnedRound
	}
	return Proof{State: ProofFailed, Detail: detail}
}

const turnedRound = " (it agrees if entries flagged as reversals count the other way round)"

// proveDeclared tries the printed counts and sums. Banks count pending entries in or leave them out, so
// either will do.
func (s *Statement) proveDeclared() Proof {
	r, d := &s.Read, &s.Declared
	figures := []struct {
		name        string
		declared    Figure
		all, booked Tally
	}{
		{"entries", d.Entries, r.Credits.plus(r.Debits), r.BookedCredits.plus(r.BookedDebits)},
		{"credits", d.Credits, r.Credits, r.BookedCredits},
		{"debits", d.Debits, r.Debits, r.BookedDebits},
	}
	tried := false
	for _, f := range figures {
		if n := f.declared.Count; n.Given && n.Minor != f.all.Count && n.Minor != f.booked.Count {
			return failed("it declares %d %s and holds %d: difference %d", n.Minor, f.name, f.all.Count, n.Minor-f.all.Count)
		}
		if sum := f.declared.Sum; sum.Given && sum.Minor != f.all.Minor && sum.Minor != f.booked.Minor {
			return failed("it declares %s of %s and holds %s: difference %s",
				s.money(sum.Minor), f.name, s.money(f.all.Minor), s.money(sum.Minor-f.all.Minor))
		}
		tried = tried || f.declared.Count.Given || f.declared.Sum.Given
	}
	if all := r.Credits.Minor - r.Debits.Minor; d.Net.Given {
		if d.Net.Minor != all && d.Net.Minor != r.Net() {
			p := failed("it declares a net of %s and holds %s: difference %s", s.money(d.Net.Minor), s.money(all), s.money(d.Net.Minor-all))
			if r.AllReversals != 0 && d.Net.Minor == all-2*r.AllReversals {
				p.Detail += turnedRound
			}
			return p
		}
		tried = true
	}
	if !tried {
		return Proof{State: ProofNone}
	}
	return Proof{State: ProofOK, Detail: "declared counts and sums agree"}
}

func (s *Statement) proveChecks() Proof {
	for _, c := range s.Checks {
		if c.Declared == c.Found {
			continue
		}
		if c.Money {
			return failed("%s: it declares %s and holds %s: difference %s", c.Name, s.money(c.Declared), s.money(c.Found), s.money(c.Declared-c.Found))
		}
		return failed("%s: it declares %d and holds %d: difference %d", c.Name, c.Declared, c.Found, c.Declared-c.Found)
	}
	if s.Checks == nil {
		return Proof{State: ProofNone}
	}
	return Proof{State: ProofOK, Detail: "control totals agree"}
}

// mostDaysApart is how far two dated balances may lie apart and still be taken for neighbours: a long
// weekend. The dates cannot say more where statements have no numbers.
const mostDaysApart = 5

// ProveContinuity holds a statement against the one before it of the same account and currency: its opening
// balance is that one's closing balance. The proof is none where they are no neighbours, as their numbers
// or dates say, or where a balance is missing.
func ProveContinuity(before, next *Statement) Proof {
	if !before.Closing.Amount.Given || !next.Opening.Amount.Given {
		return Proof{State: ProofNone, Detail: next.name() + "no balances to compare with the statement before it"}
	}
	if before.Closing.Amount.Minor == next.Opening.Amount.Minor {
		return Proof{State: ProofOK, Detail: "opening = closing of the statement before"}
	}
	if gap := numberGap(before.Sequence, next.Sequence); gap > 0 {
		return Proof{State: ProofNone, Detail: next.name() + fmt.Sprintf("statements are missing between numbers %s and %s: %d", before.Sequence, next.Sequence, gap)}
	}
	if before.Closing.On.AddDays(mostDaysApart) < next.Opening.On || next.Opening.On < before.Closing.On {
		return Proof{State: ProofNone, Detail: next.name() + "its days do not follow on those of the statement before it"}
	}
	return failed("%sopening %s, the statement before it closed at %s: difference %s", next.name(), next.money(next.Opening.Amount.Minor),
		next.money(before.Closing.Amount.Minor), next.money(next.Opening.Amount.Minor-before.Closing.Amount.Minor))
}

// numberGap is how many numbers lie between two sequence numbers, 0 if that cannot be told.
func numberGap(before, next string) int64 {
	a, err1 := strconv.ParseInt(before, 10, 64)
	b, err2 := strconv.ParseInt(next, 10, 64)
	if err1 != nil || err2 != nil || b <= a {
		return 0
	}
	return b - a - 1
}

// ProveStatements combines the proofs of a file's statements, as they stand in their Proof fields, and their
// continuity: failed at the first that failed, in file order; none if any has none; ok otherwise.
func ProveStatements(statements []Statement) Proof {
	if len(statements) == 0 {
		return Proof{State: ProofNone, Detail: "no statements in this file"}
	}
	none := Proof{}
	for i := range statements {
		switch p := statements[i].Proof; p.State {
		case ProofFailed:
			return p
		case ProofNone:
			if none.State == "" {
				none = p
			}
		case ProofOK:
		}
	}
	for _, pair := range neighbours(statements) {
		if p := ProveContinuity(pair[0], pair[1]); p.State == ProofFailed {
			return p
		}
	}
	if none.State != "" {
		return none
	}
	if len(statements) == 1 {
		return statements[0].Proof
	}
	return Proof{State: ProofOK, Detail: fmt.Sprintf("%d statements, each agrees with its own balances and totals", len(statements))}
}

// MissingStatements says, in words, where statements are missing between those of a file: their numbers do
// not follow each other, or their days do not, and the balances differ. It proves nothing wrong with the file.
func MissingStatements(statements []Statement) []string {
	var list []string
	for _, pair := range neighbours(statements) {
		if p := ProveContinuity(pair[0], pair[1]); p.State == ProofNone && pair[0].Closing.Amount.Given {
			list = append(list, p.Detail)
		}
	}
	return list
}

// neighbours pairs each statement with the next one of its account and currency, by date and then as they
// stand in the file. Copies are no neighbours of anything.
func neighbours(statements []Statement) [][2]*Statement {
	var sorted []*Statement
	for i := range statements {
		if s := &statements[i]; s.Copy == "" && s.Opening.Amount.Given {
			sorted = append(sorted, s)
		}
	}
	slices.SortStableFunc(sorted, func(a, b *Statement) int {
		return cmp.Or(cmp.Compare(a.AccountID, b.AccountID), cmp.Compare(a.Currency, b.Currency),
			cmp.Compare(a.Opening.On, b.Opening.On), cmp.Compare(a.Closing.On, b.Closing.On))
	})
	var pairs [][2]*Statement
	for i := 1; i < len(sorted); i++ {
		before, next := sorted[i-1], sorted[i]
		if before.AccountID == next.AccountID && before.Currency == next.Currency {
			pairs = append(pairs, [2]*Statement{before, next})
		}
	}
	return pairs
}

func (t Tally) plus(u Tally) Tally { return Tally{Count: t.Count + u.Count, Minor: t.Minor + u.Minor} }

func (s *Statement) money(minor int64) string {
	return strings.TrimSpace(FormatMoney(minor, s.Currency))
}

// name begins a message about the statement with what a person knows it by.
func (s *Statement) name() string {
	name := cmp.Or(s.ID, s.Sequence)
	if name == "" {
		if s.Line == 0 {
			return "statement: "
		}
		return fmt.Sprintf("statement of line %d: ", s.Line)
	}
	return "statement " + name + ": "
}

func failed(format string, args ...any) Proof {
	return Proof{State: ProofFailed, Detail: fmt.Sprintf(format, args...)}
}
