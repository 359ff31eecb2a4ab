package embedded

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"time"
)

const (
	// startTimeout bounds the wait for a server that starts, recovers after a
	// crash, or is on its way out. A caller's context may be shorter.
	startTimeout = 2 * time.Minute
	// orphanTimeout bounds the wait for backends that outlive a killed
	// postmaster: they notice within seconds unless they are busy.
	orphanTimeout = 10 * time.Second
	// maxLogSize is when a log file is put aside, once, at a start.
	maxLogSize = 16 << 20
)

// Start starts the cluster's server, or attaches to the one that runs, and
// returns when it takes queries. It creates the cluster if there is none. If ctx
// ends first, nothing half-made is left behind. Errors wrap [ErrNoBinaries] or
// [ErrWrongMajor] where they apply, and ctx's own.
//
// A program that wants to stop the server when it is told to end must catch the
// signal before it calls Start.
func Start(ctx context.Context, o Options) (*Server, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, startTimeout,
		fmt.Errorf("PostgreSQL was not ready within %v", startTimeout))
	defer cancel()
	if o.Throwaway {
		return startThrowaway(ctx, o)
	}
	if o.Dir == "" {
		return nil, errors.New("no directory for the embedded PostgreSQL: set --state-dir, XDG_STATE_HOME or HOME, or set DATABASE_URL")
	}
	c, err := locate(o, o.Dir)
	if err != nil {
		return nil, err
	}
	return c.start(ctx, o)
}

// start does the work under the start lock, and as one more user.
func (c *cluster) start(ctx context.Context, o Options) (*Server, error) {
	began := time.Now()
	starting, err := c.account.wait(ctx, c.startLock(), syscall.LOCK_EX)
	if err != nil {
		return nil, c.hint(err)
	}
	defer starting.release()
	users, err := c.account.wait(ctx, c.usersLock(), syscall.LOCK_SH)
	if err != nil {
		return nil, err
	}
	s := &Server{cluster: c, users: users, log: o.Log}
	if err := s.up(ctx, o); err != nil {
		users.release()
		return nil, err
	}
	o.Log.Debug("embedded postgresql is ready", "kind", c.kind.String(), "dir", c.data,
		"account", c.account.name, "attached", s.process == nil, "elapsed", time.Since(began))
	return s, nil
}

// hint adds who owns the files to a refusal.
func (c *cluster) hint(err error) error {
	if errors.Is(err, fs.ErrPermission) {
		uid, _, _ := owner(c.root)
		return fmt.Errorf("state directory %s (it belongs to %s) cannot be used: choose another place with --state-dir: %w", c.root, accountName(uid), err)
	}
	return err
}

// up attaches to the server or launches one, until one answers.
//
// The server lock decides which: the server's processes inherit it, so it is
// free exactly when none of them is left. That holds across a recycled pid, a
// restarted container and a killed postmaster whose backends still run, which
// are the cases in which postmaster.pid lies.
func (s *Server) up(ctx context.Context, o Options) error {
	c := s.cluster
	orphansUntil := time.Now().Add(orphanTimeout)
	for {
		held, err := c.account.try(c.serverLock(), syscall.LOCK_EX)
		if err != nil {
			return err
		}
		if held != nil {
			err = s.launch(ctx, o, held)
			held.release() // the server has its own hold by now
			if err == nil || !errors.Is(err, errSharedMemory) || time.Now().After(orphansUntil) {
				return err
			}
		} else {
			if err = ping(ctx, c.socket); err == nil {
				return nil
			}
			if time.Now().After(orphansUntil) {
				if stuck := c.stuck(err); stuck != nil {
					return stuck
				}
			}
		}
		if ctxErr := pause(ctx, 5*pollEvery); ctxErr != nil {
			return fmt.Errorf("start PostgreSQL: %w (last answer: %w)", ctxErr, err)
		}
	}
}

// stuck tells which failed ping will not get better by waiting.
func (c *cluster) stuck(err error) error {
	pid := postmaster(c.data)
	switch {
	case pid == 0:
		return fmt.Errorf("processes of a server that has ended, or a server in another container, still use %s: end them first: %w", c.data, err)
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("the server on %s runs, but its socket has been removed from /tmp: end it with  kill -INT %d  and try again: %w", c.data, pid, err)
	}
	return nil
}

