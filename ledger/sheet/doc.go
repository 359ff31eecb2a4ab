// Package sheet reads XLSX workbooks by the same profiles as CSV. Every worksheet is a table; the one that fits a
// profile best is read, and with it those that have the same columns, such as one for each month. Hidden sheets are read
// only if no other fits.
//
// A workbook knows what a CSV does not: which cells are numbers and which are dates. Numbers are binary fractions
// that were written with up to 17 digits, of which 15 mean something, so 19.989999999999998 is 19.99; they are
// rounded as text, never as floats. Dates are serial numbers with a style that says so, counted from 1900 or 1904.
// Texts that look like numbers stay texts, and the profile decides about their decimal mark.
//
// The parts of a workbook are read as streams, so that a large one does not have to fit into memory, except for
// the texts that its cells share. Limits on what is unpacked keep archives that were made to burst from doing so.
package sheet
