package recon

import (
	"cmp"
	"slices"
	"time"

	"agentrecon/ledger"
)

// docket is what is judged in full: the attempts and entries that are not clean by implication, and what links them.
// Its slices are sorted (cases by id, items by entry id and number), so that nothing depends on the order of reading.
// Attempts and entries are kept once, in the findings that come of them.
type docket struct {
	policy   Policy
	asOf     time.Time
	coverage coverageMap
	since    time.Time // the first recorded attempt
	cases    []*openCase
	items    []*openItem
	attempts []AttemptFinding // of cases
	entries  []EntryFinding   // of items that are no parts
}

// openCase is an attempt under judgement.
type openCase struct {
	*Attempt
	Outcomes []Outcome
	finding  *AttemptFinding
	outcome  OutcomeAxis
	standing standing
	payee    string   // folded destination
	forms    []string // comparable spellings of its reference
	// reference is its reference's number while tier 3 links.
	reference int
	links     []*link
	tied      bool // takes no more links: it is one of a group or ambiguous
	batch     bool // its entry pays other attempts too, and is the exact sum of all
}

// openItem is an entry under judgement.
type openItem struct {
	*ledger.Entry
	start, end time.Time // when it happened: an instant (start = end) or its day
	scope      string    // why it is out of scope by rule
	payee      string    // folded counterparty account
	forms      []string  // comparable spellings of its texts, each of which may be a reference
	cuts       []string  // those of its texts that the bank may have cut, longest first
	references []int     // numbers of the cases' references among them, while tier 3 links
	// minor and currency are what tiers 3 and 4 compare at the moment: see [docket.turn].
	minor      int64
	currency   ledger.Currency
	links      []*link
	parent     *openItem   // of a part: the entry that it is part of
	parts      []*openItem // the payments that a batch lists, where they are judged in its place
	class      Class
	reason     string
	candidates []*openCase // of an ambiguous entry
	flags      []Flag
}

// link ties a case to an item. A keyed link may tie an item to several cases until the group is judged.
type link struct {
	c    *openCase
	item *openItem
	tier Tier
	role Role
}

// standing orders attempts that compete for one entry: what is reported as succeeded goes first.
type standing int

const (
	standsSucceeded standing = iota
	standsOpen
	standsFailed
	standings // how many there are
)

// newDocket opens a docket. What it is given may be dropped then.
func newDocket(policy Policy, asOf time.Time, coverage coverageMap, since time.Time, cases []Case, entries []ledger.Entry) *docket {
	d := &docket{
		policy: policy, asOf: asOf, coverage: coverage, since: since,
		cases: make([]*openCase, len(cases)), items: make([]*openItem, len(entries)),
		attempts: make([]AttemptFinding, len(cases)), entries: make([]EntryFinding, len(entries)),
	}
	byID := func(a, b int) int { return cmp.Compare(cases[a].Attempt.ID, cases[b].Attempt.ID) }
	for n, at := range sortedPlaces(len(cases), byID) {
		d.attempts[n].Attempt = cases[at].Attempt
		d.cases[n] = newOpenCase(policy, asOf, cases[at], &d.attempts[n])
	}
	byEntry := func(a, b int) int {
		return cmp.Or(cmp.Compare(entries[a].ID, entries[b].ID), cmp.Compare(entries[a].No, entries[b].No))
	}
	for n, at := range sortedPlaces(len(entries), byEntry) {
		d.entries[n].Entry = entries[at]
		d.items[n] = newOpenItem(policy, &d.entries[n].Entry)
	}
	return d
}

// sortedPlaces are the places of things in a list, in the order of the things.
func sortedPlaces(length int, compare func(a, b int) int) []int {
	places := make([]int, length)
	for n := range places {
		places[n] = n
	}
	slices.SortFunc(places, compare)
	return places
}

func newOpenCase(policy Policy, asOf time.Time, c Case, f *AttemptFinding) *openCase {
	o := &openCase{
		Attempt: &f.Attempt, Outcomes: c.Outcomes, finding: f,
		outcome: observeOutcome(policy, asOf, c), payee: foldAccount(c.Attempt.DestAccount), forms: referenceForms(c.Attempt.Reference),
	}
	switch o.outcome {
	case SaysSucceeded:
		o.standing = standsSucceeded
	case SaysFailed, SaysDenied:
		o.standing = standsFailed
	default:
		o.standing = standsOpen
	}
	return o
}

