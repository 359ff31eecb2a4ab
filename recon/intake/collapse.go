package intake

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"slices"
	"strings"
	"time"

	"agentrecon/ledger"
	"agentrecon/recon"
)

// DefaultCollapseWindow is how far apart two firings of one call may be.
const DefaultCollapseWindow = 60 * time.Second

// LegacyPrefix starts the ids of attempts made from audit rows.
const LegacyPrefix = "legacy-"

// LegacyAttempt is an attempt made from the audit rows of its firings.
type LegacyAttempt struct {
	recon.Attempt
	Firings []time.Time // every row's time, ascending; the first is ProposedAt
	Line    int         // of the first firing in its file, from 1
}

// Collapse makes attempts of audit rows, one row being one firing of a hook. Rows that agree in everything
// but time are firings of one call as long as each follows the one before it within the window, that one
// included; the window runs from the previous firing, not from the first, so that a call retried every 50
// seconds for ten minutes stays one call. A longer pause starts another call.
//
// This is a guess, and the attempts say so ([recon.IDLegacyWindow]): two equal transfers meant within the
// window become one. The order of the rows does not matter; attempts come back by time and id.
func Collapse(rows []recon.AuditRow, window time.Duration) []LegacyAttempt {
	sorted := slices.Clone(rows)
	slices.SortStableFunc(sorted, func(a, b recon.AuditRow) int {
		return cmp.Or(compareCalls(&a, &b), a.RecordedAt.Compare(b.RecordedAt), cmp.Compare(a.Line, b.Line))
	})
	var attempts []LegacyAttempt
	for i := range sorted {
		row := &sorted[i]
		if i > 0 && compareCalls(&sorted[i-1], row) == 0 && row.RecordedAt.Sub(sorted[i-1].RecordedAt) <= window {
			last := &attempts[len(attempts)-1]
			last.Firings = append(last.Firings, row.RecordedAt)
			last.Deliveries++
			continue
		}
		attempts = append(attempts, legacyAttempt(row))
	}
	slices.SortFunc(attempts, func(a, b LegacyAttempt) int {
		return cmp.Or(a.ProposedAt.Compare(b.ProposedAt), strings.Compare(a.ID, b.ID))
	})
	return attempts
}

// compareCalls orders rows by everything but time; equal rows are firings of equal calls.
func compareCalls(a, b *recon.AuditRow) int {
	return cmp.Or(
		strings.Compare(a.SessionID, b.SessionID),
		cmp.Compare(a.Minor, b.Minor),
		cmp.Compare(a.Currency, b.Currency),
		strings.Compare(a.SourceAccount, b.SourceAccount),
		strings.Compare(a.DestAccount, b.DestAccount),
		strings.Compare(a.Reference, b.Reference),
	)
}

func legacyAttempt(row *recon.AuditRow) LegacyAttempt {
	return LegacyAttempt{
		Attempt: recon.Attempt{
			ID:            legacyID(row),
			SessionID:     row.SessionID,
			Minor:         row.Minor,
			Currency:      row.Currency,
			SourceAccount: row.SourceAccount,
			DestAccount:   row.DestAccount,
			Reference:     row.Reference,
			IDSource:      recon.IDLegacyWindow,
			ProposedAt:    row.RecordedAt,
			Deliveries:    1,
		},
		Firings: []time.Time{row.RecordedAt},
		Line:    row.Line,
	}
}

const legacyIDBytes = 16

// legacyID names a call by what its rows agree in and its first time, to the microsecond.
func legacyID(row *recon.AuditRow) string {
	var b []byte
	for _, part := range [...]string{
		row.SessionID, ledger.FormatDecimal(row.Minor, 0), string(row.Currency),
		row.SourceAccount, row.DestAccount, row.Reference,
		row.RecordedAt.UTC().Truncate(time.Microsecond).Format(time.RFC3339Nano),
	} {
		b = append(binary.BigEndian.AppendUint32(b, uint32(len(part))), part...)
	}
	sum := sha256.Sum256(b)
	return LegacyPrefix + hex.EncodeToString(sum[:legacyIDBytes])
}
