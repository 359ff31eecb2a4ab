package recon

import (
	"slices"

	"agentrecon/ledger"
)

// Listed is what a run has to say: everything it concluded but for pairs that are clean by implication. It depends on
// the conclusions alone and not on what the run had to look at in full to reach them, so that a run over everything and
// one over what changed list the same.
type Listed struct {
	Attempts []*AttemptFinding
	Entries  []*EntryFinding
	Outcomes []*OutcomeFinding
}

// Listed returns what the result lists, each population in the order of the result.
func (r *Result) Listed() Listed {
	var l Listed
	pairs := r.cleanPairs()
	for n := range r.Attempts {
		f := &r.Attempts[n]
		if len(f.Links) != 1 || pairs[f.Links[0].Entry.No] != f {
			l.Attempts = append(l.Attempts, f)
		}
	}
	for n := range r.Entries {
		f := &r.Entries[n]
		if pairs[f.Entry.No] == nil {
			l.Entries = append(l.Entries, f)
		}
	}
	for n := range r.Outcomes {
		l.Outcomes = append(l.Outcomes, &r.Outcomes[n])
	}
	return l
}

// cleanPairs are the attempts that were judged and found as clean as the sieve would have, by the number of their entry.
func (r *Result) cleanPairs() map[int64]*AttemptFinding {
	lone := map[int64]string{} // entries that belong to one attempt by key, and say nothing more
	for n := range r.Entries {
		f := &r.Entries[n]
		if f.Class == Matched && len(f.Attempts) == 1 && f.Tier != NoTier && !f.Tier.Inferred() && len(f.Flags) == 0 {
			lone[f.Entry.No] = f.Attempts[0]
		}
	}
	pairs := map[int64]*AttemptFinding{}
	for n := range r.Attempts {
		if f := &r.Attempts[n]; f.clean() && lone[f.Links[0].Entry.No] == f.Attempt.ID {
			pairs[f.Links[0].Entry.No] = f
		}
	}
	return pairs
}

// clean reports whether a finding says no more than that the attempt succeeded, once, and one entry of its key agrees. A
// degraded id needs no words: the attempt's own column says it.
func (f *AttemptFinding) clean() bool {
	return f.Class == Matched && f.Evidence == Evidence{Outcome: SaysSucceeded, Settlement: Settled} &&
		len(f.Outcomes) == 1 && f.Attempt.MarkedAt.IsZero() && len(f.Candidates) == 0 && len(f.Differences) == 0 &&
		!slices.ContainsFunc(f.Flags, func(flag Flag) bool { return flag.Name != FlagDegradedID }) &&
		len(f.Links) == 1 && f.Links[0].Role == RoleSettles && !f.Links[0].Tier.Inferred() && f.Links[0].Part == nil &&
		f.byOwnID(&f.Links[0]) && agreesExactly(f.Links[0].Entry, &f.Attempt)
}

// byOwnID reports whether a link is not by what the provider calls that which the entry is of. Such a pair is always
// listed: what streams past knows entries by their own ids only.
func (f *AttemptFinding) byOwnID(l *Link) bool {
	return l.Tier != ByProviderRef || foldKey(l.Entry.ProviderID) == foldKey(f.Outcomes[0].ProviderRef)
}

func agreesExactly(e *ledger.Entry, a *Attempt) bool {
	item := openItem{Entry: e}
	return e.Currency == a.Currency && item.compared() == a.Minor
}
