package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pgseek/pgseek/spider/spidertest"
)

const day = 24 * time.Hour

// sleep prevents URLs from being due.
func (s *transitionTest) sleep(paths ...string) {
	s.t.Helper()
	for _, path := range paths {
		s.one(`UPDATE urlword SET next_index_time = 1099511627776 WHERE url = $1 RETURNING url_id`, s.site.URL+path)
	}
}

// wake makes URLs due.
func (s *transitionTest) wake(paths ...string) {
	s.t.Helper()
	for _, path := range paths {
		s.one(`UPDATE urlword SET next_index_time = 1 WHERE url = $1 RETURNING url_id`, s.site.URL+path)
	}
}

// unreadable is an answer of a type that cannot be parsed (800).
var unreadable = spidertest.Page{Type: "application/zip", Body: "PK"}

// failed returns the change that T-08, T-09 and T-11 make to a URL that is no live document. marked says that
// it had links in the index.
func failed(rule string, result, bytes int, cause, class string, count int, next, why string, marked bool) func(*record) {
	return func(r *record) {
		if marked {
			r.Mark = &markRow{Reason: rule, Run: "this run", At: "now"}
			if r.Content != nil {
				r.Mark.Links = r.Content.Links
			}
		}
		r.attempt(rule, result, fmt.Sprint(result), bytes, cause)
		r.URL.LastIndex, r.URL.Redir, r.URL.Origin = "now", "", ""
		r.Content = nil
		r.ill(class, count)
		r.next(next, why)
	}
}

// TestT07Lost verifies T-07: a live document that answers with an error is lost. The error counts once a run,
// the document keeps everything, and it is fetched again after 1, 3, 7, 21 and 21 days by the number of the
// error in its class. T-09 and T-11 do the same for 6xx and 8xx.
func TestT07Lost(t *testing.T) {
	t.Parallel()
	links := []string{"/x"}
	same := testPage{title: "same", links: links}
	order := []string{"/gone", "/server", "/auth", "/header", "/type", "/original", "/clone", "/x"}
	s := newTransitionTest(t, "", "", map[string]testPage{
		"/gone": {title: "gone", links: links}, "/server": {title: "server", links: links}, "/auth": {title: "auth"}, "/header": {title: "header"},
		"/type": {title: "type"}, "/original": same, "/clone": same, "/x": {title: "x"},
	}, order...)
	s.sleep("/", "/x")
	failing := []struct {
		path, rule   string
		status       int
		class, cause string
		bytes        int
	}{
		{"/gone", "T-07", 410, "gone", "", 5},
		{"/server", "T-07", 502, "server", "", 5},
		{"/auth", "T-07", 401, "auth", "", 5},
		{"/header", "T-09", 602, "server", "301 without Location", 5},
		{"/type", "T-11", 800, "server", "no converter for application/zip", 0},
		{"/original", "T-07", 404, "gone", "", 5},
		{"/clone", "T-07", 504, "server", "", 5},
	}
	for _, f := range failing {
		switch f.status {
		case 602:
			s.answer(f.path, 301)
		case 800:
			s.site.Set(f.path, unreadable)
		default:
			s.answer(f.path, f.status, "Retry-After", "7200") // shorter than the ladder
		}
		s.wake(f.path)
	}
	for n, wait := range []time.Duration{1 * day, 3 * day, 7 * day, 21 * day, 21 * day} {
		s.begin()
		var requests []string
		for _, f := range failing {
			s.expect(f.path, func(r *record) {
				lost(f.rule, f.status, fmt.Sprintf("200 lost %d x%d", f.status, n+1), f.class, n+1, "+"+longSpan(wait), longSpan(wait))(r)
				r.History[0].Cause, r.History[0].Bytes = f.cause, int64(f.bytes)
			})
			code := map[int]int{602: 301, 800: 200}[f.status]
			if code == 0 {
				code = f.status
			}
			requests = append(requests, s.conditional(f.path, code))
		}
		s.run()
		s.asked(requests...)
		s.pass(wait)
	}
	// An error of another class starts the back-off again, and the count of losses continues. An error
	// counted in this run is not counted again.
	s.answer("/gone", 500)
	s.rows(`UPDATE urlstate SET seen_run = (SELECT max(run_id) + 1 FROM reindexing) WHERE url_id = (SELECT url_id FROM urlword WHERE url LIKE '%/server')`)
	s.begin()
	s.sleep("/auth", "/header", "/type", "/original", "/clone")
	s.begin()
	s.expect("/gone", lost("T-07", 500, "200 lost 500 x6", "server", 1, "+1d", "1d"))
	s.expect("/server", lost("T-07", 502, "200 lost 502 x5", "server", 6, "+21d", "21d"))
	s.run()
	// Lost documents can be found all the time, and a recovered one is as if nothing had happened.
	for _, c := range []string{"gone: /gone", "same: /original", "type: /type"} {
		word, path, _ := strings.Cut(c, ": ")
		if got := s.rows(`SELECT replace(url, $2, '') FROM word_postings($1)`, word, s.site.URL); !slices.Equal(got, []string{path}) {
			t.Errorf("%s is found at %v", word, got)
		}
	}
	s.put("/gone", testPage{title: "gone", links: links})
	s.begin("/gone")
	s.expect("/gone", unchanged("T-02", 304, 0))
	s.expect("/gone", func(r *record) { r.well() })
	s.run()
}

