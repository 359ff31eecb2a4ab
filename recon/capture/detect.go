package capture

import (
	"slices"
	"strings"
	"unicode/utf8"
)

type sign struct {
	harness Harness
	has     []Path
	events  []string
}

// signs tell harnesses apart. The first row whose paths are all there, and one of whose events is it if it names
// any, decides.
var signs = []sign{
	{harness: Windsurf, has: []Path{"agent_action_name"}},
	{harness: Windsurf, has: []Path{"trajectory_id", "tool_info"}},
	{harness: Cursor, has: []Path{"conversation_id"}},
	{harness: Cursor, has: []Path{"cursor_version"}},
	{harness: OpenCode, has: []Path{"input.sessionID"}},
	{harness: OpenCode, has: []Path{"input.callID"}},
	{harness: Copilot, has: []Path{"sessionId"}},
	{harness: Gemini, events: []string{"BeforeTool", "AfterTool"}},
	{harness: Gemini, has: []Path{"hook_event_name", "timestamp", "transcript_path"}},
	// Copilot also runs hooks that were configured for Claude Code. It has a time stamp, and never a transcript.
	{harness: Copilot, has: []Path{"hook_event_name", "tool_result"}},
	{harness: Copilot, has: []Path{"hook_event_name", "timestamp"}},
	{harness: Codex, has: []Path{"hook_event_name", "turn_id"}},
	{harness: ClaudeCode, has: []Path{"hook_event_name"}},
	{harness: Plain},
}

// Detect says which harness sent a payload.
func Detect(payload Value) Harness {
	name := payload.firstText([]Path{"hook_event_name"})
	for _, sign := range signs {
		if sign.shows(payload, name) {
			return sign.harness
		}
	}
	return Plain
}

func (s sign) shows(payload Value, event string) bool {
	for _, p := range s.has {
		if _, ok := payload.At(p); !ok {
			return false
		}
	}
	return len(s.events) == 0 || slices.Contains(s.events, event)
}

// phase says what an event means. hint is what the recorder was called for: it decides where the payload does not.
func (l layout) phase(payload Value, hint Phase) (name string, phase Phase) {
	name = payload.firstText(l.event)
	if phase, ok := l.events[smallFirst(name)]; ok {
		return name, phase
	}
	if l.isBefore(payload) {
		return name, Pre
	}
	if name == "" {
		// Copilot's own spelling and agent libraries name no event, but each kind has its own fields.
		_, _, tool := payload.first(l.tool)
		_, _, failed := payload.first(l.failure)
		_, _, returned := payload.first(l.result)
		_, _, ended := payload.first([]Path{"reason"})
		switch {
		case tool && returned:
			return name, Post
		case tool && failed:
			return name, Failure
		case !tool && ended:
			return name, Session
		}
	}
	return name, hint
}

// isBefore knows opencode's event before a call, whose result and arguments share a place.
func (l layout) isBefore(payload Value) bool {
	_, ok := payload.At("output.args")
	_, inner := payload.At("input.sessionID")
	return ok && inner
}

func smallFirst(name string) string {
	_, size := utf8.DecodeRuneInString(name)
	return strings.ToLower(name[:size]) + name[size:]
}
