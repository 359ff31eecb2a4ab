// Package csvprofile turns tables into ledger entries. A profile says which column means what; the one
// built in so far is "generic", whose columns are the names of the canonical row (docs/cli.md, "ledger,
// generic").
//
// Nothing is guessed: an amount is a plain decimal with a point, a date is YYYY-MM-DD, an instant has an
// offset. What does not fit refuses the row, and one refused row refuses the file.
package csvprofile
