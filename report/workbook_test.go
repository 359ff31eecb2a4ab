package report_test

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/xuri/excelize/v2"

	"agentrecon/ledger"
	"agentrecon/recon"
	"agentrecon/report"
	"agentrecon/report/reporttest"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func write(t *testing.T, r *recon.Report, opts report.Options) ([]byte, report.Summary) {
	t.Helper()
	var b bytes.Buffer
	sum, err := report.Write(t.Context(), &b, r, opts)
	if err != nil {
		t.Fatal(err)
	}
	// Without a workbook the same is said.
	brief, err := report.Summarise(t.Context(), r, opts)
	if err != nil || brief.State != sum.State || brief.Sentence != sum.Sentence {
		t.Errorf("summary without a workbook: got %s: %s, %v, want %s: %s", brief.State, brief.Sentence, err, sum.State, sum.Sentence)
	}
	if opts.Agreed == nil && !slices.Equal(brief.Rows, sum.Rows) {
		t.Errorf("rows without a workbook: got %v, want %v", brief.Rows, sum.Rows)
	}
	return b.Bytes(), sum
}

func open(t *testing.T, workbook []byte) *excelize.File {
	t.Helper()
	f, err := excelize.OpenReader(bytes.NewReader(workbook), excelize.Options{RawCellValue: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return f
}

func TestGolden(t *testing.T) {
	for _, test := range []struct {
		name string
		r    *recon.Report
		opts report.Options
	}{
		{"sample", reporttest.Sample(), report.Options{}},
		{"nil", reporttest.Nil(), report.Options{Paper: report.Letter}},
		{"population", reporttest.Small(), report.Options{Agreed: reporttest.Agreed(reporttest.Small())}},
	} {
		t.Run(test.name, func(t *testing.T) {
			workbook, _ := write(t, test.r, test.opts)
			got, err := reporttest.Dump(bytes.NewReader(workbook), int64(len(workbook)))
			if err != nil {
				t.Fatal(err)
			}
			path := filepath.Join("testdata", test.name+".golden")
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
				t.Errorf("workbook changed; rewrite with -update if that is meant (-want +got):\n%s", diff)
			}
		})
	}
}

func TestSameReportSameBytes(t *testing.T) {
	first, sum := write(t, reporttest.Sample(), report.Options{})
	if digest := sha256.Sum256(first); sum.SHA256 != hex.EncodeToString(digest[:]) {
		t.Errorf("got sha256 %s, want %x", sum.SHA256, digest)
	}
	for _, test := range []struct {
		name  string
		procs int
		temp  bool
	}{{"again", runtime.NumCPU(), false}, {"one processor", 1, false}, {"many processors, own temporary folder", 8, true}} {
		t.Run(test.name, func(t *testing.T) {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(test.procs))
			opts := report.Options{}
			if test.temp {
				opts.TempDir = t.TempDir()
			}
			second, again := write(t, reporttest.Sample(), opts)
			if !bytes.Equal(first, second) || sum.SHA256 != again.SHA256 || sum.PartsDigest != again.PartsDigest {
				t.Errorf("got sha256 %s, want %s: the same report must give the same bytes", again.SHA256, sum.SHA256)
			}
			if opts.TempDir != "" {
				if left, err := os.ReadDir(opts.TempDir); err != nil || len(left) > 0 {
					t.Errorf("got %v left in the temporary folder (%v), want it empty", left, err)
				}
			}
		})
	}
}

func TestPartsAreSortedAndUndated(t *testing.T) {
	workbook, sum := write(t, reporttest.Sample(), report.Options{})
	zr, err := zip.NewReader(bytes.NewReader(workbook), int64(len(workbook)))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, part := range zr.File {
		names = append(names, part.Name)
		if part.Modified.Year() > 1980 || part.CompressedSize64 == 0 || part.Flags&0x8 != 0 {
			t.Errorf("part %s: dated %v, %d bytes, flags %x; want undated with its size in the header", part.Name, part.Modified, part.CompressedSize64, part.Flags)
		}
	}
	if !slices.IsSorted(names) {
		t.Errorf("got parts %q, want them sorted", names)
	}
	if len(sum.PartsDigest) != 64 {
		t.Errorf("got parts digest %q, want 64 hex digits", sum.PartsDigest)
	}
	types := partText(t, workbook, "[Content_Types].xml")
	var parts []string
	for _, m := range regexp.MustCompile(`PartName="([^"]+)"`).FindAllStringSubmatch(types, -1) {
		parts = append(parts, m[1])
	}
	if !slices.IsSorted(parts) || len(parts) < len(report.Sheets) {
		t.Errorf("got content types of %q, want them sorted", parts)
	}
	core := partText(t, workbook, "docProps/core.xml")
	if want := "2025-04-07T02:30:11Z"; strings.Count(core, want) != 2 {
		t.Errorf("got properties %s, want created and modified %s, when the run was recorded", core, want)
	}
}

