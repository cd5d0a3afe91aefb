package e2e

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pgseek/pgseek/spider/spidertest"
)

var update = flag.Bool("update", false, "rewrite the pinned pages of testdata/explain, and draw testdata/manual_terms.txt again")

// These parts of the output differ from one run of a test to the next.
var (
	loopback = regexp.MustCompile(`127\.0\.0\.1:(\d+)`)
	changing = []struct {
		what *regexp.Regexp
		word string
	}{
		{regexp.MustCompile(`\d{4}-\d\d-\d\d \d\d:\d\d:\d\d`), "TIME"},
		{regexp.MustCompile(`\((now|(in )?\d+[sm]( ago)?)\)`), "(moments)"},
		{regexp.MustCompile(`\b(id|schedule) \d+`), "$1 N"},
		{regexp.MustCompile(` *\b\d+ ms`), " MS"},
	}
)

// explained returns the output of index --explain for a URL, with stable words for times, ports, ids and
// durations. The sites are site1, site2, ... in the order of their registration, any other port is
// "elsewhere". An exit code other than 0 follows, with the text of standard error. Distances of hours and
// days stay, those of seconds and minutes become moments.
func explained(w *world, url string) string {
	w.t.Helper()
	code, out, errOut := w.try("--explain", url)
	if code != exitDone || errOut != "" {
		out += fmt.Sprintf("exit %d\n%s", code, errOut)
	}
	names := map[string]string{}
	for i, site := range w.rows(`SELECT site FROM sites ORDER BY site_id`) {
		if found := loopback.FindStringSubmatch(site); found != nil {
			names[found[1]] = fmt.Sprintf("site%d", i+1)
		}
	}
	out = strings.ReplaceAll(out, w.dir+"/", "")
	out = loopback.ReplaceAllStringFunc(out, func(at string) string {
		if name := names[loopback.FindStringSubmatch(at)[1]]; name != "" {
			return name
		}
		return "elsewhere"
	})
	for _, c := range changing {
		out = c.what.ReplaceAllString(out, c.word)
	}
	return out
}

// pin compares a text with testdata/explain/NAME.txt.
func pin(t testing.TB, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", "explain", name+".txt")
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}

// calm makes a crawl visit URLs one after the other.
const calm = "HostLoad * 0 24 1\n"

