package main

import (
	"context"
	"fmt"
	"io"
	"iter"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"agentrecon/recon"
	"agentrecon/report"
	"agentrecon/sql"
)

const (
	flagMatched  = "matched"
	flagIssue    = "issue"
	flagBaseline = "baseline"
)

// Where the full population of agreed attempts goes.
const (
	matchedNowhere = ""
	matchedSheets  = "sheets" // of the workbook
	matchedCSV     = "csv"    // a file beside it
)

// matchedValue is a flag that may stand alone (--matched) or say where to (--matched=csv).
type matchedValue struct{ where string }

// Set takes what stands behind the flag.
func (m *matchedValue) Set(s string) error {
	switch s {
	case "true", matchedSheets:
		m.where = matchedSheets
	case matchedCSV:
		m.where = matchedCSV
	case "false", "":
		m.where = matchedNowhere
	default:
		return fmt.Errorf("--%s=%s: expected --%s or --%s=csv", flagMatched, s, flagMatched, flagMatched)
	}
	return nil
}

// String is the value as it would be given.
func (m *matchedValue) String() string { return m.where }

// IsBoolFlag lets the flag stand alone.
func (m *matchedValue) IsBoolFlag() bool { return true }

func matchedFlag() cli.Flag {
	return &cli.GenericFlag{Name: flagMatched, Value: &matchedValue{}, DefaultText: "off", Usage: "list every agreed attempt, on sheets to sample from; --matched=csv: in a file beside the workbook"}
}

func baselineFlag() cli.Flag {
	return &cli.Int64Flag{Name: flagBaseline, DefaultText: "the last issued", Usage: "run to roll forward from"}
}

// matchedOf reads where the agreed attempts go.
func matchedOf(c *cli.Context) string {
	if m, ok := c.Generic(flagMatched).(*matchedValue); ok {
		return m.where
	}
	return matchedNowhere
}

// population is the full population of agreed attempts of a result that is read from a view.
type population func(context.Context) iter.Seq2[recon.AgreedPair, error]

func populationOf(result *recon.Result, books recon.Books) population {
	return func(ctx context.Context) iter.Seq2[recon.AgreedPair, error] {
		return recon.AgreedPairs(ctx, result, books)
	}
}

// agreedFileName is the name of the file beside a workbook.
func agreedFileName(workbook string) string {
	return strings.TrimSuffix(workbook, filepath.Ext(workbook)) + ".agreed.csv"
}

// addPopulation gives the workbook its population, on sheets or in a file that is written here, whole or not at all.
func addPopulation(ctx context.Context, options *report.Options, j job, pairs population) error {
	switch j.matched {
	case matchedSheets:
		options.Agreed = pairs
	case matchedCSV:
		path := agreedFileName(j.workbook)
		var file report.AgreedFile
		err := report.WriteWhole(path, func(w io.Writer) (err error) {
			file, err = report.WriteAgreedCSV(ctx, w, pairs(ctx))
			return err
		})
		if err != nil {
			return err
		}
		file.Name = filepath.Base(path)
		options.AgreedFile = &file
	}
	return nil
}

// historian is a view that knows what runs before concluded, and what people decided.
type historian interface {
	History(ctx context.Context, run recon.RunInfo, result *recon.Result, baseline int64) (sql.History, error)
}

// addHistory adds what is known beside the evidence, as of the run. A run that is not recorded has none.
func addHistory(ctx context.Context, rep *recon.Report, books recon.Books, result *recon.Result, j job) error {
	view, ok := books.(historian)
	if !ok || rep.Run.ID == 0 || j.keepsNothing {
		return nil
	}
	h, err := view.History(ctx, rep.Run, result, j.baseline)
	if err != nil {
		return err
	}
	rep.Baselines, rep.Dispositions, rep.Overrides, rep.Slots = h.Baselines, h.Dispositions, h.Overrides, h.Slots
	rep.Trend, rep.RuleChanges = h.Trend, h.RuleChanges
	return nil
}
