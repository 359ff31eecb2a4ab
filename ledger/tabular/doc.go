// Package tabular reads files of rows under names: delimited text (comma, tab, semicolon or pipe, chosen
// from the header line) and JSON Lines. It gives every row its place, so that whoever judges a value can
// say file, line and field.
//
// A file is read once, front to back, in bounded memory. [Scan] is the whole of it for most callers:
//
//	end, err := tabular.Scan("attempts.csv", f, tabular.Options{Columns: columns}, func(row *tabular.Row) error {
//		id := row.ID(0)
//		...
//		return row.Err()
//	})
//
// Faults come in two sizes. A [*ledger.RowError] is about one row; reading goes on, so that a person sees
// every bad row at once ([*ledger.BadRows]). A [*FileError] is about the whole file: it is no text, its
// header does not fit, a quote is never closed.
//
// What is accepted beyond RFC 4180: a UTF-8 byte order mark at the start of any line (concatenated files
// have several), any mixture of line ends (LF, CRLF, CR, CR CR LF), blank lines and rows of nothing but
// delimiters, a "sep=;" line before the header, names in any case with blanks around them. What is not: a
// quote inside a field that does not start with one. Blanks and tabs around a value do not belong to it.
package tabular
