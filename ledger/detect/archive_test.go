package detect_test

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"agentrecon/ledger"
	"agentrecon/ledger/detect"
)

const (
	january  = "Date,Description,Amount,Currency\n2025-01-31,Rent,-800.00,EUR\n"
	february = "booked_on,amount,currency,account_id\n2025-02-28,-1.00,USD,a\n2025-02-28,-2.00,EUR,b\n"
	bai      = "01,1,2,250131,0900,1,,,2/\n02,2,1,1,250130,2400,EUR,2/\n03,77,,010,1000,,,015,1501,,/\n16,195,500,Z,B1,C1,TEXT/\n49,3001,3/\n98,3001,1,5/\n99,3001,1,7/\n"
)

// zipped makes an archive of names and contents, in turns.
func zipped(t testing.TB, parts ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i := 0; i < len(parts); i += 2 {
		f, err := w.Create(parts[i])
		if err == nil {
			_, err = io.WriteString(f, parts[i+1])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func gzipped(t testing.TB, r io.Reader) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := io.Copy(w, r); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestGzip(t *testing.T) {
	for _, text := range []string{january, february, bai} {
		data := gzipped(t, strings.NewReader(text))
		want, _, _ := strings.Cut(result("f", strings.NewReader(text)), ", sha256")
		for name, r := range map[string]io.Reader{"file": bytes.NewReader(data), "stream": iotest.HalfReader(bytes.NewReader(data))} {
			if got := result("f", r); !strings.HasPrefix(got, want) {
				t.Errorf("%s: got %s, want %s", name, got, want)
			}
		}
	}
}

func TestZipOfSeveralFiles(t *testing.T) {
	data := zipped(t, "b/february.csv", february, "a/", "", "a/january.csv", january, "__MACOSX/a/._january.csv", "x", "b/.DS_Store", "x", "c.bai", bai)
	var lines []string
	source, err := detect.Read("year.zip", bytes.NewReader(data), ledger.ReadOptions{Expect: ledger.Expect{HasCount: true, Count: 4}}, func(e *ledger.Entry) error {
		lines = append(lines, fmt.Sprintf("%s:%d %d", e.File, e.Line, e.Amount))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Join(lines, ", ")
	const want = "year.zip/a/january.csv:2 -80000, year.zip/b/february.csv:2 -100, year.zip/b/february.csv:3 -200, year.zip/c.bai:4 500"
	if got != want {
		t.Errorf("got %s", got)
	}
	if fmt.Sprint(source.Totals) != "[{EUR 3 -79700} {USD 1 -100}]" || source.Rows != 4 || source.Format != "several" || len(source.Statements) != 1 ||
		source.Proof.State != ledger.ProofFailed || fmt.Sprint(source.Accounts) != "[77 a b]" || len(source.SHA256) != 64 {
		t.Errorf("%+v", source)
	}
}

func TestZipOfOneFile(t *testing.T) {
	if got := result("f.zip", bytes.NewReader(zipped(t, "january.csv", january))); !strings.HasPrefix(got, "1 entries of 1 rows, csv") {
		t.Error(got)
	}
}

func TestHostileArchivesAreRefused(t *testing.T) {
	header := "Date,Description,Amount,Currency\n"
	whole := zipped(t, "january.csv", january)
	for name, data := range map[string][]byte{
		"cut zip":          whole[:len(whole)-10],
		"cut gzip":         gzipped(t, strings.NewReader(january))[:30],
		"empty zip":        zipped(t, "folder/", ""),
		"empty file":       zipped(t, "january.csv", ""),
		"zip in zip":       zipped(t, "inner.zip", string(whole)),
		"gzip in zip":      zipped(t, "inner.gz", string(gzipped(t, strings.NewReader(january)))),
		"a letter":         zipped(t, "letter.txt", "Dear Sir,\n"),
		"a bad row":        zipped(t, "january.csv", january+"x,y,z,EUR\n2025-01-31,Rent,1,EUR\n"),
		"one endless line": gzipped(t, io.MultiReader(strings.NewReader(header), io.LimitReader(blanks{}, 64<<20))),
	} {
		if got := result("f", bytes.NewReader(data)); !strings.HasPrefix(got, "f") || strings.Contains(got, "entries of") {
			t.Errorf("%s: got %.200s", name, got)
		}
	}
}

type blanks struct{}

func (blanks) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}
