package camt_test

import (
	"bytes"
	"fmt"
	"io"
	"testing"

	"agentrecon/ledger"
	"agentrecon/ledger/camt"
)

const benchEntries = 20_000

// benchFile is a statement as banks send it: one detail an entry, both parties, a remittance text.
func benchFile(entries int) []byte {
	var b bytes.Buffer
	b.WriteString(`<?xml version="1.0" encoding="UTF-8"?><Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><BkToCstmrStmt><GrpHdr><MsgId>1</MsgId></GrpHdr><Stmt><Id>S1</Id>` +
		`<Acct><Id><IBAN>DE89370400440532013000</IBAN></Id><Ccy>EUR</Ccy></Acct>`)
	for i := range entries {
		fmt.Fprintf(&b, `<Ntry><NtryRef>%d</NtryRef><Amt Ccy="EUR">%d.%02d</Amt><CdtDbtInd>DBIT</CdtDbtInd><Sts><Cd>BOOK</Cd></Sts><BookgDt><Dt>2025-01-%02d</Dt></BookgDt>`+
			`<ValDt><Dt>2025-01-31</Dt></ValDt><AcctSvcrRef>2025013100%010d</AcctSvcrRef><BkTxCd><Domn><Cd>PMNT</Cd><Fmly><Cd>ICDT</Cd><SubFmlyCd>ESCT</SubFmlyCd></Fmly></Domn></BkTxCd>`+
			`<NtryDtls><TxDtls><Refs><EndToEndId>toolu_01%022d</EndToEndId><UETR>8a562c67-ca16-48ba-b074-65581be6f001</UETR></Refs><RltdPties><Cdtr><Pty><Nm>Supplier %d GmbH</Nm></Pty></Cdtr>`+
			`<CdtrAcct><Id><IBAN>FR1420041010050500013M02606</IBAN></Id></CdtrAcct></RltdPties><RmtInf><Ustrd>Invoice %d</Ustrd></RmtInf></TxDtls></NtryDtls></Ntry>`+"\n",
			i, i%5000+1, i%100, i%28+1, i, i, i%200, i)
	}
	b.WriteString(`</Stmt></BkToCstmrStmt></Document>`)
	return b.Bytes()
}

func BenchmarkCamt(b *testing.B) {
	file := benchFile(benchEntries)
	b.SetBytes(int64(len(file)))
	b.ReportAllocs()
	for b.Loop() {
		n := 0
		_, err := camt.Read("ledger.xml", io.Reader(bytes.NewReader(file)), ledger.ReadOptions{}, func(*ledger.Entry) error { n++; return nil })
		if err != nil || n != benchEntries {
			b.Fatal(n, err)
		}
	}
	b.ReportMetric(float64(benchEntries)*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
}
