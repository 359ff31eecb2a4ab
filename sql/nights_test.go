package sql_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"slices"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"agentrecon/ledger"
	"agentrecon/recon"
	"agentrecon/recon/recontest"
	"agentrecon/sql"
	"agentrecon/sql/sqltest"
)

// nightWorlds is how many worlds TestNightsEqualFullRuns draws; each needs a database of its own.
var nightWorlds = flag.Int("nights", 12, "worlds that come to light in nights")

// TestNightsEqualFullRuns lets worlds come to light in any order, by hooks and imports, some of them in transactions that
// commit after a run that began later. After each night what was carried on from what changed must be, to the row, what a
// run over everything concludes from the same snapshot.
func TestNightsEqualFullRuns(t *testing.T) {
	draw := rapid.Custom(recontest.DrawNights)
	var runs, since int
	for n := range *nightWorlds {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			s := nights{nights: draw.Example(n)}
			s.run(t)
			runs, since = runs+len(s.nights)-1, since+s.since
		})
	}
	t.Logf("%d of %d runs looked only at what changed", since, runs)
	if *nightWorlds > 10 && since*2 < runs {
		t.Errorf("only %d of %d runs looked at what changed alone", since, runs)
	}
}

// nights is a world that comes to light in nights; late parts are written before the run and committed after it.
type nights struct {
	nights []recontest.Night
	since  int  // runs that looked only at what changed
	doubts bool // the record was meddled with
}

func (s *nights) run(t *testing.T) {
	url := sqltest.NewURL(t)
	books := keptBooks{sqltest.Open(t, url), sqltest.Connect(t, url)}
	for n, night := range s.nights {
		r := recorder{ctx: t.Context(), tx: books.begin(t)}
		r.live(night.World)
		commit := func() {
			if err := errors.Join(r.err, r.tx.Commit(t.Context())); err != nil {
				t.Fatal(err)
			}
		}
		if !night.Late {
			commit()
		}
		importNight(t, books.DB, night.World)
		if n == len(s.nights)-2 {
			looks(t, books.DB, night.Request)
		}
		s.night(t, books, n, night)
		if night.Late {
			commit()
		}
	}
	verified(t, books.DB)
	again(t, books.DB)
}

// looks concludes of each item what it touches alone, while some of it is new since the last run, and holds that against a run
// over everything.
func looks(t *testing.T, db *sql.DB, request recon.Request) {
	t.Helper()
	view := viewOf(t, db)
	full, err := recon.Run(t.Context(), view, request)
	if err != nil {
		t.Fatal(err)
	}
	want := listedWords(full)
	var items []recon.Items
	for _, f := range full.Attempts {
		items = append(items, recon.Items{Attempts: []string{f.Attempt.ID}})
	}
	for _, f := range full.Entries {
		items = append(items, recon.Items{Entries: []int64{f.Entry.No}})
	}
	for pair, err := range full.ImpliedPairs(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		items = append(items, recon.Items{Attempts: []string{pair.AttemptID}}, recon.Items{Entries: []int64{pair.EntryNo}})
	}
	for _, each := range items {
		result, err := view.LookSince(t.Context(), header(""), request, each)
		var needed *recon.FullNeeded
		if errors.As(err, &needed) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		got := listedWords(result)
		for _, item := range []string{fmt.Sprint("attempt ", each.Attempts), fmt.Sprint("entry ", each.Entries)} {
			if diff := gocmp.Diff(want[item], got[item]); diff != "" {
				t.Errorf("%s (-a run over everything +a look at it):\n%s", item, diff)
			}
		}
	}
}

// listedWords are what a result lists, in words.
func listedWords(result *recon.Result) map[string]string {
	said := map[string]string{}
	listed := result.Listed()
	for _, f := range listed.Attempts {
		links := ""
		for _, l := range f.Links {
			links += fmt.Sprint(" ", l.Entry.No, " ", l.Tier, " ", l.Role)
		}
		said[fmt.Sprint("attempt ", []string{f.Attempt.ID})] = fmt.Sprint(f.Class, f.Evidence, f.Rule, links, f.Flags, f.Differences, f.Cause, f.CauseDetail, f.Stale, f.Outcomes)
	}
	for _, f := range listed.Entries {
		said[fmt.Sprint("entry ", []int64{f.Entry.No})] = fmt.Sprint(f.Class, f.Reason, f.Tier, f.Attempts, f.Flags)
	}
	return said
}

// importNight imports the file of a night, and says of earlier ones what they cover besides.
func importNight(t *testing.T, db *sql.DB, w recontest.World) {
	t.Helper()
	for n, file := range w.Sources {
		w.Sources[n] = described(file.Name, len(w.Entries))
		w.Sources[n].Statements = file.Statements
		importLedger(t, db, file.Name, w)
	}
	for _, c := range w.Coverage {
		if !slices.ContainsFunc(w.Sources, func(f ledger.SourceFile) bool { return f.Name == c.File }) {
			importLedger(t, db, c.File, recontest.World{Coverage: []ledger.Coverage{c}})
		}
	}
}

