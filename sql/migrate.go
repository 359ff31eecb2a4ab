package sql

import (
	"cmp"
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
)

//go:embed migrations/*.sql
var migrationFiles embed.FS

//go:embed roles.sql
var grants string

// Roles are the roles that recon grants rights to; people and programs log in as members of one.
var Roles = []string{"recon_recorder", "recon_runner", "recon_auditor"}

// migrationLock is held by whoever migrates, until the end of the transaction.
const migrationLock = 0x7265636f6e // "recon"

// A migration is one file of migrations/, such as 0001_records.sql. There is no way back: going back would drop
// evidence.
type migration struct {
	version int
	name    string
	text    string
	sum     string // SHA-256 of the file
}

var migrations = loadMigrations(migrationFiles, "migrations")

func loadMigrations(files fs.FS, dir string) []migration {
	names, err := fs.Glob(files, dir+"/*.sql")
	if err != nil || len(names) == 0 {
		panic("sql: no migrations")
	}
	list := make([]migration, 0, len(names))
	for _, path := range names {
		text, err := fs.ReadFile(files, path)
		if err != nil {
			panic("sql: " + err.Error())
		}
		name := strings.TrimSuffix(path[strings.LastIndexByte(path, '/')+1:], ".sql")
		version, err := strconv.Atoi(name[:4])
		if err != nil {
			panic("sql: migration " + name + " has no number")
		}
		sum := sha256.Sum256(text)
		list = append(list, migration{version: version, name: name, text: string(text), sum: hex.EncodeToString(sum[:])})
	}
	slices.SortFunc(list, func(a, b migration) int { return cmp.Compare(a.version, b.version) })
	for i, m := range list {
		if m.version != i+1 {
			panic("sql: migration " + m.name + " is out of sequence")
		}
	}
	return list
}

// SchemaVersion is the schema version that this program needs.
func SchemaVersion() int { return len(migrations) }

// SchemaHash identifies this program's schema: it changes with every migration and every grant.
func SchemaHash() string {
	h := sha256.New()
	for _, m := range migrations {
		h.Write([]byte(m.sum))
	}
	h.Write([]byte(grants))
	return hex.EncodeToString(h.Sum(nil))
}

// MigrateReport says what [DB.Migrate] did.
type MigrateReport struct {
	From, To int      // schema versions; equal if there was nothing to do
	Applied  []string // names of the migrations applied now
	NewEpoch int      // a new epoch was opened, for the database has moved to another cluster; else 0
	Roles    []string // roles that exist and have their rights
	NotDone  []string // what the role may not do, each with the remedy
}

// Migrate brings the schema up to date, each migration in a transaction of its own, and grants the roles their rights.
// Several programs may do so at once: they wait for each other. It refuses a schema that is newer than the program
// ([ErrSchemaNewer]) or was made by other files ([ErrSchemaChanged]).
func (db *DB) Migrate(ctx context.Context) (MigrateReport, error) {
	report, err := db.migrate(ctx)
	return report, explain(nil, err)
}

func (db *DB) migrate(ctx context.Context) (MigrateReport, error) {
	report := MigrateReport{From: -1}
	for {
		version, applied, err := db.migrateStep(ctx)
		if err != nil {
			return report, err
		}
		if report.From < 0 {
			report.From = version
			if applied != "" {
				report.From--
			}
		}
		report.To = version
		if applied == "" {
			break
		}
		report.Applied = append(report.Applied, applied)
	}
	if err := db.openEpoch(ctx, &report); err != nil {
		return report, err
	}
	return report, db.grantRoles(ctx, &report)
}

