package e2e

import (
	"fmt"
	"html"
	"strings"
	"testing"

	"github.com/pgseek/pgseek/spider/spidertest"
)

// These tests run the rows B1 to B35, B40 and B41 of docs/reference/promises.md through the whole program: a
// site serves the bad input, index crawls and merges it, and the tables hold what the row says. The site also
// has a good page, which must not be affected (P8). There is one file for each kind: page content, URLs, HTTP
// and configuration.

// neighbours is a world whose site has a front page, a good page, and whatever a test sets beside them.
type neighbours struct {
	*world
	site *spidertest.Site
}

// beside makes neighbours. The front page links to the good page and to the given references; spider are lines of
// spider.cnf.
func beside(t *testing.T, spider string, hrefs ...string) *neighbours {
	t.Helper()
	site := spidertest.NewSite(t)
	n := &neighbours{newWorld(t, "Server "+site.URL+"/\n"), site}
	n.spider(spider)
	var front strings.Builder
	front.WriteString(`<title>front</title><a href="/good.html">good</a>`)
	for _, href := range hrefs {
		fmt.Fprintf(&front, ` <a href="%s">x</a>`, html.EscapeString(href))
	}
	site.HTML("/", front.String())
	site.HTML("/good.html", "<title>good</title>goodneighbour")
	return n
}

// crawl runs index, which must end well with the good page indexed, and returns what it said.
func (n *neighbours) crawl(args ...string) (said string) {
	n.t.Helper()
	code, out, errOut := n.try(args...)
	if code != exitDone {
		n.t.Fatalf("index %s: exit %d\n%s%s", strings.Join(args, " "), code, out, errOut)
	}
	n.want("/good.html", "w.status, w.deleted", "200 0")
	n.words("goodneighbour", "/good.html")
	return errOut
}

// url is a path of the site as the tables have it; an absolute URL stays.
func (n *neighbours) url(path string) string {
	if strings.HasPrefix(path, "/") {
		return n.site.URL + path
	}
	return path
}

// want compares columns of a URL: w is urlword, c its content row, s its urlstate, h its latest crawl_history.
func (n *neighbours) want(path, columns, want string) {
	n.t.Helper()
	got := n.rows(`
		SELECT `+columns+` FROM urlword w LEFT JOIN urlwords c USING (url_id) LEFT JOIN urlstate s USING (url_id)
			LEFT JOIN LATERAL (SELECT * FROM crawl_history WHERE url_id = w.url_id ORDER BY run_id DESC, at DESC LIMIT 1) h ON true
		WHERE w.url = $1`, n.url(path))
	if len(got) != 1 {
		n.t.Errorf("%s: %d rows, want 1; the URLs are %q", path, len(got), n.urls())
		return
	}
	if got[0] != want {
		n.t.Errorf("%s: %s: got %q, want %q; it was tried so: %q", path, columns, got[0], want,
			n.rows(`SELECT h.rule, h.result, h.elapsed_ms, h.cause FROM crawl_history h JOIN urlword w USING (url_id) WHERE w.url = $1`, n.url(path)))
	}
}

// words says by which documents a word is found after the merge.
func (n *neighbours) words(word string, paths ...string) {
	n.t.Helper()
	got := n.rows(`SELECT replace(url, $2, '') FROM word_postings($1) ORDER BY 1`, word, n.site.URL)
	if fmt.Sprint(got) != fmt.Sprint(paths) {
		n.t.Errorf("%q is found in %q, want %q", word, got, paths)
	}
}

// urls are all registered URLs, the site's own as paths.
func (n *neighbours) urls() []string {
	return n.rows(`SELECT replace(url, $1, '') FROM urlword ORDER BY 1`, n.site.URL)
}

// links returns the URLs to which a document links.
func (n *neighbours) links(path string) []string {
	return n.rows(`
		SELECT replace(t.url, $2, '') FROM urlwords c JOIN urlword w USING (url_id) CROSS JOIN unnest(c.hrefs) h
			JOIN urlword t ON t.url_id = h
		WHERE w.url = $1 ORDER BY 1`, n.url(path), n.site.URL)
}

// check compares the single row of a query.
func (n *neighbours) check(what, want, query string, args ...any) {
	n.t.Helper()
	if got := n.one(query, args...); got != want {
		n.t.Errorf("%s: got %q, want %q", what, got, want)
	}
}
