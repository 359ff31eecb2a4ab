package main

import (
	"github.com/urfave/cli/v2"
)

func statusCommand(p *program) *cli.Command {
	return &cli.Command{
		Name:  "status",
		Usage: "last runs, open items by class and age, coverage",
		Flags: []cli.Flag{exitCodeFlag()},
		Action: func(c *cli.Context) error {
			_, closeDB, err := openDatabase(c, p)
			if err != nil {
				return err
			}
			closeDB()
			return nil
		},
	}
}