// migrateStep applies the next migration, if there is one, and returns the version the schema has then.
func (db *DB) migrateStep(ctx context.Context) (version int, applied string, err error) {
	conn, err := db.begin(ctx, readWrite, "", db.config.IdleTimeout)
	if err != nil {
		return 0, "", err
	}
	defer db.rollback(ctx, conn)
	// Waiting for another program that migrates may take as long as its longest migration.
	lock := fmt.Sprintf("SET LOCAL lock_timeout = 0; SELECT pg_advisory_xact_lock(%d)", int64(migrationLock))
	if err := simple(ctx, conn, lock); err != nil {
		return 0, "", err
	}
	version, err = appliedVersion(ctx, conn)
	if err != nil {
		return 0, "", err
	}
	if version > len(migrations) {
		return 0, "", &SchemaError{Have: version, Want: len(migrations)}
	}
	if version == len(migrations) {
		return version, "", nil
	}
	m := migrations[version]
	if err := simple(ctx, conn, createMigrationsTable+m.text); err != nil {
		return 0, "", fmt.Errorf("migration %s: %w", m.name, err)
	}
	_, err = conn.Exec(ctx, "INSERT INTO public.schema_migrations (version, name, sha256) VALUES ($1, $2, $3)", m.version, m.name, m.sum)
	if err != nil {
		return 0, "", err
	}
	return m.version, m.name, db.commit(ctx, conn)
}

const createMigrationsTable = `CREATE TABLE IF NOT EXISTS public.schema_migrations (
	version integer PRIMARY KEY, name text NOT NULL, sha256 text NOT NULL,
	applied_at timestamptz NOT NULL DEFAULT clock_timestamp(), applied_by text NOT NULL DEFAULT session_user);
`

// appliedVersion returns the version of the schema, 0 if there is none, and refuses one made by other files.
func appliedVersion(ctx context.Context, conn *pgx.Conn) (int, error) {
	var exists bool
	if err := conn.QueryRow(ctx, "SELECT to_regclass('public.schema_migrations') IS NOT NULL").Scan(&exists); err != nil || !exists {
		return 0, err
	}
	rows, err := conn.Query(ctx, "SELECT version, name, sha256 FROM public.schema_migrations ORDER BY version")
	if err != nil {
		return 0, err
	}
	version := 0
	var m migration
	_, err = pgx.ForEachRow(rows, []any{&m.version, &m.name, &m.sum}, func() error {
		if m.version <= len(migrations) && m.sum != migrations[m.version-1].sum {
			return fmt.Errorf("%w: %s (recorded SHA-256 %s, this program's %s): use the program that made the schema",
				ErrSchemaChanged, m.name, m.sum, migrations[m.version-1].sum)
		}
		version = m.version
		return nil
	})
	return version, err
}

// SchemaStatus is how the schema stands to the program.
type SchemaStatus struct {
	Have, Want int
	Pending    []string // names of migrations not applied yet
}

// SchemaStatus compares the schema with the program and changes nothing.
func (db *DB) SchemaStatus(ctx context.Context) (SchemaStatus, error) {
	status := SchemaStatus{Want: len(migrations)}
	conn, err := db.begin(ctx, readOnly, "", db.config.IdleTimeout)
	if err != nil {
		return status, explain(nil, err)
	}
	defer db.rollback(ctx, conn)
	if status.Have, err = appliedVersion(ctx, conn); err != nil {
		return status, explain(conn, err)
	}
	for i := status.Have; i < len(migrations); i++ {
		status.Pending = append(status.Pending, migrations[i].name)
	}
	return status, nil
}

// checkSchema refuses to work on a schema that is not the program's. It asks once per DB.
func (db *DB) checkSchema(ctx context.Context, conn *pgx.Conn) error {
	db.mu.Lock()
	checked := db.checked
	db.mu.Unlock()
	if checked {
		return nil
	}
	version, err := appliedVersion(ctx, conn)
	if err != nil {
		return err
	}
	if version != len(migrations) {
		return &SchemaError{Have: version, Want: len(migrations)}
	}
	db.mu.Lock()
	db.checked = true
	db.mu.Unlock()
	return nil
}

