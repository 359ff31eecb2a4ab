package sql_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"agentrecon/sql"
	"agentrecon/sql/sqltest"
)

// staging says which statements make the temporary tables that others read.
var staging = []struct {
	prefix string
	first  []string
}{
	{"attempts_by_id", nil},
	{"attempts_", []string{"attempts_stage"}},
	{"deliveries_", []string{"attempts_stage"}},
	{"audit_match", []string{"audit_stage"}},
	{"audit_", []string{"audit_stage", "audit_match"}},
	{"outcomes_by_attempt", nil},
	{"outcomes_repeats", []string{"outcomes_stage"}},
	{"outcomes_", []string{"outcomes_stage", "outcomes_repeats"}},
	{"sessions_by_id", nil},
	{"sessions_", []string{"sessions_stage"}},
	{"entries_by", nil},
	{"entries_", []string{"entries_stage"}},
}

// TestQuerySignatures has the server describe every statement and compares the types with a golden file, whose diff
// shows how far a change of the schema reaches. Statements that read evidence are described as of a past run too.
func TestQuerySignatures(t *testing.T) {
	conn := sqltest.Connect(t, sqltest.NewURL(t))
	var b strings.Builder
	for _, name := range sql.QueryNames() {
		if !strings.HasPrefix(sql.Query(name), "-- ") {
			t.Errorf("%s: begins without a comment that says what it is for", name)
		}
		if strings.HasSuffix(name, "_stage") {
			continue // several statements; their tables are checked by those that use them
		}
		now, err := describe(t, conn, name, sql.Query(name))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		past, err := describe(t, conn, name, sql.QueryAsOf(name))
		if err != nil {
			t.Errorf("%s, as of a past run: %v", name, err)
		}
		if past != now {
			t.Errorf("%s: as of a past run it has the types %s, else %s", name, past, now)
		}
		fmt.Fprintf(&b, "%s%s\n", name, now)
	}
	golden(t, "signatures.golden", b.String())
}

func describe(t *testing.T, conn *pgx.Conn, name, text string) (string, error) {
	t.Helper()
	tx, err := conn.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback(t.Context()) }()
	for _, s := range staging {
		if !strings.HasPrefix(name, s.prefix) {
			continue
		}
		for _, first := range s.first {
			statement := strings.ReplaceAll(sql.Query(first), "$1::interval", "interval '1 minute'")
			if _, err := tx.Exec(t.Context(), statement, pgx.QueryExecModeSimpleProtocol); err != nil {
				t.Fatalf("%s: %v", first, err)
			}
		}
		break
	}
	d, err := tx.Prepare(t.Context(), "", text)
	if err != nil {
		return "", err
	}
	var parameters, results []string
	for _, oid := range d.ParamOIDs {
		parameters = append(parameters, typeName(t, tx, oid))
	}
	for _, field := range d.Fields {
		results = append(results, field.Name+" "+typeName(t, tx, field.DataTypeOID))
	}
	return fmt.Sprintf("(%s) → %s", strings.Join(parameters, ", "), strings.Join(results, ", ")), nil
}

func typeName(t *testing.T, tx pgx.Tx, oid uint32) (name string) {
	t.Helper()
	if err := tx.QueryRow(t.Context(), "SELECT $1::oid::regtype::text", oid).Scan(&name); err != nil {
		t.Fatal(err)
	}
	return name
}

// TestSchema compares the schema, with its triggers and grants, with a golden file.
func TestSchema(t *testing.T) {
	conn := sqltest.Connect(t, sqltest.NewURL(t))
	rows, err := conn.Query(t.Context(), `
		SELECT line FROM (
			SELECT c.relname::text AS name, 1 AS part, a.attnum::int AS n, format('%s.%s %s%s%s%s', c.relname, a.attname, format_type(a.atttypid, a.atttypmod),
				CASE WHEN a.attcollation <> 0 AND co.collname <> 'default' THEN ' COLLATE ' || co.collname END,
				CASE WHEN a.attnotnull THEN ' NOT NULL' END,
				coalesce(' DEFAULT ' || pg_get_expr(d.adbin, d.adrelid), CASE WHEN a.attidentity <> '' THEN ' IDENTITY' END)) AS line
			FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
			LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum LEFT JOIN pg_collation co ON co.oid = a.attcollation
			WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'v')
			UNION ALL
			SELECT conrelid::regclass::text, 2, 0, format('%s CONSTRAINT %s %s', conrelid::regclass, conname, pg_get_constraintdef(oid))
			FROM pg_constraint WHERE connamespace = 'public'::regnamespace AND contype <> 'n'
			UNION ALL
			SELECT tablename, 3, 0, indexdef FROM pg_indexes WHERE schemaname = 'public'
			UNION ALL
			SELECT tgrelid::regclass::text, 4, 0, format('%s enabled %s', pg_get_triggerdef(oid), tgenabled) FROM pg_trigger WHERE NOT tgisinternal
			UNION ALL
			SELECT c.relname, 5, 0, format('GRANT %s ON %s TO %s', string_agg(x.privilege_type, ', ' ORDER BY x.privilege_type), c.relname, x.grantee::regrole)
			FROM pg_class c, aclexplode(c.relacl) x WHERE c.relnamespace = 'public'::regnamespace AND x.grantee <> c.relowner
			GROUP BY c.relname, x.grantee
			UNION ALL
			SELECT c.relname, 6, 0, format('GRANT %s (%s) ON %s TO %s', x.privilege_type, string_agg(a.attname, ', ' ORDER BY a.attnum), c.relname, x.grantee::regrole)
			FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid, aclexplode(a.attacl) x WHERE c.relnamespace = 'public'::regnamespace
			GROUP BY c.relname, x.grantee, x.privilege_type
		) parts ORDER BY name COLLATE "C", part, n, line COLLATE "C"`)
	if err != nil {
		t.Fatal(err)
	}
	lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "schema.golden", strings.Join(lines, "\n")+"\n")
}
