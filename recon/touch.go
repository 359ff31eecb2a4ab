package recon

import (
	"encoding/binary"
	"maps"
	"slices"
	"time"

	"agentrecon/ledger"
)

// Every way in which what is concluded of one item can depend on another is named in this file, and nowhere else. A run
// over what changed follows them from item to item until nothing is added; what it does not reach is as it was. Whoever
// adds a rule that lets items meet in another way adds the way here; TestNightsEqualFullRuns finds the ones that are
// missing.
//
//	key           an entry's idempotency key or end-to-end id ↔ an attempt's idempotency key or id, without case and blanks
//	              (also the keys and ids of the payments that a batch lists, here and in every other way)
//	provider ref  an entry's provider id or transaction id ↔ a provider reference an attempt was ever reported with, likewise
//	reference     a text of an entry that no key links ↔ an attempt's reference, clean or not (tier 3)
//	cut reference what a bank left of a reference in such an entry ↔ the attempts whose reference begins with it (tier 3)
//	attributes    such an entry ↔ an attempt without a payment: amount, currency, payee (tier 4)
//	original      money that came back ↔ the entry whose provider id it names
//	arguments     an outcome without an attempt of its id ↔ the attempts with its argument hash
//	likeness      a new attempt ↔ those of the same content around it; an earlier one ↔ the one that its flag names
//	              (suspected re-ask, dual event)
//	session       an attempt without an outcome ↔ the unresolved ones of its session (systemic); its events and a new
//	              attempt ↔ those (cause)
//	host          an attempt without an outcome ↔ the unresolved ones of its host (systemic)
//	harness       an attempt without an outcome ↔ the unresolved ones of its version of a harness (systemic)
//	coverage      an attempt without an entry ↔ the days for which the ledger is complete
//	stages        an announcement ↔ the entry or the statement that takes its place; the books tell which changed
//	recording     entries booked before the first recorded attempt: where that changes, everything is looked at
//	time          [NextEval]
//
// Following too much does no harm, for a larger set that is closed gives the same; following too little does. So ways
// end at items that are clean only where those cannot matter: a clean pair is on neither side of tier 4, and its entry is
// not free for tier 3.

// way is how listed items are known by ([OpenItem.Keys]). The numbers are stored with the keys of what is listed.
type way uint8

const (
	wayProviderRef way = iota
	wayReference
	wayAttemptLike // attributes of attempts
	wayEntryLike   // attributes of entries
	wayOriginal
	wayArguments
	waySession
	wayHost
	wayHarness
	wayChildKey // key of a payment that a batch lists
	wayChildRef // provider id of such a payment
	wayChildOriginal
	wayOutcomeOfAttempt
	wayCut // what a bank left of a reference
)

// wayShift is where the number of the way stands in a key, so that the keys of a way lie side by side.
const wayShift = 60

// touchKey is where a way leads: a number that equal texts share. Two texts that share one by accident only make the set
// larger.
func touchKey(by way, texts ...string) int64 {
	const offset, prime = 14695981039346656037, 1099511628211 // FNV-1a
	h := uint64(offset)
	for _, text := range texts {
		for size := len(text); size > 0; size >>= 8 {
			h = (h ^ uint64(byte(size))) * prime
		}
		h *= prime // no text is taken for part of the next one
		for n := range len(text) {
			h = (h ^ uint64(text[n])) * prime
		}
	}
	return int64(uint64(by)<<wayShift | h>>(64-wayShift))
}

// Ways are the ways by which anything is listed, as bits. The others need not be followed.
type Ways uint16

// AllWays are all ways.
const AllWays = ^Ways(0)

// Has reports whether the way of a key is among them.
func (w Ways) Has(key int64) bool { return w>>(uint64(key)>>wayShift)&1 != 0 }

