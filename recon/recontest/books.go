package recontest

import (
	"cmp"
	"context"
	"iter"
	"maps"
	"slices"
	"time"

	"agentrecon/ledger"
	"agentrecon/recon"
)

// Books are [recon.Books] in memory.
type Books struct {
	world    World
	byID     map[string]int // index into Attempts
	byArgs   map[string][]string
	versions map[string][]recon.Outcome
	provider map[string][]int // entry indexes by provider id
	sessions map[string]*recon.Session
}

var _ recon.Books = (*Books)(nil)

// NewBooks opens books on a world. The world is copied; it must not hold an attempt id twice.
func NewBooks(w World) *Books {
	b := &Books{world: w.stored(), byID: map[string]int{}, byArgs: map[string][]string{}, provider: map[string][]int{}, sessions: map[string]*recon.Session{}}
	b.versions = b.world.versions()
	for n, a := range b.world.Attempts {
		if _, twice := b.byID[a.ID]; twice {
			panic("recontest: two attempts with the id " + a.ID)
		}
		b.byID[a.ID] = n
		if a.ArgsSHA256 != "" {
			b.byArgs[a.ArgsSHA256] = append(b.byArgs[a.ArgsSHA256], a.ID)
		}
	}
	for n, e := range b.world.Entries {
		if e.ProviderID != "" {
			b.provider[e.ProviderID] = append(b.provider[e.ProviderID], n)
		}
	}
	b.indexSessions()
	return b
}

func (b *Books) indexSessions() {
	session := func(id string) *recon.Session {
		if b.sessions[id] == nil {
			b.sessions[id] = &recon.Session{ID: id}
		}
		return b.sessions[id]
	}
	for _, a := range b.world.Attempts {
		if s := session(a.SessionID); a.ProposedAt.After(s.LastAttempt) {
			s.LastAttempt = a.ProposedAt
		}
	}
	for _, e := range b.world.Sessions {
		s := session(e.SessionID)
		s.Events = append(s.Events, e)
	}
	for _, s := range b.sessions {
		slices.SortFunc(s.Events, func(a, b recon.SessionEvent) int {
			return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.Event, b.Event))
		})
	}
}

// Size counts the attempts.
func (b *Books) Size(context.Context) (int64, error) { return int64(len(b.world.Attempts)), nil }

// AttemptRows yields the attempts in the order of the world.
func (b *Books) AttemptRows(ctx context.Context) iter.Seq2[*recon.AttemptRow, error] {
	return rowsOf(ctx, b.world.Attempts, func(a recon.Attempt) (recon.AttemptRow, bool) {
		return recon.AttemptRow{
			ID: a.ID, Minor: a.Minor, Currency: a.Currency, SourceAccount: a.SourceAccount, DestAccount: a.DestAccount, Reference: a.Reference,
			IdempotencyKey: a.IdempotencyKey, IDSource: a.IDSource, ProposedAt: a.ProposedAt,
		}, true
	})
}

// OutcomeRows yields the current outcomes by attempt id.
func (b *Books) OutcomeRows(ctx context.Context) iter.Seq2[*recon.OutcomeRow, error] {
	return rowsOf(ctx, slices.Sorted(maps.Keys(b.versions)), func(id string) (recon.OutcomeRow, bool) {
		versions := b.versions[id]
		current := versions[len(versions)-1]
		return recon.OutcomeRow{AttemptID: id, Status: current.Status, ProviderRef: current.ProviderRef, Versions: len(versions)}, true
	})
}

// RemarkRows yields what else is to be known of attempts, in the order of the world.
func (b *Books) RemarkRows(ctx context.Context) iter.Seq2[*recon.RemarkRow, error] {
	return rowsOf(ctx, b.world.Attempts, func(a recon.Attempt) (recon.RemarkRow, bool) {
		row := recon.RemarkRow{AttemptID: a.ID, IDReused: a.IDReused, MarkedAt: a.MarkedAt}
		if a.Deliveries > 1 {
			row.Deliveries = a.Deliveries
		}
		return row, row.Deliveries > 0 || a.IDReused || !a.MarkedAt.IsZero()
	})
}

// EntryRows yields the entries in the order of the world.
func (b *Books) EntryRows(ctx context.Context) iter.Seq2[*ledger.Entry, error] {
	return rowsOf(ctx, b.world.Entries, func(e ledger.Entry) (ledger.Entry, bool) { return recon.StreamedEntry(&e), true })
}

