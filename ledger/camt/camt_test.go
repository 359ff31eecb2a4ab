package camt_test

import (
	"io"
	"testing"

	"agentrecon/ledger"
	"agentrecon/ledger/camt"
	"agentrecon/ledger/ledgertest"
)

var _ ledger.ReadFunc = camt.Read

func TestArchives(t *testing.T) {
	ledgertest.Run(t, "testdata/*.txtar", func(t *testing.T, in ledgertest.Input) string {
		_, inverted := in.Options["reversals-inverted"]
		read := func(name string, r io.Reader, options ledger.ReadOptions, each func(*ledger.Entry) error) (ledger.SourceFile, error) {
			options.ReversalsInverted = inverted
			return camt.Read(name, r, options, each)
		}
		return ledgertest.Dump(t, read, in)
	})
}
