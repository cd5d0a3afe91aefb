package e2e

import "testing"

// TestStoryRedirectChainChanges: a page has moved twice, and the front page still links to its first place: a
// leads to b, and b to c. Then the webmaster redirects a to another page, d, and removes b. The links follow:
// b is cited by nothing any more and is no redirect; c, to which nothing links now, is a document as before.
func TestStoryRedirectChainChanges(t *testing.T) {
	t.Parallel()
	s := newScenario(t, "", "")
	s.page("/", "front", "welcome", "/a")
	s.moves("/a", 301, "/b")
	s.moves("/b", 302, "/c")
	s.page("/c", "chest", "cherry")
	s.later(0)
	s.sees("the chain is found", `
		asked
			/robots.txt: 404
			/: 200
			/a: 301
			/b: 302
			/c: 200
		rules
			/: T-01 200, 0 -> 200
			/a: T-05 301, 0 -> 301
			/b: T-05 302, 0 -> 302
			/c: T-01 200, 0 -> 200
		pages
			/: 200; 2 words; answered now; due in 7d: period 7d; dates now, now
			/a: 301; to /b; link row; answered now; due in 7d: period 7d
			/b: 302; to /c; link row; answered now; due in 7d: period 7d
			/c: 200; 2 words; answered now; due in 7d: period 7d; dates now, now
		found
			front welcome: /
			cherry chest: /c
		cited
			/a: by /
			/b: by /a
			/c: by /b
		chains
			/a: 2 redirects to /c, 200
			/b: 1 redirects to /c, 200`)

	s.moves("/a", 301, "/d")
	s.site.Remove("/b")
	s.page("/d", "desk", "date")
	s.later(8 * day)
	s.sees("the chain has changed", `
		asked
			/robots.txt: 404
			~/: 304
			/a: 301
			/b: 404
			~/c: 304
			/d: 200
		rules
			/: T-02 304, 200 -> 200
			/a: T-05 301, 301 -> 301
			/b: T-08 404, 302 -> 404
			/c: T-02 304, 200 -> 200
			/d: T-01 200, 0 -> 200
		pages
			/: 200; 2 words; answered now; due in 7d: period 7d; dates 8d ago, 8d ago
			/a: 301; to /d; link row; answered now; due in 7d: period 7d
			/b: 404; answered now; due in 1d: gone error 1: 1d; gone 1
			/c: 200; 2 words; answered now; due in 7d: period 7d; dates 8d ago, 8d ago
			/d: 200; 2 words; answered now; due in 7d: period 7d; dates now, now
		found
			front welcome: /
			cherry chest: /c
			date desk: /d
		cited
			/a: by /
			/d: by /a
		chains
			/a: 1 redirects to /d, 200`)
	s.explains(t, "/a", "redirect-moved")

	s.later(8 * day)
	s.sees("nothing changes any more", `
		asked
			/robots.txt: 404
			~/: 304
			/a: 301
			/b: 404
			~/c ~/d: 304
		rules
			/: T-02 304, 200 -> 200
			/a: T-05 301, 301 -> 301
			/b: T-08 404, 404 -> 404
			/c /d: T-02 304, 200 -> 200
		pages
			/: 200; 2 words; answered now; due in 7d: period 7d; dates 16d ago, 16d ago
			/a: 301; to /d; link row; answered now; due in 7d: period 7d
			/b: 404; answered now; due in 20m: never indexed, gone error 2: 20m; gone 2
			/c: 200; 2 words; answered now; due in 7d: period 7d; dates 16d ago, 16d ago
			/d: 200; 2 words; answered now; due in 7d: period 7d; dates 8d ago, 8d ago
		found
			front welcome: /
			cherry chest: /c
			date desk: /d
		cited
			/a: by /
			/d: by /a
		chains
			/a: 1 redirects to /d, 200`)
	s.explains(t, "/b", "redirect-gone")
}
