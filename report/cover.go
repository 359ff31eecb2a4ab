package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"agentrecon/recon"
)

// content says of a sheet what it holds. Reviewed sheets have columns to fill in.
type content struct {
	sheet    Sheet
	holds    string
	reviewed bool
}

// contents says what each sheet holds, for the Cover.
var contents = []content{
	{SheetSummary, "Bridge, net and gross, classes, tiers, ageing; every figure a live formula", false},
	{SheetChecks, "Every tie-out with both sides and where each comes from", false},
	{SheetAccounts, "The bridge of each account, line by line; filter by account, currency or line", false},
	{SheetUnresolved, "Attempts without a definite outcome, and what the ledger says of them", true},
	{SheetMismatches, "Attempt, outcome and ledger contradict each other", true},
	{SheetExcess, "Second and further ledger entries of one attempt", true},
	{SheetLedgerOnly, "Entries and outcomes without a recorded attempt, ambiguous entries", true},
	{SheetTiming, "One-sided because the window is still open; no exception", true},
	{SheetNotConcluded, "No statement covers them, so nothing is concluded", true},
	{SheetEarlier, "Items of the time before the period that are still open", true},
	{SheetExcluded, "Entries not booked or out of scope, each with its reason", true},
	{SheetRepeats, "Deliveries of an attempt beyond its first", false},
	{SheetEdge, "Proposed on one side of the period's edge and booked on the other", false},
	{SheetClean, "Within tolerance, replays paid once, failures that the ledger confirms", true},
	{SheetNoted, "Agreed to ledger and carrying a note; the other agreed attempts are counted, not listed", true},
	{SheetAgreed, "Every attempt that is agreed to ledger: the full population, to sample from", false},
	{SheetLinked, "Entries of attempts on other sheets or of other periods: the rest of the population of entries", false},
	{SheetSample, "Rows selected by the auditor's random start, interval or value, by formula", false},
	{SheetChanges, "Open items that changed since the last run and since the last issued one", false},
	{SheetRuns, "Runs made, slots due, missed and failed", false},
	{SheetOverrides, "What was accepted against the rules, and changes of the rules", false},
	{SheetSources, "Files with hashes and control totals, statements, coverage", false},
	{SheetMethod, "Decision table, classes, tiers, parameters, limits", false},
	{SheetFields, "Meaning of every column, and the words used", false},
}

// contents lists the sheets of this workbook: those of agreed attempts only where they were asked for, each of them.
func (b *book) contents() []content {
	var all []content
	for _, s := range contents {
		switch {
		case s.sheet == SheetAgreed && b.agreed != nil:
			for _, sheet := range b.agreed.sheets {
				all = append(all, content{sheet, s.holds, s.reviewed})
			}
		case b.agreed == nil && slices.Contains([]Sheet{SheetAgreed, SheetLinked, SheetSample}, s.sheet):
		default:
			all = append(all, s)
		}
	}
	return all
}

// agreedPart is which of the sheets of agreed attempts a sheet is, -1 if none.
func (b *book) agreedPart(sheet Sheet) int {
	if b.agreed == nil {
		return -1
	}
	return slices.Index(b.agreed.sheets, sheet)
}

// newCover writes the first page: the result, what it rests on, the contents, and who signs for it.
func newCover(b *book, c *checks, v verdict) *grid {
	g := &grid{sheet: SheetCover, widths: []float64{26, 96, 10, 18, 24}}
	g.title("Reconciliation of agent payments: unresolved attempts and mismatches",
		strings.TrimPrefix(entityLine(b.report), " "))
	g.gap()
	coverResult(b, g, c, v)
	coverRun(b, g, v)
	coverSignOff(b, g)
	coverContents(b, g)
	g.add(words("Yellow cells are management's, green ones the auditor's; both are unlocked. Other cells are locked without a password, against slips and not against tampering: rely on the file's hash.", italicLook))
	g.add(words("Filters work on the locked sheets; sorting needs one click on Review, Unprotect Sheet (there is no password).", italicLook))
	return g
}

