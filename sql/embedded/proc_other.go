//go:build !linux

package embedded

import (
	"os/exec"
	"strconv"
	"strings"
	"syscall"
)

// dieWithOwner does nothing: only Linux signals a process when its parent dies.
// A killed owner's server is stopped by the sweep of the next throwaway start.
func dieWithOwner(*syscall.SysProcAttr) {}

// runsOn tells whether the process is a postmaster of the data directory, by
// its arguments.
func runsOn(pid int, data string) bool {
	out, err := exec.Command("ps", "-ww", "-o", "command=", "-p", strconv.Itoa(pid)).Output()
	return err == nil && strings.Contains(string(out), "-D "+data)
}

// sharedMemoryType leaves the choice to PostgreSQL.
func sharedMemoryType() string { return "" }
