package ofx_test

import (
	"fmt"
	"strings"
	"testing"

	"agentrecon/ledger"
	"agentrecon/ledger/ofx"
)

func BenchmarkRead(b *testing.B) {
	const entries = 20_000
	var text strings.Builder
	text.WriteString("OFXHEADER:100\nCHARSET:1252\n\n<OFX><STMTRS><CURDEF>EUR<BANKTRANLIST>\n")
	for i := range entries {
		fmt.Fprintf(&text, "<STMTTRN>\n<TRNTYPE>DEBIT\n<DTPOSTED>20250131\n<TRNAMT>-12.%02d\n<FITID>%d\n<NAME>Globex\n<MEMO>Invoice %d\n</STMTTRN>\n", i%100, i, i)
	}
	text.WriteString("</BANKTRANLIST></STMTRS></OFX>\n")
	b.SetBytes(int64(text.Len()))
	b.ReportAllocs()
	for b.Loop() {
		source, err := ofx.Read("f", strings.NewReader(text.String()), ledger.ReadOptions{}, func(*ledger.Entry) error { return nil })
		if err != nil || source.Rows != entries {
			b.Fatal(source.Rows, err)
		}
	}
	b.ReportMetric(entries*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
}