func partText(t *testing.T, workbook []byte, name string) string {
	t.Helper()
	return parts(t, workbook)[name]
}

func parts(t *testing.T, workbook []byte) map[string]string {
	t.Helper()
	zr, err := zip.NewReader(bytes.NewReader(workbook), int64(len(workbook)))
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, part := range zr.File {
		r, err := part.Open()
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		all[part.Name] = string(data)
	}
	return all
}

func TestNothingForbiddenIsInside(t *testing.T) {
	workbook, _ := write(t, reporttest.Sample(), report.Options{})
	for name, text := range parts(t, workbook) {
		if regexp.MustCompile(`vbaProject|externalLink|connections|media|\.bin$`).MatchString(name) {
			t.Errorf("got part %s, want no macro, external link, picture or binary", name)
		}
		if strings.HasPrefix(name, "xl/worksheets/_rels/") && strings.Contains(text, `TargetMode="External"`) {
			t.Errorf("%s: got an external target", name)
		}
		if !strings.HasPrefix(name, "xl/worksheets/sheet") {
			continue
		}
		for _, banned := range []string{"<mergeCell", "<extLst", "password=", "hashValue="} {
			if strings.Contains(text, banned) {
				t.Errorf("%s: got %s, want none", name, banned)
			}
		}
		if !strings.Contains(text, `<sheetProtection`) || !strings.Contains(text, `sheet="true"`) && !strings.Contains(text, `sheet="1"`) {
			t.Errorf("%s: got no protection", name)
		}
		if fits := strings.Contains(text, `fitToPage="true"`) || strings.Contains(text, `fitToPage="1"`); fits == strings.Contains(text, ` scale="`) {
			t.Errorf("%s: got fitted to the page %v, want either that or a scale", name, fits)
		}
		if strings.Count(text, "<f>") != len(regexp.MustCompile(`</f><v>[^<]+</v>`).FindAllString(text, -1)) {
			t.Errorf("%s: got formulas without a cached value", name)
		}
		for _, m := range regexp.MustCompile(`<f>([^<]*)</f>`).FindAllStringSubmatch(text, -1) {
			if regexp.MustCompile(`\b(NOW|TODAY|RAND|RANDBETWEEN|OFFSET|INDIRECT|CELL|INFO|HYPERLINK|WEBSERVICE)\(`).MatchString(m[1]) {
				t.Errorf("%s: got formula %s, want nothing volatile and nothing that reaches out", name, m[1])
			}
		}
	}
}

func TestDataNeverBecomesAFormula(t *testing.T) {
	workbook, _ := write(t, reporttest.Sample(), report.Options{})
	f := open(t, workbook)
	for _, sheet := range []string{"Unresolved", "Mismatches", "Excess entries", "Ledger only", "Timing", "Not concluded", "Excluded", "Repeats", "Period edge", "Clean, listed", "Agreed, noted", "Changes"} {
		rows, err := f.GetRows(sheet)
		if err != nil {
			t.Fatal(err)
		}
		for r := 5; r < len(rows); r++ {
			for c := range rows[r] {
				name, _ := excelize.CoordinatesToCellName(c+1, r+1)
				if formula, _ := f.GetCellFormula(sheet, name); formula != "" {
					t.Errorf("%s!%s: got formula %s among the rows, want data only", sheet, name, formula)
				}
			}
		}
	}
}

// table reads the rows of a list sheet by header.
func table(t *testing.T, f *excelize.File, sheet string) []map[string]string {
	t.Helper()
	rows, err := f.GetRows(sheet)
	if err != nil {
		t.Fatal(err)
	}
	var items []map[string]string
	for _, row := range rows[5:] {
		item := map[string]string{}
		for i, value := range row {
			item[rows[4][i]] = value
		}
		items = append(items, item)
	}
	return items
}

