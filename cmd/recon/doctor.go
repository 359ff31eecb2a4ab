package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"text/tabwriter"
	"time"

	"github.com/urfave/cli/v2"

	"agentrecon/sql"
	"agentrecon/sql/recorder"
)

const (
	flagDays = "days"

	// oldestServer is the first PostgreSQL that has what the schema needs: xid8 and pg_current_snapshot.
	oldestServer = 130000
	// mostSkew is how far the clocks of this machine and the server may differ; runs judge by this machine's.
	mostSkew = 5 * time.Second
)

// checkup is one line of a check-up.
type checkup struct {
	ok   bool
	what string // what was looked at, and what was found
	do   string // what to do about it, if it is not well
}

func doctorCommand(p *program) *cli.Command {
	return &cli.Command{
		Name:  "doctor",
		Usage: "check connection, rights, schema, clocks and recorders, and say what to do about each",
		Flags: []cli.Flag{
			&cli.IntFlag{Name: flagDays, Value: recorderDays, Usage: "days to look back for the recorders"},
			&cli.StringFlag{Name: flagStaleAfter, Value: "24h", Usage: "how long an outcome may take"},
			exitCodeFlag(),
		},
		Action: func(c *cli.Context) error { return doctor(c, p) },
	}
}

func doctor(c *cli.Context, p *program) error {
	if err := noArguments(c); err != nil {
		return err
	}
	stale, err := parseDuration(flagStaleAfter, c.String(flagStaleAfter))
	if err != nil {
		return err
	}
	if err := checkDays(c.Int(flagDays)); err != nil {
		return err
	}
	checks := []checkup{checkSpool(c, p)}
	found, recorders, failure := checkDatabase(c, p, stale)
	if checks = append(checks, found...); failure != nil {
		checks = append(checks, checkup{false, "database: " + inOneLine(failure), "nothing else can be looked at before this is mended"})
	}
	if c.Bool(flagJSON) {
		err = printJSON(p.stdout, doctorJSON(checks, recorders))
	} else {
		err = writeDoctor(p, checks, recorders)
	}
	if failure != nil {
		return failure
	}
	for _, check := range checks {
		if err == nil && !check.ok && c.Bool(flagExitCode) {
			return errFindings
		}
	}
	return err
}

// checkDatabase looks at what the database knows, as far as it gets.
func checkDatabase(c *cli.Context, p *program, stale time.Duration) ([]checkup, []sql.RecorderDay, error) {
	db, closeDB, err := openDatabase(c, p)
	if err != nil {
		return nil, nil, err
	}
	defer closeDB()
	schema, err := db.SchemaStatus(c.Context)
	if err != nil {
		return nil, nil, err
	}
	checks := []checkup{checkSchema(schema)}
	if len(schema.Pending) > 0 {
		return checks, nil, nil
	}
	now := p.now()
	health, err := db.Health(c.Context, now.AddDate(0, 0, -c.Int(flagDays)), now.Add(-stale))
	if err != nil {
		return checks, nil, err
	}
	checks = append(checks, checkServer(health, now)...)
	return append(checks, checkRecorders(health)...), health.Recorders, nil
}

// checkSpool looks at records that the recorder could not write into the database.
func checkSpool(c *cli.Context, p *program) checkup {
	folder := spoolDir(c, p)
	status, err := recorder.Spool{Dir: folder}.Status()
	switch {
	case err == nil && status.Killed > 0:
		return checkup{false, fmt.Sprintf("spool: %d hooks were killed before they answered", status.Killed), "run recon-hook drain, which records their attempts"}
	case errors.Is(err, os.ErrNotExist), err == nil && status.Waiting+status.Refused == 0:
		return checkup{true, "spool: nothing waits in " + folder, ""}
	case err != nil:
		return checkup{false, "spool: " + err.Error(), "check the folder's owner, or set RECON_SPOOL_DIR"}
	case status.Refused > 0:
		return checkup{false, fmt.Sprintf("spool: %d records were refused by the database", status.Refused), "read the reasons in " + filepath.Join(folder, "refused")}
	case status.Waiting > 0 && p.now().Sub(status.Oldest) > oldestSpool:
		return checkup{
			false, spoolWaits(status, p.now()),
			"run recon-hook drain with DATABASE_URL set, and find out why the database could not be reached",
		}
	default:
		return checkup{true, spoolWaits(status, p.now()), ""}
	}
}

func checkSchema(s sql.SchemaStatus) checkup {
	switch {
	case s.Have > s.Want:
		return checkup{false, fmt.Sprintf("schema: version %d is newer than this program's %d", s.Have, s.Want), "use a newer program"}
	case len(s.Pending) > 0:
		return checkup{false, fmt.Sprintf("schema: version %d, the program needs %d", s.Have, s.Want), "run recon migrate"}
	default:
		return checkup{true, fmt.Sprintf("schema: version %d", s.Have), ""}
	}
}

