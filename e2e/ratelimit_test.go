package e2e

import (
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pgseek/pgseek/spider/spidertest"
)

// limiter is a web server that answers one request in each interval, and refuses the others.
type limiter struct {
	interval time.Duration
	status   int // of a refusal
	after    int // Retry-After in seconds, 0 = none

	mu      sync.Mutex
	last    time.Time // request that was answered
	began   time.Time
	refused map[string]int // by path
	late    [2]int         // requests after the first minute: all, refused
}

// serve gives the site n pages behind the limiter, each linked from the front page.
func (l *limiter) serve(site *spidertest.Site, n int) {
	l.refused, l.began = map[string]int{}, time.Now()
	page := func(path, body string) {
		site.Set(path, spidertest.Page{Serve: func(w http.ResponseWriter, r *http.Request) {
			if l.refuses(path) {
				if l.after > 0 {
					w.Header().Set("Retry-After", strconv.Itoa(l.after))
				}
				w.WriteHeader(l.status)
				return
			}
			spidertest.Page{Body: body}.Answer(w, r)
		}})
	}
	var front strings.Builder
	for i := range n - 1 {
		path := fmt.Sprintf("/p%03d", i)
		fmt.Fprintf(&front, `<a href="%s">x</a>`, path)
		page(path, fmt.Sprintf("page word%03d", i))
	}
	page("/", front.String())
}

func (l *limiter) refuses(path string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	late := now.Sub(l.began) > time.Minute
	if late {
		l.late[0]++
	}
	if now.Sub(l.last) >= l.interval {
		l.last = now
		return false
	}
	l.refused[path]++
	if late {
		l.late[1]++
	}
	return true
}

// TestRateLimit crawls a site that answers some requests a second and refuses the others. All pages are indexed in one run,
// whatever the refusals look like, and none is refused more than twice. make soak has the slow limit of real servers, and then
// at most one request in twenty is refused after the first minute.
func TestRateLimit(t *testing.T) {
	t.Parallel()
	pages, interval := 60, 50*time.Millisecond
	if soak() {
		pages, interval = 300, 500*time.Millisecond
	}
	for _, l := range []*limiter{
		{status: http.StatusTooManyRequests, after: 2},
		{status: http.StatusTooManyRequests},
		{status: http.StatusServiceUnavailable, after: 2},
		{status: http.StatusServiceUnavailable}, // nginx's limit_req
	} {
		t.Run(fmt.Sprintf("%d, Retry-After %d", l.status, l.after), func(t *testing.T) {
			t.Parallel()
			site := spidertest.NewSite(t)
			l.interval = interval
			l.serve(site, pages)
			w := newWorld(t, "Server "+site.URL+"/\n")
			began := time.Now()
			w.index()
			if got := w.one(`SELECT count(*) FROM urlword WHERE status = 200`); got != fmt.Sprint(pages) {
				t.Errorf("%s documents, want %d", got, pages)
			}
			if got := w.one(`SELECT count(*) FROM crawl_history WHERE rule NOT IN ('T-01', 'T-10', 'T-10n', 'T-04')`); got != "0" {
				t.Errorf("%s attempts under other rules", got)
			}
			if got := w.one(`SELECT end_reason FROM reindexing WHERE kind = 'crawl'`); got != "complete" {
				t.Errorf("the run ended as %s", got)
			}
			w.finds("after the crawl", map[string]string{"word000": "/p000", "word058": "/p058"})
			total := 0
			for path, n := range l.refused {
				if total += n; n > maxAsked-1 {
					t.Errorf("%s was refused %d times", path, n)
				}
			}
			t.Logf("%d pages in %v: %d requests refused; after the first minute %d of %d", pages, time.Since(began), total, l.late[1], l.late[0])
			if total == 0 || total > pages/2 || 20*l.late[1] > l.late[0] {
				t.Errorf("%d requests refused; after the first minute %d of %d", total, l.late[1], l.late[0])
			}
			w.index("-a")
			if got := w.one(`SELECT count(*) FROM urlword WHERE status = 200`); got != fmt.Sprint(pages) {
				t.Errorf("%s documents after the second crawl, want %d", got, pages)
			}
			if got := w.one(`SELECT count(*) FROM urlstate WHERE error_count > 0`); got != "0" {
				t.Errorf("%s URLs with errors after the second crawl", got)
			}
		})
	}
}

