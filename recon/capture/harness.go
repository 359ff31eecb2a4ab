package capture

import "maps"

import "fmt"

// Harness is a program that runs agents and tells hooks about their calls.
type Harness string

// The harnesses. Plain is everything else that can send the JSON of the original hooks, and the events of agent
// libraries close to it.
const (
	ClaudeCode Harness = "claude-code"
	Codex      Harness = "codex"
	Gemini     Harness = "gemini"
	Cursor     Harness = "cursor"
	Copilot    Harness = "copilot"
	Windsurf   Harness = "windsurf"
	OpenCode   Harness = "opencode"
	Plain      Harness = "plain"
)

// Phase is when in the life of a call or a session an event is sent.
type Phase string

// The phases of events.
const (
	Pre     Phase = "pre"     // the call is about to be made
	Post    Phase = "post"    // it came back
	Failure Phase = "failure" // it came back with an error, was interrupted or never came back
	Denied  Phase = "denied"  // the platform did not let it be made
	Session Phase = "session" // something happened to the session
	Other   Phase = "other"   // nothing that is recorded
)

// layout says where the payloads of a harness hold what is needed. Paths are tried in turn.
type layout struct {
	event, session, agent, turn, tool, args, id, result, failure []Path

	// names lead to further names of the tool, without what the harness puts before it.
	names []Path
	// separator is what stands between server and tool in a tool's name where nothing marks the border.
	separator string
	// textArgs are the places of arguments that come as JSON within a text and are hashed as what they say.
	textArgs []Path
	// events are the phases of events, each name with a small first letter. One that is not listed has the phase
	// that the recorder was called for.
	events map[string]Phase
	// twins are events that come next to another one for the same call, without its id. Recording both would make
	// two attempts of one call.
	twins map[string]bool

	// saysNoFailure: failed calls send no event, so that an attempt without outcome means nothing.
	saysNoFailure bool
	rewrite       rewrite // nil: a hook cannot change arguments
	// needsAllow: the harness changes arguments only next to an approval.
	needsAllow bool
	block      block
	silent     bool // answers are not read, and none is printed
}

