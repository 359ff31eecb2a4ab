//go:build office

// These tests need LibreOffice (soffice on PATH, or RECON_SOFFICE); .ci/workbook installs it and runs them.

package report_test

import (
	"bytes"
	"cmp"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"

	"agentrecon/recon"
	"agentrecon/report"
	"agentrecon/report/reporttest"
)

func soffice() string { return cmp.Or(os.Getenv("RECON_SOFFICE"), "soffice") }

// Every formula comes back to its cached value when a program that is not ours works it out.
func TestOfficeEveryFormulaRecalculates(t *testing.T) {
	for _, test := range []struct {
		name string
		r    *recon.Report
		opts report.Options
	}{
		{"sample", reporttest.Sample(), report.Options{}},
		{"sample with its population", reporttest.Sample(), report.Options{Agreed: reporttest.Agreed(reporttest.Sample())}},
		{"quarter", reporttest.Quarter(), report.Options{}},
		{"many currencies", reporttest.Currencies(), report.Options{Paper: report.Letter}},
		{"nil", reporttest.Nil(), report.Options{Agreed: reporttest.Agreed(reporttest.Nil())}},
	} {
		t.Run(test.name, func(t *testing.T) {
			workbook, _ := write(t, test.r, test.opts)
			differences, compared, err := reporttest.Recalculated(t.Context(), soffice(), t.TempDir(), workbook)
			if err != nil {
				t.Fatal(err)
			}
			if compared < 300 {
				t.Errorf("got %d formulas compared, want at least 300", compared)
			}
			for _, d := range differences {
				t.Error(d)
			}
			keep(t, strings.ReplaceAll(test.name, " ", "-")+".xlsx", workbook)
		})
	}
}

// keep leaves a workbook for the readers that come after, where the folder is named.
func keep(t *testing.T, name string, workbook []byte) {
	t.Helper()
	folder := os.Getenv("RECON_OFFICE_OUT")
	if folder == "" {
		folder = t.TempDir()
	}
	if err := os.WriteFile(filepath.Join(folder, name), workbook, 0o600); err != nil {
		t.Fatal(err)
	}
}

// One changed minor unit turns exactly the right checks, live.
func TestOfficeChangedCellTurnsTheChecks(t *testing.T) {
	workbook, _ := write(t, reporttest.Quarter(), report.Options{})
	f := open(t, workbook)
	rows, err := f.GetRows("Unresolved")
	if err != nil {
		t.Fatal(err)
	}
	name, _ := excelize.CoordinatesToCellName(slices.Index(rows[4], "Minor units")+1, 6)
	minor, err := strconv.Atoi(rows[5][slices.Index(rows[4], "Minor units")])
	if err != nil {
		t.Fatal(err)
	}
	if err := f.SetCellInt("Unresolved", name, int64(minor+1)); err != nil {
		t.Fatal(err)
	}
	got := calculated(t, f)
	want := differing(t, changedQuarter(t, minor))
	if diff := differing(t, got); !slices.Equal(diff, want) || len(diff) == 0 {
		t.Errorf("one minor unit more in Unresolved!%s: got checks %q, want %q", name, diff, want)
	}
}

// changedQuarter is what the program itself writes of the same change.
func changedQuarter(t *testing.T, minor int) []byte {
	t.Helper()
	r := reporttest.Quarter()
	i := slices.IndexFunc(r.Attempts, func(f recon.AttemptFinding) bool { return f.Attempt.Minor == int64(minor) && f.Stale })
	r.Attempts[i].Attempt.Minor++
	workbook, _ := write(t, r, report.Options{})
	return workbook
}

