package detect

import (
	"regexp"
	"slices"
)

const (
	askForCamt    = "ask the bank for camt.053 or MT940 statements, which it has beside these, or write the entries as generic CSV"
	orderNotMoney = "an order is not yet a movement of money; ask the bank for the account's statement (camt.053 or MT940)"
)

// neighbours are formats of the same trade that are taken for statements, or are statements of one country. Each
// is known by what no other file begins with, so they are tried before all others.
var neighbours = []Format{
	{
		Name: "pain.001", Title: "an order of credit transfers (ISO 20022 pain.001)", Remedy: orderNotMoney,
		Sniff: isMessage(`pain\.001`),
	},
	{
		Name: "pain.008", Title: "an order of direct debits (ISO 20022 pain.008)", Remedy: orderNotMoney,
		Sniff: isMessage(`pain\.008`),
	},
	{
		Name: "pain.002", Title: "a report on the state of orders (ISO 20022 pain.002)", Remedy: orderNotMoney,
		Sniff: isMessage(`pain\.002`),
	},
	{
		Name: "iso20022", Title: "an ISO 20022 message that is no statement", Remedy: "ask the bank for the account's statement (camt.053)",
		Sniff: isMessage(`[a-z]{4}\.\d{3}`),
	},
	{
		Name: "swift", Title: "a SWIFT message that is no statement (MT940, MT942 and MT950 are)", Remedy: orderNotMoney,
		Sniff: isOtherSWIFT,
	},
	{
		Name: "coda", Title: "a Belgian CODA statement", Remedy: askForCamt,
		Sniff: matches(`^00000[0-3]\d[01]\d{3}[\d ]{3}05`),
	},
	{
		Name: "norma43", Title: "a Spanish Norma 43 (AEB43) statement", Remedy: askForCamt,
		Sniff: matches(`^11\d{18}\d{6}\d{6}[12]\d{14}\d{3}`),
	},
	{
		Name: "cfonb120", Title: "a French CFONB 120 (AFB120) statement", Remedy: askForCamt,
		Sniff: matches(`^01\d{5} {4}\d{5}[A-Z]{3}\d`),
	},
	{
		Name: "gpc", Title: "a Czech or Slovak GPC (ABO) statement", Remedy: askForCamt,
		Sniff: matches(`^074\d{16}.{20}\d{6}\d{14}[+-]`),
	},
	{
		Name: "tito", Title: "a Finnish machine-readable statement (KTO, TITO)", Remedy: askForCamt,
		Sniff: matches(`^T00\d{3}\d{3}\d{14}`),
	},
	{
		Name: "bgmax", Title: "a Swedish BgMax file of payments received", Remedy: askForCamt,
		Sniff: matches(`^01BGMAX`),
	},
	{
		Name: "cnab", Title: "a Brazilian CNAB file", Remedy: "ask the bank for OFX, or write the entries as generic CSV",
		Sniff: matches(`^(\d{3}00000 {9}[012]\d{14}|02RETORNO\d{2})`),
	},
	{
		Name: "dtaus", Title: "a German DTAUS order", Remedy: orderNotMoney,
		Sniff: matches(`^0128A[GL][KB]`),
	},
	{
		Name: "nacha", Title: "a NACHA file of ACH orders", Remedy: "an order is not yet a movement of money; ask the bank for the account's statement (BAI2 or CSV)",
		Sniff: matches(`^101[ \d]\d{9}[ \d]\d{9}\d{10}[A-Z0-9]094101`),
	},
}

func init() { Formats = append(slices.Clone(neighbours), Formats...) }

// isMessage returns a sniffer of XML by the name of an ISO 20022 message, given as a regular expression up to its
// version. A statement inside the wrapper of another message is a statement.
func isMessage(name string) func([]byte) bool {
	re := regexp.MustCompile(`(?s)^\s*<.*\b` + name + `\.\d{3}\.\d{2}\b`)
	return func(head []byte) bool { return re.Match(plain(head)) && !isCamt(head) }
}

var (
	swiftType      = regexp.MustCompile(`\{2:[IO](\d{3})`)
	swiftStatement = regexp.MustCompile(`(^|[\r\n]|\{4:)[ \t]*:(60[FM]|61|62[FM]|34F|90[CD]):`)
	swiftOrder     = regexp.MustCompile(`(^|[\r\n]|\{4:)[ \t]*:(32[AB]|23B|50[A-Z]?|59[AF]?|21R|28D):`)
)

// isOtherSWIFT tells orders and advices by the type in their envelope, or without one by fields that no statement has.
func isOtherSWIFT(head []byte) bool {
	head = plain(head)
	if swiftStatement.Match(head) {
		return false
	}
	types := swiftType.FindAllSubmatch(head, -1)
	for _, m := range types {
		switch string(m[1]) {
		case "940", "941", "942", "950":
			return false
		}
	}
	return len(types) > 0 || len(swiftOrder.FindAll(head, 2)) == 2 && mt940Start.Match(head)
}

// mt940Start is a field at the beginning of a file.
var mt940Start = regexp.MustCompile(`^\s*:\d\d[A-Z]?:`)
