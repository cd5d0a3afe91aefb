package storetest

import (
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

const otherSessionsSQL = `
	SELECT /* storetest.Copy */ count(pg_terminate_backend(pid, 5000)) FROM pg_stat_activity
	WHERE datname = '%s' AND backend_type = 'client backend'`

// Copy returns the connection string of a copy of a test's database: the same rows at the same places,
// sequences included. It ends the sessions on the original, so nothing may be running there; a pool opens new
// ones by itself. The copy is dropped with the test, or with its server when dsn was not made by New.
func Copy(t testing.TB, dsn string) string {
	t.Helper()
	cfg, err := pgx.ParseConfig(dsn)
	if err != nil {
		t.Fatal(err)
	}
	name := fmt.Sprintf("pgseek_test_%d_%d_%d", time.Now().Unix(), os.Getpid(), made.Add(1))
	beside := withDatabase(dsn, "postgres")
	idle.forget(cfg.Database)
	run(t, beside, fmt.Sprintf(otherSessionsSQL, cfg.Database))
	run(t, beside, "CREATE DATABASE "+quote(name)+" TEMPLATE "+quote(cfg.Database)+" STRATEGY FILE_COPY")
	t.Cleanup(func() {
		idle.forget(name)
		run(t, beside, "DROP DATABASE IF EXISTS "+quote(name)+" WITH (FORCE)")
	})
	return withDatabase(dsn, name)
}
