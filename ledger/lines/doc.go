// Package lines reads text files line by line whatever their encoding and line ends, in bounded memory. It
// is what the readers of BAI2 and OFX and of the record-typed reports stand on; rows under a header are
// the tabular package's.
//
// Hardly any of these files says how it is encoded, and those that do are often wrong. So the order is:
// byte order mark, what the person says, valid UTF-8, Windows-1252. The last two are decided by line, for
// files are joined from parts of different origin; a file that needed the guess says so in its warnings.
package lines
