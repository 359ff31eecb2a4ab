package sql

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"agentrecon/ledger"
	"agentrecon/recon"
)

// RunSince concludes what a run over everything would, by looking only at what changed since the last recorded run and at
// what that touches ([recon.RunSince]). Of the header it reads Program. A [*recon.FullNeeded] says why only a
// run over everything will do.
func (t *RunTx) RunSince(ctx context.Context, header recon.RunInfo, request recon.Request) (*recon.Result, error) {
	result, err := t.runSince(ctx, header, request)
	return result, explain(t.conn, err)
}

func (t *RunTx) runSince(ctx context.Context, header recon.RunInfo, request recon.Request) (*recon.Result, error) {
	last, err := t.lastRun(ctx)
	if err != nil {
		return nil, err
	}
	if err := t.carriesOn(ctx, &last, header, request.Policy); err != nil {
		return nil, err
	}
	stored, err := decodeStanding(last.standing)
	if err != nil {
		return nil, err
	}
	standing, err := stored.standing(&last)
	if err != nil {
		return nil, err
	}
	// What is listed is worked out, and so no trigger keeps anybody from changing it.
	var listed int64
	if err := t.conn.QueryRow(ctx, query("open_count")).Scan(&listed); err != nil {
		return nil, err
	}
	if listed != stored.Listed.Count {
		return nil, &recon.FullNeeded{Why: fmt.Sprintf("%d items are kept as listed, of the %d that the last run listed", listed, stored.Listed.Count), Doubt: true}
	}
	past := &Books{conn: t.conn, past: &pastView{run: last.ID, epoch: last.epoch, snapshot: last.snapshot}}
	a := &archive{Books: &t.Books, before: past, last: last}
	var result *recon.Result
	err = t.byIndex(ctx, func() error {
		result, err = recon.RunSince(ctx, a, standing, request)
		if errors.Is(err, recon.ErrProof) {
			return &recon.FullNeeded{Why: "what is carried on does not add up: " + err.Error(), Doubt: true}
		}
		if err != nil {
			return err
		}
		return a.sameBefore(ctx, result.Since)
	})
	return result, err
}

// byIndex has the statements of fn ask for few rows of many by index: what the planner knows of the values of an
// expression, or of a table that has just grown, makes it read everything instead.
func (t *RunTx) byIndex(ctx context.Context, fn func() error) error {
	const settings = "SET LOCAL enable_seqscan = %[1]s; SET LOCAL enable_hashjoin = %[1]s; SET LOCAL enable_mergejoin = %[1]s"
	if err := simple(ctx, t.conn, fmt.Sprintf(settings, "off")); err != nil {
		return err
	}
	err := fn()
	var needed *recon.FullNeeded
	if err != nil && !errors.As(err, &needed) {
		return err // whatever the transaction can still do, it is not to go on
	}
	return errors.Join(err, simple(ctx, t.conn, fmt.Sprintf(settings, "on")))
}

// carriesOn refuses to carry on from a run that was made by other rules, of another policy or in another place.
func (t *RunTx) carriesOn(ctx context.Context, last *runRow, header recon.RunInfo, policy recon.Policy) error {
	if last.ID == 0 {
		return &recon.FullNeeded{Why: "it is the first run"}
	}
	var place runRow
	var moved, slotDone bool
	if err := t.conn.QueryRow(ctx, query("run_place"), "").Scan(&place.epoch, &place.system, &place.snapshot, &moved, &slotDone); err != nil {
		return err
	}
	var encoding string
	if err := t.conn.QueryRow(ctx, "SELECT current_setting('server_encoding')").Scan(&encoding); err != nil {
		return err
	}
	stored, err := decodePolicy(last.policy)
	if err != nil {
		return err
	}
	asked, err := encodePolicy(policy)
	if err != nil {
		return err
	}
	again, err := decodePolicy(asked)
	if err != nil {
		return err
	}
	switch {
	case last.standing == nil:
		return &recon.FullNeeded{Why: "the last run left nothing to carry on from"}
	case moved || place.epoch != last.epoch || place.system != last.system:
		return &recon.FullNeeded{Why: "the database has moved to another cluster"}
	case encoding != "UTF8":
		return &recon.FullNeeded{Why: "the database is not in UTF-8"}
	case recon.RuleSet != last.RuleSet:
		return &recon.FullNeeded{Why: fmt.Sprintf("the rule set is %s, of the last run %s", recon.RuleSet, last.RuleSet)}
	case header.Program != last.Program:
		return &recon.FullNeeded{Why: fmt.Sprintf("the program is %s, of the last run %s", header.Program, last.Program)}
	case string(asked) != string(last.policy) || !reflect.DeepEqual(stored, again):
		return &recon.FullNeeded{Why: "the policy is another than in the last run"}
	}
	return nil
}

