package e2e

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pgseek/pgseek/spider/spidertest"
	"github.com/pgseek/pgseek/store/storetest"
)

// Sitemaps, from outside: what robots.txt and sets.cnf name is read before the pages of a site, and what a sitemap names is
// crawled and counts as reached.

// urlset is a sitemap of some paths of a site. "/a 2026-11-02" is a path with its lastmod.
func urlset(site string, entries ...string) string {
	var b strings.Builder
	b.WriteString("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n")
	for _, e := range entries {
		path, date, _ := strings.Cut(e, " ")
		if strings.HasPrefix(path, "/") {
			path = site + path
		}
		fmt.Fprintf(&b, "<url><loc>%s</loc>", path)
		if date != "" {
			fmt.Fprintf(&b, "<lastmod>%s</lastmod>", date)
		}
		b.WriteString("</url>\n")
	}
	return b.String() + "</urlset>\n"
}

// sitemapIndex is an index file of some paths of a site.
func sitemapIndex(site string, paths ...string) string {
	var b strings.Builder
	b.WriteString("<sitemapindex xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n")
	for _, p := range paths {
		fmt.Fprintf(&b, "<sitemap><loc>%s%s</loc></sitemap>\n", site, p)
	}
	return b.String() + "</sitemapindex>\n"
}

func gzipped(s string) spidertest.Page {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write([]byte(s)) // a Buffer takes it all
	_ = z.Close()
	return spidertest.Page{Type: "application/x-gzip", Body: b.String()}
}

// unlinked is a site whose start page has no links. Its robots.txt names an index file of two compressed sitemaps, which name
// pages /p/0 to /p/9 and what is to be refused.
func unlinked(t *testing.T) *spidertest.Site {
	site := spidertest.NewSite(t)
	site.HTML("/", "the start page")
	var half [2][]string
	for i := range 10 {
		path := fmt.Sprintf("/p/%d", i)
		site.HTML(path, fmt.Sprintf("page number%d of the site", i))
		half[i%2] = append(half[i%2], path)
	}
	half[0] = append(half[0], "/private/a", "/private/b", "http://elsewhere.example/x", "/x.zip", "/y.iso", "/p/0", "no-url")
	site.Set("/robots.txt", spidertest.Page{Type: "text/plain", Body: "User-agent: *\nDisallow: /private\nSitemap: " + site.URL + "/sitemap_index.xml\n"})
	site.Set("/sitemap_index.xml", spidertest.Page{Type: "text/xml", Body: sitemapIndex(site.URL, "/0.xml.gz", "/1.xml.gz"), ETag: `"one"`})
	for i := range half {
		page := gzipped(urlset(site.URL, half[i]...))
		page.ETag = `"one"`
		site.Set(fmt.Sprintf("/%d.xml.gz", i), page)
	}
	return site
}

// live is the number of live documents.
func (w *world) live() string {
	return w.one(`SELECT count(*) FROM urlword WHERE deleted = 0 AND status = 200`)
}

// names is what the sitemaps of a world name, by sitemap.
func (w *world) names(site string) string {
	return strings.Join(w.rows(`SELECT replace(s.url, $1, '') || ':', string_agg(replace(w.url, $1, ''), ' ' ORDER BY w.url)
		FROM named_by n JOIN sitemaps s ON s.sitemap_id = n.source JOIN urlword w USING (url_id) WHERE n.kind = 'sitemap' GROUP BY s.url ORDER BY s.url`, site), "; ")
}

const (
	namedPages  = "/0.xml.gz: /p/0 /p/2 /p/4 /p/6 /p/8; /1.xml.gz: /p/1 /p/3 /p/5 /p/7 /p/9"
	namedByZero = "/0.xml.gz: /p/0 /p/2 /p/4 /p/6 /p/8"
)

