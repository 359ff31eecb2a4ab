package report_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"agentrecon/ledger"
	"agentrecon/recon"
	"agentrecon/report"
	"agentrecon/report/reporttest"
)

// TestSentencesReadAloud holds what the Cover and the nightly message say in every state to words that a person could say.
func TestSentencesReadAloud(t *testing.T) {
	first := func(r *recon.Report, class recon.Class) *recon.AttemptFinding {
		for i := range r.Attempts {
			if r.Attempts[i].Class == class {
				return &r.Attempts[i]
			}
		}
		t.Fatalf("no attempt is %s", class)
		return nil
	}
	var b strings.Builder
	for _, test := range []struct {
		name string
		make func() *recon.Report
	}{
		{"a quiet period", reporttest.Nil},
		{"the quarter", reporttest.Quarter},
		{"every class", reporttest.Sample},
		{"five currencies", reporttest.Currencies},
		{"coverage inferred", func() *recon.Report {
			r := reporttest.Quarter()
			for i := range r.Coverage {
				r.Coverage[i].Inferred = true
			}
			return r
		}},
		{"no statement says what it covers", func() *recon.Report {
			r := reporttest.Quarter()
			r.Coverage = nil
			return r
		}},
		{"a gap of days", func() *recon.Report {
			r := reporttest.Quarter()
			r.Coverage[0].To = r.Period.From.AddDays(40)
			return r
		}},
		{"an attempt not covered, and no gap", func() *recon.Report {
			r := reporttest.Quarter()
			first(r, recon.UnknownNotSettled).Evidence.Settlement = recon.NotCovered
			return r
		}},
		{"a proof accepted", func() *recon.Report {
			r := reporttest.Quarter()
			r.Sources[len(r.Sources)-1].Proof = ledger.Proof{State: ledger.ProofFailed, Detail: "closing balance off by 1.00"}
			return r
		}},
		{"a check that differs", func() *recon.Report {
			r := reporttest.Quarter()
			r.Checks[0].Left++
			return r
		}},
		{"a run not recorded", func() *recon.Report {
			r := reporttest.Quarter()
			r.Run.ID, r.Run.Digest, r.Run.EvidenceDigest, r.Baselines = 0, "", "", nil
			return r
		}},
		{"over files", func() *recon.Report {
			r := reporttest.Quarter()
			r.FilesOnly, r.Baselines = true, nil
			return r
		}},
		{"hours without an attempt, and a spool", func() *recon.Report {
			r := reporttest.Quarter()
			at := r.Period.Start()
			r.Recording = recon.Recording{
				Last: at.Add(2000 * time.Hour), Hosts: 2, Firings: 8412, Late: 12, Longest: 200 * time.Minute, Lost: 1,
				Harnesses: []recon.HarnessCount{{Harness: "", Attempts: 9}, {Harness: "claude-code", Attempts: 8000}, {Harness: "codex/0.42", Attempts: 100}},
				Quiet: []recon.QuietSpell{
					{From: at.Add(1000 * time.Hour), To: at.Add(1005 * time.Hour), Usual: 61},
					{From: at.Add(1200 * time.Hour), To: at.Add(1205 * time.Hour), Usual: 40},
					{From: at.Add(1300 * time.Hour), To: at.Add(1305 * time.Hour), Usual: 22},
					{From: at.Add(1400 * time.Hour), To: at.Add(1405 * time.Hour), Usual: 23},
				},
			}
			return r
		}},
	} {
		r := test.make()
		workbook, sum := write(t, r, report.Options{})
		fmt.Fprintf(&b, "== %s\n%s\n", test.name, sum.Sentence)
		f := open(t, workbook)
		rows, err := f.GetRows("Cover")
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range rows {
			if len(row) > 1 {
				switch row[0] {
				case "Because", "Run", "Coverage of attempts", "Quiet hours (inferred)", "Recorders", "Coverage of ledger":
					fmt.Fprintf(&b, "%s: %s\n", row[0], row[1])
				}
			} else if len(row) == 1 && strings.HasPrefix(row[0], "Sign-off") {
				fmt.Fprintln(&b, row[0])
			}
		}
		fmt.Fprintf(&b, "-- message\n%s\n", report.Message(r, sum, ""))
	}
	golden(t, "sentences.txt", b.String())
}
