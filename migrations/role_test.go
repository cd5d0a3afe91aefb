package migrations_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pgseek/pgseek/migrations"
	"github.com/pgseek/pgseek/store/storetest"
)

// rightsSQL lists the privileges of a role on tables, views and sequences, and the functions and schemas
// granted to it.
const rightsSQL = `
	SELECT c.relname || ' ' || a.privilege_type
	FROM pg_class c CROSS JOIN LATERAL aclexplode(c.relacl) a JOIN pg_roles r ON r.oid = a.grantee
	WHERE r.rolname = $1 AND c.relnamespace = 'public'::regnamespace
	UNION ALL
	SELECT c.relname || '.' || t.attname || ' ' || a.privilege_type
	FROM pg_attribute t JOIN pg_class c ON c.oid = t.attrelid CROSS JOIN LATERAL aclexplode(t.attacl) a JOIN pg_roles r ON r.oid = a.grantee
	WHERE r.rolname = $1
	UNION ALL
	SELECT p.proname || ' ' || a.privilege_type
	FROM pg_proc p CROSS JOIN LATERAL aclexplode(p.proacl) a JOIN pg_roles r ON r.oid = a.grantee
	WHERE r.rolname = $1
	UNION ALL
	SELECT n.nspname || ' ' || a.privilege_type
	FROM pg_namespace n CROSS JOIN LATERAL aclexplode(n.nspacl) a JOIN pg_roles r ON r.oid = a.grantee
	WHERE r.rolname = $1
	ORDER BY 1`

// searchRights lists the privileges of the role that searches.
func searchRights() (rights []string) {
	for _, table := range strings.Fields(`citation docdates rt_urls sites spaces subsetdocs subsets subsetstate totals urlkey urlrank urlword
		urlwords urlwords00 urlwords01 urlwords02 urlwords03 urlwords04 urlwords05 urlwords06 urlwords07 urlwords08 urlwords09 urlwords10
		urlwords11 urlwords12 urlwords13 urlwords14 urlwords15 wordfile wordrules wordsite wordurl wordurl1
		urlstate journal markdel reindexing schedule fetcher sites_on_hold crawl_state suggestions crawl_history robots_cache sitestate site_hold host_limit
		docwords sitemaps named_by paused_pattern unread_documents unreached orphans`) {
		rights = append(rights, table+" SELECT")
	}
	for _, function := range strings.Fields(`search find_url search_terms text_words character_classes fold_word word_documents word_records place_at
		place_from phrase_places search_rank search_score search_excerpt word_postings word_info word_positions u32le subset_documents site_bits
		site_labels status_base status_lost status_lost_count
		search_aspseek search_matches search_plan search_parameters search_idf search_languages stop_words word_stem word_forms
		rank_of_score link_units length_norm places_before weighted_places weighted_word weighted_phrase
		search_facets document_facets language_code
		document_type redirect_chain plain_word word_spellings word_variants form_languages hangul_word merged_places sites_named type_named`) {
		rights = append(rights, function+" EXECUTE")
	}
	return append(rights, "stat INSERT", "public USAGE")
}

