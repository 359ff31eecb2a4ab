package recon

import (
	"cmp"
	"fmt"
	"slices"
)

// joinedOutcome is an outcome whose id no attempt has, and the attempt that its argument hash names.
type joinedOutcome struct {
	outcome Outcome
	attempt string
}

// joinOrphans joins outcomes whose id no attempt has by their argument hash, where exactly one attempt has it.
func (r *runner) joinOrphans() error {
	r.byHash = map[string]bool{}
	if len(r.sieve.orphans) == 0 {
		return nil
	}
	orphans, err := r.books.OrphansByID(r.ctx, r.sieve.orphans)
	if err != nil {
		return fmt.Errorf("read orphan outcomes: %w", err)
	}
	owners, err := r.ownersOfArgs(orphans)
	if err != nil {
		return err
	}
	for _, o := range orphans {
		ids := owners[o.ArgsSHA256]
		if len(ids) != 1 {
			r.orphans = append(r.orphans, o)
			continue
		}
		r.joined = append(r.joined, joinedOutcome{o, ids[0]})
		r.byHash[ids[0]] = true
		if n := r.sieve.ids.findString(ids[0]); n >= 0 {
			r.sieve.open(n)
		}
	}
	return nil
}

// ownersOfArgs returns, by argument hash of the orphans, the attempts that have it.
func (r *runner) ownersOfArgs(orphans []Outcome) (map[string][]string, error) {
	var hashes []string
	for _, o := range orphans {
		if o.ArgsSHA256 != "" {
			hashes = append(hashes, o.ArgsSHA256)
		}
	}
	owners := map[string][]string{}
	if len(hashes) == 0 {
		return owners, nil
	}
	slices.Sort(hashes)
	ids, err := r.books.AttemptIDsByArgs(r.ctx, slices.Compact(hashes))
	if err != nil {
		return nil, fmt.Errorf("read attempts by argument hash: %w", err)
	}
	cases, err := r.books.AttemptsByID(r.ctx, ids)
	if err != nil {
		return nil, fmt.Errorf("read attempts: %w", err)
	}
	for _, c := range cases {
		owners[c.Attempt.ArgsSHA256] = append(owners[c.Attempt.ArgsSHA256], c.Attempt.ID)
	}
	return owners, nil
}

// attachJoined adds outcomes joined by hash to their cases, in order of observation.
func (r *runner) attachJoined() {
	for _, j := range r.joined {
		at, found := slices.BinarySearchFunc(r.cases, j.attempt, func(c Case, id string) int { return cmp.Compare(c.Attempt.ID, id) })
		if !found {
			continue
		}
		c := &r.cases[at]
		c.Outcomes = append(slices.Clone(c.Outcomes), j.outcome)
		slices.SortStableFunc(c.Outcomes, func(a, b Outcome) int { return a.ObservedAt.Compare(b.ObservedAt) })
	}
}

func (r *runner) concludeOutcomes() {
	for _, o := range r.orphans {
		r.result.Outcomes = append(r.result.Outcomes, OutcomeFinding{Outcome: o, Class: OrphanOutcome})
	}
	for _, j := range r.joined {
		r.result.Outcomes = append(r.result.Outcomes, OutcomeFinding{
			Outcome: j.outcome, Class: Joined, Joined: j.attempt, Flags: []Flag{{Name: FlagJoinedByHash}},
		})
	}
	slices.SortFunc(r.result.Outcomes, func(a, b OutcomeFinding) int { return cmp.Compare(a.Outcome.AttemptID, b.Outcome.AttemptID) })
}
