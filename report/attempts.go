package report

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"agentrecon/ledger"
	"agentrecon/recon"
)

// Headers that formulas and the program look for.
const (
	headPriority    = "Priority"
	headItem        = "Item"
	headCurrency    = "Currency"
	headClass       = "Class"
	headPopulation  = "Population"
	headPointsTo    = "Evidence points to"
	headStatus      = "Status"
	headMarked      = "Marked unknown"
	headMinor       = "Minor units"
	headEffect      = "Count effect"
	headDifference  = "Difference, minor units"
	headAge         = "Age (days)"
	headDisposition = "Disposition"
	headDigest      = "Row digest"
	headSettlement  = "Settlement"
	headOutcome     = "Outcome"
	headLine        = "Bridge line"
	headApprover    = "Approver"
	headAgainst     = "Against"
	headChange      = "Change"
	headFrom        = "From class"
	headTo          = "To class"
	headTier        = "Tier"
	headAgeCutOff   = "Age at cut-off (days)"
	headWhen        = "Of the period"
	headLate        = "Late outcome"
	headAccount     = "Account"
)

// What a column holds, as the Fields sheet says.
const (
	holdsText    = "text"
	holdsID      = "identifier"
	holdsWord    = "word of a closed list"
	holdsAmount  = "amount"
	holdsInteger = "integer"
	holdsCount   = "count"
	holdsDate    = "date"
	holdsTime    = "time, UTC"
	holdsDays    = "days"
)

// The looks of list cells.
var (
	listText = lined.wrapped()
	listID   = lined.wrapped()
	techText = techLook
)

type attemptCol = col[recon.AttemptFinding]

