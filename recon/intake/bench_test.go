package intake_test

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"agentrecon/recon/intake"
)

func BenchmarkAttempts(b *testing.B) {
	const rows = 100_000
	var file bytes.Buffer
	file.WriteString("attempt_id,session_id,amount_cents,currency,source_account,dest_account,ref,idempotency_key,id_source,proposed_at\n")
	start := time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)
	for i := range rows {
		fmt.Fprintf(&file, "toolu_01%022d,sess_%06d,%d,EUR,DE89370400440532013000,FR1420041010050500013M%05d,INV-%d,key_%020d,tool_use_id,%s\n",
			i, i/40, i%500_000+100, i%3000, i, i, start.Add(time.Duration(i)*time.Second).Format(time.RFC3339))
	}
	b.SetBytes(int64(file.Len()))
	b.ReportAllocs()
	for b.Loop() {
		n := 0
		_, err := intake.Attempts("attempts.csv", bytes.NewReader(file.Bytes()), intake.Options{}, func(*intake.AttemptRow) error { n++; return nil })
		if err != nil || n != rows {
			b.Fatal(n, err)
		}
	}
	b.ReportMetric(float64(rows)*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
}
