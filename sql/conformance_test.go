package sql_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/jackc/pgx/v5"
	"pgregory.net/rapid"

	"agentrecon/ledger"
	"agentrecon/recon"
	"agentrecon/recon/recontest"
	"agentrecon/sql"
	"agentrecon/sql/sqltest"
)

// TestBooksConform holds the books in the database to the suite that every kind of books must pass.
func TestBooksConform(t *testing.T) {
	recontest.TestBooks(t, func(t *testing.T, w recontest.World) recon.Books { return viewOf(t, keep(t, w).DB) })
}

// keptBooks are a database of a test's own.
type keptBooks struct {
	*sql.DB
	conn *pgx.Conn
}

func (k keptBooks) begin(t *testing.T) pgx.Tx {
	t.Helper()
	tx, err := k.conn.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return tx
}

// keep records a world in a database of its own: what hooks write row by row, the ledger by imports.
func keep(t *testing.T, w recontest.World) keptBooks {
	t.Helper()
	url := sqltest.NewURL(t)
	books := keptBooks{sqltest.Open(t, url), sqltest.Connect(t, url)}
	r := recorder{ctx: t.Context(), tx: books.begin(t)}
	r.hooks(w)
	r.deliveries(w)
	r.marks(w, recontest.Start.AddDate(-1, 0, 0))
	r.exec("ALTER TABLE transfer_outcomes ENABLE ALWAYS TRIGGER history_of_insert") // r.hooks went round it
	if err := errors.Join(r.err, r.tx.Commit(t.Context())); err != nil {
		t.Fatal(err)
	}
	if len(w.Sources) == 0 {
		importLedger(t, books.DB, "f", w)
	}
	for _, file := range w.Sources {
		importLedger(t, books.DB, file.Name, w)
	}
	return books
}

// importLedger imports the entries and the coverage that a world has from one file.
func importLedger(t *testing.T, db *sql.DB, name string, w recontest.World) {
	t.Helper()
	file := described(name, len(w.Entries))
	if at := slices.IndexFunc(w.Sources, func(f ledger.SourceFile) bool { return f.Name == name }); at >= 0 {
		file = w.Sources[at]
	}
	file.ImportedAt, file.ImportedBy = start, "tester"
	for _, c := range w.Coverage {
		if c.File == name {
			file.Coverage = append(file.Coverage, c)
		}
	}
	source := func(each func(*ledger.Entry) error) (ledger.SourceFile, error) {
		for _, e := range w.Entries {
			if e.File != name {
				continue
			}
			if err := each(&e); err != nil {
				return ledger.SourceFile{}, err
			}
		}
		return file, nil
	}
	if _, err := db.ImportEntries(t.Context(), source, sql.ImportOptions{}); err != nil {
		t.Fatal(err)
	}
}

func viewOf(t *testing.T, db *sql.DB) *sql.ReadTx {
	t.Helper()
	view, err := db.View(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { view.Close(context.Background()) })
	return view
}

// TestPeriodsOfAnotherZone lays down by hand what belongs to a day in Berlin when its clocks go forward: 23 hours, from
// 23:00 to 22:00 in UTC, the first instant included and the last not. Entries have a day of their own and no zone.
func TestPeriodsOfAnotherZone(t *testing.T) {
	day := ledger.NewDate(2025, time.March, 30)
	var w recontest.World
	begins, ends := time.Date(2025, 3, 29, 23, 0, 0, 0, time.UTC), time.Date(2025, 3, 30, 22, 0, 0, 0, time.UTC)
	for n, at := range []time.Time{begins.Add(-time.Microsecond), begins, ends.Add(-time.Microsecond), ends} {
		id := fmt.Sprint("a", n)
		w.Attempts = append(w.Attempts, recon.Attempt{
			ID: id, Minor: 1 << n, Currency: "EUR", IDSource: recon.IDToolUse, ArgsSHA256: fmt.Sprint("h", n), ProposedAt: at,
		})
		w.Deliveries = append(w.Deliveries, recon.Delivery{AttemptID: id, ReceivedAt: at}, recon.Delivery{AttemptID: id, ReceivedAt: at.Add(36 * time.Hour)})
		// Without an attempt of its id, but with the arguments of one: it counts on that attempt's day.
		w.Outcomes = append(w.Outcomes, recon.Outcome{AttemptID: fmt.Sprint("x", n), Status: recon.Failed, ArgsSHA256: fmt.Sprint("h", n), ObservedAt: at.Add(36 * time.Hour)})
		w.Entries = append(w.Entries, ledger.Entry{
			ID: fmt.Sprint("e", n), BookedOn: day.AddDays(n - 1), Amount: -(1 << n), Currency: "EUR", Kind: ledger.KindPayment,
			Status: ledger.StatusBooked, File: "f", Line: n + 2,
		})
	}
	// Nobody's outcomes count on the day on which they were observed.
	for n, at := range []time.Time{begins, ends} {
		w.Outcomes = append(w.Outcomes, recon.Outcome{AttemptID: fmt.Sprint("y", n), Status: recon.Failed, ObservedAt: at})
	}
	view := viewOf(t, keep(t, w).DB)
	period := ledger.Period{From: day, To: day.AddDays(1), Zone: berlin(t)}
	got, err := view.Controls(t.Context(), period)
	if err != nil {
		t.Fatal(err)
	}
	want := recon.Controls{
		Attempts: recon.Sums{{Currency: "EUR", Count: 2, Minor: 2 + 4}}, Outcomes: 3, Deliveries: 4,
		Entries: recon.Sums{{Currency: "EUR", Count: 1, Minor: 2}}, Booked: recon.Sums{{Currency: "EUR", Count: 1, Minor: 2}},
		DeliveriesOf: recon.Sums{{Currency: "EUR", Count: 4}}, Accounts: []recon.AccountSums{{Currency: "EUR", Count: 1, Minor: 2, Booked: 1, BookedMinor: 2}},
	}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("control totals of %s in Berlin (-want +got):\n%s", day, diff)
	}
	repeats, err := view.Repeats(t.Context(), period)
	if err != nil {
		t.Fatal(err)
	}
	var repeated []string
	for _, r := range repeats {
		repeated = append(repeated, fmt.Sprint(r.Attempt.ID, " ", r.Nth, " ", r.After))
	}
	if diff := gocmp.Diff([]string{"a1 2 36h0m0s", "a2 2 36h0m0s"}, repeated); diff != "" {
		t.Errorf("repeats of %s in Berlin (-want +got):\n%s", day, diff)
	}
}