// Columns of attempts. Each is defined once and placed on the sheets that need it.
var (
	attemptPriority = attemptCol{
		column{headPriority, 8, evidence, holdsWord, "How soon a person should look: critical, high, medium, info, or none."},
		func(b *book, f *recon.AttemptFinding) cell {
			return words(priorityWord(infoOf(f).Priority), lined.strong())
		},
	}
	attemptDoNext = attemptCol{
		column{"Do next", 22, evidence, holdsText, "What the class asks a person to do."},
		func(b *book, f *recon.AttemptFinding) cell { return words(infoOf(f).DoNext, listText) },
	}
	attemptMeaning = attemptCol{
		column{"What it is", 26, evidence, holdsText, "What the class means, in one sentence."},
		func(b *book, f *recon.AttemptFinding) cell { return words(infoOf(f).Meaning, listText) },
	}
	attemptItem = attemptCol{
		column{headItem, 17, evidence, holdsID, "The attempt's id: what to give to `recon explain`, and what dispositions refer to."},
		func(b *book, f *recon.AttemptFinding) cell { return b.id(f.Attempt.ID, listID) },
	}
	attemptAmount = attemptCol{
		column{"Amount", 13, evidence, holdsAmount, "Amount of the attempt in major units; money out is positive."},
		func(b *book, f *recon.AttemptFinding) cell { return money(f.Attempt.Minor, f.Attempt.Currency, lined) },
	}
	attemptCurrency = attemptCol{
		column{headCurrency, 9, evidence, holdsWord, "Currency of the attempt, ISO 4217."},
		func(b *book, f *recon.AttemptFinding) cell { return b.currency(f.Attempt.Currency, lined) },
	}
	attemptPayee = attemptCol{
		column{"Payee", 15, evidence, holdsText, "Counterparty's name as the linked entry has it; attempts record none."},
		func(b *book, f *recon.AttemptFinding) cell { return b.text(payee(f), listText) },
	}
	attemptDestination = attemptCol{
		column{"Destination", 21, evidence, holdsID, "Account that the attempt was to pay."},
		func(b *book, f *recon.AttemptFinding) cell { return b.id(f.Attempt.DestAccount, listID) },
	}
	attemptReference = attemptCol{
		column{"Reference", 12, evidence, holdsID, "Reference of the attempt."},
		func(b *book, f *recon.AttemptFinding) cell { return b.id(f.Attempt.Reference, listID) },
	}
	attemptProposed = attemptCol{
		column{"Proposed (UTC)", 16, evidence, holdsTime, "When the call was proposed; the population of a period is by this time."},
		func(b *book, f *recon.AttemptFinding) cell { return instant(f.Attempt.ProposedAt, lined) },
	}
	attemptAge = attemptCol{
		column{headAge, 8, evidence, holdsDays, "Days from the proposal to the run's as-of time."},
		func(b *book, f *recon.AttemptFinding) cell { return days(f.Age, lined) },
	}
	attemptMoved = attemptCol{
		column{"Money moved?", 14, evidence, holdsText, "What the ledger says of the money, by settlement (see Method)."},
		func(b *book, f *recon.AttemptFinding) cell {
			return words(ledgerWordsOf(f.Evidence.Settlement).moved, listText)
		},
	}
	attemptEvidence = attemptCol{
		column{"Evidence (file:line)", 20, evidence, holdsText, "Ledger lines that the conclusion rests on; for an absence, the statement that proves it."},
		func(b *book, f *recon.AttemptFinding) cell { return b.text(b.index.evidenceOf(f), listText) },
	}
	attemptPointsTo = attemptCol{
		column{headPointsTo, 14, evidence, holdsWord, "What the records suggest as the reason why there is no outcome; no finding of cause."},
		func(b *book, f *recon.AttemptFinding) cell { return words(string(f.Cause), listText) },
	}
	attemptBecause = attemptCol{
		column{"Because", 18, evidence, holdsText, "The record that it rests on."},
		func(b *book, f *recon.AttemptFinding) cell { return b.text(f.CauseDetail, listText) },
	}
	attemptPaidByAnother = attemptCol{
		column{"Paid by another attempt?", 15, evidence, holdsText, "Attempts that may be the same intent (suspected re-ask, dual event), and what the ledger says of them."},
		func(b *book, f *recon.AttemptFinding) cell {
			return b.text(b.index.paidByAnother(f.Attempt.ID), listText)
		},
	}
	attemptChanged = attemptCol{
		column{"Changed", 10, evidence, holdsText, "Whether an earlier run had marked it unknown already."},
		func(b *book, f *recon.AttemptFinding) cell { return words(b.changed(f), listText) },
	}
	attemptEarlier = attemptCol{
		column{"Earlier decision", 12, evidence, holdsText, "A decision that does not stand any more, for class or evidence is another now."},
		func(b *book, f *recon.AttemptFinding) cell {
			return b.text(b.index.reopened(recon.Attempts, f.Attempt.ID), listText)
		},
	}
	attemptReported = attemptCol{
		column{"Reported", 11, evidence, holdsWord, "What the platform observed, by outcome (see Method)."},
		func(b *book, f *recon.AttemptFinding) cell { return words(reportedOf(f.Evidence.Outcome), listText) },
	}
	attemptDifference = attemptCol{
		column{"Difference", 13, evidence, holdsAmount, "Ledger less attempt in the attempt's currency; 0 where they agree in amount or nothing is concluded; none between two currencies."},
		func(b *book, f *recon.AttemptFinding) cell {
			if f.Evidence.Variance == recon.CurrencyDiffers {
				return words("two currencies", lined.strong().right())
			}
			_, difference := recon.BreakOf(f)
			return money(difference, f.Attempt.Currency, lined.strong())
		},
	}
	attemptDiffers = attemptCol{
		column{"Differs", 21, evidence, holdsText, "Every field that differs, with both values and the signed difference."},
		func(b *book, f *recon.AttemptFinding) cell { return b.text(differs(f), listText) },
	}
	attemptAttempted = attemptCol{
		column{"Attempt amount", 13, evidence, holdsAmount, "Amount of the attempt in major units; money out is positive."},
		attemptAmount.get,
	}
	attemptLedgerAmount = attemptCol{
		column{"Ledger amount", 13, evidence, holdsAmount, "Sum of the linked booked entries, less what was taken back; in the ledger's currency."},
		func(b *book, f *recon.AttemptFinding) cell {
			minor, c, found := booked(f)
			if !found {
				return words("none", lined.right())
			}
			return money(minor, c, lined)
		},
	}
	attemptLedgerCurrency = attemptCol{
		column{"Ledger currency", 9, evidence, holdsWord, "Currency of the linked entries."},
		func(b *book, f *recon.AttemptFinding) cell {
			_, c, _ := booked(f)
			return b.id(string(c), lined)
		},
	}
	attemptEntries = attemptCol{
		column{"Entries (file:line)", 20, evidence, holdsText, "Every linked ledger line; for an absence, the statement that proves it."},
		attemptEvidence.get,
	}
	attemptRecovered = attemptCol{
		column{"Recovered", 12, evidence, holdsAmount, "What reversals took back."},
		func(b *book, f *recon.AttemptFinding) cell {
			if minor := recovered(f); minor != 0 {
				return money(minor, f.Attempt.Currency, lined)
			}
			return words("none seen", lined.right())
		},
	}
	attemptIDQuality = attemptCol{
		column{"Id quality", 11, evidence, holdsText, "Whether the id names one call for certain."},
		func(b *book, f *recon.AttemptFinding) cell { return b.text(idQuality(f.Attempt.IDSource), listText) },
	}
	attemptOffsets = attemptCol{
		column{"Offsets in count (item)", 12, evidence, holdsID, "An item of the other side that makes the counts balance all the same."},
		func(b *book, f *recon.AttemptFinding) cell { return b.id(f.OffsetIn, listID) },
	}
	attemptNotes = attemptCol{
		column{"Notes", 24, evidence, holdsText, "The flags for which it is listed (see Method)."},
		func(b *book, f *recon.AttemptFinding) cell { return b.text(flagList(f.Flags, "\n"), listText) },
	}
)

