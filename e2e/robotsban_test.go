package e2e

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/pgseek/pgseek/search/snippet"
	"github.com/pgseek/pgseek/spider/spidertest"
)

// ban is a robots.txt that forbids everything.
var ban = spidertest.Page{Type: "text/plain", Body: "User-agent: *\nDisallow: /\n"}

// banned crawls, compares whether the site is on hold and how many documents are found, and returns what was said.
func (w *world) banned(site *spidertest.Site, held, found string, args ...string) string {
	w.t.Helper()
	site.Forget()
	code, _, errOut := w.try(args...)
	if code != exitDone && !noStart(code, errOut) {
		w.t.Fatalf("index %v: exit %d\n%s", args, code, errOut)
	}
	if got := strings.Join(w.rows(`SELECT reason FROM sites_on_hold`), " "); got != held {
		w.t.Errorf("on hold: %q, want %q\n%s", got, held, errOut)
	}
	if got := w.one(`SELECT count(*) FROM search('hidden', 100)`); got != found {
		w.t.Errorf("%s documents are found, want %s", got, found)
	}
	w.check()
	return errOut
}

// TestRobotsBan verifies that a robots.txt that forbids a whole site is obeyed at once, and that its documents are found
// until it was seen on LostLimit different days; before that its end undoes it without a fetch.
func TestRobotsBan(t *testing.T) {
	t.Parallel()
	for _, pages := range []int{2, 25} { // below and above the size from which shares count
		t.Run(fmt.Sprint(pages), func(t *testing.T) {
			t.Parallel()
			site, all := forest(t, pages), fmt.Sprint(pages)
			w := newWorld(t, "Server "+site.URL+"/\n")
			w.index()
			site.Set("/robots.txt", ban)
			w.pass(time.Hour)
			for range 2 { // twice in a row
				said := w.banned(site, "robots.txt", all)
				if !strings.Contains(said, "level=WARN msg=\"robots.txt forbids more than MaxLostShare") || !strings.Contains(said, "index --release "+site.URL+"/") {
					t.Errorf("no warning with the remedy:\n%s", said)
				}
				if n := len(site.Count()); n != 0 {
					t.Errorf("%d forbidden pages are fetched", n)
				}
			}
			pages := &neighbours{world: w, site: site}
			pages.copies("/open.html", snippet.ErrNoArchive)
			w.pass(8 * day)
			w.banned(site, "robots.txt", all, "-a")
			site.Remove("/robots.txt")
			w.pass(time.Hour)
			w.banned(site, "", all)
			pages.copies("/open.html", nil)
			for _, r := range site.Requests() {
				if r.Status == 200 {
					t.Errorf("%s is fetched again", r.Path)
				}
			}
			if got := w.one(`SELECT count(*) FROM crawl_history WHERE rule IN ('T-12', 'T-15')`); got != "0" {
				t.Errorf("%s documents were taken out", got)
			}
			if got := w.one(`SELECT count(*) FROM docdates WHERE created > now() - interval '8 days'`); got != "0" {
				t.Errorf("%s documents have new dates", got)
			}
		})
	}
}

// TestRobotsBanTakesEffect verifies that a ban takes the documents out when it was fetched on LostLimit different days, or
// at the next crawl after --release, and that a ban that went and came back is counted from one.
func TestRobotsBanTakesEffect(t *testing.T) {
	t.Parallel()
	site := forest(t, 12)
	w := newWorld(t, "Server "+site.URL+"/\n")
	w.spider("LostLimit 3\n")
	w.index()
	site.Set("/robots.txt", ban)
	for range 2 {
		w.pass(day)
		w.banned(site, "robots.txt", "12")
	}
	site.Remove("/robots.txt")
	w.pass(day)
	w.banned(site, "", "12")
	site.Set("/robots.txt", ban)
	for _, c := range []struct{ held, found string }{{"robots.txt", "12"}, {"robots.txt", "12"}, {"", "0"}, {"", "0"}} {
		w.pass(day)
		w.banned(site, c.held, c.found)
	}
	site.Remove("/robots.txt")
	w.pass(day)
	w.banned(site, "", "12")
	site.Set("/robots.txt", ban)
	w.pass(day)
	w.banned(site, "robots.txt", "12")
	w.index("--release", site.URL+"/")
	w.banned(site, "", "0")
}
