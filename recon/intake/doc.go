// Package intake turns files of attempts, outcomes, session events and old audit tables into values
// (docs/cli.md, "Files it takes"). Files are CSV with a header or JSON Lines with the same names.
//
// The same row twice changes nothing and is counted as a repeat. A row that contradicts an earlier one of
// the same file is refused with both places. Times need an offset; amounts are whole minor units, positive
// for money out.
//
// Every reader hands on rows as it meets them, in file order, and returns a [*ledger.BadRows] at the end if
// any row was bad: the caller must be able to take back what it was handed.
package intake
