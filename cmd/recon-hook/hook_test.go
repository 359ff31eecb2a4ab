package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"agentrecon/recon"
	"agentrecon/sql/sqltest"
)

func TestPreAndPostRecord(t *testing.T) {
	s := newSurroundings(t)
	for _, a := range []answer{
		s.run(t, before(first), "pre"),
		s.run(t, before(first), "pre"), // a retry
		s.run(t, afterwards(first, `{"ok":true,"provider_ref":"tr_1"}`), "post"),
		s.run(t, afterwards(first, `{"ok":true,"provider_ref":"tr_1"}`), "post"),
	} {
		if want := (answer{stdout: "{}\n"}); a != want {
			t.Errorf("got %+v, want %+v", a, want)
		}
	}
	got := s.ask(t, `SELECT a.attempt_id, amount_cents, currency, dest_account, tool, harness, id_source, status, provider_ref, versions,
		(SELECT count(*) FROM hook_deliveries WHERE phase = 'pre') FROM transfer_attempts a JOIN transfer_outcomes USING (attempt_id)`)
	want := first + " 4200 CHF CH1 mcp__bank__transfer_funds claude-code tool_use_id succeeded tr_1 1 2"
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if s.waiting(t) != 0 {
		t.Error("something waits on disk")
	}
}

// Which machine recorded an attempt shows that one which loses outcomes is one outage. A record that had to wait on disk keeps it.
func TestTheHostIsRecorded(t *testing.T) {
	s := newSurroundings(t)
	own, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	s.run(t, before(first), "pre")
	named := s
	named.more = []string{"RECON_HOST=runner-7"}
	away := named
	away.url = "postgres://u@127.0.0.1:1/d"
	away.run(t, before("toolu_02SecondCallOfTests"), "pre")
	named.run(t, "", "drain")
	got := s.ask(t, "SELECT string_agg(host, ' ' ORDER BY proposed_at) FROM transfer_attempts")
	if want := own + " runner-7"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// An amount that cannot be read exactly lets the call go on and stays in sight; what came after the call is kept too, and
// counts as no delivery of the attempt.
func TestUnreadableAmount(t *testing.T) {
	s := newSurroundings(t)
	a := s.run(t, strings.Replace(before(first), "4200", `"42 francs"`, 1), "pre")
	if a.status != exitOK || a.stdout != "{}\n" || a.stderr != "" {
		t.Errorf("got %+v", a)
	}
	s.run(t, afterwards(first, `{"ok":true}`), "post")
	got := s.ask(t, `SELECT a.amount_cents, pre.notes LIKE 'no exact amount%', pre.delivery_id IS NOT NULL, post.phase, post.event, post.payload LIKE '%ok%'
		FROM transfer_attempts a JOIN hook_deliveries pre ON pre.phase = 'pre' JOIN hook_deliveries post ON post.phase = 'post'`)
	if got != "0 true true post PostToolUse true" {
		t.Error("got", got)
	}
	health, err := sqltest.Open(t, s.url).Health(t.Context(), time.Now().Add(-time.Hour), time.Now())
	if err != nil || health.NoAmount != 1 || len(health.Recorders) != 1 || health.Recorders[0].Deliveries != 1 {
		t.Errorf("got %+v, %v", health, err)
	}
	s.accounted(t, 1, 1)
}

func TestOtherToolsCostNothing(t *testing.T) {
	s := surroundings{url: nowhere, spool: "/nonexistent/spool"}
	for _, command := range []string{"pre", "post"} {
		a := s.run(t, strings.ReplaceAll(before(first), "transfer_funds", "list_accounts"), command)
		if want := (answer{stdout: "{}\n"}); a != want {
			t.Errorf("%s: got %+v, want %+v", command, a, want)
		}
	}
}

// The database goes away and comes back: nothing is lost, nothing doubled, and nobody has to do anything.
func TestDatabaseAwayAndBack(t *testing.T) {
	s := newSurroundings(t)
	away := s
	away.url = nowhere
	for _, a := range []answer{
		away.run(t, before(first), "pre"), away.run(t, before(first), "pre"),
		away.run(t, afterwards(first, `{"ok":false,"error":"declined"}`), "post"),
		away.run(t, `{"session_id":"s-9","hook_event_name":"SessionEnd","reason":"other","transcript_path":"x"}`, "session-end"),
	} {
		if want := (answer{stdout: "{}\n"}); a != want {
			t.Errorf("got %+v, want %+v", a, want)
		}
	}
	if got := s.waiting(t); got != 4 {
		t.Fatalf("%d records wait, want 4", got)
	}
	s.run(t, before("toolu_01SecondCallOfTests"), "pre")
	if got := s.waiting(t); got != 0 {
		t.Errorf("%d records still wait", got)
	}
	if got := s.ask(t, counts); got != "2 3 1" {
		t.Errorf("got %s, want 2 attempts, 3 deliveries, 1 outcome", got)
	}
	if got := s.ask(t, "SELECT session_id, event FROM session_events"); got != "s-9 ended" {
		t.Errorf("got %s", got)
	}
	s.accounted(t, 2, 3)
}

func TestDrainCommand(t *testing.T) {
	s := newSurroundings(t)
	away := s
	away.url = nowhere
	away.run(t, before(first), "pre")
	if a := away.run(t, "", "drain"); a.status != exitRetry || !strings.HasPrefix(a.stdout, "0 written, 0 put aside, 1 left") {
		t.Errorf("got %+v", a)
	}
	for _, want := range []string{"1 written", "0 written"} {
		if a := s.run(t, "", "drain"); a.status != exitOK || !strings.HasPrefix(a.stdout, want) {
			t.Errorf("got %+v, want %s", a, want)
		}
	}
	if got := s.ask(t, counts); got != "1 1 0" {
		t.Error("got", got)
	}
}

// A server that takes the connection and never answers must cost the deadline and no more.
func TestDeadline(t *testing.T) {
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	s := surroundings{url: fmt.Sprintf("postgres://u@%s/d?sslmode=disable", silent.Addr()), spool: filepath.Join(t.TempDir(), "spool")}
	begun := time.Now()
	a := s.run(t, before(first), "pre")
	if took := time.Since(begun); took > deadline+time.Second {
		t.Errorf("took %v", took)
	}
	if a.status != exitOK || s.waiting(t) != 1 {
		t.Errorf("got %+v with %d on disk", a, s.waiting(t))
	}
}

// Signals that are meant for the agent reach its hooks too.
func TestSignalsCostNoRecord(t *testing.T) {
	s := newSurroundings(t)
	c := s.command(t.Context(), "", "pre")
	stdin, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer stdin.Close()
	c.Stdin = stdin
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(300 * time.Millisecond) // until it reads
	for _, signal := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
		if err := c.Process.Signal(signal); err != nil {
			t.Error(err)
		}
	}
	if _, err := writer.WriteString(before(first)); err != nil {
		t.Error(err)
	}
	writer.Close()
	if err := c.Wait(); err != nil {
		t.Error(err)
	}
	if got := s.ask(t, counts); got != "1 1 0" {
		t.Error("got", got)
	}
}