// technicalAttempts are the columns for machines and for tracing, last on every sheet of attempts.
var technicalAttempts = []attemptCol{
	{
		column{headClass, 20, technical, holdsWord, "The one class of the attempt (see Method)."},
		func(b *book, f *recon.AttemptFinding) cell { return words(string(f.Class), techText) },
	},
	{
		column{"Rule", 22, technical, holdsText, "The cell of the decision table that gave the class: settlement × outcome."},
		func(b *book, f *recon.AttemptFinding) cell { return words(f.Rule, techText) },
	},
	{
		column{headOutcome, 13, technical, holdsWord, "Outcome axis (see Method)."},
		func(b *book, f *recon.AttemptFinding) cell { return words(string(f.Evidence.Outcome), techText) },
	},
	{
		column{headSettlement, 13, technical, holdsWord, "Settlement axis (see Method)."},
		func(b *book, f *recon.AttemptFinding) cell { return words(string(f.Evidence.Settlement), techText) },
	},
	{
		column{headLine, 16, technical, holdsWord, "Line of the bridge on Summary that an attempt without a booked entry belongs to."},
		func(b *book, f *recon.AttemptFinding) cell { return words(recon.BridgeLineOf(f), techText) },
	},
	{
		column{"Flags", 20, technical, holdsText, "Annotations; they never change a class (see Method)."},
		func(b *book, f *recon.AttemptFinding) cell { return b.text(flagList(f.Flags, ", "), techText) },
	},
	{
		column{headMarked, 9, technical, holdsWord, "yes: no definite outcome although one was due."},
		func(b *book, f *recon.AttemptFinding) cell { return words(yesNo(f.Stale), techText) },
	},
	{
		column{"Deliveries", 9, technical, holdsCount, "Firings of the recorder for this attempt."},
		func(b *book, f *recon.AttemptFinding) cell { return number(int64(f.Attempt.Deliveries), techText) },
	},
	ageAtCutOff,
	techAttempt("Links", "Ledger entries linked, with tier and role.", func(f *recon.AttemptFinding) string { return linkList(f) }),
	techAttempt("Provider reference", "Provider reference of the current outcome.", func(f *recon.AttemptFinding) string { return lastOutcome(f).ProviderRef }),
	techAttempt("Error", "Error text of the current outcome.", func(f *recon.AttemptFinding) string { return lastOutcome(f).Error }),
	techAttempt("Source account", "Account that was to pay.", func(f *recon.AttemptFinding) string { return f.Attempt.SourceAccount }),
	techAttempt("Session", "Agent session.", func(f *recon.AttemptFinding) string { return f.Attempt.SessionID }),
	techAttempt("Agent", "Agent id.", func(f *recon.AttemptFinding) string { return f.Attempt.AgentID }),
	techAttempt("Harness", "Harness and version.", func(f *recon.AttemptFinding) string { return f.Attempt.Harness }),
	techAttempt("Host", "Machine whose recorder wrote it.", func(f *recon.AttemptFinding) string { return f.Attempt.Host }),
	techAttempt("Tool", "Tool that was called.", func(f *recon.AttemptFinding) string { return f.Attempt.Tool }),
	techAttempt("Turn", "Turn of the session.", func(f *recon.AttemptFinding) string { return f.Attempt.TurnID }),
	techAttempt("Id source", "Where the id came from.", func(f *recon.AttemptFinding) string { return string(f.Attempt.IDSource) }),
	techAttempt("Idempotency key", "Key sent with the call.", func(f *recon.AttemptFinding) string { return f.Attempt.IdempotencyKey }),
	techAttempt("Arguments SHA-256", "Hash of the call's arguments.", func(f *recon.AttemptFinding) string { return f.Attempt.ArgsSHA256 }),
	{
		column{"First run", 8, technical, holdsCount, "Run that first marked it unknown."},
		func(b *book, f *recon.AttemptFinding) cell {
			if f.Attempt.MarkRun == 0 {
				return blank(techText)
			}
			return number(f.Attempt.MarkRun, techText)
		},
	},
	{
		column{headEffect, 8, technical, holdsInteger, "Entries less attempts that this item makes where it is concluded."},
		func(b *book, f *recon.AttemptFinding) cell {
			effect, _ := recon.BreakOf(f)
			return minorUnits(effect, techText)
		},
	},
	{
		column{headDifference, 13, technical, holdsInteger, "The difference as integer minor units: what sums add."},
		func(b *book, f *recon.AttemptFinding) cell {
			_, difference := recon.BreakOf(f)
			return minorUnits(difference, techText)
		},
	},
	{
		column{headMinor, 13, technical, holdsInteger, "The attempt's amount as integer minor units: what sums add."},
		func(b *book, f *recon.AttemptFinding) cell { return minorUnits(f.Attempt.Minor, techText) },
	},
	{column{headDigest, 17, technical, holdsID, "Identifies what the locked cells of the row say; reviewers' columns left out."}, nil},
}

