package detect_test

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"agentrecon/ledger"
	"agentrecon/ledger/detect"
)

// sharedVariable names the folder that holds data/ledger-corpus: files of banks and providers whose licences
// keep them out of this repository, with a manifest of what each holds. A plain clone has no such folder and
// tests the fixtures of its own only; continuous integration sets it, and then a missing folder fails.
const sharedVariable = "RECON_SHARED"

// manifestRow is one line of the manifest: what independent scripts found in a file. Sums are of absolute
// amounts over all entries, pending ones included, and over all currencies.
type manifestRow struct {
	path, format    string
	entries         string
	credits, debits string
	currencies      string
	size            string
}

// TestCorpus reads every file of the manifests. What differs from the manifest must stand, with the reason,
// in testdata/corpus-reviewed.tsv, and what stands there must differ.
func TestCorpus(t *testing.T) {
	t.Run("own", func(t *testing.T) {
		testCorpus(t, "testdata/corpus", filepath.Join("testdata", "corpus", "reviewed.tsv"))
	})
	if shared := os.Getenv(sharedVariable); shared != "" {
		t.Run("shared", func(t *testing.T) {
			testCorpus(t, filepath.Join(shared, "data", "ledger-corpus"), filepath.Join("testdata", "corpus-reviewed.tsv"))
		})
	}
}

func testCorpus(t *testing.T, folder, reviewed string) {
	reasons := reasonsOf(t, reviewed)
	agreed, unread := 0, map[string]int{}
	for _, row := range manifest(t, folder) {
		data, err := os.ReadFile(filepath.Join(folder, filepath.FromSlash(row.path)))
		if err != nil {
			t.Fatal(err)
		}
		format, known := detect.Choose(data[:min(len(data), 64<<10)])
		if !known || format.Read == nil {
			unread[cmp.Or(format.Name, "unknown")]++
			continue
		}
		difference := differenceOf(row, data)
		if format.Name == "generic" && strings.Contains(difference, "header: unknown column") {
			unread["csv without a profile"]++
			continue
		}
		reason, isReviewed := reasons[row.path]
		delete(reasons, row.path)
		switch {
		case difference == "" && isReviewed:
			t.Errorf("%s agrees with the manifest; remove it from %s (%s)", row.path, reviewed, reason)
		case difference != "" && !isReviewed:
			t.Errorf("%s: %s\nif the reader is right, add the path and the reason to %s", row.path, difference, reviewed)
		case difference == "":
			agreed++
		}
	}
	for _, path := range slices.Sorted(maps.Keys(reasons)) {
		if !unreadPath(t, folder, path) {
			t.Errorf("%s lists %s, which the manifest does not have", reviewed, path)
		}
	}
	t.Logf("%s: %d files agree with the manifest, %d differ for reviewed reasons", folder, agreed, len(reasonsOf(t, reviewed)))
	for _, name := range slices.Sorted(maps.Keys(unread)) {
		t.Logf("%d files not read, format %s", unread[name], name)
	}
}

// unreadPath reports whether a reviewed path is in the manifest, of a format that has no reader yet.
func unreadPath(t *testing.T, folder, path string) bool {
	return slices.ContainsFunc(manifest(t, folder), func(row manifestRow) bool { return row.path == path })
}

func manifest(t *testing.T, folder string) []manifestRow {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder, "manifest.tsv"))
	if err != nil {
		t.Fatalf("%v (is %s set to the right folder?)", err, sharedVariable)
	}
	var rows []manifestRow
	for i, line := range strings.Split(strings.TrimRight(string(text), "\n"), "\n") {
		f := strings.Split(line, "\t")
		if len(f) != 10 {
			t.Fatalf("manifest.tsv:%d: %d fields, want 10", i+1, len(f))
		}
		if i > 0 {
			rows = append(rows, manifestRow{path: f[0], format: f[3], entries: f[4], credits: f[5], debits: f[6], currencies: f[7], size: f[9]})
		}
	}
	return rows
}

// reasonsOf reads a reviewed list: path, tab, reason; lines that begin with # are remarks.
func reasonsOf(t *testing.T, path string) map[string]string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	reasons := map[string]string{}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		path, reason, ok := strings.Cut(line, "\t")
		if !ok || strings.TrimSpace(reason) == "" {
			t.Fatalf("%s: no reason beside %q", path, line)
		}
		reasons[path] = reason
	}
	return reasons
}

// differenceOf reads a file and compares it with its row; empty means that they agree.
func differenceOf(row manifestRow, data []byte) string {
	var entries int
	credits, debits := map[ledger.Currency]int64{}, map[ledger.Currency]int64{}
	seen := map[string]bool{}
	// Some files print no currency at all; a person would give it.
	options := ledger.ReadOptions{DefaultCurrency: "XXX"}
	if c, err := ledger.ParseCurrency(row.currencies); err == nil {
		options.DefaultCurrency = c
	}
	_, err := detect.Read(row.path, bytes.NewReader(data), options, func(e *ledger.Entry) error {
		entries++
		seen[string(e.Currency)] = true
		if e.Amount > 0 {
			credits[e.Currency] += e.Amount
		} else {
			debits[e.Currency] -= e.Amount
		}
		return nil
	})
	if err != nil {
		return "refused: " + err.Error()
	}
	var list []string
	compare := func(what, got, want string) {
		if got != want {
			list = append(list, fmt.Sprintf("%s: got %s, want %s", what, got, want))
		}
	}
	compare("entries", fmt.Sprint(entries), row.entries)
	compare("credits", sumOf(credits), trimmed(row.credits))
	compare("debits", sumOf(debits), trimmed(row.debits))
	delete(seen, "XXX")
	got := cmp.Or(strings.Join(slices.Sorted(maps.Keys(seen)), "/"), "-")
	if entries > 0 && row.currencies != "-" { // without entries it is that of the balances; "-" is not looked for
		compare("currency", got, row.currencies)
	}
	return strings.Join(list, "; ")
}

// sumOf adds amounts over currencies, as the manifest does, and prints them with four decimals' precision.
func sumOf(sums map[ledger.Currency]int64) string {
	const most = 4
	var total int64
	for c, minor := range sums {
		for range most - c.Exponent() {
			minor *= 10
		}
		total += minor
	}
	return trimmed(ledger.FormatDecimal(total, most))
}

// trimmed is a decimal without zeros at its end.
func trimmed(s string) string {
	if !strings.Contains(s, ".") {
		return s
	}
	return strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
}
