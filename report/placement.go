package report

import (
	"agentrecon/recon"
)

// Sheet is the name of a sheet, as on its tab.
type Sheet string

// The sheets, in the order of their tabs.
const (
	SheetCover        Sheet = "Cover"
	SheetSummary      Sheet = "Summary"
	SheetChecks       Sheet = "Checks"
	SheetAccounts     Sheet = "Bridge by account"
	SheetUnresolved   Sheet = "Unresolved"
	SheetMismatches   Sheet = "Mismatches"
	SheetExcess       Sheet = "Excess entries"
	SheetLedgerOnly   Sheet = "Ledger only"
	SheetTiming       Sheet = "Timing"
	SheetNotConcluded Sheet = "Not concluded"
	SheetEarlier      Sheet = "Open from earlier"
	SheetExcluded     Sheet = "Excluded"
	SheetRepeats      Sheet = "Repeats"
	SheetEdge         Sheet = "Period edge"
	SheetClean        Sheet = "Clean, listed"
	SheetNoted        Sheet = "Agreed, noted"
	SheetAgreed       Sheet = "Agreed to ledger" // only with Options.Agreed; more of them as "Agreed to ledger 2" and on
	SheetLinked       Sheet = "Linked entries"   // only with Options.Agreed
	SheetSample       Sheet = "Sample"           // only with Options.Agreed
	SheetChanges      Sheet = "Changes"
	SheetRuns         Sheet = "Runs"
	SheetOverrides    Sheet = "Overrides"
	SheetSources      Sheet = "Sources"
	SheetMethod       Sheet = "Method"
	SheetFields       Sheet = "Fields"
)

// Sheets lists the sheets that every workbook has, in the order of their tabs.
var Sheets = []Sheet{
	SheetCover, SheetSummary, SheetChecks, SheetAccounts, SheetUnresolved, SheetMismatches, SheetExcess, SheetLedgerOnly, SheetTiming,
	SheetNotConcluded, SheetEarlier, SheetExcluded, SheetRepeats, SheetEdge, SheetClean, SheetNoted, SheetChanges, SheetRuns, SheetOverrides,
	SheetSources, SheetMethod, SheetFields,
}

// Placement says where the items of a class are listed.
type Placement struct {
	Population recon.Population
	Class      recon.Class
	Sheet      Sheet
	// Listed is true where every item has a row of its own on the sheet. The items of the other classes are agreed and
	// counted as what remains of the sources; of those, the sheet shows what carries a note.
	Listed bool
}

// Placements gives every class its one sheet. A class's rows on its sheet are its count everywhere else; Checks proves
// it for every run.
var Placements = []Placement{
	{recon.Attempts, recon.Matched, SheetNoted, false},
	{recon.Attempts, recon.MatchedWithinTolerance, SheetClean, true},
	{recon.Attempts, recon.Deduplicated, SheetClean, true},
	{recon.Attempts, recon.FailedConfirmed, SheetClean, true},
	{recon.Attempts, recon.InTransit, SheetTiming, true},
	{recon.Attempts, recon.FailedUnconfirmed, SheetTiming, true},
	{recon.Attempts, recon.AwaitingOutcome, SheetTiming, true},
	{recon.Attempts, recon.UnknownSettled, SheetUnresolved, true},
	{recon.Attempts, recon.UnknownReversed, SheetUnresolved, true},
	{recon.Attempts, recon.UnknownNotSettled, SheetUnresolved, true},
	{recon.Attempts, recon.UnknownOpen, SheetUnresolved, true},
	{recon.Attempts, recon.Ambiguous, SheetUnresolved, true},
	{recon.Attempts, recon.FailedButSettled, SheetMismatches, true},
	{recon.Attempts, recon.DuplicateSettlement, SheetMismatches, true},
	{recon.Attempts, recon.PayeeVariance, SheetMismatches, true},
	{recon.Attempts, recon.MissingInLedger, SheetMismatches, true},
	{recon.Attempts, recon.CurrencyVariance, SheetMismatches, true},
	{recon.Attempts, recon.AmountVariance, SheetMismatches, true},
	{recon.Attempts, recon.Reversed, SheetMismatches, true},
	{recon.Attempts, recon.ContradictoryOutcome, SheetMismatches, true},
	{recon.Attempts, recon.FailedAndReversed, SheetMismatches, true},
	{recon.Attempts, recon.LateSettlement, SheetMismatches, true},
	{recon.Attempts, recon.EarlySettlement, SheetMismatches, true},
	{recon.Attempts, recon.NotCoverable, SheetNotConcluded, true},

	{recon.Entries, recon.Matched, SheetNoted, false},
	{recon.Entries, recon.ExcessSettlement, SheetExcess, true},
	{recon.Entries, recon.UnattemptedMovement, SheetLedgerOnly, true},
	{recon.Entries, recon.Ambiguous, SheetLedgerOnly, true},
	{recon.Entries, recon.Reversal, SheetExcluded, true},
	{recon.Entries, recon.NotBooked, SheetExcluded, true},
	{recon.Entries, recon.OutOfScope, SheetExcluded, true},

	{recon.Outcomes, recon.Joined, SheetNoted, false},
	{recon.Outcomes, recon.OrphanOutcome, SheetLedgerOnly, true},
}

// placeOf is where a class is listed. A class without a place panics: TestEveryClassHasOneSheet proves there is none.
func placeOf(p recon.Population, c recon.Class) Placement {
	for _, place := range Placements {
		if place.Population == p && place.Class == c {
			return place
		}
	}
	panic("report: no sheet for class " + string(c) + " of " + string(p))
}

// notedFlags are the flags for which an agreed attempt is listed all the same: something happened that a reader
// wants to see although nothing is left to do.
var notedFlags = []recon.FlagName{
	recon.FlagIDReused, recon.FlagLateOutcome, recon.FlagCorrectedDup, recon.FlagPartlyRefunded, recon.FlagJoinedByHash,
	recon.FlagSuspectedReask, recon.FlagDualEvent,
}