func berlin(t interface{ Fatal(args ...any) }) *time.Location {
	zone, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	return zone
}

// worlds is how many worlds TestRunsConform draws. Each needs a database of its own, for runs are committed.
const worlds = 30

// TestRunsConform runs over drawn worlds, in memory and in the database, and compares everything concluded. Then more
// is imported and run over: the next run comes to what memory comes to with both worlds, and the first run, made again
// from what it saw, to the same as before.
func TestRunsConform(t *testing.T) {
	draw := rapid.Custom(func(t *rapid.T) conformance {
		return conformance{first: recontest.Draw(t), later: recontest.Draw(t), request: drawRequest(t)}
	})
	for n := range worlds {
		t.Run(fmt.Sprint(n), func(t *testing.T) { draw.Example(n).check(t) })
	}
}

type conformance struct {
	first, later recontest.World
	request      recon.Request
}

func drawRequest(t *rapid.T) recon.Request {
	policy := recon.DefaultPolicy()
	policy.SystemicThreshold = 2
	policy.SettlementWindowDays = rapid.SampledFrom([]int{0, 1, 5}).Draw(t, "window")
	policy.Accounts = rapid.SampledFrom([][]string{nil, nil, {"S1"}}).Draw(t, "accounts")
	policy.Zone = rapid.SampledFrom([]*time.Location{time.UTC, berlin(t)}).Draw(t, "zone")
	request := recon.Request{AsOf: recontest.Start.AddDate(0, 0, rapid.IntRange(5, 30).Draw(t, "as of")), Policy: policy}
	if rapid.Bool().Draw(t, "period") {
		from := ledger.DateOf(recontest.Start, time.UTC).AddDays(rapid.IntRange(-1, 10).Draw(t, "from"))
		request.Period = ledger.Period{From: from, To: from.AddDays(rapid.IntRange(1, 8).Draw(t, "days")), Zone: policy.Zone}
	}
	return request
}

func (c conformance) check(t *testing.T) {
	c.first.Sessions = eachOnce(c.first.Sessions)
	db := keep(t, c.first)
	want := concluded(t, recontest.NewBooks(c.first), c.request)
	first, got := recorded(t, db.DB, c.request)
	sameConclusions(t, "first run", want, got)
	sameDigest(t, "first run", want, first)

	both := c.goOn(t, db, got.Marks, first.ID)
	request := c.request
	request.AsOf = request.AsOf.AddDate(0, 0, 1)
	want = concluded(t, recontest.NewBooks(both), request)
	second, got := recorded(t, db.DB, request)
	sameConclusions(t, "run after further imports", want, got)
	sameDigest(t, "run after further imports", want, second)

	want = concluded(t, recontest.NewBooks(c.first), c.request)
	view, err := db.ViewAsOf(t.Context(), first.ID)
	if err != nil {
		t.Fatal(err)
	}
	defer view.Close(t.Context())
	got = concluded(t, view, c.request)
	sameConclusions(t, "first run made again", want, got)
	sameDigest(t, "first run made again", got, first)
}

// eachOnce drops repeated session events, which the database keeps once.
func eachOnce(events []recon.SessionEvent) []recon.SessionEvent {
	var kept []recon.SessionEvent
	for _, e := range events {
		if !slices.Contains(kept, e) {
			kept = append(kept, e)
		}
	}
	return kept
}