func TestHostileTextsComeBackAsText(t *testing.T) {
	shown := map[string]string{
		"two\nlines\tand a tab": `two\u000alines\u0009and a tab`, "bell\x07 and escape\x1b[31m": `bell\u0007 and escape\u001b[31m`,
		"nul\x00inside": `nul\u0000inside`, "broken \xff\xfe bytes": `broken \xff\xfe bytes`, "right to left \u202eevil": `right to left \u202eevil`,
	}
	workbook, sum := write(t, reporttest.Sample(), report.Options{})
	f := open(t, workbook)
	var items []string
	for _, row := range table(t, f, "Unresolved") {
		items = append(items, row["Item"])
	}
	for _, text := range reporttest.Hostile {
		want, ok := shown[text]
		if !ok {
			want = text
		}
		if len(text) > 32_767 {
			want = fmt.Sprintf("%s… [shortened: 33000 bytes in all, sha256 %x]", text[:1000], sha256Of(text)[:8])
		}
		if !slices.Contains(items, want) {
			t.Errorf("got no item %q, want it shown so", want)
		}
	}
	if sum.Altered == 0 {
		t.Error("got no text counted as altered")
	}
	cover, err := f.GetRows("Cover")
	if err != nil {
		t.Fatal(err)
	}
	said := slices.ContainsFunc(cover, func(row []string) bool {
		return len(row) > 1 && row[0] == "Texts shown escaped" && strings.HasPrefix(row[1], strconv.Itoa(sum.Altered)+":")
	})
	if !said {
		t.Errorf("the Cover does not say that %d texts are shown escaped", sum.Altered)
	}
}

func sha256Of(s string) []byte { sum := sha256.Sum256([]byte(s)); return sum[:] }

func TestIdsAreTextAndMinorUnitsAreIntegers(t *testing.T) {
	r := reporttest.Sample()
	workbook, _ := write(t, r, report.Options{})
	f := open(t, workbook)
	minor := map[string]int64{}
	for i := range r.Attempts {
		minor[r.Attempts[i].Attempt.ID] = r.Attempts[i].Attempt.Minor
	}
	rows, err := f.GetRows("Mismatches")
	if err != nil {
		t.Fatal(err)
	}
	item, units := slices.Index(rows[4], "Item")+1, slices.Index(rows[4], "Minor units")+1
	for n := 6; n <= len(rows); n++ {
		id, _ := excelize.CoordinatesToCellName(item, n)
		if kind, _ := f.GetCellType("Mismatches", id); kind != excelize.CellTypeInlineString && kind != excelize.CellTypeSharedString {
			t.Errorf("%s: got cell type %v, want a string", id, kind)
		}
		style, _ := f.GetCellStyle("Mismatches", id)
		if s, err := f.GetStyle(style); err != nil || s.CustomNumFmt == nil || *s.CustomNumFmt != "@" {
			t.Errorf("%s: got style %+v, want format @", id, s)
		}
		cell, _ := excelize.CoordinatesToCellName(units, n)
		got, err := f.GetCellValue("Mismatches", cell)
		if err != nil {
			t.Fatal(err)
		}
		if want := strconv.FormatInt(minor[rows[n-1][item-1]], 10); got != want {
			t.Errorf("%s: got %s minor units, want %s", cell, got, want)
		}
	}
}

func TestAmountsBeyondFifteenDigitsAreTextAndStillTie(t *testing.T) {
	r := reporttest.Quarter()
	const huge = ledger.MaxMinor
	i := slices.IndexFunc(r.Attempts, func(f recon.AttemptFinding) bool { return f.Class == recon.UnknownNotSettled })
	raise(r, i, huge-r.Attempts[i].Attempt.Minor)
	workbook, sum := write(t, r, report.Options{})
	if sum.State != report.Final {
		t.Errorf("got state %s (%s), want FINAL", sum.State, sum.Sentence)
	}
	f := open(t, workbook)
	for _, row := range table(t, f, "Unresolved") {
		if row["Class"] == string(recon.UnknownNotSettled) && (row["Amount"] != "99999999999999.99" || row["Minor units"] != "9999999999999999") {
			t.Errorf("got amount %s and %s minor units, want every digit", row["Amount"], row["Minor units"])
		}
	}
	checks, err := f.GetRows("Checks")
	if err != nil {
		t.Fatal(err)
	}
	for n, row := range checks {
		for c, value := range row {
			name, _ := excelize.CoordinatesToCellName(c+1, n+1)
			formula, _ := f.GetCellFormula("Checks", name)
			if strings.Contains(formula, "SUMIFS(Unresolved") && strings.HasPrefix(formula, "SUMIFS") {
				t.Errorf("Checks!%s: got live sum %s = %s over amounts that a spreadsheet rounds", name, formula, value)
			}
		}
	}
}

