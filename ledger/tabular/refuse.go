package tabular

import (
	"bytes"
	"fmt"
)

// FileError refuses a file as a whole.
type FileError struct {
	File   string
	Line   int    // from 1; 0 if no line is meant
	Reason string // what is wrong and what to do about it
}

// Error prints file:line: reason.
func (e *FileError) Error() string {
	if e.Line > 0 {
		return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Reason)
	}
	return e.File + ": " + e.Reason
}

// magics are the beginnings of files that are no text, with what to do about each.
var magics = []struct {
	start, name, remedy string
}{
	{"PK\x03\x04", "an XLSX workbook or another zip archive", "save the sheet as CSV (UTF-8), or unpack the archive"},
	{"PK\x05\x06", "an empty zip archive", "give the file that should have been in it"},
	{"\x1f\x8b", "gzip data", "unpack it first: gunzip -k FILE"},
	{"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an Excel workbook that is old (.xls) or has a password", "save the sheet as CSV (UTF-8)"},
	{"%PDF-", "a PDF document", "export the statement as CSV, a printed statement cannot be read"},
	{"\x89PNG\r\n", "a PNG picture", "export the data as CSV"},
	{"\xff\xd8\xff", "a JPEG picture", "export the data as CSV"},
	{"BZh", "bzip2 data", "unpack it first: bunzip2 -k FILE"},
	{"\xfd7zXZ\x00", "xz data", "unpack it first: unxz -k FILE"},
	{"\x28\xb5\x2f\xfd", "zstd data", "unpack it first: unzstd FILE"},
	{"7z\xbc\xaf\x27\x1c", "a 7-Zip archive", "unpack it first"},
	{"PAR1", "a Parquet file", "export it as CSV"},
	{"SQLite format 3\x00", "an SQLite database", "export the table as CSV"},
	{"PGDMP", "a PostgreSQL dump", "export the table as CSV: \\copy (SELECT …) TO 'FILE' WITH (FORMAT csv, HEADER)"},
	{"\x7fELF", "a program", "give the file that it should have made"},
	{"\xff\xfe", "UTF-16 text", "convert it to UTF-8 first: iconv -f UTF-16 -t UTF-8 FILE"},
	{"\xfe\xff", "UTF-16 text", "convert it to UTF-8 first: iconv -f UTF-16 -t UTF-8 FILE"},
}

// NotText says why the beginning of a file is not that of a text file, and what to do; it returns an empty
// string for text. The more of the file it sees, the surer it is; 512 bytes will do.
func NotText(head []byte) string {
	for _, m := range magics {
		if bytes.HasPrefix(head, []byte(m.start)) {
			return fmt.Sprintf("not a text file in UTF-8 but %s; %s", m.name, m.remedy)
		}
	}
	if bytes.IndexByte(head, 0) < 0 {
		return ""
	}
	if encoding := utf16Without(head); encoding != "" {
		return "not a text file in UTF-8 but, it seems, UTF-16 text; convert it first: iconv -f " + encoding + " -t UTF-8 FILE"
	}
	return nulReason
}

// utf16Without names the encoding of UTF-16 text that does not begin with its mark: nearly every NUL stands on one side
// of its pair, for letters of headers are Latin. Programs and other binary files have them on both.
func utf16Without(head []byte) string {
	var nuls [2]int
	for n, b := range head {
		if b == 0 {
			nuls[n%2]++
		}
	}
	first, second := nuls[0], nuls[1]
	switch enough := len(head) / 4; {
	case second > enough && first*20 <= second:
		return "UTF-16LE"
	case first > enough && second*20 <= first:
		return "UTF-16BE"
	default:
		return ""
	}
}

const nulReason = "not a text file (it holds a NUL byte); export it again as CSV in UTF-8"