// goOn imports the later world after the first, whose attempts get further outcomes, deliveries and session events, and
// returns the two as one, with the marks of the run between them.
func (c conformance) goOn(t *testing.T, books keptBooks, marks []recon.Mark, run int64) recontest.World {
	t.Helper()
	both, later := c.first, c.later
	for n := range later.Attempts {
		later.Attempts[n].ID = "b" + later.Attempts[n].ID
	}
	for n := range later.Entries {
		later.Entries[n].ID, later.Entries[n].File = "b"+later.Entries[n].ID, "later"
	}
	for n := range later.Coverage {
		later.Coverage[n].File = "later"
	}
	later.Outcomes = slices.Clone(later.Outcomes)
	for n := range later.Outcomes {
		if n%2 == 0 {
			later.Outcomes[n].AttemptID = "b" + later.Outcomes[n].AttemptID
		}
	}
	later.Outcomes = unheard(both.Outcomes, later.Outcomes)
	importLater(t, books, later)
	both.Attempts = slices.Concat(both.Attempts, later.Attempts)
	both.Outcomes = slices.Concat(both.Outcomes, later.Outcomes)
	both.Sessions = eachOnce(slices.Concat(both.Sessions, later.Sessions))
	both.Deliveries = slices.Concat(both.Deliveries, later.Deliveries)
	both.Entries = slices.Concat(both.Entries, later.Entries)
	both.Coverage = slices.Concat(both.Coverage, later.Coverage)
	both.Marks = slices.Clone(both.Marks)
	for _, m := range marks {
		m.RunID = run
		both.Marks = append(both.Marks, m)
	}
	return both
}

// unheard are the outcomes observed at moments at which nothing was observed of their attempt before: another content
// of the same moment would be a contradiction, which an import refuses.
func unheard(before, later []recon.Outcome) []recon.Outcome {
	var kept []recon.Outcome
	for _, o := range later {
		same := func(x recon.Outcome) bool { return x.AttemptID == o.AttemptID && x.ObservedAt.Equal(o.ObservedAt) }
		if !slices.ContainsFunc(before, same) && !slices.ContainsFunc(kept, same) {
			kept = append(kept, o)
		}
	}
	return kept
}

// importLater imports everything of a world but its marks; deliveries have no file of their own.
func importLater(t *testing.T, books keptBooks, w recontest.World) {
	t.Helper()
	sessions := func(each func(recon.SessionEvent, int) error) (ledger.SourceFile, error) {
		for n, e := range w.Sessions {
			if err := each(e, n+2); err != nil {
				return ledger.SourceFile{}, err
			}
		}
		return described("later sessions", len(w.Sessions)), nil
	}
	_, err1 := books.ImportAttempts(t.Context(), attemptFile("later attempts", w.Attempts...), sql.ImportOptions{})
	_, err2 := books.ImportOutcomes(t.Context(), outcomeFile("later outcomes", w.Outcomes...), sql.ImportOptions{})
	_, err3 := books.ImportSessions(t.Context(), sessions, sql.ImportOptions{})
	r := recorder{ctx: t.Context(), tx: books.begin(t)}
	r.deliveries(w)
	if err := errors.Join(err1, err2, err3, r.err, r.tx.Commit(t.Context())); err != nil {
		t.Fatal(err)
	}
	importLedger(t, books.DB, "later", w)
}

// conclusions are a result, its clean pairs, which it only implies, and what a report of it reads beside.
type conclusions struct {
	*recon.Result
	Implied []recon.ImpliedPair
	Repeats []recon.Repeat
}

func concluded(t *testing.T, books recon.Books, request recon.Request) conclusions {
	t.Helper()
	result, err := recon.Run(t.Context(), books, request)
	if err != nil {
		t.Fatal(err)
	}
	c := conclusions{Result: result}
	for pair, err := range result.ImpliedPairs(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		c.Implied = append(c.Implied, pair)
	}
	if c.Repeats, err = books.Repeats(t.Context(), request.Period); err != nil {
		t.Fatal(err)
	}
	return c
}

// recorded runs over the database and commits what was concluded.
func recorded(t *testing.T, db *sql.DB, request recon.Request) (recon.RunInfo, conclusions) {
	t.Helper()
	tx, err := db.BeginRun(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback(t.Context())
	c := concluded(t, tx, request)
	info, err := tx.Record(t.Context(), header(""), c.Result)
	if err != nil {
		t.Fatal(err)
	}
	if err := tx.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	return info, c
}

func sameConclusions(t *testing.T, what string, want, got conclusions) {
	t.Helper()
	// The functions are compared by what they yield; policy and period were given.
	given := cmpopts.IgnoreFields(recon.Result{}, "ImpliedPairs", "ImpliedPairsFrom", "CleanPairs", "Policy", "Period")
	if diff := gocmp.Diff(want, got, given, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("%s (-memory +database):\n%s", what, diff)
	}
}

func sameDigest(t *testing.T, what string, c conclusions, run recon.RunInfo) {
	t.Helper()
	digest, err := sql.EvidenceDigest(c.Result)
	if err != nil {
		t.Fatal(err)
	}
	if digest != run.EvidenceDigest {
		t.Errorf("%s: evidence digest: got %s, recorded %s", what, digest, run.EvidenceDigest)
	}
}
