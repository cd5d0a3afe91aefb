package e2e

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pgseek/pgseek/spider/spidertest"
)

// gateTest is a site with its pages, for tests of the safety gate.
type gateTest struct {
	*transitionTest
	paths []string
}

// newGateTest makes a site of n live documents: the front page and n-1 others.
func newGateTest(t *testing.T, n int, sets, spider string) *gateTest {
	t.Helper()
	g := &gateTest{}
	pages := map[string]testPage{}
	for i := 1; i < n; i++ {
		path := fmt.Sprintf("/p%02d", i)
		g.paths = append(g.paths, path)
		pages[path] = testPage{title: path[1:]}
	}
	g.transitionTest = newTransitionTest(t, sets, "BatchSize 50\n"+spider, pages, g.paths...)
	return g
}

// set makes pages answer with a status, or serves them again with 200.
func (g *gateTest) set(status int, paths ...string) {
	for _, path := range paths {
		switch status {
		case 200:
			g.put(path, testPage{title: path[1:]})
		case 602:
			g.answer(path, 301)
		case 705:
			g.mute(path)
		case 800:
			g.site.Set(path, unreadable)
		default:
			g.answer(path, status)
		}
	}
}

// crawls visits every URL, the start URL first, and compares how often each transition was applied.
func (g *gateTest) crawls(want string, args ...string) {
	g.t.Helper()
	g.crawl(append([]string{"-a", "--no-merge"}, args...)...)
	got := strings.Join(g.rows(`SELECT rule || ':' || count(*) FROM crawl_history WHERE run_id = (SELECT max(run_id) FROM crawl_history)
		GROUP BY rule ORDER BY rule`), " ")
	if got != want {
		g.t.Errorf("rules: got %s, want %s", got, want)
	}
}

// state compares columns of sitestate: gate, live, turned_lost, starts, starts_failed.
func (g *gateTest) state(want string) {
	g.t.Helper()
	if got := g.one(`SELECT gate::text, live, turned_lost, starts, starts_failed FROM sitestate`); got != want {
		g.t.Errorf("sitestate: got %s, want %s", got, want)
	}
}

// holds compares the rows of site_hold: reason, live, turned_lost, ended_by. Which URL closed the gate
// depends on the order of the visits.
func (g *gateTest) holds(want ...string) {
	g.t.Helper()
	got := g.rows(`SELECT h.reason, h.live, h.turned_lost, coalesce(h.ended_by, 'open') FROM site_hold h
		JOIN urlword u USING (url_id) JOIN sites s ON s.site_id = h.site_id AND s.site_id = u.site_id ORDER BY hold_id`)
	if diff := cmp.Diff(append([]string{}, want...), got); diff != "" {
		g.t.Errorf("holds (-want +got):\n%s", diff)
	}
}

