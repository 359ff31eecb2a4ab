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
	if c.NArg() == 1 && (c.Bool(flagRerun) || c.IsSet(flagRun) || c.IsSet(flagCheckpoint)) {
		return usagef("--rerun, --run and --checkpoint are of the runs in the database; a workbook names its own run")
	}
	if c.IsSet(flagRun) && !c.Bool(flagRerun) {
		return usagef("--run says which run --rerun makes again; expected both")
	}
	db, closeDB, err := openDatabase(c, p)
	if err != nil {
		return err
	}
	defer closeDB()
	if path := c.Args().First(); path != "" {
		return verifyWorkbook(c, p, db, path)
	}
	v, err := verifyRuns(c, db)
	if err != nil {
		return err
	}
	asJSON := c.Bool(flagJSON)
	if !asJSON {
		sayRuns(p, v)
	}
	object := runsJSON(v)
	if len(v.Problems) > 0 {
		err = errFindings
	}
	if c.Bool(flagRerun) {
		again, rerunErr := verifyRerun(c, db)
		if rerunErr != nil {
			return rerunErr
		}
		if !asJSON {
			again.say(p)
		}
		object = append(object, member{"rerun", again.json()})
		if rerunErr := again.err(); rerunErr != nil {
			err = rerunErr
		}
	}
	if asJSON {
		return errors.Join(printJSON(p.stdout, object), err)
	}
	return err
}

// verifyWorkbook compares the evidence of a workbook with the run that it names.
func verifyWorkbook(c *cli.Context, p *program, db *sql.DB, path string) error {
	again, err := remake(c, p, db, path)
	if err != nil {
		return err
	}
	defer again.discard()
	altered, err := again.altered(c.Context, path)
	if err != nil {
		return err
	}
	exports, err := exportsOf(c, db, path)
	if err != nil {
		return err
	}
	run := again.report.Run.ID
	compared := altered == nil || again.sameProgram()
	if !compared {
		// Another version may write another workbook of the same run. Its bytes tell all the same.
		if len(exports) == 0 {
			return again.otherProgram(path, altered)
		}
		altered = nil
	}
	switch {
	case c.Bool(flagJSON):
		object := append(workbookJSON(path, run, altered, exports), ordered{{"written_by", again.key.Program}, {"compared", compared}}...)
		if err := printJSON(p.stdout, object); err != nil {
			return err
		}
	case !compared:
		fmt.Fprintf(p.stdout, "%s: its cells are not compared: recon %s wrote it, this is recon %s, which writes another workbook of run %d\n",
			path, oneLine(again.key.Program), version, run)
		sayExported(p, exports)
	case altered != nil:
		fmt.Fprintf(p.stdout, "%s: altered\n%v\n", path, altered)
	default:
		fmt.Fprintf(p.stdout, "%s: every evidence cell is as run %d says; reviewers' cells were not looked at\n", path, run)
		sayExported(p, exports)
	}
	if altered != nil {
		return errFindings
	}
	return nil
}

// workbookJSON is what verify says of a workbook: differs is null where it is not altered.
func workbookJSON(path string, run int64, altered *report.Altered, exports []sql.Export) ordered {
	object := ordered{{"file", path}, {"run_id", run}, {"altered", altered != nil}, {"differs", nil}, {"file_known", len(exports) > 0}}
	if altered != nil {
		object[3].value = ordered{
			{"sheet", altered.Sheet},
			{"cell", altered.Cell},
			{"item", altered.Item},
			{"column", altered.Column},
			{"says", altered.Got},
			{"run_says", altered.Want},
		}
	}
	if len(exports) > 0 {
		first := exports[len(exports)-1]
		object = append(object, ordered{
			{"issued", issued(exports)},
			{"first_exported_at", first.IssuedAt.UTC().Format(time.RFC3339)},
			{"first_exported_by", first.IssuedBy},
		}...)
	}
	return object
}

// exportsOf are the recorded exports that a workbook is byte for byte, newest first. One that somebody saved since is none.
func exportsOf(c *cli.Context, db *sql.DB, path string) ([]sql.Export, error) {
	data, err := os.Open(path)
	if err != nil {
		return nil, inputError{err}
	}
	defer func() { _ = data.Close() }()
	hash := sha256.New()
	if _, err := io.Copy(hash, data); err != nil {
		return nil, inputError{fmt.Errorf("%s: %w", path, err)}
	}
	return db.Exports(c.Context, hex.EncodeToString(hash.Sum(nil)))
}

func issued(exports []sql.Export) bool {
	return slices.ContainsFunc(exports, func(e sql.Export) bool { return e.Issued })
}

// sayExported says whether a workbook is one that was exported.
func sayExported(p *program, exports []sql.Export) {
	if len(exports) == 0 {
		fmt.Fprintln(p.stdout, "its bytes are of no recorded export: somebody saved it since, or its export was not recorded")
		return
	}
	first := exports[len(exports)-1]
	marked := ""
	if issued(exports) {
		marked = " and issued"
	}
	fmt.Fprintf(p.stdout, "it is the file that was exported%s, first on %s by %s\n", marked, first.IssuedAt.Format(time.RFC3339), oneLine(first.IssuedBy))
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
	key    report.Key // of the file that it is to be compared with
	path   string
	temp   string // folder of its own

	discard func() // removes it
}

// altered compares a file with the workbook made again; nil where they agree.
func (r remade) altered(ctx context.Context, path string) (*report.Altered, error) {
	err := report.Compare(ctx, path, r.path, r.temp)
	var altered *report.Altered
	if err != nil && !errors.As(err, &altered) {
		return nil, readError(err)
	}
	return altered, nil
}

// sameProgram reports whether the version that wrote the file is this one, or is not told.
func (r remade) sameProgram() bool { return r.key.Program == "" || r.key.Program == version }

