package report

import (
	"agentrecon/recon"
)

type edgeCol = col[recon.Edge]

// Words of the two sides of the edge.
const (
	edgeOut = "proposed in the period, booked outside"
	edgeIn  = "proposed outside the period, booked in it"
)

func edgeSide(e *recon.Edge) string {
	if e.Inside {
		return edgeOut
	}
	return edgeIn
}

// edgeLine is the line of the bridge that an item at the edge is counted in.
func edgeLine(e *recon.Edge) string {
	if e.Inside {
		return recon.LineBookedOutside
	}
	return recon.LineOtherPeriod
}

// edgeColumns are the columns of the period's edge; nobody has to decide anything about it.
var edgeColumns = []edgeCol{
	{
		column{"Which way", 24, evidence, holdsWord, "On which side of the period's edge the attempt is, and on which its payment."},
		func(b *book, e *recon.Edge) cell { return words(edgeSide(e), listText) },
	},
	{
		column{headItem, 24, evidence, holdsID, "The attempt's id: what to give to `recon explain`, and what dispositions refer to."},
		func(b *book, e *recon.Edge) cell { return b.id(e.Attempt.ID, listID) },
	},
	{
		column{"Amount", 13, evidence, holdsAmount, "Amount of the attempt in major units; money out is positive."},
		func(b *book, e *recon.Edge) cell { return money(e.Attempt.Minor, e.Attempt.Currency, lined) },
	},
	{
		column{headCurrency, 9, evidence, holdsWord, "Currency of the attempt, ISO 4217."},
		func(b *book, e *recon.Edge) cell { return b.currency(e.Attempt.Currency, lined) },
	},
	{
		column{"Proposed (UTC)", 17, evidence, holdsTime, "When the call was proposed; the population of a period is by this time."},
		func(b *book, e *recon.Edge) cell { return instant(e.Attempt.ProposedAt, lined) },
	},
	{
		column{"Booked on", 11, evidence, holdsDate, "Booking date of the payment as printed, without a zone; entries belong to the period of this date."},
		func(b *book, e *recon.Edge) cell { return day(e.Entry.BookedOn, lined) },
	},
	{
		column{"Payee", 20, evidence, holdsText, "Counterparty's name as the entry has it."},
		func(b *book, e *recon.Edge) cell { return b.text(e.Entry.CounterpartyName, listText) },
	},
	{
		column{"Destination", 22, evidence, holdsID, "Account that the attempt was to pay."},
		func(b *book, e *recon.Edge) cell { return b.id(e.Attempt.DestAccount, listID) },
	},
	{
		column{"Reference", 16, evidence, holdsID, "Reference of the attempt."},
		func(b *book, e *recon.Edge) cell { return b.id(e.Attempt.Reference, listID) },
	},
	{
		column{"Evidence (file:line)", 20, evidence, holdsText, "The ledger line of the payment."},
		func(b *book, e *recon.Edge) cell { return b.text(place(&e.Entry), listText) },
	},
	{
		column{headClass, 20, technical, holdsWord, "The one class of the attempt (see Method); it is listed and counted under that class."},
		func(b *book, e *recon.Edge) cell { return words(string(e.Class), techText) },
	},
	{
		column{headLine, 16, technical, holdsWord, "Line of the bridge on Summary that it is counted in."},
		func(b *book, e *recon.Edge) cell { return words(edgeLine(e), techText) },
	},
	{
		column{"Tier", 14, technical, holdsWord, "How it was linked (see Method)."},
		func(b *book, e *recon.Edge) cell { return words(e.Tier.String(), techText) },
	},
	{
		column{"Entry", 16, technical, holdsID, "The entry's id."},
		func(b *book, e *recon.Edge) cell { return b.id(e.Entry.ID, techText) },
	},
	{
		column{headMinor, 13, technical, holdsInteger, "The attempt's amount as integer minor units: what sums add."},
		func(b *book, e *recon.Edge) cell { return minorUnits(e.Attempt.Minor, techText) },
	},
	{column{headDigest, 17, technical, holdsID, "Identifies what the locked cells of the row say."}, nil},
}

func edgeList(b *book) *list {
	edges := make([]*recon.Edge, len(b.report.Edges))
	for i := range edges {
		edges[i] = &b.report.Edges[i]
	}
	return newList(b, SheetEdge, "Period edge",
		"Cut-off both ways: attempts of this period booked outside it, and attempts of other periods booked in it. Each is counted under its class as well.",
		edgeColumns, edges, func(e *recon.Edge) fact {
			return fact{currency: e.Attempt.Currency, minor: e.Attempt.Minor, line: edgeLine(e)}
		})
}
