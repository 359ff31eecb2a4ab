package recon

import (
	"cmp"
	"slices"
	"time"

	"agentrecon/ledger"
)

// ItemState is what a run had concluded of one item that is, or once was, not clean by implication.
type ItemState struct {
	Population Population
	Item       string // attempt or entry id; of an outcome, the attempt id it names
	Class      Class  // empty: cleared, that is agreed to ledger by implication
	Content    string // digest of the finding; other content is other evidence
	Outcome    OutcomeAxis
	Settlement SettlementAxis
	Minor      int64 // money out positive; 0 for outcomes
	Currency   ledger.Currency
	At         time.Time   // of an attempt, when it was proposed; of an outcome, when it was observed
	On         ledger.Date // of an entry, when it was booked
	// WasOpen: the item was open in this run or in one before it. A state to compare with says so; one of the present need not.
	WasOpen bool
}

// upTo reports whether an item belongs to a period or to the time before it: what is still open from earlier is rolled
// forward with the period's own.
func (s *ItemState) upTo(p ledger.Period) bool {
	if p.IsZero() {
		return true
	}
	if s.Population == Entries {
		return s.On < p.To
	}
	return s.At.Before(p.End())
}

// earlier reports whether an item belongs to the time before a period.
func (s *ItemState) earlier(p ledger.Period) bool {
	if s.Population == Entries {
		return !p.IsZero() && s.On < p.From
	}
	return startsBefore(p, s.At)
}

// startsBefore reports whether a moment lies before a period.
func startsBefore(p ledger.Period, at time.Time) bool { return !p.IsZero() && at.Before(p.Start()) }

// open reports whether the item is one that a report rolls forward: somebody may have to act on it, or nothing is
// concluded of it yet. Clean and excluded classes are closed.
func (s *ItemState) open() bool {
	if s == nil || s.Class == "" {
		return false
	}
	return RollsForward(InfoOf(s.Population, s.Class).Kind)
}

// RollsForward reports whether classes of a kind are rolled forward from run to run.
func RollsForward(k Kind) bool { return k != Clean && k != Excluded }

// ChangeKind says how an open item changed between two runs.
type ChangeKind string

// The kinds of changes, in the order in which they are listed.
const (
	ChangeNew          ChangeKind = "new"
	ChangeReopened     ChangeKind = "reopened"     // it had been open before the earlier run, and was closed in that run, agreed or not
	ChangeReclassified ChangeKind = "reclassified" // open before and after, under another class
	ChangeRestated     ChangeKind = "restated"     // the same class on other evidence
	ChangeResolved     ChangeKind = "resolved"
)

// ChangeKinds lists the kinds of changes.
var ChangeKinds = []ChangeKind{ChangeNew, ChangeReopened, ChangeReclassified, ChangeRestated, ChangeResolved}

// Change is what happened to one item between an earlier run and this one.
type Change struct {
	Kind       ChangeKind
	Population Population
	Item       string
	From, To   Class // of an item that was, or is, closed: empty, or its clean class
	Minor      int64
	Currency   ledger.Currency
	Cause      string // what changed in the evidence, in words
	Earlier    bool   // the item belongs to the time before the period
	Late       bool   // of a resolved attempt: a definite outcome came after all
}

// Baseline is an earlier run that a report is compared with.
type Baseline struct {
	Against  string    // BaselineLast or BaselineIssued
	Run      RunInfo   // ID 0: there is none, and None says why
	None     string    // why there is nothing to compare with
	IssuedAt time.Time // of an issued run
	IssuedBy string
	Opening  []ClassOpening // items open at that run, of the period and earlier, by population, class and currency
	Changes  []Change       // by kind, population, class and item
}

// What a baseline is.
const (
	BaselineLast   = "last run"
	BaselineIssued = "last issued run"
)

// ClassOpening is how many items a class had in the earlier run.
type ClassOpening struct {
	Population Population
	Class      Class
	CurrencySum
}

