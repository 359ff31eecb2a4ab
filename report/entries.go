package report

import (
	"slices"
	"strings"
	"time"

	"agentrecon/ledger"
	"agentrecon/recon"
)

// ledgerItem is a row of the sheets that start from the ledger: an entry, or an outcome that no attempt explains.
type ledgerItem struct {
	entry   *recon.EntryFinding
	outcome *recon.OutcomeFinding
}

type ledgerCol = col[ledgerItem]

// populationWords names what a row is.
func (i *ledgerItem) population() recon.Population {
	if i.entry != nil {
		return recon.Entries
	}
	return recon.Outcomes
}

func (i *ledgerItem) class() recon.Class {
	if i.entry != nil {
		return i.entry.Class
	}
	return i.outcome.Class
}

func (i *ledgerItem) info() recon.ClassInfo { return recon.InfoOf(i.population(), i.class()) }

// of returns a field of the entry, and nothing for an outcome.
func (i *ledgerItem) of(get func(*ledger.Entry) string) string {
	if i.entry == nil {
		return ""
	}
	return get(&i.entry.Entry)
}

// Columns of ledger items.
var (
	ledgerPriority = ledgerCol{
		attemptPriority.column,
		func(b *book, i *ledgerItem) cell { return words(priorityWord(i.info().Priority), lined.strong()) },
	}
	ledgerDoNext = ledgerCol{
		attemptDoNext.column,
		func(b *book, i *ledgerItem) cell { return words(i.info().DoNext, listText) },
	}
	ledgerMeaning = ledgerCol{
		attemptMeaning.column,
		func(b *book, i *ledgerItem) cell {
			info := i.info()
			if i.entry != nil && i.entry.Reason != "" && info.Kind != recon.Excluded {
				return b.text(info.Meaning+" "+i.entry.Reason+".", listText) // how much of a batch it concerns
			}
			return words(info.Meaning, listText)
		},
	}
	ledgerIs = ledgerCol{
		column{"Is a", 10, evidence, holdsWord, "Ledger entry, or outcome without an attempt."},
		func(b *book, i *ledgerItem) cell {
			if i.entry != nil {
				return words("ledger entry", listText)
			}
			return words("outcome", listText)
		},
	}
	ledgerItemID = ledgerCol{
		column{headItem, 17, evidence, holdsID, "The entry's id; for an outcome, the attempt id it names."},
		func(b *book, i *ledgerItem) cell {
			if i.entry == nil {
				return b.id(i.outcome.Outcome.AttemptID, listID)
			}
			return b.id(i.entry.Entry.ID, listID)
		},
	}
	ledgerAmount = ledgerCol{
		column{"Amount", 13, evidence, holdsAmount, "Amount of the entry in major units; money out is positive."},
		func(b *book, i *ledgerItem) cell {
			if i.entry == nil {
				return blank(lined)
			}
			return money(i.entry.Entry.Outflow(), i.entry.Entry.Currency, lined)
		},
	}
	ledgerCurrency = ledgerCol{
		column{headCurrency, 9, evidence, holdsWord, "Currency of the entry, ISO 4217."},
		func(b *book, i *ledgerItem) cell {
			if i.entry == nil {
				return blank(lined)
			}
			return b.currency(i.entry.Entry.Currency, lined)
		},
	}
	ledgerPayee       = ledgerText("Payee", 16, "Counterparty's name as the entry has it.", func(e *ledger.Entry) string { return e.CounterpartyName })
	ledgerDestination = ledgerText("Destination", 21, "Counterparty's account as the entry has it.", func(e *ledger.Entry) string { return e.CounterpartyAccount })
	ledgerReference   = ledgerText("Reference", 13, "Merchant reference of the entry.", func(e *ledger.Entry) string { return e.MerchantReference })
	ledgerRemittance  = ledgerText("Remittance text", 19, "Text of the entry as printed.", func(e *ledger.Entry) string { return e.RemittanceText })
	ledgerBooked      = ledgerCol{
		column{"Booked on", 11, evidence, holdsDate, "Booking date as printed, without a zone; the population of a period is by this date. For an outcome, the UTC date it was observed."},
		func(b *book, i *ledgerItem) cell {
			if i.entry == nil {
				return day(ledger.DateOf(i.outcome.Outcome.ObservedAt, time.UTC), lined)
			}
			return day(i.entry.Entry.BookedOn, lined)
		},
	}
	ledgerReason = ledgerCol{
		column{"Reason", 15, evidence, holdsText, "Why it is excluded; for one not booked, its status; for a reversal, that word."},
		func(b *book, i *ledgerItem) cell {
			if i.entry == nil {
				return blank(listText)
			}
			if i.entry.Reason == "" {
				return words(string(i.entry.Class), listText)
			}
			return b.text(i.entry.Reason, listText)
		},
	}
	ledgerAttempts = ledgerCol{
		column{"Attempts", 18, evidence, holdsID, "Attempts that it is linked to, or the candidates of an ambiguous entry."},
		func(b *book, i *ledgerItem) cell {
			if i.entry == nil {
				return b.text(i.outcome.Joined, listText)
			}
			return b.text(named(i.entry.Attempts, "\n"), listText)
		},
	}
	ledgerOffsets = ledgerCol{
		attemptOffsets.column,
		func(b *book, i *ledgerItem) cell {
			if i.entry == nil {
				return blank(listID)
			}
			return b.id(i.entry.OffsetIn, listID)
		},
	}
	ledgerEvidence = ledgerCol{
		attemptEvidence.column,
		func(b *book, i *ledgerItem) cell {
			if i.entry == nil {
				return b.text(outcomeEvidence(&i.outcome.Outcome), listText)
			}
			return b.text(place(&i.entry.Entry), listText)
		},
	}
)