// TestT08Error verifies T-08: the error of a URL that is no live document becomes its status. Its entries
// leave the index: the content of a 406, the link of a redirect.
func TestT08Error(t *testing.T) {
	t.Parallel()
	s := newEmptyTransitionTest(t, "", "BatchSize 30")
	order := []string{"/quiet", "/bare", "/301", "/302", "/gone", "/broken", "/header", "/type", "/mute", "/later", "/date", "/long", "/x"}
	quiet := testPage{title: "quiet", noindex: true, links: []string{"/x"}}
	s.put("/quiet", quiet)
	s.put("/bare", testPage{title: "bare", noindex: true})
	s.answer("/301", 301, "Location", "/x")
	s.answer("/302", 302, "Location", "/x")
	s.answer("/gone", 404)
	s.answer("/broken", 500)
	s.answer("/header", 301)
	s.site.Set("/type", unreadable)
	s.mute("/mute")
	s.put("/x", testPage{title: "x"})
	s.front(order...)
	s.index()
	s.pass(day)
	due := order[:12]
	for _, path := range due {
		s.answer(path, 504)
	}
	s.answer("/gone", 404)
	s.answer("/later", 502, "Retry-After", "7200")
	s.answer("/date", 504, "Retry-After", httpTime(time.Now().Add(3*time.Hour)))
	s.answer("/long", 504, "Retry-After", "1000000")

	s.begin(due...)
	var requests []string
	for _, path := range due {
		status, class, count, next, why, marked := 504, "server", 2, "+20m", "never indexed, server error 2: 20m", false
		switch path {
		case "/quiet", "/bare", "/301", "/302":
			count, next, why, marked = 1, "+1d", "server error 1: 1d", true
		case "/gone":
			status, class, why = 404, "gone", "never indexed, gone error 2: 20m"
		case "/mute", "/type": // of a type that nothing reads before: no error
			count, next, why = 1, "+10m", "never indexed, server error 1: 10m"
		case "/later":
			status, count, next, why = 502, 1, "+2h", "retry-after 2h"
		case "/date":
			count, next, why = 1, "+3h", "retry-after 3h"
		case "/long":
			count, next, why = 1, "+1d", "retry-after 1d"
		}
		if path == "/later" || path == "/date" || path == "/long" {
			class, count = "server", 1
		}
		s.expect(path, failed("T-08", status, 5, "", class, count, next, why, marked))
		if path == "/quiet" {
			requests = append(requests, s.conditional(path, status))
		} else {
			requests = append(requests, s.plain(path, status))
		}
	}
	s.run()
	s.asked(requests...)
	s.merge()
	s.cited("/x", "/")

	// The former state decides the first wait. URLs that had entries have none any more and continue with the
	// short back-off, not with the ladder of days.
	had := []string{"/quiet", "/bare", "/301", "/302"}
	s.begin(had...)
	for _, path := range had {
		s.expect(path, failed("T-08", 504, 5, "", "server", 2, "+20m", "never indexed, server error 2: 20m", false))
	}
	s.run()
}

