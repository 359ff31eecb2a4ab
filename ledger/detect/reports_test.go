package detect_test

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// reportMark is the line by which a case says which public bug report it answers.
var reportMark = regexp.MustCompile(`(?m)^(?:// )?report ([0-9]+) \((.+)\): (.+?)\.?$`)

// TestEveryBugReportHasACase holds the cases of the readers, of identity and of the import against the list of public
// bug reports: each report has a case, each mark names a report of the list and a case that stands below it.
func TestEveryBugReportHasACase(t *testing.T) {
	const list = "testdata/bug-reports.tsv"
	reports := map[string]string{}
	data, err := os.ReadFile(list)
	if err != nil {
		t.Fatal(err)
	}
	var numbers []string
	for line := range strings.Lines(string(data)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		fields := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(fields) != 5 || fields[0] != strconv.Itoa(len(numbers)+1) {
			t.Fatalf("%s: %q: want number %d, report, input, wrong, right", list, line, len(numbers)+1)
		}
		numbers = append(numbers, fields[0])
		reports[fields[0]] = fields[1]
	}
	covered := map[string]bool{}
	mark := func(path string, text []byte, has func(name string) bool) {
		for _, m := range reportMark.FindAllStringSubmatch(string(text), -1) {
			switch number, report, name := m[1], m[2], m[3]; {
			case reports[number] != report:
				t.Errorf("%s: %q: report %s is %q", path, m[0], number, reports[number])
			case !has(name):
				t.Errorf("%s: %q: no such case", path, m[0])
			default:
				covered[number] = true
			}
		}
	}
	for _, path := range glob(t, "../*/testdata/*.txtar") {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		mark(path, archive.Comment, func(name string) bool {
			for i := range len(archive.Files) - 1 {
				if archive.Files[i].Name == name && archive.Files[i+1].Name == "want" {
					return true
				}
			}
			return false
		})
	}
	for _, pattern := range []string{"../*_test.go", "../*/*_test.go", "../../sql/*_test.go"} {
		for _, path := range glob(t, pattern) {
			source, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			mark(path, source, func(name string) bool {
				return bytes.Contains(source, []byte("\nfunc "+name+"(t *testing.T)"))
			})
		}
	}
	for _, number := range numbers {
		if !covered[number] {
			t.Errorf("report %s (%s) has no case", number, reports[number])
		}
	}
}

func glob(t *testing.T, pattern string) []string {
	t.Helper()
	paths, err := filepath.Glob(pattern)
	if err != nil || len(paths) == 0 {
		t.Fatalf("no files at %s: %v", pattern, err)
	}
	return paths
}