// ledgerText is an evidence column of text from the ledger.
func ledgerText(head string, width float64, meaning string, get func(*ledger.Entry) string) ledgerCol {
	return ledgerCol{
		column{head, width, evidence, holdsText, meaning},
		func(b *book, i *ledgerItem) cell { return b.text(i.of(get), listText) },
	}
}

// outcomeEvidence says what an outcome without an attempt reported; it has no line in the ledger.
func outcomeEvidence(o *recon.Outcome) string {
	parts := []string{"outcome " + string(o.Status)}
	if o.ProviderRef != "" {
		parts = append(parts, "provider reference "+o.ProviderRef)
	}
	if o.Error != "" {
		parts = append(parts, "error "+o.Error)
	}
	return strings.Join(parts, "; ")
}

// technicalLedger are the columns for machines and for tracing, last on every sheet of ledger items.
var technicalLedger = []ledgerCol{
	{
		column{headPopulation, 10, technical, holdsWord, "entries or outcomes."},
		func(b *book, i *ledgerItem) cell { return words(string(i.population()), techText) },
	},
	{
		column{headClass, 20, technical, holdsWord, "The one class of the item (see Method)."},
		func(b *book, i *ledgerItem) cell { return words(string(i.class()), techText) },
	},
	{
		column{headStatus, 10, technical, holdsWord, "Status of the entry or outcome. Only booked entries moved money."},
		func(b *book, i *ledgerItem) cell { return b.id(i.status(), techText) },
	},
	techLedger("Kind", "What the entry is for.", func(e *ledger.Entry) string { return string(e.Kind) }),
	{
		column{headTier, 14, technical, holdsWord, "How it was linked (see Method)."},
		func(b *book, i *ledgerItem) cell {
			if i.entry == nil {
				return blank(techText)
			}
			return words(i.entry.Tier.String(), techText)
		},
	},
	{
		column{"Flags", 16, technical, holdsText, "Annotations; they never change a class (see Method)."},
		func(b *book, i *ledgerItem) cell {
			if i.entry == nil {
				return b.text(flagList(i.outcome.Flags, ", "), techText)
			}
			return b.text(flagList(i.entry.Flags, ", "), techText)
		},
	},
	techLedger(headAccount, "The own account.", func(e *ledger.Entry) string { return e.AccountID }),
	techLedger("Provider id", "The provider's id as given.", func(e *ledger.Entry) string { return e.ProviderID }),
	techLedger("End-to-end id", "ISO 20022 EndToEndId.", func(e *ledger.Entry) string { return e.EndToEndID }),
	techLedger("Idempotency key", "Key that the provider printed.", func(e *ledger.Entry) string { return e.IdempotencyKey }),
	techLedger("Refers to", "Provider id that a refund, return or fee refers to.", func(e *ledger.Entry) string { return e.OriginalProviderID }),
	techLedger("Group", "Payout, settlement or batch that the entry is part of.", func(e *ledger.Entry) string { return e.GroupID }),
	{
		column{"Value on", 10, technical, holdsDate, "Value date as printed."},
		func(b *book, i *ledgerItem) cell {
			if i.entry == nil {
				return blank(techText)
			}
			return day(i.entry.Entry.ValueOn, techText)
		},
	},
	{
		column{"Occurred at (UTC)", 16, technical, holdsTime, "The instant, if the source has one; for an outcome, when it was observed."},
		func(b *book, i *ledgerItem) cell {
			if i.entry == nil {
				return instant(i.outcome.Outcome.ObservedAt, techText)
			}
			return instant(i.entry.Entry.OccurredAt, techText)
		},
	},
	{
		column{headMinor, 13, technical, holdsInteger, "The entry's amount as integer minor units, money out positive: what sums add."},
		func(b *book, i *ledgerItem) cell {
			if i.entry == nil {
				return blank(techText)
			}
			return minorUnits(i.entry.Entry.Outflow(), techText)
		},
	},
	{column{headDigest, 17, technical, holdsID, "Identifies what the locked cells of the row say; reviewers' columns left out."}, nil},
}

