package ledger_test

import (
	"strings"
	"testing"

	"agentrecon/ledger"
)

func TestRowErrorText(t *testing.T) {
	for _, tt := range []struct {
		want string
		err  *ledger.RowError
	}{
		{`f.csv:7: amount "x": a decimal`, &ledger.RowError{File: "f.csv", Line: 7, Field: "amount", Value: "x", Want: "a decimal"}},
		{`f.csv:7: amount: empty`, &ledger.RowError{File: "f.csv", Line: 7, Field: "amount", Want: "empty"}},
		{`f.csv:7: "x\n": not UTF-8`, &ledger.RowError{File: "f.csv", Line: 7, Value: "x\n", Want: "not UTF-8"}},
		{`f.csv:7: 2 fields`, &ledger.RowError{File: "f.csv", Line: 7, Want: "2 fields"}},
		{`f.csv: empty`, &ledger.RowError{File: "f.csv", Want: "empty"}},
		{`f.csv:7: a "` + strings.Repeat("é", 80) + `…": long`, &ledger.RowError{File: "f.csv", Line: 7, Field: "a", Value: strings.Repeat("é", 81), Want: "long"}},
		{`f.csv:7: a "` + strings.Repeat("é", 80) + `": long`, &ledger.RowError{File: "f.csv", Line: 7, Field: "a", Value: strings.Repeat("é", 80), Want: "long"}},
	} {
		if got := tt.err.Error(); got != tt.want {
			t.Errorf("got %s\nwant %s", got, tt.want)
		}
	}
}

func TestBadRowsText(t *testing.T) {
	row := &ledger.RowError{File: "f.csv", Line: 7, Want: "2 fields"}
	for want, err := range map[string]*ledger.BadRows{
		"f.csv: 1 bad row, nothing imported\n  f.csv:7: 2 fields":                                       {File: "f.csv", Rows: []*ledger.RowError{row}, Total: 1},
		"f.csv: 5 bad rows, nothing imported\n  f.csv:7: 2 fields\n  f.csv:7: 2 fields\n  … and 3 more": {File: "f.csv", Rows: []*ledger.RowError{row, row}, Total: 5},
	} {
		if got := err.Error(); got != want {
			t.Errorf("got %s\nwant %s", got, want)
		}
	}
}
