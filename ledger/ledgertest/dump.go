package ledgertest

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"agentrecon/ledger"
)

// Dump reads an input and prints everything that reading it gives, or its error: what [Run] wants from a test of
// a reader. Options of the input are account, currency, zone, charset, dates, decimal and count-reports.
func Dump(t *testing.T, read ledger.ReadFunc, in Input) string {
	t.Helper()
	options := ledger.ReadOptions{
		Account: in.Options["account"], DefaultCurrency: ledger.Currency(in.Options["currency"]), Charset: in.Options["charset"], DateOrder: in.Options["dates"],
	}
	if mark := in.Options["decimal"]; mark != "" {
		options.DecimalMark = mark[0]
	}
	_, options.CountReports = in.Options["count-reports"]
	if zone := in.Options["zone"]; zone != "" {
		var err error
		if options.Zone, err = time.LoadLocation(zone); err != nil {
			t.Fatal(err)
		}
	}
	var b strings.Builder
	source, err := read(in.Name, bytes.NewReader(in.Data), options, func(e *ledger.Entry) error {
		b.WriteString(DumpEntry(e))
		return nil
	})
	if err != nil {
		return err.Error() + "\n"
	}
	return b.String() + DumpSource(source)
}

// DumpEntry prints an entry on one line, its children on one each below it. What every ordinary entry has
// alike is left out.
func DumpEntry(e *ledger.Entry) string {
	kind, status := string(e.Kind), string(e.Status)
	if e.Kind == ledger.KindPayment {
		kind = ""
	}
	if e.Moved() {
		status = ""
	}
	reversal := ""
	if e.Reversal {
		reversal = "yes"
	}
	at := ""
	if !e.OccurredAt.IsZero() {
		at = e.OccurredAt.UTC().Format(time.RFC3339Nano)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%d: %s\n", e.Line, Show(
		"amount", ledger.FormatDecimal(e.Amount, e.Currency.Exponent()), "currency", e.Currency, "booked", e.BookedOn, "value", e.ValueOn, "at", at,
		"provider", e.ProviderID, "account", e.AccountID,
		"gross", given(e.Gross, e.Currency), "fee", given(e.Fee, e.Currency), "net", given(e.Net, e.Currency),
		"kind", kind, "raw", e.KindRaw, "status", status, "status_raw", e.StatusRaw, "reversal", reversal,
		"name", e.CounterpartyName, "to", e.CounterpartyAccount, "agent", e.CounterpartyAgent,
		"end_to_end", e.EndToEndID, "key", e.IdempotencyKey, "reference", e.MerchantReference, "instruction", e.InstructionID,
		"transaction", e.TransactionID, "mandate", e.MandateID, "creditor_ref", e.CreditorReference, "uetr", e.UETR,
		"original_amount", given(e.OrigAmount, e.OrigCurrency), "original_currency", e.OrigCurrency, "rate", e.FXRate,
		"original", e.OriginalProviderID, "group", e.GroupID, "return", e.ReturnReason, "text", e.RemittanceText,
		"statement", e.StatementID, "warnings", strings.Join(e.Warnings, ","),
	))
	for i := range e.Children {
		b.WriteString("  " + DumpEntry(&e.Children[i]))
	}
	return b.String()
}

// DumpSource prints what is known of a file and its statements.
func DumpSource(s ledger.SourceFile) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %d rows, accounts %q\n", strings.TrimSpace(s.Format+" "+s.Profile), s.Rows, s.Accounts)
	for _, total := range s.Totals {
		fmt.Fprintf(&b, "total %d, %s\n", total.Count, ledger.FormatMoney(total.Minor, total.Currency))
	}
	for i := range s.Statements {
		st := &s.Statements[i]
		fmt.Fprintf(&b, "statement %s\n", Show(
			"account", st.AccountID, "id", st.ID, "sequence", st.Sequence, "currency", st.Currency, "from", st.From, "to", st.To,
			"opening", given(st.Opening.Amount, st.Currency), "closing", given(st.Closing.Amount, st.Currency),
			"available", given(st.Available.Amount, st.Currency),
			"credits", tally(st.Read.Credits, st.Currency), "debits", tally(st.Read.Debits, st.Currency),
			"proof", st.Proof.State, "detail", st.Proof.Detail,
		))
	}
	fmt.Fprintf(&b, "proof %s: %s\n", s.Proof.State, s.Proof.Detail)
	for _, c := range s.Coverage {
		how := "declared"
		if c.Inferred {
			how = "inferred"
		}
		fmt.Fprintf(&b, "covers %q %s up to, excluding, %s, %s\n", c.AccountID, c.From, c.To, how)
	}
	for _, w := range s.Warnings {
		fmt.Fprintf(&b, "warning: %s\n", w)
	}
	return b.String()
}

func given(o ledger.Optional, c ledger.Currency) string {
	if !o.Given {
		return ""
	}
	return ledger.FormatDecimal(o.Minor, c.Exponent())
}

func tally(t ledger.Tally, c ledger.Currency) string {
	if t.Count == 0 {
		return ""
	}
	return fmt.Sprintf("%dx%s", t.Count, ledger.FormatDecimal(t.Minor, c.Exponent()))
}

// Fuzz is the body of a fuzz target for a reader: whatever the bytes, it does not panic, takes back nothing
// it said, hands on only text that a database takes, and refuses with an error that has a place or a reason.
func Fuzz(t *testing.T, read ledger.ReadFunc, data []byte) {
	t.Helper()
	var first, second string
	for _, dump := range []*string{&first, &second} {
		var b strings.Builder
		n := int64(0)
		source, err := read("f", bytes.NewReader(data), ledger.ReadOptions{DefaultCurrency: "EUR"}, func(e *ledger.Entry) error {
			n++
			if e.ID == "" || e.Currency == "" || e.BookedOn.IsZero() || e.Kind == "" || e.Status == "" || e.Line < 1 {
				t.Errorf("incomplete entry: %+v", e)
			}
			b.WriteString(DumpEntry(e))
			return nil
		})
		switch {
		case err != nil && !strings.HasPrefix(err.Error(), "f"):
			t.Errorf("an error that does not name the file: %v", err)
		case err == nil && (len(source.SHA256) != 64 || source.Rows < n):
			t.Errorf("%d entries, source %+v", n, source)
		case err == nil:
			b.WriteString(DumpSource(source))
		}
		*dump = b.String()
		if !utf8.ValidString(*dump) || strings.ContainsRune(*dump, 0) {
			t.Errorf("text that is no UTF-8, or has a NUL in it: %q", *dump)
		}
	}
	if first != second {
		t.Errorf("read twice, two results:\n%s\n%s", first, second)
	}
}

// ErrStop is an error for tests of readers that must stop when the caller says so.
var ErrStop = errors.New("staging is full")
