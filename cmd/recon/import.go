package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/urfave/cli/v2"

	"agentrecon/ledger"
	"agentrecon/ledger/detect"
	"agentrecon/ledger/lines"
	"agentrecon/ledger/profile"
	"agentrecon/ledger/tabular"
	"agentrecon/recon"
	"agentrecon/recon/intake"
	"agentrecon/sql"
)

const (
	flagCollapseWindow = "collapse-window"
	flagDryRun         = "dry-run"
	flagExpectCount    = "expect-count"
	flagExpectSum      = "expect-sum"
	flagFormat         = "format"
	flagAcceptFailed   = "accept-failed-proof"
	flagProfile        = "profile"
	flagExplain        = "explain"
	flagCharset        = "charset"
	flagCountReports   = "count-reports"
	flagInverted       = "reversals-inverted"
	flagDates          = "dates"
	flagDecimal        = "decimal"

	// standardInput stands for the program's own input where a file is asked for.
	standardInput = "-"
)

func importCommand(p *program) *cli.Command {
	sub := func(population, usage string, flags ...cli.Flag) *cli.Command {
		currency := &cli.StringFlag{Name: flagCurrency, Value: "EUR", Usage: "currency of rows that give none"}
		if population == flagLedger {
			currency.Value, currency.DefaultText = "", "none: a file that names none is refused"
		}
		return &cli.Command{
			Name: population, Usage: usage, ArgsUsage: "FILE... (- = standard input)",
			Flags: append([]cli.Flag{
				currency,
				&cli.BoolFlag{Name: flagDryRun, Usage: "read and check everything, keep nothing"},
			}, flags...),
			Action: func(c *cli.Context) error { return importFiles(c, p, population) },
		}
	}
	return &cli.Command{
		Name:  "import",
		Usage: "load attempts, outcomes, session events, an old audit table, or ledger files",
		Subcommands: []*cli.Command{
			sub(flagAttempts, "what agents proposed (CSV or JSONL)"),
			sub(flagOutcomes, "what their platform saw (CSV or JSONL)"),
			sub(flagSessions, "how their sessions went (CSV or JSONL)"),
			sub(flagAudit, "an old audit table, one row per firing (CSV or JSONL)", collapseWindowFlag()),
			sub(
				flagLedger, "what really moved", append(
					tableFlags(), coversFlag(),
					&cli.StringSliceFlag{Name: flagAccount, DefaultText: "none", Usage: "own account of rows that give none"},
					&cli.StringFlag{Name: flagFormat, DefaultText: "found by content", Usage: "format of the files"},
					&cli.BoolFlag{Name: flagExplain, Usage: "say what is recognised, column by column, and import nothing"},
					&cli.BoolFlag{Name: flagCountReports, Usage: "take intraday reports and notifications as booked, where there are no statements"},
					&cli.BoolFlag{Name: flagInverted, Usage: "this bank prints beside a reversal the direction of the entry taken back"},
					&cli.Int64Flag{Name: flagExpectCount, DefaultText: "none", Usage: "entries that the file must have, known from elsewhere"},
					&cli.StringFlag{Name: flagExpectSum, DefaultText: "none", Usage: "signed sum that the file must have, known from elsewhere"},
					&cli.StringFlag{Name: flagAcceptFailed, DefaultText: "none", Usage: "take a file that fails its own proof, and record why"},
				)...,
			),
			profilesCommand(p),
		},
	}
}

// tableFlags are what a person says of ledger files that are tables where they do not tell it themselves.
func tableFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringSliceFlag{Name: flagProfile, DefaultText: "found by header", Usage: "a shipped profile by name, or a file of your own profiles (repeatable)"},
		&cli.StringFlag{Name: flagCharset, DefaultText: "found by content", Usage: "encoding of files that do not declare one, such as cp852"},
		&cli.StringFlag{Name: flagDates, DefaultText: "found by content", Usage: "order of dates that no date of the file tells: dmy, mdy or ymd"},
		&cli.StringFlag{Name: flagDecimal, DefaultText: "found by content", Usage: "decimal mark that no amount of the file tells: . or ,"},
	}
}

// importOptions are what a person says beside the files.
type importOptions struct {
	currency ledger.Currency
	window   time.Duration // of firings of one call
	ledger   ledger.ReadOptions
	read     ledger.ReadFunc
	own      []*profile.Profile // of the files that --profile names
	at       time.Time
	by       string
	dryRun   bool
	progress bool   // is to be shown on a terminal
	accept   string // why a file that fails its own proof is taken all the same
}