// TestExplain compares the whole output of --explain for URLs in many states.
func TestExplain(t *testing.T) {
	t.Parallel()
	start := func(w *world, s *spidertest.Site, more string) {
		w.spider("Threads 1\n")
		w.sets(calm + more + "Server " + s.URL + "/\n")
	}
	for _, c := range []struct {
		name  string
		crawl func(w *world, s *spidertest.Site)
		url   string // after the site's own
	}{
		{"new", func(w *world, s *spidertest.Site) {
			s.HTML("/", `<a href="/a.html">a</a> <a href="/b.html">b</a>`)
			s.HTML("/a.html", `<html lang="en"><title>The first page</title><link rel="canonical" href="/a.html"><p>some words, some links <a href="/b.html">b</a>`)
			s.HTML("/b.html", `<title>b</title>banana <a href="/a.html">a</a>`)
			w.index()
		}, "/x/../a.html#part"},
		{"start", func(w *world, s *spidertest.Site) {
			s.Set("/robots.txt", spidertest.Page{Type: "text/plain", Body: "User-agent: *\nDisallow: /private/\nAllow: /$ # front\n"})
			s.Set("/", spidertest.Page{Body: "<title>front</title>words", Modified: time.Now().AddDate(0, 0, -100)})
			w.index()
		}, "/"},
		{"unmerged", func(w *world, s *spidertest.Site) {
			s.HTML("/", `<a href="/a.html">a</a>`)
			s.HTML("/a.html", `<title>a</title>apple`)
			w.index("--no-merge")
		}, "/a.html"},
		{"changed_unmerged", func(w *world, s *spidertest.Site) {
			s.HTML("/", `<a href="/a.html">a</a>`)
			s.HTML("/a.html", `<title>a</title>apple`)
			w.index()
			s.HTML("/a.html", `<title>a</title>almond`)
			w.pass(8 * 24 * time.Hour)
			w.index("--no-merge")
		}, "/a.html"},
		{"not_fetched", func(w *world, s *spidertest.Site) {
			s.HTML("/", `<a href="/a.html">a</a>`)
			w.index("-n", "1")
		}, "/a.html"},
		{"lost", func(w *world, s *spidertest.Site) {
			s.HTML("/", `<a href="/a.html">a</a>`)
			s.HTML("/a.html", `<title>a</title>apple`)
			w.index()
			s.Set("/a.html", spidertest.Page{Status: 504, Body: "later"})
			w.pass(8 * 24 * time.Hour)
			w.index()
			w.pass(2 * 24 * time.Hour)
			w.index()
		}, "/a.html"},
		{"missing", func(w *world, s *spidertest.Site) {
			s.HTML("/", `<a href="/a.html">a</a>`)
			w.index()
		}, "/a.html"},
		{"redirects", func(w *world, s *spidertest.Site) {
			s.HTML("/", `<a href="/one">1</a>`)
			s.Set("/one", spidertest.Page{Status: 301, Header: map[string]string{"Location": "/two"}})
			s.Set("/two", spidertest.Page{Status: 302, Header: map[string]string{"Location": "/three"}})
			s.HTML("/three", `<title>end</title>here`)
			w.index()
		}, "/two"},
		{"redirect_loop", func(w *world, s *spidertest.Site) {
			s.Set("/", spidertest.Page{Status: 302, Header: map[string]string{"Location": "/b"}})
			s.Set("/b", spidertest.Page{Status: 302, Header: map[string]string{"Location": "/"}})
			w.index()
		}, "/"},
		{"clone", func(w *world, s *spidertest.Site) {
			s.HTML("/", `<a href="/a.html">a</a> <a href="/b.html">b</a> <a href="/c.html">c</a>`)
			for _, path := range []string{"/a.html", "/b.html", "/c.html"} {
				s.HTML(path, "<title>twins</title>same words")
			}
			w.index()
		}, "/b.html"},
		{"original", func(w *world, s *spidertest.Site) {
			var front strings.Builder
			for i := range 14 {
				fmt.Fprintf(&front, `<a href="/%02d">x</a> `, i)
				s.HTML(fmt.Sprintf("/%02d", i), "<title>many</title>same words")
			}
			s.HTML("/", front.String())
			w.index()
		}, "/00"},
		{"noindex", func(w *world, s *spidertest.Site) {
			s.HTML("/", `<a href="/a.html">a</a>`)
			s.HTML("/a.html", `<title>a</title>apple <a href="/">up</a>`)
			w.index()
			s.HTML("/a.html", `<meta name="robots" content="noindex"><title>a</title>apple <a href="/">up</a>`)
			w.pass(8 * 24 * time.Hour)
			w.index()
		}, "/a.html"},
		{"check_only", func(w *world, s *spidertest.Site) {
			start(w, s, `CheckOnly \.iso$`+"\n")
			s.HTML("/", `<a href="/a.iso">a</a>`)
			s.HTML("/a.iso", "image")
			w.index()
		}, "/a.iso"},
		{"robots_refused", func(w *world, s *spidertest.Site) {
			s.HTML("/", `<a href="/secret/a.html">a</a>`)
			s.HTML("/secret/a.html", "<title>a</title>apple")
			w.index()
			s.Set("/robots.txt", spidertest.Page{Type: "text/plain", Body: "# ours\nUser-agent: *\nDisallow: /secret/ # not yours\n"})
			w.pass(8 * 24 * time.Hour)
			w.index()
		}, "/secret/a.html"},
		{"deferred", func(w *world, s *spidertest.Site) {
			s.HTML("/", `<a href="/a.html">a</a>`)
			s.HTML("/a.html", "<title>a</title>apple")
			s.Set("/robots.txt", spidertest.Page{Type: "text/plain", Body: "User-agent: *\nAllow: /a\nDisallow: /b\n"})
			w.index()
			s.Set("/robots.txt", spidertest.Page{Status: 503, Body: "later"})
			w.pass(8 * 24 * time.Hour)
			w.crawl()
		}, "/a.html"},
		{"gsa_closed_for_now", func(w *world, s *spidertest.Site) {
			w.spider("Threads 1\nRobotsPolicy gsa\n")
			s.HTML("/", `<a href="/a.html">a</a>`)
			s.HTML("/a.html", "<title>a</title>apple")
			s.Set("/robots.txt", spidertest.Page{Type: "text/plain", Body: "User-agent: *\nAllow: /a\nDisallow: /b\n"})
			w.index()
			s.Set("/robots.txt", spidertest.Page{Status: 403, Body: "no"})
			w.pass(8 * 24 * time.Hour)
			w.crawl()
			w.pass(24 * time.Hour)
			w.crawl()
		}, "/a.html"},
		{"gsa_closed", closedByGSA, "/a.html"},
		{"gsa_closed_and_silent", func(w *world, s *spidertest.Site) {
			closedByGSA(w, s)
			w.spider("Threads 1\nRobotsPolicy gsa\nLostLimit 2\nConnectivityInterval 0\n")
			s.Set("/robots.txt", spidertest.Wire(""))
			w.pass(8 * 24 * time.Hour)
			w.crawl()
		}, "/a.html"},
		{"gsa_closed_unregistered", closedByGSA, "/b.html"},
		{"gsa_never_open", func(w *world, s *spidertest.Site) {
			w.spider("Threads 1\nRobotsPolicy gsa\n")
			s.Set("/robots.txt", spidertest.Page{Status: 500, Body: "no"})
			w.crawl()
		}, "/"},
		{"filtered", func(w *world, s *spidertest.Site) {
			s.HTML("/", `<a href="/a.html">a</a>`)
			s.HTML("/a.html", "<title>a</title>apple")
			w.index()
			start(w, s, "Allow /b\nDisallow /a /c\n")
			w.pass(8 * 24 * time.Hour)
			w.index(w.accept()...)
		}, "/a.html"},
		{"too_deep", func(w *world, s *spidertest.Site) {
			s.HTML("/", `<a href="/a.html">a</a>`)
			s.HTML("/a.html", "<title>a</title>apple")
			w.index()
			start(w, s, "MaxHops 0\n")
			w.pass(8 * 24 * time.Hour)
			w.index(w.accept()...)
		}, "/a.html"},
		{"unregistered", func(w *world, s *spidertest.Site) {
			s.HTML("/", "front")
			w.index()
		}, "/nobody/links/here"},
		{"unregistered_filtered", func(w *world, s *spidertest.Site) {
			start(w, s, "DisallowNoMatch html\n")
		}, "/image.png"},
		{"unregistered_skipped", func(w *world, s *spidertest.Site) {
			s.HTML("/", `<a href="/image.png">a</a>`)
			w.index()
		}, "/image.png"},
		{"unregistered_robots", func(w *world, s *spidertest.Site) {
			s.Set("/robots.txt", spidertest.Page{Type: "text/plain", Body: "User-agent: *\nDisallow: /a\n"})
			s.HTML("/", "front")
			w.index()
		}, "/a.html?q=1"},
		{"no_rules", func(w *world, s *spidertest.Site) {
			s.HTML("/", "front words")
			w.index()
			if err := os.Remove(filepath.Join(w.dir, "sets.cnf")); err != nil {
				w.t.Fatal(err)
			}
		}, "/"},
		{"control", func(w *world, s *spidertest.Site) {
			s.HTML("/", "<a href=\"/a\x1b[31m\u202e?\x07=\u009b\">a</a>")
			s.HTML("/a%1B[31m%E2%80%AE?%07=%C2%9B", "<title>bell \x07 red \x1b[31m back \u202e \"quoted\"</title><link rel=canonical href='\x1b]0;x\x07'>words")
			w.index()
		}, "/a\x1b[31m\u202e?\x07=\u009b"},
		{"hold", func(w *world, s *spidertest.Site) { // 12 live documents: the fourth that turns lost is one too many
			var front strings.Builder
			for i := range 10 {
				fmt.Fprintf(&front, `<a href="/%02d">x</a> `, i)
				s.HTML(fmt.Sprintf("/%02d", i), fmt.Sprintf("<title>many</title>number %d", i))
			}
			s.HTML("/", front.String()+`<a href="/a.html">a</a>`)
			s.HTML("/a.html", "<title>a</title>apple")
			w.index()
			for i := range 10 {
				s.Set(fmt.Sprintf("/%02d", i), spidertest.Page{Status: 500, Body: "out of order"})
			}
			s.Set("/03", spidertest.Wire("HTTP/1.1 \x1b[31mred broken\r\n\r\n"))
			s.Set("/a.html", spidertest.Page{Status: 404})
			w.pass(8 * 24 * time.Hour)
			w.index()
		}, "/a.html"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			site := spidertest.NewSite(t)
			w := newWorld(t, "")
			start(w, site, "")
			c.crawl(w, site)
			pin(t, c.name, explained(w, site.URL+c.url))
		})
	}
}