// sameBefore checks that what the last run had concluded of the affected items, worked out again, is what it recorded.
func (a *archive) sameBefore(ctx context.Context, since *recon.Since) error {
	rows, err := findingsOf(since.Before)
	if err != nil {
		return err
	}
	fresh := map[string]bool{}
	for _, id := range a.fresh {
		fresh[id] = true
	}
	var populations, items []string
	add := func(p recon.Population, item string) {
		populations, items = append(populations, string(p)), append(items, item)
	}
	for _, id := range since.Affected.Attempts {
		if !fresh[id] {
			add(recon.Attempts, id)
		}
	}
	for _, id := range since.EarlierEntries {
		add(recon.Entries, id)
	}
	for _, id := range since.Affected.Outcomes {
		add(recon.Outcomes, id)
	}
	recorded, err := collect(ctx, a.Books, "findings_of_items", decodeOpenItem, populations, items)
	if err != nil {
		return err
	}
	for n := 0; n < max(len(rows), len(recorded)); n++ {
		if n >= len(rows) || n >= len(recorded) || rows[n].population != recorded[n].population || rows[n].item != recorded[n].item || rows[n].content != recorded[n].content {
			return &recon.FullNeeded{Why: "what the last run recorded is not what it comes to when it is worked out again", Doubt: true}
		}
	}
	return nil
}

// archive is [recon.Archive] over the snapshot of a run.
type archive struct {
	*Books
	before *Books
	last   runRow
	fresh  []string       // attempts that are new
	moved  []int64        // earlier entries that are another stage now
	keys   map[int64]bool // the keys that lead to listed items; nil until so many are asked for that reading all is cheaper
}

// manyKeys is from how many keys on all keys of listed items are read: to read one costs a tenth of looking one up, and
// most that are asked for lead nowhere.
const manyKeys = 10_000

var _ recon.Archive = (*archive)(nil)

// Before implements [recon.Archive].
func (a *archive) Before() recon.Ledgers { return a.before }

// News implements [recon.Archive].
func (a *archive) News(ctx context.Context, asOf time.Time) (news recon.News, err error) {
	texts := func(name string, into *[]string, args ...any) {
		if err == nil {
			var found []string
			found, err = collectSince(ctx, a, name, decodeText, args...)
			*into = append(*into, found...)
		}
	}
	texts("since_attempts", &news.Attempts)
	texts("since_deliveries", &news.Other)
	texts("since_sessions", &news.Sessions)
	texts("open_due", &news.Other, asOf)
	if err != nil {
		return news, err
	}
	outcomes, err := collectSince(ctx, a, "since_outcomes", decodeTouchedOutcome)
	if err != nil {
		return news, err
	}
	for _, o := range outcomes {
		if news.Other = append(news.Other, o.id); o.orphan {
			news.Outcomes = append(news.Outcomes, o.id)
		}
	}
	news.Entries, err = collectSince(ctx, a, "since_entries", decodeNo)
	if err != nil {
		return news, err
	}
	covered, err := collectSince(ctx, a, "since_coverage", func(r *rowReader, b *bool) error {
		*b = r.bool()
		return r.err
	})
	if err != nil {
		return news, err
	}
	news.Coverage = covered[0]
	if err := errors.Join(a.readStages(ctx), a.before.readStages(ctx)); err != nil {
		return news, err
	}
	slices.Sort(news.Entries)
	news.Moved = slices.DeleteFunc(a.stages.Differ(a.before.stages.Stages), func(no int64) bool {
		_, fresh := slices.BinarySearch(news.Entries, no)
		return fresh
	})
	a.fresh, a.moved = news.Attempts, news.Moved
	return news, nil
}

// collectSince is collect for statements that are cut to what the last run could not see.
func collectSince[T any](ctx context.Context, a *archive, name string, decode func(*rowReader, *T) error, args ...any) ([]T, error) {
	return collectText(ctx, a.Books, name, sinceRun(query(name), &a.last), decode, args...)
}

