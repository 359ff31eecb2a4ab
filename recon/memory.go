package recon

import "fmt"

// What a run takes at its peak, in bytes, with the garbage collector set to [GCPercent]. BenchmarkFullRun and
// BenchmarkHardWorlds measure it; the figures are rounded up.
const (
	bytesPerAttempt = 320   // a clean attempt: its slot, its keys, its cells in three tables, and garbage
	bytesPerJudged  = 4_500 // beyond that, an attempt or entry on the docket: in full, with what is concluded
)

// GCPercent is the setting of the garbage collector (debug.SetGCPercent) under which a run takes the memory that it says
// it needs. Most of that has no pointers, so that collecting more often than usual costs little.
const GCPercent = 50

// MemoryError refuses a run that would take more memory than it may.
type MemoryError struct {
	Need, Limit int64 // bytes
	Attempts    int64 // recorded
	Judged      int64 // attempts and entries that are not clean by implication; 0 = not known yet
}

func (e *MemoryError) Error() string {
	what := fmt.Sprintf("%d attempts", e.Attempts)
	if e.Judged > 0 {
		what += fmt.Sprintf(", and %d attempts and ledger entries that no key settles cleanly,", e.Judged)
	}
	return fmt.Sprintf("%s need about %s of memory; the run may take %s", what, megabytes(e.Need), megabytes(e.Limit))
}

// megabytes prints bytes, rounded up.
func megabytes(bytes int64) string { return fmt.Sprintf("%d MiB", (bytes+1<<20-1)>>20) }

// MemoryNeed is how many bytes a run over so many attempts takes, of which, with ledger entries, so many are judged in full.
func MemoryNeed(attempts, judged int64) int64 {
	return attempts*bytesPerAttempt + judged*bytesPerJudged
}

// afford refuses to go on where what is known by now does not fit into the memory that the request allows.
func (r *runner) afford() error {
	e := &MemoryError{Limit: r.request.MaxMemory, Attempts: r.attempts, Judged: r.sieve.judged()}
	e.Need = MemoryNeed(e.Attempts, e.Judged)
	if e.Limit > 0 && e.Need > e.Limit {
		return e
	}
	return nil
}
