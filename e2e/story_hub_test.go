package e2e

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/pgseek/pgseek/spider/spidertest"
)

// stalls is a page that sends its beginning and nothing more.
var stalls = spidertest.Page{Serve: func(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/html")
	_, _ = io.WriteString(w, "<title>parent</title><p>many")
	_ = http.NewResponseController(w).Flush()
	<-r.Context().Done()
}}

// TestStoryParentTimesOut: the page that links to two others times out in two runs. The children do not
// change and are visited by their own dates. Nothing is lost, and no link is forgotten. index --respider
// follows links, and uses those that the parent had in its last answer: the children are reached and are no
// orphans.
func TestStoryParentTimesOut(t *testing.T) {
	t.Parallel()
	const index = `
		found
			front welcome: /
			one: /one
			child: /one /two
			many parent: /parent
			two: /two
		cited
			/parent: by /
			/one /two: by /parent`
	s := newScenario(t, "", "ReadTimeOut 5s\nConnectivityInterval 0\n")
	s.page("/", "front", "welcome", "/parent")
	s.page("/parent", "parent", "many", "/one", "/two")
	s.page("/one", "child", "one")
	s.page("/two", "child", "two")
	s.later(0)
	s.sees("the site is found", `
		asked
			/robots.txt: 404
			/ /one /parent /two: 200
		rules
			/ /one /parent /two: T-01 200, 0 -> 200
		pages
			/ /one /parent /two: 200; 2 words; answered now; due in 7d: period 7d; dates now, now`, index)

	s.site.Set("/parent", stalls)
	s.later(8 * day)
	s.sees("the parent hangs", `
		asked
			/robots.txt: 404
			~/ ~/one: 304
			~/parent: 0
			~/two: 304
		rules
			/ /one: T-02 304, 200 -> 200
			/parent: T-10 704, 200 -> 200, not complete in time: 5s
			/two: T-02 304, 200 -> 200
		pages
			/ /one: 200; 2 words; answered now; due in 7d: period 7d; dates 8d ago, 8d ago
			/parent: 200; 2 words; answered 8d ago; due in 5h: unreachable error 1: 5h; unreachable 1; dates 8d ago, 8d ago
			/two: 200; 2 words; answered now; due in 7d: period 7d; dates 8d ago, 8d ago`, index)

	s.later(6*time.Hour, "--respider")
	s.sees("it hangs while all is reached by links", `
		asked
			/robots.txt: 404
			~/ ~/one: 304
			~/parent: 0
			~/two: 304
		rules
			/ /one: T-02 304, 200 -> 200
			/parent: T-10 704, 200 -> 200, not complete in time: 5s
			/two: T-02 304, 200 -> 200
		pages
			/ /one: 200; 2 words; answered now; due in 7d: period 7d; dates 8d6h ago, 8d6h ago
			/parent: 200; 2 words; answered 8d6h ago; due in 1d: unreachable error 2: 1d; unreachable 2; dates 8d6h ago, 8d6h ago
			/two: 200; 2 words; answered now; due in 7d: period 7d; dates 8d6h ago, 8d6h ago`, index)
	if out := s.index("--orphans", "list"); strings.Contains(out, s.site.URL) {
		t.Errorf("orphans:\n%s", out)
	}
	s.explains(t, "/one", "child-of-a-parent-that-hangs")

	s.page("/parent", "parent", "many", "/one", "/two")
	s.later(25 * time.Hour)
	s.sees("the parent answers", `
		asked
			/robots.txt: 404
			~/ ~/parent: 304
		rules
			/ /parent: T-02 304, 200 -> 200
		pages
			/: 200; 2 words; answered now; due in 7d: period 7d; dates 9d7h ago, 9d7h ago
			/one: 200; 2 words; answered 1d1h ago; due in 5d23h: period 7d; dates 9d7h ago, 9d7h ago
			/parent: 200; 2 words; answered now; due in 7d: period 7d; dates 9d7h ago, 9d7h ago
			/two: 200; 2 words; answered 1d1h ago; due in 5d23h: period 7d; dates 9d7h ago, 9d7h ago`, index)
	s.explains(t, "/parent", "parent-that-hung")
}

// The hub links to four parts.
const (
	hubFound = `
		found
			front welcome: /
			map parts: /hub
			part1: /p1
			part: /p1 /p2 /p3 /p4
			part2: /p2
			part3: /p3
			part4: /p4`
	hubWhole = `
		cited
			/hub: by /
			/p1 /p2 /p3 /p4: by /hub`
	hubHalf = `
		cited
			/hub: by /
			/p1 /p2: by /hub`
)

func newHub(t *testing.T) *scenario {
	t.Helper()
	s := newScenario(t, "", "")
	s.page("/", "front", "welcome", "/hub")
	s.page("/hub", "map", "parts", "/p1", "/p2", "/p3", "/p4")
	for _, n := range []string{"1", "2", "3", "4"} {
		s.page("/p"+n, "part", "part"+n)
	}
	s.later(0)
	s.sees("the site is found", `
		asked
			/robots.txt: 404
			/ /hub /p1 /p2 /p3 /p4: 200
		rules
			/ /hub /p1 /p2 /p3 /p4: T-01 200, 0 -> 200
		pages
			/ /hub /p1 /p2 /p3 /p4: 200; 2 words; answered now; due in 7d: period 7d; dates now, now`, hubFound, hubWhole)
	return s
}

