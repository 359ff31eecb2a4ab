package recon

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
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
	maxHolidays              = 5_000 // some centuries of them
	maxReferenceCut          = 140   // the length of a remittance line of SEPA; what is longer is text, no reference
	// dualEventWindow is how close two deliveries of one call under two event names come.
	dualEventWindow = 10 * time.Second
)

// Policy is what a run decides by. The same books under the same policy give the same result.
type Policy struct {
	StaleAfter           time.Duration // how long an outcome may take before its absence is a finding
	SettlementWindowDays int           // days after the attempt's day in which an entry may be booked
	BusinessDays         bool          // those days are business days: neither Saturdays, Sundays nor Holidays
	Holidays             []ledger.Date // of the accounts' bank, ascending; only with BusinessDays
	ClockSkew            time.Duration // how far the ledger's clock may be behind the recorder's
	ReaskWindow          time.Duration // a like attempt this soon after another is a suspected re-ask
	Tolerance            Tolerance
	Tolerances           []CurrencyTolerance // of currencies that have one of their own, by currency
	FeeRules             []FeeRule           // fees on top that a ledger without gross amounts may hold, by currency
	ReferenceCuts        []int               // lengths in characters at which the bank cuts references, ascending
	Currency             ledger.Currency     // of attempts recorded without one
	Accounts             []string            // own accounts in scope, sorted; empty = every account of the ledger
	Scope                []ScopeRule         // first rule that fits excludes; after the built-in ones
	SystemicThreshold    int                 // unknowns of one session, host or version of a harness that count as one outage
	Zone                 *time.Location      // accounts' zone: days and windows are read in it
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
	case len(p.Holidays) > 0 && !p.BusinessDays:
		return errors.New("holidays: they count only in a settlement_window of business days, such as 5bd")
	case len(p.Holidays) > maxHolidays || !ascending(p.Holidays):
		return fmt.Errorf("holidays: must be ascending, each day once, at most %d", maxHolidays)
	case !ascending(p.ReferenceCuts):
		return errors.New("reference_cut: must be ascending, each length once")
	}
	for _, cut := range p.ReferenceCuts {
		if cut < cutPrefix || cut > maxReferenceCut {
			return fmt.Errorf("reference_cut: must be %d to %d characters, such as 16, 27 or 35", cutPrefix, maxReferenceCut)
		}
	}
	return p.validateAllowances()
}

func ascending[T cmp.Ordered](values []T) bool {
	for n := 1; n < len(values); n++ {
		if values[n-1] >= values[n] {
			return false
		}
	}
	return true
}

// likeWindow is how far apart two like attempts may be for the later to name the earlier, as one asked again or as one call
// that two hooks fired for.
func (p Policy) likeWindow() time.Duration { return max(p.ReaskWindow, dualEventWindow) }

// windowStart is the first instant at which an entry of an attempt may lie.
func (p Policy) windowStart(proposed time.Time) time.Time { return proposed.Add(-p.ClockSkew) }

// windowEnd is the first instant after the window: the end of its last day.
func (p Policy) windowEnd(proposed time.Time) time.Time {
	return p.WindowAfter(ledger.DateOf(proposed, p.Zone)).Start(p.Zone)
}

// WindowAfter is the first day after the settlement window of an attempt that was proposed on a day.
func (p Policy) WindowAfter(day ledger.Date) ledger.Date {
	if !p.BusinessDays {
		return day.AddDays(p.SettlementWindowDays + 1)
	}
	for left := p.SettlementWindowDays; left > 0; {
		if day = day.AddDays(1); p.businessDay(day) {
			left--
		}
	}
	return day.AddDays(1)
}

// businessDay reports whether banks book on a day.
func (p Policy) businessDay(day ledger.Date) bool {
	if weekday := day.Weekday(); weekday == time.Saturday || weekday == time.Sunday {
		return false
	}
	_, holiday := slices.BinarySearch(p.Holidays, day)
	return !holiday
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
