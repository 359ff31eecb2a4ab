package sql

import (
	"context"
	"encoding/binary"
	"errors"
	"slices"

	"agentrecon/ledger"
	"agentrecon/recon"
)

// keepOpen keeps recon_open what the run lists: for a run over what changed, of the affected items; else of all.
func (t *RunTx) keepOpen(ctx context.Context, result *recon.Result) error {
	var before []recon.OpenItem
	if result.Since != nil {
		before = result.Since.Before.OpenItems()
	} else {
		var err error
		if before, err = collect(ctx, &t.Books, "open_rows", decodeListedItem); err != nil {
			return err
		}
	}
	now := result.OpenItems()
	for _, items := range [][]recon.OpenItem{before, now} {
		slices.SortFunc(items, func(a, b recon.OpenItem) int {
			return compareItems(string(a.Population), a.Item, string(b.Population), b.Item)
		})
	}
	var populations, items []string
	var added []*recon.OpenItem
	for len(before) > 0 || len(now) > 0 {
		order := -1
		switch {
		case len(now) == 0:
		case len(before) == 0:
			order = 1
		default:
			order = compareItems(string(before[0].Population), before[0].Item, string(now[0].Population), now[0].Item)
		}
		if order == 0 && sameOpen(&before[0], &now[0]) {
			before, now = before[1:], now[1:]
			continue
		}
		if order <= 0 {
			populations, items = append(populations, string(before[0].Population)), append(items, before[0].Item)
			before = before[1:]
		}
		if order >= 0 {
			added = append(added, &now[0])
			now = now[1:]
		}
	}
	if len(items) > 0 {
		forget := func() error {
			_, err := t.conn.Exec(ctx, query("open_delete"), populations, items)
			return err
		}
		var err error
		if result.Since != nil { // of all that is listed a night forgets little
			err = t.byIndex(ctx, forget)
		} else {
			err = forget()
		}
		if err != nil {
			return err
		}
	}
	return t.copyOpen(ctx, added)
}

func sameOpen(a, b *recon.OpenItem) bool {
	return a.EntryNo == b.EntryNo && a.NextEval.Equal(b.NextEval) && a.Absence == b.Absence && slices.Equal(a.Keys, b.Keys)
}

func decodeListedItem(r *rowReader, o *recon.OpenItem) error {
	*o = recon.OpenItem{Population: recon.Population(r.word()), Item: r.text(), EntryNo: r.int8(), NextEval: r.time()}
	account := r.raw()
	o.Absence = recon.Absence{Given: account != nil, Account: string(account), From: r.date(), To: r.date()}
	var err error
	o.Keys, err = int8s(r.raw())
	return errors.Join(r.err, err)
}

// errArray is an array of another form than the program writes.
var errArray = errors.New("an array of bigint cannot be read")

// int8s decodes an array of bigint without NULLs.
func int8s(raw []byte) ([]int64, error) {
	const head, dimension, element = 12, 8, 12
	if len(raw) == head {
		return nil, nil
	}
	if len(raw) < head+dimension || (len(raw)-head-dimension)%element != 0 {
		return nil, errArray
	}
	var list []int64
	for raw = raw[head+dimension:]; len(raw) > 0; raw = raw[element:] {
		list = append(list, int64(binary.BigEndian.Uint64(raw[4:])))
	}
	return list, nil
}

func (t *RunTx) copyOpen(ctx context.Context, items []*recon.OpenItem) error {
	if len(items) == 0 {
		return nil
	}
	columns := []string{"population", "item", "entry_no", "next_eval", "absent_account", "absent_from", "absent_to", "keys"}
	err := copyIn(ctx, t.conn, "recon_open", columns, func(w *rowWriter) error {
		for _, o := range items {
			if err := w.row(); err != nil {
				return err
			}
			w.text(string(o.Population))
			w.given(o.Item)
			w.optional(ledger.Optional{Minor: o.EntryNo, Given: o.EntryNo != 0})
			w.time(o.NextEval)
			if o.Absence.Given {
				w.given(o.Absence.Account)
			} else {
				w.null()
			}
			w.date(o.Absence.From)
			w.date(o.Absence.To)
			w.int8s(o.Keys)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return copyIn(ctx, t.conn, "recon_open_keys", []string{"key", "population", "item"}, func(w *rowWriter) error {
		for _, o := range items {
			for _, key := range o.Keys {
				if err := w.row(); err != nil {
					return err
				}
				w.int8(key)
				w.text(string(o.Population))
				w.given(o.Item)
			}
		}
		return nil
	})
}