// techLedger is a technical column of text from the ledger.
func techLedger(head, meaning string, get func(*ledger.Entry) string) ledgerCol {
	return ledgerCol{
		column{head, 14, technical, holdsID, meaning},
		func(b *book, i *ledgerItem) cell { return b.id(i.of(get), techText) },
	}
}

func (i *ledgerItem) status() string {
	if i.entry == nil {
		return string(i.outcome.Outcome.Status)
	}
	return string(i.entry.Entry.Status)
}

// ledgerColumns puts front columns, reviewers' columns and technical columns together.
func ledgerColumns(front ...ledgerCol) []ledgerCol {
	return slices.Concat(front, ownerColumns(ledgerKey), reviewColumns(ledgerKey), technicalLedger)
}

func ledgerKey(i *ledgerItem) (recon.Population, string) {
	if i.entry != nil {
		return recon.Entries, i.entry.Entry.ID
	}
	return recon.Outcomes, i.outcome.Outcome.AttemptID
}

// pickLedger returns the entries and outcomes whose class is placed on a sheet, most pressing first.
func pickLedger(r *recon.Report, sheet Sheet) []*ledgerItem {
	var items []*ledgerItem
	for i := range r.Entries {
		if place := placeOf(recon.Entries, r.Entries[i].Class); place.Sheet == sheet && place.Listed {
			items = append(items, &ledgerItem{entry: &r.Entries[i]})
		}
	}
	for i := range r.Outcomes {
		if place := placeOf(recon.Outcomes, r.Outcomes[i].Class); place.Sheet == sheet && place.Listed {
			items = append(items, &ledgerItem{outcome: &r.Outcomes[i]})
		}
	}
	rank := func(i *ledgerItem) int { return slices.Index(recon.Priorities, i.info().Priority) }
	slices.SortStableFunc(items, func(x, y *ledgerItem) int { return rank(x) - rank(y) })
	return items
}

// ledgerFact keeps of an item what formulas ask for. Outcomes have no amount.
func (b *book) ledgerFact(i *ledgerItem) fact {
	f := fact{population: i.population(), class: i.class(), status: i.status(), approved: b.approved(ledgerKey(i))}
	if i.entry != nil {
		f.currency, f.minor, f.account = i.entry.Entry.Currency, i.entry.Entry.Outflow(), i.entry.Entry.AccountID
	}
	return f
}

func excessList(b *book) *list {
	return newList(b, SheetExcess, "Excess entries",
		"The second and further ledger entries of one attempt, in booking order. The attempts are on Mismatches.",
		ledgerColumns(
			ledgerPriority, ledgerDoNext, ledgerItemID, ledgerAmount, ledgerCurrency, ledgerPayee, ledgerDestination, ledgerReference,
			ledgerRemittance, ledgerBooked, ledgerAttempts, ledgerEvidence, ledgerOffsets,
		), pickLedger(b.report, SheetExcess), b.ledgerFact)
}

