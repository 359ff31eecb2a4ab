package intake_test

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"agentrecon/ledger"
	"agentrecon/ledger/ledgertest"
	"agentrecon/recon"
	"agentrecon/recon/intake"
)

func TestArchives(t *testing.T) {
	ledgertest.Run(t, "testdata/*.txtar", func(t *testing.T, in ledgertest.Input) string {
		window := intake.DefaultCollapseWindow
		if in.Options["window"] != "" {
			var err error
			if window, err = time.ParseDuration(in.Options["window"]); err != nil {
				t.Fatal(err)
			}
		}
		_, allowEmpty := in.Options["allow-empty"]
		options := intake.Options{DefaultCurrency: ledger.Currency(in.Options["currency"]), AllowEmpty: allowEmpty}
		text, summary, err := dump(in.Options["population"], in.Name, bytes.NewReader(in.Data), options, window)
		if err != nil {
			return err.Error() + "\n"
		}
		return text + dumpSummary(summary)
	})
}

// dump prints what the reader of a population hands on.
func dump(population, name string, r io.Reader, options intake.Options, window time.Duration) (string, intake.Summary, error) {
	var b strings.Builder
	line := func(no int, fields ...any) { fmt.Fprintf(&b, "%d: %s\n", no, ledgertest.Show(fields...)) }
	var summary intake.Summary
	var err error
	switch population {
	case "attempts":
		summary, err = intake.Attempts(name, r, options, func(a *intake.AttemptRow) error {
			delivery := ""
			if a.Delivery {
				delivery = "yes"
			}
			line(a.Line, append(attemptFields(&a.Attempt), "delivery", delivery)...)
			return nil
		})
	case "outcomes":
		summary, err = intake.Outcomes(name, r, options, func(o recon.Outcome, no int) error {
			line(no, "attempt", o.AttemptID, "status", o.Status, "ref", o.ProviderRef, "error", o.Error, "args", o.ArgsSHA256, "at", instant(o.ObservedAt))
			return nil
		})
	case "sessions":
		summary, err = intake.Sessions(name, r, options, func(e recon.SessionEvent, no int) error {
			line(no, "session", e.SessionID, "event", e.Event, "at", instant(e.At))
			return nil
		})
	case "audit":
		var rows []recon.AuditRow
		summary, err = intake.Audit(name, r, options, func(row recon.AuditRow) error {
			rows = append(rows, row)
			return nil
		})
		for _, a := range intake.Collapse(rows, window) {
			var firings []string
			for _, at := range a.Firings {
				firings = append(firings, at.Format("15:04:05.999999"))
			}
			line(a.Line, append(attemptFields(&a.Attempt), "deliveries", a.Deliveries, "firings", strings.Join(firings, ","))...)
		}
	default:
		return "", summary, fmt.Errorf("no population %q", population)
	}
	return b.String(), summary, err
}

func attemptFields(a *recon.Attempt) []any {
	source := string(a.IDSource)
	if a.IDSource == recon.IDUnspecified {
		source = ""
	}
	return []any{
		"id", a.ID, "session", a.SessionID, "minor", a.Minor, "currency", a.Currency, "from", a.SourceAccount, "to", a.DestAccount,
		"ref", a.Reference, "key", a.IdempotencyKey, "key_source", a.KeySource, "id_source", source, "args", a.ArgsSHA256,
		"tool", a.Tool, "harness", a.Harness, "agent", a.AgentID, "turn", a.TurnID, "at", instant(a.ProposedAt),
	}
}

func instant(t time.Time) string { return t.Format(time.RFC3339Nano) }

func dumpSummary(s intake.Summary) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s, %d rows of %s; %d repeats, %d deliveries, %d currencies assumed\n",
		s.File.Population, s.File.Format, s.File.Rows, s.File.Name, s.Repeats, s.Deliveries, s.AssumedCurrency)
	for _, total := range s.File.Totals {
		fmt.Fprintf(&b, "total %d, %s\n", total.Count, ledger.FormatMoney(total.Minor, total.Currency))
	}
	return b.String()
}
