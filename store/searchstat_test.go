package store_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/index"
	"github.com/pgseek/pgseek/store/lookup"
	"github.com/pgseek/pgseek/store/report"
	"github.com/pgseek/pgseek/store/storetest"
)

// statRow is a row of stat, times as numbers as text.
type statRow struct {
	Addr, Proxy, Query, UL, SP string
	Site                       int32
	NP, PS                     int16
	Sites, URLs                int32
	Start, Finish, Referer     string
}

// TestRecordSearch checks every column of stat, with any text from outside (B1, B38).
func TestRecordSearch(t *testing.T) {
	dsn := storetest.New(t)
	s, pool := openStore(t, dsn), storetest.Connect(t, dsn)
	start := time.Date(2026, 1, 2, 3, 4, 5, 678_900_000, time.UTC)
	whole := report.SearchRecord{
		Addr: "192.0.2.7", Proxy: "2001:db8::1", Query: `vacuum "full table"`, UL: "http://h/", SP: "1,2", Site: 7, NP: 3, PS: 20,
		Sites: 2, URLs: 41, Start: start, Finish: start.Add(17 * time.Millisecond), Referer: "http://h/page",
	}
	seconds := fmt.Sprint(start.Unix())
	want := statRow{"192.0.2.7", "2001:db8::1", `vacuum "full table"`, "http://h/", "1,2", 7, 3, 20, 2, 41, seconds + ".678", seconds + ".695", "http://h/page"}
	for _, c := range []struct {
		name   string
		change func(*report.SearchRecord)
		want   func(*statRow)
	}{
		{"every column", func(*report.SearchRecord) {}, func(*statRow) {}},
		{"an error in the query", func(r *report.SearchRecord) { r.URLs, r.Sites = report.ErrorInQuery, 0 }, func(r *statRow) { r.URLs, r.Sites = -1, 0 }},
		{"nothing known of the client", func(r *report.SearchRecord) { r.Addr, r.Proxy, r.Referer = "", "", "" }, func(r *statRow) { r.Addr, r.Proxy, r.Referer = "", "", "" }},
		{
			"B1: NUL and what is no UTF-8", func(r *report.SearchRecord) { r.Query, r.Referer = "a\x00b\xffc", "\xed\xa0\x80" },
			func(r *statRow) { r.Query, r.Referer = "a\uFFFDb\uFFFDc", "\uFFFD" },
		},
		{"a text of 1024 bytes", func(r *report.SearchRecord) { r.Query = strings.Repeat("x", 1024) }, func(r *statRow) { r.Query = strings.Repeat("x", 1024) }},
		{
			"longer ones are cut between characters", func(r *report.SearchRecord) {
				r.Query, r.UL = "x"+strings.Repeat("ä", 600), strings.Repeat("日", 1000)
			},
			func(r *statRow) { r.Query, r.UL = "x"+strings.Repeat("ä", 511), strings.Repeat("日", 341) },
		},
		{
			"B39: numbers beyond their columns", func(r *report.SearchRecord) { r.NP, r.PS, r.URLs, r.Sites = 1<<40, -1<<40, 1<<40, 1<<40 },
			func(r *statRow) { r.NP, r.PS, r.URLs, r.Sites = 1<<15-1, -1<<15, 1<<31-1, 1<<31-1 },
		},
		{"B38: SQL is text", func(r *report.SearchRecord) { r.Query = `'); DROP TABLE stat; --` }, func(r *statRow) { r.Query = `'); DROP TABLE stat; --` }},
	} {
		t.Run(c.name, func(t *testing.T) {
			record, row := whole, want
			c.change(&record)
			c.want(&row)
			if err := report.New(s).RecordSearch(t.Context(), record); err != nil {
				t.Fatal(err)
			}
			rows, err := pool.Query(t.Context(), `DELETE FROM stat RETURNING addr, proxy, query, ul, sp, site, np, ps, sites, urls, start::text, finish::text, referer`)
			if err != nil {
				t.Fatal(err)
			}
			got, err := pgx.CollectRows(rows, pgx.RowToStructByPos[statRow])
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]statRow{row}, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestRecordSearchOnce: when the answer to the commit is lost, the row is not written again.
func TestRecordSearchOnce(t *testing.T) {
	dsn := storetest.New(t)
	pool := storetest.Connect(t, dsn)
	s, cut := cutAfterCommit(t, dsn)
	count := func() (n int) {
		if err := pool.QueryRow(t.Context(), `SELECT count(*) FROM stat`).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	record := report.SearchRecord{Query: "a", Start: time.Now(), Finish: time.Now()}
	cut.Store(true)
	if err := report.New(s).RecordSearch(t.Context(), record); err != nil || cut.Load() {
		t.Errorf("the answer was lost (%v), and the error is %v", !cut.Load(), err)
	}
	if n := count(); n != 1 {
		t.Errorf("%d rows of one query", n)
	}
	// RecordSearch waits only a moment for a locked table, because the connections are for searches.
	holder, err := pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := holder.Exec(t.Context(), `LOCK TABLE stat`); err != nil {
		t.Fatal(err)
	}
	if err := report.New(s).RecordSearch(t.Context(), record); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a table that is locked: %v", err)
	}
	if err := holder.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	// A transaction that ends before its commit is repeated.
	if _, err := pool.Exec(t.Context(), `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`); err != nil {
		t.Fatal(err)
	}
	waiting, err := store.Open(t.Context(), store.Options{DSN: dsn, Application: "test", WaitLimit: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	defer waiting.Close()
	if err := report.New(waiting).RecordSearch(t.Context(), record); err != nil {
		t.Fatal(err)
	}
	if _, err := pool.Exec(t.Context(), `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'test' AND datname = current_database()`); err != nil {
		t.Fatal(err)
	}
	if err := report.New(waiting).RecordSearch(t.Context(), record); err != nil {
		t.Error(err)
	}
	if n := count(); n != 3 {
		t.Errorf("%d rows of three queries", n)
	}
}

// TestStatReport checks frequent queries, queries without results, slow queries and days; --stat-purge
// removes the oldest.
func TestStatReport(t *testing.T) {
	dsn := storetest.New(t)
	s := openStore(t, dsn)
	ctx := t.Context()
	day := time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)
	add := func(after time.Duration, query string, urls int, took time.Duration, more func(*report.SearchRecord)) {
		t.Helper()
		r := report.SearchRecord{Addr: "192.0.2.1", Query: query, URLs: urls, PS: 20, Start: day.Add(after), Finish: day.Add(after + took)}
		if more != nil {
			more(&r)
		}
		if err := report.New(s).RecordSearch(ctx, r); err != nil {
			t.Fatal(err)
		}
	}
	const ms = time.Millisecond
	add(-30*24*time.Hour, "old", 1, 9*time.Second, nil)
	add(0, "Vacuum", 7, 10*ms, nil)
	add(time.Minute, "  vacuum ", 8, 30*ms, func(r *report.SearchRecord) { r.Addr = "192.0.2.2" })
	add(2*time.Minute, "vacuum", 8, 5*ms, func(r *report.SearchRecord) { r.NP = 1 })
	add(3*time.Minute, "index", 3, 20*ms, func(r *report.SearchRecord) { r.Addr = "" })
	add(4*time.Minute, "nowhere", 0, 2*ms, nil)
	add(5*time.Minute, "(bad", report.ErrorInQuery, 1*ms, nil)
	add(24*time.Hour, "nowhere", 0, 4*ms, nil)
	add(24*time.Hour+time.Second, "nothing", 0, 100*ms, func(r *report.SearchRecord) {
		r.UL, r.SP, r.Site = "http://a/ lang=de path=/docs/", "1,2", 5
	})
	const limits = "http://a/ lang=de path=/docs/ sp=1,2 st=5"

	got, err := report.New(s).StatReport(ctx, day.Add(-time.Hour), 2)
	if err != nil {
		t.Fatal(err)
	}
	want := report.SearchReport{
		Since: day.Add(-time.Hour),
		Top: []report.QueryCount{
			{Query: "nowhere", Count: 2, Last: day.Add(24 * time.Hour), Median: 3 * ms},
			{Query: "  vacuum ", Count: 2, URLs: 8, Last: day.Add(time.Minute), Median: 20 * ms},
		},
		Empty: []report.QueryCount{
			{Query: "nowhere", Count: 2, Last: day.Add(24 * time.Hour), Median: 3 * ms},
			{Query: "nothing", Limits: limits, Count: 1, Last: day.Add(24*time.Hour + time.Second), Median: 100 * ms},
		},
		Slow: []report.SlowQuery{
			{Query: "nothing", Limits: limits, Start: day.Add(24*time.Hour + time.Second), Took: 100 * ms},
			{Query: "  vacuum ", URLs: 8, Start: day.Add(time.Minute), Took: 30 * ms},
		},
		Days: []report.SearchDay{
			{Day: time.Date(2026, 3, 4, 0, 0, 0, 0, time.UTC), Queries: 6, Distinct: 6, Empty: 1, Errors: 1, Addresses: 2, Median: 7500 * time.Microsecond, P95: 27500 * time.Microsecond, Slowest: 30 * ms},
			{Day: time.Date(2026, 3, 5, 0, 0, 0, 0, time.UTC), Queries: 2, Distinct: 2, Empty: 2, Addresses: 1, Median: 52 * ms, P95: 95200 * time.Microsecond, Slowest: 100 * ms},
		},
	}
	same := cmp.Comparer(func(a, b time.Time) bool { return a.Equal(b) })
	if diff := cmp.Diff(want, got, same); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}

	for _, c := range []struct {
		olderThan time.Time
		removed   int64
	}{{day, 1}, {day, 0}, {day.Add(24 * time.Hour), 6}, {day.Add(48 * time.Hour), 2}} {
		if removed, err := report.New(s).PurgeStat(ctx, c.olderThan); err != nil || removed != c.removed {
			t.Errorf("older than %v: removed %d (%v), want %d", c.olderThan, removed, err, c.removed)
		}
	}
	if got, err = report.New(s).StatReport(ctx, day, 5); err != nil || len(got.Top)+len(got.Empty)+len(got.Slow)+len(got.Days) != 0 {
		t.Errorf("without a query: %+v, %v", got, err)
	}
}

// TestWordRulesVersion: an index with documents keeps the number of its rules until it is rebuilt; an empty one has the present.
func TestWordRulesVersion(t *testing.T) {
	dsn := storetest.New(t)
	s, pool := openStore(t, dsn), storetest.Connect(t, dsn)
	keep := func(present, want int) {
		t.Helper()
		got, err := index.New(s).KeepWordRules(t.Context(), index.WordRules{MinLength: 1, MaxLength: 32}, present)
		if err != nil || got != want {
			t.Errorf("with the rules %d: version %d, %v; want %d", present, got, err, want)
		}
		if searched, err := lookup.New(s).WordRulesVersion(t.Context()); err != nil || searched != want {
			t.Errorf("searches see version %d, %v; want %d", searched, err, want)
		}
	}
	keep(2, 2)
	keep(7, 7)
	if _, err := pool.Exec(t.Context(), `INSERT INTO docwords (url_id, seq, words) VALUES (1, 1, '')`); err != nil {
		t.Fatal(err)
	}
	keep(8, 7)
	if err := index.New(s).RaiseWordRules(t.Context(), 8); err != nil {
		t.Fatal(err)
	}
	keep(8, 8)
}

// TestKeepWordRules: search() leaves out the words that the index leaves out.
func TestKeepWordRules(t *testing.T) {
	dsn := storetest.New(t)
	s, pool := openStore(t, dsn), storetest.Connect(t, dsn)
	read := func() (line string) {
		if err := pool.QueryRow(t.Context(), `SELECT min_length || ' ' || max_length || ' ' || stopwords::text || ' ' || xmin FROM wordrules`).Scan(&line); err != nil {
			t.Fatal(err)
		}
		return line
	}
	before := read()
	for _, c := range []struct {
		rules index.WordRules
		want  string
	}{
		{index.WordRules{MinLength: 1, MaxLength: 32}, "1 32 {} "},
		{index.WordRules{MinLength: 2, MaxLength: 16, Stopwords: []string{"the", "of", "the"}}, "2 16 {of,the} "},
		{index.WordRules{MinLength: 1, MaxLength: 32}, "1 32 {} "},
	} {
		for range 2 {
			if _, err := index.New(s).KeepWordRules(t.Context(), c.rules, 2); err != nil {
				t.Fatal(err)
			}
			now := read()
			if !strings.HasPrefix(now, c.want) {
				t.Errorf("got %s, want %s", now, c.want)
			}
			if before != "" && strings.HasPrefix(before, c.want) && now != before {
				t.Errorf("the same rules were written again: %s, then %s", before, now)
			}
			before = now
		}
	}
}
