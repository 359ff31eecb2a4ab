package bai2_test

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"agentrecon/ledger"
	"agentrecon/ledger/bai2"
	"agentrecon/ledger/ledgertest"
)

var _ ledger.ReadFunc = bai2.Read

func TestArchives(t *testing.T) {
	ledgertest.Run(t, "testdata/*.txtar", func(t *testing.T, in ledgertest.Input) string {
		return ledgertest.Dump(t, bai2.Read, in)
	})
}

func TestDirectionOf(t *testing.T) {
	for _, test := range []struct {
		code string
		want bai2.Direction
		ok   bool
	}{
		{"100", bai2.Credit, true},
		{"399", bai2.Credit, true},
		{"400", bai2.Debit, true},
		{"699", bai2.Debit, true},
		{"720", bai2.Credit, true},
		{"760", bai2.Debit, true},
		{"890", bai2.Information, true},
		{"921", bai2.Credit, true},
		{"961", bai2.Debit, true},
		{"015", bai2.Information, true},
		{"-15", bai2.Information, false},
		{"15", bai2.Information, false},
		{"1x5", bai2.Information, false},
	} {
		if got, ok := bai2.DirectionOf(test.code); got != test.want || ok != test.ok {
			t.Errorf("%s: got %v, %v, want %v, %v", test.code, got, ok, test.want, test.ok)
		}
	}
}

const small = "01,1,2,250131,0900,1,,,2/\n02,2,1,1,250130,2400,EUR,2/\n03,77,,010,1000,,,015,1500,,/\n16,195,500,Z,B1,C1,TEXT/\n49,3000,3/\n98,3000,1,5/\n99,3000,1,7/\n"

func read(r io.Reader) string {
	var b strings.Builder
	source, err := bai2.Read("f", r, ledger.ReadOptions{}, func(e *ledger.Entry) error {
		e.Line = 0
		b.WriteString(e.ID + " " + ledgertest.DumpEntry(e))
		return nil
	})
	if err != nil {
		return err.Error()
	}
	return b.String() + source.Proof.Detail
}

// Line ends, byte order marks, blanks and encodings must not matter.
func TestTheSameFileInOtherClothes(t *testing.T) {
	text := strings.Replace(small, "TEXT", "Größe", 1)
	want := read(strings.NewReader(text))
	for name, text := range map[string]string{
		"CRLF":          strings.ReplaceAll(text, "\n", "\r\n"),
		"CR":            strings.ReplaceAll(text, "\n", "\r"),
		"byte order":    "\xef\xbb\xbf" + text,
		"blanks":        strings.ReplaceAll(text, "/\n", "/   \n"),
		"no slashes":    strings.ReplaceAll(text, "/\n", "\n"),
		"one line":      strings.ReplaceAll(text, "/\n", "/   "),
		"blank lines":   strings.ReplaceAll(text, "\n", "\n\n"),
		"no last break": strings.TrimSuffix(text, "\n"),
		"UTF-16":        ledgertest.UTF16(text),
		"Windows-1252":  ledgertest.Latin1(text),
	} {
		if got := read(iotest.HalfReader(strings.NewReader(text))); got != want {
			t.Errorf("%s: got %s\nwant %s", name, got, want)
		}
	}
}

// Two files in one give the entries that they give apart.
func TestConcatenation(t *testing.T) {
	ids := func(text string) (list []string) {
		if _, err := bai2.Read("f", strings.NewReader(text), ledger.ReadOptions{}, func(e *ledger.Entry) error {
			list = append(list, e.ID)
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		return list
	}
	other := strings.ReplaceAll(small, "B1", "B2")
	for _, between := range []string{"", "\n", "\ufeff"} {
		if got, want := ids(small+between+other), append(ids(small), ids(other)...); !slices.Equal(got, want) {
			t.Errorf("with %q between: got %s, want %s", between, got, want)
		}
	}
}

// A file cut anywhere before its last trailer must not pass for a whole one: it is refused or its proof fails.
func TestEveryTruncationShows(t *testing.T) {
	whole, _, _ := strings.Cut(small, ",3000,1,7")
	for n := range len(whole) {
		source, err := bai2.Read("f", strings.NewReader(whole[:n]), ledger.ReadOptions{}, func(*ledger.Entry) error { return nil })
		if err == nil && source.Proof.State != ledger.ProofFailed {
			t.Errorf("cut at %d of %d: proof %s", n, len(whole), source.Proof.State)
		}
	}
}

func TestTheCallersErrorStops(t *testing.T) {
	_, err := bai2.Read("f", strings.NewReader(small), ledger.ReadOptions{}, func(*ledger.Entry) error { return ledgertest.ErrStop })
	if !errors.Is(err, ledgertest.ErrStop) {
		t.Errorf("got %v", err)
	}
}

// Files without end are refused early, in little memory, whatever they are full of.
func TestHostileFilesAreRefused(t *testing.T) {
	const head = "01,1,2,250131,0900,1,,,2/\n02,2,1,1,250130,2400,EUR,2/\n03,77,/\n"
	for name, r := range map[string]*ledgertest.Endless{
		"blank lines":        {Piece: " \n"},
		"blank lines inside": {Head: head, Piece: "\n"},
		"blanks":             {Head: head, Piece: " "},
		"one long line":      {Head: head + "16,195,5,", Piece: "x"},
		"commas":             {Head: head, Piece: ","},
		"slashes":            {Head: head, Piece: "/"},
		"continuations":      {Head: head + "16,195,5,Z,,,T/\n", Piece: "88,X\n"},
		"lines of no record": {Head: head + "16,195,5,Z,,,T/\n", Piece: "X\n"},
		"bad entries":        {Head: head, Piece: "16,x\n"},
		"accounts":           {Head: head, Piece: "03,77,/\n"},
		"groups":             {Head: head, Piece: "02,2,1,1,250130,2400,EUR,2/\n03,77,/\n"},
		"NULs":               {Head: head, Piece: "\x00"},
		"huge sums":          {Head: head, Piece: "16,195,9999999999999999,,,,\n"},
		"trailers":           {Head: head, Piece: "49,0,2/\n98,0,1,4/\n02,2,1,1,250130,2400,EUR,2/\n03,77,/\n"},
	} {
		t.Run(name, func(t *testing.T) {
			r.MustBeRefused(t, bai2.Read)
		})
	}
	for name, text := range map[string]string{"no BAI2": "hello\nworld\n", "empty": ""} {
		if _, err := bai2.Read("f", strings.NewReader(text), ledger.ReadOptions{}, func(*ledger.Entry) error { return nil }); err == nil {
			t.Errorf("%s: taken", name)
		}
	}
}

func TestHostilePiecesAnywhere(t *testing.T) {
	ledgertest.Insert(t, bai2.Read, "01,A,B,250131,0000,1,,,2/\n02,A,B,1,250131,,EUR,2/\n03,1,EUR,010,0,,/\n16,142,100,V,250131,0900,1,2,text\n88,more\n49,100,4/\n98,100,1,6/\n99,100,1,8/\n")
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(small))
	f.Add([]byte("01,1,2,250131,0900,1,,,2/   02,2,1,4,250130,,JPY,3/\n03,77,,190/\n88,500000,15,D,2,0,1,1,2/\n16,890,,,,,A/B, C\n88,/D\nE\n"))
	f.Add(bytes.ReplaceAll([]byte(small), []byte("16,195,500,Z"), []byte("16,475,-500,V,250131,")))
	f.Fuzz(func(t *testing.T, data []byte) { ledgertest.Fuzz(t, bai2.Read, data) })
}
