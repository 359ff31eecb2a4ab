package tabular_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"agentrecon/ledger"
	"agentrecon/ledger/tabular"
)

func TestLongLines(t *testing.T) {
	fits := strings.Repeat("x", tabular.MaxLine-2)
	for name, test := range map[string]struct{ file, want string }{
		"a line of the limit":         {"a,b\n1," + fits + "\n2,y\n", ""},
		"a line beyond the limit":     {"a,b\n1,y\n1,x" + fits + "\n", "t.csv:3: line longer than 1048576 bytes; are these rows of text?"},
		"a line without end":          {"a,b\n" + strings.Repeat("x", 3*tabular.MaxLine), "t.csv:2: line longer than 1048576 bytes; are these rows of text?"},
		"a header without end":        {strings.Repeat("x", 3*tabular.MaxLine), "t.csv:1: line longer than 1048576 bytes; are these rows of text?"},
		"a quote over too many lines": {"a,b\n1,y\n2,\"" + strings.Repeat("x\n", tabular.MaxLine), "t.csv:3: a quote that opens here is never closed"},
		"many columns":                {strings.Repeat("x,", tabular.MaxColumns) + "x\n", "t.csv:1: header: 513 columns, more than 512"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := tabular.Scan("t.csv", strings.NewReader(test.file), tabular.Options{}, (*tabular.Row).Err)
			var file *tabular.FileError
			if got := text(err); got != test.want || (err != nil && !errors.As(err, &file)) {
				t.Errorf("got %s\nwant %s", got, test.want)
			}
		})
	}
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func TestManyShortLinesInBareCarriageReturns(t *testing.T) {
	const n = 200_000
	rows := 0
	file := "a,b\r" + strings.Repeat("1,2\r", n)
	if _, err := tabular.Scan("t.csv", strings.NewReader(file), tabular.Options{}, func(*tabular.Row) error { rows++; return nil }); err != nil || rows != n {
		t.Errorf("got %d rows and %v, want %d", rows, err, n)
	}
}

func TestBadRowsAreListedUpToALimitAndCountedBeyondIt(t *testing.T) {
	for _, test := range []struct{ bad, listed, counted int }{
		{1, 1, 1},
		{ledger.MaxBadRows, ledger.MaxBadRows, ledger.MaxBadRows},
		{ledger.MaxBadRows + 3, ledger.MaxBadRows, ledger.MaxBadRows + 3},
		{30_000, ledger.MaxBadRows, 10_000},
	} {
		good := 0
		_, err := tabular.Scan("t.csv", strings.NewReader("a,b\n1,2\n"+strings.Repeat("1\n", test.bad)+"3,4\n"), tabular.Options{},
			func(*tabular.Row) error { good++; return nil })
		var bad *ledger.BadRows
		if !errors.As(err, &bad) || len(bad.Rows) != test.listed || bad.Total != test.counted {
			t.Errorf("%d bad rows: got %.200v", test.bad, err)
		}
		if bad.Rows[0].Line != 3 || bad.Rows[len(bad.Rows)-1].Line != test.listed+2 {
			t.Errorf("%d bad rows: lines %d to %d", test.bad, bad.Rows[0].Line, bad.Rows[len(bad.Rows)-1].Line)
		}
		if want := 2; good != want && test.bad < 10_000 {
			t.Errorf("%d bad rows: %d good ones handed on, want %d", test.bad, good, want)
		}
	}
}

func TestErrorsOfOthersComeBackAsTheyAre(t *testing.T) {
	broken := errors.New("disk on fire")
	reading := iotest.ErrReader(broken)
	file := "a,b\n1,2\n3,"
	for name, test := range map[string]struct {
		r    io.Reader
		each error
		want string
	}{
		"at once":            {reading, nil, "t.csv: read: disk on fire"},
		"in the middle":      {io.MultiReader(strings.NewReader(file), reading), nil, "t.csv: read: disk on fire"},
		"far in the middle":  {io.MultiReader(strings.NewReader("a,b\n"+strings.Repeat("1,2\n", 10_000)+"3,"), reading), nil, "t.csv:10002: read: disk on fire"},
		"from the callback":  {strings.NewReader(file), broken, "disk on fire"},
		"no bytes, no error": {iotest.TimeoutReader(iotest.OneByteReader(strings.NewReader(file))), nil, "t.csv: read: timeout"},
	} {
		t.Run(name, func(t *testing.T) {
			seen := ""
			_, err := tabular.Scan("t.csv", test.r, tabular.Options{}, func(row *tabular.Row) error {
				seen += row.Field(0)
				return test.each
			})
			if text(err) != test.want {
				t.Errorf("got %v, want %s", err, test.want)
			}
			if strings.Contains(seen, "3") {
				t.Error("half a line was handed on")
			}
		})
	}
}