// A harness that never closes stdin gets its answer, and what it sent is recorded.
func TestStdinLeftOpen(t *testing.T) {
	s := newSurroundings(t)
	c := s.command(t.Context(), "", "pre")
	stdin, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer stdin.Close()
	defer writer.Close()
	c.Stdin = stdin
	if _, err := writer.WriteString(before(first)); err != nil {
		t.Fatal(err)
	}
	if out, err := c.Output(); err != nil || string(out) != "{}\n" {
		t.Errorf("got %q, %v", out, err)
	}
	s.drainAll(t)
	if got := s.ask(t, counts); got != "1 1 0" {
		t.Error("got", got)
	}
}

// What each command does with stdin that is no event, and with surroundings in which nothing can be recorded.
func TestTrouble(t *testing.T) {
	tests := []struct {
		name, command, stdin string
		flags                []string
		full                 bool // nothing can be recorded
		status               int
		stdout               string
	}{
		{name: "empty stdin", command: "pre", status: exitOK, stdout: "{}\n"},
		{name: "empty stdin", command: "post", status: exitFailed, stdout: "{}\n"},
		{name: "cut off", command: "pre", stdin: before(first)[:80], status: exitOK, stdout: "{}\n"},
		{name: "cut off", command: "post", stdin: before(first)[:80], status: exitFailed, stdout: "{}\n"},
		{name: "no object", command: "session-end", stdin: "[]", status: exitFailed, stdout: "{}\n"},
		{name: "unknown flag", command: "pre", stdin: before(first), flags: []string{"--bogus"}, status: exitOK, stdout: "{}\n"},
		{name: "unknown flag", command: "post", stdin: before(first), flags: []string{"--bogus"}, status: exitFailed, stdout: "{}\n"},
		{name: "rules missing", command: "pre", stdin: before(first), flags: []string{"--config=/nonexistent"}, status: exitOK, stdout: "{}\n"},
		{name: "nowhere to record, Claude Code", command: "pre", stdin: before(first), full: true, status: 2},
		{name: "nowhere to record, allowed", command: "pre", stdin: before(first), flags: []string{"--on-error=allow"}, full: true, stdout: "{}\n"},
		{name: "nowhere to record", command: "post", stdin: afterwards(first, "{}"), full: true, status: exitFailed, stdout: "{}\n"},
		{name: "nowhere to record, wired for another event", command: "pre", stdin: afterwards(first, "{}"), full: true, status: exitFailed, stdout: "{}\n"},
		{name: "nowhere to record, empty stdin", command: "post", full: true, status: exitFailed, stdout: "{}\n"},
	}
	for _, tt := range tests {
		t.Run(tt.command+" "+tt.name, func(t *testing.T) {
			s := surroundings{url: nowhere, spool: filepath.Join(t.TempDir(), "spool")}
			if tt.full {
				s.spool = filepath.Join(os.Args[0], "a file is no folder")
			}
			a := s.run(t, tt.stdin, append([]string{tt.command}, tt.flags...)...)
			if a.status != tt.status || a.stdout != tt.stdout {
				t.Errorf("got %+v, want status %d and %q", a, tt.status, tt.stdout)
			}
			if !tt.full && s.waiting(t) != 1 {
				t.Errorf("%d records on disk, want 1", s.waiting(t))
			}
		})
	}
}