// raise adds to an attempt's amount wherever the report states it.
func raise(r *recon.Report, i int, by int64) {
	a := &r.Attempts[i].Attempt
	a.Minor += by
	sums := func(s recon.Sums) recon.Sums {
		s = slices.Clone(s)
		for k := range s {
			if s[k].Currency == a.Currency {
				s[k].Minor += by
			}
		}
		return s
	}
	r.Controls.Attempts, r.Totals.Attempts.Minor = sums(r.Controls.Attempts), sums(r.Totals.Attempts.Minor)
	for k := range r.Totals.Attempts.Classes {
		if c := &r.Totals.Attempts.Classes[k]; c.Class == r.Attempts[i].Class {
			c.Minor = sums(c.Minor)
		}
	}
	for k := range r.Checks {
		if c := &r.Checks[k]; c.Unit == string(a.Currency) {
			c.Left += by
			c.Right += by
		}
	}
	lines := func(bridge *recon.BridgeCurrency) {
		for l := range bridge.Lines {
			switch line := &bridge.Lines[l]; {
			case bridge.Currency != a.Currency:
			case line.ID == recon.LineAttempts:
				line.Minor += by
			case line.ID == recon.LineUnknown:
				line.Minor -= by
			}
		}
	}
	for k := range r.Bridge {
		lines(&r.Bridge[k])
	}
	for k := range r.Accounts {
		if r.Accounts[k].AccountID == a.SourceAccount {
			lines(&r.Accounts[k].BridgeCurrency)
		}
	}
}

// differing lists the checks of a workbook that differ, by what they assert.
func differing(t *testing.T, workbook []byte) []string {
	t.Helper()
	rows, err := open(t, workbook).GetRows("Checks")
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, row := range rows {
		for c, value := range row {
			if value == "DIFFERS" {
				column := map[int]string{8: "count", 12: "minor"}[c]
				found = append(found, strings.TrimSpace(fmt.Sprintf("%s [%s] %s", row[0], row[6], column)))
			}
		}
	}
	return found
}

func TestOneMinorUnitTurnsExactlyTheRightChecks(t *testing.T) {
	r := reporttest.Sample()
	i := slices.IndexFunc(r.Attempts, func(f recon.AttemptFinding) bool { return f.Class == recon.NotCoverable })
	r.Attempts[i].Attempt.Minor++
	workbook, sum := write(t, r, report.Options{})
	want := []string{
		"Bridge, ambiguous or not coverable [EUR, minor] count",
		"Roll-forward from the last run closes on the sheets [EUR, minor] count",
		"Roll-forward from the last issued run closes on the sheets [EUR, minor] count",
		"matched [EUR] minor",
		"not_coverable [EUR] minor",
	}
	if diff := cmp.Diff(want, differing(t, workbook)); diff != "" {
		t.Errorf("checks that differ after one minor unit (-want +got):\n%s", diff)
	}
	if sum.State != report.DoNotRely {
		t.Errorf("got state %s, want %s", sum.State, report.DoNotRely)
	}
}

func TestAMissingRowTurnsTheRightChecks(t *testing.T) {
	r := reporttest.Quarter()
	r.Repeats = r.Repeats[1:]
	workbook, sum := write(t, r, report.Options{})
	want := []string{"Deliveries less repeats are the attempts [count EUR] count", "Bridge, repeats of a call [count EUR] count"}
	if diff := cmp.Diff(want, differing(t, workbook)); diff != "" {
		t.Errorf("checks that differ after a repeat was lost (-want +got):\n%s", diff)
	}
	if sum.State != report.DoNotRely || !strings.Contains(sum.Sentence, "tie-outs DIFFER") {
		t.Errorf("got %s: %s, want DO NOT RELY and the sentence to say so", sum.State, sum.Sentence)
	}
}

