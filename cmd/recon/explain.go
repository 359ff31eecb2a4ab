package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"agentrecon/ledger"
	"agentrecon/recon"
	"agentrecon/sql"
)

func explainCommand(p *program) *cli.Command {
	return &cli.Command{
		Name: "explain", ArgsUsage: "ID",
		Usage: "print everything known of an attempt, outcome or entry, in time order, with the rule that decided",
		Flags: concat(
			[]cli.Flag{&cli.StringFlag{Name: flagAsOf, DefaultText: "now", Usage: "judge as of this instant"}}, policyFlags(),
		),
		Action: func(c *cli.Context) error { return explainItem(c, p) },
	}
}

func explainItem(c *cli.Context, p *program) error {
	id := c.Args().First()
	if id == "" || c.NArg() > 1 {
		return usagef("explain needs one ID: of an attempt, of an entry, or a provider's reference")
	}
	policy, err := policyOf(c)
	if err != nil {
		return err
	}
	asOf, err := asOfOf(c)
	if err != nil {
		return err
	}
	if asOf.IsZero() {
		asOf = p.now()
	}
	db, closeDB, err := openDatabase(c, p)
	if err != nil {
		return err
	}
	defer closeDB()
	view, err := db.View(c.Context)
	if err != nil {
		return err
	}
	defer view.Close(context.WithoutCancel(c.Context))
	maxMemory, err := maxMemoryOf(c)
	if err != nil {
		return err
	}
	request := recon.Request{AsOf: asOf, Policy: policy, MaxMemory: maxMemory}
	account, err := accountOf(c.Context, view, &judge{view: view, request: request}, id)
	if err != nil {
		return err
	}
	if c.Bool(flagJSON) {
		return printJSON(p.stdout, account.json())
	}
	_, err = fmt.Fprint(p.stdout, account.text())
	return err
}

// judge concludes of items what a run would. Where it cannot carry on from the last run it makes one over everything, once.
type judge struct {
	view    *sql.ReadTx
	request recon.Request
	whole   *recon.Result
}

func (j *judge) of(ctx context.Context, items recon.Items) (*recon.Result, error) {
	if j.whole != nil {
		return j.whole, nil
	}
	result, err := j.view.LookSince(ctx, recon.RunInfo{Program: version}, j.request, items)
	var needed *recon.FullNeeded
	if errors.As(err, &needed) {
		j.whole, err = j.view.Run(ctx, j.request)
		return j.whole, err
	}
	return result, err
}

// account is everything known of one item.
type account struct {
	id       string
	lines    []accountLine // in time order
	attempts []recon.AttemptFinding
	entries  []recon.EntryFinding
	misses   []recon.NearMiss
	orphan   *recon.OutcomeFinding
	implied  bool
}

type accountLine struct {
	at   time.Time
	text string
}

// accountOf collects what is known of an id.
func accountOf(ctx context.Context, view *sql.ReadTx, judge *judge, id string) (*account, error) {
	a := &account{id: id}
	named, err := view.Named(ctx, id)
	if err != nil {
		return nil, err
	}
	if len(named.Attempts)+len(named.Entries)+len(named.Outcomes) == 0 {
		return nil, fmt.Errorf("nothing recorded has the id %q: neither an attempt nor an entry nor an outcome", id)
	}
	result, err := judge.of(ctx, named)
	if err != nil {
		return nil, err
	}
	if err := a.find(ctx, view, result, named); err != nil {
		return nil, err
	}
	ids := []string{id}
	for n := range a.attempts {
		if of := a.attempts[n].Attempt.ID; !slices.Contains(ids, of) {
			ids = append(ids, of)
		}
		for _, l := range a.attempts[n].Links {
			a.entryLine(l.Entry)
		}
		if err := a.nearMisses(ctx, view, judge, &a.attempts[n]); err != nil {
			return nil, err
		}
	}
	for _, id := range ids {
		facts, err := view.Explain(ctx, id)
		if err != nil && !errors.Is(err, sql.ErrNotFound) {
			return nil, err
		}
		a.chronicle(facts)
	}
	for n := range a.entries {
		a.entryLine(&a.entries[n].Entry)
	}
	slices.SortStableFunc(a.lines, func(x, y accountLine) int { return cmp.Or(x.at.Compare(y.at), cmp.Compare(x.text, y.text)) })
	a.lines = slices.Compact(a.lines)
	return a, nil
}

