package sql

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"agentrecon/ledger"
	"agentrecon/recon"
)

// Books is [recon.Books] over one snapshot of the database: everything committed when it was taken and nothing later.
// It belongs to a transaction ([RunTx], [ReadTx]) and ends with it; one goroutine may use it at a time, and a stream
// must end before anything else is asked.
type Books struct {
	conn *pgx.Conn
	past *pastView // nil: as of the snapshot itself
	// present is the epoch that the transaction takes place in, 0 where it has not been asked for.
	present int

	size   *int64           // what Size has counted
	beside *beside          // nil where no second session works beside this one
	files  map[int64]string // names of ledger files; nil until they are asked for
	stages *stages          // nil until they are asked for
}

var _ recon.Books = (*Books)(nil)

// pastView is what a past run could see: rows of earlier epochs, and of its own epoch those that its snapshot shows.
type pastView struct {
	run      int64
	epoch    int
	snapshot string // text of a pg_snapshot, as the server printed it
}

// Marks in the statements that read evidence; see [Books.statement].
const (
	markVisible  = "/*visible " // followed by the alias of a table with recorded_xid and epoch, and "*/"
	markOutcomes = "/*outcomes*/transfer_outcomes"
	markMarks    = "/*earlier runs*/"
)

// statement returns a query for this view. As it stands the query reads what the transaction sees. For a past run the
// marks in it are replaced: evidence is cut to what the run saw, the current outcome becomes the latest version the
// run saw, and marks are those of earlier runs.
func (b *Books) statement(name string) string {
	text := query(name)
	if b.past == nil {
		return text
	}
	text = strings.ReplaceAll(text, markOutcomes, `(SELECT DISTINCT ON (h.attempt_id) h.attempt_id, h.status, h.provider_ref, h.observed_at,
		h.args_sha256, h.error, (count(*) OVER (PARTITION BY h.attempt_id))::integer AS versions
		FROM transfer_outcome_history h WHERE true /*visible h*/
		ORDER BY h.attempt_id, h.observed_at DESC, h.version_no DESC)`)
	text = strings.ReplaceAll(text, markMarks, fmt.Sprintf("AND m.run_id < %d", b.past.run))
	for {
		before, rest, found := strings.Cut(text, markVisible)
		if !found {
			return text
		}
		alias, after, _ := strings.Cut(rest, "*/")
		text = before + fmt.Sprintf("AND (%[1]s.epoch < %[2]d OR %[1]s.epoch = %[2]d AND pg_visible_in_snapshot(%[1]s.recorded_xid, '%[3]s'))",
			alias, b.past.epoch, b.past.snapshot) + after
	}
}

// binaryResults asks for every column in PostgreSQL's binary form, which the decoders of rows.go read.
var binaryResults = pgx.QueryResultFormats{pgx.BinaryFormatCode}

// stream runs a query and decodes each row into the same T.
func stream[T any](ctx context.Context, b *Books, name string, decode func(*rowReader, *T) error, args ...any) iter.Seq2[*T, error] {
	return streamText(ctx, b, name, b.statement(name), decode, args...)
}

// streamText is stream for a statement that the caller has cut.
func streamText[T any](ctx context.Context, b *Books, name, text string, decode func(*rowReader, *T) error, args ...any) iter.Seq2[*T, error] {
	return func(yield func(*T, error) bool) {
		rows, err := b.conn.Query(ctx, text, append([]any{binaryResults}, args...)...)
		if err != nil {
			yield(nil, explain(b.conn, err))
			return
		}
		defer rows.Close()
		var item T
		var reader rowReader
		for rows.Next() {
			reader.reset(rows.RawValues())
			if err := decode(&reader, &item); err != nil {
				yield(nil, fmt.Errorf("%s: %w", name, err))
				return
			}
			if !yield(&item, nil) {
				return
			}
		}
		if err := rows.Err(); err != nil {
			yield(nil, explain(b.conn, err))
		}
	}
}

// collect is stream into a slice.
func collect[T any](ctx context.Context, b *Books, name string, decode func(*rowReader, *T) error, args ...any) ([]T, error) {
	return collectText(ctx, b, name, b.statement(name), decode, args...)
}

func collectText[T any](ctx context.Context, b *Books, name, text string, decode func(*rowReader, *T) error, args ...any) ([]T, error) {
	return collectInto(nil, streamText(ctx, b, name, text, decode, args...))
}

