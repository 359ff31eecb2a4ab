package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
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
	policy     recon.Policy
	period     ledger.Period
	entity     string
	slot       string // of a scheduled run
	workbook   string // path; empty = none
	items      string // path; empty = none
	paper      report.Paper
}

// jobOf reads a job from the flags of a command that runs the engine. The flag of the workbook is --out or --report.
func jobOf(c *cli.Context, p *program) (job, error) {
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
	j := job{
		asOf: asOf, recordedAt: p.now(), recordedBy: userName(p), policy: policy, period: period, entity: c.String(flagEntity),
		workbook: c.String(flagOut), items: c.String(flagItems), paper: report.Paper(c.String(flagPaper)),
	}
	if j.workbook == "" {
		j.workbook = c.String(flagReport)
	}
	if j.paper != report.A4 && j.paper != report.Letter {
		return job{}, usagef("--%s %q: expected A4 or Letter", flagPaper, j.paper)
	}
	for _, path := range []string{j.workbook, j.items} {
		if err := writable(path); err != nil {
			return job{}, err
		}
	}
	return j, nil
}

// writable finds out before the work whether its result could be written.
func writable(path string) error {
	if path == "" {
		return nil
	}
	folder := filepath.Dir(path)
	info, err := os.Stat(folder)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s: there is no folder %s: create it first: %w", path, folder, report.ErrCannotCreate)
	case err != nil:
		return fmt.Errorf("%s: %w: %w", path, err, report.ErrCannotCreate)
	case !info.IsDir():
		return fmt.Errorf("%s: %s is not a folder: %w", path, folder, report.ErrCannotCreate)
	}
	probe, err := os.CreateTemp(folder, ".recon-*")
	if err != nil {
		return fmt.Errorf("%s: the folder %s cannot be written to: %w", path, folder, report.ErrCannotCreate)
	}
	_ = probe.Close()
	return os.Remove(probe.Name())
}

// runOnce runs the engine in one transaction, commits, and writes workbook and items from what was recorded.
func runOnce(ctx context.Context, db *sql.DB, j job) (made, error) {
	tx, err := db.BeginRun(ctx)
	if err != nil {
		return made{}, err
	}
	defer tx.Rollback(context.WithoutCancel(ctx))
	result, err := recon.Run(ctx, tx, recon.Request{AsOf: j.asOf, Policy: j.policy, Period: j.period})
	if err != nil {
		return made{}, err
	}
	header := recon.RunInfo{
		Kind: "full", Slot: j.slot, AsOf: j.asOf, RecordedAt: j.recordedAt, RecordedBy: j.recordedBy, Program: version, RuleSet: recon.RuleSet,
	}
	info, err := tx.Record(ctx, header, result)
	if err != nil {
		return made{}, err
	}
	rep, err := compile(ctx, tx, result, info, j.entity)
	if err != nil {
		return made{}, err
	}
	if j.items != "" {
		if err := writeItemsFile(ctx, j.items, result); err != nil {
			return made{}, err
		}
	}
	// The run is committed before its workbook is written: a run without its workbook can be exported again, a workbook
	// without its run could never be checked.
	if err := tx.Commit(ctx); err != nil {
		return made{}, err
	}
	return writeWorkbook(ctx, db, rep, j)
}

func compile(ctx context.Context, view bookkeeping, result *recon.Result, info recon.RunInfo, entity string) (*recon.Report, error) {
	runs, err := view.LatestRuns(ctx, latestRuns)
	if err != nil {
		return nil, err
	}
	return recon.NewReport(ctx, view, result, info, entity, runs)
}

// latestRuns is how many runs a workbook lists.
const latestRuns = 40

// writeWorkbook writes the workbook, if one was asked for, and records the export.
func writeWorkbook(ctx context.Context, db *sql.DB, rep *recon.Report, j job) (made, error) {
	m := made{report: rep}
	if j.workbook == "" {
		return m, nil
	}
	temp, err := os.MkdirTemp("", "recon-parts-")
	if err != nil {
		return m, fmt.Errorf("temporary folder: %w: %w", err, report.ErrCannotWrite)
	}
	defer func() { _ = os.RemoveAll(temp) }()
	summary, err := report.WriteFile(ctx, j.workbook, rep, report.Options{Paper: j.paper, TempDir: temp})
	if err != nil {
		return m, err
	}
	m.path, m.sha256 = j.workbook, summary.SHA256
	if err := db.RecordExport(ctx, rep.Run.ID, j.workbook, summary.SHA256, summary.PartsDigest); err != nil {
		return m, err
	}
	return m, nil
}

// writeItemsFile writes the items whole or not at all.
func writeItemsFile(ctx context.Context, path string, result *recon.Result) (err error) {
	file, err := os.CreateTemp(filepath.Dir(path), ".recon-items-*")
	if err != nil {
		return fmt.Errorf("%s: %w: %w", path, err, report.ErrCannotCreate)
	}
	defer func() {
		if err != nil {
			_ = file.Close()
			_ = os.Remove(file.Name())
		}
	}()
	if err = writeItems(ctx, file, result); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	for _, step := range []func() error{file.Sync, file.Close, func() error { return os.Rename(file.Name(), path) }} {
		if err = step(); err != nil {
			return fmt.Errorf("%s: %w: %w", path, err, report.ErrCannotWrite)
		}
	}
	return nil
}