func calculated(t *testing.T, f *excelize.File) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := f.Write(&b); err != nil {
		t.Fatal(err)
	}
	got, err := reporttest.Resaved(t.Context(), soffice(), t.TempDir(), b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// The auditor's start and interval select the rows that stand there, across sheets, and by value too.
func TestOfficeSampleIsDrawnByFormula(t *testing.T) {
	r := reporttest.Small()
	workbook, _ := write(t, r, report.Options{Agreed: reporttest.Agreed(r)})
	f := open(t, workbook)
	rows, err := f.GetRows("Sample")
	if err != nil {
		t.Fatal(err)
	}
	inputs := 0
	for n, row := range rows {
		if len(row) == 0 || row[0] != "Random start" {
			continue
		}
		start, interval := 2, 4
		if inputs >= 2 {
			start, interval = 12_346, 30_000 // the second item of EUR holds the minor units 12,346 to 24,690
		}
		inputs++
		for k, value := range []int{start, interval} {
			name, _ := excelize.CoordinatesToCellName(2, n+1+k)
			if err := f.SetCellInt("Sample", name, int64(value)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if inputs != 4 {
		t.Fatalf("got %d places for a start, want attempts, entries and two currencies", inputs)
	}
	drawn, err := open(t, calculated(t, f)).GetRows("Sample")
	if err != nil {
		t.Fatal(err)
	}
	var picked [][]string
	for _, row := range drawn {
		if len(row) >= 7 && row[1] != "–" && (row[2] == "Agreed to ledger" || row[2] == "Unresolved") && row[0] != "Agreed to ledger" {
			picked = append(picked, []string{row[1], row[2], row[3], row[4], row[5], row[6]})
		}
	}
	want := [][]string{
		{"2", "Agreed to ledger", "7", "toolu_agreed_00000002", "123.45", "EUR"},
		{"6", "Agreed to ledger", "11", "toolu_agreed_00000006", "123.45", "EUR"},
		{"10", "Agreed to ledger", "15", "toolu_agreed_00000010", "980000", "JPY"},
		{"2", "Agreed to ledger", "7", "entry-agreed-00000002", "123.45", "EUR"},
		{"6", "Agreed to ledger", "11", "entry-agreed-00000006", "123.45", "EUR"},
		{"10", "Agreed to ledger", "15", "entry-agreed-00000010", "980000", "JPY"},
		{"12346", "Agreed to ledger", "7", "toolu_agreed_00000002", "123.45", "EUR"},
		{"42346", "Agreed to ledger", "9", "toolu_agreed_00000004", "123.45", "EUR"},
		{"72346", "Agreed to ledger", "11", "toolu_agreed_00000006", "123.45", "EUR"},
		{"12346", "Agreed to ledger", "13", "toolu_agreed_00000008", "980000", "JPY"},
	}
	for n, w := range want {
		if n >= len(picked) || !slices.Equal(picked[n], w) {
			t.Errorf("line %d: got %q, want %q", n, picked[min(n, len(picked)-1)], w)
		}
	}
}

// A workbook that LibreOffice opened, worked out and saved is still the run's workbook, and its decisions are read.
func TestOfficeSavedWorkbookIsReadBack(t *testing.T) {
	r := reporttest.Sample()
	opts := report.Options{Agreed: reporttest.Agreed(r)}
	workbook, _ := write(t, r, opts)
	f := open(t, workbook)
	missing := item(r, recon.MissingInLedger)
	for head, value := range map[string]any{"Disposition": "escalated", "Preparer": "maria", "Prepared on": "2025-04-08", "Management note": "two\nlines"} {
		set(t, f, "Mismatches", cellOf(t, f, "Mismatches", missing, head), value)
	}
	path := saved(t, calculated(t, f), nil)
	if err := report.Compare(t.Context(), path, saved(t, workbook, nil), t.TempDir()); err != nil {
		t.Errorf("got %v, want it unaltered", err)
	}
	reviews, err := report.ReadReviews(path, t.TempDir(), r, asOfReview)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(reviews.Decisions, func(d recon.Disposition) bool {
		return d.Item == missing && d.Decision == recon.Escalated && d.Note == "two\nlines"
	}) {
		t.Errorf("got decisions %+v, want the one on %s", reviews.Decisions, missing)
	}
	set(t, f, "Mismatches", cellOf(t, f, "Mismatches", missing, "Class"), "matched")
	err = report.Compare(t.Context(), saved(t, calculated(t, f), nil), saved(t, workbook, nil), t.TempDir())
	if !errors.Is(err, report.ErrAltered) {
		t.Errorf("got %v, want the changed class named", err)
	}
}

var asOfReview = time.Date(2025, 4, 9, 0, 0, 0, 0, time.UTC)
