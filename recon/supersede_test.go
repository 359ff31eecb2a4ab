package recon_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"agentrecon/ledger"
	"agentrecon/recon"
)

// stageDay is a day of March 2025.
func stageDay(d int) ledger.Date { return ledger.NewDate(2025, 3, d) }

// staged is a booked entry of the account, on a statement.
func staged(id string, minor int64, day int, set func(*recon.Stage)) recon.Stage {
	s := recon.Stage{ID: id, AccountID: "DE02", BookedOn: stageDay(day), Amount: minor, Currency: "EUR", Status: ledger.StatusBooked}
	if set != nil {
		set(&s)
	}
	return s
}

// Ways in which a stage differs from a booked entry of a statement.
func pending(s *recon.Stage)  { s.Status = ledger.StatusPending }
func rejected(s *recon.Stage) { s.Status = ledger.StatusRejected }
func intraday(s *recon.Stage) { s.Report = ledger.ReportIntraday }
func notified(s *recon.Stage) {
	s.Report, s.Status = ledger.ReportNotification, ledger.StatusInfo
}
func counted(s *recon.Stage) { s.Report = ledger.ReportNotification } // --count-reports

func each(all ...func(*recon.Stage)) func(*recon.Stage) {
	return func(s *recon.Stage) {
		for _, set := range all {
			set(s)
		}
	}
}

func provider(id string) func(*recon.Stage) { return func(s *recon.Stage) { s.ProviderID = id } }
func endToEnd(id string) func(*recon.Stage) { return func(s *recon.Stage) { s.EndToEndID = id } }
func group(id string) func(*recon.Stage)    { return func(s *recon.Stage) { s.GroupID = id } }
func account(id string) func(*recon.Stage)  { return func(s *recon.Stage) { s.AccountID = id } }

