package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/user"
	"time"

	"github.com/urfave/cli/v2"

	"agentrecon/sql"
	"agentrecon/sql/embedded"
)

// stopTimeout bounds how long a private server may take to stop.
const stopTimeout = 30 * time.Second

// libpqVariables are the variables of libpq that say which database is meant.
var libpqVariables = []string{"PGHOST", "PGHOSTADDR", "PGSERVICE", "PGDATABASE"}

// openDatabase opens the database of the settings: --database-url, the PG* variables, or the private PostgreSQL, which
// is always brought up to date, for nobody else administers it.
func openDatabase(c *cli.Context, p *program) (*sql.DB, func(), error) {
	url := c.String(flagDatabaseURL)
	if url == "" && !anySet(p.getenv, libpqVariables) {
		return openPrivate(c, p)
	}
	db, err := sql.Open(c.Context, sql.Config{URL: url})
	if err != nil {
		return nil, nil, err
	}
	return db, db.Close, nil
}

func anySet(getenv func(string) string, names []string) bool {
	for _, name := range names {
		if getenv(name) != "" {
			return true
		}
	}
	return false
}

func openPrivate(c *cli.Context, p *program) (*sql.DB, func(), error) {
	options := embeddedOptions(p, c)
	if options.Dir = c.String(flagStateDir); options.Dir == "" {
		options.Dir = embedded.DefaultDir(p.getenv, os.Getuid())
	}
	if options.Dir == "" {
		return nil, nil, usagef("there is no folder for the private PostgreSQL: give --%s, or --%s", flagStateDir, flagDatabaseURL)
	}
	fmt.Fprintf(p.stderr, "recon: no DATABASE_URL: using the private PostgreSQL in %s\n", options.Dir)
	return startEmbedded(c.Context, options)
}

// openThrowaway opens a private PostgreSQL that is gone afterwards.
func openThrowaway(c *cli.Context, p *program) (*sql.DB, func(), error) {
	options := embeddedOptions(p, c)
	options.Throwaway = true
	options.TempDir = p.getenv("TMPDIR")
	return startEmbedded(c.Context, options)
}

func embeddedOptions(p *program, c *cli.Context) embedded.Options {
	log, err := logger(p, c)
	if err != nil {
		log = nil
	}
	return embedded.Options{Bin: p.getenv("RECON_PG_BIN"), User: p.getenv("RECON_PG_USER"), Path: p.getenv("PATH"), Log: log}
}

func startEmbedded(ctx context.Context, options embedded.Options) (*sql.DB, func(), error) {
	server, err := embedded.Start(ctx, options)
	if err != nil {
		return nil, nil, err
	}
	stop := func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTimeout)
		defer cancel()
		if err := server.Stop(ctx); err != nil && options.Log != nil {
			options.Log.Warn("stop private PostgreSQL", "error", err)
		}
	}
	db, err := sql.Open(ctx, sql.Config{URL: server.ConnString()})
	if err != nil {
		stop()
		return nil, nil, err
	}
	if _, err := db.Migrate(ctx); err != nil {
		db.Close()
		stop()
		return nil, nil, err
	}
	return db, func() { db.Close(); stop() }, nil
}

// hintFor is a next step that an error's own text does not name.
func hintFor(err error) string {
	switch {
	case errors.Is(err, sql.ErrLocked):
		return "wait for the other run to end; recon status shows it"
	case errors.Is(err, sql.ErrUnavailable):
		return "check DATABASE_URL and that the server runs; without DATABASE_URL recon uses a private PostgreSQL"
	default:
		return ""
	}
}

// userName is who runs the program, for the record of a run.
func userName(p *program) string {
	if u, err := user.Current(); err == nil && u.Username != "" {
		return u.Username
	}
	return p.getenv("USER")
}
