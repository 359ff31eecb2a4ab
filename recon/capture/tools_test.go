package capture_test

import (
	"strings"
	"testing"

	"agentrecon/recon/capture"
)

func TestAmounts(t *testing.T) {
	rules := func(unit string) string {
		return `{"tools":[{"match":"pay","amount":"a","unit":"` + unit + `"}]}`
	}
	for _, tt := range []struct {
		unit, currency, literal string
		want                    int64
		exact                   bool
	}{
		{"minor", "EUR", `781200`, 781200, true},
		{"minor", "EUR", `-5`, -5, true},
		{"minor", "EUR", `781200.0`, 781200, true},
		{"minor", "EUR", `7.812e5`, 781200, true},
		{"minor", "EUR", `"781200"`, 781200, true},
		{"minor", "EUR", `9999999999999999`, 9999999999999999, true},
		{"minor", "EUR", `10000000000000000`, 0, false},
		{"minor", "EUR", `1e400`, 0, false},
		{"minor", "EUR", `1e15`, 1000000000000000, true},
		{"minor", "EUR", `0.5`, 0, false},
		{"minor", "EUR", `NaN`, 0, false},
		{"minor", "EUR", `true`, 0, false},
		{"minor", "EUR", `"7,812"`, 0, false},
		{"minor", "EUR", `" 1"`, 0, false},
		{"minor", "EUR", `""`, 0, false},
		{"minor", "EUR", `null`, 0, false},
		{"major", "EUR", `7812`, 781200, true},
		{"major", "EUR", `7812.5`, 781250, true},
		{"major", "EUR", `7812.50`, 781250, true},
		{"major", "EUR", `"0.01"`, 1, true},
		{"major", "EUR", `7812.505`, 0, false},
		{"major", "EUR", `7812.500000`, 781250, true},
		{"major", "EUR", `0.1`, 10, true},
		{"major", "EUR", `2.675e1`, 2675, true},
		{"major", "JPY", `7812`, 7812, true},
		{"major", "JPY", `7812.5`, 0, false},
		{"major", "KWD", `1.234`, 1234, true},
		{"major", "XXQ", `1`, 0, false},
		{"major", "", `1`, 0, false},
	} {
		r, err := capture.ParseRules([]byte(rules(tt.unit)))
		if err != nil {
			t.Fatal(err)
		}
		e, err := r.Read([]byte(`{"session_id":"s","tool_name":"pay","tool_input":{"a":`+tt.literal+`,"currency":"`+tt.currency+`"}}`), capture.Options{Hint: capture.Pre})
		if err != nil || e.Attempt.Minor != tt.want || (len(e.Notes) == 0) != tt.exact {
			t.Errorf("%s %s %s: got %d, notes %q, %v, want %d", tt.unit, tt.currency, tt.literal, e.Attempt.Minor, e.Notes, err, tt.want)
		}
	}
}

func TestToolPatterns(t *testing.T) {
	for _, tt := range []struct {
		pattern, harness, name string
		want                   bool
	}{
		{"transfer_funds", "", "transfer_funds", true},
		{"transfer_funds", "claude-code", "mcp__bank__transfer_funds", true},
		{"transfer_funds", "claude-code", "mcp__plugin_a_b__transfer_funds", true},
		{"transfer_funds", "claude-code", "mcp__bank__list_transfer_funds", false},
		{"transfer_funds", "claude-code", "Transfer_Funds", false},
		{"transfer_funds", "gemini", "mcp_bank_transfer_funds", true},
		{"transfer_funds", "copilot", "my-bank-transfer_funds", true},
		{"transfer_funds", "opencode", "bank_transfer_funds", true},
		{"transfer_funds", "cursor", "MCP:transfer_funds", true},
		{"mcp__bank__*", "claude-code", "mcp__bank__anything", true},
		{"mcp__bank__*", "claude-code", "mcp__other__anything", false},
		{"pay/*", "plain", "pay/out/now", true},
		{"create__payout", "claude-code", "mcp__bank__create__payout", true},
	} {
		r, err := capture.ParseRules([]byte(`{"tools":[{"match":["nothing","` + tt.pattern + `"]}]}`))
		if err != nil {
			t.Fatal(err)
		}
		payload := `{"session_id":"s","sessionId":"s","tool_name":"N","toolName":"N","tool_input":{},"input":{"tool":"N"}}`
		e, err := r.Read([]byte(strings.ReplaceAll(payload, "N", tt.name)), capture.Options{Harness: capture.Harness(tt.harness), Hint: capture.Pre})
		if err != nil || (e.Ignored == "") != tt.want {
			t.Errorf("%s, %s: %s matches: %v, %v", tt.pattern, tt.harness, tt.name, e.Ignored == "", err)
		}
	}
}

// Fields at any depth, of payment tools that somebody else wrote.
func TestFieldPaths(t *testing.T) {
	r, err := capture.ParseRules([]byte(`{"tools":[{"match":"payout","amount":"transfers.0.amount.value","unit":"major","currency":"/transfers/0/amount/iso.code",
		"dest":["to.iban","to.account"],"source":"from","reference":"memo","idempotency_key":"meta.key","provider_ref":"receipt.number"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	payload := `{"session_id":"s","tool_name":"payout","tool_input":{"transfers":[{"amount":{"value":"12.34","iso.code":"usd"}}],"to":{"account":"A-9"},"from":77,"memo":"m","meta":{"key":"k1"}}`
	e, err := r.Read([]byte(payload+`}`), capture.Options{Hint: capture.Pre})
	a := e.Attempt
	if err != nil || a.Minor != 1234 || a.Currency != "USD" || a.DestAccount != "A-9" || a.SourceAccount != "77" || a.Reference != "m" || a.IdempotencyKey != "k1" || a.KeySource != "caller" {
		t.Errorf("got %+v, %v", a, err)
	}
	e, err = r.Read([]byte(payload+`,"tool_response":{"ok":true,"receipt":{"number":5512}}}`), capture.Options{Hint: capture.Post})
	if err != nil || e.Outcome.ProviderRef != "5512" || e.Outcome.Status != "succeeded" {
		t.Errorf("got %+v, %v", e.Outcome, err)
	}
}

func TestBadRules(t *testing.T) {
	for rules, want := range map[string]string{
		``:                                      "not the JSON",
		`[]`:                                    "expected an object",
		`{}`:                                    `"tools"`,
		`{"tools":[]}`:                          "one at least",
		`{"tool":[{"match":"x"}]}`:              `field "tool" is unknown`,
		`{"tools":[{"amount":"x"}]}`:            `tool 1: field "match" is missing`,
		`{"tools":[{"match":"x","amout":"a"}]}`: `field "amout": unknown`,
		`{"tools":[{"match":"x","unit":"cents"}]}`:                      `"minor" or "major"`,
		`{"tools":[{"match":"x","default_currency":"euro"}]}`:           `field "default_currency"`,
		`{"tools":[{"match":"x","fill_key":"yes"}]}`:                    "true or false",
		`{"tools":[{"match":"[x"}]}`:                                    "pattern",
		`{"tools":[{"match":[1]}]}`:                                     "texts only",
		`{"tools":[{"match":"x","unit":"major","currency":""}]}`:        "major units",
		`{"tools":[{"match":"x"},{"match":"y","reference":{"a":"b"}}]}`: "tool 2",
	} {
		if _, err := capture.ParseRules([]byte(rules)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q in it", rules, err, want)
		}
	}
}
