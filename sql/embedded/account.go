package embedded

import (
	"errors"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
)

// account is who the server runs as.
type account struct {
	name string // for messages
	uid  int
	gid  int
	drop bool // we are root, and this is somebody else
}

// chooseAccount decides who runs the server on the given directories. They are
// listed in order of weight (data directory, then the directory above) and need
// not exist: who owns one of them already goes on as the server's account,
// because PostgreSQL refuses a data directory of somebody else.
func chooseAccount(name string, dirs ...string) (account, error) {
	if uid := os.Geteuid(); uid != 0 {
		return ownAccount(name, uid)
	}
	for _, dir := range dirs {
		uid, gid, ok := owner(dir)
		if !ok || uid == 0 {
			continue
		}
		a := account{name: accountName(uid), uid: uid, gid: gid, drop: true}
		if name != "" && name != a.name {
			return account{}, fmt.Errorf("RECON_PG_USER is %s, but %s belongs to %s: unset RECON_PG_USER or use another directory", name, dir, a.name)
		}
		return a, nil
	}
	names := []string{"postgres", "nobody"}
	if name != "" {
		names = []string{name}
	}
	for _, n := range names {
		if a, err := lookupAccount(n); err == nil {
			return a, nil
		} else if name != "" {
			return account{}, fmt.Errorf("RECON_PG_USER: %w", err)
		}
	}
	return account{}, errors.New("PostgreSQL cannot run as root, and there is neither an account postgres nor nobody: " +
		"set RECON_PG_USER to an unprivileged account, or set DATABASE_URL")
}

func ownAccount(name string, uid int) (account, error) {
	a := account{name: accountName(uid), uid: uid, gid: os.Getegid()}
	if name != "" && name != a.name {
		return account{}, fmt.Errorf("RECON_PG_USER is %s, but only root can run the server as another account than its own (%s): unset it", name, a.name)
	}
	return a, nil
}

func lookupAccount(name string) (account, error) {
	u, err := user.Lookup(name)
	if err != nil {
		return account{}, err
	}
	uid, err := strconv.Atoi(u.Uid)
	if err != nil {
		return account{}, fmt.Errorf("account %s: %w", name, err)
	}
	gid, err := strconv.Atoi(u.Gid)
	if err != nil {
		return account{}, fmt.Errorf("account %s: %w", name, err)
	}
	if uid == 0 {
		return account{}, fmt.Errorf("account %s is root, which PostgreSQL refuses to run as: name an unprivileged account", name)
	}
	return account{name: name, uid: uid, gid: gid, drop: true}, nil
}

func accountName(uid int) string {
	if u, err := user.LookupId(strconv.Itoa(uid)); err == nil {
		return u.Username
	}
	return "uid " + strconv.Itoa(uid)
}

// owner returns who owns path itself, which is not followed if it is a link.
func owner(path string) (uid, gid int, ok bool) {
	fi, err := os.Lstat(path)
	if err != nil {
		return 0, 0, false
	}
	st, ok := fi.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, 0, false
	}
	return int(st.Uid), int(st.Gid), true
}

// give hands path to the account, if that is not us.
func (a account) give(path string) error {
	if !a.drop {
		return nil
	}
	if err := os.Lchown(path, a.uid, a.gid); err != nil {
		return a.explain(err, path)
	}
	return nil
}

// procAttr starts a process as the account, in a session of its own so that a
// Ctrl-C on the terminal reaches us and not the server.
func (a account) procAttr() *syscall.SysProcAttr {
	attr := &syscall.SysProcAttr{Setsid: true}
	if a.drop {
		attr.Credential = &syscall.Credential{Uid: uint32(a.uid), Gid: uint32(a.gid)}
	}
	return attr
}

// explain turns "permission denied" into who cannot do what, and the remedy.
// The paths are those the account had to enter.
func (a account) explain(err error, paths ...string) error {
	switch {
	case errors.Is(err, syscall.EACCES):
		for _, p := range paths {
			if closed, mode := a.closedTo(p); closed != "" {
				return fmt.Errorf("account %s cannot enter %s (mode %04o), which is above %s: choose another place with --state-dir, or another account with RECON_PG_USER: %w",
					a.name, closed, mode, p, err)
			}
		}
	case errors.Is(err, syscall.EPERM) && a.drop:
		return fmt.Errorf("root may not act as account %s here (a container without CAP_CHOWN, CAP_SETUID or CAP_SETGID?): run as an ordinary account, or set DATABASE_URL: %w", a.name, err)
	}
	return err
}

// closedTo returns the topmost directory on the way to path that the mode bits
// close to the account. It explains a refusal and never causes one: an access
// control list may say otherwise.
func (a account) closedTo(path string) (dir string, mode os.FileMode) {
	var up []string
	for p := filepath.Clean(path); ; p = filepath.Dir(p) {
		up = append(up, p)
		if p == filepath.Dir(p) {
			break
		}
	}
	for i := len(up) - 1; i >= 0; i-- {
		fi, err := os.Stat(up[i])
		if err != nil || !fi.IsDir() {
			continue
		}
		st, ok := fi.Sys().(*syscall.Stat_t)
		if !ok {
			continue
		}
		need := os.FileMode(0o001)
		switch {
		case int(st.Uid) == a.uid:
			need = 0o100
		case int(st.Gid) == a.gid:
			need = 0o010
		}
		if fi.Mode()&need == 0 {
			return up[i], fi.Mode().Perm()
		}
	}
	return "", 0
}