// TestSitemap crawls a site that only its sitemaps name, and follows it through what becomes of them. (1) All pages are found.
// (2) --respider reaches them, also when no sitemap can be had, and --orphans purge removes nothing. (3) What the sitemap does not
// name any more is an orphan.
func TestSitemap(t *testing.T) {
	t.Parallel()
	site := unlinked(t)
	w := newWorld(t, "Disallow \\.zip$\nServer "+site.URL+"/\n")
	code, _, errOut := w.try()
	if code != exitDone || !strings.Contains(errOut, "sitemaps=3 sitemap_entries=19 sitemap_refused=6 sitemaps_failed=0") {
		t.Errorf("exit %d\n%s", code, errOut)
	}
	if got := w.live(); got != "11" {
		t.Errorf("%s documents, want the start page and 10 that only sitemaps name", got)
	}
	if got := w.names(site.URL); got != namedPages {
		t.Errorf("named: %s", got)
	}
	want := "2 robots.txt line 2: Disallow: /private (" + site.URL + "/private/a), 1 another host (http://elsewhere.example/x), "
	if got := w.one(`SELECT refusals FROM sitemaps WHERE url LIKE '%/0.xml.gz'`); !strings.HasPrefix(got, want) {
		t.Errorf("refusals %s, want %s...", got, want)
	}
	said := w.index("-S", "--sites")
	for _, text := range []string{"         3         0        17        11         6  " + site.URL + "/", "refused: " + want} {
		if !strings.Contains(said, text) {
			t.Errorf("-S --sites does not say %q:\n%s", text, said)
		}
	}
	said = w.index("--explain", site.URL+"/p/1")
	for _, text := range []string{"sitemap " + site.URL + "/1.xml.gz (an index file, read at ", "Sitemaps      3 of its site with 17 URLs, 6 refused ("} {
		if !strings.Contains(said, text) {
			t.Errorf("--explain does not say %q:\n%s", text, said)
		}
	}
	if n := site.Count()["/private/a"]; n != 0 {
		t.Error("what robots.txt forbids was asked for")
	}

	site.Forget()
	w.crawl() // nothing is due
	if n := site.Count(); n["/sitemap_index.xml"]+n["/0.xml.gz"] != 0 {
		t.Errorf("sitemaps that are not due were asked for: %v", n)
	}
	w.pass(40 * orphanDay)
	site.Forget()
	w.crawl("--respider")
	for _, r := range site.Requests() {
		if strings.Contains(r.Path, ".xml") && (!r.Conditional() || r.Status != 304) {
			t.Errorf("%s: %d, conditional %v", r.Path, r.Status, r.Conditional())
		}
	}
	if n := site.Count(); n["/p/0"] != 1 || n["/p/9"] != 1 {
		t.Errorf("--respider did not visit what sitemaps name: %v", n)
	}

	old := site.Page("/sitemap_index.xml")
	site.Set("/sitemap_index.xml", spidertest.Page{Status: 404})
	site.Set("/0.xml.gz", spidertest.Page{Status: 500})
	site.Set("/1.xml.gz", spidertest.Page{Type: "text/html", Body: "<html>not found"})
	w.pass(40 * orphanDay)
	site.Forget()
	w.crawl("--respider")
	if n := site.Count(); n["/p/0"] != 1 || n["/p/9"] != 1 {
		t.Errorf("without sitemaps --respider did not visit what they named: %v", n)
	}
	w.index("--orphans", "purge")
	if got := w.live() + " " + w.names(site.URL); got != "11 "+namedPages {
		t.Errorf("%s", got)
	}
	w.one(`WITH s AS (UPDATE urlstate SET last_attempt = 'epoch' RETURNING url_id)
		UPDATE urlword w SET last_index_time = 1 FROM s WHERE w.url_id = s.url_id AND url LIKE '%/p/9' RETURNING 1`) // as if the run had not reached it
	if got := w.one(`SELECT (SELECT count(*) FROM unreached), (SELECT count(*) FROM orphans)`); got != "1 0" {
		t.Errorf("unreached and orphans %s, want 1 0: the sitemap names it", got)
	}

	old.Body, old.ETag = sitemapIndex(site.URL, "/0.xml.gz"), `"two"`
	site.Set("/sitemap_index.xml", old)
	w.pass(40 * orphanDay)
	w.crawl("--respider")
	if got := w.names(site.URL); got != namedByZero {
		t.Errorf("named: %s", got)
	}
	if got, want := w.one(orphanNames, site.URL), "/p/1 /p/3 /p/5 /p/7 /p/9"; got != want {
		t.Errorf("orphans %s, want %s", got, want)
	}
}

