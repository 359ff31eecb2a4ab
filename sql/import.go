package sql

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"agentrecon/ledger"
)

// ImportOptions say how a file is imported beside what is in it.
type ImportOptions struct {
	// DryRun does everything and takes it back, so that a person sees what would happen.
	DryRun bool
	// AcceptFailedProof is why a ledger file that disagrees with its own balances is taken all the same. It is
	// recorded in overrides, by SourceFile.ImportedBy.
	AcceptFailedProof string
	// Bytes is the size of the file, 0 where it is not known. A large one may go straight into an empty table.
	Bytes int64
	// Progress is told where the import stands, often and by the goroutine that imports; nil: nobody is.
	Progress func(ImportProgress)
}

// ImportProgress is where the import of a file stands.
type ImportProgress struct {
	Step ImportStep
	Rows int64 // read so far
}

// ImportStep is what an import is at, in words for people.
type ImportStep string

// The steps of an import, in order. The zero value is the first.
const (
	StepRead   ImportStep = ""
	StepStore  ImportStep = "comparing with what is recorded and storing"
	StepCommit ImportStep = "committing"
)

func (o ImportOptions) tell(step ImportStep, rows int64) {
	if o.Progress != nil {
		o.Progress(ImportProgress{step, rows})
	}
}

// ImportResult says what an import changed.
type ImportResult struct {
	File       ledger.SourceFile // as recorded; New counts the rows that were not there before
	Known      bool              // the very same file was imported before: File is as it was then, and at most its coverage has grown
	Deliveries int64             // delivery rows added: firings beyond the first, and that first
	Attached   int64             // audit calls that are firings of an attempt recorded otherwise
}

// errDryRun rolls a dry run back.
var errDryRun = errors.New("dry run")

// importSettings give memory to the sorts and hash joins of an import, which comes alone, and spare it what only hooks
// need (migrations/0001, a_proposed). Of indexes most is in memory, whatever the disk is: at the price of a random page
// that PostgreSQL assumes, 20,000 new rows would be compared with a million recorded ones by reading all of these.
const importSettings = "SET LOCAL recon.importing = 'on'; SET LOCAL random_page_cost = 1.1; SET LOCAL work_mem = '256MB'; SET LOCAL temp_buffers = '256MB'; SET LOCAL maintenance_work_mem = '256MB'"

// analyseRows is from how many new rows on the planner is told what tables hold that have grown by a tenth.
const analyseRows = 10_000

// An importer imports the files of one population. Its steps run in one transaction.
type importer struct {
	population string
	stage      string   // query that makes the staging table
	table      string   // the staging table
	columns    []string // of the staging table, as written by read
	keys       string   // columns by which the staged rows are joined: all that the planner must know of
	into       []string // tables that grow
	read       func(*rowWriter) (ledger.SourceFile, error)
	// straight is how a large file goes into an empty table without being staged; nil: never.
	straight *straight
	// merge moves the staged rows, which are as many as said, to where they belong and counts what is new. fileNo is the
	// file's number.
	merge     func(ctx context.Context, tx *pgx.Conn, fileNo, staged int64, result *ImportResult) error
	throwaway bool // the database ends with the program
}

// run imports one file: everything of it or nothing.
func (db *DB) run(ctx context.Context, options ImportOptions, im importer) (ImportResult, error) {
	var result ImportResult
	im.throwaway = db.config.Throwaway
	err := db.inTx(ctx, readWrite, func(tx *pgx.Conn) error {
		err := im.inTx(ctx, tx, options, &result)
		if err == nil && options.DryRun {
			return errDryRun
		}
		options.tell(StepCommit, result.File.Rows)
		return err
	})
	if errors.Is(err, errDryRun) {
		return result, nil
	}
	if err != nil {
		return ImportResult{}, err
	}
	return result, nil
}

func (im importer) inTx(ctx context.Context, tx *pgx.Conn, options ImportOptions, result *ImportResult) error {
	if err := simple(ctx, tx, importSettings); err != nil {
		return err
	}
	if im.straight != nil && options.Bytes >= straightBytes {
		if done, err := im.straight.inTx(ctx, tx, im, options, result); done || err != nil {
			return err
		}
	}
	if err := simple(ctx, tx, query(im.stage)); err != nil {
		return err
	}
	var staged int64
	err := copyIn(ctx, tx, im.table, im.columns, func(w *rowWriter) (err error) {
		w.flushed = func(rows int64) { options.tell(StepRead, rows) }
		result.File, err = im.read(w)
		staged = w.rows
		return err
	})
	if err != nil {
		return err
	}
	known, err := im.knownFile(ctx, tx, result)
	if err != nil || known {
		return err
	}
	options.tell(StepStore, result.File.Rows)
	// The planner knows nothing of a table made a moment ago.
	if err := simple(ctx, tx, "ANALYZE "+im.table+" ("+im.keys+")"); err != nil {
		return err
	}
	var fileNo int64
	if err := tx.QueryRow(ctx, query("file_number")).Scan(&fileNo); err != nil {
		return err
	}
	if err := im.merge(ctx, tx, fileNo, staged, result); err != nil {
		return err
	}
	return im.conclude(ctx, tx, fileNo, options, result)
}

