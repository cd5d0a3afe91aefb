package migrations_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"github.com/pgseek/pgseek/migrations"
	"github.com/pgseek/pgseek/store/storetest"
)

// releasedSets is the configuration of scripts/dump-release.
const releasedSets = "DeleteBad no\nPeriod 7d\nServer http://127.0.0.1:18043/\n"

// TestReleasedDatabases opens a database of each released version with the current program, which is killed a few times while it
// brings the schema up to date (testdata/released/README.md).
func TestReleasedDatabases(t *testing.T) {
	_, fresh := connect(t) // also makes the role that the dumps name
	want := objects(renderSchema(t, fresh))
	files, err := filepath.Glob("testdata/released/*.sql")
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(files, filepath.Join("testdata", "released", "0.1.sql")) {
		t.Fatalf("the database of version 0.1 is missing among %q", files)
	}
	index := filepath.Join(t.TempDir(), "index")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", index, "../cmd/index").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			dsn := storetest.Empty(t)
			restore(t, dsn, file)
			run := newProgram(t, index, dsn)
			for _, table := range alteredTables {
				killMigrating(t, run, dsn, table)
			}
			run.done(t, "-S") // brings the schema up to date
			if diff := cmp.Diff(want, objects(renderSchema(t, open(t, dsn)))); diff != "" {
				t.Errorf("the schema (-of a new database +of this one):\n%s", diff)
			}
			storetest.CheckInvariants(t, dsn)
			run.done(t, "-X1")

			conn := open(t, dsn)
			found := func(query string) []string {
				return column[string](t, conn, `SELECT regexp_replace(url, '.*/', '') FROM search($1, forms => 'off') ORDER BY 1`, query)
			}
			for query, want := range map[string][]string{
				"apple": {"apple.html", "pear.html"}, "blue": {"changed.html"}, "cherry": {"late.html"}, "seed": {"many.html"},
				"quince": {"gone.html"}, "груша": {"unicode.html"}, "medlar": {},
			} {
				if diff := cmp.Diff(want, found(query)); diff != "" {
					t.Errorf("%s (-want +found):\n%s", query, diff)
				}
			}
			if out := run.done(t, "--search", "apple"); !strings.Contains(out, "/apple.html") {
				t.Errorf("index --search apple:\n%s", out)
			}

			// Unmerged entries are merged.
			run.done(t, "-D")
			if out := run.done(t, "--rebuild-index"); strings.Contains(out, "newer rules") {
				t.Errorf("the rebuild warns of older rules:\n%s", out)
			}
			storetest.CheckInvariants(t, dsn)
			run.done(t, "-X1")
			for query, want := range map[string][]string{"blue": {}, "yellow": {"changed.html"}, "cherry": {"late.html"}} {
				if diff := cmp.Diff(want, found(query)); diff != "" {
					t.Errorf("%s after the merge (-want +found):\n%s", query, diff)
				}
			}
			if left := column[int64](t, conn, `SELECT (SELECT count(*) FROM journal) + (SELECT count(*) FROM rt_urls)`); left[0] != 0 {
				t.Errorf("%d rows of journal and rt_urls are left after the merge", left[0])
			}
		})
	}
}

// open returns a connection to a database for the rest of the test.
func open(t *testing.T, dsn string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}

// restore loads a plain dump into an empty database.
func restore(t *testing.T, dsn, file string) {
	t.Helper()
	dump, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	conn := open(t, dsn)
	if _, err := conn.PgConn().Exec(t.Context(), string(dump)).ReadAll(); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	if err := conn.Close(t.Context()); err != nil { // the dump has left it without a search_path
		t.Fatal(err)
	}
}

// alteredTables are tables that migrations since the dumps alter, early ones and late ones.
var alteredTables = []string{"reindexing", "urlstate"}

// killMigrating starts the program while a transaction keeps a table from being altered, and kills it when it waits for that. The
// migrations before are applied then, and this one is not. If none alters the table the program ends by itself.
func killMigrating(t *testing.T, run program, dsn, table string) {
	t.Helper()
	version := func(conn *pgx.Conn) int64 {
		return column[int64](t, conn, `SELECT max(version_id) FROM goose_db_version`)[0]
	}
	conn := open(t, dsn)
	before := version(conn)
	tx, err := conn.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback(context.Background()) }() // an error when it is over
	if _, err := tx.Exec(t.Context(), "LOCK TABLE "+table+" IN ACCESS SHARE MODE"); err != nil {
		t.Fatal(err)
	}
	cmd := run.command(t, "-S")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	watch := open(t, dsn)
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
		waiting := column[int64](t, watch, `SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = $1::regclass`, table)
		if waiting[0] > 0 {
			break
		}
		select {
		case err := <-ended:
			t.Logf("no migration from version %d on alters %s: %v", before, table, err)
			return
		default:
		}
		if time.Now().After(deadline) {
			t.Fatalf("the program with version %d neither waits for %s nor ends", before, table)
		}
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err == nil {
		t.Error("the program that was killed ended well")
	}
	if err := tx.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	if now := version(watch); now < before || now >= newestMigration(t) {
		t.Errorf("killed while %s was to be altered: version %d, was %d", table, now, before)
	}
}

// newestMigration returns the number of the last migration.
func newestMigration(t *testing.T) int64 {
	t.Helper()
	newest, err := migrations.Newest(migrations.FS)
	if err != nil {
		t.Fatal(err)
	}
	return newest
}

// program runs index on a database with releasedSets.
type program struct{ index, dir, dsn string }

func newProgram(t *testing.T, index, dsn string) program {
	t.Helper()
	p := program{index, t.TempDir(), dsn}
	for name, text := range map[string]string{"sets.cnf": releasedSets, "spider.cnf": ""} {
		if err := os.WriteFile(filepath.Join(p.dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

func (p program) command(t *testing.T, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(t.Context(), p.index, append([]string{"--config", p.dir}, args...)...)
	cmd.Env = append(os.Environ(), "PGSEEK_DBADDR="+p.dsn)
	return cmd
}

// done runs the program to its end and returns its output. It fails the test when the program fails.
func (p program) done(t *testing.T, args ...string) string {
	t.Helper()
	out, err := p.command(t, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("index %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// leftOut are the lines of a rendered schema that the dumps do not have.
var leftOut = regexp.MustCompile(`(?m)^(COMMENT ON FUNCTION .* IS '(?s:.*?)';|COMMENT ON .*;|ALTER TABLE wordfile ALTER COLUMN urls SET COMPRESSION lz4;)\n`)

// objects returns what a dump without comments and compression methods has of a rendered schema, in an order that does not depend on
// which object was made first.
func objects(schema string) []string {
	list := strings.Split(leftOut.ReplaceAllString(sameInAllVersions(schema), ""), "\n\n")
	slices.Sort(list)
	return list
}
