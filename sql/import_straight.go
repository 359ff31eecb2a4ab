package sql

import (
	"bufio"
	"context"
	"errors"
	"hash/maphash"
	"io"
	"os"

	"github.com/jackc/pgx/v5"

	"agentrecon/ledger"
)

// straightBytes is from which size on a file goes straight into an empty table: below it, making the indexes anew costs
// more than it saves.
const straightBytes = 8 << 20

// straightEntries imports a file into an empty ledger without staging it first: entries are written once instead of
// twice, and the indexes are made when all are there. It reports false, having changed nothing, where the ledger holds
// entries, somebody uses it, or its indexes may not be made.
//
// An id that comes again is told by its hash, 8 bytes an entry. Its row is held in a file until the others are there, and
// then goes the usual way: it is compared with the first of its id, and refuses the file if it says something else.
func straightEntries(ctx context.Context, tx *pgx.Conn, im importer, source EntrySource, options ImportOptions, result *ImportResult) (bool, error) {
	if alone, err := emptyAlone(ctx, tx, "ledger_entries"); err != nil || !alone {
		return false, err
	}
	var fileNo int64
	if err := tx.QueryRow(ctx, query("file_number")).Scan(&fileNo); err != nil {
		return false, err
	}
	indexes, err := dropIndexes(ctx, tx, "ledger_entries")
	if err != nil {
		return false, err
	}
	again := &heldRows{}
	defer again.remove()
	columns := append([]string{"file_no"}, entryColumns[1:]...)
	var rows int64
	err = copyIn(ctx, tx, "ledger_entries", columns, func(w *rowWriter) (err error) {
		w.flushed = func(sent int64) { options.tell(StepRead, sent+again.rows) }
		seen, seed := map[uint64]struct{}{}, maphash.MakeSeed()
		result.File, err = source(func(e *ledger.Entry) error {
			rows++
			id := maphash.String(seed, e.ID)
			if _, twice := seen[id]; twice {
				return again.add(rows, e)
			}
			seen[id] = struct{}{}
			return writeEntry(w, fileNo, e)
		})
		return err
	})
	if err != nil {
		return true, err
	}
	if known, err := im.knownFile(ctx, tx, result); err != nil || known {
		return true, errors.Join(err, makeIndexes(ctx, tx, indexes))
	}
	options.tell(StepStore, rows)
	if err := makeIndexes(ctx, tx, indexes); err != nil {
		return true, err
	}
	result.File.New = rows - again.rows
	if again.rows > 0 {
		added, err := mergeHeld(ctx, tx, fileNo, again, result.File.Name)
		if err != nil {
			return true, err
		}
		result.File.New += added
	}
	return true, im.conclude(ctx, tx, fileNo, options, result)
}

// mergeHeld stages the rows that were held, and stores those whose id was not there after all.
func mergeHeld(ctx context.Context, tx *pgx.Conn, fileNo int64, again *heldRows, file string) (added int64, err error) {
	if err := simple(ctx, tx, query("entries_stage")); err != nil {
		return 0, err
	}
	if err := again.copyTo(ctx, tx); err != nil {
		return 0, err
	}
	if err := simple(ctx, tx, "ANALYZE stage_entries (entry_id)"); err != nil {
		return 0, err
	}
	tag, err := tx.Exec(ctx, query("entries_insert"), fileNo)
	if err != nil {
		return 0, err
	}
	return tag.RowsAffected(), contradictions(ctx, tx, file, "entry", query("entries_contradictions"))
}

// heldRows are rows for the staging table of entries, in a file.
type heldRows struct {
	rows int64
	file *os.File
	to   *bufio.Writer
	w    *rowWriter
}

func (h *heldRows) add(position int64, e *ledger.Entry) (err error) {
	if h.file == nil {
		if h.file, err = os.CreateTemp("", "recon-held-*"); err != nil {
			return err
		}
		h.to = bufio.NewWriter(h.file)
		h.w = newRowWriter(h.to, len(entryColumns))
	}
	h.rows++
	return writeEntry(h.w, position, e)
}

func (h *heldRows) copyTo(ctx context.Context, tx *pgx.Conn) error {
	if err := errors.Join(h.w.finish(), h.to.Flush()); err != nil {
		return err
	}
	if _, err := h.file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	_, err := tx.PgConn().CopyFrom(ctx, h.file, copyStatement("stage_entries", entryColumns))
	return err
}

func (h *heldRows) remove() {
	if h.file != nil {
		_ = h.file.Close()
		_ = os.Remove(h.file.Name())
	}
}
