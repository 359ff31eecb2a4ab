package main

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/urfave/cli/v2"

	"agentrecon/recon"
)

func rulesCommand(p *program) *cli.Command {
	return &cli.Command{
		Name:  "rules",
		Usage: "print the decision table, and what each class means",
		Action: func(c *cli.Context) error {
			if c.Bool(flagJSON) {
				return writeRulesJSON(p)
			}
			_, err := fmt.Fprint(p.stdout, rulesText())
			return err
		},
	}
}

// rulesText is the decision table and the classes as text.
func rulesText() string {
	var b strings.Builder
	fmt.Fprintf(&b, "decision table, rule set %s: what the ledger says (rows) × what the platform said (columns)\n\n", recon.RuleSet)
	table := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprint(table, "ledger")
	for _, column := range recon.OutcomeColumns {
		fmt.Fprintf(table, "\t%s", column.Name)
	}
	fmt.Fprintln(table)
	for _, rule := range recon.Rules {
		fmt.Fprint(table, rule.Settlement)
		for _, class := range rule.Classes {
			fmt.Fprintf(table, "\t%s", class)
		}
		fmt.Fprintln(table)
	}
	_ = table.Flush() // a strings.Builder does not fail
	b.WriteString("\n…_variance is payee_variance, currency_variance or amount_variance, after the first of these that differs\n")
	for _, population := range []recon.Population{recon.Attempts, recon.Entries, recon.Outcomes} {
		fmt.Fprintf(&b, "\nclasses of %s\n", population)
		table := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
		for _, info := range recon.ClassesOf(population) {
			fmt.Fprintf(table, "  %s\t%s\t%s\t%s\n", info.Class, info.Kind, info.Priority, info.Meaning)
		}
		_ = table.Flush()
	}
	return b.String()
}

func writeRulesJSON(p *program) error {
	rows := []ordered{}
	for _, rule := range recon.Rules {
		row := ordered{{"settlement", rule.Settlement}}
		for n, column := range recon.OutcomeColumns {
			for _, outcome := range column.Outcomes {
				row = append(row, member{string(outcome), rule.Classes[n]})
			}
		}
		rows = append(rows, row)
	}
	return printJSON(p.stdout, ordered{{"rule_set", recon.RuleSet}, {"rules", rows}})
}
