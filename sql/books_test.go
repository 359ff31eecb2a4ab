package sql_test

import (
	"cmp"
	"context"
	"iter"
	"reflect"
	"slices"
	"strings"
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

// TestBooksAgreeWithThoseInMemory draws small worlds, records each in the database and asks both books everything.
func TestBooksAgreeWithThoseInMemory(t *testing.T) {
	conn := sqltest.Connect(t, sqltest.NewURL(t))
	rapid.Check(t, func(t *rapid.T) {
		w := recontest.Draw(t)
		// The database keeps an event of a session once.
		slices.SortFunc(w.Sessions, func(a, b recon.SessionEvent) int {
			return cmp.Or(strings.Compare(a.SessionID, b.SessionID), a.At.Compare(b.At), strings.Compare(string(a.Event), string(b.Event)))
		})
		w.Sessions = slices.Compact(w.Sessions)
		for n := range w.Entries { // details are written by imports: TestRunsConform
			e := &w.Entries[n]
			e.Children, e.OrigAmount, e.OrigCurrency, e.TransactionID, e.BankID = nil, ledger.Optional{}, "", "", false
		}
		ctx := context.Background()
		tx, err := conn.Begin(ctx)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = tx.Rollback(ctx) }()
		if err := record(ctx, tx, w); err != nil {
			t.Fatal(err)
		}
		want, got := recontest.NewBooks(w), sql.BooksOn(conn)
		period := ledger.Period{From: ledger.DateOf(recontest.Start, time.UTC).AddDays(1), To: ledger.DateOf(recontest.Start, time.UTC).AddDays(4)}
		for name, ask := range questions(w, period) {
			w, err := ask(ctx, want)
			if err != nil {
				t.Fatal(name, err)
			}
			g, err := ask(ctx, got)
			if err != nil {
				t.Fatal(name, err)
			}
			if diff := gocmp.Diff(w, g, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("%s (-memory +database):\n%s", name, diff)
			}
		}
	})
}

type question func(context.Context, recon.Books) (any, error)

func questions(w recontest.World, period ledger.Period) map[string]question {
	ids, outcomes := []string{"nobody"}, []string{"nobody"}
	for _, o := range w.Outcomes {
		outcomes = append(outcomes, o.AttemptID)
	}
	for _, a := range w.Attempts {
		ids = append(ids, a.ID, a.ID)
	}
	var provider []string
	nos := []int64{0, 99}
	for n, e := range w.Entries {
		provider = append(provider, e.ProviderID)
		nos = append(nos, int64(n+1))
	}
	provider = slices.DeleteFunc(provider, func(id string) bool { return id == "" })
	return map[string]question{
		"AttemptRows": func(ctx context.Context, b recon.Books) (any, error) {
			return sorted(b.AttemptRows(ctx), func(a, b recon.AttemptRow) int { return strings.Compare(a.ID, b.ID) })
		},
		"OutcomeRows": func(ctx context.Context, b recon.Books) (any, error) {
			return sorted(b.OutcomeRows(ctx), func(a, b recon.OutcomeRow) int { return strings.Compare(a.AttemptID, b.AttemptID) })
		},
		"RemarkRows": func(ctx context.Context, b recon.Books) (any, error) { return recontest.Remarks(ctx, b) },
		"EntryRows": func(ctx context.Context, b recon.Books) (any, error) {
			return sorted(b.EntryRows(ctx), func(a, b ledger.Entry) int { return int(a.No - b.No) })
		},
		"AttemptsByID":        func(ctx context.Context, b recon.Books) (any, error) { return b.AttemptsByID(ctx, ids) },
		"EntriesByNo":         func(ctx context.Context, b recon.Books) (any, error) { return b.EntriesByNo(ctx, nos) },
		"EntriesByProviderID": func(ctx context.Context, b recon.Books) (any, error) { return b.EntriesByProviderID(ctx, provider) },
		"AttemptIDsByArgs": func(ctx context.Context, b recon.Books) (any, error) {
			return b.AttemptIDsByArgs(ctx, []string{"h2", "h1", "h9"})
		},
		"OrphansByID": func(ctx context.Context, b recon.Books) (any, error) { return b.OrphansByID(ctx, outcomes) },
		"Sessions": func(ctx context.Context, b recon.Books) (any, error) {
			return b.Sessions(ctx, []string{"s2", "s1", "s9"})
		},
		"Coverage":          func(ctx context.Context, b recon.Books) (any, error) { return b.Coverage(ctx) },
		"Repeats":           func(ctx context.Context, b recon.Books) (any, error) { return b.Repeats(ctx, ledger.Period{}) },
		"Repeats, period":   func(ctx context.Context, b recon.Books) (any, error) { return b.Repeats(ctx, period) },
		"Recording":         func(ctx context.Context, b recon.Books) (any, error) { return b.Recording(ctx, ledger.Period{}) },
		"Recording, period": func(ctx context.Context, b recon.Books) (any, error) { return b.Recording(ctx, period) },
		"Controls":          func(ctx context.Context, b recon.Books) (any, error) { return b.Controls(ctx, ledger.Period{}) },
		"Controls, period": func(ctx context.Context, b recon.Books) (any, error) {
			return b.Controls(ctx, period)
		},
	}
}

