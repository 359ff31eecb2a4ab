package main

import (
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/urfave/cli/v2"

	"agentrecon/ledger"
	"agentrecon/recon"
	"agentrecon/report"
)

const (
	flagDecision   = "decision"
	flagNote       = "note"
	flagEvidence   = "evidence"
	flagBy         = "by"
	flagApprovedBy = "approved-by"
	flagApprovedOn = "approved-on"
	flagOwner      = "owner"
	flagDue        = "due"
	flagPopulation = "population"
	flagItem       = "item"
)

func dispositionsCommand(p *program) *cli.Command {
	return &cli.Command{
		Name:  "dispositions",
		Usage: "reviewers' decisions: they stand beside a class and never change it",
		Subcommands: []*cli.Command{
			{
				Name: "add", ArgsUsage: "ITEM", Usage: "record a decision on one item as the latest run concluded it",
				Flags: []cli.Flag{
					&cli.StringFlag{Name: flagDecision, DefaultText: "none", Usage: strings.Join(decisionNames(), ", ")},
					&cli.StringFlag{Name: flagNote, DefaultText: "none", Usage: "why"},
					&cli.StringFlag{Name: flagEvidence, DefaultText: "none", Usage: "reference to the evidence seen"},
					&cli.StringFlag{Name: flagBy, DefaultText: "the user", Usage: "who decided"},
					&cli.StringFlag{Name: flagApprovedBy, DefaultText: "none", Usage: "another person; without one, the first four decisions await approval"},
					&cli.StringFlag{Name: flagApprovedOn, DefaultText: "not said", Usage: "the day it was approved"},
					&cli.StringFlag{Name: flagOwner, DefaultText: "none", Usage: "who follows the item up"},
					&cli.StringFlag{Name: flagDue, DefaultText: "none", Usage: "by which day"},
					&cli.StringFlag{Name: flagPopulation, Value: string(recon.Attempts), Usage: "attempts, entries or outcomes"},
				},
				Action: func(c *cli.Context) error { return addDisposition(c, p) },
			},
			{
				Name: "import", ArgsUsage: "REVIEWED.xlsx", Usage: "take the decisions out of a reviewed workbook whose evidence is unaltered",
				Flags:  []cli.Flag{&cli.BoolFlag{Name: flagDryRun, Usage: "say what would be taken, and record nothing"}},
				Action: func(c *cli.Context) error { return importDispositions(c, p) },
			},
			{
				Name: "list", Usage: "every decision ever recorded, oldest first",
				Flags:  []cli.Flag{&cli.StringFlag{Name: flagItem, DefaultText: "all", Usage: "only those on this item"}},
				Action: func(c *cli.Context) error { return listDispositions(c, p) },
			},
		},
	}
}

func decisionNames() []string {
	names := make([]string, len(recon.Decisions))
	for n, d := range recon.Decisions {
		names[n] = string(d)
	}
	return names
}

func addDisposition(c *cli.Context, p *program) error {
	d, err := dispositionOf(c, p)
	if err != nil {
		return err
	}
	db, closeDB, err := openDatabase(c, p)
	if err != nil {
		return err
	}
	defer closeDB()
	runs, err := db.Runs(c.Context, 1)
	if err != nil {
		return err
	}
	if len(runs) == 0 {
		return usagef("no run has concluded anything yet: recon run does")
	}
	added, err := db.AddDispositions(c.Context, runs[0].ID, []recon.Disposition{d})
	if err != nil {
		return err
	}
	if c.Bool(flagJSON) {
		return printJSON(p.stdout, ordered{{"run_id", runs[0].ID}, {"new", added}})
	}
	if added == 0 {
		fmt.Fprintln(p.stdout, "the same decision stands already")
		return nil
	}
	fmt.Fprintf(p.stdout, "%s %s: %s, on run %d%s\n", d.Population, oneLine(d.Item), d.Decision, runs[0].ID, approvedBy(&d))
	return nil
}

// dispositionOf reads a decision from the flags and says what is missing before anything is opened.
func dispositionOf(c *cli.Context, p *program) (recon.Disposition, error) {
	d := recon.Disposition{
		Population: recon.Population(c.String(flagPopulation)), Item: c.Args().First(), Decision: recon.Decision(c.String(flagDecision)),
		Note: c.String(flagNote), EvidenceRef: c.String(flagEvidence), PreparedBy: c.String(flagBy), ApprovedBy: c.String(flagApprovedBy),
		DecidedAt: p.now().UTC().Truncate(time.Microsecond), Owner: c.String(flagOwner),
	}
	for _, day := range []struct {
		flag string
		into *ledger.Date
	}{{flagDue, &d.Due}, {flagApprovedOn, &d.ApprovedOn}} {
		if text := c.String(day.flag); text != "" {
			on, err := ledger.ParseDate(text)
			if err != nil {
				return d, usagef("--%s: %v", day.flag, err)
			}
			*day.into = on
		}
	}
	if d.PreparedBy == "" {
		d.PreparedBy = userName(p)
	}
	switch {
	case d.Item == "" || c.NArg() > 1:
		return d, usagef("dispositions add needs one ITEM, as a report lists it")
	case !slices.Contains([]recon.Population{recon.Attempts, recon.Entries, recon.Outcomes}, d.Population):
		return d, usagef("--%s %q: expected attempts, entries or outcomes", flagPopulation, d.Population)
	case !slices.Contains(recon.Decisions, d.Decision):
		return d, usagef("--%s %q: expected one of %s", flagDecision, d.Decision, strings.Join(decisionNames(), ", "))
	case d.ApprovedBy == "" && !d.ApprovedOn.IsZero():
		return d, usagef("--%s: say with --%s who approved", flagApprovedOn, flagApprovedBy)
	case strings.EqualFold(d.ApprovedBy, d.PreparedBy):
		return d, usagef("--%s %q: expected another person than the preparer", flagApprovedBy, d.ApprovedBy)
	}
	return d, nil
}

