package e2e

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pgseek/pgseek/spider/spidertest"
)

// keptSite is a crawled site of which two pages have the same content.
type keptSite struct {
	*world
	site   *spidertest.Site
	bodies map[string]string
	passed time.Duration
}

// newKeptSite makes a site with n pages beside its front page, and crawls it.
func newKeptSite(t *testing.T, n int, sets, spider string) *keptSite {
	site := spidertest.NewSite(t)
	k := &keptSite{world: newWorld(t, sets+"Server "+site.URL+"/\n"), site: site, bodies: make(map[string]string)}
	k.spider(spider)
	var front strings.Builder
	front.WriteString("front word")
	for i := range n - 1 {
		path := fmt.Sprintf("/%d.html", i)
		fmt.Fprintf(&front, ` <a href="%s">x</a>`, path)
		k.bodies[path] = fmt.Sprintf(`<title>page %d</title>leaf word number%d`, i, i)
	}
	front.WriteString(` <a href="/twin.html">x</a>`)
	k.bodies["/twin.html"], k.bodies["/"] = k.bodies["/0.html"], front.String()
	k.serve("", nil)
	k.index()
	return k
}

// serve makes all pages begin with this text, and answer with these headers.
func (k *keptSite) serve(head string, header map[string]string) {
	for path, body := range k.bodies {
		k.site.Set(path, spidertest.Page{Body: head + body, ETag: fmt.Sprintf("%q", fmt.Sprint(path, len(head))), Header: header})
	}
}

func (k *keptSite) robots(text string) {
	k.site.Set("/robots.txt", spidertest.Page{Type: "text/plain", Body: text})
}

func (k *keptSite) later(d time.Duration) {
	k.pass(d)
	k.passed += d
}

// state holds the found documents and their dates, which must be as before when a mistake was undone.
func (k *keptSite) state() []string {
	return k.rows(`SELECT u.url, u.status, u.deleted, coalesce(o.url, ''), u.etag <> '', extract(epoch FROM d.created)::bigint + $1, extract(epoch FROM d.modified)::bigint + $1,
			EXISTS (SELECT FROM search('word', 100) s WHERE s.url = u.url)
		FROM urlword u LEFT JOIN urlword o ON o.url_id = u.origin LEFT JOIN docdates d ON d.url_id = u.url_id ORDER BY u.url`, int64(k.passed/time.Second))
}

// crawls runs index and compares what is found, how many contents are stored, and the holds. It returns what was said.
func (k *keptSite) crawls(found, contents int, held string, args ...string) string {
	k.t.Helper()
	k.site.Forget()
	code, _, said := k.try(args...)
	if code != exitDone && !noStart(code, said) {
		k.t.Fatalf("index %v: exit %d\n%s", args, code, said)
	}
	got := k.one(`SELECT (SELECT count(*) FROM search('word', 100)), (SELECT count(*) FROM urlwords WHERE words IS NOT NULL),
		coalesce((SELECT string_agg(reason, ' ') FROM sites_on_hold), '')`)
	if want := fmt.Sprintf("%d %d %s", found, contents, held); got != want {
		k.t.Errorf("index %v: found, contents, on hold: %s, want %s\n%s", args, got, want, said)
	}
	k.check()
	return said
}

// bodiesSent says which pages were sent as a whole since the last crawl began.
func (k *keptSite) bodiesSent() (paths []string) {
	for _, r := range k.site.Requests() {
		if r.Status == 200 && r.Method == "GET" && r.Path != "/robots.txt" {
			paths = append(paths, r.Path)
		}
	}
	return paths
}

// back compares the state with that before the mistake, and that no page was fetched anew.
func (k *keptSite) back(what string, before []string) {
	k.t.Helper()
	if diff := cmp.Diff(before, k.state()); diff != "" {
		k.t.Errorf("%s (-before +after):\n%s", what, diff)
	}
	if sent := k.bodiesSent(); len(sent) > 0 {
		k.t.Errorf("%s: fetched anew: %v", what, sent)
	}
	if out := k.index("-X1"); !strings.Contains(out, "no damage") {
		k.t.Errorf("%s: index -X1:\n%s", what, out)
	}
}

