package profile_test

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"

	"agentrecon/ledger"
	"agentrecon/ledger/ledgertest"
	"agentrecon/ledger/profile"
)

const small = "Buchungstag;Wertstellung;Empfänger;Verwendungszweck;Betrag;Währung;Saldo\n" +
	"30.01.2025;31.01.2025;Globex GmbH;Rechnung 7;-1.234,56;EUR;8.765,44\n" +
	"31.01.2025;31.01.2025;Müller;Überweisung;250,00;EUR;9.015,44\n"

func read(r io.Reader) string {
	var b strings.Builder
	source, err := profile.Read("f", r, ledger.ReadOptions{}, func(e *ledger.Entry) error {
		e.Line = 0
		b.WriteString(e.ID + " " + ledgertest.DumpEntry(e))
		return nil
	})
	if err != nil {
		return err.Error()
	}
	return b.String() + source.Proof.Detail
}

func encoded(t *testing.T, text string, encode func(string) (string, error)) string {
	t.Helper()
	s, err := encode(text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestTheSameTableInOtherClothes(t *testing.T) {
	want := read(strings.NewReader(small))
	if !strings.Contains(want, "Müller") || !strings.Contains(want, "follows in all 1 rows") {
		t.Fatal(want)
	}
	quoted := strings.ReplaceAll(`"`+strings.ReplaceAll(strings.TrimSuffix(small, "\n"), ";", `";"`), "\n", "\"\n\"") + "\"\n"
	for name, text := range map[string]string{
		"CRLF":         strings.ReplaceAll(small, "\n", "\r\n"),
		"CR CR LF":     strings.ReplaceAll(small, "\n", "\r\r\n"),
		"byte order":   "\xef\xbb\xbf" + small,
		"tabs":         strings.ReplaceAll(small, ";", "\t"),
		"pipes":        strings.ReplaceAll(small, ";", "|"),
		"quoted":       quoted,
		"commas":       strings.ReplaceAll(quoted, `";"`, `","`),
		"blank lines":  strings.ReplaceAll(small, "\n", "\n\n"),
		"fillers":      strings.ReplaceAll(small, "\n", "\n;;;;;;\n"),
		"preamble":     "Kontoauszug\nIBAN;x\n;;;\n" + small,
		"footer":       small + "Summe;;;;-984,56;;\n",
		"trailing":     strings.ReplaceAll(small, "\n", ";\n"),
		"Windows-1252": encoded(t, small, charmap.Windows1252.NewEncoder().String),
		"CP850":        encoded(t, small, charmap.CodePage850.NewEncoder().String),
		"UTF-16LE":     encoded(t, small, unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder().String),
		"UTF-16BE":     encoded(t, small, unicode.UTF16(unicode.BigEndian, unicode.UseBOM).NewEncoder().String),
		"no last end":  strings.TrimSuffix(small, "\n"),
	} {
		if got := read(strings.NewReader(text)); got != want {
			t.Errorf("%s: got %s\nwant %s", name, got, want)
		}
		if got := read(iotest.HalfReader(strings.NewReader(text))); got != want {
			t.Errorf("%s as a stream: got %s\nwant %s", name, got, want)
		}
	}
}

// Overlapping exports of whole days give the same entries the same ids.
func TestOverlappingExports(t *testing.T) {
	lines := strings.SplitAfter(small, "\n")
	second := lines[0] + lines[2] + lines[2]
	if a, b := strings.Split(read(strings.NewReader(small)), "\n"), strings.Split(read(strings.NewReader(second)), "\n"); a[1] != b[0] {
		t.Errorf("%s\n%s", a[1], b[0])
	} else if id, again, _ := strings.Cut(strings.Fields(b[1])[0], "#"); again != "2" || id != strings.Fields(b[0])[0] {
		t.Errorf("the second of two equal rows is %s", strings.Fields(b[1])[0])
	}
}

func TestEverythingIsReadToItsEnd(t *testing.T) {
	const rows = 20_000
	text := "Date,Description,Amount,Currency\n" + strings.Repeat("2025-01-31,x,-1.00,EUR\n", rows)
	n := 0
	source, err := profile.Read("f", strings.NewReader(text), ledger.ReadOptions{}, func(*ledger.Entry) error { n++; return nil })
	if err != nil || n != rows || source.Rows != rows || source.Totals[0].Minor != -100*rows || len(source.SHA256) != 64 {
		t.Errorf("%d entries, %+v, %v", n, source, err)
	}
}

// Where the header names one direction only, the other is not dropped, however late it comes.
func TestTheOtherDirectionIsNotDropped(t *testing.T) {
	text := "Date,Text,Debit (EUR),Zwzgl\n" + strings.Repeat("2025-01-31,Shop,1.00,\n", 90) + "2025-01-31,Income,,7.50\n"
	if got := read(strings.NewReader(text)); !strings.Contains(got, `f:92: Zwzgl "7.50": the row has no amount but this one`) {
		t.Error(got)
	}
}

func TestExpectations(t *testing.T) {
	for _, test := range []struct {
		expect ledger.Expect
		state  ledger.ProofState
		detail string
	}{
		{ledger.Expect{HasCount: true, Count: 2, Sum: "-984.56"}, ledger.ProofOK, "the totals given from outside agree"},
		{ledger.Expect{HasCount: true, Count: 3}, ledger.ProofFailed, "expected 3 entries; the file has 2 entries"},
		{ledger.Expect{Sum: "1.00"}, ledger.ProofFailed, "expected EUR 1.00; the file has EUR -984.56"},
	} {
		source, err := profile.Read("f", strings.NewReader(small), ledger.ReadOptions{Expect: test.expect}, func(*ledger.Entry) error { return nil })
		if err != nil || source.Proof.State != test.state || !strings.Contains(source.Proof.Detail, test.detail) {
			t.Errorf("%+v: got %+v, %v", test.expect, source.Proof, err)
		}
	}
}

func TestTheCallersErrorStops(t *testing.T) {
	_, err := profile.Read("f", strings.NewReader(small), ledger.ReadOptions{}, func(*ledger.Entry) error { return ledgertest.ErrStop })
	if !errors.Is(err, ledgertest.ErrStop) {
		t.Errorf("got %v", err)
	}
}

func TestHostileTablesAreRefused(t *testing.T) {
	header := "Date,Description,Amount,Currency\n"
	for name, text := range map[string]string{
		"endless line":   header + strings.Repeat("x", 2<<20),
		"endless quote":  header + `2025-01-31,"` + strings.Repeat("x\n", 1<<20),
		"commas":         strings.Repeat(",", 1<<20),
		"blanks":         strings.Repeat(" ", 4<<20),
		"blank lines":    strings.Repeat("\n", 1<<20),
		"NUL":            header + "2025-01-31,\x00,1.00,EUR\n",
		"huge sums":      header + strings.Repeat("2025-01-31,x,9999999999999.99,EUR\n", 20_000),
		"only bad rows":  header + strings.Repeat("2025-01-31,x,one,EUR\n", 20_000),
		"nothing":        "",
		"a word":         "hello",
		"a letter":       "Dear Sir,\nplease pay, soon.\n",
		"bad encoding":   "\xff\xfe\x00",
		"quotes only":    strings.Repeat(`"`, 10_001),
		"many columns":   strings.Repeat("Date,Amount,", 3000) + "\n",
		"wrong currency": header + "2025-01-31,x,1.00,Euro\n",
	} {
		if got := read(strings.NewReader(text)); !strings.HasPrefix(got, "f:") {
			t.Errorf("%s: got %.200s", name, got)
		}
	}
}

func TestParseSaysWhatIsWrong(t *testing.T) {
	for text, want := range map[string]string{
		"needs a":                                      "f:1: needs: want a line that begins with profile or lexicon and its name",
		"profile ":                                     "f:1: profile: want a name, such as stripe.balance",
		"profile a\ncolumn nonsense b":                 `f:2: column: unknown role "nonsense"; known: provider_id, `,
		"profile a\ncolumn amount":                     "f:2: column: want the name of a column behind the role",
		"profile a\nversion x":                         "f:2: version: want a number from 1",
		"profile a\ndecimal ;":                         "f:2: decimal: want . or ,",
		"profile a\ndates ydm":                         `f:2: dates: unknown value "ydm"; known: dmy, epoch, mdy, ymd`,
		"profile a\nkind x = gift":                     `f:2: kind: unknown kind "gift"`,
		"profile a\nstatus x = maybe":                  `f:2: status: unknown status "maybe"`,
		"profile a\ndirection x = up":                  "f:2: direction: want = in or = out",
		"profile a\ncurrency EURO":                     `f:2: currency: "EURO" is not an ISO 4217 currency code such as EUR`,
		"profile a\nfoo bar":                           "f:2: foo: unknown word, or a missing ' = '; see the README beside the shipped profiles",
		"profile a\ncolumn amount a":                   "f: profile a: it needs no column, so it would fit every file",
		"profile a\nneeds a\ncolumn amount a":          "f: profile a: no column booked_on",
		"profile a\nneeds a\ncolumn booked_on a":       "f: profile a: no column amount, net, credit or debit",
		"profile a\nneeds a\ncolumn a b\nfoo a = b\n#": `f:3: column: unknown role "a"`,
	} {
		if _, err := profile.Parse("f", text); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
}

func TestOwnProfilesWinOverLexicons(t *testing.T) {
	own, err := profile.Parse("own.txt", "profile acme\nneeds foo\nneeds bar\ncolumn booked_on foo\ncolumn amount bar\ndates mdy\ncurrency USD\ndecimal ,\n")
	if err != nil {
		t.Fatal(err)
	}
	set := profile.NewSet(append(own, profile.Shipped()...))
	var got []string
	source, err := set.Read("f", strings.NewReader("Foo;Bar\n05/03/2025;1.000,00\n"), ledger.ReadOptions{}, func(e *ledger.Entry) error {
		got = append(got, e.BookedOn.String(), ledger.FormatMoney(e.Amount, e.Currency))
		return nil
	})
	if err != nil || source.Profile != "acme/1" || strings.Join(got, " ") != "2025-05-03 USD 1,000.00" {
		t.Errorf("%v, %+v, %v", got, source, err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(small))
	f.Add([]byte("sep=;\n\"a\";\"b \"c\"\n\nDate;Credit;Debit;Balance;D/C;Currency\n31/12/24, 14:42;1'000.00;(2.50);--$3.00;C;USD\nPending;;1,000-;\n"))
	f.Add([]byte("31-01-2025,NL91ABNA0417164300,100,D,x,900\n30-01-2025,NL91ABNA0417164300,250,C,x,1000\n29-01-2025,NL91ABNA0417164300,50,D,x,750\n"))
	f.Add([]byte("id,Type,Source,Amount,Fee,Net,Currency,Created (UTC)\ntxn_1,charge,ch,\"1,00\",\"0,10\",\"0,90\",jpy,2025-01-30 23:30\n"))
	f.Add([]byte("Date started (UTC),Date completed (UTC),ID,State,Payment currency,Amount,Fee,Balance\n2025-01-01,,a,COMPLETED,EUR,1.00,0.5,\n"))
	f.Fuzz(func(t *testing.T, data []byte) { ledgertest.Fuzz(t, profile.Read, data) })
}

func FuzzParse(f *testing.F) {
	f.Add("profile a\nneeds a | b\ncolumn amount a*\nkind *x* = fee\nskip a = (empty)\n")
	f.Fuzz(func(_ *testing.T, text string) { _, _ = profile.Parse("f", text) })
}
