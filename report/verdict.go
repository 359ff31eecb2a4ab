package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"agentrecon/ledger"
	"agentrecon/recon"
)

// State is the word that the Cover leads with.
type State string

// The states, the gravest first.
const (
	DoNotRely  State = "DO NOT RELY" // a tie-out differs, or a failed proof was accepted
	Interim    State = "INTERIM"     // a window is still open
	Incomplete State = "INCOMPLETE"  // the ledger's coverage has gaps
	Final      State = "FINAL"
)

// verdict is the result of the run as the Cover states it.
type verdict struct {
	state    State
	because  string // one sentence
	sentence string
	coverage string // whether it is complete, or what is missing
}

// judge finds the state and puts the result into words. It runs when every check has been made.
func judge(b *book, c *checks) verdict {
	gaps := coverageGaps(b.report)
	v := verdict{coverage: coverageShort(b.report)}
	v.state, v.because = stateOf(b, c, gaps)
	v.sentence = b.sentence(v, c)
	return v
}

// stateOf tries the gravest state first, so that nothing milder hides it.
func stateOf(b *book, c *checks, gaps []string) (State, string) {
	r := b.report
	if failed := r.AcceptedProofs(); len(failed) == 1 {
		return DoNotRely, "A file that fails its own proof was accepted: see Overrides and Sources."
	} else if len(failed) > 1 {
		return DoNotRely, fmt.Sprintf("%s files that fail their own proof were accepted: see Overrides and Sources.", grouped(int64(len(failed))))
	}
	if c.differ > 0 {
		return DoNotRely, fmt.Sprintf("%s of %s checks %s: see Checks.", grouped(int64(c.differ)), grouped(int64(c.made)), differWord(c.differ))
	}
	// An attempt that is unresolved already may have its window open, or its days not covered, no less than others.
	if n := b.list(SheetTiming).rows; n > 0 {
		return Interim, fmt.Sprintf("The window of %s is still open at the as-of time: see Timing.", items(n, "attempt"))
	}
	if n := settledAs(r, recon.NotYet); n > 0 {
		return Interim, fmt.Sprintf("The window of %s without an outcome is still open at the as-of time: see Unresolved.", items(n, "attempt"))
	}
	if end := windowsClose(r); r.Run.AsOf.Before(end) {
		return Interim, fmt.Sprintf("Windows of the period close on %s; the as-of time is before that.", clock(end))
	}
	if n := b.list(SheetNotConcluded).rows; n > 0 {
		return Incomplete, fmt.Sprintf("No statement covers %s: see Not concluded.", items(n, "attempt"))
	}
	if n := settledAs(r, recon.NotCovered); n > 0 {
		return Incomplete, fmt.Sprintf("No statement covers %s without an outcome: see Unresolved.", items(n, "attempt"))
	}
	if len(gaps) > 0 {
		return Incomplete, "The ledger's coverage of the period has gaps: " + named(gaps, "; ") + "."
	}
	return Final, "Every window of the period is closed, the ledger covers it, and every check agrees."
}

// settledAs counts the listed attempts whose settlement reads so.
func settledAs(r *recon.Report, s recon.SettlementAxis) int {
	n := 0
	for i := range r.Attempts {
		if r.Attempts[i].Evidence.Settlement == s {
			n++
		}
	}
	return n
}

// windowsClose is when the last attempt of the period can no longer settle inside its window.
func windowsClose(r *recon.Report) time.Time {
	if r.Period.IsZero() {
		return time.Time{}
	}
	return r.Policy.WindowAfter(r.Period.To.AddDays(-1)).Start(zoneOf(r))
}

func zoneOf(r *recon.Report) *time.Location {
	if r.Policy.Zone == nil {
		return time.UTC
	}
	return r.Policy.Zone
}

// gap is a stretch of days that no statement covers.
type gap struct{ from, to ledger.Date }

