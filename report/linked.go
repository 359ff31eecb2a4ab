package report

import (
	"fmt"

	"agentrecon/ledger"
	"agentrecon/recon"
)

// linkedColumns are the columns of entries that belong to attempts of other sheets or of other periods; an auditor samples
// them, and nobody has to decide anything about them.
func linkedColumns() []ledgerCol {
	cols := []ledgerCol{
		ledgerBooked, // and not the item, for the note of a nil list stands in the first column
		{column{headItem, 30, evidence, holdsID, "The entry's id."}, ledgerItemID.get},
		ledgerAmount, ledgerCurrency, ledgerPayee, ledgerDestination, ledgerReference, ledgerAttempts, ledgerEvidence,
		{column: column{"Auditor tick", 9, auditor, holdsText, "The auditor's own; never imported."}},
		{column: column{"Auditor note", 24, auditor, holdsText, "The auditor's own; never imported."}},
	}
	for _, c := range technicalLedger {
		switch c.head {
		case headPopulation, headClass, headStatus, headTier, headAccount, "Provider id", headMinor, headDigest:
			cols = append(cols, c)
		}
	}
	return cols
}

func linkedList(b *book) *list {
	items := make([]*ledgerItem, len(b.report.Linked))
	for n := range items {
		items[n] = &ledgerItem{entry: &b.report.Linked[n]}
	}
	l := newList(b, SheetLinked, "Linked entries",
		"Booked entries of the period that belong to attempts on other sheets, or to attempts of other periods: with Agreed to ledger and the lists of entries, the whole population to sample from. Not printed in full.",
		linkedColumns(), items, b.ledgerFact)
	l.printed = agreedPrinted
	return l
}

// entriesOfAgreed is the live number of entries of the period that settle agreed attempts: rows booked in the period, and
// the further parts of payments that were split.
func (a *agreed) entriesOfAgreed(r *recon.Report) figure {
	var all figure
	for part := range a.sheets {
		booked := a.span(part, agreedBooked)
		expr := "COUNT(" + booked + ")"
		if !r.Period.IsZero() {
			expr = "COUNTIFS(" + booked + `,">="&` + dateExpr(r.Period.From) + "," + booked + `,"<"&` + dateExpr(r.Period.To) + ")"
		}
		all = all.plus(figure{expr: expr, n: a.booked[part]})
	}
	return all.plus(figure{expr: fmt.Sprint(a.further), n: a.further})
}

// dateExpr is a day as formulas write it.
func dateExpr(d ledger.Date) string {
	t := d.Time()
	return fmt.Sprintf("DATE(%d,%d,%d)", t.Year(), t.Month(), t.Day())
}
