package storetest

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// A valid database has no findings, whatever waits, and the check is fast, because every test runs it.
func TestInvariantsOfASoundDatabase(t *testing.T) {
	for _, dsn := range []string{New(t), filled(t)} {
		began := time.Now()
		found, err := Invariants(t.Context(), dsn)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("checked in %v", time.Since(began))
		for _, line := range found {
			t.Error(line)
		}
	}
}

func filled(t testing.TB) string {
	dsn := New(t)
	fill(t, dsn)
	return dsn
}

// States that look like damage but are allowed are no findings.
func TestInvariantsKnowWhatIsAllowed(t *testing.T) {
	conn := connect(t, filled(t))
	for _, c := range []change{
		{"a newer schema, which every program refuses first", `INSERT INTO goose_db_version (version_id, is_applied) VALUES (99999, true)`, nil},
		{"a typed URL waits for the next run", `UPDATE sitestate SET next_due = 501 WHERE site_id = 1; UPDATE urlword SET referrer = 0 WHERE url_id = 16;
			DELETE FROM crawl_history WHERE url_id = 16; DELETE FROM urlstate WHERE url_id = 16`, nil},
		{"a crawl is under way, or crashed", `UPDATE sitestate SET next_due = 501 WHERE site_id = 1; UPDATE reindexing SET ended_at = NULL, end_reason = NULL WHERE run_id = 3`, nil},
		{"a later run was stopped, too", `INSERT INTO reindexing (run_id, kind, ended_at, end_reason) VALUES (4, 'crawl', now(), 'stopped')`, nil},
		{"the ordinals of a document ended", `WITH more AS (UPDATE urlwords03 SET totalcount = 900 WHERE url_id = 3),
				before AS (UPDATE docwords SET words = '\x010201010201' WHERE url_id = 3) -- fingerprints are of the positions that are left
			UPDATE wordurl SET urls = $1 WHERE word = 'cat'`, []any{entries(at(root, 1, 7), at(lost, lastOrdinal), at(purged, 2))}},
		{"what a rule took out has an original with other content", `UPDATE urlword SET crc = md5('x') WHERE url_id = 6`, nil},
		{
			"an older version comes late", `INSERT INTO journal (seq, schedule_seq, run_id, url_id, site_id, status, words) VALUES (2, 2, 1, 3, 1, 200, $1)`,
			[]any{version(word(dog, 5))},
		},
		{"a row without words tells what came late", `WITH late AS (INSERT INTO docwords VALUES (10, 9, '\x0100'))
			INSERT INTO journal (seq, schedule_seq, run_id, url_id, site_id, status, words) VALUES (2, 2, 1, 10, 1, 200, $1)`, []any{version(word(dog, 5))}},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, line := range c.findings(t, conn) {
				t.Error(line)
			}
		})
	}
}

// Every way of damaging the database is found and named.
func TestInvariantsFindEveryDamage(t *testing.T) {
	conn := connect(t, filled(t))
	for _, c := range damages {
		t.Run(c.name, func(t *testing.T) {
			found := change{c.name, c.sql, c.args}.findings(t, conn)
			for _, line := range found {
				if strings.Contains(line, c.want) {
					return
				}
			}
			t.Errorf("want %q, got\n%s", c.want, strings.Join(found, "\n"))
		})
	}
}

// damage has statements that damage the database, and a part of the expected finding.
type damage struct {
	name, sql, want string
	args            []any
}

// change is statements that alter the small database.
type change struct {
	name, sql string
	args      []any
}

// findings are those of the database with the change, which is taken back.
func (c change) findings(t *testing.T, conn *pgx.Conn) []string {
	t.Helper()
	ctx := context.Background()
	tx, err := conn.Begin(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback(ctx) }() // it takes the change back
	for sql := range strings.SplitSeq(c.sql, ";") {
		done, err := tx.Exec(ctx, sql, c.args...)
		if err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
		if (done.Update() || done.Delete() || done.Insert()) && done.RowsAffected() == 0 {
			t.Fatalf("%s: no row", sql)
		}
	}
	found, err := invariants(ctx, tx)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func connect(t testing.TB, dsn string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(context.Background(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}