// again makes every run again, over everything that it saw.
func again(t *testing.T, db *sql.DB) {
	t.Helper()
	runs, err := db.Runs(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, run := range runs {
		view, err := db.ViewAsOf(t.Context(), run.ID)
		if err != nil {
			t.Fatal(err)
		}
		result, err := recon.Run(t.Context(), view, recon.Request{AsOf: run.AsOf, Policy: run.Policy})
		if err != nil {
			t.Fatal(err)
		}
		differences, err := view.Compare(t.Context(), run.ID, result)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range differences {
			t.Errorf("run %d (%s), %s %s:\nrecorded %s\nagain    %s", run.ID, run.Kind, d.Population, d.Item, d.Recorded, d.Again)
		}
		if digest, err := sql.EvidenceDigest(result); err != nil || digest != run.EvidenceDigest {
			t.Errorf("run %d made again: evidence digest %s, recorded %s (%v)", run.ID, digest, run.EvidenceDigest, err)
		}
		view.Close(t.Context())
	}
}

// live writes as hooks do.
func (r *recorder) live(w recontest.World) {
	for _, a := range w.Attempts {
		r.exec(`INSERT INTO transfer_attempts (attempt_id, session_id, amount_cents, dest_account, ref, proposed_at, currency, source_account,
			idempotency_key, id_source, args_sha256, harness)
			VALUES ($1, nullif($2, ''), $3, nullif($4, ''), nullif($5, ''), $6, $7, nullif($8, ''), nullif($9, ''), $10, nullif($11, ''), nullif($12, ''))
			ON CONFLICT (attempt_id) DO NOTHING`,
			a.ID, a.SessionID, a.Minor, a.DestAccount, a.Reference, a.ProposedAt, string(a.Currency), a.SourceAccount, a.IdempotencyKey,
			string(a.IDSource), a.ArgsSHA256, a.Harness)
	}
	for _, o := range w.Outcomes {
		r.exec(`INSERT INTO transfer_outcomes (attempt_id, status, provider_ref, observed_at, args_sha256, error)
			VALUES ($1, $2, nullif($3, ''), $4, nullif($5, ''), nullif($6, ''))
			ON CONFLICT (attempt_id) DO UPDATE SET status = EXCLUDED.status, provider_ref = EXCLUDED.provider_ref`,
			o.AttemptID, string(o.Status), o.ProviderRef, o.ObservedAt, o.ArgsSHA256, o.Error)
	}
	for _, e := range w.Sessions {
		r.exec("INSERT INTO session_events (session_id, event, at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING", e.SessionID, string(e.Event), e.At)
	}
	r.deliveries(w)
}

// night makes one run from what changed, if that is possible, and holds it against one over everything.
func (s *nights) night(t *testing.T, books keptBooks, n int, how recontest.Night) {
	t.Helper()
	tx, err := books.BeginRun(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback(context.Background())
	full, err := recon.Run(t.Context(), tx, how.Request)
	if err != nil {
		t.Fatal(err)
	}
	result, err := tx.RunSince(t.Context(), header(""), how.Request)
	var needed *recon.FullNeeded
	switch {
	case err == nil && how.Full:
		result = full
	case errors.As(err, &needed):
		if needed.Doubt && !s.doubts {
			t.Errorf("night %d: %v", n, err)
		}
		if n > 0 {
			t.Logf("night %d: %v", n, err)
		}
		result = full
	case err != nil:
		t.Fatalf("night %d: %v", n, err)
	default:
		s.since++
	}
	info, err := tx.Record(t.Context(), header(""), result)
	if err != nil {
		t.Fatal(err)
	}
	digest, err := sql.EvidenceDigest(full)
	if err != nil {
		t.Fatal(err)
	}
	if info.EvidenceDigest != digest {
		t.Errorf("night %d: evidence digest: got %s, of a run over everything %s", n, info.EvidenceDigest, digest)
	}
	sameNight(t, fmt.Sprint("night ", n), full, result)
	kept, err := sql.OpenItemsOf(t.Context(), tx)
	if err != nil {
		t.Fatal(err)
	}
	want := full.OpenItems()
	slices.SortFunc(want, recontest.ByItem)
	if diff := gocmp.Diff(want, kept, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("night %d: listed items as later runs find them (-everything +kept):\n%s", n, diff)
	}
	if err := tx.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// sameNight compares the figures of a run over what changed with those of one over everything.
func sameNight(t *testing.T, what string, full, result *recon.Result) {
	t.Helper()
	type figures struct {
		Totals     recon.Totals
		Controls   recon.Controls
		Bridge     []recon.BridgeCurrency
		Checks     []recon.Check
		Marks      []recon.Mark
		Since      time.Time
		Whole      recon.Totals
		WholeLines []recon.BridgeCurrency
	}
	of := func(r *recon.Result) figures {
		return figures{r.Totals, r.Controls, r.Bridge, r.Checks, r.Marks, r.RecordingSince, r.WholeTotals, r.WholeBridge}
	}
	if diff := gocmp.Diff(of(full), of(result), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("%s: figures (-everything +what changed):\n%s", what, diff)
	}
}

// verified checks the chain of runs.
func verified(t *testing.T, db *sql.DB) {
	t.Helper()
	v, err := db.Verify(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, problem := range v.Problems {
		t.Errorf("run %d: %s", problem.RunID, problem.What)
	}
}

// TestLateCommitIsNew has a transaction that began before another commit after the run that saw the other: by number and by
// clock it is older than what the run saw, and it is new to the next run all the same.
func TestLateCommitIsNew(t *testing.T) {
	url := sqltest.NewURL(t)
	books := keptBooks{sqltest.Open(t, url), sqltest.Connect(t, url)}
	at := recontest.Start
	attempt := func(id string) recontest.World {
		return recontest.World{Attempts: []recon.Attempt{{ID: id, Minor: 100, Currency: "EUR", IDSource: recon.IDToolUse, ProposedAt: at}}}
	}
	first := recorder{ctx: t.Context(), tx: books.begin(t)}
	first.live(attempt("first"))
	other := keptBooks{books.DB, sqltest.Connect(t, url)}
	second := recorder{ctx: t.Context(), tx: other.begin(t)}
	second.live(attempt("second"))
	if err := errors.Join(first.err, second.err, second.tx.Commit(t.Context())); err != nil {
		t.Fatal(err)
	}
	var s nights
	night := recontest.Night{Request: recon.Request{AsOf: at.Add(time.Hour), Policy: recon.DefaultPolicy()}}
	s.night(t, books, 0, night)
	if err := first.tx.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.night(t, books, 1, night)
	if s.since != 1 {
		t.Error("the second run looked at everything")
	}
	view := viewOf(t, books.DB)
	totals, err := view.Controls(t.Context(), ledger.Period{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := gocmp.Diff(recon.Sums{{Currency: "EUR", Count: 2, Minor: 200}}, totals.Attempts); diff != "" {
		t.Error(diff)
	}
	again(t, books.DB)
}

// TestNightNeedsWhatIsListed loses a listed item: the next run looks at everything, says why, and mends it.
func TestNightNeedsWhatIsListed(t *testing.T) {
	url := sqltest.NewURL(t)
	books := keptBooks{sqltest.Open(t, url), sqltest.Connect(t, url)}
	r := recorder{ctx: t.Context(), tx: books.begin(t)}
	r.live(recontest.World{Attempts: []recon.Attempt{{ID: "a", Minor: 100, Currency: "EUR", IDSource: recon.IDToolUse, ProposedAt: recontest.Start}}})
	if err := errors.Join(r.err, r.tx.Commit(t.Context())); err != nil {
		t.Fatal(err)
	}
	s := nights{doubts: true}
	night := recontest.Night{Request: recon.Request{AsOf: recontest.Start.Add(time.Hour), Policy: recon.DefaultPolicy()}}
	s.night(t, books, 0, night)
	if _, err := books.conn.Exec(t.Context(), "DELETE FROM recon_open"); err != nil {
		t.Fatal(err)
	}
	night.Request.AsOf = night.Request.AsOf.AddDate(0, 0, 2)
	s.night(t, books, 1, night)
	if s.since != 0 {
		t.Error("a run looked only at what changed though a listed item was lost")
	}
	s.night(t, books, 2, night)
	if s.since != 1 {
		t.Error("the run after did not carry on")
	}
}

// TestCoverageSaidLaterIsOfLaterRuns says of an imported file what it covers after a run: the next run knows it, and the
// past one, made again, does not.
func TestCoverageSaidLaterIsOfLaterRuns(t *testing.T) {
	url := sqltest.NewURL(t)
	books := keptBooks{sqltest.Open(t, url), sqltest.Connect(t, url)}
	r := recorder{ctx: t.Context(), tx: books.begin(t)}
	r.live(recontest.World{Attempts: []recon.Attempt{{ID: "a", Minor: 100, Currency: "EUR", IDSource: recon.IDToolUse, ProposedAt: recontest.Start}}})
	if err := errors.Join(r.err, r.tx.Commit(t.Context())); err != nil {
		t.Fatal(err)
	}
	importLedger(t, books.DB, "f", recontest.World{})
	var s nights
	night := recontest.Night{Request: recon.Request{AsOf: recontest.Start.AddDate(0, 0, 20), Policy: recon.DefaultPolicy()}}
	s.night(t, books, 0, night)
	first := ledger.DateOf(recontest.Start, time.UTC).AddDays(-1)
	importLedger(t, books.DB, "f", recontest.World{Coverage: []ledger.Coverage{{From: first, To: first.AddDays(30), File: "f"}}})
	s.night(t, books, 1, night)
	if s.since != 1 {
		t.Error("the second run looked at everything")
	}
	for run, want := range map[int64]int{1: 0, 2: 1} {
		view, err := books.ViewAsOf(t.Context(), run)
		if err != nil {
			t.Fatal(err)
		}
		sources, err := view.Sources(t.Context())
		view.Close(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if got := len(sources[0].Coverage); got != want {
			t.Errorf("run %d: the file covers %d ranges, want %d", run, got, want)
		}
	}
	again(t, books.DB)
}
