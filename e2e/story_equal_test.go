package e2e

import "testing"

// TestStoryTwoOriginalsBecomeEqual: of two pages that become equal, the one with the lower id is the
// original, whichever of them changed. When they differ again, both are documents again. Nothing is ever
// found twice. A clone has dates of its own: its last change is when its own text became equal to the
// other's, not when the other's text became equal to its own, nor when it is promoted.
func TestStoryTwoOriginalsBecomeEqual(t *testing.T) {
	t.Parallel()
	const (
		apart = `
		found
			front welcome: /
			alpha apple: /a
			leaf: /aleaf
			berry beta: /b
			bush: /bleaf
		cited
			/a /b: by /
			/aleaf: by /a
			/bleaf: by /b`
		rest = "dates 8d ago, 8d ago"
	)
	start := func(t *testing.T) *scenario {
		s := newScenario(t, "", "")
		s.page("/", "front", "welcome", "/a", "/b")
		s.page("/a", "alpha", "apple", "/aleaf")
		s.page("/b", "beta", "berry", "/bleaf")
		s.page("/aleaf", "leaf", "leaf")
		s.page("/bleaf", "bush", "bush")
		s.later(0)
		s.sees("two different pages", `
		asked
			/robots.txt: 404
			/ /a /aleaf /b /bleaf: 200
		rules
			/ /a /aleaf /b /bleaf: T-01 200, 0 -> 200
		pages
			/ /a: 200; 2 words; answered now; due in 7d: period 7d; dates now, now
			/aleaf: 200; 1 words; answered now; due in 7d: period 7d; dates now, now
			/b: 200; 2 words; answered now; due in 7d: period 7d; dates now, now
			/bleaf: 200; 1 words; answered now; due in 7d: period 7d; dates now, now`, apart)
		return s
	}

	t.Run("the second becomes like the first", func(t *testing.T) {
		t.Parallel()
		s := start(t)
		s.page("/b", "alpha", "apple", "/aleaf")
		s.later(8 * day)
		s.sees("it becomes a clone", `
		asked
			/robots.txt: 404
			~/ ~/a ~/aleaf: 304
			~/b: 200
			~/bleaf: 304
		rules
			/ /a /aleaf: T-02 304, 200 -> 200
			/b: T-01c 200, 200 -> 200
			/bleaf: T-02 304, 200 -> 200
		pages
			/ /a: 200; 2 words; answered now; due in 7d: period 7d; `+rest+`
			/aleaf: 200; 1 words; answered now; due in 7d: period 7d; `+rest+`
			/b: 200; clone of /a; answered now; due in 7d: period 7d; dates 8d ago, now
			/bleaf: 200; 1 words; answered now; due in 7d: period 7d; `+rest+`
		found
			front welcome: /
			alpha apple: /a
			leaf: /aleaf
			bush: /bleaf
		cited
			/a /b: by /
			/aleaf: by /a`)
		s.explains(t, "/b", "became-a-clone")

		s.page("/b", "beta", "berry", "/bleaf")
		s.later(8 * day)
		s.sees("it goes its own way again", `
		asked
			/robots.txt: 404
			~/ ~/a ~/aleaf: 304
			~/b: 200
			~/bleaf: 304
		rules
			/ /a /aleaf: T-02 304, 200 -> 200
			/b: T-04 200, 200 -> 200
			/bleaf: T-02 304, 200 -> 200
		pages
			/ /a: 200; 2 words; answered now; due in 7d: period 7d; dates 16d ago, 16d ago
			/aleaf: 200; 1 words; answered now; due in 7d: period 7d; dates 16d ago, 16d ago
			/b: 200; 2 words; answered now; due in 7d: period 7d; dates 16d ago, now
			/bleaf: 200; 1 words; answered now; due in 7d: period 7d; dates 16d ago, 16d ago`, apart)
		s.explains(t, "/b", "clone-no-more")
	})

	t.Run("the first becomes like the second", func(t *testing.T) {
		t.Parallel()
		s := start(t)
		s.page("/a", "beta", "berry", "/bleaf")
		s.later(8 * day)
		s.sees("it becomes the original of the other", `
		asked
			/robots.txt: 404
			~/: 304
			~/a: 200
			~/aleaf ~/b ~/bleaf: 304
		rules
			/: T-02 304, 200 -> 200
			/a: T-01o 200, 200 -> 200
			/aleaf /b /bleaf: T-02 304, 200 -> 200
		pages
			/: 200; 2 words; answered now; due in 7d: period 7d; `+rest+`
			/a: 200; 2 words; answered now; due in 7d: period 7d; dates 8d ago, now
			/aleaf: 200; 1 words; answered now; due in 7d: period 7d; `+rest+`
			/b: 200; clone of /a; answered now; due in 7d: period 7d; `+rest+`
			/bleaf: 200; 1 words; answered now; due in 7d: period 7d; `+rest+`
		found
			front welcome: /
			berry beta: /a
			leaf: /aleaf
			bush: /bleaf
		cited
			/a /b: by /
			/bleaf: by /a`)
		s.explains(t, "/a", "became-the-original")

		s.page("/a", "alpha", "apple", "/aleaf")
		s.later(8 * day)
		s.sees("it leaves, and the other takes its place", `
		asked
			/robots.txt: 404
			~/: 304
			~/a: 200
			~/aleaf ~/b ~/bleaf: 304
		rules
			/: T-02 304, 200 -> 200
			/a: T-04 200, 200 -> 200
			/aleaf /b /bleaf: T-02 304, 200 -> 200
		pages
			/: 200; 2 words; answered now; due in 7d: period 7d; dates 16d ago, 16d ago
			/a: 200; 2 words; answered now; due in 7d: period 7d; dates 16d ago, now
			/aleaf: 200; 1 words; answered now; due in 7d: period 7d; dates 16d ago, 16d ago
			/b: 200; 2 words; answered now; due in 7d: period 7d; dates 16d ago, 16d ago
			/bleaf: 200; 1 words; answered now; due in 7d: period 7d; dates 16d ago, 16d ago`, apart)
		s.explains(t, "/b", "took-the-place")
	})
}
