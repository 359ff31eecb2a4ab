package recontest

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"agentrecon/ledger"
	"agentrecon/recon"
)

// Sample is a world with every kind of row and the values that stores trip over: nothing where something may be
// missing, two spellings, the edges of a period, microseconds, amounts at the bound, letters outside ASCII.
func Sample() World {
	at := func(s string) time.Time {
		t, err := time.Parse(time.RFC3339Nano, s)
		if err != nil {
			panic(err)
		}
		return t
	}
	day := func(d int) ledger.Date { return ledger.NewDate(2025, time.March, d) }
	h := func(c string) string { return string(slices.Repeat([]byte(c), 64)) }
	return World{
		Attempts: []recon.Attempt{
			{
				ID: "toolu_01", SessionID: "s1", Minor: 781200, Currency: "EUR", SourceAccount: "DE75512108001245126199", DestAccount: "DE02 1203 0000 0000 2020 51",
				Reference: "Müller 2025/17", IdempotencyKey: "Key-1", KeySource: "caller", IDSource: recon.IDToolUse, ArgsSHA256: h("a"), Tool: "pay", Harness: "claude-code",
				AgentID: "agent-7", TurnID: "turn-3", Host: "runner-7", ProposedAt: at("2025-03-01T00:00:00Z"),
			},
			{ID: "a2", Minor: 1, Currency: "USD", IDSource: recon.IDUnspecified, ProposedAt: at("2025-03-31T23:59:59.999999Z"), ArgsSHA256: h("b")},
			{ID: "A2", SessionID: "s1", Minor: ledger.MaxMinor, Currency: "JPY", IDSource: recon.IDFallbackHash, ProposedAt: at("2025-02-28T23:59:59.999999Z"), ArgsSHA256: h("c")},
			{ID: "a4", SessionID: "s2", Minor: 500, Currency: "EUR", DestAccount: "X", IdempotencyKey: "key-1", IDSource: recon.IDLegacyWindow, ProposedAt: at("2025-04-01T00:00:00Z"), ArgsSHA256: h("c")},
			{ID: "a5", SessionID: "s3", Minor: 500, Currency: "EUR", IDSource: recon.IDWeakToolUse, ProposedAt: at("2025-03-10T09:00:00.000001Z")},
		},
		Outcomes: []recon.Outcome{
			{AttemptID: "toolu_01", Status: recon.Interrupted, Error: "Zeitüberschreitung", ObservedAt: at("2025-03-01T00:00:05Z")},
			{AttemptID: "toolu_01", Status: recon.Succeeded, ProviderRef: "pi_1", ArgsSHA256: h("a"), ObservedAt: at("2025-03-01T00:01:05.123456Z")},
			{AttemptID: "a2", Status: recon.Denied, ObservedAt: at("2025-04-01T00:00:01Z")},
			{AttemptID: "a5", Status: recon.Succeeded, ProviderRef: "pi_5", ObservedAt: at("2025-03-10T09:00:01Z")},
			{AttemptID: "x1", Status: recon.Succeeded, ProviderRef: "pi_x", ObservedAt: at("2025-03-31T23:59:59Z")},
			{AttemptID: "x2", Status: recon.Failed, Error: "card declined", ArgsSHA256: h("b"), ObservedAt: at("2025-04-02T00:00:00Z")},
			{AttemptID: "x3", Status: recon.TimedOut, ArgsSHA256: h("c"), ObservedAt: at("2025-04-01T00:00:00Z")},
			{AttemptID: "x3", Status: recon.Unknown, ArgsSHA256: h("c"), ObservedAt: at("2025-04-01T00:00:01Z")},
		},
		Sessions: []recon.SessionEvent{
			{SessionID: "s1", Event: recon.SessionInterrupted, At: at("2025-03-01T00:02:00Z")},
			{SessionID: "s1", Event: recon.SessionStarted, At: at("2025-02-28T23:00:00Z")},
			{SessionID: "s1", Event: recon.SessionEnded, At: at("2025-03-01T00:02:00Z")},
			{SessionID: "s9", Event: recon.SessionCrashed, At: at("2025-03-05T00:00:00Z")},
		},
		Deliveries: []recon.Delivery{
			{AttemptID: "toolu_01", ReceivedAt: at("2025-03-01T00:00:31Z"), ArgsSHA256: h("a")},
			{AttemptID: "toolu_01", ReceivedAt: at("2025-03-01T00:00:00.4Z"), ArgsSHA256: h("a")},
			{AttemptID: "toolu_01", ReceivedAt: at("2025-03-01T00:00:02Z")},
			{AttemptID: "A2", ReceivedAt: at("2025-03-01T00:00:00Z"), ArgsSHA256: h("d")},
			{AttemptID: "A2", ReceivedAt: at("2025-02-28T23:59:59.999999Z"), ArgsSHA256: h("c")},
			{AttemptID: "a5", ReceivedAt: at("2025-03-10T09:00:00.000001Z")},
		},
		Entries: []ledger.Entry{
			{
				ID: "e1", ProviderID: "pi_1", AccountID: "DE75512108001245126199", BookedOn: day(1), ValueOn: day(2), OccurredAt: at("2025-03-01T08:00:00.5Z"),
				Amount: -781235, Currency: "EUR", Gross: ledger.Some(-781200), Fee: ledger.Some(-35), Net: ledger.Some(-781235), Kind: ledger.KindPayment, Status: ledger.StatusBooked,
				CounterpartyName: "Müller & Söhne", CounterpartyAccount: "DE02120300000000202051", EndToEndID: "E2E-1", IdempotencyKey: "Key-1",
				MerchantReference: "MUELLER 2025 17", RemittanceText: "Rechnung\nvom 1. März", GroupID: "po_1", File: "march.csv", Line: 2,
			},
			{ID: "e2", BookedOn: day(31), Amount: -1, Currency: "USD", Kind: ledger.KindTransfer, Status: ledger.StatusPending, File: "march.csv", Line: 3},
			{ID: "e3", BookedOn: ledger.NewDate(2025, time.February, 28), Amount: ledger.MaxMinor, Currency: "JPY", Kind: ledger.KindRefund, Status: ledger.StatusBooked, OriginalProviderID: "pi_1", ProviderID: "re_1", File: "march.csv", Line: 4},
			{ID: "e4", BookedOn: ledger.NewDate(2025, time.April, 1), Amount: -500, Currency: "EUR", Fee: ledger.Some(0), Kind: ledger.KindPayment, Status: ledger.StatusRejected, ProviderID: "pi_1", File: "april.csv", Line: 2},
			{ID: "E1", BookedOn: day(15), Amount: -500, Currency: "EUR", Kind: ledger.KindPayment, Status: ledger.StatusBooked, ProviderID: "PI_1", File: "april.csv", Line: 3},
		},
		Coverage: []ledger.Coverage{
			{AccountID: "DE75512108001245126199", From: day(1), To: ledger.NewDate(2025, time.April, 1), File: "march.csv"},
			{From: ledger.NewDate(2025, time.February, 28), To: day(2), Inferred: true, File: "april.csv"},
		},
		Marks: []recon.Mark{{AttemptID: "a4", RunID: 1, MarkedAt: at("2025-04-03T02:00:00Z"), Age: 50 * time.Hour, Threshold: 24 * time.Hour}},
		Sources: []ledger.SourceFile{
			{Name: "march.csv", SHA256: h("1"), Population: "ledger", Format: "csv", Profile: "generic/1", Accounts: []string{"DE75512108001245126199"}, Rows: 3, New: 3, Proof: ledger.Proof{State: ledger.ProofNone, Detail: "no balances"}},
			{Name: "april.csv", SHA256: h("2"), Population: "ledger", Format: "csv", Profile: "generic/1", Rows: 2, New: 2, Proof: ledger.Proof{State: ledger.ProofNone, Detail: "no balances"}},
		},
	}
}

