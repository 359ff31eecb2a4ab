package main

import (
	"context"
	"io"
	"slices"

	"github.com/urfave/cli/v2"

	"agentrecon/recon"
	"agentrecon/report"
)

const (
	flagReportFormat = "format"
	formatWorkbook   = "xlsx"
	// standardOutput stands for the program's own output where a file is asked for.
	standardOutput = "-"
)

func reportFormatFlag() cli.Flag {
	return &cli.StringFlag{Name: flagReportFormat, Value: formatWorkbook, Usage: "xlsx: the workbook; csv, jsonl: its findings; md: the result on one page; txt: the nightly message; --out - prints all but the workbook"}
}

// reportFormatOf reads the format of an export; the workbook is the empty one.
func reportFormatOf(c *cli.Context, j job) (report.Format, error) {
	format := report.Format(c.String(flagReportFormat))
	if format == formatWorkbook {
		if j.workbook == standardOutput {
			return "", usagef("--%s -: a workbook goes into a file", flagOut)
		}
		return "", workbookName(j.workbook)
	}
	switch {
	case !slices.Contains(report.Formats, format):
		return "", usagef("--%s %q: expected xlsx, csv, jsonl, md or txt", flagReportFormat, format)
	case j.workbook == "":
		return "", usagef("--%s %s needs --%s FILE, or --%s - to print it", flagReportFormat, format, flagOut, flagOut)
	case j.workbook == standardOutput && c.Bool(flagJSON):
		return "", usagef("--%s and --%s - both print; name a file", flagJSON, flagOut)
	case j.matched != matchedNowhere || j.issue:
		return "", usagef("--%s and --%s belong to a workbook, not to --%s %s", flagMatched, flagIssue, flagReportFormat, format)
	}
	return format, nil
}

// writeFindings writes the findings of a report in a format, to a file or to standard output.
func writeFindings(ctx context.Context, p *program, rep *recon.Report, format report.Format, j job) error {
	temp, discard, err := partsFolder()
	if err != nil {
		return err
	}
	defer discard()
	// State and sentence are those of the workbook, so it is made and thrown away.
	sum, err := report.Write(ctx, io.Discard, rep, report.Options{TempDir: temp})
	if err != nil {
		return err
	}
	if j.workbook == standardOutput {
		return report.WriteFindings(p.stdout, rep, format, sum)
	}
	return report.WriteWhole(j.workbook, func(w io.Writer) error { return report.WriteFindings(w, rep, format, sum) })
}
