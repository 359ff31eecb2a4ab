package recon_test

import (
	"context"
	"math/rand/v2"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"agentrecon/ledger"
	"agentrecon/recon"
	"agentrecon/recon/recontest"
)

// drawRequest makes a request for a world of recontest.Draw.
func drawRequest(t *rapid.T) recon.Request {
	policy := recontest.DrawPolicy(t)
	request := recon.Request{AsOf: recontest.Start.AddDate(0, 0, rapid.IntRange(1, 30).Draw(t, "as of")), Policy: policy}
	if rapid.Bool().Draw(t, "period") {
		from := ledger.DateOf(recontest.Start, time.UTC).AddDays(rapid.IntRange(-1, 10).Draw(t, "from"))
		request.Period = ledger.Period{From: from, To: from.AddDays(rapid.IntRange(1, 8).Draw(t, "days")), Zone: policy.Zone}
	}
	return request
}

func mustRun(t rapid.TB, w recontest.World, request recon.Request) *recon.Result {
	t.Helper()
	result, err := recon.Run(context.Background(), recontest.NewBooks(w), request)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

func mustRunUnsieved(t rapid.TB, w recontest.World, request recon.Request) *recon.Result {
	t.Helper()
	result, err := recon.RunUnsieved(context.Background(), recontest.NewBooks(w), request)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// sameTotals compares everything that two results count.
func sameTotals(a, b *recon.Result) string {
	type figures struct {
		Totals, Whole recon.Totals
		Bridge        []recon.BridgeCurrency
		Accounts      []recon.BridgeAccount
		Checks        []recon.Check
	}
	of := func(r *recon.Result) figures { return figures{r.Totals, r.WholeTotals, r.Bridge, r.Accounts, r.Checks} }
	return cmp.Diff(of(a), of(b), cmpopts.EquateEmpty())
}

func TestSieveChangesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, request := recontest.Draw(t), drawRequest(t)
		sieved := mustRun(t, w, request)
		full := mustRunUnsieved(t, w, request)
		if diff := cmp.Diff(items(t, full), items(t, sieved)); diff != "" {
			t.Errorf("items (-everything judged +sieved):\n%s", diff)
		}
		if diff := sameTotals(full, sieved); diff != "" {
			t.Errorf("figures (-everything judged +sieved):\n%s", diff)
		}
		if diff := cmp.Diff(listed(full), listed(sieved)); diff != "" {
			t.Errorf("what is listed (-everything judged +sieved):\n%s", diff)
		}
	})
}

func TestOrderOfReadingChangesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, request := recontest.Draw(t), drawRequest(t)
		// A store numbers entries and keeps versions in the order of recording, which is a fact and not an accident of
		// reading. Entries of equal content may trade numbers, so they have distinct ids here.
		other := w
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		other.Attempts, other.Entries = shuffled(random, w.Attempts), shuffled(random, w.Entries)
		other.Coverage, other.Sessions = shuffled(random, w.Coverage), shuffled(random, w.Sessions)
		first, second := mustRun(t, w, request), mustRun(t, other, request)
		if diff := cmp.Diff(items(t, first), items(t, second)); diff != "" {
			t.Errorf("items (-one order +another):\n%s", diff)
		}
		if diff := sameTotals(first, second); diff != "" {
			t.Errorf("figures (-one order +another):\n%s", diff)
		}
	})
}

func shuffled[T any](random *rand.Rand, values []T) []T {
	other := append([]T(nil), values...)
	random.Shuffle(len(other), func(i, j int) { other[i], other[j] = other[j], other[i] })
	return other
}

// A wider tolerance only turns variances of amount into agreement within tolerance.
func TestToleranceIsMonotone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, request := recontest.Draw(t), drawRequest(t)
		classes := func(tolerance int64) map[string]recon.Evidence {
			request.Policy.Tolerance, request.Policy.Tolerances, request.Policy.FeeRules = recon.Tolerance{Minor: tolerance}, nil, nil
			of := map[string]recon.Evidence{}
			for _, f := range mustRun(t, w, request).Attempts {
				of[f.Attempt.ID] = f.Evidence
			}
			return of
		}
		narrow, wide := classes(0), classes(150)
		for id, was := range narrow {
			is := wide[id]
			tolerated := was.Variance == recon.AmountDiffers && is.Variance == recon.NoVariance &&
				(is.Settlement == recon.WithinTolerance || is.Settlement == recon.Late || is.Settlement == recon.Early)
			if was != is && !tolerated {
				t.Errorf("%s: got %v with tolerance, was %v without", id, is, was)
			}
		}
	})
}

// The calendar as such means nothing: where no clocks change, everything a week later gives the same classes.
func TestShiftByDaysChangesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, request := recontest.Draw(t), drawRequest(t)
		request.Policy.Zone, request.Period = time.UTC, ledger.Period{}
		request.Policy.BusinessDays, request.Policy.Holidays = false, nil
		days := rapid.IntRange(-400, 400).Draw(t, "shift")
		before := mustRun(t, w, request)
		request.AsOf = request.AsOf.AddDate(0, 0, days)
		after := mustRun(t, shifted(w, days), request)
		if diff := cmp.Diff(undated(items(t, before)), undated(items(t, after))); diff != "" {
			t.Errorf("items (-before +after %d days):\n%s", days, diff)
		}
	})
}

var dates = regexp.MustCompile(`date "[^"]*" ≠ "[^"]*"`)

func undated(lines []string) []string {
	for n := range lines {
		lines[n] = dates.ReplaceAllString(lines[n], "date")
	}
	return lines
}

// shifted moves everything in a world by whole days.
func shifted(w recontest.World, days int) recontest.World {
	move := func(t time.Time) time.Time {
		if t.IsZero() {
			return t
		}
		return t.AddDate(0, 0, days)
	}
	other := recontest.World{
		Attempts: slices.Clone(w.Attempts), Outcomes: slices.Clone(w.Outcomes), Sessions: slices.Clone(w.Sessions),
		Deliveries: slices.Clone(w.Deliveries), Entries: slices.Clone(w.Entries), Coverage: slices.Clone(w.Coverage), Marks: slices.Clone(w.Marks),
	}
	for n := range other.Attempts {
		other.Attempts[n].ProposedAt = move(other.Attempts[n].ProposedAt)
	}
	for n := range other.Outcomes {
		other.Outcomes[n].ObservedAt = move(other.Outcomes[n].ObservedAt)
	}
	for n := range other.Sessions {
		other.Sessions[n].At = move(other.Sessions[n].At)
	}
	for n := range other.Deliveries {
		other.Deliveries[n].ReceivedAt = move(other.Deliveries[n].ReceivedAt)
	}
	for n := range other.Marks {
		other.Marks[n].MarkedAt = move(other.Marks[n].MarkedAt)
	}
	for n := range other.Coverage {
		other.Coverage[n].From, other.Coverage[n].To = other.Coverage[n].From.AddDays(days), other.Coverage[n].To.AddDays(days)
	}
	for n := range other.Entries {
		e := &other.Entries[n]
		e.OccurredAt, e.BookedOn = move(e.OccurredAt), e.BookedOn.AddDays(days)
	}
	return other
}
