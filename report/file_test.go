package report_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"agentrecon/report"
	"agentrecon/report/reporttest"
)

func TestWriteFileIsPrivateAndWhole(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "q1.xlsx")
	if err := os.WriteFile(path, []byte("an older report"), 0o644); err != nil {
		t.Fatal(err)
	}
	sum, err := report.WriteFile(t.Context(), path, reporttest.Nil(), report.Options{})
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := info.Mode().Perm(), fs.FileMode(0o600); got != want {
		t.Errorf("got mode %v, want %v", got, want)
	}
	entries, err := os.ReadDir(folder)
	if err != nil || len(entries) != 1 {
		t.Errorf("got %v in the folder (%v), want the workbook alone", entries, err)
	}
	workbook, _ := write(t, reporttest.Nil(), report.Options{})
	if got, err := os.ReadFile(path); err != nil || string(got) != string(workbook) || sum.SHA256 == "" {
		t.Errorf("got another file than Write gives (%v)", err)
	}
}

func TestWriteFileSaysWhereItCannot(t *testing.T) {
	folder := t.TempDir()
	plain := filepath.Join(folder, "plain")
	if err := os.WriteFile(plain, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name, path, want string
	}{
		{"a folder that is missing", filepath.Join(folder, "no", "q1.xlsx"), "does not exist, make it or name another"},
		{"a folder that is a file", filepath.Join(plain, "q1.xlsx"), "is not a folder, name another"},
		{"a file that is a folder", folder, "is a folder, name a file in it"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := report.WriteFile(t.Context(), test.path, reporttest.Nil(), report.Options{})
			if !errors.Is(err, report.ErrCannotCreate) {
				t.Fatalf("got %v, want ErrCannotCreate", err)
			}
			if !strings.HasPrefix(err.Error(), test.path+": ") || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), ".part") {
				t.Errorf("got %q, want the path and %q", err, test.want)
			}
		})
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) != 1 {
		t.Errorf("got %v in the folder (%v), want nothing new", left, err)
	}
}

func TestAFailedWriteLeavesTheOldFile(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "q1.xlsx")
	if err := os.WriteFile(path, []byte("an older report"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := report.WriteFile(t.Context(), path, reporttest.Nil(), report.Options{TempDir: filepath.Join(folder, "none")}); !errors.Is(err, report.ErrCannotCreate) {
		t.Fatalf("got %v, want ErrCannotCreate: a missing temporary folder must not turn into memory in silence", err)
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != "an older report" {
		t.Errorf("got %q (%v), want the older report untouched", got, err)
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) != 1 {
		t.Errorf("got %v in the folder (%v), want the older report alone", left, err)
	}
}

// fullDisk takes so many bytes and then has no room.
type fullDisk struct{ room int }

var errFull = errors.New("no space left on device")

func (d *fullDisk) Write(b []byte) (int, error) {
	if d.room -= len(b); d.room < 0 {
		return 0, errFull
	}
	return len(b), nil
}

func TestAFullDiskIsAnError(t *testing.T) {
	for _, room := range []int{0, 100, 20_000} {
		_, err := report.Write(t.Context(), &fullDisk{room}, reporttest.Nil(), report.Options{})
		if !errors.Is(err, report.ErrCannotWrite) {
			t.Fatalf("with room for %d bytes: got %v, want ErrCannotWrite", room, err)
		}
		if got, want := err.Error(), "no space left on device: cannot write the workbook"; got != want {
			t.Errorf("with room for %d bytes: got %q, want %q", room, got, want)
		}
	}
}

func TestLeftoversOfKilledProcessesAreRemoved(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "q1.xlsx")
	now := time.Now()
	for name, age := range map[string]time.Duration{
		".q1.xlsx.123.part": 48 * time.Hour, ".q1.xlsx.456.part": 10 * time.Second, ".q2.xlsx.123.part": 48 * time.Hour, "q1.xlsx.part": 48 * time.Hour,
	} {
		file := filepath.Join(folder, name)
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(file, now.Add(-age), now.Add(-age)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := report.WriteFile(t.Context(), path, reporttest.Nil(), report.Options{}); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if want := []string{".q1.xlsx.456.part", ".q2.xlsx.123.part", "q1.xlsx", "q1.xlsx.part"}; !slices.Equal(got, want) {
		t.Errorf("got %v in the folder, want %v: only what was abandoned of this file goes", got, want)
	}
}
