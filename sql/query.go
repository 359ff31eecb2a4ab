package sql

import (
	"embed"
	"strings"
)

//go:embed queries/*.sql
var queryFiles embed.FS

// query returns the statement of a file in queries/. A missing file stops the program at start, and so in every test.
func query(name string) string {
	text, err := queryFiles.ReadFile("queries/" + name + ".sql")
	if err != nil {
		panic("sql: no statement queries/" + name + ".sql")
	}
	return strings.TrimSpace(string(text))
}
