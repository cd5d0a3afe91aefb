package e2e

import (
	"testing"
	"time"

	"github.com/pgseek/pgseek/spider/spidertest"
)

// redirected returns the change that T-05 makes to a URL. target is empty for a filtered one.
func redirected(path string, status, target, added, removed string, result int) func(*record) {
	return func(r *record) {
		had := r.URL.Status != "0" && r.URL.Status != "404"
		var links string
		if r.Content != nil {
			links = r.Content.Links
		}
		r.attempt("T-05", result, status, len("sorry"), "")
		r.checked()
		r.URL.CRC, r.URL.ETag, r.URL.LastModified, r.URL.Redir, r.URL.Origin = "", "", "", target, ""
		r.Content = &contentRow{ContentType: "text/html; charset=utf-8", Links: target, Body: noBody}
		r.next("+7d", "period 7d")
		r.Journal = []journalRow{{By: path, Status: result, Added: added, Removed: removed, Redir: target, At: "now"}}
		r.Mark = &markRow{Reason: "T-05", Run: "this run", At: "now"}
		if !had && links == "" && len(r.History) > 0 && r.History[0].Old == "0" {
			r.Mark = nil
		}
	}
}

// TestT05Redirect verifies T-05: a redirect is recorded with its target. The target is a URL of its own: it
// is registered if it was not known, and fetched in the same run. 303 and 307 count as 302, 308 as 301.
func TestT05Redirect(t *testing.T) {
	t.Parallel()
	const filtered = "redirects to SITE/secret: refused by DIR/sets.cnf:2"
	old := func(title string) testPage {
		return testPage{title: title, text: "former", links: []string{"/x", "/y"}}
	}
	order := []string{"/301", "/302", "/303", "/307", "/308", "/filtered", "/self", "/original", "/clone", "/other", "/lost", "/quiet", "/gone", "/mute", "/x", "/y"}
	s := newEmptyTransitionTest(t, "Disallow /secret", "BatchSize 30\nMaxLostShare 100%") // T-05 at once
	for _, path := range order[:7] {
		s.put(path, old(path[1:]))
	}
	same := old("same")
	for _, path := range []string{"/original", "/clone", "/other"} {
		s.put(path, same)
	}
	s.put("/lost", old("lost"))
	s.put("/quiet", testPage{title: "quiet", noindex: true, links: []string{"/y"}})
	s.mute("/mute")
	s.put("/x", testPage{title: "x"})
	s.put("/y", testPage{title: "y"})
	s.front(order...)
	s.index()
	s.site.Remove("/lost")
	s.rows(`UPDATE urlword SET next_index_time = 1 WHERE url LIKE '%/lost'`)
	s.index("-q")
	s.pass(24 * time.Hour)

	fresh := testPage{title: "fresh", text: "latest"}
	s.put("/new", fresh)
	due := order[:14]
	s.begin(due...)
	target, status := map[string]string{"/301": "/new", "/filtered": "", "/self": "/self"}, map[string]int{
		"/301": 301, "/302": 302, "/303": 303, "/307": 307, "/308": 308, "/filtered": 301, "/self": 302,
	}
	var requests []string
	for _, path := range due {
		to, ok := target[path]
		if !ok {
			to = "/y"
		}
		code := status[path]
		if code == 0 {
			code = 301
		}
		location := to
		if path == "/filtered" {
			location = "/secret"
		}
		s.answer(path, code, "Location", location)
		result := map[int]int{301: 301, 308: 301}[code]
		if result == 0 {
			result = 302
		}
		name := map[int]string{301: "301", 302: "302"}[result]
		added, removed := "", "/x"
		switch path {
		case "/301":
			added, removed = "/new", "/x /y"
		case "/filtered", "/self":
			removed = "/x /y"
		case "/clone", "/gone", "/mute":
			added, removed = "/y", ""
		case "/quiet":
			removed = ""
		}
		s.expect(path, redirected(path, name, to, added, removed, result))
		if path == "/self" { // its own link is none
			s.expect(path, func(r *record) { r.Content.Links = "" })
		}
		if path == "/filtered" { // where it leads, and what refuses that
			s.expect(path, func(r *record) { r.History[0].Cause = filtered })
		}
		switch path {
		case "/gone", "/mute":
			requests = append(requests, s.plain(path, code))
		default:
			requests = append(requests, s.conditional(path, code))
		}
	}
	// The group loses its original, then its first clone. The last member ends with their content.
	s.expect("/clone", func(r *record) {
		r.Journal = []journalRow{
			{By: "/original", Status: 200, Words: same.words(), Added: "/x /y", At: "now", Same: true, OlderThanTheMark: true},
			{By: "/clone", Status: 301, Removed: "/x", Redir: "/y", At: "now"},
		}
		r.Mark = &markRow{Reason: "T-05", Run: "this run", At: "now"}
	})
	s.expect("/other", func(r *record) {
		r.Journal = []journalRow{
			{By: "/clone", Status: 200, Words: same.words(), Added: "/x /y", At: "now", Same: true, OlderThanTheMark: true},
			{By: "/other", Status: 301, Removed: "/x", Redir: "/y", At: "now"},
		}
		r.Mark = &markRow{Reason: "T-05", Run: "this run", At: "now"}
	})
	s.expect("/new", func(r *record) {
		r.URL = urlRow{Status: "0", Referrer: "/301", Hops: 2}
		r.attempt("T-01", 200, "200", len(fresh.html()), "")
		r.version(fresh)
		r.Journal = []journalRow{{By: "/new", Status: 200, Words: fresh.words(), At: "now"}}
	})
	s.run()
	s.asked(append(requests, s.plain("/new", 200))...)
	s.merge("former:", "latest: /new", "fresh: /new")
	s.cited("/new", "/301")
	s.cited("/x", "/")

	// The same redirect again changes nothing. With another target the old link leaves.
	s.pass(24 * time.Hour)
	s.answer("/302", 302, "Location", "/x")
	s.answer("/303", 301, "Location", "/y")
	s.begin("/301", "/302", "/303", "/filtered")
	again := func(result int, status string) func(*record) {
		return func(r *record) {
			r.attempt("T-05", result, status, len("sorry"), "")
			r.checked()
			r.next("+7d", "period 7d")
		}
	}
	s.expect("/301", again(301, "301"))
	s.expect("/filtered", again(301, "301"))
	s.expect("/filtered", func(r *record) { r.History[0].Cause = filtered })
	s.expect("/302", redirected("/302", "302", "/x", "/x", "/y", 302))
	s.expect("/303", redirected("/303", "301", "/y", "", "", 301))
	s.run()
	s.asked(s.plain("/301", 301), s.plain("/302", 302), s.plain("/303", 301), s.plain("/filtered", 301))
	s.merge()
	s.cited("/x", "/ /302")
}

