package recon_test

import (
	"cmp"
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"agentrecon/recon"
	"agentrecon/recon/recontest"
)

// Two programs that share nothing but the decision table, and were written from the same text, agree on every item.
func TestEngineAgreesWithTheReference(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawCase(t)
		checkReference(t, c.world, c.request)
	})
}

func TestEngineAgreesWithTheReferenceOnScenarios(t *testing.T) {
	for _, path := range scenarioPaths(t) {
		s := openScenario(t, path)
		t.Run(path, func(t *testing.T) { checkReference(t, s.world, s.request) })
	}
}

// checkReference compares everything that the two conclude, and reports whether they agree to the letter or only up to the
// freedom that the text leaves.
//
// Where more equal entries fit than equal attempts want, the text does not say which of them are taken: entries of one
// day and an instant within it have no order of time, and either choice may leave one that fits nobody else. Then it may be
// another of several entries of one amount, payee and reference that is linked, left or listed, and another pair that could
// trade.
func checkReference(t rapid.TB, w recontest.World, request recon.Request) (toTheLetter bool) {
	t.Helper()
	result := mustRun(t, w, request)
	got := concluded(t, w, result)
	want := recontest.Reference(w, request.Policy, request.AsOf)
	if diff := differing(figuresOf(want), figuresIn(result.WholeTotals)); diff != "" {
		t.Errorf("totals (-reference +engine):\n%s%s", diff, sketch(w))
	}
	if reflect.DeepEqual(want, got) {
		return true
	}
	diff := differing(facts(want), facts(got))
	if otherChoice := !slices.Equal(paired(want), paired(got)); diff != "" && (!otherChoice || !slices.Equal(amongEquals(w, want), amongEquals(w, got))) {
		t.Errorf("(-reference +engine):\n%s%s", diff, sketch(w))
	}
	return diff == ""
}

// figuresOf counts what is concluded of everything, as a run does.
func figuresOf(c recontest.Conclusions) []string {
	count := map[string]int64{}
	for _, a := range c.Attempts {
		count["attempts "+string(a.Class)]++
		if a.Cause != recon.NoCause {
			count["cause "+string(a.Cause)]++
		}
		if a.Stale {
			count["unknown marked"]++
		}
		if slices.ContainsFunc(a.Flags, func(f recon.Flag) bool { return f.Name == recon.FlagDegradedID }) {
			count["degraded ids"]++
		}
	}
	for _, e := range c.Entries {
		count["entries "+string(e.Class)]++
		if e.Class == recon.OutOfScope {
			count["out of scope "+e.Reason]++
		}
	}
	for _, o := range c.Outcomes {
		count["outcomes "+string(o.Class)]++
	}
	count["newly marked"] = int64(len(c.Marks))
	return figureLines(count)
}

// figuresIn are the same figures as a run has them.
func figuresIn(totals recon.Totals) []string {
	count := map[string]int64{"unknown marked": totals.UnknownMarked, "newly marked": totals.NewlyMarked, "degraded ids": totals.DegradedIDs}
	for name, p := range map[string]recon.PopulationTotals{"attempts ": totals.Attempts, "entries ": totals.Entries, "outcomes ": totals.Outcomes} {
		for _, c := range p.Classes {
			count[name+string(c.Class)] += c.Count
		}
	}
	for _, c := range totals.Causes {
		count["cause "+string(c.Cause)] += c.Count
	}
	for _, r := range totals.OutOfScope {
		count["out of scope "+r.Reason] += r.Count
	}
	return figureLines(count)
}

func figureLines(count map[string]int64) []string {
	var lines []string
	for what, n := range count {
		if n != 0 {
			lines = append(lines, fmt.Sprint(what, ": ", n))
		}
	}
	slices.Sort(lines)
	return lines
}

// paired are the facts but those of who could trade: where they differ, another choice was made among equals.
func paired(c recontest.Conclusions) []string {
	return slices.DeleteFunc(facts(c), func(fact string) bool { return strings.HasSuffix(fact, string(recon.FlagInterchangeable)) })
}

// amongEquals are the facts where entries of one amount, payee and reference have one name, and nothing is said of who could
// trade.
func amongEquals(w recontest.World, c recontest.Conclusions) []string {
	names := map[string]string{}
	firsts := map[string]string{}
	for n := range w.Entries {
		e := &w.Entries[n]
		payee := strings.ReplaceAll(strings.ToUpper(e.CounterpartyAccount), " ", "")
		signature := fmt.Sprint(e.Amount, e.Gross, e.Currency, e.Status, payee, e.MerchantReference)
		if firsts[signature] == "" {
			firsts[signature] = e.ID
		}
		names[e.ID] = firsts[signature]
	}
	var blurred []string
	for _, fact := range facts(c) {
		words := strings.Fields(fact)
		for n := range words {
			if name := names[words[n]]; name != "" {
				words[n] = name
			}
		}
		if !slices.Contains(words, string(recon.FlagInterchangeable)) {
			blurred = append(blurred, strings.Join(words, " "))
		}
	}
	slices.Sort(blurred)
	return blurred
}

// differing are the facts of one list only.
func differing(want, got []string) string {
	var b strings.Builder
	for _, fact := range want {
		if !slices.Contains(got, fact) {
			b.WriteString("- " + fact + "\n")
		}
	}
	for _, fact := range got {
		if !slices.Contains(want, fact) {
			b.WriteString("+ " + fact + "\n")
		}
	}
	return b.String()
}

