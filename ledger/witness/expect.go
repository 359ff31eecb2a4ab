package witness

import (
	"fmt"
	"strings"

	"agentrecon/ledger"
	"agentrecon/ledger/tabular"
)

// HoldAgainst holds the file against control totals from outside. A difference fails the proof, which the
// caller may accept for a reason; totals that cannot be compared refuse the file.
func HoldAgainst(source *ledger.SourceFile, want ledger.Expect) error {
	if !want.HasCount && want.Sum == "" {
		return nil
	}
	var entries int64
	for _, total := range source.Totals {
		entries += total.Count
	}
	expected := ledger.ControlTotal{Count: entries}
	var wanted, found []string
	if want.HasCount {
		expected.Count = want.Count
		wanted, found = append(wanted, fmt.Sprintf("%d entries", want.Count)), append(found, fmt.Sprintf("%d entries", entries))
	}
	differ := expected.Count != entries
	if want.Sum != "" {
		if len(source.Totals) != 1 {
			return &tabular.FileError{File: source.Name, Reason: "an expected sum needs a file of one currency; this one has several, so split it"}
		}
		total := source.Totals[0]
		sum, err := ledger.ParseDecimal(want.Sum, total.Currency.Exponent())
		if err != nil {
			return &tabular.FileError{File: source.Name, Reason: fmt.Sprintf("expected sum: %v", err)}
		}
		expected.Currency, expected.Minor = total.Currency, sum
		differ = differ || sum != total.Minor
		wanted, found = append(wanted, ledger.FormatMoney(sum, total.Currency)), append(found, ledger.FormatMoney(total.Minor, total.Currency))
	}
	source.Expected = []ledger.ControlTotal{expected}
	if !differ {
		source.Proof.Detail += "; the totals given from outside agree"
		return nil
	}
	detail := fmt.Sprintf("expected %s; the file has %s", strings.Join(wanted, ", "), strings.Join(found, ", "))
	if source.Proof.State == ledger.ProofFailed {
		detail = source.Proof.Detail + "; " + detail
	}
	source.Proof = ledger.Proof{State: ledger.ProofFailed, Detail: detail}
	return nil
}
