// Package bankcode maps the transaction codes of banks to kinds of entries. It holds data: the ISO 20022
// bank transaction codes, the SWIFT transaction types of MT940 field 61, and the German business
// transaction codes (GVC). What a code does not settle is a payment.
package bankcode

import (
	"strings"

	"agentrecon/ledger"
)

// isoSubFamilies are ISO 20022 sub-family codes that mean the same under every family (external code set
// BankTransactionSubFamily).
var isoSubFamilies = map[string]ledger.Kind{
	"CHRG": ledger.KindFee, "COMM": ledger.KindFee, "FEES": ledger.KindFee, "COME": ledger.KindFee,
	"COMI": ledger.KindFee, "COMT": ledger.KindFee, "LBCA": ledger.KindFee,
	"INTR": ledger.KindInterest, "TAXE": ledger.KindTax, "STAM": ledger.KindTax, "NRTX": ledger.KindTax,
	"RRTN": ledger.KindReturn, "RPCR": ledger.KindReturn, "UPCT": ledger.KindReturn, "UPDD": ledger.KindReturn,
	"UPCQ": ledger.KindReturn, "PRDD": ledger.KindReturn, "ARET": ledger.KindReturn, "RIMB": ledger.KindRefund,
	"CAJT": ledger.KindAdjustment, "DAJT": ledger.KindAdjustment, "ADJT": ledger.KindAdjustment, "ERTA": ledger.KindAdjustment,
	"BOOK": ledger.KindTransfer, "INTC": ledger.KindTransfer, "XICT": ledger.KindTransfer, "ICCT": ledger.KindTransfer,
}

// ISO is the kind of an ISO 20022 domain, family and sub-family; empty if they do not settle it.
func ISO(domain, family, sub string) ledger.Kind {
	if kind, ok := isoSubFamilies[sub]; ok {
		return kind
	}
	switch {
	case family == "CHRG":
		return ledger.KindFee
	case family == "CAPL":
		return ledger.KindTransfer
	case domain == "FORX":
		return ledger.KindFX
	default:
		return ""
	}
}

// swiftTypes are the three letters behind the N, F or S of MT940 field 61, subfield 6 (SWIFT user handbook).
var swiftTypes = map[string]ledger.Kind{
	"CHG": ledger.KindFee, "COM": ledger.KindFee, "BRF": ledger.KindFee,
	"INT": ledger.KindInterest, "TAX": ledger.KindTax, "STM": ledger.KindTax,
	"RTI": ledger.KindReturn, "FEX": ledger.KindFX,
}

// SWIFT is the kind of a transaction type such as NCHG; empty if it does not settle it.
func SWIFT(code string) ledger.Kind {
	if len(code) != 4 {
		return ""
	}
	return swiftTypes[code[1:]]
}

// gvcKinds are German business transaction codes (Geschäftsvorfallcodes, DK-Abkommen annex 3).
var gvcKinds = map[string]ledger.Kind{
	"108": ledger.KindReturn, "109": ledger.KindReturn, "159": ledger.KindReturn, "181": ledger.KindReturn, "184": ledger.KindReturn,
	"808": ledger.KindFee, "809": ledger.KindFee, "814": ledger.KindInterest, "833": ledger.KindTransfer, "899": ledger.KindReversal,
}

// GVC is the kind of a German business transaction code; empty if it does not settle it.
func GVC(code string) ledger.Kind { return gvcKinds[code] }

// DK is the kind of a code as German banks write it in camt, "NTRF+166+9310" (type, GVC, prima nota); other
// proprietary codes do not settle it.
func DK(code string) ledger.Kind {
	kind, rest, ok := strings.Cut(code, "+")
	if !ok {
		return SWIFT(code)
	}
	gvc, _, _ := strings.Cut(rest, "+")
	if k := GVC(gvc); k != "" {
		return k
	}
	return SWIFT(kind)
}