// Probes ask for the recorded items that an item may touch. A store may answer with more.
type Probes struct {
	AttemptKeys []string       // folded keys: attempts of such an id or idempotency key
	EntryKeys   []string       // folded keys: entries of such an idempotency key or end-to-end id
	OutcomeRefs []string       // folded provider references: attempts whose current outcome has it
	EntryRefs   []string       // folded provider ids: entries that have it
	ProviderIDs []string       // entries of exactly this provider id
	References  []string       // comparable forms: attempts whose reference has this form
	Prefixes    []string       // attempts one of whose reference's forms begins with this
	Arguments   []string       // attempts of this argument hash
	Likes       []Likeness     // attempts of this content and time, recorded by then
	Open        []int64        // listed items known by this key ([OpenItem.Keys])
	Absences    []AbsenceRange // listed attempts without an entry whose window meets these days
}

// Likeness asks for attempts that look like one asked twice.
type Likeness struct {
	Minor     int64
	Currency  ledger.Currency
	Dest      string // folded destination
	Reference string // folded reference
	From, To  time.Time
}

// Fits reports whether an attempt has the content asked for.
func (l Likeness) Fits(a *Attempt) bool {
	return a.Minor == l.Minor && a.Currency == l.Currency && foldAccount(a.DestAccount) == l.Dest && foldReference(a.Reference) == l.Reference &&
		!a.ProposedAt.Before(l.From) && !a.ProposedAt.After(l.To)
}

// AbsenceRange is a number of days for which the ledger has become complete, or is to be asked again.
type AbsenceRange struct {
	Account  string // folded; empty with Any unset: attempts without an account
	Any      bool   // whatever the account
	From, To ledger.Date
	Always   bool // whatever the days
}

// FoldKey is a key as attempts and entries are compared by it where its spelling differs: without case and blanks.
// Placeholders fold to nothing.
func FoldKey(key string) string { return foldKey(key) }

// ReferenceForms are the comparable spellings of a reference.
func ReferenceForms(text string) []string { return referenceForms(text) }

// probesOfAttempt asks for what an attempt may touch.
func probesOfAttempt(policy Policy, c *Case) Probes {
	a := &c.Attempt
	p := Probes{EntryKeys: someOf(foldKey(a.ID), foldKey(a.IdempotencyKey))}
	for _, key := range p.EntryKeys {
		p.Open = append(p.Open, touchKey(wayChildKey, key))
	}
	for n := range c.Outcomes {
		p.askRef(c.Outcomes[n].ProviderRef)
	}
	for _, form := range referenceForms(a.Reference) {
		p.Open = append(p.Open, touchKey(wayReference, form, string(a.Currency)))
		for _, cut := range beginnings(policy.ReferenceCuts, form) {
			p.Open = append(p.Open, touchKey(wayCut, cut, string(a.Currency)))
		}
	}
	if payee := foldAccount(a.DestAccount); payee != "" {
		p.Open = append(p.Open, likeKey(wayEntryLike, a.Minor, a.Currency, payee))
	}
	if a.ArgsSHA256 != "" {
		p.Open = append(p.Open, touchKey(wayArguments, a.ArgsSHA256))
	}
	return p
}

// mostOfCharacter is how many bytes a character of a reference comes to at most when it is folded: a syllable of Hangul is
// three letters of three bytes each.
const mostOfCharacter = 9

// beginnings are what banks that cut references at these lengths may leave of one.
func beginnings(cuts []int, form string) []string {
	if len(cuts) == 0 {
		return nil
	}
	var all []string
	for n := cutPrefix; n <= min(len(form), cuts[len(cuts)-1]*mostOfCharacter); n++ {
		all = append(all, form[:n])
	}
	return all
}

// probesOfNewAttempt asks for what an attempt may touch by being there at all: it may stand between two that look alike, be
// the one that an outcome names, and be the last of its session. Attempts recorded up to until are looked for; zero: all.
func probesOfNewAttempt(policy Policy, a *Attempt, until time.Time) Probes {
	p := Probes{Open: []int64{touchKey(wayOutcomeOfAttempt, a.ID)}}
	if from := a.ProposedAt.Add(-policy.likeWindow()); until.IsZero() || !from.After(until) {
		p.Likes = []Likeness{{
			Minor: a.Minor, Currency: a.Currency, Dest: foldAccount(a.DestAccount), Reference: foldReference(a.Reference),
			From: from, To: a.ProposedAt.Add(policy.likeWindow()),
		}}
	}
	if a.SessionID != "" {
		p.Open = append(p.Open, touchKey(waySession, a.SessionID))
	}
	return p
}

