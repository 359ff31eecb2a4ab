package recon_test

import (
	"fmt"

	"agentrecon/recon"
)

// listed prints what a result lists, by item.
func listed(r *recon.Result) map[string]string {
	lines := map[string]string{}
	l := r.Listed()
	for _, f := range l.Attempts {
		lines["attempt "+f.Attempt.ID] = fmt.Sprintf("%s %s stale=%t %q %v", attemptLine(f), f.Evidence, f.Stale, f.CauseDetail, f.Outcomes)
	}
	for _, f := range l.Entries {
		lines["entry "+f.Entry.ID] = entryLine(f)
	}
	for _, f := range l.Outcomes {
		lines["outcome "+f.Outcome.AttemptID] = fmt.Sprintf("%s %s %v %v", f.Class, f.Joined, f.Flags, f.Outcome)
	}
	return lines
}