// entityNotNamed stands for the name of the entity where neither run nor command says it.
const entityNotNamed = "Entity not named"

// entityLine says whose books these are and which accounts were looked at.
func entityLine(r *recon.Report) string {
	entity := entityNotNamed
	if r.Entity != "" {
		entity = show(r.Entity, false)
	}
	accounts := "every account of the ledger"
	if len(r.Policy.Accounts) > 0 {
		accounts = "accounts in scope by parameter: " + show(named(r.Policy.Accounts, ", "), false)
	}
	return entity + "   |   " + accounts
}

// stateLooks colour the state's own cell; the word says it all.
func stateLook(s State) style {
	look := style{size: 12, bold: true, ink: white, fill: okInk, middle: true, centre: true}
	switch s {
	case DoNotRely:
		look.fill = badInk
	case Interim, Incomplete:
		look.fill = ochre
	case Final:
	}
	return look
}

// coverResult leads with the state, for a reader who sees nothing else must see that.
func coverResult(b *book, g *grid, c *checks, v verdict) {
	g.section("Result")
	result := style{size: 10, ink: black, wrap: true, middle: true, line: true, bold: true, indent: 1}
	g.add(words(string(v.state), stateLook(v.state)), words(v.sentence, result), blank(lined), blank(lined), blank(lined))
	g.height(14 * max(3, wrappedLines(v.sentence, g.widths[1]*pixelsPerWidth-cellPadding, result)+1))
	say(g, "Because", words(v.because, lined.wrapped()))
	row := g.next()
	differ := c.differing()
	text := "all checks agree"
	if differ.n > 0 {
		text = "checks differ: see Checks"
	}
	say(g, "Checks that differ", cell{
		formula: fmt.Sprintf(`IF(%s=0,"0 of %s: all checks agree",%s&" of %s: checks differ, see Checks")`, differ.expr, grouped(int64(c.made)), differ.expr, grouped(int64(c.made))),
		value:   fmt.Sprintf("%d of %s: %s", differ.n, grouped(int64(c.made)), text), style: lined,
	})
	if differ.n > 0 {
		g.rows[row-1][1].value = fmt.Sprintf("%d of %s: checks differ, see Checks", differ.n, grouped(int64(c.made)))
	}
	g.gap()
}

// say adds a labelled line of the Cover.
func say(g *grid, label string, value cell) {
	g.add(words(label, labelLook), value, blank(lined), blank(lined), blank(lined))
}

// coverRun says what the report is, what it did not test, and all that is needed to make it again.
func coverRun(b *book, g *grid, v verdict) {
	r := b.report
	look := lined.wrapped()
	tell := func(label, text string) { say(g, label, words(text, look)) }
	g.section("What this is and how it was made")
	tell("What it is", "Three lists joined item by item: what agents attempted, what their platform observed, what the payments ledger booked. \"Agreed to ledger\" means no more than a linked booked entry of equal amount, currency and payee.")
	tell("What it is not", notTested)
	tell("Run", b.madeWords())
	tell("Period", strings.TrimPrefix(b.periodWords(), "Period ")+". Attempts by the time proposed, entries by booking date; bank dates are calendar dates without a time.")
	tell("Accounts in scope", scopeOfAccounts(r))
	tell("Cut-off", cutOffWords(r))
	tell("Recording since", recordingSince(r))
	tell("Coverage of attempts", attemptsWords(r))
	tell("Quiet hours (inferred)", quietWords(r))
	tell("Recorders", recorderWords(r))
	tell("Coverage of ledger", coverageWords(r, v))
	tell("Open from earlier", earlierWords(r))
	tell("Assumed", fmt.Sprintf("%s is the currency of attempts recorded without one, by parameter; how many they are is not recorded. Times are UTC; days and windows are read in %s.", r.Policy.Currency, zoneOf(r)))
	tell("Program", show(r.Run.Program, false))
	tell("Evidence digest", b.digestWords())
	tell(labelKey, keyOf(r, b.opts))
	tell(labelPopulation, b.populationWords())
	tell("This file's own hash", b.hashWords())
	shown := "None"
	if b.altered > 0 {
		shown = grouped(int64(b.altered)) + ": control characters, broken bytes or texts too long for a cell are shown escaped (\\u0000, \\xff) or by their beginning with length and hash"
	}
	tell("Texts shown escaped", shown)
	g.gap()
}

