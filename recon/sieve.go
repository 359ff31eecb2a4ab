package recon

import (
	"cmp"
	"hash/maphash"
	"slices"
	"time"

	"agentrecon/ledger"
)

// sieve finds what is clean while the ledger streams past: an attempt reported as succeeded whose keys exactly one
// entry carries, booked, with equal amount, currency and payee, in the window, and nothing else touching either. Such
// a pair needs no words and is kept as one small slot. Everything else is named for the docket. The sieve decides
// nothing: TestSieveChangesNothing compares it with judging everything.
//
// A slot is a fixed struct beside one byte arena for keys; three open-addressing tables find a slot by attempt id,
// idempotency key and provider reference, with exact verification. That is about 200 bytes an attempt.
type sieve struct {
	policy     Policy
	seed       maphash.Seed
	arena      arena
	slots      []slot
	ids        table // attempt id
	keys       table // idempotency key
	refs       table // provider reference
	currencies []ledger.Currency
	plain      map[int32]uint64 // hashes of references whose letters can be folded the other way too, by slot
	since      time.Time

	residue []int64 // numbers of the entries for the docket: those never clean, and those taken for clean that are not
}

// slot is an attempt while the ledger streams past.
type slot struct {
	id, key, ref text
	minor        int64
	proposed     int64  // Unix microseconds
	payee        uint64 // hash of the folded destination; 0 = none
	reference    uint64 // hash of the folded reference (hashReference); 0 = none
	entryNo      int64  // the entry taken; 0 = none yet
	fee          int64  // what the entry moved beyond the amount compared
	bookedOn     ledger.Date
	deliveries   int32
	currency     uint16
	source       uint8 // index into IDSources
	tier         uint8
	open         bool // goes to the docket
}

func newSieve(policy Policy) *sieve {
	s := &sieve{policy: policy, seed: maphash.MakeSeed(), plain: map[int32]uint64{}}
	s.ids.keyOf = func(n int32) []byte { return s.arena.bytes(s.slots[n].id) }
	s.keys.keyOf = func(n int32) []byte { return s.arena.bytes(s.slots[n].key) }
	s.refs.keyOf = func(n int32) []byte { return s.arena.bytes(s.slots[n].ref) }
	for _, t := range []*table{&s.ids, &s.keys, &s.refs} {
		t.seed = s.seed
	}
	return s
}

// attempt takes the next attempt of the stream.
func (s *sieve) attempt(row *AttemptRow) {
	n := int32(len(s.slots))
	s.slots = append(s.slots, slot{
		id: s.arena.add(row.ID), key: s.arena.add(cleanKey(row.IdempotencyKey)), ref: s.arena.add(cleanKey(row.ProviderRef)),
		minor: row.Minor, proposed: row.ProposedAt.UnixMicro(), payee: s.hash(foldAccount(row.DestAccount)),
		reference: s.hashReference(foldReference(row.Reference)), currency: s.currencyIndex(row.Currency),
		source: uint8(max(0, slices.Index(IDSources, row.IDSource))), deliveries: int32(row.Deliveries),
		open: row.Status != Succeeded || row.Versions > 1 || row.IDReused || !row.MarkedAt.IsZero(),
	})
	if !isASCII(row.Reference) {
		s.plain[n] = s.hashReference(foldReferencePlain(row.Reference))
	}
	if s.since.IsZero() || row.ProposedAt.Before(s.since) {
		s.since = row.ProposedAt
	}
	s.ids.insert(n)
	s.claim(&s.keys, n)
	s.claim(&s.refs, n)
}

// claim enters a slot under a key. A key of several attempts makes a group, which only the docket can judge.
func (s *sieve) claim(t *table, n int32) {
	if len(t.keyOf(n)) == 0 {
		return
	}
	if first, taken := t.insert(n); taken {
		s.slots[first].open, s.slots[n].open = true, true
	}
}

// openAll opens every slot.
func (s *sieve) openAll() {
	for n := range s.slots {
		s.open(int32(n))
	}
}

