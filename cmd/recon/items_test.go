package main

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agentrecon/recon"
)

// The lines of clean pairs are put together by hand. They are to be those of encoding/json, in the order of the ids.
func TestItemsOfCleanPairs(t *testing.T) {
	ids := []string{
		"a", "a\t", "ab", "a<b>&c", `a"b\c`, "a\x7f", "aß", "a\u2028", "a\n\r\b\f\x01", "toolu_01A", "toolu_01", "toolu_01AB", "toolu_01" + strings.Repeat("x", 40), "\U0001F600", "z",
	}
	tests := []struct {
		name string
		ids  []string
	}{
		{"none", nil}, {"one", ids[:1]}, {"all", ids}, {"begin alike", ids[9:13]}, {"longer than 8 bytes alike", []string{"k-000000000002", "k-000000000001", "k-0000000000011", "k-"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			result := &recon.Result{CleanPairs: func(context.Context, recon.Books) iter.Seq2[recon.ImpliedPair, error] {
				return func(yield func(recon.ImpliedPair, error) bool) {
					for n, id := range test.ids {
						source := recon.IDSources[n%len(recon.IDSources)]
						pair := recon.ImpliedPair{AttemptID: id, EntryID: test.ids[len(test.ids)-1-n] + "/e", IDSource: source, Tier: recon.ByKey + recon.Tier(n%2)}
						if !yield(pair, nil) {
							return
						}
					}
				}
			}}
			var attempts, entries, outcomes []item
			for pair := range result.CleanPairs(t.Context(), nil) {
				var flags []recon.FlagName
				if pair.IDSource.Degraded() {
					flags = append(flags, recon.FlagDegradedID)
				}
				tier := pair.Tier.String()
				attempts = append(attempts, newItem(itemAttempts, pair.AttemptID, recon.Matched, flags, []itemLink{{EntryID: pair.EntryID, Tier: tier}}))
				entries = append(entries, newItem(itemLedger, pair.EntryID, recon.Matched, nil, []itemLink{{AttemptID: pair.AttemptID, Tier: tier}}))
				outcomes = append(outcomes, outcomeItem(pair.AttemptID, recon.Joined, pair.AttemptID, nil))
			}
			var want, got strings.Builder
			encoder := json.NewEncoder(&want)
			encoder.SetEscapeHTML(false)
			for _, items := range [][]item{attempts, entries, outcomes} {
				slices.SortFunc(items, func(a, b item) int { return strings.Compare(a.ID, b.ID) })
				for _, i := range items {
					if err := encoder.Encode(i); err != nil {
						t.Fatal(err)
					}
				}
			}
			if err := writeItems(t.Context(), &got, result, nil); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want.String(), got.String()); diff != "" {
				t.Errorf("items (-encoding/json +got):\n%s", diff)
			}
		})
	}
}

// Blocks of ids are filled one after the other.
func TestManyCleanPairs(t *testing.T) {
	const many = 3 * pairBlock / 40
	l := &pairList{}
	for n := range many {
		l.add(&recon.ImpliedPair{AttemptID: fmt.Sprintf("toolu_%012d", many-n), EntryID: fmt.Sprintf("entry_%020d", n)})
	}
	if len(l.blocks) < 3 {
		t.Fatalf("%d blocks, want several", len(l.blocks))
	}
	for n, at := range l.sorted(l.attempt) {
		if want := many - 1 - n; int(at) != want {
			t.Fatalf("pair %d of the order is %d, want %d", n, at, want)
		}
	}
}