// layouts is all that this package knows of harnesses.
var layouts = map[Harness]layout{
	ClaudeCode: {
		event: []Path{"hook_event_name"}, session: []Path{"session_id"}, agent: []Path{"agent_id"}, turn: []Path{"prompt_id"},
		tool: []Path{"tool_name"}, args: []Path{"tool_input"}, id: []Path{"tool_use_id"},
		result: []Path{"tool_response"}, failure: []Path{"error", "reason"},
		events: with(toolEvents, map[string]Phase{
			"postToolUseFailure": Failure, "permissionDenied": Denied, "permissionRequest": Other, "postToolBatch": Other,
			"stopFailure": Other, "userPromptSubmit": Other, "notification": Other, "preCompact": Other,
		}),
		rewrite: rewriteClaude, block: blockByStatus,
	},
	Codex: {
		event: []Path{"hook_event_name"}, session: []Path{"session_id"}, agent: []Path{"agent_id"}, turn: []Path{"turn_id"},
		tool: []Path{"tool_name"}, args: []Path{"tool_input"}, id: []Path{"tool_use_id"},
		result: []Path{"tool_response"}, failure: []Path{"error"},
		events:        with(toolEvents, map[string]Phase{"interrupt": Session, "permissionRequest": Other, "userPromptSubmit": Other, "stopFailure": Other}),
		saysNoFailure: true,
		rewrite:       rewriteCodex, needsAllow: true, block: blockByStatus,
	},
	Gemini: {
		event: []Path{"hook_event_name"}, session: []Path{"session_id"},
		tool: []Path{"tool_name"}, names: []Path{"mcp_context.tool_name", "original_request_name"}, separator: "_",
		args: []Path{"tool_input"}, result: []Path{"tool_response"}, failure: []Path{"error"},
		events: map[string]Phase{
			"beforeTool": Pre, "afterTool": Post, "sessionStart": Session, "sessionEnd": Session, "beforeAgent": Other,
			"afterAgent": Other, "beforeModel": Other, "afterModel": Other, "beforeToolSelection": Other,
			"notification": Other, "preCompress": Other,
		},
		rewrite: rewriteGemini, block: blockGemini,
	},
	Cursor: {
		event: []Path{"hook_event_name"}, session: []Path{"session_id", "conversation_id"}, turn: []Path{"generation_id"},
		tool: []Path{"tool_name"}, args: []Path{"tool_input"}, textArgs: []Path{"tool_input"}, id: []Path{"tool_use_id"},
		result: []Path{"tool_output", "result_json"}, failure: []Path{"error_message"},
		events: with(toolEvents, map[string]Phase{
			"postToolUseFailure": Failure, "beforeMCPExecution": Pre, "afterMCPExecution": Post, "beforeShellExecution": Other,
			"afterShellExecution": Other, "beforeReadFile": Other, "afterFileEdit": Other, "beforeSubmitPrompt": Other,
		}),
		twins:   map[string]bool{"beforeMCPExecution": true, "afterMCPExecution": true},
		rewrite: rewriteCursor, block: blockCursor,
	},
	Copilot: {
		event: []Path{"hook_event_name", "hookEventName"}, session: []Path{"sessionId", "session_id"},
		tool: []Path{"toolName", "tool_name"}, separator: "-",
		args:     []Path{"toolArgs", "tool_input", "arguments"},
		textArgs: []Path{"toolArgs", "tool_input", "arguments"},
		id:       []Path{"toolCallId", "tool_call_id", "tool_use_id"},
		result:   []Path{"toolResult", "tool_result"}, failure: []Path{"error.message", "error"},
		events: with(toolEvents, map[string]Phase{
			"postToolUseFailure": Failure, "userPromptSubmitted": Other, "errorOccurred": Other, "preMcpToolCall": Pre,
		}),
		rewrite: rewriteCopilot, block: blockByStatus,
	},
	Windsurf: {
		event: []Path{"agent_action_name"}, session: []Path{"trajectory_id"}, turn: []Path{"execution_id"},
		tool: []Path{"tool_info.mcp_tool_name"}, args: []Path{"tool_info.mcp_tool_arguments"}, result: []Path{"tool_info.mcp_result"},
		events: map[string]Phase{
			"pre_mcp_tool_use": Pre, "post_mcp_tool_use": Post, "pre_run_command": Other, "post_run_command": Other,
			"pre_read_code": Other, "post_read_code": Other, "pre_write_code": Other, "post_write_code": Other,
			"pre_user_prompt": Other, "post_cascade_response": Other,
		},
		saysNoFailure: true,
		block:         blockByStatus, silent: true,
	},
	OpenCode: {
		event: []Path{"event", "hook"}, session: []Path{"input.sessionID"}, tool: []Path{"input.tool"}, separator: "_",
		args: []Path{"output.args", "input.args"}, id: []Path{"input.callID"}, result: []Path{"output"}, failure: []Path{"error"},
		events: map[string]Phase{
			"tool.execute.before": Pre, "tool.execute.after": Post, "session.start": Session, "session.end": Session,
			"session.deleted": Session,
		},
		saysNoFailure: true,
		rewrite:       rewriteOpenCode, block: blockByStatus,
	},
	Plain: {
		event: []Path{"hook_event_name", "event"}, session: []Path{"session_id", "sessionId"}, agent: []Path{"agent_id"}, turn: []Path{"turn_id"},
		tool: []Path{"tool_name", "toolName", "tool.name", "tool"}, args: []Path{"tool_input", "tool_arguments", "arguments", "input"},
		textArgs: []Path{"tool_arguments", "arguments", "input"}, id: []Path{"tool_use_id", "tool_call_id", "toolCallId"},
		result: []Path{"tool_response", "tool_result", "result", "output"}, failure: []Path{"error.message", "error", "err"},
		events: with(toolEvents, map[string]Phase{
			"postToolUseFailure": Failure, "permissionDenied": Denied, "on_tool_start": Pre, "on_tool_end": Post,
			"handleToolStart": Pre, "handleToolEnd": Post, "handleToolError": Failure,
		}),
		block: blockByStatus,
	},
}

// toolEvents are those that most harnesses share.
var toolEvents = map[string]Phase{
	"preToolUse": Pre, "postToolUse": Post, "sessionStart": Session, "sessionEnd": Session,
	"stop": Other, "subagentStart": Other, "subagentStop": Other,
}

func with(base, more map[string]Phase) map[string]Phase {
	merged := make(map[string]Phase, len(base)+len(more))
	for _, m := range []map[string]Phase{base, more} {
		maps.Copy(merged, m)
	}
	return merged
}

// Harnesses lists every harness, in the order of the documentation.
var Harnesses = []Harness{ClaudeCode, Codex, Gemini, Cursor, Copilot, Windsurf, OpenCode, Plain}

// ParseHarness reads the name of a harness, also in the spelling of its vendor. "auto" and "" give none: the
// payload says which one it is.
func ParseHarness(s string) (Harness, error) {
	switch s {
	case "", "auto":
		return "", nil
	case "claude":
		return ClaudeCode, nil
	case "gemini-cli":
		return Gemini, nil
	case "copilot-cli", "copilot-sdk":
		return Copilot, nil
	}
	if _, ok := layouts[Harness(s)]; !ok {
		return "", fmt.Errorf("harness %q is unknown; known are auto, claude-code, codex, gemini, cursor, copilot, windsurf, opencode and plain", s)
	}
	return Harness(s), nil
}

// SendsNoFailure reports whether failed calls of the harness send no event at all, so that attempts without an
// outcome are normal for it.
func (h Harness) SendsNoFailure() bool { return layouts[h].saysNoFailure }
