package sql

import (
	"context"

	"github.com/jackc/pgx/v5"

	"agentrecon/ledger"
)

// EntrySource reads a ledger file; see [AttemptSource]. Entries come with their Line and with an ID.
type EntrySource func(each func(e *ledger.Entry) error) (ledger.SourceFile, error)

// entryColumns are the columns of an entry that a file fills, in the order of [writeEntry].
var entryColumns = []string{
	"position", "line", "entry_id", "provider_id", "account_id", "booked_on", "value_on", "occurred_at", "amount", "currency", "gross", "fee", "net",
	"kind", "status", "counterparty_name", "counterparty_account", "end_to_end_id", "idempotency_key", "merchant_reference",
	"remittance_text", "original_provider_id", "group_id", "details", "report", "children",
}

// ImportEntries imports a ledger file with its control totals and coverage, all of it or nothing.
//
// Entries are told apart by id. A row that says something else of an entry that is there (both give a field, and
// differ) refuses the file with a [*ledger.BadRows]; what is there is never replaced.
func (db *DB) ImportEntries(ctx context.Context, source EntrySource, options ImportOptions) (ImportResult, error) {
	return db.run(ctx, options, importer{
		population: "ledger", stage: "entries_stage", table: "stage_entries", columns: entryColumns, keys: "entry_id",
		into: []string{"ledger_entries"},
		read: func(w *rowWriter) (ledger.SourceFile, error) {
			return source(func(e *ledger.Entry) error { return writeEntry(w, w.rows+1, e) })
		},
		merge: mergeEntries,
		straight: &straight{
			table: "ledger_entries", columns: append([]string{"file_no"}, entryColumns[1:]...),
			read: func(w *rowWriter, held *heldRows, fileNo int64) (ledger.SourceFile, error) {
				return source(func(e *ledger.Entry) error {
					again, err := held.again(e.ID)
					switch {
					case err != nil:
						return err
					case again != nil:
						return writeEntry(again, held.met, e)
					default:
						return writeEntry(w, fileNo, e)
					}
				})
			},
		},
	})
}

// writeEntry writes an entry behind a first column: its position in the staging table, else the number of its file.
func writeEntry(w *rowWriter, first int64, e *ledger.Entry) error {
	if err := w.row(); err != nil {
		return err
	}
	w.int8(first)
	w.int4(e.Line)
	w.text(e.ID)
	w.text(e.ProviderID)
	w.text(e.AccountID)
	w.date(e.BookedOn)
	w.date(e.ValueOn)
	w.time(e.OccurredAt)
	w.int8(e.Amount)
	w.text(string(e.Currency))
	w.optional(e.Gross)
	w.optional(e.Fee)
	w.optional(e.Net)
	w.text(string(e.Kind))
	w.text(string(e.Status))
	w.text(e.CounterpartyName)
	w.text(e.CounterpartyAccount)
	w.text(e.EndToEndID)
	w.text(e.IdempotencyKey)
	w.text(e.MerchantReference)
	w.text(e.RemittanceText)
	w.text(e.OriginalProviderID)
	w.text(e.GroupID)
	if hasDetails(e) {
		details, err := encodeDetails(e)
		if err != nil {
			return err
		}
		w.given(string(details))
	} else {
		w.null()
	}
	w.text(string(e.Report))
	if len(e.Children) > 0 {
		w.int4(len(e.Children))
	} else {
		w.null()
	}
	return w.badText(e.Line)
}

func mergeEntries(ctx context.Context, tx *pgx.Conn, fileNo, staged int64, result *ImportResult) error {
	err := withoutIndexes(ctx, tx, "ledger_entries", staged, false, func() error {
		tag, err := tx.Exec(ctx, query("entries_insert"), fileNo)
		result.File.New = tag.RowsAffected()
		return err
	})
	if err != nil {
		return err
	}
	if result.File.New == staged {
		return nil
	}
	return contradictions(ctx, tx, result.File.Name, "entry", query("entries_contradictions"))
}
