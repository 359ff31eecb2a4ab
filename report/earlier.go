package report

import (
	"slices"
	"time"

	"agentrecon/ledger"
	"agentrecon/recon"
)

// openItem is a row of the items that are still open from the time before the period: an attempt, an entry or an outcome.
type openItem struct {
	attempt *recon.AttemptFinding
	ledger  *ledgerItem
}

type openCol = col[openItem]

func (i *openItem) key() (recon.Population, string) {
	if i.attempt != nil {
		return attemptKey(i.attempt)
	}
	return ledgerKey(i.ledger)
}

func (i *openItem) info() recon.ClassInfo {
	if i.attempt != nil {
		return infoOf(i.attempt)
	}
	return i.ledger.info()
}

// eitherColumn shows an attempt as one column does and a ledger item as another.
func eitherColumn(c column, attempt attemptCol, item ledgerCol) openCol {
	return openCol{c, func(b *book, i *openItem) cell {
		switch {
		case i.attempt != nil && attempt.get != nil:
			return attempt.get(b, i.attempt)
		case i.ledger != nil && item.get != nil:
			return item.get(b, i.ledger)
		default:
			return blank(lined)
		}
	}}
}

// openIs says what a row is.
var openIs = openCol{
	column{"Is a", 9, evidence, holdsWord, "Attempt, ledger entry, or outcome without an attempt."},
	func(b *book, i *openItem) cell {
		if i.attempt != nil {
			return words("attempt", listText)
		}
		return ledgerIs.get(b, i.ledger)
	},
}

// openColumns are the columns of items that are open from earlier.
func openColumns() []openCol {
	front := []openCol{
		eitherColumn(attemptPriority.column, attemptPriority, ledgerPriority),
		eitherColumn(attemptDoNext.column, attemptDoNext, ledgerDoNext),
		eitherColumn(column{headItem, 16, evidence, holdsID, "The item's id: what to give to `recon explain`, and what dispositions refer to."}, attemptItem, ledgerItemID),
		openIs,
		eitherColumn(column{"Amount", 13, evidence, holdsAmount, "Amount of the item in major units; money out is positive."}, attemptAmount, ledgerAmount),
		eitherColumn(column{headCurrency, 9, evidence, holdsWord, "Currency of the item, ISO 4217; none for outcomes."}, attemptCurrency, ledgerCurrency),
		eitherColumn(column{"Payee", 13, evidence, holdsText, "Counterparty's name as the ledger has it; attempts record none."}, attemptPayee, ledgerPayee),
		eitherColumn(column{"Destination", 21, evidence, holdsID, "Account that was to be paid, or that was paid."}, attemptDestination, ledgerDestination),
		eitherColumn(column{"Reference", 12, evidence, holdsID, "Reference of the attempt or the entry."}, attemptReference, ledgerReference),
		eitherColumn(column{"Proposed (UTC)", 16, evidence, holdsTime, "Of an attempt, when the call was proposed."}, attemptProposed, ledgerCol{}),
		eitherColumn(column{"Booked on", 10, evidence, holdsDate, "Of an entry, its booking date; of an outcome, the UTC date it was observed."}, attemptCol{}, ledgerBooked),
		eitherColumn(column{headAge, 8, evidence, holdsDays, "Of an attempt, days from the proposal to the run's as-of time."}, attemptAge, ledgerCol{}),
		eitherColumn(attemptMoved.column, attemptMoved, ledgerCol{}),
		eitherColumn(attemptEvidence.column, attemptEvidence, ledgerEvidence),
		eitherColumn(attemptChanged.column, attemptChanged, ledgerCol{}),
		eitherColumn(attemptEarlier.column, attemptEarlier, ledgerCol{}),
	}
	tech := []openCol{
		{
			column{headPopulation, 10, technical, holdsWord, "attempts, entries or outcomes."},
			func(b *book, i *openItem) cell {
				p, _ := i.key()
				return words(string(p), techText)
			},
		},
		{
			column{headClass, 20, technical, holdsWord, "The one class of the item (see Method)."},
			func(b *book, i *openItem) cell { return words(string(i.info().Class), techText) },
		},
		eitherColumn(column{"Rule", 22, technical, holdsText, "Of an attempt, the cell of the decision table that gave the class: settlement × outcome."}, attemptCol{get: func(b *book, f *recon.AttemptFinding) cell { return words(f.Rule, techText) }}, ledgerCol{}),
		eitherColumn(ageAtCutOff.column, ageAtCutOff, ledgerCol{}),
		eitherColumn(column{"Session", 14, technical, holdsID, "Agent session."}, attemptCol{get: func(b *book, f *recon.AttemptFinding) cell { return b.id(f.Attempt.SessionID, techText) }}, ledgerCol{}),
		eitherColumn(
			column{headAccount, 14, technical, holdsID, "The own account."},
			attemptCol{get: func(b *book, f *recon.AttemptFinding) cell { return b.id(f.Attempt.SourceAccount, techText) }},
			ledgerCol{get: func(b *book, i *ledgerItem) cell {
				return b.id(i.of(func(e *ledger.Entry) string { return e.AccountID }), techText)
			}},
		),
		eitherColumn(
			column{headMinor, 13, technical, holdsInteger, "The item's amount as integer minor units, money out positive: what sums add."},
			attemptCol{get: func(b *book, f *recon.AttemptFinding) cell { return minorUnits(f.Attempt.Minor, techText) }},
			ledgerCol{get: func(b *book, i *ledgerItem) cell {
				if i.entry == nil {
					return blank(techText)
				}
				return minorUnits(i.entry.Entry.Outflow(), techText)
			}},
		),
		{column{headDigest, 17, technical, holdsID, "Identifies what the locked cells of the row say; reviewers' columns left out."}, nil},
	}
	return slices.Concat(front, ownerColumns((*openItem).key), reviewColumns((*openItem).key), tech)
}

// openEarlier returns what is still open from before the period, most pressing first.
func openEarlier(r *recon.Report) []*openItem {
	var items []*openItem
	for n := range r.Earlier.Attempts {
		items = append(items, &openItem{attempt: &r.Earlier.Attempts[n]})
	}
	for n := range r.Earlier.Entries {
		items = append(items, &openItem{ledger: &ledgerItem{entry: &r.Earlier.Entries[n]}})
	}
	for n := range r.Earlier.Outcomes {
		items = append(items, &openItem{ledger: &ledgerItem{outcome: &r.Earlier.Outcomes[n]}})
	}
	rank := func(i *openItem) int { return slices.Index(recon.Priorities, i.info().Priority) }
	slices.SortStableFunc(items, func(a, b *openItem) int { return rank(a) - rank(b) })
	return items
}

func earlierList(b *book) *list {
	return newList(b, SheetEarlier, "Open from earlier periods",
		"Items of the time before the period that are still open at the as-of time. They are in the roll-forward, and in no other figure of this workbook.",
		openColumns(), openEarlier(b.report), func(i *openItem) fact {
			if i.attempt != nil {
				return b.attemptFact(i.attempt)
			}
			return b.ledgerFact(i.ledger)
		})
}

// cutOff is the end of the period, and whether the run judges by a moment after it.
func cutOff(r *recon.Report) (end time.Time, over bool) {
	if r.Period.IsZero() {
		return time.Time{}, false
	}
	return r.Period.End(), !r.Run.AsOf.Before(r.Period.End())
}
