package embedded

import (
	"bufio"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// postmaster returns the pid of the server that runs on the data directory, or
// 0 if none does. The pid in postmaster.pid may be an old one that has been
// given to another process since, so it counts only if that process really is
// the server.
func postmaster(data string) int {
	f, err := os.Open(filepath.Join(data, "postmaster.pid"))
	if err != nil {
		return 0
	}
	defer f.Close()
	first, err := bufio.NewReader(f).ReadString('\n')
	if err != nil {
		return 0
	}
	pid, err := strconv.Atoi(strings.TrimSpace(first))
	if err != nil || pid <= 1 || !runsOn(pid, data) {
		return 0
	}
	return pid
}