// collectInto is collect of a stream, into a list that may have room for it already.
func collectInto[T any](list []T, stream iter.Seq2[*T, error]) ([]T, error) {
	for item, err := range stream {
		if err != nil {
			return nil, err
		}
		list = append(list, *item)
	}
	return list, nil
}

// Size implements [recon.Books].
func (b *Books) Size(ctx context.Context) (int64, error) {
	if b.size == nil {
		size, err := collect(ctx, b, "size", decodeNo)
		if err != nil {
			return 0, err
		}
		b.size = &size[0]
	}
	return *b.size, nil
}

// AttemptRows implements [recon.Books].
func (b *Books) AttemptRows(ctx context.Context) iter.Seq2[*recon.AttemptRow, error] {
	return streamCopy(ctx, b, "attempt_rows", func(r *rowReader, a *recon.AttemptRow) error {
		*a = recon.AttemptRow{
			ID: r.text(), Minor: r.int8(), Currency: ledger.Currency(r.word()), SourceAccount: r.word(), DestAccount: r.text(), Reference: r.text(),
			IdempotencyKey: r.text(), IDSource: recon.IDSource(r.word()), ProposedAt: r.time(),
		}
		return r.err
	})
}

// OutcomeRows implements [recon.Books].
func (b *Books) OutcomeRows(ctx context.Context) iter.Seq2[*recon.OutcomeRow, error] {
	return streamCopy(ctx, b, "outcome_rows", func(r *rowReader, o *recon.OutcomeRow) error {
		*o = recon.OutcomeRow{AttemptID: r.text(), Status: recon.OutcomeStatus(r.word()), ProviderRef: r.text(), Versions: int(r.int4())}
		return r.err
	})
}

// RemarkRows implements [recon.Books].
func (b *Books) RemarkRows(ctx context.Context) iter.Seq2[*recon.RemarkRow, error] {
	return streamCopy(ctx, b, "remark_rows", func(r *rowReader, m *recon.RemarkRow) error {
		*m = recon.RemarkRow{AttemptID: r.text(), Deliveries: int(r.int8()), IDReused: r.bool(), MarkedAt: r.time()}
		return r.err
	})
}

// EntryRows implements [recon.Books].
func (b *Books) EntryRows(ctx context.Context) iter.Seq2[*ledger.Entry, error] {
	return func(yield func(*ledger.Entry, error) bool) {
		if err := b.readStages(ctx); err != nil {
			yield(nil, err)
			return
		}
		streamCopy(ctx, b, "entry_rows", func(r *rowReader, e *ledger.Entry) error {
			*e = ledger.Entry{
				No: r.int8(), ProviderID: r.text(), AccountID: r.word(), BookedOn: r.date(), OccurredAt: r.time(), Amount: r.int8(),
				Currency: ledger.Currency(r.word()), Gross: r.optional(), Kind: ledger.Kind(r.word()), Status: ledger.Status(r.word()),
				CounterpartyAccount: r.text(), EndToEndID: r.text(), IdempotencyKey: r.text(), RemittanceText: r.text(), Report: ledger.Report(r.word()),
			}
			b.stages.Apply(e)
			return r.err
		})(yield)
	}
}

// entryDecoder returns a decoder of entries that knows the files' names and which entries have a later stage.
func (b *Books) entryDecoder(ctx context.Context) (func(*rowReader, *ledger.Entry) error, error) {
	if err := b.readStages(ctx); err != nil {
		return nil, err
	}
	return func(r *rowReader, e *ledger.Entry) error {
		err := decodeEntry(r, e, b.files)
		b.stages.apply(e)
		return err
	}, nil
}

// readFiles reads the names of the ledger files, once.
func (b *Books) readFiles(ctx context.Context) error {
	if b.files != nil {
		return nil
	}
	files := map[int64]string{}
	for file, err := range stream(ctx, b, "file_names", func(r *rowReader, f *numberedFile) error {
		f.no, f.name = r.int8(), r.text()
		return r.err
	}) {
		if err != nil {
			return err
		}
		files[file.no] = file.name
	}
	b.files = files
	return nil
}

type numberedFile struct {
	no   int64
	name string
}