func TestStates(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(*recon.Report)
		want   report.State
	}{
		{"closed, covered, tying", func(*recon.Report) {}, report.Final},
		{"a tie-out of the run differs", func(r *recon.Report) { r.Checks[0].Left++ }, report.DoNotRely},
		{"a failed proof was accepted", func(r *recon.Report) { r.Sources[2].Proof.State = ledger.ProofFailed }, report.DoNotRely},
		{"as of a day before the last window closes", func(r *recon.Report) { r.Run.AsOf = r.Run.AsOf.AddDate(0, 0, -2) }, report.Interim},
		{"no coverage at all", func(r *recon.Report) { r.Coverage = nil }, report.Incomplete},
		{"the first day is not covered", func(r *recon.Report) { r.Coverage[0].From++ }, report.Incomplete},
		{"the last day is not covered", func(r *recon.Report) { r.Coverage[0].To = r.Period.To - 1 }, report.Incomplete},
		{"a hole in the middle", func(r *recon.Report) {
			c := r.Coverage[0]
			first, second := c, c
			first.To, second.From = c.From.AddDays(10), c.From.AddDays(11)
			r.Coverage = []ledger.Coverage{first, second}
		}, report.Incomplete},
		{"two statements that meet", func(r *recon.Report) {
			c := r.Coverage[0]
			first, second := c, c
			first.To, second.From = c.From.AddDays(10), c.From.AddDays(10)
			r.Coverage = []ledger.Coverage{first, second}
		}, report.Final},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := reporttest.Quarter()
			test.change(r)
			_, sum := write(t, r, report.Options{})
			if sum.State != test.want {
				t.Errorf("got %s, want %s: %s", sum.State, test.want, sum.Sentence)
			}
		})
	}
}

func TestCoverCountsAreRowsAndClassCounts(t *testing.T) {
	r := reporttest.Sample()
	workbook, sum := write(t, r, report.Options{})
	f := open(t, workbook)
	cover, err := f.GetRows("Cover")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range sum.Rows {
		sheet := string(s.Sheet)
		var said string
		for _, row := range cover {
			if len(row) > 2 && row[0] == sheet {
				said = row[2]
			}
		}
		if said != strconv.Itoa(s.Rows) {
			t.Errorf("%s: the Cover says %q rows, want %d", sheet, said, s.Rows)
		}
		if got := len(table(t, f, sheet)); got != s.Rows {
			t.Errorf("%s: got %d rows, want %d", sheet, got, s.Rows)
		}
		want := int64(0)
		for _, place := range report.Placements {
			if place.Sheet == s.Sheet && place.Listed {
				want += map[recon.Population]recon.PopulationTotals{
					recon.Attempts: r.Totals.Attempts, recon.Entries: r.Totals.Entries, recon.Outcomes: r.Totals.Outcomes,
				}[place.Population].ClassCount(place.Class)
			}
		}
		if !slices.Contains([]report.Sheet{report.SheetAccounts, report.SheetRepeats, report.SheetNoted, report.SheetEdge, report.SheetChanges, report.SheetEarlier}, s.Sheet) && want != int64(s.Rows) {
			t.Errorf("%s: got %d rows, want the %d items of its classes", sheet, s.Rows, want)
		}
	}
}

func TestHeadersAreUniqueOnEverySheet(t *testing.T) {
	workbook, sum := write(t, reporttest.Sample(), report.Options{})
	f := open(t, workbook)
	for _, s := range sum.Rows {
		rows, err := f.GetRows(string(s.Sheet))
		if err != nil {
			t.Fatal(err)
		}
		seen := map[string]bool{}
		for _, head := range rows[4] {
			if key := strings.ToLower(head); head == "" || seen[key] {
				t.Errorf("%s: header %q is empty or there twice", s.Sheet, head)
			} else {
				seen[key] = true
			}
		}
		tables, err := f.GetTables(string(s.Sheet))
		if err != nil {
			t.Fatal(err)
		}
		if len(tables) != 1 {
			t.Errorf("%s: got %d tables, want 1", s.Sheet, len(tables))
		}
	}
}

func TestNilSheetsSaySo(t *testing.T) {
	workbook, sum := write(t, reporttest.Nil(), report.Options{})
	f := open(t, workbook)
	for _, s := range sum.Rows {
		if s.Rows != 0 {
			t.Errorf("%s: got %d rows of nothing", s.Sheet, s.Rows)
		}
		got, err := f.GetCellValue(string(s.Sheet), "A6")
		if err != nil {
			t.Fatal(err)
		}
		if want := "Nil: no items in this run"; got != want {
			t.Errorf("%s: got %q, want %q", s.Sheet, got, want)
		}
	}
}

