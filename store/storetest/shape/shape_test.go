package shape

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

func schema(t *testing.T) *Schema {
	t.Helper()
	s, err := ReadSchema("../../../docs/schema.sql")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestStatements checks every statement of package store and those below, every view and every function. A statement that
// breaks a rule is changed, or it stands in exceptions_test.go with a reason.
func TestStatements(t *testing.T) {
	s := schema(t)
	list, stray, err := s.Statements("../..", "storetest")
	if err != nil {
		t.Fatal(err)
	}
	if len(list) < 500 || len(s.Views) < 20 || len(s.Functions) < 50 {
		t.Fatalf("%d statements, %d views, %d functions", len(list), len(s.Views), len(s.Functions))
	}
	for _, x := range stray {
		if name := strings.Split(strings.Fields(x)[1], ":")[0]; strays[name] == "" {
			t.Errorf("%s is not a part of a named statement: begin it with SELECT /* store.Name */, or the like", x)
		}
	}
	found := map[string]bool{}
	for _, x := range list {
		for _, name := range namedRE.FindAllString(x.Text, -1) {
			found[name] = true
		}
	}
	for name, file := range names(t, "../..") {
		if !found[name] && !slices.Contains(withoutShape, name) {
			t.Errorf("%s: the statement %s was not read", file, name)
		}
	}
	allowed := map[string]int{}
	for _, e := range exceptions {
		for _, r := range strings.Fields(e.rules) {
			name, times, some := strings.Cut(r, "=")
			n := 1
			if some {
				n, _ = strconv.Atoi(times)
			}
			if _, twice := allowed[e.name+" "+name]; twice || e.why == "" {
				t.Errorf("the exception %s %s stands twice, or without a reason", e.name, name)
			}
			allowed[e.name+" "+name] = n
		}
	}
	left := map[string]int{}
	judge := func(x Statement, breaks []Break) {
		counted := map[string]bool{}
		for _, b := range breaks {
			key := x.Name + " " + b.Rule
			if !counted[key] {
				left[key]++
			}
			if counted[key] = true; left[key] > allowed[key] {
				t.Errorf("%s: %s breaks the rule %q: %s (CONTRIBUTING.md, Statements that several machines can run)", x.At, x.Name, b.Rule, b.Detail)
			}
		}
	}
	for _, x := range slices.Concat(list, s.Views) {
		judge(x, Check(x.Text, s))
	}
	for _, x := range s.Functions {
		judge(x, CheckFunction(x, s))
	}
	for key, n := range allowed {
		if left[key] < n {
			t.Errorf("exceptions_test.go has %q %d times, but %d statements break this rule: shorten the list", key, n, left[key])
		}
	}
}

// names returns the names of statements in the Go files, wherever they stand, and a file of each.
func names(t *testing.T, root string) map[string]string {
	t.Helper()
	list := map[string]string{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.Name() == "storetest":
			return filepath.SkipDir
		case !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		b, err := os.ReadFile(path)
		for _, name := range namedRE.FindAllString(string(b), -1) {
			list[name] = path
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// withoutShape are COPY, CREATE DATABASE, and what an upgrade of the embedded server does with each of its tables.
var withoutShape = []string{
	"/* store.InsertFiles */", "/* store.InsertWords */", "/* store.InsertDocWords */", "/* embedded.createDatabase */",
	"/* embedded.analyze */", "/* embedded.checkpoint */", "/* embedded.comparedSettings */", "/* embedded.digest */",
}

// TestFamilies: each table names the column by which its rows would be placed, in its comment, and has this column.
func TestFamilies(t *testing.T) {
	s := schema(t)
	if got := s.tables["urlword"].family + s.tables["urlwords"].family + s.tables["sites"].family; got != "url_idurl_id" {
		t.Fatalf("families of urlword, urlwords and sites: %q", got)
	}
	known := []string{"", "url_id", "url_hash", "word", "word_id"}
	for name, x := range s.tables {
		switch {
		case !x.named:
			t.Errorf(`table %s has no family: end its COMMENT ON TABLE with "Family: url_id.", or "Family: local." for a table with one copy`, name)
		case !slices.Contains(known, x.family):
			t.Errorf("table %s: there is no family %s, only local, %s", name, x.family, strings.Join(known[1:], ", "))
		case x.family != "" && !slices.Contains(x.columns, x.family):
			t.Errorf("table %s of the family %s has no column %s", name, x.family, x.family)
		}
	}
}

// TestRules: each rule finds a statement that breaks it, and none finds one that keeps them.
func TestRules(t *testing.T) {
	s := schema(t)
	for _, c := range []struct{ rules, sql string }{
		{"no-columns", `SELECT EXISTS (SELECT FROM urlword WHERE url_id = $1)`},
		{"", `SELECT EXISTS (SELECT 1 FROM urlword WHERE url_id = $1)`},
		{"no-columns", `SELECT count(*) FROM (SELECT FROM sites) s`},

		{"slice", `UPDATE citation c SET referrers = ($4::integer[])[i.lo:i.hi] FROM unnest($1::integer[], $2::integer[], $3::integer[]) AS i (url_id, lo, hi) WHERE c.url_id = i.url_id`},
		{"slice", `INSERT INTO citation VALUES ($1, $2) ON CONFLICT (url_id) DO UPDATE SET referrers = EXCLUDED.referrers[1:2]`},
		{"", `UPDATE citation SET referrers = ARRAY[$2::integer, 3] WHERE url_id = $1`},

		{"clock", `INSERT INTO urlstate (url_id) VALUES ($1) ON CONFLICT (url_id) DO UPDATE SET last_attempt = now()`},
		{"clock", `INSERT INTO crawl_history (url_id, slot) VALUES ($1, 1) ON CONFLICT (url_id, slot) DO UPDATE SET at = current_timestamp`},
		{"", `INSERT INTO urlstate (url_id, last_attempt) VALUES ($1, now()) ON CONFLICT (url_id) DO UPDATE SET last_attempt = EXCLUDED.last_attempt`},
		{"", `INSERT INTO sitestate (site_id) VALUES ($1) ON CONFLICT (site_id) DO UPDATE SET leased_at = now()`},

		{"time-sum", `UPDATE urlstate SET last_attempt = last_attempt + $2::interval WHERE url_id = $1`},
		{"time-sum", `UPDATE journal SET fetched_at = fetched_at - interval '1 day' WHERE url_id = $1`},
		{"", `UPDATE urlstate SET last_attempt = $2, attempts = attempts + 1 WHERE url_id = $1`},

		{"lock", `SELECT 1 FROM urlword WHERE url_id = ANY($1) ORDER BY url_id FOR UPDATE`},
		{"lock", `SELECT w.url_id FROM named_by n JOIN urlword w ON w.url_id = n.url_id WHERE n.source = $1 FOR SHARE OF w`},
		{"", `SELECT 1 FROM urlword WHERE url_id = $1 FOR UPDATE`},
		{"", `SELECT 1 FROM urlword w JOIN urlstate s USING (url_id) WHERE w.url_id = $1 FOR NO KEY UPDATE`},
		{"", `SELECT 1 FROM sitestate WHERE host = $1 ORDER BY site_id FOR UPDATE SKIP LOCKED`},

		{"sub-select", `INSERT INTO markdel (url_id) VALUES ($1) ON CONFLICT (url_id) DO UPDATE SET links = ARRAY(SELECT unnest(markdel.links))`},
		{"", `INSERT INTO markdel (url_id, links) VALUES ($1, $2) ON CONFLICT (url_id) DO UPDATE SET links = markdel.links || EXCLUDED.links`},

		{"join", `SELECT r.url_id FROM urlword w JOIN urlword r ON r.url_id = w.referrer WHERE w.url_id = $1`},
		{"join", `SELECT w.url FROM urlkey k JOIN urlword w ON w.url_id = k.url_id WHERE k.url_hash = $1`},
		{"join", `SELECT 1 FROM urlword w, urlstate s WHERE s.error_count > w.hops`},
		{"join", `SELECT 1 FROM (SELECT referrer AS url_id FROM urlword) w JOIN urlstate s ON s.url_id = w.url_id`},
		{"join", `DELETE FROM urlstate s USING urlword w WHERE w.redir = s.url_id`},
		{"join", `WITH some AS (SELECT referrer FROM urlword) SELECT s.pace FROM some JOIN urlstate s ON s.url_id = some.referrer`},
		{"", `WITH some AS MATERIALIZED (SELECT referrer FROM urlword) SELECT s.pace FROM some JOIN urlstate s ON s.url_id = some.referrer`},
		{"", `SELECT s.pace FROM urlword w JOIN urlstate s USING (url_id) LEFT JOIN urlwords03 c ON c.url_id = s.url_id`},
		{"", `SELECT s.pace FROM urlword w, urlstate s WHERE w.url_id = $1 AND s.url_id = $1::integer`},
		{"", `SELECT url FROM urlword WHERE url_id = ANY (ARRAY(SELECT url_id FROM urlkey WHERE url_hash = $1))`},
		{"", `SELECT s.site FROM urlword w JOIN sites s ON s.site_id = w.site_id`},
		{"", `SELECT 1 FROM (SELECT url_id AS u FROM urlword) w JOIN urlstate s ON s.url_id = w.u`},
		{"", `SELECT url_id FROM urlword UNION ALL SELECT word_id FROM wordfile`},

		{"correlated", `SELECT i FROM unnest($1::integer[]) i WHERE NOT EXISTS (SELECT 1 FROM urlword w WHERE w.url_id = i)`},
		{"correlated", `SELECT s.site_id, (SELECT count(*) FROM urlword w WHERE w.site_id = s.site_id) FROM sitestate s`},
		{"correlated", `SELECT w.url_id FROM urlword w WHERE EXISTS (SELECT 1 FROM urlword o WHERE o.origin = w.url_id)`},
		{"", `SELECT w.url_id FROM urlword w WHERE NOT EXISTS (SELECT 1 FROM urlstate s WHERE s.url_id = w.url_id AND s.error_count > 0)`},
		{"", `SELECT count(*) FROM urlword WHERE (SELECT count(*) FROM rt_urls) = 0`},

		{"local", `SELECT w.url_id FROM urlword w WHERE NOT EXISTS (SELECT 1 FROM sitestate t WHERE t.site_id = w.site_id AND t.gate = 'h')`},
		{"local", `SELECT w.url_id FROM urlword w WHERE EXISTS (SELECT 1 FROM sites_on_hold h WHERE h.site_id = w.site_id)`},
		{"", `SELECT url_id FROM urlword WHERE site_id <> ALL (ARRAY(SELECT site_id FROM sitestate WHERE gate = 'h'))`},

		{"limit", `SELECT f.urls FROM unnest($1::integer[]) i CROSS JOIN LATERAL (SELECT urls FROM wordfile f WHERE f.word_id = i LIMIT 1) f`},
		{"", `SELECT h.at FROM urlword w CROSS JOIN LATERAL (SELECT at FROM crawl_history c WHERE c.url_id = w.url_id ORDER BY at DESC LIMIT 1) h`},

		{"target", `SELECT (SELECT count(*) FROM docwords), count(*) FROM wordurl`},
		{"", `SELECT (SELECT count(*) FROM docwords), (SELECT count(*) FROM wordurl)`},
		{"wide", `SELECT d.seq FROM docwords d WHERE d.url_id >= $1::bigint AND d.url_id < $2::bigint`},
		{"", `SELECT seq FROM docwords WHERE url_id BETWEEN $1 AND $2 AND seq > $3::bigint`},

		{"recursive", `WITH RECURSIVE way (url_id, next) AS (SELECT url_id, redir FROM urlword WHERE url_id = $1 UNION ALL
			SELECT w.url_id, w.redir FROM way JOIN urlword w ON w.url_id = way.next) SELECT url_id FROM way`},
		{"", `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9) SELECT i FROM n`},

		{"volatile", `UPDATE docwords SET seq = nextval('journal_seq') WHERE url_id = $1`},
		{"volatile", `UPDATE urlstate SET last_attempt = clock_timestamp() WHERE url_id = $1`},
		{"volatile", `DELETE FROM markdel WHERE url_id = $1 AND random() < 0.5`},
		{"", `INSERT INTO journal (seq, url_id) VALUES (nextval('journal_seq'), $1)`},

		{"unknown", `SELECT 1 FROM no_such_table`},
		{"", `SELECT extract(epoch FROM now()), 'it''s; FROM nowhere' /* FROM nowhere */ -- FROM nowhere`},
		{"", `SELECT url_id FROM urlword WHERE crc IS DISTINCT FROM $1 AND hops BETWEEN 1 AND 3`},
		{"", `SELECT coalesce((SELECT max(seq) FROM journal), (SELECT max(seq) FROM markdel), 0)`},
	} {
		if got := ruleNames(Check(c.sql, s)); got != c.rules {
			t.Errorf("%q, want %q: %s", got, c.rules, c.sql)
		}
	}
}

func ruleNames(list []Break) string {
	var names []string
	for _, b := range list {
		names = append(names, b.Rule)
	}
	return strings.Join(slices.Compact(names), " ")
}

// TestFunctions: statements are found in the bodies of functions.
func TestFunctions(t *testing.T) {
	s := schema(t)
	body := `DECLARE n integer; BEGIN
		IF EXISTS (SELECT FROM urlword WHERE url_id = 1) THEN RETURN; END IF;
		FOR n IN SELECT 1 FROM urlword w, urlstate s WHERE w.hops = s.pace LOOP PERFORM 1 FROM no_such_table; END LOOP;
		RETURN QUERY SELECT 1 FROM urlword WHERE url_id = n FOR UPDATE;
	END`
	got := ruleNames(CheckFunction(Statement{Text: body}, s))
	if want := "no-columns join unknown lock"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := fmt.Sprint(CheckFunction(Statement{Text: "SELECT url FROM urlword WHERE url_id = the_id;", SQL: true}, s)),
		"[{sql-function a function in LANGUAGE sql reads urlword}]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestTexts: texts are put together as the compiler does it.
func TestTexts(t *testing.T) {
	s := schema(t)
	list, stray, err := s.Statements("testdata")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, x := range list {
		got = append(got, x.Name+": "+strings.Join(strings.Fields(x.Text), " "))
	}
	want := []string{
		"some.bothSQL: SELECT /* store.Both */ url_id, url FROM urlword w WHERE w.url_id = $7 AND w.hops = 0 AND w.url_id IN (1, 2)",
		"some.eachSQL: DELETE /* store.Each */ FROM urlwordsNN WHERE url_id = $1",
		"some.Do: UPDATE /* store.Do */ urlword SET hops = 1 WHERE hole()",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if len(stray) != 1 || !strings.Contains(stray[0], "some.forgotten: FROM urlstate") {
		t.Errorf("strays: %q", stray)
	}
}
