// Package embedded runs the private PostgreSQL that recon uses when it is
// given no DATABASE_URL.
//
// It needs PostgreSQL's own binaries (initdb and postgres, version 13 or
// later) and brings none: [Find] looks for an installation, [Start] makes a
// cluster in a directory of ours, starts its server or attaches to the one that
// runs already, and [Server.Stop] leaves it. Nothing listens on TCP. The one way
// in is a Unix socket in a directory that only the server's account can enter.
//
// There are three kinds of cluster:
//
//	durable    Options.Dir           every commit is on disk; outlives the program
//	cache      Dir and NoSync        fsync off; reusable, for tests of one checkout
//	throwaway  Options.Throwaway     fsync off; dies with its owner, then is removed
//
// The first two are shared: any number of programs may use one directory at
// once. Each holds a shared lock on a file, and the last one out stops the
// server. If that last one is killed the server lives on, and the next program
// attaches to it and in its turn stops it. A throwaway server has exactly one
// owner; on Linux the kernel stops it when the owner dies.
//
// Next to the data directory (pgdata, or pgdata-nosync, so that a durable
// cluster cannot be opened without fsync by mistake) lie four files:
//
//	pgdata.log     what the server prints
//	pgdata.start   held exclusively while a program starts or stops the server
//	pgdata.users   held shared by every program that uses the server
//	pgdata.server  held by the server's own processes, which inherit it
//
// PostgreSQL will not run as root. Started by root, this package runs it as an
// unprivileged account instead: see [Options.User].
package embedded

import (
	"log/slog"
	"path/filepath"
	"strings"
)

// Options say which cluster to start and with what. The package reads no
// environment itself: the caller passes on what it wants heard.
type Options struct {
	// Bin is the directory of initdb and postgres ($RECON_PG_BIN). Empty means
	// the highest installed version, or, for a cluster that exists, the version
	// that made it.
	Bin string
	// Path is the $PATH to search for binaries.
	Path string
	// User is the account the server runs as when the program runs as root
	// ($RECON_PG_USER). Empty means the owner of the cluster or of Dir where
	// that is not root, else postgres, else nobody.
	User string
	// Dir holds a durable cluster or a cache. It is created if missing.
	// See DefaultDir.
	Dir string
	// NoSync turns fsync off and tunes for speed: a power cut may destroy the
	// data. For test clusters that can be made again.
	NoSync bool
	// Throwaway asks for a new cluster of its own under TempDir, without fsync,
	// which Stop removes. Dir and NoSync are then ignored.
	Throwaway bool
	// TempDir holds throwaway clusters. Empty means /tmp.
	TempDir string
	// Log hears what is done; nil means nobody does.
	Log *slog.Logger

	// globs replaces the well-known places of binaries, in tests.
	globs []string
}

// DefaultDir returns the directory for the durable cluster of the account uid:
// $STATE_DIRECTORY (set by systemd), else /var/lib/recon for root, else recon
// under $XDG_STATE_HOME or ~/.local/state. It is empty if none of these is
// known. getenv is os.Getenv or a stand-in.
func DefaultDir(getenv func(string) string, uid int) string {
	// systemd passes a colon-separated list when the unit names several.
	if first, _, _ := strings.Cut(getenv("STATE_DIRECTORY"), ":"); first != "" {
		return first
	}
	if uid == 0 {
		// Not root's home: it is closed to the account the server runs as.
		return "/var/lib/recon"
	}
	// The XDG specification tells us to ignore a relative path.
	if state := getenv("XDG_STATE_HOME"); filepath.IsAbs(state) {
		return filepath.Join(state, "recon")
	}
	if home := getenv("HOME"); home != "" {
		return filepath.Join(home, ".local", "state", "recon")
	}
	return ""
}
