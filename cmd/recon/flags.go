package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"agentrecon/ledger"
	"agentrecon/recon"
)

// Names of flags; the keys of the configuration file are the same with underscores.
const (
	flagDatabaseURL = "database-url"
	flagStateDir    = "state-dir"
	flagConfig      = "config"
	flagJSON        = "json"
	flagLogFormat   = "log-format"
	flagLogLevel    = "log-level"
	flagNoProgress  = "no-progress"
	flagTimezone    = "timezone"
	flagEntity      = "entity"
	flagMaxMemory   = "max-memory"

	flagStaleAfter       = "stale-after"
	flagSettlementWindow = "settlement-window"
	flagClockSkew        = "clock-skew"
	flagReaskWindow      = "reask-window"
	flagHolidays         = "holidays"
	flagTolerance        = "tolerance"
	flagFeeRule          = "fee-rule"
	flagReferenceCut     = "reference-cut"
	flagCurrency         = "currency"
	flagAccount          = "account"
	flagScopeRules       = "scope-rules"

	flagAsOf     = "as-of"
	flagQuarter  = "quarter"
	flagMonth    = "month"
	flagFrom     = "from"
	flagTo       = "to"
	flagOut      = "out"
	flagReport   = "report"
	flagItems    = "items"
	flagExitCode = "exit-code"
	flagCovers   = "covers"
	flagPaper    = "paper"
)

func globalFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{
			Name: flagDatabaseURL, EnvVars: []string{"DATABASE_URL"}, DefaultText: "the private PostgreSQL",
			Usage: "PostgreSQL to use; PG* variables work too",
		},
		&cli.StringFlag{Name: flagStateDir, EnvVars: []string{"RECON_STATE_DIR"}, DefaultText: "per user", Usage: "folder of the private PostgreSQL"},
		&cli.StringFlag{Name: flagConfig, EnvVars: []string{"RECON_CONFIG"}, DefaultText: "none", Usage: "configuration file (TOML); every flag has a key"},
		&cli.BoolFlag{Name: flagJSON, Usage: "print one JSON object for machines"},
		&cli.StringFlag{Name: flagLogFormat, Value: "text", Usage: "text or json"},
		&cli.StringFlag{Name: flagLogLevel, Value: "warn", Usage: "debug, info, warn or error"},
		&cli.BoolFlag{Name: flagNoProgress, Usage: "show no progress, even on a terminal"},
		&cli.StringFlag{Name: flagTimezone, Value: "UTC", Usage: "zone of the accounts: days, periods and windows are read in it"},
		&cli.StringFlag{Name: flagMaxMemory, DefaultText: "half of the machine's", Usage: "memory that judging may take, such as 4GiB; what needs more is refused before it is read"},
		&cli.StringFlag{Name: flagEntity, DefaultText: "none", Usage: "whose books these are; recorded with the run, so that later reports of it say the same"},
	}
}

func policyFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: flagStaleAfter, Value: "24h", Usage: "how long an outcome may take"},
		&cli.StringFlag{Name: flagSettlementWindow, Value: "5d", Usage: "days in which an entry may be booked: 5d, or business days such as 5bd"},
		&cli.StringFlag{Name: flagHolidays, DefaultText: "none", Usage: "file of days that are no business days: a date a line, # for comments"},
		&cli.StringFlag{Name: flagClockSkew, Value: "10m", Usage: "how far clocks may differ"},
		&cli.StringFlag{Name: flagReaskWindow, Value: "15m", Usage: "a like attempt this soon is a suspected re-ask"},
		&cli.StringFlag{Name: flagTolerance, Value: "0", Usage: "permitted difference: minor units or a percentage; by currency such as 0,JPY=1,USD=0.5%"},
		&cli.StringFlag{Name: flagFeeRule, DefaultText: "none", Usage: "most that a provider takes on top where the ledger gives no gross amount, such as EUR=25+1.5%,USD=30"},
		&cli.IntSliceFlag{Name: flagReferenceCut, DefaultText: "none", Usage: "length at which the bank cuts references, such as 16, 27 or 35 (repeatable)"},
		&cli.StringFlag{Name: flagCurrency, Value: "EUR", Usage: "currency of rows that give none"},
		&cli.StringSliceFlag{Name: flagAccount, DefaultText: "all", Usage: "own account in scope (repeatable)"},
		&cli.StringFlag{Name: flagScopeRules, DefaultText: "none", Usage: "file of rules for what is out of scope"},
	}
}

func periodFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: flagQuarter, DefaultText: "none", Usage: "period of the report, such as 2025Q1"},
		&cli.StringFlag{Name: flagMonth, DefaultText: "none", Usage: "period of the report, such as 2025-02"},
		&cli.StringFlag{Name: flagFrom, DefaultText: "none", Usage: "first day of the period"},
		&cli.StringFlag{Name: flagTo, DefaultText: "none", Usage: "day after the last of the period"},
	}
}

func exitCodeFlag() cli.Flag {
	return &cli.BoolFlag{Name: flagExitCode, Usage: "exit with 1 if there are findings"}
}

func paperFlag() cli.Flag {
	return &cli.StringFlag{Name: flagPaper, Value: "A4", Usage: "paper of the workbook: A4 or Letter"}
}

// zoneOf reads the zone of the accounts.
func zoneOf(c *cli.Context) (*time.Location, error) {
	name := c.String(flagTimezone)
	zone, err := time.LoadLocation(name)
	if err != nil || name == "" || name == "Local" {
		return nil, usagef("--%s %q: not a zone of the IANA database, such as UTC or Europe/Berlin", flagTimezone, name)
	}
	return zone, nil
}