// ageAtCutOff is the age by which items that are open now are sorted as they stood at the end of the period.
var ageAtCutOff = attemptCol{
	column{headAgeCutOff, 9, technical, holdsDays, "Days from the proposal to the end of the period; empty while the period is not over at the as-of time."},
	func(b *book, f *recon.AttemptFinding) cell {
		if age, over := b.ageAtCutOff(f); over {
			return days(age, techText)
		}
		return blank(techText)
	},
}

// ageAtCutOff is how old an attempt was when the period ended; over is false while it has not.
func (b *book) ageAtCutOff(f *recon.AttemptFinding) (age time.Duration, over bool) {
	end, over := cutOff(b.report)
	return end.Sub(f.Attempt.ProposedAt), over
}

// techAttempt is a technical column of text from outside.
func techAttempt(head, meaning string, get func(*recon.AttemptFinding) string) attemptCol {
	return attemptCol{
		column{head, 14, technical, holdsID, meaning},
		func(b *book, f *recon.AttemptFinding) cell { return b.id(get(f), techText) },
	}
}

// reviewColumns are the columns that people fill in. A decision that stands is shown in them; of names an item.
func reviewColumns[T any](of func(*T) (recon.Population, string)) []col[T] {
	return reviewedBy(reviewed, of)
}

