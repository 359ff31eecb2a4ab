package detect

import (
	"bytes"
	"io"
	"regexp"
	"slices"
	"strings"

	"agentrecon/ledger"
	"agentrecon/ledger/bai2"
	"agentrecon/ledger/camt"
	"agentrecon/ledger/csvprofile"
	"agentrecon/ledger/jsonprofile"
	"agentrecon/ledger/lines"
	"agentrecon/ledger/mt940"
	"agentrecon/ledger/ofx"
	"agentrecon/ledger/paypal"
	"agentrecon/ledger/profile"
	"agentrecon/ledger/sheet"
	"agentrecon/ledger/tabular"
	"agentrecon/ledger/trustly"
)

// Format is one format of ledger files.
type Format struct {
	Name   string                 // as typed after --format
	Title  string                 // for people, with its article
	Sniff  func(head []byte) bool // tells it by the beginning of a file, 64 KiB at most
	Read   ledger.ReadFunc        // nil: known, but not readable
	Remedy string                 // what to do with one that is not readable
}

const askForCSV = "ask the bank for a CSV export, or write the entries as generic CSV"

// Formats lists the formats in the order in which they are tried; the first that fits is it.
var Formats = []Format{
	{
		Name: "xlsx", Title: "an XLSX workbook", Read: sheet.Read,
		Sniff: isWorkbook,
	},
	{
		Name: "generic", Title: "generic CSV or JSON Lines", Read: csvprofile.Read,
		Sniff: isGeneric,
	},
	{
		Name: "camt", Title: "an ISO 20022 camt statement (XML)", Read: camt.Read,
		Sniff: isCamt,
	},
	{
		Name: "ofx", Title: "an OFX, QFX or QBO statement", Read: ofx.Read,
		Sniff: matches(`(?is)^\s*(OFXHEADER\s*:|(<\?xml[^>]*>\s*)?(<!--.*?-->\s*)?(<\?OFX\b|<(\w+:)?OFX[>\s]))`),
	},
	{
		Name: "html", Title: "an HTML page", Remedy: "if it shows a table, as the .xls of some banks do, open it in a spreadsheet program and save it as XLSX or CSV (UTF-8); if it shows a login, log in again and download the export itself",
		Sniff: matches(`(?is)^\s*(<!doctype html|<html\b|<table\b)`),
	},
	{
		Name: "xml-workbook", Title: "an Excel workbook in XML", Remedy: "save it as XLSX or CSV (UTF-8)",
		Sniff: matches(`(?is)^\s*<\?xml[^>]*>.{0,400}(progid="Excel\.Sheet"|urn:schemas-microsoft-com:office:spreadsheet)`),
	},
	{
		Name: "xml", Title: "an XML file that is no camt statement", Remedy: askForCSV,
		Sniff: matches(`(?is)^\s*<(\?xml|[a-z])`),
	},
	{
		Name: "mt940", Title: "a SWIFT MT940 or MT942 statement", Read: mt940.Read,
		Sniff: matches(`(?s)^[\x00-\x20]*(\{1:|:(940|942|25P?|62[FM]|64|13D?|90[CD]|86|NS):)|(^|[\r\n]|@@|\{4:)[\x01\x1a]?:(20|60[FM]|61|28C?|34F):`),
	},
	{
		Name: "bai2", Title: "a BAI2 file", Read: bai2.Read,
		Sniff: matches(`(?s)^\s*01,[^\r\n]*?[/\r\n]\s*(02|88|99),`),
	},
	{
		Name: "paypal", Title: "a settlement or transaction detail report of PayPal", Read: paypal.Read,
		Sniff: matches(`(?s)^\s*("?RH"?[,;\t|]|"?[FS]H"?[,;\t|]"?[0-9]|"?CH"?[,;\t|]"?Transaction ID\b)`),
	},
	{
		Name: "trustly", Title: "a funding or reconciliation report of Trustly", Read: trustly.Read,
		Sniff: matches(`(?s)^\s*"?H"?,"?P11K`),
	},
	{
		Name: "csv", Title: "a CSV export of a bank or payment provider", Read: profile.Read,
		Sniff: isProfiled,
	},
	{
		Name: "qif", Title: "a QIF file", Remedy: askForCSV,
		Sniff: matches(`(?s)^\s*!(Type|Account|Option):`),
	},
	{
		Name: "json", Title: "an API's answer in JSON", Read: jsonprofile.Read,
		Sniff: matches(`(?s)^\s*[\[{]`),
	},
}

// The readers of archives look formats up themselves, so they join the table when it stands.
func init() {
	Formats = append([]Format{
		{
			Name: "gzip", Title: "a file compressed by gzip", Read: chooser{}.readGzip,
			Sniff: func(head []byte) bool { return bytes.HasPrefix(head, []byte("\x1f\x8b\x08")) },
		},
		{
			Name: "zip", Title: "a zip archive", Read: chooser{}.readZip,
			Sniff: func(head []byte) bool { return isZip(head) && !isWorkbook(head) },
		},
	}, Formats...)
}

func isZip(head []byte) bool { return bytes.HasPrefix(head, []byte("PK\x03\x04")) }

// isWorkbook tells a workbook from other zip archives by the names of its parts.
func isWorkbook(head []byte) bool {
	return isZip(head) && (bytes.Contains(head, []byte("[Content_Types].xml")) || bytes.Contains(head, []byte("xl/work")))
}

// genericEnough is how many of the generic names make a header one: two, since many banks have one of them.
const genericEnough = 2

// isGeneric tells a table with the generic names. A header with some of them and a slip is still meant to
// be one, and its reader says what the slip is, unless a profile knows all of the header; one with more other names
// than these is another table, and so is one that has everyday words only, such as amount and currency.
func isGeneric(head []byte) bool {
	if tabular.NotText(head) != "" {
		return false
	}
	known := csvprofile.GenericColumns()
	n, ours := 0, false
	names := tabular.HeaderOf(head)
	for _, name := range names {
		if slices.Contains(known, name) {
			n++
			ours = ours || strings.Contains(name, "_")
		}
	}
	return n >= genericEnough && (n == len(names) || 2*n >= len(names) && ours && !isProfiled(head))
}

// isProfiled tells a table that a profile or a lexicon of columns knows.
func isProfiled(head []byte) bool {
	const utf16 = "\xff\xfe"
	if tabular.NotText(head) != "" && !bytes.HasPrefix(head, []byte(utf16)) {
		return false
	}
	return profile.ShippedSet().Sniff(head)
}

// matches returns a sniffer by regular expression. Byte order marks and UTF-16 do not count.
func matches(expression string) func([]byte) bool {
	re := regexp.MustCompile(expression)
	return func(head []byte) bool { return re.Match(plain(head)) }
}

// plain is the beginning of a file as its reader will see it: without a byte order mark, and not in UTF-16.
func plain(head []byte) []byte {
	if len(head) < 2 || head[0] != 0 && head[1] != 0 && head[0] < 0x80 {
		return head
	}
	text, _ := io.ReadAll(lines.Unmark(bytes.NewReader(head))) // half a character at the end matters to nobody
	return text
}

var camtMark = regexp.MustCompile(`(?is)^\s*<.*?(BkToCstmr(Stmt|AcctRpt|DbtCdtNtfctn)|\bcamt\.05[234]\.)`)

// isCamt tells a camt message, behind whatever wrapper, by its names.
func isCamt(head []byte) bool { return camtMark.Match(plain(head)) }