// coverageGaps names the days of the period that no statement covers, with the accounts that lack them.
func coverageGaps(r *recon.Report) []string {
	if len(r.Coverage) == 0 {
		return []string{"no statement says which days it covers"}
	}
	var gaps []gap
	accounts := map[gap][]string{}
	for i := 0; i < len(r.Coverage); {
		account := r.Coverage[i].AccountID
		end := i
		for end < len(r.Coverage) && r.Coverage[end].AccountID == account {
			end++
		}
		for _, g := range accountGaps(r.Period, r.Coverage[i:end]) {
			if accounts[g] == nil {
				gaps = append(gaps, g)
			}
			accounts[g] = append(accounts[g], gapAccount(account))
		}
		i = end
	}
	slices.SortStableFunc(gaps, func(a, b gap) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to)) })
	named := make([]string, len(gaps))
	for i, g := range gaps {
		named[i] = fmt.Sprintf("%s from %s up to, excluding, %s", accountsOfGap(accounts[g]), g.from, g.to)
	}
	return named
}

func gapAccount(account string) string {
	if account == "" {
		return "every account"
	}
	return show(account, false)
}

// accountsOfGap names a few accounts; Sources has them all.
func accountsOfGap(accounts []string) string {
	const most = 3
	if more := len(accounts) - most; more > 1 {
		return fmt.Sprintf("%s and %d more accounts", strings.Join(accounts[:most], ", "), more)
	}
	return enumerated(accounts)
}

// accountGaps walks the coverage of one account, sorted by from, through the period.
func accountGaps(period ledger.Period, covered []ledger.Coverage) []gap {
	from, to := period.From, period.To
	if period.IsZero() {
		from, to = covered[0].From, covered[0].To
		for _, c := range covered {
			to = max(to, c.To)
		}
	}
	var gaps []gap
	for _, c := range covered {
		if c.From > from && from < to {
			gaps = append(gaps, gap{from, min(c.From, to)})
		}
		from = max(from, c.To)
	}
	if from < to {
		gaps = append(gaps, gap{from, to})
	}
	return gaps
}

// sentence is the result in one sentence, in words that claim no more than was found.
func (b *book) sentence(v verdict, c *checks) string {
	var names []string
	for _, cur := range b.currencies() {
		names = append(names, currencyWord(cur))
	}
	shown := strings.Join(names, ", ")
	if len(names) > mostCurrencies {
		shown = fmt.Sprintf("%d currencies", len(names))
	}
	head := fmt.Sprintf("%s, %s, %s: ", map[State]string{Interim: "Interim", Incomplete: "Incomplete", Final: "Final"}[v.state], shown, b.report.Period)
	if v.state == DoNotRely {
		head = fmt.Sprintf("Do not rely on this report (%s, %s): ", shown, b.report.Period)
	}
	var parts []string
	if b.report.Controls.Nothing() {
		return fmt.Sprintf("%sno attempt and no ledger entry is recorded; %s; %s.", head, v.coverage, tieWords(c))
	}
	if len(names) > mostCurrencies {
		parts = append(parts, b.breaksOfAll())
	} else {
		for _, cur := range b.currencies() {
			part := b.breakWords(cur)
			if len(names) > 1 {
				part = "in " + string(cur) + " " + part
			}
			parts = append(parts, part)
		}
	}
	parts = append(parts, b.unresolvedWords(), b.unattemptedWords(), v.coverage)
	if failed := failedWords(b.report); failed != "" {
		parts = append(parts, failed)
	}
	parts = append(parts, tieWords(c))
	return head + strings.Join(parts, "; ") + "."
}

// mostCurrencies is how many currencies the sentence takes one by one.
const mostCurrencies = 3

