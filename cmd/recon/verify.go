package main

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"agentrecon/recon"
	"agentrecon/report"
	"agentrecon/sql"
)

const (
	flagRerun      = "rerun"
	flagCheckpoint = "checkpoint"
)

func verifyCommand(p *program) *cli.Command {
	return &cli.Command{
		Name: "verify", ArgsUsage: "[FILE.xlsx]",
		Usage: "verify the chain of runs, a past run against its rows, or a workbook against the database",
		Flags: []cli.Flag{
			&cli.Int64Flag{Name: flagRun, DefaultText: "the latest", Usage: "run to make again, with --rerun"},
			&cli.BoolFlag{Name: flagRerun, Usage: "make the run again over everything it saw and compare row by row what it concluded"},
			&cli.StringFlag{Name: flagCheckpoint, DefaultText: "none", Usage: "file with heads of the chain, kept elsewhere: compared, and the present head added"},
		},
		Action: func(c *cli.Context) error { return verify(c, p) },
	}
}

func verify(c *cli.Context, p *program) error {
	if c.NArg() > 1 {
		return usagef("verify takes one file, got %q too", c.Args().Get(1))
	}
	db, closeDB, err := openDatabase(c, p)
	if err != nil {
		return err
	}
	defer closeDB()
	if path := c.Args().First(); path != "" {
		return verifyWorkbook(c, p, db, path)
	}
	sound, err := verifyRuns(c, p, db)
	if err != nil {
		return err
	}
	if c.Bool(flagRerun) {
		if err := verifyRerun(c, p, db); err != nil {
			return err
		}
	}
	if !sound {
		return errFindings
	}
	return nil
}

// verifyWorkbook compares the evidence of a workbook with the run that it names.
func verifyWorkbook(c *cli.Context, p *program, db *sql.DB, path string) error {
	again, err := remake(c, p, db, path)
	if err != nil {
		return err
	}
	defer again.discard()
	err = report.Compare(c.Context, path, again.path, again.temp)
	if errors.Is(err, report.ErrAltered) {
		fmt.Fprintf(p.stdout, "%s: altered\n%v\n", path, err)
		return errFindings
	}
	if err != nil {
		return readError(err)
	}
	fmt.Fprintf(p.stdout, "%s: every evidence cell is as run %d says; reviewers' cells were not looked at\n", path, again.report.Run.ID)
	return sayExported(c, p, db, path)
}

// sayExported says whether a workbook is, byte for byte, one that was exported. One that somebody saved since is not.
func sayExported(c *cli.Context, p *program, db *sql.DB, path string) error {
	data, err := os.Open(path)
	if err != nil {
		return inputError{err}
	}
	defer func() { _ = data.Close() }()
	hash := sha256.New()
	if _, err := io.Copy(hash, data); err != nil {
		return inputError{fmt.Errorf("%s: %w", path, err)}
	}
	exports, err := db.Exports(c.Context, hex.EncodeToString(hash.Sum(nil)))
	if err != nil {
		return err
	}
	if len(exports) == 0 {
		fmt.Fprintln(p.stdout, "its bytes are of no recorded export: somebody saved it since, or its export was not recorded")
		return nil
	}
	first := exports[len(exports)-1]
	issued := ""
	if slices.ContainsFunc(exports, func(e sql.Export) bool { return e.Issued }) {
		issued = " and issued"
	}
	fmt.Fprintf(p.stdout, "it is the file that was exported%s, first on %s by %s\n", issued, first.IssuedAt.Format(time.RFC3339), oneLine(first.IssuedBy))
	return nil
}

// readError makes a file that cannot be read an input error.
func readError(err error) error {
	if errors.Is(err, report.ErrNotOurs) || errors.Is(err, report.ErrAltered) || errors.Is(err, report.ErrReview) {
		return inputError{err}
	}
	return err
}

// remade is the workbook of a run, made again.
type remade struct {
	report *recon.Report
	path   string
	temp   string // folder of its own
}

func (r remade) discard() { _ = os.RemoveAll(r.temp) }

// remake makes the workbook again that a file claims to be.
func remake(c *cli.Context, p *program, db *sql.DB, path string) (again remade, err error) {
	if again.temp, err = os.MkdirTemp("", "recon-verify-"); err != nil {
		return again, fmt.Errorf("temporary folder: %w", err)
	}
	defer func() {
		if err != nil {
			again.discard()
		}
	}()
	key, err := report.ReadKey(path, again.temp)
	if err != nil {
		return again, readError(err)
	}
	run, err := db.RunByID(c.Context, key.RunID)
	if err != nil {
		return again, inputError{fmt.Errorf("%s: %w: expected the database that the workbook was made from", path, err)}
	}
	if !strings.HasPrefix(run.EvidenceDigest, key.Evidence) {
		return again, inputError{fmt.Errorf("%s: it shows run %d with evidence %s, the run in this database has %s: %w",
			path, key.RunID, key.Evidence, run.EvidenceDigest[:16], report.ErrAltered)}
	}
	view, err := db.ViewAsOf(c.Context, run.ID)
	if err != nil {
		return again, err
	}
	defer view.Close(context.WithoutCancel(c.Context))
	maxMemory, err := maxMemoryOf(c)
	if err != nil {
		return again, err
	}
	j := job{period: key.Period, baseline: key.Baseline, recordedAt: p.now(), entity: c.String(flagEntity), maxMemory: maxMemory}
	result, err := repeat(c.Context, view, run, j)
	if err != nil {
		return again, err
	}
	earlier, err := db.Runs(c.Context, 0)
	if err != nil {
		return again, err
	}
	if again.report, err = compile(c.Context, view, result, run.RunInfo, j, earlier); err != nil {
		return again, err
	}
	options := report.Options{TempDir: again.temp, Baseline: key.Baseline}
	j.workbook = filepath.Join(again.temp, strings.TrimSuffix(key.PopulationFile, ".agreed.csv")+".xlsx")
	switch {
	case key.Population:
		j.matched = matchedSheets
	case key.PopulationFile != "":
		j.matched = matchedCSV
	}
	if err := addPopulation(c.Context, &options, j, populationOf(result, view)); err != nil {
		return again, err
	}
	again.path = j.workbook
	_, err = report.WriteFile(c.Context, again.path, again.report, options)
	return again, err
}

