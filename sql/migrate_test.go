package sql_test

import (
	"errors"
	"testing"

	"agentrecon/sql"
	"agentrecon/sql/sqltest"
)

func TestMigrateFreshThenTwice(t *testing.T) {
	db := sqltest.Open(t, sqltest.NewEmptyURL(t))
	if _, err := db.BeginRun(t.Context()); !errors.Is(err, sql.ErrSchemaMissing) {
		t.Errorf("BeginRun on an empty database: got %v, want ErrSchemaMissing", err)
	}
	first, err := db.Migrate(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if first.From != 0 || first.To != sql.SchemaVersion() || len(first.Applied) != sql.SchemaVersion() || len(first.NotDone) != 0 {
		t.Errorf("first Migrate: got %+v, want everything applied", first)
	}
	second, err := db.Migrate(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if second.From != second.To || len(second.Applied) != 0 || second.NewEpoch != 0 {
		t.Errorf("second Migrate: got %+v, want nothing applied", second)
	}
	status, err := db.SchemaStatus(t.Context())
	if err != nil || status.Have != status.Want || len(status.Pending) != 0 {
		t.Errorf("SchemaStatus: got %+v, %v, want up to date", status, err)
	}
}

func TestSchemaNotTheProgramsIsRefused(t *testing.T) {
	tests := []struct {
		name, edit string
		want       error
	}{
		{"newer", "INSERT INTO schema_migrations (version, name, sha256) VALUES (9999, '9999_future', '')", sql.ErrSchemaNewer},
		{"older", "DELETE FROM schema_migrations WHERE version > 1", sql.ErrSchemaMissing},
		{"changed", "UPDATE schema_migrations SET sha256 = 'other' WHERE version = 2", sql.ErrSchemaChanged},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			url := sqltest.NewURL(t)
			if _, err := sqltest.Connect(t, url).Exec(t.Context(), test.edit); err != nil {
				t.Fatal(err)
			}
			db := sqltest.Open(t, url)
			if _, err := db.BeginRun(t.Context()); !errors.Is(err, test.want) {
				t.Errorf("BeginRun: got %v, want %v", err, test.want)
			}
			if _, err := db.Migrate(t.Context()); !errors.Is(test.want, sql.ErrSchemaMissing) && !errors.Is(err, test.want) {
				t.Errorf("Migrate: got %v, want %v", err, test.want)
			}
		})
	}
}

func TestRestoreInAnotherClusterOpensAnEpoch(t *testing.T) {
	url := sqltest.NewURL(t)
	conn := sqltest.Connect(t, url)
	// What a dump and restore looks like from inside: the recorded system identifier is not this cluster's.
	for _, statement := range []string{
		"ALTER TABLE recon_epochs DISABLE TRIGGER append_only",
		"UPDATE recon_epochs SET system_identifier = '1'",
		"ALTER TABLE recon_epochs ENABLE ALWAYS TRIGGER append_only",
	} {
		if _, err := conn.Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	report, err := sqltest.Open(t, url).Migrate(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if report.NewEpoch != 2 {
		t.Errorf("new epoch: got %d, want 2", report.NewEpoch)
	}
	var epoch int
	err = conn.QueryRow(t.Context(), `INSERT INTO transfer_attempts (attempt_id, amount_cents, proposed_at)
		VALUES ('a', 1, now()) RETURNING epoch`).Scan(&epoch)
	if err != nil || epoch != 2 {
		t.Errorf("epoch of a new row: got %d, %v, want 2", epoch, err)
	}
}

func TestManyMigrateAtOnce(t *testing.T) {
	url := sqltest.NewEmptyURL(t)
	const programs = 4
	reports := make(chan sql.MigrateReport, programs)
	failures := make(chan error, programs)
	for range programs {
		db := sqltest.Open(t, url)
		go func() {
			report, err := db.Migrate(t.Context())
			reports <- report
			failures <- err
		}()
	}
	applied := 0
	for range programs {
		applied += len((<-reports).Applied)
		if err := <-failures; err != nil {
			t.Error(err)
		}
	}
	if applied != sql.SchemaVersion() {
		t.Errorf("migrations applied by all together: got %d, want each of the %d once", applied, sql.SchemaVersion())
	}
}

func TestSomebodyElsesTableIsNotTouched(t *testing.T) {
	url := sqltest.NewEmptyURL(t)
	if _, err := sqltest.Connect(t, url).Exec(t.Context(), "CREATE TABLE transfer_attempts (attempt_id text PRIMARY KEY)"); err != nil {
		t.Fatal(err)
	}
	db := sqltest.Open(t, url)
	if _, err := db.Migrate(t.Context()); !errors.Is(err, sql.ErrConfig) {
		t.Errorf("got %v, want ErrConfig", err)
	}
	if status, err := db.SchemaStatus(t.Context()); err != nil || status.Have != 0 {
		t.Errorf("schema afterwards: got %+v, %v, want none", status, err)
	}
}
