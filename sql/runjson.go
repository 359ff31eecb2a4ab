package sql

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"agentrecon/ledger"
	"agentrecon/recon"
)

// policyJSON is a policy as it is stored. The stored text says everything a run was decided by; durations, tolerances and
// fees are written as people write them. What came after the first release is left out where a policy has none of it, so
// that the digests of earlier runs stay what they are.
type policyJSON struct {
	StaleAfter           string          `json:"stale_after"`
	SettlementWindowDays int             `json:"settlement_window_days"`
	ClockSkew            string          `json:"clock_skew"`
	ReaskWindow          string          `json:"reask_window"`
	Tolerance            string          `json:"tolerance"`
	Currency             ledger.Currency `json:"currency"`
	Accounts             []string        `json:"accounts"`
	Scope                []scopeJSON     `json:"scope"`
	SystemicThreshold    int             `json:"systemic_threshold"`
	Zone                 string          `json:"zone"`
	BusinessDays         bool            `json:"business_days,omitempty"`
	Holidays             []string        `json:"holidays,omitempty"`
	Tolerances           []string        `json:"tolerances,omitempty"`
	FeeRules             []string        `json:"fee_rules,omitempty"`
	ReferenceCuts        []int           `json:"reference_cuts,omitempty"`
}

type scopeJSON struct {
	Name         string        `json:"name"`
	Kinds        []ledger.Kind `json:"kinds"`
	Account      string        `json:"account"`
	Counterparty string        `json:"counterparty"`
	Text         string        `json:"text"`
}

func encodePolicy(p recon.Policy) ([]byte, error) {
	zone := "UTC"
	if p.Zone != nil {
		zone = p.Zone.String()
	}
	stored := policyJSON{
		StaleAfter: p.StaleAfter.String(), SettlementWindowDays: p.SettlementWindowDays, ClockSkew: p.ClockSkew.String(),
		ReaskWindow: p.ReaskWindow.String(), Tolerance: p.Tolerance.String(), Currency: p.Currency,
		Accounts: append([]string{}, p.Accounts...), Scope: []scopeJSON{}, SystemicThreshold: p.SystemicThreshold, Zone: zone,
		BusinessDays: p.BusinessDays, Holidays: texts(p.Holidays), Tolerances: texts(p.Tolerances), FeeRules: texts(p.FeeRules),
		ReferenceCuts: p.ReferenceCuts,
	}
	for _, rule := range p.Scope {
		rule.Kinds = append([]ledger.Kind{}, rule.Kinds...)
		stored.Scope = append(stored.Scope, scopeJSON(rule))
	}
	return json.Marshal(stored)
}

// texts prints values, one by one.
func texts[T fmt.Stringer](values []T) []string {
	var all []string
	for _, v := range values {
		all = append(all, v.String())
	}
	return all
}

func decodePolicy(raw []byte) (recon.Policy, error) {
	var stored policyJSON
	if err := json.Unmarshal(raw, &stored); err != nil {
		return recon.Policy{}, fmt.Errorf("stored policy: %w", err)
	}
	p := recon.Policy{
		SettlementWindowDays: stored.SettlementWindowDays, Currency: stored.Currency, SystemicThreshold: stored.SystemicThreshold,
		BusinessDays: stored.BusinessDays, ReferenceCuts: stored.ReferenceCuts,
	}
	var err error
	for _, d := range []struct {
		text string
		into *time.Duration
	}{{stored.StaleAfter, &p.StaleAfter}, {stored.ClockSkew, &p.ClockSkew}, {stored.ReaskWindow, &p.ReaskWindow}} {
		if *d.into, err = time.ParseDuration(d.text); err != nil {
			return p, fmt.Errorf("stored policy: %w", err)
		}
	}
	if p.Tolerance, err = recon.ParseTolerance(stored.Tolerance); err != nil {
		return p, fmt.Errorf("stored policy: %w", err)
	}
	if stored.Tolerances != nil {
		if _, p.Tolerances, err = recon.ParseTolerances(strings.Join(stored.Tolerances, ",")); err != nil {
			return p, fmt.Errorf("stored policy: %w", err)
		}
	}
	if p.FeeRules, err = recon.ParseFeeRules(strings.Join(stored.FeeRules, ",")); err != nil {
		return p, fmt.Errorf("stored policy: %w", err)
	}
	for _, text := range stored.Holidays {
		day, err := ledger.ParseDate(text)
		if err != nil {
			return p, fmt.Errorf("stored policy: %w", err)
		}
		p.Holidays = append(p.Holidays, day)
	}
	if p.Zone, err = time.LoadLocation(stored.Zone); err != nil {
		return p, fmt.Errorf("stored policy: %w", err)
	}
	if len(stored.Accounts) > 0 {
		p.Accounts = stored.Accounts
	}
	for _, rule := range stored.Scope {
		if len(rule.Kinds) == 0 {
			rule.Kinds = nil
		}
		p.Scope = append(p.Scope, recon.ScopeRule(rule))
	}
	return p, nil
}

