package migrations_test

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pgseek/pgseek/store/storetest"
)

// connect returns a connection to a new migrated database.
func connect(t *testing.T) (context.Context, *pgx.Conn) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	conn, err := pgx.Connect(ctx, storetest.New(t))
	if err != nil {
		cancel()
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = conn.Close(context.Background())
		cancel()
	})
	return ctx, conn
}

//go:embed testdata/fixture.sql
var fixture string

// connectFilled does the same as connect and loads the small index of testdata/fixture.sql.
func connectFilled(t *testing.T) (context.Context, *pgx.Conn) {
	t.Helper()
	ctx, conn := connect(t)
	if _, err := conn.PgConn().Exec(ctx, fixture).ReadAll(); err != nil {
		t.Fatalf("fixture.sql: %v", err)
	}
	return ctx, conn
}

// collect returns the rows of a query, in order, in structs with one field a column.
func collect[T any](t *testing.T, conn *pgx.Conn, query string, args ...any) []T {
	t.Helper()
	rows, err := conn.Query(context.Background(), query, args...)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	list, err := pgx.CollectRows(rows, pgx.RowToStructByPos[T])
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return list
}

// column returns the values of a query of one column.
func column[T any](t *testing.T, conn *pgx.Conn, query string, args ...any) []T {
	t.Helper()
	rows, err := conn.Query(context.Background(), query, args...)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	list, err := pgx.CollectRows(rows, pgx.RowTo[T])
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return list
}

// The objects that goose creates itself are not part of our schema.
const withoutCommentSQL = `
	SELECT c.relname || coalesce('.' || a.attname, '')
	FROM pg_class c LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND c.relkind <> 'S'
	WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p', 'v', 'm', 'S', 'f')
	  AND c.relname !~ '^goose_db_version' AND coalesce(col_description(c.oid, a.attnum), '') = '' AND a.attnum IS NOT NULL
	UNION ALL
	SELECT c.relname
	FROM pg_class c
	WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p', 'v', 'm', 'S', 'f')
	  AND c.relname !~ '^goose_db_version' AND coalesce(obj_description(c.oid, 'pg_class'), '') = ''
	UNION ALL
	SELECT 'index ' || c.relname
	FROM pg_class c JOIN pg_index i ON i.indexrelid = c.oid
	WHERE c.relnamespace = 'public'::regnamespace AND NOT i.indisprimary AND coalesce(obj_description(c.oid, 'pg_class'), '') = ''
	UNION ALL
	SELECT 'function ' || p.oid::regprocedure
	FROM pg_proc p
	WHERE p.pronamespace = 'public'::regnamespace AND coalesce(obj_description(p.oid, 'pg_proc'), '') = ''
	ORDER BY 1`

// Every table, column, view, function and sequence has a COMMENT, and every index that is not a primary key.
func TestEverythingHasAComment(t *testing.T) {
	_, conn := connect(t)
	if without := column[string](t, conn, withoutCommentSQL); len(without) > 0 {
		t.Errorf("without a comment: %s", strings.Join(without, ", "))
	}
	// The query works: without one comment it returns one more line.
	if _, err := conn.Exec(context.Background(), `COMMENT ON COLUMN urlword.crc IS NULL`); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"urlword.crc"}, column[string](t, conn, withoutCommentSQL)); diff != "" {
		t.Errorf("after a comment was taken away (-want +got):\n%s", diff)
	}
}

