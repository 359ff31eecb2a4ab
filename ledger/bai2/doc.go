// Package bai2 reads BAI2 files, the cash management format of banks in the United States: a file (01)
// holds groups (02) of one bank and day, a group holds accounts (03), an account its entries (16), and
// each level ends in a trailer (49, 98, 99) with a control total and a count of records. Records go on in
// continuations (88).
//
// Amounts are integers in the currency's minor unit, and the sign of an entry is that of its type code
// (see [Direction]). The control total of an account is the sum of every amount in its 03 and 16 records as
// printed, summaries included; it says nothing about the entries' signs, so the balances 010 and 015 and
// the totals 100 and 400 are checked beside it.
//
// What banks do to the format, and this reader takes: summaries split between 03 and 88 in the middle of
// a group of fields, blanks behind the slash, records without slash that end with the line, several
// records on one line, lines without record code that go on with the text above, slashes and commas in
// text, missing currencies, empty control totals.
package bai2
