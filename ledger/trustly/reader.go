package trustly

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"agentrecon/ledger"
	"agentrecon/ledger/profile"
	"agentrecon/ledger/tabular"
	"agentrecon/ledger/witness"
)

// Format is what [ledger.SourceFile.Format] says of these files.
const Format = "trustly"

// The magic words of the two reports.
const (
	funding        = "P11KFUN"
	reconciliation = "P11KREC"
)

// Read reads a report; it is a [ledger.ReadFunc].
func Read(name string, r io.Reader, options ledger.ReadOptions, each func(*ledger.Entry) error) (ledger.SourceFile, error) {
	in, err := profile.Rewindable(name, r)
	if err != nil {
		return ledger.SourceFile{}, err
	}
	table := profile.CSV(name, in, options.Charset)[0] // the one with commas
	rows, err := table.Open(0)
	if err != nil {
		return ledger.SourceFile{}, err
	}
	t := &reader{name: name, file: witness.New(name, options, each), batches: map[string]*batch{}}
	if err := t.read(rows); err != nil {
		return ledger.SourceFile{}, t.file.WithBad(err)
	}
	source, err := t.file.Source(Format)
	if err != nil {
		return source, err
	}
	source.SHA256 = table.Digest()
	if !t.ended {
		cut := ledger.Proof{State: ledger.ProofFailed, Detail: "the record that ends the report (L) is missing; the file was cut"}
		source.Statements[0].Proof, source.Proof = cut, cut
	}
	return source, nil
}

// batch is what the items of one funding add up to, and what the funding says.
type batch struct {
	items    int64
	net      int64
	funded   bool
	line     int
	amount   int64 // of the funding
	declared int64 // items, as the funding counts them
}

// reader is the state of one report.
type reader struct {
	name     string
	file     *witness.File
	magic    string
	batches  map[string]*batch
	traces   []string // of the batches, in order
	items    int64
	gross    int64
	fundings int64
	funded   int64
	ended    bool
}

func (t *reader) read(rows profile.Rows) error {
	for {
		row, err := rows.Next()
		if errors.Is(err, io.EOF) {
			return t.end()
		}
		if err == nil {
			err = t.record(row)
		}
		var fault *ledger.RowError
		if errors.As(err, &fault) {
			err = t.file.Bad(fault)
		}
		if err != nil {
			return err
		}
	}
}

// record takes one record by its type.
func (t *reader) record(row profile.Row) error {
	kind := cell(row, 0)
	if t.magic == "" && kind != "H" {
		return t.file.Refusal(row.Line, "want a report of Trustly, whose first record is H; was the file cut?")
	}
	switch kind {
	case "H":
		return t.open(row)
	case "I":
		return t.item(row, itemFields)
	case "T":
		return t.item(row, transactionFields)
	case "F":
		return t.fund(row)
	case "L":
		return t.trailer(row)
	}
	return &tabular.FileError{File: t.name, Line: row.Line, Reason: fmt.Sprintf("a record of type %q; want H, I, T, F or L", kind)}
}

func cell(row profile.Row, i int) string {
	if i >= 0 && i < len(row.Cells) {
		return row.Cells[i].Text
	}
	return ""
}

// open begins a report: H, magic, version, start, end, merchant, 0001of0001.
func (t *reader) open(row profile.Row) error {
	const widthOfHeader = 7
	switch magic := cell(row, 1); {
	case t.magic != "":
		return t.file.Refusal(row.Line, "a second header (H); give one report a file")
	case magic != funding && magic != reconciliation:
		return t.file.Refusal(row.Line, fmt.Sprintf("a report of Trustly of the kind %q, which this version does not read; give the funding report (%s)", magic, funding))
	case len(row.Cells) < widthOfHeader:
		return t.file.Refusal(row.Line, fmt.Sprintf("a header of %d fields, want %d; was the file cut?", len(row.Cells), widthOfHeader))
	default:
		t.magic = magic
	}
	page, of, _ := strings.Cut(cell(row, 6), "of")
	return t.file.Open(ledger.Statement{
		AccountID: cell(row, 5), ID: t.magic + " " + cell(row, 3), Page: strings.TrimLeft(page, "0"), Paged: strings.TrimLeft(of, "0") != "1", Line: row.Line,
	}, witness.Statement)
}

// fund takes a funding: F, processor, (reserved), trace id, currency, amount, number of items, date.
func (t *reader) fund(row profile.Row) error {
	const trace, currency, amount, count, date = 3, 4, 5, 6, 7
	e := ledger.Entry{
		Line: row.Line, Kind: ledger.KindPayout, KindRaw: "F", ProviderID: cell(row, trace), GroupID: cell(row, trace),
		RemittanceText: strings.TrimSpace("funding " + cell(row, 1)),
	}
	if err := t.money(row, &e, currency, amount); err != nil {
		return err
	}
	if err := t.when(row, &e, date); err != nil {
		return err
	}
	b := t.batch(e.GroupID)
	if b.funded {
		return t.file.BadField(row.Line, "funding trace id", e.GroupID, fmt.Sprintf("funded twice, in line %d before", b.line))
	}
	n, err := ledger.ParseMinor(cell(row, count))
	if err != nil || n < 0 {
		return t.file.BadField(row.Line, "number of items", cell(row, count), "want a whole number such as 21")
	}
	b.funded, b.line, b.amount, b.declared = true, row.Line, e.Amount, n
	t.fundings++
	t.funded += e.Amount
	e.Amount = -e.Amount // it leaves the balance that the items came to
	return t.file.Add(&e)
}

func (t *reader) batch(trace string) *batch {
	b := t.batches[trace]
	if b == nil {
		b = new(batch)
		t.batches[trace] = b
		t.traces = append(t.traces, trace)
	}
	return b
}

// trailer takes the counts and sums: L, items, their amounts, fundings, their amounts.
func (t *reader) trailer(row profile.Row) error {
	if t.ended {
		return t.file.Refusal(row.Line, "a second trailer (L); give one report a file")
	}
	t.ended = true
	s := t.file.Statement()
	for i, c := range []struct {
		name  string
		found int64
		money bool
	}{{"number of items", t.items, false}, {"sum of the items", t.gross, true}, {"number of fundings", t.fundings, false}, {"sum of the fundings", t.funded, true}} {
		text := cell(row, i+1)
		if text == "" {
			continue
		}
		exponent := 0
		if c.money {
			exponent = s.Currency.Exponent()
		}
		n, err := ledger.ParseDecimal(text, exponent)
		if err != nil {
			return t.file.BadField(row.Line, c.name, text, "want a number such as 841.61")
		}
		s.Checks = append(s.Checks, ledger.Check{Name: c.name, Declared: n, Found: c.found, Money: c.money})
	}
	return nil
}

// end holds every funding against its items.
func (t *reader) end() error {
	s := t.file.Statement()
	if s == nil {
		return t.file.Refusal(0, "no record in it; was the export complete?")
	}
	for _, trace := range slices.DeleteFunc(slices.Clone(t.traces), func(trace string) bool { return !t.batches[trace].funded }) {
		b := t.batches[trace]
		s.Checks = append(s.Checks,
			ledger.Check{Name: "funding " + trace, Declared: b.amount, Found: b.net, Money: true},
			ledger.Check{Name: "items of funding " + trace, Declared: b.declared, Found: b.items})
	}
	return nil
}