func decodeEntry(r *rowReader, e *ledger.Entry, names map[int64]string) error {
	*e = ledger.Entry{}
	e.No = r.int8()
	e.ID = r.text()
	e.ProviderID = r.text()
	e.AccountID = r.word()
	e.BookedOn = r.date()
	e.ValueOn = r.date()
	e.OccurredAt = r.time()
	e.Amount = r.int8()
	e.Currency = ledger.Currency(r.word())
	e.Gross, e.Fee, e.Net = r.optional(), r.optional(), r.optional()
	e.Kind = ledger.Kind(r.word())
	e.Status = ledger.Status(r.word())
	e.CounterpartyName = r.text()
	e.CounterpartyAccount = r.text()
	e.EndToEndID = r.text()
	e.IdempotencyKey = r.text()
	e.MerchantReference = r.text()
	e.RemittanceText = r.text()
	e.OriginalProviderID = r.text()
	e.GroupID = r.text()
	e.File = names[r.int8()]
	e.Line = int(r.int4())
	details := r.raw()
	e.Report = ledger.Report(r.word())
	if details != nil && r.err == nil {
		return decodeDetails(details, e)
	}
	return r.err
}

// AttemptsByID implements [recon.Books].
func (b *Books) AttemptsByID(ctx context.Context, ids []string) ([]recon.Case, error) {
	ids = distinct(ids)
	if len(ids) == 0 {
		return nil, nil
	}
	cases, err := collectInto(make([]recon.Case, 0, len(ids)), stream(ctx, b, "attempts_by_id", decodeCase, ids))
	if err != nil {
		return nil, err
	}
	at := 0
	for o, err := range stream(ctx, b, "outcomes_by_attempt", decodeOutcome, ids) {
		if err != nil {
			return nil, err
		}
		for at < len(cases) && cases[at].Attempt.ID < o.AttemptID {
			at++
		}
		if at < len(cases) && cases[at].Attempt.ID == o.AttemptID {
			cases[at].Outcomes = append(cases[at].Outcomes, *o)
		}
	}
	return cases, nil
}

func decodeCase(r *rowReader, c *recon.Case) error {
	*c = recon.Case{}
	return decodeAttempt(r, &c.Attempt)
}

func decodeAttempt(r *rowReader, a *recon.Attempt) error {
	a.ID = r.text()
	a.SessionID = r.text()
	a.Minor = r.int8()
	a.Currency = ledger.Currency(r.word())
	a.SourceAccount = r.text()
	a.DestAccount = r.text()
	a.Reference = r.text()
	a.IdempotencyKey = r.text()
	a.KeySource = r.word()
	a.IDSource = recon.IDSource(r.word())
	a.ArgsSHA256 = r.text()
	a.Tool = r.text()
	a.Harness = r.text()
	a.AgentID = r.text()
	a.TurnID = r.text()
	a.Host = r.text()
	a.ProposedAt = r.time()
	a.Deliveries = int(max(1, r.int8()))
	a.IDReused = r.bool()
	a.MarkedAt = r.time()
	a.MarkRun = r.int8()
	return r.err
}

func decodeOutcome(r *rowReader, o *recon.Outcome) error {
	*o = recon.Outcome{
		AttemptID: r.text(), Status: recon.OutcomeStatus(r.word()), ProviderRef: r.text(), Error: r.text(), ArgsSHA256: r.text(),
		ObservedAt: r.time(),
	}
	return r.err
}

// EntriesByNo implements [recon.Books].
func (b *Books) EntriesByNo(ctx context.Context, nos []int64) ([]ledger.Entry, error) {
	nos = distinct(nos)
	if len(nos) == 0 {
		return nil, nil
	}
	decode, err := b.entryDecoder(ctx)
	if err != nil {
		return nil, err
	}
	return collectInto(make([]ledger.Entry, 0, len(nos)), stream(ctx, b, "entries_by_no", decode, nos))
}

// EntriesByProviderID implements [recon.Books].
func (b *Books) EntriesByProviderID(ctx context.Context, ids []string) ([]ledger.Entry, error) {
	ids = distinct(ids)
	if len(ids) == 0 {
		return nil, nil
	}
	return b.entries(ctx, "entries_by_provider_id", ids)
}

func (b *Books) entries(ctx context.Context, name string, args ...any) ([]ledger.Entry, error) {
	decode, err := b.entryDecoder(ctx)
	if err != nil {
		return nil, err
	}
	return collect(ctx, b, name, decode, args...)
}

// AttemptIDsByArgs implements [recon.Books].
func (b *Books) AttemptIDsByArgs(ctx context.Context, hashes []string) ([]string, error) {
	hashes = distinct(hashes)
	if len(hashes) == 0 {
		return nil, nil
	}
	return collect(ctx, b, "attempt_ids_by_args", func(r *rowReader, id *string) error {
		*id = r.text()
		return r.err
	}, hashes)
}

