package main

import (
	"bufio"
	"os"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"agentrecon/recon"
)

// units are what a size may be given in.
var units = []struct {
	name  string
	bytes int64
}{{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40}, {"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12}}

// maxMemoryOf is how many bytes the engine may take.
func maxMemoryOf(c *cli.Context) (int64, error) {
	given := c.String(flagMaxMemory)
	if given == "" {
		return machineMemory() / 2, nil
	}
	for _, unit := range units {
		number, fits := strings.CutSuffix(given, unit.name)
		if n, err := strconv.ParseInt(number, 10, 64); fits && err == nil && n > 0 && n <= (1<<62)/unit.bytes {
			return n * unit.bytes, nil
		}
	}
	return 0, usagef("--%s %q: expected a whole number with its unit, such as 4GiB or 500MB", flagMaxMemory, given)
}

// machineMemory is how much memory there is for this program: the machine's, or what a container gives of it. Where
// neither says, it is twice the engine's own default.
func machineMemory() int64 {
	least := 2 * recon.DefaultMaxMemory
	if n := memoryTotal("/proc/meminfo"); n > 0 {
		least = n
	}
	if limit, err := os.ReadFile("/sys/fs/cgroup/memory.max"); err == nil {
		if n, err := strconv.ParseInt(strings.TrimSpace(string(limit)), 10, 64); err == nil { // else "max"
			least = min(least, n)
		}
	}
	return least
}

// memoryTotal reads the total of /proc/meminfo, 0 if it does not say.
func memoryTotal(path string) int64 {
	file, err := os.Open(path)
	if err != nil {
		return 0
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) == 3 && fields[0] == "MemTotal:" && fields[2] == "kB" {
			n, _ := strconv.ParseInt(fields[1], 10, 64) // 0 where it is none
			return n << 10
		}
	}
	return 0
}
