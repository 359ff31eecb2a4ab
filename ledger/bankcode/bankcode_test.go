package bankcode_test

import (
	"slices"
	"testing"

	"agentrecon/ledger"
	"agentrecon/ledger/bankcode"
)

func TestKinds(t *testing.T) {
	for _, test := range []struct {
		name string
		got  ledger.Kind
		want ledger.Kind
	}{
		{"a SEPA credit transfer settles nothing", bankcode.ISO("PMNT", "ICDT", "ESCT"), ""},
		{"no code at all", bankcode.ISO("", "", ""), ""},
		{"charges by sub-family", bankcode.ISO("ACMT", "MDOP", "CHRG"), ledger.KindFee},
		{"charges by family", bankcode.ISO("PMNT", "CHRG", "OTHR"), ledger.KindFee},
		{"the sub-family wins", bankcode.ISO("FORX", "CHRG", "INTR"), ledger.KindInterest},
		{"foreign exchange by domain", bankcode.ISO("FORX", "SPOT", "OTHR"), ledger.KindFX},
		{"cash pooling", bankcode.ISO("CAMT", "CAPL", "OTHR"), ledger.KindTransfer},
		{"returned transfer", bankcode.ISO("PMNT", "ICDT", "RRTN"), ledger.KindReturn},
		{"SWIFT charges", bankcode.SWIFT("NCHG"), ledger.KindFee},
		{"SWIFT charges, first advised", bankcode.SWIFT("FCHG"), ledger.KindFee},
		{"SWIFT transfer", bankcode.SWIFT("NTRF"), ""},
		{"a number is no word", bankcode.SWIFT("N808"), ""},
		{"too short", bankcode.SWIFT("CHG"), ""},
		{"GVC fees", bankcode.GVC("808"), ledger.KindFee},
		{"GVC transfer", bankcode.GVC("166"), ""},
		{"German code in camt, GVC first", bankcode.DK("NMSC+808+9310"), ledger.KindFee},
		{"German code in camt, type second", bankcode.DK("NINT+000"), ledger.KindInterest},
		{"bare SWIFT type in camt", bankcode.DK("NRTI"), ledger.KindReturn},
		{"a bank's own code", bankcode.DK("0815"), ""},
	} {
		if test.got != test.want {
			t.Errorf("%s: got %q, want %q", test.name, test.got, test.want)
		}
		if test.got != "" && !slices.Contains(ledger.Kinds, test.got) {
			t.Errorf("%s: %q is no kind", test.name, test.got)
		}
	}
}
