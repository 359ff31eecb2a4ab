package csvprofile

import (
	"bytes"
	"fmt"
	"testing"

	"agentrecon/ledger"
)

// benchRows is large enough for maps and buffers to reach their size.
const benchRows = 100_000

// benchFile is a ledger as a provider exports it: ids on most rows, two dates, an instant, a text.
func benchFile(withIDs bool) []byte {
	var b bytes.Buffer
	b.WriteString("entry_id,provider_id,account_id,booked_on,value_on,occurred_at,amount,currency,kind,status," +
		"counterparty_name,counterparty_account,end_to_end_id,idempotency_key,remittance_text\n")
	for i := range benchRows {
		id := ""
		if withIDs {
			id = fmt.Sprintf("txn_%024d", i)
		}
		day, second := i/1112%90, i%60
		date := ledger.NewDate(2025, 1, 1).AddDays(day)
		fmt.Fprintf(&b, "%s,po_%020d,DE89370400440532013000,%s,%s,%sT11:04:%02dZ,-%d.%02d,EUR,payment,booked,Supplier %d GmbH,FR1420041010050500013M%05d,,toolu_01%022d,Invoice %d\n",
			id, i, date, date.AddDays(1), date, second, i%5000+1, i%100, i%200, i%3000, i, i)
	}
	return b.Bytes()
}

func benchmark(b *testing.B, file []byte) {
	b.SetBytes(int64(len(file)))
	b.ReportAllocs()
	for b.Loop() {
		n := 0
		_, err := Read("ledger.csv", bytes.NewReader(file), Options{}, func(*ledger.Entry) error { n++; return nil })
		if err != nil || n != benchRows {
			b.Fatal(n, err)
		}
	}
	b.ReportMetric(float64(benchRows)*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
}

// leanFile has what a payment provider needs to say, in six columns.
func leanFile() []byte {
	var b bytes.Buffer
	b.WriteString("entry_id,occurred_at,amount,currency,counterparty_account,idempotency_key\n")
	for i := range benchRows {
		fmt.Fprintf(&b, "txn_%024d,%sT11:04:%02dZ,-%d.%02d,EUR,FR1420041010050500013M%05d,toolu_01%022d\n",
			i, ledger.NewDate(2025, 1, 1).AddDays(i/1112%90), i%60, i%5000+1, i%100, i%3000, i)
	}
	return b.Bytes()
}

func BenchmarkGenericCSV(b *testing.B) {
	b.Run("ids given", func(b *testing.B) { benchmark(b, benchFile(true)) })
	b.Run("six columns", func(b *testing.B) { benchmark(b, leanFile()) })
	b.Run("ids derived", func(b *testing.B) { benchmark(b, benchFile(false)) })
}
