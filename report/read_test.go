package report_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/xuri/excelize/v2"

	"agentrecon/ledger"
	"agentrecon/recon"
	"agentrecon/report"
	"agentrecon/report/reporttest"
)

// saved writes a workbook to a file, changed by somebody if edit is given.
func saved(t *testing.T, workbook []byte, edit func(*excelize.File)) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "reviewed.xlsx")
	if edit != nil {
		f := open(t, workbook)
		edit(f)
		var b bytes.Buffer
		if err := f.Write(&b); err != nil {
			t.Fatal(err)
		}
		workbook = b.Bytes()
	}
	if err := os.WriteFile(path, workbook, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// cellOf is the cell of a column in the row of an item.
func cellOf(t *testing.T, f *excelize.File, sheet, item, head string) string {
	t.Helper()
	rows, err := f.GetRows(sheet)
	if err != nil {
		t.Fatal(err)
	}
	at, of := slices.Index(rows[4], head), slices.Index(rows[4], "Item")
	for n := 5; n < len(rows); n++ {
		if at >= 0 && of < len(rows[n]) && rows[n][of] == item {
			name, _ := excelize.CoordinatesToCellName(at+1, n+1)
			return name
		}
	}
	t.Fatalf("%s has no item %s with column %q", sheet, item, head)
	return ""
}

func set(t *testing.T, f *excelize.File, sheet, cell string, value any) {
	t.Helper()
	if err := f.SetCellValue(sheet, cell, value); err != nil {
		t.Fatal(err)
	}
}

func TestKeySaysHowToMakeTheWorkbookAgain(t *testing.T) {
	r := reporttest.Small()
	file := &report.AgreedFile{Name: "q1.agreed.csv", SHA256: strings.Repeat("a", 64), Rows: 10}
	for _, test := range []struct {
		opts report.Options
		want report.Key
	}{
		{report.Options{}, report.Key{}},
		{report.Options{Baseline: 3, AgreedFile: file}, report.Key{Baseline: 3, PopulationFile: "q1.agreed.csv"}},
		{report.Options{Agreed: reporttest.Agreed(r)}, report.Key{Population: true}},
	} {
		workbook, _ := write(t, r, test.opts)
		got, err := report.ReadKey(saved(t, workbook, nil), t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		test.want.RunID, test.want.Evidence, test.want.Period = 7, r.Run.EvidenceDigest[:16], r.Period
		if got.Period.String() != test.want.Period.String() {
			t.Errorf("got period %s, want %s", got.Period, test.want.Period)
		}
		got.Period = test.want.Period
		if got != test.want {
			t.Errorf("got key %+v, want %+v", got, test.want)
		}
	}
	for name, data := range map[string]string{"text": "no workbook", "empty": ""} {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := report.ReadKey(path, t.TempDir()); !errors.Is(err, report.ErrNotOurs) {
			t.Errorf("%s: got %v, want ErrNotOurs", name, err)
		}
	}
}

// item returns the first attempt of a class.
func item(r *recon.Report, class recon.Class) string {
	i := slices.IndexFunc(r.Attempts, func(f recon.AttemptFinding) bool { return f.Class == class })
	return r.Attempts[i].Attempt.ID
}

// Every change of evidence is found, wherever it is, and named by its cell; what reviewers write is not evidence.
func TestAlteredCellsAreNamed(t *testing.T) {
	r := reporttest.Sample()
	opts := report.Options{Agreed: reporttest.Agreed(r)}
	workbook, _ := write(t, r, opts)
	want := saved(t, workbook, nil)
	missing := item(r, recon.MissingInLedger)
	for _, test := range []struct {
		name string
		edit func(*excelize.File)
		want string // empty: unaltered
	}{
		{"nothing", nil, ""},
		{"saved again", func(*excelize.File) {}, ""},
		{"reviewers' cells", func(f *excelize.File) {
			set(t, f, "Mismatches", cellOf(t, f, "Mismatches", missing, "Disposition"), "escalated")
			set(t, f, "Mismatches", cellOf(t, f, "Mismatches", missing, "Owner"), "maria")
			set(t, f, "Mismatches", cellOf(t, f, "Mismatches", missing, "Auditor note"), "seen")
		}, ""},
		{"the auditor's sample", func(f *excelize.File) { set(t, f, "Sample", "B14", 3) }, ""},
		{"an amount", func(f *excelize.File) {
			set(t, f, "Mismatches", cellOf(t, f, "Mismatches", missing, "Attempt amount"), 1.0)
		}, "(Attempt amount of " + missing + `): it says "1", the run says "99.001"`},
		{"a class", func(f *excelize.File) {
			set(t, f, "Mismatches", cellOf(t, f, "Mismatches", missing, "Class"), "matched")
		}, `(Class of ` + missing + `): it says "matched", the run says "missing_in_ledger"`},
		{"a digest", func(f *excelize.File) {
			set(t, f, "Mismatches", cellOf(t, f, "Mismatches", missing, "Row digest"), "0000000000000000")
		}, "(Row digest of " + missing},
		{"the last digit of an id that looks like a number", func(f *excelize.File) {
			set(t, f, "Unresolved", cellOf(t, f, "Unresolved", "00012345678901234567", "Reference"), "00012345678901234568")
		}, "(Reference of 00012345678901234567)"},
		{"a row taken out", func(f *excelize.File) {
			cell := cellOf(t, f, "Mismatches", missing, "Item")
			_, row, _ := excelize.CellNameToCoordinates(cell)
			if err := f.RemoveRow("Mismatches", row); err != nil {
				t.Fatal(err)
			}
		}, `Mismatches`},
		{"a typed figure on Summary", func(f *excelize.File) { set(t, f, "Summary", "B6", 1) }, `Summary!B6: it says "1"`},
		{"a sentence on the Cover", func(f *excelize.File) { set(t, f, "Cover", "B5", "All is well.") }, "Cover!B5"},
		{"the period of a list", func(f *excelize.File) { set(t, f, "Timing", "C3", "Run 7   |   Period Q2 2025") }, "Timing!C3"},
		{"a formula that comes to the same today", func(f *excelize.File) {
			formula(t, f, "Summary", "B6", "Checks!$B$5+0*A1", nil)
		}, `Summary!B6: it says "the formula =Checks!$B$5+0*A1", the run says "the formula =Checks!$B$5"`},
		{"a formula among the rows", func(f *excelize.File) {
			formula(t, f, "Mismatches", cellOf(t, f, "Mismatches", missing, "Attempt amount"), "99+0.001", 99.001)
		}, `(Attempt amount of ` + missing + `): it says "the formula =99+0.001", the run says "a value"`},
		{"a reviewer's formula", func(f *excelize.File) {
			formula(t, f, "Mismatches", cellOf(t, f, "Mismatches", missing, "Due"), "1+1", 2)
		}, ""},
		{"a formula of the sample", func(f *excelize.File) { formula(t, f, "Sample", "B20", "7", nil) }, "Sample!B20"},
		{"a hidden sheet", func(f *excelize.File) {
			if err := f.SetSheetVisible("Mismatches", false); err != nil {
				t.Fatal(err)
			}
		}, `Mismatches: it says "a hidden sheet"`},
		{"a sheet taken out", func(f *excelize.File) {
			if err := f.DeleteSheet("Overrides"); err != nil {
				t.Fatal(err)
			}
		}, `Overrides: it says "no such sheet"`},
		{"sheets in another order", func(f *excelize.File) {
			if err := f.MoveSheet("Method", "Cover"); err != nil {
				t.Fatal(err)
			}
		}, ""},
		{"a word in an empty cell", func(f *excelize.File) { set(t, f, "Checks", "N8", "agreed with the bank") }, "Checks!N8"},
		{"an agreed amount", func(f *excelize.File) { set(t, f, "Agreed to ledger", "C9", 2.0) }, "Agreed to ledger!C9"},
		{"a sheet more", func(f *excelize.File) {
			if _, err := f.NewSheet("Extra"); err != nil {
				t.Fatal(err)
			}
		}, `sheet "Extra": it is none of the run's`},
	} {
		t.Run(test.name, func(t *testing.T) {
			err := report.Compare(t.Context(), saved(t, workbook, test.edit), want, t.TempDir())
			switch {
			case test.want == "" && err != nil:
				t.Errorf("got %v, want it unaltered", err)
			case test.want != "" && (!errors.Is(err, report.ErrAltered) || !strings.Contains(err.Error(), test.want)):
				t.Errorf("got %v, want %q named", err, test.want)
			}
		})
	}
}

// formula puts a formula with the value that it comes to.
func formula(t *testing.T, f *excelize.File, sheet, cell, text string, value any) {
	t.Helper()
	if value != nil {
		set(t, f, sheet, cell, value)
	}
	if err := f.SetCellFormula(sheet, cell, text); err != nil {
		t.Fatal(err)
	}
}

func TestSortedRowsAreTheSameRows(t *testing.T) {
	workbook, _ := write(t, reporttest.Quarter(), report.Options{})
	swapped := saved(t, workbook, func(f *excelize.File) {
		rows, err := f.GetRows("Unresolved")
		if err != nil {
			t.Fatal(err)
		}
		for c := range rows[6] {
			for _, move := range []struct{ to, from int }{{7, 7}, {8, 6}} {
				name, _ := excelize.CoordinatesToCellName(c+1, move.to)
				kind, _ := f.GetCellType("Unresolved", name)
				value := rows[move.from][c]
				if kind == excelize.CellTypeInlineString || kind == excelize.CellTypeSharedString {
					set(t, f, "Unresolved", name, value)
				} else if err := f.SetCellDefault("Unresolved", name, value); err != nil {
					t.Fatal(err)
				}
			}
		}
	})
	if err := report.Compare(t.Context(), swapped, saved(t, workbook, nil), t.TempDir()); err != nil {
		t.Errorf("got %v, want rows in another order to be the same rows", err)
	}
}

func TestReviewsAreReadByItem(t *testing.T) {
	r := reporttest.Sample()
	workbook, _ := write(t, r, report.Options{})
	missing, now := item(r, recon.MissingInLedger), time.Date(2025, 4, 9, 12, 0, 0, 0, time.UTC)
	amount, payee := item(r, recon.AmountVariance), item(r, recon.PayeeVariance)
	entry := r.Entries[slices.IndexFunc(r.Entries, func(f recon.EntryFinding) bool { return f.Class == recon.UnattemptedMovement })].Entry.ID
	earlierAttempt, earlierEntry := r.Earlier.Attempts[0].Attempt.ID, r.Earlier.Entries[0].Entry.ID
	write := func(f *excelize.File, sheet, id string, fields map[string]any) {
		for head, value := range fields {
			set(t, f, sheet, cellOf(t, f, sheet, id, head), value)
		}
	}
	path := saved(t, workbook, func(f *excelize.File) {
		write(f, "Mismatches", missing, map[string]any{
			"Disposition": "written_off", "Management note": "customer insolvent", "Management evidence": "file 12", "Preparer": "maria",
			"Prepared on": time.Date(2025, 4, 8, 0, 0, 0, 0, time.UTC), "Approver": "tom", "Owner": "maria",
			"Approved on": time.Date(2025, 4, 9, 0, 0, 0, 0, time.UTC),
		})
		write(f, "Mismatches", amount, map[string]any{"Disposition": "accepted_by_management", "Preparer": "maria", "Owner": "olga", "Due": "2025-05-01"})
		write(f, "Mismatches", payee, map[string]any{"Owner": "olga", "Due": "2025-05-01"})
		write(f, "Ledger only", entry, map[string]any{"Disposition": "escalated", "Preparer": "maria", "Auditor note": "ask them"})
		write(f, "Open from earlier", earlierEntry, map[string]any{"Disposition": "escalated", "Preparer": "maria"})
		write(f, "Open from earlier", earlierAttempt, map[string]any{"Disposition": "under_investigation", "Preparer": "maria"})
	})
	got, err := report.ReadReviews(path, t.TempDir(), r, now)
	if err != nil {
		t.Fatal(err)
	}
	want := []recon.Disposition{
		{
			Population: recon.Attempts, Item: amount, Decision: recon.AcceptedByManagement, PreparedBy: "maria", DecidedAt: now, Owner: "olga",
			Due: ledger.NewDate(2025, 5, 1),
		},
		{
			Population: recon.Attempts, Item: missing, Decision: recon.WrittenOff, Note: "customer insolvent", EvidenceRef: "file 12",
			PreparedBy: "maria", ApprovedBy: "tom", DecidedAt: ledger.DateOf(now, time.UTC).AddDays(-1).Time(), Owner: "maria",
			ApprovedOn: ledger.DateOf(now, time.UTC),
		},
		{Population: recon.Entries, Item: entry, Decision: recon.Escalated, PreparedBy: "maria", DecidedAt: now},
		{Population: recon.Entries, Item: earlierEntry, Decision: recon.Escalated, PreparedBy: "maria", DecidedAt: now},
		{Population: recon.Attempts, Item: earlierAttempt, Decision: recon.UnderInvestigation, PreparedBy: "maria", DecidedAt: now},
	}
	if diff := cmp.Diff(want, got.Decisions); diff != "" {
		t.Errorf("decisions (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{
		"decisions that the workbook showed when it was made: 3", "auditor's ticks and notes, which are never imported: 1",
		"owners and due dates of rows without a disposition (with one, such as under_investigation, they are kept): 2",
	}, got.Ignored); diff != "" {
		t.Errorf("ignored (-want +got):\n%s", diff)
	}
}

func TestIncompleteDecisionsAreRefusedTogether(t *testing.T) {
	r := reporttest.Sample()
	workbook, _ := write(t, r, report.Options{})
	missing, amount, payee, excess := item(r, recon.MissingInLedger), item(r, recon.AmountVariance), item(r, recon.PayeeVariance), item(r, recon.DuplicateSettlement)
	path := saved(t, workbook, func(f *excelize.File) {
		for _, s := range []struct {
			item, head string
			value      any
		}{
			{missing, "Disposition", "written_off"},
			{missing, "Preparer", "maria"},
			{missing, "Approver", "Maria"},
			{amount, "Disposition", "ignored"},
			{amount, "Prepared on", "next week"},
			{payee, "Management note", "looks fine"},
			{excess, "Disposition", "escalated"},
			{excess, "Preparer", "maria"},
			{excess, "Due", "soon"},
			{excess, "Approved on", time.Date(2025, 4, 9, 0, 0, 0, 0, time.UTC)},
		} {
			set(t, f, "Mismatches", cellOf(t, f, "Mismatches", s.item, s.head), s.value)
		}
	})
	_, err := report.ReadReviews(path, t.TempDir(), r, time.Date(2025, 4, 9, 0, 0, 0, 0, time.UTC))
	if !errors.Is(err, report.ErrReview) {
		t.Fatalf("got %v, want ErrReview", err)
	}
	for _, want := range []string{
		`field "Approver": "Maria": expected another person than the preparer`, `field "Disposition": "ignored": expected one of evidence_seen_settled`,
		`field "Prepared on": "next week": expected a date such as 2025-04-07`, `field "Preparer": "": expected who decided`,
		`field "Disposition": "": expected a decision from the list`, `field "Due": "soon": expected a date such as 2025-04-07`,
		`field "Approver": "": expected who approved, for the row says when`,
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q among it", err, want)
		}
	}
}