// madeWords says which run this is. A run that kept nothing has no record to point to, and no time of its own.
func (b *book) madeWords() string {
	run := b.report.Run
	if b.report.FilesOnly {
		return fmt.Sprintf("Over the files on Sources (%s, rule set %s); nothing is kept, and the same files give this same workbook on any day",
			show(run.Kind, false), show(run.RuleSet, false))
	}
	if !recorded(b.report) {
		return fmt.Sprintf("Not recorded, for the last recorded run judged by a later moment: a report and no more (%s, rule set %s), made %s by %s",
			show(run.Kind, false), show(run.RuleSet, false), clock(run.RecordedAt), orUnknown(run.RecordedBy))
	}
	return fmt.Sprintf("%s (%s), rule set %s, recorded %s by %s", b.runName(), show(run.Kind, false), show(run.RuleSet, false), clock(run.RecordedAt), orUnknown(run.RecordedBy))
}

func (b *book) digestWords() string {
	run := b.report.Run
	if b.report.FilesOnly {
		return short(run.EvidenceDigest) + " (first 16 of 64): the same files under the same parameters come to it again"
	}
	if !recorded(b.report) {
		return "None: only recorded runs have one, and no later reader could make this report again."
	}
	return fmt.Sprintf("%s (first 16 of 64); run digest %s. The whole digests are in the run's record.", short(run.EvidenceDigest), short(run.Digest))
}

func (b *book) hashWords() string {
	if b.report.FilesOnly {
		return "Printed by the program when it wrote this file: a file cannot hold its own hash."
	}
	return "In the record of the export: a file cannot hold its own hash."
}

// populationWords says where the agreed attempts are listed one by one.
func (b *book) populationWords() string {
	switch file := b.opts.AgreedFile; {
	case file != nil:
		return fmt.Sprintf("In file %s, sha256 %s, %s", show(file.Name, false), file.SHA256, items(int(file.Rows), "row"))
	case b.agreed != nil:
		return fmt.Sprintf("On %s: %s", b.agreed.names(), items(int(b.agreed.total()), "row"))
	default:
		if b.report.FilesOnly {
			return "Not listed; the same command with --matched lists them"
		}
		return "Not listed; recon export --matched lists them"
	}
}

// scopeOfAccounts says which accounts are reconciled, and who decided it.
func scopeOfAccounts(r *recon.Report) string {
	if len(r.Policy.Accounts) == 0 {
		return "Every account of the ledger; nobody narrowed it by parameter."
	}
	by := "by parameter of the run"
	if r.Run.RecordedBy != "" {
		by += ", which " + show(r.Run.RecordedBy, false) + " made"
	}
	return show(named(r.Policy.Accounts, ", "), false) + " (" + by + "). Entries of other accounts are on Excluded."
}

// cutOffWords tells the end of the period from the moment that everything is judged by.
func cutOffWords(r *recon.Report) string {
	judged := "Everything is judged as of " + clock(r.Run.AsOf) + "."
	end, over := cutOff(r)
	switch {
	case r.Period.IsZero():
		return "None: the report is over everything recorded. " + judged
	case !over:
		return "The period ends at " + clock(end) + ", which is later than the as-of time. " + judged
	default:
		return "The period ends at " + clock(end) + ", excluded. " + judged
	}
}