// rowsOf yields the rows of items that have one, until the context ends.
func rowsOf[T, R any](ctx context.Context, items []T, row func(T) (R, bool)) iter.Seq2[*R, error] {
	return func(yield func(*R, error) bool) {
		for _, item := range items {
			if ctx.Err() != nil {
				yield(nil, ctx.Err())
				return
			}
			if r, has := row(item); has && !yield(&r, nil) {
				return
			}
		}
	}
}

// EntryIDs yields the entries by number.
func (b *Books) EntryIDs(context.Context) iter.Seq2[*recon.EntryID, error] {
	return func(yield func(*recon.EntryID, error) bool) {
		for _, e := range b.world.Entries {
			if !yield(&recon.EntryID{No: e.No, ID: e.ID}, nil) {
				return
			}
		}
	}
}

// AttemptsByID returns the attempts with these ids, sorted by id.
func (b *Books) AttemptsByID(_ context.Context, ids []string) ([]recon.Case, error) {
	var cases []recon.Case
	for _, id := range distinct(ids) {
		if n, found := b.byID[id]; found {
			cases = append(cases, recon.Case{Attempt: b.world.Attempts[n], Outcomes: slices.Clone(b.versions[id])})
		}
	}
	return cases, nil
}

// EntriesByNo returns the entries with these numbers, sorted by number.
func (b *Books) EntriesByNo(_ context.Context, nos []int64) ([]ledger.Entry, error) {
	var entries []ledger.Entry
	for _, no := range distinct(nos) {
		if 1 <= no && no <= int64(len(b.world.Entries)) {
			entries = append(entries, b.world.Entries[no-1])
		}
	}
	return entries, nil
}

// EntriesByProviderID returns the entries that have one of these provider ids, sorted by number.
func (b *Books) EntriesByProviderID(_ context.Context, ids []string) ([]ledger.Entry, error) {
	var entries []ledger.Entry
	for _, id := range distinct(ids) {
		for _, n := range b.provider[id] {
			entries = append(entries, b.world.Entries[n])
		}
	}
	slices.SortFunc(entries, func(a, b ledger.Entry) int { return cmp.Compare(a.No, b.No) })
	return entries, nil
}

// AttemptIDsByArgs returns the ids of attempts that have one of these argument hashes, sorted.
func (b *Books) AttemptIDsByArgs(_ context.Context, hashes []string) ([]string, error) {
	var ids []string
	for _, hash := range distinct(hashes) {
		ids = append(ids, b.byArgs[hash]...)
	}
	return distinct(ids), nil
}

// OrphansByID returns the current outcomes of these attempt ids where no such attempt is recorded, sorted by attempt id.
func (b *Books) OrphansByID(_ context.Context, ids []string) ([]recon.Outcome, error) {
	var orphans []recon.Outcome
	for _, id := range distinct(ids) {
		if versions := b.versions[id]; len(versions) > 0 {
			if _, known := b.byID[id]; !known {
				orphans = append(orphans, versions[len(versions)-1])
			}
		}
	}
	return orphans, nil
}

// Sessions returns what is known of these sessions, sorted by id.
func (b *Books) Sessions(_ context.Context, ids []string) ([]recon.Session, error) {
	var sessions []recon.Session
	for _, id := range distinct(ids) {
		if s, known := b.sessions[id]; known {
			sessions = append(sessions, *s)
		}
	}
	return sessions, nil
}

// Coverage returns the ranges over which the ledger is complete, sorted by account, from and to.
func (b *Books) Coverage(context.Context) ([]ledger.Coverage, error) {
	ranges := slices.Clone(b.world.Coverage)
	slices.SortFunc(ranges, func(a, b ledger.Coverage) int {
		return cmp.Or(cmp.Compare(a.AccountID, b.AccountID), cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To), cmp.Compare(a.File, b.File))
	})
	return ranges, nil
}

