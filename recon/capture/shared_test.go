package capture_test

import (
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"agentrecon/recon/capture"
)

// What the payloads of real harnesses say, in the folder that RECON_SHARED names beside a checkout. Each one by its
// file, or by a member of it where one file holds several events.
var sharedPayloads = map[string]string{
	"claude_2.1.257_mcp_tools_call_server_side": "no event",
	"claude_2.1.257_post_agent_async":           "claude-code post tool_use_id unknown",
	"claude_2.1.257_post_bash":                  "claude-code post tool_use_id unknown",
	"claude_2.1.257_post_mcp":                   "claude-code post tool_use_id unknown",
	"claude_2.1.257_pre_bash":                   "claude-code pre tool_use_id 0",
	"claude_2.1.257_pre_mcp":                    "claude-code pre tool_use_id 0",
	"claude_2.1.257_stop":                       "claude-code other ignored",
	"claude_2.1.257_subagent_start":             "claude-code other ignored",
	"claude_docs_PermissionDenied":              "claude-code denied tool_use_id denied",
	"claude_docs_PostToolBatch":                 "claude-code other ignored",
	"claude_docs_PostToolUse":                   "claude-code post tool_use_id succeeded",
	"claude_docs_PostToolUseFailure":            "claude-code failure tool_use_id unknown",
	"claude_docs_PreToolUse":                    "claude-code pre tool_use_id 0",
	"claude_docs_SessionEnd":                    "claude-code session ended",
	"claude_docs_Stop":                          "claude-code other ignored",
	"claude_docs_SubagentStop":                  "claude-code other ignored",
	"codex_0.147.0_mcp_meta_server_side":        "no event",
	"codex_0.147.0_post_bash":                   "codex post tool_use_id unknown",
	"codex_0.147.0_post_mcp":                    "codex post tool_use_id unknown",
	"codex_0.147.0_pre_bash":                    "codex pre tool_use_id 0",
	"codex_0.147.0_pre_mcp":                     "codex pre tool_use_id 0",
	"copilot_PostToolUse_pascal":                "copilot post fallback_hash succeeded po_1",
	"copilot_PreToolUse_pascal":                 "copilot pre fallback_hash 781200",
	"copilot_postToolUseFailure_camel":          "copilot failure fallback_hash unknown",
	"copilot_postToolUse_camel":                 "copilot post fallback_hash succeeded po_1",
	"copilot_preToolUse_camel":                  "copilot pre fallback_hash 781200",
	"copilot_sdk_preMcpToolCall":                "copilot pre weak_tool_use_id 781200",
	"cursor_3.18.25_mcp_tools_call_server_side": "no event",
	"cursor_3.18.25_post_write":                 "cursor post tool_use_id succeeded",
	"cursor_3.18.25_pre_mcp":                    "cursor pre tool_use_id 0",
	"cursor_3.18.25_pre_shell":                  "cursor pre tool_use_id 0",
	"cursor_3.18.25_pre_write":                  "cursor pre tool_use_id 0",
	"cursor_docs_afterMCPExecution":             "cursor post ignored",
	"cursor_docs_beforeMCPExecution":            "cursor pre ignored",
	"cursor_docs_postToolUse":                   "cursor post weak_tool_use_id unknown",
	"cursor_docs_postToolUseFailure":            "cursor failure weak_tool_use_id timeout",
	"cursor_docs_preToolUse":                    "cursor pre weak_tool_use_id 0",
	"gemini_after_tool_error":                   "gemini post fallback_hash unknown",
	"gemini_after_tool_mcp":                     "gemini post fallback_hash succeeded po_1",
	"gemini_before_tool_mcp":                    "gemini pre fallback_hash 781200",
	"gemini_session_end":                        "gemini session ended",
	"langchain_handle_tool handleToolEnd":       "no event",
	"langchain_handle_tool handleToolError":     "no event",
	"langchain_handle_tool handleToolStart":     "plain pre weak_tool_use_id 781200",
	"openai_agents_tool_context on_tool_end":    "plain post weak_tool_use_id succeeded",
	"openai_agents_tool_context on_tool_start":  "plain pre weak_tool_use_id 781200",
	"opencode_tool_execute after":               "opencode post weak_tool_use_id succeeded",
	"opencode_tool_execute before":              "opencode pre weak_tool_use_id 781200",
	"windsurf_post_mcp_tool_use":                "windsurf post fallback_hash unknown",
	"windsurf_pre_mcp_tool_use":                 "windsurf pre fallback_hash 0",
	"x402_mcp_payment_meta":                     "no event",
}

func TestSharedPayloads(t *testing.T) {
	shared := os.Getenv("RECON_SHARED")
	if shared == "" {
		return // testdata/payloads are read by TestRead
	}
	rules, err := capture.ParseRules([]byte(`{"tools":[{"match":"*"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	files, err := filepath.Glob(filepath.Join(shared, "data", "hook-payloads", "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".json")
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		v, err := capture.Decode(content)
		if err != nil {
			t.Fatal(name, err)
		}
		events := map[string][]byte{name: content}
		for _, part := range []string{"before", "after", "on_tool_start", "on_tool_end", "handleToolStart", "handleToolEnd", "handleToolError"} {
			if inner, ok := v.Get(part); ok {
				delete(events, name)
				events[name+" "+part] = inner.Raw
			}
		}
		for name, payload := range events {
			got[name] = summary(rules.Read(payload, capture.Options{Hint: capture.Pre}))
		}
	}
	delete(got, "manifest")
	var names []string
	for name := range got {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		if want, ok := sharedPayloads[name]; !ok || got[name] != want {
			t.Errorf("%q: %q,", name, got[name])
		}
	}
	if len(got) != len(sharedPayloads) {
		t.Errorf("got %d events, want %d", len(got), len(sharedPayloads))
	}
}

func summary(e capture.Event, err error) string {
	switch {
	case err != nil:
		return "no event"
	case e.Ignored != "":
		return fmt.Sprintf("%s %s ignored", e.Harness, e.Phase)
	case e.Phase == capture.Session:
		return fmt.Sprintf("%s session %s", e.Harness, e.Session.Event)
	case e.Phase == capture.Pre:
		return fmt.Sprintf("%s pre %s %d", e.Harness, e.Attempt.IDSource, e.Attempt.Minor)
	default:
		return strings.TrimSpace(fmt.Sprintf("%s %s %s %s %s", e.Harness, e.Phase, e.Attempt.IDSource, e.Outcome.Status, e.Outcome.ProviderRef))
	}
}
