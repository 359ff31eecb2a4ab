package report

import (
	"context"
	"encoding/xml"
	"errors"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/xuri/excelize/v2"

	"agentrecon/ledger"
)

func TestShow(t *testing.T) {
	for _, test := range []struct {
		name, in, id, free string
	}{
		{"plain text stays", "INV-1 Ünïcode 漢字", "INV-1 Ünïcode 漢字", "INV-1 Ünïcode 漢字"},
		{"a formula stays text as typed", "=1+1", "=1+1", "=1+1"},
		{"an escape of the file format stays as typed", "_x0041_", "_x0041_", "_x0041_"},
		{"a backslash alone stays", `C:\temp`, `C:\temp`, `C:\temp`},
		{"a line feed is escaped in ids only", "a\nb", `a\u000ab`, "a\nb"},
		{"a tab is escaped in ids only", "a\tb", `a\u0009b`, "a\tb"},
		{"a carriage return is escaped everywhere", "a\r\nb", `a\u000d\u000ab`, "a\\u000d\nb"},
		{"U+0000", "a\x00b", `a\u0000b`, `a\u0000b`},
		{"a broken byte", "a\xffb", `a\xffb`, `a\xffb`},
		{"a replacement character that is there stays", "a\uFFFDb", "a\uFFFDb", "a\uFFFDb"},
		{"a backslash beside an escape is doubled", "\\\x00", `\\\u0000`, `\\\u0000`},
		{"text that turns around", "a\u202eb", `a\u202eb`, `a\u202eb`},
		{"a joiner is escaped in ids only", "a\u200db", `a\u200db`, "a\u200db"},
		{"beyond the first plane", "a\U000E0001b", `a\U000e0001b`, `a\U000e0001b`},
		{"not a character", "a\uFFFEb", `a\ufffeb`, `a\ufffeb`},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := show(test.in, false); got != test.id {
				t.Errorf("got id %q, want %q", got, test.id)
			}
			if got := show(test.in, true); got != test.free {
				t.Errorf("got text %q, want %q", got, test.free)
			}
		})
	}
}

func TestLongTextIsShortenedAloud(t *testing.T) {
	whole := strings.Repeat("x", maxCellUnits)
	if got := show(whole, true); got != whole {
		t.Errorf("got %d characters, want the %d that fit a cell untouched", len(got), len(whole))
	}
	a, b := show(whole+"a", false), show(whole+"b", false)
	if a == b {
		t.Error("got the same text for two long ids, want them told apart by their hash")
	}
	if want := "shortened: 32768 bytes in all, sha256 "; !strings.Contains(a, want) {
		t.Errorf("got %q, want it to say %q", a[len(a)-80:], want)
	}
	// Escaping makes six characters of one: the limit holds for what is shown.
	if got := show(strings.Repeat("\x00", 10_000), true); units16(got) > maxCellUnits {
		t.Errorf("got %d units, want at most %d", units16(got), maxCellUnits)
	}
}

func FuzzShow(f *testing.F) {
	for _, s := range []string{"", "a", "=1", "\x00", "\xff\\", "a\u202e\n", "\U0001F4B8", strings.Repeat("\x01", 7000)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, free := range []bool{true, false} {
			got := show(s, free)
			if !utf8.ValidString(got) || units16(got) > maxCellUnits {
				t.Fatalf("got %d units, valid %v, want valid text that fits a cell", units16(got), utf8.ValidString(got))
			}
			var b strings.Builder
			if err := xml.EscapeText(&b, []byte(got)); err != nil || strings.ContainsRune(b.String(), '\uFFFD') != strings.ContainsRune(got, '\uFFFD') {
				t.Fatalf("got %q, which XML cannot hold", got)
			}
			if show(s, free) != got {
				t.Fatal("got another text the second time")
			}
		}
	})
}

func TestUnits16CountsAsSpreadsheetsDo(t *testing.T) {
	if got, want := units16("a漢\U0001F4B8"), 4; got != want {
		t.Errorf("got %d units, want %d", got, want)
	}
}

