package recorder

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Limits of a spool. Where one is reached, adding fails: who must not lose a record must not go on then.
const (
	MaxSpoolFiles = 50_000
	MaxSpoolBytes = 256 << 20
	drainBatch    = 200 // records in one transaction of a drain
)

// ErrFull says that a limit of the spool is reached.
var ErrFull = errors.New("the spool is full")

// Names inside a spool's folder. Waiting records are named after their moment and delivery, so that names sort in the
// order of arrival.
const (
	waitingSuffix = ".record"
	writingSuffix = ".writing"
	refusedFolder = "refused" // records that the database will never take, and damaged files: for a person
	lockName      = "lock"
)

// A Spool keeps records on disk, one file each, until the database has them.
type Spool struct {
	Dir string
}

// Add keeps a record: when it returns, the record survives a power cut. Any number of processes may add at once.
func (s Spool) Add(r Record) error { return s.add(r, s.nameOf(r)) }

// nameOf is the path of a record's file, without its ending.
func (s Spool) nameOf(r Record) string {
	return filepath.Join(s.Dir, r.At.UTC().Format("20060102T150405.000000")+"-"+r.ID)
}

func (s Spool) add(r Record, name string) error {
	content, err := r.encode()
	if err != nil {
		return err
	}
	if err := s.make(); err != nil {
		return fmt.Errorf("spool: %w", err)
	}
	if err := s.room(len(content)); err != nil {
		return err
	}
	if err := writeSynced(name+writingSuffix, content); err != nil {
		_ = os.Remove(name + writingSuffix)
		return fmt.Errorf("spool: %w", err)
	}
	if err := os.Rename(name+writingSuffix, name+waitingSuffix); err != nil {
		return fmt.Errorf("spool: %w", err)
	}
	return syncFolder(s.Dir)
}

func writeSynced(name string, content []byte) error {
	f, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	return errors.Join(err, f.Sync(), f.Close())
}

// syncFolder makes names in a folder survive a power cut.
func syncFolder(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return fmt.Errorf("spool: %w", err)
	}
	defer f.Close()
	if err := f.Sync(); err != nil {
		return fmt.Errorf("spool: %w", err)
	}
	return nil
}

// room checks the limits.
func (s Spool) room(bytes int) error {
	entries, err := os.ReadDir(s.Dir)
	if err != nil {
		return fmt.Errorf("spool: %w", err)
	}
	total := int64(bytes)
	for _, e := range entries {
		if info, err := e.Info(); err == nil { // else a drain has just taken it away
			total += info.Size()
		}
	}
	if len(entries) >= MaxSpoolFiles || total > MaxSpoolBytes {
		return fmt.Errorf("%w: %d files in %s: run recon-hook drain", ErrFull, len(entries), s.Dir)
	}
	return nil
}

// waiting lists the records that wait, oldest first. A folder that is not there has none.
func (s Spool) waiting() ([]string, error) { return s.names(waitingSuffix) }

// names lists the files with one of some endings, in the order of their moments.
func (s Spool) names(suffixes ...string) ([]string, error) {
	entries, err := os.ReadDir(s.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("spool: %w", err)
	}
	var names []string
	for _, e := range entries {
		if slices.ContainsFunc(suffixes, func(suffix string) bool { return strings.HasSuffix(e.Name(), suffix) }) {
			names = append(names, e.Name())
		}
	}
	return names, nil
}

// Status says how a spool stands, for monitoring.
type Status struct {
	Waiting int
	Oldest  time.Time // moment of the oldest waiting record; zero if none waits
	Refused int       // records for a person to look at
	Killed  int       // hooks that were killed before they answered; a drain makes records of them
}

// Status looks at a spool without changing it.
func (s Spool) Status() (Status, error) {
	names, err := s.waiting()
	if err != nil {
		return Status{}, err
	}
	status := Status{Waiting: len(names)}
	if len(names) > 0 {
		moment, _, _ := strings.Cut(names[0], "-")
		if status.Oldest, err = time.ParseInLocation("20060102T150405.000000", moment, time.UTC); err != nil {
			status.Oldest = time.Time{}
		}
	}
	begun, err := s.names(begunSuffix)
	if err != nil {
		return status, err
	}
	for _, name := range begun {
		_, killed, unlock := s.killed(name)
		unlock()
		if killed {
			status.Killed++
		}
	}
	refused, err := os.ReadDir(filepath.Join(s.Dir, refusedFolder))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return status, fmt.Errorf("spool: %w", err)
	}
	for _, e := range refused {
		if strings.HasSuffix(e.Name(), waitingSuffix) {
			status.Refused++
		}
	}
	return status, nil
}

