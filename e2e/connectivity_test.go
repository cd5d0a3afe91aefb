package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/pgseek/pgseek/spider/spidertest"
)

// hostsBehindOne are twelve hosts behind one thing that can fail: a proxy, a line.
type hostsBehindOne struct {
	*world
	sites  []*spidertest.Site
	failed atomic.Pointer[func(w http.ResponseWriter, r *http.Request, host int)] // answers for them, nil = they do
	left   atomic.Int64                                                           // requests before that; negative = any number
}

func newHostsBehindOne(t *testing.T, spider string) *hostsBehindOne {
	t.Helper()
	h := &hostsBehindOne{}
	h.left.Store(-1)
	var sets strings.Builder
	for host := range 12 {
		site := spidertest.NewSiteOn(t, fmt.Sprintf("127.0.9.%d", host+1))
		h.sites = append(h.sites, site)
		for path, body := range map[string]string{
			"/robots.txt": "", "/": `front <a href="/a">a</a> <a href="/b">b</a> <a href="/c">c</a>`, "/a": "a", "/b": "b", "/c": "c",
		} {
			page := spidertest.Page{Body: fmt.Sprintf("%s of %d", body, host), ETag: `"1"`}
			if path == "/robots.txt" {
				page = spidertest.Page{Status: 404}
			}
			site.Set(path, spidertest.Page{Serve: func(w http.ResponseWriter, r *http.Request) {
				failed := h.failed.Load()
				if failed == nil || h.left.Load() >= 0 && h.left.Add(-1) >= 0 {
					page.Answer(w, r)
					return
				}
				h.left.Store(-1)
				(*failed)(w, r, host)
			}})
		}
		fmt.Fprintf(&sets, "Server %s/\n", site.URL)
	}
	h.world = newWorld(t, "MinDelay 0\n"+sets.String())
	h.spider("AllowNetwork 127.0.0.0/8\nReadTimeOut 2s\nThreads 4\n" + spider)
	return h
}

// fails makes all hosts fail after some requests, at once with a negative number.
func (h *hostsBehindOne) fails(after int, how func(w http.ResponseWriter, r *http.Request, host int)) {
	h.left.Store(int64(after))
	h.failed.Store(&how)
}

// urls has all that a visit changes.
func (h *hostsBehindOne) urls() string {
	h.t.Helper()
	return h.one(`SELECT md5(string_agg(w::text || s::text, ',' ORDER BY w.url_id)) FROM urlword w JOIN urlstate s USING (url_id)`) + " " +
		h.one(`SELECT count(*) FROM crawl_history`) + " " + h.one(`SELECT coalesce(string_agg(hostinfo || status, ','), '') FROM robots_cache WHERE failures > 0`)
}

// outage runs a crawl that must end with an outage.
func (h *hostsBehindOne) outage(what string) {
	h.t.Helper()
	code, _, errOut := h.try()
	if code != exitOutage || !strings.Contains(errOut, "index: outage: 0 of 12 start URLs are alive; http://127.0.9.") {
		h.t.Errorf("%s: exit %d\n%s", what, code, errOut)
	}
	if got := h.one(`SELECT end_reason FROM reindexing WHERE kind = 'crawl' ORDER BY run_id DESC LIMIT 1`); got != "outage" {
		h.t.Errorf("%s: the run ended with %s", what, got)
	}
}

func unavailable(w http.ResponseWriter, _ *http.Request, _ int) { w.WriteHeader(503) }

// cut ends the connection without an answer.
func cut(w http.ResponseWriter, _ *http.Request, _ int) {
	if conn, _, err := w.(http.Hijacker).Hijack(); err == nil {
		_ = conn.Close()
	}
}

// TestOutageChangesNothing (F15): twelve hosts fail together, as behind a proxy or a line that is down, before a run and in the middle of
// one. The run ends with an outage and changes nothing of what failed. When two of the twelve answer, the crawl goes on.
func TestOutageChangesNothing(t *testing.T) {
	t.Parallel()
	h := newHostsBehindOne(t, "")
	h.index()
	h.pass(8 * day)
	before := h.urls()
	h.fails(-1, unavailable)
	h.outage("503")
	schedules := `SELECT count(*) FROM schedule`
	n := h.one(schedules)
	h.fails(-1, cut)
	h.outage("no answer")
	if got := h.one(schedules); got != n {
		t.Errorf("%s schedules instead of %s: a run in an outage that is known took some", got, n)
	}
	if got := h.urls(); got != before {
		t.Errorf("an outage changed URLs: %s, before %s", got, before)
	}
	if got := h.one(`SELECT connectivity, connectivity_alive, connectivity_of FROM crawl_control`); got != "bad 0 12" {
		t.Errorf("connectivity: %s", got)
	}

	h.fails(-1, func(w http.ResponseWriter, r *http.Request, host int) {
		if host < 2 {
			spidertest.Page{Body: "back"}.Answer(w, r)
			return
		}
		unavailable(w, r, host)
	})
	h.index()
	if got := h.one(`SELECT connectivity FROM crawl_control`); got != "good" {
		t.Errorf("connectivity with two hosts: %s", got)
	}
	if got := h.one(`SELECT count(*), count(*) FILTER (WHERE error_count > 0) FROM urlstate JOIN urlword USING (url_id) WHERE seen_run = (SELECT max(run_id) FROM reindexing WHERE kind = 'crawl')`); got != "48 40" {
		t.Errorf("visited and failed: %s", got)
	}
	h.check()
}

