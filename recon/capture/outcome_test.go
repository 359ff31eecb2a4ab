package capture_test

import (
	"strings"
	"testing"

	"agentrecon/recon"
	"agentrecon/recon/capture"
)

// What responses say. The first column is the response as JSON.
func TestOutcomeOfResponses(t *testing.T) {
	for _, tt := range []struct {
		response string
		want     recon.OutcomeStatus
		ref      string
	}{
		// It says so itself.
		{`{"ok":true}`, recon.Succeeded, ""},
		{`{"ok":true,"provider_ref":"p"}`, recon.Succeeded, "p"},
		{`"{\"ok\":true,\"payment_id\":\"p\"}"`, recon.Succeeded, "p"},
		{`{"success":true,"data":{"id":"p"}}`, recon.Succeeded, "p"},
		{`{"status":"paid","id":12}`, recon.Succeeded, "12"},
		{`{"data":{"status":"Succeeded","payout_id":"p"}}`, recon.Succeeded, "p"},
		{`{"ok":false}`, recon.Failed, ""},
		{`{"ok":false,"error":"insufficient funds"}`, recon.Failed, ""},
		{`{"status":"declined"}`, recon.Failed, ""},
		{`{"ok":false,"provider_ref":"p","error":{"code":"card_declined"}}`, recon.Failed, "p"},
		{`{"ok":true,"error":null,"errors":[]}`, recon.Succeeded, ""},
		// MCP.
		{`{"content":[{"type":"text","text":"{\"ok\":true}"}]}`, recon.Succeeded, ""},
		{`[{"type":"image","data":"x"},{"type":"text","text":"see below"},{"type":"text","text":"{\"ok\":true}"}]`, recon.Succeeded, ""},
		{`{"content":[{"type":"text","text":"{\"ok\":false}"}],"structuredContent":{"ok":true}}`, recon.Succeeded, ""},
		{`{"content":[],"isError":true}`, recon.Unknown, ""},
		{`{"content":[{"type":"text","text":"400 Bad Request"}],"isError":true}`, recon.Failed, ""},
		{`{"content":[{"type":"text","text":"MCP error -32602: Invalid params"}],"isError":true}`, recon.Failed, ""},
		{`{"content":[{"type":"text","text":"{\"ok\":true}"}],"isError":true}`, recon.Unknown, ""},
		{`{"structuredContent":{"code":422},"isError":true}`, recon.Failed, ""},
		{`{"structuredContent":{"ok":true},"isError":"true"}`, recon.Unknown, ""},
		{`{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"{\"ok\":true,\"id\":\"p\"}"}]}}`, recon.Succeeded, "p"},
		{`{"jsonrpc":"2.0","id":7,"result":{"structuredContent":{"ok":true},"isError":true}}`, recon.Unknown, ""},
		{`{"jsonrpc":"2.0","id":7,"error":{"code":-32602,"message":"Invalid params"}}`, recon.Failed, ""},
		{`{"jsonrpc":"2.0","id":7,"error":{"code":-32603,"message":"Internal error"}}`, recon.Unknown, ""},
		{`{"ok":false,"ok":true}`, recon.Succeeded, ""}, // the last one counts, as in Python
		// It may have happened all the same.
		{`{"ok":false,"error":"request timed out"}`, recon.Unknown, ""},
		{`{"ok":false,"error":{"code":503}}`, recon.Unknown, ""},
		{`{"ok":false,"status":504}`, recon.Unknown, ""},
		{`{"ok":false,"error":"HTTP 500"}`, recon.Unknown, ""},
		{`{"ok":false,"error":{"type":"api_connection_error"}}`, recon.Unknown, ""},
		{`{"ok":false,"error":"socket hang up"}`, recon.Unknown, ""},
		{`{"ok":false,"error":{"code":409,"message":"another request is at work"}}`, recon.Unknown, ""},
		{`{"status":"failed","error":{"message":"ECONNRESET"}}`, recon.Unknown, ""},
		{`{"ok":false,"error":"duplicate transaction"}`, recon.Unknown, ""},
		{`{"ok":false,"code":"already_processed"}`, recon.Unknown, ""},
		{`{"ok":false,"error":{"type":"idempotency_error"}}`, recon.Unknown, ""},
		{`{"ok":false,"error":"unknown error: the transfer may have been made"}`, recon.Unknown, ""},
		{`{"ok":false,"error":"insufficient funds","detail":"` + strings.Repeat("x", 100_000) + `"}`, recon.Unknown, ""},
		// It contradicts itself, or is not over.
		{`{"ok":true,"status":"requires_confirmation"}`, recon.Unknown, ""},
		{`{"ok":true,"status":"Awaiting approval"}`, recon.Unknown, ""},
		{`{"ok":true,"status":"refunded"}`, recon.Unknown, ""},
		{`{"ok":true,"dry_run":true}`, recon.Unknown, ""},
		{`{"ok":true,"dry_run":false}`, recon.Succeeded, ""},
		{`{"ok":true,"status":200}`, recon.Succeeded, ""},
		{`{"ok":true,"status":"failed"}`, recon.Unknown, ""},
		{`{"ok":true,"error":"limit"}`, recon.Unknown, ""},
		{`{"ok":true,"status":"pending","provider_ref":"p"}`, recon.Unknown, "p"},
		{`{"success":true,"data":{"status":"processing"}}`, recon.Unknown, ""},
		{`{"success":true,"payment":{"status":"failed"}}`, recon.Unknown, ""},
		// It says nothing that anybody described.
		{`"Transfer sent"`, recon.Unknown, ""},
		{`"true"`, recon.Unknown, ""},
		{`"Error: 502 Bad Gateway"`, recon.Unknown, ""},
		{`null`, recon.Unknown, ""},
		{`true`, recon.Unknown, ""},
		{`[]`, recon.Unknown, ""},
		{`{}`, recon.Unknown, ""},
		{`{"ok":"true"}`, recon.Unknown, ""},
		{`{"ok":1}`, recon.Unknown, ""},
		{`{"status":"frobnicated"}`, recon.Unknown, ""},
		{`{"error":"something broke"}`, recon.Unknown, ""},
		{`{"error":{"code":"insufficient_funds"}}`, recon.Failed, ""},
		{`{"isAsync":true,"status":"async_launched"}`, recon.Unknown, ""},
		{strings.Repeat(`{"data":`, 50) + `{"ok":true}` + strings.Repeat(`}`, 50), recon.Unknown, ""},
	} {
		e := read(t, `{"session_id":"s","hook_event_name":"PostToolUse","tool_name":"transfer_funds","tool_input":{},"tool_response":`+tt.response+`}`, capture.Options{})
		if e.Outcome.Status != tt.want || e.Outcome.ProviderRef != tt.ref {
			t.Errorf("%s: got %s %q, want %s %q", tt.response, e.Outcome.Status, e.Outcome.ProviderRef, tt.want, tt.ref)
		}
	}
}

