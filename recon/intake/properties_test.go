package intake_test

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"agentrecon/ledger"
	"agentrecon/ledger/tabular"
	"agentrecon/recon"
	"agentrecon/recon/intake"
)

var attemptColumns = []string{
	"attempt_id", "session_id", "amount_cents", "currency", "source_account", "dest_account", "ref", "idempotency_key", "id_source",
	"proposed_at", "tool", "harness", "agent_id", "turn_id", "args_sha256", "key_source",
}

func record(a *recon.Attempt) map[string]string {
	return map[string]string{
		"attempt_id": a.ID, "session_id": a.SessionID, "amount_cents": fmt.Sprint(a.Minor), "currency": string(a.Currency),
		"source_account": a.SourceAccount, "dest_account": a.DestAccount, "ref": a.Reference, "idempotency_key": a.IdempotencyKey,
		"id_source": string(a.IDSource), "proposed_at": instant(a.ProposedAt), "tool": a.Tool, "harness": a.Harness, "agent_id": a.AgentID,
		"turn_id": a.TurnID, "args_sha256": a.ArgsSHA256, "key_source": a.KeySource,
	}
}

func formatCSV(attempts []recon.Attempt, delimiter rune) string {
	var b strings.Builder
	w := csv.NewWriter(&b)
	w.Comma = delimiter
	_ = w.Write(attemptColumns)
	for i := range attempts {
		values := record(&attempts[i])
		var row []string
		for _, column := range attemptColumns {
			row = append(row, values[column])
		}
		_ = w.Write(row)
	}
	w.Flush()
	return b.String()
}

func drawAttempts(t *rapid.T) []recon.Attempt {
	text := rapid.Custom(func(t *rapid.T) string {
		return strings.Trim(rapid.StringOfN(rapid.SampledFrom([]rune("ab ,;\"é\n")), 0, 6, -1).Draw(t, "text"), " ")
	})
	n := 0
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) recon.Attempt {
		n++
		return recon.Attempt{
			ID: fmt.Sprintf("toolu_%d%s", n, text.Draw(t, "id")), SessionID: "s" + text.Draw(t, "session"),
			Minor: rapid.Int64Range(0, ledger.MaxMinor).Draw(t, "minor"), Currency: rapid.SampledFrom([]ledger.Currency{"EUR", "JPY"}).Draw(t, "currency"),
			SourceAccount: text.Draw(t, "from"), DestAccount: text.Draw(t, "to"), Reference: text.Draw(t, "ref"), IdempotencyKey: text.Draw(t, "key"),
			KeySource: rapid.SampledFrom([]string{"", "caller", "hook"}).Draw(t, "key source"), IDSource: rapid.SampledFrom(recon.IDSources).Draw(t, "id source"),
			ArgsSHA256: rapid.SampledFrom([]string{"", strings.Repeat("0a", 32)}).Draw(t, "args"), Tool: text.Draw(t, "tool"),
			Harness: text.Draw(t, "harness"), AgentID: text.Draw(t, "agent"), TurnID: text.Draw(t, "turn"),
			ProposedAt: time.UnixMicro(rapid.Int64Range(0, 4e15).Draw(t, "at")).UTC(),
		}
	}), 1, 10).Draw(t, "attempts")
}

func readAttempts(t interface{ Fatal(...any) }, text string) ([]intake.AttemptRow, intake.Summary) {
	var rows []intake.AttemptRow
	summary, err := intake.Attempts("f", strings.NewReader(text), intake.Options{}, func(a *intake.AttemptRow) error {
		rows = append(rows, *a)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return rows, summary
}

func TestWhatIsWrittenIsRead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := drawAttempts(t)
		text := formatCSV(want, rapid.SampledFrom([]rune(",;\t|")).Draw(t, "delimiter"))
		var objects strings.Builder
		for i := range want {
			_ = json.NewEncoder(&objects).Encode(record(&want[i]))
		}
		for name, same := range map[string]string{
			"CSV": text, "carriage returns and a mark": "\ufeff" + strings.ReplaceAll(text, "\n", "\r\n"), "JSON Lines": objects.String(),
		} {
			rows, summary := readAttempts(t, same)
			var got []recon.Attempt
			for _, row := range rows {
				got = append(got, row.Attempt)
			}
			if diff := gocmp.Diff(want, got); diff != "" {
				t.Fatal(name, "(-written +read)", diff)
			}
			if summary.Repeats+summary.Deliveries+summary.AssumedCurrency != 0 || summary.File.Rows != int64(len(want)) {
				t.Fatalf("%s: %+v", name, summary)
			}
		}
	})
}

func TestTheSameRowsAgainChangeNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		attempts := drawAttempts(t)
		once, summary := readAttempts(t, formatCSV(attempts, ','))
		again := rapid.SliceOf(rapid.SampledFrom(attempts)).Draw(t, "again")
		twice, withRepeats := readAttempts(t, formatCSV(append(slices.Clone(attempts), again...), ','))
		if diff := gocmp.Diff(once, twice); diff != "" {
			t.Fatal("(-once +twice)", diff)
		}
		if withRepeats.Repeats != int64(len(again)) {
			t.Fatalf("%d repeats, want %d", withRepeats.Repeats, len(again))
		}
		if diff := gocmp.Diff(summary.File.Totals, withRepeats.File.Totals); diff != "" {
			t.Fatal("totals (-once +twice)", diff)
		}
	})
}

func TestEveryTimeOfAnAttemptIsHandedOnOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		attempt := drawAttempts(t)[0]
		seconds := rapid.SliceOfN(rapid.Int64Range(0, 5), 1, 12).Draw(t, "seconds")
		var firings []recon.Attempt
		for _, s := range seconds {
			attempt.ProposedAt = time.Unix(s, 0).UTC()
			firings = append(firings, attempt)
		}
		rows, summary := readAttempts(t, formatCSV(firings, ','))
		var got []int64
		for i, row := range rows {
			got = append(got, row.ProposedAt.Unix())
			if row.Delivery != (i > 0) {
				t.Fatalf("row %d: delivery is %t", i, row.Delivery)
			}
		}
		slices.Sort(got)
		slices.Sort(seconds)
		want := slices.Compact(slices.Clone(seconds))
		if !slices.Equal(got, want) || summary.Repeats != int64(len(seconds)-len(want)) || summary.Deliveries != int64(len(want)-1) {
			t.Fatalf("got %v, want %v; %+v", got, want, summary)
		}
		if len(summary.File.Totals) != 1 || summary.File.Totals[0].Count != 1 || summary.File.Totals[0].Minor != attempt.Minor {
			t.Fatalf("an attempt counted more than once: %+v", summary.File.Totals)
		}
	})
}

func TestCollapse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows := rapid.SliceOf(rapid.Custom(func(t *rapid.T) recon.AuditRow {
			return recon.AuditRow{
				RecordedAt: time.Unix(rapid.Int64Range(0, 300).Draw(t, "at"), 0).UTC(), SessionID: rapid.SampledFrom([]string{"s", "s1"}).Draw(t, "session"),
				Minor: rapid.Int64Range(1, 2).Draw(t, "minor"), Currency: "EUR", DestAccount: "D",
			}
		})).Draw(t, "rows")
		window := time.Duration(rapid.IntRange(0, 90).Draw(t, "window")) * time.Second
		attempts := intake.Collapse(rows, window)
		checkCollapsed(t, attempts, len(rows), window)

		slices.Reverse(rows)
		if diff := gocmp.Diff(attempts, intake.Collapse(rows, window), cmpopts.IgnoreFields(intake.LegacyAttempt{}, "Line")); diff != "" {
			t.Fatal("(-forwards +backwards)", diff)
		}
	})
}