// TestT05OldRedirects verifies that with ModernRedirects no 303, 307 and 308 are ordinary errors.
func TestT05OldRedirects(t *testing.T) {
	t.Parallel()
	s := newTransitionTest(t, "", "ModernRedirects no\nMaxLostShare 100%", map[string]testPage{
		"/301": {title: "a"}, "/302": {title: "b"}, "/303": {title: "c"}, "/307": {title: "d"}, "/308": {title: "e"}, "/x": {title: "x"},
	}, "/301", "/302", "/303", "/307", "/308", "/none", "/x")
	s.begin("/301", "/302", "/303", "/307", "/308", "/none")
	for path, code := range map[string]int{"/301": 301, "/302": 302, "/303": 303, "/307": 307, "/308": 308, "/none": 307} {
		s.answer(path, code, "Location", "/x")
	}
	s.expect("/301", redirected("/301", "301", "/x", "/x", "", 301))
	s.expect("/302", redirected("/302", "302", "/x", "/x", "", 302))
	for path, code := range map[string]int{"/303": 303, "/307": 307, "/308": 308} {
		s.expect(path, lost("T-07", code, "200 lost "+path[1:]+" x1", "server", 1, "+1d", "1d"))
	}
	s.expect("/none", func(r *record) {
		r.attempt("T-08", 307, "307", len("sorry"), "")
		r.URL.LastIndex = "now"
		r.ill("server", 1)
		r.next("+10m", "never indexed, server error 1: 10m")
	})
	s.run()
	s.merge()
}

