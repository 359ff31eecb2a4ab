package sql_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"agentrecon/sql"
	"agentrecon/sql/sqltest"
)

const (
	hour   = time.Hour
	canary = "canary-pässword%41"
)

// TestNoErrorShowsThePassword tries settings that are wrong in every way the driver has met.
func TestNoErrorShowsThePassword(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	go func() { // a server that hangs up on everybody
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			conn.Close()
		}
	}()
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	local := sqltest.NewURL(t)
	tests := []struct {
		url  string
		want error
	}{
		{"postgres://u:%s@127.0.0.1:" + port(listener) + "/db", sql.ErrUnavailable},
		{"postgres://u:%s@127.0.0.1:1/db", sql.ErrUnavailable},
		{"postgres://u:%s@127.0.0.1:" + port(silent) + "/db", sql.ErrUnavailable},
		{"postgres://u:%s@host.invalid/db", sql.ErrUnavailable},
		{"postgres://u:%s@[::1/db", sql.ErrConfig},
		{"postgres://u:%s@host:port/db", sql.ErrConfig},
		{"postgres://u:%s@host:99999/db", sql.ErrConfig},
		{"postgres://u:%s@host/db?sslmode=maybe", sql.ErrConfig},
		{"postgres://u:%s@host/db?connect_timeout=x", sql.ErrConfig},
		{"postgres://u:%s%%zz@host/db", sql.ErrConfig},
		{"postgres:// u:%s@host.invalid/db", sql.ErrUnavailable},
		{"host=127.0.0.1 port=1 user=u password='%s", sql.ErrConfig},
		{"host=127.0.0.1 port=1 user=u password = %s", sql.ErrUnavailable},
		{"host=127.0.0.1 port=1 user=u password '%s'", sql.ErrConfig},
		{"%s", sql.ErrConfig},
		{local + " user=nobody_of_that_name password=%s", sql.ErrAuth},
		{local + " dbname=no_such_database password=%s", sql.ErrConfig},
	}
	for _, test := range tests {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		_, err := sql.Open(ctx, sql.Config{URL: fmt.Sprintf(test.url, canary), ConnectTimeout: 200 * time.Millisecond})
		cancel()
		if !errors.Is(err, test.want) {
			t.Errorf("%s: got %v, want %v", test.url, err, test.want)
		}
		if text := fmt.Sprintf("%v %+v", err, err); strings.Contains(text, "canary") || strings.Contains(text, "ssword%41") {
			t.Errorf("%s: the error shows the password: %v", test.url, err)
		}
		if err != nil && strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: the error has several lines: %q", test.url, err)
		}
	}
}

func port(l net.Listener) string {
	_, p, _ := net.SplitHostPort(l.Addr().String())
	return p
}

// TestSettingsEndWithTheTransaction would fail behind a pooler that hands the session to somebody else.
func TestSettingsEndWithTheTransaction(t *testing.T) {
	url := sqltest.NewURL(t)
	db := sqltest.Open(t, url)
	load(t, db)
	if got := sql.SettingOf(t, db, "statement_timeout"); got != "0" {
		t.Errorf("statement_timeout of the session: got %s, want 0, the server's own", got)
	}
}

// TestALostConnection has the server end the session between two uses and during one.
func TestALostConnection(t *testing.T) {
	url := sqltest.NewURL(t)
	db := sqltest.Open(t, url)
	admin := sqltest.Connect(t, url)
	end := func() {
		t.Helper()
		_, err := admin.Exec(t.Context(), "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()")
		if err != nil {
			t.Fatal(err)
		}
	}
	load(t, db)
	end()
	view, err := db.View(t.Context())
	if err != nil {
		t.Fatalf("after the session was ended in between: %v", err)
	}
	end()
	if _, err := view.Coverage(t.Context()); !errors.Is(err, sql.ErrUnavailable) {
		t.Errorf("during a view: got %v, want ErrUnavailable", err)
	}
	view.Close(t.Context())
}

// TestTheCallersStopIsNoFaultOfTheDatabase: the connection that a cancelled context closes may be reported as lost.
func TestTheCallersStopIsNoFaultOfTheDatabase(t *testing.T) {
	lost := fmt.Errorf("%w: use of closed network connection", sql.ErrUnavailable)
	ctx, cancel := context.WithCancel(t.Context())
	if got := sql.Stopped(ctx, lost); !errors.Is(got, sql.ErrUnavailable) {
		t.Errorf("before the stop: got %v", got)
	}
	cancel()
	if got := sql.Stopped(ctx, lost); !errors.Is(got, context.Canceled) || errors.Is(got, sql.ErrUnavailable) {
		t.Errorf("after the stop: got %v", got)
	}
	if bad := errors.New("a bad row"); !errors.Is(sql.Stopped(ctx, bad), bad) {
		t.Error("another error is hidden by the stop")
	}
}