// Compare works out how the open items of a period, and those of the time before it, changed from an earlier run to a later
// one. The states of each side
// may come in any order. newRules says that another rule set or policy decided, which then is the cause of every
// change that the evidence does not show.
func Compare(before, after []ItemState, period ledger.Period, newRules bool) (opening []ClassOpening, changes []Change) {
	type key struct {
		population Population
		item       string
	}
	type pair struct{ before, after *ItemState }
	items := map[key]*pair{}
	note := func(states []ItemState, put func(*pair, *ItemState)) {
		for n := range states {
			if s := &states[n]; s.upTo(period) {
				k := key{s.Population, s.Item}
				if items[k] == nil {
					items[k] = &pair{}
				}
				put(items[k], s)
			}
		}
	}
	note(before, func(p *pair, s *ItemState) { p.before = s })
	note(after, func(p *pair, s *ItemState) { p.after = s })
	sums := map[ClassOpening]CurrencySum{}
	for k, p := range items {
		if p.before.open() {
			at := ClassOpening{k.population, p.before.Class, CurrencySum{Currency: p.before.Currency}}
			sum := sums[at]
			sums[at] = CurrencySum{Currency: p.before.Currency, Count: sum.Count + 1, Minor: sum.Minor + p.before.Minor}
		}
		if c, changed := changeOf(p.before, p.after, newRules); changed {
			c.Earlier = cmp.Or(p.after, p.before).earlier(period)
			changes = append(changes, c)
		}
	}
	for at, sum := range sums {
		opening = append(opening, ClassOpening{at.Population, at.Class, sum})
	}
	sortOpening(opening)
	sortChanges(changes)
	return opening, changes
}

func sortOpening(all []ClassOpening) {
	slices.SortFunc(all, func(a, b ClassOpening) int {
		return cmp.Or(compareClasses(a.Population, a.Class, b.Population, b.Class), cmp.Compare(a.Currency, b.Currency))
	})
}

// compareClasses orders by population, and classes of one population by priority.
func compareClasses(p Population, a Class, q Population, b Class) int {
	if p != q {
		return cmp.Compare(p, q)
	}
	return comparePriority(p, a, b)
}

func sortChanges(all []Change) {
	class := func(c Change) Class { return cmp.Or(c.To, c.From) }
	slices.SortFunc(all, func(a, b Change) int {
		return cmp.Or(
			cmp.Compare(slices.Index(ChangeKinds, a.Kind), slices.Index(ChangeKinds, b.Kind)),
			compareClasses(a.Population, class(a), b.Population, class(b)), cmp.Compare(a.Item, b.Item),
		)
	})
}

// changeOf compares one item. What was closed and still is did not change for a reader of open items.
func changeOf(before, after *ItemState, newRules bool) (c Change, changed bool) {
	at := after
	if at == nil {
		at = before
	}
	c = Change{Population: at.Population, Item: at.Item, Minor: at.Minor, Currency: at.Currency}
	if before != nil {
		c.From = before.Class
	}
	if after != nil {
		c.To = after.Class
	}
	switch was, is := before.open(), after.open(); {
	case !was && !is:
		return c, false
	case !was && before != nil && before.WasOpen:
		c.Kind = ChangeReopened
	case !was:
		c.Kind = ChangeNew
	case !is:
		c.Kind = ChangeResolved
	case before.Class != after.Class:
		c.Kind = ChangeReclassified
	case before.Content != after.Content:
		c.Kind = ChangeRestated
	default:
		return c, false
	}
	c.Cause = reasonOf(before, after, newRules)
	c.Late = c.Kind == ChangeResolved && c.Population == Attempts && noOutcome(before.Outcome) &&
		(after == nil || after.Class == "" || !noOutcome(after.Outcome))
	return c, true
}

// reasonOf says which axis of the evidence moved.
func reasonOf(before, after *ItemState, newRules bool) string {
	switch {
	case before == nil && newRules:
		return "not listed before; rules or policy changed too"
	case before == nil:
		return "not listed before"
	case before.Class == "":
		return "was agreed to ledger"
	case before.Population != Attempts:
		return "other evidence in the ledger or of the attempt"
	case after == nil || after.Class == "":
		if noOutcome(before.Outcome) {
			return "late outcome; agreed to ledger"
		}
		return "agreed to ledger"
	case noOutcome(before.Outcome) && !noOutcome(after.Outcome):
		return "late outcome: " + string(after.Outcome)
	case before.Outcome != after.Outcome && before.Settlement != after.Settlement:
		return "outcome and ledger: " + string(after.Outcome) + ", " + string(after.Settlement)
	case before.Outcome != after.Outcome:
		return "outcome: " + string(before.Outcome) + " to " + string(after.Outcome)
	case before.Settlement != after.Settlement:
		return "ledger: " + string(before.Settlement) + " to " + string(after.Settlement)
	case newRules:
		return "rules or policy changed"
	default:
		return "other evidence, same axes"
	}
}

