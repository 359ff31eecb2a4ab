// Command recon-hook records what AI agents are about to pay, and what came of it, for recon to reconcile. Agent
// harnesses start it as a hook. See docs/hooks.md.
package main

import (
	"os"
	"time"
)

func main() {
	os.Exit(run(&process{
		args: os.Args[1:], stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, getenv: os.Getenv, now: time.Now,
		hostname: os.Hostname,
	}))
}
