package csvprofile_test

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"agentrecon/ledger"
	"agentrecon/ledger/csvprofile"
	"agentrecon/ledger/ledgertest"
)

func TestArchives(t *testing.T) {
	ledgertest.Run(t, "testdata/*.txtar", func(t *testing.T, in ledgertest.Input) string {
		var entries []ledger.Entry
		source, err := csvprofile.Read(in.Name, bytes.NewReader(in.Data), options(t, in.Options), collect(&entries))
		if err != nil {
			return err.Error() + "\n"
		}
		return dumpEntries(entries) + dumpSource(source)
	})
}

func collect(entries *[]ledger.Entry) func(*ledger.Entry) error {
	return func(e *ledger.Entry) error {
		*entries = append(*entries, *e)
		return nil
	}
}

func options(t *testing.T, o ledgertest.Options) csvprofile.Options {
	t.Helper()
	var err error
	check := func() {
		if err != nil {
			t.Fatal(err)
		}
	}
	result := csvprofile.Options{Account: o["account"], DefaultCurrency: ledger.Currency(o["currency"])}
	if o["zone"] != "" {
		result.Zone, err = time.LoadLocation(o["zone"])
		check()
	}
	if o["covers"] != "" {
		result.Covers, err = ledger.ParseCovers(o["covers"])
		check()
	}
	if o["expect-count"] != "" {
		result.Expect.HasCount = true
		result.Expect.Count, err = strconv.ParseInt(o["expect-count"], 10, 64)
		check()
	}
	result.Expect.Sum = o["expect-sum"]
	return result
}

func dumpEntries(entries []ledger.Entry) string {
	var b strings.Builder
	for _, e := range entries {
		kind, status := string(e.Kind), string(e.Status)
		if e.Kind == ledger.KindPayment {
			kind = ""
		}
		if e.Moved() {
			status = ""
		}
		fmt.Fprintf(&b, "%d: %s\n", e.Line, ledgertest.Show(
			"id", e.ID, "provider", e.ProviderID, "account", e.AccountID, "booked", e.BookedOn, "value", e.ValueOn, "at", instant(e.OccurredAt),
			"amount", ledger.FormatDecimal(e.Amount, e.Currency.Exponent()), "currency", e.Currency,
			"gross", optional(e.Gross, e.Currency), "fee", optional(e.Fee, e.Currency), "net", optional(e.Net, e.Currency),
			"kind", kind, "status", status, "name", e.CounterpartyName, "to", e.CounterpartyAccount, "end_to_end", e.EndToEndID,
			"key", e.IdempotencyKey, "reference", e.MerchantReference, "text", e.RemittanceText, "original", e.OriginalProviderID, "group", e.GroupID, "warnings", strings.Join(e.Warnings, ","),
		))
	}
	return b.String()
}

func instant(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Format(time.RFC3339Nano)
}

func optional(o ledger.Optional, c ledger.Currency) string {
	if !o.Given {
		return ""
	}
	return ledger.FormatDecimal(o.Minor, c.Exponent())
}

func dumpSource(s ledger.SourceFile) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s %s, %d rows of %s, accounts %q\n", s.Population, s.Format, s.Profile, s.Rows, s.Name, s.Accounts)
	for _, total := range s.Totals {
		fmt.Fprintf(&b, "total %d, %s\n", total.Count, ledger.FormatMoney(total.Minor, total.Currency))
	}
	for _, total := range s.Expected {
		fmt.Fprintf(&b, "expected %d, %s\n", total.Count, ledger.FormatMoney(total.Minor, total.Currency))
	}
	fmt.Fprintf(&b, "proof %s: %s\n", s.Proof.State, s.Proof.Detail)
	for _, c := range s.Coverage {
		how := "declared"
		if c.Inferred {
			how = "inferred"
		}
		fmt.Fprintf(&b, "covers %q %s up to, excluding, %s, %s\n", c.AccountID, c.From, c.To, how)
	}
	return b.String()
}

var _ ledger.ReadFunc = csvprofile.Read
