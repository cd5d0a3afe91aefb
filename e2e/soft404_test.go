package e2e

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// softSite is a site of which some pages exist. What it answers for others is a function of the path.
type softSite struct {
	URL string

	mu     sync.Mutex
	pages  map[string]string
	other  func(w http.ResponseWriter, path string)
	down   string // the page for all, when not empty
	robots string
	asked  []string // without robots.txt
}

func newSoftSite(t *testing.T, pages map[string]string, other func(w http.ResponseWriter, path string)) *softSite {
	t.Helper()
	s := &softSite{pages: pages, other: other}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	s.URL = server.URL
	return s
}

func (s *softSite) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	if r.URL.Path == "/robots.txt" {
		_, _ = w.Write([]byte(s.robots))
		return
	}
	s.asked = append(s.asked, r.URL.Path)
	body, found := s.pages[r.URL.Path]
	switch {
	case s.down != "":
		_, _ = w.Write([]byte(s.down))
	case !found:
		s.other(w, r.URL.Path)
	case r.Header.Get("If-None-Match") == fmt.Sprintf("%q", fmt.Sprint(len(body))):
		w.WriteHeader(http.StatusNotModified)
	default:
		w.Header().Set("ETag", fmt.Sprintf("%q", fmt.Sprint(len(body))))
		_, _ = w.Write([]byte(body))
	}
}

// probes returns the addresses that cannot exist and were asked for since the last call.
func (s *softSite) probes() (list []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, path := range s.asked {
		if strings.Contains(path, "/pgseek-") {
			list = append(list, path)
		}
	}
	s.asked = nil
	return list
}

// closes lets a site answer everything with one page, or as before when it is empty.
func (s *softSite) closes(page string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.down = page
}

// orchard is a site of a front page and twelve pages, each with a text of its own. Some have a link that leads nowhere.
func orchard(name string, dead int) map[string]string {
	pages, front := map[string]string{}, "<title>"+name+"</title>What grows in our orchard:"
	for i := range 12 {
		path := fmt.Sprintf("/fruit/%c%d.html", 'a'+i, i)
		front += fmt.Sprintf(` <a href="%s">fruit %d</a>`, path, i)
		pages[path] = fmt.Sprintf(`<title>Fruit %d</title>The fruit number %d of %s is %s. <a href="/">home</a>`, i, i, name, strings.Repeat(string(rune('b'+i)), 3+i))
		if i < dead {
			pages[path] += fmt.Sprintf(` <a href="gone-%d.html">more</a>`, i)
		}
	}
	pages["/"] = front
	return pages
}

// framework is a page for what does not exist: it answers 200 and shows the path, a time and a token.
func framework() func(w http.ResponseWriter, path string) {
	var n atomic.Int64
	return func(w http.ResponseWriter, path string) {
		at := time.Date(2026, 1, 1, 3, 4, 5, 0, time.UTC).Add(time.Duration(n.Add(1)) * 37 * time.Hour)
		_, _ = fmt.Fprintf(w, `<title>Nothing at %s</title><a href="/">Orchard</a> <a href="/template.html">Search</a>
			<p>Sorry, there is no page %[1]s in this orchard. Request %08xab12, %s.`, path, at.Unix(), at.Format(time.RFC1123))
	}
}

// statuses returns how many URLs of a site have each status, lost documents as 200-905.
func (w *world) statuses(site string) string {
	return strings.Join(w.rows(`SELECT s || ':' || count(*)
		FROM (SELECT status & 65535 || CASE WHEN status >= 65536 THEN '-' || (status >> 16 & 2047) ELSE '' END FROM urlword WHERE url LIKE $1 || '%') u (s)
		GROUP BY s ORDER BY s`, site), " ")
}

