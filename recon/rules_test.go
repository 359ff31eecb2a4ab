package recon_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agentrecon/recon"
)

var update = flag.Bool("update", false, "rewrite golden files")

// golden compares text with a file in testdata, or rewrites it.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}

func TestEveryCellHasOneRule(t *testing.T) {
	for _, settlement := range recon.SettlementAxes {
		rows := 0
		for _, rule := range recon.Rules {
			if rule.Settlement == settlement {
				rows++
			}
		}
		if rows != 1 {
			t.Errorf("%s: got %d rows, want 1", settlement, rows)
		}
	}
	for _, outcome := range recon.OutcomeAxes {
		columns := 0
		for _, column := range recon.OutcomeColumns {
			if slices.Contains(column.Outcomes, outcome) {
				columns++
			}
		}
		if columns != 1 {
			t.Errorf("%s: got %d columns, want 1", outcome, columns)
		}
	}
	if got, want := len(recon.OutcomeAxes)*len(recon.SettlementAxes), 7*14; got != want {
		t.Errorf("got %d cells, want %d", got, want)
	}
	if len(recon.Rules) != len(recon.SettlementAxes) {
		t.Errorf("got %d rules, want one for each of %d settlements", len(recon.Rules), len(recon.SettlementAxes))
	}
}

// eachEvidence calls with all evidence there is: every cell, variances by kind.
func eachEvidence(each func(recon.Evidence)) {
	for _, settlement := range recon.SettlementAxes {
		variances := []recon.VarianceKind{recon.NoVariance}
		if settlement == recon.Variance {
			variances = []recon.VarianceKind{recon.PayeeDiffers, recon.CurrencyDiffers, recon.AmountDiffers}
		}
		for _, variance := range variances {
			for _, outcome := range recon.OutcomeAxes {
				each(recon.Evidence{Outcome: outcome, Settlement: settlement, Variance: variance})
			}
		}
	}
}

func TestEveryCellNamesAClassOfAttempts(t *testing.T) {
	used := map[recon.Class]bool{}
	eachEvidence(func(e recon.Evidence) {
		class, rule := recon.Classify(e)
		used[class] = true
		recon.InfoOf(recon.Attempts, class) // panics where there is none
		if want := string(e.Settlement) + " × " + string(e.Outcome); rule != want {
			t.Errorf("%v: got rule %q, want %q", e, rule, want)
		}
	})
	for _, info := range recon.AttemptClasses {
		if !used[info.Class] {
			t.Errorf("no evidence leads to %s", info.Class)
		}
	}
}

func TestTheTableIsTheDocumentedOne(t *testing.T) {
	var b strings.Builder
	eachEvidence(func(e recon.Evidence) {
		class, _ := recon.Classify(e)
		info := recon.InfoOf(recon.Attempts, class)
		fmt.Fprintf(&b, "%-16s %-8s × %-13s → %-24s %-13s %s\n", e.Settlement, e.Variance, e.Outcome, class, info.Kind, info.Priority)
	})
	golden(t, "rules.golden", b.String())
}

func TestEveryClassHasInfo(t *testing.T) {
	kinds := []recon.Kind{recon.Clean, recon.Timing, recon.Unresolved, recon.Mismatch, recon.NotConcluded, recon.LedgerOnly, recon.Excluded}
	for _, p := range []recon.Population{recon.Attempts, recon.Entries, recon.Outcomes} {
		seen := map[recon.Class]bool{}
		for _, info := range recon.ClassesOf(p) {
			if seen[info.Class] {
				t.Errorf("%s: %s is listed twice", p, info.Class)
			}
			seen[info.Class] = true
			if !slices.Contains(kinds, info.Kind) {
				t.Errorf("%s: %s has the kind %q", p, info.Class, info.Kind)
			}
			if !slices.Contains(recon.Priorities, info.Priority) {
				t.Errorf("%s: %s has the priority %q", p, info.Class, info.Priority)
			}
			if info.Meaning == "" || info.DoNext == "" {
				t.Errorf("%s: %s lacks its meaning or what to do next", p, info.Class)
			}
			wants := info.Kind == recon.Unresolved || info.Kind == recon.Mismatch
			if wants && (info.Priority == recon.NoPriority || !info.Listed) {
				t.Errorf("%s: %s needs somebody to act, and has no priority or is not listed", p, info.Class)
			}
		}
	}
}

// Every count of a report counts kinds, so that the kinds of a population sum to it.
func TestKindsSumToThePopulation(t *testing.T) {
	kinds := []recon.Kind{recon.Clean, recon.Timing, recon.Unresolved, recon.Mismatch, recon.NotConcluded, recon.LedgerOnly, recon.Excluded}
	var totals recon.Totals
	for _, p := range []recon.Population{recon.Attempts, recon.Entries, recon.Outcomes} {
		var one recon.PopulationTotals
		for n, info := range recon.ClassesOf(p) {
			one.Classes = append(one.Classes, recon.ClassTally{Class: info.Class, Tally: recon.Tally{Count: int64(n + 1)}})
			one.Count += int64(n + 1)
		}
		switch p {
		case recon.Attempts:
			totals.Attempts = one
		case recon.Entries:
			totals.Entries = one
		default:
			totals.Outcomes = one
		}
		var got int64
		for _, kind := range kinds {
			got += totals.CountKind(p, kind)
		}
		if got != one.Count {
			t.Errorf("%s: kinds sum to %d, want %d", p, got, one.Count)
		}
	}
}