func importOptionsOf(c *cli.Context) (importOptions, error) {
	o := importOptions{window: intake.DefaultCollapseWindow, read: detect.Read, progress: !c.Bool(flagNoProgress), dryRun: c.Bool(flagDryRun), accept: c.String(flagAcceptFailed)}
	var err error
	if s := c.String(flagCurrency); s != "" {
		if o.currency, err = ledger.ParseCurrency(s); err != nil {
			return o, configError{fmt.Sprintf("--%s: %v", flagCurrency, err)}
		}
	}
	if c.IsSet(flagCurrency) { // a ledger file that names none is refused unless a person says which
		o.ledger.DefaultCurrency = o.currency
	}
	if s := c.String(flagCollapseWindow); s != "" {
		if o.window, err = parseDuration(flagCollapseWindow, s); err != nil {
			return o, err
		}
	}
	if o.ledger.Zone, err = zoneOf(c); err != nil {
		return o, err
	}
	if s := c.String(flagCovers); s != "" {
		if o.ledger.Covers, err = ledger.ParseCovers(s); err != nil {
			return o, usagef("--%s: %v", flagCovers, err)
		}
	}
	if name := c.String(flagFormat); name != "" {
		format, err := detect.Named(name)
		if err != nil {
			return o, usagef("--%s: %v", flagFormat, err)
		}
		o.read = format.Read
	}
	if names := c.StringSlice(flagProfile); len(names) > 0 {
		if o.read, o.own, err = profileReader(names); err != nil {
			return o, err
		}
	}
	if err := o.marksOf(c); err != nil {
		return o, err
	}
	o.ledger.CountReports, o.ledger.ReversalsInverted = c.Bool(flagCountReports), c.Bool(flagInverted)
	o.ledger.Expect = ledger.Expect{Count: c.Int64(flagExpectCount), HasCount: c.IsSet(flagExpectCount), Sum: c.String(flagExpectSum)}
	return o, nil
}

// marksOf takes what a person says of the texts of a file: encoding, order of dates, decimal mark.
func (o *importOptions) marksOf(c *cli.Context) error {
	o.ledger.Charset, o.ledger.DateOrder = c.String(flagCharset), c.String(flagDates)
	if _, err := lines.NewDecoder(o.ledger.Charset); err != nil {
		return usagef("--%s: %v", flagCharset, err)
	}
	switch o.ledger.DateOrder {
	case "", "dmy", "mdy", "ymd":
	default:
		return usagef("--%s: want dmy, mdy or ymd, not %q", flagDates, o.ledger.DateOrder)
	}
	switch mark := c.String(flagDecimal); mark {
	case "":
	case ".", ",":
		o.ledger.DecimalMark = mark[0]
	default:
		return usagef("--%s: want . or , not %q", flagDecimal, mark)
	}
	return nil
}

func importFiles(c *cli.Context, p *program, population string) error {
	if !c.Args().Present() {
		return usagef("import %s needs at least one FILE, or - for standard input", population)
	}
	paths := c.Args().Slice()
	if err := readOnce(paths); err != nil {
		return err
	}
	options, err := importOptionsOf(c)
	if err != nil {
		return err
	}
	if population == flagLedger {
		paths = ledgerPaths(paths)
	}
	if len(paths) > 1 && options.ledger.Expect != (ledger.Expect{}) {
		return usagef("--%s and --%s are of one file, and %d are named; write them into FILE%s beside each", flagExpectCount, flagExpectSum, len(paths), expectSuffix)
	}
	if accounts := c.StringSlice(flagAccount); population == flagLedger && len(accounts) > 0 {
		if len(accounts) > 1 {
			return usagef("import ledger takes one --%s: the own account of rows that give none", flagAccount)
		}
		options.ledger.Account = accounts[0]
	}
	options.at, options.by = p.now(), userName(p)
	if c.Bool(flagExplain) {
		return explainFiles(c, p, options)
	}
	db, closeDB, err := openDatabase(c, p)
	if err != nil {
		return err
	}
	defer closeDB()
	return importEach(c, p, db, population, paths, options)
}

// importFile loads one file in one transaction.
func importFile(ctx context.Context, p *program, db *sql.DB, population, path string, o importOptions) (sql.ImportResult, error) {
	in, err := openFile(ctx, p, path, o.progress)
	if err != nil {
		return sql.ImportResult{}, err
	}
	defer in.Close()
	defer in.meter.end()
	name, file := in.name, in.ReadCloser // the reader itself, which some formats set back
	if population == flagLedger {
		if o.ledger.Expect, err = expectBeside(path, o.ledger.Expect); err != nil {
			return sql.ImportResult{}, err
		}
	}
	how := sql.ImportOptions{DryRun: o.dryRun, AcceptFailedProof: o.accept, Bytes: in.size, Progress: in.meter.report}
	reading := intake.Options{DefaultCurrency: o.currency}
	// signed notes who imported the file, and when.
	signed := func(f ledger.SourceFile, err error) (ledger.SourceFile, error) {
		f.ImportedAt, f.ImportedBy = o.at, o.by
		return f, err
	}
	of := func(s intake.Summary, err error) (ledger.SourceFile, error) { return signed(s.File, err) }
	var result sql.ImportResult
	switch population {
	case flagAttempts:
		result, err = db.ImportAttempts(ctx, func(each func(*recon.Attempt, int) error) (ledger.SourceFile, error) {
			return of(intake.Attempts(name, file, reading, func(row *intake.AttemptRow) error { return each(&row.Attempt, row.Line) }))
		}, how)
	case flagOutcomes:
		result, err = db.ImportOutcomes(ctx, func(each func(recon.Outcome, int) error) (ledger.SourceFile, error) {
			return of(intake.Outcomes(name, file, reading, each))
		}, how)
	case flagSessions:
		result, err = db.ImportSessions(ctx, func(each func(recon.SessionEvent, int) error) (ledger.SourceFile, error) {
			return of(intake.Sessions(name, file, reading, each))
		}, how)
	case flagAudit:
		result, err = db.ImportAudit(ctx, func(each func(*sql.AuditCall) error) (ledger.SourceFile, error) {
			return of(readAudit(name, file, reading, o.window, each))
		}, how)
	default:
		result, err = db.ImportEntries(ctx, func(each func(*ledger.Entry) error) (ledger.SourceFile, error) {
			return signed(proven(o.accept)(dated(o.read, ledger.DateOf(p.now(), time.UTC))(name, file, o.ledger, each)))
		}, how)
	}
	return result, asInput(err)
}

