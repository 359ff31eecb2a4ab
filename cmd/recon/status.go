package main

import (
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/urfave/cli/v2"

	"agentrecon/ledger"
	"agentrecon/recon"
	"agentrecon/sql"
)

const (
	flagCheck    = "check"
	flagMaxAge   = "max-age"
	statusRuns   = 5
	nagiosOK     = 0
	nagiosWarn   = 1
	nagiosCrit   = 2
	nagiosUnsure = 3
)

// checkResult is an exit code of the monitoring convention, which is not one of ours.
type checkResult struct{ code int }

func (checkResult) Error() string { return "" }

func statusCommand(p *program) *cli.Command {
	return &cli.Command{
		Name:  "status",
		Usage: "last runs, next run, open items by class and age, coverage, recorders",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: flagCheck, Usage: "one line and 0, 1, 2 or 3 for Nagios and its kin"},
			&cli.StringFlag{Name: flagMaxAge, Value: "26h", Usage: "how old the last run may be for --check"},
			&cli.StringFlag{Name: flagCron, Value: defaultCron, Usage: "the schedule, to say when the next run is due"},
			&cli.IntFlag{Name: flagDays, Value: recorderDays, Usage: "days to look back for the recorders"},
			&cli.StringFlag{Name: flagStaleAfter, Value: "24h", Usage: "how long an outcome may take"},
			exitCodeFlag(),
		},
		Action: func(c *cli.Context) error { return status(c, p) },
	}
}

func status(c *cli.Context, p *program) error {
	if err := noArguments(c); err != nil {
		return err
	}
	zone, err := zoneOf(c)
	if err != nil {
		return err
	}
	table, err := parseTimetable(c.String(flagCron), zone)
	if err != nil {
		return err
	}
	maxAge, err := parseDuration(flagMaxAge, c.String(flagMaxAge))
	if err != nil {
		return err
	}
	s, recorders, err := readStatus(c, p)
	if c.Bool(flagCheck) {
		return check(c, p, s, err, maxAge)
	}
	if err != nil {
		return err
	}
	next := table.next(p.now())
	if c.Bool(flagJSON) {
		err = printJSON(p.stdout, append(statusJSON(s, next, p.now().In(zone)), member{"recorders", recorders.json()}))
	} else {
		_, err = fmt.Fprint(p.stdout, statusText(s, next, p.now().In(zone))+recorders.text())
	}
	if err == nil && c.Bool(flagExitCode) && (acting(s) > 0 || !recorders.well()) {
		return errFindings
	}
	return err
}

func readStatus(c *cli.Context, p *program) (sql.Status, recordersHealth, error) {
	recorders := recordersHealth{days: c.Int(flagDays), spool: checkSpool(c, p)}
	stale, err := parseDuration(flagStaleAfter, c.String(flagStaleAfter))
	if err != nil {
		return sql.Status{}, recorders, err
	}
	if err := checkDays(recorders.days); err != nil {
		return sql.Status{}, recorders, err
	}
	db, closeDB, err := openDatabase(c, p)
	if err != nil {
		return sql.Status{}, recorders, err
	}
	defer closeDB()
	s, err := db.Status(c.Context, statusRuns)
	if err != nil {
		return s, recorders, err
	}
	now := p.now()
	health, err := db.Health(c.Context, now.AddDate(0, 0, -recorders.days), now.Add(-stale))
	recorders.sums = recorderSums(health.Recorders)
	return s, recorders, err
}

// check prints one line for monitoring: critical for critical findings or a run that is overdue, warning for others that
// somebody has to act on, unknown where nothing can be said.
func check(c *cli.Context, p *program, s sql.Status, err error, maxAge time.Duration) error {
	say := func(code int, word, format string, args ...any) error {
		text := fmt.Sprintf(format, args...)
		if c.Bool(flagJSON) {
			if err := printJSON(p.stdout, ordered{{"state", word}, {"code", code}, {"text", text}}); err != nil {
				return err
			}
		} else {
			fmt.Fprintf(p.stdout, "RECON %s - %s\n", word, text)
		}
		if code == nagiosOK {
			return nil
		}
		return checkResult{code}
	}
	if err != nil {
		return say(nagiosUnsure, "UNKNOWN", "%v", err)
	}
	if len(s.Runs) == 0 {
		return say(nagiosUnsure, "UNKNOWN", "no run yet")
	}
	age := p.now().Sub(s.Runs[0].RecordedAt).Round(time.Minute)
	critical := countPriority(s, recon.Critical)
	switch {
	case age > maxAge:
		return say(nagiosCrit, "CRITICAL", "last run %d is %s old, more than %s", s.Runs[0].ID, age, maxAge)
	case critical > 0:
		return say(nagiosCrit, "CRITICAL", "%s; last run %d, %s ago", plural(int(critical), "critical finding"), s.Runs[0].ID, age)
	case acting(s) > 0:
		return say(nagiosWarn, "WARNING", "%s to act on; last run %d, %s ago", plural(int(acting(s)), "finding"), s.Runs[0].ID, age)
	default:
		return say(nagiosOK, "OK", "nothing to act on; last run %d, %s ago", s.Runs[0].ID, age)
	}
}

// acting counts the open items that somebody has to act on.
func acting(s sql.Status) int64 {
	return countPriority(s, recon.Critical) + countPriority(s, recon.High) + countPriority(s, recon.Medium)
}