// samplePeriods are everything, and a month in two zones: its edges cut between rows of the sample.
func samplePeriods(t *testing.T) map[string]ledger.Period {
	zone, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Fatal(err)
	}
	return map[string]ledger.Period{
		"everything": {}, "March": ledger.Month(2025, time.March, time.UTC), "March in New York": ledger.Month(2025, time.March, zone),
	}
}

// TestBooks checks that books opened on [Sample] give what is in it. Entry numbers are the store's own; everything else
// must agree to the last field. Of the sources, name, digest and counts are compared.
func TestBooks(t *testing.T, open func(t *testing.T, w World) recon.Books) {
	t.Helper()
	books, want := open(t, Sample()), NewBooks(Sample())
	s := &suite{books: books, want: want}
	t.Run("streams of attempts, outcomes and remarks", s.streams)
	t.Run("entries stream, by number and by provider id", s.entries)
	t.Run("attempts by id and by argument hash", s.attempts)
	t.Run("orphan outcomes, sessions, coverage, sources", s.rest)
	t.Run("repeats", s.repeats)
	t.Run("control totals", s.controls)
	t.Run("a run comes to the same", s.run)
}

type suite struct{ books, want recon.Books }

func same(t *testing.T, what string, want, got any) {
	t.Helper()
	if diff := gocmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

func (s *suite) streams(t *testing.T) {
	read := func(b recon.Books) (rows []any) {
		size, err := b.Size(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		remarks, err := Remarks(t.Context(), b)
		if err != nil {
			t.Fatal(err)
		}
		return append(rows, size,
			sortedRows(t, b.AttemptRows(t.Context()), func(row recon.AttemptRow) string { return row.ID }),
			sortedRows(t, b.OutcomeRows(t.Context()), func(row recon.OutcomeRow) string { return row.AttemptID }),
			remarks)
	}
	got := read(s.books)
	same(t, "attempts, outcomes, remarks", read(s.want), got)
	same(t, "attempts, outcomes, remarks read again", got, read(s.books))
}

func sortedRows[T any](t *testing.T, stream iter.Seq2[*T, error], key func(T) string) []T {
	t.Helper()
	var rows []T
	for row, err := range stream {
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, *row)
	}
	slices.SortFunc(rows, func(a, b T) int { return cmp.Compare(key(a), key(b)) })
	return rows
}

// Remarks are what the remarks of a stream come to, by attempt.
func Remarks(ctx context.Context, b recon.Books) (map[string]recon.RemarkRow, error) {
	all := map[string]recon.RemarkRow{}
	for row, err := range b.RemarkRows(ctx) {
		if err != nil {
			return nil, err
		}
		known := all[row.AttemptID]
		all[row.AttemptID] = recon.RemarkRow{
			AttemptID: row.AttemptID, Deliveries: max(known.Deliveries, row.Deliveries), IDReused: known.IDReused || row.IDReused,
			MarkedAt: cmp.Or(row.MarkedAt, known.MarkedAt),
		}
	}
	return all, nil
}

// idsOf are the attempt ids that outcomes name.
func idsOf(t *testing.T, b recon.Books) []string {
	t.Helper()
	var ids []string
	for _, row := range sortedRows(t, b.OutcomeRows(t.Context()), func(row recon.OutcomeRow) string { return row.AttemptID }) {
		ids = append(ids, row.AttemptID)
	}
	return ids
}

func (s *suite) entries(t *testing.T) {
	// read returns the entries in full, by number, and checks that the stream says the same.
	read := func(b recon.Books) []ledger.Entry {
		streamed := map[int64]ledger.Entry{}
		nos := []int64{1 << 40}
		for e, err := range b.EntryRows(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			streamed[e.No] = *e
			nos = append(nos, e.No)
		}
		entries, err := b.EntriesByNo(t.Context(), append(nos, nos[1]))
		if err != nil {
			t.Fatal(err)
		}
		same(t, "how many entries, by number, each once", len(streamed), len(entries))
		for n := range entries {
			same(t, "streamed entry", recon.StreamedEntry(&entries[n]), streamed[entries[n].No])
		}
		var ids, want []recon.EntryID
		for id, err := range b.EntryIDs(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			ids = append(ids, *id)
		}
		for n := range entries {
			want = append(want, recon.EntryID{No: entries[n].No, ID: entries[n].ID})
		}
		same(t, "ids of entries, by number", want, ids)
		return entries
	}
	got := read(s.books)
	same(t, "entries", byID(read(s.want)), byID(got))
	same(t, "entries by number, sorted", slices.SortedFunc(slices.Values(got), func(a, b ledger.Entry) int { return cmp.Compare(a.No, b.No) }), got)
	byProvider, err := s.books.EntriesByProviderID(t.Context(), []string{"pi_1", "none", "pi_1"})
	if err != nil {
		t.Fatal(err)
	}
	same(t, "entries by provider id, exactly spelled", slices.DeleteFunc(slices.Clone(got), func(e ledger.Entry) bool { return e.ProviderID != "pi_1" }), byProvider)
}

// byID sorts entries by id and takes their numbers away, which are each store's own.
func byID(entries []ledger.Entry) []ledger.Entry {
	entries = slices.SortedFunc(slices.Values(entries), func(a, b ledger.Entry) int { return cmp.Compare(a.ID, b.ID) })
	for n := range entries {
		entries[n].No = 0
	}
	return entries
}

func (s *suite) attempts(t *testing.T) {
	for what, ids := range map[string][]string{"all": {"a5", "toolu_01", "A2", "a4", "a2", "a5"}, "strangers": {"nobody", "TOOLU_01"}, "none": nil} {
		want, _ := s.want.AttemptsByID(t.Context(), ids)
		got, err := s.books.AttemptsByID(t.Context(), ids)
		if err != nil {
			t.Fatal(err)
		}
		same(t, "attempts by id: "+what, want, got)
	}
	for _, c := range []string{"a", "b", "c", "f"} {
		hashes := []string{string(slices.Repeat([]byte(c), 64))}
		want, _ := s.want.AttemptIDsByArgs(t.Context(), hashes)
		got, err := s.books.AttemptIDsByArgs(t.Context(), hashes)
		if err != nil {
			t.Fatal(err)
		}
		same(t, "attempts by argument hash "+c, want, got)
	}
}

func (s *suite) rest(t *testing.T) {
	named := idsOf(t, s.want)
	wantOrphans, _ := s.want.OrphansByID(t.Context(), named)
	orphans, err := s.books.OrphansByID(t.Context(), append(named, "nobody", named[0]))
	if err != nil {
		t.Fatal(err)
	}
	same(t, "orphan outcomes", wantOrphans, orphans)
	ids := []string{"s9", "s1", "s3", "nobody", "s1"}
	wantSessions, _ := s.want.Sessions(t.Context(), ids)
	sessions, err := s.books.Sessions(t.Context(), ids)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "sessions", wantSessions, sessions)
	wantCoverage, _ := s.want.Coverage(t.Context())
	coverage, err := s.books.Coverage(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	same(t, "coverage", wantCoverage, coverage)
	sources, err := s.books.Sources(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var got, want []ledger.SourceFile
	brief := func(f ledger.SourceFile) ledger.SourceFile {
		return ledger.SourceFile{Name: f.Name, SHA256: f.SHA256, Population: f.Population, Rows: f.Rows, New: f.New}
	}
	for _, f := range sources {
		got = append(got, brief(f))
	}
	for _, f := range Sample().Sources {
		want = append(want, brief(f))
	}
	same(t, "sources", want, got)
}

func (s *suite) repeats(t *testing.T) {
	for name, period := range samplePeriods(t) {
		want, _ := s.want.Repeats(t.Context(), period)
		got, err := s.books.Repeats(t.Context(), period)
		if err != nil {
			t.Fatal(err)
		}
		same(t, "repeats of "+name, want, got)
	}
}

func (s *suite) controls(t *testing.T) {
	for name, period := range samplePeriods(t) {
		want, _ := s.want.Controls(t.Context(), period)
		got, err := s.books.Controls(t.Context(), period)
		if err != nil {
			t.Fatal(err)
		}
		same(t, "control totals of "+name, want, got)
	}
}

func (s *suite) run(t *testing.T) {
	for name, period := range samplePeriods(t) {
		request := recon.Request{AsOf: time.Date(2025, 4, 20, 0, 0, 0, 0, time.UTC), Policy: recon.DefaultPolicy(), Period: period}
		want, err := recon.Run(t.Context(), s.want, request)
		if err != nil {
			t.Fatal(err)
		}
		got, err := recon.Run(t.Context(), s.books, request)
		if err != nil {
			t.Fatal(err)
		}
		same(t, "totals of "+name, want.Totals, got.Totals)
		same(t, "bridge of "+name, want.Bridge, got.Bridge)
		same(t, "bridge by account of "+name, want.Accounts, got.Accounts)
		same(t, "new marks of "+name, want.Marks, got.Marks)
	}
}
