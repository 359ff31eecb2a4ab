package recon_test

import (
	"errors"
	"runtime"
	"testing"
	"time"

	"agentrecon/ledger"
	"agentrecon/recon"
	"agentrecon/recon/recontest"
)

func sizedRequest(maxMemory int64) recon.Request {
	return recon.Request{AsOf: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), Policy: recon.DefaultPolicy(), MaxMemory: maxMemory}
}

func TestMemoryIsRefusedBeforeItIsTaken(t *testing.T) {
	const attempts = 1000
	keyless := recontest.NewBooks(sized(attempts, func(_ int, a *recon.Attempt, o *recon.Outcome, e *ledger.Entry) { bare(a, o, e) }))
	keyed := recontest.NewBooks(sized(attempts, func(int, *recon.Attempt, *recon.Outcome, *ledger.Entry) {}))
	refused := func(books recon.Books, limit int64) *recon.MemoryError {
		t.Helper()
		_, err := recon.Run(t.Context(), books, sizedRequest(limit))
		var refusal *recon.MemoryError
		if !errors.As(err, &refusal) {
			t.Fatalf("limit %d: got %v, want a refusal", limit, err)
		}
		return refusal
	}
	few := refused(keyed, 1)
	if few.Attempts != attempts || few.Judged != 0 || few.Limit != 1 {
		t.Errorf("before anything is read: %+v", few)
	}
	if _, err := recon.Run(t.Context(), keyed, sizedRequest(few.Need)); err != nil {
		t.Errorf("given what it asked for: %v", err)
	}
	many := refused(keyless, few.Need)
	if many.Judged != 2*attempts || many.Need <= few.Need {
		t.Errorf("everything goes to the docket: %+v", many)
	}
	if _, err := recon.Run(t.Context(), keyless, sizedRequest(many.Need)); err != nil {
		t.Errorf("given what it asked for: %v", err)
	}
	const want = "1000 attempts, and 2000 attempts and ledger entries that no key settles cleanly, need about 9 MiB of memory; the run may take 1 MiB"
	if got := many.Error(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// What is allocated grows with the number of rows, whatever the rows are: twice as many take about twice as much.
func TestHardWorldsAllocateInProportion(t *testing.T) {
	allocated := func(books recon.Books) uint64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if _, err := recon.Run(t.Context(), books, sizedRequest(0)); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	const attempts, most = 4000, 3.0
	for _, hard := range hardWorlds {
		t.Run(hard.name, func(t *testing.T) {
			once, twice := allocated(recontest.NewBooks(sized(attempts, hard.change))), allocated(recontest.NewBooks(sized(2*attempts, hard.change)))
			if grown := float64(twice) / float64(once); grown > most {
				t.Errorf("twice the attempts allocate %.1f times as much (%d and %d bytes)", grown, once, twice)
			}
		})
	}
}
