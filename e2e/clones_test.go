package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pgseek/pgseek/spider/spidertest"
)

// TestCloneTakesThePlaceOfItsOriginal verifies that, whatever an original turns into, the live clone with the
// lowest id is promoted, with its content and words, and the other clones follow. Losing the original changes
// nothing.
func TestCloneTakesThePlaceOfItsOriginal(t *testing.T) {
	t.Parallel()
	const same = `<title>same</title>sameword <a href="/other.html">x</a>`
	for _, c := range []struct {
		what, rule string
		change     func(*spidertest.Site)
		successor  string // original afterwards
		found      string // of sameword
	}{
		{"changes", "T-04", func(s *spidertest.Site) { s.HTML("/a.html", "<title>new</title>newword") }, "/b.html", "/b.html"},
		{"redirects", "T-05", func(s *spidertest.Site) {
			s.Set("/a.html", spidertest.Page{Status: 301, Header: map[string]string{"Location": "/other.html"}})
		}, "/b.html", "/b.html"},
		{"is not to be indexed any more", "T-06", func(s *spidertest.Site) {
			s.HTML("/a.html", `<meta name="robots" content="noindex">quiet <a href="/b.html">x</a>`)
		}, "/b.html", "/b.html"},
		{"becomes a clone of another", "T-01c", func(s *spidertest.Site) { s.HTML("/a.html", "<title>first</title>firstword") }, "/b.html", "/b.html"},
		{"is lost", "T-07", func(s *spidertest.Site) { s.Remove("/a.html") }, "/a.html", "/a.html"},
	} {
		t.Run(c.rule+": the original "+c.what, func(t *testing.T) {
			t.Parallel()
			site := spidertest.NewSite(t)
			site.HTML("/", `<a href="/first.html">x</a> <a href="/a.html">x</a> <a href="/b.html">x</a> <a href="/c.html">x</a> <a href="/other.html">x</a>`)
			site.HTML("/first.html", "<title>first</title>firstword")
			site.HTML("/other.html", "<title>other</title>otherword")
			for _, path := range []string{"/a.html", "/b.html", "/c.html"} {
				site.HTML(path, same)
			}
			w := newWorld(t, "HostLoad * 0 24 1\nServer "+site.URL+"/\n")
			w.index()
			c.change(site)
			w.index("-a")

			name := func(path string) string { return w.one(`SELECT url_id FROM urlword WHERE url = $1`, site.URL+path) }
			rule := w.one(`SELECT rule FROM crawl_history WHERE url_id = $1 ORDER BY at DESC LIMIT 1`, name("/a.html"))
			if rule != c.rule {
				t.Errorf("rule: got %s, want %s", rule, c.rule)
			}
			var want []string
			for _, path := range []string{"/b.html", "/c.html"} {
				origin := name(c.successor)
				if path == c.successor {
					origin = "0"
				}
				want = append(want, site.URL+path+" "+origin)
			}
			got := w.rows(`SELECT url, origin FROM urlword WHERE url LIKE '%/b.html' OR url LIKE '%/c.html' ORDER BY url`)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("origins (-want +got):\n%s", diff)
			}
			found := strings.Join(w.rows(`SELECT replace(url, $1, '') FROM word_postings('sameword')`, site.URL), " ")
			if found != c.found {
				t.Errorf("sameword is found at %q, want %q", found, c.found)
			}
			links := w.one(`SELECT count(*) FROM citation c JOIN urlword u USING (url_id), unnest(referrers) r WHERE u.url LIKE '%/other.html' AND r = $1::integer`, name(c.successor))
			if links != "1" {
				t.Errorf("the successor's link is cited %s times", links)
			}
		})
	}
}

// TestCloneGroupsUnderConcurrency fetches many equal documents in parallel that change, leave and come back.
// Every group must end with one original, the document with the lowest id. CheckInvariants verifies it after
// each period.
func TestCloneGroupsUnderConcurrency(t *testing.T) {
	t.Parallel()
	site := spidertest.NewSite(t)
	var front strings.Builder
	for i := range 40 {
		fmt.Fprintf(&front, `<a href="/%d">x</a> `, i)
	}
	site.HTML("/", front.String())
	w := newWorld(t, "HostLoad * 0 24 16\nServer "+site.URL+"/\n")
	for period := range 4 {
		for i := range 40 {
			site.HTML(fmt.Sprintf("/%d", i), fmt.Sprintf(`<title>group</title>word%d <a href="/%d">x</a>`, (i*(period+1)+period*i*i)%5, i%3))
		}
		w.index("-a")
		if got := w.one(`SELECT count(*) FROM urlword WHERE status = 200 AND origin = 0 AND url NOT LIKE '%/'`); got == "0" || got == "40" {
			t.Errorf("period %d: %s originals", period, got)
		}
		w.check()
	}
}
