package embedded

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestSocketPathIsShortAndApart(t *testing.T) {
	const longest = 103 // macOS; Linux takes 107
	a := account{uid: 1<<32 - 1}
	deep := "/" + strings.Repeat("d/", 500)
	got := filepath.Join(socketDir(deep, a), ".s.PGSQL."+port+".lock")
	if len(got) > longest {
		t.Errorf("%s has %d bytes, want at most %d", got, len(got), longest)
	}
	if socketDir("/a/pgdata", a) == socketDir("/b/pgdata", a) {
		t.Error("two clusters share a socket directory")
	}
}

// /tmp is everybody's: what lies there under our name must be ours.
func TestSocketDirectoryOfSomebodyElse(t *testing.T) {
	me := account{name: "me", uid: os.Geteuid(), gid: os.Getegid()}
	for _, tt := range []struct {
		name string
		make func(dir string) error
		as   account
		want string // "" if it is good
	}{
		{"absent", func(string) error { return nil }, me, ""},
		{"ours", func(dir string) error { return os.Mkdir(dir, 0o700) }, me, ""},
		{"open", func(dir string) error { return errors.Join(os.Mkdir(dir, 0o700), os.Chmod(dir, 0o755)) }, me, "mode 0755"},
		{"link", func(dir string) error { return os.Symlink(t.TempDir(), dir) }, me, "not a directory"},
		{"file", func(dir string) error { return os.WriteFile(dir, nil, 0o700) }, me, "not a directory"},
		{"another owner", func(dir string) error { return os.Mkdir(dir, 0o700) }, account{name: "them", uid: me.uid + 1}, "not to them"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "socket")
			if err := tt.make(dir); err != nil {
				t.Fatal(err)
			}
			err := makeSocketDir(dir, tt.as)
			if tt.want != "" {
				mentions(t, err, tt.want, dir)
			} else if err != nil {
				t.Error(err)
			}
		})
	}
}

// Accepting a connection, or answering half of the greeting, is not being ready.
func TestPing(t *testing.T) {
	const (
		authOK   = "R\x00\x00\x00\x08\x00\x00\x00\x00"
		password = "R\x00\x00\x00\x08\x00\x00\x00\x03"
		status   = "S\x00\x00\x00\x0a" + "a\x00b\x00\x00\x00"
		ready    = "Z\x00\x00\x00\x05I"
		shutting = "E\x00\x00\x00\x21" + "SFATAL\x00C57P03\x00Mshutting down\x00\x00"
		full     = "E\x00\x00\x00\x17" + "SFATAL\x00C53300\x00Mno\x00\x00"
	)
	for _, tt := range []struct{ name, answer, want string }{
		{"ready", authOK + status + ready, ""},
		{"full but alive", full, ""},
		{"shutting down", shutting, "57P03"},
		{"closes at once", "", "EOF"},
		{"closes half-way", authOK + "Z\x00", "EOF"},
		{"wants a password", password, "not one that recon started"},
		{"absurd length", "R\xff\xff\xff\xff", "bytes"},
		{"too short a length", "R\x00\x00\x00\x01", "bytes"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir, err := os.MkdirTemp("/tmp", "recon-ping-")
			if err != nil {
				t.Fatal(err)
			}
			defer os.RemoveAll(dir)
			l, err := net.Listen("unix", filepath.Join(dir, ".s.PGSQL."+port))
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			go func() {
				conn, err := l.Accept()
				if err != nil {
					return
				}
				defer conn.Close()
				buf := make([]byte, 1024)
				// ping itself says what went wrong.
				_, _ = conn.Read(buf)
				_, _ = conn.Write([]byte(tt.answer))
			}()
			err = ping(t.Context(), dir)
			if tt.want != "" {
				mentions(t, err, tt.want)
			} else if err != nil {
				t.Error(err)
			}
		})
	}
}
