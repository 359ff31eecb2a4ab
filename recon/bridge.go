package recon

import (
	"cmp"
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
var bridgeLines = []BridgeLine{
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

// bridgeCounter adds up the lines, signed as they are added.
type bridgeCounter map[bridgeCell]*BridgeLine

type bridgeCell struct {
	currency ledger.Currency
	line     string
}

func (b bridgeCounter) add(c ledger.Currency, line string, count, minor int64) {
	cell := bridgeCell{c, line}
	if b[cell] == nil {
		b[cell] = &BridgeLine{}
	}
	b[cell].Count += count
	b[cell].Minor += minor
}

func (b bridgeCounter) implied(attempt, entry bool, minor int64, c ledger.Currency, deliveries, outflow int64) {
	if attempt {
		b.attempt(c, minor, deliveries)
	}
	b.crossing(attempt, entry, c, minor)
	if entry && outflow != minor {
		b.add(c, LineValue, 0, outflow-minor)
	}
}

func (b bridgeCounter) attempt(c ledger.Currency, minor, deliveries int64) {
	b.add(c, LineDeliveries, deliveries, 0)
	b.add(c, LineRepeats, 1-deliveries, 0)
	b.add(c, LineAttempts, 0, minor) // the value starts here; the count is what the lines above come to
}

func (b bridgeCounter) crossing(attempt, entry bool, c ledger.Currency, minor int64) {
	switch {
	case attempt && !entry:
		b.add(c, LineBookedOutside, -1, -minor)
	case !attempt && entry:
		b.add(c, LineOtherPeriod, 1, minor)
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

func (b bridgeCounter) finding(period ledger.Period, f *AttemptFinding, shares map[*ledger.Entry]share, inPeriod bool) {
	c, minor := f.Attempt.Currency, f.Attempt.Minor
	if inPeriod {
		b.attempt(c, minor, int64(f.Attempt.Deliveries))
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
			b.add(c, withoutEntry(f), -1, -minor)
		}
		return
	}
	b.crossing(inPeriod, booked, c, minor)
	if booked {
		b.payments(period, f, shares)
	}
}

// payments adds what the payments of a linked attempt differ by from the attempt.
func (b bridgeCounter) payments(period ledger.Period, f *AttemptFinding, shares map[*ledger.Entry]share) {
	c := f.Attempt.Currency
	var count, value int64 // in the attempt's currency
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
		if l.Entry.Currency != c {
			b.add(l.Entry.Currency, LineCurrency, n, part)
			continue
		}
		count += n
		value += part
	}
	if foreign(period, f) {
		b.add(c, LineCurrency, -1, -f.Attempt.Minor)
		return
	}
	if count != 1 {
		b.add(c, LineGroups, count-1, 0)
	}
	if value != f.Attempt.Minor {
		b.add(c, LineValue, 0, value-f.Attempt.Minor)
	}
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
	c, minor := f.Entry.Currency, f.Entry.Outflow()
	switch f.Class {
	case ExcessSettlement:
		b.add(c, LineExcess, 1, minor)
	case Reversal:
		b.add(c, LineReversals, 1, minor)
	case UnattemptedMovement:
		b.add(c, LineUnattempted, 1, minor)
	case Ambiguous:
		b.add(c, LineAmbiguous, 1, minor)
	case NotBooked:
		b.add(c, LineNotBooked, 1, minor)
	case OutOfScope:
		line := LineNotBooked
		if f.Entry.Moved() {
			line = LineBookedOut
		}
		b.add(c, line, 1, minor)
	}
}

// lines returns the bridge of every currency, sorted by currency, totals worked out.
func (b bridgeCounter) lines() []BridgeCurrency {
	var currencies []ledger.Currency
	for cell := range b {
		if !slices.Contains(currencies, cell.currency) {
			currencies = append(currencies, cell.currency)
		}
	}
	slices.Sort(currencies)
	var bridges []BridgeCurrency
	for _, c := range currencies {
		bridge := BridgeCurrency{Currency: c}
		var count, minor int64
		for _, line := range bridgeLines {
			if got := b[bridgeCell{c, line.ID}]; got != nil {
				count += got.Count
				minor += got.Minor
				line.Count, line.Minor = got.Count, got.Minor
			}
			if line.Total {
				line.Count, line.Minor = count, minor
			}
			bridge.Lines = append(bridge.Lines, line)
		}
		bridges = append(bridges, bridge)
	}
	return bridges
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