func countPriority(s sql.Status, p recon.Priority) int64 {
	var n int64
	for _, o := range s.Open {
		if recon.InfoOf(o.Population, o.Class).Priority == p {
			n += o.Count
		}
	}
	return n
}

func statusText(s sql.Status, next slot, now time.Time) string {
	var b strings.Builder
	fmt.Fprintf(&b, "recorded: %s attempts, %s outcomes, %s ledger entries; since the last run %s attempts, %s entries\n",
		grouped(s.Attempts), grouped(s.Outcomes), grouped(s.Entries), grouped(s.NewAttempts), grouped(s.NewEntries))
	fmt.Fprintf(&b, "standing unknown marks: %s\n", grouped(s.StandingMarks))
	if len(s.Runs) == 0 {
		b.WriteString("\nno run yet: recon run makes one\n")
		return b.String()
	}
	b.WriteString("\nlast runs\n")
	table := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, r := range s.Runs {
		fmt.Fprintf(table, "  %d\t%s\tas of %s\tmade %s by %s\t%s\t%s\n", r.ID, r.Kind, r.AsOf.UTC().Format(time.RFC3339),
			r.RecordedAt.UTC().Format(time.RFC3339), r.RecordedBy, r.Slot, short(r.Digest))
	}
	_ = table.Flush() // a strings.Builder does not fail
	fmt.Fprintf(&b, "next run due %s\n", next.due.UTC().Format(time.RFC3339))
	b.WriteString("\nopen items\n")
	if len(s.Open) == 0 {
		b.WriteString("  none\n")
	}
	table = tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, priority := range recon.Priorities {
		for _, o := range s.Open {
			if info := recon.InfoOf(o.Population, o.Class); info.Listed && info.Priority == priority {
				fmt.Fprintf(table, "  %s\t%s\t%s\t%s\toldest %s\t%s\n", priority, o.Population, o.Class, grouped(o.Count), ageOf(o.Oldest, now), oneLine(o.First))
			}
		}
	}
	_ = table.Flush()
	overdue, awaiting := followUps(s, now)
	fmt.Fprintf(&b, "\ndecisions: overdue %d, awaiting approval %d\n", overdue, awaiting)
	b.WriteString("\nledger coverage\n")
	if len(s.Coverage) == 0 {
		b.WriteString("  none: import a ledger file\n")
	}
	for n, r := range s.Coverage {
		account, how := r.AccountID, "declared"
		if account == "" {
			account = "every account"
		}
		if r.Inferred {
			how = "inferred"
		}
		fmt.Fprintf(&b, "  %s: %s up to, excluding, %s (%s)\n", account, r.From, r.To, how)
		if n > 0 && s.Coverage[n-1].AccountID == r.AccountID && s.Coverage[n-1].To < r.From {
			fmt.Fprintf(&b, "  %s: gap from %s up to, excluding, %s\n", account, s.Coverage[n-1].To, r.From)
		}
	}
	return b.String()
}

// followUps counts the decisions that stand: those whose due date is over, by the day in now's zone, and whose item is still
// open for action, and those that await approval.
func followUps(s sql.Status, now time.Time) (overdue, awaiting int) {
	for n := range s.Dispositions {
		if s.Dispositions[n].Overdue(ledger.DateOf(now, now.Location())) {
			overdue++
		}
		if s.Dispositions[n].AwaitsApproval() {
			awaiting++
		}
	}
	return overdue, awaiting
}

func ageOf(t, now time.Time) string {
	if t.IsZero() {
		return "(unknown)"
	}
	return fmt.Sprintf("%d days", int(now.Sub(t).Hours()/24))
}

func statusJSON(s sql.Status, next slot, now time.Time) ordered {
	overdue, awaiting := followUps(s, now)
	runs, open, coverage := []ordered{}, []ordered{}, []ordered{}
	for _, r := range s.Runs {
		runs = append(runs, ordered{
			{"run_id", r.ID},
			{"kind", r.Kind},
			{"as_of", r.AsOf.UTC().Format(time.RFC3339)},
			{"recorded_at", r.RecordedAt.UTC().Format(time.RFC3339)},
			{"slot", r.Slot},
			{"digest", r.Digest},
		})
	}
	for _, o := range s.Open {
		if !recon.InfoOf(o.Population, o.Class).Listed {
			continue // agreed; judged for what it touches
		}
		open = append(open, ordered{
			{"population", o.Population},
			{"class", o.Class},
			{"priority", recon.InfoOf(o.Population, o.Class).Priority},
			{"count", o.Count},
			{"oldest", o.Oldest.Format(time.RFC3339)},
			{"first", o.First},
		})
	}
	for _, r := range s.Coverage {
		coverage = append(coverage, ordered{{"account", r.AccountID}, {"from", r.From.String()}, {"to", r.To.String()}, {"inferred", r.Inferred}})
	}
	return ordered{
		{"attempts", s.Attempts},
		{"outcomes", s.Outcomes},
		{"entries", s.Entries},
		{"new_attempts", s.NewAttempts},
		{"new_entries", s.NewEntries},
		{"standing_marks", s.StandingMarks},
		{"overdue", overdue},
		{"awaiting_approval", awaiting},
		{"runs", runs},
		{"next_due", next.due.UTC().Format(time.RFC3339)},
		{"open", open},
		{"coverage", coverage},
	}
}
