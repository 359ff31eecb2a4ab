package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"agentrecon/ledger"
	"agentrecon/recon"
	"agentrecon/report"
	"agentrecon/sql"
)

// job is one run of the engine with what is to be written of it.
type job struct {
	asOf       time.Time
	recordedAt time.Time
	recordedBy string
	// keepsNothing: the store is thrown away after the run, so its own clock must not show in the report.
	keepsNothing bool
	policy       recon.Policy
	period       ledger.Period
	entity       string
	slot         string // of a scheduled run
	workbook     string // path; empty = none
	items        string // path; empty = none
	paper        report.Paper
	matched      string // where the agreed attempts are listed
	baseline     int64  // run to compare with; 0 = the last issued
	maxMemory    int64  // bytes that the engine may take
	issue        bool   // the report is issued: the baseline of the next roll-forward
	since        bool   // what changed since the last run is enough to look at, if nothing is to be written that needs more
}

// needsAll says why everything must be looked at for what is to be written; empty: what changed may do.
func (j job) needsAll() string {
	switch {
	case j.workbook != "":
		return "a workbook shows everything"
	case j.items != "":
		return "every item is to be written"
	case !j.period.IsZero():
		return "a period is asked for"
	case j.baseline != 0:
		return "a run to compare with is asked for"
	}
	return ""
}

// jobOf reads a job from the flags of a command that runs the engine and writes a workbook, or none.
func jobOf(c *cli.Context, p *program, workbook string) (job, error) {
	policy, err := policyOf(c)
	if err != nil {
		return job{}, err
	}
	period, err := periodOf(c, policy.Zone)
	if err != nil {
		return job{}, err
	}
	asOf, err := asOfOf(c)
	if err != nil {
		return job{}, err
	}
	maxMemory, err := maxMemoryOf(c)
	if err != nil {
		return job{}, err
	}
	j := job{
		asOf: asOf, recordedAt: p.now(), recordedBy: userName(p), policy: policy, period: period, entity: c.String(flagEntity),
		workbook: workbook, items: c.String(flagItems), paper: report.Paper(c.String(flagPaper)), matched: matchedOf(c), baseline: c.Int64(flagBaseline),
		maxMemory: maxMemory,
	}
	if j.workbook == "" && j.matched != matchedNowhere {
		return job{}, usagef("--%s lists agreed attempts in or beside a workbook: name one", flagMatched)
	}
	return j, j.knownPaper()
}

func (j job) knownPaper() error {
	if j.paper != report.A4 && j.paper != report.Letter {
		return usagef("--%s %q: expected A4 or Letter", flagPaper, j.paper)
	}
	return nil
}

// outputs finds out before the work whether its results could be written.
func (j job) outputs() error {
	if err := workbookName(j.workbook); err != nil {
		return err
	}
	for _, path := range []string{j.workbook, j.items} {
		if err := writable(path); err != nil {
			return err
		}
	}
	return nil
}

// workbookName refuses a workbook under a name that Excel would not open it by.
func workbookName(path string) error {
	if path == "" || strings.EqualFold(filepath.Ext(path), ".xlsx") {
		return nil
	}
	return usagef("%s: a workbook's name ends in .xlsx", path)
}

// errOutput is an output that cannot be made where it was asked for.
var errOutput = errors.New("output cannot be made")

// writable finds out whether a file could be made.
func writable(path string) error {
	if path == "" || path == standardOutput {
		return nil
	}
	folder := filepath.Dir(path)
	info, err := os.Stat(folder)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%w: %s: there is no folder %s: create it first", errOutput, path, folder)
	case err != nil:
		return fmt.Errorf("%w: %s: %w", errOutput, path, err)
	case !info.IsDir():
		return fmt.Errorf("%w: %s: %s is not a folder", errOutput, path, folder)
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return fmt.Errorf("%w: %s is a folder: name a file in it", errOutput, path)
	}
	probe, err := os.CreateTemp(folder, ".recon-*")
	if err != nil {
		return fmt.Errorf("%w: %s: the folder %s cannot be written to: choose another, or mend its rights", errOutput, path, folder)
	}
	_ = probe.Close()
	return os.Remove(probe.Name())
}

