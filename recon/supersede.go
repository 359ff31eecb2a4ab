package recon

import (
	"cmp"
	"slices"
	"strings"

	"agentrecon/ledger"
)

// How far the booking day of the final entry may lie from the day of the announcement, where neither names the other by
// id: a card payment is booked within a month of its authorisation, and some banks print a report's day ahead.
const (
	stageDaysBefore = 5
	stageDaysAfter  = 31
)

// Stages says which entries are earlier stages of a movement that a final entry or a statement shows: pending and then
// booked, in a notification and then on a statement. Such an entry counts for nothing, so that no movement settles twice.
type Stages struct {
	by    map[int64]string  // number of a superseded entry → ID of the final one; empty: a statement covers its day
	parts map[int64][]int64 // number of a final entry → numbers of the notifications that list what it is made of
}

// Stage is what of an entry tells which movement it is a stage of; the fields are those of [ledger.Entry].
type Stage struct {
	No                                     int64
	ID, AccountID                          string
	BookedOn                               ledger.Date
	Amount                                 int64
	Currency                               ledger.Currency
	Status                                 ledger.Status
	Report                                 ledger.Report
	ProviderID, UETR, EndToEndID           string
	IdempotencyKey, TransactionID, GroupID string
	Detailed                               bool // it has children
}

// StageOf is the stage that an entry is.
func StageOf(e *ledger.Entry) Stage {
	return Stage{
		No: e.No, ID: e.ID, AccountID: e.AccountID, BookedOn: e.BookedOn, Amount: e.Amount, Currency: e.Currency, Status: e.Status, Report: e.Report,
		ProviderID: e.ProviderID, UETR: e.UETR, EndToEndID: e.EndToEndID, IdempotencyKey: e.IdempotencyKey, TransactionID: e.TransactionID,
		GroupID: e.GroupID, Detailed: len(e.Children) > 0,
	}
}

// final reports whether the source is done with the movement: it is booked by a statement or list, or was refused.
func (s *Stage) final() bool {
	return s.Report == "" && (s.Status == ledger.StatusBooked || s.Status == ledger.StatusRejected)
}

// Supersede finds the earlier stages among entries. They may come in any order, and final entries that share neither
// account, currency and amount nor an id with an announcement may be left out; coverage is all there is.
//
//  1. The source's own id names the movement, whatever the amounts ([ledger.StageMark]).
//  2. Within an account, the same amount and one of: the provider's id, the transaction's unique reference, the end-to-end
//     id, the idempotency key, the transaction id, the batch; but for the provider's id, within [stageDaysBefore] and
//     [stageDaysAfter] days. Each final entry takes the place of one announcement of each kind. A report counts as final
//     beside what is less so: intraday reports before notifications.
//  3. What a report calls booked is superseded on every day that a statement, or a list, covers for its account: the
//     statement is the whole truth of its days.
//
// The result depends on what is recorded, never on the order in which it was.
func Supersede(entries []Stage, coverage []ledger.Coverage) Stages {
	s := Stages{by: map[int64]string{}, parts: map[int64][]int64{}}
	announced, final := splitStages(entries)
	if len(announced) == 0 {
		return s
	}
	final = sharing(final, announced)
	sortStages(announced)
	sortStages(final)
	s.byOwnID(announced, final)
	s.byReference(announced, final)
	s.byStatement(announced, coverage)
	s.asParts(announced, final)
	return s
}

// Apply marks an entry if a later stage of it is recorded.
func (s Stages) Apply(e *ledger.Entry) { e.SupersededBy, e.Superseded = s.by[e.No] }

// Superseded reports whether a later stage of the entry with a number is recorded.
func (s Stages) Superseded(no int64) bool {
	_, superseded := s.by[no]
	return superseded
}

// Parts returns the numbers of the notifications that list what a final entry is made of, by day and id. There are none
// for an entry that has details of its own.
func (s Stages) Parts(no int64) []int64 { return s.parts[no] }

// AllParts returns the numbers of all notifications that explain a final entry, sorted.
func (s Stages) AllParts() []int64 {
	var nos []int64
	for _, parts := range s.parts {
		nos = append(nos, parts...)
	}
	slices.Sort(nos)
	return slices.Compact(nos)
}

