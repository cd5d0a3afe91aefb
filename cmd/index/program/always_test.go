package program

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
	_ "time/tzdata" // the zones of the tests

	"github.com/pgseek/pgseek/config"
	"github.com/pgseek/pgseek/store/crawl"
	"github.com/pgseek/pgseek/store/storetest"
)

// movedClock is a clock that runs as the real one does and can be set forward.
type movedClock struct {
	mu    sync.Mutex
	ahead time.Duration
	moved chan struct{} // closed by the next move
	zone  *time.Location
}

func (c *movedClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Now().Add(c.ahead).In(c.zone)
}

// After fires when the clock has reached the time, by itself or by a move.
func (c *movedClock) After(d time.Duration) <-chan time.Time {
	fired := make(chan time.Time, 1)
	at := c.Now().Add(d)
	go func() {
		for {
			c.mu.Lock()
			moved, left := c.moved, at.Sub(time.Now().Add(c.ahead))
			c.mu.Unlock()
			if left <= 0 {
				fired <- at
				return
			}
			select {
			case <-moved:
			case <-time.After(left):
			}
		}
	}()
	return fired
}

func (c *movedClock) set(at time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ahead = time.Until(at)
	close(c.moved)
	c.moved = make(chan struct{})
}

// TestScheduledWindows crawls in the windows of two nights, by a clock that the test moves: a window opens, ends with `time` while pages
// are left, and the next night goes on where it was (GSA-06, GSA-70).
func TestScheduledWindows(t *testing.T) {
	t.Parallel()
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	clock := &movedClock{moved: make(chan struct{}), zone: berlin}
	clock.set(time.Date(2026, 3, 28, 21, 59, 58, 0, berlin)) // the night of the change to summer time

	var mu sync.Mutex
	asked := map[string]int{}
	halt := make(chan struct{}) // while it is open, pages beyond the fifth wait
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		asked[r.URL.Path]++
		n := len(asked)
		mu.Unlock()
		switch {
		case r.URL.Path == "/":
			for i := range 20 {
				fmt.Fprintf(w, `<a href="p%d.html">p</a> `, i)
			}
		case strings.HasPrefix(r.URL.Path, "/p") && len(r.URL.Path) < 10:
			if n > 7 {
				select {
				case <-halt:
				case <-r.Context().Done():
				}
			}
			fmt.Fprintf(w, "<title>page</title>word%s", strings.Trim(r.URL.Path, "/.html"))
		default:
			http.NotFound(w, r)
		}
	}))
	defer site.Close()
	requests := func() (n int) {
		mu.Lock()
		defer mu.Unlock()
		for _, times := range asked {
			n += times
		}
		return n
	}

	dsn := storetest.New(t)
	db := storetest.Connect(t, dsn)
	dir := t.TempDir()
	for name, text := range map[string]string{
		"sets.cnf": "Server " + site.URL + "/\n",
		"spider.cnf": "DBAddr \"" + dsn + "\"\nThreads 1\nBatchSize 3\nCrawlMode scheduled\nMergeInterval 1d\n" +
			"CrawlSchedule \"SAT-SUN 22:00 4h\"\nSoft404Detection no\nConnectivityInterval 0\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var errOut bytes.Buffer
	o, err := parseArgs([]string{"--config", dir}, &errOut)
	if err != nil {
		t.Fatal(err)
	}
	p := &program{o: o, clock: clock, out: &errOut, errOut: &errOut}
	if err := p.openLog(); err != nil {
		t.Fatal(err)
	}
	stop, end := context.WithCancel(t.Context())
	p.stop = withLog(stop, p.log)
	done := make(chan error, 1)
	go func() { done <- p.mode(withLog(context.WithoutCancel(t.Context()), p.log)) }()
	defer func() {
		end()
		if err := <-done; err != nil {
			t.Error(err)
		}
		if t.Failed() {
			t.Log(errOut.String())
		}
	}()
	until := func(what, query string) {
		t.Helper()
		for range 1200 {
			var is *bool
			if err := db.QueryRow(t.Context(), query).Scan(&is); err != nil {
				t.Fatal(err)
			}
			if is != nil && *is {
				return
			}
			time.Sleep(50 * time.Millisecond)
		}
		t.Fatalf("%s: not within a minute", what)
	}

	until("waiting before the window", `SELECT phase = 'waiting' AND next_round = '2026-03-28 22:00+01' FROM crawl_state`)
	if n := requests(); n != 0 {
		t.Errorf("%d requests before the window", n)
	}
	until("the window opens by itself", `SELECT phase = 'crawling' AND window_ends = '2026-03-29 03:00+02' FROM crawl_state`) // 4 hours later
	for range 1200 {
		if requests() >= 8 {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	clock.set(time.Date(2026, 3, 29, 1, 59, 59, 0, berlin)) // a second before 03:00 of summer time
	until("still open", `SELECT phase = 'crawling' FROM crawl_state`)
	until("asked to end", `SELECT stop_asked IS NOT NULL FROM crawl_control`)
	close(halt) // the page under way is answered, and no other is asked for
	until("ended", `SELECT ended_at IS NOT NULL AND end_reason = 'time' FROM reindexing WHERE kind = 'crawl' ORDER BY run_id DESC LIMIT 1`)
	until("merged, and waiting for the next night", `
		SELECT phase = 'waiting' AND next_round = '2026-03-29 22:00+02' AND (SELECT documents > 0 FROM totals) FROM crawl_state`)
	first := requests()
	if first >= 21 {
		t.Fatalf("%d requests in the first window: nothing was left", first)
	}

	clock.set(time.Date(2026, 3, 29, 21, 59, 59, 0, berlin))
	until("the next night goes on", `SELECT documents = 21 FROM totals`)
	mu.Lock()
	defer mu.Unlock()
	for path, times := range asked {
		want := 1
		if path == "/" { // the start URL is visited in each window
			want = 2
		}
		if path != "/robots.txt" && times != want {
			t.Errorf("%s was asked for %d times, want %d", path, times, want)
		}
	}
}

// TestRoundPlan checks what a crawl without end does next.
func TestRoundPlan(t *testing.T) {
	now := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	clock := &movedClock{moved: make(chan struct{}), zone: time.UTC}
	for name, c := range map[string]struct {
		o    crawl.Outlook
		past past
		rule rulesState
		step step
		wait time.Duration // 0 = not compared
	}{
		"nothing to do":                   {o: crawl.Outlook{}, wait: look},
		"the first round":                 {past: past{starts: true}, step: stepRound},
		"a URL is due":                    {o: crawl.Outlook{NextDue: now}, step: stepRound},
		"a URL is due soon":               {o: crawl.Outlook{NextDue: now.Add(4 * time.Second)}, wait: 4 * time.Second},
		"due, but just crawled":           {o: crawl.Outlook{NextDue: now}, past: past{began: now.Add(-50 * time.Second)}, wait: 10 * time.Second},
		"recrawl does not wait":           {o: crawl.Outlook{NextDue: time.Unix(0, 0)}, past: past{began: now.Add(-time.Second)}, step: stepRound},
		"a round without work was before": {o: crawl.Outlook{NextDue: now}, past: past{notBefore: now.Add(9 * time.Second)}, wait: 9 * time.Second},
		"a round at once after such one":  {o: crawl.Outlook{Asked: now}, past: past{notBefore: now.Add(time.Hour)}, step: stepRound},
		"another crawl runs":              {o: crawl.Outlook{Asked: now}, past: past{heldUntil: now.Add(5 * time.Second)}, wait: 5 * time.Second},
		"schedules of a dead process":     {o: crawl.Outlook{Late: true}, step: stepRound},
		"documents wait":                  {o: crawl.Outlook{Unmerged: true}, step: stepMerge},
		"documents wait, URLs are due":    {o: crawl.Outlook{Unmerged: true, NextDue: now}, step: stepMerge},
		"merged a moment ago, URLs due":   {o: crawl.Outlook{Unmerged: true, NextDue: now, Merged: now.Add(-time.Second)}, step: stepRound},
		"merged a moment ago":             {o: crawl.Outlook{Unmerged: true, Merged: now.Add(-time.Second)}, wait: 4 * time.Second},
		"merges take long":                {o: crawl.Outlook{Unmerged: true, Merged: now}, past: past{mergeTook: time.Second}, wait: 10 * time.Second},
		"merges take very long":           {o: crawl.Outlook{Unmerged: true, Merged: now.Add(-31 * time.Minute)}, past: past{mergeTook: time.Hour}, step: stepMerge},
		"paused":                          {o: crawl.Outlook{Paused: true, NextDue: now, Asked: now}, past: past{starts: true}, wait: look},
		"paused, documents wait":          {o: crawl.Outlook{Paused: true, Unmerged: true}, step: stepMerge},
		"other rules are in force":        {o: crawl.Outlook{NextDue: now}, rule: rulesState{stale: true}, wait: look},
	} {
		t.Run(name, func(t *testing.T) {
			clock.set(now)
			c.o.Now = clock.Now()
			r := &rounds{
				p: &program{cfg: &config.Config{Spider: config.Spider{CrawlMode: config.CrawlContinuous, MergeInterval: 30 * time.Minute}}}, clock: clock,
				past: c.past, rules: c.rule,
			}
			next := r.plan(c.o)
			if next.step != c.step || c.wait > 0 && (next.wait > c.wait || next.wait < c.wait-time.Second) {
				t.Errorf("step %d after %v, want %d after %v", next.step, next.wait, c.step, c.wait)
			}
		})
	}
}