// How each harness is told that a payment must not be made.
func TestBlock(t *testing.T) {
	for _, tt := range []struct {
		harness string
		status  int
		stdout  string
	}{
		{"claude-code", 2, ""},
		{"codex", 2, ""},
		{"gemini", 0, `"decision":"deny"`},
		{"cursor", 0, `"permission":"deny"`},
		{"copilot", 2, ""},
		{"windsurf", 2, ""},
	} {
		s := surroundings{url: nowhere, spool: filepath.Join(os.Args[0], "a file is no folder")}
		a := s.run(t, "", "pre", "--harness", tt.harness)
		if a.status != tt.status || !strings.Contains(a.stdout, tt.stdout) || (tt.stdout == "") != (a.stdout == "") || tt.status == 2 && a.stderr == "" {
			t.Errorf("%s: got %+v", tt.harness, a)
		}
		if tt.stdout != "" && !json.Valid([]byte(a.stdout)) {
			t.Errorf("%s: not JSON: %s", tt.harness, a.stdout)
		}
	}
}

func TestLargePayloads(t *testing.T) {
	s := newSurroundings(t)
	large := strings.Replace(before(first), `"CHF"`, `"CHF","note":"`+strings.Repeat("x", 1<<20)+`"`, 1)
	if a := s.run(t, large, "pre"); a.status != exitOK || a.stderr != "" {
		t.Errorf("got %+v", a)
	}
	huge := strings.Replace(before(first), `"CHF"`, `"CHF","note":"`+strings.Repeat("x", maxPayload)+`"`, 1)
	if a := s.run(t, huge, "pre"); a.status != exitOK || !strings.Contains(a.stderr, "larger than 16 MiB") {
		t.Errorf("got %+v", a)
	}
	got := s.ask(t, `SELECT (SELECT count(*) FROM transfer_attempts), count(*), count(payload), count(payload_sha256),
		count(*) FILTER (WHERE event = 'lost: larger than 16 MiB') FROM hook_deliveries`)
	if got != "1 2 0 2 1" {
		t.Error("got", got)
	}
}

// Fifty processes at once, each delivery of one of five calls.
func TestManyAtOnce(t *testing.T) {
	s := newSurroundings(t)
	const processes, calls = 50, 5
	var wg sync.WaitGroup
	slots := make(chan struct{}, 10)
	for i := range processes {
		wg.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			call := fmt.Sprintf("toolu_01ManyAtOnce%d", i%calls)
			if a, err := s.start(context.Background(), before(call), "pre"); err != nil || a.status != 0 || a.stdout != "{}\n" {
				t.Errorf("got %+v, %v", a, err)
			}
			if a, err := s.start(context.Background(), afterwards(call, `{"ok":true}`), "post"); err != nil || a.status != 0 {
				t.Errorf("got %+v, %v", a, err)
			}
		})
	}
	wg.Wait()
	s.run(t, "", "drain")
	if got := s.ask(t, counts); got != fmt.Sprintf("%d %d %d", calls, processes, calls) {
		t.Error("got", got)
	}
	if got := s.ask(t, "SELECT count(*) FROM transfer_outcome_history"); got != fmt.Sprint(calls) {
		t.Errorf("got %s versions of outcomes, want %d", got, calls)
	}
	s.accounted(t, calls, processes)
}