// conclude tells the planner what the tables hold now, and writes the file down.
func (im importer) conclude(ctx context.Context, tx *pgx.Conn, fileNo int64, options ImportOptions, result *ImportResult) error {
	if result.File.New >= analyseRows {
		if err := analyseGrown(ctx, tx, im.into, result.File.New); err != nil {
			return err
		}
	}
	return recordFile(ctx, tx, fileNo, options, &result.File)
}

// analyseGrown tells the planner what tables hold now, for a run may come before autovacuum does. Who does not own the
// tables gets a warning, which nobody sees.
func analyseGrown(ctx context.Context, tx *pgx.Conn, tables []string, added int64) error {
	rows, err := tx.Query(ctx, query("bulk_grown"), tables, added)
	if err != nil {
		return err
	}
	grown, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil || len(grown) == 0 {
		return err
	}
	return simple(ctx, tx, "ANALYZE "+strings.Join(grown, ", "))
}

// recordFile writes the file down, with its coverage and what was accepted of it.
func recordFile(ctx context.Context, tx *pgx.Conn, fileNo int64, options ImportOptions, file *ledger.SourceFile) error {
	totals, err1 := json.Marshal(totalsJSON(file.Totals))
	expected, err2 := json.Marshal(totalsJSON(file.Expected))
	statements, err3 := json.Marshal(append([]ledger.Statement{}, file.Statements...))
	if err := errors.Join(err1, err2, err3); err != nil {
		return err
	}
	proof := file.Proof.State
	if proof == "" {
		proof = ledger.ProofNone
	}
	_, err := tx.Exec(ctx, query("file_insert"), fileNo, file.SHA256, file.Population, file.Name, file.Format, null(file.Profile),
		append([]string{}, file.Accounts...), statements, file.Rows, file.New, totals, expected, string(proof), null(file.Proof.Detail),
		file.ImportedAt, file.ImportedBy)
	if err != nil {
		return err
	}
	for _, c := range file.Coverage {
		if _, err := tx.Exec(ctx, query("coverage_insert"), null(c.AccountID), c.From.Time(), c.To.Time(), c.Inferred, fileNo, c.Report); err != nil {
			return err
		}
	}
	if options.AcceptFailedProof == "" || proof != ledger.ProofFailed {
		return nil
	}
	_, err = tx.Exec(ctx, query("override_insert"), "failed_proof", file.Name, options.AcceptFailedProof, file.ImportedBy, file.ImportedAt, fileNo)
	return err
}

// null is nothing for an empty text.
func null(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// totalJSON is a control total as it is stored.
type totalJSON struct {
	Currency ledger.Currency `json:"currency"`
	Count    int64           `json:"count"`
	Minor    int64           `json:"minor"`
}

func totalsJSON(totals []ledger.ControlTotal) []totalJSON {
	list := make([]totalJSON, len(totals))
	for n, t := range totals {
		list[n] = totalJSON(t)
	}
	return list
}

// badText refuses a row with a text that PostgreSQL cannot hold.
func (r *rowWriter) badText(line int) error {
	if r.bad == "" {
		return nil
	}
	return &ledger.RowError{Line: line, Value: r.bad, Want: "text with a NUL or with bytes that are no UTF-8 cannot be recorded"}
}

// contradictions turns the rows of a query that compares staged rows with recorded ones into a refusal. Each row is
// line, field, value in the file, value recorded, id, currency, line of the same file that says otherwise (NULL: it
// was recorded before), number of such rows in all.
func contradictions(ctx context.Context, tx *pgx.Conn, file, what, statement string) error {
	rows, err := tx.Query(ctx, statement, ledger.MaxBadRows)
	if err != nil {
		return err
	}
	bad := &ledger.BadRows{File: file}
	var line int
	var field, said, recorded, id string
	var currency *string
	var other *int
	_, err = pgx.ForEachRow(rows, []any{&line, &field, &said, &recorded, &id, &currency, &other, &bad.Total}, func() error {
		said, recorded = shown(field, said, currency), shown(field, recorded, currency)
		where := "recorded before"
		if other != nil {
			where = fmt.Sprintf("in line %d", *other)
		}
		bad.Rows = append(bad.Rows, &ledger.RowError{
			File: file, Line: line, Field: field, Value: said, Want: fmt.Sprintf("%s %s has %q %s; nothing that was recorded is changed", what, id, recorded, where),
		})
		return nil
	})
	if err != nil || len(bad.Rows) == 0 {
		return err
	}
	return bad
}

// shown prints a value as its file does: amounts of entries in major units.
func shown(field, value string, currency *string) string {
	switch field {
	case "amount", "gross", "fee", "net":
		minor, err := ledger.ParseMinor(value)
		if err == nil && currency != nil {
			return ledger.FormatDecimal(minor, ledger.Currency(*currency).Exponent())
		}
	}
	return value
}
