package embedded

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"syscall"
	"time"
)

// stopTimeout bounds the wait for a shutdown. The last checkpoint of a large
// load takes a while; a caller's context may be shorter.
const stopTimeout = time.Minute

// A Server is one program's hold on a running PostgreSQL. Its methods may be
// called by several goroutines.
type Server struct {
	cluster *cluster
	log     *slog.Logger
	process *process // nil if we attached

	mu    sync.Mutex
	users *lock // nil after Stop
}

// ConnString returns how to connect, as keyword/value pairs for libpq or pgx:
// the superuser, the database postgres, over the Unix socket. It holds no
// secret, and names the port so that no $PGPORT gets in between.
func (s *Server) ConnString() string {
	return fmt.Sprintf("host=%s port=%s user=%s dbname=%s sslmode=disable", s.cluster.socket, port, superuser, database)
}

// DataDir returns the absolute path of the data directory.
func (s *Server) DataDir() string { return s.cluster.data }

// LogFile returns the path of the server's log.
func (s *Server) LogFile() string { return s.cluster.logFile() }

// Stop gives up the hold. A throwaway server is stopped at once and its
// directory removed. A shared one is stopped, with everything committed on
// disk, if no other program uses it. A second call does nothing.
//
// When ctx ends before the server has stopped, Stop returns an error, and the
// server goes on stopping. Give it a context that outlives the one that ended
// the program.
func (s *Server) Stop(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.users == nil {
		return nil
	}
	users := s.users
	s.users = nil
	defer users.release()
	ctx, cancel := context.WithTimeoutCause(ctx, stopTimeout,
		fmt.Errorf("PostgreSQL did not stop within %v", stopTimeout))
	defer cancel()
	if s.cluster.kind == throwaway {
		s.abort(s.process)
		s.cluster.remove()
		return nil
	}
	return s.stopShared(ctx, users)
}

// stopShared stops the server if we are the last one out. The start lock keeps
// newcomers away while that is found out.
func (s *Server) stopShared(ctx context.Context, users *lock) error {
	c := s.cluster
	starting, err := c.account.wait(ctx, c.startLock(), syscall.LOCK_EX)
	if err != nil {
		return err
	}
	defer starting.release()
	// A process that another goroutine forks has a copy of our hold until it
	// executes its program, and would pass for another user.
	syscall.ForkLock.RLock()
	users.release()
	last, err := c.account.try(c.usersLock(), syscall.LOCK_EX)
	syscall.ForkLock.RUnlock()
	if err != nil {
		return err
	}
	if last == nil {
		return nil // the others still need it
	}
	defer last.release()
	return c.shutdown(ctx, syscall.SIGINT)
}

// shutdown sends the signal to the server and waits until all its processes
// have ended. SIGINT is PostgreSQL's fast shutdown: sessions are ended, a
// checkpoint is written.
func (c *cluster) shutdown(ctx context.Context, sig syscall.Signal) error {
	if pid := postmaster(c.data); pid != 0 {
		if err := syscall.Kill(pid, sig); err != nil && !errors.Is(err, syscall.ESRCH) {
			return fmt.Errorf("stop PostgreSQL (pid %d): %w", pid, err)
		}
	}
	for {
		gone, err := c.account.try(c.serverLock(), syscall.LOCK_EX)
		if err != nil {
			return err
		}
		if gone != nil {
			gone.release()
			// Empty after a clean shutdown; else it is used again.
			_ = os.Remove(c.socket)
			return nil
		}
		if err := pause(ctx, pollEvery/2); err != nil {
			return fmt.Errorf("stop PostgreSQL on %s: %w", c.data, err)
		}
	}
}

// abort stops a server that we are the parent of, whatever it is doing: one that
// did not come up, or a throwaway one. A durable cluster gets the chance to shut
// down in order first; without it, it would recover at the next start.
func (s *Server) abort(p *process) {
	const patience = 5 * time.Second
	signals := []syscall.Signal{syscall.SIGINT, syscall.SIGQUIT, syscall.SIGKILL}
	if s.cluster.kind == throwaway {
		signals = signals[1:]
	}
	for _, sig := range signals {
		// The process is our child and not yet waited for, or done is closed.
		select {
		case <-p.done:
			return
		default:
			_ = syscall.Kill(p.pid, sig)
		}
		select {
		case <-p.done:
			return
		case <-time.After(patience):
		}
	}
	s.log.Warn("embedded postgresql does not end", "pid", p.pid, "dir", s.cluster.data)
}
