package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pgseek/pgseek/spider/spidertest"
)

// TestMendLinks: links that name nothing, as a server that lost commits leaves them, are mended by -X2 and the next crawl, also
// when no page has changed (SR-19).
func TestMendLinks(t *testing.T) {
	t.Parallel()
	site := spidertest.NewSite(t)
	w := newWorld(t, "Server "+site.URL+"/\n")
	site.Set("/", spidertest.Page{Body: `<a href="/a">a</a> <a href="/noindex">n</a> <a href="/away">m</a>`, ETag: `"1"`})
	site.Set("/a", spidertest.Page{Body: `apple <a href="/lost">lost</a> <a href="/">up</a>`, ETag: `"1"`})
	site.HTML("/noindex", `<meta name=robots content=noindex><a href="/lost2">lost</a>`)
	site.Set("/away", moved("/lost3"))
	w.index()
	links := func() []string {
		return w.rows(`SELECT f.url, t.url FROM urlwords c JOIN urlword f USING (url_id) CROSS JOIN unnest(c.hrefs) h JOIN urlword t ON t.url_id = h ORDER BY 1, 2`)
	}
	cited := func() []string {
		return w.rows(`SELECT t.url, f.url FROM citation c JOIN urlword t USING (url_id) CROSS JOIN unnest(c.referrers) r JOIN urlword f ON f.url_id = r ORDER BY 1, 2`)
	}
	wantLinks, wantCited := links(), cited()
	if len(wantLinks) != 7 || len(wantCited) != 7 {
		t.Fatalf("links %q, cited %q", wantLinks, wantCited)
	}

	w.loseRegistrations()
	w.rows(`UPDATE urlwords01 SET hrefs = hrefs || hrefs WHERE url_id = (SELECT url_id FROM urlword WHERE url LIKE '%/')`)
	for _, c := range []struct{ path, body string }{{"/lost", "quince"}, {"/lost2", "pear"}, {"/lost3", "plum"}} {
		site.HTML(c.path, c.body)
	}
	code, out, _ := w.try("-X1")
	if code != exitDamaged || !strings.Contains(out, "which is not there; index -X2, then index, reads the page's links again") {
		t.Errorf("-X1: exit %d\n%s", code, out)
	}
	if code, out, errOut := w.try("-X2"); code != exitDone {
		t.Errorf("-X2: exit %d\n%s%s", code, out, errOut)
	}
	w.check()
	if code, out, _ := w.try("-X1"); code != exitDone {
		t.Errorf("-X1 after -X2: exit %d\n%s", code, out)
	}
	w.index()
	if diff := cmp.Diff(wantLinks, links()); diff != "" {
		t.Errorf("links (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(wantCited, cited()); diff != "" {
		t.Errorf("citation (-want +got):\n%s", diff)
	}
	if got := w.rows(`SELECT word FROM wordurl WHERE word IN ('quince', 'pear', 'plum') AND urlcount > 0 ORDER BY 1`); len(got) != 3 {
		t.Errorf("found %q of the lost pages", got)
	}
	w.index("-X1")
}

// loseRegistrations forgets the URLs of /lost, but not the pages that link there.
func (w *world) loseRegistrations() {
	w.t.Helper()
	w.rows(`CREATE TABLE gone AS SELECT url_id FROM urlword WHERE url LIKE '%/lost%'`)
	for _, table := range []string{"urlkey", "urlstate", "crawl_history", "urlword"} {
		w.rows(`DELETE FROM ` + table + ` WHERE url_id IN (SELECT url_id FROM gone)`)
	}
	w.rows(`DROP TABLE gone`)
}

// TestKillMendLinks kills -X2 after each set of pages of which it mended the links. The next -X2 mends the rest, and the crawl after
// it reads all links again (P2).
func TestKillMendLinks(t *testing.T) {
	t.Parallel()
	program := withFailPoints(t)
	site := spidertest.NewSite(t)
	var front strings.Builder
	const pages = 110 // more than a set
	for i := range pages {
		path := fmt.Sprintf("/p%d", i)
		fmt.Fprintf(&front, `<a href="%s">x</a>`, path)
		site.HTML(path, path+` <a href="/lost">lost</a>`)
	}
	site.HTML("/", front.String())
	site.Set("/lost", spidertest.Page{Status: 500}) // has nothing in the index that could be damaged
	sets := "Server " + site.URL + "/\n"
	fill := newWorld(t, sets)
	fill.index()
	for nth, broken := range map[int]string{1: fmt.Sprint(pages - 100), 2: "0"} {
		if nth > 1 && !soak() {
			continue
		}
		w := fill.copy(t, sets)
		w.loseRegistrations()
		if !w.died(program, fmt.Sprintf("FAILPOINT=mend.after-links:%d=kill", nth), "-X2") {
			t.Fatalf("-X2 does not come to set %d", nth)
		}
		if got := w.one(`SELECT count(*) FROM urlwords c WHERE EXISTS (SELECT FROM unnest(hrefs) h WHERE h NOT IN (SELECT url_id FROM urlword))`); got != broken {
			t.Errorf("after set %d: %s pages have such links, want %s", nth, got, broken)
		}
		w.index("-X2")
		w.check()
		w.index("-X1")
		w.index()
		if got := w.one(`SELECT cardinality(referrers) FROM citation JOIN urlword USING (url_id) WHERE url LIKE '%/lost'`); got != fmt.Sprint(pages) {
			t.Errorf("set %d: %s pages link to /lost, want %d", nth, got, pages)
		}
		w.index("-X1")
	}
}
