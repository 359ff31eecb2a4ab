package recontest

import (
	"bytes"
	"fmt"
	"slices"

	"agentrecon/ledger"
	"agentrecon/ledger/camt"
	"agentrecon/ledger/csvprofile"
	"agentrecon/recon"
	"agentrecon/recon/intake"
)

// ReadFile adds the rows of one file to a world, by the reader that its name asks for: attempts.csv, outcomes.csv,
// sessions.csv, audit.csv (collapsed, deliveries kept), ledger.csv or camt.052.xml, camt.053.xml, camt.054.xml, with the coverage that the file states or that
// is inferred from it.
func (w *World) ReadFile(name string, data []byte, ledgerOptions ledger.ReadOptions) error {
	options := intake.Options{DefaultCurrency: recon.DefaultCurrency, AllowEmpty: true}
	r := bytes.NewReader(data)
	switch name {
	case "attempts.csv":
		_, err := intake.Attempts(name, r, options, func(row *intake.AttemptRow) error {
			w.addFiring(row)
			return nil
		})
		return err
	case "outcomes.csv":
		_, err := intake.Outcomes(name, r, options, func(o recon.Outcome, _ int) error {
			w.Outcomes = append(w.Outcomes, o)
			return nil
		})
		return err
	case "sessions.csv":
		_, err := intake.Sessions(name, r, options, func(e recon.SessionEvent, _ int) error {
			w.Sessions = append(w.Sessions, e)
			return nil
		})
		return err
	case "audit.csv":
		var rows []recon.AuditRow
		_, err := intake.Audit(name, r, options, func(row recon.AuditRow) error {
			rows = append(rows, row)
			return nil
		})
		for _, a := range intake.Collapse(rows, intake.DefaultCollapseWindow) {
			w.Attempts = append(w.Attempts, a.Attempt)
			for _, at := range a.Firings {
				w.Deliveries = append(w.Deliveries, recon.Delivery{AttemptID: a.ID, ReceivedAt: at})
			}
		}
		return err
	case "ledger.csv":
		return w.addLedger(csvprofile.Read(name, r, ledgerOptions, w.keepEntry))
	case "camt.052.xml", "camt.053.xml", "camt.054.xml":
		return w.addLedger(camt.Read(name, r, ledgerOptions, w.keepEntry))
	}
	return fmt.Errorf("%s: no reader for a file of this name", name)
}

func (w *World) keepEntry(e *ledger.Entry) error {
	w.Entries = append(w.Entries, *e)
	return nil
}

func (w *World) addLedger(source ledger.SourceFile, err error) error {
	w.Coverage = append(w.Coverage, source.Coverage...)
	w.Sources = append(w.Sources, source)
	return err
}

// addFiring adds a row of an attempts file: an attempt, or another firing of one, which keeps its earliest time.
func (w *World) addFiring(row *intake.AttemptRow) {
	if !row.Delivery {
		w.Attempts = append(w.Attempts, row.Attempt)
		w.Deliveries = append(w.Deliveries, recon.Delivery{AttemptID: row.ID, ReceivedAt: row.ProposedAt, ArgsSHA256: row.ArgsSHA256})
		return
	}
	n := slices.IndexFunc(w.Attempts, func(a recon.Attempt) bool { return a.ID == row.ID })
	if row.ProposedAt.Before(w.Attempts[n].ProposedAt) {
		w.Attempts[n].ProposedAt = row.ProposedAt
	}
	w.Deliveries = append(w.Deliveries, recon.Delivery{AttemptID: row.ID, ReceivedAt: row.ProposedAt, ArgsSHA256: row.ArgsSHA256})
}
