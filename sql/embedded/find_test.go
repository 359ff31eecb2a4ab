package embedded

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// install makes a pretended installation that knows its version.
func install(t *testing.T, dir, version string, programs ...string) {
	t.Helper()
	for _, p := range programs {
		path := filepath.Join(dir, p)
		write(t, path, "#!/bin/sh\necho 'postgres (PostgreSQL) "+version+"'\n")
		if err := os.Chmod(path, 0o755); err != nil {
			t.Fatal(err)
		}
	}
}

func TestFind(t *testing.T) {
	root := newDir(t)
	at := func(name string) string { return filepath.Join(root, name) }
	install(t, at("9"), "9.6.24", "initdb", "postgres")
	install(t, at("13"), "13.4", "initdb", "postgres")
	install(t, at("15"), "15.14 (Debian 15.14-0+deb12u1)", "initdb", "postgres")
	install(t, at("15old"), "15.2", "initdb", "postgres")
	install(t, at("17"), "17.0", "initdb", "postgres")
	install(t, at("18"), "18beta1", "initdb", "postgres")
	install(t, at("client"), "18.1", "psql")
	install(t, at("odd"), "of unknown make", "initdb", "postgres")
	write(t, at("libpq/pg_config"), "#!/bin/sh\necho "+at("client")+"\n")
	write(t, at("config/pg_config"), "#!/bin/sh\necho "+at("17")+"\n")
	for _, p := range []string{"libpq/pg_config", "config/pg_config"} {
		if err := os.Chmod(at(p), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(at("links"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(at("15/postgres"), at("links/postgres")); err != nil {
		t.Fatal(err)
	}
	path := func(names ...string) string {
		var s string
		for _, n := range names {
			s += at(n) + string(os.PathListSeparator)
		}
		return s
	}
	all := []string{at("*")}
	none := []string{}

	for _, tt := range []struct {
		name string
		o    FindOptions
		want Binaries // none: ErrNoBinaries
	}{
		{"highest major wins, a beta included", FindOptions{globs: all}, Binaries{at("18"), 18, 0}},
		{"highest minor wins", FindOptions{globs: []string{at("15old"), at("15")}}, Binaries{at("15"), 15, 14}},
		{"the place does not count", FindOptions{Path: path("13"), globs: []string{at("17")}}, Binaries{at("17"), 17, 0}},
		{"wanted major", FindOptions{Major: 13, globs: all}, Binaries{at("13"), 13, 4}},
		{"wanted major is absent", FindOptions{Major: 16, globs: all}, Binaries{}},
		{"link on PATH leads to the installation", FindOptions{Path: path("links"), globs: none}, Binaries{at("15"), 15, 14}},
		{"pg_config tells", FindOptions{Path: path("config"), globs: none}, Binaries{at("17"), 17, 0}},
		{"pg_config without a server", FindOptions{Path: path("libpq"), globs: none}, Binaries{}},
		{"client only", FindOptions{Path: path("client"), globs: none}, Binaries{}},
		{"too old", FindOptions{Path: path("9"), globs: none}, Binaries{}},
		{"unknown version", FindOptions{Path: path("odd"), globs: none}, Binaries{}},
		{"relative directories on PATH are never run", FindOptions{Path: ".:13", globs: none}, Binaries{}},
		{"nothing", FindOptions{globs: none}, Binaries{}},
		{"named directory outranks all", FindOptions{Bin: at("13"), Path: path("17"), globs: all}, Binaries{at("13"), 13, 4}},
		{"named directory without a server", FindOptions{Bin: at("client"), globs: all}, Binaries{}},
		{"named directory too old", FindOptions{Bin: at("9"), globs: all}, Binaries{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Chdir(root)
			got, err := Find(tt.o)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("Find(%+v) (-want +got):\n%s", tt.o, diff)
			}
			if (tt.want == Binaries{}) != errors.Is(err, ErrNoBinaries) {
				t.Errorf("error %v", err)
			}
		})
	}
}

func TestDefaultDir(t *testing.T) {
	for _, tt := range []struct {
		name string
		env  map[string]string
		uid  int
		want string
	}{
		{"systemd", map[string]string{"STATE_DIRECTORY": "/var/lib/x", "HOME": "/h"}, 5, "/var/lib/x"},
		{"systemd, several", map[string]string{"STATE_DIRECTORY": "/var/lib/x:/var/lib/y"}, 0, "/var/lib/x"},
		{"root", map[string]string{"HOME": "/root", "XDG_STATE_HOME": "/root/.state"}, 0, "/var/lib/recon"},
		{"XDG", map[string]string{"HOME": "/h", "XDG_STATE_HOME": "/s"}, 5, "/s/recon"},
		{"XDG, relative", map[string]string{"HOME": "/h", "XDG_STATE_HOME": "s"}, 5, "/h/.local/state/recon"},
		{"home", map[string]string{"HOME": "/h"}, 5, "/h/.local/state/recon"},
		{"nothing known", nil, 5, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := DefaultDir(func(k string) string { return tt.env[k] }, tt.uid); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
