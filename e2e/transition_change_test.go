package e2e

import (
	"testing"
	"time"

	"github.com/pgseek/pgseek/spider/spidertest"
)

// TestT04Changed verifies T-04: a new body makes a new version of a URL in any state, and its old entries
// leave the index.
func TestT04Changed(t *testing.T) {
	t.Parallel()
	old := testPage{title: "old", text: "former", links: []string{"/x", "/y"}}
	order := []string{"/changed", "/lost404", "/lost500", "/moved", "/temporary", "/gone", "/broken", "/header", "/type", "/mute", "/quiet", "/bare", "/x", "/y"}
	s := newEmptyTransitionTest(t, "", "BatchSize 30")
	for _, path := range []string{"/changed", "/lost404", "/lost500"} {
		p := old
		p.title += " " + path[1:]
		s.put(path, p)
	}
	s.answer("/moved", 301, "Location", "/x")
	s.answer("/temporary", 302, "Location", "/y")
	s.answer("/gone", 410)
	s.answer("/broken", 502)
	s.answer("/header", 301)
	s.site.Set("/type", spidertest.Page{Type: "application/zip", Body: "PK"})
	s.mute("/mute")
	s.put("/quiet", testPage{title: "quiet", noindex: true, links: []string{"/x"}})
	s.put("/bare", testPage{title: "bare", noindex: true})
	s.put("/x", testPage{title: "x"})
	s.put("/y", testPage{title: "y"})
	s.front(order...)
	s.index()
	s.answer("/lost404", 404)
	s.answer("/lost500", 500)
	s.rows(`UPDATE urlword SET next_index_time = 1 WHERE url LIKE '%/lost%'`)
	s.index("-q")
	s.pass(24 * time.Hour)

	due := order[:12]
	s.begin(due...)
	was := map[string]string{}
	for _, path := range due {
		was[path] = s.known(path).URL.Status
	}
	for path, want := range map[string]string{
		"/lost404": "200 lost 404 x1", "/lost500": "200 lost 500 x1", "/moved": "301", "/temporary": "302", "/gone": "410", "/broken": "502",
		"/header": "602", "/type": "800", "/mute": "705", "/quiet": "406", "/bare": "406", "/changed": "200",
	} {
		if was[path] != want {
			t.Errorf("%s: status %s before, want %s", path, was[path], want)
		}
	}
	var requests []string
	for _, path := range due {
		fresh := testPage{title: "new " + path[1:], text: "latest", links: []string{"/y", "/"}}
		s.put(path, fresh)
		s.expect(path, func(r *record) {
			links, added, removed := "", "/ /y", ""
			if r.Content != nil {
				links = r.Content.Links
			}
			switch links {
			case "/x /y":
				added, removed = "/", "/x"
			case "/x":
				removed = "/x"
			case "/y":
				added = "/"
			}
			r.attempt("T-04", 200, "200", len(fresh.html()), "")
			r.version(fresh)
			r.Journal = []journalRow{{By: path, Status: 200, Words: fresh.words(), Added: added, Removed: removed, At: "now"}}
			r.Mark = &markRow{Reason: "T-04", Run: "this run", At: "now"}
		})
		switch path {
		case "/changed", "/lost404", "/lost500", "/quiet":
			requests = append(requests, s.conditional(path, 200))
		default:
			requests = append(requests, s.plain(path, 200))
		}
	}
	s.run()
	s.asked(requests...)
	s.merge("former:", "old:", "quiet: /quiet", "bare: /bare", "lost404: /lost404",
		"latest: /bare /broken /changed /gone /header /lost404 /lost500 /moved /mute /quiet /temporary /type")
	s.cited("/x", "/")
}