// checkCollapsed checks that no row is lost, that firings of one call are near each other, and that those
// of two are not.
func checkCollapsed(t *rapid.T, attempts []intake.LegacyAttempt, rows int, window time.Duration) {
	type call struct {
		session string
		minor   int64
	}
	ids, last := map[string]bool{}, map[call]time.Time{}
	if !slices.IsSortedFunc(attempts, func(a, b intake.LegacyAttempt) int {
		return cmp.Or(a.ProposedAt.Compare(b.ProposedAt), strings.Compare(a.ID, b.ID))
	}) {
		t.Fatal("not in order")
	}
	for _, a := range attempts {
		if ids[a.ID] {
			t.Fatalf("%s twice", a.ID)
		}
		ids[a.ID] = true
		rows -= len(a.Firings)
		if a.Deliveries != len(a.Firings) || !a.Firings[0].Equal(a.ProposedAt) || a.IDSource != recon.IDLegacyWindow {
			t.Fatalf("%+v", a)
		}
		c := call{a.SessionID, a.Minor}
		if before, ok := last[c]; ok && a.ProposedAt.Sub(before) <= window {
			t.Fatalf("two attempts %v apart, window %v", a.ProposedAt.Sub(before), window)
		}
		for i := 1; i < len(a.Firings); i++ {
			if gap := a.Firings[i].Sub(a.Firings[i-1]); gap < 0 || gap > window {
				t.Fatalf("firings %v apart, window %v", gap, window)
			}
		}
		last[c] = a.Firings[len(a.Firings)-1]
	}
	if rows != 0 {
		t.Fatalf("%d rows lost", rows)
	}
}

func TestErrorsOfTheCallerComeThrough(t *testing.T) {
	full := errors.New("staging is full")
	_, err := intake.Sessions("f", strings.NewReader("session_id,event,at\ns,ended,2025-01-01T00:00:00Z\n"), intake.Options{},
		func(recon.SessionEvent, int) error { return full })
	if !errors.Is(err, full) {
		t.Error(err)
	}
}

func TestLimitsOfValues(t *testing.T) {
	file := func(id, ref string) string {
		return "attempt_id,session_id,amount_cents,dest_account,proposed_at,ref\n" + id + ",s,1,D,2025-01-01T00:00:00Z," + ref + "\n"
	}
	for name, test := range map[string]struct{ file, want string }{
		"longest":       {file(strings.Repeat("x", tabular.MaxID), strings.Repeat("x", tabular.MaxText)), ""},
		"id too long":   {file(strings.Repeat("x", tabular.MaxID+1), ""), "513 bytes, an identifier has at most 512"},
		"text too long": {file("a", strings.Repeat("x", tabular.MaxText+1)), "4097 bytes, a text has at most 4096"},
	} {
		_, err := intake.Attempts("f", strings.NewReader(test.file), intake.Options{DefaultCurrency: "EUR"}, func(*intake.AttemptRow) error { return nil })
		if (err == nil) != (test.want == "") || err != nil && !strings.HasSuffix(err.Error(), test.want) {
			t.Errorf("%s: got %v, want %s", name, err, test.want)
		}
	}
}

func FuzzRead(f *testing.F) {
	for population, seed := range map[string]string{
		"attempts": "attempt_id,session_id,amount_cents,dest_account,proposed_at\na,s,100,D,2025-02-19 11:04:07+00\na,s,100,D,2025-02-19 11:04:08+00\n",
		"outcomes": "attempt_id,status,observed_at\na,failed,2025-02-19T11:04:07Z\na,succeeded,2025-02-19T11:04:07Z\n",
		"sessions": "session_id,event,at\ns,ended,2025-02-19T11:04:07Z\n",
		"audit":    "{\"recorded_at\":\"2025-02-19T11:04:07Z\",\"session_id\":\"s\",\"amount_cents\":1}\n",
	} {
		f.Add(population, []byte(seed))
	}
	f.Fuzz(func(t *testing.T, population string, data []byte) {
		text, summary, err := dump(population, "f", bytes.NewReader(data), intake.Options{DefaultCurrency: "EUR"}, time.Minute)
		if err != nil {
			return
		}
		handedOn := int64(strings.Count(text, "\n"))
		if population != "audit" && handedOn+summary.Repeats != summary.File.Rows {
			t.Fatalf("%d rows, %d handed on, %d repeats", summary.File.Rows, handedOn, summary.Repeats)
		}
	})
}
