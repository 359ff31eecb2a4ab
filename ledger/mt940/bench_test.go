package mt940_test

import (
	"bytes"
	"fmt"
	"testing"

	"agentrecon/ledger"
	"agentrecon/ledger/mt940"
)

const benchEntries = 20_000

// benchFile is a month of daily statements in the German dialect.
func benchFile() []byte {
	const days = 20
	var b bytes.Buffer
	for day := range days {
		fmt.Fprintf(&b, ":20:STARTUMS\n:25:37040044/532013000\n:28C:%05d/001\n:60F:C2501%02dEUR0,00\n", day+1, day+1)
		for i := range benchEntries / days {
			fmt.Fprintf(&b, ":61:2501%02d01%02dD%d,%02dNTRFNONREF//B%010d\n", day+2, day+2, i%5000+1, i%100, i)
			fmt.Fprintf(&b, ":86:166?00UEBERWEISUNG?10931?20EREF+toolu_01%019d?21SVWZ+Invoice\n%d of January?30COBADEFFXXX?31DE29200411111234567890?32Supplier %d GmbH\n", i, i, i%200)
		}
		fmt.Fprintf(&b, ":62F:C2501%02dEUR0,00\n-\n", day+2)
	}
	return b.Bytes()
}

func BenchmarkMT940(b *testing.B) {
	file := benchFile()
	b.SetBytes(int64(len(file)))
	b.ReportAllocs()
	for b.Loop() {
		n := 0
		_, err := mt940.Read("ledger.sta", bytes.NewReader(file), ledger.ReadOptions{}, func(*ledger.Entry) error { n++; return nil })
		if err != nil || n != benchEntries {
			b.Fatal(n, err)
		}
	}
	b.ReportMetric(float64(benchEntries)*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
}
