package report

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"agentrecon/ledger"
	"agentrecon/recon"
)

// index answers what one row needs to know of the others.
type index struct {
	report   *recon.Report
	findings map[string]*recon.AttemptFinding
	alike    map[string][]string // attempt id → ids of attempts that may be the same intent, both ways
	decided  map[itemKey]*recon.Disposition
	changes  map[itemKey]string // what happened since the last run
}

// itemKey names an item across populations.
type itemKey struct {
	population recon.Population
	item       string
}

// standing is the decision that stands on an item, nil if there is none.
func (b *book) standing(p recon.Population, item string) *recon.Disposition {
	if d := b.index.decided[itemKey{p, item}]; d != nil && !d.Reopened {
		return d
	}
	return nil
}

// approved reports whether an item is closed for action.
func (b *book) approved(p recon.Population, item string) bool {
	d := b.standing(p, item)
	return d != nil && d.Approved()
}

// reopened says what had been decided of an item before it changed.
func (x *index) reopened(p recon.Population, item string) string {
	d := x.decided[itemKey{p, item}]
	if d == nil || !d.Reopened {
		return ""
	}
	by := d.PreparedBy
	if d.ApprovedBy != "" {
		by += ", approved by " + d.ApprovedBy
	}
	return fmt.Sprintf("%s on %s by %s, when it was %s", d.Decision, d.DecidedAt.UTC().Format(time.DateOnly), by, d.Class)
}

// newIndex reads the relational flags in both directions, for they are stored on the later item only.
func newIndex(r *recon.Report) *index {
	x := &index{
		report: r, findings: map[string]*recon.AttemptFinding{}, alike: map[string][]string{}, decided: map[itemKey]*recon.Disposition{}, changes: map[itemKey]string{},
	}
	for i := range r.Dispositions {
		d := &r.Dispositions[i]
		x.decided[itemKey{d.Population, d.Item}] = d
	}
	for _, base := range r.Baselines {
		if base.Against == recon.BaselineLast {
			for _, c := range base.Changes {
				x.changes[itemKey{c.Population, c.Item}] = string(c.Kind)
			}
		}
	}
	for _, attempts := range [][]recon.AttemptFinding{r.Attempts, r.Earlier.Attempts} {
		for i := range attempts {
			x.relate(&attempts[i])
		}
	}
	return x
}

// relate notes a finding, and which attempts it may be the same intent as.
func (x *index) relate(f *recon.AttemptFinding) {
	x.findings[f.Attempt.ID] = f
	for _, flag := range f.Flags {
		if flag.Of != "" && (flag.Name == recon.FlagSuspectedReask || flag.Name == recon.FlagDualEvent) {
			x.alike[f.Attempt.ID] = append(x.alike[f.Attempt.ID], flag.Of)
			x.alike[flag.Of] = append(x.alike[flag.Of], f.Attempt.ID)
		}
	}
}

// settledOf says whether the ledger has paid an attempt. One that is not among the findings is agreed to ledger.
func (x *index) settledOf(id string) string {
	f, ok := x.findings[id]
	if !ok {
		return "agreed to ledger"
	}
	return ledgerWordsOf(f.Evidence.Settlement).moved
}

// maxNamed is how many related items a cell names.
const maxNamed = 20

// paidByAnother names the attempts that may be the same intent, and whether they were paid.
func (x *index) paidByAnother(id string) string {
	others := slices.Clone(x.alike[id])
	if len(others) == 0 {
		return "none seen"
	}
	slices.Sort(others)
	others = slices.Compact(others)
	for i, other := range others {
		others[i] = fmt.Sprintf("possibly %s (%s)", other, x.settledOf(other))
	}
	return named(others, "; ")
}

// named joins names, and says how many more there are beyond the limit.
func named(names []string, separator string) string {
	if more := len(names) - maxNamed; more > 0 {
		names = append(slices.Clone(names[:maxNamed]), fmt.Sprintf("and %d more", more))
	}
	return strings.Join(names, separator)
}

// roleWords says what a linked entry is to its attempt.
var roleWords = []struct {
	role recon.Role
	name string
}{
	{recon.RoleSettles, ""},
	{recon.RoleExcess, "excess"},
	{recon.RoleReversal, "reversal"},
	{recon.RolePending, "pending"},
	{recon.RoleRejected, "refused"},
	{recon.RoleShared, "shared"},
}

func roleName(r recon.Role) string {
	for _, w := range roleWords {
		if w.role == r {
			return w.name
		}
	}
	return string(r)
}

// place is where an entry can be looked up.
func place(e *ledger.Entry) string {
	if e.Line > 0 {
		return fmt.Sprintf("%s:%d", e.File, e.Line)
	}
	return e.File
}

// evidenceOf names the lines that a finding rests on; a conclusion of absence names the statement that proves it.
func (x *index) evidenceOf(f *recon.AttemptFinding) string {
	var lines []string
	for _, l := range f.Links {
		line := place(l.Entry)
		if name := roleName(l.Role); name != "" {
			line += " (" + name + ")"
		}
		lines = append(lines, line)
	}
	for _, c := range f.Candidates {
		lines = append(lines, place(c)+" (candidate)")
	}
	if s := f.Evidence.Settlement; s == recon.NotSettled || s == recon.Rejected {
		if proof := x.coverageOf(f); proof != "" {
			lines = append(lines, proof)
		}
	}
	if len(lines) == 0 {
		return "none"
	}
	return named(lines, "\n")
}

// coverageOf names the coverage that contains the attempt's day.
func (x *index) coverageOf(f *recon.AttemptFinding) string {
	zone := x.report.Policy.Zone
	if zone == nil {
		zone = time.UTC
	}
	proposed := ledger.DateOf(f.Attempt.ProposedAt, zone)
	for _, c := range x.report.Coverage {
		sameAccount := c.AccountID == "" || f.Attempt.SourceAccount == "" || c.AccountID == f.Attempt.SourceAccount
		if !sameAccount || proposed < c.From || proposed >= c.To {
			continue
		}
		what := "covered"
		if c.Inferred {
			what = "covered (inferred)"
		}
		return fmt.Sprintf("no entry: %s %s from %s up to, excluding, %s", c.File, what, c.From, c.To)
	}
	return ""
}

// payee is the counterparty's name as the ledger has it; attempts record none.
func payee(f *recon.AttemptFinding) string {
	for _, l := range f.Links {
		if name := l.Payment().CounterpartyName; name != "" {
			return name
		}
	}
	return ""
}

// booked adds up what the ledger booked for an attempt and not took back, by currency of the first entry.
func booked(f *recon.AttemptFinding) (minor int64, c ledger.Currency, found bool) {
	for _, l := range f.Links {
		if !l.Entry.Moved() || l.Role == recon.RoleShared {
			continue
		}
		if !found {
			c, found = l.Payment().Currency, true
		}
		if l.Payment().Currency == c {
			minor += l.Payment().Outflow()
		}
	}
	return minor, c, found
}

// recovered adds up what was taken back.
func recovered(f *recon.AttemptFinding) (minor int64) {
	for _, l := range f.Links {
		if l.Role == recon.RoleReversal && l.Entry.Moved() {
			minor -= l.Entry.Outflow()
		}
	}
	return minor
}

// bookedEntries counts booked entries that paid an attempt.
func bookedEntries(f *recon.AttemptFinding) (n int64) {
	for _, l := range f.Links {
		if l.Entry.Moved() && (l.Role == recon.RoleSettles || l.Role == recon.RoleExcess) {
			n++
		}
	}
	return n
}
