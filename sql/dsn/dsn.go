// Package dsn decides how far a database server elsewhere is trusted.
package dsn

import (
	"net/netip"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

// Secured returns settings of libpq's kind, a URL or keyword=value pairs, by which a server that is not this machine must
// prove who it is (sslmode=verify-full) unless they name an sslmode themselves. The driver's own choice where nobody names
// one, "prefer", talks without encryption to whoever asks for that. An sslmode of the environment or of a service file is
// kept unless it is that one. The error is the driver's and may quote the settings, a password among them.
func Secured(settings string) (string, error) {
	config, err := pgconn.ParseConfig(settings)
	if err != nil || !fallsBack(config) {
		return settings, err
	}
	return UnlessNamed(settings, "sslmode=verify-full"), nil
}

// UnlessNamed adds a setting in front of the others: of two of the same name the driver takes the last.
func UnlessNamed(settings, setting string) string {
	if !isURL(settings) {
		return setting + " " + settings
	}
	server, named, _ := strings.Cut(settings, "?")
	return server + "?" + setting + "&" + named
}

// isURL tells the two kinds apart as the driver does.
func isURL(settings string) bool {
	return strings.HasPrefix(settings, "postgres://") || strings.HasPrefix(settings, "postgresql://")
}

// fallsBack reports whether a server elsewhere would be talked to without encryption if it asked for that.
func fallsBack(c *pgconn.Config) bool {
	tried := append([]*pgconn.FallbackConfig{{Host: c.Host, Port: c.Port, TLSConfig: c.TLSConfig}}, c.Fallbacks...)
	for n := 1; n < len(tried); n++ {
		first, next := tried[n-1], tried[n]
		if !Local(first.Host) && first.Host == next.Host && first.TLSConfig != nil && next.TLSConfig == nil {
			return true
		}
	}
	return false
}

// Local reports whether a host is this machine.
func Local(host string) bool {
	if host == "localhost" || strings.HasPrefix(host, "/") || strings.HasPrefix(host, "@") {
		return true
	}
	addr, err := netip.ParseAddr(host)
	return err == nil && addr.IsLoopback()
}