// breaksOfAll says of many currencies together how many items differ; the amounts stand by currency on Summary, for amounts of
// two currencies do not add.
func (b *book) breaksOfAll() string {
	var all breakSums
	others := 0
	for _, c := range b.currencies() {
		s := b.breaksOf(c)
		all.items, all.duplicates, all.absent = all.items+s.items, all.duplicates+s.duplicates, all.absent+s.absent
		all.count += s.count
		others += b.countOthers(c)
	}
	if all.items == 0 && others == 0 {
		return "no difference between attempts and ledger is concluded"
	}
	var found []string
	if n := all.duplicates; n > 0 {
		found = append(found, fmt.Sprintf("%s %s more than one ledger entry", items(n, "recorded attempt"), has(n)))
	}
	if n := all.absent; n > 0 && all.duplicates > 0 {
		found = append(found, fmt.Sprintf("%s %s none", grouped(int64(n)), has(n)))
	} else if n > 0 {
		found = append(found, fmt.Sprintf("%s %s no ledger entry", items(n, "recorded attempt"), has(n)))
	}
	if n := all.items - all.duplicates - all.absent; n > 0 {
		found = append(found, differWords(n, len(found) > 0))
	}
	words := "no difference in count or value is concluded"
	if len(found) > 0 {
		words = fmt.Sprintf("%s; counts net to %s, values by currency are on Summary", enumerated(found), signedCount(all.count))
	}
	if others > 0 {
		words += fmt.Sprintf("; besides, %s of other kinds", mismatchCount(others))
	}
	return words
}

// countOthers counts the mismatches of a currency that change neither count nor value.
func (b *book) countOthers(c ledger.Currency) (n int) {
	for _, count := range b.othersByClass(c) {
		n += count
	}
	return n
}

func mismatchCount(n int) string {
	if n == 1 {
		return "1 mismatch"
	}
	return grouped(int64(n)) + " mismatches"
}

// breakWords says of one currency where ledger and attempts differ, net and gross.
func (b *book) breakWords(c ledger.Currency) string {
	s, others := b.breaksOf(c), b.otherMismatches(c)
	switch {
	case s.items == 0 && others != "":
		return "no difference in count or value is concluded, but " + others
	case s.items == 0:
		return "no difference between attempts and ledger is concluded"
	}
	var found []string
	if s.duplicates > 0 {
		found = append(found, fmt.Sprintf("%s %s %s (%s excess)", items(s.duplicates, "recorded attempt"), has(s.duplicates),
			entriesWords(s.duplicates, s.duplicateEntries), moneyWords(s.excess, c)))
	}
	if s.absent > 0 {
		found = append(found, absentWords(s, c))
	}
	if n := s.items - s.duplicates - s.absent; n > 0 {
		found = append(found, differWords(n, len(found) > 0))
	}
	words := fmt.Sprintf("%s; counts net to %s, values to %s, gross %s", enumerated(found), signedCount(s.count),
		moneyWords(s.net, c), moneyWords(s.gross, c))
	if others != "" {
		words += "; besides, " + others
	}
	return words
}

// otherMismatches names by class what changes neither count nor value and is a mismatch all the same. It is empty if there
// is none.
func (b *book) otherMismatches(c ledger.Currency) string {
	counts := b.othersByClass(c)
	total := b.countOthers(c)
	if total == 0 {
		return ""
	}
	var parts []string
	for _, class := range slices.Sorted(maps.Keys(counts)) {
		parts = append(parts, fmt.Sprintf("%s %s", strings.ReplaceAll(string(class), "_", " "), grouped(int64(counts[class]))))
	}
	return fmt.Sprintf("%s of other kinds (%s)", mismatchCount(total), strings.Join(parts, ", "))
}

// othersByClass counts the mismatches of another payee or currency, the payments that were reported as failed, and those
// outside their window, by class.
func (b *book) othersByClass(c ledger.Currency) map[recon.Class]int {
	counts := map[recon.Class]int{}
	for i := range b.report.Attempts {
		f := &b.report.Attempts[i]
		effect, difference := recon.BreakOf(f)
		if f.Attempt.Currency == c && placeOf(recon.Attempts, f.Class).Sheet == SheetMismatches && effect == 0 && difference == 0 {
			counts[f.Class]++
		}
	}
	return counts
}