// TestT09HeaderError verifies T-09: 6xx loses a live document as T-07 does, and is recorded for any other URL
// as by T-08.
func TestT09HeaderError(t *testing.T) {
	t.Parallel()
	recordsProcessing(t, "T-09", 602, 5, "301 without Location")
}

// TestT11ProcessingError verifies T-11: 8xx loses a live document as T-07 does, and is recorded for any other
// URL as by T-08.
func TestT11ProcessingError(t *testing.T) {
	t.Parallel()
	recordsProcessing(t, "T-11", 800, 0, "no converter for application/zip")
}

func recordsProcessing(t *testing.T, rule string, status, bytes int, cause string) {
	t.Helper()
	s := newEmptyTransitionTest(t, "", "")
	order := []string{"/live", "/quiet", "/301", "/gone", "/mute", "/x"}
	s.put("/live", testPage{title: "live", links: []string{"/x"}})
	s.put("/quiet", testPage{title: "quiet", noindex: true, links: []string{"/x"}})
	s.answer("/301", 301, "Location", "/x")
	s.answer("/gone", 404)
	s.mute("/mute")
	s.put("/x", testPage{title: "x"})
	s.front(order...)
	s.index()
	s.pass(day)
	code := map[int]int{602: 301, 800: 200}[status]
	for _, path := range order[:5] {
		if s.site.Set(path, unreadable); status == 602 {
			s.answer(path, 301)
		}
	}
	s.begin(order[:5]...)
	s.expect("/live", func(r *record) {
		lost(rule, status, fmt.Sprintf("200 lost %d x1", status), "server", 1, "+1d", "1d")(r)
		r.History[0].Cause, r.History[0].Bytes = cause, int64(bytes)
	})
	s.expect("/quiet", failed(rule, status, bytes, cause, "server", 1, "+1d", "server error 1: 1d", true))
	s.expect("/301", failed(rule, status, bytes, cause, "server", 1, "+1d", "server error 1: 1d", true))
	class, next, why := "server", "+10m", "never indexed, server error 1: 10m"
	if status == 800 { // no error where nothing is indexed
		class, next, why = "unread", "+7d", "type not read: 7d"
	}
	s.expect("/gone", failed(rule, status, bytes, cause, class, 1, next, why, false))
	s.expect("/mute", failed(rule, status, bytes, cause, class, 1, next, why, false))
	s.run()
	s.asked(s.conditional("/live", code), s.conditional("/quiet", code), s.plain("/301", code), s.plain("/gone", code), s.plain("/mute", code))
	s.merge("live: /live")
	s.cited("/x", "/ /live")
}

// unreached returns the change that T-10 makes.
func unreached(result, count int, next, why, cause string) func(*record) {
	return func(r *record) {
		r.attempt("T-10", result, r.URL.Status, 0, cause)
		r.ill("unreachable", count)
		r.next(next, why)
	}
}

