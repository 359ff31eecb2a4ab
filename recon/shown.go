package recon

import (
	"strconv"
	"time"

	"agentrecon/ledger"
)

// money prints an amount for a person.
func money(minor int64, c ledger.Currency) string { return ledger.FormatMoney(minor, c) }

// amountDifference is a difference in an amount, ledger less attempt.
func amountDifference(field string, a Attempt, booked int64, c ledger.Currency) Difference {
	return Difference{Field: field, Attempt: money(a.Minor, a.Currency), Ledger: money(booked, c), Delta: booked - a.Minor}
}

func dateOf(t time.Time, zone *time.Location) ledger.Date { return ledger.DateOf(t, zone) }

// place is where a person finds a row.
func place(file string, line int) string {
	if line == 0 {
		return file
	}
	return file + ":" + strconv.Itoa(line)
}
