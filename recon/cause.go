package recon

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// noFailureEvent lists the platforms that tell their hooks of success only (harness-hooks, summary table).
var noFailureEvent = []string{"codex", "windsurf", "opencode", "openai-agents"}

// flagSystemic marks the unresolved attempts of a session, or else of a host, or else of a version of a harness, that lost at
// least as many outcomes as the policy calls an outage: one finding with its members. The flag names the first of them.
func flagSystemic(policy Policy, findings []AttemptFinding) {
	for _, shared := range []func(*Attempt) string{func(a *Attempt) string { return a.SessionID }, func(a *Attempt) string { return a.Host }, harnessVersion} {
		members := map[string][]*AttemptFinding{}
		for n := range findings {
			f := &findings[n]
			if of := shared(&f.Attempt); of != "" && InfoOf(Attempts, f.Class).Kind == Unresolved && f.Evidence.Outcome == NoneStale {
				members[of] = append(members[of], f)
			}
		}
		for _, outage := range members {
			if len(outage) >= policy.SystemicThreshold {
				flagOutage(outage)
			}
		}
	}
}

func flagOutage(members []*AttemptFinding) {
	first := slices.MinFunc(members, func(a, b *AttemptFinding) int {
		return cmp.Or(a.Attempt.ProposedAt.Compare(b.Attempt.ProposedAt), cmp.Compare(a.Attempt.ID, b.Attempt.ID))
	})
	for _, f := range members {
		if !isSystemic(f) {
			f.Flags = sortFlags(append(f.Flags, Flag{FlagSystemic, first.Attempt.ID}))
		}
	}
}

func isSystemic(f *AttemptFinding) bool {
	return slices.ContainsFunc(f.Flags, func(flag Flag) bool { return flag.Name == FlagSystemic })
}

// harnessVersion is an attempt's harness where it names a version, such as "codex/0.42". All sessions of a harness lose
// an outcome now and then; those of one version lose many where the version is broken.
func harnessVersion(a *Attempt) string {
	_, version, found := strings.Cut(a.Harness, "/")
	if !found || !strings.ContainsAny(version, "0123456789") {
		return ""
	}
	return a.Harness
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
	if isSystemic(f) {
		return CauseHookOutage, "outcomes of many attempts of this session or harness version are missing"
	}
	if name, _, _ := strings.Cut(f.Attempt.Harness, "/"); slices.Contains(noFailureEvent, strings.ToLower(name)) {
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
