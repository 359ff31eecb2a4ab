package report

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"agentrecon/ledger"
	"agentrecon/recon"
)

// Format is how findings are written for readers without a spreadsheet, people and machines.
type Format string

// The formats of findings.
const (
	CSV      Format = "csv"
	JSONL    Format = "jsonl"
	Markdown Format = "md"  // one page: the Cover's result, Summary and what to act on
	Text     Format = "txt" // the nightly message
)

// Formats lists the formats.
var Formats = []Format{CSV, JSONL, Markdown, Text}

// Finding is one listed item, the same whatever it is an item of.
type Finding struct {
	Sheet       Sheet            `json:"sheet"`
	Population  recon.Population `json:"population"`
	Item        string           `json:"item"`
	Class       recon.Class      `json:"class"`
	Kind        recon.Kind       `json:"kind"`
	Priority    string           `json:"priority"`
	DoNext      string           `json:"do_next"`
	Currency    ledger.Currency  `json:"currency"`
	Amount      string           `json:"amount"` // exact decimal, money out positive
	Minor       int64            `json:"minor"`
	Difference  int64            `json:"difference_minor"` // ledger less attempt, where it is concluded
	At          string           `json:"at"`               // of an attempt, when it was proposed (RFC 3339); of an entry, the booking date
	Payee       string           `json:"payee"`
	Destination string           `json:"destination"`
	Reference   string           `json:"reference"`
	Reported    string           `json:"reported"`    // what the platform observed
	MoneyMoved  string           `json:"money_moved"` // what the ledger says
	PointsTo    recon.Cause      `json:"evidence_points_to"`
	Evidence    string           `json:"evidence"`
	OffsetIn    string           `json:"offset_in"`
	Flags       string           `json:"flags"`
	Decision    recon.Decision   `json:"decision"` // that stands
	ApprovedBy  string           `json:"approved_by"`
	Owner       string           `json:"owner"` // who follows it up
	Due         string           `json:"due"`   // by which day
}

// Findings lists every listed item once, by sheet in the order of the tabs, then as on the sheet.
func Findings(r *recon.Report) []Finding {
	b := &book{report: r, index: newIndex(r)}
	var all []Finding
	for _, sheet := range Sheets {
		for _, f := range pickAttempts(r, sheet) {
			all = append(all, b.attemptLine(sheet, f))
		}
		for _, i := range pickLedger(r, sheet) {
			all = append(all, b.ledgerLine(sheet, i))
		}
		if sheet != SheetEarlier {
			continue
		}
		for _, i := range openEarlier(r) {
			if i.attempt != nil {
				all = append(all, b.attemptLine(sheet, i.attempt))
			} else {
				all = append(all, b.ledgerLine(sheet, i.ledger))
			}
		}
	}
	return all
}

func (b *book) attemptLine(sheet Sheet, f *recon.AttemptFinding) Finding {
	info := infoOf(f)
	_, difference := recon.BreakOf(f)
	line := Finding{
		Sheet: sheet, Population: recon.Attempts, Item: f.Attempt.ID, Class: f.Class, Kind: info.Kind, Priority: priorityWord(info.Priority), DoNext: info.DoNext,
		Currency: f.Attempt.Currency, Amount: ledger.FormatDecimal(f.Attempt.Minor, f.Attempt.Currency.Exponent()), Minor: f.Attempt.Minor, Difference: difference,
		At: f.Attempt.ProposedAt.UTC().Format(time.RFC3339Nano), Payee: payee(f), Destination: f.Attempt.DestAccount, Reference: f.Attempt.Reference,
		Reported: reportedOf(f.Evidence.Outcome), MoneyMoved: ledgerWordsOf(f.Evidence.Settlement).moved, PointsTo: f.Cause,
		Evidence: strings.ReplaceAll(b.index.evidenceOf(f), "\n", "; "), OffsetIn: f.OffsetIn, Flags: flagList(f.Flags, " "),
	}
	b.decide(&line)
	return line
}

func (b *book) ledgerLine(sheet Sheet, i *ledgerItem) Finding {
	info := i.info()
	line := Finding{
		Sheet: sheet, Population: i.population(), Class: i.class(), Kind: info.Kind, Priority: priorityWord(info.Priority), DoNext: info.DoNext,
		Payee: i.of(func(e *ledger.Entry) string { return e.CounterpartyName }), Destination: i.of(func(e *ledger.Entry) string { return e.CounterpartyAccount }),
		Reference: i.of(func(e *ledger.Entry) string { return e.MerchantReference }),
	}
	if i.entry == nil {
		o := &i.outcome.Outcome
		line.Item, line.At, line.Reported, line.Evidence = o.AttemptID, o.ObservedAt.UTC().Format(time.RFC3339Nano), string(o.Status), outcomeEvidence(o)
		line.Flags = flagList(i.outcome.Flags, " ")
	} else {
		e := &i.entry.Entry
		line.Item, line.Currency, line.Minor, line.At = e.ID, e.Currency, e.Outflow(), e.BookedOn.String()
		line.Amount = ledger.FormatDecimal(e.Outflow(), e.Currency.Exponent())
		line.MoneyMoved, line.Evidence, line.OffsetIn, line.Flags = string(e.Status), place(e), i.entry.OffsetIn, flagList(i.entry.Flags, " ")
	}
	b.decide(&line)
	return line
}

// decide adds the decision that stands.
func (b *book) decide(line *Finding) {
	if d := b.standing(line.Population, line.Item); d != nil {
		line.Decision, line.ApprovedBy, line.Owner, line.Due = d.Decision, d.ApprovedBy, d.Owner, d.Due.String()
	}
}

// WriteFindings writes the findings in a format. The same report gives the same bytes. sum is what the workbook of the
// report came to; Markdown shows its state and sentence.
func WriteFindings(w io.Writer, r *recon.Report, format Format, sum Summary) error {
	out := bufio.NewWriter(w)
	switch format {
	case CSV:
		findingsCSV(out, Findings(r))
	case JSONL:
		if err := findingsJSONL(out, Findings(r)); err != nil {
			return err
		}
	case Markdown:
		_, _ = out.WriteString(OnePage(r, sum))
	case Text:
		_, _ = out.WriteString(Message(r, sum, ""))
	default:
		return fmt.Errorf("format %q: expected csv, jsonl, md or txt: %w", format, ErrInvalid)
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("%v: %w", reason(err), ErrCannotWrite)
	}
	return nil
}

// findingsHead is the header of the CSV file; its names are those of the JSON lines.
var findingsHead = []string{
	"sheet", "population", "item", "class", "kind", "priority", "do_next", "currency", "amount", "minor", "difference_minor", "at", "payee", "destination",
	"reference", "reported", "money_moved", "evidence_points_to", "evidence", "offset_in", "flags", "decision", "approved_by", "owner", "due",
}

func findingsCSV(out *bufio.Writer, all []Finding) {
	writeCSV(out, findingsHead)
	for i := range all {
		f := &all[i]
		writeCSV(out, []string{
			string(f.Sheet), string(f.Population), f.Item, string(f.Class), string(f.Kind), f.Priority, f.DoNext, string(f.Currency), f.Amount,
			strconv.FormatInt(f.Minor, 10), strconv.FormatInt(f.Difference, 10), f.At, f.Payee, f.Destination, f.Reference, f.Reported, f.MoneyMoved,
			string(f.PointsTo), f.Evidence, f.OffsetIn, f.Flags, string(f.Decision), f.ApprovedBy, f.Owner, f.Due,
		})
	}
}

func findingsJSONL(out *bufio.Writer, all []Finding) error {
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	for i := range all {
		if err := encoder.Encode(&all[i]); err != nil {
			return fmt.Errorf("%v: %w", reason(err), ErrCannotWrite)
		}
	}
	return nil
}
