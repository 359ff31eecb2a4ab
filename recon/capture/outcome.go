package capture

import (
	"slices"
	"strings"

	"agentrecon/recon"
)

// The ladder from what a harness shows of a call's result to a status. Each rung takes what the one above did not
// find: structured content, the first JSON object among the content's texts, JSON in a text, the object itself.
// What is found says succeeded or failed in the words below, in agreement with itself; everything else is unknown.
// A failure is believed only if the provider says so or refused the request for good: a payment that timed out or
// met a server error may have been made.

// verdicts are words in which a result states its status.
var verdicts = map[string]signal{
	"ok": yes, "success": yes, "successful": yes, "succeeded": yes, "completed": yes, "complete": yes, "paid": yes, "settled": yes,
	"executed": yes, "done": yes, "posted": yes,
	"failed": no, "failure": no, "declined": no, "rejected": no, "refused": no, "denied": no, "canceled": no, "cancelled": no,
	"pending": open, "processing": open, "queued": open, "submitted": open, "in_progress": open,
	"scheduled": open, "settlement_pending": open, "unknown": open, "timeout": open, "timed_out": open,
	"accepted": open, "created": open, "initiated": open, "authorized": open, "authorised": open, "in_review": open, "under_review": open,
	"on_hold": open, "held": open, "incomplete": open, "expired": open, "refunded": open, "reversed": open, "returned": open, "voided": open,
	"disputed": open, "charged_back": open,
	"error": broken,
}

// unsettled begin words for what is not over, such as requires_action.
var unsettled = []string{"pending_", "awaiting_", "waiting_", "requires_", "needs_", "partially_", "partial_"}

// verdict is what a status says; nothing if nobody described its word.
func verdict(status string) signal {
	word := wordOf(status)
	if said, ok := verdicts[word]; ok {
		return said
	}
	for _, beginning := range unsettled {
		if strings.HasPrefix(word+"_", beginning) {
			return open
		}
	}
	return 0
}

// rehearsals are flags of results that say what would happen.
var rehearsals = []string{"dry_run", "dryRun", "simulated", "simulation"}

// refusals are codes of errors after which nothing was executed.
var refusals = setOf("insufficient_funds", "invalid_request", "invalid_request_error", "invalid_argument", "invalid_arguments",
	"invalid_params", "invalid_parameter", "invalid_account", "invalid_amount", "validation_error", "validation_failed", "bad_request",
	"unauthorized", "unauthenticated", "authentication_error", "forbidden", "permission_denied", "not_found", "account_not_found",
	"account_closed", "declined", "card_declined", "payment_declined", "limit_exceeded", "rate_limited", "unprocessable_entity",
	"payment_required", "-32600", "-32601", "-32602")

// doubts are parts of messages after which something may have been executed.
var doubts = []string{
	"timeout", "timed out", "time out", "deadline exceeded", "econnre", "epipe", "unexpected eof", "hang up", "hung up", "broken pipe",
	"connection", "network error", "unreachable", "unavailable", "bad gateway", "abort", "cancel", "interrupt", "internal error",
	"internal server", "server error", "in progress", "in flight", "pending", "transport error", "socket",
	// An earlier request may have been the payment.
	"duplicate", "already", "conflict", "idempoten",
	"unknown error", "unexpected error", "unconfirmed", "may have", "might have",
}

// reasonPhrases make a number before them an HTTP status. None has more words than longestPhrase.
const longestPhrase = 3

var reasonPhrases = []string{"bad request", "unauthorized", "payment required", "forbidden", "not found", "unprocessable", "too many requests"}

func setOf(words ...string) map[string]bool {
	set := make(map[string]bool, len(words))
	for _, w := range words {
		set[w] = true
	}
	return set
}

// signal is one thing that a result says.
type signal uint8

const (
	yes    signal = 1 << iota // succeeded
	no                        // failed, in the provider's words
	open                      // not settled yet
	broken                    // an error, which alone says nothing about the money
	final                     // … and it was refused for good
	doubt                     // … and it may have been executed
	denied                    // the platform did not let it happen
	late                      // the platform stopped waiting
)

// observation collects the signals of one result.
type observation struct {
	said    signal
	ref     string
	message string
	refs    []Path
}

const (
	maxResultDepth = 8
	// maxMessage bounds what is looked through of an error's words. Longer ones decide nothing.
	maxMessage = 16 << 10
)

// wrappers hold the result proper in many APIs.
var wrappers = []string{"data", "result", "payment", "transfer", "payout", "transaction", "response", "output"}

