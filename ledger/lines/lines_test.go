package lines_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"

	"agentrecon/ledger/lines"
	"agentrecon/ledger/tabular"
)

func read(t *testing.T, r io.Reader, charset string) ([]string, []string, error) {
	t.Helper()
	in, err := lines.New("f", r, charset)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for {
		line, err := in.Next()
		if errors.Is(err, io.EOF) {
			return list, in.Decoder.Warnings(), nil
		}
		if err != nil {
			return list, nil, err
		}
		list = append(list, line)
	}
}

func TestLineEndsOfAnyKindAndMixture(t *testing.T) {
	want := []string{"a", "b", "c", "", "d", "e"}
	const text = "a\nb\r\nc\r\r\n\rd\re"
	for name, r := range map[string]io.Reader{
		"whole": strings.NewReader(text), "byte by byte": iotest.OneByteReader(strings.NewReader(text)),
		"marked": strings.NewReader("\xef\xbb\xbf" + text),
	} {
		got, _, err := read(t, r, "")
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", name, err, diff)
		}
	}
}

func TestEncodings(t *testing.T) {
	const text = "Größe\nŁódź\n"
	latin, err := charmap.Windows1252.NewEncoder().String("Größe\n")
	if err != nil {
		t.Fatal(err)
	}
	dos, err := charmap.CodePage852.NewEncoder().String(text)
	if err != nil {
		t.Fatal(err)
	}
	little, err := unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM).NewEncoder().String("size\nGröße\n")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name, in, charset string
		want              []string
		warnings          int
	}{
		{"UTF-8", text, "", []string{"Größe", "Łódź"}, 0},
		{"UTF-8 under a wrong name", text, "cp852", []string{"Größe", "Łódź"}, 0},
		{"Windows-1252 guessed", latin, "", []string{"Größe"}, 1},
		{"CP852 named", dos, "CP852", []string{"Größe", "Łódź"}, 0},
		{"parts of two encodings", "Łódź\n" + latin, "", []string{"Łódź", "Größe"}, 1},
		{"UTF-16 without a mark", little, "", []string{"size", "Größe"}, 0},
		{"UTF-16 with one", "\xff\xfe" + little, "", []string{"size", "Größe"}, 0},
		{"lost before", "Gr\uFFFD\uFFFDe", "", []string{"Gr\uFFFD\uFFFDe"}, 1},
	} {
		got, warnings, err := read(t, strings.NewReader(test.in), test.charset)
		if diff := cmp.Diff(test.want, got); diff != "" || err != nil || len(warnings) != test.warnings {
			t.Errorf("%s: %v, warnings %q (-want +got):\n%s", test.name, err, warnings, diff)
		}
	}
	if _, err := lines.New("f", strings.NewReader(""), "klingon"); err == nil || !strings.Contains(err.Error(), `f: unknown encoding "klingon"`) {
		t.Errorf("got %v", err)
	}
}

func TestHostileLinesAreRefused(t *testing.T) {
	for name, r := range map[string]io.Reader{
		"endless":   io.LimitReader(zeros{'x'}, 1<<40),
		"NUL bytes": strings.NewReader("text that is none\x00\n"),
	} {
		_, _, err := read(t, r, "")
		var refused *tabular.FileError
		if !errors.As(err, &refused) || refused.Line != 1 {
			t.Errorf("%s: got %v", name, err)
		}
	}
	broken := errors.New("disk on fire")
	if _, _, err := read(t, io.MultiReader(strings.NewReader("a\nb"), iotest.ErrReader(broken)), ""); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
}

type zeros struct{ b byte }

func (z zeros) Read(p []byte) (int, error) {
	copy(p, bytes.Repeat([]byte{z.b}, len(p)))
	return len(p), nil
}
