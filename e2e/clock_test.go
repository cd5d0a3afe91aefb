package e2e

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/pgseek/pgseek/spider/spidertest"
)

// pass moves every time in the tables back by d, so that the program, which uses the real clock, finds them
// that much older. No program may be running. Special values stay: 0 and below (start URLs, --recrawl,
// --respider), and times so far in the future that they mean never. Fractions of a second are dropped,
// because urlword has none.
func (w *world) pass(d time.Duration) {
	w.t.Helper()
	seconds := int64(d / time.Second)
	ctx := context.Background()
	tx, err := w.pool.Begin(ctx)
	if err != nil {
		w.t.Fatal(err)
	}
	defer func() { _ = tx.Rollback(ctx) }() // after the commit: nothing
	exec := func(query string, args ...any) {
		w.t.Helper()
		if _, err := tx.Exec(ctx, query, args...); err != nil {
			w.t.Fatalf("%v\n%s", err, query)
		}
	}
	const never = int64(1) << 40 // far above any time, below 2^62
	for table, columns := range map[string][]string{
		"urlword":   {"next_index_time", "last_index_time"},
		"sitestate": {"next_due"},
	} {
		for _, column := range columns {
			exec(fmt.Sprintf(`UPDATE %s SET %[2]s = greatest(1, %[2]s - $1) WHERE %[2]s > 0 AND %[2]s < $2`, table, column), seconds, never)
		}
	}
	found, err := tx.Query(ctx, `
		SELECT format('UPDATE %I SET %s', table_name, string_agg(format('%I = %1$I - make_interval(secs => $1)', column_name), ', '))
		FROM information_schema.columns JOIN information_schema.tables USING (table_schema, table_name)
		WHERE table_schema = 'public' AND table_type = 'BASE TABLE' AND data_type = 'timestamp with time zone'
		GROUP BY table_name ORDER BY table_name`)
	if err != nil {
		w.t.Fatal(err)
	}
	var statements []string
	for found.Next() {
		var statement string
		if err := found.Scan(&statement); err != nil {
			w.t.Fatal(err)
		}
		statements = append(statements, statement)
	}
	if err := found.Err(); err != nil {
		w.t.Fatal(err)
	}
	for _, statement := range statements {
		exec(statement, float64(seconds))
	}
	if err := tx.Commit(ctx); err != nil {
		w.t.Fatal(err)
	}
}

// TestPass verifies that after less than a Period only the start URL is due, that after more than a Period
// everything is, and that robots.txt is fetched again after half an hour.
func TestPass(t *testing.T) {
	t.Parallel()
	site := spidertest.NewSite(t)
	site.HTML("/", `<a href="/a">a</a>`)
	site.HTML("/a", `leaf`)
	w := newWorld(t, "Server "+site.URL+"/\n")
	w.index()
	for _, c := range []struct {
		what     string
		pass     time.Duration
		requests string
	}{
		{"at once", 0, "map[/:1]"},
		{"after a day", 24 * time.Hour, "map[/:1 /robots.txt:1]"},
		{"after a week", 7 * 24 * time.Hour, "map[/:1 /a:1 /robots.txt:1]"},
		{"at once again", 0, "map[/:1]"},
	} {
		w.pass(c.pass)
		site.Forget()
		w.index()
		count := map[string]int{}
		for _, r := range site.Requests() {
			count[r.Path]++
		}
		if got := fmt.Sprint(count); got != c.requests {
			t.Errorf("%s: requests %s, want %s", c.what, got, c.requests)
		}
	}
}