// TestLongPause verifies that a host which asks for a long pause is left alone: runs end and name it, nothing is lost, and
// after the pause all is as before.
func TestLongPause(t *testing.T) {
	t.Parallel()
	for _, status := range []int{http.StatusTooManyRequests, http.StatusServiceUnavailable} {
		site := spidertest.NewSite(t)
		w := newWorld(t, "HostLoad * 0 24 4\nServer "+site.URL+"/\n")
		w.spider("UnreachableRemove yes\n")
		const pages = 40
		var front strings.Builder
		words := map[string]string{}
		for i := range pages {
			path := fmt.Sprintf("/p%02d", i)
			fmt.Fprintf(&front, `<a href="%s">x</a>`, path)
			site.HTML(path, fmt.Sprintf("word%02d", i))
			words[fmt.Sprintf("word%02d", i)] = path
		}
		site.HTML("/", front.String())
		w.index()
		refuse := spidertest.Page{Status: status, Header: map[string]string{"Retry-After": "3600"}}
		for i := 20; i < 30; i++ {
			site.Set(fmt.Sprintf("/p%02d", i), refuse)
		}
		for run := range 5 {
			site.Forget()
			code, out, errOut := w.try("-a")
			if code != exitDone || !strings.Contains(errOut, "host asked for a pause") || !strings.Contains(errOut, "127.0.0.1") {
				t.Fatalf("run %d: exit %d, host not named:\n%s%s", run, code, out, errOut)
			}
			refused := 0
			for _, r := range site.Requests() {
				if r.Status == status {
					refused++
				}
			}
			if run == 0 && (refused == 0 || refused > 4) || run > 0 && len(site.Requests()) > 0 { // HostLoad is 4
				t.Errorf("run %d: %d requests, %d refused", run, len(site.Requests()), refused)
			}
			if got := w.one(`SELECT end_reason FROM reindexing WHERE kind = 'crawl' ORDER BY run_id DESC LIMIT 1`); got != "paused" {
				t.Errorf("run %d ended as %s", run, got)
			}
			if got := w.one(`SELECT count(*) FROM urlword WHERE status = 200`); got != fmt.Sprint(pages+1) {
				t.Errorf("run %d: %s documents", run, got)
			}
		}
		w.finds("during the pause", words)
		for _, args := range [][]string{{"-S"}, {"--explain", site.URL + "/p01"}} {
			if out := w.index(args...); !strings.Contains(out, fmt.Sprintf("after %d of %s/p", status, site.URL)) {
				t.Errorf("index %s does not name the host:\n%s", args[0], out)
			}
		}
		if code, out, _ := w.try("-T", site.URL+"/p01"); code != exitFailed || !strings.Contains(out, "asked for a pause") {
			t.Errorf("index -T: exit %d\n%s", code, out)
		}
		if got, want := w.index("--release", site.URL), "ended the pause that 127.0.0.1 asked for; the next run asks it again\n"; got != want {
			t.Errorf("--release: %s", got)
		}
		site.Forget()
		if _, _, errOut := w.try(); len(site.Count()) == 0 || !strings.Contains(errOut, "index --release "+site.URL+"/") {
			t.Errorf("after --release nothing is asked for, or the end of the next pause is not told:\n%s", errOut)
		}
		for i := 20; i < 30; i++ {
			site.HTML(fmt.Sprintf("/p%02d", i), fmt.Sprintf("word%02d", i))
		}
		w.pass(2 * time.Hour)
		w.index("-a")
		if got := w.one(`SELECT count(*) FILTER (WHERE status <> 200), count(*) FILTER (WHERE error_count > 0) FROM urlword JOIN urlstate USING (url_id)`); got != "0 0" {
			t.Errorf("after the pause: URLs with another status and with errors: %s", got)
		}
		w.finds("after the pause", words)
	}
}

// TestPagesAskForLongPauses crawls a site of which a fifth of the pages asks for a pause of an hour. Each run ends with such a page;
// what it leaves is due, so that hourly runs index the rest.
func TestPagesAskForLongPauses(t *testing.T) {
	t.Parallel()
	pages, refusing := 21, 4 // and the front page
	if soak() {
		pages, refusing = 150, 30
	}
	site := spidertest.NewSite(t)
	var front strings.Builder
	for i := range pages {
		path := fmt.Sprintf("/p%d", i)
		fmt.Fprintf(&front, `<a href="%s">x</a>`, path)
		site.HTML(path, fmt.Sprintf("word%d", i))
		if i%(pages/refusing) == 0 && i/(pages/refusing) < refusing {
			site.Set(path, spidertest.Page{Status: http.StatusTooManyRequests, Header: map[string]string{"Retry-After": "3600"}})
		}
	}
	site.HTML("/", front.String())
	w := newWorld(t, "Server "+site.URL+"/\n")
	runs, indexed := 0, ""
	for ; indexed != fmt.Sprint(pages+1-refusing) && runs <= 2*refusing; runs++ {
		site.Forget()
		code, _, errOut := w.try()
		if code != exitDone || runs == 0 && !strings.Contains(errOut, "end=paused") {
			t.Fatalf("run %d: exit %d\n%s", runs, code, errOut)
		}
		requests, refused := 0, 0 // none while a pause lasts that became longer
		for _, n := range site.Count() {
			requests += n
		}
		if told := regexp.MustCompile(` refused=(\d+)`).FindStringSubmatch(errOut); told != nil {
			refused, _ = strconv.Atoi(told[1])
		}
		if !strings.Contains(errOut, fmt.Sprintf(" fetched=%d ", requests-refused)) {
			t.Errorf("run %d: %d requests, %d of them refused:\n%s", runs, requests, refused, errOut)
		}
		if got := w.one(`SELECT count(*) FROM urlword WHERE status NOT IN (0, 200, 429)`); got != "0" {
			t.Errorf("run %d: %s URLs with another status", runs, got)
		}
		indexed = w.one(`SELECT count(*) FROM urlword WHERE status = 200`)
		w.pass(time.Hour)
		w.rows(`UPDATE host_limit SET delay_ms = 0`) // which each new refusal doubles: it only makes the test wait
	}
	if indexed != fmt.Sprint(pages+1-refusing) {
		t.Errorf("%s documents after %d runs", indexed, runs)
	}
	t.Logf("%d pages, %d of them refuse: %d runs", pages+1, refusing, runs)
}

