package jsonprofile_test

import (
	"strings"
	"testing"

	"agentrecon/ledger"
	"agentrecon/ledger/jsonprofile"
)

func BenchmarkRead(b *testing.B) {
	const entries = 5_000
	text := `{"data":[` + strings.TrimSuffix(strings.Repeat(one+",\n", entries), ",\n") + "]}"
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		source, err := jsonprofile.Read("f", strings.NewReader(text), ledger.ReadOptions{}, func(*ledger.Entry) error { return nil })
		if err != nil || source.Rows != entries {
			b.Fatal(source.Rows, err)
		}
	}
	b.ReportMetric(entries*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
}
