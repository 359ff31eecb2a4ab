package recontest

import (
	"maps"
	"slices"

	"agentrecon/recon"
)

// joinOutcomes gives every attempt its outcomes and says where each outcome went: to the attempt of its id, else to the
// only attempt of its argument hash, else nowhere. What is joined by hash is the outcome as it stands.
func (m *model) joinOutcomes() map[string][]recon.Outcome {
	of := maps.Clone(m.world.versions())
	m.outcomes = map[string]OutcomeConclusion{}
	byHash := map[string][]string{}
	for _, a := range m.world.Attempts {
		byHash[a.ArgsSHA256] = append(byHash[a.ArgsSHA256], a.ID)
	}
	for _, id := range slices.Sorted(maps.Keys(of)) {
		current := of[id][len(of[id])-1]
		like := byHash[current.ArgsSHA256]
		switch {
		case slices.ContainsFunc(m.world.Attempts, func(a recon.Attempt) bool { return a.ID == id }):
			m.outcomes[id] = OutcomeConclusion{Class: recon.Joined, Joined: id}
		case current.ArgsSHA256 != "" && len(like) == 1:
			m.outcomes[id] = OutcomeConclusion{Class: recon.Joined, Joined: like[0], Flags: []recon.Flag{{Name: recon.FlagJoinedByHash}}}
		default:
			m.outcomes[id] = OutcomeConclusion{Class: recon.OrphanOutcome}
		}
		if c := m.outcomes[id]; c.Joined != "" && c.Joined != id {
			of[c.Joined] = append(slices.Clone(of[c.Joined]), current)
			slices.SortStableFunc(of[c.Joined], func(a, b recon.Outcome) int { return a.ObservedAt.Compare(b.ObservedAt) })
		}
	}
	return of
}

func (m *model) observe(a recon.Attempt, versions []recon.Outcome) (recon.OutcomeAxis, int) {
	var yes, no, denied bool
	refs := map[string]bool{}
	for _, o := range versions {
		yes = yes || o.Status == recon.Succeeded
		if o.Status == recon.Failed || o.Status == recon.Denied {
			no, denied = true, o.Status == recon.Denied // the last one counts
		}
		if ref := plainKey(o.ProviderRef); ref != "" {
			refs[ref] = true
		}
	}
	switch {
	case len(versions) == 0 && m.asOf.Sub(a.ProposedAt) < m.policy.StaleAfter:
		return recon.NoneFresh, 1
	case len(versions) == 0:
		return recon.NoneStale, 1
	case yes && no || len(refs) > 1:
		return recon.Contradictory, 1
	case yes:
		return recon.SaysSucceeded, 0
	case denied:
		return recon.SaysDenied, 2
	case no:
		return recon.SaysFailed, 2
	}
	return recon.Indefinite, 1
}
