package recon

import (
	"cmp"
	"maps"
	"slices"

	"agentrecon/ledger"
)

// The lines of the bridge from deliveries to booked entries, by settlement and never by class.
const (
	LineDeliveries    = "deliveries"
	LineRepeats       = "repeats"
	LineAttempts      = "attempts"
	LineOtherPeriod   = "other_period_in"
	LineBookedOutside = "booked_outside"
	LineTiming        = "no_entry_timing"
	LineFailed        = "no_entry_failed"
	LineUnknown       = "no_entry_unknown"
	LineSucceeded     = "no_entry_succeeded"
	LineOpen          = "no_entry_open"
	LineShared        = "shared"
	LineLinked        = "linked"
	LineValue         = "value_differences"
	LineCurrency      = "currency_differences"
	LineGroups        = "splits_and_batches"
	LineExcess        = "excess"
	LineReversals     = "reversals"
	LineUnattempted   = "without_attempt"
	LineAmbiguous     = "ambiguous"
	LineBookedInScope = "booked_in_scope"
	LineBookedOut     = "booked_out_of_scope"
	LineNotBooked     = "not_booked"
	LineRowsRead      = "rows_read"
)

// bridgeLines is the bridge from top to bottom.
var bridgeLines = [...]BridgeLine{
	{ID: LineDeliveries, Label: "Deliveries recorded", NoValue: true},
	{ID: LineRepeats, Label: "− repeats of a call", NoValue: true},
	{ID: LineAttempts, Label: "= attempts", Total: true},
	{ID: LineOtherPeriod, Label: "+ attempts of other periods booked in this one"},
	{ID: LineBookedOutside, Label: "− booked outside this period"},
	{ID: LineTiming, Label: "− no entry: timing"},
	{ID: LineFailed, Label: "− no entry: failed or denied"},
	{ID: LineUnknown, Label: "− no entry: unknown or contradictory"},
	{ID: LineSucceeded, Label: "− no entry: reported as succeeded"},
	{ID: LineOpen, Label: "− ambiguous or not coverable"},
	{ID: LineShared, Label: "− replays served by another attempt's entry"},
	{ID: LineLinked, Label: "= linked attempts", Total: true},
	{ID: LineValue, Label: "± value differences"},
	{ID: LineCurrency, Label: "± currency differences"},
	{ID: LineGroups, Label: "± splits and batches (count only)"},
	{ID: LineExcess, Label: "+ excess entries"},
	{ID: LineReversals, Label: "+ reversals"},
	{ID: LineUnattempted, Label: "+ entries without an attempt"},
	{ID: LineAmbiguous, Label: "+ ambiguous entries"},
	{ID: LineBookedInScope, Label: "= booked entries in scope", Total: true},
	{ID: LineBookedOut, Label: "+ booked entries out of scope"},
	{ID: LineNotBooked, Label: "+ entries not booked"},
	{ID: LineRowsRead, Label: "= ledger rows read", Total: true},
}

// lineNumbers says where each line stands in bridgeLines.
var lineNumbers = func() map[string]int {
	numbers := make(map[string]int, len(bridgeLines))
	for n, line := range bridgeLines {
		numbers[line.ID] = n
	}
	return numbers
}()

// bridgeCounter adds up the lines of each account in each currency, signed as they are added.
//
// An attempt counts under one account: that of the first entry that settles it, else that of another entry linked to it,
// else the one that it names. An entry counts under its own. What an attempt's entries of other accounts paid goes from
// account to account within [LineGroups].
type bridgeCounter map[accountKey]*bridgeSums

// accountKey names an account in a currency; the empty account is none.
type accountKey struct {
	currency ledger.Currency
	account  string
}

type bridgeSums struct {
	lines     [len(bridgeLines)]lineSum
	elsewhere int64 // attempts that another account paid than they name
}

type lineSum struct{ count, minor int64 }

func (b bridgeCounter) of(at accountKey) *bridgeSums {
	sums := b[at]
	if sums == nil {
		sums = &bridgeSums{}
		b[at] = sums
	}
	return sums
}

func (b bridgeCounter) add(at accountKey, line string, count, minor int64) {
	sum := &b.of(at).lines[lineNumbers[line]]
	sum.count += count
	sum.minor += minor
}

// pairs adds clean pairs: what they are in number is known of each account by now.
func (b bridgeCounter) pairs(at accountKey, p *pairSums) {
	b.attempts(at, p.attempts, p.attempted, p.deliveries)
	b.add(at, LineBookedOutside, -p.outside, -p.outsideMinor)
	b.add(at, LineOtherPeriod, p.other, p.otherMinor)
	b.add(at, LineValue, 0, p.value)
	b.of(at).elsewhere += p.elsewhere
}

func (b bridgeCounter) attempts(at accountKey, count, minor, deliveries int64) {
	b.add(at, LineDeliveries, deliveries, 0)
	b.add(at, LineRepeats, count-deliveries, 0)
	b.add(at, LineAttempts, 0, minor) // the value starts here; the count is what the lines above come to
}