// policyOf reads the policy from the flags.
func policyOf(c *cli.Context) (recon.Policy, error) {
	policy := recon.DefaultPolicy()
	var err error
	if policy.Zone, err = zoneOf(c); err != nil {
		return policy, err
	}
	for _, d := range []struct {
		flag string
		to   *time.Duration
	}{
		{flagStaleAfter, &policy.StaleAfter},
		{flagClockSkew, &policy.ClockSkew},
		{flagReaskWindow, &policy.ReaskWindow},
	} {
		if *d.to, err = parseDuration(d.flag, c.String(d.flag)); err != nil {
			return policy, err
		}
	}
	if err := windowOf(c, &policy); err != nil {
		return policy, err
	}
	if policy.Tolerance, policy.Tolerances, err = recon.ParseTolerances(c.String(flagTolerance)); err != nil {
		return policy, configError{"--" + err.Error()}
	}
	if policy.FeeRules, err = recon.ParseFeeRules(c.String(flagFeeRule)); err != nil {
		return policy, configError{"--" + flagFeeRule + ": " + err.Error()}
	}
	policy.ReferenceCuts = sortedDistinct(c.IntSlice(flagReferenceCut))
	if policy.Currency, err = ledger.ParseCurrency(c.String(flagCurrency)); err != nil {
		return policy, configError{fmt.Sprintf("--%s: %v", flagCurrency, err)}
	}
	policy.Accounts = sortedDistinct(c.StringSlice(flagAccount))
	if path := c.String(flagScopeRules); path != "" {
		if policy.Scope, err = readScopeRules(path); err != nil {
			return policy, err
		}
	}
	if err := policy.Validate(); err != nil {
		return policy, configError{err.Error()}
	}
	return policy, nil
}

// windowOf reads the settlement window: whole days such as 5d, or business days such as 5bd, and their holidays.
func windowOf(c *cli.Context, policy *recon.Policy) error {
	text := c.String(flagSettlementWindow)
	days, business := strings.CutSuffix(text, "bd")
	if business {
		days += "d"
	}
	window, err := parseDuration(flagSettlementWindow, days)
	if err != nil || window%(24*time.Hour) != 0 {
		return configError{fmt.Sprintf("--%s %q: expected whole days such as 5d, or business days such as 5bd", flagSettlementWindow, text)}
	}
	policy.SettlementWindowDays, policy.BusinessDays = int(window/(24*time.Hour)), business
	if path := c.String(flagHolidays); path != "" {
		policy.Holidays, err = readHolidays(path)
	}
	return err
}

// parseDuration reads 90s, 10m, 24h or 5d.
func parseDuration(flag, s string) (time.Duration, error) {
	if days, ok := strings.CutSuffix(s, "d"); ok {
		if n, err := strconv.Atoi(days); err == nil && n >= 0 && n <= 3660 {
			return time.Duration(n) * 24 * time.Hour, nil
		}
	}
	d, err := time.ParseDuration(s)
	if err != nil || d < 0 {
		return 0, configError{fmt.Sprintf("--%s %q: expected a duration such as 10m, 24h or 5d", flag, s)}
	}
	return d, nil
}

// periodOf reads the period of the report; none is everything.
func periodOf(c *cli.Context, zone *time.Location) (ledger.Period, error) {
	quarter, month, from, to := c.String(flagQuarter), c.String(flagMonth), c.String(flagFrom), c.String(flagTo)
	given := 0
	for _, set := range []bool{quarter != "", month != "", from != "" || to != ""} {
		if set {
			given++
		}
	}
	switch {
	case given == 0:
		return ledger.Period{}, nil
	case given > 1:
		return ledger.Period{}, usagef("give one of --quarter, --month, or --from with --to")
	case quarter != "":
		var year, q int
		if n, err := fmt.Sscanf(quarter, "%4dQ%1d", &year, &q); err != nil || n != 2 || q < 1 || q > 4 || len(quarter) != len("2025Q1") {
			return ledger.Period{}, usagef("--quarter %q: expected a quarter such as 2025Q1", quarter)
		}
		return ledger.Quarter(year, q, zone), nil
	case month != "":
		t, err := time.Parse("2006-01", month)
		if err != nil {
			return ledger.Period{}, usagef("--month %q: expected a month such as 2025-02", month)
		}
		return ledger.Month(t.Year(), t.Month(), zone), nil
	}
	first, errFrom := ledger.ParseDate(from)
	last, errTo := ledger.ParseDate(to)
	switch {
	case from == "" || to == "":
		return ledger.Period{}, usagef("--from and --to go together: give both; --to is the day after the last one")
	case errFrom != nil:
		return ledger.Period{}, usagef("--from: %v", errFrom)
	case errTo != nil:
		return ledger.Period{}, usagef("--to: %v", errTo)
	case last == first:
		return ledger.Period{}, usagef("the period from %s to %s holds no day; --to is the day after the last one", from, to)
	case last < first:
		return ledger.Period{}, usagef("the period ends (%s) before it starts (%s); --to is the day after the last one", to, from)
	}
	return ledger.Period{From: first, To: last, Zone: zone}, nil
}

// asOfOf reads the moment to judge by; the zero time means that none is given.
func asOfOf(c *cli.Context) (time.Time, error) {
	s := c.String(flagAsOf)
	if s == "" {
		return time.Time{}, nil
	}
	t, err := ledger.ParseInstant(s)
	if err != nil {
		return time.Time{}, usagef("--%s: %v", flagAsOf, err)
	}
	return t, nil
}
