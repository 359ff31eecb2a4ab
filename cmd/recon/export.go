package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/urfave/cli/v2"

	"agentrecon/recon"
	"agentrecon/report"
	"agentrecon/sql"
)

const flagRun = "run"

// errDrift refuses a report of a past run whose conclusions cannot be repeated.
var errDrift = errors.New("the run cannot be repeated from what is recorded")

func exportCommand(p *program) *cli.Command {
	return &cli.Command{
		Name:  "export",
		Usage: "write the workbook of a run, the latest or a past one",
		Flags: concat(
			[]cli.Flag{
				&cli.Int64Flag{Name: flagRun, DefaultText: "the latest", Usage: "number of the run"},
				&cli.StringFlag{Name: flagOut, DefaultText: "none", Usage: "workbook to write (.xlsx)"},
				&cli.StringFlag{Name: flagItems, DefaultText: "none", Usage: "write one line of JSON per attempt, outcome and entry"},
			},
			periodFlags(), []cli.Flag{paperFlag(), reportFormatFlag(), matchedFlag(), baselineFlag(), &cli.BoolFlag{Name: flagIssue, Usage: "mark the report as issued: the next roll-forward begins from it"}},
		),
		Action: func(c *cli.Context) error { return export(c, p) },
	}
}

func export(c *cli.Context, p *program) error {
	if err := noArguments(c); err != nil {
		return err
	}
	j, err := exportJob(c, p)
	if err != nil {
		return err
	}
	format, err := reportFormatOf(c, j)
	if err != nil {
		return err
	}
	db, closeDB, err := openDatabase(c, p)
	if err != nil {
		return err
	}
	defer closeDB()
	run, err := chosenRun(c, db)
	if err != nil {
		return err
	}
	view, err := db.ViewAsOf(c.Context, run.ID)
	if err != nil {
		return err
	}
	defer view.Close(context.WithoutCancel(c.Context))
	result, err := repeat(c.Context, view, run, j)
	if err != nil {
		return err
	}
	if err := writeItemsFile(c.Context, j.items, result, view); err != nil {
		return err
	}
	earlier, err := db.Runs(c.Context, 0)
	if err != nil {
		return err
	}
	rep, err := compile(c.Context, view, result, run.RunInfo, j, earlier)
	if err != nil {
		return err
	}
	if format != "" {
		if err := writeFindings(c.Context, p, rep, format, j); err != nil || !c.Bool(flagJSON) {
			return err
		}
		return printJSON(p.stdout, ordered{{"run_id", run.ID}, {"findings", j.workbook}, {"format", format}})
	}
	done, err := writeWorkbook(c.Context, db, rep, j, populationOf(result, view))
	if err != nil {
		return err
	}
	return finish(c, p, done)
}

func exportJob(c *cli.Context, p *program) (job, error) {
	zone, err := zoneOf(c)
	if err != nil {
		return job{}, err
	}
	maxMemory, err := maxMemoryOf(c)
	if err != nil {
		return job{}, err
	}
	j := job{
		maxMemory: maxMemory, recordedAt: p.now(), recordedBy: userName(p), entity: c.String(flagEntity), workbook: c.String(flagOut), items: c.String(flagItems),
		paper: report.Paper(c.String(flagPaper)), matched: matchedOf(c), baseline: c.Int64(flagBaseline), issue: c.Bool(flagIssue),
	}
	if j.workbook == "" && (j.matched != matchedNowhere || j.issue) {
		return j, usagef("--%s and --%s belong to a workbook: name one with --%s", flagMatched, flagIssue, flagOut)
	}
	if j.workbook == "" && j.items == "" {
		return j, usagef("export needs --out FILE.xlsx (or --items FILE.jsonl)")
	}
	if err := j.knownPaper(); err != nil {
		return j, err
	}
	if j.period, err = periodOf(c, zone); err != nil {
		return j, err
	}
	for _, path := range []string{j.workbook, j.items} {
		if err := writable(path); err != nil {
			return j, err
		}
	}
	return j, nil
}

// chosenRun is the run that --run names, or the latest.
func chosenRun(c *cli.Context, db *sql.DB) (sql.Run, error) {
	if c.IsSet(flagRun) {
		return db.RunByID(c.Context, c.Int64(flagRun))
	}
	runs, err := db.Runs(c.Context, 1)
	if err != nil {
		return sql.Run{}, err
	}
	if len(runs) == 0 {
		return sql.Run{}, usagef("there is no run yet: recon run makes one")
	}
	return runs[0], nil
}

// repeat makes a past run again from the rows it saw, and refuses a result that is not the recorded one.
func repeat(ctx context.Context, view *sql.ReadTx, run sql.Run, j job) (*recon.Result, error) {
	result, err := view.Run(ctx, recon.Request{AsOf: run.AsOf, Policy: run.Policy, Period: j.period, MaxMemory: j.maxMemory})
	if err != nil {
		return nil, err
	}
	return result, sameEvidence(run, result)
}

// sameEvidence refuses a result of a run made again that is not the recorded one.
func sameEvidence(run sql.Run, result *recon.Result) error {
	digest, err := sql.EvidenceDigest(result)
	if err != nil {
		return err
	}
	if digest != run.EvidenceDigest {
		return fmt.Errorf("%w: run %d was made by %s with rule set %s; it concluded %s, this program (%s, rule set %s) concludes %s",
			errDrift, run.ID, run.Program, run.RuleSet, short(run.EvidenceDigest), version, recon.RuleSet, short(digest))
	}
	return nil
}
