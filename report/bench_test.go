package report_test

import (
	"context"
	"flag"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"syscall"
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

var populationRows = flag.Int("rows", 200_000, "agreed attempts that BenchmarkPopulation writes")

// Limits that the population is held against: its CPU time as a part of that of excelize's own stream writer, and the
// memory it may take at its peak.
const (
	limitCPU    = 0.6
	limitPeakMB = 100
)

// BenchmarkPopulation measures the agreed attempts of a workbook, 16 columns of three currencies, beside what it is compared
// with in the same run: excelize's stream writer, as it comes, with rows of as many cells of the same kinds.
func BenchmarkPopulation(b *testing.B) {
	rows := int64(*populationRows)
	r := reporttest.Nil()
	matched := recon.ClassTally{Class: recon.Matched, Tally: recon.Tally{Count: rows}}
	for i, c := range []ledger.Currency{"EUR", "JPY", "KWD"} {
		n := rows / 3
		if i == 0 {
			n = rows - 2*(rows/3)
		}
		matched.Minor = append(matched.Minor, recon.CurrencySum{Currency: c, Count: n, Minor: n * 12_345})
	}
	r.Totals.Attempts = recon.PopulationTotals{Tally: matched.Tally, Classes: []recon.ClassTally{matched}}
	agreed := reporttest.Agreed(r)
	var ours, theirs usage
	b.Run("workbook", func(b *testing.B) {
		temp := b.TempDir()
		ours = measure(b, func() {
			if _, err := report.Write(b.Context(), io.Discard, r, report.Options{Agreed: agreed, TempDir: temp}); err != nil {
				b.Fatal(err)
			}
		})
	})
	b.Run("excelize_as_it_comes", func(b *testing.B) {
		theirs = measure(b, func() { plainStream(b, int(rows)) })
	})
	b.Run("side_by_side", func(b *testing.B) {
		b.ReportMetric(0, "ns/op")
		b.ReportMetric(ours.cpu.Seconds()/theirs.cpu.Seconds(), "cpu-ratio")
		b.ReportMetric(limitCPU, "cpu-ratio-limit")
		b.ReportMetric(ours.peakMB, "peak-MB")
		b.ReportMetric(limitPeakMB, "peak-MB-limit")
	})
}

// usage is what one write took.
type usage struct {
	cpu    time.Duration
	peakMB float64
}

// measure runs a write and reports rows a second, CPU seconds and the peak of the memory that the program holds.
func measure(b *testing.B, write func()) (u usage) {
	b.Helper()
	runtime.GC()
	debug.FreeOSMemory()
	ctx, stop := context.WithCancel(b.Context())
	peak := make(chan float64)
	go func() { peak <- watchMemory(ctx) }()
	before := cpuTime(b)
	for b.Loop() {
		write()
	}
	u.cpu = (cpuTime(b) - before) / time.Duration(b.N)
	stop()
	u.peakMB = <-peak
	b.ReportMetric(float64(*populationRows)*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
	b.ReportMetric(u.cpu.Seconds(), "cpu-s")
	b.ReportMetric(u.peakMB, "peak-MB")
	return u
}

// cpuTime is what the program has used so far, user and system.
func cpuTime(b *testing.B) time.Duration {
	b.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// watchMemory returns the most memory that the program held of the system's at any look at it, in MB.
func watchMemory(ctx context.Context) float64 {
	samples := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	most := uint64(0)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		metrics.Read(samples)
		most = max(most, samples[0].Value.Uint64()-samples[1].Value.Uint64())
		select {
		case <-ctx.Done():
			return float64(most) / (1 << 20)
		case <-tick.C:
		}
	}
}

// plainStream writes the same cells with excelize's stream writer and its own zip.
func plainStream(b *testing.B, rows int) {
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
	for n := range rows {
		cell, _ := excelize.CoordinatesToCellName(1, n+1)
		day := ledger.DateOf(at, time.UTC).AddDays(n / 1440).Time()
		if err := sw.SetRow(cell, []any{
			n, fmt.Sprintf("toolu_agreed_%08d", n), 123.45, "EUR",
			excelize.Cell{StyleID: date, Value: at.Add(time.Duration(n) * time.Minute)},
			excelize.Cell{StyleID: date, Value: day},
			fmt.Sprintf("entry-agreed-%08d", n), "idempotency_key", "strong", nil, nil, nil, 12_345, n * 12_345, n, n,
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