// Sessions implements [recon.Books].
func (b *Books) Sessions(ctx context.Context, ids []string) ([]recon.Session, error) {
	ids = distinct(ids)
	if len(ids) == 0 {
		return nil, nil
	}
	sessions, err := collect(ctx, b, "sessions_by_id", func(r *rowReader, s *recon.Session) error {
		*s = recon.Session{ID: r.text(), LastAttempt: r.time()}
		return r.err
	}, ids)
	if err != nil {
		return nil, err
	}
	at := 0
	for e, err := range stream(ctx, b, "session_events_by_id", decodeSessionEvent, ids) {
		if err != nil {
			return nil, err
		}
		for sessions[at].ID != e.SessionID {
			at++
		}
		sessions[at].Events = append(sessions[at].Events, *e)
	}
	return sessions, nil
}

func decodeSessionEvent(r *rowReader, e *recon.SessionEvent) error {
	*e = recon.SessionEvent{SessionID: r.text(), Event: recon.SessionEventKind(r.word()), At: r.time()}
	return r.err
}

// Coverage implements [recon.Books].
func (b *Books) Coverage(ctx context.Context) ([]ledger.Coverage, error) {
	return collect(ctx, b, "coverage", func(r *rowReader, c *ledger.Coverage) error {
		*c = ledger.Coverage{AccountID: r.text(), From: r.date(), To: r.date(), Inferred: r.bool(), File: r.text(), Report: r.bool()}
		return r.err
	})
}

// Repeats implements [recon.Books].
func (b *Books) Repeats(ctx context.Context, period ledger.Period) ([]recon.Repeat, error) {
	from, to := instants(period)
	return collect(ctx, b, "repeats", func(r *rowReader, repeat *recon.Repeat) error {
		*repeat = recon.Repeat{}
		if err := decodeAttempt(r, &repeat.Attempt); err != nil {
			return err
		}
		repeat.ReceivedAt = r.time()
		repeat.Nth = int(r.int8())
		repeat.After = repeat.ReceivedAt.Sub(r.time())
		return r.err
	}, from, to)
}

// Recording implements [recon.Books].
func (b *Books) Recording(ctx context.Context, period ledger.Period) (recon.Recording, error) {
	var recording recon.Recording
	from, to := instants(period)
	hosts := map[string]bool{}
	type row struct {
		harness, host string
		attempts      int64
		last          time.Time
	}
	for at, err := range stream(ctx, b, "recording_attempts", func(r *rowReader, at *row) error {
		*at = row{r.text(), r.text(), r.int8(), r.time()}
		return r.err
	}, from, to) {
		if err != nil {
			return recording, err
		}
		if n := len(recording.Harnesses); n == 0 || recording.Harnesses[n-1].Harness != at.harness {
			recording.Harnesses = append(recording.Harnesses, recon.HarnessCount{Harness: at.harness})
		}
		recording.Harnesses[len(recording.Harnesses)-1].Attempts += at.attempts
		if at.host != "" {
			hosts[at.host] = true
		}
		if at.last.After(recording.Last) {
			recording.Last = at.last
		}
	}
	recording.Hosts = int64(len(hosts))
	_, err := collect(ctx, b, "recording_firings", func(r *rowReader, _ *struct{}) error {
		recording.Firings, recording.Late, recording.Longest, recording.Lost = r.int8(), r.int8(), time.Duration(r.int8())*time.Microsecond, r.int8()
		return r.err
	}, from, to, recon.LateAfter)
	return recording, err
}

// instants are the limits of a period, nil where it has none.
func instants(p ledger.Period) (from, to *time.Time) {
	if p.IsZero() {
		return nil, nil
	}
	start, end := p.Start(), p.End()
	return &start, &end
}

// Sources implements [recon.Books].
func (b *Books) Sources(ctx context.Context) ([]ledger.SourceFile, error) {
	return collectFiles(ctx, b, "files")
}

