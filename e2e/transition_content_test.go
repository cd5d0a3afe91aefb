package e2e

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/pgseek/pgseek/spider/spidertest"
)

// TestT01NewDocument verifies T-01: a registered URL that was never fetched answers 200. Its links are
// registered and fetched in the same run.
func TestT01NewDocument(t *testing.T) {
	t.Parallel()
	s := newEmptyTransitionTest(t, "Tag 7", "")
	a := testPage{title: "alpha", text: "beta gamma beta", links: []string{"/b", "/c", "http://elsewhere.example/"}}
	b := testPage{title: "bb", text: "leaf"}
	modified := time.Now().Add(-100 * 24 * time.Hour).UTC().Format(http.TimeFormat)
	s.put("/a", a)
	s.site.Set("/b", spidertest.Page{Body: b.html(), Header: map[string]string{"Last-Modified": modified}})
	s.index("-i", "-u", s.site.URL+"/a")
	s.begin("/a")
	s.expect("/a", func(r *record) {
		r.attempt("T-01", 200, "200", len(a.html()), "")
		r.version(a)
		r.Content.Links = "/b /c"
		r.Journal = []journalRow{{By: "/a", Status: 200, Words: "alpha t0 beta b0 b2 gamma b1", Added: "/b /c", At: "now"}}
	})
	s.expect("/b", func(r *record) {
		r.URL = urlRow{Status: "0", Referrer: "/a", Tag: 7, Hops: 1}
		r.attempt("T-01", 200, "200", len(b.html()), "")
		r.version(b)
		r.URL.ETag, r.URL.LastModified = "", modified
		r.Journal = []journalRow{{By: "/b", Status: 200, Words: "bb t0 leaf b0", Modified: "-100d", At: "now"}}
	})
	s.expect("/c", func(r *record) {
		r.URL = urlRow{Status: "0", LastIndex: "now", Referrer: "/a", Tag: 7, Hops: 1}
		r.attempt("T-08", 404, "404", len("404 page not found\n"), "")
		r.ill("gone", 1)
		r.next("+10m", "never indexed, gone error 1: 10m")
	})
	s.run()
	s.asked(s.plain("/a", 200), s.plain("/b", 200), s.plain("/c", 404))
	s.merge("alpha: /a", "beta: /a", "leaf: /b")
	s.cited("/b", "/a")
	s.cited("/c", "/a")
	if got := s.one(`SELECT cnt, positions FROM word_postings('beta')`); got != "2 [0 2]" {
		t.Errorf("postings of beta: %s", got)
	}
}

// becomesClone returns the change that T-01c makes to any URL.
func becomesClone(p testPage, rule, of string) func(*record) {
	return func(r *record) {
		had := r.URL.Status != "0" && r.URL.Status != "404"
		r.attempt(rule, 200, "200", len(p.html()), "")
		r.version(p)
		r.URL.Origin, r.Content = of, nil
		if had {
			r.Mark = &markRow{Reason: rule, Run: "this run", At: "now"}
		}
	}
}

// TestT01cClone verifies T-01c: the body of a live document with a lower id makes a clone of a URL in any
// state. A clone has no content row, words or links of its own.
func TestT01cClone(t *testing.T) {
	t.Parallel()
	same := testPage{title: "same", text: "word", links: []string{"/x"}}
	s := newEmptyTransitionTest(t, "", "")
	order := []string{"/a", "/fresh", "/changed", "/gone", "/moved", "/quiet", "/x"}
	s.put("/a", same)
	s.put("/changed", testPage{title: "old", links: []string{"/x", "/a"}})
	s.answer("/moved", 301, "Location", "/x")
	s.put("/quiet", testPage{title: "quiet", noindex: true, links: []string{"/x"}})
	s.put("/x", testPage{title: "x"})
	s.front(order...)
	s.index("-n", "1") // all are known, none of them fetched
	s.rows(`UPDATE urlword SET next_index_time = 1099511627776 WHERE url LIKE '%/fresh'`)
	s.index("-q")
	s.pass(24 * time.Hour)
	for _, path := range order[1:6] {
		s.put(path, same)
	}

	s.begin(order[1:6]...)
	for path, removed := range map[string]string{"/fresh": "", "/changed": "/a /x", "/gone": "", "/moved": "/x", "/quiet": "/x"} {
		s.expect(path, becomesClone(same, "T-01c", "/a"))
		s.expect(path, func(r *record) {
			r.Journal = []journalRow{{By: path, Status: 200, Removed: removed, At: "now"}}
		})
	}
	s.run()
	s.asked(s.plain("/fresh", 200), s.conditional("/changed", 200), s.plain("/gone", 200), s.plain("/moved", 200), s.conditional("/quiet", 200))
	s.merge("word: /a", "old:", "same: /a")
	s.cited("/x", "/ /a")
	s.cited("/a", "/")
}

