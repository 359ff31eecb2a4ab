package tabular_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"agentrecon/ledger"
	"agentrecon/ledger/tabular"
)

// table draws rows under three columns. Values are trimmed, for blanks around them do not survive.
func table(t *rapid.T, letters string) [][]string {
	value := rapid.Custom(func(t *rapid.T) string {
		return strings.Trim(rapid.StringOfN(rapid.SampledFrom([]rune(letters)), 0, 12, -1).Draw(t, "value"), " \t")
	})
	first := value.Filter(func(s string) bool { return strings.Trim(s, " \t") != "" }) // no row of nothing
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) []string {
		return []string{first.Draw(t, "first"), value.Draw(t, "second"), value.Draw(t, "third")}
	}), 1, 20).Draw(t, "rows")
}

var columns = []tabular.Column{{Name: "a"}, {Name: "b"}, {Name: "c"}}

func read(t interface{ Fatal(...any) }, r io.Reader) (rows [][]string, lines []int) {
	_, err := tabular.Scan("t.csv", r, tabular.Options{Columns: columns}, func(row *tabular.Row) error {
		rows = append(rows, []string{row.Field(0), row.Field(1), row.Field(2)})
		lines = append(lines, row.Line())
		return row.Err()
	})
	if err != nil {
		t.Fatal(err)
	}
	return rows, lines
}

func formatCSV(rows [][]string, delimiter rune) string {
	var b strings.Builder
	w := csv.NewWriter(&b)
	w.Comma = delimiter
	_ = w.Write([]string{"a", "b", "c"})
	_ = w.WriteAll(rows)
	return b.String()
}

func TestWhatIsWrittenIsRead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows := table(t, "ab\",;\t|\n é€")
		delimiter := rapid.SampledFrom([]rune(",;\t|")).Draw(t, "delimiter")
		got, _ := read(t, strings.NewReader(formatCSV(rows, delimiter)))
		if diff := cmp.Diff(rows, got); diff != "" {
			t.Fatal("(-written +read)", diff)
		}
	})
}

func TestJSONLinesSayTheSameAsCSV(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows := table(t, "ab\",;\\/\n\t é€😀")
		var b strings.Builder
		encoder := json.NewEncoder(&b)
		for _, row := range rows {
			_ = encoder.Encode(map[string]string{"a": row[0], "B ": row[1], "c": row[2]})
		}
		got, _ := read(t, strings.NewReader(b.String()))
		want, _ := read(t, strings.NewReader(formatCSV(rows, ',')))
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatal("(-csv +jsonl)", diff)
		}
	})
}

func TestLineEndsAndMarksDoNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := formatCSV(table(t, "ab\",;\n é"), ',')
		want, wantLines := read(t, strings.NewReader(text))
		end := rapid.SampledFrom([]string{"\r\n", "\r", "\r\r\n"}).Draw(t, "end")
		changed := "\ufeff" + strings.ReplaceAll(text, "\n", end)
		got, gotLines := read(t, strings.NewReader(changed))
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatal("(-LF +changed)", diff)
		}
		if diff := cmp.Diff(wantLines, gotLines); diff != "" {
			t.Fatal("lines (-LF +changed)", diff)
		}
	})
}

func TestHowBytesArriveDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := strings.ReplaceAll(formatCSV(table(t, "ab\",\n\r é"), ','), "\n", rapid.SampledFrom([]string{"\n", "\r\n", "\r"}).Draw(t, "end"))
		want := dump("t.csv", text, tabular.Options{})
		for name, slow := range map[string]func(io.Reader) io.Reader{
			"one byte": iotest.OneByteReader, "halves": iotest.HalfReader, "error with data": iotest.DataErrReader,
		} {
			if got := dumpReader("t.csv", slow(strings.NewReader(text)), tabular.Options{}); got != want {
				t.Fatalf("%s: got %s\nwant %s", name, got, want)
			}
		}
	})
}