// ASPseek's tables have exactly these columns, in this order.
func TestASPseekTables(t *testing.T) {
	const content = "url_id integer, deleted smallint, wordcount integer, totalcount integer, content_type text, charset text, " +
		"title text, txt text, docsize integer, keywords text, description text, lang text, words bytea, hrefs integer[]"
	tables := map[string]string{
		"wordurl":  "word text, word_id integer, urls bytea, urlcount integer, totalcount integer",
		"wordurl1": "word text, word_id integer, urls bytea, urlcount integer, totalcount integer",
		"urlword": "url_id integer, site_id integer, deleted smallint, url text, next_index_time bigint, status integer, " +
			"crc text, last_modified text, etag text, last_index_time bigint, referrer integer, tag integer, hops smallint, " +
			"redir integer, origin integer",
		"robots": "hostinfo text, path text",
		"sites":  "site_id integer, site text",
		"stat": "addr text, proxy text, query text, ul text, sp text, site integer, np smallint, ps smallint, sites integer, " +
			"urls integer, start numeric(15,3), finish numeric(15,3), referer text",
		"subsets":  "subset_id integer, mask text",
		"spaces":   "space_id integer, site_id integer",
		"tmpurl":   "url_id integer, thread integer",
		"wordsite": "word text, sites integer[]",
		"citation": "url_id integer, referrers integer[]",
	}
	for n := range 16 {
		tables[fmt.Sprintf("urlwords%02d", n)] = content
	}
	_, conn := connect(t)
	for table, want := range tables {
		got := column[string](t, conn, `
			SELECT coalesce(string_agg(attname || ' ' || format_type(atttypid, atttypmod), ', ' ORDER BY attnum), 'no such table')
			FROM pg_attribute WHERE attrelid = to_regclass($1) AND attnum > 0 AND NOT attisdropped`, "public."+table)
		if diff := cmp.Diff(want, got[0]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", table, diff)
		}
	}
}

// Constraints: unique columns, and rows that are refused.
func TestASPseekLimits(t *testing.T) {
	ctx, conn := connect(t)
	for _, c := range []struct{ name, statement, code string }{
		{"a word is unique", `INSERT INTO wordurl (word) VALUES ('a'), ('a')`, "23505"},
		{"a word of 33 characters", `INSERT INTO wordurl (word) VALUES (repeat('ö', 33))`, "23514"},
		{"an inline blob of 1001 bytes", `INSERT INTO wordurl (word, urls) VALUES ('a', decode(repeat('00', 1001), 'hex'))`, "23514"},
		{"an empty real-time blob", `INSERT INTO wordurl1 VALUES ('a', 1, '', 0, 0)`, "23514"},
		{"a document in another's table", `INSERT INTO urlwords03 (url_id) VALUES (4)`, "23514"},
		{"a URL of 2049 bytes", `INSERT INTO urlword (site_id, url) VALUES (1, repeat('a', 2049))`, "23514"},
		{"a negative status", `INSERT INTO urlword (site_id, url, status) VALUES (1, 'a', -1)`, "23514"},
		{"site 2^24", `INSERT INTO sites VALUES (16777216, 'http://a/')`, "23514"},
		{"a site is unique", `INSERT INTO sites (site) VALUES ('http://a/'), ('http://a/')`, "23505"},
		{"a URL is unique", `INSERT INTO urlkey VALUES (decode(md5(''), 'hex'), 1), (decode(md5(''), 'hex'), 2)`, "23505"},
		{"a space of an unknown site", `INSERT INTO spaces VALUES (1, 1)`, "23503"},
		{"a title of 129 characters", `INSERT INTO urlwords00 (url_id, title) VALUES (16, repeat('ö', 129))`, "23514"},
		{"a second row of crawl_control", `INSERT INTO crawl_control (single) VALUES (false)`, "23514"},
		{"a schedule that ends before it begins", `INSERT INTO schedule (run_id, fetcher, deadline, site_ids, url_ids)
			VALUES (1, '', now() - interval '1 s', '{}', '{}')`, "23514"},
		{"a journal row of an error", `INSERT INTO journal (run_id, url_id, site_id, status) VALUES (1, 1, 1, 404)`, "23514"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := conn.Exec(ctx, c.statement); sqlState(err) != c.code {
				t.Errorf("%s: got %v, want SQLSTATE %s", c.statement, err, c.code)
			}
		})
	}
}

// sqlState returns the SQLSTATE of an error, empty when it has none.
func sqlState(err error) string {
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		return pg.Code
	}
	return ""
}
