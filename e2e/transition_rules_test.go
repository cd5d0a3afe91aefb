package e2e

import (
	"fmt"
	"testing"

	"github.com/pgseek/pgseek/config"
)

// unswept changes sets.cnf and makes it look as if all URLs had been tested under it, so that due URLs are
// tested when they are visited. The sweep has its own tests.
func (s *transitionTest) unswept(sets string) {
	s.t.Helper()
	s.rules(sets)
	cfg, err := config.Load(s.dir, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	s.one(`UPDATE crawl_control SET swept_hash = $1 RETURNING 1`, cfg.Hash[:])
}

// withdrawn returns the change that T-12 makes: the URL and its content stay, deleted.
func withdrawn(result int, cause string, marked bool) func(*record) {
	return func(r *record) {
		r.attempt("T-12", result, r.URL.Status, 0, cause)
		r.URL.Deleted, r.State.WithdrawnBy = true, "T-12"
		r.next("+7d", "rules checked again: 7d")
		if marked {
			r.Mark = &markRow{Reason: "T-12", Run: "this run", At: "now"}
			if r.Content != nil {
				r.Mark.Links = r.Content.Links
			}
		}
		if r.Content != nil {
			r.Content.Deleted = true
		}
	}
}

// TestT12Forbidden verifies T-12: a URL forbidden by robots.txt or the configuration leaves the index and
// keeps its row, without a request. TestForbiddenAndAllowedAgain and the tests of sweeps cover robots.txt.
func TestT12Forbidden(t *testing.T) {
	t.Parallel()
	links := []string{"/x"}
	same := testPage{title: "same", text: "word", links: links}
	order := []string{"/s/live", "/s/original", "/clone", "/other", "/s/lost", "/s/quiet", "/s/301", "/s/gone", "/x"}
	s := newEmptyTransitionTest(t, "", "BatchSize 30")
	s.put("/s/live", testPage{title: "live", links: links})
	for _, path := range order[1:4] {
		s.put(path, same)
	}
	s.put("/s/lost", testPage{title: "lost"})
	s.put("/s/quiet", testPage{title: "quiet", noindex: true, links: links})
	s.answer("/s/301", 301, "Location", "/x")
	s.put("/x", testPage{title: "x"})
	s.front(order...)
	s.index()
	s.answer("/s/lost", 500)
	s.wake("/s/lost")
	s.index("-q")
	s.index("-i", "-u", s.site.URL+"/s/new")
	s.pass(day)
	s.unswept("Disallow /s/")

	due := []string{"/s/live", "/s/original", "/s/lost", "/s/quiet", "/s/301", "/s/gone", "/s/new"}
	s.begin(due...)
	for _, path := range due {
		s.expect(path, withdrawn(901, "refused by DIR/sets.cnf:2", path != "/s/gone" && path != "/s/new"))
	}
	s.expect("/clone", func(r *record) {
		r.URL.Origin, r.Content, r.State.Hash = "", same.content(), ""
		r.Journal = []journalRow{{By: "/s/original", Status: 200, Words: same.words(), Added: "/x", At: "now", Same: true}}
	})
	s.expect("/other", func(r *record) { r.URL.Origin = "/clone" })
	s.run()
	s.asked()
	s.merge("live:", "same: /clone", "word: /clone", "lost:")
	s.cited("/x", "/ /clone")

	// The rule is tested again when the URL is due: still forbidden, nothing more to mark.
	s.pass(7*day + 3600e9)
	s.sleep("/", "/clone", "/other", "/x")
	s.begin()
	for _, path := range due {
		s.expect(path, withdrawn(901, "refused by DIR/sets.cnf:2", false))
	}
	s.run()
	s.asked()
	s.merge()
}

// TestT12Robots verifies the same with a line of robots.txt that existed before the URL.
func TestT12Robots(t *testing.T) {
	t.Parallel()
	s := newEmptyTransitionTest(t, "", "RobotsTTL 24h")
	s.site.Set("/robots.txt", textPage("User-agent: *\nDisallow: /s/\n"))
	s.put("/", testPage{title: "front"})
	s.index()
	s.index("-i", "-u", s.site.URL+"/s/new")
	s.begin("/s/new")
	s.expect("/s/new", withdrawn(900, "robots.txt line 2: Disallow: /s/", false))
	s.run()
	s.asked()
}

// TestT13DeleteBad verifies T-13: with DeleteBad yes a 404 or 410 removes a URL from the index at once. When
// it is due again it is fetched as new: still gone, or back (T-15, T-01).
func TestT13DeleteBad(t *testing.T) {
	t.Parallel()
	links := []string{"/x"}
	same := testPage{title: "same", text: "word", links: links}
	order := []string{"/live", "/original", "/clone", "/other", "/lost", "/quiet", "/301", "/gone", "/error", "/x"}
	s := newEmptyTransitionTest(t, "", "BatchSize 30")
	s.put("/live", testPage{title: "live", links: links})
	for _, path := range order[1:4] {
		s.put(path, same)
	}
	s.put("/lost", testPage{title: "lost"})
	s.put("/quiet", testPage{title: "quiet", noindex: true, links: links})
	s.answer("/301", 301, "Location", "/x")
	s.answer("/error", 500)
	s.put("/x", testPage{title: "x"})
	s.front(order...)
	s.index()
	s.answer("/lost", 404)
	s.wake("/lost")
	s.index("-q")
	s.pass(day)
	s.unswept("DeleteBad yes")

	due := []string{"/live", "/original", "/other", "/lost", "/quiet", "/301", "/gone", "/error"}
	bad := func(path string) func(*record) {
		return func(r *record) {
			status, count := 404, 1
			if path == "/live" {
				status = 410
			}
			if r.State.Class == "gone" {
				count = r.State.Errors + 1
			}
			had := path != "/gone" && path != "/error" && !r.URL.Deleted
			r.attempt("T-13", status, fmt.Sprint(status), 5, "")
			r.URL.Deleted, r.State.WithdrawnBy, r.URL.LastIndex, r.URL.Redir = true, "T-13", "now", ""
			r.ill("gone", count)
			r.next("+7d", "next check: 7d")
			if had {
				r.Mark = &markRow{Reason: "T-13", Run: "this run", At: "now"}
				if r.Content != nil {
					r.Mark.Links = r.Content.Links
				}
			}
			r.Content = nil
		}
	}
	s.begin(due...)
	var requests []string
	for _, path := range due {
		status := 404
		if path == "/live" {
			status = 410
		}
		s.answer(path, status)
		s.expect(path, bad(path))
		switch path {
		case "/301", "/gone", "/error":
			requests = append(requests, s.plain(path, status))
		default:
			requests = append(requests, s.conditional(path, status))
		}
	}
	s.expect("/clone", func(r *record) {
		r.URL.Origin, r.Content = "", same.content()
		r.Journal = []journalRow{{By: "/original", Status: 200, Words: same.words(), Added: "/x", At: "now", Same: true}}
	})
	s.expect("/other", func(r *record) { r.URL.Origin = "/clone" }) // it followed before it went itself
	s.run()
	s.asked(requests...)
	s.merge("live:", "same: /clone", "word: /clone", "lost:")
	s.cited("/x", "/ /clone")

	s.pass(7*day + 3600e9)
	s.sleep("/", "/clone", "/x", "/other", "/lost", "/quiet", "/301", "/gone", "/error")
	back := testPage{title: "back", links: links}
	s.put("/live", back)
	s.begin()
	again := func(r *record) { // T-15, on the way to what the fetch comes to
		r.attempt("T-15", 0, "0", 0, "")
		r.URL.Deleted, r.State.WithdrawnBy, r.URL.CRC, r.URL.Redir, r.URL.Origin = false, "", "", "", ""
		r.Content = nil
		r.well()
	}
	s.expect("/live", func(r *record) {
		again(r)
		r.attempt("T-01", 200, "200", len(back.html()), "")
		r.version(back)
		r.Journal = []journalRow{{By: "/live", Status: 200, Words: back.words(), Added: "/x", At: "now"}}
	})
	s.expect("/original", func(r *record) {
		again(r)
		bad("/gone")(r)
	})
	s.run()
	s.asked(s.plain("/live", 200), s.plain("/original", 404))
	s.merge("live:", "back: /live", "same: /clone")
	s.cited("/x", "/ /clone /live")
}

// TestT14Duplicate verifies T-14: a document is not indexed if InfiniteSpaceDuplicates live documents have
// the same body.
func TestT14Duplicate(t *testing.T) {
	t.Parallel()
	same := testPage{title: "same", text: "word", links: []string{"/x"}}
	order := []string{"/a", "/b", "/fresh", "/changed", "/quiet", "/301", "/gone", "/x"}
	s := newEmptyTransitionTest(t, "", "InfiniteSpaceDetection yes\nInfiniteSpaceDuplicates 2\nBatchSize 30")
	s.put("/a", same)
	s.put("/b", same)
	s.put("/changed", testPage{title: "changed", links: []string{"/x"}})
	s.put("/quiet", testPage{title: "quiet", noindex: true, links: []string{"/x"}})
	s.answer("/301", 301, "Location", "/x")
	s.put("/x", testPage{title: "x"})
	s.front(order...)
	s.index("-n", "1")
	s.sleep("/fresh")
	s.index("-q")
	s.pass(day)

	due := []string{"/fresh", "/a", "/b", "/changed", "/quiet", "/301", "/gone"}
	s.begin(due...)
	duplicate := func(r *record) {
		had := r.URL.Status == "200" || r.URL.Status == "406" || r.URL.Status == "301"
		r.attempt("T-14", 200, "903", len(same.html()), "")
		r.checked()
		r.URL.CRC, r.URL.ETag, r.URL.LastModified, r.URL.Redir, r.URL.Origin = crcOf(same.html()), same.etag(), "", "", ""
		if had {
			r.Mark = &markRow{Reason: "T-14", Links: r.Content.Links, Run: "this run", At: "now"}
		}
		r.Content = nil
		r.next("+7d", "duplicate: 7d")
	}
	for _, path := range []string{"/fresh", "/changed", "/quiet", "/301", "/gone"} {
		s.put(path, same)
		s.expect(path, duplicate)
	}
	s.expect("/a", unchanged("T-02", 304, 0)) // the two that were there first stay
	s.expect("/b", unchanged("T-02", 304, 0))
	s.run()
	s.asked(s.plain("/fresh", 200), s.conditional("/a", 304), s.conditional("/b", 304), s.conditional("/changed", 200),
		s.conditional("/quiet", 200), s.plain("/301", 200), s.plain("/gone", 200))
	s.merge("same: /a", "changed:", "quiet:")
	s.cited("/x", "/ /a")

	// There are still too many duplicates. When there are fewer, the document becomes a clone.
	s.pass(day)
	s.begin("/fresh")
	s.expect("/fresh", duplicate)
	s.run()
	s.asked(s.plain("/fresh", 200))
	s.site.Remove("/b")
	s.answer("/b", 301, "Location", "/x")
	s.wake("/b", "/x") // a redirect is carried out when other documents of the site answer
	s.index("-q", "--no-merge")
	s.index("-D")
	s.begin("/fresh")
	s.expect("/fresh", becomesClone(same, "T-01c", "/a"))
	s.expect("/fresh", func(r *record) {
		r.Journal = []journalRow{{By: "/fresh", Status: 200, At: "now", Same: true}}
		r.Mark = nil
	})
	s.run()
	s.merge("same: /a")
}

// TestT15AllowedAgain verifies T-15: a document that is allowed again is live again from what was kept, and is requested
// conditionally in the run that tests it. Any other URL returns as new.
func TestT15AllowedAgain(t *testing.T) {
	t.Parallel()
	links := []string{"/x"}
	live, quiet := testPage{title: "live", links: links}, testPage{title: "quiet", noindex: true, links: links}
	order := []string{"/s/live", "/s/quiet", "/s/301", "/s/gone", "/x"}
	s := newEmptyTransitionTest(t, "", "")
	s.put("/s/live", live)
	s.put("/s/quiet", quiet)
	s.answer("/s/301", 301, "Location", "/x")
	s.put("/x", testPage{title: "x"})
	s.front(order...)
	s.index()
	s.pass(day)
	s.unswept("Disallow /s/")
	s.wake(order[:4]...)
	s.index("-q")
	s.index("-D")
	s.pass(day)
	s.unswept("")

	s.begin(order[:4]...)
	back := func(marked bool) func(*record) {
		return func(r *record) {
			if marked {
				r.Mark = &markRow{Reason: "T-15", Links: "/x", Run: "this run", At: "now"}
			}
			r.attempt("T-15", 0, "0", 0, "")
			r.URL.Deleted, r.State.WithdrawnBy, r.URL.CRC, r.URL.Redir = false, "", "", ""
			r.Content = nil
			r.well()
		}
	}
	for path, journal := range map[string]journalRow{
		"/s/live":  {By: "/s/live", Status: 200, Words: live.words(), Added: "/x", At: "-2d", Same: true},
		"/s/quiet": {By: "/s/quiet", Status: 406, Added: "/x", At: "-2d", Same: true},
	} {
		s.expect(path, func(r *record) {
			r.attempt("T-15", 0, r.URL.Status, 0, "")
			r.URL.Deleted, r.State.WithdrawnBy, r.Content.Deleted = false, "", false
			unchanged("T-02", 304, 0)(r)
			r.Journal = []journalRow{journal}
		})
	}
	s.expect("/s/301", back(true))
	s.expect("/s/301", func(r *record) {
		redirected("/s/301", "301", "/x", "/x", "", 301)(r)
		r.Mark = &markRow{Reason: "T-15", Links: "/x", Run: "this run", At: "now"}
	})
	s.expect("/s/gone", back(false))
	s.expect("/s/gone", failed("T-08", 404, 19, "", "gone", 1, "+10m", "never indexed, gone error 1: 10m", false))
	s.run()
	s.asked(s.conditional("/s/live", 304), s.conditional("/s/quiet", 304), s.plain("/s/301", 301), s.plain("/s/gone", 404))
	s.merge("live: /s/live", "quiet:")
	s.cited("/x", "/ /s/301 /s/live /s/quiet")
}
