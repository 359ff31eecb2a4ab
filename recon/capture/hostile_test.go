package capture_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"agentrecon/recon"
	"agentrecon/recon/capture"
)

// Payloads that are made to cost time or memory. Each is read in time that grows as its length does, or refused; a test
// that does not end is what they would be otherwise.
func TestPayloadsMadeToBeDear(t *testing.T) {
	const n = 4 << 20
	list := func(item string) string { return "[" + strings.Repeat(item+",", n/(len(item)+1)) + item + "]" }
	nested := func(depth int) string { return strings.Repeat("[", depth) + strings.Repeat("]", depth) }
	for _, tt := range []struct {
		name, args string
		refused    bool
	}{
		{"a long text", `"` + strings.Repeat("x", n) + `"`, false},
		{"a text of escapes", `"` + strings.Repeat(`\ud800`, n/6) + `"`, false},
		{"a long number", strings.Repeat("1", n), false},
		{"a long fraction", "0." + strings.Repeat("1", n), false},
		{"JSON in a text", `"` + list("0") + `"`, false},
		{"as deep as Python goes", nested(9_990), false},
		{"deeper", nested(10_001), true},
		{"a tower without an end", strings.Repeat("[", n), true},
		{"many numbers", list("0"), true},
		{"many lists", list("[]"), true},
		{"many members", `{"a":` + list(`{"a":0,"b":1,"c":2}`) + `}`, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			payload := `{"session_id":"s","hook_event_name":"PreToolUse","tool_name":"transfer_funds","tool_use_id":"toolu_01Dear","tool_input":{"x":` + tt.args + `,"amount_cents":7}}`
			e, err := capture.DefaultRules().Read([]byte(payload), capture.Options{FillKey: true})
			if tt.refused != errors.Is(err, capture.ErrNotJSON) || !tt.refused && e.Attempt.Minor != 7 {
				t.Errorf("got %d, %v", e.Attempt.Minor, err)
			}
		})
	}
}

// Results that are made to be dear to look through. None of them says anything definite.
func TestResultsMadeToBeDear(t *testing.T) {
	const n = 2 << 20
	var errs, codes strings.Builder
	for i := range n / 50 {
		fmt.Fprintf(&errs, `"error %d",`, i)
		fmt.Fprintf(&codes, `"error 500 of %d",`, i)
	}
	for name, response := range map[string]string{
		"numbers":        `{"isError":true,"content":[{"type":"text","text":"` + strings.Repeat("501 ", n/4) + `"}]}`,
		"many errors":    `{"ok":false,"errors":[` + errs.String() + `"x"]}`,
		"many codes":     `{"ok":false,"errors":[` + codes.String() + `"x"]}`,
		"many contents":  `{"content":[` + strings.Repeat(`{"type":"text","text":"{"},`, n/30) + `{}]}`,
		"text in text":   `"` + strings.Repeat(`[`, n) + `"`,
		"wrapped deeply": strings.Repeat(`{"data":`, 5_000) + `{"ok":true}` + strings.Repeat(`}`, 5_000),
	} {
		t.Run(name, func(t *testing.T) {
			payload := `{"session_id":"s","hook_event_name":"PostToolUse","tool_name":"transfer_funds","tool_input":{},"tool_response":` + response + `}`
			if e := read(t, payload, capture.Options{}); e.Outcome.Status != recon.Unknown {
				t.Errorf("got %s %.100q", e.Outcome.Status, e.Outcome.Error)
			}
		})
	}
}
