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
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"agentrecon/ledger"
	"agentrecon/sql"
)

// refusedFiles says which of several files were refused, and that the others are there.
type refusedFiles struct {
	why   []error
	files int // that were named
}

// Unwrap lets the exit code be that of the first refusal.
func (e refusedFiles) Unwrap() []error { return e.why }

func (e refusedFiles) Error() string {
	lines := make([]string, 0, len(e.why)+1)
	for _, err := range e.why {
		lines = append(lines, err.Error())
	}
	rest := "nothing is imported"
	switch taken := e.files - len(e.why); {
	case taken == 1:
		rest = "the other one is imported, whole"
	case taken > 1:
		rest = fmt.Sprintf("the other %d are imported, each whole", taken)
	}
	return strings.Join(append(lines, fmt.Sprintf("%d of %d files refused; %s", len(e.why), e.files, rest)), "\n")
}

// importEach imports files one after the other, each whole or not at all, and says of each what became of it. A file that
// is refused for what is in it keeps the others from nothing; any other error stops.
func importEach(c *cli.Context, p *program, db *sql.DB, population string, paths []string, o importOptions) error {
	results, refused := []sql.ImportResult{}, refusedFiles{files: len(paths)}
	for n, path := range paths {
		result, err := importFile(c.Context, p, db, population, path, o)
		switch {
		case err != nil && exitCode(err) == exitData && len(paths) > 1:
			refused.why = append(refused.why, err)
			continue
		case err != nil && len(paths) > 1:
			// Said here and not in the error, which a signal would take the place of.
			fmt.Fprintf(p.stderr, "recon: nothing is kept of %s\n", shown(strings.Join(paths[n:], ", ")))
		}
		if err != nil {
			return err
		}
		results = append(results, result)
		if !c.Bool(flagJSON) {
			printImport(c, p, population, result)
		}
	}
	if c.Bool(flagJSON) {
		if err := printImportsJSON(p, population, results); err != nil {
			return err
		}
	}
	if len(refused.why) > 0 {
		return refused
	}
	return nil
}

// expectSuffix names the file beside a ledger file that holds its control totals from elsewhere.
const expectSuffix = ".expect"

// ledgerPaths are the files to import, without the control totals beside them, which a pattern such as *.* names too.
func ledgerPaths(paths []string) []string {
	return slices.DeleteFunc(slices.Clone(paths), func(path string) bool {
		of, totals := strings.CutSuffix(path, expectSuffix)
		return totals && slices.Contains(paths, of)
	})
}

// expectBeside reads the control totals beside a ledger file, if there are any: lines "count N" and "sum X", where # begins
// a comment. What is said on the command line goes before it.
func expectBeside(path string, said ledger.Expect) (ledger.Expect, error) {
	if path == standardInput || said.HasCount || said.Sum != "" {
		return said, nil
	}
	name := filepath.Base(path) + expectSuffix
	text, err := os.ReadFile(path + expectSuffix)
	if errors.Is(err, fs.ErrNotExist) {
		return said, nil
	}
	if err != nil {
		return said, inputError{fmt.Errorf("%s: cannot be read: %w", name, errors.Unwrap(err))}
	}
	line := 0
	for row := range strings.Lines(string(text)) {
		line++
		row, _, _ = strings.Cut(row, "#")
		fields := strings.Fields(row)
		switch {
		case len(fields) == 0:
		case len(fields) == 2 && fields[0] == "count":
			if said.Count, err = strconv.ParseInt(fields[1], 10, 64); err != nil || said.Count < 0 {
				return said, &ledger.RowError{File: name, Line: line, Field: "count", Value: fields[1], Want: "a whole number of entries"}
			}
			said.HasCount = true
		case len(fields) == 2 && fields[0] == "sum":
			said.Sum = fields[1]
		default:
			return said, &ledger.RowError{File: name, Line: line, Field: "control total", Value: strings.TrimSpace(row), Want: `want lines such as "count 8109" and "sum -1234.50"`}
		}
	}
	if !said.HasCount && said.Sum == "" {
		return said, inputError{fmt.Errorf(`%s: no control total in it; want lines such as "count 8109" and "sum -1234.50", or no such file`, name)}
	}
	return said, nil
}

