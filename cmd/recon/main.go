// Command recon reconciles the transfers that AI agents attempted with the outcomes their platform saw and with the
// payments ledger. See docs/cli.md.
package main

import (
	"os"
	"runtime/debug"
	"time"

	"agentrecon/recon"
)

func main() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(recon.GCPercent)
	}
	os.Exit(run(program{
		args: os.Args, stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, getenv: os.Getenv, now: time.Now,
		terminal: isTerminal(os.Stderr),
	}))
}