func sorted[T any](rows iter.Seq2[*T, error], compare func(a, b T) int) ([]T, error) {
	var list []T
	for row, err := range rows {
		if err != nil {
			return nil, err
		}
		list = append(list, *row)
	}
	slices.SortFunc(list, compare)
	return list, nil
}

// record writes a world down as hooks and imports would have.
func record(ctx context.Context, tx pgx.Tx, w recontest.World) error {
	r := recorder{ctx: ctx, tx: tx}
	r.hooks(w)
	r.deliveries(w)
	r.ledger(w)
	r.marks(w, time.Now())
	return r.err
}

// hooks writes what hooks record.
func (r *recorder) hooks(w recontest.World) {
	for _, a := range w.Attempts {
		r.exec(`INSERT INTO transfer_attempts (attempt_id, session_id, amount_cents, dest_account, ref, proposed_at, currency, source_account,
			idempotency_key, key_source, id_source, args_sha256, tool, harness, agent_id, turn_id, host)
			VALUES ($1, nullif($2, ''), $3, nullif($4, ''), nullif($5, ''), $6, $7, nullif($8, ''), nullif($9, ''), nullif($10, ''), $11, nullif($12, ''),
			nullif($13, ''), nullif($14, ''), nullif($15, ''), nullif($16, ''), nullif($17, ''))`,
			a.ID, a.SessionID, a.Minor, a.DestAccount, a.Reference, a.ProposedAt, string(a.Currency), a.SourceAccount, a.IdempotencyKey, a.KeySource,
			string(a.IDSource), a.ArgsSHA256, a.Tool, a.Harness, a.AgentID, a.TurnID, a.Host)
	}
	for _, o := range w.Outcomes {
		r.exec(`INSERT INTO transfer_outcome_history (attempt_id, status, provider_ref, observed_at, args_sha256, error)
			VALUES ($1, $2, nullif($3, ''), $4, nullif($5, ''), nullif($6, ''))`, o.AttemptID, string(o.Status), o.ProviderRef, o.ObservedAt, o.ArgsSHA256, o.Error)
	}
	// The triggers would write the current versions to the history once more.
	r.exec("ALTER TABLE transfer_outcomes DISABLE TRIGGER history_of_insert")
	r.exec(`INSERT INTO transfer_outcomes (attempt_id, status, provider_ref, observed_at, args_sha256, error, versions)
		SELECT DISTINCT ON (attempt_id) attempt_id, status, provider_ref, observed_at, args_sha256, error, count(*) OVER (PARTITION BY attempt_id)
		FROM transfer_outcome_history ORDER BY attempt_id, observed_at DESC, version_no DESC`)
	for _, e := range w.Sessions {
		r.exec("INSERT INTO session_events (session_id, event, at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING", e.SessionID, string(e.Event), e.At)
	}
}

func (r *recorder) deliveries(w recontest.World) {
	for _, d := range w.Deliveries {
		r.exec("INSERT INTO hook_deliveries (attempt_id, received_at, args_sha256) VALUES ($1, $2, nullif($3, ''))", d.AttemptID, d.ReceivedAt, d.ArgsSHA256)
	}
}

func (r *recorder) ledger(w recontest.World) {
	r.exec(`INSERT INTO ledger_files (file_no, sha256, population, name, format, rows_read, rows_new, proof_state, imported_at, imported_by)
		OVERRIDING SYSTEM VALUE VALUES (1, repeat('0', 64), 'ledger', 'f', 'csv', 0, 0, 'none', now(), 'x')`)
	for n, e := range w.Entries {
		file := 0
		if e.File == "f" {
			file = 1
		}
		r.exec(`INSERT INTO ledger_entries (entry_no, entry_id, provider_id, account_id, booked_on, value_on, occurred_at, amount, currency, gross, fee, net,
			kind, status, counterparty_name, counterparty_account, end_to_end_id, idempotency_key, merchant_reference, remittance_text,
			original_provider_id, group_id, file_no, line, report)
			OVERRIDING SYSTEM VALUE VALUES ($1, $2, nullif($3, ''), nullif($4, ''), $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, nullif($15, ''), nullif($16, ''),
			nullif($17, ''), nullif($18, ''), nullif($19, ''), nullif($20, ''), nullif($21, ''), nullif($22, ''), $23, $24, nullif($25, ''))`,
			n+1, e.ID, e.ProviderID, e.AccountID, date(e.BookedOn), date(e.ValueOn), moment(e.OccurredAt), e.Amount, string(e.Currency),
			optional(e.Gross), optional(e.Fee), optional(e.Net), string(e.Kind), string(e.Status), e.CounterpartyName, e.CounterpartyAccount,
			e.EndToEndID, e.IdempotencyKey, e.MerchantReference, e.RemittanceText, e.OriginalProviderID, e.GroupID, file, e.Line, string(e.Report))
	}
	for _, c := range w.Coverage {
		r.exec("INSERT INTO ledger_coverage (account_id, covers_from, covers_to, inferred, file_no) VALUES (nullif($1, ''), $2, $3, $4, 1)",
			c.AccountID, c.From.Time(), c.To.Time(), c.Inferred)
	}
}