func ledgerOnlyList(b *book) *list {
	return newList(b, SheetLedgerOnly, "Ledger only",
		"Money that left an account in scope without a recorded attempt, entries that fit several attempts, and outcomes without an attempt.",
		ledgerColumns(
			ledgerPriority, ledgerDoNext, ledgerItemID, ledgerIs, ledgerAmount, ledgerCurrency, ledgerPayee, ledgerDestination,
			ledgerReference, ledgerRemittance, ledgerBooked, ledgerMeaning, ledgerAttempts, ledgerEvidence, ledgerOffsets,
		), pickLedger(b.report, SheetLedgerOnly), b.ledgerFact)
}

func excludedList(b *book) *list {
	return newList(b, SheetExcluded, "Excluded",
		"Entries that are not reconciled, each with its reason: not booked, out of scope by rule, inflows, reversals of entries in scope.",
		ledgerColumns(
			ledgerPriority, ledgerReason, ledgerItemID, ledgerAmount, ledgerCurrency, ledgerPayee, ledgerDestination, ledgerReference,
			ledgerRemittance, ledgerBooked, ledgerMeaning, ledgerAttempts, ledgerEvidence,
		), pickLedger(b.report, SheetExcluded), b.ledgerFact)
}

type repeatCol = col[recon.Repeat]

// repeatColumns are the columns of repeats; nobody has to decide anything about them.
var repeatColumns = []repeatCol{
	{
		column{"Repeat", 9, evidence, holdsCount, "Which delivery of the attempt it is; 2 is the first repeat."},
		func(b *book, r *recon.Repeat) cell { return number(int64(r.Nth), lined) },
	},
	{
		column{"Seconds after the first", 12, evidence, holdsAmount, "Seconds since the first delivery."},
		func(b *book, r *recon.Repeat) cell {
			return cell{value: float64(r.After.Milliseconds()) / 1000, style: lined.as(moneyFormats[3])}
		},
	},
	{
		column{headItem, 24, evidence, holdsID, "The attempt's id."},
		func(b *book, r *recon.Repeat) cell { return b.id(r.Attempt.ID, listID) },
	},
	{
		column{"Received (UTC)", 18, evidence, holdsTime, "When this delivery arrived."},
		func(b *book, r *recon.Repeat) cell { return instant(r.ReceivedAt, lined) },
	},
	{
		column{"Proposed (UTC)", 18, evidence, holdsTime, "When the attempt was proposed."},
		func(b *book, r *recon.Repeat) cell { return instant(r.Attempt.ProposedAt, lined) },
	},
	{
		column{"Amount", 14, evidence, holdsAmount, "Amount of the attempt in major units; a repeat moves no money of its own."},
		func(b *book, r *recon.Repeat) cell { return money(r.Attempt.Minor, r.Attempt.Currency, lined) },
	},
	{
		column{headCurrency, 9, evidence, holdsWord, "Currency of the attempt, ISO 4217."},
		func(b *book, r *recon.Repeat) cell { return b.currency(r.Attempt.Currency, lined) },
	},
	{
		column{"Destination", 24, evidence, holdsID, "Account that the attempt was to pay."},
		func(b *book, r *recon.Repeat) cell { return b.id(r.Attempt.DestAccount, listID) },
	},
	{
		column{"Reference", 20, evidence, holdsID, "Reference of the attempt."},
		func(b *book, r *recon.Repeat) cell { return b.id(r.Attempt.Reference, listID) },
	},
	{
		column{"Session", 24, technical, holdsID, "Agent session."},
		func(b *book, r *recon.Repeat) cell { return b.id(r.Attempt.SessionID, techText) },
	},
	{
		column{headMinor, 13, technical, holdsInteger, "The attempt's amount as integer minor units."},
		func(b *book, r *recon.Repeat) cell { return minorUnits(r.Attempt.Minor, techText) },
	},
	{column{headDigest, 17, technical, holdsID, "Identifies what the locked cells of the row say."}, nil},
}

func repeatList(b *book) *list {
	repeats := make([]*recon.Repeat, len(b.report.Repeats))
	for i := range repeats {
		repeats[i] = &b.report.Repeats[i]
	}
	return newList(b, SheetRepeats, "Repeats",
		"Deliveries of an attempt beyond its first: the recorder fired again for a call already recorded. They are no further attempts.",
		repeatColumns, repeats, func(r *recon.Repeat) fact {
			return fact{currency: r.Attempt.Currency, minor: r.Attempt.Minor}
		})
}