// Drained is what a drain did.
type Drained struct {
	Written int // records that are in the database now
	Refused int // records that were put aside, each with its reason beside it
	Left    int // records that still wait
	Busy    bool
}

// Drain writes waiting records, oldest first, until none is left or the context ends. Each is recorded once, however
// often drains are killed. One process drains at a time; for the others Busy is set.
func (s Spool) Drain(ctx context.Context, db *DB) (done Drained, err error) {
	names, err := s.names(waitingSuffix, begunSuffix)
	if err != nil || len(names) == 0 {
		return done, err
	}
	unlock, err := tryLock(filepath.Join(s.Dir, lockName))
	if err != nil {
		return done, fmt.Errorf("spool: %w", err)
	}
	if unlock == nil {
		done.Busy = true
		return done, nil
	}
	defer unlock()
	if err := s.collect(); err != nil {
		return done, err
	}
	for ctx.Err() == nil {
		names, err := s.waiting()
		if err != nil || len(names) == 0 {
			return done, err
		}
		done.Left = len(names)
		if err := s.drainSome(ctx, db, names[:min(len(names), drainBatch)], &done); err != nil {
			return done, err
		}
		done.Left = len(names) - min(len(names), drainBatch)
	}
	return done, ctx.Err()
}

// drainSome writes a batch in one transaction. If the database refuses one of its records, each goes alone.
func (s Spool) drainSome(ctx context.Context, db *DB, names []string, done *Drained) error {
	batch, records, err := s.load(names, done)
	if err != nil || len(batch) == 0 {
		return err
	}
	err = s.move(ctx, db, batch, records, done)
	if !errors.Is(err, ErrRefused) {
		return err
	}
	for i := range batch {
		err := s.move(ctx, db, batch[i:i+1], records[i:i+1], done)
		if errors.Is(err, ErrRefused) {
			err = s.putAside(batch[i], err, done)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// load reads records. Damaged ones are put aside.
func (s Spool) load(names []string, done *Drained) (batch []string, records []Record, err error) {
	for _, name := range names {
		content, err := os.ReadFile(filepath.Join(s.Dir, name))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, nil, fmt.Errorf("spool: %w", err)
		}
		r, err := decode(content)
		if err != nil {
			if err := s.putAside(name, err, done); err != nil {
				return nil, nil, err
			}
			continue
		}
		batch, records = append(batch, name), append(records, r)
	}
	return batch, records, nil
}

// move writes records and takes their files away. After a kill or a power cut in between they are sent again, and add
// nothing.
func (s Spool) move(ctx context.Context, db *DB, names []string, records []Record, done *Drained) error {
	if err := db.Write(ctx, records); err != nil {
		return err
	}
	for _, name := range names {
		if err := os.Remove(filepath.Join(s.Dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("spool: %w", err)
		}
	}
	done.Written += len(names)
	return nil
}

// make makes the folder, for its owner only. The folders above stay open to others: the private PostgreSQL, which runs
// as another account, lives beside the spool.
func (s Spool) make() error {
	if err := os.MkdirAll(filepath.Dir(s.Dir), 0o755); err != nil {
		return err
	}
	if err := os.Mkdir(s.Dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}

// putAside keeps a record that cannot be written, with the reason, for a person.
func (s Spool) putAside(name string, reason error, done *Drained) error {
	folder := filepath.Join(s.Dir, refusedFolder)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return fmt.Errorf("spool: %w", err)
	}
	if err := os.WriteFile(filepath.Join(folder, name+".reason"), []byte(reason.Error()+"\n"), 0o600); err != nil {
		return fmt.Errorf("spool: %w", err)
	}
	if err := os.Rename(filepath.Join(s.Dir, name), filepath.Join(folder, name)); err != nil {
		return fmt.Errorf("spool: %w", err)
	}
	done.Refused++
	return nil
}

// Sweep removes half-written files that killed processes left more than an hour before now, which were never
// acknowledged, and markers as old that say nothing.
func (s Spool) Sweep(now time.Time) {
	names, _ := filepath.Glob(filepath.Join(s.Dir, "*"+writingSuffix))
	for _, name := range names {
		if info, err := os.Stat(name); err == nil && now.Sub(info.ModTime()) > time.Hour {
			_ = os.Remove(name)
		}
	}
	names, _ = filepath.Glob(filepath.Join(s.Dir, "*"+begunSuffix))
	for _, name := range names {
		_, killed, unlock := s.killed(filepath.Base(name))
		if info, err := os.Stat(name); !killed && err == nil && now.Sub(info.ModTime()) > markerLife {
			_ = os.Remove(name) // of another boot, or emptied; a hook lives for seconds
		}
		unlock()
	}
}
