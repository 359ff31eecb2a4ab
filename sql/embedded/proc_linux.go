package embedded

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"strconv"
	"syscall"
)

// dieWithOwner has the kernel send the server an immediate shutdown when the
// thread that started it ends, and so when our process is killed.
func dieWithOwner(attr *syscall.SysProcAttr) { attr.Pdeathsig = syscall.SIGQUIT }

// runsOn tells whether the process is a postmaster of the data directory. A
// postmaster's working directory is its data directory.
func runsOn(pid int, data string) bool {
	proc := "/proc/" + strconv.Itoa(pid)
	cwd, err := os.Readlink(proc + "/cwd")
	if errors.Is(err, fs.ErrPermission) {
		// Root in a container may lack the right to look at the server
		// account's processes (CAP_SYS_PTRACE). Everybody may read the
		// arguments.
		args, err := os.ReadFile(proc + "/cmdline")
		return err == nil && bytes.Contains(args, []byte("\x00-D\x00"+data+"\x00"))
	}
	return err == nil && cwd == data
}

// sharedMemoryType returns where parallel workers exchange data, or "" for
// PostgreSQL's choice, /dev/shm. Containers make that 64 MB small, and then
// large parallel queries fail; System V memory has no such limit.
func sharedMemoryType() string {
	const enough = 1 << 30
	var st syscall.Statfs_t
	if err := syscall.Statfs("/dev/shm", &st); err == nil && st.Blocks*uint64(st.Bsize) >= enough {
		return ""
	}
	return "sysv"
}
