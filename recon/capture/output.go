package capture

// An Answer is what a hook prints and how it exits.
type Answer struct {
	Stdout, Stderr string
	Status         int
}

// Neutral is the answer that changes nothing: every harness that reads answers takes an empty object for none.
func (h Harness) Neutral() Answer {
	if layouts[h].silent {
		return Answer{}
	}
	return Answer{Stdout: "{}\n"}
}

// Proceed is the answer before a call: it goes on, with the idempotency key if one is to be filled in. No approval
// is given or taken away, but for what approvedElsewhere permits.
func (e Event) Proceed(approvedElsewhere bool) Answer {
	write := layouts[e.Harness].rewrite
	if e.Filled == nil || write == nil {
		return e.Harness.Neutral()
	}
	return Answer{Stdout: write(string(e.Filled), approvedElsewhere) + "\n"}
}

// Block is the answer before a call that must not be made.
func (h Harness) Block(reason string) Answer {
	write := layouts[h].block
	if write == nil {
		write = blockByStatus
	}
	return write(reason)
}

// rewrite writes the answer that replaces a call's arguments.
type rewrite func(args string, approvedElsewhere bool) string

func rewriteClaude(args string, approvedElsewhere bool) string {
	decision := "ask" // "allow" would skip the person who approves payments
	if approvedElsewhere {
		decision = "allow"
	}
	return `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"` + decision + `","updatedInput":` + args + `}}`
}

func rewriteCodex(args string, _ bool) string {
	return `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","updatedInput":` + args + `}}`
}

func rewriteGemini(args string, _ bool) string {
	return `{"hookSpecificOutput":{"hookEventName":"BeforeTool","tool_input":` + args + `}}`
}

func rewriteCursor(args string, _ bool) string { return `{"updated_input":` + args + `}` }

func rewriteCopilot(args string, _ bool) string { return `{"modifiedArgs":` + args + `}` }

func rewriteOpenCode(args string, _ bool) string { return `{"args":` + args + `}` }

// block writes the answer that stops a call.
type block func(reason string) Answer

// exitBlocks is the exit status that most harnesses take for a refusal.
const exitBlocks = 2

func blockByStatus(reason string) Answer { return Answer{Stderr: reason + "\n", Status: exitBlocks} }

// Gemini takes an answer on stdout at its word, and an exit status for a refusal only without one.
func blockGemini(reason string) Answer {
	return Answer{Stdout: `{"decision":"deny","reason":` + quote(reason) + "}\n"}
}

func blockCursor(reason string) Answer {
	return Answer{Stdout: `{"permission":"deny","user_message":` + quote(reason) + "}\n"}
}

func quote(s string) string { return string(appendString(nil, s)) }
