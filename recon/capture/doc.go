// Package capture reads what an agent harness tells a hook and says what it means: which call it was, under
// which id the call is known, what was to be paid, and what came of it.
//
// It is pure: bytes and a moment in, values out. Nothing here opens a database, reads a clock or exits. The
// way of a payload, with the file of each step:
//
//	json.go      bytes → Value, as Python's json.loads reads them, with every literal kept
//	harness.go   the table of harnesses: where each one puts session, tool, arguments and result
//	detect.go    which harness sent it, and what its event means
//	tools.go     is it a payment? patterns of tool names, paths of fields
//	identity.go  the attempt's id, byte for byte as the hooks in Python made it
//	amount.go    the amount, exact or not at all
//	outcome.go   the ladder from a response to succeeded, failed, denied, … or unknown
//	event.go     all of it: [Rules.Read]
//	output.go    what to answer the harness
//
// Two rules run through all of it. Never guess: a shape that nobody described is "unknown", an amount that is
// not exact is no amount. And keep the evidence: ids are not trimmed, folded or normalised, numbers are echoed
// in the digits they came in.
package capture