func TestReviewersCellsAreUnlockedAndNothingElse(t *testing.T) {
	workbook, _ := write(t, reporttest.Sample(), report.Options{})
	f := open(t, workbook)
	rows, err := f.GetRows("Unresolved")
	if err != nil {
		t.Fatal(err)
	}
	open := []string{
		"Owner", "Due", "Disposition", "Management note", "Management evidence", "Preparer", "Prepared on", "Approver", "Approved on",
		"Auditor tick", "Auditor note",
	}
	for c, head := range rows[4] {
		name, _ := excelize.CoordinatesToCellName(c+1, 6)
		id, err := f.GetCellStyle("Unresolved", name)
		if err != nil {
			t.Fatal(err)
		}
		style, err := f.GetStyle(id)
		if err != nil {
			t.Fatal(err)
		}
		locked := style.Protection == nil || style.Protection.Locked
		if want := !slices.Contains(open, head); locked != want {
			t.Errorf("column %s: locked %v, want %v", head, locked, want)
		}
	}
}

func TestPaper(t *testing.T) {
	for paper, size := range map[report.Paper]int{"": 9, report.A4: 9, report.Letter: 1} {
		workbook, _ := write(t, reporttest.Nil(), report.Options{Paper: paper})
		f := open(t, workbook)
		for _, sheet := range []string{"Unresolved", "Summary"} {
			layout, err := f.GetPageLayout(sheet)
			if err != nil {
				t.Fatal(err)
			}
			if *layout.Size != size || *layout.Orientation != "landscape" {
				t.Errorf("paper %q: %s: got size %d, %s; want %d, landscape", paper, sheet, *layout.Size, *layout.Orientation, size)
			}
			props, err := f.GetSheetProps(sheet)
			if err != nil {
				t.Fatal(err)
			}
			if fits := *props.FitToPage && *layout.FitToWidth == 1; fits != (sheet == "Unresolved") {
				t.Errorf("paper %q: %s: fitted to one page's width: %v", paper, sheet, fits)
			}
			if sheet == "Summary" && (*layout.AdjustTo >= 100 || *layout.AdjustTo <= 50) {
				t.Errorf("paper %q: %s: got %d percent", paper, sheet, *layout.AdjustTo)
			}
		}
	}
	_, err := report.Write(t.Context(), io.Discard, reporttest.Nil(), report.Options{Paper: "A3"})
	if !errors.Is(err, report.ErrInvalid) || err.Error() != `paper "A3": expected A4 or Letter: report cannot be shown` {
		t.Errorf("got %v, want ErrInvalid with what is expected", err)
	}
}

// countdown is a context that is cancelled after so many looks at it.
type countdown struct {
	context.Context
	left int
}

func (c *countdown) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

func TestCancelledAtAnyPointLeavesNothing(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "q1.xlsx")
	temp := t.TempDir()
	looks := 0
	for ; looks < 10_000; looks++ {
		_, err := report.WriteFile(&countdown{t.Context(), looks}, path, reporttest.Nil(), report.Options{TempDir: temp})
		if err == nil {
			break
		}
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("after %d looks: got %v, want context.Canceled", looks, err)
		}
		for _, dir := range []string{folder, temp} {
			if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
				t.Fatalf("after %d looks: got %v left behind (%v), want nothing", looks, left, err)
			}
		}
	}
	if looks < len(report.Sheets) {
		t.Errorf("got a whole file after %d looks at the context, want at least one look a sheet", looks)
	}
}

// What a person needs first comes first, in the order and with the words agreed for the workbook.
func TestFrontColumns(t *testing.T) {
	workbook, _ := write(t, reporttest.Sample(), report.Options{})
	f := open(t, workbook)
	for sheet, want := range map[string][]string{
		"Unresolved": {
			"Priority", "Do next", "Item", "Amount", "Currency", "Payee", "Destination", "Reference", "Proposed (UTC)", "Age (days)",
			"Money moved?", "Evidence (file:line)", "Evidence points to", "Because", "Paid by another attempt?", "Offsets in count (item)", "Changed", "Earlier decision", "Owner", "Due",
		},
		"Mismatches": {
			"Priority", "Do next", "Item", "Difference", "Currency", "Differs", "Attempt amount", "Ledger amount", "Ledger currency", "Payee",
			"Destination", "Reference", "Proposed (UTC)", "Age (days)", "Reported", "Money moved?", "Entries (file:line)", "Recovered",
			"Id quality", "Offsets in count (item)", "Changed", "Earlier decision", "Owner", "Due",
		},
	} {
		rows, err := f.GetRows(sheet)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, rows[4][:len(want)]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", sheet, diff)
		}
		if got := rows[4][len(rows[4])-1]; got != "Row digest" {
			t.Errorf("%s: got last column %q, want the digest", sheet, got)
		}
	}
}

