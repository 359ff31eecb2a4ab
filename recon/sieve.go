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
// idempotency key and provider reference, with exact verification. That is about 190 bytes an attempt.
type sieve struct {
	policy     Policy
	seed       maphash.Seed
	arena      arena
	slots      []slot
	ids        table // attempt id
	keys       table // idempotency key
	refs       table // provider reference
	currencies []ledger.Currency
	accounts   accounts
	plain      map[int32]uint64 // hashes of references whose letters can be folded the other way too, by slot
	since      time.Time        // the first attempt
	until      time.Time        // the last one
	indexed    int              // how many slots the tables know

	warmth  uint32   // what warm has read, so that it is read
	ahead   []lookup // entries that are looked up together
	residue []int64  // numbers of the entries for the docket: those never clean, and those taken for clean that are not
}

// slot is an attempt while the ledger streams past.
type slot struct {
	texts        uint32 // place of its id, key and provider reference, one behind the other
	id, key, ref uint16 // their sizes
	currency     uint16
	bookedOn     ledger.Date
	minor        int64
	proposed     int64  // Unix microseconds
	payee        uint64 // hash of the folded destination; 0 = none
	reference    uint64 // hash of the folded reference (hashReference); 0 = none
	entryNo      int64  // the entry taken; 0 = none yet
	fee          int64  // what the entry moved beyond the amount compared
	deliveries   int32
	account      uint16 // index into accounts: the one that the attempt names, then the one that paid it
	marks        uint8  // index into IDSources, and in the upper bits the tier and slotElsewhere
	open         bool   // goes to the docket
}

// Parts of a slot's marks.
const (
	slotSource    = 1<<3 - 1
	slotTierShift = 3
	slotElsewhere = 1 << 7 // another account paid than the attempt names
)

func (at *slot) source() IDSource { return IDSources[at.marks&slotSource] }

func (at *slot) tier() Tier { return Tier(at.marks &^ slotElsewhere >> slotTierShift) }

// elsewhere reports whether another account paid than the attempt names.
func (at *slot) elsewhere() bool { return at.marks&slotElsewhere != 0 }

// paid notes the account that paid, and by what it was linked.
func (at *slot) paid(accounts *accounts, account string, tier Tier) {
	named := at.account
	at.account = accounts.index(account)
	at.marks = at.marks&slotSource | uint8(tier)<<slotTierShift
	if accounts.differ(named, at.account) {
		at.marks |= slotElsewhere
	}
}

func newSieve(policy Policy) *sieve {
	s := &sieve{policy: policy, seed: maphash.MakeSeed(), plain: map[int32]uint64{}}
	s.ids.keyOf = func(n int32) []byte { return s.idOf(&s.slots[n]) }
	s.keys.keyOf = func(n int32) []byte { return s.keyOf(&s.slots[n]) }
	s.refs.keyOf = func(n int32) []byte { return s.refOf(&s.slots[n]) }
	for _, t := range s.tables() {
		t.seed = s.seed
	}
	return s
}

// expect makes room for so many attempts; more take longer, and nothing else.
func (s *sieve) expect(attempts int) {
	s.slots = make([]slot, 0, attempts)
	for _, t := range s.tables() {
		t.room = attempts
	}
}

func (s *sieve) tables() [3]*table { return [3]*table{&s.ids, &s.keys, &s.refs} }

func (s *sieve) idOf(at *slot) []byte { return s.arena.bytes(at.texts, at.id) }

func (s *sieve) keyOf(at *slot) []byte { return s.arena.bytes(at.texts+uint32(at.id), at.key) }

func (s *sieve) refOf(at *slot) []byte {
	return s.arena.bytes(at.texts+uint32(at.id)+uint32(at.key), at.ref)
}

// attempt takes the next attempt of the stream.
func (s *sieve) attempt(row *AttemptRow) {
	n := int32(len(s.slots))
	key, ref := cleanKey(row.IdempotencyKey), cleanKey(row.ProviderRef)
	s.slots = append(s.slots, slot{
		texts: s.arena.add(row.ID, key, ref), id: uint16(len(row.ID)), key: uint16(len(key)), ref: uint16(len(ref)),
		minor: row.Minor, proposed: row.ProposedAt.UnixMicro(), payee: s.hash(foldAccount(row.DestAccount)),
		reference: s.hashReference(foldReference(row.Reference)), currency: s.currencyIndex(row.Currency),
		marks: uint8(max(0, slices.Index(IDSources, row.IDSource))), deliveries: int32(row.Deliveries), account: s.accounts.index(row.SourceAccount),
		open: row.Status != Succeeded || row.Versions > 1 || row.IDReused || !row.MarkedAt.IsZero(),
	})
	if !isASCII(row.Reference) {
		s.plain[n] = s.hashReference(foldReferencePlain(row.Reference))
	}
	if s.since.IsZero() || row.ProposedAt.Before(s.since) {
		s.since = row.ProposedAt
	}
	if row.ProposedAt.After(s.until) {
		s.until = row.ProposedAt
	}
	if len(s.slots)-s.indexed == together {
		s.index()
	}
}

// together is how many rows are looked up together: their keys lie far apart in memory, and waiting for all of them at
// once takes a third of the time of waiting for each.
const together = 128

// index enters the slots taken since the last time under their keys.
func (s *sieve) index() {
	var hashes [together][3]uint32
	fresh := s.slots[s.indexed:]
	for n := range fresh {
		at := &fresh[n]
		for i, key := range [3][]byte{s.idOf(at), s.keyOf(at), s.refOf(at)} {
			hashes[n][i] = s.ids.hash(key)
		}
	}
	for n := range fresh {
		for i, t := range s.tables() {
			s.warmth += t.touch(hashes[n][i])
		}
	}
	for n := range fresh {
		for i, t := range s.tables() {
			s.claim(t, int32(s.indexed+n), hashes[n][i])
		}
	}
	s.indexed = len(s.slots)
}

