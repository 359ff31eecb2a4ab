package main

import (
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

// flagsFirst puts the flags that stand behind a command's arguments before them. The library stops at the first argument
// and would take what follows for more of them, so that "import ledger bank.csv --database-url …" would read bank.csv
// into another database than the one named. Behind "--" everything is an argument, as everywhere.
//
// A value given twice to a flag that holds one is refused: the library would forget the first, and with it a whole file.
func flagsFirst(app *cli.App, args []string) ([]string, error) {
	if len(args) == 0 {
		return args, nil
	}
	if len(args) > 1 && args[1] == "help" { // "recon help run" is "recon run --help"
		args = append(append(args[:1:1], args[2:]...), "--help")
	}
	ordered := []string{args[0]}
	var arguments []string
	commands, flags := app.Commands, app.Flags
	given := map[string]bool{}
	for rest := args[1:]; len(rest) > 0; rest = rest[1:] {
		word := rest[0]
		switch {
		case word == "--":
			return append(append(append(ordered, "--"), arguments...), rest[1:]...), nil
		case len(word) > 1 && word[0] == '-':
			ordered = append(ordered, word)
			name := flagName(word)
			if given[name] && holdsOne(flags, name) {
				return nil, usagef("--%s is given twice, and takes one value", name)
			}
			given[name] = true
			if len(rest) > 1 && wantsValue(flags, word) {
				ordered = append(ordered, rest[1])
				rest = rest[1:]
			}
		case len(arguments) == 0 && commandNamed(commands, word) != nil:
			command := commandNamed(commands, word)
			ordered = append(ordered, word)
			commands, flags = command.Subcommands, command.Flags
		default:
			arguments = append(arguments, word)
		}
	}
	return append(ordered, arguments...), nil
}

// flagName is the name in a word of the command line that begins with a dash.
func flagName(word string) string {
	name, _, _ := strings.Cut(strings.TrimLeft(word, "-"), "=")
	return name
}

// holdsOne tells whether a flag takes a value, and only one. Switches may be repeated.
func holdsOne(flags []cli.Flag, name string) bool {
	f := flagNamed(flags, name)
	slice, ok := f.(cli.DocGenerationSliceFlag)
	return f != nil && !(ok && slice.IsSliceFlag()) && takesValue(f)
}

func commandNamed(commands []*cli.Command, name string) *cli.Command {
	n := slices.IndexFunc(commands, func(c *cli.Command) bool { return c.HasName(name) })
	if n < 0 {
		return nil
	}
	return commands[n]
}

// wantsValue tells whether the word after a flag is the flag's value. A flag that nobody knows wants none: the library
// will name it.
func wantsValue(flags []cli.Flag, word string) bool {
	f := flagNamed(flags, flagName(word))
	return f != nil && !strings.Contains(word, "=") && takesValue(f)
}

// takesValue tells whether a flag cannot stand alone.
func takesValue(f cli.Flag) bool {
	if generic, ok := f.(*cli.GenericFlag); ok {
		alone, ok := generic.Value.(interface{ IsBoolFlag() bool })
		return !ok || !alone.IsBoolFlag()
	}
	valued, ok := f.(cli.DocGenerationFlag)
	return ok && valued.TakesValue()
}

func flagNamed(flags []cli.Flag, name string) cli.Flag {
	n := slices.IndexFunc(flags, func(f cli.Flag) bool { return slices.Contains(f.Names(), name) })
	if n < 0 {
		return nil
	}
	return flags[n]
}
