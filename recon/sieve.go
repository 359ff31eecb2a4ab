package recon

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"agentrecon/ledger"
)

// sieve finds what is clean while everything streams past, one population after the other: an attempt reported as
// succeeded whose keys exactly one entry carries, booked, with equal amount, currency and payee, in the window, and
// nothing else touching either. Such a pair needs no words and is kept as one small slot. Everything else is named for
// the docket. The sieve decides nothing: TestSieveChangesNothing compares it with judging everything.
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

	warmth  uint32   // what was read so that it is near, and for nothing else
	told    []told   // outcomes that are looked up together
	ahead   []lookup // entries that are looked up together
	folded  []byte   // a reference while it is hashed
	orphans []string // ids that outcomes name and no attempt has
	residue []int64  // numbers of the entries for the docket: those never clean, and those taken for clean that are not
}

// slot is an attempt while the ledger streams past.
type slot struct {
	texts      uint32 // place of its id, and behind it its key
	ref        uint32 // place of its provider reference; 0 = none
	minor      int64
	proposed   int64  // Unix microseconds
	payee      uint64 // hash of the folded destination; 0 = none
	reference  uint64 // hash of the folded reference (hashReference); 0 = none
	entryNo    int64  // the entry taken; 0 = none yet
	fee        int64  // what the entry moved beyond the amount compared
	bookedOn   ledger.Date
	deliveries int32
	account    uint16 // index into accounts: the one that the attempt names, then the one that paid it
	currency   uint16 // index into currencies
	marks      uint8  // index into IDSources, tier, and the bits below
	open       bool   // goes to the docket
}

// Parts of a slot's marks.
const (
	slotSource    = 1<<3 - 1
	slotTierShift = 3
	slotTier      = (1<<3 - 1) << slotTierShift
	slotSucceeded = 1 << 6 // reported as succeeded, once
	slotElsewhere = 1 << 7 // another account paid than the attempt names
)

func (at *slot) source() IDSource { return IDSources[at.marks&slotSource] }

func (at *slot) tier() Tier { return Tier(at.marks & slotTier >> slotTierShift) }

func (at *slot) succeeded() bool { return at.marks&slotSucceeded != 0 }

// elsewhere reports whether another account paid than the attempt names.
func (at *slot) elsewhere() bool { return at.marks&slotElsewhere != 0 }