func TestWordsThatClaimTooMuchAreNowhere(t *testing.T) {
	banned := regexp.MustCompile(`(?i)\b(verified|confirmed by|likely cause|root cause|severity|no errors found|valid)\b`)
	for _, name := range []string{"sample", "nil"} {
		text, err := os.ReadFile(filepath.Join("testdata", name+".golden"))
		if err != nil {
			t.Fatal(err)
		}
		for n, line := range strings.Split(string(text), "\n") {
			if banned.MatchString(line) && !strings.Contains(line, "whether the payee is valid") {
				t.Errorf("%s.golden:%d: %s", name, n+1, line)
			}
		}
	}
}

func TestAnyEntityFitsThePageHeader(t *testing.T) {
	for _, entity := range []string{"", strings.Repeat("&", 300), strings.Repeat("漢", 300), "8 Bells & Co\x00\n", "\xff"} {
		r := reporttest.Nil()
		r.Entity = entity
		write(t, r, report.Options{})
	}
}

func TestRowDigestIgnoresNothingButReviewers(t *testing.T) {
	digests := func(r *recon.Report) map[string]string {
		workbook, _ := write(t, r, report.Options{})
		found := map[string]string{}
		for _, row := range table(t, open(t, workbook), "Unresolved") {
			found[row["Item"]] = row["Row digest"]
		}
		return found
	}
	before := digests(reporttest.Quarter())
	changed := reporttest.Quarter()
	i := slices.IndexFunc(changed.Attempts, func(f recon.AttemptFinding) bool { return f.Class == recon.UnknownNotSettled })
	changed.Attempts[i].Attempt.Reference += "x"
	after := digests(changed)
	for item, digest := range before {
		if same := after[item] == digest; same == (item == changed.Attempts[i].Attempt.ID) {
			t.Errorf("item %s: digest the same %v, want only the changed row to differ", item, same)
		}
	}
}

func TestCoverLinksEverySheet(t *testing.T) {
	workbook, _ := write(t, reporttest.Nil(), report.Options{})
	f := open(t, workbook)
	rows, err := f.GetRows("Cover")
	if err != nil {
		t.Fatal(err)
	}
	linked := []string{"Cover"}
	for n, row := range rows {
		name, _ := excelize.CoordinatesToCellName(1, n+1)
		ok, target, err := f.GetCellHyperLink("Cover", name)
		if err != nil {
			t.Fatal(err)
		}
		if ok {
			linked = append(linked, row[0])
			if want := strings.Trim(strings.TrimSuffix(target, "!A1"), "'"); want != row[0] {
				t.Errorf("%s: links to %s, want the sheet it names", name, target)
			}
		}
	}
	if diff := cmp.Diff(f.GetSheetList(), linked); diff != "" {
		t.Errorf("sheets linked from the Cover (-want +got):\n%s", diff)
	}
}

// What a chart shows is in the table beside it, and its text says so to who cannot see it.
func TestChartsHaveTheirTextAndTable(t *testing.T) {
	for _, test := range []struct {
		name string
		r    *recon.Report
		want int
	}{{"every class and a course of time", reporttest.Sample(), 2}, {"open attempts, no earlier run", reporttest.Quarter(), 1}, {"nil", reporttest.Nil(), 0}} {
		workbook, _ := write(t, test.r, report.Options{})
		charts := 0
		for name, text := range parts(t, workbook) {
			if strings.HasPrefix(name, "xl/charts/") {
				charts++
			}
			if strings.HasPrefix(name, "xl/worksheets/sheet") && strings.Contains(text, "<drawing ") && !strings.Contains(text, `<drawing r:id="rId`) {
				t.Errorf("%s: %s: got a drawing that other readers do not find", test.name, name)
			}
			if strings.HasPrefix(name, "xl/drawings/drawing") && !regexp.MustCompile(`descr="[A-Z][^"]{40,}\."`).MatchString(text) {
				t.Errorf("%s: %s: got a chart without a text that stands for it", test.name, name)
			}
		}
		if charts != test.want {
			t.Errorf("%s: got %d charts, want %d", test.name, charts, test.want)
		}
	}
}