// makeFolder makes a folder for outputs, with those above it, unless it is there.
func makeFolder(folder string, mode fs.FileMode) error {
	if err := os.MkdirAll(folder, mode); err != nil {
		return fmt.Errorf("%w: folder %s: choose a place you can write to: %w", errOutput, folder, err)
	}
	return nil
}

// runOnce runs the engine in one transaction, commits, and writes workbook and items from what was recorded.
func runOnce(ctx context.Context, db *sql.DB, j job) (made, error) {
	tx, err := db.BeginRun(ctx)
	if err != nil {
		return made{}, err
	}
	defer tx.Rollback(context.WithoutCancel(ctx))
	header := j.header()
	result, why, err := concludeJob(ctx, tx, header, j)
	if err != nil {
		return made{}, err
	}
	if result.Since != nil {
		return recordSince(ctx, tx, header, result)
	}
	earlier, err := tx.Runs(ctx, latestRuns-1)
	if err != nil {
		return made{}, err
	}
	info, err := tx.Record(ctx, header, result)
	stored := !errors.Is(err, sql.ErrEarlierAsOf)
	if err != nil && stored {
		return made{}, err
	}
	notRecorded := err
	rep, err := compile(ctx, tx, result, info, j, earlier)
	if err != nil {
		return made{}, err
	}
	if !stored {
		// The recorded state never goes back in time: such a run is a report and no more.
		rep.Run.ID = 0
		tx.Rollback(ctx)
		m, err := writeOfResult(ctx, db, rep, j, result)
		m.notRecorded = notRecorded
		return m, err
	}
	// The run is committed before its workbook and items are written: a run without them can be exported again, a workbook
	// without its run could never be checked.
	if err := tx.Commit(ctx); err != nil {
		return made{}, err
	}
	m, err := writeOfResult(ctx, db, rep, j, result)
	if err != nil {
		err = recordedError{info.ID, err}
	}
	m.why = why
	return m, err
}

// header is what is known of a run before it.
func (j job) header() recon.RunInfo {
	return recon.RunInfo{
		Slot: j.slot, AsOf: j.asOf, RecordedAt: j.recordedAt, RecordedBy: j.recordedBy, Program: version, RuleSet: recon.RuleSet, Entity: j.entity,
	}
}

// everything asks for a run over everything.
func (j job) everything() recon.Request {
	return recon.Request{AsOf: j.asOf, Policy: j.policy, Period: j.period, MaxMemory: j.maxMemory}
}

// concludeJob runs the engine over what changed since the last run, where that is asked for and will do, else over
// everything, and says why.
func concludeJob(ctx context.Context, tx *sql.RunTx, header recon.RunInfo, j job) (result *recon.Result, why string, err error) {
	if j.since {
		why = j.needsAll()
	}
	if j.since && why == "" {
		restore := collectSeldom()
		result, err = tx.RunSince(ctx, header, recon.Request{AsOf: j.asOf, Policy: j.policy})
		restore()
		var needed *recon.FullNeeded
		if !errors.As(err, &needed) {
			return result, "", err
		}
		why = needed.Why
	}
	result, err = tx.Run(ctx, j.everything())
	return result, why, err
}

// recordSince records a run over what changed. It has the figures of everything, and of the items only those that it looked
// at.
func recordSince(ctx context.Context, tx *sql.RunTx, header recon.RunInfo, result *recon.Result) (made, error) {
	info, err := tx.Record(ctx, header, result)
	if err != nil {
		return made{}, err
	}
	if err := tx.Commit(ctx); err != nil {
		return made{}, err
	}
	affected := result.Since.Affected
	return made{looked: int64(len(affected.Attempts) + len(affected.Entries)), report: &recon.Report{
		Run: info, Entity: info.Entity, Policy: result.Policy, Totals: result.Totals, Controls: result.Controls, Bridge: result.Bridge, Checks: result.Checks,
		Coverage: result.Coverage, RecordingSince: result.RecordingSince,
	}}, nil
}

