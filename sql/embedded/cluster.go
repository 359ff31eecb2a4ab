package embedded

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// ErrWrongMajor means that the cluster was made by another major version of
// PostgreSQL than the binaries at hand. Its data is left as it is.
var ErrWrongMajor = errors.New("made by another major version of PostgreSQL")

// A cluster is a data directory with what lies around it.
type cluster struct {
	root    string // absolute, without links; ours
	base    string // root/pgdata or root/pgdata-nosync: what the files beside it are named after
	data    string // base, or where it leads if it is a link; the server account's
	socket  string // directory of the socket
	account account
	kind    kind
}

// kind tells the three kinds of cluster apart.
type kind int

const (
	durable kind = iota
	cache
	throwaway
)

func (k kind) String() string { return [...]string{"durable", "cache", "throwaway"}[k] }

func (o Options) kind() kind {
	switch {
	case o.Throwaway:
		return throwaway
	case o.NoSync:
		return cache
	}
	return durable
}

// dataDir is the name of the data directory under the root. The kinds that give
// up durability never share one with the kind that promises it.
func (k kind) dataDir() string {
	if k == durable {
		return "pgdata"
	}
	return "pgdata-nosync"
}

func (c *cluster) startLock() string  { return c.base + ".start" }
func (c *cluster) usersLock() string  { return c.base + ".users" }
func (c *cluster) serverLock() string { return c.base + ".server" }
func (c *cluster) logFile() string    { return c.base + ".log" }
func (c *cluster) pidFile() string    { return filepath.Join(c.data, "postmaster.pid") }

// locate fixes the cluster's paths and account, and makes the root directory of
// a shared one.
func locate(o Options, root string) (*cluster, error) {
	root, err := filepath.Abs(root)
	if err != nil {
		return nil, err
	}
	k := o.kind()
	data := filepath.Join(root, k.dataDir())
	if real, err := filepath.EvalSymlinks(data); err == nil {
		data = real
	}
	a, err := chooseAccount(o.User, data, root)
	if err != nil {
		return nil, err
	}
	if err := makeRoot(root, k, a); err != nil {
		return nil, fmt.Errorf("state directory: choose a place you can write to with --state-dir: %w", err)
	}
	root, err = filepath.EvalSymlinks(root)
	if err != nil {
		return nil, err
	}
	if err := checkRoot(root, a); err != nil {
		return nil, err
	}
	c := &cluster{root: root, base: filepath.Join(root, k.dataDir()), account: a, kind: k}
	// Operators move a data directory to a larger disk and leave a link.
	c.data = c.base
	if real, err := filepath.EvalSymlinks(c.base); err == nil {
		c.data = real
	}
	c.socket = socketDir(c.data, a)
	return c, nil
}

// makeRoot makes the root directory, if it is not there, and lets the server's
// account through to its own directory within, whatever our umask says.
func makeRoot(root string, k kind, a account) error {
	_, err := os.Lstat(root)
	ours := k == throwaway || errors.Is(err, fs.ErrNotExist)
	if err := os.MkdirAll(root, 0o755); err != nil {
		return err
	}
	switch {
	case !ours:
		return nil
	case a.drop:
		return os.Chmod(root, 0o711)
	default:
		return os.Chmod(root, 0o700)
	}
}

// checkRoot refuses a directory in which somebody else could replace the data.
func checkRoot(root string, a account) error {
	fi, err := os.Stat(root)
	if err != nil {
		return err
	}
	if !fi.IsDir() {
		return fmt.Errorf("state directory %s is not a directory: choose another place with --state-dir", root)
	}
	if uid, _, _ := owner(root); uid != 0 && uid != os.Geteuid() && uid != a.uid {
		return fmt.Errorf("state directory %s belongs to %s: choose another place with --state-dir", root, accountName(uid))
	}
	if fi.Mode().Perm()&0o002 != 0 {
		return fmt.Errorf("state directory %s can be written to by everybody (mode %04o): choose another place with --state-dir, or chmod o-w it", root, fi.Mode().Perm())
	}
	return nil
}

// major returns the version that made the data directory, and 0 if there is no
// cluster yet. A directory without PG_VERSION that holds something else is not
// ours to fill.
func (c *cluster) major() (int, error) {
	raw, err := os.ReadFile(filepath.Join(c.data, "PG_VERSION"))
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Lstat(c.data); err == nil {
			return 0, fmt.Errorf("%s exists but is no PostgreSQL cluster (it has no PG_VERSION): move it away, or choose another place with --state-dir", c.data)
		}
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("version of the cluster: %w", err)
	}
	major, err := strconv.Atoi(strings.TrimSpace(string(raw)))
	if err != nil {
		return 0, fmt.Errorf("%s/PG_VERSION holds %q: expected a major version such as 15", c.data, raw)
	}
	return major, nil
}

