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

// What is packed is explained as it is without its wrapping, each file by itself.
func TestFilesOfArchivesAreExplained(t *testing.T) {
	table := func(text string) string {
		e, err := detect.Explain("a.csv", strings.NewReader(text), nil, ledger.ReadOptions{})
		if err != nil || e.Table == nil {
			t.Fatalf("got %v, %v", e, err)
		}
		layout, _, _ := strings.Cut(e.String(), "\nThe first entries")
		_, layout, _ = strings.Cut(layout, "\n")
		return layout
	}
	const (
		other   = "Datum;Text;Betrag;Währung\n28.02.2025;Miete;-1.000,50;EUR\n"
		unknown = "foo,bar,baz\n2025-01-30,x,1.00\n"
	)
	many := make([]string, 0, 24)
	for i := range 12 {
		many = append(many, fmt.Sprintf("%02d.csv", i), january)
	}
	for name, test := range map[string]struct {
		packed []byte
		want   []string
	}{
		"gzip":              {gzipped(t, strings.NewReader(january)), []string{table(january)}},
		"zip":               {zipped(t, "a.csv", january, "b.csv", other), []string{"f/a.csv is", table(january), "f/b.csv is", table(other)}},
		"one nobody knows":  {zipped(t, "a.csv", january, "b.csv", unknown), []string{table(january), "f/b.csv is in no known format", "It cannot be read: f/b.csv", "column booked_on foo"}},
		"an archive in one": {zipped(t, "a.zip", string(zipped(t, "a.csv", january))), []string{"f/a.zip is a zip archive", "It cannot be read: f/a.zip: an archive inside an archive"}},
		"many":              {zipped(t, many...), []string{"f/09.csv is", "2 more files are in it", "12 entries"}},
		"cut":               {gzipped(t, strings.NewReader(january))[:20], []string{"It cannot be read: f: a damaged archive"}},
	} {
		e, err := detect.Explain("f", bytes.NewReader(test.packed), nil, ledger.ReadOptions{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		rest := e.String()
		for _, want := range test.want {
			_, after, found := strings.Cut(rest, want)
			if !found {
				t.Errorf("%s: got\n%s\nwant, in this order, %q", name, e, test.want)
				break
			}
			rest = after
		}
	}
}

// The draft for items of JSON is a profile that reads them.
func TestDraftsForItemsRead(t *testing.T) {
	const items = `{"result": {"items": [{"bookingDate": "2025-01-31", "amount": "-1.50", "currency": "EUR", "note": "Rent"}]}}`
	e, err := detect.Explain("f", strings.NewReader(items), nil, ledger.ReadOptions{})
	if err != nil || e.Table == nil {
		t.Fatalf("got %v, %v", e, err)
	}
	own, err := profile.Parse("own.txt", e.Table.Draft)
	if err != nil {
		t.Fatal(err)
	}
	e, err = detect.Explain("f", strings.NewReader(items), own, ledger.ReadOptions{})
	if err != nil || e.Refusal != "" || len(e.Entries) != 1 || e.Entries[0].Amount != -150 {
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