// collectFiles reads imported files with their coverage, of which more may have been said later.
func collectFiles(ctx context.Context, b *Books, name string, args ...any) ([]ledger.SourceFile, error) {
	conn := b.conn
	rows, err := conn.Query(ctx, b.statement(name), args...)
	if err != nil {
		return nil, explain(conn, err)
	}
	var nos []int64
	files, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (ledger.SourceFile, error) {
		no, f, err := scanFile(row)
		nos = append(nos, no)
		return f, err
	})
	if err != nil || len(files) == 0 {
		return nil, explain(conn, err)
	}
	rows, err = conn.Query(ctx, b.statement("coverage_by_file"), nos)
	if err != nil {
		return nil, explain(conn, err)
	}
	var no int64
	var account *string
	var from, to time.Time
	var inferred, report bool
	_, err = pgx.ForEachRow(rows, []any{&no, &account, &from, &to, &inferred, &report}, func() error {
		f := &files[slices.Index(nos, no)]
		f.Coverage = append(f.Coverage, ledger.Coverage{
			AccountID: deref(account), From: ledger.DateOf(from, time.UTC), To: ledger.DateOf(to, time.UTC), Inferred: inferred, Report: report, File: f.Name,
		})
		return nil
	})
	return files, explain(conn, err)
}

func scanFile(row pgx.CollectableRow) (no int64, f ledger.SourceFile, err error) {
	var profile, detail *string
	var statements, totals, expected []byte
	err = row.Scan(&no, &f.Name, &f.SHA256, &f.Population, &f.Format, &profile, &f.Accounts, &statements, &f.Rows, &f.New, &totals,
		&expected, &f.Proof.State, &detail, &f.ImportedAt, &f.ImportedBy)
	if err != nil {
		return 0, f, err
	}
	f.Profile, f.Proof.Detail, f.ImportedAt = deref(profile), deref(detail), f.ImportedAt.UTC()
	if len(f.Accounts) == 0 {
		f.Accounts = nil
	}
	if err := json.Unmarshal(statements, &f.Statements); err != nil {
		return 0, f, err
	}
	if len(f.Statements) == 0 {
		f.Statements = nil
	}
	for _, list := range []struct {
		raw  []byte
		into *[]ledger.ControlTotal
	}{{totals, &f.Totals}, {expected, &f.Expected}} {
		var stored []totalJSON
		if err := json.Unmarshal(list.raw, &stored); err != nil {
			return 0, f, err
		}
		for _, t := range stored {
			*list.into = append(*list.into, ledger.ControlTotal(t))
		}
	}
	return no, f, nil
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// Controls implements [recon.Books].
func (b *Books) Controls(ctx context.Context, period ledger.Period) (recon.Controls, error) {
	if s := b.beside; s != nil && period.IsZero() && s.wait(s.counted) {
		return s.controls, nil
	}
	var c recon.Controls
	from, to := instants(period)
	var days [2]*time.Time
	if !period.IsZero() {
		first, end := period.From.Time(), period.To.Time()
		days = [2]*time.Time{&first, &end}
	}
	type sum struct {
		recon.CurrencySum
		deliveries int64
	}
	attempts, err := collect(ctx, b, "control_attempts", func(r *rowReader, s *sum) error {
		s.Currency, s.Count, s.Minor, s.deliveries = ledger.Currency(r.word()), r.int8(), r.int8(), r.int8()
		return r.err
	}, from, to)
	if err != nil {
		return c, err
	}
	for _, s := range attempts {
		c.Attempts = append(c.Attempts, s.CurrencySum)
		c.Deliveries += s.deliveries
		c.DeliveriesOf = append(c.DeliveriesOf, recon.CurrencySum{Currency: s.Currency, Count: s.deliveries})
	}
	if err := b.readStages(ctx); err != nil {
		return c, err
	}
	c.Accounts, err = collect(ctx, b, "control_entries", decodeAccountSums, days[0], days[1], b.stages.supersededBooked)
	if err != nil {
		return c, err
	}
	c.Entries, c.Booked = recon.SumAccounts(c.Accounts)
	outcomes, err := collect(ctx, b, "control_outcomes", func(r *rowReader, n *int64) error {
		*n = r.int8()
		return r.err
	}, from, to)
	if err != nil {
		return c, err
	}
	c.Outcomes = outcomes[0]
	return c, nil
}

func decodeAccountSums(r *rowReader, s *recon.AccountSums) error {
	*s = recon.AccountSums{Currency: ledger.Currency(r.word()), AccountID: r.text(), Count: r.int8(), Minor: r.int8(), Booked: r.int8(), BookedMinor: r.int8()}
	return r.err
}

func distinct[T cmp.Ordered](values []T) []T {
	sorted := slices.Clone(values)
	slices.Sort(sorted)
	return slices.Compact(sorted)
}