// binaries finds the installation for this cluster: the major version that made
// it, or for a new one (major 0) the highest.
func (c *cluster) binaries(o Options, major int) (Binaries, error) {
	find := FindOptions{Bin: o.Bin, Path: o.Path, Major: major, globs: o.globs}
	b, err := Find(find)
	if err == nil && (major == 0 || b.Major == major) {
		return b, nil
	}
	if major == 0 {
		return Binaries{}, err
	}
	if err != nil {
		// Is there another version, or none at all?
		find.Major = 0
		other, otherErr := Find(find)
		if otherErr != nil {
			return Binaries{}, otherErr
		}
		b = other
	}
	return Binaries{}, fmt.Errorf("cluster %s: %w: it needs PostgreSQL %d, and %s holds %d: install version %d beside it or set RECON_PG_BIN to it; "+
		"to move to %d, dump and restore or use pg_upgrade; nothing was changed", c.data, ErrWrongMajor, major, b.Dir, b.Major, major, b.Major)
}

// create makes the data directory beside its place and renames it, so that a
// program killed half-way leaves nothing that looks like a cluster. The caller
// holds the start lock.
func (c *cluster) create(ctx context.Context, b Binaries) (err error) {
	c.sweepCreate()
	tmp := c.base + ".init-" + strconv.Itoa(os.Getpid())
	if err := os.Mkdir(tmp, 0o700); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			removeAll(tmp)
		}
	}()
	if err := c.account.give(tmp); err != nil {
		return err
	}
	if err := c.initdb(ctx, b, tmp); err != nil {
		return err
	}
	if err := os.Rename(tmp, c.base); err != nil {
		return err
	}
	if c.kind == durable {
		return syncDir(c.root)
	}
	return nil
}

func (c *cluster) initdb(ctx context.Context, b Binaries, dir string) error {
	args := []string{
		"-D", dir, "-U", superuser,
		// Byte order is the same everywhere; a locale's order changes with
		// the C library and silently breaks indexes.
		"--locale=C", "-E", "UTF8",
		"--auth-local=trust", "--auth-host=reject",
	}
	// A throwaway cluster is read back within minutes. Checksums are the default
	// since version 18, and only since then can they be refused.
	const checksumsByDefault = 18
	switch {
	case c.kind != throwaway:
		args = append(args, "--data-checksums")
	case b.Major >= checksumsByDefault:
		args = append(args, "--no-data-checksums")
	}
	if c.kind != durable {
		args = append(args, "--no-sync")
	}
	cmd := exec.CommandContext(ctx, b.Path("initdb"), args...)
	cmd.Dir = c.root
	cmd.Env = serverEnv()
	cmd.SysProcAttr = c.account.procAttr()
	// initdb works through children; the session is a process group of its own.
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return fmt.Errorf("create PostgreSQL cluster: %w", context.Cause(ctx))
	case cmd.Process == nil:
		return fmt.Errorf("create PostgreSQL cluster: %w", c.account.explain(err, c.root, b.Dir))
	case bytes.Contains(out.Bytes(), []byte("could not look up effective user ID")):
		return fmt.Errorf("create PostgreSQL cluster: uid %d has no entry in /etc/passwd, which initdb insists on: add one, or set DATABASE_URL", c.account.uid)
	}
	return fmt.Errorf("create PostgreSQL cluster: initdb: %w: %s", err, lastLines(out.String()))
}

// sweepCreate removes what killed programs left of an initdb. Nobody else can be
// creating: we hold the start lock.
func (c *cluster) sweepCreate() {
	left, _ := filepath.Glob(c.base + ".init-*") // the error is about the pattern only
	for _, dir := range left {
		removeAll(dir)
	}
}

// removeAll removes a directory in which processes that are being killed may
// still create files. What stays is swept by a later start.
func removeAll(dir string) {
	for range 5 {
		if os.RemoveAll(dir) == nil {
			return
		}
		time.Sleep(pollEvery)
	}
}

func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}

// serverEnv is all the environment that initdb and the server get: no PG*
// variables that would change them, and none of our secrets.
func serverEnv() []string {
	return []string{"PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C", "TZ=UTC"}
}

// lastLines cuts a program's output to what fits into an error.
func lastLines(out string) string {
	const most = 6
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if len(lines) > most {
		lines = lines[len(lines)-most:]
	}
	return strings.Join(lines, "; ")
}
