package recon_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"agentrecon/ledger"
	"agentrecon/recon"
)

func TestNearMissesSayWhy(t *testing.T) {
	proposed := time.Date(2025, 3, 3, 9, 0, 0, 0, time.UTC)
	c := recon.Case{Attempt: recon.Attempt{
		ID: "a1", Minor: 1000, Currency: "EUR", DestAccount: "DE11", SourceAccount: "DE99", IdempotencyKey: "k1", Reference: "INV 7", ProposedAt: proposed,
	}}
	like := ledger.Entry{
		AccountID: "DE99", Amount: -1000, Currency: "EUR", CounterpartyAccount: "DE11", BookedOn: ledger.NewDate(2025, 3, 4), Status: ledger.StatusBooked,
	}
	for _, test := range []struct {
		name   string
		change func(*ledger.Entry)
		owners []string
		want   []string
	}{
		{"nothing forbids", func(*ledger.Entry) {}, nil, []string{"nothing forbids it, and other pairings were as good: a person has to decide"}},
		{"owned", func(*ledger.Entry) {}, []string{"a0"}, []string{"it belongs to attempt a0"}},
		{
			"amount", func(e *ledger.Entry) { e.Amount = -1001 }, nil,
			[]string{"its amount is EUR 10.01, not EUR 10.00, and neither a key nor a reference ties them"},
		},
		{"currency", func(e *ledger.Entry) { e.Currency = "JPY" }, nil, []string{"its currency is JPY, not EUR"}},
		{"pending", func(e *ledger.Entry) { e.Status = ledger.StatusPending }, nil, []string{"it is pending: no money moved by it"}},
		{"came in", func(e *ledger.Entry) { e.Amount = 1000 }, nil, []string{"money came in"}},
		{"fee", func(e *ledger.Entry) { e.Kind = ledger.KindFee }, nil, []string{"out of scope: kind: fee"}},
		{
			"early", func(e *ledger.Entry) { e.BookedOn = ledger.NewDate(2025, 3, 1) }, nil,
			[]string{"it lies before the attempt's window, which began 2025-03-03T08:50:00Z"},
		},
		{
			"late", func(e *ledger.Entry) { e.BookedOn = ledger.NewDate(2025, 3, 9) }, nil,
			[]string{"it lies after the attempt's window, which ended 2025-03-09T00:00:00Z"},
		},
		{"payee", func(e *ledger.Entry) { e.CounterpartyAccount = "DE12" }, nil, []string{"its payee is DE12, not DE11"}},
		{"no payee", func(e *ledger.Entry) { e.CounterpartyAccount = "" }, nil, []string{"no payee on both sides: an amount alone is no key"}},
		{"account", func(e *ledger.Entry) { e.AccountID = "DE98" }, nil, []string{"its account is DE98, not DE99"}},
		{"key", func(e *ledger.Entry) { e.EndToEndID = "k2" }, nil, []string{"its key is k2, not k1"}},
		{"reference", func(e *ledger.Entry) { e.MerchantReference = "INV 8" }, nil, []string{"its reference is INV 8, not INV 7"}},
	} {
		e := like
		e.ID, e.No = "e1", 1
		test.change(&e)
		misses := recon.NearMisses(recon.DefaultPolicy(), c, nil, []ledger.Entry{e}, map[int64][]string{1: test.owners})
		if len(misses) != 1 {
			t.Fatalf("%s: %d near misses", test.name, len(misses))
		}
		if diff := cmp.Diff(test.want, misses[0].Why); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
	own := like
	own.No = 1
	if misses := recon.NearMisses(recon.DefaultPolicy(), c, []recon.Link{{Entry: &own}}, []ledger.Entry{own}, nil); len(misses) > 0 {
		t.Errorf("its own entry is no near miss: %v", misses)
	}
}
