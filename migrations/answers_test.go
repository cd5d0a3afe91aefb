package migrations_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A link to a page that DeleteBad has withdrawn (T-13) is broken like one to a page that is still in the
// index. A link to an infinite-space duplicate (T-14: 903) is not broken, nor is one to a page that a rule of
// sets.cnf has withdrawn (T-12), nor one to a picture: view unread_documents has that, with the cause.
func TestBrokenLinks(t *testing.T) {
	ctx, conn := connectFilled(t)
	before := column[string](t, conn, `SELECT url_id || ' ' || status || ' ' || referrer_id FROM broken_links`)
	if _, err := conn.Exec(ctx, `
		INSERT INTO urlword (url_id, site_id, url, status, deleted) VALUES
			(21, 1, 'http://www.example.org/21', 410, 1), (22, 1, 'http://www.example.org/22', 903, 0), (23, 1, 'http://www.example.org/23', 404, 1),
			(24, 1, 'http://www.example.org/24.png', 800, 0), (25, 1, 'http://www.example.org/25', 800, 1);
		INSERT INTO urlstate (url_id, withdrawn_by) VALUES (21, 'T-13'), (22, ''), (23, 'T-12'), (24, ''), (25, 'T-12');
		INSERT INTO crawl_history (url_id, slot, run_id, at, rule, result, old_status, new_status, cause) VALUES
			(24, 0, 1, now() - interval '1 day', 'T-08', 800, 0, 800, 'no converter for image/gif'),
			(24, 1, 1, now(), 'T-08', 800, 800, 800, 'no converter for image/png'),
			(24, 2, 1, now() + interval '1 day', 'T-10', 704, 800, 800, 'timeout');
		INSERT INTO citation VALUES (21, '{1,2}'), (22, '{1}'), (23, '{1}'), (24, '{1}'), (25, '{1}')`); err != nil {
		t.Fatal(err)
	}
	got := column[string](t, conn, `SELECT url_id || ' ' || status || ' ' || referrer_id FROM broken_links`)
	want := append(before, "21 410 1", "21 410 2")
	slices.Sort(got)
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("broken links (-want +got):\n%s", diff)
	}
	got = column[string](t, conn, `SELECT url || ' ' || status || ' ' || cause FROM unread_documents WHERE url_id > 20`)
	if diff := cmp.Diff([]string{"http://www.example.org/24.png 800 no converter for image/png"}, got); diff != "" {
		t.Errorf("unread documents (-want +got):\n%s", diff)
	}
}

// The queue is read through the index of due URLs, not by a scan of all URLs.
func TestFetchQueueReadsWhatIsDue(t *testing.T) {
	ctx, conn := connectFilled(t)
	if _, err := conn.Exec(ctx, `
		INSERT INTO urlword (url_id, site_id, url, next_index_time)
		SELECT n, 1, 'http://www.example.org/' || n, extract(epoch FROM now())::bigint + CASE WHEN n % 100 = 0 THEN -n ELSE 86400 END
		FROM generate_series(1001, 11000) n;
		ANALYZE urlword`); err != nil {
		t.Fatal(err)
	}
	for _, query := range []string{`SELECT * FROM fetch_queue`, `SELECT count(*) FROM fetch_queue`} {
		plan := strings.Join(column[string](t, conn, `EXPLAIN `+query), "\n")
		if !strings.Contains(plan, "urlword_next_index_time") {
			t.Errorf("%s:\n%s", query, plan)
		}
	}
	due := column[int64](t, conn, `SELECT count(*) FROM fetch_queue WHERE url_id > 1000`)
	if due[0] != 100 {
		t.Errorf("due: %d, want 100", due[0])
	}
}

// No part of the schema needs the caller's search path: a restore, REFRESH MATERIALIZED VIEW and postgres_fdw
// empty it. The inner functions of search() inherit its setting.
func TestNothingNeedsASearchPath(t *testing.T) {
	ctx, conn := connectFilled(t)
	views := column[string](t, conn, `SELECT relname FROM pg_class WHERE relkind = 'v' AND relnamespace = 'public'::regnamespace ORDER BY 1`)
	if len(views) < 15 {
		t.Fatalf("only %d views: %q", len(views), views)
	}
	queries := []string{
		`SELECT public.find_url('http://www.example.org/')`, `SELECT * FROM public.search('vacuum "house" -lost')`, `SELECT * FROM public.search_terms('"a b"')`,
		`SELECT * FROM public.search('house', ranking => 'aspseek')`, `SELECT * FROM public.search_plan('vacuum house')`, `SELECT * FROM public.search_matches('house')`,
		`SELECT * FROM public.search_facets('house', type => 'html')`, `SELECT * FROM public.search('"house vacuum lost" house', lang => 'en')`,
		`SELECT * FROM public.word_forms('house', 'ru')`, `SELECT public.search_languages()`,
		`SELECT * FROM public.text_words('some text')`, `SELECT public.search_excerpt('some text', '{text}')`,
		`SELECT * FROM public.word_postings('house')`, `SELECT * FROM public.word_documents('house')`, `SELECT * FROM public.doc_words(1)`,
		`SELECT public.word_info(urls), public.word_records(urls), public.word_positions(urls, 1, 1) FROM public.wordurl`,
		`SELECT public.docwords_info(words) FROM public.docwords`, `SELECT * FROM public.redirect_chain(5)`, `SELECT * FROM public.subset_documents(1)`,
		`SELECT public.site_labels(site) FROM public.sites`, `SELECT public.site_bits(sites) FROM public.wordsite`,
		`SELECT public.status_base(200), public.status_lost(200), public.status_lost_count(200)`, `SELECT public.grant_search('pgseek_search')`,
	}
	for _, view := range views {
		queries = append(queries, `SELECT * FROM public.`+view)
	}
	for _, path := range []string{`''`, `pg_temp`, `pg_catalog, pg_temp`} {
		if _, err := conn.Exec(ctx, `SET search_path = `+path); err != nil {
			t.Fatal(err)
		}
		for _, query := range queries {
			if _, err := conn.Exec(ctx, query); err != nil {
				t.Errorf("search_path %s: %s: %v", path, query, err)
			}
		}
	}
	if got := column[*int32](t, conn, `SELECT public.find_url(u) FROM unnest(ARRAY['http://docs.example.org:8080/', 'http://nowhere.example/']) u`); *got[0] != 8 || got[1] != nil {
		t.Errorf("find_url: %v, want 8 and none", got)
	}
}

// A role with only the privileges of grant_search can search where a DBA has revoked the schema and its
// functions from PUBLIC.
func TestSearchRoleInAClosedDatabase(t *testing.T) {
	ctx, conn := connectFilled(t)
	for _, s := range []string{
		`REVOKE ALL ON SCHEMA public FROM PUBLIC`, `REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA public FROM PUBLIC`, `SET ROLE pgseek_search`,
		`SELECT * FROM search('vacuum "house" wi-fi -lost')`, `SELECT * FROM search('vacuum house', ranking => 'aspseek')`,
		`SELECT * FROM word_postings('house')`, `SELECT find_url('http://www.example.org/')`,
		`SELECT * FROM subset_documents(1)`, `SELECT status_base(status), status_lost(status), status_lost_count(status) FROM urlword`,
	} {
		if _, err := conn.Exec(ctx, s); err != nil {
			t.Errorf("%s: %v", s, err)
		}
	}
}