func checkServer(h sql.Health, now time.Time) []checkup {
	checks := []checkup{
		{h.ServerVersion >= oldestServer, fmt.Sprintf("server: PostgreSQL %d", h.ServerVersion/10000), "upgrade to PostgreSQL 13 or later"},
		{
			h.MayRun && h.MayRead, fmt.Sprintf("rights: %s may record attempts: %t, run: %t, read: %t", h.User, h.MayRecord, h.MayRun, h.MayRead),
			"grant the role recon_runner to the account that runs, recon_recorder to hooks, recon_auditor to readers",
		},
	}
	skew := h.ServerTime.Sub(now).Round(time.Millisecond)
	return append(checks, checkup{
		skew.Abs() <= mostSkew, fmt.Sprintf("clocks: the server's differs from this machine's by %s", skew.Abs()),
		"synchronise both; runs judge ages by this machine's clock",
	})
}

// checkRecorders looks at each harness over all days, so that a quiet day does not raise an alarm.
func checkRecorders(h sql.Health) []checkup {
	checks := []checkup{
		{h.Orphans == 0, fmt.Sprintf("recorder: %s outcomes have no attempt", grouped(h.Orphans)), "check that the hook before the call is installed and matches the tool's name"},
		{h.Lost == 0, fmt.Sprintf("recorder: %s firings could not be read", grouped(h.Lost)), "look at their payloads in hook_deliveries (attempt_id like 'lost:%')"},
		{
			h.NoAmount == 0, fmt.Sprintf("recorder: %s attempts have no readable amount, and are recorded with 0", grouped(h.NoAmount)),
			"hook_deliveries.notes says why; name the amount's field and unit in the hook's rules (docs/hooks.md)",
		},
		{
			h.Killed == 0, fmt.Sprintf("recorder: %s hooks were killed before they answered", grouped(h.Killed)),
			"give the hook a timeout of ten seconds in the harness's settings, and look for what else kills it",
		},
	}
	for _, sum := range recorderSums(h.Recorders) {
		checks = append(
			checks,
			checkup{
				!sum.degraded(),
				fmt.Sprintf("ids, %s: %s of %s attempts have no strong id", harnessName(sum.Harness), grouped(sum.Weak+sum.Fallback), grouped(sum.Attempts)),
				"two calls may have become one: upgrade the harness, or let the payment server pass the call's id (docs/hooks.md)",
			},
			checkup{
				!sum.unanswered(),
				fmt.Sprintf("outcomes, %s: %s of %s attempts lack one", harnessName(sum.Harness), grouped(sum.WithoutOutcome), grouped(sum.Due)),
				"register the events for failure and interruption too, where the harness has them (docs/hooks.md)",
			},
		)
	}
	return checks
}

func harnessName(s string) string {
	if s == "" {
		return "harness not recorded"
	}
	return s
}

func writeDoctor(p *program, checks []checkup, recorders []sql.RecorderDay) error {
	for _, check := range checks {
		word := "ok  "
		if !check.ok {
			word = "LOOK"
		}
		fmt.Fprintf(p.stdout, "%s  %s\n", word, check.what)
		if !check.ok {
			fmt.Fprintf(p.stdout, "      %s\n", check.do)
		}
	}
	if len(recorders) == 0 {
		return nil
	}
	fmt.Fprintln(p.stdout, "\nrecorders by day")
	table := tabwriter.NewWriter(p.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "  harness\tday\tattempts\tweak ids\tfallback ids\twithout outcome\tdeliveries")
	for _, r := range recorders {
		fmt.Fprintf(table, "  %s\t%s\t%s\t%s\t%s\t%s of %s\t%s\n", harnessName(r.Harness), r.Day, grouped(r.Attempts), grouped(r.Weak), grouped(r.Fallback),
			grouped(r.WithoutOutcome), grouped(r.Due), grouped(r.Deliveries))
	}
	return table.Flush()
}

func doctorJSON(checks []checkup, recorders []sql.RecorderDay) ordered {
	lines, days := []ordered{}, []ordered{}
	for _, check := range checks {
		line := ordered{{"ok", check.ok}, {"what", check.what}}
		if !check.ok {
			line = append(line, member{"do", check.do})
		}
		lines = append(lines, line)
	}
	for _, r := range recorders {
		days = append(days, ordered{
			{"harness", r.Harness},
			{"day", r.Day.String()},
			{"attempts", r.Attempts},
			{"weak", r.Weak},
			{"fallback", r.Fallback},
			{"due", r.Due},
			{"without_outcome", r.WithoutOutcome},
			{"deliveries", r.Deliveries},
		})
	}
	return ordered{{"checks", lines}, {"recorders", days}}
}
