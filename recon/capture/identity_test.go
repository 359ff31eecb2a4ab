package capture_test

import (
	"fmt"
	"strings"
	"testing"

	"agentrecon/recon"
	"agentrecon/recon/capture"
)

func read(t *testing.T, payload string, o capture.Options) capture.Event {
	t.Helper()
	e, err := capture.DefaultRules().Read([]byte(payload), o)
	if err != nil {
		t.Fatalf("%v: %s", err, payload)
	}
	return e
}

// The event before a call and the one after it have one id, whether or not the recorder filled in a key between
// them, and whatever the key's place held before.
func TestFilledKeyChangesNoID(t *testing.T) {
	for _, id := range []string{`"toolu_01StrongEnough"`, `"call_0"`, `""`, `null`} {
		for _, given := range []string{"", `,"idempotency_key":""`, `,"idempotency_key":null`, `,"idempotency_key":"caller-1"`} {
			payload := `{"session_id":"s","hook_event_name":"PreToolUse","tool_name":"transfer_funds","tool_use_id":` + id + `,"tool_input":ARGS}`
			args := `{"amount_cents":1.0,"to":"\u00e9"` + given + `}`
			before := read(t, strings.Replace(payload, "ARGS", args, 1), capture.Options{FillKey: true})
			if strings.Contains(given, "caller") {
				if before.Filled != nil || before.Attempt.IdempotencyKey != "caller-1" || before.Attempt.KeySource != "caller" {
					t.Errorf("the caller's key: got %s, %+v", before.Filled, before.Attempt)
				}
				continue
			}
			if len(before.Attempt.IdempotencyKey) != 34 || before.Attempt.KeySource != "hook" {
				t.Errorf("got key %q of %q", before.Attempt.IdempotencyKey, before.Attempt.KeySource)
			}
			payload = strings.NewReplacer("PreToolUse", "PostToolUse", "ARGS", string(before.Filled)+`,"tool_response":"{}"`).Replace(payload)
			after := read(t, payload, capture.Options{})
			if after.Outcome.AttemptID != before.Attempt.ID {
				t.Errorf("id %s, key %s: %s before, %s after", id, given, before.Attempt.ID, after.Outcome.AttemptID)
			}
			// With an id of its own the call's key says nothing of its arguments, so that an empty one and none are alike.
			if (given == "" || before.Attempt.IDSource != recon.IDToolUse) && after.Outcome.ArgsSHA256 != before.Attempt.ArgsSHA256 {
				t.Errorf("id %s, key %s: the hash of the arguments changed", id, given)
			}
		}
	}
}

func TestIDSource(t *testing.T) {
	for id, want := range map[string]recon.IDSource{
		"toolu_01Nj8kitmmxAGYiCXF5NA9ZB":        recon.IDToolUse,
		"exec-0a6138e5-b465-4dad-85c2-aaaaaaaa": recon.IDToolUse,
		"call-1234567890\nfc_0987":              recon.IDToolUse,
		"call_9xYzAbCdEfGh":                     recon.IDToolUse,
		"call_0":                                recon.IDWeakToolUse,
		"call_000000000001_2":                   recon.IDWeakToolUse,
		"transfer_funds:0":                      recon.IDWeakToolUse,
		"run_shell_command:17":                  recon.IDWeakToolUse,
		"transfer_funds":                        recon.IDWeakToolUse, // the tool's name
		"short":                                 recon.IDWeakToolUse,
		"toolu_with_a_nul_\x00":                 recon.IDWeakToolUse, // PostgreSQL cannot store it
		strings.Repeat("x", 600):                recon.IDWeakToolUse,
		"":                                      recon.IDFallbackHash,
	} {
		payload := fmt.Sprintf(`{"session_id":"s","tool_name":"transfer_funds","tool_input":{},"tool_use_id":"%s"}`,
			strings.NewReplacer("\n", `\n`, "\x00", `\u0000`).Replace(id))
		e := read(t, payload, capture.Options{Hint: capture.Pre})
		if e.Attempt.IDSource != want || want == recon.IDToolUse && e.Attempt.ID != id || want != recon.IDToolUse && len(e.Attempt.ID) != 64 {
			t.Errorf("%.40q: got %s %q, want %s", id, e.Attempt.IDSource, e.Attempt.ID, want)
		}
	}
}

// Two calls of one weak id are two attempts if they differ in session or arguments, and one if they do not.
func TestWeakIDsAreTakenWithTheirArguments(t *testing.T) {
	id := func(session, args string) string {
		return read(t, `{"session_id":"`+session+`","tool_name":"transfer_funds","tool_use_id":"call_0","tool_input":`+args+`}`, capture.Options{Hint: capture.Pre}).Attempt.ID
	}
	one := id("s", `{"a":1,"b":2}`)
	if again := id("s", `{"b":2,"a":1}`); again != one {
		t.Error("the same call has two ids")
	}
	if other := id("s", `{"a":1,"b":3}`); other == one {
		t.Error("other arguments have the same id")
	}
	if other := id("t", `{"a":1,"b":2}`); other == one {
		t.Error("another session has the same id")
	}
}
