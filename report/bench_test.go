package report_test

import (
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"

	"agentrecon/ledger"
	"agentrecon/recon"
	"agentrecon/report"
	"agentrecon/report/reporttest"
)

func BenchmarkWrite(b *testing.B) {
	for _, size := range []int{1, 10_000} {
		r := reporttest.Sample()
		for i := range size - 1 {
			r.Attempts = append(r.Attempts, r.Attempts[i%40])
		}
		b.Run(fmt.Sprintf("%d_attempts_more", size-1), func(b *testing.B) {
			for b.Loop() {
				if _, err := report.Write(b.Context(), io.Discard, r, report.Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// populationRows is the size of the population that is measured.
const populationRows = 200_000

// BenchmarkPopulation measures the agreed attempts of a workbook beside the limit that it is compared with: excelize's
// own stream writer, as it comes, with rows of as many cells of the same kinds.
func BenchmarkPopulation(b *testing.B) {
	r := reporttest.Nil()
	r.Totals.Attempts = recon.PopulationTotals{Tally: recon.Tally{Count: populationRows}, Classes: []recon.ClassTally{{
		Class: recon.Matched, Tally: recon.Tally{Count: populationRows, Minor: recon.Sums{{Currency: "EUR", Count: populationRows, Minor: populationRows * 12_345}}},
	}}}
	agreed := reporttest.Agreed(r)
	b.Run("workbook", func(b *testing.B) {
		temp := b.TempDir()
		for b.Loop() {
			if _, err := report.Write(b.Context(), io.Discard, r, report.Options{Agreed: agreed, TempDir: temp}); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(populationRows)*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
	})
	b.Run("excelize_as_it_comes", func(b *testing.B) {
		for b.Loop() {
			plainStream(b)
		}
		b.ReportMetric(float64(populationRows)*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
	})
}

// plainStream writes the same cells with excelize's stream writer and its own zip.
func plainStream(b *testing.B) {
	b.Helper()
	f := excelize.NewFile()
	defer func() { _ = f.Close() }()
	sw, err := f.NewStreamWriter("Sheet1")
	if err != nil {
		b.Fatal(err)
	}
	date, err := f.NewStyle(&excelize.Style{NumFmt: 22})
	if err != nil {
		b.Fatal(err)
	}
	at := time.Date(2025, 1, 2, 8, 15, 3, 0, time.UTC)
	for n := range populationRows {
		cell, _ := excelize.CoordinatesToCellName(1, n+1)
		day := ledger.DateOf(at, time.UTC).AddDays(n / 1440).Time()
		if err := sw.SetRow(cell, []any{
			n, fmt.Sprintf("toolu_agreed_%08d", n), 123.45, "EUR",
			excelize.Cell{StyleID: date, Value: at.Add(time.Duration(n) * time.Minute)},
			excelize.Cell{StyleID: date, Value: day},
			fmt.Sprintf("entry-agreed-%08d", n), "idempotency_key", "strong", nil, nil, nil, 12_345, n * 12_345,
		}); err != nil {
			b.Fatal(err)
		}
	}
	if err := sw.Flush(); err != nil {
		b.Fatal(err)
	}
	if err := f.Write(io.Discard); err != nil {
		b.Fatal(err)
	}
}