// TestSitemapLines verifies Sitemap URL and Sitemap no of sets.cnf, and every form of a sitemap.
func TestSitemapLines(t *testing.T) {
	t.Parallel()
	site := unlinked(t)
	site.Set("/list.txt", spidertest.Page{Type: "text/plain", Body: "\ufeff" + site.URL + "/t/1\r\n" + site.URL + "/t/2\r\n"})
	site.Set("/feed", spidertest.Page{
		Status: 302, Header: map[string]string{"Location": "/feed.rss"},
	})
	site.Set("/feed.rss", spidertest.Page{Type: "application/rss+xml", Body: "<rss><channel><item><link>" + site.URL + "/f/1</link></item></channel></rss>"})
	for _, path := range []string{"/t/1", "/t/2", "/f/1"} {
		site.HTML(path, "page "+path)
	}
	w := newWorld(t, fmt.Sprintf("Disallow \\.zip$ /p/9\nSitemap %[1]s/list.txt\nSitemap %[1]s/feed\nServer %[1]s/\n", site.URL))
	w.index()
	without9 := strings.TrimSuffix(namedPages, " /p/9")
	if got, want := w.names(site.URL), without9+"; /feed: /f/1; /list.txt: /t/1 /t/2"; got != want || w.live() != "13" {
		t.Errorf("%s documents, named %s", w.live(), got)
	}
	w.sets("Disallow \\.zip$ /p/9\nSitemap no\nServer " + site.URL + "/\n")
	w.pass(time.Hour)
	w.index("--respider")
	if got := w.one(`SELECT (SELECT count(*) FROM sitemaps), (SELECT count(*) FROM named_by), (SELECT count(*) FROM orphans)`); got != "0 0 12" {
		t.Errorf("sitemaps, what they name, and orphans: %s, want 0 0 12", got)
	}
	w.sets("Disallow \\.zip$ /p/9\nServer " + site.URL + "/\n")
	w.pass(time.Hour)
	w.index("--respider")
	if got := w.names(site.URL) + " " + w.one(orphanNames, site.URL); got != without9+" /f/1 /t/1 /t/2" {
		t.Errorf("named and orphans: %s", got)
	}
	w.sets("Disallow \\.zip$\nServer " + site.URL + "/\n") // other rules: the entries are tested again, without waiting for the next look
	w.pass(time.Second)
	w.index()
	if got := w.names(site.URL); got != namedPages || w.live() != "14" {
		t.Errorf("%s documents, named %s", w.live(), got)
	}
}

// TestSitemapOfASiteWithoutServer verifies that a link to a site which has no Server line does not bring all of that site.
func TestSitemapOfASiteWithoutServer(t *testing.T) {
	t.Parallel()
	site, other := spidertest.NewSite(t), unlinked(t)
	site.HTML("/", `<a href="`+other.URL+`/">x</a>`)
	w := newWorld(t, "MaxHops 1\nFollowOutside yes\nServer "+site.URL+"/\n")
	w.spider("AllowNetwork 127.0.0.0/8\n")
	w.index()
	if got := w.live() + " " + w.one(`SELECT count(*) FROM sitemaps`); got != "2 0" {
		t.Errorf("documents and sitemaps: %s, want the two start pages, and no sitemap", got)
	}
}

// TestSitemapLastmod verifies that lastmod makes a page due, and that it decides nothing else.
func TestSitemapLastmod(t *testing.T) {
	t.Parallel()
	site := spidertest.NewSite(t)
	site.HTML("/", `<a href="/a">a</a> <a href="/b">b</a> <a href="/c">c</a>`)
	for _, p := range []string{"/a", "/b", "/c"} {
		site.HTML(p, "page "+p)
	}
	site.Set("/s.xml", spidertest.Page{Type: "text/xml", Body: urlset(site.URL, "/a", "/b", "/c")})
	w := newWorld(t, fmt.Sprintf("Sitemap %[1]s/s.xml\nServer %[1]s/\n", site.URL))
	w.index()
	w.pass(2 * orphanDay)
	yesterday := time.Now().Add(-orphanDay).UTC().Format(time.RFC3339)
	site.Set("/s.xml", spidertest.Page{Type: "text/xml", Body: urlset(site.URL, "/a "+yesterday, "/b 2020-01-01", "/c 2099-01-01")})
	site.HTML("/b", "page b has changed")
	site.Forget()
	w.crawl()
	if n := site.Count(); n["/a"] != 1 || n["/b"] != 0 || n["/c"] != 0 {
		t.Errorf("requests %v, want /a alone, which was modified after its last visit", n)
	}
	site.Forget()
	w.pass(2 * time.Hour)
	w.crawl("-a")
	if n := site.Count(); n["/a"] != 1 || n["/b"] != 1 || n["/c"] != 1 || n["/s.xml"] != 1 {
		t.Errorf("requests %v", n)
	}
	if got := w.one(`SELECT count(*) FROM crawl_history h JOIN urlword w USING (url_id) WHERE w.url LIKE '%/b' AND h.rule = 'T-04'`); got != "1" {
		t.Error("a page that has changed was not read, because its sitemap says nothing")
	}
}

