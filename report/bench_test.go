package report_test

import (
	"io"
	"testing"

	"agentrecon/report"
	"agentrecon/report/reporttest"
)

func BenchmarkWrite(b *testing.B) {
	for _, size := range []int{1, 10_000} {
		r := reporttest.Sample()
		for i := range size - 1 {
			r.Attempts = append(r.Attempts, r.Attempts[i%40])
		}
		b.Run("", func(b *testing.B) {
			for b.Loop() {
				if _, err := report.Write(b.Context(), io.Discard, r, report.Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
