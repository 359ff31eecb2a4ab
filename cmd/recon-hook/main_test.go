package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"agentrecon/sql/sqltest"
)

// asHook makes the test's binary be recon-hook, so that the tests run the real program as a process of its own.
const asHook = "RECON_TEST_AS_HOOK"

func TestMain(m *testing.M) {
	if os.Getenv(asHook) != "" {
		main()
	}
	os.Exit(sqltest.Main(m))
}

// surroundings are what a hook is started in: a database, a spool, nothing else.
type surroundings struct {
	url, spool string
	more       []string // further variables
}

func newSurroundings(t *testing.T) surroundings {
	return surroundings{url: sqltest.NewURL(t), spool: filepath.Join(t.TempDir(), "spool")}
}

func (s surroundings) command(ctx context.Context, stdin string, args ...string) *exec.Cmd {
	c := exec.CommandContext(ctx, os.Args[0], args...)
	c.Env = append([]string{asHook + "=1", "DATABASE_URL=" + s.url, "RECON_SPOOL_DIR=" + s.spool}, s.more...)
	c.Stdin = strings.NewReader(stdin)
	return c
}

// answer is what a hook printed and how it ended.
type answer struct {
	stdout, stderr string
	status         int
}

func (s surroundings) run(t *testing.T, stdin string, args ...string) answer {
	t.Helper()
	a, err := s.start(t.Context(), stdin, args...)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func (s surroundings) start(ctx context.Context, stdin string, args ...string) (answer, error) {
	c := s.command(ctx, stdin, args...)
	var stdout, stderr bytes.Buffer
	c.Stdout, c.Stderr = &stdout, &stderr
	err := c.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return answer{}, err
	}
	return answer{stdout.String(), stderr.String(), c.ProcessState.ExitCode()}, nil
}

// ask returns the one row of a query, its columns joined by blanks.
func (s surroundings) ask(t *testing.T, query string) string {
	t.Helper()
	rows, err := sqltest.Connect(t, s.url).Query(context.Background(), query)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	if !rows.Next() {
		t.Fatalf("no row: %v: %s", rows.Err(), query)
	}
	values, err := rows.Values()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(fmt.Sprintln(values...))
}

func (s surroundings) waiting(t *testing.T) int {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(s.spool, "*.record"))
	if err != nil {
		t.Fatal(err)
	}
	return len(names)
}

const counts = `SELECT (SELECT count(*) FROM transfer_attempts), (SELECT count(*) FROM hook_deliveries WHERE phase IS DISTINCT FROM 'post'), (SELECT count(*) FROM transfer_outcomes)`

func before(id string) string {
	return fmt.Sprintf(`{"session_id":"s-9","hook_event_name":"PreToolUse","tool_name":"mcp__bank__transfer_funds","tool_input":{"amount_cents":4200,"currency":"CHF","dest_account":"CH1"},"tool_use_id":%q}`, id)
}

func afterwards(id, response string) string {
	return fmt.Sprintf(`{"session_id":"s-9","hook_event_name":"PostToolUse","tool_name":"mcp__bank__transfer_funds","tool_input":{"amount_cents":4200,"currency":"CHF","dest_account":"CH1"},"tool_response":%q,"tool_use_id":%q}`, response, id)
}

// nowhere is a database that refuses connections at once.
const nowhere = "host=/nonexistent dbname=d user=u"

const first = "toolu_01FirstCallOfTests"
