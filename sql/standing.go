package sql

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"agentrecon/ledger"
	"agentrecon/recon"
)

// standingJSON is what the next run may carry on from, as it is stored beside the totals.
type standingJSON struct {
	RecordingSince time.Time    `json:"recording_since"`
	RecordingUntil time.Time    `json:"recording_until"`
	DegradedIDs    int64        `json:"degraded_ids"`
	OutOfScope     []reasonJSON `json:"out_of_scope"`
	Controls       controlsJSON `json:"controls"`
	Bridge         []bridgeJSON `json:"bridge"`
	Listed         listedJSON   `json:"listed"`
}

type reasonJSON struct {
	Reason string `json:"reason"`
	tallyJSON
}

type controlsJSON struct {
	Attempts     []totalJSON   `json:"attempts"`
	Accounts     []accountJSON `json:"accounts"`
	Outcomes     int64         `json:"outcomes"`
	Deliveries   int64         `json:"deliveries"`
	DeliveriesOf []totalJSON   `json:"deliveries_of"`
}

type accountJSON struct {
	Account     string          `json:"account"`
	Currency    ledger.Currency `json:"currency"`
	Count       int64           `json:"count"`
	Minor       int64           `json:"minor"`
	Booked      int64           `json:"booked"`
	BookedMinor int64           `json:"booked_minor"`
}

type bridgeJSON struct {
	Currency ledger.Currency  `json:"currency"`
	Lines    []bridgeLineJSON `json:"lines"` // those that are not nil
}

type bridgeLineJSON struct {
	Line  string `json:"line"`
	Count int64  `json:"count"`
	Minor int64  `json:"minor"`
}

// listedJSON is the sum of what is listed.
type listedJSON struct {
	Count int64  `json:"count"`
	Sum   string `json:"sum"`
}

func encodeStanding(result *recon.Result, listed contentSum) ([]byte, error) {
	stored := standingJSON{
		RecordingSince: result.RecordingSince.UTC(), RecordingUntil: result.RecordingUntil.UTC(), DegradedIDs: result.WholeTotals.DegradedIDs, OutOfScope: []reasonJSON{}, Bridge: []bridgeJSON{},
		Controls: controlsJSON{
			Attempts: sumsJSON(result.WholeControls.Attempts), DeliveriesOf: sumsJSON(result.WholeControls.DeliveriesOf), Accounts: []accountJSON{},
			Outcomes: result.WholeControls.Outcomes, Deliveries: result.WholeControls.Deliveries,
		},
		Listed: listedJSON{listed.count, listed.String()},
	}
	for _, r := range result.WholeTotals.OutOfScope {
		stored.OutOfScope = append(stored.OutOfScope, reasonJSON{r.Reason, tallyOf(r.Tally)})
	}
	for _, a := range result.WholeControls.Accounts {
		stored.Controls.Accounts = append(stored.Controls.Accounts, accountJSON{a.AccountID, a.Currency, a.Count, a.Minor, a.Booked, a.BookedMinor})
	}
	for _, b := range result.WholeBridge {
		bridge := bridgeJSON{Currency: b.Currency}
		for _, line := range b.Lines {
			if line.Count != 0 || line.Minor != 0 {
				bridge.Lines = append(bridge.Lines, bridgeLineJSON{line.ID, line.Count, line.Minor})
			}
		}
		stored.Bridge = append(stored.Bridge, bridge)
	}
	return json.Marshal(stored)
}

func sumsJSON(sums recon.Sums) []totalJSON {
	stored := []totalJSON{}
	for _, s := range sums {
		stored = append(stored, totalJSON(s))
	}
	return stored
}

func sumsOf(stored []totalJSON) recon.Sums {
	var sums recon.Sums
	for _, s := range stored {
		sums = append(sums, recon.CurrencySum(s))
	}
	return sums
}

func decodeStanding(raw []byte) (standingJSON, error) {
	var stored standingJSON
	if err := json.Unmarshal(raw, &stored); err != nil {
		return stored, fmt.Errorf("stored standing: %w", err)
	}
	return stored, nil
}