// claim enters a slot under a key. A key of several attempts makes a group, which only the docket can judge.
func (s *sieve) claim(t *table, n int32, hash uint32) {
	if len(t.keyOf(n)) == 0 {
		return
	}
	if first, taken := t.insert(n, hash); taken {
		s.slots[first].open, s.slots[n].open = true, true
	}
}

// openAll opens every slot.
func (s *sieve) openAll() {
	for n := range s.slots {
		s.open(int32(n))
	}
}

// lookup is an entry of the stream with what it is looked up by.
type lookup struct {
	entry ledger.Entry
	keys  [3]string // idempotency key, end-to-end id, provider id; empty = none
	hash  [3]uint32
}

// entry takes the next entry of the stream, after the last attempt.
func (s *sieve) entry(e *ledger.Entry) {
	if e.Superseded || s.policy.scopeReason(e) != "" {
		s.residue = append(s.residue, e.No)
		return
	}
	l := lookup{entry: *e, keys: [3]string{cleanKey(e.IdempotencyKey), cleanKey(e.EndToEndID), cleanKey(e.ProviderID)}}
	for n, key := range l.keys {
		l.hash[n] = s.ids.hash([]byte(key))
	}
	if s.ahead = append(s.ahead, l); len(s.ahead) == together {
		s.settle()
	}
}

// settle concludes what the entries taken since the last time come to.
func (s *sieve) settle() {
	s.warm()
	for n := range s.ahead {
		s.take(&s.ahead[n])
	}
	s.ahead = s.ahead[:0]
}

// warm reads what the look-ups will read, each step for all entries, so that the processor fetches it at once.
func (s *sieve) warm() {
	var likely [together][3]int32
	sum := uint32(0)
	for n := range s.ahead {
		hash := &s.ahead[n].hash
		sum += s.keys.touch(hash[0]) + s.ids.touch(hash[0]) + s.refs.touch(hash[2])
	}
	for n := range s.ahead {
		hash := &s.ahead[n].hash
		likely[n] = [3]int32{s.keys.likely(hash[0]), s.keys.likely(hash[1]), s.refs.likely(hash[2])}
	}
	for n := range s.ahead {
		for _, slot := range likely[n] {
			if slot >= 0 {
				sum += s.slots[slot].texts
			}
		}
	}
	for n := range s.ahead {
		for _, slot := range likely[n] {
			if slot >= 0 {
				sum += uint32(s.arena.at(s.slots[slot].texts))
			}
		}
	}
	s.warmth += sum
}

// take lets one entry settle the attempt that its keys name, or sends both to the docket.
func (s *sieve) take(l *lookup) {
	var touched [5]int32
	found := touched[:0]
	add := func(n int32) {
		if n >= 0 && !slices.Contains(found, n) {
			found = append(found, n)
		}
	}
	for n, key := range l.keys[:2] {
		add(s.keys.find([]byte(key), l.hash[n]))
		add(s.ids.find([]byte(key), l.hash[n]))
	}
	tier := ByKey
	if len(found) == 0 {
		tier = ByProviderRef
	}
	add(s.refs.find([]byte(l.keys[2]), l.hash[2]))
	e := &l.entry
	if len(found) == 1 && s.agrees(&s.slots[found[0]], e) {
		at := &s.slots[found[0]]
		at.entryNo, at.bookedOn, at.fee = e.No, e.BookedOn, e.Outflow()-at.minor
		at.paid(&s.accounts, e.AccountID, tier)
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

// openUntouched opens what no entry agreed with, after the last entry.
func (s *sieve) openUntouched() {
	s.settle()
	for n := range s.slots {
		if s.slots[n].entryNo == 0 {
			s.slots[n].open = true
		}
	}
}

// judged is how much is on the docket by now: attempts and entries.
func (s *sieve) judged() int64 {
	judged := len(s.residue)
	for n := range s.slots {
		if s.slots[n].open {
			judged++
		}
	}
	return int64(judged)
}

// openLike opens the clean slots that one of these entries of the docket may still concern: by the fold of a key, or as
// excess of the same reference.
func (s *sieve) openLike(entries []ledger.Entry) {
	folds, references, cut := map[uint64]bool{}, map[uint64]bool{}, map[uint64]bool{}
	note := func(e *ledger.Entry) {
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
	for n := range entries {
		for e := range entryWithParts(&entries[n]) {
			note(e)
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
		for _, key := range [3][]byte{s.idOf(at), s.keyOf(at), s.refOf(at)} {
			if len(key) > 0 && folds[s.hash(foldKey(string(key)))] {
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

// openLikeAttempts finds, after the last attempt, those that look like an earlier one and opens the later of each two; it
// returns their relational flags by slot.
func (s *sieve) openLikeAttempts() map[int32]Flag {
	s.index()
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
		flags[later.slot] = Flag{name, string(s.idOf(&s.slots[earlier.slot]))}
		s.open(later.slot)
	}
	return flags
}

// strong reports whether a slot's id names one call.
func (s *sieve) strong(n int32) bool { return s.slots[n].source() == IDToolUse }

func (s *sieve) compareIDs(a, b int32) int {
	return slices.Compare(s.idOf(&s.slots[a]), s.idOf(&s.slots[b]))
}

// openIDs are the ids of the slots that go to the docket, sorted.
func (s *sieve) openIDs() []string {
	var ids []string
	for n := range s.slots {
		if s.slots[n].open {
			ids = append(ids, string(s.idOf(&s.slots[n])))
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
