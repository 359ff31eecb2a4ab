package jsonprofile_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"agentrecon/ledger"
	"agentrecon/ledger/jsonprofile"
	"agentrecon/ledger/ledgertest"
)

var _ ledger.ReadFunc = jsonprofile.Read

func TestArchives(t *testing.T) {
	ledgertest.Run(t, "testdata/*.txtar", func(t *testing.T, in ledgertest.Input) string {
		return ledgertest.Dump(t, jsonprofile.Read, in)
	})
}

const one = `{"id":"txn_1","object":"balance_transaction","amount":10000,"fee":175,"net":9825,"currency":"eur","created":1738279800,"available_on":1738540800,"source":"ch_1","type":"charge","reporting_category":"charge","description":"Order 7"}`

func read(r io.Reader) string {
	var b strings.Builder
	_, err := jsonprofile.Read("f", r, ledger.ReadOptions{}, func(e *ledger.Entry) error {
		e.Line = 0
		b.WriteString(e.ID + " " + ledgertest.DumpEntry(e))
		return nil
	})
	if err != nil {
		return err.Error()
	}
	return b.String()
}

func TestTheSameItemInOtherWrappings(t *testing.T) {
	want := read(strings.NewReader(one))
	if !strings.Contains(want, "amount=98.25") {
		t.Fatal(want)
	}
	for name, text := range map[string]string{
		"list":          "[" + one + "]",
		"page":          `{"object":"list","url":"/v1/balance_transactions","has_more":false,"data":[` + one + `]}`,
		"pages":         `[{"object":"list","data":[` + one + `]}]`,
		"lines":         "\n" + one + "\n",
		"lines of page": `{"data":[]}` + "\n" + `{"data":[` + one + `]}` + "\n",
		"graph":         `{"data":{"search":{"edges":[{"cursor":"c","node":` + one + `}]}}}`,
		"envelope":      `{"balance_transaction":` + one + `}`,
		"byte order":    "\xef\xbb\xbf" + one,
		"indented":      strings.ReplaceAll(strings.ReplaceAll(one, ",", ",\n  "), ":", ": "),
	} {
		if got := read(iotest.HalfReader(strings.NewReader(text))); got != want {
			t.Errorf("%s: got %s\nwant %s", name, got, want)
		}
	}
}

func TestLargeFilesAreRead(t *testing.T) {
	const n = 5_000
	var b strings.Builder
	b.WriteString(`{"data":[`)
	for i := range n {
		if i > 0 {
			b.WriteString(",\n")
		}
		b.WriteString(strings.Replace(one, "txn_1", fmt.Sprintf("txn_%d", i), 1))
	}
	b.WriteString("]}")
	last := 0
	source, err := jsonprofile.Read("f", strings.NewReader(b.String()), ledger.ReadOptions{}, func(e *ledger.Entry) error { last = e.Line; return nil })
	if err != nil || source.Rows != n || last != n || len(source.SHA256) != 64 {
		t.Errorf("%d, %+v, %v", last, source, err)
	}
}

func TestTheCallersErrorStops(t *testing.T) {
	_, err := jsonprofile.Read("f", strings.NewReader("["+one+","+one+"]"), ledger.ReadOptions{}, func(*ledger.Entry) error { return ledgertest.ErrStop })
	if !errors.Is(err, ledgertest.ErrStop) {
		t.Errorf("got %v", err)
	}
}

func TestEveryTruncationIsRefused(t *testing.T) {
	text := `{"data":[` + one + `]}`
	for n := range text {
		if got := read(strings.NewReader(text[:n])); !strings.HasPrefix(got, "f:") {
			t.Errorf("cut at %d: got %s", n, got)
		}
	}
}

func TestHostileFilesAreRefused(t *testing.T) {
	for name, r := range map[string]io.Reader{
		"deep lists":        strings.NewReader(strings.Repeat("[", 100_000)),
		"deep objects":      strings.NewReader(strings.Repeat(`{"a":`, 100_000)),
		"an endless text":   io.MultiReader(strings.NewReader(`[{"a":"`), io.LimitReader(letters{}, 1<<34)),
		"not JSON":          strings.NewReader("hello"),
		"a number":          strings.NewReader("7"),
		"nothing":           strings.NewReader(""),
		"unknown items":     strings.NewReader(`[{"a":1}]`),
		"NUL":               strings.NewReader("\x00\x00"),
		"an error":          iotest.ErrReader(errors.New("disk on fire")),
		"a float too large": strings.NewReader(strings.Replace(one, "9825", "1e99", 1)),
	} {
		if got := read(r); !strings.HasPrefix(got, "f:") {
			t.Errorf("%s: got %.200s", name, got)
		}
	}
}

type letters struct{}

func (letters) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

func TestHostilePiecesAnywhere(t *testing.T) {
	ledgertest.Insert(t, jsonprofile.Read, `{"transactions":{"booked":[{"transactionId":"a\u0000","bookingDate":"2025-01-31","transactionAmount":{"amount":"-1.0","currency":"EUR"},"remittanceInformationUnstructured":"a\u0000b"}]}}`)
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(one))
	f.Add([]byte(`{"data":[` + one + `,{"id":1,"net":-1.5}],"x":[[{"y":null}]]}`))
	f.Add([]byte(`{"transactions":{"booked":[{"transactionId":"a","bookingDate":"2025-01-31","transactionAmount":{"amount":"-1.0","currency":"EUR"}}],"pending":[]}}`))
	f.Fuzz(func(t *testing.T, data []byte) { ledgertest.Fuzz(t, jsonprofile.Read, data) })
}
