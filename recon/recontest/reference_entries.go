package recontest

import (
	"fmt"
	"slices"

	"agentrecon/recon"
)

func (m *model) concludeEntry(e *refEntry) EntryConclusion {
	class, reason := m.classOf(e)
	c := EntryConclusion{Class: class, Reason: reason}
	for _, x := range append([]*refEntry{e}, e.parts...) {
		c.Flags = append(c.Flags, x.flags...)
		for _, a := range x.attempts {
			c.Attempts = append(c.Attempts, a.ID)
			if c.Tier == recon.NoTier || a.tier(x) < c.Tier {
				c.Tier = a.tier(x)
			}
		}
		if len(x.attempts) == 0 {
			for _, a := range x.candidates {
				c.Attempts = append(c.Attempts, a.ID)
			}
		}
	}
	slices.Sort(c.Attempts)
	c.Attempts, c.Flags = slices.Compact(c.Attempts), slices.Compact(inOrder(c.Flags))
	return c
}

// classOf is the class of an entry, with the reason for which it is set aside.
func (m *model) classOf(e *refEntry) (class recon.Class, reason string) {
	switch {
	case e.Superseded && e.SupersededBy == "":
		return recon.NotBooked, "superseded by the statement of its day"
	case e.Superseded:
		return recon.NotBooked, "superseded by " + e.SupersededBy
	case e.scope != "":
		return recon.OutOfScope, e.scope
	case !isBooked(e):
		return recon.NotBooked, string(e.Status)
	case e.parts != nil:
		return m.classOfParts(e)
	case e.ambiguous:
		return recon.Ambiguous, ""
	case e.reversal:
		return recon.Reversal, ""
	case e.excess:
		return recon.ExcessSettlement, ""
	case len(e.attempts) > 0:
		return recon.Matched, ""
	case e.Amount >= 0:
		return recon.OutOfScope, "inflow"
	case len(m.attempts) > 0 && m.beforeRecording(e):
		return recon.OutOfScope, "before_recording"
	}
	return recon.UnattemptedMovement, ""
}

// classOfParts is the class of a batch: of the most pressing that is in it, with how many are, and out of scope only if
// all of it is.
func (m *model) classOfParts(e *refEntry) (class recon.Class, reason string) {
	count := map[recon.Class]int{}
	early := 0
	for _, p := range e.parts {
		class, reason := m.classOf(p)
		count[class]++
		if reason == "before_recording" {
			early++
		}
	}
	if len(count) > 1 { // recording had begun when another part was recorded
		count[recon.OutOfScope] -= early
		count[recon.UnattemptedMovement] += early
	}
	if count[recon.UnattemptedMovement] == len(e.parts) {
		return recon.UnattemptedMovement, ""
	}
	for _, pressing := range []struct {
		class recon.Class
		what  string
	}{
		{recon.UnattemptedMovement, "without an attempt"}, {recon.ExcessSettlement, "in excess"}, {recon.Ambiguous, "ambiguous"},
	} {
		if n := count[pressing.class]; n > 0 {
			return pressing.class, fmt.Sprintf("%d of %d payments in it %s", n, len(e.parts), pressing.what)
		}
	}
	if count[recon.OutOfScope] == len(e.parts) {
		class, reason := m.classOf(e.parts[0])
		return class, reason
	}
	return recon.Matched, ""
}

func (m *model) beforeRecording(e *refEntry) bool {
	if e.start.Equal(e.end) {
		return e.start.Before(m.attempts[0].end)
	}
	return !e.end.After(m.attempts[0].end)
}