// entry takes the next entry of the stream, after the last attempt.
func (s *sieve) entry(e *ledger.Entry) {
	if e.Superseded || s.policy.scopeReason(e) != "" {
		s.residue = append(s.residue, e.No)
		return
	}
	var touched [4]int32
	found := touched[:0]
	add := func(n int32) {
		if n >= 0 && !slices.Contains(found, n) {
			found = append(found, n)
		}
	}
	for _, key := range [2]string{e.IdempotencyKey, e.EndToEndID} {
		if key = cleanKey(key); key != "" {
			add(s.keys.findString(key))
			add(s.ids.findString(key))
		}
	}
	tier := ByKey
	if len(found) == 0 {
		tier = ByProviderRef
	}
	if ref := cleanKey(e.ProviderID); ref != "" {
		add(s.refs.findString(ref))
	}
	if len(found) == 1 && s.agrees(&s.slots[found[0]], e) {
		at := &s.slots[found[0]]
		at.entryNo, at.bookedOn, at.tier, at.fee = e.No, e.BookedOn, uint8(tier), e.Outflow()-at.minor
		return
	}
	s.residue = append(s.residue, e.No)
	for _, n := range found {
		s.open(n)
	}
}

// agrees reports whether an entry settles a slot cleanly and nothing did before.
func (s *sieve) agrees(at *slot, e *ledger.Entry) bool {
	if at.open || at.entryNo != 0 || e.No == 0 || !e.Moved() || e.Amount >= 0 {
		return false
	}
	item := openItem{Entry: *e}
	item.start, item.end = span(e, s.policy.Zone)
	proposed := time.UnixMicro(at.proposed)
	if item.compared() != at.minor || e.Currency != s.currencies[at.currency] {
		return false
	}
	if payee := s.hash(foldAccount(e.CounterpartyAccount)); payee != 0 && at.payee != 0 && payee != at.payee {
		return false
	}
	return !item.before(s.policy.windowStart(proposed)) && item.start.Before(s.policy.windowEnd(proposed))
}

// open sends a slot to the docket, with the entry it had taken.
func (s *sieve) open(n int32) {
	at := &s.slots[n]
	at.open = true
	if at.entryNo != 0 {
		s.residue = append(s.residue, at.entryNo)
		at.entryNo = 0
	}
}

// openUntouched opens what no entry agreed with.
func (s *sieve) openUntouched() {
	for n := range s.slots {
		if s.slots[n].entryNo == 0 {
			s.slots[n].open = true
		}
	}
}

// openLike opens the clean slots that one of these entries of the docket may still concern: by the fold of a key, or as
// excess of the same reference.
func (s *sieve) openLike(entries []ledger.Entry) {
	folds, references, cut := map[uint64]bool{}, map[uint64]bool{}, map[uint64]bool{}
	for n := range entries {
		e := &entries[n]
		for _, key := range [3]string{e.IdempotencyKey, e.EndToEndID, e.ProviderID} {
			if fold := foldKey(key); fold != "" {
				folds[s.hash(fold)] = true
			}
		}
		for _, text := range [3]string{e.MerchantReference, e.EndToEndID, e.RemittanceText} {
			for _, form := range referenceForms(text) {
				references[s.hashReference(form)] = true
			}
			for _, form := range cutForms(s.policy.ReferenceCuts, text) {
				cut[s.hashReference(form)>>prefixShift] = true
			}
		}
	}
	if len(folds) == 0 && len(references) == 0 {
		return
	}
	for n := range s.slots {
		at := &s.slots[n]
		if at.open {
			continue
		}
		if plain := s.plain[int32(n)]; at.reference != 0 && (references[at.reference] || references[plain] || cut[at.reference>>prefixShift] || cut[plain>>prefixShift]) {
			s.open(int32(n))
			continue
		}
		for _, t := range [3]text{at.id, at.key, at.ref} {
			if t.size > 0 && folds[s.hash(foldKey(string(s.arena.bytes(t))))] {
				s.open(int32(n))
				break
			}
		}
	}
}