// TestStoryHubLosesLinks: a generated page that all others depend on has only half its links for one run. The
// pages behind the missing links are still visited by their own dates, and stay. Only the citations go, and
// come back with the links.
func TestStoryHubLosesLinks(t *testing.T) {
	t.Parallel()
	s := newHub(t)

	s.page("/hub", "map", "parts", "/p1", "/p2")
	s.later(8 * day)
	s.sees("half the links are missing", `
		asked
			/robots.txt: 404
			~/: 304
			~/hub: 200
			~/p1 ~/p2 ~/p3 ~/p4: 304
		rules
			/: T-02 304, 200 -> 200
			/hub: T-04 200, 200 -> 200
			/p1 /p2 /p3 /p4: T-02 304, 200 -> 200
		pages
			/: 200; 2 words; answered now; due in 7d: period 7d; dates 8d ago, 8d ago
			/hub: 200; 2 words; answered now; due in 7d: period 7d; dates 8d ago, now
			/p1 /p2 /p3 /p4: 200; 2 words; answered now; due in 7d: period 7d; dates 8d ago, 8d ago`, hubFound, hubHalf)
	s.explains(t, "/p4", "unlinked")

	s.page("/hub", "map", "parts", "/p1", "/p2", "/p3", "/p4")
	s.later(day, "-a")
	s.sees("the links are back", `
		asked
			/robots.txt: 404
			~/: 304
			~/hub: 200
			~/p1 ~/p2 ~/p3 ~/p4: 304
		rules
			/: T-02 304, 200 -> 200
			/hub: T-04 200, 200 -> 200
			/p1 /p2 /p3 /p4: T-02 304, 200 -> 200
		pages
			/: 200; 2 words; answered now; due in 7d: period 7d; dates 9d ago, 9d ago
			/hub: 200; 2 words; answered now; due in 7d: period 7d; dates 9d ago, now
			/p1 /p2 /p3 /p4: 200; 2 words; answered now; due in 7d: period 7d; dates 9d ago, 9d ago`, hubFound, hubWhole)
	s.explains(t, "/p4", "linked-again")
}

// TestStoryHubLosesLinksUnderRespider: the same, while index --respider follows links only. Pages that it
// does not reach are orphans at once, but none is purged before OrphanPeriod is over. The next run that
// reaches them restores their state.
func TestStoryHubLosesLinksUnderRespider(t *testing.T) {
	t.Parallel()
	s := newHub(t)

	s.page("/hub", "map", "parts", "/p1", "/p2")
	s.later(8*day, "--respider")
	const halfPages = `
		pages
			/: 200; 2 words; answered now; due in 7d: period 7d; dates 8d ago, 8d ago
			/hub: 200; 2 words; answered now; due in 7d: period 7d; dates 8d ago, now
			/p1 /p2: 200; 2 words; answered now; due in 7d: period 7d; dates 8d ago, 8d ago
			/p3 /p4: 200; 2 words; answered 8d ago; due 1d ago: period 7d; dates 8d ago, 8d ago`
	const halfOrphans = `
		orphans
			/p3 /p4: since now`
	s.sees("half the links are missing", `
		asked
			/robots.txt: 404
			~/: 304
			~/hub: 200
			~/p1 ~/p2: 304
		rules
			/: T-02 304, 200 -> 200
			/hub: T-04 200, 200 -> 200
			/p1 /p2: T-02 304, 200 -> 200`, halfPages, hubFound, hubHalf, halfOrphans)
	s.explains(t, "/p4", "orphan")

	s.begin()
	out := s.index("--orphans", "list")
	for path, want := range map[string]bool{"/": false, "/hub": false, "/p1": false, "/p2": false, "/p3": true, "/p4": true} {
		if strings.Contains(out+"\n", s.site.URL+path+"\n") != want {
			t.Errorf("--orphans list, %s: want %v:\n%s", path, want, out)
		}
	}
	s.index("--orphans", "purge")
	s.sees("no orphan is purged before its time", halfPages, hubFound, hubHalf, halfOrphans)

	s.page("/hub", "map", "parts", "/p1", "/p2", "/p3", "/p4")
	s.later(day, "--respider")
	s.sees("the links are back", `
		asked
			/robots.txt: 404
			~/: 304
			~/hub: 200
			~/p1 ~/p2 ~/p3 ~/p4: 304
		rules
			/: T-02 304, 200 -> 200
			/hub: T-04 200, 200 -> 200
			/p1 /p2 /p3 /p4: T-02 304, 200 -> 200
		pages
			/: 200; 2 words; answered now; due in 7d: period 7d; dates 9d ago, 9d ago
			/hub: 200; 2 words; answered now; due in 7d: period 7d; dates 9d ago, now
			/p1 /p2 /p3 /p4: 200; 2 words; answered now; due in 7d: period 7d; dates 9d ago, 9d ago`, hubFound, hubWhole)
	s.explains(t, "/p4", "orphan-no-more")
}