// runTotalsJSON is what a run counted over everything recorded, as it is stored.
type runTotalsJSON struct {
	Attempts      populationJSON `json:"attempts"`
	Entries       populationJSON `json:"entries"`
	Booked        tallyJSON      `json:"booked"`
	Outcomes      populationJSON `json:"outcomes"`
	Deliveries    int64          `json:"deliveries"`
	LinksByTier   []countJSON    `json:"links_by_tier"`
	UnknownMarked int64          `json:"unknown_marked"`
	NewlyMarked   int64          `json:"newly_marked"`
	Causes        []countJSON    `json:"causes"`
	OutOfScope    []countJSON    `json:"out_of_scope"`
}

type populationJSON struct {
	tallyJSON
	Classes []classJSON `json:"classes"`
}

type classJSON struct {
	Class recon.Class `json:"class"`
	tallyJSON
}

type tallyJSON struct {
	Count int64       `json:"count"`
	Sums  []totalJSON `json:"sums"`
}

type countJSON struct {
	Name  string `json:"name"`
	Count int64  `json:"count"`
}

func encodeTotals(t recon.Totals) ([]byte, error) {
	stored := runTotalsJSON{
		Attempts: populationOf(t.Attempts), Entries: populationOf(t.Entries), Booked: tallyOf(t.Booked), Outcomes: populationOf(t.Outcomes),
		Deliveries: t.Deliveries, LinksByTier: []countJSON{}, UnknownMarked: t.UnknownMarked, NewlyMarked: t.NewlyMarked,
		Causes: []countJSON{}, OutOfScope: []countJSON{},
	}
	for tier, n := range t.LinksByTier[1:] {
		stored.LinksByTier = append(stored.LinksByTier, countJSON{recon.TierNames[tier+1], n})
	}
	for _, c := range t.Causes {
		stored.Causes = append(stored.Causes, countJSON{string(c.Cause), c.Count})
	}
	for _, r := range t.OutOfScope {
		stored.OutOfScope = append(stored.OutOfScope, countJSON{r.Reason, r.Count})
	}
	return json.Marshal(stored)
}

func populationOf(p recon.PopulationTotals) populationJSON {
	stored := populationJSON{tallyJSON: tallyOf(p.Tally), Classes: []classJSON{}}
	for _, c := range p.Classes {
		stored.Classes = append(stored.Classes, classJSON{c.Class, tallyOf(c.Tally)})
	}
	return stored
}

func tallyOf(t recon.Tally) tallyJSON {
	stored := tallyJSON{Count: t.Count, Sums: []totalJSON{}}
	for _, s := range t.Minor {
		stored.Sums = append(stored.Sums, totalJSON{Currency: s.Currency, Count: s.Count, Minor: s.Minor})
	}
	return stored
}

// flagJSON and differenceJSON are flags and differences as they are stored.
type flagJSON struct {
	Name recon.FlagName `json:"name"`
	Of   string         `json:"of,omitempty"`
}

type differenceJSON struct {
	Field   string `json:"field"`
	Attempt string `json:"attempt"`
	Ledger  string `json:"ledger"`
	Delta   int64  `json:"delta,omitempty"`
}
