package sql

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
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
	a, standing, err := t.archive(ctx, header, request.Policy)
	if err != nil {
		return nil, err
	}
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

// LookSince concludes of some items what a run over everything would, by looking only at what they touch and at what changed
// since the last recorded run ([recon.LookSince]). Of the header it reads Program. A [*recon.FullNeeded] says why only a run
// over everything will do.
func (t *ReadTx) LookSince(ctx context.Context, header recon.RunInfo, request recon.Request, items recon.Items) (*recon.Result, error) {
	a, standing, err := t.archive(ctx, header, request.Policy)
	if err != nil {
		return nil, explain(t.conn, err)
	}
	var result *recon.Result
	err = t.byIndex(ctx, func() error {
		result, err = recon.LookSince(ctx, a, standing, request, items)
		return err
	})
	return result, explain(t.conn, err)
}

// archive is what a run by some policy can carry on from: the last run's state, and what it read.
func (b *Books) archive(ctx context.Context, header recon.RunInfo, policy recon.Policy) (*archive, recon.Standing, error) {
	last, err := b.lastRun(ctx)
	if err != nil {
		return nil, recon.Standing{}, err
	}
	if err := b.carriesOn(ctx, &last, header, policy); err != nil {
		return nil, recon.Standing{}, err
	}
	stored, err := decodeStanding(last.standing)
	if err != nil {
		return nil, recon.Standing{}, err
	}
	standing, err := stored.standing(&last)
	if err != nil {
		return nil, standing, err
	}
	// What is listed is worked out, and so no trigger keeps anybody from changing it.
	var listed int64
	if err := b.conn.QueryRow(ctx, query("open_count")).Scan(&listed); err != nil {
		return nil, standing, err
	}
	if listed != stored.Listed.Count {
		return nil, standing, &recon.FullNeeded{Why: fmt.Sprintf("%d items are kept as listed, of the %d that the last run listed", listed, stored.Listed.Count), Doubt: true}
	}
	past := &Books{conn: b.conn, past: &pastView{run: last.ID, epoch: last.epoch, snapshot: last.snapshot}}
	return &archive{Books: b, before: past, last: last}, standing, nil
}

// byIndex has the statements of fn ask for few rows of many by index: what the planner knows of the values of an
// expression, or of a table that has just grown, makes it read everything instead.
func (b *Books) byIndex(ctx context.Context, fn func() error) error {
	const settings = "SET LOCAL enable_seqscan = %[1]s; SET LOCAL enable_bitmapscan = %[1]s; SET LOCAL enable_hashjoin = %[1]s; SET LOCAL enable_mergejoin = %[1]s"
	if err := simple(ctx, b.conn, fmt.Sprintf(settings, "off")); err != nil {
		return err
	}
	err := fn()
	var needed *recon.FullNeeded
	if err != nil && !errors.As(err, &needed) {
		return err // whatever the transaction can still do, it is not to go on
	}
	return errors.Join(err, simple(ctx, b.conn, fmt.Sprintf(settings, "on")))
}

