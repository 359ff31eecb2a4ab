package recorder

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

const (
	begunSuffix = ".begun"
	// bootFile changes with every start of the machine.
	bootFile = "/proc/sys/kernel/random/boot_id"
	// maxMarkerBytes bounds what is read of a marker: a record with its payload, as JSON.
	maxMarkerBytes = 8 * MaxPayload
	// markerLife is how long a marker of another boot, or of another machine that shares the folder, is left alone.
	markerLife = time.Hour
)

// A Marker says that a hook is at work on a record and has not answered. Who finds one whose process is dead knows that
// the hook was killed before it answered, and nothing else: not whether the harness made the call all the same.
//
// It must never say so wrongly:
//   - The hook takes it away before it answers. Killed in between, it leaves no evidence rather than a wrong one.
//   - The process is dead if its lock on the marker is free. The kernel keeps it as long as the process lives, stopped or
//     frozen or not; numbers of processes come again and would not do.
//   - After a power cut a marker may come back that had been taken away, for nothing is synced here. So it names the boot
//     of the machine, and one of another boot says nothing. Where the boot has no name, no markers are made.
//   - A copy of a marker has no lock. So it names its file too, which a copy is not.
type Marker struct{ file *os.File }

// Begin marks that a hook works on a record and has not answered.
func (s Spool) Begin(r Record) (*Marker, error) {
	boot := bootID()
	if boot == "" {
		return nil, errors.ErrUnsupported
	}
	content, err := r.encode()
	if err != nil {
		return nil, err
	}
	if err := s.make(); err != nil {
		return nil, fmt.Errorf("spool: %w", err)
	}
	name := s.nameOf(r) + begunSuffix
	// Its final name comes last: who sees it finds it whole and locked.
	f, err := os.OpenFile(name+writingSuffix, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("spool: %w", err)
	}
	free, err := lockFile(f)
	if err == nil && !free {
		err = errors.New("another process holds the lock on a new marker")
	}
	if err == nil {
		var origin string
		if origin, err = originOf(f, boot); err == nil {
			_, err = f.Write(append(content, origin...))
		}
	}
	if err == nil {
		err = os.Rename(name+writingSuffix, name)
	}
	if err != nil {
		_ = os.Remove(name + writingSuffix)
		f.Close()
		return nil, fmt.Errorf("spool: %w", err)
	}
	return &Marker{f}, nil
}

// End takes the marker away; the hook answers after it. A marker that cannot be removed is emptied, for an empty one
// says nothing. The lock stays with the process. A nil marker has nothing to take away.
func (m *Marker) End() error {
	if m == nil {
		return nil
	}
	removed := os.Remove(strings.TrimSuffix(m.file.Name(), writingSuffix))
	if removed == nil {
		return nil
	}
	if emptied := m.file.Truncate(0); emptied != nil {
		return fmt.Errorf("spool: %w", errors.Join(removed, emptied))
	}
	return nil
}

// originOf names a boot and a file: what a marker ends with, and what no copy of it can claim.
func originOf(f *os.File, boot string) (string, error) {
	var stat syscall.Stat_t
	if err := syscall.Fstat(int(f.Fd()), &stat); err != nil {
		return "", err
	}
	return fmt.Sprintf("%s %d", boot, stat.Ino), nil
}

// bootID names the boot of the machine; empty if it has no name.
func bootID() string {
	id, err := os.ReadFile(bootFile)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(id))
}

// killed reads the record of a marker if its process died before it answered; ok is false if it is alive, has answered,
// or if nobody can say. unlock, to be called in any case, gives the lock back.
func (s Spool) killed(name string) (r Record, ok bool, unlock func()) {
	unlock = func() {}
	f, err := os.OpenFile(filepath.Join(s.Dir, name), os.O_RDONLY, 0)
	if err != nil {
		return r, false, unlock
	}
	unlock = func() { f.Close() }
	if free, err := lockFile(f); err != nil || !free {
		return r, false, unlock
	}
	// Between the opening and the lock the hook may have removed it, answered and ended.
	opened, err := f.Stat()
	named, errNamed := os.Stat(filepath.Join(s.Dir, name))
	if err != nil || errNamed != nil || !os.SameFile(opened, named) || opened.Size() > maxMarkerBytes {
		return r, false, unlock
	}
	content, err := os.ReadFile(filepath.Join(s.Dir, name))
	if err != nil {
		return r, false, unlock
	}
	record, origin, _ := strings.Cut(string(content), "\n")
	if here, err := originOf(f, bootID()); err != nil || origin != here {
		return r, false, unlock
	}
	r, err = decode([]byte(record + "\n"))
	r.Killed = true
	return r, err == nil, unlock
}

// collect turns the markers of killed hooks into records. The drain's lock must be held.
func (s Spool) collect() error {
	names, err := s.names(begunSuffix)
	if err != nil {
		return err
	}
	for _, name := range names {
		r, ok, unlock := s.killed(name)
		if ok {
			// The record first: a kill in between makes it once more, under the same name.
			path := s.nameOf(r) + "-killed"
			_ = os.Remove(path + writingSuffix)
			if err = s.add(r, path); err == nil {
				err = os.Remove(filepath.Join(s.Dir, name))
			}
		}
		unlock()
		if errors.Is(err, ErrFull) {
			return nil // the drain makes room; the next one collects
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("spool: %w", err)
		}
	}
	return nil
}
