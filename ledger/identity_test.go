package ledger_test

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"agentrecon/ledger"
)

// rent is an entry without ids, as banks write them.
func rent() ledger.Entry {
	return ledger.Entry{
		AccountID: "DE02", BookedOn: ledger.NewDate(2025, 1, 31), ValueOn: ledger.NewDate(2025, 1, 31), Amount: -80000, Currency: "EUR",
		Kind: ledger.KindPayment, Status: ledger.StatusBooked, CounterpartyName: "Landlord", RemittanceText: "Rent January",
	}
}

func TestDerivedIdsNeverChange(t *testing.T) {
	// These ids are stored: were they derived in another way, every old row would be imported once more.
	var ids ledger.Identities
	first, second, keyed := rent(), rent(), rent()
	keyed.ProviderID = "txn_1"
	for _, test := range []struct {
		entry *ledger.Entry
		want  string
	}{
		{&first, "row-cc66c2f2f9c4f5da781e4355a2e39c86"}, {&second, "row-cc66c2f2f9c4f5da781e4355a2e39c86#2"}, {&keyed, "row-a20d1f8554ea8f3ac6448fa13bdff514"},
	} {
		ids.Identify(test.entry)
		if test.entry.ID != test.want {
			t.Errorf("got %s, want %s", test.entry.ID, test.want)
		}
	}
}

func TestGivenIdsStay(t *testing.T) {
	for _, test := range []struct {
		id     string
		status ledger.Status
		want   string
	}{
		{"given", ledger.StatusBooked, "given"},
		{"given", ledger.StatusRejected, "given"},
		{"given", ledger.StatusPending, "given~pending"}, // the booked row of the same id is another stage of it
		{"given~pending", ledger.StatusPending, "given~pending"},
		{"row-0123", ledger.StatusInfo, "row-0123"},
	} {
		var ids ledger.Identities
		e := rent()
		e.ID, e.Status = test.id, test.status
		if ids.Identify(&e); e.ID != test.want {
			t.Errorf("%s, %s: got %s, want %s", test.id, test.status, e.ID, test.want)
		}
		if source := strings.TrimSuffix(test.id, "~pending"); e.SourceID() != source {
			t.Errorf("%s, %s: the source prints %s, want %s", test.id, test.status, e.SourceID(), source)
		}
	}
}

// changes are what tells entries apart; keyed ones do so beside a provider id too.
var changes = map[string]struct {
	change func(*ledger.Entry)
	keyed  bool
}{
	"account":           {func(e *ledger.Entry) { e.AccountID = "DE03" }, true},
	"amount":            {func(e *ledger.Entry) { e.Amount++ }, true},
	"sign":              {func(e *ledger.Entry) { e.Amount = -e.Amount }, true},
	"currency":          {func(e *ledger.Entry) { e.Currency = "USD" }, true},
	"booking date":      {func(e *ledger.Entry) { e.BookedOn++ }, true},
	"kind":              {func(e *ledger.Entry) { e.Kind = ledger.KindFee }, true},
	"status":            {func(e *ledger.Entry) { e.Status = ledger.StatusPending }, true},
	"report":            {func(e *ledger.Entry) { e.Report = ledger.ReportIntraday }, true},
	"value date":        {func(e *ledger.Entry) { e.ValueOn++ }, false},
	"instant":           {func(e *ledger.Entry) { e.OccurredAt = time.UnixMicro(0) }, false},
	"name":              {func(e *ledger.Entry) { e.CounterpartyName = "Lord" }, false},
	"counterparty":      {func(e *ledger.Entry) { e.CounterpartyAccount = "FR76" }, false},
	"end-to-end id":     {func(e *ledger.Entry) { e.EndToEndID = "1" }, false},
	"key":               {func(e *ledger.Entry) { e.IdempotencyKey = "1" }, false},
	"reference":         {func(e *ledger.Entry) { e.MerchantReference = "1" }, false},
	"text":              {func(e *ledger.Entry) { e.RemittanceText = "Rent February" }, false},
	"original":          {func(e *ledger.Entry) { e.OriginalProviderID = "1" }, false},
	"group":             {func(e *ledger.Entry) { e.GroupID = "1" }, false},
	"text moved across": {func(e *ledger.Entry) { e.CounterpartyName, e.RemittanceText = "LandlordRent", "January" }, false},
}

// report 54 (actualbudget/actual#5627): TestWhatTellsEntriesApart.
func TestWhatTellsEntriesApart(t *testing.T) {
	for name, change := range changes {
		for _, provider := range []string{"", "txn_1"} {
			a, b := rent(), rent()
			a.ProviderID, b.ProviderID = provider, provider
			change.change(&b)
			var ids ledger.Identities
			ids.Identify(&a)
			ids.Identify(&b)
			apart := !strings.HasPrefix(b.ID, a.ID)
			if want := change.keyed || provider == ""; apart != want {
				t.Errorf("%s, provider id %q: told apart is %t, want %t (%s, %s)", name, provider, apart, want, a.ID, b.ID)
			}
		}
	}
}

func TestCaseAndBlanksOfTextsDoNotMatter(t *testing.T) {
	a, b := rent(), rent()
	b.RemittanceText = "  RENT\u00a0\n january "
	var ids ledger.Identities
	ids.Identify(&a)
	ids.Identify(&b)
	if b.ID != a.ID+"#2" {
		t.Error(a.ID, b.ID)
	}
}

// report 51 (firefly-iii#2353, #1456): TestIdsOfADayDoNotDependOnWhatElseIsInTheFile.
// report 53 (securo#886): TestIdsOfADayDoNotDependOnWhatElseIsInTheFile.
func TestIdsOfADayDoNotDependOnWhatElseIsInTheFile(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := rapid.SliceOf(rapid.Custom(func(t *rapid.T) ledger.Entry {
			e := rent()
			e.BookedOn = ledger.Date(rapid.IntRange(1, 3).Draw(t, "day"))
			e.Amount = rapid.Int64Range(1, 2).Draw(t, "amount")
			return e
		}))
		all := draw.Draw(t, "entries")
		var whole, part ledger.Identities
		for i := range all {
			whole.Identify(&all[i])
		}
		for _, e := range all {
			id := e.ID
			if e.BookedOn != 2 {
				continue
			}
			e.ID = ""
			if part.Identify(&e); e.ID != id {
				t.Fatalf("%s in the whole file, %s in that of one day", id, e.ID)
			}
		}
	})
}
