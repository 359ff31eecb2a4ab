package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"agentrecon/recon/capture"
	"agentrecon/sql/embedded"
	"agentrecon/sql/recorder"
)

// settings are the flags that commands share.
type settings struct {
	harness           string
	config            string
	databaseURL       string
	spoolDir          string
	host              string
	fillKey           bool
	approvedElsewhere bool
	onError           string
}

// flags makes the flag set of a command. It never exits: flag.ExitOnError exits with 2, which blocks a payment.
func (s *settings) flags(p *process, name string) *flag.FlagSet {
	set := flag.NewFlagSet("recon-hook "+name, flag.ContinueOnError)
	set.SetOutput(p.stderr)
	set.StringVar(&s.config, "config", p.getenv("RECON_HOOK_CONFIG"), "`file` with the rules for payment tools ($RECON_HOOK_CONFIG; default: hook.json in ~/.config/recon or /etc/recon, if it is there)")
	return set
}

// database adds the flags of commands that record.
func (s *settings) database(p *process, set *flag.FlagSet) {
	set.StringVar(&s.spoolDir, "spool-dir", p.getenv("RECON_SPOOL_DIR"), "`folder` of records that the database does not have yet ($RECON_SPOOL_DIR; default: spool in recon's state folder)")
	set.StringVar(&s.host, "host", p.getenv("RECON_HOST"), "`name` of this machine as it is recorded ($RECON_HOST; default: its own)")
	// No default here: -h would print it, and it may hold a password.
	set.StringVar(&s.databaseURL, "database-url", "", "where to record (better $DATABASE_URL, which no list of processes shows)")
}

// maxHost bounds what is recorded of a machine's name, in bytes: DNS permits as many.
const maxHost = 255

// hostName is the name of this machine as it is recorded, nothing where it has none.
func (s *settings) hostName(p *process) string {
	name := s.host
	if name == "" {
		name, _ = p.hostname() // a machine without a name is no reason to lose an attempt
	}
	return strings.ToValidUTF8(name[:min(len(name), maxHost)], "")
}

func (s *settings) ofHarness(set *flag.FlagSet) {
	set.StringVar(&s.harness, "harness", "auto", "who calls: auto, claude-code, codex, gemini, cursor, copilot, windsurf, opencode or plain")
}

// parse reads the flags. What follows them is a mistake.
func parse(set *flag.FlagSet, args []string) error {
	if err := set.Parse(args); err != nil {
		return err
	}
	if set.NArg() > 0 {
		return fmt.Errorf("argument %q is unknown", set.Arg(0))
	}
	return nil
}

// rules reads the rules for payment tools.
func (s *settings) rules(p *process) (capture.Rules, error) {
	places := []string{s.config}
	if s.config == "" {
		places = nil
		if dir := p.getenv("XDG_CONFIG_HOME"); filepath.IsAbs(dir) {
			places = append(places, filepath.Join(dir, "recon", "hook.json"))
		} else if home := p.getenv("HOME"); home != "" {
			places = append(places, filepath.Join(home, ".config", "recon", "hook.json"))
		}
		places = append(places, "/etc/recon/hook.json")
	}
	for _, place := range places {
		rules, err := readRules(place)
		if s.config == "" && errors.Is(err, fs.ErrNotExist) {
			continue
		}
		return rules, err
	}
	return capture.DefaultRules(), nil
}

// maxConfigBytes bounds the file of rules.
const maxConfigBytes = 1 << 20

func readRules(file string) (capture.Rules, error) {
	f, err := os.Open(file)
	if err != nil {
		return capture.Rules{}, err
	}
	defer f.Close()
	content, err := io.ReadAll(io.LimitReader(f, maxConfigBytes))
	if err != nil {
		return capture.Rules{}, err
	}
	rules, err := capture.ParseRules(content)
	if err != nil {
		return rules, fmt.Errorf("%s: %w", file, err)
	}
	return rules, nil
}

// libpqVariables are those that say which database is meant.
var libpqVariables = []string{"PGHOST", "PGHOSTADDR", "PGSERVICE", "PGDATABASE"}

// url says where to record. ok is false if nobody named a database: recon's private one runs only while recon does,
// so that records wait on disk for it.
func (s *settings) url(p *process) (url string, ok bool) {
	if s.databaseURL != "" {
		return s.databaseURL, true
	}
	if url := p.getenv("DATABASE_URL"); url != "" {
		return url, true
	}
	for _, name := range libpqVariables {
		if p.getenv(name) != "" {
			return "", true
		}
	}
	return "", false
}

// stateDir is recon's folder of state; empty if there is no place for one.
func stateDir(p *process) string {
	if dir := p.getenv("RECON_STATE_DIR"); dir != "" {
		return dir
	}
	return embedded.DefaultDir(p.getenv, os.Getuid())
}

var errNoSpool = errors.New("there is no folder for records: set RECON_SPOOL_DIR")

func (s *settings) spool(p *process) (recorder.Spool, error) {
	if s.spoolDir != "" {
		return recorder.Spool{Dir: s.spoolDir}, nil
	}
	dir := stateDir(p)
	if dir == "" {
		return recorder.Spool{}, errNoSpool
	}
	return recorder.Spool{Dir: filepath.Join(dir, "spool")}, nil
}
