package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"agentrecon/sql"
)

const (
	// inboxImported and inboxRefused are the folders of an inbox that its files are moved to.
	inboxImported = "imported"
	inboxRefused  = "refused"
	// inboxRest is how long a file must have been left alone: one that is still being copied is no statement yet.
	inboxRest = 10 * time.Second
)

// inbox is a folder that ledger files are dropped into. Each is imported before the next run and moved away, so that
// the folder shows what is still to come. A file that is imported and not yet moved when the program is killed is
// imported again, which adds nothing.
type inbox struct {
	folder string
	load   func(ctx context.Context, path string) (sql.ImportResult, error)
	now    func() time.Time
	log    *slog.Logger
}

// received is what an inbox held.
type received struct {
	imported []string
	refused  []string // each with its reason
}

// String is a line for the nightly message, nothing if there was no file.
func (r received) String() string {
	if len(r.imported)+len(r.refused) == 0 {
		return ""
	}
	text := fmt.Sprintf("inbox: %s imported", plural(len(r.imported), "file"))
	if len(r.refused) > 0 {
		text += fmt.Sprintf(", %d refused: %s", len(r.refused), strings.Join(r.refused, "; "))
	}
	return text + "\n"
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// openInbox makes the folders of an inbox.
func openInbox(folder string) error {
	for _, sub := range []string{inboxImported, inboxRefused} {
		if err := makeFolder(filepath.Join(folder, sub), 0o700); err != nil {
			return err
		}
		if err := writable(filepath.Join(folder, sub, "x")); err != nil {
			return err
		}
	}
	return nil
}

// empty imports the files of the inbox in the order of their names. A file that cannot be read as what it should be is
// refused with its reason beside it and keeps nobody from running; any other error stops, and leaves the file in place.
// No inbox (nil) holds nothing.
func (b *inbox) empty(ctx context.Context) (received, error) {
	var r received
	if b == nil {
		return r, nil
	}
	files, err := b.waiting()
	if err != nil {
		return r, err
	}
	for _, name := range files {
		path := filepath.Join(b.folder, name)
		result, err := b.load(ctx, path)
		switch {
		case err != nil && exitCode(err) == exitData:
			if err := b.refuse(path, err); err != nil {
				return r, err
			}
			r.refused = append(r.refused, inOneLine(err))
		case err != nil:
			return r, fmt.Errorf("inbox: %s: %w", name, err)
		default:
			b.log.Info("imported", "file", name, "rows", result.File.Rows, "new", result.File.New)
			if err := b.moveWithTotals(inboxImported, path); err != nil {
				return r, err
			}
			r.imported = append(r.imported, name)
		}
	}
	return r, nil
}

// waiting are the files that are to be imported now.
func (b *inbox) waiting() ([]string, error) {
	entries, err := os.ReadDir(b.folder)
	if err != nil {
		return nil, inputError{fmt.Errorf("inbox: %w", err)}
	}
	var names []string
	for _, entry := range entries {
		name := entry.Name()
		info, err := entry.Info()
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue // taken away meanwhile
		case err != nil:
			return nil, inputError{fmt.Errorf("inbox: %w", err)}
		case !info.Mode().IsRegular() || name[0] == '.' || unfinished(name) || strings.HasSuffix(name, expectSuffix):
			continue
		case b.now().Sub(info.ModTime()) < inboxRest:
			b.log.Info("left for the next run: still being written", "file", name)
			continue
		}
		names = append(names, name)
	}
	slices.Sort(names)
	return names, nil
}

// moveWithTotals moves a file into a folder of the inbox, and with it the control totals that were beside it.
func (b *inbox) moveWithTotals(folder, path string) error {
	to, err := moveInto(filepath.Join(b.folder, folder), path)
	if err != nil {
		return err
	}
	if err := os.Rename(path+expectSuffix, to+expectSuffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w: %w", errOutput, err)
	}
	return nil
}

// unfinished tells by its name that a file is being copied or downloaded.
func unfinished(name string) bool {
	return slices.Contains([]string{".part", ".partial", ".tmp", ".crdownload", ".filepart"}, strings.ToLower(filepath.Ext(name))) || strings.HasSuffix(name, "~")
}

// refuse moves a file aside and writes beside it why.
func (b *inbox) refuse(path string, why error) error {
	b.log.Error("refused", "file", filepath.Base(path), "error", why)
	moved, err := moveInto(filepath.Join(b.folder, inboxRefused), path)
	if err != nil {
		return err
	}
	if err := os.WriteFile(moved+".error.txt", []byte(why.Error()+"\n"), 0o600); err != nil {
		return fmt.Errorf("%w: %w", errOutput, err)
	}
	return nil
}

// moveInto moves a file into a folder under its own name, or the next one that is free.
func moveInto(folder, path string) (string, error) {
	ext := filepath.Ext(path)
	stem := strings.TrimSuffix(filepath.Base(path), ext)
	for n := 1; ; n++ {
		to := filepath.Join(folder, stem+ext)
		if n > 1 {
			to = filepath.Join(folder, fmt.Sprintf("%s-%d%s", stem, n, ext))
		}
		// A link refuses a name that is taken; a rename would replace the file there.
		err := os.Link(path, to)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err == nil {
			err = os.Remove(path)
		}
		if err != nil {
			return "", fmt.Errorf("%w: %w", errOutput, err)
		}
		return to, nil
	}
}

// inOneLine is an error on one line that a message has room for.
func inOneLine(err error) string {
	const room = 300
	text := strings.Join(strings.Fields(err.Error()), " ")
	if cut := []rune(text); len(cut) > room {
		return string(cut[:room]) + "…"
	}
	return text
}
