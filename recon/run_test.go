package recon_test

import (
	"context"
	"errors"
	"iter"
	"strings"
	"testing"
	"time"

	"agentrecon/ledger"
	"agentrecon/recon"
	"agentrecon/recon/recontest"
)

// lyingBooks report control totals that are off by one.
type lyingBooks struct {
	recon.Books
	lie func(*recon.Controls)
}

func (b lyingBooks) Controls(ctx context.Context, period ledger.Period) (recon.Controls, error) {
	c, err := b.Books.Controls(ctx, period)
	b.lie(&c)
	return c, err
}

func sampleRequest() recon.Request {
	return recon.Request{AsOf: time.Date(2025, 4, 20, 0, 0, 0, 0, time.UTC), Policy: recon.DefaultPolicy()}
}

func TestRunThatDoesNotTieOutIsRefused(t *testing.T) {
	lies := map[string]func(*recon.Controls){
		"an attempt more":     func(c *recon.Controls) { c.Attempts[0].Count++ },
		"a cent more":         func(c *recon.Controls) { c.Attempts[0].Minor++ },
		"an entry less":       func(c *recon.Controls) { c.Entries[0].Count-- },
		"a cent less":         func(c *recon.Controls) { c.Entries[0].Minor-- },
		"a booked entry more": func(c *recon.Controls) { c.Booked[0].Count++ },
		"a booked cent more":  func(c *recon.Controls) { c.Booked[0].Minor++ },
		"an outcome more":     func(c *recon.Controls) { c.Outcomes++ },
		"a delivery less":     func(c *recon.Controls) { c.Deliveries-- },
		"another currency":    func(c *recon.Controls) { c.Attempts[0].Currency = "CHF" },
		"nothing at all":      func(c *recon.Controls) { *c = recon.Controls{} },
	}
	for name, lie := range lies {
		for _, period := range []ledger.Period{{}, ledger.Month(2025, time.March, time.UTC)} {
			request := sampleRequest()
			request.Period = period
			books := lyingBooks{recontest.NewBooks(recontest.Sample()), lie}
			if _, err := recon.Run(t.Context(), books, request); !errors.Is(err, recon.ErrProof) {
				t.Errorf("%s, %s: got %v, want ErrProof", name, period, err)
			}
		}
	}
}

var errBroken = errors.New("the disk is on fire")

// brokenBooks fail in one method.
type brokenBooks struct {
	recon.Books
	broken string
}

func (b brokenBooks) fail(method string) error {
	if b.broken == method {
		return errBroken
	}
	return nil
}

func (b brokenBooks) Size(ctx context.Context) (int64, error) {
	size, _ := b.Books.Size(ctx)
	return size, b.fail("size")
}

func (b brokenBooks) AttemptRows(ctx context.Context) iter.Seq2[*recon.AttemptRow, error] {
	return brokenStream(b.fail("attempts stream"), b.Books.AttemptRows(ctx))
}

func (b brokenBooks) OutcomeRows(ctx context.Context) iter.Seq2[*recon.OutcomeRow, error] {
	return brokenStream(b.fail("outcomes stream"), b.Books.OutcomeRows(ctx))
}

func (b brokenBooks) RemarkRows(ctx context.Context) iter.Seq2[*recon.RemarkRow, error] {
	return brokenStream(b.fail("remarks stream"), b.Books.RemarkRows(ctx))
}

func (b brokenBooks) EntryRows(ctx context.Context) iter.Seq2[*ledger.Entry, error] {
	return brokenStream(b.fail("entries stream"), b.Books.EntryRows(ctx))
}

func brokenStream[T any](err error, stream iter.Seq2[*T, error]) iter.Seq2[*T, error] {
	if err != nil {
		return func(yield func(*T, error) bool) { yield(nil, err) }
	}
	return stream
}

func (b brokenBooks) AttemptsByID(ctx context.Context, ids []string) ([]recon.Case, error) {
	cases, _ := b.Books.AttemptsByID(ctx, ids)
	return cases, b.fail("attempts")
}

func (b brokenBooks) EntriesByNo(ctx context.Context, nos []int64) ([]ledger.Entry, error) {
	entries, _ := b.Books.EntriesByNo(ctx, nos)
	return entries, b.fail("entries")
}

func (b brokenBooks) EntriesByProviderID(ctx context.Context, ids []string) ([]ledger.Entry, error) {
	entries, _ := b.Books.EntriesByProviderID(ctx, ids)
	return entries, b.fail("originals")
}

