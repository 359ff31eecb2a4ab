package ofx_test

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"agentrecon/ledger"
	"agentrecon/ledger/ledgertest"
	"agentrecon/ledger/ofx"
)

var _ ledger.ReadFunc = ofx.Read

func TestArchives(t *testing.T) {
	ledgertest.Run(t, "testdata/*.txtar", func(t *testing.T, in ledgertest.Input) string {
		return ledgertest.Dump(t, ofx.Read, in)
	})
}

const small = "OFXHEADER:100\nDATA:OFXSGML\nVERSION:102\nCHARSET:1252\n\n<OFX>\n<BANKMSGSRSV1>\n<STMTTRNRS>\n<STMTRS>\n<CURDEF>EUR\n" +
	"<BANKACCTFROM>\n<BANKID>1\n<ACCTID>77\n</BANKACCTFROM>\n<BANKTRANLIST>\n<DTSTART>20250101\n<DTEND>20250201\n" +
	"<STMTTRN>\n<TRNTYPE>DEBIT\n<DTPOSTED>20250131\n<TRNAMT>-12.50\n<FITID>1\n<NAME>A & B\n</STMTTRN>\n" +
	"</BANKTRANLIST>\n</STMTRS>\n</STMTTRNRS>\n</BANKMSGSRSV1>\n</OFX>\n"

func read(r io.Reader) string {
	var b strings.Builder
	_, err := ofx.Read("f", r, ledger.ReadOptions{}, func(e *ledger.Entry) error {
		e.Line = 0
		b.WriteString(e.ID + " " + ledgertest.DumpEntry(e))
		return nil
	})
	if err != nil {
		return err.Error()
	}
	return b.String()
}

func TestTheSameFileInOtherClothes(t *testing.T) {
	want := read(strings.NewReader(small))
	closed := small
	for _, tag := range []string{"CURDEF", "ACCTID", "TRNTYPE", "DTPOSTED", "TRNAMT", "FITID", "NAME"} {
		before, after, _ := strings.Cut(closed, "<"+tag+">")
		value, rest, _ := strings.Cut(after, "\n")
		closed = before + "<" + tag + ">" + value + "</" + tag + ">\n" + rest
	}
	for name, text := range map[string]string{
		"CRLF":            strings.ReplaceAll(small, "\n", "\r\n"),
		"CR":              strings.ReplaceAll(small, "\n", "\r"),
		"byte order":      "\xef\xbb\xbf" + small,
		"one line":        strings.ReplaceAll(small, "\n", " "),
		"no line ends":    strings.ReplaceAll(small, ">\n", ">"),
		"no header":       small[strings.Index(small, "<OFX>"):],
		"end tags":        closed,
		"XML":             `<?xml version="1.0" encoding="utf-16"?><?OFX OFXHEADER="200"?>` + closed[strings.Index(closed, "<OFX>"):],
		"UTF-16":          ledgertest.UTF16(small),
		"lower case":      strings.NewReplacer("<BANKACCTFROM>", "<bankacctfrom>", "</BANKACCTFROM>", "</bankacctfrom>", "<ACCTID>", "<acctid>").Replace(small),
		"entities":        strings.ReplaceAll(small, "A & B", "A &amp; B"),
		"numbered entity": strings.ReplaceAll(small, "A & B", "A &#38; B"),
		"CDATA":           strings.ReplaceAll(small, "A & B", "<![CDATA[A & B]]>"),
		"comments":        strings.ReplaceAll(small, "<FITID>", "<!-- <FITID>9 --><FITID>"),
	} {
		if got := read(iotest.HalfReader(strings.NewReader(text))); got != want {
			t.Errorf("%s: got %s\nwant %s", name, got, want)
		}
	}
}

// A FITID names an entry of its account and month only (buckets/application#894, #889, actualbudget/actual#608, #5627):
// the same one on another account, day or amount is another entry, and reading the file again changes none.
//
// report 32 (buckets/application#894, #889): TestWhatAFITIDNames.
// report 33 (actualbudget/actual#608): TestWhatAFITIDNames.
func TestWhatAFITIDNames(t *testing.T) {
	statement := func(account, posted, amount string) string {
		return strings.NewReplacer("<ACCTID>77", "<ACCTID>"+account, "<DTPOSTED>20250131", "<DTPOSTED>"+posted, "<TRNAMT>-12.50", "<TRNAMT>"+amount).Replace(small)
	}
	seen := map[string]string{}
	for _, text := range []string{
		statement("77", "20250131", "-12.50"), statement("78", "20250131", "-12.50"), statement("77", "20250228", "-12.50"), statement("77", "20250131", "-0.38"),
	} {
		id, _, _ := strings.Cut(read(strings.NewReader(text)), " ")
		if again, _, _ := strings.Cut(read(strings.NewReader(text)), " "); again != id || seen[id] != "" {
			t.Errorf("id %s, read again %s, of\n%s\nand of\n%s", id, again, text, seen[id])
		}
		seen[id] = text
	}
}