// The role reads the index and inserts into stat, and has no other privilege. It gets none on tables that are
// added later. It does not depend on what PUBLIC may execute.
func TestSearchRole(t *testing.T) {
	ctx, conn := connectFilled(t)
	rights := column[string](t, conn, rightsSQL, "pgseek_search")
	want := searchRights()
	slices.Sort(want)
	slices.Sort(rights)
	if diff := cmp.Diff(want, rights); diff != "" {
		t.Errorf("rights of pgseek_search (-want +got):\n%s", diff)
	}
	for _, s := range []string{`CREATE TABLE later (a int)`, `REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA public FROM PUBLIC`, `SET ROLE pgseek_search`} {
		if _, err := conn.Exec(ctx, s); err != nil {
			t.Fatal(err)
		}
	}
	for _, s := range []string{
		`SELECT * FROM search('vacuum "house"')`, `SELECT words FROM urlwords07`, `SELECT * FROM subset_documents(1)`,
		`INSERT INTO stat (query) VALUES ('a')`, `SELECT * FROM word_postings('vacuum')`, `SELECT query FROM suggestions`,
		`SELECT * FROM search('résumé "vacuum house" -a-b 학교에서 章', forms => 'ko,it')`, `SELECT * FROM search('vacuum', ranking => 'aspseek', type => 'html')`,
		`SELECT * FROM search_facets('vacuum house', site => 'a', lang => 'en', since => now())`, `SELECT * FROM search_terms('vacuum')`,
		`SELECT s.word FROM unnest('{a,b}'::text[]) t (typed) CROSS JOIN LATERAL word_spellings(t.typed) s`,
		`SELECT word FROM wordurl WHERE plain_word(word) >= 'a' AND plain_word(word) <> word`,
		`SELECT document_type(content_type) FROM urlwords`, `SELECT url_id FROM redirect_chain(1)`, `SELECT find_url('http://a/')`,
	} {
		if _, err := conn.Exec(ctx, s); err != nil {
			t.Errorf("%s: %v", s, err)
		}
	}
	for _, s := range []string{
		`SELECT query FROM stat`, `INSERT INTO stat (query) VALUES ('a') RETURNING query`, `DELETE FROM stat`, `UPDATE stat SET query = ''`,
		`TRUNCATE stat`, `SELECT * FROM stat_daily`, `SELECT * FROM crawl_control`, `SELECT * FROM soft404_probe`, `DELETE FROM crawl_history`,
		`SELECT * FROM later`, `CREATE TABLE mine (a int)`, `UPDATE urlword SET deleted = 1`, `DELETE FROM wordurl`, `SELECT nextval('journal_seq')`,
		`SELECT grant_search('pgseek_search')`, `UPDATE wordrules SET min_length = 2`, `DELETE FROM suggestions`, `INSERT INTO suggestions VALUES ('a', 1)`, `SELECT * FROM suggestionstate`, `DROP VIEW stat_daily`,
	} {
		if _, err := conn.Exec(ctx, s); sqlState(err) != "42501" {
			t.Errorf("%s: got %v, want permission denied", s, err)
		}
	}
}

// roleBlock returns the part of the migration that creates the role and revokes its privileges, for a role of
// another name: roles belong to the server, and other tests need the real one.
func roleBlock(t *testing.T, name string) (up, down string) {
	t.Helper()
	b, err := migrations.FS.ReadFile("00110_views_and_roles.sql")
	if err != nil {
		t.Fatal(err)
	}
	whole := strings.ReplaceAll(string(b), "pgseek_search", name)
	_, up, ok := strings.Cut(whole, "-- Several databases of one server")
	up, down, found := strings.Cut(up, "-- +goose Down")
	down, _, ended := strings.Cut(down, "DROP FUNCTION")
	if !ok || !found || !ended {
		t.Fatal("the migration has no such part")
	}
	return "-- " + up, down
}

// Many databases of one server are migrated at the same time (storetest does it): none fails, each has its
// grants, and Down revokes them while the role remains for the others.
func TestSearchRoleIsMadeByManyAtOnce(t *testing.T) {
	ctx, first := connect(t)
	conns := []*pgx.Conn{first}
	for range 5 {
		conn, err := pgx.Connect(ctx, storetest.New(t))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conn.Close(context.Background()) })
		conns = append(conns, conn)
	}
	for round := range 5 {
		name := fmt.Sprintf("searcher_%d_%d", time.Now().UnixNano(), round)
		up, down := roleBlock(t, name)
		errs := make([]error, len(conns))
		var wait sync.WaitGroup
		for i, conn := range conns {
			wait.Go(func() { _, errs[i] = conn.PgConn().Exec(ctx, up).ReadAll() })
		}
		wait.Wait()
		want := searchRights()
		slices.Sort(want)
		for i, conn := range conns {
			if errs[i] != nil {
				t.Errorf("database %d: %v", i, errs[i])
				continue
			}
			rights := column[string](t, conn, rightsSQL, name)
			slices.Sort(rights)
			if diff := cmp.Diff(want, rights); diff != "" {
				t.Errorf("database %d (-want +got):\n%s", i, diff)
			}
			for range 2 { // again it changes nothing
				if _, err := conn.PgConn().Exec(ctx, down).ReadAll(); err != nil {
					t.Fatal(err)
				}
			}
			if rights := column[string](t, conn, rightsSQL, name); len(rights) != 0 {
				t.Errorf("database %d after Down: %v", i, rights)
			}
		}
		if _, err := first.Exec(ctx, `DROP ROLE `+name); err != nil { // nothing depends on it any more
			t.Error(err)
		}
	}
}

