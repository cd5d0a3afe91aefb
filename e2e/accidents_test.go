package e2e

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pgseek/pgseek/spider/spidertest"
)

// accidentTest is a crawled site of 15 pages, to which accidents happen.
type accidentTest struct {
	*world
	site, other *spidertest.Site
	server      string // its Server line
	pages       map[string]spidertest.Page
	documents   []string
}

func newAccidentTest(t *testing.T) *accidentTest {
	a := &accidentTest{site: forest(t, 12), other: spidertest.NewSiteOn(t, "127.0.0.2"), pages: map[string]spidertest.Page{}}
	a.other.HTML("/", "another site")
	a.server = "Server " + a.site.URL + "/\n"
	a.world = newWorld(t, a.server)
	a.index()
	a.documents = a.found()
	for path := range a.site.Count() {
		a.pages[path] = a.site.Page(path)
	}
	a.pass(time.Hour)
	return a
}

// found returns the URLs that a search finds.
func (a *accidentTest) found() []string {
	list := a.rows(`SELECT DISTINCT url FROM unnest(ARRAY['hidden', 'open', 'deep', 'x']) word, search(word, 100)`)
	slices.Sort(list)
	return list
}

// all makes every page answer alike.
func (a *accidentTest) all(p spidertest.Page) {
	for path := range a.pages {
		a.site.Set(path, p)
	}
}

// mend makes all as it was.
func (a *accidentTest) mend() {
	a.sets(a.server)
	a.site.Remove("/robots.txt")
	for path, page := range a.pages {
		a.site.Set(path, page)
	}
}

// TestAccidents: what happens to web servers and configurations by accident takes no document out, also the second time, and is
// told as a warning or an error, with the remedy. When the cause is gone, all is as before, and no page had to be sent again.
func TestAccidents(t *testing.T) {
	t.Parallel()
	a := newAccidentTest(t)
	refused := spidertest.Page{Status: http.StatusNotAcceptable, Body: "Not Acceptable!"}
	for _, c := range []struct {
		what   string
		happen func()
		code   int
		say    []string // parts of a line of a warning or an error
		remedy string   // in the same line or the one below
	}{
		{
			"406 of one page", func() { a.site.Set("/secret/3.html", refused) }, exitDone,
			nil, "",
		},
		{
			"406 of every page", func() { a.all(refused) }, exitFailed,
			[]string{"level=WARN msg=\"site on hold\" site=SITE/", "all its start URLs failed", "let the web server admit this user agent: "},
			"index --release SITE/",
		},
		{
			"Disallow .*", func() { a.sets("Disallow .*\n" + a.server) }, exitUsage,
			[]string{"would take 15 of 15 documents out", "sets.cnf:1 Disallow .*: 15"},
			"--accept-rules=",
		},
		{
			"a second project", func() { a.sets("Server " + a.other.URL + "/\n") }, exitUsage,
			[]string{"sets.cnf (host 127.0.0.2) does not belong to the database", "which host 127.0.0.1 crawls"},
			"--adopt",
		},
		{
			"robots.txt of an hour", func() { a.site.Set("/robots.txt", ban) }, exitFailed,
			[]string{"level=WARN msg=\"robots.txt forbids more than MaxLostShare", "site=SITE/"},
			"index --release SITE/",
		},
		{
			"429", func() {
				a.all(spidertest.Page{Status: http.StatusTooManyRequests, Header: map[string]string{"Retry-After": "3600"}})
			}, exitDone,
			[]string{"level=WARN msg=\"host asked for a pause", "host=127.0.0.1", "status=429"},
			"index --release SITE/",
		},
	} {
		a.pass(time.Hour)
		c.happen()
		names := strings.NewReplacer("SITE", a.site.URL)
		for n := range 2 {
			a.site.Forget()
			code, _, errOut := a.try("-a")
			if code != c.code {
				t.Errorf("%s, run %d: exit %d, want %d", c.what, n, code, c.code)
			}
			for _, part := range append(c.say, c.remedy) {
				if !strings.Contains(errOut, names.Replace(part)) {
					t.Errorf("%s, run %d: not told: %s\n%s", c.what, n, names.Replace(part), errOut)
				}
			}
			if got := a.found(); !slices.Equal(got, a.documents) {
				t.Errorf("%s, run %d: found are %q, want %q", c.what, n, got, a.documents)
			}
			for path, asked := range a.site.Count() {
				if asked > maxAsked {
					t.Errorf("%s, run %d: %s was asked for %d times", c.what, n, path, asked)
				}
			}
		}
		a.mend()
		a.pass(2 * time.Hour)
		a.site.Forget()
		a.index("-a")
		for _, r := range a.site.Requests() {
			if r.Path != "/robots.txt" && r.Status != http.StatusNotModified {
				t.Errorf("%s: %s is sent again: %d", c.what, r.Path, r.Status)
			}
		}
		if got := a.found(); !slices.Equal(got, a.documents) {
			t.Errorf("%s, mended: found are %q, want %q", c.what, got, a.documents)
		}
		if got := a.rows(`SELECT url, status, error_count FROM urlword JOIN urlstate USING (url_id) WHERE status <> 200 OR deleted <> 0 OR error_count <> 0`); len(got) > 0 {
			t.Errorf("%s, mended: %q", c.what, got)
		}
		if got := a.rows(`SELECT reason FROM sites_on_hold`); len(got) > 0 {
			t.Errorf("%s, mended: on hold: %q", c.what, got)
		}
		a.check()
	}
}
