package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/urfave/cli/v2"

	"agentrecon/ledger"
	"agentrecon/recon"
	"agentrecon/sql"
)

const (
	flagAttempts = "attempts"
	flagOutcomes = "outcomes"
	flagSessions = "sessions"
	flagAudit    = "audit"
	flagLedger   = "ledger"
)

func reconcileCommand(p *program) *cli.Command {
	return &cli.Command{
		Name:  "reconcile",
		Usage: "reconcile files: attempts, outcomes and ledger in, workbook out; nothing is kept",
		Flags: concat(
			[]cli.Flag{
				&cli.StringFlag{Name: flagAttempts, DefaultText: "none", Usage: "CSV or JSONL of attempts"},
				&cli.StringFlag{Name: flagOutcomes, DefaultText: "none", Usage: "CSV or JSONL of outcomes"},
				&cli.StringSliceFlag{Name: flagLedger, DefaultText: "none", Usage: "ledger file (repeatable)"},
				&cli.StringFlag{Name: flagSessions, DefaultText: "none", Usage: "CSV or JSONL of session events"},
				&cli.StringFlag{Name: flagAudit, DefaultText: "none", Usage: "old audit table, one row per firing"},
				collapseWindowFlag(),
				coversFlag(),
			},
			tableFlags(), runFlags(atEndOfCoverage, "judge as of this instant"), periodFlags(), policyFlags(),
			[]cli.Flag{&cli.StringFlag{Name: flagOut, DefaultText: "none", Usage: "workbook to write (.xlsx)"}, paperFlag(), matchedFlag(), exitCodeFlag()},
		),
		Action: func(c *cli.Context) error { return reconcile(c, p) },
	}
}

// atEndOfCoverage says what endOfCoverage works out.
const atEndOfCoverage = "when all that the ledger covers can be judged"

// runFlags are what every command that runs the engine takes.
func runFlags(asOf, usage string) []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: flagAsOf, DefaultText: asOf, Usage: usage},
		&cli.StringFlag{Name: flagItems, DefaultText: "none", Usage: "write one line of JSON per attempt, outcome and entry"},
	}
}

func coversFlag() cli.Flag {
	return &cli.StringFlag{Name: flagCovers, DefaultText: "first to last booked day, inferred", Usage: "days the ledger files are complete for, FROM..TO, both included"}
}

func collapseWindowFlag() cli.Flag {
	return &cli.StringFlag{Name: flagCollapseWindow, Value: "60s", Usage: "firings this close, equal in all but time, are one call"}
}

func concat(lists ...[]cli.Flag) []cli.Flag {
	var all []cli.Flag
	for _, list := range lists {
		all = append(all, list...)
	}
	return all
}

func reconcile(c *cli.Context, p *program) error {
	if err := noArguments(c); err != nil {
		return err
	}
	in, err := inputsOf(c)
	if err != nil {
		return err
	}
	job, err := jobOf(c, p, c.String(flagOut))
	if err != nil {
		return err
	}
	if err := job.outputs(); err != nil {
		return err
	}
	done, err := reconcileFiles(c, p, in, job)
	if err != nil {
		return err
	}
	return finish(c, p, done)
}

// inputs are the files of a run that keeps nothing.
type inputs struct {
	attempts, outcomes, sessions, audit string
	ledger                              []string
	options                             importOptions
}

func inputsOf(c *cli.Context) (inputs, error) {
	in := inputs{
		attempts: c.String(flagAttempts), outcomes: c.String(flagOutcomes), sessions: c.String(flagSessions),
		audit: c.String(flagAudit), ledger: c.StringSlice(flagLedger),
	}
	switch {
	case in.attempts == "" && in.audit == "":
		return in, usagef("reconcile needs --attempts FILE, or --audit FILE to start from an old audit table")
	case len(in.ledger) == 0:
		return in, usagef("reconcile needs at least one --ledger FILE")
	case c.String(flagOut) == "" && c.String(flagItems) == "" && !c.Bool(flagJSON):
		return in, usagef("reconcile needs --out FILE.xlsx (or --items FILE.jsonl, or --json)")
	}
	if err := readOnce(append([]string{in.attempts, in.outcomes, in.sessions, in.audit}, in.ledger...)); err != nil {
		return in, err
	}
	var err error
	in.options, err = importOptionsOf(c)
	return in, err
}

