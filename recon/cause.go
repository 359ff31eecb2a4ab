package recon

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// noFailureEvent lists the platforms that tell their hooks of success only (harness-hooks, summary table).
var noFailureEvent = []string{"codex", "windsurf", "opencode", "openai-agents"}

// flagSystemic marks the unresolved attempts of a session that lost at least as many outcomes as the policy calls an
// outage: one finding with its members. The flag names the first of them.
func flagSystemic(policy Policy, findings []AttemptFinding) {
	members := map[string][]*AttemptFinding{}
	for n := range findings {
		f := &findings[n]
		if f.Attempt.SessionID != "" && InfoOf(Attempts, f.Class).Kind == Unresolved && f.Evidence.Outcome == NoneStale {
			members[f.Attempt.SessionID] = append(members[f.Attempt.SessionID], f)
		}
	}
	for _, session := range members {
		if len(session) < policy.SystemicThreshold {
			continue
		}
		first := slices.MinFunc(session, func(a, b *AttemptFinding) int {
			return cmp.Or(a.Attempt.ProposedAt.Compare(b.Attempt.ProposedAt), cmp.Compare(a.Attempt.ID, b.Attempt.ID))
		})
		for _, f := range session {
			f.Flags = sortFlags(append(f.Flags, Flag{FlagSystemic, first.Attempt.ID}))
		}
	}
}

// explain names what the evidence points to for each unresolved attempt. Sessions are sorted by id.
func explain(policy Policy, findings []AttemptFinding, sessions []Session) {
	for n := range findings {
		f := &findings[n]
		if InfoOf(Attempts, f.Class).Kind != Unresolved {
			continue
		}
		at, known := slices.BinarySearchFunc(sessions, f.Attempt.SessionID, func(s Session, id string) int { return cmp.Compare(s.ID, id) })
		var session Session
		if known {
			session = sessions[at]
		}
		f.Cause, f.CauseDetail = causeOf(policy, f, session)
	}
}

// causeOf asks for the causes in their order of precedence; the first that fits is named.
func causeOf(policy Policy, f *AttemptFinding, session Session) (Cause, string) {
	for _, l := range f.Links {
		if l.Role == RoleRejected {
			return CauseRejected, place(l.Entry.File, l.Entry.Line) + ": the provider lists it as rejected"
		}
	}
	for _, o := range f.Outcomes {
		if o.Status == Denied {
			return CauseDenied, "denied at " + stamp(o.ObservedAt)
		}
	}
	for _, o := range f.Outcomes {
		if o.Status == Interrupted {
			return CauseInterrupted, "the call was interrupted at " + stamp(o.ObservedAt)
		}
	}
	if e, ok := firstEvent(policy, f, session, SessionInterrupted); ok {
		return CauseInterrupted, "session interrupted at " + stamp(e.At)
	}
	if detail, ok := crashed(policy, f, session); ok {
		return CauseCrash, detail
	}
	for _, o := range f.Outcomes {
		// Fired again, the call may have been sent: then the kill explains nothing.
		if o.Error == HookKilled && f.Attempt.Deliveries <= 1 {
			return CauseHookKilled, "the recorder's spool says so, at " + stamp(o.ObservedAt)
		}
	}
	if slices.ContainsFunc(f.Flags, func(flag Flag) bool { return flag.Name == FlagSystemic }) {
		return CauseHookOutage, "outcomes of many attempts of this session are missing"
	}
	if slices.Contains(noFailureEvent, strings.ToLower(f.Attempt.Harness)) {
		return CauseNoFailureEvent, f.Attempt.Harness + " tells its hooks of success only"
	}
	return CauseNoEvidence, ""
}

func firstEvent(policy Policy, f *AttemptFinding, session Session, kind SessionEventKind) (SessionEvent, bool) {
	from := policy.windowStart(f.Attempt.ProposedAt)
	for _, e := range session.Events {
		if e.Event == kind && !e.At.Before(from) {
			return e, true
		}
	}
	return SessionEvent{}, false
}

// crashed reports whether the session says that it crashed, or has events but no end and nothing after the attempt.
func crashed(policy Policy, f *AttemptFinding, session Session) (string, bool) {
	if e, ok := firstEvent(policy, f, session, SessionCrashed); ok {
		return "session crashed at " + stamp(e.At), true
	}
	if len(session.Events) == 0 || session.LastAttempt.After(f.Attempt.ProposedAt) {
		return "", false
	}
	for _, e := range session.Events {
		if e.Event == SessionEnded || e.At.After(f.Attempt.ProposedAt) {
			return "", false
		}
	}
	return "the session has events, but no end and nothing after the attempt", true
}

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }
