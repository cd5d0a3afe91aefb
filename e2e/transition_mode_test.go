package e2e

import (
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/pgseek/pgseek/spider/spidertest"
)

// TestT16IndexMode verifies T-16: an unchanged document whose Server asks for another indexing mode is
// indexed again from its stored content, as by T-06 under Index no, as by T-04 under Index yes, with its
// dates kept.
func TestT16IndexMode(t *testing.T) {
	t.Parallel()
	links := []string{"/x"}
	a, same, bare := testPage{title: "a", text: "word", links: links}, testPage{title: "same", links: links}, testPage{title: "bare"}
	order := []string{"/a", "/original", "/clone", "/bare", "/moved", "/x"}
	s := newEmptyTransitionTest(t, "", "")
	s.put("/a", a)
	s.put("/original", same)
	s.put("/clone", same)
	s.put("/bare", bare)
	s.answer("/moved", 301, "Location", "/x")
	s.put("/x", testPage{title: "x"})
	s.front(order...)
	s.index()
	s.pass(day)
	due := order[:5]
	moved := func(r *record) { // has no mode
		r.attempt("T-05", 301, "301", 5, "")
		r.checked()
		r.next("+7d", "period 7d")
	}

	s.unswept("Index no")
	hidden := func(p testPage, journal ...journalRow) func(*record) {
		return func(r *record) {
			r.attempt("T-16", 406, "406", 0, "")
			r.Mark = &markRow{Reason: "T-16", Run: "this run", At: "now"}
			r.version(p)
			r.Content.WordCount, r.Content.TotalCount, r.Content.Text = 0, 0, ""
			r.State.Mode, r.State.Hash = 2, "B"
			r.Journal = journal
		}
	}
	s.begin(due...)
	s.expect("/a", hidden(a, journalRow{By: "/a", Status: 406, At: "now", Same: true}))
	s.expect("/original", hidden(same, journalRow{By: "/original", Status: 406, At: "now", Same: true}))
	s.expect("/clone", hidden(same, // promoted by the step before
		journalRow{By: "/original", Status: 200, Words: same.words(), Added: "/x", At: "now", Same: true, OlderThanTheMark: true},
		journalRow{By: "/clone", Status: 406, At: "now", Same: true}))
	s.expect("/bare", hidden(bare, journalRow{By: "/bare", Status: 406, At: "now", Same: true}))
	s.expect("/moved", moved)
	s.run()
	s.asked(s.conditional("/a", 304), s.conditional("/original", 304), s.conditional("/clone", 304), s.conditional("/bare", 304), s.plain("/moved", 301))
	s.merge("a:", "word:", "same:", "bare:")
	s.cited("/x", "/ /a /clone /moved /original")

	// Index yes again. What was indexed is read from what was kept.
	s.pass(day)
	s.unswept("")
	shown := func(path string, p testPage, result, bytes int) func(*record) {
		return func(r *record) {
			r.attempt("T-16", result, "200", bytes, "")
			r.Mark = &markRow{Reason: "T-16", Run: "this run", At: "now"}
			r.version(p)
			r.Journal = []journalRow{{By: path, Status: 200, Words: p.words(), At: "now", Same: true}}
		}
	}
	s.begin(due...)
	s.expect("/a", shown("/a", a, 200, 0))
	s.expect("/original", shown("/original", same, 200, 0))
	s.expect("/clone", func(r *record) { // as T-01c
		shown("/clone", same, 200, 0)(r)
		r.URL.Origin, r.Content = "/original", nil
		r.Journal = []journalRow{{By: "/clone", Status: 200, Removed: "/x", At: "now", Same: true}}
	})
	s.expect("/bare", shown("/bare", bare, 200, 0))
	s.expect("/moved", moved)
	s.run()
	s.asked(s.conditional("/a", 304), s.conditional("/original", 304), s.conditional("/clone", 304), s.conditional("/bare", 304), s.plain("/moved", 301))
	s.merge("a: /a", "word: /a", "same: /original", "bare: /bare")
	s.cited("/x", "/ /a /moved /original")

	// Follow no: the same words, no links. The body is sent this time and is the same.
	s.pass(day)
	s.unswept("Follow no")
	s.site.Set("/a", spidertest.Page{Body: a.html(), ETag: `"other"`})
	s.begin("/a", "/clone")
	s.expect("/a", func(r *record) {
		shown("/a", a, 200, len(a.html()))(r)
		r.Content.Links = ""
		r.URL.ETag = `"other"`
		r.State.Mode, r.State.Hash = 1, "C"
		r.Journal[0].Removed = "/x"
	})
	s.expect("/clone", func(r *record) { // its original is as it was
		r.attempt("T-16", 200, "200", 0, "")
		r.checked()
		r.next("+7d", "period 7d")
		r.State.Mode, r.State.Hash = 1, "C"
		r.Mark = &markRow{Reason: "T-16", Run: "this run", At: "now"}
	})
	s.run()
	s.asked(s.conditional("/a", 200), s.conditional("/clone", 304))
	s.merge("a: /a", "word: /a", "same: /original")
	s.cited("/x", "/ /moved /original")

	got := s.one(`SELECT count(*) FROM docdates d JOIN urlword USING (url_id) WHERE url LIKE '%/a' AND created < now() - interval '2 days' AND modified = created`)
	if got != "1" {
		t.Errorf("docdates of /a: %s", s.one(`SELECT created, modified FROM docdates JOIN urlword USING (url_id) WHERE url LIKE '%/a'`))
	}
}

// TestT17Forced verifies T-17: URLs that -m or ForceRecrawl selects are requested unconditionally and written
// again although they have not changed. Clones stay clones, and pages with noindex take T-06.
func TestT17Forced(t *testing.T) {
	t.Parallel()
	links := []string{"/x"}
	pages := map[string]testPage{
		"/a": {title: "a", text: "word", links: links}, "/original": {title: "same", links: links}, "/clone": {title: "same", links: links},
		"/quiet": {title: "quiet", noindex: true, links: links}, "/lost": {title: "lost"}, "/x": {title: "x"},
	}
	order := []string{"/a", "/original", "/clone", "/quiet", "/lost", "/x"}
	s := newTransitionTest(t, "", "", pages, order...)
	s.answer("/lost", 404)
	s.wake("/lost")
	s.index("-q")
	s.pass(day)
	s.put("/lost", pages["/lost"])
	due := order[:5]
	forced := func(path string) func(*record) {
		return func(r *record) {
			p := pages[path]
			r.attempt("T-17", 200, "200", len(p.html()), "")
			r.Mark = &markRow{Reason: "T-17", Run: "this run", At: "now"}
			r.version(p)
			r.Journal = []journalRow{{By: path, Status: 200, Words: p.words(), At: "now", Same: true}}
		}
	}
	s.begin(due...)
	for _, path := range []string{"/a", "/original", "/lost"} {
		s.expect(path, forced(path))
	}
	s.expect("/clone", becomesClone(pages["/clone"], "T-01c", "/original"))
	s.expect("/quiet", gated("/quiet", pages["/quiet"], "", ""))
	s.expect("/quiet", func(r *record) { r.Journal = nil }) // nothing that the merge looks at differs
	s.run("-m")
	s.asked(s.plain("/a", 200), s.plain("/original", 200), s.plain("/clone", 200), s.plain("/quiet", 200), s.plain("/lost", 200))
	s.merge("a: /a", "word: /a", "same: /original", "lost: /lost")
	s.cited("/x", "/ /a /original /quiet")

	s.pass(day)
	s.unswept("ForceRecrawl /a$ /b$")
	s.begin("/a", "/original")
	s.expect("/a", forced("/a"))
	s.expect("/original", unchanged("T-02", 304, 0))
	s.run()
	s.asked(s.plain("/a", 200), s.conditional("/original", 304))
	s.merge("a: /a")
}

// TestHeadFirst verifies that with HeadFirst yes a HEAD is sent first. Equal validators and length count as a
// 304, and no GET is sent.
func TestHeadFirst(t *testing.T) {
	t.Parallel()
	a := testPage{title: "a", text: "word"}
	modified := time.Now().Add(-50 * day)
	page := func(etag string, size int) spidertest.Page {
		return spidertest.Page{Body: a.html(), ETag: etag, Modified: modified, Header: map[string]string{"Content-Length": strconv.Itoa(size)}}
	}
	s := newEmptyTransitionTest(t, "HeadFirst yes", "")
	for _, path := range []string{"/same", "/tag", "/none"} {
		s.site.Set(path, page(`"1"`, len(a.html())))
	}
	s.front("/same", "/tag", "/none", "/gone")
	s.index()
	s.pass(day)
	for _, r := range s.site.Requests() {
		if r.Method == http.MethodHead {
			t.Errorf("HEAD %s, with nothing to compare with", r.Path)
		}
	}
	s.site.Set("/tag", page(`"2"`, len(a.html())))
	s.site.Set("/none", spidertest.Page{Body: a.html(), ETag: `"1"`, Modified: modified}) // a HEAD without a length
	s.begin("/same", "/tag", "/none", "/gone")
	s.expect("/same", unchanged("T-02", 304, 0))
	s.expect("/tag", unchanged("T-03", 200, len(a.html())))
	s.expect("/tag", func(r *record) { r.URL.ETag = `"2"` })
	s.expect("/none", unchanged("T-02", 304, 0))
	s.expect("/gone", failed("T-08", 404, 19, "", "gone", 2, "+20m", "never indexed, gone error 2: 20m", false))
	s.run()
	s.asked("HEAD /same 200", "HEAD /tag 200", s.conditional("/tag", 200), "HEAD /none 200", s.conditional("/none", 304), s.plain("/gone", 404))
}
