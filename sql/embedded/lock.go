package embedded

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
	"time"
)

// A lock is a flock on a file, held until the file is closed by every process
// that has it. It is never unlocked explicitly: that would release it for the
// server's processes too, which inherit one.
type lock struct{ f *os.File }

// open opens or creates a file beside the cluster for reading and writing. What
// it creates belongs to the server's account, so that a service keeps access to
// a directory in which root ran the program once. Links are refused, and what
// exists keeps its owner: root may work here in a directory that somebody else
// can write to.
func (a account) open(path string, flag int) (*os.File, error) {
	flag |= os.O_RDWR | syscall.O_NOFOLLOW
	f, err := os.OpenFile(path, flag, 0)
	if !errors.Is(err, fs.ErrNotExist) {
		return f, err
	}
	f, err = os.OpenFile(path, flag|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) { // another program was faster
		return os.OpenFile(path, flag, 0)
	}
	if err != nil {
		return nil, err
	}
	if a.drop {
		if err := f.Chown(a.uid, a.gid); err != nil {
			f.Close()
			return nil, a.explain(err)
		}
	}
	return f, nil
}

// try takes the lock if it is free. A nil lock and a nil error mean that
// somebody else holds it. how is syscall.LOCK_SH or LOCK_EX.
func (a account) try(path string, how int) (*lock, error) {
	f, err := a.open(path, 0)
	if err != nil {
		return nil, err
	}
	for {
		err = syscall.Flock(int(f.Fd()), how|syscall.LOCK_NB)
		if !errors.Is(err, syscall.EINTR) {
			break
		}
	}
	if err == nil {
		return &lock{f}, nil
	}
	f.Close()
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return nil, nil
	}
	return nil, fmt.Errorf("lock %s: %w", path, err)
}

// wait takes the lock, and waits for it until ctx is done.
func (a account) wait(ctx context.Context, path string, how int) (*lock, error) {
	for {
		l, err := a.try(path, how)
		if l != nil || err != nil {
			return l, err
		}
		if err := pause(ctx, pollEvery); err != nil {
			return nil, fmt.Errorf("wait for another program that starts or stops the same PostgreSQL (it holds %s): %w", path, err)
		}
	}
}

// release gives up our hold. It may be called twice, and on a nil lock.
func (l *lock) release() {
	if l != nil {
		l.f.Close()
	}
}

// pollEvery is how often we look again at something that gives no notice: a
// lock, or a server that starts or stops.
const pollEvery = 10 * time.Millisecond

// pause sleeps, and returns why ctx ended if it ends first.
func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