// standing is what the run left to carry on from.
func (s *standingJSON) standing(run *runRow) (recon.Standing, error) {
	standing := recon.Standing{
		AsOf: run.AsOf, RecordingSince: s.RecordingSince.UTC(), RecordingUntil: s.RecordingUntil.UTC(),
		Controls: recon.Controls{
			Attempts: sumsOf(s.Controls.Attempts), DeliveriesOf: sumsOf(s.Controls.DeliveriesOf), Outcomes: s.Controls.Outcomes, Deliveries: s.Controls.Deliveries,
		},
	}
	for _, a := range s.Controls.Accounts {
		standing.Controls.Accounts = append(standing.Controls.Accounts, recon.AccountSums{
			AccountID: a.Account, Currency: a.Currency, Count: a.Count, Minor: a.Minor, Booked: a.Booked, BookedMinor: a.BookedMinor,
		})
	}
	standing.Controls.Entries, standing.Controls.Booked = recon.SumAccounts(standing.Controls.Accounts)
	for _, b := range s.Bridge {
		bridge := recon.BridgeCurrency{Currency: b.Currency}
		for _, line := range b.Lines {
			bridge.Lines = append(bridge.Lines, recon.BridgeLine{ID: line.Line, Count: line.Count, Minor: line.Minor})
		}
		standing.Bridge = append(standing.Bridge, bridge)
	}
	var err error
	if standing.Policy, err = decodePolicy(run.policy); err != nil {
		return standing, err
	}
	var totals runTotalsJSON
	if err := json.Unmarshal(run.totals, &totals); err != nil {
		return standing, fmt.Errorf("stored totals: %w", err)
	}
	standing.Totals = recon.Totals{
		Attempts: totals.Attempts.totals(), Entries: totals.Entries.totals(), Booked: totals.Booked.tally(), Outcomes: totals.Outcomes.totals(),
		Deliveries: totals.Deliveries, UnknownMarked: totals.UnknownMarked, NewlyMarked: totals.NewlyMarked, DegradedIDs: s.DegradedIDs,
	}
	for n, c := range totals.LinksByTier {
		standing.Totals.LinksByTier[n+1] = c.Count
	}
	for _, c := range totals.Causes {
		standing.Totals.Causes = append(standing.Totals.Causes, recon.CauseCount{Cause: recon.Cause(c.Name), Count: c.Count})
	}
	for _, r := range s.OutOfScope {
		standing.Totals.OutOfScope = append(standing.Totals.OutOfScope, recon.ReasonTally{Reason: r.Reason, Tally: r.tally()})
	}
	return standing, nil
}

func (t tallyJSON) tally() recon.Tally { return recon.Tally{Count: t.Count, Minor: sumsOf(t.Sums)} }

func (p populationJSON) totals() recon.PopulationTotals {
	totals := recon.PopulationTotals{Tally: p.tally()}
	for _, c := range p.Classes {
		totals.Classes = append(totals.Classes, recon.ClassTally{Class: c.Class, Tally: c.tally()})
	}
	return totals
}

// contentSum is the sum of the digests of what is listed, 2048 bits wide. It does not depend on an order, and is carried
// from run to run by what came and went, so that a night need not read everything that is listed. What the chain of runs
// rests on is another digest: that of each event.
type contentSum struct {
	count int64
	lanes [sumLanes]uint64
}

const sumLanes = 32

// newContentSum sums findings up.
func newContentSum(rows []findingRow) contentSum {
	var s contentSum
	for n := range rows {
		s.add(rows[n].content, 1)
	}
	return s
}

// carried is the sum less what was listed of some items, plus what is.
func (s contentSum) carried(before, now []findingRow) contentSum {
	for n := range before {
		s.add(before[n].content, -1)
	}
	for n := range now {
		s.add(now[n].content, 1)
	}
	return s
}

// add counts a content in (1) or out (-1).
func (s *contentSum) add(content string, sign int64) {
	s.count += sign
	block := append([]byte{0}, content...)
	for lane := 0; lane < sumLanes; {
		sum := sha256.Sum256(block)
		for at := 0; at < len(sum); at += 8 {
			s.lanes[lane] += uint64(sign) * binary.BigEndian.Uint64(sum[at:])
			lane++
		}
		block[0]++
	}
}

// String is the sum in hexadecimal.
func (s contentSum) String() string {
	var raw []byte
	for _, lane := range s.lanes {
		raw = binary.BigEndian.AppendUint64(raw, lane)
	}
	return hex.EncodeToString(raw)
}

// sum is the stored sum.
func (l listedJSON) sum() (contentSum, error) {
	s := contentSum{count: l.Count}
	raw, err := hex.DecodeString(l.Sum)
	if err != nil || len(raw) != 8*sumLanes {
		return s, fmt.Errorf("stored standing: the sum of what is listed cannot be read")
	}
	for n := range s.lanes {
		s.lanes[n] = binary.BigEndian.Uint64(raw[8*n:])
	}
	return s, nil
}