// facts are conclusions as sorted lines, one a fact, so that a difference reads like a sentence.
func facts(c recontest.Conclusions) []string {
	var lines []string
	say := func(what, id, format string, args ...any) {
		lines = append(lines, fmt.Sprintf(what+" "+id+" "+format, args...))
	}
	flags := func(what, id string, flags []recon.Flag) {
		for _, flag := range flags {
			say(what, id, "flag %s", strings.TrimSpace(string(flag.Name)+" "+flag.Of))
		}
	}
	for id, a := range c.Attempts {
		say("attempt", id, "%s (%s, %v) because %q", a.Class, a.Rule, a.Evidence, a.Cause)
		say("attempt", id, "age %s stale %v marked %v", a.Age, a.Stale, a.Marked)
		for _, l := range a.Links {
			say("attempt", id, "link %s %s by %s", l.Role, l.Entry, l.Tier)
		}
		for _, e := range a.Candidates {
			say("attempt", id, "candidate %s", e)
		}
		for n, d := range a.Differences {
			say("attempt", id, "difference %d %+v", n, d)
		}
		flags("attempt", id, a.Flags)
	}
	for id, e := range c.Entries {
		say("entry", id, "%s (%s) of %v by %s", e.Class, e.Reason, e.Attempts, e.Tier)
		flags("entry", id, e.Flags)
	}
	for id, o := range c.Outcomes {
		say("outcome", id, "%s to %q", o.Class, o.Joined)
		flags("outcome", id, o.Flags)
	}
	for id := range c.Marks {
		say("attempt", id, "is to be marked")
	}
	for id, status := range c.Superseded {
		say("attempt", id, "mark is superseded by %s", status)
	}
	slices.Sort(lines)
	return lines
}

// concluded is what the engine says of every item, clean pairs included, in the words of the reference.
func concluded(t rapid.TB, w recontest.World, result *recon.Result) recontest.Conclusions {
	t.Helper()
	all := recontest.Conclusions{
		Attempts: map[string]recontest.AttemptConclusion{}, Entries: map[string]recontest.EntryConclusion{}, Outcomes: map[string]recontest.OutcomeConclusion{},
		Marks: map[string]bool{}, Superseded: map[string]recon.OutcomeStatus{},
	}
	for n := range result.Attempts {
		f := &result.Attempts[n]
		c := recontest.AttemptConclusion{
			Class: f.Class, Evidence: f.Evidence, Rule: f.Rule, Differences: f.Differences, Flags: f.Flags, Cause: f.Cause,
			Age: f.Age, Stale: f.Stale, Marked: !f.Attempt.MarkedAt.IsZero(),
		}
		for _, l := range f.Links {
			c.Links = append(c.Links, recontest.LinkConclusion{Entry: l.Entry.ID, Role: l.Role, Tier: l.Tier})
		}
		slices.SortFunc(c.Links, func(x, y recontest.LinkConclusion) int {
			return cmp.Or(cmp.Compare(x.Entry, y.Entry), cmp.Compare(x.Role, y.Role), cmp.Compare(x.Tier, y.Tier))
		})
		for _, e := range f.Candidates {
			c.Candidates = append(c.Candidates, e.ID)
		}
		all.Attempts[f.Attempt.ID] = c
	}
	for n := range result.Entries {
		f := &result.Entries[n]
		all.Entries[f.Entry.ID] = recontest.EntryConclusion{Class: f.Class, Reason: f.Reason, Attempts: f.Attempts, Tier: f.Tier, Flags: f.Flags}
	}
	for pair, err := range result.ImpliedPairs(context.Background()) {
		if err != nil {
			t.Fatal(err)
		}
		c := recontest.AttemptConclusion{
			Class: recon.Matched, Evidence: recon.Evidence{Outcome: recon.SaysSucceeded, Settlement: recon.Settled}, Rule: "settled × succeeded",
			Links: []recontest.LinkConclusion{{Entry: pair.EntryID, Role: recon.RoleSettles, Tier: pair.Tier}}, Age: result.AsOf.Sub(pair.ProposedAt),
		}
		if pair.IDSource.Degraded() {
			c.Flags = []recon.Flag{{Name: recon.FlagDegradedID}}
		}
		all.Attempts[pair.AttemptID] = c
		all.Entries[pair.EntryID] = recontest.EntryConclusion{Class: recon.Matched, Attempts: []string{pair.AttemptID}, Tier: pair.Tier}
	}
	for _, o := range w.Outcomes { // joined by id is what is said nothing of
		all.Outcomes[o.AttemptID] = recontest.OutcomeConclusion{Class: recon.Joined, Joined: o.AttemptID}
	}
	for n := range result.Outcomes {
		f := &result.Outcomes[n]
		all.Outcomes[f.Outcome.AttemptID] = recontest.OutcomeConclusion{Class: f.Class, Joined: f.Joined, Flags: f.Flags}
	}
	for _, m := range result.Marks {
		all.Marks[m.AttemptID] = true
	}
	for _, o := range result.Superseded {
		all.Superseded[o.AttemptID] = o.Status
	}
	return all
}