func TestSupersede(t *testing.T) {
	march := ledger.Coverage{AccountID: "DE02", From: stageDay(1), To: stageDay(11)}
	declared := march
	declared.Report = true
	tests := []struct {
		name     string
		entries  []recon.Stage
		coverage []ledger.Coverage
		want     string // superseded=by, by id; "+" before what is explained by parts
	}{
		{name: "nothing is announced", entries: []recon.Stage{staged("e1", -1, 1, nil), staged("e2", -1, 1, nil)}},
		{
			name:    "the source's own id, whatever the amount",
			entries: []recon.Stage{staged("e1~pending", -500, 1, pending), staged("e1", -620, 3, nil)}, want: "e1~pending=e1",
		},
		{
			name:    "the source's own id, and refused",
			entries: []recon.Stage{staged("e1~pending", -500, 1, pending), staged("e1", -500, 3, rejected)}, want: "e1~pending=e1",
		},
		{
			name:    "one provider id",
			entries: []recon.Stage{staged("p", -500, 1, each(pending, provider("x"))), staged("e", -500, 28, provider("x"))}, want: "p=e",
		},
		{
			name:    "one provider id, refused",
			entries: []recon.Stage{staged("p", -500, 1, each(pending, provider("x"))), staged("e", -500, 2, each(rejected, provider("x")))}, want: "p=e",
		},
		{
			name:    "a refusal of another try is no later stage",
			entries: []recon.Stage{staged("p", -500, 1, each(pending, endToEnd("x"))), staged("e", -500, 2, each(rejected, endToEnd("x")))},
		},
		{
			name:    "another amount, account or key is another movement",
			entries: []recon.Stage{staged("p", -500, 1, each(pending, provider("x"))), staged("e1", -501, 1, provider("x")), staged("e2", -500, 1, each(provider("x"), account("DE03"))), staged("e3", -500, 1, provider("y"))},
		},
		{
			name:    "the account however it is printed",
			entries: []recon.Stage{staged("p", -500, 1, each(pending, provider("x"), account("de 02"))), staged("e", -500, 1, provider("x"))}, want: "p=e",
		},
		{
			name:    "amount and day alone are no reason",
			entries: []recon.Stage{staged("p", -500, 1, pending), staged("e", -500, 1, nil)},
		},
		{
			name:    "a placeholder is no key",
			entries: []recon.Stage{staged("p", -500, 1, each(pending, endToEnd("NOTPROVIDED"))), staged("e", -500, 1, endToEnd("NOTPROVIDED"))},
		},
		{
			name:    "a standing order repeats its end-to-end id each month",
			entries: []recon.Stage{staged("p", -500, 20, each(pending, endToEnd("RENT"))), staged("e", -500, 10, endToEnd("RENT"))},
		},
		{
			name: "each booked entry takes the place of one",
			entries: []recon.Stage{
				staged("p1", -500, 1, each(pending, endToEnd("k"))), staged("p2", -500, 2, each(pending, endToEnd("k"))), staged("e1", -500, 3, endToEnd("k")),
			},
			want: "p1=e1",
		},
		{
			name: "an intraday report and a notification of one movement",
			entries: []recon.Stage{
				staged("i", -500, 3, each(intraday, provider("x"))), staged("n", -500, 3, each(counted, provider("x"))), staged("e", -500, 3, provider("x")),
			},
			want: "i=e n=e",
		},
		{
			name:    "an intraday report goes before a notification while there is no statement",
			entries: []recon.Stage{staged("i", -500, 3, each(intraday, provider("x"))), staged("n", -500, 3, each(counted, provider("x")))},
			want:    "n=i",
		},
		{
			name:    "a statement is the whole truth of its days, ids or not",
			entries: []recon.Stage{staged("i", -500, 3, intraday), staged("n", -700, 10, notified), staged("n2", -700, 11, notified), staged("p", -1, 3, pending)}, coverage: []ledger.Coverage{march},
			want: "i= n=",
		},
		{
			name:    "what a person says of reports supersedes none",
			entries: []recon.Stage{staged("i", -500, 3, intraday)}, coverage: []ledger.Coverage{declared},
		},
		{
			name:    "another account's statement says nothing",
			entries: []recon.Stage{staged("i", -500, 3, each(intraday, account("DE03")))}, coverage: []ledger.Coverage{march},
		},
		{
			name: "a notification lists what a batch is made of",
			entries: []recon.Stage{
				staged("n", -900, 3, each(notified, group("B"), func(s *recon.Stage) { s.Detailed = true })), staged("e", -900, 3, group("B")),
			},
			want: "n=e +e=n",
		},
		{
			name: "single notifications add up to a batch",
			entries: []recon.Stage{
				staged("n1", -400, 3, each(notified, group("B"))), staged("n2", -500, 3, each(notified, group("B"))), staged("e", -900, 3, group("B")),
			},
			want: "n1=e n2=e +e=n1,n2",
		},
		{
			name: "they do not add up",
			entries: []recon.Stage{
				staged("n1", -400, 3, each(notified, group("B"))), staged("n2", -501, 3, each(notified, group("B"))), staged("e", -900, 3, group("B")),
			},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := supersededIn(test.entries, test.coverage); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// supersededIn numbers the entries as they come and says by their ids what is superseded.
func supersededIn(entries []recon.Stage, coverage []ledger.Coverage) string {
	entries = slices.Clone(entries)
	ids := map[int64]string{}
	for n := range entries {
		entries[n].No = int64(n + 1)
		ids[entries[n].No] = entries[n].ID
	}
	stages := recon.Supersede(entries, coverage)
	var said []string
	for _, s := range entries {
		e := ledger.Entry{No: s.No}
		if stages.Apply(&e); e.Superseded {
			said = append(said, s.ID+"="+e.SupersededBy)
		}
		var parts []string
		for _, no := range stages.Parts(s.No) {
			parts = append(parts, ids[no])
		}
		if parts != nil {
			said = append(said, "+"+s.ID+"="+strings.Join(parts, ","))
		}
	}
	slices.SortFunc(said, func(a, b string) int {
		return cmp.Or(cmp.Compare(strings.Count(a, "+"), strings.Count(b, "+")), cmp.Compare(a, b))
	})
	return strings.Join(said, " ")
}

// The order in which files came changes nothing, and no movement is counted by two of its stages: of the announcements
// of one kind, each final entry takes the place of at most one.
func TestSupersedeAnyOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 9).Draw(t, "entries")
		var entries []recon.Stage
		for i := range n {
			entries = append(entries, staged(fmt.Sprint("e", i), -int64(rapid.IntRange(1, 2).Draw(t, "amount")), rapid.IntRange(1, 20).Draw(t, "day"), each(
				rapid.SampledFrom([]func(*recon.Stage){func(*recon.Stage) {}, pending, rejected, intraday, notified, counted}).Draw(t, "stage"),
				provider(rapid.SampledFrom([]string{"", "", "x", "y"}).Draw(t, "provider")),
				endToEnd(rapid.SampledFrom([]string{"", "k", "NONREF"}).Draw(t, "key")),
				group(rapid.SampledFrom([]string{"", "B"}).Draw(t, "group")),
				func(s *recon.Stage) { s.Detailed = rapid.Bool().Draw(t, "detailed") },
			)))
		}
		coverage := []ledger.Coverage{{AccountID: "DE02", From: stageDay(1), To: stageDay(rapid.IntRange(2, 21).Draw(t, "covered"))}}
		if rapid.Bool().Draw(t, "no statement") {
			coverage = nil
		}
		want := supersededIn(entries, coverage)
		shuffled := rapid.Permutation(entries).Draw(t, "order")
		if diff := gocmp.Diff(want, supersededIn(shuffled, coverage)); diff != "" {
			t.Errorf("(-as drawn +in another order):\n%s", diff)
		}
		final := map[string]bool{}
		for _, e := range entries {
			final[e.ID] = e.Report == "" && (e.Status == ledger.StatusBooked || e.Status == ledger.StatusRejected)
		}
		for _, said := range strings.Fields(want) {
			if id, _, _ := strings.Cut(said, "="); final[id] {
				t.Errorf("%s: the final entry %s is superseded", want, id)
			}
		}
	})
}

// Equal payments of one batch, each announced and booked: a walk over all pairs would not end.
func TestSupersedeManyEqual(t *testing.T) {
	const many = 100_000
	entries := make([]recon.Stage, 0, 2*many)
	for range many {
		for _, set := range []func(*recon.Stage){notified, func(*recon.Stage) {}} {
			s := staged(fmt.Sprint(len(entries)), -500, 3, each(set, group("B")))
			s.No = int64(len(entries) + 1)
			entries = append(entries, s)
		}
	}
	stages := recon.Supersede(entries, nil)
	for n := range entries {
		if got, want := stages.Superseded(entries[n].No), n%2 == 0; got != want {
			t.Fatalf("entry %d: superseded %t, want %t", n, got, want)
		}
	}
}