func (b bridgeCounter) crossing(attempt, entry bool, at accountKey, minor int64) {
	switch {
	case attempt && !entry:
		b.add(at, LineBookedOutside, -1, -minor)
	case !attempt && entry:
		b.add(at, LineOtherPeriod, 1, minor)
	}
}

// share is the part of a payment that belongs to one attempt. The parts of a batch add up to its entry.
type share struct {
	first string // the attempt that the entry is counted with
	rest  int64  // outflow less the amounts of the other attempts
	apart bool   // the entry is counted on a line of its own, whole
}

// sharesOf says for each payment that settles several attempts which part belongs to which.
func sharesOf(findings []AttemptFinding, entries []EntryFinding) map[*ledger.Entry]share {
	members := map[*ledger.Entry][]*AttemptFinding{}
	for n := range findings {
		for _, l := range findings[n].Links {
			if all := members[l.Entry]; l.Role == RoleSettles && (len(all) == 0 || all[len(all)-1] != &findings[n]) {
				members[l.Entry] = append(all, &findings[n])
			}
		}
	}
	apart := map[int64]bool{}
	for n := range entries {
		if f := &entries[n]; f.Class != Matched && len(f.Attempts) > 0 {
			apart[f.Entry.No] = true
		}
	}
	shares := map[*ledger.Entry]share{}
	for e, all := range members {
		if apart[e.No] {
			shares[e] = share{apart: true}
			continue
		}
		if len(all) < 2 {
			continue
		}
		first := slices.MinFunc(all, func(a, b *AttemptFinding) int {
			return cmp.Or(a.Attempt.ProposedAt.Compare(b.Attempt.ProposedAt), cmp.Compare(a.Attempt.ID, b.Attempt.ID))
		})
		rest := e.Outflow()
		for _, f := range all {
			if f != first {
				rest -= f.Attempt.Minor
			}
		}
		shares[e] = share{first: first.Attempt.ID, rest: rest}
	}
	return shares
}

// accountOf is the account that an attempt counts under. What the ledger calls an account is told by how it is compared.
func accountOf(f *AttemptFinding, spelled map[string]string) string {
	for _, l := range f.Links {
		if l.Role == RoleSettles {
			return l.Entry.AccountID
		}
	}
	for _, l := range f.Links {
		if l.Entry.AccountID != "" {
			return l.Entry.AccountID
		}
	}
	if as, known := spelled[foldAccount(f.Attempt.SourceAccount)]; known {
		return as
	}
	return f.Attempt.SourceAccount
}

// spellings says how the ledger spells each account, by how accounts are compared.
func spellings(ledgers []AccountSums) map[string]string {
	spelled := map[string]string{}
	for n := range ledgers {
		fold := foldAccount(ledgers[n].AccountID)
		if as, known := spelled[fold]; fold != "" && (!known || ledgers[n].AccountID < as) {
			spelled[fold] = ledgers[n].AccountID
		}
	}
	return spelled
}

// elsewhere reports whether another account paid than the attempt names.
func elsewhere(f *AttemptFinding) bool {
	named := foldAccount(f.Attempt.SourceAccount)
	return named != "" && slices.ContainsFunc(f.Links, func(l Link) bool {
		paid := foldAccount(l.Entry.AccountID)
		return l.Role == RoleSettles && paid != "" && paid != named
	})
}

func (b bridgeCounter) finding(period ledger.Period, f *AttemptFinding, shares map[*ledger.Entry]share, account string, inPeriod bool) {
	at, minor := accountKey{f.Attempt.Currency, account}, f.Attempt.Minor
	if inPeriod {
		b.attempts(at, 1, minor, int64(f.Attempt.Deliveries))
		if elsewhere(f) {
			b.of(at).elsewhere++
		}
	}
	linked, booked := false, false
	for _, l := range f.Links {
		if l.Role == RoleSettles {
			linked = true
			booked = booked || period.HasDate(l.Entry.BookedOn)
		}
	}
	if !linked {
		if inPeriod {
			b.add(at, withoutEntry(f), -1, -minor)
		}
		return
	}
	b.crossing(inPeriod, booked, at, minor)
	if booked {
		b.payments(period, f, shares, at)
	}
}

