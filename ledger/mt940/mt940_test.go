package mt940_test

import (
	"testing"

	"agentrecon/ledger"
	"agentrecon/ledger/ledgertest"
	"agentrecon/ledger/mt940"
)

var _ ledger.ReadFunc = mt940.Read

func TestArchives(t *testing.T) {
	ledgertest.Run(t, "testdata/*.txtar", func(t *testing.T, in ledgertest.Input) string {
		return ledgertest.Dump(t, mt940.Read, in)
	})
}