// sinceRun cuts a statement at its marks: /*new t*/ to the rows of t that the run could not see, /*old t*/ to those that it
// could. Both take place in the run's own epoch.
func sinceRun(text string, run *runRow) string {
	for _, mark := range []struct{ begins, joins string }{{"/*new ", "AND "}, {"/*old ", "AND NOT "}} {
		for {
			before, rest, found := strings.Cut(text, mark.begins)
			if !found {
				break
			}
			alias, after, _ := strings.Cut(rest, "*/")
			text = before + mark.joins + fmt.Sprintf("(%[1]s.epoch = %[2]d AND %[1]s.recorded_xid >= pg_snapshot_xmin('%[3]s') AND NOT pg_visible_in_snapshot(%[1]s.recorded_xid, '%[3]s'))",
				alias, run.epoch, run.snapshot) + after
		}
	}
	return text
}

func decodeText(r *rowReader, s *string) error {
	*s = r.text()
	return r.err
}

func decodeNo(r *rowReader, no *int64) error {
	*no = r.int8()
	return r.err
}

// touchedOutcome is an outcome that a probe led to.
type touchedOutcome struct {
	id     string
	orphan bool
}

func decodeTouchedOutcome(r *rowReader, o *touchedOutcome) error {
	*o = touchedOutcome{r.text(), r.bool()}
	return r.err
}

// OrphansByID implements [recon.Ledgers].
func (b *Books) OrphansByID(ctx context.Context, ids []string) ([]recon.Outcome, error) {
	ids = distinct(ids)
	if len(ids) == 0 {
		return nil, nil
	}
	return collect(ctx, b, "orphans_by_id", decodeOutcome, ids)
}

// Touching implements [recon.Archive].
func (a *archive) Touching(ctx context.Context, p recon.Probes) (found recon.Items, err error) {
	for _, ask := range []func(context.Context, *recon.Probes, *recon.Items) error{
		a.attemptsByKey, a.outcomesByRef, a.entriesByKey, a.entriesByRef, a.attemptsByReference, a.attemptsAlike, a.listed, a.absent, a.plain,
	} {
		if err := ask(ctx, &p, &found); err != nil {
			return found, err
		}
	}
	return found, nil
}

func setOf(texts []string) map[string]bool {
	set := make(map[string]bool, len(texts))
	for _, text := range texts {
		set[text] = true
	}
	return set
}

// outsideASCII is what recon_key and recon_reference begin the lot of texts outside ASCII with.
const outsideASCII = "\x01"

// storedKeys are folded keys as recon_key may have made them: itself, and the lot of all keys outside ASCII, for folding
// may lead out of it.
func storedKeys(folds []string) []string {
	keys := []string{outsideASCII}
	for _, fold := range folds {
		if isASCII(fold) {
			keys = append(keys, fold)
		}
	}
	return keys
}

// storedReferences are comparable forms of a reference as recon_reference may have made them.
func storedReferences(form string) []string {
	digits := strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, form)
	if isASCII(form) {
		return []string{form, outsideASCII + digits}
	}
	return []string{outsideASCII + digits}
}

func isASCII(s string) bool {
	for n := range len(s) {
		if s[n] >= 0x80 {
			return false
		}
	}
	return true
}

func (a *archive) attemptsByKey(ctx context.Context, p *recon.Probes, found *recon.Items) error {
	if len(p.AttemptKeys) == 0 {
		return nil
	}
	asked := setOf(p.AttemptKeys)
	_, err := collect(ctx, a.Books, "touch_attempts", func(r *rowReader, _ *struct{}) error {
		id, key := r.text(), r.text()
		if asked[recon.FoldKey(id)] || asked[recon.FoldKey(key)] {
			found.Attempts = append(found.Attempts, id)
		}
		return r.err
	}, storedKeys(p.AttemptKeys))
	return err
}