// TestPausedHostHoldsNoWorker verifies that the only fetcher works for another host while one pauses.
func TestPausedHostHoldsNoWorker(t *testing.T) {
	t.Parallel()
	busy, other := spidertest.NewSite(t), spidertest.NewSite(t)
	otherURL := strings.Replace(other.URL, "127.0.0.1", "localhost", 1)
	var mu sync.Mutex
	var asked []string
	note := func(what string) bool {
		mu.Lock()
		defer mu.Unlock()
		first := len(asked) == 0 || !strings.Contains(strings.Join(asked, ""), what)
		asked = append(asked, what)
		return first
	}
	busy.Set("/", spidertest.Page{Serve: func(w http.ResponseWriter, r *http.Request) {
		if note("b") {
			w.Header().Set("Retry-After", "5")
			w.WriteHeader(http.StatusTooManyRequests)
			return
		}
		spidertest.Page{Body: "busy"}.Answer(w, r)
	}})
	var front strings.Builder
	for i := range 30 {
		path := fmt.Sprintf("/%d", i)
		fmt.Fprintf(&front, `<a href="%s">x</a>`, path)
		other.Set(path, spidertest.Page{Serve: func(w http.ResponseWriter, r *http.Request) {
			note("o")
			spidertest.Page{Body: "other" + path}.Answer(w, r)
		}})
	}
	other.HTML("/", front.String())
	w := newWorld(t, "Server "+busy.URL+"/\nServer "+otherURL+"/\n")
	w.spider("AllowHost localhost\nThreads 1\nBatchSize 5\n")
	w.index()
	if got := w.one(`SELECT count(*) FROM urlword WHERE status = 200`); got != "32" {
		t.Errorf("%s documents, want 32", got)
	}
	if got := strings.Join(asked, ""); !strings.Contains(got, "bo") || strings.Count(got, "b") != 2 {
		t.Errorf("order of the requests: %s", got)
	}
}

// TestRealtimeRefused verifies that index -T waits for a host that refuses, and asks again.
func TestRealtimeRefused(t *testing.T) {
	t.Parallel()
	site := spidertest.NewSite(t)
	site.HTML("/", "front")
	w := newWorld(t, "Server "+site.URL+"/\n")
	w.spider("MaxLostShare 100%\n")
	w.index()
	var mu sync.Mutex
	asked := map[string]int{}
	for path, refusals := range map[string]int{"/once": 1, "/always": 100} {
		site.Set(path, spidertest.Page{Serve: func(w http.ResponseWriter, r *http.Request) {
			mu.Lock()
			asked[path]++
			n := asked[path]
			mu.Unlock()
			p := spidertest.Page{Body: "word" + path[1:]}
			if n <= refusals {
				p.Status = http.StatusTooManyRequests
			}
			p.Answer(w, r)
		}})
	}
	if out := w.index("-T", site.URL+"/once"); asked["/once"] != 2 {
		t.Errorf("/once was asked for %d times:\n%s", asked["/once"], out)
	}
	w.finds("after one refusal", map[string]string{"wordonce": "/once"})
	if code, out, _ := w.try("-T", site.URL+"/always"); code != exitFailed || asked["/always"] != maxAsked {
		t.Errorf("/always: exit %d, asked for %d times:\n%s", code, asked["/always"], out)
	}
	if got := w.one(`SELECT status, error_class, error_count, next_why FROM urlword JOIN urlstate USING (url_id) WHERE url LIKE '%/always'`); got != "429 unreachable 1 never indexed, unreachable error 1: 10m" {
		t.Errorf("/always: %s", got)
	}
}
