package main

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"agentrecon/recon/capture"
	"agentrecon/sql/sqltest"
)

// blocks returns the fenced blocks of docs/hooks.md in a language.
func blocks(t *testing.T, language string) []string {
	t.Helper()
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "hooks.md"))
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, part := range strings.Split(string(page), "```"+language+"\n")[1:] {
		block, _, _ := strings.Cut(part, "```")
		found = append(found, block)
	}
	if len(found) == 0 {
		t.Fatalf("docs/hooks.md has no block of %s", language)
	}
	return found
}

// The page's statements are good on the schema: tables are made, everything else is prepared.
func TestStatementsOfThePage(t *testing.T) {
	conn := sqltest.Connect(t, sqltest.NewURL(t))
	for _, block := range blocks(t, "sql") {
		for _, statement := range strings.Split(strings.TrimSpace(block), ";\n") {
			var err error
			if strings.HasPrefix(strings.TrimSpace(statement), "CREATE") {
				_, err = conn.Exec(context.Background(), statement)
			} else {
				_, err = conn.Prepare(context.Background(), "", statement)
			}
			if err != nil {
				t.Errorf("%v\n%s", err, statement)
			}
		}
	}
}

// The budget of the page: a call that comes again is granted again and counted once, and the limit holds.
func TestBudgetOfThePage(t *testing.T) {
	conn := sqltest.Connect(t, sqltest.NewURL(t))
	ctx := context.Background()
	page := blocks(t, "sql")
	first := slices.IndexFunc(page, func(block string) bool { return strings.HasPrefix(block, "CREATE TABLE budgets") })
	if first < 0 {
		t.Fatal("the page has no budgets")
	}
	tables, claim := page[first], strings.Split(strings.TrimSpace(page[first+1]), ";\n")
	if _, err := conn.Exec(ctx, tables+"INSERT INTO budgets VALUES ('b', 100)"); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		attempt string
		amount  int
		granted bool
	}{{"a1", 60, true}, {"a1", 60, true}, {"a2", 50, false}, {"a3", 40, true}, {"a4", 1, false}, {"a3", 40, true}} {
		if _, err := conn.Exec(ctx, claim[1], c.attempt, "b", c.amount); err != nil {
			t.Fatal(err)
		}
		var granted bool
		if err := conn.QueryRow(ctx, claim[2], c.attempt).Scan(&granted); err != nil || granted != c.granted {
			t.Errorf("%+v: got %v, %v", c, granted, err)
		}
	}
}

// Who follows the page's trial gets what it says.
func TestTrialOfThePage(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "hooks.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(page), "   event='")
	trial, _, _ := strings.Cut("   event='"+rest, "   ```")
	if !found || strings.Count(trial, "recon-hook") != 4 {
		t.Fatalf("the page has no trial of four steps:\n%s", trial)
	}
	s := newSurroundings(t)
	bin := t.TempDir()
	program, err := filepath.Abs(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(program, filepath.Join(bin, "recon-hook")); err != nil {
		t.Fatal(err)
	}
	c := exec.Command("sh", "-e", "-c", trial)
	c.Env = append(s.command(t.Context(), "").Env, "PATH="+bin+":"+os.Getenv("PATH"))
	out, err := c.CombinedOutput()
	if want := "{}\n{}\n{}\n1 written, 0 put aside, 0 left in " + s.spool + "\n"; err != nil || string(out) != want {
		t.Errorf("got  %s, %v\nwant %s", out, err, want)
	}
	if got := s.ask(t, counts); got != "1 2 1" {
		t.Error("got", got)
	}
}

func TestRulesOfThePage(t *testing.T) {
	for _, block := range blocks(t, "json") {
		if _, err := capture.ParseRules([]byte(block)); err != nil || !json.Valid([]byte(block)) {
			t.Errorf("%v in\n%s", err, block)
		}
	}
}