// TestSoft404 verifies that pages which a site answers with 200 for any address get status 905, that one request a site finds that out
// and only where two pages are equal, and that no page that exists is touched.
func TestSoft404(t *testing.T) {
	t.Parallel()
	const app = `<title>App</title><div id=root></div><a href="/news">News</a> <a href="/shop/cart">Cart</a> <a href="about">About</a>`
	always := func(body string) func(http.ResponseWriter, string) {
		return func(w http.ResponseWriter, _ string) { _, _ = w.Write([]byte(body)) }
	}

	single := newSoftSite(t, nil, always(app))
	moved := newSoftSite(t, nil, func(w http.ResponseWriter, path string) {
		if path == "/start" {
			w.Header().Set("Location", "/home")
			w.WriteHeader(http.StatusFound)
			return
		}
		_, _ = w.Write([]byte(app))
	})
	soft := newSoftSite(t, orchard("soft", 12), framework())
	closed := newSoftSite(t, orchard("closed", 12), framework())
	closed.robots = "User-agent: *\nAllow: /$\nAllow: /fruit/a\nAllow: /fruit/g\nDisallow: /\n"
	copies := orchard("copies", 12)
	copies["/fruit/gone-3.html"], copies["/fruit/gone-4.html"] = "the same text on two pages of a site", "the same text on two pages of a site"
	good := newSoftSite(t, copies, notFound)
	plain := newSoftSite(t, orchard("plain", 12), notFound)
	all := map[string]*softSite{"single": single, "moved": moved, "soft": soft, "closed": closed, "good": good, "plain": plain}

	w := newWorld(t, "")
	sets := "Server " + moved.URL + "/start\n"
	for name, s := range all {
		if name != "moved" {
			sets += "Server " + s.URL + "/\n"
		}
	}
	w.sets(sets)
	check := func(when string, probes int, want map[string]string) {
		t.Helper()
		for name, s := range all {
			if got := w.statuses(s.URL); got != want[name] {
				t.Errorf("%s, %s: statuses %s, want %s", when, name, got, want[name])
			}
			n := probes
			if name == "closed" || name == "plain" {
				n = 0
			}
			if name == "good" && when != "first run" { // nothing of it is read again
				n = 0
			}
			if got := s.probes(); len(got) != n {
				t.Errorf("%s, %s: asked for %q, want %d such addresses", when, name, got, n)
			}
		}
		if got := w.one(`SELECT count(*) FROM urlword WHERE url LIKE '%pgseek-%'`); got != "0" {
			t.Errorf("%s: %s URLs of probes are registered", when, got)
		}
	}
	code, _, out := w.try()
	if code != exitDone || strings.Contains(out, "level=WARN") {
		t.Fatalf("exit %d\n%s", code, out)
	}
	want := map[string]string{
		"single": "200:1 905:3", "moved": "200:1 302:1 905:3", "soft": "200:13 905:13", "closed": "200:5", "good": "200:15 404:10", "plain": "200:13 404:12",
	}
	check("first run", 1, want)
	if got := w.one(`SELECT count(*) FROM docwords JOIN urlword USING (url_id) WHERE status & 65535 = 905`); got != "0" {
		t.Errorf("%s soft 404s are in the index", got)
	}
	w.index("-X1")

	// Within Period nobody is asked again; later the sites are whose pages are read again and equal an old answer.
	w.index("-a")
	check("second run", 0, want)
	w.pass(8 * 24 * time.Hour)
	w.index("-a")
	check("after Period", 1, want)

	code, said, out := w.try("-T", single.URL+"/other", "-T", soft.URL+"/fruit/gone-99.html", "-T", good.URL+"/fruit/a0.html")
	if code != exitFailed || strings.Count(said, "Status: 905") != 2 {
		t.Errorf("-T: exit %d\n%s%s", code, said, out)
	}
	if said := w.index("--explain", single.URL+"/news"); !strings.Contains(said, "the site answers 200 with this page for any address") {
		t.Errorf("--explain:\n%s", said)
	}
	if got := w.one(`SELECT count(*) FROM broken_links WHERE status = 905 AND url LIKE $1 || '%'`, soft.URL); got != "12" {
		t.Errorf("broken_links has %s soft 404s, want 12", got)
	}

	// When the pages are there, they are documents.
	soft.mu.Lock()
	soft.pages["/fruit/gone-1.html"] = "this page exists now and has a text"
	soft.mu.Unlock()
	w.index("-a")
	if got := w.one(`SELECT status FROM urlword WHERE url = $1`, soft.URL+"/fruit/gone-1.html"); got != "200" {
		t.Errorf("a page that exists now has status %s", got)
	}
}

