package report

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"iter"
	"strconv"
	"strings"
	"time"

	"agentrecon/ledger"
	"agentrecon/recon"
)

// AgreedFile describes a file of agreed attempts.
type AgreedFile struct {
	Name   string // without its folder
	SHA256 string // of its bytes, lower-case hex
	Rows   int64
}

var agreedCSVHead = []string{
	"no", "attempt_id", "amount", "currency", "minor", "proposed_at", "booked_on", "entry_id", "agreed_by", "id_source", "flags",
}

// WriteAgreedCSV writes the full population of agreed attempts as CSV (RFC 4180, UTF-8, a header): for populations that no
// spreadsheet should open. It returns its hash and number of rows.
func WriteAgreedCSV(ctx context.Context, w io.Writer, pairs iter.Seq2[recon.AgreedPair, error]) (AgreedFile, error) {
	hash := sha256.New()
	out := bufio.NewWriterSize(io.MultiWriter(w, hash), 1<<16)
	file := AgreedFile{}
	writeCSV(out, agreedCSVHead)
	for pair, err := range pairs {
		if err != nil {
			return file, fmt.Errorf("read agreed attempts: %w", err)
		}
		if file.Rows%1000 == 0 && ctx.Err() != nil {
			return file, ctx.Err()
		}
		file.Rows++
		writeCSV(out, []string{
			strconv.FormatInt(file.Rows, 10), pair.AttemptID, ledger.FormatDecimal(pair.Minor, pair.Currency.Exponent()), string(pair.Currency),
			strconv.FormatInt(pair.Minor, 10), pair.ProposedAt.UTC().Format(time.RFC3339Nano), pair.BookedOn.String(), pair.EntryID,
			pair.Tier.String(), string(pair.IDSource), flagList(pair.Flags, " "),
		})
	}
	if err := out.Flush(); err != nil {
		return file, fmt.Errorf("%v: %w", reason(err), ErrCannotWrite)
	}
	file.SHA256 = hex.EncodeToString(hash.Sum(nil))
	return file, nil
}

// writeCSV writes a record. A bufio.Writer keeps its first error for Flush.
func writeCSV(w *bufio.Writer, fields []string) {
	for i, f := range fields {
		if i > 0 {
			_ = w.WriteByte(',')
		}
		_, _ = w.WriteString(csvField(f))
	}
	_, _ = w.WriteString("\r\n")
}

// csvField quotes a field. A spreadsheet that opens a CSV file runs what begins with = + - @, a tab or a return: such a
// text gets an apostrophe before it, numbers do not.
func csvField(s string) string {
	if s != "" && strings.ContainsAny(s[:1], "=+-@\t\r\n") && !plainNumber(s) || startsWide(s) {
		s = "'" + s
	}
	if strings.ContainsAny(s, "\",\r\n") || strings.TrimSpace(s) != s {
		return `"` + strings.ReplaceAll(s, `"`, `""`) + `"`
	}
	return s
}

// startsWide tells the full-width forms of the same characters, which some spreadsheets take for them.
func startsWide(s string) bool {
	for _, wide := range []string{"＝", "＋", "－", "＠"} {
		if strings.HasPrefix(s, wide) {
			return true
		}
	}
	return false
}

// plainNumber reports whether a text is a decimal number and nothing else.
func plainNumber(s string) bool {
	s = strings.TrimPrefix(s, "-")
	whole, fraction, dotted := strings.Cut(s, ".")
	digits := func(s string) bool {
		return s != "" && strings.Trim(s, "0123456789") == ""
	}
	return digits(whole) && (!dotted || digits(fraction))
}