func TestWhatWasBadBeforeAFileBrokeOffIsSaid(t *testing.T) {
	_, err := tabular.Scan("t.csv", strings.NewReader("a,b\n1\n2,\"\n"), tabular.Options{}, (*tabular.Row).Err)
	want := "t.csv:3: a quote that opens here is never closed\n" +
		"t.csv: 1 bad row, nothing imported\n" +
		"  t.csv:2: 1 fields, the header has 2; is the row cut off?"
	if diff := cmp.Diff(want, text(err)); diff != "" {
		t.Error("(-want +got)", diff)
	}
}

func TestDigestIsOfEveryByte(t *testing.T) {
	// printf '\xef\xbb\xbfa,b\r\n1,2' | sha256sum
	const want = "93af9d6fd575d1d519be60bd6e3a38f7029f409cbca35d5b4788d9b5951d10a8"
	end, err := tabular.Scan("t.csv", strings.NewReader("\ufeffa,b\r\n1,2"), tabular.Options{}, (*tabular.Row).Err)
	if err != nil || end.SHA256 != want || end.Rows != 1 || end.Format != tabular.CSV {
		t.Errorf("got %+v, %v", end, err)
	}
}

func TestNearest(t *testing.T) {
	known := []string{"amount", "amount_cents", "currency", "booked_on", "dest_account", "ref"}
	for word, want := range map[string]string{
		"ammount": "amount", "amount_cent": "amount_cents", "amoutn": "amount", "Booked On": "booked_on", "dest-account": "dest_account",
		"colour": "", "x": "", "": "", "rf": "ref", "reff": "ref", "curency": "currency", "betrag": "",
		"dest": "dest_account", "amount_c": "amount_cents", "des": "",
	} {
		if got := tabular.Nearest(word, known); got != want {
			t.Errorf("Nearest(%q): got %q, want %q", word, got, want)
		}
	}
}

// contradiction reads rows of a key and a value through a Once.
func contradiction(r io.Reader) error {
	options := tabular.Options{Columns: []tabular.Column{{Name: "id"}, {Name: "value"}}}
	content := func(row *tabular.Row) tabular.Content {
		return tabular.Content(nil).Text(1, strings.ToUpper(row.Field(1)))
	}
	var once tabular.Once
	start := tabular.Start(r)
	_, err := tabular.Scan("t.csv", r, options, func(row *tabular.Row) error {
		_, err := once.See(row, 0, []byte(row.Field(0)), content(row))
		return err
	})
	return once.Explain(err, start, r, options, content)
}

func TestContradictionsNameBothValuesWhereTheFileCanBeReadAgain(t *testing.T) {
	file := "id,value\na,x\n\"b\n\",y\na,X\na,z\n\"b\n\",\n"
	want := "t.csv: 2 bad rows, nothing imported\n" +
		"  t.csv:6: id \"a\": value \"z\" here, \"x\" in line 2 under the same id\n" +
		"  t.csv:7: id \"b\\n\": value \"\" here, \"y\" in line 3 under the same id"
	if diff := cmp.Diff(want, text(contradiction(strings.NewReader(file)))); diff != "" {
		t.Error("a file (-want +got)", diff)
	}
	want = "t.csv: 2 bad rows, nothing imported\n" +
		"  t.csv:6: id \"a\": line 2 says something else under the same id\n" +
		"  t.csv:7: id \"b\\n\": line 3 says something else under the same id"
	if diff := cmp.Diff(want, text(contradiction(io.MultiReader(strings.NewReader(file))))); diff != "" {
		t.Error("a stream (-want +got)", diff)
	}
	read, write, err := os.Pipe() // a file that cannot be set back
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		fmt.Fprint(write, file)
		write.Close()
	}()
	if diff := cmp.Diff(want, text(contradiction(read))); diff != "" {
		t.Error("a pipe (-want +got)", diff)
	}
}

func TestContradictionsInTheMiddleOfAReader(t *testing.T) {
	r := strings.NewReader("skipped\nid,value\na,x\na,y\n")
	if _, err := r.Seek(int64(len("skipped\n")), io.SeekStart); err != nil {
		t.Fatal(err)
	}
	if got := text(contradiction(r)); !strings.Contains(got, `value "y" here, "x" in line 2`) {
		t.Error(got)
	}
}
