package embedded

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// MinMajor is the oldest major version of PostgreSQL that recon supports.
const MinMajor = 13

// ErrNoBinaries means that no usable PostgreSQL is installed. Its text names the
// remedies, so it can be shown as it is.
var ErrNoBinaries = errors.New("no PostgreSQL server binaries found (need initdb and postgres, version 13 or later): " +
	"install them (Debian and Ubuntu: apt-get install postgresql; Fedora: dnf install postgresql-server; macOS: brew install postgresql@17), " +
	"or set RECON_PG_BIN to the directory that holds them, or set DATABASE_URL to use a server of your own")

// Binaries is one installed PostgreSQL.
type Binaries struct {
	Dir   string // absolute, symlinks resolved; holds initdb and postgres
	Major int    // 15 of 15.14
	Minor int    // 14 of 15.14; 0 for a beta
}

// Path returns the path of the named program, such as "psql", in the
// installation. Only initdb and postgres are known to exist.
func (b Binaries) Path(program string) string { return filepath.Join(b.Dir, program) }

// FindOptions say where to look.
type FindOptions struct {
	Bin   string // $RECON_PG_BIN: look here and nowhere else
	Path  string // $PATH
	Major int    // accept this major version only; 0 accepts any from MinMajor on

	globs []string // replaces wellKnown, in tests
}

// wellKnown are the places where packagers put servers off the PATH.
var wellKnown = []string{
	"/usr/lib/postgresql/*/bin",                          // Debian, Ubuntu
	"/usr/pgsql-*/bin",                                   // PGDG on Fedora and RHEL
	"/usr/lib64/pgsql/bin",                               // openSUSE
	"/usr/lib/postgresql*/bin",                           // openSUSE, Gentoo
	"/usr/libexec/postgresql*",                           // Alpine
	"/usr/local/pgsql/bin",                               // built from source
	"/opt/homebrew/opt/postgresql*/bin",                  // Homebrew, Apple silicon
	"/usr/local/opt/postgresql*/bin",                     // Homebrew, Intel
	"/home/linuxbrew/.linuxbrew/opt/postgresql*/bin",     // Homebrew, Linux
	"/Applications/Postgres.app/Contents/Versions/*/bin", // Postgres.app
}

// Find returns the installed PostgreSQL with the highest version that o
// accepts. The error is, or wraps, [ErrNoBinaries] if there is none.
func Find(o FindOptions) (Binaries, error) {
	if o.Bin != "" {
		return findIn(o)
	}
	var best Binaries
	seen := map[string]bool{}
	for _, dir := range candidates(o) {
		dir, ok := serverDir(dir)
		if !ok || seen[dir] {
			continue
		}
		seen[dir] = true
		b, err := inspect(dir)
		if err != nil || !o.accepts(b) {
			continue
		}
		if b.Major > best.Major || b.Major == best.Major && b.Minor > best.Minor {
			best = b
		}
	}
	if best.Dir == "" {
		return Binaries{}, ErrNoBinaries
	}
	return best, nil
}

// findIn looks in o.Bin alone: who names a directory wants that one or an error.
func findIn(o FindOptions) (Binaries, error) {
	dir, ok := serverDir(o.Bin)
	if !ok {
		return Binaries{}, fmt.Errorf("RECON_PG_BIN %q does not hold initdb and postgres: %w", o.Bin, ErrNoBinaries)
	}
	b, err := inspect(dir)
	if err != nil {
		return Binaries{}, fmt.Errorf("RECON_PG_BIN %q: %w", o.Bin, err)
	}
	if b.Major < MinMajor {
		return Binaries{}, fmt.Errorf("RECON_PG_BIN %q holds PostgreSQL %d: %w", o.Bin, b.Major, ErrNoBinaries)
	}
	return b, nil
}

func (o FindOptions) accepts(b Binaries) bool {
	if o.Major != 0 {
		return b.Major == o.Major
	}
	return b.Major >= MinMajor
}

// candidates lists directories that may hold a server.
func candidates(o FindOptions) []string {
	var dirs []string
	for _, dir := range filepath.SplitList(o.Path) {
		if !filepath.IsAbs(dir) {
			continue // never run what lies in the working directory
		}
		if p, err := filepath.EvalSymlinks(filepath.Join(dir, "postgres")); err == nil {
			// /usr/local/bin/postgres is often a link into the installation,
			// and initdb lies only there.
			dirs = append(dirs, filepath.Dir(p))
		}
		dirs = append(dirs, dir)
		if p := filepath.Join(dir, "pg_config"); executable(p) {
			if out, err := exec.Command(p, "--bindir").Output(); err == nil {
				dirs = append(dirs, strings.TrimSpace(string(out)))
			}
		}
	}
	globs := o.globs
	if globs == nil {
		globs = wellKnown
	}
	for _, g := range globs {
		// The patterns are constants, and a directory that cannot be read has
		// no binaries for us: there is no error to report.
		found, _ := filepath.Glob(g)
		dirs = append(dirs, found...)
	}
	return dirs
}

// serverDir makes dir absolute and tells whether it holds a server: Debian's
// libpq-dev installs pg_config, whose bindir is empty, without one.
func serverDir(dir string) (string, bool) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", false
	}
	abs, err = filepath.EvalSymlinks(abs)
	if err != nil {
		return "", false
	}
	return abs, executable(filepath.Join(abs, "initdb")) && executable(filepath.Join(abs, "postgres"))
}

func executable(path string) bool {
	fi, err := os.Stat(path)
	return err == nil && fi.Mode().IsRegular() && fi.Mode()&0o111 != 0
}

// versionLine matches "postgres (PostgreSQL) 15.14 (Debian 15.14-0+deb12u1)"
// as well as "18beta1" and "19devel".
var versionLine = regexp.MustCompile(`\(PostgreSQL\) (\d+)(?:\.(\d+))?`)

// inspect asks the server in dir for its version.
func inspect(dir string) (Binaries, error) {
	out, err := exec.Command(filepath.Join(dir, "postgres"), "--version").Output()
	if err != nil {
		return Binaries{}, fmt.Errorf("%s/postgres --version: %w", dir, err)
	}
	m := versionLine.FindStringSubmatch(string(out))
	if m == nil {
		return Binaries{}, fmt.Errorf("%s/postgres --version printed %q: expected a PostgreSQL version", dir, out)
	}
	b := Binaries{Dir: dir}
	b.Major, err = strconv.Atoi(m[1])
	if err != nil {
		return Binaries{}, fmt.Errorf("%s/postgres --version: %w", dir, err)
	}
	if m[2] != "" {
		b.Minor, err = strconv.Atoi(m[2])
	}
	if err != nil {
		return Binaries{}, fmt.Errorf("%s/postgres --version: %w", dir, err)
	}
	return b, nil
}
