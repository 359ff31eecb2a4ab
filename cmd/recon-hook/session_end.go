package main

import "agentrecon/recon/capture"

// sessionEnd records what happened to a session. No decision hangs on it: harnesses do not always send it.
func sessionEnd(p *process, args []string) int {
	return observe(p, "session-end", capture.Session, args)
}