// TestT01oOriginal verifies T-01o: the body of a live group whose ids are all higher makes the URL its
// original, and the former original a clone.
func TestT01oOriginal(t *testing.T) {
	t.Parallel()
	same := testPage{title: "same", text: "word", links: []string{"/x"}}
	for _, c := range []struct {
		what    string
		before  func(s *transitionTest)
		removed string // links of the old version
		marked  bool
	}{
		{"new", nil, "", false},
		{"changed", func(s *transitionTest) { s.put("/a", testPage{title: "old", links: []string{"/b"}}) }, "/b", true},
		{"an error", func(s *transitionTest) { s.answer("/a", 500) }, "", true},
		{"moved", func(s *transitionTest) { s.answer("/a", 302, "Location", "/b") }, "/b", true},
	} {
		t.Run(c.what, func(t *testing.T) {
			t.Parallel()
			s := newEmptyTransitionTest(t, "", "")
			for _, path := range []string{"/b", "/c"} {
				s.put(path, same)
			}
			s.put("/x", testPage{title: "x"})
			s.front("/a", "/b", "/c", "/x")
			s.index("-n", "1")
			if c.before == nil {
				s.rows(`UPDATE urlword SET next_index_time = 1099511627776 WHERE url LIKE '%/a'`)
			} else {
				c.before(s)
			}
			s.index("-q")
			s.pass(24 * time.Hour)
			s.put("/a", same)

			s.begin("/a")
			s.expect("/a", func(r *record) {
				r.attempt("T-01o", 200, "200", len(same.html()), "")
				r.version(same)
				added, removed := "/x", c.removed
				r.Journal = []journalRow{{By: "/a", Status: 200, Words: same.words(), Added: added, Removed: removed, At: "now"}}
				if c.marked {
					r.Mark = &markRow{Reason: "T-01o", Run: "this run", At: "now"}
				}
			})
			s.expect("/b", func(r *record) {
				r.URL.Origin, r.Content = "/a", nil
				r.Mark = &markRow{Reason: "T-01o", Links: "/x", Run: "this run", At: "now"}
			})
			s.expect("/c", func(r *record) { r.URL.Origin = "/a" })
			s.run()
			if c.what == "changed" {
				s.asked(s.conditional("/a", 200))
			} else {
				s.asked(s.plain("/a", 200))
			}
			s.merge("word: /a", "old:")
			s.cited("/x", "/ /a")
			s.cited("/b", "/")
		})
	}
}

// unchanged returns the change that T-02 and T-03 make.
func unchanged(rule string, result int, bytes int) func(*record) {
	return func(r *record) {
		base, _, _ := strings.Cut(r.URL.Status, " ")
		r.attempt(rule, result, base, bytes, "")
		r.checked()
		r.next("+7d", "period 7d")
	}
}

