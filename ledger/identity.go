package ledger

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"strconv"
	"strings"
)

// DerivedPrefix starts every id that was derived because the source gives none, so that a person sees it.
const DerivedPrefix = "row-"

// Identities derives the ids of the entries of one file that have none of their own (ledger-formats, 1.1).
// The zero value is ready. It keeps about 40 bytes for each entry it was shown.
type Identities struct {
	seen map[[identityBytes]byte]int32
	key  []byte // reused
}

// StageMark stands between an id of the source and the status of an entry that is not final.
const StageMark = "~"

const identityBytes = 16

// Identify gives an entry without ID a derived one. It has to be called in file order, once for each entry.
//
// With a provider id, the identity is (account, provider id, amount, currency, booked on, kind, status),
// for such ids often stand on several rows: a fee repeats the id of its payment. Without one, value date,
// instant and every text take its place. Either way the n-th entry of a file with the same identity gets
// "#n" from the second on: two equal payments on one day are two, and reading the same file again, or a
// later one that holds the whole day, gives the same ids. The status is part of it, so that the booked row
// that follows a pending one is an entry of its own; only booked ones moved money. So is what a report is to
// the statement that follows.
//
// An id of the source names the movement. As long as it is not final the entry has that id with "~" and its
// status, so that both stages can be recorded, in whatever order they come.
//
// Texts count without case and runs of blanks, which exports of the same bank differ in.
func (x *Identities) Identify(e *Entry) {
	if e.ID != "" {
		e.ID = stageID(e)
		return
	}
	if x.seen == nil {
		x.seen = make(map[[identityBytes]byte]int32)
	}
	x.key = appendIdentity(x.key[:0], e)
	sum := sha256.Sum256(x.key)
	short := [identityBytes]byte(sum[:identityBytes])
	x.seen[short]++

	var id [len(DerivedPrefix) + 2*identityBytes]byte
	copy(id[:], DerivedPrefix)
	hex.Encode(id[len(DerivedPrefix):], short[:])
	e.ID = string(id[:])
	if n := x.seen[short]; n > 1 {
		e.ID += "#" + strconv.Itoa(int(n))
	}
}

// stageID is the id that the source gives, marked as long as the movement is not final. One that was derived, or marked,
// and came back through a file stays as it is.
func stageID(e *Entry) string {
	switch e.Status {
	case StatusPending, StatusInfo, StatusExpected, StatusUnknown:
	default:
		return e.ID
	}
	mark := StageMark + string(e.Status)
	if strings.HasPrefix(e.ID, DerivedPrefix) || strings.HasSuffix(e.ID, mark) {
		return e.ID
	}
	return e.ID + mark
}

// SourceID is the entry's id as its source prints it, by which a person finds it there: without the mark of a stage. A
// movement that was announced and then booked has it twice.
func (e *Entry) SourceID() string {
	if strings.HasPrefix(e.ID, DerivedPrefix) {
		return e.ID
	}
	return strings.TrimSuffix(e.ID, StageMark+string(e.Status))
}

// appendIdentity appends what names an entry, every part behind its length, so that no two different
// entries give the same bytes.
func appendIdentity(b []byte, e *Entry) []byte {
	b = appendPart(b, e.AccountID)
	b = appendPart(b, e.ProviderID)
	b = binary.BigEndian.AppendUint64(b, uint64(e.Amount))
	b = appendPart(b, string(e.Currency))
	b = binary.BigEndian.AppendUint32(b, uint32(e.BookedOn))
	b = appendPart(b, string(e.Kind))
	b = appendPart(b, string(e.Status))
	if e.Report != "" {
		b = appendPart(b, string(e.Report))
	}
	if e.ProviderID != "" {
		return b
	}
	b = binary.BigEndian.AppendUint32(b, uint32(e.ValueOn))
	b = appendInstant(b, e)
	for _, text := range [...]string{
		e.CounterpartyName, e.CounterpartyAccount, e.EndToEndID, e.IdempotencyKey,
		e.MerchantReference, e.RemittanceText, e.OriginalProviderID, e.GroupID,
	} {
		b = appendPart(b, foldText(text))
	}
	return b
}

// appendInstant keeps no instant apart from the first microsecond of 1970.
func appendInstant(b []byte, e *Entry) []byte {
	if e.OccurredAt.IsZero() {
		return append(b, 0)
	}
	return binary.BigEndian.AppendUint64(append(b, 1), uint64(e.OccurredAt.UnixMicro()))
}

func appendPart(b []byte, s string) []byte {
	return append(binary.BigEndian.AppendUint32(b, uint32(len(s))), s...)
}

// foldText makes texts equal that differ in case and runs of blanks only.
func foldText(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(strings.Join(strings.Fields(s), " "))
}
