package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"time"

	"github.com/urfave/cli/v2"

	"agentrecon/recon"
	"agentrecon/sql"
	"agentrecon/sql/embedded"
	"agentrecon/sql/recorder"
)

// stopTimeout bounds how long a private server may take to stop.
const stopTimeout = 30 * time.Second

// libpqVariables are the variables of libpq that say which database is meant.
var libpqVariables = []string{"PGHOST", "PGHOSTADDR", "PGSERVICE", "PGDATABASE"}

// store is an open database with how to reach it.
type store struct {
	*sql.DB
	url   string
	close func()
}

// openDatabase opens the database of the settings: --database-url, the PG* variables, or the private PostgreSQL, which
// is always brought up to date, for nobody else administers it.
func openDatabase(c *cli.Context, p *program) (*sql.DB, func(), error) {
	s, err := openStore(c, p)
	return s.DB, s.close, err
}

// openForRun opens the database and first writes into it what the recorder had to keep on disk: without a
// DATABASE_URL that is everything, for the private PostgreSQL runs only while recon does.
func openForRun(c *cli.Context, p *program) (*sql.DB, func(), error) {
	s, err := openStore(c, p)
	if err != nil {
		return nil, nil, err
	}
	// A schema that is not the program's refuses the run itself, in better words.
	schema, err := s.SchemaStatus(c.Context)
	if err == nil && schema.Have == schema.Want {
		err = drainSpool(c, p, s.url)
	}
	if err != nil {
		s.close()
		return nil, nil, err
	}
	return s.DB, s.close, nil
}

func openStore(c *cli.Context, p *program) (store, error) {
	url := c.String(flagDatabaseURL)
	if url == "" && !anySet(p.getenv, libpqVariables) {
		return openPrivate(c, p)
	}
	db, err := sql.Open(c.Context, sql.Config{URL: url})
	if err != nil {
		return store{}, err
	}
	return store{db, url, db.Close}, nil
}

// drainSpool writes the recorder's waiting records into the database.
func drainSpool(c *cli.Context, p *program, url string) error {
	spool := recorder.Spool{Dir: spoolDir(c, p)}
	if status, err := spool.Status(); err != nil || status.Waiting+status.Killed == 0 {
		return nil // the doctor complains about a spool that cannot be read
	}
	db, err := recorder.Open(c.Context, url)
	if err != nil {
		return err
	}
	defer db.Close(context.WithoutCancel(c.Context))
	done, err := spool.Drain(c.Context, db)
	if err != nil {
		return fmt.Errorf("recorder's spool in %s: %w", spool.Dir, err)
	}
	fmt.Fprintf(p.stderr, "recon: %d records of the recorder were waiting on disk, %d of them are recorded now\n", done.Written+done.Refused+done.Left, done.Written)
	return nil
}

// spoolDir is where the recorder keeps what the database does not have yet.
func spoolDir(c *cli.Context, p *program) string {
	if folder := p.getenv("RECON_SPOOL_DIR"); folder != "" {
		return folder
	}
	return filepath.Join(stateDir(c, p), "spool")
}

func stateDir(c *cli.Context, p *program) string {
	if folder := c.String(flagStateDir); folder != "" {
		return folder
	}
	return embedded.DefaultDir(p.getenv, os.Getuid())
}

func anySet(getenv func(string) string, names []string) bool {
	for _, name := range names {
		if getenv(name) != "" {
			return true
		}
	}
	return false
}

func openPrivate(c *cli.Context, p *program) (store, error) {
	options := embeddedOptions(p, c)
	if options.Dir = stateDir(c, p); options.Dir == "" {
		return store{}, usagef("there is no folder for the private PostgreSQL: give --%s, or --%s", flagStateDir, flagDatabaseURL)
	}
	fmt.Fprintf(p.stderr, "recon: no DATABASE_URL: using the private PostgreSQL in %s\n", options.Dir)
	return startEmbedded(c.Context, options)
}

// openThrowaway opens a private PostgreSQL that is gone afterwards.
func openThrowaway(c *cli.Context, p *program) (*sql.DB, func(), error) {
	options := embeddedOptions(p, c)
	options.Throwaway = true
	options.TempDir = p.getenv("TMPDIR")
	s, err := startEmbedded(c.Context, options)
	return s.DB, s.close, err
}

func embeddedOptions(p *program, c *cli.Context) embedded.Options {
	log, err := logger(p, c)
	if err != nil {
		log = nil
	}
	return embedded.Options{Bin: p.getenv("RECON_PG_BIN"), User: p.getenv("RECON_PG_USER"), Path: p.getenv("PATH"), Log: log}
}

func startEmbedded(ctx context.Context, options embedded.Options) (store, error) {
	server, err := embedded.Start(ctx, options)
	if err != nil {
		return store{}, err
	}
	stop := func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTimeout)
		defer cancel()
		if err := server.Stop(ctx); err != nil && options.Log != nil {
			options.Log.Warn("stop private PostgreSQL", "error", err)
		}
	}
	db, err := sql.Open(ctx, sql.Config{URL: server.ConnString(), Throwaway: options.Throwaway})
	if err != nil {
		stop()
		return store{}, err
	}
	_, err = db.Migrate(ctx)
	if err == nil && options.Throwaway {
		err = db.Lighten(ctx)
	}
	if err != nil {
		db.Close()
		stop()
		return store{}, err
	}
	return store{db, server.ConnString(), func() { db.Close(); stop() }}, nil
}

// hintFor is a next step that an error's own text does not name.
func hintFor(err error) string {
	var recorded recordedError
	var memory *recon.MemoryError
	switch {
	case errors.As(err, &memory):
		return fmt.Sprintf("raise --%s where the machine has more, or run on one that has", flagMaxMemory)
	case errors.As(err, &recorded):
		return fmt.Sprintf("run %d is recorded; recon export --run %d --out FILE.xlsx writes its workbook", recorded.run, recorded.run)
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
