package csvprofile_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"agentrecon/ledger"
	"agentrecon/ledger/csvprofile"
	"agentrecon/ledger/tabular"
)

// drawEntries draws canonical entries as a source could hold them, some without ids and many alike.
func drawEntries(t *rapid.T) []ledger.Entry {
	text := rapid.Custom(func(t *rapid.T) string {
		return strings.Trim(rapid.StringOfN(rapid.SampledFrom([]rune("ab ,;\"é\n")), 0, 6, -1).Draw(t, "text"), " ")
	})
	id := rapid.SampledFrom([]string{"", "", "p1", "p2", "toolu_01", "a\nb"})
	entry := rapid.Custom(func(t *rapid.T) ledger.Entry {
		e := ledger.Entry{
			ProviderID: id.Draw(t, "provider"), AccountID: rapid.SampledFrom([]string{"", "A", "B"}).Draw(t, "account"),
			BookedOn: ledger.NewDate(2025, 1, rapid.IntRange(1, 3).Draw(t, "booked")),
			Amount:   rapid.Int64Range(10-ledger.MaxMinor, ledger.MaxMinor-10).Draw(t, "amount"),
			Currency: rapid.SampledFrom([]ledger.Currency{"EUR", "JPY", "KWD"}).Draw(t, "currency"),
			Kind:     rapid.SampledFrom(ledger.Kinds).Draw(t, "kind"), Status: rapid.SampledFrom(ledger.Statuses).Draw(t, "status"),
			CounterpartyName: text.Draw(t, "name"), CounterpartyAccount: id.Draw(t, "to"), EndToEndID: id.Draw(t, "end to end"),
			IdempotencyKey: id.Draw(t, "key"), MerchantReference: id.Draw(t, "reference"), RemittanceText: text.Draw(t, "remittance"),
			OriginalProviderID: id.Draw(t, "original"), GroupID: id.Draw(t, "group"),
		}
		if rapid.Bool().Draw(t, "small") {
			e.Amount %= 3
		}
		if rapid.Bool().Draw(t, "has instant") {
			e.OccurredAt = time.UnixMicro(rapid.Int64Range(-1e15, 4e15).Draw(t, "at")).UTC()
		}
		if rapid.Bool().Draw(t, "has value date") {
			e.ValueOn = e.BookedOn.AddDays(rapid.IntRange(-1, 1).Draw(t, "value"))
		}
		if rapid.Bool().Draw(t, "has net") {
			fee := rapid.Int64Range(0, 5).Draw(t, "fee")
			e.Net, e.Fee, e.Gross = ledger.Some(e.Amount), ledger.Some(fee), ledger.Some(e.Amount+fee)
			if (e.Gross.Minor < 0) != (e.Amount < 0) {
				e.Gross, e.Fee = ledger.Some(e.Amount), ledger.Some(0)
			}
		}
		if rapid.Bool().Draw(t, "instructed") && e.Amount != 0 {
			e.OrigCurrency = rapid.SampledFrom([]ledger.Currency{"EUR", "JPY", "KWD"}).Draw(t, "instructed in")
			if e.OrigAmount = ledger.Some(rapid.Int64Range(0, 1e6).Draw(t, "instructed amount")); e.Amount < 0 {
				e.OrigAmount.Minor = -e.OrigAmount.Minor
			}
		}
		return e
	})
	return rapid.SliceOfN(entry, 1, 12).Draw(t, "entries")
}

// record prints an entry by the columns of the profile.
func record(e *ledger.Entry) map[string]string {
	return map[string]string{
		"entry_id": e.ID, "provider_id": e.ProviderID, "account_id": e.AccountID,
		"booked_on": e.BookedOn.String(), "value_on": e.ValueOn.String(), "occurred_at": instant(e.OccurredAt),
		"amount": ledger.FormatDecimal(e.Amount, e.Currency.Exponent()), "currency": string(e.Currency),
		"gross": optional(e.Gross, e.Currency), "fee": optional(e.Fee, e.Currency), "net": optional(e.Net, e.Currency),
		"kind": string(e.Kind), "status": string(e.Status),
		"counterparty_name": e.CounterpartyName, "counterparty_account": e.CounterpartyAccount, "end_to_end_id": e.EndToEndID,
		"idempotency_key": e.IdempotencyKey, "merchant_reference": e.MerchantReference, "remittance_text": e.RemittanceText,
		"original_provider_id": e.OriginalProviderID, "group_id": e.GroupID,
		"orig_amount": optional(e.OrigAmount, e.OrigCurrency), "orig_currency": string(e.OrigCurrency),
	}
}

func formatCSV(entries []ledger.Entry, columns []string, delimiter rune) string {
	var b strings.Builder
	w := csv.NewWriter(&b)
	w.Comma = delimiter
	_ = w.Write(columns)
	for i := range entries {
		values, row := record(&entries[i]), make([]string, len(columns))
		for j, column := range columns {
			row[j] = values[column]
		}
		_ = w.Write(row)
	}
	w.Flush()
	return b.String()
}

