// Package ledgertest runs tests of readers whose cases are data: txtar archives of inputs, each followed by
// what reading it must give. See the README beside any testdata folder that uses it.
package ledgertest

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "rewrite the wanted results in testdata")

// Options are the lines "key = value" of the options file before an input; a key without value is "".
type Options map[string]string

// Input is one file to read.
type Input struct {
	Name    string
	Data    []byte
	Options Options
}

// Run reads every archive of a glob pattern and hands its inputs to read, whose result must equal the file
// "want" behind the input. With -update the results are written there instead.
func Run(t *testing.T, pattern string, read func(t *testing.T, in Input) string) {
	t.Helper()
	paths, err := filepath.Glob(pattern)
	if err != nil || len(paths) == 0 {
		t.Fatalf("no archives at %s: %v", pattern, err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) { runArchive(t, path, read) })
	}
}

func runArchive(t *testing.T, path string, read func(t *testing.T, in Input) string) {
	t.Helper()
	archive, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	result := &txtar.Archive{Comment: archive.Comment}
	options := Options{}
	for i, f := range archive.Files {
		switch f.Name {
		case "want":
			continue
		case "options":
			options = parseOptions(t, string(f.Data))
			result.Files = append(result.Files, f)
			continue
		}
		data, name := unescape(t, f)
		got := []byte(read(t, Input{Name: name, Data: data, Options: options}))
		result.Files = append(result.Files, f, txtar.File{Name: "want", Data: got})
		if i+1 < len(archive.Files) && archive.Files[i+1].Name == "want" {
			if diff := cmp.Diff(string(archive.Files[i+1].Data), string(got)); diff != "" && !*update {
				t.Errorf("%s: %s (-want +got):\n%s", path, f.Name, diff)
			}
		} else if !*update {
			t.Errorf("%s: %s has no want behind it; got:\n%s", path, f.Name, got)
		}
	}
	if formatted := txtar.Format(result); *update && !bytes.Equal(formatted, txtar.Format(archive)) {
		if err := os.WriteFile(path, formatted, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func parseOptions(t *testing.T, text string) Options {
	t.Helper()
	options := Options{}
	for line := range strings.Lines(text) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		options[strings.TrimSpace(key)] = strings.TrimSpace(value)
	}
	return options
}

// unescape gives back the bytes of a file that cannot stand in an archive: behind the suffix ".escaped",
// every line is the inside of a Go string, and only its escapes count, not its end.
func unescape(t *testing.T, f txtar.File) (data []byte, name string) {
	t.Helper()
	name, escaped := strings.CutSuffix(f.Name, ".escaped")
	if !escaped {
		return f.Data, name
	}
	for line := range strings.Lines(string(f.Data)) {
		line = strings.TrimSuffix(line, "\n")
		s, err := strconv.Unquote(`"` + strings.ReplaceAll(line, `"`, `\"`) + `"`)
		if err != nil {
			t.Fatalf("%s: %s: %v", f.Name, line, err)
		}
		data = append(data, s...)
	}
	return data, name
}

// Show prints a value the way archives want it: one line, nothing for a zero.
func Show(fields ...any) string {
	var b strings.Builder
	for i := 0; i+1 < len(fields); i += 2 {
		if value := fmt.Sprint(fields[i+1]); value != "" {
			fmt.Fprintf(&b, " %s=%s", fields[i], quoteIfNeeded(value))
		}
	}
	return strings.TrimPrefix(b.String(), " ")
}

func quoteIfNeeded(s string) string {
	if strings.ContainsAny(s, " \"\n\t=") {
		return strconv.Quote(s)
	}
	return s
}
