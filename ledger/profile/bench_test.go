package profile_test

import (
	"fmt"
	"strings"
	"testing"

	"agentrecon/ledger"
	"agentrecon/ledger/profile"
)

// BenchmarkRead reads a bank's CSV, twice as every table is whose profile leaves decisions to the file, and a
// provider's, once.
func BenchmarkRead(b *testing.B) {
	const rows = 50_000
	var bank, provider strings.Builder
	bank.WriteString("Buchungstag;Wertstellung;Empfänger;Verwendungszweck;Betrag;Währung\n")
	provider.WriteString("balance_transaction_id,created_utc,available_on_utc,currency,gross,fee,net,reporting_category,source_id,description\n")
	for i := range rows {
		fmt.Fprintf(&bank, "%02d.01.2025;31.01.2025;Globex GmbH;Rechnung %d;-1.234,%02d;EUR\n", i%28+1, i, i%100)
		fmt.Fprintf(&provider, "txn_%d,2025-01-30 23:30:00,2025-02-03 00:00:00,eur,100.00,1.75,98.25,charge,ch_%d,Order %d\n", i, i, i)
	}
	for name, text := range map[string]string{"bank": bank.String(), "provider": provider.String()} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				source, err := profile.Read("f", strings.NewReader(text), ledger.ReadOptions{}, func(*ledger.Entry) error { return nil })
				if err != nil || source.Rows != rows {
					b.Fatal(source.Rows, err)
				}
			}
			b.ReportMetric(rows*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
		})
	}
}
