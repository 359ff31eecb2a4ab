package sql

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"agentrecon/ledger"
	"agentrecon/ledger/tabular"
)

// knownFile looks a file that was just read up by its bytes. A file that was imported before stays as it was recorded, but
// for days that it is now said to cover: those are added to its coverage. It is refused with a [*tabular.FileError] where it
// is now said to be of another account, for then nothing of what is meant would be imported.
func (im importer) knownFile(ctx context.Context, tx *pgx.Conn, result *ImportResult) (bool, error) {
	if result.File.SHA256 == "" {
		return false, fmt.Errorf("%s: no SHA-256 of the file was given", result.File.Name)
	}
	result.File.Population = im.population
	files, err := collectFiles(ctx, &Books{conn: tx}, "file_by_sha256", im.population, result.File.SHA256)
	if err != nil || len(files) == 0 {
		return false, err
	}
	now, recorded := result.File, files[0]
	if !slices.Equal(now.Accounts, recorded.Accounts) {
		return false, otherAccount(&now, &recorded)
	}
	if !slices.Equal(now.Totals, recorded.Totals) {
		recorded.Warnings = append(recorded.Warnings, "it would be read otherwise now (its sums are others); what was imported stays as it is")
	}
	for _, c := range now.Coverage {
		c.File = recorded.Name
		if c.Inferred || slices.Contains(recorded.Coverage, c) {
			continue
		}
		if _, err := tx.Exec(ctx, query("coverage_declare"), null(c.AccountID), c.From.Time(), c.To.Time(), im.population, now.SHA256, c.Report); err != nil {
			return false, err
		}
		recorded.Coverage = append(recorded.Coverage, c)
		recorded.Warnings = append(recorded.Warnings, fmt.Sprintf("it is said to cover %s up to, excluding, %s from now on", c.From, c.To))
	}
	result.File, result.Known = recorded, true
	result.File.New = 0
	return true, nil
}

func otherAccount(now, recorded *ledger.SourceFile) error {
	return &tabular.FileError{File: now.Name, Reason: fmt.Sprintf(
		"the very same bytes were imported before, as %s by %s at %s, of %s; now they are said to be of %s; nothing imported: get the file of that account",
		recorded.Name, recorded.ImportedBy, recorded.ImportedAt.UTC().Format(time.RFC3339), accountWords(recorded.Accounts), accountWords(now.Accounts))}
}

func accountWords(accounts []string) string {
	switch len(accounts) {
	case 0:
		return "no account"
	case 1:
		return "account " + accounts[0]
	default:
		return "accounts " + strings.Join(accounts, ", ")
	}
}