// response takes the first rung that holds.
func (o *observation) response(v Value, depth int) {
	v = v.embedded()
	if depth > maxResultDepth {
		return
	}
	switch v.Kind {
	case String:
		o.say(v.Text)
	case List:
		o.contents(v, depth)
	case Object:
		o.envelope(v, depth)
	}
}

// envelope opens what JSON-RPC, MCP and harnesses put around a result.
func (o *observation) envelope(v Value, depth int) {
	if _, ok := v.Get("jsonrpc"); ok { // its id is that of a message
		if failed, _ := v.Get("error"); failed.Truthy() {
			o.failed(failed)
		}
		result, _ := v.Get("result")
		o.response(result, depth+1)
		return
	}
	if flag, ok := v.Get("isError"); ok && flag.Truthy() {
		o.said |= broken
	}
	if structured, ok := v.Get("structuredContent"); ok && structured.Kind == Object {
		if o.said&broken != 0 {
			o.message = textOf(v)
		}
		o.object(structured, depth)
		return
	}
	if kind := v.firstText([]Path{"resultType", "result_type"}); kind != "" {
		o.resultType(kind)
	}
	if failed, ok := v.Get("error"); ok && failed.Truthy() {
		if _, gemini := v.Get("llmContent"); gemini {
			o.failed(failed)
		}
	}
	if v.states() {
		o.object(v, depth)
		return
	}
	for _, name := range []string{"content", "llmContent", "functionResponse", "textResultForLlm", "text_result_for_llm"} {
		inner, ok := v.Get(name)
		if !ok || inner.Kind == Null {
			continue
		}
		if response, ok := inner.Get("response"); ok {
			inner = response
		}
		o.response(inner, depth+1)
		return
	}
	o.object(v, depth)
}

// states reports whether an object says itself how the call went.
func (v Value) states() bool {
	for _, name := range []string{"ok", "success", "succeeded", "status", "state"} {
		if member, ok := v.Get(name); ok && (member.Kind == Bool || member.Kind == String) {
			return true
		}
	}
	return false
}

// resultType is Copilot's word for how a call ended.
func (o *observation) resultType(kind string) {
	switch kind {
	case "failure":
		o.said |= broken
	case "denied", "rejected":
		o.said |= denied
	case "timeout":
		o.said |= late
	}
}

// contents looks through content blocks for the first JSON object.
func (o *observation) contents(list Value, depth int) {
	for _, item := range list.Items {
		if text, ok := item.Get("text"); ok {
			item = text
		} else if _, ok := item.Get("functionResponse"); !ok && item.Kind == Object {
			continue // an image or a resource
		}
		if inner := item.embedded(); inner.Kind == Object {
			o.response(inner, depth+1)
			return
		}
	}
	o.say(textOf(list))
}

// say keeps a text that states nothing. That of an error is looked through for what it was.
func (o *observation) say(text string) {
	if o.message == "" {
		o.message = text
	}
}

// textOf joins the texts of content blocks.
func textOf(v Value) string {
	if inner, ok := v.Get("content"); ok {
		v = inner
	}
	if v.Kind == String {
		return v.Text
	}
	var texts []string
	for _, item := range v.Items {
		if text := item.firstText([]Path{"text"}); text != "" {
			texts = append(texts, text)
		} else if item.Kind == String {
			texts = append(texts, item.Text)
		}
	}
	return strings.Join(texts, "\n")
}

// object reads a result proper and the ones that it wraps: {"success": true, "data": {"status": "pending"}} says that
// a request went well, and not a payment.
func (o *observation) object(v Value, depth int) {
	o.flags(v)
	if o.ref == "" {
		o.ref = v.firstText(o.refs)
	}
	for _, name := range wrappers {
		inner, _ := v.Get(name)
		if inner = inner.embedded(); inner.Kind == Object && depth < maxResultDepth {
			o.object(inner, depth+1)
		}
	}
}

func (o *observation) flags(v Value) {
	for _, name := range []string{"ok", "success", "succeeded"} {
		if flag, ok := v.Get(name); ok && flag.Kind == Bool {
			o.said |= map[bool]signal{true: yes, false: no}[flag.True]
		}
	}
	for _, name := range []string{"status", "state"} {
		status, _ := v.Get(name)
		if status.Kind == String {
			o.said |= verdict(status.Text)
		}
		o.httpStatus(status)
	}
	for _, name := range rehearsals {
		if flag, _ := v.Get(name); flag.Truthy() {
			o.said |= open
		}
	}
	for _, name := range []string{"error", "errors", "error_code", "error_message"} {
		if failed, _ := v.Get(name); failed.Truthy() {
			o.failed(failed)
		}
	}
	if o.said&(no|broken) != 0 {
		o.details(v)
	}
}