// paid notes the account that paid, and by what it was linked.
func (at *slot) paid(accounts *accounts, account string, tier Tier) {
	named := at.account
	at.account = accounts.index(account)
	at.marks = at.marks&(slotSource|slotSucceeded) | uint8(tier)<<slotTierShift
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

func (s *sieve) idOf(at *slot) []byte {
	id, _ := s.arena.text(at.texts)
	return id
}

func (s *sieve) keyOf(at *slot) []byte {
	_, behind := s.arena.text(at.texts)
	key, _ := cutText(behind)
	return key
}

func (s *sieve) refOf(at *slot) []byte {
	if at.ref == 0 {
		return nil
	}
	ref, _ := s.arena.text(at.ref)
	return ref
}

// errArenaFull refuses a run over more ids, keys and provider references than the sieve can number.
var errArenaFull = errors.New("attempts: their ids, keys and provider references are more than 4 GiB; one run takes no more")

// read lets everything that the books hold through the sieve, and returns the relational flags of attempts by slot. All
// is opened if nothing is to be left out of the docket.
func (s *sieve) read(ctx context.Context, books Books, openAll bool) (map[int32]Flag, error) {
	for row, err := range books.AttemptRows(ctx) {
		if err != nil {
			return nil, fmt.Errorf("read attempts: %w", err)
		}
		s.attempt(row)
	}
	s.index()
	for row, err := range books.OutcomeRows(ctx) {
		if err != nil {
			return nil, fmt.Errorf("read outcomes: %w", err)
		}
		s.outcome(row)
	}
	s.join()
	for row, err := range books.RemarkRows(ctx) {
		if err != nil {
			return nil, fmt.Errorf("read deliveries and marks: %w", err)
		}
		s.remark(row)
	}
	if s.arena.full {
		return nil, errArenaFull
	}
	relation := s.openLikeAttempts()
	if openAll {
		for n := range s.slots {
			s.open(int32(n))
		}
	}
	for entry, err := range books.EntryRows(ctx) {
		if err != nil {
			return nil, fmt.Errorf("read ledger entries: %w", err)
		}
		s.entry(entry)
	}
	s.openUntouched()
	return relation, nil
}

// attempt takes the next attempt of the stream.
func (s *sieve) attempt(row *AttemptRow) {
	n := int32(len(s.slots))
	reference, plain := s.hashReferences(row.Reference)
	s.slots = append(s.slots, slot{
		texts: s.arena.add(row.ID, cleanKey(row.IdempotencyKey)), minor: row.Minor, proposed: row.ProposedAt.UnixMicro(),
		payee: s.hash(foldAccount(row.DestAccount)), reference: reference, deliveries: 1, account: s.accounts.index(row.SourceAccount),
		currency: s.currencyIndex(row.Currency), marks: uint8(max(0, slices.Index(IDSources, row.IDSource))),
	})
	if plain != reference {
		s.plain[n] = plain
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

// index enters the slots taken since the last time under their ids and keys.
func (s *sieve) index() {
	var hashes [together][2]uint32
	fresh := s.slots[s.indexed:]
	for n := range fresh {
		hashes[n] = [2]uint32{s.ids.hash(s.idOf(&fresh[n])), s.keys.hash(s.keyOf(&fresh[n]))}
	}
	for n := range fresh {
		s.warmth += s.ids.touch(hashes[n][0]) + s.keys.touch(hashes[n][1])
	}
	for n := range fresh {
		s.claim(&s.ids, int32(s.indexed+n), hashes[n][0])
		s.claim(&s.keys, int32(s.indexed+n), hashes[n][1])
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

// told is an outcome of the stream with what it is looked up by.
type told struct {
	OutcomeRow
	id, ref uint32 // hashes
}

// outcome takes the next outcome of the stream, after the last attempt.
func (s *sieve) outcome(row *OutcomeRow) {
	o := told{OutcomeRow: *row}
	o.ProviderRef = cleanKey(o.ProviderRef)
	o.id, o.ref = s.ids.hashString(o.AttemptID), s.refs.hashString(o.ProviderRef)
	if s.told = append(s.told, o); len(s.told) == together {
		s.join()
	}
}

// join tells attempts the outcomes taken since the last time.
func (s *sieve) join() {
	for n := range s.told {
		s.warmth += s.ids.touch(s.told[n].id) + s.refs.touch(s.told[n].ref)
	}
	s.warmTexts(len(s.told), func(n int) [3]int32 { return [3]int32{s.ids.likely(s.told[n].id), -1, -1} })
	for n := range s.told {
		o := &s.told[n]
		slot := s.ids.find(o.AttemptID, o.id)
		if slot < 0 {
			s.orphans = append(s.orphans, strings.Clone(o.AttemptID))
			continue
		}
		at := &s.slots[slot]
		if o.Status == Succeeded && o.Versions == 1 {
			at.marks |= slotSucceeded
		}
		if o.ProviderRef != "" {
			at.ref = s.arena.add(o.ProviderRef)
			s.claim(&s.refs, slot, o.ref)
		}
	}
	s.told = s.told[:0]
}

// remark takes the next remark of the stream, after the last attempt.
func (s *sieve) remark(row *RemarkRow) {
	n := s.ids.findString(row.AttemptID)
	if n < 0 {
		return
	}
	at := &s.slots[n]
	if row.Deliveries > 0 {
		at.deliveries = int32(row.Deliveries)
	}
	at.open = at.open || row.IDReused || !row.MarkedAt.IsZero()
}

// lookup is an entry of the stream: what it is looked up by, and what an attempt must agree with.
type lookup struct {
	no         int64
	keys       [3]string // idempotency key, end-to-end id, provider id; empty = none
	hash       [3]uint32
	payment    bool // it was booked and money left
	minor      int64
	outflow    int64
	currency   ledger.Currency
	account    string
	payee      uint64 // hash of the folded counterparty account; 0 = none
	bookedOn   ledger.Date
	start, end time.Time
}

// entry takes the next entry of the stream, after the last outcome and remark.
func (s *sieve) entry(e *ledger.Entry) {
	if e.Superseded || s.policy.scopeReason(e) != "" {
		s.residue = append(s.residue, e.No)
		return
	}
	l := lookup{
		no: e.No, keys: [3]string{cleanKey(e.IdempotencyKey), cleanKey(e.EndToEndID), cleanKey(e.ProviderID)}, payment: e.Moved() && e.Amount < 0,
		minor: compared(e), outflow: e.Outflow(), currency: e.Currency, account: e.AccountID, payee: s.hash(foldAccount(e.CounterpartyAccount)),
		bookedOn: e.BookedOn,
	}
	l.start, l.end = span(e, s.policy.Zone)
	for n, key := range l.keys {
		l.hash[n] = s.ids.hashString(key)
	}
	if s.ahead = append(s.ahead, l); len(s.ahead) == together {
		s.settle()
	}
}

// settle concludes what the entries taken since the last time come to.
func (s *sieve) settle() {
	for n := range s.ahead {
		hash := &s.ahead[n].hash
		s.warmth += s.keys.touch(hash[0]) + s.ids.touch(hash[0]) + s.refs.touch(hash[2])
	}
	s.warmTexts(len(s.ahead), func(n int) [3]int32 {
		hash := &s.ahead[n].hash
		return [3]int32{s.keys.likely(hash[0]), s.keys.likely(hash[1]), s.refs.likely(hash[2])}
	})
	for n := range s.ahead {
		s.take(&s.ahead[n])
	}
	s.ahead = s.ahead[:0]
}

// warmTexts reads what the likely slots of rows are verified by, each step for all rows, so that the processor fetches it
// at once: the ids and keys of the first slots, and the provider reference of the last.
func (s *sieve) warmTexts(rows int, likely func(n int) [3]int32) {
	if len(s.slots) == 0 {
		return
	}
	var slots [together][3]int32
	var places [together][3]uint32
	for n := range rows {
		slots[n] = likely(n)
	}
	for n := range rows {
		for i, slot := range slots[n] {
			switch {
			case slot < 0:
			case i == 2:
				places[n][i] = s.slots[slot].ref
			default:
				places[n][i] = s.slots[slot].texts
			}
		}
	}
	sum := uint32(0)
	for n := range rows {
		for _, place := range places[n] {
			sum += uint32(s.arena.at(place))
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
		add(s.keys.find(key, l.hash[n]))
		add(s.ids.find(key, l.hash[n]))
	}
	tier := ByKey
	if len(found) == 0 {
		tier = ByProviderRef
	}
	add(s.refs.find(l.keys[2], l.hash[2]))
	if len(found) == 1 && s.agrees(&s.slots[found[0]], l) {
		at := &s.slots[found[0]]
		at.entryNo, at.bookedOn, at.fee = l.no, l.bookedOn, l.outflow-at.minor
		at.paid(&s.accounts, l.account, tier)
		return
	}
	s.residue = append(s.residue, l.no)
	for _, n := range found {
		s.open(n)
	}
}

// agrees reports whether an entry settles a slot cleanly and nothing did before.
func (s *sieve) agrees(at *slot, l *lookup) bool {
	if at.open || !at.succeeded() || at.entryNo != 0 || l.no == 0 || !l.payment {
		return false
	}
	if l.minor != at.minor || l.currency != s.currencies[at.currency] || l.payee != 0 && at.payee != 0 && l.payee != at.payee {
		return false
	}
	proposed := time.UnixMicro(at.proposed)
	return !before(l.start, l.end, s.policy.windowStart(proposed)) && l.start.Before(s.policy.windowEnd(proposed))
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
	var folds, references, cut []uint64
	note := func(e *ledger.Entry) {
		for _, key := range [4]string{e.IdempotencyKey, e.EndToEndID, e.ProviderID, e.TransactionID} {
			if fold := foldKey(key); fold != "" {
				folds = append(folds, s.hash(fold))
			}
		}
		for _, text := range [3]string{e.MerchantReference, e.EndToEndID, e.RemittanceText} {
			for _, form := range referenceForms(text) {
				references = append(references, s.hashReference([]byte(form)))
			}
			for _, form := range cutForms(s.policy.ReferenceCuts, text) {
				cut = append(cut, s.hashReference([]byte(form))>>prefixShift)
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
	named, byReference, byPrefix := newHashSet(folds), newHashSet(references), newHashSet(cut)
	for n := range s.slots {
		at := &s.slots[n]
		if at.open {
			continue
		}
		if plain := s.plain[int32(n)]; at.reference != 0 &&
			(byReference.has(at.reference) || byReference.has(plain) || byPrefix.has(at.reference>>prefixShift) || byPrefix.has(plain>>prefixShift)) {
			s.open(int32(n))
			continue
		}
		for _, key := range [3][]byte{s.idOf(at), s.keyOf(at), s.refOf(at)} {
			if len(key) > 0 && named.has(s.hashFold(key)) {
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
	alike := s.alike()
	slices.SortFunc(alike, func(a, b likeness) int {
		if c := cmp.Or(cmp.Compare(a.content, b.content), cmp.Compare(a.proposed, b.proposed)); c != 0 {
			return c
		}
		return s.compareIDs(a.slot, b.slot)
	})
	flags := map[int32]Flag{}
	for n := 1; n < len(alike); n++ {
		earlier, later := alike[n-1], alike[n]
		gap := time.Duration(later.proposed-earlier.proposed) * time.Microsecond
		name := FlagSuspectedReask
		switch {
		case earlier.content != later.content:
			continue
		case s.strong(earlier.slot) != s.strong(later.slot) && gap <= dualEventWindow:
			name = FlagDualEvent
		case gap > s.policy.ReaskWindow:
			continue
		}
		flags[later.slot] = Flag{name, string(s.idOf(&s.slots[earlier.slot]))}
		s.open(later.slot)
	}
	return flags
}

// alike are the slots whose content another slot may have too. Most have none, and need not be sorted: a bit for each
// content, somewhere among sixteen times as many bits, tells them apart but for accidents.
func (s *sieve) alike() []likeness {
	once, again := newBitSet(16*len(s.slots)), newBitSet(16*len(s.slots))
	for n := range s.slots {
		if content := s.content(&s.slots[n]); once.has(content) {
			again.add(content)
		} else {
			once.add(content)
		}
	}
	var alike []likeness
	for n := range s.slots {
		if content := s.content(&s.slots[n]); again.has(content) {
			alike = append(alike, likeness{content, s.slots[n].proposed, int32(n)})
		}
	}
	return alike
}

// content is a hash of what two attempts have in common where one may be the other, asked again.
func (s *sieve) content(at *slot) uint64 {
	return mix(mix(mix(mix(uint64(at.currency)+1)^uint64(at.minor))^at.payee) ^ at.reference)
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

// hashReferences hashes a reference in its two spellings (foldReference, foldReferencePlain), most often one.
func (s *sieve) hashReferences(text string) (reference, plain uint64) {
	if !isASCII(text) {
		return s.hashReference([]byte(foldReference(text))), s.hashReference([]byte(foldReferencePlain(text)))
	}
	s.folded = appendReference(s.folded[:0], cleanKey(text))
	reference = s.hashReference(s.folded)
	return reference, reference
}

// hashReference hashes a folded reference. The upper bits hash only what it begins with, as a bank that cuts references
// leaves of it, and are 0 where that is too short to be compared.
func (s *sieve) hashReference(form []byte) uint64 {
	h := s.hashBytes(form) & (1<<prefixShift - 1)
	if len(form) >= cutPrefix {
		h |= s.hashBytes(form[:cutPrefix]) << prefixShift
	}
	return h
}

// hashFold hashes a key without case and blanks (foldKey).
func (s *sieve) hashFold(key []byte) uint64 {
	s.folded = s.folded[:0]
	for _, c := range key {
		if c >= utf8.RuneSelf {
			return s.hash(foldKey(string(key)))
		}
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != ' ' && (c < '\t' || c > '\r') {
			s.folded = append(s.folded, c)
		}
	}
	return s.hashBytes(s.folded)
}

func (s *sieve) hash(text string) uint64 {
	if text == "" {
		return 0
	}
	return maphash.String(s.seed, text) | 1
}

func (s *sieve) hashBytes(text []byte) uint64 {
	if len(text) == 0 {
		return 0
	}
	return maphash.Bytes(s.seed, text) | 1
}

// mix spreads the bits of a number (the finaliser of SplitMix64).
func mix(x uint64) uint64 {
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	return x ^ x>>31
}
