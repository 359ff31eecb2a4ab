// Package profile reads tables that banks and payment providers export: CSV in whatever dialect, and the rows of
// workbooks, by declarative profiles. A profile is a text file (see profiles/README.md) that says by which
// columns a report is known, what its columns mean, and how its signs, dates and kinds are to be read. The
// shipped ones are embedded; people can add their own.
//
// A report is found by its header, which need not be the first line: preambles are passed over. Where no
// profile fits, the names of columns are looked up in lexicons of several languages, which covers most banks.
// Where not even the names are known, the numbers must prove themselves by a running balance.
//
// What a cell cannot say alone is decided by all rows of the file: the decimal mark, the order of day and
// month, whether debits are printed negative. If they do not decide, the file is refused, never guessed at. So
// a file is read twice: once for the decisions and the proof, once for the entries.
package profile