// TestMistakesAreUndone verifies that noindex over a whole site (by header and by META), Disallow .* that was accepted, and a
// robots.txt that forbids everything and took effect after a release can each be taken back without a new fetch, with all dates.
func TestMistakesAreUndone(t *testing.T) {
	t.Parallel()
	const n = 3
	k := newKeptSite(t, n, "", "")
	before := k.state()
	for _, c := range []struct {
		what, head string
		header     map[string]string
	}{
		{"X-Robots-Tag", "", map[string]string{"X-Robots-Tag": "noindex"}},
		{"META", `<meta name="robots" content="noindex">`, nil},
	} {
		k.serve(c.head, c.header)
		for range 2 {
			k.later(day)
			said := k.crawls(0, n+1, "noindex", "-a") // the clone has a content of its own
			if !strings.Contains(said, "say noindex; they are not found any more") || !strings.Contains(said, "index --release "+k.site.URL+"/") {
				t.Errorf("%s: no warning with the remedy:\n%s", c.what, said)
			}
		}
		k.serve("", nil)
		k.later(day)
		k.crawls(n, n, "", "-a")
		k.back(c.what, before)
	}

	for i := range 2 {
		k.sets("Disallow .*\nServer " + k.site.URL + "/\n")
		k.later(day)
		k.crawls(0, n, "", k.accept("-a")...)
		k.sets("Server " + k.site.URL + "/\n")
		k.later(day)
		if i > 0 { // one of the equal pages in real time
			k.crawls(1, n+1, "", "-T", k.site.URL+"/twin.html") // a former clone, whose original is still out
			if sent := k.bodiesSent(); len(sent) > 0 {
				t.Errorf("index -T: fetched anew: %v", sent)
			}
		}
		k.crawls(n, n, "")
		k.back("Disallow", before)
	}

	for range 2 {
		k.robots("User-agent: *\nDisallow: /\n")
		k.later(day)
		k.crawls(n, n, "robots.txt", "-a")
		k.index("--release", k.site.URL+"/")
		k.later(day)
		k.crawls(0, n, "", "-a")
		k.site.Remove("/robots.txt")
		k.later(day)
		k.crawls(n, n, "", "-a")
		k.back("robots.txt", before)
	}
}

// TestKeptContentsGo verifies that what is kept of documents that a rule took out goes after LostPeriod, that of a site that says
// noindex as a whole not before it said so on LostLimit different days or was released, and under DeleteBad at once.
func TestKeptContentsGo(t *testing.T) {
	t.Parallel()
	const n = 11
	k := newKeptSite(t, n, "", "LostPeriod 20d\nLostLimit 3\n")
	gone := func(dates int) { // also the digests of what is out, and the words of META
		t.Helper()
		if got, want := k.one(`SELECT (SELECT count(*) FROM urlwords WHERE title || txt || keywords || description <> ''), (SELECT count(*) FROM docdates),
			(SELECT count(*) FROM urlword WHERE deleted = 1 AND crc || etag || last_modified <> ''), (SELECT count(*) FROM urlstate WHERE meta IS NOT NULL OR kept_since IS NOT NULL)`),
			fmt.Sprintf("0 %d 0 0", dates); got != want {
			t.Errorf("texts, dates, digests, kept: %s, want %s", got, want)
		}
		if got, want := k.one(`SELECT count(DISTINCT url_id) FROM crawl_history WHERE rule = 'T-20'`), fmt.Sprint(n+1); got != want {
			t.Errorf("T-20 of %s documents, want %s", got, want)
		}
	}
	server := "Server " + k.site.URL + "/\n"

	k.sets("Disallow .*\n" + server)
	k.crawls(0, n, "", k.accept()...)
	k.later(19 * day)
	k.crawls(0, n, "", "-D")
	k.later(2 * day)
	k.crawls(0, 0, "", "-D")
	gone(0)
	k.sets(server)
	k.crawls(n, n, "")
	if sent := k.bodiesSent(); len(sent) != n+1 {
		t.Errorf("fetched as new: %v", sent)
	}

	noindex := map[string]string{"X-Robots-Tag": "noindex"}
	k.serve("", noindex)
	k.crawls(0, n+1, "noindex", "-a")
	k.later(25 * day)
	k.crawls(0, n+1, "noindex", "-D") // on hold, for as long as it takes
	k.crawls(0, n+1, "noindex", "-a")
	k.crawls(0, n+1, "noindex", "-a") // the same day
	k.later(day)
	k.crawls(0, 0, "", "-a")
	gone(n + 1)
	k.crawls(0, 0, "", "-a")
	k.serve("", nil)
	k.crawls(n, n, "", "-a")
	if got := k.one(`SELECT count(*) FROM docdates WHERE created < now() - interval '25 days'`); got != fmt.Sprint(n+1) {
		t.Errorf("%s documents have their first date", got)
	}

	k.serve("", noindex)
	k.crawls(0, n+1, "noindex", "-a")
	k.index("--release", k.site.URL+"/")
	k.crawls(0, n+1, "", "-a")
	k.later(21 * day)
	k.crawls(0, 0, "", "-D")
	k.serve("", nil)
	k.crawls(n, n, "", "-a")

	k.sets("DeleteBad yes\n" + server)
	page := k.site.URL + "/3.html"
	k.site.Set("/3.html", spidertest.Page{Body: k.bodies["/3.html"], Header: noindex})
	k.crawls(n-1, n-1, "", "-a")
	k.serve("", nil)
	k.crawls(n, n, "", "-a")
	k.sets("Disallow /3.html\nDeleteBad yes\n" + server)
	k.crawls(n-1, n-1, "", "-a")
	k.sets("DeleteBad yes\n" + server)
	k.crawls(n, n, "", "-a")
	k.site.Remove("/3.html")
	k.crawls(n-1, n-1, "", "-a")
	if got := k.one(`SELECT (SELECT count(*) FROM urlwords c WHERE c.url_id = w.url_id) FROM urlword w WHERE url = $1`, page); got != "0" {
		t.Errorf("%s has a row", page)
	}
}
