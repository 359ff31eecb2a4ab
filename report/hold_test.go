package report_test

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"agentrecon/report"
	"agentrecon/report/reporttest"
)

// holdEnv names a folder that a second process of this test holds until it is killed.
const holdEnv = "RECON_TEST_HOLD"

// TestHoldsUntilKilled is the second process; it waits for the end of its input, which comes only if its parent is gone.
func TestHoldsUntilKilled(t *testing.T) {
	folder := os.Getenv(holdEnv)
	if folder == "" {
		return // only a process that the test below starts has anything to hold
	}
	if _, err := report.Hold(folder); err != nil {
		t.Fatal(err)
	}
	os.Stdout.WriteString("held\n")
	_, _ = io.Copy(io.Discard, os.Stdin)
}

// What a killed process left is abandoned at once, what a living one holds is not, however old it looks.
func TestAbandonedIsWhatNoLivingProcessHolds(t *testing.T) {
	folder := t.TempDir()
	now := time.Date(2025, 4, 7, 12, 0, 0, 0, time.UTC)
	aged := func(path string, age time.Duration) {
		t.Helper()
		if err := os.Chtimes(path, now.Add(-age), now.Add(-age)); err != nil {
			t.Fatal(err)
		}
	}
	aged(folder, 25*time.Hour)
	if !report.Abandoned(folder, now) {
		t.Error("got a folder that nobody holds taken for held")
	}
	aged(folder, 30*time.Second)
	if report.Abandoned(folder, now) {
		t.Error("got a folder that was just made taken for abandoned: its owner may not have come to hold it")
	}
	aged(folder, 25*time.Hour)

	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestHoldsUntilKilled$")
	cmd.Env = append(os.Environ(), holdEnv+"="+folder)
	input, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = input.Close() }()
	output, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(output, make([]byte, len("held\n"))); err != nil {
		t.Fatal(err)
	}
	if report.Abandoned(folder, now) {
		t.Error("got a folder that a living process holds taken for abandoned")
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it says that the process was killed
	if !report.Abandoned(folder, now) {
		t.Error("got a folder whose process was killed taken for held")
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(folder, link); err != nil {
		t.Fatal(err)
	}
	if report.Abandoned(link, now) {
		t.Error("got a link taken for something that was left behind")
	}
}

// A link stays one, and what it leads to is written, whether it is there or not.
func TestALinkIsFollowed(t *testing.T) {
	folder := t.TempDir()
	other := filepath.Join(folder, "other")
	if err := os.Mkdir(other, 0o700); err != nil {
		t.Fatal(err)
	}
	for link, leads := range map[string]string{
		"there.xlsx":  filepath.Join(other, "there.xlsx"),
		"relative":    filepath.Join("other", "relative.xlsx"),
		"of-a-link":   filepath.Join(folder, "relative"),
		"circle":      filepath.Join(folder, "circle"),
		"nowhere":     filepath.Join(folder, "none", "x.xlsx"),
		"to-a-folder": other,
	} {
		if err := os.Symlink(leads, filepath.Join(folder, link)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(other, "there.xlsx"), []byte("an older report"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ link, written string }{
		{"there.xlsx", "there.xlsx"}, {"relative", "relative.xlsx"}, {"of-a-link", "relative.xlsx"},
	} {
		path := filepath.Join(folder, test.link)
		if _, err := report.WriteFile(t.Context(), path, reporttest.Nil(), report.Options{}); err != nil {
			t.Fatal(err)
		}
		info, err := os.Lstat(path)
		if err != nil || info.Mode()&os.ModeSymlink == 0 {
			t.Errorf("%s: got %v (%v), want the link as it was", test.link, info.Mode(), err)
		}
		written, err := os.Stat(filepath.Join(other, test.written))
		if err != nil || written.Size() < 1000 || written.Mode().Perm() != 0o600 {
			t.Errorf("%s: got %v (%v), want the workbook, for its owner alone", test.written, written, err)
		}
	}
	for _, link := range []string{"circle", "nowhere", "to-a-folder"} {
		if _, err := report.WriteFile(t.Context(), filepath.Join(folder, link), reporttest.Nil(), report.Options{}); !errors.Is(err, report.ErrCannotCreate) {
			t.Errorf("%s: got %v, want ErrCannotCreate", link, err)
		}
	}
}

// An error says which place is full: that of the output, or that of the parts.
func TestAFullDiskIsNamed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "q1.xlsx")
	err := report.WriteWhole(path, func(io.Writer) error {
		_, err := report.Write(t.Context(), &fullDisk{100}, reporttest.Nil(), report.Options{})
		return err
	})
	if !errors.Is(err, report.ErrCannotWrite) || !strings.HasPrefix(err.Error(), path+": no space left on device") {
		t.Errorf("got %v, want the output named", err)
	}
}
