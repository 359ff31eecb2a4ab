package bai2

import (
	"strconv"

	"agentrecon/ledger"
)

// Types of summaries that have a meaning for the statement (BAI2, appendix A).
const (
	typeOpening   = "010" // opening ledger
	typeClosing   = "015" // closing ledger
	typeAvailable = "045" // closing available
	typeCredits   = "100" // total credits
	typeDebits    = "400" // total debits
)

// A Direction is what a type code makes of an amount.
type Direction int

// The directions. Information moves nothing: type 890 and whatever lies outside the ranges of movements.
const (
	Information Direction = 0
	Credit      Direction = 1
	Debit       Direction = -1
)

// directions lists the ranges of type codes that move money (BAI2, "Uniform BAI balance reporting codes").
// Loans have credits up to 759; the ranges from 920 are the bank's own.
var directions = []struct {
	from, to  int
	direction Direction
}{
	{100, 399, Credit},
	{400, 699, Debit},
	{700, 759, Credit},
	{760, 799, Debit},
	{920, 959, Credit},
	{960, 999, Debit},
}

// DirectionOf returns the direction of a type code of three digits, and false if it is none.
func DirectionOf(code string) (Direction, bool) {
	if len(code) != 3 {
		return Information, false
	}
	n, err := strconv.ParseUint(code, 10, 16)
	if err != nil {
		return Information, false
	}
	for _, d := range directions {
		if d.from <= int(n) && int(n) <= d.to {
			return d.direction, true
		}
	}
	return Information, true
}

// kinds says what the common codes are for; everything else is a payment.
var kinds = map[string]ledger.Kind{
	"206": ledger.KindTransfer, "506": ledger.KindTransfer, // book transfers
	"275": ledger.KindTransfer, "575": ledger.KindTransfer, // zero balance accounts
	"277": ledger.KindTransfer, "577": ledger.KindTransfer,
	"255": ledger.KindReturn, "555": ledger.KindReturn, // cheques and deposited items returned
	"257": ledger.KindReturn, "557": ledger.KindReturn, // single ACH payments returned
	"261": ledger.KindReturn, "266": ledger.KindReturn,
	"258": ledger.KindReversal, "559": ledger.KindReversal, // ACH reversals
	"252": ledger.KindReversal, "452": ledger.KindReversal,
	"354": ledger.KindInterest, "654": ledger.KindInterest,
	"661": ledger.KindFee, "698": ledger.KindFee,
	"890": ledger.KindOther,
}