func (b brokenBooks) AttemptIDsByArgs(ctx context.Context, hashes []string) ([]string, error) {
	ids, _ := b.Books.AttemptIDsByArgs(ctx, hashes)
	return ids, b.fail("hashes")
}

func (b brokenBooks) OrphansByID(ctx context.Context, ids []string) ([]recon.Outcome, error) {
	orphans, _ := b.Books.OrphansByID(ctx, ids)
	return orphans, b.fail("orphans")
}

func (b brokenBooks) Sessions(ctx context.Context, ids []string) ([]recon.Session, error) {
	sessions, _ := b.Books.Sessions(ctx, ids)
	return sessions, b.fail("sessions")
}

func (b brokenBooks) Coverage(ctx context.Context) ([]ledger.Coverage, error) {
	coverage, _ := b.Books.Coverage(ctx)
	return coverage, b.fail("coverage")
}

func (b brokenBooks) Controls(ctx context.Context, period ledger.Period) (recon.Controls, error) {
	controls, _ := b.Books.Controls(ctx, period)
	return controls, b.fail("controls")
}

func TestRunReportsWhatItCouldNotRead(t *testing.T) {
	for _, method := range []string{
		"size", "attempts stream", "outcomes stream", "remarks stream", "entries stream", "attempts", "entries", "originals", "hashes", "orphans", "sessions", "coverage", "controls",
	} {
		_, err := recon.Run(t.Context(), brokenBooks{recontest.NewBooks(recontest.Sample()), method}, sampleRequest())
		if !errors.Is(err, errBroken) {
			t.Errorf("%s: got %v, want the books' error", method, err)
		}
	}
}

func TestRunRefusesWhatNoRunCouldFollow(t *testing.T) {
	books := recontest.NewBooks(recontest.Sample())
	if _, err := recon.Run(t.Context(), books, recon.Request{Policy: recon.DefaultPolicy()}); !errors.Is(err, recon.ErrNoAsOf) {
		t.Errorf("got %v, want ErrNoAsOf", err)
	}
	for name, change := range map[string]func(*recon.Policy){
		"stale_after":        func(p *recon.Policy) { p.StaleAfter = 0 },
		"settlement_window":  func(p *recon.Policy) { p.SettlementWindowDays = -1 },
		"clock_skew":         func(p *recon.Policy) { p.ClockSkew = 25 * time.Hour },
		"reask_window":       func(p *recon.Policy) { p.ReaskWindow = -1 },
		"timezone":           func(p *recon.Policy) { p.Zone = nil },
		"systemic_threshold": func(p *recon.Policy) { p.SystemicThreshold = 0 },
		"holidays":           func(p *recon.Policy) { p.Holidays = []ledger.Date{1} },
		"holidays: must":     func(p *recon.Policy) { p.BusinessDays, p.Holidays = true, []ledger.Date{2, 1} },
		"reference_cut":      func(p *recon.Policy) { p.ReferenceCuts = []int{11} },
		"reference_cut: m":   func(p *recon.Policy) { p.ReferenceCuts = []int{27, 16} },
		"tolerance":          func(p *recon.Policy) { p.Tolerances = []recon.CurrencyTolerance{{Currency: "USD"}, {Currency: "EUR"}} },
		"fee_rule":           func(p *recon.Policy) { p.FeeRules = []recon.FeeRule{{Currency: "USD", Fixed: -1, PerMillion: 1}} },
		"fee_rule: must be": func(p *recon.Policy) {
			p.FeeRules = []recon.FeeRule{{Currency: "USD", Fixed: 1}, {Currency: "USD", Fixed: 1}}
		},
	} {
		request := sampleRequest()
		change(&request.Policy)
		if _, err := recon.Run(t.Context(), books, request); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("got %v, want an error that names %s", err, name)
		}
	}
}

func TestRunOverNothing(t *testing.T) {
	result, err := recon.Run(t.Context(), recontest.NewBooks(recontest.World{}), sampleRequest())
	if err != nil {
		t.Fatal(err)
	}
	if got := items(t, result); len(got) != 0 {
		t.Errorf("got %q, want nothing", got)
	}
}

// A replay is served by an entry that counts once, and a batch by one for each of its attempts.
func TestLinksAreCountedByAttempt(t *testing.T) {
	for name, want := range map[string]int64{"replay": 1, "batch": 3, "split": 3, "duplicate": 5, "pending-never-competes": 1} {
		s := openScenario(t, "../fixtures/scenarios/"+name+".txtar")
		if got := mustRun(t, s.world, s.request).Totals.LinksByTier[recon.ByKey]; got != want {
			t.Errorf("%s: got %d links by key, want %d", name, got, want)
		}
	}
}