// verifyRuns verifies the chain and prints what it found; sound is false if anything is wrong.
func verifyRuns(c *cli.Context, p *program, db *sql.DB) (sound bool, err error) {
	v, err := db.Verify(c.Context)
	if err != nil {
		return false, err
	}
	if path := c.String(flagCheckpoint); path != "" {
		if err := checkpoint(c.Context, db, path, &v); err != nil {
			return false, err
		}
	}
	for _, problem := range v.Problems {
		where := "records"
		if problem.RunID > 0 {
			where = fmt.Sprintf("run %d", problem.RunID)
		}
		fmt.Fprintf(p.stdout, "%s: %s\n", where, problem.What)
	}
	if len(v.Problems) > 0 {
		return false, nil
	}
	fmt.Fprintf(p.stdout, "%s runs verified; the head is run %d, digest %s\n", grouped(v.Runs), v.HeadID, orNoDigest(v.Head))
	return true, nil
}

func orNoDigest(s string) string {
	if s == "" {
		return "none"
	}
	return s
}

// checkpoint compares heads that were kept elsewhere with the chain, and adds the present one: a chain whose tail was
// cut off is sound in itself, and only such a copy shows it.
func checkpoint(ctx context.Context, db *sql.DB, path string, v *sql.Verification) error {
	data, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return inputError{fmt.Errorf("%s: %w", path, err)}
	}
	runs, err := db.Runs(ctx, 0)
	if err != nil {
		return err
	}
	digests := map[int64]string{}
	for _, run := range runs {
		digests[run.ID] = run.Digest
	}
	last := int64(0)
	lines := bufio.NewScanner(strings.NewReader(string(data)))
	for n := 1; lines.Scan(); n++ {
		var id int64
		var digest string
		if got, err := fmt.Sscanf(lines.Text(), "run %d %s", &id, &digest); got != 2 || err != nil {
			return inputError{fmt.Errorf("%s:%d: %q: expected \"run NUMBER DIGEST\"", path, n, lines.Text())}
		}
		if digests[id] != digest {
			v.Problems = append(v.Problems, sql.Problem{RunID: id, What: fmt.Sprintf("%s:%d kept digest %s; the chain has %s", path, n, digest, orNoDigest(digests[id]))})
		}
		last = max(last, id)
	}
	if len(v.Problems) > 0 || v.HeadID <= last {
		return nil
	}
	file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("%s: %w: %w", path, err, report.ErrCannotCreate)
	}
	_, err = fmt.Fprintf(file, "run %d %s\n", v.HeadID, v.Head)
	return errors.Join(err, file.Close())
}

// mostDifferences bounds the rows that are printed one by one.
const mostDifferences = 100

// verifyRerun makes a recorded run again over everything it saw, and compares row by row.
func verifyRerun(c *cli.Context, p *program, db *sql.DB) error {
	run, err := chosenRun(c, db)
	if err != nil {
		return err
	}
	view, err := db.ViewAsOf(c.Context, run.ID)
	if err != nil {
		return err
	}
	defer view.Close(context.WithoutCancel(c.Context))
	maxMemory, err := maxMemoryOf(c)
	if err != nil {
		return err
	}
	result, err := recon.Run(c.Context, view, recon.Request{AsOf: run.AsOf, Policy: run.Policy, MaxMemory: maxMemory})
	if err != nil {
		return err
	}
	differences, err := view.Compare(c.Context, run.ID, result)
	if err != nil {
		return err
	}
	for _, d := range differences[:min(mostDifferences, len(differences))] {
		fmt.Fprintf(p.stdout, "run %d: %s %s:\n  recorded %s\n  again    %s\n", run.ID, d.Population, oneLine(d.Item), d.Recorded, d.Again)
	}
	if len(differences) > 0 {
		fmt.Fprintf(p.stdout, "run %d (%s): made again over everything it says something else of %s items than is recorded\n", run.ID, run.Kind, grouped(int64(len(differences))))
		return errFindings
	}
	if err := sameEvidence(run, result); err != nil {
		return err
	}
	fmt.Fprintf(p.stdout, "run %d (%s) concludes the same when it is made again over everything: evidence %s\n", run.ID, run.Kind, run.EvidenceDigest)
	return nil
}