// attemptsWords says how far the population of attempts can be relied on: what was not recorded cannot be counted.
func attemptsWords(r *recon.Report) string {
	n := int(r.Totals.Entries.ClassCount(recon.UnattemptedMovement))
	text := fmt.Sprintf("As recorded: %s", items(int(r.Totals.Attempts.Count), "attempt"))
	if !r.Recording.Last.IsZero() {
		text += ", the last proposed " + clock(r.Recording.Last)
	}
	text += fmt.Sprintf("; %s %s a recorded attempt (Ledger only).", entryCount(n), lack(n))
	if outages := int(causeCount(r, recon.CauseHookOutage)); outages > 0 {
		text += fmt.Sprintf(" %s of many in one session or version: the recorder may have failed there.", items(outages, "unresolved attempt"))
	}
	return text
}

// mostQuiet is how many quiet spells the Cover names.
const mostQuiet = 3

// quietWords names the hours in which nothing was recorded although the weeks around had many attempts.
func quietWords(r *recon.Report) string {
	spells := r.Recording.Quiet
	if len(spells) == 0 {
		return fmt.Sprintf("None found. A stretch of hours counts if nothing was recorded in it and the same hours of the weeks around had %d attempts and more; of fewer nothing can be said.", recon.QuietMedian)
	}
	parts := make([]string, 0, mostQuiet)
	for _, s := range spells[:min(len(spells), mostQuiet)] {
		to := s.To.Format("2006-01-02 15:04")
		if s.To.Format(time.DateOnly) == s.From.Format(time.DateOnly) {
			to = s.To.Format("15:04")
		}
		parts = append(parts, fmt.Sprintf("%s to %s UTC (usually %s attempts)", s.From.Format("2006-01-02 15:04"), to, grouped(s.Usual)))
	}
	text := "Nothing recorded from " + named(parts, "; ")
	if more := len(spells) - len(parts); more > 0 {
		text += fmt.Sprintf("; and %s more", grouped(int64(more)))
	}
	return text + ". The recorder may have been down, or nobody asked for anything: find out which."
}

// mostHarnesses is how many harnesses the Cover names.
const mostHarnesses = 4

// recorderWords says what recorded the attempts, and what lay on its disk until it could be written down.
func recorderWords(r *recon.Report) string {
	rec := &r.Recording
	byCount := slices.Clone(rec.Harnesses)
	slices.SortStableFunc(byCount, func(a, b recon.HarnessCount) int { return cmp.Compare(b.Attempts, a.Attempts) })
	var parts []string
	for _, h := range byCount[:min(len(byCount), mostHarnesses)] {
		name := "harness not recorded"
		if h.Harness != "" {
			name = show(h.Harness, false)
		}
		parts = append(parts, name+" "+grouped(h.Attempts))
	}
	if more := len(byCount) - len(parts); more > 0 {
		parts = append(parts, grouped(int64(more))+" more")
	}
	if len(parts) == 0 {
		return "No attempt is recorded."
	}
	text := "Attempts by harness: " + strings.Join(parts, ", ")
	if rec.Hosts > 0 {
		text += fmt.Sprintf(" (%s)", items(int(rec.Hosts), "host"))
	}
	if rec.Firings == 0 {
		return text + ". Nothing tells what lay in a recorder's spool: the attempts were imported, or recorded by another program."
	}
	text += fmt.Sprintf(". Of %s of the recorder, %s", items(int(rec.Firings), "firing"), lateWords(rec))
	if rec.Lost > 0 {
		text += fmt.Sprintf("; of %s nothing could be read", grouped(rec.Lost))
	}
	return text + ". What still lay in a spool when the run read is in a later run."
}

// lateWords says how many firings were written down late, and by how much.
func lateWords(rec *recon.Recording) string {
	if rec.Late == 0 {
		return "none was written down more than a minute late"
	}
	return fmt.Sprintf("%s lay in its spool for more than a minute, at the most %s", grouped(rec.Late), span(rec.Longest))
}

