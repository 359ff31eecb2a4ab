package recon_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"agentrecon/ledger"
	"agentrecon/recon"
	"agentrecon/recon/recontest"
)

// eachChoice calls with every way to choose one of each list.
func eachChoice(lists [][]string, each func([]string)) {
	var walk func(n int, chosen []string)
	walk = func(n int, chosen []string) {
		if n == len(lists) {
			each(chosen)
			return
		}
		for _, value := range lists[n] {
			walk(n+1, append(chosen[:n:n], value))
		}
	}
	walk(0, nil)
}

// someAttempt makes an attempt of key, reference, amount and outcome.
func someAttempt(chosen []string) (recon.Attempt, recon.OutcomeStatus) {
	var minor int64
	fmt.Sscan(chosen[2], &minor)
	return recon.Attempt{
		Minor: minor, Currency: "EUR", DestAccount: "D", IdempotencyKey: chosen[0], Reference: chosen[1], IDSource: recon.IDToolUse, ProposedAt: recontest.Start,
	}, recon.OutcomeStatus(chosen[3])
}

// someEntry makes an entry of key, reference, amount (minus: money back), status and day.
func someEntry(chosen []string) ledger.Entry {
	var amount int64
	var day int
	fmt.Sscan(chosen[2], &amount)
	fmt.Sscan(chosen[4], &day)
	return ledger.Entry{
		IdempotencyKey: chosen[0], MerchantReference: chosen[1], Amount: -amount, Currency: "EUR", CounterpartyAccount: "D", Kind: ledger.KindPayment,
		Status: ledger.Status(chosen[3]), BookedOn: ledger.DateOf(recontest.Start, time.UTC).AddDays(day),
	}
}

// Every world of one attempt and two entries, two attempts and one entry, and two and two, over few values: the run
// ties out, the sieve changes nothing, and the reference agrees.
func TestEverySmallWorld(t *testing.T) {
	few := []string{"", "x"}
	var attempts, fewAttempts []recontest.World
	eachChoice([][]string{few, few, {"10", "20"}, {"", "succeeded", "failed"}}, func(chosen []string) {
		a, status := someAttempt(chosen)
		w := recontest.World{Attempts: []recon.Attempt{a}}
		if status != "" {
			w.Outcomes = []recon.Outcome{{Status: status, ObservedAt: a.ProposedAt}}
		}
		attempts = append(attempts, w)
		if a.Minor == 20 && status != "" {
			fewAttempts = append(fewAttempts, w)
		}
	})
	var entries, fewEntries []ledger.Entry
	eachChoice([][]string{few, few, {"10", "20", "-20"}, {"booked", "pending", "rejected"}, {"1", "7"}}, func(chosen []string) {
		e := someEntry(chosen)
		entries = append(entries, e)
		if e.Status == ledger.StatusBooked && chosen[4] == "1" {
			fewEntries = append(fewEntries, e)
		}
	})
	worlds := 0
	check := func(attempts []recontest.World, entries []ledger.Entry) {
		worlds++
		checkSmall(t, composed(attempts, entries))
	}
	for n, a := range attempts {
		for m, e := range entries {
			for _, f := range entries[m:] {
				if e.Status == ledger.StatusBooked {
					check([]recontest.World{a}, []ledger.Entry{e, f})
				}
			}
			for _, b := range attempts[n:] {
				check([]recontest.World{a, b}, []ledger.Entry{e})
			}
		}
	}
	for n, a := range fewAttempts {
		for _, b := range fewAttempts[n:] {
			for m, e := range fewEntries {
				for _, f := range fewEntries[m:] {
					check([]recontest.World{a, b}, []ledger.Entry{e, f})
				}
			}
		}
	}
	t.Logf("%d worlds", worlds)
}

// composed makes one world of attempts and entries, with ids, a minute apart.
func composed(attempts []recontest.World, entries []ledger.Entry) recontest.World {
	from := ledger.DateOf(recontest.Start, time.UTC)
	w := recontest.World{
		Entries:  slices.Clone(entries),
		Coverage: []ledger.Coverage{{From: from.AddDays(-1), To: from.AddDays(20)}},
	}
	for n, one := range attempts {
		a := one.Attempts[0]
		a.ID, a.ProposedAt = fmt.Sprint("a", n), a.ProposedAt.Add(time.Duration(n)*time.Minute)
		w.Attempts = append(w.Attempts, a)
		for _, o := range one.Outcomes {
			o.AttemptID = a.ID
			w.Outcomes = append(w.Outcomes, o)
		}
	}
	for n := range w.Entries {
		w.Entries[n].ID = fmt.Sprint("e", n)
	}
	return w
}

func checkSmall(t *testing.T, w recontest.World) {
	t.Helper()
	request := recon.Request{AsOf: recontest.Start.AddDate(0, 0, 30), Policy: recon.DefaultPolicy()}
	checkReference(t, w, request)
	full := mustRunUnsieved(t, w, request)
	if diff := cmp.Diff(items(t, full), items(t, mustRun(t, w, request))); diff != "" {
		t.Errorf("(-everything judged +sieved):\n%s\n%s", diff, sketch(w))
	}
	if t.Failed() {
		t.FailNow()
	}
}