// ownerColumns stand among the evidence, where people look, and are management's to fill.
func ownerColumns[T any](of func(*T) (recon.Population, string)) []col[T] {
	return reviewedBy(owned, of)
}

func reviewedBy[T any](columns []reviewColumn, of func(*T) (recon.Population, string)) []col[T] {
	var cols []col[T]
	for _, c := range columns {
		review := col[T]{column: c.column}
		if show := c.show; show != nil {
			review.get = func(b *book, item *T) cell {
				p, id := of(item)
				if d := b.standing(p, id); d != nil {
					return show(b, d)
				}
				return blank(inputLook)
			}
		}
		cols = append(cols, review)
	}
	return cols
}

// reviewColumn is a column of reviewers with the way to show what a decision says; nil = it is left to them.
type reviewColumn struct {
	column
	show func(*book, *recon.Disposition) cell
}

// Heads of the columns in which management decides.
const (
	headOwner      = "Owner"
	headDue        = "Due"
	headNote       = "Management note"
	headProof      = "Management evidence"
	headPreparer   = "Preparer"
	headPreparedOn = "Prepared on"
	headApprovedOn = "Approved on"
)

var owned = []reviewColumn{
	{column{headOwner, 11, management, holdsText, "Who follows it up; kept with a disposition."}, func(b *book, d *recon.Disposition) cell { return b.text(d.Owner, inputLook) }},
	{column{headDue, 11, management, holdsDate, "By when; kept with a disposition."}, func(b *book, d *recon.Disposition) cell { return day(d.Due, inputLook) }},
}

var reviewed = []reviewColumn{
	{column{headDisposition, 20, management, holdsWord, "Management's decision, from the list; shown is the one that stands."}, func(b *book, d *recon.Disposition) cell { return b.text(string(d.Decision), inputLook) }},
	{column{headNote, 24, management, holdsText, "Why."}, func(b *book, d *recon.Disposition) cell { return b.text(d.Note, inputLook) }},
	{column{headProof, 20, management, holdsText, "Reference to the evidence seen."}, func(b *book, d *recon.Disposition) cell { return b.text(d.EvidenceRef, inputLook) }},
	{column{headPreparer, 13, management, holdsText, "Who decided."}, func(b *book, d *recon.Disposition) cell { return b.text(d.PreparedBy, inputLook) }},
	{column{headPreparedOn, 11, management, holdsDate, "When."}, func(b *book, d *recon.Disposition) cell { return day(ledger.DateOf(d.DecidedAt, time.UTC), inputLook) }},
	{column{headApprover, 13, management, holdsText, "Another person; without one, the first four dispositions await approval and close nothing."}, func(b *book, d *recon.Disposition) cell { return b.text(d.ApprovedBy, inputLook) }},
	{column{headApprovedOn, 11, management, holdsDate, "When it was approved."}, func(b *book, d *recon.Disposition) cell { return day(d.ApprovedOn, inputLook) }},
	{column{"Auditor tick", 9, auditor, holdsText, "The auditor's own; never imported."}, nil},
	{column{"Auditor note", 24, auditor, holdsText, "The auditor's own; never imported."}, nil},
}

// attemptColumns puts front columns, reviewers' columns and technical columns together.
func attemptColumns(front ...attemptCol) []attemptCol {
	return slices.Concat(front, ownerColumns(attemptKey), reviewColumns(attemptKey), technicalAttempts)
}

func attemptKey(f *recon.AttemptFinding) (recon.Population, string) {
	return recon.Attempts, f.Attempt.ID
}

// pickAttempts returns the findings whose class is placed on a sheet, in the order of the report.
func pickAttempts(r *recon.Report, sheet Sheet) []*recon.AttemptFinding {
	var picked []*recon.AttemptFinding
	for i := range r.Attempts {
		place := placeOf(recon.Attempts, r.Attempts[i].Class)
		if place.Sheet == sheet && (place.Listed || noted(r.Attempts[i].Flags)) {
			picked = append(picked, &r.Attempts[i])
		}
	}
	return picked
}

