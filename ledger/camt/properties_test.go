package camt_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"golang.org/x/tools/txtar"

	"agentrecon/ledger"
	"agentrecon/ledger/camt"
	"agentrecon/ledger/ledgertest"
)

// inputs are all files of the archives that are plain text.
func inputs(t testing.TB) map[string]string {
	t.Helper()
	paths, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no archives: %v", err)
	}
	files := map[string]string{}
	for _, path := range paths {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range archive.Files {
			if strings.HasSuffix(f.Name, ".xml") {
				files[filepath.Base(path)+"/"+f.Name] = string(f.Data)
			}
		}
	}
	return files
}

// result reads a file and prints all of it but the lines and the digest.
func result(r io.Reader) (string, error) {
	var b strings.Builder
	source, err := camt.Read("f", r, ledger.ReadOptions{}, func(e *ledger.Entry) error {
		e.Line = 0
		for i := range e.Children {
			e.Children[i].Line = 0
		}
		b.WriteString(e.ID + " " + e.Locator + " " + ledgertest.DumpEntry(e))
		return nil
	})
	return b.String() + places.ReplaceAllString(ledgertest.DumpSource(source), ""), err
}

// places are the lines that a proof names.
var places = regexp.MustCompile(`\bf:\d+: |of line \d+`)

// What the file is wrapped in must not matter: line ends, marks, encodings, blanks between tags, and how it arrives.
func TestTheSameFileInOtherClothes(t *testing.T) {
	clothes := map[string]func(string) io.Reader{
		"CRLF": func(s string) io.Reader { return strings.NewReader(strings.ReplaceAll(s, "\n", "\r\n")) },
		"CR":   func(s string) io.Reader { return strings.NewReader(strings.ReplaceAll(s, "\n", "\r")) },
		"mark": func(s string) io.Reader { return strings.NewReader("\ufeff" + s) },
		"UTF-16": func(s string) io.Reader {
			return strings.NewReader(ledgertest.UTF16(strings.Replace(s, "UTF-8", "UTF-16", 1)))
		},
		"Latin-1": func(s string) io.Reader { return strings.NewReader(strings.Replace(s, "UTF-8", "ISO-8859-1", 1)) },
		"pretty":  func(s string) io.Reader { return strings.NewReader(strings.ReplaceAll(s, "><", ">\n    <")) },
		"comments": func(s string) io.Reader {
			return strings.NewReader(strings.ReplaceAll(s, "</Amt>", "<!-- 9 --></Amt>"))
		},
		"in bytes":  func(s string) io.Reader { return iotest.OneByteReader(strings.NewReader(s)) },
		"data, EOF": func(s string) io.Reader { return iotest.DataErrReader(strings.NewReader(s)) },
	}
	for name, text := range inputs(t) {
		want, err := result(strings.NewReader(text))
		if err != nil {
			continue // its message names lines
		}
		for how, put := range clothes {
			if got, err := result(put(text)); err != nil || got != want {
				t.Errorf("%s, %s: %v\ngot  %s\nwant %s", name, how, err, got, want)
			}
		}
	}
}

func TestEveryVersion(t *testing.T) {
	const file = `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:%s"><%s><%s><Id>1</Id><Ntry><Amt Ccy="EUR">1.00</Amt><CdtDbtInd>DBIT</CdtDbtInd><Sts>BOOK</Sts><BookgDt><Dt>2025-01-31</Dt></BookgDt></Ntry></%s></%s></Document>`
	for _, message := range []struct{ number, container, item string }{
		{"052", "BkToCstmrAcctRpt", "Rpt"}, {"053", "BkToCstmrStmt", "Stmt"}, {"054", "BkToCstmrDbtCdtNtfctn", "Ntfctn"},
	} {
		for version := 1; version <= 13; version++ {
			format := fmt.Sprintf("camt.%s.001.%02d", message.number, version)
			text := fmt.Sprintf(file, format, message.container, message.item, message.item, message.container)
			n := 0
			source, err := camt.Read("f", strings.NewReader(text), ledger.ReadOptions{}, func(*ledger.Entry) error { n++; return nil })
			if err != nil || n != 1 || source.Format != format {
				t.Errorf("%s: %d entries, %s, %v", format, n, source.Format, err)
			}
		}
	}
}

