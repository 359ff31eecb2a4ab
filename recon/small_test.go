package recon_test

import (
	"flag"
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

// someAttempt makes the world of an attempt of key, reference, amount, outcome and day.
func someAttempt(chosen []string) recontest.World {
	var minor int64
	var day int
	fmt.Sscan(chosen[2], &minor)
	fmt.Sscan(chosen[4], &day)
	a := recon.Attempt{
		Minor: minor, Currency: "EUR", DestAccount: "D", IdempotencyKey: chosen[0], Reference: chosen[1], IDSource: recon.IDToolUse,
		ProposedAt: recontest.Start.AddDate(0, 0, day),
	}
	w := recontest.World{Attempts: []recon.Attempt{a}}
	if chosen[3] != "" {
		w.Outcomes = []recon.Outcome{{Status: recon.OutcomeStatus(chosen[3]), ObservedAt: a.ProposedAt}}
	}
	return w
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
	t.Parallel()
	few := []string{"", "x"}
	var attempts, fewAttempts []recontest.World
	eachChoice([][]string{few, few, {"10", "20"}, {"", "succeeded", "failed"}, {"0"}}, func(chosen []string) {
		w := someAttempt(chosen)
		attempts = append(attempts, w)
		if w.Attempts[0].Minor == 20 && w.Outcomes != nil {
			fewAttempts = append(fewAttempts, w)
		}
	})
	var entries, fewEntries []ledger.Entry
	eachChoice([][]string{few, few, {"10", "20", "-20"}, {"booked", "pending", "rejected"}, {"1", "7"}}, func(chosen []string) {
		e := someEntry(chosen)
		if e.Status != ledger.StatusBooked && chosen[4] != "1" {
			return // what is not booked is looked at on one day
		}
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

var everyWorld = flag.Bool("every-world", false, "enumerate the worlds of three attempts and three entries over more values")

// Every world of up to three attempts and three entries over very few values: one alphabet for what competes in time,
// one for keys, parts and money that comes back, one for standings and stages. The reference agrees with each.
func TestEveryWorldOfThree(t *testing.T) {
	t.Parallel()
	none, few := []string{""}, []string{"", "x"}
	type alphabet struct{ attempts, entries [][]string }
	alphabets := []alphabet{
		{[][]string{none, few, {"10"}, {"", "succeeded"}, {"0", "2"}}, [][]string{none, few, {"10"}, {"booked"}, {"1", "3", "6"}}},
		{[][]string{few, {"x"}, {"10", "20"}, {"succeeded"}, {"0"}}, [][]string{few, {"x"}, {"10", "20", "-10"}, {"booked"}, {"1"}}},
		{[][]string{none, {"x"}, {"10"}, {"", "succeeded", "failed"}, {"0"}}, [][]string{none, {"x"}, {"10", "20"}, {"booked", "pending", "rejected"}, {"1"}}},
	}
	if *everyWorld {
		alphabets = append(alphabets,
			alphabet{[][]string{none, few, {"10"}, {"", "succeeded", "failed"}, {"0", "2"}}, [][]string{none, few, {"10"}, {"booked"}, {"1", "3", "6", "8"}}},
			alphabet{[][]string{few, few, {"10", "20"}, {"succeeded"}, {"0"}}, [][]string{few, few, {"10", "20", "-10"}, {"booked"}, {"1"}}},
		)
	}
	worlds := 0
	for _, alphabet := range alphabets {
		var attempts []recontest.World
		eachChoice(alphabet.attempts, func(chosen []string) { attempts = append(attempts, someAttempt(chosen)) })
		var entries []ledger.Entry
		eachChoice(alphabet.entries, func(chosen []string) { entries = append(entries, someEntry(chosen)) })
		recon.MultisetsOf(attempts, 3, func(attempts []recontest.World) {
			recon.MultisetsOf(entries, 3, func(entries []ledger.Entry) {
				worlds++
				checkReference(t, composed(attempts, entries), smallRequest())
				if t.Failed() {
					t.FailNow()
				}
			})
		})
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

// smallRequest asks for a judgement when every window of a small world is over.
func smallRequest() recon.Request {
	return recon.Request{AsOf: recontest.Start.AddDate(0, 0, 30), Policy: recon.DefaultPolicy()}
}

func checkSmall(t *testing.T, w recontest.World) {
	t.Helper()
	request := smallRequest()
	checkReference(t, w, request)
	full := mustRunUnsieved(t, w, request)
	if diff := cmp.Diff(items(t, full), items(t, mustRun(t, w, request))); diff != "" {
		t.Errorf("(-everything judged +sieved):\n%s\n%s", diff, sketch(w))
	}
	if t.Failed() {
		t.FailNow()
	}
}
