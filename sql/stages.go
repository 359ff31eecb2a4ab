package sql

import (
	"context"
	"slices"

	"agentrecon/ledger"
	"agentrecon/recon"
)

// stages are the later stages of the entries of a snapshot; see [recon.Supersede].
type stages struct {
	recon.Stages
	parts            map[int64]ledger.Entry // the notifications that explain final entries, by number
	supersededBooked []int64                // numbers of what reports call booked and is superseded
}

// stage is a stage beside whether the last run could see its entry, where that is asked.
type stage struct {
	recon.Stage
	seen bool
}

func decodeStage(r *rowReader, s *stage) error {
	*s = stage{Stage: recon.Stage{
		No: r.int8(), ID: r.text(), AccountID: r.word(), BookedOn: r.date(), Amount: r.int8(), Currency: ledger.Currency(r.word()),
		Status: ledger.Status(r.word()), Report: ledger.Report(r.word()), ProviderID: r.text(), UETR: r.text(), EndToEndID: r.text(),
		IdempotencyKey: r.text(), TransactionID: r.text(), GroupID: r.text(), Detailed: r.bool(),
	}, seen: r.bool()}
	return r.err
}

// readStages works the stages out, once.
func (b *Books) readStages(ctx context.Context) error {
	if b.stages != nil {
		return nil
	}
	announced, final, err := stagesBy(func(name string) ([]stage, error) { return collect(ctx, b, name, decodeStage) })
	if err != nil {
		return err
	}
	return b.workOutStages(ctx, announced, final)
}

// readStages works the stages out, as they are and as the last run saw them: it reads once for both.
func (a *archive) readStages(ctx context.Context) error {
	announced, final, err := stagesBy(func(name string) ([]stage, error) { return collectSince(ctx, a, name, decodeStage) })
	if err != nil {
		return err
	}
	if err := a.workOutStages(ctx, announced, final); err != nil {
		return err
	}
	unseen := func(s stage) bool { return !s.seen }
	return a.before.workOutStages(ctx, slices.DeleteFunc(announced, unseen), slices.DeleteFunc(final, unseen))
}

// stagesBy reads announcements and, if there are any, what may be their final entries.
func stagesBy(read func(name string) ([]stage, error)) (announced, final []stage, err error) {
	if announced, err = read("stages_announced"); err == nil && len(announced) > 0 {
		final, err = read("stages_final")
	}
	return announced, final, err
}

func (b *Books) workOutStages(ctx context.Context, announced, final []stage) error {
	if err := b.readFiles(ctx); err != nil {
		return err
	}
	found := &stages{supersededBooked: []int64{}}
	if len(announced) > 0 {
		coverage, err := b.Coverage(ctx)
		if err != nil {
			return err
		}
		var all []recon.Stage
		for _, s := range slices.Concat(final, announced) {
			all = append(all, s.Stage)
		}
		found.Stages = recon.Supersede(all, coverage)
	}
	for n := range announced {
		if s := &announced[n]; s.Status == ledger.StatusBooked && found.Superseded(s.No) {
			found.supersededBooked = append(found.supersededBooked, s.No)
		}
	}
	if err := b.readParts(ctx, found); err != nil {
		return err
	}
	b.stages = found
	return nil
}

// readParts reads the notifications that say what final entries are made of.
func (b *Books) readParts(ctx context.Context, found *stages) error {
	nos := found.AllParts()
	if len(nos) == 0 {
		return nil
	}
	parts, err := collect(ctx, b, "entries_by_no", func(r *rowReader, e *ledger.Entry) error { return decodeEntry(r, e, b.files) }, nos)
	if err != nil {
		return err
	}
	found.parts = make(map[int64]ledger.Entry, len(parts))
	for _, e := range parts {
		found.parts[e.No] = e
	}
	return nil
}

// apply adds to an entry what follows from the others: its later stage, or the details that notifications have of it.
func (s *stages) apply(e *ledger.Entry) {
	s.Apply(e)
	var parts []ledger.Entry
	for _, no := range s.Parts(e.No) {
		parts = append(parts, s.parts[no])
	}
	if parts != nil {
		e.Children = recon.Details(parts, e)
	}
}
