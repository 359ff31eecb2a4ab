package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"
	_ "time/tzdata" // containers often have no zone files, and a zone is part of the policy
	"unicode"

	"github.com/urfave/cli/v2"
	"golang.org/x/term"

	"agentrecon/ledger/tabular"
)

// version is the program's version; a release sets it by -ldflags.
var version = "0.1.0-dev"

// program is everything that a command has from outside: arguments, streams, environment, clock. Nothing else in
// this repository reads them.
type program struct {
	args           []string
	stdin          io.Reader
	stdout, stderr io.Writer
	getenv         func(string) string
	now            func() time.Time
	terminal       bool // stderr is a terminal: progress may be shown
}

func isTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }

// run executes the program and returns its exit code. It is the one place where an error becomes text.
func run(p program) int {
	ctx, stop := signalContext()
	defer stop()
	app := newApp(&p)
	args, err := flagsFirst(app, p.args)
	if err == nil {
		err = app.RunContext(ctx, args)
	}
	hint := hintFor(err)
	if cause := context.Cause(ctx); err != nil && errors.As(cause, new(signalError)) {
		err = cause
	}
	if err != nil && !errors.Is(err, errFindings) && !errors.As(err, new(checkResult)) {
		fmt.Fprintf(p.stderr, "recon: %s\n", shown(err.Error()))
		if hint != "" {
			fmt.Fprintf(p.stderr, "recon: hint: %s\n", hint)
		}
	}
	return exitCode(err)
}

// shown is a message as a terminal may have it: what names of files and contents of cells hold of control sequences is
// spelled out, line feeds and tabs apart.
func shown(message string) string {
	var b strings.Builder
	for _, r := range message {
		if unicode.IsGraphic(r) || r == '\n' || r == '\t' {
			b.WriteRune(r)
		} else {
			b.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
		}
	}
	return b.String()
}

// signalContext is cancelled by Ctrl-C and SIGTERM, with the signal as its cause. A second signal kills.
func signalContext() (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		if s, ok := <-signals; ok {
			signal.Stop(signals)
			cancel(signalError{s})
		}
	}()
	return ctx, func() { signal.Stop(signals); close(signals); cancel(nil) }
}

// newApp builds the command line. The library prints nothing and exits nowhere by itself.
func newApp(p *program) *cli.App {
	app := &cli.App{
		Name:                 "recon",
		Usage:                "reconcile what AI agents paid with what their platform saw and what the ledger says",
		Version:              version,
		Writer:               p.stdout,
		ErrWriter:            p.stderr,
		Reader:               p.stdin,
		HideHelpCommand:      true,
		EnableBashCompletion: true,
		Flags:                globalFlags(),
		ExitErrHandler:       func(*cli.Context, error) {},
		OnUsageError:         onUsageError,
		Commands: []*cli.Command{
			demoCommand(p), reconcileCommand(p), migrateCommand(p), importCommand(p), runCommand(p), exportCommand(p),
			scheduleCommand(p), statusCommand(p), explainCommand(p), rulesCommand(p), doctorCommand(p), dispositionsCommand(p), verifyCommand(p),
		},
	}
	prepare(p, app.Commands)
	app.Action = func(c *cli.Context) error {
		if word := c.Args().First(); word != "" {
			return unknownWord("command", word, commandNames(app.Commands))
		}
		return cli.ShowAppHelp(c)
	}
	return app
}

// prepare sets on every command what the library does not inherit. The global flags may stand behind the command too.
func prepare(p *program, commands []*cli.Command) {
	for _, c := range commands {
		c.Flags = append(c.Flags, globalFlags()...)
		c.OnUsageError = onUsageError
		c.HideHelpCommand = true
		prepare(p, c.Subcommands)
		if len(c.Subcommands) > 0 && c.Action == nil {
			names := commandNames(c.Subcommands)
			c.Action = func(ctx *cli.Context) error {
				if word := ctx.Args().First(); word != "" {
					return unknownWord(ctx.Command.Name+" command", word, names)
				}
				return usagef("%s needs one of %s", ctx.Command.Name, strings.Join(names, ", "))
			}
		}
		if c.Action != nil {
			c.Action = configured(p, c.Action)
		}
	}
}

func onUsageError(c *cli.Context, err error, _ bool) error {
	text := err.Error()
	if name, ok := strings.CutPrefix(text, "flag provided but not defined: -"); ok {
		return unknownWord("flag", "--"+strings.TrimLeft(name, "-"), flagNames(c))
	}
	return usageError{text}
}

// unknownWord names what is not known and the nearest thing that is.
func unknownWord(what, word string, known []string) error {
	if near := tabular.Nearest(word, known); near != "" {
		return usagef("unknown %s %q; did you mean %q?", what, word, near)
	}
	return usagef("unknown %s %q; recon --help lists what there is", what, word)
}

func commandNames(commands []*cli.Command) []string {
	names := make([]string, 0, len(commands))
	for _, c := range commands {
		names = append(names, c.Name)
	}
	return names
}

func flagNames(c *cli.Context) []string {
	var names []string
	add := func(flags []cli.Flag) {
		for _, f := range flags {
			names = append(names, "--"+f.Names()[0])
		}
	}
	if c.Command != nil {
		add(c.Command.Flags)
	}
	if c.App != nil {
		add(c.App.Flags)
	}
	return names
}

// logger writes to stderr as asked.
func logger(p *program, c *cli.Context) (*slog.Logger, error) {
	var level slog.Level
	if err := level.UnmarshalText([]byte(c.String(flagLogLevel))); err != nil {
		return nil, usagef("--%s %q: expected debug, info, warn or error", flagLogLevel, c.String(flagLogLevel))
	}
	options := &slog.HandlerOptions{Level: level}
	switch c.String(flagLogFormat) {
	case "text":
		return slog.New(slog.NewTextHandler(p.stderr, options)), nil
	case "json":
		return slog.New(slog.NewJSONHandler(p.stderr, options)), nil
	default:
		return nil, usagef("--%s %q: expected text or json", flagLogFormat, c.String(flagLogFormat))
	}
}
