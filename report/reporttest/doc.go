// Package reporttest holds reports to write workbooks from, made by hand and free of any engine, and a dump of workbooks
// to text for golden tests.
package reporttest
