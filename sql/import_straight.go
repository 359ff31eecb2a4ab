package sql

import (
	"bufio"
	"context"
	"errors"
	"hash/maphash"
	"io"
	"math/bits"
	"os"

	"github.com/jackc/pgx/v5"

	"agentrecon/ledger"
)

// straightBytes is from which size on a file goes straight into an empty table: below it, making the indexes anew costs
// more than it saves.
const straightBytes = 8 << 20

// A straight import writes the rows of a file into an empty table without staging them first: once instead of twice, and
// the indexes are made when all are there.
//
// A row whose id was there before in the file is told by the hash of its id, 8 bytes a row. It is held in a file until the
// others are there, and then goes the usual way: it is compared with the first of its id, and refuses the file if it says
// something else.
type straight struct {
	table   string
	columns []string
	// before and after are statements that the rows go in between; empty: none.
	before, after string
	// rejoin fetches rows from the table that held ones change, and returns how many they are; nil: nothing does.
	rejoin func(ctx context.Context, tx *pgx.Conn) (int64, error)
	// read writes each row of the file to w, or to held if that tells it to.
	read func(w *rowWriter, held *heldRows, fileNo int64) (ledger.SourceFile, error)
}

// inTx imports a file straight. It reports false, having changed nothing, where the table holds rows, somebody uses it, or
// its indexes may not be made.
func (s *straight) inTx(ctx context.Context, tx *pgx.Conn, im importer, options ImportOptions, result *ImportResult) (bool, error) {
	if alone, err := emptyAlone(ctx, tx, s.table); err != nil || !alone {
		return false, err
	}
	var fileNo int64
	if err := tx.QueryRow(ctx, query("file_number")).Scan(&fileNo); err != nil {
		return false, err
	}
	indexes, err := dropIndexes(ctx, tx, s.table)
	if err != nil {
		return false, err
	}
	held := newHeldRows(im.table, im.columns)
	defer held.remove()
	if err := s.load(ctx, tx, im.throwaway, held, options, fileNo, result); err != nil {
		return true, err
	}
	if known, err := im.knownFile(ctx, tx, result); err != nil || known {
		return true, errors.Join(err, makeIndexes(ctx, tx, indexes))
	}
	options.tell(StepStore, held.met)
	if err := makeIndexes(ctx, tx, indexes); err != nil {
		return true, err
	}
	added := held.met - held.rows
	if held.rows > 0 {
		if err := s.mergeHeld(ctx, tx, im, fileNo, held, result); err != nil {
			return true, err
		}
		added += result.File.New
	}
	result.File.New = added
	return true, im.conclude(ctx, tx, fileNo, options, result)
}

// load writes the rows of the file into the table, but for those that are held.
func (s *straight) load(ctx context.Context, tx *pgx.Conn, freeze bool, held *heldRows, options ImportOptions, fileNo int64, result *ImportResult) error {
	copyRows := copyIn
	before := s.before
	if freeze {
		// The rows of a table that was emptied by the very transaction can be written as they would be once all has been
		// committed, which spares who reads them looking that up.
		copyRows, before = copyInFrozen, "TRUNCATE "+s.table+";"+before
	}
	if err := simple(ctx, tx, before); err != nil {
		return err
	}
	err := copyRows(ctx, tx, s.table, s.columns, func(w *rowWriter) (err error) {
		w.flushed = func(int64) { options.tell(StepRead, held.met) }
		result.File, err = s.read(w, held, fileNo)
		return err
	})
	if err != nil {
		return err
	}
	return simple(ctx, tx, s.after)
}

// mergeHeld lets the rows that were held go the usual way.
func (s *straight) mergeHeld(ctx context.Context, tx *pgx.Conn, im importer, fileNo int64, held *heldRows, result *ImportResult) error {
	if err := simple(ctx, tx, query(im.stage)); err != nil {
		return err
	}
	if err := held.copyTo(ctx, tx); err != nil {
		return err
	}
	staged, rejoined := held.rows, int64(0)
	if s.rejoin != nil {
		var err error
		if rejoined, err = s.rejoin(ctx, tx); err != nil {
			return err
		}
	}
	if err := simple(ctx, tx, "ANALYZE "+im.table+" ("+im.keys+")"); err != nil {
		return err
	}
	if err := im.merge(ctx, tx, fileNo, staged+rejoined, result); err != nil {
		return err
	}
	result.File.New -= rejoined
	return nil
}

// heldRows are rows for a staging table, in a file.
type heldRows struct {
	table   string
	columns []string
	seen    hashes // of the ids met
	met     int64  // rows of the file so far
	rows    int64  // of them held
	file    *os.File
	to      *bufio.Writer
	w       *rowWriter
}

func newHeldRows(table string, columns []string) *heldRows {
	return &heldRows{table: table, columns: columns, seen: hashes{seed: maphash.MakeSeed()}}
}

// again counts a row of the file. It returns where to write the row if its id was met before, and nil if not.
func (h *heldRows) again(id string) (w *rowWriter, err error) {
	h.met++
	if h.seen.add(id) {
		return nil, nil
	}
	if h.file == nil {
		if h.file, err = os.CreateTemp("", "recon-held-*"); err != nil {
			return nil, err
		}
		h.to = bufio.NewWriter(h.file)
		h.w = newRowWriter(h.to, len(h.columns))
	}
	h.rows++
	return h.w, nil
}

func (h *heldRows) copyTo(ctx context.Context, tx *pgx.Conn) error {
	if err := errors.Join(h.w.finish(), h.to.Flush()); err != nil {
		return err
	}
	if _, err := h.file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	_, err := tx.PgConn().CopyFrom(ctx, h.file, copyStatement(h.table, h.columns, ""))
	return err
}

func (h *heldRows) remove() {
	if h.file != nil {
		_ = h.file.Close()
		_ = os.Remove(h.file.Name())
	}
}

// hashes is a set of the hashes of texts: an open-addressing table in the order of the hashes, 8 bytes a cell.
type hashes struct {
	seed  maphash.Seed
	cells []uint64 // 0 = empty
	used  int
}

// add enters the hash of a text and reports whether it was not there before.
func (h *hashes) add(s string) bool {
	if 5*(h.used+1) > 4*len(h.cells) {
		h.grow()
	}
	hash := max(maphash.String(h.seed, s), 1)
	at := h.probe(hash)
	if h.cells[at] == hash {
		return false
	}
	h.cells[at] = hash
	h.used++
	return true
}

// probe returns the cell of a hash, or the empty one where it belongs.
func (h *hashes) probe(hash uint64) int {
	at, _ := bits.Mul64(hash, uint64(len(h.cells)))
	for h.cells[at] != 0 && h.cells[at] != hash {
		if at++; at == uint64(len(h.cells)) {
			at = 0
		}
	}
	return int(at)
}

func (h *hashes) grow() {
	old := h.cells
	h.cells = make([]uint64, max(1024, len(old)+len(old)/2))
	for _, hash := range old {
		if hash != 0 {
			h.cells[h.probe(hash)] = hash
		}
	}
}
