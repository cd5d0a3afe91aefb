package e2e

import (
	"testing"
	"time"

	"github.com/pgseek/pgseek/spider/spidertest"
)

// TestStoryRobotsUnavailableForADay: the server answers 503 to requests for robots.txt, while its pages would
// work. Until that ends only robots.txt is requested, and nothing changes: a host with unknown rules gets no
// other requests, and its documents stay in the index. When robots.txt is back, the crawl continues under its
// rules.
func TestStoryRobotsUnavailableForADay(t *testing.T) {
	t.Parallel()
	const index = `
		found
			front welcome: /
			alpha apple: /a
		cited
			/a: by /
			/: by /a`
	rules := spidertest.Page{Type: "text/plain", Body: "User-agent: *\nDisallow: /private\n"}
	s := newScenario(t, "", "")
	s.site.Set("/robots.txt", rules)
	s.page("/", "front", "welcome", "/a", "/private")
	s.page("/a", "alpha", "apple", "/")
	s.page("/private", "nobody", "reads")
	s.later(0)
	s.sees("the site is found", `
		asked
			/robots.txt / /a: 200
		rules
			/ /a: T-01 200, 0 -> 200
		pages
			/ /a: 200; 2 words; answered now; due in 7d: period 7d; dates now, now`, index)

	s.site.Set("/robots.txt", spidertest.Page{Status: 503, Body: "later"})
	s.later(8 * day)
	s.sees("out of reach", `
		asked
			/robots.txt: 503
		rules
			/ /a: T-10 902, 200 -> 200, robots.txt answered 503
		pages
			/ /a: 200; 2 words; answered 8d ago; due in 5h: unreachable error 1: 5h; unreachable 1; dates 8d ago, 8d ago`, index)

	s.later(time.Hour, "-a")
	s.sees("still out of reach, though everything is asked for", `
		asked
			/robots.txt: 503
		rules
			/ /a: T-10 902, 200 -> 200, robots.txt answered 503
		pages
			/ /a: 200; 2 words; answered 8d1h ago; due in 1d: unreachable error 2: 1d; unreachable 2; dates 8d1h ago, 8d1h ago`, index)
	if got := s.one(`SELECT string_agg(path, ' ') FROM robots`); got != "/private" {
		t.Errorf("the last good rules: %s, want /private", got)
	}
	s.explains(t, "/a", "robots-503")

	s.site.Set("/robots.txt", rules)
	s.later(time.Hour) // in the middle of the waits
	s.sees("back", `
		asked
			/robots.txt: 200
			~/ ~/a: 304
		rules
			/ /a: T-02 304, 200 -> 200
		pages
			/ /a: 200; 2 words; answered now; due in 7d: period 7d; dates 8d2h ago, 8d2h ago`, index)
	s.explains(t, "/a", "robots-back")
}