// readOnce refuses standard input where it is named twice: the second reader would find it empty.
func readOnce(paths []string) error {
	first := slices.Index(paths, standardInput)
	if first >= 0 && slices.Contains(paths[first+1:], standardInput) {
		return usagef("%s, standard input, is named twice and can be read once", standardInput)
	}
	return nil
}

// reconcileFiles loads the files into a throw-away PostgreSQL and runs once.
func reconcileFiles(c *cli.Context, p *program, in inputs, job job) (made, error) {
	ctx := c.Context
	db, closeDB, err := openThrowaway(c, p)
	if err != nil {
		return made{}, err
	}
	defer closeDB()
	for _, step := range []struct {
		population string
		paths      []string
	}{
		{flagAttempts, some(in.attempts)},
		{flagOutcomes, some(in.outcomes)},
		{flagSessions, some(in.sessions)},
		{flagLedger, in.ledger},
		{flagAudit, some(in.audit)},
	} {
		for _, path := range step.paths {
			if _, err := importFile(ctx, p, db, step.population, path, in.options); err != nil {
				return made{}, err
			}
		}
	}
	if job.asOf.IsZero() {
		if job.asOf, err = endOfCoverage(ctx, db, job.policy); err != nil {
			return made{}, err
		}
	}
	// Nothing of such a run is kept, so the moment it is judged by is also the clock of its report: the same files give
	// the same bytes on any day.
	job.recordedAt, job.keepsNothing = job.asOf, true
	return runUnkept(ctx, db, job)
}

// runUnkept runs the engine over what is gone afterwards: nothing is recorded, and workbook and items are written from the
// view of the run.
func runUnkept(ctx context.Context, db *sql.DB, j job) (made, error) {
	view, err := db.View(ctx)
	if err != nil {
		return made{}, err
	}
	defer view.Close(context.WithoutCancel(ctx))
	result, err := view.Run(ctx, j.everything())
	if err != nil {
		return made{}, err
	}
	info, err := sql.Unrecorded(j.header(), result)
	if err != nil {
		return made{}, err
	}
	// First the items: what they take is free again when the report comes.
	if err := writeItemsFile(ctx, j.items, result, view); err != nil {
		return made{}, err
	}
	rep, err := compile(ctx, view, result, info, j, nil)
	if err != nil {
		return made{}, err
	}
	return writeWorkbook(ctx, db, rep, j, populationOf(result, view))
}

func some(path string) []string {
	if path == "" {
		return nil
	}
	return []string{path}
}

// endOfCoverage is the first moment at which nothing that the ledger covers is open any more: the end of coverage, and
// the settlement window and the outcome's time after it.
func endOfCoverage(ctx context.Context, db *sql.DB, policy recon.Policy) (time.Time, error) {
	view, err := db.View(ctx)
	if err != nil {
		return time.Time{}, err
	}
	defer view.Close(ctx)
	ranges, err := view.Coverage(ctx)
	if err != nil {
		return time.Time{}, err
	}
	var end ledger.Date
	for _, r := range ranges {
		end = max(end, r.To)
	}
	if end.IsZero() {
		return time.Time{}, usagef("the ledger files cover no day, so there is no moment to judge by; give --%s", flagAsOf)
	}
	return policy.WindowAfter(end.AddDays(-1)).Start(policy.Zone).Add(policy.StaleAfter), nil
}

func noArguments(c *cli.Context) error {
	if c.Args().Present() {
		return usagef("%s takes no arguments, got %q", c.Command.Name, c.Args().First())
	}
	return nil
}

// finish prints what was made and asks for exit code 1 if that was wanted.
func finish(c *cli.Context, p *program, m made) error {
	write := writeSummary
	if c.Bool(flagJSON) {
		write = writeJSON
	}
	if err := write(p.stdout, m); err != nil {
		return fmt.Errorf("standard output: %w", err)
	}
	if c.Bool(flagExitCode) && m.findings() {
		return errFindings
	}
	return nil
}
