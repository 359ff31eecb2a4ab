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
	coverage string // "complete", or what is missing
}

// judge finds the state and puts the result into words. It runs when every check has been made.
func judge(b *book, c *checks) verdict {
	gaps := coverageGaps(b.report)
	v := verdict{coverage: "coverage complete"}
	if slices.ContainsFunc(b.report.Coverage, func(c ledger.Coverage) bool { return c.Inferred }) {
		v.coverage = "coverage complete (inferred)" // no statement says so; the first and last booked day do
	}
	if len(gaps) > 0 || settledAs(b.report, recon.NotCovered) > 0 {
		v.coverage = "coverage has gaps"
	}
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
		return DoNotRely, fmt.Sprintf("%s of %s checks differ: see Checks.", grouped(int64(c.differ)), grouped(int64(c.made)))
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
		return []string{"no statement says what it covers"}
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
	lead := map[State]string{DoNotRely: "Do not rely on this", Interim: "Interim", Incomplete: "Incomplete", Final: "Final"}[v.state]
	var names []string
	for _, cur := range b.currencies() {
		names = append(names, string(cur))
	}
	head := fmt.Sprintf("%s, %s, %s: ", lead, strings.Join(names, ", "), b.report.Period)
	var parts []string
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
	parts = append(parts, b.unresolvedWords(), b.unattemptedWords(), v.coverage, tieWords(c))
	return head + strings.Join(parts, "; ") + "."
}

// mostCurrencies is how many currencies the sentence takes one by one.
const mostCurrencies = 3

// breaksOfAll says of many currencies together how many items differ; the amounts stand by currency on Summary, for amounts of
// two currencies do not add.
func (b *book) breaksOfAll() string {
	var all breakSums
	var grosses []string
	others := 0
	for _, c := range b.currencies() {
		s := b.breaksOf(c)
		all.items, all.duplicates, all.absent = all.items+s.items, all.duplicates+s.duplicates, all.absent+s.absent
		all.count += s.count
		if s.gross > 0 {
			grosses = append(grosses, moneyWords(s.gross, c))
		}
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
		words = fmt.Sprintf("%s; counts net to %s, gross %s (net values by currency on Summary)", enumerated(found), signedCount(all.count), strings.Join(grosses, ", "))
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
	if n == 1 {
		return noun + " differs"
	}
	return noun + " differ"
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
	return fmt.Sprintf("%s (%s) %s an outcome, %s of them in the ledger", items(n, "attempt"), strings.Join(amounts, ", "), lack(n), grouped(int64(inLedger)))
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
	s := fmt.Sprintf("%s %s an attempt", entryCount(n), lack(n))
	if orphans > 0 {
		s += fmt.Sprintf(" and so %s %s", do(orphans), items(orphans, "outcome"))
	}
	return s
}

func tieWords(c *checks) string {
	if c.differ == 0 {
		return "all tie-outs agree"
	}
	return fmt.Sprintf("%s of %s tie-outs DIFFER", grouped(int64(c.differ)), grouped(int64(c.made)))
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

func do(n int) string {
	if n == 1 {
		return "does"
	}
	return "do"
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
