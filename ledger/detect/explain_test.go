package detect_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"agentrecon/ledger"
	"agentrecon/ledger/detect"
	"agentrecon/ledger/ledgertest"
	"agentrecon/ledger/profile"
)

func TestExplanations(t *testing.T) {
	ledgertest.Run(t, "testdata/explain/*.txtar", func(t *testing.T, in ledgertest.Input) string {
		e, err := detect.Explain(in.Name, bytes.NewReader(in.Data), nil, ledger.ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return e.String()
	})
}

func TestErrorsOfReadingAreNotExplained(t *testing.T) {
	broken := errors.New("disk on fire")
	if _, err := detect.Explain("f", iotest.ErrReader(broken), nil, ledger.ReadOptions{}); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
	e, err := detect.Explain("f.zip", bytes.NewReader(zipped(t, "january.csv", january)), nil, ledger.ReadOptions{})
	if err != nil || !strings.Contains(e.String(), "f.zip is a zip archive") || len(e.Entries) != 1 {
		t.Errorf("got %v, %v", e, err)
	}
}

func TestOwnProfiles(t *testing.T) {
	own, err := profile.Parse("own.txt", "profile acme\nneeds foo\nneeds bar\ncolumn booked_on foo\ncolumn amount bar\ndates mdy\ncurrency USD\ndecimal ,\n")
	if err != nil {
		t.Fatal(err)
	}
	read := detect.Reader(own)
	for text, want := range map[string]string{"Foo;Bar\n05/03/2025;1.000,00\n": "acme/1", january: "bank/1", february: "generic/1"} {
		for name, r := range map[string]io.Reader{
			"file": strings.NewReader(text), "zip": bytes.NewReader(zipped(t, "a.csv", text)), "gzip": bytes.NewReader(gzipped(t, strings.NewReader(text))),
		} {
			source, err := read(name, r, ledger.ReadOptions{}, func(*ledger.Entry) error { return nil })
			if err != nil || source.Profile != want {
				t.Errorf("%s of %q: got %s, %v", name, text, source.Profile, err)
			}
		}
		e, err := detect.Explain("f", strings.NewReader(text), own, ledger.ReadOptions{})
		if err != nil || e.Source.Profile != want || len(e.Entries) == 0 {
			t.Errorf("%q explained: got %s, %v", text, e, err)
		}
	}
}

func FuzzExplain(f *testing.F) {
	f.Add([]byte(january))
	f.Add([]byte("Foo;Bar\n31.01.2025;1,50\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		e, err := detect.Explain("f", bytes.NewReader(data), nil, ledger.ReadOptions{})
		if err == nil && e.String() == "" {
			t.Fatal("nothing said")
		}
	})
}
