package report

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/xuri/excelize/v2"

	"agentrecon/ledger"
	"agentrecon/recon"
)

// Reviews is what reviewers wrote into a workbook.
type Reviews struct {
	Decisions []recon.Disposition // in the order of sheets and rows; class and content are not set
	Ignored   []string            // what was found and is not taken, in words
}

// ErrReview refuses decisions that are not complete. The error lists each with its cell.
var ErrReview = errors.New("the decisions cannot be taken")

// ReadReviews reads the decisions from a workbook whose evidence [Compare] has found unaltered, made of this report.
// now stands in for the day of a decision that gives none. Decisions that are not complete are refused all together.
func ReadReviews(path, tempDir string, r *recon.Report, now time.Time) (reviews Reviews, err error) {
	f, err := openWorkbook(path, tempDir)
	if err != nil {
		return Reviews{}, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	var problems []string
	auditors, undecided, standing := 0, 0, 0
	shown := &book{report: r, index: newIndex(r)}
	for _, sheet := range f.GetSheetList() {
		if !slices.Contains(Sheets, Sheet(sheet)) {
			continue // one that somebody added; sheets of agreed attempts have no decisions
		}
		rows, err := reviewedRows(f, sheet)
		if err != nil {
			return Reviews{}, err
		}
		items := itemsOn(r, Sheet(sheet))
		for n := range rows {
			row := &rows[n]
			auditors += row.count("Auditor tick", "Auditor note")
			d, bad := row.decision(items, now)
			problems = append(problems, bad...)
			switch {
			case len(bad) > 0:
			case d.Decision == "":
				undecided += row.count(headOwner, headDue)
			case sameDecision(shown.standing(d.Population, d.Item), &d):
				standing++ // shown by the program; a later decision may stand by now
			default:
				reviews.Decisions = append(reviews.Decisions, d)
			}
		}
	}
	if len(problems) > 0 {
		return Reviews{}, fmt.Errorf("%s: %w:\n%s", path, ErrReview, strings.Join(problems, "\n"))
	}
	for _, left := range []struct {
		n    int
		what string
	}{
		{standing, "decisions that the workbook showed when it was made"},
		{auditors, "auditor's ticks and notes, which are never imported"},
		{undecided, "owners and due dates of rows without a disposition (with one, such as under_investigation, they are kept)"},
	} {
		if left.n > 0 {
			reviews.Ignored = append(reviews.Ignored, fmt.Sprintf("%s: %d", left.what, left.n))
		}
	}
	return reviews, nil
}

// sameDecision reports whether a row says no more than what the program had put there.
func sameDecision(stands, d *recon.Disposition) bool {
	return stands != nil && stands.Decision == d.Decision && strings.TrimSpace(stands.Owner) == d.Owner && stands.Due == d.Due && stands.ApprovedOn == d.ApprovedOn && strings.TrimSpace(stands.Note) == d.Note && strings.TrimSpace(stands.EvidenceRef) == d.EvidenceRef &&
		stands.PreparedBy == d.PreparedBy && stands.ApprovedBy == d.ApprovedBy && ledger.DateOf(stands.DecidedAt, time.UTC) == ledger.DateOf(d.DecidedAt, time.UTC)
}

// reviewRow is a row of a list as reviewers left it.
type reviewRow struct {
	sheet string
	n     int // row of the sheet, from 1
	head  []string
	cells []string
}

func reviewedRows(f *excelize.File, sheet string) ([]reviewRow, error) {
	if strings.HasPrefix(sheet, string(SheetAgreed)) {
		return nil, nil
	}
	rows, err := f.GetRows(sheet)
	if err != nil {
		return nil, err
	}
	if !isList(rows) || !slices.Contains(rows[listHeadRow-1], headDisposition) {
		return nil, nil
	}
	var found []reviewRow
	for n := listFirstRow - 1; n < len(rows); n++ {
		found = append(found, reviewRow{sheet, n + 1, rows[listHeadRow-1], rows[n]})
	}
	return found, nil
}

func (r *reviewRow) get(head string) string {
	return strings.TrimSpace(cellAt(r.cells, slices.Index(r.head, head)))
}

func (r *reviewRow) count(heads ...string) (n int) {
	for _, head := range heads {
		if r.get(head) != "" {
			n++
		}
	}
	return n
}

// decision reads a row; bad says what is missing or wrong in it, each with its cell.
func (r *reviewRow) decision(items map[string]itemKey, now time.Time) (d recon.Disposition, bad []string) {
	refuse := func(head, expected string) {
		cell := at(slices.Index(r.head, head)+1, r.n)
		bad = append(bad, fmt.Sprintf("%s!%s: field %q: %q: %s", r.sheet, cell, head, r.get(head), expected))
	}
	d.Decision = recon.Decision(r.get(headDisposition))
	if d.Decision == "" {
		if n := r.count(headNote, headProof, headPreparer, headPreparedOn, headApprover, headApprovedOn); n > 0 {
			refuse(headDisposition, "expected a decision from the list, for the row has a note, a name or a date")
		}
		return d, bad
	}
	if !slices.Contains(recon.Decisions, d.Decision) {
		refuse(headDisposition, "expected one of "+strings.Join(dispositions, ", "))
	}
	key, ok := items[r.population()+" "+cellAt(r.cells, slices.Index(r.head, headItem))]
	if !ok {
		refuse(headItem, "expected an item of the run")
	}
	d.Population, d.Item = key.population, key.item
	d.Note, d.EvidenceRef, d.PreparedBy, d.ApprovedBy, d.Owner = r.get(headNote), r.get(headProof), r.get(headPreparer), r.get(headApprover), r.get(headOwner)
	if d.PreparedBy == "" {
		refuse(headPreparer, "expected who decided")
	}
	dayIn := func(head string) ledger.Date {
		text := r.get(head)
		if text == "" {
			return 0
		}
		on, err := readDay(text)
		if err != nil {
			refuse(head, "expected a date such as 2025-04-07")
		}
		return on
	}
	if d.DecidedAt = now; r.get(headPreparedOn) != "" {
		d.DecidedAt = dayIn(headPreparedOn).Time()
	}
	d.Due, d.ApprovedOn = dayIn(headDue), dayIn(headApprovedOn)
	switch {
	case d.ApprovedBy == "" && !d.ApprovedOn.IsZero():
		refuse(headApprover, "expected who approved, for the row says when")
	case d.ApprovedBy != "" && strings.EqualFold(d.ApprovedBy, d.PreparedBy):
		refuse(headApprover, "expected another person than the preparer")
	}
	return d, bad
}

// population is the row's: sheets of ledger items say it, the others hold attempts.
func (r *reviewRow) population() string {
	if p := r.get(headPopulation); p != "" {
		return p
	}
	return string(recon.Attempts)
}

// readDay reads a date as a person types it or as a spreadsheet stores it.
func readDay(s string) (ledger.Date, error) {
	if d, err := ledger.ParseDate(s); err == nil {
		return d, nil
	}
	var serial float64
	if _, err := fmt.Sscanf(s, "%g", &serial); err != nil || serial < 1 || serial > 2_958_465 {
		return 0, fmt.Errorf("%q is no date", s)
	}
	t, err := excelize.ExcelDateToTime(serial, false)
	return ledger.DateOf(t, time.UTC), err
}

// itemsOn are the items of a sheet by population and id as shown there.
func itemsOn(r *recon.Report, sheet Sheet) map[string]itemKey {
	items := map[string]itemKey{}
	note := func(p recon.Population, id string) { items[string(p)+" "+show(id, false)] = itemKey{p, id} }
	for _, f := range pickAttempts(r, sheet) {
		note(recon.Attempts, f.Attempt.ID)
	}
	for _, i := range pickLedger(r, sheet) {
		note(ledgerKey(i))
	}
	if sheet == SheetEarlier {
		for _, i := range openEarlier(r) {
			note(i.key())
		}
	}
	return items
}