// find looks what the id names up among what is listed first, then among the clean pairs.
func (a *account) find(ctx context.Context, books recon.Books, result *recon.Result, named recon.Items) error {
	isNamed := func(f *recon.AttemptFinding) bool {
		return slices.Contains(named.Attempts, f.Attempt.ID) ||
			slices.ContainsFunc(f.Links, func(l recon.Link) bool { return slices.Contains(named.Entries, l.Entry.No) })
	}
	listed := result.Listed()
	for _, f := range listed.Entries {
		if slices.Contains(named.Entries, f.Entry.No) {
			a.entries = append(a.entries, *f)
		}
	}
	for _, f := range listed.Attempts {
		if isNamed(f) {
			a.attempts = append(a.attempts, *f)
		}
	}
	for _, f := range listed.Outcomes {
		if slices.Contains(named.Outcomes, f.Outcome.AttemptID) {
			a.orphan = f
		}
	}
	if len(a.attempts)+len(a.entries) > 0 || a.orphan != nil {
		return nil
	}
	for n := range result.Attempts {
		if f := &result.Attempts[n]; isNamed(f) {
			return a.addImplied(ctx, books, f.Attempt.ID, f.Links[0].Entry.No, f.Links[0].Tier)
		}
	}
	for pair, err := range pairsOf(ctx, result) {
		if err != nil {
			return err
		}
		if slices.Contains(named.Attempts, pair.AttemptID) || slices.Contains(named.Entries, pair.EntryNo) {
			return a.addImplied(ctx, books, pair.AttemptID, pair.EntryNo, pair.Tier)
		}
	}
	return nil
}

// pairsOf are the clean pairs that a result implies; one that judged everything in full implies none.
func pairsOf(ctx context.Context, result *recon.Result) iter.Seq2[recon.ImpliedPair, error] {
	if result.ImpliedPairs == nil {
		return func(func(recon.ImpliedPair, error) bool) {}
	}
	return result.ImpliedPairs(ctx)
}

// addImplied spells out what a clean pair implies.
func (a *account) addImplied(ctx context.Context, books recon.Books, attempt string, entry int64, tier recon.Tier) error {
	cases, err := books.AttemptsByID(ctx, []string{attempt})
	if err != nil || len(cases) == 0 {
		return err
	}
	entries, err := books.EntriesByNo(ctx, []int64{entry})
	if err != nil || len(entries) == 0 {
		return err
	}
	a.implied = true
	evidence := recon.Evidence{Outcome: recon.SaysSucceeded, Settlement: recon.Settled}
	class, rule := recon.Classify(evidence)
	a.attempts = []recon.AttemptFinding{{
		Attempt: cases[0].Attempt, Outcomes: cases[0].Outcomes, Class: class, Evidence: evidence, Rule: rule,
		Links: []recon.Link{{Entry: &entries[0], Tier: tier, Role: recon.RoleSettles}},
	}}
	return nil
}

// nearMisses adds the entries that could have been the attempt's and are not, with the reasons.
func (a *account) nearMisses(ctx context.Context, view *sql.ReadTx, judge *judge, f *recon.AttemptFinding) error {
	entries, err := view.EntriesLike(ctx, f.Attempt)
	if err != nil || len(entries) == 0 {
		return err
	}
	var items recon.Items
	for n := range entries {
		items.Entries = append(items.Entries, entries[n].No)
	}
	result, err := judge.of(ctx, items)
	if err != nil {
		return err
	}
	owners, err := ownersOf(ctx, result, entries)
	if err != nil {
		return err
	}
	a.misses = append(a.misses, recon.NearMisses(result.Policy, recon.Case{Attempt: f.Attempt, Outcomes: f.Outcomes}, f.Links, entries, owners)...)
	return nil
}