func newOpenItem(policy Policy, e *ledger.Entry) *openItem {
	item := &openItem{
		Entry: e, scope: policy.scopeReason(e), payee: foldAccount(e.CounterpartyAccount),
		forms: referenceForms(e.MerchantReference, e.EndToEndID, e.RemittanceText),
		cuts:  cutForms(policy.ReferenceCuts, e.MerchantReference, e.EndToEndID, e.RemittanceText),
	}
	item.start, item.end = span(e, policy.Zone)
	return item
}

// span is when an entry happened: the instant it gives, else the whole of its booking day in the accounts' zone
// (end excluded).
func span(e *ledger.Entry, zone *time.Location) (start, end time.Time) {
	if !e.OccurredAt.IsZero() {
		return e.OccurredAt, e.OccurredAt
	}
	return e.BookedOn.Start(zone), e.BookedOn.End(zone)
}

// before reports whether the item lies wholly before an instant.
func (i *openItem) before(t time.Time) bool { return before(i.start, i.end, t) }

// before reports whether a span lies wholly before an instant.
func before(start, end, t time.Time) bool {
	if start.Equal(end) {
		return start.Before(t)
	}
	return !end.After(t)
}

// inWindow reports whether the item meets the attempt's window.
func (d *docket) inWindow(c *openCase, i *openItem) bool { return !d.early(c, i) && !d.late(c, i) }

// early reports whether the item lies wholly before the attempt's window.
func (d *docket) early(c *openCase, i *openItem) bool {
	return i.before(d.policy.windowStart(c.Attempt.ProposedAt))
}

// late reports whether the item lies wholly after the attempt's window.
func (d *docket) late(c *openCase, i *openItem) bool {
	return !i.start.Before(d.policy.windowEnd(c.Attempt.ProposedAt))
}

// outflow reports whether the item says that money left, leaves or would have left an account in scope.
func (i *openItem) outflow() bool { return i.scope == "" && i.Amount < 0 }

// compared is the amount that is compared with an attempt's: the gross amount where the source gives one, for fees
// taken on top are not part of what was ordered. Outflow positive.
func (i *openItem) compared() int64 { return compared(i.Entry) }

// compared is [openItem.compared] of an entry.
func compared(e *ledger.Entry) int64 {
	if e.Gross.Given {
		return -e.Gross.Minor
	}
	return -e.Amount
}

// worth is what an item is compared with a case by: the instructed amount where the ledger is in another currency and
// says what was instructed in the case's.
func (i *openItem) worth(c *openCase) (int64, ledger.Currency) {
	if i.Currency != c.Attempt.Currency && i.instructed() && i.OrigCurrency == c.Attempt.Currency {
		return -i.OrigAmount.Minor, i.OrigCurrency
	}
	return i.compared(), i.Currency
}

// instructed reports whether an item says what was instructed in another currency than it is booked in.
func (i *openItem) instructed() bool {
	return i.OrigAmount.Given && i.OrigCurrency != "" && i.OrigCurrency != i.Currency
}

// bookingOrder sorts items as they were booked.
func bookingOrder(a, b *openItem) int {
	return cmp.Or(a.start.Compare(b.start), cmp.Compare(a.BookedOn, b.BookedOn), a.end.Compare(b.end), cmp.Compare(a.ID, b.ID), cmp.Compare(a.No, b.No))
}

// proposalOrder sorts cases as they were proposed.
func proposalOrder(a, b *openCase) int {
	return cmp.Or(a.Attempt.ProposedAt.Compare(b.Attempt.ProposedAt), cmp.Compare(a.Attempt.ID, b.Attempt.ID))
}

func (d *docket) tie(c *openCase, i *openItem, tier Tier, role Role) {
	l := &link{c, i, tier, role}
	c.links = append(c.links, l)
	i.links = append(i.links, l)
}

// linkedTo returns the links of a case that are to be kept, in booking order.
func (c *openCase) linkedTo(keep func(*link) bool) []*link {
	var kept []*link
	for _, l := range c.links {
		if keep(l) {
			kept = append(kept, l)
		}
	}
	slices.SortStableFunc(kept, func(a, b *link) int { return bookingOrder(a.item, b.item) })
	return kept
}

func (c *openCase) has(kind func(*link) bool) bool { return slices.ContainsFunc(c.links, kind) }

func isPayment(l *link) bool  { return l.item.Moved() && l.item.Amount < 0 }
func isReversal(l *link) bool { return isRefund(l.item) }
func isPending(l *link) bool  { return isPendingItem(l.item) }
func isRejected(l *link) bool { return l.item.Status == ledger.StatusRejected }
