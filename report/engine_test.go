package report_test

import (
	"context"
	"io"
	"iter"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"agentrecon/fixtures/quarter"
	"agentrecon/ledger"
	"agentrecon/recon"
	"agentrecon/recon/recontest"
	"agentrecon/report"
)

// engineReport runs the engine on a world and makes the report of a period, with the population of agreed attempts.
func engineReport(ctx context.Context, w recontest.World, period ledger.Period, asOf time.Time) (*recon.Report, report.Options, error) {
	books := recontest.NewBooks(w)
	policy := recon.DefaultPolicy()
	result, err := recon.Run(ctx, books, recon.Request{AsOf: asOf, Policy: policy, Period: period})
	if err != nil {
		return nil, report.Options{}, err
	}
	run := recon.RunInfo{ID: 1, Kind: "full", AsOf: asOf, RecordedAt: asOf, RuleSet: recon.RuleSet, Program: "recon test"}
	r, err := recon.NewReport(ctx, books, result, run, "Example Payments Ltd", []recon.RunInfo{run})
	return r, report.Options{Agreed: func(ctx context.Context) iter.Seq2[recon.AgreedPair, error] {
		return recon.AgreedPairs(ctx, result, books)
	}}, err
}

func quarterReport(t *testing.T, names ...string) *recon.Report {
	t.Helper()
	var w recontest.World
	for _, f := range quarter.Generate(1) {
		if slices.Contains(names, f.Name) {
			if err := w.ReadFile(f.Name, f.Data, ledger.ReadOptions{}); err != nil {
				t.Fatal(err)
			}
		}
	}
	r, _, err := engineReport(t.Context(), w, ledger.Quarter(2025, 1, time.UTC), time.Date(2025, 4, 7, 0, 0, 0, 0, time.UTC))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestTheQuarterSaysWhatHappened(t *testing.T) {
	r := quarterReport(t, "attempts.csv", "outcomes.csv", "sessions.csv", "ledger.csv")
	sum, err := report.Write(t.Context(), io.Discard, r, report.Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := "Final, EUR, Q1 2025: 1 recorded attempt has 2 ledger entries (EUR 2,346.40 excess) and 1 of EUR 7,812.00 has none " +
		"(provider refused it); counts net to 0, values to EUR −5,465.60, gross EUR 10,158.40; 13 attempts (EUR 25,415.34) lack an " +
		"outcome, 12 of them in the ledger; 0 entries lack an attempt; coverage complete (inferred); all tie-outs agree."
	if sum.Sentence != want {
		t.Errorf("got sentence\n%s\nwant\n%s", sum.Sentence, want)
	}
}

// Whatever a run concludes, its report ties: the sheets count what the run counts, the population of agreed attempts
// included, and the bridge of the sheets is the bridge of the run.
func TestEveryDrawnRunTies(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := recontest.Draw(t)
		asOf := recontest.Start.AddDate(0, 0, rapid.IntRange(0, 40).Draw(t, "as of"))
		first := ledger.DateOf(recontest.Start, time.UTC)
		period := rapid.SampledFrom([]ledger.Period{{}, {From: first, To: first.AddDays(3)}, {From: first.AddDays(3), To: first.AddDays(30)}}).Draw(t, "period")
		r, opts, err := engineReport(context.Background(), w, period, asOf)
		if err != nil {
			t.Fatal(err)
		}
		sum, err := report.Write(context.Background(), io.Discard, r, opts)
		if err != nil {
			t.Fatal(err)
		}
		if sum.State == report.DoNotRely {
			t.Fatalf("got %s, want a report that ties: %s", sum.State, sum.Sentence)
		}
	})
}