// TestT10NoAnswer verifies T-10: without an answer only the time of the next attempt and the error count
// change: 5 hours, 1, 5 and 21 days for URLs with entries in the index, 10 minutes, doubled each time, for
// others.
func TestT10NoAnswer(t *testing.T) {
	t.Parallel()
	s := newEmptyTransitionTest(t, "", "BatchSize 30")
	order := []string{"/live", "/lost", "/quiet", "/301", "/gone", "/broken", "/header", "/type", "/x"}
	s.put("/live", testPage{title: "live", links: []string{"/x"}})
	s.put("/lost", testPage{title: "lost"})
	s.put("/quiet", testPage{title: "quiet", noindex: true, links: []string{"/x"}})
	s.answer("/301", 301, "Location", "/x")
	s.answer("/gone", 404)
	s.answer("/broken", 504)
	s.answer("/header", 301)
	s.site.Set("/type", unreadable)
	s.put("/x", testPage{title: "x"})
	s.front(order...)
	s.index()
	s.answer("/lost", 404)
	s.wake("/lost")
	s.index("-q")
	s.pass(day)
	s.sleep("/", "/x")
	due := order[:8]
	for _, path := range due {
		s.mute(path)
	}
	ladder := []time.Duration{5 * time.Hour, day, 5 * day, 21 * day, 21 * day}
	for n, wait := range ladder {
		s.begin(due...)
		var requests []string
		for _, path := range due {
			switch path {
			case "/live", "/lost", "/quiet":
				requests = append(requests, s.conditional(path, 0))
			default:
				requests = append(requests, s.plain(path, 0))
			}
			next, why := "+"+longSpan(wait), fmt.Sprintf("unreachable error %d: %s", n+1, longSpan(wait))
			switch path {
			case "/gone", "/broken", "/header", "/type":
				backoff := 10 * time.Minute << n
				next, why = "+"+longSpan(backoff), fmt.Sprintf("never indexed, unreachable error %d: %s", n+1, longSpan(backoff))
			}
			s.expect(path, unreached(705, n+1, next, why, "EOF"))
		}
		s.run()
		s.askedAgain(requests...)
		s.pass(6 * time.Hour) // so that a time that were set would show
	}

	// robots.txt cannot be fetched: no URL is requested, and the same happens to all of them, never fetched
	// ones included (902).
	s.site.Forget()
	s.answer("/robots.txt", 503)
	s.index("-i", "-u", s.site.URL+"/new")
	s.sleep("/lost", "/quiet", "/301", "/broken", "/header", "/type")
	s.begin("/live", "/gone", "/new")
	s.expect("/live", unreached(902, 6, "+21d", "unreachable error 6: 21d", "robots.txt answered 503"))
	s.expect("/gone", unreached(902, 6, "+5h20m", "never indexed, unreachable error 6: 5h20m", "robots.txt answered 503"))
	s.expect("/new", func(r *record) {
		unreached(902, 1, "+10m", "never indexed, unreachable error 1: 10m", "robots.txt answered 503")(r)
	})
	s.run()
	s.asked()
	s.merge("live: /live", "lost: /lost")
	s.cited("/x", "/ /301 /live /quiet")

	// An answer ends the series of errors. What waited for robots.txt is due when that can be had.
	s.site.Remove("/robots.txt")
	s.put("/live", testPage{title: "live", links: []string{"/x"}})
	s.mute("/new")
	s.pass(day)
	s.begin("/live", "/gone", "/new")
	s.expect("/live", unchanged("T-02", 304, 0))
	s.expect("/gone", unreached(705, 7, "+10h40m", "never indexed, unreachable error 7: 10h40m", "EOF"))
	s.expect("/new", func(r *record) {
		r.URL.Status = "705"
		unreached(705, 2, "+20m", "never indexed, unreachable error 2: 20m", "EOF")(r)
		r.History[0].Rule, r.History[0].Old = "T-10n", "0"
	})
	s.run()
}

// TestT10nNeverAnswered verifies T-10n: the network error of a URL that never answered becomes its status,
// and nothing else changes. The URL is fetched again after 10 minutes, doubled each time up to 14 days.
func TestT10nNeverAnswered(t *testing.T) {
	t.Parallel()
	s := newEmptyTransitionTest(t, "", "")
	s.index("-i", "-u", s.site.URL+"/a")
	s.mute("/a")
	s.wake("/a")
	for _, c := range []struct {
		n    int
		wait time.Duration
	}{{1, 10 * time.Minute}, {2, 20 * time.Minute}, {3, 40 * time.Minute}, {11, 170*time.Hour + 40*time.Minute}, {12, 14 * day}} {
		n, wait := c.n, c.wait
		s.rows(`UPDATE urlstate SET error_count = $1`, n-1)
		s.begin("/a")
		s.expect("/a", func(r *record) {
			r.attempt("T-10n", 705, "705", 0, "EOF")
			r.ill("unreachable", n)
			r.next("+"+longSpan(wait), fmt.Sprintf("never indexed, unreachable error %d: %s", n, longSpan(wait)))
		})
		s.run()
		s.askedAgain(s.plain("/a", 0))
	}
	s.merge()
}