// ownersOf names the attempts that entries belong to, by entry number.
func ownersOf(ctx context.Context, result *recon.Result, entries []ledger.Entry) (map[int64][]string, error) {
	clean := map[int64]bool{}
	for n := range entries {
		clean[entries[n].No] = true
	}
	owners := map[int64][]string{}
	for n := range result.Entries {
		f := &result.Entries[n]
		if clean[f.Entry.No] {
			delete(clean, f.Entry.No)
			if f.Class != recon.Ambiguous {
				owners[f.Entry.No] = f.Attempts
			}
		}
	}
	if len(clean) == 0 {
		return owners, nil
	}
	for pair, err := range pairsOf(ctx, result) {
		if err != nil {
			return nil, err
		}
		if clean[pair.EntryNo] {
			owners[pair.EntryNo] = []string{pair.AttemptID}
		}
	}
	return owners, nil
}

// chronicle adds what happened, and what runs said of it.
func (a *account) chronicle(facts []sql.Fact) {
	first := map[string]time.Time{} // delivery of an attempt
	count := map[string]int{}
	for _, f := range facts {
		switch {
		case f.Attempt != nil:
			at := f.Attempt
			a.add(f.At, "attempt %s: %s to %s, reference %q, session %s, id by %s", oneLine(at.ID), ledger.FormatMoney(at.Minor, at.Currency),
				orNone(oneLine(at.DestAccount)), at.Reference, orNone(oneLine(at.SessionID)), at.IDSource)
		case f.Delivery != nil:
			id := f.Delivery.AttemptID
			if count[id]++; count[id] == 1 {
				first[id] = f.At
				continue
			}
			a.add(f.At, "delivery %d of the same call, %s after the first", count[id], f.At.Sub(first[id]))
		case f.Outcome != nil:
			a.add(f.At, "outcome %s%s%s", f.Outcome.Status, prefixed(", provider reference ", f.Outcome.ProviderRef), prefixed(", error ", f.Outcome.Error))
		case f.Session != nil:
			a.add(f.At, "session %s %s", oneLine(f.Session.SessionID), f.Session.Event)
		case f.Entry != nil:
			a.entryLine(f.Entry)
		case f.Finding != nil:
			a.findingLine(f.Finding)
		case f.Mark.Superseded:
			a.add(f.At, "run %d: the mark of %s is superseded by the outcome %s", f.Mark.RunID, oneLine(f.Mark.AttemptID), f.Mark.Status)
		default:
			a.add(f.At, "run %d marked %s unknown, %s after the attempt", f.Mark.RunID, oneLine(f.Mark.AttemptID), ageOf(time.Time{}, time.Time{}.Add(f.Mark.Age)))
		}
	}
}

// findingLine says what a run said of an item, which holds until the next run that says another thing.
func (a *account) findingLine(f *sql.FindingEvent) {
	what := map[recon.Population]string{recon.Attempts: "attempt", recon.Entries: "entry", recon.Outcomes: "outcome"}[f.Population]
	if f.Class == "" {
		a.add(f.AsOf, "run %d: %s %s is clean from here on", f.RunID, what, oneLine(f.Item))
		return
	}
	a.add(f.AsOf, "run %d %s: %s %s is %s%s%s%s", f.RunID, f.Event, what, oneLine(f.Item), f.Class, prefixed(", rule ", f.Rule),
		prefixed(", ", f.Reason), prefixed(", points to ", string(f.Cause)))
}

// prefixed is a text behind a prefix, or nothing if there is none.
func prefixed(prefix, text string) string {
	if text == "" {
		return ""
	}
	return prefix + oneLine(text)
}

func (a *account) entryLine(e *ledger.Entry) {
	at := e.OccurredAt
	if at.IsZero() {
		at = e.BookedOn.Time()
	}
	a.add(at, "entry %s, %s: %s of %s, booked on %s, to %s, at %s:%d", oneLine(e.ID), e.Status, e.Kind,
		ledger.FormatMoney(e.Outflow(), e.Currency), e.BookedOn, orNone(e.CounterpartyAccount), e.File, e.Line)
}

func (a *account) add(at time.Time, format string, args ...any) {
	a.lines = append(a.lines, accountLine{at, fmt.Sprintf(format, args...)})
}

func orNone(s string) string {
	if s == "" {
		return "(none)"
	}
	return s
}