func TestMoneyByDecimals(t *testing.T) {
	for _, test := range []struct {
		minor    int64
		currency ledger.Currency
		value    any
		format   string
	}{
		{781_200, "EUR", 7812.0, "#,##0.00_);(#,##0.00)"},
		{-1, "EUR", -0.01, "#,##0.00_);(#,##0.00)"},
		{112_400, "JPY", 112400.0, "#,##0_);(#,##0)"},
		{99_001, "KWD", 99.001, "#,##0.000_);(#,##0.000)"},
		{12_345, "CLF", 1.2345, "#,##0.0000_);(#,##0.0000)"},
		{maxExact - 1, "EUR", 9999999999999.99, "#,##0.00_);(#,##0.00)"},
		{maxExact, "EUR", "10000000000000.00", ""},
		{-maxExact, "JPY", "-1000000000000000", ""},
	} {
		got := money(test.minor, test.currency, plain)
		if got.value != test.value || got.style.format != test.format {
			t.Errorf("money(%d, %s): got %v in %q, want %v in %q", test.minor, test.currency, got.value, got.style.format, test.value, test.format)
		}
	}
}

func TestInstantsAreWholeSecondsUTC(t *testing.T) {
	berlin := time.FixedZone("CET", 3600)
	got := instant(time.Date(2025, 2, 19, 12, 4, 7, 999_999_999, berlin), plain).value
	if want := time.Date(2025, 2, 19, 11, 4, 7, 0, time.UTC); !got.(time.Time).Equal(want) || got.(time.Time).Location() != time.UTC {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := instant(time.Time{}, plain).value; got != nil {
		t.Errorf("got %v for no time, want an empty cell", got)
	}
}

func TestTextThatWouldBeCutIsAnError(t *testing.T) {
	f := excelize.NewFile()
	defer func() { _ = f.Close() }()
	styles, err := newStyles(f)
	if err != nil {
		t.Fatal(err)
	}
	sw, err := f.NewStreamWriter("Sheet1")
	if err != nil {
		t.Fatal(err)
	}
	b := &book{ctx: context.Background(), file: f, styles: styles}
	err = b.row(sw, 1, 0, []cell{words(strings.Repeat("x", maxCellUnits+1), plain)})
	if !errors.Is(err, ErrInvalid) {
		t.Fatalf("got %v, want ErrInvalid", err)
	}
	if want := "sheet Sheet1, cell A1: text of 32768 characters, at most 32767 fit a cell: report cannot be shown"; err.Error() != want {
		t.Errorf("got %q, want %q", err, want)
	}
}

func TestFiguresKeepTheirBrackets(t *testing.T) {
	a, b, c := typed("A1", 5), typed("B1", 3), typed("C1", 2)
	for _, test := range []struct {
		f    figure
		expr string
		n    int64
	}{
		{a.plus(b).minus(c), "A1+B1-C1", 6},
		{a.minus(b.plus(c)), "A1-(B1+C1)", 0},
		{a.plus(b).negated(), "-(A1+B1)", -8},
		{figure{}.plus(a), "A1", 5},
		{a.minus(b.negated()), "A1-(-B1)", 8},
	} {
		if test.f.expr != test.expr || test.f.n != test.n {
			t.Errorf("got %s = %d, want %s = %d", test.f.expr, test.f.n, test.expr, test.n)
		}
	}
	got := a.minus(b).amount("EUR", plain)
	if diff := cmp.Diff("(A1-B1)/100", got.formula); diff != "" {
		t.Errorf("amount (-want +got):\n%s", diff)
	}
}

func TestStaticFiguresHaveNoFormula(t *testing.T) {
	f := typed("A1", 5).plus(typed("B1", maxExact))
	for _, c := range []cell{f.count(plain), f.integer(plain), f.amount("EUR", plain), agree(f, f)} {
		if c.formula != "" {
			t.Errorf("got formula %s, want none beyond 15 digits", c.formula)
		}
	}
}

func TestLiteralsMeanThemselves(t *testing.T) {
	if got, want := literal(`a"b*c?d~`), `"a""b~*c~?d~~"`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