// marks writes an earliest run, of that moment, and its marks.
func (r *recorder) marks(w recontest.World, asOf time.Time) {
	r.exec(`INSERT INTO recon_runs (run_id, kind, as_of, recorded_at, recorded_by, program, rule_set, snapshot, epoch, system_identifier, policy, totals,
		rows_digest, evidence_digest, previous, digest) VALUES (1, 'full', $1, $1, 'x', 'x', '1', pg_current_snapshot(), 1, '1', '{}', '{}',
		repeat('0', 64), repeat('0', 64), '', repeat('0', 64))`, asOf)
	for _, m := range w.Marks {
		r.exec("INSERT INTO unknown_marks (attempt_id, run_id, mark, marked_at, age, threshold) VALUES ($1, $2, 'unknown', $3, '1h', '1h')",
			m.AttemptID, m.RunID, m.MarkedAt)
	}
}

type recorder struct {
	ctx context.Context
	tx  pgx.Tx
	err error
}

func (r *recorder) exec(statement string, args ...any) {
	if r.err == nil {
		_, r.err = r.tx.Exec(r.ctx, statement, args...)
	}
}

func date(d ledger.Date) *time.Time {
	if d.IsZero() {
		return nil
	}
	t := d.Time()
	return &t
}

func moment(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

func optional(o ledger.Optional) *int64 {
	if !o.Given {
		return nil
	}
	return &o.Minor
}

// TestEveryFieldOfAnEntryIsKept fills every field there is, so that one added later is not forgotten.
func TestEveryFieldOfAnEntryIsKept(t *testing.T) {
	db := sqltest.NewDB(t)
	var want ledger.Entry
	fill(reflect.ValueOf(&want).Elem(), 1)
	want.No, want.File = 1, "full.xml"
	want.Currency, want.Kind, want.Status, want.OrigCurrency = "EUR", ledger.KindPayment, ledger.StatusBooked, "USD"
	want.Report = ledger.ReportIntraday
	want.Superseded, want.SupersededBy = false, "" // follows from other entries, and there are none
	for n := range want.Children {
		c := &want.Children[n]
		c.No, c.File, c.Children = 0, want.File, nil
		c.Report, c.Superseded, c.SupersededBy = "", false, ""
	}
	source := func(each func(*ledger.Entry) error) (ledger.SourceFile, error) {
		return described(want.File, 1), each(&want)
	}
	if _, err := db.ImportEntries(t.Context(), source, sql.ImportOptions{}); err != nil {
		t.Fatal(err)
	}
	view, err := db.View(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer view.Close(t.Context())
	got, err := view.EntriesByNo(t.Context(), []int64{1})
	if err != nil {
		t.Fatal(err)
	}
	if diff := gocmp.Diff([]ledger.Entry{want}, got); diff != "" {
		t.Errorf("entry in full (-want +got):\n%s", diff)
	}
	for got, err := range view.EntryRows(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		if diff := gocmp.Diff(recon.StreamedEntry(&want), *got); diff != "" {
			t.Errorf("entry of the stream (-want +got):\n%s", diff)
		}
	}
}

// fill gives every field a value of its own. Lists get one element, and their elements no lists of their own.
func fill(v reflect.Value, depth int) {
	for n := range v.NumField() {
		f, name := v.Field(n), v.Type().Field(n).Name
		switch {
		case f.Type() == reflect.TypeFor[time.Time]():
			f.Set(reflect.ValueOf(start.Add(time.Duration(n) * time.Millisecond)))
		case f.Type() == reflect.TypeFor[ledger.Optional]():
			f.Set(reflect.ValueOf(ledger.Some(int64(n))))
		case f.Kind() == reflect.String:
			f.SetString(name)
		case f.Kind() == reflect.Bool:
			f.SetBool(true)
		case f.CanInt():
			f.SetInt(int64(730000 + n))
		case f.Kind() == reflect.Slice && f.Type().Elem().Kind() == reflect.String:
			f.Set(reflect.ValueOf([]string{"one", "two"}))
		case f.Kind() == reflect.Slice && depth > 0:
			f.Set(reflect.MakeSlice(f.Type(), 1, 1))
			fill(f.Index(0), depth-1)
		}
	}
}
