package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
	"github.com/urfave/cli/v2"

	"agentrecon/ledger"
	"agentrecon/ledger/tabular"
	"agentrecon/recon"
)

// configured runs an action after values of the configuration file have been given to the flags that were set neither
// on the command line nor by the environment.
func configured(p *program, action cli.ActionFunc) cli.ActionFunc {
	return func(c *cli.Context) error {
		if err := inheritGlobals(c); err != nil {
			return err
		}
		if err := applyConfig(c); err != nil {
			return err
		}
		// Not every command logs, but a word that none would understand is a mistake under all of them.
		if _, err := logger(p, c); err != nil {
			return err
		}
		return action(c)
	}
}

// inheritGlobals gives the command the global flags that were set before it.
func inheritGlobals(c *cli.Context) error {
	for _, f := range globalFlags() {
		name := f.Names()[0]
		for _, parent := range c.Lineage()[1:] {
			if !c.IsSet(name) && parent.IsSet(name) {
				if err := c.Set(name, fmt.Sprint(parent.Value(name))); err != nil {
					return usagef("--%s: %v", name, err)
				}
			}
		}
	}
	return nil
}

func applyConfig(c *cli.Context) error {
	path := c.String(flagConfig)
	if path == "" {
		return nil
	}
	var values map[string]any
	if _, err := toml.DecodeFile(path, &values); err != nil {
		return configError{tomlProblem(path, err)}
	}
	known := configKeys(c)
	keys := make([]string, 0, len(values))
	for key := range values {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	for _, key := range keys {
		flag := strings.ReplaceAll(key, "_", "-")
		if !slices.Contains(known, key) {
			if near := tabular.Nearest(key, known); near != "" {
				return configError{fmt.Sprintf("%s: unknown key %q; did you mean %q?", path, key, near)}
			}
			return configError{fmt.Sprintf("%s: unknown key %q; every flag of recon --help is a key, with _ for -", path, key)}
		}
		if err := setFlag(c, flag, values[key]); err != nil {
			return configError{fmt.Sprintf("%s: %s: %v", path, key, err)}
		}
	}
	return nil
}

// configKeys are the flags of every command, as keys.
func configKeys(c *cli.Context) []string {
	var keys []string
	add := func(flags []cli.Flag) {
		for _, f := range flags {
			if name := f.Names()[0]; name != flagConfig && name != "help" && name != "version" {
				keys = append(keys, strings.ReplaceAll(name, "-", "_"))
			}
		}
	}
	var walk func([]*cli.Command)
	walk = func(commands []*cli.Command) {
		for _, command := range commands {
			add(command.Flags)
			walk(command.Subcommands)
		}
	}
	add(c.App.Flags)
	walk(c.App.Commands)
	slices.Sort(keys)
	return slices.Compact(keys)
}

// setFlag gives a value to a flag of the command, unless it is set already. A flag of another command is left alone.
func setFlag(c *cli.Context, flag string, value any) error {
	has := slices.ContainsFunc(c.Command.Flags, func(f cli.Flag) bool { return f.Names()[0] == flag })
	if !has || c.IsSet(flag) {
		return nil
	}
	list, ok := value.([]any)
	if !ok {
		list = []any{value}
	}
	for _, v := range list {
		switch v.(type) {
		case string, bool, int64:
		default:
			return fmt.Errorf("expected a text, a whole number, true or false, or a list of texts; got %v", v)
		}
		if err := c.Set(flag, fmt.Sprint(v)); err != nil {
			return fmt.Errorf("%v: %w", v, err)
		}
	}
	return nil
}

// tomlProblem says where a TOML file is wrong.
func tomlProblem(path string, err error) string {
	var parse toml.ParseError
	switch {
	case errors.As(err, &parse):
		return fmt.Sprintf("%s:%d: %s", path, parse.Position.Line, parse.Message)
	case errors.Is(err, fs.ErrNotExist):
		return path + ": no such file"
	default:
		return err.Error()
	}
}

// scopeFile is a file of scope rules.
type scopeFile struct {
	Rule []struct {
		Name         string
		Kinds        []ledger.Kind
		Account      string
		Counterparty string
		Text         string
	}
}

// readScopeRules reads rules for what is out of scope: [[rule]] tables with name and at least one of kinds, account,
// counterparty, text.
func readScopeRules(path string) ([]recon.ScopeRule, error) {
	var file scopeFile
	meta, err := toml.DecodeFile(path, &file)
	if err != nil {
		return nil, configError{tomlProblem(path, err)}
	}
	if unknown := meta.Undecoded(); len(unknown) > 0 {
		return nil, configError{fmt.Sprintf("%s: unknown key %q; a rule has name, kinds, account, counterparty, text", path, unknown[0])}
	}
	rules := make([]recon.ScopeRule, 0, len(file.Rule))
	for n, r := range file.Rule {
		if r.Name == "" || (len(r.Kinds) == 0 && r.Account == "" && r.Counterparty == "" && r.Text == "") {
			return nil, configError{fmt.Sprintf("%s: rule %d: needs a name, and at least one of kinds, account, counterparty, text", path, n+1)}
		}
		for _, kind := range r.Kinds {
			if !slices.Contains(ledger.Kinds, kind) {
				return nil, configError{fmt.Sprintf("%s: rule %q: unknown kind %q", path, r.Name, kind)}
			}
		}
		rules = append(rules, recon.ScopeRule{Name: r.Name, Kinds: r.Kinds, Account: r.Account, Counterparty: r.Counterparty, Text: r.Text})
	}
	return rules, nil
}

// readHolidays reads days that are no business days: a date a line, such as 2025-04-18, and a comment behind #.
func readHolidays(path string) ([]ledger.Date, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, configError{path + ": no such file"}
	}
	if err != nil {
		return nil, err
	}
	var days []ledger.Date
	number := 0
	for line := range strings.Lines(strings.TrimPrefix(string(text), "\ufeff")) {
		number++
		line, _, _ = strings.Cut(line, "#")
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		day, err := ledger.ParseDate(line)
		if err != nil {
			return nil, configError{fmt.Sprintf("%s:%d: %v", path, number, err)}
		}
		days = append(days, day)
	}
	return sortedDistinct(days), nil
}

func sortedDistinct[T cmp.Ordered](values []T) []T {
	sorted := slices.Clone(values)
	slices.Sort(sorted)
	return slices.Compact(sorted)
}
