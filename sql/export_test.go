package sql

import (
	"io/fs"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
)

// BooksOn are books over a transaction that a test fills itself.
func BooksOn(conn *pgx.Conn) *Books { return &Books{conn: conn} }

// QueryNames lists the statements in queries/.
func QueryNames() []string {
	files, err := fs.Glob(queryFiles, "queries/*.sql")
	if err != nil {
		panic(err)
	}
	names := make([]string, len(files))
	for n, file := range files {
		names[n] = strings.TrimSuffix(strings.TrimPrefix(file, "queries/"), ".sql")
	}
	return names
}

// Query is a statement as it stands.
func Query(name string) string { return query(name) }

// QueryAsOf is a statement as a view of a past run reads it, cut to the run's new rows where it is cut.
func QueryAsOf(name string) string {
	past := &Books{past: &pastView{run: 3, epoch: 2, snapshot: "10:20:10,14,15"}}
	before, at := runRow{epoch: 1, snapshot: "1:1:"}, runRow{epoch: 2, snapshot: "10:20:10"}
	before.ID, at.ID = 1, 2
	return newRows(past.statement(name), before, &at)
}

// EncryptionOf says how the driver is told to encrypt connections to a server.
func EncryptionOf(t *testing.T, url string) string {
	t.Helper()
	config, err := parse(Config{URL: url}.withDefaults())
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range config.Fallbacks {
		if f.TLSConfig == nil && !localHost(f.Host) {
			return "as given"
		}
	}
	switch {
	case config.TLSConfig == nil && len(config.Fallbacks) == 0 && !localHost(config.Host):
		return "plain"
	case localHost(config.Host) && len(config.Fallbacks) == 0, config.TLSConfig != nil && config.TLSConfig.InsecureSkipVerify:
		return "as given"
	}
	for _, f := range config.Fallbacks {
		if f.TLSConfig != nil && f.TLSConfig.InsecureSkipVerify {
			return "as given"
		}
	}
	if localHost(config.Host) && config.TLSConfig == nil && len(config.Fallbacks) > 0 && config.Fallbacks[0].TLSConfig == nil {
		return "as given"
	}
	return "verify"
}

// SettingOf reads a setting of the session that the database keeps.
func SettingOf(t *testing.T, db *DB, name string) (value string) {
	t.Helper()
	conn, err := db.take(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer db.give(conn)
	if err := conn.QueryRow(t.Context(), "SELECT current_setting($1)", name).Scan(&value); err != nil {
		t.Fatal(err)
	}
	return value
}