// TestGateShare verifies the share: of a site with 20 live documents six (30 %) may turn lost in a day. The
// seventh puts the site on hold and stays as it is, as do all others, in this run and the next ones, until
// the site has recovered.
func TestGateShare(t *testing.T) {
	t.Parallel()
	g := newGateTest(t, 20, "", "")
	g.set(404, g.paths...)
	g.begin()
	g.crawls("T-02:1 T-07:6 T-10:13")
	g.state("h 20 6 1 0")
	g.holds("share 20 6 open")
	tooMany := strings.TrimPrefix(g.one(`SELECT url FROM urlword JOIN site_hold USING (url_id)`), g.site.URL)
	got := g.read.all()
	for _, path := range g.paths {
		h := got[path].History[0]
		switch {
		case h.Rule == "T-07":
			if path == tooMany {
				t.Errorf("%s put the site on hold, and is lost", path)
			}
			g.expect(path, lost("T-07", 404, "200 lost 404 x1", "gone", 1, "+1d", "1d"))
		case !strings.HasPrefix(h.Cause, "site on hold"):
			t.Errorf("%s: cause %q", path, h.Cause)
			fallthrough
		default: // nothing but the time of the next attempt
			g.expect(path, func(r *record) {
				r.attempt("T-10", 404, "200", 5, h.Cause)
				r.ill("unreachable", 1)
				r.next("+5h", "unreachable error 1: 5h")
			})
		}
	}
	g.expect("/", unchanged("T-02", 304, 0))
	if diff := cmp.Diff(g.want, got); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
	if got := g.one(`SELECT count(*) FROM sites_on_hold`); got != "1" {
		t.Errorf("sites_on_hold: %s rows", got)
	}

	// In the next run nothing more is lost, and lost documents are not counted on.
	g.pass(day)
	g.crawls("T-02:1 T-10:19")
	g.state("h 20 0 1 0")
	g.holds("share 20 6 open")
	if got := g.one(`SELECT count(*) FROM urlword WHERE status_lost_count(status) = 1`); got != "6" {
		t.Errorf("lost once: %s", got)
	}

	// Too few recover: 7 of 20 still fail.
	g.pass(day)
	g.set(200, g.paths[7:]...)
	g.crawls("T-02:13 T-10:7")
	g.state("h 20 0 1 0")
	g.pass(day)
	g.set(200, g.paths[6])
	g.crawls("T-02:14 T-10:6")
	g.state("a 20 0 1 0")
	g.holds("share 20 6 recovered")

	// The gate is armed again and counts from zero.
	g.set(200, g.paths...)
	g.crawls("T-02:20")
	g.pass(day)
	g.set(502, g.paths...)
	g.crawls("T-02:1 T-07:6 T-10:13")
	g.state("h 20 6 1 0")
	g.holds("share 20 6 recovered", "share 20 6 open")
}

// TestGateCountsWhatTurnsLost verifies that the gate counts documents that turn lost within a day. Documents
// lost before, those that are found again, and URLs that are no documents, do not count.
func TestGateCountsWhatTurnsLost(t *testing.T) {
	t.Parallel()
	g := newGateTest(t, 20, "", "")
	g.answer("/p19", 301, "Location", "/p18")
	g.crawls("T-02:19 T-05:1 T-10:1")
	g.index("-D")
	g.set(404, "/p01", "/p02", "/p19")
	g.crawls("T-02:17 T-07:2 T-08:1")
	g.state("a 19 2 1 0")
	g.set(200, "/p01", "/p02")
	g.crawls("T-02:19 T-08:1")
	g.set(404, "/p01", "/p02")
	g.crawls("T-02:17 T-07:2 T-08:1") // the same two
	g.state("a 19 2 1 0")
	g.pass(day)
	g.set(404, g.paths[2:7]...) // 5 of 19: the sixth would be too many
	g.crawls("T-02:12 T-07:7 T-08:1")
	g.state("a 19 5 1 0")
	g.holds()
	g.set(404, g.paths[7:13]...)
	g.index("-a", "--no-merge")
	g.state("h 19 5 1 0")
	g.holds("share 19 5 open")
	if got := g.one(`SELECT count(*) FROM lost_documents`); got != "7" {
		t.Errorf("lost documents: got %s, want 7", got)
	}
	g.index("-D")
	g.check()
}

// TestGateCountsTheRunsOfADay verifies that forty hourly runs over a site that has turned into 404 page by page lose no more of it than
// one run may: 30 % in a day. A day later the loss of that day does not count any more.
func TestGateCountsTheRunsOfADay(t *testing.T) {
	t.Parallel()
	g := newGateTest(t, 20, "", "")
	for i := range 6 {
		g.set(404, g.paths[i])
		g.index("-a", "--no-merge")
		g.pass(time.Hour)
	}
	g.state("a 20 6 1 0")
	g.set(404, g.paths[6])
	g.index("-a", "--no-merge")
	g.state("h 20 6 1 0")
	g.holds("share 20 6 open")
	g.set(404, g.paths...)
	g.pass(time.Hour)
	g.crawls("T-02:1 T-10:19")
	g.set(200, g.paths[6:]...)
	g.crawls("T-02:14 T-10:6")
	g.state("a 20 6 1 0")
	g.pass(23 * time.Hour)
	g.set(404, g.paths[6:9]...)
	g.crawls("T-02:11 T-07:9")
	g.state("a 20 3 1 0")
	g.index("-D")
	g.check()
}