// launch starts a server, creating the cluster before if need be. The caller
// holds the start lock and the server lock.
func (s *Server) launch(ctx context.Context, o Options, held *lock) error {
	c := s.cluster
	major, err := c.major()
	if err != nil {
		return err
	}
	bin, err := c.binaries(o, major)
	if err != nil {
		return err
	}
	if major == 0 {
		if err := c.create(ctx, bin); err != nil {
			return err
		}
	}
	// Somebody may have started the cluster by hand, without our lock.
	if pid := postmaster(c.data); pid != 0 {
		return fmt.Errorf("a PostgreSQL that recon did not start (pid %d) runs on %s: stop it first", pid, c.data)
	}
	// PostgreSQL would refuse to start if the pid in there has been given to
	// another process of the same account.
	if err := os.Remove(c.pidFile()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("stale pid file: %w", err)
	}
	if err := makeSocketDir(c.socket, c.account); err != nil {
		return err
	}
	logFile, from, err := c.openLog()
	if err != nil {
		return err
	}
	defer logFile.Close()
	p, err := c.spawn(bin, logFile, held)
	if err != nil {
		return err
	}
	if err := s.awaitStart(ctx, p, logFile, from); err != nil {
		return err
	}
	s.process = p
	return nil
}

// openLog opens the log for appending and tells where it ends.
func (c *cluster) openLog() (*os.File, int64, error) {
	if fi, err := os.Lstat(c.logFile()); err == nil && fi.Size() > maxLogSize {
		if err := os.Rename(c.logFile(), c.logFile()+".1"); err != nil {
			return nil, 0, err
		}
	}
	f, err := c.account.open(c.logFile(), os.O_APPEND)
	if err != nil {
		return nil, 0, err
	}
	fi, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, 0, err
	}
	return f, fi.Size(), nil
}

// A process is a postmaster that we are the parent of.
type process struct {
	pid  int
	done chan struct{} // closed when it has ended
}

// spawn executes the postmaster. A throwaway one gets a signal when the thread
// that made it ends, so that thread is kept until the server is gone: Go ends
// threads as it likes, the process living on (golang.org/issue/27505).
func (c *cluster) spawn(b Binaries, logFile *os.File, held *lock) (*process, error) {
	args := []string{"-D", c.data}
	for _, s := range c.settings() {
		args = append(args, "-c", s)
	}
	cmd := exec.Command(b.Path("postgres"), args...)
	cmd.Dir = c.root
	cmd.Env = serverEnv()
	cmd.Stdout, cmd.Stderr = logFile, logFile
	cmd.ExtraFiles = []*os.File{held.f}
	cmd.SysProcAttr = c.account.procAttr()
	if c.kind == throwaway {
		dieWithOwner(cmd.SysProcAttr)
	}
	p := &process{done: make(chan struct{})}
	started := make(chan error)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		started <- err
		if err == nil {
			// How it ended is in its log; here only that it did counts.
			_ = cmd.Wait()
			close(p.done)
		}
	}()
	if err := <-started; err != nil {
		return nil, fmt.Errorf("start PostgreSQL: %w", c.account.explain(err, c.root, b.Dir))
	}
	p.pid = cmd.Process.Pid
	return p, nil
}

// errSharedMemory: backends of a killed postmaster still hold its memory.
var errSharedMemory = errors.New("pre-existing shared memory block is still in use")

// awaitStart waits until the new server takes queries. If it does not get
// there, it is stopped.
func (s *Server) awaitStart(ctx context.Context, p *process, logFile *os.File, from int64) error {
	for {
		err := ping(ctx, s.cluster.socket)
		if err == nil {
			return nil
		}
		select {
		case <-p.done:
			return startError(logFile, from)
		default:
		}
		if ctxErr := pause(ctx, pollEvery/2); ctxErr != nil {
			s.abort(p)
			return fmt.Errorf("start PostgreSQL: %w (last answer: %w)", ctxErr, err)
		}
	}
}

// startError says why the server ended, in the words of its log.
func startError(logFile *os.File, from int64) error {
	const most = 16 << 10
	raw, err := io.ReadAll(io.NewSectionReader(logFile, from, most))
	if err != nil {
		return fmt.Errorf("start PostgreSQL: it ended at once, and its log cannot be read: %w", err)
	}
	text := string(raw)
	if strings.Contains(text, "pre-existing shared memory block") {
		return fmt.Errorf("start PostgreSQL: %w (log: %s)", errSharedMemory, logFile.Name())
	}
	var why []string
	for line := range strings.Lines(text) {
		for _, level := range []string{"FATAL:", "PANIC:", "HINT:"} {
			if _, after, ok := strings.Cut(line, level); ok {
				why = append(why, strings.TrimSpace(after))
			}
		}
	}
	if why == nil {
		why = []string{lastLines(text)}
	}
	return fmt.Errorf("start PostgreSQL: it ended at once: %s (log: %s)", strings.Join(why, "; "), logFile.Name())
}
