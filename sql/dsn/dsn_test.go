package dsn_test

import (
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"agentrecon/sql/dsn"
)

// TestSecured asks the driver how the last server would be talked to. A word of a password is no setting.
func TestSecured(t *testing.T) {
	for _, test := range []struct{ settings, mode string }{
		{"postgres://u@db.example.com/d", "verified"},
		{"postgresql://u@db.example.com/d", "verified"},
		{"host=db.example.com user=u", "verified"},
		{"host=10.0.0.7 user=u", "verified"},
		{"host=/tmp,db.example.com user=u", "verified"},
		{"postgres://u@db.example.com/d?application_name=x", "verified"},
		{"postgres://u:sslmode@db.example.com/d", "verified"},
		{"postgres://sslmode=disable@db.example.com/d?application_name=sslmode", "verified"},
		{"host=db.example.com password='x sslmode=disable'", "verified"},
		{"host=db.example.com dbname=sslmode", "verified"},
		{"host=db.example.com password=a://b", "verified"},
		{"postgres://u@localhost/d", "plain"},
		{"postgres://u@127.0.0.1/d", "plain"},
		{"postgres://u@[::1]/d", "plain"},
		{"host=/var/run/postgresql user=u", "plain"},
		{"postgres://u@db.example.com/d?sslmode=disable", "plain"},
		{"postgres://u@db.example.com/d?sslmode=prefer", "falls back"},
		{"host=db.example.com sslmode = 'prefer'", "falls back"},
		{"host=db.example.com sslmode=require", "unverified"},
		{"host=db.example.com sslmode=verify-full", "verified"},
	} {
		t.Run(test.settings, func(t *testing.T) {
			t.Setenv("PGSSLMODE", "")
			secured, err := dsn.Secured(test.settings)
			if err != nil {
				t.Fatal(err)
			}
			if got := mode(t, secured); got != test.mode {
				t.Errorf("%s: %s, want %s", secured, got, test.mode)
			}
		})
	}
}

func TestSecuredKeepsTheEnvironment(t *testing.T) {
	for set, want := range map[string]string{"disable": "plain", "require": "unverified", "prefer": "verified"} {
		t.Setenv("PGSSLMODE", set)
		secured, err := dsn.Secured("postgres://u@db.example.com/d")
		if err != nil {
			t.Fatal(err)
		}
		if got := mode(t, secured); got != want {
			t.Errorf("PGSSLMODE=%s: %s, want %s", set, got, want)
		}
	}
}

func mode(t *testing.T, settings string) string {
	t.Helper()
	config, err := pgconn.ParseConfig(settings)
	if err != nil {
		t.Fatal(err)
	}
	last, ways := config.TLSConfig, 1
	for _, f := range config.Fallbacks {
		last = f.TLSConfig
		if !dsn.Local(f.Host) && f.Host == config.Host {
			ways++
		}
	}
	switch {
	case ways > 1:
		return "falls back"
	case last == nil:
		return "plain"
	case last.InsecureSkipVerify:
		return "unverified"
	default:
		return "verified"
	}
}
