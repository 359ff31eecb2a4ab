package report_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agentrecon/recon"
	"agentrecon/report"
	"agentrecon/report/reporttest"
)

// golden compares a text with a golden file, which -update rewrites.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("%s changed; rewrite with -update if that is meant (-want +got):\n%s", name, diff)
	}
}

func findings(t *testing.T, r *recon.Report, format report.Format) string {
	t.Helper()
	_, sum := write(t, r, report.Options{})
	var b bytes.Buffer
	if err := report.WriteFindings(&b, r, format, sum); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestOnePageAndMessage(t *testing.T) {
	for name, r := range map[string]*recon.Report{"quarter": reporttest.Quarter(), "nil": reporttest.Nil(), "sample": reporttest.Sample()} {
		golden(t, name+".md", findings(t, r, report.Markdown))
		_, sum := write(t, r, report.Options{})
		message := report.Message(r, sum, "q1.xlsx, sha256 0123456789abcdef")
		golden(t, name+".message.txt", message)
		if lines := strings.Count(message, "\n"); lines > 12 {
			t.Errorf("%s: got a message of %d lines, want at most 12", name, lines)
		}
		for i := range r.Attempts {
			for _, account := range []string{r.Attempts[i].Attempt.DestAccount, r.Attempts[i].Attempt.SourceAccount} {
				if len(account) > 15 && r.Attempts[i].Attempt.ID != account && strings.Contains(message, account) {
					t.Errorf("%s: the message holds account %s", name, account)
				}
			}
		}
	}
}

// CSV and JSON lines list what the sheets list, each item once, and say the same.
func TestEveryFormatListsTheSameItems(t *testing.T) {
	r := reporttest.Sample()
	_, sum := write(t, r, report.Options{})
	want := 0
	for _, s := range sum.Rows {
		if !slices.Contains([]report.Sheet{report.SheetAccounts, report.SheetRepeats, report.SheetEdge, report.SheetChanges}, s.Sheet) {
			want += s.Rows
		}
	}
	records, err := csv.NewReader(strings.NewReader(findings(t, r, report.CSV))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(findings(t, r, report.JSONL)), "\n")
	if len(records)-1 != want || len(lines) != want {
		t.Fatalf("got %d records and %d lines, want the %d items of the sheets", len(records)-1, len(lines), want)
	}
	for n, line := range lines {
		var f map[string]any
		if err := json.Unmarshal([]byte(line), &f); err != nil {
			t.Fatal(err)
		}
		for i, name := range records[0] {
			value, ok := f[name]
			if !ok {
				t.Fatalf("the JSON lines have no %q", name)
			}
			text, isText := value.(string)
			if got := records[n+1][i]; isText && strings.TrimPrefix(got, "'") != strings.TrimPrefix(strings.ToValidUTF8(text, "\xff"), "'") && !strings.Contains(got, "\xff") {
				t.Errorf("item %d: CSV has %s %q, JSON %q", n, name, got, text)
			}
		}
		if len(f) != len(records[0]) {
			t.Errorf("got %d fields in JSON, %d in CSV", len(f), len(records[0]))
		}
	}
	for _, record := range records[1:] {
		for i, field := range record {
			if field != "" && strings.ContainsAny(field[:1], "=+@\t\r") || strings.HasPrefix(field, "-") && records[0][i] != "minor" && records[0][i] != "difference_minor" && records[0][i] != "amount" {
				t.Errorf("%s %q would run as a formula", records[0][i], field)
			}
		}
	}
}

func TestFormatsAreTheSameEveryTime(t *testing.T) {
	for _, format := range report.Formats {
		if a, b := findings(t, reporttest.Sample(), format), findings(t, reporttest.Sample(), format); a != b {
			t.Errorf("%s: the same report gave other bytes", format)
		}
	}
	if err := report.WriteFindings(&bytes.Buffer{}, reporttest.Nil(), "pdf", report.Summary{}); !errors.Is(err, report.ErrInvalid) {
		t.Errorf("got %v, want ErrInvalid", err)
	}
}

func TestPopulationFile(t *testing.T) {
	r := reporttest.Small()
	var a, b bytes.Buffer
	file, err := report.WriteAgreedCSV(t.Context(), &a, reporttest.Agreed(r)(t.Context()))
	if err != nil {
		t.Fatal(err)
	}
	again, err := report.WriteAgreedCSV(t.Context(), &b, reporttest.Agreed(r)(t.Context()))
	if err != nil || a.String() != b.String() || file != again {
		t.Errorf("the same population gave other bytes (%v)", err)
	}
	records, err := csv.NewReader(&a).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if file.Rows != 10 || len(records) != 11 {
		t.Fatalf("got %d rows said, %d records; want 10 and a header", file.Rows, len(records))
	}
	want := []string{"8", "toolu_agreed_00000008", "980000", "JPY", "980000", "2025-01-02T08:23:03.417Z", "2025-01-02", "entry-agreed-00000008", "idempotency_key", "tool_use_id", ""}
	if diff := cmp.Diff(want, records[8]); diff != "" {
		t.Errorf("row 8 (-want +got):\n%s", diff)
	}
}