// failed reads an error: its code says whether it was for good, its message is kept.
func (o *observation) failed(v Value) {
	o.said |= broken
	v = v.embedded()
	switch v.Kind {
	case List:
		for _, item := range v.Items {
			o.details(item)
		}
	case Object:
		o.details(v)
	default:
		o.code(v)
		o.setMessage(v.plain())
	}
}

// details reads the members of an error.
func (o *observation) details(v Value) {
	if v.Kind == String {
		o.code(v)
		o.setMessage(v.Text)
	}
	for _, name := range []string{"code", "type", "status", "status_code", "statusCode", "http_status", "reason", "error_code", "failure_code"} {
		if member, ok := v.Get(name); ok {
			o.code(member)
		}
	}
	for _, name := range []string{"message", "error_message", "detail", "description", "reason", "failure_message", "title"} {
		if member, ok := v.Get(name); ok && member.Kind == String {
			o.setMessage(member.Text)
		}
	}
}

func (o *observation) setMessage(text string) {
	if room := maxMessage - len(o.message); len(text) > room {
		o.said |= doubt
		text = text[:max(0, room)]
	}
	if text != "" && !strings.Contains(o.message, text) {
		o.message = strings.TrimPrefix(o.message+"; "+text, "; ")
	}
}

func (o *observation) code(v Value) {
	o.httpStatus(v)
	if word := wordOf(v.plain()); refusals[word] || refusals[v.plain()] {
		o.said |= final
	} else if v.Kind == String && doubtful(word) {
		o.said |= doubt
	}
}

// httpStatus reads a number of three digits. 408, 409, 423, 425 and 499 say that another request may be at work.
func (o *observation) httpStatus(v Value) {
	code := v.plain()
	if len(code) != 3 || countDigits([]byte(code)) != 3 {
		return
	}
	switch {
	case code == "408" || code == "409" || code == "423" || code == "425" || code == "499" || code[0] == '5':
		o.said |= broken | doubt
	case code[0] == '4':
		o.said |= broken | final
	}
}

var joined, spaced = strings.NewReplacer(" ", "_", "-", "_"), strings.NewReplacer("_", " ", "-", " ")

// wordOf spells a status or code in the way of the tables above.
func wordOf(s string) string { return joined.Replace(strings.ToLower(strings.TrimSpace(s))) }

// doubtful looks for doubts in a text or a code, in small letters.
func doubtful(s string) bool {
	s = spaced.Replace(s)
	return slices.ContainsFunc(doubts, func(part string) bool { return strings.Contains(s, part) })
}

// readMessage looks through the text of an error for what kind it was. A lone number may be anything, an amount
// too: it counts as a server error, for that decides nothing, and as a refusal only where the words around it say
// that it is a status.
func (o *observation) readMessage() {
	if len(o.message) > maxMessage {
		o.message = o.message[:maxMessage]
		o.said |= doubt
	}
	text := strings.ToLower(o.message)
	if doubtful(text) {
		o.said |= doubt
	}
	words := strings.FieldsFunc(text, func(r rune) bool { return !(r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r == '_' || r == '-') })
	for i, word := range words {
		if strings.Contains(word, "_") && refusals[word] || strings.HasPrefix(word, "-326") && refusals[word] {
			o.said |= final
		}
		if len(word) != 3 || countDigits([]byte(word)) != 3 {
			continue
		}
		named := i > 0 && (words[i-1] == "status" || words[i-1] == "code" || words[i-1] == "http" || words[i-1] == "error")
		following := strings.Join(words[i+1:min(len(words), i+1+longestPhrase)], " ")
		for _, phrase := range reasonPhrases {
			named = named || strings.HasPrefix(following, phrase)
		}
		if named || word[0] == '5' {
			o.httpStatus(Value{Kind: String, Text: word})
		}
	}
}

// status weighs what was said.
func (o *observation) status() recon.OutcomeStatus {
	if o.said&(no|broken) != 0 {
		o.readMessage()
	}
	says := func(s signal) bool { return o.said&s != 0 }
	switch {
	case says(denied):
		return recon.Denied
	case says(late):
		return recon.TimedOut
	case says(yes):
		if says(no | open | broken) {
			return recon.Unknown
		}
		return recon.Succeeded
	case says(open | doubt):
		return recon.Unknown
	case says(no), says(broken) && says(final):
		return recon.Failed
	default:
		return recon.Unknown
	}
}