// enumerated joins parts as a sentence does: "a, b and c".
func enumerated(parts []string) string {
	last := len(parts) - 1
	if last == 0 {
		return parts[0]
	}
	return strings.Join(parts[:last], ", ") + " and " + parts[last]
}

// differWords counts what differs in amount, by reversal or without an attempt: the sheets say how.
func differWords(n int, more bool) string {
	noun := items(n, "item")
	if more {
		noun = items(n, "other item")
	}
	return noun + " " + differWord(n)
}

// absentWords names a single missing entry with its amount, for that is what a reader will ask.
func absentWords(s breakSums, c ledger.Currency) string {
	noun, none := items(s.absent, "recorded attempt"), "no ledger entry"
	if s.duplicates > 0 { // which named both already
		noun, none = grouped(int64(s.absent)), "none"
	}
	amount := moneyWords(s.absentMinor, c)
	if s.absent > 1 {
		amount += " in all"
	}
	why := "coverage proven"
	switch {
	case s.refused == s.absent && s.absent == 1:
		why = "provider refused it"
	case s.refused > 0:
		why = fmt.Sprintf("provider refused %s", grouped(int64(s.refused)))
	}
	return fmt.Sprintf("%s of %s %s %s (%s)", noun, amount, has(s.absent), none, why)
}

// breakSums are the differences of one currency.
type breakSums struct {
	items, duplicates, absent, refused int
	duplicateEntries                   int64 // booked entries of the duplicates
	excess, absentMinor                int64
	count, net, gross                  int64
}

// breaksOf adds up what Summary adds up by formula in "net and gross".
func (b *book) breaksOf(c ledger.Currency) breakSums {
	var s breakSums
	for i := range b.report.Attempts {
		f := &b.report.Attempts[i]
		place := placeOf(recon.Attempts, f.Class).Sheet
		effect, difference := recon.BreakOf(f)
		if f.Attempt.Currency != c || !slices.Contains(breakSheets, place) || (effect == 0 && difference == 0) {
			continue
		}
		s.add(f, effect, difference)
	}
	for i := range b.list(SheetLedgerOnly).facts {
		if f := &b.list(SheetLedgerOnly).facts[i]; f.class == recon.UnattemptedMovement && f.currency == c {
			s.items++
			s.count++
			s.net += f.minor
			s.gross += size(f.minor)
		}
	}
	return s
}

func (s *breakSums) add(f *recon.AttemptFinding, effect, difference int64) {
	s.items++
	s.count += effect
	s.net += difference
	s.gross += size(difference)
	switch f.Evidence.Settlement {
	case recon.Duplicate:
		s.duplicates++
		s.duplicateEntries += bookedEntries(f)
		s.excess += difference
	case recon.NotSettled, recon.Rejected:
		s.absent++
		s.absentMinor += f.Attempt.Minor
		if f.Evidence.Settlement == recon.Rejected {
			s.refused++
		}
	}
}

// unresolvedWords counts the attempts without a definite outcome, and those of them that the ledger has.
func (b *book) unresolvedWords() string {
	var n, inLedger int
	sums := map[ledger.Currency]int64{}
	for i := range b.report.Attempts {
		f := &b.report.Attempts[i]
		if !f.Stale {
			continue
		}
		n++
		sums[f.Attempt.Currency] += f.Attempt.Minor
		if bookedEntries(f) > 0 {
			inLedger++
		}
	}
	if n == 0 {
		return "0 attempts lack an outcome"
	}
	var amounts []string
	for _, c := range b.currencies() {
		if sum, ok := sums[c]; ok {
			amounts = append(amounts, moneyWords(sum, c))
		}
	}
	value := strings.Join(amounts, ", ")
	if len(amounts) > mostCurrencies {
		value = fmt.Sprintf("in %d currencies", len(amounts))
	}
	return fmt.Sprintf("%s (%s) %s an outcome, %s", items(n, "attempt"), value, lack(n), ofThem(inLedger, n))
}