// otherProgram refuses to call a file altered that another version wrote, for that may be the whole difference.
func (r remade) otherProgram(path string, differs *report.Altered) error {
	return inputError{fmt.Errorf("%s: recon %s wrote it, this is recon %s, which writes another workbook of run %d (the first difference: %s); use recon %s, or export the run again",
		path, oneLine(r.key.Program), version, r.report.Run.ID, differs.Place(), oneLine(r.key.Program))}
}

// unaltered refuses a file whose evidence is not the run's. Sheets that somebody added hold none: they are named.
func (r remade) unaltered(ctx context.Context, path string) (added string, err error) {
	altered, err := r.altered(ctx, path)
	switch {
	case err != nil || altered == nil:
		return "", err
	case altered.Extra:
		return altered.Sheet, nil
	case !r.sameProgram():
		return "", r.otherProgram(path, altered)
	default:
		return "", readError(altered)
	}
}

// remake makes the workbook again that a file claims to be.
func remake(c *cli.Context, p *program, db *sql.DB, path string) (again remade, err error) {
	if again.temp, again.discard, err = temporaryFolder(verifyPrefix); err != nil {
		return again, err
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
	if key.RunID == 0 {
		return again, inputError{fmt.Errorf("%s: its run was shown and not recorded, so there is nothing to hold it against", path)}
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
	again.key = key
	options := report.Options{TempDir: again.temp, Baseline: key.Baseline, Program: key.Program}
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

// verifyRuns verifies the chain, and against heads kept elsewhere if there are any.
func verifyRuns(c *cli.Context, db *sql.DB) (sql.Verification, error) {
	v, err := db.Verify(c.Context)
	if err != nil {
		return v, err
	}
	if path := c.String(flagCheckpoint); path != "" {
		err = checkpoint(c.Context, db, path, &v)
	}
	return v, err
}

// sayRuns prints what is wrong with the chain, or that it is sound.
func sayRuns(p *program, v sql.Verification) {
	for _, problem := range v.Problems {
		where := "records"
		if problem.RunID > 0 {
			where = fmt.Sprintf("run %d", problem.RunID)
		}
		fmt.Fprintf(p.stdout, "%s: %s\n", where, problem.What)
	}
	if len(v.Problems) == 0 {
		fmt.Fprintf(p.stdout, "%s runs verified; the head is run %d, digest %s\n", grouped(v.Runs), v.HeadID, orNoDigest(v.Head))
	}
}

func runsJSON(v sql.Verification) ordered {
	problems := make([]ordered, 0, len(v.Problems))
	for _, problem := range v.Problems {
		problems = append(problems, ordered{{"run_id", orNull(problem.RunID)}, {"what", problem.What}})
	}
	return ordered{
		{"runs", v.Runs},
		{"head", ordered{{"run_id", orNull(v.HeadID)}, {"digest", v.Head}}},
		{"problems", problems},
	}
}

// orNull is a run's number, or null where it is of no run in particular.
func orNull(run int64) any {
	if run == 0 {
		return nil
	}
	return run
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

// rerun is a recorded run beside itself, made again.
type rerun struct {
	run         sql.Run
	differences []sql.RowDifference
	drift       error // the rows are the same and the evidence is not
}

// verifyRerun makes a recorded run again over everything it saw, and compares row by row.
func verifyRerun(c *cli.Context, db *sql.DB) (again rerun, err error) {
	if again.run, err = chosenRun(c, db); err != nil {
		return again, err
	}
	view, err := db.ViewAsOf(c.Context, again.run.ID)
	if err != nil {
		return again, err
	}
	defer view.Close(context.WithoutCancel(c.Context))
	maxMemory, err := maxMemoryOf(c)
	if err != nil {
		return again, err
	}
	result, err := view.Run(c.Context, recon.Request{AsOf: again.run.AsOf, Policy: again.run.Policy, MaxMemory: maxMemory})
	if err != nil {
		return again, err
	}
	if again.differences, err = view.Compare(c.Context, again.run.ID, result); err != nil || len(again.differences) > 0 {
		return again, err
	}
	if err := sameEvidence(again.run, result); errors.Is(err, errDrift) {
		again.drift = err
	} else if err != nil {
		return again, err
	}
	return again, nil
}

// err is what the run's second making comes to; nil if it concludes the same.
func (r rerun) err() error {
	if len(r.differences) > 0 {
		return errFindings
	}
	return r.drift
}

func (r rerun) say(p *program) {
	for _, d := range r.differences[:min(mostDifferences, len(r.differences))] {
		fmt.Fprintf(p.stdout, "run %d: %s %s:\n  recorded %s\n  again    %s\n", r.run.ID, d.Population, oneLine(d.Item), d.Recorded, d.Again)
	}
	if len(r.differences) > 0 {
		fmt.Fprintf(p.stdout, "run %d (%s): made again over everything it says something else of %s items than is recorded\n", r.run.ID, r.run.Kind, grouped(int64(len(r.differences))))
	}
	if r.err() == nil {
		fmt.Fprintf(p.stdout, "run %d (%s) concludes the same when it is made again over everything: evidence %s\n", r.run.ID, r.run.Kind, r.run.EvidenceDigest)
	}
}

func (r rerun) json() ordered {
	differences := make([]ordered, 0, len(r.differences))
	for _, d := range r.differences {
		differences = append(differences, ordered{{"population", d.Population}, {"item", d.Item}, {"recorded", d.Recorded}, {"again", d.Again}})
	}
	return ordered{
		{"run_id", r.run.ID},
		{"kind", r.run.Kind},
		{"same", r.err() == nil},
		{"evidence_digest", r.run.EvidenceDigest},
		{"differences", differences},
	}
}