// probesOfUnheard asks for what an attempt without an outcome may touch: the others that were lost with it.
func probesOfUnheard(a *Attempt) Probes {
	var p Probes
	if a.SessionID != "" {
		p.Open = append(p.Open, touchKey(waySession, a.SessionID))
	}
	if a.Host != "" {
		p.Open = append(p.Open, touchKey(wayHost, a.Host))
	}
	if harness := harnessVersion(a); harness != "" {
		p.Open = append(p.Open, touchKey(wayHarness, harness))
	}
	return p
}

// askRef asks for the entries that a provider reference names.
func (p *Probes) askRef(ref string) {
	if ref = foldKey(ref); ref != "" {
		p.EntryRefs, p.Open = append(p.EntryRefs, ref), append(p.Open, touchKey(wayChildRef, ref))
	}
}

// probesOfEntry asks for what an entry may touch by its keys.
func probesOfEntry(e *ledger.Entry) Probes {
	p := Probes{ProviderIDs: someOf(e.OriginalProviderID)}
	for _, each := range append([]ledger.Entry{*e}, e.Children...) {
		p.AttemptKeys = append(p.AttemptKeys, someOf(foldKey(each.IdempotencyKey), foldKey(each.EndToEndID))...)
		for _, ref := range someOf(foldKey(each.ProviderID), foldKey(each.TransactionID)) {
			p.OutcomeRefs, p.Open = append(p.OutcomeRefs, ref), append(p.Open, touchKey(wayProviderRef, ref))
		}
		if each.ProviderID != "" {
			p.Open = append(p.Open, touchKey(wayOriginal, each.ProviderID))
		}
	}
	if e.OriginalProviderID != "" {
		p.Open = append(p.Open, touchKey(wayChildOriginal, e.OriginalProviderID))
	}
	return p
}

// probesOfFreeEntry asks for what an entry, and the payments it lists, may touch that no key may link.
func probesOfFreeEntry(policy Policy, whole *ledger.Entry) Probes {
	var p Probes
	for e := range entryWithParts(whole) {
		p.References = append(p.References, referenceForms(e.MerchantReference, e.EndToEndID, e.RemittanceText)...)
		p.Prefixes = append(p.Prefixes, cutForms(policy.ReferenceCuts, e.MerchantReference, e.EndToEndID, e.RemittanceText)...)
		if payee := foldAccount(e.CounterpartyAccount); payee != "" {
			for _, worth := range worthsOf(e) {
				p.Open = append(p.Open, likeKey(wayAttemptLike, worth.minor, worth.currency, payee))
			}
		}
	}
	return p
}

// probesOfOutcome asks for what an outcome without an attempt may touch.
func probesOfOutcome(o *Outcome) Probes {
	p := Probes{Arguments: someOf(o.ArgsSHA256), Open: []int64{touchKey(wayOutcomeOfAttempt, o.AttemptID)}}
	p.askRef(o.ProviderRef)
	return p
}

// worth is an amount in a currency.
type worth struct {
	minor    int64
	currency ledger.Currency
}

// worthsOf are the amounts that tiers 3 and 4 may compare an entry by.
func worthsOf(e *ledger.Entry) []worth {
	item := openItem{Entry: e}
	worths := []worth{{item.compared(), e.Currency}}
	if item.instructed() {
		worths = append(worths, worth{-e.OrigAmount.Minor, e.OrigCurrency})
	}
	return worths
}

func likeKey(by way, minor int64, currency ledger.Currency, payee string) int64 {
	var amount [8]byte
	binary.BigEndian.PutUint64(amount[:], uint64(minor))
	return touchKey(by, string(amount[:]), string(currency), payee)
}

func someOf(texts ...string) []string {
	return slices.DeleteFunc(texts, func(text string) bool { return text == "" })
}

// OpenItem is a listed item as later runs find it again: by the clock, by coverage, or by what touches it.
type OpenItem struct {
	Population Population
	Item       string
	EntryNo    int64     // of an entry
	NextEval   time.Time // zero: time alone changes nothing
	Absence    Absence   // of an attempt of which the ledger's coverage decides
	Keys       []int64   // sorted, each once
}

