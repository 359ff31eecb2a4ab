// Package paypal reads the reports that PayPal delivers to servers: the transaction detail report (TRR) and the
// settlement report (STL). Their first field is the type of the record: RH, FH and SH begin the report, the file
// and a section for one account, CH names the columns, SB is an entry, SF and RF are control totals for each
// currency, SC and RC counts.
//
// Amounts are unsigned and have two implied decimals whatever the currency, so 15000 JPY are 150 yen; the
// direction stands in a column of its own, another one for the fee. What the balance moves by is both together.
package paypal
