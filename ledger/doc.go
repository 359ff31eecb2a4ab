// Package ledger holds what the payments ledger says: amounts, currencies, dates, periods, canonical
// entries and the statements and files they came from. It knows no technology and imports the standard
// library only; each file format is a package below it that turns bytes into [Entry] values.
//
// Signs are the account holder's: money in is positive, money out is negative. Amounts are integer
// minor units of their currency (ISO 4217), never floats. A date printed by a bank is a calendar date
// and stays one; it is turned into an interval of time only where a zone is named.
package ledger