// lost returns the change that T-07, T-09 and T-11 make to a live document.
func lost(rule string, result int, status, class string, count int, next, wait string) func(*record) {
	return func(r *record) {
		r.attempt(rule, result, status, len("sorry"), "")
		r.URL.LastIndex = "now"
		r.ill(class, count)
		r.next(next, class+" error "+string(rune('0'+count))+": "+wait)
	}
}

// gated returns the change that T-06 makes to a page. The content is kept if it has links.
func gated(path string, p testPage, added, removed string) func(*record) {
	return func(r *record) {
		fresh := r.URL.Status == "0"
		formerly := r.URL.Status[:1] == "2"
		r.attempt("T-06", 406, "406", len(p.html()), "")
		r.version(p)
		r.Content.WordCount, r.Content.TotalCount, r.Content.Text = 0, 0, ""
		if len(p.links) == 0 {
			r.Content = nil
		}
		r.Journal = []journalRow{{By: path, Status: 406, Added: added, Removed: removed, At: "now"}}
		if !fresh {
			r.Mark = &markRow{Reason: "T-06", Run: "this run", At: "now"}
		}
		if formerly && p.noindex {
			r.ill("robots", 1)
			r.next("+5d", "noindex 1: 5d")
		}
	}
}

// keptEarlier is T-06 of a document that says noindex itself: the version before is kept, with the links of now.
func keptEarlier(path string, p testPage, link, added, removed string) func(*record) {
	return func(r *record) {
		r.attempt("T-06", 406, "406", len(p.html()), "")
		r.checked()
		r.URL.Origin = ""
		r.Content.WordCount, r.Content.TotalCount, r.Content.Text, r.Content.Links = 0, 0, "", link
		r.State.Mode, r.State.Hash = 67, "A"
		r.Journal = []journalRow{{By: path, Status: 406, Added: added, Removed: removed, At: "now", Same: true}}
		r.Mark = &markRow{Reason: "T-06", Run: "this run", At: "now"}
		r.ill("robots", 1)
		r.next("+5d", "noindex 1: 5d")
	}
}

