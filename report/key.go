package report

import (
	"fmt"
	"strings"
	"time"

	"agentrecon/ledger"
	"agentrecon/recon"
)

// Key says which run a workbook shows and how: all that is needed to make the same workbook again from the database.
type Key struct {
	RunID    int64
	Evidence string // the first 16 hex digits of the run's evidence digest
	Period   ledger.Period
	Baseline int64 // the run that it was asked to compare with; 0 = the last issued one
	// PopulationFile is the name of the file that lists the agreed attempts, if they are beside the workbook.
	PopulationFile string
	// Population: the agreed attempts are on sheets of the workbook.
	Population bool
	// Program is the version of the program that wrote the workbook; empty where it does not say.
	Program string
}

// Labels of the Cover by which a workbook is read back.
const (
	labelKey        = "Key for import and verify"
	labelPopulation = "Agreed attempts in full"
)

// keyProgram stands before the version of the program that wrote the workbook.
const keyProgram = " | written by recon "

// keyOf is the key of a report as the Cover shows it.
func keyOf(r *recon.Report, opts Options) string {
	period := "everything"
	if !r.Period.IsZero() {
		zone := "UTC"
		if r.Period.Zone != nil {
			zone = r.Period.Zone.String()
		}
		period = fmt.Sprintf("%s..%s %s", r.Period.From, r.Period.To, zone)
	}
	key := fmt.Sprintf("run %d | evidence %s | period %s | baseline %d", r.Run.ID, short(r.Run.EvidenceDigest), period, opts.Baseline)
	if opts.Program != "" {
		key += keyProgram + show(opts.Program, false)
	}
	return key
}

// parseKey reads what keyOf wrote.
func parseKey(s string) (Key, error) {
	var k Key
	fail := func() (Key, error) {
		return Key{}, fmt.Errorf("key %q: expected what a workbook of this program has on its Cover: %w", s, ErrNotOurs)
	}
	s, k.Program, _ = strings.Cut(s, keyProgram)
	parts := strings.Split(s, " | ")
	if len(parts) != 4 {
		return fail()
	}
	if n, err := fmt.Sscanf(parts[0], "run %d", &k.RunID); n != 1 || err != nil {
		return fail()
	}
	var found bool
	if k.Evidence, found = strings.CutPrefix(parts[1], "evidence "); !found {
		return fail()
	}
	if n, err := fmt.Sscanf(parts[3], "baseline %d", &k.Baseline); n != 1 || err != nil {
		return fail()
	}
	period, found := strings.CutPrefix(parts[2], "period ")
	if !found {
		return fail()
	}
	if period == "everything" {
		return k, nil
	}
	days, zone, _ := strings.Cut(period, " ")
	from, to, _ := strings.Cut(days, "..")
	var err1, err2, err3 error
	k.Period.From, err1 = ledger.ParseDate(from)
	k.Period.To, err2 = ledger.ParseDate(to)
	k.Period.Zone, err3 = time.LoadLocation(zone)
	if err1 != nil || err2 != nil || err3 != nil || k.Period.To <= k.Period.From {
		return fail()
	}
	return k, nil
}
