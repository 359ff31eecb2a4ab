package main

import (
	"fmt"
	"io"
	"os/signal"
	"strings"
	"syscall"
	"time"
)

// Exit statuses. A harness takes 2 for "block", so that it appears only where blocking is meant, and never after a
// call: there it could hide the result of a payment that was made.
const (
	exitOK     = 0
	exitFailed = 1
	exitUsage  = 64 // not of a hook: there a mistake in the flags is exitFailed
	exitData   = 65
	exitRetry  = 75
	exitConfig = 78
)

// process is what the program takes from its surroundings.
type process struct {
	args           []string
	stdin          io.Reader
	stdout, stderr io.Writer
	getenv         func(string) string
	now            func() time.Time
	hostname       func() (string, error)
}

const usage = `usage: recon-hook COMMAND [FLAGS]

Called by a harness, with an event as JSON on stdin:
  pre            before a call: records the attempt
  post           after a call: records its outcome (also failures and denials)
  session-end    at the start or end of a session

Called by people:
  install --harness H   prints the settings to paste, for claude-code, codex, gemini, cursor, copilot, windsurf, opencode,
                        plain
  drain                 writes what waits on disk into the database
  id < event.json       prints the ids of an event; --vectors F checks a file of test vectors

The database is DATABASE_URL, or the PG* variables. Each command explains its flags with -h. See docs/hooks.md.
`

// commands are those with a file each.
var commands = map[string]func(*process, []string) int{
	"pre": pre, "post": post, "session-end": sessionEnd, "drain": drain, "install": install, "id": id,
}

func run(p *process) int {
	// Writing to a pipe that nobody reads must be an error and not the end.
	signal.Ignore(syscall.SIGPIPE)
	if len(p.args) == 0 {
		fmt.Fprint(p.stderr, usage)
		return exitUsage
	}
	name, args := p.args[0], p.args[1:]
	if command, ok := commands[name]; ok {
		return command(p, args)
	}
	if name == "help" || strings.TrimLeft(name, "-") == "h" || strings.TrimLeft(name, "-") == "help" {
		fmt.Fprint(p.stdout, usage)
		return exitOK
	}
	fmt.Fprintf(p.stderr, "recon-hook: command %q is unknown\n%s", name, usage)
	return exitUsage
}

// complain prints an error for a person.
func (p *process) complain(err error) {
	fmt.Fprintf(p.stderr, "recon-hook: %v\n", err)
}