// span is a length of time in the largest unit that says enough.
func span(d time.Duration) string {
	switch {
	case d >= 48*time.Hour:
		return fmt.Sprintf("%d days", int(d/(24*time.Hour)))
	case d >= 2*time.Hour:
		return fmt.Sprintf("%d hours", int(d/time.Hour))
	default:
		return fmt.Sprintf("%d minutes", int(d/time.Minute))
	}
}

// earlierWords counts what the time before the period left open: it is in no figure of the period.
func earlierWords(r *recon.Report) string {
	n := len(openEarlier(r))
	switch {
	case r.Period.IsZero():
		return "None: the report is over everything recorded."
	case n == 0:
		return "Nothing of the time before the period is open."
	default:
		return items(n, "item") + " of the time before the period: see Open from earlier, and the roll-forward on Summary."
	}
}

func causeCount(r *recon.Report, cause recon.Cause) (n int64) {
	for _, c := range r.Totals.Causes {
		if c.Cause == cause {
			n += c.Count
		}
	}
	return n
}

func orUnknown(s string) string {
	if s == "" {
		return "not recorded"
	}
	return show(s, false)
}

// recordingSince warns where recording began inside the period: nothing earlier can be in the population.
func recordingSince(r *recon.Report) string {
	if r.RecordingSince.IsZero() {
		return "No attempt is recorded."
	}
	text := "First recorded attempt: " + clock(r.RecordingSince)
	if !r.Period.IsZero() && r.RecordingSince.After(r.Period.Start()) {
		text += ". That is after the start of the period: earlier attempts, if any, are not in the population."
	}
	return text
}

func coverageWords(r *recon.Report, v verdict) string {
	gaps := coverageGaps(r)
	if len(gaps) > 0 {
		return "Gaps: " + named(gaps, "; ")
	}
	text := "The ledger covers the period"
	for _, c := range r.Coverage {
		if c.Inferred {
			return text + "; in part inferred from first to last booked day: see Sources"
		}
	}
	return text + ", as its files state: see Sources"
}

// coverContents links every sheet and counts its rows live.
func coverContents(b *book, g *grid) {
	g.section("Contents")
	g.head("Sheet", "What it holds", ">Rows", "Reviewers' columns")
	for _, s := range b.contents() {
		rows, reviewed := words("–", lined.right()), "–"
		if part := b.agreedPart(s.sheet); part >= 0 {
			rows = b.agreed.size(part).count(lined)
		}
		for _, l := range b.lists {
			if l.sheet == s.sheet {
				rows = l.size().count(lined)
			}
		}
		if s.reviewed {
			reviewed = "yes"
		}
		g.add(cell{value: string(s.sheet), style: linkLook, link: quoted(s.sheet) + "!A1"}, words(s.holds, lined), rows, words(reviewed, lined))
	}
	g.gap()
}

// signRoles are the people who sign. Preparer and approver must be two people.
var signRoles = []struct {
	role string
	look style
}{
	{"Prepared by (management)", inputLook},
	{"Approved by (another person)", inputLook},
	{"Internal audit", auditLook},
	{"External audit", auditLook},
}

// coverSignOff binds the signatures to the evidence, not to the file, which changes when it is signed.
func coverSignOff(b *book, g *grid) {
	var bound string
	switch digest := short(b.report.Run.EvidenceDigest); {
	case !recorded(b.report):
		bound = "this report, whose run is not recorded"
	case b.report.FilesOnly:
		bound = "this report over files, evidence digest " + digest
	default:
		bound = fmt.Sprintf("run %d, evidence digest %s", b.report.Run.ID, digest)
	}
	g.section("Sign-off of " + bound + ": preparer and approver are two people")
	g.head("Role", "Name", "Initials", "Date", "Working paper reference")
	role := labelLook
	role.top, role.middle = false, true
	for _, s := range signRoles {
		g.add(words(s.role, role), blank(s.look), blank(s.look), blank(s.look.as(formatDate).leftAligned()), blank(s.look))
		g.height(18)
	}
	g.gap()
}
