package main

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/urfave/cli/v2"

	"agentrecon/fixtures/quarter"
	"agentrecon/ledger"
)

const (
	flagSeed   = "seed"
	flagInputs = "inputs"

	// demoFileName is the workbook that the demo writes.
	demoFileName = "quarter-2025Q1.xlsx"
)

func demoCommand(p *program) *cli.Command {
	return &cli.Command{
		Name:  "demo",
		Usage: "reconcile the quarter that started it, on a throw-away PostgreSQL",
		Flags: concat(
			[]cli.Flag{
				&cli.StringFlag{Name: flagOut, Value: "out", Usage: "folder for the workbook"},
				&cli.Uint64Flag{Name: flagSeed, Value: quarter.StorySeed, Usage: "another quarter with the same counts and other sums"},
				&cli.StringFlag{Name: flagInputs, DefaultText: "none", Usage: "folder to write the loaded files to, so that anyone can join them another way"},
				collapseWindowFlag(), coversFlag(),
			},
			runFlags(atEndOfCoverage, "judge as of this instant"), policyFlags(), []cli.Flag{paperFlag(), matchedFlag(), exitCodeFlag()},
		),
		Action: func(c *cli.Context) error { return demo(c, p) },
	}
}

func demo(c *cli.Context, p *program) error {
	if err := noArguments(c); err != nil {
		return err
	}
	job, err := jobOf(c, p, filepath.Join(c.String(flagOut), demoFileName))
	if err != nil {
		return err
	}
	job.period = ledger.Quarter(2025, 1, job.policy.Zone)
	if job.entity == "" {
		job.entity = "Example Payments Ltd"
	}
	for _, folder := range []string{c.String(flagOut), c.String(flagInputs)} {
		if folder == "" {
			continue
		}
		if err := makeFolder(folder, 0o755); err != nil {
			return err
		}
	}
	if err := job.outputs(); err != nil {
		return err
	}
	in, cleanup, err := demoInputs(c, p)
	if err != nil {
		return err
	}
	defer cleanup()
	done, err := reconcileFiles(c, p, in, job)
	if err != nil {
		return err
	}
	return finish(c, p, done)
}

// demoInputs writes the generated files and says where they are; what is loaded is what was written.
func demoInputs(c *cli.Context, p *program) (in inputs, cleanup func(), err error) {
	cleanup = func() {}
	folder := c.String(flagInputs)
	if folder == "" {
		if folder, err = temporaryInputs(p.now()); err != nil {
			return in, cleanup, fmt.Errorf("temporary folder: %w", err)
		}
		temp := folder
		cleanup = func() { _ = os.RemoveAll(temp) }
	}
	for _, file := range quarter.Generate(c.Uint64(flagSeed)) {
		path := filepath.Join(folder, file.Name)
		if err := os.WriteFile(path, file.Data, 0o644); err != nil {
			_ = os.Remove(path) // no half file
			return in, cleanup, fmt.Errorf("%w: the demo's input: %w", errOutput, err)
		}
	}
	at := func(name string) string { return filepath.Join(folder, name) }
	in = inputs{
		attempts: at("attempts.csv"), outcomes: at("outcomes.csv"), sessions: at("sessions.csv"), audit: at("audit.csv"),
		ledger: []string{at("ledger.csv")},
	}
	in.options, err = importOptionsOf(c)
	return in, cleanup, err
}

// abandonedAfter is when a folder of inputs can be no running demo's, which takes seconds.
const abandonedAfter = time.Hour

// temporaryInputs makes a folder for the inputs, and removes those that killed demos left.
func temporaryInputs(now time.Time) (string, error) {
	left, err := filepath.Glob(filepath.Join(os.TempDir(), "recon-demo-*"))
	if err != nil {
		return "", err
	}
	for _, folder := range left {
		if info, err := os.Lstat(folder); err == nil && info.IsDir() && now.Sub(info.ModTime()) > abandonedAfter {
			_ = os.RemoveAll(folder) // another user's stays
		}
	}
	return os.MkdirTemp("", "recon-demo-")
}