// input is a file that is being read.
type input struct {
	io.ReadCloser
	name  string
	size  int64  // bytes; 0: not known
	meter *meter // nil: nothing is shown
}

// openFile opens a file, watched by a meter if progress is to be shown.
func openFile(ctx context.Context, p *program, path string, progress bool) (input, error) {
	if path == standardInput {
		const name = "standard input"
		return input{ReadCloser: stoppable(ctx, p.stdin), name: name, meter: newMeter(p, progress, name, 0)}, nil
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return input{}, inputError{fmt.Errorf("%s: no such file", path)}
	case err == nil && info.IsDir():
		return input{}, inputError{fmt.Errorf("%s: is a folder; name the files in it", path)}
	}
	opened, err := os.Open(path)
	if err != nil {
		return input{}, inputError{fmt.Errorf("%s: cannot be read: %w", path, errors.Unwrap(err))}
	}
	in := input{ReadCloser: opened, name: filepath.Base(path)}
	if info.Mode().IsRegular() {
		in.size = info.Size()
	}
	if in.meter = newMeter(p, progress, in.name, in.size); in.meter != nil {
		in.ReadCloser = &metered{opened, in.meter}
	}
	return in, nil
}

// stoppable reads on until the context ends, even while nothing comes.
func stoppable(ctx context.Context, r io.Reader) io.ReadCloser {
	from, to := io.Pipe()
	context.AfterFunc(ctx, func() { _ = from.CloseWithError(context.Cause(ctx)) }) // never fails
	go func() {
		_, err := io.Copy(to, r)
		_ = to.CloseWithError(err) // never fails
	}()
	return from
}

// Days that no payment ledger has: a mistyped year, or a serial number that was taken for a date. One such day would
// also stretch what the file is taken to cover.
var earliestBooking = ledger.NewDate(1970, 1, 1)

const latestBooking = 366 // days after the import

// dated refuses a file with booking days that cannot be, like other bad rows, as of the day it is imported.
func dated(read ledger.ReadFunc, today ledger.Date) ledger.ReadFunc {
	return func(name string, r io.Reader, options ledger.ReadOptions, each func(*ledger.Entry) error) (ledger.SourceFile, error) {
		bad := &ledger.BadRows{File: name}
		source, err := read(name, r, options, func(e *ledger.Entry) error {
			if e.BookedOn >= earliestBooking && e.BookedOn <= today.AddDays(latestBooking) {
				return each(e)
			}
			if bad.Total++; len(bad.Rows) < ledger.MaxBadRows {
				bad.Rows = append(bad.Rows, &ledger.RowError{
					File: name, Line: e.Line, Field: "booked_on", Value: e.BookedOn.String(),
					Want: fmt.Sprintf("a day from %s to a year after the import", earliestBooking),
				})
			}
			return nil
		})
		if err == nil && bad.Total > 0 {
			return source, bad
		}
		return source, err
	}
}

// joined joins the ranges of a file that touch, for a file of daily statements covers each day by itself. It is for people:
// what is stored keeps every range.
func joined(ranges []ledger.Coverage) []ledger.Coverage {
	sorted := slices.SortedStableFunc(slices.Values(ranges), func(a, b ledger.Coverage) int {
		return cmp.Or(cmp.Compare(a.AccountID, b.AccountID), cmp.Compare(a.From, b.From))
	})
	var list []ledger.Coverage
	for _, c := range sorted {
		if n := len(list) - 1; n >= 0 && list[n].AccountID == c.AccountID && list[n].Inferred == c.Inferred && c.From <= list[n].To {
			list[n].To = max(list[n].To, c.To)
			continue
		}
		list = append(list, c)
	}
	return list
}