// closedByGSA lets a host refuse its robots.txt so often that all its documents leave the index.
func closedByGSA(w *world, s *spidertest.Site) {
	w.spider("Threads 1\nRobotsPolicy gsa\nLostLimit 2\n")
	s.HTML("/", `<a href="/a.html">a</a>`)
	s.HTML("/a.html", "<title>a</title>apple")
	w.crawl()
	s.Set("/robots.txt", spidertest.Page{Status: 403, Body: "no"})
	for range 2 {
		w.pass(8 * 24 * time.Hour)
		w.crawl()
	}
}

// TestExplainRefuses verifies that --explain of an invalid URL prints a message that names it without its
// password (B9), and that the exit code is 1.
func TestExplainRefuses(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	for _, c := range []struct{ typed, want string }{
		{"ftp://www.example.org/", `index: "ftp://www.example.org/": neither http nor https`},
		{"www.example.org", `index: "www.example.org" is no URL: write http://www.example.org/`},
		{"http://me:secret@www.example.org:99999/", `index: "http://www.example.org:99999/": bad port`},
		{"http://me:sec/ret@www.example.org/", `index: "http://www.example.org/": bad port`},
		{"\x1b[31m", `index: "\x1b[31m": not an absolute URL`},
	} {
		code, out, errOut := w.try("--explain", c.typed)
		if code != exitFailed || out != "" || !strings.HasPrefix(errOut, c.want) || strings.Count(errOut, "\n") != 1 {
			t.Errorf("%q: exit %d\n%s%s, want %s", c.typed, code, out, errOut, c.want)
		}
	}
	code, out, _ := w.try("--explain", "http://me:secret@www.example.org/")
	if code != exitFailed || strings.Contains(out, "secret") || !strings.Contains(out, `given as "http://www.example.org/"`) {
		t.Errorf("exit %d\n%s", code, out)
	}
}

// TestExplainRank verifies that --explain shows a link rank only for a document that has one.
func TestExplainRank(t *testing.T) {
	t.Parallel()
	site := spidertest.NewSite(t)
	site.HTML("/", "front")
	w := newWorld(t, "Server "+site.URL+"/\n")
	w.index()
	rank := regexp.MustCompile(`(?m)^Rank +0\.15$`) // nothing links to it
	if out := w.index("--explain", site.URL+"/"); !rank.MatchString(out) {
		t.Errorf("no rank:\n%s", out)
	}
	if _, err := w.pool.Exec(t.Context(), `DELETE FROM urlrank`); err != nil {
		t.Fatal(err)
	}
	if out := w.index("--explain", site.URL+"/"); strings.Contains(out, "\nRank ") {
		t.Errorf("a rank without ranks:\n%s", out)
	}
}
