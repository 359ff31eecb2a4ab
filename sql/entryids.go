package sql

import (
	"context"
	"iter"

	"agentrecon/recon"
)

// EntryIDs implements [recon.Books].
func (b *Books) EntryIDs(ctx context.Context) iter.Seq2[*recon.EntryID, error] {
	return stream(ctx, b, "entry_ids", func(r *rowReader, e *recon.EntryID) error {
		*e = recon.EntryID{No: r.int8(), ID: r.text()}
		return r.err
	})
}