func (a *archive) outcomesByRef(ctx context.Context, p *recon.Probes, found *recon.Items) error {
	if len(p.OutcomeRefs) == 0 {
		return nil
	}
	asked := setOf(p.OutcomeRefs)
	_, err := collect(ctx, a.Books, "touch_outcomes", func(r *rowReader, _ *struct{}) error {
		id, ref, orphan := r.text(), r.text(), r.bool()
		if !asked[recon.FoldKey(ref)] {
			return r.err
		}
		if orphan {
			found.Outcomes = append(found.Outcomes, id)
		} else {
			found.Attempts = append(found.Attempts, id)
		}
		return r.err
	}, storedKeys(p.OutcomeRefs))
	return err
}

func (a *archive) entriesByKey(ctx context.Context, p *recon.Probes, found *recon.Items) error {
	if len(p.EntryKeys) == 0 {
		return nil
	}
	asked := setOf(p.EntryKeys)
	_, err := collect(ctx, a.Books, "touch_entries", func(r *rowReader, _ *struct{}) error {
		no, key, endToEnd := r.int8(), r.text(), r.text()
		if asked[recon.FoldKey(key)] || asked[recon.FoldKey(endToEnd)] {
			found.Entries = append(found.Entries, no)
		}
		return r.err
	}, storedKeys(p.EntryKeys))
	return err
}

func (a *archive) entriesByRef(ctx context.Context, p *recon.Probes, found *recon.Items) error {
	if len(p.EntryRefs)+len(p.ProviderIDs) == 0 {
		return nil
	}
	folds, exact := setOf(p.EntryRefs), setOf(p.ProviderIDs)
	asked := slices.Clone(p.EntryRefs)
	for _, id := range p.ProviderIDs {
		// A placeholder folds to nothing, and is a provider id all the same where it is compared as it stands.
		asked = append(asked, recon.FoldKey(id), strings.ToLower(strings.Join(strings.FieldsFunc(id, isBlank), "")))
	}
	_, err := collect(ctx, a.Books, "touch_provider_ids", func(r *rowReader, _ *struct{}) error {
		no, id := r.int8(), r.text()
		if folds[recon.FoldKey(id)] || exact[id] {
			found.Entries = append(found.Entries, no)
		}
		return r.err
	}, distinct(storedKeys(asked)))
	return err
}

// isBlank tells what recon_key leaves out.
func isBlank(r rune) bool { return strings.ContainsRune(" \t\n\v\f\r", r) }

func (a *archive) attemptsByReference(ctx context.Context, p *recon.Probes, found *recon.Items) error {
	if len(p.References) == 0 {
		return nil
	}
	asked := setOf(p.References)
	var keys []string
	for _, form := range p.References {
		keys = append(keys, storedReferences(form)...)
	}
	_, err := collect(ctx, a.Books, "touch_references", func(r *rowReader, _ *struct{}) error {
		id, ref := r.text(), r.text()
		if slices.ContainsFunc(recon.ReferenceForms(ref), func(form string) bool { return asked[form] }) {
			found.Attempts = append(found.Attempts, id)
		}
		return r.err
	}, distinct(keys))
	return err
}

func (a *archive) attemptsAlike(ctx context.Context, p *recon.Probes, found *recon.Items) error {
	if len(p.Likes) == 0 {
		return nil
	}
	var likes []*recon.Likeness
	var refs []string
	var minors []int64
	var from, to []time.Time
	for n := range p.Likes {
		like := &p.Likes[n]
		for _, ref := range storedReferences(like.Reference) {
			likes, refs, minors = append(likes, like), append(refs, ref), append(minors, like.Minor)
			from, to = append(from, like.From), append(to, like.To)
		}
	}
	_, err := collect(ctx, a.Books, "touch_likes", func(r *rowReader, _ *struct{}) error {
		attempt := recon.Attempt{
			ID: r.text(), Minor: r.int8(), Currency: ledger.Currency(r.word()), DestAccount: r.text(), Reference: r.text(), ProposedAt: r.time(),
		}
		if no := r.int4(); r.err == nil && likes[no-1].Fits(&attempt) {
			found.Attempts = append(found.Attempts, attempt.ID)
		}
		return r.err
	}, refs, minors, from, to)
	return err
}

func (a *archive) listed(ctx context.Context, p *recon.Probes, found *recon.Items) error {
	asked, err := a.known(ctx, p.Open)
	if err != nil || len(asked) == 0 {
		return err
	}
	_, err = collect(ctx, a.Books, "open_touched", func(r *rowReader, _ *struct{}) error {
		population, item, no := recon.Population(r.word()), r.text(), r.int8()
		switch population {
		case recon.Attempts:
			found.Attempts = append(found.Attempts, item)
		case recon.Entries:
			found.Entries = append(found.Entries, no)
		default:
			found.Outcomes = append(found.Outcomes, item)
		}
		return r.err
	}, asked)
	return err
}

