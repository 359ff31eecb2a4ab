package main

import (
	"slices"
	"strings"
	"testing"
)

func TestFlagsFirst(t *testing.T) {
	for _, test := range []struct{ name, given, want string }{
		{"behind a file", "recon import ledger a.csv --database-url U b.csv", "recon import ledger --database-url U a.csv b.csv"},
		{"a value that looks like a flag", "recon run --tolerance -5 --json", "recon run --tolerance -5 --json"},
		{"switches take no value", "recon import ledger --dry-run a.csv --explain b.csv", "recon import ledger --dry-run --explain a.csv b.csv"},
		{"joined by =", "recon verify q.xlsx --run=3 --rerun", "recon verify --run=3 --rerun q.xlsx"},
		{"matched may stand alone", "recon export --matched --out x.xlsx --matched=csv", "recon export --matched --out x.xlsx --matched=csv"},
		{"standard input", "recon import attempts - --currency JPY", "recon import attempts --currency JPY -"},
		{"global flags stay before the command", "recon --database-url U import ledger a.csv", "recon --database-url U import ledger a.csv"},
		{"everything behind -- is an argument", "recon explain --json -- --odd", "recon explain --json -- --odd"},
		{"an argument named like a command", "recon explain run --json", "recon explain --json run"},
		{"unknown flags stay", "recon import ledger a.csv --nope", "recon import ledger --nope a.csv"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := flagsFirst(newApp(&program{}), strings.Fields(test.given))
			if err != nil {
				t.Fatal(err)
			}
			if want := strings.Fields(test.want); !slices.Equal(got, want) {
				t.Errorf("got  %q\nwant %q", got, want)
			}
		})
	}
}

func TestFlagGivenTwice(t *testing.T) {
	for given, want := range map[string]string{
		"recon reconcile --attempts a.csv --attempts b.csv":                     "--attempts is given twice, and takes one value",
		"recon reconcile --attempts=a.csv --ledger l.csv --attempts b.csv":      "--attempts is given twice, and takes one value",
		"recon reconcile --ledger a.csv --ledger b.csv --account X --account Y": "",
		"recon run --reference-cut 16 --reference-cut 27":                       "",
		"recon --json run --json":                                               "",
	} {
		_, err := flagsFirst(newApp(&program{}), strings.Fields(given))
		got := ""
		if err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", given, got, want)
		}
	}
}