// TestBadSitemaps serves what can be wrong with a sitemap: B60, B61, B62 and B63. Each has its site.
func TestBadSitemaps(t *testing.T) {
	t.Parallel()
	moved := func(to string) spidertest.Page {
		return spidertest.Page{Status: 301, Header: map[string]string{"Location": to}}
	}
	xml := func(body string) spidertest.Page { return spidertest.Page{Type: "text/xml", Body: body} }
	cases := []struct {
		name  string
		pages func(site *spidertest.Site)
		row   string // status, error line and error of /s.xml
		named string
		say   string
	}{
		{"B60: broken", func(s *spidertest.Site) {
			s.Set("/s.xml", xml("<urlset>\n<url><loc>"+s.URL+"/a</loc></url>\n<url><loc>"+s.URL+"/?a=1&b=2</loc></url></urlset>"))
		}, "200 3 XML: invalid character entity &b (no semicolon)", "/s.xml: /a", `line=3 cause="XML: invalid character entity &b (no semicolon)"`},
		{"B60: cut", func(s *spidertest.Site) {
			page := gzipped(urlset(s.URL, "/a", "/b"))
			page.Body = page.Body[:len(page.Body)-9]
			s.Set("/s.xml", page)
		}, "200 6 unexpected EOF", "/s.xml: /a /b", "the sitemap is broken"},
		{"B60: HTML", func(s *spidertest.Site) { s.Set("/s.xml", xml("<!doctype html>\n<html>")) }, "200 2 an HTML page, no sitemap", "", "the sitemap is broken"},
		{"B60: 404", func(s *spidertest.Site) { s.Set("/s.xml", spidertest.Page{Status: 404}) }, "404 0 ", "", "sitemap cannot be had"},
		{
			"B61: elements in one another", func(s *spidertest.Site) { s.Set("/s.xml", gzipped("<urlset>"+strings.Repeat("<a>", 1<<20))) },
			"200 1 more than 100 elements in one another", "", "the sitemap is broken",
		},
		{
			"B61: a bomb", func(s *spidertest.Site) { s.Set("/s.xml", gzipped("<urlset>"+strings.Repeat("<!-- -->\n", 7<<20))) },
			"200 5825422 longer than 52428800 bytes, the limit of the protocol", "", "the sitemap is broken",
		},
		{
			"B62: an index file of itself", func(s *spidertest.Site) { s.Set("/s.xml", xml(sitemapIndex(s.URL, "/s.xml", "/t.xml"))) },
			"200 0 ", "/t.xml: /a", "",
		},
		{"B62: an index file in an index file", func(s *spidertest.Site) {
			s.Set("/s.xml", xml(sitemapIndex(s.URL, "/u.xml")))
			s.Set("/u.xml", xml(sitemapIndex(s.URL, "/t.xml")))
		}, "200 0 ", "", ""},
		{"B62: a loop", func(s *spidertest.Site) { s.Set("/s.xml", moved("/s.xml")) }, "301 0 more than 5 redirects in a row", "", "sitemap cannot be had"},
		{
			"B62: a private address", func(s *spidertest.Site) { s.Set("/s.xml", moved("http://10.1.2.3/s.xml")) },
			"707 0 robots.txt: address 10.1.2.3 denied: private", "", "sitemap cannot be had",
		},
		{"B62: what robots.txt forbids", func(s *spidertest.Site) {
			s.Set("/s.xml", moved("/no/s.xml"))
			s.Set("/no/s.xml", xml(urlset(s.URL, "/a")))
		}, "900 0 robots.txt line 3: Disallow: /no", "", "sitemap cannot be had"},
		{"B63: 50,001 entries", func(s *spidertest.Site) {
			paths := slices.Repeat([]string{"/private/a"}, 50_001)
			paths[49_999], paths[50_000] = "/a", "/b"
			s.Set("/s.xml", gzipped(urlset(s.URL, paths...)))
		}, "200 0 more than 50000 entries, the limit of the protocol", "/s.xml: /a", "the rest is not read"},
	}
	var sets strings.Builder
	sets.WriteString("Disallow /private\n")
	sites := make([]*spidertest.Site, len(cases))
	for i, c := range cases {
		site := spidertest.NewSite(t)
		site.HTML("/", fmt.Sprint("start page ", i))
		site.HTML("/a", fmt.Sprint("page a ", i))
		site.Set("/robots.txt", spidertest.Page{Type: "text/plain", Body: "Sitemap: /s.xml\nUser-agent: *\nDisallow: /no\n"})
		site.Set("/t.xml", xml(urlset(site.URL, "/a")))
		c.pages(site)
		sites[i] = site
		fmt.Fprintf(&sets, "Server %s/\n", site.URL)
	}
	w := newWorld(t, sets.String())
	w.spider("Threads 4\n")
	code, _, errOut := w.try()
	if code != exitDone {
		t.Fatalf("exit %d\n%s", code, errOut)
	}
	for i, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			url := sites[i].URL
			if got := w.one(`SELECT status, error_line, error FROM sitemaps WHERE url = $1`, url+"/s.xml"); got != c.row {
				t.Errorf("row %q, want %q", got, c.row)
			}
			named := strings.Join(w.rows(`SELECT replace(s.url, $1, '') || ':', string_agg(replace(w.url, $1, ''), ' ' ORDER BY w.url)
				FROM named_by n JOIN sitemaps s ON s.sitemap_id = n.source JOIN urlword w USING (url_id) WHERE s.url LIKE $1 || '/%' GROUP BY s.url`, url), "; ")
			if named != c.named {
				t.Errorf("named %q, want %q", named, c.named)
			}
			if c.say == "" {
				return
			}
			said := slices.ContainsFunc(strings.Split(errOut, "\n"), func(l string) bool {
				return strings.Contains(l, "level=WARN") && strings.Contains(l, url+"/s.xml") && strings.Contains(l, c.say)
			})
			if !said {
				t.Errorf("no warning of %s says: %s\n%s", url, c.say, errOut)
			}
		})
	}
}

