package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v2"

	"agentrecon/sql"
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
		return printJSON(p.stdout, ordered{
			{"from", report.From},
			{"to", report.To},
			{"applied", notNil(report.Applied)},
			{"new_epoch", report.NewEpoch},
			{"roles", notNil(report.Roles)},
			{"not_done", notNil(report.NotDone)},
		})
	}
	return writeMigrated(p.stdout, report)
}

// writeMigrated says what a migration did, and what somebody with more rights has to do.
func writeMigrated(w io.Writer, report sql.MigrateReport) error {
	var text strings.Builder
	switch {
	case len(report.Applied) == 0:
		fmt.Fprintf(&text, "schema version %d, as this program needs; nothing to apply\n", report.To)
	case report.From == 0:
		fmt.Fprintf(&text, "schema version %d, made in an empty database\n", report.To)
	default:
		fmt.Fprintf(&text, "schema version %d, was %d\n", report.To, report.From)
	}
	for _, name := range report.Applied {
		fmt.Fprintf(&text, "applied: %s\n", name)
	}
	if report.NewEpoch > 0 {
		fmt.Fprintf(&text, "the database has moved to another cluster: epoch %d begins, the next run is full\n", report.NewEpoch)
	}
	if len(report.Roles) > 0 {
		fmt.Fprintf(&text, "roles with their rights: %s\n", strings.Join(report.Roles, ", "))
	}
	for _, what := range report.NotDone {
		fmt.Fprintf(&text, "not done: %s\n", what)
	}
	_, err := io.WriteString(w, text.String())
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
		return printJSON(p.stdout, ordered{{"have", status.Have}, {"want", status.Want}, {"pending", notNil(status.Pending)}})
	}
	_, err = io.WriteString(p.stdout, schemaStanding(status))
	return err
}

// schemaStanding is how the schema stands to the program, in words.
func schemaStanding(status sql.SchemaStatus) string {
	switch {
	case status.Have > status.Want:
		return fmt.Sprintf("schema version %d is newer than this program, which knows %d: use a newer program\n", status.Have, status.Want)
	case status.Have == status.Want:
		return fmt.Sprintf("schema version %d, as this program needs\n", status.Have)
	case status.Have == 0:
		return fmt.Sprintf("no schema; this program needs version %d: run \"recon migrate\"\n", status.Want)
	default:
		return fmt.Sprintf("schema version %d, this program needs %d: run \"recon migrate\"\npending: %s\n",
			status.Have, status.Want, strings.Join(status.Pending, ", "))
	}
}

// notNil is a list that JSON writes as a list, also when there is nothing in it.
func notNil(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}
