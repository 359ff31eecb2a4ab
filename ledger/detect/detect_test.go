package detect_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"agentrecon/ledger"
	"agentrecon/ledger/detect"
	"agentrecon/ledger/ledgertest"
)

var _ ledger.ReadFunc = detect.Read

func TestArchives(t *testing.T) {
	ledgertest.Run(t, "testdata/*.txtar", func(t *testing.T, in ledgertest.Input) string {
		file := result(in.Name, bytes.NewReader(in.Data))
		// A stream cannot be set back; but for what only a second reading finds, it gives the same.
		stream := result(in.Name, iotest.HalfReader(bytes.NewReader(in.Data)))
		if stream != file && !strings.Contains(stream, "says something else") {
			t.Errorf("%s: as a stream: %sas a file: %s", in.Name, stream, file)
		}
		format, _ := detect.Choose(in.Data)
		return fmt.Sprintf("%s: %s", format.Name, file)
	})
}

func result(name string, r io.Reader) string {
	n := 0
	source, err := detect.Read(name, r, ledger.ReadOptions{}, func(*ledger.Entry) error { n++; return nil })
	if err != nil {
		return err.Error() + "\n"
	}
	return fmt.Sprintf("%d entries of %d rows, %s, sha256 %.8s\n", n, source.Rows, source.Format, source.SHA256)
}

func TestReadingGoesOnWhereTheReaderStands(t *testing.T) {
	const before = "not part of it\n"
	r := strings.NewReader(before + "booked_on,amount,currency\n2025-01-31,-1.00,EUR\n")
	if _, err := r.Seek(int64(len(before)), io.SeekStart); err != nil {
		t.Fatal(err)
	}
	if got := result("f", r); !strings.HasPrefix(got, "1 entries of 1 rows") {
		t.Error(got)
	}
}

