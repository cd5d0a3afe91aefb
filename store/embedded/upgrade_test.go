package embedded

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// same upgrades to the newest version that is installed, also when the cluster has it already: most machines have one only.
var same = UpgradeOptions{sameVersion: true}

// openOldest opens a cluster that the first start creates by the oldest version installed: make test-newest has two.
func openOldest(t *testing.T, dir string) *Cluster {
	t.Helper()
	c := open(t, dir)
	list, err := installed()
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range list {
		if v.major >= OldestMajor && v.major < c.major {
			c.bin, c.major = v.bin, v.major
		}
	}
	return c
}

// fill makes what an upgrade has to bring along.
func fill(t *testing.T, c *Cluster) {
	t.Helper()
	for _, sql := range []string{
		`CREATE ROLE pgseek_search NOLOGIN`,
		`CREATE ROLE grafana LOGIN PASSWORD 'secret' CONNECTION LIMIT 3`,
		`GRANT pgseek_search TO grafana`,
		`ALTER ROLE grafana SET work_mem = '3MB'`,
		`CREATE SCHEMA other`,
		`CREATE TABLE other."Odd name" (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, body bytea, at timestamptz DEFAULT now(), f float8)`,
		`INSERT INTO other."Odd name" (body, f) SELECT decode(md5(n::text), 'hex'), n / 3.0 FROM generate_series(1, 2000) n`,
		`GRANT USAGE ON SCHEMA other TO pgseek_search`,
		`GRANT SELECT ON other."Odd name" TO pgseek_search`,
		`CREATE MATERIALIZED VIEW seen AS SELECT count(*) AS n FROM other."Odd name"`,
		`CREATE FUNCTION twice(n integer) RETURNS integer LANGUAGE sql AS 'SELECT 2 * n'`,
		`ALTER DATABASE pgseek SET statement_timeout = '7min'`,
		`CREATE DATABASE second`,
		`ALTER SYSTEM SET work_mem = '24MB'`,
	} {
		query(t, c, sql)
	}
	conf, err := os.OpenFile(filepath.Join(c.data, "postgresql.conf"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer conf.Close()
	if _, err := conf.WriteString(`my.own = 'it''s a \\ text'` + "\n"); err != nil {
		t.Fatal(err)
	}
}

// filled returns what fill has made, as SQL reports it.
func filled(t *testing.T, c *Cluster) (said []string) {
	t.Helper()
	for _, sql := range []string{
		`SELECT concat_ws(' ', count(*), min(f), max(f), min(at)) FROM other."Odd name"`,
		`SELECT concat_ws(' ', last_value, is_called) FROM other."Odd name_id_seq"`,
		`SELECT n::text FROM seen`, `SELECT twice(21)::text`,
		`SELECT concat_ws(' ', rolcanlogin, rolconnlimit, setconfig, rolpassword) FROM pg_authid r JOIN pg_db_role_setting s ON setrole = r.oid
			WHERE rolname = 'grafana'`,
		`SELECT concat_ws(' ', pg_has_role('grafana', 'pgseek_search', 'USAGE'), has_table_privilege('grafana', 'other."Odd name"', 'SELECT'))`,
		`SELECT current_setting('statement_timeout')`, `SELECT string_agg(datname, ' ' ORDER BY datname) FROM pg_database`,
		`SELECT setting FROM pg_settings WHERE name = 'work_mem'`, `SELECT current_setting('my.own')`,
		`SELECT current_setting('cluster_name')`, `SELECT current_setting('default_transaction_read_only')`,
		`SELECT current_setting('autovacuum') || current_setting('wal_level') || current_setting('synchronous_commit')`,
	} {
		said = append(said, query(t, c, sql))
	}
	return said
}

// nothingLeft checks that no upgrade is going on or has left anything.
func nothingLeft(t *testing.T, c *Cluster) {
	t.Helper()
	entries, err := os.ReadDir(c.dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if name := e.Name(); !slices.Contains([]string{"pg", "pg.log", "pg.lock", "pg.upgrade.lock", "pg.new.log", "run", "pg.upgrade.part"}, name) {
			t.Errorf("%s is left", name)
		}
	}
}

func TestUpgrade(t *testing.T) {
	t.Parallel()
	c := openOldest(t, folder(t))
	start(t, c)
	fill(t, c)
	if err := c.Stop(t.Context()); err != nil { // the settings of ALTER SYSTEM take effect
		t.Fatal(err)
	}
	running, stop := context.WithCancel(t.Context())
	defer stop()
	ended, ready := make(chan error, 1), make(chan bool)
	service := open(t, c.dir)
	go func() { ended <- service.Run(running, func() { close(ready) }) }() // as index --db run does
	<-ready
	want := filled(t, c)
	dsn := c.DSN()
	idle := false
	got, err := c.Upgrade(t.Context(), UpgradeOptions{sameVersion: true, Idle: func() { idle = true }})
	if err != nil {
		t.Fatal(err)
	}
	kept := filepath.Join(c.dir, "pg-"+strconv.Itoa(got.From))
	newest, _, err := Find(0)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("from %d to %d", got.From, got.To)
	if got.To != majorOf(newest) || got.From != c.major || got.Kept != kept || got.Tables != 2 || got.Rows != 2001 || !idle {
		t.Errorf("upgraded: %+v", got)
	}
	if said := filled(t, c); !slices.Equal(said, want) {
		t.Errorf("before %q\nafter  %q", want, said)
	}
	if c.DSN() != dsn {
		t.Errorf("the address was %s, is %s", dsn, c.DSN())
	}
	if n := query(t, c, `SELECT reltuples::text FROM pg_class WHERE relname = 'Odd name'`); n != "2000" {
		t.Errorf("statistics of the table: %s rows", n)
	}
	if s, err := c.Status(t.Context()); err != nil || s.Kept.Folder != kept || s.Kept.Size < emptyCluster/4 || s.Upgrade != "" ||
		!strings.Contains(s.String(), "\nkept     PostgreSQL ") || !strings.Contains(s.String(), "index --db upgrade --finish removes it") {
		t.Errorf("status %v, %v", s, err)
	}
	if _, err := c.Upgrade(t.Context(), same); err == nil || !strings.Contains(err.Error(), "--finish first") {
		t.Errorf("a second upgrade beside a kept cluster: %v", err)
	}

	// The service has gone on, and stops the new server with itself.
	time.Sleep(2 * watchPause)
	select {
	case err := <-ended:
		t.Errorf("index --db run has ended: %v", err)
	default:
	}
	stop()
	if err := <-ended; err != nil || c.PostmasterPID() != 0 {
		t.Errorf("index --db run ended with %v, server %d runs", err, c.PostmasterPID())
	}
	start(t, c)

	// Back to the old cluster.
	query(t, c, `INSERT INTO other."Odd name" (f) VALUES (1)`)
	if err := c.ReturnFromUpgrade(t.Context()); err != nil {
		t.Fatal(err)
	}
	if said := filled(t, c); !slices.Equal(said, want) {
		t.Errorf("before %q\nback   %q", want, said)
	}
	nothingLeft(t, c)
	if err := c.FinishUpgrade(t.Context()); !errors.Is(err, ErrNothingToDo) {
		t.Errorf("finish without an upgrade: %v", err)
	}
	if err := c.ReturnFromUpgrade(t.Context()); !errors.Is(err, ErrNothingToDo) {
		t.Errorf("return without an upgrade: %v", err)
	}
}

// TestB85UpgradeIsRefused: an upgrade that cannot succeed changes nothing and says what to do.
func TestB85UpgradeIsRefused(t *testing.T) {
	c := openOldest(t, folder(t))
	start(t, c)
	refused := func(o UpgradeOptions, want string) {
		t.Helper()
		pid := c.PostmasterPID()
		if _, err := c.Upgrade(t.Context(), o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
		nothingLeft(t, c)
		if now := c.PostmasterPID(); now != pid {
			t.Errorf("the server was stopped: %d was %d", now, pid)
		}
	}
	if _, newest, err := Find(0); err != nil || newest == c.major {
		refused(UpgradeOptions{}, "no newer version is installed (Debian: apt-get install postgresql)")
	}

	saved := freeSpace
	freeSpace = func(string) (int64, error) { return 30 << 20, nil }
	refused(same, "and 30 MB are free there: make room; nothing was changed")
	freeSpace = saved

	savedPrograms := dumpPrograms
	dumpPrograms = []string{"pg_dump", "pg_nonsense"}
	refused(same, "pg_nonsense is not installed, which copies the data; version ")
	dumpPrograms = savedPrograms

	place := filepath.Join(c.dir, "pg-"+strconv.Itoa(c.major))
	if err := os.Mkdir(place, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Upgrade(t.Context(), same); err == nil || !strings.Contains(err.Error(), place+" exists") {
		t.Errorf("with a folder of that name: %v", err)
	}
	if err := os.Remove(place); err != nil {
		t.Fatal(err)
	}

	crawling, err := pgx.Connect(t.Context(), c.DSN()+"&application_name=index")
	if err != nil {
		t.Fatal(err)
	}
	var busy *BusyError
	if _, err := c.Upgrade(t.Context(), same); !errors.As(err, &busy) || busy.Name != "index" {
		t.Errorf("beside a crawl: %v", err)
	}
	if err := crawling.Close(t.Context()); err != nil {
		t.Fatal(err)
	}

	unlock, err := c.lockUpgrade(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Upgrade(t.Context(), same); !errors.Is(err, ErrUpgrading) {
		t.Errorf("a second upgrade at the same time: %v", err)
	}
	unlock()

	tables := filepath.Join(folder(t), "tables")
	if err := os.Mkdir(tables, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := c.account.ownFolder(tables); err != nil {
		t.Fatal(err)
	}
	query(t, c, "CREATE TABLESPACE far LOCATION '"+tables+"'")
	refused(same, "in tablespace far: move them back")
	query(t, c, "DROP TABLESPACE far")

	// What cannot be copied: a function of a library that is not there.
	query(t, c, "CREATE TABLE t AS SELECT 1 AS n")
	query(t, c, "CREATE FUNCTION broken() RETURNS integer LANGUAGE plpgsql AS 'BEGIN RETURN 1 / 0; END'")
	query(t, c, "CREATE MATERIALIZED VIEW never AS SELECT broken() AS n WITH NO DATA")
	query(t, c, "CREATE TABLE u (n integer)")
	query(t, c, "INSERT INTO u VALUES (1)")
	query(t, c, "CREATE FUNCTION never_true(n integer) RETURNS boolean IMMUTABLE LANGUAGE plpgsql AS 'BEGIN RETURN false; END'")
	query(t, c, "ALTER TABLE u ADD CONSTRAINT broken CHECK (never_true(n)) NOT VALID")
	query(t, c, "UPDATE pg_constraint SET convalidated = true WHERE conname = 'broken'")
	if _, err := c.Upgrade(t.Context(), same); err == nil || !strings.Contains(err.Error(), "copy database pgseek to PostgreSQL") ||
		!strings.Contains(err.Error(), "violates check constraint") {
		t.Errorf("a database that cannot be copied: %v", err)
	}
	nothingLeft(t, c)
	query(t, c, "INSERT INTO t VALUES (2)") // not read-only any more
}

// TestCompareClusters: a copy that differs is not taken.
func TestCompareClusters(t *testing.T) {
	t.Parallel()
	a, b := open(t, folder(t)), open(t, folder(t))
	for _, c := range []*Cluster{a, b} {
		start(t, c)
		query(t, c, "CREATE TABLE t (n integer PRIMARY KEY, s text)")
		query(t, c, "INSERT INTO t SELECT n, 'text' FROM generate_series(1, 10) n")
		query(t, c, "CREATE SEQUENCE s")
	}
	if _, rows, err := compareClusters(t.Context(), a, b); err != nil || rows != 10 {
		t.Errorf("two equal clusters: %d rows, %v", rows, err)
	}
	for _, x := range []struct{ change, back, want string }{
		{"DELETE FROM t WHERE n = 3", "INSERT INTO t VALUES (3, 'text')", "public.t has 10 rows"},
		{"UPDATE t SET s = 'Text' WHERE n = 5", "UPDATE t SET s = 'text'", "public.t has 10 rows"},
		{"SELECT nextval('s')", "SELECT setval('s', 1, false)", "public.s has 0 rows (1 f), its copy 0 (1 t)"},
		{"ALTER TABLE t DROP CONSTRAINT t_pkey", "ALTER TABLE t ADD PRIMARY KEY (n)", "i public.t_pkey is not there"},
		{"CREATE FUNCTION f() RETURNS integer LANGUAGE sql AS 'SELECT 1'", "DROP FUNCTION f", "function public.f() is new"},
		{"CREATE ROLE more", "DROP ROLE more", "role more is new"},
	} {
		query(t, b, x.change)
		if _, _, err := compareClusters(t.Context(), a, b); !errors.Is(err, ErrDiffers) || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%s: %v, want %q", x.change, err, x.want)
		}
		query(t, b, x.back)
	}
	query(t, b, "CREATE DATABASE more")
	if _, _, err := compareClusters(t.Context(), a, b); !errors.Is(err, ErrDiffers) {
		t.Errorf("another database: %v", err)
	}
}
