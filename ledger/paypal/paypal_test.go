package paypal_test

import (
	"errors"
	"strings"
	"testing"

	"agentrecon/ledger"
	"agentrecon/ledger/ledgertest"
	"agentrecon/ledger/paypal"
)

var _ ledger.ReadFunc = paypal.Read

func TestArchives(t *testing.T) {
	ledgertest.Run(t, "testdata/*.txtar", func(t *testing.T, in ledgertest.Input) string {
		return ledgertest.Dump(t, paypal.Read, in)
	})
}

const small = `"RH",2026/01/07 02:11:04 -0800,"A","M1",011,
"FH",01
"SH",2026/01/06 00:00:00 -0800,2026/01/06 23:59:59 -0800,"M1",""
"CH","Transaction ID","Transaction Event Code","Transaction Completion Date","Transaction  Debit or Credit","Gross Transaction Amount","Gross Transaction Currency","Fee Debit or Credit","Fee Amount","Fee Currency"
"SB","8GM1","T0006",2026/01/06 23:30:00 -0800,"CR",10000,"EUR","DR",275,"EUR"
"SF","EUR",10000,0,0,275,0,9725
"SC",1
"RC",1
"FF",1
`

func TestTheCallersErrorStops(t *testing.T) {
	_, err := paypal.Read("f", strings.NewReader(small), ledger.ReadOptions{}, func(*ledger.Entry) error { return ledgertest.ErrStop })
	if !errors.Is(err, ledgertest.ErrStop) {
		t.Errorf("got %v", err)
	}
}

func TestEveryTruncationShows(t *testing.T) {
	for n := range strings.Index(small, `"RC"`) {
		source, err := paypal.Read("f", strings.NewReader(small[:n]), ledger.ReadOptions{}, func(*ledger.Entry) error { return nil })
		if err == nil && source.Proof.State != ledger.ProofFailed {
			t.Errorf("cut at %d: %+v", n, source.Proof)
		}
	}
}

func TestExpectations(t *testing.T) {
	for sum, want := range map[string]ledger.ProofState{"97.25": ledger.ProofOK, "97.26": ledger.ProofFailed} {
		source, err := paypal.Read("f", strings.NewReader(small), ledger.ReadOptions{Expect: ledger.Expect{Sum: sum}}, func(*ledger.Entry) error { return nil })
		if err != nil || source.Proof.State != want {
			t.Errorf("%s: %+v, %v", sum, source.Proof, err)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(small))
	f.Add([]byte(strings.ReplaceAll(small, "EUR", "JPY")))
	f.Fuzz(func(t *testing.T, data []byte) { ledgertest.Fuzz(t, paypal.Read, data) })
}