func noOutcome(o OutcomeAxis) bool {
	return o == NoneFresh || o == NoneStale || o == Indefinite || o == ""
}

// Disposition is a reviewer's decision. It stands beside a class and never changes it.
type Disposition struct {
	Population  Population
	Item        string
	Decision    Decision
	Note        string
	EvidenceRef string
	Class       Class  // as it was seen
	Content     string // digest of the finding as it was seen
	PreparedBy  string
	ApprovedBy  string // another person; a decision that closes an item awaits approval until there is one
	DecidedAt   time.Time
	Owner       string      // who follows it up; may be empty
	Due         ledger.Date // by when; zero = no date
	ApprovedOn  ledger.Date // as the approver gives it; zero = not said
	// Reopened: class or evidence is another now, so the decision does not stand any more.
	Reopened bool
}

// Approved reports whether the decision closes the item for action: it stands, and another person approved it.
func (d *Disposition) Approved() bool {
	return !d.Reopened && d.ApprovedBy != "" && d.Decision.Closes()
}

// AwaitsApproval reports whether the decision would close the item and nobody has approved it.
func (d *Disposition) AwaitsApproval() bool {
	return !d.Reopened && d.ApprovedBy == "" && d.Decision.Closes()
}

// Overdue reports whether the decision's due date is before a day and its item is still open for action.
func (d *Disposition) Overdue(on ledger.Date) bool {
	return !d.Reopened && !d.Approved() && !d.Due.IsZero() && d.Due < on && RollsForward(InfoOf(d.Population, d.Class).Kind)
}

// Decision is what a reviewer decided of an item.
type Decision string

// The decisions. The first four close an item and need an approver.
const (
	EvidenceSeenSettled     Decision = "evidence_seen_settled"
	EvidenceSeenNotExecuted Decision = "evidence_seen_not_executed"
	AcceptedByManagement    Decision = "accepted_by_management"
	WrittenOff              Decision = "written_off"
	Escalated               Decision = "escalated"
	UnderInvestigation      Decision = "under_investigation"
)

// Decisions lists the decisions in the order in which a reviewer chooses.
var Decisions = []Decision{EvidenceSeenSettled, EvidenceSeenNotExecuted, AcceptedByManagement, WrittenOff, Escalated, UnderInvestigation}

// Closes reports whether the decision closes an item, once it is approved.
func (d Decision) Closes() bool { return d != Escalated && d != UnderInvestigation }

// Override is what somebody accepted against the rules: a failed proof, a changed scope or policy.
type Override struct {
	Kind      string // "failed_proof", "scope", "policy" or "resume"
	Subject   string // the file, rule or parameter
	Reason    string
	DecidedBy string
	DecidedAt time.Time
}

// SlotState is what became of one scheduled slot.
type SlotState struct {
	Slot   string // wall-clock minute in the schedule's zone
	DueAt  time.Time
	State  string // "ran", "missed", "failed" or "claimed"
	Tries  int
	RunID  int64 // 0 = none
	Detail string
}

// Trend is how much was open at one run, over everything recorded: what a reader wants to see over time.
type Trend struct {
	RunID int64
	AsOf  time.Time
	Open  []KindCount // in the order of [TrendKinds]
}

// KindCount is how many items of a kind there are.
type KindCount struct {
	Kind  Kind
	Count int64
}

// TrendKinds are the kinds that a trend shows.
var TrendKinds = []Kind{Mismatch, Unresolved, LedgerOnly, Timing, NotConcluded}

// TrendOf counts the open items of a run by kind. Excess entries are left out: they are there with their attempts.
func TrendOf(run int64, asOf time.Time, attempts, entries, outcomes []ClassTally) Trend {
	t := Trend{RunID: run, AsOf: asOf}
	for _, kind := range TrendKinds {
		n := KindCount{Kind: kind}
		for _, p := range []struct {
			population Population
			classes    []ClassTally
		}{{Attempts, attempts}, {Entries, entries}, {Outcomes, outcomes}} {
			for _, c := range p.classes {
				if InfoOf(p.population, c.Class).Kind == kind && c.Class != ExcessSettlement {
					n.Count += c.Count
				}
			}
		}
		t.Open = append(t.Open, n)
	}
	return t
}

// RuleChange is a rule, a parameter or the program itself that was another in the run before.
type RuleChange struct {
	Run, Before  int64 // the run that used the new one, and the one before it
	What         string
	Old, New     string
	By           string
	At           time.Time
	Reclassified int64 // items that changed their class in that run, whatever moved them
}