// Hooks are killed at any moment, the database being there or not, and so is the drain. A hook that answered has left
// its record, each delivery is there at most once, and nothing stays behind.
func TestKilled(t *testing.T) {
	s := newSurroundings(t)
	away := s
	away.url = nowhere
	const rounds = 40
	answered := map[string]bool{}
	for i := range rounds {
		call := fmt.Sprintf("toolu_01Killed%06d", i)
		in := []surroundings{s, away}[i%2]
		if i%8 == 7 {
			kill(t, s, time.Duration(i)*500*time.Microsecond, "", "drain")
		}
		if strings.HasPrefix(kill(t, in, time.Duration(i)*700*time.Microsecond, before(call), "pre"), "{}") {
			answered[call] = true
		}
	}
	s.drainAll(t)
	rows, err := sqltest.Connect(t, s.url).Query(context.Background(), "SELECT attempt_id, count(*) FROM hook_deliveries JOIN transfer_attempts USING (attempt_id) GROUP BY 1")
	if err != nil {
		t.Fatal(err)
	}
	var id string
	var deliveries, recorded int
	for rows.Next() {
		if err := rows.Scan(&id, &deliveries); err != nil {
			t.Fatal(err)
		}
		recorded++
		delete(answered, id)
		if deliveries != 1 {
			t.Errorf("%s has %d deliveries", id, deliveries)
		}
	}
	if len(answered) > 0 || rows.Err() != nil {
		t.Errorf("answered and not recorded: %v, %v", answered, rows.Err())
	}
	if recorded == 0 {
		t.Error("every hook was killed before it recorded anything: the test shows nothing")
	}
}