func importDispositions(c *cli.Context, p *program) error {
	path := c.Args().First()
	if path == "" || c.NArg() > 1 {
		return usagef("dispositions import needs one workbook")
	}
	db, closeDB, err := openDatabase(c, p)
	if err != nil {
		return err
	}
	defer closeDB()
	again, err := remake(c, p, db, path)
	if err != nil {
		return err
	}
	defer again.discard()
	sheets, err := again.unaltered(c.Context, path)
	if err != nil {
		return err
	}
	reviews, err := report.ReadReviews(path, again.temp, again.report, p.now().UTC().Truncate(time.Microsecond))
	if err != nil {
		return readError(err)
	}
	if sheets != "" {
		reviews.Ignored = append(reviews.Ignored, "sheets that are none of the run's: "+sheets)
	}
	if c.Bool(flagDryRun) {
		if !c.Bool(flagJSON) {
			for _, d := range reviews.Decisions {
				fmt.Fprintf(p.stdout, "would record: %s %s: %s by %s%s\n", d.Population, oneLine(d.Item), d.Decision, oneLine(d.PreparedBy), approvedBy(&d))
			}
		}
		return sayImported(c, p, path, again.report.Run.ID, 0, reviews)
	}
	added, err := db.AddDispositions(c.Context, again.report.Run.ID, reviews.Decisions)
	if err != nil {
		return err
	}
	return sayImported(c, p, path, again.report.Run.ID, added, reviews)
}

// approvedBy names who approved a decision, or says that it waits for somebody who does.
func approvedBy(d *recon.Disposition) string {
	switch {
	case d.ApprovedBy != "":
		return ", approved by " + oneLine(d.ApprovedBy)
	case d.Decision.Closes():
		return ", awaits approval"
	default:
		return ""
	}
}

// sayImported says what was taken and what was not.
func sayImported(c *cli.Context, p *program, path string, run int64, added int, reviews report.Reviews) error {
	if c.Bool(flagJSON) {
		return printJSON(p.stdout, ordered{
			{"file", path},
			{"run_id", run},
			{"new", added},
			{"decisions", dispositionsJSON(reviews.Decisions)},
			{"ignored", notNil(reviews.Ignored)},
		})
	}
	fmt.Fprintf(p.stdout, "%s: %s on run %d, %d of them new\n", path, plural(len(reviews.Decisions), "decision"), run, added)
	for _, ignored := range reviews.Ignored {
		fmt.Fprintf(p.stdout, "ignored: %s\n", ignored)
	}
	return nil
}

func listDispositions(c *cli.Context, p *program) error {
	if err := noArguments(c); err != nil {
		return err
	}
	db, closeDB, err := openDatabase(c, p)
	if err != nil {
		return err
	}
	defer closeDB()
	all, err := db.Dispositions(c.Context)
	if err != nil {
		return err
	}
	if item := c.String(flagItem); item != "" {
		all = slices.DeleteFunc(all, func(d recon.Disposition) bool { return d.Item != item })
	}
	if c.Bool(flagJSON) {
		return printJSON(p.stdout, ordered{{"dispositions", dispositionsJSON(all)}})
	}
	table := tabwriter.NewWriter(p.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "DECIDED\tPOPULATION\tITEM\tDECISION\tSEEN AS\tBY\tAPPROVED BY\tOWNER\tDUE\tNOTE")
	for _, d := range all {
		approver := oneLine(d.ApprovedBy)
		if d.AwaitsApproval() {
			approver = "(awaited)"
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", d.DecidedAt.Format(time.DateOnly), d.Population, oneLine(d.Item), d.Decision, d.Class,
			oneLine(d.PreparedBy), approver, oneLine(d.Owner), d.Due, oneLine(d.Note))
	}
	return table.Flush()
}

// dispositionsJSON are decisions for machines.
func dispositionsJSON(all []recon.Disposition) []ordered {
	decisions := make([]ordered, 0, len(all))
	for _, d := range all {
		decisions = append(decisions, ordered{
			{"population", d.Population},
			{"item", d.Item},
			{"decision", d.Decision},
			{"class", d.Class},
			{"note", d.Note},
			{"evidence", d.EvidenceRef},
			{"prepared_by", d.PreparedBy},
			{"approved_by", d.ApprovedBy},
			{"decided_at", d.DecidedAt.Format(time.RFC3339)},
			{"approved_on", d.ApprovedOn.String()},
			{"owner", d.Owner},
			{"due", d.Due.String()},
		})
	}
	return decisions
}