// TestT04Promotion verifies that the live clone with the lowest id is promoted when its original changes,
// with the original's content, words and links, read under the present rules. A clone that changes does not
// affect its group.
func TestT04Promotion(t *testing.T) {
	t.Parallel()
	same := testPage{title: "same", text: "word", links: []string{"/b", "/x"}}
	fresh := testPage{title: "new", text: "latest"}
	other := testPage{title: "other", text: "latest"}
	s := newTransitionTest(t, "", "", map[string]testPage{"/a": same, "/b": same, "/c": same, "/d": same, "/x": {title: "x"}}, "/a", "/b", "/c", "/d", "/x")
	s.put("/a", fresh)
	s.put("/d", other)

	s.begin("/a", "/d")
	s.expect("/a", func(r *record) {
		r.attempt("T-04", 200, "200", len(fresh.html()), "")
		r.version(fresh)
		r.Journal = []journalRow{{By: "/a", Status: 200, Words: fresh.words(), Removed: "/b /x", At: "now"}}
		r.Mark = &markRow{Reason: "T-04", Run: "this run", At: "now"}
	})
	s.expect("/b", func(r *record) { // its own link to itself is none
		r.URL.Origin = ""
		r.Content = same.content()
		r.Content.Links = "/x"
		r.Journal = []journalRow{{By: "/a", Status: 200, Words: same.words(), Added: "/x", At: "now", Same: true}}
	})
	s.expect("/c", func(r *record) { r.URL.Origin = "/b" })
	s.expect("/d", func(r *record) {
		r.attempt("T-04", 200, "200", len(other.html()), "")
		r.version(other)
		r.Journal = []journalRow{{By: "/d", Status: 200, Words: other.words(), At: "now"}}
		r.Mark = &markRow{Reason: "T-04", Run: "this run", At: "now"}
	})
	s.run()
	s.asked(s.conditional("/a", 200), s.conditional("/d", 200))
	s.merge("word: /b", "latest: /a /d", "same: /b")
	s.cited("/x", "/ /b")

	// The former original gets its old body back. It has the lowest id and is the original again (T-01o).
	s.pass(24 * time.Hour)
	s.put("/a", same)
	s.begin("/a")
	s.expect("/a", func(r *record) {
		r.attempt("T-01o", 200, "200", len(same.html()), "")
		r.version(same)
		r.Journal = []journalRow{{By: "/a", Status: 200, Words: same.words(), Added: "/b /x", At: "now"}}
		r.Mark = &markRow{Reason: "T-01o", Run: "this run", At: "now"}
	})
	s.expect("/b", func(r *record) {
		r.URL.Origin, r.Content = "/a", nil
		r.Mark = &markRow{Reason: "T-01o", Links: "/x", Run: "this run", At: "now"}
	})
	s.expect("/c", func(r *record) { r.URL.Origin = "/a" })
	s.run()
	s.merge("word: /a", "latest: /d")
}

// TestT04SuccessorLinks verifies that a successor links to the former original if the content does. The former
// original's own row had no such link.
func TestT04SuccessorLinks(t *testing.T) {
	t.Parallel()
	same := testPage{title: "same", text: "word", links: []string{"/a", "/b", "/x"}}
	fresh := testPage{title: "new", text: "latest"}
	s := newTransitionTest(t, "", "", map[string]testPage{"/a": same, "/b": same, "/c": same, "/x": {title: "x"}}, "/a", "/b", "/c", "/x")
	s.put("/a", fresh)
	s.begin("/a")
	s.expect("/a", func(r *record) {
		r.attempt("T-04", 200, "200", len(fresh.html()), "")
		r.version(fresh)
		r.Journal = []journalRow{{By: "/a", Status: 200, Words: fresh.words(), Removed: "/b /x", At: "now"}}
		r.Mark = &markRow{Reason: "T-04", Run: "this run", At: "now"}
	})
	s.expect("/b", func(r *record) {
		r.URL.Origin = ""
		r.Content = same.content()
		r.Content.Links = "/a /x"
		r.Journal = []journalRow{{By: "/a", Status: 200, Words: same.words(), Added: "/a /x", At: "now", Same: true}}
	})
	s.expect("/c", func(r *record) { r.URL.Origin = "/b" })
	s.run()
	s.merge("word: /b", "latest: /a", "same: /b")
	s.cited("/x", "/ /b")
	s.cited("/a", "/ /b")
	s.cited("/b", "/")
	s.pass(24 * time.Hour)
	s.begin("/b", "/c")
	s.expect("/b", unchanged("T-02", 304, 0))
	s.expect("/c", unchanged("T-02", 304, 0))
	s.run()
	s.asked(s.conditional("/b", 304), s.conditional("/c", 304))
	s.merge("word: /b")
	s.cited("/a", "/ /b")
}
