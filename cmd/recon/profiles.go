package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"text/tabwriter"

	"github.com/urfave/cli/v2"

	"agentrecon/ledger"
	"agentrecon/ledger/detect"
	"agentrecon/ledger/profile"
)

func profilesCommand(p *program) *cli.Command {
	return &cli.Command{
		Name:  "profiles",
		Usage: "list the ledger profiles that are known, and say how to write one",
		Action: func(c *cli.Context) error {
			if err := noArguments(c); err != nil {
				return err
			}
			return listProfiles(p, c.Bool(flagJSON))
		},
	}
}

func listProfiles(p *program, asJSON bool) error {
	formats, profiles := []ordered{}, []ordered{}
	for _, f := range detect.Formats {
		if f.Read != nil {
			formats = append(formats, ordered{{"name", f.Name}, {"title", f.Title}})
		}
	}
	shipped := profile.Shipped()
	for _, f := range shipped {
		if !f.Lexicon && f.Refuse == "" {
			profiles = append(profiles, ordered{{"name", f.Name}, {"version", f.Version}, {"title", f.Title}})
		}
	}
	if asJSON {
		return printJSON(p.stdout, ordered{{"formats", formats}, {"profiles", profiles}})
	}
	table := tabwriter.NewWriter(p.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "formats, found by content")
	for _, f := range formats {
		fmt.Fprintf(table, "  %s\t%s\n", f[0].value, f[1].value)
	}
	fmt.Fprintln(table, "profiles of tables, found by their header")
	for _, f := range profiles {
		fmt.Fprintf(table, "  %s/%d\t%s\n", f[0].value, f[1].value, f[2].value)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprint(p.stdout, "columns of many banks are known in several languages beside these\n\n"+
		"a profile of your own: recon import ledger --explain FILE prints a draft; mend it, and give it with --profile OWN.txt\n"+
		"(how profiles are written: ledger/profile/profiles/README.md)\n")
	return err
}

// profileReader reads by the profiles that are named, shipped ones or those of a file, and returns those of files.
func profileReader(names []string) (read ledger.ReadFunc, own []*profile.Profile, err error) {
	var chosen []*profile.Profile
	for _, name := range names {
		at := slices.IndexFunc(profile.Shipped(), func(f *profile.Profile) bool { return f.Name == name })
		if at >= 0 {
			chosen = append(chosen, profile.Shipped()[at])
			continue
		}
		text, err := os.ReadFile(name)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil, unknownWord("profile", name, shippedNames())
		}
		if err != nil {
			return nil, nil, inputError{err}
		}
		parsed, err := profile.Parse(name, string(text))
		if err != nil {
			return nil, nil, configError{err.Error()}
		}
		own = append(own, parsed...)
	}
	if len(chosen) > 0 {
		return profile.NewSet(append(own, chosen...)).Read, own, nil
	}
	return detect.Reader(own), own, nil
}

func shippedNames() []string {
	var names []string
	for _, f := range profile.Shipped() {
		names = append(names, f.Name)
	}
	return names
}

// explainFiles says of each file what was recognised.
func explainFiles(c *cli.Context, p *program, o importOptions) error {
	files := []ordered{}
	for _, path := range c.Args().Slice() {
		in, err := openFile(c.Context, p, path, false)
		if err != nil {
			return err
		}
		explanation, err := detect.Explain(in.name, in.ReadCloser, o.own, o.ledger)
		in.Close()
		if err != nil {
			return asInput(err)
		}
		if c.Bool(flagJSON) {
			files = append(files, ordered{{"file", in.name}, {"explanation", fmt.Sprint(explanation)}})
		} else if _, err := fmt.Fprintln(p.stdout, explanation); err != nil {
			return err
		}
	}
	if c.Bool(flagJSON) {
		return printJSON(p.stdout, ordered{{"files", files}})
	}
	return nil
}
