package main

import (
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"agentrecon/sql"
	"agentrecon/sql/recorder"
)

// Limits above which a recorder needs a look, for doctor and status alike.
const (
	mostDegraded   = 100       // share of ids that do not name one call, in per mille
	mostUnanswered = 20        // share of attempts without an outcome, in per mille
	oldestSpool    = time.Hour // how long a record may wait on disk
	// recorderDays is how far back a look at the recorders goes, for a quiet day shall not raise an alarm.
	recorderDays = 14
)

// recorderSum is how one harness's recorder did over several days.
type recorderSum struct {
	sql.RecorderDay // Day has no meaning
}

// recorderSums adds up the days of each harness, in the order of the harnesses' names.
func recorderSums(days []sql.RecorderDay) []recorderSum {
	var sums []recorderSum
	for _, day := range days {
		if len(sums) == 0 || sums[len(sums)-1].Harness != day.Harness {
			sums = append(sums, recorderSum{sql.RecorderDay{Harness: day.Harness}})
		}
		sum := &sums[len(sums)-1]
		sum.Attempts += day.Attempts
		sum.Weak += day.Weak
		sum.Fallback += day.Fallback
		sum.Due += day.Due
		sum.WithoutOutcome += day.WithoutOutcome
		sum.Deliveries += day.Deliveries
	}
	return sums
}

// degraded reports whether too many ids do not name one call.
func (s recorderSum) degraded() bool { return 1000*(s.Weak+s.Fallback) > mostDegraded*s.Attempts }

// unanswered reports whether too many attempts lack an outcome.
func (s recorderSum) unanswered() bool { return 1000*s.WithoutOutcome > mostUnanswered*s.Due }

// recordersHealth is what status says of the recorders.
type recordersHealth struct {
	days  int // looked back
	sums  []recorderSum
	spool checkup
}

// well reports whether no limit is passed.
func (h recordersHealth) well() bool {
	for _, s := range h.sums {
		if s.degraded() || s.unanswered() {
			return false
		}
	}
	return h.spool.ok
}

// text is the part of status about recorders. A figure beyond its limit is marked.
func (h recordersHealth) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "\nrecorders, last %d days\n", h.days)
	if len(h.sums) == 0 {
		b.WriteString("  no attempts\n")
	}
	table := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	if len(h.sums) > 0 {
		fmt.Fprintln(table, "  harness\tattempts\tweak or fallback ids\twithout outcome\tdeliveries each")
	}
	for _, s := range h.sums {
		fmt.Fprintf(table, "  %s\t%s\t%s%s\t%s%s\t%s\n", harnessName(s.Harness), grouped(s.Attempts),
			share(s.Weak+s.Fallback, s.Attempts), mark(s.degraded()), share(s.WithoutOutcome, s.Due), mark(s.unanswered()), perAttempt(s.Deliveries, s.Attempts))
	}
	_ = table.Flush() // a strings.Builder does not fail
	fmt.Fprintf(&b, "  %s%s\n", h.spool.what, mark(!h.spool.ok))
	if !h.well() {
		b.WriteString("  (!) beyond its limit: recon doctor says what to do\n")
	}
	return b.String()
}

func (h recordersHealth) json() ordered {
	sums := []ordered{}
	for _, s := range h.sums {
		sums = append(sums, ordered{
			{"harness", s.Harness},
			{"attempts", s.Attempts},
			{"weak", s.Weak},
			{"fallback", s.Fallback},
			{"due", s.Due},
			{"without_outcome", s.WithoutOutcome},
			{"deliveries", s.Deliveries},
			{"ok", !s.degraded() && !s.unanswered()},
		})
	}
	return ordered{{"days", h.days}, {"harnesses", sums}, {"spool", h.spool.what}, {"spool_ok", h.spool.ok}}
}

func checkDays(days int) error {
	if days < 1 || days > 3660 {
		return usagef("--%s %d: expected 1 to 3660", flagDays, days)
	}
	return nil
}

// share is a part of a whole in per cent, rounded up so that one of many is not nothing.
func share(part, whole int64) string {
	if whole == 0 {
		return "-"
	}
	tenths := (part*1000 + whole - 1) / whole
	return fmt.Sprintf("%d.%d %%", tenths/10, tenths%10)
}

// perAttempt is a count for each attempt with two decimals, rounded up.
func perAttempt(count, attempts int64) string {
	if attempts == 0 {
		return "-"
	}
	hundredths := (count*100 + attempts - 1) / attempts
	return fmt.Sprintf("%d.%02d", hundredths/100, hundredths%100)
}

func mark(beyond bool) string {
	if beyond {
		return " (!)"
	}
	return ""
}

// spoolWaits says how a spool that holds records stands.
func spoolWaits(s recorder.Status, now time.Time) string {
	if s.Oldest.IsZero() {
		return fmt.Sprintf("spool: %d records wait", s.Waiting)
	}
	return fmt.Sprintf("spool: %d records wait, the oldest for %s", s.Waiting, now.Sub(s.Oldest).Round(time.Second))
}