func TestLargeFilesAreReadWhole(t *testing.T) {
	const rows = 20_000 // far more than the beginning that is looked at
	file := "booked_on,amount,currency\n" + strings.Repeat("2025-01-31,-1.00,EUR\n", rows)
	for name, r := range map[string]io.Reader{"file": strings.NewReader(file), "stream": io.MultiReader(strings.NewReader(file))} {
		if got, want := result("f", r), fmt.Sprintf("%d entries of %d rows", rows, rows); !strings.HasPrefix(got, want) {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
}

// A file in UTF-16 is the same format, and what is refused by name is refused by the same name.
func TestUTF16IsNoOtherFormat(t *testing.T) {
	for format, text := range map[string]string{
		"camt":     "<Document xmlns=\"urn:iso:std:iso:20022:tech:xsd:camt.053.001.02\"><BkToCstmrStmt/></Document>",
		"pain.001": "<Document xmlns=\"urn:iso:std:iso:20022:tech:xsd:pain.001.001.03\"/>",
		"ofx":      "OFXHEADER:100\nDATA:OFXSGML\n\n<OFX>",
		"mt940":    ":20:STARTUMS\n:60F:C250131EUR0,00\n:62F:C250131EUR0,00\n",
		"swift":    "{1:F01BANKDEFFXXXX0000000000}{2:I103BANKDEFFXXXXN}{4:\n:20:1\n",
		"bai2":     "01,A,B,250131,0000,1,,,2/\n02,A,B,1,250131,,EUR,2/\n",
		"json":     "[{\"amount\":1}]",
	} {
		marked := ledgertest.UTF16(text)
		for clothes, head := range map[string]string{"UTF-8": text, "its mark": "\ufeff" + text, "UTF-16": marked, "UTF-16 without a mark": marked[2:]} {
			if got, _ := detect.Choose([]byte(head)); got.Name != format {
				t.Errorf("%s in %s is taken for %q", format, clothes, got.Name)
			}
		}
	}
	const empty = ":20:STARTUMS\n:60F:C250131EUR0,00\n:62F:C250131EUR0,00\n"
	if got := result("f", strings.NewReader(ledgertest.UTF16(empty))); !strings.HasPrefix(got, "0 entries of 0 rows, mt940") {
		t.Error(got)
	}
}

func TestNamed(t *testing.T) {
	if f, err := detect.Named("Generic"); err != nil || f.Name != "generic" {
		t.Errorf("got %v, %v", f.Name, err)
	}
	if _, err := detect.Named("nonsense"); err == nil || !strings.HasPrefix(err.Error(), `unknown ledger format "nonsense"; known: `) {
		t.Errorf("got %v", err)
	}
}

func TestErrorsOfReadingComeThrough(t *testing.T) {
	broken := errors.New("disk on fire")
	if got := result("f", iotest.ErrReader(broken)); got != "f: read: disk on fire\n" {
		t.Error(got)
	}
	each := errors.New("staging is full")
	_, err := detect.Read("f", strings.NewReader("booked_on,amount,currency\n2025-01-31,-1.00,EUR\n"), ledger.ReadOptions{},
		func(*ledger.Entry) error { return each })
	if !errors.Is(err, each) {
		t.Errorf("got %v", err)
	}
}

func TestEveryFormatIsReadableOrHasARemedy(t *testing.T) {
	seen := map[string]bool{}
	for _, f := range detect.Formats {
		if f.Name == "" || f.Title == "" || f.Sniff == nil || (f.Read == nil) == (f.Remedy == "") {
			t.Errorf("%+v", f)
		}
		if seen[f.Name] {
			t.Errorf("%s stands twice", f.Name)
		}
		seen[f.Name] = true
		if f.Sniff(nil) {
			t.Errorf("%s fits an empty file", f.Name)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte("booked_on,amount,currency\n2025-01-31,-1.00,EUR\n"))
	f.Add([]byte(":20:STARTUMS\n:60F:C250131EUR0,00\n"))
	f.Add([]byte("<?xml version=\"1.0\"?><Document><BkToCstmrStmt/></Document>"))
	f.Add([]byte(":20:STARTUMS\n:60F:C250131EUR0,00\n:62F:C250131EUR0,00\n")) // proves that it has no entries
	f.Add([]byte("{\"amount\":1,\"currency\":\"EUR\"}\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		entries := 0
		source, err := detect.Read("f", bytes.NewReader(data), ledger.ReadOptions{}, func(*ledger.Entry) error {
			entries++
			return nil
		})
		if err == nil && (len(source.SHA256) != 64 || source.Rows == 0 && entries > 0) {
			t.Fatalf("%d entries, %+v", entries, source)
		}
	})
}

// Characters that were lost before are warned of once, whatever the format and its wrapping.
func TestLostCharactersAreWarnedOf(t *testing.T) {
	for name, text := range map[string]string{
		"mt940": ":20:R\n:25:1\n:28C:1/1\n:60F:C250130EUR0,00\n:61:2501310131C1,00NTRFNONREF\n:86:M\uFFFDller\n:62F:C250131EUR1,00\n",
		"camt": `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><BkToCstmrStmt><Stmt><Id>S</Id><Ntry><Amt Ccy="EUR">1.00</Amt><CdtDbtInd>DBIT</CdtDbtInd>` +
			"<Sts>BOOK</Sts><BookgDt><Dt>2025-01-31</Dt></BookgDt><AddtlNtryInf>M\uFFFDller</AddtlNtryInf></Ntry></Stmt></BkToCstmrStmt></Document>",
		"bai":     strings.Replace(bai, "TEXT", "M\uFFFDller", 1),
		"ofx":     "<OFX><STMTRS><CURDEF>USD<BANKTRANLIST><STMTTRN><DTPOSTED>20250110<TRNAMT>-1<NAME>M\uFFFDller</STMTTRN></BANKTRANLIST></STMTRS></OFX>",
		"json":    `[{"bookingDate": "2025-01-31", "transactionAmount": {"amount": "-1.50", "currency": "EUR"}, "creditorName": "M` + "\uFFFD" + `ller"}]`,
		"table":   "Datum;Text;Betrag;Währung\n28.02.2025;M\uFFFDller;-1.000,50;EUR\n",
		"generic": "booked_on,amount,currency,remittance_text\n2025-02-28,-1.00,USD,M\uFFFDller\n",
	} {
		for wrapping, r := range map[string]io.Reader{
			"file": strings.NewReader(text), "gzip": bytes.NewReader(gzipped(t, strings.NewReader(text))), "zip": bytes.NewReader(zipped(t, "a", text)),
		} {
			source, err := detect.Read("f", r, ledger.ReadOptions{}, func(*ledger.Entry) error { return nil })
			if n := strings.Count(strings.Join(source.Warnings, "\n"), "(U+FFFD)"); err != nil || n != 1 {
				t.Errorf("%s, %s: warned %d times, %q, %v", name, wrapping, n, source.Warnings, err)
			}
		}
	}
}