// TestOutageWithinARun (F15): the network breaks after some requests. What answered is recorded, what failed is not, not even by the
// attempts that were under way.
func TestOutageWithinARun(t *testing.T) {
	t.Parallel()
	for after, how := range map[int]func(http.ResponseWriter, *http.Request, int){9: cut, 21: unavailable, 40: cut} {
		h := newHostsBehindOne(t, "Threads 12\n")
		h.index("--no-merge")
		h.pass(8 * day)
		h.fails(after, how)
		h.outage(fmt.Sprint("after ", after))
		if got := h.one(`SELECT count(*) FROM urlstate WHERE error_count > 0`); got != "0" {
			t.Errorf("after %d requests: %s URLs have errors", after, got)
		}
		if got := h.one(`SELECT count(*) FROM crawl_history WHERE rule LIKE 'T-10%' OR result >= 400`); got != "0" {
			t.Errorf("after %d requests: %s failures are recorded", after, got)
		}
		h.failed.Store(nil)
		h.index()
		if got := h.one(`SELECT count(*) FROM urlword WHERE next_index_time <= extract(epoch FROM now())`); got != "0" {
			t.Errorf("after %d requests: %s URLs are still due", after, got)
		}
		h.check()
	}
}

// TestB74: the hosts of all start URLs accept connections and never answer. The run ends with an outage after ReadTimeOut.
func TestB74(t *testing.T) {
	t.Parallel()
	h := newHostsBehindOne(t, "Threads 12\n")
	h.index("--no-merge")
	h.pass(8 * day)
	before := h.urls()
	h.fails(-1, func(_ http.ResponseWriter, r *http.Request, _ int) { <-r.Context().Done() })
	h.outage("silence")
	if got := h.urls(); got != before {
		t.Errorf("an outage changed URLs: %s, before %s", got, before)
	}
}

// TestB75: something in front of all hosts redirects each request to its own page, as networks do before somebody logs in. That is no
// outage, but the documents stay: too many of each site redirect.
func TestB75(t *testing.T) {
	t.Parallel()
	h := newHostsBehindOne(t, "")
	h.index("--no-merge")
	h.pass(8 * day)
	h.fails(-1, func(w http.ResponseWriter, r *http.Request, _ int) { http.Redirect(w, r, "/login", http.StatusFound) })
	h.crawl("--no-merge")
	if got := h.one(`SELECT count(*) FROM urlword WHERE deleted = 0 AND status_base(status) = 200`); got != "48" {
		t.Errorf("%s documents are left", got)
	}
}

// TestOneDeadHost: the only host of a configuration refuses connections. That may be an outage as well, and the sentence names the
// cause. A server that answers 500 is none, and ConnectivityInterval 0 ends the tests.
func TestOneDeadHost(t *testing.T) {
	t.Parallel()
	site := spidertest.NewSite(t)
	open, shut := toggledAddress(t, site)
	open()
	site.HTML("/", "front")
	w := newWorld(t, "Server "+site.URL+"/\n")
	w.index()
	w.pass(8 * day)
	shut()
	code, _, errOut := w.try("-a")
	if want := "index: outage: 0 of 1 start URLs are alive; " + site.URL + "/robots.txt: 702 Connection refused: "; code != exitOutage || !strings.Contains(errOut, want) {
		t.Errorf("exit %d, want %s\n%s", code, want, errOut)
	}
	open()
	site.Set("/", spidertest.Page{Status: 500})
	site.Set("/robots.txt", spidertest.Page{Status: 500})
	w.crawl("-a")
	shut()
	w.spider("ConnectivityInterval 0\n")
	w.pass(day)
	w.crawl("-a")
	if got := w.one(`SELECT error_count FROM urlstate`); got != "2" {
		t.Errorf("without tests: %s errors", got)
	}
}