// TestSoft404OfDocuments verifies that a page about maintenance, which a site answers with 200 for everything in two runs, takes no
// document out, and that the site is as before afterwards. A site that was crawled without the detection loses those of its documents
// that were such pages all the time, each when it is visited.
func TestSoft404OfDocuments(t *testing.T) {
	t.Parallel()
	site := newSoftSite(t, orchard("one", 12), notFound)
	old := newSoftSite(t, orchard("old", 3), func(w http.ResponseWriter, path string) {
		_, _ = fmt.Fprintf(w, `<title>Orchard</title><a href="/">Orchard</a> Sorry, we have no page %s for you.`, path)
	})
	const app = `<title>App</title><div id=root></div><a href="/news">News</a> <a href="/shop/cart">Cart</a>`
	single := newSoftSite(t, nil, func(w http.ResponseWriter, _ string) { _, _ = w.Write([]byte(app)) })
	w := newWorld(t, "Server "+site.URL+"/\nServer "+old.URL+"/\nServer "+single.URL+"/\n")
	w.spider("Soft404Detection no\n")
	w.index()
	if got := w.statuses(site.URL) + ", " + w.statuses(old.URL) + ", " + w.statuses(single.URL); got != "200:13 404:12, 200:16, 200:3" ||
		len(site.probes())+len(old.probes())+len(single.probes()) != 0 {
		t.Fatalf("without the detection: %s", got)
	}
	const stored = `SELECT url_id, md5(words) FROM urlwords WHERE url_id IN (SELECT url_id FROM urlword WHERE url LIKE $1 || '/fruit/%') ORDER BY 1`
	contents := w.rows(stored, site.URL)

	w.spider("")
	site.closes("<title>Be right back</title>We are working on this site. Please come again.")
	for _, run := range []string{"first", "second"} {
		_, _, out := w.try("-a", "-m")
		if got := w.statuses(site.URL); got != "200:10 200-905:3 905:12" {
			t.Errorf("%s run under maintenance: %s", run, got)
		}
		if got := w.rows(stored, site.URL); fmt.Sprint(got) != fmt.Sprint(contents) {
			t.Errorf("%s run under maintenance: contents have changed", run)
		}
		if !strings.Contains(out, "on hold") {
			t.Errorf("%s run under maintenance: no hold is told:\n%s", run, out)
		}
		want := map[string]string{"first": "200:14 905:2, 200:1 905:2", "second": "200:13 905:3, 200:1 905:2"}[run]
		if got := w.statuses(old.URL) + ", " + w.statuses(single.URL); got != want {
			t.Errorf("%s run: the sites from before have %s, want %s", run, got, want)
		}
		if run == "first" { // the first of the equal pages has not changed
			left := w.one(`SELECT url FROM urlword WHERE status = 200 AND url LIKE $1 || '%gone%'`, old.URL)
			if code, out, _ := w.try("-T", left); code != exitFailed || !strings.Contains(out, "905") {
				t.Errorf("-T %s: exit %d\n%s", left, code, out)
			}
			if got := w.one(`SELECT status FROM urlword WHERE url = $1`, left); got != "905" {
				t.Errorf("%s has status %s after -T", left, got)
			}
		}
		w.pass(24 * time.Hour)
	}
	if got := len(site.probes()) + len(old.probes()) + len(single.probes()); got != 3 {
		t.Errorf("asked %d times, want each site once", got)
	}
	site.closes("")
	w.index("-a")
	if got := w.statuses(site.URL); got != "200:13 404:12" {
		t.Errorf("after maintenance: %s", got)
	}
	if got := w.rows(stored, site.URL); fmt.Sprint(got) != fmt.Sprint(contents) {
		t.Error("after maintenance: contents have changed")
	}
	w.index("-X1")
}

func notFound(w http.ResponseWriter, _ string) { w.WriteHeader(http.StatusNotFound) }