// TestGateOfFortyHourlyRuns verifies the same over forty runs, each with its merge, of a site that turns into 404 at once or page by
// page: it is on hold at the end, and at most 30 % of its documents were ever lost.
func TestGateOfFortyHourlyRuns(t *testing.T) {
	t.Parallel()
	if !soak() {
		t.Skip("forty runs, twice")
	}
	for name, pages := range map[string]int{"at once": 19, "page by page": 1} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := newGateTest(t, 20, "", "")
			for run := range 40 {
				g.set(404, g.paths[min(run*pages, 19):min((run+1)*pages, 19)]...)
				g.index("-a")
				found := g.one(`SELECT count(*) FROM urlword WHERE status = 200 AND deleted = 0`)
				if n, err := strconv.Atoi(found); err != nil || n < 14 {
					t.Fatalf("run %d: %s of 20 documents are left that are not lost", run+1, found)
				}
				g.pass(time.Hour)
			}
			if got := g.one(`SELECT gate::text FROM sitestate`); got != "h" {
				t.Errorf("the gate is %s after forty runs", got)
			}
			g.check()
		})
	}
}

// TestGateOfAnyLoss verifies that 6xx, 8xx and removals by DeleteBad count as losses and are held back, too.
func TestGateOfAnyLoss(t *testing.T) {
	t.Parallel()
	kinds := []int{404, 602, 800, 410, 500, 404}
	t.Run("counted", func(t *testing.T) {
		t.Parallel()
		g := newGateTest(t, 20, "DeleteBad yes", "")
		for i, status := range kinds {
			g.set(status, g.paths[i])
		}
		g.crawls("T-02:14 T-07:1 T-09:1 T-11:1 T-13:3")
		g.state("a 20 6 1 0")
		g.holds()
	})
	t.Run("held back", func(t *testing.T) {
		t.Parallel()
		g := newGateTest(t, 20, "DeleteBad yes", "MaxLostShare 1%")
		for i, path := range g.paths {
			g.set(kinds[i%len(kinds)], path)
		}
		g.crawls("T-02:1 T-10:19")
		g.state("h 20 0 1 0")
		g.holds("share 20 0 open")
		g.pass(day)
		g.crawls("T-02:1 T-10:19")
	})
}

// TestGateOfSmallSites verifies that the share does not apply below 10 live documents, nor with MaxLostShare
// 100%.
func TestGateOfSmallSites(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		what         string
		live         int
		spider, want string
		held         bool
	}{
		{"9 documents", 9, "", "T-02:1 T-07:8", false},
		{"10 documents", 10, "", "T-02:1 T-07:3 T-10:6", true},
		{"half of them", 10, "MaxLostShare 50%", "T-02:1 T-07:5 T-10:4", true},
		{"no gate", 12, "MaxLostShare 100%", "T-02:1 T-07:11", false},
	} {
		t.Run(c.what, func(t *testing.T) {
			t.Parallel()
			g := newGateTest(t, c.live, "", c.spider)
			g.set(404, g.paths...)
			g.crawls(c.want)
			if held := len(g.rows(`SELECT FROM site_hold`)) > 0; held != c.held {
				t.Errorf("on hold: %t, want %t", held, c.held)
			}
		})
	}
}

