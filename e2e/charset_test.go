package e2e

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pgseek/pgseek/spider/spidertest"
)

// TestCharset: Charset is that of pages that declare none. A changed line reads known documents again at their next visit (T-16), also
// a page that answers 304; a rebuild and the checks read them as they were read.
func TestCharset(t *testing.T) {
	t.Parallel()
	site := spidertest.NewSite(t)
	const hello = "\xcf\xf0\xe8\xe2\xe5\xf2" // Привет in windows-1251, оПХБЕР in KOI8-R
	page := func(head, text string) spidertest.Page {
		return spidertest.Page{Type: "text/html", ETag: `"1"`, Body: head + "<title>" + text + "</title>" + text + `<a href="/utf">a</a><a href="/meta">b</a>`}
	}
	site.Set("/", page("", hello))
	site.Set("/utf", page("", "Здравствуйте"))
	site.Set("/meta", page("<meta charset=windows-1251>", hello+" meta"))
	server := "Server " + site.URL + "/\n"
	w := newWorld(t, "Charset koi8-r\n"+server)
	w.index()
	documents := func(start ...string) {
		t.Helper()
		want := append(start, "utf-8 Здравствуйте", "windows-1251 Привет meta")
		got := w.rows(`SELECT u.charset, u.title FROM urlwords u JOIN urlword w USING (url_id) WHERE w.status = 200 ORDER BY 1, 2`)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		w.index("-X1")
	}
	documents("koi8-r оПХБЕР")

	w.sets("Charset windows-1251\n" + server)
	w.index("--rebuild-index")
	documents("koi8-r оПХБЕР")
	w.index("-a")
	got := w.rows(`SELECT u.charset, u.title FROM urlwords u JOIN urlword w USING (url_id) ORDER BY url_id`)
	if !slices.Equal(got, []string{"windows-1251 Привет", "utf-8 Здравствуйте", "windows-1251 Привет meta"}) {
		t.Errorf("by another line: %q", got)
	}
	if got := w.one(`SELECT count(*) FROM crawl_history WHERE rule = 'T-16'`); got != "3" {
		t.Errorf("%s documents were read again (T-16), want 3", got)
	}
	if got := w.best("привет"); len(got) != 2 {
		t.Errorf("found %v", got)
	}
	w.index("-X1")
	w.index("--rebuild-index")
	w.index("-X1")
	w.index("-a")
	if got := w.one(`SELECT count(*) FROM crawl_history WHERE rule = 'T-16'`); got != "3" {
		t.Errorf("%s documents were read again (T-16) without a change, want 3", got)
	}
}

// TestReplaceAndHTTPHeader: links, redirects, canonical pages and entries of sitemaps are rewritten before anything looks at them. A
// redirect to what is rewritten to its own page is followed as it is. HTTPHeader is sent with each request.
func TestReplaceAndHTTPHeader(t *testing.T) {
	t.Parallel()
	site := spidertest.NewSite(t)
	site.Set("/robots.txt", spidertest.Page{Type: "text/plain", Body: "Sitemap: /map.txt\n"})
	site.Set("/map.txt", spidertest.Page{Type: "text/plain", Body: site.URL + "/map;sid=77\n" + strings.Replace(site.URL, "127.0.0.1", "127.0.0.2", 1) + "/elsewhere\n"})
	site.HTML("/", `<a href="/a;sid=1">a</a> <a href="/a;SID=2">a</a> <a href="/session">s</a> <a href="/moved">m</a>
		<a href="`+strings.Replace(site.URL, "127.0.0.1", "old.invalid", 1)+`/b">b</a> <a href="/drop/x">d</a>`)
	site.HTML("/a", `<link rel=canonical href="/a;sid=5">page a`)
	site.Set("/session", movedTo("/session;sid=3"))
	site.Set("/moved", movedTo("/target;sid=4"))
	for _, path := range []string{"/map", "/session;sid=3", "/target", "/b"} {
		site.HTML(path, "page "+path)
	}
	w := newWorld(t, `Replace ;sid=\d+`+"\n"+`Replace ^http://old\.invalid(:\d+/) http://127.0.0.1\1`+"\n"+
		`Replace ^.*/drop/.*$ mailto:x@a.example`+"\nServer "+site.URL+"/\n")
	w.spider("HTTPHeader Accept-Language: de, en;q=0.5\nHTTPHeader X-Ours: a \"b\"\n")
	w.index()
	want := []string{"/ 200", "/a 200", "/b 200", "/map 200", "/moved 301", "/session 301", "/session;sid=3 200", "/target 200"}
	if got := w.rows(`SELECT replace(url, $1, ''), status & 65535 FROM urlword ORDER BY url`, site.URL); !slices.Equal(got, want) {
		t.Errorf("URLs: %q\nwant  %q", got, want)
	}
	if got := w.one(`SELECT count(*) FROM urlword WHERE redir <> 0`); got != "2" {
		t.Errorf("%s redirects lead to a page, want 2", got)
	}
	for _, r := range site.Requests() {
		if r.Header.Get("Accept-Language") != "de, en;q=0.5" || r.Header.Get("X-Ours") == "" {
			t.Errorf("%s: %v", r.Path, r.Header)
		}
	}
	w.index("-X1")
	w.sets("Server " + site.URL + "/\n") // links are read again
	w.index("-a")
	if got := w.one(`SELECT count(*) FROM urlword WHERE url ~* ';sid='`); got != "6" {
		t.Errorf("%s URLs with a session, want 6", got)
	}
	w.check()
}
