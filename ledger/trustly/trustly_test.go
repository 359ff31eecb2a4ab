package trustly_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"agentrecon/ledger"
	"agentrecon/ledger/ledgertest"
	"agentrecon/ledger/trustly"
)

var _ ledger.ReadFunc = trustly.Read

func TestArchives(t *testing.T) {
	ledgertest.Run(t, "testdata/*.txtar", func(t *testing.T, in ledgertest.Input) string {
		return ledgertest.Dump(t, trustly.Read, in)
	})
}

const small = "H,P11KFUN,1.0.0,2026-02-01T12:00:00.000Z,2026-02-02T12:00:00.000Z,36,0001of0001\n" +
	"I,11,2026-01-30T23:51:37.990Z,10,36,Deferred,1,1,34,hash,Capture,Processed,2026-02-02T05:51:28.297Z,2026-02-02T05:21:11.237Z,USD,86,TR1,AC118,99,Sale,order-7,ptx-1,-1.63\n" +
	"F,Big Bank,,TR1,USD,84.37,1,2026-02-03T10:00:00.000Z\nL,1,86,1,84.37\n"

func TestTheCallersErrorStops(t *testing.T) {
	_, err := trustly.Read("f", strings.NewReader(small), ledger.ReadOptions{}, func(*ledger.Entry) error { return ledgertest.ErrStop })
	if !errors.Is(err, ledgertest.ErrStop) {
		t.Errorf("got %v", err)
	}
}

func TestTheDigestIsTheFiles(t *testing.T) {
	source, err := trustly.Read("f", strings.NewReader(small), ledger.ReadOptions{}, func(*ledger.Entry) error { return nil })
	if err != nil || len(source.SHA256) != 64 || source.Proof.State != ledger.ProofOK {
		t.Errorf("%+v, %v", source, err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(small))
	f.Add(bytes.ReplaceAll([]byte(small), []byte("P11KFUN"), []byte("P11KREC")))
	f.Fuzz(func(t *testing.T, data []byte) { ledgertest.Fuzz(t, trustly.Read, data) })
}