// openByRefs opens the clean slots whose provider reference an attempt on the docket was once reported with, and
// reports whether there were any.
func (s *sieve) openByRefs(cases []Case) bool {
	opened := false
	for _, c := range cases {
		for _, o := range c.Outcomes {
			if n := s.refs.findString(cleanKey(o.ProviderRef)); n >= 0 && !s.slots[n].open {
				s.open(n)
				opened = true
			}
		}
	}
	return opened
}

// openByEntry opens the slots that have taken one of these entries.
func (s *sieve) openByEntry(nos []int64) {
	slices.Sort(nos)
	for n := range s.slots {
		if at := &s.slots[n]; !at.open {
			if _, found := slices.BinarySearch(nos, at.entryNo); found {
				s.open(int32(n))
			}
		}
	}
}

// likeness is a slot beside what makes two attempts look like one asked twice.
type likeness struct {
	content  uint64
	proposed int64
	slot     int32
}

// openLikeAttempts finds attempts that look like an earlier one and opens the later of each two; it returns their
// relational flags by slot.
func (s *sieve) openLikeAttempts() map[int32]Flag {
	all := make([]likeness, len(s.slots))
	for n := range s.slots {
		at := &s.slots[n]
		content := s.hash(string(s.currencies[at.currency])) ^ mix(uint64(at.minor)) ^ mix(at.payee+1) ^ mix(mix(at.reference+2))
		all[n] = likeness{content, at.proposed, int32(n)}
	}
	slices.SortFunc(all, func(a, b likeness) int {
		if c := cmp.Or(cmp.Compare(a.content, b.content), cmp.Compare(a.proposed, b.proposed)); c != 0 {
			return c
		}
		return s.compareIDs(a.slot, b.slot)
	})
	flags := map[int32]Flag{}
	for n := 1; n < len(all); n++ {
		earlier, later := all[n-1], all[n]
		gap := time.Duration(later.proposed-earlier.proposed) * time.Microsecond
		if earlier.content != later.content || gap > s.policy.ReaskWindow {
			continue
		}
		name := FlagSuspectedReask
		strongs := s.strong(earlier.slot) != s.strong(later.slot)
		if strongs && gap <= dualEventWindow {
			name = FlagDualEvent
		}
		flags[later.slot] = Flag{name, string(s.arena.bytes(s.slots[earlier.slot].id))}
		s.open(later.slot)
	}
	return flags
}

// strong reports whether a slot's id names one call.
func (s *sieve) strong(n int32) bool { return IDSources[s.slots[n].source] == IDToolUse }

func (s *sieve) compareIDs(a, b int32) int {
	return slices.Compare(s.arena.bytes(s.slots[a].id), s.arena.bytes(s.slots[b].id))
}

// openIDs are the ids of the slots that go to the docket, sorted.
func (s *sieve) openIDs() []string {
	var ids []string
	for n := range s.slots {
		if s.slots[n].open {
			ids = append(ids, string(s.arena.bytes(s.slots[n].id)))
		}
	}
	slices.Sort(ids)
	return ids
}

func (s *sieve) currencyIndex(c ledger.Currency) uint16 {
	at := slices.Index(s.currencies, c)
	if at < 0 {
		at = len(s.currencies)
		s.currencies = append(s.currencies, c)
	}
	return uint16(at)
}

// prefixShift is where the hash of what a reference begins with stands within its hash.
const prefixShift = 40

// hashReference hashes a folded reference. The upper bits hash only what it begins with, as a bank that cuts references
// leaves of it, and are 0 where that is too short to be compared.
func (s *sieve) hashReference(form string) uint64 {
	h := s.hash(form) & (1<<prefixShift - 1)
	if len(form) >= cutPrefix {
		h |= s.hash(form[:cutPrefix]) << prefixShift
	}
	return h
}

func (s *sieve) hash(text string) uint64 {
	if text == "" {
		return 0
	}
	return maphash.String(s.seed, text) | 1
}

// mix spreads the bits of a number (the finaliser of SplitMix64).
func mix(x uint64) uint64 {
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	return x ^ x>>31
}
