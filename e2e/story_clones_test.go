package e2e

import (
	"testing"
	"time"
)

// The family: an original, three clones, and a page that links to all of them.
const (
	familyRest = `
		found
			front welcome: /`
	familyOldest = `
			double twin: /a
			other words: /other
		cited
			/a /b /c /d: by /
			/other: by /a`
	familySecond = `
			double twin: /b
			other words: /other
		cited
			/a /b /c /d: by /
			/other: by /b`
)

func newFamily(t *testing.T, sets, period string) *scenario {
	t.Helper()
	s := newScenario(t, sets+"Period "+period+"\n", "")
	s.page("/", "front", "welcome", "/a", "/b", "/c", "/d")
	for _, path := range []string{"/a", "/b", "/c", "/d"} {
		s.page(path, "twin", "double", "/other")
	}
	s.page("/other", "other", "words")
	s.later(0)
	s.sees("one original and three clones are found", `
		asked
			/robots.txt: 404
			/ /a /b /c /d /other: 200
		rules
			/ /a: T-01 200, 0 -> 200
			/b /c /d: T-01c 200, 0 -> 200
			/other: T-01 200, 0 -> 200
		pages
			/ /a: 200; 2 words; answered now; due in `+period+`: period `+period+`; dates now, now
			/b /c /d: 200; clone of /a; answered now; due in `+period+`: period `+period+`; dates now, now
			/other: 200; 2 words; answered now; due in `+period+`: period `+period+`; dates now, now`, familyRest, familyOldest)
	return s
}

// TestStoryOriginalIsDeletedAndHasThreeClones: with DeleteBad yes a page that is gone leaves the index at
// once. Its words stay, because three other URLs have the same page: the first of them is promoted, with
// words and links. At the next Period the page is still gone. Then it returns, has the lowest id, and is the
// original again. Clones have dates of their own, so the successor is as old as its own first fetch.
func TestStoryOriginalIsDeletedAndHasThreeClones(t *testing.T) {
	t.Parallel()
	s := newFamily(t, "DeleteBad yes\n", "7d")

	s.site.Remove("/a")
	s.later(8*day, "--no-merge")
	s.sees("the original is gone, before the merge", `
		asked
			/robots.txt: 404
			~/: 304
			~/a: 404
			~/b ~/c ~/d ~/other: 304
		rules
			/: T-02 304, 200 -> 200
			/a: T-13 404, 200 -> 404
			/b /c /d /other: T-02 304, 200 -> 200
		pages
			/: 200; 2 words; answered now; due in 7d: period 7d; dates 8d ago, 8d ago
			/a: withdrawn by T-13; 404; answered now; due in 7d: next check: 7d; gone 1; dates 8d ago, 8d ago
			/b: 200; 2 words; answered now; due in 7d: period 7d; dates 8d ago, 8d ago
			/c /d: 200; clone of /b; answered now; due in 7d: period 7d; dates 8d ago, 8d ago
			/other: 200; 2 words; answered now; due in 7d: period 7d; dates 8d ago, 8d ago`, familyRest, familyOldest, `
		waiting
			/b: journal 200, same content
			/a: mark T-13
		site
			gate: a; 1 of 6 live turned lost, 0 of 1 start URLs failed`)

	s.begin()
	s.index("-D")
	s.sees("and after it", `
		pages
			/: 200; 2 words; answered now; due in 7d: period 7d; dates 8d ago, 8d ago
			/a: withdrawn by T-13; 404; answered now; due in 7d: next check: 7d; gone 1
			/b: 200; 2 words; answered now; due in 7d: period 7d; dates 8d ago, 8d ago
			/c /d: 200; clone of /b; answered now; due in 7d: period 7d; dates 8d ago, 8d ago
			/other: 200; 2 words; answered now; due in 7d: period 7d; dates 8d ago, 8d ago`, familyRest, familySecond, `
		site
			gate: a; 1 of 6 live turned lost, 0 of 1 start URLs failed`)
	s.explains(t, "/b", "successor")
	s.explains(t, "/a", "deleted-original")

	s.later(8 * day)
	s.sees("still gone", `
		asked
			/robots.txt: 404
			~/: 304
			/a: 404
			~/b ~/c ~/d ~/other: 304
		rules
			/: T-02 304, 200 -> 200
			/a: T-15 0, 404 -> 0
			/a: T-13 404, 0 -> 404
			/b /c /d /other: T-02 304, 200 -> 200
		pages
			/: 200; 2 words; answered now; due in 7d: period 7d; dates 16d ago, 16d ago
			/a: withdrawn by T-13; 404; answered now; due in 7d: next check: 7d; gone 1
			/b: 200; 2 words; answered now; due in 7d: period 7d; dates 16d ago, 16d ago
			/c /d: 200; clone of /b; answered now; due in 7d: period 7d; dates 16d ago, 16d ago
			/other: 200; 2 words; answered now; due in 7d: period 7d; dates 16d ago, 16d ago`, familyRest, familySecond)

	s.page("/a", "twin", "double", "/other")
	s.later(8 * day)
	s.sees("back", `
		asked
			/robots.txt: 404
			~/: 304
			/a: 200
			~/b ~/c ~/d ~/other: 304
		rules
			/: T-02 304, 200 -> 200
			/a: T-15 0, 404 -> 0
			/a: T-01o 200, 0 -> 200
			/b /c /d /other: T-02 304, 200 -> 200
		pages
			/: 200; 2 words; answered now; due in 7d: period 7d; dates 24d ago, 24d ago
			/a: 200; 2 words; answered now; due in 7d: period 7d; dates now, now
			/b /c /d: 200; clone of /a; answered now; due in 7d: period 7d; dates 24d ago, 24d ago
			/other: 200; 2 words; answered now; due in 7d: period 7d; dates 24d ago, 24d ago`, familyRest, familyOldest)
	s.explains(t, "/a", "original-again")
}