// FuzzReader holds the reader against encoding/csv, and above all against panics and endless loops.
func FuzzReader(f *testing.F) {
	for _, seed := range []string{
		"a,b\n1,2\n", "a,b\r\n\"1\n\",\"\"\"\"\r\n", "\ufeffa;b\n1;2", "a\tb\n\"\n", "sep=;\na;b\n1;2\n", "\nsep=;\na;2", "a|b\r1|2\r\r\n3|4",
		"{\"a\":1,\"b\":\"\\u00e9\"}\n{}\n", "[{}]", "a,b\n1\n\"x\"y,2\n", "\xff\xfea\x00",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := tabular.NewReader("f", bytes.NewReader(data), tabular.Options{AllowEmpty: true})
		if err != nil {
			var file *tabular.FileError
			if !errors.As(err, &file) {
				t.Fatalf("%T %v", err, err)
			}
			return
		}
		rows, clean := drain(t, r, len(data))
		if r.Format() != tabular.CSV || !clean || bytes.ContainsAny(data, "\r\ufeff") || bytes.HasPrefix(bytes.ToLower(bytes.TrimSpace(data)), []byte("sep=")) {
			return
		}
		if want, ok := standard(data, r.Header()); ok {
			if diff := cmp.Diff(want, rows); diff != "" {
				t.Fatal("(-encoding/csv +tabular)", diff)
			}
		}
	})
}

// drain reads to the end; clean means without a bad row.
func drain(t *testing.T, r *tabular.Reader, size int) (rows [][]string, clean bool) {
	clean = true
	for range size + 2 {
		row, err := r.Next()
		var bad *ledger.RowError
		switch {
		case errors.Is(err, io.EOF):
			return rows, clean
		case errors.As(err, &bad):
			clean = false
		case err != nil:
			return nil, false
		default:
			if row.Line() < 1 || row.Line() > size+1 {
				t.Fatalf("line %d of %d bytes", row.Line(), size)
			}
			fields := make([]string, len(r.Header()))
			for i := range fields {
				fields[i] = row.Field(i)
			}
			if strings.Join(fields, "") != "" {
				rows = append(rows, fields)
			}
		}
	}
	t.Fatalf("more rows than bytes (%d)", size)
	return nil, false
}

// standard reads with encoding/csv, for the delimiter that gives the same number of columns.
func standard(data []byte, header []string) ([][]string, bool) {
	for _, delimiter := range ",\t;|" {
		r := csv.NewReader(bytes.NewReader(data))
		r.Comma = delimiter
		r.FieldsPerRecord = -1
		all, err := r.ReadAll()
		if err != nil {
			continue
		}
		for len(all) > 0 && strings.TrimSpace(strings.Join(all[0], "")) == "" {
			all = all[1:] // lines of blanks before the header
		}
		if len(all) == 0 || len(all[0]) != len(header) || len(header) == 1 {
			continue
		}
		var rows [][]string
		for _, row := range all[1:] {
			for i := range row {
				row[i] = strings.Trim(row[i], " \t")
			}
			if strings.Join(row, "") != "" {
				rows = append(rows, row)
			}
		}
		return rows, true
	}
	return nil, false
}

// FuzzObject holds the JSON Lines reader against encoding/json.
func FuzzObject(f *testing.F) {
	for _, seed := range []string{
		`{"a":"x","b":12.50,"c":null}`, `{}`, `{"a":"\ud83d\ude00\n"}`, `{"a":-0.1e+5}`, `{"a":{"b":1}}`, `{"a":[]}`, `{"a":1,"a":2}`, `{"a":"\ud800"}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, line string) {
		if !strings.HasPrefix(line, "{") || strings.ContainsAny(line, "\r\n\x00\ufeff") {
			return
		}
		var got map[string]string
		_, err := tabular.Scan("f", strings.NewReader(line), tabular.Options{}, func(row *tabular.Row) error {
			got = row.Values()
			return nil
		})
		decoder := json.NewDecoder(strings.NewReader(line))
		decoder.UseNumber()
		var want map[string]any
		wantErr := decoder.Decode(&want)
		if err == nil && (wantErr != nil || decoder.More()) {
			t.Fatalf("accepted %q, encoding/json says %v", line, wantErr)
		}
		if err != nil {
			return
		}
		for key, value := range want {
			key = strings.ToLower(strings.TrimSpace(key))
			text := ""
			switch v := value.(type) {
			case string:
				text = v
			case json.Number:
				text = v.String()
			case nil:
			default:
				t.Fatalf("accepted a %T in %q", value, line)
			}
			if got[key] != strings.Trim(text, " \t") {
				t.Fatalf("%q: key %q: got %q, want %q", line, key, got[key], text)
			}
		}
	})
}
