// Package sqltest gives each test a PostgreSQL database of its own, with the schema in it, in a few milliseconds.
//
// All tests of a checkout share one private cluster without fsync, which the first test process starts and the last
// one stops. The schema is built once into a template database; a test's database is a copy of it and is dropped when
// the test ends. A test that needs PostgreSQL never skips: without it, it fails and says what to install.
//
// A package with many such tests calls [Main] from TestMain, so that the cluster stays up between its tests.
package sqltest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"agentrecon/sql"
	"agentrecon/sql/embedded"
)

const (
	startTimeout = 2 * time.Minute // a loaded machine makes a cluster slowly
	stopTimeout  = time.Minute
	// templateLock is held by the process that builds the template.
	templateLock = 0x74656d70
	// keptTemplates is how many templates of other schemas stay, for test programs that are still running.
	keptTemplates = 4
)

// cluster is this process's hold on the shared server.
var cluster struct {
	sync.Mutex
	users    int
	server   *embedded.Server
	template string
	strategy string
}

var databases atomic.Int64

// Main runs a package's tests with the cluster held until the last one has ended: os.Exit(sqltest.Main(m)).
func Main(m *testing.M) int {
	if err := hold(); err != nil {
		fmt.Fprintln(os.Stderr, "sqltest:", err)
		return 1
	}
	defer release()
	return m.Run()
}

// NewDB opens a database of the test's own, with the schema.
func NewDB(t testing.TB) *sql.DB {
	t.Helper()
	return Open(t, NewURL(t))
}

