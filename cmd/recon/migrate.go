package main

import (
	"fmt"

	"github.com/urfave/cli/v2"
)

func migrateCommand(p *program) *cli.Command {
	return &cli.Command{
		Name:  "migrate",
		Usage: "bring the schema up to date, with roles and grants",
		Subcommands: []*cli.Command{{
			Name: "status", Usage: "say which schema the database has and which the program needs",
			Action: func(c *cli.Context) error { return migrateStatus(c, p) },
		}},
		Action: func(c *cli.Context) error {
			if word := c.Args().First(); word != "" {
				return unknownWord("migrate command", word, []string{"status"})
			}
			return migrate(c, p)
		},
	}
}

func migrate(c *cli.Context, p *program) error {
	db, closeDB, err := openDatabase(c, p)
	if err != nil {
		return err
	}
	defer closeDB()
	report, err := db.Migrate(c.Context)
	if err != nil {
		return err
	}
	if c.Bool(flagJSON) {
		return printJSON(p.stdout, report)
	}
	_, err = fmt.Fprint(p.stdout, report)
	return err
}

func migrateStatus(c *cli.Context, p *program) error {
	db, closeDB, err := openDatabase(c, p)
	if err != nil {
		return err
	}
	defer closeDB()
	status, err := db.SchemaStatus(c.Context)
	if err != nil {
		return err
	}
	if c.Bool(flagJSON) {
		return printJSON(p.stdout, status)
	}
	_, err = fmt.Fprintln(p.stdout, status)
	return err
}
