package report

import (
	"errors"
	"os"
	"syscall"
	"time"
)

// What a process is writing is held by a lock, which the system lets go when the process ends, however it ends. So what a
// killed process left is told from what another one is writing, without numbers of processes that may have been reused.
const (
	// heldFrom is how old something is before its lock is believed: its owner may not have come to lock it.
	heldFrom = time.Minute
	// abandoned is how old something is before nobody can be writing it any more, where a file system knows no locks.
	abandoned = 24 * time.Hour
)

// Hold locks a file or folder that this process made, until release is called or the process ends. Where the file system
// knows no locks nothing is held.
func Hold(path string) (release func(), err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	_ = lock(f)
	return func() { _ = f.Close() }, nil
}

func lock(f *os.File) error { return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) }

// Abandoned reports whether the process that made a file or folder is gone. now is the time of the file system, as a fresh
// file there tells it. Links are nobody's.
func Abandoned(path string, now time.Time) bool {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() && !info.IsDir() {
		return false
	}
	age := now.Sub(info.ModTime())
	if age <= heldFrom {
		return false
	}
	f, err := os.Open(path)
	if err != nil {
		return false // another user's
	}
	defer func() { _ = f.Close() }()
	switch err := lock(f); {
	case err == nil:
		return true
	case errors.Is(err, syscall.EWOULDBLOCK):
		return false
	default:
		return age > abandoned
	}
}
