package report_test

import (
	"bytes"
	"os"
	"testing"

	"agentrecon/recon"
	"agentrecon/report"
	"agentrecon/report/reporttest"
)

func TestLook(t *testing.T) {
	dir := os.Getenv("LOOK")
	if dir == "" {
		return
	}
	for name, r := range map[string]*recon.Report{"sample": reporttest.Sample(), "quarter": reporttest.Quarter(), "nil": reporttest.Nil()} {
		var b bytes.Buffer
		s, err := report.Write(t.Context(), &b, r, report.Options{})
		t.Logf("%s %+v %v", name, s.Sentence, err)
		os.WriteFile(dir+"/"+name+".xlsx", b.Bytes(), 0o600)
		d, n, err := reporttest.Recalculated(t.Context(), "soffice", t.TempDir(), b.Bytes())
		t.Log(len(d), n, err)
		for i, x := range d {
			if i < 20 {
				t.Log(x)
			}
		}
		text, err := reporttest.Dump(bytes.NewReader(b.Bytes()), int64(b.Len()))
		t.Log(len(text), err)
		os.WriteFile(dir+"/"+name+".txt", []byte(text), 0o600)
	}
}
