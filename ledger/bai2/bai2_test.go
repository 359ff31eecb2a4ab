package bai2_test

import (
	"bytes"
	"errors"
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

// Line ends, byte order marks and blanks must not matter.
func TestTheSameFileInOtherClothes(t *testing.T) {
	read := func(text string) string {
		var b strings.Builder
		source, err := bai2.Read("f", iotest.HalfReader(strings.NewReader(text)), ledger.ReadOptions{}, func(e *ledger.Entry) error {
			e.Line = 0
			b.WriteString(e.ID + " " + ledgertest.DumpEntry(e))
			return nil
		})
		if err != nil {
			return err.Error()
		}
		return b.String() + source.Proof.Detail
	}
	want := read(small)
	for name, text := range map[string]string{
		"CRLF":          strings.ReplaceAll(small, "\n", "\r\n"),
		"CR":            strings.ReplaceAll(small, "\n", "\r"),
		"byte order":    "\xef\xbb\xbf" + small,
		"blanks":        strings.ReplaceAll(small, "/\n", "/   \n"),
		"no slashes":    strings.ReplaceAll(small, "/\n", "\n"),
		"one line":      strings.ReplaceAll(small, "/\n", "/   "),
		"blank lines":   strings.ReplaceAll(small, "\n", "\n\n"),
		"no last break": strings.TrimSuffix(small, "\n"),
	} {
		if got := read(text); got != want {
			t.Errorf("%s: got %s\nwant %s", name, got, want)
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

func TestHostileFilesAreRefused(t *testing.T) {
	for name, text := range map[string]string{
		"endless continuations": "01,1,2,250131,0900,1,,,2/\n02,2,1,1,250130,2400,EUR,2/\n03,77,/\n16,195,5,Z,,,T/\n" + strings.Repeat("88,X\n", 20_000),
		"huge sums":             strings.Replace(small, "16,", "16,195,9999999999999999,,,,\n16,", 1) + strings.Repeat("x", 10),
		"no BAI2":               "hello\nworld\n",
		"empty":                 "",
	} {
		if _, err := bai2.Read("f", strings.NewReader(text), ledger.ReadOptions{}, func(*ledger.Entry) error { return nil }); err == nil {
			t.Errorf("%s: taken", name)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(small))
	f.Add([]byte("01,1,2,250131,0900,1,,,2/   02,2,1,4,250130,,JPY,3/\n03,77,,190/\n88,500000,15,D,2,0,1,1,2/\n16,890,,,,,A/B, C\n88,/D\nE\n"))
	f.Add(bytes.ReplaceAll([]byte(small), []byte("16,195,500,Z"), []byte("16,475,-500,V,250131,")))
	f.Fuzz(func(t *testing.T, data []byte) { ledgertest.Fuzz(t, bai2.Read, data) })
}