// A file that was cut off anywhere is refused: what is left of it looks like a shorter statement.
func TestNoPartOfAFileIsAFile(t *testing.T) {
	for name, text := range inputs(t) {
		if !strings.HasPrefix(name, "batches") && !strings.HasPrefix(name, "versions") {
			continue
		}
		whole := strings.TrimRight(text, "\n")
		if strings.Count(whole, "</Document>") > 1 {
			continue // its first document is a whole file
		}
		for i := len(name) % 11; i < len(whole); i += 11 {
			if _, err := result(strings.NewReader(whole[:i])); err == nil {
				t.Fatalf("%s: the first %d of %d bytes are taken for a file:\n%s", name, i, len(whole), whole[max(0, i-80):i])
			}
		}
	}
}

// Two files in one give what they give apart.
func TestConcatenation(t *testing.T) {
	statement := func(id, ref string) string {
		return `<Document><BkToCstmrStmt><Stmt><Id>` + id + `</Id><Ntry><Amt Ccy="EUR">1.00</Amt><CdtDbtInd>DBIT</CdtDbtInd><Sts>BOOK</Sts><BookgDt><Dt>2025-01-31</Dt></BookgDt><AcctSvcrRef>` +
			ref + `</AcctSvcrRef></Ntry></Stmt></BkToCstmrStmt></Document>` + "\n"
	}
	ids := func(text string) (list []string) {
		_, err := camt.Read("f", strings.NewReader(text), ledger.ReadOptions{}, func(e *ledger.Entry) error {
			list = append(list, e.ID)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	a, b := statement("1", "A"), statement("2", "B")
	if got, want := fmt.Sprint(ids(a+b)), fmt.Sprint(append(ids(a), ids(b)...)); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// What an intraday report shows and what the statement shows are two stages, each recorded: the texts of a report often
// differ from those of the statement, and neither replaces the other.
func TestIntradayAndStatementAreTwoStages(t *testing.T) {
	entry := `<Ntry><Amt Ccy="EUR">1.00</Amt><CdtDbtInd>DBIT</CdtDbtInd><Sts>BOOK</Sts><BookgDt><Dt>2025-01-31</Dt></BookgDt><AcctSvcrRef>A</AcctSvcrRef></Ntry>`
	var ids []string
	for _, text := range []string{
		`<Document><BkToCstmrAcctRpt><Rpt>` + entry + `</Rpt></BkToCstmrAcctRpt></Document>`,
		`<Document><BkToCstmrStmt><Stmt>` + entry + `</Stmt></BkToCstmrStmt></Document>`,
	} {
		if _, err := camt.Read("f", strings.NewReader(text), ledger.ReadOptions{}, func(e *ledger.Entry) error {
			ids = append(ids, e.ID)
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	if len(ids) != 2 || ids[0] == ids[1] {
		t.Errorf("got %q, want two ids", ids)
	}
}

func TestPlaces(t *testing.T) {
	text := inputs(t)["batches.txtar/batch.xml"]
	var got []string
	if _, err := camt.Read("f", strings.NewReader(text), ledger.ReadOptions{}, func(e *ledger.Entry) error {
		got = append(got, e.Locator)
		for _, child := range e.Children {
			got = append(got, child.Locator)
			if child.ParentID != e.ID || !strings.HasPrefix(child.ID, e.ID+"/") {
				t.Errorf("child %s of %s under %s", child.ID, child.ParentID, e.ID)
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	want := "/Document/BkToCstmrStmt/Stmt[1]/Ntry[1] /Document/BkToCstmrStmt/Stmt[1]/Ntry[1]/NtryDtls/TxDtls[1] /Document/BkToCstmrStmt/Stmt[1]/Ntry[1]/NtryDtls/TxDtls[2]"
	if strings.Join(got, " ") != want {
		t.Errorf("got %s, want %s", strings.Join(got, " "), want)
	}
}

const opening = `<Document><BkToCstmrStmt><Stmt><Id>1</Id>`

// Files without end are refused early, in little memory, whatever they are full of.
func TestHostileFiles(t *testing.T) {
	for name, file := range map[string]*ledgertest.Endless{
		"blanks":            {Piece: strings.Repeat(" \n", 1000)},
		"blanks in a field": {Head: opening + "<Ntry><Amt>", Piece: strings.Repeat(" ", 1000)},
		"one long text":     {Head: opening + "<Ntry><AddtlNtryInf>", Piece: strings.Repeat("x", 1000)},
		"text in pieces":    {Head: opening + "<Ntry><AddtlNtryInf>", Piece: "x<!-- -->"},
		"one long tag":      {Head: opening, Piece: "x"},
		"attributes":        {Head: opening + "<Ntry ", Piece: ` a="b"`},
		"a comment":         {Head: opening + "<!--", Piece: "x "},
		"CDATA":             {Head: opening + "<Ntry><AddtlNtryInf><![CDATA[", Piece: "x"},
		"depth":             {Head: opening, Piece: "<a>"},
		"remittance lines":  {Head: opening + "<Ntry><NtryDtls><TxDtls><RmtInf>", Piece: "<Ustrd>xxxxxxxxxxxxxxxxxxxxx</Ustrd>"},
		"balances":          {Head: opening, Piece: "<Bal></Bal>"},
		"statements":        {Head: "<Document><BkToCstmrStmt>", Piece: "<Stmt><Id>1</Id></Stmt>"},
		"details":           {Head: opening + "<Ntry><NtryDtls>", Piece: "<TxDtls></TxDtls>"},
		"bad entries":       {Head: opening, Piece: "<Ntry></Ntry>"},
		"a DTD":             {Head: "<!DOCTYPE x [", Piece: `<!ENTITY a "b">`},
	} {
		t.Run(name, func(t *testing.T) {
			file.MustBeRefused(t, camt.Read)
		})
	}
}

func TestElementNamesAreBounded(t *testing.T) {
	var b strings.Builder
	b.WriteString(opening)
	for i := range 20_000 {
		fmt.Fprintf(&b, "<a%d/>", i)
	}
	if _, err := result(strings.NewReader(b.String())); err == nil || !strings.Contains(err.Error(), "different elements") {
		t.Errorf("got %v", err)
	}
}

// A large statement is streamed: what is held does not grow with it.
func TestLargeStatementsAreStreamed(t *testing.T) {
	const entries, most = 20_000, 16 << 20
	file := benchFile(entries)
	var peak uint64
	n := 0
	var stats runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&stats)
	base := stats.HeapAlloc
	if _, err := camt.Read("f", bytes.NewReader(file), ledger.ReadOptions{}, func(*ledger.Entry) error {
		if n++; n%5000 == 0 {
			runtime.GC()
			runtime.ReadMemStats(&stats)
			peak = max(peak, stats.HeapAlloc-min(base, stats.HeapAlloc))
		}
		return nil
	}); err != nil || n != entries {
		t.Fatal(n, err)
	}
	if peak > most {
		t.Errorf("%d bytes held while reading %d entries, want at most %d", peak, entries, most)
	}
}

func TestErrorsOfOthersStayTheirs(t *testing.T) {
	text := inputs(t)["batches.txtar/batch.xml"]
	_, err := camt.Read("f", strings.NewReader(text), ledger.ReadOptions{}, func(*ledger.Entry) error { return ledgertest.ErrStop })
	if !errors.Is(err, ledgertest.ErrStop) {
		t.Errorf("got %v, want the caller's own error", err)
	}
	_, err = camt.Read("f", io.MultiReader(strings.NewReader(text[:400]), iotest.ErrReader(os.ErrDeadlineExceeded)), ledger.ReadOptions{}, func(*ledger.Entry) error { return nil })
	if !errors.Is(err, os.ErrDeadlineExceeded) || !strings.HasPrefix(err.Error(), "f:") {
		t.Errorf("got %v, want the error of reading, with the file's name", err)
	}
}

func TestHostilePiecesAnywhere(t *testing.T) {
	ledgertest.Insert(t, camt.Read, `<Document><BkToCstmrStmt><Stmt><Id>1</Id><Ntry><Amt Ccy="EUR">1.00</Amt><CdtDbtInd>DBIT</CdtDbtInd><Sts>BOOK</Sts><BookgDt><Dt>2025-01-31</Dt></BookgDt><NtryDtls><TxDtls><RmtInf><Ustrd>A &amp; B</Ustrd></RmtInf></TxDtls></NtryDtls></Ntry></Stmt></BkToCstmrStmt></Document>`)
}

func FuzzRead(f *testing.F) {
	for _, text := range inputs(f) {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) { ledgertest.Fuzz(t, camt.Read, data) })
}
