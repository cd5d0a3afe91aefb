package e2e

import (
	"testing"
	"time"

	"github.com/pgseek/pgseek/spider/spidertest"
)

// dueAgain compares when a URL is due again, and why.
func (s *transitionTest) dueAgain(path, at, why string) {
	s.t.Helper()
	r := s.read.all()[path]
	if r.URL.Next != at || r.State.NextWhy != why {
		s.t.Errorf("%s: due %s (%s), want %s (%s)", path, r.URL.Next, r.State.NextWhy, at, why)
	}
}

// visit runs index on URLs and lets a little time pass.
func (s *transitionTest) visit(paths ...string) {
	s.t.Helper()
	s.wake(paths...)
	s.index("-q", "--no-merge")
}

// TestNextTimeOfSuccess verifies the next visit after a success: the Period of the Server, a day for
// CrawlFrequently, at least four Periods for CrawlInfrequently. A later Expires always wins, up to a year.
func TestNextTimeOfSuccess(t *testing.T) {
	t.Parallel()
	s := newEmptyTransitionTest(t, "Period 3d\nCrawlFrequently /news\nCrawlInfrequently /old /news/old", "")
	expires := func(d time.Duration) spidertest.Page {
		return spidertest.Page{Body: testPage{title: "expires"}.html() + d.String(), Header: map[string]string{"Expires": httpTime(time.Now().Add(d))}}
	}
	s.put("/a", testPage{title: "a"})
	s.put("/news", testPage{title: "news"})
	s.put("/news/old", testPage{title: "both"})
	s.put("/old", testPage{title: "old"})
	s.site.Set("/soon", expires(2*day))
	s.site.Set("/late", expires(20*day))
	s.site.Set("/news/late", expires(21*day))
	s.site.Set("/old/late", expires(22*day))
	s.site.Set("/2037", expires(5000*day))
	s.site.Set("/bad", spidertest.Page{Body: testPage{title: "bad"}.html(), Header: map[string]string{"Expires": "0"}})
	s.answer("/moved", 301, "Location", "/a")
	all := []string{"/a", "/news", "/news/old", "/old", "/soon", "/late", "/news/late", "/old/late", "/2037", "/bad", "/moved"}
	s.front(all...)
	s.index()
	for range 2 { // what is unchanged is due as what is new
		for path, want := range map[string][2]string{
			"/a": {"+3d", "period 3d"}, "/news": {"+1d", "frequently: 1d"}, "/news/old": {"+1d", "frequently: 1d"}, "/old": {"+12d", "infrequently: 12d"},
			"/soon": {"+3d", "period 3d"}, "/late": {"+20d", "expires 20d"}, "/news/late": {"+21d", "expires 21d"}, "/old/late": {"+22d", "expires 22d"},
			"/2037": {"+365d", "expires 365d"}, "/bad": {"+3d", "period 3d"}, "/moved": {"+3d", "period 3d"},
		} {
			s.dueAgain(path, want[0], want[1])
		}
		s.visit(all...)
	}
	for path, want := range map[string]int{"/a": 0, "/news": 1, "/news/old": 1, "/old": -1} {
		if got := s.read.all()[path].State.Pace; got != want {
			t.Errorf("%s: pace %d, want %d", path, got, want)
		}
	}
}

// TestNextTimeAdaptive verifies Schedule adaptive: an unchanged page is fetched after 1, 3, 7 and 14 days,
// one step more after each UnchangedChecks results, and a day after a change.
func TestNextTimeAdaptive(t *testing.T) {
	t.Parallel()
	s := newEmptyTransitionTest(t, "Schedule adaptive", "UnchangedChecks 2")
	s.put("/a", testPage{title: "a"})
	s.answer("/moved", 301, "Location", "/a")
	s.front("/a", "/moved")
	s.index()
	check := func(at, why string, step, unchanged int) {
		t.Helper()
		for _, path := range []string{"/a", "/moved"} {
			s.dueAgain(path, at, why)
			if got := s.read.all()[path].State; got.Step != step || got.Unchanged != unchanged {
				t.Errorf("%s: step %d after %d unchanged results, want %d after %d", path, got.Step, got.Unchanged, step, unchanged)
			}
		}
	}
	check("+1d", "adaptive step 0: 1d", 0, 0)
	for _, want := range []struct {
		at, why         string
		step, unchanged int
	}{
		{"+1d", "adaptive step 0: 1d", 0, 1},
		{"+3d", "adaptive step 1: 3d", 1, 0},
		{"+3d", "adaptive step 1: 3d", 1, 1},
		{"+7d", "adaptive step 2: 7d", 2, 0},
		{"+7d", "adaptive step 2: 7d", 2, 1},
		{"+14d", "adaptive step 3: 14d", 3, 0},
		{"+14d", "adaptive step 3: 14d", 3, 1},
		{"+14d", "adaptive step 3: 14d", 3, 0},
	} {
		s.visit("/a", "/moved")
		check(want.at, want.why, want.step, want.unchanged)
	}
	// An error keeps the step, a change resets it.
	s.answer("/a", 502)
	s.visit("/a")
	s.dueAgain("/a", "+1d", "server error 1: 1d")
	if got := s.read.all()["/a"].State.Step; got != 3 {
		t.Errorf("step after an error: %d", got)
	}
	s.put("/a", testPage{title: "new"})
	s.answer("/moved", 301, "Location", "/")
	s.visit("/a", "/moved")
	check("+1d", "adaptive step 0: 1d", 0, 0)
}

// TestNextTimeFromTheEnvironment verifies that base, cap and back-off can be set in the environment.
func TestNextTimeFromTheEnvironment(t *testing.T) {
	t.Parallel()
	s := newEmptyTransitionTest(t, "Schedule adaptive", "")
	s.env = []string{"CRAWL_BASE_INTERVAL_SECONDS=7200", "CRAWL_MAX_INTERVAL_SECONDS=36000", "CRAWL_ERROR_BACKOFF_BASE=3600"}
	s.put("/a", testPage{title: "a"})
	s.front("/a", "/gone")
	s.index()
	s.dueAgain("/a", "+2h", "adaptive step 0: 2h")
	s.dueAgain("/gone", "+1h", "never indexed, gone error 1: 1h")
	for _, want := range [][4]string{
		{"+6h", "adaptive step 1: 6h", "+2h", "never indexed, gone error 2: 2h"},
		{"+10h", "adaptive step 2: 10h", "+4h", "never indexed, gone error 3: 4h"},
		{"+10h", "adaptive step 3: 10h", "+8h", "never indexed, gone error 4: 8h"},
		{"+10h", "adaptive step 3: 10h", "+10h", "never indexed, gone error 5: 10h"},
	} {
		s.visit("/a", "/gone")
		s.dueAgain("/a", want[0], want[1])
		s.dueAgain("/gone", want[2], want[3])
	}
}