// ReasonSuperseded begins the reason of an entry that is not booked because a later stage of it is recorded. The ID of
// that stage follows.
const ReasonSuperseded = "superseded by "

// setStagesAside keeps earlier stages from being linked, as what is out of scope.
func (d *docket) setStagesAside() {
	for _, i := range d.items {
		if i.Superseded {
			i.scope = ReasonSuperseded
		}
	}
}

// supersededReason is why a superseded entry counts for nothing.
func supersededReason(e *ledger.Entry) string {
	return ReasonSuperseded + cmp.Or(e.SupersededBy, "the statement of its day")
}

// Details are the details that a final entry without any has from the notifications that list them.
func Details(parts []ledger.Entry, of *ledger.Entry) []ledger.Entry {
	var children []ledger.Entry
	for n := range parts {
		if len(parts[n].Children) > 0 {
			children = append(children, parts[n].Children...)
			continue
		}
		children = append(children, parts[n])
	}
	for n := range children {
		children[n].Children, children[n].ParentID, children[n].Status = nil, of.ID, of.Status
		children[n].Superseded, children[n].SupersededBy = false, ""
	}
	return children
}

// splitStages tells announcements from what may be final.
func splitStages(entries []Stage) (announced, final []*Stage) {
	for n := range entries {
		e := &entries[n]
		if !e.final() {
			announced = append(announced, e)
		}
		if e.Status == ledger.StatusBooked || e.final() {
			final = append(final, e)
		}
	}
	return announced, final
}

// sharing are those final entries that have a reference or an id of an announcement, whatever else differs. The rest, which
// is nearly all of a ledger with round amounts, is no stage of anything.
func sharing(final, announced []*Stage) []*Stage {
	named := map[string]bool{}
	for _, e := range announced {
		for _, reference := range stageKeys {
			named[cleanKey(reference(e))] = true
		}
		if own, staged := strings.CutSuffix(e.ID, ledger.StageMark+string(e.Status)); staged {
			named[own] = true
		}
	}
	delete(named, "")
	return slices.DeleteFunc(final, func(e *Stage) bool {
		return !named[e.ID] && !slices.ContainsFunc(stageKeys, func(reference func(*Stage) string) bool { return named[cleanKey(reference(e))] })
	})
}

// sortStages brings the most final first, then goes by day and id.
func sortStages(list []*Stage) {
	slices.SortFunc(list, func(a, b *Stage) int {
		return cmp.Or(cmp.Compare(finality(b), finality(a)), cmp.Compare(a.BookedOn, b.BookedOn), cmp.Compare(a.ID, b.ID), cmp.Compare(a.No, b.No))
	})
}

func (s Stages) byOwnID(announced, final []*Stage) {
	byID := map[string]*Stage{}
	for _, e := range final {
		byID[e.ID] = e
	}
	for _, e := range announced {
		own, staged := strings.CutSuffix(e.ID, ledger.StageMark+string(e.Status))
		if f := byID[own]; staged && f != nil && f != e {
			s.by[e.No] = f.ID
		}
	}
}

// stageKeys are the references that tell two stages of one movement, strongest first. The first needs no near day.
var stageKeys = []func(*Stage) string{
	func(e *Stage) string { return e.ProviderID },
	func(e *Stage) string { return e.UETR },
	func(e *Stage) string { return e.EndToEndID },
	func(e *Stage) string { return e.IdempotencyKey },
	func(e *Stage) string { return e.TransactionID },
	func(e *Stage) string { return e.GroupID },
}

// stageKey is what two stages of one movement have in common.
type stageKey struct {
	account, reference string
	currency           ledger.Currency
	amount             int64
}

func stageKeyOf(e *Stage, reference string) stageKey {
	return stageKey{foldAccount(e.AccountID), reference, e.Currency, e.Amount}
}

// finality orders the stages of a movement: the greater number is nearer to the truth of the account.
func finality(e *Stage) int {
	switch {
	case e.final():
		return 3
	case e.Status != ledger.StatusBooked:
		return 0
	case e.Report == ledger.ReportNotification:
		return 1
	default:
		return 2
	}
}

// taken is one final entry beside the kind of announcements that it takes the place of one of.
type taken struct {
	final  int64
	status ledger.Status
	report ledger.Report
}

// stageKind are the announcements of one kind that a key names.
type stageKind struct {
	key    stageKey
	status ledger.Status
	report ledger.Report
}

func (s Stages) byReference(announced, final []*Stage) {
	used := map[taken]bool{}
	for n, reference := range stageKeys {
		finals, first := map[stageKey][]*Stage{}, map[stageKind]int{}
		for _, e := range final {
			// The provider's id names the payment that was refused; other references may be those of another try.
			if key := cleanKey(reference(e)); key != "" && (n == 0 || e.Status == ledger.StatusBooked) {
				finals[stageKeyOf(e, key)] = append(finals[stageKeyOf(e, key)], e)
			}
		}
		for _, e := range announced {
			key := cleanKey(reference(e))
			if _, done := s.by[e.No]; done || key == "" {
				continue
			}
			at := stageKeyOf(e, key)
			// What the same key gave away before is passed over at once: a batch may hold many equal payments.
			kind := stageKind{at, e.Status, e.Report}
			free := first[kind]
			for free < len(finals[at]) && used[taken{finals[at][free].No, e.Status, e.Report}] {
				free++
			}
			first[kind] = free
			for _, f := range finals[at][free:] {
				place := taken{f.No, e.Status, e.Report}
				near := n == 0 || f.BookedOn >= e.BookedOn.AddDays(-stageDaysBefore) && f.BookedOn <= e.BookedOn.AddDays(stageDaysAfter)
				if finality(f) > finality(e) && near && !used[place] {
					used[place] = true
					s.by[e.No] = f.ID
					if lists(e) && f.final() && !f.Detailed {
						s.parts[f.No] = append(s.parts[f.No], e.No)
					}
					break
				}
			}
		}
	}
}

// lists reports whether a notification says what a batch is made of.
func lists(e *Stage) bool {
	return e.Report == ledger.ReportNotification && e.Detailed
}

// byStatement takes out what reports say of days that a statement covers.
func (s Stages) byStatement(announced []*Stage, coverage []ledger.Coverage) {
	covered := map[string][]ledger.Coverage{}
	for _, c := range coverage {
		if !c.Report {
			account := foldAccount(c.AccountID)
			covered[account] = append(covered[account], c)
		}
	}
	for _, e := range announced {
		if _, done := s.by[e.No]; done || e.Report == "" {
			continue
		}
		if slices.ContainsFunc(covered[foldAccount(e.AccountID)], func(c ledger.Coverage) bool { return c.From <= e.BookedOn && e.BookedOn < c.To }) {
			s.by[e.No] = ""
		}
	}
}

// batchKey names a batch by its order's id.
type batchKey struct {
	account, group string
	currency       ledger.Currency
}

// asParts finds the notifications of single payments that add up, exactly and by the batch they name, to one final entry
// that shows their sum only.
func (s Stages) asParts(announced, final []*Stage) {
	key := func(e *Stage) batchKey { return batchKey{foldAccount(e.AccountID), cleanKey(e.GroupID), e.Currency} }
	batches, several := map[batchKey]*Stage{}, map[batchKey]bool{}
	for _, e := range final {
		if k := key(e); k.group != "" && e.final() && e.Status == ledger.StatusBooked {
			several[k] = batches[k] != nil
			batches[k] = e
		}
	}
	members := map[batchKey][]*Stage{}
	for _, e := range announced {
		if k := key(e); k.group != "" && e.Report == ledger.ReportNotification && !e.Detailed {
			members[k] = append(members[k], e)
		}
	}
	for k, list := range members {
		batch := batches[k]
		if batch == nil || several[k] || batch.Detailed || s.parts[batch.No] != nil || len(list) < 2 {
			continue
		}
		var sum int64
		for _, e := range list {
			sum += e.Amount
		}
		if sum != batch.Amount {
			continue
		}
		for _, e := range list {
			s.by[e.No] = batch.ID
			s.parts[batch.No] = append(s.parts[batch.No], e.No)
		}
	}
}