// openEpoch opens a new epoch if the database lives in another cluster than the last one did.
func (db *DB) openEpoch(ctx context.Context, report *MigrateReport) error {
	conn, err := db.begin(ctx, readWrite, "", db.config.IdleTimeout)
	if err != nil {
		return err
	}
	defer db.rollback(ctx, conn)
	if err := simple(ctx, conn, fmt.Sprintf("SELECT pg_advisory_xact_lock(%d)", int64(migrationLock))); err != nil {
		return err
	}
	var epoch int
	var moved bool
	err = conn.QueryRow(ctx, query("epoch_current")).Scan(&epoch, &moved)
	if err != nil || !moved {
		return err
	}
	epoch++
	if _, err := conn.Exec(ctx, query("epoch_open"), epoch); err != nil {
		if code(err) != codeDenied {
			return err
		}
		report.NotDone = append(report.NotDone,
			"the database has moved to another cluster: let the owner of the schema run \"recon migrate\"; until then every run is full")
		return nil
	}
	if err := simple(ctx, conn, fmt.Sprintf(epochDefaults, epoch)); err != nil {
		return err
	}
	report.NewEpoch = epoch
	return db.commit(ctx, conn)
}

// epochDefaults makes an epoch the one that new rows belong to.
const epochDefaults = `DO $$
DECLARE
	evidence regclass;
BEGIN
	FOR evidence IN
		SELECT c.oid FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
		WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND a.attname = 'epoch' AND a.atthasdef
	LOOP
		EXECUTE format('ALTER TABLE %%s ALTER COLUMN epoch SET DEFAULT %d', evidence);
	END LOOP;
END $$`

// grantRoles creates the roles and gives them their rights, as far as the role that migrates may. What it may not is
// said in the report: another role, such as the database's administrator, can do it with the same command.
func (db *DB) grantRoles(ctx context.Context, report *MigrateReport) error {
	for _, role := range Roles {
		if err := db.createRole(ctx, role); err != nil {
			if code(err) != codeDenied {
				return err
			}
			report.NotDone = append(report.NotDone,
				fmt.Sprintf("create role %s: not allowed: let an administrator run: CREATE ROLE %s NOLOGIN; then run \"recon migrate\" again", role, role))
			continue
		}
		report.Roles = append(report.Roles, role)
	}
	if len(report.Roles) < len(Roles) {
		return nil
	}
	conn, err := db.begin(ctx, readWrite, "", db.config.IdleTimeout)
	if err != nil {
		return err
	}
	defer db.rollback(ctx, conn)
	lock := fmt.Sprintf("SELECT pg_advisory_xact_lock(%d);\n", int64(migrationLock))
	if err := simple(ctx, conn, lock+grants); err != nil {
		if code(err) != codeDenied {
			return err
		}
		report.Roles = nil
		report.NotDone = append(report.NotDone, "grant rights to the roles: not allowed: let the owner of the schema run \"recon migrate\"")
		return nil
	}
	return db.commit(ctx, conn)
}

// createRole makes a role that nobody can log in as, unless it is there. Roles belong to the whole cluster, so another
// database may be creating it at this moment.
func (db *DB) createRole(ctx context.Context, role string) error {
	conn, err := db.begin(ctx, readWrite, "", db.config.IdleTimeout)
	if err != nil {
		return err
	}
	defer db.rollback(ctx, conn)
	var exists bool
	if err := conn.QueryRow(ctx, "SELECT EXISTS (SELECT FROM pg_roles WHERE rolname = $1)", role).Scan(&exists); err != nil || exists {
		return err
	}
	err = simple(ctx, conn, "CREATE ROLE "+pgx.Identifier{role}.Sanitize()+" NOLOGIN")
	if c := code(err); c == codeDuplicateObject || c == codeUniqueViolation {
		return nil
	}
	if err != nil {
		return err
	}
	return db.commit(ctx, conn)
}
