package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"agentrecon/sql/embedded"
	"agentrecon/sql/recorder"
)

// drain writes everything that waits on disk into the database.
func drain(p *process, args []string) int {
	var s settings
	set := s.flags(p, "drain")
	s.database(p, set)
	if err := parse(set, args); err != nil {
		return usageStatus(err)
	}
	spool, err := s.spool(p)
	if err != nil {
		p.complain(err)
		return exitConfig
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	spool.Sweep(p.now())
	done, err := drainAll(ctx, p, &s, spool)
	if err == nil && done.Busy {
		err = errors.New("another process drains the spool")
	}
	fmt.Fprintf(p.stdout, "%d written, %d put aside, %d left in %s\n", done.Written, done.Refused, done.Left, spool.Dir)
	if err != nil {
		p.complain(err)
		return exitRetry
	}
	if done.Refused > 0 {
		p.complain(fmt.Errorf("the database takes %d records never: see %s/refused", done.Refused, spool.Dir))
		return exitFailed
	}
	return exitOK
}

func drainAll(ctx context.Context, p *process, s *settings, spool recorder.Spool) (recorder.Drained, error) {
	status, err := spool.Status()
	if err != nil || status.Waiting+status.Killed == 0 {
		return recorder.Drained{}, err
	}
	left := recorder.Drained{Left: status.Waiting}
	url, ok := s.url(p)
	if !ok {
		server, err := startPrivate(ctx, p)
		if err != nil {
			return left, err
		}
		defer stopPrivate(p, server)
		url = server.ConnString()
	}
	db, err := recorder.Open(ctx, url)
	if err != nil {
		return left, err
	}
	defer db.Close(context.WithoutCancel(ctx))
	return spool.Drain(ctx, db)
}

// startPrivate starts recon's own PostgreSQL, where no other database is named.
func startPrivate(ctx context.Context, p *process) (*embedded.Server, error) {
	dir := stateDir(p)
	if dir == "" {
		return nil, errors.New("no database is named: set DATABASE_URL")
	}
	return embedded.Start(ctx, embedded.Options{
		Bin: p.getenv("RECON_PG_BIN"), User: p.getenv("RECON_PG_USER"), Path: p.getenv("PATH"), Dir: dir,
	})
}

func stopPrivate(p *process, server *embedded.Server) {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	if err := server.Stop(ctx); err != nil {
		p.complain(err)
	}
}

// usageStatus is that of a command for people: the flag package has said what is wrong.
func usageStatus(err error) int {
	if errors.Is(err, flag.ErrHelp) {
		return exitOK
	}
	return exitUsage
}