// carriesOn refuses to carry on from a run that was made by other rules, of another policy or in another place.
func (b *Books) carriesOn(ctx context.Context, last *runRow, header recon.RunInfo, policy recon.Policy) error {
	if last.ID == 0 {
		return &recon.FullNeeded{Why: "it is the first run"}
	}
	var place runRow
	var moved, slotDone bool
	if err := b.conn.QueryRow(ctx, query("run_place"), "").Scan(&place.epoch, &place.system, &place.snapshot, &moved, &slotDone); err != nil {
		return err
	}
	var encoding string
	if err := b.conn.QueryRow(ctx, "SELECT current_setting('server_encoding')").Scan(&encoding); err != nil {
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
	if err := a.readRecorded(ctx, recon.Outcomes, since.Affected.Outcomes, nil); err != nil {
		return err
	}
	slices.SortFunc(a.recorded, func(x, y openItem) int { return compareItems(x.population, x.item, y.population, y.item) })
	for n := 0; n < max(len(rows), len(a.recorded)); n++ {
		if n >= len(rows) || n >= len(a.recorded) || (openItem{rows[n].population, rows[n].item, rows[n].content}) != a.recorded[n] {
			return &recon.FullNeeded{Why: "what the last run recorded is not what it comes to when it is worked out again", Doubt: true}
		}
	}
	return nil
}

// readRecorded reads what the last run had recorded of items, and adds the attempts that flags of theirs name.
func (a *archive) readRecorded(ctx context.Context, population recon.Population, items []string, named *[]string) error {
	if len(items) == 0 {
		return nil
	}
	recorded, err := collect(ctx, a.Books, "findings_of_items", func(r *rowReader, o *openItem) error {
		err := decodeOpenItem(r, o)
		flags := r.raw()
		if named == nil || len(flags) <= len("[]") || err != nil {
			return cmp.Or(err, r.err)
		}
		var stored []flagJSON
		err = json.Unmarshal(flags, &stored)
		for _, flag := range stored {
			*named = append(*named, recon.LikesOf([]recon.Flag{recon.Flag(flag)})...)
		}
		return cmp.Or(err, r.err)
	}, string(population), items)
	a.recorded = append(a.recorded, recorded...)
	return err
}

// archive is [recon.Archive] over the snapshot of a run.
type archive struct {
	*Books
	before      *Books
	last        runRow
	newCases    map[string]*recon.Case  // attempts that are new, without outcomes
	newEntries  map[int64]*ledger.Entry // entries that are new
	newVersions map[string][]version    // versions of outcomes that are new, by attempt id
	moved       []int64                 // earlier entries that are another stage now
	recorded    []openItem              // what the last run had recorded of the items that were read
}

var _ recon.Archive = (*archive)(nil)

// Before implements [recon.Archive].
func (a *archive) Before() recon.Books { return a.before }

// News implements [recon.Archive].
func (a *archive) News(ctx context.Context, asOf time.Time) (news recon.News, err error) {
	texts := func(name string, into *[]string, args ...any) {
		if err == nil {
			var found []string
			found, err = collectSince(ctx, a, name, decodeText, args...)
			*into = append(*into, found...)
		}
	}
	texts("since_deliveries", &news.Other)
	texts("since_sessions", &news.Sessions)
	texts("open_due", &news.Other, asOf)
	if err != nil {
		return news, err
	}
	if err := a.readStages(ctx); err != nil {
		return news, err
	}
	if _, err := collect(ctx, a.Books, "open_ways", func(r *rowReader, _ *struct{}) error {
		news.Ways |= 1 << r.int4()
		return r.err
	}); err != nil {
		return news, err
	}
	if err := a.readNew(ctx); err != nil {
		return news, err
	}
	for id := range a.newVersions {
		news.Other = append(news.Other, id)
	}
	news.Attempts, news.Entries = slices.Sorted(maps.Keys(a.newCases)), slices.Sorted(maps.Keys(a.newEntries))
	covered, err := collectSince(ctx, a, "since_coverage", func(r *rowReader, b *bool) error {
		*b = r.bool()
		return r.err
	})
	if err != nil {
		return news, err
	}
	news.Coverage = covered[0]
	news.Moved = slices.DeleteFunc(a.stages.Differ(a.before.stages.Stages), func(no int64) bool { return a.newEntries[no] != nil })
	a.moved = news.Moved
	return news, nil
}

// readNew reads the attempts, outcomes and entries that the last run could not see: they lie side by side, where looking each
// up by its id would lead all over their tables.
func (a *archive) readNew(ctx context.Context) error {
	cases, err := collectSince(ctx, a, "since_attempts", decodeCase)
	if err != nil {
		return err
	}
	a.newCases = make(map[string]*recon.Case, len(cases))
	for n := range cases {
		a.newCases[cases[n].Attempt.ID] = &cases[n]
	}
	versions, err := collectSince(ctx, a, "since_outcomes", decodeVersion)
	if err != nil {
		return err
	}
	a.newVersions = make(map[string][]version, len(versions))
	for _, v := range versions {
		a.newVersions[v.AttemptID] = append(a.newVersions[v.AttemptID], v)
	}
	decode, err := a.entryDecoder(ctx)
	if err != nil {
		return err
	}
	entries, err := collectSince(ctx, a, "since_entries", decode)
	if err != nil {
		return err
	}
	a.newEntries = make(map[int64]*ledger.Entry, len(entries))
	for n := range entries {
		a.newEntries[entries[n].No] = &entries[n]
	}
	return nil
}

// AttemptsBoth implements [recon.Archive].
func (a *archive) AttemptsBoth(ctx context.Context, ids []string) (now, before []recon.Case, named []string, err error) {
	var fresh, recorded []string
	for _, id := range ids {
		if c := a.newCases[id]; c != nil {
			now, fresh = append(now, *c), append(fresh, id)
		} else {
			recorded = append(recorded, id)
		}
	}
	if len(recorded) > 0 {
		_, err = collectSince(ctx, a, "both_attempts", func(r *rowReader, _ *struct{}) error {
			var c recon.Case
			err := decodeCase(r, &c)
			now = append(now, c)
			seen, deliveries, reused := r.bool(), r.int8(), r.bool()
			if !seen {
				return cmp.Or(err, r.err)
			}
			c.Attempt.Deliveries, c.Attempt.IDReused = int(max(1, deliveries)), reused
			if c.Attempt.MarkRun >= a.last.ID {
				c.Attempt.MarkedAt, c.Attempt.MarkRun = time.Time{}, 0
			}
			before = append(before, c)
			return cmp.Or(err, r.err)
		}, recorded)
		err = cmp.Or(err, a.readRecorded(ctx, recon.Attempts, recorded, &named))
	}
	return now, before, named, cmp.Or(err, a.outcomesBoth(ctx, fresh, recorded, now, before))
}

// outcomesBoth adds to attempts, in both states, what was observed of them. Of one that is new an earlier run saw an outcome
// only if it listed that as nobody's.
func (a *archive) outcomesBoth(ctx context.Context, fresh, recorded []string, now, before []recon.Case) error {
	if len(fresh) > 0 {
		listed, err := collect(ctx, a.Books, "open_orphans", decodeText, fresh)
		if err != nil {
			return err
		}
		recorded = append(recorded, listed...)
	}
	seen := map[string][]version{}
	if len(recorded) > 0 {
		versions, err := collectSince(ctx, a, "seen_outcomes", decodeVersion, recorded)
		if err != nil {
			return err
		}
		for _, v := range versions {
			seen[v.AttemptID] = append(seen[v.AttemptID], v)
		}
	}
	for n := range now {
		id := now[n].Attempt.ID
		now[n].Outcomes = inOrder(seen[id], a.newVersions[id])
	}
	for n := range before {
		before[n].Outcomes = inOrder(seen[before[n].Attempt.ID])
	}
	return nil
}

// version is a version of an outcome.
type version struct {
	recon.Outcome
	no int64
}

func decodeVersion(r *rowReader, v *version) error {
	err := decodeOutcome(r, &v.Outcome)
	v.no = r.int8()
	return cmp.Or(err, r.err)
}

// inOrder are versions of the outcomes of one attempt, oldest first.
func inOrder(lists ...[]version) []recon.Outcome {
	versions := slices.Concat(lists...)
	slices.SortFunc(versions, func(x, y version) int { return cmp.Or(x.ObservedAt.Compare(y.ObservedAt), cmp.Compare(x.no, y.no)) })
	var outcomes []recon.Outcome
	for _, v := range versions {
		outcomes = append(outcomes, v.Outcome)
	}
	return outcomes
}

// EntriesBoth implements [recon.Archive].
func (a *archive) EntriesBoth(ctx context.Context, nos []int64) (now, before []ledger.Entry, err error) {
	var recorded []int64
	for _, no := range nos {
		if e := a.newEntries[no]; e != nil {
			now = append(now, *e)
		} else {
			recorded = append(recorded, no)
		}
	}
	if len(recorded) == 0 {
		return now, nil, nil
	}
	_, err = collectSince(ctx, a, "both_entries", func(r *rowReader, _ *struct{}) error {
		var e ledger.Entry
		err := decodeEntry(r, &e, a.files)
		if r.bool() {
			was := e
			a.before.stages.apply(&was)
			before = append(before, was)
		}
		a.stages.apply(&e)
		now = append(now, e)
		return cmp.Or(err, r.err)
	}, recorded)
	ids := make([]string, len(before))
	for n := range before {
		ids[n] = before[n].ID
	}
	return now, before, cmp.Or(err, a.readRecorded(ctx, recon.Entries, ids, nil))
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

// OrphansByID implements [recon.Books].
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
		a.attemptsByKey, a.outcomesByRef, a.entriesByKey, a.entriesByRef, a.attemptsByReference, a.attemptsByPrefix, a.attemptsAlike, a.listed, a.absent, a.plain,
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

// referenceIndexed is how many characters of a reference the index has.
const referenceIndexed = 35

// storedReferences are comparable forms of a reference as the index may have them: as recon_reference made them.
func storedReferences(form string) []string {
	digits := strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, form)
	stored := []string{outsideASCII + digits}
	if isASCII(form) {
		stored = append(stored, form)
	}
	for n, s := range stored {
		stored[n] = s[:min(len(s), referenceIndexed)]
	}
	return stored
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
		if id, ref := r.text(), r.text(); asked[recon.FoldKey(ref)] {
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

// mostBegun is how many references may begin with what a bank left of one. What begins more is looked for among all: that is
// no part of a reference, but a word that many begin with.
const mostBegun = 1000

func (a *archive) attemptsByPrefix(ctx context.Context, p *recon.Probes, found *recon.Items) error {
	if len(p.Prefixes) == 0 {
		return nil
	}
	var first, after []string
	for _, cut := range p.Prefixes {
		first = append(first, storedReferences(cut)...)
	}
	first = distinct(first)
	for _, text := range first {
		last := len(text) - 1
		after = append(after, text[:last]+string(text[last]+1))
	}
	begun := map[string]int{}
	_, err := collect(ctx, a.Books, "touch_prefixes", func(r *rowReader, _ *struct{}) error {
		id, ref, first := r.text(), r.text(), r.text()
		if begun[first]++; begun[first] > mostBegun {
			return &recon.FullNeeded{Why: fmt.Sprintf("more than %d references begin with what a bank may have left of one", mostBegun)}
		}
		if slices.ContainsFunc(recon.ReferenceForms(ref), func(form string) bool {
			return slices.ContainsFunc(p.Prefixes, func(cut string) bool { return strings.HasPrefix(form, cut) })
		}) {
			found.Attempts = append(found.Attempts, id)
		}
		return r.err
	}, first, after, mostBegun+1)
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
	if len(p.Open) == 0 {
		return nil
	}
	_, err := collect(ctx, a.Books, "open_touched", func(r *rowReader, _ *struct{}) error {
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
	}, p.Open)
	return err
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
