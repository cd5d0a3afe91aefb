package e2e

import "testing"

// TestStoryNoindexAppearsAndGoes: by mistake the webmaster puts noindex on a page. Its words leave the index
// with the next merge; its links stay, and so do the pages behind them. The page is visited again after 5, 15
// and 30 days, changed or not. Without noindex it is found as before, from what was kept, and with its dates.
func TestStoryNoindexAppearsAndGoes(t *testing.T) {
	t.Parallel()
	const (
		before = `
		found
			front welcome: /
			leaf: /leaf
			apple page: /page`
		without = `
		found
			front welcome: /
			leaf: /leaf`
		cited = `
		cited
			/page: by /
			/leaf: by /page`
	)
	s := newScenario(t, "Period 90d\n", "")
	noindex := func(text string) {
		s.site.HTML("/page", `<meta name="robots" content="noindex">`+prose("page", text, "/leaf"))
	}
	s.page("/", "front", "welcome", "/page")
	s.page("/page", "page", "apple", "/leaf")
	s.page("/leaf", "leaf", "leaf")
	s.later(0)
	s.sees("the page is found", `
		asked
			/robots.txt: 404
			/ /leaf /page: 200
		rules
			/ /leaf /page: T-01 200, 0 -> 200
		pages
			/: 200; 2 words; answered now; due in 90d: period 90d; dates now, now
			/leaf: 200; 1 words; answered now; due in 90d: period 90d; dates now, now
			/page: 200; 2 words; answered now; due in 90d: period 90d; dates now, now`, before, cited)

	noindex("apple")
	s.later(91*day, "--no-merge")
	s.sees("noindex appears, before the merge", `
		asked
			/robots.txt: 404
			~/ ~/leaf: 304
			~/page: 200
		rules
			/ /leaf: T-02 304, 200 -> 200
			/page: T-06 406, 200 -> 406
		pages
			/: 200; 2 words; answered now; due in 90d: period 90d; dates 91d ago, 91d ago
			/leaf: 200; 1 words; answered now; due in 90d: period 90d; dates 91d ago, 91d ago
			/page: 406; 0 words; answered now; due in 5d: noindex 1: 5d; robots 1; dates 91d ago, 91d ago`, before, cited, `
		waiting
			/page: mark T-06
			/page: journal 406, same content`)
	s.begin()
	s.index("-D")
	s.sees("and after it", `
		pages
			/: 200; 2 words; answered now; due in 90d: period 90d; dates 91d ago, 91d ago
			/leaf: 200; 1 words; answered now; due in 90d: period 90d; dates 91d ago, 91d ago
			/page: 406; 0 words; answered now; due in 5d: noindex 1: 5d; robots 1; dates 91d ago, 91d ago`, without, cited)
	s.explains(t, "/page", "noindex")

	s.later(6 * day)
	s.sees("it stays, and nothing changes", `
		asked
			/robots.txt: 404
			~/: 304
			~/page: 200
		rules
			/: T-02 304, 200 -> 200
			/page: T-06 406, 406 -> 406
		pages
			/: 200; 2 words; answered now; due in 90d: period 90d; dates 97d ago, 97d ago
			/leaf: 200; 1 words; answered 6d ago; due in 84d: period 90d; dates 97d ago, 97d ago
			/page: 406; 0 words; answered now; due in 15d: noindex 2: 15d; robots 2; dates 97d ago, 97d ago`, without, cited)

	noindex("avocado")
	s.later(16 * day)
	s.sees("it stays, and the text changes", `
		asked
			/robots.txt: 404
			~/: 304
			~/page: 200
		rules
			/: T-02 304, 200 -> 200
			/page: T-06 406, 406 -> 406
		pages
			/: 200; 2 words; answered now; due in 90d: period 90d; dates 113d ago, 113d ago
			/leaf: 200; 1 words; answered 22d ago; due in 68d: period 90d; dates 113d ago, 113d ago
			/page: 406; 0 words; answered now; due in 30d: noindex 3: 30d; robots 3; dates 113d ago, 113d ago`, without, cited)

	s.page("/page", "page", "apple", "/leaf")
	s.later(31 * day)
	s.sees("it is gone", `
		asked
			/robots.txt: 404
			~/ ~/page: 304
		rules
			/: T-02 304, 200 -> 200
			/page: T-16 200, 406 -> 200
		pages
			/: 200; 2 words; answered now; due in 90d: period 90d; dates 144d ago, 144d ago
			/leaf: 200; 1 words; answered 53d ago; due in 37d: period 90d; dates 144d ago, 144d ago
			/page: 200; 2 words; answered now; due in 90d: period 90d; dates 144d ago, 144d ago`, before, cited)
	s.explains(t, "/page", "noindex-gone")
}