// payments adds what the payments of a linked attempt differ by from the attempt.
func (b bridgeCounter) payments(period ledger.Period, f *AttemptFinding, shares map[*ledger.Entry]share, at accountKey) {
	var all, others lineSum // in the attempt's currency: of every account, and of other accounts than the attempt counts under
	for i, l := range f.Links {
		again := slices.ContainsFunc(f.Links[:i], func(other Link) bool { return other.Role == RoleSettles && other.Entry == l.Entry })
		if l.Role != RoleSettles || again || !period.HasDate(l.Entry.BookedOn) {
			continue
		}
		n, part := int64(1), l.Entry.Outflow()
		switch s, shared := shares[l.Entry]; {
		case !shared:
		case s.apart:
			n, part = 0, 0
		case s.first == f.Attempt.ID:
			part = s.rest
		default:
			n, part = 0, f.Attempt.Minor
		}
		paid := accountKey{l.Entry.Currency, l.Entry.AccountID}
		if paid.currency != at.currency {
			b.add(paid, LineCurrency, n, part)
			continue
		}
		all.count += n
		all.minor += part
		if paid != at {
			b.add(paid, LineGroups, n, part)
			others.count += n
			others.minor += part
		}
	}
	if foreign(period, f) {
		b.add(at, LineCurrency, -1, -f.Attempt.Minor)
		return
	}
	b.add(at, LineGroups, all.count-others.count-1, -others.minor)
	b.add(at, LineValue, 0, all.minor-f.Attempt.Minor)
}

// foreign reports whether all payments of an attempt are in another currency than the attempt.
func foreign(period ledger.Period, f *AttemptFinding) bool {
	return !slices.ContainsFunc(f.Links, func(l Link) bool {
		return l.Role == RoleSettles && period.HasDate(l.Entry.BookedOn) && l.Entry.Currency == f.Attempt.Currency
	})
}

// withoutEntry is the line of an attempt that no booked entry belongs to.
func withoutEntry(f *AttemptFinding) string {
	switch f.Evidence.Settlement {
	case Shared:
		return LineShared
	case AmbiguousLink:
		return LineOpen
	}
	switch {
	case InfoOf(Attempts, f.Class).Kind == Timing:
		return LineTiming
	case f.Class == NotCoverable:
		return LineOpen
	}
	switch f.Evidence.Outcome {
	case SaysSucceeded:
		return LineSucceeded
	case SaysFailed, SaysDenied:
		return LineFailed
	default:
		return LineUnknown
	}
}

func (b bridgeCounter) entry(f *EntryFinding) {
	at, minor := accountKey{f.Entry.Currency, f.Entry.AccountID}, f.Entry.Outflow()
	switch f.Class {
	case ExcessSettlement:
		b.add(at, LineExcess, 1, minor)
	case Reversal:
		b.add(at, LineReversals, 1, minor)
	case UnattemptedMovement:
		b.add(at, LineUnattempted, 1, minor)
	case Ambiguous:
		b.add(at, LineAmbiguous, 1, minor)
	case NotBooked:
		b.add(at, LineNotBooked, 1, minor)
	case OutOfScope:
		line := LineNotBooked
		if f.Entry.Moved() {
			line = LineBookedOut
		}
		b.add(at, line, 1, minor)
	}
}

// lines returns the bridge of every currency, sorted by currency, totals worked out.
func (b bridgeCounter) lines() []BridgeCurrency {
	whole := bridgeCounter{}
	for at, sums := range b {
		whole.of(accountKey{currency: at.currency}).plus(sums)
	}
	var bridges []BridgeCurrency
	for _, at := range whole.keys() {
		bridges = append(bridges, whole[at].bridge(at.currency))
	}
	return bridges
}

// accounts returns the bridge of every account, sorted by currency and account, totals worked out.
func (b bridgeCounter) accounts() []BridgeAccount {
	var bridges []BridgeAccount
	for _, at := range b.keys() {
		bridges = append(bridges, BridgeAccount{BridgeCurrency: b[at].bridge(at.currency), AccountID: at.account, Elsewhere: b[at].elsewhere})
	}
	return bridges
}

func (b bridgeCounter) keys() []accountKey {
	return slices.SortedFunc(maps.Keys(b), func(x, y accountKey) int {
		return cmp.Or(cmp.Compare(x.currency, y.currency), cmp.Compare(x.account, y.account))
	})
}

func (s *bridgeSums) plus(more *bridgeSums) {
	for n := range s.lines {
		s.lines[n].count += more.lines[n].count
		s.lines[n].minor += more.lines[n].minor
	}
	s.elsewhere += more.elsewhere
}

// bridge works out the totals.
func (s *bridgeSums) bridge(c ledger.Currency) BridgeCurrency {
	bridge := BridgeCurrency{Currency: c, Lines: make([]BridgeLine, 0, len(bridgeLines))}
	var sum lineSum
	for n, line := range bridgeLines {
		sum.count += s.lines[n].count
		sum.minor += s.lines[n].minor
		line.Count, line.Minor = s.lines[n].count, s.lines[n].minor
		if line.Total {
			line.Count, line.Minor = sum.count, sum.minor
		}
		bridge.Lines = append(bridge.Lines, line)
	}
	return bridge
}

// Line returns a line of the bridge by its id.
func (b BridgeCurrency) Line(id string) BridgeLine {
	for _, line := range b.Lines {
		if line.ID == id {
			return line
		}
	}
	return BridgeLine{ID: id}
}
