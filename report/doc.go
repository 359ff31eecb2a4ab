// Package report writes the auditor's workbook: one recorded run ([recon.Report]) as an Excel file that an
// external auditor opens, filters, ticks, samples and re-performs.
//
// What the workbook promises, and where it is kept:
//
//	placement.go  one class, one sheet, one count: where each class is listed, as data
//	words.go      what the workbook says of each evidence value, as data
//	cell.go       the only way a value gets into a cell: text never becomes a formula, nothing is cut in silence
//	verdict.go    the state and the sentence that the Cover leads with
//	index.go      what a row needs to know of the others; how far ledger and attempt are apart
//	list.go       list sheets: streamed rows, columns for evidence, management, auditor and machines
//	grid.go       block sheets (Cover, Summary, Checks …): live formulas with the values they come to
//	layout.go     row heights
//	pages.go      scale, page breaks, pages side by side
//	chart.go      charts of tables, with a text that stands for them
//	zip.go        the same report gives the same bytes
//	workbook.go   the order in which all of it is written
//
// Amounts are outflow positive. Every amount shown has its integer minor units beside it in the technical columns,
// and every sum that a check relies on adds those integers. Clean attempts are implied by a run and not listed; their
// count is what the sources say less everything listed, worked out by a formula that the reader can follow.
package report
