package recon

import (
	"cmp"
	"slices"

	"agentrecon/ledger"
)

// judge links and classifies everything on the docket.
func (d *docket) judge() {
	d.setStagesAside()
	d.linkByKeys()
	d.judgeGroups()
	d.linkInferred()
	d.linkReversals()
	for _, c := range d.cases {
		d.observe(c)
		d.annotate(c)
	}
	for _, i := range d.items {
		if i.parent == nil {
			d.classifyItem(i)
		}
	}
}

// annotate adds to a finding what follows from the case alone.
func (d *docket) annotate(c *openCase) {
	f := c.finding
	f.Outcomes = c.Outcomes
	f.Age = d.asOf.Sub(c.Attempt.ProposedAt)
	definite := slices.ContainsFunc(c.Outcomes, func(o Outcome) bool { return o.Status.Definite() })
	f.Stale = !definite && f.Age >= d.policy.StaleAfter
	if slices.ContainsFunc(c.links, func(l *link) bool { return l.tier.Inferred() }) {
		c.flag(FlagInferred, "")
	}
	if c.Attempt.IDSource.Degraded() {
		c.flag(FlagDegradedID, "")
	}
	if c.Attempt.IDReused {
		c.flag(FlagIDReused, "")
	}
	if definite && !c.Attempt.MarkedAt.IsZero() {
		c.flag(FlagLateOutcome, "")
	}
	slices.SortFunc(c.links, func(a, b *link) int {
		return cmp.Or(cmp.Compare(rolePlace(a.role), rolePlace(b.role)), bookingOrder(a.item, b.item))
	})
	for _, l := range c.links {
		f.Links = append(f.Links, linkOf(l))
	}
	slices.SortFunc(f.Candidates, func(a, b *ledger.Entry) int { return cmp.Or(cmp.Compare(a.ID, b.ID), cmp.Compare(a.No, b.No)) })
	f.Candidates = slices.Compact(f.Candidates)
}

func rolePlace(r Role) int {
	return slices.Index([]Role{RoleSettles, RoleShared, RoleExcess, RoleReversal, RolePending, RoleRejected}, r)
}

// classifyItem gives an entry its class. The order of the questions is the rule: scope, then whether money moved,
// then what it is linked to, then what is left.
func (d *docket) classifyItem(i *openItem) {
	switch {
	case i.Superseded:
		i.class, i.reason = NotBooked, supersededReason(i.Entry)
	case i.scope != "":
		i.class, i.reason = OutOfScope, i.scope
	case !i.Moved():
		i.class, i.reason = NotBooked, string(i.Status)
	case len(i.parts) > 0:
		i.class, i.reason = d.classOfParts(i)
	case i.class == Ambiguous:
	case i.class == Reversal:
	case len(i.links) > 0:
		i.class = Matched
		for _, l := range i.links {
			switch l.role {
			case RoleExcess:
				i.class = ExcessSettlement
			case RoleReversal:
				i.class = Reversal
			}
		}
	case i.Amount >= 0:
		i.class, i.reason = OutOfScope, ReasonInflow
	case !d.since.IsZero() && i.before(d.policy.windowEnd(d.since)):
		i.class, i.reason = OutOfScope, ReasonBeforeRecording
	default:
		i.class = UnattemptedMovement
	}
}

// findings returns what was judged, sorted by id.
func (d *docket) findings() ([]AttemptFinding, []EntryFinding) {
	for n := range d.attempts {
		d.attempts[n].Flags = sortFlags(d.attempts[n].Flags)
	}
	n := 0
	for _, i := range d.items {
		if i.parent == nil {
			i.conclude(&d.entries[n])
			n++
		}
	}
	return d.attempts, d.entries
}

// conclude says what is concluded of an item, with the attempts and flags of its parts.
func (i *openItem) conclude(f *EntryFinding) {
	f.Class, f.Reason = i.class, i.reason
	for _, of := range append([]*openItem{i}, i.parts...) {
		f.Flags = append(f.Flags, of.flags...)
		for _, l := range of.links {
			f.Attempts = append(f.Attempts, l.c.Attempt.ID)
			if f.Tier == NoTier || l.tier < f.Tier {
				f.Tier = l.tier
			}
		}
		if len(of.links) == 0 {
			for _, c := range of.candidates {
				f.Attempts = append(f.Attempts, c.Attempt.ID)
			}
		}
	}
	slices.Sort(f.Attempts)
	f.Attempts, f.Flags = slices.Compact(f.Attempts), slices.Compact(sortFlags(f.Flags))
}

func sortFlags(flags []Flag) []Flag {
	slices.SortFunc(flags, func(a, b Flag) int {
		return cmp.Or(cmp.Compare(slices.Index(FlagNames, a.Name), slices.Index(FlagNames, b.Name)), cmp.Compare(a.Of, b.Of))
	})
	return flags
}