// Absence is what the conclusion that there is no entry, or that nobody knows, rests on.
type Absence struct {
	Given    bool
	Account  string // folded; empty: every account in scope
	From, To ledger.Date
}

// OpenItems are the listed items of a result, in the order of [Result.Listed].
func (r *Result) OpenItems() []OpenItem {
	l := r.Listed()
	items := make([]OpenItem, 0, len(l.Attempts)+len(l.Entries)+len(l.Outcomes))
	for _, f := range l.Attempts {
		items = append(items, r.openAttempt(f))
	}
	for _, f := range l.Entries {
		items = append(items, OpenItem{Population: Entries, Item: f.Entry.ID, EntryNo: f.Entry.No, Keys: keysOfEntry(r.Policy, f)})
	}
	for _, f := range l.Outcomes {
		o := &f.Outcome
		keys := []int64{touchKey(wayOutcomeOfAttempt, o.AttemptID)}
		if o.ArgsSHA256 != "" {
			keys = append(keys, touchKey(wayArguments, o.ArgsSHA256))
		}
		items = append(items, OpenItem{Population: Outcomes, Item: o.AttemptID, Keys: sortedKeys(keys)})
	}
	return items
}

func (r *Result) openAttempt(f *AttemptFinding) OpenItem {
	a := &f.Attempt
	item := OpenItem{Population: Attempts, Item: a.ID, NextEval: NextEval(r.Policy, f, r.AsOf)}
	if s := f.Evidence.Settlement; s == NotSettled || s == NotCovered {
		item.Absence = Absence{
			Given: true, Account: foldAccount(a.SourceAccount),
			From: dateOf(r.Policy.windowStart(a.ProposedAt), r.Policy.Zone), To: dateOf(r.Policy.windowEnd(a.ProposedAt), r.Policy.Zone),
		}
	}
	var keys []int64
	if payee := foldAccount(a.DestAccount); payee != "" && !f.paidBefore(ByAttributes) {
		keys = append(keys, likeKey(wayAttemptLike, a.Minor, a.Currency, payee))
	}
	if len(f.Outcomes) > 1 {
		for n := range f.Outcomes {
			if ref := foldKey(f.Outcomes[n].ProviderRef); ref != "" {
				keys = append(keys, touchKey(wayProviderRef, ref))
			}
		}
	}
	if a.SessionID != "" && InfoOf(Attempts, f.Class).Kind == Unresolved {
		keys = append(keys, touchKey(waySession, a.SessionID))
	}
	if a.Host != "" && InfoOf(Attempts, f.Class).Kind == Unresolved {
		keys = append(keys, touchKey(wayHost, a.Host))
	}
	if harness := harnessVersion(a); harness != "" && InfoOf(Attempts, f.Class).Kind == Unresolved {
		keys = append(keys, touchKey(wayHarness, harness))
	}
	item.Keys = sortedKeys(keys)
	return item
}

// Likes are the attempts that flags of an attempt name because it looks like them.
func (f *AttemptFinding) Likes() []string { return LikesOf(f.Flags) }

// LikesOf are the attempts that flags name because the attempt that has them looks like those.
func LikesOf(flags []Flag) []string {
	var ids []string
	for _, flag := range flags {
		if flag.Name == FlagSuspectedReask || flag.Name == FlagDualEvent {
			ids = append(ids, flag.Of)
		}
	}
	return ids
}

// paidBefore reports whether a payment was linked by a stronger tier than one. Then the attempt took no part in that
// tier, and takes none until something stronger changes, which leads to it by its own way.
func (f *AttemptFinding) paidBefore(tier Tier) bool {
	return slices.ContainsFunc(f.Links, func(l Link) bool {
		return l.Tier < tier && l.Entry.Moved() && l.Entry.Amount < 0 && l.Role != RoleShared
	})
}

