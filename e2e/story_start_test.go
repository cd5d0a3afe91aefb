package e2e

import (
	"strings"
	"testing"
	"time"
)

// TestStoryStartPage500: the front page of a small site fails for one run; the pages behind it work. All
// start URLs have failed, so the site is on hold and the front page is not lost. The other pages are visited
// by their own dates, not by its links. A few hours later the front page works, and the hold is over.
func TestStoryStartPage500(t *testing.T) {
	t.Parallel()
	const index = `
		found
			front welcome: /
			alpha apple: /a
			banana beta: /b
		cited
			/b: by /
			/a: by / /b
			/: by /a`
	s := newScenario(t, "", "")
	s.page("/", "front", "welcome", "/a", "/b")
	s.page("/a", "alpha", "apple", "/")
	s.page("/b", "beta", "banana", "/a")
	s.later(0)
	s.sees("the site is found", `
		asked
			/robots.txt: 404
			/ /a /b: 200
		rules
			/ /a /b: T-01 200, 0 -> 200
		pages
			/ /a /b: 200; 2 words; answered now; due in 7d: period 7d; dates now, now`, index)

	s.fails("/")
	s.later(8 * day)
	s.sees("the front page is broken", `
		asked
			/robots.txt: 404
			~/: 500
			~/a ~/b: 304
		rules
			/: T-10 500, 200 -> 200, site on hold: answered 500
			/a /b: T-02 304, 200 -> 200
		pages
			/: 200; 2 words; answered 8d ago; due in 5h: unreachable error 1: 5h; unreachable 1; dates 8d ago, 8d ago
			/a /b: 200; 2 words; answered now; due in 7d: period 7d; dates 8d ago, 8d ago`, index, `
		site
			gate: h; 0 of 3 live turned lost, 1 of 1 start URLs failed
			hold: start URLs; / (answered 500); 0 of 3 turned lost; begun now; lasts`)
	if out := s.index("-S", "--sites"); !strings.Contains(out, "hold") {
		t.Errorf("-S --sites does not tell of the hold:\n%s", out)
	}
	s.explains(t, "/", "start-page-500")

	s.page("/", "front", "welcome", "/a", "/b")
	s.later(6 * time.Hour)
	s.sees("the front page works", `
		asked
			/robots.txt: 404
			~/: 304
		rules
			/: T-02 304, 200 -> 200
		pages
			/: 200; 2 words; answered now; due in 7d: period 7d; dates 8d6h ago, 8d6h ago
			/a /b: 200; 2 words; answered 6h ago; due in 6d18h: period 7d; dates 8d6h ago, 8d6h ago`, index, `
		site
			hold: start URLs; / (answered 500); 0 of 3 turned lost; begun 6h ago; recovered now`)
}

// TestStoryOneOfTwoStartPages500: one of two start URLs fails for one run. That is an ordinary error: the
// page is lost, and can be found, until it answers again.
func TestStoryOneOfTwoStartPages500(t *testing.T) {
	t.Parallel()
	const index = `
		found
			front welcome: /
			alpha apple: /a
			news today: /news/
		cited
			/a: by / /news/`
	s := newScenario(t, "", "")
	s.sets("HostLoad * 0 24 1\nServer " + s.site.URL + "/\nServer " + s.site.URL + "/news/\n")
	s.page("/", "front", "welcome", "/a")
	s.page("/news/", "news", "today", "/a")
	s.page("/a", "alpha", "apple")
	s.later(0)
	s.sees("the site is found", `
		asked
			/robots.txt: 404
			/ /a /news/: 200
		rules
			/ /a /news/: T-01 200, 0 -> 200
		pages
			/ /a /news/: 200; 2 words; answered now; due in 7d: period 7d; dates now, now`, index)

	s.fails("/news/")
	s.later(8 * day)
	s.sees("one is broken", `
		asked
			/robots.txt: 404
			~/ ~/a: 304
			~/news/: 500
		rules
			/ /a: T-02 304, 200 -> 200
			/news/: T-07 500, 200 -> 200 lost 500 x1
		pages
			/ /a: 200; 2 words; answered now; due in 7d: period 7d; dates 8d ago, 8d ago
			/news/: 200 lost 500 x1; 2 words; answered now; due in 1d: server error 1: 1d; server 1; dates 8d ago, 8d ago`, index, `
		site
			gate: a; 1 of 3 live turned lost, 1 of 2 start URLs failed`)

	s.page("/news/", "news", "today", "/a")
	s.later(time.Hour)
	s.sees("start URLs are asked in every run: it works", `
		asked
			/robots.txt: 404
			~/ ~/news/: 304
		rules
			/: T-02 304, 200 -> 200
			/news/: T-02 304, 200 lost 500 x1 -> 200
		pages
			/: 200; 2 words; answered now; due in 7d: period 7d; dates 8d1h ago, 8d1h ago
			/a: 200; 2 words; answered 1h ago; due in 6d23h: period 7d; dates 8d1h ago, 8d1h ago
			/news/: 200; 2 words; answered now; due in 7d: period 7d; dates 8d1h ago, 8d1h ago`, index, `
		site
			gate: a; 1 of 3 live turned lost, 0 of 2 start URLs failed`)
}