// TestKillInASitemap kills a crawl before a sitemap is recorded, with its URLs registered, and runs it again.
func TestKillInASitemap(t *testing.T) {
	t.Parallel()
	program := withFailPoints(t)
	site := unlinked(t)
	sets := "Disallow \\.zip$\nServer " + site.URL + "/\n"
	undisturbed := newWorld(t, sets)
	undisturbed.index()
	want := storetest.Dump(t, undisturbed.dsn)
	for _, nth := range []int{1, 2, 3} {
		t.Run(fmt.Sprint(nth), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, sets)
			if !w.died(program, fmt.Sprintf("FAILPOINT=sitemap.before-save:%d=kill", nth)) {
				t.Fatal("the crawl does not come to it")
			}
			if left, err := os.ReadDir(os.TempDir()); err != nil || slices.ContainsFunc(left, func(e os.DirEntry) bool { return strings.HasPrefix(e.Name(), "pgseek-sitemap") }) {
				t.Errorf("a temporary file is left, or %v", err)
			}
			w.index()
			if diff := cmp.Diff(want, storetest.Dump(t, w.dsn)); diff != "" {
				t.Errorf("the tables differ from an undisturbed crawl's (-undisturbed +killed):\n%s", diff)
			}
			if got := w.names(site.URL); got != namedPages {
				t.Errorf("named: %s", got)
			}
		})
	}
}

// TestSitemapOfAHostThatLimits verifies that the sitemaps of a host that refuses requests are not lost.
func TestSitemapOfAHostThatLimits(t *testing.T) {
	t.Parallel()
	site := unlinked(t)
	refused := false
	page := site.Page("/0.xml.gz")
	site.Set("/0.xml.gz", spidertest.Page{Serve: func(w http.ResponseWriter, r *http.Request) {
		if !refused {
			refused = true
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(http.StatusTooManyRequests)
			return
		}
		page.Answer(w, r)
	}})
	w := newWorld(t, "Disallow \\.zip$\nServer "+site.URL+"/\n")
	w.index()
	w.pass(2 * time.Minute)
	w.index()
	if got := w.names(site.URL); got != namedPages || w.live() != "11" {
		t.Errorf("%s documents, named: %s", w.live(), got)
	}
}

// TestSitemapsOfTwoProcesses verifies that of two crawling processes one reads the sitemaps.
func TestSitemapsOfTwoProcesses(t *testing.T) {
	t.Parallel()
	site := unlinked(t)
	page, gate := site.Page("/sitemap_index.xml"), make(chan struct{})
	site.Set("/sitemap_index.xml", spidertest.Page{Serve: func(w http.ResponseWriter, r *http.Request) {
		<-gate
		page.Answer(w, r)
	}})
	w := newWorld(t, "Disallow \\.zip$\nServer "+site.URL+"/\n")
	first := w.join(1)
	second := w.join(2)
	close(gate)
	first.ends(t, exitDone)
	second.ends(t, exitDone)
	for path, n := range site.Count() {
		if n != 1 {
			t.Errorf("%d requests for %s", n, path)
		}
	}
	if got := w.names(site.URL); got != namedPages || w.live() != "11" {
		t.Errorf("%s documents, named: %s", w.live(), got)
	}
}