// proven refuses a ledger file that disagrees with its own balances, or with control totals from elsewhere, unless
// somebody says why it is to be taken all the same.
func proven(accept string) func(ledger.SourceFile, error) (ledger.SourceFile, error) {
	return func(f ledger.SourceFile, err error) (ledger.SourceFile, error) {
		if err == nil && f.Proof.State == ledger.ProofFailed && accept == "" {
			return f, inputError{fmt.Errorf("%s: the file fails its own proof: %s; nothing imported; get a whole file, or take it with --%s REASON, which is recorded",
				f.Name, f.Proof.Detail, flagAcceptFailed)}
		}
		return f, err
	}
}

// readAudit reads an old audit table and hands on its calls, each with its firings. The rows of a call may lie far
// apart in the file, so all of it is held.
func readAudit(name string, r io.Reader, reading intake.Options, window time.Duration, each func(*sql.AuditCall) error) (intake.Summary, error) {
	var rows []recon.AuditRow
	summary, err := intake.Audit(name, r, reading, func(row recon.AuditRow) error {
		rows = append(rows, row)
		return nil
	})
	if err != nil {
		return summary, err
	}
	for _, call := range intake.Collapse(rows, window) {
		if err := each(&sql.AuditCall{Attempt: call.Attempt, Firings: call.Firings, Line: call.Line}); err != nil {
			return summary, err
		}
	}
	return summary, nil
}

// asInput marks an error of a file's content, so that it gets the exit code of bad input.
func asInput(err error) error {
	var file *tabular.FileError
	if errors.As(err, &file) {
		return inputError{err}
	}
	return err
}

func printImport(c *cli.Context, p *program, population string, r sql.ImportResult) {
	verb := "imported"
	if c.Bool(flagDryRun) {
		verb = "would import"
	}
	fmt.Fprintf(p.stdout, "%s %s: %s of %s rows new", verb, oneLine(r.File.Name), grouped(r.File.New), grouped(r.File.Rows))
	if r.Known {
		fmt.Fprint(p.stdout, " (the very same file was imported before)")
	}
	for _, t := range r.File.Totals {
		fmt.Fprintf(p.stdout, "; sum of %s in the file %s", grouped(t.Count), ledger.FormatMoney(t.Minor, t.Currency))
	}
	if r.Attached > 0 {
		fmt.Fprintf(p.stdout, "; %s calls are recorded as attempts already, their firings are attached", grouped(r.Attached))
	}
	if population == flagLedger {
		fmt.Fprintf(p.stdout, "; proof %s", r.File.Proof.State)
		if r.File.Proof.Detail != "" {
			fmt.Fprintf(p.stdout, " (%s)", r.File.Proof.Detail)
		}
		for _, cover := range joined(r.File.Coverage) {
			fmt.Fprintf(p.stdout, "; covers %s up to, excluding, %s", cover.From, cover.To)
			if cover.Inferred {
				fmt.Fprint(p.stdout, " (inferred)")
			}
		}
	}
	fmt.Fprintln(p.stdout)
	for _, odd := range r.File.Warnings {
		fmt.Fprintf(p.stdout, "  note: %s\n", odd)
	}
}

func printImportsJSON(p *program, population string, results []sql.ImportResult) error {
	files := []ordered{}
	for _, r := range results {
		files = append(files, ordered{
			{"file", r.File.Name},
			{"sha256", r.File.SHA256},
			{"format", r.File.Format},
			{"rows", r.File.Rows},
			{"new", r.File.New},
			{"totals", controlTotals(r.File.Totals)},
			{"proof", r.File.Proof.State},
			{"proof_detail", r.File.Proof.Detail},
			{"expected", controlTotals(r.File.Expected)},
			{"known", r.Known},
			{"warnings", append([]string{}, r.File.Warnings...)},
		})
	}
	return printJSON(p.stdout, ordered{{"population", population}, {"files", files}})
}

func controlTotals(totals []ledger.ControlTotal) []ordered {
	list := []ordered{}
	for _, t := range totals {
		list = append(list, ordered{{"currency", t.Currency}, {"count", t.Count}, {"minor", t.Minor}})
	}
	return list
}
