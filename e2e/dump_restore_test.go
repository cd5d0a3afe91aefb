package e2e

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pgseek/pgseek/spider/spidertest"
	"github.com/pgseek/pgseek/store/storetest"
)

// TestDumpRestoreAndGoOn dumps a database, restores it elsewhere and continues with both. The restored one
// must be sound, and after the same crawl and merge both must have the same content. The dump contains
// unmerged changes, real-time documents, subsets and spaces. pg_dump empties the search path during a
// restore, so code that runs then must not depend on it.
func TestDumpRestoreAndGoOn(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		dump    []string
		restore []string // the dump's name and the connection string follow
	}{
		{"custom", []string{"pg_dump", "--format=custom"}, []string{"pg_restore", "--exit-on-error", "--no-owner", "--single-transaction"}},
		{"plain", []string{"pg_dump", "--format=plain", "--no-owner"}, []string{"psql", "-X", "--quiet", "--set=ON_ERROR_STOP=1", "--single-transaction"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			site := dumpedSite(t)
			sets := "Server " + site.URL + "/\n"
			w := newWorld(t, sets)
			w.liveBeforeDump(site)

			file := filepath.Join(t.TempDir(), "dump")
			w.postgres(slices.Concat(c.dump, []string{"--file=" + file, "--dbname=" + w.dsn})...)
			dsn := storetest.Empty(t)
			to := "--dbname=" + dsn
			if c.restore[0] == "psql" {
				w.postgres(slices.Concat(c.restore, []string{"--file=" + file, to})...)
			} else {
				w.postgres(slices.Concat(c.restore, []string{to, file})...)
			}
			r := &world{t: t, dir: t.TempDir(), dsn: dsn, pool: storetest.Connect(t, dsn)}
			t.Cleanup(func() { storetest.CheckInvariants(t, dsn) })
			r.sets(sets)
			r.spider("")
			r.check()
			if d := cmp.Diff(w.allThatIsSaid(), r.allThatIsSaid()); d != "" {
				t.Fatalf("restored (-dumped +restored):\n%s", d)
			}

			// The restored database continues at once and the undisturbed one after it, so that both see the
			// same site.
			for _, v := range []*world{r, w} {
				v.check()
				v.index("-D")
			}
			if d := cmp.Diff(w.allThatIsSaid(), r.allThatIsSaid()); d != "" {
				t.Fatalf("after a merge (-undisturbed +restored):\n%s", d)
			}
			site.HTML("/docs/a.html", "apple changed once more")
			site.HTML("/docs/new.html", "a page that came later")
			site.Remove("/docs/b.html")
			for _, v := range []*world{r, w} {
				v.index("-a")
				v.index("-T", site.URL+"/late.html")
				v.index("--purge-lost=1")
				v.index("-D")
				if out := v.index("-B"); strings.Contains(out, ";") { // which comes before what differed
					t.Errorf("index -B:\n%s", out)
				}
				if out := v.index("-U"); strings.Contains(out, "was") {
					t.Errorf("index -U:\n%s", out)
				}
				v.check()
			}
			if d := cmp.Diff(w.allThatIsSaid(), r.allThatIsSaid()); d != "" {
				t.Errorf("after a crawl (-undisturbed +restored):\n%s", d)
			}
		})
	}
}

// dumpedSite returns a site with clones, a redirect, large words and a page for index -T.
func dumpedSite(t *testing.T) *spidertest.Site {
	site := spidertest.NewSite(t)
	var links strings.Builder
	for n := range 150 { // "common" gets more than 1000 bytes of postings
		path := fmt.Sprintf("/p/%d.html", n)
		fmt.Fprintf(&links, `<a href="%s">page</a> `, path)
		site.HTML(path, fmt.Sprintf("common words, and number%d", n))
	}
	site.HTML("/", `<title>Root</title>`+links.String()+`<a href="/docs/a.html">a</a> <a href="/docs/b.html">b</a> <a href="/docs/new.html">new</a>
		<a href="/copy1">1</a> <a href="/copy2">2</a> <a href="/moved">moved</a>`)
	site.HTML("/docs/a.html", "apple")
	site.HTML("/docs/b.html", "banana")
	site.HTML("/copy1", "the same text")
	site.HTML("/copy2", "the same text")
	site.Set("/moved", spidertest.Page{Status: 301, Header: map[string]string{"Location": "/docs/a.html"}})
	site.HTML("/late.html", "late but at once")
	return site
}

// liveBeforeDump fills a database with every kind of data.
func (w *world) liveBeforeDump(site *spidertest.Site) {
	w.t.Helper()
	w.rows(`INSERT INTO subsets (mask) VALUES ($1), ('%/docs/%')`, site.URL+"/%")
	w.index()
	w.index("-A", "7", "-u", site.URL+"/")
	site.HTML("/docs/a.html", "apple changed")
	site.Set("/copy1", spidertest.Page{Status: 404})
	w.index("-a", "--no-merge")
	w.index("-T", site.URL+"/late.html")
	w.check()
	if w.one(`SELECT (SELECT count(*) > 0 FROM wordfile) AND (SELECT count(*) > 1 FROM journal) AND (SELECT count(*) > 0 FROM markdel)
		AND (SELECT count(*) > 0 FROM rt_urls)`) != "true" {
		w.t.Fatal("the dump has not all in it that it should have")
	}
	w.rows(`CREATE SCHEMA report`) // what a DBA has made of ours is refreshed with an empty search path
	for name, from := range map[string]string{"common": "word_postings('common')", "chains": "redirect_chains", "found": "search('apple')"} {
		w.rows(fmt.Sprintf(`CREATE MATERIALIZED VIEW report.%s AS SELECT * FROM %s`, name, from))
	}
}

// allThatIsSaid returns what the database shows: the dump of storetest, the groups of a search, and the
// reports for operators.
func (w *world) allThatIsSaid() []string {
	w.t.Helper()
	lines := storetest.Dump(w.t, w.dsn)
	for _, query := range []string{
		`SELECT 'subset', s.mask, u.url FROM subsets s, subset_documents(s.subset_id) d, urlword u WHERE u.url_id = d.url_id ORDER BY 2, 3`,
		`SELECT 'space', p.space_id, s.site FROM spaces p JOIN sites s USING (site_id) ORDER BY 2, 3`,
		`SELECT 'totals', documents, words, postings, positions FROM totals`,
		`SELECT 'words of', u.url, d.word, d.cnt, d.positions FROM urlword u, doc_words(u.url_id) d ORDER BY 2, 3`,
		`SELECT 'reported', (SELECT count(*) FROM report.common), (SELECT count(*) FROM report.chains), (SELECT count(*) FROM report.found)`,
		`SELECT 'real time', u.url FROM rt_urls r JOIN urlword u USING (url_id) ORDER BY 2`,
	} {
		lines = append(lines, w.rows(query)...)
	}
	return lines
}

// postgres runs one of PostgreSQL's programs, of the server's version.
func (w *world) postgres(args ...string) {
	w.t.Helper()
	name := args[0]
	folder := fmt.Sprintf("/usr/lib/postgresql/%s/bin", w.one(`SELECT current_setting('server_version_num')::integer / 10000`))
	if _, err := os.Stat(filepath.Join(folder, name)); err == nil {
		name = filepath.Join(folder, name)
	}
	out, err := exec.CommandContext(context.Background(), name, args[1:]...).CombinedOutput()
	if err != nil {
		w.t.Fatalf("%s: %v\n%s", strings.Join(args, " "), err, out)
	}
}