// noted reports whether an agreed attempt is listed for one of its flags.
func noted(flags []recon.Flag) bool {
	return slices.ContainsFunc(flags, func(f recon.Flag) bool { return slices.Contains(notedFlags, f.Name) })
}

// attemptFact keeps of a finding what formulas ask for.
func (b *book) attemptFact(f *recon.AttemptFinding) fact {
	effect, difference := recon.BreakOf(f)
	cutOffAge, over := b.ageAtCutOff(f)
	return fact{
		population: recon.Attempts, class: f.Class, currency: f.Attempt.Currency, outcome: string(f.Evidence.Outcome),
		settlement: string(f.Evidence.Settlement), cause: string(f.Cause), marked: f.Stale, minor: f.Attempt.Minor,
		effect: effect, difference: difference, age: f.Age, cutOffAge: cutOffAge, aged: true, cutOff: over, line: recon.BridgeLineOf(f), approved: b.approved(recon.Attempts, f.Attempt.ID),
	}
}

func infoOf(f *recon.AttemptFinding) recon.ClassInfo { return recon.InfoOf(recon.Attempts, f.Class) }

// lastOutcome is the current version: the latest observed.
func lastOutcome(f *recon.AttemptFinding) recon.Outcome {
	if len(f.Outcomes) == 0 {
		return recon.Outcome{}
	}
	return f.Outcomes[len(f.Outcomes)-1]
}

func yesNo(yes bool) string {
	if yes {
		return "yes"
	}
	return "no"
}

// changed says what happened to an attempt since the last run, or whether an earlier run had marked it.
func (b *book) changed(f *recon.AttemptFinding) string {
	change := b.index.changes[itemKey{recon.Attempts, f.Attempt.ID}]
	switch {
	case change != "" && change != string(recon.ChangeNew):
		return change + " since the last run"
	case !f.Stale:
		return ""
	case f.Attempt.MarkRun == 0 || f.Attempt.MarkRun == b.report.Run.ID:
		return "new in this run"
	default:
		return fmt.Sprintf("open since run %d", f.Attempt.MarkRun)
	}
}

// differs lists in words how ledger and attempt differ.
func differs(f *recon.AttemptFinding) string {
	var lines []string
	if n := bookedEntries(f); f.Evidence.Settlement == recon.Duplicate {
		what := "1 attempt"
		if f.Attempt.IDSource.Degraded() {
			what = "1 recorded attempt"
		}
		lines = append(lines, fmt.Sprintf("%d entries, %s", n, what))
	}
	for _, d := range f.Differences {
		line := fmt.Sprintf("%s: attempt %s, ledger %s", strings.ReplaceAll(d.Field, "_", " "), d.Attempt, d.Ledger)
		if d.Delta != 0 {
			line += fmt.Sprintf(" (%s)", signed(d.Delta, f.Attempt.Currency))
		}
		lines = append(lines, line)
	}
	if len(lines) == 0 {
		return fmt.Sprintf("reported: %s; money moved: %s", reportedOf(f.Evidence.Outcome), ledgerWordsOf(f.Evidence.Settlement).moved)
	}
	return named(lines, "\n")
}

// signed prints a difference with its sign and a true minus.
func signed(minor int64, c ledger.Currency) string {
	s := ledger.FormatMoney(minor, c)
	if minor > 0 {
		return strings.Replace(s, " ", " +", 1)
	}
	return strings.Replace(s, "-", "−", 1)
}

// idQuality says whether an id names one call for certain. Ids without a stated source say so.
func idQuality(s recon.IDSource) string {
	switch {
	case s.Degraded():
		return "degraded: " + strings.ReplaceAll(string(s), "_", " ")
	case s == recon.IDToolUse:
		return "strong"
	default:
		return strings.ReplaceAll(string(s), "_", " ")
	}
}

// flagList names flags in their order, relational ones with the earlier item.
func flagList(flags []recon.Flag, separator string) string {
	names := make([]string, len(flags))
	for i, f := range flags {
		names[i] = string(f.Name)
		if f.Of != "" {
			names[i] += " of " + f.Of
		}
	}
	return named(names, separator)
}