// No time and no zone moves a printed date to another day (actualbudget/actual#1053, stoicflame/ofx4j#30, libofx#14).
//
// report 34 (actualbudget/actual#1053): TestDatesStayAsPrinted.
// report 36 (libofx/libofx#14): TestDatesStayAsPrinted.
func TestDatesStayAsPrinted(t *testing.T) {
	for _, stamp := range []string{
		"20250131", "20250131000000", "20250131235959", "20250131000000[-5:EST]", "20250131000000.000[0:GMT]", "20250131120000[+12:NZST]",
		"20250131000000[-:EST]", "20250131235959[-12:X]", "20250131000000.000[-3:GMT]",
	} {
		text := strings.Replace(small, "<DTPOSTED>20250131", "<DTPOSTED>"+stamp, 1)
		if got := read(strings.NewReader(text)); !strings.Contains(got, "booked=2025-01-31") {
			t.Errorf("%s: got %s", stamp, got)
		}
	}
}

func TestEveryTruncationIsRefused(t *testing.T) {
	for n := range strings.Index(small, "</STMTRS>") {
		if got := read(strings.NewReader(small[:n])); !strings.HasPrefix(got, "f:") {
			t.Errorf("cut at %d: got %s", n, got)
		}
	}
}

func TestTheCallersErrorStops(t *testing.T) {
	_, err := ofx.Read("f", strings.NewReader(small), ledger.ReadOptions{}, func(*ledger.Entry) error { return ledgertest.ErrStop })
	if !errors.Is(err, ledgertest.ErrStop) {
		t.Errorf("got %v", err)
	}
}

// Files without end are refused early, in little memory, whatever they are full of.
func TestHostileFilesAreRefused(t *testing.T) {
	const head = "<OFX><STMTRS><CURDEF>EUR<BANKTRANLIST>"
	for name, file := range map[string]*ledgertest.Endless{
		"a value":               {Head: "<OFX><STMTRS><CURDEF>", Piece: "x"},
		"a tag":                 {Head: "<OFX a='", Piece: "x"},
		"a comment":             {Head: "<OFX><!--", Piece: "x"},
		"CDATA":                 {Head: head + "<STMTTRN><MEMO><![CDATA[", Piece: "x"},
		"values in pieces":      {Head: head + "<STMTTRN><MEMO>", Piece: "x<!-- -->"},
		"blanks":                {Head: "<OFX>", Piece: " "},
		"blank lines":           {Piece: "\n"},
		"nesting":               {Piece: "<STMTRS><BAL>"},
		"statements":            {Head: "<OFX>", Piece: "<STMTRS></STMTRS>"},
		"bad entries":           {Head: head, Piece: "<STMTTRN></STMTTRN>"},
		"entries left open":     {Head: head, Piece: "<STMTTRN>"},
		"brackets":              {Head: head, Piece: "<"},
		"ampersands":            {Head: head + "<STMTTRN><MEMO>", Piece: "&"},
		"NULs":                  {Head: head, Piece: "\x00"},
		"a document definition": {Head: "<!DOCTYPE OFX [", Piece: `<!ENTITY a "aaaa">`},
	} {
		t.Run(name, func(t *testing.T) { file.MustBeRefused(t, ofx.Read) })
	}
	for name, r := range map[string]io.Reader{
		"declared entities":   strings.NewReader(`<!DOCTYPE OFX [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><OFX>&b;</OFX>`),
		"nothing":             strings.NewReader(""),
		"an error of reading": iotest.ErrReader(errors.New("disk on fire")),
	} {
		if got := read(r); !strings.HasPrefix(got, "f:") {
			t.Errorf("%s: got %s", name, got)
		}
	}
}

// Two files in one give the entries that they give apart.
func TestConcatenation(t *testing.T) {
	other := strings.ReplaceAll(small, "<FITID>1", "<FITID>2")
	for _, between := range []string{"", "\n\n", "\ufeff"} {
		if got, want := read(strings.NewReader(small+between+other)), read(strings.NewReader(small))+read(strings.NewReader(other)); got != want {
			t.Errorf("with %q between: got %s\nwant %s", between, got, want)
		}
	}
}

func TestHostilePiecesAnywhere(t *testing.T) {
	ledgertest.Insert(t, ofx.Read, "OFXHEADER:100\nCHARSET:1252\n\n<OFX><BANKMSGSRSV1><STMTTRNRS><STMTRS><CURDEF>EUR<BANKACCTFROM><ACCTID>1</BANKACCTFROM><BANKTRANLIST><STMTTRN><TRNTYPE>DEBIT<DTPOSTED>20250131<TRNAMT>-1.00<FITID>1<NAME>A &amp; B</STMTTRN></BANKTRANLIST></STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>")
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(small))
	f.Add([]byte(`<?xml version="1.0"?><OFX><CCSTMTRS><CURDEF>JPY</CURDEF><STMTTRN><TRNAMT>1.234,567</TRNAMT><DTPOSTED>20250231[-5:X]</DTPOSTED><MEMO>a<b &lt;&x;</MEMO></STMTTRN></CCSTMTRS></OFX>`))
	f.Add([]byte("<OFX><STMTTRN><TRNAMT>.5<DTUSER>20250131<STMTTRN><TRNAMT>-0.005<DTAVAIL>20250131<CURRENCY><CURSYM>USD</STMTTRN></OFX>"))
	f.Fuzz(func(t *testing.T, data []byte) { ledgertest.Fuzz(t, ofx.Read, data) })
}
