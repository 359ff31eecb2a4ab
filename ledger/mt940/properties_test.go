package mt940_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"golang.org/x/tools/txtar"

	"agentrecon/ledger"
	"agentrecon/ledger/ledgertest"
	"agentrecon/ledger/mt940"
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
			if strings.HasSuffix(f.Name, ".sta") {
				files[filepath.Base(path)+"/"+f.Name] = string(f.Data)
			}
		}
	}
	return files
}

// result reads a file and prints all of it but the lines and the digest.
func result(r io.Reader) (string, error) {
	var b strings.Builder
	source, err := mt940.Read("f", r, ledger.ReadOptions{}, func(e *ledger.Entry) error {
		e.Line = 0
		b.WriteString(e.ID + " " + e.Locator + " " + ledgertest.DumpEntry(e))
		return nil
	})
	source.Warnings = nil
	return b.String() + places.ReplaceAllString(ledgertest.DumpSource(source), ""), err
}

// places are the lines that a proof names.
var places = regexp.MustCompile(`\bf:\d+: |of line \d+`)

// What the file is wrapped in must not matter: line ends, marks, encodings, and how it arrives.
func TestTheSameFileInOtherClothes(t *testing.T) {
	clothes := map[string]func(string) io.Reader{
		"CRLF":            func(s string) io.Reader { return strings.NewReader(strings.ReplaceAll(s, "\n", "\r\n")) },
		"CRCRLF":          func(s string) io.Reader { return strings.NewReader(strings.ReplaceAll(s, "\n", "\r\r\n")) },
		"CR":              func(s string) io.Reader { return strings.NewReader(strings.ReplaceAll(s, "\n", "\r")) },
		"trailing blanks": func(s string) io.Reader { return strings.NewReader(strings.ReplaceAll(s, "\n", "  \n")) },
		"empty lines":     func(s string) io.Reader { return strings.NewReader(strings.ReplaceAll(s, "\n", "\n\n")) },
		"mark":            func(s string) io.Reader { return strings.NewReader("\ufeff" + s) },
		"UTF-16":          func(s string) io.Reader { return strings.NewReader(ledgertest.UTF16(s)) },
		"Windows-1252": func(s string) io.Reader {
			if strings.ContainsFunc(s, func(r rune) bool { return r > 0xff }) {
				return strings.NewReader(s)
			}
			return strings.NewReader(ledgertest.Latin1(s))
		},
		"in bytes":  func(s string) io.Reader { return iotest.OneByteReader(strings.NewReader(s)) },
		"data, EOF": func(s string) io.Reader { return iotest.DataErrReader(strings.NewReader(s)) },
		"in an envelope": func(s string) io.Reader {
			if strings.Contains(s, "{") || strings.HasSuffix(s, "\n:2\n") {
				return strings.NewReader(s) // it has one, or was cut off before its end
			}
			return strings.NewReader("{1:F01BANKDEFFAXXX0000000000}{2:I940BANKDEFFXXXXN}{4:\n" + s + "-}\n")
		},
	}
	for name, text := range inputs(t) {
		want, err := result(strings.NewReader(text))
		if err != nil || strings.Contains(name, "at-signs") {
			continue // messages name lines; and at-signs are line ends themselves
		}
		for how, put := range clothes {
			if got, err := result(put(text)); err != nil || got != want {
				t.Errorf("%s, %s: %v\ngot  %s\nwant %s", name, how, err, got, want)
			}
		}
	}
}

const small = ":20:R%[1]d\n:25:DE89370400440532013000\n:28C:%[1]d/1\n:60F:C250130EUR%[1]d,00\n:61:2501310131C1,00NTRFNONREF//B%[1]d\n:86:text\n:62F:C250131EUR%[2]d,00\n"

