package csvprofile

import (
	"agentrecon/ledger"
	"agentrecon/ledger/tabular"
)

// amounts reads what moved and, if the source shows it, how it came about. Sources print gross and net with
// or without the sign of the payment, and the fee as a cost or as a deduction, so gross and net take the
// sign of the amount, and a fee between them is set so that gross - fee = net.
func amounts(row *tabular.Row, e *ledger.Entry) {
	if row.Err() != nil {
		return // without a currency there are no decimals
	}
	row.Need(colAmount, row.Field(colAmount))
	e.Amount = row.Decimal(colAmount, e.Currency)
	e.Gross = optional(row, colGross, e.Currency)
	e.Fee = optional(row, colFee, e.Currency)
	e.Net = optional(row, colNet, e.Currency)
	if (row.Field(colOrigAmount) == "") != (e.OrigCurrency == "") {
		row.RefuseRow("orig_amount and orig_currency go together: give both or neither")
		return
	}
	e.OrigAmount = optional(row, colOrigAmount, e.OrigCurrency)
	if row.Err() != nil {
		return
	}
	gross, fee, net := e.Gross.Minor, e.Fee.Minor, e.Net.Minor
	if e.Net.Given && abs(net) != abs(e.Amount) {
		row.Refuse(colNet, "differs from the amount "+ledger.FormatDecimal(e.Amount, e.Currency.Exponent())+"; net is what moved")
		return
	}
	all := e.Gross.Given && e.Fee.Given && e.Net.Given
	if all && gross-fee != net && abs(gross)+abs(fee) != abs(net) && abs(gross)-abs(fee) != abs(net) {
		row.RefuseRow("gross, fee and net do not add up: neither gross - fee nor gross + fee is net")
		return
	}
	e.OrigAmount.Minor = signed(e.OrigAmount.Minor, e.Amount)
	e.Gross.Minor = signed(gross, e.Amount)
	e.Net.Minor = signed(net, e.Amount)
	if all {
		e.Fee.Minor = e.Gross.Minor - e.Net.Minor
	}
}

func optional(row *tabular.Row, column int, c ledger.Currency) ledger.Optional {
	if row.Field(column) == "" {
		return ledger.Optional{}
	}
	return ledger.Some(row.Decimal(column, c))
}

// signed gives an amount the sign of another; beside zero it keeps its own.
func signed(minor, like int64) int64 {
	switch {
	case like < 0:
		return -abs(minor)
	case like > 0:
		return abs(minor)
	default:
		return minor
	}
}

func abs(n int64) int64 { return max(n, -n) }
