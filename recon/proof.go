package recon

import (
	"errors"
	"fmt"

	"agentrecon/ledger"
)

// ErrProof refuses a run whose classes do not sum to the control totals: it would be wrong, and nobody could see where.
var ErrProof = errors.New("the classes do not sum to the control totals")

// tieOut compares what the engine concluded with what the sources say; marked is how many rows carry a mark.
func tieOut(totals Totals, controls Controls, bridge []BridgeCurrency, marked int64) []Check {
	const engine, source = "classes of this run", "counted in the source by a statement of its own"
	checks := []Check{
		sumCheck("Every attempt has exactly one class", int64Sum(controls.Attempts), classSum(totals.Attempts), source, engine, true),
		sumCheck("Every ledger entry has exactly one class", int64Sum(controls.Entries), classSum(totals.Entries), source, engine, true),
		sumCheck("Every outcome has exactly one class", controls.Outcomes, classSum(totals.Outcomes), source, engine, true),
		sumCheck("Every delivery belongs to an attempt", controls.Deliveries, totals.Deliveries, source, engine, true),
		sumCheck("Standing marks are the rows that carry one", totals.UnknownMarked, marked, "marks counted", "rows with a mark", false),
	}
	for _, c := range currencies(controls, bridge) {
		unit := string(c)
		checks = append(
			checks,
			Check{"Attempts by class sum to the amounts attempted", controls.Attempts.Of(c).Minor, classMinor(totals.Attempts, c), source, engine, unit, true},
			Check{"Entries by class sum to the amounts in the ledger", controls.Entries.Of(c).Minor, classMinor(totals.Entries, c), source, engine, unit, true},
		)
		for _, b := range bridge {
			if b.Currency == c {
				checks = append(checks, bridgeChecks(b, controls, totals)...)
			}
		}
	}
	return checks
}

// bridgeChecks prove the bridge of a currency: from deliveries to entries, in count and value.
func bridgeChecks(b BridgeCurrency, controls Controls, totals Totals) []Check {
	const walked, source = "bridge, line by line", "counted in the source by a statement of its own"
	c := b.Currency
	var out CurrencySum
	for _, reason := range totals.OutOfScope {
		sum := reason.Minor.Of(c)
		out.Count += sum.Count
		out.Minor += sum.Minor
	}
	attempts, rows, booked, outside := b.Line(LineAttempts), b.Line(LineRowsRead), b.Line(LineBookedInScope), b.Line(LineBookedOut)
	want := controls.Booked.Of(c)
	return []Check{
		{"Deliveries less repeats are the attempts", controls.Attempts.Of(c).Count, attempts.Count, source, walked, "count " + string(c), true},
		{"The bridge arrives at the booked entries", want.Count, booked.Count + outside.Count, source, walked, "count " + string(c), true},
		{"The bridge arrives at the booked amounts", want.Minor, booked.Minor + outside.Minor, source, walked, string(c), true},
		{"Rows read are booked, not booked and out of scope", controls.Entries.Of(c).Count, rows.Count, source, walked, "count " + string(c), true},
	}
}

// accountChecks prove the bridge of every account, a check a currency: what it arrives at is what the source has of the account.
func accountChecks(bridges []BridgeAccount, controls Controls) []Check {
	if len(bridges) == 0 {
		return nil
	}
	want := map[accountKey]AccountSums{}
	for _, a := range controls.Accounts {
		want[accountKey{a.Currency, a.AccountID}] = a
	}
	var checks []Check
	for _, b := range bridges {
		at := accountKey{b.Currency, b.AccountID}
		rows, booked, outside, source := b.Line(LineRowsRead), b.Line(LineBookedInScope), b.Line(LineBookedOut), want[at]
		delete(want, at)
		if n := len(checks); n == 0 || checks[n-1].Unit != "accounts "+string(b.Currency) {
			checks = append(checks, Check{
				Assertion: "Every account's bridge arrives at its booked entries and rows read", Unit: "accounts " + string(b.Currency),
				LeftFrom: "accounts with attempts or entries", RightFrom: "accounts whose bridge equals the source, counted by a statement of its own", Independent: true,
			})
		}
		check := &checks[len(checks)-1]
		check.Left++
		if rows.Count == source.Count && booked.Count+outside.Count == source.Booked && booked.Minor+outside.Minor == source.BookedMinor {
			check.Right++
		}
	}
	// An account of the source that the bridge lacks is one that does not arrive.
	return append(checks, Check{
		Assertion: "Every account of the ledger has a bridge", Left: int64(len(controls.Accounts)), Right: int64(len(controls.Accounts) - len(want)),
		LeftFrom: "accounts by currency, counted in the source by a statement of its own", RightFrom: "bridges by account", Unit: "accounts", Independent: true,
	})
}

func sumCheck(assertion string, left, right int64, leftFrom, rightFrom string, independent bool) Check {
	return Check{Assertion: assertion, Left: left, Right: right, LeftFrom: leftFrom, RightFrom: rightFrom, Unit: "count", Independent: independent}
}

func int64Sum(sums Sums) int64 {
	var n int64
	for _, s := range sums {
		n += s.Count
	}
	return n
}

func classSum(p PopulationTotals) int64 {
	var n int64
	for _, c := range p.Classes {
		n += c.Count
	}
	return n
}

func classMinor(p PopulationTotals, currency ledger.Currency) int64 {
	var n int64
	for _, c := range p.Classes {
		n += c.Minor.Of(currency).Minor
	}
	return n
}

func markedRows(findings []AttemptFinding, period ledger.Period) int64 {
	var n int64
	for i := range findings {
		if findings[i].Stale && period.HasInstant(findings[i].Attempt.ProposedAt) {
			n++
		}
	}
	return n
}

func currencies(controls Controls, bridge []BridgeCurrency) []ledger.Currency {
	seen := map[ledger.Currency]bool{}
	var all []ledger.Currency
	note := func(c ledger.Currency) {
		if !seen[c] {
			seen[c] = true
			all = append(all, c)
		}
	}
	for _, sums := range []Sums{controls.Attempts, controls.Entries} {
		for _, s := range sums {
			note(s.Currency)
		}
	}
	for _, b := range bridge {
		note(b.Currency)
	}
	return all
}

// proven returns an error that names the first check that differs.
func proven(checks []Check) error {
	for _, c := range checks {
		if !c.OK() {
			return fmt.Errorf("%w: %s (%s): %s %d, %s %d", ErrProof, c.Assertion, c.Unit, c.LeftFrom, c.Left, c.RightFrom, c.Right)
		}
	}
	return nil
}