func read(t interface{ Fatal(...any) }, text string) ([]ledger.Entry, ledger.SourceFile) {
	var entries []ledger.Entry
	source, err := csvprofile.Read("f", strings.NewReader(text), csvprofile.Options{}, collect(&entries))
	if err != nil {
		t.Fatal(err)
	}
	return entries, source
}

var (
	notPlace = cmpopts.IgnoreFields(ledger.Entry{}, "File", "Line")
	notGiven = cmpopts.IgnoreFields(ledger.Entry{}, "File", "Line", "ID")
	notSum   = cmpopts.IgnoreFields(ledger.SourceFile{}, "SHA256", "Format")
)

func TestWhatIsWrittenIsRead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := drawEntries(t)
		text := formatCSV(want, csvprofile.GenericColumns(), rapid.SampledFrom([]rune(",;\t|")).Draw(t, "delimiter"))
		got, _ := read(t, text)
		if diff := cmp.Diff(want, got, notGiven); diff != "" {
			t.Fatal("(-written +read)", diff)
		}
	})
}

func TestFormDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		entries := drawEntries(t)
		columns := csvprofile.GenericColumns()
		text := formatCSV(entries, columns, ',')
		want, wantSource := read(t, text)

		shuffled := slices.Clone(columns)
		seed := rapid.Uint64().Draw(t, "seed")
		rand.New(rand.NewPCG(seed, 0)).Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		var objects strings.Builder
		for i := range entries {
			_ = json.NewEncoder(&objects).Encode(record(&entries[i]))
		}
		for name, same := range map[string]string{
			"carriage returns and marks": "\ufeff" + strings.ReplaceAll(text, "\n", "\r\n"),
			"columns in another order":   formatCSV(entries, shuffled, ';'),
			"names in capitals":          strings.ToUpper(text[:strings.IndexByte(text, '\n')]) + text[strings.IndexByte(text, '\n'):],
			"JSON Lines":                 objects.String(),
			"ids written out":            formatCSV(want, columns, ','),
		} {
			got, gotSource := read(t, same)
			if diff := cmp.Diff(want, got, notPlace); diff != "" {
				t.Fatal(name, "(-plain +changed)", diff)
			}
			if diff := cmp.Diff(wantSource, gotSource, notSum); diff != "" {
				t.Fatal(name, "source (-plain +changed)", diff)
			}
		}
	})
}

func TestIdsAreUniqueAndDoNotDependOnTheOrderOfRows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		entries := drawEntries(t)
		got, _ := read(t, formatCSV(entries, csvprofile.GenericColumns(), ','))
		slices.Reverse(entries)
		reversed, _ := read(t, formatCSV(entries, csvprofile.GenericColumns(), ','))
		ids := sortedIDs(got)
		if len(slices.Compact(slices.Clone(ids))) != len(ids) {
			t.Fatal("an id twice", ids)
		}
		if diff := cmp.Diff(ids, sortedIDs(reversed)); diff != "" {
			t.Fatal("(-forwards +backwards)", diff)
		}
	})
}

func sortedIDs(entries []ledger.Entry) []string {
	ids := make([]string, len(entries))
	for i := range entries {
		ids[i] = entries[i].ID
	}
	slices.Sort(ids)
	return ids
}

func FuzzRead(f *testing.F) {
	for _, seed := range []string{
		"booked_on,amount,currency\n2025-01-31,-12.50,EUR\n",
		"entry_id;occurred_at;amount;currency;kind;status\ne1;2025-01-31 10:00:00+01;5;JPY;fee;pending\ne1;2025-01-31 10:00:00+01;5;JPY;fee;pending\n",
		"{\"booked_on\":\"2025-01-31\",\"amount\":1.0,\"currency\":\"eur\",\"gross\":2,\"fee\":-1,\"net\":1}\n",
		"account_id,booked_on,amount,currency,remittance_text\nA,2025-01-31,-1,EUR,\"x\ny\"\nA,2025-01-31,-1,EUR,\"X  Y\"\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var entries []ledger.Entry
		source, err := csvprofile.Read("f", bytes.NewReader(data), csvprofile.Options{}, collect(&entries))
		if err != nil {
			var bad *ledger.BadRows
			var file *tabular.FileError
			if !errors.As(err, &bad) && !errors.As(err, &file) {
				t.Fatalf("%T %v", err, err)
			}
			return
		}
		var count int64
		for _, total := range source.Totals {
			count += total.Count
		}
		if int(count) != len(entries) || source.Rows < count {
			t.Fatalf("%d entries handed on, totals of %d, %d rows", len(entries), count, source.Rows)
		}
		ids := sortedIDs(entries)
		if len(slices.Compact(ids)) != len(entries) && !strings.Contains(string(data), ledger.DerivedPrefix) {
			t.Fatal("an id twice")
		}
		again, _ := read(t, formatCSV(entries, csvprofile.GenericColumns(), ','))
		if diff := cmp.Diff(entries, again, notPlace); diff != "" {
			t.Fatal("written and read again (-first +second)", diff)
		}
	})
}
