package e2e

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pgseek/pgseek/spider/spidertest"
)

// TestInfiniteSpaceEnds verifies that T-14 stops an infinite space: from a page whose body twenty documents have already no link
// is registered, so the crawl ends by itself, and later crawls find nothing more.
func TestInfiniteSpaceEnds(t *testing.T) {
	t.Parallel()
	var body strings.Builder
	body.WriteString("<title>same</title>everywhere ")
	for i := range 10 {
		fmt.Fprintf(&body, `<a href="%c/">x</a> `, 'a'+i)
	}
	var requests atomic.Int64
	space := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" || requests.Add(1) > 1000 { // else it would not end where it fails
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write([]byte(body.String()))
	}))
	t.Cleanup(space.Close)
	const most = 20 + 10*20

	w := newWorld(t, "Server "+space.URL+"/\n")
	w.spider("InfiniteSpaceDetection yes\nSoft404Detection no\n")
	for _, args := range [][]string{{}, {"-a"}, {"--respider"}, {"-a", "-m"}} {
		requests.Store(0)
		w.index(args...)
		if n := requests.Load(); n > most {
			t.Fatalf("index %v: %d requests, want at most %d", args, n, most)
		}
		if got := w.one(`SELECT count(*) FILTER (WHERE status = 200), count(*) <= $1 FROM urlword`, most); got != "20 true" {
			t.Fatalf("index %v: live documents, all URLs: %s", args, got)
		}
	}
	w.index("-T", space.URL+"/")
	if code, _, _ := w.try("-T", space.URL+"/no/such/page/"); code != exitFailed {
		t.Errorf("index -T of a page of the space: exit %d", code)
	}
	if n, err := strconv.Atoi(w.one(`SELECT count(*) FROM urlword`)); err != nil || n > most+1 {
		t.Errorf("index -T registered links of the space: %d URLs", n)
	}
}

// TestListsInOtherOrders: the links by which a list of a folder is put into another order lead to the same names and are not
// followed, whichever way the server writes them. Other links with such a query are.
func TestListsInOtherOrders(t *testing.T) {
	t.Parallel()
	var orders strings.Builder
	for _, o := range []string{"?C=N;O=D", "?C=M;O=A", "?C=S&amp;O=A", "?C=D&O=A"} {
		fmt.Fprintf(&orders, `<a href="%s">x</a> `, o)
	}
	site := spidertest.NewSite(t)
	site.HTML("/", `Index of / `+orders.String()+`<a href="docs/">docs</a> <a href="?C=M">one column</a> <a href="docs/?C=M;O=D">the newest first</a>`)
	site.HTML("/docs/", `Index of /docs `+strings.ReplaceAll(orders.String(), `"?`, `"/docs/?`)+`<a href="/">Parent Directory</a> <a href="a.html">a.html</a>`)
	site.HTML("/docs/a.html", "a page")
	w := newWorld(t, "Server "+site.URL+"/\n")
	w.index()
	if got := strings.Join(w.rows(`SELECT replace(url, $1, '') FROM urlword ORDER BY url`, site.URL), " "); got != "/ /?C=M /docs/ /docs/?C=M;O=D /docs/a.html" {
		t.Errorf("known: %s", got)
	}
}

// hrefs are the links of a page as they are stored, by their paths.
func (w *world) hrefs(url string) string {
	w.t.Helper()
	return strings.Join(w.rows(`SELECT regexp_replace(t.url, '^https?://[^/]*', '') AS path FROM urlword u JOIN urlwords c USING (url_id) CROSS JOIN unnest(c.hrefs) l
		JOIN urlword t ON t.url_id = l WHERE u.url = $1 ORDER BY path`, url), " ")
}

// TestLinksOfThePagesAtMaxHops verifies that a page at depth MaxHops keeps its links to URLs that are known and near enough,
// when it changes, when the rules change, and when it is a redirect.
func TestLinksOfThePagesAtMaxHops(t *testing.T) {
	t.Parallel()
	site := spidertest.NewSite(t)
	site.HTML("/", `<a href="/page">x</a> <a href="/near">x</a> <a href="/moved">x</a>`)
	site.HTML("/page", `page <a href="/">x</a> <a href="/near">x</a> <a href="/deep">x</a>`)
	site.HTML("/near", "near")
	site.HTML("/deep", `deep <a href="/near">x</a>`)
	site.Set("/moved", spidertest.Page{Status: 301, Header: map[string]string{"Location": "/near"}})
	sets := func(hops int, more string) string {
		return fmt.Sprintf("%sMaxHops %d\nServer %s/\n", more, hops, site.URL)
	}
	w := newWorld(t, sets(1, ""))
	want := func(when, page string) {
		t.Helper()
		if got := w.hrefs(site.URL + "/page"); got != page {
			t.Errorf("%s: links of /page: got %q, want %q", when, got, page)
		}
		if got := w.hrefs(site.URL + "/moved"); got != "/near" {
			t.Errorf("%s: the redirect leads to %q", when, got)
		}
	}
	w.index()
	want("first crawl", "/ /near")
	if got := w.one(`SELECT count(*) FROM urlword WHERE url LIKE '%/deep'`); got != "0" {
		t.Errorf("a link beyond MaxHops was registered")
	}
	w.index("-a")
	want("unchanged", "/ /near")
	site.HTML("/page", `page changed <a href="/">x</a> <a href="/near">x</a> <a href="/deep">x</a>`)
	w.index("-a")
	want("changed", "/ /near")
	w.sets(sets(1, "Disallow /nothing\n"))
	w.index("-a")
	want("other rules", "/ /near")
	w.index("-T", site.URL+"/page")
	want("index -T", "/ /near")
	w.sets(sets(2, ""))
	w.index("-a")
	want("one level more", "/ /deep /near")
	if got := w.hrefs(site.URL + "/deep"); got != "/near" {
		t.Errorf("links of /deep, at the new depth: %q", got)
	}
	w.sets(sets(1, ""))
	w.index("-a")
	want("one level less", "/ /near") // /deep is registered, but too deep itself
	w.check()
}

