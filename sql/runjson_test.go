package sql

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"agentrecon/ledger"
	"agentrecon/recon"
)

// A policy comes back as it was, and one of the first release keeps its bytes, which digests of runs are made of.
func TestStoredPolicy(t *testing.T) {
	const first = `{"stale_after":"24h0m0s","settlement_window_days":5,"clock_skew":"10m0s","reask_window":"15m0s","tolerance":"0",` +
		`"currency":"EUR","accounts":[],"scope":[],"systemic_threshold":20,"zone":"UTC"}`
	full := recon.DefaultPolicy()
	full.BusinessDays, full.Holidays = true, []ledger.Date{ledger.NewDate(2025, time.April, 18), ledger.NewDate(2025, time.April, 21)}
	full.Tolerance, full.Tolerances = recon.Tolerance{Minor: 2}, []recon.CurrencyTolerance{{Currency: "JPY", Tolerance: recon.Tolerance{PerMillion: 5_000}}}
	full.FeeRules = []recon.FeeRule{{Currency: "EUR", Fixed: 25, PerMillion: 15_000}, {Currency: "USD", Fixed: 30}}
	full.ReferenceCuts = []int{16, 27}
	full.Accounts, full.Scope = []string{"A"}, []recon.ScopeRule{{Name: "rent", Kinds: []ledger.Kind{ledger.KindPayment}, Text: "RENT"}}
	for _, policy := range []recon.Policy{recon.DefaultPolicy(), full} {
		stored, err := encodePolicy(policy)
		if err != nil {
			t.Fatal(err)
		}
		got, err := decodePolicy(stored)
		if err != nil {
			t.Fatal(err)
		}
		again, err := encodePolicy(got)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(stored), string(again)); diff != "" {
			t.Errorf("stored again (-once +twice):\n%s", diff)
		}
		zone := cmp.Comparer(func(a, b *time.Location) bool { return a.String() == b.String() })
		if diff := cmp.Diff(policy, got, zone); diff != "" {
			t.Errorf("(-policy +stored):\n%s", diff)
		}
	}
	stored, err := encodePolicy(recon.DefaultPolicy())
	if diff := cmp.Diff(first, string(stored)); err != nil || diff != "" {
		t.Errorf("%v (-first release +now):\n%s", err, diff)
	}
}