// accounted checks that a reconciliation counts the attempts and deliveries, and proves its sums.
func (s surroundings) accounted(t *testing.T, attempts, deliveries int64) {
	t.Helper()
	tx, err := sqltest.Open(t, s.url).BeginRun(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback(context.Background())
	// The hooks' clock is this one.
	result, err := recon.Run(t.Context(), tx, recon.Request{AsOf: time.Now().Add(time.Hour), Policy: recon.DefaultPolicy()})
	if err != nil {
		t.Fatal(err)
	}
	if got := result.WholeTotals; got.Attempts.Count != attempts || got.Deliveries != deliveries {
		t.Errorf("the run counts %d attempts and %d deliveries, want %d and %d", got.Attempts.Count, got.Deliveries, attempts, deliveries)
	}
}

// drainAll drains until nothing waits: the transaction of a killed process may take a moment to end.
func (s surroundings) drainAll(t *testing.T) {
	t.Helper()
	var a answer
	for begun := time.Now(); time.Since(begun) < 20*time.Second; time.Sleep(20 * time.Millisecond) {
		if a = s.run(t, "", "drain"); a.status == exitOK && s.waiting(t) == 0 {
			return
		}
	}
	t.Fatalf("records still wait; the last drain said %+v", a)
}

// kill starts a hook, kills it after a while and returns what it had printed.
func kill(t *testing.T, s surroundings, after time.Duration, stdin string, args ...string) string {
	t.Helper()
	c := s.command(t.Context(), stdin, args...)
	var stdout strings.Builder
	c.Stdout = &stdout
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	timer := time.AfterFunc(after, func() { _ = c.Process.Kill() })
	defer timer.Stop()
	_ = c.Wait()
	return stdout.String()
}

// A session of the server that ends in the middle of a transaction, by the server's hand.
func TestServerSessionsEnd(t *testing.T) {
	s := newSurroundings(t)
	stop := make(chan struct{})
	var wg sync.WaitGroup
	conn := sqltest.Connect(t, s.url)
	wg.Go(func() {
		for {
			select {
			case <-stop:
				return
			case <-time.After(3 * time.Millisecond):
				_, _ = conn.Exec(context.Background(), "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'recon-hook' AND datname = current_database()")
			}
		}
	})
	const calls = 30
	for i := range calls {
		if a := s.run(t, before(fmt.Sprintf("toolu_01Ended%06d", i)), "pre"); a.status != 0 || a.stdout != "{}\n" {
			t.Errorf("got %+v", a)
		}
	}
	close(stop)
	wg.Wait()
	s.drainAll(t)
	if got := s.ask(t, counts); got != fmt.Sprintf("%d %d 0", calls, calls) {
		t.Error("got", got)
	}
}

func TestFilledKeyMakesThePostEventTheSameCall(t *testing.T) {
	s := newSurroundings(t)
	payload := `{"session_id":"g-1","transcript_path":"x","timestamp":"t","hook_event_name":"BeforeTool","tool_name":"mcp_bank_transfer_funds","tool_input":{"amount_cents":1.50e2, "idempotency_key":""}}`
	a := s.run(t, payload, "pre", "--fill-key")
	var rewritten struct {
		Output struct {
			Input json.RawMessage `json:"tool_input"`
		} `json:"hookSpecificOutput"`
	}
	if err := json.Unmarshal([]byte(a.stdout), &rewritten); err != nil || !strings.HasPrefix(string(rewritten.Output.Input), `{"amount_cents":1.50e2,"idempotency_key":"ag`) {
		t.Fatalf("got %+v, %v", a, err)
	}
	post := strings.NewReplacer("BeforeTool", "AfterTool", `{"amount_cents":1.50e2, "idempotency_key":""}`, string(rewritten.Output.Input)+`,"tool_response":{"llmContent":"{\"ok\":true}"}`).Replace(payload)
	s.run(t, post, "post")
	got := s.ask(t, `SELECT id_source, amount_cents, length(idempotency_key), key_source, status, a.args_sha256 = o.args_sha256
		FROM transfer_attempts a JOIN transfer_outcomes o USING (attempt_id)`)
	if got != "fallback_hash 150 34 hook succeeded true" {
		t.Error("got", got)
	}
}

func TestID(t *testing.T) {
	s := surroundings{url: nowhere}
	a := s.run(t, before("call_7"), "id")
	if a.status != exitOK || !strings.Contains(a.stdout, `"id_source":"weak_tool_use_id"`) {
		t.Errorf("got %+v", a)
	}
	vectors := filepath.Join("..", "..", "recon", "capture", "testdata", "vectors.jsonl")
	if a := s.run(t, "", "id", "--vectors", vectors); a.status != exitOK || !strings.HasSuffix(a.stdout, " 0 differ\n") {
		t.Errorf("got %+v", a)
	}
	wrong := filepath.Join(t.TempDir(), "wrong.jsonl")
	line := `{"name":"n","raw_b64":"eyJzZXNzaW9uX2lkIjoiIn0=","source":"fallback","attempt_id":"x"}`
	if err := os.WriteFile(wrong, []byte(line), 0o600); err != nil {
		t.Fatal(err)
	}
	if a := s.run(t, "", "id", "--vectors", wrong); a.status != exitData || a.stdout != "1 vectors, 1 differ\n" {
		t.Errorf("got %+v", a)
	}
}

// The matchers that install prints take the tools they are for, in the spelling of their harness, and no others.
func TestInstall(t *testing.T) {
	rules := filepath.Join(t.TempDir(), "hook.json")
	if err := os.WriteFile(rules, []byte(`{"tools":[{"match":["transfer_funds","create_*_payout"]}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for harness, names := range map[string][2][]string{
		"claude-code": {{"mcp__bank__transfer_funds", "mcp__plugin_fin_bank__create_sepa_payout", "transfer_funds"}, {"mcp__bank__transfer_funds_list", "Bash", "mcp__bank"}},
		"codex":       {{"mcp__bank__transfer_funds"}, {"shell"}},
		"gemini":      {{"mcp_bank_transfer_funds"}, {"mcp_bank_list"}},
		"cursor":      {{"MCP:transfer_funds"}, {"Shell", "MCP:transfer"}},
		"copilot":     {},
		"windsurf":    {},
		"plain":       {},
	} {
		a := surroundings{}.run(t, "", "install", "--harness", harness, "--binary", "/opt/recon/recon-hook", "--config", rules)
		if a.status != exitOK || !json.Valid([]byte(a.stdout)) || !strings.Contains(a.stdout, "/opt/recon/recon-hook pre") || a.stderr == "" {
			t.Errorf("%s: got %+v", harness, a)
		}
		found := regexp.MustCompile(`"matcher": (".*?[^\\]")`).FindStringSubmatch(a.stdout)
		if len(names[0]) == 0 {
			continue
		}
		var matcher string
		if err := json.Unmarshal([]byte(found[1]), &matcher); err != nil {
			t.Fatal(err)
		}
		for i, list := range names {
			for _, name := range list {
				if got := regexp.MustCompile(matcher).MatchString(name); got != (i == 0) {
					t.Errorf("%s: %s matches %s: %v", harness, matcher, name, got)
				}
			}
		}
	}
	if a := (surroundings{}).run(t, "", "install"); a.status != exitUsage {
		t.Errorf("without a harness: got %+v", a)
	}
}
