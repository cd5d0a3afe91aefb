package e2e

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/pgseek/pgseek/spider/spidertest"
)

// TestDeadHostIsRemoved verifies that UnreachableRemove acts on a host that does not answer any more: what the request for
// robots.txt met is the result of each of its URLs, and after four of them its documents are purged, once the hold of the site
// is over.
func TestDeadHostIsRemoved(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		remove bool
		want   []string // status of a document, after each run
	}{
		{true, []string{"200", "200", "200", "702", "702"}},
		{false, []string{"200", "200", "200", "200", "200"}},
	} {
		t.Run(fmt.Sprintf("UnreachableRemove %v", c.remove), func(t *testing.T) {
			t.Parallel()
			site := spidertest.NewSite(t)
			open, shut := toggledAddress(t, site)
			open()
			site.HTML("/", `front <a href="/a">x</a>`)
			site.HTML("/a", "document")
			w := newWorld(t, "Server "+site.URL+"/\n")
			w.spider("ConnectivityInterval 0\nLostPeriod 1d\nUnreachableRemove " + map[bool]string{true: "yes", false: "no"}[c.remove] + "\n")
			w.index()
			w.index("-i", "-u", site.URL+"/new")
			shut()
			for n, want := range c.want {
				w.pass(40 * 24 * time.Hour)
				w.crawl()
				if got := w.one(`SELECT status FROM urlword WHERE url LIKE '%/a'`); got != want {
					t.Errorf("run %d: status %s, want %s", n+1, got, want)
				}
				if got := w.one(`SELECT status FROM urlword WHERE url LIKE '%/new'`); got != "702" {
					t.Errorf("run %d: never answered: status %s", n+1, got)
				}
				got := w.one(`SELECT reason, ended_by IS NULL FROM site_hold`)
				if want := fmt.Sprint("start URLs ", n == 0); got != want {
					t.Errorf("run %d: hold %s, want %s", n+1, got, want)
				}
			}
			open()
			w.pass(40 * 24 * time.Hour)
			w.index()
			if got := strings.Join(w.rows(`SELECT status FROM urlword ORDER BY url`), " "); got != "200 200 404" {
				t.Errorf("back again: %s", got)
			}
			w.check()
		})
	}
}

// TestDeadHostIsAskedOnce verifies that one request for robots.txt tells all URLs of a host that nobody answers, and that a
// robots.txt which is answered but cannot be had says nothing about them (902), also where its redirect leads to a dead host.
func TestDeadHostIsAskedOnce(t *testing.T) {
	t.Parallel()
	const pages = 35
	site, dead := spidertest.NewSite(t), spidertest.NewSite(t)
	toggledAddress(t, dead)
	var front strings.Builder
	for i := range pages {
		fmt.Fprintf(&front, `<a href="/%d">x</a> `, i)
		site.HTML(fmt.Sprintf("/%d", i), fmt.Sprintf("page%d", i))
	}
	site.HTML("/", front.String())
	w := newWorld(t, "Server "+site.URL+"/\n")
	w.spider("AllowNetwork 127.0.0.0/8\nConnectivityInterval 0\n")
	w.index()
	for _, c := range []struct {
		what       string
		page       spidertest.Page
		rule, like string
	}{
		{"no answer", spidertest.Wire(""), "T-10 705", "robots.txt: EOF"},
		{"5xx", spidertest.Page{Status: 500}, "T-10 902", "robots.txt answered 500"},
		{
			"a redirect to a dead host",
			spidertest.Page{Status: 301, Header: map[string]string{"Location": dead.URL + "/robots.txt"}},
			"T-10 902", "robots.txt answered 301: " + dead.URL + "/robots.txt: dial tcp%",
		},
	} {
		site.Set("/robots.txt", c.page)
		w.pass(time.Hour)
		site.Forget()
		w.crawl("-a")
		if asked := site.Count(); len(asked) > 0 {
			t.Errorf("%s: pages were asked for: %v", c.what, asked)
		}
		if n := len(site.Requests()); n < 1 || n > 2 { // again on a new connection, perhaps
			t.Errorf("%s: %d requests for robots.txt", c.what, n)
		}
		got := strings.Join(w.rows(`SELECT h.rule, h.result, h.cause LIKE $1, count(*) FROM crawl_history h
			WHERE run_id = (SELECT max(run_id) FROM crawl_history) GROUP BY 1, 2, 3`, c.like), ", ")
		if want := fmt.Sprint(c.rule, " true ", pages+1); got != want {
			t.Errorf("%s: got %s, want %s: %s", c.what, got, want, w.rows(`SELECT DISTINCT cause FROM crawl_history`))
		}
	}
	w.check()
}
