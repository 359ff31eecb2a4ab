package recontest

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"agentrecon/recon"
)

func (a *refAttempt) flag(name recon.FlagName, of string) {
	a.flags = append(a.flags, recon.Flag{Name: name, Of: of})
}

func (a *refAttempt) flagged(name recon.FlagName) bool {
	return slices.ContainsFunc(a.flags, func(f recon.Flag) bool { return f.Name == name })
}

func inOrder(flags []recon.Flag) []recon.Flag {
	slices.SortFunc(flags, func(a, b recon.Flag) int {
		return cmp.Or(cmp.Compare(slices.Index(recon.FlagNames, a.Name), slices.Index(recon.FlagNames, b.Name)), cmp.Compare(a.Of, b.Of))
	})
	return flags
}

// flag adds to every attempt what is to be said of it beside its class.
func (m *model) flag() {
	for n, a := range m.attempts {
		if slices.ContainsFunc(slices.Concat(a.entries, a.sharing), func(e *refEntry) bool {
			return slices.Max(a.tiers[e]) >= recon.ByReference
		}) {
			a.flag(recon.FlagInferred, "")
		}
		if slices.Contains([]recon.IDSource{recon.IDFallbackHash, recon.IDWeakToolUse, recon.IDLegacyWindow}, a.IDSource) {
			a.flag(recon.FlagDegradedID, "")
		}
		if a.IDReused {
			a.flag(recon.FlagIDReused, "")
		}
		if a.definite && !a.MarkedAt.IsZero() {
			a.flag(recon.FlagLateOutcome, "")
		}
		m.flagEarlier(a, m.attempts[:n])
	}
	for _, o := range m.outcomes {
		for _, a := range m.attempts {
			if o.Joined == a.ID && len(o.Flags) > 0 && !a.flagged(recon.FlagJoinedByHash) {
				a.flag(recon.FlagJoinedByHash, "")
			}
		}
	}
	m.flagOutages()
}

// flagEarlier names the last attempt before that asks for the same: one call that two hooks fired for, where exactly one of
// them has the harness's own id and they are seconds apart, else one that was asked for again.
func (m *model) flagEarlier(a *refAttempt, before []*refAttempt) {
	for _, b := range slices.Backward(before) {
		if a.Minor != b.Minor || a.Currency != b.Currency || account(a.DestAccount) != account(b.DestAccount) || a.written() != b.written() {
			continue
		}
		apart := a.ProposedAt.Sub(b.ProposedAt)
		switch named := func(x *refAttempt) bool { return x.IDSource == recon.IDToolUse }; {
		case named(a) != named(b) && apart <= 10*time.Second:
			a.flag(recon.FlagDualEvent, b.ID)
		case apart <= m.policy.ReaskWindow:
			a.flag(recon.FlagSuspectedReask, b.ID)
		}
		return
	}
}

// written is an attempt's reference in its first spelling.
func (a *refAttempt) written() string {
	for _, text := range a.texts() {
		return text
	}
	return ""
}

// flagOutages flags the unknowns of one session, else of one host, else of one version of a harness, where they are as
// many as the policy calls an outage. The flag names the first of them.
func (m *model) flagOutages() {
	version := func(a *refAttempt) string {
		if _, number, _ := strings.Cut(a.Harness, "/"); strings.ContainsAny(number, "0123456789") {
			return a.Harness
		}
		return ""
	}
	for _, shared := range []func(*refAttempt) string{func(a *refAttempt) string { return a.SessionID }, func(a *refAttempt) string { return a.Host }, version} {
		lost := map[string][]*refAttempt{}
		for _, a := range m.attempts {
			if key := shared(a); key != "" && a.outcome == recon.NoneStale && m.unresolved(a) {
				lost[key] = append(lost[key], a)
			}
		}
		for _, members := range lost {
			if len(members) < m.policy.SystemicThreshold {
				continue
			}
			for _, a := range members {
				if !a.flagged(recon.FlagSystemic) {
					a.flag(recon.FlagSystemic, members[0].ID)
				}
			}
		}
	}
}

func (m *model) unresolved(a *refAttempt) bool {
	return recon.InfoOf(recon.Attempts, a.class).Kind == recon.Unresolved
}

// cause is the first that fits of what the evidence may point to for an unresolved attempt.
func (m *model) cause(a *refAttempt) recon.Cause {
	if !m.unresolved(a) {
		return recon.NoCause
	}
	var events, after []recon.SessionEvent
	quiet := true // nothing happened in its session afterwards
	for _, e := range m.world.Sessions {
		if e.SessionID == a.SessionID && a.SessionID != "" {
			events = append(events, e)
			if !e.At.Before(a.start) { // clocks differ
				after = append(after, e)
			}
			quiet = quiet && !e.At.After(a.ProposedAt)
		}
	}
	for _, b := range m.attempts {
		quiet = quiet && (b.SessionID != a.SessionID || !b.ProposedAt.After(a.ProposedAt))
	}
	is := func(kind recon.SessionEventKind) func(recon.SessionEvent) bool {
		return func(e recon.SessionEvent) bool { return e.Event == kind }
	}
	says := func(status recon.OutcomeStatus) func(recon.Outcome) bool {
		return func(o recon.Outcome) bool { return o.Status == status }
	}
	platform, _, _ := strings.Cut(strings.ToLower(a.Harness), "/")
	switch {
	case len(a.with(isRefused)) > 0:
		return recon.CauseRejected
	case slices.ContainsFunc(a.outcomes, says(recon.Denied)):
		return recon.CauseDenied
	case slices.ContainsFunc(a.outcomes, says(recon.Interrupted)), slices.ContainsFunc(after, is(recon.SessionInterrupted)):
		return recon.CauseInterrupted
	case slices.ContainsFunc(after, is(recon.SessionCrashed)),
		len(events) > 0 && quiet && !slices.ContainsFunc(events, is(recon.SessionEnded)):
		return recon.CauseCrash
	case slices.ContainsFunc(a.outcomes, func(o recon.Outcome) bool { return o.Error == recon.HookKilled }) && a.Deliveries <= 1: // fired again, the call may have been sent
		return recon.CauseHookKilled
	case a.flagged(recon.FlagSystemic):
		return recon.CauseHookOutage
	case slices.Contains([]string{"codex", "windsurf", "opencode", "openai-agents"}, platform):
		return recon.CauseNoFailureEvent
	}
	return recon.CauseNoEvidence
}