// TestT06NotIndexed verifies T-06: a page with noindex has no words. Its content is stored when it has links. Of one that was
// indexed the version before is kept.
func TestT06NotIndexed(t *testing.T) {
	t.Parallel()
	old := func(title string) testPage { return testPage{title: title, text: "former", links: []string{"/x"}} }
	links, none := testPage{title: "quiet", noindex: true, links: []string{"/y"}}, testPage{title: "silent", noindex: true}
	order := []string{"/was", "/was2", "/lost", "/original", "/clone", "/moved", "/gone", "/fresh", "/fresh2", "/x", "/y"}
	s := newEmptyTransitionTest(t, "", "")
	for _, path := range order[:5] {
		s.put(path, old(path[1:]))
	}
	s.put("/original", old("same"))
	s.put("/clone", old("same"))
	s.answer("/moved", 301, "Location", "/x")
	s.put("/x", testPage{title: "x"})
	s.put("/y", testPage{title: "y"})
	s.front(order...)
	s.index("-n", "1")
	s.rows(`UPDATE urlword SET next_index_time = 1099511627776 WHERE url LIKE '%/fresh%'`)
	s.index("-q")
	s.answer("/lost", 500)
	s.rows(`UPDATE urlword SET next_index_time = 1 WHERE url LIKE '%/lost'`)
	s.index("-q")
	s.pass(24 * time.Hour)
	s.rows(`DELETE FROM urlstate WHERE url_id IN (SELECT url_id FROM urlword WHERE url LIKE '%/fresh%')`)

	due := []string{"/fresh", "/fresh2", "/was", "/was2", "/lost", "/original", "/moved", "/gone"} // new ones go first
	for _, path := range due {
		s.put(path, links)
	}
	s.put("/was2", none)
	s.put("/fresh2", none)
	s.begin(due...)
	s.expect("/was", keptEarlier("/was", links, "/y", "/y", "/x"))
	s.expect("/was2", keptEarlier("/was2", none, "", "", "/x"))
	s.expect("/lost", keptEarlier("/lost", links, "/y", "/y", "/x"))
	s.expect("/original", keptEarlier("/original", links, "/y", "/y", "/x"))
	s.expect("/clone", func(r *record) {
		p := old("same")
		r.URL.Origin = ""
		r.Content = p.content()
		r.Journal = []journalRow{{By: "/original", Status: 200, Words: p.words(), Added: "/x", At: "now", Same: true}}
	})
	s.expect("/moved", gated("/moved", links, "/y", "/x"))
	s.expect("/gone", gated("/gone", links, "/y", ""))
	s.expect("/fresh", gated("/fresh", links, "/y", ""))
	s.expect("/fresh2", gated("/fresh2", none, "", ""))
	s.run()
	s.asked(s.plain("/fresh", 200), s.plain("/fresh2", 200), s.conditional("/was", 200), s.conditional("/was2", 200), s.conditional("/lost", 200),
		s.conditional("/original", 200), s.plain("/moved", 200), s.plain("/gone", 200))
	s.merge("former: /clone", "quiet:", "silent:")
	s.cited("/x", "/ /clone")
	s.cited("/y", "/ /fresh /gone /lost /moved /original /was")
}

// TestT06Ladder verifies that a page that was indexed and then got noindex is fetched again after 5, 15 and
// 30 days, and that the version before is kept: its return ends the series (T-16), like any page without noindex (T-04).
func TestT06Ladder(t *testing.T) {
	t.Parallel()
	s := newTransitionTest(t, "", "", map[string]testPage{"/a": {title: "old"}, "/b": {title: "former"}, "/x": {title: "x"}}, "/a", "/b", "/x")
	a := testPage{title: "quiet", noindex: true, links: []string{"/x"}}
	b := testPage{title: "silent", noindex: true}
	s.put("/a", a)
	s.put("/b", b)
	s.begin("/a", "/b")
	s.expect("/a", keptEarlier("/a", a, "/x", "/x", ""))
	s.expect("/b", keptEarlier("/b", b, "", "", ""))
	s.run()
	s.merge("old:", "quiet:", "former:")
	for i, step := range []struct{ wait, next, why string }{
		{"5d", "+15d", "noindex 2: 15d"}, {"15d", "+30d", "noindex 3: 30d"}, {"30d", "+30d", "noindex 4: 30d"},
	} {
		s.pass([]time.Duration{5, 15, 30}[i]*24*time.Hour + time.Hour)
		s.rows(`UPDATE urlword SET next_index_time = 1099511627776 WHERE url NOT LIKE '%/a' AND url NOT LIKE '%/b'`)
		s.begin()
		s.expect("/a", func(r *record) {
			keptEarlier("/a", a, "/x", "", "")(r)
			r.Journal = nil
			r.ill("robots", i+2)
			r.next(step.next, step.why)
		})
		s.expect("/b", func(r *record) {
			keptEarlier("/b", b, "", "", "")(r)
			r.Journal = nil
			r.ill("robots", i+2)
			r.next(step.next, step.why)
		})
		s.run("--no-merge") // the purge of a merge would remove what is kept
		s.asked("GET /a 200 If-None-Match="+testPage{title: "old"}.etag(), "GET /b 200 If-None-Match="+testPage{title: "former"}.etag())
		s.rows(`DELETE FROM markdel`)
	}
	back := testPage{title: "back"}
	s.put("/a", back)
	s.put("/b", testPage{title: "former"})
	s.begin("/a", "/b")
	s.expect("/b", func(r *record) {
		p := testPage{title: "former"}
		r.attempt("T-16", 200, "200", 0, "")
		r.version(p)
		r.Journal = []journalRow{{By: "/b", Status: 200, Words: p.words(), At: "now", Same: true}}
		r.Mark = &markRow{Reason: "T-16", Run: "this run", At: "now"}
	})
	s.expect("/a", func(r *record) {
		r.attempt("T-04", 200, "200", len(back.html()), "")
		r.version(back)
		r.Journal = []journalRow{{By: "/a", Status: 200, Words: back.words(), Removed: "/x", At: "now"}}
		r.Mark = &markRow{Reason: "T-04", Run: "this run", At: "now"}
	})
	s.run()
	s.merge("back: /a", "former: /b")
}

