package main

import (
	"fmt"
	"runtime/debug"
	"time"

	"github.com/urfave/cli/v2"

	"agentrecon/recon"
)

const flagFull = "full"

func runCommand(p *program) *cli.Command {
	return &cli.Command{
		Name:  "run",
		Usage: "reconcile what is recorded, mark what is unknown, record the run",
		Flags: concat(
			[]cli.Flag{
				&cli.BoolFlag{Name: flagFull, Usage: "look at everything, and not only at what changed since the last run and what that touches; a report always does"},
				&cli.StringFlag{Name: flagReport, DefaultText: "none", Usage: "workbook to write (.xlsx)"},
			},
			runFlags("now", "judge as of this instant; before that of the last run it is shown and not recorded"), periodFlags(), policyFlags(), []cli.Flag{paperFlag(), matchedFlag(), baselineFlag(), exitCodeFlag()},
		),
		Action: func(c *cli.Context) error { return runEngine(c, p) },
	}
}

func runEngine(c *cli.Context, p *program) error {
	if err := noArguments(c); err != nil {
		return err
	}
	job, err := jobOf(c, p, c.String(flagReport))
	if err != nil {
		return err
	}
	if err := job.outputs(); err != nil {
		return err
	}
	job.since = !c.Bool(flagFull)
	if now := p.now(); job.asOf.After(now) {
		// A rehearsal wants this; a slip of the year must not go unseen.
		fmt.Fprintf(p.stderr, "recon: --%s %s is yet to come: windows that are open count as over, and no run as of an earlier moment will be recorded\n",
			flagAsOf, job.asOf.Format(time.RFC3339))
	}
	db, closeDB, err := openForRun(c, p)
	if err != nil {
		return err
	}
	defer closeDB()
	if job.asOf.IsZero() {
		now := p.now()
		if job.asOf, err = notBefore(c.Context, db, now); err != nil {
			return err
		}
		if job.asOf.After(now) {
			fmt.Fprintf(p.stderr, "recon: the last recorded run judged as of %s, later than now, and so does this one: recorded runs never go back\n",
				job.asOf.Format(time.RFC3339))
		}
	}
	done, err := runOnce(c.Context, db, job)
	if err != nil {
		return err
	}
	return finish(c, p, done)
}

// nightGCPercent is the setting of the garbage collector for a run over what changed. Such a run looks at few items, of which it
// may take twice the memory: 60,000 of them came to 270 MB at [recon.GCPercent] and to 400 MB at this, for a quarter of the
// program's time less.
const nightGCPercent = 200

// collectSeldom has garbage collected by nightGCPercent until it is told to restore what was, unless somebody chose a setting.
func collectSeldom() (restore func()) {
	was := debug.SetGCPercent(nightGCPercent)
	if was != recon.GCPercent {
		debug.SetGCPercent(was)
	}
	return func() { debug.SetGCPercent(was) }
}
