package e2e

import (
	"errors"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
)

// TestFilesSearch limits searches to the site of files by its name, and to folders of it.
func TestFilesSearch(t *testing.T) {
	t.Parallel()
	root := fileTree(t, map[string]string{"reports/readme.txt": "walrus one", "reports/a b.txt": "walrus two", "other.txt": "walrus three"})
	w := newWorld(t, "Server "+fileURL(root+"/")+"\n")
	w.spider("FileRoot " + root)
	w.crawl()
	first := "/" + strings.Split(root, "/")[1] + "/"
	for _, c := range []struct {
		name string
		args []string
		want int
	}{
		{"A1: the first folder", []string{"--path", first}, 3},
		{"A1: a folder", []string{"--path", root + "/reports/"}, 2},
		{"A1: a file with a blank", []string{"--path", root + "/reports/a b"}, 1},
		{"A1: everything", []string{"--path", "/"}, 3},
		{"A1: another folder", []string{"--path", "/none/"}, 0},
		{"A4: --site", []string{"--site", "file:///"}, 3},
		{"A4: --site, short", []string{"--site", "file"}, 3},
		{"A4: --ul", []string{"--ul", "file:///"}, 3},
		{"A4: --ul, short", []string{"--ul", "file"}, 3},
		{"A4: --xs", []string{"--xs", "file:///"}, 0},
		{"A4: --site and --path", []string{"--site", "file", "--path", root + "/reports/"}, 2},
	} {
		out := w.index(append([]string{"--search", "walrus"}, c.args...)...)
		if n := strings.Count(out, "     file:///"); n != c.want || strings.Contains(out, "has no site") {
			t.Errorf("%s: %d documents, want %d: %s", c.name, n, c.want, out)
		}
	}
	for query, want := range map[string]int{"walrus site:file:///": 3, "walrus site:file": 3, "walrus -site:file:///": 0, "walrus site:www.file": 0} {
		if n := strings.Count(w.index("--search", query), "     file:///"); n != want {
			t.Errorf("A4: %s: %d documents, want %d", query, n, want)
		}
	}
	for _, c := range []struct{ args, want string }{
		{"walrus one", `"one" is no configuration; if it belongs to the query, put the query in quotes: --search "walrus one"`},
		{"walrus one two", `put the query in quotes: --search "walrus one two"`},
	} {
		if code, _, out := w.try(append([]string{"--search"}, strings.Fields(c.args)...)...); code == 0 || !strings.Contains(out, c.want) {
			t.Errorf("B4: --search %s: exit code %d: %s; want %s", c.args, code, out, c.want)
		}
	}
	if out := w.index("--search", "walrus", "--path", "/none/"); !strings.Contains(out, "in none that passes the filters") || strings.Contains(out, "index -S") {
		t.Errorf("B8: %s", out)
	}
	if out := w.index("--search", "frobnicator", "--path", "/none/"); strings.Contains(out, "filters") || !strings.Contains(out, "index -S") {
		t.Errorf("B8: %s", out)
	}
	for site, want := range map[string]string{"file": "3", "file://": "3", "file:///": "3"} {
		if n := w.one(`SELECT count(*)::text FROM search('walrus', site => '` + site + `')`); n != want {
			t.Errorf("A4: SQL site => %q: %s documents, want %s", site, n, want)
		}
	}
	for _, c := range []struct{ call, want string }{
		{"search('walrus', type => '.TXT')", "3"},
		{"search('walrus', type => 'html, text')", "3"},
		{"search('walrus', type => 'htm')", "0"},
		{"search('walrus', site => 'unknown.example')", "0"},
		{"search('walrus', site => 'file', ranking => 'aspseek')", "3"},
	} {
		if n := w.one("SELECT count(*)::text FROM " + c.call); n != c.want {
			t.Errorf("B12: %s: %s documents, want %s", c.call, n, c.want)
		}
	}
	for _, call := range []string{"search('site:foo walrus')", "search('site:foo walrus', ranking => 'aspseek')", "search_facets('site:foo walrus')"} {
		_, err := w.pool.Exec(t.Context(), "SELECT * FROM "+call)
		var wrong *pgconn.PgError
		if !errors.As(err, &wrong) || wrong.Hint == "" || strings.Count(wrong.Where, "\n") > 4 || len(wrong.Where) > 400 {
			t.Errorf("B12: %s: %v; its context: %s", call, err, wrong.Where)
		}
	}
}