// An account that may not create roles can migrate; a NOTICE reports the missing role. A role that exists gets its privileges.
func TestSearchRoleByWhoMayNotMakeIt(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	cfg, err := pgx.ParseConfig(storetest.New(t))
	if err != nil {
		t.Fatal(err)
	}
	var notices []string
	cfg.OnNotice = func(_ *pgconn.PgConn, n *pgconn.Notice) { notices = append(notices, n.Message) }
	conn, err := pgx.ConnectConfig(ctx, cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(context.Background()) }()
	exec := func(s string) {
		t.Helper()
		if _, err := conn.PgConn().Exec(ctx, s).ReadAll(); err != nil {
			t.Fatalf("%.60s: %v", s, err)
		}
	}
	owner, name := fmt.Sprintf("owner_%d", time.Now().UnixNano()), fmt.Sprintf("searcher_%d", time.Now().UnixNano())
	up, down := roleBlock(t, name)
	superuser := column[string](t, conn, `SELECT current_user::text`)[0]
	exec(`CREATE ROLE ` + owner + ` NOLOGIN; GRANT ` + owner + ` TO current_user`)
	// All objects of schema public become its own.
	exec(`DO $$ DECLARE o record; BEGIN
		FOR o IN SELECT oid::regclass AS name FROM pg_class c WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'v') LOOP
			EXECUTE format('ALTER TABLE %s OWNER TO ` + owner + `', o.name);
		END LOOP;
		FOR o IN SELECT oid::regprocedure AS name FROM pg_proc WHERE pronamespace = 'public'::regnamespace LOOP
			EXECUTE format('ALTER FUNCTION %s OWNER TO ` + owner + `', o.name);
		END LOOP; END $$`)
	defer func() {
		exec(`RESET ROLE; REASSIGN OWNED BY ` + owner + ` TO "` + superuser + `"; DROP OWNED BY ` + owner + `; DROP ROLE ` + owner)
	}()

	exec(`SET ROLE ` + owner)
	exec(up)
	if got := strings.Join(notices, "|"); !strings.Contains(got, "may not create it") || !strings.Contains(got, name) {
		t.Errorf("notice: %s", got)
	}
	if got := column[int64](t, conn, `SELECT count(*) FROM pg_roles WHERE rolname = $1`, name); got[0] != 0 {
		t.Error("the role is there")
	}
	exec(down)

	notices = nil
	exec(`RESET ROLE; CREATE ROLE ` + name + ` NOLOGIN; SET ROLE ` + owner)
	exec(up)
	if got := strings.Join(notices, "|"); !strings.Contains(got, "not a member of "+name) {
		t.Errorf("notice: %s", got)
	}
	if rights := column[string](t, conn, rightsSQL, name); len(rights) != len(searchRights())-1 { // USAGE is the schema's owner's to give
		t.Errorf("rights: %v", rights)
	}
	exec(down)
	exec(`RESET ROLE; DROP ROLE ` + name)
}

// stat_daily counts by day.
func TestStatDaily(t *testing.T) {
	_, conn := connect(t)
	if _, err := conn.Exec(context.Background(), `
		SET timezone = 'UTC';
		INSERT INTO stat (addr, query, urls, start, finish) VALUES
			('a', 'x', 5, 86400, 86400.010), ('a', 'x', 5, 86500, 86500.020), ('b', 'y', 0, 86600, 86600.030), ('', 'z', -1, 172799.999, 172800.999),
			('c', 'x', 1, 172800, 172800.004)`); err != nil {
		t.Fatal(err)
	}
	got := column[string](t, conn, `SELECT d::text FROM stat_daily d ORDER BY day`)
	want := []string{"(1970-01-02,4,3,1,1,2,25.0,854.5,1000)", "(1970-01-03,1,1,0,0,1,4.0,4.0,4)"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