// Sheets of blocks break between blocks and not within those that fit a page.
func TestPageBreaksStandBeforeBlocks(t *testing.T) {
	workbook, _ := write(t, reporttest.Sample(), report.Options{})
	rows, err := open(t, workbook).GetRows("Summary")
	if err != nil {
		t.Fatal(err)
	}
	breaks := regexp.MustCompile(`<brk id="(\d+)"`).FindAllStringSubmatch(partText(t, workbook, "xl/worksheets/sheet2.xml"), -1)
	if len(breaks) < 5 {
		t.Errorf("got %d page breaks, want some", len(breaks))
	}
	for _, b := range breaks {
		row, err := strconv.Atoi(b[1]) // the row above the break
		if err != nil {
			t.Fatal(err)
		}
		if above := rows[row-1]; len(above) > 0 && above[0] != "" {
			t.Errorf("a page begins with row %d, %q: got %q above it, want the gap between two blocks", row+1, rows[row], above)
		}
	}
}

// Of more currencies than a sentence bears, the counts stand together and the amounts by currency.
func TestTheSentenceOfManyCurrencies(t *testing.T) {
	_, sum := write(t, reporttest.Currencies(), report.Options{})
	want := "Final, 5 currencies, Q1 2025: 2 recorded attempts have more than one ledger entry and 2 have none; counts net to 0, " +
		"values by currency are on Summary; besides, 1 mismatch of other kinds; " +
		"0 attempts lack an outcome; 0 entries lack an attempt; coverage complete; all tie-outs agree."
	if sum.Sentence != want {
		t.Errorf("got  %s\nwant %s", sum.Sentence, want)
	}
}

// A statement that contradicts itself shows by how much, and that it does.
func TestAFailedStatementDiffers(t *testing.T) {
	r := reporttest.Quarter()
	s := ledger.Statement{ID: "STMT-1", Currency: "EUR", From: r.Period.From, To: r.Period.To, Proof: ledger.Proof{State: ledger.ProofFailed, Detail: "off by 10"}}
	s.Opening.Amount, s.Closing.Amount = ledger.Optional{Given: true, Minor: 1_000}, ledger.Optional{Given: true, Minor: 2_000}
	r.Sources[2].Statements, r.Sources[2].Proof = []ledger.Statement{s}, s.Proof
	workbook, sum := write(t, r, report.Options{})
	if sum.State != report.DoNotRely {
		t.Errorf("got %s, want %s", sum.State, report.DoNotRely)
	}
	rows, err := open(t, workbook).GetRows("Sources")
	if err != nil {
		t.Fatal(err)
	}
	found := false
	for _, row := range rows {
		if len(row) > 10 && row[0] == "STMT-1" {
			found = row[7] == "-1000" && row[10] == "DIFFERS"
		}
	}
	if !found {
		t.Errorf("no statement with a difference of -1000 and DIFFERS in %q", rows)
	}
}

// A list that nobody could read on one page's width is printed on two, its items on both; a nil list is never wide.
func TestWideListsArePrintedOnTwoPages(t *testing.T) {
	for _, test := range []struct {
		r     *recon.Report
		sheet string
		wide  int
		items string
	}{
		{reporttest.Sample(), "Mismatches", 2, "Mismatches!$A:$C,Mismatches!$5:$5"},
		{reporttest.Sample(), "Timing", 1, "Timing!$A:$A,Timing!$5:$5"},
		{reporttest.Nil(), "Mismatches", 1, "Mismatches!$A:$A,Mismatches!$5:$5"},
	} {
		workbook, _ := write(t, test.r, report.Options{})
		f := open(t, workbook)
		layout, err := f.GetPageLayout(test.sheet)
		if err != nil {
			t.Fatal(err)
		}
		if *layout.FitToWidth != test.wide {
			t.Errorf("%s: got %d pages wide, want %d", test.sheet, *layout.FitToWidth, test.wide)
		}
		for _, name := range f.GetDefinedName() {
			if name.Name == "_xlnm.Print_Titles" && name.Scope == test.sheet && name.RefersTo != test.items {
				t.Errorf("%s: got %s repeated, want %s", test.sheet, name.RefersTo, test.items)
			}
		}
	}
}