// TestGateOfStartURLs verifies that a site of any size loses nothing while all its start URLs fail.
func TestGateOfStartURLs(t *testing.T) {
	t.Parallel()
	for _, status := range []int{500, 705} {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			t.Parallel()
			g := newGateTest(t, 3, "", "")
			g.set(status, "/", "/p01")
			g.crawls("T-02:1 T-10:2")
			g.state("h 3 0 1 1")
			g.holds("start URLs 3 0 open")
			g.pass(day)
			g.set(200, "/p01")
			g.crawls("T-02:2 T-10:1")
			g.state("h 3 0 1 1")
			g.front(g.paths...)
			g.crawls("T-02:3")
			g.state("a 3 0 1 0")
			g.holds("start URLs 3 0 recovered")
		})
	}
	t.Run("one of two", func(t *testing.T) {
		t.Parallel()
		g := newGateTest(t, 4, "", "")
		g.rules("Server " + g.site.URL + "/p01")
		g.set(500, "/p01", "/p02")
		g.crawls("T-02:2 T-07:2")
		g.state("a 4 2 2 1")
		g.front(g.paths...)
		g.set(200, g.paths...)
		g.crawls("T-02:3 T-16:1")       // a start page is read with its header and footer
		g.set(500, "/", "/p01", "/p02") // the first of them that fails is lost, with the other one all have
		g.crawls("T-02:1 T-07:1 T-10:2")
		g.state("h 4 1 2 2")
		g.holds("start URLs 4 1 open")
	})
	t.Run("-q", func(t *testing.T) { // no start URL belongs to the run
		t.Parallel()
		g := newGateTest(t, 3, "", "")
		g.set(500, "/", "/p01")
		g.crawls("T-02:1 T-07:2", "-q")
		g.state("a 3 2 0 0")
	})
}

// TestGateEnds verifies that a hold ends after LostPeriod or by --release. From then on documents are lost
// without being counted, until the site has recovered.
func TestGateEnds(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		what, by string
		end      func(g *gateTest)
	}{
		{"after LostPeriod", "expired", func(g *gateTest) { g.pass(9 * day) }},
		{"by --release", "released", func(g *gateTest) { g.index("--release", g.site.URL+"/") }},
	} {
		t.Run(c.what, func(t *testing.T) {
			t.Parallel()
			g := newGateTest(t, 20, "", "LostPeriod 10d")
			g.set(404, g.paths...)
			g.crawls("T-02:1 T-07:6 T-10:13")
			g.pass(2 * day)
			g.crawls("T-02:1 T-10:19")
			g.holds("share 20 6 open")
			c.end(g)
			g.crawls("T-02:1 T-07:19")
			g.state("o 20 0 1 0")
			g.holds("share 20 6 " + c.by)
			if got := g.rows(`SELECT status_lost_count(status), count(*) FROM urlword GROUP BY 1 ORDER BY 1`); !slices.Equal(got, []string{"0 1", "1 13", "2 6"}) {
				t.Errorf("lost counts and their documents: %v", got)
			}
			g.pass(time.Hour)
			g.crawls("T-02:1 T-07:19")
			g.state("o 20 0 1 0")
			g.set(200, g.paths[6:]...)
			g.crawls("T-02:14 T-07:6")
			g.state("a 20 0 1 0")
			g.set(200, g.paths...)
			g.crawls("T-02:20")
			g.set(404, g.paths...)
			g.crawls("T-02:1 T-07:6 T-10:13")
			g.holds("share 20 6 "+c.by, "share 20 6 open")
		})
	}
}

// TestAllStartURLsFailAlsoThoseOfLinks verifies that a start URL that a link had registered before counts
// like the others, when it fails and when the gate decides whether the site has recovered.
func TestAllStartURLsFailAlsoThoseOfLinks(t *testing.T) {
	t.Parallel()
	site := spidertest.NewSite(t)
	site.HTML("/", `front <a href="/b">x</a>`)
	site.HTML("/b", "page b")
	w := newWorld(t, "Server "+site.URL+"/\n")
	w.index()
	w.sets("Server " + site.URL + "/\nServer " + site.URL + "/b\n")
	site.Set("/", spidertest.Reset(""))
	site.Set("/b", spidertest.Reset(""))
	state := `SELECT gate::text, starts, starts_failed FROM sitestate`
	w.crawl()
	if got := w.one(state); got != "h 2 2" {
		t.Errorf("gate, starts, failed: %s; want h 2 2", got)
	}
	site.HTML("/b", "page b")
	w.index()
	if got := w.one(state); got != "a 2 1" {
		t.Errorf("one answers again: %s; want a 2 1", got)
	}
}
