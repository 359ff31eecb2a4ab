package report

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"agentrecon/recon"
)

// Errors that a caller branches on. They are wrapped with the place and a remedy.
var (
	// ErrCannotCreate means that the output file cannot be made where it was asked for.
	ErrCannotCreate = errors.New("cannot create the workbook")
	// ErrCannotWrite means that writing began and could not be finished; nothing is left behind.
	ErrCannotWrite = errors.New("cannot write the workbook")
	// ErrTooLarge means that the report does not fit into a workbook.
	ErrTooLarge = errors.New("report too large for a workbook")
	// ErrInvalid means that the report or the options cannot be shown as they are.
	ErrInvalid = errors.New("report cannot be shown")
)

// Paper is the paper size that the sheets are laid out for.
type Paper string

// The paper sizes. The zero value is A4.
const (
	A4     Paper = "A4"
	Letter Paper = "Letter"
)

// Options are the choices that do not change what a workbook says.
type Options struct {
	Paper   Paper  // empty = A4
	TempDir string // for parts over 16 MB; must exist and be emptied by its owner; empty = the system's

	// Program is the version of the program that writes the workbook, for the key on the Cover; empty = not said.
	Program string
	// Baseline is the run that the report was asked to compare with, for the key on the Cover; 0 = none in particular.
	Baseline int64
	// AgreedFile is a file beside the workbook that lists the agreed attempts; nil = none.
	AgreedFile *AgreedFile
	// Agreed yields the full population of agreed attempts by the attempt's time and id, for sheets of their own and a
	// sample drawn from them; nil leaves both out. It is read once, row by row.
	Agreed func(context.Context) iter.Seq2[recon.AgreedPair, error]
}

func (o Options) validate() error {
	if o.Paper != "" && o.Paper != A4 && o.Paper != Letter {
		return fmt.Errorf("paper %q: expected %s or %s: %w", o.Paper, A4, Letter, ErrInvalid)
	}
	if o.TempDir == "" {
		return nil
	}
	// A folder that is missing would silently turn into memory use further down.
	if info, err := os.Stat(o.TempDir); err != nil || !info.IsDir() {
		return fmt.Errorf("temporary folder %q: expected a folder that exists: %w", o.TempDir, ErrCannotCreate)
	}
	return nil
}

// Summary says what was written, for the record of the export.
type Summary struct {
	SHA256      string      // of the file's bytes, lower-case hex
	PartsDigest string      // over the sorted names and hashes of the parts: independent of the compressor
	Rows        []SheetRows // list sheets in the order of the tabs
	Altered     int         // texts shown escaped or shortened, so that nothing is lost in silence
	State       State       // the word that the Cover leads with
	Sentence    string      // the result in one sentence, as on the Cover
}

// SheetRows is how many items a list sheet has.
type SheetRows struct {
	Sheet Sheet
	Rows  int
}

// Write writes the workbook of a report. The same report gives the same bytes. A cancelled context ends it with the
// context's error; what was written to w by then is worthless.
func Write(ctx context.Context, w io.Writer, r *recon.Report, opts Options) (Summary, error) {
	if err := opts.validate(); err != nil {
		return Summary{}, err
	}
	hash := sha256.New()
	sum, err := writeWorkbook(ctx, io.MultiWriter(w, hash), r, opts)
	if file := (*fs.PathError)(nil); errors.As(err, &file) && !errors.Is(err, ErrCannotWrite) && !errors.Is(err, ErrCannotCreate) {
		err = &temporaryError{folder: filepath.Dir(file.Path), err: err} // rows wait in files of their own
	}
	if err != nil {
		return Summary{}, err
	}
	sum.SHA256 = hex.EncodeToString(hash.Sum(nil))
	return sum, nil
}

// WriteFile writes the workbook to a file that only its owner may read, whole or not at all: it is made under another
// name in the same folder, flushed to disk and renamed. After an error or a cancelled context nothing is left, and a
// file that was there before is untouched. Errors wrap [ErrCannotCreate] or [ErrCannotWrite], or the context's error.
func WriteFile(ctx context.Context, path string, r *recon.Report, opts Options) (sum Summary, err error) {
	err = WriteWhole(path, func(w io.Writer) (err error) {
		sum, err = Write(ctx, w, r, opts)
		return err
	})
	if err != nil {
		return Summary{}, err
	}
	return sum, nil
}

