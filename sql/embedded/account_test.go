package embedded

import (
	"os"
	"os/user"
	"path/filepath"
	"syscall"
	"testing"
)

func TestChooseAccount(t *testing.T) {
	me, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	if os.Geteuid() != 0 {
		for _, name := range []string{"", me.Username} {
			a, err := chooseAccount(name, newDir(t))
			if err != nil || a.uid != os.Geteuid() || a.drop {
				t.Errorf("RECON_PG_USER=%q: %+v, %v, want our own account", name, a, err)
			}
		}
		_, err = chooseAccount("nobody-else", newDir(t))
		mentions(t, err, "RECON_PG_USER", "only root", me.Username)
		return
	}

	nobody, err := lookupAccount("nobody")
	if err != nil {
		t.Fatal(err)
	}
	rootOwned, theirs := newDir(t), newDir(t)
	if err := os.Chown(theirs, nobody.uid, nobody.gid); err != nil {
		t.Fatal(err)
	}
	a, err := chooseAccount("", filepath.Join(rootOwned, "pgdata"), rootOwned)
	if err != nil || a.uid == 0 || !a.drop {
		t.Errorf("root: %+v, %v, want an unprivileged account", a, err)
	}
	a, err = chooseAccount("nobody", rootOwned)
	if err != nil || a.uid != nobody.uid {
		t.Errorf("RECON_PG_USER=nobody: %+v, %v", a, err)
	}
	a, err = chooseAccount("", theirs)
	if err != nil || a.uid != nobody.uid {
		t.Errorf("a directory of nobody's: %+v, %v, want its owner", a, err)
	}
	_, err = chooseAccount("root", rootOwned)
	mentions(t, err, "RECON_PG_USER", "root", "unprivileged")
	_, err = chooseAccount("no-such-account", rootOwned)
	mentions(t, err, "RECON_PG_USER", "no-such-account")
	_, err = chooseAccount("daemon", theirs)
	mentions(t, err, "RECON_PG_USER is daemon", theirs, "belongs to nobody")
}

// A strict umask must not lock the server's account out of a directory that we
// make for it.
func TestNewDirectoryIsPassableUnderAnyUmask(t *testing.T) {
	defer syscall.Umask(syscall.Umask(0o077))
	root := newDir(t)
	c, err := locate(Options{}, filepath.Join(root, "state"))
	if err != nil {
		t.Fatal(err)
	}
	if dir, mode := c.account.closedTo(c.root); dir != "" {
		t.Errorf("%s (mode %04o) is closed to %s", dir, mode, c.account.name)
	}
}

// Root works in a service's own directory without taking it over: the service
// can go on alone.
func TestRootLeavesADirectoryToItsOwner(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	uid := os.Geteuid()
	if uid == 0 {
		nobody, err := lookupAccount("nobody")
		if err != nil {
			t.Fatal(err)
		}
		uid = nobody.uid
		if err := os.Chown(dir, nobody.uid, nobody.gid); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	s := mustStart(t, options(t, Options{Dir: dir, NoSync: true}))
	if got := uidOf(t, serverPID(t, s)); got != uid {
		t.Errorf("server runs as uid %d, want %d", got, uid)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if got, _, _ := owner(filepath.Join(dir, e.Name())); got != uid {
			t.Errorf("%s belongs to uid %d, want %d", e.Name(), got, uid)
		}
	}
}
