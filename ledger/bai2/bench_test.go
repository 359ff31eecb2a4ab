package bai2_test

import (
	"fmt"
	"strings"
	"testing"

	"agentrecon/ledger"
	"agentrecon/ledger/bai2"
)

func BenchmarkRead(b *testing.B) {
	const entries = 20_000
	var text strings.Builder
	text.WriteString("01,1,2,250131,0900,1,,,2/\n02,2,1,1,250130,2400,EUR,2/\n03,77,,010,0,,/\n")
	for i := range entries {
		fmt.Fprintf(&text, "16,195,%d,Z,B%d,C%d,INCOMING WIRE/\n88,FROM GLOBEX CORP, INVOICE %d/\n", i, i, i, i)
	}
	fmt.Fprintf(&text, "49,,%d/\n98,,1,/\n99,,1,/\n", 2*entries+2)
	b.SetBytes(int64(text.Len()))
	b.ReportAllocs()
	for b.Loop() {
		source, err := bai2.Read("f", strings.NewReader(text.String()), ledger.ReadOptions{}, func(*ledger.Entry) error { return nil })
		if err != nil || source.Rows != entries {
			b.Fatal(source.Rows, err)
		}
	}
	b.ReportMetric(entries*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
}