// WriteWhole writes a file as [WriteFile] does: private, whole or not at all. What an earlier process left behind when it was
// killed is removed.
func WriteWhole(path string, write func(io.Writer) error) (err error) {
	if info, statErr := os.Stat(path); statErr == nil && info.IsDir() {
		return fmt.Errorf("%s: is a folder, name a file in it: %w", path, ErrCannotCreate)
	}
	asked := path
	if path, err = target(path); err != nil {
		return fmt.Errorf("%s: %v: %w", asked, reason(err), ErrCannotCreate)
	}
	folder := filepath.Dir(path)
	file, err := os.CreateTemp(folder, partName(path, "*")) // 0600
	if err != nil {
		return createError(asked, folder, err)
	}
	_ = lock(file) // until it is closed; see Abandoned
	defer func() {
		if err != nil {
			_ = file.Close()
			_ = os.Remove(file.Name())
		}
	}()
	sweep(file, path)
	if err = write(file); err != nil {
		var temporary *temporaryError
		if errors.Is(err, ErrCannotWrite) && !errors.As(err, &temporary) {
			return fmt.Errorf("%s: %w", asked, err)
		}
		return err
	}
	if err = finish(file, path); err != nil {
		return fmt.Errorf("%s: %v: %w", asked, reason(err), ErrCannotWrite)
	}
	// From here on the file is complete under its name; a folder that cannot be flushed is still an error to report.
	if syncErr := syncFolder(folder); syncErr != nil {
		return fmt.Errorf("%s: folder not flushed to disk: %v: %w", path, reason(syncErr), ErrCannotWrite)
	}
	return nil
}

// maxLinks is how many links lead from one to the next before they are taken for a circle.
const maxLinks = 40

// target is the file that a path stands for: a link is followed, so that the link stays and what it leads to is written.
func target(path string) (string, error) {
	for range maxLinks {
		info, err := os.Lstat(path)
		if err != nil || info.Mode()&fs.ModeSymlink == 0 {
			return path, nil // what is not there yet is made
		}
		next, err := os.Readlink(path)
		if err != nil {
			return "", err
		}
		if !filepath.IsAbs(next) {
			next = filepath.Join(filepath.Dir(path), next)
		}
		path = next
	}
	return "", syscall.ELOOP
}

// temporaryError says that the temporary folder, and not the output, cannot be written to.
type temporaryError struct {
	folder string
	err    error
}

func (e *temporaryError) Error() string {
	return fmt.Sprintf("temporary folder %q: %v (TMPDIR names another): %v", e.folder, reason(e.err), ErrCannotWrite)
}

// Unwrap makes it an [ErrCannotWrite] that keeps its cause.
func (e *temporaryError) Unwrap() []error { return []error{e.err, ErrCannotWrite} }

// partName is the name of the file that is written before it gets its own.
func partName(path, unique string) string { return "." + filepath.Base(path) + "." + unique + ".part" }

// sweep removes what killed processes left of the same file. The new file tells what time it is. It does its best: a
// leftover that stays is no reason to write nothing.
func sweep(fresh *os.File, path string) {
	folder := filepath.Dir(path)
	now, err := fresh.Stat()
	if err != nil {
		return
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		return
	}
	prefix, suffix, _ := strings.Cut(partName(path, "\x00"), "\x00")
	for _, entry := range entries {
		if !strings.HasPrefix(entry.Name(), prefix) || !strings.HasSuffix(entry.Name(), suffix) {
			continue
		}
		if left := filepath.Join(folder, entry.Name()); !entry.IsDir() && Abandoned(left, now.ModTime()) {
			_ = os.Remove(left)
		}
	}
}

// finish makes sure that the bytes are on disk before the name points to them.
func finish(file *os.File, path string) error {
	if err := file.Sync(); err != nil {
		return err
	}
	if err := file.Close(); err != nil {
		return err
	}
	return os.Rename(file.Name(), path)
}

// syncFolder makes sure that the name is on disk too.
func syncFolder(folder string) error {
	dir, err := os.Open(folder)
	if err != nil {
		return err
	}
	defer func() { _ = dir.Close() }()
	// Some file systems cannot flush a folder and say so; the file itself is safe on them.
	if err := dir.Sync(); err != nil && !errors.Is(err, syscall.EINVAL) && !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	return nil
}

// createError says in one sentence why no file can be made in a folder, and what to do.
func createError(path, folder string, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s: folder %q does not exist, make it or name another: %w", path, folder, ErrCannotCreate)
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return fmt.Errorf("%s: folder %q may not be written to, change its rights or name another: %w", path, folder, ErrCannotCreate)
	case errors.Is(err, syscall.ENOTDIR):
		return fmt.Errorf("%s: %q is not a folder, name another: %w", path, folder, ErrCannotCreate)
	default:
		return fmt.Errorf("%s: %v: %w", path, reason(err), ErrCannotCreate)
	}
}

// reason is the innermost sentence of a file error: the outer ones name the temporary file, which means nothing to a
// person.
func reason(err error) error {
	var pathError *fs.PathError
	if errors.As(err, &pathError) {
		return pathError.Err
	}
	var linkError *os.LinkError
	if errors.As(err, &linkError) {
		return linkError.Err
	}
	return err
}