// linkList names every linked entry with its tier and role, for tracing.
func linkList(f *recon.AttemptFinding) string {
	names := make([]string, len(f.Links))
	for i, l := range f.Links {
		names[i] = fmt.Sprintf("%s %s %s", l.Entry.ID, l.Tier, l.Role)
	}
	return named(names, "; ")
}

func unresolvedList(b *book) *list {
	return newList(b, SheetUnresolved, "Unresolved attempts",
		"Attempts for which the platform reported no definite outcome although one was due, and what the ledger says of them.",
		attemptColumns(
			attemptPriority, attemptDoNext, attemptItem, attemptAmount, attemptCurrency, attemptPayee, attemptDestination,
			attemptReference, attemptProposed, attemptAge, attemptMoved, attemptEvidence, attemptPointsTo, attemptBecause,
			attemptPaidByAnother, attemptOffsets, attemptChanged, attemptEarlier,
		), pickAttempts(b.report, SheetUnresolved), b.attemptFact)
}

func mismatchList(b *book) *list {
	return newList(b, SheetMismatches, "Mismatches",
		"Attempts for which attempt, outcome and ledger contradict each other. Difference is ledger less attempt, money out positive.",
		attemptColumns(
			attemptPriority, attemptDoNext, attemptItem, attemptDifference, attemptCurrency, attemptDiffers, attemptAttempted,
			attemptLedgerAmount, attemptLedgerCurrency, attemptPayee, attemptDestination, attemptReference, attemptProposed, attemptAge,
			attemptReported, attemptMoved, attemptEntries, attemptRecovered, attemptIDQuality, attemptOffsets, attemptChanged, attemptEarlier,
		), pickAttempts(b.report, SheetMismatches), b.attemptFact)
}

func timingList(b *book) *list {
	return newList(b, SheetTiming, "Timing",
		"One-sided only because the window is still open at the as-of time. No exception; each moves to another class by itself.",
		attemptColumns(
			attemptPriority, attemptMeaning, attemptItem, attemptAmount, attemptCurrency, attemptDestination, attemptReference,
			attemptProposed, attemptAge, attemptReported, attemptMoved, attemptEvidence, attemptDoNext,
		), pickAttempts(b.report, SheetTiming), b.attemptFact)
}

func notConcludedList(b *book) *list {
	return newList(b, SheetNotConcluded, "Not concluded",
		"Attempts that no imported statement covers: nothing can be concluded of them, least of all that an entry is absent.",
		attemptColumns(
			attemptPriority, attemptMeaning, attemptItem, attemptAmount, attemptCurrency, attemptDestination, attemptReference,
			attemptProposed, attemptAge, attemptReported, attemptMoved, attemptDoNext,
		), pickAttempts(b.report, SheetNotConcluded), b.attemptFact)
}

func cleanList(b *book) *list {
	return newList(b, SheetClean, "Clean, listed",
		"Nothing to do, but worth a look together: agreed within tolerance, replays that the provider paid once, failures that the ledger confirms.",
		attemptColumns(
			attemptPriority, attemptMeaning, attemptItem, attemptAmount, attemptCurrency, attemptPayee, attemptDestination,
			attemptReference, attemptProposed, attemptAge, attemptReported, attemptMoved, attemptDiffers, attemptEvidence,
		), pickAttempts(b.report, SheetClean), b.attemptFact)
}

func notedList(b *book) *list {
	return newList(b, SheetNoted, "Agreed to ledger, noted",
		"Attempts agreed to ledger that carry a note. The other agreed attempts are not listed; their count is on Summary and proved on Checks.",
		attemptColumns(
			attemptPriority, attemptNotes, attemptItem, attemptAmount, attemptCurrency, attemptPayee, attemptDestination,
			attemptReference, attemptProposed, attemptAge, attemptReported, attemptMoved, attemptEvidence, attemptPaidByAnother,
		), pickAttempts(b.report, SheetNoted), b.attemptFact)
}