// writeOfResult writes workbook and items of a run whose own view has ended. Agreed attempts are read from another one, for
// entries are never changed.
func writeOfResult(ctx context.Context, db *sql.DB, rep *recon.Report, j job, result *recon.Result) (made, error) {
	if j.matched == matchedNowhere && j.items == "" {
		return writeWorkbook(ctx, db, rep, j, nil)
	}
	view, err := db.View(ctx)
	if err != nil {
		return made{}, err
	}
	defer view.Close(context.WithoutCancel(ctx))
	if err := writeItemsFile(ctx, j.items, result, view); err != nil {
		return made{}, err
	}
	return writeWorkbook(ctx, db, rep, j, populationOf(result, view))
}

// compile makes the report of a run; earlier are the runs before it, newest first.
func compile(ctx context.Context, books recon.Books, result *recon.Result, info recon.RunInfo, j job, earlier []sql.Run) (*recon.Report, error) {
	if j.keepsNothing {
		// The store is gone afterwards: there is no chain of runs, and when it was filled says nothing about the files.
		info.Digest, info.Previous = info.EvidenceDigest, ""
	}
	runs := []recon.RunInfo{info}
	for _, run := range earlier {
		if run.ID < info.ID && len(runs) < latestRuns {
			runs = append(runs, run.RunInfo)
		}
	}
	// A recorded run says whose books it was made of; what is given now speaks for runs that say nothing.
	rep, err := recon.NewReport(ctx, books, result, info, cmp.Or(info.Entity, j.entity), runs)
	if err != nil {
		return nil, err
	}
	if err := addHistory(ctx, rep, books, result, j); err != nil {
		return nil, err
	}
	if j.keepsNothing {
		rep.FilesOnly, rep.Run.RecordedBy, rep.Runs[0].RecordedBy = true, "", ""
		for n := range rep.Sources {
			rep.Sources[n].ImportedAt = j.recordedAt
		}
	}
	return rep, nil
}

// latestRuns is how many runs a workbook lists.
const latestRuns = 40

// writeWorkbook writes the workbook and records the export. If none was asked for, what its Cover would say is worked out
// all the same, for the summary begins with that.
func writeWorkbook(ctx context.Context, db *sql.DB, rep *recon.Report, j job, pairs population) (made, error) {
	m := made{report: rep}
	if j.workbook == "" {
		summary, err := report.Summarise(ctx, rep, report.Options{})
		m.sentence, m.summary = summary.Sentence, summary
		return m, err
	}
	temp, discard, err := partsFolder()
	if err != nil {
		return m, err
	}
	defer discard()
	options := report.Options{Paper: j.paper, TempDir: temp, Baseline: j.baseline, Program: version}
	if err := addPopulation(ctx, &options, j, pairs); err != nil {
		return m, err
	}
	summary, err := report.WriteFile(ctx, j.workbook, rep, options)
	if err != nil {
		return m, err
	}
	m.path, m.sha256, m.sentence, m.summary = j.workbook, summary.SHA256, summary.Sentence, summary
	if rep.Run.ID == 0 || j.keepsNothing {
		return m, nil
	}
	return m, db.RecordExport(ctx, sql.Export{
		RunID: rep.Run.ID, Path: j.workbook, SHA256: summary.SHA256, Parts: summary.PartsDigest, Digest: rep.Run.Digest, Period: rep.Period,
		Issued: j.issue, IssuedBy: j.recordedBy, IssuedAt: j.recordedAt,
	})
}

// writeItemsFile writes the items, whole or not at all, where they were asked for. Clean pairs are read from the books.
func writeItemsFile(ctx context.Context, path string, result *recon.Result, books recon.Books) error {
	if path == "" {
		return nil
	}
	return report.WriteWhole(path, func(w io.Writer) error {
		if err := writeItems(ctx, w, result, books); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		return nil
	})
}