// Repeats returns the deliveries beyond the first of attempts proposed in the period.
func (b *Books) Repeats(_ context.Context, period ledger.Period) ([]recon.Repeat, error) {
	received := map[string][]time.Time{}
	for _, d := range b.world.Deliveries {
		received[d.AttemptID] = append(received[d.AttemptID], d.ReceivedAt)
	}
	var repeats []recon.Repeat
	for _, a := range b.world.Attempts {
		if !period.HasInstant(a.ProposedAt) {
			continue
		}
		times := received[a.ID]
		slices.SortFunc(times, time.Time.Compare)
		for n := 1; n < len(times); n++ {
			repeats = append(repeats, recon.Repeat{Attempt: a, ReceivedAt: times[n], Nth: n + 1, After: times[n].Sub(times[0])})
		}
	}
	slices.SortStableFunc(repeats, func(a, b recon.Repeat) int {
		return cmp.Or(a.Attempt.ProposedAt.Compare(b.Attempt.ProposedAt), cmp.Compare(a.Attempt.ID, b.Attempt.ID), cmp.Compare(a.Nth, b.Nth))
	})
	return repeats, nil
}

// Recording counts attempts by harness and host; no recorder of ours wrote a world.
func (b *Books) Recording(_ context.Context, period ledger.Period) (recon.Recording, error) {
	var r recon.Recording
	harnesses, hosts := map[string]int64{}, map[string]bool{}
	for _, a := range b.world.Attempts {
		if period.HasInstant(a.ProposedAt) {
			harnesses[a.Harness]++
			hosts[a.Host] = true
			if a.ProposedAt.After(r.Last) {
				r.Last = a.ProposedAt
			}
		}
	}
	delete(hosts, "")
	r.Hosts = int64(len(hosts))
	for _, harness := range slices.Sorted(maps.Keys(harnesses)) {
		r.Harnesses = append(r.Harnesses, recon.HarnessCount{Harness: harness, Attempts: harnesses[harness]})
	}
	return r, nil
}

// Sources returns the imported files in import order.
func (b *Books) Sources(context.Context) ([]ledger.SourceFile, error) {
	return slices.Clone(b.world.Sources), nil
}

// Controls counts and sums the populations of a period.
func (b *Books) Controls(_ context.Context, period ledger.Period) (recon.Controls, error) {
	var c recon.Controls
	attempts, deliveries, accounts := sums{}, sums{}, map[accountKey]*recon.AccountSums{}
	for _, a := range b.world.Attempts {
		if period.HasInstant(a.ProposedAt) {
			attempts.add(a.Currency, a.Minor)
			c.Deliveries += int64(a.Deliveries)
			for range a.Deliveries {
				deliveries.add(a.Currency, 0)
			}
		}
	}
	for _, e := range b.world.Entries {
		if !period.HasDate(e.BookedOn) {
			continue
		}
		at := accountKey{e.Currency, e.AccountID}
		if accounts[at] == nil {
			accounts[at] = &recon.AccountSums{AccountID: e.AccountID, Currency: e.Currency}
		}
		accounts[at].Count++
		accounts[at].Minor += e.Outflow()
		if e.Moved() {
			accounts[at].Booked++
			accounts[at].BookedMinor += e.Outflow()
		}
	}
	for _, a := range accounts {
		c.Accounts = append(c.Accounts, *a)
	}
	slices.SortFunc(c.Accounts, func(a, b recon.AccountSums) int {
		return cmp.Or(cmp.Compare(a.Currency, b.Currency), cmp.Compare(a.AccountID, b.AccountID))
	})
	for id := range b.versions {
		if period.HasInstant(b.outcomeTime(id)) {
			c.Outcomes++
		}
	}
	c.Attempts, c.DeliveriesOf = attempts.sorted(), deliveries.sorted()
	c.Entries, c.Booked = recon.SumAccounts(c.Accounts)
	return c, nil
}

// accountKey names an account in a currency.
type accountKey struct {
	currency ledger.Currency
	account  string
}

// outcomeTime is the time that puts an outcome into a period: that of its attempt, joined by id or by argument hash,
// else its own.
func (b *Books) outcomeTime(id string) time.Time {
	if n, known := b.byID[id]; known {
		return b.world.Attempts[n].ProposedAt
	}
	versions := b.versions[id]
	current := versions[len(versions)-1]
	if like := b.byArgs[current.ArgsSHA256]; current.ArgsSHA256 != "" && len(like) == 1 {
		return b.world.Attempts[b.byID[like[0]]].ProposedAt
	}
	return current.ObservedAt
}

func distinct[T cmp.Ordered](values []T) []T {
	return slices.Compact(slices.Sorted(slices.Values(values)))
}
