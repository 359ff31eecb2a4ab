// Package mt940 reads SWIFT MT940 statements and MT942 intraday reports, as banks export them: with the
// envelope of the network or without, several messages in a file, separators or none.
//
// Field 61 is an entry, the field 86 behind it its text. What is hard about them:
//
//   - The mark is C, D, RC (a credit taken back, so money out), RD, and in MT942 EC and ED (expected). The
//     letter behind it is the third of the currency: RCR is RC in EUR.
//   - The entry date has no year. It is the year nearest to the date of the closing balance, which stands
//     behind the entries, so the entries of a statement are held until it comes.
//   - Field 86 has dialects: the German one of numbered subfields, whose purpose is cut into 27 characters
//     wherever that falls; the Dutch one of /KEY/value/; and free text cut at 65 characters.
//
// A statement proves itself: opening balance + entries = closing balance, and MT942 by its counts and sums.
package mt940