// TestT06CheckOnly verifies that a CheckOnly URL is requested with HEAD, never conditionally, and has no
// content.
func TestT06CheckOnly(t *testing.T) {
	t.Parallel()
	modified := time.Now().Add(-50 * 24 * time.Hour)
	s := newTransitionTest(t, "", "", map[string]testPage{"/was.data": {title: "old", links: []string{"/x"}}, "/gone.data": {title: "gone"}, "/x": {title: "x"}},
		"/was.data", "/fresh.data", "/gone.data", "/x")
	s.rules(`CheckOnly \.data$`)
	for _, path := range []string{"/was.data", "/fresh.data"} {
		s.site.Set(path, spidertest.Page{Type: "application/zip", Body: "PK", ETag: `"zip"`, Modified: modified})
	}
	s.site.Remove("/gone.data")
	s.begin("/was.data", "/fresh.data", "/gone.data")
	checked := func(r *record) {
		r.attempt("T-06", 406, "406", 0, "")
		r.checked()
		r.next("+7d", "period 7d")
		r.URL.CRC, r.URL.ETag, r.URL.LastModified = "", `"zip"`, httpTime(modified)
		r.Content = nil
	}
	s.expect("/was.data", func(r *record) {
		checked(r)
		r.Journal = []journalRow{{By: "/was.data", Status: 406, Removed: "/x", At: "now", Modified: "-50d"}}
		r.Mark = &markRow{Reason: "T-06", Run: "this run", At: "now"}
	})
	s.expect("/fresh.data", func(r *record) { // 404 until now
		checked(r)
		r.Journal = []journalRow{{By: "/fresh.data", Status: 406, At: "now", Modified: "-50d"}}
		r.Mark = &markRow{Reason: "T-06", Run: "this run", At: "now"}
	})
	s.expect("/gone.data", func(r *record) {
		lost("T-07", 404, "200 lost 404 x1", "gone", 1, "+1d", "1d")(r)
		r.History[0].Bytes = 0
	})
	s.run(s.accept()...)
	s.asked("HEAD /was.data 200", "HEAD /fresh.data 200", "HEAD /gone.data 404")
	s.merge("old:")
}

// TestT06IndexNo verifies that a new document under Index no is read for its links only.
func TestT06IndexNo(t *testing.T) {
	t.Parallel()
	s := newEmptyTransitionTest(t, "Index no", "")
	p := testPage{title: "hidden", text: "word", links: []string{"/x"}}
	s.put("/a", p)
	s.index("-i", "-u", s.site.URL+"/a", "-u", s.site.URL+"/x")
	s.rows(`UPDATE urlword SET next_index_time = 1099511627776 WHERE url LIKE '%/x'`)
	s.begin("/a")
	s.expect("/a", func(r *record) {
		gated("/a", p, "/x", "")(r)
		r.State.Mode = 2
	})
	s.run()
	s.asked(s.plain("/a", 200))
	s.merge("hidden:", "word:")
	s.cited("/x", "/a")
}