// TestT02NotModified verifies T-02: a 304 renews times and validators, ends a loss, and changes nothing else.
func TestT02NotModified(t *testing.T) {
	t.Parallel()
	modified := time.Now().Add(-50 * 24 * time.Hour).Truncate(time.Second)
	a := testPage{title: "a", text: "word", links: []string{"/x"}}
	pages := map[string]testPage{
		"/tagged": a, "/lost": {title: "lost"}, "/original": {title: "same", links: []string{"/x"}}, "/clone": {title: "same", links: []string{"/x"}},
		"/quiet": {title: "quiet", noindex: true, links: []string{"/x"}}, "/bare": {title: "bare"}, "/x": {title: "x"},
	}
	s := newEmptyTransitionTest(t, "", "")
	for path, p := range pages {
		s.put(path, p)
	}
	s.site.Set("/dated", spidertest.Page{Body: testPage{title: "dated"}.html(), Modified: modified})
	s.site.Set("/bare", spidertest.Page{Body: testPage{title: "bare"}.html()}) // no validators: only our own time to ask with
	order := []string{"/tagged", "/dated", "/bare", "/lost", "/original", "/clone", "/quiet", "/x"}
	s.front(order...)
	s.index()
	s.answer("/lost", 502)
	s.rows(`UPDATE urlword SET next_index_time = 1 WHERE url LIKE '%/lost'`)
	s.index("-q")
	s.pass(24 * time.Hour)
	s.put("/lost", pages["/lost"])
	bare := spidertest.Page{Serve: func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("ETag", `"new"`)
		w.Header().Set("Last-Modified", "Mon, 02 Jan 2023 15:04:05 GMT")
		w.WriteHeader(304)
	}}
	s.site.Set("/bare", bare)

	s.begin(order...)
	if got := s.known("/lost").URL.Status; got != "200 lost 502 x1" {
		t.Fatalf("/lost: status %s", got)
	}
	for _, path := range order {
		s.expect(path, unchanged("T-02", 304, 0))
	}
	s.expect("/bare", func(r *record) { r.URL.ETag, r.URL.LastModified = `"new"`, "Mon, 02 Jan 2023 15:04:05 GMT" })
	s.run()
	var requests []string
	for _, path := range order {
		status := 304
		if path == "/bare" {
			status = 0 // of a page with a program
		}
		requests = append(requests, s.conditional(path, status))
	}
	s.asked(requests...)
	if want := "GET /dated 304 If-Modified-Since=" + modified.UTC().Format(http.TimeFormat); requests[1] != want {
		t.Errorf("the request for /dated: got %s, want %s", requests[1], want)
	}
	s.merge("word: /tagged", "lost: /lost", "same: /original")

	// The same after a change of sets.cnf that affects links: the links of stored content are read again.
	s.pass(24 * time.Hour)
	s.unswept("Disallow /x$")
	s.begin("/tagged", "/clone", "/quiet", "/lost")
	for path, removed := range map[string]string{"/tagged": "/x", "/clone": "", "/quiet": "/x", "/lost": ""} {
		s.expect(path, unchanged("T-02", 304, 0))
		s.expect(path, func(r *record) {
			r.State.Hash = "B"
			switch path {
			case "/tagged":
				r.Content.Links = ""
				r.Journal = []journalRow{{By: path, Status: 200, Removed: removed, At: "now", Same: true}}
			case "/quiet": // without links it has no content row
				r.Content = nil
				r.Journal = []journalRow{{By: path, Status: 406, Removed: removed, At: "now", Same: true}}
			}
		})
	}
	s.run()
	s.asked(s.conditional("/tagged", 304), s.conditional("/lost", 304), s.conditional("/clone", 304), s.conditional("/quiet", 304))
	s.merge("word: /tagged", "x: /x")
	s.cited("/x", "/ /original")
}

// TestT03SameBody verifies T-03: a 200 with the stored body renews times and validators. The CRC decides,
// whatever the validators say.
func TestT03SameBody(t *testing.T) {
	t.Parallel()
	links := []string{"/x"}
	pages := map[string]testPage{
		"/a": {title: "a", text: "word", links: links}, "/lost": {title: "lost"}, "/original": {title: "same", links: links}, "/clone": {title: "same", links: links},
		"/quiet": {title: "quiet", noindex: true, links: links}, "/bare": {title: "bare", noindex: true}, "/x": {title: "x"},
	}
	order := []string{"/a", "/lost", "/original", "/clone", "/quiet", "/bare", "/x"}
	s := newTransitionTest(t, "", "", pages, order...)
	s.answer("/lost", 404)
	s.rows(`UPDATE urlword SET next_index_time = 1 WHERE url LIKE '%/lost'`)
	s.index("-q")
	s.pass(24 * time.Hour)
	for path, p := range pages {
		s.site.Set(path, spidertest.Page{Body: p.html(), ETag: `"another"`, Header: map[string]string{"Last-Modified": "Mon, 02 Jan 2023 15:04:05 GMT"}})
	}
	s.site.Set("/x", spidertest.Page{Body: pages["/x"].html()}) // none: the stored ones stay

	s.begin(order...)
	var requests []string
	for _, path := range order {
		result := 200
		if pages[path].noindex {
			result = 406
		}
		s.expect(path, unchanged("T-03", result, len(pages[path].html())))
		if path != "/x" {
			s.expect(path, func(r *record) { r.URL.ETag, r.URL.LastModified = `"another"`, "Mon, 02 Jan 2023 15:04:05 GMT" })
		}
		if path == "/bare" { // a 406 without stored content is never asked conditionally
			requests = append(requests, s.plain(path, 200))
		} else {
			requests = append(requests, s.conditional(path, 200))
		}
	}
	s.run()
	s.asked(requests...)
	s.merge("word: /a", "lost: /lost", "same: /original")
	s.cited("/x", "/ /a /original /quiet")
}