// Open opens a database until the test ends.
func Open(t testing.TB, url string) *sql.DB {
	t.Helper()
	db, err := sql.Open(context.Background(), sql.Config{URL: url, ApplicationName: "sqltest"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	return db
}

// NewURL makes a database of the test's own, with the schema, and returns how to connect to it as superuser.
func NewURL(t testing.TB) string {
	t.Helper()
	return create(t, true)
}

// NewEmptyURL makes a database of the test's own without anything in it.
func NewEmptyURL(t testing.TB) string {
	t.Helper()
	return create(t, false)
}

// Connect returns a connection for statements that no method of the program makes.
func Connect(t testing.TB, url string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(context.Background(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}

func create(t testing.TB, migrated bool) string {
	t.Helper()
	if err := hold(); err != nil {
		t.Fatal("sqltest: ", err)
	}
	t.Cleanup(release)
	name := fmt.Sprintf("t_%d_%d", os.Getpid(), databases.Add(1))
	statement := "CREATE DATABASE " + name
	if migrated {
		statement += " TEMPLATE " + cluster.template + cluster.strategy
	}
	if err := admin(statement); err != nil {
		t.Fatal("sqltest: ", err)
	}
	t.Cleanup(func() {
		if err := admin("DROP DATABASE IF EXISTS " + name + " WITH (FORCE)"); err != nil {
			t.Error("sqltest: ", err)
		}
	})
	return cluster.server.ConnString() + " dbname=" + name
}

// hold starts or joins the cluster; release gives it up.
func hold() error {
	cluster.Lock()
	defer cluster.Unlock()
	if cluster.users > 0 {
		cluster.users++
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
	defer cancel()
	server, err := embedded.Start(ctx, embedded.Options{
		Bin: os.Getenv("RECON_PG_BIN"), User: os.Getenv("RECON_PG_USER"), Path: os.Getenv("PATH"), Dir: stateDir(), NoSync: true,
	})
	if err != nil {
		return err
	}
	cluster.server = server
	if err := prepare(ctx); err != nil {
		stop()
		return err
	}
	cluster.users = 1
	return nil
}

func release() {
	cluster.Lock()
	defer cluster.Unlock()
	if cluster.users--; cluster.users == 0 {
		stop()
	}
}

func stop() {
	ctx, cancel := context.WithTimeout(context.Background(), stopTimeout)
	defer cancel()
	if err := cluster.server.Stop(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "sqltest:", err)
	}
	cluster.server = nil
}

// stateDir is the cluster's directory: one for each checkout and account, in a place that the server's account can
// enter (root's home it cannot).
func stateDir() string {
	dir, err := os.Getwd()
	if err != nil {
		dir = "."
	}
	for root := dir; ; root = filepath.Dir(root) {
		if _, err := os.Stat(filepath.Join(root, "go.mod")); err == nil {
			dir = root
			break
		}
		if root == filepath.Dir(root) {
			break
		}
	}
	sum := sha256.Sum256([]byte(dir))
	return filepath.Join(os.TempDir(), fmt.Sprintf("recon-sqltest-%d-%s", os.Getuid(), hex.EncodeToString(sum[:4])))
}

// prepare sweeps what killed test programs left and builds the template if this schema has none yet.
func prepare(ctx context.Context) error {
	conn, err := pgx.Connect(ctx, cluster.server.ConnString())
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	var version int
	if err := conn.QueryRow(ctx, "SELECT current_setting('server_version_num')::int").Scan(&version); err != nil {
		return err
	}
	cluster.strategy = ""
	if version >= 150000 {
		cluster.strategy = " STRATEGY FILE_COPY" // half the time of the default for a small template
	}
	cluster.template = "template_" + sql.SchemaHash()[:12]
	if _, err := conn.Exec(ctx, "SELECT pg_advisory_lock($1)", templateLock); err != nil {
		return err
	}
	defer conn.Exec(ctx, "SELECT pg_advisory_unlock($1)", templateLock)
	if err := sweep(ctx, conn); err != nil {
		return err
	}
	var exists bool
	if err := conn.QueryRow(ctx, "SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1)", cluster.template).Scan(&exists); err != nil || exists {
		return err
	}
	return buildTemplate(ctx, conn)
}

// buildTemplate migrates a database under a passing name and renames it when it is complete. Nobody may connect to a
// template, for copying it would fail then.
func buildTemplate(ctx context.Context, conn *pgx.Conn) error {
	building := "t_" + strconv.Itoa(os.Getpid()) + "_template"
	if _, err := conn.Exec(ctx, "CREATE DATABASE "+building); err != nil {
		return err
	}
	db, err := sql.Open(ctx, sql.Config{URL: cluster.server.ConnString() + " dbname=" + building})
	if err != nil {
		return err
	}
	_, err = db.Migrate(ctx)
	db.Close()
	if err != nil {
		return err
	}
	if err := waitAlone(ctx, conn, building); err != nil {
		return err
	}
	if _, err := conn.Exec(ctx, "ALTER DATABASE "+building+" ALLOW_CONNECTIONS false"); err != nil {
		return err
	}
	_, err = conn.Exec(ctx, "ALTER DATABASE "+building+" RENAME TO "+cluster.template)
	return err
}

// waitAlone waits until the sessions of a database have ended: a backend outlives its client a little.
func waitAlone(ctx context.Context, conn *pgx.Conn, database string) error {
	for {
		var sessions int
		if err := conn.QueryRow(ctx, "SELECT count(*) FROM pg_stat_activity WHERE datname = $1", database).Scan(&sessions); err != nil || sessions == 0 {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// sweep drops the databases of test programs that are gone, and old templates.
func sweep(ctx context.Context, conn *pgx.Conn) error {
	rows, err := conn.Query(ctx, `SELECT datname FROM pg_database WHERE datname LIKE 't\_%' OR datname LIKE 'template\_%' ORDER BY oid DESC`)
	if err != nil {
		return err
	}
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return err
	}
	templates := 0
	for _, name := range names {
		if strings.HasPrefix(name, "template_") {
			if templates++; templates <= keptTemplates || name == cluster.template {
				continue
			}
		} else if pid, err := strconv.Atoi(strings.Split(name, "_")[1]); err == nil && alive(pid) {
			continue
		}
		// Somebody may be copying it or dropping it too; the next sweep will find it.
		_, _ = conn.Exec(ctx, "DROP DATABASE IF EXISTS "+pgx.Identifier{name}.Sanitize()+" WITH (FORCE)")
	}
	return nil
}

func alive(pid int) bool { return syscall.Kill(pid, 0) != syscall.ESRCH }

// admin runs a statement in the cluster's own database.
func admin(statement string) error {
	ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
	defer cancel()
	conn, err := pgx.Connect(ctx, cluster.server.ConnString())
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	_, err = conn.Exec(ctx, statement)
	return err
}
