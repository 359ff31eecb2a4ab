package recon

import (
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"

	"agentrecon/ledger"
)

// Defaults of a policy, each the documented value of its flag.
const (
	DefaultStaleAfter        = 24 * time.Hour
	DefaultSettlementWindow  = 5 // calendar days
	DefaultClockSkew         = 10 * time.Minute
	DefaultReaskWindow       = 15 * time.Minute
	DefaultCurrency          = ledger.Currency("EUR")
	DefaultSystemicThreshold = 20
	DefaultMaxMemory         = int64(4) << 30
	// dualEventWindow is how close two deliveries of one call under two event names come.
	dualEventWindow = 10 * time.Second
)

// Policy is what a run decides by. The same books under the same policy give the same result.
type Policy struct {
	StaleAfter           time.Duration // how long an outcome may take before its absence is a finding
	SettlementWindowDays int           // calendar days after the attempt's day in which an entry may be booked
	ClockSkew            time.Duration // how far the ledger's clock may be behind the recorder's
	ReaskWindow          time.Duration // a like attempt this soon after another is a suspected re-ask
	Tolerance            Tolerance
	Currency             ledger.Currency // of attempts recorded without one
	Accounts             []string        // own accounts in scope, sorted; empty = every account of the ledger
	Scope                []ScopeRule     // first rule that fits excludes; after the built-in ones
	SystemicThreshold    int             // unknowns of one session that count as one outage
	Zone                 *time.Location  // accounts' zone: days and windows are read in it
}

// DefaultPolicy is the policy of a run that is told nothing.
func DefaultPolicy() Policy {
	return Policy{
		StaleAfter: DefaultStaleAfter, SettlementWindowDays: DefaultSettlementWindow, ClockSkew: DefaultClockSkew,
		ReaskWindow: DefaultReaskWindow, Currency: DefaultCurrency, SystemicThreshold: DefaultSystemicThreshold, Zone: time.UTC,
	}
}

// Validate refuses a policy that no run could follow.
func (p Policy) Validate() error {
	switch {
	case p.StaleAfter <= 0:
		return errors.New("stale_after: must be positive, such as 24h")
	case p.SettlementWindowDays < 0 || p.SettlementWindowDays > 366:
		return errors.New("settlement_window: must be 0 to 366 days, such as 5d")
	case p.ClockSkew < 0 || p.ClockSkew > 24*time.Hour:
		return errors.New("clock_skew: must be 0 to 24h, such as 10m")
	case p.ReaskWindow < 0:
		return errors.New("reask_window: must not be negative, such as 15m")
	case p.Zone == nil:
		return errors.New("timezone: none given")
	case p.SystemicThreshold < 1:
		return errors.New("systemic_threshold: must be at least 1")
	}
	return nil
}

// windowStart is the first instant at which an entry of an attempt may lie.
func (p Policy) windowStart(proposed time.Time) time.Time { return proposed.Add(-p.ClockSkew) }

// windowEnd is the first instant after the window: the end of the last calendar day of it.
func (p Policy) windowEnd(proposed time.Time) time.Time {
	return ledger.DateOf(proposed, p.Zone).AddDays(p.SettlementWindowDays).End(p.Zone)
}

// Tolerance is the difference between attempt and ledger that still counts as agreement, and is labelled so:
// a number of minor units, or a share of the attempt's amount.
type Tolerance struct {
	Minor      int64
	PerMillion int64 // parts per million of the attempt's amount
}

// ParseTolerance reads minor units ("5") or a percentage ("0.5%", at most four decimals).
func ParseTolerance(s string) (Tolerance, error) {
	if percent, ok := strings.CutSuffix(s, "%"); ok {
		ppm, err := ledger.ParseDecimal(percent, 4)
		if err != nil || ppm < 0 || ppm > 1_000_000 {
			return Tolerance{}, fmt.Errorf("tolerance %q: expected 0%% to 100%% with at most four decimals, such as 0.5%%", s)
		}
		return Tolerance{PerMillion: ppm}, nil
	}
	minor, err := ledger.ParseMinor(s)
	if err != nil || minor < 0 {
		return Tolerance{}, fmt.Errorf("tolerance %q: expected minor units such as 5, or a percentage such as 0.5%%", s)
	}
	return Tolerance{Minor: minor}, nil
}

// String is the tolerance as it is typed.
func (t Tolerance) String() string {
	if t.PerMillion == 0 {
		return strconv.FormatInt(t.Minor, 10)
	}
	s := ledger.FormatDecimal(t.PerMillion, 4)
	return strings.TrimRight(strings.TrimRight(s, "0"), ".") + "%"
}

// permits reports whether a difference from an attempt's amount is within the tolerance.
func (t Tolerance) permits(difference, attempted int64) bool {
	difference, attempted = abs(difference), abs(attempted)
	if difference <= t.Minor {
		return true
	}
	// The products pass 64 bits for large amounts.
	left := new(big.Int).Mul(big.NewInt(difference), big.NewInt(1_000_000))
	return left.Cmp(new(big.Int).Mul(big.NewInt(attempted), big.NewInt(t.PerMillion))) <= 0
}

func abs(n int64) int64 {
	if n < 0 {
		return -n
	}
	return n
}

// ScopeRule excludes ledger entries from the reconciliation and says why. Every given field must fit.
type ScopeRule struct {
	Name         string        // the reason shown beside each excluded entry
	Kinds        []ledger.Kind // any of these
	Account      string        // own account
	Counterparty string        // counterparty account, compared without blanks and case
	Text         string        // contained in the remittance text, compared folded
}

// outOfScopeKinds is the built-in scope rule: movements that agents do not order one by one.
var outOfScopeKinds = []ledger.Kind{
	ledger.KindFee, ledger.KindFX, ledger.KindPayout, ledger.KindPayoutReturn, ledger.KindTopUp, ledger.KindInterest,
	ledger.KindTax, ledger.KindReserveHold, ledger.KindReserveRelease, ledger.KindBalanceCarry,
}

// Reasons for which an entry is out of scope, beside the names of scope rules and "kind: …".
const (
	ReasonKind            = "kind: "
	ReasonAccount         = "account not in scope"
	ReasonInflow          = "inflow"
	ReasonBeforeRecording = "before_recording"
)

// scopeReason returns why an entry is out of scope by rule, or nothing.
func (p Policy) scopeReason(e *ledger.Entry) string {
	if slices.Contains(outOfScopeKinds, e.Kind) {
		return ReasonKind + string(e.Kind)
	}
	if e.AccountID != "" && !p.inScope(e.AccountID) {
		return ReasonAccount
	}
	for _, rule := range p.Scope {
		if rule.fits(e) {
			return rule.Name
		}
	}
	return ""
}

// inScope tells whether an account is one of those in scope, however it is printed.
func (p Policy) inScope(account string) bool {
	account = foldAccount(account)
	return len(p.Accounts) == 0 || slices.ContainsFunc(p.Accounts, func(own string) bool { return foldAccount(own) == account })
}

func (r ScopeRule) fits(e *ledger.Entry) bool {
	return (len(r.Kinds) == 0 || slices.Contains(r.Kinds, e.Kind)) &&
		(r.Account == "" || foldAccount(r.Account) == foldAccount(e.AccountID)) &&
		(r.Counterparty == "" || foldAccount(r.Counterparty) == foldAccount(e.CounterpartyAccount)) &&
		(r.Text == "" || strings.Contains(foldReference(e.RemittanceText), foldReference(r.Text)))
}
