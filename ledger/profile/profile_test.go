package profile_test

import (
	"testing"

	"agentrecon/ledger"
	"agentrecon/ledger/ledgertest"
	"agentrecon/ledger/profile"
)

var _ ledger.ReadFunc = profile.Read

func TestShippedProfiles(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range profile.Shipped() {
		if seen[p.Name] {
			t.Errorf("%s stands twice", p.Name)
		}
		seen[p.Name] = true
	}
}

func TestArchives(t *testing.T) {
	ledgertest.Run(t, "testdata/*.txtar", func(t *testing.T, in ledgertest.Input) string {
		return ledgertest.Dump(t, profile.Read, in)
	})
}