// Two files in one give what they give apart.
func TestConcatenation(t *testing.T) {
	ids := func(text string) (list []string) {
		_, err := mt940.Read("f", strings.NewReader(text), ledger.ReadOptions{}, func(e *ledger.Entry) error {
			list = append(list, e.ID)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	a, b := fmt.Sprintf(small, 1, 2), fmt.Sprintf(small, 2, 3)
	for _, between := range []string{"", "-\n", "-}\n", "\n\n", "\ufeff", ":940:\n"} {
		if got, want := ids(a+between+b), append(ids(a), ids(b)...); !slices.Equal(got, want) {
			t.Errorf("with %q between: got %s, want %s", between, got, want)
		}
	}
}

// What is left of a file that was cut off is refused or fails or lacks its proof.
func TestNoPartOfAFileProvesItself(t *testing.T) {
	text := fmt.Sprintf(small, 10, 11)
	closing := strings.Index(text, "EUR11") + len("EUR11")
	for i := range closing {
		source, err := mt940.Read("f", strings.NewReader(text[:i]), ledger.ReadOptions{}, func(*ledger.Entry) error { return nil })
		if err == nil && source.Proof.State == ledger.ProofOK {
			t.Errorf("the first %d bytes prove themselves: %q", i, text[:i])
		}
	}
}

// Files without end are refused early, in little memory, whatever they are full of.
func TestHostileFiles(t *testing.T) {
	const head = ":20:R\n:60F:C250130EUR0,00\n"
	for name, file := range map[string]*ledgertest.Endless{
		"blanks":             {Piece: " "},
		"blank lines":        {Head: head, Piece: " \n"},
		"lines of no field":  {Piece: "text\n"},
		"one long line":      {Head: head + ":86:", Piece: "x"},
		"one long field":     {Head: head + ":61:2501310131C1,00NTRFNONREF\n:86:", Piece: "xxxxxxxxxxxxxxxx\n"},
		"statements":         {Piece: ":20:R\n:25:1\n"},
		"bad entries":        {Head: head, Piece: ":61:x\n"},
		"bad balances":       {Head: head, Piece: ":60F:x\n"},
		"at-signs":           {Head: "@@:20:1", Piece: "@@:61:x"},
		"braces":             {Piece: "{"},
		"NULs":               {Head: head, Piece: "\x00"},
		"digits of a number": {Head: head + ":61:2501310131C", Piece: "1"},
	} {
		t.Run(name, func(t *testing.T) {
			file.MustBeRefused(t, mt940.Read)
		})
	}
}

// A statement of more entries than are held for its closing balance is handed on by and by.
func TestLargeStatementsAreStreamed(t *testing.T) {
	const entries = 60_000
	var b strings.Builder
	b.WriteString(":20:R\n:25:1\n:28C:1\n:60F:C250101EUR0,00\n")
	for i := range entries {
		fmt.Fprintf(&b, ":61:250131%02d%02dC1,00NTRFNONREF//B%d\n", i%12+1, i%28+1, i)
	}
	fmt.Fprintf(&b, ":62F:C250131EUR%d,00\n", entries)
	n := 0
	source, err := mt940.Read("f", strings.NewReader(b.String()), ledger.ReadOptions{}, func(*ledger.Entry) error { n++; return nil })
	if err != nil || n != entries || source.Proof.State != ledger.ProofOK || len(source.Statements) != 1 {
		t.Errorf("%d entries, %v, %v", n, source.Proof, err)
	}
}

func TestErrorsOfOthersStayTheirs(t *testing.T) {
	text := fmt.Sprintf(small, 1, 2)
	_, err := mt940.Read("f", strings.NewReader(text), ledger.ReadOptions{}, func(*ledger.Entry) error { return ledgertest.ErrStop })
	if !errors.Is(err, ledgertest.ErrStop) {
		t.Errorf("got %v, want the caller's own error", err)
	}
	_, err = mt940.Read("f", io.MultiReader(strings.NewReader(text), iotest.ErrReader(os.ErrDeadlineExceeded)), ledger.ReadOptions{}, func(*ledger.Entry) error { return nil })
	if !errors.Is(err, os.ErrDeadlineExceeded) || !strings.HasPrefix(err.Error(), "f:") {
		t.Errorf("got %v, want the error of reading, with the file's name", err)
	}
}

// A file that was cut off anywhere within a statement never proves itself without that statement's entries.
func TestNoPartOfASecondStatementIsMissed(t *testing.T) {
	const one = ":20:REF1\n:25:DE89370400440532013000\n:28C:1/1\n:60F:C250131EUR0,00\n:61:250131C1,00NTRFNONREF//1\n:86:text\n:62F:C250131EUR1,00\n"
	const two = ":20:REF2\n:25:DE89370400440532013000\n:28C:2/1\n:60F:C250131EUR1,00\n:61:250201C2,00NTRFNONREF//2\n:86:text\n:62F:C250201EUR3,00\n"
	const envelope, end = "{1:F01BANKDEFFXXXX0000000000}{2:O940BANKDEFFXXXXN}{3:}{4:\n", "-}{5:}\n"
	for name, parts := range map[string][2]string{
		"bare":      {one, two},
		"hyphens":   {one + "-\n", two + "-\n"},
		"envelopes": {envelope + one + end, envelope + two + end},
	} {
		whole := parts[0] + parts[1]
		for i := len(parts[0]) + 1; i <= len(whole); i++ {
			n := 0
			source, err := mt940.Read("f", strings.NewReader(whole[:i]), ledger.ReadOptions{}, func(*ledger.Entry) error { n++; return nil })
			if err == nil && source.Proof.State == ledger.ProofOK && n < 2 {
				t.Fatalf("%s: %d of its entries prove %d of its %d bytes:\n%s", name, n, i, len(whole), whole[:i])
			}
		}
	}
}

func TestHostilePiecesAnywhere(t *testing.T) {
	ledgertest.Insert(t, mt940.Read, ":20:REF1\n:25:0129876543\n:28C:1/1\n:60F:C250131EUR0,00\n:61:250131C1,00N078P000000000RST  SONS\n:86:166?00T?20EREF+1?32N\n:61:2501310131D2,00NTRFREF//2\n:86:/EREF/1/NAME/N/\n:62F:D250131EUR1,00\n")
}

func FuzzRead(f *testing.F) {
	for _, text := range inputs(f) {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) { ledgertest.Fuzz(t, mt940.Read, data) })
}
