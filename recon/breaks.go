package recon

import (
	"cmp"
	"slices"

	"agentrecon/ledger"
)

// BreakOf is how far ledger and attempt are apart where that is concluded: entries less attempts, and ledger less
// attempt in minor units of the attempt's currency. A finding in which nothing is concluded is no break.
func BreakOf(f *AttemptFinding) (effect, difference int64) {
	switch f.Evidence.Settlement {
	case NotSettled, Rejected, ReversedInFull:
		if f.Evidence.Outcome == SaysFailed || f.Evidence.Outcome == SaysDenied {
			return 0, 0 // nothing was to be paid, and nothing was
		}
		return -1, -f.Attempt.Minor
	case Duplicate:
		for _, l := range f.Links {
			if l.Role == RoleExcess {
				effect++
				difference += l.Payment().Outflow()
			}
		}
		return effect, difference
	case Variance:
		if f.Evidence.Variance == CurrencyDiffers {
			return 0, 0 // amounts of two currencies have no difference
		}
		for _, d := range f.Differences {
			difference += d.Delta
		}
		return 0, difference
	default:
		return 0, 0
	}
}

// BridgeLineOf is the line of the bridge that an attempt belongs to which no booked entry settles; empty for the
// others, which the bridge counts as linked.
func BridgeLineOf(f *AttemptFinding) string {
	settles := func(l Link) bool { return l.Role == RoleSettles }
	if f.Class == Matched || slices.ContainsFunc(f.Links, settles) {
		return ""
	}
	return withoutEntry(f)
}

// surplus is an item by which the ledger has one entry more than there are attempts.
type surplus struct {
	name  func(other string) // takes the item that cancels it out
	id    string             // the entry's
	order int                // as listed
}

// pairOffsets names on both sides the items that cancel each other in the count: an entry too many and an attempt
// without an entry, of one currency, first with first in the order of the lists. A count that balances this way proves
// nothing, and a reader who looks at one of the two must be led to the other.
func pairOffsets(attempts []AttemptFinding, entries []EntryFinding) {
	short := map[ledger.Currency][]*AttemptFinding{}
	twice := map[string]*AttemptFinding{}
	for n := range attempts {
		f := &attempts[n]
		switch effect, _ := BreakOf(f); {
		case effect < 0:
			short[f.Attempt.Currency] = append(short[f.Attempt.Currency], f)
		case effect > 0:
			twice[f.Attempt.ID] = f
		}
	}
	over := map[ledger.Currency][]surplus{}
	for n := range entries {
		e := &entries[n]
		if e.Class != ExcessSettlement && e.Class != UnattemptedMovement {
			continue
		}
		over[e.Entry.Currency] = append(over[e.Entry.Currency], surplus{id: e.Entry.ID, order: n, name: func(other string) {
			e.OffsetIn = other
			for _, id := range e.Attempts {
				if f := twice[id]; f != nil && e.Class == ExcessSettlement && f.OffsetIn == "" {
					f.OffsetIn = other
				}
			}
		}})
	}
	for c, few := range short {
		many := over[c]
		slices.SortFunc(many, func(a, b surplus) int { return cmp.Compare(a.order, b.order) })
		for n := range min(len(few), len(many)) {
			few[n].OffsetIn = many[n].id
			many[n].name(few[n].Attempt.ID)
		}
	}
}