// known are those of the keys that lead somewhere, or all where it is not worth finding out.
func (a *archive) known(ctx context.Context, asked []int64) ([]int64, error) {
	if a.keys == nil && len(asked) < manyKeys {
		return asked, nil
	}
	if a.keys == nil {
		a.keys = map[int64]bool{}
		for key, err := range stream(ctx, a.Books, "open_keys", decodeNo) {
			if err != nil {
				return nil, err
			}
			a.keys[*key] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(asked), func(key int64) bool { return !a.keys[key] }), nil
}

func (a *archive) absent(ctx context.Context, p *recon.Probes, found *recon.Items) error {
	if len(p.Absences) == 0 {
		return nil
	}
	var accounts []string
	var anyAccount, anyDay []bool
	var from, to []time.Time
	for _, r := range p.Absences {
		accounts, anyAccount, anyDay = append(accounts, r.Account), append(anyAccount, r.Any), append(anyDay, r.Always)
		from, to = append(from, r.From.Time()), append(to, r.To.Time())
	}
	ids, err := collect(ctx, a.Books, "open_absent", decodeText, accounts, anyAccount, from, to, anyDay)
	found.Attempts = append(found.Attempts, ids...)
	return err
}

// plain asks for what is found as it stands.
func (a *archive) plain(ctx context.Context, p *recon.Probes, found *recon.Items) error {
	ids, err := a.AttemptIDsByArgs(ctx, p.Arguments)
	found.Attempts = append(found.Attempts, ids...)
	return err
}

// ControlsSince implements [recon.Archive].
func (a *archive) ControlsSince(ctx context.Context, earlier recon.Controls) (recon.Controls, error) {
	c := recon.Controls{Outcomes: earlier.Outcomes, Deliveries: earlier.Deliveries}
	type sum struct {
		recon.CurrencySum
		deliveries int64
	}
	attempts, err := collectSince(ctx, a, "control_attempts_since", func(r *rowReader, s *sum) error {
		s.Currency, s.Count, s.Minor, s.deliveries = ledger.Currency(r.word()), r.int8(), r.int8(), r.int8()
		return r.err
	})
	if err != nil {
		return c, err
	}
	var fresh, deliveries recon.Sums
	for _, s := range attempts {
		fresh = append(fresh, s.CurrencySum)
		deliveries = append(deliveries, recon.CurrencySum{Currency: s.Currency, Count: s.deliveries})
		c.Deliveries += s.deliveries
	}
	c.Attempts, c.DeliveriesOf = earlier.Attempts.Plus(fresh), earlier.DeliveriesOf.Plus(deliveries)
	accounts, err := collectSince(ctx, a, "control_entries_since", decodeAccountSums, a.stages.supersededBooked)
	if err != nil {
		return c, err
	}
	moved, err := a.movedSums(ctx)
	if err != nil {
		return c, err
	}
	c.Accounts = recon.PlusAccounts(earlier.Accounts, accounts, moved)
	c.Entries, c.Booked = recon.SumAccounts(c.Accounts)
	outcomes, err := collectSince(ctx, a, "control_outcomes_since", decodeNo)
	if err != nil {
		return c, err
	}
	c.Outcomes += outcomes[0]
	return c, nil
}

// movedSums is what earlier entries that reports call booked count for otherwise than before, for a later stage of them
// came to be known, or is another one's now.
func (a *archive) movedSums(ctx context.Context) ([]recon.AccountSums, error) {
	entries, err := a.EntriesByNo(ctx, a.moved)
	var sums []recon.AccountSums
	for n := range entries {
		e := &entries[n]
		before := *e
		a.before.stages.Apply(&before)
		s := recon.AccountSums{AccountID: e.AccountID, Currency: e.Currency}
		if e.Moved() {
			s.Booked, s.BookedMinor = s.Booked+1, s.BookedMinor+e.Outflow()
		}
		if before.Moved() {
			s.Booked, s.BookedMinor = s.Booked-1, s.BookedMinor-e.Outflow()
		}
		sums = append(sums, s)
	}
	return sums, err
}