// keysOfEntry are the ways to a listed entry: by reference and attributes if no key links it and it says that money
// leaves, by the original that it takes back, by the payments that it lists, and by what the provider calls that which the
// entry is of.
func keysOfEntry(policy Policy, f *EntryFinding) []int64 {
	keys := append(keysOfChildren(&f.Entry), keysOfOwn(policy, f)...)
	for e := range entryWithParts(&f.Entry) {
		if ref := foldKey(e.TransactionID); ref != "" {
			keys = append(keys, touchKey(wayChildRef, ref))
		}
	}
	return sortedKeys(keys)
}

func keysOfChildren(e *ledger.Entry) []int64 {
	var keys []int64
	for n := range e.Children {
		c := &e.Children[n]
		for _, key := range someOf(foldKey(c.IdempotencyKey), foldKey(c.EndToEndID)) {
			keys = append(keys, touchKey(wayChildKey, key))
		}
		if ref := foldKey(c.ProviderID); ref != "" {
			keys = append(keys, touchKey(wayChildRef, ref))
		}
		if c.ProviderID != "" {
			keys = append(keys, touchKey(wayChildOriginal, c.ProviderID))
		}
	}
	return keys
}

func keysOfOwn(policy Policy, f *EntryFinding) []int64 {
	e := &f.Entry
	if policy.scopeReason(e) != "" || e.Superseded {
		return nil
	}
	if e.Amount >= 0 {
		if e.OriginalProviderID == "" {
			return nil
		}
		return []int64{touchKey(wayOriginal, e.OriginalProviderID)}
	}
	if f.Tier != NoTier && !f.Tier.Inferred() && len(e.Children) == 0 {
		return nil
	}
	var keys []int64
	for of := range entryWithParts(e) {
		for _, worth := range worthsOf(of) {
			for _, form := range referenceForms(of.MerchantReference, of.EndToEndID, of.RemittanceText) {
				keys = append(keys, touchKey(wayReference, form, string(worth.currency)))
			}
			for _, cut := range cutForms(policy.ReferenceCuts, of.MerchantReference, of.EndToEndID, of.RemittanceText) {
				keys = append(keys, touchKey(wayCut, cut, string(worth.currency)))
			}
			if payee := foldAccount(of.CounterpartyAccount); payee != "" {
				keys = append(keys, likeKey(wayEntryLike, worth.minor, worth.currency, payee))
			}
		}
	}
	return keys
}

func sortedKeys(keys []int64) []int64 {
	slices.Sort(keys)
	return slices.Compact(keys)
}

// absencesOf are the days that coverage has become another for, given the coverage that there was.
func absencesOf(policy Policy, before, now []ledger.Coverage) []AbsenceRange {
	old, fresh := newCoverageMap(before, policy.Accounts), newCoverageMap(now, policy.Accounts)
	var ranges []AbsenceRange
	if !slices.Equal(old.inScope, fresh.inScope) {
		ranges = append(ranges, AbsenceRange{Always: true}) // of attempts without an account, which ask all accounts
	}
	ranges = appendBeyond(ranges, fresh, old)
	return appendBeyond(ranges, old, fresh) // a statement may show that another is missing before it
}

// appendBeyond adds the days that one map covers and the other does not.
func appendBeyond(ranges []AbsenceRange, covered, other coverageMap) []AbsenceRange {
	for _, account := range slices.Sorted(maps.Keys(covered.byAccount)) {
		for _, c := range covered.byAccount[account] {
			first := c.From
			for day := c.From; day < c.To; day = day.AddDays(1) {
				if other.coversOne(account, day, day.AddDays(1)) {
					ranges = appendDays(ranges, account, first, day)
					first = day.AddDays(1)
				}
			}
			ranges = appendDays(ranges, account, first, c.To)
		}
	}
	return ranges
}

func appendDays(ranges []AbsenceRange, account string, from, to ledger.Date) []AbsenceRange {
	if from >= to {
		return ranges
	}
	return append(ranges, AbsenceRange{Account: account, Any: account == "", From: from, To: to})
}

// Meets reports whether what rests on an absence may be judged otherwise for these days.
func (r AbsenceRange) Meets(a Absence) bool {
	if !a.Given || !r.Any && a.Account != "" && a.Account != r.Account {
		return false
	}
	return r.Always || r.From < a.To && a.From < r.To
}