// unattemptedWords says even of none that there are none: silence would prove nothing.
func (b *book) unattemptedWords() string {
	n, orphans := 0, 0
	for i := range b.list(SheetLedgerOnly).facts {
		switch b.list(SheetLedgerOnly).facts[i].class {
		case recon.UnattemptedMovement:
			n++
		case recon.OrphanOutcome:
			orphans++
		}
	}
	if orphans > 0 {
		return fmt.Sprintf("%s and %s lack an attempt", entryCount(n), items(orphans, "outcome"))
	}
	return fmt.Sprintf("%s %s an attempt", entryCount(n), lack(n))
}

// ofThem says how many of some attempts the ledger has.
func ofThem(in, all int) string {
	switch {
	case all == 1 && in == 1:
		return "and the ledger has it"
	case all == 1:
		return "and the ledger does not have it"
	case in == 0:
		return "none of them in the ledger"
	case in == all:
		return "all of them in the ledger"
	default:
		return grouped(int64(in)) + " of them in the ledger"
	}
}

func tieWords(c *checks) string {
	if c.differ == 0 {
		return "all tie-outs agree"
	}
	return fmt.Sprintf("%s of %s tie-outs %s", grouped(int64(c.differ)), grouped(int64(c.made)), strings.ToUpper(differWord(c.differ)))
}

// failedWords counts the files that fail their own proof and were imported all the same; empty if there are none.
func failedWords(r *recon.Report) string {
	switch failed := len(r.AcceptedProofs()); failed {
	case 0:
		return ""
	case 1:
		return "1 accepted file fails its own proof"
	default:
		return fmt.Sprintf("%s accepted files fail their own proof", grouped(int64(failed)))
	}
}

// Small words.

func items(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return grouped(int64(n)) + " " + noun + "s"
}

func entryCount(n int) string {
	if n == 1 {
		return "1 entry"
	}
	return grouped(int64(n)) + " entries"
}

func entriesWords(attempts int, entries int64) string {
	if attempts == 1 {
		return fmt.Sprintf("%d ledger entries", entries)
	}
	return fmt.Sprintf("more than one ledger entry each, %s together", grouped(entries))
}

func has(n int) string {
	if n == 1 {
		return "has"
	}
	return "have"
}

func lack(n int) string {
	if n == 1 {
		return "lacks"
	}
	return "lack"
}

func differWord(n int) string {
	if n == 1 {
		return "differs"
	}
	return "differ"
}

// grouped prints an integer with thousands separators.
func grouped(n int64) string {
	s := strconv.FormatInt(size(n), 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	if n < 0 {
		return "−" + s
	}
	return s
}

func signedCount(n int64) string {
	if n > 0 {
		return "+" + grouped(n)
	}
	return grouped(n)
}

// moneyWords prints an amount within a sentence: "EUR 7,812.00", with a true minus.
func moneyWords(minor int64, c ledger.Currency) string {
	return strings.Replace(ledger.FormatMoney(minor, c), "-", "−", 1)
}

// clock prints an instant within a sentence.
func clock(t time.Time) string {
	if t.IsZero() {
		return "not known"
	}
	return t.UTC().Format("2006-01-02 15:04:05") + " UTC"
}

// periodWords says a half-open period in words, with its zone.
func (b *book) periodWords() string {
	p := b.report.Period
	if p.IsZero() {
		return "Period: everything recorded"
	}
	zone := "UTC"
	if p.Zone != nil {
		zone = p.Zone.String()
	}
	return fmt.Sprintf("Period %s: from %s up to, excluding, %s (%s)", p, p.From, p.To, zone)
}