// What events of failures say.
func TestOutcomeOfFailures(t *testing.T) {
	for _, tt := range []struct {
		fields string
		want   recon.OutcomeStatus
	}{
		{`"error":"Exit code 1"`, recon.Unknown},
		{`"error":"502 from gateway"`, recon.Unknown},
		{`"error":"amount 450 is over the limit"`, recon.Unknown},
		{`"error":"Request failed with status code 403"`, recon.Failed},
		{`"error":"422 Unprocessable Entity"`, recon.Failed},
		{`"error":"validation_error: iban"`, recon.Failed},
		{`"error":"status code 400 after connection reset"`, recon.Unknown},
		{`"error":"{\"ok\":false}"`, recon.Failed},
		{`"error":"{\"error\":{\"code\":\"account_closed\"}}"`, recon.Failed},
		{`"error":"{\"ok\":true}"`, recon.Unknown},
		{`"error":"","is_interrupt":true`, recon.Interrupted},
		{`"error":"400 Bad Request","is_interrupt":true`, recon.Interrupted},
		{`"error":"no","failure_type":"permission_denied"`, recon.Denied},
		{`"error":"no","failure_type":"timeout"`, recon.TimedOut},
		{`"error":"400 Bad Request","failure_type":"error"`, recon.Failed},
		{`"error":null`, recon.Unknown},
		{`"x":1`, recon.Unknown},
	} {
		e := read(t, `{"session_id":"s","hook_event_name":"PostToolUseFailure","tool_name":"transfer_funds","tool_input":{},`+tt.fields+`}`, capture.Options{})
		if e.Outcome.Status != tt.want {
			t.Errorf("%s: got %s, want %s", tt.fields, e.Outcome.Status, tt.want)
		}
	}
}
