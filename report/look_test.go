package report_test

import (
	"os"
	"testing"

	"agentrecon/report"
	"agentrecon/report/reporttest"
)

func TestLook(t *testing.T) {
	dir := os.Getenv("LOOK")
	if dir == "" {
		dir = t.TempDir()
	}
	s, err := report.WriteFile(t.Context(), dir+"/sample.xlsx", reporttest.Sample(), report.Options{})
	t.Logf("%+v %v", s, err)
	s, err = report.WriteFile(t.Context(), dir+"/quarter.xlsx", reporttest.Quarter(), report.Options{})
	t.Logf("%+v %v", s, err)
	s, err = report.WriteFile(t.Context(), dir+"/nil.xlsx", reporttest.Nil(), report.Options{})
	t.Logf("%+v %v", s, err)
}