// text is the account for a person.
func (a *account) text() string {
	var b strings.Builder
	for _, line := range a.lines {
		fmt.Fprintf(&b, "%s  %s\n", line.at.UTC().Format("2006-01-02T15:04:05.000Z"), line.text)
	}
	for n := range a.attempts {
		writeDecision(&b, &a.attempts[n])
	}
	for _, f := range a.entries {
		fmt.Fprintf(&b, "\nentry %s is %s", oneLine(f.Entry.ID), f.Class)
		if f.Reason != "" {
			fmt.Fprintf(&b, " (%s)", f.Reason)
		}
		fmt.Fprintf(&b, ": %s\n", recon.InfoOf(recon.Entries, f.Class).Meaning)
	}
	if a.orphan != nil {
		fmt.Fprintf(&b, "\noutcome of %s (%s) is %s: %s\n", oneLine(a.orphan.Outcome.AttemptID), a.orphan.Outcome.Status, a.orphan.Class,
			recon.InfoOf(recon.Outcomes, a.orphan.Class).Meaning)
	}
	for n, miss := range a.misses {
		if n == 0 {
			b.WriteString("\nlike it, and not linked\n")
		}
		fmt.Fprintf(&b, "  %s, %s on %s: %s\n", oneLine(miss.Entry.ID), ledger.FormatMoney(miss.Entry.Outflow(), miss.Entry.Currency), miss.Entry.BookedOn,
			oneLine(strings.Join(miss.Why, "; ")))
	}
	if a.implied {
		b.WriteString("\nclean: nothing of it is stored; being recorded and in no finding is its record\n")
	}
	return b.String()
}

// writeDecision says what was concluded of an attempt, and from what.
func writeDecision(b *strings.Builder, f *recon.AttemptFinding) {
	info := recon.InfoOf(recon.Attempts, f.Class)
	fmt.Fprintf(b, "\nattempt %s is %s: %s\n", oneLine(f.Attempt.ID), f.Class, info.Meaning)
	fmt.Fprintf(b, "  evidence     outcome %s, settlement %s\n", f.Evidence.Outcome, f.Evidence.Settlement)
	fmt.Fprintf(b, "  rule         %s (rule set %s)\n", f.Rule, recon.RuleSet)
	for _, l := range f.Links {
		fmt.Fprintf(b, "  link         %s %s, by %s\n", oneLine(l.Entry.ID), l.Role, l.Tier)
	}
	for _, d := range f.Differences {
		fmt.Fprintf(b, "  differs      %s: attempt %s, ledger %s\n", d.Field, d.Attempt, d.Ledger)
	}
	for _, e := range f.Candidates {
		fmt.Fprintf(b, "  candidate    %s, %s\n", oneLine(e.ID), ledger.FormatMoney(e.Outflow(), e.Currency))
	}
	for _, flag := range f.Flags {
		fmt.Fprintf(b, "  flag         %s %s\n", flag.Name, oneLine(flag.Of))
	}
	if f.Cause != recon.NoCause {
		fmt.Fprintf(b, "  points to    %s (%s)\n", f.Cause, f.CauseDetail)
	}
	fmt.Fprintf(b, "  do next      %s\n", info.DoNext)
}

// json is the account for machines.
func (a *account) json() ordered {
	events := []ordered{}
	for _, line := range a.lines {
		events = append(events, ordered{{"at", line.at.UTC().Format(time.RFC3339Nano)}, {"what", line.text}})
	}
	items := []item{}
	for n := range a.attempts {
		items = append(items, attemptItem(&a.attempts[n]))
	}
	for n := range a.entries {
		items = append(items, entryItem(&a.entries[n]))
	}
	if a.orphan != nil {
		items = append(items, outcomeItem(a.orphan.Outcome.AttemptID, a.orphan.Class, a.orphan.Joined, a.orphan.Flags))
	}
	rules := []string{}
	for n := range a.attempts {
		rules = append(rules, a.attempts[n].Rule)
	}
	misses := []ordered{}
	for _, m := range a.misses {
		misses = append(misses, ordered{{"entry_id", m.Entry.ID}, {"why", m.Why}})
	}
	return ordered{{"id", a.id}, {"events", events}, {"items", items}, {"rules", rules}, {"implied", a.implied}, {"near_misses", misses}}
}