// TestLinksToAnotherHost verifies that the links of a page do not depend on what another host's robots.txt says at a moment:
// they stand in hrefs, their URLs are withdrawn while they are forbidden, and are found when they are allowed.
func TestLinksToAnotherHost(t *testing.T) {
	t.Parallel()
	rules := func(deny string) spidertest.Page {
		return spidertest.Page{Type: "text/plain", Body: "User-agent: *\nDisallow: " + deny + "\n"}
	}
	for _, c := range []struct {
		what  string
		first bool // the other host's robots.txt is known before the page is read
	}{{"robots.txt known before", true}, {"robots.txt unknown before", false}} {
		t.Run(c.what, func(t *testing.T) {
			t.Parallel()
			here, there := spidertest.NewSite(t), spidertest.NewSite(t)
			front := `front <a href="` + there.URL + `/barred/x">x</a> <a href="/moved">x</a> <a href="/barred/own">x</a>`
			asked := make(chan struct{})
			wait := func() {
				select {
				case <-asked:
				case <-time.After(10 * time.Second):
				}
			}
			here.Set("/robots.txt", rules("/barred/"))
			here.Set("/moved", spidertest.Page{Status: 302, Header: map[string]string{"Location": there.URL + "/barred/y"}})
			there.Set("/robots.txt", rules("/barred/"))
			there.HTML("/barred/x", "xylophone")
			there.HTML("/barred/y", "yoghurt")
			tell := func(w http.ResponseWriter, text string) {
				w.Header().Set("Content-Type", "text/html")
				_, _ = w.Write([]byte(text))
			}
			here.Set("/", spidertest.Page{Serve: func(w http.ResponseWriter, _ *http.Request) {
				if c.first {
					wait()
				} else {
					close(asked)
				}
				tell(w, front)
			}})
			there.Set("/", spidertest.Page{Serve: func(w http.ResponseWriter, _ *http.Request) {
				if c.first {
					close(asked)
				}
				tell(w, "other")
			}})
			if !c.first {
				there.Set("/robots.txt", spidertest.Page{Serve: func(w http.ResponseWriter, _ *http.Request) {
					wait()
					time.Sleep(100 * time.Millisecond) // until the page is read
					_, _ = w.Write([]byte(rules("/barred/").Body))
				}})
			}
			w := newWorld(t, "Server "+here.URL+"/\nServer "+there.URL+"/\n")
			want := func(when, state string) {
				t.Helper()
				if got := w.hrefs(here.URL + "/"); got != "/barred/x /moved" {
					t.Errorf("%s: links %q", when, got)
				}
				if got := w.hrefs(here.URL + "/moved"); got != "/barred/y" {
					t.Errorf("%s: the redirect leads to %q", when, got)
				}
				got := w.one(`SELECT string_agg(deleted::text, '' ORDER BY url), (SELECT count(*) FROM word_postings('xylophone')), (SELECT count(*) FROM word_postings('yoghurt'))
					FROM urlword WHERE url LIKE '%/barred/_'`)
				if got != state {
					t.Errorf("%s: withdrawn, found: got %s, want %s", when, got, state)
				}
			}
			w.index()
			want("forbidden", "11 0 0")
			here.HTML("/", front+" changed")
			there.HTML("/", "other")
			there.Set("/robots.txt", rules("/nothing"))
			w.pass(time.Hour)
			w.index("-a")
			want("allowed", "00 1 1")
			there.Set("/robots.txt", rules("/barred/"))
			w.pass(time.Hour)
			w.index("-a")
			want("forbidden again", "11 0 0")
			here.HTML("/", front+" changed again")
			w.pass(time.Hour)
			w.index("-a")
			want("forbidden again, and changed", "11 0 0")
			there.Set("/robots.txt", rules("/nothing"))
			w.pass(time.Hour)
			w.index("--respider")
			want("allowed again", "00 1 1")
			if n := w.one(`SELECT count(*) FROM urlword WHERE url LIKE '%/own'`); n != "0" {
				t.Error("a link that the page's own robots.txt forbids was registered")
			}
			w.check()
		})
	}
}
