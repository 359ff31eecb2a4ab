package embedded

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

const (
	throwawayPrefix = "recon-throwaway-"
	// sweepAge protects a directory that somebody is just making, before it is
	// locked.
	sweepAge = time.Minute
	// maxSweep bounds the work of one start.
	maxSweep = 32
)

// startThrowaway makes a cluster in a new directory, after removing those whose
// owners were killed.
func startThrowaway(ctx context.Context, o Options) (*Server, error) {
	tmp := cmp.Or(o.TempDir, "/tmp")
	sweep(ctx, o, tmp)
	root, err := os.MkdirTemp(tmp, throwawayPrefix)
	if err != nil {
		return nil, fmt.Errorf("directory for a throwaway PostgreSQL: %w", err)
	}
	c, err := locate(o, root)
	if err != nil {
		os.RemoveAll(root)
		return nil, err
	}
	s, err := c.start(ctx, o)
	if err != nil {
		c.remove()
		return nil, err
	}
	return s, nil
}

// remove deletes all there is of a throwaway cluster.
func (c *cluster) remove() {
	removeAll(c.root)
	removeAll(c.socket)
}

// sweep removes throwaway clusters that nobody holds any more. It is a courtesy:
// what cannot be removed is left, and reported to the log.
func sweep(ctx context.Context, o Options, tmp string) {
	dirs, _ := filepath.Glob(filepath.Join(tmp, throwawayPrefix+"*")) // the error is about the pattern only
	for _, dir := range dirs[:min(len(dirs), maxSweep)] {
		fi, err := os.Lstat(dir)
		if err != nil || !fi.IsDir() || time.Since(fi.ModTime()) < sweepAge {
			continue
		}
		if uid, _, ok := owner(dir); !ok || uid != os.Geteuid() {
			continue
		}
		if err := sweepOne(ctx, dir); err != nil {
			o.Log.Warn("left-over throwaway postgresql is not removed", "dir", dir, "error", err)
		}
	}
}

func sweepOne(ctx context.Context, dir string) error {
	c, err := locate(Options{Throwaway: true}, dir)
	if err != nil {
		return err
	}
	users, err := c.account.try(c.usersLock(), syscall.LOCK_EX)
	if err != nil || users == nil {
		return err // nil: its owner lives
	}
	defer users.release()
	// Where the kernel does not stop an orphaned server, we do.
	if err := c.shutdown(ctx, syscall.SIGQUIT); err != nil {
		return err
	}
	c.remove()
	return nil
}