// TestStoryOriginalIsLostAndHasThreeClones: with DeleteBad no the original is lost, keeps its clones, and is
// found for more than a month. It is purged when it has been gone in LostLimit runs, by the merge after the
// fourth (T-18). The first clone is promoted.
func TestStoryOriginalIsLostAndHasThreeClones(t *testing.T) {
	t.Parallel()
	s := newFamily(t, "", "90d")
	s.site.Remove("/a")
	for _, run := range []struct {
		wait          time.Duration
		what, asked   string
		before, after string
		next, dates   string
		rest          string // what is said of those that are not due
	}{
		{91 * day, "first", "", "200", "200 lost 404 x1", "in 1d: gone error 1: 1d; gone 1", "91d", "answered now; due in 90d"},
		{2 * day, "second", "", "200 lost 404 x1", "200 lost 404 x2", "in 3d: gone error 2: 3d; gone 2", "93d", "answered 2d ago; due in 88d"},
		{4 * day, "third", "", "200 lost 404 x2", "200 lost 404 x3", "in 7d: gone error 3: 7d; gone 3", "97d", "answered 6d ago; due in 84d"},
	} {
		asked, rules := "", ""
		if run.what == "first" {
			asked, rules = "~/b ~/c ~/d ~/other: 304", "/b /c /d /other: T-02 304, 200 -> 200"
		}
		s.later(run.wait)
		s.sees("the original is gone, "+run.what+" run", `
			asked
				/robots.txt: 404
				~/: 304
				~/a: 404
				`+asked+`
			rules
				/: T-02 304, 200 -> 200
				/a: T-07 404, `+run.before+` -> `+run.after+`
				`+rules+`
			pages
				/: 200; 2 words; answered now; due in 90d: period 90d; dates `+run.dates+` ago, `+run.dates+` ago
				/a: `+run.after+`; 2 words; answered now; due `+run.next+`; dates `+run.dates+` ago, `+run.dates+` ago
				/b /c /d: 200; clone of /a; `+run.rest+`: period 90d; dates `+run.dates+` ago, `+run.dates+` ago
				/other: 200; 2 words; `+run.rest+`: period 90d; dates `+run.dates+` ago, `+run.dates+" ago", familyRest, familyOldest, `
			`+map[bool]string{true: "site\n gate: a; 1 of 6 live turned lost, 0 of 1 start URLs failed"}[run.what == "first"])
	}
	s.explains(t, "/c", "clone-of-a-lost-original")

	s.later(8*day, "--no-merge")
	const others = `
			/b /c /d: 200; clone of /a; answered 14d ago; due in 76d: period 90d; dates 105d ago, 105d ago
			/other: 200; 2 words; answered 14d ago; due in 76d: period 90d; dates 105d ago, 105d ago`
	s.sees("the original is gone, fourth run", `
		asked
			/robots.txt: 404
			~/: 304
			~/a: 404
		rules
			/: T-02 304, 200 -> 200
			/a: T-07 404, 200 lost 404 x3 -> 200 lost 404 x4
		pages
			/: 200; 2 words; answered now; due in 90d: period 90d; dates 105d ago, 105d ago
			/a: 200 lost 404 x4; 2 words; answered now; due in 21d: gone error 4: 21d; gone 4; dates 105d ago, 105d ago`, others,
		familyRest, familyOldest)

	s.begin()
	s.index("-D")
	s.sees("the merge purges it", `
		rules
			/a: T-18 404, 200 lost 404 x4 -> 404, lost 4 times, last status 404
		pages
			/: 200; 2 words; answered now; due in 90d: period 90d; dates 105d ago, 105d ago
			/a: 404; answered now; due in 21d: purged: 21d; gone 4; dates 105d ago, 105d ago
			/b: 200; 2 words; answered 14d ago; due in 76d: period 90d; dates 105d ago, 105d ago
			/c /d: 200; clone of /b; answered 14d ago; due in 76d: period 90d; dates 105d ago, 105d ago
			/other: 200; 2 words; answered 14d ago; due in 76d: period 90d; dates 105d ago, 105d ago`, familyRest, familySecond)
	s.explains(t, "/a", "purged-original")
	s.explains(t, "/c", "clone-of-a-successor")
}
