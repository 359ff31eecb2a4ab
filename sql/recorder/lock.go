package recorder

import (
	"errors"
	"os"
	"syscall"
)

// tryLock takes the lock on a file, which the kernel gives back when the process ends. unlock is nil if another
// process has it.
func tryLock(path string) (unlock func(), err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	free, err := lockFile(f)
	if free {
		return func() { f.Close() }, nil
	}
	f.Close()
	return nil, err
}

// lockFile takes the lock on an open file. free is false if another process has it.
func lockFile(f *os.File) (free bool, err error) {
	for {
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if !errors.Is(err, syscall.EINTR) {
			break
		}
	}
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return false, nil
	}
	return err == nil, err
}
